"""Open formulas that are too wide for a table, as long clauses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from telos.logic.formulas import And, Atom, Equal, Formula, Not, Or, Term, Variable, atoms
from telos.logic.grounding.normal import normal
from telos.logic.grounding.residual import fold, negation
from telos.logic.grounding.shapes import Open, Spot

Literals = tuple[tuple[int, int, bool], ...]  # slot, value, negated


@dataclass(frozen=True, slots=True)
class Long:
    """A ground disjunction: its literals as (slot, value, negated), and which choice of ``+`` constants it is for.

    ``sign`` is -1 if the ground formula is the negation of the disjunction.
    """

    literals: Literals
    choice: int
    sign: float


def long_clauses(part: Open, hard: bool) -> tuple[Long, ...] | None:
    """Return an open formula as clauses, or None if it is no (negated) disjunction of literals."""
    found: list[Long] = []
    for number, values in enumerate(product(*(range(size) for size in part.ranges))):
        codes: dict[Term, int] = dict(part.codes)
        codes |= {Variable(name): value for name, value in zip(part.choices, values, strict=True)}
        left = _chosen(part.formula, codes)
        if isinstance(left, bool):
            continue
        choice = number // max(prod(part.ranges[part.plus :]), 1)
        clauses = list(_clauses(left, part.spots, codes, hard))
        if None in clauses:
            return None
        found += [Long(clause[0], choice, clause[1]) for clause in clauses if clause is not None]
    return tuple(found)


def _chosen(formula: Formula, codes: Mapping[Term, int]) -> Formula | bool:
    """Return a formula with its equations decided."""
    return fold(
        formula, {leaf: codes[leaf.left] == codes[leaf.right] for leaf in atoms(formula) if isinstance(leaf, Equal)}
    )


def _clauses(
    formula: Formula, spots: Mapping[Atom, Spot], codes: Mapping[Term, int], hard: bool
) -> Iterator[tuple[Literals, float] | None]:
    plain = normal(formula)
    if isinstance(plain, And) and hard:
        for each in plain.parts:
            yield from _clauses(each, spots, codes, hard)
        return
    sign = -1.0 if isinstance(plain, And) else 1.0
    if sign < 0:
        opposite = negation(plain)
        assert not isinstance(opposite, bool)
        plain = opposite
    literals = []
    for each in plain.parts if isinstance(plain, Or) else (plain,):
        atom = each.part if isinstance(each, Not) else each
        if not isinstance(atom, Atom):
            yield None
            return
        spot = spots[atom]
        literals.append((spot.slot, value_in(spot, codes), isinstance(each, Not)))
    yield tuple(dict.fromkeys(literals)), sign


def value_in(spot: Spot, codes: Mapping[Term, int]) -> int:
    """Return the value of a variable that an atom speaks of."""
    if not spot.terms:
        return 1
    value = 0
    for term, radix in zip(spot.terms, spot.radices, strict=True):
        value = value * radix + codes[term]
    return value
