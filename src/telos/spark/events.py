"""Logs as Spark frames: checked before any job, in canonical columns, and dealt out by player in the order of time.

    Spark frame ──▶ canonical rows, faults counted ──▶ shuffle: whole players, each in order ──▶ function for partitions
                    check(): a job of its own          events()                                   apply()

A row has the same faults here and on one machine: the same converter works on it.
"""

import pickle
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import polars as pl

from telos.core.errors import TelosError
from telos.recognition.bulk.encoders import column_encoder
from telos.spark.frames import Frames, PartitionFunction, is_spark_frame, map_partitions, polars_schema
from telos.telemetry.columns import DROP, Columns
from telos.telemetry.event_log import Log
from telos.telemetry.model_logs import open_model_log
from telos.telemetry.ordering import Order, Sequences
from telos.telemetry.report import LogReport
from telos.telemetry.sources import RawBatch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILE, ROW = "the file", "the row"  # with blanks, as no column that a log is asked for has
_KEYS = ("player", "session", "time", "row")
_SHIFT = 40  # bits for the number of a row within its file
_REPORT = pl.Schema({"file": pl.Int64(), "report": pl.Binary()})


@dataclass(slots=True, eq=False)
class SparkLog:
    """A log on Spark and how it is read; ``report`` is that of the last ``check``."""

    frame: "DataFrame"
    log: Log
    files: dict[str, int] = field(default_factory=dict)  # the number of each file, in the order of their names
    report: LogReport = field(default_factory=LogReport)

    def check(self, *, full: bool = False) -> LogReport:
        """Count the faults of all rows in a job; refuse bad ones unless they are skipped.

        ``full`` also counts players, sequences and rows that stand twice, for which the rows are dealt out by player.
        """
        found = LogReport(is_sorted=True)
        for part in self._reports(map_partitions(self.frame, self._count_faults, _REPORT)):
            found.add(part)
        if full:
            for part in self._reports(map_partitions(self.events(), self._count_players, _REPORT)):
                part.dropped = part.duplicates if self._drops else 0
                part.kept = -part.dropped
                found.add(part)
        self.report = found
        self.log.finish(found)
        return found

    def events(self) -> "DataFrame":
        """Return the good rows in canonical columns: whole players in a partition, in the order of their times."""
        schema = pl.Schema({name: kind for name, kind in self.log.schema.items() if name != "sequence"})
        rows = map_partitions(self.frame, self._canonical, schema)
        return rows.repartition("player").sortWithinPartitions(*_KEYS)

    def apply(self, function: PartitionFunction, schema: pl.Schema) -> "DataFrame":
        """Return what a function yields for the events of each partition."""
        once = self._once
        return map_partitions(self.events(), lambda frames: function(once(frames)), schema)

    # --- on executors -------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        # What executors need: not the frame, which only the driver has.
        return SparkLog, (None, self.log, self.files)

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
            rows = rows + self.files.get(batch.file, len(self.files)) * (1 << _SHIFT)
        return found.with_columns(rows.gather(found["row"] - first).alias("row"))

    def _raw(self, frames: Frames) -> Iterator[RawBatch]:
        for frame in frames:
            for part in frame.partition_by(FILE, maintain_order=True) if FILE in frame.columns else [frame]:
                name = _path(part[FILE][0]) if FILE in frame.columns else ""
                yield RawBatch(part, name, first=int(part[ROW][0]))

    def _count_faults(self, frames: Frames) -> Frames:
        reports: dict[int, LogReport] = {}
        for batch in self._raw(frames):
            number = self.files.get(batch.file, len(self.files))
            self.log.convert(batch, reports.setdefault(number, LogReport()))
        yield from (_packed(report, number) for number, report in reports.items())

    def _count_players(self, frames: Frames) -> Frames:
        report, sequences, order = LogReport(), Sequences(), Order()
        for frame in frames:
            twice = _find_twice(sequences.number(frame), order)
            report.duplicates += int(twice.sum())
        report.players, report.sequences = sequences.players, sequences.known.height
        yield _packed(report, 0)

    def _once(self, frames: Frames) -> Frames:
        """Leave out rows that stand twice, if the column file says so."""
        sequences, order = Sequences(), Order()
        for frame in frames:
            if not self._drops:
                yield frame.drop("row")
                continue
            numbered = sequences.number(frame)
            yield numbered.filter(~_find_twice(numbered, order)).drop("row", "sequence")

    @property
    def _drops(self) -> bool:
        return self.log.columns.duplicates == DROP

    @staticmethod
    def _reports(frame: "DataFrame") -> Iterator[LogReport]:
        # In the order of the files, so that the first examples are the first of the log.
        for _, report in sorted(frame.collect(), key=lambda row: int(row[0])):
            yield pickle.loads(report)  # made by our own executors


def _packed(report: LogReport, file: int) -> pl.DataFrame:
    return pl.DataFrame({"file": [file], "report": [pickle.dumps(report)]}, schema=_REPORT)


def _find_twice(frame: pl.DataFrame, order: Order) -> pl.Series:
    compared = [name for name in frame.columns if name != "row"]
    return pl.Series(order.duplicates(frame, compared, order.check(frame).ties))


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
    files = {} if frame.isStreaming else _files(frame)
    return SparkLog(_with_places(frame, wanted, files), log, files)


def _files(frame: "DataFrame") -> dict[str, int]:
    """Return the numbers of the files of a frame in the order of their names; none if it is not read from Parquet."""
    from pyspark.errors import AnalysisException

    try:
        frame.select("_metadata.file_path", "_metadata.row_index").schema  # noqa: B018  resolves the names
        names = frame.inputFiles()
    except AnalysisException:  # no frame of Parquet files
        return {}
    return {name: number for number, name in enumerate(sorted(map(_path, names)))}


def _path(address: str) -> str:
    """Return the address of a file as people write it; Spark has several forms of a local one."""
    return unquote(re.sub("^file:/+", "/", address))


def _with_places(frame: "DataFrame", wanted: list[str], files: dict[str, int]) -> "DataFrame":
    from pyspark.sql import functions

    if files:
        places = [functions.col("_metadata.file_path").alias(FILE), functions.col("_metadata.row_index").alias(ROW)]
    elif frame.isStreaming:
        places = []
    else:
        places = [functions.monotonically_increasing_id().alias(ROW)]
    return frame.select(*wanted, *places)
