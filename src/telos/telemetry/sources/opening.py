"""open_source: any source of events by its name or its type, as a stream of raw batches."""

import glob
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from telos.core.errors import TelosError
from telos.files.reading import FilePath
from telos.telemetry.sources.raw import RawBatch
from telos.telemetry.sources.tables import TableSource, is_frame, parquet_file, to_polars
from telos.telemetry.sources.text import CsvFile, JsonFile
from telos.telemetry.tables import pl

_PACKED = ("", ".gz", ".zst")
KINDS: dict[str, tuple[str, ...]] = {
    "csv": tuple(f"{ending}{packed}" for ending in (".csv", ".tsv") for packed in _PACKED),
    "json": tuple(f"{ending}{packed}" for ending in (".jsonl", ".ndjson", ".json") for packed in _PACKED),
    "parquet": (".parquet",),
}
ENDINGS = tuple(ending for endings in KINDS.values() for ending in endings)
FrameLike: TypeAlias = Any  # a frame of polars, pandas or Arrow, or a mapping of columns
SourceLike: TypeAlias = FilePath | Sequence[FilePath] | FrameLike


class _Part(Protocol):
    """One file or frame of a source."""

    name: str
    names: tuple[str, ...]
    notes: list[str]

    def batches(self, wanted: Collection[str]) -> Iterator[RawBatch]: ...


class Source:
    """A source of events: files or a frame, one after the other.

    ``names`` are the columns that any of the parts has, and for JSON the entries of the first lines. ``schema`` holds
    the types of typed columns; all other cells are text. ``size`` is the number of bytes of the files, or of rows.
    """

    def __init__(self, name: str, parts: Sequence[_Part]) -> None:
        self.name, self._parts = name, parts
        self.names = tuple(dict.fromkeys(column for part in parts for column in part.names))
        self.notes = list(_joined_notes(parts))
        self.is_open = any(isinstance(part, JsonFile) for part in parts)  # later lines may have other entries
        self.size = sum(_size(part) for part in parts)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part.name for part in self._parts if part.name)

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries of columns that hold objects, as ``params.x``; for JSON those of the first lines."""
        return tuple(dict.fromkeys(entry for part in self._parts for entry in _entries(part)))

    def batches(self, wanted: Collection[str]) -> Iterator[RawBatch]:
        """Yield the rows of all parts with their wanted columns, of which each part may lack some."""
        done = 0
        for part in self._parts:
            known = [name for name in wanted if isinstance(part, JsonFile) or name in part.names]
            for batch in part.batches(known):
                yield _moved(batch, done)
            done += _size(part)


def _joined_notes(parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the notes of all parts; one that many files share is said once."""
    files: dict[str, list[str]] = {}
    for part in parts:
        for note in part.notes:
            files.setdefault(note.removeprefix(f"{part.name}: "), []).append(part.name)
    for note, names in files.items():
        yield f"{names[0]}: {note}" if len(names) == 1 else f"{len(names)} files: {note}"


def _entries(part: _Part) -> Iterator[str]:
    if isinstance(part, JsonFile):
        yield from (entry for entry, is_inside in part.entries.items() if is_inside)
    elif isinstance(part, TableSource):
        for name, kind in part.schema.items():
            yield from (f"{name}.{each.name}" for each in (kind.fields if isinstance(kind, pl.Struct) else ()))


def _moved(batch: RawBatch, done: int) -> RawBatch:
    return RawBatch(batch.frame, batch.file, batch.lines, batch.first, batch.bad, batch.position + done)


def _size(part: _Part) -> int:
    if isinstance(part, TableSource):
        return part.count_rows()
    return os.path.getsize(part.name)


def open_source(source: SourceLike, *, delimiter: str = "") -> Source:
    """Open a path, a folder, a pattern with ``*``, a list of these, or a frame.

    Files are CSV, JSON Lines (both also packed as ``.gz`` and ``.zst``) or Parquet, by the ends of their names.
    """
    if isinstance(source, Source):
        return source
    if is_frame(source):
        return Source("the table", [TableSource(to_polars(source))])
    places = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(places, Sequence) or not all(isinstance(each, str | os.PathLike) for each in places):
        return Source("the table", [TableSource(to_polars(source))])
    files = [file for place in places for file in find_files(os.fspath(place))]
    if not files:
        raise TelosError("no log is named", "name a file, a folder or a pattern")
    name = os.fspath(places[0]) if len(places) == 1 else f"{len(files)} files"
    return Source(name, [_open_file(file, delimiter) for file in files])


def find_files(place: str) -> list[str]:
    """Return the logs at a path: the file, those in a folder and the folders in it, or those that a pattern matches."""
    if os.path.isdir(place):
        found = sorted(str(file) for file in Path(place).rglob("*") if _is_log(file.relative_to(place)))
        if not found:
            raise TelosError(f"{place}: no log in this folder", f"logs end in {', '.join(ENDINGS)}")
        return found
    if glob.has_magic(place) and not os.path.exists(place):
        found = sorted(file for file in glob.glob(place, recursive=True) if os.path.isfile(file))
        if not found:
            raise TelosError(f"{place}: no file is called so", "mind the quotes: the pattern is for telos")
        return found
    return [place]


def _is_log(file: Path) -> bool:
    is_hidden = any(part.startswith((".", "_")) for part in file.parts)  # as Spark's _SUCCESS
    return not is_hidden and file.name.lower().endswith(ENDINGS)


def _open_file(name: str, delimiter: str) -> _Part:
    kind = next((kind for kind, endings in KINDS.items() if name.lower().endswith(endings)), "")
    if not kind:
        raise TelosError(f"{name}: what sort of log is this? name a file that ends in {', '.join(ENDINGS)}")
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # it is read more than once
            raise TelosError(f"{name}: this is not a regular file", "copy it to one")
    except OSError as error:
        raise TelosError(f"{name}: {error.strerror or 'cannot be read'}") from None
    if kind == "parquet":
        return parquet_file(name)
    return CsvFile(name, delimiter) if kind == "csv" else JsonFile(name)


def schema_of(source: Source) -> dict[str, pl.DataType]:
    """Return the types of the columns of a source; those of text files are text."""
    found: dict[str, pl.DataType] = {}
    for part in source._parts:
        types = part.schema if isinstance(part, TableSource) else dict.fromkeys(part.names, pl.String())
        found = {**types, **found}
    return found
