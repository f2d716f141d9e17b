"""Chances of methods from data: counted in known derivations, or by the inside-outside algorithm."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from telos.core.errors import TelosError, name_hint
from telos.recognition.grammar.earley import ParserTables
from telos.recognition.grammar.grammar import PlanGrammar, possible_steps


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derivation tree: the method of a task, and the derivations of its subtasks in order.

    >>> Derivation("fetch", "walk", (Derivation("reach", "door"),)).task
    'fetch'
    """

    task: str
    method: str
    parts: tuple["Derivation", ...] = field(default=())


@dataclass(slots=True)
class ProductionCounts:
    """Counts of productions and goals, in the order of the grammar."""

    productions: list[float]
    goals: list[float]

    @classmethod
    def none(cls, grammar: PlanGrammar) -> "ProductionCounts":
        """Return zero counts."""
        return cls([0.0] * len(grammar.productions), [0.0] * len(grammar.goals))


def learn_from_trees(grammar: PlanGrammar, trees: Iterable[Derivation], *, prior: float = 0.0) -> PlanGrammar:
    """Return the grammar with chances counted in derivation trees; ``prior`` is added to each count.

    Tasks that occur in no tree keep their chances.
    """
    counts = ProductionCounts.none(grammar)
    places = {(each.task, each.method): place for place, each in enumerate(grammar.productions)}
    goals = list(grammar.goals)
    for tree in trees:
        if tree.task not in goals:
            raise TelosError(f"a tree derives {tree.task!r}, which is not a goal", name_hint(tree.task, goals))
        counts.goals[goals.index(tree.task)] += 1.0
        _count(grammar, tree, places, counts)
    return apply_counts(grammar, counts, prior=prior)


def _count(
    grammar: PlanGrammar, tree: Derivation, places: dict[tuple[str, str], int], counts: ProductionCounts
) -> None:
    place = places.get((tree.task, tree.method))
    if place is None:
        known = [method for task, method in places if task == tree.task]
        raise TelosError(f"task {tree.task!r} has no method {tree.method!r}", name_hint(tree.method, known))
    counts.productions[place] += 1.0
    tasks = set(grammar.tables.tasks)
    wanted = [step for step in grammar.productions[place].steps if step in tasks]
    if wanted != [part.task for part in tree.parts]:
        done = ", ".join(part.task for part in tree.parts) or "none"
        raise TelosError(f"method {tree.method!r} of {tree.task!r} has the tasks {', '.join(wanted)}, the tree {done}")
    for part in tree.parts:
        _count(grammar, part, places, counts)


def apply_counts(grammar: PlanGrammar, counts: ProductionCounts, *, prior: float = 0.0) -> PlanGrammar:
    """Return the grammar with chances proportional to counts; a task without counts keeps its own."""
    if not (math.isfinite(prior) and prior >= 0):
        raise TelosError(f"prior must be zero or more, got {prior!r}")
    totals = dict.fromkeys(grammar.tasks, 0.0)
    for each, count in zip(grammar.productions, counts.productions, strict=True):
        totals[each.task] += count + prior
    chances = {
        (each.task, each.method): (count + prior) / totals[each.task] if totals[each.task] > 0 else each.chance
        for each, count in zip(grammar.productions, counts.productions, strict=True)
    }
    pursued = math.fsum(counts.goals) + prior * len(counts.goals)
    goals = {
        goal: (count + prior) / pursued if pursued > 0 else chance
        for (goal, chance), count in zip(grammar.goals.items(), counts.goals, strict=True)
    }
    return grammar.with_chances(chances, goals)


ActionRange = tuple[int, int]
Key = TypeVar("Key")
StartedRule = tuple[int, int]  # a rule, and the number of its finished steps


