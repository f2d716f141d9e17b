"""What inference searches on: the open variables of a network, and what each of their joint choices adds to the score.

Evidence, weights and hard formulas are worked in: a known variable is gone, a forbidden choice adds minus infinity, and
all factors over the same variables are one table. What is left is numbers, which every method here understands.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Bools, Floats, Ints

ROUNDING = 1e-9  # sums of weights that differ by less are the same


@dataclass(frozen=True, slots=True)
class Tables:
    """Factors over variables of the same sizes; no two over the same variables.

    ``values[i, cell]`` is what factor i adds, cells in C order over ``sizes``.
    """

    sizes: tuple[int, ...]
    scope: Ints  # (n, k) open variables, ascending in a row
    values: Floats  # (n, cells)

    @property
    def strides(self) -> Ints:
        """How far apart the cells of neighbouring values lie, for each variable."""
        return strides_of(self.sizes)

    def found(self, world: Ints) -> Floats:
        """Return what each factor adds in a world."""
        cell = world[self.scope] @ self.strides
        return np.asarray(self.values[np.arange(len(cell)), cell])

    def take(self, which: Bools) -> "Tables":
        """Return the factors that are flagged."""
        return Tables(self.sizes, self.scope[which], self.values[which])


@dataclass(frozen=True, slots=True)
class LongClauses:
    """Disjunctions: clause i holds if one of its literals does, and then adds ``gain[i]``; infinity if it must hold.

    Its literals are those from ``start[i]`` to before ``start[i + 1]``; a literal holds if its variable has the value
    (``negated`` is 0) or has not (1).
    """

    start: Ints  # (n + 1,)
    variable: Ints
    value: Ints
    negated: NDArray[np.int8]
    gain: Floats  # (n,)

    @property
    def owner(self) -> Ints:
        """The clause of each literal."""
        return np.repeat(np.arange(len(self.gain), dtype=np.int32), np.diff(self.start))

    def hold(self, world: Ints) -> Bools:
        """Say which clauses hold in a world."""
        true = (world[self.variable] == self.value) != (self.negated == 1)
        return np.asarray(np.bincount(self.owner, weights=true, minlength=len(self.gain)) > 0)

    def found(self, world: Ints) -> Floats:
        """Return what each clause adds in a world."""
        holds = self.hold(world)
        must = np.isinf(self.gain)
        return np.where(must, np.where(holds, 0.0, -np.inf), np.where(holds, np.where(must, 0.0, self.gain), 0.0))

    @property
    def most(self) -> Floats:
        """The most that each clause can add."""
        return np.where(np.isinf(self.gain), 0.0, np.maximum(self.gain, 0.0))

    def take(self, which: Bools) -> "LongClauses":
        """Return the clauses that are flagged."""
        literal = which[self.owner]
        start = np.concatenate([[0], np.cumsum(np.diff(self.start)[which])]).astype(np.int32)
        return LongClauses(start, self.variable[literal], self.value[literal], self.negated[literal], self.gain[which])


NO_CLAUSES = LongClauses(
    np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0)
)


@dataclass(frozen=True, slots=True)
class Potentials:
    """A network with its evidence worked in. Variables here are the open ones; ``open[v]`` is the network's number.

    What the single value k of variable v adds stands at ``single[start[v] + k]``. ``constant`` is in every score, minus
    infinity if the evidence alone breaks a hard formula.
    """

    known: Ints  # a world of the network, right in all but the open variables
    open: Ints
    sizes: Ints
    start: Ints  # (open + 1,)
    single: Floats
    tables: tuple[Tables, ...]
    clauses: LongClauses
    constant: float

    def score(self, world: Ints) -> float:
        """Return the score of a choice of values, minus infinity if it is forbidden."""
        total = self.constant + float(self.single[self.start[:-1] + world].sum())
        for tables in self.tables:
            total += float(tables.found(world).sum())
        return total + float(self.clauses.found(world).sum())

    def ceiling(self) -> float:
        """Return a score that no world exceeds: every factor at its best, each by itself."""
        if not len(self.open):
            return self.constant
        singles = float(np.maximum.reduceat(self.single, self.start[:-1]).sum())
        return self.constant + singles + self.peak()

    def peak(self) -> float:
        """Return what the factors over several variables add at most."""
        most = sum(float(tables.values.max(axis=1).sum()) for tables in self.tables)
        return most + float(self.clauses.most.sum())

    def whole(self, world: Ints) -> Ints:
        """Return the world of the network that a choice of values for the open variables makes."""
        values = self.known.copy()
        values[self.open] = world
        return values

    def greedy(self) -> Ints:
        """Return the value that is best by itself, for each variable; the first of equals."""
        owner = np.repeat(np.arange(len(self.open)), self.sizes)
        order = np.lexsort((np.arange(len(owner)), -self.single, owner))
        return np.asarray(order[self.start[:-1]] - self.start[:-1], dtype=np.int32)

    def keep(self, tables: Sequence[Bools], clauses: Bools) -> "Potentials":
        """Return the potentials with only some of the factors over several variables."""
        kept = tuple(each.take(which) for each, which in zip(self.tables, tables, strict=True) if which.any())
        return replace(self, tables=kept, clauses=self.clauses.take(clauses))

    @property
    def has_traps(self) -> bool:
        """Whether hard formulas tie variables together, so that changing one at a time may not reach every world."""
        barred = any(bool(np.isneginf(tables.values).any()) for tables in self.tables)
        return barred or bool(np.isinf(self.clauses.gain).any())

    @property
    def is_possible(self) -> bool:
        """Whether evidence and hard formulas over one variable leave a value for each."""
        if math.isinf(self.constant):
            return False
        return not len(self.open) or bool(np.isfinite(np.maximum.reduceat(self.single, self.start[:-1])).all())


@dataclass(frozen=True, slots=True)
class Solved:
    """What a search found: a choice of values for the open variables, its score, and a score that none exceeds."""

    world: Ints
    score: float
    bound: float


def strides_of(sizes: Sequence[int]) -> Ints:
    """Return how far apart the cells of neighbouring values lie.

    >>> strides_of((2, 3, 4)).tolist()
    [12, 4, 1]
    """
    return np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], dtype=np.int32)
