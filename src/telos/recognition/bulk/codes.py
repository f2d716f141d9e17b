"""Dense numbers for combinations of small numbers: ``CodeTable``."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from telos.recognition.bulk.arrays import Indices

_MAX_DIRECT = 1 << 22  # combinations that are looked up in an array; more are sorted


class CodeTable:
    """Gives each combination of non-negative numbers a number of its own, from 0, and keeps it for later batches.

    >>> table = CodeTable(2)
    >>> table.encode([np.array([3, 0, 3]), np.array([1, 1, 1])]).tolist(), table.combinations
    ([1, 0, 1], [(0, 1), (3, 1)])
    >>> table.encode([np.array([0, 5]), np.array([1, 0])]).tolist()
    [0, 2]
    """

    def __init__(self, width: int) -> None:
        self.combinations: list[tuple[int, ...]] = []
        self._width = width
        self._radices = (0,) * width
        self._direct: NDArray[np.int32] | None = None
        self._is_direct = True
        self._front = CodeTable(width - 1) if width > 2 else None
        self._sorted, self._numbers = np.zeros(0, np.int64), np.zeros(0, np.int32)

    def encode(self, columns: Sequence[Indices]) -> Indices:
        """Return the number of the combination in each row."""
        size = len(columns[0])
        if not size:
            return np.zeros(0, np.int32)
        radices = tuple(
            max(known, _round_up(int(column.max()) + 1)) for known, column in zip(self._radices, columns, strict=True)
        )
        if self._is_direct and int(np.prod([float(radix) for radix in radices])) <= _MAX_DIRECT:
            return self._look_up(columns, radices)
        if self._is_direct:
            self._sort_known()
        return self._search(columns)

    def _look_up(self, columns: Sequence[Indices], radices: tuple[int, ...]) -> Indices:
        if radices != self._radices or self._direct is None:
            self._radices = radices
            self._direct = np.full(int(np.prod(radices)), -1, np.int32)
            if self.combinations:
                known = np.array(self.combinations, np.int64).T
                self._direct[_joined(list(known), radices)] = np.arange(len(self.combinations))
        joined = _joined(columns, radices)
        found = self._direct[joined]
        if found.min() < 0:
            occurs = np.zeros(len(self._direct), np.bool_)
            occurs[joined] = True
            fresh = np.flatnonzero(occurs & (self._direct < 0))
            self._direct[fresh] = np.arange(len(self.combinations), len(self.combinations) + len(fresh))
            self._add(np.stack(np.unravel_index(fresh, radices), axis=1))
            found = self._direct[joined]
        return found

    def _sort_known(self) -> None:
        """Change to sorted numbers, with the combinations so far."""
        self._is_direct, self._direct = False, None
        if self.combinations:
            keys = self._keys(list(np.array(self.combinations, np.int64).T))
            order = np.argsort(keys)
            self._sorted, self._numbers = keys[order], order.astype(np.int32)

    def _keys(self, columns: Sequence[Indices]) -> NDArray[np.int64]:
        """Return one number a row: all columns but the last are joined into a number of their own first."""
        if self._width == 1:
            return columns[0].astype(np.int64)
        front = columns[0] if self._front is None else self._front.encode(columns[:-1])
        return (front.astype(np.int64) << 31) | columns[-1].astype(np.int64)

    def _search(self, columns: Sequence[Indices]) -> Indices:
        joined = self._keys(columns)
        values, first, back = np.unique(joined, return_index=True, return_inverse=True)
        at = np.searchsorted(self._sorted, values)
        fresh = np.ones(len(values), np.bool_)
        within = at < len(self._sorted)
        fresh[within] = self._sorted[at[within]] != values[within]
        numbers = np.empty(len(values), np.int32)
        numbers[~fresh] = self._numbers[at[~fresh]]
        numbers[fresh] = np.arange(len(self.combinations), len(self.combinations) + int(fresh.sum()))
        self._add(np.stack([column[first[fresh]] for column in columns], axis=1))
        order = np.argsort(np.concatenate([self._sorted, values[fresh]]), kind="stable")
        self._sorted = np.concatenate([self._sorted, values[fresh]])[order]
        self._numbers = np.concatenate([self._numbers, numbers[fresh]])[order]
        return numbers[back.reshape(-1)]

    def _add(self, rows: Indices) -> None:
        self.combinations += map(tuple, rows.tolist())


def _round_up(number: int) -> int:
    return 1 << max(0, number - 1).bit_length()


def _joined(columns: Sequence[Indices], radices: Sequence[int]) -> NDArray[np.int64]:
    joined = columns[0].astype(np.int64)
    for column, radix in zip(columns[1:], radices[1:], strict=True):
        joined *= radix
        joined += column
    return joined
