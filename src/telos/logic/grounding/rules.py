"""One rule, made ready and joined with the evidence: quantifiers and functions removed, variables bound to constants.

``prepare`` rewrites a rule, ``Binder`` finds the bindings of its variables in one case of its evidence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from telos.core.errors import TelosError
from telos.logic.formulas import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    ForAll,
    Formula,
    Implies,
    Not,
    Or,
    Term,
    Variable,
    atoms,
    free_variables,
)
from telos.logic.grounding.atoms import Relations
from telos.logic.grounding.bindings import Rows, join, packed, unpacked
from telos.logic.grounding.rewrite import (
    Hoist,
    Leaf,
    Literal,
    apart,
    fold,
    kinds_of,
    parts_changed,
    rebuilt,
    terms,
    true_cases,
)
from telos.logic.model import MarkovLogic, Rule

Shifted = tuple[str, int]  # a variable and how far its term lies from it

MOST_INSTANCES = 5_000  # of a quantified part that has hidden atoms: each is looked at by itself


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables of a formula: types, those that range over the constants of all worlds, and its ``t-1`` terms."""

    kinds: Mapping[str, str]
    chosen: frozenset[str]
    shifted: frozenset[Shifted]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rule as grounding works on it.

    ``choices`` are the variables that stand only in block places of hidden atoms: no row binds them, they run over the
    values of a table. ``guards`` are the values of functions that have to exist. ``scope`` has the other variables.
    """

    formula: Formula | bool
    guards: tuple[Atom, ...]
    scope: Scope
    choices: tuple[str, ...]
    kinds: Mapping[str, str]

    def is_evidence(self, leaf: Leaf, hidden: Mapping[str, frozenset[int]]) -> bool:
        """Whether an atom or equation is decided by the row."""
        if isinstance(leaf, Atom):
            return leaf.predicate not in hidden
        return not any(isinstance(term, Variable) and term.name in self.choices for term in (leaf.left, leaf.right))


def prepare(
    rule: Rule,
    model: MarkovLogic,
    hidden: Mapping[str, frozenset[int]],
    relations: Relations,
    allow: Callable[[float, int], None],
) -> Prepared:
    """Return a rule without quantifiers and functions. ``hidden`` holds the block places of each hidden predicate."""
    formula = apart(rule.formula)
    kinds = kinds_of(formula, model)
    formula, guards = Hoist(model, kinds).out_of(formula)
    chosen = _in_blocks(formula, hidden)
    free = dict.fromkeys(name for part in (formula, *guards) for name in free_variables(part))
    own = {name: kinds[name] for name in free}
    shifted = shifted_terms([formula, *guards], own)
    plain = Unquantified(relations, kinds, chosen, frozenset(hidden), allow).of(formula)
    left = fold(plain, _settled(plain, relations, hidden))
    choices = _choices(left, guards, shifted, chosen & set(own), hidden)
    scope = Scope({name: kind for name, kind in own.items() if name not in choices}, chosen, shifted)
    return Prepared(left, guards, scope, choices, own)


def _in_blocks(formula: Formula, hidden: Mapping[str, frozenset[int]]) -> frozenset[str]:
    """Return the variables that stand in a block place of a hidden atom."""
    return frozenset(
        term.name
        for atom in atoms(formula)
        if isinstance(atom, Atom)
        for place in hidden.get(atom.predicate, ())
        if isinstance(term := atom.arguments[place], Variable) and not term.shift
    )


def _settled(formula: Formula, relations: Relations, hidden: Mapping[str, frozenset[int]]) -> dict[Leaf, bool]:
    """Return what is true or false in every row: equations of constants, and ground evidence of a single world."""
    settled: dict[Leaf, bool] = {}
    for leaf in dict.fromkeys(atoms(formula)):
        if isinstance(leaf, Equal):
            if leaf.left == leaf.right:
                settled[leaf] = True
            elif isinstance(leaf.left, Constant) and isinstance(leaf.right, Constant):
                settled[leaf] = False
        elif leaf.predicate not in hidden and all(isinstance(term, Constant) for term in leaf.arguments):
            truth = relations.settled(leaf)
            if truth is not None:
                settled[leaf] = truth
    return settled


def _choices(
    formula: Formula | bool,
    guards: tuple[Atom, ...],
    shifted: frozenset[tuple[str, int]],
    chosen: frozenset[str],
    hidden: Mapping[str, frozenset[int]],
) -> tuple[str, ...]:
    """Return the variables that only block places and equations among such variables mention."""
    bound = {name for name, _ in shifted} | {name for guard in guards for name in free_variables(guard)}
    leaves = [] if isinstance(formula, bool) else list(dict.fromkeys(atoms(formula)))
    for leaf in leaves:
        if isinstance(leaf, Atom):
            blocks = hidden.get(leaf.predicate, frozenset())
            bound |= {
                term.name
                for place, term in enumerate(leaf.arguments)
                if isinstance(term, Variable) and place not in blocks
            }
    equations = [free_variables(leaf) for leaf in leaves if isinstance(leaf, Equal)]
    while True:
        tied = {name for names in equations if not set(names) <= chosen - bound for name in names}
        if tied <= bound:
            return tuple(sorted(chosen - bound))
        bound |= tied


# --- quantifiers ------------------------------------------------------------------------------------------------------
# A quantified part that evidence decides becomes a relation; any other is written out.


class Unquantified:
    """Takes the quantifiers out of the formulas of one rule."""

    def __init__(
        self,
        relations: Relations,
        kinds: Mapping[str, str],
        chosen: frozenset[str],
        hidden: frozenset[str],
        allow: Callable[[float, int], None],
    ) -> None:
        self._relations, self._domains = relations, relations.domains
        self._kinds, self._chosen, self._hidden, self._allow = kinds, chosen, hidden, allow

    def of(self, formula: Formula) -> Formula:
        """Return an equivalent formula without quantifiers."""
        formula = parts_changed(formula, self.of)
        match formula:
            case Exists(names, part):
                return self._relation(names, part) if self._is_known(part) else Or(self._instances(names, part, And))
            case ForAll(names, part):
                if self._is_known(part):
                    return Not(self._relation(names, Not(part)))
                return And(self._instances(names, part, lambda parts: Implies(And(parts[:-1]), parts[-1])))
        return formula

    def _is_known(self, formula: Formula) -> bool:
        return all(isinstance(leaf, Equal) or leaf.predicate not in self._hidden for leaf in atoms(formula))

    def _relation(self, names: Sequence[str], part: Formula) -> Formula:
        """Return an atom that holds of the free variables for which some binding of ``names`` makes ``part`` true."""
        free = [name for name in free_variables(part) if name not in names]
        scope = Scope(
            {name: self._kinds[name] for name in (*free, *names)}, self._chosen, shifted_terms([part], self._kinds)
        )
        binder = Binder(self._relations, scope, self._allow)
        found = [binder.bind(case.literals) for case in true_cases(fold(part, {}))]
        radices = [self._domains.worlds, *(self._domains.size(self._kinds[name]) for name in free)]
        keys = [packed([rows.world, *(rows.columns[name] for name in free)], radices) for rows in found]
        world, *columns = unpacked(np.unique(np.concatenate([np.zeros(0, np.int64), *keys])), radices)
        rows = Rows(world, dict(zip(free, columns, strict=True)))
        relation = self._relations.add([self._kinds[name] for name in free], rows)
        return Atom(relation, tuple(Variable(name) for name in free))

    def _instances(
        self, names: Sequence[str], part: Formula, within: Callable[[tuple[Formula, ...]], Formula]
    ) -> tuple[Formula, ...]:
        ranges = [self._domains.names.get(self._kinds[name], ()) for name in names]
        number = prod(len(each) for each in ranges)
        if number > MOST_INSTANCES:
            said = ", ".join(name.split("'")[0] for name in names)
            raise TelosError(
                f"the part quantified over {said} would have {number:.1e} instances with hidden atoms, and "
                f"{MOST_INSTANCES} are the most",
                f"leave {said} free, or narrow the type with fewer constants",
            )
        shifts = shifted_terms([part], {name: self._kinds[name] for name in names})
        found = []
        for constants in product(*ranges):
            bound = dict(zip(names, constants, strict=True))
            moved = self._moved(bound, shifts)
            if moved is not None:
                instance = rebuilt(part, lambda term, moved=moved: _put(term, moved))  # type: ignore[misc]
                guards = self._guards(bound, moved)
                found.append(within((*guards, instance)) if guards else instance)
        return tuple(found)

    def _moved(self, bound: Mapping[str, str], shifts: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str] | None:
        """Return the constants for variables and their shifted terms, or None if one of those does not exist."""
        moved = {(name, 0): constant for name, constant in bound.items()}
        for name, shift in shifts:
            kind = self._kinds[name]
            code = int(self._domains.shift(kind, shift)[self._domains.code(kind, bound[name])])
            if code < 0:
                return None
            moved[name, shift] = self._domains.names[kind][code]
        return moved

    def _guards(self, bound: Mapping[str, str], moved: Mapping[tuple[str, int], str]) -> tuple[Formula, ...]:
        """Return what says that the constants exist, where they do not do so in every world."""
        guards = []
        for (name, shift), constant in moved.items():
            kind = self._kinds[name]
            if not self._domains.everywhere(kind) and (shift or name not in self._chosen):
                guards.append(Atom(self._relations.existence(kind), (Constant(constant),)))
        return tuple(guards)


def shifted_terms(formulas: Iterable[Formula], kinds: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Return the terms like ``t-1`` of these variables, as names and distances."""
    return frozenset(
        (term.name, term.shift)
        for formula in formulas
        for term in terms(formula)
        if isinstance(term, Variable) and term.shift and term.name in kinds
    )


