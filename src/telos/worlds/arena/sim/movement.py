"""The state ``goto``: finding the way, walking it, stopping at what is in the way, stepping aside for others."""

import math

from telos.worlds.arena.sim.commands import Command
from telos.worlds.arena.sim.constants import (
    CROWD,
    GETS_BREATH_BACK,
    IN_A_CROWD,
    PACES,
    STEP_ASIDE,
    TICK,
    TICKS_A_SECOND,
)
from telos.worlds.arena.sim.fighter import Act, Fighter
from telos.worlds.arena.sim.map import Cell, Point, beside, cell_of, middle
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, blocked_by_door, blocked_by_low, failed
from telos.worlds.arena.sim.state import Stage

BESIDE = 1.5  # metres at which one is with somebody
LOOKS_AGAIN = 5  # ticks between two looks at where somebody has gone
MOST_TRIES = 3  # free cells that a body heads for at the end of its way before it stays where it is
_REACH = range(-int(STEP_ASIDE), int(STEP_ASIDE) + 1)
_AROUND = [(x, y) for x in _REACH for y in _REACH if 0 < math.hypot(x, y) <= STEP_ASIDE]
_ASIDE = sorted(_AROUND, key=lambda cell: (math.hypot(*cell), cell))


def set_out(stage: Stage, me: Fighter, act: Act, command: Command) -> ActOutcome | None:
    """Find the way, or say that there is none."""
    navigator = stage.navigator
    goal = command.point or where_to_stand(stage, me, command.target, command.avoiding)
    way = None if goal is None else navigator.way(me.position, goal, avoiding=command.avoiding, flies=me.flies)
    if goal is None or way is None:
        return failed(f"no way to {command.target}")
    act.way, (act.x, act.y) = list(way), goal
    if act.name != "walk":
        me.cloaked = act.name == "cloaked"  # nobody keeps cloaked at full speed
    return None


def where_to_stand(stage: Stage, me: Fighter, name: str, avoiding: frozenset[str]) -> Point | None:
    """Return where to go for something that has a name: there, or to the floor beside it that is nearest by foot."""
    place = stage.place_of(name)
    cell = cell_of(place)
    if stage.navigator.is_plain(cell, flies=me.flies):
        return place
    around = [near for near in beside(cell) if near in stage.map.floor]
    far = {
        near: stage.navigator.distance(me.position, middle(near), avoiding=avoiding, flies=me.flies) for near in around
    }
    return middle(min(far, key=far.__getitem__)) if far else None


def walk(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Go on for a tick. Whoever heads for somebody keeps after them, and stops at arm's length."""
    if act.target in stage.fighters:
        other = stage.fighters[act.target]
        if me.distance_to(other.position) <= BESIDE and stage.line(me.position, other.position):
            return DONE
        if not act.ticks % LOOKS_AGAIN:
            act.way = list(stage.navigator.way(me.position, other.position, flies=me.flies) or act.way)
    metres = _pace(stage, me, act) * TICK
    if me.is_running and act.name == "run" and stage.tick - me.stepped_at >= TICKS_A_SECOND:
        me.stepped_at = stage.tick
        stage.tell("step", me.name, me.position)
    while act.way:
        x, y = act.way[0]
        if blocked := _in_the_way(stage, me, cell_of((x, y))):
            return blocked
        away = math.hypot(x - me.x, y - me.y)
        if away > 0:
            me.facing = math.atan2(y - me.y, x - me.x)
        if away > metres:
            stage.move(me, (me.x + (x - me.x) * metres / away, me.y + (y - me.y) * metres / away))
            return None
        metres -= away
        stage.move(me, (x, y))
        act.way.pop(0)
    return _arrive(stage, me, act)


def _pace(stage: Stage, me: Fighter, act: Act) -> float:
    share = PACES["walk"] if me.out_of_breath else PACES[act.name]
    return me.speed * share * (IN_A_CROWD if len(stage.bodies[me.cell]) > CROWD else 1.0)


def feel_breath(me: Fighter) -> None:
    """Let a tick of running or of rest pass. Who is out of breath stays so until it stops to breathe."""
    if me.is_running:
        me.winded += TICK
        me.out_of_breath = me.winded >= me.breath
    elif not me.out_of_breath:
        me.winded = max(0.0, me.winded - GETS_BREATH_BACK * TICK)


def _in_the_way(stage: Stage, me: Fighter, cell: Cell) -> ActOutcome | None:
    """Return the failure at the next point of the way, if it is a shut door or a low obstacle."""
    node = stage.map.at.get(cell)
    if node is None:
        return None
    if node.kind == "door" and cell in stage.shut:
        return blocked_by_door(node.name, locked=stage.doors[node.name].state == "locked")
    if node.kind == "low" and not (me.small or me.flies):
        return blocked_by_low(node.name)
    return None


def _arrive(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """End the way, or head for a free cell nearby if somebody stands here."""
    if act.tries >= MOST_TRIES or not _taken(stage, me, me.cell):
        return DONE
    act.tries += 1
    x, y = me.cell
    for across, down in _ASIDE:
        cell = (x + across, y + down)
        if cell in stage.map.at or not stage.navigator.is_plain(cell, flies=me.flies) or _taken(stage, me, cell):
            continue  # a node is left to those who want to be there
        if stage.navigator.is_clear(me.position, middle(cell), flies=me.flies):
            act.way = [middle(cell)]
            return None
    return DONE


def _taken(stage: Stage, me: Fighter, cell: Cell) -> bool:
    return any(other is not me and not other.is_walking for other in stage.bodies.get(cell, {}).values())
