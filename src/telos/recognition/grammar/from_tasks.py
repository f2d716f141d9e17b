"""Plan grammars from task networks: the methods that a character plans with are the productions it is read with."""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from telos.core.errors import TelosError, name_hint
from telos.planning.task_network import TaskNetwork
from telos.planning.tasks import Method
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.productions import Production
from telos.recognition.grammar.tolerance import Tolerance

MOST_ORDERS = 120  # of one method: five steps in any order
ROUNDS = 1_000


def from_tasks(
    network: TaskNetwork,
    goals: Mapping[str, float] | Iterable[str],
    *,
    chances: Mapping[tuple[str, str], float] | None = None,
    tolerance: Tolerance | None = None,
) -> PlanGrammar:
    """Return the grammar whose goals are tasks of ``network``.

    ``chances`` are by task and method; methods that it does not name share what is left evenly. Conditions and
    arguments are left out: a step `goto` is seen in any `goto(place)`. A method in no fixed order becomes one
    production for each order of its subtasks, whose own steps are not interleaved. Methods without subtasks are
    compiled away (see `without_empty`).
    """
    wanted = dict(goals) if isinstance(goals, Mapping) else list(goals)
    for goal in wanted:
        if goal not in network.tasks:
            raise TelosError(f"goal {goal!r} is no task of the network", name_hint(goal, network.tasks))
    shares = _shares(network, chances or {})
    made = [each for method in network.methods for each in _productions(method, shares[method.task, method.name])]
    return PlanGrammar(_leading(without_empty(made), wanted), wanted, tolerance=tolerance)


def _shares(network: TaskNetwork, given: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    known = {(method.task, method.name) for method in network.methods}
    for task, name in given:
        if (task, name) not in known:
            others = [method for at, method in known if at == task]
            raise TelosError(f"task {task!r} has no method {name!r}", name_hint(name, others or network.tasks))
    shares: dict[tuple[str, str], float] = {}
    for task, methods in network.tasks.items():
        left = 1.0 - math.fsum(given.get((task, method.name), 0.0) for method in methods)
        sharing = sum((task, method.name) not in given for method in methods)
        for method in methods:
            shares[task, method.name] = given.get((task, method.name), max(0.0, left) / max(1, sharing))
    return shares


def _productions(method: Method, chance: float) -> Iterator[Production]:
    orders = list(_orders(method))
    for place, order in enumerate(orders, start=1):
        steps = tuple(method.subtasks[which].name for which in order)
        name = method.name if len(orders) == 1 else f"{method.name}.{place}"
        yield Production(method.task, name, steps, chance / len(orders))


def _orders(method: Method) -> Iterator[tuple[int, ...]]:
    """Yield the orders that a method allows."""
    begun: list[tuple[int, ...]] = [()]
    for _ in method.subtasks:
        begun = [
            (*done, which)
            for done in begun
            for which in range(len(method.subtasks))
            if which not in done and all(before in done for before, after in method.pairs if after == which)
        ]
        if len(begun) > MOST_ORDERS:
            message = f"method {method.name!r} of {method.task!r} allows more than {MOST_ORDERS} orders"
            raise TelosError(f"{message}", "write `order: sequence`, or split it into tasks")
    yield from begun


def without_empty(productions: Iterable[Production]) -> list[Production]:
    """Return productions of the same plans that are never empty: steps that may be nothing are written or left out.

    A task that is always nothing has no production any more. The chance that a whole plan is nothing is shared out
    among those that are something, since nobody can see it.

    >>> walk = [Production("go", "walk", ("get_up", "step"), 1.0), Production("get_up", "stand", (), 0.25),
    ...         Production("get_up", "rise", ("rise",), 0.75)]
    >>> print(*without_empty(walk), sep="; ")
    go → get_up step  (0.75, walk); go → step  (0.25, walk.2); get_up → rise  (1, rise)
    """
    given = list(productions)
    nothing = _chance_of_nothing(given)
    made: list[Production] = []
    for each in given:
        for place, (steps, chance) in enumerate(_variants(each, nothing), start=1):
            name = each.method if place == 1 else f"{each.method}.{place}"
            made.append(Production(each.task, name, steps, chance / (1.0 - nothing[each.task])))
    return made


def _chance_of_nothing(productions: list[Production]) -> dict[str, float]:
    nothing = {each.task: 0.0 for each in productions}
    for _ in range(ROUNDS):
        after = dict.fromkeys(nothing, 0.0)
        for each in productions:
            after[each.task] += each.chance * math.prod(nothing.get(step, 0.0) for step in each.steps)
        if after == nothing:
            break
        nothing = after
    return nothing


def _variants(production: Production, nothing: Mapping[str, float]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the steps with and without those that may be nothing; never without all."""
    found: dict[tuple[str, ...], float] = {}
    for there in product((True, False), repeat=len(production.steps)):
        chance = production.chance
        for step, done in zip(production.steps, there, strict=True):
            chance *= 1.0 - nothing.get(step, 0.0) if done else nothing.get(step, 0.0)
        steps = tuple(step for step, done in zip(production.steps, there, strict=True) if done)
        if steps and chance > 0.0:
            found[steps] = found.get(steps, 0.0) + chance
    yield from found.items()


def _leading(productions: list[Production], goals: Iterable[str]) -> list[Production]:
    """Return the productions that some goal leads to."""
    reached, fringe = set(goals), list(goals)
    while fringe:
        task = fringe.pop()
        more = {step for each in productions if each.task == task for step in each.steps} - reached
        reached |= more
        fringe += more
    return [each for each in productions if each.task in reached]
