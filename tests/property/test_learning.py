"""Learning: gradients are slopes, objectives are likelihoods, and fast learners equal slow ones."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logic.networks import networks, worlds
from telos.core import kernels
from telos.logic.exact import exact_map
from telos.logic.exact.chains import Chain, find_chain
from telos.logic.learning.training import MarginLearner
from telos.logic.learning.worlds import KERNEL, NetworkWorlds, SequenceWorlds, split_worlds
from telos.logic.network import Floats, Ints, MostProbable, Network, count_formulas, score

some_chains = networks(max_variables=5, chains=True, clauses=False)


def truth_from(network: Network, seed: int) -> Ints:
    """Return some world that the network allows."""
    allowed = [world for world, _ in worlds(network)]
    assume(allowed)
    return np.array(Random(seed).choice(allowed), np.int32)


def plain_sequences(network: Network, truth: Ints) -> SequenceWorlds:
    chain = find_chain(network)
    assert chain is not None
    return SequenceWorlds(network, chain, truth, kernel=kernels.plain(*KERNEL))


def log_chance(network: Network, truth: Ints, places: list[int]) -> float:
    """Return the log probability that all these variables have their true values, by enumeration."""
    found = list(worlds(network))
    agreeing = [each for world, each in found if all(world[v] == truth[v] for v in places)]
    return math.log(math.fsum(map(math.exp, agreeing))) - math.log(math.fsum(math.exp(each) for _, each in found))


def until(network: Network, chain: Chain, position: int) -> Network:
    """Return the network without the factors on later positions."""
    seen = chain.order[: position + 1]
    kept = []
    for factors in network.factors:
        is_seen = np.isin(factors.scope, seen).all(axis=1)
        kept.append(replace(factors, scope=factors.scope[is_seen], key=factors.key[is_seen]))
    return replace(network, factors=tuple(kept))


def slope(sequences: SequenceWorlds | NetworkWorlds, weights: Floats, number: int, *, is_prefix: bool) -> float:
    step = np.zeros_like(weights)
    step[number] = 1e-5
    above = sequences.log_likelihood([0], weights + step, is_prefix=is_prefix)
    return (above - sequences.log_likelihood([0], weights - step, is_prefix=is_prefix)) / 2e-5


@given(some_chains, st.integers(0, 100))
@settings(deadline=None)
def test_likelihood_of_a_chain_matches_enumeration(network: Network, seed: int) -> None:
    truth = truth_from(network, seed)
    found = plain_sequences(network, truth).log_likelihood([0], network.weights)
    assert found == pytest.approx(log_chance(network, truth, list(range(len(truth)))), abs=1e-9)


@given(some_chains, st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_prefix_objective_matches_enumeration(network: Network, seed: int) -> None:
    truth = truth_from(network, seed)
    chain = find_chain(network)
    assert chain is not None
    slow = sum(log_chance(until(network, chain, p), truth, [int(v)]) for p, v in enumerate(chain.order))
    assert plain_sequences(network, truth).log_likelihood([0], network.weights, is_prefix=True) == pytest.approx(
        slow, abs=1e-9
    )


@given(some_chains, st.integers(0, 100), st.booleans())
@settings(deadline=None)
def test_gradients_of_chains_match_finite_differences(network: Network, seed: int, is_prefix: bool) -> None:
    sequences = plain_sequences(network, truth_from(network, seed))
    _, gradient = sequences.objective([0], network.weights, is_prefix=is_prefix)
    for number in range(len(gradient)):
        assert gradient[number] == pytest.approx(
            slope(sequences, network.weights, number, is_prefix=is_prefix), abs=1e-5
        )


@given(some_chains, st.integers(0, 100), st.booleans())
@settings(max_examples=60, deadline=None)
def test_gradients_hold_for_extreme_scores(network: Network, seed: int, is_prefix: bool) -> None:
    """Beliefs of 1e-400 underflow; the sweeps must switch to logarithms."""
    sequences = plain_sequences(network, truth_from(network, seed))
    weights = network.weights * 400
    value, gradient = sequences.objective([0], weights, is_prefix=is_prefix)
    assert math.isfinite(value)
    assert np.isfinite(gradient).all()
    for number in range(len(gradient)):
        step = 1e-5 * np.eye(len(weights))[number]
        above, below = (sequences.log_likelihood([0], weights + way, is_prefix=is_prefix) for way in (step, -step))
        assert gradient[number] == pytest.approx((above - below) / 2e-5, abs=1e-2)


@given(networks(max_variables=4, clauses=True), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_gradients_of_networks_match_finite_differences(network: Network, seed: int) -> None:
    general = NetworkWorlds(network, truth_from(network, seed))
    _, gradient = general.objective([0], network.weights)
    for number in range(len(gradient)):
        assert gradient[number] == pytest.approx(slope(general, network.weights, number, is_prefix=False), abs=1e-5)


@given(some_chains, st.integers(0, 100), st.sampled_from([0.0, 0.1, 1.0]))
@settings(deadline=None)
def test_updates_of_sequences_match_the_textbook(network: Network, seed: int, most: float) -> None:
    """The textbook subtracts the counts of two worlds; the kernel updates only the difference."""
    truth, chain = truth_from(network, seed), find_chain(network)
    assert chain is not None
    sequences = plain_sequences(network, truth)
    found = np.empty_like(truth)
    found[chain.order] = sequences.best([0], network.weights)
    difference, mistakes = count_formulas(network, truth) - count_formulas(network, found), int((found != truth).sum())
    tau = 1.0
    if most and difference.any():
        tau = min(most, (mistakes - network.weights @ difference) / (difference @ difference))
    weights, sums = network.weights.copy(), np.zeros_like(network.weights)
    assert sequences.learn([0], weights, sums, 3.0, most, 0.0) == mistakes
    assert weights == pytest.approx(network.weights + tau * difference, abs=1e-9)
    assert sums == pytest.approx(3.0 * tau * difference, abs=1e-9)


@given(some_chains, st.integers(0, 100))
@settings(deadline=None)
def test_sequence_worlds_learn_as_network_worlds(network: Network, seed: int) -> None:
    truth, chain = truth_from(network, seed), find_chain(network)
    assert chain is not None
    sequences, general = plain_sequences(network, truth), NetworkWorlds(network, truth)
    assert general.log_likelihood([0], network.weights) == pytest.approx(sequences.log_likelihood([0], network.weights))
    best = sequences.best([0], network.weights)
    exact = exact_map(network)
    assert isinstance(exact, MostProbable)
    assume((exact.values[chain.order] == best).all())  # of worlds that score the same, either may be found
    fast, slow = network.weights.copy(), network.weights.copy()
    assert sequences.learn([0], fast, np.zeros_like(fast), 1.0, 0.5, 0.0) == general.learn(
        [0], slow, np.zeros_like(slow), 1.0, 0.5, 0.0
    )
    assert fast == pytest.approx(slow, abs=1e-9)


@given(some_chains, st.integers(0, 100), st.integers(1, 9))
@settings(deadline=None, max_examples=50)
def test_average_covers_the_weights_since_the_last_mark(network: Network, seed: int, epochs: int) -> None:
    sequences = plain_sequences(network, truth_from(network, seed))
    learner = MarginLearner(sequences, [0], network.weights, phase="mira", seed=0, aggressiveness=0.3, average=True)
    after, now = [network.weights.copy()], network.weights.copy()
    for _ in range(epochs):
        learner.advance()
        sequences.learn([0], now, np.zeros_like(now), 1.0, 0.3, 0.0)
        after.append(now.copy())
    mark = max(2 ** (epochs.bit_length() - 1) // 2, 0)
    later = after[mark + 1 :] if mark else after
    assert learner.weights == pytest.approx(np.mean(later, axis=0), abs=1e-9)


@given(networks(max_variables=3), networks(max_variables=3), st.integers(0, 100))
@settings(deadline=None)
def test_split_worlds_keep_the_score(one: Network, two: Network, seed: int) -> None:
    pair = [replace(each, weights=one.weights) for each in (one, two)]
    truths = [truth_from(each, seed) for each in pair]
    whole, order = shuffled_together(pair, Random(seed))
    truth = np.concatenate(truths)[order]
    found = {world: score(part, truth[kept]) for world, part, kept in split_worlds(whole)}
    assert found == {world: pytest.approx(score(pair[world], truths[world]), abs=1e-9) for world in (0, 1)}


def shuffled_together(pair: list[Network], rng: Random) -> tuple[Network, Ints]:
    """Return one network of two worlds with shuffled variables, and the order of the variables."""
    first, second = pair
    shift, total = len(first.sizes), len(first.sizes) + len(second.sizes)
    order = np.array(rng.sample(range(total), total))
    place = np.argsort(order).astype(np.int32)
    factors, clauses = [], []
    for start, network in ((0, first), (shift, second)):
        factors += [replace(each, scope=place[each.scope + start]) for each in network.factors]
        clauses += [replace(each, variable=place[each.variable + start]) for each in network.clauses]
    together = replace(
        first,
        sizes=np.concatenate([first.sizes, second.sizes])[order],
        given=np.concatenate([first.given, second.given])[order],
        world=np.repeat([0, 1], [shift, total - shift])[order].astype(np.int32),
        factors=tuple(factors),
        clauses=tuple(clauses),
    )
    return together, order


@pytest.mark.skipif(not kernels.is_installed(), reason="no Numba")
@given(some_chains, st.integers(0, 100), st.booleans(), st.sampled_from([1.0, 300.0]))
@settings(max_examples=30, deadline=None)
def test_compiled_kernels_equal_the_plain_ones(network: Network, seed: int, is_prefix: bool, scale: float) -> None:
    truth, weights = truth_from(network, seed), network.weights * scale
    chain = find_chain(network)
    assert chain is not None
    answers = []
    for form in (kernels.plain(*KERNEL), kernels.compiled(*KERNEL)):
        sequences = SequenceWorlds(network, chain, truth, kernel=form)
        value, gradient = sequences.objective([0], weights, is_prefix=is_prefix)
        moved, sums = weights.copy(), np.zeros_like(weights)
        wrong = sequences.learn([0, 0, 0], moved, sums, 1.0, 0.5, 1.0)
        right = sequences.right([0], weights), sequences.right([0], weights, is_prefix=True)
        answers.append((value, *gradient, wrong, *moved, *sums, *right))
    assert answers[0] == pytest.approx(answers[1], abs=1e-9)
