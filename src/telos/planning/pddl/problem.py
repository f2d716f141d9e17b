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
from telos.core.expressions import TRUE, And, Compare, Expression, Literal, Name, Not, to_text
from telos.core.goal import Goal
from telos.core.plan import Plan
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
    """A grounded PDDL problem: a domain, its start state and its goal.

    Variables and actions have names in Telos's spelling; ``pddl`` and ``facts`` return PDDL's.
    """

    domain: Domain
    state: State
    goal: Goal
    pddl_names: FrozenMap[str, str] = field(repr=False)  # the name of each action to its PDDL text
    slots: "Mapping[Fact, FactSlot]" = field(repr=False)
    task: LiftedTask = field(repr=False)

    def pddl(self, steps: Iterable[Action | str]) -> tuple[str, ...]:
        """Return actions in PDDL syntax: ``move.a.b`` is ``(move a b)``."""
        return tuple(self.pddl_names[step if isinstance(step, str) else step.name] for step in steps)

    def plan_file(self, plan: Plan) -> str:
        """Return a plan as VAL, the field's validator, reads it: an action a line, and the cost as a comment."""
        kind = "general" if self.task.counts_costs else "unit"
        return "".join(f"{line}\n" for line in (*self.pddl(plan.steps), f"; cost = {plan.cost:g} ({kind} cost)"))

    def actions(self, text: str) -> tuple[Action, ...]:
        """Return the ground actions with a PDDL text such as ``(move a b)``: several if two schemas have one name."""
        wanted = format_atom(tuple(text.lower().replace("(", " ").replace(")", " ").split()))
        return tuple(action for action in self.domain.actions if self.pddl_names[action.name] == wanted)

    def wants(self, text: str) -> Condition:
        """Return another goal of the same problem, such as ``(on a b), (clear a)``, as a condition."""
        return _conjunction(_goal_conditions(read_goal(text, self.task), self.slots, self.task))

    def facts(self, state: State) -> frozenset[str]:
        """Return all facts that are true in ``state``, in PDDL syntax."""
        changing = {fact for fact, slot in self.slots.items() if state[slot.variable] == slot.value}
        return frozenset(format_atom(fact) for fact in changing | (self.task.init - self.slots.keys()))


def load_pddl(
    domain: str | os.PathLike[str], problem: str | os.PathLike[str], *, most: int = MAX_ACTIONS
) -> PddlProblem:
    """Read and ground a PDDL domain file and a problem file, with at most ``most`` ground actions.

    A bad file raises a ``DefinitionError`` with its faults, each with line, column and remedy.
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
    text = {name: format_atom((action.schema, *action.arguments)) for name, action in zip(names, actions, strict=True)}
    made = Domain(
        task.domain.name,
        variables=encoding.variables,
        actions=[writer.action(name, action) for name, action in zip(names, actions, strict=True)],
        goals=[goal],
        wording={**dict(_word_facts(encoding.slots)), **text},
    )
    return PddlProblem(made, made.state(), goal, FrozenMap(text), FrozenMap(encoding.slots), task)


def _word_facts(slots: "Mapping[Fact, FactSlot]") -> Iterator[tuple[str, str]]:
    """Yield the text of the condition that a fact holds, and that it does not, each with what PDDL says."""
    for fact, slot in slots.items():
        said = format_atom(fact)
        yield to_text(slot.holds), said
        yield to_text(slot.fails), f"(not {said})"


def _drop_impossible(actions: Iterable[GroundAction], groups: Iterable[frozenset[Fact]]) -> list[GroundAction]:
    """Drop the actions that need two facts of one mutex group."""
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
    """Return the goal's facts that no action can make true (or false): they become variables too."""
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
    """Name each action ``move.a.b``; the second action with the same PDDL text is ``move.a.b.2``."""
    count: dict[str, int] = {}
    names = []
    for action in actions:
        name = ".".join((action.schema, *action.arguments))
        count[name] = count.get(name, 0) + 1
        names.append(name if count[name] == 1 else f"{name}.{count[name]}")
    return names


