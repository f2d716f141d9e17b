"""The world ``home``: people's bodies, things, rooms and a clock. Commands move people; the world decides nothing.

``Home`` is the world. ``POKES`` lists the interventions that an onlooker may make. Minds are in ``household``.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.goal import Goal
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
    HomeActivity,
    create_second_fridge,
)
from telos.worlds.home.views import MINUTES_A_DAY, HomeView, PersonView

MOTIVE_NAMES = tuple(motive.name for motive in MOTIVES)
_COMPANY, _BLADDER, _HYGIENE = (MOTIVE_NAMES.index(name) for name in ("company", "bladder", "hygiene"))
BURSTING = 10.0
MESS = 4.0  # added to hygiene by an accident
MOOD_TO_TALK = 1.0  # below this level of `company` a person is not available for a conversation
_OWN = len(house.PERSON)  # the first slots of a state are the person's own; the others are shared
_FOOD = "fridge.food"  # suffix of the variables that count portions
ONLOOKER = "onlooker"  # the player of events that report an intervention
BATHROOM, HALL, LIVING_ROOM = "bathroom", "hall", "living room"
_APART = 3  # columns between two people who wait in the hall


# --- bodies ---


@dataclass(slots=True)
class ActionInProgress:
    """An action under way: first the walk to its place, then the action itself."""

    activity: HomeActivity
    place: Cell
    path: tuple[Cell, ...]
    walk: int  # minutes of walking left; the partner of a conversation waits as long
    partner: str | None = None
    left: int = 0
    pushes: tuple[float, ...] = ()  # change of each motive per minute; 0: it drifts

    def __post_init__(self) -> None:
        action = self.activity.action
        self.left = int(action.duration)
        self.pushes = tuple(action.changes.get(name, 0.0) / self.left for name in MOTIVE_NAMES)


@dataclass(slots=True)
class HomeBody:
    """The state of one person, without a mind: commands say what to do."""

    name: str
    cell: Cell
    levels: list[float]
    by_day: tuple[float, ...]
    by_night: tuple[float, ...]
    own: list[Value] = field(default_factory=list)  # values of the PERSON variables
    current: ActionInProgress | None = None
    pace: Mapping[str, float] = FrozenMap()  # how fast each motive grows in this person, 1 on average

    @classmethod
    def create(cls, name: str, cell: Cell, rng: Random) -> "HomeBody":
        """Create a body with random starting levels and random drift rates."""
        pace = {motive.name: rng.uniform(0.9, 1.1) for motive in MOTIVES}
        levels = [rng.uniform(*STARTS_BETWEEN[motive.name]) for motive in MOTIVES]
        body = cls(name, cell, levels, (), (), [name, *(variable.start for variable in PERSON[1:])], pace=pace)
        body.set_drift(MOTIVES, NIGHTLY)
        return body

    def set_drift(self, motives: Sequence[Goal], nightly: Mapping[str, float]) -> None:
        """Let motives grow at other rates from now on; ``nightly`` are those per hour by night that differ."""
        self.by_day = tuple(motive.drift * self.pace[motive.name] for motive in motives)
        by_hour = {motive: hourly / 60 * self.pace[motive] for motive, hourly in nightly.items()}
        self.by_night = tuple(by_hour.get(each, rate) for each, rate in zip(MOTIVE_NAMES, self.by_day, strict=True))

    def advance(self, *, night: bool) -> None:
        """Advance by a minute: walk or act, and let motives drift.

        A motive that the action changes moves by its share of that change and nothing else; the others drift. Minds
        predict by the same rule.
        """
        drift = self.by_night if night else self.by_day
        current = self.current
        if current is None or current.walk:
            self.levels = [max(0.0, level + rate) for level, rate in zip(self.levels, drift, strict=True)]
        else:
            self.levels = [
                max(0.0, level + (push or rate))
                for level, push, rate in zip(self.levels, current.pushes, drift, strict=True)
            ]
        if current is not None:
            self._move_on(current)

    def _move_on(self, current: ActionInProgress) -> None:
        if not current.walk:
            current.left -= 1
            return
        current.walk -= 1
        if current.path:
            self.cell = current.path[min(PACE, len(current.path)) - 1]
            current.path = current.path[PACE:]

    def check_accident(self) -> bool:
        """Cause an accident if the bladder is full; return whether there was one."""
        if self.levels[_BLADDER] < BURSTING:
            return False
        self.levels[_BLADDER] = 0.0
        self.levels[_HYGIENE] += MESS
        return True

    @property
    def is_free(self) -> bool:
        """Whether another person may start a conversation: in the mood, awake, and not in an uninterruptible action."""
        current = self.current
        if self.levels[_COMPANY] < MOOD_TO_TALK:
            return False
        if current is None:
            return True
        return not current.walk and current.activity.interruptible and current.activity.kind in ("fun", "idle")

    @property
    def levels_by_name(self) -> FrozenMap[str, float]:
        return FrozenMap(dict(zip(MOTIVE_NAMES, self.levels, strict=True)))


def to_person_view(body: HomeBody, room: str, *, night: bool) -> PersonView:
    """Return the view of one person; motives drift at their own rates by night."""
    drift = body.by_night if night else body.by_day
    rates = FrozenMap(dict(zip(MOTIVE_NAMES, drift, strict=True)))
    here = (body.name, body.cell, room, body.levels_by_name, rates, body.own[1])
    if (current := body.current) is None:
        return PersonView(*here)
    activity = current.activity
    return PersonView(
        *here,
        doing=activity.action.name,
        words=activity.words,
        kind=activity.kind,
        walking=current.walk > 0,
        left=current.left,
        interruptible=activity.interruptible,
    )


# --- the world ---


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that a person could start now, the place for it, and the walk there in minutes."""

    action: Action
    place: Cell
    travel: int


