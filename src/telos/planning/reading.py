"""Reading a state into a task's words and numbers: checked, and quickly, because it is done for every plan."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.state import Layout, State
from telos.core.values import Kind, Value, Variable
from telos.planning.encoding import Encoding, Handles, number_of

# For each variable: the bits of each value and the word they go to. Handles have no table: their numbers are the
# request's own.
Bits: TypeAlias = tuple[dict[Value, int], int]


class StateReader:
    """Turns states into words and numbers for one encoding; a value that does not fit its variable is refused."""

    def __init__(self, layout: Layout, encoding: Encoding) -> None:
        self._layout, self._encoding = layout, encoding
        self._bits: dict[str, Bits] = {}
        self._others: dict[str, Callable[[Value, list[int], list[float], Handles], None]] = {}
        self._starts = {variable.name: variable.start for variable in layout.variables}
        for variable in layout.variables:
            if variable.type.kind in (Kind.BOOL, Kind.ENUM):
                self._bits[variable.name] = self._table(variable)
            else:
                self._others[variable.name] = self._other(variable)

    def _table(self, variable: Variable) -> Bits:
        values = (False, True) if variable.type.kind is Kind.BOOL else variable.type.labels
        place = self._encoding.fields.get(variable.name)
        if place is None:  # checked like all others, but nothing of it is kept
            return dict.fromkeys(values, 0), 0
        return {value: code << place.shift for code, value in enumerate(values)}, place.word

    def _other(self, variable: Variable) -> Callable[[Value, list[int], list[float], Handles], None]:
        slot, place = self._encoding.numbers.get(variable.name), self._encoding.fields.get(variable.name)
        kind = variable.type.handle

        def put(value: Value, words: list[int], numbers: list[float], handles: Handles) -> None:
            variable.checked(value)
            if slot is not None:
                numbers[slot] = number_of(variable, value)
            elif place is not None:
                words[place.word] |= handles.code(kind, value) << place.shift

        return put

    def read(self, state: Mapping[str, Value], handles: Handles) -> tuple[list[int], list[float]]:
        """Return the words and numbers of a state; variables that it does not mention have their start values."""
        words, numbers = [0] * self._encoding.words, [0.0] * len(self._encoding.numbers)
        if len(state) < len(self._starts):
            state = {**self._starts, **state}
        bits, others = self._bits, self._others
        for name, value in state.items():
            if name in bits:
                table, word = bits[name]
                if value.__class__ is int or value not in table:  # 1 is not True, though Python says they are equal
                    self._layout.variable(name).checked(value)
                found = table[value]
                if found:
                    words[word] |= found
            elif name in others:
                others[name](value, words, numbers, handles)
            else:
                self._layout.variable(name)  # raises, and suggests what was meant
        return words, numbers


def handles_of(state: Mapping[str, Value], layout: Layout, named: Mapping[str, tuple[Value, ...]]) -> Handles:
    """Return the handles in play: those named, and those that the state's variables hold, in the order of variables."""
    handles = Handles(named)
    for variable in layout.variables:
        if variable.type.kind is Kind.HANDLE:
            handles.code(variable.type.handle, state.get(variable.name, variable.start))
    return handles


def as_state(state: Mapping[str, Value] | State, layout: Layout) -> State:
    """Return a state of the domain from what a caller gave."""
    if isinstance(state, State) and state.layout is layout:
        return state
    if not isinstance(state, Mapping):
        raise TelosError(f"a state is a dictionary of variables to values, got {state!r}")
    return layout.state(state)
