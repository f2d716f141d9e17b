"""Scores of recognisers on a labelled log, in columns: ``evaluate_frame``, and scores that can be added up.

Start with ``evaluate_batches``; with ``cross_validate``, models that count are trained on the other players.

A table of scores has two kinds of rows: those of a player (how often the likeliest goal was right) and those of a cell
(the goal that was pursued, the one that was believed, and a bin of the chance that this one had).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.bulk.arrays import Array
from telos.recognition.bulk.encoders import is_columnar
from telos.recognition.iohmm import IOHMM
from telos.telemetry.bulk.batches import PLAYER, Labels, check_frame
from telos.telemetry.bulk.folds import (
    Batches,
    FoldDealer,
    FoldedModel,
    FoldedReader,
    dealt_batches,
    train_all_in_folds,
)
from telos.telemetry.bulk.live import FrameReader, LiveReader
from telos.telemetry.bulk.reading import BeliefReader
from telos.telemetry.bulk.training import truth_codes
from telos.telemetry.tables import pl

BINS = 10
MIN_CHANCE = 1e-300  # stands for a chance of 0, whose logarithm is infinite
_KEYS = ["model", "player", "truth", "believed", "bin"]
_SUMS = ["updates", "right", "confidence", "log_loss", "squared_error"]
_SCHEMA: dict[str, Any] = {
    **dict.fromkeys(["model", "player", "truth", "believed"], pl.String),
    "bin": pl.Int64,
    **dict.fromkeys(["updates", "right"], pl.Int64),
    **dict.fromkeys(["confidence", "log_loss", "squared_error"], pl.Float64),
}


class ScoreCounts:
    """Scores several recognisers at the same moments: the updates of the first one that has a clock."""

    def __init__(
        self, models: Mapping[str, object], *, states: Mapping[str, pl.DataFrame] | None = None, seed: int | None = None
    ) -> None:
        if not models:
            raise TelosError("give at least one model to evaluate")
        self._readers = {name: _reader(model, (states or {}).get(name), seed) for name, model in models.items()}
        self._truths = {name: Labels(reader.goals) for name, reader in self._readers.items()}
        self._first = next((name for name, reader in self._readers.items() if reader.has_clock), None)
        self._parts: list[pl.DataFrame] = []
        self.events = self.labelled = 0

    @property
    def states(self) -> dict[str, pl.DataFrame]:
        """The state of all players so far, for each model."""
        return {name: reader.state for name, reader in self._readers.items() if isinstance(reader, BeliefReader)}

    def count(self, frame: pl.DataFrame) -> None:
        """Count the rows of a frame whose goal is known."""
        checked = check_frame(frame)
        found = {name: reader.beliefs(checked) for name, reader in self._readers.items()}
        self.events += checked.height
        for name, (beliefs, _) in found.items():
            truths = truth_codes(checked, self._truths[name], self._readers[name].goals)
            if name == next(iter(found)):
                self.labelled += int((truths >= 0).sum())
            is_scored = truths >= 0
            if self._first is not None:
                is_scored &= found[self._first][1] != 0
            rows = np.flatnonzero(is_scored)
            goals = self._readers[name].goals
            self._parts += _scores(name, checked[PLAYER].gather(rows), beliefs[rows], truths[rows], goals)
        if len(self._parts) > 64:
            self._parts = [merge_scores(self._parts)]

    @property
    def table(self) -> pl.DataFrame:
        """All scores so far; tables of different players can be added up with `merge_scores`."""
        return merge_scores(self._parts)


def _reader(model: object, state: pl.DataFrame | None, seed: int | None) -> FrameReader:
    if isinstance(model, FoldedModel):
        return FoldedReader(model, seed=1 if seed is None else seed)
    if is_columnar(model):
        return BeliefReader(model, state=state, seed=seed)
    return LiveReader(model, seed=1 if seed is None else seed)


def _scores(
    name: str, players: pl.Series, beliefs: Array, truths: NDArray[np.int32], goals: tuple[str, ...]
) -> list[pl.DataFrame]:
    believed = beliefs.argmax(axis=1).astype(np.int32)
    rows = np.arange(len(truths))
    chance, confidence = beliefs[rows, truths], beliefs[rows, believed]
    scored = pl.DataFrame(
        {
            "player": players,
            "truth": truths,
            "believed": believed,
            "bin": np.minimum((confidence * BINS).astype(np.int64), BINS - 1),
            "right": truths == believed,
            "confidence": confidence,
            "log_loss": -np.log(np.maximum(chance, MIN_CHANCE)),
            "squared_error": (beliefs * beliefs).sum(axis=1) - 2 * chance + 1,
        }
    )
    sums = [pl.len().alias("updates"), *(pl.col(each).sum() for each in _SUMS[1:])]
    labels = pl.Series(list(goals), dtype=pl.String)
    cells = scored.group_by("truth", "believed", "bin").agg(sums)
    cells = cells.with_columns(truth=labels.gather(cells["truth"]), believed=labels.gather(cells["believed"]))
    return [_shaped(name, scored.group_by("player").agg(sums)), _shaped(name, cells)]


def _shaped(name: str, found: pl.DataFrame) -> pl.DataFrame:
    return found.select(
        pl.lit(name).alias("model")
        if column == "model"
        else (pl.col(column) if column in found.columns else pl.lit(None).alias(column)).cast(kind)
        for column, kind in _SCHEMA.items()
    )


def merge_scores(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the sum of tables of scores."""
    parts = [pl.DataFrame(schema=_SCHEMA), *tables]
    return pl.concat(parts).group_by(_KEYS).agg(pl.col(_SUMS).sum()).sort(_KEYS)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of one recogniser, from a table of them."""

    model: str
    table: pl.DataFrame

    @property
    def updates(self) -> int:
        return int(self._of_players["updates"].sum())

    @property
    def accuracy(self) -> float:
        """The mean over players, each by the share of updates at which the likeliest goal was right."""
        return math.fsum(self.players["accuracy"].to_list()) / max(1, self.players.height)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the accuracy, over players, within 0 and 1; not a number for one player."""
        low, high = mean_interval(self.players["accuracy"].to_numpy())
        return (low, high) if math.isnan(low) else (max(0.0, low), min(1.0, high))

    @property
    def calibration_error(self) -> float:
        """The expected calibration error: how far the chance of the likeliest goal is from how often it is right."""
        found = self.calibration
        distance = (found["confidence"] - found["accuracy"]).abs() * found["updates"]
        return float(distance.sum()) / max(1, self.updates)

    def lead_over(self, other: "Evaluation") -> tuple[float, float, float]:
        """Return by how much this recogniser is more accurate, and the 95 % interval, over the same players."""
        both = self.players.join(other.players, on="player", suffix=" of other")
        lead = (both["accuracy"] - both["accuracy of other"]).to_numpy()
        return float(lead.mean()) if len(lead) else math.nan, *mean_interval(lead)

    @property
    def accuracy_of_updates(self) -> float:
        """The share of all updates at which the likeliest goal was right."""
        return float(self._of_players["right"].sum()) / max(1, self.updates)

    @property
    def log_loss(self) -> float:
        """The mean of minus the logarithm of the chance that the right goal had."""
        return float(self._of_players["log_loss"].sum()) / max(1, self.updates)

    @property
    def brier_score(self) -> float:
        """The mean squared distance between the belief and certainty of the right goal: 0 is best, 2 is worst."""
        return float(self._of_players["squared_error"].sum()) / max(1, self.updates)

    @property
    def players(self) -> pl.DataFrame:
        """The accuracy for each player, and the number of updates."""
        found = self._of_players.sort("player")
        return found.select("player", accuracy=pl.col("right") / pl.col("updates"), updates="updates")

    @property
    def confusion(self) -> pl.DataFrame:
        """How many updates there were for each goal pursued and believed."""
        return self._of_cells.group_by("truth", "believed").agg(pl.col("updates").sum()).sort("truth", "believed")

    @property
    def calibration(self) -> pl.DataFrame:
        """For each bin of the chance of the likeliest goal: the mean chance, and how often the goal was right."""
        sums = self._of_cells.group_by("bin").agg(pl.col("updates", "right", "confidence").sum()).sort("bin")
        return sums.select(
            "bin",
            "updates",
            confidence=pl.col("confidence") / pl.col("updates"),
            accuracy=pl.col("right") / pl.col("updates"),
        )

    @property
    def _of_players(self) -> pl.DataFrame:
        return self.table.filter((pl.col("model") == self.model) & pl.col("player").is_not_null())

    @property
    def _of_cells(self) -> pl.DataFrame:
        return self.table.filter((pl.col("model") == self.model) & pl.col("player").is_null())


