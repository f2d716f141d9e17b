"""Online features of events: numbers, recent and total counts, trends, times since, and the belief of a filter.

A ``FeatureProgram`` is plain data: which context entries are read, as numbers or as codes, and what is computed from
them. ``FeatureStream`` applies it to the events of one player, ``FeatureProgram.extract`` to whole logs. Both run the
same kernel, and neither can see later events.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.ensemble import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

ACTION, TIME, ACHIEVED = "action", "time", "achieved"
OF_NUMBERS = {
    "number": kernel.NUMBER,
    "present": kernel.PRESENT,
    "since": kernel.SINCE,
    "change": kernel.CHANGE,
    "trend": kernel.TREND,
    "gain": kernel.GAIN,
}
OF_CODES = {
    "now": kernel.NOW,
    "recent": kernel.RECENT,
    "count": kernel.COUNT,
    "total": kernel.TOTAL,
    "latest": kernel.LATEST,
    "filter": kernel.FILTER,
}
OF_ROWS = {"age": kernel.AGE, "rows": kernel.ROWS}
KINDS = {**OF_NUMBERS, **OF_CODES, **OF_ROWS}
MAX_FEATURES = 20_000
MAX_NUMBER = 1e300  # of a context entry: differences of such numbers are finite
MIN_BINNED, MIN_BIN_SHARE = 100, 0.004  # rows with a value; share of rows on either side of an edge
SPARSE = 0.3  # of zeros


@dataclass(frozen=True, slots=True)
class NumberEntry:
    """A context entry that is read as a number; truth values are 0 and 1. ``missing`` is what stands for no value.

    A log may lack an ``optional`` entry; then it is missing everywhere.
    """

    name: str
    missing: float | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class CodedEntry:
    """Context entries (or ``action``) whose joined values are looked up in a list; other values have no code.

    ``levels`` are tried from the first, finest one on. ``detail`` adds entries after some actions, as in ``do tree``.
    With ``lag`` 1 the values of the previous event are taken.

    >>> CodedEntry("key", (("action",),), ("left", "right")).values
    ('left', 'right')
    """

    name: str
    levels: tuple[tuple[str, ...], ...]
    values: tuple[str, ...] = ()
    detail: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lag: int = 0


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features of one source: its ``kind`` is a word of ``KINDS``.

    Of numbers: ``number`` (the value), ``present``, ``since`` (rows since there was a value), ``change`` over ``depth``
    rows, ``trend`` (rises less falls, fading), ``gain`` since the last achieved goal. Of codes: ``now``, ``recent``
    (fading counts), ``count`` since the last achieved goal, ``total``, ``latest`` (the last ``depth`` codes), and
    ``filter``: the belief of a hidden Markov model, which changes by ``source`` and sees ``seen``. Of rows: ``age``
    since the last achieved goal, and ``rows`` in all.
    """

    kind: str
    source: str = ""
    half_life: float = 1.0  # in rows that count
    depth: int = 1
    seen: str = ""


class FilterTables(NamedTuple):
    """The tables of a hidden Markov model: its prior, a matrix for each change, likelihoods for each thing seen."""

    prior: Array  # (goals,)
    matrices: Array  # (changes, goals, goals)
    likelihoods: Array  # (codes, goals)


def no_tables() -> FilterTables:
    """Return empty tables, for programs without a filter."""
    return FilterTables(np.zeros(0), np.zeros((0, 1, 1)), np.zeros((0, 1)))