class InsideOutsideChart:
    """The inside and outside chances of one plan; each action is given as its possible steps, ``goal`` if known.

    Inside chances are computed from the shortest range of actions up. The expected count of each production is the
    derivative of the log-likelihood, propagated from the longest range down. Units are summed by their closure.
    """

    def __init__(self, tables: ParserTables, plan: tuple[tuple[int, ...], ...], goal: int | None = None) -> None:
        self._tables, self._plan = tables, plan
        self._steps: dict[ActionRange, dict[int, float]] = {}  # the inside chance of each task; 1 for actions
        self._begun: dict[ActionRange, dict[StartedRule, float]] = {}
        for length in range(1, len(plan) + 1):
            for first in range(len(plan) - length + 1):
                self._fill((first, first + length))
        top = self._steps.get((0, len(plan)), {})
        wanted = range(len(tables.goals)) if goal is None else [goal]
        self._shares = {each: tables.prior[each] * top.get(tables.goals[each], 0.0) for each in wanted}
        self.likelihood = math.fsum(self._shares.values())

    def _fill(self, span: ActionRange) -> None:
        first, end = span
        rules, begun = self._tables.rules, dict[StartedRule, float]()
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

    def _whole(self, span: ActionRange, begun: dict[StartedRule, float]) -> dict[int, float]:
        """Return the inside chance of each task in this range, by productions that are not units."""
        whole: dict[int, float] = {}
        for (number, done), chance in begun.items():
            rule = self._tables.rules[number]
            if done == len(rule.body):
                whole[rule.head] = whole.get(rule.head, 0.0) + rule.chance * chance
        for number in self._single(span):
            rule = self._tables.rules[number]
            whole[rule.head] = whole.get(rule.head, 0.0) + rule.chance
        return whole

    def _single(self, span: ActionRange) -> list[int]:
        """Return the rules whose only step is the action in the range."""
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

    def count(self, counts: ProductionCounts) -> None:
        """Add the expected counts of productions and goals over the trees of the plan."""
        worth: dict[ActionRange, dict[int, float]] = {span: {} for span in self._steps}  # the outside chances of steps
        owed: dict[ActionRange, dict[StartedRule, float]] = {span: {} for span in self._steps}  # and of started rules
        for goal, share in self._shares.items():
            counts.goals[goal] += share / self.likelihood
            if share:
                _add(worth[0, len(self._plan)], self._tables.goals[goal], self._tables.prior[goal] / self.likelihood)
        for span in sorted(self._steps, key=lambda span: span[0] - span[1]):
            for (number, done), value in owed[span].items():
                if done == 1:
                    _add(worth[span], self._tables.rules[number].body[0], value)
            outside = self._opened(worth[span])
            self._count_units(span, outside, counts)
            self._count_rules(span, outside, counts, owed[span])
            self._propagate_down(span, owed, worth)

    def _opened(self, worth: dict[int, float]) -> dict[int, float]:
        """Return the outside chance of each task that is not derived by a unit."""
        outside: dict[int, float] = {}
        for outer, value in worth.items():
            if outer >= 0:
                for task, times in self._tables.stands_for[outer].items():
                    _add(outside, task, value * times)
        return outside

    def _count_units(self, span: ActionRange, outside: dict[int, float], counts: ProductionCounts) -> None:
        for unit in self._tables.units:
            inner = self._steps[span].get(unit.only)
            if inner and unit.head in outside:
                counts.productions[unit.production] += outside[unit.head] * unit.chance * inner

    def _count_rules(
        self, span: ActionRange, outside: dict[int, float], counts: ProductionCounts, owed: dict[StartedRule, float]
    ) -> None:
        for number in self._single(span):
            rule = self._tables.rules[number]
            counts.productions[rule.production] += outside.get(rule.head, 0.0) * rule.chance
        for (number, done), chance in self._begun[span].items():
            rule = self._tables.rules[number]
            if done == len(rule.body) and rule.head in outside:
                counts.productions[rule.production] += outside[rule.head] * rule.chance * chance
                _add(owed, (number, done), outside[rule.head] * rule.chance)

    def _propagate_down(
        self,
        span: ActionRange,
        owed: dict[ActionRange, dict[StartedRule, float]],
        worth: dict[ActionRange, dict[int, float]],
    ) -> None:
        """Propagate the outside chances of started rules to their parts."""
        first, end = span
        for (number, done), value in owed[span].items():
            if done == 1:
                continue
            step, before = self._tables.rules[number].body[done - 1], (number, done - 1)
            for middle in range(first + 1, end):
                left, right = self._begun[first, middle].get(before), self._steps[middle, end].get(step)
                if left and right:
                    _add(owed[first, middle], before, value * right)
                    _add(worth[middle, end], step, value * left)


