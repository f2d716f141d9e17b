"""Open formulas as factors: groups of ground formulas with the same open part, and their tables or clauses.

``Opener`` groups the bindings of a rule; ``table``, ``long_clauses`` and ``wide`` encode the open formula of a group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from telos.logic.formulas import (
    And,
    Atom,
    Constant,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Term,
    Variable,
    atoms,
    normal,
)
from telos.logic.grounding.atoms import Family, Relations
from telos.logic.grounding.bindings import LARGEST_KEY, Rows, distinct, packed, unpacked
from telos.logic.grounding.rewrite import Leaf, fold, negation
from telos.logic.grounding.rules import Prepared
from telos.logic.network import Bools, Floats, Longs

Truths = NDArray[np.bool_]
Literals = tuple[tuple[int, int, bool], ...]  # slot, value, negated

MOST_CELLS = 1 << 12  # of one table
MOST_ENTRIES = 1 << 24  # of one table with all choices of its ``+`` variables
MOST_DISJUNCTIONS = 3
MOST_WIDE_CELLS = 256  # of the small table
MOST_CLAUSES = 10_000  # of one hard formula
LONG = 3  # literals side by side that are taken as one
MOST_BITS = 30  # that join a pattern before it is numbered anew, so that it never outgrows 64 bits


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an atom finds its truth: a variable of the factor, and the terms of its block places, if it is a block."""

    slot: int
    terms: tuple[Term, ...]
    radices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """An open formula with all that its truth depends on.

    ``sizes`` are those of the variables of the factor; ``spots`` says where each atom looks. ``choices`` and
    ``ranges`` are the variables that run over values, the first ``plus`` of them with a weight for each. ``codes``
    holds the codes of the other terms in block places and of constants in equations.
    """

    formula: Formula
    sizes: tuple[int, ...]
    spots: Mapping[Atom, Spot]
    choices: tuple[str, ...]
    ranges: tuple[int, ...]
    plus: int
    codes: Mapping[Term, int]

    @property
    def is_small(self) -> bool:
        """Whether a table of it is worth making."""
        return prod(self.sizes) <= MOST_CELLS and prod(self.sizes) * prod(self.ranges) <= MOST_ENTRIES


# --- groups -----------------------------------------------------------------------------------------------------------


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
        if prod(self._families[slot.predicate].size for slot in slots) > MOST_CELLS:
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


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """How many ground formulas hold in each cell, for each choice of ``+`` constants; ``live`` choices have any."""

    holds: Floats  # (cells, choices)
    live: Truths  # (choices,)
    formulas: int


def table(open_part: Open) -> Table:
    """Return the table of an open formula, without the ground formulas that equations alone decide."""
    truth = np.broadcast_to(truth_over(open_part.formula, open_part), (*open_part.sizes, *open_part.ranges))
    can_hold, can_fail = possible(open_part.formula, open_part)
    undecided = np.broadcast_to(can_hold & can_fail, open_part.ranges)
    cells, choices = prod(open_part.sizes), prod(open_part.ranges[: open_part.plus])
    counted = (truth & undecided).reshape(cells, choices, -1).sum(axis=2)
    per_choice = undecided.reshape(choices, -1).sum(axis=1)
    return Table(counted.astype(np.float64), per_choice > 0, int(per_choice.sum()))


def truth_over(formula: Formula, part: Open) -> Truths:
    """Return the truth of a formula over all values of its variables and choices, one axis each."""
    match formula:
        case Atom():
            spot = part.spots[formula]
            wanted = _value(spot, part) if spot.terms else np.ones(1, np.int64)
            values = _axis(np.arange(part.sizes[spot.slot]), spot.slot, part)
            return np.asarray(values == wanted)
        case Equal(left, right):
            return np.asarray(_code(left, part) == _code(right, part))
        case Not(inner):
            return ~truth_over(inner, part)
        case And(parts):
            return _combined(np.logical_and, [truth_over(each, part) for each in parts])
        case Or(parts):
            return _combined(np.logical_or, [truth_over(each, part) for each in parts])
        case Implies(premise, conclusion):
            return ~truth_over(premise, part) | truth_over(conclusion, part)
        case Iff(left, right):
            return np.asarray(truth_over(left, part) == truth_over(right, part))
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _combined(operation: np.ufunc, arrays: Sequence[Truths]) -> Truths:
    result = arrays[0]
    for array in arrays[1:]:
        result = operation(result, array)
    return result


