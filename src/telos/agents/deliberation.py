"""Goal selection.

``Arbiter`` orders goals by priority, ``Deliberation`` finds the first that has a plan, and ``Opportunities`` tells when
to interrupt a plan for a better one.
"""

from collections.abc import Iterable, Sequence

from telos.agents.memory import Fact, WorkingMemory
from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import functions_in, names_in
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan
from telos.core.state import Layout, State
from telos.core.values import Value
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler, Ticket


class Deliberation:
    """One pass over the relevant goals by priority; it can wait for the planner and continue where it stopped.

    ``passed_over`` gives the reason for each goal that was not taken; ``kept`` is the current goal, if the pass ended
    there. With ``instead_of`` (a step) the current goal is planned for again, for a plan that begins otherwise.
    """

    def __init__(self, state: State, line: Sequence[Goal], current: str | None, instead_of: str | None = None) -> None:
        self.state, self.line, self.current, self.instead_of = state, tuple(line), current, instead_of
        self.place = 0
        self.ticket: Ticket | None = None
        self.passed_over: dict[str, str] = {}
        self.without_plan: set[str] = set()  # the goals of ``passed_over`` for which the planner found no plan
        self.faults: list[tuple[str, TelosError]] = []  # subject and error of game functions that raised
        self.kept: str | None = None
        self.is_wanting = False  # whether a goal was passed over because it has no plan

    def advance(self, scheduler: Scheduler, planner: Planner, memory: WorkingMemory, now: float) -> Plan | None:
        """Return the plan of the first goal that has one; None if no goal has one, or while ``ticket`` is pending."""
        while self.place < len(self.line):
            goal = self.line[self.place]
            if goal.name == self.current and self.instead_of is None:
                self.kept = goal.name
                return None
            plan = self._plan_for(goal, scheduler, planner, memory, now)
            if self.ticket is not None:
                return None
            if goal.name == self.current and (plan is None or str(plan.steps[0]) == self.instead_of):
                self.kept = goal.name
                return None
            if plan is not None:
                return plan
            self.place += 1
        return None

    def _plan_for(
        self, goal: Goal, scheduler: Scheduler, planner: Planner, memory: WorkingMemory, now: float
    ) -> Plan | None:
        if goal.wants is not None and goal.wants.holds(self.state):
            self.passed_over[goal.name] = "it holds already"
            return None
        broken = memory.recall("failure", planning_subject(goal), now) if self.ticket is None else None
        if broken is not None:
            self._pass_over(goal, _format_failure(broken, now))
            return None
        try:
            answer = self._answer(goal, scheduler, planner)
        except TelosError as error:  # a game function raised
            self.ticket = None
            self.faults.append((planning_subject(goal), error))
            self._pass_over(goal, str(error))
            return None
        if answer is None:
            return None
        if isinstance(answer, NoPlan):
            self._pass_over(goal, answer.stop.value)
            self.without_plan.add(goal.name)
            return None
        failed = _recent_failure(answer, memory, now)
        if failed is not None:
            self._pass_over(goal, _format_failure(failed, now))
            return None
        return answer

    def _pass_over(self, goal: Goal, why: str) -> None:
        self.passed_over[goal.name], self.is_wanting = why, True

    def _answer(self, goal: Goal, scheduler: Scheduler, planner: Planner) -> Answer | None:
        if self.ticket is None:
            known = scheduler.recall(self.state, goal.name, planner)
            if known is not None:
                return known
            self.ticket = scheduler.ask(self.state, goal.name, planner)
        if not self.ticket.done:
            return None
        ticket, self.ticket = self.ticket, None
        if ticket.fault is not None:
            raise ticket.fault
        return ticket.answer

    def reason(self, goal: Goal) -> str:
        """Return why ``goal`` was taken: its priority and its first condition, where authors put the reason."""
        parts = goal.relevant.parts
        return f"priority {goal.priority:g}, {parts[0] if parts else 'always wanted'}"


