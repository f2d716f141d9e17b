"""Several players at once: each has a reader of her own, and all can be saved and resumed."""

from collections.abc import Mapping
from typing import Any

from telos.core.belief import Belief
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.recognition.model import GoalModel
from telos.recognition.reader import Reader


class Readers:
    """One reader for each player, made when the player is first met; players are kept apart, their model is shared.

    >>> from telos.recognition.iohmm import IOHMM
    >>> readers = Readers(IOHMM(counts={"level": {"swing": 7}}))
    >>> readers.observe(Event("swing", player="ann", time=9)).top
    'level'
    >>> readers.observe(Event("stop", player="bo", time=1)).top, sorted(readers.players)
    ('explore', ['ann', 'bo'])
    """

    def __init__(self, model: GoalModel, *, trace: Trace = silent) -> None:
        self.model, self._trace = model, trace
        self._readers: dict[str, Reader] = {}

    @property
    def players(self) -> tuple[str, ...]:
        """The players met so far, in the order in which they were."""
        return tuple(self._readers)

    def __getitem__(self, player: str) -> Reader:
        reader = self._readers.get(player)
        if reader is None:
            reader = self._readers[player] = Reader(self.model, trace=self._trace)
        return reader

    def observe(self, event: Event) -> Belief:
        """Take in what a player did, and return the new belief about that player."""
        return self[event.player].observe(event)

    def learn(self, event: Event, goal: str) -> None:
        """Teach the model from a player who was known to pursue ``goal``."""
        self[event.player].learn(event, goal)

    def save(self) -> dict[str, Any]:
        """Return what is known about each player as plain data."""
        return {player: reader.save() for player, reader in self._readers.items()}

    @classmethod
    def resume(cls, model: GoalModel, saved: Mapping[str, Any], *, trace: Trace = silent) -> "Readers":
        """Return readers that go on exactly where the saved ones stopped."""
        readers = cls(model, trace=trace)
        readers._readers = {player: Reader.resume(model, each, trace=trace) for player, each in saved.items()}
        return readers