def possible(formula: Formula, part: Open) -> tuple[Truths, Truths]:
    """Return for each choice whether a formula can be true, and whether it can be false, whatever hidden atoms are."""
    match formula:
        case Atom():
            return np.ones((), np.bool_), np.ones((), np.bool_)
        case Equal():
            truth = truth_over(formula, part)
            truth = truth.reshape(truth.shape[len(part.sizes) :])
            return truth, ~truth
        case Not(inner):
            holds, fails = possible(inner, part)
            return fails, holds
        case And(parts):
            both = [possible(each, part) for each in parts]
            return _combined(np.logical_and, [one for one, _ in both]), _combined(
                np.logical_or, [two for _, two in both]
            )
        case Or(parts):
            fails, holds = possible(And(tuple(Not(each) for each in parts)), part)
            return holds, fails
        case Implies(premise, conclusion):
            return possible(Or((Not(premise), conclusion)), part)
        case Iff(left, right):
            (a, not_a), (b, not_b) = possible(left, part), possible(right, part)
            return (a & b) | (not_a & not_b), (a & not_b) | (not_a & b)
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _axis(values: NDArray[np.int64], axis: int, part: Open) -> NDArray[np.int64]:
    shape = [1] * (len(part.sizes) + len(part.ranges))
    shape[axis] = len(values)
    return values.reshape(shape)


def _code(term: Term, part: Open) -> NDArray[np.int64]:
    if isinstance(term, Variable) and term.name in part.choices:
        place = part.choices.index(term.name)
        return _axis(np.arange(part.ranges[place]), len(part.sizes) + place, part)
    return np.full([1] * (len(part.sizes) + len(part.ranges)), part.codes[term], np.int64)


def _value(spot: Spot, part: Open) -> NDArray[np.int64]:
    """Return the value of a block that the terms of an atom name."""
    value = _code(spot.terms[0], part)
    for term, radix in zip(spot.terms[1:], spot.radices[1:], strict=True):
        value = value * radix + _code(term, part)
    return value


# --- clauses ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Long:
    """A ground disjunction: its literals as (slot, value, negated), and which choice of ``+`` constants it is for.

    ``sign`` is -1 if the ground formula is the negation of the disjunction.
    """

    literals: Literals
    choice: int
    sign: float


def long_clauses(part: Open, hard: bool) -> tuple[Long, ...] | None:
    """Return an open formula as clauses, or None if it is no (negated) disjunction of literals."""
    found: list[Long] = []
    for number, values in enumerate(product(*(range(size) for size in part.ranges))):
        codes: dict[Term, int] = dict(part.codes)
        codes |= {Variable(name): value for name, value in zip(part.choices, values, strict=True)}
        left = _chosen(part.formula, codes)
        if isinstance(left, bool):
            continue
        choice = number // max(prod(part.ranges[part.plus :]), 1)
        clauses = list(_clauses(left, part.spots, codes, hard))
        if None in clauses:
            return None
        found += [Long(clause[0], choice, clause[1]) for clause in clauses if clause is not None]
    return tuple(found)


def _chosen(formula: Formula, codes: Mapping[Term, int]) -> Formula | bool:
    """Return a formula with its equations decided."""
    return fold(
        formula, {leaf: codes[leaf.left] == codes[leaf.right] for leaf in atoms(formula) if isinstance(leaf, Equal)}
    )


def _clauses(
    formula: Formula, spots: Mapping[Atom, Spot], codes: Mapping[Term, int], hard: bool
) -> Iterator[tuple[Literals, float] | None]:
    plain = normal(formula)
    if isinstance(plain, And) and hard:
        for each in plain.parts:
            yield from _clauses(each, spots, codes, hard)
        return
    sign = -1.0 if isinstance(plain, And) else 1.0
    if sign < 0:
        opposite = negation(plain)
        assert not isinstance(opposite, bool)
        plain = opposite
    literals = []
    for each in plain.parts if isinstance(plain, Or) else (plain,):
        atom = each.part if isinstance(each, Not) else each
        if not isinstance(atom, Atom):
            yield None
            return
        spot = spots[atom]
        literals.append((spot.slot, value_in(spot, codes), isinstance(each, Not)))
    yield tuple(dict.fromkeys(literals)), sign


