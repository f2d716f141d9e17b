"""An outing is a visit seen second by second, or the doings of a person, one after the other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.island.playthrough import MAX_QUEUED, LivePlaythrough, record_player


def watched(outing: LivePlaythrough, seconds: int) -> list[tuple[float, Event, str | None]]:
    """Return the second, the event and what was in mind just before that second, for all that is done."""
    seen = []
    for _ in range(seconds):
        intention = outing.now.intention
        seen += [(outing.time, event, intention) for event in outing.advance()]
    return seen


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 50), style=st.sampled_from([None, "methodical", "social", "guesser"]))
def test_a_simulated_visit_is_the_same_second_by_second(seed: int, style: str | None) -> None:
    game = record_player(0, seed, style=style)
    seen = watched(LivePlaythrough(seed, style=style), 3700)
    assert [event for _, event, _ in seen] == list(game.events)
    assert [intention for _, _, intention in seen] == list(game.intentions)


def test_what_is_done_is_told_in_the_second_in_which_it_is_over() -> None:
    for time, event, _ in watched(LivePlaythrough(3), 600):
        assert time - 1 < event.time <= time


def test_until_a_deed_is_over_one_sees_how_things_were_before_it() -> None:
    outing = LivePlaythrough(person=True)
    outing.ask("move gate")
    for _ in range(6):
        outing.advance()
        assert outing.view.place == "dock"
        assert outing.now.after.place == "gate"
    assert outing.now.share(outing.time) == pytest.approx(6 / 6.5)
    outing.advance()
    assert outing.view.place == "gate"


def test_a_person_may_ask_for_several_things_and_they_come_one_after_the_other() -> None:
    outing = LivePlaythrough(person=True)
    for command in ("move gate", "move south-square", "open dining-door", "move dining-entrance"):
        outing.ask(command)
    assert [event.action for _, event, _ in watched(outing, 60)] == ["move", "move", "open", "move"]
    assert outing.view.place == "dining-entrance"


def test_a_person_who_does_nothing_lets_time_go_by() -> None:
    outing = LivePlaythrough(person=True)
    assert watched(outing, 30) == []
    outing.ask("look-around")
    ((time, event, _),) = watched(outing, 10)
    assert event.time == 33.0
    assert time == 33.0


def test_what_makes_no_sense_is_refused_and_changes_nothing() -> None:
    outing = LivePlaythrough(person=True)
    before = outing.island.view()
    for command in ("fly", "move cave", "talk nurse", ""):
        with pytest.raises(TelosError):
            outing.ask(command)
    assert outing.island.view() == before
    assert watched(outing, 5) == []


def test_nobody_plans_an_hour_ahead() -> None:
    outing = LivePlaythrough(person=True)
    for _ in range(MAX_QUEUED):
        outing.ask("look-around")
    with pytest.raises(TelosError, match="too early"):
        outing.ask("look-around")
    watched(outing, 4)
    outing.ask("look-around")


def test_a_simulated_visitor_is_not_told_what_to_do() -> None:
    outing = LivePlaythrough(7)
    assert outing.commands() == ()
    with pytest.raises(TelosError, match="simulated"):
        outing.ask("look-around")


def test_an_outing_ends_with_the_hour_and_stays_as_it_is() -> None:
    outing = LivePlaythrough(person=True)
    watched(outing, 3600)
    assert outing.is_over
    assert outing.advance() == ()
    assert outing.time == 3600.0
    with pytest.raises(TelosError, match="over"):
        outing.ask("look-around")
