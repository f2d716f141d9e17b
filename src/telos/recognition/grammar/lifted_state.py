"""State of the lifted parser: hypotheses, variable bindings and the partially observed world."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from telos.recognition.grammar.hddl import (
    ANY_OBJECT,
    ROOT_TYPE,
    WILDCARD,
    HddlDomain,
    HddlLiteral,
    HddlOperator,
    HddlProblem,
    HddlStep,
    LiftedMethod,
)

# --- hypotheses -------------------------------------------------------------------------------------------------------

Term: TypeAlias = int | str  # a variable, by number, or an object
Bindings: TypeAlias = dict[int, Term]


class TaskNode(NamedTuple):
    """A task that is left to do, and the nodes that must precede it."""

    number: int
    name: str
    arguments: tuple[Term, ...]
    before: frozenset[int]


class PendingLiteral(NamedTuple):
    """A literal that must hold, but whose variables are not bound yet."""

    predicate: str
    arguments: tuple[Term, ...]
    positive: bool


class LiftedHypothesis(NamedTuple):
    """One explanation of the observed actions, and the tasks that are left."""

    weight: float
    nodes: tuple[TaskNode, ...]
    bound: Bindings
    waiting: tuple[PendingLiteral, ...]
    goals: tuple[tuple[str, tuple[Term, ...]], ...]
    fresh: frozenset[int]  # the nodes that the last action enabled
    choice: tuple[int, int, bool] | None  # at the last action: enabled nodes, others, was one enabled
    methods: Any  # those used so far, as a linked list, the last first: hypotheses share their common part


def value_of(bound: Bindings, term: Term) -> Term:
    """Return the value of a term: an object, or the last variable of its chain."""
    while isinstance(term, int) and term in bound:
        term = bound[term]
    return term


def ground_literal(waiting: PendingLiteral, bound: Bindings) -> HddlLiteral | None:
    """Return a pending literal with its values; None while a variable is unbound."""
    values = [value_of(bound, term) for term in waiting.arguments]
    if any(isinstance(value, int) for value in values):
        return None
    return HddlLiteral(waiting.predicate, tuple(str(value) for value in values), waiting.positive)


def canonical_key(hypothesis: LiftedHypothesis) -> Any:
    """Return the key by which equal hypotheses are merged: names of variables and nodes do not matter."""
    names: dict[int, int] = {}
    places = {node.number: place for place, node in enumerate(hypothesis.nodes)}

    def plain(term: Term) -> Term:
        value = value_of(hypothesis.bound, term)
        return names.setdefault(value, len(names)) if isinstance(value, int) else value

    nodes = tuple(
        (node.name, tuple(map(plain, node.arguments)), frozenset(places[each] for each in node.before))
        for node in hypothesis.nodes
    )
    goals = tuple((name, tuple(map(plain, arguments))) for name, arguments in hypothesis.goals)
    waiting = tuple((each.predicate, tuple(map(plain, each.arguments)), each.positive) for each in hypothesis.waiting)
    return nodes, goals, waiting, frozenset(places[each] for each in hypothesis.fresh if each in places)


def methods_of(hypothesis: LiftedHypothesis) -> list[tuple[str, str]]:
    """Return the methods of a hypothesis, by task and name."""
    found, chain = [], hypothesis.methods
    while chain:
        method, chain = chain
        found.append(method)
    return found


def remove_node(nodes: tuple[TaskNode, ...], number: int) -> tuple[TaskNode, ...]:
    """Return the nodes without a finished one."""
    return tuple(
        node._replace(before=node.before - {number}) if number in node.before else node
        for node in nodes
        if node.number != number
    )


def enabled_by(nodes: tuple[TaskNode, ...], number: int) -> frozenset[int]:
    """Return the nodes that wait only for the given one."""
    return frozenset(node.number for node in nodes if node.before == {number})


def replace_node(nodes: tuple[TaskNode, ...], number: int, parts: list[TaskNode]) -> tuple[TaskNode, ...]:
    """Return the nodes with one of them refined; nodes that waited for it wait for all its parts."""
    numbers = frozenset(part.number for part in parts)
    found: list[TaskNode] = []
    for node in nodes:
        if node.number == number:
            found += parts
        else:
            found.append(node._replace(before=node.before - {number} | numbers) if number in node.before else node)
    return tuple(found)


# --- observed world ---------------------------------------------------------------------------------------------------

Pattern = tuple[str | None, ...]  # arguments, None for any


class ObservedWorld:
    """The facts, updated by observed actions. Literals about hidden predicates and objects always may hold."""

    def __init__(
        self,
        domain: HddlDomain,
        problem: HddlProblem,
        *,
        hidden_predicates: Iterable[str] = (),
        hidden_objects: Iterable[str] = (),
    ) -> None:
        self.domain = domain
        self.hidden = frozenset(hidden_predicates)
        unseen = frozenset(hidden_objects)
        self.kinds = {
            name: kind for name, kind in {**domain.constants, **problem.objects}.items() if name not in unseen
        }
        given = {**problem.objects}
        self.open_types = frozenset(
            above for name in unseen for above in domain.above.get(given.get(name, ROOT_TYPE), frozenset({ROOT_TYPE}))
        )
        self._facts: dict[str, set[tuple[str, ...]]] = {}
        for predicate, *arguments in problem.facts:
            if predicate not in self.hidden and not unseen.intersection(arguments):
                self._facts.setdefault(predicate, set()).add(tuple(arguments))
        self._of_type: dict[str, tuple[str, ...]] = {}
        self._matches: dict[str, dict[object, list[tuple[str, ...]]]] = {}  # by predicate, as each changes by itself
        self._instances: dict[tuple[str, tuple[str, ...], Pattern], list[tuple[str, ...]]] = {}

    def is_known(self, name: str) -> bool:
        """Whether an object is visible."""
        return name in self.kinds

    def fits(self, name: str, kind: str) -> bool:
        """Whether an object is, or may be, of a type."""
        known = self.kinds.get(name)
        return known is None or kind in self.domain.above.get(known, frozenset({ROOT_TYPE}))

    def of_type(self, kind: str) -> tuple[str, ...]:
        """Return the visible objects of a type."""
        if kind not in self._of_type:
            self._of_type[kind] = tuple(sorted(name for name in self.kinds if self.fits(name, kind)))
        return self._of_type[kind]

    def matches(self, predicate: str, pattern: Pattern) -> list[tuple[str, ...]]:
        """Return the facts that match a pattern, in a fixed order."""
        known = self._matches.setdefault(predicate, {})
        if pattern not in known:
            fixed = [(place, name) for place, name in enumerate(pattern) if name is not None]
            facts = self._facts.get(predicate, ())
            known[pattern] = sorted(fact for fact in facts if all(fact[place] == name for place, name in fixed))
        return known[pattern]

    def choices(self, predicate: str, pattern: Pattern, kinds: Pattern) -> list[tuple[str, ...]]:
        """Return the facts that match a pattern with objects of the given types; `_type` stands for any object."""
        known = self._matches.setdefault(predicate, {})
        key = pattern, kinds
        if key not in known:
            found: dict[tuple[str, ...], None] = {}
            for fact in self.matches(predicate, pattern):
                pairs = [(name, kind) for name, kind in zip(fact, kinds, strict=True)]
                if all(kind is None or self.fits(name, kind.removeprefix(WILDCARD)) for name, kind in pairs):
                    found[tuple(kind if kind and kind.startswith(WILDCARD) else name for name, kind in pairs)] = None
            known[key] = list(found)
        return known[key]

    def holds(self, literal: HddlLiteral) -> bool:
        """Whether a ground literal holds; one about something hidden always may."""
        if literal.predicate in self.hidden:
            return True
        if literal.predicate == "=":
            return (literal.arguments[0] == literal.arguments[1]) == literal.positive
        named = [name for name in literal.arguments if not name.startswith(WILDCARD)]
        if not all(map(self.is_known, named)):
            return True
        if len(named) == len(literal.arguments):
            return (literal.arguments in self._facts.get(literal.predicate, ())) == literal.positive
        if self.open_types.intersection(name[1:] for name in literal.arguments if name.startswith(WILDCARD)):
            return True
        pattern = tuple(None if name.startswith(WILDCARD) else name for name in literal.arguments)
        found = any(
            all(
                not of.startswith(WILDCARD) or self.fits(name, of[1:])
                for name, of in zip(fact, literal.arguments, strict=True)
            )
            for fact in self.matches(literal.predicate, pattern)
        )
        return found == literal.positive

    def apply(self, operator: HddlOperator, arguments: tuple[str, ...]) -> None:
        """Apply an observed action."""
        given = {name: value for (name, _), value in zip(operator.parameters, arguments, strict=True)}
        for literal in sorted(operator.effects, key=lambda each: each.positive):  # positive effects take precedence
            fact = tuple(given.get(name, name) for name in literal.arguments)
            facts = self._facts.setdefault(literal.predicate, set())
            facts.add(fact) if literal.positive else facts.discard(fact)
            self._matches.pop(literal.predicate, None)
        if operator.effects:
            self._instances.clear()

    def instances(self, operator: HddlOperator, types: tuple[str, ...], pattern: Pattern) -> list[tuple[str, ...]]:
        """Return the arguments of the given types that match a pattern and make an action possible now."""
        key = operator.name, types, pattern
        if key not in self._instances:
            names = [name for name, _ in operator.parameters]
            start = {name: value for name, value in zip(names, pattern, strict=True) if value is not None}
            kinds = dict(zip(names, types, strict=True))
            found = [tuple(each[name] for name in names) for each in self._joined(list(operator.needs), start, kinds)]
            self._instances[key] = found
        return self._instances[key]

    def _joined(
        self, needs: list[HddlLiteral], given: dict[str, str], kinds: dict[str, str]
    ) -> Iterator[dict[str, str]]:
        """Yield all bindings of parameters under which the preconditions hold, by joining the facts."""
        usable = [each for each in needs if self._is_table(each, given)]
        if not usable:
            yield from self._filled(needs, given, kinds)
            return
        # The literal with the fewest facts first: it branches least.
        first = min(usable, key=lambda each: len(self.matches(each.predicate, self._pattern(each, given))))
        rest = [each for each in needs if each is not first]
        for fact in self.matches(first.predicate, self._pattern(first, given)):
            bound = dict(given)
            for name, value in zip(first.arguments, fact, strict=True):
                if name.startswith("?"):
                    bound[name] = value
            pairs = zip(first.arguments, fact, strict=True)
            if any(bound.get(name, value) != value for name, value in pairs):
                continue  # one variable would get two values
            if all(name not in kinds or self.fits(value, kinds[name]) for name, value in bound.items()):
                yield from self._joined(rest, bound, kinds)

    def _is_table(self, literal: HddlLiteral, given: dict[str, str]) -> bool:
        """Whether the known facts determine the objects for which a literal holds."""
        if not literal.positive or literal.predicate in self.hidden or literal.predicate == "=":
            return False
        return all(self.is_known(given[name]) for name in literal.arguments if name in given)

    @staticmethod
    def _pattern(literal: HddlLiteral, given: dict[str, str]) -> Pattern:
        return tuple(given.get(name) if name[0] in ("?", WILDCARD) else name for name in literal.arguments)

    def _filled(
        self, needs: list[HddlLiteral], given: dict[str, str], kinds: dict[str, str]
    ) -> Iterator[dict[str, str]]:
        free = [name for name in kinds if name not in given]
        for values in product(*(self.of_type(kinds[name]) for name in free)):
            bound = {**given, **dict(zip(free, values, strict=True))}
            grounded = (
                each._replace(arguments=tuple(bound.get(name, name) for name in each.arguments)) for each in needs
            )
            if all(map(self.holds, grounded)):
                yield bound


# --- tables of a domain -----------------------------------------------------------------------------------------------

StaticNeeds = frozenset[tuple[str, tuple[int | str, ...]]]  # arguments: indices of parameters, or objects


@dataclass(frozen=True, slots=True)
class LiftedTables:
    """Properties of a domain's tasks, and of its methods by task and name."""

    first: Mapping[str, frozenset[str]]  # the actions that a task may start with
    first_by: Mapping[tuple[str, str], frozenset[str]]
    may_be_nothing: frozenset[str]
    statics: frozenset[str]  # predicates that no action changes
    needs: Mapping[tuple[str, str], tuple[HddlLiteral, ...]]  # of a method: its own, and those of all its steps


