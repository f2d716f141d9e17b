"""PlanGrammar: productions with chances, the checks on them, and grammars from task networks."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint, nearest
from telos.core.values import NAME, FrozenMap
from telos.planning.htn.network import Method, TaskNetwork
from telos.recognition.grammar.earley import ParserTables, build_tables

# --- productions ------------------------------------------------------------------------------------------------------

# For a text without blanks around it; no two repetitions that match the same characters are neighbours.
_STEP = re.compile(r"([A-Za-z][\w.-]*)(?:\s*\(([^()]*)\))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Production:
    """One method of a task: its steps, which are tasks or actions, and its chance."""

    task: str
    method: str
    steps: tuple[str, ...]
    chance: float

    def __str__(self) -> str:
        """Return the production in the notation of grammars."""
        return f"{self.task} → {' '.join(self.steps)}  ({self.chance:.3g}, {self.method})"


def even_chances(names: Iterable[str]) -> dict[str, float]:
    """Return equal chances for the names."""
    each = tuple(dict.fromkeys(names))
    return dict.fromkeys(each, 1.0 / len(each)) if each else {}


def normalize_step(text: str) -> str:
    """Return a step in canonical form: `goto( forge )` is `goto(forge)`.

    >>> normalize_step("throw(grenade,enemy)")
    'throw(grenade, enemy)'
    """
    found = _STEP.match(text.strip())
    if not found or found[2] is None:
        return text.strip()
    arguments = [each.strip() for each in found[2].split(",")]
    return f"{found[1]}({', '.join(arguments)})" if any(arguments) else found[1]


def is_step(text: str) -> bool:
    """Whether a text is a valid step: a name, optionally with arguments."""
    return bool(_STEP.match(text.strip()))


def possible_steps(action: str) -> tuple[str, ...]:
    """Return the steps that an action may match: with its arguments, and without them.

    >>> possible_steps("goto(forge)")
    ('goto(forge)', 'goto')
    """
    tidy = normalize_step(action)
    name = tidy.partition("(")[0]
    return (tidy,) if name == tidy else (tidy, name)


# --- faults -----------------------------------------------------------------------------------------------------------

SUM_TOLERANCE = 1e-6  # three times 0.333333 counts as 1


def grammar_faults(productions: Sequence[Production], goals: Mapping[str, float]) -> list[Fault]:
    """Return everything wrong with a grammar; whether plans end is checked only if there is no other fault."""
    found = [*_goal_faults(productions, goals), *_method_faults(productions), *_sum_faults(productions)]
    if not found:
        found = (
            list(_unfinishable_faults(productions))
            or list(_endless_faults(productions))
            or list(_unreached_faults(productions, goals))
        )
    return found


def _goal_faults(productions: Sequence[Production], goals: Mapping[str, float]) -> Iterator[Fault]:
    tasks = {each.task for each in productions}
    if not goals:
        yield Fault(
            "there are no goals",
            suggestion="name the tasks that a player may be after",
            path=("goals",),
            code=FaultCode.EMPTY,
        )
        return
    for goal, chance in goals.items():
        if goal not in tasks:
            yield Fault(
                f"goal {goal!r} is not a task",
                suggestion=name_hint(goal, tasks),
                path=("goals", goal),
                code=FaultCode.UNKNOWN_NAME,
            )
        if not _is_chance(chance):
            yield Fault(
                f"a chance of {chance!r}",
                suggestion="give a number from 0 to 1",
                path=("goals", goal),
                code=FaultCode.NOT_A_PROBABILITY,
            )
    total = math.fsum(chance for chance in goals.values() if _is_chance(chance))
    if all(map(_is_chance, goals.values())) and abs(total - 1.0) > SUM_TOLERANCE:
        remedy = "make them sum to 1, or list the goals without chances"
        yield Fault(
            f"the chances of the goals sum to {total:.6g}",
            suggestion=remedy,
            path=("goals",),
            code=FaultCode.OUT_OF_RANGE,
        )


def _method_faults(productions: Sequence[Production]) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for each in productions:
        path = ("tasks", each.task, each.method)
        for kind, name in (("task", each.task), ("method", each.method)):
            if not NAME.match(name):
                yield Fault(
                    f"{name!r} cannot be a {kind}",
                    suggestion="use letters, digits, - and _",
                    path=path,
                    code=FaultCode.BAD_NAME,
                )
        if (each.task, each.method) in seen:
            yield Fault(
                f"{each.task!r} has two methods {each.method!r}",
                suggestion="rename one of them",
                path=path,
                code=FaultCode.DUPLICATE,
            )
        seen.add((each.task, each.method))
        if not _is_chance(each.chance):
            remedy = "give a number from 0 to 1"
            yield Fault(
                f"a chance of {each.chance!r}",
                suggestion=remedy,
                path=(*path, "chance"),
                code=FaultCode.NOT_A_PROBABILITY,
            )
        if not each.steps:
            remedy = "write the methods that use this task twice, with it and without it"
            yield Fault("a method without steps", suggestion=remedy, path=(*path, "steps"), code=FaultCode.EMPTY)
        for place, step in enumerate(each.steps):
            if not is_step(step):
                remedy = "write `take` or `goto(forge)`"
                yield Fault(
                    f"{step!r} is not a step",
                    suggestion=remedy,
                    path=(*path, "steps", place),
                    code=FaultCode.BAD_SYNTAX,
                )


def _sum_faults(productions: Sequence[Production]) -> Iterator[Fault]:
    for task, group in groupby(sorted(productions, key=lambda each: each.task), key=lambda each: each.task):
        chances = [each.chance for each in group]
        if all(map(_is_chance, chances)) and abs(math.fsum(chances) - 1.0) > SUM_TOLERANCE:
            shown = " + ".join(f"{chance:g}" for chance in chances[:6]) + (" + …" if len(chances) > 6 else "")
            message = f"the chances of the methods of {task!r} sum to {math.fsum(chances):.6g} ({shown})"
            yield Fault(
                message,
                suggestion="make them sum to 1, or leave them out to share evenly",
                path=("tasks", task),
                code=FaultCode.OUT_OF_RANGE,
            )


def _unfinishable_faults(productions: Sequence[Production]) -> Iterator[Fault]:
    """Yield a fault for each task that cannot be finished by any methods."""
    tasks = {each.task for each in productions}
    ending: set[str] = set()
    growing = True
    while growing:
        more = {
            each.task
            for each in productions
            if each.chance > 0 and all(step in ending or step not in tasks for step in each.steps)
        }
        growing = not more <= ending
        ending |= more
    for task in dict.fromkeys(each.task for each in productions if each.task not in ending):
        message = f"task {task!r} can never be finished: each of its methods leads back to it"
        yield Fault(message, suggestion="give it a method that ends", path=("tasks", task), code=FaultCode.CIRCULAR)


def _endless_faults(productions: Sequence[Production]) -> Iterator[Fault]:
    """Yield a fault for each task whose plans may never end: its expansions grow faster than they finish."""
    tasks = {each.task for each in productions}
    chance = dict.fromkeys(tasks, 0.0)  # of ending within so many levels
    moved = math.inf
    for _ in range(10_000):
        before, after = moved, dict.fromkeys(tasks, 0.0)
        for each in productions:
            after[each.task] += each.chance * math.prod(chance[step] for step in each.steps if step in tasks)
        gained = {task: after[task] - chance[task] for task in tasks}
        moved, chance = max(gained.values()), after
        if moved < 1e-13:
            break
    else:  # slow convergence: the remainder is that of a geometric series
        shrinks = min(moved / before, 1 - 1e-9)
        chance = {task: min(1.0, chance[task] + gained[task] * shrinks / (1 - shrinks)) for task in tasks}
    for task in (task for task in dict.fromkeys(each.task for each in productions) if chance[task] < 1 - 1e-3):
        message = f"only {chance[task]:.1%} of the plans of {task!r} ever end"
        remedy = "make the methods that lead back to it less likely"
        yield Fault(message, suggestion=remedy, path=("tasks", task), code=FaultCode.UNREACHABLE)


def _unreached_faults(productions: Sequence[Production], goals: Mapping[str, float]) -> Iterator[Fault]:
    """Yield a fault for each task that no goal leads to: often a misspelt step counts as an action."""
    tasks = {each.task for each in productions}
    reached, fringe = set(goals), list(goals)
    while fringe:
        task = fringe.pop()
        steps = {step for each in productions if each.task == task for step in each.steps if step in tasks}
        fringe += sorted(steps - reached)
        reached |= steps
    actions = {step for each in productions for step in each.steps} - tasks
    for task in (task for task in dict.fromkeys(each.task for each in productions) if task not in reached):
        near = nearest(task, actions)
        remedy = "delete it" if near is None else f"is it misspelt as {near!r}?"
        yield Fault(
            f"no goal leads to task {task!r}", suggestion=remedy, path=("tasks", task), code=FaultCode.UNREACHABLE
        )


def _is_chance(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


# --- tolerance --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much deviation from a single plan is allowed.

    ``noise`` is the chance that an action belongs to no plan. At most ``open_goals`` plans are active at once;
    ``switch`` is the chance that a player with an active plan starts another. ``beam`` is how many hypotheses are kept.
    """

    noise: float = 0.02
    open_goals: int = 1
    switch: float = 0.1
    beam: int = 64

    def __post_init__(self) -> None:
        for name in ("noise", "switch"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise TelosError(f"{name} must be at least 0 and below 1, got {value!r}")
        for name in ("open_goals", "beam"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise TelosError(f"{name} must be a whole number, at least 1, got {value!r}")

    def starts(self, under_way: int) -> float:
        """Return the chance that the next action of a plan starts a new one."""
        if under_way == 0:
            return 1.0
        return self.switch if under_way < self.open_goals else 0.0


# --- grammar ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
class PlanGrammar:
    """A probabilistic context-free grammar of plans, checked when created. It holds no belief, so readers may share it.

    ``goals`` are the tasks that a player may pursue, with the chance of each; equal if only named. Steps without a
    production are actions. Left recursion and unit cycles are allowed, methods without steps are not.

    >>> fetch = Production("fetch", "walk", ("goto", "take"), 1.0)
    >>> PlanGrammar([fetch], ["fetch"]).actions
    ('goto', 'take')
    """

    productions: tuple[Production, ...]
    goals: FrozenMap[str, float]
    tolerance: Tolerance
    actions: tuple[str, ...]
    tables: ParserTables = field(compare=False, repr=False)

    @property
    def context(self) -> frozenset[str]:
        """The context entries that it reads: none, only actions matter."""
        return frozenset()

    def __init__(
        self,
        productions: Iterable[Production],
        goals: Mapping[str, float] | Iterable[str],
        *,
        tolerance: Tolerance | None = None,
    ) -> None:
        made = tuple(
            Production(each.task, each.method, tuple(map(normalize_step, each.steps)), each.chance)
            for each in productions
        )
        prior = dict(goals) if isinstance(goals, Mapping) else even_chances(goals)
        found = grammar_faults(made, prior)
        if found:
            raise DefinitionError(found)
        tasks = {each.task for each in made}
        put = object.__setattr__
        put(self, "productions", made)
        put(self, "goals", FrozenMap(prior))
        put(self, "tolerance", tolerance or Tolerance())
        put(self, "actions", tuple(sorted({step for each in made for step in each.steps} - tasks)))
        put(self, "tables", build_tables(made, prior, self.actions))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in order of their first production."""
        return tuple(dict.fromkeys(each.task for each in self.productions))

    def with_chances(self, chances: Mapping[tuple[str, str], float], goals: Mapping[str, float]) -> "PlanGrammar":
        """Return the grammar with other chances, by task and method, and other chances of goals."""
        changed = (
            Production(each.task, each.method, each.steps, chances[each.task, each.method]) for each in self.productions
        )
        return PlanGrammar(changed, goals, tolerance=self.tolerance)


# --- grammars from task networks --------------------------------------------------------------------------------------

MAX_ORDERS = 120  # of one method: five unordered steps
MAX_ROUNDS = 1_000


def grammar_from_tasks(
    network: TaskNetwork,
    goals: Mapping[str, float] | Iterable[str],
    *,
    chances: Mapping[tuple[str, str], float] | None = None,
    tolerance: Tolerance | None = None,
) -> PlanGrammar:
    """Return the plan grammar of a task network, with these tasks as goals.

    ``chances`` are by task and method; methods that it does not name share what is left evenly. Conditions and
    arguments are left out: a step `goto` is seen in any `goto(place)`. A method in no fixed order becomes one
    production for each order of its subtasks, whose own steps are not interleaved. Methods without subtasks are
    compiled away (see `without_empty`).
    """
    wanted = dict(goals) if isinstance(goals, Mapping) else list(goals)
    for goal in wanted:
        if goal not in network.tasks:
            raise TelosError(f"goal {goal!r} is not a task of the network", name_hint(goal, network.tasks))
    shares = _shares(network, chances or {})
    made = [each for method in network.methods for each in _productions(method, shares[method.task, method.name])]
    return PlanGrammar(_reachable(remove_empty(made), wanted), wanted, tolerance=tolerance)


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
    """Yield the orders of subtasks that a method allows."""
    begun: list[tuple[int, ...]] = [()]
    for _ in method.subtasks:
        begun = [
            (*done, which)
            for done in begun
            for which in range(len(method.subtasks))
            if which not in done and all(before in done for before, after in method.pairs if after == which)
        ]
        if len(begun) > MAX_ORDERS:
            message = f"method {method.name!r} of {method.task!r} allows more than {MAX_ORDERS} orders"
            raise TelosError(f"{message}", "write `order: sequence`, or split it into tasks")
    yield from begun


def remove_empty(productions: Iterable[Production]) -> list[Production]:
    """Return productions of the same plans without empty ones: steps that may be empty are kept or left out.

    A task that is always empty has no production any more. The chance of an empty plan is shared among the others,
    since it cannot be observed.

    >>> walk = [Production("go", "walk", ("get_up", "step"), 1.0), Production("get_up", "stand", (), 0.25),
    ...         Production("get_up", "rise", ("rise",), 0.75)]
    >>> print(*remove_empty(walk), sep="; ")
    go → get_up step  (0.75, walk); go → step  (0.25, walk.2); get_up → rise  (1, rise)
    """
    given = list(productions)
    nothing = _empty_chances(given)
    made: list[Production] = []
    for each in given:
        for place, (steps, chance) in enumerate(_variants(each, nothing), start=1):
            name = each.method if place == 1 else f"{each.method}.{place}"
            made.append(Production(each.task, name, steps, chance / (1.0 - nothing[each.task])))
    return made


def _empty_chances(productions: list[Production]) -> dict[str, float]:
    nothing = {each.task: 0.0 for each in productions}
    for _ in range(MAX_ROUNDS):
        after = dict.fromkeys(nothing, 0.0)
        for each in productions:
            after[each.task] += each.chance * math.prod(nothing.get(step, 0.0) for step in each.steps)
        if after == nothing:
            break
        nothing = after
    return nothing


def _variants(production: Production, nothing: Mapping[str, float]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the steps with and without those that may be empty, but never none."""
    found: dict[tuple[str, ...], float] = {}
    for there in product((True, False), repeat=len(production.steps)):
        chance = production.chance
        for step, done in zip(production.steps, there, strict=True):
            chance *= 1.0 - nothing.get(step, 0.0) if done else nothing.get(step, 0.0)
        steps = tuple(step for step, done in zip(production.steps, there, strict=True) if done)
        if steps and chance > 0.0:
            found[steps] = found.get(steps, 0.0) + chance
    yield from found.items()


def _reachable(productions: list[Production], goals: Iterable[str]) -> list[Production]:
    """Return the productions that a goal leads to."""
    reached, fringe = set(goals), list(goals)
    while fringe:
        task = fringe.pop()
        more = {step for each in productions if each.task == task for step in each.steps} - reached
        reached |= more
        fringe += more
    return [each for each in productions if each.task in reached]
