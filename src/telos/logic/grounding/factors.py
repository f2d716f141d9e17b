"""Open formulas as factors: groups of ground formulas with the same open part, and their tables or clauses.

``FormulaGrouper`` groups the bindings of a rule; ``tabulate``, ``to_clause_templates`` and ``decompose`` encode the
open formula of a group.
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
    iter_atoms,
    to_nnf,
)
from telos.logic.grounding.atoms import HiddenPredicate, Relations
from telos.logic.grounding.bindings import MAX_KEY, Bindings, find_distinct, pack_keys, unpack_keys
from telos.logic.grounding.rewrite import Leaf, fold, negate
from telos.logic.grounding.rules import PreparedRule
from telos.logic.network import Bools, Floats, Longs

Truths = NDArray[np.bool_]
Literals = tuple[tuple[int, int, bool], ...]  # slot, value, negated

MAX_TABLE_CELLS = 1 << 12  # of one table
MAX_TABLE_ENTRIES = 1 << 24  # of one table with all choices of its ``+`` variables
MAX_DISJUNCTIONS = 3
MAX_DECOMPOSED_CELLS = 256  # cells of the table beside the clauses
MAX_HARD_CLAUSES = 10_000  # of one hard formula
MIN_LONG_LITERALS = 3  # literals in a row that are handled as one disjunction
MAX_PATTERN_BITS = 30  # bits of a pattern before it is renumbered, so that it fits into 64


@dataclass(frozen=True, slots=True)
class AtomPosition:
    """The variable of the factor that an atom refers to, and the terms that name its value if it is a block."""

    slot: int
    terms: tuple[Term, ...]
    radices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenFormula:
    """An open formula with all that its truth depends on.

    ``sizes`` are those of the variables of the factor; ``positions`` has the variable of each atom. ``choices`` are the
    variables that range over block values, with their ``ranges``; the first ``plus_count`` of them have a weight for
    each value. ``codes`` has the codes of the other terms in block arguments and of constants in equations.
    """

    formula: Formula
    sizes: tuple[int, ...]
    positions: Mapping[Atom, AtomPosition]
    choices: tuple[str, ...]
    ranges: tuple[int, ...]
    plus_count: int
    codes: Mapping[Term, int]

    @property
    def is_small(self) -> bool:
        """Whether the formula fits into one table."""
        return prod(self.sizes) <= MAX_TABLE_CELLS and prod(self.sizes) * prod(self.ranges) <= MAX_TABLE_ENTRIES


# --- groups -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HiddenVariable:
    """A hidden variable as the formula names it: a predicate and its plain arguments."""

    predicate: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class FormulaGroup:
    """Ground formulas with the same open formula; ``scope`` has predicate and keys of each variable."""

    rows: Bindings
    scope: tuple[tuple[str, Longs], ...]
    open: OpenFormula


class FormulaGrouper:
    """Groups the bindings of one rule by their open formula."""

    def __init__(
        self,
        prepared: PreparedRule,
        plus: Sequence[str],
        hidden_predicates: Mapping[str, HiddenPredicate],
        relations: Relations,
    ) -> None:
        self._prepared, self._hidden_predicates, self._relations = prepared, hidden_predicates, relations
        self._domains = relations.domains
        choices = [name for name in plus if name in prepared.choices]
        self._plus = len(choices)
        self._choices = (*choices, *(name for name in prepared.choices if name not in choices))
        self._ranges = tuple(self._domains.size(prepared.kinds[name]) for name in self._choices)

    def groups(self, rows: Bindings, formula: Formula, undecided: Sequence[Leaf]) -> Iterator[FormulaGroup]:
        """Yield the groups of some bindings; the truth of ``undecided`` evidence is looked up row by row."""
        for some, left in self._decide_evidence(rows, formula, undecided):
            for part, codes in self._split_by_values(some, left):
                yield from self._split_by_variables(part, left, codes)

    def _decide_evidence(
        self, rows: Bindings, formula: Formula, undecided: Sequence[Leaf]
    ) -> Iterator[tuple[Bindings, Formula]]:
        if not undecided:
            yield rows, formula
            return
        truths = [self._relations.holds(leaf, rows, self._prepared.scope.kinds) for leaf in undecided]
        for some, pattern in _iter_patterns(truths, len(rows)):
            left = fold(formula, dict(zip(undecided, pattern, strict=True)))
            if not isinstance(left, bool):
                yield rows.take(some), left

    def _split_by_values(self, rows: Bindings, formula: Formula) -> Iterator[tuple[Bindings, dict[Term, int]]]:
        """Yield rows that agree on all terms in block arguments, with the codes of those terms."""
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
        keys, place = find_distinct(pack_keys(columns, radices), prod(radices))
        values = np.stack(unpack_keys(keys, radices), axis=1)
        for number, some in enumerate(_split_rows(place, len(keys))):
            codes = dict(zip(varied, values[number].tolist(), strict=True))
            yield rows.take(some), {**fixed, **codes}

    def _block_terms(self, formula: Formula) -> Iterator[tuple[Term, str]]:
        for leaf in dict.fromkeys(iter_atoms(formula)):
            if isinstance(leaf, Atom):
                hidden_predicate = self._hidden_predicates[leaf.predicate]
                yield from (
                    (leaf.arguments[place], hidden_predicate.kinds[place]) for place in sorted(hidden_predicate.blocks)
                )
            else:
                yield from self._sides(leaf)

    def _sides(self, leaf: Equal) -> Iterator[tuple[Term, str]]:
        kind = next(self._prepared.kinds[term.name] for term in (leaf.left, leaf.right) if isinstance(term, Variable))
        yield leaf.left, kind
        yield leaf.right, kind

    def _split_by_variables(
        self, rows: Bindings, formula: Formula, codes: Mapping[Term, int]
    ) -> Iterator[FormulaGroup]:
        """Yield rows in which the same atoms refer to the same variable."""
        variables = list(dict.fromkeys(self._variable(leaf) for leaf in iter_atoms(formula) if isinstance(leaf, Atom)))
        keys = [self._keys(variable, rows) for variable in variables]
        tabled = {self._variable(atom) for atom in self._iter_table_atoms(formula, variables)}
        pairs = [
            (i, j)
            for i, j in combinations([place for place, variable in enumerate(variables) if variable in tabled], 2)
            if _may_coincide(variables[i], variables[j]) and bool((keys[i] == keys[j]).any())
        ]
        for some, pattern in _iter_patterns([keys[i] == keys[j] for i, j in pairs], len(rows)):
            first = list(range(len(variables)))
            for (i, j), same in zip(pairs, pattern, strict=True):
                if same:
                    first[j] = min(first[j], first[i])
            kept = sorted(set(first))
            scope = tuple((variables[i].predicate, keys[i] if some is None else keys[i][some]) for i in kept)
            where = {variable: kept.index(first[i]) for i, variable in enumerate(variables)}
            yield FormulaGroup(rows.take(some), scope, self._open_formula(formula, scope, where, codes))

    def _iter_table_atoms(self, formula: Formula, variables: Sequence[HiddenVariable]) -> Iterator[Atom]:
        """Yield the atoms that go into a table; long clauses may name a variable twice."""
        if prod(self._hidden_predicates[variable.predicate].size for variable in variables) > MAX_TABLE_CELLS:
            yield from find_table_atoms(formula)
        else:
            yield from (leaf for leaf in iter_atoms(formula) if isinstance(leaf, Atom))

    def _open_formula(
        self,
        formula: Formula,
        scope: Sequence[tuple[str, Longs]],
        where: Mapping[HiddenVariable, int],
        codes: Mapping[Term, int],
    ) -> OpenFormula:
        positions = {}
        for leaf in dict.fromkeys(iter_atoms(formula)):
            if isinstance(leaf, Atom):
                hidden_predicate = self._hidden_predicates[leaf.predicate]
                marked = tuple(leaf.arguments[place] for place in sorted(hidden_predicate.blocks))
                positions[leaf] = AtomPosition(where[self._variable(leaf)], marked, hidden_predicate.block_radices)
        sizes = tuple(self._hidden_predicates[predicate].size for predicate, _ in scope)
        return OpenFormula(formula, sizes, positions, self._choices, self._ranges, self._plus, codes)

    def _variable(self, atom: Atom) -> HiddenVariable:
        plain = self._hidden_predicates[atom.predicate].plain
        return HiddenVariable(atom.predicate, tuple(atom.arguments[place] for place in plain))

    def _keys(self, variable: HiddenVariable, rows: Bindings) -> Longs:
        hidden_predicate = self._hidden_predicates[variable.predicate]
        columns = [
            self._relations.column(term, rows, hidden_predicate.kinds[place])
            for term, place in zip(variable.terms, hidden_predicate.plain, strict=True)
        ]
        return pack_keys([rows.world, *columns], hidden_predicate.radices)


def _may_coincide(one: HiddenVariable, two: HiddenVariable) -> bool:
    """Return whether two hidden variables can be the same in some row."""
    if one.predicate != two.predicate:
        return False
    for left, right in zip(one.terms, two.terms, strict=True):
        if isinstance(left, Constant) and isinstance(right, Constant) and left != right:
            return False
        if isinstance(left, Variable) and isinstance(right, Variable) and left.name == right.name and left != right:
            return False
    return True


def _iter_patterns(truths: Sequence[Bools], rows: int) -> Iterator[tuple[Longs | None, tuple[bool, ...]]]:
    """Yield the rows that agree on all truths, and those truths; None stands for all rows."""
    if not truths:
        yield None, ()
        return
    keys = np.zeros(rows, np.int64)
    for number, truth in enumerate(truths):
        if number % MAX_PATTERN_BITS == MAX_PATTERN_BITS - 1:
            keys = find_distinct(keys, MAX_KEY)[1].astype(np.int64)
        keys = (keys << 1) | truth
    found, place = find_distinct(keys, MAX_KEY)
    for some in _split_rows(place, len(found)):
        yield some, tuple(bool(truth[some[0]]) for truth in truths)


def _split_rows(place: np.ndarray[tuple[int], np.dtype[np.int32]], parts: int) -> Iterator[Longs]:
    """Yield the rows of each part, ascending."""
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=parts))
    yield from np.split(order, ends[:-1]) if parts else ()


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FactorTable:
    """How many ground formulas hold in each cell, by choice of ``+`` constants; ``live`` choices have any."""

    holds: Floats  # (cells, choices)
    live: Truths  # (choices,)
    formulas: int


def tabulate(open_formula: OpenFormula) -> FactorTable:
    """Return the table of an open formula, without ground formulas that equations decide."""
    truth = np.broadcast_to(evaluate(open_formula.formula, open_formula), (*open_formula.sizes, *open_formula.ranges))
    can_hold, can_fail = find_possible(open_formula.formula, open_formula)
    undecided = np.broadcast_to(can_hold & can_fail, open_formula.ranges)
    cells, choices = prod(open_formula.sizes), prod(open_formula.ranges[: open_formula.plus_count])
    counted = (truth & undecided).reshape(cells, choices, -1).sum(axis=2)
    per_choice = undecided.reshape(choices, -1).sum(axis=1)
    return FactorTable(counted.astype(np.float64), per_choice > 0, int(per_choice.sum()))


def evaluate(formula: Formula, open_formula: OpenFormula) -> Truths:
    """Return the truth of a formula over all values of its variables and choices, one axis each."""
    match formula:
        case Atom():
            position = open_formula.positions[formula]
            wanted = _named_value(position, open_formula) if position.terms else np.ones(1, np.int64)
            values = _axis(np.arange(open_formula.sizes[position.slot]), position.slot, open_formula)
            return np.asarray(values == wanted)
        case Equal(left, right):
            return np.asarray(_term_codes(left, open_formula) == _term_codes(right, open_formula))
        case Not(inner):
            return ~evaluate(inner, open_formula)
        case And(parts):
            return _combine(np.logical_and, [evaluate(each, open_formula) for each in parts])
        case Or(parts):
            return _combine(np.logical_or, [evaluate(each, open_formula) for each in parts])
        case Implies(premise, conclusion):
            return ~evaluate(premise, open_formula) | evaluate(conclusion, open_formula)
        case Iff(left, right):
            return np.asarray(evaluate(left, open_formula) == evaluate(right, open_formula))
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _combine(operation: np.ufunc, arrays: Sequence[Truths]) -> Truths:
    result = arrays[0]
    for array in arrays[1:]:
        result = operation(result, array)
    return result


def find_possible(formula: Formula, open_formula: OpenFormula) -> tuple[Truths, Truths]:
    """Return for each choice whether some values of the hidden atoms make a formula true, and false."""
    match formula:
        case Atom():
            return np.ones((), np.bool_), np.ones((), np.bool_)
        case Equal():
            truth = evaluate(formula, open_formula)
            truth = truth.reshape(truth.shape[len(open_formula.sizes) :])
            return truth, ~truth
        case Not(inner):
            holds, fails = find_possible(inner, open_formula)
            return fails, holds
        case And(parts):
            both = [find_possible(each, open_formula) for each in parts]
            return _combine(np.logical_and, [one for one, _ in both]), _combine(np.logical_or, [two for _, two in both])
        case Or(parts):
            fails, holds = find_possible(And(tuple(Not(each) for each in parts)), open_formula)
            return holds, fails
        case Implies(premise, conclusion):
            return find_possible(Or((Not(premise), conclusion)), open_formula)
        case Iff(left, right):
            (a, not_a), (b, not_b) = find_possible(left, open_formula), find_possible(right, open_formula)
            return (a & b) | (not_a & not_b), (a & not_b) | (not_a & b)
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _axis(values: NDArray[np.int64], axis: int, open_formula: OpenFormula) -> NDArray[np.int64]:
    shape = [1] * (len(open_formula.sizes) + len(open_formula.ranges))
    shape[axis] = len(values)
    return values.reshape(shape)


def _term_codes(term: Term, open_formula: OpenFormula) -> NDArray[np.int64]:
    if isinstance(term, Variable) and term.name in open_formula.choices:
        place = open_formula.choices.index(term.name)
        return _axis(np.arange(open_formula.ranges[place]), len(open_formula.sizes) + place, open_formula)
    return np.full([1] * (len(open_formula.sizes) + len(open_formula.ranges)), open_formula.codes[term], np.int64)


def _named_value(position: AtomPosition, open_formula: OpenFormula) -> NDArray[np.int64]:
    """Return the value of a block that an atom's terms name."""
    value = _term_codes(position.terms[0], open_formula)
    for term, radix in zip(position.terms[1:], position.radices[1:], strict=True):
        value = value * radix + _term_codes(term, open_formula)
    return value


