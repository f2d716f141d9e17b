"""A mind as data for the inspector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from telos.agents.explain import why
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.core.action import Action
from telos.core.binding import bind
from telos.core.conditions import Condition
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import NUMBER, Value

# --- sheet ------------------------------------------------------------------------------------------------------------
# A mind on paper: all that the inspector shows of one character at one moment.


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal of the character: how much it counts now, whether it matters at all, and why it is (not) pursued."""

    name: str
    weight: float  # a priority or an insistence: whatever goals of this mind compete by
    relevant: bool
    pursued: bool
    why: str


@dataclass(frozen=True, slots=True)
class Need:
    """A precondition of a step, in words, and whether it holds now (None: an earlier step will see to it)."""

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
    """A fact in working memory: what about, how old in seconds, how sure (0 to 1), and its attributes in words."""

    kind: str
    subject: str
    age: float
    confidence: float
    text: str


@dataclass(frozen=True, slots=True)
class MindSheet:
    """One character at one moment."""

    who: str
    about: str  # "soldier of defence", "lives here": one line
    time: float
    doing: str  # one line: what it is up to
    goals: tuple[GoalLine, ...] = ()
    plan: tuple[StepLine, ...] = ()
    facts: tuple[FactLine, ...] = ()
    focus: tuple[tuple[str, str], ...] = ()  # what attention rests on: ("target", "Bert")
    orders: tuple[str, ...] = ()
    lines: tuple[tuple[float, str], ...] = ()  # what it said, and when
    actions: tuple[str, ...] = ()  # all it can do: "why not?" may be asked of each, and of each goal
    why: str = ""  # the whole story, in words


# --- of mind ----------------------------------------------------------------------------------------------------------
# A mind put on paper: what it wants, plans, knows and attends to, read without touching any of it.


def sheet_of(
    mind: Mind,
    now: float,
    *,
    about: str = "",
    orders: Sequence[str] = (),
    lines: Sequence[tuple[float, str]] = (),
) -> MindSheet:
    """Return what goes on in a mind at ``now``. Nothing is planned for it, and the mind does not notice."""
    return MindSheet(
        who=mind.name,
        about=about or mind.character.name,
        time=now,
        doing=_doing(mind),
        goals=_goals(mind),
        plan=tuple(_steps(mind)),
        facts=tuple(_facts(mind, now)),
        focus=tuple((slot, str(on)) for slot, on in mind.memory.focus.items() if on is not None),
        orders=tuple(orders),
        lines=tuple(lines),
        actions=tuple(action.name for action in mind.character.actions),
        why=_story(mind),
    )


def _doing(mind: Mind) -> str:
    execution = mind.execution
    if execution is None:
        return "waits for a plan" if mind.is_waiting else "has nothing to do"
    if execution.index >= len(execution.plan.steps):
        return execution.goal.name
    return f"{execution.step}, for {execution.goal.name}"


def _story(mind: Mind) -> str:
    try:
        return why(mind)
    except Exception as error:  # a function of the game that raises is the game's fault, and no reason not to look
        return f"{mind.name} pursues {mind.goal}; why cannot be told: {error}"


# --- goals ------------------------------------------------------------------------------------------------------------


def _goals(mind: Mind) -> tuple[GoalLine, ...]:
    """Return all goals by priority; of equals as they are listed, so that lines do not jump about."""
    ranked = sorted(mind.arbiter.goals, key=lambda goal: -goal.priority)
    return tuple(_goal_line(mind, goal) for goal in ranked)


def _goal_line(mind: Mind, goal: Goal) -> GoalLine:
    unmet = _unmet(goal.relevant, mind.state)
    is_pursued = goal.name == mind.goal
    said = _reason(goal) if is_pursued else _reason_against(mind, goal, unmet)
    return GoalLine(goal.name, goal.priority, unmet is None, is_pursued, said)


def _reason(goal: Goal) -> str:
    return f"because {goal.relevant}" if goal.relevant.parts else "always wanted"


def _reason_against(mind: Mind, goal: Goal, unmet: str | None) -> str:
    """Say why a goal is not pursued, from what was thought already: to find out more, the mind is asked why not."""
    if unmet is not None:
        return f"matters only if {unmet}"
    if goal.wants is not None and _unmet(goal.wants, mind.state) is None:
        return "it holds already"
    thought = mind.deliberation
    if thought is not None and goal.name in thought.passed_over:
        return thought.passed_over[goal.name]
    if thought is not None and thought.ticket is not None:
        return "its plan is being made" if thought.line[thought.place].name == goal.name else "waits its turn"
    if mind.execution is not None and mind.execution.goal.priority >= goal.priority:
        return f"{mind.execution.goal.name} comes first"
    return "not weighed yet"


def _unmet(condition: Condition, state: State) -> str | None:
    return next((str(part) for part in condition.parts if not _holds(part, state)), None)


def _holds(condition: Condition, state: State) -> bool:
    try:
        return condition.holds(state)
    except Exception:  # over what the game's functions raise, nothing can be built
        return False


# --- the plan ---------------------------------------------------------------------------------------------------------


def _steps(mind: Mind) -> Iterator[StepLine]:
    """Yield the steps; each after the present one is seen in the state that those before it should lead to."""
    execution = mind.execution
    if execution is None:
        return
    predicted: State | None = mind.state
    for place, step in enumerate(execution.plan.steps):
        effects = tuple(map(str, step.effects))
        if place < execution.index:
            yield StepLine(str(step), "done", (), effects, None)
            continue
        needs = tuple(Need(str(part), _truth(part, mind.state, predicted)) for part in step.preconditions.parts)
        state = "now" if place == execution.index else "next"
        yield StepLine(str(step), state, needs, effects, _cost(step, predicted))
        predicted = _after(step, predicted)


def _truth(part: Condition, now: State, predicted: State | None) -> bool | None:
    """Whether a need is met; None if it is not yet, and the steps before will see to it."""
    if predicted is None:
        return True if _holds(part, now) else None
    if not _holds(part, predicted):
        return False
    return True if predicted is now or _holds(part, now) else None


def _after(step: Action, state: State | None) -> State | None:
    """Return the state that a step should lead to; None if that cannot be told."""
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


def _facts(mind: Mind, now: float) -> Iterator[FactLine]:
    """Yield what is remembered, in the order of memory, so that lines stay where they are."""
    memory = mind.memory
    for fact in memory:
        if now < memory.gone_at(fact):
            age = max(0.0, now - fact.time)
            yield FactLine(fact.kind, fact.subject, age, memory.confidence(fact, now), attributes_in_words(fact))


def attributes_in_words(fact: Fact) -> str:
    """Say what a fact says.

    >>> attributes_in_words(Fact("enemy", "bert", 0.0, attributes={"x": 4.52, "armed": True, "by": None}))
    'x 4.5, armed'
    """
    return ", ".join(_in_words(name, value) for name, value in fact.attributes.items() if value is not None)


def _in_words(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} {_plain(value)}"


def _plain(value: Value) -> str:
    if isinstance(value, tuple | list | frozenset | set):
        return " ".join(_plain(each) for each in value) or "none"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
