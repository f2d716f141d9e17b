"""Logs on Spark, in one word each: ``recognize``, ``train``, ``evaluate`` and ``goals``.

Each works on a Spark frame as its namesake of `telos` works on a frame of one machine. Rows are dealt out by player;
what the executors find is added up by Spark. Counts are the same as on one machine to the last bit, and so is each
belief, because the events of one player are read in the same order by the same code.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from telos.core.errors import TelosError
from telos.recognition.files.load import named_model
from telos.recognition.iohmm import IOHMM
from telos.spark.events import SparkLog, open_spark_log, whole_players
from telos.spark.frames import Frames, to_polars
from telos.telemetry.analytics import GoalAnalysis, Stretches, StretchRules, analyse, find_readings, find_stretches
from telos.telemetry.bulk import BeliefReader, Evaluation, ScoreCounts, TrainingCounts, merge_scores, trained_model
from telos.telemetry.bulk.reading import goal_column
from telos.telemetry.bulk.training import EVENTS
from telos.telemetry.columns import Columns
from telos.telemetry.report import LogReport

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Model: TypeAlias = Any  # a recogniser model, a file of one, or the name of one
ReportTo: TypeAlias = Callable[[LogReport], object]
_COUNT_KEYS = ("what", "case", "goal", "outcome")
_TOTALS = ("rows", "rows without a goal", "players")  # more counts beside those of training, which they do not change
_SCORE_KEYS = ("model", "player", "truth", "believed", "bin")


def as_model(model: Model) -> Any:
    """Return a model itself; files and names are loaded."""
    return named_model(model) if isinstance(model, str) or hasattr(model, "__fspath__") else model


def checked_log(
    frame: "DataFrame", models: Sequence[object], report: ReportTo | None, *, full: bool = False, **options: Any
) -> SparkLog:
    """Open a log and count its faults; bad rows are refused, or told of and left out with ``skip_bad``."""
    opened = open_spark_log(frame, models, **options)
    found = opened.check(full=full)
    if report is not None:
        report(found)
    elif found.bad_rows:
        warnings.warn(f"{found.bad_rows:,} of {found.rows:,} rows are bad and left out: {found.why()}", stacklevel=4)
    return opened


# --- beliefs ----------------------------------------------------------------------------------------------------------


def recognize(
    model: Model,
    frame: "DataFrame",
    *,
    columns: Columns | str | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> "DataFrame":
    """Return the belief after each event: player, session, time, the likeliest goal, and one column a goal.

    The rows of a player stand together, in the order of time. Bad rows are refused in a job of its own, before the
    beliefs are worked out; ``report`` is given what was found in the log.
    """
    reader = as_model(model)
    opened = checked_log(frame, [reader], report, columns=columns, skip_bad=skip_bad, drop_duplicates=drop_duplicates)
    return read_players(opened, reader)


def read_players(opened: SparkLog, model: object, *, rows: bool = False) -> "DataFrame":
    """Return the belief after each event of a log; with ``rows`` its number in the log, and its action, too."""
    return opened.apply(_Reading(model, rows), belief_schema(model, rows=rows), rows=rows)


def belief_schema(model: object, *, rows: bool = False) -> pl.Schema:
    """Return the schema of beliefs."""
    goals = map(goal_column, BeliefReader(model).goals)
    texts = dict.fromkeys(("player", "session"), pl.String)
    places = {"row": pl.Int64, "action": pl.String} if rows else {}
    return pl.Schema({**texts, "time": pl.Float64, "top": pl.String, **dict.fromkeys(goals, pl.Float64), **places})


class _Reading:
    """Reads the players of a partition."""

    def __init__(self, model: object, rows: bool) -> None:
        self.model, self.rows = model, rows

    def __call__(self, frames: Frames) -> Frames:
        reader = BeliefReader(self.model)
        for frame in frames:
            found = reader.read(frame)
            yield found.with_columns(frame["row"], frame["action"]) if self.rows else found


# --- training ---------------------------------------------------------------------------------------------------------


def train(
    model: Model,
    frame: "DataFrame",
    *,
    columns: Columns | str | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> IOHMM:
    """Return a copy of a model that has learned from all rows whose goal (``truth``) is known.

    Each partition counts its players, and Spark adds the counts up. Counts that fade depend on the order of all rows of
    a log, which a cluster does not keep: a model with a ``discount`` is refused.
    """
    learner = as_model(model)
    check_learner(learner)
    opened = checked_log(
        frame, [learner], report, labelled=True, columns=columns, skip_bad=skip_bad, drop_duplicates=drop_duplicates
    )
    return count_players(opened, learner).trained()


def check_learner(model: Any) -> None:
    """Refuse a model that learns nothing, or not on a cluster."""
    TrainingCounts(model)
    if model.discount < 1:
        raise TelosError(
            f"the counts of this model fade (discount {model.discount:g}), in the order of all rows of the log",
            "train it on one machine, or set the discount to 1",
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted in a log; the table is that of `TrainingCounts`."""

    model: IOHMM
    table: pl.DataFrame
    events: int
    unlabelled: int
    players: int

    @property
    def learned(self) -> dict[str, int]:
        """How many events of each goal were counted."""
        rows = dict(self.table.filter(pl.col("what") == EVENTS).select("goal", "count").rows())
        return {goal: int(rows.get(goal, 0)) for goal in self.model.goals}

    def trained(self) -> IOHMM:
        """Return a copy of the model that has counted this, too."""
        return trained_model(self.model, self.table)


