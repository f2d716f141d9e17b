"""Exact inference: ``exact_map``, ``exact_marginals`` and ``expected_counts`` for any network that is narrow enough.

Connected components are solved separately: chains by dynamic programming, all others by variable elimination. If one
component has no possible world, the network has none, however wide the other components are.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.logic.exact.chains import Chain, find_chain, find_shared_steps, forward_backward, score_chain, viterbi
from telos.logic.network import (
    NO_LIMIT,
    Bools,
    Clauses,
    Deadline,
    Factors,
    Floats,
    Ints,
    Longs,
    Marginals,
    MostProbable,
    Network,
    Unsatisfiable,
    cell_scores,
    count_by_weight,
    tabulate_clauses,
    weights_at,
)

Graph: TypeAlias = dict[int, set[int]]

MAX_MIN_FILL_VARIABLES = 3_000  # variables up to which the slower min-fill rule is tried when min-size fails
SCOPES_PER_CHECK = 4096  # between two looks at the clock
MAX_CELLS = 2**22  # of the largest table


def exact_map(
    network: Network,
    weights: Floats | None = None,
    *,
    max_cells: int = MAX_CELLS,
    deadline: Deadline = NO_LIMIT,
) -> MostProbable | Unsatisfiable | None:
    """Return the most probable world, or None if the network is too wide for exact inference, or the time is up.

    Of equally probable worlds, the same one is returned every time.
    """
    weights = network.weights if weights is None else weights
    values, total, is_chain, is_wide = np.zeros(len(network.sizes), np.int32), 0.0, True, False
    for part, chain in split_chains(network):
        best = None if deadline.is_over else _solve_map(part.network, chain, weights, max_cells, deadline)
        if best is None:
            is_wide = True
            continue
        values[part.variables] = best[0]
        total += best[1]
        is_chain &= chain is not None
    if total == -np.inf:
        return Unsatisfiable((), ())
    return None if is_wide else MostProbable(values, total, total, "viterbi" if is_chain else "elimination")


def exact_marginals(
    network: Network,
    weights: Floats | None = None,
    *,
    max_cells: int = MAX_CELLS,
    deadline: Deadline = NO_LIMIT,
) -> Marginals | Unsatisfiable | None:
    """Return the probability of every value, or None if the network is too wide for exact inference, or time is up."""
    weights = network.weights if weights is None else weights
    start = np.append(0, np.cumsum(network.sizes, dtype=np.int64))
    probabilities, log_z, is_chain, is_wide = np.zeros(int(start[-1])), 0.0, True, False
    for part, chain in split_chains(network):
        found = None if deadline.is_over else _solve_marginals(part.network, chain, weights, max_cells, deadline)
        if found is None:
            is_wide = True
            continue
        probabilities[_value_positions(start, part.variables)] = found[0]
        log_z += found[1]
        is_chain &= chain is not None
    if log_z == -np.inf:
        return Unsatisfiable((), ())
    method = "forward-backward" if is_chain else "junction tree"
    return None if is_wide else Marginals(start, probabilities, log_z, True, method)


def _solve_map(
    network: Network, chain: Chain | None, weights: Floats, max_cells: int, deadline: Deadline
) -> tuple[Ints, float] | None:
    """Return the best values and their score, or None if the network is too wide."""
    if chain is None:
        plan = plan_elimination(network, weights, max_cells=max_cells, deadline=deadline)
        return None if plan is None else find_best_world(plan)
    best = viterbi(chain, score_chain(network, chain, weights))
    values = np.empty_like(best.values)
    values[chain.order] = best.values
    return values, float(best.scores.sum())


def _solve_marginals(
    network: Network, chain: Chain | None, weights: Floats, max_cells: int, deadline: Deadline
) -> tuple[Floats, float] | None:
    """Return the probabilities of all values, by variable, and log Z, or None if the network is too wide."""
    if chain is not None:
        smoothed = forward_backward(chain, score_chain(network, chain, weights))
        by_variable = np.empty_like(smoothed.probabilities)
        by_variable[chain.order] = smoothed.probabilities
        return by_variable.ravel(), float(smoothed.log_z.sum())
    plan = plan_elimination(network, weights, max_cells=max_cells, deadline=deadline)
    if plan is None:
        return None
    probabilities, log_z = find_marginals(plan)
    known = plan.known.tolist()
    rows = [probabilities.get(each, np.arange(size) == known[each]) for each, size in enumerate(network.sizes.tolist())]
    return np.concatenate([np.empty(0), *rows]), log_z


def _value_positions(start: NDArray[np.int64], variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of the values of some variables."""
    sizes = start[variables + 1] - start[variables]
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places: NDArray[np.int64] = np.repeat(start[variables], sizes) + inside
    return places


