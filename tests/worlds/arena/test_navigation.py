"""Ways are as short as a plain search finds them, lead through no wall, and are walked without zigzag."""

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
    """The obvious way: let every cell tell its neighbours again and again until no answer improves."""
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
def test_ways_are_as_long_as_the_slow_obvious_search_says(drawn: ArenaMap, walker: Walker, data: st.DataObject) -> None:
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
    """The cells that a line leads through, found by walking along it in small steps."""
    steps = max(1, math.ceil(math.dist(a, b) / step))
    return {cell_of((a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps)) for i in range(steps + 1)}


@given(drawn=maps(), walker=walkers, data=st.data())
def test_a_way_leads_from_anywhere_to_anywhere_through_no_wall_and_over_no_furniture(
    drawn: ArenaMap, walker: Walker, data: st.DataObject
) -> None:
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
def test_whatever_has_to_be_dealt_with_on_the_way_is_a_point_of_it(drawn: ArenaMap, data: st.DataObject) -> None:
    start, goal = (data.draw(st.sampled_from(sorted(drawn.floor))) for _ in range(2))
    navigator = Navigator(drawn)
    way, cells = (
        navigator.find_path(cell_centre(start), cell_centre(goal)),
        navigator.find_cells(cell_centre(start), cell_centre(goal)),
    )
    if way is not None and cells is not None:
        gates = [cell for cell in cells if drawn.mark(cell) in "+%_"]
        assert [cell for cell in map(cell_of, way) if drawn.mark(cell) in "+%_"] == gates


def test_over_open_floor_people_walk_straight() -> None:
    hall = ArenaMap("#" * 22 + "\n" + ("#" + " " * 20 + "#\n") * 12 + "#" * 22)
    assert Navigator(hall).find_path((1.5, 1.5), (19.2, 8.1)) == ((19.2, 8.1),)


def test_nobody_walks_through_a_window_and_only_fliers_go_over_furniture() -> None:
    drawn = ArenaMap("#######\n#. o .#\n#. o .#\n#=#####\n#  .  #\n#######")
    navigator = Navigator(drawn)
    assert navigator.find_path((1.5, 1.5), (5.5, 1.5)) is None
    assert navigator.find_path((1.5, 1.5), (5.5, 1.5), Walker(flies=True)) is not None
    assert navigator.find_path((1.5, 1.5), (3.5, 4.5), Walker(flies=True)) is None
    assert navigator.distance((1.5, 1.5), (3.5, 4.5)) == math.inf


def test_who_is_in_a_window_leaves_it_to_the_better_side() -> None:
    drawn = ArenaMap("#####\n#   #\n##=##\n#   #\n#####")
    navigator = Navigator(drawn)
    assert navigator.find_path((2.5, 2.4), (1.5, 3.5)) == ((2.5, 3.5), (1.5, 3.5))
    assert navigator.distance((2.5, 2.4), (1.5, 1.5)) == 1.0


def test_a_way_depends_on_nothing_that_was_asked_before() -> None:
    warehouse = load_map("warehouse")
    places = list(warehouse.places.values())
    asked = Navigator(warehouse)
    for place in places:
        for node in warehouse.nodes.values():
            asked.distance(place, node.position)
    for a, b in pairwise(places):
        assert asked.find_path(a, b) == Navigator(warehouse).find_path(a, b)


def test_what_was_found_out_on_a_map_serves_every_fight_on_it() -> None:
    one, two = (ArenaMap("#######\n#  +  #\n#######") for _ in range(2))
    fights = [Arena(drawn, [FighterPlacement("Ann", "red", "soldier", 1.5, 1.5)]) for drawn in (one, two)]
    assert one == two != ArenaMap("#######\n#     #\n#######")
    assert fights[0].navigator is fights[1].navigator
