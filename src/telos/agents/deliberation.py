"""Goal selection.

``Arbiter`` orders goals by priority, ``Deliberation`` finds the first that has a plan, and ``Opportunities`` tells when
to interrupt a plan for a better one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from telos.agents.memory import Fact, WorkingMemory
from telos.agents.needs import Needs
from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import functions_in, names_in
from telos.core.goal import Goal, format_priority
from telos.core.plan import Answer, NoPlan, Plan
from telos.core.state import Layout, State
from telos.core.values import Value
from telos.planning.alternatives import avoiding_planner
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler, Ticket

MAX_AVOIDED = 8  # steps that one search does without


class Deliberation:
    """One pass over the relevant goals by priority; it can wait for the planner and continue where it stopped.

    ``passed_over`` gives the reason for each goal that was not taken; ``kept`` is the current goal, if the pass ended
    there. With ``instead_of`` (a step) the current goal is planned for again, for a plan that begins otherwise. With
    ``avoid_failures``, a plan whose steps have failed lately is searched again without them.
    """

    def __init__(
        self,
        state: State,
        line: Sequence[Goal],
        current: str | None,
        instead_of: str | None = None,
        priorities: Mapping[str, str] | None = None,
        *,
        avoid_failures: bool = False,
    ) -> None:
        self.state, self.line, self.current, self.instead_of = state, tuple(line), current, instead_of
        self.priorities = dict(priorities or {})  # of goals whose priority varies, in words
        self.avoid_failures = avoid_failures
        self.avoided: tuple[Action, ...] = ()  # steps that the plan for the goal at ``place`` must do without
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
            self.place, self.avoided = self.place + 1, ()
        return None

    def planner_for_goal(self, planner: Planner) -> Planner:
        """Return the planner for the goal at ``place``: that of the mind, or one without the avoided steps."""
        return avoiding_planner(planner, self.avoided) if self.avoided else planner

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
            answer = self._answer(goal, scheduler, self.planner_for_goal(planner))
        except TelosError as error:  # a game function raised
            self.ticket = None
            self.faults.append((planning_subject(goal), error))
            self._pass_over(goal, str(error))
            return None
        if answer is None:
            return None
        if isinstance(answer, NoPlan):
            failed = _recent_failures(self.avoided, self.state, memory, now)
            if not self.avoided:
                self.without_plan.add(goal.name)
            self._pass_over(goal, _format_failure(failed[0][1], now) if failed else answer.stop.value)
            return None
        failed = _recent_failures(answer.steps, self.state, memory, now)
        if failed and self.avoid_failures and len(self.avoided) < MAX_AVOIDED:
            self.avoided += tuple(step for step, _ in failed)
            return self._plan_for(goal, scheduler, planner, memory, now)
        if failed:
            self._pass_over(goal, _format_failure(failed[0][1], now))
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
        priority = self.priorities.get(goal.name) or format_priority(goal.priority)
        return f"priority {priority}, {parts[0] if parts else 'always wanted'}"

    @property
    def considered(self) -> frozenset[str]:
        """The goals that were passed over before the one that was taken or kept."""
        return frozenset(goal.name for goal in self.line[: self.place])


def planning_subject(goal: Goal) -> str:
    """Return the subject of the failure fact about planning for a goal."""
    return f"planning for {goal.name}"


def _format_failure(failed: Fact, now: float) -> str:
    return f"{failed.subject} failed {now - failed.time:.1f} s ago: {failed['reason']}"


def _recent_failures(
    steps: Sequence[Action], state: State, memory: WorkingMemory, now: float
) -> list[tuple[Action, Fact]]:
    """Return the steps whose failure is remembered, each once; they are not tried again before that fact fades.

    A failure with a thing matters only to a step that involves it where the plan takes it.
    """
    failures: Sequence[Fact] = memory.all_of("failure", now)
    if not failures:
        return []
    states = _states_along(steps, state) if any("thing" in fact.attributes for fact in failures) else [state]
    found: dict[str, tuple[Action, Fact]] = {}
    for fact in failures:
        for number, step in enumerate(steps):
            if _is_about(fact, step, states[min(number, len(states) - 1)]):
                found.setdefault(str(step), (step, fact))
    return list(found.values())


def _states_along(steps: Sequence[Action], state: State) -> list[State]:
    """Return the states in which steps are taken, as far as they can be predicted."""
    states = [state]
    for step in steps:
        try:
            states.append(step.result(states[-1]))
        except Exception:  # a function of the game in an effect; planning has reported it
            break
    return states


def _is_about(failure: Fact, step: Action, state: State) -> bool:
    thing = failure.get("thing")
    if thing is None:
        return failure.subject == str(step)
    return failure.get("step") == str(step) and involves(step, state, thing)


def involves(step: Action, state: State, thing: Value) -> bool:
    """Whether a step has a thing as an argument, or reads a variable that has it as its value in ``state``."""
    if thing in step.arguments.values():
        return True
    values = [step.preconditions.expression, step.cost, *(effect.value for effect in step.effects)]
    read = frozenset[str]().union(*map(names_in, values))
    return any(state[name] == thing for name in read if name in state.layout.slots)


HYSTERESIS = 0.1  # the share by which a varying priority must exceed that of the current goal
LOOK_AHEAD = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # seconds in which an overtaking goal is looked for
PRECISION = 1 / 64  # seconds
_POWERS = {"linear": "", "square": " squared", "cube": " cubed"}


@dataclass(frozen=True, slots=True)
class Standing:
    """The relevant goals in the order in which they are tried, and the priority of each.

    ``faults`` are the goals whose priority cannot be computed; they are not in line.
    """

    line: tuple[Goal, ...]
    priorities: Mapping[str, float]
    faults: Mapping[str, TelosError] = field(default_factory=dict)

    def ahead_of(self, name: str) -> frozenset[str]:
        """Return the goals that are tried before the goal ``name``; none if it is not relevant."""
        names = [goal.name for goal in self.line]
        return frozenset(names[: names.index(name)]) if name in names else frozenset()


class Arbiter:
    """Orders a character's goals by relevance and priority.

    Priorities that are numbers are compared as they are. Where one of two priorities varies (an expression, or the
    discontentment of a need), the other goal must exceed the current one by the share ``hysteresis``, so that the
    character does not waver between two that are nearly equal.

    >>> from telos.core.values import Variable
    >>> layout = Layout([Variable("shot_at", "bool"), Variable("looked_round", "bool")])
    >>> cover = Goal("cover", wants="not shot_at", relevant="shot_at", priority=5)
    >>> arbiter = Arbiter([Goal("patrol", wants="looked_round"), cover], layout)
    >>> [goal.name for goal in arbiter.in_line(layout.state({"shot_at": True}))]
    ['cover', 'patrol']
    """

    def __init__(
        self, goals: Iterable[Goal], layout: Layout, needs: Needs | None = None, *, hysteresis: float = HYSTERESIS
    ) -> None:
        self.goals = tuple(goal for goal in goals if goal.wants is not None)
        self.hysteresis = hysteresis
        self._needs = Needs(self.goals, ()) if needs is None else needs
        self._fixed = {
            goal.name: goal.priority for goal in self.goals if isinstance(goal.priority, float) and not goal.is_need
        }
        self.varies = len(self._fixed) < len(self.goals)  # whether any priority does
        conditions = [each for goal in self.goals for each in (goal.relevant, goal.wants) if each is not None]
        read = frozenset[str]().union(*(names_in(each.expression) for each in conditions))
        self._flags = tuple(layout.slots[name] for name in read if name in layout.slots)

    def in_line(self, state: State, current: str | None = None) -> list[Goal]:
        """Return the relevant goals by priority; ties go to the current goal, then to the order of the file."""
        return list(self.compare(state, current).line)

    def compare(
        self,
        state: State,
        current: str | None = None,
        *,
        favoured: str | None = None,
        now: float | None = None,
        among: Iterable[Goal] | None = None,
        committed: Goal | None = None,
    ) -> Standing:
        """Return the relevant goals in line (or those ``among`` which are), at the levels of their needs at ``now``.

        ``favoured`` is the goal of a plan that has just been dropped: no other takes its place by a narrow margin.
        ``committed`` is a goal that stays in line although it may have become irrelevant.
        """
        if among is None:
            relevant = [goal for goal in self.goals if goal is committed or goal.relevant.holds(state)]
        else:
            relevant = list(among)
        priorities: dict[str, float] = {}
        faults: dict[str, TelosError] = {}
        for goal in relevant:
            try:
                priorities[goal.name] = self.priority(goal, state, now)
            except TelosError as error:
                faults[goal.name] = error
        line = [goal for goal in relevant if goal.name in priorities]
        line.sort(key=lambda goal: (-priorities[goal.name], goal.name != current))
        if self.varies:
            line = self._hold(line, priorities, current or favoured)
        return Standing(tuple(line), priorities, faults)

    def priority(self, goal: Goal, state: State, now: float | None = None) -> float:
        """Return the priority of a goal in ``state``; ``now`` is when the mind last thought, by default."""
        fixed = self._fixed.get(goal.name)
        if fixed is not None:
            return fixed
        needs, level = self._needs, None
        if goal.name in needs:
            level = needs.level(goal.name, needs.now if now is None else now)
        return goal.priority_in(state, level)

    def _hold(self, line: list[Goal], priorities: Mapping[str, float], name: str | None) -> list[Goal]:
        """Move a goal before those that do not exceed it by enough."""
        place = next((place for place, goal in enumerate(line) if goal.name == name), None)
        if place is None:
            return line
        held = line[place]
        threshold = self.threshold(priorities[held.name])
        ahead = [
            goal
            for goal in line[:place]
            if priorities[goal.name] > threshold or not self._is_varying_pair(goal.name, held.name)
        ]
        return [*ahead, held, *(goal for goal in line if goal is not held and goal not in ahead)]

    def threshold(self, priority: float) -> float:
        """Return the priority that another goal must exceed to interrupt one with ``priority``."""
        return priority + self.hysteresis * abs(priority)

    def _is_varying_pair(self, one: str, other: str) -> bool:
        return not (one in self._fixed and other in self._fixed)

    def is_varying(self, goal: Goal) -> bool:
        """Whether the priority of a goal depends on variables or on time."""
        return goal.name not in self._fixed

    def challengers(self, state: State, last: Deliberation, current: str, now: float | None = None) -> frozenset[str]:
        """Return the goals that come before the current one at ``now``, and did not when goals were last compared."""
        return self.compare(state, current, now=now, among=last.line).ahead_of(current) - last.considered

    def overtaken_at(self, state: State, last: Deliberation, current: str, now: float) -> float:
        """Return when another goal overtakes the current one if nothing but time changes the needs.

        It is looked for within the next minute; if there is none until then, the time to look again is returned.
        """
        if not self._needs.drifts:
            return math.inf
        calm = now
        for seconds in LOOK_AHEAD:
            overtaken = now + seconds
            if self.challengers(state, last, current, overtaken):
                while overtaken - calm > PRECISION:
                    middle = (calm + overtaken) / 2
                    if self.challengers(state, last, current, middle):
                        overtaken = middle
                    else:
                        calm = middle
                return overtaken
            calm = overtaken
        return calm

    def describe(self, goal: Goal, state: State, now: float | None = None) -> str:
        """Return the priority of a goal in words: ``16 = insistence 4 squared``."""
        if not self.is_varying(goal):
            return format_priority(goal.priority)
        parts = [] if goal.is_need and goal.priority == 0.0 else [format_priority(goal.priority)]
        if goal.is_need:
            level = goal.insistence
            if goal.name in self._needs:
                level = self._needs.level(goal.name, self._needs.now if now is None else now)
            weight = "" if goal.weight == 1.0 else f"{goal.weight:g} × "
            curve = _POWERS.get(goal.curve, "") if isinstance(goal.curve, str) else " by its curve"
            parts.append(f"{weight}insistence {_round(level)}{curve}")
        try:
            return f"{_round(self.priority(goal, state, now))} = {' + '.join(parts)}"
        except TelosError as error:
            return f"unknown ({error.message})"

    def is_flagged(self, before: tuple[Value, ...], after: tuple[Value, ...]) -> bool:
        """Whether a variable changed that decides about the relevance or fulfilment of a goal."""
        return any(before[slot] != after[slot] for slot in self._flags)


def _round(value: float) -> str:
    return f"{round(value, 2):g}"


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
