"""What is wrong with a plan grammar, each fault with the path that it has in a file."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from telos.core.errors import Fault, FaultCode, name_hint, nearest
from telos.core.values import NAME
from telos.recognition.grammar.productions import Production, is_step

CLOSE = 1e-6  # chances that people write, such as three times 0.333333, may miss 1 by so much


def grammar_faults(productions: Sequence[Production], goals: Mapping[str, float]) -> list[Fault]:
    """Return everything wrong; whether plans end is asked only of what is otherwise good."""
    found = [*_goal_faults(productions, goals), *_method_faults(productions), *_sum_faults(productions)]
    if not found:
        found = list(_endless(productions)) or list(_growing(productions)) or list(_unreached(productions, goals))
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
                f"goal {goal!r} is no task",
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
    if all(map(_is_chance, goals.values())) and abs(total - 1.0) > CLOSE:
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
                    f"{step!r} is no step", suggestion=remedy, path=(*path, "steps", place), code=FaultCode.BAD_SYNTAX
                )


def _sum_faults(productions: Sequence[Production]) -> Iterator[Fault]:
    for task, group in groupby(sorted(productions, key=lambda each: each.task), key=lambda each: each.task):
        chances = [each.chance for each in group]
        if all(map(_is_chance, chances)) and abs(math.fsum(chances) - 1.0) > CLOSE:
            said = " + ".join(f"{chance:g}" for chance in chances[:6]) + (" + …" if len(chances) > 6 else "")
            message = f"the chances of the methods of {task!r} sum to {math.fsum(chances):.6g} ({said})"
            yield Fault(
                message,
                suggestion="make them sum to 1, or leave them out to share evenly",
                path=("tasks", task),
                code=FaultCode.OUT_OF_RANGE,
            )


def _endless(productions: Sequence[Production]) -> Iterator[Fault]:
    """Yield tasks that cannot be finished, whatever methods are taken."""
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
        message = f"task {task!r} can never be finished: each of its methods goes round in a circle"
        yield Fault(message, suggestion="give it a method that ends", path=("tasks", task), code=FaultCode.CIRCULAR)


def _growing(productions: Sequence[Production]) -> Iterator[Fault]:
    """Yield tasks whose plans may go on for ever: what they set off grows faster than it ends."""
    tasks = {each.task for each in productions}
    chance = dict.fromkeys(tasks, 0.0)  # of ending within ever more levels
    moved = math.inf
    for _ in range(10_000):
        before, after = moved, dict.fromkeys(tasks, 0.0)
        for each in productions:
            after[each.task] += each.chance * math.prod(chance[step] for step in each.steps if step in tasks)
        gained = {task: after[task] - chance[task] for task in tasks}
        moved, chance = max(gained.values()), after
        if moved < 1e-13:
            break
    else:  # it comes nearer by ever smaller steps: the rest is that of a geometric series
        shrinks = min(moved / before, 1 - 1e-9)
        chance = {task: min(1.0, chance[task] + gained[task] * shrinks / (1 - shrinks)) for task in tasks}
    for task in (task for task in dict.fromkeys(each.task for each in productions) if chance[task] < 1 - 1e-3):
        message = f"only {chance[task]:.1%} of the plans of {task!r} ever end"
        remedy = "make the methods that lead back to it less likely"
        yield Fault(message, suggestion=remedy, path=("tasks", task), code=FaultCode.UNREACHABLE)


def _unreached(productions: Sequence[Production], goals: Mapping[str, float]) -> Iterator[Fault]:
    """Yield tasks that no goal leads to: mostly a step was misspelt, and so counts as an action."""
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
