"""Saving a running mind as plain data, and going on from it exactly."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from telos.agents.body import Animate, BodyState, Goto, UseSmartObject
from telos.agents.deliberation import Deliberation
from telos.agents.execution import Execution
from telos.agents.mind import Mind
from telos.core.action import Action
from telos.core.errors import TelosError, nearest
from telos.core.plan import Plan
from telos.core.state import State


def save_mind(mind: Mind) -> dict[str, Any]:
    """Return all that changes about a mind: memory, goal, plan, step, and the weighing of goals under way.

    What it is made of (character, domain, sensors, procedures) is not saved: the game builds it again.
    """
    return {
        "name": mind.name,
        "memory": mind.memory.save(),
        "state": list(mind.state.array),
        "execution": _save_execution(mind.execution),
        "deliberation": _save_deliberation(mind.deliberation),
        "retry_at": None if mind.retry_at == math.inf else mind.retry_at,
        **mind.marks,
    }


def restore_mind(mind: Mind, saved: Mapping[str, Any]) -> None:
    """Make a freshly built mind the one that was saved; a plan that it waited for is asked for again."""
    if saved["name"] != mind.name:
        raise TelosError(f"the saved mind is {saved['name']!r}, not {mind.name!r}; restore it into one of that name")
    mind.memory.restore(saved["memory"])
    mind.state = State(mind.domain.layout, tuple(saved["state"]))
    mind.execution = _restore_execution(mind, saved["execution"])
    mind.deliberation = _restore_deliberation(mind, saved["deliberation"])
    mind.retry_at = math.inf if saved["retry_at"] is None else saved["retry_at"]
    mind.marks = saved


def _save_execution(execution: Execution | None) -> dict[str, Any] | None:
    if execution is None:
        return None
    plan = execution.plan
    steps = [[step.name, dict(step.arguments)] for step in plan.steps]
    return {
        "goal": plan.goal,
        "steps": steps,
        "cost": plan.cost,
        "expanded": plan.expanded,
        "index": execution.index,
        "begun": execution.begun,
        "entered": _save_body(execution.entered),
        "before": None if execution.before is None else list(execution.before.array),
    }


def _restore_execution(mind: Mind, saved: Mapping[str, Any] | None) -> Execution | None:
    if saved is None:
        return None
    steps = tuple(_action(mind, name, arguments) for name, arguments in saved["steps"])
    plan = Plan(steps, saved["cost"], saved["goal"], saved["expanded"])
    goal = next(goal for goal in mind.character.goals if goal.name == saved["goal"])
    before = None if saved["before"] is None else State(mind.domain.layout, tuple(saved["before"]))
    return Execution(plan, goal, saved["index"], saved["begun"], before, _restore_body(saved["entered"]))


def _save_body(state: BodyState | None) -> list[Any] | None:
    return None if state is None else [type(state).__name__, *astuple(state)]


def _restore_body(saved: Sequence[Any] | None) -> BodyState | None:
    if saved is None:
        return None
    kinds: dict[str, Callable[..., BodyState]] = {kind.__name__: kind for kind in (Goto, Animate, UseSmartObject)}
    return kinds[saved[0]](*saved[1:])


def _action(mind: Mind, name: str, arguments: Mapping[str, Any]) -> Action:
    known = {action.name: action for action in mind.character.actions}
    if name not in known:
        raise TelosError(f"the saved plan of {mind.name} uses {name!r}, which it cannot do; {nearest(name, known)}")
    return known[name].bind(arguments) if arguments else known[name]


def _save_deliberation(thought: Deliberation | None) -> dict[str, Any] | None:
    if thought is None:
        return None
    return {
        "state": list(thought.state.array),
        "line": [goal.name for goal in thought.line],
        "current": thought.current,
        "place": thought.place,
        "passed_over": dict(thought.passed_over),
        "kept": thought.kept,
        "is_wanting": thought.is_wanting,
        "expanded": None if thought.ticket is None else thought.ticket.expanded,
    }


def _restore_deliberation(mind: Mind, saved: Mapping[str, Any] | None) -> Deliberation | None:
    if saved is None:
        return None
    goals = {goal.name: goal for goal in mind.character.goals}
    line: Sequence[Any] = [goals[name] for name in saved["line"]]
    thought = Deliberation(State(mind.domain.layout, tuple(saved["state"])), line, saved["current"])
    thought.place, thought.kept, thought.is_wanting = saved["place"], saved["kept"], saved["is_wanting"]
    thought.passed_over = dict(saved["passed_over"])
    if saved["expanded"] is not None:
        goal = thought.line[thought.place].name
        thought.ticket = mind.scheduler.resume(thought.state, goal, mind.planner, saved["expanded"])
    return thought