class _ActionBuilder:
    """Builds actions over variables. Equal effects are one object, so that each is bound to a layout once."""

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
            # A shared variable may hold another fact than the deleted one, unless the action needs the deleted fact.
            if slot.deleted is not None and (not slot.is_shared or fact in action.needs):
                yield slot.variable, slot.deleted

    def effect(self, variable: str, value: Expression) -> Effect:
        return self.effects.setdefault((variable, value), Effect(variable, value))


# --- facts as variables ---


@dataclass(frozen=True, slots=True)
class FactSlot:
    """The variable of a fact, the values that add and delete it, and the conditions that it holds and does not hold.

    ``deleted`` is None if one fact of the variable is always true, so that a fact is only deleted by adding another.
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
        """Return the variable's value while the fact is true."""
        return self.added.name if isinstance(self.added, Name) else True


@dataclass(frozen=True, slots=True)
class FactEncoding:
    variables: tuple[Variable, ...]
    slots: Mapping[Fact, FactSlot]


class UniqueNames:
    """Hands out each name once: a second ``a`` is ``a_2``."""

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
    """Return a PDDL name as part of a variable's name.

    >>> to_identifier("at-robot"), to_identifier("not")
    ('at_robot', 'not_')
    """
    plain = word.replace("-", "_")
    return f"{plain}_" if plain in KEYWORDS else plain


def encode_facts(
    facts: Iterable[Fact], groups: Sequence[frozenset[Fact]], actions: Iterable[GroundAction], init: frozenset[Fact]
) -> FactEncoding:
    """Give every fact its variable: first the largest mutex groups, then the rest."""
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
    """Choose disjoint groups, the largest first; part of a mutex group is a mutex group."""
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
    """Return the groups of which no fact is true at the start or after some action."""
    number = {fact: i for i, group in enumerate(chosen) for fact in group}
    empty = {i for i, group in enumerate(chosen) if not any(fact in init for fact in group)}
    for action in actions:
        ended = {number[fact] for fact in action.deletes & action.needs if fact in number}
        empty |= ended - {number[fact] for fact in action.adds if fact in number}
    return empty


def _common_arguments(group: Sequence[Fact]) -> list[str]:
    """Return the arguments that all facts of a group share."""
    return [each for each in dict.fromkeys(group[0][1:]) if all(each in fact[1:] for fact in group)]


def _group_name(group: Sequence[Fact]) -> str:
    predicates = "_".join(to_identifier(each) for each in dict.fromkeys(fact[0] for fact in group))
    return ".".join([predicates, *map(to_identifier, _common_arguments(group))])


def _labels(group: Sequence[Fact], taken: Iterable[str]) -> UniqueNames:
    """Return a label for each fact, in order: its own arguments, and its predicate if needed."""
    labels = UniqueNames(taken)  # a label must not be the name of a variable
    common, is_one_predicate = _common_arguments(group), len({fact[0] for fact in group}) == 1
    for fact in group:
        rest = [each for each in fact[1:] if each not in common]
        labels.new("_".join(map(to_identifier, rest if is_one_predicate and rest else [fact[0], *rest])))
    return labels


def _enum_slot(name: str, label: str, empty: str | None = None) -> FactSlot:
    deleted = None if empty is None else Name(empty)
    is_it = (Name(name), Name(label))
    return FactSlot(name, Name(label), deleted, Compare("==", *is_it), Compare("!=", *is_it))


# --- mutex groups ---

MAX_CANDIDATES = 300
MAX_PARTS = 5

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class InvariantPart:
    """A predicate whose arguments at ``key`` name the object; at most one other argument is free."""

    predicate: str
    key: tuple[int, ...]
    arity: int

    def of(self, atom: Atom) -> Key:
        """Return the key of an atom of this predicate."""
        return tuple([atom[i] for i in self.key])


Candidate: TypeAlias = frozenset[InvariantPart]  # claim: for every key, at most one atom of these parts is true


