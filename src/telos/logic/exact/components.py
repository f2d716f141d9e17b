"""The parts of a network that have nothing to do with each other: its paths of equal variables, and all the rest.

A single odd player among a hundred, or two kinds of sequence side by side, must not cost the others their fast way.
"""

from dataclasses import dataclass, replace

import numpy as np

from telos.logic.chain import Chain, chain_of
from telos.logic.network import Bools, Clauses, Factors, Ints, Longs, Network


@dataclass(frozen=True, slots=True)
class Part:
    """A network by itself, over some of the variables of another; the atoms keep the names of the whole."""

    variables: Longs
    network: Network


def pieces_of(network: Network) -> list[tuple[Part, Chain | None]]:
    """Return the parts of a network, each with its sequences if it is a chain."""
    chain = chain_of(network)
    if chain is not None:
        return [(Part(np.arange(len(network.sizes)), network), chain)]
    return [(part, chain_of(part.network)) for part in parts_of(network)]


def parts_of(network: Network) -> list[Part]:
    """Return the paths of a network, one part for each number of values, and what is no path as one more part."""
    first, second, odd = _ties(network)
    component = components(len(network.sizes), first, second)
    kind = np.where(_is_path(network, component, first, second, odd)[component], network.sizes, 0)
    kinds = np.unique(kind)
    if len(kinds) < 2:
        return [Part(np.arange(len(kind)), network)]
    return [_part(network, np.flatnonzero(kind == each), keeps_settled=each == kinds[0]) for each in kinds]


def components(variables: int, first: Longs, second: Longs) -> Longs:
    """Return for each variable the lowest one that ties lead to.

    >>> components(5, np.array([3, 1]), np.array([4, 3])).tolist()
    [0, 1, 2, 1, 1]
    """
    lowest = np.arange(variables)
    while True:
        low = np.minimum(lowest[first], lowest[second])
        before = lowest.copy()
        np.minimum.at(lowest, before[first], low)
        np.minimum.at(lowest, before[second], low)
        while (lowest[lowest] != lowest).any():
            lowest = lowest[lowest]
        if np.array_equal(lowest, before):
            return lowest


def _ties(network: Network) -> tuple[Longs, Longs, Longs]:
    """Return pairs of variables that hang together, and those in something that ties more than two at once."""
    none = np.empty(0, np.int64)
    first, second, odd = [none], [none], [none]
    for factors in network.factors:
        for column in factors.scope.T[1:]:
            first.append(factors.scope[:, 0].astype(np.int64))
            second.append(column.astype(np.int64))
        if factors.scope.shape[1] > 2:
            odd.append(factors.scope[:, 0].astype(np.int64))
    for clauses in network.clauses:
        lengths = np.diff(clauses.start)
        leader = clauses.variable[np.repeat(clauses.start[:-1], lengths)].astype(np.int64)
        differs = leader != clauses.variable
        first.append(leader[differs])
        second.append(clauses.variable[differs].astype(np.int64))
        odd.append(leader[np.repeat(lengths > 2, lengths)])
    return np.concatenate(first), np.concatenate(second), np.concatenate(odd)


def _is_path(network: Network, component: Longs, first: Longs, second: Longs, odd: Longs) -> Bools:
    """Say of each component, by its lowest variable, whether it is a path of variables with equally many values."""
    count = len(component)
    code = np.unique(np.minimum(first, second) * count + np.maximum(first, second))
    first, second = code // max(count, 1), code % max(count, 1)
    degree = np.bincount(np.append(first, second), minlength=count)
    edges = np.bincount(component[first], minlength=count)
    is_path: Bools = edges == np.bincount(component, minlength=count) - 1  # no ring
    is_path[component[degree > 2]] = False
    is_path[component[network.sizes != network.sizes[component]]] = False
    is_path[component[odd]] = False
    return is_path


def _part(network: Network, variables: Longs, *, keeps_settled: bool) -> Part:
    """Return the network over some variables alone; factors over no variable at all are kept by one of the parts."""
    renumbered = np.full(len(network.sizes), -1, np.int32)
    renumbered[variables] = np.arange(len(variables), dtype=np.int32)
    factors = (_factors(each, renumbered, keeps_settled) for each in network.factors)
    clauses = (_clauses(each, renumbered, keeps_settled) for each in network.clauses)
    inside = replace(
        network,
        sizes=network.sizes[variables],
        world=network.world[variables],
        given=network.given[variables],
        factors=tuple(each for each in factors if len(each.key)),
        clauses=tuple(each for each in clauses if len(each.weight)),
    )
    return Part(variables, inside)


def _factors(factors: Factors, renumbered: Ints, keeps_settled: bool) -> Factors:
    if not factors.scope.shape[1]:
        return factors.take(np.full(len(factors.key), keeps_settled))
    inside = factors.take(renumbered[factors.scope[:, 0]] >= 0)
    return replace(inside, scope=renumbered[inside.scope])


def _clauses(clauses: Clauses, renumbered: Ints, keeps_settled: bool) -> Clauses:
    has_literals = np.diff(clauses.start) > 0
    is_inside = np.full(len(has_literals), keeps_settled)
    is_inside[has_literals] = renumbered[clauses.variable[clauses.start[:-1][has_literals]]] >= 0
    inside = clauses.take(is_inside)
    return replace(inside, variable=renumbered[inside.variable])
