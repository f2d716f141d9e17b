"""What a search over potentials found."""

from dataclasses import dataclass

from telos.logic.network import Ints


@dataclass(frozen=True, slots=True)
class Solved:
    """A choice of values for the open variables, its score, and a score that none exceeds."""

    world: Ints
    score: float
    bound: float
