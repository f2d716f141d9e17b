"""Exact answers along a chain: its most probable values, and their chances with or without hindsight."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from telos.core import kernels
from telos.logic.chain import Chain
from telos.logic.exact import kernel as products
from telos.logic.exact import kernel_logs as logarithms
from telos.logic.exact.chain_scores import ChainScores
from telos.logic.exact.kernel import COUNTED, FAINT, FILTERED, SMOOTHED
from telos.logic.network import Floats, Ints

KERNEL = (products, logarithms)  # ``kernels.plain(*KERNEL)`` is what the functions here can be given instead


@dataclass(frozen=True, slots=True)
class BestPaths:
    """The best values along a chain, by position, and what each sequence scores: -inf if nothing is allowed."""

    values: Ints  # (positions,)
    scores: Floats  # (sequences,)


@dataclass(frozen=True, slots=True)
class Smoothed:
    """The chances of values along a chain, by position, and of the steps that share a table, added up.

    ``filtered`` takes only what lies at or before a position into account, ``chances`` everything. ``log_z`` is the
    logarithm of the sum over all worlds of each sequence, -inf if nothing is allowed; its chances are then meaningless.
    """

    filtered: Floats  # (positions, size)
    chances: Floats  # (positions, size); empty if only filtered
    steps: Floats  # (rows, size, size); empty unless counted
    log_z: Floats  # (sequences,)


def viterbi(chain: Chain, scores: ChainScores, *, kernel: Any = None) -> BestPaths:
    """Return the most probable values of all sequences; among equally good ones the lowest, from the end backwards."""
    positions, size = scores.unary.shape
    values, best = np.zeros(positions, np.int32), np.zeros(len(chain.start) - 1)
    back, work = np.empty((positions, size), np.int32), np.empty((2, size))
    (kernel or _kernel()).best_paths(scores.unary, scores.row, scores.tables, chain.start, back, work, values, best)
    return BestPaths(values, best)


def forward_filter(chain: Chain, scores: ChainScores, *, kernel: Any = None) -> Smoothed:
    """Return the chances at each position given what lies at or before it, as a live reader would have them."""
    return _smooth(chain, scores, FILTERED, kernel or _kernel())


def forward_backward(chain: Chain, scores: ChainScores, *, counted: bool = False, kernel: Any = None) -> Smoothed:
    """Return the chances at each position given everything, and of steps if they are to be ``counted``."""
    return _smooth(chain, scores, COUNTED if counted else SMOOTHED, kernel or _kernel())


def _smooth(chain: Chain, scores: ChainScores, depth: int, kernel: Any) -> Smoothed:
    (positions, size), rows = scores.unary.shape, len(scores.tables)
    likely, peaks, faint = _out_of_logs(scores.unary)
    steps, step_peaks, steps_faint = _out_of_logs(scores.tables.reshape(rows, -1))
    filtered, log_z = np.empty((positions, size)), np.empty(len(chain.start) - 1)
    future, chances = np.empty((2, positions if depth > FILTERED else 0, size))
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
        chances,
        mass,
        np.empty(size),
        depth,
        log_z,
    )
    return Smoothed(filtered, chances, mass, log_z)


def _out_of_logs(logs: Floats) -> tuple[Floats, Floats, bool]:
    """Return rows out of logarithms, divided by the largest of each, that one, and whether one is faint beside it."""
    peaks = logs.max(axis=1)
    peaks[peaks == -np.inf] = 0.0  # nothing is allowed there; that must not become NaN
    shares = np.exp(logs - peaks[:, None])
    return shares, peaks, bool(((shares < FAINT) & (logs > -np.inf)).any())


def _kernel() -> Any:
    return kernels.kernel(*KERNEL)
