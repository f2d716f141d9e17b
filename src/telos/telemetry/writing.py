"""Write event tables to files; the file name determines the format."""

import csv
import gzip
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from telos.core.errors import TelosError

if TYPE_CHECKING:
    import polars as pl

FORMATS = (".parquet", ".csv", ".csv.gz", ".jsonl", ".jsonl.gz")


def check_writable(path: str | os.PathLike[str], formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse a file that cannot be written, before the work begins."""
    name = os.fspath(path)
    if not name.lower().endswith(formats):
        raise TelosError(f"{name}: in which format? end the name in one of {', '.join(formats)}")
    folder = Path(name).parent
    if not folder.is_dir():
        raise TelosError(f"{name}: there is no folder {str(folder)!r}", "make it first")
    if Path(name).is_dir():
        raise TelosError(f"{name}: this is a folder", "name a file in it")


def write_table(table: "pl.DataFrame", path: str | os.PathLike[str]) -> None:
    """Write a table as Parquet, CSV or JSON Lines."""
    check_writable(path)
    kind = _kind(path)
    with _opened(path) as file:
        if kind == ".parquet":
            table.write_parquet(file)
        elif kind == ".csv":
            table.write_csv(file)
        else:
            table.write_ndjson(file)


def write_rows(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write rows that all have the same keys. Parquet needs polars; CSV and JSON Lines need nothing."""
    check_writable(path)
    kind = _kind(path)
    if kind == ".parquet":
        from telos.telemetry.tables import pl  # an extra, and not needed for the other formats

        write_table(pl.DataFrame(list(rows), infer_schema_length=None), path)
        return
    with _opened(path) as file:
        for line in _csv_lines(rows) if kind == ".csv" else _json_lines(rows):
            file.write(line.encode())


def _kind(path: str | os.PathLike[str]) -> str:
    return Path(os.fspath(path).lower().removesuffix(".gz")).suffix


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    name = os.fspath(path)
    try:
        if name.lower().endswith(".gz"):
            with gzip.open(name, "wb") as packed:
                yield cast(IO[bytes], packed)
        else:
            with Path(name).open("wb") as file:
                yield file
    except OSError as error:
        raise TelosError(f"{name}: cannot be written: {error.strerror or error}") from None


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


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, allow_nan=False, ensure_ascii=False) + "\n"
