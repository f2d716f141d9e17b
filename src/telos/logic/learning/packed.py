"""The arrays that learning along sequences works on; ``sequences`` makes them, the kernels read and fill them.

All tables of all rules lie one after another, cell by cell. Cell i is the sum of ``value[e] * weights[weight[e]]`` over
the entries e from ``begin[i]`` to before ``begin[i + 1]``: a sparse matrix times the weights.
"""

from typing import Any, NamedTuple, TypeAlias

Array: TypeAlias = Any  # NumPy's, of any type: a compiled function looks at the type when it is called


class Matrix(NamedTuple):
    """What each cell of each table is made of. A forbidden cell is minus infinity whatever the weights."""

    begin: Array  # (cells + 1,)
    weight: Array  # (entries,)
    value: Array  # (entries,)
    forbidden: Array  # (cells,)


class Steps(NamedTuple):
    """Sequences of variables, position by position, and the tables that lie on them.

    ``singles[p, g]`` is the first cell of the table that rule g lays on position p, ``pairs[p, g]`` that on p-1 and p,
    and -1 where the rule has nothing to say. Each choice of tables between neighbours that occurs is listed once in
    ``joint``; ``between[p]`` is its number.
    """

    start: Array  # (sequences + 1,)
    singles: Array  # (positions, rules)
    pairs: Array  # (positions, rules)
    joint: Array  # (choices, rules)
    between: Array  # (positions,)
    given: Array  # (positions,) known values, or -1
    truth: Array  # (positions,)


class Bench(NamedTuple):
    """Where the search for the best values, and the update that follows it, put their numbers."""

    tables: Array  # (cells,)
    age: Array  # (cells,) the turn in which the table that begins here was worked out
    best: Array  # (positions, values)
    back: Array  # (positions, values)
    laid: Array  # (values * values,)
    path: Array  # (positions,)
    difference: Array  # (weights,)
    is_moved: Array  # (weights,)
    moved: Array  # (weights,)


class Wave(NamedTuple):
    """Where the sweeps forward and backward put their numbers."""

    tables: Array  # (cells,)
    scores: Array  # (choices, values * values)
    factors: Array  # (choices, values * values)
    peaks: Array  # (choices,)
    beliefs: Array  # (positions, values)
    foreseen: Array  # (positions, values)
    logs: Array  # (positions, values) logarithms of the beliefs, where they are needed
    now: Array  # (values,)
    carried: Array  # (values,)
    cells: Array  # (cells,) the gradient
    joint_cells: Array  # (choices, values * values)
