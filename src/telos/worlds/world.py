"""What every world can do, so that one loop, one study and one screen serve them all."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from telos.core.event import Event


class View(Protocol):
    """What can be seen of a world at one moment: frozen, comparable data."""

    @property
    def time(self) -> float:
        """The moment, in the world's own unit; it never runs backwards."""

    @property
    def players(self) -> Sequence[str]:
        """Who may be commanded."""


class World(Protocol):
    """A game that is moved on one step at a time; ``telos.checks.check_world`` tests the promises."""

    @property
    def events(self) -> Sequence[Event]:
        """What happened in the last step, oldest first; empty after a reset."""

    def reset(self, seed: int) -> None:
        """Start afresh; the seed and the commands fix all that follows."""

    def step(self, commands: Mapping[str, str]) -> None:
        """Move on by one unit of time. Who gets no command carries on; a command that makes no sense is refused with
        a ``TelosError``, and nothing has happened then.
        """

    def view(self) -> View:
        """Return what can be seen now; looking changes nothing."""
