"""Which events of a batch count, and their evidence as indices: ``BatchEncoder``, an event gate for columns.

What `telos.recognition.EventGate` does for one event of one player is done here for all events of a batch: the clock
decides which count, and what the others reported is added to the next that does. What models read of the past is added,
too: the goals achieved before (``PastGoals``), and entries of earlier steps (``EarlierSteps``).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.bulk.columns import DONE, LAST, NO_LABEL, STEPS, Column, ColumnNeeds, EventColumns, lagged
from telos.recognition.bulk.encoders import ColumnEncoder, EncodedEvidence
from telos.recognition.bulk.rows import WORD
from telos.recognition.filtering import INPUT, TICK, TIME_TOLERANCE
from telos.telemetry.bulk.batches import ACHIEVED, TIME, BatchColumns, Labels, check_frame
from telos.telemetry.bulk.players import Field, OpenPlayers, RowGroups, check_times, group_rows, loops
from telos.telemetry.tables import pl

Codes: TypeAlias = NDArray[np.int32]
UPDATES = "updates"
_LAG = "lag "  # before the name of an entry
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


# --- what models read of a player's past ---


class PastGoals:
    """The columns of the goals achieved before each event: all of them (`DONE`), and the last one (`LAST`).

    Where the log states them itself, these are used.
    """

    def __init__(self, needs: ColumnNeeds, labels: Mapping[str, Labels]) -> None:
        self._achieved = labels[ACHIEVED]
        self._done, self._last = (labels.get(name, Labels()) for name in (DONE, LAST))
        self._sets = Labels()  # of achieved goals, sorted
        self.fields = {
            "achieved": Field(NO_LABEL, "i4", labels=self._sets),
            "last": Field(NO_LABEL, "i4", labels=self._achieved),
        }
        self._needs = needs

    def add(
        self, events: EventColumns, groups: RowGroups, slots: NDArray[np.int64], players: OpenPlayers
    ) -> EventColumns:
        """Return the events with the columns; the state of the players is updated."""
        codes = events[ACHIEVED].values
        last = np.empty(events.size, np.int32)
        loops().find_latest(codes, groups.order, groups.offsets, slots, players["last"], last)
        done = self._find_done(codes, groups, slots, players["achieved"])
        found = {
            DONE: _or_else(events, DONE, self._done, done, self._sets),
            LAST: _or_else(events, LAST, self._last, last, self._achieved),
        }
        return EventColumns(events.size, {**events.columns, **found})

    def _find_done(self, codes: Codes, groups: RowGroups, slots: NDArray[np.int64], state: Codes) -> Codes:
        """Return the code of the set of achieved goals before each row."""
        words = max(1, -(-len(self._achieved.values) // WORD))
        before, players = state[slots], len(slots)
        sets = np.zeros((players + int((codes >= 0).sum()), words), np.int64)
        for code in np.unique(before[before >= 0]):
            sets[:players][before == code] = self._bits(self._sets.values[code], words)
        numbers, final = np.empty(len(codes), np.int64), np.empty(players, np.int64)
        count = loops().collect_sets(codes, groups.order, groups.offsets, sets, numbers, final)
        distinct, back = np.unique(sets[:count], axis=0, return_inverse=True)
        known = np.array([self._sets.code(self._goals(row)) for row in distinct], np.int32)[back.reshape(-1)]
        state[slots] = known[final]
        found: Codes = known[numbers]
        return found

    def _bits(self, goals: tuple[str, ...], words: int) -> NDArray[np.int64]:
        bits = np.zeros(words, np.int64)
        for goal in goals:
            code = self._achieved.code(goal)
            bits[code // WORD] |= 1 << (code % WORD)
        return bits

    def _goals(self, bits: NDArray[np.int64]) -> tuple[str, ...] | None:
        codes = [word * WORD + bit for word in range(len(bits)) for bit in range(WORD) if int(bits[word]) >> bit & 1]
        return tuple(sorted(str(self._achieved.values[code]) for code in codes)) or None


def _or_else(events: EventColumns, name: str, labels: Labels, codes: Codes, known: Labels) -> Column:
    """Return an entry of the log, with what is known where it states nothing."""
    own = np.array([*(labels.code(value) for value in known.values), NO_LABEL], np.int32)[codes]
    if name in events.columns:
        stated = events[name].values
        says_something = np.array([*(value != () for value in labels.values), False])[stated]
        own = np.where(says_something, stated, own)
    return Column(own, labels.values)


class EarlierSteps:
    """The columns of entries at earlier events that counted; those of earlier batches are remembered."""

    def __init__(self, needs: ColumnNeeds, labels: Mapping[str, Labels]) -> None:
        self._lags = dict(needs.lags)
        self.fields = {
            _LAG + name: Field(NO_LABEL, "i4", tuple(map(str, range(1, max(backs) + 1))), labels[name])
            for name, backs in self._lags.items()
        }

    def add(
        self, events: EventColumns, offsets: NDArray[np.int64], slots: NDArray[np.int64], players: OpenPlayers
    ) -> EventColumns:
        """Return the events (player by player) with the columns; the state of the players is updated."""
        found = dict(events.columns)
        for name, backs in self._lags.items():
            codes, state = events[name].values, players[_LAG + name]
            before = state[slots]
            for back in backs:
                found[lagged(name, back)] = Column(_shifted(codes, back, offsets, before), events[name].labels)
            state[slots] = _window(codes, offsets, before)
        return EventColumns(events.size, found)


def _shifted(codes: Codes, back: int, offsets: NDArray[np.int64], before: Codes) -> Codes:
    """Return the code so many rows before each; ``before`` has those before the first row, the latest first."""
    found = np.empty_like(codes)
    found[back:] = codes[: len(codes) - back]
    for place in range(back):
        rows = offsets[:-1] + place
        has_row = rows < offsets[1:]
        found[rows[has_row]] = before[has_row, back - place - 1]
    return found


def _window(codes: Codes, offsets: NDArray[np.int64], before: Codes) -> Codes:
    """Return the last codes of each player, the latest first."""
    lengths, found = np.diff(offsets), np.empty_like(before)
    for place in range(before.shape[1]):
        is_here = lengths > place
        found[is_here, place] = codes[offsets[1:][is_here] - 1 - place]
        rest = np.flatnonzero(~is_here)
        found[rest, place] = before[rest, place - lengths[rest]]
    return found
