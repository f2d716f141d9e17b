"""Potentials: the form that all searches and samplers work on, and its flat arrays for the kernels.

Evidence, weights and hard formulas are folded into numbers: a known variable is removed, a forbidden choice adds minus
infinity, and all factors over the same variables are one table. ``potentials_of`` makes them from a network.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Bools, Clauses, Factors, Floats, Ints, Network, cell_scores, weights_at
from telos.logic.search import kernel

ROUNDING = 1e-9  # sums of weights that differ by less are equal
KERNEL = (kernel,)


@dataclass(frozen=True, slots=True)
class PotentialTables:
    """Factors over variables of the same sizes; no two over the same variables.

    ``values[i, cell]`` is the score of factor i, cells in C order over ``sizes``.
    """

    sizes: tuple[int, ...]
    scope: Ints  # (n, k) open variables, ascending in a row
    values: Floats  # (n, cells)

    @property
    def strides(self) -> Ints:
        return strides_of(self.sizes)

    def values_in(self, world: Ints) -> Floats:
        """Return the score of each factor in a world."""
        cell = world[self.scope] @ self.strides
        return np.asarray(self.values[np.arange(len(cell)), cell])

    def take(self, which: Bools) -> "PotentialTables":
        """Return the flagged factors."""
        return PotentialTables(self.sizes, self.scope[which], self.values[which])


@dataclass(frozen=True, slots=True)
class LongClauses:
    """Disjunctions; clause i adds ``gain[i]`` if one of its literals holds, and must hold if that is infinite.

    Its literals are ``start[i]`` to before ``start[i + 1]``; a literal holds if its variable has the value (``negated``
    is 0) or does not have it (1).
    """

    start: Ints  # (n + 1,)
    variable: Ints
    value: Ints
    negated: NDArray[np.int8]
    gain: Floats  # (n,)

    @property
    def owner(self) -> Ints:
        """The index of the clause of each literal."""
        return np.repeat(np.arange(len(self.gain), dtype=np.int32), np.diff(self.start))

    def hold(self, world: Ints) -> Bools:
        """Return which clauses hold in a world."""
        true = (world[self.variable] == self.value) != (self.negated == 1)
        return np.asarray(np.bincount(self.owner, weights=true, minlength=len(self.gain)) > 0)

    def values_in(self, world: Ints) -> Floats:
        """Return the score of each clause in a world."""
        holds = self.hold(world)
        must = np.isinf(self.gain)
        return np.where(must, np.where(holds, 0.0, -np.inf), np.where(holds, np.where(must, 0.0, self.gain), 0.0))

    @property
    def max_gain(self) -> Floats:
        """The maximal score of each clause."""
        return np.where(np.isinf(self.gain), 0.0, np.maximum(self.gain, 0.0))

    def take(self, which: Bools) -> "LongClauses":
        """Return the flagged clauses."""
        literal = which[self.owner]
        start = np.concatenate([[0], np.cumsum(np.diff(self.start)[which])]).astype(np.int32)
        return LongClauses(start, self.variable[literal], self.value[literal], self.negated[literal], self.gain[which])


NO_CLAUSES = LongClauses(
    np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0)
)


@dataclass(frozen=True, slots=True)
class Potentials:
    """A network with its evidence folded in. Its variables are the open ones; ``open[v]`` is the network's number.

    Value k of variable v adds ``single[start[v] + k]`` by itself. ``constant`` is part of every score: minus infinity
    if the evidence breaks a hard formula.
    """

    known: Ints  # a world of the network; only the values of known variables matter
    open: Ints
    sizes: Ints
    start: Ints  # (open + 1,)
    single: Floats
    tables: tuple[PotentialTables, ...]
    clauses: LongClauses
    constant: float

    def score(self, world: Ints) -> float:
        """Return the score of a world over the open variables, minus infinity if it is forbidden."""
        total = self.constant + float(self.single[self.start[:-1] + world].sum())
        for tables in self.tables:
            total += float(tables.values_in(world).sum())
        return total + float(self.clauses.values_in(world).sum())

    def upper_bound(self) -> float:
        """Return an upper bound of all scores: the sum of the maxima of all factors."""
        if not len(self.open):
            return self.constant
        singles = float(np.maximum.reduceat(self.single, self.start[:-1]).sum())
        return self.constant + singles + self.max_factors()

    def max_factors(self) -> float:
        """Return the sum of the maxima of the factors over several variables."""
        most = sum(float(tables.values.max(axis=1).sum()) for tables in self.tables)
        return most + float(self.clauses.max_gain.sum())

    def complete(self, world: Ints) -> Ints:
        """Return the world of the whole network for values of the open variables."""
        values = self.known.copy()
        values[self.open] = world
        return values

    def greedy_world(self) -> Ints:
        """Return for each variable the value with the best single score, the first of equals."""
        owner = np.repeat(np.arange(len(self.open)), self.sizes)
        order = np.lexsort((np.arange(len(owner)), -self.single, owner))
        return np.asarray(order[self.start[:-1]] - self.start[:-1], dtype=np.int32)

    def restrict(self, tables: Sequence[Bools], clauses: Bools) -> "Potentials":
        """Return the potentials with only some of the factors over several variables."""
        kept = tuple(each.take(which) for each, which in zip(self.tables, tables, strict=True) if which.any())
        return replace(self, tables=kept, clauses=self.clauses.take(clauses))

    @property
    def has_traps(self) -> bool:
        """Whether hard formulas tie variables, so that single changes may not reach every world."""
        barred = any(bool(np.isneginf(tables.values).any()) for tables in self.tables)
        return barred or bool(np.isinf(self.clauses.gain).any())

    @property
    def is_possible(self) -> bool:
        """Whether evidence and hard formulas over single variables leave a value for each."""
        if math.isinf(self.constant):
            return False
        return not len(self.open) or bool(np.isfinite(np.maximum.reduceat(self.single, self.start[:-1])).all())


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a search: values of the open variables, their score, and an upper bound.

    ``walks`` is the number of walks of MaxWalkSAT that came to their end.
    """

    world: Ints
    score: float
    bound: float
    walks: int = 0


