"""Write event tables to files; the file name determines the format."""

import csv
import gzip
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from telos.core.errors import TelosError
from telos.files.writing import check_output, open_output
from telos.telemetry.logs import to_json

if TYPE_CHECKING:
    import polars as pl

FORMATS = (".parquet", ".csv", ".csv.gz", ".jsonl", ".jsonl.gz")
Inputs = Iterable[str | os.PathLike[str] | None]


def check_writable(path: str | os.PathLike[str], formats: tuple[str, ...] = FORMATS, *, inputs: Inputs = ()) -> None:
    """Refuse a file that cannot be written, or that is one of the inputs, before the work begins."""
    name = os.fspath(path)
    if not name.lower().endswith(formats):
        raise TelosError(f"{name}: in which format? end the name in one of {', '.join(formats)}")
    check_output(path, inputs=inputs)


def write_table(table: "pl.DataFrame", path: str | os.PathLike[str], *, inputs: Inputs = ()) -> None:
    """Write a table as Parquet, CSV or JSON Lines; ``inputs`` are files that must not be replaced."""
    from telos.telemetry.tables import guard_polars  # an extra, and not needed to write rows

    check_writable(path, inputs=inputs)
    kind = _kind(path)
    with _opened(path) as file, guard_polars(f"{os.fspath(path)}: cannot be written"):
        if kind == ".parquet":
            table.write_parquet(file)
        elif kind == ".csv":
            table.write_csv(file)
        else:
            table.write_ndjson(file)


def write_batches(batches: Iterable["pl.DataFrame"], path: str | os.PathLike[str], *, inputs: Inputs = ()) -> int:
    """Write the tables of a stream as one file while they come, and return the number of rows.

    If the stream raises an error, the target stays as it was.
    """
    check_writable(path, inputs=inputs)
    kind, rows = _kind(path), 0

    def counted() -> Iterator["pl.DataFrame"]:
        nonlocal rows
        for batch in batches:
            rows += batch.height
            yield batch

    with _opened(path) as file:
        if kind == ".parquet":
            _sink_parquet(counted(), file)
            return rows
        for number, batch in enumerate(counted()):
            if kind == ".csv":
                batch.write_csv(file, include_header=number == 0)
            else:
                batch.write_ndjson(file)
    return rows


def _sink_parquet(batches: Iterator["pl.DataFrame"], file: IO[bytes]) -> None:
    from polars.io.plugins import register_io_source  # an extra, and not needed for the other formats

    first = next(batches, None)
    if first is None:
        return

    def produce(*_: object) -> Iterator["pl.DataFrame"]:
        yield first
        yield from batches

    lazy = register_io_source(produce, schema=first.schema)
    lazy.sink_parquet(file, compression="zstd", compression_level=1)


def write_rows(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write rows that all have the same keys. Parquet needs polars; CSV and JSON Lines need nothing."""
    check_writable(path)
    kind = _kind(path)
    if kind == ".parquet":
        from telos.telemetry.tables import guard_polars, pl  # an extra, and not needed for the other formats

        with guard_polars(f"{os.fspath(path)}: the rows do not fit one table"):
            table = pl.DataFrame(list(rows), infer_schema_length=None)
        write_table(table, path)
        return
    with _opened(path) as file:
        for line in _csv_lines(rows) if kind == ".csv" else _json_lines(rows, os.fspath(path)):
            file.write(line.encode(errors="replace"))


def _kind(path: str | os.PathLike[str]) -> str:
    return Path(os.fspath(path).lower().removesuffix(".gz")).suffix


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    with open_output(path, binary=True) as file:
        if not os.fspath(path).lower().endswith(".gz"):
            yield file
            return
        # No time and a fixed name: the same table gives the same bytes.
        with gzip.GzipFile(Path(path).stem, "wb", fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)


class _Line:
    """A target for a CSV writer that keeps the last line."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


def _csv_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    line = _Line()
    keys = list(rows[0]) if rows else []
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(keys)
    yield line.text
    for row in rows:
        writer.writerow([row.get(key) for key in keys])
        yield line.text


def _json_lines(rows: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        yield to_json(row, f"{name}:{number}", ensure_ascii=False)
