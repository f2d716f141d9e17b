"""Games and pages: opening, resuming, linking, recording and freeing."""

import json
import os
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.studio.recording import GameLog, parse_game_log
from telos.studio.server import hub as hubs
from telos.studio.server.game import Game
from telos.studio.server.hub import ABSENCE, GRACE, MAX_GAMES, Hub


def opened(hub: Hub, *, game: str = "", at: int | None = None, now: float = 0.0, seed: int = 3) -> Game:
    return hub.open("home", seed, {"people": "2"}, game=game, at=at, now=now)


def stepped(game: Game, steps: int) -> Game:
    for _ in range(steps):
        game.session.advance()
    return game


def hurried(game: Game) -> Game:
    """Advance to the target frame at once."""
    while game.target_frame is not None and game.session.last < game.target_frame:
        game.session.advance()
    return game


def picture(game: Game) -> object:
    return json.loads(game.session.frame())["pic"]


def test_closed_page_frees_game_after_grace() -> None:
    hub = Hub()
    game = opened(hub)
    hub.sweep(GRACE)
    assert game.name in hub.games
    hub.sweep(GRACE + 1)
    assert not hub.games


def test_reloaded_page_finds_its_game() -> None:
    hub = Hub()
    game = stepped(opened(hub), 5)
    assert opened(hub, game=game.name, now=3.0) is game


def test_page_reloaded_late_gets_game_from_its_log() -> None:
    hub = Hub()
    game = stepped(opened(hub), 30)
    again = hurried(opened(hub, game=game.name, now=GRACE + 5))
    assert again is not game
    assert again.session.last == 30
    assert picture(again) == picture(game)


def test_link_to_moment_of_open_game_opens_copy() -> None:
    hub = Hub()
    game = stepped(opened(hub), 12)
    game._send = print  # a page is connected
    other = hurried(opened(hub, game=game.name, at=7))
    assert other is not game
    assert (other.session.last, other.shows_target) == (7, True)
    assert opened(hub, game=game.name) is game  # while reloading, the old page is still there


def test_unknown_game_is_reported_as_lost() -> None:
    game = opened(Hub(), game="gone-with-the-server")
    assert game._notes == [hubs._LOST]
    assert game.session.seed == 3


def test_moment_of_new_game_is_linked_by_seed() -> None:
    game = hurried(opened(Hub(), at=40))
    assert (game.session.last, game.shows_target) == (40, True)


def test_number_of_games_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "MAX_GAMES", 2)
    hub = Hub()
    opened(hub)
    opened(hub)
    with pytest.raises(TelosError, match="games are open"):
        opened(hub)


def test_recorded_game_is_on_disk_and_survives_restart(tmp_path: Path) -> None:
    game = stepped(opened(hub := Hub(tmp_path / "recordings")), 25)
    hub.sweep(1.0)
    again = hurried(opened(Hub(tmp_path / "recordings"), game=game.name))
    assert again._notes == []
    assert picture(again) == picture(game)


@pytest.mark.parametrize("name", ["../../etc/passwd", "*", "a" * 300, "", "x/y", "\0"])
def test_game_name_cannot_leave_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.studio.jsonl").write_text("{}")
    game = opened(Hub(tmp_path / "recordings"), game=name)
    assert game.session.last == 0


def test_uploaded_recording_is_replayed() -> None:
    game = stepped(opened(Hub()), 10)
    name, data = game.session.recording()
    again = Hub().replay_file(data, now=0.0, file=name)
    assert again.session.settings["people"] == "2"
    assert picture(stepped(again, 10)) == picture(game)


def test_invalid_recording_is_refused_and_starts_no_game() -> None:
    hub = Hub()
    for data in (b"", b"{}", b"\xff", b'{"recording": "telos studio game"}'):
        with pytest.raises((DefinitionError, TelosError)):
            hub.replay_file(data, now=0.0)
    assert not hub.games


def test_link_is_limited_in_new_game_and_to_played_steps() -> None:
    hub = Hub()
    far = opened(hub, at=999_999_999)
    assert far.target_frame == hubs.MAX_AHEAD
    assert far._notes == [hubs._TOO_FAR]
    game = stepped(opened(hub), 12)
    game._send = print  # a page is connected
    assert opened(hub, game=game.name, at=999).target_frame == 12


