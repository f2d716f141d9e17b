"""Lower bounds and exact costs of goals in a STRIPS problem, with observations compiled into the actions.

``GoalCosts`` answers for all goals at once (LM-cut bounds) or searches for one (A*); ``compile_observations`` builds
the arrays that the kernels of ``search.py`` read.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from telos.core.errors import TelosError
from telos.core.kernels import is_installed, kernel
from telos.recognition.strips import search as astar
from telos.recognition.strips.problem import StripsProblem
from telos.recognition.strips.search import (
    BITS_PER_WORD,
    MAX_NODES,
    MAX_PLAN_COST,
    UNREACHABLE_COST,
    ActionBits,
    Ints,
    LmCutWorkspace,
    RelaxedTask,
    SearchNodes,
)

# --- arrays -----------------------------------------------------------------------------------------------------------

MAX_BIT_WORDS = 1 << 25  # of all actions: three arrays of 256 MB
MAX_ACTION_COST = 4_000  # of one action, as an integer of the kernels
MAX_STORED_CUTS, MIN_CUT_ACTIONS, CUTS_PER_ACTION = 512, 1 << 14, 8  # landmarks of a state that its successors keep


@dataclass(frozen=True)
class StripsArrays:
    """A problem for the kernels, with integer costs: those of the problem times ``scale``.

    The facts of the problem come first, then one that is always true, then one for each number of explained
    observations; ``done`` is the last of these. After Ramírez and Geffner (2009): each observed action has a copy that
    needs the fact before it and adds the next one, so a plan for ``done`` contains all observations in order. If
    observations may be wrong, a step of cost ``drop`` skips one.
    """

    relaxed: RelaxedTask
    bits: ActionBits
    room: LmCutWorkspace
    start: Ints
    start_words: Ints
    done: int
    scale: float
    names: tuple[str, ...]  # of actions; empty for skipping an observation

    def words(self, facts: Sequence[int]) -> Ints:
        """Return a set of facts as bit words."""
        return to_words(_flat([facts]), np.array([0, len(facts)]), self.bits.needs.shape[1])[0]

    def nodes(self, most: int) -> SearchNodes:
        """Return the workspace of a search over at most ``most`` states."""
        words, queued = self.bits.needs.shape[1], 2 * most + len(self.relaxed.costs)
        cost, bound, parent, action = (np.zeros(most, np.int64) for _ in range(4))
        table, heap, facts = (np.zeros(size, np.int64) for size in (2 * most + 1, queued, words * BITS_PER_WORD))
        return SearchNodes(np.zeros((most, words), np.int64), cost, bound, parent, action, table, heap, facts)


def find_cost_scale(costs: Sequence[float]) -> float:
    """Return the factor that makes costs integers, exactly if possible, otherwise approximately.

    >>> find_cost_scale([1.0, 3.0]), find_cost_scale([0.5, 1.0]), find_cost_scale([0.0])
    (1.0, 2.0, 1.0)
    """
    highest = max(costs, default=0.0)
    for scale in (1.0, 2.0, 4.0, 5.0, 10.0, 100.0, 1000.0):
        if highest * scale <= MAX_ACTION_COST and all((cost * scale).is_integer() for cost in costs):
            return scale
    return MAX_ACTION_COST / highest


def compile_observations(
    problem: StripsProblem, observed: Sequence[Sequence[int]], *, drop: float | None, is_prefix: bool = False
) -> StripsArrays:
    """Return the arrays of a problem with observations, each given as its possible actions.

    With ``is_prefix`` they are the first steps of a plan: no other action is possible before the last of them.
    """
    true = len(problem.facts)
    done = true + 1 + len(observed)
    always = [done] if is_prefix else [true]  # the kernels start from preconditions
    needs = [[*action.needs, *(always if is_prefix or not action.needs else ())] for action in problem.actions]
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
    return _arrays(needs, adds, deletes, costs, [*problem.start, true, true + 1], done, names)


def compile_avoidance(
    problem: StripsProblem, observed: Sequence[Sequence[int]], *, is_prefix: bool = False
) -> StripsArrays:
    """Return the arrays of a problem whose plans do not contain the observations in order, or do not start with them.

    Facts count the observations met so far, up to the last but one: an action that would be the next observation must
    count, and the last one may never be met. Each count has a complement. Of plans that must not start with the
    observations, two more facts tell whether it still does; once a step differs, everything is allowed.
    """
    base, number = len(problem.facts), len(observed)
    met, unmet, starts, differs = base, base + number, base + 2 * number, base + 2 * number + 1
    true = differs + 1
    variants = list[tuple[int, list[int], list[int], list[int]]]()  # of actions: further needs, adds and deletes
    for index in range(len(problem.actions)):
        matching = [count for count, choices in enumerate(observed) if index in choices]
        still = [starts] if is_prefix else []
        other = [*still, *(unmet + count for count in matching)]
        variants.append((index, other, [differs] if is_prefix else [], still))
        if is_prefix:
            variants.append((index, [differs], [], []))
        for count in matching:
            if count < number - 1:
                now, then = [met + count, unmet + count + 1], [met + count + 1, unmet + count]
                variants.append((index, [met + count, *still], then, now))
    actions = [problem.actions[index] for index, *_ in variants]
    needs = [[*action.needs, *more] or [true] for action, (_, more, _, _) in zip(actions, variants, strict=True)]
    adds = [[*action.adds, *more] for action, (_, _, more, _) in zip(actions, variants, strict=True)]
    deletes = [[*action.deletes, *more] for action, (_, _, _, more) in zip(actions, variants, strict=True)]
    counts = [met, *(unmet + count for count in range(1, number))]
    start = [*problem.start, *counts, starts, true]
    names = [action.name for action in actions]
    return _arrays(needs, adds, deletes, [action.cost for action in actions], start, true, names)


def _arrays(
    needs: list[list[int]],
    adds: list[list[int]],
    deletes: list[list[int]],
    costs: list[float],
    start: list[int],
    done: int,
    names: list[str],
) -> StripsArrays:
    facts, words = done + 1, done // BITS_PER_WORD + 1
    if len(costs) * words > MAX_BIT_WORDS:
        raise TelosError(
            f"the problem is too large: {len(costs)} actions and {facts} facts, observations included",
            "recognise fewer observations, or a smaller problem",
        )
    scale = find_cost_scale(costs)
    whole = np.rint(np.array(costs) * scale).astype(np.int64)
    parts = [(_flat(each), _starts(each)) for each in (needs, adds, deletes)]
    counts = np.diff(parts[0][1])
    relaxed = RelaxedTask(*parts[0], counts, *parts[1], *_inverse(*parts[0], facts), *_inverse(*parts[1], facts), whole)
    bits = ActionBits(*(to_words(flat, starts, words) for flat, starts in parts))
    actions = len(costs)
    sizes = (actions, facts, actions, actions, len(parts[1][0]) + facts, facts, facts, actions, 2)
    stored = MAX_STORED_CUTS, max(MIN_CUT_ACTIONS, CUTS_PER_ACTION * actions)
    rows = 1, 2, 2, (2, stored[0] + 1), (2, stored[0]), (2, stored[1])
    room = LmCutWorkspace(*(np.zeros(size, np.int64) for size in (*sizes, *rows)))
    first = to_words(np.array(start, np.int64), np.array([0, len(start)]), words)[0]
    return StripsArrays(relaxed, bits, room, np.array(start, np.int64), first, done, scale, tuple(names))


def _flat(lists: Sequence[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(lists), np.int64)


def _starts(lists: Sequence[Sequence[int]]) -> Ints:
    return np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.int64)


def _owners(starts: Ints) -> Any:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _inverse(flat: Ints, starts: Ints, facts: int) -> tuple[Ints, Ints]:
    """Return for each fact the lists that contain it."""
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat, minlength=facts)
    return _owners(starts)[order].astype(np.int64), np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def to_words(flat: Ints, starts: Ints, words: int) -> Ints:
    """Return lists of facts as rows of bit words."""
    rows = np.zeros((len(starts) - 1, words), np.int64)
    np.bitwise_or.at(rows, (_owners(starts), flat // BITS_PER_WORD), np.int64(1) << (flat % BITS_PER_WORD))
    return rows


# --- costs ------------------------------------------------------------------------------------------------------------

MIN_SEARCH_NODES = 1 << 17  # states of a search for WORK_PER_SECOND, and never fewer
MAX_NODE_BYTES = 1 << 28  # of the states of a search
WORK_PER_SECOND = 25_000_000  # fact visits, roughly, of the compiled kernels
UNLIMITED_WORK = 1 << 62
SECONDS_PER_SLICE = 0.004  # between two looks at the clock
GREEDY_WEIGHT, GREEDY_NODES = 2, 1 << 12  # of the bound in a search for any plan, and the states that it may keep


class SearchBudget:
    """What searches may spend: a number of fact visits, the same on every machine, or time by the clock."""

    def __init__(self, *, work: int | None = None, seconds: float | None = None) -> None:
        self._work, self._start = work, time.perf_counter()
        self._deadline = None if seconds is None else self._start + seconds
        self._pace = WORK_PER_SECOND / (10 if is_installed() else 1000)  # cautious until it is measured
        self._began = self._start
        self.used = 0  # fact visits

    @property
    def work_left(self) -> int:
        """Return how much work is left; if the clock counts, at the present pace."""
        if self._deadline is not None:
            return max(0, int((self._deadline - time.perf_counter()) * self._pace))
        return UNLIMITED_WORK if self._work is None else max(0, self._work - self.used)

    @property
    def is_timed(self) -> bool:
        """Whether the clock counts."""
        return self._deadline is not None

    @property
    def is_spent(self) -> bool:
        return self.work_left == 0

    @property
    def spent(self) -> int:
        """Return the work, or the microseconds if the clock counts."""
        if self._deadline is None:
            return self.used
        return int((min(time.perf_counter(), self._deadline) - self._start) * 1e6)

    def begin(self, room: LmCutWorkspace) -> int:
        """Prepare a call of a kernel; return the work after which it should pause."""
        left = self.work_left
        room.work[0] = 0
        if self._deadline is None:
            room.work[1] = UNLIMITED_WORK
            return left
        room.work[1] = left
        self._began = time.perf_counter()
        return min(left, max(1, int(SECONDS_PER_SLICE * self._pace)))

    def end(self, room: LmCutWorkspace) -> bool:
        """Count the work of a call; return whether it was cut short."""
        done = int(room.work[0])
        self.used += done
        if self._deadline is not None and done > 1000:
            self._pace = max(1000.0, done / max(1e-6, time.perf_counter() - self._began))
        return done >= int(room.work[1])


@dataclass(frozen=True, slots=True)
class SearchCost:
    """What is known of the cost of a cheapest plan: a lower and an upper bound; infinite if there is no plan."""

    least: float
    most: float = float("inf")
    steps: tuple[str, ...] = ()  # a plan that costs ``most``, if one was found

    @property
    def is_exact(self) -> bool:
        return self.least >= self.most

    def combine(self, other: "SearchCost") -> "SearchCost":
        """Return what is known from both."""
        cheaper = self if self.most <= other.most else other
        return SearchCost(max(self.least, other.least), max(self.least, other.least, cheaper.most), cheaper.steps)


class GoalCosts:
    """The costs of a problem's goals from its start, with the observations in every plan, or avoided in every plan."""

    def __init__(
        self,
        problem: StripsProblem,
        observed: Sequence[Sequence[int]] = (),
        drop: float | None = None,
        *,
        is_prefix: bool = False,
        is_avoided: bool = False,
    ) -> None:
        self.problem = problem
        if is_avoided:
            self.arrays = compile_avoidance(problem, observed, is_prefix=is_prefix)
        else:
            self.arrays = compile_observations(problem, observed, drop=drop, is_prefix=is_prefix)
        self._kernel = kernel(astar)
        self._goals = [[*(goal.wants or ()), self.arrays.done] for goal in problem.goals]

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """The LM-cut lower bound of each goal."""
        bounds = self.bounds_within(SearchBudget())
        assert bounds is not None, "without a limit"
        return bounds

    def bounds_within(self, budget: SearchBudget) -> tuple[float, ...] | None:
        """Return the LM-cut lower bound of each goal; None if the budget ends before."""
        found = self._bounds_of_goals(budget)
        if found is None:
            return None
        return tuple(
            self._real(bound) if goal.wants is not None else float("inf")
            for goal, bound in zip(self.problem.goals, found, strict=True)
        )

    def _bounds_of_goals(self, budget: SearchBudget) -> list[int] | None:
        """Return the bounds as integers, at the present costs of actions; None if the budget ends before."""
        found = np.zeros(len(self._goals), np.int64)
        arrays, (goals, starts) = self.arrays, self._flat_goals
        at_once = 1 if budget.is_timed else len(self._goals)
        for first in range(0, len(found), at_once):
            part = found[first : first + at_once]
            is_cut = True
            while is_cut:  # the pace may have been underestimated
                budget.begin(arrays.room)
                self._kernel.goal_bounds(arrays.start, goals, starts[first:], arrays.relaxed, arrays.room, part)
                is_cut = budget.end(arrays.room)
                if is_cut and budget.is_spent:
                    return None
        return list(found.tolist())

    def detours(
        self, actions: Sequence[int], dearer: float, bounds: Sequence[float], budget: SearchBudget
    ) -> list[tuple[float, ...]]:
        """Return for each action and goal by how much the bound rises if the action costs ``dearer`` more.

        Actions that the budget does not suffice for are left out.
        """
        arrays, rows = self.arrays, list[tuple[float, ...]]()
        raised = round(dearer * arrays.scale)
        for action in actions:
            arrays.relaxed.costs[action] += raised
            found = self._bounds_of_goals(budget)
            arrays.relaxed.costs[action] -= raised
            if found is None:
                break
            pairs = zip(found, bounds, strict=True)
            rows.append(
                tuple(max(0.0, self._real(each) - best) if best < float("inf") else 0.0 for each, best in pairs)
            )
        return rows

    def search(
        self, goal: int, *, budget: SearchBudget, limit: float = float("inf"), is_greedy: bool = False
    ) -> SearchCost:
        """Search a plan for a goal, within a budget and while it may cost less than ``limit``.

        The plan is a cheapest one; if ``is_greedy``, any one, found sooner and within few states.
        """
        if self.problem.goals[goal].wants is None:
            return SearchCost(float("inf"))
        arrays, wanted = self.arrays, self._goals[goal]
        weight = GREEDY_WEIGHT if is_greedy else 1
        nodes = arrays.nodes(GREEDY_NODES + len(arrays.relaxed.costs) if is_greedy else self._count_nodes(budget))
        highest = min(limit * arrays.scale, float(MAX_PLAN_COST // weight - 1))
        progress, node, least = np.zeros(4, np.int64), astar.PAUSED, 0
        self._kernel.start_search(arrays.start_words, nodes, progress, weight)
        while node == astar.PAUSED and not budget.is_spent:
            pause_at = budget.begin(arrays.room)
            node, least = self._kernel.search(
                arrays.start_words,
                np.array(wanted, np.int64),
                arrays.words(wanted),
                arrays.bits,
                arrays.relaxed,
                arrays.room,
                nodes,
                progress,
                pause_at,
                int(np.ceil(highest)),
                weight,
            )
            budget.end(arrays.room)
        if node < 0:
            return SearchCost(self._real(max(int(least), int(nodes.bound[0]))))
        cost = self._real(int(nodes.cost[node]))
        return SearchCost(self._real(int(nodes.bound[0])) if is_greedy else cost, cost, self._steps(node, nodes))

    def _count_nodes(self, budget: SearchBudget) -> int:
        """Return how many states a search may keep."""
        wished = max(MIN_SEARCH_NODES, MIN_SEARCH_NODES * budget.work_left // WORK_PER_SECOND)
        fitting = MAX_NODE_BYTES // (8 * len(self.arrays.start_words))
        return min(min(wished, fitting) + len(self.arrays.relaxed.costs), MAX_NODES)

    @cached_property
    def _flat_goals(self) -> tuple[Ints, Ints]:
        flat = [fact for goal in self._goals for fact in goal]
        starts = np.concatenate(([0], np.cumsum([len(goal) for goal in self._goals])))
        return np.array(flat, np.int64), starts.astype(np.int64)

    def _real(self, cost: int) -> float:
        return float("inf") if cost >= UNREACHABLE_COST else cost / self.arrays.scale

    def _steps(self, node: int, nodes: astar.SearchNodes) -> tuple[str, ...]:
        """Return the actions that lead to a node, without skipped observations."""
        names = []
        while nodes.parent[node] >= 0:
            names.append(self.arrays.names[nodes.action[node]])
            node = nodes.parent[node]
        return tuple(name for name in reversed(names) if name)
