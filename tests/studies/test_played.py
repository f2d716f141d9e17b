"""Recorded games: scored where the truth is known, told where it is not, and all refused if one is bad."""

from dataclasses import replace
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.studies import played
from telos.studies.played import (
    METHODS,
    OWN,
    RecordedGames,
    played_result,
    read_game,
    read_games,
    recordings_in,
    run_study,
)
from telos.studies.players import EXPERIENCED, Player, Session, play, session_of
from telos.studies.report import page
from telos.studies.scoring import read
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recording import Recording, write_recording

FIRST_FOUR = ["fsm", "constant", "ffbm", "iohmm"]


def session(rules: str, *, seed: int = 3, directed: bool = True, frames: int = 36_000) -> Session:
    game = Adventure(rules, seed=seed, directed=directed, player=f"ada {seed}")
    return play(game, Player(seed, EXPERIENCED), max_frames=frames)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Recording]:
    games = {
        "flairs": session("flairs"),
        "second": session("flairs", seed=5),
        "aiide": session("aiide"),
        "early": session("aiide", seed=4, frames=300),
        "free": session("flairs", directed=False, frames=900),
    }
    assert all(games[name].is_done for name in ("flairs", "second", "aiide"))
    return {name: each.recording for name, each in games.items() if each.recording is not None}


@pytest.fixture
def folder(tmp_path: Path, recorded: dict[str, Recording]) -> Path:
    for name, recording in recorded.items():
        write_recording(recording, tmp_path / f"{name}.jsonl")
    return tmp_path


def test_a_game_is_scored_by_what_the_player_was_given(folder: Path, recorded: dict[str, Recording]) -> None:
    game = read_game(folder / "flairs.jsonl")
    again = session_of(recorded["flairs"])
    readers = {
        "ffbm": create_recognizer(named_model("flairs")),
        "iohmm": create_recognizer(named_model("flairs-iohmm")),
    }
    reading = read(readers, zip(again.events, again.truths, strict=True), clock="ffbm")
    assert list(game.tallies) == FIRST_FOUR
    assert {name: game.tallies[name] for name in readers} == {name: reading.tally(name) for name in readers}
    assert (game.player, game.rules, game.phases, game.part) == ("ada 3", "flairs", (3, 3), "")
    assert game.updates == len(reading.truths) > 50
    assert game.warning == ""


def test_aiide_game_is_scored_on_its_test_round_with_own_lessons_too(
    folder: Path, recorded: dict[str, Recording]
) -> None:
    game = read_game(folder / "aiide.jsonl")
    assert list(game.tallies) == [*FIRST_FOUR, OWN]
    assert (game.condition, game.phases) == ("aiide, test round", (6, 6))
    again = session_of(recorded["aiide"])
    rounds = [phase.round for phase in again.phases for _ in range(phase.start, phase.end)]
    learner = create_recognizer(named_model("aiide"))
    assert isinstance(learner, Reader)
    for event, truth, part in zip(again.events, again.truths, rounds, strict=True):
        if part == "training" and truth is not None:
            learner.learn(event, truth)
    test = [(e, t) for e, t, part in zip(again.events, again.truths, rounds, strict=True) if part == "test"]
    learner.reset()
    reading = read({"own": learner, "ffbm": create_recognizer(named_model("aiide-ffbm"))}, test, clock="ffbm")
    assert game.tallies[OWN] == reading.tally("own")


def test_who_never_came_to_the_test_round_is_pooled_apart(folder: Path) -> None:
    done = read_games([folder / "aiide.jsonl", folder / "early.jsonl"])
    early = done.games[1]
    assert early.condition == "aiide, training round"
    assert OWN not in early.tallies
    assert "was not finished: 0 of 6 phases were" in early.warning
    assert {name: len(scores["ffbm"].values) for name, scores in done.pooled.items()} == {
        "aiide, test round": 1,
        "aiide, training round": 1,
    }


def test_free_play_is_told_and_not_scored(folder: Path) -> None:
    done = read_games([folder / "free.jsonl", folder / "flairs.jsonl"])
    free = done.games[0]
    assert not free.tallies
    assert free.updates > 0
    assert list(free.believed) == FIRST_FOUR
    for shares in free.believed.values():
        assert sum(shares.values()) == pytest.approx(1)
    assert list(done.pooled) == ["flairs"]
    assert len(done.pooled["flairs"]["ffbm"].values) == 1
    assert "free play" in done.warnings[0]


