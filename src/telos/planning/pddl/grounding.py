"""Grounding: from action schemas to the ground actions that could ever be applicable.

Start with ``ground_task`` and ``remove_constants``. Facts are processed one by one as if no action deleted anything
(*delete relaxation*): each new fact completes the preconditions of some actions, whose effects are new facts. Actions
that are not found so are never applicable. A *join* finds the arguments that the preconditions of a schema allow.
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.planning.pddl.parser import ActionSchema, Atom, Fact, LiftedTask, format_atom

# --- joins ---

Binding: TypeAlias = list[str]  # an object for each parameter; "" while it has none
Table: TypeAlias = dict[tuple[str, ...], list[Fact]]


class FactIndex:
    """Facts indexed by predicate and by the arguments at chosen positions."""

    def __init__(self) -> None:
        self._facts: dict[str, list[Fact]] = {}
        self._tables: dict[str, dict[tuple[int, ...], Table]] = {}

    def add(self, fact: Fact) -> None:
        self._facts.setdefault(fact[0], []).append(fact)
        for positions, table in self._tables.get(fact[0], {}).items():
            table.setdefault(tuple([fact[i] for i in positions]), []).append(fact)

    def table(self, predicate: str, positions: tuple[int, ...]) -> Table:
        """Return the facts of ``predicate`` by their arguments at ``positions``; the table grows as facts are added."""
        tables = self._tables.setdefault(predicate, {})
        if positions not in tables:
            table = tables[positions] = {}
            for fact in self._facts.get(predicate, ()):
                table.setdefault(tuple([fact[i] for i in positions]), []).append(fact)
        return tables[positions]


@dataclass(frozen=True, slots=True)
class JoinFilter:
    """A test of a binding once ``parameters`` have objects."""

    parameters: frozenset[int]
    passes: Callable[[Binding], bool]


@dataclass(frozen=True, slots=True)
class JoinStep:
    """Binds more parameters: from the facts of a table, or (without one) from all objects of a type."""

    table: Table | None
    key: tuple[int | str, ...]  # of the table: parameters that have objects already, and constants
    binds: tuple[tuple[int, int], ...]  # position in the fact, parameter
    objects: Sequence[str]
    filters: tuple[JoinFilter, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """The steps that complete a binding, after a first fact was matched with ``seed``."""

    seed: Atom | None
    first: tuple[JoinFilter, ...]
    steps: tuple[JoinStep, ...]


class JoinPlanner:
    """Plans the joins of one action schema, once for each precondition that a new fact may match.

    The precondition with the fewest matches comes next, so that parameters are bound by static facts (a road map, a
    type) before others.

    ``estimate(atom, positions)`` returns how many facts match an atom whose terms at ``positions`` are known.
    """

    def __init__(
        self,
        schema: ActionSchema,
        atoms: Sequence[Atom],
        objects: Sequence[Sequence[str]],
        filters: Sequence[JoinFilter],
        facts: FactIndex,
        estimate: Callable[[Atom, tuple[int, ...]], float],
    ) -> None:
        self.number = {name: i for i, name in enumerate(schema.parameters)}
        self.atoms, self.objects, self.facts, self.estimate = atoms, objects, facts, estimate
        self.filters = [*filters, *(_type_filter(i, frozenset(each)) for i, each in enumerate(objects))]

    def join(self, seed: Atom | None) -> Join:
        """Plan the join that begins with a fact for ``seed``, or without one."""
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
        for parameter in free:  # in no precondition: any object of the type
            filters = self.newly_checked(bound, bound | {parameter})
            steps.append(JoinStep(None, (), ((0, parameter),), self.objects[parameter], filters))
            bound.add(parameter)
        return Join(seed, first, tuple(steps))

    def step(self, atom: Atom, bound: set[int]) -> JoinStep:
        known = self.known_positions(atom, bound)
        key = tuple(self.number.get(atom[i], atom[i]) for i in known)
        binds = tuple((i, self.number[atom[i]]) for i in range(1, len(atom)) if i not in known)
        filters = self.newly_checked(bound, bound | self.parameters_of(atom))
        return JoinStep(self.facts.table(atom[0], known), key, binds, (), filters)

    def known_positions(self, atom: Atom, bound: set[int]) -> tuple[int, ...]:
        return tuple(i for i in range(1, len(atom)) if atom[i] not in self.number or self.number[atom[i]] in bound)

    def parameters_of(self, atom: Atom) -> set[int]:
        return {self.number[term] for term in atom[1:] if term in self.number}

    def newly_checked(self, before: set[int], after: set[int]) -> tuple[JoinFilter, ...]:
        return tuple(each for each in self.filters if each.parameters <= after and not each.parameters <= before)

    def without_parameters(self) -> tuple[JoinFilter, ...]:
        return tuple(each for each in self.filters if not each.parameters)


def _type_filter(parameter: int, objects: frozenset[str]) -> JoinFilter:
    return JoinFilter(frozenset({parameter}), lambda binding: binding[parameter] in objects)


def match_fact(atom: Atom, fact: Fact, number: dict[str, int], binding: Binding) -> bool:
    """Bind the parameters in ``atom`` so that it equals ``fact``; return whether that is possible."""
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


def complete_binding(join: Join, binding: Binding, spend: Callable[[int], None]) -> Iterator[tuple[str, ...]]:
    """Yield every full binding that extends ``binding``; ``spend`` gets the number of those tried."""
    if all(each.passes(binding) for each in join.first):
        yield from _extend(join.steps, 0, binding, spend)


def _extend(
    steps: Sequence[JoinStep], i: int, binding: Binding, spend: Callable[[int], None]
) -> Iterator[tuple[str, ...]]:
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


def _bind(step: JoinStep, fact: Fact, binding: Binding) -> bool:
    for position, parameter in step.binds:
        # `(next ?x ?x)` binds one parameter twice.
        if binding[parameter] and binding[parameter] != fact[position]:
            return False
        binding[parameter] = fact[position]
    return True


def estimate_matches(facts: Sequence[Fact], positions: tuple[int, ...]) -> float:
    """Estimate how many of ``facts`` agree with given arguments at ``positions``."""
    if not facts:
        return 0.0
    distinct = math.prod(len({fact[i] for fact in facts}) for i in positions)
    return len(facts) / distinct


# --- grounding ---

MAX_ACTIONS = 200_000
TRIES_PER_ACTION = 40  # partial bindings of a good join for each action found; far more is hopeless


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action without parameters. A fact that it adds and deletes is true afterwards, so it is not in ``deletes``."""

    schema: str
    arguments: tuple[str, ...]
    needs: frozenset[Fact]
    forbids: frozenset[Fact]
    adds: frozenset[Fact]
    deletes: frozenset[Fact]
    cost: float


