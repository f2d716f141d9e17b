"""None of the above: noticing a player who does something that no goal of the model explains."""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.forward import forward
from telos.recognition.model import GoalModel
from telos.recognition.pulse import counted
from telos.recognition.reader import Reader

UNFORESEEN = math.log(1e-9)  # how unlikely it counts to be what no goal allows
WINDOW = 20


@dataclass(frozen=True, slots=True)
class Threshold:
    """How well a model must foresee a player: the mean log-likelihood of the last ``window`` updates."""

    value: float
    window: int
    false_alarms: float  # the share of players with known goals for whom it will be crossed, at most


def calibrate(
    model: GoalModel, sessions: Sequence[Iterable[Event]], *, false_alarms: float = 0.05, window: int = WINDOW
) -> Threshold:
    """Return the threshold that sessions of players with known goals cross no more often than ``false_alarms``.

    The promise holds for new sessions of the same kind, whatever their distribution: it is a conformal quantile of the
    worst moment of each session. It takes 1 / false_alarms - 1 sessions at least, and the model must not have been
    trained on them.
    """
    if not 0 < false_alarms < 1:
        raise TelosError(f"false_alarms must be between 0 and 1, got {false_alarms!r}")
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise TelosError(f"window must be a whole number of updates, at least 1, got {window!r}")
    worst = sorted(_worst(model, session, window) for session in sessions)
    rank = math.floor((len(worst) + 1) * false_alarms + 1e-9)
    if rank < 1:
        needed = math.ceil(1 / false_alarms - 1 - 1e-9)
        raise TelosError(
            f"{len(worst)} sessions cannot promise {false_alarms:g} false alarms", f"give {needed} or more"
        )
    return Threshold(worst[rank - 1], window, false_alarms)


def _worst(model: GoalModel, events: Iterable[Event], window: int) -> float:
    steps = forward(model.prior, [evidence for _, evidence in counted(model, events)])
    logs = [math.log(likelihood) if likelihood > 0 else UNFORESEEN for _, _, likelihood in steps]
    means = [math.fsum(logs[end - window : end]) / window for end in range(window, len(logs) + 1)]
    return min(means, default=math.inf)  # too short to alarm anyone


class UnknownGoalReader:
    """A recogniser that also says when no goal fits: ``is_unknown`` while the last updates were badly foreseen."""

    def __init__(self, model: GoalModel, threshold: Threshold) -> None:
        self.reader, self.threshold = Reader(model), threshold
        self._logs: deque[float] = deque(maxlen=threshold.window)

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.reader.goals

    @property
    def belief(self) -> Belief:
        """The belief if the goal is one of those known; it says so if probably none is."""
        known = self.reader.belief
        if not self.is_unknown:
            return known
        said = (
            f"probably none of these: {self.score:.2f} a step, where known goals keep above {self.threshold.value:.2f}"
        )
        return Belief.of(self.goals, self.reader.chances, (*known.reasons, said))

    @property
    def score(self) -> float:
        """The mean log-likelihood of the last updates."""
        return math.fsum(self._logs) / len(self._logs) if self._logs else 0.0

    @property
    def is_unknown(self) -> bool:
        """Whether the player probably pursues a goal that the model does not have."""
        return len(self._logs) == self.threshold.window and self.score < self.threshold.value

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        reader = self.reader
        updates, ignored, before = reader.updates, reader.ignored, reader.log_likelihood
        reader.observe(event)
        if reader.updates > updates:
            self._logs.append(UNFORESEEN if reader.ignored > ignored else reader.log_likelihood - before)
        return self.belief

    def reset(self) -> None:
        """Forget the player."""
        self.reader.reset()
        self._logs.clear()
