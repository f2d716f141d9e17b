"""What is remembered of each player between batches: ``OpenPlayers``, flat arrays that are a table when they are saved.

``group_rows`` finds the sequences of a batch: what one player did in one session.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.errors import TelosError
from telos.recognition.bulk import rows as row_loops
from telos.telemetry.bulk.batches import PLAYER, SESSION, TIME, Labels
from telos.telemetry.tables import pl

KEYS = [PLAYER, SESSION]


def loops() -> Any:
    """Return the array loops over rows, compiled if Numba is installed."""
    return kernels.kernel(row_loops)


class RowGroups(NamedTuple):
    """The rows of a batch by sequence: ``order[offsets[p] : offsets[p + 1]]`` are those of sequence p of ``keys``."""

    keys: pl.DataFrame
    order: NDArray[np.int64]
    offsets: NDArray[np.int64]
    is_sorted: bool  # whether the rows of each sequence stand together


def group_rows(frame: pl.DataFrame) -> RowGroups:
    """Return the sequences of a frame, in the order of their first row."""
    starts = frame.select(
        ((pl.col(PLAYER) != pl.col(PLAYER).shift()) | (pl.col(SESSION) != pl.col(SESSION).shift())).fill_null(True)
    ).to_series()
    runs = frame.select(KEYS).filter(starts)
    keys = runs.unique(maintain_order=True)
    first = np.flatnonzero(starts.to_numpy())
    bounds = np.append(first, frame.height).astype(np.int64)
    if keys.height == runs.height:
        return RowGroups(keys, np.arange(frame.height), bounds, True)
    numbers = runs.join(keys.with_row_index("number"), on=KEYS, how="left", maintain_order="left")["number"]
    groups = np.repeat(numbers.to_numpy().astype(np.int64), np.diff(bounds))
    offsets, order = np.zeros(keys.height + 1, np.int64), np.empty(frame.height, np.int64)
    loops().sort_rows(groups, offsets, order)
    return RowGroups(keys, order, offsets, False)


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to remember, with its initial value; an array has the names of its ``parts``."""

    initial: Any
    kind: str = "f8"
    parts: tuple[str, ...] = ()
    labels: Labels | None = None  # of codes, which are saved as JSON
    draw: Callable[[pl.DataFrame], NDArray[Any]] | None = None  # the initial values of new players, by their keys


class OpenPlayers:
    """The state of each player of a log, one place each; new players get the initial values.

    >>> players = OpenPlayers({"time": Field(-1.0)})
    >>> players.locate(pl.DataFrame({"player": ["ann", "bo"], "session": ["", ""]})).tolist()
    [0, 1]
    >>> players["time"][1] = 7
    >>> players.to_frame().rows()
    [('ann', '', -1.0), ('bo', '', 7.0)]
    """

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._fields = dict(fields)
        self.keys = pl.DataFrame(schema=dict.fromkeys(KEYS, pl.String))
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.empty((0, len(field.parts)) if field.parts else 0, field.kind) for name, field in fields.items()
        }

    def __len__(self) -> int:
        return self.keys.height

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the array of a field, one row for each player (and room for more); change it in place."""
        return self._arrays[name]

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def locate(self, keys: pl.DataFrame) -> NDArray[np.int64]:
        """Return the place of each player and session; new ones are added."""
        known = self.keys.with_row_index("place")
        places = keys.join(known, on=KEYS, how="left", maintain_order="left")["place"].cast(pl.Int64)
        found = places.fill_null(-1).to_numpy().copy()
        fresh = found < 0
        count = int(fresh.sum())
        if count:
            found[fresh] = np.arange(len(self), len(self) + count)
            self._grow(len(self) + count)
            new = keys.filter(pl.Series(fresh))
            for name, field in self._fields.items():
                self._arrays[name][found[fresh]] = field.initial if field.draw is None else field.draw(new)
            self.keys = pl.concat([self.keys, new], rechunk=True)
        return found

    def _grow(self, size: int) -> None:
        for name, array in self._arrays.items():
            if len(array) < size:
                more = np.empty((max(size, 2 * len(array)) - len(array), *array.shape[1:]), array.dtype)
                self._arrays[name] = np.concatenate([array, more])

    def to_frame(self) -> pl.DataFrame:
        """Return the state as a table: the keys, and one column for each field or part of it."""
        columns: list[pl.Series] = []
        for name, field in self._fields.items():
            array = self._arrays[name][: len(self)]
            for column, values in zip(_column_names(name, field), array.T if field.parts else [array], strict=True):
                coded = values if field.labels is None else field.labels.written(values)
                columns.append(pl.Series(column, coded))
        return self.keys.with_columns(columns)

    def restore(self, frame: pl.DataFrame) -> None:
        """Continue from the table that ``to_frame`` returned."""
        wanted = self.to_frame().columns
        if frame.columns != wanted:
            raise TelosError(
                f"a saved state has the columns {', '.join(wanted)}, not {', '.join(frame.columns)}",
                "continue with the model that it was saved with",
            )
        self.keys = frame.select(KEYS)
        for name, field in self._fields.items():
            found = [
                frame[column].to_numpy() if field.labels is None else field.labels.read(frame[column])
                for column in _column_names(name, field)
            ]
            made = np.stack(found, axis=1) if field.parts else found[0]
            self._arrays[name] = np.array(made, field.kind, order="C")


def _column_names(name: str, field: Field) -> list[str]:
    return [f"{name}.{part}" for part in field.parts] if field.parts else [name]


def check_times(frame: pl.DataFrame, groups: RowGroups, slots: NDArray[np.int64], last: NDArray[np.float64]) -> None:
    """Refuse times that run backwards within a sequence; ``last`` gets the latest time of each."""
    times = frame[TIME].to_numpy(writable=True)
    place = loops().find_disorder(times, groups.order, groups.offsets, slots, last)
    if place < 0:
        return
    row = int(groups.order[place])
    player, time = frame[PLAYER][row], float(times[row])
    raise TelosError(f"time runs backwards: an event of {player!r} at {time:g} s", "sort the log by time")
