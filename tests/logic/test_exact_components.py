"""Networks of parts that have nothing to do with each other: each is solved in its own way."""

import dataclasses

import numpy as np
import pytest

from logic.networks import chain_network, network_of, worlds
from telos.logic.exact import exact_map, exact_marginals, expected_counts
from telos.logic.exact.chains import find_chain
from telos.logic.exact.elimination import label_components, split_components
from telos.logic.network import Clauses, Factors, Marginals, MostProbable, Network, Unsatisfiable

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
    """Return networks as one, without anything in common."""
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


def test_chains_of_each_size_and_the_rest_are_told_apart() -> None:
    parts = split_components(beside(SHORT, RING, LONG, CLAUSE, SHORT, STAR))
    assert [part.variables.tolist() for part in parts] == [
        [3, 4, 5, 10, 11, 12, 13, 17, 18, 19, 20],
        [0, 1, 2, 14, 15, 16],
        [6, 7, 8, 9],
    ]
    assert [find_chain(part.network) is not None for part in parts] == [False, True, True]


def test_the_whole_has_the_sum_of_what_its_parts_score() -> None:
    together = beside(SHORT, RING, LONG, CLAUSE)
    best, chances, expected = exact_map(together), exact_marginals(together), expected_counts(together)
    assert isinstance(best, MostProbable)
    assert isinstance(chances, Marginals)
    assert expected is not None
    assert not isinstance(expected, Unsatisfiable)
    assert best.score == pytest.approx(sum(max(dict(worlds(each)).values()) for each in (SHORT, RING, LONG, CLAUSE)))
    alone = [exact_marginals(each) for each in (SHORT, RING, LONG, CLAUSE)]
    assert np.allclose(chances.chances, np.concatenate([each.chances for each in alone if isinstance(each, Marginals)]))
    assert chances.log_z == pytest.approx(sum(each.log_z or 0.0 for each in alone if isinstance(each, Marginals)))
    counted = [expected_counts(each) for each in (SHORT, RING, LONG, CLAUSE)]
    assert np.allclose(
        expected.counts,
        np.concatenate([each.counts for each in counted if each is not None and not isinstance(each, Unsatisfiable)]),
    )


def test_a_part_without_a_world_settles_it_though_another_is_too_wide() -> None:
    never = dataclasses.replace(RING.factors[0], hard=True, weights=np.array([[-1]]), holds=np.zeros((4, 1)))
    impossible = network_of([2] * 3, [dataclasses.replace(never, scope=never.scope[:2], key=never.key[:2])])
    network = beside(RING, impossible)
    assert exact_map(beside(RING, SHORT), max_cells=4) is None
    assert isinstance(exact_map(network, max_cells=4), Unsatisfiable)
    assert isinstance(exact_marginals(network, max_cells=4), Unsatisfiable)
    assert isinstance(expected_counts(network, max_cells=4), Unsatisfiable)


def test_what_speaks_of_no_variable_counts_once() -> None:
    """A factor and a clause over nothing: the first adds 0.7, and the second, being empty, never holds."""
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


def test_components_are_found_however_the_ties_run() -> None:
    rng = np.random.default_rng(1)
    mixed = rng.permutation(1000)
    first, second = mixed[:-1], mixed[1:]
    is_kept = (np.arange(999) + 1) % 100 != 0  # ten paths of a hundred
    found = label_components(1000, first[is_kept], second[is_kept])
    for at in range(0, 1000, 100):
        members = mixed[at : at + 100]
        assert (found[members] == members.min()).all()
