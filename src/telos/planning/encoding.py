"""States packed into words and floats.

``StateEncoding`` gives every variable its place, ``HandleTable`` numbers the handles, and ``StateReader`` turns a state
into words and numbers: with checks, and fast, because it runs for every plan.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.state import Layout, State
from telos.core.values import Value, ValueKind, Variable

# --- places and codes ---

BITS_PER_WORD = 62  # of each word: the compiled kernel's integers have 63 and a sign


@dataclass(frozen=True, slots=True)
class BitField:
    """The place of a bool, label or handle: its word, its lowest bit, and the mask over its bits."""

    word: int
    shift: int
    mask: int

    @property
    def mask_in_word(self) -> int:
        return self.mask << self.shift


class StateEncoding:
    """The place of every relevant variable: bit fields packed into words, numbers in slots of their own."""

    def __init__(self, variables: Sequence[Variable], handles: Mapping[str, int]) -> None:
        self.fields: dict[str, BitField] = {}
        self.numbers: dict[str, int] = {}
        self.sizes: dict[str, int] = {}  # the number of values of a field's variable
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

    def read_code(self, name: str, words: Sequence[int]) -> int:
        """Return the code of a variable's value in the words."""
        field = self.fields[name]
        return int(words[field.word]) >> field.shift & field.mask


def _count_values(variable: Variable, handles: Mapping[str, int]) -> int:
    if variable.type.kind is ValueKind.BOOL:
        return 2
    if variable.type.kind is ValueKind.ENUM:
        return len(variable.type.labels)
    return 1 + handles.get(variable.type.handle, 0)  # code 0 is `none`


class HandleTable:
    """The numbers of the handles of one request, by kind: first those that the domain names, then others as they occur.

    The planner only uses the numbers, so two requests that differ only in *which* unnamed handles they use are the same
    problem.
    """

    def __init__(self, named: Mapping[str, Sequence[Value]]) -> None:
        self.of_kind: dict[str, list[Value]] = {kind: list(each) for kind, each in named.items()}
        self._codes: dict[str, dict[Value, int]] = {
            kind: {handle: code for code, handle in enumerate(each, start=1)} for kind, each in self.of_kind.items()
        }

    def encode(self, kind: str, handle: Value) -> int:
        """Return the number of a handle; a new handle gets the next number."""
        if handle is None:
            return 0
        codes = self._codes.setdefault(kind, {})
        found = codes.get(handle)
        if found is None:
            self.of_kind.setdefault(kind, []).append(handle)
            found = codes[handle] = len(self.of_kind[kind])
        return found

    def knows(self, kind: str, handle: Value) -> bool:
        """Whether a handle has a number."""
        try:
            return handle in self._codes.get(kind, ())
        except TypeError:
            return False  # reading the state raises the right error

    def known_codes(self, handle: Value) -> tuple[tuple[str, int], ...]:
        """Return the numbers of a handle with their kinds; empty if it has none."""
        return tuple((kind, codes[handle]) for kind, codes in self._codes.items() if handle in codes)

    def decode(self, kind: str, code: int) -> Value:
        """Return the handle with a number; 0 stands for `none`."""
        return None if code == 0 else self.of_kind[kind][code - 1]

    @property
    def signature(self) -> Hashable:
        """All handles with their numbers: equal signatures have equal numbers."""
        return tuple((kind, tuple(each)) for kind, each in self.of_kind.items())

    def counts(self) -> dict[str, int]:
        """Return the number of handles of each kind."""
        return {kind: len(each) for kind, each in self.of_kind.items()}


def to_float(variable: Variable, value: Value) -> float:
    """Return a number as a float of the kernel; integers stay exact up to 2⁵³."""
    if abs(value) > 2**53:
        raise TelosError(f"variable {variable.name!r} is {value}", "the planner handles numbers up to 2**53")
    return float(value)


# --- reading states ---

ValueWriter: TypeAlias = Callable[[Value, list[int], list[float], HandleTable], None]


def as_state(state: Mapping[str, Value], layout: Layout, order: tuple[str, ...] | None = None) -> State:
    """Return a mapping of variables to values as a state of the domain; values are checked when they are read.

    Missing variables have their start values. A dictionary that names all variables in ``order``, as games that plan
    every frame have it, is the fast case.
    """
    if state.__class__ is not dict:  # isinstance with an abstract class takes longer than the rest
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
    """Turns states into words and numbers for one encoding; raises if a value does not fit its variable."""

    def __init__(self, layout: Layout, encoding: StateEncoding) -> None:
        self._layout, self._encoding = layout, encoding
        self._writers = [self._make_writer(variable) for variable in layout.variables]
        # If all variables are bools and labels in one word, a state is the sum of its values' bits.
        finite = all(variable.type.kind in (ValueKind.BOOL, ValueKind.ENUM) for variable in layout.variables)
        self._tables = (
            [self._bits_of_values(each)[0] for each in layout.variables] if finite and encoding.words <= 1 else None
        )

    def _bits_of_values(self, variable: Variable) -> tuple[dict[Value, int], int]:
        """Return the bits of each value of a bool or a label, and their word."""
        values = (False, True) if variable.type.kind is ValueKind.BOOL else variable.type.labels
        place = self._encoding.fields.get(variable.name)
        if place is None:  # not relevant: checked, but not stored
            return dict.fromkeys(values, 0), 0
        return {value: code << place.shift for code, value in enumerate(values)}, place.word

    def _make_writer(self, variable: Variable) -> ValueWriter:
        if variable.type.kind in (ValueKind.BOOL, ValueKind.ENUM):
            table, word = self._bits_of_values(variable)

            def write_bits(value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
                bits = table[variable.checked(value)]
                if bits:
                    words[word] |= bits

            return write_bits
        slot, place = self._encoding.numbers.get(variable.name), self._encoding.fields.get(variable.name)
        kind, is_whole = variable.type.handle, variable.type.kind is ValueKind.INT

        def write_other(value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
            if not (is_whole and value.__class__ is int):
                variable.checked(value)
            if slot is not None:
                numbers[slot] = to_float(variable, value)
            elif place is not None:
                words[place.word] |= handles.encode(kind, value) << place.shift

        return write_other

    def update(self, name: str, value: Value, words: list[int], numbers: list[float], handles: HandleTable) -> None:
        """Write another value of one variable, already checked, into words and numbers."""
        place = self._encoding.fields.get(name)
        if place is not None:
            words[place.word] &= ~place.mask_in_word
        self._writers[self._layout.slots[name]](value, words, numbers, handles)

    def read(self, values: Sequence[Value], handles: HandleTable) -> tuple[list[int], list[float]]:
        """Return the words and numbers of a state, given by its array of values."""
        if self._tables is not None:
            try:
                return [sum(map(getitem, self._tables, values))] * self._encoding.words, []
            except (KeyError, TypeError):
                pass  # the slow path raises the right error
        words, numbers = [0] * self._encoding.words, [0.0] * len(self._encoding.numbers)
        for write, value in zip(self._writers, values, strict=True):
            write(value, words, numbers, handles)
        return words, numbers


def collect_handles(state: State, named: Mapping[str, tuple[Value, ...]]) -> HandleTable:
    """Return the numbered handles: those named, then those that the state's variables hold, in order of variables."""
    handles = HandleTable(named)
    for variable, value in zip(state.layout.variables, state.array, strict=True):
        if variable.type.kind is ValueKind.HANDLE:
            handles.encode(variable.type.handle, variable.checked(value))
    return handles
