"""Characters and performances are files: a new kind of character is a few lines, and a bad file is told off in full."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
import telos.agents.character as shape
from files.broken import expected, matches
from mutations import mutated
from telos.agents.body import Animate, Goto, UseSmartObject, load_performances, loads_performances
from telos.agents.character import Character, characters_from, characters_in, load_character
from telos.core.errors import DefinitionError, Fault
from telos.files import loads
from telos.files.definition import Definition
from telos.files.schema import check_model, parse_duration
from telos.files.yaml import read_yaml

BROKEN = Path(__file__).parents[1] / "broken_characters"
COMMITTED = Path(shape.__file__).with_name("character.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.character_schema()))
SENSORS, BODY = ("sight", "hearing", "smell"), ("speed", "weapon")

DOMAIN = loads("""
domain: base
variables: {at: node, post: node, cover: node, loaded: bool, target: [alive, dead], watched: bool, tired: bool}
actions:
  goto: {parameters: {place: node}, preconditions: not tired, effects: at = place}
  fly: {parameters: {place: node}, effects: at = place}
  patrol: {preconditions: at == post, effects: watched = true}
  hover: {preconditions: at == post, effects: watched = true}
  attack: {preconditions: loaded, effects: target = dead}
  reload: {effects: loaded = true}
  lunge: {effects: target = dead}
  catch-breath: {preconditions: tired, effects: tired = false}
goals:
  patrol: {wants: watched, priority: 1}
  kill_enemy: {wants: target == dead, priority: 10}
  hide: {wants: at == cover, priority: 20}
  dodge: {wants: at == cover, priority: 30}
  alarm: {wants: watched}
goal_sets: {fight: [patrol, kill_enemy], alarm: [alarm, hide]}
action_sets: {on-foot: [goto, patrol], aerial: [fly, hover], weapons: [attack, reload]}
""")

SOLDIER = """
character: soldier
about: Walks, shoots and hides.
goals: [fight, hide]
actions: [on-foot, weapons]
sensors: {sight: 0.2 s, hearing: 500 ms}
memory: {enemy: 12 s}
body: {speed: 5, weapon: rifle}
priorities: {hide: 25}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "soldier.yaml").write_text(SOLDIER)
    return tmp_path


def load_text(folder: Path, name: str, text: str) -> Character:
    file = folder / f"{name}.yaml"
    file.write_text(f"character: {name}\n{text}")
    return load_character(file, DOMAIN, sensors=SENSORS, body=BODY)


def names(things: Any) -> list[str]:
    return [each.name for each in things]


def test_a_file_names_goals_actions_senses_and_body(folder: Path) -> None:
    soldier = load_character(folder / "soldier.yaml", DOMAIN)
    assert (soldier.name, soldier.about) == ("soldier", "Walks, shoots and hides.")
    assert names(soldier.goals) == ["patrol", "kill_enemy", "hide"]
    assert names(soldier.actions) == ["goto", "patrol", "attack", "reload"]
    assert soldier.sensors == {"sight": 0.2, "hearing": 0.5}
    assert soldier.memory == {"enemy": 12.0}
    assert soldier.body == {"speed": 5, "weapon": "rifle"}
    assert hash(soldier) == hash(load_character(folder / "soldier.yaml", DOMAIN))


def test_a_priority_of_its_own_leaves_the_rest_of_the_goal_alone(folder: Path) -> None:
    soldier = load_character(folder / "soldier.yaml", DOMAIN)
    assert [goal.priority for goal in soldier.goals] == [1, 10, 25]
    assert soldier.goals[2].wants == DOMAIN.goal("hide").wants
    assert DOMAIN.goal("hide").priority == 20


def test_drone_combines_ghost_movement_and_soldier_weapons(folder: Path) -> None:
    drone = load_text(folder, "drone", "like: soldier\nactions: [aerial, weapons]\nbody: {speed: 8}")
    assert names(drone.actions) == ["fly", "hover", "attack", "reload"]
    assert names(drone.goals) == ["patrol", "kill_enemy", "hide"]
    assert drone.body == {"speed": 8, "weapon": "rifle"}
    assert drone.about == ""
    fly = telos.plan(DOMAIN, {"post": "yard"}, "patrol", actions=drone.actions)
    assert names(fly.steps) == ["fly", "hover"]


