"""Directions and inputs, and the map: areas in a grid, drawn in text with the walls between them."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.definition import fill_lines

STOP = "stop"
# The straight components of each direction; y grows downwards.
PARTS: dict[str, tuple[str, ...]] = {
    "up": ("up",),
    "up_right": ("up", "right"),
    "right": ("right",),
    "down_right": ("down", "right"),
    "down": ("down",),
    "down_left": ("down", "left"),
    "left": ("left",),
    "up_left": ("up", "left"),
    STOP: (),
}
DIRECTIONS = tuple(each for each in PARTS if each != STOP)
STRAIGHT = ("up", "right", "down", "left")
EDGES = {"up": "north", "right": "east", "down": "south", "left": "west"}
OPPOSITE = {"north": "south", "east": "west", "south": "north", "west": "east"}

_SLANT = math.sqrt(0.5)  # a diagonal step is as long as a straight one
VECTORS: dict[str, tuple[float, float]] = {
    "up": (0.0, -1.0),
    "up_right": (_SLANT, -_SLANT),
    "right": (1.0, 0.0),
    "down_right": (_SLANT, _SLANT),
    "down": (0.0, 1.0),
    "down_left": (-_SLANT, _SLANT),
    "left": (-1.0, 0.0),
    "up_left": (-_SLANT, -_SLANT),
    STOP: (0.0, 0.0),
}
_WAY_OF = {frozenset(parts): direction for direction, parts in PARTS.items()}
_SWING = "swing"
_ACROSS = 4  # columns of text per area; it is two lines high
TOWN, CHEST = "T", "C"
_SHIFTS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


class Keys(NamedTuple):
    """The input of a frame."""

    direction: str = STOP
    swing: bool = False


NO_KEYS = Keys()


@lru_cache(maxsize=1024)  # few different inputs, one per frame
def parse_keys(text: str) -> Keys:
    """Parse an input: directions and ``swing``, joined by ``+``; opposite directions cancel out.

    >>> parse_keys("left+up"), parse_keys("swing"), parse_keys("left+right")
    (Keys(direction='up_left', swing=False), Keys(direction='stop', swing=True), Keys(direction='stop', swing=False))
    """
    words = text.split("+") if isinstance(text, str) and text else []
    unknown = next((word for word in words if word not in (*STRAIGHT, _SWING)), None)
    if unknown is not None or not isinstance(text, str):
        remedy = name_hint(str(unknown), (*STRAIGHT, _SWING)) if unknown else "join directions and `swing` by `+`"
        raise TelosError(f"{text!r} is not an input of the adventure", remedy)
    held = set(words) - {_SWING}
    for one, other in (("up", "down"), ("left", "right")):
        if {one, other} <= held:
            held -= {one, other}
    return Keys(_WAY_OF[frozenset(held)], _SWING in words)


def format_keys(keys: Keys) -> str:
    """Return the shortest input that means ``keys``.

    >>> format_keys(Keys("up_left", swing=True)), format_keys(NO_KEYS)
    ('up+left+swing', '')
    """
    return "+".join((*PARTS[keys.direction], *((_SWING,) if keys.swing else ())))


def to_direction(across: float, down: float) -> str:
    """Return the direction of an offset: diagonal if neither component is twice the other or more.

    >>> to_direction(5.0, 0.0), to_direction(3.0, -3.0), to_direction(0.0, 0.0)
    ('right', 'up_right', 'stop')
    """
    flat, steep = abs(across) * 2 > abs(down), abs(down) * 2 > abs(across)
    parts = (("left" if across < 0 else "right") if flat else None, ("up" if down < 0 else "down") if steep else None)
    return _WAY_OF[frozenset(part for part in parts if part is not None)]


@dataclass(frozen=True, slots=True)
class AreaMap:
    """Areas by number, row by row: 0 is the first of the top row.

    >>> tiny = AreaMap.from_drawing('''
    ... +---+---+---+
    ... | T       C |
    ... +   +---+---+
    ... |   |   |   |
    ... +---+---+---+
    ... ''')
    >>> tiny.name(tiny.town), [tiny.name(place) for place in tiny.chest_places], tiny.distance
    ('1,1', ['3,1'], (0, 1, 2, 1, None, None))
    """

    columns: int
    rows: int
    exits: tuple[FrozenMap[str, int], ...]  # for each area: an edge ("north", …) to the area behind it
    town: int
    chest_places: tuple[int, ...]
    distance: tuple[int | None, ...]  # screens from town; None: unreachable

    @classmethod
    def from_drawing(cls, drawing: str) -> "AreaMap":
        """Parse a drawing; a ``DefinitionError`` holds all its faults, by line and column of the text.

        An area is three characters wide and one line high, with ``---`` or ``|`` where a wall is and spaces where
        there is none; ``+`` at the corners. ``T`` marks the town, ``C`` an area where a chest may be.
        """
        return _Drawing(drawing).map()

    @property
    def reachable(self) -> tuple[int, ...]:
        """The areas that can be reached from town."""
        return tuple(area for area, far in enumerate(self.distance) if far is not None)

    def name(self, area: int) -> str:
        """Return the name of an area: column and row, both from 1."""
        return f"{area % self.columns + 1},{area // self.columns + 1}"

    def way(self, start: int, end: int) -> tuple[str, ...]:
        r"""Return the edges to cross on a shortest way between two areas; none if there is no way.

        >>> tiny = AreaMap.from_drawing("+---+---+\n| T     |\n+---+   +\n|   | C |\n+---+---+")
        >>> tiny.way(0, 3), tiny.way(0, 2)
        (('east', 'south'), ())
        """
        ways: dict[int, tuple[str, ...]] = {start: ()}
        queue = [start]
        for area in queue:  # grows during iteration
            for edge, behind in self.exits[area].items():
                if behind not in ways:
                    ways[behind] = (*ways[area], edge)
                    queue.append(behind)
        return ways.get(end, ())

    def exits_to_unvisited(self, area: int, visited: Collection[int]) -> dict[str, int]:
        r"""Return the exits that lead to an unvisited area and the number of screens, 1 being the next one.

        >>> tiny = AreaMap.from_drawing("+---+---+---+---+\n|         T     |\n+---+---+---+---+")
        >>> tiny.exits_to_unvisited(1, {1, 2}), tiny.exits_to_unvisited(1, {0, 1, 2, 3})
        ({'east': 2, 'west': 1}, {})
        """
        found = {edge: self._screens_to_new(behind, area, visited) for edge, behind in self.exits[area].items()}
        return {edge: screens for edge, screens in found.items() if screens is not None}

    def _screens_to_new(self, start: int, back: int, visited: Collection[int]) -> int | None:
        """Return the number of screens from ``start``, breadth first, without going back."""
        reached, queue = {back, start}, [(start, 1)]
        for area, screens in queue:  # grows during iteration
            if area not in visited:
                return screens
            for behind in self.exits[area].values():
                if behind not in reached:
                    reached.add(behind)
                    queue.append((behind, screens + 1))
        return None

    def toward_town(self, area: int) -> tuple[str, ...]:
        """Return the straight directions towards the town on the map, ignoring walls."""
        across = self.town % self.columns - area % self.columns
        down = self.town // self.columns - area // self.columns
        sides = (("left", across < 0), ("right", across > 0), ("up", down < 0), ("down", down > 0))
        return tuple(side for side, is_there in sides if is_there)


# --- houses ---


class House(NamedTuple):
    """The ground that a house covers: its middle, and half its width and height."""

    x: float
    y: float
    across: float = 38.0
    down: float = 30.0

    def covers(self, x: float, y: float, half: float) -> bool:
        """Whether a body of half that size at a position would be in the house."""
        return abs(x - self.x) < self.across + half and abs(y - self.y) < self.down + half


@lru_cache(maxsize=32)  # asked for in every frame in town
def town_houses(width: float, height: float, *, north: bool, south: bool) -> tuple[House, ...]:
    """Return the houses of a town: in its corners, and along its northern and southern edges if these are closed.

    The ways from the middle to the edges, and the edges themselves, stay free.

    >>> [(house.x, house.y) for house in town_houses(600, 400, north=True, south=True)]
    [(90.0, 68.0), (510.0, 68.0), (90.0, 332.0), (510.0, 332.0)]
    """
    spots = [(0.15, 0.17), (0.85, 0.17), (0.15, 0.83), (0.85, 0.83)]
    spots += [] if north else [(0.34, 0.15), (0.66, 0.15)]
    spots += [] if south else [(0.34, 0.85), (0.66, 0.85)]
    return tuple(House(across * width, down * height) for across, down in spots)


def walk_around(
    houses: Sequence[House], start: tuple[float, float], end: tuple[float, float], half: float
) -> tuple[float, float]:
    """Return where a step ends that must not enter a house: it slides along the wall, to the nearer corner.

    >>> walk_around([House(100, 100)], (50, 90), (58, 90), 12.0)
    (50, 82)
    """
    house = next((each for each in houses if each.covers(*end, half)), None)
    if house is None or house.covers(*start, half):  # who is inside, for whatever reason, can walk out
        return end
    for slid in ((end[0], start[1]), (start[0], end[1])):
        if slid != start and not any(each.covers(*slid, half) for each in houses):
            return slid
    x, y = start
    step = max(abs(end[0] - x), abs(end[1] - y))
    if abs(x - house.x) >= house.across + half:  # at its western or eastern wall
        aside = x, y + (step if y >= house.y else -step)
    else:
        aside = x + (step if x >= house.x else -step), y
    return start if any(each.covers(*aside, half) for each in houses) else aside


# --- drawings ---


class _Drawing:
    """Parses a drawing and collects its faults."""

    def __init__(self, drawing: str) -> None:
        lines = drawing.split("\n")
        inked = [number for number, line in enumerate(lines) if line.strip()]
        self._top = inked[0] if inked else 0
        self._lines = fill_lines([line.rstrip() for line in lines[self._top : inked[-1] + 1]] if inked else [])
        width = len(self._lines[0]) if self._lines else 0
        self.columns, self.rows = (width - 1) // _ACROSS, (len(self._lines) - 1) // 2
        self.faults: list[Fault] = []
        if width != self.columns * _ACROSS + 1 or len(self._lines) != self.rows * 2 + 1 or not self.columns:
            self._fault(
                0,
                0,
                "the drawing is not a grid",
                "each area is `|   ` wide and two lines high, as in `+---+`",
                code=FaultCode.BAD_SYNTAX,
            )

    def _fault(self, line: int, column: int, message: str, suggestion: str, *, code: FaultCode) -> None:
        fault = Fault(message, suggestion=suggestion, line=self._top + line + 1, column=column + 1, code=code)
        self.faults.append(fault)

    def map(self) -> AreaMap:
        if not self.faults:
            self._check_walls()
            exits = [FrozenMap(dict(self._exits(area))) for area in range(self.columns * self.rows)]
            marks = dict(self._marks())
        if self.faults:
            raise DefinitionError(self.faults)
        town = self._town(marks)
        places = tuple(area for area, mark in marks.items() if mark == CHEST)
        distance = _distances(exits, town)
        for place in places:
            if distance[place] is None:
                self._fault(
                    *self._middle(place),
                    "this chest cannot be reached from town",
                    "open a wall on the way",
                    code=FaultCode.UNREACHABLE,
                )
        if self.faults:
            raise DefinitionError(self.faults)
        return AreaMap(self.columns, self.rows, tuple(exits), town, places, tuple(distance))

    def _middle(self, area: int) -> tuple[int, int]:
        return area // self.columns * 2 + 1, area % self.columns * _ACROSS + 2

    def _wall(self, area: int, side: str) -> tuple[int, int, str, str]:
        """Return where the wall on a side of an area starts, its text, and the text of a wall."""
        (line, column), (right, down) = self._middle(area), _SHIFTS[side]
        line, column = line + down, column + 2 * right
        if right:
            return line, column, self._lines[line][column], "|"
        return line, column - 1, self._lines[line][column - 1 : column + 2], "---"

    def _check_walls(self) -> None:
        for line in range(0, len(self._lines), 2):
            for column in range(0, len(self._lines[0]), _ACROSS):
                if self._lines[line][column] != "+":
                    self._fault(
                        line,
                        column,
                        f"a corner is `+`, got {self._lines[line][column]!r}",
                        "write `+`",
                        code=FaultCode.BAD_SYNTAX,
                    )

    def _exits(self, area: int) -> Iterator[tuple[str, int]]:
        for side, (right, down) in _SHIFTS.items():
            line, column, drawn, wall = self._wall(area, side)
            inside = 0 <= area % self.columns + right < self.columns and 0 <= area // self.columns + down < self.rows
            if drawn == wall:
                continue
            if drawn.strip():
                if side in ("right", "down") or not inside:  # the neighbour reports the other half
                    self._fault(
                        line,
                        column,
                        f"{drawn!r} is not a wall",
                        f"write `{wall}`, or spaces for a way through",
                        code=FaultCode.BAD_SYNTAX,
                    )
            elif not inside:
                self._fault(line, column, "there is a way off the map", f"write `{wall}`", code=FaultCode.BAD_SYNTAX)
            else:
                yield EDGES[side], area + right + down * self.columns

    def _marks(self) -> Iterator[tuple[int, str]]:
        for area in range(self.columns * self.rows):
            line, column = self._middle(area)
            inside = self._lines[line][column - 1 : column + 2]
            mark = inside.strip()
            if mark not in ("", TOWN, CHEST):
                found = column - 1 + inside.index(mark[0])
                self._fault(
                    line,
                    found,
                    f"{mark!r} is nothing on a map",
                    "write `T` for the town, `C` for a chest",
                    code=FaultCode.UNKNOWN_NAME,
                )
            elif mark:
                yield area, mark

    def _town(self, marks: dict[int, str]) -> int:
        towns = [area for area, mark in marks.items() if mark == TOWN]
        for second in towns[1:]:
            self._fault(*self._middle(second), "there is a second town", "keep one `T`", code=FaultCode.DUPLICATE)
        if not towns:
            self._fault(0, 0, "there is no town", "write `T` into an area", code=FaultCode.EMPTY)
            raise DefinitionError(self.faults)
        return towns[0]


def _distances(exits: Sequence[FrozenMap[str, int]], start: int) -> list[int | None]:
    """Return the distance of each area in screens, breadth first."""
    distance: list[int | None] = [None] * len(exits)
    distance[start] = 0
    queue = [start]
    for area in queue:  # grows during iteration
        for behind in exits[area].values():
            if distance[behind] is None:
                distance[behind] = (distance[area] or 0) + 1
                queue.append(behind)
    return distance
