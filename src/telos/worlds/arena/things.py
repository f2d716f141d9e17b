"""Things that bodies deal with: doors, what lies about, and grenades in the air."""

from dataclasses import dataclass

from telos.worlds.arena.grid import Cell, Point
from telos.worlds.arena.rules import FLIGHT, FUSE, TICKS_A_SECOND

THING_KINDS = ("medkit", "ammo", "desk")


@dataclass(frozen=True, slots=True)
class ThingPlaced:
    """Something that the scene puts on the map: a ``medkit``, a box of ``ammo``, a ``desk``."""

    name: str
    kind: str
    x: float
    y: float


@dataclass(slots=True)
class Door:
    """A door; whoever holds it keeps everybody from opening it."""

    name: str
    cell: Cell
    state: str  # "closed", "open" or "locked"
    held_by: str | None = None

    @property
    def is_shut(self) -> bool:
        """Whether it is in the way."""
        return self.state != "open"


@dataclass(frozen=True, slots=True)
class Grenade:
    """A grenade, from the hand to the bang."""

    name: str
    by: str
    start: Point
    end: Point
    thrown: int  # the tick at which it left the hand

    def position(self, tick: int) -> Point:
        """Return where it is: it flies evenly, and then lies still.

        >>> Grenade("g1", "Rex", (0.0, 0.0), (10.0, 0.0), thrown=100).position(105)
        (5.0, 0.0)
        """
        part = min(1.0, (tick - self.thrown) / FLIGHT)
        (x, y), (to_x, to_y) = self.start, self.end
        return x + (to_x - x) * part, y + (to_y - y) * part

    def left(self, tick: int) -> float:
        """Return the seconds until it goes off."""
        return (self.thrown + FUSE - tick) / TICKS_A_SECOND
