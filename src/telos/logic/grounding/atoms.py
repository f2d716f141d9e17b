"""Constants, evidence relations and hidden atoms: the codes, rows and variables that grounding works with.

``Domains`` has the constants of each type, ``Relations`` the evidence, ``HiddenPredicate`` the variables of a hidden
predicate. ``find_blocks`` and ``find_given`` complete them; ``read_truth`` reads the values to learn from.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.logic.database import Database, FactTable
from telos.logic.formulas import (
    Atom,
    Constant,
    Equal,
    Exists,
    ForAll,
    Formula,
    Not,
    Or,
    Term,
    Variable,
    iter_atoms,
    to_nnf,
)
from telos.logic.grounding.bindings import Bindings, KeyIndex, KeySet, join_bindings, pack_keys, unpack_keys
from telos.logic.model import MarkovLogic
from telos.logic.network import AtomNames, Bools, Factors, Ints, Longs, Network

MAX_EXISTING = 50_000_000  # constants of one type that a model names, times the worlds
BlockPlace = tuple[str, int]  # a predicate and one of its arguments


# --- constants --------------------------------------------------------------------------------------------------------


class Domains:
    """The constants of every type.

    Codes are those of the database; constants that only the model names follow them. A constant exists in the worlds
    that mention it, and in all worlds if the model names it.
    """

    def __init__(self, model: MarkovLogic, database: Database, named: Iterable[tuple[str, str]] = ()) -> None:
        self.worlds = len(database.worlds)
        declared: dict[str, dict[str, None]] = {kind: dict.fromkeys(names) for kind, names in model.constants.items()}
        for kind, name in named:
            declared.setdefault(kind, {})[name] = None
        self.names: dict[str, tuple[str, ...]] = {}
        for kind in {**database.constants, **declared}:
            self.names[kind] = tuple(dict.fromkeys((*database.constants.get(kind, ()), *declared.get(kind, ()))))
        self.codes: dict[str, Mapping[str, int]] = {
            kind: {name: code for code, name in enumerate(names)} for kind, names in self.names.items()
        }
        self._declared = {kind: [self.codes[kind][name] for name in names] for kind, names in declared.items()}
        self._present = {kind: rows for kind, rows in database.present.items() if kind in database.constants}
        self._existing_rows: dict[str, tuple[Ints, Ints]] = {}
        self._lookup: dict[str, KeySet] = {}
        self._shifts: dict[tuple[str, int], Ints] = {}

    def size(self, kind: str) -> int:
        """Return the number of constants of a type in all worlds together."""
        return len(self.names.get(kind, ()))

    def code(self, kind: str, name: str) -> int:
        """Return the code of a constant, or -1 if the type has no such constant."""
        return self.codes.get(kind, {}).get(name, -1)

    def all_constants(self, kind: str) -> tuple[Ints, Ints]:
        """Return every constant in every world: the range of a block's own argument."""
        size = self.size(kind)
        world = np.repeat(np.arange(self.worlds, dtype=np.int32), size)
        return world, np.tile(np.arange(size, dtype=np.int32), self.worlds)

    def existing(self, kind: str) -> tuple[Ints, Ints]:
        """Return the existing constants as (worlds, codes)."""
        if kind not in self._existing_rows:
            named = len(self._declared.get(kind, ())) if kind in self._present else self.size(kind)
            if self.worlds * named > MAX_EXISTING:
                raise TelosError(
                    f"{named:,} constants of type {kind} in {self.worlds:,} worlds are more than {MAX_EXISTING:,}",
                    "declare fewer constants, or use fewer worlds at once",
                )
            self._existing_rows[kind] = self._find_existing(kind)
        return self._existing_rows[kind]

    def _find_existing(self, kind: str) -> tuple[Ints, Ints]:
        if kind not in self._present:
            return self.all_constants(kind)
        size, rows = self.size(kind), self._present[kind].astype(np.int64)
        declared = np.asarray(self._declared.get(kind, []), np.int64)
        added = (np.arange(self.worlds, dtype=np.int64)[:, None] * size + declared).ravel()
        keys = np.unique(np.concatenate([rows[:, 0] * size + rows[:, 1], added]))
        return (keys // max(size, 1)).astype(np.int32), (keys % max(size, 1)).astype(np.int32)

    def exists_everywhere(self, kind: str) -> bool:
        """Whether all constants of a type exist in all worlds."""
        return len(self.existing(kind)[0]) == self.size(kind) * self.worlds

    def exists(self, kind: str, world: Ints, code: Ints) -> NDArray[np.bool_]:
        """Return for each world and code (-1 for none) whether the constant exists there."""
        if kind not in self._lookup:
            self._lookup[kind] = KeySet(
                pack_keys(self.existing(kind), self._radices(kind)), self.worlds * self.size(kind)
            )
        found = code >= 0
        if not found.all():
            found[found] = self._lookup[kind].contains(pack_keys((world[found], code[found]), self._radices(kind)))
            return found
        return self._lookup[kind].contains(pack_keys((world, code), self._radices(kind)))

    def _radices(self, kind: str) -> tuple[int, int]:
        return self.worlds, self.size(kind)

    def counts(self, kind: str) -> Longs:
        """Return how many constants exist in each world."""
        return np.bincount(self.existing(kind)[0], minlength=self.worlds).astype(np.int64)

    def shift(self, kind: str, by: int) -> Ints:
        """Return for each code the code of the whole number ``by`` away, or -1."""
        if (kind, by) not in self._shifts:
            names = self.names.get(kind, ())
            whole = {int(name): code for code, name in enumerate(names) if _is_whole(name)}
            if names and not whole:
                raise TelosError(
                    f"{names[0]} of type {kind} is not a whole number", "`t-1` needs a type of whole numbers"
                )
            moved = [whole.get(int(name) + by, -1) if _is_whole(name) else -1 for name in names]
            self._shifts[kind, by] = np.asarray(moved, np.int32)
        return self._shifts[kind, by]

    def translation(self, kind: str, other: str) -> Ints:
        """Return for each constant of a type the code of the same name in another type, or -1."""
        return np.asarray([self.code(other, name) for name in self.names.get(kind, ())], np.int32)


def _is_whole(name: str) -> bool:
    return name.isdecimal() or (name[:1] == "-" and name[1:].isdecimal())


# --- evidence relations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Relation:
    """The argument types of a relation, and its rows."""

    kinds: tuple[str, ...]
    world: Ints
    arguments: Ints


def function_relation(function: str) -> str:
    """Return the name of the relation between a function's arguments and its value."""
    return f"{function}="


class Relations:
    """The evidence of a database as relations, by name; atoms of a predicate without facts are false."""

    def __init__(self, model: MarkovLogic, database: Database, domains: Domains) -> None:
        self.domains = domains
        self._kinds = {name: predicate.types for name, predicate in model.predicates.items()}
        self._kinds |= {
            function_relation(name): (*function.types, function.returns) for name, function in model.functions.items()
        }
        tables = {**database.true, **{function_relation(name): facts for name, facts in database.functions.items()}}
        self._facts = {name: self._drop_repeated(name, facts) for name, facts in tables.items()}
        self._lookups: dict[str, KeySet] = {}
        self._sets: dict[str, set[tuple[int, ...]]] = {}

    def _drop_repeated(self, name: str, facts: FactTable) -> tuple[Ints, Ints]:
        """Return the distinct facts."""
        radices = (self.domains.worlds, *(self.domains.size(kind) for kind in self._kinds[name]))
        keys = pack_keys([facts.world, *facts.arguments.T], radices)
        if bool((keys[1:] > keys[:-1]).all()):
            return facts.world, facts.arguments
        first = np.unique(keys, return_index=True)[1]
        return facts.world[first], facts.arguments[first]

    def get(self, name: str) -> Relation:
        kinds = self._kinds[name]
        nothing = (np.zeros(0, np.int32), np.zeros((0, len(kinds)), np.int32))
        return Relation(kinds, *self._facts.get(name, nothing))

    def add(self, kinds: Sequence[str], rows: Bindings) -> str:
        """Store bindings as a new relation and return its name; its arguments are the columns."""
        name = f"derived {len(self._kinds)}"
        columns = [column[:, None] for column in rows.columns.values()]
        empty = np.zeros((len(rows), 0), np.int32)
        self._kinds[name] = tuple(kinds)
        self._facts[name] = (rows.world, np.concatenate([empty, *columns], axis=1))
        return name

    def existence_relation(self, kind: str) -> str:
        """Return the name of the relation of the constants of a type that exist in each world."""
        name = f"exists {kind}"
        if name not in self._kinds:
            world, code = self.domains.existing(kind)
            self._kinds[name] = (kind,)
            self._facts[name] = (world, code[:, None])
        return name

    def rows(self, atom: Atom) -> Bindings:
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
        return Bindings(relation.world, columns).keep(keep)

    def holds(self, leaf: Atom | Equal, rows: Bindings, kinds: Mapping[str, str]) -> Bools:
        """Return for each row whether the evidence makes an atom or equation true."""
        if isinstance(leaf, Equal):
            return self._equal(leaf, rows, kinds)
        relation = self.get(leaf.predicate)
        radices = (self.domains.worlds, *(self.domains.size(kind) for kind in relation.kinds))
        columns = [self.column(term, rows, kind) for term, kind in zip(leaf.arguments, relation.kinds, strict=True)]
        defined = np.ones(len(rows), np.bool_)
        for column in columns:
            defined &= column >= 0
        if leaf.predicate not in self._lookups:
            facts = pack_keys([relation.world, *relation.arguments.T], radices)
            self._lookups[leaf.predicate] = KeySet(facts, prod(radices))
        keys = pack_keys([rows.world, *columns], radices)
        return defined & self._lookups[leaf.predicate].contains(np.where(defined, keys, 0))

    def decide(self, atom: Atom) -> bool | None:
        """Return whether a ground evidence atom is true, or None if there are several worlds."""
        if self.domains.worlds != 1 or atom.predicate not in self._facts:
            return None
        if atom.predicate not in self._sets:
            self._sets[atom.predicate] = {tuple(row) for row in self._facts[atom.predicate][1].tolist()}
        kinds = self._kinds[atom.predicate]
        names = (term.name for term in atom.arguments if isinstance(term, Constant))
        codes = tuple(self.domains.code(kind, name) for kind, name in zip(kinds, names, strict=True))
        return codes in self._sets[atom.predicate]

    def column(self, term: Term, rows: Bindings, kind: str) -> Ints:
        """Return the code of a term in each row, -1 where it is not a constant."""
        if isinstance(term, Constant):
            return np.full(len(rows), self.domains.code(kind, term.name), np.int32)
        assert isinstance(term, Variable), f"{term} should have been replaced by a variable"
        column = rows.columns[term.name]
        return self.domains.shift(kind, term.shift)[column] if term.shift else column

    def _equal(self, leaf: Equal, rows: Bindings, kinds: Mapping[str, str]) -> Bools:
        names = [term.name for term in (leaf.left, leaf.right) if isinstance(term, Variable)]
        mine = kinds[leaf.left.name] if isinstance(leaf.left, Variable) else kinds[names[0]]
        other = kinds[leaf.right.name] if isinstance(leaf.right, Variable) else mine
        left, right = self.column(leaf.left, rows, mine), self.column(leaf.right, rows, other)
        if mine != other:
            left = self.domains.translation(mine, other)[left]
        found: Bools = (left == right) & (left >= 0)
        return found


# --- hidden atoms -----------------------------------------------------------------------------------------------------


class HiddenPredicate:
    """The variables of one hidden predicate, numbered by the key of their world and plain arguments."""

    def __init__(self, name: str, kinds: Sequence[str], blocks: frozenset[int], domains: Domains) -> None:
        self.name, self.kinds, self.blocks, self.domains = name, tuple(kinds), blocks, domains
        self.plain = tuple(place for place in range(len(kinds)) if place not in blocks)
        self.radices = (domains.worlds, *(domains.size(kinds[place]) for place in self.plain))
        self.block_radices = tuple(domains.size(kinds[place]) for place in sorted(blocks))
        self.size = prod(self.block_radices) if blocks else 2
        self.touched: list[Longs] = []
        self.start = 0
        self._index = KeyIndex(np.zeros(0, np.int64), 0)

    def add_all(self, allow: Callable[[float, int], None]) -> None:
        """Make a variable of every atom over the constants of each world."""
        counts = [self.domains.counts(self.kinds[place]).astype(np.float64) for place in self.plain]
        allow(float(np.prod(np.asarray(counts), axis=0).sum()) if counts else 1.0, len(self.plain))
        rows = Bindings(np.arange(self.domains.worlds, dtype=np.int32), {})
        for place in self.plain:
            world, code = self.domains.existing(self.kinds[place])
            rows = join_bindings(rows, Bindings(world, {str(place): code}), {}, self.domains.worlds, lambda total: None)
        self.touched.append(pack_keys([rows.world, *(rows.columns[str(place)] for place in self.plain)], self.radices))

    def number(self, start: int) -> int:
        """Number all touched atoms from ``start`` on, and return the next free number."""
        touched = self.touched or [np.zeros(0, np.int64)]
        keys = touched[0]
        if len(touched) > 1 or not bool((keys[1:] > keys[:-1]).all()):
            keys = _unite_keys(touched, prod(self.radices))
        self.start, self._index = start, KeyIndex(keys, prod(self.radices))
        return start + len(keys)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self._index.keys)

    def variables(self, keys: Longs) -> Ints:
        """Return the variable of each key, -1 for a key that was never touched."""
        places = self._index.find(keys)
        return np.where(places < 0, -1, places + self.start).astype(np.int32) if self.start else places

    def arguments(self) -> tuple[Ints, Ints]:
        """Return world and argument codes of each variable; the first block argument is -1, others -2."""
        world, *columns = unpack_keys(self._index.keys, self.radices)
        rows = np.full((len(world), len(self.kinds)), -2, np.int32)
        for place, column in zip(self.plain, columns, strict=True):
            rows[:, place] = column
        if self.blocks:
            rows[:, min(self.blocks)] = -1
        return world, rows

    def values(self) -> tuple[str, ...]:
        """Return the names of a block's values."""
        ranges = [self.domains.names.get(self.kinds[place], ()) for place in sorted(self.blocks)]
        return tuple(",".join(choice) for choice in product(*ranges)) if self.blocks else ()

    def known(self, facts: FactTable) -> tuple[Ints, Ints]:
        """Return the variables of facts, and the values that the facts give them (1 for a plain atom)."""
        columns = [facts.arguments[:, place] for place in self.plain]
        variables = self.variables(pack_keys([facts.world, *columns], self.radices))
        value = np.ones(len(variables), np.int32)
        if self.blocks:
            marked = [facts.arguments[:, place] for place in sorted(self.blocks)]
            value = pack_keys(marked, self.block_radices).astype(np.int32)
        found = variables >= 0
        return variables[found], value[found]


