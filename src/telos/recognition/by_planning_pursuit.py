"""What one goal costs from where the player is, and how much of what was done was no use for it."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.action import Action
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import Value
from telos.planning.planner import Planner
from telos.recognition.by_planning_deeds import Deeds, outcome, same_deed

SLACK = 1e-9  # relative: sums of costs in another order differ in their last digits
NEVER = "never"


@dataclass(slots=True)
class Pursuit:
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
        if self.steps and same_deed(self.steps[0], action):
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
        place = next((k for k, step in enumerate(self.steps) if same_deed(step, action)), None)
        if place is None or self.to_go is None:
            return False
        rest = (*self.steps[:place], *self.steps[place + 1 :])
        left = outcome(rest, after, self.goal)
        if left is None or left > self.to_go - cost + SLACK * (1.0 + self.to_go):
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
            "to_go": NEVER if self.to_go == math.inf else self.to_go,
            "steps": [[step.name, *step.arguments.values()] for step in self.steps],
            "spent": self.spent,
            "is_known": self.is_known,
            "is_dear": self.is_dear,
        }

    def restore(self, saved: Mapping[str, Any], deeds: Deeds) -> None:
        """Become exactly the pursuit that was saved."""
        self.wasted, self.spent = saved["wasted"], saved["spent"]
        self.to_go = math.inf if saved["to_go"] == NEVER else saved["to_go"]
        self.steps = tuple(deeds.named(name, plain(arguments)) for name, *arguments in saved["steps"])
        self.is_known, self.is_dear = saved["is_known"], saved["is_dear"]


def plain(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return values as they were before JSON made lists of tuples."""
    return tuple(plain(value) if isinstance(value, list) else value for value in values)


def ask(planner: Planner, state: State, goal: Goal, budget: int, deadline: float | None, *, keeps: bool) -> Answer:
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
