"""The ground network: variables, and the factors and clauses of the ground formulas over them; scores and answers.

A hidden atom is a variable with two values, 0 for false and 1 for true. The atoms of a block, of which exactly one is
true, are together one variable with a value for each. All ground formulas of a rule that share their variables are one
factor: a table over the joint values of those variables. So ``goal(t-1,+g1) => goal(t,+g2)`` over seven goals is one
table of 49 numbers per step instead of 49 formulas, and every inference method works on that tight form.

With weights ``w``, the table of a factor with key row ``r`` is ``holds @ w[weights[r]]``: ``holds[cell, choice]`` is
the number of ground formulas of that choice of ``+`` constants that hold in that cell. A weight index of -1 stands
for 0.
"""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Literal: TypeAlias = tuple[int, int, bool]  # place in the scope, value, whether negated
ClauseForm: TypeAlias = tuple[tuple[int, ...], tuple[Literal, ...], float]  # sizes of the variables, literals, sign

MAX_CLAUSE_CELLS = 2**16  # of one clause's table


@dataclass(frozen=True, slots=True)
class Factors:
    """All ground formulas of one rule with the same open part: n factors over k variables each.

    Cells are numbered in C order over the values of the variables in ``scope``, the same for all n. A formula too wide
    for a table is split between ``Factors`` and ``Clauses`` of the same rule; there ``holds`` may be negative, and only
    the sum of both counts the formula.
    """

    rule: int  # index into the model's rules; -1 for factors that grounding adds
    scope: Ints  # (n, k), distinct variables in a row
    key: Ints  # (n,) row of ``weights``
    weights: Ints  # (rows, choices) indices into ``Network.weights``
    holds: Floats  # (cells, choices)
    hard: bool  # every ground formula must hold: a cell with fewer than ``formulas`` is forbidden
    formulas: int  # ground formulas in one factor

    def take(self, which: Bools) -> "Factors":
        """Return the flagged factors."""
        return replace(self, scope=self.scope[which], key=self.key[which])


@dataclass(frozen=True, slots=True)
class Clauses:
    """Ground disjunctions too long for a table; clause i has the literals ``start[i]`` to before ``start[i + 1]``.

    A literal holds if its variable has the value (``negated`` is 0) or does not have it (1).
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
        """The index of the clause of each literal."""
        return np.repeat(np.arange(len(self.sign)), np.diff(self.start))

    def met(self, values: Ints) -> Bools:
        """Return which literals hold in a world."""
        holds: Bools = (values[self.variable] == self.value) != (self.negated != 0)
        return holds

    def take(self, which: Bools) -> "Clauses":
        """Return the flagged clauses."""
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

    def split_negated(self) -> "Clauses":
        """Return hard clauses that must all hold: one that must fail becomes one clause per literal."""
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
    """The ground formulas that the evidence leaves open, over the variables of the hidden atoms.

    Ground formulas that evidence predicates decide are left out and add nothing to any score. A known fact about a
    hidden predicate leaves nothing out: its variable has a given value.
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
    """The atoms of the variables, kept as codes and formatted on demand.

    Variables are numbered predicate by predicate: those of ``predicates[i]`` from ``start[i]`` to before ``start[i +
    1]``. Row v of ``arguments[i]`` holds the codes of the arguments; a block's own argument holds -1, and value k of
    the variable stands for constant k of that argument's type (``values[i][k]``). A block over several arguments has -1
    for the first of them and -2 for the others; its values are named ``A,B``.
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
        names = (
            self.values[run][value] if code < 0 else self.constants[run][place][code]
            for place, code in enumerate(row)
            if code != -2
        )
        arguments = ",".join(names)
        return f"{self.predicates[run]}({arguments})" if arguments else self.predicates[run]

    @property
    def is_plain(self) -> Bools:
        """Whether each variable is a single atom and not a block."""
        return np.repeat([not values for values in self.values], np.diff(self.start)).astype(np.bool_)

    def literal(self, variable: int, value: int) -> str:
        """Return a variable's value as text: ``goal(3,Eat)``, ``Smokes(Anna)`` or ``!Smokes(Anna)``."""
        is_false = value == 0 and not self.values[self._run(variable)]
        return f"!{self.name(variable)}" if is_false else self.name(variable, value)

    def _run(self, variable: int) -> int:
        return bisect_right(self.start, variable) - 1


# --- time limits ------------------------------------------------------------------------------------------------------


