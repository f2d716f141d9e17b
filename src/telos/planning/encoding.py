"""States packed into words and floats; reading a state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.state import Layout, State
from telos.core.values import Value, ValueKind, Variable

# --- encoding ---------------------------------------------------------------------------------------------------------
# States as packed words and floats: which variable stands where, and how values turn into numbers and back.


BITS_PER_WORD = 62  # of each word: the compiled kernel's integers have 63 and a sign


@dataclass(frozen=True, slots=True)
class BitField:
    """Where a switch, label or handle stands: its word, its lowest bit, and the mask over its bits."""

    word: int
    shift: int
    mask: int

    @property
    def in_place(self) -> int:
        """Return the mask over the whole word."""
        return self.mask << self.shift


class StateEncoding:
    """A place for every variable that matters: fields packed into words, numbers in slots of their own."""

    def __init__(self, variables: Sequence[Variable], handles: Mapping[str, int]) -> None:
        self.fields: dict[str, BitField] = {}
        self.numbers: dict[str, int] = {}
        self.sizes: dict[str, int] = {}  # how many values a field's variable can have
        word = used = 0
        for variable in variables:
            if variable.type.kind in (ValueKind.INT, ValueKind.NUMBER):
                self.numbers[variable.name] = len(self.numbers)
                continue
            size = _count_values(variable, handles)
            bits = max(1, (size - 1).bit_length())
            if used + bits > BITS_PER_WORD:
                word, used = word + 1, 0
            self.fields[variable.name] = BitField(word, used, (1 << bits) - 1)
            self.sizes[variable.name] = size
            used += bits
        self.words = word + 1 if self.fields else 0

    def put(self, name: str, code: int, words: list[int]) -> None:
        """Write the code of a value into the words."""
        field = self.fields[name]
        words[field.word] = words[field.word] & ~field.in_place | code << field.shift

    def code(self, name: str, words: Sequence[int]) -> int:
        """Read the code of a value out of the words."""
        field = self.fields[name]
        return int(words[field.word]) >> field.shift & field.mask


def _count_values(variable: Variable, handles: Mapping[str, int]) -> int:
    if variable.type.kind is ValueKind.BOOL:
        return 2
    if variable.type.kind is ValueKind.ENUM:
        return len(variable.type.labels)
    return 1 + handles.get(variable.type.handle, 0)  # code 0 is `none`


class HandleTable:
    """The handles in play for one request, by kind: those that the domain names, then others as they are met.

    The planner only ever sees their numbers, so two requests that differ only in *which* unnamed handles they speak of
    are one and the same problem to it.
    """

    def __init__(self, named: Mapping[str, Sequence[Value]]) -> None:
        self.of_kind: dict[str, list[Value]] = {kind: list(each) for kind, each in named.items()}
        self._codes: dict[str, dict[Value, int]] = {
            kind: {handle: code for code, handle in enumerate(each, start=1)} for kind, each in self.of_kind.items()
        }

    def code(self, kind: str, handle: Value) -> int:
        """Return the number of a handle; one that was not met before gets the next."""
        if handle is None:
            return 0
        codes = self._codes.setdefault(kind, {})
        found = codes.get(handle)
        if found is None:
            self.of_kind.setdefault(kind, []).append(handle)
            found = codes[handle] = len(self.of_kind[kind])
        return found

    def codes_of(self, handle: Value) -> tuple[tuple[str, int], ...]:
        """Return the numbers that a handle has, by kind; none if it was not met yet."""
        return tuple((kind, codes[handle]) for kind, codes in self._codes.items() if handle in codes)

    def handle(self, kind: str, code: int) -> Value:
        """Return the handle with that number."""
        return None if code == 0 else self.of_kind[kind][code - 1]

    def counts(self) -> dict[str, int]:
        """Return how many handles there are of each kind."""
        return {kind: len(each) for kind, each in self.of_kind.items()}


def to_float(variable: Variable, value: Value) -> float:
    """Return a number as the kernel holds it; whole numbers stay exact up to 2⁵³."""
    if abs(value) > 2**53:
        raise TelosError(f"variable {variable.name!r} is {value}", "the planner's numbers stay within 2**53")
    return float(value)


# --- reading ----------------------------------------------------------------------------------------------------------
# Reading a state into a task's words and numbers: checked, and quickly, because it is done for every plan.


ValueWriter: TypeAlias = Callable[[Value, list[int], list[float], HandleTable], None]


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

    def __init__(self, layout: Layout, encoding: StateEncoding) -> None:
        self._layout, self._encoding = layout, encoding
        self._puts = [self._put(variable) for variable in layout.variables]
        # When switches and labels in one word are all there is, a state is the sum of its values' bits.
        finite = all(variable.type.kind in (ValueKind.BOOL, ValueKind.ENUM) for variable in layout.variables)
        self._tables = [self._table(each)[0] for each in layout.variables] if finite and encoding.words <= 1 else None

    def _table(self, variable: Variable) -> tuple[dict[Value, int], int]:
        """Return the bits of each value of a switch or a label, and the word that they go to."""
        values = (False, True) if variable.type.kind is ValueKind.BOOL else variable.type.labels
        place = self._encoding.fields.get(variable.name)
        if place is None:  # checked like all others, but nothing of it is kept
            return dict.fromkeys(values, 0), 0
        return {value: code << place.shift for code, value in enumerate(values)}, place.word

    def _put(self, variable: Variable) -> ValueWriter:
        if variable.type.kind in (ValueKind.BOOL, ValueKind.ENUM):
            table, word = self._table(variable)

            def put_bits(value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
                bits = table[variable.checked(value)]
                if bits:
                    words[word] |= bits

            return put_bits
        slot, place = self._encoding.numbers.get(variable.name), self._encoding.fields.get(variable.name)
        kind, is_whole = variable.type.handle, variable.type.kind is ValueKind.INT

        def put_other(value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
            if not (is_whole and value.__class__ is int):
                variable.checked(value)
            if slot is not None:
                numbers[slot] = to_float(variable, value)
            elif place is not None:
                words[place.word] |= handles.code(kind, value) << place.shift

        return put_other

    def change(self, name: str, value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
        """Put another value of one variable, already checked, into words and numbers."""
        place = self._encoding.fields.get(name)
        if place is not None:
            words[place.word] &= ~place.in_place
        self._puts[self._layout.slots[name]](value, words, numbers, handles)

    def read(self, values: Sequence[Value], handles: HandleTable) -> tuple[list[int], list[float]]:
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


def collect_handles(state: State, named: Mapping[str, tuple[Value, ...]]) -> HandleTable:
    """Return the handles in play: those named, and those that the state's variables hold, in the order of variables."""
    handles = HandleTable(named)
    for variable, value in zip(state.layout.variables, state.array, strict=True):
        if variable.type.kind is ValueKind.HANDLE:
            handles.code(variable.type.handle, variable.checked(value))
    return handles
