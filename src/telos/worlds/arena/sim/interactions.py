"""Uses of things by their kind: doors, windows, switches, low obstacles, medkits, ammunition, desks.

The table `USES` at the end lists them all; a new use is a line there and its callbacks above.
"""

from dataclasses import dataclass

from telos.worlds.arena.sim.animations import ActCallback, do_nothing, glide
from telos.worlds.arena.sim.constants import AMMO_BOX_MAGAZINES, MEDKIT_HEALTH, USE_RANGE
from telos.worlds.arena.sim.fighter import Act, Ammunition, Fighter
from telos.worlds.arena.sim.map import adjacent_cells, cell_centre
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, blocked_by_door, failed, stuck
from telos.worlds.arena.sim.state import ArenaState

SLUMP_DISTANCE = 0.6  # metres from the middle of a thing to the body that lies over it


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a thing: its duration, and what happens at the start, in every tick and at the end."""

    seconds: float
    looping: bool = False
    ends_life: bool = False  # how a body dies there: only the dead do it, and it is over at once
    begin: ActCallback = do_nothing
    each: ActCallback = do_nothing
    end: ActCallback = do_nothing


def check_in_reach(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Turn to the thing, and fail if it is out of reach or behind a wall."""
    place = state.place_of(act.target)
    me.turn_to(place)
    # A shut door blocks the line of sight to itself, so doors are not checked for it.
    near = me.distance_to(place) <= USE_RANGE
    seen = act.target in state.doors or state.has_line_of_sight(me.position, place)
    return None if near and seen else failed(f"too far from {act.target}")


def open_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    door = state.doors[act.target]
    if not door.is_shut:
        return DONE
    if door.held_by or door.state == "locked":
        state.emit("stuck", me.name, cell_centre(door.cell), door=door.name, who=door.held_by or "")
        return stuck(door.name, kicked=False) if door.held_by else blocked_by_door(door.name, locked=True)
    state.set_door(door, "open")
    state.emit("opened", me.name, cell_centre(door.cell), door=door.name)
    return DONE


def close_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Close a door, unless a body stands in it."""
    door = state.doors[act.target]
    if door.is_shut:
        return DONE
    if state.bodies.get(door.cell):
        return failed(f"somebody stands in {door.name}")
    state.set_door(door, "closed")
    state.emit("closed", me.name, cell_centre(door.cell), door=door.name)
    return DONE


def lock_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Lock a shut door."""
    door = state.doors[act.target]
    if not door.is_shut:
        return failed(f"{door.name} is open")
    if door.state != "locked":
        state.set_door(door, "locked")
        state.emit("locked", me.name, cell_centre(door.cell), door=door.name)
    return DONE


def unlock_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Unlock a door; it stays shut."""
    door = state.doors[act.target]
    if door.state == "locked":
        state.set_door(door, "closed")
        state.emit("unlocked", me.name, cell_centre(door.cell), door=door.name)
    return DONE


def kick_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Kick a door open, locked or not, unless somebody holds it."""
    door = state.doors[act.target]
    if not door.is_shut:
        return DONE
    state.emit("kicked", me.name, cell_centre(door.cell), door=door.name, opened=door.held_by is None)
    if door.held_by:
        state.emit("stuck", me.name, cell_centre(door.cell), door=door.name, who=door.held_by)
        return stuck(door.name, kicked=True)
    state.set_door(door, "open")
    return DONE


