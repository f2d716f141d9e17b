"""Recognition in bulk: filter, smooth and Viterbi over arrays of events of many players, for any goal model.

Start with ``encode`` and ``filter``; ``PlayersInBulk`` updates many live players at once. The beliefs are those of a
live ``Reader`` on the same events. Needs numpy; with Numba it handles millions of events a second.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

try:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
except ImportError as missing:  # pragma: no cover
    raise ImportError("reading players in bulk needs numpy; install telos[recognition]") from missing

from telos.core import kernels
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition import bulk_kernel
from telos.recognition.bulk_kernel import SLOT_ARRAY_SIZE, SLOTS
from telos.recognition.filtering import EventGate
from telos.recognition.recognizer import GoalModel, Matrix

# --- models and events as arrays --------------------------------------------------------------------------------------


Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[Any]  # of signed or unsigned integers

MAX_GOALS = 255  # the indices of goals in paths are bytes
MAX_LIKELIHOOD = 1e100  # densities may be above 1, but products must not overflow


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ModelArrays:
    """A goal model as tables: ``transitions[input, from, to]`` and ``likelihoods[symbol, goal]``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]]).symbols
    2
    """

    goals: tuple[str, ...]
    prior: Array
    transitions: Array
    likelihoods: Array

    def __init__(
        self, goals: Sequence[str], transitions: ArrayLike, likelihoods: ArrayLike, prior: ArrayLike | None = None
    ) -> None:
        size = len(goals)
        if not 1 <= size <= MAX_GOALS:
            raise TelosError(f"a model in bulk has 1 to {MAX_GOALS} goals, got {size}")
        matrices = _table("transitions", transitions, (-1, size, size))
        rows = _table("likelihoods", likelihoods, (-1, size))
        if rows.size and rows.max() > MAX_LIKELIHOOD:
            raise TelosError(f"a likelihood is at most {MAX_LIKELIHOOD:g}, got {rows.max():g}", "scale them down")
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "transitions", _check_sums("row of transitions", matrices))
        object.__setattr__(self, "likelihoods", rows)
        even = np.full(size, 1.0 / size) if prior is None else prior
        object.__setattr__(self, "prior", _check_sums("prior", _table("prior", even, (size,))))

    @property
    def inputs(self) -> int:
        """The number of transition matrices."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """The number of different observations."""
        return len(self.likelihoods)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedEvents:
    """Events as indices into the tables of a model.

    The updates of player p are those from ``offsets[p]`` to before ``offsets[p + 1]``; ``rows`` are the indices of
    their events, as not every event counts.
    """

    model: ModelArrays
    symbols: Indices
    inputs: Indices
    offsets: NDArray[np.int64]
    players: tuple[str, ...]
    rows: NDArray[np.int64]


@dataclass(slots=True)
class _Tables:
    """The distinct matrices and likelihoods so far, each with its index."""

    matrices: dict[Matrix, int] = field(default_factory=dict)
    likelihoods: dict[tuple[float, ...], int] = field(default_factory=dict)
    symbols: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    def add(self, matrix: Matrix, likelihood: tuple[float, ...]) -> None:
        self.inputs.append(self.matrices.setdefault(matrix, len(self.matrices)))
        self.symbols.append(self.likelihoods.setdefault(likelihood, len(self.likelihoods)))


def encode(model: GoalModel, events: Iterable[Event]) -> EncodedEvents:
    """Encode events for the kernel: players one after the other, in order of their first event.

    The evidence is that of the model now: encode again after it has learned.
    """
    found = list(events)
    mine: dict[str, list[int]] = {}
    for row, event in enumerate(found):
        mine.setdefault(event.player, []).append(row)
    tables, offsets, rows = _Tables(), [0], list[int]()
    for numbers in mine.values():
        rows += _encode_player(model, found, numbers, tables)
        offsets.append(len(rows))
    return EncodedEvents(
        _model_arrays(model, tables),
        compact(tables.symbols),
        compact(tables.inputs),
        np.array(offsets, np.int64),
        tuple(mine),
        np.array(rows, np.int64),
    )


def _encode_player(model: GoalModel, events: Sequence[Event], rows: Iterable[int], tables: _Tables) -> list[int]:
    """Add one player's events to the tables; return the indices of those that count."""
    gate, last, counted = EventGate(model), float("-inf"), []
    for row in rows:
        event = events[row]
        if event.time < last:
            raise TelosError(
                f"time runs backwards: an event of {event.player!r} at {event.time:g} s after one at {last:g} s",
                "sort the log by time",
            )
        last = event.time
        evidence = gate.evidence(event)
        if evidence is not None:
            tables.add(evidence.transition, evidence.likelihood)
            counted.append(row)
    return counted


def _model_arrays(model: GoalModel, tables: _Tables) -> ModelArrays:
    size = len(model.goals)
    matrices: ArrayLike = list(tables.matrices) or [np.eye(size)]  # no events: the tables must not be empty
    likelihoods: ArrayLike = list(tables.likelihoods) or [[1.0] * size]
    return ModelArrays(model.goals, matrices, likelihoods, model.prior)


