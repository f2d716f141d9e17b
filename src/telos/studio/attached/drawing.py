"""The picture of an attached game: its map or a plain grid, its characters, and the shapes of its channels.

`Frame` turns positions of the game into picture units.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from telos.studio.worlds.shapes import ROLES, Picture, Shape, Symbols, circle, line, path, place, rect, text
from telos.traces import MapTrace, MindTrace, ShapeTrace

WIDTH = 960.0  # of the picture, in its units
_MIN_HEIGHT, _MAX_HEIGHT = 320.0, 960.0
_FINEST = 10.0  # units of a cell from which on the grid is drawn
_TOKEN = 9.0  # radius of a character
_FEW = 12  # characters that are labelled with their goals
_TINTS = ("player", "foe", "gold", "friend", "accent", "gem")
_CHANNEL_COLOURS = ("accent", "gold", "gem", "friend", "danger", "player")
_TILES = {"#": "wall", "~": "water", "=": "wood", "t": "leaf", "T": "leaf", "^": "stone", ",": "grass", "_": "path"}
_EMPTY = " ."
_HEAT = "fire"

SYMBOLS: Symbols = {
    "mind": [("shadow", "M-8 7a8 3 0 1 0 16 0a8 3 0 1 0 -16 0Z", "", 0.0),
             ("tint", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z", "page", 1.6)],
    "looker": [("tint", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z", "page", 1.6),
               ("page", "M3 -3.5L9 0L3 3.5Z", "", 0.0)],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """The part of a game's plane that the picture shows: its corner and size in the game's units.

    ``origin`` is the corner of it in the picture, in picture units: of two games side by side, each has its own.
    """

    x: float
    y: float
    width: float
    height: float
    offset: float = 0.0  # added to positions: half a cell, if they are the middles of cells
    origin: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of_map(cls, given: MapTrace) -> "Frame":
        """Return the frame of a map."""
        width, height = given.size
        return cls(0.0, 0.0, width, height, given.cell / 2 if given.centred else 0.0)

    @classmethod
    def around(cls, points: Iterable[tuple[float, float]]) -> "Frame":
        """Return a frame around points, with room to move, for a game without a map.

        >>> Frame.around([(2, 3), (9, 4)])
        Frame(x=0.0, y=0.0, width=16.0, height=10.0, offset=0.5, origin=(0.0, 0.0))
        """
        found = list(points) or [(0.0, 0.0)]
        left, top = (min(0.0, min(each[at] for each in found)) for at in (0, 1))
        far = max(max(x - left for x, _ in found) * 1.0, max(y - top for _, y in found) * 1.6, 10.0) + 1
        width = 2.0 ** math.ceil(math.log2(far))  # grows in leaps: not at each step of a walk
        return cls(left, top, width, width * 0.625, 0.5)

    @property
    def size(self) -> tuple[float, float]:
        """The size of the picture."""
        height = WIDTH * self.height / self.width
        return WIDTH, round(min(max(height, _MIN_HEIGHT), _MAX_HEIGHT))

    @property
    def scale(self) -> float:
        """Picture units for a unit of the game."""
        width, height = self.size
        return min(width / self.width, height / self.height)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return a position in picture units."""
        left, top = self.origin
        return left + (x - self.x + self.offset) * self.scale, top + (y - self.y + self.offset) * self.scale


# --- the map ----------------------------------------------------------------------------------------------------------


def draw_map(frame: Frame, given: MapTrace | None) -> Picture:
    """Return the static part of the picture."""
    cell = given.cell if given is not None else max(1.0, frame.width / 64)
    width, height, (left, top) = frame.width * frame.scale, frame.height * frame.scale, frame.origin
    picture = [rect(left, top, width, height, "ground2")]
    side = cell * frame.scale
    if given is not None:
        picture += _tiles(given, side, frame.origin)
    if side >= _FINEST:
        colour = "line/60" if given is None or not given.rows else "line/25"
        across = (left + at * side for at in range(1, math.ceil(width / side)))
        down = (top + at * side for at in range(1, math.ceil(height / side)))
        picture += [line(x, top, x, top + height, colour) for x in across]
        picture += [line(left, y, left + width, y, colour) for y in down]
    if given is not None:
        picture += _signs(given, side, frame.origin)
    return picture


def _tiles(given: MapTrace, side: float, origin: tuple[float, float]) -> Iterator[Shape]:
    """Yield a rectangle for each run of equal cells."""
    left, top = origin
    for y, row in enumerate(given.rows):
        start = 0
        for x in range(1, len(row) + 1):
            if x == len(row) or row[x] != row[start]:
                if colour := _tile_colour(given.legend, row[start]):
                    yield rect(left + start * side, top + y * side, (x - start) * side, side, colour)
                start = x


def _tile_colour(legend: Mapping[str, str], mark: str) -> str:
    meaning = legend.get(mark, _TILES.get(mark, ""))
    if meaning in ROLES:
        return meaning
    return "" if mark in _EMPTY and not meaning else "floor"


