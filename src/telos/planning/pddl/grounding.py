"""Grounding: action schemas to the actions that could ever be possible.

Facts are taken one after another, as if no action ever deleted anything (*delete relaxation*). Each new fact completes
the preconditions of some actions, whose effects are new facts. What is not found so can never be done.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.planning.pddl.joins import Binding, Facts, Filter, Join, Planner, complete, expected_matches, match
from telos.planning.pddl.model import Atom, Fact, Schema, Task, written

MOST_ACTIONS = 200_000
TRIES_PER_ACTION = 40  # partial bindings that a good join leaves behind for each action found; far more is hopeless


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action without parameters. What it both adds and deletes is true afterwards, so ``deletes`` has none of it."""

    schema: str
    arguments: tuple[str, ...]
    needs: frozenset[Fact]
    forbids: frozenset[Fact]
    adds: frozenset[Fact]
    deletes: frozenset[Fact]
    cost: float


@dataclass(frozen=True, slots=True)
class Ground:
    """Everything that may happen: actions in the order of the files, and facts that may become true."""

    actions: tuple[GroundAction, ...]
    facts: frozenset[Fact]


def ground(task: Task, *, most: int = MOST_ACTIONS) -> Ground:
    """Return every action that the delete relaxation can reach; refuse a task with more than ``most`` of them."""
    return _Reachable(task, most).explore()


class _Reachable:
    def __init__(self, task: Task, most: int) -> None:
        self.task = task
        self.most = most
        self.tries_left = max(most, 10_000) * TRIES_PER_ACTION
        schemas = task.domain.schemas
        self.added = {atom[0] for schema in schemas for atom in schema.adds}
        self.deleted = {atom[0] for schema in schemas for atom in schema.deletes}
        self.facts = Facts()
        self.initial: dict[str, list[Fact]] = {}
        for fact in sorted(task.init):
            self.initial.setdefault(fact[0], []).append(fact)
            if fact[0] not in self.added:
                self.facts.add(fact)
        self.seeds: dict[str, list[tuple[int, Join]]] = {}
        self.unseeded: list[tuple[int, Join]] = []
        self.found: list[dict[tuple[str, ...], GroundAction]] = [{} for _ in schemas]
        self.numbers = [{name: i for i, name in enumerate(schema.parameters)} for schema in schemas]
        for i, schema in enumerate(schemas):
            self.plan_joins(i, schema)

    def plan_joins(self, i: int, schema: Schema) -> None:
        objects = [self.task.objects_of(types) for types in schema.types]
        atoms = schema.preconditions.positive
        filters = list(self.filters(schema, self.numbers[i]))
        planner = Planner(schema, atoms, objects, filters, self.facts, self.estimator(i, objects))
        growing = [atom for atom in atoms if atom[0] in self.added]
        for atom in growing:
            self.seeds.setdefault(atom[0], []).append((i, planner.join(atom)))
        if not growing:
            self.unseeded.append((i, planner.join(None)))

    def filters(self, schema: Schema, number: Mapping[str, int]) -> Iterator[Filter]:
        conditions = schema.preconditions
        for pairs, same in ((conditions.same, True), (conditions.different, False)):
            for left, right in pairs:
                yield _comparison(number, left, right, same=same)
        for atom in conditions.negative:
            if atom[0] not in self.deleted:  # what nothing deletes, and holds at the start, holds for ever
                yield _absence(number, atom, self.task.init)

    def estimator(self, i: int, objects: Sequence[Sequence[str]]) -> Callable[[Atom, tuple[int, ...]], float]:
        number = self.numbers[i]

        def estimate(atom: Atom, known: tuple[int, ...]) -> float:
            if len(known) == len(atom) - 1:
                return 0.0  # only looked up
            if atom[0] not in self.added:
                return expected_matches(self.initial.get(atom[0], ()), known)
            # How many there will be is not known yet: assume one for every object that fits.
            free = {atom[at] for at in range(1, len(atom)) if at not in known}
            return math.prod(len(objects[number[term]]) for term in free)

        return estimate

    def explore(self) -> Ground:
        """Take facts one after another until no new ones come."""
        reached = dict.fromkeys(fact for facts in self.initial.values() for fact in facts)
        queue = deque(fact for fact in reached if fact[0] in self.added)
        for i, join in self.unseeded:
            self.note(self.instances(i, join, None), reached, queue)
        while queue:
            fact = queue.popleft()
            self.facts.add(fact)
            for i, join in self.seeds.get(fact[0], ()):
                self.note(self.instances(i, join, fact), reached, queue)
        rank = {name: i for i, name in enumerate(self.task.objects)}
        actions = tuple(
            found[arguments]
            for found in self.found  # in the order of the files, so that every run has the same
            for arguments in sorted(found, key=lambda each: [rank[name] for name in each])
        )
        return Ground(actions, frozenset(reached))

    def instances(self, i: int, join: Join, fact: Fact | None) -> Iterator[GroundAction]:
        """Yield the actions of schema ``i`` that ``fact`` makes possible and that are not known yet."""
        schema, found = self.task.domain.schemas[i], self.found[i]
        binding: Binding = [""] * len(schema.parameters)
        if fact is not None and join.seed is not None and not match(join.seed, fact, self.numbers[i], binding):
            return
        for arguments in complete(join, binding, self.spend):
            if arguments not in found:
                found[arguments] = _instance(schema, arguments, self.task)
                yield found[arguments]
                if sum(map(len, self.found)) > self.most:
                    raise _too_many(schema, f"more than {self.most} ground actions")

    def note(self, actions: Iterator[GroundAction], reached: dict[Fact, None], queue: deque[Fact]) -> None:
        for action in actions:
            for fact in action.adds:
                if fact not in reached:
                    reached[fact] = None
                    queue.append(fact)

    def spend(self, tries: int) -> None:
        self.tries_left -= tries
        if self.tries_left < 0:
            widest = max(self.task.domain.schemas, key=lambda schema: len(schema.parameters))
            raise _too_many(widest, "too many combinations of objects to try")


