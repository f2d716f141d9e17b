"""The trained model: counting, fading, learned transitions, pools and persons, and learning without being told."""

from random import Random
from typing import Any

import pytest

from recognition.readings import play
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition.em import fit_em
from telos.recognition.filtering import Clock, Reader
from telos.recognition.iohmm import AIIDE_TRANSITIONS, IOHMM, copy_model, find_best_strength, personalize, pool_models
from telos.recognition.observations import AIIDE_SYMBOLS, Symbols
from telos.recognition.transitions import LearnedTransitions, TransitionRules

GOALS = ("explore", "level", "return")


def transition(model: IOHMM, **context: Any) -> Any:
    goal = context.pop("goal", None)
    found = model.evidence(Event("up", context, goal=goal))
    assert found is not None
    return found.transition


def test_transitions_are_those_of_the_paper() -> None:
    model = IOHMM()
    assert transition(model)[1] == pytest.approx((0.05, 0.9, 0.05))
    assert transition(model, goal="return") == ((0.5, 0.5, 0.0),) * 3
    assert transition(model, goal="explore")[0] == pytest.approx((0.025, 0.025, 0.95))
    assert transition(model, goal="level")[1] == pytest.approx((0.05, 0.9, 0.05))


@pytest.mark.parametrize(
    ("action", "context", "symbol"),
    [
        ("swing", {"toward_unexplored": True}, "swing"),
        ("stop", {}, "stop"),
        ("up", {"toward_unexplored": True, "toward_monster": True}, "approach_unexplored_and_monster"),
        ("up", {"toward_unexplored": True, "toward_town": True}, "approach_unexplored"),
        ("up", {"toward_town": True, "toward_monster": True}, "approach_town_and_monster"),
        ("up", {"toward_town": True, "toward_gem": True}, "approach_town"),
        ("up", {"toward_monster": True, "toward_gem": True}, "approach_monster"),
        ("up", {"toward_gem": True}, "approach_gem"),
        ("up", {}, "other_movement"),
    ],
)
def test_the_nine_observations_are_told_apart(action: str, context: dict[str, Any], symbol: str) -> None:
    found = IOHMM().evidence(Event(action, context))
    assert found is not None
    assert found.seen == symbol


def test_a_lesson_changes_what_is_believed_at_once() -> None:
    reader = Reader(IOHMM())
    assert reader.observe(Event("swing")).top == "explore"
    for time in range(5):
        reader.learn(Event("swing", time=time), "level")
    reader.reset()
    assert reader.observe(Event("swing")).top == "level"


def test_lessons_that_the_clock_does_not_count_teach_nothing() -> None:
    model = IOHMM()
    reader = Reader(model)
    reader.learn(Event("up", {"cause": "area"}), "level")
    reader.learn(Event("up", {"cause": "tick"}, time=0.0), "level")
    reader.learn(Event("up", {"cause": "tick"}, time=0.1), "level")
    assert sum(model.counts.seen["level"].values()) == 1


def test_a_goal_that_is_not_there_cannot_be_taught() -> None:
    with pytest.raises(TelosError, match=r"'levle'.*'level'"):
        IOHMM().learn(Event("swing"), "levle")


def test_early_lessons_fade_and_other_goals_do_not() -> None:
    model = IOHMM(discount=0.5)
    for event, goal in [("stop", "level"), ("swing", "level"), ("swing", "level"), ("stop", "return")]:
        model.learn(Event(event), goal)
    assert model.counts.seen["level"]["stop"] == 0.25
    assert model.counts.seen["level"]["swing"] == 1.5
    assert model.counts.seen["return"]["stop"] == 1.0
    model.fade(0.1)
    assert model.counts.seen["level"]["swing"] == pytest.approx(0.15)
    assert model.counts.pseudo["level"]["swing"] == 1.0
    found = model.evidence(Event("swing"))
    assert found is not None
    assert found.likelihood[1] == pytest.approx(1.15 / 9.175)


def test_discounting_follows_a_player_who_changes() -> None:
    faithful, forgetful = IOHMM(), IOHMM(discount=0.9)
    for model in (faithful, forgetful):
        for action in ["stop"] * 200 + ["swing"] * 50:
            model.learn(Event(action), "level")
    swing = AIIDE_SYMBOLS.names.index("swing")
    assert forgetful.counts.chances("level")[swing] > 0.5 > faithful.counts.chances("level")[swing]


def test_transitions_are_learned_by_counting_in_each_case_apart() -> None:
    reader = Reader(IOHMM(learned=LearnedTransitions(strength=10)))
    goals = ["explore"] * 10 + ["level"]
    for time, goal in enumerate(goals):
        reader.learn(Event("up", time=time, goal="explore" if time == 10 else None), goal)
    model = reader.model
    assert isinstance(model, IOHMM)
    assert transition(model)[0] == pytest.approx(((9 + 9) / 19, 0.5 / 19, 0.5 / 19))
    assert transition(model, goal="explore")[0] == pytest.approx((0.25 / 11, 1.25 / 11, 9.5 / 11))
    assert transition(model, goal="return")[0] == (0.5, 0.5, 0.0)


