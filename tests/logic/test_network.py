"""Scores of worlds, and negated hard clauses."""

import itertools
import math

import numpy as np
import pytest

from logic.networks import network_of, worlds
from telos.logic.exact import exact_map
from telos.logic.grounding import to_clauses
from telos.logic.network import Clauses, Factors, Network, cell_scores, count_formulas, is_allowed, score
from telos.logic.search import cutting_planes, find_conflict


def clause(sign: float, *, hard: bool) -> Clauses:
    """Return P(0) v !P(1), or with a sign of -1 its negation."""
    return Clauses(
        rule=0,
        start=np.array([0, 2], np.int32),
        variable=np.array([0, 1], np.int32),
        value=np.array([1, 1], np.int32),
        negated=np.array([0, 1], np.int8),
        weight=np.array([-1 if hard else 0], np.int32),
        sign=np.array([sign]),
        hard=hard,
    )


def scores(network: Network) -> dict[tuple[int, ...], float]:
    ranges = (range(size) for size in network.sizes)
    return {world: score(network, np.array(world, np.int32)) for world in itertools.product(*ranges)}


def test_negated_hard_clause_holds_without_a_literal() -> None:
    network = network_of([2, 2], clauses=[clause(-1.0, hard=True)])
    assert scores(network) == {(0, 0): -math.inf, (0, 1): 0.0, (1, 0): -math.inf, (1, 1): -math.inf}
    assert [world for world, _ in worlds(network)] == [(0, 1)]
    for find in (exact_map, cutting_planes):
        found = find(network)
        assert found is not None
        assert found.values.tolist() == [0, 1]  # type: ignore[union-attr]


def test_negated_hard_clause_is_a_clause_per_literal() -> None:
    network = network_of([2, 2], clauses=[clause(-1.0, hard=True)])
    assert sorted(to_clauses(network).text(network)) == ["!P(0).", "P(1)."]


def test_clause_and_its_negation_cannot_both_be_hard() -> None:
    network = network_of([2, 2], clauses=[clause(1.0, hard=True), clause(-1.0, hard=True)])
    assert set(scores(network).values()) == {-math.inf}
    assert set(find_conflict(network).conflict) == {"P(0) v !P(1)", "!P(0)", "P(1)"}


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_soft_clause_counts_where_its_formula_holds(sign: float) -> None:
    network = network_of([2, 2], clauses=[clause(sign, hard=False)], weights=[2.5])
    holds = {(0, 0): True, (0, 1): False, (1, 0): True, (1, 1): True}
    assert scores(network) == {world: 2.5 * (held == (sign > 0)) for world, held in holds.items()}


def test_weight_index_minus_one_is_zero() -> None:
    pair = Factors(
        rule=0,
        scope=np.array([[0, 1]], np.int32),
        key=np.zeros(1, np.int32),
        weights=np.array([[0, -1]], np.int32),
        holds=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]),
        hard=False,
        formulas=2,
    )
    network = network_of([2, 2], [pair], weights=[1.5])
    assert cell_scores(pair, network.weights).tolist() == [[1.5, 0.0, 1.5, 0.0]]
    assert list(scores(network).values()) == [1.5, 0.0, 1.5, 0.0]
    assert count_formulas(network, np.array([1, 0], np.int32)).tolist() == [1.0]
    assert is_allowed(network, np.array([1, 1], np.int32))