def test_a_recording_in_which_nothing_happened_is_told(tmp_path: Path) -> None:
    write_recording(Adventure("flairs", seed=1).recording(), tmp_path / "nothing.jsonl")
    done = read_games([tmp_path / "nothing.jsonl"])
    assert "there is nothing to score" in done.warnings[0]
    assert done.pooled == {}
    assert played_result(done).data["games"][0]["updates"] == 0


def test_means_are_over_games_and_published_figures_stand_beside_them(folder: Path) -> None:
    done = read_games([folder / "flairs.jsonl", folder / "second.jsonl"])
    score = done.pooled["flairs"]["ffbm"]
    assert score.values == tuple(game.tallies["ffbm"].accuracy for game in done.games)
    assert score.published == 59
    assert done.pooled["flairs"]["iohmm"].published is None


def test_a_folder_is_all_its_recordings_by_name_and_a_file_counts_once(folder: Path) -> None:
    names = [file.name for file in recordings_in([folder / "free.jsonl", folder])]
    assert names == ["free.jsonl", "aiide.jsonl", "early.jsonl", "flairs.jsonl", "second.jsonl"]
    with pytest.raises(TelosError, match="say which recordings"):
        recordings_in([])


def test_simulated_recording_is_skipped_in_folders_and_refused_by_name(
    folder: Path, recorded: dict[str, Recording]
) -> None:
    write_recording(replace(recorded["flairs"], simulated=True), folder / "robot.jsonl")
    assert folder / "robot.jsonl" not in recordings_in([folder])
    with pytest.raises(DefinitionError, match=r"robot.jsonl:1:1: a simulated player played this"):
        run_study([folder / "robot.jsonl"])


def test_what_else_was_recorded_into_a_folder_is_left_out(folder: Path) -> None:
    before = recordings_in([folder])
    (folder / "home.jsonl").write_text('{"kind": "started", "world": "home"}\n')
    (folder / "flairs.studio.jsonl").write_text('{"recording": "telos studio game", "version": 1}\n')
    assert recordings_in([folder]) == before
    for broken in ("{", "[" * 9_999, "1" * 9_999, "\0", "\ud800"):
        (folder / "broken.jsonl").write_text(broken, errors="surrogatepass")
        assert folder / "broken.jsonl" in recordings_in([folder])  # so that it is told of


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"there is no recording \(\*.jsonl\) in"):
        run_study([tmp_path])


def test_bad_files_are_all_named_with_their_lines_and_nothing_is_scored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (folder / "second.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "second.jsonl").write_text("\n".join([*lines[:2], '["jump", 3]', *lines[3:]]), encoding="utf-8")
    (folder / "early.jsonl").write_text("no recording at all\n", encoding="utf-8")
    recording = session("flairs", frames=30).recording
    assert recording is not None
    write_recording(replace(recording, fingerprint="0123456789ab"), folder / "other.jsonl")
    write_recording(replace(recording, rules="nowhere"), folder / "rules.jsonl")
    with pytest.raises(DefinitionError) as refused:
        run_study([folder, folder / "missing.jsonl"])
    places = {(Path(fault.file).name, fault.line) for fault in refused.value.faults}
    assert {("second.jsonl", 3), ("early.jsonl", 1), ("other.jsonl", 1), ("rules.jsonl", 1)} <= places
    assert {name for name, _ in places} == {
        "second.jsonl", "early.jsonl", "other.jsonl", "rules.jsonl", "missing.jsonl",
    }  # fmt: skip
    monkeypatch.setattr(played, "MAX_FRAMES", 100)
    with pytest.raises(DefinitionError, match="at most 100 are read"):
        run_study([folder / "flairs.jsonl"])


def test_jobs_change_nothing(folder: Path) -> None:
    places = [folder / "flairs.jsonl", folder / "free.jsonl"]
    assert run_study(places, jobs=2).data == run_study(places).data


def test_the_page_says_human_and_shows_every_method(folder: Path) -> None:
    shown = page(run_study([folder]))
    assert "human players" in shown
    assert "bars are simulated" not in shown
    assert all(label in shown for label in METHODS.values())
    assert "Free play: what was believed" in shown
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "")


def test_names_in_a_recording_are_no_markup_of_the_page(tmp_path: Path) -> None:
    recording = session("flairs", frames=300).recording
    assert recording is not None
    write_recording(replace(recording, player="<script>alert(1)</script>"), tmp_path / "x.jsonl")
    assert "<script>" not in page(run_study([tmp_path]))


def test_a_study_of_nothing_has_figures_all_the_same() -> None:
    assert played_result(RecordedGames(1, ())).data["pooled"] == {}
