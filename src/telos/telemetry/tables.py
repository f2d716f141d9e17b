"""Event tables as polars frames, from CSV, JSON Lines and Parquet: ``read_table``.

Polars pads short CSV lines silently, so ``check_lines`` counts the cells of every line first.
"""

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.telemetry.columns import Columns

try:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
except ModuleNotFoundError:
    raise TelosError(
        "tables are worked on with polars, which is not installed", 'pip install "telos[telemetry]"'
    ) from None

__all__ = ["check_lines", "collect_table", "from_events", "pl", "read_table", "unfold_context"]

# --- checking CSV lines -----------------------------------------------------------------------------------------------


MAX_LINE_BYTES = 1 << 26  # bytes between two ends of lines
_COMMA, _QUOTE, _NEWLINE = ord(","), ord('"'), ord("\n")


def check_lines(blocks: Iterable[bytes], name: str) -> tuple[int, int]:
    r"""Count the lines below the header of a CSV table: those with cells, and empty ones.

    ``blocks`` are its bytes. A line with another number of cells than the header raises a ``TelosError``.

    >>> check_lines([b"a,b\n1,2\n", b"\n3,4\n"], "a.csv")
    (2, 1)
    """
    cells, line, blanks = 0, 1, 0
    for records in _whole_lines(blocks):
        if records.count(b'"') % 2:
            raise TelosError(f"{name}:{line}: a quote is opened and never closed", "close it")
        if not cells:
            cells = _cells_of_header(records, name)
        commas, empty = _commas(records)
        wrong = (commas != cells - 1) & ~empty
        if wrong.any():
            at = int(wrong.argmax())
            raise TelosError(
                f"{name}:{line + at}: the line has {commas[at] + 1} cells, and the first line has {cells}", "mend it"
            )
        line += len(commas)
        blanks += int(empty.sum())
    return max(line - 2 - blanks, 0), blanks


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks again, each cut at a line end outside quotes; the last block is the remainder."""
    rest = b""
    for block in blocks:
        rest += block
        cut = _last_end(rest) + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > MAX_LINE_BYTES:
            break  # longer than any valid line, so a quote is open
    if rest:
        yield rest + b"\n"


def _last_end(data: bytes) -> int:
    """Return the index of the last line end outside quotes, or -1."""
    if b'"' not in data:
        return data.rfind(b"\n")
    codes = np.frombuffer(data, np.uint8)
    ends, quotes = np.flatnonzero(codes == _NEWLINE), np.flatnonzero(codes == _QUOTE)
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) if len(outside) else -1


def _cells_of_header(records: bytes, name: str) -> int:
    header = records.split(b"\n", 1)[0].decode("utf-8-sig", errors="replace").rstrip("\r")
    if not header.strip():
        raise TelosError(f"{name}: the first line is empty", "it should name the columns")
    return len(next(csv.reader([header])))


def _commas(records: bytes) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the number of separating commas in each line, and which lines are empty."""
    data = np.frombuffer(records, np.uint8)
    commas, ends = np.flatnonzero(data == _COMMA), np.flatnonzero(data == _NEWLINE)
    if b'"' in records:
        quotes = np.flatnonzero(data == _QUOTE)
        commas = commas[np.searchsorted(quotes, commas) % 2 == 0]
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    counts = np.diff(np.searchsorted(commas, ends), prepend=0)
    lengths = np.diff(ends, prepend=-1)
    before = data[np.maximum(ends - 1, 0)]
    return counts, (lengths == 1) | ((lengths == 2) & (before == ord("\r")))


# --- reading ----------------------------------------------------------------------------------------------------------


_BLOCK = 1 << 24
_SAMPLE = 10_000  # lines for the first guess of column types; if it fails, all lines are used
_KINDS = {
    "csv": (".csv", ".csv.gz"),
    "json": (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"),
    "parquet": (".parquet",),
}


def read_table(path: str | os.PathLike[str], columns: Columns | None = None) -> pl.LazyFrame:
    """Return the table at ``path`` as a lazy frame; an unreadable file raises a ``TelosError`` at once.

    The name columns of ``columns`` are read as text. The ``context`` of an event log is unfolded: each of
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


def collect_table(table: pl.LazyFrame) -> pl.DataFrame:
    """Collect the rows of a lazy table; errors of polars become one line."""
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
    # A name such as 0010 must not become the number ten.
    padded = texts.head(_SAMPLE).select(pl.all().str.contains(r"^[+-]?0[0-9]").any()).collect().row(0)
    kept = {name for name, is_padded in zip(names, padded, strict=True) if is_padded}
    kept |= set(columns.name_columns if columns else ()) & set(names)
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
        # The schema needs the keys of all lines, because context entries differ between events.
        table = pl.read_ndjson(_where(source), infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError:
        _raise_bad_line(source, name)
        raise
    return unfold_context(table)


def unfold_context(table: pl.LazyFrame) -> pl.LazyFrame:
    """Return an event log with each entry of its ``context`` as a column."""
    schema = table.collect_schema()
    context = schema.get("context")
    if not isinstance(context, pl.Struct):
        return table
    entries = [
        # A context entry with the name of another column gets a separate column.
        pl.col("context")
        .struct.field(field.name)
        .alias(f"context_{field.name}" if field.name in schema else field.name)
        for field in context.fields
    ]
    return table.select(pl.all().exclude("context"), *entries)


def _raise_bad_line(source: str | bytes, name: str) -> None:
    """Raise an error that names the bad line; the error of polars does not."""
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
    table.collect_schema()  # raises here if the file is not Parquet
    return unfold_context(table)


# --- events as rows ---------------------------------------------------------------------------------------------------


_OWN = ("player", "time", "action", "goal")


def from_events(events: Iterable[Event]) -> pl.DataFrame:
    """Return events as a table: player, time, action, context entries, and the achieved goal.

    >>> from_events([Event("talk", {"loc": "camp"}, player="ann", goal="nurse")]).row(0)
    ('ann', 0.0, 'talk', 'camp', 'nurse')
    """
    rows = list(_rows(events))
    known = dict.fromkeys(key for row in rows for key in row if key not in _OWN)
    names = {"player": pl.String, "time": pl.Float64, "action": pl.String, "goal": pl.String}
    order = [*_OWN[:3], *known, "goal"]
    try:
        return pl.DataFrame(rows, schema=order, schema_overrides=names, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise TelosError(f"events whose facts do not fit one table: {error}", "give a fact one type") from None


def _rows(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    for event in events:
        for key in event.context:
            if key in _OWN:
                raise TelosError(f"the context has an entry {key!r}, which every event has", "give it another name")
        yield {
            "player": event.player,
            "time": event.time,
            "action": event.action,
            **{key: list(value) if isinstance(value, tuple) else value for key, value in event.context.items()},
            "goal": event.goal,
        }
