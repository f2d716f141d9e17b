"""``telos watch`` prints a log or a trace without a terminal, and refuses bad input in one line."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.worlds.watch import watch
from telos.core.errors import TelosError

app = typer.Typer(pretty_exceptions_enable=False)
app.add_typer(watch, name="watch")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["watch", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_prints_one_object_a_line_and_nothing_else() -> None:
    said = [json.loads(line) for line in run("home", "--days", "1", "--seed", "7", "--json").splitlines()]
    assert said[0]["kind"] == "started"
    assert said[0]["people"] == ["Ada", "Ben", "Cleo"]
    assert said[-1]["kind"] == "ended"
    assert {"chose", "began", "finished", "levels", "delivered"} <= {each["kind"] for each in said}


def test_the_same_seed_prints_the_same() -> None:
    arguments = ("home", "--days", "0.5", "--people", "2", "--json", "--seed")
    assert run(*arguments, "3") == run(*arguments, "3") != run(*arguments, "4")


def test_without_a_terminal_it_prints_a_plain_log() -> None:
    lines = run("home", "--days", "0.25", "--people", "2").splitlines()
    assert lines[0].startswith("day 1 07:00  Ada ")
    assert all(" — " in line for line in lines)
    assert "\x1b" not in "".join(lines)


def test_a_plot_is_drawn_beside_the_trace(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = run("home", "--days", "0.2", "--people", "1", "--json", "--plot", str(tmp_path / "day.png"))
    assert all(json.loads(line) for line in said.splitlines())
    assert (tmp_path / "day.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hme"], "there is no world 'hme'; did you mean 'home'"),
        (["home", "--people", "0"], "--people must be from 1 to 6, got 0"),
        (["home", "--people", "7"], "--people must be from 1 to 6, got 7"),
        (["home", "--days", "-1"], "--days must be more than 0 and at most 36500, got -1"),
        (["home", "--days", "nan"], "--days must be more than 0 and at most 36500, got nan"),
        (["home", "--seed", "-7"], "--seed must be from 0 to 999999999999999, got -7"),
        (["home", "--speed", "0"], "--speed must be from 0.001 to 1000000, got 0"),
        (["home", "--plot", "week.doc"], "end the name with one of .png, .svg, .pdf"),
        (["arna"], "there is no world 'arna'; did you mean 'arena'"),
        (["arena", "--speed", "nan"], "--speed must be from 0.001 to 1000000, got nan"),
        (["arena", "--seconds", "0"], "--seconds must be more than 0 and at most"),
        (["arena", "--seconds", "inf"], "--seconds must be more than 0 and at most"),
        (["arena", "--scene", "skirmis"], "did you mean 'skirmish'"),
        (["arena", "--replay", "no-such.jsonl"], "no-such.jsonl: no such file"),
        (["arena", "--replay", "."], ".: this is a folder"),
        (["arena", "--seed", "-7"], "--seed must be from 0 to 999999999999999, got -7"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, ["watch", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [["home", "--scene", "flank"], ["home", "--list"], ["arena", "--people", "3"], ["forge", "--style", "social"]],
)
def test_option_of_another_world_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["watch", *arguments], catch_exceptions=False)
    assert result.exit_code == 2
    assert arguments[1] in result.output


def test_options_may_stand_before_the_world() -> None:
    assert run("--seed", "3", "home", "--days", "0.1", "--json") == run(
        "home", "--days", "0.1", "--json", "--seed", "3"
    )


def test_a_fight_in_json_begins_and_ends_with_its_frame() -> None:
    said = [json.loads(line) for line in run("arena", "--seed", "3", "--seconds", "20", "--json").splitlines()]
    assert said[0]["kind"] == "started"
    assert (said[0]["world"], said[0]["scene"], said[0]["seed"]) == ("arena", "skirmish", 3)
    assert said[-1]["kind"] == "ended"
    assert said[-1]["time"] <= 20.1
    assert {"chose", "planned", "began", "event"} <= {each["kind"] for each in said}


def test_the_same_seed_fights_the_same_fight() -> None:
    arguments = ("arena", "--seconds", "15", "--json", "--seed")
    assert run(*arguments, "3") == run(*arguments, "3") != run(*arguments, "4")


def test_fight_without_terminal_prints_a_log_that_ends_with_the_winner() -> None:
    lines = run("arena", "--seed", "3").splitlines()
    assert lines[0].startswith("  0.0  skirmish, seed 3: ")
    assert "  wins: " in lines[-1]
    assert any("  takes up " in line for line in lines)
    assert "\x1b" not in "".join(lines)


def test_every_scene_is_listed_with_a_line_about_it() -> None:
    listed = json.loads(run("arena", "--list", "--json"))
    assert {"skirmish", "flank"} <= {each["name"] for each in listed}
    assert {"Skirmish", "The flank"} <= {each["title"] for each in listed}
    lines = run("arena", "--list").splitlines()
    assert len(lines) == len(listed)
    assert all(
        line.startswith(each["name"]) and each["about"] in line for line, each in zip(lines, listed, strict=True)
    )


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Return the file of a recorded fight."""
    file = tmp_path / "fight.jsonl"
    file.write_text(run("arena", "--scene", "flank", "--seed", "1", "--json"), encoding="utf-8")
    return file


