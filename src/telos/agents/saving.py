"""Saving a running mind as plain data, and going on from it exactly, or leniently after the content has changed.

A saved mind is data from outside: `read_mind` checks it whole and returns a `ReadMind`, whose ``put`` changes the mind.
"""

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import Field

from telos.agents.body import Animate, BodyState, Goto, Perform, UseSmartObject
from telos.agents.deliberation import Deliberation
from telos.agents.memory import MemorySnapshot, read_memory
from telos.agents.mind import Execution, Mind
from telos.agents.needs import NeedsSnapshot
from telos.agents.snapshots import ContentSnapshot, FactCheck, StateReader, accept_fact
from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import functions_in
from telos.core.goal import Goal
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.files import (
    Count,
    Finite,
    Items,
    Row,
    SavedValue,
    SnapshotModel,
    SnapshotPart,
    read_snapshot,
    unchanged_on_error,
)
from telos.files.restoring import LENIENT, Omission, SnapshotCheck
from telos.planning.explain import explain_plan
from telos.planning.game_functions import CallbackCache
from telos.planning.planner import WEIGHTS, Planner

MIND_FORMAT = 2  # since then, states are saved with the names of their variables

StepRow: TypeAlias = Row[tuple[str, dict[str, SavedValue]]]
CallRow: TypeAlias = Row[tuple[str, Items[SavedValue], Finite]]  # function, arguments, value
AnswerRow: TypeAlias = Row[tuple[str, Count, Items[StepRow], Finite]]  # stop (or ""), expanded, steps, cost
# goal, how, budget, values of the state, answer, game functions that were called
PlanRow: TypeAlias = Row[tuple[str, str, Annotated[int, Field(ge=1)], Items[SavedValue], AnswerRow, Items[CallRow]]]


class ExecutionSnapshot(SnapshotPart):
    goal: str
    steps: Items[StepRow]
    cost: Finite
    expanded: Count
    index: Count
    begun: bool
    since: Finite | None
    entered: Items[SavedValue] | None
    before: Items[SavedValue] | None
    start: Items[SavedValue] | None


class DeliberationSnapshot(SnapshotPart):
    state: Items[SavedValue]
    line: Items[str]
    current: str | None
    instead_of: str | None
    place: Count
    passed_over: dict[str, str]
    priorities: dict[str, str] = Field(default_factory=dict)
    kept: str | None
    is_wanting: bool
    expanded: Count | None
    said: Items[CallRow]
    avoided: Items[StepRow] = Field(default_factory=list)


class MindSnapshot(SnapshotModel):
    """What a mind saves; ``content`` is missing in format 1, and in a crowd the place in the crowd's list."""

    FORMAT: ClassVar[int] = MIND_FORMAT

    name: str
    number: int | None = None
    content: ContentSnapshot | Count | None = None
    memory: MemorySnapshot
    state: Items[SavedValue]
    execution: ExecutionSnapshot | None
    deliberation: DeliberationSnapshot | None
    retry_at: Finite | None
    attended: Annotated[int, Field(ge=-1)]
    restless: bool
    has_chance: bool
    idle: bool
    needs: NeedsSnapshot | None = None  # of characters whose priorities vary
    favoured: str | None = None
    overtaken_at: Finite | None = None


# --- saving -----------------------------------------------------------------------------------------------------------


class Contents:
    """The distinct contents of many minds, so that each is saved once."""

    def __init__(self) -> None:
        self.saved: list[dict[str, Any]] = []
        self._places: dict[tuple[int, int], int] = {}

    def place(self, mind: Mind) -> int:
        """Return the place of a mind's content in ``saved``."""
        key = (id(mind.domain), id(mind.character))
        if key not in self._places:
            content = save_content(mind)
            if content not in self.saved:
                self.saved.append(content)
            self._places[key] = self.saved.index(content)
        return self._places[key]


