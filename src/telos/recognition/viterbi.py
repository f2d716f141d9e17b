"""The Viterbi algorithm: the one sequence of goals that explains a session best."""

import math
from collections.abc import Sequence

from telos.recognition.forward import as_weighed, forward
from telos.recognition.model import Evidence


def best_path(prior: Sequence[float], evidences: Sequence[Evidence]) -> tuple[list[int], float]:
    """Return the number of the goal at each update in the likeliest sequence, and the log-likelihood of it.

    That of equals is returned which has the earlier goal in the model's list at its end.

    >>> stay = ((0.9, 0.1), (0.1, 0.9))
    >>> best_path((0.5, 0.5), [Evidence(stay, (0.9, 0.1), "swing"), Evidence(stay, (0.1, 0.9), "walk")])[0]
    [0, 1]
    """
    if not evidences:
        return [], 0.0
    goals = range(len(prior))
    # What filtering has ignored is ignored here too, so that both tell the same story.
    evidences = as_weighed(evidences, forward(prior, evidences))
    scores = [_log(chance) for chance in prior]
    came_from: list[list[int]] = []
    for evidence in evidences:
        moves = [[_log(chance) for chance in row] for row in evidence.transition]
        best = [max(goals, key=lambda before, to=goal: scores[before] + moves[before][to]) for goal in goals]  # type: ignore[misc]
        scores = [scores[best[to]] + moves[best[to]][to] + _log(evidence.likelihood[to]) for to in goals]
        came_from.append(best)
    last = max(goals, key=scores.__getitem__)
    path = [last]
    for best in reversed(came_from[1:]):
        path.append(best[path[-1]])
    path.reverse()
    return path, scores[last]


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf
