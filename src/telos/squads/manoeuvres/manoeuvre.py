"""Manoeuvres: squad behaviours that are planned by task networks. Start with `Manoeuvre`.

A manoeuvre has stages, each a task. When a stage begins, its task is refined by methods until only orders are left,
from what the squad knows then; members carry them out at the same time. When an order cannot be carried out, the stage
is planned again.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain

from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.plan import Diagnosis, NoPlan, Stop
from telos.core.values import Value
from telos.planning.htn.network import TaskNetwork, UnmetParts
from telos.planning.htn.planner import TaskPlan, plan_tasks
from telos.squads.behaviours.protocol import RUNNING, NotNow, Verdict, continued, failed_verdict, fulfilled_verdict
from telos.squads.manoeuvres.domain import LASTING_TASKS, make_orders
from telos.squads.manoeuvres.facts import SquadFacts
from telos.squads.squad import (
    Assignment,
    Member,
    Order,
    Squad,
    in_valid_cover,
    is_order_done,
    known_enemies,
    refusal_reason,
    self_report,
)

BUDGET = 2_000  # situations that the plan of one stage may look at
MAX_COMBINATIONS = 5_000  # of handles for one method: each situation tries all of them


@dataclass(frozen=True, slots=True)
class Stage:
    """A task of a manoeuvre. It ends when its orders are carried out, or after ``lasts`` seconds."""

    task: str
    lasts: float | None = None


@dataclass(frozen=True, slots=True)
class StageOrders:
    """The orders of a stage and the plan that they come from; ``plan`` is a `NoPlan` if there are none."""

    orders: dict[str, Order]
    plan: TaskPlan | NoPlan
    why: str


@dataclass(frozen=True, slots=True)
class Manoeuvre:
    """A squad behaviour that a file describes; it may ``begin``, and goes on, while its conditions hold.

    Lasting orders (suppress, follow, guard_rear, watch) are carried on until their member has another order; they do
    not hold up the end of a stage.
    """

    name: str
    network: TaskNetwork = field(repr=False)
    stages: tuple[Stage, ...]
    about: str = ""
    begin: Condition | None = None
    goes_on: Condition | None = None
    until: Condition | None = None
    limit: float = 15.0
    cooldown: float = 6.0
    serves: None = None

    # --- beginning ---

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Plan the first stage, or say what is missing."""
        facts = SquadFacts(squad, now)
        for condition in (self.begin, self.goes_on):
            if (unmet := self._find_unmet(condition, facts)) is not None:
                return NotNow(f"it needs {unmet}")
        planned = self.plan_stage(self.stages[0], facts)
        if not planned.orders:
            return NotNow(planned.why)
        places = tuple(stage.task for stage in self.stages)
        return Assignment.create(self.name, planned.orders, planned.why, now, places)

    def plan_stage(self, stage: Stage, facts: SquadFacts, done: Collection[str] = ()) -> StageOrders:
        """Plan a stage from what a squad knows; ``done`` are members who have carried out their orders in it."""
        taken = {each: self_report(member, "at", facts.now) for each in done if (member := facts.squad.member(each))}
        given = tuple((each, taken.get(each)) for each in sorted({*done, *facts.busy}))
        known = {**facts.counts, "ordered": len(taken), "given": given}
        with facts.in_use():
            try:
                self._check_combinations(facts)
                plan = plan_tasks(self.network, known, stage.task, optimal=False, budget=BUDGET, handles=facts.handles)
                if isinstance(plan, NoPlan):
                    return StageOrders({}, plan, _shorten(plan))
            except TelosError as error:  # a condition without a value ends the manoeuvre, and not the fight
                said = Diagnosis((), f"{stage.task}: {error}")
                return StageOrders({}, NoPlan(stage.task, Stop.UNREACHABLE, diagnose=lambda _: said), said.said)
        orders = make_orders((plan.task(step) for step in range(len(plan.steps))), facts)
        if not orders and not done:
            return StageOrders({}, plan, f"{stage.task} orders nothing")
        if stage.lasts is None and not done and all(order.task in LASTING_TASKS for order in orders.values()):
            return StageOrders({}, plan, f"{stage.task} has lasting orders only, and no time: add `lasts: 4 s`")
        return StageOrders(orders, plan, _explain(plan))

    def _check_combinations(self, facts: SquadFacts) -> None:
        """Raise an error if a method has too many combinations of handles to choose from."""
        for method in chain.from_iterable(self.network.tasks.values()):
            count = math.prod(len(facts.handles.get(kind.handle, ())) for kind in method.choose.values())
            if count > MAX_COMBINATIONS:
                chosen = ", ".join(method.choose)
                raise TelosError(
                    f"{method.name} has {count} combinations of {chosen} to choose from, and may have "
                    f"{MAX_COMBINATIONS}",
                    "let its subtasks choose some of them",
                )

    def why(self, squad: Squad, now: float) -> str:
        """Explain what the manoeuvre would order a squad now, method by method, or why it cannot begin."""
        facts = SquadFacts(squad, now)
        for word, condition in (("begin", self.begin), ("while", self.goes_on)):
            if (unmet := self._find_unmet(condition, facts)) is not None:
                return f"{self.name}: `{word}` needs {unmet}"
        with facts.in_use():
            return f"{self.name}: {self.plan_stage(self.stages[0], facts).plan.why()}"

    # --- going on ---

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Go on to the next stage, plan the stage again if an order has failed, or end."""
        facts = SquadFacts(squad, now)
        if self.until is not None and self._find_unmet(self.until, facts) is None:
            return fulfilled_verdict(f"`{self.until}`")
        if (unmet := self._find_unmet(self.goes_on, facts)) is not None:
            return failed_verdict(f"it goes on while {unmet}")
        stage = self.stages[len(self.stages) - len(assignment.places)]
        done, failures = _judge_orders(assignment, squad, now)
        if stage.lasts is not None and now - assignment.since >= stage.lasts:
            return self._next_stage(assignment, facts)
        if failures:
            return self._replan(assignment, stage, squad, now, done, failures)
        finite = {name for name, order in assignment.orders.items() if order.task not in LASTING_TASKS}
        if stage.lasts is None and finite <= set(done):
            return self._next_stage(assignment, facts)
        return RUNNING

    def _next_stage(self, assignment: Assignment, facts: SquadFacts) -> Verdict:
        ended, *left = assignment.places
        if not left:
            return fulfilled_verdict(f"{ended} is done")
        planned = self.plan_stage(self.stages[len(self.stages) - len(left)], facts)
        if not planned.orders:
            return failed_verdict(f"{ended} is done, but {planned.why}")
        onward = assignment.reordered(planned.orders, f"{ended} is done; {planned.why}")
        return continued(replace(onward, since=facts.now, places=tuple(left)))

    def _replan(
        self,
        assignment: Assignment,
        stage: Stage,
        squad: Squad,
        now: float,
        done: Collection[str],
        failures: dict[str, str],
    ) -> Verdict:
        """Plan the stage again, without those who refuse; who has carried out an order keeps it."""
        why = next(iter(failures.values()))
        unwilling = [name for name in squad.names if _has_refused(squad, name, assignment, now)]
        facts = SquadFacts(squad, now, unwilling)
        planned = self.plan_stage(stage, facts, done)
        if isinstance(planned.plan, NoPlan):
            return failed_verdict(f"{why}, and {planned.why}")
        orders = {**{name: assignment.orders[name] for name in done}, **planned.orders}
        if not orders:
            return failed_verdict(f"{why}, and {planned.why}")
        if any(name in orders and orders[name].same_as(assignment.orders[name]) for name in failures):
            return failed_verdict(f"{why}, and {stage.task} has no other plan")
        return continued(assignment.reordered(orders, f"{why}; {planned.why}"))

    def _find_unmet(self, condition: Condition | None, facts: SquadFacts) -> str | None:
        """Return the parts of a condition that do not hold or have no value, as text; None if all do."""
        if condition is None:
            return None
        state = self.network.domain.state(dict(facts.counts))
        try:
            return None if condition.holds(state) else UnmetParts.of(condition, state, ()).text
        except TelosError as error:
            return f"`{condition}`, which has no value: {error}"

    # --- saved games ---

    def find_assignment_flaw(self, assignment: Assignment) -> str | None:
        """Return why the manoeuvre could not go on with an assignment from a saved game, or None if it can."""
        left = tuple(stage.task for stage in self.stages[len(self.stages) - len(assignment.places) :])
        if not assignment.places or assignment.places != left:
            return f"its stages are {', '.join(stage.task for stage in self.stages)}"
        return None


def _judge_orders(assignment: Assignment, squad: Squad, now: float) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the members who have carried out their orders, and why others cannot, by member."""
    done, failures = [], dict[str, str]()
    for name, order in assignment.orders.items():
        member = squad.member(name)
        if member is None:
            failures[name] = f"{name} is dead"
        elif order.task not in LASTING_TASKS and _is_done(member, order, now):
            done.append(name)
        elif (why := _find_failure(member, order, now)) is not None:
            failures[name] = why
    return tuple(done), failures