def value_in(spot: Spot, codes: Mapping[Term, int]) -> int:
    """Return the value of a variable that an atom speaks of."""
    if not spot.terms:
        return 1
    value = 0
    for term, radix in zip(spot.terms, spot.radices, strict=True):
        value = value * radix + codes[term]
    return value


# --- clauses and a table ----------------------------------------------------------------------------------------------
# ``(S1 v … v S100) => A`` has one long disjunction C and one more atom. Such a formula is a function of A and C, so its
# truth is ``g(A) + h(A) * [C fails]``, and ``[A is a and C fails]`` is the negation of a clause. The clauses and the
# table together count the formula exactly once in every world where it holds.


@dataclass(frozen=True, slots=True)
class Wide:
    """Clauses, and a table over some of the variables of a factor: ``slots`` says which. Hard ones need no table."""

    clauses: tuple[Long, ...]
    slots: tuple[int, ...]
    table: Table | None


def wide(part: Open, hard: bool) -> Wide | None:
    """Return a wide formula as clauses and a table, or None if it has too many parts for that."""
    reduced, disjunctions, few = _apart(part.formula)
    slots = tuple(sorted({part.spots[atom].slot for atom in few}))
    if len(disjunctions) > MOST_DISJUNCTIONS or prod(part.sizes[slot] for slot in slots) > MOST_WIDE_CELLS:
        return None
    spots = {atom: replace(part.spots[atom], slot=slots.index(part.spots[atom].slot)) for atom in few}
    small = replace(part, formula=reduced, sizes=tuple(part.sizes[slot] for slot in slots), spots=spots)
    truths = _truths(small, part.formula, tuple(disjunctions))
    forms = [_Disjunction(parts, part.spots) for parts in disjunctions.values()]
    return _hard(truths, forms, slots, small) if hard else _soft(truths, forms, slots, small, part)


def narrow_atoms(formula: Formula) -> tuple[Atom, ...]:
    """Return the atoms of a formula that stand outside of long rows of literals."""
    return _apart(formula)[2]


def _apart(formula: Formula) -> tuple[Formula, dict[Atom, tuple[Formula, ...]], tuple[Atom, ...]]:
    """Return a formula with atoms in place of long disjunctions, those disjunctions, and the other atoms."""
    found: dict[Atom, tuple[Formula, ...]] = {}
    reduced = _reduced(normal(formula), found)
    few = [leaf for leaf in dict.fromkeys(atoms(reduced)) if isinstance(leaf, Atom) and leaf not in found]
    return reduced, found, tuple(few)


def _reduced(formula: Formula, found: dict[Atom, tuple[Formula, ...]]) -> Formula:
    """Return a formula with an atom in place of each long row of literals; ``found`` gains the disjunctions."""
    match formula:
        case Not(inner):
            return Not(_reduced(inner, found))
        case Iff(left, right):
            return Iff(_reduced(normal(left), found), _reduced(normal(right), found))
        case And(parts) | Or(parts):
            is_and = isinstance(formula, And)
            literals = [each for each in parts if _is_literal(each)]
            rest = [_reduced(each, found) for each in parts if not _is_literal(each)]
            if len(literals) >= LONG:
                stand_in = Atom("disjunction", (Variable(str(len(found))),))
                found[stand_in] = tuple(normal(Not(each)) for each in literals) if is_and else tuple(literals)
                literals = [Not(stand_in) if is_and else stand_in]
            return And((*literals, *rest)) if is_and else Or((*literals, *rest))
    return formula


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula, Atom) or (isinstance(formula, Not) and isinstance(formula.part, Atom))


def _truths(small: Open, formula: Formula, disjunctions: Sequence[Atom]) -> dict[tuple[bool, ...], Longs]:
    """Return, for all truth values of the disjunctions, where the formula holds: (values…, number of the choice).

    What equations alone decide is nowhere counted: it is marked -1.
    """
    shape = (*small.sizes, *small.ranges)
    can_hold, can_fail = possible(formula, small)
    undecided = np.broadcast_to(can_hold & can_fail, small.ranges)
    found = {}
    for values in product((True, False), repeat=len(disjunctions)):
        left = fold(small.formula, dict(zip(disjunctions, values, strict=True)))
        holds = np.full((), left) if isinstance(left, bool) else truth_over(left, small)
        marked = np.where(undecided, np.broadcast_to(holds, shape), -1).astype(np.int64)
        found[values] = marked.reshape((*small.sizes, -1))
    return found


