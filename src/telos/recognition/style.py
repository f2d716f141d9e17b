"""Play style: which of several models has foreseen a player best, updated with every event."""

import math
from collections.abc import Mapping

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.goals import checked_prior
from telos.recognition.model import GoalModel
from telos.recognition.reader import Reader

UNFORESEEN = math.log(1e-6)  # what it costs a model to be shown what none of its goals allows


class StyleReader:
    """A belief over models: each is a style, and the likelihood of all that was seen says which fits.

    Models are fairly compared only if they count the same events and divide their probability among the same
    outcomes, so those whose clocks or outcomes differ are refused.

    >>> from telos.recognition.iohmm import IOHMM
    >>> goals = ("explore", "level", "return")
    >>> brute, sneak = (IOHMM(goals, counts={goal: {seen: 9} for goal in goals}) for seen in ("swing", "stop"))
    >>> StyleReader({"brute": brute, "sneak": sneak}).observe(Event("swing"))
    Belief(brute=0.909, sneak=0.0909)
    """

    def __init__(self, models: Mapping[str, GoalModel], *, prior: Mapping[str, float] | None = None) -> None:
        if not models:
            raise TelosError("give at least one model, by the name of its style")
        _refuse_unlike(models)
        self._goals = tuple(models)
        self._prior = checked_prior(prior, self._goals)
        self.readers = {style: Reader(model) for style, model in models.items()}

    @property
    def goals(self) -> tuple[str, ...]:
        """The styles that it tells apart."""
        return self._goals

    @property
    def belief(self) -> Belief:
        """The belief over styles."""
        fits = [reader.log_likelihood + UNFORESEEN * reader.ignored for reader in self.readers.values()]
        scores = [
            (math.log(chance) if chance else -math.inf) + fit for chance, fit in zip(self._prior, fits, strict=True)
        ]
        peak = max(scores)
        weights = [math.exp(score - peak) for score in scores]
        total = sum(weights)
        return Belief.of(self._goals, [weight / total for weight in weights])

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the belief over styles."""
        for reader in self.readers.values():
            reader.observe(event)
        return self.belief

    def reset(self) -> None:
        """Forget the player."""
        for reader in self.readers.values():
            reader.reset()

    @property
    def goal_belief(self) -> Belief:
        """The belief over goals, each style's weighed by how well it fits; the styles must have the same goals."""
        beliefs = {style: reader.belief for style, reader in self.readers.items()}
        goals = next(iter(self.readers.values())).goals
        for style, reader in self.readers.items():
            if set(reader.goals) != set(goals):
                raise TelosError(f"style {style!r} has the goals {reader.goals}, not {goals}", "ask its own reader")
        styles = self.belief
        return Belief.of(goals, [sum(styles[style] * beliefs[style][goal] for style in styles) for goal in goals])


def _refuse_unlike(models: Mapping[str, GoalModel]) -> None:
    for what in ("clock", "symbols", "outcomes"):
        kinds = {style: getattr(model, what, None) for style, model in models.items()}
        first = next(iter(kinds))
        for style, kind in kinds.items():
            if kind != kinds[first]:
                raise TelosError(
                    f"styles {first!r} and {style!r} cannot be compared: their {what} differ", "make them alike"
                )
