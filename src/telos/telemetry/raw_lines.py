"""Checks of the lines of a table before polars reads them, because polars pads, guesses and panics.

``check_lines`` counts the cells of every CSV line; ``check_json_lines`` parses every line of JSON and bounds what the
table would hold. Both report the line of a fault.
"""

import csv
import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.files.reading import parse_json
from telos.telemetry.logs import MAX_COLUMNS, MAX_DEPTH, check_names, parse_object, too_long

MAX_LINE_BYTES = 1 << 26  # bytes between two ends of lines
MAX_CELLS = 2_000_000  # of a table of JSON lines; a longer log may have two for each of its bytes
_CHUNK = 100  # lines
_MAX_INTEGER = 1 << 127
_COMMA, _QUOTE, _NEWLINE, _RETURN = ord(","), ord('"'), ord("\n"), ord("\r")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


# --- CSV --------------------------------------------------------------------------------------------------------------


def check_lines(blocks: Iterable[bytes], name: str) -> tuple[int, int]:
    r"""Count the lines below the header of a CSV table: those with cells, and empty ones.

    ``blocks`` are its bytes. A line with another number of cells than the header raises a ``TelosError``.

    >>> check_lines([b"a,b\n1,2\n", b"\n3,4\n"], "a.csv")
    (2, 1)
    """
    cells, line, blanks = 0, 1, 0
    for records in _whole_lines(blocks, name):
        _check_text(records, name, line)
        if records.count(b'"') % 2:
            raise TelosError(f"{name}:{line}: a quote is opened and never closed", "close it")
        if not cells:
            cells = len(_header(records, name))
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


def replace_returns(data: bytes) -> bytes:
    r"""Return the bytes of a CSV table with line ends as ``\n`` where a carriage return alone ends a line.

    >>> replace_returns(b'a,b\r1,"2\r"\r\n')
    b'a,b\n1,"2\r"\r\n'
    """
    codes = np.frombuffer(data, np.uint8)
    returns = np.flatnonzero(codes == _RETURN)
    alone = returns[codes[np.minimum(returns + 1, len(codes) - 1)] != _NEWLINE]
    quotes = np.flatnonzero(codes == _QUOTE)
    alone = alone[np.searchsorted(quotes, alone) % 2 == 0]
    mended = codes.copy()
    mended[alone] = _NEWLINE
    return mended.tobytes()


def has_lone_returns(blocks: Iterable[bytes]) -> bool:
    """Whether a carriage return stands somewhere without a newline after it."""
    last = b""
    for block in blocks:
        if b"\r" in block or last == b"\r":
            joined = last + block
            # The last byte is judged with the next block.
            if joined.count(b"\r", 0, len(joined) - 1) != joined.count(b"\r\n"):
                return True
        last = block[-1:]
    return last == b"\r"


