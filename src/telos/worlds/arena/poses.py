"""Animations that harm nobody: reloading, looking about, hiding, climbing, catching breath, making noise.

Each function answers None while the animation goes on, ``DONE``, or why it failed.
"""

import math

from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.grid import beside
from telos.worlds.arena.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.stage import Stage


def take_magazine(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to reload."""
    if not me.weapon.magazine:
        return failed("no weapon")
    if not me.magazines:
        return failed("no magazine left")
    return failed("the magazine is full") if me.rounds == me.weapon.magazine else None


def reload(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """End reloading: what was left in the old magazine is lost."""
    me.magazines -= 1
    me.rounds = me.weapon.magazine
    stage.tell("reloaded", me.name, me.position)
    return DONE


def face(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to what the animation is aimed at, if it is aimed at anything."""
    if act.target:
        me.turn_to(stage.aim_of(act))
    return None


def look_about(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn once about oneself."""
    me.facing = _turned(me.facing, 2 * math.pi / act.lasts)
    return None


def look_back(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to see what is behind."""
    me.facing = _turned(me.facing, math.pi / act.lasts)
    return None


def cloak(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Be hard to see from now on."""
    me.cloaked = True
    return DONE


def uncloak(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Be seen again."""
    me.cloaked = False
    return DONE


def find_wall(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a jump to the wall."""
    if not me.climbs:
        return failed("cannot climb")
    return None if any(stage.map.mark(cell) == "#" for cell in beside(me.cell)) else failed("no wall here")


def stick(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Hang on the wall."""
    me.on_wall = True
    return DONE


def on_wall(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to come down."""
    return None if me.on_wall else failed("not on the wall")


def drop(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Come down from the wall."""
    me.on_wall = False
    return DONE


def get_breath_back(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Be fit to run again."""
    me.winded, me.out_of_breath = 0.0, False
    return DONE


def shout(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Make a noise that carries far; the words are not the world's business."""
    stage.tell("shouted", me.name, me.position, **_to(act))
    return face(stage, me, act)


def talk(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Make a noise that those beside one hear."""
    stage.tell("talked", me.name, me.position, **_to(act))
    return face(stage, me, act)


def _to(act: Act) -> dict[str, str]:
    return {"target": act.target} if act.target else {}


def _turned(facing: float, by: float) -> float:
    return math.remainder(facing + by, 2 * math.pi)
