"""States: what a character knows of its world, as a fixed-size array with one slot for each variable."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.core.values import Type, Value, Variable


class Layout:
    """The slot of each variable. The states of a domain share one layout."""

    __slots__ = ("bound", "functions", "handles", "kinds", "slots", "variables")

    def __init__(
        self,
        variables: Sequence[Variable],
        *,
        handles: Mapping[str, Type] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.variables = tuple(variables)
        self.slots = {variable.name: slot for slot, variable in enumerate(self.variables)}
        self.handles = dict(handles or {})  # names of the game's objects that expressions may use
        self.functions = dict(functions or {})  # functions of the game
        self.kinds = dict(kinds or {})  # the template of each object that has one
        self.bound: dict[int, tuple[object, Any]] = {}  # expressions compiled for this layout, by identity

    def slot(self, name: str) -> int:
        if name not in self.slots:
            raise TelosError(f"unknown variable {name!r}", name_hint(name, self.slots))
        return self.slots[name]

    def variable(self, name: str) -> Variable:
        return self.variables[self.slot(name)]

    def state(self, values: Mapping[str, Value] | None = None) -> "State":
        """Return the state with ``values``; every other variable has its start value."""
        filled = [variable.start for variable in self.variables]
        for name, value in (values or {}).items():
            filled[self.slot(name)] = self.variable(name).checked(value)
        return State(self, tuple(filled))


class State(Mapping[str, Value]):
    """An immutable assignment of a value to every variable; a change returns a new state.

    >>> before = State.of({"crystals": 5, "ogre_near": True})
    >>> after = before.replace(crystals=2)
    >>> before["crystals"], after["crystals"]
    (5, 2)
    """

    __slots__ = ("array", "layout")

    def __init__(self, layout: Layout, values: tuple[Value, ...]) -> None:
        self.layout = layout
        self.array = values

    @classmethod
    def of(cls, values: "Mapping[str, Value] | State") -> "State":
        """Return a state of plain values; the type of each variable is that of its value."""
        if isinstance(values, State):
            return values
        return Layout([Variable(name, _type_of(name, value), value) for name, value in values.items()]).state()

    def __getitem__(self, name: str) -> Value:
        return self.array[self.layout.slots[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.layout.slots)

    def __len__(self) -> int:
        return len(self.array)

    def __hash__(self) -> int:
        return hash(self.array)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, State) and other.layout is self.layout:
            return self.array == other.array
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def replace(self, changes: Mapping[str, Value] | None = None, /, **more: Value) -> "State":
        """Return the state in which the named variables have new values."""
        filled = list(self.array)
        for name, value in {**(changes or {}), **more}.items():
            filled[self.layout.slot(name)] = self.layout.variable(name).checked(value)
        return State(self.layout, tuple(filled))


def _type_of(name: str, value: Value) -> type:
    kind = type(value)
    if kind in (bool, int, float):
        return kind
    raise TelosError(
        f"cannot tell the type of {name!r} from {value!r}", f"declare it: telos.Variable({name!r}, [...labels...])"
    )
