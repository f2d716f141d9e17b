"""The pictures of the arena: `ArenaMapDrawing` draws a map, `FightDrawing` a moment of a fight on it.

`outline` returns the border of a set of cells. Symbols face right; a fighter has a radius of about ten units.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from telos.studio.worlds.shapes import Picture, Shape, Symbols, circle, line, path, place, rect, text
from telos.worlds.arena.sim.constants import BLAST_RADIUS, FUSE_TICKS, TICKS_A_SECOND
from telos.worlds.arena.sim.fighter import Fighter, ThingPlacement
from telos.worlds.arena.sim.map import COMPASS, ArenaMap, Cell, MapNode, Point
from telos.worlds.arena.sim.mesh import Area
from telos.worlds.arena.sim.views import ArenaView, FighterView, GrenadeView, ShotView

# --- outlines ---------------------------------------------------------------------------------------------------------


GridPoint: TypeAlias = tuple[int, int]  # column, row; also a corner of the grid


def outline(cells: Iterable[GridPoint], unit: float, *, left: float = 0.0, top: float = 0.0) -> str:
    """Return the SVG path around cells of width ``unit``; holes are loops in the opposite direction.

    The upper left corner of cell (0, 0) is at (``left``, ``top``).

    >>> outline({(0, 0), (1, 0)}, 10)
    'M0 0L20 0L20 10L0 10Z'
    """
    inside = set(cells)
    return "".join(_loop_path(loop, unit, left, top) for loop in _loops(inside))


def _loops(inside: set[GridPoint]) -> Iterator[list[GridPoint]]:
    """Yield the corners of each closed loop, with the inside on its right."""
    ends: dict[GridPoint, list[GridPoint]] = {}
    for cell in sorted(inside):
        for start, end in _sides(cell, inside):
            ends.setdefault(start, []).append(end)
    while ends:
        start = here = next(iter(ends))
        loop = [start]
        while (here := _take_end(ends, here)) != start:
            loop.append(here)
        yield loop


def _sides(cell: GridPoint, inside: Collection[GridPoint]) -> Iterator[tuple[GridPoint, GridPoint]]:
    """Yield the sides of a cell that are on the border of the set, clockwise."""
    x, y = cell
    if (x, y - 1) not in inside:
        yield (x, y), (x + 1, y)
    if (x + 1, y) not in inside:
        yield (x + 1, y), (x + 1, y + 1)
    if (x, y + 1) not in inside:
        yield (x + 1, y + 1), (x, y + 1)
    if (x - 1, y) not in inside:
        yield (x, y + 1), (x, y)


def _take_end(ends: dict[GridPoint, list[GridPoint]], here: GridPoint) -> GridPoint:
    """Remove one side that starts at a corner, and return its end."""
    after = ends[here].pop()
    if not ends[here]:
        del ends[here]
    return after


def _loop_path(loop: list[GridPoint], unit: float, left: float, top: float) -> str:
    turns = [
        here
        for before, here, after in zip([loop[-1], *loop], loop, [*loop[1:], loop[0]], strict=False)
        if not (before[0] == here[0] == after[0] or before[1] == here[1] == after[1])
    ]
    return f"M{'L'.join(f'{_short(left + x * unit)} {_short(top + y * unit)}' for x, y in turns)}Z"


def _short(value: float) -> str:
    return f"{round(value, 1):g}"


# --- map --------------------------------------------------------------------------------------------------------------


SIZE = (760.0, 430.0)  # of the picture, in units; one unit is a pixel at this size
NAMED_FROM = 17.0  # units per metre; from this scale on, there is room for names
_SOLID = "#=+/%"
_EDGE = "panel/60"


class MapScale:
    """The mapping from metres to picture units: as large as fits, centred."""

    def __init__(self, map: ArenaMap) -> None:
        self.unit = round(min(SIZE[0] / map.width, SIZE[1] / map.height), 2)  # a metre
        self.left = round((SIZE[0] - map.width * self.unit) / 2, 2)
        self.top = round((SIZE[1] - map.height * self.unit) / 2, 2)

    def at(self, x: float, y: float) -> Point:
        """Return the picture coordinates of a point of the map."""
        return self.left + x * self.unit, self.top + y * self.unit

    def to_map(self, x: float, y: float) -> Point:
        """Return the point of the map, in metres, at picture coordinates."""
        return (x - self.left) / self.unit, (y - self.top) / self.unit

    def around(self, cells: Iterable[Cell], *, shift: float = 0.0) -> str:
        """Return the path around cells, shifted by ``shift`` metres to the right and down."""
        far = shift * self.unit
        return outline(cells, self.unit, left=self.left + far, top=self.top + far)

    def box(self, x: float, y: float, width: float, height: float, fill: str, **more: float | str) -> Shape:
        """Return a rectangle around a point of the map, all in metres."""
        left, top = self.at(x - width / 2, y - height / 2)
        return rect(left, top, width * self.unit, height * self.unit, fill, **more)  # type: ignore[arg-type]


class ArenaMapDrawing:
    """Draws one map. The static part is computed once; doors, windows and lights are arguments."""

    def __init__(self, map: ArenaMap) -> None:
        self._map, self.scale = map, MapScale(map)
        self._rooms: dict[str, list[Cell]] = {}
        for y, row in enumerate(map.rows):
            for x in range(len(row)):
                self._rooms.setdefault(map.room_at((x + 0.5, y + 0.5)), []).append((x, y))
        self._rooms.pop("", None)
        self._still = [*self._floors(), *self._nodes(), *self._walls(), *self._furniture(), *self._lows()]

    def picture(self, doors: Mapping[str, str], broken: Collection[str], dark: Iterable[str]) -> Picture:
        """Return the map with its doors ``open``, ``closed`` or ``locked``, windows broken, and rooms in the dark."""
        shapes = list(self._still)
        for name, window in self._map.windows.items():
            shapes += self._window(window, name in broken)
        for name, door in self._map.doors.items():
            shapes += self._door(door, doors[name])
        for room in dark:
            shadow = self.scale.around(self._rooms[room])
            shapes += [
                path(shadow, fill="wall2/45"),
                path(shadow, fill="shadow"),
            ]  # dim in both themes; crates stay visible
        return [*shapes, *self._switches()]  # visible in the dark

    # --- static part --------------------------------------------------------------------------------------------------

    def _floors(self) -> Iterator[Shape]:
        width, height, at = self._map.width, self._map.height, self.scale.at
        yield rect(0, 0, *SIZE, "page")
        inside = {cell for cells in self._rooms.values() for cell in cells}
        yield path(self.scale.around(inside | self._openings()), fill="floor")
        for number, cells in enumerate(self._rooms.values()):
            if number % 2:  # neighbours differ, mostly
                yield path(self.scale.around(cells), fill="floor2")
        lines = [(at(0, y), at(width, y)) for y in range(1, height)] + [
            (at(x, 0), at(x, height)) for x in range(1, width)
        ]
        grid = "".join(f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" for (x, y), (to_x, to_y) in lines)
        yield path(grid, stroke="line/35", width=0.6)

    def _openings(self) -> set[Cell]:
        return {each.cell for each in (*self._map.doors.values(), *self._map.windows.values())}

    def _nodes(self) -> Iterator[Shape]:
        """Yield the nodes, faintly: cover with its protected sides, ambush and patrol nodes."""
        unit, shelters = self.scale.unit, ""
        for node in self._map.nodes.values():
            x, y = self.scale.at(*node.position)
            if node.kind == "cover":
                shelters += "".join(self._shelter(node, side) for side in sorted(node.protects))
            elif node.kind == "ambush":
                yield circle(x, y, unit * 0.28, "", stroke="accent/55", width=1.2)
                yield circle(x, y, unit * 0.09, "accent/55")
            else:
                yield circle(x, y, max(6.5, unit * 0.4), "faint/12", stroke="faint/45")
                yield text(x, y, node.name.removeprefix("p"), "faint/90", size=9)
            if unit >= NAMED_FROM and node.kind != "patrol":
                yield text(x, y + unit * 0.62, node.name, "faint/60", size=8)
        if shelters:
            yield path(shelters, stroke="faint/45", width=1.4)

    def _shelter(self, node: MapNode, side: str) -> str:
        """Return a short line at a protected side of a cover node."""
        across, down = COMPASS[side]
        x, y = self.scale.at(node.x + across * 0.38, node.y + down * 0.38)
        half = self.scale.unit * 0.26
        return f"M{x - down * half:.1f} {y - across * half:.1f}l{down * half * 2:.1f} {across * half * 2:.1f}"

    def _walls(self) -> Iterator[Shape]:
        inside = {cell for cells in self._rooms.values() for cell in cells}
        everywhere = {(x, y) for x in range(self._map.width) for y in range(self._map.height)}
        walls = everywhere - inside - self._openings()
        yield path(self.scale.around(walls, shift=0.2), fill="shadow")  # a drop shadow
        yield path(self.scale.around(walls), fill="wall2", stroke="wall", width=1.4)

    def _furniture(self) -> Iterator[Shape]:
        """Yield crates: a shadow, a box and two planks for each cell."""
        cells = sorted(self._map.furniture)
        for x, y in cells:
            yield self.scale.box(x + 0.58, y + 0.62, 0.95, 0.95, "shadow", radius=2)
        for x, y in cells:
            yield self.scale.box(x + 0.5, y + 0.5, 0.9, 0.9, "wood", radius=1.5, stroke=_EDGE)
        starts = [self.scale.at(x + 0.2, y + down) for x, y in cells for down in (0.34, 0.66)]
        planks = "".join(f"M{x:.1f} {y:.1f}h{self.scale.unit * 0.6:.1f}" for x, y in starts)
        if planks:
            yield path(planks, stroke="panel/45", width=1)

    def _lows(self) -> Iterator[Shape]:
        """Yield the low passages, hatched."""
        half = self.scale.unit / 2
        for low in self._map.lows.values():
            x, y = self.scale.at(*low.position)
            yield self.scale.box(*low.position, 1, 1, "stone/45")
            upper = f"M{x - half:.1f} {y:.1f}l{half:.1f} {-half:.1f}"
            yield path(f"{upper}M{x:.1f} {y + half:.1f}l{half:.1f} {-half:.1f}", stroke=_EDGE, width=1)

    def _switches(self) -> Iterator[Shape]:
        for switch in self._map.switches.values():
            yield self.scale.box(*switch.position, 0.44, 0.6, "panel", radius=2, stroke="gold")
            yield circle(*self.scale.at(switch.x, switch.y - 0.08), self.scale.unit * 0.11, "gold")

    # --- changing part ------------------------------------------------------------------------------------------------

    def _door(self, door: MapNode, state: str) -> Iterator[Shape]:
        """Yield a door: across the passage if shut, along its side if open."""
        yield self.scale.box(*door.position, 1, 1, "path")
        thick, upright = max(0.24, 2.4 / self.scale.unit), self._runs_upright(door.cell)
        x, y, wide, high = (door.x, door.y, thick, 1.0) if upright else (door.x, door.y, 1.0, thick)
        if state == "open":  # hinged at the upper or left post, and a little longer
            wide, high = (1.25, thick) if upright else (thick, 1.25)
            x, y = (door.x + 0.125, door.y - 0.5) if upright else (door.x - 0.5, door.y + 0.125)
        yield self.scale.box(x, y, wide, high, "wood", radius=1, stroke=_EDGE)
        if state == "locked":
            yield circle(*self.scale.at(*door.position), max(2.2, self.scale.unit * 0.2), "gold", stroke="panel")

    def _window(self, window: MapNode, is_broken: bool) -> Iterator[Shape]:
        yield self.scale.box(*window.position, 1, 1, "wall2")
        across, down = (0.0, 0.5) if self._runs_upright(window.cell) else (0.5, 0.0)
        ends = (*self.scale.at(window.x - across, window.y - down), *self.scale.at(window.x + across, window.y + down))
        width = max(2.0, self.scale.unit * 0.2)
        yield line(*ends, "gem/45" if is_broken else "gem", width=width, dashed=is_broken)

    def _runs_upright(self, cell: Cell) -> bool:
        """Return whether the wall of a door or window is vertical."""
        x, y = cell
        return all(self._map.mark((x, y + down)) in _SOLID for down in (-1, 1))


# --- fight ------------------------------------------------------------------------------------------------------------


BLAST_LASTS = 0.7  # seconds that an explosion is shown
NOISE_LASTS = 0.5
SHADE_MOST = 50  # per cent, of a place where a hidden enemy is for certain
SHOT_LASTS = 0.25
_SIDES = {"blue": "side0", "red": "side1", "neutral": "faint"}
_LOOKS = {"rat": "rat", "drone": "drone", "assassin": "prowler", "ghost": "prowler"}
_BODY = 0.62  # metres, the approximate radius of a drawn body
_MIN_SCALE, _MAX_SCALE = 1.0, 1.6  # times the size of a symbol
_CLOAKED = 0.3
_FUSE = FUSE_TICKS / TICKS_A_SECOND


@dataclass(frozen=True, slots=True)
class MapFlash:
    """A short effect on the map, from ``time`` on."""

    time: float
    x: float
    y: float
    metres: float = 0.0  # how far it reaches


@dataclass(frozen=True, slots=True)
class FightMoment:
    """Everything that is drawn of one moment, besides the map."""

    view: ArenaView
    bodies: Mapping[str, Fighter]
    things: Iterable[ThingPlacement] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    shots: Iterable[tuple[float, ShotView]] = ()
    blasts: Iterable[MapFlash] = ()  # all so far: they leave marks
    noises: Iterable[MapFlash] = ()
    player: str | None = None
    aim: str | None = None  # the player's current target
    suspected: Iterable[
        tuple[Area, float, str]
    ] = ()  # where fighters of a side take a hidden enemy to be, and how surely


def side_colours(view: ArenaView) -> dict[str, str]:
    """Return the colour role of each side; red and blue have their own."""
    sides = list(dict.fromkeys(each.side for each in view.fighters))
    return {side: _SIDES.get(side, f"side{number % 2}") for number, side in enumerate(sides)}


class FightDrawing:
    """Draws moments of a fight on a map with this ``scale``."""

    def __init__(self, scale: MapScale) -> None:
        self._at, self._unit = scale.at, scale.unit
        self._scale = round(min(_MAX_SCALE, max(_MIN_SCALE, scale.unit * _BODY / 10)), 2)  # of symbols

    def picture(self, fight: FightMoment) -> Picture:
        """Return the moving part of the picture, from the floor up."""
        view, tint = fight.view, side_colours(fight.view)
        scorched = [circle(*self._at(each.x, each.y), self._unit * 1.1, "shadow") for each in fight.blasts]
        covered = {each.slumped_over for each in view.fighters}
        labels = {each.name: None if each.name in covered else each.kind for each in fight.things}
        lying = [
            place(each.name, each.kind, *self._at(each.x, each.y), scale=self._scale, label=labels[each.name])
            for each in fight.things
        ]
        dead = [self._fallen(each, tint[each.side]) for each in view.fighters if not each.alive]
        living = [each for each in view.fighters if each.alive]
        ways = [shape for each in living for shape in self._way(fight.bodies[each.name], tint[each.side])]
        shots = [shape for when, shot in fight.shots for shape in self._shot(shot, view.time - when)]
        standing = [self._standing(each, fight, tint[each.side]) for each in living]
        shaded = [self._shade(area, share, tint[side]) for area, share, side in fight.suspected]
        return [
            *shaded, *scorched, *lying, *dead, *ways, *self._grenades(view.grenades), *shots, *standing,
            *self._aim(fight), *self._flashes(fight),
        ]  # fmt: skip

    def _shade(self, area: Area, share: float, tint: str) -> Shape:
        """Return the shading of a place in which a hidden enemy may be; the surer, the darker."""
        left, top = self._at(area.left, area.top)
        wide, high = (area.right - area.left) * self._unit, (area.bottom - area.top) * self._unit
        return rect(left, top, wide, high, f"{tint}/{min(SHADE_MOST, round(SHADE_MOST * math.sqrt(share)) + 4)}")

    # --- fighters -----------------------------------------------------------------------------------------------------

    def _standing(self, each: FighterView, fight: FightMoment, tint: str) -> Shape:
        look = _LOOKS.get(each.character, "kneeling" if each.crouched else "soldier")
        return place(
            each.name,
            look,
            *self._at(each.x, each.y),
            angle=each.facing,
            scale=self._scale,
            tint=tint,
            pick=each.name,
            label=fight.labels.get(each.name, each.name),
            bar=round(each.health / fight.bodies[each.name].healthy, 2),
            says=fight.says.get(each.name),
            alpha=_CLOAKED if each.cloaked else None,
            glow="gold" if each.name == fight.player else None,
        )

    def _fallen(self, each: FighterView, tint: str) -> Shape:
        look = "fallen" if each.slumped_over is None else "slumped"
        return place(each.name, look, *self._at(each.x, each.y), angle=each.facing, scale=self._scale, tint=tint)

    def _way(self, body: Fighter, tint: str) -> Iterator[Shape]:
        """Yield the rest of a fighter's path."""
        if body.act is None or body.act.state != "goto" or not body.act.way:
            return
        points = [self._at(x, y) for x, y in (body.position, *body.act.way)]
        yield path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), stroke=f"{tint}/30", width=1.2)
        yield circle(*points[-1], 2, f"{tint}/45")

    def _aim(self, fight: FightMoment) -> Iterator[Shape]:
        """Yield a reticle around the player's target."""
        if fight.aim is None:
            return
        body, radius = fight.bodies[fight.aim], 13 * self._scale
        x, y = self._at(*body.position)
        yield circle(x, y, radius, "", stroke="gold/80", width=1.3)
        ticks = ((0, -1), (0, 1), (-1, 0), (1, 0))
        cross = "".join(
            f"M{x + a * radius * 0.75:.1f} {y + b * radius * 0.75:.1f}l{a * radius * 0.55:.1f} {b * radius * 0.55:.1f}"
            for a, b in ticks
        )
        yield path(cross, stroke="gold/80", width=1.3)

    # --- shots, grenades and blasts -----------------------------------------------------------------------------------

    def _shot(self, shot: ShotView, age: float) -> Iterator[Shape]:
        """Yield a fading tracer, and at first a flash at the muzzle and at the impact."""
        left = round(100 * max(0.0, 1 - age / SHOT_LASTS))
        if not left:
            return
        x, y, to_x, to_y = *self._at(shot.x, shot.y), *self._at(shot.to_x, shot.to_y)
        away = math.hypot(to_x - x, to_y - y) or 1.0
        across, down = (to_x - x) / away, (to_y - y) / away
        muzzle = min(17 * self._scale, away)
        x, y = x + across * muzzle, y + down * muzzle
        yield line(x, y, to_x, to_y, f"gold/{round(left * 0.85)}", width=1.6 if shot.hit else 1.1, dashed=not shot.hit)
        if age < 0.05:
            yield path(_star(x, y, across, down, 7 * self._scale), fill="gold", stroke="fire/80", width=0.8)
            yield circle(to_x, to_y, (5 if shot.hit else 2.5) * self._scale, "danger/70" if shot.hit else "stone/60")

    def _grenades(self, grenades: Iterable[GrenadeView]) -> Iterator[Shape]:
        for each in grenades:
            x, y = self._at(each.x, each.y)
            radius = BLAST_RADIUS * self._unit
            yield circle(x, y, radius, "danger/8", stroke="danger/35")
            yield circle(x, y, max(3.0, radius * each.left / _FUSE), "", stroke="danger/85", width=1.8)
            yield place(each.name, "grenade", x, y, scale=self._scale * 1.2)

    def _flashes(self, fight: FightMoment) -> Iterator[Shape]:
        now = fight.view.time
        for blast in fight.blasts:
            part = (now - blast.time) / BLAST_LASTS
            if part < 1:
                yield from self._blast(blast, part)
        for noise in fight.noises:
            part = (now - noise.time) / NOISE_LASTS
            if part < 1:
                x, y = self._at(noise.x, noise.y)
                radius = self._unit * (0.8 + min(4.0, noise.metres / 6) * part)
                yield circle(x, y, radius, "", stroke=f"faint/{round(60 * (1 - part))}", width=1.2)

    def _blast(self, blast: MapFlash, part: float) -> Iterator[Shape]:
        x, y = self._at(blast.x, blast.y)
        grown = BLAST_RADIUS * self._unit * (0.35 + 0.65 * math.sqrt(part))
        left = 1 - part
        yield circle(x, y, grown, f"fire/{round(40 * left)}", stroke=f"fire/{round(85 * left)}", width=2)
        yield circle(x, y, grown * 0.65, f"fire/{round(55 * left)}")
        yield circle(x, y, grown * 0.35, f"gold/{round(95 * left)}")


