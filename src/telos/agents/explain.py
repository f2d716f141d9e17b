"""``why`` and ``why_not``: explanations of a mind's goal, plan and alternatives."""

from collections.abc import Iterable

from telos.agents.deliberation import Deliberation
from telos.agents.mind import Mind
from telos.agents.things import thing_in_focus
from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.goal import Goal
from telos.core.plan import NoPlan
from telos.core.template import PRESENT
from telos.planning.planner import Planner


def why(mind: Mind) -> str:
    """Explain a mind's goal, the purpose of its plan, and the goals that were passed over."""
    execution = mind.execution
    if execution is None:
        lines = [f"{mind.name} is waiting for a plan." if mind.is_waiting else f"{mind.name} has nothing to do."]
    else:
        goal = execution.goal
        because = "" if str(goal.relevant) == "true" else f", because {goal.relevant}"
        lines = [f"{mind.name} pursues {goal.name} (priority {_priority(mind, goal)}){because}."]
        lines += execution.plan.why().splitlines()
        if execution.index < len(execution.plan.steps):
            lines.append(f"Now at step {execution.index + 1}: {execution.step}.")
            lines += _things_in_slots(mind, execution.plan.steps[execution.index :])
    lines += [f"A fault of the game: {problem}." for problem in mind.problems]
    return "\n".join([*lines, *_passed_over(mind.deliberation)])


def _passed_over(deliberation: Deliberation | None) -> list[str]:
    if deliberation is None:
        return []
    return [f"Not {goal}: {reason}." for goal, reason in deliberation.passed_over.items()]


def _things_in_slots(mind: Mind, steps: Iterable[Action]) -> list[str]:
    """Say which things of the game the slots of templates stand for."""
    slots = dict.fromkeys(step.on for step in steps if step.on is not None)
    return [f"{slot} is {thing}." for slot in slots if (thing := thing_in_focus(mind.memory, slot)) != slot]


def why_not(mind: Mind, name: str) -> str:
    """Explain why a mind does not pursue a goal, or does not do an action, at present."""
    goals = {goal.name: goal for goal in mind.arbiter.goals}
    actions = {action.name: action for action in mind.character.actions}
    if name in goals:
        return _why_not_goal(mind, name)
    if name not in actions:
        known = [action.name for action in mind.domain.actions]
        if name in known:
            return f"{name}: {mind.character.name} cannot do that; it is not among its actions."
        if things := _things_with(mind, name):
            present = [each for each in things if mind.state[f"{actions[each].on}.{PRESENT}"]]
            return (
                "\n".join(why_not(mind, each) for each in present) or f"{name}: no {name.partition('.')[0]} is known."
            )
        raise TelosError(
            f"{name!r} is neither a goal nor an action of {mind.name}", name_hint(name, [*goals, *actions])
        )
    if name in {step.partition("(")[0] for step in mind.steps}:
        return f"{name}: it is part of the plan."
    unmet = actions[name].preconditions.unmet(mind.state) if not actions[name].parameters else ()
    if unmet:
        return f"{name}: it needs {unmet[0]}."
    return f"{name}: it is possible, but no part of the cheapest plan for {mind.goal or 'any goal'}."


def _things_with(mind: Mind, name: str) -> list[str]:
    """Return the actions of all things of a template for the one name that the domain file has for them."""
    owner, _, own = name.partition(".")
    things = [thing for thing, template in mind.domain.template_of.items() if template.name == owner]
    named = {f"{thing}.{own}" for thing in things}
    return [action.name for action in mind.character.actions if action.name in named]


def _why_not_goal(mind: Mind, name: str) -> str:
    goal = next(goal for goal in mind.arbiter.goals if goal.name == name)
    if mind.goal == name:
        return f"{name}: it is what {mind.name} pursues."
    if not goal.relevant.holds(mind.state):
        return f"{name}: it is not relevant, since {goal.relevant.unmet(mind.state)[0]} does not hold."
    if goal.wants is not None and goal.wants.holds(mind.state):
        return f"{name}: it holds already."
    state, deliberation = mind.state, mind.deliberation
    if deliberation is not None and name in deliberation.passed_over:
        if name not in deliberation.without_plan:
            return f"{name}: {deliberation.passed_over[name]}."
        state = deliberation.state  # explain the search that failed
    # With a new planner: the mind's own would cache the answer, and the question would change its behaviour.
    answer = Planner(mind.domain, mind.character.actions).plan(state, name)
    if isinstance(answer, NoPlan):
        return answer.why()
    reason = f"{name}: its priority is {_priority(mind, goal)}"
    if mind.execution is None:
        return f"{reason}, and {mind.name} has not chosen yet."
    current = mind.execution.goal
    reason += f", and {current.name} has priority {_priority(mind, current)}"
    if not (mind.arbiter.is_varying(goal) or mind.arbiter.is_varying(current)):
        return f"{reason}."
    least = mind.arbiter.threshold(mind.arbiter.priority(current, mind.state))
    return f"{reason}; more than {least:g} would interrupt it."


def _priority(mind: Mind, goal: Goal) -> str:
    return mind.arbiter.describe(goal, mind.state)
