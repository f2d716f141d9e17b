"""PlanReader: belief from wasted cost, reasons."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.core.values import Value
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
from telos.recognition.recognizer import BeliefUpdated, EventIgnored

# --- by planning pursuit ----------------------------------------------------------------------------------------------
# What one goal costs from where the player is, and how much of what was done was no use for it.


COST_TOLERANCE = 1e-9  # relative: sums of costs in another order differ in their last digits
UNREACHABLE = "never"


@dataclass(slots=True)
class GoalProgress:
    """How things stand for one goal.

    ``wasted`` is how much dearer than the cheapest what was done so far would make the goal. No action can lower it,
    so whatever it was when the goal was last worked out, it is at least that now. ``to_go`` is the cheapest from where
    that was (None: not known), ``steps`` is a way that costs so little, and ``spent`` is what the player had spent.
    """

    goal: Goal
    matters: frozenset[str]
    wasted: float = 0.0
    to_go: float | None = None
    steps: tuple[Action, ...] = ()
    spent: float = 0.0
    is_known: bool = False  # for where the player is now
    is_dear: bool = False  # the last search for it ran out of budget

    def follow(self, action: Action, cost: float, after: State) -> None:
        """Take in one action of the player; where the goal stands then is found without a search, or left open."""
        if not self.is_known or self.to_go is None or math.isinf(self.to_go):
            return  # what cannot be reached cannot be reached from further on either
        self.spent += cost
        if self.steps and is_same_action(self.steps[0], action):
            self.to_go, self.steps = max(0.0, self.to_go - cost), self.steps[1:]
        elif not any(effect.variable in self.matters for effect in action.effects):
            self.wasted += cost
        elif not self._reordered(action, cost, after):
            self.spent -= cost
            self.is_known = False

    def waste(self, cost: float) -> None:
        """Take in that so much was spent, and nothing changed."""
        if self.is_known:
            self.spent += cost
            self.wasted += cost

    def _reordered(self, action: Action, cost: float, after: State) -> bool:
        """Whether a step of the plan was done before its turn, and the others still do; none can be cheaper then.

        The goal can never come nearer by more than was spent, so a rest that costs just that much less is a best one.
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

    def shift(self, names: Mapping[str, Value], *, luck: bool) -> None:
        """Take in that the game states something else than was believed."""
        if self.matters.isdisjoint(names):
            return
        self.is_known = self.is_dear = False
        if luck:
            self.to_go, self.steps = None, ()  # what it cost before is nothing to compare with

    def begin_again(self, *, forgets: bool) -> None:
        """Count from here; if it ``forgets``, from where the game says next that things are."""
        self.wasted = 0.0
        if forgets or not self.is_known:
            self.to_go, self.steps, self.is_known = None, (), False

    def settle(self, answer: Answer, spent: float) -> None:
        """Take in what the goal costs from where the player is now."""
        if isinstance(answer, NoPlan) and answer.stop is Stop.BUDGET_SPENT:
            self.is_dear = True
            return
        if self.to_go is not None and isinstance(answer, Plan) and math.isfinite(self.to_go):
            self.wasted += spent - self.spent + answer.cost - self.to_go
        self.to_go, self.steps, self.spent = answer.cost, answer.steps, spent
        self.is_known, self.is_dear = True, False

    @property
    def is_out_of_reach(self) -> bool:
        """Whether it is known that the goal cannot be reached."""
        return self.is_known and self.to_go == math.inf

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "wasted": self.wasted,
            "to_go": UNREACHABLE if self.to_go == math.inf else self.to_go,
            "steps": [[step.name, *step.arguments.values()] for step in self.steps],
            "spent": self.spent,
            "is_known": self.is_known,
            "is_dear": self.is_dear,
        }

    def restore(self, saved: Mapping[str, Any], deeds: ActionMatcher) -> None:
        """Become exactly the pursuit that was saved."""
        self.wasted, self.spent = saved["wasted"], saved["spent"]
        self.to_go = math.inf if saved["to_go"] == UNREACHABLE else saved["to_go"]
        self.steps = tuple(deeds.named(name, to_tuples(arguments)) for name, *arguments in saved["steps"])
        self.is_known, self.is_dear = saved["is_known"], saved["is_dear"]


