"""Accuracy against lag: how much more often a model is right about a goal if it may wait before it answers."""

from collections.abc import Iterable, Sequence

from telos.core.event import Event
from telos.recognition.forward import Chances, as_weighed, forward
from telos.recognition.model import Evidence, GoalModel
from telos.recognition.smoothing import look_back
from telos.studies.scoring import evidence_of, share_right

LAGS = (0, 1, 2, 3, 5, 8, 13, 21)  # updates


def lagged_accuracies(
    model: GoalModel, moments: Iterable[tuple[Event, str | None]], lags: Sequence[int] = LAGS
) -> dict[int, float]:
    """Return the accuracy of a model at each lag: every update is judged with that many more updates of evidence.

    The last updates of a run are judged with what is left of it, so that all lags are scored on the same updates.
    """
    evidences, truths = evidence_of(model, moments)
    steps = forward(model.prior, evidences)
    filtered = [after for _, after, _ in steps]
    weighed = as_weighed(evidences, steps)
    return {lag: share_right(model.goals, judged_late(filtered, weighed, lag), truths) for lag in lags}


def judged_late(filtered: Sequence[Chances], weighed: Sequence[Evidence], lag: int) -> list[Chances]:
    """Return how likely each goal was at each update, judged so many updates later; only the ratios matter."""
    judged = []
    for now, chances in enumerate(filtered):
        later = look_back(weighed[now : now + lag + 1], len(chances))[0]
        judged.append(tuple(chance * weight for chance, weight in zip(chances, later, strict=True)))
    return judged