def _star(x: float, y: float, across: float, down: float, length: float) -> str:
    """Return a muzzle flash in a direction."""
    points = []
    for turn, far in ((-0.9, 0.5), (-0.4, 0.35), (0.0, 1.0), (0.4, 0.35), (0.9, 0.5), (math.pi, 0.2)):
        sin, cos = math.sin(turn), math.cos(turn)
        points.append((x + (across * cos - down * sin) * length * far, y + (across * sin + down * cos) * length * far))
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z"


# --- symbols ----------------------------------------------------------------------------------------------------------


_RIM = "page/80"
_SHADE = ("shadow", "M-8 3A9.5 9.5 0 1 0 11 3A9.5 9.5 0 1 0 -8 3Z", "", 0.0)
_HEAD = [
    ("tint", "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", _RIM, 1.2),
    ("page/35", "M1.2 -3.6A4.4 4.4 0 0 1 1.2 3.6A6 6 0 0 0 1.2 -3.6Z", "", 0.0),
]
_SHOULDERS = ("tint", "M-4.5 -7Q-4.5 -10 -0.5 -10Q4 -10 4 -6.5L4 6.5Q4 10 -0.5 10Q-4.5 10 -4.5 7Z", _RIM, 1.2)
_ARMS = ("tint", "M1 -9.5L8 -1.2L6 1.4L-0.5 -5ZM1 9.5L10.5 4.6L9.5 1.6L-0.5 5.5Z", _RIM, 0.8)
_RIFLE = ("ink", "M1.5 0.8L17.5 0.8L17.5 2.9L9.5 2.9L8.8 5L6.8 5L7.2 3.2L1.5 3.4Z", _RIM, 0.6)