def build_lifted_tables(domain: HddlDomain, added: Mapping[str, Sequence[HddlLiteral]] | None = None) -> LiftedTables:
    """Return the tables of a domain; ``added`` are further preconditions of methods, by name."""
    domain = _with_needs(domain, added or {})
    nothing = _possibly_empty(domain)
    first, first_by = _first(domain, nothing)
    changed = {literal.predicate for each in domain.operators.values() for literal in each.effects}
    used = {literal.predicate for each in domain.operators.values() for literal in each.needs}
    used |= {literal.predicate for method in _methods(domain) for literal in method.needs}
    statics = frozenset(used - changed - {"="})
    by_task = _static_needs(domain, statics)
    needs = {
        (method.head.name, method.name): (*method.needs, *_step_needs(domain, method, by_task, set(method.needs)))
        for method in _methods(domain)
    }
    return LiftedTables(first, first_by, nothing, statics, needs)


def _with_needs(domain: HddlDomain, added: Mapping[str, Sequence[HddlLiteral]]) -> HddlDomain:
    methods = {
        task: tuple(each._replace(needs=(*each.needs, *added.get(each.name, ()))) for each in ways)
        for task, ways in domain.methods.items()
    }
    return replace(domain, methods=methods)


def _methods(domain: HddlDomain) -> Iterable[LiftedMethod]:
    return (method for each in domain.methods.values() for method in each)


