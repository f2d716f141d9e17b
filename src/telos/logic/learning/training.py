"""The loop around every learner: epoch after epoch, watching the held-out worlds, and stopping in time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from telos.logic.learning.learned import Epoch, Stop
from telos.logic.learning.worlds import Worlds
from telos.logic.network import Floats

Progress = Callable[[Epoch], None]


class Learner(Protocol):
    """Makes weights better step by step."""

    @property
    def phase(self) -> str:
        """What the last step made better."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be gained."""

    @property
    def weights(self) -> Floats:
        """The weights as they would be handed over now."""

    def advance(self) -> float:
        """Make one epoch and return its loss."""

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the loss of weights on worlds that are not learned from."""

    def save(self) -> dict[str, Any]:
        """Return everything that going on needs, as plain data."""

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where a saved learner stopped."""


@dataclass(slots=True)
class Training:
    """How far learning has come: the epochs made, the best weights on the held-out worlds, and since when."""

    learner: Learner
    worlds: Worlds
    training: Sequence[int]
    held_out: Sequence[int]
    by: str
    patience: int
    epochs: list[Epoch] = field(default_factory=list)
    best: Floats | None = None
    least: float = float("inf")  # loss on the held-out worlds
    waited: int = 0  # epochs since then

    def run(self, epochs: int, progress: Progress) -> Stop:
        """Make epochs until there are so many, or until there is another reason to stop."""
        while True:
            if self.learner.is_over:
                return Stop.NO_MISTAKES if self.by in ("mira", "perceptron") else Stop.CONVERGED
            if self.held_out and self.waited >= self.patience:
                return Stop.HELD_OUT
            if len(self.epochs) >= epochs:
                return Stop.EPOCHS
            self.epochs.append(self._epoch())
            progress(self.epochs[-1])

    @property
    def weights(self) -> Floats:
        """The best weights on the held-out worlds, or the last if there are none."""
        return self.learner.weights if self.best is None else self.best.copy()

    def save(self) -> dict[str, Any]:
        """Return everything that going on needs, as plain data."""
        return {
            "learner": self.learner.save(),
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "best": None if self.best is None else self.best.tolist(),
            "least": self.least if self.best is not None else None,
            "waited": self.waited,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where a saved training stopped."""
        self.learner.restore(saved["learner"])
        self.epochs = [Epoch(**epoch) for epoch in saved["epochs"]]
        if saved["best"] is not None:
            self.best, self.least = np.array(saved["best"]), saved["least"]
        self.waited = saved["waited"]

    def _epoch(self) -> Epoch:
        loss = self.learner.advance()
        phase, weights = self.learner.phase, self.learner.weights
        made = Epoch(len(self.epochs) + 1, phase, loss, self._accuracy(self.training, weights))
        if not self.held_out:
            return made
        held_out_loss = self.learner.loss(self.held_out, weights)
        if held_out_loss < self.least:
            self.best, self.least, self.waited = weights, held_out_loss, 0
        elif phase == self.by:  # a warm-up is not stopped
            self.waited += 1
        accuracy = self._accuracy(self.held_out, weights)
        return Epoch(made.number, phase, loss, made.accuracy, held_out_loss, accuracy)

    def _accuracy(self, worlds: Sequence[int], weights: Floats) -> float:
        right = self.worlds.right(worlds, weights, is_prefix=self.by == "prefix")
        return right / max(1, self.worlds.variables(worlds))
