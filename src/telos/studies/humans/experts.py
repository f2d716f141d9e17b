"""A product of experts: beliefs of several kinds of recogniser, each to a power that is fitted on other players.

The belief in a goal is proportional to the exponential of a weighted sum over experts of what each says about it. With
one weight for each expert, the likelihood of the true goals has a single peak, which Newton's method finds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BINS = 15
RIDGE = 1e-6  # keeps the weights finite where an expert is always right
STEPS, CLOSE = 50, 1e-9


@dataclass(frozen=True, slots=True)
class Said:
    """What experts said at each row: (experts, rows, goals), which goals could be meant, and which one was."""

    scores: Array
    is_open: NDArray[np.bool_]
    truth: NDArray[np.int64]

    def rows(self, chosen: NDArray[np.bool_]) -> "Said":
        """Return what was said at the chosen rows."""
        return Said(self.scores[:, chosen], self.is_open[chosen], self.truth[chosen])

    def experts(self, chosen: list[int]) -> "Said":
        """Return what the chosen experts said."""
        return Said(self.scores[chosen], self.is_open, self.truth)

    def with_prior(self, rows: NDArray[np.bool_]) -> "Said":
        """Return it with one expert more, who only knows how often each goal was meant at these rows if it could be."""
        goals = self.is_open.shape[1]
        meant = np.bincount(self.truth[rows], minlength=goals) + 1.0
        logs = np.log(meant / (self.is_open[rows].sum(axis=0) + goals))
        prior = np.broadcast_to(logs, (1, *self.is_open.shape))
        return Said(np.concatenate([self.scores, prior]), self.is_open, self.truth)


def beliefs(said: Said, weights: Array) -> Array:
    """Return the belief in each goal at each row.

    >>> one = Said(np.log([[[0.8, 0.2]]]), np.array([[True, True]]), np.array([0]))
    >>> beliefs(one, np.array([2.0])).round(3).tolist()
    [[0.941, 0.059]]
    """
    logs = np.where(said.is_open, np.tensordot(weights, said.scores, axes=1), -np.inf)
    logs -= logs.max(axis=1, keepdims=True)
    weighed = np.exp(logs)
    chances: Array = weighed / weighed.sum(axis=1, keepdims=True)
    return chances


def fit(said: Said) -> Array:
    """Return the weights that make the true goals likeliest, by Newton's method."""
    usable = said.is_open[np.arange(len(said.truth)), said.truth]
    said = said.rows(usable)  # where the truth was ruled out no weight can help
    weights = np.zeros(len(said.scores))
    rows = np.arange(len(said.truth))
    for _ in range(STEPS):
        chances = beliefs(said, weights)
        expected = (said.scores * chances).sum(axis=2)
        slope = (said.scores[:, rows, said.truth] - expected).mean(axis=1) - RIDGE * weights
        spread = said.scores - expected[:, :, None]
        bend = np.einsum("irg,jrg,rg->ij", spread, spread, chances, optimize=True) / len(rows)
        step = np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
        weights += step * min(1.0, 1.0 / max(1e-12, float(np.abs(step).max())))  # no leaps while it is far off
        if np.abs(step).max() < CLOSE:
            break
    return weights


def accuracy(chances: Array, truth: NDArray[np.int64]) -> float:
    """Return the share of rows at which the likeliest goal was right."""
    return float((chances.argmax(axis=1) == truth).mean())


def calibration_error(chances: Array, truth: NDArray[np.int64]) -> float:
    """Return the expected calibration error of the likeliest goal: how far its belief is from how often it is right.

    >>> sure = np.array([[0.9, 0.1]] * 4)
    >>> round(calibration_error(sure, np.array([0, 0, 0, 1])), 3)
    0.15
    """
    believed, right = chances.max(axis=1), chances.argmax(axis=1) == truth
    bins = np.minimum((believed * BINS).astype(int), BINS - 1)
    gaps = [abs(believed[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
    return float(sum(gaps))


def log_loss(chances: Array, truth: NDArray[np.int64]) -> float:
    """Return the mean surprise in nats; a truth that was ruled out counts as one in a million."""
    return float(-np.log(np.maximum(chances[np.arange(len(truth)), truth], 1e-6)).mean())