# --- clauses ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClauseTemplate:
    """A disjunction over the slots of a group, for one choice of ``+`` constants; literals: slot, value, negated.

    ``sign`` is -1 if the ground formula is the negation of the disjunction.
    """

    literals: Literals
    choice: int
    sign: float


def to_clause_templates(open_formula: OpenFormula, hard: bool) -> tuple[ClauseTemplate, ...] | None:
    """Return an open formula as clauses, or None if it is not a (negated) disjunction of literals."""
    found: list[ClauseTemplate] = []
    for number, values in enumerate(product(*(range(size) for size in open_formula.ranges))):
        codes: dict[Term, int] = dict(open_formula.codes)
        codes |= {Variable(name): value for name, value in zip(open_formula.choices, values, strict=True)}
        left = _decide_equations(open_formula.formula, codes)
        if isinstance(left, bool):
            continue
        choice = number // max(prod(open_formula.ranges[open_formula.plus_count :]), 1)
        clauses = list(_iter_clauses(left, open_formula.positions, codes, hard))
        if None in clauses:
            return None
        found += [ClauseTemplate(clause[0], choice, clause[1]) for clause in clauses if clause is not None]
    return tuple(found)


def _decide_equations(formula: Formula, codes: Mapping[Term, int]) -> Formula | bool:
    """Return a formula with its equations decided."""
    return fold(
        formula,
        {leaf: codes[leaf.left] == codes[leaf.right] for leaf in iter_atoms(formula) if isinstance(leaf, Equal)},
    )


