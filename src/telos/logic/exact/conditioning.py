"""What is left of a network's clauses once some variables are known."""

from dataclasses import replace

import numpy as np

from telos.logic.network import Clauses, Floats, Ints, Network
from telos.logic.scoring import weights_at


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
    return shorter, _settled_score(clauses.take(settled), weights)


def _settled_score(clauses: Clauses, weights: Floats) -> float:
    """Return what clauses score of which every one has a literal that holds."""
    if clauses.hard:
        return -np.inf if (clauses.sign < 0).any() else 0.0
    return float(weights_at(clauses.weight[clauses.sign > 0], weights).sum())
