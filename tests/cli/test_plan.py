"""``telos plan`` prints plans with costs and reasons, says what is missing, and refuses bad input in one line."""

import json
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import telos
from telos.cli.main import app
from telos.core.errors import TelosError

ROOT = Path(__file__).parents[2]
SOLDIER = str(ROOT / "examples" / "domains" / "soldier.yaml")
PDDL = ROOT / "tests" / "planning" / "pddl"
DELIVERY = ("--pddl", str(PDDL / "delivery.pddl"), str(PDDL / "delivery-two-ways.pddl"))
RELOAD_AND_ATTACK = [
    "kill_enemy is reached in 2 steps at a cost of 3:",
    "  1. reload (cost 1): weapon_loaded for attack",
    "  2. attack (cost 2): target == dead for the goal",
]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plan", *arguments], catch_exceptions=False)


def lines(*arguments: str, code: int = 0) -> list[str]:
    answer = run(*arguments)
    assert answer.exit_code == code, answer.output
    assert "\x1b" not in answer.stdout
    return answer.stdout.splitlines()


def answered(*arguments: str, code: int = 0) -> dict[str, Any]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == code, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def refused(*arguments: str) -> str:
    with pytest.raises(TelosError) as error:
        run(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_plan_is_told_with_costs_and_reasons() -> None:
    assert lines(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3")[:-1] == RELOAD_AND_ATTACK


def test_several_values_may_follow_one_set() -> None:
    assert lines(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3", "under_fire=true")[:-1] == RELOAD_AND_ATTACK


def test_without_a_goal_the_first_that_can_be_reached_is_planned_for() -> None:
    assert lines(SOLDIER)[:-1] == [
        "patrol is reached in one step at a cost of 5:",
        "  1. patrol (cost 5): patrolled for the goal",
        "kill_enemy comes first, but no plan was found for it; --goal kill_enemy says why",
    ]
    assert answered(SOLDIER, "--set", "ammo=1")["goal"] == "kill_enemy"


def test_goals_and_goal_sets_can_be_named_together() -> None:
    assert answered(SOLDIER, "--goal", "patrol", "--goal", "kill_enemy", "--set", "ammo=1")["goal"] == "kill_enemy"
    assert answered(SOLDIER, "--goal", "gdc06", "--set", "ammo=1")["goal"] == "kill_enemy"
    assert answered(SOLDIER, "--goal", "gdc06", "--goal", "patrol", "--set", "ammo=1")["goal"] == "kill_enemy"


def test_no_plan_is_a_negative_answer_that_says_what_is_missing() -> None:
    assert lines(SOLDIER, "--goal", "kill_enemy", code=1)[:-1] == [
        "kill_enemy: no sequence of actions reaches the goal.",
        "  reload needs ammo >= 1, and nothing provides it.",
    ]


def test_the_closest_sequence_is_told_when_the_budget_runs_out() -> None:
    said = lines(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3", "--budget", "1", code=1)
    assert said[0] == "kill_enemy: the search used up its budget, after 1 nodes; closest so far: reload."
    found = answered(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3", "--budget", "1", code=1)
    assert (found["stop"], found["partial"]) == ("budget_spent", ["reload"])


def test_json_says_what_the_library_says() -> None:
    plan = telos.plan(telos.load(SOLDIER), {"ammo": 3}, "kill_enemy")
    assert answered(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3") == {
        "found": True,
        "goal": "kill_enemy",
        "steps": [
            {"name": "reload", "arguments": {}, "cost": 1.0},
            {"name": "attack", "arguments": {}, "cost": 2.0},
        ],
        "cost": plan.cost,
        "expanded": plan.expanded,
        "why": plan.why(),
    }


def test_json_of_no_plan_says_what_is_missing() -> None:
    answer = telos.plan(telos.load(SOLDIER), {}, "kill_enemy")
    assert answered(SOLDIER, "--goal", "kill_enemy", code=1) == {
        "found": False,
        "goal": "kill_enemy",
        "stop": "unreachable",
        "missing": ["ammo >= 1"],
        "partial": [],
        "cost": None,
        "expanded": answer.expanded,
        "why": answer.why(),
    }


def test_the_game_is_answered_for_by_a_constant() -> None:
    said = (SOLDIER, "--set", "under_fire=true", "cover_node=rock", "--function", "distance=4")
    assert lines(*said)[:2] == [
        "cover is reached in one step at a cost of 4:",
        "  1. goto(rock) (cost 4): at == cover_node for the goal",
    ]
    assert answered(*said)["steps"] == [{"name": "goto", "arguments": {"place": "rock"}, "cost": 4.0}]


def test_an_action_set_leaves_the_other_actions_out() -> None:
    assert not answered(SOLDIER, "--goal", "patrol", "--actions", "rat", code=1)["found"]


def test_a_goal_that_holds_needs_no_steps() -> None:
    found = answered(SOLDIER, "--goal", "cover", "--set", "at=none")
    assert (found["steps"], found["cost"]) == ([], 0.0)


def test_every_type_of_value_can_be_set(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(
        "domain: all\nvariables: {on: bool, count: int, size: number, hat: [straw, felt], at: place}\n"
        "handles: {place: [inn, mill]}\n"
        "goals: {done: {wants: on and count == -2 and size == 1.5 and hat == felt and at == mill}}\n"
    )
    values = ("on=true", "count=-2", "size=1.5", "hat=felt", "at=mill")
    assert answered(str(file), "--set", *values)["steps"] == []
    assert not answered(str(file), "--set", *values[:-1], "at=none", code=1)["found"]
    assert not answered(str(file), "--set", "on=false", code=1)["found"]


def test_handles_can_be_added(tmp_path: Path) -> None:
    file = tmp_path / "walk.yaml"
    file.write_text(
        "domain: walk\nvariables: {at: place, rested: bool}\nactions:\n"
        "  goto: {parameters: {where: place}, effects: at = where}\n"
        "  rest: {preconditions: at != none, effects: rested = true}\ngoals: {rest: {wants: rested}}\n"
    )
    assert not answered(str(file), code=1)["found"]
    steps = answered(str(file), "--handle", "place=inn,mill")["steps"]
    assert [step["name"] for step in steps] == ["goto", "rest"]
    assert steps[0]["arguments"]["where"] in ("inn", "mill")


def test_the_hurried_search_is_there_too() -> None:
    found = answered(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3", "--how", "fast", "--microseconds", "1e9")
    assert [step["name"] for step in found["steps"]] == ["reload", "attack"]


def test_pddl_is_planned_and_told_in_its_own_words() -> None:
    pytest.importorskip("lark")
    said = lines(*DELIVERY)
    assert said[0] == "two-ways is reached in 6 steps at a cost of 9.5:"
    assert said[1].startswith("  1. (load box lorry depot) (cost 1): ")
    assert "for (unload box lorry quay)" in said[2]
    found = answered(*DELIVERY)
    assert found["cost"] == 9.5 == sum(step["cost"] for step in found["steps"])
    assert found["steps"][-1]["pddl"] == "(unload box barge island)"


def test_a_pddl_goal_that_nothing_reaches_is_a_negative_answer() -> None:
    pytest.importorskip("lark")
    found = answered("--pddl", str(PDDL / "lamps.pddl"), str(PDDL / "lamps-dark.pddl"), code=1)
    assert found["missing"] == ["(lit middle)", "(not (broken middle))"]
    assert "needs (not (broken middle)), and nothing provides it" in found["why"]


def test_plan_file_is_what_a_validator_of_pddl_reads(tmp_path: Path) -> None:
    pytest.importorskip("lark")
    path = tmp_path / "delivery.plan"
    assert lines(*DELIVERY, "--plan-file", str(path))[-1] == f"plan in {path}"
    *steps, cost = path.read_text().splitlines()
    assert steps == [step["pddl"] for step in answered(*DELIVERY)["steps"]]
    assert cost == "; cost = 9.5 (general cost)"


def test_plan_file_is_left_alone_where_there_is_no_plan(tmp_path: Path) -> None:
    pytest.importorskip("lark")
    path = tmp_path / "lamps.plan"
    path.write_text("as before")
    lamps = ("--pddl", str(PDDL / "lamps.pddl"), str(PDDL / "lamps-dark.pddl"))
    assert "no file" in lines(*lamps, "--plan-file", str(path), code=1)[-1]
    assert path.read_text() == "as before"


def test_plan_file_needs_pddl_and_is_no_input(tmp_path: Path) -> None:
    assert "--pddl is missing" in refused(SOLDIER, "--plan-file", str(tmp_path / "soldier.plan"))
    assert "is an input" in refused(*DELIVERY, "--plan-file", DELIVERY[1])


def test_the_graph_is_drawn_beside_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    said = lines(SOLDIER, "--goal", "kill_enemy", "--set", "ammo=3", "--graph", str(path))
    assert said[:3] == RELOAD_AND_ATTACK
    assert said[-1] == f"drawn to {path}"
    texts = "".join(ET.parse(path).getroot().itertext())
    assert all(step in texts for step in ("reload", "attack", "target = dead"))
    assert [each.name for each in tmp_path.iterdir()] == ["out.svg"]


def test_json_stays_one_object_beside_a_graph(tmp_path: Path) -> None:
    assert answered(SOLDIER, "--goal", "kill_enemy", "--graph", str(tmp_path / "out.svg"), code=1)["found"] is False
    assert ET.parse(tmp_path / "out.svg").getroot().tag.endswith("svg")


def test_a_graph_in_pddl_has_pddl_steps(tmp_path: Path) -> None:
    pytest.importorskip("lark")
    lines(*DELIVERY, "--graph", str(tmp_path / "out.svg"))
    assert "(sail barge quay island)" in (tmp_path / "out.svg").read_text(encoding="utf-8")


def test_when_no_goal_is_relevant_nothing_is_drawn(tmp_path: Path) -> None:
    file, path = tmp_path / "calm.yaml", tmp_path / "out.svg"
    file.write_text("domain: calm\nvariables: {fire: bool}\ngoals: {flee: {wants: not fire, relevant: fire}}\n")
    said = lines(str(file), "--graph", str(path), code=1)
    assert said == ["No goal is relevant now.", "0 nodes expanded", "nothing was searched, so nothing is drawn"]
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--goal", "kil_enemy"], "--goal kil_enemy: unknown goal or goal set 'kil_enemy'; did you mean 'kill_enemy'?"),
        (["--set", "amo=3"], "--set amo=3: unknown variable 'amo'; did you mean 'ammo'?"),
        (["--set", "ammo"], "--set 'ammo' is not of the form name=value; write --set ammo=3"),
        (["--set", "ammo="], "--set 'ammo=' is not of the form name=value"),
        (["--set", "=3"], "--set '=3' is not of the form name=value"),
        (["--set", "ammo=3", "--set", "ammo=4"], "--set ammo=4: 'ammo' is given twice; keep one"),
        (["--set", "ammo=many"], "--set ammo=many: variable 'ammo' holds int; write a whole number"),
        (["--set", "ammo=1.5"], "variable 'ammo' holds int; write a whole number"),
        (["--set", f"ammo={2**60}"], "2**53"),
        (["--set", "weapon_loaded=1"], "variable 'weapon_loaded' holds bool; write true or false"),
        (["--set", "target=ded"], "variable 'target' holds [alive, dead]; did you mean 'dead'?"),
        (["--set", "at=\x1b[2J"], "is not of the form name=value"),
        (["--function", "distanc=3"], "the domain calls no function 'distanc'; did you mean 'distance'?"),
        (["--function", "distance=far"], "a function answers with a finite number, true or false"),
        (["--function", "distance=inf"], "a function answers with a finite number, true or false"),
        (["--function", "distance"], "write --function distance=4"),
        (["--handle", "nod=gate"], "--handle nod=gate: unknown kind of handle 'nod'; did you mean 'node'?"),
        (["--handle", "node=gate,,yard"], "write names with commas between them"),
        (["--actions", "solder"], "unknown action set 'solder'; did you mean 'soldier'?"),
        (["--how", "quick"], "cannot plan 'quick'; known: fast, optimal"),
        (["--budget", "0"], "--budget must be from 1 to 1000000000, got 0"),
        (["--microseconds", "-1"], "--microseconds must be more than 0 and at most 1000000000000.0, got -1.0"),
        (["--set", "under_fire=true", "cover_node=rock"], "goto, and only a game knows it; answer for it, as in: "),
        (["--function", "distance=-1", "--goal", "cover", "--set", "cover_node=rock"], "a cost is negative"),
        (["--graph", "out.png"], "cannot draw the graph into 'out.png'; end the name with .svg"),
        (["--graph", "nowhere/out.svg"], "nowhere/out.svg"),
        (["--budget", "9" * 23], "--budget must be from 1 to"),
        (["--microseconds", "nan"], "--microseconds must be more than 0 and at most"),
        (["--microseconds", "inf"], "--microseconds must be more than 0 and at most"),
        (["--microseconds", "-1"], "microseconds must be more than 0"),
        (["--set", f"ammo={'9' * 25}"], "2**53"),
        (["other.yaml"], "one YAML file is planned with, not "),
        (["--pddl"], "--pddl takes two files, not 1: telos plan --pddl domain.pddl problem.pddl"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    assert message in refused(SOLDIER, *arguments)


def test_files_that_are_missing_or_of_the_wrong_sort_are_named(tmp_path: Path) -> None:
    assert "name a domain file, as in: telos plan soldier.yaml" in refused()
    assert "nowhere.yaml: no such file" in refused(str(tmp_path / "nowhere.yaml"))
    assert "telos plan --pddl domain.pddl problem.pddl" in refused(str(PDDL / "delivery.pddl"))
    pytest.importorskip("lark")
    assert "nowhere.pddl: no such file" in refused(
        "--pddl", str(PDDL / "delivery.pddl"), str(tmp_path / "nowhere.pddl")
    )
    assert "this domain asks the game for nothing" in refused(*DELIVERY, "--function", "distance=3")


def test_a_graph_that_cannot_be_written_leaves_things_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / "out.svg"
    folder.mkdir()
    assert "this is a folder" in refused(SOLDIER, "--graph", str(folder))
    assert "File name too long" in refused(SOLDIER, "--graph", str(tmp_path / f"{'n' * 300}.svg"))
    if Path("/proc/self").is_dir():  # where not even root may write
        assert "/proc/out.svg" in refused(SOLDIER, "--graph", "/proc/out.svg")
    assert [each.name for each in tmp_path.iterdir()] == ["out.svg"]


def test_graph_that_is_an_input_is_refused(tmp_path: Path) -> None:
    file, link = tmp_path / "soldier.svg", tmp_path / "link.svg"
    file.write_bytes(Path(SOLDIER).read_bytes())
    link.symlink_to(file)
    for path in (file, link):
        assert "input" in refused(str(file), "--graph", str(path))
    assert file.read_bytes() == Path(SOLDIER).read_bytes()


def test_faults_are_told_on_stderr_with_exit_code_two() -> None:
    command = [sys.executable, "-c", "from telos.cli.main import run; run()", "plan", SOLDIER, "--set", "amo=3"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == "--set amo=3: unknown variable 'amo'; did you mean 'ammo'?\n"


def test_the_how_to_shows_what_really_comes_out(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("lark")
    monkeypatch.chdir(ROOT)

    def again(block: re.Match[str]) -> str:
        said = run(*shlex.split(block[2].replace("docs/images", str(tmp_path)))).stdout
        return f"{block[1]}{said.replace(str(tmp_path), 'docs/images')}```"

    page = ROOT / "docs" / "how-to" / "plan-from-the-command-line.md"
    shown = page.read_text(encoding="utf-8")
    said = re.sub(r"(```console\n\$ telos plan (.*?)\n).*?```", again, shown, flags=re.DOTALL)
    files = {page: said} | {
        ROOT / "docs" / "images" / each.name: each.read_text(encoding="utf-8") for each in tmp_path.iterdir()
    }
    assert len(files) == 3
    for file, text in files.items():
        if request.config.getoption("--update-golden"):
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), (
            f"{file.name} differs; if that is right: pytest --update-golden"
        )
