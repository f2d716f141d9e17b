"""Walking: the state ``goto`` from path finding to arrival, with doors, crowds and breath."""

import math

from telos.worlds.arena.sim.commands import Command
from telos.worlds.arena.sim.constants import (
    BREATH_RECOVERY,
    CROWD_SIZE,
    CROWD_SPEED,
    PACES,
    STEP_ASIDE_RANGE,
    TICK,
    TICKS_A_SECOND,
)
from telos.worlds.arena.sim.fighter import Act, Fighter
from telos.worlds.arena.sim.map import Cell, Point, adjacent_cells, cell_centre, cell_of
from telos.worlds.arena.sim.navigation import Walker
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, blocked_by_door, blocked_by_low, failed
from telos.worlds.arena.sim.state import ArenaState

FOLLOW_DISTANCE = 1.5  # metres from a followed fighter at which a walk ends
REPATH_TICKS = 5  # ticks between two updates of the path to a moving target
SEATS = ("desk",)  # kinds of things that are used from a place beside them
MAX_TRIES = 3  # free cells tried at the end of a walk before the body stays where it is
_REACH = range(-int(STEP_ASIDE_RANGE), int(STEP_ASIDE_RANGE) + 1)
_OFFSETS = [(x, y) for x in _REACH for y in _REACH if 0 < math.hypot(x, y) <= STEP_ASIDE_RANGE]
_NEAREST_OFFSETS = sorted(_OFFSETS, key=lambda cell: (math.hypot(*cell), cell))


def start_walk(state: ArenaState, me: Fighter, act: Act, command: Command) -> ActOutcome | None:
    """Find a path, or return the failure."""
    navigator = state.navigator
    goal = command.point or standing_point(state, me, command.target, command.avoiding)
    walker = Walker(command.avoiding, flies=me.flies)
    path = None if goal is None else navigator.find_path(me.position, goal, walker)
    if goal is None or path is None:
        return failed(f"no way to {command.target}")
    act.way, (act.x, act.y) = list(path), goal
    if act.name != "walk":
        me.cloaked = act.name == "cloaked"  # running ends cloaking
    return None


def standing_point(state: ArenaState, me: Fighter, name: str, avoiding: frozenset[str]) -> Point | None:
    """Return where to go for a named place: there, or to the floor beside it that is nearest by foot."""
    place = state.place_of(name)
    cell = cell_of(place)
    sits_at = name in state.things and state.things[name].kind in SEATS
    if state.navigator.is_plain(cell, flies=me.flies) and not sits_at:
        return place
    around = [near for near in adjacent_cells(cell) if near in state.map.floor]
    walker = Walker(avoiding, flies=me.flies)
    far = {near: state.navigator.distance(me.position, cell_centre(near), walker) for near in around}
    return cell_centre(min(far, key=far.__getitem__)) if far else None


def continue_walk(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Walk for a tick. A walker that follows a fighter updates its path, and stops at arm's length."""
    if act.target in state.fighters:
        other = state.fighters[act.target]
        if me.distance_to(other.position) <= FOLLOW_DISTANCE and state.has_line_of_sight(me.position, other.position):
            return DONE
        if not act.ticks % REPATH_TICKS:
            path = state.navigator.find_path(me.position, other.position, Walker(flies=me.flies))
            act.way = list(path or act.way)
    metres = _walking_speed(state, me, act) * TICK
    if me.is_running and act.name == "run" and state.tick - me.stepped_at >= TICKS_A_SECOND:
        me.stepped_at = state.tick
        state.emit("step", me.name, me.position)
    while act.way:
        x, y = act.way[0]
        if blocked := _check_blocked(state, me, cell_of((x, y))):
            return blocked
        away = math.hypot(x - me.x, y - me.y)
        if away > 0:
            me.facing = math.atan2(y - me.y, x - me.x)
        if away > metres:
            state.move(me, (me.x + (x - me.x) * metres / away, me.y + (y - me.y) * metres / away))
            return None
        metres -= away
        state.move(me, (x, y))
        act.way.pop(0)
    return _arrive(state, me, act)


def update_breath(me: Fighter) -> None:
    """Count a tick of running or rest. A fighter out of breath stays so until it stops to breathe."""
    if me.is_running:
        me.winded += TICK
        me.out_of_breath = me.winded >= me.breath
    elif not me.out_of_breath:
        me.winded = max(0.0, me.winded - BREATH_RECOVERY * TICK)


def _walking_speed(state: ArenaState, me: Fighter, act: Act) -> float:
    share = min(PACES["walk"], PACES[act.name]) if me.out_of_breath else PACES[act.name]
    return me.speed * share * (CROWD_SPEED if len(state.bodies[me.cell]) > CROWD_SIZE else 1.0)


def _check_blocked(state: ArenaState, me: Fighter, cell: Cell) -> ActOutcome | None:
    """Return the failure at the next point of the path if it is a shut door or a low obstacle."""
    node = state.map.at.get(cell)
    if node is None:
        return None
    if node.kind == "door" and cell in state.shut:
        return blocked_by_door(node.name, locked=state.doors[node.name].state == "locked")
    if node.kind == "low" and not (me.small or me.flies):
        return blocked_by_low(node.name)
    return None


def _arrive(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """End the walk, or head for a free cell nearby if the destination is taken."""
    if act.tries >= MAX_TRIES or not _is_taken(state, me, me.cell):
        return DONE
    act.tries += 1
    x, y = me.cell
    for across, down in _NEAREST_OFFSETS:
        cell = (x + across, y + down)
        if cell in state.map.at or not state.navigator.is_plain(cell, flies=me.flies) or _is_taken(state, me, cell):
            continue  # nodes stay free for fighters who are heading there
        if state.navigator.is_clear(me.position, cell_centre(cell), flies=me.flies):
            act.way = [cell_centre(cell)]
            return None
    return DONE


def _is_taken(state: ArenaState, me: Fighter, cell: Cell) -> bool:
    return any(other is not me and not other.is_walking for other in state.bodies.get(cell, {}).values())
