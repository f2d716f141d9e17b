"""What fighters know of places and doors, read from their memory rather than from the world."""

from telos.agents.memory import Fact, WorkingMemory
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.grid import Point


def place_known(arena: Arena, memory: WorkingMemory, who: str, place: str) -> Point | None:
    """Return where a place or a person is, as far as ``who`` knows: an enemy is where it was last made out."""
    if place == who or place not in arena.fighters:
        return arena.place_of(place)
    if arena.fighter(place).side == arena.fighter(who).side:
        return arena.fighter(place).position
    fact = memory.recall("enemy", place, arena.time)
    return None if fact is None else (fact["x"], fact["y"])


def kept_out_by(memory: WorkingMemory, now: float) -> frozenset[str]:
    """Return the doors that were tried in vain, for as long as that is remembered: the way leads round them."""
    doors = memory.all_of("door", now)
    return frozenset(fact.subject for fact in doors if fact.get("kick_failed")) if doors else frozenset()


def barrier_known(memory: WorkingMemory, now: float) -> Fact | None:
    """Return what barred the way last, until one is past it or has forgotten it."""
    return max(memory.all_of("barrier", now), key=lambda fact: fact.time, default=None)
