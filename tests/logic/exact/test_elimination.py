"""Variable elimination: trees, grids, long clauses, components, and networks that are too wide."""

import dataclasses
import math
from random import Random

import numpy as np
import pytest

from logic.networks import chain_network, network_of, worlds
from telos.logic.exact import exact_map, exact_marginals, expected_counts
from telos.logic.exact.chains import find_chain
from telos.logic.exact.elimination import find_cliques, label_components, split_components
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


def marginals(network: Network) -> Marginals:
    answer = exact_marginals(network)
    assert isinstance(answer, Marginals)
    return answer


@pytest.mark.parametrize("seed", range(5))
def test_trees_with_unequal_sizes_match_enumeration(seed: int) -> None:
    rng = Random(seed)
    sizes = [rng.randint(1, 4) for _ in range(7)]
    network = tied(rng, sizes, [(rng.randrange(child), child) for child in range(1, 7)])
    scores = dict(worlds(network))
    assert math.isclose(best(network).score, max(scores.values()))
    answer = marginals(network)
    total = math.fsum(map(math.exp, scores.values()))
    assert answer.log_z == pytest.approx(math.log(total))
    for variable, size in enumerate(sizes):
        for value in range(size):
            mine = math.fsum(math.exp(each) for world, each in scores.items() if world[variable] == value)
            assert answer.of(variable)[value] == pytest.approx(mine / total)


def test_long_narrow_grid_is_solved() -> None:
    network = tied(Random(1), [2] * 300, grid(5, 60))
    answer = best(network)
    assert answer.method == "elimination"
    assert score(network, answer.values) == pytest.approx(answer.score)
    for variable in range(0, 300, 17):  # no single change makes it better
        changed = answer.values.copy()
        changed[variable] = 1 - changed[variable]
        assert score(network, changed) <= answer.score


def test_marginal_is_the_share_of_the_conditioned_sum() -> None:
    network = tied(Random(2), [2] * 60, grid(4, 15))
    free = marginals(network)
    for variable in (0, 17, 59):
        given = np.full(60, -1, np.int32)
        given[variable] = 1
        fixed = marginals(dataclasses.replace(network, given=given))
        assert fixed.of(variable).tolist() == [0.0, 1.0]
        assert fixed.log_z is not None
        assert free.log_z is not None
        assert free.of(variable)[1] == pytest.approx(math.exp(fixed.log_z - free.log_z))


def test_wide_network_is_not_solved_exactly() -> None:
    network = tied(Random(3), [2] * 144, grid(12, 12))
    assert exact_map(network, max_cells=2**8) is None
    assert exact_marginals(network, max_cells=2**8) is None
    assert expected_counts(network, max_cells=2**8) is None
    assert best(network).exact


def test_given_values_make_a_wide_network_narrow() -> None:
    network = tied(Random(3), [2] * 144, grid(12, 12))
    given = np.array([at % 2 if at % 3 == 0 else -1 for at in range(144)], np.int32)  # every third column
    assert isinstance(exact_map(dataclasses.replace(network, given=given), max_cells=2**8), MostProbable)


def test_variable_may_have_thousands_of_neighbours() -> None:
    network = tied(Random(4), [2] * 3001, [(0, other) for other in range(1, 3001)])
    answer = best(network)
    assert score(network, answer.values) == pytest.approx(answer.score)
    assert np.isfinite(marginals(network).log_z)


def test_long_clause_needs_given_values_for_exact_inference() -> None:
    network = network_of([2] * 40, clauses=[one_clause(40)], weights=[1.5])
    assert exact_map(network) is None
    mostly = dataclasses.replace(network, given=np.array([0] * 37 + [-1] * 3, np.int32))
    answer = marginals(mostly)
    assert answer.log_z == pytest.approx(math.log(7 * math.exp(1.5) + 1))
    met = dataclasses.replace(network, given=np.array([1] + [-1] * 39, np.int32))
    assert best(met).score == 1.5
    assert marginals(met).log_z == pytest.approx(1.5 + 39 * math.log(2))