def save_content(mind: Mind) -> dict[str, Any]:
    """Return the names of a mind's variables, and a digest of what its plans depend on."""
    told = [f"{variable.name}: {variable.type}" for variable in mind.domain.layout.variables]
    for action in mind.planner.actions:
        parts = (action.preconditions, action.effects, action.cost, dict(action.parameters))
        told.append(f"{action.name} {' '.join(map(str, parts))}")
    for goal in mind.character.goals:
        told.append(f"{goal.name} {goal.wants} {goal.relevant} {goal.priority}")
        if goal.is_need:
            told.append(f"{goal.name} {goal.insistence} {goal.drift} {goal.curve} {goal.weight}")
    return {"variables": list(mind.domain.layout.slots), "digest": f"{zlib.crc32(chr(10).join(told).encode()):08x}"}


def save_mind(mind: Mind, contents: Contents | None = None) -> dict[str, Any]:
    """Return the mutable state of a mind: memory, goal, plan, step, and a deliberation in progress.

    Its parts (character, domain, sensors, procedures) are not saved: the game builds them again. Minds that are saved
    together pass ``contents``, whose ``saved`` is stored once beside them.
    """
    return {
        "format": MIND_FORMAT,
        "name": mind.name,
        "number": mind.number,
        "content": save_content(mind) if contents is None else contents.place(mind),
        "memory": mind.memory.save(),
        "state": list(mind.state.array),
        "execution": _save_execution(mind.execution),
        "deliberation": _save_deliberation(mind.deliberation),
        "retry_at": None if mind.retry_at == math.inf else mind.retry_at,
        **mind.marks,
        **({"needs": mind.needs.save()} if mind.arbiter.varies else {}),
    }


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
        "entered": None
        if execution.entered is None
        else [type(execution.entered).__name__, *astuple(execution.entered)],
        "before": None if execution.before is None else list(execution.before.array),
        "start": None if execution.start is None else list(execution.start.array),
    }


def _save_steps(steps: Iterable[Action]) -> list[Any]:
    return [[step.name, dict(step.arguments)] for step in steps]


def _save_deliberation(deliberation: Deliberation | None) -> dict[str, Any] | None:
    if deliberation is None:
        return None
    ticket = deliberation.ticket
    return {
        "state": list(deliberation.state.array),
        "line": [goal.name for goal in deliberation.line],
        "current": deliberation.current,
        "instead_of": deliberation.instead_of,
        "place": deliberation.place,
        "passed_over": dict(deliberation.passed_over),
        "priorities": dict(deliberation.priorities),
        "kept": deliberation.kept,
        "is_wanting": deliberation.is_wanting,
        "expanded": None if ticket is None else ticket.expanded,
        "said": [] if ticket is None else [[*each, value] for each, value in ticket.called.items()],
        "avoided": _save_steps(deliberation.avoided),
    }


# --- restoring --------------------------------------------------------------------------------------------------------


