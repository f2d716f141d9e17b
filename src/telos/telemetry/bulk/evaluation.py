"""Accuracy of recognisers on a labelled log, in columns: ``evaluate_frame``, and scores that can be added up.

A table of scores has two kinds of rows: those of a player (how often the likeliest goal was right) and those of a cell
(the goal that was pursued, the one that was believed, and a bin of the chance that this one had).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.bulk.arrays import Array
from telos.telemetry.bulk.batches import PLAYER, Labels, check_frame
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

    def __init__(self, models: Mapping[str, object], *, states: Mapping[str, pl.DataFrame] | None = None) -> None:
        if not models:
            raise TelosError("give at least one model to evaluate")
        states = states or {}
        self._readers = {name: BeliefReader(model, state=states.get(name)) for name, model in models.items()}
        self._truths = {name: Labels(reader.goals) for name, reader in self._readers.items()}
        clocked = [name for name, reader in self._readers.items() if reader.encoder.needs.clock is not None]
        self._first = clocked[0] if clocked else None
        self._parts: list[pl.DataFrame] = []

    @property
    def states(self) -> dict[str, pl.DataFrame]:
        """The state of all players so far, for each model."""
        return {name: reader.state for name, reader in self._readers.items()}

    def count(self, frame: pl.DataFrame) -> None:
        """Count the rows of a frame whose goal is known."""
        checked = check_frame(frame)
        found = {name: reader.beliefs(checked) for name, reader in self._readers.items()}
        for name, (beliefs, _) in found.items():
            truths = truth_codes(checked, self._truths[name], self._readers[name].goals)
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


def evaluate_frame(frame: pl.DataFrame, models: Mapping[str, object]) -> dict[str, Evaluation]:
    """Score recognisers on the events of a frame whose goal (``truth``) is known."""
    return evaluate_batches([frame], models)


def evaluate_batches(batches: Iterable[pl.DataFrame], models: Mapping[str, object]) -> dict[str, Evaluation]:
    """Score recognisers on all batches of a log."""
    counts = ScoreCounts(models)
    for batch in batches:
        counts.count(batch)
    table = counts.table
    return {name: Evaluation(name, table) for name in models}
