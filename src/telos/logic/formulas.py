"""First-order formulas: terms, connectives, quantifiers, and the functions that walk and rewrite them.

Everything is frozen data. A formula has no weight; a ``Rule`` of the model gives it one. A variable that no quantifier
binds ranges over all constants of its type.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Variable:
    """``x``, or ``t-1`` and ``t+1`` for a type of whole numbers: the constant that lies ``shift`` away."""

    name: str
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """``Anna``, ``3``: an object of the domain, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """``meet(x, y)``: the value of a function for its arguments."""

    function: str
    arguments: tuple["Term", ...]


Term: TypeAlias = Variable | Constant | Apply


@dataclass(frozen=True, slots=True)
class Atom:
    """``goal(t, g)``: a predicate and its arguments."""

    predicate: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Equal:
    """``x = y``: both terms denote the same object."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """``!A``."""

    part: "Formula"


@dataclass(frozen=True, slots=True)
class And:
    """``A ^ B ^ …``."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``A v B v …``."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """``A => B``."""

    premise: "Formula"
    conclusion: "Formula"


@dataclass(frozen=True, slots=True)
class Iff:
    """``A <=> B``."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class ForAll:
    """``FORALL x, y A``."""

    variables: tuple[str, ...]
    part: "Formula"


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXIST x, y A``."""

    variables: tuple[str, ...]
    part: "Formula"


Formula: TypeAlias = Atom | Equal | Not | And | Or | Implies | Iff | ForAll | Exists


