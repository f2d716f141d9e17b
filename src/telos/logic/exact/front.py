"""Exact answers for any network that is narrow enough: dynamic programming on chains, elimination on the rest.

Parts that have nothing to do with each other are solved each in its own way. If one has no world, neither has the
whole, be another part as wide as it may.
"""

import numpy as np
from numpy.typing import NDArray

from telos.logic.answers import Marginals, MostProbable, Unsatisfiable
from telos.logic.chain import Chain
from telos.logic.exact.chain_scores import chain_scores
from telos.logic.exact.components import pieces_of
from telos.logic.exact.elimination import all_chances, best_world, plan_of
from telos.logic.exact.sequences import forward_backward, viterbi
from telos.logic.network import Floats, Ints, Network

MOST_CELLS = 2**22  # of the largest table on the way


def exact_map(
    network: Network, weights: Floats | None = None, *, most_cells: int = MOST_CELLS
) -> MostProbable | Unsatisfiable | None:
    """Return the most probable world, or None if the network is too wide for exact inference.

    Among equally probable worlds the same one is found every time.
    """
    weights = network.weights if weights is None else weights
    values, total, is_chain, is_wide = np.zeros(len(network.sizes), np.int32), 0.0, True, False
    for part, chain in pieces_of(network):
        best = _best(part.network, chain, weights, most_cells)
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
    network: Network, weights: Floats | None = None, *, most_cells: int = MOST_CELLS
) -> Marginals | Unsatisfiable | None:
    """Return the chance of every value, or None if the network is too wide for exact inference."""
    weights = network.weights if weights is None else weights
    start = np.append(0, np.cumsum(network.sizes, dtype=np.int64))
    chances, log_z, is_chain, is_wide = np.zeros(int(start[-1])), 0.0, True, False
    for part, chain in pieces_of(network):
        found = _chances(part.network, chain, weights, most_cells)
        if found is None:
            is_wide = True
            continue
        chances[_places(start, part.variables)] = found[0]
        log_z += found[1]
        is_chain &= chain is not None
    if log_z == -np.inf:
        return Unsatisfiable((), ())
    method = "forward-backward" if is_chain else "junction tree"
    return None if is_wide else Marginals(start, chances, log_z, True, method)


def _best(network: Network, chain: Chain | None, weights: Floats, most_cells: int) -> tuple[Ints, float] | None:
    """Return the best values and their score, or None if the network is too wide."""
    if chain is None:
        plan = plan_of(network, weights, most_cells=most_cells)
        return None if plan is None else best_world(plan)
    best = viterbi(chain, chain_scores(network, chain, weights))
    values = np.empty_like(best.values)
    values[chain.order] = best.values
    return values, float(best.scores.sum())


def _chances(network: Network, chain: Chain | None, weights: Floats, most_cells: int) -> tuple[Floats, float] | None:
    """Return the chances of all values, variable after variable, and the logarithm of the sum; None if too wide."""
    if chain is not None:
        smoothed = forward_backward(chain, chain_scores(network, chain, weights))
        by_variable = np.empty_like(smoothed.chances)
        by_variable[chain.order] = smoothed.chances
        return by_variable.ravel(), float(smoothed.log_z.sum())
    plan = plan_of(network, weights, most_cells=most_cells)
    if plan is None:
        return None
    chances, log_z = all_chances(plan)
    known = plan.known.tolist()
    rows = [chances.get(each, np.arange(size) == known[each]) for each, size in enumerate(network.sizes.tolist())]
    return np.concatenate([np.empty(0), *rows]), log_z


def _places(start: NDArray[np.int64], variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the values of some variables stand, one after the other."""
    sizes = start[variables + 1] - start[variables]
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places: NDArray[np.int64] = np.repeat(start[variables], sizes) + inside
    return places
