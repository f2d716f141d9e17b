"""A fighter as its squad and its conversations know it."""

from dataclasses import dataclass

from telos.agents.memory import WorkingMemory
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.fighter import Fighter


@dataclass(frozen=True, slots=True)
class Comrade:
    """Both a member of a squad and somebody who can speak."""

    arena: Arena
    fighter: Fighter
    memory: WorkingMemory

    @property
    def name(self) -> str:
        """Return who it is."""
        return self.fighter.name

    @property
    def side(self) -> str:
        """Return whom it fights for."""
        return self.fighter.side

    @property
    def rank(self) -> int:
        """Return its rank; the higher gives the orders."""
        return self.fighter.rank

    @property
    def alive(self) -> bool:
        """Whether it lives."""
        return self.fighter.alive

    @property
    def conscious(self) -> bool:
        """Whether it can speak and hear; here, all the living can."""
        return self.fighter.alive

    @property
    def health(self) -> float:
        """Return 0 to 100."""
        return self.fighter.health

    @property
    def position(self) -> tuple[float, float]:
        """Return where it is, in metres."""
        return self.fighter.position

    @property
    def room(self) -> str:
        """Return the room it is in."""
        return self.arena.room_at(self.fighter.position)
