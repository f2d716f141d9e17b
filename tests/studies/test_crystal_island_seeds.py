"""The chapter beside ours over seeds: what is judged, what a file of scores keeps, and a small run end to end."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.studies.crystal_island.over_seeds import (
    Scores,
    SeedScore,
    judge_scores,
    run_over_seeds,
    score_seed,
)


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
    assert [block.columns[2] for block in result.summary] == ["from the text", "today's variant"]  # type: ignore[union-attr]


def test_bad_sizes_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="an interval over seeds needs at least 2 of them, got 1"):
        run_over_seeds(seeds=1)
    with pytest.raises(TelosError, match="folds must be at least 2"):
        run_over_seeds(folds=1)
    (tmp_path / "scores.json").write_text('[{"seed": 1}]', encoding="utf-8")
    with pytest.raises(TelosError, match="not a file of scores of this study"):
        run_over_seeds(seeds=2, scores=tmp_path / "scores.json")


def test_a_seed_gives_the_same_score_again() -> None:
    one = score_seed("text", 7, players=6, folds=2)
    assert one == score_seed("text", 7, players=6, folds=2)
    assert set(one.f1) == {"majority", "unigram", "bigram", "factored"}
    assert all(0 <= each <= 100 for each in one.f1.values())
    assert one.players == 6
