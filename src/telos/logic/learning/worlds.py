"""Training worlds: what learners need of them (``TrainingWorlds``), for any network and for packed sequences."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.errors import TelosError
from telos.logic.exact import exact_map, expected_counts, find_shared_steps
from telos.logic.exact.chains import Chain, ChainFactors
from telos.logic.exact.elimination import ExpectedCounts
from telos.logic.learning import kernel
from telos.logic.learning.kernel import FeatureMatrix, PackedSequences, SweepBuffers, ViterbiBuffers
from telos.logic.network import Clauses, Factors, Floats, Ints, MostProbable, Network, count_formulas, tabulate_clauses
from telos.logic.search import cutting_planes

KERNEL = (kernel,)
# cells between neighbours: a few milliseconds per epoch in plain Python, while compiling takes seconds
MAX_PLAIN_CELLS = 2_000


class TrainingWorlds(Protocol):
    """Worlds whose hidden values are known, by index."""

    def variables(self, worlds: Sequence[int]) -> int:
        """Return the number of variables in these worlds."""

    def learn(
        self, worlds: Sequence[int], weights: Floats, sums: Floats, clock: float, max_step: float, augmentation: float
    ) -> int:
        """Go through these worlds in order, updating weights and sums; return the number of wrong values.

        ``max_step`` is the longest step of MIRA, 0 for the perceptron. ``augmentation`` is added to the score of every
        wrong value when the best values are searched.
        """

    def right(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> int:
        """Return the number of correct values: in the most probable world, or of the belief at each step."""

    def objective(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> tuple[float, Floats]:
        """Return the log likelihood of the true values, and its gradient."""

    def log_likelihood(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> float:
        """Return the objective without its gradient."""


@dataclass(frozen=True, slots=True)
class _KnownWorld:
    network: Network
    truth: Ints
    counts: Floats  # of the truth


class NetworkWorlds:
    """Worlds of any shape, one network each; they are not sequences and have no prefixes."""

    def __init__(self, network: Network, truth: Ints) -> None:
        self._worlds: dict[int, _KnownWorld] = {}
        for world, part, kept in split_worlds(network):
            self._worlds[world] = _KnownWorld(part, truth[kept], count_formulas(part, truth[kept]))

    def variables(self, worlds: Sequence[int]) -> int:
        """Return the number of variables in these worlds."""
        return sum(len(self._worlds[world].truth) for world in worlds if world in self._worlds)

    def learn(
        self, worlds: Sequence[int], weights: Floats, sums: Floats, clock: float, max_step: float, augmentation: float
    ) -> int:
        """Go through these worlds in order, updating weights and sums; return the number of wrong values."""
        if augmentation:
            raise TelosError("loss_augmented works on sequences only", "leave it out for this model")
        wrong = 0
        for turn, world in enumerate(each for each in worlds if each in self._worlds):
            found, mistakes = self._decode(world, weights)
            if not mistakes:
                continue
            wrong += mistakes
            known = self._worlds[world]
            difference = known.counts - count_formulas(known.network, found)
            tau = step_length(mistakes, difference, weights, max_step)
            weights += tau * difference
            sums += (clock + turn) * tau * difference
        return wrong

    def right(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> int:
        """Return the number of correct values in the most probable worlds."""
        _reject_prefix(is_prefix)
        wrong = sum(self._decode(world, weights)[1] for world in worlds if world in self._worlds)
        return self.variables(worlds) - wrong

    def objective(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> tuple[float, Floats]:
        """Return the log likelihood of the true values, and its gradient: true counts minus expected ones."""
        _reject_prefix(is_prefix)
        value, gradient = 0.0, np.zeros_like(weights)
        for world in (self._worlds[each] for each in worlds if each in self._worlds):
            expected = expected_counts(world.network, weights)
            if not isinstance(expected, ExpectedCounts):
                raise TelosError(
                    f"a world of {len(world.truth)} variables is too wide for exact inference",
                    "learn with by='mira' or by='perceptron'",
                )
            value += float(world.counts @ weights) - expected.log_z
            gradient += world.counts - expected.counts
        return value, gradient

    def log_likelihood(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> float:
        """Return the objective without its gradient."""
        return self.objective(worlds, weights, is_prefix=is_prefix)[0]

    def _decode(self, world: int, weights: Floats) -> tuple[Ints, int]:
        """Return the most probable values of a world, and how many of them are wrong."""
        known = self._worlds[world]
        answer = exact_map(known.network, weights)
        if answer is None:  # an integer program may take too long under intermediate weights
            answer = cutting_planes(known.network, "walksat", weights=weights)
        assert isinstance(answer, MostProbable)  # the truth keeps all hard rules, so a world is possible
        return answer.values, int((answer.values != known.truth).sum())


def step_length(mistakes: int, difference: Floats, weights: Floats, max_step: float) -> float:
    """Return the length of MIRA's step along a difference of features, or 1 for the perceptron (``max_step`` 0).

    The shortest step after which the truth leads by the number of mistakes (Crammer & Singer 2003).

    >>> step_length(2, np.array([1.0, -1.0]), np.zeros(2), max_step=5.0)
    1.0
    """
    if max_step == 0.0:
        return 1.0
    norm = float(difference @ difference)
    return max(0.0, min(max_step, (mistakes - float(weights @ difference)) / norm)) if norm > 0.0 else 0.0


def _reject_prefix(is_prefix: bool) -> None:
    if is_prefix:
        raise TelosError(
            "by='prefix' learns from beliefs along sequences, and this model's hidden atoms form none",
            "learn with by='likelihood' or by='mira'",
        )


# --- sequences --------------------------------------------------------------------------------------------------------
# A constant that a rule adds to all cells of a table changes no choice and no probability. So the most common number of
# each column of ``Factors.holds`` is subtracted, which makes most cells zero: of the 49 formulas ``goal(t-1,g1) =>
# goal(t,g2)`` only 6 are broken in any cell.


class SequenceWorlds:
    """The worlds of a chain with their true values; ``kernel`` is a form of KERNEL, by default the faster one."""

    def __init__(self, network: Network, chain: Chain, truth: Ints, *, kernel: Any = None) -> None:
        is_small = len(truth) * chain.size**2 <= MAX_PLAIN_CELLS
        self._kernel = kernel or (kernels.plain(*KERNEL) if is_small else kernels.kernel(*KERNEL))
        self._weights = len(network.weights)
        self._steps, self._matrix = pack_sequences(network, chain, truth)
        world = network.world[chain.order[chain.start[:-1]]]
        self._sequences = np.argsort(world, kind="stable")
        self._opens = np.searchsorted(world[self._sequences], np.arange(int(world.max(initial=-1)) + 2))
        self._viterbi = _viterbi_buffers(self._steps, self._matrix, chain.size, self._weights)
        self._sweeps = _sweep_buffers(self._steps, self._matrix, chain.size)

    def variables(self, worlds: Sequence[int]) -> int:
        """Return the number of variables in these worlds."""
        chosen = self._sequences_of(worlds)
        return int((self._steps.start[chosen + 1] - self._steps.start[chosen]).sum())

    def learn(
        self, worlds: Sequence[int], weights: Floats, sums: Floats, clock: float, max_step: float, augmentation: float
    ) -> int:
        """Go through these worlds in order, updating weights and sums; return the number of wrong values."""
        self._viterbi.age[:] = -1
        self._viterbi.joined_age[:] = -1
        self._viterbi.choice_age[:] = -1
        return int(
            self._kernel.learn_worlds(
                np.asarray(worlds, np.int64),
                self._opens,
                self._sequences,
                self._steps,
                self._matrix,
                weights,
                sums,
                clock,
                max_step,
                augmentation,
                self._viterbi,
            )
        )

    def right(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> int:
        """Return the number of correct values: in the most probable world, or of the belief at each step."""
        if is_prefix:
            return int(
                (self.beliefs(worlds, weights).argmax(axis=1) == self._steps.truth)[self._positions_of(worlds)].sum()
            )
        return int((self.best(worlds, weights) == self._steps.truth)[self._positions_of(worlds)].sum())

    def best(self, worlds: Sequence[int], weights: Floats) -> Ints:
        """Return the most probable values by position; valid for these worlds only."""
        self._kernel.decode(self._sequences_of(worlds), self._steps, self._matrix, weights, self._viterbi)
        path: Ints = self._viterbi.path
        return path

    def objective(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> tuple[float, Floats]:
        """Return the log likelihood of the true values, and its gradient.

        Of all values of a world together; with ``is_prefix``, of each value given the evidence up to its step.
        """
        gradient = np.zeros(self._weights)
        return float(self._sweep(worlds, weights, is_prefix, gradient)), gradient

    def log_likelihood(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> float:
        """Return the objective without its gradient."""
        return float(self._sweep(worlds, weights, is_prefix, np.empty(0)))

    def beliefs(self, worlds: Sequence[int], weights: Floats) -> Floats:
        """Return the filtered probabilities by position; valid for these worlds only."""
        self._sweep(worlds, weights, True, np.empty(0))
        kept: Floats = self._sweeps.beliefs
        return kept

    def _sweep(self, worlds: Sequence[int], weights: Floats, is_prefix: bool, gradient: Floats) -> float:
        chosen = self._sequences_of(worlds)
        return float(self._kernel.sweep(chosen, self._steps, self._matrix, weights, is_prefix, gradient, self._sweeps))

    def _sequences_of(self, worlds: Sequence[int]) -> NDArray[np.int64]:
        """Return the sequences of these worlds."""
        runs = [self._sequences[self._opens[w] : self._opens[w + 1]] for w in worlds]
        return np.concatenate([np.empty(0, np.int64), *runs])

    def _positions_of(self, worlds: Sequence[int]) -> NDArray[np.bool_]:
        """Return which positions belong to these worlds."""
        start, chosen = self._steps.start, self._sequences_of(worlds)
        is_chosen = np.zeros(len(start) - 1, np.bool_)
        is_chosen[chosen] = True
        return np.repeat(is_chosen, np.diff(start))


def pack_sequences(network: Network, chain: Chain, truth: Ints) -> tuple[PackedSequences, FeatureMatrix]:
    """Return the arrays of the kernels."""
    together = tabulate_clauses(network)
    assert together is not None  # a chain's clauses are short
    parts: list[tuple[NDArray[np.int64], Ints, Floats, NDArray[np.bool_]]] = []
    first: dict[tuple[int, bool], tuple[int, int]] = {}
    cells = 0
    for links in (*chain.singles, *chain.pairs):
        if (links.group, links.turned) not in first:
            factors = together.factors[links.group]
            first[links.group, links.turned] = cells, len(factors.holds)
            parts.append(_entries(factors, chain.size if links.turned else 0))
            cells += len(parts[-1][0])
    shared = find_shared_steps(chain)
    steps = PackedSequences(
        start=chain.start.astype(np.int64),
        singles=_first_cells(chain.singles, first, [links.key for links in chain.singles], len(truth)),
        pairs=_first_cells(chain.pairs, first, [links.key for links in chain.pairs], len(truth)),
        joint=_first_cells(chain.pairs, first, list(shared.keys.T), len(shared.keys)),
        between=shared.row.astype(np.int64),
        given=network.given[chain.order],
        truth=truth[chain.order].astype(np.int64),
    )
    return steps, _matrix(parts)


def _first_cells(
    links: Sequence[ChainFactors], first: dict[tuple[int, bool], tuple[int, int]], keys: Sequence[Ints], length: int
) -> Ints:
    """Return the first cell of the table of each key, -1 for none, with a column for each rule."""
    laid = np.full((length, len(links)), -1, np.int32)
    for column, (each, key) in enumerate(zip(links, keys, strict=True)):
        offset, cells = first[each.group, each.turned]
        laid[:, column] = np.where(key >= 0, offset + key * cells, -1)
    return laid


def _entries(factors: Factors, turned_size: int) -> tuple[NDArray[np.int64], Ints, Floats, NDArray[np.bool_]]:
    """Return one rule's part of the matrix: entries per cell, their weights and values, and forbidden cells."""
    holds = factors.holds
    if turned_size:
        holds = holds.reshape(turned_size, turned_size, -1).transpose(1, 0, 2).reshape(len(holds), -1)
    rows, cells = len(factors.weights), len(holds)
    if factors.hard:
        broken = holds.sum(axis=1) < factors.formulas - 0.5
        return np.zeros(rows * cells, np.int64), np.empty(0, np.int32), np.empty(0), np.tile(broken, rows)
    differs = holds - _most_common(holds)
    cell, choice = np.nonzero(differs)
    weight = factors.weights[:, choice]
    is_used = weight >= 0
    place = np.arange(rows)[:, np.newaxis] * cells + cell
    counts = np.bincount(place[is_used], minlength=rows * cells)
    value = np.broadcast_to(differs[cell, choice], weight.shape)
    return counts, weight[is_used], value[is_used], np.zeros(rows * cells, np.bool_)


