"""One mind: a short loop over parts that meet only in memory."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from telos.agents.acting import Acting
from telos.agents.arbitration import Arbiter
from telos.agents.attention import Attends
from telos.agents.body import Animate, Body, Status, UseSmartObject
from telos.agents.character import Character
from telos.agents.deliberation import Deliberation
from telos.agents.execution import Execution
from telos.agents.opportunity import Opportunities
from telos.agents.perceiving import Believe
from telos.agents.procedure import Procedure
from telos.agents.records import Chose, Dropped, Idle, Planned
from telos.agents.sensors import Sensor
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.planning.plan import planner_of
from telos.planning.planner import BUDGET
from telos.planning.scheduler import Scheduler

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