# --- components -------------------------------------------------------------------------------------------------------
# One component that is not a chain must not keep the others from the fast algorithm.


@dataclass(frozen=True, slots=True)
class NetworkComponent:
    """The network over some of the variables of another one; atoms keep their names."""

    variables: Longs
    network: Network


def split_chains(network: Network) -> list[tuple[NetworkComponent, Chain | None]]:
    """Return the components of a network, each with its sequences if it is a chain."""
    chain = find_chain(network)
    if chain is not None:
        return [(NetworkComponent(np.arange(len(network.sizes)), network), chain)]
    return [(part, find_chain(part.network)) for part in split_components(network)]


def split_components(network: Network) -> list[NetworkComponent]:
    """Return the paths of a network, one component per number of values, and all else as one component."""
    first, second, odd = _find_ties(network)
    component = label_components(len(network.sizes), first, second)
    kind = np.where(_is_path(network, component, first, second, odd)[component], network.sizes, 0)
    kinds = np.unique(kind)
    if len(kinds) < 2:
        return [NetworkComponent(np.arange(len(kind)), network)]
    return [_restrict(network, np.flatnonzero(kind == each), keeps_settled=each == kinds[0]) for each in kinds]


def label_components(variables: int, first: Longs, second: Longs) -> Longs:
    """Return for each variable the lowest variable connected to it.

    >>> label_components(5, np.array([3, 1]), np.array([4, 3])).tolist()
    [0, 1, 2, 1, 1]
    """
    lowest = np.arange(variables)
    while True:
        low = np.minimum(lowest[first], lowest[second])
        before = lowest.copy()
        np.minimum.at(lowest, before[first], low)
        np.minimum.at(lowest, before[second], low)
        while (lowest[lowest] != lowest).any():
            lowest = lowest[lowest]
        if np.array_equal(lowest, before):
            return lowest


def _find_ties(network: Network) -> tuple[Longs, Longs, Longs]:
    """Return pairs of connected variables, and those in a factor or clause over more than two."""
    none = np.empty(0, np.int64)
    first, second, odd = [none], [none], [none]
    for factors in network.factors:
        for column in factors.scope.T[1:]:
            first.append(factors.scope[:, 0].astype(np.int64))
            second.append(column.astype(np.int64))
        if factors.scope.shape[1] > 2:
            odd.append(factors.scope[:, 0].astype(np.int64))
    for clauses in network.clauses:
        lengths = np.diff(clauses.start)
        leader = clauses.variable[np.repeat(clauses.start[:-1], lengths)].astype(np.int64)
        differs = leader != clauses.variable
        first.append(leader[differs])
        second.append(clauses.variable[differs].astype(np.int64))
        odd.append(leader[np.repeat(lengths > 2, lengths)])
    return np.concatenate(first), np.concatenate(second), np.concatenate(odd)


def _is_path(network: Network, component: Longs, first: Longs, second: Longs, odd: Longs) -> Bools:
    """Return for each component, by its lowest variable, whether it is a path of variables of equal size."""
    count = len(component)
    code = np.unique(np.minimum(first, second) * count + np.maximum(first, second))
    first, second = code // max(count, 1), code % max(count, 1)
    degree = np.bincount(np.append(first, second), minlength=count)
    edges = np.bincount(component[first], minlength=count)
    is_path: Bools = edges == np.bincount(component, minlength=count) - 1  # no ring
    is_path[component[degree > 2]] = False
    is_path[component[network.sizes != network.sizes[component]]] = False
    is_path[component[odd]] = False
    return is_path


def _restrict(network: Network, variables: Longs, *, keeps_settled: bool) -> NetworkComponent:
    """Return the network over some variables; factors over no variable are kept by one component."""
    renumbered = np.full(len(network.sizes), -1, np.int32)
    renumbered[variables] = np.arange(len(variables), dtype=np.int32)
    factors = (_restrict_factors(each, renumbered, keeps_settled) for each in network.factors)
    clauses = (_restrict_clauses(each, renumbered, keeps_settled) for each in network.clauses)
    inside = replace(
        network,
        sizes=network.sizes[variables],
        world=network.world[variables],
        given=network.given[variables],
        factors=tuple(each for each in factors if len(each.key)),
        clauses=tuple(each for each in clauses if len(each.weight)),
    )
    return NetworkComponent(variables, inside)


