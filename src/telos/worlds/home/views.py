"""What is visible of the house at one moment, and its clock."""

from dataclasses import dataclass

from telos.core.values import FrozenMap, Value
from telos.worlds.home.floor import Cell

MINUTES_A_DAY = 24 * 60


def day_of(time: float) -> int:
    return int(time) // MINUTES_A_DAY + 1


def clock_of(time: float) -> str:
    """Return the time of day as ``07:35``.

    >>> day_of(1500), clock_of(1500)
    (2, '01:00')
    """
    hours, minutes = divmod(int(time) % MINUTES_A_DAY, 60)
    return f"{hours:02d}:{minutes:02d}"


@dataclass(frozen=True, slots=True)
class PersonView:
    """One person: position, motives and current action."""

    name: str
    cell: Cell
    room: str
    levels: FrozenMap[str, float]
    drift: FrozenMap[str, float]  # per minute, at this time of day
    carrying: str
    doing: str | None = None  # the name of the action; None: waits for a command
    words: str = "is idle"
    kind: str = "idle"
    walking: bool = False
    left: int = 0  # minutes until the action is done, the walk excluded
    interruptible: bool = True


@dataclass(frozen=True, slots=True)
class HomeView:
    """The whole house; ``time`` is in minutes since the midnight before day 1."""

    time: int
    people: tuple[PersonView, ...]
    things: FrozenMap[str, Value]
    locked: frozenset[str] = frozenset()  # rooms
    has_power: bool = True

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(person.name for person in self.people)

    @property
    def day(self) -> int:
        return day_of(self.time)

    @property
    def clock(self) -> str:
        return clock_of(self.time)

    def person(self, name: str) -> PersonView:
        return next(person for person in self.people if person.name == name)
