"""What is known afterwards: stories, surprises, styles, unknown goals and the sentence for those who come back."""

import math
from random import Random

import pytest

from recognition.readings import play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.concurrent import ConcurrentGoalModel
from telos.recognition.files.load import loads_model
from telos.recognition.hindsight import (
    GoalSpan,
    LaggedReader,
    best_path,
    find_story,
    find_surprises,
    smooth,
    write_recap,
)
from telos.recognition.iohmm import IOHMM
from telos.recognition.measures import Gaussian, Measure
from telos.recognition.player_models import StyleReader, UnknownGoalReader, calibrate_threshold

TAUGHT = {
    "explore": {"approach_unexplored": 40, "other_movement": 10, "swing": 5},
    "level": {"swing": 40, "approach_monster": 30},
    "return": {"approach_town": 40, "other_movement": 10, "swing": 5},
}
HEADING = {"explore": "toward_unexplored", "return": "toward_town"}


def acting(goal: str, time: float, achieved: str | None = None) -> Event:
    if goal == "level":
        return Event("swing", {"attacked": True}, time=time, goal=achieved)
    return Event(
        "up", {"moving": "up", HEADING[goal]: True, "chest_taken": achieved == "explore"}, time=time, goal=achieved
    )


def session() -> list[Event]:
    """Return play that looks for a chest, finds it, and takes it home."""
    looking = [acting("explore", 5.0 * number) for number in range(60)]
    return [*looking, acting("return", 300, "explore"), *(acting("return", 300 + 5.0 * n) for n in range(1, 37))]


def test_a_session_is_told_as_a_story() -> None:
    spans = find_story(IOHMM(counts=TAUGHT), session())
    assert [(span.goal, span.start, span.end, span.achieved) for span in spans] == [
        ("explore", 0.0, 300.0, True),
        ("return", 300.0, 480.0, False),
    ]
    assert all(span.certainty > 0.9 for span in spans)
    assert sum(span.updates for span in spans) == len(session())
    assert str(spans[0]).startswith("0.0-300.0 s: explore (")


def test_an_empty_session_has_no_story() -> None:
    assert find_story(IOHMM(), []) == ()
    assert find_surprises(IOHMM(), []) == ()
    assert smooth((1.0,), []) == []
    assert best_path((1.0,), []) == ([], 0.0)


def test_recap_names_the_last_goal() -> None:
    words = {
        "explore": ("looking for a chest", "finding it"),
        "return": "heading back to town with a chest",
        "level": "fighting",
    }
    told = find_story(IOHMM(counts=TAUGHT), session())
    away = 30 * 86400
    assert write_recap(told, away, words) == "You were heading back to town with a chest, 3 minutes after finding it."
    assert write_recap(told[:1], away, words) == "You were looking for a chest, for 5 minutes."
    assert write_recap(told, 60, words) == ""
    assert write_recap((), 1e6, words) == ""
    unsure = GoalSpan("level", 0, 20, 0.4, 3, achieved=False)
    assert write_recap([unsure], 1e6, words) == "You were probably fighting, for a moment."
    with pytest.raises(TelosError, match="'return'"):
        write_recap(told, 1e6, {"explore": "looking"})


def test_surprise_is_found_where_smoothing_changes_the_goal() -> None:
    # Nothing yet tells the two apart, and the prior is for exploring: only what follows shows that it was the way home.
    model = IOHMM(counts=TAUGHT, prior={"explore": 0.6, "level": 0.05, "return": 0.35})
    vague = [Event("up", {"moving": "up"}, time=time) for time in range(3)]
    found = find_surprises(model, [*vague, *(acting("return", 3 + time) for time in range(8))], threshold=0.3)
    assert [(each.thought, each.was) for each in found] == [("explore", "return")]
    assert found[0].start == 0.0
    assert found[0].end == 2.0
    assert "looked like explore, was return" in str(found[0])
    assert find_surprises(model, [acting("return", time) for time in range(8)], threshold=0.9) == ()


def test_a_late_reader_knows_what_it_said_at_the_time() -> None:
    model = IOHMM(counts=TAUGHT, prior={"explore": 0.6, "level": 0.05, "return": 0.35})
    late = LaggedReader(model, lag=3)
    late.observe(Event("up", {"moving": "up"}))
    for time in range(3):
        late.observe(acting("return", time))
    assert (late.then.top, late.belief.top) == ("explore", "return")
    with pytest.raises(TelosError, match="lag"):
        LaggedReader(model, lag=-1)


def test_the_style_that_foresees_a_player_best_is_believed() -> None:
    fights = {goal: {"swing": 60, "stop": 5} for goal in TAUGHT}
    lurks = {goal: {"swing": 5, "stop": 60} for goal in TAUGHT}
    styles = StyleReader({"bold": IOHMM(counts=fights), "patient": IOHMM(counts=lurks)})
    assert dict(styles.belief) == {"bold": 0.5, "patient": 0.5}
    for time, action in enumerate(["stop", "swing", "stop", "stop", "stop"]):
        styles.observe(Event(action, time=time))
    assert styles.belief["patient"] > 0.99
    assert sum(styles.goal_belief.values()) == pytest.approx(1.0)
    styles.reset()
    assert dict(styles.belief) == {"bold": 0.5, "patient": 0.5}


def counted(outcomes: str, counts: str) -> IOHMM:
    model = loads_model(
        f"{{recognizer: iohmm, goals: [a, b], transitions: {{lasts: 20 updates}}, pseudo_counts: 0.01,"
        f" observations: {{{outcomes}}}, counts: {{a: {{{counts}}}, b: {{{counts}}}}}}}"
    )
    assert isinstance(model, IOHMM)
    return model


