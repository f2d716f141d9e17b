"""Animations: what a body does at the start, in every tick and at the end of each.

The table `ANIMATIONS` at the end lists them all; a new animation is a line there and its callbacks above.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from telos.worlds.arena.sim import constants
from telos.worlds.arena.sim.combat import add_suppression, apply_damage, fire_burst, suppress_group
from telos.worlds.arena.sim.constants import (
    BLIND_FIRE_ACCURACY,
    DRAW_SECONDS,
    LOST_TARGET_TICKS,
    LUNGE_DAMAGE,
    LUNGE_RANGE,
    LUNGE_STOP,
    MELEE_DAMAGE,
    NEAR_MISS_RANGE,
    RELOAD_SECONDS,
    THROW_RANGE,
    TICK,
)
from telos.worlds.arena.sim.fighter import Act, Fighter, Grenade
from telos.worlds.arena.sim.map import Point, adjacent_cells, cell_centre, cells_on_line
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.sim.state import ArenaState

OUT_OF_AMMO = failed("the magazine is empty")
OUT_OF_REACH = failed("out of reach")
LUNGE_SECONDS = 0.8

# Called at the start, in every tick or at the end; returns None to go on, `DONE`, or the failure.
ActCallback: TypeAlias = Callable[[ArenaState, Fighter, Act], ActOutcome | None]


def do_nothing(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    return None


@dataclass(frozen=True, slots=True)
class Animation:
    """How long an animation lasts, the posture of the body meanwhile, and what it does."""

    name: str
    seconds: float
    looping: bool = False
    target: str = "any"  # "fighter", "place" or "weapon" if required; "any" if optional
    posture: str = "covered"  # exposure behind cover: "open", "half", "covered", "blind"; or "rolling" or "prone"
    crouched: bool = False
    threatens: bool = False  # the target has a gun pointed at it
    begin: ActCallback = do_nothing
    each: ActCallback = do_nothing
    end: ActCallback = do_nothing


# --- guns ---


def check_gun(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a loaded gun."""
    if not me.weapon.magazine:
        return failed("no weapon")
    if not me.rounds:
        state.emit("empty", me.name, me.position)
        return OUT_OF_AMMO
    return None


