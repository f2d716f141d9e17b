"""The worlds of a network, each a network of its own: ground formulas never reach from one world into another."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Clauses, Factors, Ints, Network


def parts_of(network: Network) -> Iterator[tuple[int, Network, NDArray[np.int64]]]:
    """Give each world, its network, and which variables of the whole it has. Weights keep their numbers."""
    sorting = np.argsort(network.world, kind="stable")
    worlds, first = np.unique(network.world[sorting], return_index=True)
    number = np.empty(len(sorting), np.int32)  # of each variable inside its world
    number[sorting] = np.arange(len(sorting)) - np.repeat(first, np.diff(np.append(first, len(sorting))))
    factors = [_factors_by_world(each, network.world, number) for each in network.factors if each.scope.shape[1]]
    clauses = [_clauses_by_world(each, network.world, number) for each in network.clauses]
    for world, kept in zip(worlds.tolist(), np.split(sorting, first[1:]), strict=True):
        own = [here(world) for here in factors]
        long = [those(world) for those in clauses]
        part = replace(
            network,
            sizes=network.sizes[kept],
            world=network.world[kept],
            given=network.given[kept],
            factors=tuple(each for each in own if len(each.scope)),
            clauses=tuple(each for each in long if len(each.start) > 1),
        )
        yield world, part, kept


def _factors_by_world(factors: Factors, world: Ints, number: Ints) -> Callable[[int], Factors]:
    """Return what finds the factors of a world; they are sorted once, for worlds may be many."""
    belongs = world[factors.scope[:, 0]]
    sorting = np.argsort(belongs, kind="stable")
    scope, key, belongs = number[factors.scope[sorting]], factors.key[sorting], belongs[sorting]

    def here(wanted: int) -> Factors:
        first, end = np.searchsorted(belongs, [wanted, wanted + 1])
        return replace(factors, scope=scope[first:end], key=key[first:end])

    return here


def _clauses_by_world(clauses: Clauses, world: Ints, number: Ints) -> Callable[[int], Clauses]:
    belongs, lengths = world[clauses.variable[clauses.start[:-1]]], np.diff(clauses.start)

    def here(wanted: int) -> Clauses:
        is_here = belongs == wanted
        literal = np.repeat(is_here, lengths)
        return replace(
            clauses,
            start=np.append(0, np.cumsum(lengths[is_here])).astype(np.int32),
            variable=number[clauses.variable[literal]],
            value=clauses.value[literal],
            negated=clauses.negated[literal],
            weight=clauses.weight[is_here],
            sign=clauses.sign[is_here],
        )

    return here
