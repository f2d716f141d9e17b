"""Who belongs together: clusters by proximity, and names that stay with most of a squad."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from telos.core.errors import TelosError

Cell: TypeAlias = tuple[int, int]

# Cells are so small that all in one are within reach of each other, with a margin for rounding, and so large that
# whoever is in reach is at most two cells away.
_CELL = 0.7
_AHEAD = [(across, down) for across in range(-2, 3) for down in range(3) if (down, across) > (0, 0)]


def clusters(points: Sequence[tuple[float, float]], reach: float) -> list[list[int]]:
    """Return who is connected with whom by steps of at most ``reach``, as places in ``points``, in their order.

    >>> clusters([(0, 0), (50, 0), (8, 0), (16, 0)], reach=10)
    [[0, 2, 3], [1]]
    """
    cells = _cells(points, reach * _CELL)
    parent = {cell: cell for cell in cells}
    for (x, y), here in cells.items():
        for across, down in _AHEAD:
            one, other = (x, y), (x + across, y + down)
            if other in cells and (first := _root(parent, one)) != (second := _root(parent, other)):
                parent[first] = second if _touch(points, here, cells[other], reach) else first
    together: defaultdict[Cell, list[int]] = defaultdict(list)
    for cell, here in cells.items():
        together[_root(parent, cell)] += here
    return sorted(sorted(each) for each in together.values())


def _cells(points: Sequence[tuple[float, float]], size: float) -> dict[Cell, list[int]]:
    cells: defaultdict[Cell, list[int]] = defaultdict(list)
    for i, (x, y) in enumerate(points):
        if not (math.isfinite(x) and math.isfinite(y)):
            raise TelosError(f"({x!r}, {y!r}) is no position", "give two finite numbers")
        cells[math.floor(x / size), math.floor(y / size)].append(i)
    return dict(cells)


def _root(parent: dict[Cell, Cell], cell: Cell) -> Cell:
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]  # halves the way for whoever asks next
        cell = parent[cell]
    return cell


def _touch(points: Sequence[tuple[float, float]], some: Sequence[int], others: Sequence[int], reach: float) -> bool:
    return any(math.dist(points[i], points[j]) <= reach for i in some for j in others)


def names_for(groups: Sequence[Sequence[str]], before: Mapping[str, Sequence[str]], side: str) -> list[str]:
    """Name squads: a name stays where most of its squad is, with its leader if in doubt; new squads get free numbers.

    >>> names_for([["Ann"], ["Bob", "Cid"]], {"red-1": ["Ann", "Bob", "Cid"]}, "red")
    ['red-2', 'red-1']
    """
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    claims = []
    for place, (squad, members) in enumerate(before.items()):
        where = [group_of[name] for name in members if name in group_of]  # the leader's first, so it wins a tie
        if where:
            most = max(where, key=where.count)
            claims.append((-where.count(most), place, squad, most))
    named: dict[int, str] = {}
    for _, _, squad, group in sorted(claims):
        named.setdefault(group, squad)
    numbers = (name for i in range(1, len(groups) + len(before) + 1) if (name := f"{side}-{i}") not in before)
    return [named.get(i) or next(numbers) for i in range(len(groups))]
