"""Logs as Spark frames: checked before any job, in canonical columns, and dealt out by player in the order of time.

    Spark frame ──▶ canonical rows, faults counted ──▶ shuffle: whole players, each in order ──▶ function for partitions
                    check(): a job of its own          events()                                   apply()

A row has the same faults here and on one machine: the same converter works on it.
"""

import pickle
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import polars as pl

from telos.core.errors import TelosError, name_hint
from telos.recognition.bulk.encoders import column_encoder
from telos.spark.frames import (
    Frames,
    PartitionFunction,
    is_spark_frame,
    map_partitions,
    polars_schema,
    to_polars,
    to_spark,
)
from telos.spark.session import guard_spark
from telos.telemetry.bulk.folds import FoldDealer
from telos.telemetry.columns import DROP, Columns
from telos.telemetry.event_log import Log
from telos.telemetry.model_logs import open_model_log
from telos.telemetry.ordering import OrderCheck, RowOrder, Sequences
from telos.telemetry.report import LogReport
from telos.telemetry.sources import RawBatch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILE, ROW = "the file", "the row"  # with blanks, as no column that a log is asked for has
_KEYS = ("player", "session", "time", "row")
ROW_BITS = 40  # bits for the number of a row within its file
_FOLD = "fold"
_NAMED = 500  # players that are looked at to suggest one
_REPORT = pl.Schema({"file": pl.Int64(), "report": pl.Binary()})
_INTS = {"file": pl.Int64(), "start": pl.Int64()}


