"""Cutting planes find and prove the results of exact inference."""

from random import Random

import numpy as np
import pytest

from logic.networks import chain_network, network_of, worlds
from telos.core.errors import TelosError
from telos.logic.exact import exact_map
from telos.logic.network import Factors, MostProbable, Network
from telos.logic.search import cutting_planes, full_program


def chain(length: int, goals: int = 7, seed: int = 1) -> Network:
    rng = Random(seed)
    unary = [[rng.gauss(0, 1) for _ in range(goals)] for _ in range(19)]
    steps = [[rng.gauss(0, 1) + 2 * (a == b) for b in range(goals)] for a in range(goals)]
    return chain_network(unary, [rng.randrange(19) for _ in range(length)], steps)


def test_cutting_planes_match_dynamic_programming() -> None:
    network = chain(100)
    best = exact_map(network)
    assert isinstance(best, MostProbable)
    for answer in (cutting_planes(network), full_program(network)):
        assert isinstance(answer, MostProbable)
        assert answer.score == pytest.approx(best.score)
        assert answer.exact


def test_formulas_that_hold_need_no_second_round() -> None:
    stays = [[3.0 * (a == b) for b in range(4)] for a in range(4)]
    network = chain_network([[1.0, 0.0, 0.0, 0.0]], [0] * 20, stays)
    answer = cutting_planes(network)
    assert isinstance(answer, MostProbable)
    assert (answer.rounds, answer.exact) == (1, True)


def test_few_rounds_suffice_for_chained_changes() -> None:
    length = 200
    seen = [1] + [0] * (length - 1)
    stays = [[5.0 * (a == b) for b in range(2)] for a in range(2)]
    network = chain_network([[0.01, 0.0], [0.0, 50.0]], seen, stays)
    answer = cutting_planes(network)
    assert isinstance(answer, MostProbable)
    assert answer.exact
    assert answer.rounds < 20
    assert answer.values.all()  # the first step pulls all others along, one by one


def test_one_round_is_the_full_program() -> None:
    network = chain(12)
    one, many = cutting_planes(network, rounds=1), cutting_planes(network)
    assert isinstance(one, MostProbable)
    assert isinstance(many, MostProbable)
    assert (one.rounds, one.score) == (1, pytest.approx(many.score))


def test_walksat_rounds_report_their_gap() -> None:
    network = chain(6, goals=3)
    best = max(score for _, score in worlds(network))
    answer = cutting_planes(network, "walksat", seed=4)
    assert isinstance(answer, MostProbable)
    assert answer.score <= best + 1e-9 <= answer.bound + 2e-9
    assert answer.method == "cpi (walksat)"


@pytest.mark.parametrize("steps", [7, pytest.param(10, marks=pytest.mark.slow)])
def test_cutting_planes_accept_other_weights(steps: int) -> None:
    network = chain(steps, goals=3)
    turned = cutting_planes(network, weights=-network.weights)
    assert isinstance(turned, MostProbable)
    assert turned.score == pytest.approx(-min(score for _, score in worlds(network)))


def test_network_without_open_variables_has_one_world() -> None:
    table = Factors(
        rule=0,
        scope=np.array([[0]], np.int32),
        key=np.zeros(1, np.int32),
        weights=np.zeros((1, 1), np.int32),
        holds=np.array([[0.0], [1.0]]),
        hard=False,
        formulas=1,
    )
    answer = cutting_planes(network_of([2], [table], weights=[2.5], given=[1]))
    assert isinstance(answer, MostProbable)
    assert (answer.values.tolist(), answer.score, answer.exact) == ([1], 2.5, True)


def test_cutting_planes_reject_bad_options() -> None:
    with pytest.raises(TelosError, match="'simplex'"):
        cutting_planes(chain(2), "simplex")  # type: ignore[arg-type]
    with pytest.raises(TelosError, match="rounds must be at least 1"):
        cutting_planes(chain(2), rounds=0)


def test_fractional_ring_is_solved_as_an_integer_program() -> None:
    length = 7  # neighbours want to differ, and one pair cannot; the relaxation says that all can by half
    differ = Factors(
        rule=0,
        scope=np.array([(v, (v + 1) % length) for v in range(length)], np.int32),
        key=np.zeros(length, np.int32),
        weights=np.zeros((1, 1), np.int32),
        holds=np.array([[0.0], [1.0], [1.0], [0.0]]),
        hard=False,
        formulas=1,
    )
    answer = full_program(network_of([2] * length, [differ], weights=[1.0]))
    assert isinstance(answer, MostProbable)
    assert (answer.score, answer.exact) == (length - 1, True)
