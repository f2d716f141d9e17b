"""Simulated players: seeds, knowledge limited to what was seen and told, and forgetting."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.island.island import Island
from telos.worlds.island.player import IDLE, Islander
from telos.worlds.island.player_mind import Deduction, PlayerMemory
from telos.worlds.island.playthrough import Playthrough
from telos.worlds.island.story import GOALS, Lesson, load_story
from telos.worlds.island.styles import load_player_domain
from telos.worlds.island.trace import IslandAction, IslandEnded, IslandGoalChosen, IslandStarted

STYLES = ("methodical", "social", "guesser")


def traced(seed: int, seconds: float, style: str | None = None) -> str:
    lines: list[str] = []
    game = Playthrough(seed, style=style, trace=lambda record: lines.append(as_json(record)))
    for _ in game.moments(seconds):
        pass
    return "\n".join(lines) + "\n"


def commands_of(island: Island, islander: Islander, most: int) -> list[tuple[str, str | None]]:
    """Return the actions of a player with the thing in their hands."""
    given: list[tuple[str, str | None]] = []
    while not island.is_over and len(given) < most:
        view = island.view()
        command = islander.act(view)
        island.step({island.player: command})
        given.append((command, view.hands))
    return given


def test_first_minutes_of_seed_seven_match_the_golden_trace(golden: Callable[[str, str], None]) -> None:
    golden("island_seed7.jsonl", traced(7, 600))


def test_same_seed_gives_the_same_bytes() -> None:
    assert traced(11, 900) == traced(11, 900)
    assert traced(11, 900) != traced(12, 900)


def test_trace_has_start_end_and_every_action() -> None:
    records: list[object] = []
    game = Playthrough(5, trace=records.append)
    moments = list(game.moments(1200))
    assert isinstance(records[0], IslandStarted)
    assert isinstance(records[-1], IslandEnded)
    deeds = [record for record in records if isinstance(record, IslandAction)]
    assert records[-1].actions == len(deeds)
    assert [each.time for each in deeds] == sorted(each.time for each in deeds)
    assert any(isinstance(record, IslandGoalChosen) for record in records)
    assert [moment.time for moment in moments] == list(range(1, 1201))
    assert all(0 <= moment.share <= 1 for moment in moments)


def test_trace_does_not_change_the_run() -> None:
    loud, quiet = Playthrough(3, trace=lambda record: None), Playthrough(3)
    for _ in range(300):
        loud.step()
        quiet.step()
    assert loud.view == quiet.view


@pytest.mark.parametrize("style", STYLES)
def test_players_of_every_style_play_to_the_end(style: str) -> None:
    game = Playthrough(21, style=style)
    while not game.island.is_over:
        game.step()  # an impossible command would raise
    assert game.islander.style.name == style
    assert game.actions > 100


def test_unknown_style_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(TelosError, match="methodical"):
        Islander(1, style="methodial")


@pytest.mark.parametrize("seed", range(6))
def test_players_do_not_know_the_solution_in_advance(seed: int) -> None:
    story = load_story()
    other = replace(story, truth={"disease": "influenza", "source": "rice", "treatment": "rest"}, slide_label="viruses")
    one = commands_of(Island(story), Islander(seed), most=250)
    two = commands_of(Island(other), Islander(seed), most=250)
    telling = (
        number
        for number, (command, hands) in enumerate(one)
        if command.startswith("submit-diagnosis")
        or (command.startswith("test-object") and story.things[hands or ""].food in ("milk", "rice"))
    )
    first = next(telling, 250)
    assert one[: first + 1] == two[: first + 1]


def test_intention_is_a_domain_goal_and_not_in_events() -> None:
    game = Playthrough(2)
    goals = {goal.name for goal in load_player_domain().goals}
    assert set(GOALS) < goals
    for _ in range(400):
        event = game.step()
        assert game.islander.intention in goals | {IDLE}
        if event is not None:
            assert set(event.context) == {"loc", "area", "state", "argument", "tests"}


def test_lessons_fade_unless_refreshed() -> None:
    known = PlayerMemory({"symptom": 100.0})
    known.learn([Lesson("symptom", "fever"), Lesson("symptom", "cramps")], now=0.0)
    known.learn([Lesson("symptom", "fever")], now=80.0)
    assert known.all_of("symptom", now=120.0) == ["fever"]


def case(*lessons: tuple[str, str]) -> Deduction:
    known = PlayerMemory({})
    known.learn([Lesson(*each) for each in lessons], now=0.0)
    return Deduction(load_story(), known, Random(1))


def test_disease_is_deduced_from_symptoms_agent_and_books() -> None:
    symptoms = [("symptom", "cramps"), ("symptom", "vomiting")]
    read = [("disease", "salmonellosis"), ("disease", "norovirus")]
    assert not case(*symptoms).entries(1.0)["disease"][1], "nothing was read"
    assert not case(*symptoms, *read).entries(1.0)["disease"][1], "two diseases fit"
    found = case(*symptoms, *read, ("found", "milk:bacteria")).entries(1.0)
    assert found == {"disease": ("salmonellosis", True), "source": ("milk", True), "treatment": ("antibiotics", True)}


def test_misleading_book_leads_to_the_wrong_disease() -> None:
    entries = case(("symptom", "cramps"), ("symptom", "vomiting"), ("disease", "norovirus")).entries(1.0)
    assert entries["disease"] == ("norovirus", True)


def test_guess_is_kept_until_it_turns_out_wrong() -> None:
    mind = case()
    guess = mind.entries(1.0)["source"][0]
    assert all(mind.entries(1.0)["source"] == (guess, False) for _ in range(20))
    mind.known.learn([Lesson("wrong", f"source={guess}")], now=2.0)
    assert mind.entries(3.0)["source"][0] != guess


def test_suspected_food_is_tested_first_and_only_once() -> None:
    mind = case(("meal", "eggs"), ("clean", "eggs:bacteria"), ("clean", "eggs:toxins"))
    assert mind.next_test(["rice", "eggs"], None, 1.0) == ("eggs", "viruses")
    mind.known.learn([Lesson("clean", "eggs:viruses")], now=1.0)
    food = mind.next_test(["rice", "eggs"], None, 2.0)
    assert food is not None
    assert food[0] == "rice"
    assert mind.next_test(["eggs"], "eggs", 2.0) is None