def _restrict_factors(factors: Factors, renumbered: Ints, keeps_settled: bool) -> Factors:
    if not factors.scope.shape[1]:
        return factors.take(np.full(len(factors.key), keeps_settled))
    inside = factors.take(renumbered[factors.scope[:, 0]] >= 0)
    return replace(inside, scope=renumbered[inside.scope])


def _restrict_clauses(clauses: Clauses, renumbered: Ints, keeps_settled: bool) -> Clauses:
    has_literals = np.diff(clauses.start) > 0
    is_inside = np.full(len(has_literals), keeps_settled)
    is_inside[has_literals] = renumbered[clauses.variable[clauses.start[:-1][has_literals]]] >= 0
    inside = clauses.take(is_inside)
    return replace(inside, variable=renumbered[inside.variable])


# --- known variables --------------------------------------------------------------------------------------------------


def condition_clauses(network: Network, weights: Floats, given: Ints) -> tuple[Network, float]:
    """Return the network with known literals removed from its clauses, and the score of the decided ones."""
    if not network.clauses:
        return network, 0.0
    pairs = [_shorten(clauses, weights, given) for clauses in network.clauses]
    return replace(network, clauses=tuple(clauses for clauses, _ in pairs)), sum(score for _, score in pairs)


def _shorten(clauses: Clauses, weights: Floats, given: Ints) -> tuple[Clauses, float]:
    """Drop the clauses with a literal that holds, and from the others the literals that do not hold.

    A clause without literals left stays, as an empty clause that does not hold.
    """
    known = given[clauses.variable]
    settled = np.zeros(len(clauses.sign), np.bool_)
    settled[clauses.owner[(known >= 0) & clauses.met(given)]] = True
    rest = clauses.take(~settled)
    is_open = given[rest.variable] < 0
    shorter = replace(
        rest,
        start=np.append(0, np.cumsum(is_open))[rest.start].astype(np.int32),
        variable=rest.variable[is_open],
        value=rest.value[is_open],
        negated=rest.negated[is_open],
    )
    return shorter, _score_settled(clauses.take(settled), weights)


def _score_settled(clauses: Clauses, weights: Floats) -> float:
    """Return the score of clauses each of which has a literal that holds."""
    if clauses.hard:
        return -np.inf if (clauses.sign < 0).any() else 0.0
    return float(weights_at(clauses.weight[clauses.sign > 0], weights).sum())


# --- elimination order ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clique:
    """A variable at its elimination, and the variables connected to it then, in elimination order."""

    variable: int
    rest: tuple[int, ...]

    @property
    def scope(self) -> tuple[int, ...]:
        """All variables of the clique, the eliminated one first."""
        return (self.variable, *self.rest)


def find_cliques(
    variables: Iterable[int],
    scopes: Iterable[tuple[int, ...]],
    sizes: Mapping[int, int],
    *,
    max_cells: int,
    deadline: Deadline = NO_LIMIT,
) -> list[Clique] | None:
    """Return the cliques of a good elimination order, or None if one is too large for a table, or the time is up.

    The variable with the smallest clique goes first (min-size); if that fails, the one with the fewest new edges
    (min-fill).

    >>> [clique.scope for clique in find_cliques([0, 1, 2], [(0, 1), (1, 2)], {0: 2, 1: 2, 2: 2}, max_cells=4)]
    [(0, 1), (1, 2), (2,)]
    """
    graph: Graph = {variable: set() for variable in variables}
    for number, scope in enumerate(set(scopes)):
        if number % SCOPES_PER_CHECK == 0 and deadline.is_over:
            return None
        if math.prod(sizes[each] for each in scope) > max_cells:
            return None
        for each in scope:
            graph[each].update(scope)
    for each, tied in graph.items():
        tied.discard(each)
    order = _eliminate(graph, sizes, max_cells, _table_size_cost, deadline)
    if order is None and len(graph) <= MAX_MIN_FILL_VARIABLES:
        order = _eliminate(graph, sizes, max_cells, _fill_in_cost, deadline)
    return order


