"""Repeated-measures ANOVA and Tukey's test, beside a library that is used for nothing else and values from tables."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.studies.statistics import repeated_measures, tukey

pytest.importorskip("scipy")

# A textbook case: five people under three conditions, F(2, 8) = 5 worked out by hand below.
WORKED = {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "b": [2.0, 4.0, 3.0, 6.0, 5.0], "c": [3.0, 3.0, 5.0, 6.0, 8.0]}


def test_the_worked_case_is_met() -> None:
    # Means 3, 4, 5 around 4: effect 10 / 2 = 5. What is left over after people and conditions: 4.667 / 8.
    found = repeated_measures(WORKED)
    assert (found.between, found.within) == (2, 8)
    total = sum((value - 4.0) ** 2 for each in WORKED.values() for value in each)
    people = 3 * sum((sum(each) / 3 - 4.0) ** 2 for each in zip(*WORKED.values(), strict=True))
    assert found.f == pytest.approx(5 / ((total - people - 10) / 8))


def test_the_library_of_another_hand_says_the_same() -> None:
    import pandas  # slow to load, with all of SciPy's statistics: not while tests are collected
    from statsmodels.stats.anova import AnovaRM

    frame = pandas.DataFrame(
        [(name, fold, value) for name, each in WORKED.items() for fold, value in enumerate(each)],
        columns=["method", "fold", "score"],
    )
    table = AnovaRM(frame, "score", "fold", within=["method"]).fit().anova_table
    found = repeated_measures(WORKED)
    assert found.f == pytest.approx(float(table["F Value"].iloc[0]))
    assert found.p == pytest.approx(float(table["Pr > F"].iloc[0]))


@given(st.integers(0, 10_000), st.floats(-5, 5))
def test_what_a_fold_does_to_all_methods_alike_changes_nothing(seed: int, shift: float) -> None:
    rng = Random(seed)
    scores = {name: [rng.random() for _ in range(6)] for name in "abc"}
    moved = {
        name: [value + (shift if fold == 2 else 0) for fold, value in enumerate(each)] for name, each in scores.items()
    }
    assert repeated_measures(moved).f == pytest.approx(repeated_measures(scores).f)


def test_two_methods_are_a_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    pair = {name: WORKED[name] for name in "ab"}
    t = ttest_rel(pair["a"], pair["b"])
    anova, (test,) = repeated_measures(pair), tukey(pair)
    assert anova.f == pytest.approx(t.statistic**2)
    assert anova.p == pytest.approx(t.pvalue)
    assert test.p == pytest.approx(t.pvalue, rel=1e-4)


def test_the_critical_values_of_tukeys_tables_are_met() -> None:
    # q at 5% for 3 means and 18 degrees of freedom is 3.61 in every table.
    from scipy.stats import studentized_range

    assert studentized_range.sf(3.61, 3, 18) == pytest.approx(0.05, abs=5e-4)
    rng = Random(4)
    scores = {
        name: [mean + rng.gauss(0, 0.02) for _ in range(10)] for name, mean in (("a", 0.3), ("b", 0.4), ("c", 0.5))
    }
    assert repeated_measures(scores).within == 18
    assert all(pair.p is not None and pair.p < 0.01 for pair in tukey(scores))


def test_methods_that_never_vary_have_no_f() -> None:
    same = {"a": [0.5, 0.5], "b": [0.5, 0.5]}
    assert repeated_measures(same).p == 1.0
    apart = repeated_measures({"a": [0.5, 0.5], "b": [0.75, 0.75]})
    assert (apart.f, apart.p) == (None, None)
    assert tukey({"a": [0.5, 0.5], "b": [0.75, 0.75]})[0].p is None


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({"a": [1.0, 2.0]}, "2 methods"),
        ({"a": [1.0], "b": [2.0]}, "2 folds"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "every fold"),
    ],
)
def test_too_little_is_refused_with_what_is_missing(scores: dict[str, list[float]], said: str) -> None:
    with pytest.raises(TelosError, match=said):
        repeated_measures(scores)