def test_decided_clauses_count_if_their_formula_holds() -> None:
    nobody = network_of([2] * 20, clauses=[one_clause(20, sign=-1.0)], weights=[1.5])
    assert best(dataclasses.replace(nobody, given=np.zeros(20, np.int32))).score == 1.5
    somebody = np.array([1] + [-1] * 19, np.int32)
    assert best(dataclasses.replace(nobody, given=somebody)).score == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_hard_clause_broken_by_given_values_is_unsatisfiable(sign: float) -> None:
    network = network_of([2] * 20, clauses=[one_clause(20, sign=sign, hard=True)])
    broken = dataclasses.replace(network, given=np.array([0 if sign > 0 else 1] * 20, np.int32))
    kept = dataclasses.replace(network, given=np.array([1 if sign > 0 else 0] * 20, np.int32))
    assert isinstance(exact_map(broken), Unsatisfiable)
    assert isinstance(exact_marginals(broken), Unsatisfiable)
    assert best(kept).score == 0.0
    assert marginals(kept).log_z == 0.0


def test_exact_inference_accepts_other_weights() -> None:
    network = tied(Random(5), [2] * 9, grid(3, 3))
    weights = np.array([Random(6).gauss(0, 1) for _ in network.weights])
    answer = exact_map(network, weights)
    assert isinstance(answer, MostProbable)
    expected = max(each for _, each in worlds(dataclasses.replace(network, weights=weights)))
    assert answer.score == pytest.approx(expected)
    assert answer.score == pytest.approx(score(network, answer.values, weights))


def test_expected_counts_are_the_gradient_of_log_z() -> None:
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


def test_ring_is_cut_where_tables_stay_small() -> None:
    ring = [(at, (at + 1) % 6) for at in range(6)]
    cliques = find_cliques(range(6), ring, dict.fromkeys(range(6), 2), max_cells=8)
    assert cliques is not None
    assert max(len(clique.scope) for clique in cliques) == 3
    assert find_cliques(range(6), ring, dict.fromkeys(range(6), 2), max_cells=7) is None


SHORT = chain_network([[0.3, -1.0], [0.2, 0.9]], [0, 1, 1], [[0.5, -0.2], [0.1, 0.4]])
LONG = chain_network([[0.3, -1.0, 0.1], [0.2, 0.9, 0.0]], [1, 0, 1, 1], [[0.5, -0.2, 0.0], [0.1, 0.4, 0.0], [0.0] * 3])
RING = network_of(
    [2] * 3,
    [
        Factors(
            rule=0,
            scope=np.array([(0, 1), (1, 2), (2, 0)], np.int32),
            key=np.zeros(3, np.int32),
            weights=np.array([[0, 1, 1, 2]], np.int32),
            holds=np.eye(4),
            hard=False,
            formulas=4,
        )
    ],
    weights=[0.4, 0.7, -0.3],
)
STAR = network_of(
    [2] * 4,
    [dataclasses.replace(RING.factors[0], scope=np.array([(0, 1), (0, 2), (3, 0)], np.int32))],
    weights=[0.4, 0.7, -0.3],
)
CLAUSE = network_of(
    [2] * 4,
    clauses=[
        Clauses(
            rule=0,
            start=np.array([0, 3, 4, 6], np.int32),
            variable=np.array([0, 1, 2, 3, 3, 2], np.int32),
            value=np.ones(6, np.int32),
            negated=np.zeros(6, np.int8),
            weight=np.array([0, 1, 2], np.int32),
            sign=np.ones(3),
            hard=False,
        )
    ],
    weights=[1.0, -0.5, 0.25],
)


def beside(*networks: Network) -> Network:
    """Return networks as one, without common variables."""
    sizes: list[int] = []
    weights: list[float] = []
    factors: list[Factors] = []
    clauses: list[Clauses] = []
    for each in networks:
        for group in each.factors:
            factors.append(
                dataclasses.replace(group, scope=group.scope + len(sizes), weights=group.weights + len(weights))
            )
        for said in each.clauses:
            clauses.append(
                dataclasses.replace(said, variable=said.variable + len(sizes), weight=said.weight + len(weights))
            )
        sizes += each.sizes.tolist()
        weights += each.weights.tolist()
    return network_of(sizes, factors, clauses, weights)


