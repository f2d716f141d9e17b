"""A ground network: variables, and the tables and clauses of ground formulas that speak of them.

A hidden atom is a variable with two values, 0 for false and 1 for true. The atoms of a block, of which exactly one is
true, are together one variable with a value for each. All ground formulas of a rule that share their variables are one
factor: a table over the joint choices of those variables. So ``goal(t-1,+g1) => goal(t,+g2)`` over seven goals is one
table of 49 numbers a step and not 49 formulas, and every inference method works on that tight form.

With weights ``w``, the table of a factor with key row ``r`` is ``holds @ w[weights[r]]``: ``holds[cell, choice]`` says
how many ground formulas of that choice of ``+`` constants hold in that cell. A weight index of -1 stands for 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class Network:
    """What is left open once the evidence is known.

    ``given[v]`` is the known value of a variable, or -1. ``constant`` is what the weights of ground formulas without
    open atoms add to every score: nothing, if only evidence predicates decide them, because those are not counted.
    """

    sizes: Ints  # (variables,) number of values
    world: Ints  # (variables,)
    given: Ints  # (variables,)
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
        run = next(i for i in range(len(self.predicates)) if variable < self.start[i + 1])
        row = self.arguments[run][variable - self.start[run]]
        words = (
            self.values[run][value] if code < 0 else self.constants[run][place][code]
            for place, code in enumerate(row)
            if code != -2
        )
        said = ",".join(words)
        return f"{self.predicates[run]}({said})" if said else self.predicates[run]

    def is_block(self, variable: int) -> bool:
        """Whether a variable stands for a block of atoms, of which exactly one is true."""
        return bool(self.values[next(i for i in range(len(self.predicates)) if variable < self.start[i + 1])])

    def literal(self, variable: int, value: int) -> str:
        """Say a variable's value: ``goal(3,Eat)``, ``Smokes(Anna)`` or ``!Smokes(Anna)``."""
        is_false = value == 0 and not self.is_block(variable)
        return f"!{self.name(variable)}" if is_false else self.name(variable, value)
