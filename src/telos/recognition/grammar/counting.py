"""Chances of methods from counts: how often each was taken, where the trees of plans are known."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from telos.core.errors import TelosError, name_hint
from telos.recognition.grammar.plan_grammar import PlanGrammar


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a task was done: the method taken, and how each of its steps that is a task was done, in order.

    >>> Derivation("fetch", "walk", (Derivation("reach", "door"),)).task
    'fetch'
    """

    task: str
    method: str
    parts: tuple["Derivation", ...] = field(default=())


@dataclass(slots=True)
class Counts:
    """How often each production was taken and each goal was pursued, in the order of the grammar."""

    productions: list[float]
    goals: list[float]

    @classmethod
    def none(cls, grammar: PlanGrammar) -> "Counts":
        """Return counts of nothing yet."""
        return cls([0.0] * len(grammar.productions), [0.0] * len(grammar.goals))


def learn_from_trees(grammar: PlanGrammar, trees: Iterable[Derivation], *, prior: float = 0.0) -> PlanGrammar:
    """Return the grammar with the chances that methods have in ``trees``; ``prior`` is added to each count.

    What the trees never do keeps the chances that it has.
    """
    counts = Counts.none(grammar)
    places = {(each.task, each.method): place for place, each in enumerate(grammar.productions)}
    goals = list(grammar.goals)
    for tree in trees:
        if tree.task not in goals:
            raise TelosError(f"a tree is of {tree.task!r}, which is no goal", name_hint(tree.task, goals))
        counts.goals[goals.index(tree.task)] += 1.0
        _count(grammar, tree, places, counts)
    return reweighted(grammar, counts, prior=prior)


def _count(grammar: PlanGrammar, tree: Derivation, places: dict[tuple[str, str], int], counts: Counts) -> None:
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


def reweighted(grammar: PlanGrammar, counts: Counts, *, prior: float = 0.0) -> PlanGrammar:
    """Return the grammar with chances in proportion to counts; a task that was never done keeps its own."""
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
