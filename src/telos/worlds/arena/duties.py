"""Orders and requests: whether what one has done, and where one is, fulfils them."""

from collections.abc import Iterator

from telos.agents.memory import Fact, WorkingMemory
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.facts import fact
from telos.worlds.arena.fighter import Fighter

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
