"""Sequences inside a ground network: where its variables hang together like beads, dynamic programming is exact."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Factors, Ints, Network
from telos.logic.short_clauses import tabled

MOST_LAID = 2**25  # keys of one rule; where some position has very many factors, general elimination sums them better


@dataclass(frozen=True, slots=True)
class Links:
    """One rule's factors along the sequences: ``key[p]`` is the row of weights at position p, -1 where there is none.

    ``group`` is the index into ``Network.factors``, or behind them into those that ``tabled`` makes of short clauses.
    Factors over two variables lie on positions p-1 and p; ``turned`` says that the network lists them as (p, p-1), so
    that its cells have to be transposed.
    """

    group: int
    key: Ints  # (positions,)
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A network whose variables all have ``size`` values and form sequences.

    Position p holds variable ``order[p]``; sequence s runs from ``start[s]`` to before ``start[s + 1]``. A variable
    without neighbours is a sequence of one. A sequence runs from its end with the lower variable to the other.
    """

    size: int
    order: Ints  # (positions,)
    start: Ints  # (sequences + 1,)
    singles: tuple[Links, ...]
    pairs: tuple[Links, ...]


def chain_of(network: Network) -> Chain | None:
    """Return the sequences of a network, or None if it is no chain."""
    sizes, together = network.sizes, tabled(network, most_variables=2)
    if together is None or any(factors.scope.shape[1] not in (1, 2) for factors in together.factors):
        return None
    if len(sizes) and (sizes != sizes[0]).any():
        return None
    paths = _paths(len(sizes), [factors.scope for factors in together.factors if factors.scope.shape[1] == 2])
    if paths is None:
        return None
    order, start = paths
    position = np.empty(len(order), np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    singles: list[Links] = []
    pairs: list[Links] = []
    for group, factors in enumerate(together.factors):
        found = _links(group, factors, position)
        if found is None:
            return None
        (singles if factors.scope.shape[1] == 1 else pairs).extend(found)
    return Chain(int(sizes[0]) if len(sizes) else 1, order, start, tuple(singles), tuple(pairs))


def _links(group: int, factors: Factors, position: Ints) -> list[Links] | None:
    """Return one rule's factors as keys along the positions, or None if one position is too crowded."""
    places = [position[column] for column in factors.scope.T]
    halves = [(False, places[-1], factors.key)]
    if len(places) == 2 and (turned := places[0] > places[1]).any():
        straight = ~turned
        halves = [(False, places[1][straight], factors.key[straight]), (True, places[0][turned], factors.key[turned])]
    found = []
    for way, at, keys in halves:
        laid = _layers(at, keys, len(position))
        if laid is None:
            return None
        found += [Links(group, row, way) for row in laid]
    return found


def _layers(places: Ints, keys: Ints, positions: int) -> Ints | None:
    """Lay keys on their places, in as many layers as there are factors on the most crowded place."""
    crowd = np.bincount(places, minlength=positions)
    depth = int(crowd.max(initial=0))
    if depth * positions > MOST_LAID:
        return None
    laid = np.full((depth, positions), -1, np.int32)
    if depth == 1:
        laid[0, places] = keys
    elif depth > 1:
        sorting = np.argsort(places, kind="stable")
        places, keys = places[sorting], keys[sorting]
        laid[np.arange(len(places)) - (np.cumsum(crowd) - crowd)[places], places] = keys
    return laid


def _paths(variables: int, edges: list[Ints]) -> tuple[Ints, Ints] | None:
    """Return the variables path after path and where each path starts, or None if something is no path."""
    none = np.empty(0, np.int64)
    low = np.concatenate([none, *(np.minimum(pair[:, 0], pair[:, 1]) for pair in edges)])
    high = np.concatenate([none, *(np.maximum(pair[:, 0], pair[:, 1]) for pair in edges)])
    if (high == low + 1).all():  # numbered along the paths, as grounding mostly does
        is_start = np.ones(variables, np.bool_)
        is_start[high] = False
        starts = np.append(np.flatnonzero(is_start), variables)
        return np.arange(variables, dtype=np.int32), starts.astype(np.int32)
    code = np.unique(low * variables + high)
    beside = _neighbours(variables, code // variables, code % variables)
    return None if beside is None else _walk(beside)


def _neighbours(variables: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the one or two neighbours of each variable, -1 for none, or None if one has more."""
    ends, others = np.concatenate([low, high]), np.concatenate([high, low])
    degree = np.bincount(ends, minlength=variables)
    if degree.max() > 2:
        return None
    sorting = np.argsort(ends, kind="stable")
    ends, others = ends[sorting], others[sorting]
    slot = np.arange(len(ends)) - (np.cumsum(degree) - degree)[ends]
    beside = np.full((variables, 2), -1, np.int64)
    beside[ends, slot] = others
    return beside


def _walk(beside: NDArray[np.int64]) -> tuple[Ints, Ints] | None:
    """Return the variables in the order of their paths, and where the paths start, or None if one is a ring.

    Both ways out of every variable are followed at once, in leaps that double in length. Way 2v + i leaves v by its
    neighbour i; from there it goes on by the other neighbour.
    """
    variables = len(beside)
    ways = np.arange(2 * variables)
    onto = beside.ravel()
    came_by_second = beside[onto, 1] == ways // 2
    leap = np.where(onto < 0, ways, 2 * onto + ~came_by_second)  # a way that leads nowhere stays where it is
    length = (onto >= 0).astype(np.int64)
    for _ in range(variables.bit_length()):
        further = leap[leap]
        if (further == leap).all():
            break
        length, leap = length + length[leap], further
    if (onto[leap] >= 0).any():
        return None
    ends, lengths = (leap // 2).reshape(-1, 2), length.reshape(-1, 2)
    first = np.arange(variables), ends.argmin(axis=1)
    order = np.lexsort((lengths[first], ends[first]))
    starts = np.flatnonzero(lengths[first][order] == 0)
    return order.astype(np.int32), np.append(starts, variables).astype(np.int32)
