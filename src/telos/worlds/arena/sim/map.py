"""Maps of the arena: drawings and their faults, named nodes and rooms, grid geometry, lines of sight.

Start with `ArenaMap` and `load_map`.
"""

import math
import os
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path
from typing import TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.files.definition import fill_lines
from telos.files.reading import normalize_line_ends, read_text

# --- grid geometry ---


Cell: TypeAlias = tuple[int, int]  # column, row
Point: TypeAlias = tuple[float, float]  # metres, x to the right and y downwards

MAPS = Path(__file__).parents[1] / "data" / "maps"
COMPASS: dict[str, Point] = {"north": (0.0, -1.0), "south": (0.0, 1.0), "west": (-1.0, 0.0), "east": (1.0, 0.0)}
COVER_COSINE = math.cos(math.radians(60))  # cover protects this far to either side of its direction
EPSILON = 1e-9  # grid lines crossed closer together than this are crossed at a corner
NARROW = 4  # metres from wall to wall: a passage in which people go in single file
MAX_CACHED_PAIRS = 400_000  # pairs of cells; more than a map of 64 by 24 metres needs

# Marks of a map drawing
WALL, FURNITURE, LOW, WINDOW, AMBUSH, SWITCH = "#", "o", "_", "=", "*", "!"
DOORS = {"+": "closed", "/": "open", "%": "locked"}
COVER = {"^": "north", "v": "south", "<": "west", ">": "east"}
_FLOOR = " ."
_DIGITS = "123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WALKABLE = frozenset((*_FLOOR, *COVER, AMBUSH, SWITCH, *_DIGITS, *_LETTERS))
_KNOWN_MARKS = _WALKABLE | {WALL, FURNITURE, LOW, WINDOW, *DOORS}


def cell_of(point: Point) -> Cell:
    """Return the cell that contains a point.

    >>> cell_of((2.5, 0.99)), cell_of((-0.5, 3.0))
    ((2, 0), (-1, 3))
    """
    return math.floor(point[0]), math.floor(point[1])


def cell_centre(cell: Cell) -> Point:
    return cell[0] + 0.5, cell[1] + 0.5