def check_gun_in_cover(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require cover and a loaded gun."""
    return failed("not in cover") if state.cover_of(me) is None else check_gun(state, me, act)


def fire(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Fire at the target while it is in sight."""
    target = state.fighters[act.target]
    if not target.alive:
        return DONE
    if not me.rounds:
        return OUT_OF_AMMO
    if lost := track_target(state, me, act):
        return lost
    if not act.unseen and state.tick >= me.fires_at:
        fire_burst(state, me, 1.0, target=target, end=target.position)
    return None


def aim(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Keep the gun on the target."""
    return track_target(state, me, act) if state.fighters[act.target].alive else DONE


def track_target(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to the target; fail after a second without a line of sight."""
    target = state.fighters[act.target]
    if state.has_line_of_sight(me.position, target.position):
        act.unseen = 0
        me.turn_to(target.position)
        return None
    act.unseen += 1
    return failed(f"lost sight of {target.name}") if act.unseen >= LOST_TARGET_TICKS else None


def blind_fire(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Fire round the corner without looking."""
    target = state.fighters[act.target]
    if not target.alive:
        return DONE
    if not me.rounds:
        return OUT_OF_AMMO
    if state.tick >= me.fires_at:
        me.turn_to(target.position)
        seen = state.has_line_of_sight(me.position, target.position)
        fire_burst(
            state,
            me,
            BLIND_FIRE_ACCURACY,
            target=target if seen else None,
            end=trajectory_end(state, me.position, target.position),
        )
    return None


def suppress(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Fire at a place, or at the last seen position of the target, to suppress enemies there."""
    if not me.rounds:
        return OUT_OF_AMMO
    if act.target in state.fighters:
        seen = state.fighters[act.target].position
        if state.has_line_of_sight(me.position, seen):
            act.x, act.y = seen
    if state.tick >= me.fires_at:
        me.turn_to((act.x, act.y))
        _fire_at_area(state, me, trajectory_end(state, me.position, (act.x, act.y)))
    return None


def _fire_at_area(state: ArenaState, me: Fighter, end: Point) -> None:
    there = [each for each in state.fighters_near(end, NEAR_MISS_RANGE) if each.side != me.side]
    shootable = [each for each in there if state.has_line_of_sight(me.position, each.position)]
    target = min(shootable, key=lambda each: (each.distance_to(end), each.index), default=None)
    fire_burst(state, me, constants.SUPPRESSION_ACCURACY, target=target, end=end, is_suppressive=True)
    for other in there:
        if target is None:
            suppress_group(state, other, is_suppressive=True)
        elif other is not target and other.side != target.side:  # the burst suppressed its side
            add_suppression(state, other, constants.NEARBY_SUPPRESSION)


def trajectory_end(state: ArenaState, start: Point, end: Point) -> Point:
    """Return how far a bullet or grenade gets: to ``end``, or to the last cell before a wall or a shut door."""
    cells, _ = cells_on_line(start, end)
    last = start
    for cell in cells:
        if state.map.mark(cell) == "#" or cell in state.shut:
            return last
        last = cell_centre(cell)
    return end


def begin_draw(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a weapon that is carried."""
    if me.weapon.name == act.target:
        return DONE
    return None if act.target in me.holstered else failed(f"carries no {act.target}")


def end_draw(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Take the other weapon, which is ready at once."""
    me.draw(act.target)
    state.emit("drew", me.name, me.position, weapon=act.target)
    return DONE


# --- melee, grenades and dodging ---


def begin_melee(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a target within reach."""
    target = state.fighters[act.target]
    me.turn_to(target.position)
    if not target.alive:
        return DONE
    return None if _can_strike(state, me, target) else OUT_OF_REACH


def continue_melee(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Strike repeatedly while the target is alive and in reach."""
    return _strike(state, me, act, MELEE_DAMAGE, "melee")


def begin_lunge(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a target within a lunge and a blow, with a clear path."""
    target = state.fighters[act.target]
    me.turn_to(target.position)
    if not target.alive:
        return DONE
    clear = state.navigator.is_clear(me.position, target.position, flies=me.flies)
    return None if clear and me.distance_to(target.position) <= LUNGE_RANGE + me.reach else OUT_OF_REACH


def continue_lunge(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Leap towards the target, stop short of it and strike; repeat."""
    target = state.fighters[act.target].position
    away = me.distance_to(target)
    metres = min(LUNGE_RANGE / LUNGE_SECONDS * TICK, away - LUNGE_STOP)
    if metres > 0:
        me.turn_to(target)
        landing = (me.x + math.cos(me.facing) * metres, me.y + math.sin(me.facing) * metres)
        if state.navigator.is_clear(me.position, landing, flies=me.flies):
            state.move(me, landing)
    return _strike(state, me, act, LUNGE_DAMAGE, "lunge")


def begin_throw(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a grenade and a target in range."""
    if not me.grenades:
        return failed("no grenade left")
    end = state.aim_of(act)
    me.turn_to(end)
    return failed("out of range") if me.distance_to(end) > THROW_RANGE else None


def end_throw(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Throw the grenade; it drops at the first wall on its way."""
    end = trajectory_end(state, me.position, state.aim_of(act))
    me.grenades -= 1
    me.cloaked = False
    state.thrown += 1
    grenade = Grenade(f"g{state.thrown}", me.name, me.position, end, state.tick)
    state.grenades.append(grenade)
    state.emit("threw", me.name, me.position, grenade=grenade.name, to_x=end[0], to_y=end[1])
    return DONE


def begin_roll(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Choose a side to roll to."""
    return _dodge(state, me, act, 2.0, "no room to roll")


def begin_shuffle(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Choose a side to step to."""
    return _dodge(state, me, act, 1.0, "no room to shuffle")


def glide(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Move at constant speed, to arrive when the animation ends."""
    left = max(1, act.lasts - act.ticks + 1)
    x, y = act.way[-1]
    state.move(me, (me.x + (x - me.x) / left, me.y + (y - me.y) / left))
    return None


def _dodge(state: ArenaState, me: Fighter, act: Act, metres: float, failure: str) -> ActOutcome | None:
    x, y = -math.sin(me.facing) * metres, math.cos(me.facing) * metres
    sides: list[Point] = [(me.x + x, me.y + y), (me.x - x, me.y - y)]
    free = [side for side in sides if state.navigator.is_clear(me.position, side, flies=me.flies)]
    if not free:
        return failed(failure)
    act.way = [state.rng.choice(free)]
    return None


def _can_strike(state: ArenaState, me: Fighter, target: Fighter) -> bool:
    return me.distance_to(target.position) <= me.reach and state.has_line_of_sight(me.position, target.position)


def _strike(state: ArenaState, me: Fighter, act: Act, damage: float, weapon: str) -> ActOutcome | None:
    """Hit the target at the end of every round of the animation, until it dies."""
    target = state.fighters[act.target]
    if target.health <= 0:
        return DONE
    if act.ticks % act.lasts:
        return None
    me.cloaked = False
    if not _can_strike(state, me, target):
        return OUT_OF_REACH
    apply_damage(state, target, damage, by=me, weapon=weapon)
    return DONE if target.health <= 0 else None


# --- reloading, looking, hiding, climbing and voice ---


def begin_reload(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a spare magazine."""
    if not me.weapon.magazine:
        return failed("no weapon")
    if not me.magazines:
        return failed("no magazine left")
    return failed("the magazine is full") if me.rounds == me.weapon.magazine else None


def end_reload(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Change the magazine; the rounds left in the old one are lost."""
    me.magazines -= 1
    me.rounds = me.weapon.magazine
    state.emit("reloaded", me.name, me.position)
    return DONE


def face(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to the target of the animation, if it has one."""
    if act.target:
        me.turn_to(state.aim_of(act))
    return None


def face_away(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn one's back to the target of the animation."""
    x, y = state.aim_of(act)
    me.turn_to((2 * me.x - x, 2 * me.y - y))
    return None


def look_about(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn full circle."""
    me.facing = _rotate(me.facing, 2 * math.pi / act.lasts)
    return None


def cloak(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    me.cloaked = True
    return DONE


def uncloak(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    me.cloaked = False
    return DONE


def begin_wall_jump(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a climber and a wall."""
    if not me.climbs:
        return failed("cannot climb")
    return None if any(state.map.mark(cell) == "#" for cell in adjacent_cells(me.cell)) else failed("no wall here")


def end_wall_jump(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    me.on_wall = True
    return DONE


def begin_jump_down(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Require a fighter on the wall."""
    return None if me.on_wall else failed("not on the wall")


def end_jump_down(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    me.on_wall = False
    return DONE


def recover_breath(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    me.winded, me.out_of_breath = 0.0, False
    return DONE


def shout(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Emit an event that is heard far away; the words are chosen by the dialogue."""
    state.emit("shouted", me.name, me.position, **_target_context(act))
    return face(state, me, act)


def talk(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Emit an event that is heard nearby."""
    state.emit("talked", me.name, me.position, **_target_context(act))
    return face(state, me, act)


def _target_context(act: Act) -> dict[str, str]:
    return {"target": act.target} if act.target else {}


def _rotate(facing: float, by: float) -> float:
    return math.remainder(facing + by, 2 * math.pi)


# --- the table of animations ---


ANIMATIONS = {
    animation.name: animation
    for animation in (
        Animation("fire", 0.5, True, "fighter", "open", threatens=True, begin=check_gun, each=fire),
        Animation("fire_from_cover", 0.5, True, "fighter", "half", threatens=True, begin=check_gun_in_cover, each=fire),
        Animation(
            "blind_fire",
            0.5,
            True,
            target="fighter",
            posture="blind",
            crouched=True,
            threatens=True,
            begin=check_gun_in_cover,
            each=blind_fire,
        ),
        Animation("suppress", 3.0, False, "place", "half", threatens=True, begin=check_gun, each=suppress),
        Animation("aim", 0.5, True, "fighter", "half", threatens=True, begin=check_gun, each=aim),
        Animation("draw", DRAW_SECONDS, target="weapon", begin=begin_draw, end=end_draw),
        Animation("reload", RELOAD_SECONDS, begin=begin_reload, end=end_reload),
        Animation("melee", 0.6, True, "fighter", "open", begin=begin_melee, each=continue_melee),
        Animation(
            "lunge",
            LUNGE_SECONDS,
            True,
            "fighter",
            "open",
            begin=begin_lunge,
            each=continue_lunge,
        ),
        Animation("throw", 0.7, False, "place", "half", begin=begin_throw, end=end_throw),
        Animation("roll", 0.6, posture="rolling", begin=begin_roll, each=glide),
        Animation("shuffle", 0.5, posture="open", begin=begin_shuffle, each=glide),
        Animation("duck", 0.8, crouched=True),
        Animation("hunker", 2.0, crouched=True),
        Animation("lie_flat", 1.0, posture="prone", crouched=True),
        Animation("look", 1.5, each=look_about),
        Animation("look_back", 1.0, target="fighter", begin=face_away),
        Animation("overwatch", 1.0, target="fighter", begin=face, each=face),
        Animation("watch", 2.0, begin=face),
        Animation("cloak", 0.3, end=cloak),
        Animation("uncloak", 0.3, end=uncloak),
        Animation("jump_to_wall", 0.5, posture="open", begin=begin_wall_jump, end=end_wall_jump),
        Animation("jump_down", 0.3, posture="open", begin=begin_jump_down, end=end_jump_down),
        Animation("breathe", 3.0, end=recover_breath),
        Animation("shout", 0.5, begin=shout),
        Animation("talk", 0.5, begin=talk),
        Animation("idle", 0.5, begin=face),
    )
}
WALL_ANIMATIONS = frozenset({"watch", "jump_down"})  # allowed while on the wall
