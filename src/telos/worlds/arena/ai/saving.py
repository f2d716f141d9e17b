"""Checks of saved fighters: facts, focus of attention and states that name things of the arena."""

from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from telos.agents.memory import MIN_CONFIDENCE
from telos.agents.saving import ReadMind
from telos.agents.snapshots import NUMBER, FactCheck, FactShapes, SavedFact, check_attributes
from telos.core.errors import TelosError
from telos.core.state import State
from telos.core.values import ValueKind
from telos.files import SnapshotPart
from telos.files.restoring import SnapshotCheck
from telos.squads.squad import OrderTask
from telos.worlds.arena.ai.beliefs import FOCI
from telos.worlds.arena.ai.whereabouts import places_of
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import WEAPONS

_FLAG, _TEXT, _TEXT_OR_NONE, _COUNT = (bool,), (str,), (str, type(None)), (int,)
_POSITION = {"x": NUMBER, "y": NUMBER}
_ORDER_FOCI = ("order", "order_node")
_BODY_FLAGS = (
    "in_cover", "cover_valid", "under_fire", "loaded", "spare", "grenade", "out_of_breath", "on_wall", "cloaked",
    "pinned",
)  # fmt: skip
# The attributes that sensors, attention, beliefs, squads and dialogue read of each kind of fact.
FACTS: FactShapes = {
    "enemy": {**_POSITION, "seen": _FLAG, "sure": _FLAG, "alive": _FLAG},
    "cover": {
        **_POSITION,
        "valid": _FLAG,
        "distance": NUMBER,
        "threat_distance": NUMBER,
        "sees": _FLAG,
        "in_view": NUMBER,
        "exposes": _FLAG,
    },
    "ambush": {"distance": NUMBER},
    "node": {**_POSITION, "room": _TEXT, "kind": _TEXT, "distance": NUMBER},
    "post": {"narrow": _FLAG},
    "thing": {"kind": _TEXT},
    "whereabouts": {
        **_POSITION,
        "node": _TEXT_OR_NONE,
        "share": NUMBER,
        "sign": NUMBER,
        "heard": _FLAG,
        "rooms": _TEXT,
        "shares": _TEXT,
    },
    "weapon": {"rounds": NUMBER, "spare": _FLAG, "held": _FLAG},
    "desk": {"spot": _TEXT, "near": _FLAG},
    "ally": {"rank": NUMBER, "hurt": _FLAG},
    "file": {"close": _FLAG},
    "barrier": {"kind": _TEXT, "locked": _FLAG},
    "door": {"stuck": _FLAG, "kick_failed": _FLAG},
    "self": {"at": _TEXT_OR_NONE, "health": NUMBER, "room": _TEXT, **dict.fromkeys(_BODY_FLAGS, _FLAG)},
    "grenade": _POSITION,
    "hit": {"in_cover": _FLAG},
    "hits_at": {"count": _COUNT},
    "order": {"behaviour": _TEXT, "task": _TEXT, "node": _TEXT_OR_NONE, "target": _TEXT_OR_NONE, "serial": _COUNT},
    "mark": {"target": _TEXT},
    "hold": {"node": _TEXT},
    "keep_down": {"target": _TEXT},
    "order_done": {"serial": _COUNT},
    "order_refused": {"serial": _COUNT, "why": _TEXT},
    "request": {"door": _TEXT},
    "watched": {"count": _COUNT},
    "deed": {"step": _TEXT, "count": _COUNT, **dict.fromkeys(("post", *_ORDER_FOCI), _TEXT_OR_NONE)},
}


class LimbsSnapshot(SnapshotPart):
    """What the body of a fighter with a mind saves."""

    command: str | None
    place: str | None
    last: str


