"""Sampling: seeded, near the exact marginals, with a valid R-hat."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from logic.networks import chain_network, network_of, networks, random_chain
from telos.core import kernels
from telos.core.errors import TelosError
from telos.logic.exact import exact_marginals
from telos.logic.network import Factors, Network, Unsatisfiable
from telos.logic.search import SampledMarginals, gibbs, mcsat
from telos.logic.search.potentials import KERNEL, draw_seeds, start_state, to_potentials, to_search_arrays
from telos.logic.search.sampling import FORBIDDEN


def alternating(length: int) -> Network:
    """Return a ring of atoms whose neighbours must differ: two worlds, not connected by single changes."""
    scope = [(v, (v + 1) % length) for v in range(length)]
    differ = Factors(
        rule=0,
        scope=np.array(scope, np.int32),
        key=np.zeros(length, np.int32),
        weights=np.full((1, 1), -1, np.int32),
        holds=np.array([[0.0], [1.0], [1.0], [0.0]]),
        hard=True,
        formulas=1,
    )
    return network_of([2] * length, [differ])


def test_sampled_marginals_match_dynamic_programming() -> None:
    network = random_chain(30)
    exact = exact_marginals(network)
    assert exact is not None
    assert not isinstance(exact, Unsatisfiable)
    for answer in (gibbs(network, 1), mcsat(network, 1)):
        assert isinstance(answer, SampledMarginals)
        assert answer.probabilities == pytest.approx(exact.probabilities, abs=0.05)
        assert answer.r_hat < 1.05
        assert 0 < answer.error < 0.05
        assert (answer.exact, answer.log_z) == (False, None)


def test_gibbs_falls_back_to_mcsat_with_hard_formulas() -> None:
    answer = gibbs(alternating(6), samples=4000)
    assert isinstance(answer, SampledMarginals)
    assert answer.method == "mcsat"
    assert answer.probabilities == pytest.approx(np.full(12, 0.5), abs=0.1)


def test_disagreeing_chains_raise_r_hat() -> None:
    far = [[4.0 * (a == b) for b in range(2)] for a in range(2)]
    answer = gibbs(chain_network([[0.0, 0.0]], [0] * 40, far), samples=20, burn_in=0, chains=6)
    assert isinstance(answer, SampledMarginals)
    assert answer.r_hat > 1.1


def test_same_seed_gives_the_same_marginals() -> None:
    for method in (gibbs, mcsat):
        one, two = (method(random_chain(10), 3, samples=50) for _ in range(2))
        assert isinstance(one, SampledMarginals)
        assert isinstance(two, SampledMarginals)
        assert one.probabilities.tolist() == two.probabilities.tolist()


def test_given_values_have_probability_one() -> None:
    network = random_chain(3)
    known = Network(**{**{name: getattr(network, name) for name in Network.__slots__}, "given": np.array([-1, 2, -1])})
    answer = gibbs(known, samples=50)
    assert isinstance(answer, SampledMarginals)
    assert answer.of(1).tolist() == [0, 0, 1, 0]


@settings(max_examples=30, deadline=None)
@given(networks(hard=False))
def test_compiled_samplers_equal_the_plain_ones(network: Network) -> None:
    pytest.importorskip("numba")
    potentials = to_potentials(network)
    arrays = to_search_arrays(potentials, FORBIDDEN)
    ends = []
    for form in (kernels.plain(*KERNEL), kernels.compiled(*KERNEL)):
        sums, chance, world = np.zeros(len(potentials.single)), draw_seeds(Random(5)), potentials.greedy_world()
        state, scratch, move = start_state(arrays, world), np.zeros(3), np.zeros(2, np.int32)
        for count, is_counted in ((2, False), (5, True)):
            form.gibbs(arrays, state, potentials.start, sums, scratch, chance, count, is_counted)
        kept = world.copy()
        for first, count in ((0, 2), (2, 8)):
            form.mcsat(arrays, state, kept, potentials.start, sums, scratch, chance, move, first, count, first > 0, 100)
        ends.append((world.tolist(), chance.tolist(), sums))
    assert ends[0][:2] == ends[1][:2]
    assert ends[0][2] == pytest.approx(ends[1][2], abs=1e-9)


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"burn_in": -1}, {"chains": 0}])
def test_samplers_reject_bad_options(wrong: dict[str, int]) -> None:
    for method in (gibbs, mcsat):
        with pytest.raises(TelosError, match="must be at least"):
            method(random_chain(2), **wrong)
