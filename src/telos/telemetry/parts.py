"""The parts of a corpus, taken from the columns of a table."""

from collections.abc import Iterator, Sequence

from telos.core.errors import TelosError, name_hint
from telos.telemetry.binning import binned
from telos.telemetry.columns import Columns
from telos.telemetry.conditions import Schema, as_expression
from telos.telemetry.frames import pl

# Names with a blank, which no feature of a columns file can have.
ROW, ORDER, ACHIEVED, GROUP, DROPPED, FIRST = "the row", "the order", "the goal", "the group", "is dropped", "the first"

_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)


def parts_of(schema: Schema, columns: Columns) -> list[pl.Expr]:
    """Return what to take from a table; a column that is not there or holds something else is refused."""
    if not schema:
        raise TelosError("the table has no columns", "record one event a line")
    for column in columns.needed:
        if column not in schema:
            raise TelosError(f"there is no column {column!r}", name_hint(column, schema))
    for column in columns.names:
        if schema[column].is_nested() and column != columns.achieved:
            raise TelosError(f"column {column!r} holds {schema[column]}, and names are text", "name another column")
    return [pl.int_range(pl.len(), dtype=pl.UInt32).alias(ROW), *_names(columns), *_own(schema, columns)]


def _names(columns: Columns) -> Iterator[pl.Expr]:
    player = pl.col(columns.player).cast(pl.String) if columns.player else pl.lit("player")
    yield player.alias("player")
    session = pl.col(columns.session).cast(pl.String).fill_null("") if columns.session else pl.lit("")
    yield session.alias("session")
    yield pl.col(columns.action).cast(pl.String).alias("action")
    yield (pl.col(columns.group).cast(pl.String) if columns.group else player).alias(GROUP)


def _own(schema: Schema, columns: Columns) -> Iterator[pl.Expr]:
    if columns.order:
        yield _order(columns.order, schema[columns.order]).alias(ORDER)
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
        return binned(column, edges, kind)
    # An empty cell is no value, in whichever format the table came: in CSV the two cannot be told apart.
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
