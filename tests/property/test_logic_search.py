"""Inference by search on small random networks, compared with the enumeration of worlds."""

import itertools
import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logic.naive import naive_network, naive_worlds
from logic.networks import networks, worlds
from logic.random_models import HIDDEN, random_database, random_model
from telos.logic.grounding import sum_restated_weights
from telos.logic.inference import InferenceResult, infer
from telos.logic.network import MostProbable, Network, Unsatisfiable
from telos.logic.search import cutting_planes, find_conflict, full_program, gibbs, mcsat, walksat
from telos.logic.search.integer_program import is_possible
from telos.logic.search.potentials import to_potentials

SEEDS = st.integers(0, 2**20)


def _score(network: Network, answer: MostProbable) -> float:
    """Return the oracle's score of the world of a result."""
    return dict(worlds(network)).get(tuple(answer.values.tolist()), -math.inf)


@settings(max_examples=250, deadline=None)
@given(networks())
def test_potentials_score_every_world_as_the_oracle(network: Network) -> None:
    potentials = to_potentials(network)
    for world, score in worlds(network):
        values = np.array(world, np.int32)
        assert potentials.score(values[potentials.open]) == pytest.approx(score, abs=1e-9)
        assert potentials.complete(values[potentials.open]).tolist() == list(world)
        assert potentials.upper_bound() >= score - 1e-9


@settings(max_examples=200, deadline=None)
@given(networks())
def test_cutting_planes_and_full_program_find_the_best_world(network: Network) -> None:
    every = dict(worlds(network))
    for answer in (cutting_planes(network), full_program(network)):
        if not every:
            assert isinstance(answer, Unsatisfiable)
            assert answer.conflict
            continue
        assert isinstance(answer, MostProbable)
        assert answer.score == pytest.approx(max(every.values()), abs=1e-6)
        assert _score(network, answer) == pytest.approx(answer.score, abs=1e-9)
        assert answer.exact


@settings(max_examples=100, deadline=None)
@given(networks(), SEEDS)
def test_walks_make_no_false_claims(network: Network, seed: int) -> None:
    every = dict(worlds(network))
    for answer in (walksat(network, seed, steps=2000), cutting_planes(network, "walksat", seed)):
        if not every:
            assert isinstance(answer, Unsatisfiable)
            continue
        assert isinstance(answer, MostProbable)
        assert _score(network, answer) == pytest.approx(answer.score, abs=1e-9)
        assert answer.bound >= max(every.values()) - 1e-9
        assert answer.score == pytest.approx(max(every.values()), abs=1e-6)  # as small as these, none is missed


@settings(max_examples=25, deadline=None)
@given(networks(max_variables=5), SEEDS)
def test_sampled_marginals_are_near_enumeration_or_flagged(network: Network, seed: int) -> None:
    every = dict(worlds(network))
    start = np.concatenate([[0], np.cumsum(network.sizes)])
    marginals = np.zeros(int(start[-1]))
    for world, score in every.items():
        marginals[start[:-1] + np.array(world)] += math.exp(score - max(every.values()))
    for answer in (gibbs(network, seed), mcsat(network, seed)):
        if not every:
            assert isinstance(answer, Unsatisfiable)
            continue
        assert not isinstance(answer, Unsatisfiable)
        expected = marginals / sum(math.exp(score - max(every.values())) for score in every.values())
        assert not answer.exact
        if answer.r_hat < 1.1:  # else the chains themselves say that they do not know yet
            assert answer.probabilities == pytest.approx(expected, abs=0.08)


@settings(max_examples=150, deadline=None)
@given(networks(max_variables=4))
def test_program_is_feasible_iff_a_world_exists(network: Network) -> None:
    assert is_possible(to_potentials(network)) == (next(worlds(network), None) is not None)


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_infer_matches_enumeration(seed: int) -> None:
    rng = Random(seed)
    model = random_model(rng)
    query = rng.sample(HIDDEN, 2)
    closed = [name for name in HIDDEN if name not in query]
    database = random_database(rng, rng.choice([1, 1, 2]), about=tuple(query[:1]))
    naive = naive_network(model, database, query, closed=closed)
    assume(math.prod(len(unit) for unit in naive.units) <= 1 << 12)
    every = naive_worlds(naive)
    for options in ({}, {"method": "cpi"}, {"marginal": True}):
        answer = infer(model, database, query, closed=closed, **options)  # type: ignore[arg-type]
        if every.best == -math.inf:
            assert isinstance(answer, Unsatisfiable)
            assert answer.conflict
            continue
        assert isinstance(answer, InferenceResult)
        if answer.score is not None:
            assert answer.case is not None
            assert answer.score == pytest.approx(every.best - sum_restated_weights(answer.case.network), abs=1e-6)
            continue
        assert answer.log_z == pytest.approx(every.log_z, abs=1e-6)
        for (world, predicate, names), chance in every.marginals.items():
            prefix = f"{database.worlds[world]}: " if len(database.worlds) > 1 else ""
            name = f"{prefix}{predicate}({','.join(names)})" if names else prefix + predicate
            if predicate in query:
                assert answer.atoms[name] == pytest.approx(chance, abs=1e-6)


def _is_so(words: str, true: frozenset[str]) -> bool:
    """Return whether a constraint of a conflict, read as text, holds."""
    said = words.split("  [")[0]
    if said.startswith("exactly one of "):
        return sum(name in true for name in said.removeprefix("exactly one of ").split(", ")) == 1
    return any((each.lstrip("!") in true) != each.startswith("!") for each in said.split(" v "))


@settings(max_examples=400, deadline=None)
@given(networks(max_values=2, max_variables=5))
def test_conflict_is_minimal(network: Network) -> None:
    if next(worlds(network), None) is not None:
        return
    conflict = find_conflict(network).conflict
    names = [network.atoms.name(variable) for variable in range(len(network.sizes))]
    choices = [frozenset(itertools.compress(names, which)) for which in itertools.product((0, 1), repeat=len(names))]
    assert not any(all(_is_so(each, true) for each in conflict) for true in choices)
    for left_out in conflict:
        others = [each for each in conflict if each != left_out]
        assert any(all(_is_so(each, true) for each in others) for true in choices)
