"""Lines of a CSV file that have too few or too many cells: a data-frame engine fills the former up and says nothing."""

import csv
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError

LONGEST = 1 << 26  # bytes between two ends of lines
_COMMA, _QUOTE, _NEWLINE = ord(","), ord('"'), ord("\n")


def check_lines(blocks: Iterable[bytes], name: str) -> tuple[int, int]:
    r"""Return how many lines below the header of a table say something, and how many are empty.

    ``blocks`` are its bytes. A line that has not as many cells as the header is refused.

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
    """Yield the blocks again, each cut at the end of a line that is not inside quotes; the last is what is left."""
    rest = b""
    for block in blocks:
        rest += block
        cut = _last_end(rest) + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > LONGEST:
            break  # no line is that long: a quote is open
    if rest:
        yield rest + b"\n"


def _last_end(data: bytes) -> int:
    """Return where the last line ends that is not inside quotes, or -1."""
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
    """Return how many commas separate cells in each line, and which lines are empty."""
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
