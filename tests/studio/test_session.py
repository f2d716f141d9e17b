"""Sessions: input, playing, scrubbing, models and replay."""

import json

import pytest

from studio.tiny import ALWAYS_WEST, BY_LAST_STEP, LINE
from telos.core.errors import DefinitionError, TelosError
from telos.studio.session import WAITING, Session
from telos.studio.stage import Inputs


def played(*held: str, seed: int = 0, **settings: str) -> Session:
    session = Session(LINE, seed, settings)
    for keys in held:
        session.hold(keys)
        session.advance()
    return session


def frame_at(session: Session, number: int | None) -> dict:
    session.scrub(number)
    return json.loads(session.frame())


def test_held_key_moves_player_and_belief() -> None:
    session = played("left", "left")
    assert session.recognizers.beliefs["last"].top == "west"
    assert json.loads(session.frame())["hud"]["counts"] == [["x", "-2"]]
    session = played("right")
    assert session.recognizers.beliefs["last"].top == "east"


def test_unknown_keys_are_ignored() -> None:
    session = played("left+flap+left+")
    assert session.log.runs[0][0].held == "left"


def test_scrub_shows_frame_as_it_was_live() -> None:
    session, live = Session(LINE, 3, {"wind": "on"}), []
    for at in range(200):
        live.append(json.loads(session.frame()))
        session.hold(("left", "right", "")[at % 3])
        session.advance()
    for number in (0, 1, 63, 64, 150, 199):
        again = frame_at(session, number)
        assert again.pop("live") is False
        assert {**live[number], "live": False} == {**again, "live": False}
    session.pause(False)
    assert session.shown is None
    assert json.loads(session.frame())["n"] == 200


def test_same_inputs_replay_same_game() -> None:
    first = played("left", "", "right", "right", seed=5, wind="on")
    first.ask("poke jump")
    first.advance()
    again = Session(LINE, 5, first.settings, script=list(first.log.entries()))
    while again.is_scripted:
        again.advance()
    assert again.paused
    assert "recording ends" in again.stopped
    for number in range(first.last + 1):
        assert frame_at(again, number)["pic"] == frame_at(first, number)["pic"]
    assert again.log.to_bytes() == first.log.to_bytes()


def test_invalid_command_is_reported_and_game_continues() -> None:
    session = played("left")
    session.ask("fly")
    session.advance()
    assert session.last == 2
    assert session.refusals == ["nobody knows how to 'fly'; try `poke jump`"]
    assert json.loads(session.frame())["hud"]["counts"] == [["x", "-2"]]


def test_scoreboard_uses_goal_before_step() -> None:
    session = played(*["right"] * 20, *["left"] * 20)  # the truth turns after twenty steps; x is never below 0
    assert session.scoreboard.accuracy("last") == pytest.approx(20 / 40)
    assert session.scoreboard.confusion["last"]["west", "east"] == 20


def test_applied_model_reads_all_earlier_events() -> None:
    session = played(*["right"] * 10)
    assert session.scoreboard.accuracy("last") == 1.0
    session.apply("last", ALWAYS_WEST)
    assert session.recognizers.beliefs["last"].top == "west"
    assert json.loads(session.frame())["beliefs"]["last"] == {"west": 1.0, "east": 0.0}
    assert session.scoreboard.accuracy("last") == 0.0
    assert session.version == 1
    assert session.history()["beliefs"]["last"]["west"][-1] == 1.0
    assert session.stage.applied == ["last"]


def test_faulty_model_changes_nothing() -> None:
    session = played("right")
    with pytest.raises(DefinitionError, match="<text>:2"):
        session.apply("last", BY_LAST_STEP.replace("goals: [west, east]", "goals: [west, west]"))
    session.advance()
    assert session.recognizers.texts["last"] == BY_LAST_STEP
    assert session.recognizers.beliefs["last"].top == "east"
    assert session.version == 0


def test_game_with_applied_model_is_replayed_with_it() -> None:
    first = played("right")
    first.apply("last", ALWAYS_WEST)
    first.advance()
    again = Session(LINE, 0, {}, script=list(first.log.entries()))
    while again.is_scripted:
        again.advance()
    assert again.recognizers.texts["last"] == ALWAYS_WEST
    assert again.log.to_bytes() == first.log.to_bytes()


def test_why_explains_clicked_moment() -> None:
    session = played("left", *["right"] * 5)
    first, last = session.why(0), session.why(5)
    assert "a key was held" in first
    assert "Last step: " in first
    assert "west" in first.splitlines()[-1]
    assert first != last
    with pytest.raises(TelosError, match="99"):
        session.why(99)


def test_condition_pauses_once_when_it_becomes_true() -> None:
    session = Session(LINE)
    session.pause_when("last.top == east and x >= 3")
    session.hold("right")
    for _ in range(10):
        if not session.paused:
            session.advance()
    assert session.stage.x == 3
    assert session.stopped == "paused at 0.3 s: last.top == east and x >= 3"
    session.pause(False)
    session.advance()
    assert not session.paused
    with pytest.raises(TelosError, match=r"last\.esat"):
        session.pause_when("last.esat > 0.5")


