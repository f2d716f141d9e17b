"""What may be drawn on a map, and everything that is wrong with a drawing."""

from collections.abc import Iterator

from telos.core.errors import Fault, FaultCode
from telos.worlds.arena.grid import Cell

WALL, FURNITURE, LOW, WINDOW, AMBUSH, SWITCH = "#", "o", "_", "=", "*", "!"
DOORS = {"+": "closed", "/": "open", "%": "locked"}
COVER = {"^": "north", "v": "south", "<": "west", ">": "east"}
_FLOOR = " ."
_DIGITS = "123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STOOD_ON = frozenset((*_FLOOR, *COVER, AMBUSH, SWITCH, *_DIGITS, *_LETTERS))
_ALL = _STOOD_ON | {WALL, FURNITURE, LOW, WINDOW, *DOORS}


class Drawing:
    r"""A map as its author drew it: a mark for every cell. Outside the drawing, everything is wall.

    >>> drawing = Drawing("####\n#.^#\n####")
    >>> drawing.mark((2, 1)), drawing.mark((9, 9)), drawing.is_floor((1, 1))
    ('^', '#', True)
    """

    def __init__(self, text: str, name: str = "") -> None:
        lines = text.splitlines()
        self._above = next((number for number, line in enumerate(lines) if line.strip()), 0)  # lines left out on top
        while lines and not lines[-1].strip():
            lines.pop()
        self.name = name
        rows = lines[self._above :]
        self.height, self.width = len(rows), max(map(len, rows), default=0)
        self.rows = tuple(row.ljust(self.width, WALL) for row in rows)

    def mark(self, cell: Cell) -> str:
        """Return what is drawn there."""
        x, y = cell
        return self.rows[y][x] if 0 <= x < self.width and 0 <= y < self.height else WALL

    def marks(self) -> Iterator[tuple[Cell, str]]:
        """Return every cell and its mark, in the order of reading."""
        return (((x, y), mark) for y, row in enumerate(self.rows) for x, mark in enumerate(row))

    def is_floor(self, cell: Cell) -> bool:
        """Whether one can stand there without doing anything about a door or an obstacle."""
        return self.mark(cell) in _STOOD_ON

    def sides(self, cell: Cell) -> tuple[tuple[Cell, Cell], ...]:
        """Return the pairs of opposite floor cells that a door or window lies between."""
        x, y = cell
        pairs = (((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1)))
        return tuple((one, two) for one, two in pairs if self.is_floor(one) and self.is_floor(two))

    def faults(self) -> list[Fault]:
        """Return everything wrong with the drawing, in the order of reading."""
        if not any(self.is_floor(cell) for cell, _ in self.marks()):
            bare = Fault(
                "the map has no floor", suggestion="draw some, with . or a space", file=self.name, code=FaultCode.EMPTY
            )
            return [bare, *self._strange_marks()]
        found = [*self._strange_marks(), *self._doors_to_nowhere(), *self._twice()]
        return sorted(found, key=lambda fault: (fault.line, fault.column))

    def _strange_marks(self) -> Iterator[Fault]:
        for cell, mark in self.marks():
            if mark not in _ALL:
                yield self._fault(cell, f"{mark!r} means nothing on a map", _meant(mark), code=FaultCode.UNKNOWN_NAME)

    def _doors_to_nowhere(self) -> Iterator[Fault]:
        for cell, mark in self.marks():
            if (mark == WINDOW or mark in DOORS) and not self.sides(cell):
                what = "window" if mark == WINDOW else "door"
                remedy = "leave floor to the left and right of it, or above and below"
                yield self._fault(
                    cell, f"this {what} {mark!r} is not between two cells of floor", remedy, code=FaultCode.BAD_SYNTAX
                )

    def _twice(self) -> Iterator[Fault]:
        seen: dict[str, Cell] = {}
        for cell, mark in self.marks():
            if mark not in _DIGITS and mark not in _LETTERS:
                continue
            if mark in seen:
                line = seen[mark][1] + self._above + 1
                yield self._fault(
                    cell, f"{mark!r} is drawn twice, first in line {line}", "use another one", code=FaultCode.DUPLICATE
                )
            seen.setdefault(mark, cell)

    def _fault(self, cell: Cell, message: str, suggestion: str, *, code: FaultCode) -> Fault:
        x, y = cell
        place = {"file": self.name or "<map>", "line": y + self._above + 1, "column": x + 1}
        return Fault(message, text=self.mark(cell), suggestion=suggestion, code=code, **place)  # type: ignore[arg-type]


def _meant(mark: str) -> str:
    if mark == "\t":
        return "use spaces instead of tabs"
    if mark == "0":
        return "patrol stops are 1 to 9"
    if mark.upper() in _LETTERS:
        return f"places are capital letters: write {mark.upper()!r}, or 'o' for furniture"
    return f"known: {' '.join(sorted(_ALL - set(_LETTERS) - set(_DIGITS) - set(_FLOOR)))} and . A-Z 1-9"