class Encoded(NamedTuple):
    """Rows of a log as numbers and codes."""

    numbers: Array
    codes: Ints
    is_idle: NDArray[np.uint8]
    is_new: NDArray[np.uint8]
    starts: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class FeatureProgram:
    """What is read from events and what is computed from it. Actions in ``idle`` are no evidence of their own.

    The code ``achieved`` is the goal that was achieved at the previous event; it restarts ``age``, ``count``, ``gain``.

    >>> key = CodedEntry("key", (("action",),), ("left", "right"))
    >>> program = FeatureProgram((), (key,), (FeatureGroup("now", "key"),))
    >>> program.names
    ('now: key left', 'now: key right')
    """

    numbers: tuple[NumberEntry, ...]
    codes: tuple[CodedEntry, ...]
    groups: tuple[FeatureGroup, ...]
    idle: tuple[str, ...] = ()
    tables: FilterTables = field(default_factory=no_tables)
    goals: tuple[str, ...] = ()  # of the filter, for the names of its features
    # Features of their own, behind the others: whether the feature with this number has reached this edge.
    bins: tuple[tuple[int, float], ...] = ()

    @cached_property
    def entries(self) -> frozenset[str]:
        """The context entries that are read."""
        found = {each.name for each in self.numbers if each.name != TIME}
        for code in self.codes:
            if code.name != ACHIEVED:
                found.update(*code.levels, *code.detail.values())
        return frozenset(found - {ACTION})

    @cached_property
    def optional(self) -> frozenset[str]:
        """The context entries that a log may lack."""
        return frozenset(each.name for each in self.numbers if each.optional)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the features, for explanations."""
        own = [name for group in self.groups for name in self._names_of(group)]
        for feature, _ in self.bins:
            if not 0 <= feature < len(own):
                raise TelosError(f"features: a bin of feature {feature}, and there are {len(own)}")
        return (*own, *(f"{own[feature]} ≥ {edge:.3g}" for feature, edge in self.bins))

    @cached_property
    def plain_size(self) -> int:
        """The number of features without the bins."""
        return len(self.names) - len(self.bins)

    @cached_property
    def _bins(self) -> tuple[Ints, Array]:
        return np.array([each for each, _ in self.bins], np.int64), np.array([edge for _, edge in self.bins])

    def with_bins(self, rows: Array, count: int) -> "FeatureProgram":
        """Return the program with about ``count`` bins for each feature, at quantiles of its values in ``rows``.

        By them, a linear score can bend. Of a feature that is mostly 0, the quantiles are of the other values.
        """
        bins: list[tuple[int, float]] = []
        for feature in range(self.plain_size):
            values = rows[:, feature]
            values = values[np.isfinite(values)]
            if len(values) < MIN_BINNED:
                continue
            is_sparse = float((values == 0).mean()) > SPARSE
            used = values[values != 0] if is_sparse else values
            if len(used) < MIN_BINNED:
                continue
            shares = np.arange(count) / count if is_sparse else np.arange(1, count + 1) / (count + 1)
            for edge in np.unique(np.quantile(used, shares)).tolist():
                if MIN_BIN_SHARE < float((rows[:, feature] >= edge).mean()) < 1.0 - MIN_BIN_SHARE:
                    bins.append((feature, float(f"{edge:.9g}")))
        return replace(self, bins=tuple(bins))

    def add_bins(self, rows: Array) -> Array:
        """Return rows of plain features with the bins behind them."""
        bins, edges = self._bins
        return np.concatenate([rows, (rows[:, bins] >= edges).astype(np.float64)], axis=1)

    def _names_of(self, group: FeatureGroup) -> list[str]:
        if group.kind in OF_ROWS:
            return ["events since the last goal" if group.kind == "age" else "events so far"]
        if group.kind in OF_NUMBERS:
            over = f" over {group.depth}" if group.kind == "change" else ""
            return [f"{group.kind}{over}: {group.source}"]
        if group.kind == "filter":
            return [f"filter: {goal}" for goal in self.goals]
        values = self._code(group.source).values
        if group.kind == "latest":
            return [f"latest {back + 1}: {group.source} {value}" for back in range(group.depth) for value in values]
        over = f" ({group.half_life:g})" if group.kind == "recent" else ""
        return [f"{group.kind}{over}: {group.source} {value}" for value in values]

    def _code(self, name: str) -> CodedEntry:
        return self.codes[_find_source(name, self.codes)]

    @cached_property
    def _compiled(self) -> tuple[Ints, Array, Array]:
        """The table of steps, the rates, and the initial state."""
        steps, rates, initial, out = [], [], list[float](), 0
        for group in self.groups:
            kind = KINDS.get(group.kind)
            if kind is None:
                raise TelosError(f"features: unknown kind {group.kind!r}", name_hint(group.kind, KINDS))
            if not 1 <= group.depth <= MAX_FEATURES or not group.half_life > 0:
                raise TelosError(f"features: {group.kind} of {group.source!r}: depth and half_life must be positive")
            source, size, depth = 0, 1, group.depth
            start: list[float] = []
            if group.kind in OF_NUMBERS:
                source = _find_source(group.source, self.numbers)
                start = _start_of_number(group)
            elif group.kind in OF_ROWS:
                start = [0.0]
            else:
                source = _find_source(group.source, self.codes)
                size = len(self.codes[source].values)
                start = [] if group.kind == "now" else [0.0] * size
                if group.kind == "latest":
                    start = [-1.0] * depth
                elif group.kind == "filter":
                    depth, size = _find_source(group.seen, self.codes), len(self.tables.prior)
                    self._check_tables(source, depth, size)
                    start = self.tables.prior.tolist()
            steps.append((kind, source, size, out, len(initial), depth))
            rates.append(0.5 ** (1.0 / group.half_life))
            initial += start
            out += size * (depth if group.kind == "latest" else 1)
            if out > MAX_FEATURES or len(initial) > MAX_FEATURES:
                raise TelosError(f"features: more than {MAX_FEATURES:,}", "leave some groups out")
        table = np.array(steps, np.int64).reshape(-1, 6)
        return table, np.array(rates, np.float64), np.array(initial, np.float64)

    def _check_tables(self, source: int, seen: int, size: int) -> None:
        matrices, likelihoods = self.tables.matrices, self.tables.likelihoods
        wanted = len(self.codes[source].values), len(self.codes[seen].values)
        if matrices.shape != (wanted[0], size, size) or likelihoods.shape != (wanted[1], size) or size < 1:
            raise TelosError("features: the tables of the filter do not fit its codes and goals")
        if size != len(self.goals):
            raise TelosError(f"features: the filter has {size} goals, and {len(self.goals)} are named")

    @cached_property
    def _lookups(self) -> tuple[dict[str, int], ...]:
        return tuple({value: code for code, value in enumerate(each.values)} for each in self.codes)

    def check(self) -> None:
        """Refuse a program whose groups name unknown sources or do not fit the tables."""
        _ = self._compiled
        _ = self.names

    def find_bad_place(self, state: Array) -> int | None:
        """Return where a state is none that events lead to, so that the kernel would fail; None if it is sound."""
        for step in self._compiled[0]:
            first, size = int(step[kernel.STATE]), int(step[kernel.SIZE])
            if step[kernel.KIND] == kernel.CHANGE:  # the place of the oldest value is behind the values
                first, size, end = first + int(step[kernel.DEPTH]), 1, float(step[kernel.DEPTH])
            elif step[kernel.KIND] == kernel.FILTER:
                end = 1.0 + 1e-6
            elif step[kernel.KIND] in _COUNTING:
                end = math.inf
            else:
                continue
            for place in range(first, first + size):
                if not 0 <= state[place] < end:  # false for NaN
                    return place
        return None

    def encode_event(self, event: Event, before: Event | None, numbers: Array, codes: Ints) -> None:
        """Write the numbers and codes of an event; ``before`` is the event before it in the same sequence."""
        context = event.context.plain
        for place, number in enumerate(self.numbers):
            value = event.time if number.name == TIME else context.get(number.name)
            numbers[place] = math.nan if value is None or value == number.missing else _to_number(number.name, value)
        for place, code in enumerate(self.codes):
            if code.name == ACHIEVED:
                text = "" if before is None or before.goal is None else before.goal.rpartition("+")[2].strip()
                codes[place] = self._lookups[place].get(text, -1)
                continue
            shown = before if code.lag else event
            codes[place] = -1 if shown is None else _find_code(code, shown, self._lookups[place])

    def encode(self, sequences: Sequence[Sequence[Event]]) -> Encoded:
        """Return the events of some sequences as arrays, one row for each event."""
        size = sum(map(len, sequences))
        numbers, codes = np.empty((size, len(self.numbers))), np.empty((size, len(self.codes)), np.int64)
        marks = np.zeros((3, size), np.uint8)
        row = 0
        for events in sequences:
            before: Event | None = None
            for event in events:
                self.encode_event(event, before, numbers[row], codes[row])
                marks[:, row] = event.action in self.idle, _is_new(before), before is None
                before, row = event, row + 1
        return Encoded(numbers, codes, marks[0], marks[1], marks[2])

    def extract(self, encoded: Encoded) -> Array:
        """Return the features of each row."""
        steps, rates, initial = self._compiled
        rows = np.empty((len(encoded.numbers), len(self.names)))
        tables = self.tables
        loops().extract_features(
            steps, rates, *self._bins, tables.matrices, tables.likelihoods, initial, *encoded, initial.copy(), rows
        )
        return rows


class FeatureStream:
    """The features of one player's events, one event after the other."""

    def __init__(self, program: FeatureProgram) -> None:
        self.program = program
        self._steps, self._rates, self._initial = program._compiled
        self._bins = program._bins
        self._numbers = np.empty(len(program.numbers))
        self._codes = np.empty(len(program.codes), np.int64)
        self.row = np.zeros(len(program.names))
        self._update = loops().update_features
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self._state = self._initial.copy()
        self._before: Event | None = None

    @property
    def state(self) -> Array:
        """What the stream keeps of all events; with ``before`` and ``row`` it is all that a save needs."""
        return self._state

    @property
    def before(self) -> Event | None:
        """The last event."""
        return self._before

    def continue_from(self, state: Array, row: Array, before: Event | None) -> None:
        """Continue from the state, the features and the last event of another stream."""
        self._state, self.row, self._before = state.copy(), row.copy(), before

    def update(self, event: Event) -> Array:
        """Return the features after an event; the array is used again for the next one."""
        program, tables = self.program, self.program.tables
        program.encode_event(event, self._before, self._numbers, self._codes)
        self._update(
            self._steps,
            self._rates,
            *self._bins,
            tables.matrices,
            tables.likelihoods,
            self._numbers,
            self._codes,
            event.action in program.idle,
            _is_new(self._before),
            self._state,
            self.row,
        )
        self._before = event
        return self.row


