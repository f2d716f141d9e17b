"""Floor plans are read as they are drawn, and ways through them are shortest ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.worlds.home.floor import Cell, FloorPlan, distances, neighbours
from telos.worlds.home.house import PLAN

HOUSE = FloorPlan(PLAN)


def slow_distances(target: Cell, floor: set[Cell], ends: set[Cell]) -> dict[Cell, int]:
    """The obvious way: let every cell ask its neighbours again and again until no answer improves."""
    steps = {target: 0}
    for _ in range(len(floor) + len(ends) + 2):
        for cell in floor | ends:
            through = [
                steps[near] + 1 for near in neighbours(cell) if near in steps and (near in floor or near == target)
            ]
            if through and min(through) < steps.get(cell, 10**9):
                steps[cell] = min(through)
    return steps


cells = st.tuples(st.integers(0, 5), st.integers(0, 6))


@given(floor=st.sets(cells, max_size=36), ends=st.sets(cells, max_size=5), target=cells)
def test_distances_are_those_of_the_slow_obvious_search(floor: set[Cell], ends: set[Cell], target: Cell) -> None:
    ends -= floor
    assert distances(target, floor, ends) == slow_distances(target, floor, ends)


@given(
    start=st.sampled_from(sorted(HOUSE.floor | HOUSE.seats)), target=st.sampled_from(sorted(HOUSE.floor | HOUSE.seats))
)
def test_a_way_is_as_long_as_promised_and_leads_through_no_wall_and_over_no_furniture(
    start: Cell, target: Cell
) -> None:
    way = HOUSE.find_path(start, target)
    assert len(way) == HOUSE.distance(start, target) == HOUSE.distance(target, start)
    here = start
    for cell in way:
        assert cell in neighbours(here)
        assert cell in HOUSE.floor or cell == target
        here = cell
    assert here == target


@given(data=st.data())
def test_how_far_it_is_depends_on_nothing_that_was_asked_before(data: st.DataObject) -> None:
    known, spots = FloorPlan(PLAN), sorted(HOUSE.floor | HOUSE.seats)
    start, target, *others = data.draw(st.lists(st.sampled_from(spots), min_size=2, max_size=6))
    for one in others:
        known.distance(one, target)
        known.distance(start, one)
    assert known.distance(start, target) == distances(target, HOUSE.floor, HOUSE.seats).get(start)
    assert known.find_path(start, target) == HOUSE.find_path(start, target)


def test_one_search_tells_how_far_all_places_are() -> None:
    plan = FloorPlan(PLAN)
    start = sorted(plan.floor)[0]
    for cell in sorted(plan.floor):
        plan.distance(start, cell)
    assert len(plan._steps) == 1


def test_nothing_leads_into_a_wall_or_out_of_one() -> None:
    wall, floor = min(HOUSE.walls), min(HOUSE.floor)
    assert HOUSE.distance(wall, floor) is None
    assert HOUSE.distance(floor, wall) is None


def test_the_house_has_the_rooms_that_are_written_on_its_floor() -> None:
    rooms = {HOUSE.room_at(cell) for cell in HOUSE.floor - HOUSE.doors}
    assert rooms == {"kitchen", "living room", "bedroom", "hall", "bathroom", "study", "guest room"}
    assert HOUSE.room_at(HOUSE.cells("F")[0]) == "kitchen"
    assert {HOUSE.room_at(cell) for cell in HOUSE.doors} == {"door"}


def test_two_names_in_one_room_are_refused() -> None:
    with pytest.raises(TelosError, match="'hall' and 'den' name one room; draw a wall between them, or a door"):
        FloorPlan("############\n#den   hall#\n############")


def test_furniture_that_is_not_drawn_is_named() -> None:
    with pytest.raises(TelosError, match="no 'Z' is drawn on the floor plan"):
        HOUSE.cells("Z")


def test_where_no_way_leads_is_said() -> None:
    plan = FloorPlan("#########\n#den#loft#\n#########")
    with pytest.raises(TelosError, match=r"there is no way from \(1, 1\) to \(1, 5\)"):
        plan.find_path((1, 1), (1, 5))
