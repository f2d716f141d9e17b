"""Ways through a map: A* over its cells, straightened, and distances that are asked for again and again."""

import heapq
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from telos.worlds.arena.sim.map import ArenaMap, Cell, Point, beside, cell_of, crossed, middle

DOOR_COSTS = 2.0  # metres that a shut door is worth: somebody has to open it
CRAWL_COSTS = 3.0  # metres that crawling is worth
DIAGONAL = math.sqrt(2)
MOST_GRAPHS, MOST_FIELDS, MOST_WAYS = 32, 256, 4096  # kept for the next time

Avoiding = frozenset[str]


@dataclass(frozen=True, slots=True)
class Graph:
    """The cells that one kind of walker may enter, by number, with their neighbours and what entering them costs."""

    neighbours: Sequence[Sequence[tuple[int, float]]]
    enter: Sequence[float]  # extra cost; infinite where nobody may go
    plain: frozenset[Cell]  # walked on in any direction, with nothing in the way


class Navigator:
    r"""Finds ways for walkers, crawlers and fliers.

    Whether a door is open makes no difference to the search: any door costs 2 m extra, for the body that comes to a
    shut one has to deal with it. So whatever was found once stays true, and is kept.

    >>> navigator = Navigator(ArenaMap("#######\n#  +  #\n#######"))
    >>> navigator.way((1.5, 1.5), (5.5, 1.5))
    ((2.5, 1.5), (3.5, 1.5), (4.5, 1.5), (5.5, 1.5))
    >>> navigator.distance((1.5, 1.5), (5.5, 1.5)), navigator.distance((1.5, 1.5), (5.5, 1.5), avoiding={"d1"})
    (6.0, inf)
    """

    def __init__(self, map: ArenaMap) -> None:
        self.map, self._width = map, map.width
        self._graph = lru_cache(maxsize=MOST_GRAPHS)(self._build)
        self._field = lru_cache(maxsize=MOST_FIELDS)(self._flood)
        self._cells = lru_cache(maxsize=MOST_WAYS)(self._search)
        self._islands = lru_cache(maxsize=MOST_GRAPHS)(self._parted)

    def way(
        self,
        start: Point,
        goal: Point,
        *,
        avoiding: Avoiding | set[str] = frozenset(),
        crawls: bool = True,
        flies: bool = False,
    ) -> tuple[Point, ...] | None:
        """Return the points to walk to, one after the other, or None if there is no way.

        Doors and low obstacles are always such points, and so are the cells before and behind them.
        """
        kind = (frozenset(avoiding), crawls, flies)
        cells = self.cells(start, goal, avoiding=avoiding, crawls=crawls, flies=flies)
        if cells is None:
            return None
        plain = self._graph(*kind).plain
        points = [middle(cell) for cell in cells]
        points[-1] = goal
        if cells[0] == cell_of(start):  # otherwise it starts off the floor, and the first cell is where it gets down
            points[0] = start
        else:
            points.insert(0, start)
        kept = _corners_of(points, {middle(cell) for cell in cells if cell not in plain})
        return tuple(self._straightened(kept, plain)[1:]) or (goal,)

    def cells(
        self,
        start: Point,
        goal: Point,
        *,
        avoiding: Avoiding | set[str] = frozenset(),
        crawls: bool = True,
        flies: bool = False,
    ) -> tuple[Cell, ...] | None:
        """Return the cells of a cheapest way, first and last included, or None."""
        kind = (frozenset(avoiding), crawls, flies)
        source = self._source(start, cell_of(goal), kind)
        return None if source is None else self._cells(source, cell_of(goal), *kind)

    def distance(
        self,
        start: Point,
        goal: Point,
        *,
        avoiding: Avoiding | set[str] = frozenset(),
        crawls: bool = True,
        flies: bool = False,
    ) -> float:
        """Return what the cheapest way costs in metres, from the middle of one cell to the middle of the other."""
        kind = (frozenset(avoiding), crawls, flies)
        source, target = self._source(start, cell_of(goal), kind), cell_of(goal)
        if source is None or not self._holds(target):
            return math.inf
        return self._field(target, *kind)[self._number(source)]

    def connected(
        self,
        start: Point,
        goal: Point,
        *,
        avoiding: Avoiding | set[str] = frozenset(),
        crawls: bool = True,
        flies: bool = False,
    ) -> bool:
        """Whether there is any way at all; quicker than asking how long it is, wherever the two are."""
        kind = (frozenset(avoiding), crawls, flies)
        target = cell_of(goal)
        source = self._source(start, target, kind)
        if source is None or not self._holds(target):
            return False
        islands = self._islands(*kind)
        return islands[self._number(source)] == islands[self._number(target)] >= 0

    def survey(self, places: Iterable[Point]) -> None:
        """Find out now how far some places are from everywhere, so that nobody waits for it in the midst of a fight."""
        for place in places:
            self.distance(place, place)

    def is_clear(self, start: Point, end: Point, *, flies: bool = False) -> bool:
        """Whether one can walk in a straight line, through no door and round no corner too closely."""
        return _line_of_walk(start, end, self._graph(frozenset(), True, flies).plain)

    def is_plain(self, cell: Cell, *, flies: bool = False) -> bool:
        """Whether one can stand on a cell, with no door or obstacle to deal with."""
        return cell in self._graph(frozenset(), True, flies).plain

    def _source(self, start: Point, target: Cell, kind: tuple[Avoiding, bool, bool]) -> Cell | None:
        """Return the cell to start from: a body caught in a window or under an obstacle leaves to the better side."""
        cell = cell_of(start)
        enter = self._graph(*kind).enter
        if self._holds(cell) and enter[self._number(cell)] < math.inf:
            return cell
        if not self._holds(cell) or cell in self.map.walls:
            return None
        near = [each for each in beside(cell) if self._holds(each) and enter[self._number(each)] < math.inf]
        if not near or not self._holds(target):
            return None
        field = self._field(target, *kind)
        return min(near, key=lambda each: field[self._number(each)])

    def _holds(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self._width and 0 <= cell[1] < self.map.height

    def _number(self, cell: Cell) -> int:
        return cell[1] * self._width + cell[0]

    def _build(self, avoiding: Avoiding, crawls: bool, flies: bool) -> Graph:
        """Return the graph of one kind of walker. Diagonals join plain cells only, and never cut a corner."""
        map = self.map
        lows = {low.cell for low in map.lows.values() if low.name not in avoiding}
        plain = map.floor | map.furniture | {low.cell for low in map.lows.values()} if flies else map.floor
        costs = dict.fromkeys(plain, 0.0)
        costs.update({door.cell: DOOR_COSTS for door in map.doors.values() if door.name not in avoiding})
        if crawls and not flies:
            costs.update(dict.fromkeys(lows, CRAWL_COSTS))
        enter = [math.inf] * (map.width * map.height)
        neighbours: list[tuple[tuple[int, float], ...]] = [()] * (map.width * map.height)
        for cell, cost in costs.items():
            enter[self._number(cell)] = cost
        for cell in costs:
            straight = [(self._number(near), 1.0) for near in beside(cell) if near in costs]
            slanting = [(self._number(near), DIAGONAL) for near in _diagonals(cell, plain)]
            neighbours[self._number(cell)] = (*straight, *slanting)
        return Graph(neighbours, enter, frozenset(plain))

    def _flood(self, target: Cell, *kind: bool) -> "array[float]":
        """Return the cost of the cheapest way from every cell to ``target``: Dijkstra's search, backwards."""
        graph = self._graph(*kind)
        costs = array("d", [math.inf]) * (self._width * self.map.height)
        goal = self._number(target)
        if graph.enter[goal] == math.inf:
            return costs
        costs[goal] = 0.0
        queue = [(0.0, goal)]
        while queue:
            cost, here = heapq.heappop(queue)
            if cost > costs[here]:
                continue
            cost += graph.enter[here]
            for near, metres in graph.neighbours[here]:
                if cost + metres < costs[near]:
                    costs[near] = cost + metres
                    heapq.heappush(queue, (cost + metres, near))
        return costs

    def _parted(self, *kind: bool) -> list[int]:
        """Return for each cell the number of the island that it lies on; -1 where nobody may go."""
        graph = self._graph(*kind)
        island = [-1] * (self._width * self.map.height)
        for corner, cost in enumerate(graph.enter):
            if cost == math.inf or island[corner] >= 0:
                continue
            island[corner], reached = corner, [corner]
            while reached:
                for near, _ in graph.neighbours[reached.pop()]:
                    if island[near] < 0:
                        island[near] = corner
                        reached.append(near)
        return island

    def _search(self, source: Cell, target: Cell, *kind: bool) -> tuple[Cell, ...] | None:
        """A* from cell to cell; the distance over open floor is the estimate."""
        graph, width = self._graph(*kind), self._width
        if not self._holds(target) or graph.enter[self._number(target)] == math.inf:
            return None
        start, goal = self._number(source), self._number(target)
        cheapest, came_from = {start: 0.0}, {start: start}
        queue = [(octile(source, target), 0.0, start)]
        while queue:
            _, cost, here = heapq.heappop(queue)
            if here == goal:
                return tuple((each % width, each // width) for each in _back_from(goal, came_from))
            if cost > cheapest[here]:
                continue  # a cheaper way here was found after this entry was queued
            for near, metres in graph.neighbours[here]:
                total = cost + metres + graph.enter[near]
                if total < cheapest.get(near, math.inf):
                    cheapest[near], came_from[near] = total, here
                    heapq.heappush(queue, (total + octile((near % width, near // width), target), total, near))
        return None

    def _straightened(self, points: list[Point], plain: frozenset[Cell]) -> list[Point]:
        """Leave out every point that one can walk past in a straight line."""
        kept = [points[0]]
        for here, after in pairwise(points[1:]):
            if not _line_of_walk(kept[-1], after, plain):
                kept.append(here)
        return [*kept, points[-1]] if len(points) > 1 else kept


def octile(one: Cell, other: Cell) -> float:
    """Return the length of the shortest way over open floor in eight directions.

    >>> octile((0, 0), (3, 0)), round(octile((0, 0), (3, 1)), 3)
    (3.0, 3.414)
    """
    x, y = abs(one[0] - other[0]), abs(one[1] - other[1])
    return x + y - (2 - DIAGONAL) * min(x, y)


def _diagonals(cell: Cell, plain: frozenset[Cell]) -> list[Cell]:
    x, y = cell
    if cell not in plain:
        return []
    ends = ((x - 1, y - 1), (x + 1, y - 1), (x - 1, y + 1), (x + 1, y + 1))
    return [(a, b) for a, b in ends if (a, b) in plain and (a, y) in plain and (x, b) in plain]


def _back_from(goal: int, came_from: dict[int, int]) -> list[int]:
    way = [goal]
    while came_from[way[-1]] != way[-1]:
        way.append(came_from[way[-1]])
    return way[::-1]


def _corners_of(points: list[Point], gates: set[Point]) -> list[Point]:
    """Leave out the points between which the way runs straight on, except gates and the points beside them."""
    kept = points[:1]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        turns = (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1])
        if turns or before in gates or here in gates or after in gates:
            kept.append(here)
    return [*kept, points[-1]] if len(points) > 1 else kept


def _line_of_walk(start: Point, end: Point, plain: frozenset[Cell]) -> bool:
    cells, corners = crossed(start, end)
    return all(cell in plain for cell in cells) and all(one in plain and two in plain for one, two in corners)
