"""PlanModel: a domain, the goals that a player may have, and how events become actions of the domain."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import BUILT_IN, bind, functions_in, names_in, substitute, to_text
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import NUMBER, Value, ValueKind, check_finite
from telos.planning.planner import DEFAULT_BUDGET, get_planner

# --- events as actions ------------------------------------------------------------------------------------------------

_CALL = re.compile(r"(?P<name>[^()]+)\((?P<arguments>[^()]*)\)\Z")
MAX_CACHED_ACTIONS = 20_000


class ObservedAction(NamedTuple):
    """An action of the player with its parameters bound, and its precondition as a goal."""

    action: Action
    needs: Goal
    kinds: Mapping[str, str]  # the kind of handle of each parameter


class ActionMatcher:
    """Matches events to actions of a domain; arguments stand in the name, ``goto(gate)``, or in the context."""

    def __init__(self, domain: Domain, actions: Iterable[Action], ignores: frozenset[str]) -> None:
        self._layout = domain.layout
        self._handles = domain.handles
        self.actions = {action.name: action for action in actions}
        self._ignores = ignores
        self._known: dict[tuple[str, tuple[Value, ...]], ObservedAction] = {}

    def match(self, event: Event, state: State) -> ObservedAction | None:
        """Return the action of an event; None if it is ignored."""
        written = event.action
        if written in self._ignores:
            return None
        action = self.actions.get(written)
        if action is not None and not action.parameters:
            return self._observed(action, ())
        match = None if action is not None else _CALL.match(written)
        name = match["name"].strip() if match else written
        if name in self._ignores:
            return None
        if name not in self.actions:
            raise TelosError(f"unknown action {name!r}", name_hint(name, self.actions))
        action = self.actions[name]
        if match is None:
            return self._observed(action, [self._from_context(action, each, event) for each in action.parameters])
        arguments = [each.strip() for each in match["arguments"].split(",")] if match["arguments"].strip() else []
        if len(arguments) != len(action.parameters):
            wanted = ", ".join(action.parameters)
            raise TelosError(f"{written!r} has {len(arguments)} arguments", f"write {name}({wanted})")
        kinds = [kind.handle for kind in action.parameters.values()]
        return self._observed(
            action, [self._handle(each, kind, state) for each, kind in zip(arguments, kinds, strict=True)]
        )

    def stated_values(self, event: Event, observed: ObservedAction | None) -> dict[str, Value]:
        """Return the values of the domain's variables that an event's context states; parameters are left out."""
        slots = self._layout.slots
        bound = observed.action.arguments if observed is not None else {}
        return {name: value for name, value in event.context.items() if name in slots and name not in bound}

    def bind(self, name: str, arguments: Sequence[Value]) -> Action:
        """Return an action with its parameters bound."""
        return self._observed(self.actions[name], tuple(arguments)).action

    def _observed(self, action: Action, arguments: Sequence[Value]) -> ObservedAction:
        key = (action.name, tuple(arguments))
        observed = self._known.get(key)
        if observed is None:
            kinds = {name: of.handle for name, of in action.parameters.items()}
            bound = action.bind(dict(zip(action.parameters, arguments, strict=True)))
            if len(self._known) >= MAX_CACHED_ACTIONS:
                self._known.clear()
            observed = self._known[key] = ObservedAction(bound, Goal(action.name, wants=bound.preconditions), kinds)
        return observed

    def _from_context(self, action: Action, parameter: str, event: Event) -> Value:
        if parameter not in event.context:
            wanted = ", ".join(action.parameters)
            raise TelosError(
                f"{action.name!r} has no argument {parameter!r}",
                f"name the action {action.name}({wanted}), or put {parameter!r} into the event's context",
            )
        value, kind = event.context[parameter], action.parameters[parameter]
        if not kind.accepts(value):
            raise TelosError(f"{action.name!r}: {parameter!r} holds {kind}, not {value!r}")
        return value

    def _handle(self, written: str, kind: str, state: State) -> Value:
        """Return the handle for a written name: one that a variable holds or the domain names, or else the text itself.

        If the domain names handles of the kind, other names are refused as misspelt; give such handles in the context.
        """
        for variable, value in zip(state.layout.variables, state.array, strict=True):
            if variable.type.kind is ValueKind.HANDLE and variable.type.handle == kind and str(value) == written:
                return value
        named = self._handles.get(kind, ())
        if named and written not in named:
            raise TelosError(f"no {kind} is called {written!r}", name_hint(written, named))
        return written


def preconditions_of(
    observed: ObservedAction, state: State, fixed: frozenset[str]
) -> tuple[Goal, dict[str, list[Value]]]:
    """Return the precondition of an observed action as a goal, and the handles in it by kind.

    Variables with handles that no action changes are replaced by their values if the condition calls a game function:
    for ``can_reach(me, place)`` the planner accepts the handle of ``me``, but not the variable.
    """
    assert observed.needs.wants is not None
    wants, layout = observed.needs.wants.expression, state.layout
    asks = functions_in(wants) - BUILT_IN.keys()
    known = {name: state[name] for name in names_in(wants) & fixed} if asks else {}
    handles: dict[str, list[Value]] = {}
    spoken_of = [(kind, observed.action.arguments[name]) for name, kind in observed.kinds.items()]
    for kind, value in (*spoken_of, *((layout.variable(name).type.handle, value) for name, value in known.items())):
        if value is not None:
            handles.setdefault(kind, []).append(value)
    return (Goal(observed.needs.name, wants=Condition(substitute(wants, known))) if known else observed.needs), handles


def action_cost(action: Action, state: State) -> float:
    """Return the cost of an action in ``state``."""
    cost = float(bind(action.cost, state.layout, NUMBER)(state.array))
    if not cost >= 0:
        raise TelosError(f"{action}: `{to_text(action.cost)}` is {cost}", "make the cost zero or more")
    return cost


def is_same_action(one: Action, two: Action) -> bool:
    """Whether two bound actions have the same name and arguments."""
    return one is two or (one.name == two.name and one.arguments == two.arguments)


def cost_of_steps(steps: Iterable[Action], state: State, wants: Goal) -> float | None:
    """Return the cost of ``steps`` from ``state``; None if one is impossible or they do not reach the goal."""
    total = 0.0
    for step in steps:
        if not step.is_possible(state):
            return None
        total += action_cost(step, state)
        state = step.result(state)
    assert wants.wants is not None
    return total if wants.wants.holds(state) else None


def changed_values(state: State, stated: Mapping[str, Value]) -> dict[str, Value]:
    """Return the stated values that differ from those of ``state``."""
    return {name: value for name, value in stated.items() if state[name] != value}


# --- model ------------------------------------------------------------------------------------------------------------

DEFAULT_TOLERANCE = 0.001  # the largest share of the belief that goals without a plan may hold together


class PlanModelOptions(TypedDict, total=False):
    """The options of ``PlanModel``."""

    goals: str | Sequence[str | Goal] | None
    start: Mapping[str, Value] | None
    temperature: float
    prior: Mapping[str, float] | None
    microseconds: float | None
    actions: str | Iterable[Action] | None
    sees_all: bool
    luck: bool
    lasts: float | None
    relevance: bool
    ignores: Iterable[str]
    tolerance: float
    budget: int


class PlanModel:
    """A planning domain as a model of a player. It holds no belief, so many readers may share it.

    ``goals`` are goals, their names, or the name of a goal set; by default all goals with a condition (``wants``).
    ``start`` is the player's initial state. A goal becomes e times less likely for each ``temperature`` of cost wasted
    on it; ``prior`` weighs the goals. An update stops planning soon after ``microseconds``, and no search expands more
    than ``budget`` nodes. Goals that together hold less than ``tolerance`` of the belief, whatever their plans cost,
    are not planned for.

    ``actions`` names the action set of the player. With ``sees_all`` an impossible action was a failed attempt;
    otherwise actions before it were not observed. Changes that the game states happen by chance, unless ``luck`` is
    off: then the player caused them. A goal ``lasts`` so many updates on average, so that earlier waste counts less; by
    default forever. With ``relevance``, only relevant goals are possible. Actions in ``ignores`` are no evidence.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        goals: str | Sequence[str | Goal] | None = None,
        start: Mapping[str, Value] | None = None,
        temperature: float = 1.0,
        prior: Mapping[str, float] | None = None,
        microseconds: float | None = None,
        actions: str | Iterable[Action] | None = None,
        sees_all: bool = False,
        luck: bool = True,
        lasts: float | None = None,
        relevance: bool = False,
        ignores: Iterable[str] = (),
        tolerance: float = DEFAULT_TOLERANCE,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self.domain = domain
        self.wanted = _goals(domain, goals)
        self.goals = tuple(goal.name for goal in self.wanted)
        self.start = _start(domain, start)
        self.temperature = _positive("temperature", temperature)
        self.log_prior = _log_prior(self.goals, prior)
        self.microseconds = None if microseconds is None else _positive("microseconds", microseconds)
        self.planner = get_planner(domain, actions)
        self.sees_all, self.luck, self.relevance = sees_all, luck, relevance
        self.keeps = 1.0 if lasts is None else 1.0 - 1.0 / _at_least_one("lasts", lasts)
        self.tolerance, self.budget = _share("tolerance", tolerance), budget
        self.asks = self.microseconds is not None and bool(domain.functions_needed)
        self.matcher = ActionMatcher(domain, self.planner.actions, frozenset(ignores))
        self.same = _same(self.wanted)
        self.equals = tuple(_equals(self.goals, self.same))  # noted with every belief
        self.matters = tuple(frozenset(_matters(goal, self.planner.actions)) for goal in self.wanted)
        self.fixed = frozenset(_fixed(domain, self.planner.actions))
        self._blanks = tuple(tuple(_blanks(domain, matters)) for matters in self.matters)

    def view(self, goal: int, state: State) -> State:
        """Return the state with irrelevant variables reset, so that cached plans for a goal are found again.

        Handles stay: actions may use the objects that they refer to, though no condition reads them.
        """
        values = list(state.array)
        for slot, start in self._blanks[goal]:
            values[slot] = start
        return State(state.layout, tuple(values))

    def __repr__(self) -> str:
        return f"PlanModel({self.domain.name!r}, {', '.join(self.goals)})"


