"""The integer program is small, and its relaxation is integral on chains."""

from random import Random

import numpy as np
import pytest

from logic.networks import chain_network, network_of
from telos.logic.network import Clauses, Factors, Network
from telos.logic.search.integer_program import Program, to_program
from telos.logic.search.potentials import to_potentials


def _program(network: Network) -> Program:
    return to_program(to_potentials(network))


def _table(scope: list[int], holds: list[float], *, hard: bool = False) -> Factors:
    return Factors(
        rule=0,
        scope=np.array([scope], np.int32),
        key=np.zeros(1, np.int32),
        weights=np.array([[-1 if hard else 0]], np.int32),
        holds=np.array(holds)[:, None],
        hard=hard,
        formulas=1,
    )


def test_formula_over_two_atoms_takes_one_column() -> None:
    implies = _program(network_of([2, 2], [_table([0, 1], [1, 1, 0, 1])], weights=[1.5]))
    assert len(implies.cost) == 3
    same = _program(network_of([2, 2], [_table([0, 1], [1, 0, 0, 1])], weights=[1.5]))
    assert len(same.cost) == 3


def test_clause_over_three_atoms_takes_one_column_and_row() -> None:
    program = _program(network_of([2, 2, 2], [_table([0, 1, 2], [1, 1, 1, 1, 1, 1, 0, 1])], weights=[1.5]))
    assert (len(program.cost), len(program.most)) == (4, 1)


def test_hard_clause_takes_one_row_and_no_column() -> None:
    program = _program(network_of([2, 2, 2], [_table([0, 1, 2], [1, 1, 1, 1, 1, 1, 0, 1], hard=True)]))
    assert (len(program.cost), len(program.most)) == (3, 1)


def test_factors_over_the_same_variables_become_one_table() -> None:
    one = _table([0, 1, 2], [1, 0, 1, 0, 1, 1, 0, 1])
    turned = _table([2, 0, 1], [1, 1, 0, 0, 1, 0, 0, 1])
    potentials = to_potentials(network_of([2, 2, 2], [one, turned], weights=[1.5]))
    assert [len(tables.scope) for tables in potentials.tables] == [1]


def test_forbidden_cells_have_no_column() -> None:
    same = _table([0, 1], [float(a == b) for a in range(3) for b in range(3)], hard=True)
    program = _program(network_of([3, 3], [same]))
    assert len(program.cost) == 6 + 3


def test_long_clause_with_a_cost_has_a_row_per_literal() -> None:
    literals = np.arange(5, dtype=np.int32)
    clause = Clauses(
        rule=0,
        start=np.array([0, 5], np.int32),
        variable=literals,
        value=np.ones(5, np.int32),
        negated=np.zeros(5, np.int8),
        weight=np.zeros(1, np.int32),
        sign=np.ones(1),
        hard=False,
    )
    assert len(_program(network_of([2] * 5, clauses=[clause], weights=[1.0])).most) == 1
    assert len(_program(network_of([2] * 5, clauses=[clause], weights=[-1.0])).most) == 5


def test_relaxation_of_a_chain_is_integral() -> None:
    highspy = pytest.importorskip("highspy")
    from telos.logic.search.integer_program import _load_program  # private: the relaxation alone

    rng = Random(3)
    unary = [[rng.gauss(0, 1) for _ in range(5)] for _ in range(4)]
    steps = [[rng.gauss(0, 1) for _ in range(5)] for _ in range(5)]
    program = _program(chain_network(unary, [rng.randrange(4) for _ in range(30)], steps))
    solver = _load_program(highspy, program)
    solver.run()
    solution = np.array(solver.getSolution().col_value)[: program.binaries]
    assert solution == pytest.approx(solution.round(), abs=1e-6)
