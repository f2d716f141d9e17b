"""What is visible of the village at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VillagerView:
    """One person: position and direction, what they carry, their action and its progress."""

    name: str
    x: float
    y: float
    place: str
    heading: str
    hands: str
    pocket: str
    doing: str  # an action, a post, walking or nothing
    share: float


@dataclass(frozen=True, slots=True)
class ForgeView:
    """The village: its people and the state of its things."""

    time: float
    players: tuple[str, ...]
    people: tuple[VillagerView, ...]
    fire: str
    wood: float
    bellows: bool
    tool: str
    owed: int
    opened: str

    @property
    def clock(self) -> str:
        return clock_of(self.time)

    def person(self, name: str) -> VillagerView:
        return next(each for each in self.people if each.name == name)


def clock_of(time: float) -> str:
    """Return a time as minutes and seconds.

    >>> clock_of(75.5)
    '01:15'
    """
    return f"{int(time) // 60:02d}:{int(time) % 60:02d}"
