"""Records and text log."""

from dataclasses import dataclass

from telos.core.values import FrozenMap
from telos.worlds.home.house import GATHER

# --- records ----------------------------------------------------------------------------------------------------------
# The trace of a household: what was decided and why, what came of it, and how everybody was meanwhile.


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


# --- log --------------------------------------------------------------------------------------------------------------
# The trace of a household in words: one line for each thing worth telling.


class HomeLog:
    """Turns records into lines. It remembers what each person is up to, so as not to say it twice.

    >>> log = HomeLog()
    >>> log.line(Delivered(1800, 2, "06:00", food=18))
    'day 2 06:00  the grocer fills the fridge (18 portions)'
    """

    def __init__(self) -> None:
        self.why: dict[str, str] = {}  # the last reason of each person
        self._last: dict[str, str] = {}

    def line(self, record: object) -> str | None:
        """Return the line for ``record``, or None if it brings nothing new."""
        match record:
            case Delivered():
                return f"day {record.day} {record.clock}  the grocer fills the fridge ({record.food} portions)"
            case Accident():
                return f"day {record.day} {record.clock}  {record.person:<5} could not hold it any longer"
            case Poked():
                return f"day {record.day} {record.clock}  {record.words}"
            case Chose():
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
    """Say why somebody does what they have not chosen themselves: it is a conversation, an alarm, or a command.

    >>> why_unchosen("Ben.chat"), why_unchosen("gather")
    ('Ben came to talk', 'the alarm rings')
    """
    thing, _, deed = action.partition(".")
    if thing == GATHER.action.name:
        return "the alarm rings"
    return f"{thing} came to talk" if deed == "chat" else "told to"
