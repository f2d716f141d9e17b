"""Cutting-plane inference: solve with few factors, add those that could score more, and solve again.

Formulas that hold anyway never enter the program. In each round the optimum of the active factors, plus the maximum of
the others, is a bound on every world; when no inactive factor could score more, the world found is optimal.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from telos.core.errors import TelosError
from telos.logic.network import (
    NO_LIMIT,
    Bools,
    Deadline,
    Floats,
    Ints,
    MostProbable,
    Network,
    Unsatisfiable,
)
from telos.logic.search import integer_program
from telos.logic.search.conflicts import find_conflict
from telos.logic.search.potentials import ROUNDING, Potentials, Solution, to_potentials
from telos.logic.search.walksat import explain_failure, search_world

PATIENCE = 3  # rounds that add improvable factors only
MAX_HOPS = 256
SOLVER_SHARE = 0.8  # of the time; the rest is for MaxWalkSAT over all factors

Solver: TypeAlias = Literal["highs", "walksat"]


def cutting_planes(
    network: Network,
    solver: Solver = "highs",
    seed: int = 0,
    *,
    weights: Floats | None = None,
    rounds: int = 100,
    deadline: Deadline = NO_LIMIT,
) -> MostProbable | Unsatisfiable:
    """Find the most probable world by cutting planes over an integer program, or over MaxWalkSAT.

    The last of ``rounds`` activates all factors. When most of the time is over, the rest of it goes to MaxWalkSAT over
    all factors; the best world of both is returned, with the bound proved by then.
    """
    if rounds < 1:
        raise TelosError(f"rounds must be at least 1, got {rounds}")
    potentials = to_potentials(network, weights)
    if not potentials.is_possible:
        return find_conflict(network, deadline=deadline)
    planes = _CuttingPlanes(potentials, _solver(solver, seed, deadline.share(SOLVER_SHARE)))
    is_done = planes.run(rounds, deadline)
    if is_done is None:
        return find_conflict(network, deadline=deadline)
    if not is_done:
        planes.note(search_world(potentials, seed, deadline=deadline))
    best = planes.best
    if best is None or np.isneginf(best.score):
        return explain_failure(network, potentials, deadline)
    bound = max(planes.bound, best.score)
    method = f"cpi ({solver})"
    return MostProbable(potentials.complete(best.world), best.score, bound, method, planes.round, not is_done)


def full_program(
    network: Network, *, weights: Floats | None = None, deadline: Deadline = NO_LIMIT
) -> MostProbable | Unsatisfiable:
    """Find the most probable world by one integer program over all factors."""
    potentials = to_potentials(network, weights)
    solved = integer_program.solve(potentials, deadline=deadline)
    if solved is None:
        return find_conflict(network)
    return MostProbable(potentials.complete(solved.world), solved.score, solved.bound, "ilp", stopped=deadline.is_over)


def _solver(name: str, seed: int, deadline: Deadline) -> Callable[[Potentials], Solution | None]:
    if name == "highs":
        return lambda potentials: integer_program.solve(potentials, deadline=deadline)
    if name == "walksat":
        return lambda potentials: search_world(potentials, seed, deadline=deadline)
    raise TelosError(f"unknown solver {name!r} for cutting planes", "use 'highs' or 'walksat'")


class _CuttingPlanes:
    """The rounds of cutting planes: the best world so far, and the bound on all worlds."""

    def __init__(self, potentials: Potentials, solve: Callable[[Potentials], Solution | None]) -> None:
        self._potentials, self._solve = potentials, solve
        self._kept = _ActiveFactors(potentials)
        self.best: Solution | None = None
        self.bound = potentials.upper_bound()
        self.round = 0

    def run(self, rounds: int, deadline: Deadline) -> bool | None:
        """Return whether the rounds came to their end in time; None if no world keeps all hard formulas."""
        solver_time = deadline.share(SOLVER_SHARE)
        for self.round in range(1, rounds + 1):
            if self.round == rounds:
                self._kept.add_all()
            try:
                solved = self._solve(self._kept.potentials())
            except integer_program.OutOfTime as error:
                self.bound = min(self.bound, error.bound + self._kept.rest())
                return False
            if solved is None:
                return None
            self.bound = min(self.bound, solved.bound + self._kept.rest())
            self.note(solved)
            if not self._kept.add_improvable(solved.world, hops=_hops(self.round)):
                return not solver_time.is_over or self.is_proved
            if solver_time.is_over:
                return False
        return True

    @property
    def is_proved(self) -> bool:
        """Whether no world scores more than the best one, up to rounding."""
        return self.best is not None and self.bound - self.best.score <= ROUNDING * max(1.0, abs(self.best.score))

    def note(self, solved: Solution | None) -> None:
        """Keep a world if it is better than the best one so far."""
        if solved is not None:
            score = self._potentials.score(solved.world)
            if self.best is None or score > self.best.score:
                self.best = Solution(solved.world, score, self.bound)


class _ActiveFactors:
    """The factors over several variables that are in the program."""

    def __init__(self, potentials: Potentials) -> None:
        self._all = potentials
        self._tables = [np.zeros(len(each.scope), bool) for each in potentials.tables]
        self._clauses = np.zeros(len(potentials.clauses.gain), bool)
        self._most = [each.values.max(axis=1) for each in potentials.tables]

    def potentials(self) -> Potentials:
        """Return the potentials with the active factors only."""
        return self._all.restrict(self._tables, self._clauses)

    def rest(self) -> float:
        """Return the maximum that the inactive factors can add."""
        tables = sum(float(most[~kept].sum()) for most, kept in zip(self._most, self._tables, strict=True))
        return tables + float(self._all.clauses.max_gain[~self._clauses].sum())

    def add_all(self) -> None:
        """Activate all factors."""
        for kept in self._tables:
            kept[:] = True
        self._clauses[:] = True

    def add_improvable(self, world: Ints, *, hops: int) -> bool:
        """Activate the factors that are below their maximum in a world, and those up to ``hops`` away from them.

        Return whether there were any of the former.
        """
        wanted = [
            np.asarray((tables.values_in(world) < most - ROUNDING) & ~kept)
            for tables, most, kept in zip(self._all.tables, self._most, self._tables, strict=True)
        ]
        clauses = self._all.clauses
        long = (clauses.values_in(world) < clauses.max_gain - ROUNDING) & ~self._clauses
        added = bool(long.any()) or any(bool(each.any()) for each in wanted)
        for _ in range(hops if added else 0):
            wanted, long = self._spread(wanted, long)
        for kept, each in zip(self._tables, wanted, strict=True):
            kept |= each
        self._clauses |= long
        return added

    def _spread(self, wanted: list[Bools], long: Bools) -> tuple[list[Bools], Bools]:
        """Return the factors that share a variable with those wanted."""
        touched = np.zeros(len(self._all.sizes), bool)
        clauses = self._all.clauses
        for tables, each in zip(self._all.tables, wanted, strict=True):
            touched[tables.scope[each]] = True
        touched[clauses.variable[long[clauses.owner]]] = True
        near = np.bincount(clauses.owner, weights=touched[clauses.variable], minlength=len(long)) > 0
        return [np.asarray(touched[tables.scope].any(axis=1)) for tables in self._all.tables], near


def _hops(number: int) -> int:
    """Return how many hops beyond improvable factors a round activates: none at first, then more and more.

    A factor and its neighbour may conflict; along a sequence, one hop at a time would take a round for each step.
    """
    return 0 if number < PATIENCE else min(MAX_HOPS, 1 << (number - PATIENCE))
