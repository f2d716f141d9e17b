"""The first study, small: one seed fixes it, however many processes share it, with published figures beside."""

import json
import math
from dataclasses import replace

import pytest

from studies.scoring_plays import some_play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.parallel import parallel_map
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import named_model
from telos.recognition.filtering import Reader
from telos.studies.gold.flairs import (
    ACCURACIES,
    AROUND,
    GOALS,
    KINDS,
    METHODS,
    TESTS,
    Run,
    around_change,
    methods,
    play_run,
    run_study,
    session_of,
    what_was_seen,
)
from telos.studies.results import StudyResult
from telos.studies.scoring import Reading, filtered_accuracy, read

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return run_study(players=2, runs=2, seed=3, draws=2)


def test_the_figures_fit_json_and_have_the_published_ones_beside_them(small: StudyResult) -> None:
    said = json.loads(json.dumps(small.data))
    assert (said["study"], said["seed"], said["simulated"]) == ("gold-flairs", 3, True)
    assert set(said["conditions"]) == {"experienced", "new", "veterans"}
    for kind, published in ACCURACIES.items():
        for method, percent in published.items():
            assert said["conditions"][kind][method]["published"] == percent
    for condition in said["conditions"].values():
        assert set(condition) == set(METHODS)
        for score in condition.values():
            low, high = score["ci"]
            assert 0 <= low <= score["accuracy"] <= high <= 1
            assert len(score["values"]) == score["n"] <= 2
    tested = {(test["condition"], test["a"], test["b"]): test for test in said["tests"]}
    for key, (p, says) in TESTS.items():
        assert (tested[key]["published_p"], tested[key]["published_says"]) == (p, says)
        assert 0 <= tested[key]["p"] <= 1
    assert {"lag", "sensitivity_experienced", "sensitivity_new", "sensitivity_all"} <= set(said["charts"])
    assert any("published comparisons" in finding for finding in said["findings"])


def test_runs_are_fixed_by_their_seed_and_several_jobs_do_not_change_them() -> None:
    runs = [Run(KINDS[0], number, seed=3, draws=1) for number in range(2)]
    assert list(parallel_map(play_run, runs, jobs=2)) == [play_run(run) for run in runs]


@pytest.mark.slow
def test_the_seed_fixes_the_study_and_several_jobs_do_not_change_it(small: StudyResult) -> None:
    assert run_study(players=2, runs=2, seed=3, draws=2, jobs=2).data == small.data


def test_answers_come_in_the_order_of_the_tasks() -> None:
    assert list(parallel_map(abs, [-3, 2, -1], jobs=2)) == [3, 2, 1]
    with pytest.raises(TelosError, match="at least 1, got 0"):
        list(parallel_map(abs, [-3], jobs=0))


def test_runs_of_one_person_are_different_games_and_the_same_person() -> None:
    one = KINDS[0]
    first, second, new = (
        session_of(Run(kind, number, seed=1, draws=0)) for kind, number in ((one, 0), (one, 1), (KINDS[1], 0))
    )
    assert first.recording
    assert second.recording
    assert new.recording
    assert first.recording.seed != second.recording.seed
    assert first.recording.monsters == second.recording.monsters == 5
    assert session_of(Run(one, 1, seed=1, draws=0)).events == second.events
    assert new.recording.monsters == 3


def test_the_accuracy_of_a_run_is_that_of_its_session() -> None:
    run = Run(KINDS[0], 0, seed=1, draws=1)
    session, shown = session_of(run), play_run(run)
    moments = list(zip(session.events, session.truths, strict=True))
    assert shown.tallies is not None
    assert shown.lags is not None
    assert shown.turned is not None
    accuracy = read({"it": Reader(ffbm())}, moments, clock="it").tally("it").accuracy
    assert shown.tallies["ffbm"].accuracy == shown.lags[0] == shown.turned["ends", 1.0] == accuracy


def test_without_its_cases_the_model_is_the_constant_one() -> None:
    moments = [(event, truth or "town") for event, truth in some_play(4)]
    read_by = methods(Run(KINDS[0], 0, seed=1, draws=0))
    constant = read_by["constant"]
    assert isinstance(constant, Reader)
    assert filtered_accuracy(constant.model, moments) == filtered_accuracy(named_model("flairs-constant"), moments)  # type: ignore[arg-type]


def test_every_update_is_counted_among_what_players_do() -> None:
    moments = [(event, truth) for event, truth in some_play(2) if truth is not None]
    counts = what_was_seen(ffbm(), moments)
    updates = [event for event, _ in moments if event.context["cause"] != "tick"]
    assert sum(number for each in counts.values() for number, _ in each.values()) == len(updates)
    still = [event for event in updates if event.action == "swing" and event.context["moving"] == "stop"]
    assert sum(each["swing_still"][0] for each in counts.values()) == len(still)


def test_a_swing_while_still_among_monsters_tells_three_bits_for_level() -> None:
    facts = {
        "cause": "input",
        "moving": "stop",
        "monsters": 2,
        "exits": (),
        "unvisited_exits": (),
        "exits_nearer_town": (),
    }
    told = what_was_seen(ffbm(), [(Event("swing", facts), "level")])["level"]["swing_still"]
    assert told == (1, pytest.approx(math.log2(0.8 * 11)))  # 0.8 against one of eleven
    told = what_was_seen(ffbm(), [(Event("swing", facts), "town")])["town"]["swing_still"]
    assert told == (1, pytest.approx(-math.log2(0.8 * 11)))


def test_beliefs_are_cut_out_around_the_change_of_goal() -> None:
    truths = ("town",) * 15 + ("level",) * 15
    beliefs = tuple((number / 30, 0.0, 1 - number / 30) for number in range(30))
    reading = Reading(truths, {"it": beliefs}, GOALS)
    around = around_change(reading, "it", "level")
    assert around == beliefs[15 - AROUND : 15 + AROUND + 1]
    assert around_change(reading, "it", "explore") == ()
    assert around_change(replace(reading, truths=("town",) * 25 + ("level",) * 5), "it", "level") == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "at least 2 players and 2 runs, got 1 and 40"),
        ({"runs": 0}, "at least 2 players and 2 runs, got 40 and 0"),
        ({"seed": -1}, "zero or more, got -1"),
        ({"players": 2, "runs": 2, "jobs": 0}, "at least 1, got 0"),
    ],
)
def test_bad_numbers_are_refused_before_anything_is_played(options: dict[str, int], message: str) -> None:
    with pytest.raises(TelosError, match=message):
        run_study(**options)


def ffbm() -> FFBM:
    model = named_model("flairs")
    assert isinstance(model, FFBM)
    return model
