"""The pictures of the adventure: `AdventureDrawing` draws the ground of an area, and hero, monsters and treasure.

Symbols are drawn around (0, 0) for a body of 24 pixels. Heroes face right at angle 0, seen from above; monsters face
the viewer.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from telos.studio.worlds.shapes import Picture, Shape, Symbol, Symbols, circle, path, place, rect
from telos.worlds.adventure.map import VECTORS, AreaMap
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION
from telos.worlds.adventure.views import AdventureView, CompanionView, Point

# --- effects ----------------------------------------------------------------------------------------------------------


_NEAR = 14.0  # pixels; no monster moves further in one frame
_BLINK = 4  # frames
BLINK_FRAMES = 36  # frames that the hero blinks after a death


@dataclass(frozen=True, slots=True)
class Flash:
    """A symbol that grows and fades."""

    symbol: str
    x: float
    y: float
    since: int  # the frame it begins at
    lasts: int  # frames
    grows: float  # by how much of its size


class FlashEffects:
    """Short effects: compares consecutive views and keeps what flashes because of the difference."""

    def __init__(self) -> None:
        self._flashes: list[Flash] = []
        self._died = -BLINK_FRAMES
        self._swing = 0

    def update(self, before: AdventureView, after: AdventureView) -> None:
        """Compare the views of two consecutive frames."""
        self._swing = self._swing + 1 if after.swinging else 0
        if self._flashes:
            self._flashes = [each for each in self._flashes if after.frame < each.since + each.lasts]
        if after.area != before.area:
            self._flashes.clear()
        if after.deaths != before.deaths:
            self._died = after.frame
            self._flashes = [Flash("ring", after.x, after.y, after.frame, 24, 1.6)]
        elif after.kills != before.kills:
            gone = find_vanished(before.monsters, after.monsters)
            self._flashes += [Flash("puff", x, y, after.frame, 10, 0.7) for x, y in gone]
        if after.carrying and not before.carrying:
            self._flashes.append(Flash("puff", after.x, after.y, after.frame, 18, 1.4))

    @property
    def swing(self) -> int:
        """The number of frames that the sword has been out."""
        return self._swing

    def is_dim(self, frame: int) -> bool:
        """Return whether the hero is dim in this frame, as it blinks after a death."""
        return frame - self._died < BLINK_FRAMES and (frame - self._died) // _BLINK % 2 == 1

    def shapes(self, frame: int) -> Iterator[Shape]:
        """Yield the effects of a frame."""
        for i, flash in enumerate(self._flashes):
            share = (frame - flash.since) / flash.lasts
            size = round(0.6 + flash.grows * share, 2)
            yield place(f"flash{i}", flash.symbol, flash.x, flash.y, scale=size, alpha=round(1 - share, 2))


def find_vanished(before: tuple[Point, ...], after: tuple[Point, ...]) -> list[Point]:
    """Return the positions of the monsters that are gone; the others may have moved a little.

    >>> find_vanished(((10, 10), (200, 40)), ((14, 10),))
    [(200, 40)]
    """
    left, gone = list(after), []
    for x, y in before:
        match = next((each for each in left if abs(each[0] - x) < _NEAR and abs(each[1] - y) < _NEAR), None)
        if match is None:
            gone.append((x, y))
        else:
            left.remove(match)
    return gone


# --- ground -----------------------------------------------------------------------------------------------------------


_STEP = 33  # pixels between the trees of a wall
_PATH = 58  # pixels, the width of a path
_PLAZA = 44  # pixels, the radius of the trodden ground in the middle
_MEADOW = (("tuft", 38), ("flower", 10), ("pebbles", 5))  # scattered symbols and their number
_WOODS = (
    ("tree", "tree", "tree", "bush"),
    ("pine", "pine", "tree"),
    ("rock", "rock", "bush"),
    ("tree", "pine", "rock"),
)
_BLOSSOMS = ("accent", "gold", "foe", "ink")
_NORMAL = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@lru_cache(maxsize=128)  # all games show the same areas
def draw_ground(area: str, size: tuple[int, int], exits: tuple[str, ...], *, town: bool, chest: bool) -> Picture:
    """Return the static part of an area; the same area always looks the same."""
    rng = Random(f"area {area}")  # for the look only; the game has its own generator
    width, height = size
    drawn = [rect(0, 0, width, height, "grass"), *_patches(size, rng), *_paths(size, exits, rng)]
    drawn += _scattered(size, exits, rng)
    standing = [*_walls(size, exits, rng), *(_houses(size, exits) if town else ())]
    drawn += sorted(standing, key=lambda shape: float(shape[4]))  # what is further down is in front
    if town:
        drawn += [circle(width / 2, height / 2, 32, "", stroke="gold/60", width=2)]
        drawn += [place("banner", "banner", width / 2 + 38, height / 2 - 14)]
    if chest:
        drawn += [place("chest", "chest", width / 2, height / 2)]
    return drawn


def _patches(size: tuple[int, int], rng: Random) -> Iterator[Shape]:
    """Yield patches that vary the green."""
    for _ in range(7):
        x, y = rng.uniform(0, size[0]), rng.uniform(0, size[1])
        yield circle(x, y, rng.uniform(40, 120), rng.choice(("leaf/4", "ground2/10", "leaf/6")))


def _paths(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Yield a path from the centre to each open edge; borders first, so that crossings have none."""
    x, y = size[0] / 2, size[1] / 2
    ways = []
    for edge in exits:
        across, down = _NORMAL[edge]
        end_x, end_y = x + across * (x + 20), y + down * (y + 20)
        bend = rng.uniform(-26, 26)
        middle = (x + end_x) / 2 + down * bend, (y + end_y) / 2 + across * bend
        ways.append(f"M{x:g} {y:g}Q{middle[0]:.0f} {middle[1]:.0f} {end_x:g} {end_y:g}")
    trodden = "".join(ways)
    yield path(trodden, stroke="wood/22", width=_PATH + 6)
    yield circle(x, y, _PLAZA + 3, "wood/22")
    yield path(trodden, stroke="path", width=_PATH)
    yield circle(x, y, _PLAZA, "path")


