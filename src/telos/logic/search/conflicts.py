"""Minimal unsatisfiable sets: ``conflict_of`` says which hard ground formulas cannot hold together.

Hard ground formulas, given values and the exactly-one property of blocks become clauses over atoms. Unit propagation
looks for a clash first, which usually leaves few candidates; QuickXplain (Junker, 2004) then finds a minimal set, with
one feasibility check by HiGHS for each halving.
"""

import itertools
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from telos.logic.model import MarkovLogic
from telos.logic.network import NO_LIMIT, Clauses, Deadline, Network, Unsatisfiable, forbidden_cells
from telos.logic.search.integer_program import OutOfTime, is_possible
from telos.logic.search.potentials import LongClauses, Potentials

BooleanLiteral: TypeAlias = tuple[int, int]  # an atom, and the value (0 or 1) that makes the literal true
Literal: TypeAlias = tuple[int, int, bool]  # variable, value, negated
Clause: TypeAlias = tuple[Literal, ...]
Box: TypeAlias = tuple[frozenset[int], ...]  # a set of values for each variable

MAX_NAMED_ATOMS = 6  # atoms of a block that a message lists


@dataclass(frozen=True, slots=True)
class HardConstraint:
    """Clauses over atoms that must hold; ``rule`` is -1 for given values and blocks."""

    clauses: tuple[Clause, ...]
    rule: int
    text: str


def find_conflict(
    network: Network, model: MarkovLogic | None = None, *, deadline: Deadline = NO_LIMIT
) -> Unsatisfiable:
    """Return a minimal set of hard ground formulas that cannot hold together; ``model`` gives their sources.

    When the time is up, the set so far is returned, which may not be minimal.
    """
    atoms = _Atoms(network)
    constraints = [*_from_factors(network, atoms), *_from_clauses(network, atoms)]
    mentioned = {variable for each in constraints for clause in each.clauses for variable, _, _ in clause}
    constraints += [each for variable in sorted(mentioned) for each in atoms.constraints_on(variable)]
    core = _quick_xplain([], atoms.suspects(constraints), atoms, deadline, is_changed=False)
    words = tuple(_format_constraint(each, model) for each in core)
    return Unsatisfiable(words, tuple(each.rule for each in core), not deadline.is_over)


def _format_constraint(constraint: HardConstraint, model: MarkovLogic | None) -> str:
    """Return a constraint and its source as text."""
    if model is None or constraint.rule < 0:
        return constraint.text
    rule = model.rules[constraint.rule]
    place = ": ".join(part for part in (rule.source, rule.text) if part)
    return f"{constraint.text}  [{place}]" if place else constraint.text


