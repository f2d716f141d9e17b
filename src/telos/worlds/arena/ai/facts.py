"""Fact constructors, known places, order status."""

from collections.abc import Iterator

from telos.agents.memory import Fact, WorkingMemory
from telos.core.values import FrozenMap, Value
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Point

# --- facts ------------------------------------------------------------------------------------------------------------
# The facts that fighters keep, as their sensors and stimuli make them.


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


# --- knowledge --------------------------------------------------------------------------------------------------------
# What fighters know of places and doors, read from their memory rather than from the world.


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


# --- duties -----------------------------------------------------------------------------------------------------------
# Orders and requests: whether what one has done, and where one is, fulfils them.


IN_FILE = 3.5  # metres to the one in front that are close enough
# Deeds that fulfil an order, and tasks that have to be kept up for as long as they are asked for.
ORDERED_DEEDS = ("suppress", "hold-position", "follow", "guard-rear", "search-room", "watch-partner")
LASTING = ("suppress", "follow", "guard_rear", "watch")
IN_THE_FILE = ("follow", "guard_rear")


def is_obeyed(memory: WorkingMemory, order: Fact, now: float) -> bool:
    """Whether the order that one attends to has been fulfilled; a lasting one, since it was last repeated."""
    serial, lasts = memory.focus.get("order"), order["task"] in LASTING
    deeds = (memory.recall("deed", name, now) for name in ORDERED_DEEDS)
    done = (deed for deed in deeds if deed is not None and deed["order"] == serial)
    if order["task"] in IN_THE_FILE and not is_in_file(memory, now):
        return False
    if any(not lasts or deed.time >= order.time or order["task"] in IN_THE_FILE for deed in done):
        return True
    reported = memory.recall("order_done", "current", now)
    return not lasts and reported is not None and str(reported["serial"]) == serial


def file_kept(arena: Arena, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
    """Yield whether one is close behind whom one was told to follow."""
    order = memory.recall("order", "current", now)
    ahead = None if order is None else arena.fighters.get(str(order.get("target")))
    if ahead is not None and ahead.side == fighter.side:
        yield fact("file", "me", now, close=fighter.distance_to(ahead.position) <= IN_FILE)


def is_in_file(memory: WorkingMemory, now: float) -> bool:
    """Whether one is close behind whom one was told to follow."""
    file = memory.recall("file", "me", now)
    return file is not None and bool(file["close"])


def is_granted(memory: WorkingMemory, request: Fact, now: float) -> bool:
    """Whether one has done what a comrade called for."""
    deed = memory.recall("deed", "open-as-told", now)
    return deed is not None and deed.time >= request.time
