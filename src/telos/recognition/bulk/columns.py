"""Columns of a batch of events, and conditions over them: ``EventColumns``, ``ColumnNeeds``, ``ColumnConditions``.

A condition is worked out for all rows at once, with the answers of `telos.core.expressions` for each of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import And, Arithmetic, Call, Compare, Expression, Handle, Literal, Name, Not, Or, to_text
from telos.core.state import Layout
from telos.core.values import FrozenMap, Type, Value
from telos.recognition.bulk.arrays import Indices
from telos.recognition.filtering import Clock
from telos.recognition.vocabulary import Vocabulary, resolve_labels

Truths: TypeAlias = NDArray[np.bool_]
NO_LABEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Numbers or truth values; or, with ``labels``, indices into these (``NO_LABEL``: none)."""

    values: NDArray[Any]
    labels: Sequence[Value] | None = None

    def take(self, rows: NDArray[np.int64]) -> "Column":
        """Return the column of some rows."""
        return Column(self.values[rows], self.labels)

    def value(self, row: int) -> Value:
        """Return the value of one row."""
        if self.labels is None:
            return self.values[row].item()
        code = int(self.values[row])
        return None if code == NO_LABEL else self.labels[code]


@dataclass(frozen=True, slots=True, eq=False)
class EventColumns:
    """Events as columns: the action, the goal achieved (if any), and context entries."""

    size: int
    columns: Mapping[str, Column]

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise TelosError(f"the context has no entry {name!r}", name_hint(name, self.columns))
        return self.columns[name]

    def take(self, rows: NDArray[np.int64]) -> "EventColumns":
        """Return some of the events."""
        return EventColumns(len(rows), {name: column.take(rows) for name, column in self.columns.items()})


@dataclass(frozen=True, slots=True)
class ColumnNeeds:
    """What a model reads of events: ``context`` entries, each with its type (None: any), and their initial values.

    ``actions`` are all that may occur (empty: any). ``clock`` decides which events count (None: all); ``moments`` are
    carried over from events that do not. ``achieved`` are the goals that may be achieved, None if they are not read.
    """

    context: Mapping[str, Type | None]
    starts: Mapping[str, Value]
    actions: tuple[str, ...] = ()
    clock: Clock | None = None
    moments: tuple[str, ...] = ()
    achieved: tuple[str, ...] | None = None
    optional: frozenset[str] = frozenset()  # entries that a log may lack
    past: frozenset[str] = frozenset()  # DONE, LAST: the goals achieved before; an event that achieves one is no other
    lags: Mapping[str, tuple[int, ...]] = FrozenMap()  # how many steps back an entry is read, too: `lagged`
    flags: frozenset[str] = frozenset()  # entries of no stated type that are true or false
    measures: Mapping[str, float] = FrozenMap()  # entries that are measured, each with the least value it can have
    counts_steps: bool = False  # whether the column STEPS is read: how many events of the player counted before


DONE, LAST = "done", "last"
STEPS = "number of earlier steps"  # with blanks, as no entry has


def measured(name: str) -> str:
    """Return the name of the column that holds an entry as it was measured: NaN where it was not."""
    return f"measured {name}"


def lagged(name: str, back: int) -> str:
    """Return the name of the column that holds an entry of so many steps before.

    >>> lagged("place", 0), lagged("place", 2)
    ('place', 'place 2 before')
    """
    return f"{name} {back} before" if back else name


class ColumnConditions:
    """Works out the conditions of a model for all rows of columns."""

    def __init__(self, vocabulary: Vocabulary, goals: Iterable[str]) -> None:
        self._layout = Layout(vocabulary.variables(goals))

    def resolve(self, conditions: Iterable[Condition]) -> list[Expression]:
        """Return the expressions of conditions, with names turned into labels where they are meant."""
        return [resolve_labels(condition.expression, self._layout) for condition in conditions]

    def find_first(self, tests: Sequence[Expression | None], events: EventColumns) -> NDArray[np.int32]:
        """Return for each row the index of the first test that holds (None always does), or how many there are."""
        found = np.full(events.size, len(tests), np.int32)
        rest: Truths | None = None  # the rows for which none has held so far; None: all
        for number, test in enumerate(tests):
            if test is None:
                holds = np.ones(events.size, np.bool_) if rest is None else rest
            else:
                holds = _as_truths(_Rows(events, self._layout, rest).value(test), events.size)
                holds = holds if rest is None else holds & rest
            found[holds] = number
            rest = ~holds if rest is None else rest & ~holds
            if not rest.any():
                break
        return found


