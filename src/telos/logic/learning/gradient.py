"""Learning from chances: the weights under which the truth is likeliest, found by L-BFGS.

``likelihood`` makes the true world likely given all evidence. ``prefix`` makes each true value likely given the
evidence *up to its step*, which is what a reader who follows a game live is judged by. The former is a hill with one
top; the latter is not, so it starts where some steps of the former lead.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from telos.logic.learning import lbfgs
from telos.logic.learning.worlds import Worlds
from telos.logic.network import Floats


class GradientLearner:
    """Takes one step of L-BFGS an epoch; ``l2`` pulls all weights towards 0, as a Gaussian prior of variance 1/l2."""

    def __init__(
        self, worlds: Worlds, training: Sequence[int], weights: Floats, *, phase: str, l2: float, warm_up: int = 0
    ) -> None:
        self._last_phase, self._l2, self._warm_up = phase, l2, warm_up if phase == "prefix" else 0
        self._worlds, self._training = worlds, tuple(training)
        self._start = weights.copy()
        self._epoch = 0
        self.phase = "likelihood" if self._warm_up else phase
        self._descent: lbfgs.Descent | None = None

    @property
    def is_over(self) -> bool:
        """Whether no step makes the objective better."""
        return self._descent is not None and self._descent.is_over and self.phase == self._last_phase

    def advance(self) -> float:
        """Take one step, and return the mean of minus the logarithm of the chance of the truth."""
        if self._descent is None:
            self._descent = lbfgs.begin(self._cost, self._start)
        if self.phase != self._last_phase and (self._epoch >= self._warm_up or self._descent.is_over):
            self.phase = self._last_phase  # another objective, whose curvature is not known yet
            self._descent = lbfgs.begin(self._cost, self._descent.place)
        self._descent = lbfgs.advance(self._cost, self._descent)
        self._epoch += 1
        penalty = self._l2 / 2 * lbfgs.dot(self._descent.place, self._descent.place)
        return (self._descent.value - penalty) / max(1, self._worlds.variables(self._training))

    @property
    def weights(self) -> Floats:
        """The weights as they would be handed over now."""
        return (self._start if self._descent is None else self._descent.place).copy()

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the mean of minus the logarithm of the chance of the truth, as the last phase counts it."""
        log_chance = self._worlds.log_chance(worlds, weights, is_prefix=self._last_phase == "prefix")
        return -log_chance / max(1, self._worlds.variables(worlds))

    def save(self) -> dict[str, Any]:
        """Return everything that going on needs, as plain data."""
        descent = self._descent
        if descent is None:
            return {"epoch": self._epoch, "phase": self.phase}
        return {
            "epoch": self._epoch,
            "phase": self.phase,
            "place": descent.place.tolist(),
            "value": descent.value,
            "gradient": descent.gradient.tolist(),
            "steps": [each.tolist() for each in descent.steps],
            "turns": [each.tolist() for each in descent.turns],
            "is_over": descent.is_over,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where a saved learner stopped."""
        self._epoch, self.phase = saved["epoch"], saved["phase"]
        if "place" in saved:
            self._descent = lbfgs.Descent(
                np.array(saved["place"]),
                saved["value"],
                np.array(saved["gradient"]),
                tuple(np.array(each) for each in saved["steps"]),
                tuple(np.array(each) for each in saved["turns"]),
                saved["is_over"],
            )

    def _cost(self, weights: Floats) -> tuple[float, Floats]:
        value, gradient = self._worlds.objective(self._training, weights, is_prefix=self.phase == "prefix")
        return self._l2 / 2 * lbfgs.dot(weights, weights) - value, self._l2 * weights - gradient
