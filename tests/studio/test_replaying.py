"""A recording that is played again: its length, its end, and how to leave it."""

import pytest

from studio.tiny import LINE
from telos.core.errors import TelosError
from telos.studio.session import Session


def recorded(steps: int = 40) -> Session:
    session = Session(LINE)
    session.hold("right")
    for _ in range(steps):
        session.advance()
    return session


def replayed(steps: int = 40) -> Session:
    return Session(LINE, script=recorded(steps).log.entries())


def test_length_of_replay_is_known_at_once() -> None:
    session = replayed()
    assert session.replay == {"steps": 40, "seconds": 4.0}
    session.advance()
    assert session.replay == {"steps": 40, "seconds": 4.0}
    assert recorded().replay is None


def test_keys_and_commands_of_replay_are_refused_with_remedy() -> None:
    session = replayed()
    for act in (lambda: session.hold("left"), lambda: session.ask("poke jump")):
        with pytest.raises(TelosError, match=r"replay.*Enter"):
            act()
    session.hold("")
    while session.replay:
        session.advance()
    assert session.frame_data["hud"]["counts"] == (("x", "40"),)


def test_player_who_takes_over_plays_on_from_there() -> None:
    session = replayed()
    for _ in range(10):
        session.advance()
    session.take_over()
    assert (session.replay, session.is_new, session.paused) == (None, False, False)
    session.hold("left")
    session.advance()
    assert session.is_new
    assert session.frame_data["hud"]["counts"] == (("x", "9"),)
    assert session.log.steps == 11
    with pytest.raises(TelosError):
        session.take_over()


def test_whole_log_of_replay_has_what_is_still_to_come() -> None:
    session = replayed()
    session.advance()
    assert session.whole_log().to_bytes() == recorded().log.to_bytes()
    assert session.log.steps == 1
