"""Floor plans: reading drawings and shortest paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.worlds.home.floor import Cell, FloorPlan, distances, neighbours
from telos.worlds.home.house import PLAN

HOUSE = FloorPlan(PLAN)


def slow_distances(target: Cell, floor: set[Cell], ends: set[Cell]) -> dict[Cell, int]:
    """Relax the distances of all cells until none improves."""
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
def test_distances_equal_those_of_a_naive_search(floor: set[Cell], ends: set[Cell], target: Cell) -> None:
    ends -= floor
    assert distances(target, floor, ends) == slow_distances(target, floor, ends)


@given(
    start=st.sampled_from(sorted(HOUSE.floor | HOUSE.seats)), target=st.sampled_from(sorted(HOUSE.floor | HOUSE.seats))
)
def test_path_is_shortest_and_avoids_walls_and_furniture(start: Cell, target: Cell) -> None:
    way = HOUSE.find_path(start, target)
    assert len(way) == HOUSE.distance(start, target) == HOUSE.distance(target, start)
    here = start
    for cell in way:
        assert cell in neighbours(here)
        assert cell in HOUSE.floor or cell == target
        here = cell
    assert here == target


@given(data=st.data())
def test_distance_does_not_depend_on_earlier_queries(data: st.DataObject) -> None:
    known, spots = FloorPlan(PLAN), sorted(HOUSE.floor | HOUSE.seats)
    start, target, *others = data.draw(st.lists(st.sampled_from(spots), min_size=2, max_size=6))
    for one in others:
        known.distance(one, target)
        known.distance(start, one)
    assert known.distance(start, target) == distances(target, HOUSE.floor, HOUSE.seats).get(start)
    assert known.find_path(start, target) == HOUSE.find_path(start, target)


def test_one_search_serves_all_distances() -> None:
    plan = FloorPlan(PLAN)
    start = sorted(plan.floor)[0]
    for cell in sorted(plan.floor):
        plan.distance(start, cell)
    assert len(plan._steps) == 1


def test_walls_are_unreachable() -> None:
    wall, floor = min(HOUSE.walls), min(HOUSE.floor)
    assert HOUSE.distance(wall, floor) is None
    assert HOUSE.distance(floor, wall) is None


def test_house_has_the_rooms_named_in_the_drawing() -> None:
    rooms = {HOUSE.room_at(cell) for cell in HOUSE.floor - HOUSE.doors}
    assert rooms == {"kitchen", "living room", "bedroom", "hall", "bathroom", "study", "guest room"}
    assert HOUSE.room_at(HOUSE.cells("F")[0]) == "kitchen"
    assert {HOUSE.room_at(cell) for cell in HOUSE.doors} == {"door"}


def test_two_names_in_one_room_are_rejected() -> None:
    with pytest.raises(TelosError, match="'hall' and 'den' name one room; draw a wall between them, or a door"):
        FloorPlan("############\n#den   hall#\n############")


def test_missing_furniture_is_rejected_by_name() -> None:
    with pytest.raises(TelosError, match="no 'Z' is drawn on the floor plan"):
        HOUSE.cells("Z")


def test_missing_path_is_reported() -> None:
    plan = FloorPlan("#########\n#den#loft#\n#########")
    with pytest.raises(TelosError, match=r"there is no way from \(1, 1\) to \(1, 5\)"):
        plan.find_path((1, 1), (1, 5))
