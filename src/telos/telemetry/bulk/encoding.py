"""Which events of a batch count, and their evidence as indices: ``BatchEncoder``, an event gate for columns.

What `telos.recognition.EventGate` does for one event of one player is done here for all events of a batch: the clock
decides which count, and what the others reported is added to the next that does.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.bulk.columns import STEPS, Column, EventColumns
from telos.recognition.bulk.encoders import ColumnEncoder, EncodedEvidence
from telos.recognition.filtering import INPUT, TICK, TIME_TOLERANCE
from telos.telemetry.bulk.batches import ACHIEVED, TIME, BatchColumns, check_frame
from telos.telemetry.bulk.history import EarlierSteps, PastGoals
from telos.telemetry.bulk.players import Field, OpenPlayers, RowGroups, check_times, group_rows, loops
from telos.telemetry.tables import pl

UPDATES = "updates"
_LAST, _COUNTED, _ACHIEVED, _PENDING = "time", "counted", "achieved", "pending."


class EncodedBatch(NamedTuple):
    """A batch with its evidence; ``places`` are the rows that count, player by player, and ``slots`` their players'."""

    groups: RowGroups
    slots: NDArray[np.int64]
    counts: NDArray[np.uint8]  # for each row of the frame, whether it counts
    places: NDArray[np.int64]
    offsets: NDArray[np.int64]  # the bounds of players in ``places``
    evidence: EncodedEvidence


class BatchEncoder:
    """Encodes batch after batch; ``players`` keeps what each player's next events need."""

    def __init__(self, encoder: ColumnEncoder, fields: Mapping[str, Field] | None = None) -> None:
        self.encoder = encoder
        self.needs = encoder.needs
        self._columns = BatchColumns(self.needs)
        self._moments = tuple(name for name in self.needs.moments if self.needs.clock is not None)
        every = None if self.needs.clock is None else self.needs.clock.every
        self._every = 0.0 if every is None else every - TIME_TOLERANCE
        self._past = PastGoals(self.needs, self._columns.labels) if self.needs.past else None
        self._earlier = EarlierSteps(self.needs, self._columns.labels)
        own: dict[str, Field] = {_LAST: Field(-np.inf), UPDATES: Field(0, "i8"), **self._earlier.fields}
        if self._past is not None:
            own |= self._past.fields
        if self.needs.clock is not None:
            own[_COUNTED] = Field(-np.inf)
            own |= {_PENDING + name: Field(0, "u1") for name in self._moments}
            if self.needs.achieved is not None:
                own[_ACHIEVED] = Field(-1, "i4", labels=self._columns.labels[ACHIEVED])
        self.players = OpenPlayers({**own, **(fields or {})})

    def encode(self, frame: pl.DataFrame) -> EncodedBatch:
        """Return the evidence of a frame; row numbers of kernels rest on what is checked here."""
        frame = check_frame(frame)
        events = self._columns.columns(frame)
        groups = group_rows(frame)
        slots = self.players.locate(groups.keys)
        check_times(frame, groups, slots, self.players[_LAST])
        if self._past is not None:
            events = self._past.add(events, groups, slots, self.players)
        counts = self._find_counted(frame, events, groups, slots)
        if self.needs.clock is None:
            pass  # nothing is carried over
        elif not counts.all():
            self._carry(events, groups, slots, counts)
        else:
            self._release(events, groups, slots, counts)
        places, offsets = _counted_places(groups, counts)
        chosen = events if groups.is_sorted and len(places) == events.size else events.take(places)
        chosen = self._earlier.add(chosen, offsets, slots, self.players)
        if self.needs.counts_steps:
            chosen = self._with_steps(chosen, offsets, slots)
        self.players[UPDATES][slots] += np.diff(offsets)
        return EncodedBatch(groups, slots, counts, places, offsets, self.encoder.encode(chosen))

    def _with_steps(self, events: EventColumns, offsets: NDArray[np.int64], slots: NDArray[np.int64]) -> EventColumns:
        first = self.players[UPDATES][slots] - offsets[:-1]
        steps = np.arange(events.size) + np.repeat(first, np.diff(offsets))
        return EventColumns(events.size, {**events.columns, STEPS: Column(steps)})

    def _find_counted(
        self, frame: pl.DataFrame, events: EventColumns, groups: RowGroups, slots: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        clock = self.needs.clock
        if self._past is not None:
            return (events[ACHIEVED].values < 0).astype(np.uint8)
        if clock is None:
            return np.ones(events.size, np.uint8)
        if "cause" not in events.columns:
            return np.full(events.size, clock.counts(INPUT), np.uint8)
        cause = events["cause"]
        counts = _by_label(cause, clock.counts)
        is_tick = _by_label(cause, lambda label: label == TICK)
        times = frame[TIME].to_numpy(writable=True)
        order, offsets = groups.order, groups.offsets
        loops().find_counted(counts, is_tick, times, self._every, order, offsets, slots, self.players[_COUNTED])
        return counts

    def _carry(
        self, events: EventColumns, groups: RowGroups, slots: NDArray[np.int64], counts: NDArray[np.uint8]
    ) -> None:
        """Add what events reported that do not count to the next that does."""
        for name in self._moments:
            flags = self._flags(events[name], name, counts)
            loops().carry_flags(flags, counts, groups.order, groups.offsets, slots, self.players[_PENDING + name])
            if events[name].values.dtype == np.bool_:
                events[name].values[:] = flags
        if _ACHIEVED in self.players:
            codes = events[ACHIEVED].values
            loops().carry_codes(codes, counts, groups.order, groups.offsets, slots, self.players[_ACHIEVED])

    def _release(
        self, events: EventColumns, groups: RowGroups, slots: NDArray[np.int64], counts: NDArray[np.uint8]
    ) -> None:
        """Add what earlier batches carried over, if anything: all events of this one count."""
        pending = [self.players[_PENDING + name][slots].any() for name in self._moments]
        if any(pending) or (_ACHIEVED in self.players and (self.players[_ACHIEVED][slots] >= 0).any()):
            self._carry(events, groups, slots, counts)

    def _flags(self, column: Column, name: str, counts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if column.values.dtype == np.bool_:
            return column.values.astype(np.uint8)
        if column.labels is None:
            flags = column.values != 0
        else:
            flags = column.values >= 0
        if np.any(flags & (counts == 0)):
            raise TelosError(f"moment {name!r} is not true or false, and an event that does not count has it")
        return np.zeros(len(flags), np.uint8)


def _by_label(column: Column, holds: Callable[[str], bool]) -> NDArray[np.uint8]:
    assert column.labels is not None
    known = [holds(label) for label in column.labels]
    found: NDArray[np.uint8] = np.array([*known, False], np.uint8)[column.values]  # the last stands for NO_LABEL, -1
    return found


def _counted_places(groups: RowGroups, counts: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if counts.all():
        return groups.order, groups.offsets
    counted = counts[groups.order] != 0
    sums = np.concatenate([[0], np.cumsum(counted)])
    return groups.order[counted], sums[groups.offsets]
