"""Simulated players: one seed fixes a visit, they know only what they saw and were told, and they forget."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.island.domain import load_player_domain
from telos.worlds.island.island import Island
from telos.worlds.island.player import IDLE, Islander
from telos.worlds.island.player_mind import Deduction, PlayerMemory
from telos.worlds.island.playthrough import Playthrough
from telos.worlds.island.story import GOALS, Lesson, load_story
from telos.worlds.island.trace import IslandAction, IslandEnded, IslandGoalChosen, IslandStarted

STYLES = ("methodical", "social", "guesser")


def traced(seed: int, seconds: float, style: str | None = None) -> str:
    lines: list[str] = []
    visit = Playthrough(seed, style=style, trace=lambda record: lines.append(as_json(record)))
    for _ in visit.moments(seconds):
        pass
    return "\n".join(lines) + "\n"


def commands_of(island: Island, islander: Islander, most: int) -> list[tuple[str, str | None]]:
    """Return what a player does, each with the thing in their hands at that time."""
    given: list[tuple[str, str | None]] = []
    while not island.is_over and len(given) < most:
        view = island.view()
        command = islander.act(view)
        island.step({island.player: command})
        given.append((command, view.hands))
    return given


def test_the_first_minutes_of_seed_seven_are_those_on_record(golden: Callable[[str, str], None]) -> None:
    golden("island_seed7.jsonl", traced(7, 600))


def test_the_same_seed_gives_the_same_bytes_and_another_seed_gives_others() -> None:
    assert traced(11, 900) == traced(11, 900)
    assert traced(11, 900) != traced(12, 900)


def test_a_trace_begins_and_ends_with_its_frame_and_tells_every_action() -> None:
    records: list[object] = []
    visit = Playthrough(5, trace=records.append)
    moments = list(visit.moments(1200))
    assert isinstance(records[0], IslandStarted)
    assert isinstance(records[-1], IslandEnded)
    deeds = [record for record in records if isinstance(record, IslandAction)]
    assert records[-1].actions == len(deeds)
    assert [each.time for each in deeds] == sorted(each.time for each in deeds)
    assert any(isinstance(record, IslandGoalChosen) for record in records)
    assert [moment.time for moment in moments] == list(range(1, 1201))
    assert all(0 <= moment.share <= 1 for moment in moments)


def test_watching_changes_nothing() -> None:
    loud, quiet = Playthrough(3, trace=lambda record: None), Playthrough(3)
    for _ in range(300):
        loud.step()
        quiet.step()
    assert loud.view == quiet.view


@pytest.mark.parametrize("style", STYLES)
def test_players_of_every_style_play_on_until_it_is_over(style: str) -> None:
    visit = Playthrough(21, style=style)
    while not visit.island.is_over:
        visit.step()  # a command that makes no sense would raise
    assert visit.islander.style.name == style
    assert visit.actions > 100


def test_a_style_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(TelosError, match="methodical"):
        Islander(1, style="methodial")


@pytest.mark.parametrize("seed", range(6))
def test_players_do_not_know_the_truth_before_something_tells_them(seed: int) -> None:
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


def test_an_intention_is_a_goal_of_the_domain_and_never_stands_in_an_event() -> None:
    visit = Playthrough(2)
    goals = {goal.name for goal in load_player_domain().goals}
    assert set(GOALS) < goals
    for _ in range(400):
        event = visit.step()
        assert visit.islander.intention in goals | {IDLE}
        if event is not None:
            assert set(event.context) == {"loc", "area", "state", "argument", "tests"}


def test_what_is_learned_fades_unless_it_is_read_again() -> None:
    known = PlayerMemory({"symptom": 100.0})
    known.learn([Lesson("symptom", "fever"), Lesson("symptom", "cramps")], now=0.0)
    known.learn([Lesson("symptom", "fever")], now=80.0)
    assert known.all_of("symptom", now=120.0) == ["fever"]


def case(*lessons: tuple[str, str]) -> Deduction:
    known = PlayerMemory({})
    known.learn([Lesson(*each) for each in lessons], now=0.0)
    return Deduction(load_story(), known, Random(1))


def test_a_disease_is_concluded_from_symptoms_agent_and_what_was_read() -> None:
    symptoms = [("symptom", "cramps"), ("symptom", "vomiting")]
    read = [("disease", "salmonellosis"), ("disease", "norovirus")]
    assert not case(*symptoms).entries(1.0)["disease"][1], "nothing was read"
    assert not case(*symptoms, *read).entries(1.0)["disease"][1], "two diseases fit"
    found = case(*symptoms, *read, ("found", "milk:bacteria")).entries(1.0)
    assert found == {"disease": ("salmonellosis", True), "source": ("milk", True), "treatment": ("antibiotics", True)}


def test_who_has_read_only_the_wrong_book_concludes_the_wrong_disease() -> None:
    entries = case(("symptom", "cramps"), ("symptom", "vomiting"), ("disease", "norovirus")).entries(1.0)
    assert entries["disease"] == ("norovirus", True)


def test_a_guess_is_kept_until_it_turns_out_wrong() -> None:
    mind = case()
    guess = mind.entries(1.0)["source"][0]
    assert all(mind.entries(1.0)["source"] == (guess, False) for _ in range(20))
    mind.known.learn([Lesson("wrong", f"source={guess}")], now=2.0)
    assert mind.entries(3.0)["source"][0] != guess


def test_the_suspicious_is_tested_first_and_what_was_tested_is_not_tested_again() -> None:
    mind = case(("meal", "eggs"), ("clean", "eggs:bacteria"), ("clean", "eggs:toxins"))
    assert mind.next_test(["rice", "eggs"], None, 1.0) == ("eggs", "viruses")
    mind.known.learn([Lesson("clean", "eggs:viruses")], now=1.0)
    food = mind.next_test(["rice", "eggs"], None, 2.0)
    assert food is not None
    assert food[0] == "rice"
    assert mind.next_test(["eggs"], "eggs", 2.0) is None
