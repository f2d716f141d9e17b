"""Many live players who share a model: ``PlayersInBulk``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.recognition.bulk.arrays import Array, ModelArrays
from telos.recognition.bulk.runner import KernelRunner, check_sequences, initial_beliefs

MIN_PLAYERS_PER_THREAD = 1 << 13  # fewer are not worth a thread


class PlayersInBulk:
    """The beliefs about ``count`` live players who share a model, one row each in ``beliefs``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> players = PlayersInBulk(model, 3, compiled=False)
    >>> players.update([0, 1], players=[2, 0]).tolist()
    [[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]
    """

    def __init__(
        self,
        model: ModelArrays,
        count: int,
        *,
        prior: ArrayLike | None = None,
        threads: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        if count < 1:
            raise TelosError(f"count must be at least 1, got {count}")
        self.model = model
        self.beliefs: Array = initial_beliefs(model, prior, count)
        self.ignored: NDArray[np.int64] = np.zeros(count, np.int64)
        self._products, self._logs = np.ones(count), np.zeros(count)
        self._runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)

    def __len__(self) -> int:
        return len(self.beliefs)

    def __getitem__(self, player: int) -> Belief:
        """Return the belief about one player."""
        return Belief.of(self.model.goals, self.beliefs[player].tolist())

    @property
    def log_likelihoods(self) -> Array:
        """The log-likelihood of each player's events, without ignored ones."""
        return np.asarray(self._logs + np.log(self._products))

    def update(self, symbols: ArrayLike, inputs: ArrayLike | None = None, *, players: ArrayLike | None = None) -> Array:
        """Update with one event per player, or one for each of ``players``; return all beliefs.

        A player listed twice has two events, in that order.
        """
        events = check_sequences(self.model, symbols, inputs)
        named = self._named(players)
        count = len(self) if players is None else len(named)
        if len(events.symbols) != count:
            raise TelosError(f"there must be one symbol for each of {count} players, got {len(events.symbols)}")
        tables = (self.model.transitions.ravel(), self.model.likelihoods.ravel())
        found = (self.beliefs.reshape(-1), self._products, self._logs, self.ignored)

        def work(first: int, end: int) -> None:
            known = (events.symbols, events.inputs, events.stride, named, players is not None, first, end)
            self._runner.call("update_players", *tables, *known, *found, self._runner.room()[1])

        self._runner.blocks(self._bounds(count, is_shared=players is None), work)
        return self.beliefs

    def reset(self, players: ArrayLike | None = None, *, prior: ArrayLike | None = None) -> None:
        """Return some players, or all, to the prior."""
        chosen: Any = slice(None) if players is None else self._named(players)
        count = len(self) if players is None else len(chosen)
        self.beliefs[chosen] = initial_beliefs(self.model, prior, count)
        self._products[chosen], self._logs[chosen], self.ignored[chosen] = 1.0, 0.0, 0

    def _named(self, players: ArrayLike | None) -> NDArray[np.int64]:
        named = np.asarray([] if players is None else players)
        if named.ndim != 1 or (named.size and named.dtype.kind not in "ui"):
            raise TelosError(f"players must be a flat array of indices, got {named.dtype}")
        if named.size and (named.min() < 0 or named.max() >= len(self)):
            worst = named.min() if named.min() < 0 else named.max()
            raise TelosError(f"players have the indices 0 to {len(self) - 1}, got {worst}")
        return np.ascontiguousarray(named, np.int64)

    def _bounds(self, count: int, *, is_shared: bool) -> Sequence[int]:
        """Return the bounds of the parts of threads; listed players are one part, as one may be listed twice."""
        parts = (
            min(self._runner.threads, count // MIN_PLAYERS_PER_THREAD) if is_shared and self._runner.is_compiled else 1
        )
        return [count * part // max(1, parts) for part in range(max(1, parts) + 1)]
