"""Actions and methods with their parameters filled in.

An expression over parameters is compiled once, for a layout that has a slot for each parameter after those of the
variables; a handle is then put into its slot, whatever the game uses for handles.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from telos.core.action import Action
from telos.core.binding import Bound, Slots, bind
from telos.core.conditions import Condition, bind_effects
from telos.core.errors import TelosError
from telos.core.expressions import Expression, Literal, Name, Not, names, substitute, text
from telos.core.numbers import LARGEST
from telos.core.state import Layout, State
from telos.core.values import BOOL, NUMBER, Type, Value, Variable
from telos.planning.tasks import Method, Task

Handles: TypeAlias = tuple[Value, ...]


def framed(layout: Layout, parameters: Mapping[str, Type]) -> Layout:
    """Return the layout with a slot for each parameter after those of the variables."""
    own = [Variable(name, kind) for name, kind in parameters.items()]
    frame = Layout([*layout.variables, *own], handles=layout.handles)
    frame.functions = layout.functions  # the same, not a copy: the game may register more
    return frame


@dataclass(frozen=True, slots=True)
class Lack:
    """What is missing for an action or a method: as conditions, and in words that say what the variables are."""

    missing: tuple[Condition, ...]
    said: str

    @classmethod
    def of(cls, condition: Condition, state: State, parameters: Iterable[str]) -> "Lack":
        """Return the parts that do not hold; in the conditions, handles stand for the ``parameters``."""
        given = {name: state[name] for name in parameters}
        missing, said = list[Condition](), list[str]()
        for part in condition.unmet(state):
            missing.append(Condition(substitute(part.expression, given)))
            used = [] if isinstance(part.expression, Name | Not) else sorted(names(part.expression) & set(state))
            values = ", ".join(f"{name} is {_shown(state[name])}" for name in used)
            said.append(f"`{part}`{f' ({values})' if values else ''}")
        return cls(tuple(missing), " and ".join(said))


def _shown(value: Value) -> str:
    return text(Literal(value)) if value is None or isinstance(value, bool | int | float) else str(value)


class OpenAction:
    """An action that can be tried with any handles for its parameters."""

    def __init__(self, action: Action, layout: Layout) -> None:
        self.action = action
        self._frame = framed(layout, action.parameters)
        self._steps: dict[Handles, Action] = {}

    @cached_property
    def _effects(self) -> tuple[tuple[int, Bound], ...]:
        return bind_effects(self.action.effects, self._frame)

    def applies(self, array: Slots, handles: Handles) -> bool:
        """Whether the preconditions hold."""
        return bool(bind(self.action.preconditions.expression, self._frame, BOOL)(array + handles))

    def lacks(self, array: Slots, handles: Handles) -> Lack:
        """Return which parts of the preconditions do not hold."""
        return Lack.of(self.action.preconditions, State(self._frame, array + handles), self.action.parameters)

    def cost(self, array: Slots, handles: Handles) -> float:
        """Return what the action costs in this state."""
        cost = bind(self.action.cost, self._frame, NUMBER)(array + handles)
        if not 0 <= cost <= LARGEST:
            raise TelosError(f"action {self.action.name!r} costs {cost}", "a cost is a finite number, zero or more")
        return float(cost)

    def result(self, array: Slots, handles: Handles) -> Slots:
        """Return the state afterwards."""
        before, after = array + handles, list(array)
        for slot, value_of in self._effects:
            after[slot] = value_of(before)
        return tuple(after)

    def step(self, handles: Handles) -> Action:
        """Return the action with ``handles`` for its parameters: the same one every time."""
        if not handles:
            return self.action
        if handles not in self._steps:
            self._steps[handles] = self.action.bind(dict(zip(self.action.parameters, handles, strict=True)))
        return self._steps[handles]


class OpenMethod:
    """A method that can be tried with any handles for its parameters and those that it chooses."""

    def __init__(self, method: Method, layout: Layout, kinds: Mapping[str, Mapping[str, Type]]) -> None:
        self.method = method
        self._frame = framed(layout, method.scope)
        self._subtasks = [
            (subtask.name, [(_named(each), kind) for each, kind in zip(subtask.arguments, wanted, strict=True)])
            for subtask, wanted in ((each, kinds[each.name].values()) for each in method.subtasks)
        ]
        self.after = _before(method)

    def applies(self, array: Slots, handles: Handles) -> bool:
        """Whether the condition holds."""
        return bool(bind(self.method.condition.expression, self._frame, BOOL)(array + handles))

    def lacks(self, array: Slots, handles: Handles) -> Lack:
        """Return which parts of the condition do not hold."""
        return Lack.of(self.method.condition, State(self._frame, array + handles), self.method.scope)

    def subtasks(self, array: Slots, handles: Handles) -> tuple[Task, ...]:
        """Return the subtasks, with handles for arguments: a variable stands for what it holds in this state."""
        given = array + handles
        return tuple(
            Task(name, tuple(bind(each, self._frame, kind)(given) for each, kind in arguments))
            for name, arguments in self._subtasks
        )


def _named(argument: str) -> Expression:
    return Literal(None) if argument == "none" else Name(argument)


def _before(method: Method) -> tuple[int, ...]:
    """Return for each subtask the places of those that come right before it, as bits."""
    before = [0] * len(method.subtasks)
    for first, second in method.pairs:
        before[second] |= 1 << first
    return tuple(before)