def strides_of(sizes: Sequence[int]) -> Ints:
    """Return the distance between the cells of neighbouring values, for each variable.

    >>> strides_of((2, 3, 4)).tolist()
    [12, 4, 1]
    """
    return np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], dtype=np.int32)


# --- from a network to potentials -------------------------------------------------------------------------------------


def to_potentials(network: Network, weights: Floats | None = None) -> Potentials:
    """Return the potentials of a network; ``weights`` replace its own."""
    weights = network.weights if weights is None else weights
    builder = _PotentialsBuilder.from_network(network)
    for factors in network.factors:
        builder.add_factors(factors, cell_scores(factors, weights))
    long = _join_clauses([builder.clauses(clauses.split_negated(), weights) for clauses in network.clauses])
    tables = tuple(_merge_tables(sizes, parts, builder) for sizes, parts in builder.parts.items())
    return Potentials(
        known=np.where(builder.known >= 0, builder.known, 0).astype(np.int32),
        open=builder.open,
        sizes=network.sizes[builder.open],
        start=builder.start,
        single=builder.single,
        tables=tables,
        clauses=long,
        constant=builder.constant,
    )


@dataclass(slots=True)
class _PotentialsBuilder:
    """Potentials under construction."""

    sizes: Ints  # of all variables of the network
    known: Ints
    open: Ints
    place: Ints  # index of each variable among the open ones
    start: Ints
    single: Floats
    constant: float = 0.0
    parts: dict[tuple[int, ...], list[tuple[Ints, Floats]]] = field(default_factory=lambda: defaultdict(list))

    @staticmethod
    def from_network(network: Network) -> "_PotentialsBuilder":
        known = np.where(network.sizes == 1, 0, network.given).astype(np.int32)
        opened = np.flatnonzero(known < 0).astype(np.int32)
        place = np.full(len(known), -1, np.int32)
        place[opened] = np.arange(len(opened), dtype=np.int32)
        start = np.concatenate([[0], np.cumsum(network.sizes[opened])]).astype(np.int32)
        return _PotentialsBuilder(network.sizes, known, opened, place, start, np.zeros(int(start[-1])))

    def add_factors(self, factors: Factors, cells: Floats) -> None:
        """Add the factors of a rule, grouped by which of their variables are known."""
        if not len(factors.scope):
            return
        fixed = self.known[factors.scope] >= 0
        pattern = fixed @ (1 << np.arange(fixed.shape[1]))
        for each in np.unique(pattern):
            rows = np.flatnonzero(pattern == each)
            self._add_alike(factors.scope[rows], cells, factors.key[rows], fixed[rows[0]])

    def _add_alike(self, scope: Ints, cells: Floats, key: Ints, fixed: Ints) -> None:
        sizes = self.sizes[scope[0]]
        strides = strides_of(sizes.tolist())
        base = self.known[scope[:, fixed]] @ strides[fixed]
        left = sizes[~fixed].tolist()
        grid = np.array(list(itertools.product(*map(range, left))), dtype=np.int32).reshape(math.prod(left), len(left))
        values = cells[key[:, None], base[:, None] + (grid @ strides[~fixed])[None, :]]
        self.add(self.place[scope[:, ~fixed]], values)

    def add(self, scope: Ints, values: Floats) -> None:
        """Add tables over open variables of equal sizes: to the constant, single values or tables."""
        if scope.shape[1] == 0:
            self.constant += float(values.sum())
        elif scope.shape[1] == 1:
            cells = self.start[scope[:, 0]][:, None] + np.arange(values.shape[1])
            np.add.at(self.single, cells, values)
        else:
            self._add_sorted(scope, values)

    def _add_sorted(self, scope: Ints, values: Floats) -> None:
        """Add tables with their variables sorted, so that equal scopes are merged."""
        orders, which = np.unique(np.argsort(scope, axis=1), axis=0, return_inverse=True)
        sizes = self.sizes[self.open[scope[0]]].tolist()
        for index, order in enumerate(orders):
            rows = np.flatnonzero(which.reshape(-1) == index)
            turned = values[rows].reshape(len(rows), *sizes).transpose(0, *(order + 1)).reshape(len(rows), -1)
            self.parts[tuple(sizes[place] for place in order)].append((scope[rows][:, order], turned))

    def clauses(self, clauses: Clauses, weights: Floats) -> LongClauses:
        """Remove known variables from clauses; decided and unit clauses become constant and single scores."""
        count, owner = len(clauses.sign), clauses.owner
        gain = self._gains(clauses, weights)
        sure = self.known[clauses.variable] >= 0
        is_met = np.bincount(owner, weights=sure & clauses.met(self.known), minlength=count) > 0
        left = np.bincount(owner, weights=~sure, minlength=count).astype(int)
        self.constant += float(np.where(np.isinf(gain), 0.0, gain)[is_met].sum())
        if bool((np.isinf(gain) & ~is_met & (left == 0)).any()):
            self.constant = -math.inf
        literal = ~sure & ~is_met[owner]
        short = literal & (left[owner] == 1)
        self._add_literals(clauses, short, gain[owner])
        literal &= left[owner] > 1
        kept = ~is_met & (left > 1)
        start = np.concatenate([[0], np.cumsum(left[kept])]).astype(np.int32)
        variable = self.place[clauses.variable[literal]]
        return LongClauses(start, variable, clauses.value[literal], clauses.negated[literal], gain[kept])

    def _gains(self, clauses: Clauses, weights: Floats) -> Floats:
        """Return the gain of each clause; for a negated one, its weight is added to the constant."""
        if clauses.hard:
            return np.full(len(clauses.sign), np.inf)
        weight = weights_at(clauses.weight, weights)
        self.constant += float(weight[clauses.sign < 0].sum())
        return np.asarray(weight * clauses.sign)

    def _add_literals(self, clauses: Clauses, which: Ints, gain: Floats) -> None:
        """Add clauses of one literal to the single values."""
        variable = self.place[clauses.variable[which]]
        value, negated, worth = clauses.value[which], clauses.negated[which] == 1, gain[which]
        size = np.diff(self.start)[variable]
        for each in np.unique(size):
            rows = size == each
            holds = (np.arange(each)[None, :] == value[rows, None]) != negated[rows, None]
            must = np.isinf(worth[rows])
            low, high = np.where(must, -np.inf, 0.0), np.where(must, 0.0, worth[rows])
            self.add(variable[rows][:, None], np.where(holds, high[:, None], low[:, None]))


