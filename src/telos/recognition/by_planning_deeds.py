"""Events as actions of a domain: which action an event names, what it was done with, and what the game states."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from telos.core.action import Action
from telos.core.binding import BUILT_IN, bind
from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import functions, names, substitute, text
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import NUMBER, Kind, Value

_CALL = re.compile(r"(?P<name>[^()]+)\((?P<arguments>[^()]*)\)\Z")
MOST_KEPT = 20_000


class Deed(NamedTuple):
    """An action that was seen, with its parameters bound, and what has to hold before it."""

    action: Action
    needs: Goal
    kinds: Mapping[str, str]  # of handle, by parameter


class Deeds:
    """Reads events; what a deed was done with stands in its name, ``goto(gate)``, or in the context, by parameter."""

    def __init__(self, domain: Domain, actions: Iterable[Action], ignores: frozenset[str]) -> None:
        self._layout = domain.layout
        self._handles = domain.handles
        self._actions = {action.name: action for action in actions}
        self._ignores = ignores
        self._known: dict[tuple[str, tuple[Value, ...]], Deed] = {}

    def of(self, event: Event, state: State) -> Deed | None:
        """Return what was done; None if the action is one that says nothing."""
        said = event.action
        if said in self._ignores:
            return None
        action = self._actions.get(said)
        if action is not None and not action.parameters:
            return self._deed(action, ())
        match = None if action is not None else _CALL.match(said)
        name = match["name"].strip() if match else said
        if name in self._ignores:
            return None
        if name not in self._actions:
            raise TelosError(f"the player cannot {name!r}", name_hint(name, self._actions))
        action = self._actions[name]
        if match is None:
            return self._deed(action, [self._from_context(action, each, event) for each in action.parameters])
        written = [each.strip() for each in match["arguments"].split(",")] if match["arguments"].strip() else []
        if len(written) != len(action.parameters):
            wanted = ", ".join(action.parameters)
            raise TelosError(f"{said!r} has {len(written)} arguments", f"write {name}({wanted})")
        kinds = [kind.handle for kind in action.parameters.values()]
        return self._deed(action, [self._handle(each, kind, state) for each, kind in zip(written, kinds, strict=True)])

    def told(self, event: Event, deed: Deed | None) -> dict[str, Value]:
        """Return what the game states about the domain's variables; an entry that is a parameter is not one of them."""
        slots = self._layout.slots
        bound = deed.action.arguments if deed is not None else {}
        return {name: value for name, value in event.context.items() if name in slots and name not in bound}

    def named(self, name: str, arguments: Sequence[Value]) -> Action:
        """Return an action with its parameters bound."""
        return self._deed(self._actions[name], tuple(arguments)).action

    def _deed(self, action: Action, arguments: Sequence[Value]) -> Deed:
        key = (action.name, tuple(arguments))
        deed = self._known.get(key)
        if deed is None:
            kinds = {name: of.handle for name, of in action.parameters.items()}
            bound = action.bind(dict(zip(action.parameters, arguments, strict=True)))
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            deed = self._known[key] = Deed(bound, Goal(action.name, wants=bound.preconditions), kinds)
        return deed

    def _from_context(self, action: Action, parameter: str, event: Event) -> Value:
        if parameter not in event.context:
            wanted = ", ".join(action.parameters)
            raise TelosError(
                f"{action.name!r} was done with no {parameter!r}",
                f"name the action {action.name}({wanted}), or put {parameter!r} into the event's context",
            )
        value, kind = event.context[parameter], action.parameters[parameter]
        if not kind.accepts(value):
            raise TelosError(f"{action.name!r}: {parameter!r} holds {kind}, not {value!r}")
        return value

    def _handle(self, written: str, kind: str, state: State) -> Value:
        """Return the handle that is written so: one that a variable holds or the domain names, or else the text itself.

        Where the domain names handles of the kind, others come in the context: a text is too easily misspelt.
        """
        for variable, value in zip(state.layout.variables, state.array, strict=True):
            if variable.type.kind is Kind.HANDLE and variable.type.handle == kind and str(value) == written:
                return value
        named = self._handles.get(kind, ())
        if named and written not in named:
            raise TelosError(f"no {kind} is called {written!r}", name_hint(written, named))
        return written


def needs_of(deed: Deed, state: State, fixed: frozenset[str]) -> tuple[Goal, dict[str, list[Value]]]:
    """Return what has to hold before a deed, and the handles, by kind, that it speaks of.

    Handles that nothing changes are put in for their variables where the condition asks the game: of
    ``can_reach(me, place)`` the planner takes who ``me`` is, but not the variable.
    """
    assert deed.needs.wants is not None
    wants, layout = deed.needs.wants.expression, state.layout
    asks = functions(wants) - BUILT_IN.keys()
    known = {name: state[name] for name in names(wants) & fixed} if asks else {}
    handles: dict[str, list[Value]] = {}
    spoken_of = [(kind, deed.action.arguments[name]) for name, kind in deed.kinds.items()]
    for kind, value in (*spoken_of, *((layout.variable(name).type.handle, value) for name, value in known.items())):
        if value is not None:
            handles.setdefault(kind, []).append(value)
    return (Goal(deed.needs.name, wants=Condition(substitute(wants, known))) if known else deed.needs), handles


def cost_of(action: Action, state: State) -> float:
    """Return what an action costs where ``state`` holds."""
    cost = float(bind(action.cost, state.layout, NUMBER)(state.array))
    if not cost >= 0:
        raise TelosError(f"{action}: `{text(action.cost)}` came to {cost}", "a cost is never negative")
    return cost


def same_deed(one: Action, two: Action) -> bool:
    """Whether two bound actions are one and the same thing to do."""
    return one is two or (one.name == two.name and one.arguments == two.arguments)


def outcome(steps: Iterable[Action], state: State, wants: Goal) -> float | None:
    """Return what steps cost from ``state`` if each is possible in its turn and they reach the goal; else None."""
    total = 0.0
    for step in steps:
        if not step.is_possible(state):
            return None
        total += cost_of(step, state)
        state = step.result(state)
    assert wants.wants is not None
    return total if wants.wants.holds(state) else None


def changed(state: State, told: Mapping[str, Value]) -> dict[str, Value]:
    """Return those of the stated values that differ from a state's."""
    return {name: value for name, value in told.items() if state[name] != value}
