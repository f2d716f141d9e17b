"""Goal recognition by planning over STRIPS: ``recognize`` returns a ``PlanReading``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.values import check_finite, check_not_negative
from telos.recognition.strips.costs import GoalCosts, SearchBudget, SearchCost
from telos.recognition.strips.problem import StripsAction, StripsGoal, StripsProblem, normalize_atom


@dataclass(frozen=True, slots=True)
class GoalCost:
    """The optimal cost of a goal, without and with the observations.

    Both are exact if ``is_exact``, otherwise lower bounds. ``detour`` is the mean extra cost of avoiding one of the
    observed actions: high if the goal needs them.
    """

    best: float
    seen: float
    detour: float
    is_exact: bool

    @property
    def extra(self) -> float:
        """The extra cost of a plan that explains the observations."""
        return self.seen - self.best if self.best < float("inf") else float("inf")


@dataclass(frozen=True, slots=True)
class PlanReading:
    """The result of recognition: the belief over the candidate goals, and why.

    ``chosen`` are the indices of the goals that are about as likely as the likeliest. ``complete`` says that no further
    search can change them; otherwise the belief is the best so far. ``notes`` report problems of the input.
    """

    belief: Belief
    chosen: tuple[int, ...]
    costs: tuple[GoalCost, ...]
    complete: bool
    notes: tuple[str, ...] = ()
    spent: int = field(default=0, compare=False)  # microseconds, or work if that is counted

    def why(self) -> str:
        """Return the costs of each goal in lines, the likeliest first."""
        ranked = sorted(zip(self.belief.items(), self.costs, strict=True), key=lambda each: -each[0][1])
        lines = [_describe_goal(name, chance, cost) for (name, chance), cost in ranked]
        state = "no search can change the choice" if self.complete else "so far: the budget ended before all was proved"
        return "\n".join([*lines, state, *self.notes])


def _describe_goal(name: str, chance: float, cost: GoalCost) -> str:
    if cost.best == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached"
    if cost.seen == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached after what was seen"
    about = "" if cost.is_exact else "about "
    return (
        f"{chance:6.1%}  {name}: costs {about}{cost.best:g}, with what was seen {about}{cost.seen:g}; "
        f"to do without one of the actions seen, {cost.detour:.1f} more"
    )


TEMPERATURE = 1.0  # average actions
NOISE = 2.0  # average actions
MAX_NOISE = 1000.0  # a larger one gives the same answers: no observation is wrong that a plan can explain
BUDGET = 250_000  # microseconds
MAX_BUDGET = MAX_WORK = 10**15
SECONDS_FOR_BOUNDS = 0.1  # beside the budget: without bounds there is no answer
MAX_HINTS = 10  # for observations that are not actions: comparing names is slow
CHOSEN_RATIO = 0.5
CANDIDATE_RATIO = 0.05  # goals with at least this ratio to the likeliest, by bounds, are searched
EXACT_LIMIT_STEPS, MAX_LIMIT_STEPS = 1000, 1050  # of the cost up to which a goal is likely
DETOUR_PENALTY = 10.0  # average actions: added to the cost of an observed action to test whether a goal needs it
NEED_TEMPERATURE, NEED_WEIGHT = 2.0, 1.5  # fitted on public problems, as TEMPERATURE, NOISE and WITHIN are

INF = float("inf")


def recognize(
    problem: StripsProblem,
    observations: Sequence[str],
    *,
    temperature: float = TEMPERATURE,
    noise: float | None = NOISE,
    budget: int | None = None,
    work: int | None = None,
    within: float = CHOSEN_RATIO,
    prior: Sequence[float] | None = None,
) -> PlanReading:
    """Recognise the goal behind ``observations``, ground actions in order.

    Penalties are in average actions of the problem. ``temperature`` scales wasted cost, ``noise`` is the penalty for
    treating an observation as wrong (None: all are right), and ``within`` is the smallest ratio to the likeliest goal
    for a goal to be chosen. ``budget`` is in microseconds by the clock (250,000 if not given), so a slower machine may
    prove less. ``work`` counts the visits of facts in searches instead, about six million a second: such a reading is
    the same on every machine. An observation that no action explains is ignored, and an unreachable goal has a belief
    of 0; ``notes`` say so.

    The likelihood of the observations under a goal has three factors, beside the prior, all from costs of plans:

    - the extra cost of a plan with the observations, over the temperature (Ramírez and Geffner, 2009);
    - the chance to observe just these of L steps: with all observation rates equally likely, n of L steps have the
      chance 1 / ((L + 1) * binomial(L, n));
    - for each observed action, whether the goal needs it: the more its cheapest detour costs, the likelier the action
      (the cost difference of Ramírez and Geffner, 2010, one action at a time).

    Costs are LM-cut lower bounds first, which take milliseconds. Then the likely goals share the budget for searches,
    in which exact costs replace bounds.
    """
    options = _Options.checked(temperature, noise, budget, work, within)
    if options.work is None:
        compile_kernels()
    weights = _checked_prior(prior, len(problem.goals))
    observed, notes = _match_observations(problem, observations)
    notes += [_equal(problem, group) for group in problem.equal_goals()]
    return _Recognition(problem, observed, options, weights).read(notes)


@dataclass(frozen=True, slots=True)
class _Options:
    temperature: float
    noise: float | None
    budget: int
    work: int | None
    within: float

    @classmethod
    def checked(
        cls, temperature: float, noise: float | None, budget: int | None, work: int | None, within: float
    ) -> "_Options":
        if check_finite("temperature", temperature) <= 0:
            raise TelosError(f"temperature must be more than 0, got {temperature!r}", f"try {TEMPERATURE:g}")
        if noise is not None:
            noise = min(MAX_NOISE, check_not_negative("noise", noise))
        if budget is not None and work is not None:
            raise TelosError("both a budget and work are given", "give one of them: time, or a count of work")
        _check_count("budget", "microseconds", budget, MAX_BUDGET)
        _check_count("work", "visits of facts", work, MAX_WORK)
        if not 0 < check_finite("within", within) <= 1:
            raise TelosError(f"within must be more than 0 and at most 1, got {within!r}", f"try {CHOSEN_RATIO:g}")
        return cls(temperature, noise, BUDGET if budget is None else budget, work, within)


def _check_count(name: str, what: str, value: int | None, most: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise TelosError(f"{name} must be a whole number of {what}, from 0 to {most}, got {value!r}")


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them, on a problem with one action: that is no part of any budget."""
    light = StripsAction("(light)", (), (0,), ())
    costs = GoalCosts(StripsProblem(("lit",), (), (light,), (StripsGoal("lit", (0,)),)), [(0,)], 1.0)
    costs.detours([0], 1.0, costs.bounds, SearchBudget())
    costs.search(0, budget=SearchBudget())


