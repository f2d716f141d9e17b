"""A navigation mesh: walkable areas merged from the cells of a map, the links between them, and paths over both.

Start with `NavigationMesh`. `merge_cells` makes the areas, `pull_string` the shortest way through a row of openings.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from telos.worlds.arena.sim.map import ArenaMap, Cell, Point, adjacent_cells, cell_centre, cell_of
from telos.worlds.arena.sim.navigation import CRAWL_COST, DOOR_COST, WALKER, Walker

LinkKind: TypeAlias = Literal["open", "door", "low", "window"]
Box: TypeAlias = tuple[int, int, int, int]  # left, top, right and bottom, the last two exclusive
Opening: TypeAlias = tuple[Point, Point]  # the ends of a line that is crossed, the one to the left first

COSTS: dict[str, float] = {"door": DOOR_COST, "low": CRAWL_COST}  # metres, for entering such an area


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells; ``gate`` is the door, window or low obstacle that it consists of, if any."""

    number: int
    left: int
    top: int
    right: int  # exclusive
    bottom: int  # exclusive
    kind: Literal["floor", "door", "low", "window"] = "floor"
    gate: str = ""

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def cells(self) -> Iterator[Cell]:
        """Yield the cells, row by row."""
        return ((x, y) for y in range(self.top, self.bottom) for x in range(self.left, self.right))


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one area to another across a common border.

    ``near`` and ``far`` are the openings before and behind the border, through the middles of the cells there: a body
    that crosses both keeps half a metre away from corners.
    """

    number: int
    start: int
    end: int
    kind: LinkKind
    near: Opening
    far: Opening

    @property
    def width(self) -> float:
        """Return the metres of border that the areas have in common."""
        (x, y), (to_x, to_y) = self.near
        return abs(to_x - x) + abs(to_y - y) + 1.0

    def crossing(self, here: Point, goal: Point) -> Point:
        """Return the point of the far opening that is nearest to the straight line from ``here`` to ``goal``."""
        (x, y), (to_x, to_y) = self.far
        if x == to_x:
            return x, _clamp(_value_at(x, here, goal), y, to_y)
        turned = _value_at(y, here[::-1], goal[::-1])
        return _clamp(turned, x, to_x), y


class MeshPath(NamedTuple):
    """A path over a mesh: the points to walk to, the areas on the way, its cost in metres, and the links expanded."""

    points: tuple[Point, ...]
    areas: tuple[int, ...]
    metres: float
    expanded: int


def _value_at(place: float, here: Point, goal: Point) -> float:
    """Return the second coordinate at which the line from ``here`` to ``goal`` has the first coordinate ``place``."""
    along = goal[0] - here[0]
    share = 1.0 if along == 0 else min(1.0, max(0.0, (place - here[0]) / along))
    return here[1] + (goal[1] - here[1]) * share


def _clamp(value: float, one: float, other: float) -> float:
    low, high = (one, other) if one <= other else (other, one)
    return min(high, max(low, value))


# --- areas ------------------------------------------------------------------------------------------------------------


def merge_cells(cells: Iterable[Cell], *, max_side: int | None = None) -> list[Box]:
    """Return rectangles (left, top, right, bottom) that cover the cells without overlap, greedily the largest first.

    No side is longer than ``max_side`` cells, if that is given.

    >>> merge_cells([(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)])
    [(0, 0, 2, 2), (2, 1, 3, 2)]
    """
    merger = _CellMerger(cells, max_side)
    return list(merger.merge())


class _CellMerger:
    """Takes the largest rectangle, again and again. What it changes is looked at anew, and nothing else."""

    def __init__(self, cells: Iterable[Cell], max_side: int | None) -> None:
        self._left = set(cells)
        self._limit = max_side or len(self._left)
        self._runs: dict[Cell, int] = {}  # cells in a row that end at a cell
        self._best: dict[Cell, Box] = {}  # the largest rectangle by its bottom right cell
        self._queue: list[tuple[int, int, int, int, Box]] = []

    def merge(self) -> Iterator[Box]:
        """Yield the rectangles, the largest first."""
        self._look_at(self._left)
        while self._queue:
            *_, box = heapq.heappop(self._queue)
            left, top, right, bottom = box
            if self._best.get((right - 1, bottom - 1)) != box:
                continue  # it has lost cells to another one
            yield box
            self._left.difference_update((x, y) for x in range(left, right) for y in range(top, bottom))
            self._look_at(
                (x, y)
                for x in range(left, min(right + self._limit, self._end[0]))
                for y in range(top, min(bottom + self._limit, self._end[1]))
            )

    @cached_property
    def _end(self) -> Cell:
        """The column and the row behind the last cells."""
        return max((x for x, _ in self._runs), default=0) + 1, max((y for _, y in self._runs), default=0) + 1

    def _look_at(self, cells: Iterable[Cell]) -> None:
        """Find the largest rectangle that ends at each of some cells."""
        changed = sorted(cells)
        for x, y in changed:
            if (x, y) in self._left:
                self._runs[x, y] = min(self._limit, self._runs.get((x - 1, y), 0) + 1)
            else:
                self._runs[x, y] = 0
                self._best.pop((x, y), None)
        for cell in changed:
            if cell in self._left:
                rank = max(map(_rank_box, self._boxes_at(cell)))
                box = self._best[cell] = rank[-1]
                heapq.heappush(self._queue, (-rank[0], -rank[1], -rank[2], -rank[3], box))

    def _boxes_at(self, cell: Cell) -> Iterator[Box]:
        """Yield rectangles that end at a cell, the largest among them: one per height."""
        x, y = cell
        width = self._limit
        for top in range(y, y - self._limit, -1):
            width = min(width, self._runs.get((x, top), 0))
            if not width:
                break
            yield x + 1 - width, top, x + 1, y + 1


def _rank_box(box: Box) -> tuple[int, int, int, int, Box]:
    """Rate a rectangle, the best highest: a large one, then one further up, then one further to the left."""
    left, top, right, bottom = box
    return (right - left) * (bottom - top), -top, -left, right, box


# --- the mesh ---------------------------------------------------------------------------------------------------------


class NavigationMesh:
    r"""The areas of a map and their links, for bodies on foot or, with ``flies``, for those that fly.

    Floor is merged into rectangles of any size, or with sides of at most ``max_side`` cells. Every door, window and
    low obstacle is an area of its own, linked to the floor beside it. Nobody walks through windows, so paths do not.

    >>> mesh = NavigationMesh(ArenaMap("#######\n#  +  #\n#######"))
    >>> [(area.kind, area.size) for area in mesh.areas], [link.kind for link in mesh.links_of(0)]
    ([('floor', 2), ('floor', 2), ('door', 1)], ['door'])
    >>> mesh.find_path((1.5, 1.5), (5.5, 1.5)).points
    ((2.5, 1.5), (3.5, 1.5), (4.5, 1.5), (5.5, 1.5))
    """

    def __init__(self, map: ArenaMap, *, flies: bool = False, max_side: int | None = None) -> None:
        self.map, self.flies = map, flies
        lows = {low.cell for low in map.lows.values()}
        plain = map.floor | map.furniture | lows if flies else map.floor
        gates = [*map.doors.values(), *(() if flies else map.lows.values()), *map.windows.values()]
        boxes = sorted(merge_cells(plain, max_side=max_side), key=lambda box: (box[1], box[0]))
        floors = [Area(number, *box) for number, box in enumerate(boxes)]
        self.areas: tuple[Area, ...] = (*floors, *_gate_areas(gates, len(floors)))
        self._at = {cell: area.number for area in self.areas for cell in area.cells()}
        self._links: list[list[Link]] = [[] for _ in self.areas]
        for link in self._find_links():
            self._links[link.start].append(link)

    def area_at(self, point: Point) -> Area | None:
        """Return the area at a point, if there is one."""
        number = self._at.get(cell_of(point))
        return None if number is None else self.areas[number]

    def links_of(self, area: int) -> Sequence[Link]:
        """Return the links that lead out of an area."""
        return self._links[area]

    def _find_links(self) -> Iterator[Link]:
        """Yield the links in both directions; a border between two rectangles is one row of cells."""
        borders: dict[tuple[int, int], list[tuple[Cell, Cell]]] = {}
        for cell, number in self._at.items():
            for near in adjacent_cells(cell):
                other = self._at.get(near)
                if other is not None and other != number and self._may_cross(cell, near):
                    borders.setdefault((number, other), []).append((cell, near))
        for count, ((start, end), pairs) in enumerate(borders.items()):
            head, tail = min(pairs), max(pairs)
            kinds = {self.areas[start].kind, self.areas[end].kind} - {"floor"}
            kind: LinkKind = (
                "window" if "window" in kinds else "door" if "door" in kinds else "low" if kinds else "open"
            )
            step = (head[1][0] - head[0][0], head[1][1] - head[0][1])
            is_turned = step in ((0, 1), (-1, 0))  # going south or west, the left end is the later one
            left, right = (tail, head) if is_turned else (head, tail)
            openings = ((cell_centre(left[side]), cell_centre(right[side])) for side in (0, 1))
            yield Link(count, start, end, kind, *openings)

    def _may_cross(self, cell: Cell, near: Cell) -> bool:
        """Whether the border of two cells is open: windows are passed straight through, from floor to floor."""
        for window, other in ((cell, near), (near, cell)):
            area = self.areas[self._at[window]]
            if area.kind == "window":
                return any(other in pair for pair in self.map.sides(area.gate))
        return True

    # --- paths --------------------------------------------------------------------------------------------------------

    def find_path(self, start: Point, goal: Point, walker: Walker = WALKER) -> MeshPath | None:
        """Return a short path, or None if there is none.

        A* over the links finds the areas to go through, and the string is pulled tight in them. Doors and low obstacles
        are always among the points, and so are the cells before and behind them.
        """
        target = self._at.get(cell_of(goal))
        if target is None or not self._may_enter(self.areas[target], walker):
            return None
        sources = dict(self._sources(start, walker))
        if target in sources:
            first = sources[target]
            points = (goal,) if first == start else (first, goal)
            return MeshPath(points, (target,), _length([start, *points]), 0)
        return self._search(start, sources, goal, target, walker)

    def _sources(self, start: Point, walker: Walker) -> Iterator[tuple[int, Point]]:
        """Yield the areas to start from; a body in a window or on an obstacle leaves it to either side."""
        cell = cell_of(start)
        number = self._at.get(cell)
        if number is not None and self._may_enter(self.areas[number], walker):
            yield number, start
        elif cell not in self.map.walls:
            for near in adjacent_cells(cell):
                beside = self._at.get(near)
                if beside is not None and self._may_enter(self.areas[beside], walker):
                    yield beside, cell_centre(near)

    def _may_enter(self, area: Area, walker: Walker) -> bool:
        if area.kind == "window" or (area.gate and area.gate in walker.avoiding):
            return False
        return area.kind != "low" or walker.crawls

    def _search(
        self, start: Point, sources: dict[int, Point], goal: Point, target: int, walker: Walker
    ) -> MeshPath | None:
        """A* over links; where a link is crossed is decided by the straight line to the goal."""
        queue: list[tuple[float, float, int, Link | None, Point]] = []
        cheapest: dict[int, float] = {}
        came_from: dict[int, Link | None] = {}
        pushed = expanded = 0

        def push_links(area: int, here: Point, cost: float, before: Link | None) -> None:
            nonlocal pushed
            for link in self._links[area]:
                entered = self.areas[link.end]
                if not self._may_enter(entered, walker):
                    continue
                point = link.crossing(here, goal)
                total = cost + math.dist(here, point) + COSTS.get(entered.kind, 0.0)
                if total < cheapest.get(link.number, math.inf):
                    cheapest[link.number], came_from[link.number] = total, before
                    pushed += 1
                    heapq.heappush(queue, (total + math.dist(point, goal), total, pushed, link, point))

        for area, point in sources.items():
            push_links(area, point, math.dist(start, point), None)
        last: Link | None = None
        while queue:
            _, cost, _, link, here = heapq.heappop(queue)
            if link is None:
                break
            if cost > cheapest[link.number]:
                continue
            expanded += 1
            if link.end == target:
                total = cost + math.dist(here, goal)
                if total < cheapest.get(-1, math.inf):
                    cheapest[-1], last = total, link
                    pushed += 1
                    heapq.heappush(queue, (total, total, pushed, None, goal))
            else:
                push_links(link.end, here, cost, link)
        if last is None:
            return None
        links: list[Link] = []
        while last is not None:
            links.append(last)
            last = came_from[last.number]
        links.reverse()
        first = sources[links[0].start]
        points = [*([] if first == start else [first]), *self._pull(first, links, goal)]
        entered = [self.areas[link.end] for link in links]
        metres = _length([start, *points]) + sum(COSTS.get(area.kind, 0.0) for area in entered)
        return MeshPath(tuple(points), (links[0].start, *(area.number for area in entered)), metres, expanded)

    def _pull(self, start: Point, links: Sequence[Link], goal: Point) -> list[Point]:
        """Return the points of the shortest way over these links; gates are passed through the middle."""
        points: list[Point] = []
        here, openings = start, list[Opening]()
        for link in links:
            if link.kind == "open":
                openings += (link.near, link.far)
                continue
            for end in (link.near[0], link.far[0]):  # a gate is one cell wide
                if end != here:
                    points += pull_string(here, end, openings)
                here, openings = end, []
        return points + (pull_string(here, goal, openings) if goal != here or not points else [])


def _gate_areas(gates: Iterable[object], count: int) -> Iterator[Area]:
    for number, node in enumerate(gates, start=count):
        x, y = node.cell  # type: ignore[attr-defined]
        yield Area(number, x, y, x + 1, y + 1, node.kind, node.name)  # type: ignore[attr-defined]


# --- the funnel -------------------------------------------------------------------------------------------------------


def pull_string(start: Point, goal: Point, openings: Sequence[Opening]) -> list[Point]:
    """Return the corners and the end of the shortest line from ``start`` to ``goal`` across all openings in order.

    This is the funnel algorithm: the two sides of what can be seen of the goal close in with each opening, until one
    crosses the other and its end becomes a corner.

    >>> pull_string((0.5, 0.5), (4.5, 0.5), [((1.5, 0.5), (1.5, 3.5)), ((2.5, 2.5), (2.5, 3.5))])
    [(2.5, 2.5), (4.5, 0.5)]
    """
    gates = [*openings, (goal, goal)]
    corners: list[Point] = []
    apex = left = right = start
    left_at = right_at = at = 0
    while at < len(gates):
        to_left, to_right = gates[at]
        if _turn(apex, right, to_right) <= 0:
            if apex == right or _turn(apex, left, to_right) > 0:
                right, right_at = to_right, at
            else:  # the right side crosses the left one
                corners.append(left)
                apex = right = left
                at = right_at = left_at
                at += 1
                continue
        if _turn(apex, left, to_left) >= 0:
            if apex == left or _turn(apex, right, to_left) < 0:
                left, left_at = to_left, at
            else:
                corners.append(right)
                apex = left = right
                at = left_at = right_at
                at += 1
                continue
        at += 1
    return [point for before, point in pairwise([start, *corners, goal]) if point != before]


def _turn(one: Point, two: Point, three: Point) -> float:
    """Return twice the signed area of a triangle: positive if the third point lies to the right, y downwards."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(one, two) for one, two in pairwise(points))
