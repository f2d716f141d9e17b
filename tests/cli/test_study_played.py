"""``telos study played`` tells tables or one JSON object, writes a page, and refuses bad recordings."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import DefinitionError, TelosError
from telos.studies.players import EXPERIENCED, Player, play
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recording import write_recording


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("recordings")
    for name, directed in (("ada", True), ("free", False)):
        game = Adventure("flairs", seed=3, directed=directed, player=f"[bold]{name}")
        recording = play(game, Player(3, EXPERIENCED), max_frames=2_000).recording
        assert recording is not None
        write_recording(recording, found / f"{name}.jsonl")
    return found


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["study", "played", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_tables_say_that_players_are_human(folder: Path) -> None:
    said = run(str(folder))
    assert said.startswith("played: human players (2 recorded games, seed 1)")
    (row,) = [line for line in said.splitlines() if line.startswith("ada ")]
    assert "[bold]" in row
    assert "flairs  FFBM" in said
    assert all(len(line) <= 80 for line in said.splitlines())
    assert "free play of [bold]free; what was believed" in said


def test_json_is_one_object_and_the_page_is_written_beside_it(folder: Path, tmp_path: Path) -> None:
    said = json.loads(run(str(folder / "ada.jsonl"), "--json", "--report", str(tmp_path / "people.html")))
    assert (said["study"], said["human"], said["simulated"]) == ("played", True, False)
    (game,) = said["games"]
    assert set(game["accuracy"]) == {"fsm", "constant", "ffbm", "iohmm"}
    assert said["pooled"]["flairs"]["fsm"]["published"] == 46
    assert "human players" in (tmp_path / "people.html").read_text(encoding="utf-8")


def test_free_play_is_warned_of(folder: Path) -> None:
    result = CliRunner().invoke(app, ["study", "played", str(folder / "free.jsonl")], catch_exceptions=False)
    assert "free.jsonl is free play" in result.stderr
    assert result.exit_code == 0


def test_a_bad_recording_refuses_all_and_names_its_line(folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text((folder / "ada.jsonl").read_text(encoding="utf-8") + '["fly", 2]\n', encoding="utf-8")
    lines = len(bad.read_text(encoding="utf-8").splitlines())
    with pytest.raises(DefinitionError, match=rf"bad.jsonl:{lines}:1: .*'fly'"):
        CliRunner().invoke(app, ["study", "played", str(folder), str(bad)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["played"], "say which recordings: telos study played FILE_OR_FOLDER"),
        (["played", "x", "--report", "page.pdf"], "end its name with .html"),
        (["playd"], "there is no study 'playd'; did you mean 'played'?"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, ["study", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_help_mentions_played() -> None:
    assert "played" in CliRunner().invoke(app, ["study", "--help"]).stdout
