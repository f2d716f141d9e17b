"""Parquet files and frames of polars, pandas and Arrow as batches of typed columns."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.files.reading import MAX_RATIO, open_input
from telos.telemetry.sources.raw import ROWS, RawBatch
from telos.telemetry.tables import guard_batches, guard_polars, pl

_MANY_ROWS = 50_000_000


class TableSource:
    """A table with typed columns: its names and types, and its rows in batches."""

    def __init__(self, table: pl.LazyFrame | pl.DataFrame, name: str = "", *, rows: int = 0) -> None:
        self.name, self._rows = name, rows
        self.notes: list[str] = []
        self._table = table
        with guard_polars(f"{name or 'the table'}: cannot be read", "mend it first"):
            self.schema = dict(table.collect_schema())
        self.names = tuple(self.schema)

    def count_rows(self) -> int:
        """Return the number of rows; 0 if that is not known before they are read."""
        if isinstance(self._table, pl.DataFrame):
            return self._table.height
        return self._rows

    def batches(self, wanted: Collection[str]) -> Iterator[RawBatch]:
        """Yield the rows with their wanted columns."""
        first = 0
        for frame in self._frames(list(wanted)):
            yield RawBatch(frame, self.name, first=first, position=first + frame.height)
            first += frame.height

    def _frames(self, wanted: list[str]) -> Iterator[pl.DataFrame]:
        if isinstance(self._table, pl.DataFrame):
            yield from self._table.select(wanted).iter_slices(ROWS)
            return
        what = f"{self.name or 'the table'}: cannot be read"
        with guard_polars(what, "mend it first"):
            # A table needs one column to have rows.
            table = self._table.select(wanted or self.names[:1])
            batches = table.collect_batches(chunk_size=ROWS, maintain_order=True)
        yield from (frame for frame in guard_batches(batches, what, "mend it first") if frame.height)


def parquet_file(name: str) -> TableSource:
    """Return a Parquet file as a source; one that inflates to more than its size allows is refused."""
    with open_input(name) as file:
        if not file.read(1):
            raise TelosError(f"{name}: the table is empty", "record one event a row")
    with guard_polars(f"{name}: cannot be read as parquet"):
        table = pl.scan_parquet(name, glob=False)
        rows = table.select(pl.len()).collect().item()
    size = Path(name).stat().st_size
    if rows > max(_MANY_ROWS, MAX_RATIO // 10 * size):
        raise TelosError(f"{name}: {rows:,} rows in {size:,} bytes", "that is more than is read")
    return TableSource(table, name, rows=rows)


# --- frames -----------------------------------------------------------------------------------------------------------


def to_polars(frame: Any) -> pl.LazyFrame | pl.DataFrame:
    """Return a frame of polars, pandas or Arrow, or a mapping of columns, as one of polars.

    Everything with the Arrow stream interface will do; nothing is copied where types agree.
    """
    if isinstance(frame, pl.LazyFrame | pl.DataFrame):
        return frame
    with guard_polars(f"a {_kind(frame)} cannot be read as a table"):
        try:
            if _is_pandas(frame):
                return pl.from_pandas(frame, nan_to_null=False)
            if isinstance(frame, dict):
                return pl.DataFrame(frame)
            if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
                found = pl.DataFrame(frame)
                return found.unnest("") if found.columns == [""] and found[""].dtype == pl.Struct else found
        except (TypeError, ValueError, ImportError) as error:
            raise TelosError(f"a {_kind(frame)} cannot be read as a table: {error}") from None
    raise TelosError(
        f"a {_kind(frame)} is no log", "give a path, a polars or pandas frame, an Arrow table or a mapping of columns"
    )


def is_frame(source: Any) -> bool:
    """Whether a source of events is a frame in memory, not a path."""
    return isinstance(source, pl.LazyFrame | pl.DataFrame | dict) or hasattr(source, "__arrow_c_stream__")


def return_like(frame: pl.DataFrame, like: Any) -> Any:
    """Return a table as the kind of frame that ``like`` is: pandas, Arrow, a lazy frame; else a polars frame."""
    if isinstance(like, pl.LazyFrame):
        return frame.lazy()
    if isinstance(like, dict):
        return frame.to_dict(as_series=False)
    if _is_pandas(like):
        return frame.to_pandas()
    if _kind(like).startswith("pyarrow."):
        found = frame.to_arrow()
        return found.to_batches()[0] if _kind(like).endswith(".RecordBatch") and frame.height else found
    return frame


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] == "pandas"


def _kind(frame: Any) -> str:
    found = type(frame)
    return found.__name__ if found.__module__ == "builtins" else f"{found.__module__.split('.')[0]}.{found.__name__}"
