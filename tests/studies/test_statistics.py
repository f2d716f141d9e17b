"""Paired t-tests and intervals give the values of textbooks, and say so where there is nothing to test."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.studies.statistics import format_p, interval, paired, quantile

pytest.importorskip("scipy")

# "Student" (1908), The probable error of a mean: additional hours of sleep by two drugs, for the same ten people.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_students_own_example_comes_out_as_in_textbooks() -> None:
    test = paired(FIRST, SECOND, rng=Random(1))
    assert test.difference == pytest.approx(-1.58)
    assert test.t == pytest.approx(-4.0621, abs=1e-4)
    assert test.p == pytest.approx(0.002833, abs=1e-6)
    assert test.effect == pytest.approx(-1.58 / 1.2299, abs=1e-3)
    assert test.is_significant


def test_the_order_of_the_sides_turns_the_sign_and_nothing_else() -> None:
    one, other = paired(FIRST, SECOND, rng=Random(1)), paired(SECOND, FIRST, rng=Random(1))
    assert (one.difference, one.p) == (pytest.approx(-other.difference), pytest.approx(other.p))


def test_equal_methods_differ_with_certainty_by_nothing() -> None:
    test = paired([0.5, 0.7], [0.5, 0.7], rng=Random(1))
    assert (test.difference, test.p, test.t, test.interval) == (0.0, 1.0, None, (0.0, 0.0))


def test_the_same_difference_in_every_run_leaves_no_doubt() -> None:
    test = paired([0.75, 0.5, 1.0], [0.5, 0.25, 0.75], rng=Random(1))
    assert (test.p, test.effect) == (0.0, None)


def test_one_pair_is_not_tested() -> None:
    test = paired([0.9], [0.4], rng=Random(1))
    assert (test.p, test.t, test.is_significant) == (None, None, False)


@pytest.mark.parametrize(("first", "second"), [([0.1], [0.1, 0.2]), ([], [])])
def test_sides_that_are_no_pairs_are_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(TelosError, match="as many values on both sides"):
        paired(first, second, rng=Random(1))


def test_the_bootstrap_interval_is_close_to_the_normal_one_for_many_values() -> None:
    rng = Random(7)
    values = [rng.gauss(0.6, 0.1) for _ in range(400)]
    low, high = interval(values, rng=Random(1))
    reach = 1.96 * 0.1 / math.sqrt(400)
    assert low == pytest.approx(0.6 - reach, abs=0.006)
    assert high == pytest.approx(0.6 + reach, abs=0.006)


def test_95_of_100_intervals_hold_the_true_mean_more_or_less() -> None:
    rng, held = Random(3), 0
    for _ in range(200):
        low, high = interval([rng.gauss(0.5, 0.1) for _ in range(30)], rng=rng, resamples=300)
        held += low <= 0.5 <= high
    assert 178 <= held <= 198  # a percentile bootstrap of thirty values is a little narrow


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 5))
def test_an_interval_lies_within_the_values_and_its_seed_fixes_it(values: list[float], seed: int) -> None:
    low, high = interval(values, rng=Random(seed), resamples=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert (low, high) == interval(values, rng=Random(seed), resamples=50)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values: list[float], share: float) -> None:
    numpy = pytest.importorskip("numpy")
    assert quantile(sorted(values), share) == pytest.approx(float(numpy.quantile(values, share)), abs=1e-9)


def test_an_interval_of_nothing_and_a_confidence_of_one_are_refused() -> None:
    with pytest.raises(TelosError, match="at least one value"):
        interval([], rng=Random(1))
    with pytest.raises(TelosError, match="between 0 and 1, got 1"):
        interval([0.5], rng=Random(1), confidence=1)


def test_p_values_are_said_as_papers_do() -> None:
    assert [format_p(p) for p in (0.00009, 0.0001, 0.05, None)] == [
        "p < 0.0001",
        "p = 0.0001",
        "p = 0.05",
        "not tested",
    ]