def _unite_keys(touched: Sequence[Longs], span: int) -> Longs:
    if span <= 1 << 24:
        seen = np.zeros(span, np.bool_)
        for keys in touched:
            seen[keys] = True
        return np.flatnonzero(seen)
    return np.unique(np.concatenate([np.unique(keys) for keys in touched]))


def name_atoms(hidden_predicates: Iterable[HiddenPredicate]) -> AtomNames:
    """Return the names of the variables' atoms."""
    hidden_predicates = list(hidden_predicates)
    start = [0]
    for hidden_predicate in hidden_predicates:
        start.append(start[-1] + len(hidden_predicate))
    return AtomNames(
        tuple(hidden_predicate.name for hidden_predicate in hidden_predicates),
        tuple(start),
        tuple(hidden_predicate.arguments()[1] for hidden_predicate in hidden_predicates),
        tuple(hidden_predicate.values() for hidden_predicate in hidden_predicates),
        tuple(
            tuple(hidden_predicate.domains.names.get(kind, ()) for kind in hidden_predicate.kinds)
            for hidden_predicate in hidden_predicates
        ),
    )


def find_hidden(
    model: MarkovLogic, query: Iterable[str], opened: Iterable[str], closed: Iterable[str]
) -> dict[str, frozenset[int]]:
    """Return the hidden predicates, queried ones first, each with its block arguments.

    The database has no say: a predicate is as hidden on a day without facts of it as on any other.
    """
    declared = [name for name in model.predicates if name in model.opened and name not in set(closed)]
    return {name: model.predicates[name].exactly_one for name in dict.fromkeys((*query, *opened, *declared))}