def _possibly_empty(domain: HddlDomain) -> frozenset[str]:
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


def _static_needs(domain: HddlDomain, statics: frozenset[str]) -> dict[str, StaticNeeds | None]:
    """Return the static facts that every decomposition of a task needs; None while unknown."""
    found: dict[str, StaticNeeds | None] = dict.fromkeys(domain.tasks)
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
            ways = [each for method in methods if (each := _method_needs(method, found, statics)) is not None]
            found[task] = reduce(_common, ways) if ways else None
        if found == before:
            return found


def _common(one: StaticNeeds, other: StaticNeeds) -> StaticNeeds:
    """Return the common needs; different arguments become any object."""
    return frozenset(
        (predicate, tuple(a if a == b else ANY_OBJECT for a, b in zip(mine, theirs, strict=True)))
        for predicate, mine in one
        for another, theirs in other
        if predicate == another and any(a == b for a, b in zip(mine, theirs, strict=True))
    )


def _method_needs(
    method: LiftedMethod, known: Mapping[str, StaticNeeds | None], statics: frozenset[str]
) -> StaticNeeds | None:
    places: dict[str, int] = {}
    for place, name in enumerate(method.head.arguments):
        places.setdefault(name, place)
    needs = [each for each in method.needs if each.positive and each.predicate in statics]
    for step in method.steps:
        inner = known[step.name]
        if inner is None:
            return None
        needs += _to_literals(step, inner)
    return frozenset(
        (
            each.predicate,
            tuple(places.get(name, ANY_OBJECT if name.startswith("?") else name) for name in each.arguments),
        )
        for each in needs
    )


