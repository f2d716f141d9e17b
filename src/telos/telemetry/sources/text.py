"""CSV and JSON Lines in blocks of whole lines: all cells as text, bad lines set aside with their numbers.

Files are read through ``open_input``, so that ``.gz`` and ``.zst`` are inflated on the way and no block is larger than
some megabytes. Polars parses a block at once; a block that it refuses is halved until the bad lines stand alone.
"""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.files.reading import open_input, parse_json
from telos.telemetry.logs import MAX_COLUMNS
from telos.telemetry.raw_lines import MAX_LINE_BYTES, has_lone_returns, replace_returns
from telos.telemetry.sources.raw import BLOCK, BadLine, RawBatch
from telos.telemetry.tables import guard_polars, pl

Numbers: TypeAlias = NDArray[np.int64]
DELIMITERS = (",", ";", "\t", "|")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_QUOTE, _NEWLINE, _RETURN = ord('"'), ord("\n"), ord("\r")
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which is no name of a column
_SAMPLE = 1 << 20  # bytes in which the entries of JSON objects are looked for


# --- lines ------------------------------------------------------------------------------------------------------------


def line_blocks(name: str, quotes: bool) -> Iterator[tuple[bytes, int, int]]:
    """Yield blocks of whole lines, each with the number of its first line and the bytes read from the disk so far.

    With ``quotes``, a block ends outside of them, unless a quote stays open for longer than a line may be.
    """
    with open_input(name) as file:
        rest, line = _without_mark(file, name), 1
        while block := file.read(BLOCK):
            rest += block
            if rest.endswith(b"\r"):
                rest += file.read(1)
            rest = _with_newlines(rest, quotes)
            cut = _last_end(rest, quotes) + 1
            if not cut and len(rest) > MAX_LINE_BYTES:
                cut = rest.rfind(b"\n") + 1 or len(rest)
            if cut:
                whole, rest = rest[:cut], rest[cut:]
                yield whole, line, file.raw.position  # type: ignore[attr-defined]
                line += whole.count(b"\n")
        if rest.strip():
            yield _with_newlines(rest, quotes) + b"\n", line, file.raw.position  # type: ignore[attr-defined]


def _without_mark(file: IO[bytes], name: str) -> bytes:
    start = file.read(3)
    if start.startswith(_UTF_16):
        raise TelosError(f"{name}: the file is UTF-16", "save it as UTF-8")
    return start.removeprefix(codecs.BOM_UTF8)


def _with_newlines(data: bytes, quotes: bool) -> bytes:
    if not has_lone_returns([data]):
        return data
    return replace_returns(data) if quotes else data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _last_end(data: bytes, quotes: bool) -> int:
    if not quotes or b'"' not in data:
        return data.rfind(b"\n")
    ends = record_ends(np.frombuffer(data, np.uint8))
    return int(ends[-1]) if len(ends) else -1


def record_ends(codes: NDArray[np.uint8]) -> Numbers:
    """Return the indices of the line ends outside quotes."""
    ends, quotes = np.flatnonzero(codes == _NEWLINE), np.flatnonzero(codes == _QUOTE)
    found: Numbers = ends[np.searchsorted(quotes, ends) % 2 == 0] if len(quotes) else ends
    return found


# --- CSV --------------------------------------------------------------------------------------------------------------


