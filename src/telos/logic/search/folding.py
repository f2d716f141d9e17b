"""From a ground network to potentials: weights put in, evidence worked in, factors over the same variables added up."""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from telos.logic.network import Clauses, Factors, Floats, Ints, Network
from telos.logic.scoring import cell_scores, weights_at
from telos.logic.search.potentials import NO_CLAUSES, LongClauses, Potentials, Tables, strides_of


def potentials_of(network: Network, weights: Floats | None = None) -> Potentials:
    """Work weights, evidence and hard formulas into numbers. ``weights`` stand in for those of the network."""
    weights = network.weights if weights is None else weights
    fold = _Fold.of(network)
    for factors in network.factors:
        fold.add_factors(factors, cell_scores(factors, weights))
    long = _joined([fold.clauses(clauses.plainly(), weights) for clauses in network.clauses])
    tables = tuple(_merged(sizes, parts, fold) for sizes, parts in fold.parts.items())
    return Potentials(
        known=np.where(fold.known >= 0, fold.known, 0).astype(np.int32),
        open=fold.open,
        sizes=network.sizes[fold.open],
        start=fold.start,
        single=fold.single,
        tables=tables,
        clauses=long,
        constant=fold.constant,
    )


@dataclass(slots=True)
class _Fold:
    """Potentials in the making."""

    sizes: Ints  # of all variables of the network
    known: Ints
    open: Ints
    place: Ints  # of each variable among the open ones
    start: Ints
    single: Floats
    constant: float = 0.0
    parts: dict[tuple[int, ...], list[tuple[Ints, Floats]]] = field(default_factory=lambda: defaultdict(list))

    @staticmethod
    def of(network: Network) -> "_Fold":
        known = np.where(network.sizes == 1, 0, network.given).astype(np.int32)
        opened = np.flatnonzero(known < 0).astype(np.int32)
        place = np.full(len(known), -1, np.int32)
        place[opened] = np.arange(len(opened), dtype=np.int32)
        start = np.concatenate([[0], np.cumsum(network.sizes[opened])]).astype(np.int32)
        return _Fold(network.sizes, known, opened, place, start, np.zeros(int(start[-1])))

    def add_factors(self, factors: Factors, cells: Floats) -> None:
        """Take in the factors of a rule: those that know the same of their variables in one go."""
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
        """Add tables over open variables, all of the same sizes: to the constant, to single values, or to the parts."""
        if scope.shape[1] == 0:
            self.constant += float(values.sum())
        elif scope.shape[1] == 1:
            cells = self.start[scope[:, 0]][:, None] + np.arange(values.shape[1])
            np.add.at(self.single, cells, values)
        else:
            self._add_sorted(scope, values)

    def _add_sorted(self, scope: Ints, values: Floats) -> None:
        """Keep tables with their variables in ascending order, so that the same variables meet in the same table."""
        orders, which = np.unique(np.argsort(scope, axis=1), axis=0, return_inverse=True)
        sizes = self.sizes[self.open[scope[0]]].tolist()
        for index, order in enumerate(orders):
            rows = np.flatnonzero(which.reshape(-1) == index)
            turned = values[rows].reshape(len(rows), *sizes).transpose(0, *(order + 1)).reshape(len(rows), -1)
            self.parts[tuple(sizes[place] for place in order)].append((scope[rows][:, order], turned))

    def clauses(self, clauses: Clauses, weights: Floats) -> LongClauses:
        """Take the known variables out of clauses; what is decided or about one literal goes where it belongs."""
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
        """Return what each clause adds if it holds; a negated one adds its weight first and takes it away then."""
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


def _merged(sizes: tuple[int, ...], parts: list[tuple[Ints, Floats]], fold: _Fold) -> Tables:
    """Add up the tables over the same variables; one that is the same in every cell belongs to the constant."""
    scope = np.concatenate([part for part, _ in parts])
    values = np.concatenate([part for _, part in parts])
    order = np.lexsort(scope.T[::-1])
    scope, values = scope[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], (scope[1:] != scope[:-1]).any(axis=1)]))
    values = np.add.reduceat(values, first, axis=0)
    flat = values.min(axis=1) == values.max(axis=1)
    fold.constant += float(values[flat, 0].sum())
    return Tables(sizes, scope[first][~flat], values[~flat])


def _joined(parts: list[LongClauses]) -> LongClauses:
    """Return clauses of several rules as one list."""
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
