"""A grammar laid out for parsing: rules by number, and the closures of its left corners and units."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from telos.recognition.grammar.closures import closure


class Produced(Protocol):
    """What is asked of a production."""

    @property
    def task(self) -> str: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def chance(self) -> float: ...


class Rule(NamedTuple):
    """A production that is no unit. A step that is a task has its number; actions count down from -1."""

    head: int
    body: tuple[int, ...]
    chance: float
    production: int


class Unit(NamedTuple):
    """A production whose only step is a task. Parsing never sees it: its chances are part of the closures."""

    head: int
    only: int
    chance: float
    production: int


class Tables(NamedTuple):
    """Everything that the parser looks up."""

    tasks: tuple[str, ...]
    actions: dict[str, int]
    rules: tuple[Rule, ...]
    units: tuple[Unit, ...]
    starting: dict[int, tuple[int, ...]]  # rules by their first step
    begins: tuple[dict[int, float], ...]  # task × task: how often a plan of the one begins with the other (R_L)
    stands_for: tuple[dict[int, float], ...]  # task × task: how often the one is nothing but the other (R_U)
    wanted_as: tuple[tuple[tuple[int, float], ...], ...]  # the columns of ``stands_for``
    goals: tuple[int, ...]
    prior: tuple[float, ...]


def tables(productions: Sequence[Produced], goals: Mapping[str, float], actions: Sequence[str]) -> Tables:
    """Return the tables of a grammar that is known to be good."""
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
    return Tables(names, action, rules, units, starting, tuple(begins), tuple(stands_for), wanted_as, wanted, prior)


def _numbered(productions: Sequence[Produced], number: Mapping[str, int]) -> tuple[tuple[Rule, ...], tuple[Unit, ...]]:
    """Return the productions that are ever taken: rules, and units apart."""
    rules, units = list[Rule](), list[Unit]()
    for place, each in enumerate(productions):
        body = tuple(number[step] for step in each.steps)
        if each.chance == 0.0:
            continue
        if len(body) == 1 and body[0] >= 0:
            units.append(Unit(number[each.task], body[0], each.chance, place))
        else:
            rules.append(Rule(number[each.task], body, each.chance, place))
    return tuple(rules), tuple(units)


def left_corners(tasks: int, rules: Sequence[Rule], units: Sequence[Unit]) -> list[dict[int, float]] | None:
    """Return the closure of "begins with", or None if left recursion never ends."""
    steps = [dict[int, float]() for _ in range(tasks)]
    for rule in rules:
        if rule.body[0] >= 0:
            steps[rule.head][rule.body[0]] = steps[rule.head].get(rule.body[0], 0.0) + rule.chance
    for unit in units:
        steps[unit.head][unit.only] = steps[unit.head].get(unit.only, 0.0) + unit.chance
    return closure(steps)


def unit_chains(tasks: int, units: Sequence[Unit]) -> list[dict[int, float]] | None:
    """Return the closure of "is nothing but", or None if a cycle of units never ends."""
    steps = [dict[int, float]() for _ in range(tasks)]
    for unit in units:
        steps[unit.head][unit.only] = steps[unit.head].get(unit.only, 0.0) + unit.chance
    return closure(steps)
