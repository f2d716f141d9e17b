"""The trace of a household: what was decided and why, what came of it, and how everybody was meanwhile."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of a run: all that is needed to repeat it."""

    time: int
    day: int
    clock: str
    world: str
    seed: int
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chose:
    """Somebody made up their mind. ``value`` is the discontentment that they expect to be left with."""

    time: int
    day: int
    clock: str
    person: str
    action: str
    activity: str
    words: str
    value: float
    why: str
    runner_up: str | None
    travel: int
    instead_of: str | None = None  # what they break off for it
    because: str | None = None  # why they break it off


@dataclass(frozen=True, slots=True)
class Deed:
    """An action of somebody's at a moment: where, and how they were."""

    time: int
    day: int
    clock: str
    person: str
    action: str
    activity: str
    words: str
    room: str
    levels: FrozenMap[str, float]


class Began(Deed):
    """Somebody is at the place, and starts."""

    __slots__ = ()


class Finished(Deed):
    """An action is done, and has had its effects."""

    __slots__ = ()


class Interrupted(Deed):
    """An action was left before it was done: it has no effects, though motives have moved as far as it got."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Levels:
    """How somebody is, once an hour."""

    time: int
    day: int
    clock: str
    person: str
    room: str
    doing: str | None
    levels: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Delivered:
    """The fridge is full again."""

    time: int
    day: int
    clock: str
    food: int


@dataclass(frozen=True, slots=True)
class Accident:
    """Somebody could not get into a locked bathroom in time."""

    time: int
    day: int
    clock: str
    person: str
    room: str


@dataclass(frozen=True, slots=True)
class Poked:
    """An onlooker did something to the house."""

    time: int
    day: int
    clock: str
    poke: str
    words: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last record of a run."""

    time: int
    day: int
    clock: str
    minutes: int
