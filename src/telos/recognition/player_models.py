"""Readers beside the plain one: play styles, unknown goals, and many players at once."""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.files.snapshots import snapshot_error
from telos.recognition.filtering import Reader, counted_evidence, forward
from telos.recognition.observations import Symbols
from telos.recognition.recognizer import GoalModel, check_prior

IGNORED_LOG_LIKELIHOOD = math.log(1e-6)  # for an observation that no goal of the model allows


class StyleReader:
    """A belief over play styles: each style is a model, weighted by the likelihood of all events.

    Models with the same outcomes are compared by their likelihoods. The likelihoods of models that see the game by
    other outcomes are of different things, so each is divided by that of a reference which knows no style: the chance
    of the same outcomes by what this player did before (``OutcomeReference``). That is the likelihood ratio of two
    models of the whole event, if all share the reference's view of how an outcome splits further. Models that measure
    different numbers, or have no likelihood at all, are refused.

    >>> from telos.recognition.iohmm import IOHMM
    >>> goals = ("explore", "level", "return")
    >>> brute, sneak = (IOHMM(goals, counts={goal: {seen: 9} for goal in goals}) for seen in ("swing", "stop"))
    >>> StyleReader({"brute": brute, "sneak": sneak}).observe(Event("swing"))
    Belief(brute=0.909, sneak=0.0909)
    """

    def __init__(self, models: Mapping[str, GoalModel], *, prior: Mapping[str, float] | None = None) -> None:
        if not models:
            raise TelosError("give at least one model, by the name of its style")
        check_comparable(models)
        self._references = (
            None
            if have_same_outcomes(models)
            else {style: OutcomeReference(len(outcomes_of(model))) for style, model in models.items()}
        )
        self._goals = tuple(models)
        self._prior = check_prior(prior, self._goals)
        self.readers = {style: Reader(model) for style, model in models.items()}

    @property
    def goals(self) -> tuple[str, ...]:
        """The styles that the belief is about."""
        return self._goals

    @property
    def belief(self) -> Belief:
        """The belief over styles."""
        fits = list(self.fits.values())
        scores = [
            (math.log(chance) if chance else -math.inf) + fit for chance, fit in zip(self._prior, fits, strict=True)
        ]
        peak = max(scores)
        weights = [math.exp(score - peak) for score in scores]
        total = sum(weights)
        return Belief.of(self._goals, [weight / total for weight in weights])

    @property
    def fits(self) -> dict[str, float]:
        """The log-likelihood of all events by the model of each style, relative to the reference if there is one."""
        found = {}
        for style, reader in self.readers.items():
            reference = 0.0 if self._references is None else self._references[style].log_likelihood
            found[style] = reader.log_likelihood + IGNORED_LOG_LIKELIHOOD * reader.ignored - reference
        return found

    def observe(self, event: Event) -> Belief:
        """Update with an event, and return the belief over styles."""
        for style, reader in self.readers.items():
            before = reader.updates
            reader.observe(event)
            if self._references is not None and reader.updates > before:
                self._references[style].add(reader.seen)
        return self.belief

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        for reader in self.readers.values():
            reader.reset()
        for reference in (self._references or {}).values():
            reference.reset()

    def why(self) -> str:
        """Explain the belief in lines: how well the model of each style has foreseen an update."""
        fits, chances = self.fits, self.belief
        beside = "" if self._references is None else " beside the player's own habits"
        lines = []
        for style, reader in sorted(self.readers.items(), key=lambda each: -chances[each[0]]):
            mean = math.exp(fits[style] / reader.updates) if reader.updates else 1.0
            lines.append(f"{style} {chances[style]:.0%}: foresaw {reader.updates} updates by {mean:.3g} each{beside}")
        return "\n".join(lines)

    @property
    def goal_belief(self) -> Belief:
        """The belief over goals, averaged over the styles by their chance; the styles must have the same goals."""
        beliefs = {style: reader.belief for style, reader in self.readers.items()}
        goals = next(iter(self.readers.values())).goals
        for style, reader in self.readers.items():
            if set(reader.goals) != set(goals):
                raise TelosError(f"style {style!r} has the goals {reader.goals}, not {goals}", "ask its own reader")
        styles = self.belief
        return Belief.of(goals, [sum(styles[style] * beliefs[style][goal] for style in styles) for goal in goals])