def test_minds_are_shown_as_at_shown_moment() -> None:
    session = played(*["right"] * 25)
    assert session.mind("walker").doing == "at 25"
    session.scrub(14)
    assert session.mind("walker").doing == "at 10"  # minds are kept once a second of play
    assert session.minds() == ("walker",)
    assert session.mind("nobody") is None


def test_finished_game_stands_still() -> None:
    session = played(*["right"] * 60)
    assert session.last == 50
    assert session.paused
    assert json.loads(session.frame())["hud"]["over"] == "the end"


def test_invalid_settings_are_ignored() -> None:
    assert Session(LINE, 0, {"wind": "storm", "else": "x"}).settings == {"wind": "off", "begins": "at once"}


def test_game_may_wait_for_first_key() -> None:
    session = Session(LINE, 0, {"begins": "with a key"})
    assert session.is_waiting
    assert json.loads(session.frame())["hud"]["message"] == WAITING
    session.hold("")
    assert session.is_waiting
    session.hold("left")
    assert not session.is_waiting
    assert json.loads(session.frame())["hud"]["message"] == ""
    again = Session(LINE, 0, session.settings, script=iter([Inputs("left")]))
    assert not again.is_waiting


def test_unreadable_event_is_reported_once_and_game_continues() -> None:
    session = played("left", "")
    for _ in range(3):
        session.ask("poke jump")
        session.advance()
    assert session.last == 5
    assert len(session.refusals) == 1
    assert session.refusals[0].startswith("Last step cannot read this event: ")
    assert session.recognizers.beliefs["last"].top == "west"
    session.apply("last", ALWAYS_WEST)  # and neither does telling it all again stop anything
    assert session.recognizers.beliefs["last"].top == "west"


def test_model_applied_last_is_current_at_end_of_recording() -> None:
    first = played("right", "right")
    first.apply("last", ALWAYS_WEST)
    again = Session(LINE, 0, {}, script=list(first.log.entries()))
    again.advance()
    assert (again.recognizers.texts["last"], again.paused) == (BY_LAST_STEP, False)
    again.advance()
    assert (again.recognizers.texts["last"], again.paused) == (ALWAYS_WEST, True)
    assert again.log.to_bytes() == first.log.to_bytes()
    assert again.history() == first.history()


def test_model_refused_by_world_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    session = played("right", "left")
    before = json.dumps(session.history()), session.recognizers.updates["last"], session.log.to_bytes()

    def refuse(name: str, text: str) -> str:
        raise TelosError("nobody here lives by it", "choose another")

    monkeypatch.setattr(session.stage, "apply", refuse)
    with pytest.raises(TelosError, match="nobody here"):
        session.apply("last", ALWAYS_WEST)
    assert (json.dumps(session.history()), session.recognizers.updates["last"], session.log.to_bytes()) == before
    assert session.recognizers.texts["last"] == BY_LAST_STEP


def test_failing_recognizer_is_reported_and_ends_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    session = played("right")
    monkeypatch.setattr(session.recognizers.readers["last"], "observe", lambda event: 1 / 0)
    for _ in range(3):
        session.advance()
    assert session.last == 4
    assert session.refusals == ["Last step cannot read this event: ZeroDivisionError: division by zero"]


def test_number_of_waiting_refusals_is_limited() -> None:
    session = Session(LINE, script=[Inputs(asked=(f"fly {number}",)) for number in range(500)])
    for _ in range(500):
        session.advance()
    assert len(session.refusals) == 20


def test_past_beliefs_follow_new_model_and_picture_does_not() -> None:
    session = played(*["right"] * 10)
    before = frame_at(session, 5)
    session.apply("last", ALWAYS_WEST)
    after = frame_at(session, 5)
    assert after.pop("beliefs") == {"last": {"west": 1.0, "east": 0.0}}
    assert before.pop("beliefs") == {"last": {"west": 0.0, "east": 1.0}}
    assert after == before


def test_commands_are_refused_while_catching_up() -> None:
    session = played("left")
    session.is_catching_up = True
    with pytest.raises(TelosError, match="still on its way"):
        session.ask("poke jump")


def test_step_back_and_forward_reach_the_live_game() -> None:
    game = Session(LINE)
    for _ in range(5):
        game.advance()
    for expected in (4, 3):
        game.step_back()
        assert (game.shown, game.paused) == (expected, True)
    for expected in (4, None):  # one frame on, and then live
        game.step()
        assert (game.shown, game.paused, game.last) == (expected, True, 5)
    game.step()
    assert (game.shown, game.last) == (None, 6)
    for _ in range(10):
        game.step_back()
    assert game.shown == game.first == 0