def compact(numbers: ArrayLike) -> Indices:
    """Return non-negative integers in the smallest type of the kernel that holds them.

    >>> compact([0, 255]).dtype.name, compact([256]).dtype.name
    ('uint8', 'uint16')
    """
    wide = np.asarray(numbers, np.int64)
    most = int(wide.max(initial=0))
    return wide.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int64)


def _table(name: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        table = np.array(given, np.float64, order="C")
    except (TypeError, ValueError) as bad:
        raise TelosError(f"{name} must be numbers in a regular table: {bad}") from None
    wanted = " × ".join("n" if side < 0 else str(side) for side in shape)
    if table.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, table.shape, strict=True)):
        raise TelosError(f"{name} must have the shape {wanted}, got {' × '.join(map(str, table.shape)) or 'a number'}")
    if not table.size:
        raise TelosError(f"{name} must not be empty", f"the shape is {wanted}")
    if not np.all(np.isfinite(table)) or table.min() < 0:
        worst = table[~np.isfinite(table) | (table < 0)][0]
        raise TelosError(f"{name} must be finite numbers, 0 or more, got {worst}")
    table.flags.writeable = False
    return table


def _check_sums(name: str, table: Array) -> Array:
    sums = table.sum(axis=-1)
    wrong = np.abs(sums - 1.0) > 1e-9
    if np.any(wrong):
        raise TelosError(
            f"every {name} must sum to 1, but one sums to {np.atleast_1d(sums)[np.atleast_1d(wrong)][0]:.6g}"
        )
    return table


# --- the kernel, plain and compiled -----------------------------------------------------------------------------------

# In file order, so that a function is compiled before those that call it.
_MODULES = (bulk_kernel,)
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


# --- many live players ------------------------------------------------------------------------------------------------

MIN_PLAYERS_PER_THREAD = 1 << 13  # fewer are not worth a thread


