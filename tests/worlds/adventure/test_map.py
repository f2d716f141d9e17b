"""Maps are drawings: who can go where, what the papers say of theirs, and what is wrong with a bad one."""

import pytest

from telos.core.errors import DefinitionError
from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.rules_file import load_rules
from worlds.adventure.walker import way

OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


def names(area_map: AreaMap, areas: tuple[int, ...]) -> set[str]:
    return {area_map.name(area) for area in areas}


def test_thirteen_of_the_twenty_areas_of_the_first_paper_can_be_reached() -> None:
    area_map = load_rules("flairs").map
    assert (area_map.columns, area_map.rows) == (5, 4)
    assert len(area_map.reachable) == 13
    assert area_map.name(area_map.town) == "2,2"
    assert "south" not in area_map.exits[area_map.town]


def test_the_chest_places_of_the_first_paper_can_be_reached() -> None:
    area_map = load_rules("flairs").map
    assert names(area_map, area_map.chest_places) == {"1,4", "4,4", "4,1", "5,3"}
    assert set(area_map.chest_places) <= set(area_map.reachable)


def test_the_second_paper_has_six_places_at_least_two_screens_away_from_a_town_near_the_middle() -> None:
    area_map = load_rules("aiide").map
    assert (area_map.columns, area_map.rows, area_map.name(area_map.town)) == (5, 4, "3,2")
    assert len(area_map.chest_places) == 6
    assert min(area_map.distance[place] or 0 for place in area_map.chest_places) >= 2
    assert len(area_map.reachable) == 20


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_whoever_goes_through_an_edge_can_come_back_through_the_opposite_one(rules: str) -> None:
    area_map = load_rules(rules).map
    for area, exits in enumerate(area_map.exits):
        for edge, behind in exits.items():
            assert area_map.exits[behind][OPPOSITE[edge]] == area


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_distances_are_those_of_the_shortest_way(rules: str) -> None:
    area_map = load_rules(rules).map
    for area in area_map.reachable:
        assert area_map.distance[area] == len(way(area_map, area_map.name(area), area_map.name(area_map.town)))


@pytest.mark.parametrize(
    ("drawing", "line", "column", "said"),
    [
        ("", 1, 1, "the drawing is no grid"),
        ("+---+\n| T |", 1, 1, "the drawing is no grid"),
        ("+---+\n|   |\n+---+", 1, 1, "there is no town"),
        ("+---+---+\n| T   T |\n+---+---+", 2, 7, "there is a second town"),
        ("\n+---+\n| T  \n+---+", 3, 5, "there is a way off the map"),
        ("+---+---+\n| T ! C |\n+---+---+", 2, 5, "'!' is no wall"),
        ("+---+---+\n| T | C |\n+---+---+", 2, 7, "this chest cannot be reached from town"),
        ("+---+---+\n| T   x |\n+---+---+", 2, 7, "'x' is nothing on a map"),
        ("+---+\n| T |\n+---*", 3, 5, "a corner is `+`, got '*'"),
    ],
)
def test_a_bad_drawing_is_told_by_line_and_column(drawing: str, line: int, column: int, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        AreaMap.from_drawing(drawing)
    assert (line, column, said) in [(each.line, each.column, each.message) for each in caught.value.faults]


def test_all_faults_of_a_drawing_are_told_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        AreaMap.from_drawing("+---+---+\n| x ? y \n+---+---+")
    assert len(caught.value.faults) == 4
