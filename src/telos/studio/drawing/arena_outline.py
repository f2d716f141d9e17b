"""The line around a set of square cells, as path data: walls, rooms and furniture are drawn as one shape each."""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]  # column, row; also a corner of the grid


def outline(cells: Iterable[Cell], unit: float, *, left: float = 0.0, top: float = 0.0) -> str:
    """Return the path around cells that are ``unit`` wide; holes are loops that run the other way round.

    The upper left corner of the first cell of all is at (``left``, ``top``).

    >>> outline({(0, 0), (1, 0)}, 10)
    'M0 0L20 0L20 10L0 10Z'
    """
    inside = set(cells)
    return "".join(_drawn(loop, unit, left, top) for loop in _loops(inside))


def _loops(inside: set[Cell]) -> Iterator[list[Cell]]:
    """Yield the corners of each closed line, with what is inside always on its right."""
    ends: dict[Cell, list[Cell]] = {}
    for cell in sorted(inside):
        for start, end in _sides(cell, inside):
            ends.setdefault(start, []).append(end)
    while ends:
        start = here = next(iter(ends))
        loop = [start]
        while (here := _left(ends, here)) != start:
            loop.append(here)
        yield loop


def _sides(cell: Cell, inside: Collection[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield the sides of a cell that nothing else of the set lies beyond, clockwise."""
    x, y = cell
    if (x, y - 1) not in inside:
        yield (x, y), (x + 1, y)
    if (x + 1, y) not in inside:
        yield (x + 1, y), (x + 1, y + 1)
    if (x, y + 1) not in inside:
        yield (x + 1, y + 1), (x, y + 1)
    if (x - 1, y) not in inside:
        yield (x, y + 1), (x, y)


def _left(ends: dict[Cell, list[Cell]], here: Cell) -> Cell:
    """Take one side that leaves a corner, and return where it leads."""
    after = ends[here].pop()
    if not ends[here]:
        del ends[here]
    return after


def _drawn(loop: list[Cell], unit: float, left: float, top: float) -> str:
    turns = [
        here
        for before, here, after in zip([loop[-1], *loop], loop, [*loop[1:], loop[0]], strict=False)
        if not (before[0] == here[0] == after[0] or before[1] == here[1] == after[1])
    ]
    return f"M{'L'.join(f'{_short(left + x * unit)} {_short(top + y * unit)}' for x, y in turns)}Z"


def _short(value: float) -> str:
    return f"{round(value, 1):g}"
