"""Order in a log: the numbers of sequences, late rows, duplicates, and sorting within bounded memory.

A sequence is what one player did in one session. Rows of several sequences may be mixed; within each, time must not
run backwards.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.files import temporary_folder
from telos.telemetry.tables import guard_polars, pl

Flags = NDArray[np.bool_]
_KEYS = ["player", "session"]
REMEDY = "set TMPDIR to a folder with room for a copy of the log"
PART_ROWS = 2_000_000  # rows that are sorted at once


@dataclass(slots=True)
class Sequences:
    """The number of each sequence, in the order in which they first stand in the log."""

    known: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema={"player": pl.String, "session": pl.String, "sequence": pl.UInt32})
    )

    def number(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with the column ``sequence``."""
        changes = pl.any_horizontal(pl.col(key).ne_missing(pl.col(key).shift(1)) for key in _KEYS)
        run = frame.select(changes.fill_null(True).cum_sum().cast(pl.UInt32)).to_series()
        is_first = run.ne_missing(run.shift(1))
        heads = frame.select(_KEYS).filter(is_first)
        new = heads.unique(maintain_order=True).join(
            self.known, on=_KEYS, how="anti", nulls_equal=True, maintain_order="left"
        )
        if new.height:
            start = self.known.height
            numbers = pl.int_range(start, start + new.height, dtype=pl.UInt32, eager=True).alias("sequence")
            self.known = pl.concat([self.known, new.with_columns(numbers)])
        codes = heads.join(self.known, on=_KEYS, how="left", nulls_equal=True, maintain_order="left")["sequence"]
        # The first run may continue the last one of the batch before, and then has the number 0 too.
        first = int(run[0]) if len(run) else 0
        return frame.with_columns(codes.gather(run - first).alias("sequence"))

    @property
    def players(self) -> int:
        return self.known["player"].n_unique()


class OrderCheck(NamedTuple):
    """Which rows of a batch are late, by how many seconds at most, and which may equal a row at the same time."""

    late: Flags
    most: float
    ties: Flags


@dataclass(slots=True)
class RowOrder:
    """The last time of each sequence so far, and the rows at that time."""

    last: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    _tail: pl.DataFrame | None = None  # the rows at the last time of their sequence, by their hash

    def check(self, frame: pl.DataFrame) -> OrderCheck:
        """Compare the times of a batch with those of the rows before; a late row is earlier than one before it."""
        codes, times = frame["sequence"].to_numpy(), frame["time"].to_numpy()
        self._grow(codes)
        places = np.argsort(codes, kind="stable") if (codes[1:] < codes[:-1]).any() else slice(None)
        by_code, in_order = codes[places], times[places]
        starts = np.flatnonzero(np.append(True, by_code[1:] != by_code[:-1])) if len(codes) else np.zeros(0, np.int64)
        is_rising = np.append(True, in_order[1:] >= in_order[:-1])[: len(codes)]
        is_rising[starts] = in_order[starts] >= self.last[by_code[starts]]
        latest = in_order if is_rising.all() else _running_maximum(in_order, by_code, starts, self.last)
        before = np.append(np.nan, latest[:-1])[: len(codes)]
        before[starts] = self.last[by_code[starts]]
        if len(starts):
            self.last[by_code[starts]] = latest[np.append(starts[1:], len(by_code)) - 1]
        is_late, is_tie = in_order < before, in_order == before
        is_tie[:-1] |= is_tie[1:]  # and the row that the next one ties with
        is_tie |= in_order == self.last[by_code]
        most = float((before - in_order)[is_late].max(initial=0.0))
        found = np.zeros((2, len(codes)), np.bool_)
        found[0, places], found[1, places] = is_late, is_tie
        return OrderCheck(found[0], most, found[1])

    def _grow(self, codes: NDArray[np.uint32]) -> None:
        size = int(codes.max(initial=0)) + 1
        if size > len(self.last):
            self.last = np.concatenate([self.last, np.full(max(size, 2 * len(self.last)) - len(self.last), -np.inf)])

    def duplicates(self, frame: pl.DataFrame, columns: list[str], ties: Flags) -> Flags:
        """Return which rows equal an earlier one of their sequence at the same time; ``columns`` are compared."""
        tied = frame.filter(ties)
        hashes = tied.select("sequence", "time", hash=pl.struct(columns).hash())
        both = hashes if self._tail is None else pl.concat([self._tail, hashes])
        is_new = both.select(pl.struct(pl.all()).is_first_distinct()).to_series()
        newest = both.filter(is_new)
        self._tail = newest.filter(newest["time"] == pl.Series(self.last[newest["sequence"].to_numpy()]))
        found = np.zeros(frame.height, np.bool_)
        found[ties] = ~is_new.tail(tied.height).to_numpy()
        return found


