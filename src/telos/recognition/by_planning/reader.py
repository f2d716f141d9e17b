"""PlanReader: the belief about one player by planning, with the reasons for it.

A goal is likely if the player wastes little cost on the way to it; it needs no training and no plan library, only the
domain that characters plan with. After Ramírez & Geffner (2009, 2010), online.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan, Stop
from telos.core.state import Layout, State
from telos.core.trace import Trace, silent
from telos.core.values import Value
from telos.files.snapshots import (
    SNAPSHOT_FORMAT,
    Count,
    Items,
    Row,
    SavedValue,
    SnapshotPart,
    check_known,
    check_length,
    read_snapshot,
    snapshot_error,
)
from telos.planning.planner import Planner
from telos.recognition.by_planning.model import (
    ActionMatcher,
    ObservedAction,
    PlanModel,
    PlanModelOptions,
    action_cost,
    changed_values,
    cost_of_steps,
    is_same_action,
    preconditions_of,
)
from telos.recognition.filtering import check_event_order
from telos.recognition.recognizer import (
    BeliefUpdated,
    EventIgnored,
    ModelReader,
    PlayerSnapshot,
    Reason,
    check_saved_goals,
    saved_time,
)

# --- progress towards one goal ----------------------------------------------------------------------------------------

COST_TOLERANCE = 1e-9  # relative: sums of costs in a different order differ in their last digits
UNREACHABLE = "never"
MAX_COST = 1e100  # of a saved state: sums of such costs are finite

_Cost = Annotated[float, Field(ge=0, le=MAX_COST, allow_inf_nan=False)]


class ProgressSnapshot(SnapshotPart):
    """The data of a saved ``GoalProgress``; a step is the name of an action and its arguments."""

    wasted: Annotated[float, Field(ge=-MAX_COST, le=MAX_COST, allow_inf_nan=False)]
    to_go: _Cost | Literal["never"] | None
    steps: Items[Items[SavedValue]]
    spent: _Cost
    is_known: bool
    is_dear: bool


class PlanReaderSnapshot(PlayerSnapshot):
    """The data of a saved ``PlanReader``."""

    goals: Items[str]
    state: Items[SavedValue]
    before: Items[SavedValue]
    spent: _Cost
    updates: Count
    ignored: Count
    searches: Count
    notes: Row[tuple[str, Items[str], bool]]
    pursuits: Items[ProgressSnapshot]


@dataclass(slots=True)
class GoalProgress:
    """The progress of the player towards one goal.

    ``wasted`` is the extra cost of the goal through the actions so far, over the cheapest plan. No action lowers it, so
    the last computed value is a lower bound. ``to_go`` is the cost of the cheapest plan from there (None: unknown),
    ``steps`` is such a plan, and ``spent`` is what the player had spent then.
    """

    goal: Goal
    matters: frozenset[str]
    wasted: float = 0.0
    to_go: float | None = None
    steps: tuple[Action, ...] = ()
    spent: float = 0.0
    is_known: bool = False  # for the current state
    is_over_budget: bool = False  # the last search ran out of budget

    def follow(self, action: Action, cost: float, after: State) -> None:
        """Update with one action of the player: without a search if possible, otherwise the cost becomes unknown."""
        if not self.is_known or self.to_go is None or math.isinf(self.to_go):
            return  # an unreachable goal stays unreachable
        self.spent += cost
        if self.steps and is_same_action(self.steps[0], action):
            self.to_go, self.steps = max(0.0, self.to_go - cost), self.steps[1:]
        elif not any(effect.variable in self.matters for effect in action.effects):
            self.wasted += cost
        elif not self._reordered(action, cost, after):
            self.spent -= cost
            self.is_known = False

    def waste(self, cost: float) -> None:
        """Update with a cost that changed nothing."""
        if self.is_known:
            self.spent += cost
            self.wasted += cost

    def _reordered(self, action: Action, cost: float, after: State) -> bool:
        """Whether a later step of the plan was done early and the rest is still a cheapest plan.

        An action cannot lower the remaining cost by more than its own cost, so a rest that is cheaper by just that is
        optimal.
        """
        place = next((k for k, step in enumerate(self.steps) if is_same_action(step, action)), None)
        if place is None or self.to_go is None:
            return False
        rest = (*self.steps[:place], *self.steps[place + 1 :])
        left = cost_of_steps(rest, after, self.goal)
        if left is None or left > self.to_go - cost + COST_TOLERANCE * (1.0 + self.to_go):
            return False
        self.to_go, self.steps = left, rest
        return True

    def apply_changes(self, names: Mapping[str, Value], *, luck: bool) -> None:
        """Update with variables that the game stated differently."""
        if self.matters.isdisjoint(names):
            return
        self.is_known = self.is_over_budget = False
        if luck:
            self.to_go, self.steps = None, ()  # the earlier cost is no longer comparable

    def restart(self, *, forgets: bool) -> None:
        """Start counting waste from the current state; with ``forgets``, from the next stated one."""
        self.wasted = 0.0
        if forgets or not self.is_known:
            self.to_go, self.steps, self.is_known = None, (), False

    def set_answer(self, answer: Answer, spent: float) -> None:
        """Update with the planner's answer for the current state."""
        if isinstance(answer, NoPlan) and answer.stop is Stop.BUDGET_SPENT:
            self.is_over_budget = True
            return
        if self.to_go is not None and isinstance(answer, Plan) and math.isfinite(self.to_go):
            self.wasted += spent - self.spent + answer.cost - self.to_go
        self.to_go, self.steps, self.spent = answer.cost, answer.steps, spent
        self.is_known, self.is_over_budget = True, False

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the goal is known to be unreachable."""
        return self.is_known and self.to_go == math.inf

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "wasted": self.wasted,
            "to_go": UNREACHABLE if self.to_go == math.inf else self.to_go,
            "steps": [[step.name, *step.arguments.values()] for step in self.steps],
            "spent": self.spent,
            "is_known": self.is_known,
            "is_dear": self.is_over_budget,
        }

    def restore(self, saved: ProgressSnapshot, matcher: ActionMatcher, path: Sequence[str | int]) -> None:
        """Restore a saved state, the part at ``path`` of a reader's snapshot."""
        if saved.is_known and saved.to_go is None:
            raise snapshot_error("reader", (*path, "to_go"), "is null, and is_known is true")
        steps = [_read_step(step, matcher, (*path, "steps", place)) for place, step in enumerate(saved.steps)]
        self.wasted, self.spent, self.steps = saved.wasted, saved.spent, tuple(steps)
        self.to_go = math.inf if isinstance(saved.to_go, str) else saved.to_go
        self.is_known, self.is_over_budget = saved.is_known, saved.is_dear


