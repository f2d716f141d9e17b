"""Wide open formulas that are no clause, as a sum of clauses and a small table.

``(S1 v … v S100) => A`` has one long disjunction C and one more atom. Whatever the form, such a formula is a function
of A and C, so its truth is ``g(A) + h(A) * [C fails]``, and ``[A is a and C fails]`` is the negation of a clause. So
the clauses and the table together count the formula exactly once in every world where it holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from telos.logic.formulas import And, Atom, Formula, Iff, Not, Or, Term, Variable, atoms
from telos.logic.grounding.long import Literals, Long, value_in
from telos.logic.grounding.normal import normal
from telos.logic.grounding.residual import fold
from telos.logic.grounding.shapes import Open, Spot, Table, possible, truth_over
from telos.logic.network import Longs

MOST_DISJUNCTIONS = 3
MOST_CELLS = 256  # of the small table
MOST_CLAUSES = 10_000  # of one hard formula
LONG = 3  # literals side by side that are taken as one


@dataclass(frozen=True, slots=True)
class Wide:
    """Clauses, and a table over some of the variables of a factor: ``slots`` says which. Hard ones need no table."""

    clauses: tuple[Long, ...]
    slots: tuple[int, ...]
    table: Table | None


def wide(part: Open, hard: bool) -> Wide | None:
    """Return a wide formula as clauses and a table, or None if it has too many parts for that."""
    reduced, disjunctions, few = _apart(part.formula)
    slots = tuple(sorted({part.spots[atom].slot for atom in few}))
    if len(disjunctions) > MOST_DISJUNCTIONS or prod(part.sizes[slot] for slot in slots) > MOST_CELLS:
        return None
    spots = {atom: replace(part.spots[atom], slot=slots.index(part.spots[atom].slot)) for atom in few}
    small = replace(part, formula=reduced, sizes=tuple(part.sizes[slot] for slot in slots), spots=spots)
    truths = _truths(small, part.formula, tuple(disjunctions))
    forms = [_Disjunction(parts, part.spots) for parts in disjunctions.values()]
    return _hard(truths, forms, slots, small) if hard else _soft(truths, forms, slots, small, part)


def narrow_atoms(formula: Formula) -> tuple[Atom, ...]:
    """Return the atoms of a formula that stand outside of long rows of literals."""
    return _apart(formula)[2]


def _apart(formula: Formula) -> tuple[Formula, dict[Atom, tuple[Formula, ...]], tuple[Atom, ...]]:
    """Return a formula with atoms in place of long disjunctions, those disjunctions, and the other atoms."""
    found: dict[Atom, tuple[Formula, ...]] = {}
    reduced = _reduced(normal(formula), found)
    few = [leaf for leaf in dict.fromkeys(atoms(reduced)) if isinstance(leaf, Atom) and leaf not in found]
    return reduced, found, tuple(few)


def _reduced(formula: Formula, found: dict[Atom, tuple[Formula, ...]]) -> Formula:
    """Return a formula with an atom in place of each long row of literals; ``found`` gains the disjunctions."""
    match formula:
        case Not(inner):
            return Not(_reduced(inner, found))
        case Iff(left, right):
            return Iff(_reduced(normal(left), found), _reduced(normal(right), found))
        case And(parts) | Or(parts):
            is_and = isinstance(formula, And)
            literals = [each for each in parts if _is_literal(each)]
            rest = [_reduced(each, found) for each in parts if not _is_literal(each)]
            if len(literals) >= LONG:
                stand_in = Atom("disjunction", (Variable(str(len(found))),))
                found[stand_in] = tuple(normal(Not(each)) for each in literals) if is_and else tuple(literals)
                literals = [Not(stand_in) if is_and else stand_in]
            return And((*literals, *rest)) if is_and else Or((*literals, *rest))
    return formula


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula, Atom) or (isinstance(formula, Not) and isinstance(formula.part, Atom))


def _truths(small: Open, formula: Formula, disjunctions: Sequence[Atom]) -> dict[tuple[bool, ...], Longs]:
    """Return, for all truth values of the disjunctions, where the formula holds: (values…, number of the choice).

    What equations alone decide is nowhere counted: it is marked -1.
    """
    shape = (*small.sizes, *small.ranges)
    can_hold, can_fail = possible(formula, small)
    undecided = np.broadcast_to(can_hold & can_fail, small.ranges)
    found = {}
    for values in product((True, False), repeat=len(disjunctions)):
        left = fold(small.formula, dict(zip(disjunctions, values, strict=True)))
        holds = np.full((), left) if isinstance(left, bool) else truth_over(left, small)
        marked = np.where(undecided, np.broadcast_to(holds, shape), -1).astype(np.int64)
        found[values] = marked.reshape((*small.sizes, -1))
    return found


class _Disjunction:
    """A long disjunction, whose literals may depend on the choice."""

    def __init__(self, parts: Sequence[Formula], spots: Mapping[Atom, Spot]) -> None:
        self._literals = [(spots[_atom(each)], isinstance(each, Not)) for each in parts]

    def literals(self, codes: Mapping[Term, int]) -> Literals:
        return tuple((spot.slot, value_in(spot, codes), negated) for spot, negated in self._literals)


def _atom(literal: Formula) -> Atom:
    atom = literal.part if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    return atom


def _each_choice(small: Open) -> Iterator[tuple[int, int, dict[Term, int]]]:
    """Give every choice: its number, the number of its ``+`` part, and the codes of all terms."""
    plain = max(prod(small.ranges[small.plus :]), 1)
    for number, values in enumerate(product(*map(range, small.ranges))):
        codes: dict[Term, int] = dict(small.codes)
        codes |= {Variable(name): value for name, value in zip(small.choices, values, strict=True)}
        yield number, number // plain, codes


def _unless(cell: Sequence[int], slots: Sequence[int]) -> Literals:
    """Return the literals of which one holds outside of a cell."""
    return tuple((slot, value, True) for slot, value in zip(slots, cell, strict=True))


def _soft(
    truths: Mapping[tuple[bool, ...], Longs],
    forms: Sequence[_Disjunction],
    slots: tuple[int, ...],
    small: Open,
    part: Open,
) -> Wide:
    cells = list(product(*map(range, small.sizes)))
    counts = np.zeros((*small.sizes, max(prod(small.ranges[: small.plus]), 1)))
    clauses: list[Long] = []
    for number, choice, codes in _each_choice(small):
        literals = [form.literals(codes) for form in forms]
        for failing in product((False, True), repeat=len(forms)):
            share = _share(truths, failing, number, small)
            if not any(failing):
                counts[..., choice] += share
                continue
            long = tuple(each for some, fails in zip(literals, failing, strict=True) if fails for each in some)
            for cell in cells:
                times = int(share[cell])
                clauses += [Long((*_unless(cell, slots), *long), choice, -1.0 if times > 0 else 1.0)] * abs(times)
                counts[..., choice] += min(times, 0)  # less [fails] is [holds] less 1
    if not slots:  # a table needs a variable, even one that does not matter
        slots = (0,)
        counts = np.broadcast_to(counts, (part.sizes[0], counts.shape[-1]))
    live = np.asarray(next(iter(truths.values())) >= 0, np.bool_).any(axis=tuple(range(len(small.sizes))))
    per_choice = live.reshape(counts.shape[-1], -1).sum(axis=1)
    made = Table(counts.reshape(-1, counts.shape[-1]).copy(), per_choice > 0, int(per_choice.sum()))
    return Wide(tuple(clauses), slots, made)


def _share(truths: Mapping[tuple[bool, ...], Longs], failing: tuple[bool, ...], number: int, small: Open) -> Longs:
    """Return what it adds, cell by cell, that these disjunctions fail: the alternating sum over smaller sets."""
    total = np.zeros(small.sizes, np.int64)
    for some in product(*((False, True) if fails else (False,) for fails in failing)):
        here = truths[tuple(not fails for fails in some)][..., number]
        total = total + (-1) ** (sum(failing) - sum(some)) * np.maximum(here, 0)
    return total


def _hard(
    truths: Mapping[tuple[bool, ...], Longs], forms: Sequence[_Disjunction], slots: tuple[int, ...], small: Open
) -> Wide | None:
    clauses: list[Long] = []
    for number, choice, codes in _each_choice(small):
        literals = [form.literals(codes) for form in forms]
        for holding, truth in truths.items():
            ways: list[tuple[Literals, ...]] = []
            for each, holds in zip(literals, holding, strict=True):
                ways.append(tuple(((s, v, not n),) for s, v, n in each) if holds else (each,))
            for cell in np.argwhere(truth[..., number] == 0).tolist():
                if len(clauses) + prod(len(way) for way in ways) > MOST_CLAUSES:
                    return None
                for way in product(*ways):
                    clauses.append(Long((*_unless(cell, slots), *(each for some in way for each in some)), choice, 1.0))
    return Wide(tuple(clauses), (), None)
