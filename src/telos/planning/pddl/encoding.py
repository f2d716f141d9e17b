"""Facts to variables: a group of which at most one is true becomes an enum, every other fact a bool."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from telos.core.expressions import TRUE, Compare, Expression, Literal, Name, Not
from telos.core.values import KEYWORDS, Value, Variable
from telos.planning.pddl.grounding import GroundAction
from telos.planning.pddl.model import Fact

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
