"""What is measured about readings: F1, convergence, accuracy as the goal unfolds, and calibration.

F1 as in the chapter: every row gets one prediction, so precision, recall, F1 and accuracy are one number. Macro-F1 is
the mean of the F1 of each goal, so that rare goals count as much as frequent ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.studies.markov.goal_log import Ints

SHARES = 10  # steps in which a pursuit is followed from its start to its end
BINS = 10  # of probability, for calibration

Floats = NDArray[np.float64]


def f1(truth: Ints, said: Ints) -> float:
    """Return the share of rows that were right.

    >>> f1(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2]))
    0.75
    """
    return float((truth == said).mean()) if len(truth) else 0.0


def macro_f1(truth: Ints, said: Ints, goals: int) -> float:
    """Return the mean of the F1 of each goal that was pursued or said.

    >>> macro_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), 2)
    0.3333333333333333
    """
    right = np.bincount(truth[truth == said], minlength=goals)
    total = np.bincount(truth, minlength=goals) + np.bincount(said, minlength=goals)
    met = total > 0
    return float((2 * right[met] / total[met]).mean()) if met.any() else 0.0


@dataclass(frozen=True, slots=True)
class Convergence:
    """How readings of pursuits end: ``rate`` is the share whose last reading is right; those have converged.

    ``point`` is the mean share of a converged pursuit's actions that had gone by when the right goal was first held to
    the end: 0 means from the first action on, and nothing counts later than the last action. ``point`` is None if
    nothing converged.
    """

    rate: float
    point: float | None
    pursuits: int

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"rate": self.rate, "point": self.point, "pursuits": self.pursuits}


def convergence(truth: Ints, said: Ints, pursuit: Ints) -> Convergence:
    """Return how often and how early readings settle on the right goal; rows of a pursuit stand together.

    >>> convergence(np.array([1, 1, 1, 1]), np.array([0, 1, 1, 1]), np.array([5, 5, 5, 5]))
    Convergence(rate=1.0, point=0.25, pursuits=1)
    """
    right = truth == said
    start, length = runs(pursuit)
    end = start + length
    last_wrong = np.maximum.accumulate(np.where(right, -1, np.arange(len(right))))[end - 1]
    held_from = np.maximum(start, last_wrong + 1)
    converged = held_from < end
    points = ((held_from - start) / length)[converged]
    return Convergence(float(converged.mean()), float(points.mean()) if len(points) else None, len(start))


def by_share(truth: Ints, said: Ints, pursuit: Ints) -> Floats:
    """Return the accuracy in each tenth of pursuits, from the first actions to the last.

    Every pursuit counts as much, long or short; a pursuit shorter than ten actions fills only some of the tenths.
    """
    start, length = runs(pursuit)
    place = np.arange(len(truth)) - np.repeat(start, length)
    tenth = place * SHARES // np.repeat(length, length)
    cell = np.repeat(np.arange(len(start)), length) * SHARES + tenth
    rows = np.bincount(cell, minlength=len(start) * SHARES).reshape(-1, SHARES)
    right = np.bincount(cell, weights=truth == said, minlength=len(start) * SHARES).reshape(-1, SHARES)
    with np.errstate(invalid="ignore"):
        shares = right / rows
    counted = np.maximum((rows > 0).sum(axis=0), 1)
    return np.asarray(np.nansum(shares, axis=0) / counted)


def runs(values: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where runs of the same value start, and how long they are.

    >>> [each.tolist() for each in runs(np.array([4, 4, 7, 9, 9]))]
    [[0, 2, 3], [2, 1, 2]]
    """
    start = np.flatnonzero(np.diff(values, prepend=values[:1] - 1) != 0)
    return start, np.diff(np.append(start, len(values)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether chances are kept: in each bin of belief in the likeliest goal, its mean and how often it was right.

    ``error`` is the expected calibration error: the mean distance of the two over all rows.
    """

    believed: tuple[float, ...]
    right: tuple[float, ...]
    rows: tuple[int, ...]
    error: float

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        bins = zip(self.believed, self.right, self.rows, strict=True)
        return {"error": self.error, "bins": [{"believed": b, "right": r, "rows": n} for b, r, n in bins]}


def calibration(truth: Ints, belief: NDArray[np.float32]) -> Calibration:
    """Return how far beliefs can be taken at their word; empty bins are left out."""
    top = belief.max(axis=1).astype(np.float64)
    right = belief.argmax(axis=1) == truth
    place = np.clip((top * BINS).astype(np.int64), 0, BINS - 1)
    rows = np.bincount(place, minlength=BINS)
    met = rows > 0
    believed = np.bincount(place, weights=top, minlength=BINS)[met] / rows[met]
    kept = np.bincount(place, weights=right, minlength=BINS)[met] / rows[met]
    error = float((np.abs(believed - kept) * rows[met]).sum() / max(1, rows.sum()))
    return Calibration(tuple(believed.tolist()), tuple(kept.tolist()), tuple(rows[met].tolist()), error)
