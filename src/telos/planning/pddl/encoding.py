"""Invariants; facts to variables."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.expressions import TRUE, Compare, Expression, Literal, Name, Not
from telos.core.values import KEYWORDS, Value, Variable
from telos.planning.pddl.grounding import Changing, GroundAction
from telos.planning.pddl.parser import Atom, Fact, Schema

# --- invariants -------------------------------------------------------------------------------------------------------
# Invariants: facts of which at most one is true at any time, such as the places where one truck may be.
#
# They are guessed from the action schemas (after Helmert, "Concise finite-domain representations for PDDL planning
# tasks", 2009) and proved on the ground actions, so a wrong guess costs time and nothing else.


MOST_GUESSES = 300
MOST_PARTS = 5

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A predicate whose arguments at ``key`` name the thing, and whose one other argument, if any, is free."""

    predicate: str
    key: tuple[int, ...]
    arity: int

    def of(self, atom: Atom) -> Key:
        """Return the key in an atom of this predicate."""
        return tuple([atom[i] for i in self.key])


Guess: TypeAlias = frozenset[Part]  # of every key: at most one of the atoms of these parts is true


def exclusive(changing: Changing, schemas: Sequence[Schema], init: frozenset[Fact]) -> list[frozenset[Fact]]:
    """Return sets of facts of which at most one is ever true, each proved; one fact may be in several."""
    proved: dict[frozenset[Fact], None] = {}
    for guess in _guesses(schemas, changing):
        for group in _proved(guess, changing, init):
            if len(group) > 1:
                proved[group] = None
    return list(proved)


def _guesses(schemas: Sequence[Schema], changing: Changing) -> Iterator[Guess]:
    """Yield the guesses that every schema leaves in balance, as far as parameters with different names differ."""
    arities = {fact[0]: len(fact) - 1 for fact in sorted(changing.facts)}
    lifted = [_on(schema, arities) for schema in schemas]
    first = [
        frozenset({Part(name, tuple(i for i in range(1, arity + 1) if i != free), arity)})
        for name, arity in arities.items()
        for free in range(arity + 1)
    ]
    waiting, seen = list(first), set(first)
    while waiting and len(seen) < MOST_GUESSES:
        guess = waiting.pop(0)
        is_balanced, better = _balance(guess, lifted)
        if is_balanced:
            yield guess
        for each in better:
            if each not in seen and len(each) <= MOST_PARTS:
                seen.add(each)
                waiting.append(each)


@dataclass(frozen=True, slots=True)
class _Effects:
    needs: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


