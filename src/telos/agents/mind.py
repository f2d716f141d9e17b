"""Mind: sense, decide, plan, act in one class; plan execution."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.agents.body import RUNNING, Animate, Body, BodyState, Goto, Procedure, Progress, Status, UseSmartObject
from telos.agents.character import Character
from telos.agents.deliberation import Arbiter, Deliberation, Opportunities, planning_for
from telos.agents.memory import Attends, Fact, WorkingMemory
from telos.agents.sensors import Sensor
from telos.agents.trace import Began, Chose, Dropped, Failed, Finished, Forgot, Idle, Noticed, Planned
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.planning.encoding import as_state
from telos.planning.planner import BUDGET, planner_of
from telos.planning.scheduler import Scheduler

# --- perceiving -------------------------------------------------------------------------------------------------------
# The perceiving part of a mind: sensors into memory, attention over it, and what plans are told of it.


Believe = Callable[[WorkingMemory, float], Mapping[str, Value]]


class Perceiving:
    """Keeps a memory, and the state that follows from it. What a change of state means is for others to say."""

    def __init__(
        self,
        name: str,
        domain: Domain,
        *,
        fades: Mapping[str, float],
        believe: Believe,
        attention: Sequence[Attends],
        reflexes: Mapping[str, Sensor] | None,
        trace: Trace,
    ) -> None:
        self.name, self.domain, self.trace = name, domain, trace
        self.memory = WorkingMemory(fades)
        self.state: State = domain.layout.state()
        self._believe, self._attention = believe, tuple(attention)
        self._reflexes = dict(reflexes or {})  # sensors that are read whenever the mind thinks
        self._starts = dict(self.state)
        self._order = tuple(self._starts)
        self._attended = -1  # the version of memory that attention was last turned over

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        """Read a sensor into memory; return whether anything is new. A sensor that breaks is a thing to report."""
        is_news, note = False, self.memory.note if self.trace is silent else self.note
        try:
            for fact in sensor.read(self.name, self.memory, now):
                is_news |= note(fact)
        except Exception as error:
            is_news |= self._note_failure(f"sensor {name}", raised(error), now)
        return is_news

    def note(self, fact: Fact) -> bool:
        """Take a fact in, from a sensor or as a stimulus; return whether it is news."""
        if self.trace is silent:
            return self.memory.note(fact)
        before = self.memory.recall(fact.kind, fact.subject, fact.time)
        is_new = self.memory.note(fact)
        if is_new and (before is None or _differ(before, fact)):
            attributes = FrozenMap(fact.attributes)
            self.trace(Noticed(fact.time, self.name, fact.kind, fact.subject, fact.confidence, attributes))
        return is_new

    def _note_failure(self, what: str, reason: str, now: float) -> bool:
        """Remember what went wrong, and tell of it once for as long as it is remembered; return whether it is news."""
        known = self.memory.recall("failure", what, now)
        if known is None or known["reason"] != reason:
            self.trace(Failed(now, self.name, what, reason))
        return self.note(Fact("failure", what, now, attributes=FrozenMap({"reason": reason})))

    def _feel(self, now: float) -> None:
        for name, sensor in self._reflexes.items():
            self.sense(name, sensor, now)

    def _perceive(self, now: float) -> None:
        for fact in self.memory.fade(now):
            self.trace(Forgot(now, self.name, fact.kind, fact.subject))
        if self.memory.version == self._attended:
            return
        for attention in self._attention:
            attention.choose(self.memory, now)
        self._attended = self.memory.version
        self._believe_memory(now)

    def _believe_memory(self, now: float) -> None:
        """Put what memory holds into the variables that goals and plans speak of."""
        values = {**self._starts, **self._believe(self.memory, now)}  # in the layout's order, which is read fastest
        believed = as_state(values, self.domain.layout, self._order)
        if believed.array != self.state.array:
            self._take_in(believed)
            self.state = believed

    def _take_in(self, believed: State) -> None:
        """Hear that the state is about to become ``believed``."""


def raised(error: Exception) -> str:
    """Say what an error was."""
    return f"raised {type(error).__name__}: {error}"


def _differ(before: Fact, after: Fact) -> bool:
    """Whether more than a number has changed: not every step of an enemy is worth a word."""
    return any(before.get(name) != value for name, value in after.attributes.items() if not isinstance(value, float))


# --- execution --------------------------------------------------------------------------------------------------------
# A plan under way: which step it is at, and whether the rest can still come true.


@dataclass(slots=True)
class Execution:
    """A plan, the goal that it serves, and how far it has got. ``begun`` once the body is at the present step."""

    plan: Plan
    goal: Goal
    index: int = 0
    begun: bool = False
    before: State | None = None  # how things stood when the present step began
    entered: BodyState | None = None  # what the body does for it
    since: float = math.inf  # when the present step began
    start: State | None = None  # what the plan was made for
    checked: State | None = None  # the last state from which the rest was found to work

    @property
    def step(self) -> Action:
        """Return the present step."""
        return self.plan.steps[self.index]

    def go_on(self) -> bool:
        """Turn to the next step; return whether there is one."""
        self.index, self.begun, self.since, self.checked = self.index + 1, False, math.inf, None
        return self.index < len(self.plan.steps)

    @property
    def left(self) -> tuple[str, ...]:
        """Return the steps that are not done yet, in words."""
        return tuple(str(step) for step in self.plan.steps[self.index :])

    def begin(self, state: State, entered: BodyState, now: float) -> None:
        """Note that the body has turned to the present step."""
        self.begun, self.before, self.entered, self.since = True, state, entered, now

    def has_kept(self, state: State) -> bool:
        """Whether what the present step promised has come true; what else has happened is not its fault."""
        expected = self.step.result(self.before or state)
        return all(state[effect.variable] == expected[effect.variable] for effect in self.step.effects)

    def flaw(self, state: State) -> str | None:
        """Say why the rest of the plan will not reach the goal from ``state``, or None if it will.

        What each step promises is only a prediction, so this is asked whenever the world turns out otherwise.
        """
        start = state
        if state is self.checked:
            return None
        for step in self.plan.steps[self.index :]:
            if not step.preconditions.holds(state):
                return f"{step} needs {step.preconditions.unmet(state)[0]}"
            state = step.result(state)
        wants = self.goal.wants
        if wants is not None and not wants.holds(state):
            return f"it would not bring about {wants.unmet(state)[0]}"
        self.checked = start
        return None


# --- acting -----------------------------------------------------------------------------------------------------------
# The acting part of a mind: a plan carried out step by step through the body, watched, and dropped when it fails.


class Acting(Perceiving):
    """Carries out plans. What a step promises is a prediction, and what went wrong is knowledge."""

    def __init__(self, *, body: Body, procedures: Mapping[str, Procedure], patience: float, **perceiving: Any) -> None:
        super().__init__(**perceiving)
        self.body, self.patience = body, patience
        self.execution: Execution | None = None
        self._procedures = dict(procedures)
        self._restless = True  # whether goals are to be weighed again

    def _carry_on(self, execution: Execution, now: float) -> None:
        if (flaw := self._flaw(execution, now)) is not None:
            self._drop(flaw, now)
        elif not execution.begun:
            self._begin_step(execution, now)
        else:
            self._check_step(execution, now)

    def _flaw(self, execution: Execution, now: float) -> str | None:
        """Say why the rest of the plan will not work; a condition over which the game's functions raise will not."""
        try:
            return execution.flaw(self.state)
        except Exception as error:
            what = execution.left[0] if execution.left else planning_for(execution.goal)
            self._note_failure(what, raised(error), now)
            return f"{what} {raised(error)}"

    def _check_step(self, execution: Execution, now: float) -> None:
        step, entered = execution.step, execution.entered
        try:
            is_valid = entered is None or self._procedures[step.name].is_valid(self, step, entered)
        except Exception as error:
            self._fail(execution, raised(error), now)
            return
        if not is_valid:
            self._drop(f"{step} is meant for something else now", now)

    def _progress(self, now: float) -> Progress:
        """Return how the present step is going; under way if there is none."""
        if self.execution is None or not self.execution.begun:
            return RUNNING
        step = self.execution.step
        procedure = self._procedures[step.name]
        try:
            progress = procedure.progress(self, step, self.body.progress, now)
        except Exception as error:
            return Progress(Status.FAILED, raised(error))
        if progress.status is Status.RUNNING and now >= self.execution.since + self.patience:
            return Progress(Status.FAILED, f"it is not done after {self.patience:g} s")
        return progress

    def _end_step(self, progress: Progress, now: float) -> None:
        if self.execution is None:
            return
        if progress.status is Status.FAILED:
            self._fail(self.execution, progress.reason, now)
        else:
            self._finish_step(self.execution, now)
        self._attended = -1  # attention is free again

    def _begin_step(self, execution: Execution, now: float) -> None:
        step = execution.step
        try:
            state = self._procedures[step.name].activate(self, step)
            self.body.enter(state)
        except Exception as error:
            self._fail(execution, raised(error), now)
            return
        execution.begin(self.state, state, now)
        self.trace(Began(now, self.name, str(step), *_in_words(state)))

    def _finish_step(self, execution: Execution, now: float) -> None:
        """Go on to the next step, if what this one promised has come true."""
        step = execution.step
        self._note_deed(step, now)
        has_kept = execution.has_kept(self.state)
        is_left = execution.go_on()
        if (flaw := self._flaw(execution, now)) is not None:
            if not has_kept and execution.goal.relevant.holds(self.state):
                self._note_failure(str(step), f"it did not do what it promised: {flaw}", now)
            self._drop(f"{step} is done, but {flaw}", now)
            return
        self.trace(Finished(now, self.name, str(step)))
        if is_left:
            self._begin_step(execution, now)
        else:
            self.execution, self._restless = None, True

    def _note_deed(self, step: Action, now: float) -> None:
        """Remember what was done, and what attention was on: one knows best what one has done oneself."""
        before = self.memory.recall("deed", step.name, now)
        count = 1 if before is None else before["count"] + 1
        about = {"step": str(step), "count": count, **self.memory.focus}
        self.note(Fact("deed", step.name, now, attributes=FrozenMap(about)))
        self._feel(now)
        self._believe_memory(now)

    def _fail(self, execution: Execution, reason: str, now: float) -> None:
        """Give up the plan. A step that has become impossible explains itself; any other failure is news to keep."""
        step = execution.step
        if not self._is_possible(step):
            self._drop(f"{step}: {reason}", now)
            return
        self._note_failure(str(step), reason, now)
        self._drop(f"{step} failed: {reason}", now)

    def _is_possible(self, step: Action) -> bool:
        try:
            return step.preconditions.holds(self.state)
        except Exception:  # nobody can tell, so it does not explain the failure
            return True

    def _drop(self, why: str, now: float) -> None:
        execution = self.execution
        if execution is None:
            return
        self.trace(Dropped(now, self.name, execution.goal.name, execution.left, why))
        self.execution, self._restless = None, True