@dataclass(slots=True, eq=False)
class SparkLog:
    """A log on Spark and how it is read; ``report`` is that of the last ``check``."""

    frame: "DataFrame"
    log: Log
    files: dict[str, int] = field(default_factory=dict)  # the number of each file, in the order of their names
    report: LogReport = field(default_factory=LogReport)
    starts: dict[int, int] = field(default_factory=dict)  # the rows before each file; known after ``check``
    _kept: "DataFrame | None" = None

    @property
    def name(self) -> str:
        return self.log.name

    @property
    def columns(self) -> Columns:
        return self.log.columns

    @property
    def schema(self) -> pl.Schema:
        """The columns of ``events``."""
        return pl.Schema({name: kind for name, kind in self.log.schema.items() if name != "sequence"})

    def check(self, *, full: bool = False) -> LogReport:
        """Count the faults of all rows in a job; refuse bad ones unless they are skipped.

        ``full`` also counts players, sequences, late rows and rows that stand twice, for which the rows are dealt out
        by player; then the report is that of one machine which puts the rows in order.
        """
        found, rows = LogReport(is_sorted=True), dict[int, int]()
        for file, part in self._reports(map_partitions(self.frame, self._count_faults, _REPORT)):
            rows[file] = rows.get(file, 0) + part.rows
            found.add(part)
        self.starts = dict(
            zip(sorted(rows), accumulate((rows[file] for file in sorted(rows)), initial=0), strict=False)
        )
        if full and (self.log.skip_bad or not found.bad_rows):
            for _, part in self._reports(map_partitions(self.events(), self._count_players, _REPORT)):
                part.dropped = part.dropped_duplicates = part.duplicates if self._drops else 0
                part.kept = -part.dropped
                found.add(part)
        for counter in (found.actions, found.goals, found.truths):
            counter += Counter()  # without the words that are left nowhere
        self.report = found
        self.log.finish(found)
        return found

    def rows(self) -> "DataFrame":
        """Return the good rows in canonical columns, where they are."""
        return map_partitions(self.frame, self._canonical, self.schema)

    def events(self) -> "DataFrame":
        """Return the good rows in canonical columns: whole players in a partition, in the order of their times."""
        return by_player(self.rows()) if self._kept is None else self._kept

    def apply(
        self, function: PartitionFunction, schema: pl.Schema, *, rows: bool = False, events: "DataFrame | None" = None
    ) -> "DataFrame":
        """Return what a function yields for the events of each partition; with ``rows`` these have their numbers."""
        prepared = self._with_rows if rows else self._once
        return map_partitions(
            self.events() if events is None else events, lambda frames: function(prepared(frames)), schema
        )

    # --- parts of a log -----------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Keep the events on the executors, in memory or on their disks, for several jobs; ``release`` frees them."""
        from pyspark import StorageLevel

        if self._kept is None:
            self._kept = self.events().persist(StorageLevel.MEMORY_AND_DISK)

    def release(self) -> None:
        """Let go of the events that were kept."""
        if self._kept is not None:
            self._kept.unpersist()
            self._kept = None

    def select(self, *, player: str | None = None, only: int | None = None, leave_out: int | None = None) -> "SparkLog":
        """Return the log of a player, and of one fold or of all but one; what the log does not have is refused.

        Folds are in the column ``fold``, which has to be kept.
        """
        from pyspark.sql import functions

        events = self.events()
        if player is not None:
            self._check_known(events, "player", player)
            events = events.where(functions.col("player") == player)
        fold = only if only is not None else leave_out
        if fold is not None:
            self._check_known(events, _FOLD, str(fold))
            is_fold = functions.coalesce(functions.col(_FOLD) == str(fold), functions.lit(False))
            events = events.where(is_fold if only is not None else ~is_fold)
        return replace(self, _kept=events)

    def _check_known(self, events: "DataFrame", column: str, name: str) -> None:
        from pyspark.sql import functions

        with guard_spark():
            if not events.where(functions.col(column) == name).isEmpty():
                return
            known = events.select(column).where(f"{column} is not null").distinct().limit(_NAMED).collect()
        what = f"player {name!r}" if column == "player" else f"fold {name}"
        raise TelosError(f"{self.name}: no {what} in this log", name_hint(name, sorted(str(row[0]) for row in known)))

    def deal_players(self, dealer: FoldDealer) -> "DataFrame":
        """Return the events with the fold of each player: the one that it has on one machine, by its first row."""
        from pyspark.sql import functions

        first = self.events().groupBy("player").agg(functions.min("row").alias("row"))
        players = to_polars(first).sort("row").select("player")
        dealt = players.with_columns(pl.Series(_FOLD, dealer.folds_of(players["player"])))
        rows = self.events().drop(_FOLD).join(to_spark(self.frame.sparkSession, dealt), "player")
        return by_player(rows)

    # --- on executors -------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        # What executors need: not the frames, which only the driver has.
        return SparkLog, (None, self.log, self.files, LogReport(), self.starts)

    def _canonical(self, frames: Frames) -> Frames:
        report = LogReport()
        for batch in self._raw(frames):
            yield self._numbered(batch, report)

    def _numbered(self, batch: RawBatch, report: LogReport) -> pl.DataFrame:
        """Return the canonical rows of a batch; ``row`` orders those at the same time as the source does."""
        first = report.rows
        found = self.log.convert(batch, report)
        rows = batch.frame[ROW]
        if FILE in batch.frame.columns:
            rows = rows + self.files.get(batch.file, len(self.files)) * (1 << ROW_BITS)
        return found.with_columns(rows.gather(found["row"] - first).alias("row"))

    def _raw(self, frames: Frames) -> Iterator[RawBatch]:
        for frame in frames:
            for part in frame.partition_by(FILE, maintain_order=True) if FILE in frame.columns else [frame]:
                name = path_of(part[FILE][0]) if FILE in frame.columns else ""
                yield RawBatch(part, name, first=int(part[ROW][0]))

    def _count_faults(self, frames: Frames) -> Frames:
        reports: dict[int, LogReport] = {}
        for batch in self._raw(frames):
            number = self.files.get(batch.file, len(self.files))
            self.log.convert(batch, reports.setdefault(number, LogReport()))
        yield from (_packed(report, number) for number, report in reports.items())

    def _count_players(self, frames: Frames) -> Frames:
        report, sequences, order = LogReport(), Sequences(), RowOrder()
        for frame in whole_players(frames):
            numbered = sequences.number(frame)
            twice = _find_twice(numbered, order)
            report.duplicates += int(twice.sum())
            if self._drops:
                _subtract(frame.filter(twice), report)
            late = _find_late(numbered)
            report.late += int(late.late.sum())
            report.most_late = max(report.most_late, late.most)
        report.players, report.sequences = sequences.players, sequences.known.height
        yield _packed(report, 0)

    def _once(self, frames: Frames) -> Frames:
        """Leave out rows that stand twice, if the column file says so."""
        for frame in self._first_only(frames):
            yield frame.drop("row")

    def _with_rows(self, frames: Frames) -> Frames:
        """Give each row its number in the whole log."""
        starts = pl.DataFrame({"file": list(self.starts), "start": list(self.starts.values())}, schema_overrides=_INTS)
        for frame in self._first_only(frames):
            if not self.files:
                yield frame
                continue
            files = frame.select(file=pl.col("row") // (1 << ROW_BITS)).join(starts, on="file", maintain_order="left")
            yield frame.with_columns(row=pl.col("row") % (1 << ROW_BITS) + files["start"])

    def _first_only(self, frames: Frames) -> Frames:
        sequences, order = Sequences(), RowOrder()
        for frame in frames:
            if not self._drops:
                yield frame
                continue
            numbered = sequences.number(frame)
            yield numbered.filter(~_find_twice(numbered, order)).drop("sequence")

    @property
    def _drops(self) -> bool:
        return self.log.columns.duplicates == DROP

    @staticmethod
    def _reports(frame: "DataFrame") -> Iterator[tuple[int, LogReport]]:
        # In the order of the files, so that the first examples are the first of the log.
        for file, report in to_polars(frame).sort("file", maintain_order=True).iter_rows():
            yield file, pickle.loads(report)  # made by our own executors


def _packed(report: LogReport, file: int) -> pl.DataFrame:
    return pl.DataFrame({"file": [file], "report": [pickle.dumps(report)]}, schema=_REPORT)


def _find_twice(frame: pl.DataFrame, order: RowOrder) -> pl.Series:
    compared = [name for name in frame.columns if name != "row"]
    return pl.Series(order.duplicates(frame, compared, order.check(frame).ties))


def _subtract(dropped: pl.DataFrame, report: LogReport) -> None:
    """Take back what was counted of rows when their partition did not know that they stand twice."""
    for name, counter in (("action", report.actions), ("goal", report.goals), ("truth", report.truths)):
        counter.subtract(dropped[name].drop_nulls().to_list())


def _find_late(frame: pl.DataFrame) -> OrderCheck:
    """Return which rows of whole players stand in the source behind a later one of their sequence."""
    return RowOrder().check(frame.sort("player", "row"))


def by_player(rows: "DataFrame") -> "DataFrame":
    """Return rows with whole players in a partition, each player's in the order of time."""
    return rows.repartition("player").sortWithinPartitions(*_KEYS)


def whole_players(frames: Frames) -> Frames:
    """Yield the rows of a partition again in frames of whole players; those of a player have to stand together."""
    held: list[pl.DataFrame] = []
    for frame in frames:
        last = frame["player"][-1]
        if held and held[-1]["player"][-1] != frame["player"][0]:
            yield pl.concat(held)
            held = []
        is_last = frame["player"] == last
        if not is_last.all():
            yield pl.concat([*held, frame.filter(~is_last)])
            held = []
        held.append(frame.filter(is_last))
    if held:
        yield pl.concat(held)


def open_spark_log(
    frame: "DataFrame",
    models: Sequence[object] = (),
    columns: Columns | str | None = None,
    *,
    labelled: bool = False,
    keep: Sequence[str] = (),
    skip_bad: bool = False,
    drop_duplicates: bool | None = None,
) -> SparkLog:
    """Open a Spark frame as a log; whatever can be refused without reading a row is refused here.

    Rows are always put in the order of time, because a table on many machines has no order of its own; rows at the same
    time keep the order of their files where the frame is read from Parquet.
    """
    if not is_spark_frame(frame):
        raise TelosError(f"{type(frame).__name__} is not a Spark frame", "use telos.recognize and its like")
    for model in models:
        column_encoder(model)  # refuses one that reads single events: no row is ever shown to Python alone
    schema = polars_schema(frame.schema)
    log = open_model_log(
        schema.to_frame(), models, columns, labelled=labelled, keep=keep, skip_bad=skip_bad, sort=True,
        drop_duplicates=drop_duplicates,
    )  # fmt: skip
    log.name = "the Spark frame"
    if not log.columns.time_column:
        raise TelosError("a log on Spark needs a time: its rows have no other order", "name it: columns=")
    # Types that cannot be converted are refused by the first batch, which may as well be an empty one.
    log.convert(RawBatch(schema.to_frame()), LogReport())
    wanted = [f"`{name}`" for name in log.wanted]
    files = {} if frame.isStreaming else find_files(frame)
    return SparkLog(with_places(frame, wanted, files), log, files)


def find_files(frame: "DataFrame") -> dict[str, int]:
    """Return the numbers of the files of a frame in the order of their names; none if it is not read from Parquet."""
    from pyspark.errors import AnalysisException

    try:
        frame.select("_metadata.file_path", "_metadata.row_index").schema  # noqa: B018  resolves the names
        names = frame.inputFiles()
    except AnalysisException:  # no frame of Parquet files
        return {}
    return {name: number for number, name in enumerate(sorted(map(path_of, names)))}


def path_of(address: str) -> str:
    """Return the address of a file as people write it; Spark has several forms of a local one."""
    return unquote(re.sub("^file:/+", "/", address))


def with_places(frame: "DataFrame", wanted: list[str], files: dict[str, int]) -> "DataFrame":
    """Return some columns, and where each row stands: its file and number, or a number in the order of partitions."""
    from pyspark.sql import functions

    if files:
        places = [functions.col("_metadata.file_path").alias(FILE), functions.col("_metadata.row_index").alias(ROW)]
    elif frame.isStreaming:
        places = []
    else:
        places = [functions.monotonically_increasing_id().alias(ROW)]
    return frame.select(*wanted, *places)
