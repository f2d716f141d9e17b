"""Combat: chances to hit, damage, suppression and explosions."""

from telos.worlds.arena.sim import constants
from telos.worlds.arena.sim.constants import (
    BLAST_DAMAGE,
    BLAST_RADIUS,
    BURST_ROUNDS,
    BURST_TICKS,
    COVER_EXPOSURE,
    NEAR_MISS_RANGE,
    TICK,
)
from telos.worlds.arena.sim.fighter import Fighter, Grenade
from telos.worlds.arena.sim.map import Point
from telos.worlds.arena.sim.state import ArenaState
from telos.worlds.arena.sim.views import ExpectedDamage, ShotView


def hit_chance(state: ArenaState, shooter: Fighter, target: Fighter, aim: float = 1.0) -> float:
    """Return the chance that a burst hits; ``aim`` is the accuracy of the kind of fire."""
    away = shooter.distance_to(target.position)
    steady = 1 - constants.SUPPRESSED_ACCURACY_LOSS * shooter.suppressed
    light = constants.DARK_ACCURACY if state.is_in_dark(target) else 1.0
    shown = exposure(state, target, shooter.position)
    return shooter.weapon.hit_chance(away) * shown * aim * steady * light


def exposure(state: ArenaState, target: Fighter, threat: Point) -> float:
    """Return how easily a target is hit by fire from ``threat``, compared with one that stands in the open."""
    posture = "covered" if target.act is None else target.act.posture  # an idle fighter stays behind cover
    if posture == "rolling":
        return constants.ROLLING_EXPOSURE
    if posture in COVER_EXPOSURE and is_protected(state, target, threat):
        return COVER_EXPOSURE[posture]
    if posture == "prone" or target.is_crawling:
        return constants.PRONE_EXPOSURE
    if target.crouched:
        return constants.CROUCHED_EXPOSURE
    return constants.RUNNING_EXPOSURE if target.is_running else 1.0


def is_protected(state: ArenaState, fighter: Fighter, threat: Point) -> bool:
    """Whether the target's cover lies between it and ``threat``."""
    cover = state.cover_of(fighter)
    return cover is not None and cover.protects_from(threat)


def fire_burst(
    state: ArenaState,
    shooter: Fighter,
    aim: float,
    *,
    target: Fighter | None,
    end: Point,
    is_suppressive: bool = False,
) -> None:
    """Fire a burst at ``target``, or towards ``end`` if nobody can be hit there.

    Aimed fire suppresses to a limit only; suppressive fire pins, and seldom hits.
    """
    shooter.rounds -= min(BURST_ROUNDS, shooter.rounds)
    shooter.fires_at = state.tick + BURST_TICKS
    shooter.cloaked = False
    at = {} if target is None else {"target": target.name}
    state.emit("shot", shooter.name, shooter.position, to_x=end[0], to_y=end[1], **at)
    chance = 0.0 if target is None else hit_chance(state, shooter, target, aim)
    hit = target is not None and state.rng.random() < chance
    state.shots.append(ShotView(shooter.name, *shooter.position, *end, target.name if target and hit else None))
    if target is not None:
        state.expected.append(ExpectedDamage(shooter.name, target.name, min(1.0, chance) * shooter.weapon.damage))
        suppress_group(state, target, is_suppressive=is_suppressive)
        if hit:
            apply_damage(state, target, shooter.weapon.damage, by=shooter, weapon=shooter.weapon.name)
    if not shooter.rounds:
        state.emit("empty", shooter.name, shooter.position)


def suppress_group(state: ArenaState, target: Fighter, *, is_suppressive: bool) -> None:
    """Suppress a fighter who is fired at and, less, fighters of the same side nearby."""
    direct, nearby = constants.AIMED_SUPPRESSION, constants.NEARBY_AIMED_SUPPRESSION
    if is_suppressive:
        direct, nearby = constants.SUPPRESSION, constants.NEARBY_SUPPRESSION
    add_suppression(state, target, direct, is_aimed=not is_suppressive)
    for friend in state.fighters_near(target.position, NEAR_MISS_RANGE):
        if friend is not target and friend.side == target.side:
            add_suppression(state, friend, nearby, is_aimed=not is_suppressive)


def add_suppression(state: ArenaState, fighter: Fighter, by: float, *, is_aimed: bool = False) -> None:
    """Queue suppression until the end of the step, so that update order gives no advantage."""
    queue = state.aimed_suppression if is_aimed else state.suppression
    queue[fighter.name] = queue.get(fighter.name, 0.0) + by


def apply_damage(
    state: ArenaState, target: Fighter, damage: float, *, by: Fighter, weapon: str, source: Point | None = None
) -> None:
    """Reduce health. A fighter without health dies at the end of the step, so two can kill each other at once."""
    if target.health <= 0:
        return
    target.health = max(0.0, target.health - damage)
    state.emit(
        "hit",
        by.name,
        target.position,
        target=target.name,
        damage=damage,
        weapon=weapon,
        in_cover=state.cover_of(target) is not None,
        protected=is_protected(state, target, source or by.position),
    )
    if target.health <= 0:
        state.dying[target.name] = by.name


def explode(state: ArenaState, grenade: Grenade) -> None:
    """Explode a grenade: damage everybody in the radius, except behind walls and shut doors."""
    centre = grenade.position(state.tick)
    by = state.fighters[grenade.by]
    state.emit("exploded", by.name, centre, grenade=grenade.name)
    for target in state.fighters_near(centre, BLAST_RADIUS):
        damage = round(BLAST_DAMAGE * (1 - target.distance_to(centre) / BLAST_RADIUS), 1)
        if damage > 0 and state.has_line_of_sight(centre, target.position):
            apply_damage(state, target, damage, by=by, weapon="grenade", source=centre)
            add_suppression(state, target, constants.SUPPRESSION)


def update_suppression(state: ArenaState, fighter: Fighter) -> None:
    """Apply the decay of suppression and the suppression queued in this step; that of aimed fire has a lower limit."""
    added = state.suppression.get(fighter.name, 0.0)
    by_aimed_fire = state.aimed_suppression.get(fighter.name, 0.0)
    if not (added or by_aimed_fire or fighter.suppressed):
        return
    left = max(0.0, fighter.suppressed - constants.SUPPRESSION_DECAY * TICK)
    if left < constants.AIMED_SUPPRESSION_LIMIT:
        left = min(constants.AIMED_SUPPRESSION_LIMIT, left + by_aimed_fire)
    fighter.suppressed = min(1.0, left + added)