def _as_truths(value: Any, size: int) -> Truths:
    return value.astype(np.bool_, copy=False) if isinstance(value, np.ndarray) else np.full(size, bool(value))


_NUMERIC: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
}
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "min": lambda *values: reduce(np.minimum, values),
    "max": lambda *values: reduce(np.maximum, values),
    "abs": np.abs,
}


@dataclass(frozen=True, slots=True)
class _Rows:
    """Evaluates expressions for rows: arrays or, for what is the same in all rows, plain values.

    ``reached`` are the rows in which an expression is evaluated one at a time (None: all); a part that these do not
    reach may be senseless there, such as a division by zero after ``n == 0 or``.
    """

    events: EventColumns
    layout: Layout
    reached: Truths | None

    def value(self, expression: Expression) -> Any:
        match expression:
            case Literal(value) | Handle(value):
                return value
            case Name(name):
                if name not in self.layout.slots:
                    return name  # a label
                column = self.events[name]
                return column.values if column.labels is None else column
            case Not(operand):
                return ~_as_truths(self.value(operand), self.events.size)
            case And(parts):
                return self._all_of(parts, wanted=True)
            case Or(parts):
                return ~self._all_of(parts, wanted=False)
            case Compare(symbol, left, right):
                return _compare(symbol, self.value(left), self.value(right))
            case Arithmetic("/", left, right):
                return self._divided(left, right)
            case Arithmetic(symbol, left, right):
                return _calculate(symbol, self.value(left), self.value(right))
            case Call(function, arguments):
                return _BUILT_IN[function](*(self.value(argument) for argument in arguments))

    def _all_of(self, parts: Sequence[Expression], *, wanted: bool) -> Truths:
        """Return the rows in which all parts are true, or all are false; later parts are reached only there."""
        found = np.ones(self.events.size, np.bool_)
        reached = self.reached
        for part in parts:
            holds = _as_truths(_Rows(self.events, self.layout, reached).value(part), self.events.size)
            found &= holds if wanted else ~holds
            reached = found if self.reached is None else found & self.reached
        return found

    def _divided(self, left: Expression, right: Expression) -> Any:
        value, divisor = self.value(left), self.value(right)
        is_zero = np.equal(divisor, 0)
        if np.any(is_zero if self.reached is None else is_zero & self.reached):
            raise TelosError(f"division by zero in `{to_text(Arithmetic('/', left, right))}`")
        return np.true_divide(value, np.where(is_zero, 1, divisor))


def _compare(symbol: str, left: Any, right: Any) -> Any:
    if isinstance(right, Column) and not isinstance(left, Column):
        left, right = right, left  # == or !=: labels have no order
    if not isinstance(left, Column):
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return _NUMERIC[symbol](left, right)
        return (
            {"==": left == right, "!=": left != right}[symbol]
            if _are_labels(left, right)
            else bool(_NUMERIC[symbol](left, right))
        )
    same = _codes_in(right, left) == left.values if isinstance(right, Column) else left.values == _code_of(right, left)
    return same if symbol == "==" else ~same


def _are_labels(left: Any, right: Any) -> bool:
    return any(side is None or isinstance(side, str) for side in (left, right))


_UNKNOWN = -2  # the code of a value that is not among the labels of a column


def _code_of(value: Value, column: Column) -> int:
    assert column.labels is not None
    if value is None:
        return NO_LABEL
    return next((code for code, label in enumerate(column.labels) if label == value), _UNKNOWN)


def _codes_in(column: Column, other: Column) -> Indices:
    """Return the codes that the values of a column have in another one."""
    assert column.labels is not None
    codes = np.array([*(_code_of(label, other) for label in column.labels), NO_LABEL])
    found: Indices = codes[column.values]  # the last entry stands for NO_LABEL, which is -1
    return found


_MAX_EXACT = 1 << 62


def _calculate(symbol: str, left: Any, right: Any) -> Any:
    sides = [np.asarray(side) for side in (left, right)]
    if all(side.dtype.kind in "iu" for side in sides):
        most = [int(np.abs(side.astype(np.float64)).max(initial=0)) for side in sides]
        if (most[0] * most[1] if symbol == "*" else most[0] + most[1]) >= _MAX_EXACT:
            left = sides[0].astype(np.float64)  # whole numbers that do not fit; nearly exact is enough
    return _NUMERIC[symbol](left, right)
