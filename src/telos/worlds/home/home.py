"""Home: bodies, clock, pokes."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.state import State
from telos.core.values import FrozenMap, Value
from telos.worlds.home import house
from telos.worlds.home.floor import Cell, Premises
from telos.worlds.home.house import (
    GATHER,
    MOTIVES,
    NIGHTLY,
    PACE,
    PERSON,
    POWERED,
    SECOND_FRIDGE,
    STARTS_BETWEEN,
    Deed,
    second_fridge,
)
from telos.worlds.home.views import MINUTES_A_DAY, HomeView, PersonView

# --- body -------------------------------------------------------------------------------------------------------------
# A person's body: where it is, how its motives stand, and the errand that it is on.


NAMES_OF_MOTIVES = tuple(motive.name for motive in MOTIVES)
_COMPANY, _BLADDER, _HYGIENE = (NAMES_OF_MOTIVES.index(name) for name in ("company", "bladder", "hygiene"))
BURSTING = 10.0
MESS = 4.0  # what an accident does to hygiene
MOOD_TO_TALK = 1.0  # who has had company enough is not drawn into more of it


@dataclass(slots=True)
class Errand:
    """An action under way: first the walk to its place, then the doing."""

    deed: Deed
    place: Cell
    way: tuple[Cell, ...]
    walk: int  # minutes still to go; whoever is being walked to waits as long
    partner: str | None = None
    left: int = 0
    pushes: tuple[float, ...] = ()  # what the action adds to each motive every minute; 0 leaves it to drift

    def __post_init__(self) -> None:
        action = self.deed.action
        self.left = int(action.duration)
        self.pushes = tuple(action.changes.get(name, 0.0) / self.left for name in NAMES_OF_MOTIVES)


@dataclass(slots=True)
class Body:
    """A person as the world moves them. No wishes here: what to do is told from outside."""

    name: str
    cell: Cell
    levels: list[float]
    by_day: tuple[float, ...]
    by_night: tuple[float, ...]
    own: list[Value] = field(default_factory=list)  # values of the PERSON variables
    errand: Errand | None = None

    @classmethod
    def born(cls, name: str, cell: Cell, rng: Random) -> "Body":
        """Make somebody with levels and a pace of life of their own."""
        pace = {motive.name: rng.uniform(0.9, 1.1) for motive in MOTIVES}
        levels = [rng.uniform(*STARTS_BETWEEN[motive.name]) for motive in MOTIVES]
        by_day = tuple(motive.drift * pace[motive.name] for motive in MOTIVES)
        nightly = {motive: hourly / 60 * pace[motive] for motive, hourly in NIGHTLY.items()}
        by_night = tuple(nightly.get(each, rate) for each, rate in zip(NAMES_OF_MOTIVES, by_day, strict=True))
        return cls(name, cell, levels, by_day, by_night, [name, *(variable.start for variable in PERSON[1:])])

    def minute(self, *, night: bool) -> None:
        """Live for a minute: walk or do, and drift.

        A motive that the action changes moves by its share of that change and nothing else; the others drift. That is
        the rule by which minds predict.
        """
        drift = self.by_night if night else self.by_day
        errand = self.errand
        if errand is None or errand.walk:
            self.levels = [max(0.0, level + rate) for level, rate in zip(self.levels, drift, strict=True)]
        else:
            self.levels = [
                max(0.0, level + (push or rate))
                for level, push, rate in zip(self.levels, errand.pushes, drift, strict=True)
            ]
        if errand is not None:
            self._move_on(errand)

    def _move_on(self, errand: Errand) -> None:
        if not errand.walk:
            errand.left -= 1
            return
        errand.walk -= 1
        if errand.way:
            self.cell = errand.way[min(PACE, len(errand.way)) - 1]
            errand.way = errand.way[PACE:]

    def cannot_hold_it(self) -> bool:
        """Have an accident if there is no holding out any longer; return whether there was one."""
        if self.levels[_BLADDER] < BURSTING:
            return False
        self.levels[_BLADDER] = 0.0
        self.levels[_HYGIENE] += MESS
        return True

    @property
    def is_free(self) -> bool:
        """Whether somebody may come and talk: in the mood, awake, and not busy with what should be finished."""
        errand = self.errand
        if self.levels[_COMPANY] < MOOD_TO_TALK:
            return False
        if errand is None:
            return True
        return not errand.walk and errand.deed.interruptible and errand.deed.kind in ("fun", "idle")

    @property
    def felt(self) -> FrozenMap[str, float]:
        """Return the motives by name."""
        return FrozenMap(dict(zip(NAMES_OF_MOTIVES, self.levels, strict=True)))


# --- looking ----------------------------------------------------------------------------------------------------------
# Looking at somebody: what of a body, and of what it is at, can be seen.


def seen(body: Body, room: str, *, night: bool) -> PersonView:
    """Return somebody in a room; motives drift otherwise by night."""
    drift = body.by_night if night else body.by_day
    rates = FrozenMap(dict(zip(NAMES_OF_MOTIVES, drift, strict=True)))
    here = (body.name, body.cell, room, body.felt, rates, body.own[1])
    if (errand := body.errand) is None:
        return PersonView(*here)
    deed = errand.deed
    return PersonView(
        *here,
        doing=deed.action.name,
        words=deed.words,
        kind=deed.kind,
        walking=errand.walk > 0,
        left=errand.left,
        interruptible=deed.interruptible,
    )


# --- home -------------------------------------------------------------------------------------------------------------
# The world ``home``: bodies, things, rooms and a clock. It moves people about and never decides for them.


_OWN = len(house.PERSON)  # the first slots of a state are the person's own, the others are shared
_FOOD = "fridge.food"  # how the variables end that say what is left to eat


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that a person could start now, where it would be done, and how many minutes away that is."""

    action: Action
    place: Cell
    travel: int


