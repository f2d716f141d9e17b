"""From bindings to factors: rows whose open part has the same form go together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from telos.logic.formulas import Atom, Constant, Equal, Formula, Term, Variable, atoms
from telos.logic.grounding import shapes
from telos.logic.grounding.hidden import Family
from telos.logic.grounding.keys import LARGEST_KEY, distinct, packed, unpacked
from telos.logic.grounding.prepare import Prepared
from telos.logic.grounding.relations import Relations
from telos.logic.grounding.residual import Leaf, fold
from telos.logic.grounding.shapes import Open, Spot
from telos.logic.grounding.tables import Rows
from telos.logic.grounding.wide import narrow_atoms
from telos.logic.network import Bools, Longs

MOST_BITS = 30  # that join a pattern before it is numbered anew, so that it never outgrows 64 bits


@dataclass(frozen=True, slots=True)
class Slot:
    """A hidden variable as the formula names it: a predicate and its plain arguments."""

    predicate: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Ground formulas with the same open part but for the variables: ``scope`` has a predicate and keys for each."""

    rows: Rows
    scope: tuple[tuple[str, Longs], ...]
    open: Open


class Opener:
    """Sorts the rows of one rule by the form of what is open in them."""

    def __init__(
        self, prepared: Prepared, plus: Sequence[str], families: Mapping[str, Family], relations: Relations
    ) -> None:
        self._prepared, self._families, self._relations = prepared, families, relations
        self._domains = relations.domains
        choices = [name for name in plus if name in prepared.choices]
        self._plus = len(choices)
        self._choices = (*choices, *(name for name in prepared.choices if name not in choices))
        self._ranges = tuple(self._domains.size(prepared.kinds[name]) for name in self._choices)

    def groups(self, rows: Rows, formula: Formula, undecided: Sequence[Leaf]) -> Iterator[Group]:
        """Give the groups of some rows; the truth of ``undecided`` evidence is looked up in each row."""
        for some, left in self._decided(rows, formula, undecided):
            for part, codes in self._valued(some, left):
                yield from self._merged(part, left, codes)

    def _decided(self, rows: Rows, formula: Formula, undecided: Sequence[Leaf]) -> Iterator[tuple[Rows, Formula]]:
        if not undecided:
            yield rows, formula
            return
        truths = [self._relations.holds(leaf, rows, self._prepared.scope.kinds) for leaf in undecided]
        for some, pattern in _patterns(truths, len(rows)):
            left = fold(formula, dict(zip(undecided, pattern, strict=True)))
            if not isinstance(left, bool):
                yield rows.take(some), left

    def _valued(self, rows: Rows, formula: Formula) -> Iterator[tuple[Rows, dict[Term, int]]]:
        """Give rows that agree on all terms in block places, with the codes of those terms."""
        fixed: dict[Term, int] = {}
        varied: dict[Term, str] = {}
        for term, kind in self._block_terms(formula):
            if isinstance(term, Constant):
                fixed[term] = self._domains.code(kind, term.name)
            elif isinstance(term, Variable) and term.name not in self._choices:
                varied[term] = kind
        if not varied:
            yield rows, fixed
            return
        radices = [self._domains.size(kind) for kind in varied.values()]
        columns = [self._relations.column(term, rows, kind) for term, kind in varied.items()]
        keys, place = distinct(packed(columns, radices), prod(radices))
        values = np.stack(unpacked(keys, radices), axis=1)
        for number, some in enumerate(_split(place, len(keys))):
            codes = dict(zip(varied, values[number].tolist(), strict=True))
            yield rows.take(some), {**fixed, **codes}

    def _block_terms(self, formula: Formula) -> Iterator[tuple[Term, str]]:
        for leaf in dict.fromkeys(atoms(formula)):
            if isinstance(leaf, Atom):
                family = self._families[leaf.predicate]
                yield from ((leaf.arguments[place], family.kinds[place]) for place in sorted(family.blocks))
            else:
                yield from self._sides(leaf)

    def _sides(self, leaf: Equal) -> Iterator[tuple[Term, str]]:
        kind = next(self._prepared.kinds[term.name] for term in (leaf.left, leaf.right) if isinstance(term, Variable))
        yield leaf.left, kind
        yield leaf.right, kind

    def _merged(self, rows: Rows, formula: Formula, codes: Mapping[Term, int]) -> Iterator[Group]:
        """Give rows in which the same slots are the same variable."""
        slots = list(dict.fromkeys(self._slot(leaf) for leaf in atoms(formula) if isinstance(leaf, Atom)))
        keys = [self._keys(slot, rows) for slot in slots]
        tabled = {self._slot(atom) for atom in self._tabled(formula, slots)}
        pairs = [
            (i, j)
            for i, j in combinations([place for place, slot in enumerate(slots) if slot in tabled], 2)
            if _may_meet(slots[i], slots[j]) and bool((keys[i] == keys[j]).any())
        ]
        for some, pattern in _patterns([keys[i] == keys[j] for i, j in pairs], len(rows)):
            first = list(range(len(slots)))
            for (i, j), same in zip(pairs, pattern, strict=True):
                if same:
                    first[j] = min(first[j], first[i])
            kept = sorted(set(first))
            scope = tuple((slots[i].predicate, keys[i] if some is None else keys[i][some]) for i in kept)
            where = {slot: kept.index(first[i]) for i, slot in enumerate(slots)}
            yield Group(rows.take(some), scope, self._open(formula, scope, where, codes))

    def _tabled(self, formula: Formula, slots: Sequence[Slot]) -> Iterator[Atom]:
        """Give the atoms that a table speaks of: not those of long clauses, which may name a variable twice."""
        if prod(self._families[slot.predicate].size for slot in slots) > shapes.MOST_CELLS:
            yield from narrow_atoms(formula)
        else:
            yield from (leaf for leaf in atoms(formula) if isinstance(leaf, Atom))

    def _open(
        self,
        formula: Formula,
        scope: Sequence[tuple[str, Longs]],
        where: Mapping[Slot, int],
        codes: Mapping[Term, int],
    ) -> Open:
        spots = {}
        for leaf in dict.fromkeys(atoms(formula)):
            if isinstance(leaf, Atom):
                family = self._families[leaf.predicate]
                marked = tuple(leaf.arguments[place] for place in sorted(family.blocks))
                spots[leaf] = Spot(where[self._slot(leaf)], marked, family.block_radices)
        sizes = tuple(self._families[predicate].size for predicate, _ in scope)
        return Open(formula, sizes, spots, self._choices, self._ranges, self._plus, codes)

    def _slot(self, atom: Atom) -> Slot:
        plain = self._families[atom.predicate].plain
        return Slot(atom.predicate, tuple(atom.arguments[place] for place in plain))

    def _keys(self, slot: Slot, rows: Rows) -> Longs:
        family = self._families[slot.predicate]
        columns = [
            self._relations.column(term, rows, family.kinds[place])
            for term, place in zip(slot.terms, family.plain, strict=True)
        ]
        return packed([rows.world, *columns], family.radices)


