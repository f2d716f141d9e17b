"""The hidden atoms: which there are, how they are numbered, and what is known of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from telos.logic.database import Database, Facts
from telos.logic.grounding.domains import Domains
from telos.logic.grounding.keys import Places, packed, unpacked
from telos.logic.grounding.tables import Rows, join
from telos.logic.model import MarkovLogic
from telos.logic.network import AtomNames, Ints, Longs


class Family:
    """The variables of one hidden predicate, numbered by the key of their world and plain arguments."""

    def __init__(self, name: str, kinds: Sequence[str], blocks: frozenset[int], domains: Domains) -> None:
        self.name, self.kinds, self.blocks, self.domains = name, tuple(kinds), blocks, domains
        self.plain = tuple(place for place in range(len(kinds)) if place not in blocks)
        self.radices = (domains.worlds, *(domains.size(kinds[place]) for place in self.plain))
        self.block_radices = tuple(domains.size(kinds[place]) for place in sorted(blocks))
        self.size = prod(self.block_radices) if blocks else 2
        self.touched: list[Longs] = []
        self.start = 0
        self._places = Places(np.zeros(0, np.int64), 0)

    def add_all(self, allow: Callable[[float, int], None]) -> None:
        """Make every atom over the constants of each world a variable."""
        counts = [self.domains.counts(self.kinds[place]).astype(np.float64) for place in self.plain]
        allow(float(np.prod(np.asarray(counts), axis=0).sum()) if counts else 1.0, len(self.plain))
        rows = Rows(np.arange(self.domains.worlds, dtype=np.int32), {})
        for place in self.plain:
            world, code = self.domains.here(self.kinds[place])
            rows = join(rows, Rows(world, {str(place): code}), {}, self.domains.worlds, lambda total: None)
        self.touched.append(packed([rows.world, *(rows.columns[str(place)] for place in self.plain)], self.radices))

    def number(self, start: int) -> int:
        """Number all atoms that were touched, from ``start`` on, and return the first number that is left."""
        touched = self.touched or [np.zeros(0, np.int64)]
        keys = touched[0]
        if len(touched) > 1 or not bool((keys[1:] > keys[:-1]).all()):
            keys = _united(touched, prod(self.radices))
        self.start, self._places = start, Places(keys, prod(self.radices))
        return start + len(keys)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self._places.keys)

    def variables(self, keys: Longs) -> Ints:
        """Return the variable of each key, -1 for a key that was never touched."""
        places = self._places.of(keys)
        return np.where(places < 0, -1, places + self.start).astype(np.int32) if self.start else places

    def arguments(self) -> tuple[Ints, Ints]:
        """Return the world and the argument codes of each variable; the first block place holds -1, others -2."""
        world, *columns = unpacked(self._places.keys, self.radices)
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

    def known(self, facts: Facts) -> tuple[Ints, Ints]:
        """Return the variables that facts speak of, and the values that they name (1 for a plain atom)."""
        columns = [facts.arguments[:, place] for place in self.plain]
        variables = self.variables(packed([facts.world, *columns], self.radices))
        value = np.ones(len(variables), np.int32)
        if self.blocks:
            marked = [facts.arguments[:, place] for place in sorted(self.blocks)]
            value = packed(marked, self.block_radices).astype(np.int32)
        found = variables >= 0
        return variables[found], value[found]


def _united(touched: Sequence[Longs], span: int) -> Longs:
    if span <= 1 << 24:
        seen = np.zeros(span, np.bool_)
        for keys in touched:
            seen[keys] = True
        return np.flatnonzero(seen)
    return np.unique(np.concatenate([np.unique(keys) for keys in touched]))


def atom_names(families: Iterable[Family]) -> AtomNames:
    """Return how the variables are called."""
    families = list(families)
    start = [0]
    for family in families:
        start.append(start[-1] + len(family))
    return AtomNames(
        tuple(family.name for family in families),
        tuple(start),
        tuple(family.arguments()[1] for family in families),
        tuple(family.values() for family in families),
        tuple(tuple(family.domains.names.get(kind, ()) for kind in family.kinds) for family in families),
    )


def blocks_of(
    model: MarkovLogic,
    database: Database,
    query: Iterable[str],
    opened: Iterable[str],
    closed: Iterable[str],
) -> Mapping[str, frozenset[int]]:
    """Return the hidden predicates, queried ones first, each with its block places."""
    spoken = {name for said in (database.true, database.false) for name, facts in said.items() if len(facts.world)}
    silent = [name for name in model.predicates if name not in spoken and name not in set(closed)]
    return {name: model.predicates[name].exactly_one for name in dict.fromkeys((*query, *opened, *silent))}