class CsvFile:
    """A CSV file: its columns, its delimiter, and its rows in batches."""

    def __init__(self, name: str, delimiter: str = "") -> None:
        self.name = name
        first = next((block for block, _, _ in line_blocks(name, quotes=True)), b"")
        if not first.strip():
            raise TelosError(f"{name}: the table is empty", "record one event a line")
        header = self._header(first)
        self.delimiter = delimiter or _find_delimiter(header)
        self.names = self._columns(header)
        self.notes = []
        if not delimiter and self.delimiter != ",":
            self.notes.append(f"{name}: the cells are separated by {self.delimiter!r}")

    def _header(self, first: bytes) -> str:
        try:
            return first[: int(record_ends(np.frombuffer(first, np.uint8))[0])].decode().rstrip("\r")
        except UnicodeDecodeError:
            raise TelosError(f"{self.name}:1: the line is not UTF-8", "save the file as UTF-8") from None
        except IndexError:
            raise TelosError(f"{self.name}:1: a quote is opened and never closed", "close it") from None

    def _columns(self, header: str) -> tuple[str, ...]:
        if not header.strip():
            raise TelosError(f"{self.name}: the first line is empty", "it should name the columns")
        try:
            names = next(csv.reader([header], delimiter=self.delimiter))
        except csv.Error as error:
            raise TelosError(f"{self.name}:1: {error}", "write a first line that names the columns") from None
        if len(names) > MAX_COLUMNS:
            raise TelosError(f"{self.name}: there are {len(names):,} columns", f"a table has at most {MAX_COLUMNS:,}")
        return tuple(names)

    def twice(self, wanted: Collection[str]) -> list[str]:
        """Return the wanted columns whose name stands more than once in the first line."""
        return [name for name, count in Counter(self.names).items() if count > 1 and name in wanted]

    def batches(self, wanted: Collection[str]) -> Iterator[RawBatch]:
        """Yield the rows with their wanted columns."""
        twice = self.twice(wanted)
        if twice:
            raise TelosError(f"{self.name}: two columns are called {twice[0]!r}", "rename one of them")
        is_header = True
        for block, line, position in line_blocks(self.name, quotes=True):
            frame, lines, bad = self._parse(block, line, is_header)
            is_header = False
            frame = frame.select(pl.col(f"c{self.names.index(name)}").alias(name) for name in wanted)
            yield RawBatch(frame, self.name, lines, bad=tuple(bad), position=position)

    def _parse(self, block: bytes, line: int, is_header: bool) -> tuple[pl.DataFrame, Numbers, list[BadLine]]:
        """Return the records of a block with as many cells as the first line, their line numbers, and the bad lines."""
        good: list[bytes] = []
        numbers: list[Numbers] = []
        bad: list[BadLine] = []
        block, broken = _without_bad_bytes(block, line)
        bad += broken
        while block:
            codes = np.frombuffer(block, np.uint8)
            ends = record_ends(codes)
            if not len(ends):
                ends = np.array([len(block) - 1])
            starts = np.concatenate([[0], ends[:-1] + 1])
            lines = line + np.searchsorted(np.flatnonzero(codes == _NEWLINE), starts)
            cells, is_empty = self._cells(codes, starts, ends)
            wrong = (cells != len(self.names)) & ~is_empty
            is_several = np.diff(lines, append=line + block.count(b"\n")) > 1
            torn = np.flatnonzero(wrong & is_several)  # a quote that is not closed swallows the lines after it
            last = int(torn[0]) if len(torn) else len(ends)
            bad += [BadLine(int(lines[i]), self._wrong(int(cells[i]))) for i in np.flatnonzero(wrong[:last])]
            kept = ~(wrong | is_empty)[:last]
            kept[: int(is_header and not numbers)] = False
            good.append(_pieces(block, starts[:last], ends[:last], kept))
            numbers.append(lines[:last][kept])
            if last == len(ends):
                break
            bad.append(BadLine(int(lines[last]), "a quote is opened and never closed"))
            after = block.find(b"\n", int(starts[last])) + 1
            line, block = int(lines[last]) + 1, block[after:]
        return self._frame(b"".join(good)), np.concatenate(numbers) if numbers else np.zeros(0, np.int64), bad

    def _wrong(self, cells: int) -> str:
        return f"the line has {cells} cells, and the first line has {len(self.names)}"

    def _cells(self, codes: NDArray[np.uint8], starts: Numbers, ends: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the number of cells of each record, and which records are empty."""
        marks = np.flatnonzero(codes == ord(self.delimiter))
        quotes = np.flatnonzero(codes == _QUOTE)
        if len(quotes):
            marks = marks[np.searchsorted(quotes, marks) % 2 == 0]
        counts = np.searchsorted(marks, ends) - np.searchsorted(marks, starts)
        lengths = ends - starts
        return counts + 1, (lengths == 0) | ((lengths == 1) & (codes[starts] == _RETURN))

    def _frame(self, records: bytes) -> pl.DataFrame:
        columns: dict[str, Any] = {f"c{i}": pl.String for i in range(len(self.names))}
        if not records:
            return pl.DataFrame(schema=columns)
        with guard_polars(f"{self.name}: cannot be read as CSV"):
            return pl.read_csv(records, has_header=False, schema=columns, separator=self.delimiter, infer_schema=False)


def _find_delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)  # the first of those that stand equally often


def _pieces(block: bytes, starts: Numbers, ends: Numbers, kept: NDArray[np.bool_]) -> bytes:
    """Return the kept records of a block, joined; runs of them are copied at once."""
    if kept.all():
        return block[int(starts[0]) : int(ends[-1]) + 1] if len(starts) else b""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], kept, [False]]).astype(np.int8)))
    runs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return b"".join(block[int(starts[first]) : int(ends[after - 1]) + 1] for first, after in runs)


def _without_bad_bytes(block: bytes, line: int) -> tuple[bytes, list[BadLine]]:
    """Return a block with the lines emptied that are not UTF-8 or have a zero byte, and these lines."""
    try:
        block.decode()
        if b"\0" not in block:
            return block, []
    except UnicodeDecodeError:
        pass
    lines, bad = block.split(b"\n"), []
    for number, each in enumerate(lines):
        try:
            each.decode()
            reason = "the line has a zero byte" if b"\0" in each else ""
        except UnicodeDecodeError:
            reason = "the line is not UTF-8"
        if reason:
            lines[number] = b""
            bad.append(BadLine(line + number, reason))
    return b"\n".join(lines), bad


# --- JSON Lines -------------------------------------------------------------------------------------------------------


_Shape: TypeAlias = Mapping[str, pl.DataType]


class JsonFile:
    """A file of JSON objects, one a line: the entries of its first lines, and its rows in batches."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.notes: list[str] = []
        self.entries = self._first_entries()
        self.names = tuple(dict.fromkeys(entry for entry, is_inside in self.entries.items() if not is_inside))

    def _first_entries(self) -> dict[str, bool]:
        """Return the entries of the first objects, and which are inside others, as ``params.x``; more may follow."""
        found: dict[str, bool] = {}
        with open_input(self.name) as file:
            start = _without_mark(file, self.name) + file.read(_SAMPLE)
        if not start.strip():
            raise TelosError(f"{self.name}: the table is empty", "record one event a line")
        if re.match(rb"\s*\[", start):
            raise TelosError(f"{self.name}: this is one list", "write one JSON object a line, as `jq -c '.[]'` does")
        for text in start.replace(b"\r", b"\n").split(b"\n")[:1000]:
            try:
                said = parse_json(text)
            except TelosError:
                continue
            if isinstance(said, dict):
                found.update(dict.fromkeys(said, False))
                for key, value in said.items():
                    inside = value if isinstance(value, dict) else ()
                    found.update({f"{key}.{entry}": True for entry in inside if f"{key}.{entry}" not in said})
        return {name: is_inside for name, is_inside in found.items() if _SURROGATE.search(name) is None}

    def batches(self, wanted: Collection[str]) -> Iterator[RawBatch]:
        """Yield the rows with their wanted columns, all as text; objects in them as JSON."""
        shape = {name: pl.String() for name in wanted}
        for block, line, position in line_blocks(self.name, quotes=False):
            block, bad = _without_bad_bytes(block, line)
            filled = _filled_lines(block)
            frame = _read_objects(block, shape, len(filled))
            if frame is None:
                lines = block.split(b"\n")
                filled = np.array([i for i in filled if lines[i].strip()], np.int64)
                frame, kept, reasons = _parse_lines([lines[i] for i in filled], shape)
                bad += [BadLine(line + int(filled[place]), reason) for place, reason in reasons]
                filled = filled[kept]
            yield RawBatch(frame, self.name, line + filled, bad=tuple(bad), position=position)


def _filled_lines(block: bytes) -> Numbers:
    """Return the indices of the lines that are not empty."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _NEWLINE)
    found: Numbers = np.flatnonzero(np.diff(ends, prepend=-1) > 1)
    return found


def _parse_lines(lines: list[bytes], shape: _Shape) -> tuple[pl.DataFrame, Numbers, list[tuple[int, str]]]:
    """Return a table of JSON objects, the indices of their lines, and the indices of other lines with what is wrong."""
    looks = np.fromiter((each.strip()[:1] == b"{" for each in lines), np.bool_, len(lines))
    frames: list[pl.DataFrame] = []
    good: list[int] = []
    bad = [(int(i), _json_reason(lines[i])) for i in np.flatnonzero(~looks)]
    open_spans = [np.flatnonzero(looks)] if looks.any() else []
    while open_spans:
        span = open_spans.pop()
        frame = _read_objects(b"\n".join(lines[i] for i in span), shape, len(span))
        if frame is not None:
            frames.append(frame)
            good += span.tolist()
        elif len(span) == 1:
            bad.append((int(span[0]), _json_reason(lines[span[0]])))
        else:
            half = len(span) // 2
            open_spans += [span[half:], span[:half]]
    found = pl.concat(frames) if frames else pl.DataFrame(schema=dict(shape))
    return found, np.array(good, np.int64), sorted(bad)


def _read_objects(block: bytes, shape: _Shape, rows: int) -> pl.DataFrame | None:
    """Return the table of so many objects, or None if one of the lines is no JSON object."""
    try:
        with guard_polars("these lines"):
            frame = pl.read_ndjson(block, schema=dict(shape))
    except TelosError:
        return None
    return frame if frame.height == rows else None


def _json_reason(line: bytes) -> str:
    try:
        found = parse_json(line)
    except TelosError as error:
        return error.message
    return "this is not one JSON object" if not isinstance(found, dict) else "a number is too large, or it is too deep"
