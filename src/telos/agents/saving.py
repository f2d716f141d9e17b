"""Saving a running mind as plain data, and going on from it exactly."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from typing import Any

from telos.agents.body import Animate, BodyState, Goto, UseSmartObject
from telos.agents.deliberation import Deliberation
from telos.agents.mind import Execution, Mind
from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.planning.explain import explain_plan
from telos.planning.planner import CallbackCache, Planner


def save_mind(mind: Mind) -> dict[str, Any]:
    """Return the mutable state of a mind: memory, goal, plan, step, and a deliberation in progress.

    Its parts (character, domain, sensors, procedures) are not saved: the game builds them again.
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
    """Restore a newly built mind; a plan that it waited for is requested again."""
    if saved["name"] != mind.name:
        raise TelosError(f"the saved mind is {saved['name']!r}, not {mind.name!r}", "restore it into one of that name")
    mind.stop()
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
    return {
        "goal": plan.goal,
        "steps": _save_steps(plan.steps),
        "cost": plan.cost,
        "expanded": plan.expanded,
        "index": execution.index,
        "begun": execution.begun,
        "since": None if execution.since == math.inf else execution.since,
        "entered": _save_body(execution.entered),
        "before": None if execution.before is None else list(execution.before.array),
        "start": None if execution.start is None else list(execution.start.array),
    }


def _restore_execution(mind: Mind, saved: Mapping[str, Any] | None) -> Execution | None:
    if saved is None:
        return None
    steps = _restore_steps(mind.planner, saved["steps"])
    goal = next(goal for goal in mind.character.goals if goal.name == saved["goal"])
    before, start = _restore_state(mind, saved["before"]), _restore_state(mind, saved["start"])
    explain = None if start is None else partial(explain_plan, start, goal)
    return Execution(
        Plan(steps, saved["cost"], saved["goal"], saved["expanded"], explain),
        goal,
        saved["index"],
        saved["begun"],
        before,
        _restore_body(saved["entered"]),
        math.inf if saved["since"] is None else saved["since"],
        start,
    )


def _restore_state(mind: Mind, array: Sequence[Any] | None) -> State | None:
    return None if array is None else State(mind.domain.layout, tuple(array))


def _save_body(state: BodyState | None) -> list[Any] | None:
    return None if state is None else [type(state).__name__, *astuple(state)]


def _restore_body(saved: Sequence[Any] | None) -> BodyState | None:
    if saved is None:
        return None
    kinds: dict[str, Callable[..., BodyState]] = {kind.__name__: kind for kind in (Goto, Animate, UseSmartObject)}
    return kinds[saved[0]](*saved[1:])


def _save_steps(steps: Iterable[Action]) -> list[Any]:
    return [[step.name, dict(step.arguments)] for step in steps]


def _restore_steps(planner: Planner, saved: Iterable[Any]) -> tuple[Action, ...]:
    known = {action.name: action for action in planner.actions}
    for name, _ in saved:
        if name not in known:
            raise TelosError(f"a saved plan uses {name!r}, which is not an action any more", name_hint(name, known))
    return tuple(known[name].bind(arguments) if arguments else known[name] for name, arguments in saved)


def _save_deliberation(deliberation: Deliberation | None) -> dict[str, Any] | None:
    if deliberation is None:
        return None
    return {
        "state": list(deliberation.state.array),
        "line": [goal.name for goal in deliberation.line],
        "current": deliberation.current,
        "instead_of": deliberation.instead_of,
        "place": deliberation.place,
        "passed_over": dict(deliberation.passed_over),
        "kept": deliberation.kept,
        "is_wanting": deliberation.is_wanting,
        "expanded": None if deliberation.ticket is None else deliberation.ticket.expanded,
        "said": []
        if deliberation.ticket is None
        else [[*each, value] for each, value in deliberation.ticket.called.items()],
    }


def _restore_deliberation(mind: Mind, saved: Mapping[str, Any] | None) -> Deliberation | None:
    if saved is None:
        return None
    goals = {goal.name: goal for goal in mind.character.goals}
    line: Sequence[Any] = [goals[name] for name in saved["line"]]
    state = State(mind.domain.layout, tuple(saved["state"]))
    deliberation = Deliberation(state, line, saved["current"], saved["instead_of"])
    deliberation.place, deliberation.kept, deliberation.is_wanting = saved["place"], saved["kept"], saved["is_wanting"]
    deliberation.passed_over = dict(saved["passed_over"])
    stops = {stop.value for stop in Stop}  # saved as the reason of a goal without a plan
    deliberation.without_plan = {goal for goal, reason in saved["passed_over"].items() if reason in stops}
    if saved["expanded"] is not None:
        goal = deliberation.line[deliberation.place].name
        deliberation.ticket = mind.scheduler.resume(
            deliberation.state, goal, mind.planner, saved["expanded"], _read_answers(saved["said"])
        )
    return deliberation


def save_plans(planner: Planner) -> list[Any]:
    """Return a planner's cached plans as plain data."""
    return [
        [goal, how, budget, list(array), _save_answer(known.answer), [[*each] for each in known.called]]
        for (goal, how, budget, array), known in planner.cached_answers()
        if isinstance(goal, str)
    ]


def restore_plans(planner: Planner, saved: Iterable[Any]) -> None:
    """Replace a planner's cached plans by the saved ones."""
    planner.forget()
    for goal, how, budget, array, answer, said in saved:
        state = State(planner.domain.layout, tuple(array))
        planner.remember(state, goal, how, budget, _restore_answer(planner, state, goal, answer), _read_answers(said))


def _save_answers(answers: CallbackCache) -> list[Any]:
    return [[*call, value] for call, value in answers.items()]


def _read_answers(saved: Iterable[Any]) -> CallbackCache:
    return {(function, tuple(arguments)): value for function, arguments, value in saved}


def _save_answer(answer: Answer) -> list[Any]:
    if isinstance(answer, Plan):
        return ["", answer.expanded, _save_steps(answer.steps), answer.cost]
    return [answer.stop.name, answer.expanded, _save_steps(answer.partial), 0.0]


def _restore_answer(planner: Planner, state: State, goal: str, saved: Sequence[Any]) -> Answer:
    stop, expanded, steps, cost = saved
    if not stop:
        explain = partial(explain_plan, state, planner.domain.goal(goal))
        return Plan(_restore_steps(planner, steps), cost, goal, expanded, explain)

    def diagnose(answer: NoPlan) -> Diagnosis:
        again = Planner(planner.domain, planner.actions).plan(state, goal)
        return Diagnosis(again.missing, again.why()) if isinstance(again, NoPlan) else Diagnosis((), again.why())

    return NoPlan(goal, Stop[stop], expanded, _restore_steps(planner, steps), diagnose)
