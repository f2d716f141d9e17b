"""Animations with a gun in the hand: what happens at the start and in every tick.

Each function answers None while the animation goes on, ``DONE``, or why it failed.
"""

from telos.worlds.arena.combat import fire_burst, frighten, keep_down
from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.grid import Point, crossed, middle
from telos.worlds.arena.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.rules import BLIND, LOSES_SIGHT, NEAR_MISS, SPRAYING, SUPPRESSES_FRIENDS
from telos.worlds.arena.stage import Stage

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
