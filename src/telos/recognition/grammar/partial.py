"""Partial plans: what a player has probably done of a plan, and what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from telos.recognition.grammar.earley import Column, Item
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.tables import Rule, Tables, Unit


@dataclass(frozen=True, slots=True)
class Level:
    """One method under way: the steps that are done, and those to come; the first of these may be begun already."""

    task: str
    method: str
    done: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartialPlan:
    """A plan under way, from its goal down to the method that the last action was a step of."""

    goal: str
    chance: float
    levels: tuple[Level, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """What is still to be done, in order: tasks and actions."""
        inner = [level.missing[1:] for level in reversed(self.levels[:-1])]
        last = self.levels[-1].missing if self.levels else ()
        return (*last, *(step for steps in inner for step in steps))

    def __str__(self) -> str:
        """Say it in a line."""
        within = " › ".join(f"{level.task} by {level.method}" for level in self.levels)
        done = ", ".join(step for level in self.levels for step in level.done)
        return f"{self.chance:.0%} {self.goal}: {within}; done: {done}; missing: {', '.join(self.missing)}"


def partial_plans(grammar: PlanGrammar, column: Column, weight: float = 1.0) -> list[PartialPlan]:
    """Return the ways in which one plan may be under way, the likeliest first.

    Where several chains of methods lead to the same place, the likeliest stands for them all.
    """
    tables, found = grammar.tables, list[PartialPlan]()
    under_way = sum(column.opened)
    for items in column.waiting.values():
        for item in items:
            shares = item.origin.expected[tables.rules[item.rule].head]
            for place, goal in enumerate(grammar.goals):
                chance = weight * item.inner * shares[place] / under_way
                if chance > 0.0:
                    found.append(PartialPlan(goal, chance, _levels(grammar, item, place)))
    return sorted(found, key=lambda plan: -plan.chance)


def _levels(grammar: PlanGrammar, item: Item, goal: int) -> tuple[Level, ...]:
    """Return the methods that the item is inside of, the outermost first."""
    levels: list[Level] = []
    inner: Item | None = item
    while inner is not None:
        rule = grammar.tables.rules[inner.rule]
        levels.append(_level(grammar, rule, inner.done))
        chain, outer = _chain_up(grammar.tables, inner.origin, rule.head, goal)
        levels += (_level(grammar, each, 0) for each in chain)
        inner = outer
    return tuple(reversed(levels))


def _level(grammar: PlanGrammar, rule: Rule | Unit, done: int) -> Level:
    made = grammar.productions[rule.production]
    return Level(made.task, made.method, made.steps[:done], made.steps[done:])


def _chain_up(tables: Tables, column: Column, task: int, goal: int) -> tuple[list[Rule | Unit], Item | None]:
    """Return the likeliest chain of methods, begun in ``column``, from a task up to an older method or the goal."""
    best: dict[int, tuple[float, list[Rule | Unit]]] = {task: (1.0, [])}
    fringe = [task]
    while fringe:
        inner = fringe.pop(0)
        for rule in _parents(tables, inner):
            value = best[inner][0] * rule.chance
            if rule.head in column.expected and value > best.get(rule.head, (0.0, []))[0]:
                best[rule.head] = value, [*best[inner][1], rule]
                fringe.append(rule.head)
    ends: list[tuple[float, list[Rule | Unit], Item | None]] = []
    for wanted, (value, chain) in best.items():
        for item in column.waiting.get(wanted, ()):
            share = item.inner * item.origin.expected[tables.rules[item.rule].head][goal]
            ends.append((value * share, chain, item))
        if column.place == 0 and tables.goals[goal] == wanted:
            ends.append((value * tables.prior[goal], chain, None))
    _, chain, outer = max(ends, key=lambda each: each[0])
    return chain, outer


def _parents(tables: Tables, task: int) -> Sequence[Rule | Unit]:
    """Return the methods that begin with a task."""
    rules = [tables.rules[number] for number in tables.starting.get(task, ())]
    return [*rules, *(unit for unit in tables.units if unit.only == task)]
