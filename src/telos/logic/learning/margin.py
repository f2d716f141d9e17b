"""Learning from mistakes: one-best MIRA (Crammer & Singer 2003) and the perceptron (Collins 2002), averaged."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from telos.logic.learning.worlds import Worlds
from telos.logic.network import Floats


class MarginLearner:
    """Goes through the worlds one by one; wherever the most probable world is wrong, the weights move to the truth.

    The weights of a mistake-driven learner jump about, so what counts is their average. Early weights are poor: the
    average begins anew at the epochs 2, 4, 8 …, and looks back to the last but one of them, so it is always over the
    later half of the way, or more. How the worlds are shuffled depends on the seed and on the number of the epoch.
    """

    def __init__(
        self,
        worlds: Worlds,
        training: Sequence[int],
        weights: Floats,
        *,
        phase: str,
        seed: int,
        aggressiveness: float,
        average: bool,
        rival: float = 0.0,
    ) -> None:
        self.phase = phase
        self.is_over = False
        self._worlds, self._training, self._seed = worlds, tuple(training), seed
        self._most, self._average, self._rival = aggressiveness if phase == "mira" else 0.0, average, rival
        self._now = weights.copy()
        self._sums = np.zeros_like(weights)
        self._clock, self._epoch = 1.0, 0
        self._marks = [(0.0, np.zeros_like(weights))] * 2  # how long, and the sum of all weights until then

    def advance(self) -> float:
        """Make one epoch, and return the share of mistakes on the way."""
        order = list(self._training)
        Random(f"{self._seed} {self._epoch}").shuffle(order)
        wrong = self._worlds.learn(order, self._now, self._sums, self._clock, self._most, self._rival)
        self._clock += len(order)
        self._epoch += 1
        if self._epoch & (self._epoch - 1) == 0:
            self._marks = [self._marks[1], (self._clock, self._total())]
        everything = self._worlds.variables(self._training)
        self.is_over = wrong == 0 and self._worlds.right(self._training, self.weights) == everything
        return wrong / max(1, everything)

    @property
    def weights(self) -> Floats:
        """The weights as they would be handed over now."""
        if not self._average or not self._epoch:
            return self._now.copy()
        clock, total = self._marks[0]
        averaged: Floats = (self._total() - total) / (self._clock - clock)
        return averaged

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the share of wrong values."""
        return 1.0 - self._worlds.right(worlds, weights) / max(1, self._worlds.variables(worlds))

    def save(self) -> dict[str, Any]:
        """Return everything that going on needs, as plain data."""
        return {
            "weights": self._now.tolist(),
            "sums": self._sums.tolist(),
            "clock": self._clock,
            "epoch": self._epoch,
            "is_over": self.is_over,
            "marks": [[clock, total.tolist()] for clock, total in self._marks],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where a saved learner stopped."""
        self._now, self._sums = np.array(saved["weights"]), np.array(saved["sums"])
        self._clock, self._epoch, self.is_over = saved["clock"], saved["epoch"], saved["is_over"]
        self._marks = [(clock, np.array(total)) for clock, total in saved["marks"]]

    def _total(self) -> Floats:
        """Return the sum of the weights over all times so far."""
        total: Floats = self._now * self._clock - self._sums
        return total