def _iter_clauses(
    formula: Formula, positions: Mapping[Atom, AtomPosition], codes: Mapping[Term, int], hard: bool
) -> Iterator[tuple[Literals, float] | None]:
    plain = to_nnf(formula)
    if isinstance(plain, And) and hard:
        for each in plain.parts:
            yield from _iter_clauses(each, positions, codes, hard)
        return
    sign = -1.0 if isinstance(plain, And) else 1.0
    if sign < 0:
        opposite = negate(plain)
        assert not isinstance(opposite, bool)
        plain = opposite
    literals = []
    for each in plain.parts if isinstance(plain, Or) else (plain,):
        atom = each.part if isinstance(each, Not) else each
        if not isinstance(atom, Atom):
            yield None
            return
        position = positions[atom]
        literals.append((position.slot, block_value(position, codes), isinstance(each, Not)))
    yield tuple(dict.fromkeys(literals)), sign


def block_value(position: AtomPosition, codes: Mapping[Term, int]) -> int:
    """Return the value of a variable that an atom names."""
    if not position.terms:
        return 1
    value = 0
    for term, radix in zip(position.terms, position.radices, strict=True):
        value = value * radix + codes[term]
    return value


# --- clauses and a table ----------------------------------------------------------------------------------------------
# ``(S1 v … v S100) => A`` has one long disjunction C and one more atom. Such a formula is a function of A and C, so its
# truth is ``g(A) + h(A) * [C fails]``, and ``[A is a and C fails]`` is the negation of a clause. The clauses and the
# table together count the formula exactly once in every world where it holds.


