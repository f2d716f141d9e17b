"""Small ground networks, random or made by hand, and the enumeration of their worlds."""

import itertools
import math
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from hypothesis import strategies as st

from telos.logic.network import AtomNames, Clauses, Factors, Network


def network_of(
    sizes: Sequence[int],
    factors: Sequence[Factors] = (),
    clauses: Sequence[Clauses] = (),
    weights: Sequence[float] = (),
    given: Sequence[int] | None = None,
) -> Network:
    """Return a network of variables that stand for the atoms or blocks P(0), P(1), …"""
    count = len(sizes)
    return Network(
        sizes=np.array(sizes, np.int32),
        world=np.zeros(count, np.int32),
        given=np.array([-1] * count if given is None else given, np.int32),
        factors=tuple(factors),
        clauses=tuple(clauses),
        weights=np.array(weights, np.float64),
        names=[(0, (str(number),)) for number in range(len(weights))],
        atoms=AtomNames(
            predicates=("P",),
            start=(0, count),
            arguments=(np.arange(count, dtype=np.int32).reshape(-1, 1),),
            values=((),),
            constants=((tuple(map(str, range(count))),),),
        ),
    )


def chain_network(unary: Sequence[Sequence[float]], seen: Sequence[int], steps: Sequence[Sequence[float]]) -> Network:
    """Return one sequence: ``unary[seen[t]]`` scores the values at t, ``steps`` those from t-1 to t."""
    size, length = len(steps), len(seen)
    alone = Factors(
        rule=0,
        scope=np.arange(length, dtype=np.int32).reshape(-1, 1),
        key=np.array(seen, np.int32),
        weights=np.arange(len(unary) * size, dtype=np.int32).reshape(-1, size),
        holds=np.eye(size),
        hard=False,
        formulas=size,
    )
    pair = Factors(
        rule=1,
        scope=np.array([(t - 1, t) for t in range(1, length)], np.int32).reshape(-1, 2),
        key=np.zeros(length - 1, np.int32),
        weights=len(unary) * size + np.arange(size * size, dtype=np.int32).reshape(1, -1),
        holds=np.eye(size * size),
        hard=False,
        formulas=size * size,
    )
    weights = [w for row in (*unary, *steps) for w in row]
    return network_of([size] * length, [alone, pair], weights=weights)


