"""What models read of a player's past: the goals achieved before, and entries of earlier steps, over batches."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from telos.recognition.bulk.columns import DONE, LAST, NO_LABEL, Column, ColumnNeeds, EventColumns, lagged
from telos.recognition.bulk.rows import WORD
from telos.telemetry.bulk.batches import ACHIEVED, Labels
from telos.telemetry.bulk.players import Field, OpenPlayers, RowGroups, loops

Codes = NDArray[np.int32]
_LAG = "lag "  # before the name of an entry


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
