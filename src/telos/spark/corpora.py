"""Corpora on Spark: ``prepare`` labels every action with the next goal achieved, and deals folds, on a cluster.

Whole players are labelled by the code of one machine (`telos.telemetry.corpus`), and groups are dealt into the folds
that they have there. The sizes of groups and the names of players come to the driver; rows stay where they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import polars as pl

from telos.core.errors import TelosError
from telos.spark.corpus_rows import ORDER, ROW, check_order, check_rows, parts_of
from telos.spark.events import FILE, ROW_BITS, find_files, path_of, whole_players, with_places
from telos.spark.events import ROW as PLACE
from telos.spark.frames import Frames, is_spark_frame, map_partitions, polars_schema, to_polars, to_spark
from telos.telemetry.columns import Columns, named_columns, usual_columns
from telos.telemetry.corpus import (
    ACHIEVED,
    FIRST,
    GROUP,
    CorpusStatistics,
    assign_folds,
    check_corpus,
    keeps_time,
    label_rows,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KIND, _COUNT, _FOLD = "kind", "count", "fold"
_LABELLED, _ACHIEVING, _READ, _PLAYERS = "labelled", "achieving", "rows", "players"


@dataclass(frozen=True, slots=True)
class SparkCorpus:
    """A corpus on Spark: its tables have the columns of `telos.telemetry.Corpus`, their rows stand in any order.

    ``step`` orders the rows of a sequence. What was labelled is kept on the executors until ``release``.
    """

    frame: "DataFrame"
    achieved: "DataFrame"
    features: tuple[str, ...]
    rows_read: int
    players_read: int
    _kept: "DataFrame"

    def statistics(self) -> CorpusStatistics:
        """Count what `Corpus.statistics` counts."""
        types, rows = _counts(self.frame, "action"), _counts(self.frame, "goal")
        goals, folds = _counts(self.achieved, "goal"), _counts(self.frame, _FOLD)
        return CorpusStatistics(
            players=self.frame.select("player").distinct().count(),
            sequences=self.frame.select("player", "session").distinct().count(),
            actions=sum(types.values()),
            achieved=sum(goals.values()),
            goals=goals,
            rows=rows,
            types=types,
            folds=tuple(folds[fold] for fold in sorted(folds)),
            rows_read=self.rows_read,
            players_read=self.players_read,
        )

    def release(self) -> None:
        """Let go of what is kept on the executors."""
        self._kept.unpersist()


def _counts(frame: "DataFrame", column: str) -> dict[Any, int]:
    found = to_polars(frame.groupBy(column).count()).sort(["count", column], descending=[True, False])
    return dict(found.select(column, "count").rows())


def prepare(frame: "DataFrame", columns: Columns | str | None = None, *, folds: int = 10, seed: int = 1) -> SparkCorpus:
    """Build a corpus from an event table on Spark; the rows, steps and folds are those of `telos.telemetry.prepare`."""
    from pyspark import StorageLevel
    from pyspark.sql import functions

    if not is_spark_frame(frame):
        raise TelosError(f"{type(frame).__name__} is not a Spark frame", "use telos.telemetry.prepare")
    schema = polars_schema(frame.schema)
    described = named_columns(columns) if isinstance(columns, str) else columns or usual_columns(schema)
    files = find_files(frame)
    labelling = _Labelling(schema, described, files)
    sorted_by = ["player", "session", *([ORDER] if described.order and described.sort else []), ROW]
    rows = map_partitions(with_places(frame, [f"`{name}`" for name in schema], files), labelling.cut, labelling.rows)
    whole = rows.repartition("player").sortWithinPartitions(*(f"`{name}`" for name in sorted_by))
    kept = map_partitions(whole, labelling.label, labelling.schema).persist(StorageLevel.MEMORY_AND_DISK)
    labelled = kept.where(f"{_KIND} = '{_LABELLED}'").drop(_KIND, _COUNT)
    achieving = kept.where(f"{_KIND} = '{_ACHIEVING}'").select("player", "session", "goal", f"`{GROUP}`")
    totals = dict(to_polars(kept.groupBy(_KIND).agg(functions.sum(_COUNT).alias(_COUNT))).select(_KIND, _COUNT).rows())
    if not totals.get(_READ):
        raise TelosError("the table has no rows", "record one event a line")
    sizes = to_polars(labelled.groupBy("player", f"`{GROUP}`").count())
    check_corpus(sizes, to_polars(achieving.limit(1)), described)
    dealt = to_spark(frame.sparkSession, _dealt(sizes, folds, seed))
    features = tuple(described.features)
    times = ("time",) if described.order and keeps_time(described) else ()
    own = ("player", "session", "step", "action", *times, *features, "goal", _FOLD)
    return SparkCorpus(
        labelled.join(dealt, GROUP, "left").select([f"`{name}`" for name in own]),
        achieving.join(dealt, GROUP, "left").select("player", "session", "goal", _FOLD),
        features,
        totals[_READ],
        totals[_PLAYERS],
        kept,
    )


def _dealt(sizes: pl.DataFrame, folds: int, seed: int) -> pl.DataFrame:
    """Return the fold of each group."""
    by_group = dict(sizes.group_by(GROUP).agg(pl.col("count").sum()).iter_rows())
    found: Mapping[str, int] = assign_folds(by_group, folds, Random(seed)) if folds else dict.fromkeys(by_group, 0)
    return pl.DataFrame({GROUP: list(found), _FOLD: list(found.values())}, schema={GROUP: pl.String, _FOLD: pl.Int32})


class _Labelling:
    """What executors do: cut the parts of a corpus out of a table, and label the rows of whole players."""

    def __init__(self, schema: pl.Schema, columns: Columns, files: Mapping[str, int]) -> None:
        self._source, self._columns, self._files = dict(schema), columns, dict(files)
        cut = schema.to_frame().select(parts_of(schema, columns))
        self.rows = pl.Schema({**cut.schema, ROW: pl.Int64()})
        self.schema = self._labelled(self.rows.to_frame(), 0, 0).schema

    def cut(self, frames: Frames) -> Frames:
        """Yield the parts of a corpus; a row without a player, an action or a time is refused with its place."""
        for frame in frames:
            for part in frame.partition_by(FILE, maintain_order=True) if FILE in frame.columns else [frame]:
                name = path_of(part[FILE][0]) if FILE in part.columns else ""
                cut = part.select(parts_of(pl.Schema(self._source), self._columns)).with_columns(part[PLACE].alias(ROW))
                try:
                    check_rows(cut, self._columns)
                except TelosError as error:
                    raise (error.at(name) if name else error) from None
                yield cut.with_columns(pl.col(ROW) + (self._files.get(name, len(self._files)) << ROW_BITS))

    def label(self, frames: Frames) -> Frames:
        """Yield labelled and achieving rows, and how many rows and players were read."""
        for frame in whole_players(frames):
            yield self._labelled(frame, frame.height, frame["player"].n_unique())

    def _labelled(self, frame: pl.DataFrame, read: int, players: int) -> pl.DataFrame:
        rows = frame.with_columns(pl.col(ROW).first().over("player", "session").alias(FIRST))
        if self._columns.order and not self._columns.sort:
            check_order(rows.with_columns(pl.col(ROW) % (1 << ROW_BITS)), self._columns)
        rows = rows.drop(ROW, *([ORDER] if self._columns.order else []))
        achieving = rows.filter(pl.col(ACHIEVED).is_not_null()).select("player", "session", GROUP, goal=ACHIEVED)
        found = (_tagged(label_rows(rows), _LABELLED), _tagged(achieving, _ACHIEVING))
        totals = pl.DataFrame({_KIND: [_READ, _PLAYERS], _COUNT: [read, players]}, schema_overrides={_COUNT: pl.Int64})
        return pl.concat([*found, totals], how="diagonal")


def _tagged(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    return frame.with_columns(pl.lit(kind).alias(_KIND), pl.lit(1, pl.Int64).alias(_COUNT))
