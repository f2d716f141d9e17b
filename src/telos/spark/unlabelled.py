"""Training without labels on Spark: every round of expectation maximisation is a job that adds up expected counts.

The log is encoded once, two small numbers for each update, and kept on the executors. A round sends them the model, and
gets back the log-likelihood and the expected counts, which are its gradient times the chances of the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from telos.core.errors import TelosError
from telos.recognition.em import EMOptions, ExpectedCounts
from telos.recognition.iohmm import IOHMM
from telos.spark.batch import Model, ReportTo, as_model, checked_log
from telos.spark.events import SparkLog, whole_players
from telos.spark.frames import Frames, map_partitions, to_polars
from telos.telemetry.bulk import FoldDealer
from telos.telemetry.bulk.em import (
    HELD_OUT,
    CodedSessions,
    SessionCoder,
    UnlabelledTraining,
    expected_counts,
    fit_starts,
)
from telos.telemetry.columns import Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LISTS = pl.List(pl.Int32)
_CODED = pl.Schema(
    {"player": pl.String(), "fold": pl.Int32(), "cases": _LISTS, "symbols": _LISTS, "updates": pl.Int64()}
)
_SUMS = pl.Schema({"place": pl.Int64, "value": pl.Float64})


def train_unlabelled(
    model: Model,
    frame: "DataFrame",
    *,
    options: EMOptions | None = None,
    starts: int = 5,
    seed: int = 1,
    progress: Callable[[int, float], object] | None = None,
    columns: Columns | str | None = None,
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
    report: ReportTo | None = None,
) -> UnlabelledTraining:
    """Fit a model to a log whose goals are unknown, as `telos.telemetry.bulk.em.train_unlabelled` does.

    The same players are held out, and the same starts are drawn; sums in another order differ in their last places.
    """
    learner = as_model(model)
    if not isinstance(learner, IOHMM):
        raise TelosError(f"{learner!r} is written by hand and learns nothing", "train an iohmm")
    if learner.measures:
        raise TelosError(
            "measures are not yet trained without labels on Spark",
            "train on one machine, with labels (`truth`), or without `measures`",
        )
    opened = checked_log(frame, [learner], report, columns=columns, skip_bad=skip_bad, drop_duplicates=drop_duplicates)
    return fit_players(opened, learner, options=options, starts=starts, seed=seed, progress=progress)


def fit_players(opened: SparkLog, model: IOHMM, *, seed: int = 1, **options: Any) -> UnlabelledTraining:
    """Fit a model to the players of a log."""
    from pyspark import StorageLevel

    dealer = FoldDealer(HELD_OUT, seed=seed)
    dealt = opened.deal_players(dealer)
    coded = opened.apply(_Coding(model), _CODED, events=dealt).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        is_held = "fold = 0" if dealer.players >= HELD_OUT else "false"
        held, learned = (_sessions(coded.where(which)) for which in (is_held, f"not ({is_held})"))
        if not learned.updates:
            raise TelosError("no event of the log counts", "look at the clock of the model")
        best, fits, before = fit_starts(learned, held, model, seed=seed, **options)
    finally:
        coded.unpersist()
    updates = learned.updates + held.updates
    events = opened.report.kept
    return UnlabelledTraining(best, fits, before, max(fits), events, updates, dealer.players, held.players)


@dataclass(frozen=True, slots=True)
class _SparkSessions:
    """Sessions on the executors."""

    coded: "DataFrame"
    updates: int
    players: int

    def expect(self, model: IOHMM) -> ExpectedCounts:
        """Return the expected counts of these sessions under a model, in one job."""
        sums = map_partitions(self.coded, _Expecting(model), _SUMS).groupBy("place").sum("value")
        table = to_polars(sums)
        seen = (len(model.goals), len(model.symbols))
        followed = (len(model.matrices), len(model.goals), len(model.goals))
        flat = np.zeros(1 + np.prod(seen) + np.prod(followed))
        flat[table["place"].to_numpy()] = table["sum(value)"].to_numpy()
        middle = 1 + int(np.prod(seen))
        return expected_counts(model, float(flat[0]), flat[1:middle].reshape(seen), flat[middle:].reshape(followed))


def _sessions(coded: "DataFrame") -> _SparkSessions:
    from pyspark.sql import functions

    counts = coded.agg(functions.sum("updates"), functions.countDistinct("player"))
    ((updates, players),) = to_polars(counts).rows()
    return _SparkSessions(coded, updates or 0, players)


class _Coding:
    """Encodes the sessions of a partition: a row for each, with the cases and symbols of its updates."""

    def __init__(self, model: IOHMM) -> None:
        self.model = model

    def __call__(self, frames: Frames) -> Frames:
        for frame in whole_players(frames):
            coder = SessionCoder(self.model)
            coder.add(frame)
            found = coder.sessions(np.ones(len(coder.players), np.bool_))
            updates = np.diff(found.offsets)
            rows = pl.DataFrame({"session": np.repeat(np.arange(len(updates)), updates)})
            rows = rows.with_columns(cases=pl.Series(found.cases), symbols=pl.Series(found.symbols))
            lists = rows.group_by("session", maintain_order=True).agg("cases", "symbols")
            lists = lists.with_columns(
                player=coder.players.gather(lists["session"]), updates=pl.col("cases").list.len()
            )
            folds = frame.select("player", "fold").unique()
            yield lists.join(folds, on="player").select(_CODED.names()).cast(_CODED)


class _Expecting:
    """Adds up the expected counts of the sessions of a partition."""

    def __init__(self, model: IOHMM) -> None:
        self.model = model

    def __call__(self, frames: Frames) -> Frames:
        for frame in frames:
            offsets = np.concatenate([[0], np.cumsum(frame["updates"].to_numpy())]).astype(np.int64)
            cases, symbols = (frame[name].explode().cast(pl.Int64).to_numpy() for name in ("cases", "symbols"))
            fit, seen, followed = CodedSessions(cases, symbols, offsets).expect_arrays(self.model)
            flat = np.concatenate([[fit], seen.ravel(), followed.ravel()])
            places = np.flatnonzero(flat)
            yield pl.DataFrame({"place": places.astype(np.int64), "value": flat[places]})