def _eliminate(
    start: Graph,
    sizes: Mapping[int, int],
    max_cells: int,
    cost: Callable[[int, Graph, Mapping[int, int]], float],
    deadline: Deadline,
) -> list[Clique] | None:
    """Repeatedly eliminate the cheapest variable; return None if a clique is too large, or the time is up."""
    graph = {variable: set(tied) for variable, tied in start.items()}
    costs: dict[int, float] = {}
    for variable in graph:
        if deadline.is_over:
            return None
        costs[variable] = cost(variable, graph, sizes)
    queue = [(each, variable) for variable, each in costs.items()]
    heapq.heapify(queue)
    eliminated: list[tuple[int, set[int]]] = []
    total = 0
    while queue:
        known, variable = heapq.heappop(queue)
        if costs.get(variable) != known:
            continue  # outdated: its edges have changed since
        tied = graph.pop(variable)
        del costs[variable]
        cells = sizes[variable] * math.prod(sizes[each] for each in tied)
        total += cells
        if cells > max_cells or total > 8 * max_cells or deadline.is_over:  # all tables are in memory at once
            return None
        eliminated.append((variable, tied))
        for each in _connect(graph, variable, tied, cost is _fill_in_cost):
            costs[each] = cost(each, graph, sizes)
            heapq.heappush(queue, (costs[each], each))
    return _to_cliques(eliminated)


def _connect(graph: Graph, variable: int, tied: set[int], ties_matter: bool) -> set[int]:
    """Connect the neighbours of a variable; return the variables whose cost may have changed."""
    changed = set(tied)
    for each in tied:
        graph[each].discard(variable)
        graph[each] |= tied
        graph[each].discard(each)
        if ties_matter:
            changed |= graph[each]
    return changed


def _table_size_cost(variable: int, graph: Graph, sizes: Mapping[int, int]) -> float:
    tied = graph[variable]
    if len(tied) > 64:
        return 64.0 + len(tied)  # too large now; its neighbours go first
    return math.log2(sizes[variable] * math.prod(sizes[each] for each in tied))


def _fill_in_cost(variable: int, graph: Graph, sizes: Mapping[int, int]) -> float:
    tied = graph[variable]
    return float(sum(len(tied) - 1 - len(tied & graph[each]) for each in tied))


def _to_cliques(eliminated: list[tuple[int, set[int]]]) -> list[Clique]:
    rank = {variable: at for at, (variable, _) in enumerate(eliminated)}
    return [Clique(variable, tuple(sorted(tied, key=rank.__getitem__))) for variable, tied in eliminated]


# --- elimination ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EliminationPlan:
    """The cliques of a network in elimination order, and the tables that enter each.

    A table has an axis for each variable of its scope, in elimination order, and is listed under the first of them.
    """

    cliques: list[Clique]
    rank: dict[int, int]  # of each open variable in elimination order
    tables: dict[int, list[tuple[tuple[int, ...], Floats]]]
    shape: dict[int, int]  # sizes of the open variables
    known: Ints  # (variables,) given values, -1 for open variables
    settled: float  # the score of formulas without open variables


def plan_elimination(
    network: Network, weights: Floats, *, max_cells: int, deadline: Deadline = NO_LIMIT
) -> EliminationPlan | None:
    """Return the plan to eliminate the open variables of a network, or None if a table is too large, or time is up."""
    known = np.where((network.given < 0) & (network.sizes == 1), 0, network.given).astype(np.int32)
    shorter, settled = condition_clauses(network, weights, known)
    together = tabulate_clauses(shorter)
    if together is None:
        return None
    (variables,) = np.nonzero(known < 0)
    shape = {int(each): int(network.sizes[each]) for each in variables}
    scopes = {
        tuple(each for each in row if known[each] < 0) for factors in together.factors for row in factors.scope.tolist()
    }
    cliques = find_cliques(shape, scopes, shape, max_cells=max_cells, deadline=deadline)
    if cliques is None:
        return None
    rank = {clique.variable: at for at, clique in enumerate(cliques)}
    tables, alone = _tables(together, weights, known, rank)
    return EliminationPlan(cliques, rank, tables, shape, known, settled + alone)


def find_best_world(plan: EliminationPlan) -> tuple[Ints, float]:
    """Return the best values of all variables, and their score: -inf if no world is allowed."""
    incoming = {clique.variable: list(plan.tables.get(clique.variable, ())) for clique in plan.cliques}
    choices: list[Ints] = []
    score = plan.settled
    for clique in plan.cliques:
        joint = _joint_table(clique, incoming.pop(clique.variable), plan.shape)
        choices.append(joint.argmax(axis=0).astype(np.int32))
        best = joint.max(axis=0)
        if clique.rest:
            incoming[clique.rest[0]].append((clique.rest, best))
        else:
            score += float(best)
    values = plan.known.copy()
    for clique, choice in zip(reversed(plan.cliques), reversed(choices), strict=True):
        values[clique.variable] = choice[tuple(values[list(clique.rest)])]
    return values, score