def count_players(opened: SparkLog, model: IOHMM) -> Counted:
    """Count the events of a log whose goal is known; Spark adds up what the partitions count."""
    counts = opened.apply(_Counting(model), TrainingCounts(model).table.schema)
    table = to_polars(counts.groupBy(*_COUNT_KEYS).sum("count")).rename({"sum(count)": "count"})
    is_total = pl.col("what").is_in(_TOTALS)
    totals = dict(table.filter(is_total).select("what", "count").rows())
    events, unlabelled, players = (int(totals.get(name, 0)) for name in _TOTALS)
    if events == unlabelled:
        raise TelosError(
            f"{opened.name}: no row says what the player was after", "give a column 'truth', the goal that was pursued"
        )
    return Counted(model, table.filter(~is_total).sort(_COUNT_KEYS), events, unlabelled, players)


class _Counting:
    """Counts what was seen in a partition."""

    def __init__(self, model: IOHMM) -> None:
        self.model = model

    def __call__(self, frames: Frames) -> Frames:
        counts = TrainingCounts(self.model)
        for frame in frames:
            counts.count(frame)
        totals = zip(_TOTALS, (counts.events, counts.unlabelled, counts.players), strict=True)
        rows = [(name, 0, "", "", float(count)) for name, count in totals]
        yield pl.concat([counts.table, pl.DataFrame(rows, schema=counts.table.schema, orient="row")])


# --- evaluation -------------------------------------------------------------------------------------------------------


def evaluate(
    models: Model | Sequence[Model] | Mapping[str, Model],
    frame: "DataFrame",
    *,
    columns: Columns | str | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> dict[str, Evaluation]:
    """Score recognisers on the rows whose goal (``truth``) is known; the scores of all players come to the driver."""
    named = {name: as_model(each) for name, each in name_models(models).items()}
    opened = checked_log(
        frame, list(named.values()), report, labelled=True, columns=columns, skip_bad=skip_bad,
        drop_duplicates=drop_duplicates,
    )  # fmt: skip
    return score_players(opened, named)


def score_players(
    opened: SparkLog, models: Mapping[str, Any], events: "DataFrame | None" = None
) -> dict[str, Evaluation]:
    """Score recognisers on the events of a log whose goal is known."""
    schema = ScoreCounts(models).table.schema
    sums = [name for name in schema if name not in _SCORE_KEYS]
    scores = opened.apply(_Scoring(models), schema, events=events).groupBy(*_SCORE_KEYS).sum(*sums)
    found = to_polars(scores).rename({f"sum({name})": name for name in sums})
    table = merge_scores([found.cast(schema).select(schema.names())])  # in the same order as on one machine
    if table.is_empty():
        raise TelosError(
            f"{opened.name}: no update has a known goal", "give a column 'truth', and look at the clock of the model"
        )
    return {name: Evaluation(name, table) for name in models}


def name_models(models: Any) -> dict[str, Any]:
    """Return models by name; those that are not named are numbered."""
    if isinstance(models, Mapping):
        return dict(models)
    listed = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    return {str(each) if isinstance(each, str) else f"model {number}": each for number, each in enumerate(listed, 1)}


class _Scoring:
    """Scores the players of a partition."""

    def __init__(self, models: Mapping[str, object]) -> None:
        self.models = dict(models)

    def __call__(self, frames: Frames) -> Frames:
        counts = ScoreCounts(self.models)
        for frame in frames:
            counts.count(frame)
        yield counts.table


# --- goals ------------------------------------------------------------------------------------------------------------

_STAY = pl.Schema({"visits": pl.Int64(), "exits": pl.Int64()})


def goals(
    model: Model,
    frame: "DataFrame",
    *,
    columns: Columns | str | None = None,
    rules: StretchRules | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> GoalAnalysis:
    """Read all players after the fact and count what they were after; see `telos.telemetry.analytics`.

    The executors read whole players and cut the readings into stretches; the stretches come to the driver, which
    analyses them. The events of one player have to fit into the memory of an executor.
    """
    reader = as_model(model)
    rules = rules or StretchRules()
    opened = checked_log(
        frame, [reader], report, columns=columns, keep=rules.columns, skip_bad=skip_bad,
        drop_duplicates=drop_duplicates,
    )  # fmt: skip
    return analyse(find_spark_stretches(opened, reader, rules), tuple(reader.goals), rules)


def find_spark_stretches(opened: SparkLog, model: object, rules: StretchRules) -> Stretches:
    """Return the stretches of all players: those of one machine, in the same order."""
    work = _Stretching(model, rules)
    found = to_polars(opened.apply(work, work.schema(opened.log.schema)))
    stretches = found.filter(pl.col("visits").is_null()).drop(*_STAY)
    stretches = stretches.sort("player", "session", "begin", maintain_order=True)
    stretches = stretches.with_columns(sitting=pl.struct("player", "sitting").rle_id() + 1)  # in the whole log
    stays = found.filter(pl.col("visits").is_not_null()).select("place", "goal", "seconds", *_STAY)
    return Stretches(stretches, stays.group_by("place", "goal").sum().sort("place", "goal", nulls_last=True))


class _Stretching:
    """Finds the stretches and stays of the players of a partition; both have their rows in one table."""

    def __init__(self, model: object, rules: StretchRules) -> None:
        self.model, self.rules = model, rules

    def schema(self, events: Mapping[str, pl.DataType]) -> pl.Schema:
        """Return the schema of what is yielded."""
        return self._found(pl.Schema(events).to_frame()).schema

    def __call__(self, frames: Frames) -> Frames:
        for frame in whole_players(frames):
            yield self._found(frame)

    def _found(self, frame: pl.DataFrame) -> pl.DataFrame:
        found = find_stretches(find_readings(frame, self.model, keep=self.rules.columns), self.rules)
        stretches = found.stretches.with_columns(pl.lit(None, kind).alias(name) for name, kind in _STAY.items())
        return pl.concat([stretches, found.stays], how="diagonal")
