"""Facts in a fighter's memory: constructors, known places and doors, and the status of orders."""

from collections.abc import Iterator

from telos.agents.memory import Fact, WorkingMemory
from telos.core.domain import Domain
from telos.core.values import FrozenMap, Value
from telos.squads.practices import MARK_SECONDS
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import USE_RANGE
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Point

THING_RANGE = 18.0  # metres at which things are noticed
FORMATION_DISTANCE = 3.5  # metres to the comrade in front
# Actions that fulfil an order, tasks that last as long as they are ordered, and tasks in a single file.
ORDER_ACTIONS = ("suppress", "hold-position", "secure-stop", "follow", "guard-rear", "search-room", "watch-partner")
LASTING_TASKS = ("suppress", "follow", "guard_rear", "watch")
FORMATION_TASKS = ("follow", "guard_rear")
HOLD_SECONDS = 8.0  # for which the cover that an order led to is held
KEEP_DOWN_SECONDS = 0.9  # after which the advice to keep an enemy down counts no more, unless renewed
BRIEF_CONFIDENCE = 0.055  # confidence of a fact that is forgotten within moments


def make_fact(kind: str, subject: str, now: float, confidence: float = 1.0, /, **attributes: Value) -> Fact:
    """Return a fact with its attributes as keywords."""
    return Fact(kind, subject, now, confidence, FrozenMap(attributes))


def expired_fact(kind: str, subject: str, now: float) -> Fact:
    """Return a fact with zero confidence, which makes a memory forget the old one."""
    return Fact(kind, subject, now, 0.0)


def enemy_down_fact(enemy: Fighter, now: float) -> Fact:
    """Return the fact that an enemy was seen to die; it is soon forgotten."""
    return make_fact(
        "enemy", enemy.name, now, BRIEF_CONFIDENCE, x=enemy.x, y=enemy.y, seen=True, sure=True, alive=False
    )


def thing_facts(arena: Arena, fighter: Fighter, domain: Domain, now: float) -> Iterator[Fact]:
    """Yield the things nearby that are smart objects of the domain, and whether each is within reach."""
    kinds = {template.name for template in domain.templates}
    for thing in arena.things():
        away = fighter.distance_to((thing.x, thing.y))
        if thing.kind in kinds and away <= THING_RANGE:
            is_near = away <= USE_RANGE and arena.has_line_of_sight(fighter.position, (thing.x, thing.y))
            yield make_fact(thing.kind, thing.name, now, spot=thing.name, near=is_near)


def known_threats(memory: WorkingMemory, now: float) -> list[Point]:
    """Return the believed positions of living enemies."""
    return [(enemy["x"], enemy["y"]) for enemy in memory.all_of("enemy", now) if enemy["alive"]]


def known_place(arena: Arena, memory: WorkingMemory, who: str, place: str) -> Point | None:
    """Return where a place or fighter is as far as ``who`` knows: enemies at their last known position."""
    if place == who or place not in arena.fighters:
        return arena.place_of(place)
    if arena.fighter(place).side == arena.fighter(who).side:
        return arena.fighter(place).position
    fact = memory.recall("enemy", place, arena.time)
    return None if fact is None else (fact["x"], fact["y"])


def avoided_doors(memory: WorkingMemory, now: float) -> frozenset[str]:
    """Return the doors that could not be opened, for as long as that is remembered; paths avoid them."""
    doors = memory.all_of("door", now)
    return frozenset(fact.subject for fact in doors if fact.get("kick_failed")) if doors else frozenset()


def latest_barrier(memory: WorkingMemory, now: float) -> Fact | None:
    """Return the obstacle that blocked the way last, until it is passed or forgotten."""
    return max(memory.all_of("barrier", now), key=lambda fact: fact.time, default=None)


def order_fulfilled(memory: WorkingMemory, order: Fact, now: float) -> bool:
    """Whether the current order is fulfilled; a lasting order, since it was last repeated."""
    serial, lasts = memory.focus.get("order"), order["task"] in LASTING_TASKS
    deeds = (memory.recall("deed", name, now) for name in ORDER_ACTIONS)
    done = (deed for deed in deeds if deed is not None and deed["order"] == serial)
    if order["task"] in FORMATION_TASKS and not in_formation(memory, now):
        return False
    if any(not lasts or deed.time >= order.time or order["task"] in FORMATION_TASKS for deed in done):
        return True
    reported = memory.recall("order_done", "current", now)
    return not lasts and reported is not None and str(reported["serial"]) == serial


def formation_fact(arena: Arena, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
    """Yield whether the fighter is close behind the comrade that it was ordered to follow."""
    order = memory.recall("order", "current", now)
    ahead = None if order is None else arena.fighters.get(str(order.get("target")))
    if ahead is not None and ahead.side == fighter.side:
        yield make_fact("file", "me", now, close=fighter.distance_to(ahead.position) <= FORMATION_DISTANCE)


def in_formation(memory: WorkingMemory, now: float) -> bool:
    """Whether the fighter is close behind the comrade that it was ordered to follow."""
    file = memory.recall("file", "me", now)
    return file is not None and bool(file["close"])


def request_granted(memory: WorkingMemory, request: Fact, now: float) -> bool:
    """Whether the fighter has done what a comrade requested."""
    deed = memory.recall("deed", "open-as-told", now)
    return deed is not None and deed.time >= request.time


def marked_target(memory: WorkingMemory, now: float) -> str | None:
    """Return the enemy that the squad has marked for the fighter, unless the mark is old."""
    mark = memory.recall("mark", "current", now)
    return None if mark is None or now - mark.time > MARK_SECONDS else str(mark["target"])


def is_holding(memory: WorkingMemory, own: Fact, now: float) -> bool:
    """Whether the fighter is to stay in the cover that it was sent to: for a while, and as long as it protects."""
    hold = memory.recall("hold", "current", now)
    is_there = hold is not None and own["at"] == hold["node"] and now - hold.time <= HOLD_SECONDS
    return is_there and bool(own["cover_valid"])


def enemy_to_keep_down(memory: WorkingMemory, now: float) -> str | None:
    """Return the enemy whom the squad wants the fighter to keep down, unless that is old."""
    told = memory.recall("keep_down", "current", now)
    return None if told is None or now - told.time > KEEP_DOWN_SECONDS else str(told["target"])
