"""What follows from a hierarchical domain alone: how tasks begin, which may be nothing, what they cannot do without."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from telos.recognition.grammar.hddl import ANYTHING, HddlDomain, LiftedMethod, Literal, Step

Needs = frozenset[tuple[str, tuple[int | str, ...]]]  # predicates over places of parameters, objects or anything


@dataclass(frozen=True, slots=True)
class LiftedTables:
    """Sets by task, and by method (task and name)."""

    first: Mapping[str, frozenset[str]]  # the actions that a task may begin with
    first_by: Mapping[tuple[str, str], frozenset[str]]
    may_be_nothing: frozenset[str]
    statics: frozenset[str]  # predicates that no action changes
    needs: Mapping[tuple[str, str], tuple[Literal, ...]]  # of a method: its own, and what its steps cannot do without


def lifted_tables(domain: HddlDomain, added: Mapping[str, Sequence[Literal]] | None = None) -> LiftedTables:
    """Return the tables of a domain; ``added`` are preconditions of methods, by name, that its file has not."""
    domain = _with_needs(domain, added or {})
    nothing = _may_be_nothing(domain)
    first, first_by = _first(domain, nothing)
    changed = {literal.predicate for each in domain.operators.values() for literal in each.effects}
    used = {literal.predicate for each in domain.operators.values() for literal in each.needs}
    used |= {literal.predicate for method in _methods(domain) for literal in method.needs}
    statics = frozenset(used - changed - {"="})
    by_task = _static_needs(domain, statics)
    needs = {
        (method.head.name, method.name): (*method.needs, *_of_steps(domain, method, by_task, set(method.needs)))
        for method in _methods(domain)
    }
    return LiftedTables(first, first_by, nothing, statics, needs)


def _with_needs(domain: HddlDomain, added: Mapping[str, Sequence[Literal]]) -> HddlDomain:
    methods = {
        task: tuple(each._replace(needs=(*each.needs, *added.get(each.name, ()))) for each in ways)
        for task, ways in domain.methods.items()
    }
    return replace(domain, methods=methods)


def _methods(domain: HddlDomain) -> Iterable[LiftedMethod]:
    return (method for each in domain.methods.values() for method in each)


def _may_be_nothing(domain: HddlDomain) -> frozenset[str]:
    found: set[str] = set()
    while True:
        more = {each.head.name for each in _methods(domain) if all(step.name in found for step in each.steps)}
        if more <= found:
            return frozenset(found)
        found |= more


def _first(
    domain: HddlDomain, nothing: frozenset[str]
) -> tuple[dict[str, frozenset[str]], dict[tuple[str, str], frozenset[str]]]:
    first = {name: frozenset({name}) for name in domain.operators}
    first |= {name: frozenset[str]() for name in domain.tasks}
    by: dict[tuple[str, str], frozenset[str]] = {}
    while True:
        before = dict(first)
        for method in _methods(domain):
            ready = [step for place, step in enumerate(method.steps) if _may_come_first(method, place, nothing)]
            key = method.head.name, method.name
            by[key] = frozenset().union(*(first[step.name] for step in ready))
            first[method.head.name] |= by[key]
        if first == before:
            return first, by


def _may_come_first(method: LiftedMethod, place: int, nothing: frozenset[str]) -> bool:
    return all(
        method.steps[each].name in nothing and _may_come_first(method, each, nothing) for each in method.before[place]
    )


def _static_needs(domain: HddlDomain, statics: frozenset[str]) -> dict[str, Needs | None]:
    """Return what every way to do a task needs of facts that never change; None while nothing is known."""
    found: dict[str, Needs | None] = dict.fromkeys(domain.tasks)
    for name, operator in domain.operators.items():
        places = {variable: place for place, (variable, _) in enumerate(operator.parameters)}
        found[name] = frozenset(
            (each.predicate, tuple(places.get(argument, argument) for argument in each.arguments))
            for each in operator.needs
            if each.positive and each.predicate in statics
        )
    while True:
        before = dict(found)
        for task, methods in domain.methods.items():
            ways = [each for method in methods if (each := _of_method(method, found, statics)) is not None]
            found[task] = reduce(_common, ways) if ways else None
        if found == before:
            return found


def _common(one: Needs, other: Needs) -> Needs:
    """Return what both ask for; where they name different things, anything will do."""
    return frozenset(
        (predicate, tuple(a if a == b else ANYTHING for a, b in zip(mine, theirs, strict=True)))
        for predicate, mine in one
        for another, theirs in other
        if predicate == another and any(a == b for a, b in zip(mine, theirs, strict=True))
    )


def _of_method(method: LiftedMethod, known: Mapping[str, Needs | None], statics: frozenset[str]) -> Needs | None:
    places: dict[str, int] = {}
    for place, name in enumerate(method.head.arguments):
        places.setdefault(name, place)
    needs = [each for each in method.needs if each.positive and each.predicate in statics]
    for step in method.steps:
        inner = known[step.name]
        if inner is None:
            return None
        needs += _in_words(step, inner)
    return frozenset(
        (each.predicate, tuple(places.get(name, ANYTHING if name.startswith("?") else name) for name in each.arguments))
        for each in needs
    )


def _in_words(step: Step, needs: Needs) -> list[Literal]:
    return [
        Literal(predicate, tuple(step.arguments[each] if isinstance(each, int) else each for each in arguments))
        for predicate, arguments in sorted(needs, key=str)
    ]


def _of_steps(
    domain: HddlDomain, method: LiftedMethod, known: Mapping[str, Needs | None], own: set[Literal]
) -> list[Literal]:
    """Return what the steps of a method need, without what it says itself and what says nothing."""
    found = [literal for step in method.steps for literal in _in_words(step, known[step.name] or frozenset())]
    return [each for each in dict.fromkeys(found) if each not in own and set(each.arguments) != {ANYTHING}]