def _in_words(state: BodyState) -> tuple[str, str]:
    if isinstance(state, Goto):
        return "goto", str(state.place)
    if isinstance(state, Animate):
        return "animate", state.animation if state.at is None else f"{state.animation} {state.at}"
    return "use", f"{state.object} {state.use}"


# --- mind -------------------------------------------------------------------------------------------------------------
# One mind: a short loop over parts that meet only in memory.


RETRY = 2.0  # seconds until a goal without a plan is tried again though nothing has been noticed that would help it
IDLE = Animate("idle")


class Mind(Acting):
    """Sensors write facts; attention picks from them; goals compete; the planner answers; the body carries it out.

    ``believe`` turns memory into the values of the domain's variables, in any order; those that it leaves out have
    their start values. ``procedures`` say what the body does for each action. A step that the body is not done with
    after ``patience`` seconds has failed. Nothing here knows of any world.
    """

    def __init__(
        self,
        name: str,
        character: Character,
        domain: Domain,
        *,
        body: Body,
        believe: Believe,
        procedures: Mapping[str, Procedure],
        attention: Sequence[Attends] = (),
        reflexes: Mapping[str, Sensor] | None = None,
        scheduler: Scheduler | None = None,
        number: int = 0,
        patience: float = math.inf,
        trace: Trace = silent,
    ) -> None:
        super().__init__(
            name=name,
            domain=domain,
            fades=character.memory,
            believe=believe,
            attention=attention,
            reflexes=reflexes,
            trace=trace,
            body=body,
            procedures=procedures,
            patience=patience,
        )
        self.number, self.character = number, character
        self.planner = planner_of(domain, character.actions)
        self.arbiter = Arbiter(character.goals, domain.layout)
        self._chances = Opportunities(character.goals, character.actions)
        self.deliberation: Deliberation | None = None  # under way, or the last one
        self.retry_at = math.inf
        self._is_alone = scheduler is None
        self.scheduler = Scheduler(self.planner, clock=None) if scheduler is None else scheduler
        self._has_chance = False  # whether something has become possible that serves the goal
        self._is_idle = False
        unknown = [action.name for action in character.actions if action.name not in procedures]
        if unknown:
            raise TelosError(
                f"{name}: no procedure says how the body does {', '.join(unknown)}", "add a performance for it"
            )

    @property
    def goal(self) -> str | None:
        """Return the goal that is being pursued."""
        return self.execution.goal.name if self.execution is not None else None

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the steps of the plan that is being carried out."""
        return tuple(map(str, self.execution.plan.steps)) if self.execution is not None else ()

    @property
    def index(self) -> int:
        """Return which of the steps is under way."""
        return self.execution.index if self.execution is not None else 0

    @property
    def is_waiting(self) -> bool:
        """Whether a plan has been asked for and is not there yet."""
        return self.deliberation is not None and self.deliberation.ticket is not None

    @property
    def wake_at(self) -> float:
        """Return when to think again though nobody calls: a fact fades, a goal may be tried, a step takes too long."""
        give_up_at = math.inf if self.execution is None else self.execution.since + self.patience
        return min(self.memory.next_fade, self.retry_at, give_up_at)

    @property
    def is_restless(self) -> bool:
        """Whether the mind has something to think about as soon as it may."""
        return self._restless

    @property
    def marks(self) -> dict[str, Any]:
        """The loop's own notes on how far it has got, as plain data."""
        marks = {"attended": self._attended, "restless": self._restless}
        return {**marks, "has_chance": self._has_chance, "idle": self._is_idle}

    @marks.setter
    def marks(self, saved: Mapping[str, Any]) -> None:
        self._attended, self._restless = saved["attended"], saved["restless"]
        self._has_chance, self._is_idle = saved["has_chance"], saved["idle"]

    # --- the loop -----------------------------------------------------------------------------------------------------

    def think(self, now: float) -> None:
        """Take in what is new; then carry on, plan, or wait for a plan."""
        self._feel(now)
        progress = self._progress(now)
        if progress.status is not Status.RUNNING:
            # What a step promised is judged with attention where it was: who has shot one enemy looks for the next
            # only after having seen that one fall.
            self._believe_memory(now)
            self._end_step(progress, now)
        self._perceive(now)
        if self.execution is not None:
            self._carry_on(self.execution, now)
            self._perceive(now)  # what has just failed counts at once
        if self._restless or self._has_chance or now >= self.retry_at:
            self._reconsider(now)
        elif self.is_waiting:
            self._deliberate(now)
        while self._is_alone and self.is_waiting:
            self.scheduler.run(expansions=BUDGET)
            self._deliberate(now)

    def _take_in(self, believed: State) -> None:
        """Tell from a change of state whether there is something to think about."""
        if self._is_idle or self.arbiter.is_flagged(self.state.array, believed.array):
            self._restless = True
        if self.execution is not None and self._may_turn(self.execution):
            self._has_chance |= self._chances.arise(self.execution.goal, self.state, believed)

    def _may_turn(self, execution: Execution) -> bool:
        """Whether a mere opportunity is enough to break off: nobody stops half-way through a window for one."""
        return not isinstance(execution.entered, UseSmartObject)

    def hear(self, now: float) -> None:
        """Go on weighing goals, if the plan that was asked for is there."""
        if self.deliberation is not None and self.deliberation.ticket is not None and self.deliberation.ticket.done:
            self._deliberate(now)

    def let_go(self) -> None:
        """Drop everything: the mind is leaving."""
        if self.deliberation is not None and self.deliberation.ticket is not None:
            self.scheduler.withdraw(self.deliberation.ticket)
            self.deliberation.ticket = None
        self.execution = None

    # --- wanting and planning -----------------------------------------------------------------------------------------

    def _reconsider(self, now: float) -> None:
        """Weigh the goals again, from the top."""
        if self.deliberation is not None and self.deliberation.ticket is not None:
            self.scheduler.withdraw(self.deliberation.ticket)
        instead_of = str(self.execution.step) if self._has_chance and self.execution is not None else None
        self._restless, self._has_chance, self.retry_at = False, False, math.inf
        line = self.arbiter.in_line(self.state, self.goal)
        self.deliberation = Deliberation(self.state, line, self.goal, instead_of)
        self._deliberate(now)

    def _deliberate(self, now: float) -> None:
        """Go down the line until a goal has a plan; stop where an answer has to be waited for."""
        thought = self.deliberation
        if thought is None:
            return
        plan = thought.go_on(self.scheduler, self.planner, self.memory, now)
        while thought.faults:
            self._note_failure(*thought.faults.pop(), now)
        if thought.ticket is not None:
            return
        if thought.is_wanting:
            self.retry_at = now + RETRY
        if plan is not None:
            self._adopt(plan, thought, now)
        elif thought.kept is None:
            if self.execution is not None:
                self._drop(f"{self.execution.goal.name} does not matter any more", now)
                self._restless = False
            self._stand_by(thought, now)

    def _adopt(self, plan: Plan, thought: Deliberation, now: float) -> None:
        if self.execution is not None:
            same = plan.goal == self.execution.goal.name
            why = f"{plan.steps[0]} is better now" if same else f"{plan.goal} matters more now"
            self.trace(Dropped(now, self.name, self.execution.goal.name, self.execution.left, why))
        goal = next(goal for goal in thought.line if goal.name == plan.goal)
        self.trace(
            Chose(now, self.name, plan.goal, thought.current, thought.reason(goal), FrozenMap(thought.passed_over))
        )
        self.trace(Planned(now, self.name, plan.goal, tuple(map(str, plan.steps)), plan.cost, plan.expanded))
        self.execution, self._is_idle = Execution(plan, goal, start=thought.state), False
        if (flaw := self._flaw(self.execution, now)) is not None:  # the world went on while the plan was made
            self._drop(flaw, now)
        else:
            self._begin_step(self.execution, now)

    def _stand_by(self, thought: Deliberation, now: float) -> None:
        if not self._is_idle:
            self.trace(Idle(now, self.name, FrozenMap(thought.passed_over)))
            self.body.enter(IDLE)
        self._is_idle = True
