"""What evidence says, as relations: facts, values of functions, and what follows from them under a quantifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from telos.logic.database import Database, Facts
from telos.logic.formulas import Atom, Constant, Equal, Term, Variable
from telos.logic.grounding.domains import Domains
from telos.logic.grounding.keys import Lookup, packed
from telos.logic.grounding.tables import Rows
from telos.logic.model import MarkovLogic
from telos.logic.network import Bools, Ints


@dataclass(frozen=True, slots=True)
class Relation:
    """The argument types of a relation, and its rows."""

    kinds: tuple[str, ...]
    world: Ints
    arguments: Ints


def value_of(function: str) -> str:
    """Return the name of the relation between the arguments of a function and its value."""
    return f"{function}="


class Relations:
    """All evidence of a database, by name; atoms of a predicate without facts are false."""

    def __init__(self, model: MarkovLogic, database: Database, domains: Domains) -> None:
        self.domains = domains
        self._kinds = {name: predicate.types for name, predicate in model.predicates.items()}
        self._kinds |= {
            value_of(name): (*function.types, function.returns) for name, function in model.functions.items()
        }
        said = {**database.true, **{value_of(name): facts for name, facts in database.functions.items()}}
        self._facts = {name: self._once(name, facts) for name, facts in said.items()}
        self._lookups: dict[str, Lookup] = {}
        self._sets: dict[str, set[tuple[int, ...]]] = {}

    def _once(self, name: str, facts: Facts) -> tuple[Ints, Ints]:
        """Return facts without repetition: a fact that is said twice is still one fact."""
        radices = (self.domains.worlds, *(self.domains.size(kind) for kind in self._kinds[name]))
        keys = packed([facts.world, *facts.arguments.T], radices)
        if bool((keys[1:] > keys[:-1]).all()):
            return facts.world, facts.arguments
        first = np.unique(keys, return_index=True)[1]
        return facts.world[first], facts.arguments[first]

    def get(self, name: str) -> Relation:
        """Return a relation by its name."""
        kinds = self._kinds[name]
        nothing = (np.zeros(0, np.int32), np.zeros((0, len(kinds)), np.int32))
        return Relation(kinds, *self._facts.get(name, nothing))

    def add(self, kinds: Sequence[str], rows: Rows) -> str:
        """Keep rows as a new relation and return its name; its arguments are the columns of the rows."""
        name = f"derived {len(self._kinds)}"
        columns = [column[:, None] for column in rows.columns.values()]
        empty = np.zeros((len(rows), 0), np.int32)
        self._kinds[name] = tuple(kinds)
        self._facts[name] = (rows.world, np.concatenate([empty, *columns], axis=1))
        return name

    def existence(self, kind: str) -> str:
        """Return the name of the relation that says which constants of a type exist in a world."""
        name = f"exists {kind}"
        if name not in self._kinds:
            world, code = self.domains.here(kind)
            self._kinds[name] = (kind,)
            self._facts[name] = (world, code[:, None])
        return name

    def rows(self, atom: Atom) -> Rows:
        """Return the bindings of an atom's variables that make it true."""
        relation = self.get(atom.predicate)
        keep = np.ones(len(relation.world), np.bool_)
        columns: dict[str, Ints] = {}
        for place, (term, kind) in enumerate(zip(atom.arguments, relation.kinds, strict=True)):
            column = relation.arguments[:, place]
            if isinstance(term, Constant):
                keep &= column == self.domains.code(kind, term.name)
                continue
            assert isinstance(term, Variable), f"{term} should have been replaced by a variable"
            if term.shift:
                column = self.domains.shift(kind, -term.shift)[column]
                keep &= column >= 0
            if term.name in columns:
                keep &= columns[term.name] == column
            else:
                columns[term.name] = column
        return Rows(relation.world, columns).keep(keep)

    def holds(self, leaf: Atom | Equal, rows: Rows, kinds: Mapping[str, str]) -> Bools:
        """Say of each row whether evidence makes an atom or an equation true."""
        if isinstance(leaf, Equal):
            return self._equal(leaf, rows, kinds)
        relation = self.get(leaf.predicate)
        radices = (self.domains.worlds, *(self.domains.size(kind) for kind in relation.kinds))
        columns = [self.column(term, rows, kind) for term, kind in zip(leaf.arguments, relation.kinds, strict=True)]
        defined = np.ones(len(rows), np.bool_)
        for column in columns:
            defined &= column >= 0
        if leaf.predicate not in self._lookups:
            facts = packed([relation.world, *relation.arguments.T], radices)
            self._lookups[leaf.predicate] = Lookup(facts, prod(radices))
        keys = packed([rows.world, *columns], radices)
        return defined & self._lookups[leaf.predicate].contains(np.where(defined, keys, 0))

    def settled(self, atom: Atom) -> bool | None:
        """Return whether an atom of evidence without variables is true, if there is but one world."""
        if self.domains.worlds != 1 or atom.predicate not in self._facts:
            return None
        if atom.predicate not in self._sets:
            self._sets[atom.predicate] = {tuple(row) for row in self._facts[atom.predicate][1].tolist()}
        kinds = self._kinds[atom.predicate]
        names = (term.name for term in atom.arguments if isinstance(term, Constant))
        codes = tuple(self.domains.code(kind, name) for kind, name in zip(kinds, names, strict=True))
        return codes in self._sets[atom.predicate]

    def column(self, term: Term, rows: Rows, kind: str) -> Ints:
        """Return the codes that a term takes in each row, -1 where it is no constant."""
        if isinstance(term, Constant):
            return np.full(len(rows), self.domains.code(kind, term.name), np.int32)
        assert isinstance(term, Variable), f"{term} should have been replaced by a variable"
        column = rows.columns[term.name]
        return self.domains.shift(kind, term.shift)[column] if term.shift else column

    def _equal(self, leaf: Equal, rows: Rows, kinds: Mapping[str, str]) -> Bools:
        names = [term.name for term in (leaf.left, leaf.right) if isinstance(term, Variable)]
        mine = kinds[leaf.left.name] if isinstance(leaf.left, Variable) else kinds[names[0]]
        other = kinds[leaf.right.name] if isinstance(leaf.right, Variable) else mine
        left, right = self.column(leaf.left, rows, mine), self.column(leaf.right, rows, other)
        if mine != other:
            left = self.domains.translation(mine, other)[left]
        found: Bools = (left == right) & (left >= 0)
        return found