# --- known values of hidden atoms -------------------------------------------------------------------------------------


def find_given(
    hidden_predicates: Sequence[HiddenPredicate], database: Database, total: int, kept_back: set[str]
) -> tuple[Ints, list[Factors]]:
    """Return the known values of variables, and factors that forbid the values of false block atoms."""
    given = np.full(total, -1, np.int32)
    denied: list[Factors] = []
    for hidden_predicate in hidden_predicates:
        if hidden_predicate.name in kept_back:
            continue
        if hidden_predicate.name in database.false:
            variables, values = hidden_predicate.known(database.false[hidden_predicate.name])
            if hidden_predicate.blocks:
                denied += [
                    _forbid_value(hidden_predicate.size, value, variables[values == value])
                    for value in np.unique(values)
                ]
            else:
                given[variables] = 0
        if hidden_predicate.name in database.true:
            variables, values = hidden_predicate.known(database.true[hidden_predicate.name])
            given[variables] = values
    return given, denied


def _forbid_value(size: int, value: int, variables: Ints) -> Factors:
    holds = (np.arange(size) != value).astype(np.float64)[:, None]
    none = np.full((1, 1), -1, np.int32)
    return Factors(-1, variables[:, None], np.zeros(len(variables), np.int32), none, holds, True, 1)


