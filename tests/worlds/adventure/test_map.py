"""Maps from drawings: exits, distances, the published maps, and faults."""

import pytest

from telos.core.errors import DefinitionError, FaultCode
from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.rules_file import load_rules
from worlds.adventure.walker import way

OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


def names(area_map: AreaMap, areas: tuple[int, ...]) -> set[str]:
    return {area_map.name(area) for area in areas}


def test_flairs_map_has_13_of_20_areas_reachable() -> None:
    area_map = load_rules("flairs").map
    assert (area_map.columns, area_map.rows) == (5, 4)
    assert len(area_map.reachable) == 13
    assert area_map.name(area_map.town) == "2,2"
    assert "south" not in area_map.exits[area_map.town]


def test_flairs_chest_places_are_reachable() -> None:
    area_map = load_rules("flairs").map
    assert names(area_map, area_map.chest_places) == {"1,4", "4,4", "4,1", "5,3"}
    assert set(area_map.chest_places) <= set(area_map.reachable)


def test_aiide_map_has_six_chest_places_away_from_town() -> None:
    area_map = load_rules("aiide").map
    assert (area_map.columns, area_map.rows, area_map.name(area_map.town)) == (5, 4, "3,2")
    assert len(area_map.chest_places) == 6
    assert min(area_map.distance[place] or 0 for place in area_map.chest_places) >= 2
    assert len(area_map.reachable) == 20


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_exits_are_symmetric(rules: str) -> None:
    area_map = load_rules(rules).map
    for area, exits in enumerate(area_map.exits):
        for edge, behind in exits.items():
            assert area_map.exits[behind][OPPOSITE[edge]] == area


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_distances_are_shortest_paths(rules: str) -> None:
    area_map = load_rules(rules).map
    for area in area_map.reachable:
        assert area_map.distance[area] == len(way(area_map, area_map.name(area), area_map.name(area_map.town)))


@pytest.mark.parametrize(
    ("drawing", "line", "column", "word"),
    [
        ("", 1, 1, "grid"),
        ("+---+\n| T |", 1, 1, "grid"),
        ("+---+\n|   |\n+---+", 1, 1, "no town"),
        ("+---+---+\n| T   T |\n+---+---+", 2, 7, "second town"),
        ("\n+---+\n| T  \n+---+", 3, 5, "off the map"),
        ("+---+---+\n| T ! C |\n+---+---+", 2, 5, "wall"),
        ("+---+---+\n| T | C |\n+---+---+", 2, 7, "reached"),
        ("+---+---+\n| T   x |\n+---+---+", 2, 7, "'x'"),
        ("+---+\n| T |\n+---*", 3, 5, "corner"),
    ],
)
def test_drawing_fault_has_line_and_column(drawing: str, line: int, column: int, word: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        AreaMap.from_drawing(drawing)
    found = [each for each in caught.value.faults if (each.line, each.column) == (line, column)]
    assert any(word in each.message for each in found)


def test_drawing_faults_are_reported_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        AreaMap.from_drawing("+---+---+\n| x ? y \n+---+---+")
    assert len(caught.value.faults) == 4


def test_drawing_of_one_long_line_and_many_short_ones_is_refused() -> None:
    with pytest.raises(DefinitionError) as caught:
        AreaMap.from_drawing("+" * 1_000_001 + "\n+" * 1_000_000)
    assert [fault.code for fault in caught.value.faults] == [FaultCode.TOO_LARGE]
