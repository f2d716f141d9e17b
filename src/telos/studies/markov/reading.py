"""Reading a log with a trained model, in two ways that are never mixed: online, and with look-ahead.

Online is what a game has while it runs: the belief at a row from the evidence up to that row. Look-ahead is the most
probable assignment to a whole sequence at once, as in the chapter: every row is read in the light of what came later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.logic.exact import chain_scores, forward_filter, viterbi
from telos.logic.model import MarkovLogic
from telos.studies.markov.features import grounded
from telos.studies.markov.goal_log import GoalLog, Ints


@dataclass(frozen=True, slots=True)
class Readings:
    """What one method said about some rows; goals are places in the log's goals.

    ``belief`` is the chance of every goal at every row, online; ``ahead`` the goal with look-ahead, None for a method
    that has no such reading.
    """

    rows: Ints  # (n,)
    belief: NDArray[np.float32]  # (n, goals)
    ahead: Ints | None  # (n,)

    @property
    def online(self) -> Ints:
        """The likeliest goal at each row, online."""
        return np.asarray(self.belief.argmax(axis=1), np.int32)


def read(log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str]) -> Readings:
    """Read some sequences with a trained model that knows these goals; other goals get no chance."""
    found = grounded(log, model, sequences, goals, told=False)
    scores = chain_scores(found.network, found.chain)
    filtered = forward_filter(found.chain, scores).filtered
    best = viterbi(found.chain, scores).values
    places = np.array([log.goals.index(goal) for goal in found.goals])
    order = np.argsort(found.row)
    belief = np.zeros((len(order), len(log.goals)), np.float32)
    belief[:, places] = filtered[order]
    return Readings(found.row[order], belief, places[best][order].astype(np.int32))
