"""What every goal model says about an event: how goals change before it, and how likely each goal makes it.

Everything but the player's mind is known to the game. So whatever a model depends on (monsters near, a chest just
taken, which way the town is) is settled by the event's context, and what is left is one matrix and one vector: the same
small sum for hand-written models and trained ones.
"""

from typing import NamedTuple, Protocol, TypeAlias

from telos.core.event import Event

Matrix: TypeAlias = tuple[tuple[float, ...], ...]  # row i, column j: the chance that goal i is followed by goal j


class Evidence(NamedTuple):
    """What one event says about the goals, given what the game knew."""

    transition: Matrix
    likelihood: tuple[float, ...]  # the chance of what was seen under each goal
    seen: str  # what was seen, as the model calls it: "swing_still", "approach_town"


class GoalModel(Protocol):
    """A model of how players with a goal behave. It holds no belief, so any number of players may share it."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals, in the order of every vector and matrix."""

    @property
    def prior(self) -> tuple[float, ...]:
        """The chance of each goal before anything was seen."""

    def evidence(self, event: Event) -> Evidence | None:
        """Return what an event says; None if the model's clock does not count it.

        An action or a context that the model does not know raises a ``TelosError`` that names it.
        """