class Home:
    """A house for one to six people. One step is one minute.

    A command names an action that is on offer to a person (``offers``). Whoever gets one walks to the place of the
    action by a shortest way and carries it out; a place that somebody is using, or is on the way to, is not offered to
    others. If two want the same place in the same minute, the one named first in ``view().players`` gets it and the
    other waits for a new command.

    >>> home = Home(people=1)
    >>> home.reset(seed=7)
    >>> home.step({"Ada": "fridge.get-snack"})
    >>> home.view().clock, home.view().people[0].words
    ('07:01', 'has a snack at the fridge')
    """

    def __init__(self, people: int = 3, *, seed: int = 0) -> None:
        if isinstance(people, bool) or not isinstance(people, int) or not 1 <= people <= len(house.NAMES):
            raise TelosError(f"the house has beds for 1 to {len(house.NAMES)} people, not {people!r}")
        names = house.NAMES[:people]
        self._names = names
        self._furnished = Premises.furnished(names)
        self.reset(seed)

    def _move_into(self, premises: Premises) -> None:
        self.premises, self.plan, self.things, self.domain = premises, premises.plan, premises.things, premises.domain
        self.places, self._deeds = premises.places, premises.deeds

    def refurnish(self, premises: Premises) -> None:
        """Let everybody go on in a house that has one more thing in it: what goes on there, and what is held, stays."""
        known, holders = self.view().things, self.places
        self._move_into(premises)
        self.places.take_over(holders)
        self._shared: list[Value] = [known.get(each.name, each.start) for each in self.domain.layout.variables[_OWN:]]
        for variable in self.domain.layout.variables[_OWN:]:
            if variable.name not in known and variable.name.endswith(_FOOD):
                self._shared[self._slot(variable.name)] = self._larder

    def reset(self, seed: int) -> None:
        """Start afresh, at seven in the morning of day 1, everybody beside their bed."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random takes -7 for 7
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        rng = Random(seed)
        self.time = house.STARTS_AT
        self.locked: frozenset[str] = frozenset()  # rooms
        self.has_power = True
        self._events: list[Event] = []
        self._news: list[Event] = []  # what has happened since, for the end of the minute that is to come
        self._move_into(self._furnished)
        self.places.clear()
        self.bodies: dict[str, Body] = {}
        for name in self._names:
            bedside = self.plan.next_to(self.places.of[f"{name}s_bed"])[0]
            self.bodies[name] = Body.born(name, bedside, rng)
        self._shared = [variable.start for variable in self.domain.layout.variables[_OWN:]]
        self._stock_up()

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last minute, oldest first."""
        return tuple(self._events)

    @property
    def is_night(self) -> bool:
        """Whether bodies ask for sleep more strongly now."""
        return not house.MORNING <= self.time % MINUTES_A_DAY < house.EVENING

    def view(self) -> HomeView:
        """Return what can be seen now."""
        self._note_who_is_free()
        shared = self.domain.layout.variables[_OWN:]
        things = {variable.name: value for variable, value in zip(shared, self._shared, strict=True)}
        night = self.is_night
        people = tuple(seen(body, self.plan.room(body.cell), night=night) for body in self.bodies.values())
        return HomeView(self.time, people, FrozenMap(things), self.locked, self.has_power)

    def deed(self, action: str) -> house.Deed:
        """Return what the world knows about an action."""
        if action == GATHER.action.name:
            return GATHER
        if action not in self._deeds:
            raise TelosError(f"nothing in the house offers {action!r}", name_hint(action, self._deeds))
        return self._deeds[action]

    def offers(self, person: str) -> tuple[Offer, ...]:
        """Return everything that ``person`` could start now: what the things post, as far as a place is free."""
        body = self._body(person)
        state = self._state(body)
        found = []
        for name, posted in (
            (None, (house.POTTER.action,)),
            *((name, thing.posted.posts(state)) for name, thing in self.things.items()),
        ):
            spot = self._spot(body, name) if posted else None
            if spot is not None:
                found += [Offer(action, *spot) for action in posted]
        return tuple(found)

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out ``commands`` (a person's name to an action's) and let a minute pass."""
        self.check(commands)
        drawn_in: set[str] = set()  # into a conversation, this very minute
        for person in self._names:
            if person in commands and person not in drawn_in:
                partner = self._start(self.bodies[person], self._deeds[commands[person]])
                drawn_in |= {partner} if partner else set()
        night = self.is_night
        for body in self.bodies.values():
            body.minute(night=night)
        self.time += 1
        if self.time % MINUTES_A_DAY == house.DELIVERY_AT:
            self._stock_up()
            self.tell(self._delivery())
        for body in self.bodies.values():
            self._arrive_or_finish(body)
            if self.locked and body.cannot_hold_it():
                self.tell(Event("accident", {"room": self.plan.room(body.cell)}, player=body.name, time=self.time))
        self._events, self._news = self._news, []

    def check(self, commands: Mapping[str, str]) -> None:
        """Refuse commands that make no sense now; nothing happens either way."""
        for person, command in commands.items():
            self._check(self._body(person), command)

    def tell(self, event: Event) -> None:
        """Take note of something: it is among the events of the minute that it belongs to, or that comes next."""
        self._news.append(event)

    def deliver(self) -> None:
        """Let the grocer come now."""
        self._stock_up()
        self.tell(self._delivery())

    def take_food(self) -> None:
        """Leave nothing to eat in any fridge; what is in somebody's hands or in the oven stays there."""
        self._set_food(0)

    @property
    def food(self) -> int:
        """Return how many portions there are, in all fridges."""
        return sum(int(self._shared[self._slot(name)]) for name in self._fridges)

    def _delivery(self) -> Event:
        return Event("delivery", {"food": self.food}, player="grocer", time=self.time)

    def _check(self, body: Body, command: str) -> None:
        if command not in self._deeds:
            raise TelosError(f"nothing in the house offers {command!r}", name_hint(command, self._deeds))
        deed = self._deeds[command]
        if body.errand is not None and not body.errand.deed.interruptible:
            busy = body.errand.deed.action.name
            raise TelosError(f"{body.name} cannot {command!r} now: {busy!r} cannot be broken off")
        unmet = deed.action.preconditions.unmet(self._state(body))
        if unmet:
            raise TelosError(f"{body.name} cannot {command!r} now: it needs {' and '.join(map(str, unmet))}")
        if self._spot(body, deed.action.on) is None:
            raise TelosError(f"{body.name} cannot {command!r} now: {self._hindrance(deed.action.on)}")

    def _hindrance(self, thing: str | None) -> str:
        """Say what keeps people from a thing that would do what it is for."""
        if thing in POWERED and not self.has_power:
            return "the power is out"
        at = [self.bodies[thing].cell] if thing in self.bodies else self.places.of.get(thing or "", ())
        shut = next((room for room in map(self.plan.room, at) if room in self.locked), None)
        return "somebody else is there" if shut is None else f"the {shut} is locked"

    def _start(self, body: Body, deed: house.Deed) -> str | None:
        """Send ``body`` off, unless somebody was quicker this very minute; return whom they will talk to, if anyone."""
        spot = self._spot(body, deed.action.on) if deed.action.is_possible(self._state(body)) else None
        if spot is None:
            return None
        place, travel = spot
        partner = deed.action.on if deed.action.on in self.bodies else None
        self.break_off(body)
        self.begin(body, Errand(deed, place, self.plan.way(body.cell, place), travel, partner))
        if partner is not None:
            other = self.bodies[partner]
            self.break_off(other)
            answer = self._deeds[f"{body.name}.{deed.action.name.removeprefix(f'{partner}.')}"]
            self.begin(other, Errand(answer, other.cell, (), travel, body.name))
        return partner

    def begin(self, body: Body, errand: Errand) -> None:
        """Send ``body`` off on an errand."""
        body.errand = errand
        self.places.hold(errand.place, body.name)
        self._tell("sets out" if errand.walk else "begins", body)

    def break_off(self, body: Body) -> None:
        """End what ``body`` is doing before it is done; a conversation ends for both."""
        if (errand := body.errand) is None:
            return
        self._tell("stops", body)
        body.errand = None
        self.places.let_go(body.name)
        if errand.partner is not None:
            self.break_off(self.bodies[errand.partner])

    def _arrive_or_finish(self, body: Body) -> None:
        errand = body.errand
        if errand is None or errand.walk:
            return
        if errand.left == errand.deed.action.duration:  # no minute of doing yet, so the walk has just ended
            self._tell("begins", body)
        elif errand.left == 0:
            self._apply(body, errand.deed.action)
            self._tell("finishes", body)
            body.errand = None
            self.places.let_go(body.name)

    def _apply(self, body: Body, action: Action) -> None:
        after = action.result(self._state(body)).array
        body.own, self._shared = list(after[:_OWN]), list(after[_OWN:])

    def _tell(self, stage: str, body: Body) -> None:
        assert body.errand is not None
        context = {
            "stage": stage,
            "room": self.plan.room(body.cell),
            "carrying": body.own[1],
            **body.felt,
        }
        self.tell(Event(body.errand.deed.action.name, context, player=body.name, time=self.time))

    def _spot(self, body: Body, thing: str | None) -> tuple[Cell, int] | None:
        """Return the free place nearest to ``body`` for using ``thing`` (nothing: out of the way), and the walk."""
        if thing is None:
            return self._nearest(body, self.places.aside(body.cell, body.name))
        if thing in self.bodies:
            other = self.bodies[thing]
            if not self.places.is_free(other.cell, thing):
                return None  # they stand where a third person is about to be
            return self._nearest(body, self.plan.next_to([other.cell]))
        if thing in POWERED and not self.has_power:
            return None
        if self.locked:  # what stands in a locked room is for nobody, not even for who is still in there
            open_places = [place for place in self.places.of[thing] if self.plan.room(place) not in self.locked]
            return self._nearest(body, open_places)
        return self._nearest(body, self.places.of[thing])

    def _nearest(self, body: Body, places: Iterable[Cell]) -> tuple[Cell, int] | None:
        if self.locked:  # a locked door lets people out, and nobody in
            within = self.plan.room(body.cell)
            places = [place for place in places if self.plan.room(place) not in self.locked - {within}]
        return self.places.nearest(body.name, body.cell, places)

    def _state(self, body: Body) -> State:
        self._note_who_is_free()
        return State(self.domain.layout, (*body.own, *self._shared))

    def _note_who_is_free(self) -> None:
        for body in self.bodies.values():
            self._shared[self._slot(f"{body.name}.free")] = body.is_free

    def _slot(self, variable: str) -> int:
        return self.domain.layout.slots[variable] - _OWN

    @property
    def _larder(self) -> int:
        """Return what a full fridge holds."""
        return house.FOOD_EACH * len(self._names)

    @property
    def _fridges(self) -> list[str]:
        return [each.name for each in self.domain.layout.variables[_OWN:] if each.name.endswith(_FOOD)]

    def _stock_up(self) -> None:
        self._set_food(self._larder)

    def _set_food(self, portions: int) -> None:
        for name in self._fridges:
            self._shared[self._slot(name)] = portions

    def _body(self, person: str) -> Body:
        if person not in self.bodies:
            raise TelosError(f"nobody here is called {person!r}", name_hint(person, self.bodies))
        return self.bodies[person]


# --- pokes ------------------------------------------------------------------------------------------------------------
# Pokes: what an onlooker may do to the house. Nobody in it is told what to do about it, but for the alarm.


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
