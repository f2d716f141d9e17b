"""Trace records of a household, and the text log that describes them."""

from dataclasses import dataclass
from typing import ClassVar

from telos.core.values import FrozenMap
from telos.worlds.home.house import GATHER


@dataclass(frozen=True, slots=True)
class HomeStarted:
    """The first record of a run: what is needed to repeat it."""

    KIND: ClassVar[str] = "started"
    time: int
    day: int
    clock: str
    world: str
    seed: int
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HomeChoice:
    """A person decided; ``value`` is the discontentment they expect afterwards."""

    KIND: ClassVar[str] = "chose"
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
    instead_of: str | None = None  # the action that is interrupted for it
    because: str | None = None  # the reason for the interruption


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """Base of the records about an action: who, where, and their motives."""

    time: int
    day: int
    clock: str
    person: str
    action: str
    activity: str
    words: str
    room: str
    levels: FrozenMap[str, float]


class Began(ActionRecord):
    """A person arrived and starts the action."""

    __slots__ = ()


class Finished(ActionRecord):
    """An action is complete and its effects are applied."""

    __slots__ = ()


class Interrupted(ActionRecord):
    """An action ended early: no effects, although motives have moved for the minutes it lasted."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Levels:
    """The motives of one person, recorded every hour."""

    time: int
    day: int
    clock: str
    person: str
    room: str
    doing: str | None
    levels: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Delivered:
    """All fridges are full again."""

    time: int
    day: int
    clock: str
    food: int


@dataclass(frozen=True, slots=True)
class Accident:
    """A person could not reach the locked bathroom in time."""

    time: int
    day: int
    clock: str
    person: str
    room: str


@dataclass(frozen=True, slots=True)
class Poked:
    """An onlooker intervened."""

    time: int
    day: int
    clock: str
    poke: str
    words: str


@dataclass(frozen=True, slots=True)
class HomeEnded:
    KIND: ClassVar[str] = "ended"
    time: int
    day: int
    clock: str
    minutes: int


class HomeLog:
    """Describes records in lines of text; it remembers each person's action to avoid repetition.

    >>> log = HomeLog()
    >>> log.line(Delivered(1800, 2, "06:00", food=18))
    'day 2 06:00  the grocer fills the fridge (18 portions)'
    """

    def __init__(self) -> None:
        self.why: dict[str, str] = {}  # the latest reason of each person
        self._last: dict[str, str] = {}

    def line(self, record: object) -> str | None:
        """Return the line for ``record``, or None if it adds nothing."""
        match record:
            case Delivered():
                return f"day {record.day} {record.clock}  the grocer fills the fridge ({record.food} portions)"
            case Accident():
                return f"day {record.day} {record.clock}  {record.person:<5} could not hold it any longer"
            case Poked():
                return f"day {record.day} {record.clock}  {record.words}"
            case HomeChoice():
                self.why[record.person] = record.why
            case Began() if self._last.get(record.person) != record.action:
                self.why[record.person] = why_unchosen(record.action)
            case _:
                return None
        if self._last.get(record.person) == record.action and record.activity == "idle":
            return None
        self._last[record.person] = record.action
        return f"day {record.day} {record.clock}  {record.person:<5} {record.words} — {self.why[record.person]}"


def why_unchosen(action: str) -> str:
    """Return why a person does what they did not choose: a conversation, the alarm, or a command.

    >>> why_unchosen("Ben.chat"), why_unchosen("gather")
    ('Ben came to talk', 'the alarm rings')
    """
    thing, _, activity = action.partition(".")
    if thing == GATHER.action.name:
        return "the alarm rings"
    return f"{thing} came to talk" if activity == "chat" else "told to"
