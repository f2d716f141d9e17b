"""What goals cost: bounds for all of them at once, and searches for the few that matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from telos.core.kernels import kernel
from telos.recognition.strips import lmcut
from telos.recognition.strips import search as astar
from telos.recognition.strips.arrays import Arrays, weave
from telos.recognition.strips.lmcut import FAR, Ints
from telos.recognition.strips.problem import StripsProblem
from telos.recognition.strips.search import MOST_COST, MOST_NODES

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
        self._kernel = kernel(lmcut, astar)
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
