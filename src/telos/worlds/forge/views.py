"""What can be seen of the village at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PersonView:
    """Somebody: where they are drawn and going, what they hold, and how far they are with what they do."""

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
    """The village: who is in it, and how things stand."""

    time: float
    players: tuple[str, ...]
    people: tuple[PersonView, ...]
    fire: str
    wood: float
    bellows: bool
    tool: str
    owed: int
    opened: str

    @property
    def clock(self) -> str:
        """Return minutes and seconds, as in ``02:35``."""
        return clock_of(self.time)

    def person(self, name: str) -> PersonView:
        """Return the one called so."""
        return next(each for each in self.people if each.name == name)


def clock_of(time: float) -> str:
    """Return a time in minutes and seconds.

    >>> clock_of(75.5)
    '01:15'
    """
    return f"{int(time) // 60:02d}:{int(time) % 60:02d}"
