"""Exact inference by elimination: trees, grids and long clauses; and networks that are refused."""

import dataclasses
import math
from random import Random

import numpy as np
import pytest

from logic.networks import network_of, worlds
from telos.logic.exact import exact_map, exact_marginals, expected_counts
from telos.logic.exact.elimination import find_cliques
from telos.logic.network import Clauses, Factors, Marginals, MostProbable, Network, Unsatisfiable, score


def tied(rng: Random, sizes: list[int], scopes: list[tuple[int, ...]], given: list[int] | None = None) -> Network:
    """Return a network with one random table for each scope."""
    groups, weights = [], []
    for scope in scopes:
        cells = math.prod(sizes[each] for each in scope)
        groups.append(
            Factors(
                rule=0,
                scope=np.array([scope], np.int32),
                key=np.zeros(1, np.int32),
                weights=np.array([range(len(weights), len(weights) + cells)], np.int32),
                holds=np.eye(cells),
                hard=False,
                formulas=cells,
            )
        )
        weights += [rng.gauss(0, 1) for _ in range(cells)]
    return network_of(sizes, groups, weights=weights, given=given)


def grid(height: int, width: int) -> list[tuple[int, ...]]:
    across = [(row * width + at, row * width + at + 1) for row in range(height) for at in range(width - 1)]
    down = [(row * width + at, (row + 1) * width + at) for row in range(height - 1) for at in range(width)]
    return [*across, *down]


def one_clause(length: int, *, weight: int = 0, sign: float = 1.0, hard: bool = False) -> Clauses:
    """Return the clause that one of the first variables is true."""
    return Clauses(
        rule=0,
        start=np.array([0, length], np.int32),
        variable=np.arange(length, dtype=np.int32),
        value=np.ones(length, np.int32),
        negated=np.zeros(length, np.int8),
        weight=np.array([-1 if hard else weight], np.int32),
        sign=np.array([sign]),
        hard=hard,
    )


def best(network: Network) -> MostProbable:
    answer = exact_map(network)
    assert isinstance(answer, MostProbable)
    return answer


def chances(network: Network) -> Marginals:
    answer = exact_marginals(network)
    assert isinstance(answer, Marginals)
    return answer


@pytest.mark.parametrize("seed", range(5))
def test_trees_with_unequal_sizes_have_the_answers_of_all_worlds(seed: int) -> None:
    rng = Random(seed)
    sizes = [rng.randint(1, 4) for _ in range(7)]
    network = tied(rng, sizes, [(rng.randrange(child), child) for child in range(1, 7)])
    scores = dict(worlds(network))
    assert math.isclose(best(network).score, max(scores.values()))
    answer = chances(network)
    total = math.fsum(map(math.exp, scores.values()))
    assert answer.log_z == pytest.approx(math.log(total))
    for variable, size in enumerate(sizes):
        for value in range(size):
            mine = math.fsum(math.exp(each) for world, each in scores.items() if world[variable] == value)
            assert answer.of(variable)[value] == pytest.approx(mine / total)


def test_a_long_grid_is_solved_since_it_is_narrow() -> None:
    network = tied(Random(1), [2] * 300, grid(5, 60))
    answer = best(network)
    assert answer.method == "elimination"
    assert score(network, answer.values) == pytest.approx(answer.score)
    for variable in range(0, 300, 17):  # no single change makes it better
        changed = answer.values.copy()
        changed[variable] = 1 - changed[variable]
        assert score(network, changed) <= answer.score


def test_the_chance_of_a_value_is_what_fixing_it_leaves_of_the_sum() -> None:
    network = tied(Random(2), [2] * 60, grid(4, 15))
    free = chances(network)
    for variable in (0, 17, 59):
        given = np.full(60, -1, np.int32)
        given[variable] = 1
        fixed = chances(dataclasses.replace(network, given=given))
        assert fixed.of(variable).tolist() == [0.0, 1.0]
        assert fixed.log_z is not None
        assert free.log_z is not None
        assert free.of(variable)[1] == pytest.approx(math.exp(fixed.log_z - free.log_z))


def test_what_is_too_wide_is_refused() -> None:
    network = tied(Random(3), [2] * 144, grid(12, 12))
    assert exact_map(network, max_cells=2**8) is None
    assert exact_marginals(network, max_cells=2**8) is None
    assert expected_counts(network, max_cells=2**8) is None
    assert best(network).exact


