"""Plans that do without certain steps.

``find_alternatives`` returns the plans that a chosen plan was preferred to, by searching again without each of its
steps; ``avoiding_planner`` plans without steps that have failed.
"""

import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.expressions import And, Compare, Expression, Handle, Name, Not, bind
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import NUMBER
from telos.planning.game_functions import CallbackCache
from telos.planning.planner import Planner

ALTERNATIVE_BUDGET = 5_000  # expansions of one search
_MAX_SEARCHES = 12
_MAX_AVOIDING = 64  # planners without certain steps that are kept for a domain
_CACHE_KEY = "planners without steps"


@dataclass(frozen=True, slots=True)
class Alternative:
    """The cheapest plan that avoids some steps; without any plan, ``steps`` is empty, the cost infinite.

    ``extra`` is what it costs more than the chosen plan, and ``why`` says why it was not chosen.
    """

    avoids: tuple[str, ...]
    steps: tuple[str, ...]
    cost: float
    extra: float
    why: str

    @property
    def found(self) -> bool:
        """Whether there is such a plan."""
        return math.isfinite(self.cost)


def find_alternatives(
    domain: Domain,
    state: State,
    goal: Goal,
    steps: Sequence[Action],
    *,
    actions: Sequence[Action] | None = None,
    most: int = 5,
    budget: int = ALTERNATIVE_BUDGET,
) -> tuple[Alternative, ...]:
    """Return the cheapest other plans from ``state``, the best first, then the steps that no plan can do without.

    ``steps`` is the chosen plan. Each alternative avoids one of its steps, or more if fewer than ``most`` plans differ.
    Equal plans are reported once. At most ``most`` plans are returned; each search expands at most ``budget`` nodes.

    >>> from telos.core.values import Variable
    >>> door = Domain(variables=[Variable("open", "bool"), Variable("key", "bool")],
    ...               actions=[Action("take-key", effects="key = true", cost=1),
    ...                        Action("kick", effects="open = true", cost=9),
    ...                        Action("unlock", preconditions="key", effects="open = true", cost=2)],
    ...               goals=[Goal("enter", wants="open")])
    >>> chosen = [door.action("take-key"), door.action("unlock")]
    >>> others = find_alternatives(door, door.state(), door.goal("enter"), chosen)
    >>> [(each.avoids, each.steps, each.extra) for each in others]
    [(('take-key',), ('kick',), 6.0)]
    """
    known = tuple(domain.all_actions if actions is None else actions)
    cost = cost_of_steps(state, steps)
    waiting: list[tuple[Action, ...]] = [(step,) for step in dict.fromkeys(steps)]
    seen, found, missing = {tuple(map(str, steps))}, list[Alternative](), list[Alternative]()
    for _ in range(_MAX_SEARCHES):
        if not waiting:
            break
        avoided = waiting.pop(0)
        answer = Planner(domain, _actions_without(known, avoided)).plan(state, goal, budget=budget)
        made = _alternative(answer, avoided, cost)
        if made.steps in seen:
            continue
        if not isinstance(answer, Plan):
            missing += [made] if len(avoided) == 1 else []
            continue
        seen.add(made.steps)
        found.append(made)
        if len(found) < most:
            waiting += [(*avoided, step) for step in answer.steps if step not in avoided]
    found.sort(key=lambda each: each.cost)
    return (*found[:most], *missing)


class AvoidingPlanner(Planner):
    """A planner that never takes certain steps. It remembers no answers: those are not part of a saved game."""

    def recall(
        self, state: State, goal: str | Goal, how: str, budget: int, *, most_calls: int | None = None
    ) -> tuple[Answer | None, CallbackCache]:
        return None, {}

    def remember(
        self, state: State, goal: str | Goal, how: str, budget: int, answer: Answer, called: CallbackCache
    ) -> None:
        pass


def avoiding_planner(planner: Planner, avoided: Sequence[Action]) -> AvoidingPlanner:
    """Return the planner of the same domain and actions that never takes the steps ``avoided``."""
    kept: OrderedDict[object, tuple[Planner, AvoidingPlanner]]
    kept = planner.domain.cache.setdefault(_CACHE_KEY, OrderedDict())
    key = (id(planner), frozenset((step.name, step.arguments) for step in avoided))
    if key not in kept:
        kept[key] = planner, AvoidingPlanner(planner.domain, _actions_without(planner.actions, avoided))
    kept.move_to_end(key)
    while len(kept) > _MAX_AVOIDING:
        kept.popitem(last=False)
    return kept[key][1]


def cost_of_steps(state: State, steps: Sequence[Action]) -> float:
    """Return the cost of steps, each in the state that those before it lead to; NaN if it cannot be computed."""
    total, now = 0.0, state
    try:
        for step in steps:
            total += float(bind(step.cost, now.layout, NUMBER)(now.array))
            now = step.result(now)
    except Exception:  # a game function that raises, or a step that is not possible any more
        return math.nan
    return total


def _actions_without(actions: Sequence[Action], avoided: Sequence[Action]) -> list[Action]:
    return [each for action in actions for each in _without(action, avoided)]


def _without(action: Action, avoided: Sequence[Action]) -> Iterator[Action]:
    """Yield an action if it may still be used: not at all as an avoided step without parameters, or with others."""
    same = [step for step in avoided if step.name == action.name]
    if not same:
        yield action
        return
    if any(not step.arguments for step in same):
        return
    excluded = [Not(_equals(step)) for step in same]
    parts = (*(part.expression for part in action.preconditions.parts), *excluded)
    yield replace(action, preconditions=Condition(parts[0] if len(parts) == 1 else And(parts)))


def _equals(step: Action) -> Expression:
    parts = tuple(Compare("==", Name(name), Handle(value)) for name, value in step.arguments.items())
    return parts[0] if len(parts) == 1 else And(parts)


def _alternative(answer: Answer, avoided: Sequence[Action], cost: float) -> Alternative:
    avoids = tuple(map(str, avoided))
    if not isinstance(answer, Plan):
        spent = isinstance(answer, NoPlan) and answer.stop is not Stop.UNREACHABLE
        why = "no plan was found within the budget" if spent else "no plan reaches the goal without it"
        return Alternative(avoids, (), math.inf, math.inf, why)
    extra = round(answer.cost - cost, 6)
    if math.isnan(extra):
        why = "the chosen plan cannot be continued from here"
    elif extra > 0:
        why = f"it costs {extra:.3g} more"
    else:
        why = "it costs the same" if extra == 0 else f"it is {-extra:.3g} cheaper by now; the plan was made earlier"
    return Alternative(avoids, tuple(map(str, answer.steps)), answer.cost, extra, why)
