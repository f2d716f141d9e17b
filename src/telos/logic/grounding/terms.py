"""Working on the terms of a formula: types of variables, new names, constants for variables, functions as relations."""

from collections.abc import Callable, Iterator, Mapping
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
    atoms,
    free_variables,
)
from telos.logic.grounding.relations import value_of
from telos.logic.model import MarkovLogic


def terms(formula: Formula) -> Iterator[Term]:
    """Give the terms of all atoms and equations of a formula."""
    for leaf in atoms(formula):
        yield from leaf.arguments if isinstance(leaf, Atom) else (leaf.left, leaf.right)


def inside(term: Term) -> Iterator[Term]:
    """Give a term after all terms that stand in it."""
    if isinstance(term, Apply):
        for each in term.arguments:
            yield from inside(each)
    yield term


def rebuilt(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """Return a formula with every term changed."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(change(term) for term in arguments))
        case Equal(left, right):
            return Equal(change(left), change(right))
    return parts_changed(formula, lambda part: rebuilt(part, change))


def parts_changed(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return a formula with its immediate parts changed; an atom has none."""
    match formula:
        case Not(part):
            return Not(change(part))
        case And(parts):
            return And(tuple(change(part) for part in parts))
        case Or(parts):
            return Or(tuple(change(part) for part in parts))
        case Implies(premise, conclusion):
            return Implies(change(premise), change(conclusion))
        case Iff(left, right):
            return Iff(change(left), change(right))
        case ForAll(names, part):
            return ForAll(names, change(part))
        case Exists(names, part):
            return Exists(names, change(part))
    return formula


def replaced(term: Term, new: Mapping[str, str]) -> Term:
    """Return a term with other names for some variables."""
    match term:
        case Variable(name, shift):
            return Variable(new.get(name, name), shift)
        case Apply(function, arguments):
            return Apply(function, tuple(replaced(each, new) for each in arguments))
    return term


def apart(formula: Formula) -> Formula:
    """Return a formula in which no two quantifiers bind the same name, nor one that is free elsewhere."""
    numbers = count(1)

    def visit(part: Formula) -> Formula:
        match part:
            case ForAll(names, inner) | Exists(names, inner):
                new = {name: f"{name}'{next(numbers)}" for name in names}
                renamed = _renamed(visit(inner), new)
                fresh = tuple(new[name] for name in names)
                return ForAll(fresh, renamed) if isinstance(part, ForAll) else Exists(fresh, renamed)
        return parts_changed(part, visit)

    return visit(formula)


def _renamed(formula: Formula, new: Mapping[str, str]) -> Formula:
    # Inner quantifiers have been given names of their own by now, so nothing is caught by accident.
    return rebuilt(formula, lambda term: replaced(term, new))


def kinds_of(formula: Formula, model: MarkovLogic) -> dict[str, str]:
    """Return the type of every variable of a formula."""
    kinds: dict[str, str] = {}

    def visit(term: Term, kind: str) -> None:
        if isinstance(term, Variable):
            kinds[term.name] = kinds.get(term.name) or kind
        elif isinstance(term, Apply):
            for each, inner in zip(term.arguments, model.functions[term.function].types, strict=True):
                visit(each, inner)

    for leaf in atoms(formula):
        if isinstance(leaf, Atom):
            for term, kind in zip(leaf.arguments, model.predicates[leaf.predicate].types, strict=True):
                visit(term, kind)
        else:
            visit(leaf.left, "")
            visit(leaf.right, "")
    return _through_equations(formula, kinds, model)


def _through_equations(formula: Formula, kinds: dict[str, str], model: MarkovLogic) -> dict[str, str]:
    equations = [leaf for leaf in atoms(formula) if isinstance(leaf, Equal)]
    for _ in equations:
        for leaf in equations:
            for one, two in ((leaf.left, leaf.right), (leaf.right, leaf.left)):
                if isinstance(one, Variable) and not kinds.get(one.name):
                    kinds[one.name] = _kind(two, kinds, model)
    for name, kind in kinds.items():
        if not kind:
            raise TelosError(f"variable {name.split(chr(39))[0]} has no type: use it in a predicate as well")
    return kinds


def _kind(term: Term, kinds: Mapping[str, str], model: MarkovLogic) -> str:
    match term:
        case Variable(name):
            return kinds.get(name, "")
        case Apply(function):
            return model.functions[function].returns
    return ""


class Hoist:
    """Turns functions into relations: ``P(f(x))`` is true if ``f(x) = v`` and ``P(v)``, with ``v`` a new variable.

    A value is looked up where all its arguments are bound: outside of a quantifier, if none of them is bound by it.
    ``kinds`` gains the types of the new variables.
    """

    def __init__(self, model: MarkovLogic, kinds: dict[str, str]) -> None:
        self._model, self._kinds = model, kinds
        self._numbers = count(1)

    def out_of(self, formula: Formula) -> tuple[Formula, tuple[Atom, ...]]:
        """Return a formula without functions, and what has to hold for it to be meant at all."""
        return self._level(formula, frozenset(free_variables(formula)))

    def _level(self, formula: Formula, bound: frozenset[str]) -> tuple[Formula, tuple[Atom, ...]]:
        found: dict[Apply, str] = {}
        guards: list[Atom] = []
        for term in [part for each in terms(formula) for part in inside(each)]:
            if isinstance(term, Apply) and term not in found and set(_names(term)) <= bound:
                found[term] = f"{term.function}'{next(self._numbers)}"
                self._kinds[found[term]] = self._model.functions[term.function].returns
                arguments = tuple(_valued(each, found) for each in term.arguments)
                guards.append(Atom(value_of(term.function), (*arguments, Variable(found[term]))))
        formula = rebuilt(formula, lambda term: _valued(term, found))
        return self._inner(formula, bound | set(found.values())), tuple(guards)

    def _inner(self, formula: Formula, bound: frozenset[str]) -> Formula:
        match formula:
            case ForAll(names, part):
                inner, guards = self._level(part, bound | set(names))
                added = tuple(_value(guard) for guard in guards)
                return ForAll((*names, *added), Implies(And(guards), inner) if guards else inner)
            case Exists(names, part):
                inner, guards = self._level(part, bound | set(names))
                added = tuple(_value(guard) for guard in guards)
                return Exists((*names, *added), And((*guards, inner)) if guards else inner)
        return parts_changed(formula, lambda part: self._inner(part, bound))


def _value(guard: Atom) -> str:
    value = guard.arguments[-1]
    assert isinstance(value, Variable)
    return value.name


def _valued(term: Term, found: Mapping[Apply, str]) -> Term:
    if isinstance(term, Apply):
        if term in found:
            return Variable(found[term])
        return Apply(term.function, tuple(_valued(each, found) for each in term.arguments))
    return term


def _names(term: Term) -> tuple[str, ...]:
    return free_variables(Equal(term, term))
