"""The method of Ramírez and Geffner (2010): the costs of explaining and of avoiding what was seen."""

import math
from collections.abc import Sequence

from telos.core.belief import Belief
from telos.recognition.strips.costs import GoalCosts, SearchBudget, SearchCost
from telos.recognition.strips.problem import StripsProblem
from telos.recognition.strips.reading import GoalCost, PlanReading

INF = float("inf")
SAME_RATIO = 1 - 1e-9  # goals whose beliefs differ less than rounding does are equally likely


def recognize_by_cost_difference(
    problem: StripsProblem,
    observed: Sequence[Sequence[int]],
    *,
    beta: float,
    prior: Sequence[float],
    budget: SearchBudget,
    is_prefix: bool,
    within: float,
    notes: Sequence[str],
) -> PlanReading:
    """Return the belief proportional to prior × 1 / (1 + exp(beta × difference)).

    The difference is the cost of a cheapest plan with the observations minus that of a cheapest plan without them, both
    from A*, in units of the problem's costs. The goals with the highest belief are chosen. Where the budget ends
    before a cost is exact, that of a plan stands, or a lower bound, and the reading is not complete.
    """
    costs = _GoalCostsOfBoth(problem, observed, is_prefix, budget)
    found = [costs.find(goal) for goal in range(len(problem.goals))]
    logs = [
        math.log(each) + _log_likelihood(beta, *cost) if each > 0 else -INF
        for each, cost in zip(prior, found, strict=True)
    ]
    notes = [*notes, *_unreachable(problem, found)]
    peak = max(logs)
    if peak == -INF:
        notes.append("no goal fits what was seen, so the belief is the prior")
        weights, chosen = list(prior), tuple[int, ...]()
    else:  # relative to the likeliest, as all may be very unlikely
        weights = [math.exp(each - peak) for each in logs]
        chosen = tuple(goal for goal, each in enumerate(weights) if each >= min(within, SAME_RATIO))
    total = math.fsum(weights)
    belief = Belief({goal.name: each / total for goal, each in zip(problem.goals, weights, strict=True)})
    rows = tuple(_goal_cost(*cost) for cost in found)
    return PlanReading(belief, chosen, rows, all(cost.is_exact for cost in rows), tuple(notes), budget.spent)


class _GoalCostsOfBoth:
    """The costs of goals with the observations in every plan, and in none."""

    def __init__(
        self, problem: StripsProblem, observed: Sequence[Sequence[int]], is_prefix: bool, budget: SearchBudget
    ) -> None:
        self._budget = budget
        self._plain = GoalCosts(problem)
        self._with = GoalCosts(problem, observed, is_prefix=is_prefix)
        self._without = GoalCosts(problem, observed, is_prefix=is_prefix, is_avoided=True) if observed else None

    def find(self, goal: int) -> tuple[SearchCost, SearchCost]:
        """Return the cost with the observations and without them: one of the two is that of a cheapest plan."""
        best, seen = self._search(self._plain, goal), self._search(self._with, goal)
        if self._without is None:  # every plan contains no observations
            return seen, SearchCost(INF)
        if seen.least > best.most or best.least == INF:
            return seen, best
        return seen, self._search(self._without, goal)

    def _search(self, costs: GoalCosts, goal: int) -> SearchCost:
        found = costs.search(goal, budget=self._budget, is_greedy=True)
        if found.is_exact or self._budget.is_spent:
            return found
        return found.combine(costs.search(goal, budget=self._budget, limit=found.most))


def _log_likelihood(beta: float, seen: SearchCost, avoiding: SearchCost) -> float:
    """Return the logarithm of the chance of the observations under a goal with these costs.

    >>> math.exp(_log_likelihood(1.0, SearchCost(5, 5), SearchCost(5, 5)))
    0.5
    >>> _log_likelihood(1e6, SearchCost(7, 7), SearchCost(5, 5))
    -2000000.0
    """
    if seen.least == INF:
        return -INF
    if avoiding.least == INF:
        return 0.0
    power = beta * (_estimate(seen) - _estimate(avoiding))
    return -max(0.0, power) - math.log1p(math.exp(-abs(power)))


def _estimate(cost: SearchCost) -> float:
    return cost.most if cost.most < INF else cost.least


def _goal_cost(seen: SearchCost, avoiding: SearchCost) -> GoalCost:
    explained, avoided = _estimate(seen), _estimate(avoiding)
    return GoalCost(min(explained, avoided), explained, None, seen.is_exact and avoiding.is_exact, avoided)


def _unreachable(problem: StripsProblem, found: Sequence[tuple[SearchCost, SearchCost]]) -> list[str]:
    return [
        f"goal {goal}, {problem.goals[goal].name}, cannot be reached"
        for goal, costs in enumerate(found)
        if all(cost.least == INF for cost in costs)
    ]
