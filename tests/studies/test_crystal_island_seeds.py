"""The chapter beside ours over seeds: what is judged, what a file of scores keeps, and a small run end to end."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.studies.crystal_island.folds import AHEAD, measure_log, run_folds, score_ahead
from telos.studies.crystal_island.logs import island_log
from telos.studies.crystal_island.models import Lineup, lineup_for
from telos.studies.crystal_island.over_seeds import (
    CHANGED,
    CHAPTER,
    Scores,
    SeedScore,
    fold_tests,
    judge_scores,
    plan_runs,
    run_over_seeds,
    score_seed,
)
from telos.studies.results import Section, Table
from telos.worlds.island.variants import TEXT_SENTENCES, name_without


def score(seed: int, factored: float, *, variant: str = "text", unigram: float = 39.0) -> SeedScore:
    f1 = {"majority": 26.0 + seed / 10, "unigram": unigram, "bigram": 33.0, "factored": factored}
    p: dict[str, float | None] = {"unigram-bigram": 0.2, "unigram-factored": 0.001, "bigram-factored": 0.001}
    return SeedScore(variant, seed, 137, 10, f1, 77_000 + 900 * seed, 890 + 6 * seed, p, 40.0)


def test_published_figures_are_judged_by_the_seeds() -> None:
    found = {each.reported.key: each for each in judge_scores([score(seed, 47.0 + seed) for seed in range(4)])}
    assert found["factored"].verdict == "agrees"
    assert found["unigram"].verdict == "differs"  # 39.0 in every seed, and 39.6 published
    assert found["factored-unigram"].verdict == "agrees"
    assert found["factored-unigram"].measured.significant == 4
    assert found["unigram-bigram"].measured.significant == 0
    assert found["actions"].verdict == "agrees"
    worse = {each.reported.key: each for each in judge_scores([score(seed, 35.0 + seed % 2) for seed in range(4)])}
    assert worse["factored-unigram"].verdict == "differs"


def test_a_file_of_scores_is_continued_and_nothing_is_run_twice(tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    kept = Scores(file)
    for variant in ("text", "today"):
        for seed in (1, 2, 3):
            kept.add(score(seed, 47.0 + seed, variant=variant))
    result = run_over_seeds(seeds=3, seed=1, players=137, folds=10, scores=file)  # hours, if it ran anything
    assert set(result.data["variants"]) == {"text", "today"}
    assert [each["seed"] for each in result.data["variants"]["text"]["scores"]] == [1, 2, 3]
    assert result.data["variants"]["text"]["agreement"]["factored"]["published"] == 48.4
    assert json.loads(file.read_text(encoding="utf-8"))[0] == asdict(score(1, 48.0))
    tables = [block for block in result.summary if isinstance(block, Table)]
    assert [table.columns[2] for table in tables] == ["from the text", "today's variant", "from the text"]
    assert result.data["changes"] == {}


def test_bad_sizes_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="an interval over seeds needs at least 2 of them, got 1"):
        run_over_seeds(seeds=1)
    with pytest.raises(TelosError, match="folds must be at least 2"):
        run_over_seeds(folds=1)
    with pytest.raises(TelosError, match="there is no folder"):
        run_over_seeds(seeds=2, scores=tmp_path / "nowhere" / "scores.json")
    good = asdict(score(1, 48.0))
    bad: list[object] = [
        {"seed": 1}, 3, [3], [good, {**good, "f1": 3}], [{**good, "f1": {}}], [{**good, "seed": "1"}],
        [{**good, "goals": 0}], [{**good, "f1": {**good["f1"], "unigram": math.nan}}],
    ]  # fmt: skip
    for each in bad:
        (tmp_path / "scores.json").write_text(json.dumps(each), encoding="utf-8")
        with pytest.raises(TelosError, match="not a file of scores of this study") as refused:
            run_over_seeds(seeds=2, scores=tmp_path / "scores.json")
        assert "\n" not in str(refused.value)
    (tmp_path / "scores.json").write_text("[{", encoding="utf-8")
    with pytest.raises(TelosError, match="not a file of scores of this study"):
        Scores(tmp_path / "scores.json")


def test_a_seed_gives_the_same_score_again() -> None:
    one = score_seed("text", 7, players=6, folds=2)
    assert one == score_seed("text", 7, players=6, folds=2)
    assert set(one.f1) == {"majority", "unigram", "bigram", "factored"}
    assert all(0 <= each <= 100 for each in one.f1.values())
    assert one.players == 6


# --- what each sentence changes ---------------------------------------------------------------------------------------


def test_the_plan_leaves_out_one_sentence_at_a_time_with_the_first_seeds() -> None:
    plan = plan_runs(("text", "today"), (4, 5, 6), 2)
    assert plan[:6] == [("text", 4), ("text", 5), ("text", 6), ("today", 4), ("today", 5), ("today", 6)]
    assert plan[6:] == [(name_without(sentence), seed) for seed in (4, 5) for sentence in TEXT_SENTENCES]
    assert plan_runs(("today",), (1, 2), 0) == [("today", 1), ("today", 2)]


def test_bad_ablations_and_variants_are_refused_before_anything_runs() -> None:
    with pytest.raises(TelosError, match="0 to 3 of the seeds, got 4"):
        run_over_seeds(seeds=3, ablation=4)
    with pytest.raises(TelosError, match="0 to 3 of the seeds, got -1"):
        run_over_seeds(seeds=3, ablation=-1)
    with pytest.raises(TelosError, match="only the variant from the text has sentences to leave out"):
        run_over_seeds(seeds=3, ablation=1, variants=("today",))
    with pytest.raises(TelosError, match=r"no variant 'txt'.*did you mean 'text'"):
        run_over_seeds(seeds=3, variants=("today", "txt"))


def test_a_sentence_brings_the_difference_of_the_same_seeds(tmp_path: Path) -> None:
    kept = Scores(tmp_path / "scores.json")
    for seed in (1, 2, 3):
        kept.add(score(seed, 50.0 + seed))
        for sentence in TEXT_SENTENCES:
            without = score(seed, 48.0 + 2 * seed, variant=name_without(sentence), unigram=40.0)
            kept.add(without if sentence == "pages" else score(seed, 50.0 + seed, variant=without.variant))
    result = run_over_seeds(seeds=3, variants=("text",), ablation=2, scores=tmp_path / "scores.json")
    assert set(result.data["changes"]) == set(result.data["sentences"]) == set(TEXT_SENTENCES)
    pages = result.data["changes"]["pages"]
    assert set(pages) == set(CHANGED)
    assert pages["factored"] == [1.0, 0.0]  # 51 - 50 and 52 - 52
    assert pages["unigram"] == [-1.0, -1.0]
    assert pages["factored-unigram"] == [2.0, 1.0]
    assert pages["goals"] == [0.0, 0.0]
    assert result.data["changes"]["talk"]["factored"] == [0.0, 0.0]
    assert set(result.data["variants"]) == {"text"}
    title, table = result.summary[-2:]
    assert isinstance(title, Section)
    assert isinstance(table, Table)
    assert title.title == "What each sentence changes"
    row = next(row for row in table.rows if row[0] == TEXT_SENTENCES["pages"])
    assert row[2] == "-1.0 (-1.0 to -1.0)"
    assert "over 2 seeds" in table.note


def test_a_run_without_a_sentence_is_scored_and_subtracted(tmp_path: Path) -> None:
    result = run_over_seeds(
        seeds=2, players=4, folds=2, variants=("text",), ablation=1, scores=tmp_path / "scores.json"
    )
    scores = {each["variant"]: each for each in json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))}
    assert set(scores) == {"text", *map(name_without, TEXT_SENTENCES)}
    whole = result.data["variants"]["text"]["scores"][0]
    for sentence in TEXT_SENTENCES:
        brings = result.data["changes"][sentence]["goals"]
        assert brings == [whole["goals"] - scores[name_without(sentence)]["goals"]]


# --- tests over folds -------------------------------------------------------------------------------------------------


def test_the_tests_of_the_chapter_are_beside_ours_and_judged_with_ten_folds_only() -> None:
    ten = [score(seed, 47.0 + seed) for seed in range(4)]
    assert "anova" in {each.reported.key for each in judge_scores(ten)}
    three = [replace(each, folds=3) for each in ten]
    assert "anova" not in {each.reported.key for each in judge_scores(three)}
    assert "anova" not in {each.reported.key for each in judge_scores([replace(ten[0], anova_f=None), *ten[1:]])}
    tests = fold_tests([replace(each, anova_f=71.87) for each in ten])
    assert tests["df"] == [2, 18]
    assert max(tests["p"]) < 0.0001  # as the chapter prints of its F
    assert tests["tukey"]["factored-unigram"] == [0.001] * 4
    assert fold_tests(three)["df"] == [2, 4]
    # For two degrees of freedom between, p = (1 + 2 F / within) ** (-within / 2).
    assert fold_tests(three)["p"][0] == pytest.approx((1 + 2 * 40.0 / 4) ** -2)


@pytest.mark.parametrize("variant", ["text", "today"])
def test_scores_are_those_of_the_whole_study(variant: str) -> None:
    """The short way (majority by counting, no beliefs, no timing) finds what all measures of the study find."""
    log = island_log(8, 3, folds=2, variant=variant)
    specs = tuple(each for each in lineup_for(log).models if each.key in CHAPTER)
    outcome = measure_log(log, Lineup(specs, ()).labels, list(run_folds(log, Lineup(specs, ()), seed=3, jobs=1)))
    for fold in range(2):
        expected = {key: each.decodings[AHEAD].folds[fold] for key, each in outcome.scores.items()}
        assert score_ahead(log, specs, 3, fold) == expected


def test_a_player_who_achieves_nothing_does_not_change_what_identifies_a_score(tmp_path: Path) -> None:
    variant = name_without("periods")
    assert island_log(4, 19, folds=2, variant=variant).players == 3  # one of four reaches no goal
    kept = Scores(tmp_path / "scores.json")
    kept.add(score_seed(variant, 19, players=4, folds=2))
    assert Scores(tmp_path / "scores.json").find(variant, 19, players=4, folds=2) is not None
