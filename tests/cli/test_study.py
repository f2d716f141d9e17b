"""``telos study`` prints tables or one JSON object, writes a page, and refuses bad input in one line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError
from telos.studies import STUDIES

pytest.importorskip("scipy")
SMALL = ("study", "gold-flairs", "--quick", "--players", "2", "--runs", "2", "--seed", "3")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*SMALL, *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_is_one_object_and_the_page_is_written_beside_it(tmp_path: Path) -> None:
    said = json.loads(run("--json", "--report", str(tmp_path / "page.html"), "--figures", str(tmp_path)))
    assert (said["study"], said["seed"], said["simulated"]) == ("gold-flairs", 3, True)
    assert said["setting"]["players"] == 2
    assert said["conditions"]["experienced"]["ffbm"]["published"] == 90
    assert {test["published_p"] for test in said["tests"]} >= {0.0003, 0.88, 0.03, 0.0002, 0.66}
    assert "simulated players" in (tmp_path / "page.html").read_text(encoding="utf-8")
    pictures = {path.name for path in tmp_path.glob("*.svg")}
    assert {"study-gold-flairs-accuracy.svg", "study-gold-flairs-lag.svg"} <= pictures
    assert len(pictures) == 1 + len(said["charts"])


def test_the_tables_say_that_it_is_simulated_and_show_what_was_published() -> None:
    lines = run().splitlines()
    assert lines[0].startswith("gold-flairs: simulated players (players 2, runs 2")
    (ffbm, *_) = [line for line in lines if line.startswith("FFBM ")]
    assert ffbm.split()[-1] == "90%"
    assert any("p < 0.0003" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold-flair"], "there is no study 'gold-flair'; did you mean 'gold-flairs'?"),
        (["gold-flairs", "--players", "1"], "at least 2 players and 2 runs, got 1 and 40"),
        (["gold-aiide", "--players", "3", "--returning", "4"], "at most all 3 players can come back, got 4"),
        (["gold-flairs", "--quick", "--published"], "contradict each other; say one of them"),
        (["gold-flairs", "--seed", "-2"], "--seed must be from 0 to 999999999999999, got -2"),
        (["gold-aiide", "--quick", "--jobs", "0"], "--jobs must be from 1 to 1024, got 0"),
        (["gold-flairs", "--report", "page.pdf"], "end its name with .html, got 'page.pdf'"),
        (["gold-flairs", "--report", "nowhere/page.html"], "nowhere/page.html: there is no folder"),
        (["gold-flairs", "--figures", "nowhere"], "figures into 'nowhere': there is no such folder; make it first"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, ["study", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["gold-flairs", "--returning", "4"],
        ["gold-flairs", "folder"],
        ["played", "x", "--runs", "3"],
        ["played", "x", "--quick"],
        ["forge", "--report", "page.html"],
        ["overcooked", "one", "two"],
    ],
)
def test_study_refuses_options_of_other_studies(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["study", *arguments])
    assert result.exit_code == 2


def test_study_accepts_options_before_the_name() -> None:
    with pytest.raises(TelosError, match="contradict"):
        CliRunner().invoke(app, ["study", "--quick", "--published", "gold-flairs"], catch_exceptions=False)


def test_every_registered_study_is_a_command() -> None:
    shown = CliRunner().invoke(app, ["study", "--help"]).stdout
    assert all(name in shown for name in STUDIES)


@pytest.mark.parametrize("name", ["overcooked", "crafter-planning", "starcraft", "monroe", "kitchen"])
def test_study_of_a_folder_asks_for_it(name: str) -> None:
    with pytest.raises(TelosError, match=f"telos study {name} FOLDER"):
        CliRunner().invoke(app, ["study", name], catch_exceptions=False)


def test_several_seeds_and_the_variant_from_the_text() -> None:
    said = json.loads(run("--rules", "both", "--seeds", "2", "--ablation", "1", "--json"))
    assert (said["study"], said["seeds"], said["simulated"]) == ("gold-flairs", [3, 4], True)
    assert set(said["variants"]) == {"from the text", "as before"}
    assert said["variants"]["from the text"]["experienced/ffbm"]["published"] == 90
    assert set(said["changes"]) == set(said["sentences"])
    lines = run("--rules", "text").splitlines()
    assert lines[0].startswith("gold-flairs: simulated players (players 2, runs 2")
    assert any("cannot be told" in line for line in lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "txt"], "there are no rules 'txt' of this study"),
        (["--seeds", "0"], "--seeds"),
        (["--seeds", "2", "--ablation", "3", "--rules", "text"], "0 to 2 of the seeds, got 3"),
        (["--ablation", "1"], "only the variant from the text has sentences to leave out"),
    ],
)
def test_bad_variants_and_seeds_are_refused_in_one_line(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, [*SMALL, *options])
    said = str(result.exception) if isinstance(result.exception, TelosError) else result.output
    assert result.exit_code != 0
    assert message in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ablation", "1"], "--ablation is for several seeds"),
        (["--scores", "scores.json"], "--scores is for several seeds"),
        (["--seeds", "2", "--ablation", "3"], "0 to 2 of the seeds, got 3"),
        (["--seeds", "2", "--ablation", "-1"], "--ablation"),
        (["--seeds", "2", "--ablation", "1", "--variant", "today"], "only the variant from the text has sentences"),
        (["--seeds", "2", "--variant", "text without page"], "there is no sentence 'page'; did you mean 'pages'"),
        (["--seeds", "2", "--quick"], "--seeds scores simulated players of the given size"),
    ],
)
def test_bad_ablations_of_the_island_are_refused_in_one_line(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["study", "crystal-island", *options])
    said = str(result.exception) if isinstance(result.exception, TelosError) else result.output
    assert result.exit_code != 0
    assert message in said
    assert "\n" not in said or "Usage" in said
