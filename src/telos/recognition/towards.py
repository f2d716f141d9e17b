"""Looks: how likely each outcome is under one goal, as a table or by the way the player should be heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.errors import Fault, FaultCode, TelosError, name_hint
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.recognition.sharing import SHARED, shared_out
from telos.recognition.vocabulary import DIRECTIONS

EDGES = {"north": "up", "east": "right", "south": "down", "west": "left"}

# The weights of the first paper: every outcome starts at 1.
CLOSEST = 4.0  # on top, for the direction of the closest acceptable edge
BESIDE_CLOSEST = 2.0  # for the diagonals beside it
OTHER = 2.0  # for the directions of other acceptable edges
BESIDE_OTHER = 1.0  # for the diagonals beside those


@dataclass(frozen=True, slots=True, init=False)
class Table:
    """Fixed chances: outcomes by name, and what is left is shared by the others equally.

    With ``others=None`` every outcome must be named.

    >>> Table({"swing": 0.5}).chances(["swing", "stop", "walk"])
    (0.5, 0.25, 0.25)
    """

    outcomes: FrozenMap[str, float]
    others: str | None

    def __init__(self, outcomes: Mapping[str, float], others: str | None = SHARED) -> None:
        if others not in (SHARED, None):
            raise TelosError(f"others is {SHARED!r} or None, not {others!r}")
        object.__setattr__(self, "outcomes", FrozenMap(outcomes))
        object.__setattr__(self, "others", others)

    def faults(self, names: Sequence[str]) -> list[Fault]:
        """Return what keeps the table from being one over these outcomes."""
        return shared_out(self.outcomes, names, "outcome", share=self.others == SHARED)[1]

    def chances(self, names: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome."""
        return shared_out(self.outcomes, names, "outcome", share=self.others == SHARED)[0]


@dataclass(frozen=True, slots=True)
class Towards:
    """Heading for the nearest of some edges: ``exits`` names the context entry that lists them, the nearest first.

    Every outcome starts with weight 1, so swings and stops are as likely as a step the wrong way: under every goal
    players fight what stands in their way. Each acceptable edge adds to its direction and to the diagonals beside it.

    >>> look = Towards("unvisited_exits")
    >>> look.weights(["right", "down"], ["stop", "up_right", "right", "down_right", "down", "left"])
    [1.0, 3.0, 5.0, 4.0, 3.0, 1.0]
    """

    exits: str = "unvisited_exits"

    def faults(self, names: Sequence[str]) -> list[Fault]:
        """Return what keeps the look from being one over these outcomes."""
        missing = [direction for direction in DIRECTIONS if direction not in names]
        said = f"towards {self.exits} needs the eight directions as outcomes"
        return [Fault(said, suggestion=f"add {', '.join(missing)}", code=FaultCode.INCOMPLETE)] if missing else []

    def chances(self, names: Sequence[str], edges: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome while these edges are acceptable, the nearest first."""
        for edge in edges:
            if edge not in EDGES:
                raise TelosError(f"unknown edge {edge!r} in {self.exits}", name_hint(str(edge), EDGES))
        weights = self.weights([EDGES[edge] for edge in edges], names)
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def weights(self, acceptable: Sequence[str], names: Sequence[str]) -> list[float]:
        """Return the weight of each outcome while these directions are acceptable, the closest first."""
        weight = dict.fromkeys(names, 1.0)
        for rank, direction in enumerate(acceptable):
            here, beside = (OTHER, BESIDE_OTHER) if rank else (CLOSEST, BESIDE_CLOSEST)
            at = DIRECTIONS.index(direction)
            for name, more in (
                (direction, here),
                (DIRECTIONS[at - 1], beside),
                (DIRECTIONS[(at + 1) % len(DIRECTIONS)], beside),
            ):
                if name in weight:
                    weight[name] += more
        return [weight[name] for name in names]


Look: TypeAlias = Table | Towards


def edges_in(value: Value, entry: str) -> tuple[str, ...]:
    """Return the edges that a context entry lists."""
    if not isinstance(value, tuple):
        raise TelosError(f"context {entry!r} lists edges, as in ('north', 'west'), not {value!r}")
    return value
