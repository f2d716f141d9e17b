"""``telos check`` and the command line around it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.files.formats import FORMATS

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"
TELOS = [sys.executable, "-c", "from telos.cli.main import run; run()"]


def telos(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TELOS, *map(str, arguments)], capture_output=True, text=True, timeout=30, check=False)


def test_good_files_get_a_line_each() -> None:
    answer = CliRunner().invoke(app, ["check", str(DOMAINS)])
    assert answer.exit_code == 0
    lines = answer.stdout.splitlines()
    assert len(lines) == len(list(DOMAINS.glob("*.yaml")))
    assert f"{DOMAINS}/kitchen.yaml: fine: kitchen, 8 variables, 13 actions, 3 goals" in lines
    soldier = f"{DOMAINS}/soldier.yaml: fine: soldier, 7 variables, 4 actions, 3 goals; needs from the game: distance"
    assert soldier in lines


def test_a_fault_is_shown_with_its_line_and_a_caret(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("domain: bad\nvariables: {ammo: int}\nactions:\n  shoot: {preconditions: ammo > 0 and amo < 9}\n")
    answer = CliRunner().invoke(app, ["check", str(file), str(DOMAINS / "mage.yaml")])
    assert answer.exit_code == 2
    assert answer.stdout.splitlines() == [
        f"{file}:4:39: unknown variable 'amo' in `ammo > 0 and amo < 9`; did you mean 'ammo'?",
        "      shoot: {preconditions: ammo > 0 and amo < 9}",
        "                                          ^",
        f"{DOMAINS}/mage.yaml: fine: mage, 1 variable, 3 actions, 2 goals",
        "1 fault in 1 of 2 files",
    ]


def test_a_long_line_is_shown_around_the_fault(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(f"domain: bad\nactions: {{{', '.join(f'act{i}: {{}}' for i in range(90))}, x: {{cost: amo}}}}\n")
    _, source, caret, _ = CliRunner().invoke(app, ["check", str(file)]).stdout.splitlines()
    assert len(source) <= 104
    assert source[caret.index("^") :].startswith("amo}")


def test_many_faults_are_cut_short_but_counted(tmp_path: Path) -> None:
    file = tmp_path / "many.yaml"
    file.write_text("domain: bad\nactions:\n" + "".join(f"  act{i}: {{cost: amo}}\n" for i in range(70)))
    lines = CliRunner().invoke(app, ["check", str(file)]).stdout.splitlines()
    assert lines[-2:] == [f"… and 20 more in {file}", "70 faults in 1 file"]


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "escape.yaml"
    file.write_text('domain: bad\nactions: {wait: {cost: "\\e[31m red"}}\n"\\e[2J": 1\n')
    answer = CliRunner().invoke(app, ["check", str(file)])
    assert answer.exit_code == 2
    assert "\x1b" not in answer.stdout


def test_json_is_one_document(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("domain: bad\nactions: {wait: {cost: amo}}\n")
    answer = CliRunner().invoke(app, ["check", "--json", str(DOMAINS / "soldier.yaml"), str(bad)])
    assert answer.exit_code == 2
    good, faulty = json.loads(answer.stdout)["files"]
    assert good == {
        "file": str(DOMAINS / "soldier.yaml"),
        "ok": True,
        "kind": "domain",
        "domain": "soldier",
        "variables": 7,
        "actions": 4,
        "goals": 3,
        "functions_needed": ["distance"],
        "faults": [],
        "notes": [],
    }
    fault = {
        "code": "unknown-name",
        "line": 2,
        "column": 24,
        "text": "amo",
        "message": "unknown variable 'amo'",
        "suggestion": "",
        "path": ["actions", "wait", "cost"],
    }
    assert (faulty["ok"], faulty["domain"], faulty["faults"]) == (False, None, [fault])


def test_the_schema_is_printed_for_editors() -> None:
    answer = CliRunner().invoke(app, ["check", "--schema"])
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["title"] == "Telos domain file"


@pytest.mark.parametrize("kind", FORMATS)
def test_schema_of_every_kind_is_printed(kind: str) -> None:
    answer = CliRunner().invoke(app, ["check", "--schema", kind])
    assert answer.exit_code == 0
    schema = json.loads(answer.stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert FORMATS[kind].key in json.dumps(schema)


def test_schema_of_unknown_kind_is_refused_with_a_suggestion() -> None:
    answer = telos("check", "--schema", "scen")
    assert answer.returncode == 2
    assert "'scen'" in answer.stderr
    assert "'scene'" in answer.stderr


def test_folders_are_searched_to_the_bottom(tmp_path: Path) -> None:
    for name in ("one.yaml", "deep/two.yml", "deep/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("domain: x\n")
    answer = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert [Path(line.partition(":")[0]).name for line in answer.stdout.splitlines()] == ["two.yml", "one.yaml"]


def test_bad_input_is_one_line_on_stderr_and_exit_code_two(tmp_path: Path) -> None:
    for arguments, said in (
        (("check", tmp_path), "no .yaml files"),
        (("check",), "nothing to check"),
        (("chek",), "No such command"),
        (("check", "--jsn"), "No such option"),
    ):
        answer = telos(*arguments)
        assert answer.returncode == 2
        assert said in answer.stderr
        assert "Traceback" not in answer.stderr
        assert answer.stdout == ""


def test_a_missing_file_is_a_fault_like_any_other(tmp_path: Path) -> None:
    answer = telos("check", tmp_path / "nowhere.yaml")
    assert answer.returncode == 2
    assert answer.stdout.splitlines() == [f"{tmp_path / 'nowhere.yaml'}: no such file", "1 fault in 1 file"]


def test_version_and_help_answer() -> None:
    assert telos("--version").stdout.startswith("telos ")
    assert "telos check soldier.yaml" in telos("check", "--help").stdout


def test_a_reader_that_leaves_early_is_forgiven() -> None:
    with subprocess.Popen([*TELOS, "check", "--schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_checking_starts_without_loading_what_it_does_not_need() -> None:
    code = "import sys, telos.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "numpy", "matplotlib", "jsonschema"} & set(loaded)


def test_files_of_every_sort_are_told_apart_and_checked() -> None:
    package = Path(__file__).parents[2] / "src" / "telos"
    said = {
        package / "recognition/data/flairs.yaml": "a recogniser of level, explore, town",
        package / "worlds/forge/data/grammar.yaml": "a recogniser of",
        package / "worlds/arena/data/scenes/flank.yaml": "a scene with",
        package / "worlds/arena/data/characters/rat.yaml": "a character with 2 goals and 2 actions",
        package / "worlds/adventure/data/flairs.yaml": "rules of the adventure",
        package / "squads/dialogue/lines.yaml": "dialogue, 30 exchanges",
        package / "telemetry/data/island.yaml": "columns of the corpus island",
        package / "recognition/data/island.mln": "12 formulas, 0 weights",
    }
    for file, words in said.items():
        done = telos("check", file)
        assert done.returncode == 0, done.stderr
        assert f"fine: {words}" in done.stdout


def test_lone_character_is_checked_as_one_of_the_arena(tmp_path: Path) -> None:
    file = tmp_path / "bob.yaml"
    file.write_text("character: bob\nlike: soldier\nadd: {goals: [folow_order]}\nbody: {wepon: rifle}\n")
    done = telos("check", file)
    assert done.returncode == 2
    assert "bob.yaml:3:15" in done.stdout
    assert "did you mean 'follow_order'?" in done.stdout
    assert "bob.yaml:4:8" in done.stdout
    file.write_text("character: bob\nlike: soldier\n")
    assert "fine: a character with 12 goals" in telos("check", file).stdout


def test_character_is_checked_with_the_domain_beside_it(tmp_path: Path) -> None:
    (tmp_path / "village.yaml").write_text("domain: village\nvariables: {fed: bool}\ngoals: {eat: {wants: fed}}\n")
    folder = tmp_path / "characters"
    folder.mkdir()
    (folder / "ann.yaml").write_text("character: ann\ngoals: [eat, kill_enemy]\n")
    done = telos("check", folder)
    assert done.returncode == 2
    assert "'kill_enemy'" in done.stdout
    assert "'eat'" not in done.stdout


def test_a_fault_in_formulas_is_shown_at_its_place(tmp_path: Path) -> None:
    file = tmp_path / "goals.mln"
    file.write_text("goal(time, goal!)\n1.5 gaol(t, g)\n")
    done = telos("check", file)
    assert done.returncode == 2
    assert "goals.mln:2:5" in done.stdout
    assert "did you mean 'goal'?" in done.stdout


NOTED = """\
domain: noted
variables: {tired: int}
actions: {work: {effects: tired += 1}}
goals: {rest: {wants: tired < 10}}
"""


def test_notes_are_shown_and_are_no_faults(tmp_path: Path) -> None:
    file = tmp_path / "noted.yaml"
    file.write_text(NOTED)
    answer = CliRunner().invoke(app, ["check", str(file)])
    assert answer.exit_code == 0
    first, note, source, caret, last = answer.stdout.splitlines()
    assert first == f"{file}: fine: noted, 1 variable, 1 action, 1 goal"
    assert note.startswith(f"{file}:4:23: note: no action brings about `tired < 10`; ")
    assert source[caret.index("^") :].startswith("tired < 10")
    assert last == "1 note in 1 file"


def test_json_has_notes_apart_from_faults(tmp_path: Path) -> None:
    file = tmp_path / "noted.yaml"
    file.write_text(NOTED)
    answer = CliRunner().invoke(app, ["check", "--json", str(file)])
    (told,) = json.loads(answer.stdout)["files"]
    assert (told["ok"], told["faults"]) == (True, [])
    (note,) = told["notes"]
    assert (note["code"], note["line"], note["column"]) == ("unreachable-goal", 4, 23)
    assert note["suggestion"]


def test_names_used_by_files_beside_a_domain_are_not_noted(tmp_path: Path) -> None:
    file = tmp_path / "village.yaml"
    file.write_text(
        "domain: village\nvariables: {fed: bool, seen: bool, song: bool}\n"
        "actions: {eat: {effects: fed = true}, sing: {}}\ngoals: {eat: {wants: fed}}\n"
    )
    assert CliRunner().invoke(app, ["check", str(file)]).stdout.count("note:") == 3
    (tmp_path / "main.py").write_text('print(state["seen"])\n')
    (tmp_path / "perform.yaml").write_text("performances: {sing: {animate: sing, at: song}}\n")
    answer = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert answer.exit_code == 0
    assert "note:" not in answer.stdout
    assert "performances of 1 action" in answer.stdout


def test_performances_and_tasks_are_checked_with_a_domain(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    domain = tmp_path / "village.yaml"
    domain.write_text("domain: village\nvariables: {fed: bool}\nactions: {eat: {effects: fed = true}}\n")
    tasks, performances = tmp_path / "deep" / "tasks.yaml", tmp_path / "deep" / "perform.yaml"
    tasks.write_text("tasks: {dine: {methods: {once: {subtasks: eta}}}}\n")
    performances.write_text("performances: {eet: {animate: eat}}\n")
    answer = CliRunner().invoke(app, ["check", str(tasks), str(performances)])
    assert answer.exit_code == 2
    assert "did you mean 'eat'?" in answer.stdout
    assert answer.stdout.count(": unknown ") == 2
    domain.rename(tmp_path / "deep" / "deeper.txt")
    answer = CliRunner().invoke(app, ["check", str(tasks), str(performances)])
    assert answer.exit_code == 0
    assert answer.stdout.count("no domain file lies beside it") == 2
    answer = CliRunner().invoke(app, ["check", str(tasks), "--domain", str(tmp_path / "deep" / "deeper.txt")])
    assert answer.exit_code == 2


def test_file_that_is_not_authored_is_named_with_its_command(tmp_path: Path) -> None:
    (tmp_path / "blocks.pddl").write_text("(define (domain blocks))")
    (tmp_path / "log.csv").write_text("time,action\n")
    (tmp_path / "compose.yaml").write_text("services: {db: {image: x}}\n")
    answer = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert answer.exit_code == 0
    for words in ("blocks.pddl: a PDDL domain; telos plan --pddl", "log.csv: an event log", "not a Telos file"):
        assert words in answer.stdout
    for name, word in (("blocks.pddl", "telos plan --pddl"), ("compose.yaml", "recognizer:")):
        answer = CliRunner().invoke(app, ["check", str(tmp_path / name)])
        assert answer.exit_code == 2
        assert word in answer.stdout
        assert "1 fault in 1 file" in answer.stdout


def test_misspelt_first_key_is_one_fault(tmp_path: Path) -> None:
    file = tmp_path / "farm.yaml"
    file.write_text("recogniser: fsm\ngoals: [level, town]\nrules: [{if: in_town, then: town}]\n")
    lines = CliRunner().invoke(app, ["check", str(file)]).stdout.splitlines()
    assert lines[0] == f"{file}:1:1: unknown key 'recogniser'; did you mean 'recognizer'?"
    assert lines[-1] == "1 fault in 1 file"


@pytest.mark.parametrize("folder", ["examples", "src/telos"])
def test_shipped_folders_have_no_faults_and_no_notes(folder: str) -> None:
    answer = CliRunner().invoke(app, ["check", "--json", str(Path(__file__).parents[2] / folder)])
    assert answer.exit_code == 0
    files = json.loads(answer.stdout)["files"]
    assert len(files) > 10
    assert {each["kind"] for each in files} <= {*FORMATS, "formulas"}
    noted = [Path(each["file"]).name for each in files if each["notes"]]
    assert noted == (["flairs-text.yaml"] if folder == "src/telos" else [])  # nine outcomes, as the paper's text has it


def test_recognizers_of_several_goals_at_once_are_told_and_checked(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("recognizer: concurrent\nof: flairs\n")
    (tmp_path / "bad.yaml").write_text("recognizer: concurrent\nof: flairs-fsm\n")
    good = CliRunner().invoke(app, ["check", str(tmp_path / "good.yaml")])
    assert good.exit_code == 0
    assert good.stdout.endswith("good.yaml: fine: a recogniser of level, explore, town, each by itself\n")
    bad = CliRunner().invoke(app, ["check", "--json", str(tmp_path / "bad.yaml")])
    assert bad.exit_code == 2
    (shown,) = json.loads(bad.stdout)["files"]
    assert (shown["kind"], shown["faults"][0]["line"]) == ("concurrent", 2)
    schema = json.loads(CliRunner().invoke(app, ["check", "--schema", "concurrent"]).stdout)
    assert schema["required"] == ["recognizer", "of"]


def test_trained_ensembles_are_told_and_checked(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="NumPy is needed to read a trained ensemble")
    from recognition.ensembles import random_model
    from telos.recognition.ensemble import save_ensemble

    file = tmp_path / "random.json"
    save_ensemble(random_model(), file)
    told = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert told.exit_code == 0
    assert told.stdout.endswith(
        "random.json: fine: a trained ensemble that reads 3 goals from 33 features, in 1 part by side\n"
    )
    data = json.loads(file.read_text())
    data["parts"][0]["trees"]["roots"][0] = 999
    file.write_text(json.dumps(data))
    refused = CliRunner().invoke(app, ["check", "--json", str(file)])
    assert refused.exit_code == 2
    (shown,) = json.loads(refused.stdout)["files"]
    assert shown["kind"] == "ensemble"
    assert "trees: a root or a goal is outside the tables" in shown["faults"][0]["message"]
    file.write_text(file.read_text()[:-40])
    assert CliRunner().invoke(app, ["check", str(file)]).exit_code == 2
    (tmp_path / "save.json").write_text('{"format": 1}')
    assert "which is not checked here" in CliRunner().invoke(app, ["check", str(tmp_path / "save.json")]).stdout
