"""Joins: all arguments that an action's preconditions allow, found fact by fact instead of by trying everything.

A join is planned once for each action and each precondition that a new fact may meet. It takes the precondition with
the fewest matches next, so that parameters are bound by what is static (a road map, a type) before what is not.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.planning.pddl.model import Atom, Fact, Schema

Binding: TypeAlias = list[str]  # one object a parameter; "" while it has none
Table: TypeAlias = dict[tuple[str, ...], list[Fact]]


class Facts:
    """Facts, found by predicate and by the arguments at any chosen positions."""

    def __init__(self) -> None:
        self._facts: dict[str, list[Fact]] = {}
        self._tables: dict[str, dict[tuple[int, ...], Table]] = {}

    def add(self, fact: Fact) -> None:
        self._facts.setdefault(fact[0], []).append(fact)
        for positions, table in self._tables.get(fact[0], {}).items():
            table.setdefault(tuple([fact[i] for i in positions]), []).append(fact)

    def table(self, predicate: str, positions: tuple[int, ...]) -> Table:
        """Return the facts of ``predicate`` by their arguments at ``positions``; it grows as facts are added."""
        tables = self._tables.setdefault(predicate, {})
        if positions not in tables:
            table = tables[positions] = {}
            for fact in self._facts.get(predicate, ()):
                table.setdefault(tuple([fact[i] for i in positions]), []).append(fact)
        return tables[positions]


@dataclass(frozen=True, slots=True)
class Filter:
    """Something that must hold once ``parameters`` have objects."""

    parameters: frozenset[int]
    passes: Callable[[Binding], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """Bind more parameters: from the facts of a table, or (without one) from all objects of a type."""

    table: Table | None
    key: tuple[int | str, ...]  # what the table is asked: parameters that have objects already, and constants
    binds: tuple[tuple[int, int], ...]  # position in the fact, parameter
    objects: Sequence[str]
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """The steps that complete a binding, after a first fact was matched with ``seed``."""

    seed: Atom | None
    first: tuple[Filter, ...]
    steps: tuple[Step, ...]


class Planner:
    """Plans the joins of one action schema.

    ``estimate(atom, positions)`` says how many facts match an atom whose terms at ``positions`` are known.
    """

    def __init__(
        self,
        schema: Schema,
        atoms: Sequence[Atom],
        objects: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        facts: Facts,
        estimate: Callable[[Atom, tuple[int, ...]], float],
    ) -> None:
        self.number = {name: i for i, name in enumerate(schema.parameters)}
        self.atoms, self.objects, self.facts, self.estimate = atoms, objects, facts, estimate
        self.filters = [*filters, *(_of_type(i, frozenset(each)) for i, each in enumerate(objects))]

    def join(self, seed: Atom | None) -> Join:
        """Plan the join that begins with a fact for ``seed``, or with nothing."""
        bound = self.parameters_of(seed) if seed is not None else set[int]()
        waiting = [atom for atom in self.atoms if atom is not seed]
        first = self.newly_checked(set(), bound) + self.without_parameters()
        steps = []
        while waiting:
            atom = min(waiting, key=lambda each: self.estimate(each, self.known_positions(each, bound)))
            waiting.remove(atom)
            steps.append(self.step(atom, bound))
            bound |= self.parameters_of(atom)
        free = sorted(set(self.number.values()) - bound, key=lambda each: len(self.objects[each]))
        for parameter in free:  # no precondition names these: any object of the type will do
            filters = self.newly_checked(bound, bound | {parameter})
            steps.append(Step(None, (), ((0, parameter),), self.objects[parameter], filters))
            bound.add(parameter)
        return Join(seed, first, tuple(steps))

    def step(self, atom: Atom, bound: set[int]) -> Step:
        known = self.known_positions(atom, bound)
        key = tuple(self.number.get(atom[i], atom[i]) for i in known)
        binds = tuple((i, self.number[atom[i]]) for i in range(1, len(atom)) if i not in known)
        filters = self.newly_checked(bound, bound | self.parameters_of(atom))
        return Step(self.facts.table(atom[0], known), key, binds, (), filters)

    def known_positions(self, atom: Atom, bound: set[int]) -> tuple[int, ...]:
        return tuple(i for i in range(1, len(atom)) if atom[i] not in self.number or self.number[atom[i]] in bound)

    def parameters_of(self, atom: Atom) -> set[int]:
        return {self.number[term] for term in atom[1:] if term in self.number}

    def newly_checked(self, before: set[int], after: set[int]) -> tuple[Filter, ...]:
        return tuple(each for each in self.filters if each.parameters <= after and not each.parameters <= before)

    def without_parameters(self) -> tuple[Filter, ...]:
        return tuple(each for each in self.filters if not each.parameters)


def _of_type(parameter: int, objects: frozenset[str]) -> Filter:
    return Filter(frozenset({parameter}), lambda binding: binding[parameter] in objects)


def match(atom: Atom, fact: Fact, number: dict[str, int], binding: Binding) -> bool:
    """Bind the parameters in ``atom`` so that it says ``fact``; whether that can be done."""
    for i in range(1, len(atom)):
        parameter = number.get(atom[i])
        if parameter is None:
            if atom[i] != fact[i]:
                return False
        elif binding[parameter] and binding[parameter] != fact[i]:
            return False
        else:
            binding[parameter] = fact[i]
    return True


def complete(join: Join, binding: Binding, spend: Callable[[int], None]) -> Iterator[tuple[str, ...]]:
    """Yield every full binding that extends ``binding``; ``spend`` hears how many were tried."""
    if all(each.passes(binding) for each in join.first):
        yield from _extend(join.steps, 0, binding, spend)


def _extend(steps: Sequence[Step], i: int, binding: Binding, spend: Callable[[int], None]) -> Iterator[tuple[str, ...]]:
    if i == len(steps):
        yield tuple(binding)
        return
    step = steps[i]
    if step.table is None:
        found: Collection[Fact] = [(each,) for each in step.objects]
    else:
        found = step.table.get(tuple([binding[each] if isinstance(each, int) else each for each in step.key]), ())
    spend(len(found))
    for fact in found:
        if _bind(step, fact, binding) and all(each.passes(binding) for each in step.filters):
            yield from _extend(steps, i + 1, binding, spend)
        for _, parameter in step.binds:
            binding[parameter] = ""


def _bind(step: Step, fact: Fact, binding: Binding) -> bool:
    for position, parameter in step.binds:
        # `(next ?x ?x)` binds one parameter twice.
        if binding[parameter] and binding[parameter] != fact[position]:
            return False
        binding[parameter] = fact[position]
    return True


def expected_matches(facts: Sequence[Fact], positions: tuple[int, ...]) -> float:
    """Estimate how many of ``facts`` agree with given arguments at ``positions``."""
    if not facts:
        return 0.0
    distinct = math.prod(len({fact[i] for fact in facts}) for i in positions)
    return len(facts) / distinct
