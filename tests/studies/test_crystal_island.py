"""The study of Markov logic, small: models, baselines, folds, and what is told about them."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from studies.markov_logs import log_of, small_log, table
from telos.cli.main import app
from telos.core.errors import TelosError
from telos.studies import scoring
from telos.studies.crystal_island import study
from telos.studies.crystal_island.folds import (
    AHEAD,
    ONLINE,
    LogOutcome,
    measure_log,
    pool_folds,
    run_fold,
    run_folds,
    train_model,
    update_time,
)
from telos.studies.crystal_island.logs import GoalLog
from telos.studies.crystal_island.models import (
    COMPARED,
    CRF,
    LOGISTIC,
    MAJORITY,
    Baseline,
    Lineup,
    ModelSpec,
    features_of,
    read,
    read_baseline,
)
from telos.studies.crystal_island.study import PUBLISHED, run_log, run_study
from telos.studies.report import page

LINEUP = Lineup(
    (
        ModelSpec(MAJORITY, "majority", "majority.mln", by="likelihood", epochs=20),
        ModelSpec("unigram", "unigram", "unigram.mln", epochs=4),
        ModelSpec("bigram", "bigram", "bigram.mln", epochs=4),
        ModelSpec("factored", "factored MLN", "island.mln", epochs=4),
    ),
    (Baseline(LOGISTIC, "logistic regression", "island.mln"),),
)
FACTORED = LINEUP.models[-1]


@pytest.fixture(scope="module")
def log() -> GoalLog:
    return small_log(8, 4)


@pytest.fixture(scope="module")
def found(log: GoalLog) -> LogOutcome:
    return measure_log(log, LINEUP.labels, list(run_folds(log, LINEUP, seed=1, jobs=1)))


def test_the_majority_always_says_what_was_pursued_most(log: GoalLog) -> None:
    train, test = log.split(0)
    model = train_model(log, LINEUP.models[0], train, log.goals, seed=1)
    commonest = np.bincount(log.truth[log.rows(train)]).argmax()
    assert set(read(log, model, test, log.goals).online.tolist()) == {int(commonest)}


def test_what_is_read_online_does_not_depend_on_what_comes_later(log: GoalLog) -> None:
    train, test = log.split(0)
    model = train_model(log, FACTORED, train, log.goals, seed=1)
    whole = read(log, model, test[:1], log.goals)
    rows = table(8)
    player = log.groups[test[0]]
    own = rows.with_row_index().filter(pl.col("player") == player)
    second = own.filter(pl.col("achieved").is_not_null())["index"][1]
    cut = rows.with_row_index().filter((pl.col("player") != player) | (pl.col("index") <= second)).drop("index")
    short = log_of(cut, 4)
    place = short.groups.index(player)
    part = read(short, model, (place,), short.goals)
    assert 0 < len(part.rows) < len(whole.rows)
    assert part.belief == pytest.approx(whole.belief[: len(part.rows)], abs=1e-6)


def test_goal_without_training_rows_is_never_predicted_and_is_noted() -> None:
    renamed = pl.col("achieved").replace("cook", "sail")
    rows = table(4).with_columns(achieved=pl.when(pl.col("player") == "p0").then(renamed).otherwise("achieved"))
    log = log_of(rows, 4)
    fold = int(log.fold[log.groups.index("p0")])
    done = run_fold(log, LINEUP, 1, fold)
    sail = log.goals.index("sail")
    assert any("nobody in training pursued sail" in note for note in done.notes)
    for said in done.readings.values():
        assert sail not in said.online
        assert said.belief[:, sail].max() == 0
        assert said.belief.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_the_baselines_see_one_feature_for_each_way_a_formula_holds(log: GoalLog) -> None:
    features = features_of(log, Baseline(LOGISTIC, "", "unigram.mln").formulas)
    shown = [log.evidence[name] for name in ("action", "loc", "state")]
    met = [dict(zip(each.row.tolist(), each.code.tolist(), strict=True)) for each in shown]
    ways = {row: tuple(each[row] for each in met) for row in range(len(log.truth))}
    pairs = zip(features.row.tolist(), features.feature.tolist(), strict=True)
    assert features.count == len(set(ways.values()))
    assert len({(feature, ways[row]) for row, feature in pairs}) == features.count


def test_the_crf_reads_online_what_tagging_each_prefix_would_give(log: GoalLog) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    baseline = Baseline(CRF, "CRF", "island.mln", iterations=15)
    train, test = log.split(0)
    said = read_baseline(log, baseline, train, test)
    assert said.ahead is not None
    from telos.studies.crystal_island.models import _feature_names, _train_crf

    items = _feature_names(features_of(log, baseline.formulas), len(log.truth))
    with _train_crf(log, items, baseline, train) as tagger:
        assert isinstance(tagger, pycrfsuite.Tagger)
        start, end = int(log.start[test[0]]), int(log.start[test[0] + 1])
        tagged = [int(goal) for goal in tagger.tag(items[start:end])]
        assert said.ahead[: end - start].tolist() == tagged
        for stop in range(start + 1, min(end, start + 6)):
            tagger.set(items[start:stop])
            wanted = [tagger.marginal(str(goal), stop - start - 1) for goal in range(len(log.goals))]
            assert said.belief[stop - start - 1].tolist() == pytest.approx(wanted, abs=1e-4)


def test_two_jobs_find_what_one_finds(log: GoalLog) -> None:
    few = Lineup(LINEUP.models[:2], ())
    one, two = (pool_folds(log, list(run_folds(log, few, seed=1, jobs=jobs))) for jobs in (1, 2))
    for key in one:
        assert (one[key].belief == two[key].belief).all()


def test_every_row_is_scored_once_in_the_fold_that_holds_it_out(log: GoalLog, found: LogOutcome) -> None:
    for score in found.scores.values():
        for decoding in score.decodings.values():
            sizes = np.bincount(log.fold[log.sequence])
            assert decoding.f1 == pytest.approx(float((sizes * decoding.folds).sum() / sizes.sum()))
    assert found.scores["factored"].decodings[ONLINE].f1 > found.scores[MAJORITY].decodings[ONLINE].f1


def test_the_figures_hold_every_model_and_fold_and_the_tests(log: GoalLog, found: LogOutcome) -> None:
    figures = json.loads(json.dumps(found.data()))
    assert [each["fold"] for each in figures["folds"]] == list(range(log.folds))
    assert set(COMPARED) <= figures["folds"][0].keys()
    assert LOGISTIC not in figures["folds"][0]  # it has no look-ahead
    assert LOGISTIC in figures["folds_online"][0]
    assert figures["anova"]["df"] == [2, 2 * (log.folds - 1)]
    assert [(pair["a"], pair["b"]) for pair in figures["tukey"]] == [
        ("unigram", "bigram"),
        ("unigram", "factored"),
        ("bigram", "factored"),
    ]
    models = figures["models"]
    mean, base = models["unigram"]["f1_mean"], models[MAJORITY]["f1_mean"]
    assert models["unigram"]["improvement"] == pytest.approx(mean / base - 1)
    assert models["factored"]["f1_mean"] == models["factored"][AHEAD]["f1_mean"]
    assert models[LOGISTIC][AHEAD] is None


def test_the_page_names_who_is_simulated_and_shows_published_figures(found: LogOutcome) -> None:
    shown = page(study.island_result(found, {}, seed=1, quick=True))
    assert "simulated players" in shown
    assert "human players" not in shown
    for each in ("0.266", "0.396", "0.330", "0.484", "71.87"):
        assert each in shown
    assert "http" not in shown.replace("http://www.w3.org", "")


def test_updates_are_timed_by_the_clock_that_is_given(log: GoalLog) -> None:
    train, test = log.split(0)
    model = train_model(log, FACTORED, train, log.goals, seed=1)
    ticks = iter([0.0, 1.0, 10.0, 10.5])
    first, again = update_time(log, model, test, lambda: next(ticks))
    assert first == pytest.approx(2 * again)


def test_the_published_improvements_follow_from_the_published_scores() -> None:
    scores, better = PUBLISHED["f1"], PUBLISHED["improvement"]
    assert isinstance(scores, dict)
    assert isinstance(better, dict)
    for key, improvement in better.items():
        assert scores[key] / scores[MAJORITY] - 1 == pytest.approx(improvement, abs=0.006)


@pytest.mark.parametrize(
    ("players", "folds", "said"),
    [
        (1, 2, "one player"),
        (3, 4, "4 folds"),
        (-1, None, "at least 1"),
        (0, None, "at least 1"),
        (4, 0, "at least 2"),
    ],
)
def test_sizes_that_make_no_study_are_refused(players: int, folds: int | None, said: str) -> None:
    with pytest.raises(TelosError, match=said):
        run_study(players=players, folds=folds, quick=True)


def test_the_command_refuses_what_belongs_to_other_studies(tmp_path: Path) -> None:
    run = CliRunner().invoke
    for options in (["crystal-island", "--published"], ["gold-flairs", "--folds", "3"]):
        assert run(app, ["study", *options]).exit_code == 2
    answer = run(app, ["study", "crystal-island", "--quick", "--data", str(tmp_path)])
    assert isinstance(answer.exception, TelosError)
    assert "events.csv.gz" in str(answer.exception)


def test_a_human_log_is_told_apart_from_a_simulated_one() -> None:
    log = small_log(6, 3, is_simulated=False)
    found = measure_log(log, LINEUP.labels, list(run_folds(log, LINEUP, seed=1, jobs=1)))
    assert not found.is_simulated
    assert found.microseconds is None
    unseen = found.scores[MAJORITY].unseen
    assert unseen is not None
    assert 0 <= unseen <= 1


def test_islanders_are_read_from_end_to_end() -> None:
    done = run_study(players=4, folds=2, quick=True)
    island = done.data["simulated"]
    assert island["players"] == 4
    assert island["microseconds_an_update"] is not None
    assert {MAJORITY, *COMPARED} <= island["models"].keys()
    assert done.findings
    assert len(island["models"][MAJORITY][ONLINE]["by_share_seen"]) == scoring.SHARES


def test_folds_are_watched_as_they_come(log: GoalLog) -> None:
    seen: list[int] = []

    def watched(done, total):  # type: ignore[no-untyped-def]
        for each in done:
            seen.append(each.fold)
            assert total == log.folds
            yield each

    run_log(log, seed=1, jobs=1, quick=True, progress=watched)
    assert seen == list(range(log.folds))