def fact_check(arena: Arena, now: float) -> FactCheck:
    """Return the check of facts in a fight that is ``now`` seconds old."""
    map = arena.map
    things = tuple(arena.state.things)
    subjects: dict[str, Collection[str]] = {
        **dict.fromkeys(("enemy", "ally", "self", "whereabouts"), arena.fighters),
        **dict.fromkeys(("cover", "ambush", "node", "hits_at", "unsafe", "sent", "watched"), map.nodes),
        "post": map.patrol,
        "thing": things,
        "desk": things,
        "weapon": WEAPONS,
        "barrier": (*map.doors, *map.lows),
        "door": map.doors,
    }
    tasks = get_args(OrderTask)

    def check_fact(check: SnapshotCheck, fact: SavedFact) -> None:
        kind, subject, time, confidence, about = fact
        check.require(time <= now, (2,), f"must be at most {now:g}, the time of the fight, got {time!r}")
        if kind in subjects:
            check.known((1,), subject, subjects[kind], "name")
        if confidence <= MIN_CONFIDENCE:
            return
        check_attributes(check, fact, FACTS)
        for key, size in (("x", map.width), ("y", map.height), ("place_x", map.width), ("place_y", map.height)):
            value = about.get(key)
            is_there = value is None or (isinstance(value, int | float) and -1 <= value <= size + 1)
            check.require(is_there, (4, key), f"must be on the map, got {value!r}")
        if kind == "order":
            check.known((4, "task"), about["task"], tasks, "task")
            _check_name(check, (4, "node"), about["node"], map.nodes)
            _check_name(check, (4, "target"), about["target"], arena.fighters)
        elif kind == "whereabouts":
            _check_name(check, (4, "node"), about["node"], map.nodes)
            check.require(about["sign"] <= now, (4, "sign"), f"must be at most {now:g}")
            try:
                places_of(map).parse(about["shares"])
            except TelosError as error:
                raise check.fault((4, "shares"), error.message, error.remedy) from None
        elif kind == "node" and "likely" in about:
            likely = about["likely"]
            is_chance = isinstance(likely, int | float) and not isinstance(likely, bool) and 0 <= likely <= 1
            check.require(is_chance, (4, "likely"), f"must be a chance from 0 to 1, got {likely!r}")
        elif kind == "request":
            check.known((4, "door"), about["door"], map.fixtures, "door")
        elif kind == "barrier":
            check.known((4, "kind"), about["kind"], ("door", "low"), "kind of barrier")
        elif kind == "deed":
            _check_name(check, (4, "order_node"), about["order_node"], map.nodes)
            _check_name(check, (4, "post"), about["post"], map.nodes)

    return check_fact


def _check_name(check: SnapshotCheck, path: Sequence[str | int], name: str | None, known: Collection[str]) -> None:
    if name is not None:
        check.known(path, name, known)


def check_mind(read: ReadMind, arena: Arena) -> None:
    """Require that focus, states and steps of a saved mind name things of the arena.

    In a lenient restore, a mind that names others thinks again from its memory.
    """
    left_out = len(read.check.omissions)
    with read.check.part(read.mind.name, "the plan and the state"):
        _check_names(read, arena)
    if len(read.check.omissions) > left_out:
        read.state, read.execution, read.deliberation, read.is_changed = read.mind.state, None, None, True


def _check_names(read: ReadMind, arena: Arena) -> None:
    check, saved, map = read.check, read.saved, arena.map
    places = {*arena.fighters, *map.nodes, *map.fixtures, *arena.state.things, *WEAPONS}
    focus, has_attended = saved.memory.focus, saved.attended >= 0 or saved.execution is not None
    for name in (*FOCI, *_ORDER_FOCI):
        check.require(name in focus or not has_attended, ("memory", "focus", name), "is missing")
        if name != "order":
            _check_name(check, ("memory", "focus", name), focus.get(name), places)
    _check_name(check, ("memory", "focus", "weapon"), focus.get("weapon"), WEAPONS)
    _check_name(check, ("memory", "focus", "hideout"), focus.get("hideout"), map.nodes)
    order = focus.get("order")
    check.require(order is None or order.isdecimal(), ("memory", "focus", "order"), f"is not a number: {order!r}")
    for key, state in _states(read):
        for variable, value in zip(state.layout.variables, state.array, strict=True):
            if variable.type.kind is ValueKind.HANDLE and value is not None:
                check.require(value in places, (key,), f"has {variable.name} = {value!r}, which is not in the arena")
    execution = saved.execution
    for place, (_, arguments) in enumerate(execution.steps if execution is not None else ()):
        for name, value in arguments.items():
            check.require(value in places, ("execution", "steps", place, 1, name), f"is {value!r}, which is not there")


def _states(read: ReadMind) -> Iterator[tuple[str, State]]:
    yield "state", read.state
    if read.execution is not None:
        if read.execution.before is not None:
            yield "execution", read.execution.before
        if read.execution.start is not None:
            yield "execution", read.execution.start
    if read.deliberation is not None:
        yield "deliberation", read.deliberation.state


def check_limbs(check: SnapshotCheck, saved: LimbsSnapshot, name: str, arena: Arena) -> None:
    """Require a command that the arena accepts, and a place that it has."""
    if saved.command is not None:
        try:
            arena.check({name: saved.command})
        except TelosError as error:
            raise check.fault(("command",), f"is not a command: {error}") from None
    if saved.place is not None:
        known = (*arena.map.nodes, *arena.map.fixtures, *arena.state.things, *arena.fighters)
        check.known(("place",), saved.place, known, "place")
