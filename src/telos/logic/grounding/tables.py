"""Rows of bindings: for each row a world, and a constant for each variable that is bound so far."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from telos.logic.grounding.keys import matches, packed
from telos.logic.network import Bools, Ints, Longs


@dataclass(frozen=True, slots=True)
class Rows:
    """One binding of variables a row; ``columns`` holds the codes of each variable."""

    world: Ints
    columns: Mapping[str, Ints]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.world)

    def take(self, rows: Longs | Bools | None) -> "Rows":
        """Return the rows at these places, or where the mask is true; None takes all."""
        if rows is None:
            return self
        return Rows(self.world[rows], {name: column[rows] for name, column in self.columns.items()})

    def keep(self, mask: Bools) -> "Rows":
        """Return the rows where the mask is true."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def bind(self, name: str, column: Ints) -> "Rows":
        """Return the same rows with one more variable."""
        return Rows(self.world, {**self.columns, name: column})


def join(left: Rows, right: Rows, radices: Mapping[str, int], worlds: int, allow: Callable[[int], None]) -> Rows:
    """Return every pair of rows that agree on their world and on the variables that both bind."""
    shared = sorted(left.columns.keys() & right.columns.keys())
    spans = [worlds, *(radices[name] for name in shared)]
    one = packed([left.world, *(left.columns[name] for name in shared)], spans)
    two = packed([right.world, *(right.columns[name] for name in shared)], spans)
    span = 1
    for each in spans:
        span *= max(each, 1)
    rows, found = matches(one, two, span, allow)
    joined = left.take(rows)
    added = {name: column[found] for name, column in right.columns.items() if name not in left.columns}
    return Rows(joined.world, {**joined.columns, **added})
