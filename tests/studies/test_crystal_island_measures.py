"""What is measured about readings, beside slow and obvious versions of the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.studies import scoring
from telos.studies.crystal_island.logs import Ints

GOALS = 3
rows = st.lists(st.tuples(st.integers(0, GOALS - 1), st.integers(0, GOALS - 1), st.booleans()), min_size=1, max_size=60)
Drawn = list[tuple[int, int, bool]]


def arrays(drawn: Drawn) -> tuple[Ints, Ints, Ints]:
    """Return truth, readings and pursuits; all rows of a pursuit have the goal of its first row."""
    pursuit = np.cumsum([ends for _, _, ends in drawn]).astype(np.int32)
    first = {number: drawn[at][0] for at, number in reversed(list(enumerate(pursuit.tolist())))}
    truth = np.array([first[number] for number in pursuit.tolist()], np.int32)
    return truth, np.array([said for _, said, _ in drawn], np.int32), pursuit


@given(rows)
def test_convergence_is_what_looking_at_each_pursuit_gives(drawn: Drawn) -> None:
    truth, said, pursuit = arrays(drawn)
    rates, points = [], []
    for number in dict.fromkeys(pursuit.tolist()):
        right = (truth == said)[pursuit == number].tolist()
        rates.append(right[-1])
        if right[-1]:
            held = next(start for start in range(len(right)) if all(right[start:]))
            points.append(held / len(right))
    found = scoring.convergence(truth, said, pursuit)
    assert found.rate == pytest.approx(np.mean(rates))
    assert found.pursuits == len(rates)
    assert (found.point is None) == (not points)
    if points:
        assert found.point == pytest.approx(np.mean(points))


@given(rows)
def test_the_curve_is_the_mean_of_the_pursuits_own_curves(drawn: Drawn) -> None:
    truth, said, pursuit = arrays(drawn)
    cells: list[list[float]] = [[] for _ in range(scoring.SHARES)]
    for number in dict.fromkeys(pursuit.tolist()):
        right = (truth == said)[pursuit == number].tolist()
        parts: list[list[bool]] = [[] for _ in range(scoring.SHARES)]
        for at, each in enumerate(right):
            parts[at * scoring.SHARES // len(right)].append(each)
        for cell, part in zip(cells, parts, strict=True):
            if part:
                cell.append(float(np.mean(part)))
    wanted = [np.mean(cell) if cell else 0.0 for cell in cells]
    assert scoring.by_share(truth, said, pursuit).tolist() == pytest.approx(wanted)


@given(rows)
def test_macro_f1_is_the_mean_of_what_each_goal_gets(drawn: Drawn) -> None:
    truth, said, _ = arrays(drawn)
    each = []
    for goal in range(GOALS):
        hits = int(((truth == goal) & (said == goal)).sum())
        met = int((truth == goal).sum() + (said == goal).sum())
        each += [2 * hits / met] if met else []
    assert scoring.macro_f1(truth, said, GOALS) == pytest.approx(np.mean(each))


def test_beliefs_that_are_kept_have_no_calibration_error() -> None:
    belief = np.array([[0.75, 0.25]] * 8, np.float32)
    found = scoring.calibration(np.array([0, 0, 0, 1] * 2, np.int32), belief)
    assert found.error == pytest.approx(0.0)
    assert found.rows == (8,)


def test_certainty_that_is_wrong_has_the_largest_calibration_error() -> None:
    belief = np.array([[1.0, 0.0]] * 3, np.float32)
    assert scoring.calibration(np.array([1, 1, 1], np.int32), belief).error == pytest.approx(1.0)