# --- blocks spelled out by hard rules ---------------------------------------------------------------------------------


def find_blocks(
    hidden: Mapping[str, frozenset[int]], model: MarkovLogic, domains: Domains
) -> dict[str, frozenset[int]]:
    """Return the hidden predicates with the block arguments that hard rules define.

    ``EXIST g P(x,g).`` and ``P(x,g1) ^ !(g1 = g2) => !P(x,g2).`` together mean ``P(x, g!)``, if every world has the
    same constants for ``g``. The rules then forbid nothing, and inference has one variable for each ``x``.
    """
    rules = [_strip_forall(rule.formula) for rule in model.rules if rule.hard]
    some = {place for formula in rules for place in _iter_existence(formula)}
    one = {place for formula in rules for place in _iter_uniqueness(formula)}
    found = dict(hidden)
    for name, place in sorted(some & one):
        if name in found and not found[name] and domains.exists_everywhere(model.predicates[name].types[place]):
            found[name] = frozenset({place})
    return found


def _strip_forall(formula: Formula) -> Formula:
    while isinstance(formula, ForAll):
        formula = formula.part
    return formula


def _iter_existence(formula: Formula) -> Iterator[BlockPlace]:
    """Yield the argument for which a rule demands a value."""
    match formula:
        case Exists((name,), Atom(predicate, arguments)) if _are_distinct(arguments):
            if Variable(name) in arguments:
                yield predicate, arguments.index(Variable(name))


