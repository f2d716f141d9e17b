"""The floor plan of the house: rooms, walls, doors and furniture, which stand still."""

from collections.abc import Iterator

from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, place, rect, text
from telos.worlds.home.floor import Cell, FloorPlan

WIDTH, HEIGHT = 760.0, 430.0
CELL_WIDE, CELL_HIGH = 16.0, 24.0
LEFT, TOP = 12.0, 20.0
_WALL = 5.0
_FLOORS = {
    "kitchen": "floor2",
    "living room": "floor",
    "bedroom": "floor2",
    "hall": "path",
    "bathroom": "water",
    "study": "floor2",
    "guest room": "floor",
}
_TILED = {"kitchen", "bathroom"}
_FURNITURE = {
    "F": "fridge", "R": "fridge", "O": "oven", "T": "table", "H": "chair", "V": "television", "L": "sofa",
    "G": "console", "K": "shelf", "C": "armchair", "P": "phone", "W": "toilet", "N": "basin", "S": "shower",
}  # fmt: skip
_WHOLE = "TVL"  # one piece, though it is drawn on several cells
_SHIFT = {"F": (4.0, 0.0), "W": (4.0, 0.0), "S": (-4.0, 0.0)}  # so that it stands beside the wall, not in it
_BED_SHIFT = (-8.0, 4.0)
_SEAT = 26.0  # from seat to seat on the sofa: people need more room than letters


def centre(cell: Cell) -> tuple[float, float]:
    """Return where the middle of a cell is drawn."""
    row, column = cell
    return LEFT + (column + 0.5) * CELL_WIDE, TOP + (row + 0.5) * CELL_HIGH


def spot(plan: FloorPlan, cell: Cell) -> tuple[float, float]:
    """Return where somebody in a cell is drawn: on the sofa, people sit further apart than its cells are."""
    x, y = centre(cell)
    if plan.rows[cell[0]][cell[1]].isdigit():
        return x + _BED_SHIFT[0], y + _BED_SHIFT[1]
    sofa = plan.furniture.get("L", ())
    if cell in sofa:
        return x + (sofa.index(cell) - (len(sofa) - 1) / 2) * (_SEAT - CELL_WIDE), y - 1
    return x, y


def rooms(plan: FloorPlan) -> dict[str, tuple[float, float, float, float]]:
    """Return each room as a box from the middle of one wall to that of the other: x, y, width, height."""
    found: dict[str, list[Cell]] = {}
    for row in range(plan.height):
        for column in range(plan.width):
            name = plan.room((row, column))
            if name != "door":
                found.setdefault(name, []).append((row, column))
    boxes = {}
    for name, cells in found.items():
        (x, y), (u, v) = centre((cells[0][0] - 1, cells[0][1] - 1)), centre((cells[-1][0] + 1, cells[-1][1] + 1))
        boxes[name] = x, y, u - x, v - y
    return boxes


def floor_plan(plan: FloorPlan) -> Picture:
    """Return the house without anybody in it."""
    return [
        rect(0, 0, WIDTH, HEIGHT, "ground"),
        *(shape for name, box in rooms(plan).items() for shape in _floor(name, *box)),
        *_rugs(plan),
        *_walls(plan),
        *(_leaf(plan, door) for door in sorted(plan.doors)),
        *(shape for mark, cells in plan.furniture.items() for shape in _furniture(mark, cells)),
        *(
            text(x + 9, y + h - 12, name.upper(), "faint", size=9, align="left")
            for name, (x, y, _, h) in rooms(plan).items()
        ),
    ]