SYMBOLS: Symbols = {
    "soldier": [_SHADE, _RIFLE, _ARMS, _SHOULDERS, *_HEAD],
    "kneeling": [
        ("shadow", "M-7 2A8 8 0 1 0 9 2A8 8 0 1 0 -7 2Z", "", 0.0),
        ("ink", "M1 1.8L13 1.8L13 3.8L7 3.8L1 4Z", _RIM, 0.6),
        ("tint", "M-6 -5.5Q-5 -8 -0.5 -8Q5 -8 6.5 -3L6.5 3.5Q5 8 -0.5 8Q-5 8 -6 5.5Z", _RIM, 1.2),
        ("tint", "M-3 0A4.6 4.6 0 1 0 6.2 0A4.6 4.6 0 1 0 -3 0Z", _RIM, 1.2),
    ],
    "prowler": [
        _SHADE,
        ("ink", "M6 -6L15 -8.5L7.5 -3.8ZM6 6L15 8.5L7.5 3.8Z", _RIM, 0.5),
        ("tint", "M-9 0Q-6 -8 1 -9.5L8 -6L5 -3.5L5 3.5L8 6L1 9.5Q-6 8 -9 0Z", _RIM, 1.2),
        *_HEAD,
    ],
    "rat": [
        ("", "M-6 0C-10 -3 -11 3 -15 0", "tint", 1.6),
        ("tint", "M-7 0C-7 -4.5 0 -5 5 -2.5Q8 -1 9 0Q8 1 5 2.5C0 5 -7 4.5 -7 0Z", _RIM, 1.0),
        ("ink", "M6 -1.2A0.8 0.8 0 1 0 6 -1.3ZM6 1.2A0.8 0.8 0 1 0 6 1.3Z", "", 0.0),
    ],
    "drone": [
        ("shadow", "M-6 7A8 5 0 1 0 10 7A8 5 0 1 0 -6 7Z", "", 0.0),
        ("", "M-7 -7L7 7M-7 7L7 -7", "tint", 2.2),
        (
            "tint/40",
            "M-11 -7A4.2 4.2 0 1 0 -2.6 -7A4.2 4.2 0 1 0 -11 -7ZM2.6 -7A4.2 4.2 0 1 0 11 -7A4.2 4.2 0 1 0 2.6 -7Z"
            "M-11 7A4.2 4.2 0 1 0 -2.6 7A4.2 4.2 0 1 0 -11 7ZM2.6 7A4.2 4.2 0 1 0 11 7A4.2 4.2 0 1 0 2.6 7Z",
            "tint",
            1.0,
        ),
        ("tint", "M-5 -3.5L4 -3.5L8 0L4 3.5L-5 3.5Z", _RIM, 1.2),
    ],
    "fallen": [
        ("tint/35", "M-10 -3Q-11 0 -10 3L3 4.5L9 7.5L10 5.5L4.5 1.5L12 -3L11 -5L3 -4.5Z", "tint/55", 1.0),
        ("tint/35", "M-15 0A3.6 3.6 0 1 0 -7.8 0A3.6 3.6 0 1 0 -15 0Z", "tint/55", 1.0),
    ],
    "slumped": [  # over a desk: the head and the arms on it, the shoulders at its edge
        ("tint/55", "M-8 -4Q-9 0 -8 4L-1 6.5L1 -6.5Z", _RIM, 1.0),
        ("tint/55", "M-3 -6.5Q4 -10 9 -7L8.5 -4.5Q4 -6 -1 -3.5ZM-3 6.5Q4 10 10 5.5L9 3.2Q4 6 -1 3.5Z", _RIM, 0.8),
        ("tint/75", "M-1 0A4.3 4.3 0 1 0 7.6 0A4.3 4.3 0 1 0 -1 0Z", _RIM, 1.0),
    ],
    "grenade": [
        ("leaf", "M-3.5 0.5A3.5 3.5 0 1 0 3.5 0.5A3.5 3.5 0 1 0 -3.5 0.5Z", "panel", 1.0),
        ("danger", "M-1.2 -3L-1.2 -5L2.6 -5L3.4 -2.6L2.2 -2.2L1.6 -3.4L1.2 -3Z", "", 0.0),
    ],
    "medkit": [
        ("panel", "M-7 -6L7 -6L7 6L-7 6Z", "line", 1.0),
        ("danger", "M-1.5 -4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5Z", "", 0.0),
    ],
    "ammo": [
        ("leaf", "M-7 -5L7 -5L7 5L-7 5Z", "panel/70", 1.0),
        ("gold", "M-4 -3L-2.5 -3L-2.5 3L-4 3ZM-0.7 -3L0.8 -3L0.8 3L-0.7 3ZM2.6 -3L4.1 -3L4.1 3L2.6 3Z", "", 0.0),
    ],
    "desk": [("wood", "M-9 -5L9 -5L9 5L-9 5Z", "panel/60", 1.0)],
}  # fmt: skip
