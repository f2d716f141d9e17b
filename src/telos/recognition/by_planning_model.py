"""What reading by planning rests on: a domain, the goals that a player may have, and where the player starts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import names
from telos.core.goal import Goal
from telos.core.numbers import finite
from telos.core.state import State
from telos.core.values import Kind, Value
from telos.planning.plan import planner_of
from telos.planning.planner import BUDGET
from telos.recognition.by_planning_deeds import Deeds

TOLERANCE = 0.001  # what all goals together that are not worked out may hold of the belief


class Options(TypedDict, total=False):
    """How a player is read by planning; ``PlanModel`` says what each of them means."""

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
    """A domain turned round; it holds no belief, so any number of readers may share it.

    ``goals`` are goals, their names, or the name of a goal set; by default all that say what they want. ``start`` is
    where the player starts. Who wastes ``temperature`` of cost more on the way to one goal than to another is e times
    less likely to be after it; ``prior`` weighs the goals before anything is seen. An update stops planning soon after
    ``microseconds``, and no search expands more than ``budget`` nodes. Goals that hold less than ``tolerance`` of the
    belief together, whatever their plans may cost, are not planned for.

    ``actions`` names the action set that the player has. With ``sees_all`` an action that is not possible was tried
    in vain; otherwise something before it was not seen. What the game states about the world is nobody's doing, unless
    ``luck`` is off: then it counts as brought about by the player. A goal ``lasts`` so many updates on average, so that
    what was wasted earlier counts less; by default for ever. With ``relevance``, only goals that are relevant are
    believed in. Actions that it ``ignores`` say nothing.
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
        tolerance: float = TOLERANCE,
        budget: int = BUDGET,
    ) -> None:
        self.domain = domain
        self.wanted = _goals(domain, goals)
        self.goals = tuple(goal.name for goal in self.wanted)
        self.start = _start(domain, start)
        self.temperature = _positive("temperature", temperature)
        self.log_prior = _log_prior(self.goals, prior)
        self.microseconds = None if microseconds is None else _positive("microseconds", microseconds)
        self.planner = planner_of(domain, actions)
        self.sees_all, self.luck, self.relevance = sees_all, luck, relevance
        self.keeps = 1.0 if lasts is None else 1.0 - 1.0 / _at_least_one("lasts", lasts)
        self.tolerance, self.budget = _share("tolerance", tolerance), budget
        self.asks = self.microseconds is not None and bool(domain.functions_needed)
        self.deeds = Deeds(domain, self.planner.actions, frozenset(ignores))
        self.same = _same(self.wanted)
        self.equals = tuple(_equals(self.goals, self.same))  # said about every belief
        self.matters = tuple(frozenset(_matters(goal, self.planner.actions)) for goal in self.wanted)
        self.fixed = frozenset(_fixed(domain, self.planner.actions))
        self._blanks = tuple(tuple(_blanks(domain, matters)) for matters in self.matters)

    def view(self, goal: int, state: State) -> State:
        """Return the state with all that cannot matter for a goal as it starts, so that what is known is known again.

        Handles stay: what they point at may be gone to, or used, though nobody asks for it.
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
            raise TelosError(
                f"no goal of {domain.name!r} says what it wants", "give one `wants`, a condition to be met"
            )
    elif isinstance(said, str):
        found = domain.goals_of(said)
    else:
        found = [each if isinstance(each, Goal) else domain.goal(each) for each in said]
    if not found:
        raise TelosError("there are no goals to tell apart", "name at least one")
    for number, goal in enumerate(found):
        if goal.wants is None:
            raise TelosError(f"goal {goal.name!r} does not say what it wants", "give it `wants`, a condition to be met")
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
            raise TelosError(f"the prior speaks of {name!r}, which is none of the goals", name_hint(name, goals))
    for name in goals:
        if name not in weights:
            raise TelosError(f"the prior says nothing about {name!r}", "give every goal a weight above 0")
    return tuple(math.log(_positive(f"the prior of {name!r}", weights[name])) for name in goals)


def _positive(what: str, value: float) -> float:
    if finite(what, value) <= 0:
        raise TelosError(f"{what} must be more than 0, got {value!r}")
    return float(value)


def _at_least_one(what: str, value: float) -> float:
    if finite(what, value) < 1:
        raise TelosError(f"{what} must be at least 1 update, got {value!r}")
    return float(value)


def _share(what: str, value: float) -> float:
    if not 0 <= finite(what, value) < 1:
        raise TelosError(f"{what} is a share of the belief, from 0 to less than 1, got {value!r}")
    return float(value)


def _same(goals: Sequence[Goal]) -> tuple[int, ...]:
    """Return for each goal the first that wants the same: nothing that a player does can tell them apart.

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
    """Yield the variables that hold a handle which no action changes."""
    written = {effect.variable for action in actions for effect in action.effects}
    handles = (variable.name for variable in domain.layout.variables if variable.type.kind is Kind.HANDLE)
    yield from (name for name in handles if name not in written)


def _blanks(domain: Domain, matters: frozenset[str]) -> Iterator[tuple[int, Value]]:
    for slot, variable in enumerate(domain.layout.variables):
        if variable.name not in matters and variable.type.kind is not Kind.HANDLE:
            yield slot, variable.start


def _matters(goal: Goal, actions: Sequence[Action]) -> Iterator[str]:
    """Yield the variables that can make a difference to what a goal costs: what it wants, and what leads there."""
    assert goal.wants is not None
    asked, found = set(names(goal.wants.expression)), set[str]()
    while asked:
        name = asked.pop()
        found.add(name)
        yield name
        for action in actions:
            if any(effect.variable == name for effect in action.effects):
                read = names(action.preconditions.expression) | names(action.cost)
                asked |= read.union(*(names(effect.value) for effect in action.effects)) - found