def find_mutex_groups(
    changing: ReducedTask, schemas: Sequence[ActionSchema], init: frozenset[Fact]
) -> list[frozenset[Fact]]:
    """Return mutex groups: sets of facts of which at most one is ever true. A fact may be in several.

    Candidates are found in the action schemas (after Helmert, "Concise finite-domain representations for PDDL planning
    tasks", 2009) and proved on the ground actions, so a wrong candidate only costs time.
    """
    proved: dict[frozenset[Fact], None] = {}
    for candidate in _find_candidates(schemas, changing):
        for group in _prove(candidate, changing, init):
            if len(group) > 1:
                proved[group] = None
    return list(proved)


def _find_candidates(schemas: Sequence[ActionSchema], changing: ReducedTask) -> Iterator[Candidate]:
    """Yield the candidates that every schema keeps balanced, if parameters with different names differ."""
    arities = {fact[0]: len(fact) - 1 for fact in sorted(changing.facts)}
    lifted = [_restrict_effects(schema, arities) for schema in schemas]
    first = [
        frozenset({InvariantPart(name, tuple(i for i in range(1, arity + 1) if i != free), arity)})
        for name, arity in arities.items()
        for free in range(arity + 1)
    ]
    waiting, seen = list(first), set(first)
    while waiting and len(seen) < MAX_CANDIDATES:
        candidate = waiting.pop(0)
        is_balanced, better = _check_balance(candidate, lifted)
        if is_balanced:
            yield candidate
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


def _check_balance(candidate: Candidate, schemas: Sequence[_Effects]) -> tuple[bool, list[Candidate]]:
    """Return whether no schema makes a second atom true, and the candidates with one more part that may help."""
    is_balanced = True
    better: list[Candidate] = []
    for schema in schemas:
        needs, adds, deletes = (_by_key(candidate, each) for each in (schema.needs, schema.adds, schema.deletes))
        taken = [atom for atom in schema.needs if atom in schema.deletes]
        for key in {**adds, **deletes}:
            if len(adds.get(key, ())) > 1:
                return False, []
            if not needs.get(key):
                is_balanced = False
                better += _extend(candidate, key, taken)
            elif key in adds and not set(needs[key]) & {*deletes.get(key, ()), *adds[key]}:
                is_balanced = False
            elif key not in adds:  # an atom is deleted here: another may be added
                better += _extend(candidate, key, schema.adds)
        if not is_balanced:
            break
    return is_balanced, better


def _by_key(candidate: Candidate, atoms: Sequence[Atom]) -> dict[Key, list[Atom]]:
    found: dict[Key, list[Atom]] = defaultdict(list)
    for part in sorted(candidate):
        for atom in atoms:
            if atom[0] == part.predicate:
                found[part.of(atom)].append(atom)
    return dict(found)


def _extend(candidate: Candidate, key: Key, atoms: Sequence[Atom]) -> Iterator[Candidate]:
    """Yield the candidates with one more part for ``key``, taken from ``atoms``."""
    used = {part.predicate for part in candidate}
    for atom in atoms:
        positions = tuple(atom.index(term, 1) for term in key if term in atom[1:])
        arity = len(atom) - 1
        if atom[0] not in used and len(set(positions)) == len(key) and arity - len(key) <= 1:
            yield candidate | {InvariantPart(atom[0], positions, arity)}


def _prove(candidate: Candidate, changing: ReducedTask, init: frozenset[Fact]) -> Iterator[frozenset[Fact]]:
    """Yield the facts of every key for which the candidate holds: one is true at the start, and never a second."""
    key_of: dict[Fact, Key] = {}
    groups: dict[Key, list[Fact]] = defaultdict(list)
    parts = {part.predicate: part for part in candidate}
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
            # An action that needs two of them is never applicable while the invariant holds, so it cannot break it.
            if len(needs) < 2 and not (len(needs) == 1 and len(adds) <= 1 and (adds <= needs or needs <= deletes)):
                broken.add(key)
    return (frozenset(facts) for key, facts in sorted(groups.items()) if key not in broken)