def find_marginals(plan: EliminationPlan) -> tuple[dict[int, Floats], float]:
    """Return the probabilities of the values of each open variable, and log Z."""
    beliefs, log_z = calibrate(plan)
    return {
        variable: normalize_logs(log_sum(belief, range(1, belief.ndim))) for variable, belief in beliefs.items()
    }, log_z


def calibrate(plan: EliminationPlan) -> tuple[dict[int, Floats], float]:
    """Return for each clique the logarithms of numbers proportional to the probabilities of its joint values.

    Also return log Z; if that is -inf, there are no tables.
    """
    incoming = {clique.variable: list(plan.tables.get(clique.variable, ())) for clique in plan.cliques}
    beliefs: dict[int, Floats] = {}
    messages: dict[int, Floats] = {}
    log_z = plan.settled
    for clique in plan.cliques:
        joint = _joint_table(clique, incoming.pop(clique.variable), plan.shape)
        message = log_sum(joint, (0,))
        peak = float(message.max())
        if peak == -np.inf or log_z == -np.inf:
            return {}, -np.inf
        log_z += peak  # subtracted, so that long networks keep their precision
        beliefs[clique.variable], messages[clique.variable] = joint - peak, message - peak
        if clique.rest:
            incoming[clique.rest[0]].append((clique.rest, messages[clique.variable]))
    _distribute(plan.cliques, beliefs, messages)
    return beliefs, log_z


def arrange_axes(
    scope: Sequence[int], known: Ints, rank: Mapping[int, int]
) -> tuple[tuple[Any, ...], list[int], list[int]]:
    """Return how to turn a factor's table into one over its open variables in elimination order.

    That is: the index for the known variables, the order of the remaining axes, and their variables.
    """
    part = tuple(slice(None) if known[each] < 0 else int(known[each]) for each in scope)
    left = [each for each in scope if known[each] < 0]
    ranks = [rank[each] for each in left]
    sorting = sorted(range(len(left)), key=ranks.__getitem__)
    return part, sorting, [left[at] for at in sorting]


def normalize_logs(logs: Floats) -> Floats:
    """Return the exponentials of logarithms, normalised to sum to 1."""
    found = np.exp(logs - logs.max())
    normal: Floats = found / found.sum()
    return normal


def log_sum(logs: Floats, axes: Iterable[int]) -> Floats:
    """Return the log-sum-exp over some axes."""
    axes = tuple(axes)
    if not axes:
        return logs
    peak = logs.max(axis=axes, keepdims=True)
    peak = np.where(peak == -np.inf, 0.0, peak)
    with np.errstate(divide="ignore"):  # log(0) is -inf, as intended
        sums: Floats = np.log(np.exp(logs - peak).sum(axis=axes)) + peak.squeeze(axes)
    return sums


def _distribute(cliques: list[Clique], beliefs: dict[int, Floats], messages: dict[int, Floats]) -> None:
    """Pass messages back from the last eliminated clique to the first: the second half of calibration."""
    scopes = {clique.variable: clique.scope for clique in cliques}
    for clique in reversed(cliques):
        if not clique.rest:
            continue
        above = scopes[clique.rest[0]]
        others = (axis for axis, each in enumerate(above) if each not in clique.rest)
        own = messages[clique.variable]
        learned = log_sum(beliefs[clique.rest[0]], others) - np.where(own == -np.inf, 0.0, own)
        beliefs[clique.variable] = beliefs[clique.variable] + learned


def _joint_table(clique: Clique, tables: Sequence[tuple[tuple[int, ...], Floats]], shape: dict[int, int]) -> Floats:
    """Return the sum of the tables that enter a clique, over all of its variables."""
    joint = np.zeros([shape[each] for each in clique.scope])
    for scope, table in tables:
        joint += table.reshape([shape[each] if each in scope else 1 for each in clique.scope])
    return joint


