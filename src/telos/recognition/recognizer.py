"""What every recogniser can do, so that games, studies and services can use any of them."""

from typing import Protocol

from telos.core.belief import Belief
from telos.core.event import Event


class Recognizer(Protocol):
    """Reads one player: event by event, it keeps a belief about the goal that is being pursued."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""

    @property
    def belief(self) -> Belief:
        """The belief now; there is one before the first event, and reading it changes nothing."""

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""

    def reset(self) -> None:
        """Forget the player, and start with the belief before the first event."""


class Learner(Recognizer, Protocol):
    """A recogniser that can be trained while the player's goal is known."""

    def learn(self, event: Event, goal: str) -> None:
        """Take in what a player did who was known to pursue ``goal``; no history is kept."""