def test_policeman_with_limited_breath_needs_one_more_action(folder: Path) -> None:
    soldier = load_character(folder / "soldier.yaml", DOMAIN)
    policeman = load_text(folder, "policeman", "like: soldier\nadd: {actions: [catch-breath]}")
    assert policeman.actions == (*soldier.actions, DOMAIN.action("catch-breath"))
    assert (policeman.goals, policeman.sensors, policeman.body) == (soldier.goals, soldier.sensors, soldier.body)
    chase = telos.plan(DOMAIN, {"tired": True, "cover": "yard"}, "hide", actions=policeman.actions)
    assert names(chase.steps) == ["catch-breath", "goto"]
    assert not telos.plan(DOMAIN, {"tired": True, "cover": "yard"}, "hide", actions=soldier.actions).found


def test_given_lists_replace_and_maps_are_merged(folder: Path) -> None:
    text = "like: soldier\ngoals: [dodge]\nsensors: {hearing: 1}\nmemory: {door: 30}\npriorities: {dodge: 7}"
    nimble = load_text(folder, "nimble", text)
    assert [(goal.name, goal.priority) for goal in nimble.goals] == [("dodge", 7)]
    assert nimble.sensors == {"sight": 0.2, "hearing": 1.0}
    assert nimble.memory == {"enemy": 12.0, "door": 30.0}


def test_dropped_set_removes_all_its_members(folder: Path) -> None:
    text = "like: soldier\nadd: {goals: [dodge, hide], sensors: {smell: 2 s}}\n"
    text += "drop: {goals: [fight], actions: [weapons, goto], sensors: [sight]}"
    dog = load_text(folder, "dog", text)
    assert names(dog.goals) == ["hide", "dodge"]
    assert names(dog.actions) == ["patrol"]
    assert dog.sensors == {"hearing": 0.5, "smell": 2.0}


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".yaml", "a/" * 3_000, "x\0y"])
def test_a_likeness_that_no_file_can_have_is_refused_with_its_line(folder: Path, name: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        load_text(folder, "drone", f"like: {json.dumps(name)}")
    assert refused.value.faults[0].path == ("like",)


def test_likeness_goes_on_for_generations(folder: Path) -> None:
    load_text(folder, "guard", "like: soldier\ndrop: {goals: [hide]}")
    heavy = load_text(folder, "heavy", "like: guard\nbody: {speed: 2}\nadd: {goals: [hide]}")
    assert heavy.body == {"speed": 2, "weapon": "rifle"}
    assert [(goal.name, goal.priority) for goal in heavy.goals] == [("patrol", 1), ("kill_enemy", 10), ("hide", 25)]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_line_of_descent_equals_its_changes_one_after_the_other(data: st.DataObject) -> None:
    some = st.lists(st.sampled_from(names(DOMAIN.actions)), max_size=3)
    periods = st.dictionaries(st.sampled_from(SENSORS), st.integers(1, 9), max_size=2)
    actions: list[str] = []
    sensors: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        for age in range(data.draw(st.integers(1, 4))):
            said: dict[str, Any] = {"character": f"c{age}", **({"like": f"c{age - 1}"} if age else {})}
            if data.draw(st.booleans()):
                said["actions"] = actions = data.draw(some)
            said["sensors"], said["add"] = data.draw(periods), {"actions": data.draw(some)}
            sensors = {**sensors, **said["sensors"]}
            actions = [*actions, *said["add"]["actions"]]
            gone = data.draw(st.sets(st.sampled_from(actions), max_size=2)) if actions else set()
            said["drop"] = {"actions": sorted(gone)}
            actions = [name for name in actions if name not in gone]
            Path(folder, f"c{age}.yaml").write_text(json.dumps(said))
        last = load_character(Path(folder, f"c{age}.yaml"), DOMAIN)
    first_mentions = [name for i, name in enumerate(actions) if name not in actions[:i]]
    assert names(last.actions) == first_mentions
    assert last.sensors == sensors


def test_another_folder_is_reached_by_a_path(folder: Path) -> None:
    (folder / "late").mkdir()
    drone = load_text(folder / "late", "drone", "like: ../soldier.yaml\nactions: [aerial]")
    assert names(drone.goals) == ["patrol", "kill_enemy", "hide"]


def test_a_folder_is_read_by_name(folder: Path) -> None:
    load_text(folder, "drone", "like: soldier\nactions: [aerial, weapons]")
    cast = characters_in(folder, DOMAIN)
    assert list(cast) == ["drone", "soldier"]
    assert cast["soldier"] == load_character(folder / "soldier.yaml", DOMAIN)


def test_texts_are_read_as_files_are(folder: Path) -> None:
    load_text(folder, "drone", "like: soldier\nactions: [aerial, weapons]")
    texts = {file.stem: file.read_text() for file in sorted(folder.glob("*.yaml"))}
    assert characters_from(texts, DOMAIN) == characters_in(folder, DOMAIN)


def test_texts_know_each_other_by_name_and_no_file(folder: Path) -> None:
    like = folder / "soldier.yaml"
    with pytest.raises(DefinitionError, match=r"spy.yaml:2:7: unknown character '.*soldier.yaml'"):
        characters_from({"spy": f"character: spy\nlike: {like}\n"}, DOMAIN)


def test_a_world_may_add_to_the_faults_of_a_text() -> None:
    def check(name: str, sheet: Definition) -> None:
        sheet.fault(f"no {name} here", ("character",))

    with pytest.raises(DefinitionError, match=r"spy.yaml:1:12: no spy here"):
        characters_from({"spy": "character: spy\n"}, DOMAIN, check=check)


def test_senses_and_body_are_checked_only_against_what_is_known(folder: Path) -> None:
    file = folder / "seer.yaml"
    file.write_text("character: seer\nsensors: {aura: 1 s}\nbody: {halo: [gold, 2]}")
    assert load_character(file, DOMAIN).body == {"halo": ("gold", 2)}
    with pytest.raises(DefinitionError, match="unknown sensor 'aura'; known: sight"):
        load_character(file, DOMAIN, sensors=["sight"])


def test_a_character_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="no such file"):
        load_character(tmp_path / "nobody.yaml", DOMAIN)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("0.2 s", 0.2), ("200 ms", 0.2), ("5s", 5.0), (".5 s", 0.5), (3, 3.0), ("3", None), ("1 m", None), (True, None)],
)
def test_times_have_units(said: object, seconds: float | None) -> None:
    assert parse_duration(said) == seconds


