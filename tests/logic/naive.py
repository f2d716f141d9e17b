"""The slow oracle of Markov logic: ground formulas by nested loops, worlds by enumeration."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from telos.logic.database import Database, FactTable
from telos.logic.formulas import (
    And,
    Apply,
    Atom,
    Constant,
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
)
from telos.logic.model import Key, MarkovLogic

Truth = bool | None
Known = tuple[int, str, tuple[str, ...]]  # world, predicate, arguments
Worlds = frozenset[Known]  # the hidden atoms that are true


@dataclass(frozen=True)
class GroundFormula:
    """A ground formula with open atoms; ``weight`` is None if it is hard."""

    rule: int
    key: Key
    weight: float | None
    formula: Formula  # atoms carry constants only, the world is their first argument

    def holds(self, world: Worlds) -> bool:
        return truth(self.formula, world)

    @property
    def open(self) -> set[Known]:
        return {known(atom) for atom in iter_atoms(self.formula)}


@dataclass(frozen=True)
class NaiveNetwork:
    """``units`` are sets of alternatives: a plain atom is true or false, of a block exactly one atom is true.

    ``stated`` are all true facts of the database.
    """

    formulas: tuple[GroundFormula, ...]
    units: tuple[tuple[Worlds, ...], ...]
    stated: frozenset[Known] = frozenset()

    def score(self, world: Worlds) -> float:
        """Return the sum of the weights of formulas that hold; -inf if a hard one fails."""
        if any(each.weight is None and not each.holds(world) for each in self.formulas):
            return -math.inf
        return math.fsum(each.weight for each in self.formulas if each.weight and each.holds(world))


@dataclass(frozen=True)
class NaiveWorlds:
    """All worlds with their scores, and the results that follow."""

    scores: Mapping[Worlds, float]
    log_z: float
    marginals: Mapping[Known, float]
    best: float
    most_probable: tuple[Worlds, ...]


def naive_worlds(network: NaiveNetwork, most: int = 1 << 16) -> NaiveWorlds:
    """Enumerate every world of a network."""
    assert math.prod(len(unit) for unit in network.units) <= most, "too many worlds to enumerate"
    scores = {}
    for choice in itertools.product(*network.units):
        world: Worlds = frozenset().union(*choice)
        scores[world] = network.score(world)
    best = max(scores.values())
    if best == -math.inf:
        return NaiveWorlds(scores, best, {}, best, ())
    total = math.fsum(math.exp(score - best) for score in scores.values())
    every = {atom for unit in network.units for alternative in unit for atom in alternative}
    marginals = {
        atom: math.fsum(math.exp(score - best) for world, score in scores.items() if atom in world) / total
        for atom in every
    }
    top = tuple(world for world, score in scores.items() if score >= best - 1e-9)
    return NaiveWorlds(scores, best + math.log(total), marginals, best, top)


def naive_network(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    opened: Sequence[str] = (),
    closed: Sequence[str] = (),
    learning: bool = False,
) -> NaiveNetwork:
    """Ground by nested loops; with ``learning`` the facts about queried predicates are not given."""
    ground = _Ground(model, database, frozenset(query), frozenset(opened), frozenset(closed))
    formulas = tuple(ground.formulas())
    touched = set().union(*(each.open for each in formulas), ground.queried())
    return NaiveNetwork(formulas, tuple(ground.units(touched, learning)), frozenset(ground.true))


def known(atom: Atom | Equal) -> Known:
    assert isinstance(atom, Atom)
    world, *names = (term.name for term in atom.arguments if isinstance(term, Constant))
    return int(world), atom.predicate, tuple(names)


def truth(formula: Formula, world: Worlds) -> bool:
    match formula:
        case Atom():
            return known(formula) in world
        case Not(part):
            return not truth(part, world)
        case And(parts):
            return all(truth(part, world) for part in parts)
        case Or(parts):
            return any(truth(part, world) for part in parts)
        case Implies(left, right):
            return not truth(left, world) or truth(right, world)
        case Iff(left, right):
            return truth(left, world) == truth(right, world)
    raise AssertionError(f"{formula} is not ground")


class _Undefined(Exception):
    """A time that does not exist, or a function without a value."""


class _Ground:
    def __init__(
        self,
        model: MarkovLogic,
        database: Database,
        query: frozenset[str],
        opened: frozenset[str],
        closed: frozenset[str],
    ) -> None:
        self.model, self.database, self.query = model, database, query
        self.worlds = range(len(database.worlds))
        self.hidden = query | opened | (model.opened - closed)
        self.true = {fact for name in database.true for fact in self._facts(name, database.true[name])}
        self.false = {fact for name in database.false for fact in self._facts(name, database.false[name])}
        self.values: dict[Known, str] = {}
        for name, facts in database.functions.items():
            types = (*model.functions[name].types, model.functions[name].returns)
            for world, row in zip(facts.world, facts.arguments, strict=True):
                *given, result = (database.constants[kind][code] for kind, code in zip(types, row, strict=True))
                self.values[int(world), name, tuple(given)] = result

    def _facts(self, predicate: str, facts: FactTable) -> Iterator[Known]:
        types = self.model.predicates[predicate].types
        for world, row in zip(facts.world, facts.arguments, strict=True):
            names = (self.database.constants[kind][code] for kind, code in zip(types, row, strict=True))
            yield int(world), predicate, tuple(names)

    def domain(self, kind: str, world: int, everywhere: bool) -> tuple[str, ...]:
        every = self.database.constants.get(kind, ())
        declared = self.model.constants.get(kind, ())
        here = every
        if kind in self.database.present and not everywhere:
            here = tuple(every[code] for where, code in self.database.present[kind] if where == world)
        return tuple(dict.fromkeys((*here, *declared)))

    def formulas(self) -> Iterator[GroundFormula]:
        for index, rule in enumerate(self.model.rules):
            names = free_variables(rule.formula)
            kinds = self._kinds(rule.formula)
            for world in self.worlds:
                ranges = [self.domain(kinds[name], world, self._chosen(name, rule.formula)) for name in names]
                for constants in itertools.product(*ranges):
                    bound = dict(zip(names, constants, strict=True))
                    if self._undefined(rule.formula, bound, world):
                        continue
                    left = self._reduce(rule.formula, bound, world)
                    if not isinstance(left, bool):
                        key = tuple(bound[name] for name in rule.plus)
                        weight = None if rule.hard else rule.weights.get(key, rule.otherwise)
                        yield GroundFormula(index, key, weight, left)

    def _chosen(self, name: str, formula: Formula) -> bool:
        """Return whether a variable occurs in a ``!`` argument of a hidden predicate."""
        return any(
            atom.predicate in self.hidden and atom.arguments[place] == Variable(name)
            for atom, inner in _scoped(formula, frozenset())
            if isinstance(atom, Atom) and name not in inner
            for place in self.model.predicates[atom.predicate].exactly_one
        )

    def _kinds(self, formula: Formula) -> dict[str, str]:
        kinds: dict[str, str] = {}

        def visit(term: Term, kind: str) -> None:
            if isinstance(term, Variable):
                kinds[term.name] = kind
            if isinstance(term, Apply):
                for each, inner in zip(term.arguments, self.model.functions[term.function].types, strict=True):
                    visit(each, inner)

        for atom in iter_atoms(formula):
            terms = atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)
            types = self.model.predicates[atom.predicate].types if isinstance(atom, Atom) else ("", "")
            for term, kind in zip(terms, types, strict=True):
                if kind or isinstance(term, Apply):
                    visit(term, kind)
        return kinds

    def _term(self, term: Term, bound: Mapping[str, str], world: int, kinds: Mapping[str, str]) -> str:
        match term:
            case Constant(name):
                return name
            case Variable(name, 0):
                return bound[name]
            case Variable(name, shift):
                shifted = str(int(bound[name]) + shift) if bound[name].lstrip("-").isdigit() else ""
                if shifted not in self.domain(kinds[name], world, False):
                    raise _Undefined
                return shifted
            case Apply(function, arguments):
                given = tuple(self._term(each, bound, world, kinds) for each in arguments)
                if (world, function, given) not in self.values:
                    raise _Undefined
                return self.values[world, function, given]

    def _undefined(self, formula: Formula, bound: Mapping[str, str], world: int) -> bool:
        """Return whether a term that can be evaluated has no value."""
        kinds = self._kinds(formula)
        for atom, inner in _scoped(formula, frozenset()):
            for term in atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right):
                if set(free_variables(Equal(term, term))) <= set(bound) - inner:
                    try:
                        self._term(term, bound, world, kinds)
                    except _Undefined:
                        return True
        return False

    def _reduce(self, formula: Formula, bound: Mapping[str, str], world: int) -> Formula | bool:
        """Substitute constants and the truth of evidence; a decided formula becomes a bool."""
        match formula:
            case Atom(predicate, arguments):
                kinds = self._kinds(formula)
                names = tuple(self._term(term, bound, world, kinds) for term in arguments)
                if predicate not in self.hidden:
                    return (world, predicate, names) in self.true
                return Atom(predicate, (Constant(str(world)), *map(Constant, names)))
            case Equal(left, right):
                return self._term(left, bound, world, {}) == self._term(right, bound, world, {})
            case Not(part):
                inner = self._reduce(part, bound, world)
                return not inner if isinstance(inner, bool) else Not(inner)
            case And(parts):
                return _all([self._reduce(part, bound, world) for part in parts])
            case Or(parts):
                return _any([self._reduce(part, bound, world) for part in parts])
            case Implies(left, right):
                return self._reduce(Or((Not(left), right)), bound, world)
            case Iff(left, right):
                one, two = self._reduce(left, bound, world), self._reduce(right, bound, world)
                if isinstance(one, bool):
                    one, two = two, one
                if isinstance(two, bool):
                    return one if two else (not one if isinstance(one, bool) else Not(one))
                return Iff(one, two)
            case ForAll(names, part):
                return _all(self._instances(names, part, bound, world))
            case Exists(names, part):
                return _any(self._instances(names, part, bound, world))

    def _instances(
        self, names: Sequence[str], part: Formula, bound: Mapping[str, str], world: int
    ) -> list[Formula | bool]:
        kinds = self._kinds(part)
        ranges = [self.domain(kinds[name], world, self._chosen(name, part)) for name in names]
        instances = [{**bound, **dict(zip(names, choice, strict=True))} for choice in itertools.product(*ranges)]
        return [self._reduce(part, each, world) for each in instances if not self._undefined(part, each, world)]

    def queried(self) -> set[Known]:
        found: set[Known] = set()
        for name in self.query:
            predicate = self.model.predicates[name]
            for world in self.worlds:
                marked = [place in predicate.exactly_one for place in range(len(predicate.types))]
                ranges = [self.domain(kind, world, mark) for kind, mark in zip(predicate.types, marked, strict=True)]
                found |= {(world, name, row) for row in itertools.product(*ranges)}
        return found

    def units(self, touched: set[Known], learning: bool) -> Iterator[tuple[Worlds, ...]]:
        """Yield the alternatives of every hidden atom or block; known facts leave fewer."""
        seen: set[Known] = set()
        for atom in sorted(touched):
            if atom in seen:
                continue
            members = self._block(atom)
            seen |= set(members)
            alternatives = [frozenset({member}) for member in members]
            if not self.model.predicates[atom[1]].exactly_one:
                alternatives.insert(0, frozenset())
            if not (learning and atom[1] in self.query):
                sure = [each for each in alternatives if each & self.true]
                alternatives = sure or [each for each in alternatives if not each & self.false]
            yield tuple(alternatives)

    def _block(self, atom: Known) -> list[Known]:
        world, name, names = atom
        predicate = self.model.predicates[name]
        ranges = [
            self.domain(kind, world, True) if place in predicate.exactly_one else (names[place],)
            for place, kind in enumerate(predicate.types)
        ]
        return [(world, name, row) for row in itertools.product(*ranges)]


def _scoped(formula: Formula, inner: frozenset[str]) -> Iterator[tuple[Atom | Equal, frozenset[str]]]:
    """Yield all atoms and equations, with the variables bound there by quantifiers."""
    match formula:
        case Atom() | Equal():
            yield formula, inner
        case Not(part):
            yield from _scoped(part, inner)
        case ForAll(names, part) | Exists(names, part):
            yield from _scoped(part, inner | set(names))
        case And(parts) | Or(parts):
            for part in parts:
                yield from _scoped(part, inner)
        case Implies(left, right) | Iff(left, right):
            yield from _scoped(left, inner)
            yield from _scoped(right, inner)


def _all(parts: Sequence[Formula | bool]) -> Formula | bool:
    if any(part is False for part in parts):
        return False
    left = tuple(part for part in parts if not isinstance(part, bool))
    return And(left) if left else True


def _any(parts: Sequence[Formula | bool]) -> Formula | bool:
    if any(part is True for part in parts):
        return True
    left = tuple(part for part in parts if not isinstance(part, bool))
    return Or(left) if left else False