def _floor(name: str, x: float, y: float, width: float, height: float) -> Iterator[Shape]:
    yield rect(x, y, width, height, _FLOORS.get(name, "floor"))
    across = range(1, int(height // 12)) if name not in _TILED else range(1, int(height // 16))
    gap = 12 if name not in _TILED else 16
    lines = [f"M{x} {y + gap * row}h{width}" for row in across]
    if name in _TILED:
        lines += [f"M{x + gap * column} {y}v{height}" for column in range(1, int(width // gap) + 1)]
    yield path("".join(lines), stroke="ink/5", width=1)


def _rugs(plan: FloorPlan) -> Iterator[Shape]:
    for mark, role in (("L", "accent/20"), ("C", "gold/15")):
        cells = plan.furniture.get(mark, ())
        if cells:
            xs, ys = zip(*map(centre, cells), strict=True)
            x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2 - (22 if mark == "L" else -6)
            yield rect(x - 66, y - 24, 132, 52, role, radius=6, stroke="ink/10")


def _walls(plan: FloorPlan) -> Iterator[Shape]:
    """Yield each run of walls as one line, so that corners meet and nothing is drawn twice."""
    for down, across in ((0, 1), (1, 0)):
        for cell in sorted(plan.walls):
            before, after = (cell[0] - down, cell[1] - across), (cell[0] + down, cell[1] + across)
            if before in plan.walls or after not in plan.walls:
                continue
            end = cell
            while (end[0] + down, end[1] + across) in plan.walls:
                end = end[0] + down, end[1] + across
            (x, y), (u, v) = centre(cell), centre(end)
            grow_x, grow_y = across * _WALL / 2, down * _WALL / 2
            yield line(x - grow_x, y - grow_y, u + grow_x, v + grow_y, "wall", width=_WALL)
    for door in sorted(plan.doors):  # a wall ends in the middle of its last cell: the rest of it, up to the door
        yield from _jambs(plan, door)


def _jambs(plan: FloorPlan, door: Cell) -> Iterator[Shape]:
    x, y = centre(door)
    if _is_across(plan, door):
        yield line(x - CELL_WIDE, y, x - CELL_WIDE / 2 - 3, y, "wall", width=_WALL)
        yield line(x + CELL_WIDE / 2 + 3, y, x + CELL_WIDE, y, "wall", width=_WALL)
    else:
        yield line(x, y - CELL_HIGH, x, y - CELL_HIGH / 2, "wall", width=_WALL)
        yield line(x, y + CELL_HIGH / 2, x, y + CELL_HIGH, "wall", width=_WALL)


def _is_across(plan: FloorPlan, door: Cell) -> bool:
    return (door[0], door[1] - 1) in plan.walls


def _leaf(plan: FloorPlan, door: Cell) -> Shape:
    """Return a door that stands open."""
    x, y = centre(door)
    if _is_across(plan, door):
        return line(x - CELL_WIDE / 2 - 2, y, x - CELL_WIDE / 2 + 2, y - 17, "wood", width=3)
    return line(x, y - CELL_HIGH / 2, x + 17, y - CELL_HIGH / 2 + 3, "wood", width=3)


def locked_door(plan: FloorPlan, room: str) -> Picture:
    """Return the doors of a room, shut and marked."""
    shapes: Picture = []
    for door in sorted(plan.doors):
        if any(plan.room(near) == room for near in ((door[0] + 1, door[1]), (door[0] - 1, door[1]))):
            x, y = centre(door)
            shapes += [
                line(x - CELL_WIDE / 2 - 3, y, x + CELL_WIDE / 2 + 3, y, "danger", width=_WALL),
                circle(x, y + 1, 11, "panel/90", stroke="danger", width=1.5),
                place(f"lock {room}", "padlock", x, y - 1),
            ]
    return shapes


def _furniture(mark: str, cells: tuple[Cell, ...]) -> Iterator[Shape]:
    symbol = "bed" if mark.isdigit() else _FURNITURE.get(mark)
    if symbol is None:
        return
    if mark in _WHOLE:
        (x, y), (u, v) = centre(cells[0]), centre(cells[-1])
        yield place(symbol, symbol, (x + u) / 2, (y + v) / 2)
        return
    for number, cell in enumerate(cells):
        x, y = centre(cell)
        right, down = _BED_SHIFT if mark.isdigit() else _SHIFT.get(mark, (0.0, 0.0))
        yield place(f"{symbol} {mark}{number}", symbol, x + right, y + down)


def _name(name: str, x: float, y: float, width: float, height: float) -> Shape:
    return text(x + 9, y + height - 12, name.upper(), "faint", size=9, align="left")
