"""Goal recognition by planning over STRIPS: ``recognize`` returns a ``PlanReading``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.values import check_finite, check_not_negative
from telos.recognition.strips.cost_difference import recognize_by_cost_difference
from telos.recognition.strips.costs import GoalCosts, SearchBudget, SearchCost
from telos.recognition.strips.problem import StripsAction, StripsGoal, StripsProblem, normalize_atom
from telos.recognition.strips.reading import GoalCost, PlanReading

PROTOCOLS = ("sampled", "prefix")  # any steps of the plan were seen, or its first ones, all of them
METHODS = ("telos", "ramirez-geffner")
BETA = 1.0  # per unit of cost, of Ramírez and Geffner's method
TEMPERATURE = 0.7  # average actions
NOISE = 2.0  # average actions
MAX_NOISE = 1000.0  # a larger one gives the same answers: no observation is wrong that a plan can explain
BUDGET = 250_000  # microseconds
MAX_BUDGET = MAX_WORK = 10**15
SECONDS_FOR_BOUNDS = 0.1  # beside the budget: without bounds there is no answer
MAX_HINTS = 10  # for observations that are not actions: comparing names is slow
CHOSEN_RATIO = 0.3
CANDIDATE_RATIO = 0.02  # goals with at least this ratio to the likeliest, by bounds, are planned for
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
    within: float | None = None,
    prior: Sequence[float] | None = None,
    protocol: str = "sampled",
    method: str = "telos",
    beta: float = BETA,
) -> PlanReading:
    """Recognise the goal behind ``observations``, ground actions in order.

    With ``protocol="sampled"`` they are any steps of a plan, with ``"prefix"`` its first ones, all of them: what an
    observer has seen so far.

    Penalties are in average actions of the problem. ``temperature`` scales wasted cost, ``noise`` is the penalty for
    treating an observation as wrong (None: all are right), and ``within`` is the smallest ratio to the likeliest goal
    for a goal to be chosen. ``budget`` is in microseconds by the clock (250,000 if not given), so a slower machine may
    prove less. ``work`` counts the visits of facts in searches instead, some 25 million a second: such a reading is
    the same on every machine. An observation that no action explains is ignored, and an unreachable goal has a belief
    of 0; ``notes`` say so.

    The likelihood of the observations under a goal has three factors, beside the prior, all from costs of plans:

    - the extra cost of a plan with the observations, over the temperature (Ramírez and Geffner, 2009);
    - the chance to observe just these of L steps: with all observation rates equally likely, n of L steps have the
      chance 1 / ((L + 1) * binomial(L, n));
    - for each observed action, whether the goal needs it: the more its cheapest detour costs, the likelier the action
      (the cost difference of Ramírez and Geffner, 2010, one action at a time).

    Of a prefix only the first is asked: which steps were seen says nothing then.

    Costs are LM-cut lower bounds first, which take milliseconds. Then a greedy search bounds them from above, goal by
    goal, and A* makes them exact, until no cost within its bounds can change which goals are chosen.

    ``method="ramirez-geffner"`` is the plain method of 2010: exact costs with and without the observations, in the
    problem's units, and their difference times ``beta`` in a logistic function; the likeliest goals are chosen. It has
    no temperature and no noise.
    """
    options = _Options.checked(temperature, noise, budget, work, within, protocol, method, beta)
    if options.work is None:
        compile_kernels()
    weights = _checked_prior(prior, len(problem.goals))
    observed, notes = _match_observations(problem, observations)
    notes += [_equal(problem, group) for group in problem.equal_goals()]
    if method == "ramirez-geffner":
        return recognize_by_cost_difference(
            problem,
            observed,
            beta=options.beta,
            prior=weights,
            budget=options.search_budget(),
            is_prefix=protocol == "prefix",
            within=options.within,
            notes=notes,
        )
    return _Recognition(problem, observed, options, weights).read(notes)


@dataclass(frozen=True, slots=True)
class _Options:
    temperature: float
    noise: float | None
    budget: int
    work: int | None
    within: float
    protocol: str
    beta: float

    @classmethod
    def checked(
        cls,
        temperature: float,
        noise: float | None,
        budget: int | None,
        work: int | None,
        within: float | None,
        protocol: str,
        method: str,
        beta: float,
    ) -> "_Options":
        if check_finite("temperature", temperature) <= 0:
            raise TelosError(f"temperature must be more than 0, got {temperature!r}", f"try {TEMPERATURE:g}")
        if noise is not None:
            noise = min(MAX_NOISE, check_not_negative("noise", noise))
        if budget is not None and work is not None:
            raise TelosError("both a budget and work are given", "give one of them: time, or a count of work")
        _check_count("budget", "microseconds", budget, MAX_BUDGET)
        _check_count("work", "visits of facts", work, MAX_WORK)
        if method not in METHODS:
            raise TelosError(f"there is no method {method!r}", f"choose one of {', '.join(METHODS)}")
        if check_finite("beta", beta) <= 0:
            raise TelosError(f"beta must be more than 0, got {beta!r}", f"try {BETA:g}")
        if within is None:
            within = CHOSEN_RATIO if method == "telos" else 1.0
        if not 0 < check_finite("within", within) <= 1:
            raise TelosError(f"within must be more than 0 and at most 1, got {within!r}", f"try {CHOSEN_RATIO:g}")
        if protocol not in PROTOCOLS:
            raise TelosError(f"there is no protocol {protocol!r}", f"choose one of {', '.join(PROTOCOLS)}")
        return cls(temperature, noise, BUDGET if budget is None else budget, work, within, protocol, beta)

    def search_budget(self) -> SearchBudget:
        """Return the budget of searches."""
        return SearchBudget(seconds=self.budget / 1e6) if self.work is None else SearchBudget(work=self.work)


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
    if sum(weights) == INF:
        return [each / len(weights) for each in weights]
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
        seconds = options.budget / 1e6
        self._budget = options.search_budget()
        bounding = SearchBudget(seconds=seconds + SECONDS_FOR_BOUNDS) if options.work is None else SearchBudget()
        self.drop = None if options.noise is None else options.noise * self.step
        self.plain_costs = GoalCosts(problem)
        self.observed_costs = GoalCosts(problem, observed, self.drop, is_prefix=options.protocol == "prefix")
        best, seen = self.plain_costs.bounds_within(bounding), self.observed_costs.bounds_within(bounding)
        self.has_bounds = best is not None and seen is not None
        nothing = (0.0,) * len(problem.goals)  # the bound of every goal, if not all could be computed
        self.best = [SearchCost(each) for each in (best if best is not None and seen is not None else nothing)]
        self.seen = [SearchCost(each) for each in (seen if best is not None and seen is not None else nothing)]
        self._bounds = [(low.least, high.least) for low, high in zip(self.best, self.seen, strict=True)]
        self.detours = self._detours(bounding)
        self._needed = [
            -math.fsum(math.log1p(math.exp(-detour / NEED_TEMPERATURE)) for detour in row) for row in self.detours
        ]
        scores = [self._score(goal, *costs) for goal, costs in enumerate(self._bounds)]
        peak = max(scores)
        self._bound_scores = [score - peak if peak > -INF else -INF for score in scores]
        self._has_plans = False  # whether costs of plans, and not bounds alone, decide
        self._pending = [[self._plan_best, self._plan_seen, self._prove_best, self._prove_seen] for _ in self.prior]

    def _detours(self, budget: SearchBudget) -> list[list[float]]:
        """Return for each goal the cost of avoiding each observed action, in average actions.

        An action that the budget does not suffice for is left out for all goals.
        """
        is_asked = self.has_bounds and self.options.protocol != "prefix"
        different = sorted({choices[0] for choices in self.observed}) if is_asked else []
        bounds = [cost.least for cost in self.best]
        found = self.plain_costs.detours(different, DETOUR_PENALTY * self.step, bounds, budget)
        self.has_bounds = self.has_bounds and len(found) == len(different)
        rows = dict(zip(different, found, strict=False))
        seen = [choices[0] for choices in self.observed if choices[0] in rows]
        return [[rows[action][goal] / self.step for action in seen] for goal in range(len(self.prior))]

    def read(self, notes: list[str]) -> PlanReading:
        """Search where it can matter, and return the reading."""
        self._search()
        is_complete = self.has_bounds and not self._unsettled()
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
            if is_complete:
                chosen = tuple(goal for goal in range(len(scores)) if self._can_be_chosen(goal))
        total = math.fsum(weights)
        belief = Belief({goal.name: each / total for goal, each in zip(self.problem.goals, weights, strict=True)})
        costs = tuple(self._cost(goal) for goal in range(len(self.prior)))
        return PlanReading(belief, chosen, costs, is_complete, tuple(notes), self._budget.spent)

    # --- searches ---

    def _search(self) -> None:
        """Narrow the costs of goals until the choice is settled or the budget ends; first by any plans.

        Costs of plans and bounds do not compare: either all goals that may be chosen are judged by plans, or none is.
        """
        likely = {goal for goal, score in enumerate(self._bound_scores) if score >= math.log(CANDIDATE_RATIO)}
        if len(self.prior) > 1 and not self._budget.is_spent:
            likeliest = max(likely, key=lambda goal: self._bound_scores[goal], default=0)
            for _ in range(2):
                self._narrow(likeliest)
        while not self._budget.is_spent:
            open_goals = [goal for goal in self._unsettled() if self._pending[goal]]
            if not open_goals:
                break
            self._narrow(min(open_goals, key=lambda goal: self._search_order(goal, goal in likely)))
        self._has_plans = all(self._is_planned(goal) for goal in likely if self._can_be_chosen(goal))

    def _can_be_chosen(self, goal: int) -> bool:
        """Whether a goal is chosen at some costs within the bounds."""
        lowest = max(self._score_range(each)[0] for each in range(len(self.prior)))
        highest = self._score_range(goal)[1]
        return highest > -INF and highest >= lowest + math.log(self.options.within)

    def _search_order(self, goal: int, is_likely: bool) -> tuple[bool, bool, int, float]:
        """Return the place of a goal in the order of searches: plans before proofs, the likeliest first."""
        left = len(self._pending[goal])
        return left <= len((self._prove_best, self._prove_seen)), not is_likely, -left, -self._score_range(goal)[1]

    def _is_planned(self, goal: int) -> bool:
        return all(cost.most < INF or cost.least == INF for cost in (self.best[goal], self.seen[goal]))

    def _narrow(self, goal: int) -> None:
        """Take the next step to the exact costs of a goal, and draw conclusions from one cost to the other."""
        self._pending[goal].pop(0)(goal)
        best, seen = self.best[goal], self.seen[goal]
        most = min(seen.most, self._cost_of_explaining(best))
        self.best[goal] = SearchCost(best.least, max(best.least, min(best.most, seen.most)), best.steps)
        self.seen[goal] = SearchCost(max(seen.least, best.least), max(seen.least, best.least, most), seen.steps)

    def _plan_best(self, goal: int) -> None:
        self._find_plan(self.plain_costs, self.best, goal)

    def _plan_seen(self, goal: int) -> None:
        self._find_plan(self.observed_costs, self.seen, goal)

    def _find_plan(self, costs: GoalCosts, known: list[SearchCost], goal: int) -> None:
        if not known[goal].is_exact:
            known[goal] = known[goal].combine(costs.search(goal, budget=self._budget, is_greedy=True))

    def _prove_best(self, goal: int) -> None:
        known = self.best[goal]
        if not known.is_exact:
            self.best[goal] = known.combine(self.plain_costs.search(goal, budget=self._budget, limit=known.most))

    def _prove_seen(self, goal: int) -> None:
        known = self.seen[goal]
        if not known.is_exact:
            limit = min(known.most, self._limit(goal))
            self.seen[goal] = known.combine(self.observed_costs.search(goal, budget=self._budget, limit=limit))

    def _limit(self, goal: int) -> float:
        """Return a cost with observations from which on a goal is not chosen."""
        peak = max(self._score_range(each)[0] for each in range(len(self.prior)))
        base = self.best[goal].most
        if peak == -INF or base == INF:
            return INF
        extra, floor, by = 0.0, peak + math.log(self.options.within), self.step
        for tried in range(MAX_LIMIT_STEPS):
            if self._score(goal, base, base + extra) < floor:
                return base + extra
            extra += by
            by *= 1 if tried < EXACT_LIMIT_STEPS else 2  # the limit need not be the smallest one
        return INF

    def _cost_of_explaining(self, plan: SearchCost) -> float:
        """Return what a plan made without the observations costs with them: those that it lacks are taken for wrong."""
        if plan.most == INF or not (plan.steps or plan.most == 0):
            return INF
        seen = [normalize_atom(self.problem.actions[choices[0]].name) for choices in self.observed]
        steps = [normalize_atom(step) for step in plan.steps]
        matched = _count_prefix(steps, seen) if self.options.protocol == "prefix" else _count_common(steps, seen)
        if self.drop is None:
            return plan.most if matched == len(seen) else INF
        return plan.most + self.drop * (len(seen) - matched)

    # --- scores ---

    def _scores(self) -> list[float]:
        """Return the log-likelihoods of the goals: of all from bounds, or of all from plans.

        A goal without plans, which was unlikely by the bounds, stays as unlikely.
        """
        if not self._has_plans:
            return self._bound_scores
        found = {
            goal: self._score(goal, *self._estimates(goal)) for goal in range(len(self.prior)) if self._is_planned(goal)
        }
        peak = max([score for score in found.values() if score > -INF], default=0.0)
        return [found.get(goal, peak + score) for goal, score in enumerate(self._bound_scores)]

    def _estimates(self, goal: int) -> tuple[float, float]:
        """Return the cost of a goal, without and with the observations, as far as known."""
        best, seen = self.best[goal], self.seen[goal]
        if best.least == INF or seen.least == INF:
            return best.least, seen.least
        if self._has_plans and self._is_planned(goal):
            return best.most, seen.most  # mostly exact, and better than the middle where they are not
        return self._bounds[goal]

    def _score_range(self, goal: int) -> tuple[float, float]:
        """Return the lowest and the highest score that a goal can have with exact costs."""
        best, seen = self.best[goal], self.seen[goal]
        highest = self._score(goal, min(best.most, seen.least), seen.least)
        return self._score(goal, best.least, seen.most), highest

    def _score(self, goal: int, best: float, seen: float) -> float:
        """Return the log-likelihood of the observations under a goal with these costs, and its prior."""
        if seen == INF or self.prior[goal] == 0:
            return -INF
        wasted = max(0.0, seen - best) / self.step / self.options.temperature
        score = math.log(self.prior[goal]) - wasted
        if self.options.protocol == "prefix":
            return score
        steps = max(best, seen) / self.step
        return score - _choices(steps, len(self.observed)) + NEED_WEIGHT * self._needed[goal]

    def _unsettled(self) -> list[int]:
        """Return the goals whose costs must be narrowed before it is certain which goals are chosen."""
        ranges = [self._score_range(goal) for goal in range(len(self.prior))]
        lowest, highest = (max(each[i] for each in ranges) for i in range(2))
        if highest == -INF:
            return []
        margin = math.log(self.options.within)
        others = [max((high for j, (_, high) in enumerate(ranges) if j != i), default=-INF) for i in range(len(ranges))]
        open_goals = [
            goal for goal, (low, high) in enumerate(ranges) if high >= lowest + margin and low < others[goal] + margin
        ]
        if not open_goals:
            return []
        peaks = [goal for goal, (low, high) in enumerate(ranges) if high > low and (high == highest or low == lowest)]
        return sorted({*open_goals, *peaks})

    def _cost(self, goal: int) -> GoalCost:
        best, seen = self._estimates(goal)
        detours = self.detours[goal]
        mean = None if self.options.protocol == "prefix" else 0.0
        if detours:
            mean = self.step * sum(detours) / len(detours)
        return GoalCost(best, seen, mean, self.best[goal].is_exact and self.seen[goal].is_exact)

    def _unreachable(self) -> list[str]:
        return [
            f"goal {goal}, {self.problem.goals[goal].name}, cannot be reached"
            for goal, cost in enumerate(self.best)
            if cost.least == INF
        ]


def _count_common(steps: Sequence[str], seen: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(seen) + 1)
    for step in steps:
        diagonal = 0
        for i, name in enumerate(seen, start=1):
            diagonal, row[i] = row[i], diagonal + 1 if step == name else max(row[i], row[i - 1])
    return row[-1]


def _count_prefix(steps: Sequence[str], seen: Sequence[str]) -> int:
    """Return how many of the first steps are, in order, among the observations."""
    count, at = 0, 0
    for step in steps:
        while at < len(seen) and seen[at] != step:
            at += 1
        if at == len(seen):
            break
        count, at = count + 1, at + 1
    return count


def _choices(steps: float, seen: int) -> float:
    """Return the logarithm of (L + 1) * binomial(L, n): the number of ways to observe n of L steps, at any rate.

    >>> round(math.exp(_choices(4, 2)))
    30
    """
    steps = max(steps, float(seen))
    ways = math.lgamma(steps + 1) - math.lgamma(seen + 1) - math.lgamma(steps - seen + 1)
    return ways + math.log(steps + 1)