class Home:
    """A house for one to six people. One step is one minute.

    A command names an action that is available to a person (``offers``). The person walks to its place by a shortest
    path and carries it out; a place that somebody uses, or is on the way to, is not offered to others. If two people
    want the same place in the same minute, the one named first in ``view().players`` gets it and the other waits for a
    new command.

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
        self._default_premises = Premises.create(names)
        self.reset(seed)

    def _use_premises(self, premises: Premises) -> None:
        self.premises, self.plan, self.things, self.domain = premises, premises.plan, premises.things, premises.domain
        self.places, self._activities = premises.places, premises.activities

    def refurnish(self, premises: Premises) -> None:
        """Continue in a house with one more thing; the state of the others and all reservations stay."""
        known, holders = self.view().things, self.places
        self._use_premises(premises)
        self.places.copy_holders(holders)
        self._shared: list[Value] = [known.get(each.name, each.start) for each in self.domain.layout.variables[_OWN:]]
        for variable in self.domain.layout.variables[_OWN:]:
            if variable.name not in known and variable.name.endswith(_FOOD):
                self._shared[self._slot(variable.name)] = self._fridge_capacity

    def reset(self, seed: int) -> None:
        """Return to seven in the morning of day 1, everybody beside their bed."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random takes -7 for 7
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        rng = Random(seed)
        self.time = house.STARTS_AT
        self.locked: frozenset[str] = frozenset()  # rooms
        self.has_power = True
        self._events: list[Event] = []
        self._news: list[Event] = []  # events since the last step, published at the end of the next
        self._use_premises(self._default_premises)
        self.places.clear()
        self.bodies: dict[str, HomeBody] = {}
        for name in self._names:
            bedside = self.plan.floor_beside(self.places.of[f"{name}s_bed"])[0]
            self.bodies[name] = HomeBody.create(name, bedside, rng)
        self._shared = [variable.start for variable in self.domain.layout.variables[_OWN:]]
        self._fill_fridges()

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last minute, oldest first."""
        return tuple(self._events)

    @property
    def is_night(self) -> bool:
        """Whether the need for sleep grows at its nightly rate."""
        return not house.MORNING <= self.time % MINUTES_A_DAY < house.EVENING

    def view(self) -> HomeView:
        """Return the visible state."""
        self._update_free_flags()
        shared = self.domain.layout.variables[_OWN:]
        things = {variable.name: value for variable, value in zip(shared, self._shared, strict=True)}
        night = self.is_night
        people = tuple(to_person_view(body, self.plan.room_at(body.cell), night=night) for body in self.bodies.values())
        return HomeView(self.time, people, FrozenMap(things), self.locked, self.has_power)

    def activity(self, action: str) -> house.HomeActivity:
        """Return the house's entry for an action."""
        if action == GATHER.action.name:
            return GATHER
        if action not in self._activities:
            raise TelosError(f"nothing in the house offers {action!r}", name_hint(action, self._activities))
        return self._activities[action]

    def offers(self, person: str) -> tuple[Offer, ...]:
        """Return all that ``person`` could start now: actions that the things post and for which a place is free."""
        body = self._body(person)
        state = self._state(body)
        found = []
        for name, posted in (
            (None, (house.POTTER.action,)),
            *((name, thing.posted.posts(state)) for name, thing in self.things.items()),
        ):
            spot = self._find_place(body, name) if posted else None
            if spot is not None:
                found += [Offer(action, *spot) for action in posted]
        return tuple(found)

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out ``commands`` (person to action name) and advance by a minute."""
        self.check(commands)
        drawn_in: set[str] = set()  # people who joined a conversation in this minute
        for person in self._names:
            if person in commands and person not in drawn_in:
                partner = self._start(self.bodies[person], self._activities[commands[person]])
                drawn_in |= {partner} if partner else set()
        night = self.is_night
        for body in self.bodies.values():
            body.advance(night=night)
        self.time += 1
        if self.time % MINUTES_A_DAY == house.DELIVERY_AT:
            self._fill_fridges()
            self.emit(self._delivery())
        for body in self.bodies.values():
            self._update_progress(body)
            if self.locked and body.check_accident():
                self.emit(Event("accident", {"room": self.plan.room_at(body.cell)}, player=body.name, time=self.time))
        self._events, self._news = self._news, []

    def check(self, commands: Mapping[str, str]) -> None:
        """Raise a ``TelosError`` for commands that are not possible now; changes nothing."""
        for person, command in commands.items():
            self._check(self._body(person), command)

    def emit(self, event: Event) -> None:
        """Publish an event with those of the current or the next minute."""
        self._news.append(event)

    def deliver(self) -> None:
        """Refill all fridges now."""
        self._fill_fridges()
        self.emit(self._delivery())

    def take_food(self) -> None:
        """Empty all fridges; food in hands or in the oven stays."""
        self._set_food(0)

    @property
    def food(self) -> int:
        """The number of portions in all fridges."""
        return sum(int(self._shared[self._slot(name)]) for name in self._fridges)

    def _delivery(self) -> Event:
        return Event("delivery", {"food": self.food}, player="grocer", time=self.time)

    def _check(self, body: HomeBody, command: str) -> None:
        if command not in self._activities:
            raise TelosError(f"nothing in the house offers {command!r}", name_hint(command, self._activities))
        activity = self._activities[command]
        if body.current is not None and not body.current.activity.interruptible:
            busy = body.current.activity.action.name
            raise TelosError(f"{body.name} cannot {command!r} now: {busy!r} cannot be interrupted")
        unmet = activity.action.preconditions.unmet(self._state(body))
        if unmet:
            raise TelosError(f"{body.name} cannot {command!r} now: it needs {' and '.join(map(str, unmet))}")
        if self._find_place(body, activity.action.on) is None:
            raise TelosError(f"{body.name} cannot {command!r} now: {self._obstacle(activity.action.on)}")

    def _obstacle(self, thing: str | None) -> str:
        """Return why a thing cannot be used although its preconditions hold."""
        if thing in POWERED and not self.has_power:
            return "the power is out"
        at = [self.bodies[thing].cell] if thing in self.bodies else self.places.of.get(thing or "", ())
        shut = next((room for room in map(self.plan.room_at, at) if room in self.locked), None)
        return "somebody else is there" if shut is None else f"the {shut} is locked"

    def _start(self, body: HomeBody, activity: house.HomeActivity) -> str | None:
        """Start an action unless its place was taken in this minute; return the partner of a conversation, if any."""
        spot = self._find_place(body, activity.action.on) if activity.action.is_possible(self._state(body)) else None
        if spot is None:
            return None
        place, travel = spot
        partner = activity.action.on if activity.action.on in self.bodies else None
        self.interrupt(body)
        self.start_action(
            body, ActionInProgress(activity, place, self.plan.find_path(body.cell, place), travel, partner)
        )
        if partner is not None:
            other = self.bodies[partner]
            self.interrupt(other)
            answer = self._activities[f"{body.name}.{activity.action.name.removeprefix(f'{partner}.')}"]
            self.start_action(other, ActionInProgress(answer, other.cell, (), travel, body.name))
        return partner

    def start_action(self, body: HomeBody, current: ActionInProgress) -> None:
        """Start an action that was checked."""
        body.current = current
        self.places.hold(current.place, body.name)
        self._emit_progress("sets out" if current.walk else "begins", body)

    def interrupt(self, body: HomeBody) -> None:
        """Interrupt what ``body`` is doing; a conversation ends for both."""
        if (current := body.current) is None:
            return
        self._emit_progress("stops", body)
        body.current = None
        self.places.release(body.name)
        if current.partner is not None:
            self.interrupt(self.bodies[current.partner])

    def _update_progress(self, body: HomeBody) -> None:
        current = body.current
        if current is None or current.walk:
            return
        if current.left == current.activity.action.duration:  # not a minute of it yet: the walk has just ended
            self._emit_progress("begins", body)
        elif current.left == 0:
            self._apply(body, current.activity.action)
            self._emit_progress("finishes", body)
            body.current = None
            self.places.release(body.name)

    def _apply(self, body: HomeBody, action: Action) -> None:
        after = action.result(self._state(body)).array
        body.own, self._shared = list(after[:_OWN]), list(after[_OWN:])

    def _emit_progress(self, stage: str, body: HomeBody) -> None:
        assert body.current is not None
        context = {
            "stage": stage,
            "room": self.plan.room_at(body.cell),
            "carrying": body.own[1],
            **body.levels_by_name,
        }
        self.emit(Event(body.current.activity.action.name, context, player=body.name, time=self.time))

    def _find_place(self, body: HomeBody, thing: str | None) -> tuple[Cell, int] | None:
        """Return the nearest free place for using ``thing`` (None: out of the way) and the walk there in minutes."""
        if thing is None:
            return self._nearest(body, self.places.waiting_cells(body.cell, body.name))
        if thing in self.bodies:
            other = self.bodies[thing]
            if not self.places.is_free(other.cell, thing):
                return None  # the partner stands on a cell that is reserved for a third person
            return self._nearest(body, self.plan.floor_beside([other.cell]))
        if thing in POWERED and not self.has_power:
            return None
        if self.locked:  # things in a locked room are unusable, for people inside it too
            open_places = [place for place in self.places.of[thing] if self.plan.room_at(place) not in self.locked]
            return self._nearest(body, open_places)
        return self._nearest(body, self.places.of[thing])

    def _nearest(self, body: HomeBody, places: Iterable[Cell]) -> tuple[Cell, int] | None:
        if self.locked:  # locked rooms can be left but not entered
            within = self.plan.room_at(body.cell)
            places = [place for place in places if self.plan.room_at(place) not in self.locked - {within}]
        return self.places.nearest(body.name, body.cell, places)

    def _state(self, body: HomeBody) -> State:
        self._update_free_flags()
        return State(self.domain.layout, (*body.own, *self._shared))

    def _update_free_flags(self) -> None:
        for body in self.bodies.values():
            self._shared[self._slot(f"{body.name}.free")] = body.is_free

    def _slot(self, variable: str) -> int:
        return self.domain.layout.slots[variable] - _OWN

    @property
    def _fridge_capacity(self) -> int:
        """The capacity of a fridge."""
        return house.FOOD_EACH * len(self._names)

    @property
    def _fridges(self) -> list[str]:
        return [each.name for each in self.domain.layout.variables[_OWN:] if each.name.endswith(_FOOD)]

    def _fill_fridges(self) -> None:
        self._set_food(self._fridge_capacity)

    def _set_food(self, portions: int) -> None:
        for name in self._fridges:
            self._shared[self._slot(name)] = portions

    def _body(self, person: str) -> HomeBody:
        if person not in self.bodies:
            raise TelosError(f"there is no person {person!r}", name_hint(person, self.bodies))
        return self.bodies[person]


# --- interventions ---


@dataclass(frozen=True, slots=True)
class HomePoke:
    """An intervention: its name, button title, the text reported, when it is available, and what it does."""

    name: str
    title: str
    words: str
    is_available: Callable[[Home], bool]
    apply: Callable[[Home], None]


def available_pokes(home: Home) -> tuple[HomePoke, ...]:
    """Return the interventions that would change something now.

    >>> home = Home(people=1)
    >>> apply_poke(home, "lock-bathroom")
    >>> [each.name for each in available_pokes(home)][:2]
    ['unlock-bathroom', 'drop-fridge']
    """
    return tuple(each for each in POKES.values() if each.is_available(home))


def find_poke(home: Home, name: str) -> HomePoke:
    """Return the intervention of that name; raise a ``TelosError`` if it is unknown or changes nothing now."""
    if name not in POKES:
        raise TelosError(f"there is no poke {name!r}", name_hint(name, POKES))
    if not POKES[name].is_available(home):
        now = ", ".join(each.name for each in available_pokes(home))
        raise TelosError(f"{name!r} would change nothing now", f"try one of {now}")
    return POKES[name]


def apply_poke(home: Home, name: str) -> None:
    """Apply an intervention between two minutes; the next minute reports it."""
    asked = find_poke(home, name)
    home.emit(Event(name, {"words": asked.words}, player=ONLOOKER, time=home.time))
    asked.apply(home)


def _lock(home: Home) -> None:
    """Lock the bathroom from outside: people inside may finish and leave, people on the way there turn back.

    A person whose bladder fills meanwhile has an accident.
    """
    home.locked |= {BATHROOM}
    for body in home.bodies.values():
        is_outside = home.plan.room_at(body.cell) != BATHROOM
        if is_outside and body.current is not None and home.plan.room_at(body.current.place) == BATHROOM:
            home.interrupt(body)


def _unlock(home: Home) -> None:
    home.locked -= {BATHROOM}


def _drop_fridge(home: Home) -> None:
    """Put a full second fridge into the living room, off everybody's present path."""
    ways = [cell for body in home.bodies.values() if body.current for cell in (*body.current.path, body.current.place)]
    cell = home.premises.find_space(LIVING_ROOM, {*ways, *(body.cell for body in home.bodies.values())})
    home.refurnish(home.premises.with_thing(create_second_fridge(), cell))


