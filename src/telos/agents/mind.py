"""``Mind``: the loop of one character that senses, decides, plans and acts, and ``Execution``: its plan in progress.

    sensors ──▶ memory ──▶ attention ──▶ state ──▶ goals ──▶ plan ──▶ step ──▶ body
                memory.py   memory.py   believe    deliberation.py   Execution   body.py

Start with ``Mind.think``. The parts meet only in memory and in the state that is derived from it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.agents.body import (
    RUNNING,
    Actuator,
    Animate,
    BodyState,
    Goto,
    Perform,
    Procedure,
    Progress,
    Status,
    UseSmartObject,
)
from telos.agents.character import Character
from telos.agents.deliberation import Arbiter, Deliberation, Opportunities, involves, planning_subject
from telos.agents.memory import Attends, Fact, WorkingMemory
from telos.agents.needs import Needs
from telos.agents.problems import Problems, format_error, mind_faults
from telos.agents.sensors import Sensor, check_sensor
from telos.agents.things import ThingAttention, thing_attentions
from telos.agents.trace import Began, Chose, Dropped, Finished, Forgot, Idle, Noticed, Planned, StepFailed
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, TelosError
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.template import PRESENT
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.planning.encoding import as_state
from telos.planning.planner import DEFAULT_BUDGET, get_planner
from telos.planning.scheduler import Scheduler

Believe = Callable[[WorkingMemory, float], Mapping[str, Value]]

RETRY = 2.0  # seconds until a goal without a plan is tried again although no relevant fact has changed
IDLE = Animate("idle")


@dataclass(slots=True)
class Execution:
    """A plan in progress: its goal, the current step, and whether the body has started that step."""

    plan: Plan
    goal: Goal
    index: int = 0
    begun: bool = False
    before: State | None = None  # the state in which the current step began
    entered: BodyState | None = None  # the body state entered for the current step
    since: float = math.inf  # when the current step began
    start: State | None = None  # the state that the plan was made for
    checked: State | None = None  # the last state from which the remaining steps were found valid

    @property
    def step(self) -> Action:
        """The current step."""
        return self.plan.steps[self.index]

    @property
    def left(self) -> tuple[str, ...]:
        """The current step and those after it, as text."""
        return tuple(str(step) for step in self.plan.steps[self.index :])

    def begin(self, state: State, entered: BodyState, now: float) -> None:
        """Record that the body has entered a state for the current step."""
        self.begun, self.before, self.entered, self.since = True, state, entered, now

    def advance(self) -> bool:
        """Move on to the next step; return whether there is one."""
        self.index, self.begun, self.since, self.checked = self.index + 1, False, math.inf, None
        return self.index < len(self.plan.steps)

    def has_expected_effects(self, state: State) -> bool:
        """Whether the effects of the current step hold; other changes are ignored."""
        expected = self.step.result(self.before or state)
        return all(state[effect.variable] == expected[effect.variable] for effect in self.step.effects)

    def flaw(self, state: State) -> str | None:
        """Return why the remaining steps do not reach the goal from ``state``, or None if they do.

        Effects are predictions, so this is checked whenever the state differs from the predicted one.
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