@dataclass(frozen=True, slots=True)
class EncodedFormula:
    """An open formula as clauses and a table over the variables ``slots``; a hard one needs no table."""

    clauses: tuple[ClauseTemplate, ...]
    slots: tuple[int, ...]
    table: FactorTable | None


def decompose(open_formula: OpenFormula, hard: bool) -> EncodedFormula | None:
    """Return a wide formula as clauses and a table, or None if it has too many parts."""
    reduced, disjunctions, few = _extract_disjunctions(open_formula.formula)
    slots = tuple(sorted({open_formula.positions[atom].slot for atom in few}))
    if len(disjunctions) > MAX_DISJUNCTIONS or prod(open_formula.sizes[slot] for slot in slots) > MAX_DECOMPOSED_CELLS:
        return None
    positions = {
        atom: replace(open_formula.positions[atom], slot=slots.index(open_formula.positions[atom].slot)) for atom in few
    }
    small = replace(
        open_formula, formula=reduced, sizes=tuple(open_formula.sizes[slot] for slot in slots), positions=positions
    )
    truths = _truth_by_disjunctions(small, open_formula.formula, tuple(disjunctions))
    forms = [_Disjunction(parts, open_formula.positions) for parts in disjunctions.values()]
    return (
        _decompose_hard(truths, forms, slots, small)
        if hard
        else _decompose_soft(truths, forms, slots, small, open_formula)
    )


