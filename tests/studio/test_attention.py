"""A game that a person plays waits while its player looks at something else."""

import pytest

from studio.tiny import LINE
from telos.core.errors import TelosError
from telos.studio.recording import parse_game_log
from telos.studio.session import Session


def played_session() -> Session:
    session = Session(LINE)
    session.stage.is_played = True
    return session


@pytest.mark.parametrize("place", ["help", "menu", "dialog"])
def test_game_goes_on_when_dialog_is_closed(place: str) -> None:
    session = played_session()
    session.look(place)
    assert session.waits.startswith("Paused while you read")
    session.look("")
    assert session.waits == ""


@pytest.mark.parametrize("place", ["text", "hidden"])
def test_game_waits_for_key_after_typing_and_other_tab(place: str) -> None:
    session = played_session()
    session.look(place)
    session.look("")
    assert session.waits
    session.hold("nothing the stage knows")
    assert session.waits
    session.hold("right")
    assert session.waits == ""


def test_click_on_game_ends_waiting() -> None:
    session = played_session()
    session.look("text")
    session.go_on()
    assert session.waits == ""


def test_waiting_neither_sets_nor_lifts_pause_of_player() -> None:
    session = played_session()
    session.look("help")
    assert not session.paused
    session.pause(True)
    session.look("")
    session.go_on()
    assert session.paused


def test_looking_away_releases_held_keys() -> None:
    session = played_session()
    session.hold("right")
    session.look("menu")
    session.look("")
    session.advance()
    assert session.log.runs[-1][0].held == ""  # type: ignore[union-attr]


def test_watched_game_and_replay_never_wait() -> None:
    watched = Session(LINE)
    watched.look("help")
    assert watched.waits == ""
    replay = Session(LINE, script=parse_game_log(played_log(4)).entries())
    replay.stage.is_played = True
    replay.look("hidden")
    assert replay.waits == ""


def played_log(steps: int) -> bytes:
    session = played_session()
    for _ in range(steps):
        session.advance()
    return session.recording()[1]


def test_waiting_is_no_part_of_recording() -> None:
    session = played_session()
    for _ in range(2):
        session.advance()
        session.look("help")
        session.look("")
    session.advance()
    session.advance()
    assert session.recording()[1] == played_log(4)


def test_page_that_comes_back_finds_game_waiting() -> None:
    session = played_session()
    session.look("help")
    session.attention.leave()
    session.look("")
    assert session.waits.startswith("Paused while you were away")


def test_unknown_place_is_refused_with_nearest_one() -> None:
    with pytest.raises(TelosError, match="hidden"):
        played_session().look("hiden")