class Mind:
    """One character's mind: sensors write facts, attention selects, goals compete, the planner answers, the body acts.

    ``believe`` turns memory into values of the domain's variables; variables that it leaves out have their start
    values. ``procedures`` say what the body does for each action. A step that the body has not finished after
    ``patience`` seconds has failed. Effects of a step are predictions that are verified when it ends; failures become
    facts in memory. A mind does not depend on any world.

    What the game's own code raises (sensors, ``believe``, procedures, functions) fails the sensor or the step, is
    logged once per place with its traceback, kept in ``problems`` and told by ``why``. With ``strict`` it is raised.

    A plan with a step whose failure is remembered is not taken. With ``avoid_failures`` another one is searched,
    without that step; otherwise ``believe`` says what the failure means.
    """

    def __init__(
        self,
        name: str,
        character: Character,
        domain: Domain,
        *,
        body: Actuator,
        believe: Believe,
        procedures: Mapping[str, Procedure],
        attention: Sequence[Attends] = (),
        reflexes: Mapping[str, Sensor] | None = None,
        scheduler: Scheduler | None = None,
        number: int = 0,
        patience: float = math.inf,
        trace: Trace = silent,
        strict: bool = False,
        avoid_failures: bool = False,
    ) -> None:
        procedures = _with_common_procedures(procedures, character, domain)
        _check_parts(name, body, attention, reflexes or {}, believe)
        if faults := list(mind_faults(character, domain, procedures, attention)):
            raise DefinitionError(fault.at(name) for fault in faults)
        self.name, self.number, self.character, self.domain = name, number, character, domain
        self.body, self.patience, self.trace, self.avoid_failures = body, patience, trace, avoid_failures
        self.observer: Trace | None = None  # is told decisions, not facts; set while somebody looks on
        self.problems = Problems(name, strict=strict)
        self.memory = WorkingMemory(character.memory)
        self.state: State = domain.layout.state()
        self.planner = get_planner(domain, character.actions)
        self.scheduler = Scheduler(self.planner, clock=None) if scheduler is None else scheduler
        self.needs = Needs(character.goals, character.actions)
        self.arbiter = Arbiter(character.goals, domain.layout, self.needs, hysteresis=character.hysteresis)
        self.execution: Execution | None = None
        self.deliberation: Deliberation | None = None  # in progress, or the last one
        self.retry_at = math.inf
        self._things = tuple(thing_attentions(domain.templates, attention))
        others = (each for each in attention if not isinstance(each, ThingAttention))
        self._believe, self._attention, self._procedures = believe, (*others, *self._things), dict(procedures)
        self._presence = tuple(domain.layout.slots[f"{name}.{PRESENT}"] for name in domain.template_of)
        self._reflexes = dict(reflexes or {})  # sensors that are read whenever the mind thinks
        self._start_values = dict(self.state)
        self._variable_order = tuple(self._start_values)
        self._opportunities = Opportunities(character.goals, character.actions)
        self._has_own_scheduler = scheduler is None
        self._attended = -1  # the version of memory that attention last worked on
        self._restless = True  # whether goals have to be compared again
        self._has_chance = False  # whether an action that serves the goal directly has become possible
        self._is_idle = False
        self._favoured: str | None = None  # the goal whose plan was dropped last, until goals are compared
        self._overtaken_at: float | None = None  # when another goal overtakes the current one; None: not known
        self._weighed = -1  # the version of the needs for which that is known

    @property
    def goal(self) -> str | None:
        """The goal that is being pursued."""
        return self.execution.goal.name if self.execution is not None else None

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the current plan."""
        return tuple(map(str, self.execution.plan.steps)) if self.execution is not None else ()

    @property
    def index(self) -> int:
        """The index of the current step."""
        return self.execution.index if self.execution is not None else 0

    @property
    def is_waiting(self) -> bool:
        """Whether the mind waits for a plan."""
        return self.deliberation is not None and self.deliberation.ticket is not None

    @property
    def is_restless(self) -> bool:
        """Whether the mind should think in the next frame even if nothing happens."""
        return self._restless

    @property
    def wake_at(self) -> float:
        """When to think again even if nothing happens: a fact fades, a goal is retried, a step times out."""
        give_up_at = math.inf if self.execution is None else self.execution.since + self.patience
        return min(self.memory.next_fade, self.retry_at, give_up_at, self._next_challenge())

    @property
    def marks(self) -> dict[str, Any]:
        """The loop's own flags, as plain data to be saved."""
        marks: dict[str, Any] = {"attended": self._attended, "restless": self._restless}
        marks |= {"has_chance": self._has_chance, "idle": self._is_idle}
        if self.arbiter.varies:
            known = self._overtaken_at if self._weighed == self.needs.version else None
            marks |= {"favoured": self._favoured, "overtaken_at": None if known == math.inf else known}
        return marks

    @marks.setter
    def marks(self, saved: Mapping[str, Any]) -> None:
        self._attended, self._restless = saved["attended"], saved["restless"]
        self._has_chance, self._is_idle = saved["has_chance"], saved["idle"]
        self._favoured, self._overtaken_at = saved.get("favoured"), saved.get("overtaken_at")
        self._weighed = self.needs.version

    # --- the loop -----------------------------------------------------------------------------------------------------

    def think(self, now: float) -> None:
        """Update memory and state; then continue the plan, make one, or wait for one."""
        self._read_reflexes(now)
        progress = self._step_progress(now)
        if progress.status is not Status.RUNNING:
            # The effects of a step are verified before attention moves: a fighter who has shot one enemy turns to the
            # next only after the first is seen to fall.
            self._update_state(now)
            self._end_step(progress, now)
        self._update_attention(now)
        if self.execution is not None:
            self._continue_plan(self.execution, now)
            self._update_attention(now)  # a failure of just now counts at once
        self._weigh_goals(now)
        if self._restless or self._has_chance or now >= self.retry_at:
            self._reconsider(now)
        elif self.is_waiting:
            self._deliberate(now)
        while self._has_own_scheduler and self.is_waiting:
            self.scheduler.run(expansions=DEFAULT_BUDGET)
            self._deliberate(now)

    def collect_plan(self, now: float) -> None:
        """Continue deliberating if the requested plan has arrived."""
        if self.deliberation is not None and self.deliberation.ticket is not None and self.deliberation.ticket.done:
            self._deliberate(now)

    def stop(self) -> None:
        """Withdraw a pending plan and drop the current one, because the mind leaves."""
        if self.deliberation is not None and self.deliberation.ticket is not None:
            self.scheduler.withdraw(self.deliberation.ticket)
            self.deliberation.ticket = None
        self.execution = None

    def rehearse(self) -> None:
        """Derive attention and state from memory as a thought would, keep neither, and raise what they raise."""
        now, focus = max((fact.time for fact in self.memory), default=0.0), self.memory.focus
        self.memory.focus = dict(focus)
        try:
            for attention in self._attention:
                attention.choose(self.memory, now)
            values = {**self._known_things(now), **self._believe(self.memory, now)}
            self.domain.layout.state(values)  # checks every value, unlike a thought
        finally:
            self.memory.focus = focus

    # --- sensing ------------------------------------------------------------------------------------------------------

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        """Read a sensor into memory; return whether anything is new. A sensor that raises becomes a failure fact."""
        is_news, note = False, self.memory.note if self.trace is silent else self.note
        try:
            for fact in sensor.read(self.name, self.memory, now):
                is_news |= note(fact)
        except Exception as error:
            self.problems.note(f"sensor {name}", error, now)
            is_news |= self._note_failure(f"sensor {name}", format_error(error), now)
        return is_news

    def note(self, fact: Fact) -> bool:
        """Remember a fact from a sensor or a stimulus; return whether it is new."""
        if self.trace is silent:
            return self.memory.note(fact)
        before = self.memory.recall(fact.kind, fact.subject, fact.time)
        is_new = self.memory.note(fact)
        if is_new and (before is None or _differ(before, fact)):
            attributes = FrozenMap(fact.attributes)
            self.trace(Noticed(fact.time, self.name, fact.kind, fact.subject, fact.confidence, attributes))
        return is_new

    def forget(self, kind: str, now: float) -> None:
        """Forget all facts of a kind, as if they had faded."""
        for fact in self.memory.all_of(kind, now):
            self.memory.forget(kind, fact.subject)
            self.trace(Forgot(now, self.name, kind, fact.subject))

    def _note_failure(self, subject: str, reason: str, now: float, **more: Value) -> bool:
        """Remember a failure and trace it once while it is remembered; return whether it is new."""
        known = self.memory.recall("failure", subject, now)
        if known is None or known["reason"] != reason:
            self._tell(StepFailed(now, self.name, subject, reason))
        return self.note(Fact("failure", subject, now, attributes=FrozenMap({"reason": reason, **more})))

    def _read_reflexes(self, now: float) -> None:
        for name, sensor in self._reflexes.items():
            self.sense(name, sensor, now)

    def _update_attention(self, now: float) -> None:
        for fact in self.memory.fade(now):
            self.trace(Forgot(now, self.name, fact.kind, fact.subject))
        if self.memory.version == self._attended:
            return
        for attention in self._attention:
            try:
                attention.choose(self.memory, now)
            except Exception as error:
                self.problems.note(f"attention {getattr(attention, 'focus', '')}".rstrip(), error, now)
        self._attended = self.memory.version
        self._update_state(now)
        if self._things and not self._are_things_settled(now):
            self._attended, self._restless = -1, True

    def _are_things_settled(self, now: float) -> bool:
        try:
            return all(each.is_settled(self.memory, now) for each in self._things)
        except Exception:  # a score raised; that was noted when the things were chosen
            return True

    def _known_things(self, now: float) -> dict[str, Value]:
        """Return the variables of the things that are remembered."""
        return {name: value for each in self._things for name, value in each.believe(self.memory, now).items()}

    def _update_state(self, now: float) -> None:
        """Derive the variables of goals and plans from memory."""
        try:
            # In layout order, which is read fastest.
            values = {**self._start_values, **self._known_things(now), **self._believe(self.memory, now)}
            believed = as_state(values, self.domain.layout, self._variable_order)
        except TelosError:
            raise  # a variable that does not exist: the mind is put together wrongly
        except Exception as error:
            self.problems.note("believe", error, now)
            self._note_failure("believe", format_error(error), now)
            return  # what was believed before still stands
        if believed.array != self.state.array:
            self._notice_change(believed)
            self.state = believed

    def _notice_change(self, believed: State) -> None:
        """Decide whether a change of state is a reason to compare goals again."""
        self._overtaken_at = None
        before, after = self.state.array, believed.array
        if self._is_idle or self.arbiter.is_flagged(before, after):
            self._restless = True
        if any(before[slot] != after[slot] for slot in self._presence):
            self._restless = True  # what had no plan may have one with the new thing
        if self.execution is not None and _is_interruptible(self.execution):
            self._has_chance |= self._opportunities.arise(self.execution.goal, self.state, believed)

    # --- goals and plans ----------------------------------------------------------------------------------------------

    def _weigh_goals(self, now: float) -> None:
        """Bring the needs up to date, and compare all goals again if one has overtaken the current goal."""
        if not self.arbiter.varies:
            return
        self.needs.advance(now, self.state)
        if self.execution is None or self.deliberation is None or self.is_waiting:
            return
        if self._overtaken_at is not None and now < self._overtaken_at and self._weighed == self.needs.version:
            return
        if self.arbiter.challengers(self.state, self.deliberation, self.execution.goal.name):
            self._restless = True
        self._overtaken_at = None

    def _next_challenge(self) -> float:
        """Return when another goal overtakes the current one if nothing but time changes the needs."""
        if not self.arbiter.varies or self.execution is None or self.deliberation is None or self.is_waiting:
            return math.inf
        if self._overtaken_at is None or self._weighed != self.needs.version:
            goal, now = self.execution.goal.name, self.needs.now
            self._overtaken_at = self.arbiter.overtaken_at(self.state, self.deliberation, goal, now or 0.0)
            self._weighed = self.needs.version
        return self._overtaken_at

    def _reconsider(self, now: float) -> None:
        """Compare all goals again."""
        if self.deliberation is not None and self.deliberation.ticket is not None:
            self.scheduler.withdraw(self.deliberation.ticket)
        instead_of = str(self.execution.step) if self._has_chance and self.execution is not None else None
        self._restless, self._has_chance, self.retry_at = False, False, math.inf
        self.deliberation = self._compare_goals(instead_of, now)
        self._deliberate(now)

    def _committed_goal(self, now: float) -> Goal | None:
        """Return the current goal if it became irrelevant in mid-step, and think again when the commitment is over."""
        execution, commitment = self.execution, self.character.commitment
        if execution is None or not execution.begun or not now < execution.since + commitment:
            return None
        if execution.goal.relevant.holds(self.state):
            return None
        self.retry_at = execution.since + commitment
        return execution.goal

    def _compare_goals(self, instead_of: str | None, now: float) -> Deliberation:
        """Return a new deliberation about the goals that are relevant now."""
        committed = self._committed_goal(now)
        standing = self.arbiter.compare(self.state, self.goal, favoured=self._favoured, committed=committed)
        varying = (goal for goal in standing.line if self.arbiter.is_varying(goal))
        priorities = {goal.name: self.arbiter.describe(goal, self.state) for goal in varying}
        deliberation = Deliberation(
            self.state, standing.line, self.goal, instead_of, priorities, avoid_failures=self.avoid_failures
        )
        for goal, error in standing.faults.items():
            deliberation.passed_over[goal], deliberation.is_wanting = f"its priority: {error.message}", True
        self._favoured, self._overtaken_at = None, None
        return deliberation

    def _deliberate(self, now: float) -> None:
        """Try goals by priority until one has a plan; return early while a plan is pending."""
        deliberation = self.deliberation
        if deliberation is None:
            return
        plan = deliberation.advance(self.scheduler, self.planner, self.memory, now)
        while deliberation.faults:
            subject, error = deliberation.faults.pop()
            self.problems.note(subject, error, now)
            self._note_failure(subject, str(error), now)
        if deliberation.ticket is not None:
            return
        if deliberation.is_wanting:
            self.retry_at = min(self.retry_at, now + RETRY)
        if plan is not None:
            self._adopt(plan, deliberation, now)
        elif deliberation.kept is None:
            if self.execution is not None:
                self._drop(f"{self.execution.goal.name} does not matter any more", now)
                self._restless = False
            self._become_idle(deliberation, now)

    def _adopt(self, plan: Plan, deliberation: Deliberation, now: float) -> None:
        if self.execution is not None:
            same = plan.goal == self.execution.goal.name
            why = f"{plan.steps[0]} is better now" if same else f"{plan.goal} matters more now"
            self._tell(Dropped(now, self.name, self.execution.goal.name, self.execution.left, why))
        goal = next(goal for goal in deliberation.line if goal.name == plan.goal)
        reason, passed_over = deliberation.reason(goal), FrozenMap(deliberation.passed_over)
        self._tell(Chose(now, self.name, plan.goal, deliberation.current, reason, passed_over))
        self._tell(Planned(now, self.name, plan.goal, tuple(map(str, plan.steps)), plan.cost, plan.expanded))
        self.execution, self._is_idle = Execution(plan, goal, start=deliberation.state), False
        self._overtaken_at = None
        if (flaw := self._find_flaw(self.execution, now)) is not None:  # the state changed during planning
            self._drop(flaw, now)
        else:
            self._begin_step(self.execution, now)

    def _become_idle(self, deliberation: Deliberation, now: float) -> None:
        if not self._is_idle:
            self._tell(Idle(now, self.name, FrozenMap(deliberation.passed_over)))
            try:
                self.body.enter(IDLE)
            except Exception as error:
                self.problems.note("idle", error, now)
        self._is_idle = True

    def _tell(self, record: object) -> None:
        """Trace a decision."""
        self.trace(record)
        if self.observer is not None:
            self.observer(record)

    # --- acting -------------------------------------------------------------------------------------------------------

    def _continue_plan(self, execution: Execution, now: float) -> None:
        if (flaw := self._find_flaw(execution, now)) is not None:
            self._drop(flaw, now)
        elif not execution.begun:
            self._begin_step(execution, now)
        else:
            self._check_step(execution, now)

    def _find_flaw(self, execution: Execution, now: float) -> str | None:
        """Return why the rest of the plan does not work; a game function that raises is such a reason."""
        try:
            return execution.flaw(self.state)
        except Exception as error:
            subject = execution.left[0] if execution.left else planning_subject(execution.goal)
            self.problems.note(subject, error, now)
            self._note_failure(subject, format_error(error), now)
            return f"{subject} {format_error(error)}"

    def _begin_step(self, execution: Execution, now: float) -> None:
        step = execution.step
        try:
            state = self._procedures[step.name].activate(self, step)
            self.body.enter(state)
        except Exception as error:
            self.problems.note_step(str(step), error, now)
            self._fail_step(execution, format_error(error), now)
            return
        execution.begin(self.state, state, now)
        self._tell(Began(now, self.name, str(step), *_describe_body_state(state)))

    def _check_step(self, execution: Execution, now: float) -> None:
        step, entered = execution.step, execution.entered
        try:
            is_valid = entered is None or self._procedures[step.name].is_valid(self, step, entered)
        except Exception as error:
            self.problems.note_step(str(step), error, now)
            self._fail_step(execution, format_error(error), now)
            return
        if not is_valid:
            self._drop(f"{step} is meant for something else now", now)

    def _step_progress(self, now: float) -> Progress:
        """Return the progress of the current step; running if there is none."""
        if self.execution is None or not self.execution.begun:
            return RUNNING
        step = self.execution.step
        procedure = self._procedures[step.name]
        try:
            progress = procedure.progress(self, step, self.body.progress, now)
        except Exception as error:
            self.problems.note_step(str(step), error, now)
            return Progress(Status.FAILED, format_error(error))
        if progress.status is Status.RUNNING and now >= self.execution.since + self.patience:
            return Progress(Status.FAILED, f"it is not done after {self.patience:g} s")
        return progress

    def _end_step(self, progress: Progress, now: float) -> None:
        if self.execution is None:
            return
        if progress.status is Status.FAILED:
            self._fail_step(self.execution, progress.reason, now, progress.thing)
        else:
            self._finish_step(self.execution, now)
        self._attended = -1  # attention may move again

    def _finish_step(self, execution: Execution, now: float) -> None:
        """Continue with the next step if the effects of this one hold."""
        step = execution.step
        self.needs.finish(step, since=execution.since, now=now)
        self._note_deed(step, now)
        has_effects = execution.has_expected_effects(self.state)
        is_left = execution.advance()
        if (flaw := self._find_flaw(execution, now)) is not None:
            if not has_effects and execution.goal.relevant.holds(self.state):
                self._note_failure(str(step), f"it did not do what it promised: {flaw}", now)
            self._drop(f"{step} is done, but {flaw}", now)
            return
        self._tell(Finished(now, self.name, str(step)))
        if is_left:
            self._begin_step(execution, now)
        else:
            self.needs.reach(execution.goal, now)
            self.execution, self._restless = None, True

    def _note_deed(self, step: Action, now: float) -> None:
        """Remember the finished action with the focus of attention, and update the state."""
        before = self.memory.recall("deed", step.name, now)
        count = 1 if before is None else before["count"] + 1
        attributes = {"step": str(step), "count": count, **self.memory.focus}
        self.note(Fact("deed", step.name, now, attributes=FrozenMap(attributes)))
        self._read_reflexes(now)
        self._update_state(now)

    def _fail_step(self, execution: Execution, reason: str, now: float, thing: Value = None) -> None:
        """Drop the plan; remember the failure unless unmet preconditions explain it."""
        step = execution.step
        if not self._is_possible(step):
            self._drop(f"{step}: {reason}", now)
            return
        if thing is None or not involves(step, self.state, thing):  # then nothing tells when it is past
            self._note_failure(str(step), reason, now)
        else:
            self._note_failure(f"{step} with {thing}", reason, now, step=str(step), thing=thing)
        self._drop(f"{step} failed: {reason}", now)

    def _is_possible(self, step: Action) -> bool:
        try:
            return step.preconditions.holds(self.state)
        except Exception:  # unknown, so it does not explain the failure
            return True

    def _drop(self, why: str, now: float) -> None:
        execution = self.execution
        if execution is None:
            return
        self._tell(Dropped(now, self.name, execution.goal.name, execution.left, why))
        self._favoured = execution.goal.name
        self.execution, self._restless = None, True