# Broken files say in their comments what is wrong with them.


def broken_faults() -> tuple[Fault, ...]:
    with pytest.raises(DefinitionError) as caught:
        characters_in(BROKEN, DOMAIN, sensors=SENSORS, body=BODY)
    return caught.value.faults


def check_faults(found: list[Fault], file: Path) -> None:
    for line, column, said in expected(file):
        match = next((fault for fault in found if matches(fault, line, column, said)), None)
        assert match is not None, f"no fault in line {line}: {said}\nfound: {'; '.join(map(str, found))}"
        found.remove(match)
    assert not found, "unexpected: " + "\n".join(str(fault) for fault in found)


@pytest.mark.parametrize("file", sorted(BROKEN.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_broken_character_has_exactly_the_faults_that_it_says(file: Path) -> None:
    check_faults([fault for fault in broken_faults() if fault.file == str(file)], file)


def test_faults_of_the_one_it_is_like_are_told_with_that_file() -> None:
    with pytest.raises(DefinitionError) as caught:
        load_character(BROKEN / "like-a-broken-one.yaml", DOMAIN, sensors=SENSORS, body=BODY)
    files = [Path(fault.file).stem for fault in caught.value.faults]
    assert files == ["like-a-broken-one"] + ["unknown-names"] * 6


def test_a_circle_is_found_from_wherever_one_starts() -> None:
    for start in ("circle-one", "circle-two"):
        with pytest.raises(DefinitionError, match=r"a circle: circle-.* is like circle-.* is like circle-"):
            load_character(BROKEN / f"{start}.yaml", DOMAIN)


def test_every_fault_points_into_its_file() -> None:
    for fault in broken_faults():
        lines = Path(fault.file).read_text().split("\n")
        assert fault.line <= len(lines)
        assert not fault.line or 1 <= fault.column <= len(lines[fault.line - 1]) + 1
        assert "\n" not in str(fault)


# Performances.

PERFORMANCES = """
performances:
  goto: {goto: place}
  fly: {goto: place, pace: cloaked}
  attack: {animate: fire, at: target}
  reload: {animate: reload}
  patrol: {use: door, how: open}
"""


def test_each_action_has_the_body_state_that_its_performance_says(tmp_path: Path) -> None:
    (tmp_path / "moves.yaml").write_text(PERFORMANCES)
    moves = load_performances(tmp_path / "moves.yaml", DOMAIN)
    resolve = {"place": "c3", "target": "bert", "door": "d1"}.__getitem__
    assert {action: move.body_state(resolve) for action, move in moves.items()} == {
        "goto": Goto("c3"),
        "fly": Goto("c3", "cloaked"),
        "attack": Animate("fire", at="bert"),
        "reload": Animate("reload"),
        "patrol": UseSmartObject("d1", "open"),
    }


def test_names_are_checked_where_it_is_known_what_attention_rests_on() -> None:
    assert len(loads_performances(PERFORMANCES, DOMAIN)) == 5
    assert len(loads_performances(PERFORMANCES, DOMAIN, focus=["door"])) == 5
    with pytest.raises(DefinitionError, match="7:17: unknown name 'door'"):
        loads_performances(PERFORMANCES, DOMAIN, focus=["weapon"])


@pytest.mark.parametrize("file", sorted((BROKEN / "performances").glob("*.yaml")), ids=lambda file: file.stem)
def test_a_broken_performance_has_exactly_the_faults_that_it_says(file: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_performances(file, DOMAIN, focus=["door"])
    check_faults(list(caught.value.faults), file)


# The JSON Schema and the loader agree.

EVERYTHING = """
character: all
about: One of each.
like: soldier
goals: [fight, hide]
actions: [weapons]
sensors: {sight: 0.2 s, hearing: 3}
memory: {enemy: 12 s}
body: {speed: 5, weapon: rifle, armed: true, ways: [1, door]}
priorities: {hide: -2.5}
add: {goals: [dodge], actions: [goto], sensors: {smell: 200 ms}}
drop: {goals: [patrol], actions: [reload], sensors: [sight]}
"""
GOOD = [read_yaml(EVERYTHING).data, read_yaml(SOLDIER).data]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, "text", "", "a-b", "3 s", "0 ms", "-1 s", "2nd"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(["goals", "like", "drop", "character", "two words", "2nd", "a.b", "body"])


MUTATED = mutated(st.sampled_from(GOOD), values=VALUES, keys=KEYS)


def test_the_committed_schema_is_the_generated_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.character_schema() + "\n", "write character_schema() to it"
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.character_schema()))


@pytest.mark.parametrize("data", GOOD)
def test_both_accept_good_files(data: Any) -> None:
    assert not check_model(shape.CharacterShape, data, "a character file")
    assert VALIDATOR.is_valid(data)


@settings(max_examples=300, deadline=None)
@given(MUTATED)
def test_schema_and_loader_give_one_verdict_in_our_words(data: Any) -> None:
    findings = check_model(shape.CharacterShape, data, "a character file")
    assert VALIDATOR.is_valid(data) == (not findings)
    for finding in findings:
        said = f"{finding.fault.message}; {finding.fault.suggestion}"
        assert not any(word in said for word in ("Input should", "‹", "pydantic", "Shape"))


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_any_text_is_a_character_or_has_located_faults(data: Any) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "mutant.yaml")
        file.write_text(json.dumps(data, indent=1))
        Path(folder, "soldier.yaml").write_text(SOLDIER)
        faults: tuple[Fault, ...] = ()
        try:
            character = load_character(file, DOMAIN)
        except DefinitionError as error:
            faults = error.faults
    if faults:
        assert all(fault.line and fault.file for fault in faults)
    else:
        assert character.name == data["character"]
        assert len(set(names(character.goals))) == len(character.goals)


