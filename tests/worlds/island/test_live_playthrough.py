"""Live playthroughs: a simulated player's game second by second, or the requests of a person."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.island.playthrough import MAX_QUEUED, LivePlaythrough, record_player


def watched(live: LivePlaythrough, seconds: int) -> list[tuple[float, Event, str | None]]:
    """Return the second, the event and the intention just before it, for every event."""
    seen = []
    for _ in range(seconds):
        intention = live.now.intention
        seen += [(live.time, event, intention) for event in live.advance()]
    return seen


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 50), style=st.sampled_from([None, "methodical", "social", "guesser"]))
def test_live_playthrough_equals_the_playthrough(seed: int, style: str | None) -> None:
    game = record_player(0, seed, style=style)
    seen = watched(LivePlaythrough(seed, style=style), 3700)
    assert [event for _, event, _ in seen] == list(game.events)
    assert [intention for _, _, intention in seen] == list(game.intentions)


def test_event_is_published_when_its_action_ends() -> None:
    for time, event, _ in watched(LivePlaythrough(3), 600):
        assert time - 1 < event.time <= time


def test_view_changes_when_the_action_ends() -> None:
    live = LivePlaythrough(person=True)
    live.ask("move gate")
    for _ in range(6):
        live.advance()
        assert live.view.place == "dock"
        assert live.now.after.place == "gate"
    assert live.now.share(live.time) == pytest.approx(6 / 6.5)
    live.advance()
    assert live.view.place == "gate"


def test_requests_are_carried_out_in_order() -> None:
    live = LivePlaythrough(person=True)
    for command in ("move gate", "move south-square", "open dining-door", "move dining-entrance"):
        live.ask(command)
    assert [event.action for _, event, _ in watched(live, 60)] == ["move", "move", "open", "move"]
    assert live.view.place == "dining-entrance"


def test_time_passes_without_requests() -> None:
    live = LivePlaythrough(person=True)
    assert watched(live, 30) == []
    live.ask("look-around")
    ((time, event, _),) = watched(live, 10)
    assert event.time == 33.0
    assert time == 33.0


def test_impossible_request_is_rejected_without_effect() -> None:
    live = LivePlaythrough(person=True)
    before = live.island.view()
    for command in ("fly", "move mars", "answer virus", "open oven-door", "read", ""):
        with pytest.raises(TelosError):
            live.ask(command)
    assert live.island.view() == before
    assert watched(live, 5) == []


def until_done(live: LivePlaythrough) -> list[str]:
    """Return what was done until nothing is left of the request."""
    done = []
    for _ in range(400):
        done += [f"{each.action} {each.context['argument']}".rstrip() for each in live.advance()]
        if live.request is None and live.now.share(live.time) >= 1:
            break
    return done


@pytest.mark.parametrize("line", ["talk nurse", "Talk to the nurse.", "nurse", "visit the nurse"])
def test_request_walks_through_doors_and_talks(line: str) -> None:
    live = LivePlaythrough(person=True)
    live.ask(line)
    walk = ["move gate", "move south-square", "open infirmary-door", "move infirmary-entrance", "move nurses-desk"]
    assert until_done(live) == [*walk, "talk nurse"]
    assert live.view.talking == "nurse"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("move infirmary", "infirmary-entrance"),
        ("go to the south square", "south-square"),
        ("south square", "south-square"),
        ("walk to dining hall", "dining-entrance"),
        ("run to the cave", "cave"),
        ("go hall", "quarters-hall"),
    ],
)
def test_places_are_named_in_plain_words(line: str, place: str) -> None:
    live = LivePlaythrough(person=True)
    live.ask(line)
    until_done(live)
    assert live.view.place == place


def test_new_walk_replaces_old_one_and_worksheet_does_not() -> None:
    live = LivePlaythrough(person=True)
    live.ask("go cave")
    live.advance()
    live.ask("fill worksheet disease = cholera")
    assert live.request is not None
    live.ask("go beach")
    done = until_done(live)
    assert (done, live.view.place) == (["move gate", "fill-worksheet disease=cholera", "move beach"], "beach")


def test_stop_ends_walk_at_next_place() -> None:
    live = LivePlaythrough(person=True)
    live.ask("go cave")
    live.ask("stop")
    assert until_done(live) == ["move gate"]


def test_walk_out_of_conversation_says_goodbye_first() -> None:
    live = LivePlaythrough(person=True)
    live.ask("talk to the nurse")
    until_done(live)
    live.ask("go medicine-cabinet")
    assert until_done(live) == ["part nurse", "move medicine-cabinet"]


def test_request_that_fails_on_arrival_says_why() -> None:
    live = LivePlaythrough(person=True)
    live.ask("take milk carton")  # in a fridge that is shut
    until_done(live)
    assert live.view.place == "cold-store"
    assert "pick-up milk-carton" in live.refused


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("go mars", "nearby: gate"),
        ("go infirmery", "did you mean 'infirmary'"),
        ("go", "go where"),
        ("sing", "write `go PLACE`"),
        ("tlak", "did you mean 'talk'"),
        ("read war and peace", "nothing 'war and peace' to read"),
    ],
)
def test_refusal_names_what_is_possible(line: str, message: str) -> None:
    with pytest.raises(TelosError, match=message):
        LivePlaythrough(person=True).ask(line)


def test_number_of_queued_requests_is_limited() -> None:
    live = LivePlaythrough(person=True)
    for _ in range(MAX_QUEUED):
        live.ask("look-around")
    with pytest.raises(TelosError, match="too early"):
        live.ask("look-around")
    watched(live, 4)
    live.ask("look-around")


def test_simulated_player_rejects_requests() -> None:
    live = LivePlaythrough(7)
    assert live.commands() == ()
    with pytest.raises(TelosError, match="simulated"):
        live.ask("look-around")


def test_live_playthrough_ends_after_an_hour() -> None:
    live = LivePlaythrough(person=True)
    watched(live, 3600)
    assert live.is_over
    assert live.advance() == ()
    assert live.time == 3600.0
    with pytest.raises(TelosError, match="over"):
        live.ask("look-around")
