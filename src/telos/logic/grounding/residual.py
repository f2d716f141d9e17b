"""What evidence leaves open of a formula: which truth values of its evidence atoms leave which rest.

Truth is three-valued while hidden atoms are unknown: a conjunction with a false part is false whatever the rest.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from telos.logic.formulas import And, Atom, Equal, Formula, Iff, Implies, Not, Or, atoms

Leaf = Atom | Equal
Literal = tuple[Leaf, bool]
IsEvidence = Callable[[Leaf], bool]

MOST_BRANCHING = 6  # evidence atoms that are told apart case by case; with more, the cases that occur are looked up


@dataclass(frozen=True, slots=True)
class Case:
    """The rows where evidence makes ``literals`` true; ``open`` is what it leaves of the formula there.

    The atoms in ``undecided`` are still in ``open``: their truth has to be looked up row by row.
    """

    literals: tuple[Literal, ...]
    undecided: tuple[Leaf, ...]
    open: Formula | bool


def fold(formula: Formula, known: Mapping[Leaf, bool]) -> Formula | bool:
    """Return what is left of a formula once some of its atoms are known.

    >>> a, b = Atom("A", ()), Atom("B", ())
    >>> fold(Implies(a, b), {a: True}) == b
    True
    >>> fold(Implies(a, b), {a: False})
    True
    """
    match formula:
        case Atom() | Equal():
            return known.get(formula, formula)
        case Not(part):
            return negation(fold(part, known))
        case And(parts):
            return conjunction(fold(part, known) for part in parts)
        case Or(parts):
            return negation(conjunction(negation(fold(part, known)) for part in parts))
        case Implies(premise, conclusion):
            return fold(Or((Not(premise), conclusion)), known)
        case Iff(left, right):
            one, two = fold(left, known), fold(right, known)
            if isinstance(one, bool):
                return two if one else negation(two)
            if isinstance(two, bool):
                return one if two else negation(one)
            return Iff(one, two)
    raise AssertionError(f"{formula} should have lost its quantifiers")


def negation(formula: Formula | bool) -> Formula | bool:
    """Return the opposite of a formula, without two negations in a row."""
    match formula:
        case bool():
            return not formula
        case Not(part):
            return part
        case And(parts):
            return Or(tuple(_opposite(part) for part in parts))
        case Or(parts):
            return And(tuple(_opposite(part) for part in parts))
    return Not(formula)


def _opposite(formula: Formula) -> Formula:
    opposite = negation(formula)
    assert not isinstance(opposite, bool)
    return opposite


def conjunction(parts: Iterator[Formula | bool]) -> Formula | bool:
    """Return the conjunction of parts of which some may be decided."""
    left: list[Formula] = []
    for part in parts:
        if part is False:
            return False
        if isinstance(part, And):
            left += part.parts
        elif not isinstance(part, bool):
            left.append(part)
    if not left:
        return True
    return left[0] if len(left) == 1 else And(tuple(left))


def cases(formula: Formula | bool, is_evidence: IsEvidence, known: tuple[Literal, ...] = ()) -> Iterator[Case]:
    """Give the cases, no two of which overlap, in which evidence does not decide a formula."""
    while not isinstance(formula, bool):
        makes_true, makes_false = _deciders(formula, is_evidence)
        needed = {leaf: not value for leaf, value in (*makes_true, *makes_false)}
        if len(needed) < len(makes_true | makes_false):
            return  # either truth value of one atom decides it
        if not needed:
            yield from _branch(formula, is_evidence, known)
            return
        known = (*known, *needed.items())
        formula = fold(formula, needed)


def _branch(formula: Formula, is_evidence: IsEvidence, known: tuple[Literal, ...]) -> Iterator[Case]:
    evidence = tuple(dict.fromkeys(leaf for leaf in atoms(formula) if is_evidence(leaf)))
    if not evidence or len(evidence) > MOST_BRANCHING:
        yield Case(known, evidence, formula)
        return
    for value in (True, False):
        yield from cases(fold(formula, {evidence[0]: value}), is_evidence, (*known, (evidence[0], value)))


def true_cases(formula: Formula | bool, known: tuple[Literal, ...] = ()) -> Iterator[Case]:
    """Give the cases, no two of which overlap, in which evidence makes a formula without hidden atoms true."""
    while not isinstance(formula, bool):
        _, makes_false = _deciders(formula, lambda leaf: True)
        needed = {leaf: not value for leaf, value in makes_false}
        if len(needed) < len(makes_false):
            return
        if not needed:
            first = next(atoms(formula))
            for value in (True, False):
                yield from true_cases(fold(formula, {first: value}), (*known, (first, value)))
            return
        known = (*known, *needed.items())
        formula = fold(formula, needed)
    if formula:
        yield Case(known, (), True)


def _deciders(formula: Formula, is_evidence: IsEvidence) -> tuple[frozenset[Literal], frozenset[Literal]]:
    """Return the evidence literals that alone make a formula true, and those that alone make it false.

    Not every one of them, but those that the form of the formula shows.
    """
    match formula:
        case Atom() | Equal():
            if is_evidence(formula):
                return frozenset({(formula, True)}), frozenset({(formula, False)})
            return frozenset(), frozenset()
        case Not(part):
            makes_true, makes_false = _deciders(part, is_evidence)
            return makes_false, makes_true
        case And(parts):
            each = [_deciders(part, is_evidence) for part in parts]
            return frozenset.intersection(*(one for one, _ in each)), frozenset().union(*(two for _, two in each))
        case Or(parts):
            each = [_deciders(part, is_evidence) for part in parts]
            return frozenset().union(*(one for one, _ in each)), frozenset.intersection(*(two for _, two in each))
        case Implies(premise, conclusion):
            return _deciders(Or((Not(premise), conclusion)), is_evidence)
    return frozenset(), frozenset()
