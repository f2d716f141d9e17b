"""States of a crowd as columns: one array a variable, one row an agent."""

from collections.abc import Mapping, Sequence
from typing import Any

from telos.core.errors import TelosError
from telos.core.state import Layout, State
from telos.core.values import Kind, Value, Variable
from telos.planning.encoding import Encoding


class ColumnStates(Sequence[State]):
    """A crowd's states; a variable without a column has its start value for everybody."""

    def __init__(self, layout: Layout, columns: Mapping[str, Sequence[Value]]) -> None:
        for name in columns:
            layout.slot(name)  # raises, and suggests what was meant
        sizes = {name: len(column) for name, column in columns.items()}
        if len(set(sizes.values())) != 1:
            raise TelosError(f"the columns must have one and the same length, got {sizes}")
        self.layout, self.columns, self._size = layout, columns, next(iter(sizes.values()))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, agent: Any) -> Any:
        values = []
        for variable in self.layout.variables:
            column = self.columns.get(variable.name)
            value = variable.start if column is None else column[agent]
            values.append(value.item() if hasattr(value, "item") else value)  # plain values, not numpy's
        return State(self.layout, tuple(values))


def column_arrays(states: ColumnStates, encoding: Encoding, agents: Sequence[int]) -> tuple[Any, Any]:
    """Return the words and numbers of some agents' states, a row each."""
    import numpy as np

    chosen = slice(None) if len(agents) == len(states) else np.asarray(agents)
    words = np.zeros((len(agents), encoding.words), np.int64)
    numbers = np.zeros((len(agents), len(encoding.numbers)))
    for variable in states.layout.variables:
        name = variable.name
        if name not in encoding.fields and name not in encoding.numbers:
            continue  # it does not matter for the goal
        column = states.columns.get(name)
        codes = _codes(variable, [variable.start] * len(states) if column is None else column)[chosen]
        if name in encoding.fields:
            place = encoding.fields[name]
            words[:, place.word] |= codes << place.shift
        else:
            numbers[:, encoding.numbers[name]] = codes
    return words, numbers


def _codes(variable: Variable, column: Sequence[Value]) -> Any:
    """Return a column as the kernel's numbers; a value that does not fit its variable is named with its row."""
    import numpy as np

    array = np.asarray(column)
    kind = variable.type.kind
    if kind is Kind.BOOL and array.dtype == np.bool_:
        return array.astype(np.int64)
    if kind is Kind.INT and array.dtype.kind in "iu":
        return array.astype(np.float64)
    if kind is Kind.NUMBER and array.dtype.kind in "iuf" and np.isfinite(array).all():
        return array.astype(np.float64)
    plain = array.tolist()
    for row, value in enumerate(plain):
        if not variable.type.accepts(value):
            raise TelosError(f"row {row}: variable {variable.name!r} holds {variable.type}, not {value!r}")
    codes = {label: code for code, label in enumerate(variable.type.labels)}
    if kind is Kind.ENUM:
        return np.array([codes[value] for value in plain], np.int64)
    return np.array(plain, np.int64 if kind is Kind.BOOL else np.float64)
