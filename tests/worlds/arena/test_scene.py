"""Scene files: contents, maps, and all faults at once."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.worlds.arena.scene as shape
from files.broken import expected, matches
from mutations import mutated
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.squads.behaviours import select_behaviours
from telos.squads.practices import select_practices
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import CHARACTERS, MAPS, Cue, Scene, load_scene, read_scene, scene_names, scene_titles

BROKEN = Path(__file__).parents[2] / "broken_scenes"
CAST = BROKEN / "characters"
COMMITTED = Path(shape.__file__).with_name("scene.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.scene_schema()))

FLANK = """
scene: flank
about: Two hold the door, one comes round.
map: yard
seconds: 60
cast:
  A: {character: soldier, name: Ann, rank: 2, body: {grenades: 2}}
  B: {character: rat}
  P: {character: soldier, side: blue, script: [{at: 0, do: goto p1}, {at: 3 s, do: use d1 hold}, {repeat: 10 s}]}
things: {M: medkit}
squads: [search, get-to-cover]
objectives: {red: {advance: [p1, c1]}}
talk: true
"""
DRAWN = """
scene: drawn
map: |

  #####
  #A #
  #####
seconds: 500 ms
cast: {A: {character: rat}}
squads: all
"""


def load_text(folder: Path, text: str) -> Scene:
    """Read a scene from a folder laid out like the package's."""
    (folder / "scenes").mkdir(exist_ok=True)
    (folder / "maps").mkdir(exist_ok=True)
    (folder / "maps" / "yard.txt").write_text((BROKEN / "maps" / "yard.txt").read_text())
    (folder / "scenes" / "mine.yaml").write_text(text)
    return load_scene(folder / "scenes" / "mine.yaml", characters=CAST)


def test_scene_holds_everything_in_its_file(tmp_path: Path) -> None:
    scene = load_text(tmp_path, FLANK)
    assert (scene.name, scene.about, scene.seconds) == ("flank", "Two hold the door, one comes round.", 60.0)
    assert (scene.squads, scene.talk, scene.sides) == (("search", "get-to-cover"), True, ("red", "blue"))
    assert scene.objectives == {"red": {"advance": ("p1", "c1")}}
    assert (scene.map.name, scene.map.rows[1]) == ("yard", "#A   P  1 #")
    (medkit,) = scene.things
    assert (medkit.name, medkit.kind, medkit.x, medkit.y) == ("medkit-M", "medkit", 3.5, 2.5)


def test_cast_stands_at_its_letters(tmp_path: Path) -> None:
    ann, rat, guard = load_text(tmp_path, FLANK).cast
    assert (ann.letter, ann.name, ann.character, ann.side, ann.rank) == ("A", "Ann", "soldier", "red", 2)
    assert (ann.x, ann.y, ann.body, ann.script) == (1.5, 1.5, {"grenades": 2}, None)
    assert (rat.name, rat.side, rat.rank, rat.x, rat.y) == ("rat-B", "red", 0, 1.5, 3.5)
    assert (guard.name, guard.side) == ("soldier-P", "blue")
    assert guard.script == (Cue(0.0, "goto p1"), Cue(3.0, "use d1 hold"))
    assert guard.repeat == 10.0


def test_scene_may_contain_its_drawing(tmp_path: Path) -> None:
    scene = load_text(tmp_path, DRAWN)
    assert scene.map.rows == ("#####", "#A ##", "#####")
    assert (scene.seconds, scene.cast[0].x, scene.cast[0].y) == (0.5, 1.5, 1.5)
    assert (scene.things, scene.talk, scene.objectives) == ((), False, {})


def test_squads_all_enables_every_behaviour(tmp_path: Path) -> None:
    squads = load_text(tmp_path, DRAWN).squads
    chosen = (*select_behaviours(squads[:4]), *select_practices(squads[4:]))
    assert [each.name for each in chosen] == list(squads)
    assert len(squads) == 7
    assert load_text(tmp_path, DRAWN.replace("squads: all", "squads: []")).squads == ()
    assert load_text(tmp_path, DRAWN.replace("squads: all", "")).squads == ()


