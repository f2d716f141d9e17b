"""Plan recognition over STRIPS."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.kernels import kernel
from telos.core.values import finite, not_negative
from telos.recognition.strips import search as astar
from telos.recognition.strips.problem import StripsProblem, spoken
from telos.recognition.strips.search import BITS, FAR, MOST_COST, MOST_NODES, Bits, Ints, Nodes, Prices, Relaxed

# --- reading ----------------------------------------------------------------------------------------------------------
# What recognition by planning answers: a belief, the goals that are returned, and what they would cost.


@dataclass(frozen=True, slots=True)
class GoalCost:
    """What a goal costs at the cheapest, and at the cheapest with everything that was observed.

    Both are exact if ``is_exact``, and otherwise as good as bounds and the budget made them. ``detour`` is what it
    would cost on the average to do without one of the observed actions: high if the goal needs them.
    """

    best: float
    seen: float
    detour: float
    is_exact: bool

    @property
    def extra(self) -> float:
        """Return what following the observations costs more than the best way."""
        return self.seen - self.best if self.best < float("inf") else float("inf")


@dataclass(frozen=True, slots=True)
class PlanReading:
    """A belief about the goal of somebody whose actions were seen, in part.

    ``chosen`` are the numbers of the goals that are about as likely as the likeliest. ``complete`` says that no further
    search can change them; if it is False, the belief is the best so far. ``notes`` say what was odd about the input.
    """

    belief: Belief
    chosen: tuple[int, ...]
    costs: tuple[GoalCost, ...]
    complete: bool
    notes: tuple[str, ...] = ()
    spent: int = 0  # of the budget, by searches

    def why(self) -> str:
        """Say in words what speaks for each goal, the likeliest first."""
        ranked = sorted(zip(self.belief.items(), self.costs, strict=True), key=lambda each: -each[0][1])
        lines = [_said(name, chance, cost) for (name, chance), cost in ranked]
        state = "no search can change the choice" if self.complete else "so far: the budget ended before all was proved"
        return "\n".join([*lines, state, *self.notes])


def _said(name: str, chance: float, cost: GoalCost) -> str:
    if cost.best == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached"
    if cost.seen == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached after what was seen"
    about = "" if cost.is_exact else "about "
    return (
        f"{chance:6.1%}  {name}: costs {about}{cost.best:g}, with what was seen {about}{cost.seen:g}; "
        f"to do without one of the actions seen, {cost.detour:.1f} more"
    )


# --- arrays -----------------------------------------------------------------------------------------------------------
# STRIPS as arrays for the kernels, with the observations woven in.
#
# After Ramírez and Geffner (2009): for each observation there is a fact that everything up to it was explained. Its
# action has a copy that needs that fact and adds the next one, so whoever wants the last of these facts must have done
# all that was seen, in that order. If observations may be wrong, a step that costs ``drop`` passes over one of them.


LARGEST_COST = 4_000  # of one action, in the whole numbers that kernels count in


@dataclass(frozen=True)
class Arrays:
    """A problem for the kernels; costs are whole numbers, ``scale`` of them to one of the problem's.

    The facts of the problem come first, then one that is always true, and then one for each number of observations
    that were explained; ``done`` is the last of these.
    """

    relaxed: Relaxed
    bits: Bits
    room: Prices
    start: Ints
    start_words: Ints
    done: int
    scale: float
    names: tuple[str, ...]  # of actions; none for passing over an observation

    def words(self, facts: Sequence[int]) -> Ints:
        """Return a set of facts as words."""
        return as_words(_flat([facts]), np.array([0, len(facts)]), self.bits.needs.shape[1])[0]

    def nodes(self, most: int) -> Nodes:
        """Return room for a search that meets at most so many states."""
        words, queued = self.bits.needs.shape[1], 2 * most + len(self.relaxed.costs)
        cost, bound, is_priced, parent, action = (np.zeros(most, np.int64) for _ in range(5))
        table, heap, facts = (np.zeros(size, np.int64) for size in (2 * most + 1, queued, words * BITS))
        return Nodes(np.zeros((most, words), np.int64), cost, bound, is_priced, parent, action, table, heap, facts)


def scale_of(costs: Sequence[float]) -> float:
    """Return what costs are multiplied by to be whole numbers, exactly if that goes, and nearly otherwise.

    >>> scale_of([1.0, 3.0]), scale_of([0.5, 1.0]), scale_of([0.0])
    (1.0, 2.0, 1.0)
    """
    highest = max(costs, default=0.0)
    for scale in (1.0, 2.0, 4.0, 5.0, 10.0, 100.0, 1000.0):
        if highest * scale <= LARGEST_COST and all((cost * scale).is_integer() for cost in costs):
            return scale
    return LARGEST_COST / highest


def weave(problem: StripsProblem, observed: Sequence[Sequence[int]], *, drop: float | None) -> Arrays:
    """Return the arrays of a problem with observations, each given as the actions that it may have been."""
    true = len(problem.facts)
    needs = [list(action.needs) or [true] for action in problem.actions]  # kernels start from what is needed
    adds = [list(action.adds) for action in problem.actions]
    deletes = [list(action.deletes) for action in problem.actions]
    costs = [action.cost for action in problem.actions]
    names = [action.name for action in problem.actions]
    for before, choices in enumerate(observed, start=true + 1):
        for choice in choices:
            action = problem.actions[choice]
            needs.append([*action.needs, before])
            adds.append([*action.adds, before + 1])
            deletes.append([*action.deletes, before])
            costs.append(action.cost)
            names.append(action.name)
        if drop is not None:
            needs.append([before])
            adds.append([before + 1])
            deletes.append([before])
            costs.append(drop)
            names.append("")
    done = true + 1 + len(observed)
    return _arrays(needs, adds, deletes, costs, [*problem.start, true, true + 1], done, names)


def _arrays(
    needs: list[list[int]],
    adds: list[list[int]],
    deletes: list[list[int]],
    costs: list[float],
    start: list[int],
    done: int,
    names: list[str],
) -> Arrays:
    facts, words = done + 1, done // BITS + 1
    scale = scale_of(costs)
    whole = np.rint(np.array(costs) * scale).astype(np.int64)
    parts = [(_flat(each), _starts(each)) for each in (needs, adds, deletes)]
    relaxed = Relaxed(*parts[0], *parts[1], *_inverse(*parts[0], facts), *_inverse(*parts[1], facts), whole)
    bits = Bits(*(as_words(flat, starts, words) for flat, starts in parts))
    actions = len(costs)
    sizes = (actions, facts, actions, actions, len(parts[1][0]) + facts, facts, facts, actions, 1)
    room = Prices(*(np.zeros(size, np.int64) for size in sizes))
    first = as_words(np.array(start, np.int64), np.array([0, len(start)]), words)[0]
    return Arrays(relaxed, bits, room, np.array(start, np.int64), first, done, scale, tuple(names))


def _flat(lists: Sequence[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(lists), np.int64)


def _starts(lists: Sequence[Sequence[int]]) -> Ints:
    return np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.int64)


def _owners(starts: Ints) -> Any:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _inverse(flat: Ints, starts: Ints, facts: int) -> tuple[Ints, Ints]:
    """Return for each fact the lists that it is in."""
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat, minlength=facts)
    return _owners(starts)[order].astype(np.int64), np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def as_words(flat: Ints, starts: Ints, words: int) -> Ints:
    """Return lists of facts as rows of words."""
    rows = np.zeros((len(starts) - 1, words), np.int64)
    np.bitwise_or.at(rows, (_owners(starts), flat // BITS), np.int64(1) << (flat % BITS))
    return rows


# --- costs ------------------------------------------------------------------------------------------------------------
# What goals cost: bounds for all of them at once, and searches for the few that matter.


ROOM = 1 << 16  # states that a search may meet for a budget of a second, and never fewer
WORK = 6  # times that a fact is looked at in a microsecond, roughly: budgets are counted, not timed


@dataclass(frozen=True, slots=True)
class Cost:
    """What the cheapest plan costs at least; exactly that if ``is_exact``. Infinite if there is no plan."""

    least: float
    is_exact: bool
    spent: int = 0  # of the budget, to find that out
    steps: tuple[str, ...] = ()  # a cheapest plan, if one was found


class Costs:
    """The costs of a problem's goals from its start, after doing all that was observed."""

    def __init__(
        self, problem: StripsProblem, observed: Sequence[Sequence[int]] = (), drop: float | None = None
    ) -> None:
        self.problem = problem
        self.arrays: Arrays = weave(problem, observed, drop=drop)
        self._kernel = kernel(astar)
        self._goals = [[*(goal.wants or ()), self.arrays.done] for goal in problem.goals]

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """Return what each goal costs at least, by LM-cut."""
        found = np.zeros(len(self._goals), np.int64)
        arrays = self.arrays
        self._kernel.goal_bounds(arrays.start, *self._flat_goals, arrays.relaxed, arrays.room, found)
        return tuple(
            self._real(bound) if goal.wants is not None else float("inf")
            for goal, bound in zip(self.problem.goals, found.tolist(), strict=True)
        )

    def detours(self, actions: Sequence[int], dearer: float) -> list[tuple[float, ...]]:
        """Return for each action, and each goal, how much more it costs at least if that action is so much dearer."""
        arrays = self.arrays
        found = np.zeros((len(actions), len(self._goals)), np.int64)
        tried = np.array(actions, np.int64)
        raised = round(dearer * arrays.scale)
        goals, starts = self._flat_goals
        self._kernel.detours(arrays.start, goals, starts, tried, raised, arrays.relaxed, arrays.room, found)
        return [
            tuple(max(0.0, self._real(each) - best) if best < float("inf") else 0.0 for each, best in pairs)
            for pairs in (zip(row, self.bounds, strict=True) for row in found.tolist())
        ]

    def search(self, goal: int, *, budget: int, limit: float = float("inf")) -> Cost:
        """Plan for a goal, for about ``budget`` microseconds and only as long as it may cost less than ``limit``.

        Work is counted and not timed, so the same budget always gives the same answer.
        """
        if self.problem.goals[goal].wants is None:
            return Cost(float("inf"), True)
        arrays, wanted = self.arrays, self._goals[goal]
        nodes = arrays.nodes(min(max(ROOM, ROOM * budget // 1_000_000) + len(arrays.relaxed.costs), MOST_NODES))
        highest = min(limit * arrays.scale, float(MOST_COST - 1))
        node, least = self._kernel.search(
            arrays.start_words,
            np.array(wanted, np.int64),
            arrays.words(wanted),
            arrays.bits,
            arrays.relaxed,
            arrays.room,
            nodes,
            budget * WORK,
            int(np.ceil(highest)),
        )
        steps = self._steps(node, nodes) if node >= 0 else ()
        return Cost(self._real(least), node >= 0 or least >= FAR, int(arrays.room.work[0]) // WORK + 1, steps)

    @cached_property
    def _flat_goals(self) -> tuple[Ints, Ints]:
        flat = [fact for goal in self._goals for fact in goal]
        starts = np.concatenate(([0], np.cumsum([len(goal) for goal in self._goals])))
        return np.array(flat, np.int64), starts.astype(np.int64)

    def _real(self, cost: int) -> float:
        return float("inf") if cost >= FAR else cost / self.arrays.scale

    def _steps(self, node: int, nodes: astar.Nodes) -> tuple[str, ...]:
        """Return the actions that lead to a node; passing over an observation is none of them."""
        names = []
        while nodes.parent[node] >= 0:
            names.append(self.arrays.names[nodes.action[node]])
            node = nodes.parent[node]
        return tuple(name for name in reversed(names) if name)


# --- recognizing ------------------------------------------------------------------------------------------------------
# Recognition by planning: which goal makes what was seen look sensible.
#
# How likely are observations, if somebody is after a goal? Four things are multiplied, all from costs of plans:
#
# - what following the observations costs more than the best way there, over the temperature (Ramírez and Geffner,
# 2009);
# - that of a plan of so many steps just these were seen: all rates of observation are taken to be equally likely, so
# each
#   choice of n out of L steps has a chance of 1 / ((L + 1) * binomial(L, n));
# - for each observed action, whether the goal needs it: the more its cheapest way around costs, the likelier it is
# done
#   (the cost difference of Ramírez and Geffner, 2010, one action at a time);
# - the prior.
#
# Costs are lower bounds by LM-cut first, which takes milliseconds. Then the goals that are still in the running share
# the budget for searches, in which an exact cost takes the place of a bound.


TEMPERATURE = 1.0  # average actions
NOISE = 2.0  # average actions
BUDGET = 250_000  # microseconds, roughly: work is counted and not timed
WITHIN = 0.5
RUNNING = 0.05  # goals at least this likely, against the likeliest by bounds, are searched for
DEARER = 10.0  # average actions; how much dearer an observed action is made to see whether a goal needs it
NEED_TEMPERATURE, NEED_WEIGHT = 2.0, 1.5  # fitted on public problems, as TEMPERATURE, NOISE and WITHIN are

INF = float("inf")


def recognize(
    problem: StripsProblem,
    observations: Sequence[str],
    *,
    temperature: float = TEMPERATURE,
    noise: float | None = NOISE,
    budget: int = BUDGET,
    within: float = WITHIN,
    prior: Sequence[float] | None = None,
) -> PlanReading:
    """Read the goal of somebody of whom ``observations``, ground actions in order, were seen.

    Prices are in average actions of the problem. ``temperature`` is how wasteful people may be, ``noise`` what it costs
    to take an observation for wrong (None: all are right), and ``within`` how likely a goal must be, against the
    likeliest, to be returned. ``budget`` is how long searches may take in all, in microseconds of an ordinary machine:
    work is counted and not timed, so answers are the same everywhere. An observation that no action explains is taken
    for wrong, and a goal that cannot be reached has a belief of 0; ``notes`` say so.
    """
    options = _Options.checked(temperature, noise, budget, within)
    weights = _checked_prior(prior, len(problem.goals))
    observed, notes = _explained(problem, observations)
    notes += [_equal(problem, group) for group in problem.equal_goals()]
    return _Recognition(problem, observed, options, weights).read(notes)


@dataclass(frozen=True, slots=True)
class _Options:
    temperature: float
    noise: float | None
    budget: int
    within: float

    @classmethod
    def checked(cls, temperature: float, noise: float | None, budget: int, within: float) -> "_Options":
        if finite("temperature", temperature) <= 0:
            raise TelosError(f"temperature must be more than 0, got {temperature!r}", f"try {TEMPERATURE:g}")
        if noise is not None:
            not_negative("noise", noise)
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise TelosError(f"budget must be a whole number of microseconds, zero or more, got {budget!r}")
        if not 0 < finite("within", within) <= 1:
            raise TelosError(f"within must be more than 0 and at most 1, got {within!r}", f"try {WITHIN:g}")
        return cls(temperature, noise, budget, within)


def _checked_prior(prior: Sequence[float] | None, goals: int) -> list[float]:
    if prior is None:
        return [1.0] * goals
    if len(prior) != goals:
        raise TelosError(f"there are {goals} goals and {len(prior)} priors", "give one for each goal")
    weights = [not_negative(f"the prior of goal {i}", each) for i, each in enumerate(prior)]
    if not any(weights):
        raise TelosError("the prior rules out every goal", "give one of them more than 0")
    return weights


def _explained(problem: StripsProblem, observations: Sequence[str]) -> tuple[list[tuple[int, ...]], list[str]]:
    """Return the actions that each observation may have been, and a note on each that is none and left out."""
    if isinstance(observations, str):
        raise TelosError(
            f"observations are a list of ground actions, got the text {observations!r}", "put it in a list"
        )
    observed, notes = [], []
    for i, said in enumerate(observations, start=1):
        choices = problem.explaining(said)
        if choices:
            observed.append(choices)
        else:
            hint = name_hint(spoken(said), _alike(problem, said))
            notes.append(f"observation {i}, {spoken(said)}, is no action that is ever possible, and is ignored; {hint}")
    return observed, notes


def _alike(problem: StripsProblem, said: str) -> list[str]:
    """Return the actions of the same kind, or all of them: comparing names is slow, and most differ in an argument."""
    kind = spoken(said).strip("()").split(" ")[0]
    return [name for name in problem.named if name.startswith(f"({kind} ")] or list(problem.named)


def _equal(problem: StripsProblem, group: Sequence[int]) -> str:
    return f"equal goals cannot be told apart: {', '.join(problem.goals[i].name for i in group)}"


class _Recognition:
    """One problem with its observations, from bounds to a reading."""

    def __init__(
        self, problem: StripsProblem, observed: list[tuple[int, ...]], options: _Options, prior: list[float]
    ) -> None:
        self.problem, self.options, self.prior, self.observed = problem, options, prior, observed
        self.step = problem.step
        self._left, self._peak = options.budget, -INF
        drop = None if options.noise is None else options.noise * self.step
        self.plain = Costs(problem)
        self.woven = Costs(problem, observed, drop)
        self.best = [Cost(each, False) for each in self.plain.bounds]
        self.seen = [Cost(each, False) for each in self.woven.bounds]
        self.detours = self._detours()

    def _detours(self) -> list[list[float]]:
        """Return for each goal what it costs to do without each of the observed actions, in average actions."""
        different = sorted({choices[0] for choices in self.observed})
        rows = dict(zip(different, self.plain.detours(different, DEARER * self.step), strict=True))
        return [[rows[choices[0]][goal] / self.step for choices in self.observed] for goal in range(len(self.prior))]

    def read(self, notes: list[str]) -> PlanReading:
        """Search where it may matter, and answer."""
        self._search()
        scores = self._scores()
        peak = max(scores)
        notes = [*notes, *self._unreachable()]
        if peak == -INF:
            notes.append("no goal fits what was seen, so the belief is the prior")
            weights, chosen = self.prior, tuple[int, ...]()
        else:
            weights = [math.exp(score - peak) for score in scores]
            chosen = tuple(goal for goal, weight in enumerate(weights) if weight >= self.options.within)
        total = math.fsum(weights)
        belief = Belief({goal.name: each / total for goal, each in zip(self.problem.goals, weights, strict=True)})
        costs = tuple(self._cost(goal) for goal in range(len(self.prior)))
        spent = self.options.budget - self._left
        return PlanReading(belief, chosen, costs, self._is_complete(scores), tuple(notes), spent)

    def _search(self) -> None:
        """Settle the goals that are in the running by their bounds, and then the others, while the budget lasts.

        Bounds and exact costs do not compare, so either all goals in the running are settled, or none is.
        """
        scores = self._scores()
        floor = max(scores) + math.log(RUNNING)
        order = sorted((goal for goal, score in enumerate(scores) if score > -INF), key=lambda goal: -scores[goal])
        running = [goal for goal in order if scores[goal] >= floor]
        if len(running) < 2 or self._left == 0:
            return
        before = list(self.best), list(self.seen)
        if all(self._settle(goal) for goal in running):
            all(self._settle(goal) for goal in order[len(running) :])
        else:
            self.best, self.seen = before

    def _settle(self, goal: int) -> bool:
        """Find out what a goal costs, as far as that matters; whether the budget was enough."""
        bounds = self.best[goal], self.seen[goal]
        best = self.best[goal] = self._paid(self.plain.search(goal, budget=self._left))
        if best.is_exact:
            limit = self._limit(goal)
            seen = self.seen[goal] = self._paid(self.woven.search(goal, budget=self._left, limit=limit))
            if seen.is_exact or seen.least >= limit:
                self._peak = max(self._peak, self._score(goal))
                return True
        self.best[goal], self.seen[goal] = bounds
        return False

    def _paid(self, cost: Cost) -> Cost:
        self._left = max(0, self._left - cost.spent)
        return cost

    def _limit(self, goal: int) -> float:
        """Return the cost, with what was seen, from which on a goal is out of the running."""
        if self._peak == -INF:
            return INF
        extra, floor = 0.0, self._peak + math.log(RUNNING)
        while self._score(goal, extra) >= floor:
            extra += self.step
        return self.best[goal].least + extra

    def _scores(self) -> list[float]:
        return [self._score(goal) for goal in range(len(self.prior))]

    def _extra(self, goal: int) -> float:
        """Return what following the observations costs more, as far as is known."""
        best, seen = self.best[goal].least, self.seen[goal].least
        return max(0.0, seen - best) if seen < INF else INF

    def _score(self, goal: int, extra: float | None = None) -> float:
        """Return the logarithm of how well a goal explains the observations, if they cost ``extra``."""
        extra = self._extra(goal) if extra is None else extra
        if extra == INF or self.prior[goal] == 0:
            return -INF
        steps = (self.best[goal].least + extra) / self.step
        needed = -sum(math.log1p(math.exp(-detour / NEED_TEMPERATURE)) for detour in self.detours[goal])
        wasted = extra / self.step / self.options.temperature
        return math.log(self.prior[goal]) - wasted - _choices(steps, len(self.observed)) + NEED_WEIGHT * needed

    def _is_complete(self, scores: Sequence[float]) -> bool:
        """Whether no search can change what is chosen: each goal has exact costs, or is out even at its lowest."""
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
    """Return the logarithm of (L + 1) * binomial(L, n): how many ways there are to see n of L steps, at any rate.

    >>> round(math.exp(_choices(4, 2)))
    30
    """
    steps = max(steps, float(seen))
    ways = math.lgamma(steps + 1) - math.lgamma(seen + 1) - math.lgamma(steps - seen + 1)
    return ways + math.log(steps + 1)
