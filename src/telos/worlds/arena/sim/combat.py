"""Fire, blows and blasts: what hits, what it does, and who keeps their head down."""

import math

from telos.worlds.arena.sim import constants
from telos.worlds.arena.sim.constants import (
    BETWEEN_BURSTS,
    BLAST,
    BLAST_RADIUS,
    BURST,
    FALLS_OFF,
    NEAR_MISS,
    SHELTERED,
    SUPPRESSES,
    SUPPRESSES_FRIENDS,
    TICK,
)
from telos.worlds.arena.sim.fighter import Fighter, Grenade
from telos.worlds.arena.sim.map import Point
from telos.worlds.arena.sim.state import Stage
from telos.worlds.arena.sim.views import ShotView


def chance(stage: Stage, shooter: Fighter, target: Fighter, aim: float = 1.0) -> float:
    """Return the chance that a burst hits; ``aim`` is how carefully it is fired."""
    away = shooter.distance_to(target.position)
    steady = 1 - constants.UNDER_FIRE * shooter.suppressed
    light = constants.INTO_THE_DARK if stage.in_the_dark(target) else 1.0
    shown = exposure(stage, target, shooter.position)
    return shooter.weapon.accuracy * math.exp(-away / FALLS_OFF) * shown * aim * steady * light


def exposure(stage: Stage, target: Fighter, threat: Point) -> float:
    """Return how easily a body is hit by fire from ``threat``, compared with one that stands in the open."""
    posture = "covered" if target.act is None else target.act.posture  # who does nothing keeps behind the cover
    if posture == "rolling":
        return constants.ROLLING
    if posture in SHELTERED and is_protected(stage, target, threat):
        return SHELTERED[posture]
    if target.crouched:
        return constants.CROUCHED
    return constants.RUNNING if target.is_running else 1.0


def is_protected(stage: Stage, fighter: Fighter, threat: Point) -> bool:
    """Whether the cover that a body is in lies between it and ``threat``."""
    cover = stage.cover_of(fighter)
    return cover is not None and cover.protects_from(threat)


def fire_burst(stage: Stage, shooter: Fighter, aim: float, *, target: Fighter | None, end: Point) -> None:
    """Fire a burst at ``target``, or just towards ``end`` if nobody can be hit there."""
    shooter.rounds -= min(BURST, shooter.rounds)
    shooter.fires_at = stage.tick + BETWEEN_BURSTS
    shooter.cloaked = False
    at = {} if target is None else {"target": target.name}
    stage.tell("shot", shooter.name, shooter.position, to_x=end[0], to_y=end[1], **at)
    hit = target is not None and stage.rng.random() < chance(stage, shooter, target, aim)
    stage.shots.append(ShotView(shooter.name, *shooter.position, *end, target.name if target and hit else None))
    if target is not None:
        keep_down(stage, target)
        if hit:
            hurt(stage, target, shooter.weapon.damage, by=shooter, weapon=shooter.weapon.name)
    if not shooter.rounds:
        stage.tell("empty", shooter.name, shooter.position)


def keep_down(stage: Stage, target: Fighter) -> None:
    """Suppress somebody who is fired at, and a little their friends nearby."""
    frighten(stage, target, SUPPRESSES)
    for friend in stage.near(target.position, NEAR_MISS):
        if friend is not target and friend.side == target.side:
            frighten(stage, friend, SUPPRESSES_FRIENDS)


def frighten(stage: Stage, fighter: Fighter, by: float) -> None:
    """Suppress somebody from the end of the step on, so that who comes first in the cast has nothing from it."""
    stage.fear[fighter.name] = stage.fear.get(fighter.name, 0.0) + by


def hurt(
    stage: Stage, target: Fighter, damage: float, *, by: Fighter, weapon: str, source: Point | None = None
) -> None:
    """Take health away. Who has none left dies at the end of the step, so two can kill each other at once."""
    if target.health <= 0:
        return
    target.health = max(0.0, target.health - damage)
    stage.tell(
        "hit",
        by.name,
        target.position,
        target=target.name,
        damage=damage,
        weapon=weapon,
        in_cover=stage.cover_of(target) is not None,
        protected=is_protected(stage, target, source or by.position),
    )
    if target.health <= 0:
        stage.dying[target.name] = by.name


def explode(stage: Stage, grenade: Grenade) -> None:
    """Let a grenade go off: it hurts everybody near, except behind walls and shut doors."""
    centre = grenade.position(stage.tick)
    by = stage.fighters[grenade.by]
    stage.tell("exploded", by.name, centre, grenade=grenade.name)
    for target in stage.near(centre, BLAST_RADIUS):
        damage = round(BLAST * (1 - target.distance_to(centre) / BLAST_RADIUS), 1)
        if damage > 0 and stage.line(centre, target.position):
            hurt(stage, target, damage, by=by, weapon="grenade", source=centre)
            frighten(stage, target, SUPPRESSES)


def settle(stage: Stage, fighter: Fighter) -> None:
    """Let fear pass, and the fear of this step come."""
    fear = stage.fear.get(fighter.name, 0.0)
    if fear or fighter.suppressed:
        fighter.suppressed = min(1.0, max(0.0, fighter.suppressed - constants.CALMS_DOWN * TICK) + fear)
