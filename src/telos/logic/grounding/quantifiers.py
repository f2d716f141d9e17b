"""Formulas without quantifiers: what only evidence decides becomes a relation, the rest is written out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from telos.logic.grounding.binding import Binder, Scope
from telos.logic.grounding.keys import packed, unpacked
from telos.logic.grounding.relations import Relations
from telos.logic.grounding.residual import fold, true_cases
from telos.logic.grounding.tables import Rows
from telos.logic.grounding.terms import parts_changed, rebuilt, terms

MOST_INSTANCES = 5_000  # of a quantified part that has hidden atoms: each is looked at by itself


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
