"""Array loops over the rows of a batch, player by player: which events count, and what is carried over to these.

``order`` lists the rows of the batch, player by player, those of player p from ``offsets[p]`` to before
``offsets[p + 1]``; ``slots`` are the places of the players in the arrays of what is remembered between batches. Plain
Python that Numba compiles; both give the same numbers.
"""

from typing import Any, TypeAlias

Ints: TypeAlias = Any
Floats: TypeAlias = Any


def sort_rows(groups: Ints, offsets: Ints, order: Ints) -> None:
    """Write the rows by group, in their order within each; ``offsets`` starts as zeros and gets the bounds."""
    for row in range(len(groups)):
        offsets[groups[row] + 1] += 1
    for group in range(1, len(offsets)):
        offsets[group] += offsets[group - 1]
    for row in range(len(groups)):
        group = groups[row]
        order[offsets[group]] = row
        offsets[group] += 1
    for group in range(len(offsets) - 1, 0, -1):
        offsets[group] = offsets[group - 1]
    offsets[0] = 0


def find_disorder(times: Floats, order: Ints, offsets: Ints, slots: Ints, last: Floats) -> int:
    """Return the first place in ``order`` whose time runs backwards, or -1; ``last`` gets the latest times."""
    for player in range(len(slots)):
        before = last[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            now = times[order[place]]
            if now < before:
                return place
            before = now
        last[slots[player]] = before
    return -1


def find_counted(
    may_count: Ints,
    is_tick: Ints,
    times: Floats,
    every: float,
    order: Ints,
    offsets: Ints,
    slots: Ints,
    counted: Floats,
) -> None:
    """Clear ``may_count`` where a tick comes too soon after the last event that counted."""
    for player in range(len(slots)):
        last = counted[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            row = order[place]
            if may_count[row] != 0:
                if is_tick[row] != 0 and times[row] - last < every:
                    may_count[row] = 0
                else:
                    last = times[row]
        counted[slots[player]] = last


def carry_flags(flags: Ints, counts: Ints, order: Ints, offsets: Ints, slots: Ints, pending: Ints) -> None:
    """Set the flags of events that count where an event since the last such had them."""
    for player in range(len(slots)):
        kept = pending[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            row = order[place]
            kept = max(kept, flags[row])
            if counts[row] != 0:
                flags[row] = kept
                kept = 0
        pending[slots[player]] = kept


def carry_codes(codes: Ints, counts: Ints, order: Ints, offsets: Ints, slots: Ints, pending: Ints) -> None:
    """Give events that count and have no code (-1) the latest one since the last such event."""
    for player in range(len(slots)):
        kept = pending[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            row = order[place]
            if codes[row] >= 0:
                kept = codes[row]
            if counts[row] != 0:
                codes[row] = kept
                kept = -1
        pending[slots[player]] = kept


def find_previous(codes: Ints, order: Ints, offsets: Ints, slots: Ints, last: Ints, previous: Ints) -> None:
    """Write the code of the event before each; ``last`` has those of earlier batches, and gets the latest."""
    for player in range(len(slots)):
        before = last[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            previous[order[place]] = before
            before = codes[order[place]]
        last[slots[player]] = before


def find_latest(codes: Ints, order: Ints, offsets: Ints, slots: Ints, last: Ints, latest: Ints) -> None:
    """Write the latest code of the events before each; ``last`` has those of earlier batches, and gets the latest."""
    for player in range(len(slots)):
        before = last[slots[player]]
        for place in range(offsets[player], offsets[player + 1]):
            latest[order[place]] = before
            if codes[order[place]] >= 0:
                before = codes[order[place]]
        last[slots[player]] = before


WORD = 62  # labels of a set in one number


def collect_sets(codes: Ints, order: Ints, offsets: Ints, sets: Ints, numbers: Ints, final: Ints) -> int:
    """Write for each event the number of the set of codes before it; return how many sets there are.

    A set is a row of ``sets``, one bit for each code. The first rows are the sets of the players at the start of the
    batch, and ``final`` gets the number of the set at its end.
    """
    count = len(final)
    for player in range(len(final)):
        now = player
        for place in range(offsets[player], offsets[player + 1]):
            row = order[place]
            numbers[row] = now
            code = codes[row]
            if code >= 0 and (sets[now, code // WORD] >> (code % WORD)) & 1 == 0:
                for word in range(sets.shape[1]):
                    sets[count, word] = sets[now, word]
                sets[count, code // WORD] |= 1 << (code % WORD)
                now = count
                count += 1
        final[player] = now
    return count
