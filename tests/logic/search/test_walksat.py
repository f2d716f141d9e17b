"""MaxWalkSAT: seeded, equal in Python and compiled, with valid bounds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from logic.networks import chain_network, network_of, networks, random_chain, worlds
from telos.core import kernels
from telos.core.errors import TelosError
from telos.logic.network import Factors, MostProbable, Network, Unsatisfiable
from telos.logic.search import walksat
from telos.logic.search.potentials import KERNEL, draw_seeds, start_state, to_potentials, to_search_arrays
from telos.logic.search.walksat import hard_weight


def test_same_seed_gives_the_same_world() -> None:
    one, two = walksat(random_chain(60), 5, steps=500), walksat(random_chain(60), 5, steps=500)
    assert isinstance(one, MostProbable)
    assert isinstance(two, MostProbable)
    assert one.values.tolist() == two.values.tolist()


def test_walk_is_no_worse_than_its_start() -> None:
    network = random_chain(60)
    potentials = to_potentials(network)
    answer = walksat(network, steps=50)
    assert isinstance(answer, MostProbable)
    assert answer.score > potentials.score(potentials.greedy_world())


def test_walk_without_proof_is_not_exact() -> None:
    answer = walksat(random_chain(60), steps=100)
    assert isinstance(answer, MostProbable)
    assert not answer.exact
    assert answer.gap > 0


def test_world_without_broken_formulas_is_exact() -> None:
    stays = [[3.0 * (a == b) for b in range(4)] for a in range(4)]
    answer = walksat(chain_network([[1.0, 0.0, 0.0, 0.0]], [0] * 20, stays))
    assert isinstance(answer, MostProbable)
    assert answer.exact


def test_hard_formulas_outweigh_all_soft_ones() -> None:
    cells = [float(a != b) for a in range(2) for b in range(2)]
    differ = Factors(
        rule=0,
        scope=np.array([[v, v + 1] for v in range(9)], np.int32),
        key=np.zeros(9, np.int32),
        weights=np.full((1, 1), -1, np.int32),
        holds=np.array(cells)[:, None],
        hard=True,
        formulas=1,
    )
    likes = Factors(
        rule=1,
        scope=np.arange(10, dtype=np.int32)[:, None],
        key=np.zeros(10, np.int32),
        weights=np.zeros((1, 1), np.int32),
        holds=np.array([[0.0], [1.0]]),
        hard=False,
        formulas=1,
    )
    answer = walksat(network_of([2] * 10, [differ, likes], weights=[100.0]))
    assert isinstance(answer, MostProbable)
    assert answer.score == pytest.approx(500.0)


@settings(max_examples=40, deadline=None)
@given(networks())
def test_compiled_walk_equals_the_plain_one(network: Network) -> None:
    pytest.importorskip("numba")
    potentials = to_potentials(network)
    if not potentials.is_possible:
        return
    arrays = to_search_arrays(potentials, hard_weight(potentials))
    ends = []
    for form in (kernels.plain(*KERNEL), kernels.compiled(*KERNEL)):
        world, best = potentials.greedy_world(), potentials.greedy_world()
        state, trail, move = start_state(arrays, world), np.zeros(3, np.int32), np.zeros(2, np.int32)
        progress, chance = np.zeros(3), draw_seeds(Random(7))
        form.start_walk(arrays, state)
        for steps in (150, 50):
            form.walk(arrays, state, best, trail, chance, move, steps, 0.3, progress)
        gained = progress.tolist()
        before = best.tolist()
        form.climb(arrays, state._replace(world=best), 10)
        ends.append((gained, world.tolist(), before, best.tolist()))
    assert ends[0] == ends[1]


def test_walk_reports_unsatisfiable_hard_formulas() -> None:
    both = [(v, [0.0, 1.0]) for v in (0, 1)] + [((0, 1), [1.0, 1.0, 1.0, 0.0])]
    factors = [
        Factors(
            rule=rule,
            scope=np.array([scope if isinstance(scope, tuple) else (scope,)], np.int32),
            key=np.zeros(1, np.int32),
            weights=np.full((1, 1), -1, np.int32),
            holds=np.array(cells)[:, None],
            hard=True,
            formulas=1,
        )
        for rule, (scope, cells) in enumerate(both)
    ]
    network = network_of([2, 2], factors)
    assert not list(worlds(network))
    answer = walksat(network)
    assert isinstance(answer, Unsatisfiable)
    assert set(answer.rules) == {0, 1, 2}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"steps": -1}, "0 steps"), ({"restarts": 0}, "1 restart"), ({"noise": 1.5}, "noise")],
)
def test_walksat_rejects_bad_options(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(TelosError, match=words):
        walksat(random_chain(2), **wrong)  # type: ignore[arg-type]
