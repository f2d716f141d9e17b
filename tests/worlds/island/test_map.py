"""The map: seven areas, 39 places, all drawn, and shortest routes."""

import math

import pytest

from telos.core.errors import TelosError
from telos.worlds.island.story import IslandMap, IslandPlace, load_story

STORY = load_story()
MAP = STORY.map


def test_map_has_seven_areas_and_39_places() -> None:
    assert len(MAP.places) == 39
    assert {place.area for place in MAP.places.values()} == {
        "outdoors", "infirmary", "dining-hall", "laboratory", "living-quarters", "lead-scientist", "waterfall",
    }  # fmt: skip


def test_places_have_distinct_positions_on_the_drawing() -> None:
    spots = [(place.column, place.row) for place in MAP.places.values()]
    assert len(set(spots)) == 39
    for column, row in spots:
        assert STORY.drawing[row].ljust(column + 1)[column] in " ≈", f"column {column}, row {row} is taken"


def test_ways_lead_back_through_the_same_door() -> None:
    for name, ways in MAP.ways.items():
        for way in ways:
            back = MAP.way(way.to, name)
            assert back is not None
            assert (back.metres, back.door) == (way.metres, way.door)


def test_distances_equal_those_of_a_naive_method() -> None:
    names = list(MAP.places)
    far = {(a, b): 0.0 if a == b else math.inf for a in names for b in names}
    far.update({(name, way.to): way.metres for name, ways in MAP.ways.items() for way in ways})
    for via in names:
        for a in names:
            for b in names:
                far[a, b] = min(far[a, b], far[a, via] + far[via, b])
    for (a, b), metres in far.items():
        assert MAP.distance(a, b) == pytest.approx(metres)
        assert metres < math.inf, f"{b} cannot be reached from {a}"


def test_route_connects_neighbours_and_has_its_length() -> None:
    for start in MAP.places:
        for end in MAP.places:
            here, metres = start, 0.0
            for place in MAP.route(start, end):
                way = MAP.way(here, place)
                assert way is not None
                here, metres = place, metres + way.metres
            assert here == end
            assert metres == pytest.approx(MAP.distance(start, end))


def test_unknown_place_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(TelosError, match="kitchen"):
        MAP.route("kitchn", "dock")


def test_missing_route_is_reported() -> None:
    split = IslandMap.from_links([IslandPlace("here", "one", 0, 0), IslandPlace("there", "two", 9, 9)], [], metres=1.0)
    assert split.distance("here", "there") == math.inf
    with pytest.raises(TelosError, match="no way"):
        split.route("here", "there")
