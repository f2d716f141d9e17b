"""Path finding on a map: A* over its cells, straightened paths, and cached distance fields.

Start with `Navigator`; a `Walker` says which cells a body may enter.
"""

import heapq
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from telos.worlds.arena.sim.map import ArenaMap, Cell, Point, adjacent_cells, cell_centre, cell_of, cells_on_line

DOOR_COST = 2.0  # metres; a door may have to be opened
CRAWL_COST = 3.0  # metres; crawling is slow
DIAGONAL = math.sqrt(2)
MAX_GRAPHS, MAX_FIELDS, MAX_PATHS = 32, 256, 4096  # cache sizes


class Walker(NamedTuple):
    """A kind of walker: the doors and low obstacles that it avoids by name, and how it moves."""

    avoiding: frozenset[str] = frozenset()
    crawls: bool = True  # under low obstacles
    flies: bool = False  # over furniture and low obstacles


WALKER = Walker()


@dataclass(frozen=True, slots=True)
class WalkGraph:
    """The cells that one kind of walker may enter, by number, with their neighbours and the cost of entering them."""

    neighbours: Sequence[Sequence[tuple[int, float]]]
    enter: Sequence[float]  # extra cost; infinite where the walker may not go
    plain: frozenset[Cell]  # entered from any direction, with no door or obstacle on it