def _checked_prior(prior: Sequence[float] | None, goals: int) -> list[float]:
    if prior is None:
        return [1.0] * goals
    if len(prior) != goals:
        raise TelosError(f"there are {goals} goals and {len(prior)} priors", "give one for each goal")
    weights = [check_not_negative(f"the prior of goal {i}", each) for i, each in enumerate(prior)]
    if not any(weights):
        raise TelosError("the prior is 0 for every goal", "give one of them more")
    return weights


def _match_observations(problem: StripsProblem, observations: Sequence[str]) -> tuple[list[tuple[int, ...]], list[str]]:
    """Return the possible actions of each observation, and a note on each that is ignored."""
    if isinstance(observations, str):
        raise TelosError(
            f"observations are a list of ground actions, got the text {observations!r}", "put it in a list"
        )
    observed, notes = list[tuple[int, ...]](), list[str]()
    for i, observation in enumerate(observations, start=1):
        choices = problem.explaining(observation)
        if choices:
            observed.append(choices)
        else:
            atom = normalize_atom(observation)
            hint = name_hint(atom, _alike(problem, observation)) if len(notes) < MAX_HINTS else "check its arguments"
            notes.append(f"observation {i}, {atom}, is no action that is ever possible, and is ignored; {hint}")
    return observed, notes