def _put(term: Term, moved: Mapping[tuple[str, int], str]) -> Term:
    if isinstance(term, Variable) and (term.name, term.shift) in moved:
        return Constant(moved[term.name, term.shift])
    return term


# --- joins with evidence ----------------------------------------------------------------------------------------------


def variables_of(leaf: Leaf) -> tuple[str, ...]:
    """Return the names of the variables of an atom or equation, each once."""
    terms = leaf.arguments if isinstance(leaf, Atom) else (leaf.left, leaf.right)
    return tuple(dict.fromkeys(term.name for term in terms if isinstance(term, Variable)))


def _tied(literals: Iterable[Literal]) -> set[str]:
    """Return the variables of equations that must hold: one side binds the other."""
    return {name for leaf, value in literals if value and isinstance(leaf, Equal) for name in variables_of(leaf)}


class Binder:
    """Binds all variables of a scope so that given literals hold. ``allow`` is told sizes before rows are made."""

    def __init__(self, relations: Relations, scope: Scope, allow: Callable[[float, int], None]) -> None:
        self._relations, self._domains, self._scope, self._allow = relations, relations.domains, scope, allow
        self._radices = {name: self._domains.size(kind) for name, kind in scope.kinds.items()}

    def bind(self, literals: Iterable[Literal]) -> Rows:
        """Return the rows for which all literals hold."""
        literals = tuple(literals)
        joins = {leaf: self._relations.rows(leaf) for leaf, value in literals if value and isinstance(leaf, Atom)}
        filters = [(leaf, value) for leaf, value in literals if leaf not in joins]
        unbound = set(self._scope.kinds) - {name for rows in joins.values() for name in rows.columns} - _tied(filters)
        checks = set(self._scope.shifted)
        checks |= {(name, 0) for name, _ in self._scope.shifted if name not in self._scope.chosen}
        world = np.arange(self._domains.worlds, dtype=np.int32)
        rows = Rows(world, {})
        while joins:
            leaf = self._next(joins, rows)
            found = joins.pop(leaf)
            checks -= {(term.name, term.shift) for term in leaf.arguments if isinstance(term, Variable)}
            rows = self._joined(rows, leaf, found, () if joins else unbound)
            rows = self._filtered(rows, filters, checks)
        for name in sorted(self._scope.kinds):
            if name not in rows.columns:
                checks.discard((name, 0))
                rows = self._filtered(self._ranged(rows, name, filters), filters, checks)
        return self._filtered(rows, filters, checks)

    def _next(self, joins: Mapping[Atom, Rows], rows: Rows) -> Atom:
        """Choose what to join: first what only filters, then what is connected, smallest first."""

        def effort(leaf: Atom) -> tuple[bool, bool, int]:
            names = joins[leaf].columns.keys()
            connected = not rows.columns or bool(names & rows.columns.keys())
            return not names <= rows.columns.keys(), not connected, len(joins[leaf])

        return min(joins, key=effort)

    def _joined(self, rows: Rows, leaf: Atom, found: Rows, unbound: Iterable[str]) -> Rows:
        if not found.columns.keys() - rows.columns.keys() and (rows.columns or not leaf.arguments):
            return rows.keep(self._relations.holds(leaf, rows, self._scope.kinds))
        width = len({**rows.columns, **found.columns})
        later = 1.0
        for name in unbound:
            later *= max(1.0, self._range(name))
        return join(rows, found, self._radices, self._domains.worlds, lambda total: self._allow(total * later, width))

    def _range(self, name: str) -> float:
        kind = self._scope.kinds[name]
        if name in self._scope.chosen:
            return float(self._domains.size(kind))
        return len(self._domains.here(kind)[0]) / max(self._domains.worlds, 1)

    def _ranged(self, rows: Rows, name: str, filters: list[Literal]) -> Rows:
        """Bind a variable by an equation that must hold, or else to all constants of its type."""
        kind = self._scope.kinds[name]
        for leaf, value in filters:
            if value and isinstance(leaf, Equal):
                sides = {leaf.left: leaf.right, leaf.right: leaf.left}
                other = sides.get(Variable(name))
                if isinstance(other, Constant) or (
                    isinstance(other, Variable) and other.name in rows.columns and self._scope.kinds[other.name] == kind
                ):
                    bound = rows.bind(name, self._relations.column(other, rows, kind))
                    return bound.keep(self._within(name, bound))
        world, code = self._domains.all(kind) if name in self._scope.chosen else self._domains.here(kind)
        later = set(self._scope.kinds) - set(rows.columns) - _tied(filters)
        width = len(rows.columns) + 1
        self._allow(self._forecast(rows, later | {name}), width)
        domain = Rows(world, {name: code})
        if not rows.columns and len(rows) == self._domains.worlds:
            return domain
        return join(rows, domain, self._radices, self._domains.worlds, lambda total: self._allow(total, width))

    def _forecast(self, rows: Rows, names: Iterable[str]) -> float:
        """Return how many rows there will be once these variables range over their types."""
        weight = np.bincount(rows.world, minlength=self._domains.worlds).astype(np.float64)
        for name in names:
            kind = self._scope.kinds[name]
            weight *= self._domains.size(kind) if name in self._scope.chosen else self._domains.counts(kind)
        return float(weight.sum())

    def _within(self, name: str, rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        kind, column = self._scope.kinds[name], rows.columns[name]
        if name in self._scope.chosen:
            inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = column >= 0
            return inside
        return self._domains.exists(kind, rows.world, column)

    def _filtered(self, rows: Rows, filters: list[Literal], checks: set[Shifted]) -> Rows:
        """Drop the rows that break a literal or name a time that does not exist, as soon as that can be told."""
        for leaf, value in [each for each in filters if set(variables_of(each[0])) <= rows.columns.keys()]:
            filters.remove((leaf, value))
            rows = rows.keep(self._relations.holds(leaf, rows, self._scope.kinds) == value)
        for name, shift in [each for each in checks if each[0] in rows.columns]:
            checks.discard((name, shift))
            kind = self._scope.kinds[name]
            column = self._relations.column(Variable(name, shift), rows, kind)
            rows = rows.keep(self._domains.exists(kind, rows.world, column))
        return rows
