"""Markov logic on columns: the rules of a model as tables that are looked up for all rows at once.

    facts of each row ──▶ codes ──▶ one table for each combination that occurs (OnlineRule) ──▶ sums ──▶ logic_kernel

The belief is that of a `MarkovLogicReader`, which does the same for one event.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.values import Value
from telos.logic.online import OnlineFilter, OnlineRule
from telos.recognition.bulk import logic_kernel
from telos.recognition.bulk.arrays import Array, Indices
from telos.recognition.bulk.codes import CodeTable
from telos.recognition.bulk.columns import DONE, LAST, STEPS, ColumnNeeds, EventColumns, lagged
from telos.recognition.bulk.filters import FilterResult
from telos.recognition.bulk.logic_kernel import MIN_LOG
from telos.recognition.markov_logic import ACTION, GOAL, MarkovLogicModel, facts_in

Facts: TypeAlias = tuple[tuple[str, ...], ...]  # of one predicate at one step, each without the time


class _Fact(NamedTuple):
    """A predicate, and how many steps back its facts are read."""

    predicate: str
    back: int


@dataclass(slots=True)
class _RuleGroup:
    """Rules that read the same facts, and the sum of their tables for each combination of these that has occurred."""

    facts: tuple[_Fact, ...]
    reach: int
    rules: list[OnlineRule]
    codes: CodeTable
    tables: NDArray[np.float64]

    def find(self, codes: Sequence[Indices], known: Sequence[Sequence[Facts]], has_steps: Indices) -> Indices:
        """Return the number of the table for each row; ``known`` are the facts that the codes of a column stand for."""
        found = self.codes.encode([has_steps, *(column * has_steps for column in codes)])
        fresh = self.codes.combinations[len(self.tables) :]
        if fresh:
            made = [self._table(combination, known) for combination in fresh]
            self.tables = np.concatenate([self.tables, np.array(made)])
        return found

    def _table(self, combination: tuple[int, ...], known: Sequence[Sequence[Facts]]) -> NDArray[np.float64]:
        total = np.zeros(self.tables.shape[1:])
        if not combination[0]:
            return total
        window: list[dict[str, Facts]] = [{} for _ in range(self.reach + 1)]
        for fact, code, facts in zip(self.facts, combination[1:], known, strict=True):
            window[fact.back][fact.predicate] = facts[code]
        for rule in self.rules:
            for table in rule.tables_for(window):
                total = total + table
        return total


class LogicEvidence(NamedTuple):
    """The scores of all rules for each row: over the values now, and the number of a matrix (-1: none) before them."""

    scores: Array
    matrices: Array
    inputs: NDArray[np.int32]

    def filter(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief after each row; ``prior`` are those before, one row for each player."""
        history, passed = self._filtered(offsets, prior)
        sums = np.concatenate([[0], np.cumsum(passed, dtype=np.int64)])
        return FilterResult(history, np.zeros(len(prior)), np.diff(sums[offsets]))

    def smooth(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief at each row given all rows of its player."""
        history, passed = self._filtered(offsets, prior)
        shares = np.empty(history.shape[1])
        _loops().smooth_logic(self.matrices, self.inputs, passed, offsets, history, shares)
        return FilterResult(history, np.zeros(len(prior)), np.zeros(len(prior), np.int64))

    def _filtered(self, offsets: NDArray[np.int64], prior: Array) -> tuple[Array, NDArray[np.uint8]]:
        """Return the belief after each row, and whether the row was passed over."""
        peaks = np.maximum(self.scores.max(axis=1, initial=MIN_LOG), MIN_LOG)
        weights = np.exp(self.scores - peaks[:, None])
        history, passed = np.empty_like(self.scores), np.zeros(len(self.scores), np.uint8)
        scaled = np.exp(self.matrices - np.maximum(self.matrices.max(axis=(1, 2), keepdims=True), MIN_LOG))
        known = (scaled, self.matrices, weights, self.scores, self.inputs, offsets)
        _loops().filter_logic(*known, np.array(prior), history, passed)
        return history, passed


def _loops() -> Any:
    return kernels.kernel(logic_kernel)


class LogicEncoder:
    """Encodes events for a Markov logic model."""

    def __init__(self, model: MarkovLogicModel) -> None:
        online = OnlineFilter(model.logic, query=GOAL)
        self.goals = model.goals
        self.prior: Sequence[float] = online.belief
        self._arities = {name: len(each.types) for name, each in model.logic.predicates.items()}
        size = len(self.goals)
        self._now = _group_rules([rule for rule in online.rules if not rule.is_pair], (size,))
        self._pairs = _group_rules([rule for rule in online.rules if rule.is_pair], (size, size))
        self._sums = CodeTable(max(1, len(self._pairs)))
        self._facts: dict[str, list[Facts]] = {}  # by predicate: what each code, plus one, stands for
        self._matrices = np.zeros((0, size, size))
        read = sorted({fact for group in (*self._now, *self._pairs) for fact in group.facts})
        names = {fact.predicate for fact in read}
        self.needs = ColumnNeeds(
            dict.fromkeys(sorted(names - {ACTION})),
            {},
            optional=frozenset({DONE, LAST} & names),
            flags=frozenset(name for name in names if self._arities[name] == 1),
            past=frozenset({DONE, LAST}),
            lags={
                name: tuple(fact.back for fact in read if fact.predicate == name and fact.back)
                for name in sorted({fact.predicate for fact in read if fact.back})
            },
            counts_steps=True,
        )

    def encode(self, events: EventColumns) -> LogicEvidence:
        """Return the scores of the rules for each event."""
        steps = events[STEPS].values
        scores = np.zeros((events.size, len(self.goals)))
        for group in self._now:
            numbers = self._find(group, events, steps)  # makes the tables
            _loops().add_tables(scores, group.tables, numbers)
        inputs = self._inputs(events, steps)  # makes the matrices
        return LogicEvidence(scores, self._matrices, inputs)

    def _find(self, group: _RuleGroup, events: EventColumns, steps: Indices) -> Indices:
        pairs = [self._coded(fact, events) for fact in group.facts]
        return group.find(
            [codes for codes, _ in pairs], [known for _, known in pairs], (steps >= group.reach).astype(np.int32)
        )

    def _coded(self, fact: _Fact, events: EventColumns) -> tuple[Indices, Sequence[Facts]]:
        column = events[lagged(fact.predicate, fact.back)]
        assert column.labels is not None
        known = self._facts.setdefault(fact.predicate, [()])  # code 0: nothing is stated
        for label in column.labels[len(known) - 1 :]:
            known.append(_facts_of(label, self._arities[fact.predicate]))
        return column.values + 1, known

    def _inputs(self, events: EventColumns, steps: Indices) -> NDArray[np.int32]:
        """Return the number of the matrix for each row: the sum of the tables of all rules about two steps."""
        if not self._pairs:
            return np.full(events.size, -1, np.int32)
        numbers = self._sums.encode([self._find(group, events, steps) for group in self._pairs])
        fresh = self._sums.combinations[len(self._matrices) :]
        if fresh:
            sums = [
                np.sum([group.tables[number] for group, number in zip(self._pairs, each, strict=True)], axis=0)
                for each in fresh
            ]
            self._matrices = np.concatenate([self._matrices, np.array(sums)])
        return np.where(steps > 0, numbers, -1).astype(np.int32)


def _facts_of(label: Value, arity: int) -> Facts:
    """Return the facts that a value states."""
    if arity == 1:
        return ((),) if label else ()
    return tuple((name,) for name in dict.fromkeys(facts_in(label)))


def _group_rules(rules: Iterable[OnlineRule], shape: tuple[int, ...]) -> list[_RuleGroup]:
    """Return the rules in groups; one that reads a part of the facts of another belongs to its group."""
    found: list[_RuleGroup] = []
    for rule in sorted(rules, key=lambda rule: -len(_facts_read(rule))):
        facts = _facts_read(rule)
        group = next((each for each in found if each.reach == rule.reach and set(facts) <= set(each.facts)), None)
        if group is None:
            group = _RuleGroup(facts, rule.reach, [], CodeTable(1 + len(facts)), np.zeros((0, *shape)))
            found.append(group)
        group.rules.append(rule)
    return found


def _facts_read(rule: OnlineRule) -> tuple[_Fact, ...]:
    return tuple(sorted({_Fact(literal.predicate, -literal.shift) for literal in rule.evidence}))
