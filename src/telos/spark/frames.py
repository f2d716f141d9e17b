"""Spark frames and polars frames: schemas in both directions, and batches of Arrow within a partition.

A function for partitions takes an iterator of polars frames and yields polars frames; ``map_partitions`` runs it on
Spark, and Arrow carries the rows. Python is called once for a batch, never once for a row.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from telos.core.errors import TelosError
from telos.spark.session import guard_spark

try:
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
except ImportError as missing:  # pragma: no cover
    raise TelosError(
        f"logs on a cluster are read with Spark, and {missing.name} is not installed", 'pip install "telos[spark]"'
    ) from None

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

Frames: TypeAlias = Iterator[pl.DataFrame]
PartitionFunction: TypeAlias = Callable[[Frames], Iterable[pl.DataFrame]]

ROWS_AT_ONCE = 1 << 17  # rows that are worked on together; Spark hands them over in smaller batches


def is_spark_frame(frame: object) -> bool:
    """Whether something is a data frame of Spark, classic or Connect."""
    return type(frame).__module__.split(".")[0] == "pyspark" and hasattr(frame, "mapInArrow")


def polars_schema(schema: "StructType") -> pl.Schema:
    """Return the schema of a Spark frame as polars has it."""
    try:
        return pl.DataFrame(pa.schema(to_arrow_schema(schema, timezone="UTC")).empty_table()).schema
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise TelosError(f"the frame has columns that cannot be read: {error}", "select the others") from None


def spark_schema(schema: pl.Schema) -> "StructType":
    """Return the schema of a polars frame as Spark has it."""
    return from_arrow_schema(arrow_schema(schema))


def arrow_schema(schema: pl.Schema) -> pa.Schema:
    """Return the schema of a polars frame in those types of Arrow that Spark knows."""
    return pa.schema([pa.field(each.name, _plain(each.type)) for each in _to_arrow(schema.to_frame()).schema])


def _to_arrow(frame: pl.DataFrame) -> Any:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return a type without large offsets, dictionaries and unsigned numbers, of which Spark has none."""
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_large_list(kind) or pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, _plain(each.type)) for each in kind])
    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}
    return wider.get(kind, kind)


def to_batches(frame: pl.DataFrame, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield a frame as batches of Arrow in the schema that was promised to Spark."""
    yield from _to_arrow(frame.select(schema.names)).cast(schema).to_batches()


def map_partitions(frame: "DataFrame", function: PartitionFunction, schema: pl.Schema) -> "DataFrame":
    """Return a Spark frame of what a function yields for each partition."""
    target = arrow_schema(schema)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for found in function(gather(batches)):
            yield from to_batches(found, target)

    return frame.mapInArrow(run, spark_schema(schema))


def gather(batches: Iterable[pa.RecordBatch], rows: int = ROWS_AT_ONCE) -> Frames:
    """Yield batches as polars frames of about so many rows; an empty partition yields nothing."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            yield pl.DataFrame(pa.Table.from_batches(held))
            held, count = [], 0
    if held:
        yield pl.DataFrame(pa.Table.from_batches(held))


def to_polars(frame: "DataFrame") -> pl.DataFrame:
    """Collect a Spark frame."""
    with guard_spark():
        return pl.DataFrame(frame.toArrow())


def to_spark(session: Any, frame: pl.DataFrame) -> "DataFrame":
    """Return a polars frame as one of Spark."""
    target = arrow_schema(frame.schema)
    found: DataFrame = session.createDataFrame(_to_arrow(frame).cast(target), schema=from_arrow_schema(target))
    return found