def _with_common_procedures(
    procedures: Mapping[str, Procedure], character: Character, domain: Domain
) -> dict[str, Procedure]:
    """Return the procedures with that of a template, such as `tree.chop`, for the action of each of its things."""
    common = {action.name: domain.common_name(action.name) for action in character.actions}
    return {**{name: procedures[each] for name, each in common.items() if each in procedures}, **procedures}


def _check_parts(
    name: str, body: object, attention: Sequence[object], reflexes: Mapping[str, object], believe: object
) -> None:
    """Raise a ``TelosError`` for parts of a mind that lack what it will call."""
    if not callable(getattr(body, "enter", None)) or not hasattr(body, "progress"):
        raise TelosError(f"{name}: {body!r} is not a body", "give it `enter(state)` and the property `progress`")
    for each in attention:
        if not callable(getattr(each, "choose", None)):
            raise TelosError(f"{name}: {each!r} is not an attention", "give it `choose(memory, now)`")
    for sensor, each in reflexes.items():
        check_sensor(f"{name}: reflex {sensor}", each)
    if not callable(believe):
        raise TelosError(f"{name}: believe={believe!r} is not a function", "give a function of memory and time")


def _differ(before: Fact, after: Fact) -> bool:
    """Whether anything but a float changed: small movements of an enemy are not traced."""
    return any(before.get(name) != value for name, value in after.attributes.items() if not isinstance(value, float))


def _is_interruptible(execution: Execution) -> bool:
    """Whether an opportunity may interrupt the step: the use of a smart object, such as a window, may not be."""
    return not isinstance(execution.entered, UseSmartObject)


def _describe_body_state(state: BodyState) -> tuple[str, str]:
    if isinstance(state, Goto):
        return "goto", str(state.place)
    if isinstance(state, Animate):
        return "animate", state.animation if state.at is None else f"{state.animation} {state.at}"
    if isinstance(state, Perform):
        return "perform", f"{state.action}({', '.join(map(str, state.arguments))})"
    return "use", f"{state.object} {state.use}"