def _too_many(schema: Schema, what: str) -> TelosError:
    return TelosError(
        f"the problem has {what} (seen at {schema.name!r}, with {len(schema.parameters)} parameters)",
        "take a smaller problem, or raise most",
    )


def _comparison(number: Mapping[str, int], left: str, right: str, *, same: bool) -> Filter:
    def value(term: str, binding: Binding) -> str:
        return binding[number[term]] if term in number else term

    parameters = frozenset(number[term] for term in (left, right) if term in number)
    return Filter(parameters, lambda binding: (value(left, binding) == value(right, binding)) is same)


def _absence(number: Mapping[str, int], atom: Atom, init: frozenset[Fact]) -> Filter:
    parameters = frozenset(number[term] for term in atom[1:] if term in number)
    return Filter(
        parameters,
        lambda binding: (
            (atom[0], *(binding[number[each]] if each in number else each for each in atom[1:])) not in init
        ),
    )


def _instance(schema: Schema, arguments: tuple[str, ...], task: Task) -> GroundAction:
    said = dict(zip(schema.parameters, arguments, strict=True))

    def filled(atoms: tuple[Atom, ...]) -> frozenset[Fact]:
        return frozenset([(atom[0], *[said.get(term, term) for term in atom[1:]]) for atom in atoms])

    adds = filled(schema.adds)
    return GroundAction(
        schema.name,
        arguments,
        filled(schema.preconditions.positive),
        filled(schema.preconditions.negative),
        adds,
        filled(schema.deletes) - adds,
        _cost(schema, said, task) if task.counts_costs else 1.0,
    )


def _cost(schema: Schema, said: Mapping[str, str], task: Task) -> float:
    total = 0.0
    for cost in schema.costs:
        if isinstance(cost, float):
            total += cost
            continue
        function = (cost[0], *(said.get(term, term) for term in cost[1:]))
        if function not in task.values:
            action = written((schema.name, *said.values()))
            raise TelosError(f"the cost of {action} is {written(function)}, which has no value in (:init …)")
        total += task.values[function]
    return total
