"""Corpora on Spark: ``prepare`` labels every action with the next goal achieved, and deals folds, on a cluster.

Whole players are labelled by the code of one machine (`telos.telemetry.corpus`), and groups are dealt into the folds
that they have there. The sizes of groups and the names of players come to the driver; rows stay where they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import polars as pl

from telos.core.errors import TelosError, name_hint
from telos.spark.events import FILE, ROW_BITS, find_files, path_of, whole_players, with_places
from telos.spark.events import ROW as PLACE
from telos.spark.frames import Frames, is_spark_frame, map_partitions, polars_schema, to_polars, to_spark
from telos.telemetry.canonical import DROPPED
from telos.telemetry.columns import Columns, named_columns, usual_columns
from telos.telemetry.corpus import (
    ACHIEVED,
    FIRST,
    GROUP,
    CorpusStatistics,
    assign_folds,
    bin_column,
    check_corpus,
    keeps_time,
    label_rows,
)
from telos.telemetry.fields import Schema, as_expression

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROW, ORDER = "the row", "the order"  # with a blank, which no feature of a column file can have
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
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


# --- what executors cut out of a table, and what they refuse ---


def parts_of(schema: Schema, columns: Columns) -> list[pl.Expr]:
    """Return the expressions to select from a table; raise a ``TelosError`` for a missing column or a wrong type."""
    if not schema:
        raise TelosError("the table has no columns", "record one event a line")
    for column in columns.corpus_columns:
        if column not in schema:
            raise TelosError(f"there is no column {column!r}", name_hint(column, schema))
    for column in columns.name_columns:
        if schema[column].is_nested() and column != columns.achieved:
            raise TelosError(f"column {column!r} holds {schema[column]}, and names are text", "name another column")
    return [pl.int_range(pl.len(), dtype=pl.UInt32).alias(ROW), *_names(columns), *_own(schema, columns)]


def _names(columns: Columns) -> Iterator[pl.Expr]:
    player = pl.col(columns.player).cast(pl.String) if columns.player else pl.lit("player")
    yield player.alias("player")
    session = pl.col(columns.session).cast(pl.String).fill_null("") if columns.session else pl.lit("")
    yield session.alias("session")
    action = pl.col(columns.action).cast(pl.String)
    yield (action.replace(dict(columns.actions)) if columns.actions else action).alias("action")
    yield (pl.col(columns.group).cast(pl.String) if columns.group else player).alias(GROUP)


def _own(schema: Schema, columns: Columns) -> Iterator[pl.Expr]:
    if columns.order:
        yield _order(columns.order, schema[columns.order]).alias(ORDER)
        if keeps_time(columns):
            yield _seconds(columns, schema[columns.order]).alias("time")
    yield _achieved(schema, columns).alias(ACHIEVED)
    yield _dropped(schema, columns).alias(DROPPED)
    for feature, column in columns.features.items():
        yield _feature(column, schema[column], columns.bins.get(feature)).alias(feature)


def _dropped(schema: Schema, columns: Columns) -> pl.Expr:
    drop = pl.lit(False) if columns.drop is None else as_expression(columns.drop, schema)
    for column, values in columns.drop_values.items():
        drop |= pl.col(column).cast(pl.String).is_in(values).fill_null(False)
    return drop


def _feature(column: str, kind: pl.DataType, edges: Sequence[float] | None) -> pl.Expr:
    if edges is not None:
        return bin_column(column, edges, kind)
    # An empty cell is a missing value in every format, because CSV cannot distinguish the two.
    return pl.when(pl.col(column) != "").then(pl.col(column)) if kind == pl.String else pl.col(column)


def _order(column: str, kind: pl.DataType) -> pl.Expr:
    if kind.is_numeric() or kind.is_temporal():
        return pl.col(column)
    if kind != pl.String:
        raise TelosError(f"column {column!r} holds {kind}, which has no order", "name one with numbers or times")
    number = pl.col(column).cast(pl.Float64, strict=False)
    time = pl.col(column).str.to_datetime(strict=False, time_unit="us", format="%+").dt.epoch("us") / 1e6
    plain = (
        pl.col(column).str.to_datetime(strict=False, time_unit="us", format="%Y-%m-%d %H:%M:%S%.f").dt.epoch("us") / 1e6
    )
    return pl.coalesce(number, time, plain)


def _seconds(columns: Columns, kind: pl.DataType) -> pl.Expr:
    """Return the time in seconds, since 1970 for dates."""
    if kind.is_temporal():
        return pl.col(columns.order).cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
    return _order(columns.order, kind).cast(pl.Float64) * columns.unit


def _achieved(schema: Schema, columns: Columns) -> pl.Expr:
    if not columns.achieved:
        if not columns.goals:
            raise TelosError("nothing says which actions achieve goals", "name a column, or actions and their goals")
        return (
            pl.col(columns.action)
            .cast(pl.String)
            .replace_strict(dict(columns.goals), default=None, return_dtype=pl.String)
        )
    kind = schema[columns.achieved]
    if kind not in _TEXTS:
        raise TelosError(
            f"column {columns.achieved!r} holds {kind}, and goals have names",
            f"if it is a flag, write `achieved: {{when: {columns.achieved} == 1, goal: …}}`",
        )
    name = pl.col(columns.achieved).cast(pl.String).str.strip_chars()
    holds = as_expression(columns.when, schema)
    return pl.when((name != "") & holds).then(name)


def check_rows(rows: pl.DataFrame, columns: Columns) -> None:
    """Raise a ``TelosError`` for a table without rows, or a row without a player, an action, a group or a time."""
    if not rows.height:
        raise TelosError("the table has no rows", "record one event a line")
    parts = {"player": columns.player, "action": columns.action, GROUP: columns.group, ORDER: columns.order}
    for part, column in parts.items():
        if not column:
            continue
        empty = rows[part].is_null()
        if rows[part].dtype == pl.String:
            empty |= rows[part] == ""
        elif rows[part].dtype.is_float():
            empty |= ~rows[part].is_finite().fill_null(False)
        if empty.any():
            row = rows.row(int(empty.arg_max() or 0), named=True)[ROW] + 1
            what = "nothing that can be put in order" if part == ORDER else "nothing"
            raise TelosError(f"row {row}: column {column!r} says {what}", "mend the row or leave it out")


def check_order(rows: pl.DataFrame, columns: Columns) -> None:
    """Raise a ``TelosError`` for a sequence whose time runs backwards."""
    is_same = pl.col(FIRST) == pl.col(FIRST).shift(1)
    backwards = rows.select(is_same & (pl.col(ORDER) < pl.col(ORDER).shift(1))).to_series().fill_null(False)
    if not backwards.any():
        return
    at = int(backwards.arg_max() or 0)
    before, row = rows.row(at - 1, named=True), rows.row(at, named=True)
    remedy = f"name the column of the session, or write `order: {{column: {columns.order}, sort: true}}`"
    raise TelosError(
        f"row {row[ROW] + 1}: {columns.order!r} runs backwards for player {row['player']!r}, "
        f"from {before[ORDER]} to {row[ORDER]}",
        remedy,
    )
