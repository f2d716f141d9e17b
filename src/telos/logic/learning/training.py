"""The training loop and the learners: MIRA and perceptron (``MarginLearner``), L-BFGS (``GradientLearner``)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from random import Random
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.learning.worlds import TrainingWorlds
from telos.logic.model import MarkovLogic
from telos.logic.network import Floats

LearningMethod: TypeAlias = Literal["mira", "perceptron", "likelihood", "prefix"]
Function = Callable[[Floats], tuple[float, Floats]]  # returns value and gradient

EPOCHS = {"mira": 100, "perceptron": 100, "likelihood": 60, "prefix": 20}  # enough for a corpus of 70,000 steps
WARM_UP = 50  # likelihood steps before those for prefixes
MEMORY = 8  # steps from which the curvature is estimated
MAX_TRIALS = 30  # step lengths in one line search
SUFFICIENT_DECREASE, CURVATURE = 1e-4, 0.9  # parameters of the Wolfe conditions


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The settings of one call of ``learn``."""

    by: LearningMethod
    epochs: int | None
    seed: int
    patience: int
    aggressiveness: float
    l2: float
    average: bool
    loss_augmented: bool
    warm_up: int

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.by not in get_args(LearningMethod):
            raise TelosError(f"unknown learner {self.by!r}", name_hint(self.by, get_args(LearningMethod)))
        for name, least in (("epochs", 1), ("patience", 1), ("warm_up", 0), ("l2", 0)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise TelosError(f"{name} must be at least {least}, got {value}")
        if not self.aggressiveness > 0:
            raise TelosError(f"aggressiveness must be greater than 0, got {self.aggressiveness}", "1 is usual")

    @property
    def is_online(self) -> bool:
        """Whether the weights are updated after every world."""
        return self.by in ("mira", "perceptron")

    def total(self, warm_up: int) -> int:
        """Return the total number of epochs."""
        return (EPOCHS[self.by] if self.epochs is None else self.epochs) + warm_up


class LearningStop(Enum):
    """Why learning stopped."""

    EPOCHS = "all epochs were made"
    HELD_OUT = "the held-out worlds got no better"
    CONVERGED = "no step makes the objective better"
    NO_MISTAKES = "no mistakes are left"


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the training worlds, or one step of L-BFGS.

    ``loss`` is per variable: the share of mistakes during the pass (MIRA, perceptron), or the mean negative log
    likelihood. ``accuracy`` is the share of correct values under the weights after it, None if it was not worked out.
    """

    number: int  # from 1
    phase: str  # the objective: "mira", "perceptron", "likelihood" or "prefix"
    loss: float
    accuracy: float | None
    held_out_loss: float | None = None
    held_out_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class LearningResult:
    """A model with learned weights; ``state`` is plain data from which learning continues exactly.

    ``closed_without_facts`` are the predicates of which the database has no fact: all their atoms were taken as false.
    """

    model: MarkovLogic
    by: str
    epochs: tuple[Epoch, ...]
    stopped: LearningStop
    notes: tuple[str, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    closed_without_facts: tuple[str, ...] = ()


# --- the loop ---------------------------------------------------------------------------------------------------------


Progress = Callable[[Epoch], None]


class WeightLearner(Protocol):
    """A learner that improves weights step by step."""

    @property
    def phase(self) -> str:
        """The objective of the last step."""

    @property
    def is_over(self) -> bool:
        """Whether no further improvement is possible."""

    @property
    def weights(self) -> Floats:
        """The current weights."""

    def advance(self) -> float:
        """Run one epoch and return its loss."""

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the loss of weights on held-out worlds."""

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""


@dataclass(slots=True)
class Training:
    """The training loop: the epochs so far, the best weights on the held-out worlds, and the epochs since then."""

    learner: WeightLearner
    worlds: TrainingWorlds
    training: Sequence[int]
    held_out: Sequence[int]
    by: str
    patience: int
    score_epochs: bool = True
    epochs: list[Epoch] = field(default_factory=list)
    best: Floats | None = None
    least: float = float("inf")  # loss on the held-out worlds
    waited: int = 0  # epochs since the best loss

    def run(self, epochs: int, progress: Progress) -> LearningStop:
        """Run epochs up to a total, or until there is another reason to stop."""
        while True:
            if self.learner.is_over:
                return LearningStop.NO_MISTAKES if self.by in ("mira", "perceptron") else LearningStop.CONVERGED
            if self.held_out and self.waited >= self.patience:
                return LearningStop.HELD_OUT
            if len(self.epochs) >= epochs:
                return LearningStop.EPOCHS
            self.epochs.append(self._epoch())
            progress(self.epochs[-1])

    @property
    def weights(self) -> Floats:
        """The best weights on the held-out worlds, or the last weights if there are none."""
        return self.learner.weights if self.best is None else self.best.copy()

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "learner": self.learner.save(),
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "best": None if self.best is None else self.best.tolist(),
            "least": self.least if self.best is not None else None,
            "waited": self.waited,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.learner.restore(saved["learner"])
        self.epochs = [Epoch(**epoch) for epoch in saved["epochs"]]
        if saved["best"] is not None:
            self.best, self.least = np.array(saved["best"]), saved["least"]
        self.waited = saved["waited"]

    def _epoch(self) -> Epoch:
        loss = self.learner.advance()
        phase, weights = self.learner.phase, self.learner.weights
        accuracy = self._accuracy(self.training, weights) if self.score_epochs else None
        made = Epoch(len(self.epochs) + 1, phase, loss, accuracy)
        if not self.held_out:
            return made
        held_out_loss = self.learner.loss(self.held_out, weights)
        if held_out_loss < self.least:
            self.best, self.least, self.waited = weights, held_out_loss, 0
        elif phase == self.by:  # patience does not apply to the warm-up
            self.waited += 1
        return Epoch(made.number, phase, loss, accuracy, held_out_loss, self._accuracy(self.held_out, weights))

    def _accuracy(self, worlds: Sequence[int], weights: Floats) -> float:
        right = self.worlds.right(worlds, weights, is_prefix=self.by == "prefix")
        return right / max(1, self.worlds.variables(worlds))


# --- learning from mistakes -------------------------------------------------------------------------------------------


class MarginLearner:
    """MIRA (Crammer & Singer 2003) and the perceptron (Collins 2002), one-best and averaged.

    Wherever the most probable world is wrong, the weights move towards the truth. The weights of a mistake-driven
    learner fluctuate, so their average is returned. Early weights are poor: the average restarts at the epochs 2, 4, 8
    … and looks back to the last but one of these, so it always covers at least the later half of the epochs. The order
    of the worlds depends on the seed and on the number of the epoch.
    """

    def __init__(
        self,
        worlds: TrainingWorlds,
        training: Sequence[int],
        weights: Floats,
        *,
        phase: str,
        seed: int,
        aggressiveness: float,
        average: bool,
        augmentation: float = 0.0,
    ) -> None:
        self.phase = phase
        self.is_over = False
        self._worlds, self._training, self._seed = worlds, tuple(training), seed
        self._max_step, self._average, self._augmentation = (
            aggressiveness if phase == "mira" else 0.0,
            average,
            augmentation,
        )
        self._now = weights.copy()
        self._sums = np.zeros_like(weights)
        self._clock, self._epoch = 1.0, 0
        self._marks = [(0.0, np.zeros_like(weights))] * 2  # (clock, sum of all weights until then)

    def advance(self) -> float:
        """Run one epoch, and return the share of mistakes during it."""
        order = list(self._training)
        Random(f"{self._seed} {self._epoch}").shuffle(order)
        wrong = self._worlds.learn(order, self._now, self._sums, self._clock, self._max_step, self._augmentation)
        self._clock += len(order)
        self._epoch += 1
        if self._epoch & (self._epoch - 1) == 0:
            self._marks = [self._marks[1], (self._clock, self._total())]
        everything = self._worlds.variables(self._training)
        self.is_over = wrong == 0 and self._worlds.right(self._training, self.weights) == everything
        return wrong / max(1, everything)

    @property
    def weights(self) -> Floats:
        """The averaged weights, or the current ones without averaging."""
        if not self._average or not self._epoch:
            return self._now.copy()
        clock, total = self._marks[0]
        averaged: Floats = (self._total() - total) / (self._clock - clock)
        return averaged

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the share of wrong values."""
        return 1.0 - self._worlds.right(worlds, weights) / max(1, self._worlds.variables(worlds))

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "weights": self._now.tolist(),
            "sums": self._sums.tolist(),
            "clock": self._clock,
            "epoch": self._epoch,
            "is_over": self.is_over,
            "marks": [[clock, total.tolist()] for clock, total in self._marks],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self._now, self._sums = np.array(saved["weights"]), np.array(saved["sums"])
        self._clock, self._epoch, self.is_over = saved["clock"], saved["epoch"], saved["is_over"]
        self._marks = [(clock, np.array(total)) for clock, total in saved["marks"]]

    def _total(self) -> Floats:
        """Return the sum of the weights over all times so far."""
        total: Floats = self._now * self._clock - self._sums
        return total


# --- learning from likelihood -----------------------------------------------------------------------------------------
# ``likelihood`` maximises the probability of the true world given all evidence. ``prefix`` maximises the probability of
# each true value given the evidence *up to its step*, the measure of online recognition. The former is concave; the
# latter is not, so it starts from some steps of the former.


class GradientLearner:
    """One step of L-BFGS per epoch; ``l2`` is a Gaussian prior of variance 1/l2 on all weights."""

    def __init__(
        self,
        worlds: TrainingWorlds,
        training: Sequence[int],
        weights: Floats,
        *,
        phase: str,
        l2: float,
        warm_up: int = 0,
    ) -> None:
        self._last_phase, self._l2, self._warm_up = phase, l2, warm_up if phase == "prefix" else 0
        self._worlds, self._training = worlds, tuple(training)
        self._start = weights.copy()
        self._epoch = 0
        self.phase = "likelihood" if self._warm_up else phase
        self._descent: LbfgsState | None = None

    @property
    def is_over(self) -> bool:
        """Whether no step improves the objective."""
        return self._descent is not None and self._descent.is_over and self.phase == self._last_phase

    def advance(self) -> float:
        """Do one step, and return the mean negative log likelihood."""
        if self._descent is None:
            self._descent = start_descent(self._cost, self._start)
        if self.phase != self._last_phase and (self._epoch >= self._warm_up or self._descent.is_over):
            self.phase = self._last_phase  # a new objective, with unknown curvature
            self._descent = start_descent(self._cost, self._descent.place)
        self._descent = descend(self._cost, self._descent)
        self._epoch += 1
        penalty = self._l2 / 2 * dot(self._descent.place, self._descent.place)
        return (self._descent.value - penalty) / max(1, self._worlds.variables(self._training))

    @property
    def weights(self) -> Floats:
        """The current weights."""
        return (self._start if self._descent is None else self._descent.place).copy()

    def loss(self, worlds: Sequence[int], weights: Floats) -> float:
        """Return the mean negative log likelihood under the final objective."""
        log_likelihood = self._worlds.log_likelihood(worlds, weights, is_prefix=self._last_phase == "prefix")
        return -log_likelihood / max(1, self._worlds.variables(worlds))

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
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
        """Continue from a saved state."""
        self._epoch, self.phase = saved["epoch"], saved["phase"]
        if "place" in saved:
            self._descent = LbfgsState(
                np.array(saved["place"]),
                saved["value"],
                np.array(saved["gradient"]),
                tuple(np.array(each) for each in saved["steps"]),
                tuple(np.array(each) for each in saved["turns"]),
                saved["is_over"],
            )

    def _cost(self, weights: Floats) -> tuple[float, Floats]:
        value, gradient = self._worlds.objective(self._training, weights, is_prefix=self.phase == "prefix")
        return self._l2 / 2 * dot(weights, weights) - value, self._l2 * weights - gradient


# --- L-BFGS -----------------------------------------------------------------------------------------------------------
# Limited-memory BFGS: Nocedal & Wright, *Numerical Optimization*, algorithm 7.4; the line search halves and doubles
# until the step meets the weak Wolfe conditions (Lewis & Overton 2013). Not SciPy's: here the state of a search is
# plain data, so learning can stop, be saved, and continue as if it had never stopped.


@dataclass(frozen=True, slots=True)
class LbfgsState:
    """The state of a search; ``steps`` and ``turns`` are the last changes of the place and of the gradient."""

    place: Floats
    value: float
    gradient: Floats
    steps: tuple[Floats, ...] = ()
    turns: tuple[Floats, ...] = ()
    is_over: bool = False  # no step improves it


def dot(left: Floats, right: Floats) -> float:
    """Return the inner product without BLAS, whose threads cost more than they save here."""
    return float(np.einsum("i,i->", left, right))


def start_descent(function: Function, place: Floats) -> LbfgsState:
    """Return the search that starts at a place."""
    value, gradient = function(place)
    return LbfgsState(place, value, gradient)


def descend(function: Function, descent: LbfgsState, *, tolerance: float = 1e-5) -> LbfgsState:
    """Do one step; the search is over if the gradient is below ``tolerance``, or nothing improves.

    >>> bowl = lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3))
    >>> descent = start_descent(bowl, np.zeros(2))
    >>> for _ in range(5):
    ...     descent = descend(bowl, descent)
    >>> descent.place.round(6).tolist(), descent.is_over
    ([3.0, 3.0], True)
    """
    if np.abs(descent.gradient).max(initial=0.0) <= tolerance:
        return replace(descent, is_over=True)
    downhill = find_direction(descent)
    found = _line_search(function, descent, downhill)
    if found is None and descent.steps:  # the curvature estimate misled: restart with steepest descent
        descent = replace(descent, steps=(), turns=())
        found = _line_search(function, descent, find_direction(descent))
    if found is None:
        return replace(descent, is_over=True)
    step, turn = found.place - descent.place, found.gradient - descent.gradient
    if dot(step, turn) <= 1e-10 * dot(turn, turn):  # hardly any curvature along this step: ignore it
        return replace(found, steps=descent.steps, turns=descent.turns)
    return replace(
        found,
        steps=(*descent.steps, step)[-MEMORY:],
        turns=(*descent.turns, turn)[-MEMORY:],
    )


def find_direction(descent: LbfgsState) -> Floats:
    """Return the descent direction of L-BFGS: the two-loop recursion."""
    heading = descent.gradient.copy()
    if not descent.steps:
        return -heading / max(1.0, math.sqrt(dot(heading, heading)))
    pulls = []
    for step, turn in zip(reversed(descent.steps), reversed(descent.turns), strict=True):
        pull = dot(step, heading) / dot(step, turn)
        heading -= pull * turn
        pulls.append(pull)
    step, turn = descent.steps[-1], descent.turns[-1]
    heading *= dot(step, turn) / dot(turn, turn)
    for step, turn, pull in zip(descent.steps, descent.turns, reversed(pulls), strict=True):
        heading += (pull - dot(turn, heading) / dot(step, turn)) * step
    return -heading


def _line_search(function: Function, descent: LbfgsState, downhill: Floats) -> LbfgsState | None:
    """Return the state after a step along a direction that meets the Wolfe conditions, or None."""
    slope = dot(descent.gradient, downhill)
    if slope >= 0.0:
        return None
    length, low, high = 1.0, 0.0, np.inf
    kept: LbfgsState | None = None
    for _ in range(MAX_TRIALS):
        place = descent.place + length * downhill
        value, gradient = function(place)
        if not value <= descent.value + SUFFICIENT_DECREASE * length * slope:  # also true for NaN
            high = length
        else:
            kept = LbfgsState(place, value, gradient)
            if dot(gradient, downhill) >= CURVATURE * slope:
                break
            low = length
        length = (low + high) / 2 if high < np.inf else 2 * length
    return kept
