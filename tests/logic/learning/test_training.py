"""L-BFGS on functions with known minima."""

import numpy as np
import pytest

from telos.logic.learning.training import Function, LbfgsState, descend, start_descent
from telos.logic.network import Floats


def rosenbrock(place: Floats) -> tuple[float, Floats]:
    """Rosenbrock's function: a long bent valley with its minimum at (1, 1)."""
    x, y = place
    gradient = np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])
    return float((1 - x) ** 2 + 100 * (y - x * x) ** 2), gradient


def run(function: Function, descent: LbfgsState, steps: int) -> LbfgsState:
    for _ in range(steps):
        descent = descend(function, descent, tolerance=1e-9)
    return descent


def test_lbfgs_minimises_the_rosenbrock_function() -> None:
    descent = run(rosenbrock, start_descent(rosenbrock, np.array([-1.2, 1.0])), 60)
    assert descent.place == pytest.approx([1.0, 1.0], abs=1e-6)
    assert descent.is_over


def test_lbfgs_never_increases_the_function() -> None:
    descent = start_descent(rosenbrock, np.array([-1.2, 1.0]))
    for _ in range(40):
        after = descend(rosenbrock, descent)
        assert after.value <= descent.value
        descent = after


def test_lbfgs_continues_where_it_stopped() -> None:
    start = start_descent(rosenbrock, np.array([-1.2, 1.0]))
    half = run(rosenbrock, start, 10)
    again = LbfgsState(half.place.copy(), half.value, half.gradient.copy(), half.steps, half.turns)
    assert run(rosenbrock, again, 10).place.tolist() == run(rosenbrock, start, 20).place.tolist()


def test_lbfgs_is_over_at_the_minimum() -> None:
    assert descend(rosenbrock, start_descent(rosenbrock, np.array([1.0, 1.0]))).is_over


def test_lbfgs_stops_at_a_wrong_gradient() -> None:
    def liar(place: Floats) -> tuple[float, Floats]:
        return float(place @ place), -place  # the gradient has the wrong sign

    descent = descend(liar, start_descent(liar, np.array([1.0])))
    assert descent.is_over
    assert descent.place.tolist() == [1.0]


def test_lbfgs_shortens_steps_to_nan() -> None:
    def cliff(place: Floats) -> tuple[float, Floats]:
        x = float(place[0])
        return (x - 0.4) ** 2 if x < 0.6 else float("nan"), 2 * (place - 0.4)

    assert run(cliff, start_descent(cliff, np.array([-3.0])), 30).place == pytest.approx([0.4], abs=1e-6)


def test_lbfgs_agrees_with_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(80, 6)), rng.integers(0, 2, 80) * 2.0 - 1.0

    def cost(weights: Floats) -> tuple[float, Floats]:
        margins = labels * (rows @ weights)
        value = np.logaddexp(0.0, -margins).sum() + 0.5 * weights @ weights
        return float(value), weights - rows.T @ (labels / (1.0 + np.exp(margins)))

    peer = optimize.minimize(cost, np.zeros(6), jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-15})
    assert run(cost, start_descent(cost, np.zeros(6)), 60).place == pytest.approx(peer.x, abs=1e-5)
