"""Floor plans: a drawing is read into rooms, doors and furniture, and ways are found through it."""

import re
from collections import deque
from collections.abc import Container, Iterable, Iterator
from typing import TypeAlias

from telos.core.errors import TelosError, name_hint

Cell: TypeAlias = tuple[int, int]  # row, column

WALL, DOOR = "#", "+"
_LABEL = re.compile(r"[a-z]+(?: [a-z]+)*")


def beside(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four neighbours of a cell: below, above, right, left."""
    row, column = cell
    return (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)


def distances(target: Cell, floor: Container[Cell], ends: Container[Cell] = ()) -> dict[Cell, int]:
    """Return how many steps each cell is from ``target``.

    Ways lead over ``floor``; they may start or end on the cells ``ends`` (a chair, a bed), but not lead across them.
    """
    steps = {target: 0}
    queue = deque([target])
    while queue:
        cell = queue.popleft()
        if cell != target and cell not in floor:
            continue
        for next_to in beside(cell):
            if next_to not in steps and (next_to in floor or next_to in ends):
                steps[next_to] = steps[cell] + 1
                queue.append(next_to)
    return steps


class FloorPlan:
    """A house, drawn in text.

    ``#`` is a wall and ``+`` a door; capital letters and digits are furniture, which nobody walks across; a name in
    small letters lies on the floor of its room.

    >>> plan = FloorPlan('''
    ... ###########
    ... #F  #   1 #
    ... #den+ nook#
    ... ###########
    ... ''')
    >>> plan.room((1, 1)), plan.room((1, 8)), plan.furniture["F"]
    ('den', 'nook', ((1, 1),))
    >>> plan.way((1, 1), (1, 8))
    ((2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (1, 5), (1, 6), (1, 7), (1, 8))
    """

    def __init__(self, drawing: str) -> None:
        rows = drawing.strip("\n").splitlines()
        self.height, self.width = len(rows), max(map(len, rows), default=0)
        self.rows = tuple(row.ljust(self.width) for row in rows)
        self.walls = frozenset(cell for cell, mark in self._marks() if mark == WALL)
        self.doors = frozenset(cell for cell, mark in self._marks() if mark == DOOR)
        self.furniture: dict[str, tuple[Cell, ...]] = {}
        for cell, mark in self._marks():
            if mark.isdigit() or mark.isupper():
                self.furniture[mark] = (*self.furniture.get(mark, ()), cell)
        self.seats = frozenset(cell for cells in self.furniture.values() for cell in cells)
        names = ((row, found) for row, text in enumerate(rows) for found in _LABEL.finditer(text))
        self.labels = {(row, found.start()): found[0] for row, found in names}
        self._rooms = self._named_rooms()
        self.floor = frozenset(self._rooms.keys() - self.seats | self.doors)
        self._steps: dict[Cell, dict[Cell, int]] = {}

    def _marks(self) -> Iterator[tuple[Cell, str]]:
        return (((r, c), mark) for r, row in enumerate(self.rows) for c, mark in enumerate(row))

    def _named_rooms(self) -> dict[Cell, str]:
        inside = {cell for cell, mark in self._marks() if mark not in (WALL, DOOR)}
        rooms: dict[Cell, str] = {}
        for corner, name in self.labels.items():
            if corner in rooms:
                raise TelosError(
                    f"{name!r} and {rooms[corner]!r} name one room", "draw a wall between them, or a door +"
                )
            rooms.update(dict.fromkeys(distances(corner, inside), name))
        return rooms

    def room(self, cell: Cell) -> str:
        """Return the name of the room that a cell lies in; a doorway is just ``"door"``."""
        return self._rooms.get(cell, "door")

    def cells(self, symbol: str) -> tuple[Cell, ...]:
        """Return where the furniture with that letter stands."""
        if symbol not in self.furniture:
            raise TelosError(f"no {symbol!r} is drawn on the floor plan", name_hint(symbol, self.furniture))
        return self.furniture[symbol]

    def next_to(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return the floor beside ``cells``, without doorways: where one can stand and not be in the way."""
        around = [near for cell in cells for near in beside(cell) if near in self.floor and near not in self.doors]
        return tuple(dict.fromkeys(around))

    def steps(self, start: Cell, target: Cell) -> int | None:
        """Return the length of the shortest way, or None if there is none."""
        if target in self._steps:
            return self._steps[target].get(start)
        return self._around(start).get(target)  # as far in either direction, and who looks for a place asks for many

    def _around(self, cell: Cell) -> dict[Cell, int]:
        """Return how far all others are from a cell: one search serves whoever comes here, or sets out from here."""
        if cell not in self._steps:
            can_be_here = cell in self.floor or cell in self.seats
            self._steps[cell] = distances(cell, self.floor, self.seats) if can_be_here else {}
        return self._steps[cell]

    def way(self, start: Cell, target: Cell) -> tuple[Cell, ...]:
        """Return a shortest way, without the cell it starts from."""
        left = self.steps(start, target)
        if left is None:
            raise TelosError(f"there is no way from {start} to {target}")
        way: list[Cell] = []
        here, far = start, self._around(target)
        while here != target:
            left -= 1
            here = next(n for n in beside(here) if far.get(n) == left and (n in self.floor or n == target))
            way.append(here)
        return tuple(way)
