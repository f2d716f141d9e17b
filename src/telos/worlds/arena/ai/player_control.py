"""Keys and words to commands."""

import math
from collections.abc import Collection
from dataclasses import replace

from telos.core.errors import TelosError, name_hint
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.sim.arena import NEUTRAL, Arena
from telos.worlds.arena.sim.constants import REACH_OF_HANDS, SIGHT, THROW, TICKS_A_SECOND
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Cell, Point, cell_of, middle

# --- reaching ---------------------------------------------------------------------------------------------------------
# What a body could use where it stands, and which use of it is the likely one.


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


# --- hands ------------------------------------------------------------------------------------------------------------
# A fighter in somebody's hands: keys held down and words become commands, as those of a mind do.


WAYS: dict[str, Point] = {"up": (0.0, -1.0), "down": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
HELD = (*WAYS, "shoot", "crouch", "reload", "throw", "use")
_STRIDES = (1.0, 0.5)  # metres ahead that a walker heads for; the shorter one takes it up to a wall
_LOB = 8.0  # metres that a grenade is thrown when nobody is in sight
_UNBROKEN = ("animate reload", "animate throw", "animate roll", "use ")  # what keys held down do not break off


def opponent(scene: Scene) -> str | None:
    """Return whom a player may take: the first of the side that opposes the first one; None if nobody does."""
    first = scene.sides[0] if scene.sides else ""
    return next((each.name for each in scene.cast if each.side not in (first, NEUTRAL)), None)


def in_hands(scene: Scene, name: str) -> Scene:
    """Return the scene with somebody who neither thinks nor goes by a script, but waits for commands."""
    if name not in (names := [each.name for each in scene.cast]):
        raise TelosError(f"nobody in {scene.name!r} is called {name!r}", name_hint(name, names))
    cast = (replace(each, script=(), repeat=None) if each.name == name else each for each in scene.cast)
    return replace(scene, cast=tuple(cast))


class Hands:
    """Turns what a player holds down, and says, into the next command for one fighter.

    Walking into a shut door opens it. Shooting is at the nearest enemy in line of sight, with fists if it is near
    enough, out of cover if there is some, and with a new magazine if the old one is empty.
    """

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._me = arena, arena.fighter(name)
        self._before: frozenset[str] = frozenset()  # held in the last step
        self._steers = False  # whether the last command came from keys, and ends when they are let go

    @property
    def target(self) -> str | None:
        """Return the nearest enemy in line of sight."""
        me, arena = self._me, self._arena
        near = {name: me.distance_to(arena.fighter(name).position) for name in arena.enemies_of(me.name)}
        shown = [name for name, away in near.items() if away <= SIGHT and self._in_line(name)]
        return min(shown, key=near.__getitem__, default=None)

    def held(self, keys: Collection[str]) -> str | None:
        """Return the command that follows from the keys held down now, if it is a new one."""
        down = frozenset(keys)
        pressed, self._before = down - self._before, down
        me = self._me
        if not me.alive or _is_at_it(me):
            return None
        command = self._pressed(pressed) or self._kept_down(down)
        if command is None and self._steers and me.act is not None:
            self._steers = False
            return "stop"
        self._steers = command is not None
        return command

    def said(self, text: str) -> str:
        """Return the command for a line such as ``shoot Ann``, ``throw Ann``, ``go p3``, ``use d1 kick``."""
        match text.split():
            case ["shoot", name]:
                command = self._shoot(self._enemy(name))
            case ["throw", name]:
                command = f"animate throw {_written(self._arena.fighter(self._enemy(name)).position)}"
            case ["go", place]:
                command = f"goto {place}"
            case ["use", thing, use]:
                command = f"use {thing} {use}"
            case ["reload" | "roll" as word]:
                command = f"animate {word}"
            case ["stop"]:
                command = "stop"
            case _:
                remedy = "write `shoot NAME`, `throw NAME`, `go PLACE`, `use THING USE`, `reload`, `roll` or `stop`"
                raise TelosError(f"{text!r} is nothing that {self._me.name} understands", remedy)
        self._arena.check({self._me.name: command})
        self._steers = False
        return command

    def phrases(self) -> tuple[str, ...]:
        """Return the lines that make sense now."""
        if not self._me.alive:
            return ()
        shown = [name for name in self._arena.enemies_of(self._me.name) if self._in_line(name)]
        lines = [f"shoot {name}" for name in shown]
        lines += [f"throw {name}" for name in shown if self._me.grenades]
        at_hand = use_at_hand(self._arena, self._me)
        return (*lines, *([at_hand] if at_hand else []), *(f"go {stop}" for stop in self._arena.map.patrol), "reload")

    # --- what keys mean -----------------------------------------------------------------------------------------------

    def _pressed(self, keys: frozenset[str]) -> str | None:
        """Return what a key does that acts once, when it goes down."""
        if "reload" in keys:
            return "animate reload"
        if "throw" in keys:
            return f"animate throw {_written(self._aim_of_a_throw())}"
        return use_at_hand(self._arena, self._me) if "use" in keys else None

    def _kept_down(self, keys: frozenset[str]) -> str | None:
        """Return what keys do as long as they are down; who walks and shoots, shoots whenever the gun is ready."""
        across = sum(WAYS[key][0] for key in keys & WAYS.keys())
        down = sum(WAYS[key][1] for key in keys & WAYS.keys())
        is_ready = round(self._arena.time * TICKS_A_SECOND) + 1 >= self._me.fires_at
        if "shoot" in keys and (is_ready or not (across or down)) and (target := self.target) is not None:
            return self._shoot(target)
        if across or down:
            return self._walk(across, down)
        return "animate hunker" if "crouch" in keys else None

    def _shoot(self, name: str) -> str:
        me, arena = self._me, self._arena
        if me.distance_to(arena.fighter(name).position) <= me.reach and self._in_line(name):
            return f"animate melee {name}"
        if not me.rounds and me.magazines:
            return "animate reload"
        node = arena.map.nodes.get(arena.node_under(me.name) or "")
        return f"animate {'fire' if node is None or node.kind != 'cover' else 'fire_from_cover'} {name}"

    def _aim_of_a_throw(self) -> Point:
        me = self._me
        target = self.target
        if target is not None and me.distance_to(at := self._arena.fighter(target).position) <= THROW:
            return at
        return me.x + math.cos(me.facing) * _LOB, me.y + math.sin(me.facing) * _LOB

    def _walk(self, across: float, down: float) -> str | None:
        """Head for a point close ahead, or along the wall if there is one, or through the door that is there."""
        me, navigator = self._me, self._arena.navigator
        for x, y in ((across, down), (across, 0.0), (0.0, down)):
            far = math.hypot(x, y)
            for metres in _STRIDES if far else ():
                ahead = (round(me.x + x / far * metres, 2), round(me.y + y / far * metres, 2))  # as written
                if navigator.is_clear(me.position, ahead, flies=me.flies):
                    return f"goto {_written(ahead)}"
            if far and (command := self._through(_beyond(me.cell, (x, y)), (x, y))):
                return command
        return self._to_a_door_beside(across, down)

    def _through(self, cell: Cell, way: Point) -> str | None:
        """Return how to get on into a cell that is no plain floor, or out of one."""
        arena, me = self._arena, self._me
        door = arena.map.doors_at.get(cell)
        if door is not None:
            if (state := arena.door(door)) != "open":
                return f"use {door} {'kick' if state == 'locked' else 'open'}"
            cell = _beyond(cell, way)
        out = arena.map.doors_at.get(me.cell) is not None or door is not None
        return f"goto {_written(middle(cell))}" if out and arena.navigator.is_plain(cell, flies=me.flies) else None

    def _to_a_door_beside(self, across: float, down: float) -> str | None:
        """Return how to get in front of a door that one has missed by a step; it is hard to hit one by eye."""
        if across and down:
            return None
        for aside in ((down, across), (-down, -across)):
            before = _beyond(self._me.cell, aside)
            is_door = _beyond(before, (across, down)) in self._arena.map.doors_at
            if is_door and self._arena.navigator.is_plain(before, flies=self._me.flies):
                return f"goto {_written(middle(before))}"
        return None

    # --- others -------------------------------------------------------------------------------------------------------

    def _in_line(self, name: str) -> bool:
        return self._arena.line(self._me.position, self._arena.fighter(name).position)

    def _enemy(self, name: str) -> str:
        enemies = self._arena.enemies_of(self._me.name)
        if name not in enemies:
            raise TelosError(f"{name!r} is no living enemy of {self._me.name}", name_hint(name, enemies))
        return name


def _is_at_it(me: Fighter) -> bool:
    """Whether a body is busy with something that takes its time, and is then over."""
    return me.act is not None and me.act.text.startswith(_UNBROKEN) and me.act.name != "hold"


def _beyond(cell: Cell, way: Point) -> Cell:
    """Return the next cell in a direction.

    >>> _beyond((4, 2), (-1.0, 0.0))
    (3, 2)
    """
    return cell_of((cell[0] + 0.5 + way[0], cell[1] + 0.5 + way[1]))


def _written(point: Point) -> str:
    return f"{point[0]:.2f},{point[1]:.2f}"
