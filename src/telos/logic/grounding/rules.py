"""One rule, prepared and joined with the evidence: quantifiers and functions removed, variables bound to constants.

``prepare_rule`` rewrites a rule; ``EvidenceJoin`` finds the bindings of its variables in one case of its evidence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
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
    free_variables,
    iter_atoms,
    map_parts,
)
from telos.logic.grounding.atoms import Relations
from telos.logic.grounding.bindings import Bindings, join_bindings, pack_keys, unpack_keys
from telos.logic.grounding.rewrite import (
    FunctionRemover,
    Leaf,
    Literal,
    find_types,
    fold,
    iter_terms,
    iter_true_cases,
    map_terms,
    rename_bound,
)
from telos.logic.model import MarkovLogic, Rule

ShiftedVariable = tuple[str, int]  # a variable and the shift of its term

MAX_INSTANCES = 5_000  # of a quantified part with hidden atoms; each is handled separately
MAX_INSTANCE_ATOMS = 200_000  # in all of them, those of quantifiers inside included
MAX_CASES = 2_000  # combinations of evidence that make a quantified part true


@dataclass(frozen=True, slots=True)
class RuleScope:
    """The types of a formula's variables, those that range over all worlds' constants, and its ``t-1`` terms."""

    kinds: Mapping[str, str]
    chosen: frozenset[str]
    shifted: frozenset[ShiftedVariable]


@dataclass(frozen=True, slots=True)
class PreparedRule:
    """A rule as grounding works on it.

    ``choices`` are the variables that occur only in block arguments of hidden atoms: no row binds them, they range over
    the values of a table. ``guards`` are atoms for the values of functions, which must exist. ``scope`` has the other
    variables.
    """

    formula: Formula | bool
    guards: tuple[Atom, ...]
    scope: RuleScope
    choices: tuple[str, ...]
    kinds: Mapping[str, str]

    def is_evidence(self, leaf: Leaf, hidden: Mapping[str, frozenset[int]]) -> bool:
        """Return whether a row decides an atom or equation."""
        if isinstance(leaf, Atom):
            return leaf.predicate not in hidden
        return not any(isinstance(term, Variable) and term.name in self.choices for term in (leaf.left, leaf.right))


def prepare_rule(
    rule: Rule,
    model: MarkovLogic,
    hidden: Mapping[str, frozenset[int]],
    relations: Relations,
    allow: Callable[[float, int], None],
) -> PreparedRule:
    """Return a rule without quantifiers and functions; ``hidden`` has the block arguments of hidden predicates."""
    formula = rename_bound(rule.formula)
    kinds = find_types(formula, model)
    formula, guards = FunctionRemover(model, kinds).remove(formula)
    chosen = _block_variables(formula, hidden)
    free = dict.fromkeys(name for part in (formula, *guards) for name in free_variables(part))
    own = {name: kinds[name] for name in free}
    shifted = find_shifted([formula, *guards], own)
    plain = QuantifierRemover(relations, kinds, chosen, frozenset(hidden), allow).remove(formula)
    left = fold(plain, _decided_leaves(plain, relations, hidden))
    choices = _find_choices(left, guards, shifted, chosen & set(own), hidden)
    scope = RuleScope({name: kind for name, kind in own.items() if name not in choices}, chosen, shifted)
    return PreparedRule(left, guards, scope, choices, own)


def _block_variables(formula: Formula, hidden: Mapping[str, frozenset[int]]) -> frozenset[str]:
    """Return the variables in block arguments of hidden atoms."""
    return frozenset(
        term.name
        for atom in iter_atoms(formula)
        if isinstance(atom, Atom)
        for place in hidden.get(atom.predicate, ())
        if isinstance(term := atom.arguments[place], Variable) and not term.shift
    )


def _decided_leaves(formula: Formula, relations: Relations, hidden: Mapping[str, frozenset[int]]) -> dict[Leaf, bool]:
    """Return what is true or false in every row: equations of constants, ground evidence of a single world."""
    settled: dict[Leaf, bool] = {}
    for leaf in dict.fromkeys(iter_atoms(formula)):
        if isinstance(leaf, Equal):
            if leaf.left == leaf.right:
                settled[leaf] = True
            elif isinstance(leaf.left, Constant) and isinstance(leaf.right, Constant):
                settled[leaf] = False
        elif leaf.predicate not in hidden and all(isinstance(term, Constant) for term in leaf.arguments):
            truth = relations.decide(leaf)
            if truth is not None:
                settled[leaf] = truth
    return settled


def _find_choices(
    formula: Formula | bool,
    guards: tuple[Atom, ...],
    shifted: frozenset[tuple[str, int]],
    chosen: frozenset[str],
    hidden: Mapping[str, frozenset[int]],
) -> tuple[str, ...]:
    """Return the variables that occur only in block arguments, and in equations among such variables."""
    bound = {name for name, _ in shifted} | {name for guard in guards for name in free_variables(guard)}
    leaves = [] if isinstance(formula, bool) else list(dict.fromkeys(iter_atoms(formula)))
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


class QuantifierRemover:
    """Removes the quantifiers from the formulas of one rule."""

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

    def remove(self, formula: Formula) -> Formula:
        """Return an equivalent formula without quantifiers."""
        reduced = map_parts(formula, self.remove)
        match reduced:
            case Exists(names, part):
                shifted = self._shifted(names, formula)
                if self._is_known(part):
                    return self._relation(names, part, shifted)
                return Or(self._instances(names, part, shifted, And))
            case ForAll(names, part):
                shifted = self._shifted(names, formula)
                if self._is_known(part):
                    return Not(self._relation(names, Not(part), shifted))
                return And(self._instances(names, part, shifted, lambda parts: Implies(And(parts[:-1]), parts[-1])))
        return reduced

    def _shifted(self, names: Sequence[str], formula: Formula) -> frozenset[ShiftedVariable]:
        # From the whole formula: a part that became a relation no longer shows that it needs t-1.
        return find_shifted([formula], {name: self._kinds[name] for name in names})

    def _is_known(self, formula: Formula) -> bool:
        return all(isinstance(leaf, Equal) or leaf.predicate not in self._hidden for leaf in iter_atoms(formula))

    def _relation(self, names: Sequence[str], part: Formula, shifted: frozenset[ShiftedVariable]) -> Formula:
        """Return an atom over the free variables, true where some binding of ``names`` makes ``part`` true."""
        free = [name for name in free_variables(part) if name not in names]
        kinds = {name: self._kinds[name] for name in (*free, *names)}
        scope = RuleScope(kinds, self._chosen, find_shifted([part], self._kinds) | shifted)
        evidence_join = EvidenceJoin(self._relations, scope, self._allow)
        cases = list(islice(iter_true_cases(fold(part, {})), MAX_CASES + 1))
        if len(cases) > MAX_CASES:
            raise TelosError(
                f"a quantified part holds in more than {MAX_CASES:,} ways", "split the formula into several"
            )
        found = [evidence_join.bind(case.literals) for case in cases]
        radices = [self._domains.worlds, *(self._domains.size(self._kinds[name]) for name in free)]
        keys = [pack_keys([rows.world, *(rows.columns[name] for name in free)], radices) for rows in found]
        world, *columns = unpack_keys(np.unique(np.concatenate([np.zeros(0, np.int64), *keys])), radices)
        rows = Bindings(world, dict(zip(free, columns, strict=True)))
        relation = self._relations.add([self._kinds[name] for name in free], rows)
        return Atom(relation, tuple(Variable(name) for name in free))

    def _instances(
        self,
        names: Sequence[str],
        part: Formula,
        shifted: frozenset[ShiftedVariable],
        within: Callable[[tuple[Formula, ...]], Formula],
    ) -> tuple[Formula, ...]:
        ranges = [self._domains.names.get(self._kinds[name], ()) for name in names]
        number = prod(len(each) for each in ranges)
        atoms = number * sum(1 for _ in islice(iter_atoms(part), MAX_INSTANCE_ATOMS))
        if number > MAX_INSTANCES or atoms > MAX_INSTANCE_ATOMS:
            listed = ", ".join(name.split("'")[0] for name in names)
            raise TelosError(
                f"the part quantified over {listed} would have {number:.1e} instances with {atoms:.1e} atoms, and "
                f"{MAX_INSTANCES} with {MAX_INSTANCE_ATOMS:,} are the most if some are hidden",
                f"leave {listed} free, or narrow the type with fewer constants",
            )
        found = []
        for constants in product(*ranges):
            bound = dict(zip(names, constants, strict=True))
            moved = self._shift_constants(bound, shifted)
            if moved is not None:
                instance = map_terms(part, lambda term, moved=moved: _replace_constant(term, moved))  # type: ignore[misc]
                guards = self._guards(bound, moved)
                found.append(within((*guards, instance)) if guards else instance)
        return tuple(found)

    def _shift_constants(
        self, bound: Mapping[str, str], shifted: Iterable[ShiftedVariable]
    ) -> dict[tuple[str, int], str] | None:
        """Return constants for variables and shifted terms, or None if one does not exist."""
        moved = {(name, 0): constant for name, constant in bound.items()}
        for name, shift in shifted:
            kind = self._kinds[name]
            code = int(self._domains.shift(kind, shift)[self._domains.code(kind, bound[name])])
            if code < 0:
                return None
            moved[name, shift] = self._domains.names[kind][code]
        return moved

    def _guards(self, bound: Mapping[str, str], moved: Mapping[tuple[str, int], str]) -> tuple[Formula, ...]:
        """Return atoms that say that the constants exist, unless they exist in every world."""
        guards = []
        for (name, shift), constant in moved.items():
            kind = self._kinds[name]
            if not self._domains.exists_everywhere(kind) and (shift or name not in self._chosen):
                guards.append(Atom(self._relations.existence_relation(kind), (Constant(constant),)))
        return tuple(guards)


def find_shifted(formulas: Iterable[Formula], kinds: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Return the terms like ``t-1`` of these variables, as names and shifts."""
    return frozenset(
        (term.name, term.shift)
        for formula in formulas
        for term in iter_terms(formula)
        if isinstance(term, Variable) and term.shift and term.name in kinds
    )


