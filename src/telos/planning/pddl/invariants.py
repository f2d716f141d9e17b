"""Invariants: facts of which at most one is true at any time, such as the places where one truck may be.

They are guessed from the action schemas (after Helmert, "Concise finite-domain representations for PDDL planning
tasks", 2009) and proved on the ground actions, so a wrong guess costs time and nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.planning.pddl.constants import Changing
from telos.planning.pddl.model import Atom, Fact, Schema

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