def _cut_power(home: Home) -> None:
    home.has_power = False
    for body in home.bodies.values():
        if body.current is not None and body.current.activity.action.on in POWERED:
            home.interrupt(body)


def _restore_power(home: Home) -> None:
    home.has_power = True


def _sound_alarm(home: Home) -> None:
    """Interrupt everybody and send them to the hall."""
    for body in home.bodies.values():
        home.interrupt(body)
    for body in home.bodies.values():
        _gather(home, body)


def _gather(home: Home, body: HomeBody) -> None:
    plan, middle = home.plan, home.plan.width // 2
    spots = [cell for cell in plan.floor - plan.doors if plan.room_at(cell) == HALL and cell[1] % _APART == 0]
    free = [cell for cell in spots if home.places.is_free(cell, body.name)]
    place = min(free, key=lambda cell: (abs(cell[1] - middle), cell))
    way = plan.find_path(body.cell, place)
    home.start_action(body, ActionInProgress(GATHER, place, way, math.ceil(len(way) / PACE)))


POKES = {
    each.name: each
    for each in (
        HomePoke(
            "lock-bathroom",
            "Lock the bathroom",
            "the bathroom is locked",
            lambda home: BATHROOM not in home.locked,
            _lock,
        ),
        HomePoke(
            "unlock-bathroom",
            "Unlock the bathroom",
            "the bathroom is open again",
            lambda home: BATHROOM in home.locked,
            _unlock,
        ),
        HomePoke(
            "drop-fridge",
            "Drop a second fridge",
            "a second fridge stands in the living room",
            lambda home: SECOND_FRIDGE not in home.things,
            _drop_fridge,
        ),
        HomePoke("take-food", "Take the food away", "all the food is gone", lambda home: home.food > 0, Home.take_food),
        HomePoke("deliver-food", "Ring the grocer", "the grocer is rung for", lambda home: True, Home.deliver),
        HomePoke("cut-power", "Cut the power", "the power is out", lambda home: home.has_power, _cut_power),
        HomePoke(
            "restore-power", "Restore the power", "the power is back", lambda home: not home.has_power, _restore_power
        ),
        HomePoke("sound-alarm", "Sound the fire alarm", "the fire alarm rings", lambda home: True, _sound_alarm),
    )
}
