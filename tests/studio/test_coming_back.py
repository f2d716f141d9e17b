"""Coming back to a game: a reminder of what one was doing, and a companion that goes on with what it has learned."""

import pytest

from telos.studio.attention import MIN_AWAY
from telos.studio.event_log import LogFilter, to_text
from telos.studio.server.hub import GRACE, Hub
from telos.studio.session import TO_GO_ON, Session
from telos.studio.stage import world
from telos.worlds.adventure.recording import loads_recording

PLAYED = {"rules": "wilds"}


def walk(session: Session, keys: str, steps: int) -> None:
    session.hold(keys)
    for _ in range(steps):
        session.advance()


def played(seed: int = 3, rules: str = "wilds") -> Session:
    session = Session(world("adventure"), seed, {"rules": rules})
    for keys in ("left", "", "up", "", "right") * 6:
        walk(session, keys, 20)
    return session


def test_who_comes_back_is_reminded_and_the_game_waits() -> None:
    session = played()
    steps = session.log.steps
    told = session.remind(7200)
    assert told.startswith("Last time you were ")
    assert session.frame_data["hud"]["message"] == f"{told} {TO_GO_ON}."
    assert session.is_waiting
    assert told.encode() in to_text(session.event_log.selected(LogFilter()))
    session.hold("up")
    assert not session.is_waiting
    assert told not in session.frame_data["hud"]["message"]
    assert session.log.steps == steps, "nothing has moved meanwhile"


def test_nobody_is_reminded_after_a_short_break_or_of_nothing() -> None:
    session = played()
    assert session.remind(MIN_AWAY - 1) == ""
    assert not session.is_waiting
    assert Session(world("adventure"), 3, PLAYED).remind(7200) == "", "nothing was done yet"
    simulated = Session(world("adventure"), 3, {**PLAYED, "plays": "newcomer"})
    for _ in range(300):
        simulated.advance()
    assert simulated.remind(7200) == "", "nobody plays"
    assert Session(world("home"), 3).remind(7200) == ""


def test_a_model_without_words_for_its_goals_reminds_of_nothing() -> None:
    session = played()
    looks = "{a: {swing: 0.5, others: shared}, b: {stop: 0.5, others: shared}}"
    session.apply("ffbm", f"recognizer: ffbm\ngoals: [a, b]\nobservations: {looks}")
    assert session.remind(7200) == ""


@pytest.mark.parametrize("away", [GRACE - 1, 3 * MIN_AWAY])
def test_a_game_that_is_found_again_reminds_its_player(away: float) -> None:
    hub = Hub()
    game = hub.open("adventure", 3, PLAYED, visitor="ann", now=0.0)
    for keys in ("left", "", "up", "", "right") * 6:
        walk(game.session, keys, 20)
    game.session.hold("")
    game.left_at = 100.0
    found = hub.enter("adventure", visitor="ann", now=100.0 + away)
    assert found.session.id == game.session.id
    if found is game:
        assert found.session.is_waiting == (away >= MIN_AWAY)
    else:  # it was freed, and is resumed from its log
        assert found.away == pytest.approx(away)


def learned(session: Session) -> int:
    found = session.stage.learned
    assert found is not None
    return found.lessons


def test_a_new_game_goes_on_with_what_the_last_one_learned() -> None:
    hub = Hub()
    tutorial = {"rules": "tutorial"}
    first = hub.open("adventure", 3, tutorial, visitor="ann", now=0.0)
    assert learned(first.session) == 0
    for keys in ("left", "", "up", "", "right") * 6:
        walk(first.session, keys, 20)
    lessons = learned(first.session)
    assert lessons > 5
    assert ("lessons", str(lessons)) in first.session.stage.hud().counts
    model = next(model for model in first.session.stage.models() if model.name == "learned")
    assert (model.file, model.editable) == ("learned.yaml", False)
    assert "counts:" in model.text

    second = hub.open("adventure", 4, {**tutorial, "goals": "free"}, visitor="ann", now=1.0)
    assert learned(second.session) == lessons
    stranger = hub.open("adventure", 4, tutorial, visitor="bo", now=1.0)
    assert learned(stranger.session) == 0
    other = hub.open("adventure", 4, PLAYED, visitor="ann", now=2.0)
    assert other.session.stage.learned is None

    walk(second.session, "up", 40)
    again = hub.replay(second.session.log, now=3.0)
    while again.session.is_scripted:
        again.session.advance()
    assert learned(again.session) == lessons
    assert again.session.recognizers.beliefs == second.session.recognizers.beliefs
    own = second.session.stage.recording()
    assert own is not None
    assert len(loads_recording(own[1].decode()).models) == 2