def to_tuples(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return values as they were before JSON made lists of tuples."""
    return tuple(to_tuples(value) if isinstance(value, list) else value for value in values)


def plan_cached(
    planner: Planner, state: State, goal: Goal, budget: int, deadline: float | None, *, keeps: bool
) -> Answer:
    """Return the cheapest plan; what was asked before is remembered, also by other readers of the domain.

    With a ``deadline`` an answer is only kept if ``keeps``: where the game is asked on the way, it may say something
    else the next time.
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


# --- by planning why --------------------------------------------------------------------------------------------------
# Why a reader by planning believes what it does, in words.


@dataclass(frozen=True, slots=True)
class UpdateNotes:
    """What is to be said about the last event."""

    first: str
    more: tuple[str, ...] = ()
    is_noise: bool = False

    def adding(self, said: str, *, is_noise: bool = False) -> "UpdateNotes":
        """Return the notes with one more."""
        return UpdateNotes(self.first, (*self.more, said), self.is_noise or is_noise)

    def lines(self, model: PlanModel, pursuits: Mapping[int, GoalProgress]) -> tuple[str, ...]:
        """Return the notes, and what holds of the goals: which are out of reach, not worked out, or the same."""
        found = [self.first, *self.more]
        lost = [model.goals[k] for k, same in enumerate(model.same) if pursuits[same].is_out_of_reach]
        if lost:
            found.append(f"cannot be reached from here: {', '.join(lost)}")
            if len(lost) == len(model.goals):
                found.append("that goes for every goal, so the belief says only what each had cost")
        found += [f"{name}: so far; its search ran out of budget" for name in _dear(model, pursuits)]
        return (*found, *model.equals)

    def save(self) -> list[Any]:
        """Return it as plain data."""
        return [self.first, list(self.more), self.is_noise]

    @classmethod
    def of(cls, saved: list[Any]) -> "UpdateNotes":
        """Return the notes that were saved."""
        return cls(saved[0], tuple(saved[1]), saved[2])


def _dear(model: PlanModel, pursuits: Mapping[int, GoalProgress]) -> list[str]:
    return [model.goals[k] for k, same in enumerate(model.same) if pursuits[same].is_dear]


@dataclass(frozen=True, slots=True)
class GoalAccount:
    """How one goal stands: its belief, what was wasted on it, and the way that is still to go (None: not known)."""

    goal: str
    belief: float
    wasted: float
    to_go: float | None
    steps: tuple[str, ...]
    is_known: bool

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
    """Why one goal is believed more than another, and how all of them stand, the likeliest first."""

    goal: str
    over: str | None
    accounts: tuple[GoalAccount, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in lines."""
        accounts = {each.goal: each for each in self.accounts}
        lines = []
        if self.over is not None:
            more = accounts[self.over].wasted - accounts[self.goal].wasted
            lines = [f"{self.goal} over {self.over}: {abs(more):.4g} {'less' if more >= 0 else 'more'} wasted"]
        return "\n".join([*lines, *(f"  {each}" for each in self.accounts), *self.notes])


def explain_belief(
    belief: Belief, pursuits: Mapping[str, GoalProgress], goal: str | None, over: str | None
) -> PlanningReasons:
    """Return why ``goal`` (the likeliest) is believed more than ``over`` (the next)."""
    ranked = sorted(pursuits, key=lambda name: -belief[name])
    for said in (goal, over):
        if said is not None and said not in pursuits:
            raise TelosError(f"unknown goal {said!r}", name_hint(said, pursuits))
    goal = goal or next(name for name in ranked if name != over or len(ranked) == 1)
    over = over or next((name for name in ranked if name != goal), None)
    return PlanningReasons(goal, over, tuple(_account(name, belief, pursuits[name]) for name in ranked), belief.reasons)


def _account(name: str, belief: Belief, pursuit: GoalProgress) -> GoalAccount:
    steps = tuple(map(str, pursuit.steps)) if pursuit.is_known else ()
    return GoalAccount(name, belief[name], pursuit.wasted, pursuit.to_go, steps, pursuit.is_known)


# --- by planning ------------------------------------------------------------------------------------------------------
# Reading a player by planning: who is after a goal does what brings it nearer, and little else.
#
# No training, and no library of plans: the domain that characters plan with is all there is. A goal is believed in by
# how
# much dearer than the cheapest way there the player's own way is. After Ramírez & Geffner (2009, 2010), online.


__all__ = ["PlanModel", "PlanModelOptions", "PlanReader"]


class PlanReader:
    """Keeps the belief about one player: prior x exp(-wasted / temperature), for every goal.

    What is wasted on a goal is the cost of what was done so far, and of the cheapest way on from here, less that of the
    cheapest way from the start. An event's context may state variables of the domain as they were before the action.

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
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The belief now."""
        return self._belief

    @property
    def state(self) -> State:
        """Where the player is by now, as far as can be told."""
        return self._state

    @property
    def spent(self) -> float:
        """What the player has spent so far, with what was not seen but must have been done."""
        return self._spent

    @property
    def wasted(self) -> dict[str, float]:
        """What of the player's way so far was no use, for each goal; for one that was not worked out, at least that."""
        return {goal: self._pursuit(k).wasted for k, goal in enumerate(self.goals)}

    def reset(self) -> None:
        """Forget the player, and start where the model says."""
        model = self.model
        self._state = model.start
        self._relevant = (True,) * len(model.goals)
        self._weigh_up(model.start)
        self._pursuits = {k: GoalProgress(model.wanted[k], model.matters[k]) for k in set(model.same)}
        self._player: str | None = None
        self._time = -math.inf
        self._spent = 0.0
        self.updates = 0
        self.ignored = 0  # events that nothing explains
        self.searches = 0
        self._settle(self._deadline())
        self._believe(UpdateNotes("nothing was seen yet"))

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        if event.player != self._player or event.time < self._time:
            check_event_order(event, self._player, self._time)
        model = self.model
        deed = model.deeds.of(event, self._state)
        told = changed_values(self._state, model.deeds.told(event, deed))
        here = self._state.replace(told) if told else self._state
        self._time, self._player = event.time, event.player
        deadline = self._deadline()
        if told:
            self._shift(here, told, deadline)
        notes = UpdateNotes(f"last seen: {event.action}")
        if deed is not None:
            self.updates += 1
            self._fade()
            notes = self._follow(deed, notes, deadline)
            self._settle(deadline)
        if event.goal is not None:
            self._begin_again()
            notes = notes.adding(f"{event.goal} was achieved, so what came before says no more")
        self._believe(notes)
        if self._trace is not silent:
            record = EventIgnored(event.time, event.player, event.action) if notes.is_noise else None
            self._trace(record or BeliefUpdated(event.time, event.player, event.action, self._chances))
        return self._belief

    def why(self, goal: str | None = None, over: str | None = None) -> PlanningReasons:
        """Say what was wasted on a goal (the likeliest) and on another (the next), and what would still be to do."""
        pursuits = {name: self._pursuit(k) for k, name in enumerate(self.goals)}
        return explain_belief(self._belief, pursuits, goal, over)

    def save(self) -> dict[str, Any]:
        """Return all that it knows about its player as plain data, if the handles in play are."""
        return {
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
            "pursuits": [self._pursuits[k].save() for k in sorted(self._pursuits)],
        }

    @classmethod
    def resume(cls, model: PlanModel, saved: Mapping[str, Any], *, trace: Trace = silent) -> "PlanReader":
        """Return a reader that goes on exactly where the saved one stopped."""
        reader = cls(model, trace=trace)
        if list(saved.get("goals", ())) != list(model.goals):
            raise TelosError(
                f"the saved belief is about {saved.get('goals')}, the model's goals are {list(model.goals)}",
                "resume it with the model that it was made with",
            )
        reader._player = saved["player"]
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader._state = State(model.domain.layout, to_tuples(saved["state"]))
        reader._weigh_up(State(model.domain.layout, to_tuples(saved["before"])))
        reader._spent, reader.updates = saved["spent"], saved["updates"]
        reader.ignored, reader.searches = saved["ignored"], saved["searches"]
        for k, each in zip(sorted(reader._pursuits), saved["pursuits"], strict=True):
            reader._pursuits[k].restore(each, model.deeds)
        reader._believe(UpdateNotes.of(saved["notes"]))
        return reader

    def _pursuit(self, goal: int) -> GoalProgress:
        return self._pursuits[self.model.same[goal]]

    def _deadline(self) -> float | None:
        budget = self.model.microseconds
        return None if budget is None else time.perf_counter() + budget / 1e6

    def _shift(self, here: State, told: Mapping[str, Value], deadline: float | None) -> None:
        """Go to where the game says that things are."""
        for each in self._pursuits.values():
            each.shift(told, luck=self.model.luck)
        self._state = here
        if self.model.luck:  # what the next action costs a goal is measured from here
            self._settle(deadline)

    def _fade(self) -> None:
        if self.model.keeps < 1.0:
            for each in self._pursuits.values():
                each.wasted *= self.model.keeps

    def _begin_again(self) -> None:
        for each in self._pursuits.values():
            each.begin_again(forgets=not self.model.luck)

    def _follow(self, deed: ObservedAction, notes: UpdateNotes, deadline: float | None) -> UpdateNotes:
        """Do what the player did, after whatever must have come before it."""
        self._weigh_up(self._state)
        if deed.action.is_possible(self._state):
            self._do(deed.action)
            return notes
        if self.model.sees_all:
            self._spend_in_vain(deed)
            return notes.adding(f"{deed.action} was tried in vain: {deed.needs.wants} did not hold")
        unseen = self._before_it(deed, deadline)
        if isinstance(unseen, NoPlan):
            self.ignored += 1
            why = "there was no time to explain" if unseen.stop is Stop.BUDGET_SPENT else "nothing explains"
            said = f"{why} {deed.action}: {deed.needs.wants} does not hold; it was ignored"
            return notes.adding(said, is_noise=True)
        for step in unseen.steps:
            self._do(step)
        self._do(deed.action)
        return notes.adding(f"not seen, but done before it: {', '.join(map(str, unseen.steps))}")

    def _before_it(self, deed: ObservedAction, deadline: float | None) -> Answer:
        """Return the cheapest that makes a deed possible; it must have been done, and was not seen."""
        left = None if deadline is None else max(1.0, (deadline - time.perf_counter()) * 1e6)
        # Handles that it speaks of come first among those in play, so that they have the same numbers every time.
        needs, handles = preconditions_of(deed, self._state, self.model.fixed)
        planner, budget = self.model.planner, self.model.budget
        return planner.plan(self._state, needs, budget=budget, microseconds=left, handles=handles)

    def _do(self, action: Action) -> None:
        cost = action_cost(action, self._state)
        self._state = action.result(self._state)
        self._spent += cost
        for each in self._pursuits.values():
            each.follow(action, cost, self._state)

    def _spend_in_vain(self, deed: ObservedAction) -> None:
        cost = action_cost(deed.action, self._state)
        self._spent += cost
        for each in self._pursuits.values():
            each.waste(cost)

    def _settle(self, deadline: float | None) -> None:
        """Plan for the goals whose cost could still make a difference, as long as there is time."""
        model, tried = self.model, set[int]()
        while (goal := self._next(tried)) is not None:
            pursuit = self._pursuits[goal]
            if deadline is not None and time.perf_counter() >= deadline:
                pursuit.is_dear = True
            else:
                self.searches += 1
                view = model.view(goal, self._state)
                answer = plan_cached(model.planner, view, pursuit.goal, model.budget, deadline, keeps=not model.asks)
                pursuit.settle(answer, self._spent)
            tried.add(goal)

    def _next(self, tried: set[int]) -> int | None:
        """Return the goal to plan for next: the likeliest that is open, but those that got nowhere the last time last.

        What is wasted only ever grows, so a goal's weight so far bounds what it can still come to: once the open ones
        together are too light to matter, none of them is planned for.
        """
        still = [k for k, each in self._pursuits.items() if not each.is_known and k not in tried]
        if not still:
            return None
        weights = dict.fromkeys(self._pursuits, 0.0)
        for k, weight in enumerate(self._weights()):
            weights[self.model.same[k]] += weight
        if self.model.luck:
            known = sum(weights[k] for k, each in self._pursuits.items() if each.is_known)
            if sum(weights[k] for k in still) <= self.model.tolerance * known:
                return None
        return min(still, key=lambda k: (self._pursuits[k].is_dear, -weights[k]))

    def _weights(self) -> list[float]:
        """Return what each goal weighs, the heaviest 1; nothing for one that is out of reach."""
        model = self.model
        logs = [
            log_prior - self._pursuits[same].wasted / model.temperature
            for log_prior, same in zip(model.log_prior, model.same, strict=True)
        ]
        thinkable = [
            not self._pursuits[same].is_out_of_reach and is_relevant
            for same, is_relevant in zip(model.same, self._relevant, strict=True)
        ]
        if not any(thinkable):  # then nothing is known about any of them, but what each has cost
            thinkable = [True] * len(logs)
        peak = max(log for log, can_be in zip(logs, thinkable, strict=True) if can_be)
        return [math.exp(log - peak) if can_be else 0.0 for log, can_be in zip(logs, thinkable, strict=True)]

    def _weigh_up(self, state: State) -> None:
        """Note which goals are relevant where the player decides what to do next."""
        self._before = state
        if self.model.relevance:
            self._relevant = tuple(goal.relevant.holds(state) for goal in self.model.wanted)

    def _believe(self, notes: UpdateNotes) -> None:
        weights = self._weights()
        total = math.fsum(weights)
        self._chances = tuple(weight / total for weight in weights)
        self._notes = notes
        self._belief = Belief.of(self.goals, self._chances, notes.lines(self.model, self._pursuits))
