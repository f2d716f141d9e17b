"""A probabilistic Earley parser, one action at a time (Stolcke 1995).

A plan under way is its last *column*: the methods that were started and not finished, each with the column of its
start. Columns that no open method refers to are garbage. Left recursion and unit cycles are summed beforehand
(``build_tables``), so the parser never loops.

All numbers are conditional on the observed actions, so that long plans do not underflow: ``inner`` is the chance of the
finished steps given the method's head, divided by the chance of the actions observed meanwhile.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

MAX_LOOP_CHANCE = 1.0 - 1e-12  # a loop that repeats with at least this chance never ends


def chain_closure(steps: Sequence[Mapping[int, float]]) -> list[dict[int, float]] | None:
    """Return the expected number of visits from each node to each other, over chains of any length (zero included).

    It is the sum 1 + P + P² + … by Kleene's algorithm: one node after the other becomes an intermediate stop, so loops
    cost no more than chains. None if a loop never ends.

    >>> chain_closure([{0: 0.5, 1: 0.25}, {}])
    [{0: 2.0, 1: 0.5}, {1: 1.0}]
    >>> chain_closure([{0: 1.0}]) is None
    True
    """
    ways = [dict(row) for row in steps]
    for stop, through in enumerate(ways):
        again = through.get(stop, 0.0)
        if again > MAX_LOOP_CHANCE:
            return None
        onward = {node: chance / (1.0 - again) for node, chance in through.items()}
        for start, row in enumerate(ways):
            reached = row.get(stop, 0.0) if start != stop else again
            if not reached:
                continue
            for node, chance in onward.items():
                row[node] = row.get(node, 0.0) + reached * chance
    for node, row in enumerate(ways):
        row[node] = row.get(node, 0.0) + 1.0
    return ways


class ProductionLike(Protocol):
    """What the parser reads of a production."""

    @property
    def task(self) -> str: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def chance(self) -> float: ...


class ParserRule(NamedTuple):
    """A production that is not a unit. Steps are indices: tasks from 0 up, actions from -1 down."""

    head: int
    body: tuple[int, ...]
    chance: float
    production: int


class UnitRule(NamedTuple):
    """A production whose only step is a task; its chance is part of the closures."""

    head: int
    only: int
    chance: float
    production: int


class ParserTables(NamedTuple):
    """The grammar as the parser reads it."""

    tasks: tuple[str, ...]
    actions: dict[str, int]
    rules: tuple[ParserRule, ...]
    units: tuple[UnitRule, ...]
    starting: dict[int, tuple[int, ...]]  # rules by their first step
    begins: tuple[dict[int, float], ...]  # task × task: how often a plan of one begins with the other (R_L)
    stands_for: tuple[dict[int, float], ...]  # task × task: how often one consists of just the other (R_U)
    wanted_as: tuple[tuple[tuple[int, float], ...], ...]  # the columns of ``stands_for``
    goals: tuple[int, ...]
    prior: tuple[float, ...]


def build_tables(
    productions: Sequence[ProductionLike], goals: Mapping[str, float], actions: Sequence[str]
) -> ParserTables:
    """Return the parser's tables of a checked grammar."""
    names = tuple(dict.fromkeys(each.task for each in productions))
    number = {name: place for place, name in enumerate(names)}
    action = {name: -1 - place for place, name in enumerate(actions)}
    rules, units = _numbered(productions, {**action, **number})
    starting: dict[int, tuple[int, ...]] = {}
    for place, rule in enumerate(rules):
        starting[rule.body[0]] = (*starting.get(rule.body[0], ()), place)
    begins, stands_for = left_corners(len(names), rules, units), unit_chains(len(names), units)
    assert begins is not None, "the grammar was checked"
    assert stands_for is not None, "the grammar was checked"
    wanted_as = tuple(
        tuple((outer, row[inner]) for outer, row in enumerate(stands_for) if row.get(inner))
        for inner in range(len(names))
    )
    wanted, prior = tuple(number[goal] for goal in goals), tuple(goals.values())
    return ParserTables(
        names, action, rules, units, starting, tuple(begins), tuple(stands_for), wanted_as, wanted, prior
    )


def _numbered(
    productions: Sequence[ProductionLike], number: Mapping[str, int]
) -> tuple[tuple[ParserRule, ...], tuple[UnitRule, ...]]:
    """Return the productions with a chance above 0: rules and units."""
    rules, units = list[ParserRule](), list[UnitRule]()
    for place, each in enumerate(productions):
        body = tuple(number[step] for step in each.steps)
        if each.chance == 0.0:
            continue
        if len(body) == 1 and body[0] >= 0:
            units.append(UnitRule(number[each.task], body[0], each.chance, place))
        else:
            rules.append(ParserRule(number[each.task], body, each.chance, place))
    return tuple(rules), tuple(units)


def left_corners(tasks: int, rules: Sequence[ParserRule], units: Sequence[UnitRule]) -> list[dict[int, float]] | None:
    """Return the left-corner closure, or None if left recursion never ends."""
    steps = [dict[int, float]() for _ in range(tasks)]
    for rule in rules:
        if rule.body[0] >= 0:
            steps[rule.head][rule.body[0]] = steps[rule.head].get(rule.body[0], 0.0) + rule.chance
    for unit in units:
        steps[unit.head][unit.only] = steps[unit.head].get(unit.only, 0.0) + unit.chance
    return chain_closure(steps)


