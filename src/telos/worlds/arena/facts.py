"""The facts that fighters keep, as their sensors and stimuli make them."""

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import Point

PASSING = 0.055  # confidence of what is to be forgotten in a moment


def fact(kind: str, subject: str, now: float, confidence: float = 1.0, /, **attributes: Value) -> Fact:
    """Return a fact with its attributes as keywords."""
    return Fact(kind, subject, now, confidence, FrozenMap(attributes))


def gone(kind: str, subject: str, now: float) -> Fact:
    """Return a fact that is forgotten as soon as it is noted."""
    return Fact(kind, subject, now, 0.0)


def fallen(enemy: Fighter, now: float) -> Fact:
    """Return the fact that an enemy has been seen to fall; it is of no use for long."""
    return fact("enemy", enemy.name, now, PASSING, x=enemy.x, y=enemy.y, seen=True, sure=True, alive=False)


def threats(memory: WorkingMemory, now: float) -> list[Point]:
    """Return where living enemies are thought to be."""
    return [(enemy["x"], enemy["y"]) for enemy in memory.all_of("enemy", now) if enemy["alive"]]
