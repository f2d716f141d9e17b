"""A Markov logic network as its author wrote it: types, predicates, functions and weighted formulas.

Formulas that differ in nothing but constants share one ``Rule``: ``0.4 action(t, Eat) => goal(t, Cook)`` and
``0.1 action(t, Talk) => goal(t, Nurse)`` are two weights of ``action(t, +a) => goal(t, +g)``. So a learned model with
tens of thousands of weights is a handful of rules with a table each, which is what grounding and learning work on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.logic.formulas import Formula

Key = tuple[str, ...]  # the constants of a rule's ``+`` variables, in the order of ``Rule.plus``


@dataclass(frozen=True, slots=True)
class Predicate:
    """``goal(time, goal!)``: its argument types, and which arguments are marked ``!``.

    For each choice of the other arguments exactly one constant of the marked ones makes the atom true: a block.
    """

    name: str
    types: tuple[str, ...]
    exactly_one: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Function:
    """``fluent meet(id, id)``: what it gives, and what it takes."""

    name: str
    returns: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A formula and its weight, or its weights, one for each choice of constants for the variables marked ``+``.

    ``weights`` is empty before learning. A plain formula has no ``plus`` and the key ``()``. ``hard`` rules must hold
    and have no weights. A choice that the table does not name has the weight ``otherwise``, which is 0 but for
    templates that their author gave a weight (``0.8 likes(x, +y)``). ``source`` is where the rule stands in its file.
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
    """Weighted formulas and what they speak of.

    ``constants`` are those that the model itself names, by type: whole numbers in ascending order first, then names in
    the order of their declaration, then those that only formulas name, by the alphabet. ``closed`` are the types
    whose constants the author listed in braces: no database may add a name to them, only numbers to a type of numbers.
    """

    predicates: Mapping[str, Predicate]
    rules: tuple[Rule, ...]
    functions: Mapping[str, Function] = field(default_factory=dict)
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = field(default="", compare=False)
    closed: frozenset[str] = frozenset()
