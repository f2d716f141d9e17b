"""A table of forbidden cells as clauses: as few and as short as a person would write them."""

import itertools
from collections.abc import Sequence
from typing import TypeAlias

Literal: TypeAlias = tuple[int, int, bool]  # a variable, one of its values, and whether it must not have it
Clause: TypeAlias = tuple[Literal, ...]
Box: TypeAlias = tuple[frozenset[int], ...]  # a set of values for each variable


def prime_clauses(sizes: Sequence[int], barred: Sequence[bool]) -> list[Clause]:
    """Return clauses over the places of a table that together forbid its barred cells and no other.

    >>> prime_clauses([2, 2], [False, False, True, False])
    [((0, 1, True), (1, 0, True))]
    """
    cells = dict(zip(itertools.product(*map(range, sizes)), barred, strict=True))
    boxes: list[Box] = []
    for cell, is_barred in cells.items():
        if is_barred and not any(all(v in values for v, values in zip(cell, box, strict=True)) for box in boxes):
            boxes.append(_grown(cell, sizes, cells))
    return [_clause(box, sizes) for box in boxes]


def _grown(cell: tuple[int, ...], sizes: Sequence[int], cells: dict[tuple[int, ...], bool]) -> Box:
    """Grow a cell to a box of barred cells: to all values of a variable, or to all but few, or not at all."""
    box = [frozenset({value}) for value in cell]
    for place, size in enumerate(sizes):
        values = frozenset(v for v in range(size) if _is_barred([*box[:place], {v}, *box[place + 1 :]], cells))
        if len(values) == size or size - len(values) < len(values):
            box[place] = values
    return tuple(box)


def _is_barred(box: Sequence[frozenset[int] | set[int]], cells: dict[tuple[int, ...], bool]) -> bool:
    return all(cells[cell] for cell in itertools.product(*box))


def _clause(box: Box, sizes: Sequence[int]) -> Clause:
    """Return the clause that forbids a box: some variable has a value outside."""
    literals: list[Literal] = []
    for place, (values, size) in enumerate(zip(box, sizes, strict=True)):
        if len(values) == 1 and size > 1:
            literals.append((place, min(values), True))
        elif len(values) < size:
            literals += [(place, value, False) for value in range(size) if value not in values]
    return tuple(literals)