def test_learned_transitions_survive_saving() -> None:
    model = IOHMM(learned=LearnedTransitions(3), counts={"level": {"swing": 2}})
    model.learn(Event("swing"), "level", before="explore")
    copy = IOHMM(learned=LearnedTransitions(3, seen=model.learned.seen), counts=model.counts.seen)  # type: ignore[union-attr]
    assert copy == model
    copy.learn(Event("swing"), "level")
    assert copy != model


def test_counts_of_what_is_not_there_are_refused() -> None:
    with pytest.raises(TelosError, match=r"'swnig'.*'swing'"):
        IOHMM(counts={"level": {"swnig": 1}})
    with pytest.raises(TelosError, match="'levle'"):
        IOHMM(counts={"levle": {"swing": 1}})
    with pytest.raises(TelosError, match="zero or more"):
        IOHMM(counts={"level": {"swing": -1}})
    with pytest.raises(DefinitionError, match="'retrun'"):
        IOHMM(transitions=TransitionRules(lasts=10, cases=[("goal == retrun", {})]))
    with pytest.raises(TelosError, match="'usual from fun'"):
        IOHMM(learned=LearnedTransitions(seen={"usual from fun": {"level": 1}}))


def test_a_goal_nobody_knows_cannot_have_been_achieved() -> None:
    with pytest.raises(TelosError, match=r"'retrun'.*'return'"):
        IOHMM().evidence(Event("up", goal="retrun"))


# ----------------------------------------------------------------- pools and persons


def taught(counts: dict[str, dict[str, float]]) -> IOHMM:
    return IOHMM(counts=counts)


def test_a_pool_is_the_sum_of_its_players() -> None:
    pool = pool_models([taught({"level": {"swing": 3}}), taught({"level": {"swing": 2}, "return": {"stop": 1}})])
    assert pool == taught({"level": {"swing": 5}, "return": {"stop": 1}})
    with pytest.raises(TelosError, match="differ"):
        pool_models([IOHMM(), IOHMM(transitions=AIIDE_TRANSITIONS.constant)])


def test_personal_model_learns_independently_of_the_pool() -> None:
    pool = taught({"level": {"swing": 30}})
    person = personalize(pool, 5)
    before = copy_model(pool)
    for _ in range(20):
        person.learn(Event("stop"), "level")
    assert pool == before
    assert person.counts.chances("level") != pool.counts.chances("level")


def test_alike_players_are_bound_closer_to_the_pool_than_unlike_ones() -> None:
    alike = [taught({"level": {"swing": 50, "stop": 50}}) for _ in range(4)]
    unlike = [taught({"level": {symbol: 100}}) for symbol in ("swing", "stop", "swing", "stop")]
    assert find_best_strength(pool_models(alike), alike) > find_best_strength(pool_models(unlike), unlike)


# ----------------------------------------------------------------- learning without being told

TWO = Symbols([("swing", "action == swing"), ("other", None)])


def two_goals(rng: Random, count: int) -> list[Event]:
    """Return the play of somebody who fights a while (mostly swings), then rests a while (mostly stops)."""
    fights, events = True, []
    for time in range(count):
        fights = fights if rng.random() < 0.95 else not fights
        events.append(Event("swing" if rng.random() < (0.9 if fights else 0.1) else "stop", time=time))
    return events


def swapped_start() -> IOHMM:
    return two(counts={"fight": {"swing": 3, "other": 6}, "rest": {"swing": 6, "other": 3}})


def two(counts: dict[str, dict[str, float]]) -> IOHMM:
    return IOHMM(
        ["fight", "rest"], symbols=TWO, transitions=TransitionRules(lasts=10), counts=counts, clock=Clock(every=0.5)
    )


def test_em_swaps_goals_without_anchors_and_not_with_them() -> None:
    sessions = [two_goals(Random(seed), 200) for seed in range(3)]
    lessons = {"fight": {"swing": 180.0, "other": 20.0}, "rest": {"swing": 20.0, "other": 180.0}}
    adrift = fit_em(two(lessons), sessions, anchored=0, start=swapped_start()).model
    anchored = fit_em(two(lessons), sessions, anchored=1, start=swapped_start()).model
    assert adrift.counts.chances("fight")[0] < 0.3  # it explains the play as well, and means the opposite
    assert anchored.counts.chances("fight")[0] > 0.7
    assert anchored.counts.chances("rest")[0] < 0.3


def test_em_finds_the_chances_that_the_play_was_made_with() -> None:
    sessions = [two_goals(Random(seed), 400) for seed in range(5)]
    start = two({"fight": {"swing": 2, "other": 1}, "rest": {"swing": 1, "other": 2}})
    fitted = fit_em(start, sessions, anchored=0, transitions=2.0, rounds=100)
    assert fitted.model.counts.chances("fight")[0] == pytest.approx(0.9, abs=0.05)
    assert fitted.model.counts.chances("rest")[0] == pytest.approx(0.1, abs=0.05)
    assert fitted.model.matrices[0][0][0] == pytest.approx(0.95, abs=0.03)
    assert fitted.log_likelihoods[-1] > fitted.log_likelihoods[0]


def test_em_needs_something_to_learn_from() -> None:
    with pytest.raises(TelosError, match="counts"):
        fit_em(IOHMM(), [])
    with pytest.raises(TelosError, match="rounds"):
        fit_em(IOHMM(), [play(5)], rounds=0)