def _tables(
    network: Network, weights: Floats, known: Ints, rank: Mapping[int, int]
) -> tuple[dict[int, list[tuple[tuple[int, ...], Floats]]], float]:
    """Return the tables over open variables by first eliminated variable, and the score of decided factors."""
    found: dict[int, list[tuple[tuple[int, ...], Floats]]] = {}
    settled = 0.0
    for factors in network.factors:
        scores = cell_scores(factors, weights)
        for scope, row in zip(factors.scope.tolist(), factors.key.tolist(), strict=True):
            part, sorting, inside = arrange_axes(scope, known, rank)
            table = scores[row].reshape(network.sizes[scope])[part]
            if inside:
                found.setdefault(inside[0], []).append((tuple(inside), table.transpose(sorting)))
            else:
                settled += float(table)
    return found, settled


# --- expected counts --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExpectedCounts:
    """The expected number of ground formulas of each weight that hold: the gradient of ``log_z``."""

    counts: Floats  # (weights,)
    log_z: float


def expected_counts(
    network: Network, weights: Floats | None = None, *, max_cells: int = MAX_CELLS
) -> ExpectedCounts | Unsatisfiable | None:
    """Return the expected counts under some weights, or None if the network is too wide."""
    weights = network.weights if weights is None else weights
    together = tabulate_clauses(network)
    if together is None:
        return None
    counts, log_z, is_wide = np.zeros(len(weights)), 0.0, False
    for part, chain in split_chains(together):
        found = (
            _counts_by_elimination(part.network, weights, max_cells)
            if chain is None
            else _counts_on_chain(part.network, chain, weights)
        )
        if found is None:
            is_wide = True
            continue
        counts += found.counts
        log_z += found.log_z
    if log_z == -np.inf:
        return Unsatisfiable((), ())
    return None if is_wide else ExpectedCounts(counts, log_z)


def _counts_by_elimination(network: Network, weights: Floats, max_cells: int) -> ExpectedCounts | None:
    """Return the expected counts from the joint probabilities of each factor's variables."""
    plan = plan_elimination(network, weights, max_cells=max_cells)
    if plan is None:
        return None
    beliefs, log_z = calibrate(plan)
    counts = np.zeros(len(weights))
    if log_z > -np.inf:
        for factors in network.factors:
            counts += count_by_weight(factors, _cell_mass(factors, network, plan, beliefs), len(weights))
    return ExpectedCounts(counts, log_z)


def _cell_mass(factors: Factors, network: Network, plan: EliminationPlan, beliefs: dict[int, Floats]) -> Floats:
    """Return the probability of each cell, summed over the factors with the same row of weights."""
    mass = np.zeros((len(factors.weights), len(factors.holds)))
    for scope, row in zip(factors.scope.tolist(), factors.key.tolist(), strict=True):
        part, sorting, inside = arrange_axes(scope, plan.known, plan.rank)
        cells = np.zeros(network.sizes[scope])
        if inside:
            clique = plan.cliques[plan.rank[inside[0]]]
            others = (axis for axis, each in enumerate(clique.scope) if each not in inside)
            cells[part] = normalize_logs(log_sum(beliefs[clique.variable], others)).transpose(np.argsort(sorting))
        else:
            cells[part] = 1.0
        mass[row] += cells.ravel()
    return mass


def _counts_on_chain(network: Network, chain: Chain, weights: Floats) -> ExpectedCounts:
    """Return the expected counts of a chain, from the probabilities of its values and steps."""
    steps = find_shared_steps(chain)
    smoothed = forward_backward(chain, score_chain(network, chain, weights, steps=steps), counted=True)
    counts, log_z = np.zeros(len(weights)), float(smoothed.log_z.sum())
    if log_z == -np.inf:
        return ExpectedCounts(counts, log_z)  # the probabilities are meaningless
    for links in chain.singles:
        factors = network.factors[links.group]
        counts += count_by_weight(
            factors, _sum_by_key(smoothed.probabilities, links.key, len(factors.weights)), len(weights)
        )
    for links, key in zip(chain.pairs, steps.keys.T, strict=True):
        factors = network.factors[links.group]
        cells = smoothed.steps.transpose(0, 2, 1) if links.turned else smoothed.steps
        counts += count_by_weight(
            factors, _sum_by_key(cells.reshape(len(key), -1), key, len(factors.weights)), len(weights)
        )
    return ExpectedCounts(counts, log_z)


def _sum_by_key(probabilities: Floats, key: Ints, rows: int) -> Floats:
    """Return the sums of the rows with the same key; -1 is none."""
    shifted = key + 1
    return np.stack([np.bincount(shifted, column, minlength=rows + 1)[1:] for column in probabilities.T], axis=1)