def subformulas(formula: Formula) -> tuple[Formula, ...]:
    """Return the immediate parts of a formula, from left to right; an atom or equation has none."""
    match formula:
        case Not(part) | ForAll(_, part) | Exists(_, part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Implies(left, right) | Iff(left, right):
            return left, right
    return ()


def iter_atoms(formula: Formula) -> Iterator[Atom | Equal]:
    """Yield the atoms and equations of a formula, from left to right, repeated ones too."""
    if isinstance(formula, Atom | Equal):
        yield formula
    for part in subformulas(formula):
        yield from iter_atoms(part)


def free_variables(formula: Formula) -> tuple[str, ...]:
    """Return the names of the variables that no quantifier binds, in the order of their first use."""
    return tuple(dict.fromkeys(_iter_free(formula, frozenset())))


def _iter_free(formula: Formula, bound: frozenset[str]) -> Iterator[str]:
    match formula:
        case Atom(_, arguments):
            for term in arguments:
                yield from (name for name in _iter_names(term) if name not in bound)
        case Equal(left, right):
            yield from (name for term in (left, right) for name in _iter_names(term) if name not in bound)
        case ForAll(names, part) | Exists(names, part):
            yield from _iter_free(part, bound | set(names))
        case _:
            for part in subformulas(formula):
                yield from _iter_free(part, bound)


def _iter_names(term: Term) -> Iterator[str]:
    match term:
        case Variable(name):
            yield name
        case Apply(_, arguments):
            for each in arguments:
                yield from _iter_names(each)


def rename_apart(formula: Formula) -> Formula:
    """Return the formula with bound variables renamed so that no name is both bound and free, or bound twice.

    Functions that replace variables by name rely on it; the parsers call it.

    >>> x = Atom("likes", (Variable("x"),))
    >>> rename_apart(And((x, Exists(("x",), x)))).parts[1].variables
    ('x1',)
    """
    free = frozenset(free_variables(formula))
    return _apart(formula, {}, free, _FreshNames({*free, *_bound_names(formula)}))


def _bound_names(formula: Formula) -> Iterator[str]:
    if isinstance(formula, ForAll | Exists):
        yield from formula.variables
    for part in subformulas(formula):
        yield from _bound_names(part)


def _apart(formula: Formula, renamed: Mapping[str, str], outside: frozenset[str], fresh: "_FreshNames") -> Formula:
    match formula:
        case Atom() | Equal():
            return rewrite_terms(formula, lambda each: _rename(each, renamed))
        case ForAll(names, part) | Exists(names, part):
            new = {name: fresh.like(name) if name in outside else name for name in names}
            inner = _apart(part, {**renamed, **new}, outside | set(new.values()), fresh)
            return type(formula)(tuple([new[name] for name in names]), inner)
    return map_parts(formula, lambda part: _apart(part, renamed, outside, fresh))


def map_parts(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return a formula with each of its immediate parts changed; an atom or equation has none."""
    match formula:
        case Not(part):
            return Not(change(part))
        case And(parts) | Or(parts):
            return type(formula)(tuple([change(part) for part in parts]))
        case Implies(left, right) | Iff(left, right):
            return type(formula)(change(left), change(right))
        case ForAll(names, part) | Exists(names, part):
            return type(formula)(names, change(part))
    return formula


def _rename(each: Variable | Constant, renamed: Mapping[str, str]) -> Term:
    if isinstance(each, Constant):
        return each
    return Variable(renamed.get(each.name, each.name), each.shift)


class _FreshNames:
    """Names that are not taken: ``x1``, ``x2`` and so on for ``x``."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._last: dict[str, int] = {}

    def like(self, name: str) -> str:
        number = self._last.get(name, 0) + 1
        while f"{name}{number}" in self._taken:
            number += 1
        self._last[name] = number
        self._taken.add(f"{name}{number}")
        return f"{name}{number}"


def rewrite_terms(
    formula: Formula, term: Callable[[Variable | Constant], Term], name: Callable[[str], str] = str
) -> Formula:
    """Return a formula with each variable and constant replaced; ``name`` renames the bound variables.

    >>> rewrite_terms(Atom("goal", (Variable("t"),)), lambda each: Constant("3"))
    Atom(predicate='goal', arguments=(Constant(name='3'),))
    """
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple([_rewrite_term(each, term) for each in arguments]))
        case Equal(left, right):
            return Equal(_rewrite_term(left, term), _rewrite_term(right, term))
        case ForAll(names, part) | Exists(names, part):
            bound = tuple([name(each) for each in names])
            return type(formula)(bound, rewrite_terms(part, term, name))
    return map_parts(formula, lambda part: rewrite_terms(part, term, name))


def _rewrite_term(each: Term, term: Callable[[Variable | Constant], Term]) -> Term:
    if isinstance(each, Apply):
        return Apply(each.function, tuple([_rewrite_term(part, term) for part in each.arguments]))
    return term(each)


def substitute(formula: Formula, values: Mapping[str, str]) -> Formula:
    """Return a formula with constants in place of free variables; ``t-1`` becomes the number before ``t``.

    >>> substitute(Atom("goal", (Variable("t", -1), Variable("g"))), {"t": "3"})
    Atom(predicate='goal', arguments=(Constant(name='2'), Variable(name='g', shift=0)))
    """

    def value(term: Variable | Constant) -> Term:
        if isinstance(term, Constant) or term.name not in values:
            return term
        constant = values[term.name]
        return Constant(str(int(constant) + term.shift) if term.shift else constant)

    return rewrite_terms(formula, value)


# --- negation normal form ---------------------------------------------------------------------------------------------


def to_nnf(formula: Formula) -> Formula:
    """Return the negation normal form, with nested conjunctions and disjunctions flattened."""
    match formula:
        case Implies(premise, conclusion):
            return to_nnf(Or((Not(premise), conclusion)))
        case Not(Atom()):
            return formula
        case Not(Implies(premise, conclusion)):
            return to_nnf(And((premise, Not(conclusion))))
        case Not(Not(inner)):
            return to_nnf(inner)
        case Not(And(parts)):
            return to_nnf(Or(tuple(Not(each) for each in parts)))
        case Not(Or(parts)):
            return to_nnf(And(tuple(Not(each) for each in parts)))
        case And(parts):
            return And(tuple(_flatten(And, [to_nnf(each) for each in parts])))
        case Or(parts):
            return Or(tuple(_flatten(Or, [to_nnf(each) for each in parts])))
    return formula


def _flatten(join: type[And] | type[Or], parts: Sequence[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, join):
            yield from part.parts
        else:
            yield part
