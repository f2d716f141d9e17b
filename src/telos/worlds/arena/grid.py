"""Points in metres, the square cells that they lie in, and the cells that a straight line leads through."""

import math
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]  # column, row
Point: TypeAlias = tuple[float, float]  # metres, x to the right and y downwards

SAME = 1e-9  # two crossings of grid lines that are nearer than this are one: the line goes through the corner


def cell_of(point: Point) -> Cell:
    """Return the cell that a point lies in.

    >>> cell_of((2.5, 0.99)), cell_of((-0.5, 3.0))
    ((2, 0), (-1, 3))
    """
    return math.floor(point[0]), math.floor(point[1])


def middle(cell: Cell) -> Point:
    """Return the point in the middle of a cell."""
    return cell[0] + 0.5, cell[1] + 0.5


def beside(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four neighbours of a cell: to the north, south, west and east."""
    x, y = cell
    return (x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)


def crossed(start: Point, end: Point) -> tuple[list[Cell], list[tuple[Cell, Cell]]]:
    """Return the cells that a straight line leads through, and the pairs of cells that it slips between at a corner.

    >>> crossed((0.5, 0.5), (2.5, 0.5))
    ([(0, 0), (1, 0), (2, 0)], [])
    >>> crossed((0.5, 0.5), (1.5, 1.5))
    ([(0, 0), (1, 1)], [((1, 0), (0, 1))])
    """
    x, y = cell_of(start)
    last_x, last_y = cell_of(end)
    across, down = end[0] - start[0], end[1] - start[1]
    step_x, step_y = (1 if across > 0 else -1), (1 if down > 0 else -1)
    left_x, left_y = abs(last_x - x), abs(last_y - y)
    # Where on the line (0 to 1) the next upright and the next level grid line are, and how far apart such lines are.
    each_x, each_y = (abs(1 / across) if left_x else math.inf), (abs(1 / down) if left_y else math.inf)
    next_x = (x + (across > 0) - start[0]) / across if left_x else math.inf
    next_y = (y + (down > 0) - start[1]) / down if left_y else math.inf
    cells, corners = [(x, y)], []
    while left_x or left_y:
        if left_x and left_y and abs(next_x - next_y) < SAME:
            corners.append(((x + step_x, y), (x, y + step_y)))
            x, y, left_x, left_y = x + step_x, y + step_y, left_x - 1, left_y - 1
            next_x, next_y = next_x + each_x, next_y + each_y
        elif left_x and (next_x < next_y or not left_y):
            x, left_x, next_x = x + step_x, left_x - 1, next_x + each_x
        else:
            y, left_y, next_y = y + step_y, left_y - 1, next_y + each_y
        cells.append((x, y))
    return cells, corners
