"""Exact inference on chains: known answers, and networks that are not chains."""

import dataclasses
import itertools
import json
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from logic.networks import chain_network, network_of, worlds
from telos.core import kernels
from telos.logic.exact import (
    exact_map,
    exact_marginals,
    find_shared_steps,
    forward_backward,
    forward_filter,
    kernel,
    score_chain,
    viterbi,
)
from telos.logic.exact.chains import KERNEL, find_chain
from telos.logic.network import Clauses, Factors, Marginals, MostProbable, Network, Unsatisfiable

CASES = json.loads((Path(__file__).parents[1] / "data" / "goal_chains.json").read_text(encoding="utf-8"))


def goal_chain(case: dict[str, Any]) -> Network:
    return chain_network(case["w_action_goal"], case["actions"], case["w_goal_goal"])


def factors_over(scopes: list[tuple[int, ...]], table: list[float], *, hard: bool = False, first: int = 0) -> Factors:
    """Return factors that all have the same table: cell i scores weight ``first + i`` or, if hard, must be 1."""
    cells = len(table)
    return Factors(
        rule=0,
        scope=np.array(scopes, np.int32),
        key=np.zeros(len(scopes), np.int32),
        weights=np.array([[-1]] if hard else [range(first, first + cells)], np.int32),
        holds=np.array(table).reshape(-1, 1) if hard else np.eye(cells),
        hard=hard,
        formulas=1,
    )


def random_chain(rng: Random, length: int, size: int, spread: float = 2.0) -> Network:
    def row(count: int) -> list[float]:
        return [rng.gauss(0, spread) for _ in range(count)]

    seen = [rng.randrange(4) for _ in range(length)]
    return chain_network([row(size) for _ in range(4)], seen, [row(size) for _ in range(size)])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['G']}x{case['A']}x{case['T']}")