def _goals(domain: Domain, said: str | Sequence[str | Goal] | None) -> tuple[Goal, ...]:
    if said is None:
        found: Sequence[Goal] = [goal for goal in domain.goals if goal.wants is not None]
        if not found:
            raise TelosError(f"no goal of {domain.name!r} has a condition", "give one `wants`, a condition to be met")
    elif isinstance(said, str):
        found = domain.goals_of(said)
    else:
        found = [each if isinstance(each, Goal) else domain.goal(each) for each in said]
    if not found:
        raise TelosError("there are no goals", "name at least one")
    for number, goal in enumerate(found):
        if goal.wants is None:
            raise TelosError(f"goal {goal.name!r} has no condition", "give it `wants`, a condition to be met")
        if goal.name in (other.name for other in found[:number]):
            raise TelosError(f"goal {goal.name!r} is named twice", "name each goal once")
    return tuple(found)


def _start(domain: Domain, said: Mapping[str, Value] | None) -> State:
    if isinstance(said, State) and said.layout is domain.layout:
        return said
    if said is not None and not isinstance(said, Mapping):
        raise TelosError(f"start is a state, or a dictionary of variables to values, got {said!r}")
    return domain.state(said)


def _log_prior(goals: Sequence[str], said: Mapping[str, float] | None) -> tuple[float, ...]:
    weights = said if said is not None else dict.fromkeys(goals, 1.0)
    for name in weights:
        if name not in goals:
            raise TelosError(f"the prior names {name!r}, which is not one of the goals", name_hint(name, goals))
    for name in goals:
        if name not in weights:
            raise TelosError(f"the prior has no weight for {name!r}", "give every goal a weight above 0")
    return tuple(math.log(_positive(f"the prior of {name!r}", weights[name])) for name in goals)