def _most_common(holds: Floats) -> Floats:
    """Return the most common number of each column."""
    most = np.zeros(holds.shape[1])
    for column in range(holds.shape[1]):
        numbers, counts = np.unique(holds[:, column], return_counts=True)
        most[column] = numbers[counts.argmax()]
    return most


def _matrix(parts: list[tuple[NDArray[np.int64], Ints, Floats, NDArray[np.bool_]]]) -> FeatureMatrix:
    counts = np.concatenate([np.zeros(1, np.int64), *(part[0] for part in parts)])
    return FeatureMatrix(
        np.cumsum(counts),
        np.concatenate([np.empty(0, np.int32), *(part[1] for part in parts)]),
        np.concatenate([np.empty(0), *(part[2] for part in parts)]),
        np.concatenate([np.empty(0, np.bool_), *(part[3] for part in parts)]),
    )


def _viterbi_buffers(steps: PackedSequences, matrix: FeatureMatrix, size: int, weights: int) -> ViterbiBuffers:
    positions, cells = len(steps.truth), len(matrix.forbidden)
    return ViterbiBuffers(
        tables=np.zeros(cells),
        age=np.full(cells, -1, np.int64),
        choice=np.zeros(cells, np.int64),
        choice_age=np.full(cells, -1, np.int64),
        best=np.zeros((positions, size)),
        back=np.zeros((positions, size), np.int32),
        joined=np.zeros((len(steps.joint), size * size)),
        joined_age=np.full(len(steps.joint), -1, np.int64),
        now=np.zeros(size),
        path=np.zeros(positions, np.int64),
        difference=np.zeros(weights),
        is_moved=np.zeros(weights, np.bool_),
        moved=np.zeros(weights, np.int64),
    )