class _Disjunction:
    """A long disjunction, whose literals may depend on the choice."""

    def __init__(self, parts: Sequence[Formula], spots: Mapping[Atom, Spot]) -> None:
        self._literals = [(spots[_atom(each)], isinstance(each, Not)) for each in parts]

    def literals(self, codes: Mapping[Term, int]) -> Literals:
        return tuple((spot.slot, value_in(spot, codes), negated) for spot, negated in self._literals)


def _atom(literal: Formula) -> Atom:
    atom = literal.part if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    return atom


def _each_choice(small: Open) -> Iterator[tuple[int, int, dict[Term, int]]]:
    """Give every choice: its number, the number of its ``+`` part, and the codes of all terms."""
    plain = max(prod(small.ranges[small.plus :]), 1)
    for number, values in enumerate(product(*map(range, small.ranges))):
        codes: dict[Term, int] = dict(small.codes)
        codes |= {Variable(name): value for name, value in zip(small.choices, values, strict=True)}
        yield number, number // plain, codes


def _unless(cell: Sequence[int], slots: Sequence[int]) -> Literals:
    """Return the literals of which one holds outside of a cell."""
    return tuple((slot, value, True) for slot, value in zip(slots, cell, strict=True))


def _soft(
    truths: Mapping[tuple[bool, ...], Longs],
    forms: Sequence[_Disjunction],
    slots: tuple[int, ...],
    small: Open,
    part: Open,
) -> Wide:
    cells = list(product(*map(range, small.sizes)))
    counts = np.zeros((*small.sizes, max(prod(small.ranges[: small.plus]), 1)))
    clauses: list[Long] = []
    for number, choice, codes in _each_choice(small):
        literals = [form.literals(codes) for form in forms]
        for failing in product((False, True), repeat=len(forms)):
            share = _share(truths, failing, number, small)
            if not any(failing):
                counts[..., choice] += share
                continue
            long = tuple(each for some, fails in zip(literals, failing, strict=True) if fails for each in some)
            for cell in cells:
                times = int(share[cell])
                clauses += [Long((*_unless(cell, slots), *long), choice, -1.0 if times > 0 else 1.0)] * abs(times)
                counts[..., choice] += min(times, 0)  # less [fails] is [holds] less 1
    if not slots:  # a table needs a variable, even one that does not matter
        slots = (0,)
        counts = np.broadcast_to(counts, (part.sizes[0], counts.shape[-1]))
    live = np.asarray(next(iter(truths.values())) >= 0, np.bool_).any(axis=tuple(range(len(small.sizes))))
    per_choice = live.reshape(counts.shape[-1], -1).sum(axis=1)
    made = Table(counts.reshape(-1, counts.shape[-1]).copy(), per_choice > 0, int(per_choice.sum()))
    return Wide(tuple(clauses), slots, made)


def _share(truths: Mapping[tuple[bool, ...], Longs], failing: tuple[bool, ...], number: int, small: Open) -> Longs:
    """Return what it adds, cell by cell, that these disjunctions fail: the alternating sum over smaller sets."""
    total = np.zeros(small.sizes, np.int64)
    for some in product(*((False, True) if fails else (False,) for fails in failing)):
        here = truths[tuple(not fails for fails in some)][..., number]
        total = total + (-1) ** (sum(failing) - sum(some)) * np.maximum(here, 0)
    return total


def _hard(
    truths: Mapping[tuple[bool, ...], Longs], forms: Sequence[_Disjunction], slots: tuple[int, ...], small: Open
) -> Wide | None:
    clauses: list[Long] = []
    for number, choice, codes in _each_choice(small):
        literals = [form.literals(codes) for form in forms]
        for holding, truth in truths.items():
            ways: list[tuple[Literals, ...]] = []
            for each, holds in zip(literals, holding, strict=True):
                ways.append(tuple(((s, v, not n),) for s, v, n in each) if holds else (each,))
            for cell in np.argwhere(truth[..., number] == 0).tolist():
                if len(clauses) + prod(len(way) for way in ways) > MOST_CLAUSES:
                    return None
                for way in product(*ways):
                    clauses.append(Long((*_unless(cell, slots), *(each for some in way for each in some)), choice, 1.0))
    return Wide(tuple(clauses), (), None)