def test_components_are_chains_by_size_and_the_rest() -> None:
    parts = split_components(beside(SHORT, RING, LONG, CLAUSE, SHORT, STAR))
    assert [part.variables.tolist() for part in parts] == [
        [3, 4, 5, 10, 11, 12, 13, 17, 18, 19, 20],
        [0, 1, 2, 14, 15, 16],
        [6, 7, 8, 9],
    ]
    assert [find_chain(part.network) is not None for part in parts] == [False, True, True]


def test_network_score_is_the_sum_over_components() -> None:
    together = beside(SHORT, RING, LONG, CLAUSE)
    best, marginals, expected = exact_map(together), exact_marginals(together), expected_counts(together)
    assert isinstance(best, MostProbable)
    assert isinstance(marginals, Marginals)
    assert expected is not None
    assert not isinstance(expected, Unsatisfiable)
    assert best.score == pytest.approx(sum(max(dict(worlds(each)).values()) for each in (SHORT, RING, LONG, CLAUSE)))
    alone = [exact_marginals(each) for each in (SHORT, RING, LONG, CLAUSE)]
    assert np.allclose(
        marginals.probabilities, np.concatenate([each.probabilities for each in alone if isinstance(each, Marginals)])
    )
    assert marginals.log_z == pytest.approx(sum(each.log_z or 0.0 for each in alone if isinstance(each, Marginals)))
    counted = [expected_counts(each) for each in (SHORT, RING, LONG, CLAUSE)]
    assert np.allclose(
        expected.counts,
        np.concatenate([each.counts for each in counted if each is not None and not isinstance(each, Unsatisfiable)]),
    )


def test_impossible_component_decides_beside_a_wide_one() -> None:
    never = dataclasses.replace(RING.factors[0], hard=True, weights=np.array([[-1]]), holds=np.zeros((4, 1)))
    impossible = network_of([2] * 3, [dataclasses.replace(never, scope=never.scope[:2], key=never.key[:2])])
    network = beside(RING, impossible)
    assert exact_map(beside(RING, SHORT), max_cells=4) is None
    assert isinstance(exact_map(network, max_cells=4), Unsatisfiable)
    assert isinstance(exact_marginals(network, max_cells=4), Unsatisfiable)
    assert isinstance(expected_counts(network, max_cells=4), Unsatisfiable)


def test_factors_without_variables_count_once() -> None:
    """A factor and a clause over no variables: the factor adds 0.7; the empty clause never holds."""
    settled = dataclasses.replace(
        RING.factors[0],
        scope=np.empty((1, 0), np.int32),
        key=np.zeros(1, np.int32),
        weights=np.array([[1]], np.int32),
        holds=np.ones((1, 1)),
    )
    empty = dataclasses.replace(
        CLAUSE.clauses[0],
        start=np.zeros(2, np.int32),
        variable=np.empty(0, np.int32),
        value=np.empty(0, np.int32),
        negated=np.empty(0, np.int8),
        weight=np.array([1], np.int32),
        sign=np.ones(1),
    )
    for network in (RING, SHORT, beside(RING, SHORT), beside(LONG, SHORT)):
        more = dataclasses.replace(network, factors=(*network.factors, settled), clauses=(empty,))
        before, after = exact_map(network), exact_map(more)
        assert isinstance(before, MostProbable)
        assert isinstance(after, MostProbable)
        assert after.score == pytest.approx(before.score + network.weights[1])


def test_components_are_found_for_any_edges() -> None:
    rng = np.random.default_rng(1)
    mixed = rng.permutation(1000)
    first, second = mixed[:-1], mixed[1:]
    is_kept = (np.arange(999) + 1) % 100 != 0  # ten paths of a hundred
    found = label_components(1000, first[is_kept], second[is_kept])
    for at in range(0, 1000, 100):
        members = mixed[at : at + 100]
        assert (found[members] == members.min()).all()
