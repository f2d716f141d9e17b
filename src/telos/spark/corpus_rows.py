"""The parts of a corpus in the rows of a Spark table: what executors cut out of it, and what they refuse."""

from collections.abc import Iterator, Sequence

import polars as pl

from telos.core.errors import TelosError, name_hint
from telos.telemetry.canonical import DROPPED
from telos.telemetry.columns import Columns
from telos.telemetry.corpus import ACHIEVED, FIRST, GROUP, bin_column, keeps_time
from telos.telemetry.fields import Schema, as_expression

ROW, ORDER = "the row", "the order"  # with a blank, which no feature of a column file can have
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)


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
