"""What each animation does."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from telos.worlds.arena.sim.combat import fire_burst, frighten, hurt, keep_down
from telos.worlds.arena.sim.constants import (
    ARM,
    BLIND,
    LEAP,
    LOSES_SIGHT,
    LUNGE,
    MELEE,
    NEAR_MISS,
    SPRAYING,
    SUPPRESSES_FRIENDS,
    THROW,
    TICK,
)
from telos.worlds.arena.sim.fighter import Act, Fighter, Grenade
from telos.worlds.arena.sim.map import Point, beside, crossed, middle
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.sim.state import Stage

# --- shooting ---------------------------------------------------------------------------------------------------------
# Animations with a gun in the hand: what happens at the start and in every tick.
#
# Each function answers None while the animation goes on, ``DONE``, or why it failed.


EMPTY = failed("the magazine is empty")


def take_gun(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to shoot."""
    if not me.weapon.magazine:
        return failed("no weapon")
    if not me.rounds:
        stage.tell("empty", me.name, me.position)
        return EMPTY
    return None


def take_gun_in_cover(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to shoot from cover."""
    return failed("not in cover") if stage.cover_of(me) is None else take_gun(stage, me, act)


def fire(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Fire at somebody as long as they are seen."""
    target = stage.fighters[act.target]
    if not target.alive:
        return DONE
    if not me.rounds:
        return EMPTY
    if lost := keep_eyes_on(stage, me, act):
        return lost
    if not act.unseen and stage.tick >= me.fires_at:
        fire_burst(stage, me, 1.0, target=target, end=target.position)
    return None


def aim(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Keep the gun on somebody."""
    return keep_eyes_on(stage, me, act) if stage.fighters[act.target].alive else DONE


def keep_eyes_on(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to the target, or give it up after a second without seeing it."""
    target = stage.fighters[act.target]
    if stage.line(me.position, target.position):
        act.unseen = 0
        me.turn_to(target.position)
        return None
    act.unseen += 1
    return failed(f"lost sight of {target.name}") if act.unseen >= LOSES_SIGHT else None


def blind_fire(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Hold the gun round the corner and fire without looking."""
    target = stage.fighters[act.target]
    if not target.alive:
        return DONE
    if not me.rounds:
        return EMPTY
    if stage.tick >= me.fires_at:
        me.turn_to(target.position)
        seen = stage.line(me.position, target.position)
        fire_burst(stage, me, BLIND, target=target if seen else None, end=reached(stage, me.position, target.position))
    return None


def suppress(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Fire at a place, or where somebody was last seen, to keep down whoever is there."""
    if not me.rounds:
        return EMPTY
    if act.target in stage.fighters:
        seen = stage.fighters[act.target].position
        if stage.line(me.position, seen):
            act.x, act.y = seen
    if stage.tick >= me.fires_at:
        me.turn_to((act.x, act.y))
        _spray(stage, me, reached(stage, me.position, (act.x, act.y)))
    return None


def _spray(stage: Stage, me: Fighter, end: Point) -> None:
    there = [each for each in stage.near(end, NEAR_MISS) if each.side != me.side]
    shootable = [each for each in there if stage.line(me.position, each.position)]
    target = min(shootable, key=lambda each: (each.distance_to(end), each.index), default=None)
    fire_burst(stage, me, SPRAYING, target=target, end=end)
    for other in there:
        if target is None:
            keep_down(stage, other)
        elif other is not target and other.side != target.side:  # the target's friends keep down already
            frighten(stage, other, SUPPRESSES_FRIENDS)


def reached(stage: Stage, start: Point, end: Point) -> Point:
    """Return how far a bullet or a grenade gets: to ``end``, or to the last cell before a wall or a shut door."""
    cells, _ = crossed(start, end)
    last = start
    for cell in cells:
        if stage.map.mark(cell) == "#" or cell in stage.shut:
            return last
        last = middle(cell)
    return end


# --- striking ---------------------------------------------------------------------------------------------------------
# Animations with fists and grenades, and those that move the body a step: blows, leaps, throws and rolls.
#
# Each function answers None while the animation goes on, ``DONE``, or why it failed.


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


# --- poses ------------------------------------------------------------------------------------------------------------
# Animations that harm nobody: reloading, looking about, hiding, climbing, catching breath, making noise.
#
# Each function answers None while the animation goes on, ``DONE``, or why it failed.


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


# --- animations -------------------------------------------------------------------------------------------------------
# The animations that a body can play: one line each, and what happens at the start, in every tick and at the end.


# None: it goes on.
Happening: TypeAlias = Callable[[Stage, Fighter, Act], ActOutcome | None]


def nothing(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Go on."""
    return None


@dataclass(frozen=True, slots=True)
class Animation:
    """How long an animation lasts, how the body stands meanwhile, and what it does."""

    name: str
    seconds: float
    looping: bool = False
    target: str = "any"  # "fighter" or "place" if it must be aimed at one; "any" if that is left to the commander
    posture: str = "covered"  # what it shows of the body behind cover: "open", "half", "covered", "blind"; or "rolling"
    crouched: bool = False
    threatens: bool = False  # whoever it is aimed at has a gun pointed at them
    begin: Happening = nothing
    each: Happening = nothing
    end: Happening = nothing


_GUN, _GUN_IN_COVER = take_gun, take_gun_in_cover

ANIMATIONS = {
    animation.name: animation
    for animation in (
        Animation("fire", 0.5, True, "fighter", "open", threatens=True, begin=_GUN, each=fire),
        Animation("fire_from_cover", 0.5, True, "fighter", "half", threatens=True, begin=_GUN_IN_COVER, each=fire),
        Animation(
            "blind_fire",
            0.5,
            True,
            target="fighter",
            posture="blind",
            crouched=True,
            threatens=True,
            begin=_GUN_IN_COVER,
            each=blind_fire,
        ),
        Animation("suppress", 3.0, False, "place", "half", threatens=True, begin=_GUN, each=suppress),
        Animation("aim", 0.5, True, "fighter", "half", threatens=True, begin=_GUN, each=aim),
        Animation("reload", 1.8, begin=take_magazine, end=reload),
        Animation("melee", 0.6, True, "fighter", "open", begin=in_reach, each=strike),
        Animation(
            "lunge",
            LUNGE_LASTS,
            True,
            "fighter",
            "open",
            begin=in_leap,
            each=leap,
        ),
        Animation("throw", 0.7, False, "place", "half", begin=take_grenade, end=throw),
        Animation("roll", 0.6, posture="rolling", begin=roll, each=glide),
        Animation("shuffle", 0.5, posture="open", begin=shuffle, each=glide),
        Animation("duck", 0.8, crouched=True),
        Animation("hunker", 2.0, crouched=True),
        Animation("look", 1.5, each=look_about),
        Animation("look_back", 1.0, each=look_back),
        Animation("watch", 2.0, begin=face),
        Animation("cloak", 0.3, end=cloak),
        Animation("uncloak", 0.3, end=uncloak),
        Animation("jump_to_wall", 0.5, posture="open", begin=find_wall, end=stick),
        Animation("jump_down", 0.3, posture="open", begin=on_wall, end=drop),
        Animation("breathe", 3.0, end=get_breath_back),
        Animation("shout", 0.5, begin=shout),
        Animation("talk", 0.5, begin=talk),
        Animation("idle", 0.5, begin=face),
    )
}
ON_THE_WALL = frozenset({"watch", "jump_down"})  # all that one can do up there