def worlds(network: Network) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield every world allowed by given values and hard formulas, with its score."""
    values = [
        range(size) if given < 0 else (given,)
        for size, given in zip(network.sizes.tolist(), network.given.tolist(), strict=True)
    ]
    for world in itertools.product(*values):
        scores = [score for group in network.factors for score in _factor_scores(network, group, world)]
        scores += [score for group in network.clauses for score in _clause_scores(network, group, world)]
        if -math.inf not in scores:
            yield world, math.fsum(scores)


def _factor_scores(network: Network, group: Factors, world: tuple[int, ...]) -> Iterator[float]:
    for scope, key in zip(group.scope.tolist(), group.key.tolist(), strict=True):
        cell = 0
        for variable in scope:
            cell = cell * int(network.sizes[variable]) + world[variable]
        if group.hard:
            yield 0.0 if sum(group.holds[cell]) >= group.formulas else -math.inf
            continue
        for count, weight in zip(group.holds[cell].tolist(), group.weights[key].tolist(), strict=True):
            yield count * float(network.weights[weight]) if weight >= 0 else 0.0


def _clause_scores(network: Network, group: Clauses, world: tuple[int, ...]) -> Iterator[float]:
    for number in range(len(group.start) - 1):
        is_met = False
        for at in range(group.start[number], group.start[number + 1]):
            is_met |= (world[group.variable[at]] == group.value[at]) != bool(group.negated[at])
        holds = is_met if group.sign[number] > 0 else not is_met
        if group.hard:
            yield 0.0 if holds else -math.inf
        elif holds and group.weight[number] >= 0:
            yield float(network.weights[group.weight[number]])


@st.composite
def networks(
    draw: st.DrawFn,
    *,
    max_variables: int = 6,
    max_values: int = 3,
    hard: bool = True,
    clauses: bool = True,
    given: bool = True,
    equal_sizes: bool = False,
    chains: bool = False,
) -> Network:
    """Draw a network small enough for enumeration: at most ``max_values ** max_variables`` worlds.

    ``chains`` draws networks in which factors connect variables only to their neighbours in some order.
    """
    rng = Random(draw(st.integers(0, 10**9)))
    count = draw(st.integers(1, max_variables))
    size = draw(st.integers(1, max_values))
    sizes = [size if equal_sizes or chains else rng.randint(1, max_values) for _ in range(count)]
    weights = [rng.choice([rng.gauss(0, 2), round(rng.gauss(0, 2)), 0.0]) for _ in range(8)]
    scopes = _paths(rng, count) if chains else [_scope(rng, count) for _ in range(rng.randint(0, 6))]
    groups = [_factors(rng, sizes, scope, hard and rng.random() < 0.2) for scope in scopes]
    long = [_clauses(rng, sizes, hard and rng.random() < 0.2) for _ in range(rng.randint(0, 2) if clauses else 0)]
    known = [rng.randrange(each) if given and rng.random() < 0.15 else -1 for each in sizes]
    return network_of(sizes, groups, long, weights, known)


def _scope(rng: Random, count: int) -> list[int]:
    return rng.sample(range(count), min(count, rng.choice([1, 2, 2, 3])))


def _paths(rng: Random, count: int) -> list[list[int]]:
    order = rng.sample(range(count), count) if rng.random() < 0.7 else list(range(count))
    pairs = [rng.sample(pair, 2) for pair in itertools.pairwise(order) if rng.random() < 0.8]
    return (
        [[variable] for variable in order if rng.random() < 0.7]
        + pairs
        + [pair for pair in pairs if rng.random() < 0.3]
    )


def _factors(rng: Random, sizes: list[int], scope: list[int], hard: bool) -> Factors:
    cells, choices, rows = math.prod(sizes[each] for each in scope), rng.randint(1, 3), rng.randint(1, 2)
    likely = 0.9 if hard else 0.5
    holds = np.array([[float(rng.random() < likely) for _ in range(choices)] for _ in range(cells)])
    times = rng.randint(1, 2)
    indices = [[-1 if hard else rng.randrange(-1, 8) for _ in range(choices)] for _ in range(rows)]
    return Factors(
        rule=0,
        scope=np.array([scope] * times, np.int32),
        key=np.array([rng.randrange(rows) for _ in range(times)], np.int32),
        weights=np.array(indices, np.int32),
        holds=holds,
        hard=hard,
        formulas=choices,
    )


def _clauses(rng: Random, sizes: list[int], hard: bool) -> Clauses:
    count = rng.randint(1, 3)
    lengths = [rng.randint(1, 5) for _ in range(count)]
    variables = [rng.randrange(len(sizes)) for _ in range(sum(lengths))]
    return Clauses(
        rule=0,
        start=np.append(0, np.cumsum(lengths)).astype(np.int32),
        variable=np.array(variables, np.int32),
        value=np.array([rng.randrange(sizes[each]) for each in variables], np.int32),
        negated=np.array([rng.randrange(2) for _ in variables], np.int8),
        weight=np.array([-1 if hard else rng.randrange(8) for _ in range(count)], np.int32),
        sign=np.array([1.0 if hard or rng.random() < 0.7 else -1.0 for _ in range(count)]),
        hard=hard,
    )


def random_chain(length: int) -> Network:
    """Return a chain of variables with four values each and fixed random weights."""
    rng = Random(2)
    unary = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(6)]
    steps = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(4)]
    return chain_network(unary, [rng.randrange(6) for _ in range(length)], steps)
