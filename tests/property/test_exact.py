"""Exact inference on random networks, compared with the enumeration of worlds."""

import itertools
import math

import numpy as np
from hypothesis import given, settings

from logic.networks import networks, worlds
from telos.logic.exact import ExpectedCounts, exact_map, exact_marginals, expected_counts
from telos.logic.exact.chains import find_chain
from telos.logic.exact.elimination import find_best_world, find_marginals, plan_elimination
from telos.logic.network import Marginals, MostProbable, Network, Unsatisfiable, count_formulas, is_allowed, score


def check_best(network: Network, answer: MostProbable | Unsatisfiable | None) -> None:
    scores = dict(worlds(network))
    if not scores:
        assert isinstance(answer, Unsatisfiable)
        return
    assert isinstance(answer, MostProbable)
    assert answer.exact
    assert math.isclose(answer.score, max(scores.values()), abs_tol=1e-9)
    assert math.isclose(answer.score, scores[tuple(answer.values.tolist())], abs_tol=1e-9)
    assert math.isclose(answer.score, score(network, answer.values), abs_tol=1e-9)


def check_marginals(network: Network, answer: Marginals | Unsatisfiable | None) -> None:
    scores = dict(worlds(network))
    if not scores:
        assert isinstance(answer, Unsatisfiable)
        return
    assert isinstance(answer, Marginals)
    total = math.fsum(math.exp(each) for each in scores.values())
    assert answer.log_z is not None
    assert math.isclose(answer.log_z, math.log(total), abs_tol=1e-9)
    for variable, size in enumerate(network.sizes.tolist()):
        expected = [
            math.fsum(math.exp(each) for world, each in scores.items() if world[variable] == value) / total
            for value in range(size)
        ]
        assert np.allclose(answer.of(variable), expected, atol=1e-12)


@given(networks())
@settings(deadline=None, max_examples=300)
def test_exact_map_is_the_best_of_all_worlds(network: Network) -> None:
    check_best(network, exact_map(network))


@given(networks())
@settings(deadline=None, max_examples=300)
def test_exact_marginals_match_enumeration(network: Network) -> None:
    check_marginals(network, exact_marginals(network))


@given(networks(chains=True, clauses=False))
@settings(deadline=None, max_examples=300)
def test_chains_match_enumeration(network: Network) -> None:
    assert find_chain(network) is not None
    check_best(network, exact_map(network))
    check_marginals(network, exact_marginals(network))


def check_expected(network: Network, answer: ExpectedCounts | Unsatisfiable | None) -> None:
    scores = dict(worlds(network))
    if not scores:
        assert isinstance(answer, Unsatisfiable)
        return
    assert isinstance(answer, ExpectedCounts)
    total = math.fsum(math.exp(each) for each in scores.values())
    mean = sum(
        math.exp(each) / total * count_formulas(network, np.array(world, np.int32)) for world, each in scores.items()
    )
    assert np.allclose(answer.counts, mean, atol=1e-9)
    assert math.isclose(answer.log_z, math.log(total), abs_tol=1e-9)


@given(networks())
@settings(deadline=None, max_examples=200)
def test_expected_counts_match_enumeration(network: Network) -> None:
    check_expected(network, expected_counts(network))


@given(networks(chains=True, clauses=False))
@settings(deadline=None, max_examples=200)
def test_expected_counts_of_chains_match_enumeration(network: Network) -> None:
    check_expected(network, expected_counts(network))


@given(networks(given=False))
@settings(deadline=None, max_examples=200)
def test_counts_times_weights_are_the_score(network: Network) -> None:
    allowed = dict(worlds(network))
    for world in itertools.product(*map(range, network.sizes.tolist())):
        values = np.array(world, np.int32)
        assert is_allowed(network, values) == (world in allowed)
        assert math.isclose(score(network, values), allowed.get(world, -math.inf), abs_tol=1e-9)


@given(networks(chains=True, clauses=False))
@settings(deadline=None, max_examples=200)
def test_elimination_agrees_with_the_chain(network: Network) -> None:
    known, weights = exact_marginals(network), network.weights
    plan = plan_elimination(network, weights, max_cells=2**20)
    assert plan is not None
    marginals, log_z = find_marginals(plan)
    if isinstance(known, Unsatisfiable):
        assert log_z == -math.inf
        return
    assert isinstance(known, Marginals)
    assert known.log_z is not None
    assert math.isclose(log_z, known.log_z, abs_tol=1e-9)
    for variable, share in marginals.items():
        assert np.allclose(share, known.of(variable))
    best = exact_map(network)
    assert isinstance(best, MostProbable)
    assert math.isclose(find_best_world(plan)[1], best.score, abs_tol=1e-9)
