"""The score of a world of a network, and the tables of its factors in numbers."""

import math

import numpy as np

from telos.logic.network import Clauses, Factors, Floats, Ints, Network


def tables_of(group: Factors, weights: Floats) -> Floats:
    """Return the table of each key row of a group, (rows, cells), with -inf for what a hard rule forbids."""
    if group.hard:
        allowed = group.holds.sum(axis=1) >= group.formulas
        return np.tile(np.where(allowed, 0.0, -np.inf), (len(group.weights), 1))
    own = np.append(weights, 0.0)[group.weights]  # index -1 finds the 0 at the end
    return np.asarray(own @ group.holds.T, np.float64)


def cells_of(group: Factors, sizes: Ints, values: Ints) -> Ints:
    """Return the cell that each factor of a group is in, when the variables have these values."""
    cells = np.zeros(len(group.scope), np.int32)
    for column in group.scope.T:
        cells = cells * sizes[column] + values[column]
    return cells


def clauses_hold(clauses: Clauses, values: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Say of each clause whether one of its literals holds."""
    literals = (values[clauses.variable] == clauses.value) != (clauses.negated > 0)
    held = np.concatenate([[0], np.cumsum(literals)])
    return np.asarray(held[clauses.start[1:]] > held[clauses.start[:-1]])


def score_of(network: Network, values: Ints, weights: Floats | None = None) -> float:
    """Return the summed weights of the ground formulas that hold, or -inf if a hard one is broken.

    What is known of the variables (``network.given``) is not checked.
    """
    used = network.weights if weights is None else weights
    total = 0.0
    for group in network.factors:
        cells = cells_of(group, network.sizes, values)
        total += float(tables_of(group, used)[group.key, cells].sum())
    for clauses in network.clauses:
        held = clauses_hold(clauses, values)
        if clauses.hard:
            total += 0.0 if held.all() else -math.inf
        else:
            true = np.where(clauses.sign > 0, held, ~held)
            total += float(np.append(used, 0.0)[clauses.weight][true].sum())
    return total
