"""The rules of the island: possible actions, goals, and rejected commands."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.checks import check_world
from telos.core.errors import TelosError
from telos.worlds.island.island import Island
from telos.worlds.island.story import ACTIONS, AGENTS, GOALS, load_story
from worlds.island.games import do, fetch, go, hear

STORY = load_story()
FULL = [f"fill-worksheet {field}={value}" for field, value in STORY.truth.items()]


def now_and_then(island: Island) -> dict[str, str]:
    """Command a changing choice of possible actions."""
    possible = island.commands()
    return {island.player: possible[int(island.view().time * 7) % len(possible)]} if possible else {}


def test_island_passes_the_world_contract_while_played() -> None:
    check_world(Island, play=now_and_then, steps=300)


def test_island_has_nineteen_actions_and_seven_goals() -> None:
    assert len(set(ACTIONS)) == 19
    assert len(set(GOALS)) == 7


def test_event_context_has_place_state_argument_but_no_intention() -> None:
    event = do(Island(player="ada"), "move gate")
    assert (event.player, event.action, event.time, event.goal) == ("ada", "move", 6.5, None)
    assert event.context == {"loc": "dock", "area": "outdoors", "state": "0000", "argument": "gate", "tests": 5}


def test_missing_command_lets_a_second_pass() -> None:
    island = Island()
    island.step({})
    assert island.view().time == 1.0
    assert island.events == ()


def test_door_must_be_opened_and_closes_behind_the_player() -> None:
    island = Island()
    go(island, "south-square")
    with pytest.raises(TelosError, match="closed"):
        do(island, "move infirmary-entrance")
    do(island, "open infirmary-door", "move infirmary-entrance")
    assert "infirmary-door" in island.view().closed


def test_things_in_closed_containers_are_hidden() -> None:
    island = Island()
    go(island, "cold-store")
    assert "milk-carton" not in island.view().things
    with pytest.raises(TelosError, match="nothing lies here"):
        do(island, "pick-up milk-carton")
    do(island, "open specimen-fridge", "pick-up milk-carton")
    assert island.view().hands == "milk-carton"


def test_dropped_thing_lies_where_it_was_dropped() -> None:
    island = Island()
    fetch(island, "thermometer")
    go(island, "cot-one")
    do(island, "drop")
    assert "thermometer" in island.view().things
    go(island, "nurses-desk")
    assert "thermometer" not in island.view().things


@pytest.mark.parametrize("goal", STORY.goals, ids=lambda goal: goal.name)
def test_talk_achieves_its_goal_at_the_last_line_once(goal: object) -> None:
    island = Island()
    talk = next(each for each in STORY.goals if each == goal)
    events = [event for person in talk.people for event in (*hear(island, person, talk.topic), do(island, "part"))]
    lines = STORY.people[talk.people[0]].topics[talk.topic].lines
    assert [event.goal for event in events[:lines]] == [None] * (lines - 1) + [talk.name]
    assert [event.goal for event in events[lines:]] == [None] * (len(events) - lines)
    assert island.view().state == ("1000" if talk.name == "talk-nurse" else "0000")


def test_greeting_achieves_no_goal() -> None:
    island = Island()
    go(island, "nurses-desk")
    assert do(island, "talk nurse").goal is None
    assert do(island, "ask camp").goal is None
    assert island.view().state == "0000"


@pytest.mark.parametrize("agent", AGENTS)
def test_tests_of_contaminated_food_count_for_any_agent(agent: str) -> None:
    island = Island()
    fetch(island, "milk-jug")
    go(island, STORY.tester)
    for _ in range(2):
        event = do(island, f"test-object {agent}")
        assert event.goal == "test-contaminated"
        assert event.context["argument"] == "milk-jug"
    assert island.view().state == "0100"
    assert island.view().tests == 3
    assert [lesson.kind for lesson in island.view().told] == ["found" if agent == "bacteria" else "clean"]


def test_test_of_clean_food_achieves_no_goal() -> None:
    island = Island()
    fetch(island, "eggs")
    go(island, STORY.tester)
    assert do(island, "test-object bacteria").goal is None
    assert (island.view().tests, island.view().state) == (4, "0000")


def test_tests_run_out_and_correct_answers_earn_more() -> None:
    island = Island()
    fetch(island, "eggs")
    go(island, STORY.tester)
    for _ in range(5):
        do(island, "test-object toxins")
    with pytest.raises(TelosError, match="a test that is left"):
        do(island, "test-object toxins")
    go(island, STORY.desk)
    do(island, "talk nurse", "ask questions")
    question = island.view().question
    assert question is not None
    wrong = next(choice for choice in question.choices if choice != question.right)
    do(island, f"answer {wrong}")
    assert island.view().tests == 0
    do(island, "ask questions")
    question = island.view().question
    assert question is not None
    do(island, f"answer {question.right}")
    assert island.view().tests == 1


def test_slide_appears_after_a_positive_test() -> None:
    island = Island()
    go(island, STORY.slide_at)
    with pytest.raises(TelosError, match="slide"):
        do(island, "label-slide bacteria")
    fetch(island, "milk-jug")
    go(island, STORY.tester)
    do(island, "test-object bacteria")
    go(island, STORY.slide_at)
    do(island, "label-slide viruses")
    assert island.view().slide == "ready"
    do(island, "label-slide bacteria")
    assert island.view().slide == "labelled"


def test_wrong_diagnosis_counts_and_is_corrected() -> None:
    island = Island()
    go(island, STORY.desk)
    do(island, *FULL, "fill-worksheet source=rice")
    assert do(island, "submit-diagnosis").goal == "submit-diagnosis"
    assert island.view().state == "0010"
    assert {" ".join(lesson) for lesson in island.view().told} == {
        "right disease=salmonellosis", "wrong source=rice", "right treatment=antibiotics",
    }  # fmt: skip


def test_correct_diagnosis_ends_the_game() -> None:
    island = Island()
    go(island, STORY.desk)
    do(island, *FULL)
    assert do(island, "submit-diagnosis").goal == "submit-diagnosis"
    assert island.view().state == "0011"
    assert island.is_over
    assert island.commands() == ()
    with pytest.raises(TelosError, match="over"):
        do(island, "look-around")


def test_game_ends_after_an_hour() -> None:
    island = Island()
    for _ in range(3600):
        island.step({})
    assert island.is_over
    with pytest.raises(TelosError, match="the game is over"):
        do(island, "look-around")


def test_notes_repeat_their_lessons() -> None:
    island = Island()
    hear(island, "cook", "meals")
    told = island.view().told
    do(island, "take-note", "part", "look-around")
    assert island.view().told == ()
    do(island, "read-notes")
    assert island.view().told == told


def talk_to_nurse(island: Island) -> None:
    hear(island, "nurse", "camp")


REFUSALS: list[tuple[Callable[[Island], None], str, str]] = [
    (lambda island: None, "mov gate", "there is no action 'mov'; did you mean 'move'"),
    (lambda island: None, "move gat", "did you mean 'gate'"),
    (lambda island: None, "move kitchen", "cannot 'move kitchen' now"),
    (lambda island: None, "talk nurse", "no person"),
    (lambda island: None, "ask illness", "conversation"),
    (lambda island: None, "answer virus", "ask the nurse for questions first"),
    (lambda island: None, "part", "conversation"),
    (lambda island: None, "drop", "the hands are empty"),
    (lambda island: None, "read-book on-cells", "there is no book here"),
    (lambda island: None, "read-notes", "nothing is written down yet"),
    (lambda island: None, "take-note", "nothing was learned just now"),
    (lambda island: None, "submit-diagnosis", "it takes a full worksheet, and the nurse's desk"),
    (lambda island: None, "fill-worksheet source=mlk", "did you mean 'source=milk'"),
    (lambda island: None, "look-around twice", "'look-around' takes no argument"),
    (lambda island: go(island, "nurses-desk"), "talk nurze", "cannot 'talk nurze' now: did you mean 'nurse'"),
    (lambda island: go(island, "library"), "read-book on-cell", "did you mean 'on-cells'"),
    (talk_to_nurse, "move cot-two", "the player is talking with 'nurse'; part first"),
]


@pytest.mark.parametrize(("first", "command", "message"), REFUSALS, ids=[each[1] for each in REFUSALS])
def test_impossible_command_is_rejected_without_effect(
    first: Callable[[Island], None], command: str, message: str
) -> None:
    island = Island()
    first(island)
    before = island.view()
    with pytest.raises(TelosError) as refused:
        do(island, command)
    assert message in str(refused.value)
    assert island.view() == before


@pytest.mark.parametrize("seed", [-1, True, 1.5, "7"])
def test_invalid_seed_is_rejected(seed: object) -> None:
    with pytest.raises(TelosError, match="seed"):
        Island().reset(seed)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 10_000), max_size=60), st.integers(0, 50))
@settings(deadline=None, max_examples=60)
def test_random_play_keeps_the_rules(choices: list[int], seed: int) -> None:
    island = Island(seed=seed)
    before = island.view()
    for choice in choices:
        possible = island.commands()
        if not possible:
            break
        event = do(island, possible[choice % len(possible)])
        after = island.view()
        assert event.action in ACTIONS
        assert after.tests >= 0
        assert all(a >= b for a, b in zip(after.state, before.state, strict=True)), "a milestone was lost"
        assert after.time >= before.time
        if after.place != before.place:
            assert event.action == "move"
            assert STORY.map.way(before.place, after.place) is not None
        assert event.goal is None or event.goal in GOALS
        before = after


@given(st.lists(st.integers(0, 10_000), max_size=25))
@settings(deadline=None, max_examples=40)
def test_commands_not_offered_are_rejected(choices: list[int]) -> None:
    island = Island(seed=3)
    everything = [
        *(f"move {place}" for place in STORY.map.places),
        *(f"{verb} {thing}" for verb in ("pick-up", "drop", "examine") for thing in STORY.things),
        *(f"{verb} {each}" for verb in ("talk", "part") for each in STORY.people),
        *(f"{verb} {each}" for verb in ("open", "close") for each in (*STORY.map.doors, *STORY.containers)),
        *(f"{verb} {agent}" for verb in ("test-object", "label-slide") for agent in AGENTS),
    ]
    for choice in choices:
        possible = island.commands()
        before = island.view()
        for command in set(everything) - set(possible):
            with pytest.raises(TelosError):
                do(island, command)
        assert island.view() == before
        do(island, possible[choice % len(possible)])