def _read_step(step: Sequence[Value], matcher: ActionMatcher, path: Sequence[str | int]) -> Action:
    if not step or not isinstance(step[0], str):
        raise snapshot_error("reader", path, "must be the name of an action and its arguments")
    name, *arguments = step
    check_known("reader", (*path, 0), name, matcher.actions)
    check_length("reader", path, step, 1 + len(matcher.actions[name].parameters))
    return matcher.bind(name, arguments)


def _read_state(layout: Layout, values: Sequence[Value], path: str) -> State:
    check_length("reader", path, values, len(layout.variables))
    for place, (variable, value) in enumerate(zip(layout.variables, values, strict=True)):
        if not variable.type.accepts(value):
            raise snapshot_error("reader", (path, place), f"must be {variable.type}, the type of {variable.name}")
    return State(layout, tuple(values))


def plan_cached(
    planner: Planner, state: State, goal: Goal, budget: int, deadline: float | None, *, keeps: bool
) -> Answer:
    """Return the cheapest plan; answers are cached in the planner, which all readers of the domain share.

    With a ``deadline``, an answer is cached only if ``keeps``: game functions may return other values the next time.
    """
    if deadline is None:
        return planner.plan(state, goal, budget=budget)
    known, _ = planner.recall(state, goal, "optimal", budget)
    if known is not None:
        return known
    left = (deadline - time.perf_counter()) * 1e6
    if left <= 0:
        return NoPlan(goal.name, Stop.BUDGET_SPENT)
    answer = planner.plan(state, goal, budget=budget, microseconds=left)
    is_final = isinstance(answer, Plan) or answer.stop is not Stop.BUDGET_SPENT
    if is_final and keeps:
        planner.remember(state, goal, "optimal", budget, answer, {})
    return answer