class _Atoms:
    """The atoms of a network as Booleans: one for a plain variable, one for each value of a block."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._is_plain = (network.atoms.is_plain & (network.sizes == 2)).tolist()
        self._width = np.where(self._is_plain, 1, network.sizes).tolist()
        self._first = np.concatenate([[0], np.cumsum(self._width)]).astype(int)

    def constraints_on(self, variable: int) -> list[HardConstraint]:
        """Return the constraints on a variable apart from formulas: its given value, exactly one true atom."""
        constraints = []
        given = int(self._network.given[variable])
        if given >= 0:
            literal = (variable, given, False)
            constraints.append(HardConstraint(((literal,),), -1, f"{self.format_literal(literal)}  [given]"))
        if not self._is_plain[variable]:
            values = range(self._width[variable])
            some = tuple((variable, value, False) for value in values)
            pairs = [((variable, one, True), (variable, two, True)) for one in values for two in values if one < two]
            named = ", ".join(self._network.atoms.name(variable, value) for value in list(values)[:MAX_NAMED_ATOMS])
            more = ", …" if len(values) > MAX_NAMED_ATOMS else ""
            constraints.append(HardConstraint((some, *pairs), -1, f"exactly one of {named}{more}"))
        return constraints

    def format_literal(self, literal: Literal) -> str:
        """Return a literal as text: ``!goal(1,Eat)``."""
        variable, value, negated = literal
        if self._is_plain[variable] and value == 0:
            value, negated = 1, not negated
        return f"{'!' if negated else ''}{self._network.atoms.name(variable, value)}"

    def format_clause(self, clause: Clause) -> str:
        """Return a clause as text: ``goal(1,Eat) v !goal(2,Talk)``."""
        return " v ".join(self.format_literal(literal) for literal in clause)

    def _boolean(self, literal: Literal) -> tuple[int, int]:
        """Return the number of an atom, and the value that makes the literal true."""
        variable, value, negated = literal
        if self._is_plain[variable]:
            return int(self._first[variable]), value ^ int(negated)
        return int(self._first[variable]) + value, int(not negated)

    def suspects(self, constraints: Sequence[HardConstraint]) -> list[HardConstraint]:
        """Return constraints that contradict each other: those that unit propagation finds, otherwise all."""
        owner = [number for number, each in enumerate(constraints) for _ in each.clauses]
        clash = find_clash(
            [[self._boolean(each) for each in clause] for every in constraints for clause in every.clauses]
        )
        return (
            list(constraints) if clash is None else [constraints[each] for each in sorted({owner[at] for at in clash})]
        )

    def can_hold(self, constraints: Sequence[HardConstraint], deadline: Deadline) -> bool:
        """Return whether some assignment keeps all constraints."""
        clauses = [[self._boolean(each) for each in clause] for every in constraints for clause in every.clauses]
        literals = [each for clause in clauses for each in clause]
        used, variable = np.unique([atom for atom, _ in literals], return_inverse=True)
        start = np.concatenate([[0], np.cumsum([len(clause) for clause in clauses])]).astype(np.int32)
        value = np.array([wanted for _, wanted in literals], np.int32)
        long = LongClauses(
            start, variable.astype(np.int32), value, np.zeros(len(value), np.int8), np.full(len(clauses), np.inf)
        )
        count = len(used)
        numbers = np.arange(count, dtype=np.int32)
        starts = np.arange(0, 2 * count + 2, 2, dtype=np.int32)
        sizes = np.full(count, 2, np.int32)
        potentials = Potentials(numbers, numbers, sizes, starts, np.zeros(2 * count), (), long, 0.0)
        return is_possible(potentials, deadline=deadline)


def _from_factors(network: Network, atoms: _Atoms) -> list[HardConstraint]:
    constraints = []
    for factors in network.factors:
        if factors.hard and len(factors.scope):
            sizes = network.sizes[factors.scope[0]].tolist()
            for shape in prime_clauses(sizes, forbidden_cells(factors).tolist()):
                for scope in factors.scope.tolist():
                    clause = tuple((scope[place], value, negated) for place, value, negated in shape)
                    constraints.append(HardConstraint((clause,), factors.rule, atoms.format_clause(clause)))
    return constraints


def _from_clauses(network: Network, atoms: _Atoms) -> list[HardConstraint]:
    constraints = []
    for clauses in network.clauses:
        if clauses.hard:
            for index, sign in enumerate(clauses.sign):
                literals = _literals(clauses, index)
                parts = [literals] if sign > 0 else [((v, value, not negated),) for v, value, negated in literals]
                constraints += [HardConstraint((part,), clauses.rule, atoms.format_clause(part)) for part in parts]
    return constraints


def _literals(clauses: Clauses, index: int) -> Clause:
    which = range(clauses.start[index], clauses.start[index + 1])
    return tuple((int(clauses.variable[at]), int(clauses.value[at]), bool(clauses.negated[at])) for at in which)


def _quick_xplain(
    kept: list[HardConstraint], doubted: list[HardConstraint], atoms: _Atoms, deadline: Deadline, *, is_changed: bool
) -> list[HardConstraint]:
    """Return a minimal part of ``doubted`` that contradicts ``kept``; all of it when the time is up."""
    try:
        if is_changed and not atoms.can_hold(kept, deadline):
            return []
    except OutOfTime:
        return doubted
    if len(doubted) <= 1 or deadline.is_over:
        return doubted
    half = len(doubted) // 2
    first, second = doubted[:half], doubted[half:]
    of_second = _quick_xplain([*kept, *first], second, atoms, deadline, is_changed=bool(first))
    of_first = _quick_xplain([*kept, *of_second], first, atoms, deadline, is_changed=bool(of_second))
    return [*of_first, *of_second]


# --- unit propagation -------------------------------------------------------------------------------------------------


def find_clash(clauses: Sequence[Sequence[BooleanLiteral]]) -> list[int] | None:
    """Return clauses that contradict each other by unit propagation, or None if it finds no contradiction.

    None proves nothing, and the clauses returned need not be minimal.

    >>> find_clash([[(0, 1)], [(2, 1)], [(0, 0), (1, 1)], [(1, 0)]])
    [0, 2, 3]
    """
    found: dict[int, tuple[int, int]] = {}  # decided atom -> its value, and the clause that decided it
    places = defaultdict(list)
    for number, clause in enumerate(clauses):
        for literal in clause:
            places[literal].append(number)
    queue = deque(number for number, clause in enumerate(clauses) if len(clause) <= 1)
    while queue:
        number = queue.popleft()
        open_ones = [(atom, wanted) for atom, wanted in clauses[number] if atom not in found]
        if any(found[atom][0] == wanted for atom, wanted in clauses[number] if atom in found):
            continue
        if not open_ones:
            return _trace_clash(number, clauses, found)
        if len(set(open_ones)) == 1:
            atom, wanted = open_ones[0]
            found[atom] = (wanted, number)
            queue.extend(places[atom, 1 - wanted])
    return None


def _trace_clash(
    clash: int, clauses: Sequence[Sequence[BooleanLiteral]], found: dict[int, tuple[int, int]]
) -> list[int]:
    """Return the clauses that led to a clash, and the one that clashed."""
    seen, waiting = {clash}, [clash]
    while waiting:
        for atom, _ in clauses[waiting.pop()]:
            reason = found[atom][1] if atom in found else clash
            if reason not in seen:
                seen.add(reason)
                waiting.append(reason)
    return sorted(seen)


# --- tables as clauses ------------------------------------------------------------------------------------------------


def prime_clauses(sizes: Sequence[int], barred: Sequence[bool]) -> list[Clause]:
    """Return clauses over the places of a table that together forbid exactly its barred cells.

    >>> prime_clauses([2, 2], [False, False, True, False])
    [((0, 1, True), (1, 0, True))]
    """
    cells = dict(zip(itertools.product(*map(range, sizes)), barred, strict=True))
    boxes: list[Box] = []
    for cell, is_barred in cells.items():
        if is_barred and not any(all(v in values for v, values in zip(cell, box, strict=True)) for box in boxes):
            boxes.append(_grow_box(cell, sizes, cells))
    return [_clause(box, sizes) for box in boxes]


def _grow_box(cell: tuple[int, ...], sizes: Sequence[int], cells: dict[tuple[int, ...], bool]) -> Box:
    """Grow a cell to a box of barred cells: over all values of a variable, or over most, or not at all."""
    box = [frozenset({value}) for value in cell]
    for place, size in enumerate(sizes):
        values = frozenset(v for v in range(size) if _is_barred([*box[:place], {v}, *box[place + 1 :]], cells))
        if len(values) == size or size - len(values) < len(values):
            box[place] = values
    return tuple(box)


def _is_barred(box: Sequence[frozenset[int] | set[int]], cells: dict[tuple[int, ...], bool]) -> bool:
    return all(cells[cell] for cell in itertools.product(*box))


def _clause(box: Box, sizes: Sequence[int]) -> Clause:
    """Return the clause that forbids a box: some variable has a value outside."""
    literals: list[Literal] = []
    for place, (values, size) in enumerate(zip(box, sizes, strict=True)):
        if len(values) == 1 and size > 1:
            literals.append((place, min(values), True))
        elif len(values) < size:
            literals += [(place, value, False) for value in range(size) if value not in values]
    return tuple(literals)
