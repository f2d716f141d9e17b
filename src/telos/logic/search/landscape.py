"""Potentials as flat arrays, for kernels that walk from world to world by changing one variable at a time."""

from random import Random
from typing import Any, NamedTuple

import numpy as np

from telos.logic.network import Ints
from telos.logic.search import kernel, kernel_sampling, kernel_walking
from telos.logic.search.potentials import ROUNDING, Potentials, Tables

KERNEL = (kernel, kernel_walking, kernel_sampling)


class Landscape(NamedTuple):
    """Every table and clause by number, and for every variable those that it is in. All fields are arrays.

    Tables come first, the single variables' among them; clause c is constraint ``len(table) + c``. The cell that a
    table is in is the sum of ``stride * value`` over its variables.
    """

    sizes: Any  # (variables,)
    table: Any  # (tables,) where its cells begin
    cells: Any
    top: Any  # (tables,) the best cell
    scope_start: Any  # (tables + 1,)
    scope: Any
    stride: Any
    clause: Any  # (clauses + 1,) where its literals begin
    variable: Any
    value: Any
    negated: Any
    gain: Any  # (clauses,)
    in_tables: Any  # (variables + 1,) where its tables begin
    table_of: Any
    stride_of: Any
    in_clauses: Any  # (variables + 1,) where its literals begin, clause by clause
    clause_of: Any
    literal_of: Any


class State(NamedTuple):
    """A world of a landscape, and what is kept up to date as it changes. All fields are arrays.

    A constraint is broken if a table is in a cell below its ``limit``, or a clause does not hold though ``need`` is 1,
    or holds though it is -1. ``broken`` lists them: their numbers first, then for each constraint its place in that
    list (-1: not broken), and last how many there are.
    """

    world: Any  # (variables,)
    cell: Any  # (tables,) the cell that each is in
    held: Any  # (clauses,) how many literals of each hold
    limit: Any  # (tables,)
    need: Any  # (clauses,)
    broken: Any  # (2 * constraints + 1,)


def landscape_of(potentials: Potentials, hard: float) -> Landscape:
    """Lay potentials out flat; a broken hard formula costs ``hard``."""
    groups = [*_singles(potentials), *potentials.tables]
    widths = _joined([np.full(len(group.scope), len(group.sizes)) for group in groups])
    cells = _joined([np.maximum(group.values, -hard).reshape(-1) for group in groups], np.float64)
    lengths = _joined([np.full(len(group.scope), group.values.shape[1]) for group in groups])
    scope = _joined([group.scope.reshape(-1) for group in groups])
    stride = _joined([np.tile(group.strides, len(group.scope)) for group in groups])
    count, long = len(potentials.sizes), potentials.clauses
    by_variable = np.argsort(scope, kind="stable")
    owner = np.repeat(np.arange(len(widths), dtype=np.int32), widths)
    literals = np.lexsort((long.owner, long.variable))
    return Landscape(
        sizes=potentials.sizes.astype(np.int32),
        table=_starts(lengths)[:-1],
        cells=cells,
        top=_joined([np.maximum(group.values.max(axis=1), -hard) for group in groups], np.float64),
        scope_start=_starts(widths),
        scope=scope,
        stride=stride,
        clause=long.start.astype(np.int32),
        variable=long.variable.astype(np.int32),
        value=long.value.astype(np.int32),
        negated=long.negated.astype(np.int32),
        gain=np.minimum(long.gain, hard),
        in_tables=_starts(np.bincount(scope, minlength=count)),
        table_of=owner[by_variable],
        stride_of=stride[by_variable],
        in_clauses=_starts(np.bincount(long.variable, minlength=count)),
        clause_of=long.owner[literals],
        literal_of=literals.astype(np.int32),
    )


def state_at(land: Landscape, world: Ints) -> State:
    """Return the state of a walk that is to start at a world: every table should be at its best, every clause hold."""
    tables, clauses = len(land.table), len(land.gain)
    return State(
        world=world,
        cell=np.zeros(tables, np.int32),
        held=np.zeros(clauses, np.int32),
        limit=land.top - ROUNDING,
        need=np.sign(land.gain).astype(np.int32),
        broken=np.zeros(2 * (tables + clauses) + 1, np.int32),
    )


def seeds(rng: Random) -> Any:
    """Return where the kernels' generator starts."""
    return np.array([rng.randrange(1, 2_000_000_000), rng.randrange(1, 2_000_000_000)], dtype=np.int64)


def _singles(potentials: Potentials) -> list[Tables]:
    """Return what single values add, as tables over one variable; those that add the same for all are left out."""
    groups = []
    for size in np.unique(potentials.sizes).tolist():
        scope = np.flatnonzero(potentials.sizes == size).astype(np.int32)
        values = potentials.single[potentials.start[scope][:, None] + np.arange(size)]
        differs = values.max(axis=1) > values.min(axis=1)
        groups.append(Tables((size,), scope[differs][:, None], values[differs]))
    return groups


def _joined(parts: list[Any], kind: Any = np.int32) -> Any:
    return np.concatenate([*parts, np.zeros(0)]).astype(kind)


def _starts(lengths: Any) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