class Navigator:
    r"""Shortest paths over the cells of a map, cached.

    The state of a door does not affect the search: every door costs 2 m extra, and a body that reaches a shut door has
    to open it. The caches therefore stay valid for the whole fight.

    >>> navigator = Navigator(ArenaMap("#######\n#  +  #\n#######"))
    >>> navigator.find_path((1.5, 1.5), (5.5, 1.5))
    ((2.5, 1.5), (3.5, 1.5), (4.5, 1.5), (5.5, 1.5))
    >>> navigator.distance((1.5, 1.5), (5.5, 1.5))
    6.0
    >>> navigator.distance((1.5, 1.5), (5.5, 1.5), Walker(avoiding=frozenset({"d1"})))
    inf
    """

    def __init__(self, map: ArenaMap) -> None:
        self.map, self._width = map, map.width
        self._graph = lru_cache(maxsize=MAX_GRAPHS)(self._build_graph)
        self._field = lru_cache(maxsize=MAX_FIELDS)(self._distance_field)
        self._cells = lru_cache(maxsize=MAX_PATHS)(self._search)
        self._components = lru_cache(maxsize=MAX_GRAPHS)(self._label_components)

    def find_path(self, start: Point, goal: Point, walker: Walker = WALKER) -> tuple[Point, ...] | None:
        """Return the points to walk to, in order, or None if there is no path.

        Doors and low obstacles are always among the points, and so are the cells before and behind them.
        """
        cells = self.find_cells(start, goal, walker)
        if cells is None:
            return None
        plain = self._graph(walker).plain
        points = [cell_centre(cell) for cell in cells]
        points[-1] = goal
        if cells[0] == cell_of(start):
            points[0] = start
        else:
            points.insert(0, start)  # the body starts off the floor; the first cell is where it gets down
        kept = _drop_collinear(points, {cell_centre(cell) for cell in cells if cell not in plain})
        return tuple(_straighten(kept, plain)[1:]) or (goal,)

    def find_cells(self, start: Point, goal: Point, walker: Walker = WALKER) -> tuple[Cell, ...] | None:
        """Return the cells of a cheapest path, first and last included, or None."""
        source = self._start_cell(start, cell_of(goal), walker)
        return None if source is None else self._cells(source, cell_of(goal), walker)

    def distance(self, start: Point, goal: Point, walker: Walker = WALKER) -> float:
        """Return the cost of the cheapest path in metres, from the centre of one cell to the centre of the other."""
        source, target = self._start_cell(start, cell_of(goal), walker), cell_of(goal)
        if source is None or not self._is_on_map(target):
            return math.inf
        return self._field(target, walker)[self._number(source)]

    def is_connected(self, start: Point, goal: Point, walker: Walker = WALKER) -> bool:
        """Whether any path exists; faster than ``distance`` for any pair of points."""
        target = cell_of(goal)
        source = self._start_cell(start, target, walker)
        if source is None or not self._is_on_map(target):
            return False
        components = self._components(walker)
        return components[self._number(source)] == components[self._number(target)] >= 0

    def precompute(self, places: Iterable[Point]) -> None:
        """Fill the distance cache for some places, so that the first query in a fight is fast."""
        for place in places:
            self.distance(place, place)

    def is_clear(self, start: Point, end: Point, *, flies: bool = False) -> bool:
        """Whether a straight walk is possible: no door on the line, and no corner cut."""
        return _is_walkable_line(start, end, self._graph(Walker(flies=flies)).plain)

    def is_plain(self, cell: Cell, *, flies: bool = False) -> bool:
        """Whether a body can stand on a cell: floor, without a door or obstacle."""
        return cell in self._graph(Walker(flies=flies)).plain

    def _start_cell(self, start: Point, target: Cell, walker: Walker) -> Cell | None:
        """Return the cell to start from; a body in a window or under an obstacle leaves it to the nearer side."""
        cell = cell_of(start)
        enter = self._graph(walker).enter
        if self._is_on_map(cell) and enter[self._number(cell)] < math.inf:
            return cell
        if not self._is_on_map(cell) or cell in self.map.walls:
            return None
        near = [each for each in adjacent_cells(cell) if self._is_on_map(each) and enter[self._number(each)] < math.inf]
        if not near or not self._is_on_map(target):
            return None
        field = self._field(target, walker)
        return min(near, key=lambda each: field[self._number(each)])

    def _is_on_map(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self._width and 0 <= cell[1] < self.map.height

    def _number(self, cell: Cell) -> int:
        return cell[1] * self._width + cell[0]

    def _build_graph(self, walker: Walker) -> WalkGraph:
        """Return the graph of one kind of walker. Diagonals join plain cells only, and never cut a corner."""
        map = self.map
        lows = {low.cell for low in map.lows.values() if low.name not in walker.avoiding}
        plain = map.floor | map.furniture | {low.cell for low in map.lows.values()} if walker.flies else map.floor
        costs = dict.fromkeys(plain, 0.0)
        costs.update({door.cell: DOOR_COST for door in map.doors.values() if door.name not in walker.avoiding})
        if walker.crawls and not walker.flies:
            costs.update(dict.fromkeys(lows, CRAWL_COST))
        enter = [math.inf] * (map.width * map.height)
        neighbours: list[tuple[tuple[int, float], ...]] = [()] * (map.width * map.height)
        for cell, cost in costs.items():
            enter[self._number(cell)] = cost
        for cell in costs:
            orthogonal = [(self._number(near), 1.0) for near in adjacent_cells(cell) if near in costs]
            diagonal = [(self._number(near), DIAGONAL) for near in _diagonals(cell, plain)]
            neighbours[self._number(cell)] = (*orthogonal, *diagonal)
        return WalkGraph(neighbours, enter, frozenset(plain))

    def _distance_field(self, target: Cell, walker: Walker) -> "array[float]":
        """Return the cost of the cheapest path from every cell to ``target`` (Dijkstra, backwards)."""
        graph = self._graph(walker)
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

    def _label_components(self, walker: Walker) -> list[int]:
        """Return the connected component of each cell; -1 where the walker may not go."""
        graph = self._graph(walker)
        component = [-1] * (self._width * self.map.height)
        for corner, cost in enumerate(graph.enter):
            if cost == math.inf or component[corner] >= 0:
                continue
            component[corner], reached = corner, [corner]
            while reached:
                for near, _ in graph.neighbours[reached.pop()]:
                    if component[near] < 0:
                        component[near] = corner
                        reached.append(near)
        return component

    def _search(self, source: Cell, target: Cell, walker: Walker) -> tuple[Cell, ...] | None:
        """A* from cell to cell with the octile distance as heuristic."""
        graph, width = self._graph(walker), self._width
        if not self._is_on_map(target) or graph.enter[self._number(target)] == math.inf:
            return None
        start, goal = self._number(source), self._number(target)
        cheapest, came_from = {start: 0.0}, {start: start}
        queue = [(octile_distance(source, target), 0.0, start)]
        while queue:
            _, cost, here = heapq.heappop(queue)
            if here == goal:
                return tuple((each % width, each // width) for each in _reconstruct_path(goal, came_from))
            if cost > cheapest[here]:
                continue  # a cheaper path to this cell was found after the entry was queued
            for near, metres in graph.neighbours[here]:
                total = cost + metres + graph.enter[near]
                if total < cheapest.get(near, math.inf):
                    cheapest[near], came_from[near] = total, here
                    heapq.heappush(queue, (total + octile_distance((near % width, near // width), target), total, near))
        return None


def octile_distance(one: Cell, other: Cell) -> float:
    """Return the length of the shortest path over open floor in eight directions.

    >>> octile_distance((0, 0), (3, 0)), round(octile_distance((0, 0), (3, 1)), 3)
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


def _reconstruct_path(goal: int, came_from: dict[int, int]) -> list[int]:
    path = [goal]
    while came_from[path[-1]] != path[-1]:
        path.append(came_from[path[-1]])
    return path[::-1]


def _drop_collinear(points: list[Point], gates: set[Point]) -> list[Point]:
    """Leave out points on a straight run, except gates (doors and low obstacles) and the points beside them."""
    kept = points[:1]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        turns = (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1])
        if turns or before in gates or here in gates or after in gates:
            kept.append(here)
    return [*kept, points[-1]] if len(points) > 1 else kept


def _is_walkable_line(start: Point, end: Point, plain: frozenset[Cell]) -> bool:
    cells, corners = cells_on_line(start, end)
    return all(cell in plain for cell in cells) and all(one in plain and two in plain for one, two in corners)


def _straighten(points: list[Point], plain: frozenset[Cell]) -> list[Point]:
    """Leave out every point that a straight walk can pass."""
    kept = [points[0]]
    for here, after in pairwise(points[1:]):
        if not _is_walkable_line(kept[-1], after, plain):
            kept.append(here)
    return [*kept, points[-1]] if len(points) > 1 else kept
