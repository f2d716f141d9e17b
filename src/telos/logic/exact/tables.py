"""From weights to numbers: what each cell of a factor adds to a world's score, and what a whole world scores."""

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Clauses, Factors, Floats, Ints, Network


def cell_scores(factors: Factors, weights: Floats) -> Floats:
    """Return what each cell adds to the score, one row for each row of ``factors.weights``; -inf where forbidden."""
    if factors.hard:
        return np.tile(np.where(_broken(factors), -np.inf, 0.0), (len(factors.weights), 1))
    with_none = np.append(weights, 0.0)  # index -1 stands for no weight
    scores: Floats = with_none[factors.weights] @ factors.holds.T
    return scores


def score(network: Network, values: Ints, weights: Floats | None = None) -> float:
    """Return the sum of the weights of the ground formulas that hold in a world, -inf if it breaks a hard one."""
    weights = network.weights if weights is None else weights
    return float(counts(network, values) @ weights) if is_allowed(network, values) else -np.inf


def is_allowed(network: Network, values: Ints) -> bool:
    """Say whether a world keeps all hard formulas. What is given is not looked at."""
    hard_factors = (factors for factors in network.factors if factors.hard)
    if any(_broken(factors)[_cells(factors, network, values)].any() for factors in hard_factors):
        return False
    return all(_holding(clauses, values).all() for clauses in network.clauses if clauses.hard)


def counts(network: Network, values: Ints) -> Floats:
    """Return how many ground formulas of each weight hold in a world: times the weights, that is its score."""
    found = np.zeros(len(network.weights))
    for factors in network.factors:
        rows, cells = len(factors.weights), len(factors.holds)
        at = factors.key.astype(np.int64) * cells + _cells(factors, network, values)
        found += weighed(factors, np.bincount(at, minlength=rows * cells).reshape(rows, cells), len(found))
    for clauses in network.clauses:
        is_counted = _holding(clauses, values) & (clauses.weight >= 0)
        found += np.bincount(clauses.weight[is_counted], minlength=len(found))
    return found


def weighed(factors: Factors, mass: NDArray[np.float64] | NDArray[np.int64], weights: int) -> Floats:
    """Return how many formulas of each weight hold, from how often each cell of each row of weights is met."""
    if factors.hard:
        return np.zeros(weights)
    holding = mass @ factors.holds
    by_weight = np.bincount((factors.weights + 1).ravel(), holding.ravel(), minlength=weights + 1)
    return by_weight[1:].astype(np.float64)


def _broken(factors: Factors) -> NDArray[np.bool_]:
    """Say in which cells of hard factors a formula does not hold."""
    broken: NDArray[np.bool_] = factors.holds.sum(axis=1) < factors.formulas - 0.5  # the counts are whole numbers
    return broken


def _cells(factors: Factors, network: Network, values: Ints) -> NDArray[np.int64]:
    """Return the cell that a world is in, for each factor."""
    cell = np.zeros(len(factors.scope), np.int64)
    for column in factors.scope.T:
        cell = cell * network.sizes[column] + values[column]
    return cell


def _holding(clauses: Clauses, values: Ints) -> NDArray[np.bool_]:
    """Say which ground formulas hold: the clause, or its negation where the sign is -1."""
    is_met = (values[clauses.variable] == clauses.value) != (clauses.negated != 0)
    met = np.append(0, np.cumsum(is_met))[clauses.start]
    holding: NDArray[np.bool_] = (np.diff(met) > 0) == (clauses.sign > 0)
    return holding
