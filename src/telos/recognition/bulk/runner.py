"""How the kernel is run: checked sequences of events, the plain and the compiled form, blocks of players on threads."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.core import kernels
from telos.core.errors import TelosError
from telos.recognition.bulk import kernel
from telos.recognition.bulk.arrays import Array, Indices, ModelArrays, compact
from telos.recognition.bulk.kernel import SLOT_ARRAY_SIZE, SLOTS

# --- the kernel, plain and compiled -----------------------------------------------------------------------------------

# In file order, so that a function is compiled before those that call it.
_MODULES = (kernel,)
ENTRY_POINTS = ("filter_players", "update_players", "smooth_players", "viterbi_players")
NOT_INLINED = (
    "faint",
    "settle",
    "look_back_faintly",
)  # called rarely, so not inlined into the hot loop


def is_installed() -> bool:
    """Whether Numba is installed."""
    return kernels.is_installed()


@cache
def plain_kernel(goals: int) -> Any:
    """Return the kernel for a number of goals as plain Python; it works on lists."""
    return kernels.plain_functions(_MODULES, {"GOALS": goals})


@cache
def compiled_kernel(goals: int) -> Any:
    """Return the kernel for a number of goals, compiled; it works on arrays.

    Numba reads the number of goals as a constant, so every loop over goals is unrolled.
    """
    inlined = set(kernels.functions_of(_MODULES)).difference(ENTRY_POINTS, NOT_INLINED)
    return kernels.compile_functions(_MODULES, inlined=inlined, constants={"GOALS": goals})


# --- sequences of events ----------------------------------------------------------------------------------------------

INDEX_TYPES = (np.uint8, np.uint16, np.int64)  # each index type is compiled separately
EVENTS_PER_BLOCK = 1 << 17  # events per block of a thread: their beliefs still fit into the cache


@dataclass(frozen=True, slots=True, eq=False)
class EventSequences:
    """The symbols and inputs of all events; those of player p are from ``offsets[p]`` to before ``offsets[p + 1]``.

    ``stride`` is 0 if one input applies to all events, else 1.
    """

    symbols: Indices
    inputs: Indices
    stride: int
    offsets: NDArray[np.int64]

    @property
    def count(self) -> int:
        """The number of players."""
        return len(self.offsets) - 1


def check_sequences(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
) -> EventSequences:
    """Return checked events for a model; without lengths or offsets they are one player's."""
    seen = _indices("symbols", symbols, model.symbols, "rows of likelihoods")
    if inputs is None:
        return EventSequences(seen, np.zeros(1, seen.dtype), 0, _bounds(len(seen), lengths, offsets))
    given = _indices("inputs", inputs, model.inputs, "transition matrices")
    if len(given) != len(seen):
        raise TelosError(f"each event has a symbol and an input, got {len(seen)} symbols and {len(given)} inputs")
    wider = max(
        seen.dtype, given.dtype, key=lambda kind: kind.itemsize
    )  # one type for both halves the number of compiled variants
    seen, given = seen.astype(wider, copy=False), given.astype(wider, copy=False)
    return EventSequences(seen, given, 1, _bounds(len(seen), lengths, offsets))


def _indices(name: str, given: ArrayLike, size: int, what: str) -> Indices:
    array = np.asarray(given)
    if array.ndim != 1:
        raise TelosError(
            f"{name} must be one flat array, got {array.ndim} dimensions", "give lengths or offsets with it"
        )
    if not array.size:
        return np.zeros(0, np.uint8)
    if array.dtype.kind not in "ui":
        raise TelosError(f"{name} must be integers, got {array.dtype}", "encode() makes them from events")
    least, most = int(array.min()), int(array.max())
    if least < 0 or most >= size:
        worst = least if least < 0 else most
        raise TelosError(f"{name} must be from 0 to {size - 1}, as there are {size} {what}", f"got {worst}")
    return np.ascontiguousarray(array) if array.dtype.type in INDEX_TYPES else compact(array)


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
        raise TelosError(f"lengths or offsets must cover the events from 0 to {size}, but go {shown}")
    return bounds


def _whole(name: str, given: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
        raise TelosError(f"{name} must be a flat array of integers, got {array.dtype} in {array.ndim} dimensions")
    return np.ascontiguousarray(array, np.int64)


def initial_beliefs(model: ModelArrays, prior: ArrayLike | None, count: int) -> Array:
    """Return the initial belief of each player, one row each."""
    size = len(model.goals)
    if prior is None:
        return np.tile(model.prior, (count, 1))
    given = np.array(prior, np.float64, order="C")  # a copy: it is updated in place
    if given.shape not in ((size,), (count, size)):
        raise TelosError(f"prior must be {size} chances, or {count} rows of them, got the shape {given.shape}")
    sums = given.sum(axis=-1)
    if not np.all(np.isfinite(given)) or np.any(given < 0) or np.any(np.abs(sums - 1.0) > 1e-9):
        raise TelosError("a prior does not sum to 1", "give chances that do")
    return np.tile(given, (count, 1)) if given.ndim == 1 else given


def belief_buffer(events: int, goals: int, out: Array | None) -> Array:
    """Return the array for beliefs: ``out`` if it fits, or a new one."""
    if out is None:
        return np.empty((events, goals))
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == (events, goals)
    if not fits or not out.flags.c_contiguous or not out.flags.writeable:
        raise TelosError(f"out must be a contiguous array of 64-bit floats of shape ({events}, {goals})")
    return out


class KernelRunner:
    """Runs a function of the kernel over all players, compiled and on several threads if possible."""

    def __init__(self, goals: int, *, threads: int | None, compiled: bool | None) -> None:
        if threads is not None and threads < 1:
            raise TelosError(f"threads must be at least 1, got {threads}")
        self.is_compiled = is_installed() if compiled is None else compiled
        self.threads = threads or os.cpu_count() or 1
        self.functions: Any = (compiled_kernel if self.is_compiled else plain_kernel)(goals)
        self._goals = goals

    def over(self, offsets: NDArray[np.int64], work: Callable[[int, int], None]) -> None:
        """Call ``work(first, end)`` for every block of players."""
        self.blocks(split_players(offsets, self.threads) if self.is_compiled else [0, len(offsets) - 1], work)

    def blocks(self, bounds: Sequence[int], work: Callable[[int, int], None]) -> None:
        """Call ``work`` for every block between ``bounds``."""
        if self.threads == 1 or len(bounds) < 3:
            for first, end in pairwise(bounds):
                work(first, end)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, bounds[:-1], bounds[1:]))

    def room(self) -> tuple[NDArray[np.int64], Array]:
        """Return the workspace of one call."""
        return np.zeros(SLOT_ARRAY_SIZE, np.int64), np.zeros(2 * self._goals)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the kernel; plain Python works on lists, which are copied back."""
        function = getattr(self.functions, name)
        if self.is_compiled:
            function(*arguments)
            return
        lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in arguments]
        function(*lists)
        for array, values in zip(arguments, lists, strict=True):
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[:] = values


def split_players(offsets: NDArray[np.int64], threads: int) -> list[int]:
    """Return the bounds of blocks of players with about equally many events, and enough players to fill the slots."""
    count, events = len(offsets) - 1, int(offsets[-1])
    blocks = max(min(threads, count), min(events // EVENTS_PER_BLOCK, count // (2 * SLOTS)))
    wanted = np.arange(1, blocks) * (events / max(1, blocks))
    return [0, *np.unique(np.searchsorted(offsets, wanted)).clip(0, count).tolist(), count]
