"""Live recognisers on frames: for models that have no columns, and for explanations of single players.

``LiveReader`` has the methods of ``BeliefReader``, and shows one event after the other to one recogniser for each
player and session. ``create_reader`` takes the fast one wherever a model has it.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.bulk.arrays import Array
from telos.recognition.bulk.encoders import column_encoder, is_columnar
from telos.recognition.files.load import context_read, create_recognizer
from telos.recognition.filtering import Reader
from telos.telemetry.bulk.batches import ACHIEVED, ACTION, PLAYER, SESSION, TIME, check_frame
from telos.telemetry.bulk.reading import BeliefReader, beliefs_frame
from telos.telemetry.canonical import context_column
from telos.telemetry.tables import pl

if TYPE_CHECKING:
    from telos.recognition.recognizer import Recognizer

Sequence: TypeAlias = tuple[str, str]  # a player and a session


class FrameReader(Protocol):
    """Reads frames of events: the belief after each row, and whether the row counts."""

    @property
    def goals(self) -> tuple[str, ...]: ...
    @property
    def has_clock(self) -> bool: ...
    def beliefs(self, frame: pl.DataFrame) -> tuple[Array, NDArray[np.uint8]]:
        """Return the belief after each row of a checked frame, and whether the row counts."""


def create_reader(model: Any, *, seed: int = 1) -> FrameReader:
    """Return a reader of frames: in columns if the kind of model has them, else by live recognisers."""
    return BeliefReader(model, seed=seed) if is_columnar(model) else LiveReader(model, seed=seed)


class LiveReader:
    """One recogniser for each player and session, created at its first event."""

    def __init__(self, model: Any, *, seed: int = 1, remembers: int = 1) -> None:
        self.recognizers: dict[Sequence, Recognizer] = {}
        self._model, self._seed, self._remembers = model, seed, max(1, remembers)
        self._entries = tuple(column_encoder(model).needs.context) if is_columnar(model) else tuple(context_read(model))
        first = self._create()
        self.goals = first.goals
        self.has_clock = isinstance(first, Reader)

    def _create(self) -> "Recognizer":
        return create_recognizer(self._model, seed=self._seed + len(self.recognizers), remembers=self._remembers)

    def read(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the belief after each event of a frame, in its order."""
        checked = check_frame(frame)
        return beliefs_frame(checked, self.goals, self.beliefs(checked)[0])

    def beliefs(self, frame: pl.DataFrame) -> tuple[Array, NDArray[np.uint8]]:
        """Return the belief after each row of a checked frame, and whether the row counts."""
        found = np.empty((frame.height, len(self.goals)))
        counts = np.ones(frame.height, np.uint8)
        for number, (session, event) in enumerate(iter_events(frame, self._entries)):
            key = event.player, session
            reader = self.recognizers.get(key)
            if reader is None:
                reader = self.recognizers[key] = self._create()
            before = reader.updates if isinstance(reader, Reader) else -1
            try:
                found[number] = tuple(reader.observe(event).values())
            except TelosError as error:
                raise error.at(_place(frame, number)) from None
            counts[number] = not isinstance(reader, Reader) or reader.updates > before
        return found, counts


def iter_events(frame: pl.DataFrame, entries: Iterable[str]) -> Iterator[tuple[str, Event]]:
    """Yield the session and the event of each row of a checked frame, with some context entries; null is not said."""
    columns = {context_column(name): name for name in entries if context_column(name) in frame.columns}
    for row in frame.iter_rows(named=True):
        said = {name: row[column] for column, name in columns.items() if row[column] is not None}
        context = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
        yield row[SESSION], Event(row[ACTION], context, player=row[PLAYER], time=row[TIME], goal=row.get(ACHIEVED))


def _place(frame: pl.DataFrame, number: int) -> str:
    row = frame["row"][number] if "row" in frame.columns else number
    return f"row {row + 1:,}"