def _iter_uniqueness(formula: Formula) -> Iterator[BlockPlace]:
    """Yield the argument for which a rule forbids two values."""
    plain = to_nnf(formula)
    leaves = list(iter_atoms(plain))
    equations = [leaf for leaf in leaves if isinstance(leaf, Equal)]
    both = [leaf for leaf in leaves if isinstance(leaf, Atom)]
    if not isinstance(plain, Or) or len(equations) != 1 or len(both) != 2 or both[0].predicate != both[1].predicate:
        return
    if set(plain.parts) != {Not(both[0]), Not(both[1]), equations[0]}:
        return
    one, two = both[0].arguments, both[1].arguments
    differ = [place for place in range(len(one)) if one[place] != two[place]]
    if len(differ) == 1 and _are_distinct(one) and _are_distinct(two):
        place = differ[0]
        if {one[place], two[place]} == {equations[0].left, equations[0].right}:
            yield both[0].predicate, place


def _are_distinct(arguments: tuple[object, ...]) -> bool:
    plain = all(isinstance(term, Variable) and not term.shift for term in arguments)
    return plain and len(set(arguments)) == len(arguments)


# --- truth ------------------------------------------------------------------------------------------------------------


def read_truth(network: Network, database: Database) -> Ints:
    """Return the value of each variable in the facts: a plain atom that is not stated is false.

    A block without a stated value has -1.
    """
    truth = np.zeros(len(network.sizes), np.int32)
    names = network.atoms
    for run, predicate in enumerate(names.predicates):
        own = slice(names.start[run], names.start[run + 1])
        blocks = bool(names.values[run])
        if blocks:
            truth[own] = -1
        facts = database.true.get(predicate)
        if facts is None or not len(facts.world) or own.start == own.stop:
            continue
        rows = names.arguments[run]
        plain = np.flatnonzero(rows[0] >= 0)
        radices = (len(database.worlds), *(len(names.constants[run][place]) for place in plain))
        keys = pack_keys([network.world[own], *(rows[:, place] for place in plain)], radices)
        index = KeyIndex(keys, int(np.prod(radices)))
        variable = index.find(pack_keys([facts.world, *(facts.arguments[:, place] for place in plain)], radices))
        marked = np.flatnonzero(rows[0] < 0)
        value = np.ones(len(variable), np.int32)
        if blocks:
            sizes = [len(names.constants[run][place]) for place in marked]
            value = pack_keys([facts.arguments[:, place] for place in marked], sizes).astype(np.int32)
        found = variable >= 0
        truth[own.start + variable[found]] = value[found]
    return truth
