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
    """``Anna``, ``3``: one thing of the domain, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """``meet(x, y)``: the thing that a function gives for its arguments."""

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
    """``x = y``: both terms are the same thing."""

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


def inside(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of, from left to right; an atom or equation has none."""
    match formula:
        case Not(part) | ForAll(_, part) | Exists(_, part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Implies(left, right) | Iff(left, right):
            return left, right
    return ()


def atoms(formula: Formula) -> Iterator[Atom | Equal]:
    """Give the atoms and equations of a formula, from left to right, as often as they occur."""
    if isinstance(formula, Atom | Equal):
        yield formula
    for part in inside(formula):
        yield from atoms(part)


def free_variables(formula: Formula) -> tuple[str, ...]:
    """Return the names of the variables that no quantifier binds, in the order of their first use."""
    return tuple(dict.fromkeys(_free(formula, frozenset())))


def _free(formula: Formula, bound: frozenset[str]) -> Iterator[str]:
    match formula:
        case Atom(_, arguments):
            for term in arguments:
                yield from (name for name in _names(term) if name not in bound)
        case Equal(left, right):
            yield from (name for term in (left, right) for name in _names(term) if name not in bound)
        case ForAll(names, part) | Exists(names, part):
            yield from _free(part, bound | set(names))
        case _:
            for part in inside(formula):
                yield from _free(part, bound)


def _names(term: Term) -> Iterator[str]:
    match term:
        case Variable(name):
            yield name
        case Apply(_, arguments):
            for each in arguments:
                yield from _names(each)


def apart(formula: Formula) -> Formula:
    """Return the same formula with no name bound that is also free, or bound again inside: ``x`` becomes ``x1``.

    Everything that replaces variables by name relies on it, and readers of files see to it.

    >>> x = Atom("likes", (Variable("x"),))
    >>> apart(And((x, Exists(("x",), x)))).parts[1].variables
    ('x1',)
    """
    free = frozenset(free_variables(formula))
    return _apart(formula, {}, free, {*free, *_bound(formula)})


def _bound(formula: Formula) -> Iterator[str]:
    if isinstance(formula, ForAll | Exists):
        yield from formula.variables
    for part in inside(formula):
        yield from _bound(part)


def _apart(formula: Formula, renamed: Mapping[str, str], outside: frozenset[str], taken: set[str]) -> Formula:
    match formula:
        case Atom() | Equal():
            return rewritten(formula, lambda each: _renamed(each, renamed))
        case ForAll(names, part) | Exists(names, part):
            new = {name: _fresh(name, taken) if name in outside else name for name in names}
            inner = _apart(part, {**renamed, **new}, outside | set(new.values()), taken)
            return type(formula)(tuple([new[name] for name in names]), inner)
    return _rejoined(formula, lambda part: _apart(part, renamed, outside, taken))


def _rejoined(formula: Not | And | Or | Implies | Iff, change: Callable[[Formula], Formula]) -> Formula:
    """Return the same connective of parts that were changed."""
    match formula:
        case Not(part):
            return Not(change(part))
        case And(parts) | Or(parts):
            return type(formula)(tuple([change(part) for part in parts]))
        case Implies(left, right) | Iff(left, right):
            return type(formula)(change(left), change(right))


def _renamed(each: Variable | Constant, renamed: Mapping[str, str]) -> Term:
    if isinstance(each, Constant):
        return each
    return Variable(renamed.get(each.name, each.name), each.shift)


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}{number}" in taken:
        number += 1
    taken.add(f"{name}{number}")
    return f"{name}{number}"


def rewritten(
    formula: Formula, term: Callable[[Variable | Constant], Term], name: Callable[[str], str] = str
) -> Formula:
    """Return a formula with each variable and constant replaced, from left to right; ``name`` renames the bound ones.

    >>> rewritten(Atom("goal", (Variable("t"),)), lambda each: Constant("3"))
    Atom(predicate='goal', arguments=(Constant(name='3'),))
    """
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple([_rewritten(each, term) for each in arguments]))
        case Equal(left, right):
            return Equal(_rewritten(left, term), _rewritten(right, term))
        case ForAll(names, part) | Exists(names, part):
            bound = tuple([name(each) for each in names])
            return type(formula)(bound, rewritten(part, term, name))
    return _rejoined(formula, lambda part: rewritten(part, term, name))


def _rewritten(each: Term, term: Callable[[Variable | Constant], Term]) -> Term:
    if isinstance(each, Apply):
        return Apply(each.function, tuple([_rewritten(part, term) for part in each.arguments]))
    return term(each)


def substituted(formula: Formula, values: Mapping[str, str]) -> Formula:
    """Return a formula with constants in place of free variables; ``t-1`` becomes the number before that of ``t``.

    >>> substituted(Atom("goal", (Variable("t", -1), Variable("g"))), {"t": "3"})
    Atom(predicate='goal', arguments=(Constant(name='2'), Variable(name='g', shift=0)))
    """

    def value(term: Variable | Constant) -> Term:
        if isinstance(term, Constant) or term.name not in values:
            return term
        said = values[term.name]
        return Constant(str(int(said) + term.shift) if term.shift else said)

    return rewritten(formula, value)


# --- negation normal form ---------------------------------------------------------------------------------------------


def normal(formula: Formula) -> Formula:
    """Return a formula with negations moved inwards, and nested conjunctions and disjunctions joined."""
    match formula:
        case Implies(premise, conclusion):
            return normal(Or((Not(premise), conclusion)))
        case Not(Atom()):
            return formula
        case Not(Implies(premise, conclusion)):
            return normal(And((premise, Not(conclusion))))
        case Not(Not(inner)):
            return normal(inner)
        case Not(And(parts)):
            return normal(Or(tuple(Not(each) for each in parts)))
        case Not(Or(parts)):
            return normal(And(tuple(Not(each) for each in parts)))
        case And(parts):
            return And(tuple(_flat(And, [normal(each) for each in parts])))
        case Or(parts):
            return Or(tuple(_flat(Or, [normal(each) for each in parts])))
    return formula


def _flat(join: type[And] | type[Or], parts: Sequence[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, join):
            yield from part.parts
        else:
            yield part