def hold_door(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to hold a door shut."""
    door = state.doors[act.target]
    if not door.is_shut:
        return failed(f"{door.name} is open")
    if door.held_by and door.held_by != me.name:
        return failed(f"{door.name} is held by {door.held_by}")
    door.held_by = me.name
    return None


def begin_dive(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin a dive through a window, to two metres beyond it if that is free."""
    window = state.map.fixtures[act.target].cell
    sides = [(one, two) for pair in state.map.sides(act.target) for one, two in (pair, pair[::-1])]
    near, far = min(sides, key=lambda side: me.distance_to(cell_centre(side[0])))
    beyond = (2 * far[0] - window[0], 2 * far[1] - window[1])
    act.way = [cell_centre(near), cell_centre(beyond if beyond in state.map.floor else far)]
    return None


def end_dive(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """End a dive; the window breaks."""
    act.way = act.way[-1:]
    if act.target not in state.broken:
        state.broken.add(act.target)
        state.emit("broke", me.name, state.place_of(act.target), window=act.target)
    return DONE


def begin_crawl(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Begin to crawl straight on under the obstacle, to the first floor behind it."""
    low = state.map.fixtures[act.target].cell
    floor = [cell for cell in adjacent_cells(low) if cell in state.map.floor]
    if not floor:
        return failed(f"{act.target} leads nowhere")
    near = min(floor, key=lambda cell: me.distance_to(cell_centre(cell)))
    step = (low[0] - near[0], low[1] - near[1])
    far = low
    while state.map.mark(far) == "_":
        far = (far[0] + step[0], far[1] + step[1])
    if far not in state.map.floor:
        return failed(f"{act.target} leads nowhere")
    act.way, act.crouched = [cell_centre(near), cell_centre(far)], True
    return None


def end_crawl(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    act.way = act.way[-1:]
    return DONE


def switch_on(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Switch on the light of a room."""
    room = state.map.room_at(state.place_of(act.target))
    if room in state.dark:
        state.dark.discard(room)
        state.emit("lit", me.name, state.place_of(act.target), room=room, switch=act.target)
    return DONE


def switch_off(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Switch off the light of a room."""
    room = state.map.room_at(state.place_of(act.target))
    if room not in state.dark:
        state.dark.add(room)
        state.emit("dark", me.name, state.place_of(act.target), room=room, switch=act.target)
    return DONE


def check_unused(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    """Fail if the thing is used up."""
    return failed(f"{act.target} is used up") if act.target in state.used_up else None


def use_medkit(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    if spent := check_unused(state, me, act):
        return spent
    state.used_up.add(act.target)
    me.health = min(me.healthy, me.health + MEDKIT_HEALTH)
    state.emit("healed", me.name, me.position, thing=act.target, health=me.health)
    return DONE


def take_ammo(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    if spent := check_unused(state, me, act):
        return spent
    state.used_up.add(act.target)
    me.magazines += AMMO_BOX_MAGAZINES
    for weapon, (rounds, magazines) in me.holstered.items():
        me.holstered[weapon] = Ammunition(rounds, magazines + AMMO_BOX_MAGAZINES)
    state.emit("took", me.name, me.position, thing=act.target, magazines=me.magazines)
    return DONE


def refuse_the_living(state: ArenaState, me: Fighter, act: Act) -> ActOutcome | None:
    return failed("still alive") if me.alive else None


def slump(state: ArenaState, me: Fighter, act: Act) -> ActOutcome:
    """Fall forward over the thing, and stay there."""
    x, y = state.place_of(act.target)
    away = me.distance_to((x, y))
    if away > SLUMP_DISTANCE:  # the upper body lies on it, the feet stay in front of it
        me.x, me.y = (here + (there - here) * (1 - SLUMP_DISTANCE / away) for here, there in ((me.x, x), (me.y, y)))
    me.slumped_over = act.target
    state.emit("slumped", me.name, me.position, thing=act.target)
    return DONE


USES: dict[str, dict[str, Use]] = {
    "door": {
        "open": Use(0.5, end=open_door),
        "close": Use(0.5, end=close_door),
        "lock": Use(0.5, end=lock_door),
        "unlock": Use(0.5, end=unlock_door),
        "kick": Use(0.8, end=kick_door),
        "hold": Use(0.5, looping=True, begin=hold_door),
    },
    "window": {"dive": Use(0.8, begin=begin_dive, each=glide, end=end_dive)},
    "switch": {"on": Use(0.4, end=switch_on), "off": Use(0.4, end=switch_off)},
    "low": {"crawl": Use(1.5, begin=begin_crawl, each=glide, end=end_crawl)},
    "medkit": {"use": Use(1.0, begin=check_unused, end=use_medkit)},
    "ammo": {"take": Use(0.8, begin=check_unused, end=take_ammo)},
    "desk": {"work": Use(3.0, looping=True), "slump": Use(0.0, ends_life=True, begin=refuse_the_living, end=slump)},
}
