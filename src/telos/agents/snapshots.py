"""What saved minds, squads and worlds share: values, random numbers, shapes of facts, and what a restore leaves out.

`SnapshotCheck` raises faults with their place in a snapshot; in a lenient restore it collects an `Omission` instead.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from telos.core.errors import TelosError, name_hint
from telos.core.state import Layout, State
from telos.core.values import FrozenMap, Value
from telos.files import Finite, Items, Row, SnapshotPart, snapshot_error

MAX_WHOLE = 2**53
MAX_DEPTH = 32
LENIENT = "give what save() returned, or restore it with lenient=True, which leaves out what does not apply any more"
UNCHANGED = "give what save() returned, unchanged"


def _freeze(value: Any, depth: int = 0) -> Any:
    """Return a value as a game holds it: lists are tuples, mappings are frozen, numbers are finite."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_WHOLE:
            raise PydanticCustomError("snapshot", "{wanted}", {"wanted": "a whole number up to 2**53"})
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PydanticCustomError("snapshot", "{wanted}", {"wanted": "a finite number"})
        return value
    if depth == MAX_DEPTH:
        raise PydanticCustomError("snapshot", "{wanted}", {"wanted": f"at most {MAX_DEPTH} lists in lists"})
    if isinstance(value, list | tuple):
        return tuple(_freeze(each, depth + 1) for each in value)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise PydanticCustomError("snapshot", "{wanted}", {"wanted": "a mapping with texts as keys"})
        return FrozenMap({key: _freeze(each, depth + 1) for key, each in value.items()})
    if isinstance(value, Hashable):  # a handle of the game, in a snapshot that was never a text
        return value
    raise PydanticCustomError("snapshot", "{wanted}", {"wanted": "plain data"})


# A value of a variable, an attribute or an argument.
SavedValue: TypeAlias = Annotated[Any, AfterValidator(_freeze)]
Point: TypeAlias = Row[tuple[Finite, Finite]]
_Word: TypeAlias = Annotated[int, Field(ge=0, lt=2**32)]
RandomState: TypeAlias = Row[tuple[int, Items[_Word], Finite | None]]
# kind, subject, time, confidence, attributes
FactRow: TypeAlias = Row[tuple[str, str, Finite, Finite, dict[str, SavedValue]]]


