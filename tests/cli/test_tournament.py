"""``telos tournament`` prints a table or one JSON object, and refuses bad input in one line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError
from telos.worlds.arena.scene import SQUAD_ACTIVITIES

SHORT = ("tournament", "--layer", "squads", "--fights", "2", "--seconds", "3")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*SHORT, *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_is_one_object_with_the_seed_and_all_figures() -> None:
    said = json.loads(run("--json", "--seed", "4"))
    assert (said["scene"], said["seed"], said["fights"], said["seconds"]) == ("skirmish", 4, 2, 3.0)
    assert said["simulated"] is True
    (contest,) = said["contests"]
    assert contest["layer"] == "squads"
    assert contest["having"]["squads"] == list(SQUAD_ACTIVITIES)
    assert contest["lacking"] == {"team": "soldier", "character": "soldier", "squads": []}
    assert contest["wins"] + contest["draws"] + contest["losses"] == 2
    low, high = contest["interval"]
    assert 0 <= low <= contest["win_rate"] <= high <= 1
    assert set(contest["mean_health"]) == {"having", "lacking"}
    assert contest["mean_seconds"] == pytest.approx(3.0)


def test_table_has_a_row_per_contest_and_says_simulated() -> None:
    lines = run("--layer", "orderly-advance").splitlines()
    assert "2 simulated fights" in lines[0]
    assert [line.split("  ")[0] for line in lines[2:4]] == ["orderly-advance added", "squads added"]
    assert all("no clear difference" in line for line in lines[2:4])  # so nothing is cut off at 80 columns


def test_squads_have_a_table_of_two_contests_and_json() -> None:
    squads = ("tournament", "--squads", "--scene", "quarry", "--fights", "2", "--seconds", "3")
    result = CliRunner().invoke(app, squads, catch_exceptions=False)
    lines = result.stdout.splitlines()
    assert "2 simulated fights" in lines[0]
    assert [line.split("  ")[0] for line in lines[2:4]] == ["mirror, quarry", "hunt, quarry"]
    said = json.loads(CliRunner().invoke(app, [*squads, "--json"], catch_exceptions=False).stdout)
    assert (said["scenes"], said["seed"], said["simulated"]) == (["quarry"], 1, True)
    assert said["squads"] == list(SQUAD_ACTIVITIES)
    for contest in said["contests"]:
        assert contest["wins"] + contest["draws"] + contest["losses"] == 2
        assert 0 <= contest["interval"][0] <= contest["win_rate"] <= contest["interval"][1] <= 1
        assert set(contest["led"]) == set(contest["unled"]) == {"won", "survivors", "health", "seconds"}


def test_a_plot_is_drawn_beside_the_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "layers.svg"
    assert json.loads(run("--json", "--plot", str(picture)))["contests"]
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--squads", "--layer", "dodge"], "--squads takes neither --layer nor --plot"),
        (["--activity", "search"], "--activity is for --squads"),
        (["--squads", "--activity", "serch"], "unknown squad behaviour or practice 'serch'; did you mean 'search'?"),
        (["--squads", "--scene", "flank"], "no squad tournament is fought in 'flank'"),
        (["--layer", "sqads"], "unknown layer 'sqads'; did you mean 'squads'?"),
        (["--fights", "3"], "fights must be even and at least 2, got 3"),
        (["--fights", "0"], "--fights must be from 1 to 1000000, got 0"),
        (["--seed", "-1"], "got -1"),
        (["--jobs", "0"], "--jobs must be from 1 to 1024, got 0"),
        (["--seconds", "0"], "--seconds must be more than 0 and at most 86400, got 0"),
        (["--seconds", "nan"], "--seconds must be more than 0 and at most 86400, got nan"),
        (["--scene", "skirmis"], "did you mean 'skirmish'"),
        (["--plot", "layers.doc"], "end the name with one of .png, .svg, .pdf"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, ["tournament", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
