"""The map of the village: what stands still, and where its places are drawn."""

from collections.abc import Iterator

from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, place, rect, text
from telos.worlds.forge.map import Village

WIDTH, HEIGHT = 760.0, 430.0
_COLUMN, _LINE, _LEFT, _TOP = 17.5, 24.0, 40.0, 24.0
_RIVER = "M780 40C720 -6 650 10 600 28S470 88 420 120S330 170 240 168S80 170 -20 214"
_WALL_LEFT = 736.0
_HOUSES = {  # what stands at a place, and where its foot is, seen from there
    "inn": ("inn", 0.0, -16.0),
    "cottage": ("cottage", 0.0, -14.0),
    "shed": ("shed", 0.0, -14.0),
    "forge": ("smithy", 0.0, -14.0),
    "square": ("well", 0.0, -20.0),
}
_NAMES = {"cottage": "neighbour's cottage", "river": "gold in the river"}  # what is written, if not the name
_BELOW = 27.0
_NAMES_AT = {
    "bridge": (34.0, 20.0),
    "river": (72.0, 6.0),
    "door": (-8.0, 40.0),
    "woods": (0.0, 26.0),
    "lane": (0.0, 26.0),
    "orchard": (96.0, 30.0),
}
_PINES = (
    (40, 64), (70, 44), (66, 92), (100, 66), (106, 112), (134, 42), (142, 92), (168, 66), (182, 116), (200, 46),
    (212, 88), (236, 62), (232, 124), (262, 46), (322, 52), (330, 92), (350, 66), (250, 98), (22, 108), (50, 132),
    (90, 146), (140, 136), (190, 148),
)  # fmt: skip
_APPLE_TREES = ((432, 392), (452, 412), (462, 372), (528, 372), (545, 404), (514, 418), (480, 421), (565, 378))
_TUFTS = ((60, 290), (200, 300), (230, 212), (420, 210), (540, 210), (440, 318), (560, 300), (690, 330), (680, 90),
          (700, 400), (380, 400), (250, 390), (540, 130), (470, 180), (160, 340), (660, 270))  # fmt: skip


def at(column: float, row: float) -> tuple[float, float]:
    """Return where a spot of the village's own drawing is in the picture.

    >>> at(5, 9)
    (127.5, 240.0)
    """
    return _LEFT + column * _COLUMN, _TOP + row * _LINE


def village_map(village: Village, *, is_open: bool) -> Picture:
    """Return the village without anybody in it."""
    return [
        rect(0, 0, WIDTH, HEIGHT, "grass"),
        *_meadow(),
        *_river(),
        *_ways(village),
        *_bridge(village),
        *_paving(village),
        *_town_wall(village, is_open=is_open),
        *_standing(village),
        *_names(village),
    ]


def _meadow() -> Iterator[Shape]:
    for x, y in _TUFTS:
        yield path(f"M{x} {y}l-3 -6M{x + 2} {y}v-8M{x + 4} {y}l3 -6", stroke="leaf/60", width=1.4)


def _river() -> Iterator[Shape]:
    yield path(_RIVER, stroke="wall2/30", width=40)
    yield path(_RIVER, stroke="water", width=35)
    yield path(_RIVER, stroke="ink/10", width=13)
    yield path(_RIVER, stroke="water", width=10)


def _ways(village: Village) -> Iterator[Shape]:
    pairs = sorted({tuple(sorted((one, two))) for one, ways in village.ways.items() for two in ways})
    ends = [(*at(*village.places[one]), *at(*village.places[two])) for one, two in pairs]
    yield from (line(*each, "wall2/30", width=14) for each in ends)
    yield from (line(*each, "path", width=11) for each in ends)


def _bridge(village: Village) -> Iterator[Shape]:
    x, y = at(*village.places["bridge"])
    u, v = at(*village.places["woods"])
    far_x, far_y = x + (u - x) * 0.42, y + (v - y) * 0.42
    yield line(x + 4, y + 6, far_x, far_y, "wall2", width=24)
    yield line(x + 4, y + 6, far_x, far_y, "wood", width=20)
    for step in range(1, 9):
        share = step / 9
        at_x, at_y = x + 4 + (far_x - x - 4) * share, y + 6 + (far_y - y - 6) * share
        yield line(at_x - 8, at_y + 6, at_x + 8, at_y - 6, "page/25", width=1)


def _paving(village: Village) -> Iterator[Shape]:
    for name in village.places:
        x, y = at(*village.places[name])
        yield circle(x, y, 24 if name == "square" else 15, "path", stroke="wall2/30", width=1.5)


def _town_wall(village: Village, *, is_open: bool) -> Iterator[Shape]:
    y = at(*village.places["door"])[1]
    yield rect(_WALL_LEFT, 0, WIDTH - _WALL_LEFT, HEIGHT, "stone", stroke="wall2")
    bricks = "".join(
        f"M{_WALL_LEFT} {row}h24M{_WALL_LEFT + (6 if row % 28 else 16)} {row}v14" for row in range(0, int(HEIGHT), 14)
    )
    yield path(bricks, stroke="page/30", width=1)
    for row in range(0, int(HEIGHT), 28):
        yield rect(_WALL_LEFT - 5, row + 4, 10, 14, "stone", stroke="wall2", radius=1)
    yield place("gate", "gate_open" if is_open else "gate", _WALL_LEFT + 6, y - 6, scale=1.25)


def _standing(village: Village) -> Iterator[Shape]:
    """Yield houses and trees, those further down over those behind them."""
    found: list[tuple[float, Shape]] = []
    for number, (u, v) in enumerate(_PINES):
        found.append((v, place(f"pine {number}", "pine", u, v, scale=1 + 0.12 * (number % 3))))
    for number, (u, v) in enumerate(_APPLE_TREES):
        found.append((v, place(f"apple tree {number}", "apple_tree", u, v)))
    for name, (symbol, right, down) in _HOUSES.items():
        x, y = at(*village.places[name])
        found.append((y + down, place(name, symbol, x + right, y + down, scale=1.1)))
    yield from (shape for _, shape in sorted(found, key=lambda each: each[0]))


def _names(village: Village) -> Iterator[Shape]:
    for name in village.places:
        x, y = at(*village.places[name])
        right, down = _NAMES_AT.get(name, (0.0, _BELOW))
        yield text(x + right, y + down, _NAMES.get(name, name).upper(), "faint", size=9)
