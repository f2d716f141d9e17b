"""In which order to eliminate variables, so that the tables on the way stay small."""

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Graph: TypeAlias = dict[int, set[int]]

MOST_FILLED = 3_000  # variables up to which the better but slower rule is tried when the quick one finds no order


@dataclass(frozen=True, slots=True)
class Clique:
    """A variable at its elimination, and the variables that it is tied to then, in the order of theirs."""

    variable: int
    rest: tuple[int, ...]

    @property
    def scope(self) -> tuple[int, ...]:
        """All variables of the clique, that which is eliminated first."""
        return (self.variable, *self.rest)


def cliques_of(
    variables: Iterable[int], scopes: Iterable[tuple[int, ...]], sizes: Mapping[int, int], *, most_cells: int
) -> list[Clique] | None:
    """Return the cliques of a good elimination order, or None if one of them is too large for a table.

    The variable with the smallest clique goes first; if that leads to none, the one that ties the fewest others.

    >>> [clique.scope for clique in cliques_of([0, 1, 2], [(0, 1), (1, 2)], {0: 2, 1: 2, 2: 2}, most_cells=4)]
    [(0, 1), (1, 2), (2,)]
    """
    graph: Graph = {variable: set() for variable in variables}
    for scope in set(scopes):
        if math.prod(sizes[each] for each in scope) > most_cells:
            return None
        for each in scope:
            graph[each].update(scope)
    for each, tied in graph.items():
        tied.discard(each)
    order = _eliminate(graph, sizes, most_cells, _cost_of_cells)
    if order is None and len(graph) <= MOST_FILLED:
        order = _eliminate(graph, sizes, most_cells, _cost_of_ties)
    return order


def _eliminate(
    start: Graph, sizes: Mapping[int, int], most_cells: int, cost: Callable[[int, Graph, Mapping[int, int]], float]
) -> list[Clique] | None:
    """Eliminate the cheapest variable again and again; None once a clique is too large."""
    graph = {variable: set(tied) for variable, tied in start.items()}
    costs = {variable: cost(variable, graph, sizes) for variable in graph}
    queue = [(each, variable) for variable, each in costs.items()]
    heapq.heapify(queue)
    eliminated: list[tuple[int, set[int]]] = []
    total = 0
    while queue:
        known, variable = heapq.heappop(queue)
        if costs.get(variable) != known:
            continue  # out of date: its ties have changed since
        tied = graph.pop(variable)
        del costs[variable]
        cells = sizes[variable] * math.prod(sizes[each] for each in tied)
        total += cells
        if cells > most_cells or total > 8 * most_cells:  # all of them are kept at once
            return None
        eliminated.append((variable, tied))
        for each in _join(graph, variable, tied, cost is _cost_of_ties):
            costs[each] = cost(each, graph, sizes)
            heapq.heappush(queue, (costs[each], each))
    return _cliques(eliminated)


def _join(graph: Graph, variable: int, tied: set[int], ties_matter: bool) -> set[int]:
    """Tie all that a variable was tied to; return the variables whose cost may have changed."""
    changed = set(tied)
    for each in tied:
        graph[each].discard(variable)
        graph[each] |= tied
        graph[each].discard(each)
        if ties_matter:
            changed |= graph[each]
    return changed


def _cost_of_cells(variable: int, graph: Graph, sizes: Mapping[int, int]) -> float:
    tied = graph[variable]
    if len(tied) > 64:
        return 64.0 + len(tied)  # beyond all limits: its turn comes when its neighbours have gone
    return math.log2(sizes[variable] * math.prod(sizes[each] for each in tied))


def _cost_of_ties(variable: int, graph: Graph, sizes: Mapping[int, int]) -> float:
    tied = graph[variable]
    return float(sum(len(tied) - 1 - len(tied & graph[each]) for each in tied))


def _cliques(eliminated: list[tuple[int, set[int]]]) -> list[Clique]:
    rank = {variable: at for at, (variable, _) in enumerate(eliminated)}
    return [Clique(variable, tuple(sorted(tied, key=rank.__getitem__))) for variable, tied in eliminated]