# --- explanation ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UpdateNotes:
    """Notes on the last event, for the reasons of the belief."""

    first: str
    more: tuple[str, ...] = ()
    is_noise: bool = False

    def with_note(self, note: str, *, is_noise: bool = False) -> "UpdateNotes":
        """Return the notes with one added."""
        return UpdateNotes(self.first, (*self.more, note), self.is_noise or is_noise)

    def lines(self, model: PlanModel, progresses: Mapping[int, GoalProgress]) -> tuple[str, ...]:
        """Return the notes in lines, with those on goals that are unreachable, over budget or equal."""
        found = [self.first, *self.more]
        lost = [model.goals[k] for k, same in enumerate(model.same) if progresses[same].is_out_of_reach]
        if lost:
            found.append(f"cannot be reached from here: {', '.join(lost)}")
            if len(lost) == len(model.goals):
                found.append("that goes for every goal, so the belief says only what each had cost")
        found += [f"{name}: so far; its search ran out of budget" for name in _over_budget(model, progresses)]
        return (*found, *model.equals)

    def save(self) -> list[Any]:
        """Return the state as plain data."""
        return [self.first, list(self.more), self.is_noise]


def _over_budget(model: PlanModel, progresses: Mapping[int, GoalProgress]) -> list[str]:
    return [model.goals[k] for k, same in enumerate(model.same) if progresses[same].is_over_budget]


@dataclass(frozen=True, slots=True)
class GoalAccount:
    """The account of one goal: its chance, its waste, and the remaining cost and plan (None: unknown)."""

    goal: str
    belief: float
    wasted: float
    to_go: float | None
    steps: tuple[str, ...]
    is_known: bool

    @property
    def words(self) -> str:
        """The account as a sentence: how much of what was done is no use for the goal, and what is left to do."""
        detour = "nothing was a detour" if self.wasted < 0.005 else f"{self.wasted:.3g} of the effort was a detour"
        if not self.is_known or self.to_go is None:
            return f"{self.goal} {self.belief:.0%}: {detour} so far"
        if self.to_go == math.inf:
            return f"{self.goal} {self.belief:.0%}: cannot be reached from here"
        left = f"left to do: {', '.join(self.steps)}" if self.steps else "it is achieved"
        return f"{self.goal} {self.belief:.0%}: {detour}; {left}"

    def __str__(self) -> str:
        at_least = "" if self.is_known else "at least "
        said = f"{self.goal} {self.belief:.0%}: {at_least}{self.wasted:.4g} wasted"
        if not self.is_known or self.to_go is None:
            return f"{said}; not worked out from here"
        if self.to_go == float("inf"):
            return f"{said}; cannot be reached from here"
        way = ", ".join(self.steps) or "it holds"
        return f"{said}; {self.to_go:.4g} to go: {way}"