def _scattered(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    blossom = rng.choice(_BLOSSOMS)
    for symbol, number in _MEADOW:
        for i in range(number):
            x, y = rng.uniform(30, size[0] - 30), rng.uniform(30, size[1] - 30)
            if symbol == "pebbles" or not _is_trodden(x, y, size, exits):
                tint = blossom if symbol == "flower" else None
                yield place(f"{symbol}{i}", symbol, x, y, scale=round(rng.uniform(0.7, 1.1), 2), tint=tint)


def _is_trodden(x: float, y: float, size: tuple[int, int], exits: tuple[str, ...]) -> bool:
    across, down = x - size[0] / 2, y - size[1] / 2
    if math.sqrt(across * across + down * down) < _PLAZA + 12:
        return True
    for edge in exits:
        right, below = _NORMAL[edge]
        if across * right + down * below > 0 and abs(across * below - down * right) < _PATH / 2 + 22:
            return True
    return False


def _walls(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Yield trees or rocks along the closed edges, half outside, so that the hero does not overlap them."""
    woods = rng.choice(_WOODS)
    for edge, (across, down) in _NORMAL.items():
        if edge in exits:
            continue
        length = size[0] if down else size[1]
        for i in range(math.ceil(length / _STEP) + 1):
            along = i * _STEP + rng.uniform(-5, 5)
            x = along if down else size[0] * (across > 0) + across * rng.uniform(-7, 2)
            y = along if across else size[1] * (down > 0) + (rng.uniform(0, 6) if down < 0 else rng.uniform(-4, 3))
            yield place(f"{edge}{i}", rng.choice(woods), x, y, scale=round(rng.uniform(0.92, 1.2), 2))


def _houses(size: tuple[int, int], exits: tuple[str, ...]) -> Iterator[Shape]:
    """Yield houses in the corners and along closed edges."""
    width, height = size
    spots = [(0.15, 0.17), (0.85, 0.17), (0.15, 0.83), (0.85, 0.83)]
    spots += [(0.34, 0.15), (0.66, 0.15)] if "north" not in exits else []
    spots += [(0.34, 0.85), (0.66, 0.85)] if "south" not in exits else []
    for i, (across, down) in enumerate(spots):
        yield place(f"house{i}", "house", across * width, down * height, scale=0.9)


# --- outlines ---------------------------------------------------------------------------------------------------------


SymbolPart: TypeAlias = tuple[str, str, str, float]


def fill_part(fill: str, *outlines: str) -> SymbolPart:
    """Return a filled part of a symbol."""
    return fill, "".join(outlines), "", 0.0


def stroke_part(stroke: str, width: float, *outlines: str) -> SymbolPart:
    """Return a stroked part of a symbol."""
    return "", "".join(outlines), stroke, width


def ellipse(x: float, y: float, across: float, down: float) -> str:
    """Return the outline of an ellipse around a point, by its two radii.

    >>> ellipse(0, 0, 4, 2)
    'M-4 0a4 2 0 1 0 8 0a4 2 0 1 0 -8 0Z'
    """
    half = f"a{across:g} {down:g} 0 1 0"
    return f"M{x - across:g} {y:g}{half} {2 * across:g} 0{half} {-2 * across:g} 0Z"


def disc(x: float, y: float, radius: float) -> str:
    """Return the outline of a circle around a point."""
    return ellipse(x, y, radius, radius)


# --- symbols of bodies ------------------------------------------------------------------------------------------------


BODY = 24  # pixels

_IMP: Symbol = [
    fill_part("shadow", ellipse(0, 10, 12, 4)),
    fill_part(
        "stone",
        "M-9 -7C-14 -9 -14 -14 -11.5 -16C-11 -12.5 -8.5 -10.8 -5.4 -10.4ZM9 -7",
        "C14 -9 14 -14 11.5 -16C11 -12.5 8.5 -10.8 5.4 -10.4Z",
    ),
    fill_part(
        "tint",
        "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
        "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
    ),
]
BODIES: dict[str, Symbol] = {
    "hero": [
        fill_part("shadow", disc(-1, 1.5, 14)),
        fill_part("player/70", "M-3 -9C-12 -8 -16 -3 -16 0C-16 3 -12 8 -3 9Z"),  # the cape
        fill_part("tint", ellipse(0, 0, 7.5, 11.5)),
        fill_part("shadow", ellipse(-2.5, 0, 5, 10)),
        fill_part("wood", disc(6.5, 9.5, 3)),
        fill_part("wood", disc(6.5, -9.5, 3)),
        ("stone", "M5 -15C10 -15 13 -12 13 -9C13 -6 10 -4 6 -4Z", "gold", 1.2),  # the shield
        fill_part("gold", ellipse(0.5, 0, 7, 6.6)),
        fill_part(
            "wood", "M3.5 -5.4C6.6 -4.4 7.9 -2.2 7.9 0C7.9 2.2 6.6 4.4 3.5 5.4C4.8 2 4.8 -2 3.5 -5.4Z"
        ),  # the face
        fill_part("shadow", "M-6.4 -2.6C-3 -4.6 0 -4.6 2.4 -3.8C-1 -2.6 -4 -1.6 -6.2 1Z"),
    ],
    "sword": [
        fill_part("gold", "M12 -3.6h2.6v7.2h-2.6z"),
        fill_part("ink", "M14.6 -2.4L42 -1.7L48 0L42 1.7L14.6 2.4Z"),
        fill_part("stone", "M14.6 0L47 0L42 1.7L14.6 2.4Z"),
    ],
    "sweep": [
        fill_part("ink/22", "M0 0L24 -41.6A48 48 0 0 1 24 41.6Z"),
        stroke_part("ink/50", 1.5, "M28 -39A48 48 0 0 1 28 39"),
    ],
    "companion": [
        fill_part("shadow", disc(-1, 1.5, 13)),
        fill_part("tint/70", "M-2 -9C-11 -8 -14 -4 -14 0C-14 4 -11 8 -2 9Z"),
        fill_part("tint", ellipse(0, 0, 7, 10.5)),
        fill_part("shadow", ellipse(-2.5, 0, 4.6, 9)),
        fill_part("wood", disc(6.5, 8.6, 2.6)),
        fill_part("wood", disc(6.5, -8.6, 2.6)),
        stroke_part("wood", 2.4, "M2 12.5L17 8"),  # a staff
        fill_part("gem", disc(18, 7.7, 2.6)),
        fill_part("tint", "M-8 0C-8 -6 -3 -8 1 -7.4C6 -6.6 10 -2 12.5 0C10 2 6 6.6 1 7.4C-3 8 -8 6 -8 0Z"),  # the hood
        fill_part("shadow", "M1.5 -4.6C5 -4 7.6 -1.6 8.6 0C7.6 1.6 5 4 1.5 4.6C3.4 1.6 3.4 -1.6 1.5 -4.6Z"),
    ],
    "slime": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part(
            "tint",
            "M-12.5 8C-13 -3 -7 -12 0 -12C7 -12 13 -3 12.5 8C12 11.5 7 10 4 11.5",
            "C1.5 12.6 -2 12.6 -4 11.5C-7 10 -12 11.5 -12.5 8Z",
        ),
        fill_part("ink/22", "M-8.6 0C-8 -5 -4.5 -9 -0.5 -9.4C-4 -6.6 -6 -3.4 -6.4 0.6Z"),
        fill_part("ink", ellipse(-4, 0.5, 2.1, 3)),
        fill_part("ink", ellipse(4, 0.5, 2.1, 3)),
        stroke_part("ink", 1.3, "M-3 6C-1 7.6 1 7.6 3 6"),
    ],
    "imp": [
        *_IMP,
        fill_part(
            "shadow",
            "M-10.6 3C-7 6 7 6 10.6 3C10 8 7.6 11.5 4.5 11.5L2.5 9.5L0 11.8L-2.5 9.5L-4.5 11.5",
            "C-7.6 11.5 -10 8 -10.6 3Z",
        ),
        fill_part(
            "gold", "M-7.6 -4.6L-1.6 -1.6C-2.2 1.2 -6.6 1.2 -7.6 -4.6ZM7.6 -4.6L1.6 -1.6", "C2.2 1.2 6.6 1.2 7.6 -4.6Z"
        ),
        fill_part("ink", "M-5 5.4L-3.4 3.6L-1.7 5.4L0 3.6L1.7 5.4L3.4 3.6L5 5.4L3.4 7.2L-3.4 7.2Z"),
    ],
    "imp-asleep": [
        *_IMP,
        fill_part(
            "shadow",
            "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
            "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
        ),
        stroke_part("ink/70", 1.4, "M-7 -1.6C-5.4 -0.2 -3.4 -0.2 -2 -1.6M7 -1.6C5.4 -0.2 3.4 -0.2 2 -1.6"),
    ],
    "wolf": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part(
            "tint",
            "M-12 -13L-5 -9C-2 -10 2 -10 5 -9L12 -13L10.5 -3C12 2 9 7 5.5 9L3.4 12",
            "C1.6 13 -1.6 13 -3.4 12L-5.5 9C-9 7 -12 2 -10.5 -3Z",
        ),
        fill_part("shadow", "M-10 -10.4L-6.6 -8L-8.6 -5.4ZM10 -10.4L6.6 -8L8.6 -5.4Z"),
        fill_part("ink/20", "M0 -9C2.6 -9 3.4 0 5.4 4C4 8 1.6 12.6 0 12.6C-1.6 12.6 -4 8 -5.4 4C-3.4 0 -2.6 -9 0 -9Z"),
        fill_part("gold", "M-8 -2.4L-2.8 -0.6C-3.6 1.6 -6.8 1.2 -8 -2.4ZM8 -2.4L2.8 -0.6C3.6 1.6 6.8 1.2 8 -2.4Z"),
        fill_part("ink", "M-2.2 8.6C-2 7.4 2 7.4 2.2 8.6C2 10.4 0.8 11 0 11C-0.8 11 -2 10.4 -2.2 8.6Z"),
    ],
    "golem": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part("stone", "M-13 -1L-9.5 -4L-8 8L-11.5 10.5L-14 6ZM13 -1L9.5 -4L8 8L11.5 10.5L14 6Z"),
        fill_part("stone", "M-9 -9L-4 -13L5 -12.5L9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-9.4 6Z"),
        fill_part("shadow", "M9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-7 9.4C0 9.4 5 5 5 -12.5Z"),
        fill_part("tint", "M-6.6 -3.6h4.6v3.2h-4.6zM2 -3.6h4.6v3.2h-4.6z"),
        fill_part("tint", "M-2.4 4.4L0 2L2.4 4.4L0 6.8Z"),
        fill_part("leaf", "M-9 -9L-4 -13L1 -12.7C-1 -9.6 -5 -10.4 -6.4 -7Z"),
    ],
    "shade": [
        fill_part("shadow", ellipse(0, 11, 11, 3.6)),
        fill_part(
            "tint", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10L-4 13L-7 9.6L-12 12C-13 9 -11 6 -11 2", "Z"
        ),
        fill_part("shadow", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10C4 6 6 -6 0 -14Z"),
        fill_part("shadow", ellipse(0, -2, 7, 7.6), ellipse(0, -2, 6, 6.6)),
        fill_part("gold", ellipse(-2.9, -2.4, 1.7, 2.3), ellipse(2.9, -2.4, 1.7, 2.3)),
    ],
    "stars": [fill_part("gold", disc(-9, 0, 2), disc(4.5, 7.8, 2), disc(4.5, -7.8, 2))],
}
BODIES["hero-armed"] = [
    *BODIES["hero"],
    fill_part("ink/85", "M8 8.6L19 8.9L21.5 9.8L19 10.7L8 10.9Z"),
    fill_part("wood", "M7.4 6.8h2v6h-2z"),
]


# --- minimap ----------------------------------------------------------------------------------------------------------


_CELL = (17.0, 13.0)  # pixels per area
_GAP = 3.0
_RIM = 6.0
_TOP = 46.0  # below the HUD at the upper edge
_DOORS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def minimap_symbol(area_map: AreaMap) -> Symbol:
    """Return the empty minimap, drawn from its upper left corner."""
    width, height = _extent(area_map)
    right, down = width - 2 * _RIM, height - 2 * _RIM
    panel = f"M{_RIM:g} 0h{right:g}q6 0 6 6v{down:g}q0 6 -6 6h{-right:g}q-6 0 -6 -6v{-down:g}q0 -6 6 -6z"
    cells = "".join(_cell(area_map, each) for each in range(area_map.columns * area_map.rows))
    return [fill_part("panel/62", panel), fill_part("faint/18", cells)]


def draw_minimap(area_map: AreaMap, visited: Sequence[str], here: str, width: int) -> Picture:
    """Return the minimap with the visited areas, in the upper right corner of a picture of that width."""
    left = width - _extent(area_map)[0] - 10
    numbers = {area_map.name(each): each for each in range(area_map.columns * area_map.rows)}
    been = "".join(
        _cell(area_map, numbers[name], left, _TOP) + _doors(area_map, numbers[name], left) for name in visited
    )
    you, town = _middle(area_map, numbers[here], left), _middle(area_map, area_map.town, left)
    roof = f"M{town[0] - 5:g} {town[1]:g}l5 -5l5 5zM{town[0] - 3.5:g} {town[1]:g}h7v4h-7z"
    return [
        place("map", "map", left, _TOP),
        path(been, fill="ink/45"),
        path(roof, fill="roof"),
        place("you", "you", *you),
    ]


def _extent(area_map: AreaMap) -> tuple[float, float]:
    width = area_map.columns * (_CELL[0] + _GAP) - _GAP + 2 * _RIM
    return width, area_map.rows * (_CELL[1] + _GAP) - _GAP + 2 * _RIM


def _corner(area_map: AreaMap, area: int, left: float, top: float) -> tuple[float, float]:
    column, row = area % area_map.columns, area // area_map.columns
    return left + _RIM + column * (_CELL[0] + _GAP), top + _RIM + row * (_CELL[1] + _GAP)


def _middle(area_map: AreaMap, area: int, left: float) -> tuple[float, float]:
    x, y = _corner(area_map, area, left, _TOP)
    return x + _CELL[0] / 2, y + _CELL[1] / 2


def _cell(area_map: AreaMap, area: int, left: float = 0.0, top: float = 0.0) -> str:
    x, y = _corner(area_map, area, left, top)
    return f"M{x:g} {y:g}h{_CELL[0]:g}v{_CELL[1]:g}h{-_CELL[0]:g}z"


def _doors(area_map: AreaMap, area: int, left: float) -> str:
    """Return the exits of an area, each half as long as the gap to the next area."""
    (x, y), half = _middle(area_map, area, left), _GAP / 2
    drawn = ""
    for edge in area_map.exits[area]:
        across, down = _DOORS[edge]
        edge_x, edge_y = x + across * _CELL[0] / 2, y + down * _CELL[1] / 2
        if across:
            drawn += f"M{min(edge_x, edge_x + across * half):g} {edge_y - 2.5:g}h{half:g}v5h{-half:g}z"
        else:
            drawn += f"M{edge_x - 2.5:g} {min(edge_y, edge_y + down * half):g}h5v{half:g}h-5z"
    return drawn


# --- symbols of scenery -----------------------------------------------------------------------------------------------


SCENERY: dict[str, Symbol] = {
    "gem": [
        fill_part("shadow", ellipse(0, 8, 6, 2)),
        fill_part("gem", "M0 -8L6.4 -2.4L0 8L-6.4 -2.4Z"),
        fill_part("ink/35", "M0 -8L2.6 -2.4L0 8L-6.4 -2.4Z"),
        stroke_part("ink/50", 0.8, "M-6.4 -2.4H6.4"),
    ],
    "chest": [
        fill_part("shadow", ellipse(0, 13, 19, 5)),
        fill_part("wood", "M-16 -3h32v15c0 1 -1 2 -2 2h-28c-1 0 -2 -1 -2 -2z"),
        fill_part("shadow", "M-16 -3h32v4h-32z"),
        fill_part("wood", "M-16 -3C-16 -11 -11 -14 -8 -14H8C11 -14 16 -11 16 -3Z"),
        fill_part("ink/15", "M-14.6 -5C-14 -10 -10.6 -12.4 -8 -12.4H8C10.6 -12.4 14 -10 14.6 -5Z"),
        fill_part("gold", "M-12.6 -12.6h3.4v26.6h-3.4zM9.2 -12.6h3.4v26.6h-3.4zM-16 -4h32v2.4h-32z"),
        fill_part("gold", "M-4 -6h8v7c0 2 -2 3.4 -4 3.4c-2 0 -4 -1.4 -4 -3.4z"),
        fill_part("wood", disc(0, -1.6, 1.5)),
    ],
    "tree": [
        fill_part("shadow", ellipse(3, 15, 19, 7)),
        fill_part("wood", "M-3 4L-4 17H4L3 4Z"),
        fill_part(
            "leaf",
            "M-19 2C-20 -6 -14 -11 -9 -11C-8 -18 7 -19 9 -11C15 -11 20 -6 19 1C18 9 9 11 5 8",
            "C2 12 -5 12 -8 8C-13 11 -18 8 -19 2Z",
        ),
        fill_part("shadow", "M19 1C18 9 9 11 5 8C2 12 -5 12 -8 8C-13 11 -18 8 -19 2C-12 6 -6 4 -3 1C2 6 13 6 19 1Z"),
        fill_part("ink/12", "M-13 -4C-12 -9 -8 -10 -6 -9C-5 -14 1 -16 4 -13C0 -13 -2 -10 -2 -7C-7 -8 -10 -7 -13 -4Z"),
    ],
    "pine": [
        fill_part("shadow", ellipse(3, 15, 15, 6)),
        fill_part("wood", "M-2.5 8h5v9h-5z"),
        fill_part("leaf", "M0 -4L15 12C8 14 -8 14 -15 12Z"),
        fill_part("leaf", "M0 -13L12.5 3C6 5 -6 5 -12.5 3Z"),
        fill_part("leaf", "M0 -21L9.5 -6C4 -4 -4 -4 -9.5 -6Z"),
        fill_part("shadow", "M-9.5 -6C-4 -4 4 -4 9.5 -6L12.5 3C6 5 -6 5 -12.5 3ZM0 -21L9.5 -6C6.4 -4.9 3 -4.6 0 -4.5Z"),
        fill_part("ink/10", "M0 -21L-9.5 -6C-6.4 -4.9 -3 -4.6 0 -4.5Z"),
    ],
    "rock": [
        fill_part("shadow", ellipse(2, 11, 18, 5)),
        fill_part("stone", "M-17 9L-14 -3L-6 -11L4 -10L13 -4L17 9C10 13 -11 13 -17 9Z"),
        fill_part("shadow", "M17 9C10 13 -11 13 -17 9L-8 5L4 6L9 -1L13 -4Z"),
        fill_part("ink/16", "M-14 -3L-6 -11L4 -10L-2 -4L-9 -1Z"),
    ],
    "bush": [
        fill_part("shadow", ellipse(1, 8, 13, 4)),
        fill_part("leaf", "M-13 5C-14 -2 -9 -5 -6 -5C-4 -10 5 -10 6 -5C11 -5 14 0 12 6C7 10 -8 10 -13 5Z"),
        fill_part("shadow", "M12 6C7 10 -8 10 -13 5C-6 7 6 6 12.6 2Z"),
        fill_part(
            "foe/80",
            disc(-5, 0, 1.5),
            disc(3, -3, 1.5),
            disc(6, 3, 1.5),
        ),
    ],
    "tuft": [
        stroke_part("leaf", 1.6, "M-5 4C-4.6 1 -5 -1 -6.4 -3M-1 4C-1 0 -0.6 -3 0 -6M3 4C3 1 4 -1.6 6 -3"),
    ],
    "flower": [
        stroke_part("leaf", 1.3, "M0 6C0 3 0.4 1.4 0 0"),
        fill_part(
            "tint",
            disc(-2.4, -1.4, 2),
            disc(2.4, -1.4, 2),
            disc(0, -3.6, 2),
            disc(0, 0.8, 2),
        ),
        fill_part("gold", disc(0, -1.4, 1.6)),
    ],
    "pebbles": [
        fill_part(
            "stone/70",
            ellipse(-4, 1, 3.4, 2.4),
            ellipse(3, -1, 2.4, 1.8),
            ellipse(4, 3, 1.6, 1.2),
        ),
    ],
    "house": [
        fill_part("shadow", ellipse(4, 33, 46, 10)),
        ("path", "M-34 -4h68v36h-68z", "wood", 1.5),
        fill_part("wood", "M-7 10c0 -8 14 -8 14 0v22h-14z"),
        fill_part("gold", disc(4, 21, 1.4)),
        ("gold/85", "M-27 6h12v11h-12zM15 6h12v11h-12z", "wood", 2),
        stroke_part("wood", 1.5, "M-21 6v11M21 6v11"),
        fill_part("roof", "M-42 2L-28 -32H28L42 2Z"),
        fill_part("shadow", "M-42 2L-39 -5H39L42 2ZM-36 -13L-33 -20H33L36 -13Z"),
        fill_part("ink/12", "M-28 -32H28L30 -27H-30Z"),
        fill_part("stone", "M14 -40h11v14h-11z"),
    ],
    "banner": [
        fill_part("shadow", ellipse(2, 3, 9, 3)),
        fill_part("wood", "M-1.6 -52h3.2v55h-3.2z"),
        fill_part("gold", disc(0, -53, 3)),
        fill_part("accent", "M1.6 -49C10 -53 16 -45 27 -49L24 -40L27 -31C16 -27 10 -35 1.6 -31Z"),
        fill_part("gold", disc(12, -40.5, 3.6)),
    ],
    "puff": [
        stroke_part("warn", 2.5, disc(0, 0, 12)),
        stroke_part("warn", 2, "M0 -17v-6M0 17v6M-17 0h-6M17 0h6M-12 -12l-4 -4M12 12l4 4M12 -12l4 -4M-12 12l-4 4"),
    ],
    "ring": [
        ("player/15", disc(0, 0, 20), "player", 2),
    ],
    "chevron": [
        stroke_part("tint", 4, "M-5 -9L5 0L-5 9"),
    ],
    "you": [
        ("player", disc(0, 0, 4), "panel", 1.5),
    ],
    "halo": [fill_part("player/16", disc(0, 0, 24)), fill_part("player/14", disc(0, 0, 18))],
}


# --- the picture ------------------------------------------------------------------------------------------------------


ANGLES = {way: math.atan2(down, across) for way, (across, down) in VECTORS.items()}
_SWEEP = 1.05  # radians to both sides
_EDGE = 20  # pixels from an open edge to its chevron
_EXITS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
_LARGER = 1.2  # bodies are drawn a little larger than their hit boxes, so that near misses favour the player
# Symbol and colour of each kind of monster, and the opacity of some activities.
_KINDS = {"hunter": ("wolf", "foe"), "guard": ("golem", "fire"), "stalker": ("shade", "accent")}
_DIM = {"lurking": 0.5, "stunned": 0.7}
_NAMED = 20 * FRAMES_A_SECOND  # frames at the start in which names are shown


class AdventureDrawing:
    """Draws one game; parts that do not change between frames are cached."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._size = (rules.width, rules.height)
        self._bodies = _LARGER * rules.player.size / BODY, _LARGER * rules.monsters.size / BODY
        self._names = [f"m{i}" for i in range(64)]
        self._numbers = {rules.map.name(each): each for each in range(rules.map.columns * rules.map.rows)}
        self._signs_for: tuple[str, tuple[str, ...]] = ("", ())
        self._signs: Picture = []
        self.symbols: Symbols = {**BODIES, **SCENERY, "map": minimap_symbol(rules.map)}

    def backdrop(self, view: AdventureView) -> tuple[str, Picture]:
        """Return the static part of the area, and its key."""
        town, chest = view.town is not None, view.chest is not None
        picture = draw_ground(view.area, self._size, tuple(sorted(view.exits)), town=town, chest=chest)
        return f"{self._rules.name} {view.area}{' chest' if chest else ''}", picture

    def picture(self, view: AdventureView, flashes: FlashEffects) -> Picture:
        """Return the moving part of a frame."""
        drawn = [*self._signposts(view)]  # first: bodies are drawn over the minimap
        drawn += [place(f"gem{i}", "gem", x, y) for i, (x, y) in enumerate(view.gems)]
        drawn += self._monsters(view)
        if view.companion is not None:
            drawn.append(self._companion(view.companion, is_named=view.frame < _NAMED))
        drawn += self._hero(view, flashes)
        drawn += flashes.shapes(view.frame)
        return drawn

    def _monsters(self, view: AdventureView) -> Iterator[Shape]:
        if view.beasts:
            return self._beasts(view)
        return self._mindless(view)

    def _mindless(self, view: AdventureView) -> Iterator[Shape]:
        symbol, scale = "slime" if self._rules.monsters.move == "axes" else "imp", self._bodies[1]
        sight = self._rules.monsters.sight or math.inf
        for i, (x, y) in enumerate(view.monsters):
            is_calm = (x - view.x) ** 2 + (y - view.y) ** 2 > sight * sight
            breath = _breath(scale, view.frame, i)
            yield place(self._names[i % 64], "imp-asleep" if is_calm else symbol, x, y, scale=breath, tint="foe")

    def _beasts(self, view: AdventureView) -> Iterator[Shape]:
        """Yield the monsters with minds: each kind has its symbol, and some activities are visible."""
        for i, beast in enumerate(view.beasts):
            symbol, tint = _KINDS.get(beast.kind, _KINDS["hunter"])
            is_stunned = beast.doing == "stunned"
            yield place(
                beast.name,
                symbol,
                beast.x,
                beast.y,
                angle=0.3 * math.sin(view.frame * 0.9) if is_stunned else 0.0,
                scale=_breath(self._bodies[1], view.frame, i),
                tint=tint,
                alpha=_DIM.get(beast.doing),
                pick=beast.name,
                label=beast.kind if view.frame < _NAMED else None,
            )
            if is_stunned:
                yield place(f"{beast.name} stars", "stars", beast.x, beast.y - 20, angle=view.frame * 0.2)

    def _companion(self, companion: CompanionView, *, is_named: bool) -> Shape:
        size = self._rules.companion.size if self._rules.companion is not None else BODY
        return place(
            COMPANION,
            "companion",
            companion.x,
            companion.y,
            angle=ANGLES[companion.facing],
            scale=round(_LARGER * size / BODY, 2),
            tint="friend",
            pick=COMPANION,
            label=companion.name if is_named else None,
            says=companion.says or None,
        )

    def _hero(self, view: AdventureView, flashes: FlashEffects) -> Iterator[Shape]:
        scale, alpha = round(self._bodies[0], 2), 0.35 if flashes.is_dim(view.frame) else None
        stride = 0.08 * math.sin(view.frame * 0.7) if view.moving != "stop" else 0.0
        facing = ANGLES[view.facing]
        if view.swinging:
            way, reach = ANGLES[view.sword], round(self._rules.sword.reach / 48, 2)
            share = flashes.swing / self._rules.sword.frames
            yield place("sweep", "sweep", view.x, view.y, angle=way, scale=reach, alpha=round(1.0 - 0.6 * share, 2))
            yield place("sword", "sword", view.x, view.y, angle=way + _SWEEP * (2 * share - 1), scale=reach)
            facing = way
        yield place("halo", "halo", view.x, view.y)
        symbol = "hero" if view.swinging else "hero-armed"
        yield place("hero", symbol, view.x, view.y, angle=facing + stride, scale=scale, tint="player", alpha=alpha)
        if view.carrying:
            yield place("carried", "chest", view.x, view.y - 22, scale=0.5)

    def _signposts(self, view: AdventureView) -> Picture:
        """Return the minimap, and a chevron at each exit: bright if it leads to an unvisited area."""
        known = view.area, view.visited
        if known != self._signs_for:
            self._signs_for = known
            self._signs = [*self._chevrons(view), *draw_minimap(self._rules.map, view.visited, view.area, view.width)]
        return self._signs

    def _chevrons(self, view: AdventureView) -> Iterator[Shape]:
        area_map, (width, height) = self._rules.map, self._size
        for edge, behind in area_map.exits[self._numbers[view.area]].items():
            across, down = _EXITS[edge]
            x, y = width / 2 + across * (width / 2 - _EDGE), height / 2 + down * (height / 2 - _EDGE)
            is_new = area_map.name(behind) not in view.visited
            look: tuple[str, float] = ("gold", 0.9) if is_new else ("faint", 0.35)
            yield place(edge, "chevron", x, y, angle=math.atan2(down, across), tint=look[0], alpha=look[1])


def _breath(scale: float, frame: int, number: int) -> float:
    """Return the size of a body that pulsates, each with its own phase."""
    return round(scale * (1 + 0.05 * math.sin(frame * 0.25 + number * 1.7)), 2)
