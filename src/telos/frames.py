"""Players of whole logs, frames in and frames out: ``train``, ``recognize`` and ``evaluate``.

    log or frame ──▶ telos.telemetry: canonical columns, bulk kernels ──▶ model, beliefs, scores
    Spark frame  ──▶ telos.spark, which is imported only then

A log is a frame of polars (eager or lazy), pandas, Arrow or Spark, a mapping of columns, or a path of files.
``columns`` says what its columns are: a column file, the name of a preset, or a ``Columns``; a frame that uses Telos'
own names (player, time, action, goal, truth) needs none. The same on the command line: `telos train`, `telos recognize`
and `telos evaluate`.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from telos.core.errors import TelosError
from telos.files.reading import FilePath
from telos.recognition.files.kinds import has_concurrent_goals
from telos.recognition.files.load import named_model
from telos.recognition.iohmm import IOHMM

if TYPE_CHECKING:
    import polars as pl

    from telos.telemetry import Columns, Log, LogReport
    from telos.telemetry.bulk import Evaluation

Model: TypeAlias = Any  # a recogniser file, the name of one that comes along, or a model
Frame: TypeAlias = Any  # of polars, pandas, Arrow or Spark; a mapping of columns; a path, a folder or a pattern
ColumnsLike: TypeAlias = "Columns | FilePath | None"
PLAYER = "player"


def recognize(
    model: Model,
    frame: Frame,
    *,
    columns: ColumnsLike = None,
    skip_bad: bool = False,
    sort: bool | None = None,
    drop_duplicates: bool | None = None,
    seed: int = 1,
) -> Any:
    """Return the belief after each event, as the same kind of frame that came in.

    The columns are ``row`` (from 0, to join the beliefs to the log), ``player``, ``session``, ``time``, ``action``,
    ``top`` (the likeliest goal), and the chance of each goal. The rows are in the order of the log; a lazy frame stays
    lazy and is read in batches, so that a log of any size goes from ``scan_parquet`` to ``sink_parquet``. Files give a
    frame of polars.

    Bad rows raise one error that tells of all of them, or are left out with ``skip_bad`` and a warning. ``sort`` puts
    rows in the order of their times, ``drop_duplicates`` leaves out rows that stand twice. ``seed`` is for models that
    start with a guess.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, sell], observations: {cast: action == cast, no: true}, "
    ...                     "counts: {fish: {cast: 9, no: 1}, sell: {cast: 1, no: 9}}}")
    >>> recognize(model, {"player": ["ann", "ann"], "time": [0.0, 1.5], "action": ["cast", "offer"]})["top"]
    ['fish', 'sell']
    """
    how: dict[str, Any] = {"skip_bad": skip_bad, "drop_duplicates": drop_duplicates}
    if _is_spark(frame):
        from telos import spark

        _refuse_sort(sort)
        return spark.recognize(model, frame, columns=_for_spark(columns), **how)
    from telos.telemetry.sources import return_like

    log, loaded = _open(frame, [model], columns, sort=sort, **how)
    if _is_lazy(frame):
        return _lazy(lambda: _beliefs(log, loaded[0], seed), log, loaded[0])
    import polars as pl

    found = pl.concat([_schema(loaded[0]).to_frame(), *_beliefs(log, loaded[0], seed)])
    return return_like(found if found["row"].is_sorted() else found.sort("row"), frame)


def read_frame(frame: Frame, model: Model, *, columns: ColumnsLike = None, **options: Any) -> Any:
    """Return the belief after each event of a frame: ``recognize`` with the frame first, for ``frame.pipe``.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, sell], observations: {cast: action == cast, no: true}, "
    ...                     "counts: {fish: {cast: 9, no: 1}, sell: {cast: 1, no: 9}}}")
    >>> round(read_frame({"player": ["ann"], "time": [0.0], "action": ["cast"]}, model)["fish"][0], 3)
    0.833
    """
    return recognize(model, frame, columns=columns, **options)


def train(
    model: Model,
    frame: Frame,
    *,
    columns: ColumnsLike = None,
    skip_bad: bool = False,
    sort: bool | None = None,
    drop_duplicates: bool | None = None,
) -> IOHMM:
    """Return a copy of a model that has learned from the events whose goal is known: the column ``truth``.

    The model is an `iohmm`; what it has counted before is kept. Of a concurrent recogniser, the `iohmm` that it is of
    is trained and returned; rows may name several goals then. ``telos.recognition.save_model`` writes the result to a
    file. A corpus of `telos corpus prepare` says in ``goal`` which goal each action led to, and is read as such.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, sell], observations: {cast: action == cast, no: true}}")
    >>> log = {"player": ["ann"] * 2, "time": [0.0, 1.5], "action": ["cast", "walk"], "truth": ["fish", "fish"]}
    >>> train(model, log).counts.seen["fish"]
    {'cast': 1.0, 'no': 1.0}
    """
    how: dict[str, Any] = {"skip_bad": skip_bad, "drop_duplicates": drop_duplicates}
    if _is_spark(frame):
        from telos import spark

        _refuse_sort(sort)
        found: IOHMM = spark.train(model, frame, columns=_for_spark(columns), **how)
        return found
    from telos.recognition.concurrent import ConcurrentGoalModel
    from telos.telemetry.bulk import train_batches, train_concurrent

    taught = _loaded(model)
    learner = taught.model if isinstance(taught, ConcurrentGoalModel) else taught
    if not isinstance(learner, IOHMM):
        raise TelosError(f"{_name(model, 1)} is written by hand and learns nothing", "train an iohmm")
    log, _ = _open(frame, [taught], columns, labelled=True, sort=sort, **how)
    if isinstance(taught, ConcurrentGoalModel):
        trained = train_concurrent(log.batches(), taught)
    else:
        trained = train_batches(log.batches(), learner)
    _warn(log.report)
    return trained


def evaluate(
    models: Model | Sequence[Model] | Mapping[str, Model],
    frame: Frame,
    *,
    columns: ColumnsLike = None,
    by: str = PLAYER,
    folds: int | None = None,
    skip_bad: bool = False,
    sort: bool | None = None,
    drop_duplicates: bool | None = None,
    seed: int = 1,
) -> "EvaluationReport":
    """Score recognisers on the events whose goal is known (``truth``), all at the same moments.

    With ``folds``, models that count are cross-validated: players are dealt into folds, each read by what the others
    teach; ``by`` names another column whose values stay together, such as teams. Other models are scored as they are.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, sell], observations: {cast: action == cast, no: true}}")
    >>> log = {"player": ["ann", "ann", "bo", "bo"], "time": [0.0, 1.5] * 2,
    ...        "action": ["cast", "cast", "cast", "offer"], "truth": ["fish", "fish", "fish", "sell"]}
    >>> report = evaluate({"untrained": model, "trained": train(model, log)}, log)
    >>> report["untrained"].accuracy, report["trained"].accuracy
    (0.75, 1.0)
    """
    how: dict[str, Any] = {"skip_bad": skip_bad, "drop_duplicates": drop_duplicates}
    named = _named(models)
    if _is_spark(frame):
        from telos import spark

        _refuse_sort(sort)
        if folds is not None:
            raise TelosError("folds= is not for Spark frames", "split the players, then train and evaluate")
        return EvaluationReport(dict(spark.evaluate(named, frame, columns=_for_spark(columns), **how)))
    from telos.telemetry.bulk import cross_validate, evaluate_batches

    loaded = {name: _loaded(model) for name, model in named.items()}
    concurrent = next((name for name, model in loaded.items() if has_concurrent_goals(model)), None)
    if concurrent is not None:
        raise TelosError(
            f"the goals of {concurrent} do not exclude one another, and are scored one by one",
            "count batches with telos.telemetry.bulk.ConcurrentCounts, or use telos evaluate",
        )
    keep = () if by == PLAYER else (by,)
    log, _ = _open(frame, list(loaded.values()), columns, labelled=True, keep=keep, sort=sort, **how)
    if folds is None:
        scores = evaluate_batches(log.batches(), loaded, seed=seed)
    else:
        scores = cross_validate(log.batches, loaded, folds=folds, seed=seed, by=by)
    _warn(log.report)
    goals = {name: tuple(model.goals) for name, model in loaded.items()}
    return EvaluationReport(scores, goals, log.name, folds, log.report)


@dataclass(frozen=True, slots=True)
class EvaluationReport(Mapping[str, "Evaluation"]):
    """The scores of recognisers by their names; as text a table, and with ``save`` a page with plots."""

    scores: "Mapping[str, Evaluation]"
    goals: Mapping[str, tuple[str, ...]] | None = None
    log: str = "the table"
    folds: int | None = None
    rows: "LogReport | None" = None  # what was found in the log

    def __getitem__(self, name: str) -> "Evaluation":
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __str__(self) -> str:
        width = max(map(len, [*self.scores, "model"]))
        lines = [f"{'model':<{width}}  accuracy  95 % interval      ECE  log loss  updates"]
        for name, score in self.scores.items():
            low, high = score.interval
            interval = "" if low != low else f"{low:.1%} – {high:.1%}"
            figures = f"{score.accuracy:>8.1%}  {interval:<15}  {score.calibration_error:>5.1%}"
            lines.append(f"{name:<{width}}  {figures}  {score.log_loss:>8.3f}  {score.updates:>7,}")
        return "\n".join(lines)

    def save(self, path: FilePath) -> None:
        """Write a page with the scores, what is mixed up, players and calibration."""
        from telos.telemetry.analytics import save_scores

        save_scores(self.scores, Path(path), log=self.log, goals=self.goals or {}, folds=self.folds)


# --- logs and models --------------------------------------------------------------------------------------------------


def _is_spark(frame: Frame) -> bool:
    return type(frame).__module__.split(".")[0] == "pyspark"


def _for_spark(columns: ColumnsLike) -> "Columns | str | None":
    return os.fspath(columns) if isinstance(columns, str | os.PathLike) else columns


def _refuse_sort(sort: bool | None) -> None:
    if sort is not None:
        raise TelosError("sort= is not for Spark frames", "the rows of each player are put in order by time anyway")


def _is_lazy(frame: Frame) -> bool:
    return type(frame).__module__.split(".")[0] == "polars" and type(frame).__name__ == "LazyFrame"


def _loaded(model: Model) -> Any:
    return named_model(model) if isinstance(model, str | os.PathLike) else model


def _named(models: Any) -> dict[str, Model]:
    """Return models by name: of a mapping its keys, of files their names; others are numbered."""
    if isinstance(models, Mapping):
        return dict(models)
    is_list = isinstance(models, Sequence) and not isinstance(models, str)
    listed = list(models) if is_list else [models]
    found = {_name(model, number): model for number, model in enumerate(listed, 1)}
    if len(found) < len(listed) or not listed:
        raise TelosError("two models have the same name" if listed else "there is no model", "give a mapping by name")
    return found


def _name(model: Model, number: int) -> str:
    if isinstance(model, str | os.PathLike):
        return os.fspath(model)
    return getattr(model, "name", "") or f"model {number}"


def _open(
    frame: Frame, models: Sequence[Model], columns: ColumnsLike, *, labelled: bool = False, **how: Any
) -> tuple["Log", list[Any]]:
    from telos.telemetry import open_model_log

    loaded = [_loaded(model) for model in models]
    return open_model_log(frame, loaded, columns, labelled=labelled, **how), loaded


def _warn(report: "LogReport") -> None:
    """Warn of rows that were left out, and of all else that was found in a log."""
    if report.bad_rows or report.dropped_duplicates or (report.late and report.is_sorted):
        warnings.warn(report.why(), stacklevel=3)


# --- beliefs ----------------------------------------------------------------------------------------------------------


def _beliefs(log: "Log", model: Model, seed: int) -> "Iterator[pl.DataFrame]":
    from telos.telemetry.bulk import create_reader
    from telos.telemetry.bulk.batches import check_frame
    from telos.telemetry.bulk.reading import belief_columns

    reader = create_reader(model, seed=seed)
    schema = _schema(model)
    for batch in log.batches():
        checked = check_frame(batch)
        beliefs, _ = reader.beliefs(checked)
        yield checked.with_columns(belief_columns(reader.goals, beliefs)).select(schema.names()).cast(schema)
    _warn(log.report)


def _schema(model: Model) -> "pl.Schema":
    import polars as pl

    from telos.telemetry.bulk.reading import goal_column

    own = {"row": pl.Int64(), "player": pl.String(), "session": pl.String(), "time": pl.Float64()}
    goals = {goal_column(goal): pl.Float64() for goal in model.goals}
    return pl.Schema({**own, "action": pl.String(), "top": pl.String(), **goals})


def _lazy(beliefs: "Callable[[], Iterator[pl.DataFrame]]", log: "Log", model: Model) -> "pl.LazyFrame":
    """Return beliefs as a lazy frame; polars says which columns and rows it wants."""
    from polars.io.plugins import register_io_source

    def produce(columns: Any, predicate: Any, rows: int | None, _: int | None) -> "Iterator[pl.DataFrame]":
        for batch in beliefs():
            found = batch if predicate is None else batch.filter(predicate)
            found = found if columns is None else found.select(columns)
            if rows is not None:
                found, rows = found.head(rows), rows - found.height
            yield found
            if rows is not None and rows <= 0:
                return

    return register_io_source(produce, schema=_schema(model))