@dataclass(frozen=True, slots=True)
class GroundTask:
    """The reachable actions in the order of the files, and the reachable facts."""

    actions: tuple[GroundAction, ...]
    facts: frozenset[Fact]


def ground_task(task: LiftedTask, *, most: int = MAX_ACTIONS) -> GroundTask:
    """Return every action reachable in the delete relaxation; raise if there are more than ``most``."""
    return _Reachability(task, most).explore()


class _Reachability:
    def __init__(self, task: LiftedTask, most: int) -> None:
        self.task = task
        self.most = most
        self.tries_left = max(most, 10_000) * TRIES_PER_ACTION
        schemas = task.domain.schemas
        self.added = {atom[0] for schema in schemas for atom in schema.adds}
        self.deleted = {atom[0] for schema in schemas for atom in schema.deletes}
        self.facts = FactIndex()
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

    def plan_joins(self, i: int, schema: ActionSchema) -> None:
        objects = [self.task.objects_of(types) for types in schema.types]
        atoms = schema.preconditions.positive
        filters = list(self.filters(schema, self.numbers[i]))
        planner = JoinPlanner(schema, atoms, objects, filters, self.facts, self.estimator(i, objects))
        growing = [atom for atom in atoms if atom[0] in self.added]
        for atom in growing:
            self.seeds.setdefault(atom[0], []).append((i, planner.join(atom)))
        if not growing:
            self.unseeded.append((i, planner.join(None)))

    def filters(self, schema: ActionSchema, number: Mapping[str, int]) -> Iterator[JoinFilter]:
        conditions = schema.preconditions
        for pairs, same in ((conditions.same, True), (conditions.different, False)):
            for left, right in pairs:
                yield _equality_filter(number, left, right, same=same)
        for atom in conditions.negative:
            if atom[0] not in self.deleted:  # a fact that nothing deletes stays as in init
                yield _absence_filter(number, atom, self.task.init)

    def estimator(self, i: int, objects: Sequence[Sequence[str]]) -> Callable[[Atom, tuple[int, ...]], float]:
        number = self.numbers[i]

        def estimate(atom: Atom, known: tuple[int, ...]) -> float:
            if len(known) == len(atom) - 1:
                return 0.0  # a lookup
            if atom[0] not in self.added:
                return estimate_matches(self.initial.get(atom[0], ()), known)
            # The number is not known yet: assume one fact for every object of the type.
            free = {atom[at] for at in range(1, len(atom)) if at not in known}
            return math.prod(len(objects[number[term]]) for term in free)

        return estimate

    def explore(self) -> GroundTask:
        """Process facts until no new ones are found."""
        reached = dict.fromkeys(fact for facts in self.initial.values() for fact in facts)
        queue = deque(fact for fact in reached if fact[0] in self.added)
        for i, join in self.unseeded:
            self.add_facts(self.instances(i, join, None), reached, queue)
        while queue:
            fact = queue.popleft()
            self.facts.add(fact)
            for i, join in self.seeds.get(fact[0], ()):
                self.add_facts(self.instances(i, join, fact), reached, queue)
        rank = {name: i for i, name in enumerate(self.task.objects)}
        actions = tuple(
            found[arguments]
            for found in self.found  # in the order of the files, so that every run is the same
            for arguments in sorted(found, key=lambda each: [rank[name] for name in each])
        )
        return GroundTask(actions, frozenset(reached))

    def instances(self, i: int, join: Join, fact: Fact | None) -> Iterator[GroundAction]:
        """Yield the new actions of schema ``i`` that ``fact`` makes applicable."""
        schema, found = self.task.domain.schemas[i], self.found[i]
        binding: Binding = [""] * len(schema.parameters)
        if fact is not None and join.seed is not None and not match_fact(join.seed, fact, self.numbers[i], binding):
            return
        for arguments in complete_binding(join, binding, self.spend):
            if arguments not in found:
                found[arguments] = _instantiate(schema, arguments, self.task)
                yield found[arguments]
                if sum(map(len, self.found)) > self.most:
                    raise _too_many(schema, f"more than {self.most} ground actions")

    def add_facts(self, actions: Iterator[GroundAction], reached: dict[Fact, None], queue: deque[Fact]) -> None:
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


