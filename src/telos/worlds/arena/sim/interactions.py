"""What can be done with the things of the arena, by their kind: one line each, and what happens."""

from dataclasses import dataclass

from telos.worlds.arena.sim.animations import Happening, glide, nothing
from telos.worlds.arena.sim.constants import AMMO, HEALS, REACH_OF_HANDS
from telos.worlds.arena.sim.fighter import Act, Fighter
from telos.worlds.arena.sim.map import beside, middle
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, blocked_by_door, failed, stuck
from telos.worlds.arena.sim.state import Stage


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a thing: how long it takes, and what happens at the start, in every tick and at the end."""

    seconds: float
    looping: bool = False
    begin: Happening = nothing
    each: Happening = nothing
    end: Happening = nothing


def too_far(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Refuse what is out of the reach of the hands, or behind a wall."""
    place = stage.place_of(act.target)
    me.turn_to(place)
    # A shut door and a window stand in the way of themselves only, and nobody reaches round the corner to one.
    near = me.distance_to(place) <= REACH_OF_HANDS
    seen = act.target in stage.doors or stage.line(me.position, place)
    return None if near and seen else failed(f"too far from {act.target}")


def open_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Try the handle."""
    door = stage.doors[act.target]
    if not door.is_shut:
        return DONE
    if door.held_by or door.state == "locked":
        stage.tell("stuck", me.name, middle(door.cell), door=door.name, who=door.held_by or "")
        return stuck(door.name, kicked=False) if door.held_by else blocked_by_door(door.name, locked=True)
    stage.set_door(door, "open")
    stage.tell("opened", me.name, middle(door.cell), door=door.name)
    return DONE


def close_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Shut a door, unless somebody stands in it."""
    door = stage.doors[act.target]
    if door.is_shut:
        return DONE
    if stage.bodies.get(door.cell):
        return failed(f"somebody stands in {door.name}")
    stage.set_door(door, "closed")
    stage.tell("closed", me.name, middle(door.cell), door=door.name)
    return DONE


def lock_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Lock a door that is shut."""
    door = stage.doors[act.target]
    if not door.is_shut:
        return failed(f"{door.name} is open")
    if door.state != "locked":
        stage.set_door(door, "locked")
        stage.tell("locked", me.name, middle(door.cell), door=door.name)
    return DONE


def unlock_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Unlock a door; it stays shut."""
    door = stage.doors[act.target]
    if door.state == "locked":
        stage.set_door(door, "closed")
        stage.tell("unlocked", me.name, middle(door.cell), door=door.name)
    return DONE


def kick_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Kick a door in, locked or not, unless somebody leans against it."""
    door = stage.doors[act.target]
    if not door.is_shut:
        return DONE
    stage.tell("kicked", me.name, middle(door.cell), door=door.name, opened=door.held_by is None)
    if door.held_by:
        stage.tell("stuck", me.name, middle(door.cell), door=door.name, who=door.held_by)
        return stuck(door.name, kicked=True)
    stage.set_door(door, "open")
    return DONE


def lean_on_door(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to hold a door shut."""
    door = stage.doors[act.target]
    if not door.is_shut:
        return failed(f"{door.name} is open")
    if door.held_by and door.held_by != me.name:
        return failed(f"{door.name} is held by {door.held_by}")
    door.held_by = me.name
    return None


def run_up(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a dive through a window: from the side that the body is on, to two metres beyond it if that is free."""
    window = stage.map.fixtures[act.target].cell
    sides = [(one, two) for pair in stage.map.sides(act.target) for one, two in (pair, pair[::-1])]
    near, far = min(sides, key=lambda side: me.distance_to(middle(side[0])))
    beyond = (2 * far[0] - window[0], 2 * far[1] - window[1])
    act.way = [middle(near), middle(beyond if beyond in stage.map.floor else far)]
    return None


def land(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """End a dive, among broken glass."""
    act.way = act.way[-1:]
    if act.target not in stage.broken:
        stage.broken.add(act.target)
        stage.tell("broke", me.name, stage.place_of(act.target), window=act.target)
    return DONE


def crouch_down(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to crawl: straight on under the obstacle, to the first floor behind it."""
    low = stage.map.fixtures[act.target].cell
    floor = [cell for cell in beside(low) if cell in stage.map.floor]
    if not floor:
        return failed(f"{act.target} leads nowhere")
    near = min(floor, key=lambda cell: me.distance_to(middle(cell)))
    step = (low[0] - near[0], low[1] - near[1])
    far = low
    while stage.map.mark(far) == "_":
        far = (far[0] + step[0], far[1] + step[1])
    if far not in stage.map.floor:
        return failed(f"{act.target} leads nowhere")
    act.way, act.crouched = [middle(near), middle(far)], True
    return None


def stand_up(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """End crawling."""
    act.way = act.way[-1:]
    return DONE


def light(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Switch the light of a room on."""
    room = stage.map.room_at(stage.place_of(act.target))
    if room in stage.dark:
        stage.dark.discard(room)
        stage.tell("lit", me.name, stage.place_of(act.target), room=room, switch=act.target)
    return DONE


def darken(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Switch the light of a room off."""
    room = stage.map.room_at(stage.place_of(act.target))
    if room not in stage.dark:
        stage.dark.add(room)
        stage.tell("dark", me.name, stage.place_of(act.target), room=room, switch=act.target)
    return DONE


def unused(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Refuse what somebody has used up."""
    return failed(f"{act.target} is used up") if act.target in stage.used_up else None


def heal(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Use up a medkit."""
    if spent := unused(stage, me, act):
        return spent
    stage.used_up.add(act.target)
    me.health = min(me.healthy, me.health + HEALS)
    stage.tell("healed", me.name, me.position, thing=act.target, health=me.health)
    return DONE


def take_ammo(stage: Stage, me: Fighter, act: Act) -> ActOutcome:
    """Empty a box of ammunition."""
    if spent := unused(stage, me, act):
        return spent
    stage.used_up.add(act.target)
    me.magazines += AMMO
    stage.tell("took", me.name, me.position, thing=act.target, magazines=me.magazines)
    return DONE


USES: dict[str, dict[str, Use]] = {
    "door": {
        "open": Use(0.5, end=open_door),
        "close": Use(0.5, end=close_door),
        "lock": Use(0.5, end=lock_door),
        "unlock": Use(0.5, end=unlock_door),
        "kick": Use(0.8, end=kick_door),
        "hold": Use(0.5, looping=True, begin=lean_on_door),
    },
    "window": {"dive": Use(0.8, begin=run_up, each=glide, end=land)},
    "switch": {"on": Use(0.4, end=light), "off": Use(0.4, end=darken)},
    "low": {"crawl": Use(1.5, begin=crouch_down, each=glide, end=stand_up)},
    "medkit": {"use": Use(1.0, begin=unused, end=heal)},
    "ammo": {"take": Use(0.8, begin=unused, end=take_ammo)},
    "desk": {"work": Use(3.0)},
}
