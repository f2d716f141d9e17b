"""Reading a state into a task's words and numbers: checked, and quickly, because it is done for every plan."""

from collections.abc import Callable, Mapping, Sequence
from operator import getitem
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.state import Layout, State
from telos.core.values import Kind, Value, Variable
from telos.planning.encoding import Encoding, Handles, number_of

Put: TypeAlias = Callable[[Value, list[int], list[float], Handles], None]


def as_state(state: Mapping[str, Value], layout: Layout, order: tuple[str, ...] | None = None) -> State:
    """Return what a caller gave as a state of the domain; values are checked when they are read.

    Variables that it leaves out have their start values. A dictionary that names all variables in order, as games that
    plan every frame will have it, is taken as it comes.
    """
    if state.__class__ is not dict:  # asking a class about abstract ones takes longer than the rest of this
        if isinstance(state, State) and state.layout is layout:
            return state
        if not isinstance(state, Mapping):
            raise TelosError(f"a state is a dictionary of variables to values, got {state!r}")
    if tuple(state) == (order or tuple(layout.slots)):
        return State(layout, tuple(state.values()))
    filled = [variable.start for variable in layout.variables]
    for name, value in state.items():
        filled[layout.slot(name)] = value
    return State(layout, tuple(filled))


class StateReader:
    """Turns states into words and numbers for one encoding; a value that does not fit its variable is refused."""

    def __init__(self, layout: Layout, encoding: Encoding) -> None:
        self._layout, self._encoding = layout, encoding
        self._puts = [self._put(variable) for variable in layout.variables]
        # When switches and labels in one word are all there is, a state is the sum of its values' bits.
        finite = all(variable.type.kind in (Kind.BOOL, Kind.ENUM) for variable in layout.variables)
        self._tables = [self._table(each)[0] for each in layout.variables] if finite and encoding.words <= 1 else None

    def _table(self, variable: Variable) -> tuple[dict[Value, int], int]:
        """Return the bits of each value of a switch or a label, and the word that they go to."""
        values = (False, True) if variable.type.kind is Kind.BOOL else variable.type.labels
        place = self._encoding.fields.get(variable.name)
        if place is None:  # checked like all others, but nothing of it is kept
            return dict.fromkeys(values, 0), 0
        return {value: code << place.shift for code, value in enumerate(values)}, place.word

    def _put(self, variable: Variable) -> Put:
        if variable.type.kind in (Kind.BOOL, Kind.ENUM):
            table, word = self._table(variable)

            def put_bits(value: Value, words: list[int], numbers: list[float], handles: Handles) -> None:
                bits = table[variable.checked(value)]
                if bits:
                    words[word] |= bits

            return put_bits
        slot, place = self._encoding.numbers.get(variable.name), self._encoding.fields.get(variable.name)
        kind, is_whole = variable.type.handle, variable.type.kind is Kind.INT

        def put_other(value: Value, words: list[int], numbers: list[float], handles: Handles) -> None:
            if not (is_whole and value.__class__ is int):
                variable.checked(value)
            if slot is not None:
                numbers[slot] = number_of(variable, value)
            elif place is not None:
                words[place.word] |= handles.code(kind, value) << place.shift

        return put_other

    def change(self, name: str, value: Value, words: list[int], numbers: list[float], handles: Handles) -> None:
        """Put another value of one variable, already checked, into words and numbers."""
        place = self._encoding.fields.get(name)
        if place is not None:
            words[place.word] &= ~place.in_place
        self._puts[self._layout.slots[name]](value, words, numbers, handles)

    def read(self, values: Sequence[Value], handles: Handles) -> tuple[list[int], list[float]]:
        """Return the words and numbers of a state, given by its array."""
        if self._tables is not None:
            try:
                return [sum(map(getitem, self._tables, values))] * self._encoding.words, []
            except (KeyError, TypeError):
                pass  # the slow way says what is wrong
        words, numbers = [0] * self._encoding.words, [0.0] * len(self._encoding.numbers)
        for put, value in zip(self._puts, values, strict=True):
            put(value, words, numbers, handles)
        return words, numbers


def handles_of(state: State, named: Mapping[str, tuple[Value, ...]]) -> Handles:
    """Return the handles in play: those named, and those that the state's variables hold, in the order of variables."""
    handles = Handles(named)
    for variable, value in zip(state.layout.variables, state.array, strict=True):
        if variable.type.kind is Kind.HANDLE:
            handles.code(variable.type.handle, variable.checked(value))
    return handles