def test_a_recorded_fight_is_replayed_to_the_letter(recording: Path) -> None:
    assert run("arena", "--replay", str(recording), "--json") == recording.read_text(encoding="utf-8")
    assert run("arena", "--replay", str(recording)) == run("arena", "--scene", "flank", "--seed", "1")


def test_a_replay_stops_where_one_says(recording: Path) -> None:
    lines = [
        json.loads(line) for line in run("arena", "--replay", str(recording), "--seconds", "2", "--json").splitlines()
    ]
    assert 1.5 <= lines[-1]["time"] <= 2.0


def test_a_scene_of_ones_own_is_replayed_with_its_file(tmp_path: Path) -> None:
    scene, file = tmp_path / "scenes" / "mine.yaml", tmp_path / "fight.jsonl"
    scene.parent.mkdir()
    drawing = "".join(f"  {row}\n" for row in ("######", "#A  B#", "######"))
    cast = "cast:\n  A: {character: soldier}\n  B: {character: soldier, side: blue}\n"
    scene.write_text(f"scene: mine\nseconds: 5\n{cast}map: |\n{drawing}", encoding="utf-8")
    file.write_text(run("arena", "--scene", str(scene), "--json"), encoding="utf-8")
    replayed = run("arena", "--replay", str(file), "--scene", str(scene), "--json")
    assert replayed == file.read_text(encoding="utf-8")
    with pytest.raises(TelosError, match=r"fight\.jsonl:1: the scene 'mine' is not in the package"):
        run("arena", "--replay", str(file))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"damage": 25.0', '"damage": 24.0', "recorded was"),
        ('{"kind": "chose"', '{"kind": "chose', "invalid JSON"),
        ('"player": "Pat"', '"player": "Zed"', "recorded was"),
    ],
)
def test_a_recording_that_is_not_so_is_told_in_one_line_with_file_and_line(
    recording: Path, old: str, new: str, message: str
) -> None:
    lines = recording.read_text(encoding="utf-8").splitlines()
    number = next(place for place, line in enumerate(lines) if old in line)
    lines[number] = lines[number].replace(old, new)
    recording.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from telos.cli.main import run; run()", "watch", "arena", "--replay", str(recording)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{recording}:{number + 1}: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_the_command_line_waits_for_no_world() -> None:
    code = "import sys, telos.cli.main; print([name for name in sys.modules if name.startswith('telos.worlds')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_drawing_libraries_are_imported_only_when_used() -> None:
    code = "import sys, telos.worlds.home.household; print({'rich', 'matplotlib'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "the recording is cut short"),
        (lambda lines: [*lines[:5], '{"kind": {}}', *lines[5:]], "unknown kind of record"),
        (lambda lines: [*lines[:5], "[" * 100_000], "invalid JSON"),
        (lambda lines: [*lines[:5], "x" * 3_000_000], "a line of more than"),
        (lambda lines: [*lines[:5], '{"kind": "chose", "time": NaN}'], "invalid JSON"),
    ],
)
def test_a_cut_or_damaged_recording_is_refused_in_one_line(
    recording: Path, change: Callable[[list[str]], list[str]], message: str
) -> None:
    lines = change(recording.read_text(encoding="utf-8").splitlines())
    recording.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(TelosError) as refused:
        run("arena", "--replay", str(recording), "--json")
    assert re.search(rf":\d+: {message}", str(refused.value))
    assert len(str(refused.value)) < 1_000
    assert "\n" not in str(refused.value)


