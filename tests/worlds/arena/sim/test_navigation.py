"""Paths match a slow reference search, cross no wall, and are straight where possible."""

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from telos.core.errors import DefinitionError
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement
from telos.worlds.arena.sim.map import ArenaMap, Cell, Point, cell_centre, cell_of, load_map
from telos.worlds.arena.sim.navigation import CRAWL_COST, DOOR_COST, Navigator, Walker


@st.composite
def maps(draw: st.DrawFn) -> ArenaMap:
    """Small maps, with doors where they can be."""
    width, height = draw(st.integers(2, 7)), draw(st.integers(1, 6))
    marks = st.text(alphabet="......##o_+%", min_size=width, max_size=width)
    rows = draw(st.lists(marks, min_size=height, max_size=height))
    grid = [list(f"#{row}#") for row in ["#" * width, *rows, "#" * width]]
    for y, x in [(y, x) for y in range(1, height + 1) for x in range(1, width + 1) if grid[y][x] in "+%"]:
        beside = [(grid[y][x - 1], grid[y][x + 1]), (grid[y - 1][x], grid[y + 1][x])]
        grid[y][x] = grid[y][x] if (".", ".") in beside else "#"
    try:
        return ArenaMap("\n".join("".join(row) for row in grid))
    except DefinitionError:
        assume(False)
        raise


walkers = st.builds(Walker, crawls=st.booleans(), flies=st.booleans())


def entering(drawn: ArenaMap, cell: Cell, walker: Walker) -> float:
    """What it costs to enter a cell, or infinity."""
    mark = drawn.mark(cell)
    name = drawn.at[cell].name if cell in drawn.at else ""
    if mark in "+%/":
        return math.inf if name in walker.avoiding else DOOR_COST
    if mark == "_" and not walker.flies:
        return CRAWL_COST if walker.crawls and name not in walker.avoiding else math.inf
    if mark == "o":
        return 0.0 if walker.flies else math.inf
    return math.inf if mark == "#" else 0.0


def slow_distances(drawn: ArenaMap, start: Cell, walker: Walker) -> dict[Cell, float]:
    """Slow reference: relax all neighbours until no distance improves."""
    cells = [(x, y) for x in range(drawn.width) for y in range(drawn.height)]
    enter = {cell: entering(drawn, cell, walker) for cell in cells}
    plain = {cell for cell in cells if enter[cell] == 0}
    far = {start: 0.0}
    for _ in cells:
        for x, y in list(far):
            for a, b in [(a, b) for a in (x - 1, x, x + 1) for b in (y - 1, y, y + 1) if (a, b) != (x, y)]:
                if a != x and b != y and not {(x, y), (a, b), (a, y), (x, b)} <= plain:
                    continue
                through = far[x, y] + math.hypot(a - x, b - y) + enter.get((a, b), math.inf)
                if through < far.get((a, b), math.inf):
                    far[a, b] = through
    return far


def length(drawn: ArenaMap, cells: tuple[Cell, ...], walker: Walker) -> float:
    return sum(math.dist(a, b) + entering(drawn, b, walker) for a, b in pairwise(cells))


@given(drawn=maps(), walker=walkers, data=st.data())
def test_distances_match_a_slow_reference_search(drawn: ArenaMap, walker: Walker, data: st.DataObject) -> None:
    gates = sorted((*drawn.doors, *drawn.lows))
    if gates:
        walker = walker._replace(avoiding=frozenset(data.draw(st.sets(st.sampled_from(gates)))))
    start = data.draw(st.sampled_from(sorted(drawn.floor)))
    navigator, far = Navigator(drawn), slow_distances(drawn, start, walker)
    for x in range(-1, drawn.width + 1):
        for y in range(-1, drawn.height + 1):
            goal, expected = (x, y), far.get((x, y), math.inf)
            cells = navigator.find_cells(cell_centre(start), cell_centre(goal), walker)
            assert navigator.distance(cell_centre(start), cell_centre(goal), walker) == pytest.approx(expected)
            assert (cells is None) == (expected == math.inf)
            if cells is not None:
                assert (cells[0], cells[-1]) == (start, goal)
                assert length(drawn, cells, walker) == pytest.approx(expected)


