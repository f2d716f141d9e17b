"""Tables of bindings: for each row a world, and a constant for each variable bound so far; joins over packed keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from telos.core.errors import TelosError
from telos.logic.network import Bools, Ints, Longs

MAX_KEY = 1 << 62
MAX_DENSE_SPAN = 1 << 16  # a table of this many entries is always worth its memory
MAX_SPAN_PER_KEY = 8  # entries per key up to which a larger table is worth its memory


@dataclass(frozen=True, slots=True)
class Bindings:
    """A table with one binding of variables per row; ``columns`` has the codes of each variable."""

    world: Ints
    columns: Mapping[str, Ints]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.world)

    def take(self, rows: Longs | Bools | None) -> "Bindings":
        """Return the rows at these indices, or where the mask is true; None returns all."""
        if rows is None:
            return self
        return Bindings(self.world[rows], {name: column[rows] for name, column in self.columns.items()})

    def keep(self, mask: Bools) -> "Bindings":
        """Return the rows where the mask is true."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def bind(self, name: str, column: Ints) -> "Bindings":
        """Return the same rows with one more variable."""
        return Bindings(self.world, {**self.columns, name: column})


def join_bindings(
    left: Bindings, right: Bindings, radices: Mapping[str, int], worlds: int, allow: Callable[[int], None]
) -> Bindings:
    """Return every pair of rows with the same world and the same values of shared variables."""
    shared = sorted(left.columns.keys() & right.columns.keys())
    spans = [worlds, *(radices[name] for name in shared)]
    one = pack_keys([left.world, *(left.columns[name] for name in shared)], spans)
    two = pack_keys([right.world, *(right.columns[name] for name in shared)], spans)
    span = 1
    for each in spans:
        span *= max(each, 1)
    rows, found = match_keys(one, two, span, allow)
    joined = left.take(rows)
    added = {name: column[found] for name, column in right.columns.items() if name not in left.columns}
    return Bindings(joined.world, {**joined.columns, **added})


# --- keys -------------------------------------------------------------------------------------------------------------
# Rows of codes packed into single integers, so that joins and look-ups work on one array.


def pack_keys(columns: Sequence[Ints], radices: Sequence[int]) -> Longs:
    """Return rows of codes as mixed-radix numbers, the first column most significant.

    >>> pack_keys([np.array([0, 1], np.int32), np.array([2, 1], np.int32)], [2, 10]).tolist()
    [2, 11]
    """
    if prod(radices) > MAX_KEY:
        raise TelosError(f"{prod(radices):.1e} combinations of constants are too many to number", "use fewer arguments")
    keys = columns[0].astype(np.int64)
    for column, radix in zip(columns[1:], radices[1:], strict=True):
        keys *= radix
        keys += column
    return keys


def unpack_keys(keys: Longs, radices: Sequence[int]) -> list[Ints]:
    """Return the columns from which ``pack_keys`` made keys."""
    columns = []
    for radix in reversed(radices):
        keys, column = np.divmod(keys, max(radix, 1))
        columns.append(column.astype(np.int32))
    return columns[::-1]


def is_dense(span: int, keys: int) -> bool:
    """Return whether a table with an entry for every possible key is worth its memory."""
    return span <= max(MAX_DENSE_SPAN, MAX_SPAN_PER_KEY * keys)


def find_distinct(keys: Longs, span: int) -> tuple[Longs, Ints]:
    """Return the distinct keys, ascending, and for each row the index of its key among them."""
    if not is_dense(span, len(keys)):
        found, place = np.unique(keys, return_inverse=True)
        return found, place.astype(np.int32)
    seen = np.zeros(span, np.bool_)
    seen[keys] = True
    found = np.flatnonzero(seen)
    place_of = np.empty(span, np.int32)
    place_of[found] = np.arange(len(found), dtype=np.int32)
    return found, place_of[keys]


class KeySet:
    """A set of keys with fast membership tests."""

    def __init__(self, keys: Longs, span: int) -> None:
        self._table: Bools | None = None
        if is_dense(span, len(keys)):
            self._table = np.zeros(max(span, 1), np.bool_)
            self._table[keys] = True
        else:
            self._keys = np.unique(keys)

    def contains(self, keys: Longs) -> Bools:
        """Return for each key whether it is in the set."""
        if self._table is not None:
            return self._table[keys]
        if not len(self._keys):
            return np.zeros(len(keys), np.bool_)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found: Bools = self._keys[place] == keys
        return found


class KeyIndex:
    """Sorted keys, and the index of each."""

    def __init__(self, keys: Longs, span: int) -> None:
        """Index ``keys``, which are distinct and ascending."""
        self.keys = keys
        self._table: Ints | None = None
        if is_dense(span, len(keys)):
            self._table = np.full(max(span, 1), -1, np.int32)
            self._table[keys] = np.arange(len(keys), dtype=np.int32)

    def find(self, keys: Longs) -> Ints:
        """Return the index of each key, -1 if absent."""
        if self._table is not None:
            return self._table[keys]
        if not len(self.keys):
            return np.full(len(keys), -1, np.int32)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1).astype(np.int32)


def match_keys(left: Longs, right: Longs, span: int, allow: Callable[[int], None]) -> tuple[Longs | None, Longs]:
    """Return the rows on the left and right that share a key; left is None if each has one partner, in order.

    ``allow`` is called with the number of pairs before they are made, and may raise.
    """
    order = None if len(right) < 2 or bool((right[1:] >= right[:-1]).all()) else np.argsort(right, kind="stable")
    sorted_right = right if order is None else right[order]
    first, count = _find_runs(left, sorted_right, span)
    total = int(count.sum())
    allow(total)
    if total == len(left) and (total == 0 or int(count.max()) == 1):
        return None, first if order is None else order[first]
    rows = np.repeat(np.arange(len(left)), count)
    within = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
    found = first[rows] + within
    return rows, found if order is None else order[found]


def _find_runs(left: Longs, right: Longs, span: int) -> tuple[Longs, Longs]:
    """Return for each left key the start and length of its run in sorted ``right``."""
    if is_dense(span, len(left) + len(right)):
        count = np.bincount(right, minlength=span)
        return (np.cumsum(count) - count)[left], count[left]
    first = np.searchsorted(right, left)
    return first, np.searchsorted(right, left, side="right") - first
