"""Rewriting of formulas for grounding: terms, functions as relations, and what evidence leaves open.

``FunctionRemover`` replaces functions by relations; ``fold`` simplifies a formula by known atoms; ``iter_open_cases``
splits a formula by the truth of its evidence atoms.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from telos.core.errors import TelosError
from telos.logic.formulas import (
    And,
    Apply,
    Atom,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Term,
    Variable,
    free_variables,
    iter_atoms,
    map_parts,
)
from telos.logic.grounding.atoms import function_relation
from telos.logic.model import MarkovLogic

Leaf = Atom | Equal
Literal = tuple[Leaf, bool]
IsEvidence = Callable[[Leaf], bool]

MAX_BRANCHING = 6  # evidence atoms split into cases; with more, the combinations that occur are looked up


# --- terms and functions ----------------------------------------------------------------------------------------------


def iter_terms(formula: Formula) -> Iterator[Term]:
    """Yield the terms of all atoms and equations of a formula."""
    for leaf in iter_atoms(formula):
        yield from leaf.arguments if isinstance(leaf, Atom) else (leaf.left, leaf.right)


def subterms(term: Term) -> Iterator[Term]:
    """Yield the terms inside a term, then the term."""
    if isinstance(term, Apply):
        for each in term.arguments:
            yield from subterms(each)
    yield term


def map_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """Return a formula with every term changed."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(change(term) for term in arguments))
        case Equal(left, right):
            return Equal(change(left), change(right))
    return map_parts(formula, lambda part: map_terms(part, change))


def rename_term(term: Term, new: Mapping[str, str]) -> Term:
    """Return a term with some variables renamed."""
    match term:
        case Variable(name, shift):
            return Variable(new.get(name, name), shift)
        case Apply(function, arguments):
            return Apply(function, tuple(rename_term(each, new) for each in arguments))
    return term


def rename_bound(formula: Formula) -> Formula:
    """Return a formula whose quantifiers bind distinct names that are free nowhere."""
    numbers = count(1)

    def visit(part: Formula) -> Formula:
        match part:
            case ForAll(names, inner) | Exists(names, inner):
                new = {name: f"{name}'{next(numbers)}" for name in names}
                renamed = _rename_variables(visit(inner), new)
                fresh = tuple(new[name] for name in names)
                return ForAll(fresh, renamed) if isinstance(part, ForAll) else Exists(fresh, renamed)
        return map_parts(part, visit)

    return visit(formula)


def _rename_variables(formula: Formula, new: Mapping[str, str]) -> Formula:
    # Inner quantifiers have distinct names by now, so no variable is captured.
    return map_terms(formula, lambda term: rename_term(term, new))


def find_types(formula: Formula, model: MarkovLogic) -> dict[str, str]:
    """Return the type of every variable of a formula."""
    kinds: dict[str, str] = {}

    def visit(term: Term, kind: str) -> None:
        if isinstance(term, Variable):
            kinds[term.name] = kinds.get(term.name) or kind
        elif isinstance(term, Apply):
            for each, inner in zip(term.arguments, model.functions[term.function].types, strict=True):
                visit(each, inner)

    for leaf in iter_atoms(formula):
        if isinstance(leaf, Atom):
            for term, kind in zip(leaf.arguments, model.predicates[leaf.predicate].types, strict=True):
                visit(term, kind)
        else:
            visit(leaf.left, "")
            visit(leaf.right, "")
    return _infer_from_equations(formula, kinds, model)


def _infer_from_equations(formula: Formula, kinds: dict[str, str], model: MarkovLogic) -> dict[str, str]:
    equations = [leaf for leaf in iter_atoms(formula) if isinstance(leaf, Equal)]
    for _ in equations:
        for leaf in equations:
            for one, two in ((leaf.left, leaf.right), (leaf.right, leaf.left)):
                if isinstance(one, Variable) and not kinds.get(one.name):
                    kinds[one.name] = _type_of(two, kinds, model)
    for name, kind in kinds.items():
        if not kind:
            raise TelosError(f"variable {name.split(chr(39))[0]} has no type", "use it in a predicate as well")
    return kinds


def _type_of(term: Term, kinds: Mapping[str, str], model: MarkovLogic) -> str:
    match term:
        case Variable(name):
            return kinds.get(name, "")
        case Apply(function):
            return model.functions[function].returns
    return ""