def test_write_failure_is_reported_once_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("a file, where the folder should be")
    hub = Hub(tmp_path / "recordings")
    game = stepped(opened(hub), 5)
    for now in (1.0, 2.0, 3.0):
        hub.sweep(now)
        stepped(game, 5)
    assert [note.split(":")[0] for note in game._notes] == ["This game is not recorded"]
    other = opened(hub, now=4.0)
    (tmp_path / "recordings").unlink()
    hub.sweep(5.0)
    assert not game.is_unwritten
    assert list((tmp_path / "recordings").glob(f"*{game.name}.studio.jsonl"))
    hub.sweep(60.0)
    assert not hub.games
    assert other.name not in hub._logs


def test_long_game_is_written_less_often_and_fully_at_end(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    game = stepped(opened(hub), 300)
    hub.sweep(1.0)
    stepped(game, 2)
    hub.sweep(2.0)

    def steps() -> list[int]:
        return [json.loads(each.read_text().splitlines()[0])["steps"] for each in tmp_path.glob("*.studio.jsonl")]

    assert steps() == [300]
    hub.free(game.name)
    assert steps() == [302]


def test_resumed_game_keeps_name_and_file_and_copy_gets_none(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    game = stepped(opened(hub), 20)
    hub.free(game.name)
    assert len(list(tmp_path.glob("*.studio.jsonl"))) == 1
    again = hurried(opened(hub, game=game.name))
    assert again.name == game.name
    copy = hurried(opened(hub, game=game.name, at=10))
    again._send = print  # a page is connected
    copy = hurried(opened(hub, game=game.name, at=10))
    assert copy.name != game.name
    hub.free(copy.name)
    assert len(list(tmp_path.glob("*.studio.jsonl"))) == 1
    stepped(again, 5)
    hub.free(again.name)
    (file,) = tmp_path.glob("*.studio.jsonl")
    assert json.loads(file.read_text().splitlines()[0])["steps"] == 25


def test_model_applied_after_last_step_is_written(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    game = hub.open("adventure", 3, {"plays": "you"}, now=0.0)
    stepped(game, 40)
    hub.sweep(1.0)
    game.session.apply("ffbm", game.session.recognizers.texts["ffbm"] + "# mine\n")
    hub.sweep(2.0)
    (file,) = tmp_path.glob("*.studio.jsonl")
    assert "# mine" in file.read_text()


def test_copy_with_model_is_not_written_before_new_input(tmp_path: Path) -> None:
    game = stepped(Hub().open("adventure", 3, {"plays": "you"}, now=0.0), 20)
    game.session.apply("ffbm", game.session.recognizers.texts["ffbm"] + "# mine\n")
    stepped(game, 5)
    hub = Hub(tmp_path)
    copy = stepped(hub.replay_file(game.session.recording()[1], now=0.0), 25)
    hub.sweep(1.0)
    assert not list(tmp_path.iterdir())
    stepped(copy, 1)
    hub.sweep(2.0)
    assert len(list(tmp_path.glob("*.studio.jsonl"))) == 1


def test_first_save_is_made_at_the_first_sweep_and_later_ones_each_second(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    game = opened(hub)
    hub.sweep(0.25)
    assert not list(tmp_path.iterdir())  # nothing has happened yet
    stepped(game, 1)
    hub.sweep(0.5)
    assert [log.steps for log in logs(tmp_path)] == [1]
    stepped(game, 20)
    hub.sweep(0.75)
    assert [log.steps for log in logs(tmp_path)] == [1]
    hub.sweep(1.5)
    assert [log.steps for log in logs(tmp_path)] == [21]


def test_sweep_with_little_time_writes_one_game_and_the_others_later(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    for _ in range(3):
        stepped(opened(hub), 5)
    counts = []
    for now in (0.25, 0.5, 0.75, 1.0):
        hub.sweep(now, seconds=0.0)
        counts.append(len(logs(tmp_path)))
    assert counts == [1, 2, 3, 3]


def test_full_disk_is_one_warning_in_page_and_terminal_and_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hub = Hub(tmp_path)
    games = [stepped(opened(hub), 5) for _ in range(2)]
    hub.sweep(0.0)

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for now in (2.0, 4.0, 6.0):
            for game in games:
                stepped(game, 5)
            hub.sweep(now)
    assert [len(game._notes) for game in games] == [1, 1]
    assert "No space left" in games[0]._notes[0]
    assert ["No space left" in record.getMessage() for record in caplog.records] == [True]
    assert [log.steps for log in logs(tmp_path)] == [5, 5]
    assert not list(tmp_path.glob(".*"))
    hub.sweep(8.0)
    assert [log.steps for log in logs(tmp_path)] == [20, 20]
    assert [game.session.last for game in games] == [20, 20]


def logs(folder: Path) -> list[GameLog]:
    """Return the logs in a folder; one that is cut off would raise."""
    return [parse_game_log(file.read_bytes()) for file in folder.glob("*.studio.jsonl")]


def test_cut_log_on_disk_is_a_lost_game_not_a_shorter_one(tmp_path: Path) -> None:
    game = stepped(opened(hub := Hub(tmp_path)), 25)
    game.session.hold("right")
    stepped(game, 3)
    hub.free(game.name)
    (file,) = tmp_path.glob("*.studio.jsonl")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]))
    assert opened(Hub(tmp_path), game=game.name)._notes == [hubs._LOST]


def entered(hub: Hub, world: str, *, visitor: str = "ann", page: str = "", now: float = 0.0) -> Game:
    return hub.enter(world, 3, visitor=visitor, page=page, now=now)


def linked(game: Game, page: str = "") -> Game:
    game._send, game.page, game.left_at = print, page, None  # a page is connected
    return game


def left(game: Game, now: float) -> Game:
    game._send, game.left_at = None, now
    return game


def test_visitor_who_comes_back_to_a_world_finds_the_game() -> None:
    hub = Hub()
    home = left(stepped(linked(entered(hub, "home")), 7), 5.0)
    linked(entered(hub, "forge", now=5.0))
    hub.sweep(5.0 + GRACE + 300)
    assert entered(hub, "home", now=320.0) is home
    assert home.session.last == 7


def test_game_left_for_another_world_is_freed_at_last_and_resumes() -> None:
    hub = Hub()
    home = left(stepped(linked(entered(hub, "home")), 7), 0.0)
    linked(entered(hub, "forge"))
    hub.sweep(ABSENCE + 1)
    assert home.name not in hub.games
    again = hurried(entered(hub, "home", now=ABSENCE + 2))
    assert (again.name, again.session.last, again._notes) == (home.name, 7, [])
    assert picture(again) == picture(home)


def test_games_of_a_visitor_without_a_page_are_freed_after_grace() -> None:
    hub = Hub()
    for world in ("home", "forge"):
        left(linked(entered(hub, world)), 0.0)
    hub.sweep(GRACE + 1)
    assert not hub.games


def test_game_that_another_page_plays_is_not_taken_by_entering() -> None:
    hub = Hub()
    home = linked(entered(hub, "home"), page="first")
    assert entered(hub, "home", page="second") is not home
    hub = Hub()
    home = linked(entered(hub, "home"), page="first")
    assert entered(hub, "home", page="first") is home


def test_visitors_do_not_share_games_and_new_game_replaces_the_last() -> None:
    hub = Hub()
    home = entered(hub, "home")
    assert entered(hub, "home", visitor="ben") is not home
    new = hub.open("home", 9, {"people": "2"}, visitor="ann", now=0.0)
    assert entered(hub, "home") is new


def test_replay_of_a_recording_is_not_the_game_one_comes_back_to() -> None:
    hub = Hub()
    home = stepped(entered(hub, "home"), 5)
    replay = hub.replay_file(home.session.recording()[1], now=0.0)
    assert hub.open("home", 0, {}, game=replay.name, visitor="ann", now=0.0) is replay
    assert entered(hub, "home") is home


def test_full_hub_frees_the_longest_left_game_and_keeps_its_log() -> None:
    hub = Hub()
    games = [linked(entered(hub, "home", visitor=f"v{number}")) for number in range(MAX_GAMES - 2)]
    awaited = [left(stepped(linked(entered(hub, "home", visitor=f"w{at}")), 2), float(at)) for at in range(2)]
    for at in range(2):
        games[at].visitor = f"w{at}"  # plays elsewhere meanwhile
    linked(entered(hub, "home", visitor="late", now=GRACE + 20))
    assert [game.name in hub.games for game in awaited] == [False, True]
    linked(entered(hub, "home", visitor="later", now=GRACE + 20))
    with pytest.raises(TelosError, match="64 games"):
        entered(hub, "home", visitor="latest", now=GRACE + 20)
    assert hub._find_log(awaited[0].name) is not None