def test_goal_chains_match_recorded_answers(case: dict[str, Any]) -> None:
    network = goal_chain(case)
    best, marginals = exact_map(network), exact_marginals(network)
    assert isinstance(best, MostProbable)
    assert isinstance(marginals, Marginals)
    assert best.values.tolist() == case["map_goals"]
    assert math.isclose(best.score, case["map_score"], abs_tol=1e-6)
    assert np.allclose(marginals.of(case["T"] - 1), case["marginals_last_step"], atol=1e-8)
    assert np.allclose(marginals.of(case["T"] // 2), case["marginals_mid_step"], atol=1e-8)


def test_chain_is_found_for_any_numbering() -> None:
    rng = Random(1)
    network = random_chain(rng, 40, 3)
    known = exact_marginals(network)
    assert isinstance(known, Marginals)
    mixed = np.array(rng.sample(range(40), 40), np.int32)
    shuffled = dataclasses.replace(
        network, factors=tuple(dataclasses.replace(each, scope=mixed[each.scope]) for each in network.factors)
    )
    chain = find_chain(shuffled)
    assert chain is not None
    assert chain.order.tolist() in (mixed.tolist(), mixed[::-1].tolist())
    assert chain.order[0] < chain.order[-1]
    found = exact_marginals(shuffled)
    assert isinstance(found, Marginals)
    assert found.log_z == pytest.approx(known.log_z)
    for position, variable in enumerate(mixed.tolist()):
        assert np.allclose(found.of(variable), known.of(position))


def test_sequences_start_at_variables_without_predecessor() -> None:
    chain = find_chain(network_of([2] * 6, [factors_over([(0, 1), (3, 4), (5, 4)], [0.0] * 4)], weights=[0.0] * 4))
    assert chain is not None
    assert chain.start.tolist() == [0, 2, 3, 6]
    assert [(links.turned, links.key.tolist()) for links in chain.pairs] == [
        (False, [-1, 0, -1, -1, 0, -1]),
        (True, [-1, -1, -1, -1, -1, 0]),
    ]


def test_factors_on_one_position_are_layered() -> None:
    chain = find_chain(network_of([2] * 2, [factors_over([(0,), (1,), (1,)], [0.0, 1.0])], weights=[0.0, 1.0]))
    assert chain is not None
    assert [links.key.tolist() for links in chain.singles] == [[0, 0], [-1, 0]]


@pytest.mark.parametrize(
    "scopes",
    [
        pytest.param([(0, 1), (1, 2), (2, 0)], id="ring of three"),
        pytest.param([(0, 1), (2, 3), (3, 1), (0, 2)], id="ring of four"),
        pytest.param([(0, 1), (0, 2), (0, 3)], id="star"),
    ],
)
def test_rings_and_stars_are_solved_without_a_chain(scopes: list[tuple[int, ...]]) -> None:
    network = network_of([2] * 4, [factors_over(scopes, [0.0] * 4)], weights=[0.3, 1.0, -0.5, 0.9])
    assert find_chain(network) is None
    best = exact_map(network)
    assert isinstance(best, MostProbable)
    assert best.method == "elimination"
    assert math.isclose(best.score, max(score for _, score in worlds(network)))


def test_unequal_sizes_and_ternary_factors_are_not_a_chain() -> None:
    assert find_chain(network_of([2, 3])) is None
    assert find_chain(network_of([2] * 3, [factors_over([(0, 1, 2)], [0.0] * 8)], weights=[0.0] * 8)) is None


def clauses(*said: list[tuple[int, int]], hard: bool = False) -> Clauses:
    """Return clauses of literals (variable, value), all with weight 0 or hard."""
    literals = list(itertools.chain(*said))
    return Clauses(
        rule=0,
        start=np.cumsum([0, *map(len, said)]).astype(np.int32),
        variable=np.array([variable for variable, _ in literals], np.int32),
        value=np.array([value for _, value in literals], np.int32),
        negated=np.zeros(len(literals), np.int8),
        weight=np.full(len(said), -1 if hard else 0, np.int32),
        sign=np.ones(len(said)),
        hard=hard,
    )


def test_only_clauses_on_two_variables_join_a_chain() -> None:
    short = network_of([3] * 3, clauses=[clauses([(0, 1), (0, 2), (1, 0)], [(1, 2), (2, 2)])], weights=[1.5])
    assert find_chain(short) is not None
    best = exact_map(short)
    assert isinstance(best, MostProbable)
    assert (best.score, best.method) == (3.0, "viterbi")
    assert find_chain(network_of([3] * 3, clauses=[clauses([(0, 1), (1, 2), (2, 0)])], weights=[1.5])) is None


def test_viterbi_prefers_lowest_values_among_equals() -> None:
    best = exact_map(chain_network([[0.0] * 3], [0] * 5, [[0.0] * 3] * 3))
    assert isinstance(best, MostProbable)
    assert best.values.tolist() == [0] * 5


def test_network_without_variables_has_one_world() -> None:
    best, marginals = exact_map(network_of([])), exact_marginals(network_of([]))
    assert isinstance(best, MostProbable)
    assert isinstance(marginals, Marginals)
    assert (best.score, marginals.log_z) == (0.0, 0.0)


def test_contradictory_hard_factors_are_unsatisfiable() -> None:
    stays = factors_over([(0, 1), (1, 2)], [1.0, 0.0, 0.0, 1.0], hard=True)
    network = network_of([2] * 3, [stays], given=[0, -1, 1])
    assert isinstance(exact_map(network), Unsatisfiable)
    assert isinstance(exact_marginals(network), Unsatisfiable)
    assert isinstance(exact_marginals(network_of([2] * 3, [stays], given=[1, -1, 1])), Marginals)


def test_hundred_thousand_steps_do_not_underflow() -> None:
    network = random_chain(Random(3), 100_000, 3)
    marginals = exact_marginals(network)
    assert isinstance(marginals, Marginals)
    assert marginals.log_z is not None
    assert math.isfinite(marginals.log_z)
    assert np.allclose(marginals.probabilities.reshape(-1, 3).sum(axis=1), 1.0)
    part = exact_marginals(chain_network(*pieces(network, 60)))
    assert isinstance(part, Marginals)
    assert np.allclose(part.of(10), marginals.of(10))  # what comes 50 steps later has been forgotten


def pieces(network: Network, length: int) -> tuple[list[list[float]], list[int], list[list[float]]]:
    alone, pair = network.factors
    return (
        network.weights[alone.weights].tolist(),
        alone.key[:length].tolist(),
        network.weights[pair.weights].reshape(3, 3).tolist(),
    )


@pytest.mark.parametrize("spread", [1.0, 400.0])  # the second has shares far too faint for plain products
def test_filtering_sums_over_the_past_only(spread: float) -> None:
    for seed in range(20):
        network = random_chain(Random(seed), 5, 3, spread)
        chain = find_chain(network)
        assert chain is not None
        filtered = forward_filter(chain, score_chain(network, chain)).filtered
        for length in range(1, 6):
            part = chain_network(*pieces(network, length))
            logs = dict(worlds(part))
            peak = max(logs.values())
            for value in range(3):
                mine = math.fsum(math.exp(score - peak) for world, score in logs.items() if world[-1] == value)
                total = math.fsum(math.exp(score - peak) for score in logs.values())
                assert math.isclose(filtered[length - 1, value], mine / total, abs_tol=1e-9)


@pytest.mark.parametrize("spread", [1.0, 400.0])
def test_steps_are_counted_with_their_probability(spread: float) -> None:
    for seed in range(20):
        network = random_chain(Random(seed), 5, 3, spread)
        chain = find_chain(network)
        assert chain is not None
        smoothed = forward_backward(chain, score_chain(network, chain), counted=True)
        peak = max(score for _, score in worlds(network))
        expected, total = np.zeros((3, 3)), 0.0
        for world, score in worlds(network):
            total += math.exp(score - peak)
            for before, after in itertools.pairwise(world):
                expected[before, after] += math.exp(score - peak)
        assert np.allclose(smoothed.steps.sum(axis=0), expected / total, atol=1e-9)
        assert math.isclose(float(smoothed.log_z.sum()), peak + math.log(total), rel_tol=1e-12)


def test_world_that_gets_rarer_each_step_is_not_lost() -> None:
    """Value 1 loses a factor e^-5 at each of 1000 steps, and then value 0 is forbidden."""
    network = chain_network([[0.0, -5.0], [-1e6, 0.0]], [0] * 1000 + [1], [[0.0, -1e7], [-1e7, 0.0]])
    marginals = exact_marginals(network)
    assert isinstance(marginals, Marginals)
    assert marginals.log_z == pytest.approx(-5000.0)
    assert marginals.of(0)[1] == pytest.approx(1.0)


@pytest.mark.parametrize("end", [0, 1000])
def test_given_value_propagates_along_hard_steps(end: int) -> None:
    """Value 1 has a factor e^-5 at each step but is given, so its share gets ever smaller on the way."""
    stays = factors_over([(t - 1, t) for t in range(1, 1001)], [1.0, 0.0, 0.0, 1.0], hard=True)
    alone = factors_over([(t,) for t in range(1000)], [0.0, 0.0])
    given = [1 if t == end else -1 for t in range(1001)]
    for weights, total in (([0.0, -5.0], -5000.0), ([-5.0, 0.0], 0.0), ([5.0, 0.0], 0.0)):
        marginals = exact_marginals(network_of([2] * 1001, [stays, alone], weights=weights, given=given))
        assert isinstance(marginals, Marginals)
        assert marginals.log_z == pytest.approx(total)
        assert np.allclose(marginals.probabilities.reshape(-1, 2), [0.0, 1.0])


@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_plain_and_compiled_kernel_agree(spread: float) -> None:
    pytest.importorskip("numba")
    plain, fast = kernels.plain(*KERNEL), kernels.compiled(*KERNEL)
    for seed in range(3):
        network = random_chain(Random(seed), 50, 4, spread)
        chain = find_chain(network)
        assert chain is not None
        scores = score_chain(network, chain)
        slow_path, fast_path = (viterbi(chain, scores, kernel=each) for each in (plain, fast))
        assert np.array_equal(slow_path.values, fast_path.values)
        assert np.array_equal(slow_path.scores, fast_path.scores)
        slow, quick = (forward_backward(chain, scores, counted=True, kernel=each) for each in (plain, fast))
        for name in ("filtered", "probabilities", "steps", "log_z"):
            assert np.allclose(getattr(slow, name), getattr(quick, name), rtol=1e-12, atol=0)


def test_add_rows_is_equal_in_plain_and_compiled_kernel() -> None:
    pytest.importorskip("numba")
    table, key = np.array([[1.0, 2.0], [0.5, -np.inf]]), np.array([1, -1, 0], np.int32)
    for form in (kernels.plain, kernels.compiled):
        scores = np.ones((3, 2))
        form(kernel).add_rows(scores, table, key)
        assert scores.tolist() == [[1.5, -np.inf], [1.0, 1.0], [2.0, 3.0]]


def test_steps_with_the_same_keys_share_a_table() -> None:
    network = random_chain(Random(2), 200, 3)
    pair = network.factors[1]
    turns = dataclasses.replace(
        pair, key=np.arange(len(pair.key), dtype=np.int32) % 2, weights=np.repeat(pair.weights, 2, axis=0)
    )
    both = dataclasses.replace(network, factors=(*network.factors, turns))
    chain = find_chain(both)
    assert chain is not None
    steps = find_shared_steps(chain)
    assert sorted(map(tuple, steps.keys.tolist())) == [(-1, -1), (0, 0), (0, 1)]
    assert score_chain(both, chain).tables.shape == (3, 3, 3)


def test_steps_are_distinguished_for_any_number_of_keys() -> None:
    rng = Random(4)
    network = random_chain(rng, 50, 2)
    pair = network.factors[1]
    rows = 100_000  # three of these have 10^15 combinations
    many = [
        dataclasses.replace(
            pair,
            key=np.array([rng.choice([0, 7, rows - 1]) for _ in pair.key], np.int32),
            weights=rng.randrange(2) + np.repeat(pair.weights, rows, axis=0),
        )
        for _ in range(3)
    ]
    chain = find_chain(dataclasses.replace(network, factors=tuple(many), weights=np.append(network.weights, 0.5)))
    assert chain is not None
    steps = find_shared_steps(chain)
    expected = np.stack([links.key for links in chain.pairs], axis=1)
    assert np.array_equal(steps.keys[steps.row], expected)
    assert len(steps.keys) == len(set(map(tuple, expected.tolist())))