class ContentSnapshot(SnapshotPart):
    """The variables whose values states list, and a digest of the actions and goals, when a game was saved."""

    variables: Items[str]
    digest: str


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that a lenient restore left out, because it does not fit the present content: whose, what and why.

    >>> print(Omission("ann", "the plan for 'kill'", "there is no action 'shoot' any more"))
    ann: the plan for 'kill' is left out: there is no action 'shoot' any more
    """

    who: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.who}: {self.what} is left out: {self.why}"


class SnapshotCheck:
    """Raises the faults of one snapshot, each with its place; if ``lenient``, `part` turns them into omissions."""

    def __init__(self, of: str, *, lenient: bool = False, path: Sequence[str | int] = ()) -> None:
        self.of, self.lenient, self.path = of, lenient, tuple(path)
        self.omissions: list[Omission] = []

    def at(self, *path: str | int) -> "SnapshotCheck":
        """Return the check of a part of the snapshot; omissions are collected together."""
        inner = SnapshotCheck(self.of, lenient=self.lenient, path=(*self.path, *path))
        inner.omissions = self.omissions
        return inner

    def fault(self, path: Sequence[str | int], message: str, remedy: str = UNCHANGED) -> TelosError:
        """Return the error of a fault at ``path`` of this part."""
        return snapshot_error(self.of, (*self.path, *path), message, remedy)

    def known(self, path: Sequence[str | int], name: str, names: Iterable[str], what: str = "name") -> None:
        """Require a name that exists."""
        known = names if isinstance(names, Mapping | set | frozenset) else list(names)
        if name not in known:
            raise self.fault(path, f"is {name!r}, and there is no such {what}", name_hint(name, known) or LENIENT)

    def require(self, holds: bool, path: Sequence[str | int], message: str) -> None:
        """Require that something holds; ``message`` completes the place of the fault."""
        if not holds:
            raise self.fault(path, message)

    def drop(self, who: str, what: str, why: str) -> None:
        """Note an omission."""
        self.omissions.append(Omission(who, what, why))

    @contextmanager
    def part(self, who: str, what: str) -> Iterator[None]:
        """Run a block that reads ``what``; in a lenient restore a fault in it is noted, and the block is left."""
        try:
            yield
        except TelosError as error:
            if not self.lenient:
                raise
            self.drop(who, what, error.message)

    @contextmanager
    def sound(self) -> Iterator[None]:
        """Turn any exception into a fault of this snapshot: a net below the checks, whose faults pass unchanged."""
        try:
            yield
        except TelosError:
            raise
        except (
            MemoryError,
            RecursionError,
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ) as error:
            message = f"does not fit ({type(error).__name__}: {error})"
            raise self.fault((), message) from error


def save_random(rng: Random) -> list[Any]:
    """Return the state of a random number generator as plain data."""
    version, numbers, gauss = rng.getstate()
    return [version, list(numbers), gauss]


def read_random(check: SnapshotCheck, path: Sequence[str | int], saved: tuple[int, list[int], float | None]) -> Random:
    """Return a generator in a saved state."""
    version, numbers, gauss = saved
    rng = Random(0)
    if version != rng.VERSION or len(numbers) != len(rng.getstate()[1]) or numbers[-1] >= len(numbers):
        raise check.fault(path, "is not the state of a random number generator")
    rng.setstate((version, tuple(numbers), gauss))
    return rng


# --- states -----------------------------------------------------------------------------------------------------------


class StateReader:
    """Reads states that were saved as values of ``names``; without names (format 1) the order is that of the layout.

    If ``lenient``, variables that are gone are left out, and others take the value of ``present``.
    """

    def __init__(self, check: SnapshotCheck, who: str, layout: Layout, names: Sequence[str] | None) -> None:
        self._check, self._who, self._layout = check, who, layout
        self.names = tuple(layout.slots) if names is None else tuple(names)
        self._is_named = names is not None
        self._dropped: set[str] = set()
        if len(set(self.names)) < len(self.names):
            raise check.fault(("variables",), "lists a variable twice")
        self.is_same = set(self.names) == set(layout.slots)
        if not self.is_same and not check.lenient:
            gone, new = set(self.names) - set(layout.slots), set(layout.slots) - set(self.names)
            said = f"variables that are gone: {', '.join(sorted(gone))}" if gone else ""
            said += f"{'; ' if gone and new else ''}new ones: {', '.join(sorted(new))}" if new else ""
            raise check.fault(("variables",), f"do not fit the domain ({said})", LENIENT)
        self._slots = [layout.slots.get(name) for name in self.names]
        self._is_in_order = self._slots == list(range(len(layout.slots)))

    def read(self, path: Sequence[str | int], values: Sequence[Value], present: State) -> State:
        """Return a saved state."""
        if len(values) != len(self.names):
            raise self._check.fault(path, f"must have {len(self.names)} entries, got {len(values)}", LENIENT)
        variables, array = self._layout.variables, list(present.array)
        for place, (slot, value) in enumerate(zip(self._slots, values, strict=True)):
            if slot is None:
                self._drop(self.names[place], f"variable {self.names[place]!r}", "the domain does not have it any more")
            elif variables[slot].type.accepts(value):
                array[slot] = value
            elif self._check.lenient:
                variable = variables[slot]
                self._drop(
                    f"{variable.name} {value!r}", f"{variable.name} = {value!r}", f"it holds {variable.type} now"
                )
            else:
                variable = variables[slot]
                message = f"must be a value of {variable.name!r} ({variable.type}), got {value!r}"
                raise self._check.fault((*path, place), message, LENIENT)
        return State(self._layout, tuple(array))

    def _drop(self, key: str, what: str, why: str) -> None:
        if key not in self._dropped:  # once for all states of a mind
            self._dropped.add(key)
            self._check.drop(self._who, what, why)


# --- facts ------------------------------------------------------------------------------------------------------------

NUMBER: tuple[type, ...] = (int, float)
# For each kind of fact, the types of the attributes that its readers rely on.
FactShapes: TypeAlias = Mapping[str, Mapping[str, tuple[type, ...]]]
OWN_FACTS: FactShapes = {"failure": {"reason": (str,)}, "deed": {"step": (str,), "count": (int,)}}
SavedFact: TypeAlias = tuple[str, str, float, float, dict[str, Any]]
# Raises the fault of a saved fact that the readers of a world could not use.
FactCheck: TypeAlias = Callable[[SnapshotCheck, SavedFact], None]


def accept_fact(check: SnapshotCheck, fact: SavedFact) -> None:
    """Accept any fact."""


def check_attributes(check: SnapshotCheck, fact: SavedFact, shapes: FactShapes = OWN_FACTS) -> None:
    """Require the attributes of a fact that its readers rely on."""
    kind, _, _, _, attributes = fact
    for name, types in shapes.get(kind, {}).items():
        if name not in attributes:
            raise check.fault((4, name), "is missing")
        value = attributes[name]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise check.fault((4, name), f"cannot be {value!r}")
