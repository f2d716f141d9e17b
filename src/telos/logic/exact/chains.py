"""Dynamic programming on chains: finding the sequences of a network, their scores, Viterbi and forward-backward.

``find_chain`` finds the sequences and ``score_chain`` scores them; ``viterbi``, ``forward_filter`` and
``forward_backward`` solve them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.kernels import kernel
from telos.logic.exact import kernel as products
from telos.logic.exact.kernel import COUNTED, FAINT, FILTERED, SMOOTHED
from telos.logic.network import Factors, Floats, Ints, Network, cell_scores, tabulate_clauses

MAX_LAYERED_KEYS = (
    2**25
)  # keys of one rule; where some position has very many factors, general elimination sums them better
MAX_MARKED_CODES = 2**24  # combinations of keys numbered by marking them in a table; more are sorted
KERNEL = (products,)  # callers may pass ``kernels.plain(*KERNEL)`` instead of the compiled form


# --- chains in a network ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChainFactors:
    """One rule's factors along the sequences: ``key[p]`` is the row of weights at position p, -1 for none.

    ``group`` is the index into ``Network.factors``, or after these into the factors that ``tabulate_clauses`` makes.
    Factors over two variables lie on positions p-1 and p; ``turned`` means that the network lists them as (p, p-1), so
    that their cells must be transposed.
    """

    group: int
    key: Ints  # (positions,)
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A network whose variables all have ``size`` values and form sequences.

    Position p holds variable ``order[p]``; sequence s has the positions ``start[s]`` to before ``start[s + 1]``. A
    variable without neighbours is a sequence of one. A sequence starts at the end with the lower variable.
    """

    size: int
    order: Ints  # (positions,)
    start: Ints  # (sequences + 1,)
    singles: tuple[ChainFactors, ...]
    pairs: tuple[ChainFactors, ...]


