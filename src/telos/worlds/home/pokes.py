"""Pokes: what an onlooker may do to the house. Nobody in it is told what to do about it, but for the alarm."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.worlds.home.body import Body, Errand
from telos.worlds.home.extras import GATHER, POWERED, SECOND_FRIDGE, second_fridge
from telos.worlds.home.home import Home
from telos.worlds.home.house import PACE

ONLOOKER = "onlooker"  # the player of events that tell of a poke
BATHROOM, HALL, LIVING_ROOM = "bathroom", "hall", "living room"
_APART = 3  # columns between two who wait in the hall


@dataclass(frozen=True, slots=True)
class Poke:
    """Something that may be done to the house: its name, what a button says, what is told, and when it makes sense."""

    name: str
    title: str
    words: str
    makes_sense: Callable[[Home], bool]
    carry_out: Callable[[Home], None]


def offered(home: Home) -> tuple[Poke, ...]:
    """Return what may be done now.

    >>> home = Home(people=1)
    >>> poke(home, "lock-bathroom")
    >>> [each.name for each in offered(home)][:2]
    ['unlock-bathroom', 'drop-fridge']
    """
    return tuple(each for each in POKES.values() if each.makes_sense(home))


def check(home: Home, name: str) -> Poke:
    """Return the poke of that name, or refuse what makes no sense now."""
    if name not in POKES:
        raise TelosError(f"there is no poke {name!r}", name_hint(name, POKES))
    if not POKES[name].makes_sense(home):
        now = ", ".join(each.name for each in offered(home))
        raise TelosError(f"{name!r} would change nothing now", f"try one of {now}")
    return POKES[name]


def poke(home: Home, name: str) -> None:
    """Do it, between two minutes; the next minute tells of it."""
    asked = check(home, name)
    home.tell(Event(name, {"words": asked.words}, player=ONLOOKER, time=home.time))
    asked.carry_out(home)


def _lock(home: Home) -> None:
    """Lock the bathroom from outside: who is in there may finish and come out, who is on the way there turns back.

    Who cannot hold out until it is open again has an accident, which is no fun for anybody.
    """
    home.locked |= {BATHROOM}
    for body in home.bodies.values():
        is_outside = home.plan.room(body.cell) != BATHROOM
        if is_outside and body.errand is not None and home.plan.room(body.errand.place) == BATHROOM:
            home.break_off(body)


def _unlock(home: Home) -> None:
    home.locked -= {BATHROOM}


def _drop_fridge(home: Home) -> None:
    """Put a second, full fridge into the living room, where nobody stands or is about to walk."""
    ways = [cell for body in home.bodies.values() if body.errand for cell in (*body.errand.way, body.errand.place)]
    cell = home.premises.room_for_a_thing(LIVING_ROOM, {*ways, *(body.cell for body in home.bodies.values())})
    home.refurnish(home.premises.with_thing(second_fridge(), cell))


def _cut_power(home: Home) -> None:
    home.has_power = False
    for body in home.bodies.values():
        if body.errand is not None and body.errand.deed.action.on in POWERED:
            home.break_off(body)


def _restore_power(home: Home) -> None:
    home.has_power = True


def _sound_alarm(home: Home) -> None:
    """Get everybody out of bed, shower and chair, and into the hall."""
    for body in home.bodies.values():
        home.break_off(body)
    for body in home.bodies.values():
        _gather(home, body)


def _gather(home: Home, body: Body) -> None:
    plan, middle = home.plan, home.plan.width // 2
    spots = [cell for cell in plan.floor - plan.doors if plan.room(cell) == HALL and cell[1] % _APART == 0]
    free = [cell for cell in spots if home.places.is_free(cell, body.name)]
    place = min(free, key=lambda cell: (abs(cell[1] - middle), cell))
    way = plan.way(body.cell, place)
    home.begin(body, Errand(GATHER, place, way, math.ceil(len(way) / PACE)))


POKES = {
    each.name: each
    for each in (
        Poke(
            "lock-bathroom",
            "Lock the bathroom",
            "the bathroom is locked",
            lambda home: BATHROOM not in home.locked,
            _lock,
        ),
        Poke(
            "unlock-bathroom",
            "Unlock the bathroom",
            "the bathroom is open again",
            lambda home: BATHROOM in home.locked,
            _unlock,
        ),
        Poke(
            "drop-fridge",
            "Drop a second fridge",
            "a second fridge stands in the living room",
            lambda home: SECOND_FRIDGE not in home.things,
            _drop_fridge,
        ),
        Poke("take-food", "Take the food away", "all the food is gone", lambda home: home.food > 0, Home.take_food),
        Poke("deliver-food", "Ring the grocer", "the grocer is rung for", lambda home: True, Home.deliver),
        Poke("cut-power", "Cut the power", "the power is out", lambda home: home.has_power, _cut_power),
        Poke(
            "restore-power", "Restore the power", "the power is back", lambda home: not home.has_power, _restore_power
        ),
        Poke("sound-alarm", "Sound the fire alarm", "the fire alarm rings", lambda home: True, _sound_alarm),
    )
}
