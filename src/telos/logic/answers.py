"""What inference answers: the most probable world, or the chance of every value."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.logic.network import Floats, Ints


@dataclass(frozen=True, slots=True)
class MostProbable:
    """A world of the network with its score, the sum of the weights of the ground formulas that hold in it.

    No world scores more than ``bound``; ``exact`` says that this one is the best there is.
    """

    values: Ints  # (variables,)
    score: float
    bound: float
    method: str
    rounds: int = 1  # of cutting planes, or restarts

    @property
    def exact(self) -> bool:
        """Whether no world can be better, but for the rounding of sums."""
        return self.bound - self.score <= 1e-6 * max(1.0, abs(self.score))

    @property
    def gap(self) -> float:
        """How much better a world could be at most."""
        return max(0.0, self.bound - self.score)


@dataclass(frozen=True, slots=True)
class Marginals:
    """The chance of each value of each variable: those of v are ``chances[start[v] : start[v + 1]]``."""

    start: NDArray[np.int64]  # (variables + 1,)
    chances: Floats
    log_z: float | None  # logarithm of the sum over all worlds, where it is known
    exact: bool
    method: str

    def of(self, variable: int) -> Floats:
        """Return the chances of the values of one variable."""
        return self.chances[self.start[variable] : self.start[variable + 1]]


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """No world keeps all hard formulas: ``conflict`` is a smallest set of ground ones that cannot hold together."""

    conflict: tuple[str, ...]  # in words
    rules: tuple[int, ...]
