"""Snapshots of minds for the inspector: `MindView`, its parts, and `build_mind_view` for a `telos.agents.Mind`.

A world whose characters have other minds builds its own views, in its module under `studio/worlds`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from telos.agents.explain import why
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import bind
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import MAX_FLOAT, NUMBER, Value


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal of the character: its weight, whether it is relevant, and why it is or is not pursued."""

    name: str
    weight: float  # the priority or insistence by which the goals of this mind compete
    relevant: bool
    pursued: bool
    why: str


@dataclass(frozen=True, slots=True)
class Need:
    """A precondition of a step, and whether it holds now (None: an earlier step makes it true)."""

    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of the plan: ``done``, ``now`` or ``next``, with its preconditions, effects and cost."""

    name: str
    state: str
    needs: tuple[Need, ...] = ()
    effects: tuple[str, ...] = ()
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact in working memory: its subject, its age in seconds, its confidence (0 to 1) and its attributes."""

    kind: str
    subject: str
    age: float
    confidence: float
    text: str


@dataclass(frozen=True, slots=True)
class MindView:
    """The mind of one character at one moment, as data for the inspector."""

    who: str
    about: str  # one line: "soldier of defence", "lives here"
    time: float
    doing: str  # one line: the current action and its goal
    goals: tuple[GoalLine, ...] = ()
    plan: tuple[StepLine, ...] = ()
    facts: tuple[FactLine, ...] = ()
    focus: tuple[tuple[str, str], ...] = ()  # what attention rests on: ("target", "Bert")
    orders: tuple[str, ...] = ()
    lines: tuple[tuple[float, str], ...] = ()  # what the character said, and when
    actions: tuple[str, ...] = ()  # all actions of the character: "why not?" can be asked of each, and of each goal
    why: str = ""  # the full explanation


def build_mind_view(
    mind: Mind,
    now: float,
    *,
    about: str = "",
    orders: Sequence[str] = (),
    lines: Sequence[tuple[float, str]] = (),
) -> MindView:
    """Return a snapshot of a mind at ``now``. It plans nothing and changes nothing."""
    return MindView(
        who=mind.name,
        about=about or mind.character.name,
        time=now,
        doing=_format_doing(mind),
        goals=_goal_lines(mind),
        plan=tuple(_step_lines(mind)),
        facts=tuple(_fact_lines(mind, now)),
        focus=tuple((slot, str(on)) for slot, on in mind.memory.focus.items() if on is not None),
        orders=tuple(orders),
        lines=tuple(lines),
        actions=tuple(action.name for action in mind.character.actions),
        why=_explain(mind),
    )


def _format_doing(mind: Mind) -> str:
    execution = mind.execution
    if execution is None:
        return "waits for a plan" if mind.is_waiting else "has nothing to do"
    if execution.index >= len(execution.plan.steps):
        return execution.goal.name
    return f"{execution.step}, for {execution.goal.name}"


def _explain(mind: Mind) -> str:
    try:
        return why(mind)
    except Exception as error:  # a game function that raises must not prevent inspection
        return f"{mind.name} pursues {mind.goal}; the explanation failed: {error}"


def intent_of(view: MindView) -> tuple[str, str]:
    """Return the goal that a mind pursues and the action that it performs, or ``nothing``.

    >>> goal, step = GoalLine("eat", 1, True, True, ""), StepLine("goto(table)", "now")
    >>> intent_of(MindView("Ada", "", 0.0, "", goals=(goal,), plan=(step,)))
    ('eat', 'goto')
    """
    goal = next((goal.name for goal in view.goals if goal.pursued), "nothing")
    action = next((step.name.partition("(")[0] for step in view.plan if step.state == "now"), "nothing")
    return goal, action


def intent_words(view: MindView) -> dict[str, tuple[str, ...]]:
    """Return the words that the goal and the action of a character may be, by the names of pause conditions.

    Steps that are no actions (``walk to the sofa``) mean that the actions are not known.
    """
    known = {f"{view.who}.goal": (*(goal.name for goal in view.goals), "nothing", "dead")}
    if view.actions and all(step.name.partition("(")[0] in view.actions for step in view.plan):
        known[f"{view.who}.action"] = (*view.actions, "nothing")
    return known


def mind_intent(mind: Mind) -> tuple[str, str]:
    """Return the goal that a mind pursues and the action that it performs, or ``nothing``."""
    execution = mind.execution
    if execution is None or execution.index >= len(execution.plan.steps):
        return mind.goal or "nothing", "nothing"
    return execution.goal.name, execution.step.name


# --- goals ------------------------------------------------------------------------------------------------------------


