"""A Markov logic network as its author wrote it: types, predicates, functions and weighted formulas.

Formulas that differ only in constants share one ``Rule``: ``0.4 action(t, Eat) => goal(t, Cook)`` and
``0.1 action(t, Talk) => goal(t, Nurse)`` are two weights of ``action(t, +a) => goal(t, +g)``. So a learned model with
tens of thousands of weights is a handful of rules with a table each, and grounding and learning work on these.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.logic.formulas import Formula

Key = tuple[str, ...]  # the constants of a rule's ``+`` variables, in the order of ``Rule.plus``


@dataclass(frozen=True, slots=True)
class Predicate:
    """``goal(time, goal!)``: the types of its arguments, and which of them are marked ``!``.

    For each choice of the other arguments, exactly one constant of the marked ones makes the atom true. Such atoms form
    a block.
    """

    name: str
    types: tuple[str, ...]
    exactly_one: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Function:
    """``fluent meet(id, id)``: the type of its value, and the types of its arguments."""

    name: str
    returns: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A formula with one weight, or with one for each choice of constants for the variables marked ``+``.

    ``weights`` is empty before learning. A plain formula has no ``plus`` and the key ``()``. ``hard`` rules must hold
    and have no weights. A choice that ``weights`` does not name has the weight ``otherwise``: 0, unless the template
    has a weight (``0.8 likes(x, +y)``). ``source`` is the rule's place in its file.
    """

    formula: Formula
    plus: tuple[str, ...] = ()
    weights: Mapping[Key, float] = field(default_factory=dict)
    hard: bool = False
    source: str = field(default="", compare=False)
    text: str = field(default="", compare=False)  # as the author wrote it, for messages and for why()
    otherwise: float = 0.0


@dataclass(frozen=True, slots=True)
class MarkovLogic:
    """Weighted formulas, and the predicates, functions and constants that they use.

    ``constants`` are those that the model names, by type: whole numbers in ascending order, then names in order of
    declaration, then names that only occur in formulas, sorted. ``closed`` are the types whose constants are listed in
    braces: a database may add no names to them, only numbers to a type of numbers. ``opened`` are the predicates that
    are hidden although nobody asks about them (``#open`` in a file); all other predicates are closed: their unstated
    atoms are false.
    """

    predicates: Mapping[str, Predicate]
    rules: tuple[Rule, ...]
    functions: Mapping[str, Function] = field(default_factory=dict)
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = field(default="", compare=False)
    closed: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