def _to_literals(step: HddlStep, needs: StaticNeeds) -> list[HddlLiteral]:
    return [
        HddlLiteral(predicate, tuple(step.arguments[each] if isinstance(each, int) else each for each in arguments))
        for predicate, arguments in sorted(needs, key=str)
    ]


def _step_needs(
    domain: HddlDomain, method: LiftedMethod, known: Mapping[str, StaticNeeds | None], own: set[HddlLiteral]
) -> list[HddlLiteral]:
    """Return the needs of a method's steps, without its own and without empty ones."""
    found = [literal for step in method.steps for literal in _to_literals(step, known[step.name] or frozenset())]
    return [each for each in dict.fromkeys(found) if each not in own and set(each.arguments) != {ANY_OBJECT}]


# --- bindings ---------------------------------------------------------------------------------------------------------

MAX_BRANCHING = 4  # facts: so many choices are branched on at once, more wait for an observation
HIDDEN_CHANCE = 0.2  # the chance that a hidden object is meant, if there are any

MethodBinding = tuple[Bindings, tuple[PendingLiteral, ...], float, Mapping[str, int]]
_Way = tuple[Bindings, tuple[PendingLiteral, ...], float]


class VariableBinder:
    """Binds typed variables to objects."""

    def __init__(self, scene: ObservedWorld, tables: LiftedTables) -> None:
        self._scene, self._tables = scene, tables
        self._types: list[str] = []

    def type_of(self, variable: int) -> str:
        """Return the type of a variable."""
        return self._types[variable]

    def unify(self, bound: Bindings, terms: tuple[Term, ...], others: tuple[Term, ...]) -> Bindings | None:
        """Unify two rows of terms: return the bindings, or None if they differ."""
        after = dict(bound)
        for one, other in zip(terms, others, strict=True):
            one, other = value_of(after, one), value_of(after, other)
            if one == other:
                continue
            if isinstance(one, str):
                one, other = other, one
            if isinstance(one, str):
                return None  # two objects
            if isinstance(other, str):
                if not self._scene.fits(other, self._types[one]):
                    return None
                after[one] = other
            elif self._is_kind(self._types[one], self._types[other]):
                after[other] = one  # the narrower type is kept
            elif self._is_kind(self._types[other], self._types[one]):
                after[one] = other
            else:
                return None
        return after

    def _is_kind(self, kind: str, of: str) -> bool:
        return of in self._scene.domain.above.get(kind, frozenset({ROOT_TYPE}))

    def share(self, bound: Bindings, node: TaskNode) -> float:
        """Return the chance of one set of arguments of an action: all possible ones are equally likely."""
        operator = self._scene.domain.operators[node.name]
        pattern, types = self.pattern(bound, node)
        if None not in pattern:
            return 1.0
        return 1.0 / max(1, len(self._scene.instances(operator, types, pattern)))

    def pattern(self, bound: Bindings, node: TaskNode) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
        """Return the known arguments of an action, and the required types."""
        operator = self._scene.domain.operators[node.name]
        values = [value_of(bound, term) for term in node.arguments]
        pattern = tuple(value if isinstance(value, str) else None for value in values)
        types = tuple(
            self._types[value] if isinstance(value, int) and self._is_kind(self._types[value], kind) else kind
            for value, (_, kind) in zip(values, operator.parameters, strict=True)
        )
        return pattern, types

    def enter(self, bound: Bindings, node: TaskNode, method: LiftedMethod) -> Iterator[MethodBinding]:
        """Yield the bindings for a method: by the arguments of the task, and by the facts that must hold."""
        first = len(self._types)
        self._types += (kind for _, kind in method.parameters)
        names = {name: first + place for place, (name, _) in enumerate(method.parameters)}
        head = tuple(names.get(name, name) for name in method.head.arguments)
        united = self.unify(bound, node.arguments, head)
        if united is None:
            return
        ways: list[_Way] = [(united, (), 1.0)]
        for literal in self._tables.needs[node.name, method.name]:
            ways = [after for way in ways for after in self._with(way, literal, names)]
        yield from ((found, waiting, share, names) for found, waiting, share in ways)

    def _with(self, way: _Way, literal: HddlLiteral, names: Mapping[str, int]) -> Iterator[_Way]:
        """Yield the bindings under which a literal holds."""
        bound, waiting, share = way
        later = PendingLiteral(
            literal.predicate, tuple(names.get(name, name) for name in literal.arguments), literal.positive
        )
        ready = ground_literal(later, bound)
        values = [value_of(bound, term) for term in later.arguments]
        if literal.predicate in self._scene.hidden or self._mentions_hidden(values):
            yield way
        elif ready is not None:
            if self._scene.holds(ready):
                yield way
        elif not literal.positive or literal.predicate == "=":
            yield bound, (*waiting, later), share
        else:
            yield from self._chosen(way, later, values)

    def _chosen(self, way: _Way, later: PendingLiteral, values: list[Term]) -> Iterator[_Way]:
        """Yield the choices of objects for which a literal holds; many choices of a static literal are postponed."""
        bound, waiting, share = way
        found = self._facts(later.predicate, values)
        if later.predicate in self._tables.statics and len(found) > MAX_BRANCHING:
            yield bound, (*waiting, later), share
            return
        unseen = HIDDEN_CHANCE if self._may_be_hidden(values) else 0.0
        for fact in found:
            after = self.unify(bound, later.arguments, fact)
            if after is not None:
                yield after, waiting, share * (1.0 - unseen) / len(found)
        if unseen:
            yield bound, waiting, share * unseen

    def _may_be_hidden(self, values: list[Term]) -> bool:
        return any(isinstance(each, int) and self._types[each] in self._scene.open_types for each in values)

    def _mentions_hidden(self, values: list[Term]) -> bool:
        return not all(self._scene.is_known(each) for each in values if isinstance(each, str) and each[0] != WILDCARD)

    def _facts(self, predicate: str, values: list[Term]) -> list[tuple[str, ...]]:
        named = tuple(each if isinstance(each, str) and each[0] != WILDCARD else None for each in values)
        kinds = tuple(
            self._types[each] if isinstance(each, int) else each if each[0] == WILDCARD else None for each in values
        )
        return self._scene.choices(predicate, named, kinds)