def _goal_lines(mind: Mind) -> tuple[GoalLine, ...]:
    """Return all goals by priority; ties stay in the order of the file, so that lines keep their place."""
    ranked = sorted(mind.arbiter.goals, key=lambda goal: -_priority(mind, goal))
    return tuple(_goal_line(mind, goal) for goal in ranked)


def _priority(mind: Mind, goal: Goal) -> float:
    """Return the present priority of a goal; one that cannot be computed comes last."""
    try:
        return mind.arbiter.priority(goal, mind.state)
    except TelosError:
        return -MAX_FLOAT


def _goal_line(mind: Mind, goal: Goal) -> GoalLine:
    unmet = _first_unmet(goal.relevant, mind.state)
    is_pursued = goal.name == mind.goal
    reason = _reason_for(goal) if is_pursued else _reason_against(mind, goal, unmet)
    if mind.arbiter.is_varying(goal):
        reason += f"; priority {mind.arbiter.describe(goal, mind.state)}"
    return GoalLine(goal.name, _priority(mind, goal), unmet is None, is_pursued, reason)


def _reason_for(goal: Goal) -> str:
    return f"because {goal.relevant}" if goal.relevant.parts else "always wanted"


def _reason_against(mind: Mind, goal: Goal, unmet: str | None) -> str:
    """Say why a goal is not pursued, from the mind's current state only; ``why_not`` plans for a full answer."""
    if unmet is not None:
        return f"matters only if {unmet}"
    if goal.wants is not None and _first_unmet(goal.wants, mind.state) is None:
        return "it holds already"
    thought = mind.deliberation
    if thought is not None and goal.name in thought.passed_over:
        return thought.passed_over[goal.name]
    if thought is not None and thought.ticket is not None:
        return "its plan is being made" if thought.line[thought.place].name == goal.name else "waits its turn"
    if mind.execution is not None and _priority(mind, mind.execution.goal) >= _priority(mind, goal):
        return f"{mind.execution.goal.name} comes first"
    return "not considered yet"


def _first_unmet(condition: Condition, state: State) -> str | None:
    return next((str(part) for part in condition.parts if not _holds(part, state)), None)


def _holds(condition: Condition, state: State) -> bool:
    try:
        return condition.holds(state)
    except Exception:  # a game function that raises counts as false
        return False


# --- plan -------------------------------------------------------------------------------------------------------------


def _step_lines(mind: Mind) -> Iterator[StepLine]:
    """Yield the steps; each step after the current one is evaluated in the predicted state before it."""
    execution = mind.execution
    if execution is None:
        return
    predicted: State | None = mind.state
    for place, step in enumerate(execution.plan.steps):
        effects = tuple(map(str, step.effects))
        if place < execution.index:
            yield StepLine(str(step), "done", (), effects, None)
            continue
        needs = tuple(Need(str(part), _is_met(part, mind.state, predicted)) for part in step.preconditions.parts)
        state = "now" if place == execution.index else "next"
        yield StepLine(str(step), state, needs, effects, _cost(step, predicted))
        predicted = _predict(step, predicted)


def _is_met(part: Condition, now: State, predicted: State | None) -> bool | None:
    """Return whether a precondition holds; None if it does not hold yet and an earlier step makes it true."""
    if predicted is None:
        return True if _holds(part, now) else None
    if not _holds(part, predicted):
        return False
    return True if predicted is now or _holds(part, now) else None


def _predict(step: Action, state: State | None) -> State | None:
    """Return the state after a step; None if it cannot be computed."""
    try:
        return None if state is None else step.result(state)
    except Exception:
        return None


def _cost(step: Action, state: State | None) -> float | None:
    try:
        return None if state is None else float(bind(step.cost, state.layout, NUMBER)(state.array))
    except Exception:
        return None


# --- memory -----------------------------------------------------------------------------------------------------------


def _fact_lines(mind: Mind, now: float) -> Iterator[FactLine]:
    """Yield the facts in the order of memory, so that lines keep their place."""
    memory = mind.memory
    for fact in memory:
        if now < memory.gone_at(fact):
            age = max(0.0, now - fact.time)
            yield FactLine(fact.kind, fact.subject, age, memory.confidence(fact, now), format_attributes(fact))


def format_attributes(fact: Fact) -> str:
    """Return the attributes of a fact as text.

    >>> format_attributes(Fact("enemy", "bert", 0.0, attributes={"x": 4.52, "armed": True, "by": None}))
    'x 4.5, armed'
    """
    return ", ".join(_format_attribute(name, value) for name, value in fact.attributes.items() if value is not None)


def _format_attribute(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} {_format_value(value)}"


def _format_value(value: Value) -> str:
    if isinstance(value, tuple | list | frozenset | set):
        return " ".join(_format_value(each) for each in value) or "none"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
