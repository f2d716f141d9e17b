"""Event tables from files: CSV, JSON Lines and Parquet, the first two also compressed."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from telos.core.errors import TelosError
from telos.telemetry.columns import Columns
from telos.telemetry.csv_lines import check_lines
from telos.telemetry.frames import pl

_BLOCK = 1 << 24
_SAMPLE = 10_000  # lines from which the types of columns are guessed, before all are asked
_KINDS = {
    "csv": (".csv", ".csv.gz"),
    "json": (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"),
    "parquet": (".parquet",),
}


def read_table(path: str | os.PathLike[str], columns: Columns | None = None) -> pl.LazyFrame:
    """Return the table at ``path``, to be read when it is needed; what cannot be read is said now.

    The columns that ``columns`` takes names from are read as text. The ``context`` of an event log is unfolded: each of
    its entries is a column.
    """
    name = os.fspath(path)
    kind = next((kind for kind, endings in _KINDS.items() if name.lower().endswith(endings)), "")
    if not kind:
        known = ", ".join(ending for endings in _KINDS.values() for ending in endings)
        raise TelosError(f"{name}: what sort of table is this? name a file that ends in {known}")
    _check_file(name)
    try:
        return {"csv": _csv, "json": _json_lines, "parquet": _parquet}[kind](name, columns)
    except pl.exceptions.PolarsError as error:
        raise TelosError(f"{name}: cannot be read as {kind}: {_first_line(error)}") from None


def collected(table: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows of a table; trouble on the way is told in one line."""
    try:
        return table.collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise TelosError(f"the table cannot be read: {_first_line(error)}", "mend it first") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


def _check_file(name: str) -> None:
    try:
        with Path(name).open("rb") as file:
            if not file.read(1):
                raise TelosError(f"{name}: the table is empty", "record one event a line")
    except FileNotFoundError:
        raise TelosError(f"{name}: no such file", "name a log, as in: play.csv") from None
    except IsADirectoryError:
        raise TelosError(f"{name}: this is a folder", "name a log in it") from None
    except OSError as error:
        raise TelosError(f"{name}: cannot be read: {error.strerror or error}") from None


def _csv(name: str, columns: Columns | None) -> pl.LazyFrame:
    source: str | bytes = name
    if name.lower().endswith(".gz"):
        source = _inflated(name)
    lines, blanks = check_lines(_blocks(source), name)
    if not lines:
        raise TelosError(f"{name}: the table is empty", "record one event a line")
    table = _scanned(source, columns, _SAMPLE)
    if lines > _SAMPLE:
        try:  # a column that starts with numbers may go on with words
            table.select(pl.all().null_count()).collect(engine="streaming")
        except pl.exceptions.ComputeError:
            table = _scanned(source, columns, None)
    return table.filter(~pl.all_horizontal(pl.all().is_null())) if blanks else table


def _scanned(source: str | bytes, columns: Columns | None, sample: int | None) -> pl.LazyFrame:
    texts = pl.scan_csv(_where(source), infer_schema=False)
    names = texts.collect_schema().names()
    # State 0010 is a name, and not ten.
    padded = texts.head(_SAMPLE).select(pl.all().str.contains(r"^[+-]?0[0-9]").any()).collect().row(0)
    kept = {name for name, is_padded in zip(names, padded, strict=True) if is_padded}
    kept |= set(columns.names if columns else ()) & set(names)
    return pl.scan_csv(
        _where(source), infer_schema_length=sample, schema_overrides=dict.fromkeys(sorted(kept), pl.String)
    )


def _where(source: str | bytes) -> str | io.BytesIO:
    return io.BytesIO(source) if isinstance(source, bytes) else source


def _inflated(name: str) -> bytes:
    try:
        with gzip.open(name) as file:
            return file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TelosError(f"{name}: not a whole gzip file", "compress it again") from None


def _blocks(source: str | bytes) -> Iterator[bytes]:
    with io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _json_lines(name: str, columns: Columns | None) -> pl.LazyFrame:
    source: str | bytes = _inflated(name) if name.lower().endswith(".gz") else name
    if not any(block.strip() for block in _blocks(source)):
        raise TelosError(f"{name}: the table is empty", "record one event a line")
    try:
        # All lines are asked for their keys: which facts a game knows differs from event to event.
        table = pl.read_ndjson(_where(source), infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError:
        _tell_bad_line(source, name)
        raise
    return unfolded(table)


def unfolded(table: pl.LazyFrame) -> pl.LazyFrame:
    """Return an event log with each entry of its ``context`` as a column."""
    schema = table.collect_schema()
    context = schema.get("context")
    if not isinstance(context, pl.Struct):
        return table
    entries = [
        # A fact that has the name of another column keeps apart from it.
        pl.col("context")
        .struct.field(field.name)
        .alias(f"context_{field.name}" if field.name in schema else field.name)
        for field in context.fields
    ]
    return table.select(pl.all().exclude("context"), *entries)


def _tell_bad_line(source: str | bytes, name: str) -> None:
    """Find the line that the engine stumbled over, which it does not name."""
    with io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                said = json.loads(line) if line.strip() else {}
            except ValueError as error:
                raise TelosError(
                    f"{name}:{number}: this is not JSON: {error}", "write one JSON object a line"
                ) from None
            if not isinstance(said, dict):
                raise TelosError(f"{name}:{number}: a line is one JSON object, got {line.decode()[:40].strip()}")


def _parquet(name: str, columns: Columns | None) -> pl.LazyFrame:
    table = pl.scan_parquet(name)
    table.collect_schema()  # so that a file that is none is refused here
    return unfolded(table)