def test_styles_with_other_outcomes_are_compared_beside_the_habits_of_the_player() -> None:
    fighter = counted("hit: action == hit, other: true", "hit: 80, other: 20")
    runner = counted("north: action == north, south: action == south, rest: true", "north: 45, south: 45, rest: 10")
    styles = StyleReader({"fighter": fighter, "runner": runner})
    counts, logs = {"fighter": [0, 0], "runner": [0, 0, 0]}, {"fighter": 0.0, "runner": 0.0}
    for time, action in enumerate(["hit", "north", "south", "north", "hit", "south", "north"]):
        seen = {"fighter": int(action != "hit"), "runner": ("north", "south", "hit").index(action)}
        for style, chances in (("fighter", (80.01, 20.01)), ("runner", (45.01, 45.01, 10.01))):
            mine = counts[style]
            reference = (mine[seen[style]] + 10 / len(mine)) / (time + 10)
            logs[style] += math.log(chances[seen[style]] / sum(chances)) - math.log(reference)
            mine[seen[style]] += 1
        styles.observe(Event(action, time=time))
    assert styles.fits == pytest.approx(logs)
    odds = math.exp(logs["runner"] - logs["fighter"])
    assert styles.belief["runner"] == pytest.approx(odds / (1 + odds))
    assert styles.why().startswith("runner ")
    assert "beside the player's own habits" in styles.why()
    styles.reset()
    assert dict(styles.belief) == {"fighter": 0.5, "runner": 0.5}


def test_the_same_model_in_other_words_is_as_likely() -> None:
    one = counted("hit: action == hit, other: true", "hit: 80, other: 20")
    other = counted("walk: action != hit, strike: true", "walk: 20, strike: 80")
    styles = StyleReader({"one": one, "other": other})
    for time, action in enumerate(["hit", "walk", "hit", "hit", "stop"]):
        styles.observe(Event(action, time=time))
    assert dict(styles.belief) == pytest.approx({"one": 0.5, "other": 0.5})


@pytest.mark.parametrize(("chance", "style"), [(0.8, "fighter"), (0.02, "runner")])
def test_the_style_that_plays_is_found_among_models_with_other_outcomes(chance: float, style: str) -> None:
    fighter = counted("hit: action == hit, other: true", "hit: 80, other: 20")
    runner = counted("north: action == north, south: action == south, rest: true", "north: 49, south: 49, rest: 2")
    for seed in range(20):
        rng, styles = Random(seed), StyleReader({"fighter": fighter, "runner": runner})
        for time in range(60):
            styles.observe(Event("hit" if rng.random() < chance else rng.choice(["north", "south"]), time=time))
        assert styles.belief.top == style


def test_models_whose_likelihoods_are_of_other_things_are_not_compared() -> None:
    measure = Measure("speed", {goal: Gaussian(1, 1) for goal in TAUGHT})
    with pytest.raises(TelosError, match="cannot be compared: their measures differ"):
        StyleReader({"one": IOHMM(), "other": IOHMM(measures=[measure])})
    machine = loads_model("{recognizer: fsm, goals: [a, b], rules: [{if: attacked, then: a}]}")
    each = ConcurrentGoalModel(IOHMM())
    for models in ({"one": IOHMM(), "other": machine}, {"one": machine, "other": machine}, {"one": each}):
        with pytest.raises(
            TelosError, match="which has no likelihood of what is seen; compare ffbm, constant and iohmm"
        ):
            StyleReader(models)  # type: ignore[arg-type]


def known_session(seed: int) -> list[Event]:
    rng, goal, events = Random(seed), "explore", []
    for time in range(80):
        goal = goal if rng.random() < 0.9 else rng.choice(list(TAUGHT))
        events.append(acting(goal, time) if rng.random() < 0.9 else Event("up", {"moving": "up"}, time=time))
    return events


def is_noticed(model: IOHMM, events: list[Event], reader: UnknownGoalReader) -> bool:
    reader.reset()
    return any(reader.observe(event) is not None and reader.is_unknown for event in events)


def test_unknown_goal_is_detected_with_few_false_alarms() -> None:
    model = IOHMM(counts=TAUGHT)
    threshold = calibrate_threshold(model, [known_session(seed) for seed in range(100)], false_alarms=0.1)
    reader = UnknownGoalReader(model, threshold)
    alarms = sum(is_noticed(model, known_session(seed), reader) for seed in range(1000, 1100))
    assert alarms <= 20
    collector = [Event("up", {"moving": "up", "toward_gem": True}, time=time) for time in range(40)]
    assert is_noticed(model, collector, reader)
    assert "probably none of these" in reader.belief.why()


def test_no_more_of_the_sessions_it_was_calibrated_on_cross_than_promised() -> None:
    model = IOHMM(counts=TAUGHT)
    sessions = [known_session(seed) for seed in range(60)]
    for rate in (0.05, 0.2, 0.5):
        reader = UnknownGoalReader(model, calibrate_threshold(model, sessions, false_alarms=rate))
        assert sum(is_noticed(model, each, reader) for each in sessions) <= rate * len(sessions)


def test_calibration_needs_enough_sessions() -> None:
    with pytest.raises(TelosError, match=r"5 sessions cannot promise 0\.05 false alarms; give 19 or more"):
        calibrate_threshold(IOHMM(), [play(30, seed) for seed in range(5)])
