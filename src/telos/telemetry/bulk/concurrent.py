"""Recognisers whose goals do not exclude one another: scores of each goal by itself, and training by counting.

A row of the log names all goals that were pursued: ``talk-cook + test-contaminated``, or ``none``. A goal is read as
pursued where its chance is at least ``LEVEL``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError, name_hint
from telos.recognition.concurrent import ConcurrentGoalModel
from telos.recognition.iohmm import IOHMM
from telos.telemetry.bulk.batches import TRUTH, check_frame
from telos.telemetry.bulk.live import LiveReader
from telos.telemetry.bulk.training import TrainingCounts, trained_model
from telos.telemetry.canonical import JOIN, NO_GOAL, parse_goals
from telos.telemetry.tables import pl

LEVEL = 0.5  # from this chance on a goal counts as read
BINS = 10


def join_truth(goals: Sequence[str]) -> str:
    """Return several goals as a log names them.

    >>> join_truth(["talk-cook", "test-contaminated"]), join_truth([])
    ('talk-cook + test-contaminated', 'none')
    """
    return f" {JOIN} ".join(goals) or NO_GOAL


def split_truth(text: str, goals: Sequence[str]) -> tuple[str, ...]:
    """Return the goals that a row of a log names; an unknown one is refused.

    >>> split_truth("b + a", ["a", "b"]), split_truth("none", ["a", "b"])
    (('b', 'a'), ())
    """
    named = parse_goals(text)
    for goal in named:
        if goal not in goals:
            raise TelosError(
                f"the truth {text!r} names the goal {goal!r}, which the model does not have",
                f"{name_hint(goal, goals)}; several goals are joined with {JOIN}, and {NO_GOAL!r} is none",
            )
    return named


@dataclass(slots=True)
class GoalCounts:
    """The counts of one goal: how often it was pursued and read, pursued only, read only, and neither."""

    both: int = 0
    missed: int = 0
    false: int = 0
    neither: int = 0
    log_loss: float = 0.0

    @property
    def precision(self) -> float | None:
        """The share of the readings that are right; None if there are none."""
        return self.both / (self.both + self.false) if self.both + self.false else None

    @property
    def recall(self) -> float | None:
        """The share of the pursued moments that are read; None if there are none."""
        return self.both / (self.both + self.missed) if self.both + self.missed else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall: 0 if the goal was never read, None if it was never pursued."""
        if not self.both + self.missed:
            return None
        return 2 * self.both / (2 * self.both + self.missed + self.false)

    def add(self, truth: NDArray[np.bool_], chances: NDArray[np.float64]) -> None:
        """Count rows: whether the goal was pursued, and the chance that was read."""
        read = chances >= LEVEL
        self.both += int((truth & read).sum())
        self.missed += int((truth & ~read).sum())
        self.false += int((~truth & read).sum())
        self.neither += int((~truth & ~read).sum())
        right = np.where(truth, chances, 1.0 - chances)
        self.log_loss -= float(np.log(np.maximum(right, 1e-300)).sum())

    def data(self) -> dict[str, Any]:
        """Return the scores as JSON data."""
        rows = self.both + self.missed + self.false + self.neither
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "pursued": self.both + self.missed,
            "read": self.both + self.false,
            "rows": rows,
            "log_loss": self.log_loss / rows if rows else None,
        }


