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
from telos.logic.formulas import Atom, Constant, atoms
from telos.logic.grounding.atoms import Domains, Family, Relations, atom_names, blocks_of, given_values, with_blocks
from telos.logic.grounding.bindings import distinct
from telos.logic.grounding.factors import Group, Long, Opener, Wide, long_clauses, table, wide
from telos.logic.grounding.rewrite import cases
from telos.logic.grounding.rules import Binder, prepare
from telos.logic.grounding.weights import RuleWeights, WeightNames, merged_clauses, merged_factors, rule_weights
from telos.logic.model import MarkovLogic, Rule
from telos.logic.network import Clauses, Factors, Ints, Longs, Network

MOST_CELLS = 50_000_000  # numbers in the bindings of one rule: 200 megabytes


@dataclass(frozen=True, slots=True)
class RuleGround:
    """All groups of one rule; ``plus`` has the types of its ``+`` variables, of which some are ``choices``."""

    number: int
    rule: Rule
    plus: Mapping[str, str]
    choices: tuple[str, ...]
    groups: tuple[Group, ...]


def ground(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    opened: Sequence[str] = (),
    closed: Sequence[str] = (),
    learning: bool = False,
    most_cells: int = MOST_CELLS,
) -> Network:
    """Return what a model says about the hidden atoms, once the facts of a database are known.

    A predicate is hidden if it is queried or ``opened``, or if the database says nothing of it and it is not
    ``closed``. With ``learning`` every weight that occurs is numbered, and facts about queried predicates are kept
    back as the truth to learn from. Ground formulas that evidence alone decides are left out, hard ones that it breaks
    among them. A rule whose bindings would take more than ``most_cells`` numbers is refused.
    """
    _check(model, [*query, *opened, *closed])
    domains = Domains(model, database, _named(model))
    hidden = with_blocks(blocks_of(model, database, query, opened, closed), model, domains)
    relations = Relations(model, database, domains)
    families = {name: Family(name, model.predicates[name].types, hidden[name], domains) for name in hidden}
    for name in dict.fromkeys(query):
        families[name].add_all(_limit(f"predicate {_placed(name, model.source)}", most_cells, "atoms"))
    setting = _Setting(model, hidden, families, relations, most_cells)
    found = [setting.ground(number, rule) for number, rule in enumerate(model.rules)]
    total = 0
    for family in families.values():
        total = family.number(total)
    _refuse_empty_blocks(families.values())
    given, denied = given_values(list(families.values()), database, total, set(query) if learning else set())
    factors, clauses, weights = assembled(found, families, domains, learning=learning)
    return _network(families.values(), given, (*factors, *denied), tuple(clauses), WeightNames(weights, domains))


def _network(
    families: Iterable[Family],
    given: Ints,
    factors: tuple[Factors, ...],
    clauses: tuple[Clauses, ...],
    names: WeightNames,
) -> Network:
    kept = [family for family in families if len(family)]
    return Network(
        sizes=np.concatenate([np.zeros(0, np.int32), *(np.full(len(each), each.size, np.int32) for each in kept)]),
        world=np.concatenate([np.zeros(0, np.int32), *(each.arguments()[0] for each in kept)]),
        given=given,
        factors=factors,
        clauses=clauses,
        weights=names.values(),
        names=names,
        atoms=atom_names(kept),
    )