def _add(table: dict[Key, float], key: Key, value: float) -> None:
    table[key] = table.get(key, 0.0) + value


PlanTrace = Sequence[str] | tuple[Sequence[str], str]  # the actions of a whole plan, or (actions, goal)


@dataclass(frozen=True, slots=True)
class LearningRound:
    """The grammar after a round, and the log-likelihood of the training plans under it."""

    grammar: PlanGrammar
    log_likelihood: float


def inside_outside(
    grammar: PlanGrammar, traces: Iterable[PlanTrace], *, rounds: int = 20, tolerance: float = 1e-6, prior: float = 0.0
) -> list[LearningRound]:
    """Learn the chances of methods from plans without trees; return the given grammar and that of each round.

    A trace is a whole plan of one goal: its actions, or ``(actions, goal)`` if the goal is known. The likelihood never
    falls; rounds end early when they gain less than ``tolerance`` per trace. ``prior`` is added to each count: it keeps
    unseen methods possible, and since the likelihood alone may then fall, all rounds are run.
    """
    plans = [_plan(grammar, trace) for trace in traces]
    if not plans:
        raise TelosError("there are no traces", "give at least one trace")
    counts, likelihood = expected_counts(grammar, plans)
    history = [LearningRound(grammar, likelihood)]
    for _ in range(rounds):
        grammar = apply_counts(grammar, counts, prior=prior)
        counts, likelihood = expected_counts(grammar, plans)
        history.append(LearningRound(grammar, likelihood))
        if not prior and likelihood - history[-2].log_likelihood < tolerance * len(plans):
            break
    return history


def log_likelihood(grammar: PlanGrammar, traces: Iterable[PlanTrace]) -> float:
    """Return the log-likelihood of whole plans; minus infinity if one is impossible."""
    found = (InsideOutsideChart(grammar.tables, *_plan(grammar, trace)).likelihood for trace in traces)
    return math.fsum(math.log(each) if each > 0 else -math.inf for each in found)


EncodedPlan = tuple[tuple[tuple[int, ...], ...], int | None]


def _plan(grammar: PlanGrammar, trace: PlanTrace) -> EncodedPlan:
    known = grammar.tables.actions
    actions, goal = trace if len(trace) == 2 and not isinstance(trace[0], str) else (trace, None)
    if goal is not None and goal not in grammar.goals:
        raise TelosError(f"a trace pursues {goal!r}, which is not a goal of the grammar: {', '.join(grammar.goals)}")
    seen = tuple(tuple(known[each] for each in possible_steps(str(action)) if each in known) for action in actions)
    return seen, None if goal is None else list(grammar.goals).index(str(goal))


def expected_counts(grammar: PlanGrammar, plans: Iterable[EncodedPlan]) -> tuple[ProductionCounts, float]:
    """Return the expected counts of productions and goals over all trees, and the log-likelihood."""
    counts, total = ProductionCounts.none(grammar), 0.0
    for plan in plans:
        chart = InsideOutsideChart(grammar.tables, *plan)
        if chart.likelihood <= 0.0:
            raise TelosError(
                f"no plan of the grammar has the actions {_format_plan(grammar, plan)}", "leave that trace out"
            )
        total += math.log(chart.likelihood)
        chart.count(counts)
    return counts, total


def _format_plan(grammar: PlanGrammar, plan: EncodedPlan) -> str:
    names = {number: name for name, number in grammar.tables.actions.items()}
    shown = [names[steps[0]] if steps else "(unknown action)" for steps in plan[0][:8]]
    return ", ".join(shown) + (", …" if len(plan[0]) > 8 else "")
