"""Cross-validation on Spark: players are dealt into the folds that they have on one machine, and counted in one job.

Each partition counts the players of each fold; what a model learns from all other folds is a sum on the driver. The
second job reads every player by the model that has not seen it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from telos.core.errors import TelosError
from telos.recognition.iohmm import IOHMM
from telos.spark.batch import Model, ReportTo, as_model, check_learner, checked_log, name_models, score_players
from telos.spark.events import SparkLog
from telos.spark.frames import Frames, to_polars
from telos.telemetry.bulk import (
    Evaluation,
    FoldDealer,
    FoldedModel,
    TrainingCounts,
    merge_counts,
    trained_model,
)
from telos.telemetry.columns import Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FOLD, _MODEL = "fold", "model"
_KEYS = ("what", "case", "goal", "outcome")


def cross_validate(
    models: Model | Sequence[Model] | Mapping[str, Model],
    frame: "DataFrame",
    *,
    folds: int,
    seed: int = 1,
    columns: Columns | str | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> dict[str, Evaluation]:
    """Score recognisers on players that they were not trained on; models that count are trained for each fold.

    Players come to the driver once, by name, to be dealt out in the order of their first rows.
    """
    named = {name: as_model(each) for name, each in name_models(models).items()}
    opened = checked_log(
        frame, list(named.values()), report, labelled=True, columns=columns, skip_bad=skip_bad,
        drop_duplicates=drop_duplicates,
    )  # fmt: skip
    return validate_players(opened, named, folds=folds, seed=seed)


def validate_players(
    opened: SparkLog, models: Mapping[str, Any], *, folds: int, seed: int = 1
) -> dict[str, Evaluation]:
    """Cross-validate recognisers on a log."""
    counting = {name: model for name, model in models.items() if isinstance(model, IOHMM)}
    for model in counting.values():
        check_learner(model)
    dealer = FoldDealer(folds, seed=seed)
    dealt = opened.deal_players(dealer)
    if dealer.players < folds:
        raise TelosError(
            f"{dealer.players} player{'s' * (dealer.players != 1)} cannot be dealt into {folds} folds",
            f"give at most {dealer.players}" if dealer.players > 1 else "there is only one player",
        )
    trained = _train_in_folds(opened, counting, dealt, folds) if counting else {}
    return score_players(opened, {**models, **trained}, events=dealt)


def _train_in_folds(
    opened: SparkLog, models: Mapping[str, IOHMM], events: "DataFrame", folds: int
) -> dict[str, FoldedModel]:
    counting = _CountingFolds(models)
    keys = (_MODEL, _FOLD, *_KEYS)
    summed = opened.apply(counting, counting.schema, events=events).groupBy(*keys).sum("count")
    table = to_polars(summed).rename({"sum(count)": "count"}).sort(keys)
    found = {}
    for name, model in models.items():
        mine = table.filter(pl.col(_MODEL) == name).drop(_MODEL)
        if not mine.filter(pl.col("count") > 0).height:
            raise TelosError("no row says what the player was after", "give a column 'truth'")
        others = (mine.filter(pl.col(_FOLD) != fold).drop(_FOLD) for fold in range(folds))
        found[name] = FoldedModel(tuple(trained_model(model, merge_counts([each], model)) for each in others))
    return found


class _CountingFolds:
    """Counts what was seen in a partition, apart for each model and fold."""

    def __init__(self, models: Mapping[str, IOHMM]) -> None:
        self.models = dict(models)

    @property
    def schema(self) -> pl.Schema:
        counts = TrainingCounts(next(iter(self.models.values()))).table.schema
        return pl.Schema({_MODEL: pl.String(), _FOLD: pl.Int32(), **counts})

    def __call__(self, frames: Frames) -> Frames:
        counts: dict[tuple[str, int], TrainingCounts] = {}
        for frame in frames:
            for (fold,), rows in frame.partition_by(_FOLD, as_dict=True, maintain_order=True).items():
                for name, model in self.models.items():
                    counts.setdefault((name, int(fold)), TrainingCounts(model)).count(rows)
        for (name, number), each in counts.items():
            table = each.table.with_columns(model=pl.lit(name), fold=pl.lit(number, pl.Int32))
            yield table.select(self.schema.names())