@dataclass(frozen=True, slots=True)
class PlanningReasons:
    """Why one goal is believed more than another, and the account of every goal, the likeliest first."""

    goal: str
    over: str | None
    accounts: tuple[GoalAccount, ...]
    notes: tuple[str, ...]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What speaks for and against each goal, in words, the likeliest goal first."""
        return tuple(Reason(each.words) for each in self.accounts)

    def __str__(self) -> str:
        """Return the explanation in lines."""
        accounts = {each.goal: each for each in self.accounts}
        lines = []
        if self.over is not None:
            more = accounts[self.over].wasted - accounts[self.goal].wasted
            lines = [f"{self.goal} over {self.over}: {abs(more):.4g} {'less' if more >= 0 else 'more'} wasted"]
        return "\n".join([*lines, *(f"  {each}" for each in self.accounts), *self.notes])


def explain_belief(
    belief: Belief, progresses: Mapping[str, GoalProgress], goal: str | None, over: str | None
) -> PlanningReasons:
    """Explain why ``goal`` (default: the likeliest) is believed more than ``over`` (the next)."""
    ranked = sorted(progresses, key=lambda name: -belief[name])
    for said in (goal, over):
        if said is not None and said not in progresses:
            raise TelosError(f"unknown goal {said!r}", name_hint(said, progresses))
    goal = goal or next(name for name in ranked if name != over or len(ranked) == 1)
    over = over or next((name for name in ranked if name != goal), None)
    return PlanningReasons(
        goal, over, tuple(_account(name, belief, progresses[name]) for name in ranked), belief.reasons
    )


def _account(name: str, belief: Belief, progress: GoalProgress) -> GoalAccount:
    steps = tuple(map(str, progress.steps)) if progress.is_known else ()
    return GoalAccount(name, belief[name], progress.wasted, progress.to_go, steps, progress.is_known)


# --- reader -----------------------------------------------------------------------------------------------------------

__all__ = ["PlanModel", "PlanModelOptions", "PlanReader"]


class PlanReader(ModelReader[PlanModel]):
    """A recogniser: the belief in a goal is proportional to prior x exp(-wasted / temperature).

    The waste of a goal is the cost so far plus that of the cheapest plan from here, minus that of the cheapest plan
    from the start. An event's context may state variables of the domain as they were before the action.

    >>> from telos.core.action import Action
    >>> from telos.core.domain import Domain
    >>> from telos.core.goal import Goal
    >>> from telos.core.values import Variable
    >>> street = Domain(
    ...     variables=[Variable("x", "int")],
    ...     actions=[Action("left", effects="x -= 1"), Action("right", effects="x += 1")],
    ...     goals=[Goal("shop", wants="x == -3"), Goal("school", wants="x == 3")],
    ... )
    >>> reader = PlanReader(PlanModel(street))
    >>> reader.observe(Event("right"))
    Belief(shop=0.119, school=0.881)
    """

    def __init__(self, model: PlanModel, *, trace: Trace = silent) -> None:
        self.model = model
        self._trace = trace
        self.reset()

    @property
    def state(self) -> State:
        """The estimated current state."""
        return self._state

    @property
    def spent(self) -> float:
        """The cost of the player's actions so far, including inferred ones."""
        return self._spent

    @property
    def wasted(self) -> dict[str, float]:
        """The waste for each goal; a lower bound for goals that were not planned for."""
        return {goal: self._progress_of(k).wasted for k, goal in enumerate(self.goals)}

    def reset(self) -> None:
        """Forget the player: return to the model's start."""
        model = self.model
        self._state = model.start
        self._relevant = (True,) * len(model.goals)
        self._set_decision_state(model.start)
        self._progresses = {k: GoalProgress(model.wanted[k], model.matters[k]) for k in set(model.same)}
        self._player: str | None = None
        self._time = -math.inf
        self._spent = 0.0
        self.updates = 0
        self.ignored = 0  # events without an explanation
        self.searches = 0
        self._plan_goals(self._deadline())
        self._set_belief(UpdateNotes("nothing was seen yet"))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        if event.player != self._player or event.time < self._time:
            check_event_order(event, self._player, self._time)
        model = self.model
        observed = model.matcher.match(event, self._state)
        told = changed_values(self._state, model.matcher.stated_values(event, observed))
        here = self._state.replace(told) if told else self._state
        self._time, self._player = event.time, event.player
        deadline = self._deadline()
        if told:
            self._apply_changes(here, told, deadline)
        notes = UpdateNotes(f"last seen: {event.action}")
        if observed is not None:
            self.updates += 1
            self._decay()
            notes = self._follow(observed, notes, deadline)
            self._plan_goals(deadline)
        if event.goal is not None:
            self._restart()
            notes = notes.with_note(f"{event.goal} was achieved, so what came before says no more")
        self._set_belief(notes)
        if self._trace is not silent:
            record = EventIgnored(event.time, event.player, event.action) if notes.is_noise else None
            self._trace(record or BeliefUpdated(event.time, event.player, event.action, self._chances))
        return self._belief

    def why(self, goal: str | None = None, over: str | None = None) -> PlanningReasons:
        """Explain the belief in a goal (default: the likeliest) over another (the next): waste and remaining plans."""
        progresses = {name: self._progress_of(k) for k, name in enumerate(self.goals)}
        return explain_belief(self._belief, progresses, goal, over)

    def save(self) -> dict[str, Any]:
        """Return the state as plain data, if all handles are plain data."""
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "state": list(self._state.array),
            "before": list(self._before.array),
            "spent": self._spent,
            "updates": self.updates,
            "ignored": self.ignored,
            "searches": self.searches,
            "notes": self._notes.save(),
            "pursuits": [self._progresses[k].save() for k in sorted(self._progresses)],
        }

    @classmethod
    def resume(cls, model: PlanModel, saved: Mapping[str, Any], *, trace: Trace = silent) -> "PlanReader":
        """Return a reader that continues from a saved state; one with a fault is refused with its place."""
        read = read_snapshot(PlanReaderSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, model.goals)
        last, layout = saved_time("reader", read), model.domain.layout
        state, before = _read_state(layout, read.state, "state"), _read_state(layout, read.before, "before")
        check_length("reader", "pursuits", read.pursuits, len(set(model.same)))
        if read.ignored > read.updates:
            raise snapshot_error("reader", ("ignored",), f"is {read.ignored}, of {read.updates} updates")
        reader = cls(model, trace=trace)
        for place, (k, each) in enumerate(zip(sorted(reader._progresses), read.pursuits, strict=True)):
            reader._progresses[k].restore(each, model.matcher, ("pursuits", place))
            if not math.isfinite(each.wasted / model.temperature):
                raise snapshot_error("reader", ("pursuits", place, "wasted"), f"is {each.wasted:g}, too much")
        reader._player, reader._time, reader._state = read.player, last, state
        reader._set_decision_state(before)
        reader._spent, reader.updates = read.spent, read.updates
        reader.ignored, reader.searches = read.ignored, read.searches
        first, more, is_noise = read.notes
        reader._set_belief(UpdateNotes(first, tuple(more), is_noise))
        return reader

    def _progress_of(self, goal: int) -> GoalProgress:
        return self._progresses[self.model.same[goal]]

    def _deadline(self) -> float | None:
        budget = self.model.microseconds
        return None if budget is None else time.perf_counter() + budget / 1e6

    def _apply_changes(self, here: State, told: Mapping[str, Value], deadline: float | None) -> None:
        """Move to the state that the game stated."""
        for each in self._progresses.values():
            each.apply_changes(told, luck=self.model.luck)
        self._state = here
        if self.model.luck:  # the waste of the next action is measured from here
            self._plan_goals(deadline)

    def _decay(self) -> None:
        if self.model.keeps < 1.0:
            for each in self._progresses.values():
                each.wasted *= self.model.keeps

    def _restart(self) -> None:
        for each in self._progresses.values():
            each.restart(forgets=not self.model.luck)

    def _follow(self, observed: ObservedAction, notes: UpdateNotes, deadline: float | None) -> UpdateNotes:
        """Apply the player's action, after inferred actions that make it possible."""
        self._set_decision_state(self._state)
        if observed.action.is_possible(self._state):
            self._do(observed.action)
            return notes
        if self.model.sees_all:
            self._waste_attempt(observed)
            return notes.with_note(f"{observed.action} was tried in vain: {observed.needs.wants} did not hold")
        unseen = self._plan_unseen(observed, deadline)
        if isinstance(unseen, NoPlan):
            self.ignored += 1
            why = "there was no time to explain" if unseen.stop is Stop.BUDGET_SPENT else "nothing explains"
            said = f"{why} {observed.action}: {observed.needs.wants} does not hold; it was ignored"
            return notes.with_note(said, is_noise=True)
        for step in unseen.steps:
            self._do(step)
        self._do(observed.action)
        return notes.with_note(f"not seen, but done before it: {', '.join(map(str, unseen.steps))}")

    def _plan_unseen(self, observed: ObservedAction, deadline: float | None) -> Answer:
        """Return the cheapest plan that makes an observed action possible: it was done, but not observed."""
        left = None if deadline is None else max(1.0, (deadline - time.perf_counter()) * 1e6)
        # Handles in the condition come first, so that they get the same numbers every time.
        needs, handles = preconditions_of(observed, self._state, self.model.fixed)
        planner, budget = self.model.planner, self.model.budget
        return planner.plan(self._state, needs, budget=budget, microseconds=left, handles=handles)

    def _do(self, action: Action) -> None:
        cost = action_cost(action, self._state)
        self._state = action.result(self._state)
        self._spent += cost
        for each in self._progresses.values():
            each.follow(action, cost, self._state)

    def _waste_attempt(self, observed: ObservedAction) -> None:
        cost = action_cost(observed.action, self._state)
        self._spent += cost
        for each in self._progresses.values():
            each.waste(cost)

    def _plan_goals(self, deadline: float | None) -> None:
        """Plan for the goals whose cost can still change the belief, while there is time."""
        model, tried = self.model, set[int]()
        while (goal := self._next_goal(tried)) is not None:
            progress = self._progresses[goal]
            if deadline is not None and time.perf_counter() >= deadline:
                progress.is_over_budget = True
            else:
                self.searches += 1
                view = model.view(goal, self._state)
                answer = plan_cached(model.planner, view, progress.goal, model.budget, deadline, keeps=not model.asks)
                progress.set_answer(answer, self._spent)
            tried.add(goal)

    def _next_goal(self, tried: set[int]) -> int | None:
        """Return the goal to plan for next: the likeliest without a plan, those that ran out of budget last.

        Waste never decreases, so a goal's current weight is an upper bound: once the open goals together are too
        unlikely to matter, none of them is planned for.
        """
        still = [k for k, each in self._progresses.items() if not each.is_known and k not in tried]
        if not still:
            return None
        weights = dict.fromkeys(self._progresses, 0.0)
        for k, weight in enumerate(self._weights()):
            weights[self.model.same[k]] += weight
        if self.model.luck:
            known = sum(weights[k] for k, each in self._progresses.items() if each.is_known)
            if sum(weights[k] for k in still) <= self.model.tolerance * known:
                return None
        return min(still, key=lambda k: (self._progresses[k].is_over_budget, -weights[k]))

    def _weights(self) -> list[float]:
        """Return the weight of each goal, the largest 1; 0 for unreachable ones."""
        model = self.model
        logs = [
            log_prior - self._progresses[same].wasted / model.temperature
            for log_prior, same in zip(model.log_prior, model.same, strict=True)
        ]
        possible = [
            not self._progresses[same].is_out_of_reach and is_relevant
            for same, is_relevant in zip(model.same, self._relevant, strict=True)
        ]
        if not any(possible):  # then only the waste of each is known
            possible = [True] * len(logs)
        peak = max(log for log, can_be in zip(logs, possible, strict=True) if can_be)
        return [math.exp(log - peak) if can_be else 0.0 for log, can_be in zip(logs, possible, strict=True)]

    def _set_decision_state(self, state: State) -> None:
        """Record the state of the decision, and which goals are relevant in it."""
        self._before = state
        if self.model.relevance:
            self._relevant = tuple(goal.relevant.holds(state) for goal in self.model.wanted)

    def _set_belief(self, notes: UpdateNotes) -> None:
        weights = self._weights()
        total = math.fsum(weights)
        self._chances = tuple(weight / total for weight in weights)
        self._notes = notes
        self._belief = Belief.of(self.goals, self._chances, notes.lines(self.model, self._progresses))