class _TooLarge(TelosError):
    """A rule or predicate has more groundings than there is room for."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """What all rules are grounded in; ``hidden`` has the places of each predicate's exactly-one arguments."""

    model: MarkovLogic
    hidden: Mapping[str, frozenset[int]]
    families: Mapping[str, Family]
    relations: Relations
    most_cells: int

    def ground(self, number: int, rule: Rule) -> RuleGround:
        """Ground one rule, and tell the families which of their atoms it touches."""
        what = f"rule {_placed(f'`{rule.text or rule.formula}`', rule.source)}"
        try:
            ground = self._groups(number, rule, _limit(what, self.most_cells))
        except _TooLarge:  # names the rule already
            raise
        except TelosError as error:
            raise error.at(what) from None
        for group in ground.groups:
            for predicate, keys in group.scope:
                self.families[predicate].touched.append(keys)
        return ground

    def _groups(self, number: int, rule: Rule, allow: Callable[[float, int], None]) -> RuleGround:
        prepared = prepare(rule, self.model, self.hidden, self.relations, allow)
        plus = () if rule.hard else rule.plus
        opener = Opener(prepared, plus, self.families, self.relations)
        binder = Binder(self.relations, prepared.scope, allow)
        guards = tuple((guard, True) for guard in prepared.guards)
        groups: list[Group] = []
        for case in cases(prepared.formula, lambda leaf: prepared.is_evidence(leaf, self.hidden)):
            rows = binder.bind((*guards, *case.literals))
            if len(rows) and not isinstance(case.open, bool):
                groups += opener.groups(rows, case.open, case.undecided)
        return RuleGround(number, rule, {name: prepared.kinds[name] for name in plus}, prepared.choices, tuple(groups))


def _named(model: MarkovLogic) -> list[tuple[str, str]]:
    """Return the constants that formulas name, with their types."""
    return [
        (kind, term.name)
        for rule in model.rules
        for atom in atoms(rule.formula)
        if isinstance(atom, Atom)
        for term, kind in zip(atom.arguments, model.predicates[atom.predicate].types, strict=True)
        if isinstance(term, Constant)
    ]


def _check(model: MarkovLogic, names: Sequence[str]) -> None:
    for name in names:
        if name not in model.predicates:
            raise TelosError(f"the model has no predicate {name!r}", name_hint(name, model.predicates))


def _refuse_empty_blocks(families: Iterable[Family]) -> None:
    for family in families:
        if len(family) and not family.size:
            kinds = " or ".join(sorted({family.kinds[place] for place in family.blocks}))
            raise TelosError(
                f"{family.name} needs a value, and {kinds} has no constants", f"declare `{kinds} = {{A, B}}`"
            )


def _placed(name: str, source: str) -> str:
    return f"{name} ({source})" if source else name


def _limit(what: str, most_cells: int, made: str = "ground formulas") -> Callable[[float, int], None]:
    advice = "bind its variables with evidence predicates, or " if made == "ground formulas" else ""

    def allow(total: float, width: int) -> None:
        if total * (width + 1) > most_cells:
            raise _TooLarge(
                f"{what} would have {total:.1e} {made}, and there is room for {most_cells / (width + 1):.1e}",
                f"{advice}declare fewer constants",
            )

    return allow


# --- assembly ---------------------------------------------------------------------------------------------------------
# The last step: groups of ground formulas become factors and clauses over numbered variables and weights.


@dataclass(frozen=True, slots=True)
class Shaped:
    """A group with its table and clauses, the distinct keys of its rows, and the key that each choice adds."""

    group: Group
    shape: Wide
    rows: Longs  # distinct keys
    row: Ints  # (n,) which of them
    choices: Longs

    @property
    def occurring(self) -> Longs:
        """The keys of all weights that the group has, one row for each of ``rows``."""
        return self.rows[:, None] + self.choices[None, self.live]

    @property
    def live(self) -> Longs:
        """The choices for which there is any ground formula."""
        if self.shape.table is not None:
            return np.flatnonzero(self.shape.table.live)
        return np.asarray(sorted({clause.choice for clause in self.shape.clauses}), np.int64)


def assembled(
    found: Sequence[RuleGround], families: Mapping[str, Family], domains: Domains, *, learning: bool
) -> tuple[list[Factors], list[Clauses], list[RuleWeights]]:
    """Return the factors, the clauses, and the weights of all rules."""
    factors: list[Factors] = []
    clauses: list[Clauses] = []
    weights: list[RuleWeights] = []
    start = 0
    for ground in found:
        shaped = [_shaped(group, ground, domains) for group in ground.groups]
        own = rule_weights(
            ground.number,
            ground.rule,
            tuple(ground.plus.values()),
            domains,
            [each.occurring for each in shaped],
            start=start,
            learning=learning and not ground.rule.hard,
        )
        start += len(own.values)
        weights.append(own)
        factors += merged_factors([made for each in shaped for made in _factors(each, ground, own, families)])
        clauses += merged_clauses([made for each in shaped for made in _clauses(each, ground, own, families)])
    return factors, clauses, weights


