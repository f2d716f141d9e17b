"""Studies over several seeds: intervals against scipy, and each verdict of the criterion."""

import math
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from telos.core.errors import TelosError
from telos.studies.seeds import (
    AGREES,
    DIFFERS,
    UNTOLD,
    Measured,
    Reported,
    agreement_data,
    agreement_table,
    count_verdicts,
    judge,
    seeds_from,
)

FIGURE = Reported("ffbm", "experienced player: FFBM", 90.0)
DIFFERENCE = Reported("ffbm-fsm", "FFBM - FSM", 20.0, p=0.0003, says="p < 0.0003")
NO_DIFFERENCE = Reported("constant-fsm", "constant T - FSM", 0.0, p=0.88, says="p = 0.88")


@given(st.lists(st.integers(-1000, 1000).map(lambda tenths: tenths / 10), min_size=2, max_size=20))
def test_the_interval_of_the_mean_is_that_of_scipy(values: list[float]) -> None:
    low, high = Measured(tuple(values)).interval
    error = stdev(values) / math.sqrt(len(values))
    if error < 1e-9:
        assert low == pytest.approx(fmean(values)) == high
    else:
        expected = stats.t.interval(0.95, len(values) - 1, loc=fmean(values), scale=error)
        assert (low, high) == pytest.approx(expected, abs=1e-6)


def test_the_interval_of_one_more_study_is_wider_by_the_spread_of_single_studies() -> None:
    measured = Measured((1.0, 2.0, 3.0))  # mean 2, standard deviation 1; Student's t with two degrees: 4.3027
    assert measured.interval == pytest.approx((2 - 4.3027 / math.sqrt(3), 2 + 4.3027 / math.sqrt(3)), abs=1e-3)
    assert measured.one_study == pytest.approx((2 - 4.3027 * math.sqrt(4 / 3), 2 + 4.3027 * math.sqrt(4 / 3)), abs=1e-3)


@pytest.mark.parametrize(
    ("reported", "values", "ps", "verdict"),
    [
        (FIGURE, (88.0, 90.0, 91.0), (), AGREES),
        (FIGURE, (60.0, 61.0, 62.0), (), DIFFERS),
        (FIGURE, (50.0, 70.0, 99.0), (), UNTOLD),  # the interval is wider than 30 points
        (FIGURE, (88.0, 90.0), (), UNTOLD),  # two seeds have no spread to speak of
        (Reported("e", "experimenter", None), (60.0, 61.0, 62.0), (), UNTOLD),
        (Reported("g", "a above b", 31.0, unit=" points"), (10.0, 20.0, 40.0), (), UNTOLD),
        (Reported("n", "actions a goal", 86.4, unit=""), (85.0, 86.0, 88.0), (), AGREES),
        (Reported("n", "actions a goal", 86.4, unit=""), (60.0, 80.0, 99.0), (), UNTOLD),
        (DIFFERENCE, (8.0, 9.0, 10.0), (0.2, 0.04, 0.01), AGREES),
        (DIFFERENCE, (-8.0, -9.0, -10.0), (0.01, 0.01, 0.01), DIFFERS),
        (DIFFERENCE, (-1.0, 0.0, 1.0), (0.5, 0.9, 0.5), DIFFERS),  # zero is inside, and 20 is not
        (DIFFERENCE, (-9.0, 5.0, 20.0), (0.5, 0.9, 0.5), UNTOLD),  # both are inside
        (NO_DIFFERENCE, (5.0, 5.0, 5.0), (0.2, 0.3, 0.01), AGREES),
        (NO_DIFFERENCE, (5.0, 5.0, 5.0), (0.01, 0.3, 0.01), DIFFERS),
        (NO_DIFFERENCE, (5.0, 5.0, 5.0, 5.0), (0.01, 0.3, 0.01, 0.3), UNTOLD),
    ],
)
def test_verdicts(reported: Reported, values: tuple[float, ...], ps: tuple[float | None, ...], verdict: str) -> None:
    assert judge(reported, Measured(values, ps)).verdict == verdict


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=12), st.floats(0.5, 40))
def test_a_difference_and_its_mirror_image_have_the_same_verdict(values: list[float], size: float) -> None:
    positive = judge(Reported("d", "a - b", size, p=0.01), Measured(tuple(values)))
    negative = judge(Reported("d", "b - a", -size, p=0.01), Measured(tuple(-value for value in values)))
    assert positive.verdict == negative.verdict


def test_the_table_has_one_column_of_ours_and_one_verdict_for_each_variant() -> None:
    ours = [
        judge(FIGURE, Measured((88.0, 90.0, 91.0))),
        judge(DIFFERENCE, Measured((8.0, 9.0, 10.0), (0.2, 0.04, 0.01))),
    ]
    before = [
        judge(FIGURE, Measured((60.0, 61.0, 62.0))),
        judge(DIFFERENCE, Measured((1.0, 2.0, 3.0), (0.5, 0.5, 0.5))),
    ]
    table = agreement_table({"from the text": ours, "before": before})
    assert table.columns == ("the paper says", "published", "from the text", "verdict", "before", "verdict")
    assert [(row[0], row[1], row[3], row[5]) for row in table.rows] == [
        ("experienced player: FFBM", "90%", "agrees", "differs"),
        ("FFBM - FSM", "+20, p < 0.0003", "agrees", "differs"),
    ]
    assert table.rows[1][2].endswith("significant in 2 of 3")
    assert count_verdicts(before) == "Of 2 published figures and tests, 0 agree, 2 differ and 0 cannot be told."
    assert agreement_data(ours)["ffbm"]["published"] == 90.0


def test_what_was_not_measured_cannot_be_told() -> None:
    figure = judge(FIGURE, Measured((88.0, float("nan"), 91.0)))
    assert (figure.verdict, figure.reason) == ("cannot be told", "a seed has no value")
    alike = Reported("d", "a - b", 1.0, p=0.4)
    untested = judge(alike, Measured((1.0, 2.0, 3.0), (None, None, None)))
    assert (untested.verdict, untested.reason) == ("cannot be told", "no seed has a test of its own")
    assert judge(alike, Measured((1.0, 2.0, 3.0))).verdict == "cannot be told"
    assert judge(alike, Measured((1.0, 2.0, 3.0), (0.5, 0.6, 0.4))).verdict == "agrees"


def test_bad_input_is_refused() -> None:
    with pytest.raises(TelosError, match="one test, got 1 of 3"):
        judge(DIFFERENCE, Measured((1.0, 2.0, 3.0), (0.5,)))
    with pytest.raises(TelosError, match="at least 2 of them, got 1"):
        _ = Measured((1.0,)).interval
    with pytest.raises(TelosError, match="the same statements"):
        agreement_table({"a": [judge(FIGURE, Measured((1.0, 2.0, 3.0)))], "b": []})
    with pytest.raises(TelosError, match="at least 1 seed, got 0"):
        seeds_from(1, 0)
    with pytest.raises(TelosError, match="zero or more, got -1"):
        seeds_from(-1, 2)