def test_own_costs_replace_those_of_domain_and_are_inherited(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("character: base\nactions: [attack, reload]\ncosts: {reload: 7}\n")
    (tmp_path / "child.yaml").write_text("character: child\nlike: base\ncosts: {attack: 1 + 2}\n")
    cast = shape.characters_in(tmp_path, DOMAIN)
    costs = {action.name: str(getattr(action.cost, "value", action.cost)) for action in cast["child"].actions}
    assert costs["reload"] == "7.0"
    assert "Arithmetic" in costs["attack"]
    assert cast["base"].actions != cast["child"].actions


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("costs: {relod: 3}", "did you mean 'reload'?"),
        ("costs: {reload: -3}", "a number zero or more, or an expression, got -3"),
        ("costs: {reload: ammos + 1}", "unknown variable 'ammos'"),
        ("costs: {fly: 3}", "which is not an action of this character"),
        ("goals: {cover: {weight: 99}}", "a goal's own weight stands under `priorities: {cover: 99}`"),
        ("actions: {reload: {cost: 9}}", "an action's own cost stands under `costs: {reload: 3}`"),
    ],
)
def test_misplaced_number_of_character_has_pointer(tmp_path: Path, line: str, said: str) -> None:
    own = "" if line.startswith("actions") else "actions: [goto, attack, reload]\n"
    (tmp_path / "a.yaml").write_text(f"character: a\n{own}{line}\n")
    with pytest.raises(DefinitionError) as refused:
        shape.characters_in(tmp_path, DOMAIN)
    assert said in str(refused.value)