class Deadline:
    """The end of the time that one call of inference may take; None is no limit.

    Methods look at it between units of work. What they compute before it does not depend on the clock.
    """

    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        if seconds is not None and not seconds > 0:
            raise TelosError(f"seconds must be greater than 0, got {seconds}", "give the time that you can wait")
        self.seconds = seconds
        self._clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    @property
    def left(self) -> float:
        """The seconds left, 0 if there are none."""
        return max(0.0, self._end - self._clock())

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self._clock() >= self._end

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time of what follows: compiling, which happens once on a machine."""
        began = self._clock()
        yield
        self._end += self._clock() - began

    def share(self, part: float) -> "Deadline":
        """Return the deadline after a part of the time that is left."""
        return Deadline(None if self._end == math.inf else max(self.left * part, 1e-9), clock=self._clock)

    def chunks(self, total: int) -> Iterator[int]:
        """Yield parts of a number of steps, each about a tenth of a second, until all are done or the time is up.

        At least one step is done.
        """
        size, done = 1, 0
        while done < total and not (done and self.is_over):
            began = self._clock()
            yield min(size, total - done)
            done += min(size, total - done)
            took = self._clock() - began
            size = size * 2 if took < 0.05 else max(1, size // 2) if took > 0.2 else size


NO_LIMIT = Deadline()


# --- answers of inference ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MostProbable:
    """A world with its score: the sum of the weights of the ground formulas that hold in it.

    No world scores more than ``bound``.
    """

    values: Ints  # (variables,)
    score: float
    bound: float
    method: str
    rounds: int = 1  # of cutting planes, or restarts
    stopped: bool = False  # the time was up before the method was done

    @property
    def exact(self) -> bool:
        """Whether the world is proved to be the most probable one, up to rounding."""
        return self.bound - self.score <= 1e-6 * max(1.0, abs(self.score))

    @property
    def gap(self) -> float:
        """How much more another world could score at most."""
        return max(0.0, self.bound - self.score)


@dataclass(frozen=True, slots=True)
class Marginals:
    """The probability of each value of each variable: ``probabilities[start[v] : start[v + 1]]`` for variable v."""

    start: NDArray[np.int64]  # (variables + 1,)
    probabilities: Floats
    log_z: float | None  # logarithm of the sum over all worlds, where it is known
    exact: bool
    method: str

    def of(self, variable: int) -> Floats:
        """Return the probabilities of the values of one variable."""
        return self.probabilities[self.start[variable] : self.start[variable + 1]]


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """No world keeps all hard formulas; ``conflict`` is a set that cannot hold together.

    It is minimal unless the time was up before. The predicates without facts are those of ``InferenceResult``.
    """

    conflict: tuple[str, ...]  # as text
    rules: tuple[int, ...]
    minimal: bool = True
    closed_without_facts: tuple[str, ...] = ()
    open_without_facts: tuple[str, ...] = ()


# --- scores -----------------------------------------------------------------------------------------------------------


def score(network: Network, values: Ints, weights: Floats | None = None) -> float:
    """Return the sum of the weights of the ground formulas that hold in a world, -inf if a hard one fails."""
    weights = network.weights if weights is None else weights
    return float(count_formulas(network, values) @ weights) if is_allowed(network, values) else -np.inf


def is_allowed(network: Network, values: Ints) -> bool:
    """Return whether a world keeps all hard formulas; given values (``Network.given``) are not checked."""
    hard_factors = (factors for factors in network.factors if factors.hard)
    if any(forbidden_cells(factors)[locate_cells(factors, network.sizes, values)].any() for factors in hard_factors):
        return False
    return all(find_holding(clauses, values).all() for clauses in network.clauses if clauses.hard)


def count_formulas(network: Network, values: Ints) -> Floats:
    """Return how many ground formulas of each weight hold in a world; the weights times these are its score."""
    found = np.zeros(len(network.weights))
    for factors in network.factors:
        rows, cells = len(factors.weights), len(factors.holds)
        at = factors.key.astype(np.int64) * cells + locate_cells(factors, network.sizes, values)
        found += count_by_weight(factors, np.bincount(at, minlength=rows * cells).reshape(rows, cells), len(found))
    for clauses in network.clauses:
        is_counted = find_holding(clauses, values) & (clauses.weight >= 0)
        found += np.bincount(clauses.weight[is_counted], minlength=len(found))
    return found


def cell_scores(factors: Factors, weights: Floats) -> Floats:
    """Return the score of each cell, one row for each row of ``factors.weights``; -inf where forbidden."""
    if factors.hard:
        return np.tile(np.where(forbidden_cells(factors), -np.inf, 0.0), (len(factors.weights), 1))
    scores: Floats = weights_at(factors.weights, weights) @ factors.holds.T
    return scores


def weights_at(indices: Ints, weights: Floats) -> Floats:
    """Return the weights with these indices; -1 stands for 0.

    >>> weights_at(np.array([1, -1], np.int32), np.array([0.5, 2.0])).tolist()
    [2.0, 0.0]
    """
    found: Floats = np.append(weights, 0.0)[indices]
    return found


def count_by_weight(factors: Factors, mass: Floats | Longs, weights: int) -> Floats:
    """Return how many formulas of each weight hold, from the counts of cells by row of weights."""
    if factors.hard:
        return np.zeros(weights)
    met = mass @ factors.holds
    by_weight = np.bincount((factors.weights + 1).ravel(), met.ravel(), minlength=weights + 1)
    return by_weight[1:].astype(np.float64)


def forbidden_cells(factors: Factors) -> Bools:
    """Return in which cells of hard factors a formula fails."""
    fails: Bools = factors.holds.sum(axis=1) < factors.formulas - 0.5  # counts are whole numbers
    return fails


def locate_cells(factors: Factors, sizes: Ints, values: Ints) -> Longs:
    """Return the cell of each factor for given values of the variables."""
    cell = np.zeros(len(factors.scope), np.int64)
    for column in factors.scope.T:
        cell = cell * sizes[column] + values[column]
    return cell


def find_holding(clauses: Clauses, values: Ints) -> Bools:
    """Return which ground formulas hold: the clause, or its negation where the sign is -1."""
    met = np.append(0, np.cumsum(clauses.met(values)))[clauses.start]
    holds: Bools = (np.diff(met) > 0) == (clauses.sign > 0)
    return holds


# --- short clauses as factors -----------------------------------------------------------------------------------------
# Exact inference works on factors only: clauses short enough for a table are turned into factors.


def tabulate_clauses(network: Network, *, max_variables: int = 16) -> Network | None:
    """Return the network with all clauses appended to the factors, or None if a clause is too long.

    Clauses of equal form share a table. The order of the factors is deterministic.
    """
    if not network.clauses:
        return network
    if any(_longest_clause(clauses) > max_variables for clauses in network.clauses):
        return None
    made: list[Factors] = []
    for clauses in network.clauses:
        for form, members in _group_by_form(clauses, network).items():
            if np.prod(form[0], dtype=np.float64) > MAX_CLAUSE_CELLS:
                return None
            made.append(_to_factors(clauses, form, members))
    return replace(network, factors=(*network.factors, *made), clauses=())


def _longest_clause(clauses: Clauses) -> int:
    """Return the largest number of distinct variables in a clause."""
    clause = np.repeat(np.arange(len(clauses.start) - 1), np.diff(clauses.start))
    sorting = np.lexsort((clauses.variable, clause))
    clause, variable = clause[sorting], clauses.variable[sorting]
    is_new = np.ones(len(clause), np.bool_)
    is_new[1:] = (clause[1:] != clause[:-1]) | (variable[1:] != variable[:-1])
    return int(np.bincount(clause[is_new], minlength=1).max())


def _group_by_form(clauses: Clauses, network: Network) -> dict[ClauseForm, list[tuple[int, list[int]]]]:
    """Return the clauses by form, each with its index and its variables."""
    found: dict[ClauseForm, list[tuple[int, list[int]]]] = {}
    for number, (begin, end) in enumerate(zip(clauses.start[:-1], clauses.start[1:], strict=True)):
        scope = sorted(set(clauses.variable[begin:end].tolist()))
        literals = tuple(
            (scope.index(int(clauses.variable[at])), int(clauses.value[at]), bool(clauses.negated[at]))
            for at in range(begin, end)
        )
        sizes = tuple(int(network.sizes[variable]) for variable in scope)
        found.setdefault((sizes, literals, float(clauses.sign[number])), []).append((number, scope))
    return found


def _to_factors(clauses: Clauses, form: ClauseForm, members: list[tuple[int, list[int]]]) -> Factors:
    numbers = [number for number, _ in members]
    return Factors(
        rule=clauses.rule,
        scope=np.array([scope for _, scope in members], np.int32).reshape(len(members), len(form[0])),
        key=np.arange(len(members), dtype=np.int32),
        weights=clauses.weight[numbers].reshape(-1, 1),
        holds=_holding_cells(form).reshape(-1, 1),
        hard=clauses.hard,
        formulas=1,
    )


def _holding_cells(form: ClauseForm) -> Floats:
    """Return 1 for each cell in which the clause, or with sign -1 its negation, holds."""
    sizes, literals, sign = form
    is_true = np.zeros(sizes, np.bool_)
    for place, value, negated in literals:
        has_value = np.arange(sizes[place]) == value
        is_true |= (has_value != negated).reshape([-1 if at == place else 1 for at in range(len(sizes))])
    return (is_true if sign > 0 else ~is_true).astype(np.float64).ravel()
