"""Live beliefs over a stream: ``recognize_stream``, with the state of each player in Spark's state store.

    events ──▶ canonical rows, packed by bucket ──▶ bucket of players: state out, array path, state in ──▶ beliefs
               Arrow, before the shuffle            transformWithStateInPandas, RocksDB

A micro-batch calls Python once for each bucket of players that has events, and not once for each row. The state of a
player is a row of the state store, under the bucket's key; what the checkpoint holds is enough to go on with the same
beliefs, on any machine.
"""

import io
import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from telos.core.errors import TelosError
from telos.spark.batch import Model, as_model, belief_schema
from telos.spark.events import SparkLog, open_spark_log
from telos.spark.frames import Frames, map_partitions, spark_schema
from telos.spark.session import ROCKSDB, STATE_PROVIDER
from telos.telemetry.bulk import BeliefReader
from telos.telemetry.columns import Columns
from telos.telemetry.report import LogReport, RowFault
from telos.telemetry.sources import RawBatch

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

BUCKETS = 64
METRICS = "telos"  # the name of the metrics of a query: rows, and bad rows by fault
LATE = "late"
_KEYS = ("player", "session")
_PACKED = pl.Schema({"bucket": pl.Int32, "events": pl.Binary, "fault": pl.String, "rows": pl.Int64})
_BELIEFS = "beliefs"


def recognize_stream(
    model: Model,
    stream: "DataFrame",
    *,
    columns: Columns | str | None = None,
    buckets: int = BUCKETS,
    forget_after: float | None = None,
    skip_bad: bool = True,
) -> "DataFrame":
    """Return a stream with the belief after each event: as `recognize`, and ``late``.

    Within a micro-batch the events of a player are put in the order of time. One that is earlier than those of the
    micro-batches before is ``late``: its row has the belief as it is, which does not change. Bad rows are left out and
    counted by fault in the metrics of the query, under ``telos``; without ``skip_bad`` they end it.

    ``buckets`` of players share calls of Python; a checkpoint is continued with as many. The state of a player of whom
    nothing is heard for ``forget_after`` seconds is removed.
    """
    if not getattr(stream, "isStreaming", False):
        raise TelosError("this frame is not a stream", "use telos.spark.recognize for it")
    if buckets < 1:
        raise TelosError(f"buckets must be at least 1, got {buckets}")
    if forget_after is not None and not forget_after > 0:
        raise TelosError(f"forget_after is a number of seconds above 0, got {forget_after}")
    provider = stream.sparkSession.conf.get(STATE_PROVIDER, "")
    if provider != ROCKSDB:
        raise TelosError(
            "the state of players is kept in RocksDB, and this session keeps states elsewhere",
            f"open it with telos.spark.open_session, or set {STATE_PROVIDER} to {ROCKSDB}",
        )
    reader = as_model(model)
    schema = pl.Schema([*belief_schema(reader).items(), (LATE, pl.Boolean())])
    opened = open_spark_log(stream, [reader], columns, skip_bad=skip_bad)
    packed = map_partitions(opened.frame, _Packing(opened, buckets), _PACKED)
    counted = _observed(packed).where("bucket is not null").select("bucket", "events")
    updated = counted.groupBy("bucket").transformWithStateInPandas(
        BucketProcessor(reader, forget_after),
        outputStructType=spark_schema(pl.Schema({_BELIEFS: pl.Binary})),
        outputMode="Append",
        timeMode="None" if forget_after is None else "ProcessingTime",
    )
    return map_partitions(updated, _unpack_beliefs, schema)


def _observed(packed: "DataFrame") -> "DataFrame":
    """Count rows and bad rows, which the query reports after each micro-batch."""
    from pyspark.sql import functions

    def count(condition: Any, name: str) -> Any:
        return functions.coalesce(functions.sum(functions.when(condition, packed.rows)), functions.lit(0)).alias(name)

    faults = [count(packed.fault == str(fault), str(fault)) for fault in RowFault]
    return packed.observe(METRICS, count(packed.fault.isNull(), "rows"), *faults)


# --- packing ----------------------------------------------------------------------------------------------------------


