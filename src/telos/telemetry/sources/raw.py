"""RawBatch: some rows of a source as they stand there, and where each of them stands."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from telos.telemetry.tables import pl

BLOCK = 1 << 24  # bytes of a text file that are parsed at once
ROWS = 1 << 18  # of a table that are converted at once


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be read."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows of a source.

    ``lines`` are their line numbers in a text file; other rows are counted from 1, and ``first`` is the number of the
    row before this batch. ``bad`` are the lines among them that cannot be read, ``hidden`` how many more there are.
    ``position`` is how much of the source has been read, of ``Source.size``.
    """

    frame: pl.DataFrame
    file: str = ""
    lines: NDArray[np.int64] | None = None
    first: int = 0
    bad: tuple[BadLine, ...] = field(default=())
    position: int = 0

    def place(self, row: int) -> str:
        """Return where a row of the batch stands, as in ``play.csv:17`` or ``play.parquet: row 17``."""
        if self.lines is not None:
            return f"{self.file}:{self.lines[row]}"
        return f"{self.file}: row {self.first + row + 1}" if self.file else f"row {self.first + row + 1}"