def _on(schema: Schema, predicates: Mapping[str, int]) -> _Effects:
    def some(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(atom for atom in atoms if atom[0] in predicates)

    return _Effects(some(schema.preconditions.positive), some(schema.adds), some(schema.deletes))


def _balance(guess: Guess, schemas: Sequence[_Effects]) -> tuple[bool, list[Guess]]:
    """Whether no schema makes two true where one was; and the guesses with one part more that would help."""
    is_balanced = True
    better: list[Guess] = []
    for schema in schemas:
        needs, adds, deletes = (_by_key(guess, each) for each in (schema.needs, schema.adds, schema.deletes))
        taken = [atom for atom in schema.needs if atom in schema.deletes]
        for key in {**adds, **deletes}:
            if len(adds.get(key, ())) > 1:
                return False, []
            if not needs.get(key):
                is_balanced = False
                better += _extended(guess, key, taken)
            elif key in adds and not set(needs[key]) & {*deletes.get(key, ()), *adds[key]}:
                is_balanced = False
            elif key not in adds:  # one of them ends here: perhaps another begins
                better += _extended(guess, key, schema.adds)
        if not is_balanced:
            break
    return is_balanced, better


def _by_key(guess: Guess, atoms: Sequence[Atom]) -> dict[Key, list[Atom]]:
    found: dict[Key, list[Atom]] = defaultdict(list)
    for part in sorted(guess):
        for atom in atoms:
            if atom[0] == part.predicate:
                found[part.of(atom)].append(atom)
    return dict(found)


def _extended(guess: Guess, key: Key, atoms: Sequence[Atom]) -> Iterator[Guess]:
    """Yield the guesses that say of ``key`` one more kind of atom as well, taken from ``atoms``."""
    used = {part.predicate for part in guess}
    for atom in atoms:
        positions = tuple(atom.index(term, 1) for term in key if term in atom[1:])
        arity = len(atom) - 1
        if atom[0] not in used and len(set(positions)) == len(key) and arity - len(key) <= 1:
            yield guess | {Part(atom[0], positions, arity)}


def _proved(guess: Guess, changing: Changing, init: frozenset[Fact]) -> Iterator[frozenset[Fact]]:
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


# --- encoding ---------------------------------------------------------------------------------------------------------
# Facts to variables: a group of which at most one is true becomes an enum, every other fact a bool.


FALSE = Literal(False)


@dataclass(frozen=True, slots=True)
class Slot:
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
class Encoding:
    variables: tuple[Variable, ...]
    slots: Mapping[Fact, Slot]


class Names:
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


def spelt(word: str) -> str:
    """Spell a PDDL name as a part of a variable's name.

    >>> spelt("at-robot"), spelt("not")
    ('at_robot', 'not_')
    """
    plain = word.replace("-", "_")
    return f"{plain}_" if plain in KEYWORDS else plain


def encode(
    facts: Iterable[Fact], groups: Sequence[frozenset[Fact]], actions: Iterable[GroundAction], init: frozenset[Fact]
) -> Encoding:
    """Give every fact its slot: first the largest groups of facts that exclude each other, then the rest."""
    facts = sorted(facts)
    chosen = _cover(groups)
    may_be_empty = _may_be_empty(chosen, actions, init)
    names = Names()
    enum_names = [names.new(_group_name(group)) for group in chosen]
    alone = sorted(set(facts).difference(*chosen))
    bool_names = [names.new(".".join(map(spelt, fact))) for fact in alone]
    variables: list[Variable] = []
    slots: dict[Fact, Slot] = {}
    for i, (name, group) in enumerate(zip(enum_names, chosen, strict=True)):
        labels = _labels(group, names.taken)
        empty = (labels.new("none_of_these"),) if i in may_be_empty else ()
        spelling = dict(zip(group, labels.given, strict=False))
        start = next((spelling[fact] for fact in group if fact in init), *empty)
        variables.append(Variable(name, [*spelling.values(), *empty], start))
        slots |= {fact: _enum_slot(name, label, *empty) for fact, label in spelling.items()}
    for name, fact in zip(bool_names, alone, strict=True):
        variables.append(Variable(name, "bool", fact in init))
        slots[fact] = Slot(name, TRUE, FALSE, Name(name), Not(Name(name)))
    return Encoding(tuple(sorted(variables, key=lambda each: each.name)), slots)


def _cover(groups: Sequence[frozenset[Fact]]) -> list[list[Fact]]:
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


def _may_be_empty(chosen: Sequence[Sequence[Fact]], actions: Iterable[GroundAction], init: frozenset[Fact]) -> set[int]:
    """Return the groups of which, at the start or after some action, no fact is true."""
    number = {fact: i for i, group in enumerate(chosen) for fact in group}
    empty = {i for i, group in enumerate(chosen) if not any(fact in init for fact in group)}
    for action in actions:
        ended = {number[fact] for fact in action.deletes & action.needs if fact in number}
        empty |= ended - {number[fact] for fact in action.adds if fact in number}
    return empty


def _common(group: Sequence[Fact]) -> list[str]:
    """Return the arguments that all facts of a group share: what the group is about."""
    return [each for each in dict.fromkeys(group[0][1:]) if all(each in fact[1:] for fact in group)]


def _group_name(group: Sequence[Fact]) -> str:
    predicates = "_".join(spelt(each) for each in dict.fromkeys(fact[0] for fact in group))
    return ".".join([predicates, *map(spelt, _common(group))])


def _labels(group: Sequence[Fact], taken: Iterable[str]) -> Names:
    """Return a label for each fact, in order: what sets it apart from the others of its group."""
    labels = Names(taken)  # a label that is a variable too would be unclear
    common, is_one_predicate = _common(group), len({fact[0] for fact in group}) == 1
    for fact in group:
        rest = [each for each in fact[1:] if each not in common]
        labels.new("_".join(map(spelt, rest if is_one_predicate and rest else [fact[0], *rest])))
    return labels


def _enum_slot(name: str, label: str, empty: str | None = None) -> Slot:
    deleted = None if empty is None else Name(empty)
    is_it = (Name(name), Name(label))
    return Slot(name, Name(label), deleted, Compare("==", *is_it), Compare("!=", *is_it))
