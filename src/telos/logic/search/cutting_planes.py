"""Cutting-plane inference: solve with few factors, add those that could score more, and solve again.

Formulas that hold anyway never enter the program. In each round the optimum of the active factors, plus the maximum of
the others, is a bound on every world; when no inactive factor could score more, the world found is optimal.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from telos.core.errors import TelosError
from telos.logic.network import Bools, Floats, Ints, MostProbable, Network, Unsatisfiable
from telos.logic.search import integer_program
from telos.logic.search.conflicts import find_conflict
from telos.logic.search.potentials import ROUNDING, Potentials, Solution, to_potentials
from telos.logic.search.walksat import explain_failure, search_world

PATIENCE = 3  # rounds that add improvable factors only
MAX_HOPS = 256

Solver: TypeAlias = Literal["highs", "walksat"]


def cutting_planes(
    network: Network,
    solver: Solver = "highs",
    seed: int = 0,
    *,
    weights: Floats | None = None,
    rounds: int = 100,
    seconds: float | None = None,
) -> MostProbable | Unsatisfiable:
    """Find the most probable world by cutting planes over an integer program, or over MaxWalkSAT.

    The last of ``rounds`` activates all factors. ``seconds`` limits each call of HiGHS.
    """
    if rounds < 1:
        raise TelosError(f"rounds must be at least 1, got {rounds}")
    potentials = to_potentials(network, weights)
    solve = _solver(solver, seed, seconds)
    kept = _ActiveFactors(potentials)
    best: Solution | None = None
    bound = potentials.upper_bound()
    for number in range(1, rounds + 1):
        if number == rounds:
            kept.add_all()
        solved = solve(kept.potentials()) if potentials.is_possible else None
        if solved is None:
            return find_conflict(network)
        bound = min(bound, solved.bound + kept.rest())
        score = potentials.score(solved.world)
        if best is None or score > best.score:
            best = Solution(solved.world, score, bound)
        if not kept.add_improvable(solved.world, hops=_hops(number)):
            break
    assert best is not None
    if np.isneginf(best.score):
        return explain_failure(network, potentials)
    return MostProbable(potentials.complete(best.world), best.score, max(bound, best.score), f"cpi ({solver})", number)


def full_program(
    network: Network, *, weights: Floats | None = None, seconds: float | None = None
) -> MostProbable | Unsatisfiable:
    """Find the most probable world by one integer program over all factors."""
    potentials = to_potentials(network, weights)
    solved = integer_program.solve(potentials, seconds=seconds)
    if solved is None:
        return find_conflict(network)
    return MostProbable(potentials.complete(solved.world), solved.score, solved.bound, "ilp")


def _solver(name: str, seed: int, seconds: float | None) -> Callable[[Potentials], Solution | None]:
    if name == "highs":
        return lambda potentials: integer_program.solve(potentials, seconds=seconds)
    if name == "walksat":
        return lambda potentials: search_world(potentials, seed)
    raise TelosError(f"unknown solver {name!r} for cutting planes", "use 'highs' or 'walksat'")


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