def _running_maximum(
    times: NDArray[np.float64], codes: NDArray[np.uint32], starts: NDArray[np.int64], last: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the latest time so far in each sequence; the rows of a sequence stand together."""
    if not len(times):
        return times
    ranks = np.empty(len(times), np.int64)
    ranks[np.argsort(times, kind="stable")] = np.arange(len(times))
    group = np.zeros(len(times), np.int64)
    group[starts] = 1
    group = np.cumsum(group) - 1
    # Ranks of later groups are larger than all of earlier ones, so that one running maximum serves all groups.
    highest = np.maximum.accumulate(ranks + group * len(times)) - group * len(times)
    by_rank = np.empty(len(times))
    by_rank[ranks] = times
    found: NDArray[np.float64] = np.maximum(by_rank[highest], last[codes])
    return found


def sort_rows(batches: Iterable[pl.DataFrame], part_rows: int = PART_ROWS) -> Iterator[pl.DataFrame]:
    """Yield the rows of all batches ordered by sequence, time and row.

    A log of more rows than are sorted at once is dealt out to files by sequence first.
    """
    held: list[pl.DataFrame] = []
    rows = 0
    source = iter(batches)
    for batch in source:
        held.append(batch)
        rows += batch.height
        if rows > part_rows:
            yield from _sort_in_files(held, source, part_rows)
            return
    if held:
        yield _sorted(pl.concat(held))


def _sorted(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort("sequence", "time", "row", maintain_order=True)


def _sort_in_files(held: list[pl.DataFrame], more: Iterator[pl.DataFrame], part_rows: int) -> Iterator[pl.DataFrame]:
    """Sort a long log in parts: blocks of sequences, in files of a folder that is removed at the end."""
    with temporary_folder("telos-sort-") as folder, guard_polars("the log cannot be sorted", REMEDY):
        runs = 0
        counts = np.zeros(0, np.int64)
        while held:
            rows = pl.concat(held)
            sizes = np.bincount(rows["sequence"].to_numpy())
            counts = _added(counts, sizes)
            rows.sort("sequence").write_ipc(Path(folder, f"{runs}.arrow"))
            runs += 1
            held = _take(more, part_rows)
        files = [Path(folder, f"{run}.arrow") for run in range(runs)]
        for first, last in _parts(counts, part_rows):
            wanted = pl.col("sequence").is_between(first, last)
            part = pl.concat([pl.scan_ipc(file).filter(wanted) for file in files]).collect()
            yield _sorted(part)


def _take(batches: Iterator[pl.DataFrame], rows: int) -> list[pl.DataFrame]:
    found: list[pl.DataFrame] = []
    while sum(each.height for each in found) < rows and (batch := next(batches, None)) is not None:
        found.append(batch)
    return found


def _added(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros(max(len(one), len(other)), np.int64)
    found[: len(one)] += one
    found[: len(other)] += other
    return found


def _parts(counts: NDArray[np.int64], rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last sequence of each part of about so many rows."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = int(ends[first - 1]) if first else 0
        last = max(first, int(np.searchsorted(ends, before + rows, side="right")) - 1)
        yield first, last
        first = last + 1