def unit_chains(tasks: int, units: Sequence[UnitRule]) -> list[dict[int, float]] | None:
    """Return the unit closure, or None if a cycle of units never ends."""
    steps = [dict[int, float]() for _ in range(tasks)]
    for unit in units:
        steps[unit.head][unit.only] = steps[unit.head].get(unit.only, 0.0) + unit.chance
    return chain_closure(steps)


GoalShares = list[float]  # one for each goal


class EarleyItem(NamedTuple):
    """A started method: ``done`` of its steps are finished, and it started in ``origin``."""

    rule: int
    done: int
    origin: "Column"
    inner: float


class Column:
    """The state of one plan after an action. ``opened`` and ``closed`` together sum to 1 over all goals."""

    __slots__ = ("closed", "expected", "opened", "place", "waiting")

    def __init__(self, place: int, goals: int) -> None:
        self.place = place  # the number of actions so far
        self.waiting: dict[int, list[EarleyItem]] = {}  # by the next step
        self.expected: dict[int, GoalShares] = {}  # the tasks that may start here, with their chance under each goal
        self.opened: GoalShares = [0.0] * goals  # the chance of each goal with an unfinished plan
        self.closed: GoalShares = [0.0] * goals  # and with a finished one


def start_column(tables: ParserTables) -> Column:
    """Return the column before the first action."""
    column = Column(0, len(tables.goals))
    wanted: dict[int, GoalShares] = {}
    for place, (goal, chance) in enumerate(zip(tables.goals, tables.prior, strict=True)):
        wanted.setdefault(goal, [0.0] * len(tables.goals))[place] += chance
        column.opened[place] = chance
    _predict(tables, column, wanted)
    return column


def column_next_actions(tables: ParserTables, column: Column) -> dict[int, float]:
    """Return the chance of each next action; the rest to 1 is the chance that the plan is finished."""
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


def advance_column(tables: ParserTables, column: Column, steps: Iterable[int]) -> tuple[float, Column | None]:
    """Return the chance that one of ``steps`` (actions) is next, and the column after it; None if impossible."""
    scanned: list[EarleyItem] = []
    for step in steps:
        scanned += (
            EarleyItem(each.rule, each.done + 1, each.origin, each.inner) for each in column.waiting.get(step, ())
        )
        for number in tables.starting.get(step, ()):
            if tables.rules[number].head in column.expected:
                scanned.append(EarleyItem(number, 1, column, tables.rules[number].chance))
    chance = sum(_share(tables, item) for item in scanned)
    if chance <= 0.0:
        return 0.0, None
    after = Column(column.place + 1, len(tables.goals))
    found = _ColumnBuilder(tables, after)
    for item in scanned:
        found.add(item.rule, item.done, item.origin, item.inner / chance)
    found.complete()
    _finish_column(tables, after, found)
    return chance, after


class _ColumnBuilder:
    """Collects the items of a new column: equal items are summed, finished tasks are kept by their origin."""

    def __init__(self, tables: ParserTables, column: Column) -> None:
        self._tables, self._column = tables, column
        self.open: dict[tuple[int, int, int], list[float]] = {}
        self.origins: dict[int, Column] = {}
        self._over: dict[int, dict[int, float]] = {}  # by origin: finished tasks with their inner chance

    def add(self, number: int, done: int, origin: Column, inner: float) -> None:
        rule = self._tables.rules[number]
        self.origins[origin.place] = origin
        if done == len(rule.body):
            over = self._over.setdefault(origin.place, {})
            over[rule.head] = over.get(rule.head, 0.0) + inner
        else:
            self.open.setdefault((number, done, origin.place), [0.0])[0] += inner

    def complete(self) -> None:
        """Advance the items that wait for a finished task, the youngest first: it may finish an older one."""
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


def _finish_column(tables: ParserTables, column: Column, found: _ColumnBuilder) -> None:
    items = []
    for (number, done, place), (inner,) in found.open.items():
        step = tables.rules[number].body[done]
        item = EarleyItem(number, done, found.origins[place], inner)
        column.waiting.setdefault(step, []).append(item)
        items.append((step, item))
    set_shares(tables, column, items)


def set_shares(tables: ParserTables, column: Column, items: Iterable[tuple[int, EarleyItem]]) -> None:
    """Set what follows from the waiting methods of a column: the chance of each goal, and the tasks that may start."""
    wanted: dict[int, GoalShares] = {}
    for step, item in items:
        shares = [item.inner * each for each in item.origin.expected[tables.rules[item.rule].head]]
        _add(column.opened, shares, 1.0)
        if step >= 0:
            _add(wanted.setdefault(step, [0.0] * len(shares)), shares, 1.0)
    _predict(tables, column, wanted)


def _predict(tables: ParserTables, column: Column, wanted: dict[int, GoalShares]) -> None:
    """Predict every task that a wanted one may begin with, by the left-corner closure."""
    for task, shares in wanted.items():
        for first, times in tables.begins[task].items():
            _add(column.expected.setdefault(first, [0.0] * len(shares)), shares, times)


def _add(to: GoalShares, shares: GoalShares, times: float) -> None:
    for place, share in enumerate(shares):
        to[place] += share * times


def _share(tables: ParserTables, item: EarleyItem) -> float:
    return item.inner * sum(item.origin.expected[tables.rules[item.rule].head])