def test_empty_script_means_no_mind(tmp_path: Path) -> None:
    text = DRAWN.replace("{character: rat}", "{character: rat, script: []}")
    assert load_text(tmp_path, text).cast[0].script == ()


def test_map_is_found_by_path_beside_scenes_or_in_the_package(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("####\n#A.#\n####\n")
    beside = DRAWN[DRAWN.index("seconds") :]
    assert load_text(tmp_path, f"scene: own\nmap: ../own.txt\n{beside}").map.rows[1] == "#A.#"
    assert load_text(tmp_path, f"scene: own\nmap: yard\n{beside}").map.rows[3] == "#B        #"
    assert load_text(tmp_path, f"scene: own\nmap: warehouse\n{beside}").map.name == "warehouse"


def test_unknown_names_get_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="unknown scene 'no-such-scene'; "):
        load_scene("no-such-scene")
    with pytest.raises(DefinitionError, match="no such file"):
        load_scene(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("name", scene_names())
def test_every_scene_of_the_package_loads_with_a_description(name: str) -> None:
    scene = load_scene(name)
    assert scene.name == name
    assert scene.about
    assert all((CHARACTERS / f"{member.character}.yaml").is_file() for member in scene.cast)


# Broken files say in their comments what is wrong with them.


def faults_of(file: Path) -> list[Fault]:
    with pytest.raises(DefinitionError) as caught:
        load_scene(file, characters=CAST)
    return list(caught.value.faults)


@pytest.mark.parametrize("file", sorted((BROKEN / "scenes").glob("*.yaml")), ids=lambda file: file.stem)
def test_broken_scene_has_exactly_its_stated_faults(file: Path) -> None:
    found = [fault for fault in faults_of(file) if fault.file == str(file)]
    for line, column, said in expected(file):
        match = next((fault for fault in found if matches(fault, line, column, said)), None)
        assert match is not None, f"no fault in line {line}: {said}\nfound: {'; '.join(map(str, found))}"
        found.remove(match)
    assert not found, "unexpected: " + "\n".join(str(fault) for fault in found)


def test_map_faults_name_the_map_file() -> None:
    faults = faults_of(BROKEN / "scenes" / "on-a-leaky-map.yaml")
    told = [(Path(fault.file).name, fault.line, fault.column) for fault in faults]
    assert told == [("leaky.txt", 2, 5), ("leaky.txt", 2, 6), ("leaky.txt", 3, 2), ("on-a-leaky-map.yaml", 4, 23)]


@pytest.mark.parametrize("file", sorted((BROKEN / "scenes").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_fault_has_a_position_in_its_file(file: Path) -> None:
    for fault in faults_of(file):
        lines = Path(fault.file).read_text().split("\n")
        assert 1 <= fault.line <= len(lines)
        assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1
        assert "\n" not in str(fault)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 3), st.integers(1, 6), st.integers(0, 4), st.integers(1, 3), st.sampled_from("?~$"))
def test_unknown_mark_is_located_in_any_drawing(above: int, indent: int, row: int, column: int, mark: str) -> None:
    rows = ["#####", *["#   #"] * 3, "#####"]
    rows[row] = rows[row][:column] + mark + rows[row][column + 1 :]
    comments = "# above\n" * above
    drawing = "".join(f"{' ' * indent}{line}\n" for line in rows)
    text = f"scene: odd\n{comments}map: |\n{drawing}seconds: 3\ncast: {{}}\n"
    lines = text.split("\n")
    with pytest.raises(DefinitionError) as caught:
        read_scene(text, file="odd.yaml", maps=[], characters=["rat"])
    (fault,) = caught.value.faults
    assert lines[fault.line - 1][fault.column - 1] == mark


def test_scenes_of_the_package_have_distinct_short_titles() -> None:
    titles = scene_titles()
    assert {name: load_scene(name).title for name in scene_names()} == dict(titles)
    assert len(set(titles.values())) == len(titles) == 34
    assert all(title[0].isupper() and "-" not in title and len(title) <= 26 for title in titles.values())


def test_scene_without_a_title_is_called_by_its_name() -> None:
    text = "scene: odd-one\nmap: flank\nseconds: 3\ncast: {}\n"
    assert read_scene(text, file="odd-one.yaml", maps=[MAPS], characters=[]).title == "Odd one"


@pytest.mark.parametrize("title", ["''", "x" * 41, '"two\\nlines"', "[a]", "' a'"])
def test_unfit_title_is_a_fault_at_its_line(title: str) -> None:
    text = f"scene: odd\ntitle: {title}\nmap: flank\nseconds: 3\ncast: {{}}\n"
    with pytest.raises(DefinitionError) as caught:
        read_scene(text, file="odd.yaml", maps=[MAPS], characters=[])
    (fault,) = caught.value.faults
    assert fault.line == 2
    assert "title" in str(fault)


# The JSON Schema and the loader agree.

ARMED = FLANK.replace("{grenades: 2}", "{grenades: 2, health: 50, weapon: [rifle, pistol]}").replace(
    "{advance: [p1, c1]}", "{advance: [p1, c1], search: [r1]}"
)
GOOD = [read_yaml(FLANK).data, read_yaml(DRAWN).data, read_yaml(ARMED).data]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 2.0, "all", "", "a b", "3 s", "0 ms", "-1 s", "A"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("aB"), SCALARS, max_size=2))
KEYS = st.sampled_from(
    [
        "cast",
        "map",
        "at",
        "do",
        "repeat",
        "Z",
        "z",
        "two words",
        "script",
        "body",
        "health",
        "weapon",
        "advance",
        "rank",
    ]
)