def _merge_tables(
    sizes: tuple[int, ...], parts: list[tuple[Ints, Floats]], builder: _PotentialsBuilder
) -> PotentialTables:
    """Sum the tables over the same variables; a table with equal cells is added to the constant."""
    scope = np.concatenate([part for part, _ in parts])
    values = np.concatenate([part for _, part in parts])
    order = np.lexsort(scope.T[::-1])
    scope, values = scope[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], (scope[1:] != scope[:-1]).any(axis=1)]))
    values = np.add.reduceat(values, first, axis=0)
    flat = values.min(axis=1) == values.max(axis=1)
    builder.constant += float(values[flat, 0].sum())
    return PotentialTables(sizes, scope[first][~flat], values[~flat])


def _join_clauses(parts: list[LongClauses]) -> LongClauses:
    """Return the clauses of several rules as one list."""
    if not parts:
        return NO_CLAUSES
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    return LongClauses(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.concatenate([part.variable for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.negated for part in parts]),
        np.concatenate([part.gain for part in parts]),
    )


# --- flat arrays for the kernels --------------------------------------------------------------------------------------


class SearchArrays(NamedTuple):
    """All tables and clauses by number, and for every variable those that contain it. All fields are arrays.

    Tables come first, those of single variables included; clause c is constraint ``len(table) + c``. The cell of a
    table is the sum of ``stride * value`` over its variables.
    """

    sizes: Any  # (variables,)
    table: Any  # (tables,) where its cells begin
    cells: Any
    top: Any  # (tables,) score of the best cell
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