def test_what_is_given_makes_a_wide_network_narrow() -> None:
    network = tied(Random(3), [2] * 144, grid(12, 12))
    given = np.array([at % 2 if at % 3 == 0 else -1 for at in range(144)], np.int32)  # every third column
    assert isinstance(exact_map(dataclasses.replace(network, given=given), max_cells=2**8), MostProbable)


def test_one_variable_may_be_tied_to_thousands() -> None:
    network = tied(Random(4), [2] * 3001, [(0, other) for other in range(1, 3001)])
    answer = best(network)
    assert score(network, answer.values) == pytest.approx(answer.score)
    assert np.isfinite(chances(network).log_z)


def test_a_clause_that_is_too_long_is_refused_unless_what_is_given_shortens_it() -> None:
    network = network_of([2] * 40, clauses=[one_clause(40)], weights=[1.5])
    assert exact_map(network) is None
    mostly = dataclasses.replace(network, given=np.array([0] * 37 + [-1] * 3, np.int32))
    answer = chances(mostly)
    assert answer.log_z == pytest.approx(math.log(7 * math.exp(1.5) + 1))
    met = dataclasses.replace(network, given=np.array([1] + [-1] * 39, np.int32))
    assert best(met).score == 1.5
    assert chances(met).log_z == pytest.approx(1.5 + 39 * math.log(2))


def test_settled_clauses_count_if_their_formula_holds() -> None:
    nobody = network_of([2] * 20, clauses=[one_clause(20, sign=-1.0)], weights=[1.5])
    assert best(dataclasses.replace(nobody, given=np.zeros(20, np.int32))).score == 1.5
    somebody = np.array([1] + [-1] * 19, np.int32)
    assert best(dataclasses.replace(nobody, given=somebody)).score == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_hard_clause_that_what_is_given_breaks_is_unsatisfiable(sign: float) -> None:
    network = network_of([2] * 20, clauses=[one_clause(20, sign=sign, hard=True)])
    broken = dataclasses.replace(network, given=np.array([0 if sign > 0 else 1] * 20, np.int32))
    kept = dataclasses.replace(network, given=np.array([1 if sign > 0 else 0] * 20, np.int32))
    assert isinstance(exact_map(broken), Unsatisfiable)
    assert isinstance(exact_marginals(broken), Unsatisfiable)
    assert best(kept).score == 0.0
    assert chances(kept).log_z == 0.0


def test_other_weights_may_be_tried_on_the_same_network() -> None:
    network = tied(Random(5), [2] * 9, grid(3, 3))
    weights = np.array([Random(6).gauss(0, 1) for _ in network.weights])
    answer = exact_map(network, weights)
    assert isinstance(answer, MostProbable)
    expected = max(each for _, each in worlds(dataclasses.replace(network, weights=weights)))
    assert answer.score == pytest.approx(expected)
    assert answer.score == pytest.approx(score(network, answer.values, weights))


def test_expected_counts_are_the_slope_of_the_sum_over_all_worlds() -> None:
    network = tied(Random(7), [2, 3, 2, 3, 2, 3], [*grid(2, 3), (0, 1, 5)], [-1, -1, 1, -1, -1, -1])
    expected = expected_counts(network)
    assert expected is not None
    assert not isinstance(expected, Unsatisfiable)
    for index in range(0, len(network.weights), 5):
        up, down = network.weights.copy(), network.weights.copy()
        up[index] += 1e-4
        down[index] -= 1e-4
        higher, lower = exact_marginals(network, up), exact_marginals(network, down)
        assert isinstance(higher, Marginals)
        assert isinstance(lower, Marginals)
        assert higher.log_z is not None
        assert lower.log_z is not None
        assert expected.counts[index] == pytest.approx((higher.log_z - lower.log_z) / 2e-4, abs=1e-6)


def test_a_ring_is_cut_where_its_tables_stay_small() -> None:
    ring = [(at, (at + 1) % 6) for at in range(6)]
    cliques = find_cliques(range(6), ring, dict.fromkeys(range(6), 2), max_cells=8)
    assert cliques is not None
    assert max(len(clique.scope) for clique in cliques) == 3
    assert find_cliques(range(6), ring, dict.fromkeys(range(6), 2), max_cells=7) is None