def _replace_constant(term: Term, moved: Mapping[tuple[str, int], str]) -> Term:
    if isinstance(term, Variable) and (term.name, term.shift) in moved:
        return Constant(moved[term.name, term.shift])
    return term


# --- joins with evidence ----------------------------------------------------------------------------------------------


def find_variables(leaf: Leaf) -> tuple[str, ...]:
    """Return the distinct variables of an atom or equation."""
    terms = leaf.arguments if isinstance(leaf, Atom) else (leaf.left, leaf.right)
    return tuple(dict.fromkeys(term.name for term in terms if isinstance(term, Variable)))


def _equated_variables(literals: Iterable[Literal]) -> set[str]:
    """Return the variables of equations that must hold: one side binds the other."""
    return {name for leaf, value in literals if value and isinstance(leaf, Equal) for name in find_variables(leaf)}


class EvidenceJoin:
    """Binds all variables of a scope so that literals hold; ``allow`` is called with sizes before rows are made."""

    def __init__(self, relations: Relations, scope: RuleScope, allow: Callable[[float, int], None]) -> None:
        self._relations, self._domains, self._scope, self._allow = relations, relations.domains, scope, allow
        self._radices = {name: self._domains.size(kind) for name, kind in scope.kinds.items()}

    def bind(self, literals: Iterable[Literal]) -> Bindings:
        """Return the bindings for which all literals hold."""
        literals = tuple(literals)
        joins = {leaf: self._relations.rows(leaf) for leaf, value in literals if value and isinstance(leaf, Atom)}
        filters = [(leaf, value) for leaf, value in literals if leaf not in joins]
        unbound = (
            set(self._scope.kinds)
            - {name for rows in joins.values() for name in rows.columns}
            - _equated_variables(filters)
        )
        checks = set(self._scope.shifted)
        checks |= {(name, 0) for name, _ in self._scope.shifted if name not in self._scope.chosen}
        world = np.arange(self._domains.worlds, dtype=np.int32)
        rows = Bindings(world, {})
        while joins:
            leaf = self._choose_next(joins, rows)
            found = joins.pop(leaf)
            checks -= {(term.name, term.shift) for term in leaf.arguments if isinstance(term, Variable)}
            rows = self._join(rows, leaf, found, () if joins else unbound)
            rows = self._filter(rows, filters, checks)
        for name in sorted(self._scope.kinds):
            if name not in rows.columns:
                checks.discard((name, 0))
                rows = self._filter(self._bind_range(rows, name, filters), filters, checks)
        return self._filter(rows, filters, checks)

    def _choose_next(self, joins: Mapping[Atom, Bindings], rows: Bindings) -> Atom:
        """Choose the next join: first one that only filters, then a connected one, smallest first."""

        def effort(leaf: Atom) -> tuple[bool, bool, int]:
            names = joins[leaf].columns.keys()
            connected = not rows.columns or bool(names & rows.columns.keys())
            return not names <= rows.columns.keys(), not connected, len(joins[leaf])

        return min(joins, key=effort)

    def _join(self, rows: Bindings, leaf: Atom, found: Bindings, unbound: Iterable[str]) -> Bindings:
        if not found.columns.keys() - rows.columns.keys() and (rows.columns or not leaf.arguments):
            return rows.keep(self._relations.holds(leaf, rows, self._scope.kinds))
        width = len({**rows.columns, **found.columns})
        later = 1.0
        for name in unbound:
            later *= max(1.0, self._range(name))
        return join_bindings(
            rows, found, self._radices, self._domains.worlds, lambda total: self._allow(total * later, width)
        )

    def _range(self, name: str) -> float:
        kind = self._scope.kinds[name]
        if name in self._scope.chosen:
            return float(self._domains.size(kind))
        return len(self._domains.existing(kind)[0]) / max(self._domains.worlds, 1)

    def _bind_range(self, rows: Bindings, name: str, filters: list[Literal]) -> Bindings:
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
        world, code = self._domains.all_constants(kind) if name in self._scope.chosen else self._domains.existing(kind)
        later = set(self._scope.kinds) - set(rows.columns) - _equated_variables(filters)
        width = len(rows.columns) + 1
        self._allow(self._forecast(rows, later | {name}), width)
        domain = Bindings(world, {name: code})
        if not rows.columns and len(rows) == self._domains.worlds:
            return domain
        return join_bindings(rows, domain, self._radices, self._domains.worlds, lambda total: self._allow(total, width))

    def _forecast(self, rows: Bindings, names: Iterable[str]) -> float:
        """Return the number of rows once these variables range over their types."""
        weight = np.bincount(rows.world, minlength=self._domains.worlds).astype(np.float64)
        for name in names:
            kind = self._scope.kinds[name]
            weight *= self._domains.size(kind) if name in self._scope.chosen else self._domains.counts(kind)
        return float(weight.sum())

    def _within(self, name: str, rows: Bindings) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        kind, column = self._scope.kinds[name], rows.columns[name]
        if name in self._scope.chosen:
            inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = column >= 0
            return inside
        return self._domains.exists(kind, rows.world, column)

    def _filter(self, rows: Bindings, filters: list[Literal], checks: set[ShiftedVariable]) -> Bindings:
        """Drop the rows that break a literal or refer to a missing number, as early as possible."""
        for leaf, value in [each for each in filters if set(find_variables(each[0])) <= rows.columns.keys()]:
            filters.remove((leaf, value))
            rows = rows.keep(self._relations.holds(leaf, rows, self._scope.kinds) == value)
        for name, shift in [each for each in checks if each[0] in rows.columns]:
            checks.discard((name, shift))
            kind = self._scope.kinds[name]
            column = self._relations.column(Variable(name, shift), rows, kind)
            rows = rows.keep(self._domains.exists(kind, rows.world, column))
        return rows
