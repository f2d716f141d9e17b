"""A PDDL task as its files say it, before grounding: *lifted*, in the words of the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

# A predicate or function and its terms: `("at", "?truck", "paris")`. With no `?`, it is ground: a fact.
Atom: TypeAlias = tuple[str, ...]
Fact: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """Atoms that must all hold or all not hold, and terms that must be the same or must differ."""

    positive: tuple[Atom, ...] = ()
    negative: tuple[Atom, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with parameters; ``costs`` are numbers and functions of its arguments, added up."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[frozenset[str], ...]  # one a parameter; an argument has one of these types
    preconditions: Literals
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    costs: tuple[float | Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a domain declares: every type with all its subtypes, predicates, functions, constants."""

    subtypes: Mapping[str, frozenset[str]]
    predicates: Mapping[str, int]
    functions: Mapping[str, int]
    constants: Mapping[str, frozenset[str]]  # to their types


@dataclass(frozen=True, slots=True)
class LiftedDomain:
    name: str
    words: Vocabulary
    schemas: tuple[Schema, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A domain and a problem together."""

    name: str
    domain: LiftedDomain
    objects: Mapping[str, frozenset[str]]  # to their types; the domain's constants among them
    init: frozenset[Fact]
    values: Mapping[Fact, float]  # of functions
    goal: Literals
    counts_costs: bool  # without a metric, every action costs 1

    def objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        """Return the objects that have one of ``types`` or of their subtypes."""
        wanted = frozenset[str]().union(*(self.domain.words.subtypes[each] for each in types))
        return tuple(name for name, own in self.objects.items() if own & wanted)


def written(atom: Atom) -> str:
    """Write an atom or a ground action the way PDDL does."""
    return f"({' '.join(atom)})"
