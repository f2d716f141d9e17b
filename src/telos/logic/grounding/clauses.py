"""A network as weighted clauses, the form that other engines print, count and search.

Every table is a sum of clauses: a cell that scores less than the rest is a clause that fails only in this cell. So the
clauses score every world as the network does, up to a constant. Start with ``to_clauses``.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from telos.logic.network import Bools, Clauses, Factors, Floats, Ints, Longs, Network, forbidden_cells

Cell = tuple[int | None, ...]  # the value of each variable of a factor; None is any value
Literal = tuple[int, int, bool]  # variable of the factor, value, negated


@dataclass(frozen=True, slots=True)
class GroundClauses:
    """Distinct clauses; i has the literals ``start[i]`` to before ``start[i + 1]`` and ``weight[i]``, inf if hard.

    A literal holds if its variable has the value (``negated`` is 0) or does not have it (1); literals of plain atoms
    have value 1. The score of a world is ``constant`` plus the weights of the soft clauses that hold. ``atoms`` is the
    number of ground atoms: one for a plain variable, one for each value of a block. The exactly-one property of blocks
    is not among the clauses.
    """

    start: Longs
    variable: Ints
    value: Ints
    negated: Ints
    weight: Floats
    constant: float
    restated: float  # the part of it from soft clauses equal to a hard one
    atoms: int

    def __len__(self) -> int:
        """Return the number of clauses."""
        return len(self.weight)

    def text(self, network: Network) -> Iterator[str]:
        """Yield the clauses as text: ``1.5 !Smokes(Anna) v Cancer(Anna)``."""
        for clause, weight in enumerate(self.weight):
            some = range(int(self.start[clause]), int(self.start[clause + 1]))
            words = " v ".join(
                f"{'!' if self.negated[i] else ''}{network.atoms.name(int(self.variable[i]), int(self.value[i]))}"
                for i in some
            )
            yield f"{words}." if np.isinf(weight) else f"{weight:.10g} {words}"


def to_clauses(network: Network, weights: Floats | None = None) -> GroundClauses:
    """Return a network as clauses: equal ones with their weights summed, without those of weight 0."""
    used = np.append(network.weights if weights is None else weights, 0.0)
    plain = network.atoms.is_plain
    offset = np.concatenate([[0], np.cumsum(network.sizes, dtype=np.int64)])
    collector = _ClauseCollector(offset, plain)
    for group in network.factors:
        _add_factors(group, network.sizes, used, collector)
    for clauses in network.clauses:
        _add_clauses(clauses.split_negated(), used, collector)
    atoms = int(plain.sum() + network.sizes[~plain].sum())
    return collector.merge(atoms)


def sum_restated_weights(network: Network) -> float:
    """Return the total weight of soft clauses equal to a hard one: every allowed world has it."""
    has_hard = any(group.hard for group in network.factors) or any(group.hard for group in network.clauses)
    return to_clauses(network).restated if has_hard else 0.0


class _ClauseCollector:
    """Clauses by length; a literal is coded as twice its atom, plus one if it is negated."""

    def __init__(self, offset: Longs, plain: Bools) -> None:
        self._offset, self._plain = offset, plain
        self._found: dict[int, list[tuple[Longs, Floats]]] = {}
        self.constant = self.restated = 0.0

    def codes(self, variable: Ints, value: Ints, negated: Ints) -> Longs:
        """Return the codes of literals; false of a plain atom is the negation of true."""
        flip = self._plain[variable] & (value == 0)
        atom = self._offset[variable] + np.where(flip, 1, value)
        return np.asarray(2 * atom + (negated ^ flip), np.int64)

    def add(self, literals: Longs, weight: Floats) -> None:
        """Add clauses of one length, one per row."""
        self._found.setdefault(literals.shape[1], []).append((np.sort(literals, axis=1), weight))

    def merge(self, atoms: int) -> GroundClauses:
        """Return the distinct clauses, shortest first."""
        codes, lengths, weights = [], [], []
        for length in sorted(self._found):
            rows, weight = self._distinct(self._found[length])
            codes.append(rows.ravel())
            lengths.append(np.full(len(weight), length, np.int64))
            weights.append(weight)
        code = np.concatenate([np.zeros(0, np.int64), *codes])
        variable = np.searchsorted(self._offset, code // 2, side="right") - 1
        return GroundClauses(
            np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths])),
            variable.astype(np.int32),
            (code // 2 - self._offset[variable]).astype(np.int32),
            (code % 2).astype(np.int32),
            np.concatenate([np.zeros(0), *weights]),
            self.constant,
            self.restated,
            atoms,
        )

    def _distinct(self, found: list[tuple[Longs, Floats]]) -> tuple[Longs, Floats]:
        rows = np.concatenate([literals for literals, _ in found])
        weight = np.concatenate([each for _, each in found])
        always = ((rows[:, 1:] ^ 1) == rows[:, :-1]).any(axis=1)  # an atom beside its negation
        self.constant += float(weight[always & np.isfinite(weight)].sum())
        rows, weight = rows[~always], weight[~always]
        if not rows.shape[1]:  # the empty clause never holds
            return rows[:1], np.asarray([weight.sum()])
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        summed = np.bincount(place.ravel(), weight, minlength=len(distinct))
        sure = np.isinf(summed)[place.ravel()] & np.isfinite(weight)  # soft, but equal to a hard clause
        self.restated += float(weight[sure].sum())
        self.constant += float(weight[sure].sum())
        kept = summed != 0.0
        return distinct[kept], summed[kept]


def _add_factors(group: Factors, sizes: Ints, used: Floats, collector: _ClauseCollector) -> None:
    if not len(group.scope):
        return
    shape = tuple(int(size) for size in sizes[group.scope[0]])
    if group.hard:
        for cell in _cover_forbidden(forbidden_cells(group).reshape(shape)):
            _add_pattern(group, _clause_against(cell), np.full(len(group.scope), np.inf), collector)
        return
    for choice in range(group.weights.shape[1]):
        weight = used[group.weights[group.key, choice]]
        base, patterns = _table_clauses(group.holds[:, choice], shape)
        collector.constant += base * float(weight.sum())
        for literals, share in patterns:
            _add_pattern(group, literals, share * weight, collector)


def _add_pattern(group: Factors, literals: tuple[Literal, ...], weight: Floats, collector: _ClauseCollector) -> None:
    some = np.flatnonzero(weight)
    if not len(some):
        return
    slot, value, negated = np.asarray(literals, np.int32).reshape(-1, 3).T
    variable = group.scope[some][:, slot]
    collector.add(collector.codes(variable, value[None, :], negated[None, :]), weight[some])


def _table_clauses(holds: Floats, shape: tuple[int, ...]) -> tuple[float, list[tuple[tuple[Literal, ...], float]]]:
    """Return a table as a constant and weighted clauses over the variables of the factor."""
    low, high = float(holds.min()), float(holds.max())
    if low == high:
        return high, []
    below, above = np.flatnonzero(holds < high), np.flatnonzero(holds > low)
    if len(below) > 1 and len(above) == 1:
        if len(shape) == 1:
            return low, [(((0, int(above[0]), False),), high - low)]
        return high, [(_clause_against(_to_cell(int(above[0]), shape)), low - high)]
    missing = high - holds[below]
    clauses = [
        (_clause_against(_to_cell(place, shape)), float(lack))
        for place, lack in zip(below.tolist(), missing, strict=True)
    ]
    return high - float(missing.sum()), clauses


def _to_cell(place: int, shape: tuple[int, ...]) -> Cell:
    return tuple(int(value) for value in np.unravel_index(place, shape))


def _clause_against(cell: Cell) -> tuple[Literal, ...]:
    """Return the clause that fails only in a cell."""
    return tuple((slot, value, True) for slot, value in enumerate(cell) if value is not None)


def _cover_forbidden(forbidden: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Iterator[Cell]:
    """Yield few, wide cells that cover the forbidden ones; None where all values are forbidden."""
    covered = np.zeros_like(forbidden)
    for cell in np.argwhere(forbidden).tolist():
        if covered[tuple(cell)]:
            continue
        wide: list[int | slice] = list(cell)
        for slot, value in enumerate(cell):
            wide[slot] = slice(None)
            if not forbidden[tuple(wide)].all():
                wide[slot] = value
        covered[tuple(wide)] = True
        yield tuple(value if isinstance(value, int) else None for value in wide)


def _add_clauses(clauses: Clauses, used: Floats, collector: _ClauseCollector) -> None:
    codes = collector.codes(clauses.variable, clauses.value, clauses.negated.astype(np.int32))
    length = np.diff(clauses.start)
    weight = np.full(len(length), np.inf) if clauses.hard else clauses.sign * used[clauses.weight]
    if not clauses.hard:
        collector.constant -= float(weight[clauses.sign < 0].sum())
    for size in np.unique(length):
        some = np.flatnonzero(length == size)
        rows = codes[clauses.start[some][:, None] + np.arange(size)[None, :]]
        kept = weight[some] != 0.0
        collector.add(rows[kept], weight[some][kept])
