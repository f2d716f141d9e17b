"""What learning answers: a model with weights, how it went, and all that is needed to go on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from telos.logic.model import MarkovLogic


class Stop(Enum):
    """Why learning came to an end."""

    EPOCHS = "all epochs were made"
    HELD_OUT = "the held-out worlds got no better"
    CONVERGED = "no step makes the objective better"
    NO_MISTAKES = "no mistakes are left"


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the training worlds, or one step of L-BFGS.

    ``loss`` is per variable: the share of mistakes made on the way (MIRA, perceptron), or the mean of minus the
    logarithm of the chance of the truth. ``accuracy`` is the share of right values under the weights of that time.
    """

    number: int  # from 1
    phase: str  # what was made better: "mira", "perceptron", "likelihood" or "prefix"
    loss: float
    accuracy: float
    held_out_loss: float | None = None
    held_out_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """A model with learned weights. ``state`` is plain data from which learning goes on as if it had never stopped."""

    model: MarkovLogic
    by: str
    epochs: tuple[Epoch, ...]
    stopped: Stop
    notes: tuple[str, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
