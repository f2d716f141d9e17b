"""Weights of ground formulas: which weight each has, and what it is called; groups with equal tables merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import overload

import numpy as np

from telos.logic.grounding.atoms import Domains
from telos.logic.grounding.bindings import KeyIndex, pack_keys, unpack_keys
from telos.logic.model import Rule
from telos.logic.network import Clauses, Factors, Floats, Ints, Longs


@dataclass(frozen=True, slots=True)
class RuleWeights:
    """The weights of one rule that are in use: ``places`` indexes their keys; numbers begin at ``start``."""

    rule: int
    kinds: tuple[str, ...]
    radices: tuple[int, ...]
    places: KeyIndex
    start: int
    values: Floats

    def indices(self, keys: Longs) -> Ints:
        """Return the index of each key's weight, -1 if it has none."""
        found = self.places.find(keys.ravel())
        return np.where(found < 0, -1, found + self.start).astype(np.int32).reshape(keys.shape)


def number_weights(
    number: int,
    rule: Rule,
    kinds: tuple[str, ...],
    domains: Domains,
    occurring: Sequence[Longs],
    *,
    start: int,
    learning: bool,
) -> RuleWeights:
    """Return the weights of a rule: with ``learning`` all that occur, otherwise those that it states.

    All that occur are also needed if the rule has a weight for the choices that it does not state.
    """
    radices = tuple(domains.size(kind) for kind in kinds)
    span = prod(radices)
    keys, values = _stated_weights(rule, kinds, domains, radices)
    if learning or rule.otherwise:
        occurs = np.unique(np.concatenate([np.zeros(0, np.int64), *(each.ravel() for each in occurring)]))
        place = KeyIndex(keys, span).find(occurs)
        values = np.where(place < 0, rule.otherwise, np.append(values, 0.0)[place])
        keys = occurs
    return RuleWeights(number, kinds, radices, KeyIndex(keys, span), start, values)


def _stated_weights(
    rule: Rule, kinds: tuple[str, ...], domains: Domains, radices: tuple[int, ...]
) -> tuple[Longs, Floats]:
    """Return the stated keys of a rule, ascending, and their weights."""
    if not rule.weights:
        return np.zeros(0, np.int64), np.zeros(0)
    values = np.fromiter(rule.weights.values(), np.float64, len(rule.weights))
    if not kinds:
        return np.zeros(1, np.int64), values
    tables = [domains.codes.get(kind, {}) for kind in kinds]
    columns = [
        np.asarray([table.get(name, -1) for name in names], np.int32)
        for table, names in zip(tables, zip(*rule.weights, strict=True), strict=True)
    ]
    known = np.all([column >= 0 for column in columns], axis=0)
    keys = pack_keys([column[known] for column in columns], radices)
    order = np.argsort(keys)
    return keys[order], values[known][order]


class WeightNames(Sequence[tuple[int, tuple[str, ...]]]):
    """The rule and the constants of each weight, formatted on demand."""

    def __init__(self, parts: Sequence[RuleWeights], domains: Domains) -> None:
        self._parts = [part for part in parts if len(part.places.keys)]
        self._names = [[domains.names[kind] for kind in part.kinds] for part in self._parts]
        self._starts = np.asarray([part.start for part in self._parts], np.int64)
        self._total = sum(len(part.places.keys) for part in self._parts)

    def __len__(self) -> int:
        """Return the number of weights."""
        return self._total

    def __iter__(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the rule and the constants of all weights; a rule's keys are unpacked at once."""
        for part, names in zip(self._parts, self._names, strict=True):
            columns = unpack_keys(part.places.keys, part.radices)
            if not columns:
                yield from ((part.rule, ()) for _ in range(len(part.places.keys)))
                continue
            words = ([own[code] for code in column.tolist()] for own, column in zip(names, columns, strict=True))
            yield from ((part.rule, constants) for constants in zip(*words, strict=True))

    def values(self) -> Floats:
        """Return the initial weights of the rules."""
        return np.concatenate([np.zeros(0), *(part.values for part in self._parts)])

    @overload
    def __getitem__(self, index: int) -> tuple[int, tuple[str, ...]]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[int, tuple[str, ...]]]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, tuple[str, ...]] | Sequence[tuple[int, tuple[str, ...]]]:
        """Return the rule of a weight and the constants of its ``+`` variables."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._total))]
        if not -self._total <= index < self._total:
            raise IndexError(f"there are {self._total} weights, and none has number {index}")
        index %= self._total
        place = int(np.searchsorted(self._starts, index, side="right")) - 1
        part = self._parts[place]
        codes = unpack_keys(part.places.keys[index - part.start : index - part.start + 1], part.radices)
        names = tuple(names[int(code[0])] for names, code in zip(self._names[place], codes, strict=True))
        return part.rule, names


# --- merging ----------------------------------------------------------------------------------------------------------


def merge_factors(found: Sequence[tuple[tuple[int, ...], Factors]]) -> list[Factors]:
    """Return the factors of one rule, those with equal tables joined; each comes with its variables' sizes."""
    alike: dict[object, list[Factors]] = {}
    for sizes, group in found:
        alike.setdefault((sizes, group.holds.tobytes(), group.holds.shape, group.formulas), []).append(group)
    return [groups[0] if len(groups) == 1 else _concatenate_factors(groups) for groups in alike.values()]


def _concatenate_factors(groups: Sequence[Factors]) -> Factors:
    weights, place = np.unique(np.concatenate([group.weights for group in groups]), axis=0, return_inverse=True)
    before = np.cumsum([0, *(len(group.weights) for group in groups)])
    keys = [group.key + first for group, first in zip(groups, before, strict=False)]
    first = groups[0]
    return Factors(
        first.rule,
        np.concatenate([group.scope for group in groups]),
        place.ravel()[np.concatenate(keys)].astype(np.int32),
        weights,
        first.holds,
        first.hard,
        first.formulas,
    )


def merge_clauses(found: Sequence[Clauses]) -> list[Clauses]:
    """Return the clauses of one rule as one group, or none."""
    groups = [group for group in found if len(group.weight)]
    if len(groups) < 2:
        return groups
    before = np.cumsum([0, *(len(group.variable) for group in groups)]).astype(np.int32)
    starts = [group.start[:-1] + first for group, first in zip(groups, before, strict=False)]
    return [
        Clauses(
            groups[0].rule,
            np.concatenate([*starts, before[-1:]]),
            np.concatenate([group.variable for group in groups]),
            np.concatenate([group.value for group in groups]),
            np.concatenate([group.negated for group in groups]),
            np.concatenate([group.weight for group in groups]),
            np.concatenate([group.sign for group in groups]),
            groups[0].hard,
        )
    ]
