"""Animations with fists and grenades, and those that move the body a step: blows, leaps, throws and rolls.

Each function answers None while the animation goes on, ``DONE``, or why it failed.
"""

import math

from telos.worlds.arena.combat import hurt
from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.grid import Point
from telos.worlds.arena.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.rules import ARM, LEAP, LUNGE, MELEE, THROW, TICK
from telos.worlds.arena.shooting import reached
from telos.worlds.arena.stage import Stage
from telos.worlds.arena.things import Grenade

_FAR = failed("out of reach")
LUNGE_LASTS = 0.8  # seconds


def in_reach(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a blow: the target must be near."""
    target = stage.fighters[act.target]
    me.turn_to(target.position)
    if not target.alive:
        return DONE
    return None if _can_strike(stage, me, target) else _FAR


def strike(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Strike again and again, as long as the target stands and has not stepped back."""
    return _blow(stage, me, act, MELEE, "melee")


def in_leap(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a lunge: the target must be a leap and a blow away at most, with nothing in between."""
    target = stage.fighters[act.target]
    me.turn_to(target.position)
    if not target.alive:
        return DONE
    clear = stage.navigator.is_clear(me.position, target.position, flies=me.flies)
    return None if clear and me.distance_to(target.position) <= LEAP + me.reach else _FAR


def leap(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Fly towards the target, stop an arm's length short of it, and strike; then again."""
    target = stage.fighters[act.target].position
    away = me.distance_to(target)
    metres = min(LEAP / LUNGE_LASTS * TICK, away - ARM)
    if metres > 0:
        me.turn_to(target)
        landing = (me.x + math.cos(me.facing) * metres, me.y + math.sin(me.facing) * metres)
        if stage.navigator.is_clear(me.position, landing, flies=me.flies):
            stage.move(me, landing)
    return _blow(stage, me, act, LUNGE, "lunge")


def take_grenade(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a throw."""
    if not me.grenades:
        return failed("no grenade left")
    end = stage.aim_of(act)
    me.turn_to(end)
    return failed("out of range") if me.distance_to(end) > THROW else None


def throw(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """End a throw: the grenade leaves the hand, and drops at the first wall on its way."""
    end = reached(stage, me.position, stage.aim_of(act))
    me.grenades -= 1
    me.cloaked = False
    stage.thrown += 1
    grenade = Grenade(f"g{stage.thrown}", me.name, me.position, end, stage.tick)
    stage.grenades.append(grenade)
    stage.tell("threw", me.name, me.position, grenade=grenade.name, to_x=end[0], to_y=end[1])
    return DONE


def roll(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a roll to one side."""
    return _dodge(stage, me, act, 2.0, "no room to roll")


def shuffle(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a step to one side."""
    return _dodge(stage, me, act, 1.0, "no room to shuffle")


def glide(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Move evenly to the end of the way, there when the animation ends."""
    left = max(1, act.lasts - act.ticks + 1)
    x, y = act.way[-1]
    stage.move(me, (me.x + (x - me.x) / left, me.y + (y - me.y) / left))
    return None


def _dodge(stage: Stage, me: Fighter, act: Act, metres: float, otherwise: str) -> ActOutcome | None:
    x, y = -math.sin(me.facing) * metres, math.cos(me.facing) * metres
    sides: list[Point] = [(me.x + x, me.y + y), (me.x - x, me.y - y)]
    free = [side for side in sides if stage.navigator.is_clear(me.position, side, flies=me.flies)]
    if not free:
        return failed(otherwise)
    act.way = [stage.rng.choice(free)]
    return None


def _can_strike(stage: Stage, me: Fighter, target: Fighter) -> bool:
    return me.distance_to(target.position) <= me.reach and stage.line(me.position, target.position)


def _blow(stage: Stage, me: Fighter, act: Act, damage: float, weapon: str) -> ActOutcome | None:
    """Let a blow fall at the end of every round of the animation, until the target does."""
    target = stage.fighters[act.target]
    if target.health <= 0:
        return DONE
    if act.ticks % act.lasts:
        return None
    me.cloaked = False
    if not _can_strike(stage, me, target):
        return _FAR
    hurt(stage, target, damage, by=me, weapon=weapon)
    return DONE if target.health <= 0 else None
