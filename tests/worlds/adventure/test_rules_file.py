"""Rules files: valid contents, and every fault reported at once with its line."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.worlds.adventure.schema as shape
from mutations import mutated
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.worlds.adventure.adventure import Adventure, replay
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_file import DATA, load_rules, parse_rules, rules_names
from worlds.adventure.walker import hold

COMMITTED = Path(shape.__file__).with_name("rules.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.rules_schema()))
SHIPPED = [read_yaml((DATA / f"{name}.yaml").read_text(), name).data for name in rules_names()]
TINY = """\
rules: tiny
map: |
  +---+---+
  | T   C |
  +---+---+
screen: {width: 400, height: 300}
player: {size: 20, speed: 6}
sword: {reach: 40, width: 30, lasts: 100 ms, ways: 8}
monsters: {number: 2, size: 20, speed: 3, move: axes, sight: 100, respawn: 2 s, clear: 80}
chest: {size: 30, number: 1}
town: {reach: area}
death: {restart: last}
phases:
  - {goal: explore, say: Find it, until: chest}
  - {goal: home, say: Come home, until: town}
"""


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(DefinitionError) as caught:
        parse_rules(text, file="mine.yaml")
    assert all(fault.file == "mine.yaml" and fault.column for fault in caught.value.faults)
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_own_rules_file_makes_a_game(tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY)
    game = Adventure(file, seed=1)
    assert game.rules.monsters.respawn == 60
    assert game.rules.sword.frames == 3
    assert game.rules.goals == ("explore", "home")
    events = hold(game, "right", 70)
    assert game.view().area == "2,1"
    assert list(replay(game.recording())) == events


def test_rules_are_found_by_name_with_a_suggestion_for_typos() -> None:
    assert rules_names() == ("aiide", "aiide-text", "flairs", "flairs-text", "tutorial", "wilds")
    with pytest.raises(TelosError, match="no rules called 'flair'; did you mean 'flairs'"):
        load_rules("flair")
    with pytest.raises(TelosError, match="no such file"):
        load_rules("./nothing.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ("| T   C |", "| T | C |", 4, "reached"),
        ("| T   C |", "| T   ? |", 4, "'?'"),
        ("map: |", "map: >", 2, "drawing"),
        ("speed: 6", "speed: fast", 7, "speed"),
        ("size: 20, speed: 6", "size: 200, speed: 6", 7, "large"),
        ("speed: 6", "speed: 100", 7, "too fast"),
        ("ways: 8", "ways: 6", 8, "ways"),
        ("lasts: 100 ms", "lasts: soon", 8, "lasts"),
        ("move: axes", "move: fly", 9, "move"),
        ("number: 2", "number: 2.5", 9, "number"),
        ("clear: 80", "clear: -1", 9, "clear"),
        (", number: 1}", "}", 10, "chance"),
        ("number: 1}", "number: 1, chance: 0.5}", 10, "chance"),
        ("number: 1}", "number: 2}", 10, "places"),
        ("number: 1}", "number: 1, away: 2}", 10, "nearer"),
        ("number: 1}", "chance: 1.5}", 10, "chance"),
        ("reach: area", "reach: here", 11, "reach"),
        ("restart: last", "restart: never", 12, "restart"),
        ("town: {", "twon: {", 11, "twon"),
        ("player: {size: 20, speed: 6}\n", "", 1, "player"),
        ("until: chest", "kills: 3, until: chest", 14, "until"),
        (", until: chest", "", 14, "until"),
        ("until: chest", "kills: 0", 14, "kills"),
        ("until: chest", "kills: 3", 15, "bring"),
        ("  - {goal: home, say: Come home, until: town}", "  - {goal: x, say: y, until: chest}", 15,
         "goal"),
    ],
)  # fmt: skip
def test_fault_names_its_line(old: str, new: str, line: int, word: str) -> None:
    assert old in TINY
    assert any(line == at and word in message for at, message in faults(TINY.replace(old, new, 1)))


def test_faults_are_reported_at_once() -> None:
    broken = TINY.replace("| T   C |", "| T   ? |").replace("ways: 8", "ways: 6").replace("until: town", "until: dusk")
    assert [line for line, _ in faults(broken)] == [4, 8, 15]


def test_map_without_chest_place_cannot_ask_for_a_chest() -> None:
    text = TINY.replace("| T   C |", "| T     |").replace("number: 1", "chance: 0.5")
    (chest_line, chest), (town_line, town) = faults(text)
    assert (chest_line, town_line) == (14, 15)
    assert "chest" in chest
    assert "bring" in town


def test_rules_need_a_phase() -> None:
    assert faults(TINY[: TINY.index("phases:")] + "phases: []\n") == [(13, "there are no phases")]


def test_committed_schema_equals_the_generated_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.rules_schema() + "\n", "write rules_schema() to it"
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.rules_schema()))


@pytest.mark.parametrize("data", SHIPPED)
def test_schema_accepts_the_paper_rules(data: Any) -> None:
    assert VALIDATOR.is_valid(data)


VALUES = st.sampled_from([None, True, "", "area", "chest", -1, 0, 0.33, 4, 2.5, 100_000, "5 s", [], {}, [1], {"a": 1}])


KEYS = st.sampled_from(["sight", "gems", "kills", "x"])
MUTATED = mutated(st.sampled_from(SHIPPED), values=VALUES, keys=KEYS)


@settings(max_examples=300, deadline=None)
@given(MUTATED)
def test_schema_and_loader_agree(data: Any) -> None:
    findings = check_model(shape.RulesShape, data, "a rules file")
    assert VALIDATOR.is_valid(data) == (not findings)
    for finding in findings:
        said = f"{finding.fault.message}; {finding.fault.suggestion}"
        assert not any(word in said for word in ("Input should", "‹", "pydantic", "Shape"))


def written(data: Any) -> str:
    """Write data as YAML, with the map as a drawing."""
    if not isinstance(data, dict) or not isinstance(data.get("map"), str):
        return json.dumps(data, indent=1)
    drawing = "".join(f"  {line}\n" for line in data["map"].split("\n"))
    rest = "".join(f"{json.dumps(key)}: {json.dumps(value)}\n" for key, value in data.items() if key != "map")
    return f"{rest}map: |\n{drawing}"


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_random_file_is_playable_or_has_located_faults(data: Any) -> None:
    rules: Rules | None = None
    told: tuple[Fault, ...] = ()
    try:
        rules = parse_rules(written(data), file="mutant.yaml")
    except DefinitionError as error:
        told = error.faults
    assert bool(told) == (rules is None)
    assert all(fault.line and fault.file for fault in told)
    for directed in (True, False) if rules else ():
        game = Adventure(rules or "", directed=directed)
        hold(game, "right+swing", 100)
        game.view()


def test_fingerprint_of_wilds_changes_only_with_its_rules() -> None:
    assert load_rules("wilds").fingerprint == "cc97460424bc"