def planning_subject(goal: Goal) -> str:
    """Return the subject of the failure fact about planning for a goal."""
    return f"planning for {goal.name}"


def _format_failure(failed: Fact, now: float) -> str:
    return f"{failed.subject} failed {now - failed.time:.1f} s ago: {failed['reason']}"


def _recent_failure(plan: Plan, memory: WorkingMemory, now: float) -> Fact | None:
    """Return a remembered failure of a step of the plan; the step is not retried before that fact fades."""
    failures: Iterable[Fact] = memory.all_of("failure", now)
    steps = {str(step) for step in plan.steps}
    return next((fact for fact in failures if fact.subject in steps), None)


class Arbiter:
    """Orders a character's goals by relevance and priority.

    >>> from telos.core.values import Variable
    >>> layout = Layout([Variable("shot_at", "bool"), Variable("looked_round", "bool")])
    >>> cover = Goal("cover", wants="not shot_at", relevant="shot_at", priority=5)
    >>> arbiter = Arbiter([Goal("patrol", wants="looked_round"), cover], layout)
    >>> [goal.name for goal in arbiter.in_line(layout.state({"shot_at": True}))]
    ['cover', 'patrol']
    """

    def __init__(self, goals: Iterable[Goal], layout: Layout) -> None:
        self.goals = tuple(goal for goal in goals if goal.wants is not None)
        conditions = [each for goal in self.goals for each in (goal.relevant, goal.wants) if each is not None]
        read = frozenset[str]().union(*(names_in(each.expression) for each in conditions))
        self._flags = tuple(layout.slots[name] for name in read if name in layout.slots)

    def in_line(self, state: State, current: str | None = None) -> list[Goal]:
        """Return the relevant goals by priority; ties go to the current goal, then to the order of the file."""
        relevant = [goal for goal in self.goals if goal.relevant.holds(state)]
        relevant.sort(key=lambda goal: (-goal.priority, goal.name != current))
        return relevant

    def is_flagged(self, before: tuple[Value, ...], after: tuple[Value, ...]) -> bool:
        """Whether a variable changed that decides about the relevance or fulfilment of a goal."""
        return any(before[slot] != after[slot] for slot in self._flags)


class Opportunities:
    """Detects when an action that achieves a goal directly becomes possible.

    A plan is not reconsidered at every change; but a fighter who is shooting at an enemy that is suddenly within reach
    should reconsider.

    >>> from telos.core.state import Layout
    >>> from telos.core.values import Variable
    >>> layout = Layout([Variable("near", "bool"), Variable("dead", "bool")])
    >>> kill = Goal("kill", wants="dead")
    >>> chances = Opportunities([kill], [Action("strike", preconditions="near", effects="dead = true")])
    >>> chances.arise(kill, layout.state(), layout.state({"near": True}))
    True
    """

    def __init__(self, goals: Iterable[Goal], actions: Iterable[Action]) -> None:
        plain = [action for action in actions if not action.parameters]
        self._needs = {goal.name: _needs(goal, plain) for goal in goals}

    def arise(self, goal: Goal, before: State, after: State) -> bool:
        """Whether an action that serves ``goal`` directly is possible now and was not before."""
        return any(needs.holds(after) and not needs.holds(before) for needs in self._needs[goal.name])


def _needs(goal: Goal, actions: Iterable[Action]) -> tuple[Condition, ...]:
    wanted = names_in(goal.wants.expression) if goal.wants is not None else frozenset()
    serving = (action for action in actions if any(effect.variable in wanted for effect in action.effects))
    needs = (_without_functions(action.preconditions) for action in serving)
    return tuple(each for each in needs if each.parts)


def _without_functions(condition: Condition) -> Condition:
    """Return the parts of a condition that call no game function: functions are called only during planning."""
    return Condition.of([part for part in condition.parts if not functions_in(part.expression)])