def adjacent_cells(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four neighbours of a cell: north, south, west and east."""
    x, y = cell
    return (x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)


def cells_on_line(start: Point, end: Point) -> tuple[list[Cell], list[tuple[Cell, Cell]]]:
    """Return the cells that a straight line crosses, and the pairs of cells that it passes between at a corner.

    >>> cells_on_line((0.5, 0.5), (2.5, 0.5))
    ([(0, 0), (1, 0), (2, 0)], [])
    >>> cells_on_line((0.5, 0.5), (1.5, 1.5))
    ([(0, 0), (1, 1)], [((1, 0), (0, 1))])
    """
    x, y = cell_of(start)
    last_x, last_y = cell_of(end)
    across, down = end[0] - start[0], end[1] - start[1]
    step_x, step_y = (1 if across > 0 else -1), (1 if down > 0 else -1)
    left_x, left_y = abs(last_x - x), abs(last_y - y)
    # Positions on the line (0 to 1) of the next vertical and horizontal grid line, and the distances between them.
    each_x, each_y = (abs(1 / across) if left_x else math.inf), (abs(1 / down) if left_y else math.inf)
    next_x = (x + (across > 0) - start[0]) / across if left_x else math.inf
    next_y = (y + (down > 0) - start[1]) / down if left_y else math.inf
    cells, corners = [(x, y)], []
    while left_x or left_y:
        if left_x and left_y and abs(next_x - next_y) < EPSILON:
            corners.append(((x + step_x, y), (x, y + step_y)))
            x, y, left_x, left_y = x + step_x, y + step_y, left_x - 1, left_y - 1
            next_x, next_y = next_x + each_x, next_y + each_y
        elif left_x and (next_x < next_y or not left_y):
            x, left_x, next_x = x + step_x, left_x - 1, next_x + each_x
        else:
            y, left_y, next_y = y + step_y, left_y - 1, next_y + each_y
        cells.append((x, y))
    return cells, corners


# --- drawings ---


class MapDrawing:
    r"""The marks of a map drawing, one per cell. Everything outside is wall.

    >>> drawing = MapDrawing("####\n#.^#\n####")
    >>> drawing.mark((2, 1)), drawing.mark((9, 9)), drawing.is_floor((1, 1))
    ('^', '#', True)
    """

    def __init__(self, text: str, name: str = "") -> None:
        lines = normalize_line_ends(text).split("\n")
        self._above = next((number for number, line in enumerate(lines) if line.strip()), 0)  # empty lines on top
        while lines and not lines[-1].strip():
            lines.pop()
        self.name = name
        self.rows = fill_lines(lines[self._above :], WALL, name)
        self.height, self.width = len(self.rows), len(self.rows[0]) if self.rows else 0

    def mark(self, cell: Cell) -> str:
        """Return the mark of a cell."""
        x, y = cell
        return self.rows[y][x] if 0 <= x < self.width and 0 <= y < self.height else WALL

    def marks(self) -> Iterator[tuple[Cell, str]]:
        """Return every cell and its mark, in reading order."""
        return (((x, y), mark) for y, row in enumerate(self.rows) for x, mark in enumerate(row))

    def is_floor(self, cell: Cell) -> bool:
        """Whether a body can stand there without dealing with a door or an obstacle."""
        return self.mark(cell) in _WALKABLE

    def sides(self, cell: Cell) -> tuple[tuple[Cell, Cell], ...]:
        """Return the pairs of opposite floor cells on both sides of a door or window."""
        x, y = cell
        pairs = (((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1)))
        return tuple((one, two) for one, two in pairs if self.is_floor(one) and self.is_floor(two))

    def faults(self) -> list[Fault]:
        """Return all faults of the drawing, in reading order."""
        if not any(self.is_floor(cell) for cell, _ in self.marks()):
            bare = Fault(
                "the map has no floor", suggestion="draw some, with . or a space", file=self.name, code=FaultCode.EMPTY
            )
            return [bare, *self._unknown_marks()]
        found = [*self._unknown_marks(), *self._unconnected_doors(), *self._duplicates()]
        return sorted(found, key=lambda fault: (fault.line, fault.column))

    def _unknown_marks(self) -> Iterator[Fault]:
        for cell, mark in self.marks():
            if mark not in _KNOWN_MARKS:
                yield self._fault(cell, f"unknown mark {mark!r}", _suggest_mark(mark), code=FaultCode.UNKNOWN_NAME)

    def _unconnected_doors(self) -> Iterator[Fault]:
        for cell, mark in self.marks():
            if (mark == WINDOW or mark in DOORS) and not self.sides(cell):
                what = "window" if mark == WINDOW else "door"
                remedy = "leave floor to the left and right of it, or above and below"
                yield self._fault(
                    cell, f"this {what} {mark!r} is not between two cells of floor", remedy, code=FaultCode.BAD_SYNTAX
                )

    def _duplicates(self) -> Iterator[Fault]:
        seen: dict[str, Cell] = {}
        for cell, mark in self.marks():
            if mark not in _DIGITS and mark not in _LETTERS:
                continue
            if mark in seen:
                line = seen[mark][1] + self._above + 1
                yield self._fault(
                    cell, f"{mark!r} is drawn twice; first in line {line}", "use another one", code=FaultCode.DUPLICATE
                )
            seen.setdefault(mark, cell)

    def _fault(self, cell: Cell, message: str, suggestion: str, *, code: FaultCode) -> Fault:
        x, y = cell
        place = {"file": self.name or "<map>", "line": y + self._above + 1, "column": x + 1}
        return Fault(message, text=self.mark(cell), suggestion=suggestion, code=code, **place)  # type: ignore[arg-type]


def _suggest_mark(mark: str) -> str:
    if mark == "\t":
        return "use spaces instead of tabs"
    if mark == "0":
        return "patrol stops are 1 to 9"
    if mark.upper() in _LETTERS:
        return f"places are capital letters: write {mark.upper()!r}, or 'o' for furniture"
    return f"known: {' '.join(sorted(_KNOWN_MARKS - set(_LETTERS) - set(_DIGITS) - set(_FLOOR)))} and . A-Z 1-9"


# --- maps ---


@dataclass(frozen=True, slots=True)
class MapNode:
    """A named spot of the map: cover, ambush, patrol stop, or a fixture to use."""

    name: str
    kind: str  # "cover", "ambush", "patrol", "door", "window", "switch" or "low"
    x: float
    y: float
    protects: frozenset[str] = frozenset()  # against fire from "north", "south", "west", "east"

    @property
    def position(self) -> Point:
        return self.x, self.y

    @property
    def cell(self) -> Cell:
        return cell_of((self.x, self.y))

    def protects_from(self, threat: Point) -> bool:
        """Whether fire from ``threat`` comes from a protected direction.

        >>> wall_to_the_north = MapNode("c1", "cover", 5.5, 5.5, frozenset({"north"}))
        >>> wall_to_the_north.protects_from((7.0, 2.0)), wall_to_the_north.protects_from((5.5, 9.0))
        (True, False)
        """
        x, y = threat[0] - self.x, threat[1] - self.y
        far = math.hypot(x, y) * COVER_COSINE
        return any(x * COMPASS[side][0] + y * COMPASS[side][1] >= far > 0 for side in self.protects)


class ArenaMap:
    """A map, drawn in text: one character is a square metre.

    ``#`` wall, space or ``.`` floor, ``+ / %`` a closed, open or locked door, ``=`` window, ``o`` furniture, ``_`` a
    low obstacle to crawl under, ``^ v < >`` cover against fire from the north, south, west and east, ``*`` ambush,
    ``1`` to ``9`` the patrol route, ``!`` the light switch of a dark room, ``A`` to ``Z`` places for the scene to use.

    >>> tiny = ArenaMap('''
    ... ########
    ... #A +  >#
    ... ########
    ... ''')
    >>> tiny.doors["d1"].position, sorted(tiny.nodes["c1"].protects), tiny.rooms
    ((3.5, 1.5), ['east', 'north', 'south'], ('r1', 'r2'))
    """

    def __init__(self, drawing: str, name: str = "") -> None:
        drawn = MapDrawing(drawing, name)
        if faults := drawn.faults():
            raise DefinitionError(faults)
        self.name, self.rows, self.width, self.height = name, drawn.rows, drawn.width, drawn.height
        self._drawn = drawn
        marks = dict(drawn.marks())
        self.floor = frozenset(cell for cell in marks if drawn.is_floor(cell))
        self.furniture = frozenset(cell for cell, mark in marks.items() if mark == FURNITURE)
        self.walls = frozenset(cell for cell, mark in marks.items() if mark == WALL)
        named = self._find_nodes(marks)
        self.nodes = {node.name: node for node in named if node.kind in ("cover", "ambush", "patrol")}
        self.doors, self.windows, self.switches, self.lows = (
            {node.name: node for node in named if node.kind == kind} for kind in ("door", "window", "switch", "low")
        )
        self.fixtures = {**self.doors, **self.windows, **self.switches, **self.lows}
        self.at = {node.cell: node for node in named}
        self.doors_at = {door.cell: door.name for door in self.doors.values()}
        self.patrol = tuple(node.name for node in self.nodes.values() if node.kind == "patrol")
        self.places = {mark: cell_centre(cell) for cell, mark in marks.items() if mark.isascii() and mark.isupper()}
        self.door_starts = {name: DOORS[marks[door.cell]] for name, door in self.doors.items()}
        self._rooms = self._label_rooms()
        self.rooms = tuple(dict.fromkeys(self._rooms.values()))
        self.dark = frozenset(self.room_at(switch.position) for switch in self.switches.values())

    def is_narrow(self, node: str) -> bool:
        """Whether a node lies in a passage: few metres from wall to wall, or to a door, in one direction."""
        return min(self._span(self.nodes[node].cell, step) for step in ((1, 0), (0, 1))) <= NARROW

    def _span(self, cell: Cell, step: Cell) -> int:
        """Return how many open cells lie in a row with a cell, in both directions of a step."""
        (x, y), (across, down) = cell, step
        rays = (((x + sign * far * across, y + sign * far * down) for far in count(1)) for sign in (1, -1))
        return 1 + sum(sum(1 for _ in takewhile(self._is_open, ray)) for ray in rays)

    def _is_open(self, cell: Cell) -> bool:
        return cell in self.floor or cell in self.furniture

    def __eq__(self, other: object) -> bool:
        """Maps with the same name and drawing are equal, so they share caches."""
        return self.rows == other.rows and self.name == other.name if isinstance(other, ArenaMap) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.rows))

    def _find_nodes(self, marks: dict[Cell, str]) -> list[MapNode]:
        """Return all named spots; patrol stops are sorted by their digits."""
        found, count = [], Counter[str]()
        for cell, mark in marks.items():
            kind = _node_kind(mark)
            if kind:
                count[kind] += 1
                number = mark if kind == "patrol" else count[kind]
                protects = self._protects(cell, mark) if kind == "cover" else frozenset[str]()
                found.append(MapNode(f"{kind[0]}{number}", kind, *cell_centre(cell), protects))
        return sorted(found, key=lambda node: (node.kind, node.name if node.kind == "patrol" else ""))

    def _protects(self, cell: Cell, mark: str) -> frozenset[str]:
        solid = (
            side
            for side, near in zip(COMPASS, adjacent_cells(cell), strict=True)
            if self.mark(near) in (WALL, FURNITURE)
        )
        return frozenset({COVER[mark], *solid})

    def _label_rooms(self) -> dict[Cell, str]:
        """Return the room of every cell in one: walls, doors and windows separate rooms, furniture does not."""
        inside = {cell for cell, mark in self._drawn.marks() if mark not in (WALL, WINDOW, *DOORS)}
        rooms: dict[Cell, str] = {}
        count = 0
        for corner, _ in self._drawn.marks():
            if corner not in inside or corner in rooms:
                continue
            count += 1
            name, reached = f"r{count}", [corner]
            rooms[corner] = name
            while reached:
                for near in adjacent_cells(reached.pop()):
                    if near in inside and near not in rooms:
                        rooms[near] = name
                        reached.append(near)
        return rooms

    def mark(self, cell: Cell) -> str:
        """Return the mark of a cell; outside is wall."""
        return self._drawn.mark(cell)

    def room_at(self, point: Point) -> str:
        """Return the name of the room at a point; ``""`` in a doorway, a window or a wall."""
        return self._rooms.get(cell_of(point), "")

    def sides(self, name: str) -> tuple[tuple[Cell, Cell], ...]:
        """Return the pairs of floor cells on both sides of a door or window."""
        return self._drawn.sides(self.fixtures[name].cell)


def _node_kind(mark: str) -> str:
    if mark in COVER:
        return "cover"
    if mark in DOORS:
        return "door"
    if "1" <= mark <= "9":
        return "patrol"
    return {AMBUSH: "ambush", SWITCH: "switch", LOW: "low", WINDOW: "window"}.get(mark, "")


def map_names() -> tuple[str, ...]:
    """Return the names of the maps in the package."""
    return tuple(sorted(path.stem for path in MAPS.glob("*.txt")))


def load_map(path: str | os.PathLike[str]) -> ArenaMap:
    """Load a map of the package by name, or a map file by path.

    >>> load_map("warehouse").patrol
    ('p1', 'p2', 'p3', 'p4')
    """
    name = os.fspath(path)
    if name in map_names():
        return _load_builtin_map(name)
    if not os.path.exists(name) and "." not in Path(name).name:
        raise TelosError(f"unknown map {name!r}", name_hint(name, map_names()))
    return ArenaMap(read_text(name), name)


@lru_cache(maxsize=8)  # a map never changes, and its caches serve every arena
def _load_builtin_map(name: str) -> ArenaMap:
    return ArenaMap(read_text(MAPS / f"{name}.txt"), name)


# --- lines of sight ---


class LineOfSight:
    r"""Lines of sight between the centres of cells: walls and shut doors block them, windows and furniture do not.

    A line through a corner is blocked if both cells at the corner block it. The cache holds the doors between two
    cells, so it stays valid when doors are opened and shut.

    >>> sight = LineOfSight(ArenaMap("#######\n#  +  #\n#######"))
    >>> sight.is_clear((1, 1), (5, 1), shut={(3, 1)}), sight.is_clear((1, 1), (5, 1), shut=set())
    (False, True)
    """

    def __init__(self, map: ArenaMap) -> None:
        self._map = map
        self._doors_between: dict[tuple[Cell, Cell], tuple[Cell, ...] | None] = {}

    def is_clear(self, one: Cell, other: Cell, shut: Container[Cell]) -> bool:
        """Whether the two cells see each other while the doors at ``shut`` are shut."""
        pair = (one, other) if one <= other else (other, one)  # lines are symmetric
        try:
            doors = self._doors_between[pair]
        except KeyError:
            doors = self._cache(pair)
        if not doors:
            return doors is not None
        for door in doors:
            if door in shut:
                return False
        return True

    def _cache(self, pair: tuple[Cell, Cell]) -> tuple[Cell, ...] | None:
        if len(self._doors_between) >= MAX_CACHED_PAIRS:
            self._doors_between.clear()
        self._doors_between[pair] = doors = self._look(*pair)
        return doors

    def _look(self, one: Cell, other: Cell) -> tuple[Cell, ...] | None:
        """Return the doors on the line, or None if a wall is on it. A body in a doorway sees out of it."""
        cells, corners = cells_on_line(cell_centre(one), cell_centre(other))
        if any(self._is_wall(cell) for cell in cells):
            return None
        doors = [cell for cell in cells if cell in self._map.doors_at]
        for pair in corners:
            solid = [cell for cell in pair if self._is_wall(cell) or cell in self._map.doors_at]
            if len(solid) == 2:
                if all(self._is_wall(cell) for cell in solid):
                    return None
                doors += [cell for cell in solid if not self._is_wall(cell)]
        return tuple(doors)

    def _is_wall(self, cell: Cell) -> bool:
        return self._map.mark(cell) == "#"