def _whole_lines(blocks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Yield the blocks again, each cut at a line end outside quotes; the last block is the remainder."""
    rest, lines = b"", 1
    for block in blocks:
        rest += block
        cut = _last_end(rest) + 1
        if cut:
            yield rest[:cut]
            lines += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
        elif len(rest) > MAX_LINE_BYTES:
            if b'"' in rest:
                break  # longer than any valid line, so a quote is open
            raise too_long(f"{name}:{lines}", MAX_LINE_BYTES)
    if rest:
        yield rest + b"\n"


def _check_text(records: bytes, name: str, line: int) -> None:
    """Refuse bytes that are not UTF-8, and zero bytes."""
    if line == 1 and records.startswith(_UTF_16):
        raise TelosError(f"{name}: the file is UTF-16", "save it as UTF-8")
    zero = records.find(b"\0")
    if zero >= 0:
        at = line + records.count(b"\n", 0, zero)
        raise TelosError(f"{name}:{at}: the line has a zero byte", "is this a log? save it as UTF-8 text")
    try:
        records.decode()
    except UnicodeDecodeError as error:
        at = line + records.count(b"\n", 0, error.start)
        raise TelosError(f"{name}:{at}: the line is not UTF-8", "save the file as UTF-8") from None


def _last_end(data: bytes) -> int:
    """Return the index of the last line end outside quotes, or -1."""
    if b'"' not in data:
        return data.rfind(b"\n")
    outside = _ends(data)
    return int(outside[-1]) if len(outside) else -1


def _ends(data: bytes) -> NDArray[np.intp]:
    """Return the indices of the line ends outside quotes."""
    codes = np.frombuffer(data, np.uint8)
    ends, quotes = np.flatnonzero(codes == _NEWLINE), np.flatnonzero(codes == _QUOTE)
    outside: NDArray[np.intp] = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return outside


def _header(records: bytes, name: str) -> list[str]:
    first = records[: int(_ends(records)[0])].decode("utf-8-sig").rstrip("\r")
    if not first.strip():
        raise TelosError(f"{name}: the first line is empty", "it should name the columns")
    try:
        found = next(csv.reader([first]))
    except csv.Error as error:
        raise TelosError(f"{name}:1: the first line cannot be read: {error}", "it should name the columns") from None
    try:
        check_names(found)
    except TelosError as error:
        raise error.at(f"{name}:1") from None
    return found


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
    return counts, (lengths == 1) | ((lengths == 2) & (before == _RETURN))


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def check_json_lines(lines: Iterable[str], name: str) -> None:
    """Refuse a line that is not one JSON object, and lines that differ so much that their table would be mostly empty.

    A table has a column for each entry of any line, so that few bytes can make many cells.
    """
    entries: set[tuple[str, ...]] = set()
    rest = iter(lines)
    number = rows = size = 0
    while chunk := list(islice(rest, _CHUNK)):
        try:
            objects = _parse_chunk(chunk)
            for each in objects:
                _collect_entries(each, entries)
        except TelosError:
            _check_each(chunk, name, number + 1)
            raise
        number, rows, size = number + len(chunk), rows + len(objects), size + sum(map(len, chunk))
        if len(entries) > MAX_COLUMNS or rows * len(entries) > max(MAX_CELLS, 2 * size):
            raise TelosError(
                f"{name}:{number}: the lines up to here have {len(entries):,} different entries",
                "give entries of the same kind one name, with what differs as the value",
            )
    if not rows:
        raise TelosError(f"{name}: the table is empty", "record one event a line")


def _parse_chunk(lines: list[str]) -> list[dict[str, Any]]:
    """Return the objects of some lines, parsed at once, which takes half as long as one by one."""
    filled = [line for line in lines if not line.isspace()]
    found: list[dict[str, Any]] = parse_json(f"[{','.join(filled)}]")
    if len(found) != len(filled) or not all(isinstance(each, dict) for each in found):
        raise TelosError("a line is not one JSON object")
    return found


def _check_each(lines: list[str], name: str, first: int) -> None:
    """Raise the fault of the first bad line, with its place."""
    for number, line in enumerate(lines, start=first):
        try:
            if not line.isspace():
                _collect_entries(parse_object(line), set())
        except TelosError as error:
            raise error.at(f"{name}:{number}") from None


def _collect_entries(said: dict[str, Any], entries: set[tuple[str, ...]]) -> None:
    for key, value in said.items():
        entries.add((key,))
        if isinstance(value, dict | list):
            _collect_inner(value, (key,), entries, 1)


def _collect_inner(value: Any, path: tuple[str, ...], entries: set[tuple[str, ...]], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise TelosError("this is nested too deeply", "a context holds plain values")
    if isinstance(value, list):
        for each in value:
            if isinstance(each, dict | list):
                _collect_inner(each, path, entries, depth + 1)
        return
    for key, each in value.items():
        inside = (*path, key)
        entries.add(inside)
        if isinstance(each, dict | list):
            _collect_inner(each, inside, entries, depth + 1)


def check_numbers(lines: Iterable[str], name: str) -> None:
    """Refuse a line that polars cannot read: not one JSON object, or with a number that no column can hold."""
    for number, line in enumerate(lines, start=1):
        _check_each([line], name, number)
        for value in _numbers(parse_json(line)) if not line.isspace() else ():
            if not math.isfinite(value) if isinstance(value, float) else abs(value) >= _MAX_INTEGER:
                raise TelosError(f"{name}:{number}: a number is too large", "write it as a text, or in another unit")


def _numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
