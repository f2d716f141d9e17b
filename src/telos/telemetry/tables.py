"""Event tables as polars frames, from CSV, JSON Lines and Parquet: ``read_table``.

Files are checked line by line first (raw_lines.py). Every call of polars on data from outside is in ``guard_polars``.
"""

import codecs
import io
import os
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.files.reading import MAX_RATIO, MAX_SMALL, format_size, open_input
from telos.telemetry.columns import Columns
from telos.telemetry.logs import read_lines

try:
    import polars as pl

    from telos.telemetry.raw_lines import (
        check_json_lines,
        check_lines,
        check_numbers,
        has_lone_returns,
        replace_returns,
    )
except ModuleNotFoundError:
    raise TelosError(
        "tables are worked on with polars, which is not installed", 'pip install "telos[telemetry]"'
    ) from None

__all__ = [
    "as_file",
    "collect_table",
    "csv_source",
    "from_events",
    "guard_batches",
    "guard_polars",
    "pl",
    "read_table",
    "unfold_context",
]

_BLOCK = 1 << 24
Batch = TypeVar("Batch")

# --- calling polars on data from outside ------------------------------------------------------------------------------


@contextmanager
def guard_polars(what: str, remedy: str = "") -> Iterator[None]:
    """Turn every failure of polars, panics included, into one ``TelosError`` that starts with ``what``.

    The text that a panic prints on standard error is dropped. Also usable as a decorator.
    """
    try:
        with _held_stderr():
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, MemoryError) as error:
        raise TelosError(f"{what}: {_reason(error)}", remedy) from None


def guard_batches(batches: Iterable[Batch], what: str, remedy: str = "") -> Iterator[Batch]:
    """Yield what polars yields, each step guarded; nothing is held back in between."""
    steps = iter(batches)
    while True:
        with guard_polars(what, remedy):
            batch = next(steps, None)
        if batch is None:
            return
        yield batch


def _reason(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, pl.exceptions.PanicException):
        return "the data is damaged"  # a panic quotes the source of polars
    return str(error).strip().split("\n")[0]


class _StderrHold:
    """Standard error of the process while polars works in any thread: where it went before, and where it goes now."""

    lock = threading.Lock()
    users = 0
    is_dropped = False
    before: int | None = None
    held: IO[bytes]


@contextmanager
def _held_stderr() -> Iterator[None]:
    """Hold back what is written to standard error, and write it when all guarded calls are done, unless one panics."""
    with _StderrHold.lock:
        if not _StderrHold.users:
            _hold_stderr()
        _StderrHold.users += 1
    try:
        yield
    except pl.exceptions.PanicException:
        _StderrHold.is_dropped = True
        raise
    finally:
        with _StderrHold.lock:
            _StderrHold.users -= 1
            if not _StderrHold.users:
                _release_stderr()


def _hold_stderr() -> None:
    _StderrHold.is_dropped = False
    try:
        _StderrHold.before = os.dup(2)
    except OSError:  # standard error is closed
        _StderrHold.before = None
        return
    try:
        _StderrHold.held = tempfile.TemporaryFile()  # noqa: SIM115  closed in _release_stderr
    except OSError:
        _StderrHold.held = Path(os.devnull).open("r+b")  # noqa: SIM115
    os.dup2(_StderrHold.held.fileno(), 2)


def _release_stderr() -> None:
    if _StderrHold.before is None:
        return
    os.dup2(_StderrHold.before, 2)
    os.close(_StderrHold.before)
    with _StderrHold.held as held, suppress(OSError):
        held.seek(0)
        while not _StderrHold.is_dropped and (text := held.read(_BLOCK)):
            os.write(2, text)


# --- reading ----------------------------------------------------------------------------------------------------------


_MANY_ROWS = 50_000_000
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
    with guard_polars(f"{name}: cannot be read as {kind}"):
        return {"csv": _csv, "json": _json_lines, "parquet": _parquet}[kind](name, columns)


def collect_table(table: pl.LazyFrame) -> pl.DataFrame:
    """Collect the rows of a lazy table; errors of polars become one line."""
    with guard_polars("the table cannot be read", "mend it first"):
        return table.collect(engine="streaming")


def _check_file(name: str) -> None:
    with open_input(name) as file:
        if not stat.S_ISREG(os.stat(name).st_mode):  # polars reads a table more than once
            raise TelosError(f"{name}: this is not a regular file", "copy it to one")
        if not file.read(1):
            raise TelosError(f"{name}: the table is empty", "record one event a line")