def test_a_recording_with_other_line_ends_is_replayed(recording: Path) -> None:
    text = recording.read_text(encoding="utf-8")
    recording.write_bytes(text.replace("\n", "\r").encode())
    assert run("arena", "--replay", str(recording), "--json") == text


def test_orders_are_weighed_one_by_one_with_means() -> None:
    short = ("watch", "orders", "--scene", "get-to-cover", "--seed", "1", "--seconds", "2", "--forks", "1")
    lines = CliRunner().invoke(app, [*short, "--horizon", "2"], catch_exceptions=False).stdout.splitlines()
    assert lines[0].startswith("get-to-cover, seed 1: simulated")
    assert lines[1].startswith("  0.5  red-1  get-to-cover: Sam and Ugo are in the open")
    assert any(line.startswith("       Sam: take cover at c1; without it: ") for line in lines)
    said = json.loads(CliRunner().invoke(app, [*short, "--horizon", "2", "--json"], catch_exceptions=False).stdout)
    assert (said["scene"], said["seed"], said["simulated"]) == ("get-to-cover", 1, True)
    assert [each["member"] for each in said["orders"]] == ["everybody", "Tia", "Sam", "Ugo"]
    assert {each["task"]: each["orders"] for each in said["means"]} == {"cover": 2, "everybody": 1, "suppress": 1}


@pytest.mark.parametrize("fights", ["1", "2"])
def test_fights_without_orders_are_told_to_have_none(fights: str) -> None:
    short = ("watch", "orders", "--scene", "hunt", "--seconds", "1", "--fights", fights)
    lines = CliRunner().invoke(app, short, catch_exceptions=False).stdout.splitlines()
    assert lines[-1] == "no squad has begun a behaviour: let the fights last longer, or take a scene with squads"
    said = json.loads(CliRunner().invoke(app, [*short, "--json"], catch_exceptions=False).stdout)
    assert (said["orders"], said["means"], said["situations"]) == ([], [], [])


def test_orders_of_several_fights_are_told_by_situation() -> None:
    short = (
        "watch",
        "orders",
        "--scene",
        "get-to-cover",
        "--seed",
        "1",
        "--seconds",
        "2",
        "--forks",
        "1",
        "--fights",
        "2",
    )
    text = CliRunner().invoke(app, [*short, "--horizon", "1"], catch_exceptions=False).stdout
    assert "get-to-cover, 2 fights, seeds from 1 on; simulated. means over orders" in " ".join(text.split())
    assert "the same by situation; each order counts for three" in text
    assert re.search(r"get-to-cover +suppress +first contact +2 ", text)
    said = json.loads(CliRunner().invoke(app, [*short, "--horizon", "1", "--sample", "1", "--json"]).stdout)
    assert (said["fights"], said["sample"]) == (2, 1)
    assert {each["seed"] for each in said["orders"]} == {1, 2}
    found = {(each["task"], each["situation"]): each["orders"] for each in said["situations"]}
    assert found["suppress", "more"] == found["suppress", "first contact"] == found["suppress", "in the open"] == 2


def test_goal_changes_are_measured() -> None:
    short = ("watch", "goals", "--scene", "get-to-cover", "--fights", "2", "--seconds", "10")
    lines = CliRunner().invoke(app, short, catch_exceptions=False).stdout.splitlines()
    assert lines[0].startswith("get-to-cover, 2 simulated fights, seeds from 7 on: ")
    assert [line.partition(":")[0] for line in lines[1:4]] == [
        "goal changes per second", "back within a second", "  with nothing finished",
    ]  # fmt: skip
    said = json.loads(CliRunner().invoke(app, [*short, "--json"], catch_exceptions=False).stdout)
    assert (said["scene"], said["fights"], said["simulated"]) == ("get-to-cover", 2, True)
    assert 0 <= said["flips_per_second"] <= said["returns_per_second"] <= said["changes_per_second"]