def find_table_atoms(formula: Formula) -> tuple[Atom, ...]:
    """Return the atoms of a formula outside long conjunctions and disjunctions."""
    return _extract_disjunctions(formula)[2]


def _extract_disjunctions(formula: Formula) -> tuple[Formula, dict[Atom, tuple[Formula, ...]], tuple[Atom, ...]]:
    """Return a formula with atoms in place of long disjunctions, these disjunctions, and the other atoms."""
    found: dict[Atom, tuple[Formula, ...]] = {}
    reduced = _reduce(to_nnf(formula), found)
    few = [leaf for leaf in dict.fromkeys(iter_atoms(reduced)) if isinstance(leaf, Atom) and leaf not in found]
    return reduced, found, tuple(few)


def _reduce(formula: Formula, found: dict[Atom, tuple[Formula, ...]]) -> Formula:
    """Return a formula with an atom in place of each long row of literals, which is added to ``found``."""
    match formula:
        case Not(inner):
            return Not(_reduce(inner, found))
        case Iff(left, right):
            return Iff(_reduce(to_nnf(left), found), _reduce(to_nnf(right), found))
        case And(parts) | Or(parts):
            is_and = isinstance(formula, And)
            literals = [each for each in parts if _is_literal(each)]
            rest = [_reduce(each, found) for each in parts if not _is_literal(each)]
            if len(literals) >= MIN_LONG_LITERALS:
                stand_in = Atom("disjunction", (Variable(str(len(found))),))
                found[stand_in] = tuple(to_nnf(Not(each)) for each in literals) if is_and else tuple(literals)
                literals = [Not(stand_in) if is_and else stand_in]
            return And((*literals, *rest)) if is_and else Or((*literals, *rest))
    return formula


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula, Atom) or (isinstance(formula, Not) and isinstance(formula.part, Atom))


def _truth_by_disjunctions(
    small: OpenFormula, formula: Formula, disjunctions: Sequence[Atom]
) -> dict[tuple[bool, ...], Longs]:
    """Return where the formula holds, by the truth of its disjunctions; the last axis is the choice.

    Ground formulas that equations decide are not counted: -1.
    """
    shape = (*small.sizes, *small.ranges)
    can_hold, can_fail = find_possible(formula, small)
    undecided = np.broadcast_to(can_hold & can_fail, small.ranges)
    found = {}
    for values in product((True, False), repeat=len(disjunctions)):
        left = fold(small.formula, dict(zip(disjunctions, values, strict=True)))
        holds = np.full((), left) if isinstance(left, bool) else evaluate(left, small)
        marked = np.where(undecided, np.broadcast_to(holds, shape), -1).astype(np.int64)
        found[values] = marked.reshape((*small.sizes, -1))
    return found


