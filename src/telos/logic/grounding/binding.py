"""Joining evidence: the bindings of a rule's variables in one case of its evidence, found without loops over rows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from telos.logic.formulas import Atom, Constant, Equal, Variable
from telos.logic.grounding.relations import Relations
from telos.logic.grounding.residual import Leaf, Literal
from telos.logic.grounding.tables import Rows, join

Shifted = tuple[str, int]  # a variable and how far its term lies from it


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables of a formula: types, those that range over the constants of all worlds, and its ``t-1`` terms."""

    kinds: Mapping[str, str]
    chosen: frozenset[str]
    shifted: frozenset[Shifted]


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
