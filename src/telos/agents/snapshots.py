"""What saved minds, squads and worlds share: the content that they were saved with, states, and shapes of facts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from telos.core.state import Layout, State
from telos.core.values import Value
from telos.files.restoring import LENIENT, SnapshotCheck
from telos.files.snapshots import Finite, Items, Row, SavedValue, SnapshotPart

# kind, subject, time, confidence, attributes
FactRow: TypeAlias = Row[tuple[str, str, Finite, Finite, dict[str, SavedValue]]]


class ContentSnapshot(SnapshotPart):
    """The variables whose values states list, and a digest of the actions and goals, when a game was saved."""

    variables: Items[str]
    digest: str


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