def _is_done(member: Member, order: Order, now: float) -> bool:
    # Arriving at a node is not yet searching it.
    return is_order_done(member, replace(order, node=None) if order.task == "search" else order, now)


def _find_failure(member: Member, order: Order, now: float) -> str | None:
    """Return why a member cannot carry out an order, or None."""
    if (why := refusal_reason(member, order, now)) is not None:
        return why
    if order.task == "suppress" and order.target not in {fact.subject for fact in known_enemies([member], now)}:
        return f"{order.target} is gone"
    if order.task in ("cover", "advance") and order.node is not None:
        fact = member.memory.recall("cover", order.node, now)
        is_there = self_report(member, "at", now) == order.node
        if (fact is not None and not fact.get("valid")) and not (is_there and in_valid_cover(member, now)):
            return f"{order.node} no longer protects {member.name}"
    return None


def _has_refused(squad: Squad, name: str, assignment: Assignment, now: float) -> bool:
    """Whether a member has refused or dropped an order of this assignment."""
    member, order = squad.member(name), assignment.orders.get(name)
    if member is None:
        return False
    answer: Value = member.memory.recall("order_refused", "current", now)
    if answer is not None and answer.time >= assignment.began:
        return True
    return order is not None and refusal_reason(member, order, now) is not None


def _explain(plan: TaskPlan) -> str:
    """Return the methods of a plan in one line: those that order something, with what they chose."""
    found = [branch for branch in plan.tree if branch.method is not None and branch.method.subtasks]
    return "; ".join(dict.fromkeys(str(branch) for branch in found))


def _shorten(plan: NoPlan) -> str:
    """Return why there is no plan in one line: the deepest point at which it got stuck."""
    lines: Iterable[str] = [line.strip() for line in plan.why().splitlines()[1:]]
    found = [line for line in lines if line]
    if len(found) > 1 and found[0].endswith("applies"):
        return f"{found[0].partition(':')[0]}: {found[1]}"
    return found[0] if found else plan.stop.value