MUTATED = mutated(st.sampled_from(GOOD), values=VALUES, keys=KEYS)


def test_committed_schema_is_up_to_date() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.scene_schema() + "\n", "write scene_schema() to it"
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.scene_schema()))


@pytest.mark.parametrize("data", GOOD)
def test_schema_and_loader_accept_valid_files(data: Any) -> None:
    assert not check_model(shape.SceneShape, data, "a scene file")
    assert VALIDATOR.is_valid(data)


@settings(max_examples=300, deadline=None)
@given(MUTATED)
def test_schema_and_loader_agree(data: Any) -> None:
    findings = check_model(shape.SceneShape, data, "a scene file")
    assert VALIDATOR.is_valid(data) == (not findings)
    for finding in findings:
        said = f"{finding.fault.message}; {finding.fault.suggestion}"
        assert not any(word in said for word in ("Input should", "‹", "pydantic", "Shape"))


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_random_file_is_a_scene_that_can_be_fought_or_has_located_faults(data: Any) -> None:
    text = json.dumps(data, indent=1)
    faults: tuple[Fault, ...] = ()
    try:
        scene = read_scene(text, file="odd.yaml", maps=[BROKEN / "maps"], characters=["rat", "soldier"])
    except DefinitionError as error:
        faults = error.faults
    if faults:
        assert all(1 <= fault.line <= text.count("\n") + 1 for fault in faults)
    else:
        assert [member.letter for member in scene.cast] == list(data["cast"])
        Battle(scene, seed=1).step()


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_scenes_with_other_line_ends_are_read(end: str, tmp_path: Path) -> None:
    for name in ("flank", "layer-7-talk"):
        text = (Path(shape.__file__).parent / "data" / "scenes" / f"{name}.yaml").read_text(encoding="utf-8")
        file = tmp_path / f"{name}.yaml"
        file.write_bytes(text.replace("\n", end).encode())
        assert load_scene(file).cast == load_scene(name).cast
    assert load_text_with(tmp_path, DRAWN.replace("\n", end)) is not None


def load_text_with(folder: Path, text: str) -> Scene | TelosError:
    """Read a drawn scene whose lines end otherwise; a fault has a line."""
    try:
        return read_scene(text, file="drawn.yaml", maps=[folder], characters=["rat"])
    except TelosError as error:
        assert re.match(r"drawn\.yaml:\d+:\d+: ", str(error))  # noqa: PT017
        return error


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".txt", "a/" * 3_000, "x\0y"])
def test_a_map_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        read_scene(
            FLANK.replace("yard", json.dumps(name)), file="flank.yaml", maps=[CAST], characters=["soldier", "rat"]
        )
    assert any(fault.path == ("map",) for fault in refused.value.faults)
    with pytest.raises(TelosError):
        load_scene(name)