def _sweep_buffers(steps: PackedSequences, matrix: FeatureMatrix, size: int) -> SweepBuffers:
    positions, cells, choices = len(steps.truth), len(matrix.forbidden), len(steps.joint)
    return SweepBuffers(
        tables=np.zeros(cells),
        scores=np.zeros((choices, size * size)),
        factors=np.zeros((choices, size * size)),
        peaks=np.zeros(choices),
        beliefs=np.zeros((positions, size)),
        predicted=np.zeros((positions, size)),
        logs=np.zeros((positions, size)),
        now=np.zeros(size),
        carried=np.zeros(size),
        cells=np.zeros(cells),
        joint_cells=np.zeros((choices, size * size)),
    )


# --- one network per world --------------------------------------------------------------------------------------------
# Ground formulas never reach from one world into another.


def split_worlds(network: Network) -> Iterator[tuple[int, Network, NDArray[np.int64]]]:
    """Yield each world with its network and its variables in the whole. Weights keep their numbers."""
    sorting = np.argsort(network.world, kind="stable")
    worlds, first = np.unique(network.world[sorting], return_index=True)
    number = np.empty(len(sorting), np.int32)  # index of each variable inside its world
    number[sorting] = np.arange(len(sorting)) - np.repeat(first, np.diff(np.append(first, len(sorting))))
    factors = [_factors_by_world(each, network.world, number) for each in network.factors if each.scope.shape[1]]
    clauses = [_clauses_by_world(each, network.world, number) for each in network.clauses]
    for world, kept in zip(worlds.tolist(), np.split(sorting, first[1:]), strict=True):
        own = [here(world) for here in factors]
        long = [those(world) for those in clauses]
        part = replace(
            network,
            sizes=network.sizes[kept],
            world=network.world[kept],
            given=network.given[kept],
            factors=tuple(each for each in own if len(each.scope)),
            clauses=tuple(each for each in long if len(each.start) > 1),
        )
        yield world, part, kept


def _factors_by_world(factors: Factors, world: Ints, number: Ints) -> Callable[[int], Factors]:
    """Return a function that finds the factors of a world; they are sorted once, for many worlds."""
    belongs = world[factors.scope[:, 0]]
    sorting = np.argsort(belongs, kind="stable")
    scope, key, belongs = number[factors.scope[sorting]], factors.key[sorting], belongs[sorting]

    def here(wanted: int) -> Factors:
        first, end = np.searchsorted(belongs, [wanted, wanted + 1])
        return replace(factors, scope=scope[first:end], key=key[first:end])

    return here


def _clauses_by_world(clauses: Clauses, world: Ints, number: Ints) -> Callable[[int], Clauses]:
    belongs, lengths = world[clauses.variable[clauses.start[:-1]]], np.diff(clauses.start)

    def here(wanted: int) -> Clauses:
        is_here = belongs == wanted
        literal = np.repeat(is_here, lengths)
        return replace(
            clauses,
            start=np.append(0, np.cumsum(lengths[is_here])).astype(np.int32),
            variable=number[clauses.variable[literal]],
            value=clauses.value[literal],
            negated=clauses.negated[literal],
            weight=clauses.weight[is_here],
            sign=clauses.sign[is_here],
        )

    return here