def _too_many(schema: ActionSchema, what: str) -> TelosError:
    return TelosError(
        f"the problem has {what} (seen at {schema.name!r}, with {len(schema.parameters)} parameters)",
        "take a smaller problem, or raise most",
    )


def _equality_filter(number: Mapping[str, int], left: str, right: str, *, same: bool) -> JoinFilter:
    def value(term: str, binding: Binding) -> str:
        return binding[number[term]] if term in number else term

    parameters = frozenset(number[term] for term in (left, right) if term in number)
    return JoinFilter(parameters, lambda binding: (value(left, binding) == value(right, binding)) is same)


def _absence_filter(number: Mapping[str, int], atom: Atom, init: frozenset[Fact]) -> JoinFilter:
    parameters = frozenset(number[term] for term in atom[1:] if term in number)
    return JoinFilter(
        parameters,
        lambda binding: (
            (atom[0], *(binding[number[each]] if each in number else each for each in atom[1:])) not in init
        ),
    )


def _instantiate(schema: ActionSchema, arguments: tuple[str, ...], task: LiftedTask) -> GroundAction:
    binding = dict(zip(schema.parameters, arguments, strict=True))

    def filled(atoms: tuple[Atom, ...]) -> frozenset[Fact]:
        return frozenset([(atom[0], *[binding.get(term, term) for term in atom[1:]]) for atom in atoms])

    adds = filled(schema.adds)
    return GroundAction(
        schema.name,
        arguments,
        filled(schema.preconditions.positive),
        filled(schema.preconditions.negative),
        adds,
        filled(schema.deletes) - adds,
        _cost(schema, binding, task) if task.counts_costs else 1.0,
    )


def _cost(schema: ActionSchema, binding: Mapping[str, str], task: LiftedTask) -> float:
    total = 0.0
    for cost in schema.costs:
        if isinstance(cost, float):
            total += cost
            continue
        function = (cost[0], *(binding.get(term, term) for term in cost[1:]))
        if function not in task.values:
            action = format_atom((schema.name, *binding.values()))
            raise TelosError(f"the cost of {action} is {format_atom(function)}, which has no value in (:init …)")
        total += task.values[function]
    return total


# --- constants ---


@dataclass(frozen=True, slots=True)
class ReducedTask:
    """The facts that can change, and actions restricted to them; every other fact stays as in init."""

    actions: tuple[GroundAction, ...]
    facts: frozenset[Fact]


def remove_constants(ground: GroundTask, init: frozenset[Fact]) -> ReducedTask:
    """Drop actions that are never applicable, and conditions and effects on facts that never change."""
    actions: Sequence[GroundAction] = ground.actions
    while True:
        deleted = frozenset[Fact]().union(*(action.deletes for action in actions))
        added = frozenset[Fact]().union(*(action.adds for action in actions))
        for_ever = init - deleted
        can_hold = init | added
        kept = [each for each in actions if not each.forbids & for_ever and each.needs <= can_hold]
        if len(kept) == len(actions):
            break
        actions = kept  # facts that only the dropped actions changed are constant now
    changing = frozenset((added - init) | (deleted & init))
    return ReducedTask(tuple(_restrict(action, changing) for action in actions), changing)


def _restrict(action: GroundAction, changing: frozenset[Fact]) -> GroundAction:
    return replace(
        action,
        needs=action.needs & changing,
        forbids=action.forbids & changing,
        adds=action.adds & changing,
        deletes=action.deletes & changing,
    )