class _Packing:
    """Packs the good rows of a partition, those of each bucket together; bad ones are counted by fault."""

    def __init__(self, opened: SparkLog, buckets: int) -> None:
        self.log, self.buckets = opened.log, buckets

    def __call__(self, frames: Frames) -> Frames:
        for frame in frames:
            report = LogReport()
            good = self.log.convert(RawBatch(frame), report)
            if report.bad_rows and not self.log.skip_bad:
                raise report.refusal(self.log.name)
            yield from self._packed(good.drop("row"))
            faults = [(None, None, str(fault), count.rows) for fault, count in report.faults.items()]
            if faults:
                yield pl.DataFrame(faults, schema=_PACKED, orient="row")

    def _packed(self, frame: pl.DataFrame) -> Frames:
        players = frame["player"].unique()
        numbers = [zlib.crc32(player.encode()) % self.buckets for player in players]
        bucket = frame["player"].replace_strict(players, numbers, return_dtype=pl.Int32)
        parts = frame.with_columns(bucket=bucket).partition_by("bucket", as_dict=True, include_key=False)
        rows = [(number, pack(part), None, part.height) for (number,), part in parts.items()]
        if rows:
            yield pl.DataFrame(rows, schema=_PACKED, orient="row")


def pack(frame: pl.DataFrame) -> bytes:
    """Return a frame as bytes, in Arrow's stream format."""
    file = io.BytesIO()
    frame.write_ipc_stream(file, compression="lz4")
    return file.getvalue()


def unpack(packed: bytes) -> pl.DataFrame:
    """Return the frame of such bytes."""
    return pl.read_ipc_stream(io.BytesIO(packed))


def _unpack_beliefs(frames: Frames) -> Frames:
    for frame in frames:
        for packed in frame[_BELIEFS]:
            yield unpack(packed)


# --- state ------------------------------------------------------------------------------------------------------------


class BucketProcessor(StatefulProcessor):
    """Reads the events of a bucket of players in one micro-batch; each player and session has a state of its own."""

    def __init__(self, model: object, forget_after: float | None = None) -> None:
        self._model = model
        self._lifetime = None if forget_after is None else int(forget_after * 1000)
        self._schema = BeliefReader(model).state.schema
        self._goals = BeliefReader(model).goals

    def init(self, handle: Any) -> None:
        """Declare the state: by player and session, the columns that a reader of beliefs continues from."""
        values = pl.Schema({name: kind for name, kind in self._schema.items() if name not in _KEYS})
        keys = pl.Schema(dict.fromkeys(_KEYS, pl.String))
        # Names with a dot would be read as parts of a structure.
        plain = pl.Schema({name.replace(".", "_"): kind for name, kind in values.items()})
        self._states = handle.getMapState("players", spark_schema(keys), spark_schema(plain), self._lifetime)

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,
        rows: "Iterator[pd.DataFrame]",
        timerValues: Any,  # noqa: N803
    ) -> "Iterator[pd.DataFrame]":
        """Yield the beliefs after the events of one bucket."""
        import pandas as pd

        parts = [unpack(bytes(packed)) for frame in rows for packed in frame["events"]]
        beliefs = self._read(pl.concat(parts))
        yield pd.DataFrame({_BELIEFS: [pack(beliefs)]})

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _read(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the beliefs after the events of a bucket, and keep the states of its players."""
        frame = frame.with_columns(pl.col("session").fill_null("")).sort(*_KEYS, "time", maintain_order=True)
        keys = frame.select(_KEYS).unique(maintain_order=True)
        before = self._load(keys.iter_rows())
        is_late = self._find_late(frame, before)
        reader = BeliefReader(self._model, state=before)
        on_time = reader.read(frame.filter(~is_late)).with_columns(pl.lit(False).alias(LATE))
        self._save(reader.state)
        if not is_late.any():
            return on_time
        return pl.concat([on_time, self._unchanged(frame.filter(is_late), before)])

    def _load(self, keys: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        found = [(*key, *state) for key in keys if (state := self._states.getValue(key)) is not None]
        return pl.DataFrame(found, schema=self._schema, orient="row")

    def _save(self, states: pl.DataFrame) -> None:
        for row in states.iter_rows():
            self._states.updateValue(row[: len(_KEYS)], row[len(_KEYS) :])

    @staticmethod
    def _find_late(frame: pl.DataFrame, before: pl.DataFrame) -> pl.Series:
        last = frame.join(before.select(*_KEYS, last="time"), on=_KEYS, how="left", maintain_order="left")["last"]
        return (frame["time"] < last).fill_null(False)

    def _unchanged(self, late: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
        """Return the beliefs of players at late events: those before this micro-batch."""
        named = {goal: pl.col(f"belief.{goal}") for goal in self._goals}
        top = pl.concat_list(named.values()).list.arg_max()
        names = pl.lit(pl.Series(list(self._goals)))
        return late.join(before.drop("time"), on=_KEYS, how="left", maintain_order="left").select(
            *_KEYS, "time", top=names.gather(top), **named, **{LATE: pl.lit(True)}
        )
