"""``telos goals`` counts what the players of a log were after, and writes a page; bad input is refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from telos.cli.logs.goals import goals
from telos.core.errors import TelosError

APP = typer.Typer()
APP.command()(goals)

MODEL = """
recognizer: ffbm
goals: [fish, sell]
actions: [cast, offer, walk]
context: {}
transitions: {lasts: 20 updates}
outcomes: {cast: action == cast, offered: action == offer, other: true}
observations: {fish: {cast: 0.9, others: shared}, sell: {offered: 0.9, others: shared}}
"""


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """A folder with a model and a log: each player casts for 60 s, catches a fish, offers for 30 s and leaves."""
    (tmp_path / "farm.yaml").write_text(MODEL, encoding="utf-8")
    lines = ["player,time,action,goal,area,platform"]
    for player in range(12):
        place = "pc" if player % 2 else "phone"
        lines += [f"p{player},{time},cast,,beach,{place}" for time in range(0, 60, 5)]
        lines += [f"p{player},{time},offer,{'fish' if time == 60 else ''},market,{place}" for time in range(60, 95, 5)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def run(farm: Path, *arguments: object) -> Result:
    options = [str(farm / "log.csv"), "--model", str(farm / "farm.yaml"), *map(str, arguments)]
    return CliRunner().invoke(APP, options, catch_exceptions=False)


def figures(farm: Path, *arguments: object) -> dict[str, Any]:
    answer = run(farm, *arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def test_goals_of_a_log_have_their_time_flow_and_places(farm: Path) -> None:
    found = figures(farm, "--where", "area", "--segment", "platform", "--player", "p3")
    assert found["overview"] | {"session_minutes": None} == {
        "players": 12, "sessions": 12, "events": 228, "hours": 12 * 90 / 3600, "unsure": 0.0,
        "session_minutes": None, "reports_achievements": True,
    }  # fmt: skip
    time = {row["goal"]: row for row in found["time"]}
    assert time["fish"]["share"] == pytest.approx(60 / 90, abs=1e-6)
    assert (time["fish"]["achieved"], time["sell"]["left"]) == (1.0, 1.0)
    assert {(row["source"], row["target"]): row["count"] for row in found["flow"]} == {
        ("begins to play", "fish"): 12, ("fish", "sell"): 12, ("sell", "leaves"): 12,
    }  # fmt: skip
    assert {row["place"]: row["exits"] for row in found["places"]} == {"beach": 0, "market": 12}
    assert {(row["segment"], row["players"]) for row in found["segments"]} == {("pc", 6), ("phone", 6)}
    assert [(row["goal"], row["after"], row["seconds"]) for row in found["story"]] == [
        ("fish", 0, 60),
        ("sell", 60, 30),
    ]


def test_page_is_written_whole_beside_the_tables(farm: Path) -> None:
    answer = run(farm, "--report", farm / "goals.html", "--where", "area", "--player", "p1")
    assert answer.exit_code == 0
    page = (farm / "goals.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    for words in ("12", "market", "The story of p1", "How goals follow one another"):
        assert words in page
    assert "67 %" in answer.stdout


def test_a_gap_begins_another_session(farm: Path) -> None:
    assert figures(farm, "--gap", "4")["overview"]["sessions"] == 228
    assert figures(farm, "--gap", "5")["overview"]["sessions"] == 12


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--where", "aera"], "'area'"),
        (["--player", "p99"], "p99"),
        (["--report", "goals.pdf"], r"\.html"),
        (["--gap", "nan"], "--gap"),
        (["--unsure", "1.5"], "--unsure"),
    ],
)
def test_bad_options_are_refused_by_name(farm: Path, arguments: list[str], word: str) -> None:
    with pytest.raises(TelosError, match=word):
        run(farm, *arguments)


def test_page_never_replaces_an_input(farm: Path) -> None:
    (farm / "log.html").hardlink_to(farm / "log.csv")
    with pytest.raises(TelosError, match="input"):
        run(farm, "--report", farm / "log.html")


def test_bad_rows_are_refused_together_or_skipped_and_counted(farm: Path) -> None:
    log = farm / "log.csv"
    log.write_text(log.read_text(encoding="utf-8") + "p1,soon,cast,,beach,pc\n,99,cast,,beach,pc\n", encoding="utf-8")
    with pytest.raises(TelosError, match="skip-bad"):
        run(farm)
    assert figures(farm, "--skip-bad")["rows"]["bad_rows"] == 2
