"""What a body could use where it stands, and which use of it is the likely one."""

from telos.worlds.arena.arena import Arena
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.rules import REACH_OF_HANDS


def use_at_hand(arena: Arena, me: Fighter) -> str | None:
    """Return the command that uses the nearest thing in reach; None if there is nothing to use."""
    places = {name: arena.place_of(name) for name in (*arena.map.fixtures, *(each.name for each in arena.things()))}
    near = {name: me.distance_to(place) for name, place in places.items()}
    for name in sorted(near, key=lambda name: (near[name], name)):
        if near[name] > REACH_OF_HANDS:
            return None
        if name in arena.map.doors or arena.line(me.position, places[name]):
            return f"use {name} {_likely_use(arena, name)}"
    return None


def _likely_use(arena: Arena, name: str) -> str:
    if name in arena.map.doors:
        return {"open": "close", "closed": "open", "locked": "kick"}[arena.door(name)]
    if name in arena.map.switches:
        return "on" if arena.is_dark(arena.room_at(arena.place_of(name))) else "off"
    if name in arena.map.windows:
        return "dive"
    if name in arena.map.lows:
        return "crawl"
    kinds = {thing.name: thing.kind for thing in arena.things()}
    return {"medkit": "use", "ammo": "take", "desk": "work"}[kinds[name]]
