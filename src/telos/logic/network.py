"""A ground network: variables, and the tables and clauses of ground formulas that speak of them.

A hidden atom is a variable with two values, 0 for false and 1 for true. The atoms of a block, of which exactly one is
true, are together one variable with a value for each. All ground formulas of a rule that share their variables are one
factor: a table over the joint choices of those variables. So ``goal(t-1,+g1) => goal(t,+g2)`` over seven goals is one
table of 49 numbers a step and not 49 formulas, and every inference method works on that tight form.

With weights ``w``, the table of a factor with key row ``r`` is ``holds @ w[weights[r]]``: ``holds[cell, choice]`` says
how many ground formulas of that choice of ``+`` constants hold in that cell. A weight index of -1 stands for 0.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Factors:
    """All ground formulas of one rule whose open part has the same form: n factors over k variables each.

    Cells are numbered in C order over the values of the variables in ``scope``, all factors alike. A formula too wide
    for a table is shared between ``Factors`` and ``Clauses`` of the same rule; there ``holds`` can be below 0, and only
    the sum over both counts the formula.
    """

    rule: int  # index into the model's rules; -1 for what the engine itself adds
    scope: Ints  # (n, k), distinct variables in a row
    key: Ints  # (n,) row of ``weights``
    weights: Ints  # (rows, choices) indices into ``Network.weights``
    holds: Floats  # (cells, choices)
    hard: bool  # every ground formula must hold: a cell with fewer than ``formulas`` is forbidden
    formulas: int  # ground formulas in one factor

    def take(self, which: Bools) -> "Factors":
        """Return the factors that are flagged."""
        return replace(self, scope=self.scope[which], key=self.key[which])


@dataclass(frozen=True, slots=True)
class Clauses:
    """Ground disjunctions that are too long for a table; clause i has the literals ``start[i]`` to ``start[i + 1]``.

    A literal holds if its variable has the value (``negated`` is 0) or has not (1).
    """

    rule: int
    start: Ints  # (n + 1,)
    variable: Ints
    value: Ints
    negated: NDArray[np.int8]
    weight: Ints  # (n,) index into ``Network.weights``; a clause of a hard rule has -1
    sign: Floats  # (n,) 1, or -1 where the ground formula is the negation of the clause (a long conjunction)
    hard: bool

    @property
    def owner(self) -> Longs:
        """The clause of each literal."""
        return np.repeat(np.arange(len(self.sign)), np.diff(self.start))

    def met(self, values: Ints) -> Bools:
        """Say which literals hold in a world."""
        holds: Bools = (values[self.variable] == self.value) != (self.negated != 0)
        return holds

    def take(self, which: Bools) -> "Clauses":
        """Return the clauses that are flagged."""
        lengths = np.diff(self.start)
        literals = np.repeat(which, lengths)
        return replace(
            self,
            start=np.append(0, np.cumsum(lengths[which])).astype(np.int32),
            variable=self.variable[literals],
            value=self.value[literals],
            negated=self.negated[literals],
            weight=self.weight[which],
            sign=self.sign[which],
        )

    def plainly(self) -> "Clauses":
        """Return hard clauses such that each must hold: one that must fail is as many clauses as it has literals."""
        if not self.hard or bool((self.sign > 0).all()):
            return self
        must_fail = np.repeat(self.sign < 0, np.diff(self.start))
        is_first = np.zeros(len(must_fail), np.bool_)
        is_first[self.start[:-1]] = True
        start = np.append(np.flatnonzero(is_first | must_fail), len(must_fail)).astype(np.int32)
        negated = np.where(must_fail, 1 - self.negated, self.negated).astype(np.int8)
        weight, sign = np.full(len(start) - 1, -1, np.int32), np.ones(len(start) - 1)
        return replace(self, start=start, negated=negated, weight=weight, sign=sign)


@dataclass(frozen=True, slots=True)
class Network:
    """What is left open once the evidence is known.

    Ground formulas that evidence predicates alone decide are not in it, and add nothing to any score. A known fact
    about a hidden predicate leaves nothing out: it gives its variable a value.
    """

    sizes: Ints  # (variables,) number of values
    world: Ints  # (variables,) index into the worlds of the database
    given: Ints  # (variables,) the known value, or -1
    factors: tuple[Factors, ...]
    clauses: tuple[Clauses, ...]
    weights: Floats  # one for each weight in use
    names: Sequence[tuple[int, tuple[str, ...]]]  # of each weight: its rule and the constants of its ``+`` variables
    atoms: "AtomNames"


@dataclass(frozen=True, slots=True)
class AtomNames:
    """Which atoms the variables stand for, kept as codes and put into words only when asked.

    Variables come in runs, one for each hidden predicate: those of ``predicates[i]`` are numbered from ``start[i]`` to
    ``start[i + 1]``. Row v of ``arguments[i]`` holds the codes of the arguments; a block's own argument holds -1, and
    value k of the variable stands for constant k of that argument's type (``values[i][k]``). A block over several
    arguments has -1 for the first of them and -2 for the others; its values are named ``A,B``.
    """

    predicates: tuple[str, ...]
    start: tuple[int, ...]
    arguments: tuple[Ints, ...]
    values: tuple[tuple[str, ...], ...]  # names of a block's values; () for plain atoms
    constants: tuple[tuple[tuple[str, ...], ...], ...]  # for each predicate and argument, the names of its type

    def name(self, variable: int, value: int = 1) -> str:
        """Return the atom that is true when a variable has a value: ``goal(3,Eat)``."""
        run = self._run(variable)
        row = self.arguments[run][variable - self.start[run]]
        words = (
            self.values[run][value] if code < 0 else self.constants[run][place][code]
            for place, code in enumerate(row)
            if code != -2
        )
        said = ",".join(words)
        return f"{self.predicates[run]}({said})" if said else self.predicates[run]

    @property
    def is_plain(self) -> Bools:
        """Whether each variable is an atom by itself, and no block of atoms of which exactly one is true."""
        return np.repeat([not values for values in self.values], np.diff(self.start)).astype(np.bool_)

    def literal(self, variable: int, value: int) -> str:
        """Say a variable's value: ``goal(3,Eat)``, ``Smokes(Anna)`` or ``!Smokes(Anna)``."""
        is_false = value == 0 and not self.values[self._run(variable)]
        return f"!{self.name(variable)}" if is_false else self.name(variable, value)

    def _run(self, variable: int) -> int:
        return bisect_right(self.start, variable) - 1