def restore_mind(mind: Mind, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
    """Restore a newly built mind; a plan that it waited for is requested again.

    Faulty data raises a ``TelosError``, and the mind is as it was. With ``lenient``, a mind that was saved before the
    content changed (an action, a goal or a variable is gone or new) keeps what still applies; what is left out is
    returned. Without it, nothing is left out.
    """
    check = SnapshotCheck("mind", lenient=lenient)
    read = read_snapshot(MindSnapshot, saved, of="mind")
    with check.sound():
        restore_minds([read_mind(check, read, mind)])
    return tuple(check.omissions)


def restore_minds(minds: Sequence["ReadMind"]) -> None:
    """Put read minds into place, request the plans that they wait for, and check their beliefs; all or nothing."""
    with unchanged_on_error(*(part for each in minds for part in parts_of_mind(each.mind))):
        for each in minds:
            each.put()
        for each in minds:
            each.finish()


def parts_of_mind(mind: Mind) -> list[object]:
    """Return the objects that restoring a mind changes."""
    parts = [mind, mind.memory, mind.needs, mind.scheduler._waiting]
    return parts if mind.deliberation is None else [*parts, mind.deliberation]


@dataclass(slots=True)
class ReadMind:
    """A saved mind that was checked, and has not changed the mind yet."""

    mind: Mind
    check: SnapshotCheck
    saved: MindSnapshot
    put_memory: Callable[[], None]
    put_needs: Callable[[], None]
    state: State
    execution: Execution | None = None
    deliberation: Deliberation | None = None
    content: ContentSnapshot | None = None  # when it was saved; None in format 1
    is_changed: bool = False  # the content has changed since
    called: CallbackCache = field(default_factory=dict)

    def put(self) -> None:
        """Replace the state of the mind."""
        mind, saved = self.mind, self.saved
        mind.stop()
        self.put_memory()
        self.put_needs()
        mind.state, mind.execution, mind.deliberation = self.state, self.execution, self.deliberation
        mind.retry_at = math.inf if saved.retry_at is None else saved.retry_at
        mind.marks = {
            "attended": -1 if self.is_changed else saved.attended,
            "restless": saved.restless or self.is_changed,
            "has_chance": saved.has_chance,
            "idle": saved.idle,
            "favoured": saved.favoured,
            "overtaken_at": None if self.is_changed else saved.overtaken_at,
        }

    def finish(self) -> None:
        """Request the plan that the mind waits for again, and check that its memory gives beliefs."""
        self._check_beliefs()
        self._resume_search()
        if self.is_changed and self.check.lenient and self.execution is not None:
            with self.check.sound():
                flaw = self.execution.flaw(self.state)
            if flaw is not None:
                self.check.drop(self.mind.name, f"the plan for {self.execution.goal.name!r}", flaw)
                self.mind.execution = None

    def _resume_search(self) -> None:
        deliberation, saved = self.deliberation, self.saved.deliberation
        if deliberation is None or saved is None or saved.expanded is None:
            return
        mind, goal = self.mind, deliberation.line[deliberation.place].name
        with self.check.at("deliberation").sound():
            planner = deliberation.planner_for_goal(mind.planner)
            ticket = mind.scheduler.resume(deliberation.state, goal, planner, saved.expanded, self.called)
            if ticket.answer is not None and ticket.expanded < saved.expanded:
                message = f"is {saved.expanded}, but that search is over after fewer nodes"
                raise self.check.fault(("deliberation", "expanded"), message, LENIENT)
        deliberation.ticket = ticket

    def _check_beliefs(self) -> None:
        """Require facts that attention and beliefs can read; in a lenient restore, forget the others."""
        why = self._fault_in_beliefs()
        if why is None:
            return
        if not self.check.lenient:
            raise self.check.fault(("memory",), f"cannot be read by the game: {why}")
        memory = self.mind.memory
        for kind in [[each] for each in self.saved.memory.kinds] + [self.saved.memory.kinds]:
            kept = memory._facts
            memory._facts = {each: {} if each in kind else facts for each, facts in kept.items()}
            if self._fault_in_beliefs() is None:
                self.check.drop(self.mind.name, f"facts of the kind {', '.join(kind)}", why)
                return
            memory._facts = kept
        raise self.check.fault(("memory",), f"cannot be read by the game: {why}")

    def _fault_in_beliefs(self) -> str | None:
        try:
            self.mind.rehearse()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None


def read_mind(
    check: SnapshotCheck,
    saved: MindSnapshot,
    mind: Mind,
    contents: Sequence[ContentSnapshot] = (),
    check_fact: FactCheck = accept_fact,
) -> ReadMind:
    """Check a saved mind, and return what ``restore_minds`` puts into ``mind``; nothing changes here.

    ``contents`` are those of minds that were saved together; ``check_fact`` checks the facts of a world.
    """
    if saved.name != mind.name:
        raise TelosError(f"the saved mind is {saved.name!r}, not {mind.name!r}", "restore it into one of that name")
    content = saved.content
    if isinstance(content, int):
        check.require(content < len(contents), ("content",), f"is {content}, and there are {len(contents)} contents")
        content = contents[content]
    is_changed = content is not None and content.digest != save_content(mind)["digest"]
    put_memory = read_memory(check.at("memory"), saved.memory, mind.memory, mind.name, check_fact)
    put_needs = mind.needs.read(check.at("needs"), saved.needs, mind.name)
    names = None if content is None else content.variables
    states = StateReader(check, mind.name, mind.domain.layout, names)
    read = ReadMind(mind, check, saved, put_memory, put_needs, mind.state, content=content, is_changed=is_changed)
    with check.part(mind.name, "the state"):
        read.state = states.read(("state",), saved.state, mind.state)
    if saved.execution is not None:
        with check.part(mind.name, f"the plan for {saved.execution.goal!r}"):
            read.execution = _read_execution(check.at("execution"), saved.execution, mind, states)
    if saved.deliberation is not None:
        with check.part(mind.name, "the comparison of goals"):
            if check.lenient and is_changed and saved.deliberation.expanded is not None:
                raise TelosError("the plan that it waits for has to be searched again")
            read.deliberation = _read_deliberation(check.at("deliberation"), saved.deliberation, mind, states)
            read.called = _read_calls(saved.deliberation.said)
    if check.lenient and (
        (saved.execution is None) != (read.execution is None)
        or (saved.deliberation is None) != (read.deliberation is None)
    ):
        read.is_changed = True
    return read


def _find_goal(check: SnapshotCheck, path: Sequence[str | int], name: str, mind: Mind) -> Goal:
    goals = {goal.name: goal for goal in mind.arbiter.goals}
    if name not in goals:
        raise check.fault(path, f"is {name!r}, which is not a goal any more", name_hint(name, goals) or LENIENT)
    return goals[name]


def _read_execution(check: SnapshotCheck, saved: ExecutionSnapshot, mind: Mind, states: StateReader) -> Execution:
    goal = _find_goal(check, ("goal",), saved.goal, mind)
    steps = _read_steps(check, ("steps",), saved.steps, mind.planner)
    check.require(saved.index < len(steps), ("index",), f"is {saved.index}, and the plan has {len(steps)} steps")
    has_begun = saved.since is not None and saved.entered is not None and saved.before is not None
    check.require(has_begun or not saved.begun, ("begun",), "is true, but 'since', 'entered' or 'before' is missing")
    check.require(saved.begun or saved.since is None, ("since",), "is a time, but the step has not begun")
    before = None if saved.before is None else states.read(("before",), saved.before, mind.state)
    start = None if saved.start is None else states.read(("start",), saved.start, mind.state)
    explain = None if start is None else partial(explain_plan, start, goal)
    return Execution(
        Plan(steps, saved.cost, saved.goal, saved.expanded, explain),
        goal,
        saved.index,
        saved.begun,
        before,
        None if saved.entered is None else _read_body_state(check, saved.entered),
        math.inf if saved.since is None else saved.since,
        start,
    )


def _read_body_state(check: SnapshotCheck, saved: Sequence[Any]) -> BodyState:
    match saved:
        case ["Goto", place, str(pace)]:
            return Goto(place, pace)
        case ["Animate", str(animation), at]:
            return Animate(animation, at)
        case ["UseSmartObject", thing, str(use)]:
            return UseSmartObject(thing, use)
        case ["Perform", str(action), tuple() as arguments, thing]:
            return Perform(action, arguments, thing)
    raise check.fault(("entered",), "is not a state of a body")


def _read_steps(
    check: SnapshotCheck, path: Sequence[str | int], saved: Iterable[tuple[str, Mapping[str, Any]]], planner: Planner
) -> tuple[Action, ...]:
    known = {action.name: action for action in planner.actions}
    steps = []
    for place, (name, arguments) in enumerate(saved):
        if name not in known:
            message = f"uses {name!r}, which is not an action any more"
            raise check.fault((*path, place), message, name_hint(name, known) or LENIENT)
        try:
            steps.append(known[name].bind(arguments))
        except TelosError as error:
            raise check.fault((*path, place), f"cannot be bound: {error.message}", LENIENT) from None
    return tuple(steps)


def _read_deliberation(
    check: SnapshotCheck, saved: DeliberationSnapshot, mind: Mind, states: StateReader
) -> Deliberation:
    line = [_find_goal(check, ("line", place), name, mind) for place, name in enumerate(saved.line)]
    check.require(len(set(saved.line)) == len(line), ("line",), "lists a goal twice")
    last = len(line) - (saved.expanded is not None)
    check.require(saved.place <= last, ("place",), f"is {saved.place}, and there are {len(line)} goals")
    for key in ("current", "kept"):
        if (name := getattr(saved, key)) is not None:
            _find_goal(check, (key,), name, mind)
    for name in saved.passed_over:
        _find_goal(check, ("passed_over", name), name, mind)
    state = states.read(("state",), saved.state, mind.state)
    deliberation = Deliberation(
        state, line, saved.current, saved.instead_of, saved.priorities, avoid_failures=mind.avoid_failures
    )
    deliberation.avoided = _read_steps(check, ("avoided",), saved.avoided, mind.planner)
    deliberation.place, deliberation.kept, deliberation.is_wanting = saved.place, saved.kept, saved.is_wanting
    deliberation.passed_over = dict(saved.passed_over)
    stops = {stop.value for stop in Stop}  # saved as the reason of a goal without a plan
    deliberation.without_plan = {goal for goal, reason in saved.passed_over.items() if reason in stops}
    return deliberation


def _read_calls(saved: Iterable[tuple[str, Sequence[Any], float]]) -> CallbackCache:
    return {(function, tuple(arguments)): value for function, arguments, value in saved}


# --- remembered plans -------------------------------------------------------------------------------------------------


def save_plans(planner: Planner) -> list[Any]:
    """Return a planner's cached plans as plain data."""
    return [
        [goal, how, budget, list(array), _save_answer(known.answer), [[*each] for each in known.called]]
        for (goal, how, budget, array), known in planner.cached_answers()
        if isinstance(goal, str)
    ]


def _save_answer(answer: Answer) -> list[Any]:
    if isinstance(answer, Plan):
        return ["", answer.expanded, _save_steps(answer.steps), answer.cost]
    return [answer.stop.name, answer.expanded, _save_steps(answer.partial), 0.0]


class _PlansSnapshot(SnapshotPart):
    plans: Items[PlanRow]


def restore_plans(planner: Planner, saved: Iterable[Any]) -> None:
    """Replace a planner's cached plans by the saved ones; faulty ones raise a ``TelosError`` and change nothing."""
    check = SnapshotCheck("plans")
    rows = read_snapshot(_PlansSnapshot, {"plans": saved}, of="plans").plans
    states = StateReader(check, "", planner.domain.layout, None)
    read_plans(check.at("plans"), rows, planner, states)()


def read_plans(
    check: SnapshotCheck, saved: Iterable[PlanRow], planner: Planner, states: StateReader
) -> Callable[[], None]:
    """Check the cached plans of a planner, and return what puts them there."""
    start = planner.domain.layout.state()
    goals = {goal.name: goal for goal in planner.domain.goals if goal.wants is not None}
    known = []
    for place, (name, how, budget, values, answer, said) in enumerate(saved):
        check.known((place, 0), name, goals, "goal")
        check.known((place, 1), how, WEIGHTS, "way to search")
        state = states.read((place, 3), values, start)
        answered = _read_answer(check.at(place, 4), state, goals[name], planner, answer)
        known.append((state, name, how, budget, answered, _read_calls(said)))

    def put() -> None:
        planner.forget()
        for each in known:
            planner.remember(*each)

    return put


def _read_answer(
    check: SnapshotCheck, state: State, goal: Goal, planner: Planner, saved: tuple[str, int, Any, float]
) -> Answer:
    stop, expanded, rows, cost = saved
    steps = _read_steps(check, (2,), rows, planner)
    if not stop:
        check.require(_is_sound(steps, goal, state), (2,), f"is no plan for {goal.name!r} in that state")
        return Plan(steps, cost, goal.name, expanded, partial(explain_plan, state, goal))
    check.known((0,), stop, Stop.__members__, "reason to stop")

    def diagnose(answer: NoPlan) -> Diagnosis:
        again = Planner(planner.domain, planner.actions).plan(state, goal.name)
        return Diagnosis(again.missing, again.why()) if isinstance(again, NoPlan) else Diagnosis((), again.why())

    return NoPlan(goal.name, Stop[stop], expanded, steps, diagnose)


def _is_sound(steps: Sequence[Action], goal: Goal, state: State) -> bool:
    """Whether steps reach a goal, as far as that can be told without a function of the game."""
    wants = goal.wants
    try:
        for step in steps:
            expressions = [step.preconditions.expression, *(effect.value for effect in step.effects)]
            if any(functions_in(each) for each in expressions):
                return True
            if not step.preconditions.holds(state):
                return False
            state = step.result(state)
        return wants is None or bool(functions_in(wants.expression)) or wants.holds(state)
    except TelosError:
        return False
