"""The studies of human players, end to end on small invented logs."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from studies.humans.kitchen_logs import COOK_COLUMNS, CRAFT_COLUMNS, crafting, kitchen, saved
from telos.core.errors import TelosError
from telos.studies import load_study
from telos.studies.humans import run_crafter, run_overcooked
from telos.studies.humans.crafter import SOURCE as CRAFTERS
from telos.studies.humans.crafter import careers, lessons
from telos.studies.humans.logs import read_plays
from telos.studies.humans.overcooked import OvercookedTask, run_fold
from telos.studies.report import page
from telos.studies.scoring import GroupScore, folds


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    return saved(kitchen(), COOK_COLUMNS, tmp_path / "hall")


@pytest.fixture
def woods(tmp_path: Path) -> Path:
    return saved(crafting(episodes=24), CRAFT_COLUMNS, tmp_path / "woods")


def test_cooks_in_a_corridor_are_read_nearly_always(hall: Path) -> None:
    figures = run_overcooked(hall).data
    methods = figures["methods"]
    assert methods["features, weight chosen inside"]["accuracy"] > 0.95
    assert methods["IOHMM"]["accuracy"] > methods["majority"]["accuracy"]
    assert figures["simulated"] is False
    assert len(figures["inner"]) == 4
    json.dumps(figures, allow_nan=False)


def test_the_same_study_comes_out_the_same_whatever_the_jobs(hall: Path) -> None:
    once = run_overcooked(hall, quick=True)
    assert once.data == run_overcooked(hall, quick=True).data
    assert once.data == run_overcooked(hall, quick=True, jobs=2).data


def test_a_pairs_own_labels_are_never_trained_on(tmp_path: Path) -> None:
    """Whatever the labels of the tested pair are, the same beliefs are held: only what counts as right changes."""
    log = kitchen()
    swapped = {"get_onion": "pot_onion", "pot_onion": "get_onion"}
    turned = [{**row, "goal": swapped[str(row["goal"])]} if row["pair"] == "G0" else row for row in log]
    right = _of_first_fold(saved(log, COOK_COLUMNS, tmp_path / "right"))
    wrong = _of_first_fold(saved(turned, COOK_COLUMNS, tmp_path / "turned"))
    assert right > 0.9
    assert wrong == pytest.approx(1 - right)


def _of_first_fold(folder: Path) -> float:
    return run_fold(OvercookedTask(str(folder), 0, True)).scores["features"].accuracy


def test_a_watcher_is_handed_every_fold(hall: Path) -> None:
    totals = []

    def watched(done: Iterable[Any], total: int, /) -> Iterable[Any]:
        for each in done:
            totals.append(total)
            yield each

    run_overcooked(hall, quick=True, progress=watched)
    assert totals == [4] * 4


def test_one_pair_or_one_player_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="need at least two"):
        run_overcooked(saved(kitchen(pairs=1), COOK_COLUMNS, tmp_path / "hall"))
    with pytest.raises(TelosError, match="need at least two"):
        run_crafter(saved(crafting(players=1), CRAFT_COLUMNS, tmp_path / "woods"))


def test_crafters_who_never_change_are_read_as_well_at_first_as_later(woods: Path) -> None:
    study = run_crafter(woods, quick=True)
    figures = study.data
    assert figures["methods"]["paper, trained on all play of others"]["accuracy"] > 0.9
    by_pair = {(test["a"], test["b"]): test for test in figures["tests"]}
    claim = by_pair["paper: own later on later", "own first on first"]
    assert claim["players"] == 4
    assert claim["published"] == [70.0, 60.0]
    assert abs(claim["difference"]) < 0.05
    assert "own first on later" in page(study)
    json.dumps(figures, allow_nan=False)


def test_the_crafter_study_does_not_depend_on_jobs(woods: Path) -> None:
    assert run_crafter(woods, quick=True).data == run_crafter(woods, quick=True, jobs=2).data


def test_a_career_is_cut_in_time_and_no_episode_is_trained_and_tested_on(woods: Path) -> None:
    for career in careers(read_plays(woods, CRAFTERS)):
        assert career.is_long
        first, later = [{play.session for play in part} for part in (career.first_test, career.later_test)]
        assert max(first) < min(later)
        tested = set(lessons((*career.first_test, *career.later_test)))
        trained = [id(lesson.event) for lesson in (*career.first, *career.later)]
        assert not {id(lesson.event) for lesson in tested} & set(trained)
        assert len(lessons(career.plays)) == len(trained) + len(lessons((*career.first_test, *career.later_test)))


def test_an_interval_over_groups_holds_the_accuracy_and_needs_no_luck() -> None:
    score = GroupScore()
    for group, right in (("a", 6), ("b", 8), ("c", 9)):
        for number in range(10):
            score.add(group, number < right)
    low, high = score.interval(Random(1))
    assert score.accuracy == pytest.approx(23 / 30)
    assert 0.6 <= low < score.accuracy < high <= 0.9
    assert score.interval(Random(1)) == (low, high)


def test_folds_share_nobody_and_leave_nobody_out() -> None:
    groups = [f"G{number:02d}" for number in range(23)]
    made = folds(groups, 10)
    assert sorted(group for fold in made for group in fold) == groups
    assert {len(fold) for fold in made} == {2, 3}


def test_every_study_of_a_log_refuses_a_missing_folder(tmp_path: Path) -> None:
    for name in ("overcooked", "overcooked-planning", "crafter", "crafter-planning", "starcraft"):
        with pytest.raises(TelosError, match="no such folder"):
            load_study(name)(tmp_path / "nowhere")
