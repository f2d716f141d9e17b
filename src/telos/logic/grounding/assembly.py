"""The last step of grounding: groups of rows become factors and clauses over numbered variables and weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from telos.core.errors import TelosError
from telos.logic.grounding.domains import Domains
from telos.logic.grounding.hidden import Family
from telos.logic.grounding.keys import distinct
from telos.logic.grounding.long import Long, long_clauses
from telos.logic.grounding.merging import merged_clauses, merged_factors
from telos.logic.grounding.openings import Group
from telos.logic.grounding.shapes import table
from telos.logic.grounding.weighing import RuleWeights, rule_weights
from telos.logic.grounding.wide import Wide, wide
from telos.logic.model import Rule
from telos.logic.network import Clauses, Factors, Ints, Longs


@dataclass(frozen=True, slots=True)
class RuleGround:
    """All groups of one rule; ``plus`` has the types of its ``+`` variables, of which some are ``choices``."""

    number: int
    rule: Rule
    plus: Mapping[str, str]
    choices: tuple[str, ...]
    groups: tuple[Group, ...]


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
