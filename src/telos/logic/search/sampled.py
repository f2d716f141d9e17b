"""Chances from drawn worlds, and how far several chains of draws agree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.logic.answers import Marginals
from telos.logic.network import Floats, Network
from telos.logic.search.potentials import Potentials

SAME = 1e-10  # a variance between chains that is no more than rounding


@dataclass(frozen=True, slots=True)
class Sampled(Marginals):
    """Chances that were estimated by chains of draws, each with a start of its own.

    ``error`` is the largest standard error of a chance, as the chains differ. ``r_hat`` (Gelman and Rubin, 1992) is
    near 1 if all chains tell the same; above 1.1 or so, draw more.
    """

    samples: int = 0  # of each chain
    chains: int = 1
    error: float = 0.0
    r_hat: float = 1.0


def sampled(network: Network, potentials: Potentials, shares: Floats, *, samples: int, method: str) -> Sampled:
    """Sum up the shares that each chain (a row) found for each value of the open variables."""
    start = np.concatenate([[0], np.cumsum(network.sizes)]).astype(np.int64)
    chances = np.zeros(int(start[-1]))
    chances[start[:-1] + potentials.known] = 1.0
    chances[_positions(start, potentials)] = shares.mean(axis=0)
    chains = len(shares)
    error = float(shares.std(axis=0, ddof=1).max(initial=0.0) / np.sqrt(chains)) if chains > 1 else float("nan")
    return Sampled(start, chances, None, False, method, samples, chains, error, _r_hat(shares, samples))


def _positions(start: NDArray[np.int64], potentials: Potentials) -> NDArray[np.int64]:
    """Return where the values of the open variables stand among those of all."""
    within = np.arange(int(potentials.start[-1])) - np.repeat(potentials.start[:-1], potentials.sizes)
    return np.asarray(np.repeat(start[potentials.open], potentials.sizes) + within)


def _r_hat(shares: Floats, samples: int) -> float:
    """Return the worst ratio of the spread over all chains to that inside of each; 1 if they agree."""
    if len(shares) < 2:
        return float("nan")
    inside = (shares * (1.0 - shares)).mean(axis=0)
    between = shares.var(axis=0, ddof=1)
    moves = between > SAME
    if not moves.any():
        return 1.0
    with np.errstate(divide="ignore"):
        ratio = (samples - 1) / samples + between[moves] / inside[moves]
    return float(np.sqrt(ratio.max()))