def _positive(what: str, value: float) -> float:
    if check_finite(what, value) <= 0:
        raise TelosError(f"{what} must be more than 0, got {value!r}")
    return float(value)


def _at_least_one(what: str, value: float) -> float:
    if check_finite(what, value) < 1:
        raise TelosError(f"{what} must be at least 1 update, got {value!r}")
    return float(value)


def _share(what: str, value: float) -> float:
    if not 0 <= check_finite(what, value) < 1:
        raise TelosError(f"{what} is a share of the belief, from 0 to less than 1, got {value!r}")
    return float(value)


def _same(goals: Sequence[Goal]) -> tuple[int, ...]:
    """Return for each goal the index of the first with the same condition: no action can tell them apart.

    >>> _same([Goal("rob", wants="rich"), Goal("sleep", wants="rested"), Goal("steal", wants="rich")])
    (0, 1, 0)
    """
    return tuple(next(k for k, other in enumerate(goals) if other.wants == goal.wants) for goal in goals)


def _equals(goals: Sequence[str], same: Sequence[int]) -> Iterator[str]:
    for first in sorted(set(same)):
        alike = [name for name, number in zip(goals, same, strict=True) if number == first]
        if len(alike) > 1:
            yield f"{' and '.join(alike)} want the same, and only the prior tells them apart"


def _fixed(domain: Domain, actions: Sequence[Action]) -> Iterator[str]:
    """Yield the handle variables that no action changes."""
    written = {effect.variable for action in actions for effect in action.effects}
    handles = (variable.name for variable in domain.layout.variables if variable.type.kind is ValueKind.HANDLE)
    yield from (name for name in handles if name not in written)


def _blanks(domain: Domain, matters: frozenset[str]) -> Iterator[tuple[int, Value]]:
    for slot, variable in enumerate(domain.layout.variables):
        if variable.name not in matters and variable.type.kind is not ValueKind.HANDLE:
            yield slot, variable.start


def _matters(goal: Goal, actions: Sequence[Action]) -> Iterator[str]:
    """Yield the variables that can affect the cost of a goal: those of its condition, and of what leads to it."""
    assert goal.wants is not None
    asked, found = set(names_in(goal.wants.expression)), set[str]()
    while asked:
        name = asked.pop()
        found.add(name)
        yield name
        for action in actions:
            if any(effect.variable == name for effect in action.effects):
                read = names_in(action.preconditions.expression) | names_in(action.cost)
                asked |= read.union(*(names_in(effect.value) for effect in action.effects)) - found
