"""Maps match their drawings, and every fault of a drawing is reported at its position."""

from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.worlds.arena.sim.map import ArenaMap, cell_centre, load_map

SMALL = """
###########
#A  +  v  #
#   #  o  #
##=##  ^ !#
#   #     #
# _ % * 21#
###########
"""


def faults_of(drawing: str) -> list[tuple[int, int, str]]:
    with pytest.raises(DefinitionError) as caught:
        ArenaMap(drawing, "bad.txt")
    assert all(fault.file == "bad.txt" and fault.suggestion for fault in caught.value.faults)
    return [(fault.line, fault.column, fault.text) for fault in caught.value.faults]


def test_map_names_nodes_in_reading_order() -> None:
    drawn = ArenaMap(SMALL)
    assert list(drawn.nodes) == ["a1", "c1", "c2", "p1", "p2"]
    assert drawn.patrol == ("p1", "p2")
    assert drawn.nodes["p1"].position == (9.5, 5.5)
    assert drawn.nodes["p2"].position == (8.5, 5.5)
    assert {name: door.position for name, door in drawn.doors.items()} == {"d1": (4.5, 1.5), "d2": (4.5, 5.5)}
    assert drawn.door_starts == {"d1": "closed", "d2": "locked"}
    assert drawn.windows["w1"].position == (2.5, 3.5)
    assert drawn.switches["s1"].position == (9.5, 3.5)
    assert drawn.lows["l1"].position == (2.5, 5.5)
    assert drawn.places == {"A": (1.5, 1.5)}


def test_walls_doors_and_windows_separate_rooms() -> None:
    drawn = ArenaMap(SMALL)
    assert drawn.rooms == ("r1", "r2", "r3")
    assert drawn.room_at((1.5, 1.5)) == "r1"
    assert drawn.room_at((7.5, 2.5)) == "r2"  # the furniture stands in the room
    assert drawn.room_at((2.5, 5.5)) == "r3"  # so does the low obstacle
    assert drawn.room_at((4.5, 1.5)) == drawn.room_at((2.5, 3.5)) == drawn.room_at((0.5, 0.5)) == ""
    assert drawn.dark == {"r2"}


def test_cover_protects_as_drawn_and_beside_solid_cells() -> None:
    drawn = ArenaMap("#####\n#>o #\n#o  #\n#  ^#\n#   #\n#####")
    assert drawn.nodes["c1"].protects == {"east", "north", "west", "south"}
    assert drawn.nodes["c2"].protects == {"north", "east"}


def test_cover_protects_within_sixty_degrees_of_its_directions() -> None:
    node = ArenaMap("#########\n#       #\n#       #\n#   ^   #\n#       #\n#########").nodes["c1"]
    x, y = node.position
    assert node.protects_from((x, y - 3))
    assert node.protects_from((x + 1.7, y - 1))  # 59.5 degrees
    assert not node.protects_from((x + 1.8, y - 1))  # 60.9 degrees
    assert not node.protects_from((x, y + 3))
    assert not node.protects_from((x, y))


def test_short_rows_are_padded_with_wall() -> None:
    drawn = ArenaMap("######\n#  #\n######")
    assert [drawn.mark((x, 1)) for x in range(-1, 8)] == ["#", "#", " ", " ", "#", "#", "#", "#", "#"]


def test_all_faults_of_a_drawing_are_reported_at_once() -> None:
    drawing = "########\n#A x  A#\n#+ ##=o#\n## #\t#11#\n########"
    faults = [(2, 4, "x"), (2, 7, "A"), (3, 2, "+"), (3, 6, "="), (4, 5, "\t"), (4, 8, "1")]
    assert faults_of(drawing) == faults


def test_fault_lines_count_empty_lines() -> None:
    assert faults_of("\n\n####\n#? #\n####") == [(4, 2, "?")]


@pytest.mark.parametrize(("drawing", "column"), [("#####\n#+  #\n#####", 2), ("#####\n#o=.#\n#####", 3)])
def test_doors_and_windows_require_floor_on_both_sides(drawing: str, column: int) -> None:
    assert [(line, at) for line, at, _ in faults_of(drawing)] == [(2, column)]


@pytest.mark.parametrize("drawing", ["", "\n\n", "###\n###", "#o#"])
def test_map_requires_floor(drawing: str) -> None:
    with pytest.raises(DefinitionError, match="the map has no floor"):
        ArenaMap(drawing)


def test_maps_are_loaded_by_name_or_from_a_file(tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text(SMALL, encoding="utf-8")
    assert load_map(own).rooms == ("r1", "r2", "r3")
    assert load_map("warehouse").name == "warehouse"
    with pytest.raises(TelosError, match="unknown map 'warehous'; did you mean 'warehouse'"):
        load_map("warehous")
    with pytest.raises(DefinitionError, match="no such file"):
        load_map(tmp_path / "none.txt")


def ways_out(drawn: ArenaMap) -> dict[str, list[frozenset[str]]]:
    """The two rooms that each door and window joins."""
    gates = [*drawn.doors, *drawn.windows]
    return {
        gate: [frozenset(drawn.room_at(cell_centre(cell)) for cell in pair) for pair in drawn.sides(gate)]
        for gate in gates
    }


def joined(rooms: tuple[str, ...], links: list[frozenset[str]]) -> bool:
    reached = {rooms[0]}
    for _ in rooms:
        reached |= {room for link in links if link & reached for room in link}
    return reached == set(rooms)


def test_warehouse_has_two_paths_between_any_two_rooms() -> None:
    drawn = load_map("warehouse")
    links = ways_out(drawn)
    for shut in drawn.doors:
        left = [pair for gate, pairs in links.items() for pair in pairs if gate != shut and gate in drawn.doors]
        assert joined(drawn.rooms, left), f"without {shut} a room cannot be reached"


def test_warehouse_has_places_for_two_squads_and_cover_on_all_sides() -> None:
    drawn = load_map("warehouse")
    assert set(drawn.places) == set("SEABCDWXYZ")
    assert len(drawn.rooms) >= 6
    facing = [side for node in drawn.nodes.values() for side in node.protects]
    assert all(facing.count(side) >= 10 for side in ("north", "south", "west", "east"))
    assert all(drawn.places[one][0] < drawn.width / 3 for one in "ABCD")
    assert all(drawn.places[two][0] > drawn.width * 2 / 3 for two in "WXYZ")


def test_drawing_of_one_long_line_and_many_short_ones_is_refused() -> None:
    with pytest.raises(DefinitionError) as caught:
        ArenaMap("." * 1_000_000 + "\n." * 1_000_000, "wide.txt")
    assert [(fault.code, fault.file) for fault in caught.value.faults] == [(FaultCode.TOO_LARGE, "wide.txt")]


def test_rooms_of_largest_map_are_numbered_in_one_pass() -> None:
    board = "\n".join("".join("#."[(x + y) % 2] for x in range(500)) for y in range(500))
    assert ArenaMap(board).rooms[-1] == "r125000"
