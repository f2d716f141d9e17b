"""Smoothing: what the goal was, judged with all that came after. At the end of a session, or a few updates late."""

from collections import deque
from collections.abc import Sequence

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.forward import Chances, as_weighed, forward, step
from telos.recognition.model import Evidence, GoalModel
from telos.recognition.pulse import Pulse, refuse_disorder


def smooth(prior: Sequence[float], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return the belief at each update given all updates: the forward-backward algorithm, scaled at each step.

    >>> stay = ((0.875, 0.125), (0.125, 0.875))
    >>> seen = [Evidence(stay, (0.5, 0.5), "walk"), Evidence(stay, (0.9, 0.1), "swing")]
    >>> [round(chances[0], 3) for chances in smooth((0.5, 0.5), seen)]
    [0.8, 0.9]
    """
    steps = forward(prior, evidences)
    return backward([after for _, after, _ in steps], as_weighed(evidences, steps))


def backward(filtered: Sequence[Chances], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return what filtered beliefs become when what was seen after each is taken into account.

    The first evidence is not looked at: it is in the first belief already.
    """
    weights = look_back(evidences, len(filtered[0])) if filtered else []
    return [
        _scaled([chance * weight for chance, weight in zip(chances, later, strict=True)])
        for chances, later in zip(filtered, weights, strict=True)
    ]


def look_back(evidences: Sequence[Evidence], goals: int) -> list[Chances]:
    """Return how likely each goal at an update makes all that follows it; only the ratios matter."""
    later: Chances = (1.0,) * goals
    weights = []
    for evidence in reversed(evidences):
        weights.append(later)
        later = _one_back(later, evidence)
    weights.reverse()
    return weights


def _one_back(later: Chances, evidence: Evidence) -> Chances:
    """Return the same, one update earlier."""
    weighed = [weight * seen for weight, seen in zip(later, evidence.likelihood, strict=True)]
    return _scaled(
        [sum(chance * each for chance, each in zip(row, weighed, strict=True)) for row in evidence.transition]
    )


def _scaled(weights: Sequence[float]) -> Chances:
    peak = max(weights)
    if peak <= 0:
        return (1.0 / len(weights),) * len(weights)
    larger = [weight / peak for weight in weights]  # so that tiny weights do not sum to zero
    total = sum(larger)
    return tuple([each / total for each in larger])


class LaggedReader:
    """A recogniser that answers for ``lag`` updates ago, with the evidence up to now: later, and more often right.

    While there have been fewer updates, it answers for the first.

    >>> from telos.recognition.iohmm import IOHMM
    >>> late = LaggedReader(IOHMM(counts={"level": {"swing": 7}}), lag=1)
    >>> late.observe(Event("stop")).top, late.observe(Event("swing", time=1)).top
    ('explore', 'level')
    """

    def __init__(self, model: GoalModel, lag: int) -> None:
        if isinstance(lag, bool) or not isinstance(lag, int) or lag < 0:
            raise TelosError(f"lag must be a whole number of updates, 0 or more, got {lag!r}")
        self.model, self.lag = model, lag
        self._pulse = Pulse(model)
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The belief about ``lag`` updates ago."""
        return self._belief

    @property
    def then(self) -> Belief:
        """What was believed about the same update at its own time: smoothing may overturn it."""
        chances = self._window[0][1] if self._window else self.model.prior
        return Belief.of(self.goals, chances)

    def reset(self) -> None:
        """Forget the player."""
        self._chances: Chances = tuple(self.model.prior)
        self._window: deque[tuple[Evidence, Chances]] = deque(maxlen=self.lag + 1)
        self._belief = Belief.of(self.goals, self._chances)
        self._player: str | None = None
        self._last = float("-inf")
        self._pulse.reset()

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the belief about ``lag`` updates ago."""
        refuse_disorder(event, self._player, self._last)
        evidence = self._pulse.evidence(event)
        self._player, self._last = event.player, event.time
        if evidence is None:
            return self._belief
        taken = step(self._chances, evidence)
        self._chances = taken[1]
        self._window.append((as_weighed([evidence], [taken])[0], self._chances))
        filtered = [chances for _, chances in self._window]
        smoothed = backward(filtered, [each for each, _ in self._window])
        self._belief = Belief.of(self.goals, smoothed[0])
        return self._belief
