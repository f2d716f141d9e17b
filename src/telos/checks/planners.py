"""The promises of every way to plan, as a function that tests anyone's."""

import math
from collections.abc import Callable, Mapping, Sequence

from telos.core.binding import bind
from telos.core.domain import Domain
from telos.core.plan import Answer, NoPlan, Plan
from telos.core.state import State
from telos.core.values import NUMBER, Value

Planning = Callable[[Domain, Mapping[str, Value], str], Answer]


def check_planner(plan: Planning, problems: Sequence[tuple[Domain, Mapping[str, Value], str]]) -> None:
    """Raise ``AssertionError`` at the first promise that a way to plan breaks on problems (domain, state, goal)."""
    for domain, state, goal in problems:
        given = dict(state)
        answer = plan(domain, given, goal)
        where = f"{domain.name}, {goal}"
        assert given == dict(state), f"{where}: planning changed the state that it was given"
        again = plan(domain, dict(state), goal)
        assert again == answer, f"{where}: the same request must get the same answer"
        assert answer.goal == goal, f"{where}: the answer names the goal {answer.goal!r}"
        assert isinstance(answer.why(), str), f"{where}: why() must say something"
        assert answer.why(), f"{where}: why() must say something"
        start = domain.state(state)
        wants = domain.goal(goal).wants
        assert wants is not None
        if isinstance(answer, Plan):
            check_plan(answer, start)
            assert wants.holds(_end(answer, start)), f"{where}: the plan does not reach its goal"
            assert bool(answer.steps) or wants.holds(start), f"{where}: an empty plan means that the goal holds already"
        else:
            assert isinstance(answer, NoPlan), f"{where}: an answer is a Plan or a NoPlan"
            assert not wants.holds(start), f"{where}: the goal holds already, so there is a plan: to do nothing"
            assert answer.steps == (), f"{where}: no plan has no steps"


def check_plan(plan: Plan, start: State) -> None:
    """Raise ``AssertionError`` if a plan cannot be carried out from ``start`` at the cost that it states."""
    state, cost = start, 0.0
    for number, step in enumerate(plan.steps):
        assert not step.parameters, f"step {number}, {step}, leaves parameters open"
        assert step.is_possible(state), f"step {number}, {step}, is not possible: {step.preconditions.unmet(state)}"
        cost += float(bind(step.cost, state.layout, NUMBER)(state.array))
        state = step.result(state)
    assert math.isclose(cost, plan.cost, rel_tol=1e-9, abs_tol=1e-9), f"it costs {cost:g}, not {plan.cost:g}"


def _end(plan: Plan, state: State) -> State:
    for step in plan.steps:
        state = step.result(state)
    return state
