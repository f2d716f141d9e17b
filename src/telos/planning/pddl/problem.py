"""A PDDL problem as a Telos domain.

Start with ``load_pddl``. Facts of which at most one is true at a time become one enum variable; every other fact
becomes a bool.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.expressions import TRUE, And, Compare, Expression, Literal, Name, Not
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import KEYWORDS, FrozenMap, Value, Variable
from telos.planning.pddl.grounding import MAX_ACTIONS, GroundAction, ReducedTask, ground_task, remove_constants
from telos.planning.pddl.parser import (
    ActionSchema,
    Atom,
    Fact,
    LiftedTask,
    Literals,
    format_atom,
    read_domain,
    read_goal,
    read_problem,
)
from telos.planning.pddl.syntax import PddlSource

FALSE = Literal(False)


@dataclass(frozen=True, slots=True)
class PddlProblem:
    """A PDDL domain and problem, grounded: what to plan with, where it starts, and what it is for.

    Variables and actions have names in Telos's spelling; ``pddl`` and ``facts`` say them in PDDL's.
    """

    domain: Domain
    state: State
    goal: Goal
    said: FrozenMap[str, str] = field(repr=False)  # the name of each action to what PDDL calls it
    slots: "Mapping[Fact, FactSlot]" = field(repr=False)
    task: LiftedTask = field(repr=False)

    def pddl(self, steps: Iterable[Action | str]) -> tuple[str, ...]:
        """Write actions as PDDL does: ``move.a.b`` is ``(move a b)``."""
        return tuple(self.said[step if isinstance(step, str) else step.name] for step in steps)

    def actions(self, said: str) -> tuple[Action, ...]:
        """Return the ground actions that PDDL calls ``said``, as in ``(move a b)``: several if files name two alike."""
        wanted = format_atom(tuple(said.lower().replace("(", " ").replace(")", " ").split()))
        return tuple(action for action in self.domain.actions if self.said[action.name] == wanted)

    def wants(self, said: str) -> Condition:
        """Return another goal of the same problem as a condition, as in ``(on a b), (clear a)``."""
        return _conjunction(_goal_conditions(read_goal(said, self.task), self.slots, self.task))

    def facts(self, state: State) -> frozenset[str]:
        """Return everything that is true in ``state``, as PDDL writes it."""
        changing = {fact for fact, slot in self.slots.items() if state[slot.variable] == slot.value}
        return frozenset(format_atom(fact) for fact in changing | (self.task.init - self.slots.keys()))


def load_pddl(
    domain: str | os.PathLike[str], problem: str | os.PathLike[str], *, most: int = MAX_ACTIONS
) -> PddlProblem:
    """Read and ground a PDDL domain file and a problem file; refuse more than ``most`` ground actions.

    A bad file raises a ``DefinitionError`` that holds its faults, each with line, column and remedy.
    """
    return _build_problem(PddlSource.read(domain), PddlSource.read(problem), most)


def loads_pddl(domain: str, problem: str, *, most: int = MAX_ACTIONS) -> PddlProblem:
    """Read and ground a PDDL domain and problem from their text."""
    return _build_problem(PddlSource.of("<domain>", domain), PddlSource.of("<problem>", problem), most)


def _build_problem(domain: PddlSource, problem: PddlSource, most: int) -> PddlProblem:
    if most < 1:
        raise TelosError(f"most must be at least 1, got {most}")
    task = read_problem(problem, read_domain(domain))
    changing = remove_constants(ground_task(task, most=most), task.init)
    groups = find_mutex_groups(changing, task.domain.schemas, task.init)
    actions = _drop_impossible(changing.actions, groups)
    encoding = encode_facts(changing.facts | _unreachable_goal_facts(task, changing), groups, actions, task.init)
    names = _action_names(actions)
    writer = _ActionBuilder(encoding.slots)
    goal = Goal(task.name, wants=_conjunction(_goal_conditions(task.goal, encoding.slots, task)))
    made = Domain(
        task.domain.name,
        variables=encoding.variables,
        actions=[writer.action(name, action) for name, action in zip(names, actions, strict=True)],
        goals=[goal],
    )
    said = {name: format_atom((action.schema, *action.arguments)) for name, action in zip(names, actions, strict=True)}
    return PddlProblem(made, made.state(), goal, FrozenMap(said), FrozenMap(encoding.slots), task)


def _drop_impossible(actions: Iterable[GroundAction], groups: Iterable[frozenset[Fact]]) -> list[GroundAction]:
    """Drop the actions that need two facts at once of which at most one is ever true."""
    member: dict[Fact, set[int]] = {}
    for i, group in enumerate(groups):
        for fact in group:
            member.setdefault(fact, set()).add(i)
    kept = []
    for action in actions:
        inside = [i for fact in action.needs for i in member.get(fact, ())]
        if len(inside) == len(set(inside)):
            kept.append(action)
    return kept


def _unreachable_goal_facts(task: LiftedTask, changing: ReducedTask) -> frozenset[Fact]:
    """Return the facts that no action can make as the goal wants them: variables too, so that the goal can say so."""
    never = {fact for fact in task.goal.positive if fact not in task.init}
    always = {fact for fact in task.goal.negative if fact in task.init}
    return frozenset((never | always) - changing.facts)


def _goal_conditions(goal: Literals, slots: "Mapping[Fact, FactSlot]", task: LiftedTask) -> Iterator[Expression]:
    for facts, wanted in ((goal.positive, True), (goal.negative, False)):
        for fact in facts:
            if fact in slots:
                yield slots[fact].holds if wanted else slots[fact].fails
            elif (fact in task.init) is not wanted:
                yield FALSE
    if any(left != right for left, right in goal.same) or any(left == right for left, right in goal.different):
        yield FALSE


def _conjunction(parts: Iterable[Expression]) -> Condition:
    parts = tuple(parts)
    if not parts:
        return Condition(TRUE)
    return Condition(parts[0] if len(parts) == 1 else And(parts))


def _action_names(actions: Iterable[GroundAction]) -> list[str]:
    """Name each action ``move.a.b``; the second of two that PDDL calls the same is ``move.a.b.2``."""
    count: dict[str, int] = {}
    names = []
    for action in actions:
        name = ".".join((action.schema, *action.arguments))
        count[name] = count.get(name, 0) + 1
        names.append(name if count[name] == 1 else f"{name}.{count[name]}")
    return names


class _ActionBuilder:
    """Writes ground actions over variables. Equal effects are one object, so that each is bound to a layout once."""

    def __init__(self, slots: "Mapping[Fact, FactSlot]") -> None:
        self.slots = slots
        self.effects: dict[tuple[str, Expression], Effect] = {}

    def action(self, name: str, action: GroundAction) -> Action:
        needs = [self.slots[fact].holds for fact in sorted(action.needs)]
        needs += [self.slots[fact].fails for fact in sorted(action.forbids)]
        values = dict(self.deleted(action))
        values |= {self.slots[fact].variable: self.slots[fact].added for fact in sorted(action.adds)}
        effects = [self.effect(variable, value) for variable, value in values.items()]
        return Action(name, preconditions=_conjunction(needs), effects=effects, cost=action.cost)

    def deleted(self, action: GroundAction) -> Iterator[tuple[str, Expression]]:
        for fact in sorted(action.deletes):
            slot = self.slots[fact]
            # A shared variable may hold another fact than the deleted one, unless the action needs that very fact.
            if slot.deleted is not None and (not slot.is_shared or fact in action.needs):
                yield slot.variable, slot.deleted

    def effect(self, variable: str, value: Expression) -> Effect:
        return self.effects.setdefault((variable, value), Effect(variable, value))


# --- encoding ---------------------------------------------------------------------------------------------------------
# Facts to variables: a group of which at most one is true becomes an enum, every other fact a bool.


@dataclass(frozen=True, slots=True)
class FactSlot:
    """Where a fact is kept: the variable, what it is set to, and the conditions that it holds and that it does not.

    ``deleted`` is None if the variable always has one of its facts, so that none is deleted but by another.
    """

    variable: str
    added: Expression
    deleted: Expression | None
    holds: Expression
    fails: Expression

    @property
    def is_shared(self) -> bool:
        """Whether other facts share the variable."""
        return self.added is not TRUE

    @property
    def value(self) -> Value:
        """Return what the variable holds while the fact is true."""
        return self.added.name if isinstance(self.added, Name) else True


@dataclass(frozen=True, slots=True)
class FactEncoding:
    variables: tuple[Variable, ...]
    slots: Mapping[Fact, FactSlot]


class UniqueNames:
    """Names in Telos's own spelling, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self.given: list[str] = []

    def new(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        self.given.append(name)
        return name


def to_identifier(word: str) -> str:
    """Spell a PDDL name as a part of a variable's name.

    >>> to_identifier("at-robot"), to_identifier("not")
    ('at_robot', 'not_')
    """
    plain = word.replace("-", "_")
    return f"{plain}_" if plain in KEYWORDS else plain


def encode_facts(
    facts: Iterable[Fact], groups: Sequence[frozenset[Fact]], actions: Iterable[GroundAction], init: frozenset[Fact]
) -> FactEncoding:
    """Give every fact its slot: first the largest groups of facts that exclude each other, then the rest."""
    facts = sorted(facts)
    chosen = _choose_groups(groups)
    may_be_empty = _find_empty_groups(chosen, actions, init)
    names = UniqueNames()
    enum_names = [names.new(_group_name(group)) for group in chosen]
    alone = sorted(set(facts).difference(*chosen))
    bool_names = [names.new(".".join(map(to_identifier, fact))) for fact in alone]
    variables: list[Variable] = []
    slots: dict[Fact, FactSlot] = {}
    for i, (name, group) in enumerate(zip(enum_names, chosen, strict=True)):
        labels = _labels(group, names.taken)
        empty = (labels.new("none_of_these"),) if i in may_be_empty else ()
        spelling = dict(zip(group, labels.given, strict=False))
        start = next((spelling[fact] for fact in group if fact in init), *empty)
        variables.append(Variable(name, [*spelling.values(), *empty], start))
        slots |= {fact: _enum_slot(name, label, *empty) for fact, label in spelling.items()}
    for name, fact in zip(bool_names, alone, strict=True):
        variables.append(Variable(name, "bool", fact in init))
        slots[fact] = FactSlot(name, TRUE, FALSE, Name(name), Not(Name(name)))
    return FactEncoding(tuple(sorted(variables, key=lambda each: each.name)), slots)


def _choose_groups(groups: Sequence[frozenset[Fact]]) -> list[list[Fact]]:
    """Choose groups without common facts, the largest first; part of a group excludes each other as the whole does."""
    left = {group: set(group) for group in sorted(groups, key=sorted)}
    chosen: list[list[Fact]] = []
    while left:
        largest = max(left, key=lambda group: len(left[group]))
        facts = left.pop(largest)
        if len(facts) < 2:
            break
        chosen.append(sorted(facts))
        for other in left.values():
            other -= facts
    return chosen


def _find_empty_groups(
    chosen: Sequence[Sequence[Fact]], actions: Iterable[GroundAction], init: frozenset[Fact]
) -> set[int]:
    """Return the groups of which, at the start or after some action, no fact is true."""
    number = {fact: i for i, group in enumerate(chosen) for fact in group}
    empty = {i for i, group in enumerate(chosen) if not any(fact in init for fact in group)}
    for action in actions:
        ended = {number[fact] for fact in action.deletes & action.needs if fact in number}
        empty |= ended - {number[fact] for fact in action.adds if fact in number}
    return empty


def _common_arguments(group: Sequence[Fact]) -> list[str]:
    """Return the arguments that all facts of a group share: what the group is about."""
    return [each for each in dict.fromkeys(group[0][1:]) if all(each in fact[1:] for fact in group)]


def _group_name(group: Sequence[Fact]) -> str:
    predicates = "_".join(to_identifier(each) for each in dict.fromkeys(fact[0] for fact in group))
    return ".".join([predicates, *map(to_identifier, _common_arguments(group))])


def _labels(group: Sequence[Fact], taken: Iterable[str]) -> UniqueNames:
    """Return a label for each fact, in order: what sets it apart from the others of its group."""
    labels = UniqueNames(taken)  # a label that is a variable too would be unclear
    common, is_one_predicate = _common_arguments(group), len({fact[0] for fact in group}) == 1
    for fact in group:
        rest = [each for each in fact[1:] if each not in common]
        labels.new("_".join(map(to_identifier, rest if is_one_predicate and rest else [fact[0], *rest])))
    return labels


def _enum_slot(name: str, label: str, empty: str | None = None) -> FactSlot:
    deleted = None if empty is None else Name(empty)
    is_it = (Name(name), Name(label))
    return FactSlot(name, Name(label), deleted, Compare("==", *is_it), Compare("!=", *is_it))


# --- invariants -------------------------------------------------------------------------------------------------------
# Invariants: facts of which at most one is true at any time, such as the places where one truck may be.
#
# They are guessed from the action schemas (after Helmert, "Concise finite-domain representations for PDDL planning
# tasks", 2009) and proved on the ground actions, so a wrong guess costs time and nothing else.


MAX_CANDIDATES = 300
MAX_PARTS = 5

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class InvariantPart:
    """A predicate whose arguments at ``key`` name the thing, and whose one other argument, if any, is free."""

    predicate: str
    key: tuple[int, ...]
    arity: int

    def of(self, atom: Atom) -> Key:
        """Return the key in an atom of this predicate."""
        return tuple([atom[i] for i in self.key])


Candidate: TypeAlias = frozenset[InvariantPart]  # of every key: at most one of the atoms of these parts is true


def find_mutex_groups(
    changing: ReducedTask, schemas: Sequence[ActionSchema], init: frozenset[Fact]
) -> list[frozenset[Fact]]:
    """Return sets of facts of which at most one is ever true, each proved; one fact may be in several."""
    proved: dict[frozenset[Fact], None] = {}
    for guess in _find_candidates(schemas, changing):
        for group in _prove(guess, changing, init):
            if len(group) > 1:
                proved[group] = None
    return list(proved)


def _find_candidates(schemas: Sequence[ActionSchema], changing: ReducedTask) -> Iterator[Candidate]:
    """Yield the guesses that every schema leaves in balance, as far as parameters with different names differ."""
    arities = {fact[0]: len(fact) - 1 for fact in sorted(changing.facts)}
    lifted = [_restrict_effects(schema, arities) for schema in schemas]
    first = [
        frozenset({InvariantPart(name, tuple(i for i in range(1, arity + 1) if i != free), arity)})
        for name, arity in arities.items()
        for free in range(arity + 1)
    ]
    waiting, seen = list(first), set(first)
    while waiting and len(seen) < MAX_CANDIDATES:
        guess = waiting.pop(0)
        is_balanced, better = _check_balance(guess, lifted)
        if is_balanced:
            yield guess
        for each in better:
            if each not in seen and len(each) <= MAX_PARTS:
                seen.add(each)
                waiting.append(each)


@dataclass(frozen=True, slots=True)
class _Effects:
    needs: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


def _restrict_effects(schema: ActionSchema, predicates: Mapping[str, int]) -> _Effects:
    def some(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(atom for atom in atoms if atom[0] in predicates)

    return _Effects(some(schema.preconditions.positive), some(schema.adds), some(schema.deletes))


def _check_balance(guess: Candidate, schemas: Sequence[_Effects]) -> tuple[bool, list[Candidate]]:
    """Whether no schema makes two true where one was; and the guesses with one part more that would help."""
    is_balanced = True
    better: list[Candidate] = []
    for schema in schemas:
        needs, adds, deletes = (_by_key(guess, each) for each in (schema.needs, schema.adds, schema.deletes))
        taken = [atom for atom in schema.needs if atom in schema.deletes]
        for key in {**adds, **deletes}:
            if len(adds.get(key, ())) > 1:
                return False, []
            if not needs.get(key):
                is_balanced = False
                better += _extend(guess, key, taken)
            elif key in adds and not set(needs[key]) & {*deletes.get(key, ()), *adds[key]}:
                is_balanced = False
            elif key not in adds:  # one of them ends here: perhaps another begins
                better += _extend(guess, key, schema.adds)
        if not is_balanced:
            break
    return is_balanced, better


def _by_key(guess: Candidate, atoms: Sequence[Atom]) -> dict[Key, list[Atom]]:
    found: dict[Key, list[Atom]] = defaultdict(list)
    for part in sorted(guess):
        for atom in atoms:
            if atom[0] == part.predicate:
                found[part.of(atom)].append(atom)
    return dict(found)


def _extend(guess: Candidate, key: Key, atoms: Sequence[Atom]) -> Iterator[Candidate]:
    """Yield the guesses that say of ``key`` one more kind of atom as well, taken from ``atoms``."""
    used = {part.predicate for part in guess}
    for atom in atoms:
        positions = tuple(atom.index(term, 1) for term in key if term in atom[1:])
        arity = len(atom) - 1
        if atom[0] not in used and len(set(positions)) == len(key) and arity - len(key) <= 1:
            yield guess | {InvariantPart(atom[0], positions, arity)}


def _prove(guess: Candidate, changing: ReducedTask, init: frozenset[Fact]) -> Iterator[frozenset[Fact]]:
    """Yield the facts of every key for which the guess is true: one at the start, and never one more."""
    key_of: dict[Fact, Key] = {}
    groups: dict[Key, list[Fact]] = defaultdict(list)
    parts = {part.predicate: part for part in guess}
    for fact in changing.facts:
        if fact[0] in parts:
            key_of[fact] = parts[fact[0]].of(fact)
            groups[key_of[fact]].append(fact)
    broken = {key for key, facts in groups.items() if sum(fact in init for fact in facts) != 1}
    for action in changing.actions:
        touched = {key_of[fact] for fact in (*action.adds, *action.deletes) if fact in key_of}
        for key in touched - broken:
            needs, adds, deletes = (
                {fact for fact in facts if key_of.get(fact) == key}
                for facts in (action.needs, action.adds, action.deletes)
            )
            # An action that needs two of them is never possible while the invariant holds, so it cannot break it.
            if len(needs) < 2 and not (len(needs) == 1 and len(adds) <= 1 and (adds <= needs or needs <= deletes)):
                broken.add(key)
    return (frozenset(facts) for key, facts in sorted(groups.items()) if key not in broken)
