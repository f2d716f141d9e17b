"""Grounding of small random models, compared with nested loops."""

import itertools
import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logic.naive import Known, NaiveNetwork, Worlds, naive_network
from logic.random_models import HIDDEN, random_database, random_model
from telos.core.errors import TelosError
from telos.logic.database import Database
from telos.logic.grounding import bindings, factors, ground, read_truth, rewrite, to_clauses
from telos.logic.model import MarkovLogic
from telos.logic.network import Floats, Ints, Network, score

seeds = st.integers(0, 10**9)
Problem = tuple[MarkovLogic, Database, tuple[str, ...]]


def problem(rng: Random) -> Problem:
    """Return a model, a database of one or more worlds, and a query."""
    model = random_model(rng)
    about = tuple(name for name in HIDDEN if rng.random() < 0.2)
    query = tuple(name for name in HIDDEN if name in about or rng.random() < 0.3)
    return model, random_database(rng, rng.choice([1, 1, 2, 3]), about=about), query


def atom_of(network: Network, variable: int, value: int) -> Known | None:
    """Return the atom that a value stands for, or None for a plain atom that is false."""
    predicate, _, rest = network.atoms.name(variable, value).rstrip(")").partition("(")
    is_block = bool(network.atoms.values[network.atoms.predicates.index(predicate)])
    if not is_block and value == 0:
        return None
    return int(network.world[variable]), predicate, tuple(rest.split(",")) if rest else ()


def world_of(network: Network, values: Ints) -> Worlds:
    """Return the atoms that are true."""
    found = (atom_of(network, variable, int(value)) for variable, value in enumerate(values))
    return frozenset(atom for atom in found if atom is not None)


def worlds_of(network: Network, rng: Random) -> list[Ints]:
    """Return all worlds, or some at random if there are many; known variables keep their value."""
    ranges = [range(size) if known < 0 else (known,) for size, known in zip(network.sizes, network.given, strict=True)]
    if math.prod(len(each) for each in ranges) <= 128:
        return [np.asarray(values, np.int32) for values in itertools.product(*ranges)]
    return [np.asarray([rng.choice(each) for each in ranges], np.int32) for _ in range(64)]


def is_allowed(naive: NaiveNetwork, world: Worlds) -> bool:
    """Return whether the known facts allow a world: it contains one alternative of every unit."""
    return all(world & frozenset().union(*unit) in unit and _has_one(unit, world) for unit in naive.units)


def _has_one(unit: tuple[Worlds, ...], world: Worlds) -> bool:
    return frozenset() in unit or any(alternative <= world for alternative in unit)


def assert_same_scores(network: Network, naive: NaiveNetwork, rng: Random, weights: Floats | None = None) -> None:
    assert len(network.sizes) == len(naive.units)
    for values in worlds_of(network, rng):
        world = world_of(network, values)
        expected = naive.score(world) if is_allowed(naive, world) else -math.inf
        scored = score(network, values, weights)
        assert scored == expected or math.isclose(scored, expected, abs_tol=1e-9), sorted(world)


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_every_world_scores_as_in_naive_grounding(seed: int) -> None:
    rng = Random(seed)
    model, database, query = problem(rng)
    assert_same_scores(ground(model, database, query), naive_network(model, database, query), rng)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_learned_weights_are_those_that_occur(seed: int) -> None:
    rng = Random(seed)
    model, database, query = problem(rng)
    network = ground(model, database, query, learning=True)
    naive = naive_network(model, database, query, learning=True)
    assert set(network.names) == {(f.rule, f.key) for f in naive.formulas if f.weight is not None}
    weights = np.asarray([rng.uniform(-1, 1) for _ in network.names])
    tables = [{} for _ in model.rules]  # type: list[dict[tuple[str, ...], float]]
    for (rule, key), weight in zip(network.names, weights, strict=True):
        tables[rule][key] = float(weight)
    rules = tuple(replace(rule, weights=table) for rule, table in zip(model.rules, tables, strict=True))
    learned = naive_network(replace(model, rules=rules), database, query, learning=True)
    assert_same_scores(network, learned, rng, weights)


@pytest.mark.parametrize(("cells", "long"), [(1, 1), (1, 2), (2, 3), (1 << 12, 3)])
@settings(max_examples=40, deadline=None)
@given(seeds)
def test_all_encodings_score_alike(cells: int, long: int, seed: int) -> None:
    rng = Random(seed)
    model, database, query = problem(rng)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(factors, "MAX_TABLE_CELLS", cells)  # at 1 every table becomes clauses
        patch.setattr(factors, "MIN_LONG_LITERALS", long)
        patch.setattr(rewrite, "MAX_BRANCHING", 0)  # evidence is looked up row by row
        patch.setattr(factors, "MAX_PATTERN_BITS", 2)
        patch.setattr(bindings, "MAX_DENSE_SPAN", 0)  # keys are sorted, not addressed
        patch.setattr(bindings, "MAX_SPAN_PER_KEY", 0)
        try:
            network = ground(model, database, query)
        except TelosError:
            assume(cells > 2)  # a formula that is not a clause is rejected if it has too many parts
            raise
    assert_same_scores(network, naive_network(model, database, query), rng)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_clauses_score_as_the_network_does(seed: int) -> None:
    rng = Random(seed)
    network = ground(*problem(rng))
    clauses = to_clauses(network)
    for values in worlds_of(network, rng):
        literals = (values[clauses.variable] == clauses.value) != (clauses.negated > 0)
        held = np.asarray([literals[a:b].any() for a, b in itertools.pairwise(clauses.start)], np.bool_)
        hard = np.isinf(clauses.weight)
        total = clauses.constant + float(clauses.weight[held & ~hard].sum())
        expected = score(network, values)
        if not held[hard].all():
            assert expected == -math.inf
        else:
            assert math.isclose(total, expected, abs_tol=1e-9)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_truth_is_read_from_the_facts(seed: int) -> None:
    rng = Random(seed)
    model, database, query = problem(rng)
    network = ground(model, database, query, learning=True)
    naive = naive_network(model, database, query)
    for variable, value in enumerate(read_truth(network, database)):
        options = [atom_of(network, variable, each) for each in range(network.sizes[variable])]
        stated = {atom for atom in options if atom in naive.stated}
        is_block = None not in options
        assert (value == -1) == (is_block and not stated)
        if value >= 0:
            assert options[value] in stated if is_block else bool(value) == bool(stated)
