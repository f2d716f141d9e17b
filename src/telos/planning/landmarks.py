"""What every plan must bring about on its way: the search's estimate of what is still to pay.

From a goal's atoms backwards: if all actions that can make an atom true need another one, every plan makes that true
as well, unless it holds. If they share no need, one need of each is taken together: one of these must be made true. An
action that makes several such facts true has its cost shared out among them, so that their sum stays a lower bound.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from telos.planning.conditions import Atom, Is, Needs, Reaches, Step

MOST = 1_000  # facts: more would make every node slow
MOST_MAKERS = 8  # of a fact, for looking at one need of each


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that every plan must make true: one of some atoms, almost always a single one."""

    atoms: tuple[Atom, ...]
    needs: tuple[int, ...]  # places of the facts that must have held before
    weight: float
    gain: float


def facts_of(goal: Needs, steps: Sequence[Step]) -> tuple[list[Fact], int]:
    """Return the facts, the goal's own first, and how many of them are the goal's own."""
    found: list[tuple[Atom, ...]] = [(atom,) for atom in goal.atoms[:MOST]]
    own, place = len(found), {atoms: number for number, atoms in enumerate(found)}
    needs: list[tuple[int, ...]] = []
    makers: list[list[Step]] = []
    for atoms in found:  # grows while it is gone through
        makers.append([step for step in steps if any(_makes(step, atom) for atom in atoms)])
        before = []
        for wanted in _wanted_by_all(makers[-1]):
            if wanted not in place and len(found) < MOST:
                place[wanted] = len(found)
                found.append(wanted)
            if wanted in place:
                before.append(place[wanted])
        needs.append(tuple(dict.fromkeys(before)))
    shares = Counter(id(step) for each in makers for step in each)
    facts = [Fact(atoms, needs[number], *_price(atoms, makers[number], shares)) for number, atoms in enumerate(found)]
    return facts, own


def _makes(step: Step, atom: Atom) -> bool:
    if atom in step.needs.atoms:
        return False  # it holds already wherever this step is possible
    if isinstance(atom, Is):
        return step.does.puts.get(atom.variable) == atom.code or atom.variable in step.does.works_out
    by = step.does.adds.get(atom.variable, 0.0)
    return (by > 0 if atom.up else by < 0) or atom.variable in step.does.works_out


def _wanted_by_all(makers: Sequence[Step]) -> list[tuple[Atom, ...]]:
    """Return what must hold before any of the makers is possible."""
    if not makers:
        return []
    first, *others = (step.needs.atoms for step in makers)
    shared = [atom for atom in first if all(atom in each for each in others)]
    if shared:
        return [(atom,) for atom in shared]
    if len(makers) > MOST_MAKERS or not all(step.needs.atoms for step in makers):
        return []
    return [tuple(dict.fromkeys(step.needs.atoms[0] for step in makers))]


def _price(atoms: tuple[Atom, ...], makers: Sequence[Step], shares: Mapping[int, int]) -> tuple[float, float]:
    """Return the least that making a fact true costs, shared out, and the most that one action moves its number."""
    if not makers:
        return math.inf, 0.0
    weight = min(step.least_cost / shares[id(step)] for step in makers)
    (atom, *others) = atoms
    if others or not isinstance(atom, Reaches) or any(atom.variable in step.does.works_out for step in makers):
        return weight, 0.0
    return weight, max(abs(step.does.adds[atom.variable]) for step in makers)
