"""Training worlds of any shape: what learners ask of them, and the general answer by exact inference or search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from telos.core.errors import TelosError
from telos.logic.answers import MostProbable
from telos.logic.exact import exact_map, expected_counts
from telos.logic.exact.expectation import Expected
from telos.logic.learning.parts import parts_of
from telos.logic.network import Floats, Ints, Network
from telos.logic.scoring import counts
from telos.logic.search import cutting_planes


class Worlds(Protocol):
    """Worlds whose hidden values are known, by their numbers."""

    def variables(self, worlds: Sequence[int]) -> int:
        """Return how many variables these worlds have."""

    def learn(
        self, worlds: Sequence[int], weights: Floats, sums: Floats, clock: float, most: float, rival: float
    ) -> int:
        """Take these worlds in this order, moving weights and sums; return how many values were found wrong.

        ``most`` is the longest step that MIRA makes, 0 for the perceptron. ``rival`` is added to the score of every
        wrong value when the best values are looked for.
        """

    def right(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> int:
        """Return how many values are right: in the most probable world, or of the belief at each step."""

    def objective(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> tuple[float, Floats]:
        """Return the logarithm of the chance of the true values, and its gradient."""

    def log_chance(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> float:
        """Return the objective alone."""


@dataclass(frozen=True, slots=True)
class _World:
    network: Network
    truth: Ints
    counts: Floats  # of the truth


class NetworkWorlds:
    """Worlds of any shape, one network each. They are sets of tables and not sequences: there are no prefixes."""

    def __init__(self, network: Network, truth: Ints) -> None:
        self._worlds: dict[int, _World] = {}
        for world, part, kept in parts_of(network):
            self._worlds[world] = _World(part, truth[kept], counts(part, truth[kept]))

    def variables(self, worlds: Sequence[int]) -> int:
        """Return how many variables these worlds have."""
        return sum(len(self._worlds[world].truth) for world in worlds if world in self._worlds)

    def learn(
        self, worlds: Sequence[int], weights: Floats, sums: Floats, clock: float, most: float, rival: float
    ) -> int:
        """Take these worlds in this order, moving weights and sums; return how many values were found wrong."""
        if rival:
            raise TelosError("loss_augmented works on sequences only", "leave it out for this model")
        wrong = 0
        for turn, world in enumerate(each for each in worlds if each in self._worlds):
            found, mistakes = self._found(world, weights)
            if not mistakes:
                continue
            wrong += mistakes
            known = self._worlds[world]
            difference = known.counts - counts(known.network, found)
            tau = step_length(mistakes, difference, weights, most)
            weights += tau * difference
            sums += (clock + turn) * tau * difference
        return wrong

    def right(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> int:
        """Return how many values of the most probable worlds are right."""
        _refuse(is_prefix)
        wrong = sum(self._found(world, weights)[1] for world in worlds if world in self._worlds)
        return self.variables(worlds) - wrong

    def objective(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> tuple[float, Floats]:
        """Return the logarithm of the chance of the true values, and its gradient: true counts less expected ones."""
        _refuse(is_prefix)
        value, gradient = 0.0, np.zeros_like(weights)
        for world in (self._worlds[each] for each in worlds if each in self._worlds):
            expected = expected_counts(world.network, weights)
            if not isinstance(expected, Expected):
                raise TelosError(
                    f"a world of {len(world.truth)} variables is too entangled for exact inference",
                    "learn with by='mira' or by='perceptron'",
                )
            value += float(world.counts @ weights) - expected.log_z
            gradient += world.counts - expected.counts
        return value, gradient

    def log_chance(self, worlds: Sequence[int], weights: Floats, *, is_prefix: bool = False) -> float:
        """Return the objective alone."""
        return self.objective(worlds, weights, is_prefix=is_prefix)[0]

    def _found(self, world: int, weights: Floats) -> tuple[Ints, int]:
        """Return the most probable values of a world, and how many of them are wrong."""
        known = self._worlds[world]
        answer = exact_map(known.network, weights)
        if answer is None:  # an integer program may take for ever under the odd weights that learners pass through
            answer = cutting_planes(known.network, "walksat", weights=weights)
        assert isinstance(answer, MostProbable)  # the truth keeps all hard rules, so there is a possible world
        return answer.values, int((answer.values != known.truth).sum())


def step_length(mistakes: int, difference: Floats, weights: Floats, most: float) -> float:
    """Return how far MIRA goes along a difference of features, or 1 for the perceptron (``most`` of 0).

    The shortest step after which the truth leads by as much as there were mistakes (Crammer & Singer 2003).

    >>> step_length(2, np.array([1.0, -1.0]), np.zeros(2), most=5.0)
    1.0
    """
    if most == 0.0:
        return 1.0
    norm = float(difference @ difference)
    return max(0.0, min(most, (mistakes - float(weights @ difference)) / norm)) if norm > 0.0 else 0.0


def _refuse(is_prefix: bool) -> None:
    if is_prefix:
        raise TelosError(
            "by='prefix' learns from beliefs along sequences, and this model's hidden atoms form none",
            "learn with by='likelihood' or by='mira'",
        )
