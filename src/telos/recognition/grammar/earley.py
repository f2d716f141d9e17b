"""An Earley parser with chances, one action at a time (Stolcke 1995).

A plan under way is its last *column*: the methods that have been begun and not finished, each with the column that it
was begun in. A column that no open method goes back to is forgotten. Left recursion and cycles of units are summed up
beforehand (see `tables`), so nothing here goes round in circles.

All numbers are conditional on what was seen, so that long plans do not underflow: ``inner`` is the chance of the steps
done, given the method's head and divided by the chance of the actions seen meanwhile.
"""

from collections.abc import Iterable
from typing import NamedTuple

from telos.recognition.grammar.tables import Tables

Shares = list[float]  # one for each goal


class Item(NamedTuple):
    """A method that has been begun: ``done`` of its steps are over, and it was begun in ``origin``."""

    rule: int
    done: int
    origin: "Column"
    inner: float


class Column:
    """All that is known about one plan after an action. ``opened`` and ``closed`` sum to 1 over both and all goals."""

    __slots__ = ("closed", "expected", "opened", "place", "waiting")

    def __init__(self, place: int, goals: int) -> None:
        self.place = place  # how many actions the plan has
        self.waiting: dict[int, list[Item]] = {}  # by the step that is next
        self.expected: dict[int, Shares] = {}  # the tasks that may begin here: how likely each is, with each goal
        self.opened: Shares = [0.0] * goals  # the chance of each goal and that its plan is not over
        self.closed: Shares = [0.0] * goals  # and that it is


def start(tables: Tables) -> Column:
    """Return the column of a plan of which nothing has been seen."""
    column = Column(0, len(tables.goals))
    wanted: dict[int, Shares] = {}
    for place, (goal, chance) in enumerate(zip(tables.goals, tables.prior, strict=True)):
        wanted.setdefault(goal, [0.0] * len(tables.goals))[place] += chance
        column.opened[place] = chance
    _predict(tables, column, wanted)
    return column


def next_actions(tables: Tables, column: Column) -> dict[int, float]:
    """Return how likely each action is next; what is missing to 1 is the chance that the plan is over."""
    found: dict[int, float] = {}
    for step, items in column.waiting.items():
        if step < 0:
            found[step] = sum(_share(tables, item) for item in items)
    for step, rules in tables.starting.items():
        if step < 0:
            for each in rules:
                rule = tables.rules[each]
                if rule.head in column.expected:
                    found[step] = found.get(step, 0.0) + sum(column.expected[rule.head]) * rule.chance
    return found


def advance(tables: Tables, column: Column, steps: Iterable[int]) -> tuple[float, Column | None]:
    """Return the chance that one of ``steps`` (actions) comes next, and the column after it; None if it cannot."""
    scanned: list[Item] = []
    for step in steps:
        scanned += (Item(each.rule, each.done + 1, each.origin, each.inner) for each in column.waiting.get(step, ()))
        for number in tables.starting.get(step, ()):
            if tables.rules[number].head in column.expected:
                scanned.append(Item(number, 1, column, tables.rules[number].chance))
    chance = sum(_share(tables, item) for item in scanned)
    if chance <= 0.0:
        return 0.0, None
    after = Column(column.place + 1, len(tables.goals))
    found = _Found(tables, after)
    for item in scanned:
        found.add(item.rule, item.done, item.origin, item.inner / chance)
    found.complete()
    _settle(tables, after, found)
    return chance, after


class _Found:
    """Items that reach the new column, those of the same kind added up, and finished tasks by where they began."""

    def __init__(self, tables: Tables, column: Column) -> None:
        self._tables, self._column = tables, column
        self.open: dict[tuple[int, int, int], list[float]] = {}
        self.origins: dict[int, Column] = {}
        self._over: dict[int, dict[int, float]] = {}  # by place of origin: finished tasks, and their inner chance

    def add(self, number: int, done: int, origin: Column, inner: float) -> None:
        rule = self._tables.rules[number]
        self.origins[origin.place] = origin
        if done == len(rule.body):
            over = self._over.setdefault(origin.place, {})
            over[rule.head] = over.get(rule.head, 0.0) + inner
        else:
            self.open.setdefault((number, done, origin.place), [0.0])[0] += inner

    def complete(self) -> None:
        """Move on whatever waited for a task that is finished, the youngest first: it may finish an older one."""
        while self._over:
            place = max(self._over)
            origin = self.origins[place]
            for task, inner in self._over.pop(place).items():
                for wanted, stands in self._tables.wanted_as[task]:
                    self._move_on(origin, wanted, inner * stands)
                if place == 0:
                    self._finish(task, inner)

    def _move_on(self, origin: Column, wanted: int, inner: float) -> None:
        for item in origin.waiting.get(wanted, ()):
            self.add(item.rule, item.done + 1, item.origin, item.inner * inner)
        for number in self._tables.starting.get(wanted, ()):
            rule = self._tables.rules[number]
            if rule.head in origin.expected:
                self.add(number, 1, origin, rule.chance * inner)

    def _finish(self, task: int, inner: float) -> None:
        for place, (goal, chance) in enumerate(zip(self._tables.goals, self._tables.prior, strict=True)):
            self._column.closed[place] += chance * self._tables.stands_for[goal].get(task, 0.0) * inner


def _settle(tables: Tables, column: Column, found: _Found) -> None:
    wanted: dict[int, Shares] = {}
    for (number, done, place), (inner,) in found.open.items():
        rule, origin = tables.rules[number], found.origins[place]
        step = rule.body[done]
        column.waiting.setdefault(step, []).append(Item(number, done, origin, inner))
        shares = [inner * each for each in origin.expected[rule.head]]
        _add(column.opened, shares, 1.0)
        if step >= 0:
            _add(wanted.setdefault(step, [0.0] * len(shares)), shares, 1.0)
    _predict(tables, column, wanted)


def _predict(tables: Tables, column: Column, wanted: dict[int, Shares]) -> None:
    """Expect every task that a wanted one may begin with, over any number of left corners."""
    for task, shares in wanted.items():
        for first, times in tables.begins[task].items():
            _add(column.expected.setdefault(first, [0.0] * len(shares)), shares, times)


def _add(to: Shares, shares: Shares, times: float) -> None:
    for place, share in enumerate(shares):
        to[place] += share * times


def _share(tables: Tables, item: Item) -> float:
    return item.inner * sum(item.origin.expected[tables.rules[item.rule].head])