class PlayersInBulk:
    """The beliefs about ``count`` live players who share a model, one row each in ``beliefs``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> players = PlayersInBulk(model, 3, compiled=False)
    >>> players.update([0, 1], players=[2, 0]).tolist()
    [[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]
    """

    def __init__(
        self,
        model: ModelArrays,
        count: int,
        *,
        prior: ArrayLike | None = None,
        threads: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        if count < 1:
            raise TelosError(f"count must be at least 1, got {count}")
        self.model = model
        self.beliefs: Array = initial_beliefs(model, prior, count)
        self.ignored: NDArray[np.int64] = np.zeros(count, np.int64)
        self._products, self._logs = np.ones(count), np.zeros(count)
        self._runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)

    def __len__(self) -> int:
        return len(self.beliefs)

    def __getitem__(self, player: int) -> Belief:
        """Return the belief about one player."""
        return Belief.of(self.model.goals, self.beliefs[player].tolist())

    @property
    def log_likelihoods(self) -> Array:
        """The log-likelihood of each player's events, without ignored ones."""
        return np.asarray(self._logs + np.log(self._products))

    def update(self, symbols: ArrayLike, inputs: ArrayLike | None = None, *, players: ArrayLike | None = None) -> Array:
        """Update with one event per player, or one for each of ``players``; return all beliefs.

        A player listed twice has two events, in that order.
        """
        events = check_sequences(self.model, symbols, inputs)
        named = self._named(players)
        count = len(self) if players is None else len(named)
        if len(events.symbols) != count:
            raise TelosError(f"there must be one symbol for each of {count} players, got {len(events.symbols)}")
        tables = (self.model.transitions.ravel(), self.model.likelihoods.ravel())
        found = (self.beliefs.reshape(-1), self._products, self._logs, self.ignored)

        def work(first: int, end: int) -> None:
            known = (events.symbols, events.inputs, events.stride, named, players is not None, first, end)
            self._runner.call("update_players", *tables, *known, *found, self._runner.room()[1])

        self._runner.blocks(self._bounds(count, is_shared=players is None), work)
        return self.beliefs

    def reset(self, players: ArrayLike | None = None, *, prior: ArrayLike | None = None) -> None:
        """Return some players, or all, to the prior."""
        chosen: Any = slice(None) if players is None else self._named(players)
        count = len(self) if players is None else len(chosen)
        self.beliefs[chosen] = initial_beliefs(self.model, prior, count)
        self._products[chosen], self._logs[chosen], self.ignored[chosen] = 1.0, 0.0, 0

    def _named(self, players: ArrayLike | None) -> NDArray[np.int64]:
        named = np.asarray([] if players is None else players)
        if named.ndim != 1 or (named.size and named.dtype.kind not in "ui"):
            raise TelosError(f"players must be a flat array of indices, got {named.dtype}")
        if named.size and (named.min() < 0 or named.max() >= len(self)):
            worst = named.min() if named.min() < 0 else named.max()
            raise TelosError(f"players have the indices 0 to {len(self) - 1}, got {worst}")
        return np.ascontiguousarray(named, np.int64)

    def _bounds(self, count: int, *, is_shared: bool) -> Sequence[int]:
        """Return the bounds of the parts of threads; listed players are one part, as one may be listed twice."""
        parts = (
            min(self._runner.threads, count // MIN_PLAYERS_PER_THREAD) if is_shared and self._runner.is_compiled else 1
        )
        return [count * part // max(1, parts) for part in range(max(1, parts) + 1)]


# --- filter, smooth, viterbi ------------------------------------------------------------------------------------------

__all__ = [
    "EncodedEvents",
    "FilterResult",
    "ModelArrays",
    "PlayersInBulk",
    "ViterbiResult",
    "encode",
    "filter",
    "smooth",
    "viterbi",
]


class FilterResult(NamedTuple):
    """Beliefs, one row per player or per event, and the log-likelihood and ignored events of each player."""

    beliefs: Array
    log_likelihoods: Array  # without the events that were ignored
    ignored: NDArray[np.int64]  # the number of events that no goal allows


class ViterbiResult(NamedTuple):
    """The Viterbi path of each player: the index of the goal at each event, and the log-likelihood of the path."""

    path: NDArray[np.uint8]
    log_likelihoods: Array


def filter(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    beliefs: bool = False,
    prior: ArrayLike | None = None,
    out: Array | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> FilterResult:
    """Filter all events; return the last belief about each player, or with ``beliefs`` that after each event.

    ``inputs`` are the indices of the transition matrices before each event (default: the first), ``lengths`` or
    ``offsets`` separate the events of players. ``prior`` is one belief for all players, or one row each, so that a
    session can continue. ``out`` is an array for the beliefs at each event; allocating a new one takes a good part of
    the time. Without Numba (or with ``compiled=False``) the kernel runs as plain Python: the same numbers, slowly.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> filter(model, [0, 1, 0], lengths=[1, 2], compiled=False).beliefs.round(3).tolist()
    [[0.75, 0.25], [0.643, 0.357]]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    history = belief_buffer(len(events.symbols), len(model.goals), out) if beliefs else None
    return _filtered(model, events, runner, initial_beliefs(model, prior, events.count), history)


def smooth(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    out: Array | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> FilterResult:
    """Return the belief at each event given all events of its player (forward-backward); arguments as for ``filter``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> smooth(model, [0, 1, 0], compiled=False).beliefs.round(3).tolist()
    [[0.692, 0.308], [0.481, 0.519], [0.692, 0.308]]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    history = belief_buffer(len(events.symbols), len(model.goals), out)
    return _filtered(model, events, runner, initial_beliefs(model, prior, events.count), history, is_smoothed=True)


def viterbi(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> ViterbiResult:
    """Return the likeliest sequence of goals of each player; arguments as for ``filter``.

    Ties go to the goal that comes first in the model, judged from the end.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.125, 0.875]])
    >>> viterbi(model, [0, 1, 1], compiled=False).path.tolist()
    [0, 1, 1]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    size, bounds = len(model.goals), events.offsets
    with np.errstate(divide="ignore"):  # impossible transitions have the logarithm -inf
        log_transitions, log_likelihoods = np.log(model.transitions).ravel(), np.log(model.likelihoods).ravel()
        scores = np.log(initial_beliefs(model, prior, events.count)).ravel()
    path, totals = np.empty(len(events.symbols), np.uint8), np.zeros(events.count)

    def work(first: int, end: int) -> None:
        came_from = np.empty((bounds[end] - bounds[first]) * size, np.uint8)
        known = (log_transitions, log_likelihoods, events.symbols, events.inputs, events.stride, bounds, first, end)
        runner.call("viterbi_players", *known, scores, totals, came_from, path, *runner.room())

    runner.over(bounds, work)
    return ViterbiResult(path, totals)


def _filtered(
    model: ModelArrays,
    events: EventSequences,
    runner: KernelRunner,
    chances: Array,
    history: Array | None,
    *,
    is_smoothed: bool = False,
) -> FilterResult:
    """Filter and, block by block while the beliefs are in the cache, smooth; all beliefs are written to ``history``."""
    count, bounds = events.count, events.offsets
    transitions, likelihoods = model.transitions.ravel(), model.likelihoods.ravel()
    products, logs, ignored = np.ones(count), np.zeros(count), np.zeros(count, np.int64)
    kept = np.empty(0) if history is None else history.reshape(-1)

    def work(first: int, end: int) -> None:
        known = (transitions, likelihoods, events.symbols, events.inputs, events.stride, bounds, first, end)
        found = (chances.reshape(-1), products, logs, ignored, kept, history is not None)
        runner.call("filter_players", *known, *found, *runner.room())
        if is_smoothed:
            known_too = (transitions, events.inputs, events.stride, bounds, first, end)
            runner.call("smooth_players", *known_too, kept, *runner.room())

    runner.over(bounds, work)
    return FilterResult(chances if history is None else history, logs + np.log(products), ignored)
