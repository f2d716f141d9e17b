"""The inside and outside chances of one whole plan: which task may cover which actions.

Inside chances are found from the shortest span up. How often each production is used, on average over all trees, is
the derivative of the log-likelihood, carried back from the longest span down. Units are closed (see `tables`).
"""

import math
from typing import TypeVar

from telos.recognition.grammar.counting import Counts
from telos.recognition.grammar.tables import Tables

Span = tuple[int, int]
Key = TypeVar("Key")
Begun = tuple[int, int]  # a rule, and how many of its steps are done


class Spans:
    """All spans of a plan, each action given as the steps that it may be; ``goal`` if it is known."""

    def __init__(self, tables: Tables, plan: tuple[tuple[int, ...], ...], goal: int | None = None) -> None:
        self._tables, self._plan = tables, plan
        self._steps: dict[Span, dict[int, float]] = {}  # the chance of each task to be just this, and of actions 1
        self._begun: dict[Span, dict[Begun, float]] = {}
        for length in range(1, len(plan) + 1):
            for first in range(len(plan) - length + 1):
                self._fill((first, first + length))
        top = self._steps.get((0, len(plan)), {})
        wanted = range(len(tables.goals)) if goal is None else [goal]
        self._shares = {each: tables.prior[each] * top.get(tables.goals[each], 0.0) for each in wanted}
        self.likelihood = math.fsum(self._shares.values())

    def _fill(self, span: Span) -> None:
        first, end = span
        rules, begun = self._tables.rules, dict[Begun, float]()
        for middle in range(first + 1, end):
            following = self._steps[middle, end]
            for (number, done), chance in self._begun[first, middle].items():
                body = rules[number].body
                if done < len(body) and body[done] in following:
                    begun[number, done + 1] = begun.get((number, done + 1), 0.0) + chance * following[body[done]]
        steps = self._closed(self._whole(span, begun))
        if end == first + 1:
            steps |= dict.fromkeys(self._plan[first], 1.0)
        for step, chance in steps.items():
            for number in self._tables.starting.get(step, ()):
                if len(rules[number].body) > 1:
                    begun[number, 1] = chance
        self._steps[span], self._begun[span] = steps, begun

    def _whole(self, span: Span, begun: dict[Begun, float]) -> dict[int, float]:
        """Return the chance of each task to be done in just this span, by a production that is no unit."""
        whole: dict[int, float] = {}
        for (number, done), chance in begun.items():
            rule = self._tables.rules[number]
            if done == len(rule.body):
                whole[rule.head] = whole.get(rule.head, 0.0) + rule.chance * chance
        for number in self._single(span):
            rule = self._tables.rules[number]
            whole[rule.head] = whole.get(rule.head, 0.0) + rule.chance
        return whole

    def _single(self, span: Span) -> list[int]:
        """Return the rules whose only step is the action in the span."""
        first, end = span
        steps = self._plan[first] if end == first + 1 else ()
        starting = (number for step in steps for number in self._tables.starting.get(step, ()))
        return [number for number in starting if len(self._tables.rules[number].body) == 1]

    def _closed(self, whole: dict[int, float]) -> dict[int, float]:
        steps: dict[int, float] = {}
        for task, chance in whole.items():
            for outer, times in self._tables.wanted_as[task]:
                steps[outer] = steps.get(outer, 0.0) + times * chance
        return steps

    def count(self, counts: Counts) -> None:
        """Add how often each production and goal is used, on average over the trees of the plan."""
        worth: dict[Span, dict[int, float]] = {span: {} for span in self._steps}  # of steps: outside chances
        owed: dict[Span, dict[Begun, float]] = {span: {} for span in self._steps}  # and of begun rules
        for goal, share in self._shares.items():
            counts.goals[goal] += share / self.likelihood
            if share:
                _raise(worth[0, len(self._plan)], self._tables.goals[goal], self._tables.prior[goal] / self.likelihood)
        for span in sorted(self._steps, key=lambda span: span[0] - span[1]):
            for (number, done), value in owed[span].items():
                if done == 1:
                    _raise(worth[span], self._tables.rules[number].body[0], value)
            outside = self._opened(worth[span])
            self._count_units(span, outside, counts)
            self._count_rules(span, outside, counts, owed[span])
            self._hand_down(span, owed, worth)

    def _opened(self, worth: dict[int, float]) -> dict[int, float]:
        """Return what a task done by a production that is no unit is worth: whatever it may stand for."""
        outside: dict[int, float] = {}
        for outer, value in worth.items():
            if outer >= 0:
                for task, times in self._tables.stands_for[outer].items():
                    _raise(outside, task, value * times)
        return outside

    def _count_units(self, span: Span, outside: dict[int, float], counts: Counts) -> None:
        for unit in self._tables.units:
            inner = self._steps[span].get(unit.only)
            if inner and unit.head in outside:
                counts.productions[unit.production] += outside[unit.head] * unit.chance * inner

    def _count_rules(self, span: Span, outside: dict[int, float], counts: Counts, owed: dict[Begun, float]) -> None:
        for number in self._single(span):
            rule = self._tables.rules[number]
            counts.productions[rule.production] += outside.get(rule.head, 0.0) * rule.chance
        for (number, done), chance in self._begun[span].items():
            rule = self._tables.rules[number]
            if done == len(rule.body) and rule.head in outside:
                counts.productions[rule.production] += outside[rule.head] * rule.chance * chance
                _raise(owed, (number, done), outside[rule.head] * rule.chance)

    def _hand_down(self, span: Span, owed: dict[Span, dict[Begun, float]], worth: dict[Span, dict[int, float]]) -> None:
        """Pass what begun rules are worth on to the parts that they were put together from."""
        first, end = span
        for (number, done), value in owed[span].items():
            if done == 1:
                continue
            step, before = self._tables.rules[number].body[done - 1], (number, done - 1)
            for middle in range(first + 1, end):
                left, right = self._begun[first, middle].get(before), self._steps[middle, end].get(step)
                if left and right:
                    _raise(owed[first, middle], before, value * right)
                    _raise(worth[middle, end], step, value * left)


def _raise(table: dict[Key, float], key: Key, value: float) -> None:
    table[key] = table.get(key, 0.0) + value
