"""What is left of a network's clauses once some variables are known."""

from dataclasses import replace

import numpy as np

from telos.logic.network import Clauses, Floats, Ints, Network


def conditioned(network: Network, weights: Floats, given: Ints) -> tuple[Network, float]:
    """Return the network with its clauses shortened to what is open, and what the settled ones score."""
    if not network.clauses:
        return network, 0.0
    pairs = [_shortened(clauses, weights, given) for clauses in network.clauses]
    return replace(network, clauses=tuple(clauses for clauses, _ in pairs)), sum(score for _, score in pairs)


def _shortened(clauses: Clauses, weights: Floats, given: Ints) -> tuple[Clauses, float]:
    """Drop the clauses with a literal that holds, and from the others those that do not.

    A clause of which nothing is left stays, as an empty one: it does not hold.
    """
    count = len(clauses.start) - 1
    clause = np.repeat(np.arange(count), np.diff(clauses.start))
    known = given[clauses.variable]
    is_met = (known >= 0) & ((known == clauses.value) != (clauses.negated != 0))
    settled = np.zeros(count, np.bool_)
    settled[clause[is_met]] = True
    stays, left = ~settled, (known < 0) & ~settled[clause]
    shorter = replace(
        clauses,
        start=np.append(0, np.cumsum(np.bincount(clause[left], minlength=count)[stays])).astype(np.int32),
        variable=clauses.variable[left],
        value=clauses.value[left],
        negated=clauses.negated[left],
        weight=clauses.weight[stays],
        sign=clauses.sign[stays],
    )
    return shorter, _settled_score(clauses, settled, weights)


def _settled_score(clauses: Clauses, settled: np.ndarray[tuple[int], np.dtype[np.bool_]], weights: Floats) -> float:
    if clauses.hard:
        return -np.inf if (clauses.sign[settled] < 0).any() else 0.0
    return float(np.append(weights, 0.0)[clauses.weight[settled & (clauses.sign > 0)]].sum())