def _may_meet(one: Slot, two: Slot) -> bool:
    """Whether two slots can be the same variable in some row."""
    if one.predicate != two.predicate:
        return False
    for left, right in zip(one.terms, two.terms, strict=True):
        if isinstance(left, Constant) and isinstance(right, Constant) and left != right:
            return False
        if isinstance(left, Variable) and isinstance(right, Variable) and left.name == right.name and left != right:
            return False
    return True


def _patterns(truths: Sequence[Bools], rows: int) -> Iterator[tuple[Longs | None, tuple[bool, ...]]]:
    """Give the rows that agree on all truths, and those truths; None stands for all rows."""
    if not truths:
        yield None, ()
        return
    keys = np.zeros(rows, np.int64)
    for number, truth in enumerate(truths):
        if number % MOST_BITS == MOST_BITS - 1:
            keys = distinct(keys, LARGEST_KEY)[1].astype(np.int64)
        keys = (keys << 1) | truth
    found, place = distinct(keys, LARGEST_KEY)
    for some in _split(place, len(found)):
        yield some, tuple(bool(truth[some[0]]) for truth in truths)


def _split(place: np.ndarray[tuple[int], np.dtype[np.int32]], parts: int) -> Iterator[Longs]:
    """Give the rows of each part, ascending."""
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=parts))
    yield from np.split(order, ends[:-1]) if parts else ()
