"""What the formulas of a model see at each row, as a table of features: so that yardsticks see the very same.

Every formula ``evidence => goal(t, +g)`` has one table of weights for each way in which its evidence holds. Each of
those ways is a feature of the rows at which it is met.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.logic.chain import Chain, chain_of
from telos.logic.grounding import ground
from telos.logic.model import MarkovLogic
from telos.logic.network import Factors, Network
from telos.logic.short_clauses import tabled
from telos.studies.markov.goal_log import GOAL, GoalLog, Ints, database


@dataclass(frozen=True, slots=True)
class Grounded:
    """A network over some sequences of a log, with the row that each of its positions stands for."""

    network: Network
    chain: Chain
    row: Ints  # (positions,)
    goals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Features:
    """The features of all rows of a log: row ``row[i]`` has feature ``feature[i]``, once."""

    row: NDArray[np.int64]
    feature: NDArray[np.int64]
    count: int  # features in all


def grounded(
    log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str], *, told: bool
) -> Grounded:
    """Ground a model on some sequences; ``told`` keeps their goals as the truth to learn from."""
    known = database(log, model, sequences, goals, told=told)
    closed = [name for name in model.predicates if name != GOAL]
    network = ground(model, known, [GOAL], closed=closed, learning=told)
    chain = chain_of(network)
    if chain is None:
        raise TelosError(f"{model.source or 'the model'}: its goals are no chain, which online reading needs")
    times = network.atoms.arguments[0].max(axis=1)  # a block's own argument is -1, and only the time is left
    first = log.start[list(sequences)]
    row = (first[network.world] + times)[chain.order]
    return Grounded(network, chain, row.astype(np.int32), network.atoms.values[0])


def features_of(log: GoalLog, model: MarkovLogic) -> Features:
    """Return what each row of a log shows to the formulas that speak of one goal, as numbers of features."""
    found = grounded(log, model, range(len(log.groups)), log.goals, told=True)
    factors_of = _factors(found)
    rows, features, count = [], [], 0
    place: dict[int, int] = {}  # where the features of a group of factors begin
    for links in found.chain.singles:
        factors = factors_of[links.group]
        if factors.hard:
            continue
        if links.group not in place:
            place[links.group], count = count, count + len(factors.weights)
        met = links.key >= 0
        rows.append(found.row[met].astype(np.int64))
        features.append(links.key[met].astype(np.int64) + place[links.group])
    return Features(np.concatenate(rows), np.concatenate(features), count)


def _factors(found: Grounded) -> tuple[Factors, ...]:
    """Return the factors that a chain's links number: short clauses count behind the network's own."""
    together = tabled(found.network, most_variables=2)
    assert together is not None  # or it would be no chain
    return tuple(together.factors)
