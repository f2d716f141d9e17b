"""How often each weight's ground formulas hold on average over all worlds: what learning compares with the truth."""

from dataclasses import dataclass

import numpy as np

from telos.logic.answers import Unsatisfiable
from telos.logic.chain import Chain
from telos.logic.exact.chain_scores import chain_scores, steps_of
from telos.logic.exact.components import pieces_of
from telos.logic.exact.elimination import Plan, calibrated, log_sum, placed, plan_of, shares
from telos.logic.exact.front import MOST_CELLS
from telos.logic.exact.sequences import forward_backward
from telos.logic.network import Factors, Floats, Ints, Network
from telos.logic.scoring import weighed
from telos.logic.short_clauses import tabled


@dataclass(frozen=True, slots=True)
class Expected:
    """The mean over all worlds of how many ground formulas of each weight hold: the gradient of ``log_z``."""

    counts: Floats  # (weights,)
    log_z: float


def expected_counts(
    network: Network, weights: Floats | None = None, *, most_cells: int = MOST_CELLS
) -> Expected | Unsatisfiable | None:
    """Return the expected counts under some weights, or None if the network is too wide for exact inference."""
    weights = network.weights if weights is None else weights
    together = tabled(network)
    if together is None:
        return None
    counts, log_z, is_wide = np.zeros(len(weights)), 0.0, False
    for part, chain in pieces_of(together):
        found = _across(part.network, weights, most_cells) if chain is None else _along(part.network, chain, weights)
        if found is None:
            is_wide = True
            continue
        counts += found.counts
        log_z += found.log_z
    if log_z == -np.inf:
        return Unsatisfiable((), ())
    return None if is_wide else Expected(counts, log_z)


def _across(network: Network, weights: Floats, most_cells: int) -> Expected | None:
    """Return the expected counts from the chances of the joint values of each factor's variables."""
    plan = plan_of(network, weights, most_cells=most_cells)
    if plan is None:
        return None
    beliefs, log_z = calibrated(plan)
    counts = np.zeros(len(weights))
    if log_z > -np.inf:
        for factors in network.factors:
            counts += weighed(factors, _mass(factors, network, plan, beliefs), len(weights))
    return Expected(counts, log_z)


def _mass(factors: Factors, network: Network, plan: Plan, beliefs: dict[int, Floats]) -> Floats:
    """Return the chances of each cell, added up over the factors with the same row of weights."""
    mass = np.zeros((len(factors.weights), len(factors.holds)))
    for scope, row in zip(factors.scope.tolist(), factors.key.tolist(), strict=True):
        part, sorting, inside = placed(scope, plan.known, plan.rank)
        cells = np.zeros(network.sizes[scope])
        if inside:
            clique = plan.cliques[plan.rank[inside[0]]]
            others = (axis for axis, each in enumerate(clique.scope) if each not in inside)
            cells[part] = shares(log_sum(beliefs[clique.variable], others)).transpose(np.argsort(sorting))
        else:
            cells[part] = 1.0
        mass[row] += cells.ravel()
    return mass


def _along(network: Network, chain: Chain, weights: Floats) -> Expected:
    """Return the expected counts of a chain, from the chances of its values and of its steps."""
    steps = steps_of(chain)
    smoothed = forward_backward(chain, chain_scores(network, chain, weights, steps=steps), counted=True)
    counts, log_z = np.zeros(len(weights)), float(smoothed.log_z.sum())
    if log_z == -np.inf:
        return Expected(counts, log_z)  # the chances mean nothing
    for links in chain.singles:
        factors = network.factors[links.group]
        counts += weighed(factors, _by_key(smoothed.chances, links.key, len(factors.weights)), len(weights))
    for links, key in zip(chain.pairs, steps.keys.T, strict=True):
        factors = network.factors[links.group]
        cells = smoothed.steps.transpose(0, 2, 1) if links.turned else smoothed.steps
        counts += weighed(factors, _by_key(cells.reshape(len(key), -1), key, len(factors.weights)), len(weights))
    return Expected(counts, log_z)


def _by_key(chances: Floats, key: Ints, rows: int) -> Floats:
    """Add up the rows that have the same key; -1 is none."""
    shifted = key + 1
    return np.stack([np.bincount(shifted, column, minlength=rows + 1)[1:] for column in chances.T], axis=1)