def find_chain(network: Network) -> Chain | None:
    """Return the sequences of a network, or None if it is not a chain."""
    sizes, together = network.sizes, tabulate_clauses(network, max_variables=2)
    if together is None or any(factors.scope.shape[1] not in (1, 2) for factors in together.factors):
        return None
    if len(sizes) and (sizes != sizes[0]).any():
        return None
    paths = _find_paths(len(sizes), [factors.scope for factors in together.factors if factors.scope.shape[1] == 2])
    if paths is None:
        return None
    order, start = paths
    position = np.empty(len(order), np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    singles: list[ChainFactors] = []
    pairs: list[ChainFactors] = []
    for group, factors in enumerate(together.factors):
        found = _place_factors(group, factors, position)
        if found is None:
            return None
        (singles if factors.scope.shape[1] == 1 else pairs).extend(found)
    return Chain(int(sizes[0]) if len(sizes) else 1, order, start, tuple(singles), tuple(pairs))


def _place_factors(group: int, factors: Factors, position: Ints) -> list[ChainFactors] | None:
    """Return one rule's factors as keys by position, or None if one position has too many factors."""
    places = [position[column] for column in factors.scope.T]
    halves = [(False, places[-1], factors.key)]
    if len(places) == 2 and (turned := places[0] > places[1]).any():
        straight = ~turned
        halves = [(False, places[1][straight], factors.key[straight]), (True, places[0][turned], factors.key[turned])]
    found = []
    for way, at, keys in halves:
        laid = _layer_keys(at, keys, len(position))
        if laid is None:
            return None
        found += [ChainFactors(group, row, way) for row in laid]
    return found


def _layer_keys(places: Ints, keys: Ints, positions: int) -> Ints | None:
    """Place keys on their positions, in as many layers as the position with most factors needs."""
    crowd = np.bincount(places, minlength=positions)
    depth = int(crowd.max(initial=0))
    if depth * positions > MAX_LAYERED_KEYS:
        return None
    laid = np.full((depth, positions), -1, np.int32)
    if depth == 1:
        laid[0, places] = keys
    elif depth > 1:
        sorting = np.argsort(places, kind="stable")
        places, keys = places[sorting], keys[sorting]
        laid[np.arange(len(places)) - (np.cumsum(crowd) - crowd)[places], places] = keys
    return laid


def _find_paths(variables: int, edges: list[Ints]) -> tuple[Ints, Ints] | None:
    """Return the variables path by path and the start of each path, or None if a component is not a path."""
    none = np.empty(0, np.int64)
    low = np.concatenate([none, *(np.minimum(pair[:, 0], pair[:, 1]) for pair in edges)])
    high = np.concatenate([none, *(np.maximum(pair[:, 0], pair[:, 1]) for pair in edges)])
    if (high == low + 1).all():  # numbered along the paths, as grounding usually does
        is_start = np.ones(variables, np.bool_)
        is_start[high] = False
        starts = np.append(np.flatnonzero(is_start), variables)
        return np.arange(variables, dtype=np.int32), starts.astype(np.int32)
    code = np.unique(low * variables + high)
    beside = _find_neighbours(variables, code // variables, code % variables)
    return None if beside is None else _follow_paths(beside)


def _find_neighbours(variables: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the neighbours of each variable (at most two), -1 for none, or None if one has more."""
    ends, others = np.concatenate([low, high]), np.concatenate([high, low])
    degree = np.bincount(ends, minlength=variables)
    if degree.max() > 2:
        return None
    sorting = np.argsort(ends, kind="stable")
    ends, others = ends[sorting], others[sorting]
    slot = np.arange(len(ends)) - (np.cumsum(degree) - degree)[ends]
    beside = np.full((variables, 2), -1, np.int64)
    beside[ends, slot] = others
    return beside


def _follow_paths(beside: NDArray[np.int64]) -> tuple[Ints, Ints] | None:
    """Return the variables in the order of their paths, and the starts of the paths, or None if one is a ring.

    Both directions out of every variable are followed at once, by pointer doubling. Direction 2v + i leaves v by its
    neighbour i and continues by that variable's other neighbour.
    """
    variables = len(beside)
    ways = np.arange(2 * variables)
    onto = beside.ravel()
    came_by_second = beside[onto, 1] == ways // 2
    leap = np.where(onto < 0, ways, 2 * onto + ~came_by_second)  # a direction without a neighbour stays where it is
    length = (onto >= 0).astype(np.int64)
    for _ in range(variables.bit_length()):
        further = leap[leap]
        if (further == leap).all():
            break
        length, leap = length + length[leap], further
    if (onto[leap] >= 0).any():
        return None
    ends, lengths = (leap // 2).reshape(-1, 2), length.reshape(-1, 2)
    first = np.arange(variables), ends.argmin(axis=1)
    order = np.lexsort((lengths[first], ends[first]))
    starts = np.flatnonzero(lengths[first][order] == 0)
    return order.astype(np.int32), np.append(starts, variables).astype(np.int32)


# --- scores -----------------------------------------------------------------------------------------------------------
# Steps with the same keys share a table: 77,000 steps of seven goals need a few tables of 49 numbers, not 77,000.


@dataclass(frozen=True, slots=True)
class SharedSteps:
    """The steps of a chain that share a table. It depends on the keys alone, so learning computes it once."""

    row: Ints  # (positions,) of the table for the step from p-1 to p; meaningless where a sequence starts
    keys: Ints  # (rows, pairs) one key of each of the chain's pairs, -1 for none


@dataclass(frozen=True, slots=True)
class ChainScores:
    """The scores of a chain's values and steps under given weights; -inf where forbidden."""

    unary: Floats  # (positions, size)
    row: Ints  # (positions,) as in ``Steps``
    tables: Floats  # (rows, size, size), from the value at p-1 to the value at p


def score_chain(
    network: Network, chain: Chain, weights: Floats | None = None, *, steps: SharedSteps | None = None
) -> ChainScores:
    """Return the scores of a chain under the network's weights, or under others in the same order.

    A given value forbids all other values.
    """
    weights = network.weights if weights is None else weights
    steps = find_shared_steps(chain) if steps is None else steps
    together = tabulate_clauses(network)
    assert together is not None  # a chain's clauses are short
    needed = {links.group for links in (*chain.singles, *chain.pairs)}
    scores = {group: cell_scores(together.factors[group], weights) for group in needed}
    unary = np.zeros((len(chain.order), chain.size))
    for links in chain.singles:
        kernel(products).add_rows(unary, scores[links.group], links.key)
    _fix_given(unary, network.given[chain.order])
    return ChainScores(unary, steps.row, _step_tables(chain, steps, scores))


def find_shared_steps(chain: Chain) -> SharedSteps:
    """Return which steps of a chain have the same keys."""
    code = np.zeros(len(chain.order), np.int64)
    for links in chain.pairs:
        code = _renumber(code * (int(links.key.max(initial=-1)) + 2) + links.key + 1)
    if not chain.pairs or not len(code):
        return SharedSteps(code.astype(np.int32), np.empty((1, 0), np.int32))
    example = np.zeros(int(code.max()) + 1, np.int64)
    example[code] = np.arange(len(code))
    keys = np.stack([links.key[example] for links in chain.pairs], axis=1)
    return SharedSteps(code.astype(np.int32), keys)


def _renumber(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return non-negative codes renumbered without gaps, in the same order."""
    most = int(codes.max(initial=0)) + 1
    if most > min(MAX_MARKED_CODES, 1024 + 16 * len(codes)):
        return np.unique(codes, return_inverse=True)[1].reshape(-1)
    is_used = np.zeros(most, np.int64)
    is_used[codes] = 1
    numbers: NDArray[np.int64] = (np.cumsum(is_used) - 1)[codes]
    return numbers


def _append_zero_row(table: Floats) -> Floats:
    """Append a row of zeros, which key -1 selects."""
    return np.concatenate([table, np.zeros((1, table.shape[1]))])


def _fix_given(unary: Floats, given: Ints) -> None:
    (known,) = np.nonzero(given >= 0)
    kept = unary[known, given[known]]
    unary[known] = -np.inf
    unary[known, given[known]] = kept


def _step_tables(chain: Chain, steps: SharedSteps, scores: dict[int, Floats]) -> Floats:
    """Return the sum of all pairs' tables for each row of keys."""
    shape = (len(steps.keys), chain.size, chain.size)
    tables = np.zeros(shape)
    for links, key in zip(chain.pairs, steps.keys.T, strict=True):
        one = _append_zero_row(scores[links.group])[key].reshape(shape)
        tables += one.transpose(0, 2, 1) if links.turned else one
    return tables


# --- algorithms -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BestPaths:
    """The best values of a chain by position, and the score of each sequence: -inf if no values are allowed."""

    values: Ints  # (positions,)
    scores: Floats  # (sequences,)


@dataclass(frozen=True, slots=True)
class SmoothedChain:
    """The probabilities of values along a chain, by position, and of steps, summed over those that share a table.

    ``filtered`` uses only the factors at or before a position, ``probabilities`` all of them. ``log_z`` is the
    logarithm of the sum over all worlds of each sequence, -inf if nothing is allowed; its probabilities are then
    meaningless.
    """

    filtered: Floats  # (positions, size)
    probabilities: Floats  # (positions, size); empty if only filtered
    steps: Floats  # (rows, size, size); empty unless counted
    log_z: Floats  # (sequences,)


def viterbi(chain: Chain, scores: ChainScores, *, kernel: Any = None) -> BestPaths:
    """Return the most probable values of all sequences; of equals the lowest, from the end backwards."""
    positions, size = scores.unary.shape
    values, best = np.zeros(positions, np.int32), np.zeros(len(chain.start) - 1)
    back, work = np.empty((positions, size), np.int32), np.empty((2, size))
    (kernel or _kernel()).best_paths(scores.unary, scores.row, scores.tables, chain.start, back, work, values, best)
    return BestPaths(values, best)


def forward_filter(chain: Chain, scores: ChainScores, *, kernel: Any = None) -> SmoothedChain:
    """Return the probabilities at each position given the factors at or before it: filtering."""
    return _smooth(chain, scores, FILTERED, kernel or _kernel())


def forward_backward(chain: Chain, scores: ChainScores, *, counted: bool = False, kernel: Any = None) -> SmoothedChain:
    """Return the probabilities at each position given all factors; with ``counted``, of steps too."""
    return _smooth(chain, scores, COUNTED if counted else SMOOTHED, kernel or _kernel())


def _smooth(chain: Chain, scores: ChainScores, depth: int, kernel: Any) -> SmoothedChain:
    (positions, size), rows = scores.unary.shape, len(scores.tables)
    likely, peaks, faint = _exponentiate(scores.unary)
    steps, step_peaks, steps_faint = _exponentiate(scores.tables.reshape(rows, -1))
    filtered, log_z = np.empty((positions, size)), np.empty(len(chain.start) - 1)
    future, probabilities = np.empty((2, positions if depth > FILTERED else 0, size))
    mass = np.zeros((rows if depth == COUNTED else 0, size, size))
    kernel.smooth_sequences(
        scores.unary,
        likely,
        peaks,
        scores.row,
        scores.tables,
        steps.reshape(rows, size, size),
        step_peaks,
        faint or steps_faint,
        chain.start,
        filtered,
        np.empty(positions),
        future,
        probabilities,
        mass,
        np.empty(size),
        depth,
        log_z,
    )
    return SmoothedChain(filtered, probabilities, mass, log_z)


def _exponentiate(logs: Floats) -> tuple[Floats, Floats, bool]:
    """Return exponentials of rows divided by their maximum, the maxima, and whether one is below ``FAINT``."""
    peaks = logs.max(axis=1)
    peaks[peaks == -np.inf] = 0.0  # nothing is allowed there; avoid NaN
    shares = np.exp(logs - peaks[:, None])
    return shares, peaks, bool(((shares < FAINT) & (logs > -np.inf)).any())


def _kernel() -> Any:
    return kernels.kernel(*KERNEL)
