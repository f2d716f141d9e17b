"""What each step of a plan is for."""

from collections.abc import Callable
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.expressions import Literal, functions
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.core.state import State

# A state, or a way to get it when somebody asks.
Start: TypeAlias = State | Callable[[], State]


def explain_plan(start: Start, goal: Goal, plan: Plan) -> str:
    """Say for each step what it makes true and which later step, or the goal, needs that."""
    if not plan.steps:
        return f"{goal.name}: nothing to do, {goal.wants} holds already."
    states = states_of(start if isinstance(start, State) else start(), plan.steps)
    uses = uses_of(plan.steps, states, goal)
    lines = [f"{goal.name} is reached in {_counted(len(plan.steps))} at a cost of {plan.cost:g}:"]
    for number, step in enumerate(plan.steps):
        reasons = [f"{part} for {consumer}" for part, consumer in uses[number]]
        cost = f" (cost {step.cost.value:g})" if isinstance(step.cost, Literal) else ""
        lines.append(f"  {number + 1}. {step}{cost}: {'; '.join(reasons) or 'what follows depends on it'}")
    return "\n".join(lines)


def states_of(start: State, steps: tuple[Action, ...]) -> list[State]:
    """Return the state before each step, and the last one."""
    states = [start]
    for step in steps:
        states.append(step.result(states[-1]))
    return states


def uses_of(steps: tuple[Action, ...], states: list[State], goal: Goal) -> list[list[tuple[Condition, str]]]:
    """Return for each step the conditions that it makes true for good, each with who needs it."""
    uses: list[list[tuple[Condition, str]]] = [[] for _ in steps]
    assert goal.wants is not None
    consumers = [(len(steps), "the goal", goal.wants), *((i, str(s), s.preconditions) for i, s in enumerate(steps))]
    for at, consumer, condition in consumers:
        for part in condition.parts:
            if functions(part.expression):
                continue  # only the game can tell, and it is not asked for the sake of a sentence
            maker = _maker(part, states, at)
            if maker is not None:
                uses[maker].append((part, consumer))
    return uses


def _maker(part: Condition, states: list[State], at: int) -> int | None:
    """Return the step that made a condition true for the last time before ``at``; None if it held all along."""
    for number in range(at, 0, -1):
        if not part.holds(states[number - 1]):
            return number - 1
    return None


def _counted(steps: int) -> str:
    return "one step" if steps == 1 else f"{steps} steps"
