"""Grounding: ``ground`` makes a network of factors and clauses from a model and a database.

The package docstring draws the pipeline; this module runs it rule by rule and assembles the network.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database
from telos.logic.formulas import Atom, Constant, iter_atoms
from telos.logic.grounding.atoms import (
    Domains,
    HiddenPredicate,
    Relations,
    find_blocks,
    find_given,
    find_hidden,
    name_atoms,
)
from telos.logic.grounding.bindings import find_distinct
from telos.logic.grounding.factors import (
    ClauseTemplate,
    EncodedFormula,
    FormulaGroup,
    FormulaGrouper,
    decompose,
    tabulate,
    to_clause_templates,
)
from telos.logic.grounding.rewrite import iter_open_cases
from telos.logic.grounding.rules import EvidenceJoin, prepare_rule
from telos.logic.grounding.weights import RuleWeights, WeightNames, merge_clauses, merge_factors, number_weights
from telos.logic.model import MarkovLogic, Rule
from telos.logic.network import Clauses, Factors, Ints, Longs, Network

MAX_CELLS = 50_000_000  # numbers in the bindings of one rule: 200 megabytes


@dataclass(frozen=True, slots=True)
class GroundRule:
    """All groups of one rule; ``plus`` has the types of its ``+`` variables, some of which are ``choices``."""

    number: int
    rule: Rule
    plus: Mapping[str, str]
    choices: tuple[str, ...]
    groups: tuple[FormulaGroup, ...]


def ground(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    opened: Sequence[str] = (),
    closed: Sequence[str] = (),
    learning: bool = False,
    max_cells: int = MAX_CELLS,
) -> Network:
    """Return the network of the hidden atoms, given the facts of a database.

    A predicate is hidden if it is queried or ``opened``, or if the model declares it open and it is not ``closed``.
    The atoms of all others are false unless the database states them, in every world alike. With ``learning``, every
    weight that occurs is numbered, and facts about queried predicates are left out as the truth to learn from. Ground
    formulas that evidence decides are left out, even hard ones that it breaks. A rule whose bindings need more than
    ``max_cells`` numbers is rejected.
    """
    _check_predicates(model, [*query, *opened, *closed])
    domains = Domains(model, database, _constants_in_formulas(model))
    hidden = find_blocks(find_hidden(model, query, opened, closed), model, domains)
    relations = Relations(model, database, domains)
    hidden_predicates = {
        name: HiddenPredicate(name, model.predicates[name].types, hidden[name], domains) for name in hidden
    }
    for name in dict.fromkeys(query):
        hidden_predicates[name].add_all(
            _size_limit(f"predicate {_with_source(name, model.source)}", max_cells, "atoms")
        )
    grounder = _RuleGrounder(model, hidden, hidden_predicates, relations, max_cells)
    found = [grounder.ground(number, rule) for number, rule in enumerate(model.rules)]
    total = 0
    for hidden_predicate in hidden_predicates.values():
        total = hidden_predicate.number(total)
    _reject_empty_blocks(hidden_predicates.values())
    given, denied = find_given(list(hidden_predicates.values()), database, total, set(query) if learning else set())
    factors, clauses, weights = assemble(found, hidden_predicates, domains, learning=learning)
    return _network(
        hidden_predicates.values(), given, (*factors, *denied), tuple(clauses), WeightNames(weights, domains)
    )


def _network(
    hidden_predicates: Iterable[HiddenPredicate],
    given: Ints,
    factors: tuple[Factors, ...],
    clauses: tuple[Clauses, ...],
    names: WeightNames,
) -> Network:
    kept = [hidden_predicate for hidden_predicate in hidden_predicates if len(hidden_predicate)]
    return Network(
        sizes=np.concatenate([np.zeros(0, np.int32), *(np.full(len(each), each.size, np.int32) for each in kept)]),
        world=np.concatenate([np.zeros(0, np.int32), *(each.arguments()[0] for each in kept)]),
        given=given,
        factors=factors,
        clauses=clauses,
        weights=names.values(),
        names=names,
        atoms=name_atoms(kept),
    )


class _TooManyGroundings(TelosError):
    """A rule or predicate has more groundings than the limit."""


@dataclass(frozen=True, slots=True)
class _RuleGrounder:
    """Grounds rules; ``hidden`` has the exactly-one arguments of each hidden predicate."""

    model: MarkovLogic
    hidden: Mapping[str, frozenset[int]]
    hidden_predicates: Mapping[str, HiddenPredicate]
    relations: Relations
    max_cells: int

    def ground(self, number: int, rule: Rule) -> GroundRule:
        """Ground one rule, and note which hidden atoms it touches."""
        what = f"rule {_with_source(f'`{rule.text or rule.formula}`', rule.source)}"
        try:
            ground = self._group_formulas(number, rule, _size_limit(what, self.max_cells))
        except _TooManyGroundings:  # already names the rule
            raise
        except TelosError as error:
            raise error.at(what) from None
        for group in ground.groups:
            for predicate, keys in group.scope:
                self.hidden_predicates[predicate].touched.append(keys)
        return ground

    def _group_formulas(self, number: int, rule: Rule, allow: Callable[[float, int], None]) -> GroundRule:
        prepared = prepare_rule(rule, self.model, self.hidden, self.relations, allow)
        plus = () if rule.hard else rule.plus
        grouper = FormulaGrouper(prepared, plus, self.hidden_predicates, self.relations)
        evidence_join = EvidenceJoin(self.relations, prepared.scope, allow)
        guards = tuple((guard, True) for guard in prepared.guards)
        groups: list[FormulaGroup] = []
        for case in iter_open_cases(prepared.formula, lambda leaf: prepared.is_evidence(leaf, self.hidden)):
            rows = evidence_join.bind((*guards, *case.literals))
            if len(rows) and not isinstance(case.open, bool):
                groups += grouper.groups(rows, case.open, case.undecided)
        return GroundRule(number, rule, {name: prepared.kinds[name] for name in plus}, prepared.choices, tuple(groups))


def _constants_in_formulas(model: MarkovLogic) -> list[tuple[str, str]]:
    """Return the constants in formulas, with their types."""
    return [
        (kind, term.name)
        for rule in model.rules
        for atom in iter_atoms(rule.formula)
        if isinstance(atom, Atom)
        for term, kind in zip(atom.arguments, model.predicates[atom.predicate].types, strict=True)
        if isinstance(term, Constant)
    ]


def _check_predicates(model: MarkovLogic, names: Sequence[str]) -> None:
    for name in names:
        if name not in model.predicates:
            raise TelosError(f"the model has no predicate {name!r}", name_hint(name, model.predicates))


def _reject_empty_blocks(hidden_predicates: Iterable[HiddenPredicate]) -> None:
    for hidden_predicate in hidden_predicates:
        if len(hidden_predicate) and not hidden_predicate.size:
            kinds = " or ".join(sorted({hidden_predicate.kinds[place] for place in hidden_predicate.blocks}))
            raise TelosError(
                f"{hidden_predicate.name} needs a value, and {kinds} has no constants", f"declare `{kinds} = {{A, B}}`"
            )


def _with_source(name: str, source: str) -> str:
    return f"{name} ({source})" if source else name


def _size_limit(what: str, max_cells: int, made: str = "ground formulas") -> Callable[[float, int], None]:
    advice = "bind its variables with evidence predicates, or " if made == "ground formulas" else ""

    def allow(total: float, width: int) -> None:
        if total * (width + 1) > max_cells:
            raise _TooManyGroundings(
                f"{what} would have {total:.1e} {made}; the limit is {max_cells / (width + 1):.1e}",
                f"{advice}declare fewer constants",
            )

    return allow


# --- assembly ---------------------------------------------------------------------------------------------------------
# The last step: groups of ground formulas become factors and clauses over numbered variables and weights.


@dataclass(frozen=True, slots=True)
class EncodedGroup:
    """A group with its encoding, the distinct keys of its rows, and the key offset of each choice."""

    group: FormulaGroup
    encoding: EncodedFormula
    rows: Longs  # distinct keys
    row: Ints  # (n,) index into ``rows``
    choices: Longs

    @property
    def occurring(self) -> Longs:
        """The keys of all weights of the group, one row for each of ``rows``."""
        return self.rows[:, None] + self.choices[None, self.live]

    @property
    def live(self) -> Longs:
        """The choices that have a ground formula."""
        if self.encoding.table is not None:
            return np.flatnonzero(self.encoding.table.live)
        return np.asarray(sorted({clause.choice for clause in self.encoding.clauses}), np.int64)


def assemble(
    found: Sequence[GroundRule], hidden_predicates: Mapping[str, HiddenPredicate], domains: Domains, *, learning: bool
) -> tuple[list[Factors], list[Clauses], list[RuleWeights]]:
    """Return the factors, the clauses, and the weights of all rules."""
    factors: list[Factors] = []
    clauses: list[Clauses] = []
    weights: list[RuleWeights] = []
    start = 0
    for ground in found:
        encoded = [_encode_group(group, ground, domains) for group in ground.groups]
        own = number_weights(
            ground.number,
            ground.rule,
            tuple(ground.plus.values()),
            domains,
            [each.occurring for each in encoded],
            start=start,
            learning=learning and not ground.rule.hard,
        )
        start += len(own.values)
        weights.append(own)
        factors += merge_factors(
            [made for each in encoded for made in _to_factors(each, ground, own, hidden_predicates)]
        )
        clauses += merge_clauses(
            [made for each in encoded for made in _to_clauses(each, ground, own, hidden_predicates)]
        )
    return factors, clauses, weights


def _encode_group(group: FormulaGroup, ground: GroundRule, domains: Domains) -> EncodedGroup:
    sizes = [domains.size(kind) for kind in ground.plus.values()]
    strides = {name: prod(sizes[place + 1 :]) for place, name in enumerate(ground.plus)}
    keys = np.zeros(len(group.rows), np.int64)
    for name, stride in strides.items():
        if name not in ground.choices:
            keys += group.rows.columns[name].astype(np.int64) * stride
    rows, row = find_distinct(keys, prod(sizes)) if strides else (np.zeros(1, np.int64), keys.astype(np.int32))
    ranges = group.open.ranges[: group.open.plus_count]
    steps = [strides[name] for name in group.open.choices[: group.open.plus_count]]
    choices = [sum(a * b for a, b in zip(each, steps, strict=True)) for each in product(*map(range, ranges))]
    return EncodedGroup(group, _encode_formula(group, ground), rows, row, np.asarray(choices, np.int64))


def _encode_formula(group: FormulaGroup, ground: GroundRule) -> EncodedFormula:
    if group.open.is_small:
        return EncodedFormula((), tuple(range(len(group.scope))), tabulate(group.open))
    clauses = to_clause_templates(group.open, ground.rule.hard)
    if clauses is not None:
        return EncodedFormula(clauses, (), None)
    shape = decompose(group.open, ground.rule.hard)
    if shape is None:
        raise TelosError(
            f"rule `{ground.rule.text or ground.rule.formula}` ties {len(group.scope)} hidden atoms together in a way "
            "that is not a clause",
            "write it as clauses, or bind its variables with evidence predicates",
        )
    return shape


def _scope_of(group: FormulaGroup, hidden_predicates: Mapping[str, HiddenPredicate], slots: Sequence[int]) -> Ints:
    columns = [
        hidden_predicates[predicate].variables(keys) for predicate, keys in (group.scope[slot] for slot in slots)
    ]
    return np.stack(columns, axis=1)


def _to_factors(
    encoded: EncodedGroup, ground: GroundRule, own: RuleWeights, hidden_predicates: Mapping[str, HiddenPredicate]
) -> list[tuple[tuple[int, ...], Factors]]:
    """Return the factors of a group with the sizes of their variables, or none if they have no effect."""
    made, slots = encoded.encoding.table, encoded.encoding.slots
    if made is None:
        return []
    scope = _scope_of(encoded.group, hidden_predicates, slots)
    sizes = tuple(encoded.group.open.sizes[slot] for slot in slots)
    if ground.rule.hard:
        total = made.holds.sum(axis=1, keepdims=True)
        if not made.formulas or bool((total == made.formulas).all()):
            return []  # it forbids nothing
        none = np.full((1, 1), -1, np.int32)
        key = np.zeros(len(scope), np.int32)
        return [(sizes, Factors(ground.number, scope, key, none, total, True, made.formulas))]
    weights = np.full((len(encoded.rows), len(encoded.choices)), -1, np.int32)
    weights[:, encoded.live] = own.indices(encoded.occurring)
    used = np.asarray((weights >= 0).any(axis=1), np.bool_)
    key = encoded.row
    if not used.all():
        keep = np.flatnonzero(used[key])
        scope, key = scope[keep], (np.cumsum(used) - 1).astype(np.int32)[key[keep]]
        weights = weights[used]
    if not len(scope):
        return []
    return [(sizes, Factors(ground.number, scope, key, weights, made.holds, False, made.formulas))]


def _to_clauses(
    encoded: EncodedGroup, ground: GroundRule, own: RuleWeights, hidden_predicates: Mapping[str, HiddenPredicate]
) -> list[Clauses]:
    if not encoded.encoding.clauses:
        return []
    scope = _scope_of(encoded.group, hidden_predicates, range(len(encoded.group.scope)))
    return [_to_clause(clause, scope, encoded, ground, own) for clause in encoded.encoding.clauses]


def _to_clause(
    clause: ClauseTemplate, scope: Ints, encoded: EncodedGroup, ground: GroundRule, own: RuleWeights
) -> Clauses:
    """Return one clause for each row that has a weight."""
    slot, value, negated = np.asarray(clause.literals, np.int32).T
    weight = np.full(len(scope), -1, np.int32)
    if not ground.rule.hard:
        weight = own.indices(encoded.rows + encoded.choices[clause.choice])[encoded.row]
        keep = np.flatnonzero(weight >= 0)
        scope, weight = scope[keep], weight[keep]
    count, width = len(scope), len(slot)
    return Clauses(
        ground.number,
        np.arange(count + 1, dtype=np.int32) * np.int32(width),
        scope[:, slot].ravel(),
        np.tile(value, count),
        np.tile(negated.astype(np.int8), count),
        weight,
        np.full(count, clause.sign),
        ground.rule.hard,
    )
