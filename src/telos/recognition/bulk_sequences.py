"""The events of many players as arrays, checked before a kernel runs over them; and who works on which part."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.core.errors import TelosError
from telos.recognition import native_kernel
from telos.recognition.bulk_arrays import Array, Indices, ModelArrays, compact
from telos.recognition.kernel import ROOM, SEATS

KNOWN = (np.uint8, np.uint16, np.int64)  # a type that the kernel knows is an edition that has to be compiled
BLOCK = 1 << 17  # events that one thread takes at a time: their beliefs still fit into a cache


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """The symbols and inputs of players' events; those of player p go from ``offsets[p]`` to before ``offsets[p + 1]``.

    ``stride`` is 0 if one input holds for all events, else 1.
    """

    symbols: Indices
    inputs: Indices
    stride: int
    offsets: NDArray[np.int64]

    @property
    def count(self) -> int:
        """How many players there are."""
        return len(self.offsets) - 1


def sequences(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
) -> Sequences:
    """Return events that fit their model; without lengths or offsets they are one player's."""
    seen = _indices("symbols", symbols, model.symbols, "rows of likelihoods")
    if inputs is None:
        return Sequences(seen, np.zeros(1, seen.dtype), 0, _bounds(len(seen), lengths, offsets))
    given = _indices("inputs", inputs, model.inputs, "transition matrices")
    if len(given) != len(seen):
        raise TelosError(f"each event has a symbol and an input, got {len(seen)} symbols and {len(given)} inputs")
    wider = max(seen.dtype, given.dtype, key=lambda kind: kind.itemsize)  # one type for both: half the editions
    seen, given = seen.astype(wider, copy=False), given.astype(wider, copy=False)
    return Sequences(seen, given, 1, _bounds(len(seen), lengths, offsets))


def _indices(name: str, given: ArrayLike, size: int, what: str) -> Indices:
    array = np.asarray(given)
    if array.ndim != 1:
        raise TelosError(
            f"{name} must be one flat array, got {array.ndim} dimensions", "give lengths or offsets with it"
        )
    if not array.size:
        return np.zeros(0, np.uint8)
    if array.dtype.kind not in "ui":
        raise TelosError(f"{name} must be whole numbers, got {array.dtype}", "encode() makes them from events")
    least, most = int(array.min()), int(array.max())
    if least < 0 or most >= size:
        worst = least if least < 0 else most
        raise TelosError(f"{name} must be from 0 to {size - 1}, as there are {size} {what}", f"got {worst}")
    return np.ascontiguousarray(array) if array.dtype.type in KNOWN else compact(array)


def _bounds(size: int, lengths: ArrayLike | None, offsets: ArrayLike | None) -> NDArray[np.int64]:
    if lengths is not None and offsets is not None:
        raise TelosError("give lengths or offsets, not both")
    if offsets is not None:
        bounds = _whole("offsets", offsets)
    elif lengths is not None:
        bounds = np.concatenate([[0], np.cumsum(_whole("lengths", lengths))]).astype(np.int64)
    else:
        bounds = np.array([0, size], np.int64)
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != size or np.any(np.diff(bounds) < 0):
        shown = "nothing" if not len(bounds) else f"from {bounds[0]} to {bounds[-1]}"
        raise TelosError(f"players' events must follow each other from 0 to {size}, but lengths or offsets go {shown}")
    return bounds


def _whole(name: str, given: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
        raise TelosError(f"{name} must be a flat array of whole numbers, got {array.dtype} in {array.ndim} dimensions")
    return np.ascontiguousarray(array, np.int64)


def beginnings(model: ModelArrays, prior: ArrayLike | None, count: int) -> Array:
    """Return the belief that each player begins with, a row each."""
    size = len(model.goals)
    if prior is None:
        return np.tile(model.prior, (count, 1))
    given = np.array(prior, np.float64, order="C")  # a copy: it becomes the belief after the last event
    if given.shape not in ((size,), (count, size)):
        raise TelosError(f"prior must be {size} chances, or {count} rows of them, got the shape {given.shape}")
    sums = given.sum(axis=-1)
    if not np.all(np.isfinite(given)) or np.any(given < 0) or np.any(np.abs(sums - 1.0) > 1e-9):
        raise TelosError("every prior must be chances that sum to 1", "one does not")
    return np.tile(given, (count, 1)) if given.ndim == 1 else given


def room_for(events: int, goals: int, out: Array | None) -> Array:
    """Return where beliefs are written: the array given for that, if it fits, else a new one."""
    if out is None:
        return np.empty((events, goals))
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == (events, goals)
    if not fits or not out.flags.c_contiguous or not out.flags.writeable:
        raise TelosError(f"out must be an array of 64-bit floats in a row, of shape ({events}, {goals})")
    return out


class Runner:
    """Runs a function of the kernel over all players, compiled and on several threads if that can be had."""

    def __init__(self, goals: int, *, threads: int | None, compiled: bool | None) -> None:
        if threads is not None and threads < 1:
            raise TelosError(f"threads must be at least 1, got {threads}")
        self.is_compiled = native_kernel.is_installed() if compiled is None else compiled
        self.threads = threads or os.cpu_count() or 1
        self.functions: Any = (native_kernel.compiled if self.is_compiled else native_kernel.plain)(goals)
        self._goals = goals

    def over(self, offsets: NDArray[np.int64], work: Callable[[int, int], None]) -> None:
        """Call ``work(first, end)`` for every block of players."""
        self.blocks(shares(offsets, self.threads) if self.is_compiled else [0, len(offsets) - 1], work)

    def blocks(self, bounds: Sequence[int], work: Callable[[int, int], None]) -> None:
        """Call ``work`` for every block between bounds."""
        if self.threads == 1 or len(bounds) < 3:
            for first, end in pairwise(bounds):
                work(first, end)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, bounds[:-1], bounds[1:]))

    def room(self) -> tuple[NDArray[np.int64], Array]:
        """Return a workspace for one call."""
        return np.zeros(ROOM, np.int64), np.zeros(2 * self._goals)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the kernel; as plain Python it works on lists, which are copied back."""
        function = getattr(self.functions, name)
        if self.is_compiled:
            function(*arguments)
            return
        lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in arguments]
        function(*lists)
        for array, values in zip(arguments, lists, strict=True):
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[:] = values


def shares(offsets: NDArray[np.int64], threads: int) -> list[int]:
    """Return bounds of blocks of players with about as many events each, enough players in each to fill the seats."""
    count, events = len(offsets) - 1, int(offsets[-1])
    blocks = max(min(threads, count), min(events // BLOCK, count // (2 * SEATS)))
    wanted = np.arange(1, blocks) * (events / max(1, blocks))
    return [0, *np.unique(np.searchsorted(offsets, wanted)).clip(0, count).tolist(), count]