def _alike(problem: StripsProblem, observation: str) -> list[str]:
    """Return the actions of the same schema, or all: comparing names is slow, and most differ in an argument."""
    kind = normalize_atom(observation).strip("()").split(" ")[0]
    return [name for name in problem.named if name.startswith(f"({kind} ")] or list(problem.named)


def _equal(problem: StripsProblem, group: Sequence[int]) -> str:
    return f"equal goals cannot be told apart: {', '.join(problem.goals[i].name for i in group)}"


class _Recognition:
    """The recognition of one problem, from bounds to a reading."""

    def __init__(
        self, problem: StripsProblem, observed: list[tuple[int, ...]], options: _Options, prior: list[float]
    ) -> None:
        self.problem, self.options, self.prior, self.observed = problem, options, prior, observed
        self.step = problem.step
        self._peak = -INF
        seconds = options.budget / 1e6
        self._budget = SearchBudget(seconds=seconds) if options.work is None else SearchBudget(work=options.work)
        bounding = SearchBudget(seconds=seconds + SECONDS_FOR_BOUNDS) if options.work is None else SearchBudget()
        drop = None if options.noise is None else options.noise * self.step
        self.plain_costs = GoalCosts(problem)
        self.observed_costs = GoalCosts(problem, observed, drop)
        best, seen = self.plain_costs.bounds_within(bounding), self.observed_costs.bounds_within(bounding)
        self.has_bounds = best is not None and seen is not None
        nothing = (0.0,) * len(problem.goals)  # the bound of every goal, if not all could be computed
        self.best = [SearchCost(each, False) for each in (best if best is not None and seen is not None else nothing)]
        self.seen = [SearchCost(each, False) for each in (seen if best is not None and seen is not None else nothing)]
        self.detours = self._detours(bounding)

    def _detours(self, budget: SearchBudget) -> list[list[float]]:
        """Return for each goal the cost of avoiding each observed action, in average actions.

        An action that the budget does not suffice for is left out for all goals.
        """
        different = sorted({choices[0] for choices in self.observed}) if self.has_bounds else []
        bounds = [cost.least for cost in self.best]
        found = self.plain_costs.detours(different, DETOUR_PENALTY * self.step, bounds, budget)
        self.has_bounds = self.has_bounds and len(found) == len(different)
        rows = dict(zip(different, found, strict=False))
        seen = [choices[0] for choices in self.observed if choices[0] in rows]
        return [[rows[action][goal] / self.step for action in seen] for goal in range(len(self.prior))]

    def read(self, notes: list[str]) -> PlanReading:
        """Search where it can matter, and return the reading."""
        self._search()
        scores = self._scores()
        peak = max(scores)
        notes = [*notes, *self._unreachable()]
        if not self.has_bounds:
            notes.append("the budget ended before the goals could be compared")
        if peak == -INF:
            notes.append("no goal fits what was seen, so the belief is the prior")
            weights, chosen = self.prior, tuple[int, ...]()
        else:
            weights = [math.exp(score - peak) for score in scores]
            chosen = tuple(goal for goal, weight in enumerate(weights) if weight >= self.options.within)
        total = math.fsum(weights)
        belief = Belief({goal.name: each / total for goal, each in zip(self.problem.goals, weights, strict=True)})
        costs = tuple(self._cost(goal) for goal in range(len(self.prior)))
        return PlanReading(belief, chosen, costs, self._is_complete(scores), tuple(notes), self._budget.spent)

    def _search(self) -> None:
        """Compute exact costs of the likely goals, then of the others, while the budget lasts.

        Bounds and exact costs are not comparable, so either all likely goals get exact costs, or none does.
        """
        scores = self._scores()
        floor = max(scores) + math.log(CANDIDATE_RATIO)
        order = sorted((goal for goal, score in enumerate(scores) if score > -INF), key=lambda goal: -scores[goal])
        running = [goal for goal in order if scores[goal] >= floor]
        if len(running) < 2 or self._budget.is_spent:
            return
        before = list(self.best), list(self.seen)
        if all(self._compute_exact(goal) for goal in running):
            all(self._compute_exact(goal) for goal in order[len(running) :])
        else:
            self.best, self.seen = before

    def _compute_exact(self, goal: int) -> bool:
        """Compute the exact costs of a goal, as far as they matter; return whether the budget sufficed."""
        bounds = self.best[goal], self.seen[goal]
        best = self.best[goal] = self.plain_costs.search(goal, budget=self._budget)
        if best.is_exact:
            limit = self._limit(goal)
            seen = self.seen[goal] = self.observed_costs.search(goal, budget=self._budget, limit=limit)
            if seen.is_exact or seen.least >= limit:
                self._peak = max(self._peak, self._score(goal))
                return True
        self.best[goal], self.seen[goal] = bounds
        return False

    def _limit(self, goal: int) -> float:
        """Return the cost with observations from which on a goal is no longer likely."""
        if self._peak == -INF:
            return INF
        extra, floor, by = 0.0, self._peak + math.log(CANDIDATE_RATIO), self.step
        for tried in range(MAX_LIMIT_STEPS):
            if self._score(goal, extra) < floor:
                return self.best[goal].least + extra
            extra += by
            by *= 1 if tried < EXACT_LIMIT_STEPS else 2  # the limit need not be the smallest one
        return INF

    def _scores(self) -> list[float]:
        return [self._score(goal) for goal in range(len(self.prior))]

    def _extra(self, goal: int) -> float:
        """Return the extra cost with the observations, as far as known."""
        best, seen = self.best[goal].least, self.seen[goal].least
        return max(0.0, seen - best) if seen < INF else INF

    def _score(self, goal: int, extra: float | None = None) -> float:
        """Return the log-likelihood of the observations under a goal, if they cost ``extra``."""
        extra = self._extra(goal) if extra is None else extra
        if extra == INF or self.prior[goal] == 0:
            return -INF
        steps = (self.best[goal].least + extra) / self.step
        needed = -sum(math.log1p(math.exp(-detour / NEED_TEMPERATURE)) for detour in self.detours[goal])
        wasted = extra / self.step / self.options.temperature
        return math.log(self.prior[goal]) - wasted - _choices(steps, len(self.observed)) + NEED_WEIGHT * needed

    def _is_complete(self, scores: Sequence[float]) -> bool:
        """Whether no search can change the chosen goals: each has exact costs, or is excluded by its lower bound."""
        floor = max(scores) + math.log(self.options.within)
        return all(
            score == -INF or (self.best[goal].is_exact and (self.seen[goal].is_exact or score < floor))
            for goal, score in enumerate(scores)
        )

    def _cost(self, goal: int) -> GoalCost:
        best, seen, detours = self.best[goal], self.seen[goal], self.detours[goal]
        mean = self.step * sum(detours) / len(detours) if detours else 0.0
        return GoalCost(best.least, seen.least, mean, best.is_exact and seen.is_exact)

    def _unreachable(self) -> list[str]:
        return [
            f"goal {goal}, {self.problem.goals[goal].name}, cannot be reached"
            for goal, cost in enumerate(self.best)
            if cost.least == INF
        ]


def _choices(steps: float, seen: int) -> float:
    """Return the logarithm of (L + 1) * binomial(L, n): the number of ways to observe n of L steps, at any rate.

    >>> round(math.exp(_choices(4, 2)))
    30
    """
    steps = max(steps, float(seen))
    ways = math.lgamma(steps + 1) - math.lgamma(seen + 1) - math.lgamma(steps - seen + 1)
    return ways + math.log(steps + 1)