def _signs(given: MapTrace, side: float, origin: tuple[float, float]) -> Iterator[Shape]:
    """Yield the names of cells that stand for something else than a colour."""
    left, top = origin
    for y, row in enumerate(given.rows):
        for x, mark in enumerate(row):
            meaning = given.legend.get(mark, _TILES.get(mark, mark))
            if meaning not in ROLES and mark not in _EMPTY and side >= _FINEST:
                size = min(12.0, side * 0.6) if len(meaning) == 1 else 11.0
                yield text(left + (x + 0.5) * side, top + (y + 0.5) * side, meaning[:20], "faint", size=size)


# --- what moves -------------------------------------------------------------------------------------------------------


def draw_minds(
    frame: Frame, minds: Mapping[str, MindTrace], says: Mapping[str, str], sides: Mapping[str, str], prefix: str = ""
) -> Iterator[Shape]:
    """Yield the characters; those without a place stand in rows, in their order."""
    tints = {side: _TINTS[number % len(_TINTS)] for number, side in enumerate(dict.fromkeys(sides.values()))}
    spots = _spread([_spot(number, mind, frame) for number, mind in enumerate(minds.values())])
    for (name, mind), (x, y) in zip(minds.items(), spots, strict=True):
        goal = mind.goal if isinstance(mind.goal, str) else ""
        has_angle = isinstance(mind.angle, float)
        label = f"{name}: {goal}" if goal and len(minds) <= _FEW else name
        yield place(
            f"{prefix}{name}", "looker" if has_angle else "mind", x, y, angle=mind.angle if has_angle else 0.0,  # type: ignore[arg-type]
            scale=_TOKEN / 8, pick=f"{prefix}{name}", label=label, tint=tints[sides[name]],
            alpha=None if goal else 0.55, says=says.get(name),
        )  # fmt: skip


def _spot(number: int, mind: MindTrace, frame: Frame) -> tuple[float, float]:
    if isinstance(mind.x, float) and isinstance(mind.y, float):
        return frame.point(mind.x, mind.y)
    return _seat(number, frame)


def _spread(spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Move those who stand at one point a little apart, so that all are seen."""
    sharing, met = Counter(spots), Counter[tuple[float, float]]()
    found = []
    for x, y in spots:
        number, count = met[x, y], sharing[x, y]
        met[x, y] += 1
        turn = 2 * math.pi * number / count
        off = _TOKEN * (0.0 if count == 1 else min(1.6, 0.5 + 0.15 * count))
        found.append((x + off * math.cos(turn), y + off * math.sin(turn)))
    return found


def _seat(number: int, frame: Frame) -> tuple[float, float]:
    """Return the place of a character that has none, in a grid over the picture."""
    columns, (left, top) = max(1, int(frame.size[0] // 96)), frame.origin
    return left + 48 + 96 * (number % columns), top + 40 + 64 * (number // columns)


def draw_channels(frame: Frame, channels: Mapping[str, Iterable[ShapeTrace]]) -> Iterator[Shape]:
    """Yield a group of shapes for each channel, which the page shows or hides by its name."""
    for number, (name, shapes) in enumerate(sorted(channels.items())):
        colour = _CHANNEL_COLOURS[number % len(_CHANNEL_COLOURS)]
        drawn = [each for shape in shapes for each in _draw_shape(frame, shape, colour)]
        if drawn:
            yield ["g", name, drawn]


def _draw_shape(frame: Frame, shape: ShapeTrace, default: str) -> Iterator[Shape]:
    default = _HEAT if shape.kind == "score" else default
    colour = shape.colour if shape.colour.partition("/")[0] in ROLES else default
    x, y = frame.point(shape.x, shape.y)
    match shape.kind:
        case "path" | "line":
            points = [frame.point(*each) for each in shape.points]
            if len(points) > 1:
                yield path("M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points), stroke=colour, width=2)
                if shape.kind == "path":
                    yield circle(*points[-1], 4, colour)
        case "circle":
            yield circle(x, y, shape.radius * frame.scale, _pale(colour, 14), stroke=colour, width=1.5)
        case "rect":
            yield rect(x, y, shape.width * frame.scale, shape.height * frame.scale, _pale(colour, 20), stroke=colour)
        case "text":
            yield text(x, y, shape.text, colour, size=12)
        case "sight":
            yield path(_cone(x, y, shape.radius * frame.scale, shape.angle, shape.spread), fill=_pale(colour, 16))
        case "score":
            share = min(1.0, max(0.0, shape.value))
            side = frame.scale * shape.width
            yield rect(x - side / 2, y - side / 2, side, side, _pale(colour, round(6 + 64 * share)))
            if side >= 28:
                yield text(x, y, shape.text or f"{shape.value:.2g}", "ink", size=11)


def _pale(colour: str, percent: int) -> str:
    return f"{colour.partition('/')[0]}/{percent}"


def _cone(x: float, y: float, radius: float, angle: float, spread: float) -> str:
    one, other = angle - spread / 2, angle + spread / 2
    start = f"{x + radius * math.cos(one):.1f} {y + radius * math.sin(one):.1f}"
    end = f"{x + radius * math.cos(other):.1f} {y + radius * math.sin(other):.1f}"
    return f"M{x:.1f} {y:.1f}L{start}A{radius:.1f} {radius:.1f} 0 {int(spread > math.pi)} 1 {end}Z"
