"""Training on some sequences and scoring on others: at every scored row, from the evidence up to it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from telos.core.event import Event
from telos.recognition.model import GoalModel
from telos.recognition.reader import Reader
from telos.studies.humans.plays import Play
from telos.studies.statistics import CONFIDENCE, RESAMPLES, quantile


class Taught(GoalModel, Protocol):
    """A goal model that is trained by counting."""

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Count what a player did who pursued ``goal``, after ``before``."""


@dataclass(slots=True)
class Score:
    """How many rows were right, by group."""

    right: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, group: str, is_right: bool) -> None:
        """Count one row."""
        self.rows[group] += 1
        self.right[group] += is_right

    def join(self, other: "Score") -> None:
        """Add another's rows."""
        self.right.update(other.right)
        self.rows.update(other.rows)

    @property
    def accuracy(self) -> float:
        """Return the share of rows that were right; 0 if there are none."""
        return self.right.total() / self.rows.total() if self.rows else 0.0

    @property
    def by_group(self) -> dict[str, float]:
        """Return the share of rows that were right in each group."""
        return {group: self.right[group] / rows for group, rows in sorted(self.rows.items())}

    def interval(self, rng: Random) -> tuple[float, float]:
        """Return the bootstrap interval of the accuracy over groups: rows of one group are not independent."""
        groups = sorted(self.rows)
        draws = (rng.choices(groups, k=len(groups)) for _ in range(RESAMPLES))
        shares = sorted(sum(self.right[g] for g in drawn) / sum(self.rows[g] for g in drawn) for drawn in draws)
        tail = (1 - CONFIDENCE) / 2
        return quantile(shares, tail), quantile(shares, 1 - tail)


def teach(model: Taught, plays: Iterable[Play]) -> None:
    """Train a model on every row whose goal is known, idle ones and achieving ones as well."""
    for play in plays:
        before = None
        for row in play.rows:
            if row.truth is not None:
                model.learn(row.event, row.truth, before)
                before = row.truth


def score(model: GoalModel, plays: Iterable[Play]) -> Score:
    """Read every sequence from its start, and count how often the likeliest goal was the right one."""
    found = Score()
    reader = Reader(model, remembers=1)
    for play in plays:
        reader.reset()
        for row in play.rows:
            belief = reader.observe(row.event)
            if row.is_scored:
                found.add(play.group, belief.top == row.truth)
    return found


def folds(groups: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """Return the groups in so many parts as equal as can be, without chance: every ``count``-th goes into the same one.

    >>> folds(["a", "b", "c", "d", "e"], 2)
    [('a', 'c', 'e'), ('b', 'd')]
    """
    return [tuple(groups[start::count]) for start in range(min(count, len(groups)))]
