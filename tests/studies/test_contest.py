"""Comparisons say where a difference comes from, and whether it is of the same kind as the published one."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.studies.comparisons import find_agreements, format_comparison
from telos.studies.scoring import Comparison, Published, compared, scored, tally

GOALS = ("level", "explore", "town")
LABELS = {"a": "method A", "b": "method B"}
runs = st.lists(
    st.tuples(st.sampled_from(GOALS), st.sampled_from(GOALS), st.sampled_from(GOALS)), min_size=1, max_size=20
)


@given(st.lists(runs, min_size=1, max_size=5))
@settings(deadline=None)  # the first test that needs scipy waits for it
def test_the_parts_of_all_goals_sum_to_the_difference(played: list[list[tuple[str, str, str]]]) -> None:
    pairs = []
    for run in played:
        truths = [truth for truth, _, _ in run]
        pairs.append((tally(truths, [a for _, a, _ in run]), tally(truths, [b for _, _, b in run])))
    test = compared("x", "a", "b", pairs, goals=GOALS, rng=Random(1))
    assert sum(test.by_goal.values()) == pytest.approx(test.test.difference)
    assert test.accuracies[0] - test.accuracies[1] == pytest.approx(test.test.difference)


def comparison(shares: list[tuple[int, int]], published: Published | None) -> Comparison:
    """Compare methods that were right at so many of ten updates, in each run."""
    truths = ["level"] * 5 + ["town"] * 5

    def said(right: int) -> list[str]:
        return [*truths[:right], *(["explore"] * (10 - right))]

    pairs = [(tally(truths, said(a)), tally(truths, said(b))) for a, b in shares]
    return compared("new", "a", "b", pairs, goals=GOALS, rng=Random(1), published=published)


BETTER, WORSE = [(9, 3), (8, 3), (9, 4), (8, 2)], [(3, 9), (3, 8), (4, 9), (2, 8)]
EVEN = [(5, 4), (4, 5), (5, 5), (6, 6)]
SLIGHTLY = [(6, 4), (5, 5), (4, 5), (7, 5)]
CLEAR, UNCLEAR = Published(90, 70, 0.0003, "p < 0.0003"), Published(44, 46, 0.66, "p = 0.66")


@pytest.mark.parametrize(
    ("shares", "published", "verdict"),
    [
        (BETTER, CLEAR, "agrees"),
        (SLIGHTLY, CLEAR, "same direction, not significant here"),
        (EVEN, CLEAR, "differs: no difference here"),
        ([(5, 4), (4, 5)], CLEAR, "differs: no difference here"),
        (WORSE, CLEAR, "differs: the other way round"),
        (EVEN, UNCLEAR, "agrees"),
        (BETTER, UNCLEAR, "differs: significant here"),
        (BETTER, None, "not published"),
    ],
)
def test_a_result_is_of_the_published_kind_by_direction_and_significance(
    shares: list[tuple[int, int]], published: Published | None, verdict: str
) -> None:
    test = comparison(shares, published)
    assert test.verdict == verdict


def test_what_differs_is_told_with_the_phases_that_it_comes_from() -> None:
    said = format_comparison(comparison(WORSE, CLEAR), LABELS)
    assert said.startswith("new: method A 30%, method B 85% (p = 0.00032); published 90% and 70% (p < 0.0003).")
    assert "Differs: the other way round. Of the difference of -55.0 points, by phase: level" in said
    assert "phase" not in format_comparison(comparison(BETTER, CLEAR), LABELS)


def test_findings_begin_with_how_many_agree() -> None:
    published = [(BETTER, CLEAR), (SLIGHTLY, CLEAR), (BETTER, UNCLEAR), (EVEN, None)]
    tests = [comparison(shares, said) for shares, said in published]
    said = find_agreements(tests, LABELS)
    assert len(said) == 4
    assert said[0] == (
        "Of 3 published comparisons, 1 agree in kind with ours; pointing the same way without being significant: 1; "
        "differing: 1."
    )


def test_a_score_is_the_mean_over_runs_and_not_over_updates() -> None:
    short, long = tally(["level"], ["level"]), tally(["level"] * 3, ["town"] * 3)
    score = scored("a", [short, long], goals=GOALS, rng=Random(1), published=70)
    assert (score.accuracy, score.by_goal, score.soon, score.delay) == (0.5, {"level": 0.5}, None, None)
    with pytest.raises(TelosError, match="no run at all"):
        scored("a", [], goals=GOALS, rng=Random(1))
