"""The result of a game: who read the player right, and when the headline was sure."""

from telos.studio.result import BeliefMoment, ReaderShare, summarize
from telos.studio.session import Session
from telos.studio.stage import world


def moment(frame: int, chance: float, truth: str | None) -> BeliefMoment:
    return BeliefMoment(frame, frame / 10, {"level": chance, "town": 1 - chance}, truth)


def test_sure_moment_counts_from_the_goal_on() -> None:
    moments = [moment(0, 0.5, "level"), moment(20, 0.8, "level"), moment(50, 0.9, "town"), moment(57, 0.2, "town")]
    result = summarize("ffbm", [ReaderShare("fsm", "FSM", 0.4), ReaderShare("ffbm", "FFBM", 0.8)], moments)
    assert [(each.goal, each.frame, round(each.after, 3)) for each in result.sure] == [
        ("level", 20, 2.0),
        ("town", 57, 0.7),
    ]
    assert result.best is not None
    assert result.best.frame == 57
    assert [each.name for each in result.readers] == ["ffbm", "fsm"]


def test_headline_never_sure_has_no_best_moment() -> None:
    result = summarize("ffbm", [], [moment(0, 0.5, "level"), moment(9, 0.6, "level"), moment(12, 0.99, None)])
    assert result.best is None
    assert result.to_message()["best"] is None


def test_session_has_result_only_once_the_game_is_over() -> None:
    session = Session(world("adventure"), 4, {"plays": "newcomer", "goals": "directed"})
    session.advance()
    assert session.result() is None
    while not session.is_over and session.last < 12_000:
        session.advance()
    found = session.result()
    assert found is not None
    assert found["free"]
    shares = {each["title"]: each["share"] for each in found["readers"]}
    assert shares["FFBM"] == max(shares.values())
    assert {each["goal"] for each in found["sure"]} == {"explore", "town", "level"}
    assert session.first <= found["best"]["frame"] <= session.last


def test_game_without_known_goal_has_no_result() -> None:
    session = Session(world("arena"), 1, {})
    assert session.result() is None