class FunctionRemover:
    """Replaces functions by relations: ``P(f(x))`` becomes ``f(x) = v`` and ``P(v)`` with a new variable ``v``.

    A value is looked up where all its arguments are bound: outside a quantifier that binds none of them. ``kinds`` is
    extended by the types of the new variables.
    """

    def __init__(self, model: MarkovLogic, kinds: dict[str, str]) -> None:
        self._model, self._kinds = model, kinds
        self._numbers = count(1)

    def remove(self, formula: Formula) -> tuple[Formula, tuple[Atom, ...]]:
        """Return a formula without functions, and the atoms that must hold for its values to exist."""
        return self._level(formula, frozenset(free_variables(formula)))

    def _level(self, formula: Formula, bound: frozenset[str]) -> tuple[Formula, tuple[Atom, ...]]:
        found: dict[Apply, str] = {}
        guards: list[Atom] = []
        for term in [part for each in iter_terms(formula) for part in subterms(each)]:
            if isinstance(term, Apply) and term not in found and set(_variables_in(term)) <= bound:
                found[term] = f"{term.function}'{next(self._numbers)}"
                self._kinds[found[term]] = self._model.functions[term.function].returns
                arguments = tuple(_replace_functions(each, found) for each in term.arguments)
                guards.append(Atom(function_relation(term.function), (*arguments, Variable(found[term]))))
        formula = map_terms(formula, lambda term: _replace_functions(term, found))
        return self._inner(formula, bound | set(found.values())), tuple(guards)

    def _inner(self, formula: Formula, bound: frozenset[str]) -> Formula:
        match formula:
            case ForAll(names, part):
                inner, guards = self._level(part, bound | set(names))
                added = tuple(_value_variable(guard) for guard in guards)
                return ForAll((*names, *added), Implies(And(guards), inner) if guards else inner)
            case Exists(names, part):
                inner, guards = self._level(part, bound | set(names))
                added = tuple(_value_variable(guard) for guard in guards)
                return Exists((*names, *added), And((*guards, inner)) if guards else inner)
        return map_parts(formula, lambda part: self._inner(part, bound))


def _value_variable(guard: Atom) -> str:
    value = guard.arguments[-1]
    assert isinstance(value, Variable)
    return value.name


def _replace_functions(term: Term, found: Mapping[Apply, str]) -> Term:
    if isinstance(term, Apply):
        if term in found:
            return Variable(found[term])
        return Apply(term.function, tuple(_replace_functions(each, found) for each in term.arguments))
    return term


def _variables_in(term: Term) -> tuple[str, ...]:
    return free_variables(Equal(term, term))


# --- the open part ----------------------------------------------------------------------------------------------------
# Truth is three-valued while hidden atoms are unknown: a conjunction with a false part is false whatever the rest.


@dataclass(frozen=True, slots=True)
class EvidenceCase:
    """The rows where evidence makes ``literals`` true; ``open`` is the rest of the formula there.

    The atoms in ``undecided`` are still in ``open``: their truth is looked up row by row.
    """

    literals: tuple[Literal, ...]
    undecided: tuple[Leaf, ...]
    open: Formula | bool


def fold(formula: Formula, known: Mapping[Leaf, bool]) -> Formula | bool:
    """Return the rest of a formula, given the truth of some of its atoms.

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
            return negate(fold(part, known))
        case And(parts):
            return conjoin(fold(part, known) for part in parts)
        case Or(parts):
            return negate(conjoin(negate(fold(part, known)) for part in parts))
        case Implies(premise, conclusion):
            return fold(Or((Not(premise), conclusion)), known)
        case Iff(left, right):
            one, two = fold(left, known), fold(right, known)
            if isinstance(one, bool):
                return two if one else negate(two)
            if isinstance(two, bool):
                return one if two else negate(one)
            return Iff(one, two)
    raise AssertionError(f"{formula} should have lost its quantifiers")


def negate(formula: Formula | bool) -> Formula | bool:
    """Return the negation of a formula, without double negations."""
    match formula:
        case bool():
            return not formula
        case Not(part):
            return part
        case And(parts):
            return Or(tuple(_negate_formula(part) for part in parts))
        case Or(parts):
            return And(tuple(_negate_formula(part) for part in parts))
    return Not(formula)


def _negate_formula(formula: Formula) -> Formula:
    opposite = negate(formula)
    assert not isinstance(opposite, bool)
    return opposite


def conjoin(parts: Iterator[Formula | bool]) -> Formula | bool:
    """Return the conjunction of parts, some of which may be decided."""
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


def iter_open_cases(
    formula: Formula | bool, is_evidence: IsEvidence, known: tuple[Literal, ...] = ()
) -> Iterator[EvidenceCase]:
    """Yield the disjoint cases in which evidence does not decide a formula."""
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


def _branch(formula: Formula, is_evidence: IsEvidence, known: tuple[Literal, ...]) -> Iterator[EvidenceCase]:
    evidence = tuple(dict.fromkeys(leaf for leaf in iter_atoms(formula) if is_evidence(leaf)))
    if not evidence or len(evidence) > MAX_BRANCHING:
        yield EvidenceCase(known, evidence, formula)
        return
    for value in (True, False):
        yield from iter_open_cases(fold(formula, {evidence[0]: value}), is_evidence, (*known, (evidence[0], value)))


def iter_true_cases(formula: Formula | bool, known: tuple[Literal, ...] = ()) -> Iterator[EvidenceCase]:
    """Yield the disjoint cases in which evidence makes a formula without hidden atoms true."""
    while not isinstance(formula, bool):
        _, makes_false = _deciders(formula, lambda leaf: True)
        needed = {leaf: not value for leaf, value in makes_false}
        if len(needed) < len(makes_false):
            return
        if not needed:
            first = next(iter_atoms(formula))
            for value in (True, False):
                yield from iter_true_cases(fold(formula, {first: value}), (*known, (first, value)))
            return
        known = (*known, *needed.items())
        formula = fold(formula, needed)
    if formula:
        yield EvidenceCase(known, (), True)


def _deciders(formula: Formula, is_evidence: IsEvidence) -> tuple[frozenset[Literal], frozenset[Literal]]:
    """Return the evidence literals that alone make a formula true, and those that alone make it false.

    Only those that the form of the formula shows are found.
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
