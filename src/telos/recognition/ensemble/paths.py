"""Paths of milestones: what players went on to who had achieved the same things, weighed by how alike they were.

Each case is one pursuit of a training player: some features as they were when it began, when it began, how long it
lasted, and which goal it led to. A case counts for less the more of these features differ and the farther apart the
pursuits began, and it stops counting when the player has waited longer than it lasted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.ensemble.features import Array, Ints, loops


@dataclass(frozen=True, slots=True)
class PathSettings:
    """What is compared, and how much a difference counts; the weight of a case is ``exp`` of minus the sum.

    ``costs`` are pairs of the beginning of a feature's name and the cost of a difference of one. Pursuits that began
    ``spread`` seconds apart cost 1. Around the time that a case lasted its weight falls to a half within ``patience``
    seconds. ``pseudo`` is the weight of all goals that no case leads to.
    """

    costs: tuple[tuple[str, float], ...]
    time: str = "number: time"
    age: str = "gain: time"
    spread: float = 90.0
    patience: float = 60.0
    pseudo: float = 1.0


@dataclass(frozen=True, eq=False)
class PathScores:
    """A score for each goal: the logarithm of the weight of the cases that led to it."""

    columns: Ints  # (compared,): places in the row of features
    costs: Array  # (compared,)
    cases: Array  # (cases, compared)
    starts: Array  # (cases,): the time at which each began
    lengths: Array  # (cases,)
    case_goals: Ints  # (cases,)
    prior: Array  # (goals,): weight without any case
    time: int  # the feature that is the time
    age: int  # the feature that is the time since the last achieved goal
    spread: float
    patience: float

    @property
    def goals(self) -> int:
        return len(self.prior)

    def check(self, features: int) -> None:
        """Refuse tables by which a row could leave the arrays, or weights that are none."""
        compared, cases = len(self.columns), len(self.starts)
        if self.costs.shape != (compared,) or self.cases.shape not in {(cases, compared), (0, 0)}:
            raise TelosError("paths: columns, costs and cases have different lengths")
        if (
            self.lengths.shape != (cases,)
            or self.case_goals.shape != (cases,)
            or (compared and len(self.cases) != cases)
        ):
            raise TelosError("paths: cases, starts, lengths and goals have different lengths")
        places = np.array([*self.columns.tolist(), self.time, self.age], np.int64)
        if (places < 0).any() or (places >= features).any():
            raise TelosError(f"paths: a compared feature is none of the {features}")
        if (self.case_goals < 0).any() or (self.case_goals >= self.goals).any():
            raise TelosError(f"paths: a case leads to a goal that is none of the {self.goals}")
        if (self.costs < 0).any() or not (self.prior > 0).all():
            raise TelosError("paths: costs must not be negative, and the prior must be positive")
        if not (self.spread > 0 and self.patience > 0):
            raise TelosError("paths: spread and patience must be positive")

    def add_to(self, row: Array, scores: Array) -> None:
        """Add the scores of one row."""
        scores += np.log(self.weights_of(row))

    def weights_of(self, row: Array) -> Array:
        """Return the weight of the cases that led to each goal, and of the prior."""
        found = self.prior.copy()
        loops().add_cases(*self._tables(), row, found)
        return found

    def of_rows(self, rows: Array) -> Array:
        """Return the scores of many rows."""
        found = np.tile(self.prior, (len(rows), 1))
        loops().add_cases_to_rows(*self._tables(), rows, found)
        scores: Array = np.log(found)
        return scores

    def _tables(self) -> tuple[Ints, Array, Array, Array, Array, Ints, int, int, float, float]:
        return (
            *(self.columns, self.costs, self.cases, self.starts, self.lengths, self.case_goals),
            *(self.time, self.age, self.spread, self.patience),
        )


def train_paths(
    rows: Array,
    truth: Ints,
    pursuits: Ints,
    is_open: NDArray[np.bool_],
    names: Sequence[str],
    settings: PathSettings,
) -> PathScores:
    """Return the pursuits of labelled rows as cases; ``names`` are those of the features, ``truth`` counts from 0."""
    known = {name: place for place, name in enumerate(names)}
    for name in (settings.time, settings.age):
        if name not in known:
            raise TelosError(f"paths: no feature {name!r}", "add it to the features of the game")
    time, age = known[settings.time], known[settings.age]
    compared = [(at, cost) for start, cost in settings.costs for name, at in known.items() if name.startswith(start)]
    columns = np.array([at for at, _ in compared], np.int64)
    _, first, place = np.unique(pursuits, return_index=True, return_inverse=True)
    lengths = np.zeros(len(first))
    np.maximum.at(lengths, place, rows[:, age])
    times = np.bincount(truth[first], minlength=is_open.shape[1])
    shares = (times + 0.5) / (is_open[first].sum(axis=0) + 1.0)
    return PathScores(
        columns,
        np.array([cost for _, cost in compared]),
        np.nan_to_num(rows[np.ix_(first, columns)]),
        rows[first, time] - rows[first, age],
        lengths,
        truth[first].astype(np.int64),
        settings.pseudo * shares / shares.sum(),
        time,
        age,
        settings.spread,
        settings.patience,
    )


def describe_paths(weights: Array, one: int, two: int, names: tuple[str, str]) -> str:
    """Say to which share of the cases each of two goals was next.

    >>> describe_paths(np.array([3.0, 1.0]), 0, 1, ("spire", "hive"))
    'alike so far: 75% went on to spire, 25% to hive'
    """
    total = math.fsum(weights.tolist())
    return f"alike so far: {weights[one] / total:.0%} went on to {names[0]}, {weights[two] / total:.0%} to {names[1]}"