class _Disjunction:
    """A long disjunction, whose literals may depend on the choice."""

    def __init__(self, parts: Sequence[Formula], positions: Mapping[Atom, AtomPosition]) -> None:
        self._literals = [(positions[_atom_of(each)], isinstance(each, Not)) for each in parts]

    def literals(self, codes: Mapping[Term, int]) -> Literals:
        return tuple((position.slot, block_value(position, codes), negated) for position, negated in self._literals)


def _atom_of(literal: Formula) -> Atom:
    atom = literal.part if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    return atom


def _iter_choices(small: OpenFormula) -> Iterator[tuple[int, int, dict[Term, int]]]:
    """Yield every choice: its number, the number of its ``+`` part, and the codes of all terms."""
    plain = max(prod(small.ranges[small.plus_count :]), 1)
    for number, values in enumerate(product(*map(range, small.ranges))):
        codes: dict[Term, int] = dict(small.codes)
        codes |= {Variable(name): value for name, value in zip(small.choices, values, strict=True)}
        yield number, number // plain, codes


def _outside_cell(cell: Sequence[int], slots: Sequence[int]) -> Literals:
    """Return literals one of which holds exactly outside a cell."""
    return tuple((slot, value, True) for slot, value in zip(slots, cell, strict=True))


def _decompose_soft(
    truths: Mapping[tuple[bool, ...], Longs],
    forms: Sequence[_Disjunction],
    slots: tuple[int, ...],
    small: OpenFormula,
    open_formula: OpenFormula,
) -> EncodedFormula:
    cells = list(product(*map(range, small.sizes)))
    counts = np.zeros((*small.sizes, max(prod(small.ranges[: small.plus_count]), 1)))
    clauses: list[ClauseTemplate] = []
    for number, choice, codes in _iter_choices(small):
        literals = [form.literals(codes) for form in forms]
        for failing in product((False, True), repeat=len(forms)):
            share = _alternating_sum(truths, failing, number, small)
            if not any(failing):
                counts[..., choice] += share
                continue
            long = tuple(each for some, fails in zip(literals, failing, strict=True) if fails for each in some)
            for cell in cells:
                times = int(share[cell])
                clauses += [
                    ClauseTemplate((*_outside_cell(cell, slots), *long), choice, -1.0 if times > 0 else 1.0)
                ] * abs(times)
                counts[..., choice] += min(times, 0)  # -[fails] = [holds] - 1
    if not slots:  # a table needs a variable, even an irrelevant one
        slots = (0,)
        counts = np.broadcast_to(counts, (open_formula.sizes[0], counts.shape[-1]))
    live = np.asarray(next(iter(truths.values())) >= 0, np.bool_).any(axis=tuple(range(len(small.sizes))))
    per_choice = live.reshape(counts.shape[-1], -1).sum(axis=1)
    table = FactorTable(counts.reshape(-1, counts.shape[-1]).copy(), per_choice > 0, int(per_choice.sum()))
    return EncodedFormula(tuple(clauses), slots, table)


def _alternating_sum(
    truths: Mapping[tuple[bool, ...], Longs], failing: tuple[bool, ...], number: int, small: OpenFormula
) -> Longs:
    """Return the term of the inclusion-exclusion sum for these failing disjunctions, cell by cell."""
    total = np.zeros(small.sizes, np.int64)
    for some in product(*((False, True) if fails else (False,) for fails in failing)):
        here = truths[tuple(not fails for fails in some)][..., number]
        total = total + (-1) ** (sum(failing) - sum(some)) * np.maximum(here, 0)
    return total


def _decompose_hard(
    truths: Mapping[tuple[bool, ...], Longs], forms: Sequence[_Disjunction], slots: tuple[int, ...], small: OpenFormula
) -> EncodedFormula | None:
    clauses: list[ClauseTemplate] = []
    for number, choice, codes in _iter_choices(small):
        literals = [form.literals(codes) for form in forms]
        for holding, truth in truths.items():
            ways: list[tuple[Literals, ...]] = []
            for each, holds in zip(literals, holding, strict=True):
                ways.append(tuple(((s, v, not n),) for s, v, n in each) if holds else (each,))
            for cell in np.argwhere(truth[..., number] == 0).tolist():
                if len(clauses) + prod(len(way) for way in ways) > MAX_HARD_CLAUSES:
                    return None
                for way in product(*ways):
                    clauses.append(
                        ClauseTemplate(
                            (*_outside_cell(cell, slots), *(each for some in way for each in some)), choice, 1.0
                        )
                    )
    return EncodedFormula(tuple(clauses), (), None)
