"""Events of any goal model as indices into its tables: ``encode``, which asks the model about each event."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.bulk.arrays import Indices, ModelArrays, compact
from telos.recognition.filtering import EventGate
from telos.recognition.recognizer import GoalModel, Matrix


@dataclass(frozen=True, slots=True, eq=False)
class EncodedEvents:
    """Events as indices into the tables of a model.

    The updates of player p are those from ``offsets[p]`` to before ``offsets[p + 1]``; ``rows`` are the indices of
    their events, as not every event counts.
    """

    model: ModelArrays
    symbols: Indices
    inputs: Indices
    offsets: NDArray[np.int64]
    players: tuple[str, ...]
    rows: NDArray[np.int64]


@dataclass(slots=True)
class _Tables:
    """The distinct matrices and likelihoods so far, each with its index."""

    matrices: dict[Matrix, int] = field(default_factory=dict)
    likelihoods: dict[tuple[float, ...], int] = field(default_factory=dict)
    symbols: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    def add(self, matrix: Matrix, likelihood: tuple[float, ...]) -> None:
        self.inputs.append(self.matrices.setdefault(matrix, len(self.matrices)))
        self.symbols.append(self.likelihoods.setdefault(likelihood, len(self.likelihoods)))


def encode(model: GoalModel, events: Iterable[Event]) -> EncodedEvents:
    """Encode events for the kernel: players one after the other, in order of their first event.

    The evidence is that of the model now: encode again after it has learned.
    """
    found = list(events)
    mine: dict[str, list[int]] = {}
    for row, event in enumerate(found):
        mine.setdefault(event.player, []).append(row)
    tables, offsets, rows = _Tables(), [0], list[int]()
    for numbers in mine.values():
        rows += _encode_player(model, found, numbers, tables)
        offsets.append(len(rows))
    return EncodedEvents(
        _model_arrays(model, tables),
        compact(tables.symbols),
        compact(tables.inputs),
        np.array(offsets, np.int64),
        tuple(mine),
        np.array(rows, np.int64),
    )


def _encode_player(model: GoalModel, events: Sequence[Event], rows: Iterable[int], tables: _Tables) -> list[int]:
    """Add one player's events to the tables; return the indices of those that count."""
    gate, last, counted = EventGate(model), float("-inf"), []
    for row in rows:
        event = events[row]
        if event.time < last:
            raise TelosError(
                f"time runs backwards: an event of {event.player!r} at {event.time:g} s after one at {last:g} s",
                "sort the log by time",
            )
        last = event.time
        evidence = gate.evidence(event)
        if evidence is not None:
            tables.add(evidence.transition, evidence.likelihood)
            counted.append(row)
    return counted


def _model_arrays(model: GoalModel, tables: _Tables) -> ModelArrays:
    size = len(model.goals)
    matrices: ArrayLike = list(tables.matrices) or [np.eye(size)]  # no events: the tables must not be empty
    likelihoods: ArrayLike = list(tables.likelihoods) or [[1.0] * size]
    return ModelArrays(model.goals, matrices, likelihoods, model.prior)
