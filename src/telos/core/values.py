"""Types, variables, immutable mappings, and checks of names and numbers."""

import re
import sys
from collections import Counter
from collections.abc import Hashable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from telos.core.errors import TelosError

K = TypeVar("K")
V = TypeVar("V")

# What a slot of a state may hold: bool, int, float, the label of an enum (a str), or a handle: any hashable object with
# which the game refers to its own things. ``Any`` rather than a union, because arithmetic on values is checked when a
# definition is loaded.
Value: TypeAlias = Any

KEYWORDS = frozenset({"and", "or", "not", "true", "false", "none"})
VARIABLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
MAX_FLOAT = sys.float_info.max


class ValueKind(Enum):
    """The five kinds of value, and ``ANY`` for the result of a game's own function."""

    BOOL = "bool"
    ENUM = "enum"
    INT = "int"
    NUMBER = "number"
    HANDLE = "handle"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Type:
    """The values that a variable can take.

    >>> print(Type.of("bool"), Type.of(["alive", "dead"]), Type.of("node"))
    bool [alive, dead] node
    """

    kind: ValueKind
    labels: tuple[str, ...] = ()
    handle: str = ""

    @classmethod
    def of(cls, spec: "TypeLike") -> "Type":
        """Parse a type: ``"bool"``, ``"int"``, ``"number"``, a list of labels, or a kind of handle."""
        if isinstance(spec, Type):
            return spec
        if isinstance(spec, type) and spec in _PYTHON_TYPES:
            return cls(_PYTHON_TYPES[spec])
        if isinstance(spec, str):
            if spec in _WORDS:
                return cls(_WORDS[spec])
            if VARIABLE_NAME.match(spec) and spec not in KEYWORDS:
                return cls(ValueKind.HANDLE, handle=spec)
        elif isinstance(spec, Sequence):
            return cls._enum(spec)
        raise TelosError(f"{spec!r} is not a type", "write bool, int, number, a list of labels or a kind of handle")

    @classmethod
    def _enum(cls, labels: Sequence[str]) -> "Type":
        if not labels:
            raise TelosError("an enum needs at least one label, as in [alive, dead]")
        for label in labels:
            if not (isinstance(label, str) and VARIABLE_NAME.match(label)) or label in KEYWORDS:
                raise TelosError(
                    f"{label!r} cannot be a label", f"use letters, digits and _, and none of {_keywords()}"
                )
        if len(set(labels)) < len(labels):
            twice = next(label for label, count in Counter(labels).items() if count > 1)
            raise TelosError(f"label {twice!r} is listed twice in [{', '.join(labels)}]", "leave one out")
        return cls(ValueKind.ENUM, labels=tuple(labels))

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic and ``<`` are defined."""
        return self.kind in (ValueKind.INT, ValueKind.NUMBER, ValueKind.ANY)

    @property
    def start(self) -> Value:
        """Return the default start value of a variable of this type."""
        return {
            ValueKind.BOOL: False,
            ValueKind.ENUM: self.labels[0] if self.labels else None,
            ValueKind.INT: 0,
            ValueKind.NUMBER: 0.0,
            ValueKind.HANDLE: None,
            ValueKind.ANY: None,
        }[self.kind]

    def accepts(self, value: Value) -> bool:
        """Whether a variable of this type can hold ``value``; NaN and infinities are not numbers here."""
        match self.kind:
            case ValueKind.BOOL:
                return isinstance(value, bool)
            case ValueKind.INT:
                return isinstance(value, int) and not isinstance(value, bool)
            case ValueKind.NUMBER:
                return (
                    isinstance(value, int | float) and not isinstance(value, bool) and -MAX_FLOAT <= value <= MAX_FLOAT
                )
            case ValueKind.ENUM:
                return isinstance(value, str) and value in self.labels
            case _:
                return isinstance(value, Hashable)

    def takes(self, other: "Type") -> bool:
        """Whether every value of ``other`` may be assigned to a variable of this type."""
        if ValueKind.ANY in (self.kind, other.kind):
            return True
        if self.kind is ValueKind.NUMBER:
            return other.is_numeric
        if self.kind is ValueKind.HANDLE and other.kind is ValueKind.HANDLE:
            return not other.handle or other.handle == self.handle  # the type of `none` has no kind of handle
        return self == other

    def __str__(self) -> str:
        """Return the type as a domain file writes it."""
        if self.kind is ValueKind.ENUM:
            return f"[{', '.join(self.labels)}]"
        return self.handle or self.kind.value


TypeLike: TypeAlias = Type | str | Sequence[str] | type

BOOL, INT, NUMBER, ANY = Type(ValueKind.BOOL), Type(ValueKind.INT), Type(ValueKind.NUMBER), Type(ValueKind.ANY)
NONE = Type(ValueKind.HANDLE)  # the type of `none`: a handle that points at nothing

_WORDS = {"bool": ValueKind.BOOL, "int": ValueKind.INT, "number": ValueKind.NUMBER}
_PYTHON_TYPES: dict[type, ValueKind] = {bool: ValueKind.BOOL, int: ValueKind.INT, float: ValueKind.NUMBER}


@dataclass(frozen=True, slots=True, init=False)
class Variable:
    """One thing that a character keeps track of: a name, a type, and a start value.

    >>> Variable("ammo", "int").start
    0
    """

    name: str
    type: Type
    start: Value

    def __init__(self, name: str, type: TypeLike, start: Value = None) -> None:
        of = Type.of(type)
        # A dot joins a smart object and its own variable, as in `oven.contents`.
        if not all(VARIABLE_NAME.match(part) and part not in KEYWORDS for part in name.split(".")):
            raise TelosError(f"{name!r} cannot be a variable", f"use letters, digits and _, and none of {_keywords()}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "type", of)
        object.__setattr__(self, "start", of.start if start is None else self.checked(start))

    def checked(self, value: Value) -> Value:
        """Return ``value`` if the variable can hold it; raise a ``TelosError`` otherwise."""
        if not self.type.accepts(value):
            raise TelosError(f"variable {self.name!r} holds {self.type}, not {value!r}")
        return value


def _keywords() -> str:
    return ", ".join(sorted(KEYWORDS))


class FrozenMap(Mapping[K, V], Generic[K, V]):
    """An immutable, hashable dictionary that keeps its order.

    >>> FrozenMap({"eat": -2})
    {'eat': -2}
    """

    __slots__ = ("_hash", "plain")

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        self.plain: dict[K, V] = dict(items or {})  # for hot loops, which only read it
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self.plain[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self.plain)

    def __len__(self) -> int:
        return len(self.plain)

    # Mapping would provide these, ten times slower: choosing reads them for every action.
    def items(self) -> ItemsView[K, V]:
        return self.plain.items()

    def keys(self) -> KeysView[K]:
        return self.plain.keys()

    def values(self) -> ValuesView[V]:
        return self.plain.values()

    def __contains__(self, key: object) -> bool:
        return key in self.plain

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):  # Mapping would copy both sides first
            return bool(self.plain == other.plain)
        return super().__eq__(other)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.plain.items()))
        return self._hash

    def __repr__(self) -> str:
        return repr(self.plain)


def check_name(what: str, name: str) -> str:
    """Return ``name`` if it can name an action, a goal or an object (``what``); raise a ``TelosError`` otherwise."""
    if not isinstance(name, str) or not NAME.match(name):
        raise TelosError(
            f"{name!r} cannot name a{'n' if what[0] in 'aeiou' else ''} {what}", "use letters, digits, - and _"
        )
    return name


def check_finite(what: str, value: float) -> float:
    """Return ``value`` as a float; NaN, infinities and what is not a number raise a ``TelosError``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -MAX_FLOAT <= value <= MAX_FLOAT:
        raise TelosError(f"{what} must be a finite number, got {value!r}")
    return float(value)


def check_not_negative(what: str, value: float) -> float:
    """Return ``value`` as a float; what is below zero or not finite raises a ``TelosError``."""
    if check_finite(what, value) < 0:
        raise TelosError(f"{what} must be zero or more, got {value!r}")
    return float(value)
