"""States as packed words and floats: which variable stands where, and how values turn into numbers and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.core.values import Kind, Value, Variable

BITS = 62  # of each word: the compiled kernel's integers have 63 and a sign


@dataclass(frozen=True, slots=True)
class Field:
    """Where a switch, label or handle stands: its word, its lowest bit, and the mask over its bits."""

    word: int
    shift: int
    mask: int

    @property
    def in_place(self) -> int:
        """Return the mask over the whole word."""
        return self.mask << self.shift


class Encoding:
    """A place for every variable that matters: fields packed into words, numbers in slots of their own."""

    def __init__(self, variables: Sequence[Variable], handles: Mapping[str, int]) -> None:
        self.fields: dict[str, Field] = {}
        self.numbers: dict[str, int] = {}
        self.sizes: dict[str, int] = {}  # how many values a field's variable can have
        word = used = 0
        for variable in variables:
            if variable.type.kind in (Kind.INT, Kind.NUMBER):
                self.numbers[variable.name] = len(self.numbers)
                continue
            size = _size(variable, handles)
            bits = max(1, (size - 1).bit_length())
            if used + bits > BITS:
                word, used = word + 1, 0
            self.fields[variable.name] = Field(word, used, (1 << bits) - 1)
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


def _size(variable: Variable, handles: Mapping[str, int]) -> int:
    if variable.type.kind is Kind.BOOL:
        return 2
    if variable.type.kind is Kind.ENUM:
        return len(variable.type.labels)
    return 1 + handles.get(variable.type.handle, 0)  # code 0 is `none`


class Handles:
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


def number_of(variable: Variable, value: Value) -> float:
    """Return a number as the kernel holds it; whole numbers stay exact up to 2⁵³."""
    if abs(value) > 2**53:
        raise TelosError(f"variable {variable.name!r} is {value}", "the planner's numbers stay within 2**53")
    return float(value)