def touched(a: Point, b: Point, step: float = 0.01) -> set[Cell]:
    """Slow reference: the cells found in small steps along the line."""
    steps = max(1, math.ceil(math.dist(a, b) / step))
    return {cell_of((a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps)) for i in range(steps + 1)}


@given(drawn=maps(), walker=walkers, data=st.data())
def test_paths_cross_no_wall_and_no_furniture(drawn: ArenaMap, walker: Walker, data: st.DataObject) -> None:
    floor, within = st.sampled_from(sorted(drawn.floor)), st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
    (x, y), (across, down) = data.draw(floor), data.draw(within)
    (to_x, to_y), (to_across, to_down) = data.draw(floor), data.draw(within)
    start, goal = (x + across, y + down), (to_x + to_across, to_y + to_down)
    way = Navigator(drawn).find_path(start, goal, walker)
    if way is None:
        return
    assert way[-1] == goal
    for a, b in pairwise((start, *way)):
        assert all(entering(drawn, cell, walker) < math.inf for cell in touched(a, b))


@given(drawn=maps(), data=st.data())
def test_paths_include_doors_and_low_obstacles(drawn: ArenaMap, data: st.DataObject) -> None:
    start, goal = (data.draw(st.sampled_from(sorted(drawn.floor))) for _ in range(2))
    navigator = Navigator(drawn)
    way, cells = (
        navigator.find_path(cell_centre(start), cell_centre(goal)),
        navigator.find_cells(cell_centre(start), cell_centre(goal)),
    )
    if way is not None and cells is not None:
        gates = [cell for cell in cells if drawn.mark(cell) in "+%_"]
        assert [cell for cell in map(cell_of, way) if drawn.mark(cell) in "+%_"] == gates


def test_paths_over_open_floor_are_straight() -> None:
    hall = ArenaMap("#" * 22 + "\n" + ("#" + " " * 20 + "#\n") * 12 + "#" * 22)
    assert Navigator(hall).find_path((1.5, 1.5), (19.2, 8.1)) == ((19.2, 8.1),)


def test_paths_avoid_windows_and_only_fliers_cross_furniture() -> None:
    drawn = ArenaMap("#######\n#. o .#\n#. o .#\n#=#####\n#  .  #\n#######")
    navigator = Navigator(drawn)
    assert navigator.find_path((1.5, 1.5), (5.5, 1.5)) is None
    assert navigator.find_path((1.5, 1.5), (5.5, 1.5), Walker(flies=True)) is not None
    assert navigator.find_path((1.5, 1.5), (3.5, 4.5), Walker(flies=True)) is None
    assert navigator.distance((1.5, 1.5), (3.5, 4.5)) == math.inf


def test_path_from_a_window_leaves_to_the_nearer_side() -> None:
    drawn = ArenaMap("#####\n#   #\n##=##\n#   #\n#####")
    navigator = Navigator(drawn)
    assert navigator.find_path((2.5, 2.4), (1.5, 3.5)) == ((2.5, 3.5), (1.5, 3.5))
    assert navigator.distance((2.5, 2.4), (1.5, 1.5)) == 1.0


def test_paths_do_not_depend_on_earlier_queries() -> None:
    warehouse = load_map("warehouse")
    places = list(warehouse.places.values())
    asked = Navigator(warehouse)
    for place in places:
        for node in warehouse.nodes.values():
            asked.distance(place, node.position)
    for a, b in pairwise(places):
        assert asked.find_path(a, b) == Navigator(warehouse).find_path(a, b)


def test_equal_maps_share_their_caches() -> None:
    one, two = (ArenaMap("#######\n#  +  #\n#######") for _ in range(2))
    fights = [Arena(drawn, [FighterPlacement("Ann", "red", "soldier", 1.5, 1.5)]) for drawn in (one, two)]
    assert one == two != ArenaMap("#######\n#     #\n#######")
    assert fights[0].navigator is fights[1].navigator
