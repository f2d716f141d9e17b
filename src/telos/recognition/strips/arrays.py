"""STRIPS as arrays for the kernels, with the observations woven in.

After Ramírez and Geffner (2009): for each observation there is a fact that everything up to it was explained. Its
action has a copy that needs that fact and adds the next one, so whoever wants the last of these facts must have done
all that was seen, in that order. If observations may be wrong, a step that costs ``drop`` passes over one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from telos.recognition.strips.lmcut import Ints, Prices, Relaxed
from telos.recognition.strips.problem import StripsProblem
from telos.recognition.strips.search import BITS, Bits, Nodes

LARGEST_COST = 4_000  # of one action, in the whole numbers that kernels count in


@dataclass(frozen=True)
class Arrays:
    """A problem for the kernels; costs are whole numbers, ``scale`` of them to one of the problem's.

    The facts of the problem come first, then one that is always true, and then one for each number of observations
    that were explained; ``done`` is the last of these.
    """

    relaxed: Relaxed
    bits: Bits
    room: Prices
    start: Ints
    start_words: Ints
    done: int
    scale: float
    names: tuple[str, ...]  # of actions; none for passing over an observation

    def words(self, facts: Sequence[int]) -> Ints:
        """Return a set of facts as words."""
        return as_words(_flat([facts]), np.array([0, len(facts)]), self.bits.needs.shape[1])[0]

    def nodes(self, most: int) -> Nodes:
        """Return room for a search that meets at most so many states."""
        words, queued = self.bits.needs.shape[1], 2 * most + len(self.relaxed.costs)
        cost, bound, is_priced, parent, action = (np.zeros(most, np.int64) for _ in range(5))
        table, heap, facts = (np.zeros(size, np.int64) for size in (2 * most + 1, queued, words * BITS))
        return Nodes(np.zeros((most, words), np.int64), cost, bound, is_priced, parent, action, table, heap, facts)


def scale_of(costs: Sequence[float]) -> float:
    """Return what costs are multiplied by to be whole numbers, exactly if that goes, and nearly otherwise.

    >>> scale_of([1.0, 3.0]), scale_of([0.5, 1.0]), scale_of([0.0])
    (1.0, 2.0, 1.0)
    """
    highest = max(costs, default=0.0)
    for scale in (1.0, 2.0, 4.0, 5.0, 10.0, 100.0, 1000.0):
        if highest * scale <= LARGEST_COST and all((cost * scale).is_integer() for cost in costs):
            return scale
    return LARGEST_COST / highest


def weave(problem: StripsProblem, observed: Sequence[Sequence[int]], *, drop: float | None) -> Arrays:
    """Return the arrays of a problem with observations, each given as the actions that it may have been."""
    true = len(problem.facts)
    needs = [list(action.needs) or [true] for action in problem.actions]  # kernels start from what is needed
    adds = [list(action.adds) for action in problem.actions]
    deletes = [list(action.deletes) for action in problem.actions]
    costs = [action.cost for action in problem.actions]
    names = [action.name for action in problem.actions]
    for before, choices in enumerate(observed, start=true + 1):
        for choice in choices:
            action = problem.actions[choice]
            needs.append([*action.needs, before])
            adds.append([*action.adds, before + 1])
            deletes.append([*action.deletes, before])
            costs.append(action.cost)
            names.append(action.name)
        if drop is not None:
            needs.append([before])
            adds.append([before + 1])
            deletes.append([before])
            costs.append(drop)
            names.append("")
    done = true + 1 + len(observed)
    return _arrays(needs, adds, deletes, costs, [*problem.start, true, true + 1], done, names)


def _arrays(
    needs: list[list[int]],
    adds: list[list[int]],
    deletes: list[list[int]],
    costs: list[float],
    start: list[int],
    done: int,
    names: list[str],
) -> Arrays:
    facts, words = done + 1, done // BITS + 1
    scale = scale_of(costs)
    whole = np.rint(np.array(costs) * scale).astype(np.int64)
    parts = [(_flat(each), _starts(each)) for each in (needs, adds, deletes)]
    relaxed = Relaxed(*parts[0], *parts[1], *_inverse(*parts[0], facts), *_inverse(*parts[1], facts), whole)
    bits = Bits(*(as_words(flat, starts, words) for flat, starts in parts))
    actions = len(costs)
    sizes = (actions, facts, actions, actions, len(parts[1][0]) + facts, facts, facts, actions, 1)
    room = Prices(*(np.zeros(size, np.int64) for size in sizes))
    first = as_words(np.array(start, np.int64), np.array([0, len(start)]), words)[0]
    return Arrays(relaxed, bits, room, np.array(start, np.int64), first, done, scale, tuple(names))


def _flat(lists: Sequence[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(lists), np.int64)


def _starts(lists: Sequence[Sequence[int]]) -> Ints:
    return np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.int64)


def _owners(starts: Ints) -> Any:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _inverse(flat: Ints, starts: Ints, facts: int) -> tuple[Ints, Ints]:
    """Return for each fact the lists that it is in."""
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat, minlength=facts)
    return _owners(starts)[order].astype(np.int64), np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def as_words(flat: Ints, starts: Ints, words: int) -> Ints:
    """Return lists of facts as rows of words."""
    rows = np.zeros((len(starts) - 1, words), np.int64)
    np.bitwise_or.at(rows, (_owners(starts), flat // BITS), np.int64(1) << (flat % BITS))
    return rows