@dataclass(slots=True)
class ConcurrentScores:
    """The scores of one recogniser whose goals do not exclude one another."""

    goals: tuple[str, ...]
    counts: dict[str, GoalCounts] = field(default_factory=dict)
    rows: int = 0
    several: int = 0  # rows at which more than one goal was pursued
    bins: NDArray[np.float64] = field(default_factory=lambda: np.zeros((BINS, 3)))  # rows, chances and truths by bin

    def __post_init__(self) -> None:
        self.counts = {goal: GoalCounts() for goal in self.goals}

    def add(self, truths: NDArray[np.bool_], chances: NDArray[np.float64]) -> None:
        """Count rows; both arrays have a row for each moment and a column for each goal."""
        for column, goal in enumerate(self.goals):
            self.counts[goal].add(truths[:, column], chances[:, column])
        self.rows += len(truths)
        self.several += int((truths.sum(axis=1) > 1).sum())
        place = np.minimum((chances * BINS).astype(np.int64), BINS - 1).ravel()
        for column, values in enumerate((np.ones(chances.size), chances.ravel(), truths.ravel().astype(float))):
            self.bins[:, column] += np.bincount(place, values, minlength=BINS)

    @property
    def micro_f1(self) -> float:
        """F1 over all goals together."""
        both, wrong = 0, 0
        for each in self.counts.values():
            both, wrong = both + each.both, wrong + each.missed + each.false
        return 2 * both / (2 * both + wrong) if both else 0.0

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the goals that were pursued."""
        found = [each.f1 for each in self.counts.values() if each.f1 is not None]
        return sum(found) / len(found) if found else 0.0

    @property
    def calibration_error(self) -> float:
        """The mean distance of chances and shares of truth in ten bins, over goals and moments."""
        rows, chances, truths = self.bins.T
        return float(np.abs(chances - truths).sum() / rows.sum()) if rows.sum() else 0.0

    def data(self) -> dict[str, Any]:
        """Return the scores as JSON data."""
        return {
            "rows": self.rows,
            "rows_with_several_goals": self.several,
            "micro_f1": self.micro_f1,
            "macro_f1": self.macro_f1,
            "calibration_error": self.calibration_error,
            "goals": {goal: each.data() for goal, each in self.counts.items()},
        }


class ConcurrentCounts:
    """Scores recognisers whose goals do not exclude one another, frame by frame, on the rows that state a truth."""

    def __init__(self, models: Mapping[str, object], *, seed: int = 1) -> None:
        self._readers = {name: LiveReader(model, seed=seed) for name, model in models.items()}
        self.scores = {name: ConcurrentScores(tuple(reader.goals)) for name, reader in self._readers.items()}

    def count(self, frame: pl.DataFrame) -> None:
        """Count the rows of a frame; events that achieve a goal are read and not scored, as they tell it."""
        checked = _check_truths(frame)
        is_scored = checked[TRUTH].is_not_null()
        if "goal" in checked.columns:
            is_scored = is_scored & checked["goal"].is_null()
        rows = np.flatnonzero(is_scored.to_numpy())
        for name, reader in self._readers.items():
            beliefs, _ = reader.beliefs(checked)
            truths = pursued_goals(checked[TRUTH].gather(rows), self.scores[name].goals)
            self.scores[name].add(truths, beliefs[rows])


def _check_truths(frame: pl.DataFrame) -> pl.DataFrame:
    checked = check_frame(frame)
    if TRUTH not in checked.columns:
        raise TelosError(f"there is no column {TRUTH!r}, the goals that were pursued", name_hint(TRUTH, frame.columns))
    return checked


def pursued_goals(truths: pl.Series, goals: Sequence[str]) -> NDArray[np.bool_]:
    """Return which goals each row names, one column for each goal; a row that says nothing names none."""
    known: dict[str, NDArray[np.bool_]] = {}
    found = np.zeros((len(truths), len(goals)), np.bool_)
    for place, text in enumerate(truths):
        if text is None:
            continue
        if text not in known:
            named = split_truth(text, goals)
            known[text] = np.array([goal in named for goal in goals])
        found[place] = known[text]
    return found


class ConcurrentTrainingCounts(TrainingCounts):
    """Counts of a log whose rows may name several goals: an event counts for each of them, and for none at ``none``.

    What follows what is not counted: goals that do not exclude one another do not follow one another.
    """

    def __init__(self, model: ConcurrentGoalModel) -> None:
        if not isinstance(model.model, IOHMM):
            raise TelosError(f"{model.model!r} is written by hand and learns nothing", "name an iohmm under `of`")
        super().__init__(model.model)
        self.taught = self.without = self.several = 0  # updates with a goal, with none, and with several

    def count(self, frame: pl.DataFrame) -> None:
        """Count the events of a frame; ``truth`` names the goals that were pursued, null where they are not known."""
        checked = _check_truths(frame)
        pursued = pursued_goals(checked[TRUTH], self.model.goals)
        batch = self._batches.encode(checked)
        self.events += checked.height
        self.unlabelled += checked[TRUTH].null_count()
        mine, is_known = pursued[batch.places], checked[TRUTH].is_not_null().to_numpy()[batch.places]
        goals = mine.sum(axis=1)
        self.taught += int((goals > 0).sum())
        self.several += int((goals > 1).sum())
        self.without += int((is_known & (goals == 0)).sum())
        no_goal = np.full(len(mine), -1, np.int32)
        for number in range(len(self.model.goals)):
            self._count(batch, np.where(mine[:, number], np.int32(number), no_goal), no_goal)


def train_concurrent(batches: Iterable[pl.DataFrame], model: ConcurrentGoalModel) -> IOHMM:
    """Return a copy of the recogniser that a model is of, which has learned from all batches of a log.

    >>> from telos.recognition import loads_model
    >>> one = loads_model("{recognizer: iohmm, goals: [fish, sell], observations: {cast: action == cast, no: true}}")
    >>> frame = pl.DataFrame({"time": [0.0, 1.0], "action": ["cast", "walk"], "truth": ["fish + sell", "none"]})
    >>> train_concurrent([frame], ConcurrentGoalModel(one)).counts.seen
    {'fish': {'cast': 1.0, 'no': 0.0}, 'sell': {'cast': 1.0, 'no': 0.0}}
    """
    counts = ConcurrentTrainingCounts(model)
    for batch in batches:
        counts.count(batch)
    if counts.unlabelled == counts.events:
        raise TelosError("no row says what the player was after", f"give a column {TRUTH!r}")
    return trained_model(counts.model, counts.table)