REFERENCE_WEIGHT = 10.0  # how many observations the reference's first guess, all outcomes alike, is worth


class OutcomeReference:
    """The likelihood of outcomes by one who knows no style: how often this player has shown each before.

    A Dirichlet process whose base measure makes the outcomes of every model equally likely: seen through the outcomes
    of another model it is the same process, which is what makes the ratios of different models comparable.

    >>> reference = OutcomeReference(2)
    >>> for outcome in ("swing", "swing"):
    ...     reference.add(outcome)
    >>> round(math.exp(reference.log_likelihood), 4)  # 5/10, then 6/11
    0.2727
    """

    def __init__(self, outcomes: int) -> None:
        self._share = REFERENCE_WEIGHT / outcomes
        self.reset()

    def reset(self) -> None:
        """Forget the player."""
        self._counts: dict[str, int] = {}
        self._total = 0
        self.log_likelihood = 0.0

    def add(self, outcome: str) -> None:
        """Observe an outcome."""
        before = self._counts.get(outcome, 0)
        self.log_likelihood += math.log((before + self._share) / (self._total + REFERENCE_WEIGHT))
        self._counts[outcome] = before + 1
        self._total += 1


def outcomes_of(model: object) -> tuple[str, ...]:
    """Return the names of what a model can observe."""
    found = getattr(model, "symbols", None) or getattr(model, "outcomes", None)
    return found.names if isinstance(found, Symbols) else ()


def have_same_outcomes(models: Mapping[str, GoalModel]) -> bool:
    """Whether all models count the same events and tell the same outcomes apart, by the same conditions."""
    kinds = [
        (getattr(model, "clock", None), getattr(model, "symbols", None) or getattr(model, "outcomes", None))
        for model in models.values()
    ]
    return all(kind == kinds[0] for kind in kinds)


def check_comparable(models: Mapping[str, GoalModel]) -> None:
    """Refuse models whose likelihoods cannot be compared: without outcomes, or with different measures."""
    first, *_ = models
    same = have_same_outcomes(models)
    measured = {style: _measured(model) for style, model in models.items()}
    for style, model in models.items():
        if not hasattr(model, "evidence"):
            raise TelosError(
                f"style {style!r} is a {type(model).__name__}, which has no likelihood of what is seen",
                "compare ffbm, constant and iohmm models",
            )
        if not same and not outcomes_of(model):
            raise TelosError(
                f"style {style!r} has no outcomes with chances, so no likelihood beside those of other kinds of models",
                "compare ffbm, constant and iohmm models with each other, and others with their like",
            )
        if measured[style] != measured[first]:
            raise TelosError(
                f"styles {first!r} and {style!r} cannot be compared: their measures differ",
                "measure the same numbers, under the same conditions, in all of them",
            )


def _measured(model: object) -> list[tuple[object, ...]]:
    found = getattr(model, "measures", None)
    return [(each.name, each.condition, each.unit, each.smallest) for each in found.all] if found else []


IMPOSSIBLE_LOG_LIKELIHOOD = math.log(1e-9)  # for an observation that no goal allows
DEFAULT_WINDOW = 20


@dataclass(frozen=True, slots=True)
class FitThreshold:
    """The mean log-likelihood of the last ``window`` updates below which no goal of the model fits."""

    value: float
    window: int
    false_alarms: float  # the largest share of players with known goals that fall below it


def calibrate_threshold(
    model: GoalModel, sessions: Sequence[Iterable[Event]], *, false_alarms: float = 0.05, window: int = DEFAULT_WINDOW
) -> FitThreshold:
    """Return the threshold below which at most a share ``false_alarms`` of sessions with known goals falls.

    The guarantee holds for new sessions from the same distribution: the threshold is a conformal quantile of the worst
    window of each session. It needs at least 1 / false_alarms - 1 sessions, and the model must not be trained on them.
    """
    check_window(false_alarms, window)
    return threshold_of([_worst(model, session, window) for session in sessions], false_alarms, window)


def check_window(false_alarms: float, window: int) -> None:
    """Refuse a share of false alarms, or a number of updates, that makes no sense."""
    if not 0 < false_alarms < 1:
        raise TelosError(f"false_alarms must be between 0 and 1, got {false_alarms!r}")
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise TelosError(f"window must be a whole number of updates, at least 1, got {window!r}")