class SearchState(NamedTuple):
    """A world, and what is kept up to date as it changes. All fields are arrays.

    A constraint is broken if the cell of a table is below its ``limit``, or a clause does not hold although ``need`` is
    1, or holds although it is -1. ``broken`` has the numbers of the broken constraints, then for each constraint its
    place in that list (-1: not broken), and last their count.
    """

    world: Any  # (variables,)
    cell: Any  # (tables,) the current cell
    held: Any  # (clauses,) number of literals that hold
    limit: Any  # (tables,)
    need: Any  # (clauses,)
    broken: Any  # (2 * constraints + 1,)


def to_search_arrays(potentials: Potentials, hard: float) -> SearchArrays:
    """Return potentials as flat arrays; a broken hard formula costs ``hard``."""
    groups = [*_single_tables(potentials), *potentials.tables]
    widths = _join_arrays([np.full(len(group.scope), len(group.sizes)) for group in groups])
    cells = _join_arrays([np.maximum(group.values, -hard).reshape(-1) for group in groups], np.float64)
    lengths = _join_arrays([np.full(len(group.scope), group.values.shape[1]) for group in groups])
    scope = _join_arrays([group.scope.reshape(-1) for group in groups])
    stride = _join_arrays([np.tile(group.strides, len(group.scope)) for group in groups])
    count, long = len(potentials.sizes), potentials.clauses
    by_variable = np.argsort(scope, kind="stable")
    owner = np.repeat(np.arange(len(widths), dtype=np.int32), widths)
    literals = np.lexsort((long.owner, long.variable))
    return SearchArrays(
        sizes=potentials.sizes.astype(np.int32),
        table=_offsets(lengths)[:-1],
        cells=cells,
        top=_join_arrays([np.maximum(group.values.max(axis=1), -hard) for group in groups], np.float64),
        scope_start=_offsets(widths),
        scope=scope,
        stride=stride,
        clause=long.start.astype(np.int32),
        variable=long.variable.astype(np.int32),
        value=long.value.astype(np.int32),
        negated=long.negated.astype(np.int32),
        gain=np.minimum(long.gain, hard),
        in_tables=_offsets(np.bincount(scope, minlength=count)),
        table_of=owner[by_variable],
        stride_of=stride[by_variable],
        in_clauses=_offsets(np.bincount(long.variable, minlength=count)),
        clause_of=long.owner[literals],
        literal_of=literals.astype(np.int32),
    )


def start_state(arrays: SearchArrays, world: Ints) -> SearchState:
    """Return the search state at a world; every table should reach its maximum, every clause should hold."""
    tables, clauses = len(arrays.table), len(arrays.gain)
    return SearchState(
        world=world,
        cell=np.zeros(tables, np.int32),
        held=np.zeros(clauses, np.int32),
        limit=arrays.top - ROUNDING,
        need=np.sign(arrays.gain).astype(np.int32),
        broken=np.zeros(2 * (tables + clauses) + 1, np.int32),
    )


def draw_seeds(rng: Random) -> Any:
    """Return the initial state of the kernels' random generator."""
    return np.array([rng.randrange(1, 2_000_000_000), rng.randrange(1, 2_000_000_000)], dtype=np.int64)


def _single_tables(potentials: Potentials) -> list[PotentialTables]:
    """Return the single scores as tables over one variable, without constant ones."""
    groups = []
    for size in np.unique(potentials.sizes).tolist():
        scope = np.flatnonzero(potentials.sizes == size).astype(np.int32)
        values = potentials.single[potentials.start[scope][:, None] + np.arange(size)]
        differs = values.max(axis=1) > values.min(axis=1)
        groups.append(PotentialTables((size,), scope[differs][:, None], values[differs]))
    return groups


def _join_arrays(parts: list[Any], kind: Any = np.int32) -> Any:
    return np.concatenate([*parts, np.zeros(0)]).astype(kind)


def _offsets(lengths: Any) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