def loops() -> Any:
    """Return the functions of the kernel, compiled if Numba is installed."""
    return kernels.kernel(kernel)


_COUNTING = (kernel.SINCE, kernel.RECENT, kernel.COUNT, kernel.TOTAL, kernel.AGE, kernel.ROWS)


def _find_source(name: str, known: Sequence[NumberEntry | CodedEntry]) -> int:
    names = [each.name for each in known]
    if name not in names:
        raise TelosError(f"features: unknown source {name!r}", name_hint(name, names))
    return names.index(name)


def _start_of_number(group: FeatureGroup) -> list[float]:
    if group.kind == "since":
        return [kernel.FAR]
    if group.kind == "gain":
        return [math.nan]
    if group.kind == "trend":
        return [math.nan, 0.0]
    return [math.nan] * group.depth + [0.0] if group.kind == "change" else []


def _is_new(before: Event | None) -> bool:
    return before is not None and before.goal is not None


def _find_code(code: CodedEntry, event: Event, lookup: Mapping[str, int]) -> int:
    context = event.context.plain
    for level in code.levels:
        names = (*level, *code.detail.get(event.action, ())) if code.detail else level
        text = " ".join([event.action if name == ACTION else _to_text(context.get(name)) for name in names])
        found = lookup.get(text)
        if found is not None:
            return found
    return -1


def entry_text(code: CodedEntry, level: int, event: Event) -> str:
    """Return the text of an event that a coded entry looks up at one level."""
    context = event.context.plain
    names = (*code.levels[level], *code.detail.get(event.action, ()))
    return " ".join([event.action if name == ACTION else _to_text(context.get(name)) for name in names])


def _to_text(value: Value) -> str:
    """Return a value as text, alike for 3, 3.0 and the text 3, and for truth values as logs write them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _to_number(name: str, value: Value) -> float:
    if isinstance(value, tuple | frozenset):
        return float(len(value))
    if isinstance(value, str) and value in ("", "true", "false"):
        return {"": math.nan, "true": 1.0, "false": 0.0}[value]
    try:
        number = float(value)  # type: ignore[arg-type,unused-ignore]
    except (TypeError, ValueError):
        raise TelosError(f"context entry {name!r} is read as a number, got {value!r}") from None
    except OverflowError:
        number = math.inf
    if abs(number) > MAX_NUMBER:
        raise TelosError(f"context entry {name!r} is beyond {MAX_NUMBER:g}", "leave out what is not known")
    return number