def threshold_of(worst_windows: Iterable[float], false_alarms: float, window: int) -> FitThreshold:
    """Return the threshold for the worst window of each session with known goals; see ``calibrate_threshold``."""
    worst = sorted(worst_windows)
    rank = math.floor((len(worst) + 1) * false_alarms + 1e-9)
    if rank < 1:
        needed = math.ceil(1 / false_alarms - 1 - 1e-9)
        raise TelosError(
            f"{len(worst)} sessions cannot promise {false_alarms:g} false alarms", f"give {needed} or more"
        )
    return FitThreshold(worst[rank - 1], window, false_alarms)


def _worst(model: GoalModel, events: Iterable[Event], window: int) -> float:
    steps = forward(model.prior, [evidence for _, evidence in counted_evidence(model, events)])
    logs = [math.log(likelihood) if likelihood > 0 else IMPOSSIBLE_LOG_LIKELIHOOD for _, _, likelihood in steps]
    means = [math.fsum(logs[end - window : end]) / window for end in range(window, len(logs) + 1)]
    return min(means, default=math.inf)  # too short for an alarm


class UnknownGoalReader:
    """A recogniser that also detects unknown goals: ``is_unknown`` while the last updates were badly predicted."""

    def __init__(self, model: GoalModel, threshold: FitThreshold) -> None:
        self.reader, self.threshold = Reader(model), threshold
        self._logs: deque[float] = deque(maxlen=threshold.window)

    @property
    def goals(self) -> tuple[str, ...]:
        return self.reader.goals

    @property
    def belief(self) -> Belief:
        """The belief over the known goals; its reasons say if probably none of them fits."""
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
        """Update the belief with an event, and return it."""
        reader = self.reader
        updates, ignored, before = reader.updates, reader.ignored, reader.log_likelihood
        reader.observe(event)
        if reader.updates > updates:
            self._logs.append(IMPOSSIBLE_LOG_LIKELIHOOD if reader.ignored > ignored else reader.log_likelihood - before)
        return self.belief

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        self.reader.reset()
        self._logs.clear()


class Readers:
    """One reader per player, created at the player's first event; all share one model.

    >>> from telos.recognition.iohmm import IOHMM
    >>> readers = Readers(IOHMM(counts={"level": {"swing": 7}}))
    >>> readers.observe(Event("swing", player="ann", time=9)).top
    'level'
    >>> readers.observe(Event("stop", player="bo", time=1)).top, sorted(readers.players)
    ('explore', ['ann', 'bo'])
    """

    def __init__(self, model: GoalModel, *, trace: Trace = silent) -> None:
        self.model, self._trace = model, trace
        self._readers: dict[str, Reader] = {}

    @property
    def players(self) -> tuple[str, ...]:
        """The players so far, in order of their first event."""
        return tuple(self._readers)

    def __getitem__(self, player: str) -> Reader:
        reader = self._readers.get(player)
        if reader is None:
            reader = self._readers[player] = Reader(self.model, trace=self._trace)
        return reader

    def observe(self, event: Event) -> Belief:
        """Update the belief about the event's player, and return it."""
        return self[event.player].observe(event)

    def learn(self, event: Event, goal: str) -> None:
        """Train the model on an event of a player who pursued ``goal``."""
        self[event.player].learn(event, goal)

    def save(self) -> dict[str, Any]:
        """Return the state of each reader as plain data."""
        return {player: reader.save() for player, reader in self._readers.items()}

    @classmethod
    def resume(cls, model: GoalModel, saved: Mapping[str, Any], *, trace: Trace = silent) -> "Readers":
        """Return readers that continue from a saved state; one with a fault is refused with its player and place."""
        if not isinstance(saved, Mapping) or not all(isinstance(player, str) for player in saved):
            raise snapshot_error("readers", (), "must be a mapping from players to their readers")
        readers = cls(model, trace=trace)
        for player, each in saved.items():
            try:
                reader = Reader.resume(model, each, trace=trace)
            except TelosError as error:
                raise error.at(f"player {player!r}") from None
            if reader.player not in (None, player):
                raise snapshot_error("readers", (player,), f"is the reader of {reader.player!r}")
            readers._readers[player] = reader
        return readers