def _shaped(group: Group, ground: RuleGround, domains: Domains) -> Shaped:
    sizes = [domains.size(kind) for kind in ground.plus.values()]
    strides = {name: prod(sizes[place + 1 :]) for place, name in enumerate(ground.plus)}
    keys = np.zeros(len(group.rows), np.int64)
    for name, stride in strides.items():
        if name not in ground.choices:
            keys += group.rows.columns[name].astype(np.int64) * stride
    rows, row = distinct(keys, prod(sizes)) if strides else (np.zeros(1, np.int64), keys.astype(np.int32))
    ranges = group.open.ranges[: group.open.plus]
    steps = [strides[name] for name in group.open.choices[: group.open.plus]]
    choices = [sum(a * b for a, b in zip(each, steps, strict=True)) for each in product(*map(range, ranges))]
    return Shaped(group, _shape(group, ground), rows, row, np.asarray(choices, np.int64))


def _shape(group: Group, ground: RuleGround) -> Wide:
    if group.open.is_small:
        return Wide((), tuple(range(len(group.scope))), table(group.open))
    clauses = long_clauses(group.open, ground.rule.hard)
    if clauses is not None:
        return Wide(clauses, (), None)
    shape = wide(group.open, ground.rule.hard)
    if shape is None:
        raise TelosError(
            f"rule `{ground.rule.text or ground.rule.formula}` ties {len(group.scope)} hidden atoms together in a way "
            "that is no clause",
            "write it as clauses, or bind its variables with evidence predicates",
        )
    return shape


def _scope(group: Group, families: Mapping[str, Family], slots: Sequence[int]) -> Ints:
    columns = [families[predicate].variables(keys) for predicate, keys in (group.scope[slot] for slot in slots)]
    return np.stack(columns, axis=1)


def _factors(
    shaped: Shaped, ground: RuleGround, own: RuleWeights, families: Mapping[str, Family]
) -> list[tuple[tuple[int, ...], Factors]]:
    """Return the factors of a group with the sizes of their variables; none if they say nothing."""
    made, slots = shaped.shape.table, shaped.shape.slots
    if made is None:
        return []
    scope = _scope(shaped.group, families, slots)
    sizes = tuple(shaped.group.open.sizes[slot] for slot in slots)
    if ground.rule.hard:
        total = made.holds.sum(axis=1, keepdims=True)
        if not made.formulas or bool((total == made.formulas).all()):
            return []  # it forbids nothing
        none = np.full((1, 1), -1, np.int32)
        key = np.zeros(len(scope), np.int32)
        return [(sizes, Factors(ground.number, scope, key, none, total, True, made.formulas))]
    weights = np.full((len(shaped.rows), len(shaped.choices)), -1, np.int32)
    weights[:, shaped.live] = own.indices(shaped.occurring)
    used = np.asarray((weights >= 0).any(axis=1), np.bool_)
    key = shaped.row
    if not used.all():
        keep = np.flatnonzero(used[key])
        scope, key = scope[keep], (np.cumsum(used) - 1).astype(np.int32)[key[keep]]
        weights = weights[used]
    if not len(scope):
        return []
    return [(sizes, Factors(ground.number, scope, key, weights, made.holds, False, made.formulas))]


def _clauses(shaped: Shaped, ground: RuleGround, own: RuleWeights, families: Mapping[str, Family]) -> list[Clauses]:
    if not shaped.shape.clauses:
        return []
    scope = _scope(shaped.group, families, range(len(shaped.group.scope)))
    return [_clause(clause, scope, shaped, ground, own) for clause in shaped.shape.clauses]


def _clause(clause: Long, scope: Ints, shaped: Shaped, ground: RuleGround, own: RuleWeights) -> Clauses:
    """Return one clause for each row, but for rows without a weight."""
    slot, value, negated = np.asarray(clause.literals, np.int32).T
    weight = np.full(len(scope), -1, np.int32)
    if not ground.rule.hard:
        weight = own.indices(shaped.rows + shaped.choices[clause.choice])[shaped.row]
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
