"""The open part of a ground formula, as a table over the values of its variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from telos.logic.formulas import And, Atom, Equal, Formula, Iff, Implies, Not, Or, Term, Variable
from telos.logic.network import Floats

MOST_CELLS = 1 << 12  # of one table
MOST_ENTRIES = 1 << 24  # of one table with all choices of its ``+`` variables

Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an atom finds its truth: a variable of the factor, and the terms of its block places, if it is a block."""

    slot: int
    terms: tuple[Term, ...]
    radices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """An open formula with all that its truth depends on.

    ``sizes`` are those of the variables of the factor; ``spots`` says where each atom looks. ``choices`` and
    ``ranges`` are the variables that run over values, the first ``plus`` of them with a weight for each. ``codes``
    holds the codes of the other terms in block places and of constants in equations.
    """

    formula: Formula
    sizes: tuple[int, ...]
    spots: Mapping[Atom, Spot]
    choices: tuple[str, ...]
    ranges: tuple[int, ...]
    plus: int
    codes: Mapping[Term, int]

    @property
    def is_small(self) -> bool:
        """Whether a table of it is worth making."""
        return prod(self.sizes) <= MOST_CELLS and prod(self.sizes) * prod(self.ranges) <= MOST_ENTRIES


@dataclass(frozen=True, slots=True)
class Table:
    """How many ground formulas hold in each cell, for each choice of ``+`` constants; ``live`` choices have any."""

    holds: Floats  # (cells, choices)
    live: Truths  # (choices,)
    formulas: int


def table(open_part: Open) -> Table:
    """Return the table of an open formula, without the ground formulas that equations alone decide."""
    truth = np.broadcast_to(truth_over(open_part.formula, open_part), (*open_part.sizes, *open_part.ranges))
    can_hold, can_fail = possible(open_part.formula, open_part)
    undecided = np.broadcast_to(can_hold & can_fail, open_part.ranges)
    cells, choices = prod(open_part.sizes), prod(open_part.ranges[: open_part.plus])
    counted = (truth & undecided).reshape(cells, choices, -1).sum(axis=2)
    per_choice = undecided.reshape(choices, -1).sum(axis=1)
    return Table(counted.astype(np.float64), per_choice > 0, int(per_choice.sum()))


def truth_over(formula: Formula, part: Open) -> Truths:
    """Return the truth of a formula over all values of its variables and choices, one axis each."""
    match formula:
        case Atom():
            spot = part.spots[formula]
            wanted = _value(spot, part) if spot.terms else np.ones(1, np.int64)
            values = _axis(np.arange(part.sizes[spot.slot]), spot.slot, part)
            return np.asarray(values == wanted)
        case Equal(left, right):
            return np.asarray(_code(left, part) == _code(right, part))
        case Not(inner):
            return ~truth_over(inner, part)
        case And(parts):
            return _combined(np.logical_and, [truth_over(each, part) for each in parts])
        case Or(parts):
            return _combined(np.logical_or, [truth_over(each, part) for each in parts])
        case Implies(premise, conclusion):
            return ~truth_over(premise, part) | truth_over(conclusion, part)
        case Iff(left, right):
            return np.asarray(truth_over(left, part) == truth_over(right, part))
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _combined(operation: np.ufunc, arrays: Sequence[Truths]) -> Truths:
    result = arrays[0]
    for array in arrays[1:]:
        result = operation(result, array)
    return result


def possible(formula: Formula, part: Open) -> tuple[Truths, Truths]:
    """Return for each choice whether a formula can be true, and whether it can be false, whatever hidden atoms are."""
    match formula:
        case Atom():
            return np.ones((), np.bool_), np.ones((), np.bool_)
        case Equal():
            truth = truth_over(formula, part)
            truth = truth.reshape(truth.shape[len(part.sizes) :])
            return truth, ~truth
        case Not(inner):
            holds, fails = possible(inner, part)
            return fails, holds
        case And(parts):
            both = [possible(each, part) for each in parts]
            return _combined(np.logical_and, [one for one, _ in both]), _combined(
                np.logical_or, [two for _, two in both]
            )
        case Or(parts):
            fails, holds = possible(And(tuple(Not(each) for each in parts)), part)
            return holds, fails
        case Implies(premise, conclusion):
            return possible(Or((Not(premise), conclusion)), part)
        case Iff(left, right):
            (a, not_a), (b, not_b) = possible(left, part), possible(right, part)
            return (a & b) | (not_a & not_b), (a & not_b) | (not_a & b)
    raise AssertionError(f"{formula} should have lost its quantifiers")


def _axis(values: NDArray[np.int64], axis: int, part: Open) -> NDArray[np.int64]:
    shape = [1] * (len(part.sizes) + len(part.ranges))
    shape[axis] = len(values)
    return values.reshape(shape)


def _code(term: Term, part: Open) -> NDArray[np.int64]:
    if isinstance(term, Variable) and term.name in part.choices:
        place = part.choices.index(term.name)
        return _axis(np.arange(part.ranges[place]), len(part.sizes) + place, part)
    return np.full([1] * (len(part.sizes) + len(part.ranges)), part.codes[term], np.int64)


def _value(spot: Spot, part: Open) -> NDArray[np.int64]:
    """Return the value of a block that the terms of an atom name."""
    value = _code(spot.terms[0], part)
    for term, radix in zip(spot.terms[1:], spot.radices[1:], strict=True):
        value = value * radix + _code(term, part)
    return value