def _csv(name: str, columns: Columns | None) -> pl.LazyFrame:
    source, lines, blanks = csv_source(name)
    table = _scanned(source, columns, _SAMPLE)
    if lines > _SAMPLE:
        try:  # a column that starts with numbers may go on with words
            table.select(pl.all().null_count()).collect(engine="streaming")
        except pl.exceptions.ComputeError:
            table = _scanned(source, columns, None)
    return table.filter(~pl.all_horizontal(pl.all().is_null())) if blanks else table


def csv_source(name: str) -> tuple[str | bytes, int, int]:
    """Check a CSV file; return what polars is to read, the number of its rows and that of its empty lines."""
    source: str | bytes = _content(name) if name.lower().endswith(".gz") else name
    if has_lone_returns(_blocks(source)):
        source = replace_returns(source if isinstance(source, bytes) else _content(name))
    lines, blanks = check_lines(_blocks(source), name)
    if not lines:
        raise TelosError(f"{name}: the table is empty", "record one event a line")
    return source, lines, blanks


def _scanned(source: str | bytes, columns: Columns | None, sample: int | None) -> pl.LazyFrame:
    texts = pl.scan_csv(as_file(source), infer_schema=False)
    names = texts.collect_schema().names()
    # A name such as 0010 must not become the number ten.
    padded = texts.head(_SAMPLE).select(pl.all().str.contains(r"^[+-]?0[0-9]").any()).collect().row(0)
    kept = {name for name, is_padded in zip(names, padded, strict=True) if is_padded}
    kept |= set(columns.name_columns if columns else ()) & set(names)
    return pl.scan_csv(
        as_file(source), infer_schema_length=sample, schema_overrides=dict.fromkeys(sorted(kept), pl.String)
    )


def as_file(source: str | bytes) -> str | io.BytesIO:
    """Return a source as polars takes it."""
    return io.BytesIO(source) if isinstance(source, bytes) else source


def _content(name: str) -> bytes:
    with open_input(name) as file:
        return file.read()


def _blocks(source: str | bytes) -> Iterator[bytes]:
    with io.BytesIO(source) if isinstance(source, bytes) else open_input(source) as file:
        while block := file.read(_BLOCK):
            yield block


def _json_lines(name: str, columns: Columns | None) -> pl.LazyFrame:
    check_json_lines(read_lines(name), name)
    try:
        # The schema needs the keys of all lines, because context entries differ between events.
        table = pl.read_ndjson(as_file(_json_source(name)), infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError:
        check_numbers(read_lines(name), name)
        raise
    return unfold_context(table)


def _json_source(name: str) -> str | bytes:
    """Return what polars can read: it knows neither a byte order mark nor carriage returns as line ends."""
    with open_input(name) as file:
        is_plain = not file.peek(3).startswith(codecs.BOM_UTF8)
    if is_plain and not name.lower().endswith(".gz") and not has_lone_returns(_blocks(name)):
        return name
    return _content(name).removeprefix(codecs.BOM_UTF8).replace(b"\r", b"\n")


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


def _parquet(name: str, columns: Columns | None) -> pl.LazyFrame:
    table = pl.scan_parquet(name)
    table.collect_schema()  # raises here if the file is not Parquet
    _check_pages(table, name)
    return unfold_context(table)


def _check_pages(table: pl.LazyFrame, name: str) -> None:
    """Decode all of a Parquet file once, piece by piece, so that a damaged one is refused here."""
    size = Path(name).stat().st_size
    rows = table.select(pl.len()).collect().item()
    if rows > max(_MANY_ROWS, MAX_RATIO // 10 * size):
        raise TelosError(f"{name}: {rows:,} rows in {format_size(size)}", "that is more than is read")
    inflated = 0.0

    def count(piece: pl.DataFrame) -> bool:
        nonlocal inflated
        inflated += piece.estimated_size()
        return inflated > max(MAX_SMALL, MAX_RATIO * size)

    table.sink_batches(count)
    if inflated > max(MAX_SMALL, MAX_RATIO * size):
        raise TelosError(f"{name}: inflates to more than {MAX_RATIO} times its size", "write it as CSV")


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
    with guard_polars("events whose facts do not fit one table", "give a fact one type"):
        try:
            return pl.DataFrame(rows, schema=order, schema_overrides=names, infer_schema_length=None)
        except (TypeError, UnicodeError) as error:
            raise pl.exceptions.ComputeError(str(error)) from None


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
