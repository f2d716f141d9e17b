"""From weights to numbers: what each cell of a factor adds to a world's score, and what a whole world scores."""

import numpy as np

from telos.logic.network import Bools, Clauses, Factors, Floats, Ints, Longs, Network


def score(network: Network, values: Ints, weights: Floats | None = None) -> float:
    """Return the sum of the weights of the ground formulas that hold in a world, -inf if it breaks a hard one."""
    weights = network.weights if weights is None else weights
    return float(counts(network, values) @ weights) if is_allowed(network, values) else -np.inf


def is_allowed(network: Network, values: Ints) -> bool:
    """Say whether a world keeps all hard formulas. What is given (``Network.given``) is not looked at."""
    hard_factors = (factors for factors in network.factors if factors.hard)
    if any(forbidden(factors)[cells_in(factors, network.sizes, values)].any() for factors in hard_factors):
        return False
    return all(holding(clauses, values).all() for clauses in network.clauses if clauses.hard)


def counts(network: Network, values: Ints) -> Floats:
    """Return how many ground formulas of each weight hold in a world: times the weights, that is its score."""
    found = np.zeros(len(network.weights))
    for factors in network.factors:
        rows, cells = len(factors.weights), len(factors.holds)
        at = factors.key.astype(np.int64) * cells + cells_in(factors, network.sizes, values)
        found += weighed(factors, np.bincount(at, minlength=rows * cells).reshape(rows, cells), len(found))
    for clauses in network.clauses:
        is_counted = holding(clauses, values) & (clauses.weight >= 0)
        found += np.bincount(clauses.weight[is_counted], minlength=len(found))
    return found


def cell_scores(factors: Factors, weights: Floats) -> Floats:
    """Return what each cell adds to the score, one row for each row of ``factors.weights``; -inf where forbidden."""
    if factors.hard:
        return np.tile(np.where(forbidden(factors), -np.inf, 0.0), (len(factors.weights), 1))
    scores: Floats = weights_at(factors.weights, weights) @ factors.holds.T
    return scores


def weights_at(indices: Ints, weights: Floats) -> Floats:
    """Return the weights with these indices; -1 stands for 0.

    >>> weights_at(np.array([1, -1], np.int32), np.array([0.5, 2.0])).tolist()
    [2.0, 0.0]
    """
    found: Floats = np.append(weights, 0.0)[indices]
    return found


def weighed(factors: Factors, mass: Floats | Longs, weights: int) -> Floats:
    """Return how many formulas of each weight hold, from how often each cell of each row of weights is met."""
    if factors.hard:
        return np.zeros(weights)
    met = mass @ factors.holds
    by_weight = np.bincount((factors.weights + 1).ravel(), met.ravel(), minlength=weights + 1)
    return by_weight[1:].astype(np.float64)


def forbidden(factors: Factors) -> Bools:
    """Say in which cells of hard factors a formula fails."""
    fails: Bools = factors.holds.sum(axis=1) < factors.formulas - 0.5  # the counts are whole numbers
    return fails


def cells_in(factors: Factors, sizes: Ints, values: Ints) -> Longs:
    """Return the cell that each factor is in, when the variables have these values."""
    cell = np.zeros(len(factors.scope), np.int64)
    for column in factors.scope.T:
        cell = cell * sizes[column] + values[column]
    return cell


def holding(clauses: Clauses, values: Ints) -> Bools:
    """Say which ground formulas hold: the clause, or its negation where the sign is -1."""
    met = np.append(0, np.cumsum(clauses.met(values)))[clauses.start]
    holds: Bools = (np.diff(met) > 0) == (clauses.sign > 0)
    return holds
