"""Control of a fighter by a person: keys held down and typed words become commands.

Start with `PlayerControl`; `with_player` takes a fighter's mind away.
"""

import math
from collections.abc import Collection
from dataclasses import replace

from telos.core.errors import TelosError, name_hint
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.sim.arena import NEUTRAL, Arena
from telos.worlds.arena.sim.constants import SIGHT_RANGE, THROW_RANGE, TICKS_A_SECOND, USE_RANGE
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Cell, Point, cell_centre, cell_of

DIRECTIONS: dict[str, Point] = {"up": (0.0, -1.0), "down": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
KEYS = (*DIRECTIONS, "shoot", "crouch", "reload", "throw", "use")
_STEP_LENGTHS = (1.0, 0.5)  # metres; the shorter one leads up to a wall
_BLIND_THROW = 8.0  # metres of a throw without a target
_ENDLESS = ("hold", "work")  # uses that go on until something else is done
_UNINTERRUPTED = ("animate reload", "animate throw", "animate roll", "use ")  # commands that held keys do not interrupt


def default_player(scene: Scene) -> str | None:
    """Return the fighter that a player takes by default: the first one opposing the first side, or None."""
    first = scene.sides[0] if scene.sides else ""
    return next((each.name for each in scene.cast if each.side not in (first, NEUTRAL)), None)


def with_player(scene: Scene, name: str) -> Scene:
    """Return the scene with a fighter that has neither a mind nor a script, but waits for commands."""
    if name not in (names := [each.name for each in scene.cast]):
        raise TelosError(f"unknown fighter {name!r} in scene {scene.name!r}", name_hint(name, names))
    cast = (replace(each, script=(), repeat=None) if each.name == name else each for each in scene.cast)
    return replace(scene, cast=tuple(cast))


class PlayerControl:
    """Commands for one fighter from keys and words.

    Walking into a shut door opens it. Shooting is at the nearest enemy in line of sight: melee if it is in reach, from
    cover if there is some, after reloading if the magazine is empty.
    """

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._me = arena, arena.fighter(name)
        self._before: frozenset[str] = frozenset()  # keys held in the last step
        self._from_keys = False  # whether the last command came from held keys and ends with them

    @property
    def target(self) -> str | None:
        """Return the nearest enemy in line of sight."""
        me, arena = self._me, self._arena
        near = {name: me.distance_to(arena.fighter(name).position) for name in arena.enemies_of(me.name)}
        visible = [name for name, away in near.items() if away <= SIGHT_RANGE and self._in_line(name)]
        return min(visible, key=near.__getitem__, default=None)

    def command_for_keys(self, keys: Collection[str]) -> str | None:
        """Return the new command for the keys held down now, if there is one."""
        down = frozenset(keys)
        pressed, self._before = down - self._before, down
        me = self._me
        if not me.alive or _is_busy(me):
            return None
        command = self._pressed_command(pressed) or self._held_command(down)
        if command is None and self._from_keys and me.act is not None and me.act.name not in _ENDLESS:
            self._from_keys = False
            return "stop"
        self._from_keys = command is not None
        return command

    def command_for_text(self, text: str) -> str:
        """Return the command for a line such as ``shoot Ann``, ``throw Ann``, ``go p3``, ``use d1 kick``."""
        match text.split():
            case ["shoot", name]:
                command = self._shoot(self._enemy(name))
            case ["throw", name]:
                command = f"animate throw {_format_point(self._arena.fighter(self._enemy(name)).position)}"
            case ["go", place]:
                command = f"goto {place}"
            case ["use", thing, use]:
                command = f"use {thing} {use}"
            case ["draw", weapon]:
                command = f"animate draw {weapon}"
            case ["reload" | "roll" as word]:
                command = f"animate {word}"
            case ["stop"]:
                command = "stop"
            case _:
                known = ("shoot NAME", "throw NAME", "go PLACE", "use THING USE", "draw WEAPON", "reload", "roll")
                remedy = f"write {', '.join(f'`{each}`' for each in known)} or `stop`"
                raise TelosError(f"unknown command {text!r}", remedy)
        self._arena.check({self._me.name: command})
        self._from_keys = False
        return command

    def phrases(self) -> tuple[str, ...]:
        """Return the lines that are possible now."""
        if not self._me.alive:
            return ()
        visible = [name for name in self._arena.enemies_of(self._me.name) if self._in_line(name)]
        lines = [f"shoot {name}" for name in visible]
        lines += [f"throw {name}" for name in visible if self._me.grenades]
        lines += [f"draw {weapon}" for weapon in self._me.holstered]
        at_hand = suggest_use(self._arena, self._me)
        return (*lines, *([at_hand] if at_hand else []), *(f"go {stop}" for stop in self._arena.map.patrol), "reload")

    # --- keys ---

    def _pressed_command(self, keys: frozenset[str]) -> str | None:
        """Return the command of a key that acts once, when it is pressed."""
        if "reload" in keys:
            return "animate reload"
        if "throw" in keys:
            return f"animate throw {_format_point(self._throw_target())}"
        return suggest_use(self._arena, self._me) if "use" in keys else None

    def _held_command(self, keys: frozenset[str]) -> str | None:
        """Return the command of keys that act while held; firing has priority over walking when the gun is ready."""
        across = sum(DIRECTIONS[key][0] for key in keys & DIRECTIONS.keys())
        down = sum(DIRECTIONS[key][1] for key in keys & DIRECTIONS.keys())
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

    def _throw_target(self) -> Point:
        me = self._me
        target = self.target
        if target is not None and me.distance_to(at := self._arena.fighter(target).position) <= THROW_RANGE:
            return at
        return me.x + math.cos(me.facing) * _BLIND_THROW, me.y + math.sin(me.facing) * _BLIND_THROW

    def _walk(self, across: float, down: float) -> str | None:
        """Head for a point ahead, along a wall, or through a door."""
        me, navigator = self._me, self._arena.navigator
        for x, y in ((across, down), (across, 0.0), (0.0, down)):
            far = math.hypot(x, y)
            for metres in _STEP_LENGTHS if far else ():
                ahead = (round(me.x + x / far * metres, 2), round(me.y + y / far * metres, 2))  # as written
                if navigator.is_clear(me.position, ahead, flies=me.flies):
                    return f"goto {_format_point(ahead)}"
            if far and (command := self._through(_next_cell(me.cell, (x, y)), (x, y))):
                return command
        return self._to_missed_door(across, down)

    def _through(self, cell: Cell, way: Point) -> str | None:
        """Return the command to enter or leave a door's cell."""
        arena, me = self._arena, self._me
        door = arena.map.doors_at.get(cell)
        if door is not None:
            if (state := arena.door(door)) != "open":
                return f"use {door} {'kick' if state == 'locked' else 'open'}"
            cell = _next_cell(cell, way)
        out = arena.map.doors_at.get(me.cell) is not None or door is not None
        return (
            f"goto {_format_point(cell_centre(cell))}"
            if out and arena.navigator.is_plain(cell, flies=me.flies)
            else None
        )

    def _to_missed_door(self, across: float, down: float) -> str | None:
        """Return the command to step in front of a door that was missed by one cell."""
        if across and down:
            return None
        for aside in ((down, across), (-down, -across)):
            before = _next_cell(self._me.cell, aside)
            is_door = _next_cell(before, (across, down)) in self._arena.map.doors_at
            if is_door and self._arena.navigator.is_plain(before, flies=self._me.flies):
                return f"goto {_format_point(cell_centre(before))}"
        return None

    def _in_line(self, name: str) -> bool:
        return self._arena.has_line_of_sight(self._me.position, self._arena.fighter(name).position)

    def _enemy(self, name: str) -> str:
        enemies = self._arena.enemies_of(self._me.name)
        if name not in enemies:
            raise TelosError(f"{name!r} is not a living enemy of {self._me.name}", name_hint(name, enemies))
        return name


def suggest_use(arena: Arena, me: Fighter) -> str | None:
    """Return the command that uses the nearest thing within reach, or None."""
    places = {name: arena.place_of(name) for name in (*arena.map.fixtures, *(each.name for each in arena.things()))}
    near = {name: me.distance_to(place) for name, place in places.items()}
    for name in sorted(near, key=lambda name: (near[name], name)):
        if near[name] > USE_RANGE:
            return None
        if name in arena.map.doors or arena.has_line_of_sight(me.position, places[name]):
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


def _is_busy(me: Fighter) -> bool:
    """Whether the fighter carries out an act that keys do not interrupt."""
    return me.act is not None and me.act.text.startswith(_UNINTERRUPTED) and me.act.name not in _ENDLESS


def _next_cell(cell: Cell, way: Point) -> Cell:
    """Return the next cell in a direction.

    >>> _next_cell((4, 2), (-1.0, 0.0))
    (3, 2)
    """
    return cell_of((cell[0] + 0.5 + way[0], cell[1] + 0.5 + way[1]))


def _format_point(point: Point) -> str:
    return f"{point[0]:.2f},{point[1]:.2f}"