# --- intervals --------------------------------------------------------------------------------------------------------


def mean_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % confidence interval of a mean, by Student's distribution; not a number for fewer than two values.

    >>> [round(bound, 3) for bound in mean_interval(np.array([0.5, 0.7, 0.6]))]
    [0.352, 0.848]
    """
    if len(values) < 2:
        return math.nan, math.nan
    mean, spread = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = student_quantile(0.975, len(values) - 1) * spread
    return mean - reach, mean + reach


def student_quantile(chance: float, freedom: int) -> float:
    """Return a quantile of Student's distribution, by Hill's expansion; exact for one and two degrees of freedom.

    >>> [round(student_quantile(0.975, freedom), 2) for freedom in (1, 2, 5, 30)]
    [12.71, 4.3, 2.57, 2.04]
    """
    if freedom == 1:
        return math.tan(math.pi * (chance - 0.5))
    if freedom == 2:
        return (2 * chance - 1) / math.sqrt(2 * chance * (1 - chance))
    z, n = NormalDist().inv_cdf(chance), float(freedom)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4


# --- whole logs -------------------------------------------------------------------------------------------------------


def evaluate_frame(frame: pl.DataFrame, models: Mapping[str, object]) -> dict[str, Evaluation]:
    """Score recognisers on the events of a frame whose goal (``truth``) is known."""
    return evaluate_batches([frame], models)


def evaluate_batches(
    batches: Iterable[pl.DataFrame], models: Mapping[str, object], *, seed: int | None = None
) -> dict[str, Evaluation]:
    """Score recognisers on all batches of a log."""
    counts = ScoreCounts(models, seed=seed)
    for batch in batches:
        counts.count(batch)
    if counts.events and not counts.labelled:
        raise TelosError("no row says what the player was after", "give a column 'truth'")
    table = counts.table
    return {name: Evaluation(name, table) for name in models}


def cross_validate(
    batches: Batches, models: Mapping[str, object], *, folds: int, seed: int = 1, by: str = PLAYER
) -> dict[str, Evaluation]:
    """Score recognisers on players that they were not trained on; ``batches`` reads the log from its start, twice.

    Rows with the same value in the column ``by`` are in the same fold.
    """
    dealer = FoldDealer(folds, seed=seed)
    counting = {name: model for name, model in models.items() if isinstance(model, IOHMM)}
    trained = train_all_in_folds(batches(), counting, dealer, by=by) if counting else {}
    return evaluate_batches(dealt_batches(batches(), dealer, by=by), {**models, **trained}, seed=seed)
