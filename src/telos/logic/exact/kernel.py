"""Dynamic programming along sequences: Viterbi, the forward filter, and forward-backward.

This is ordinary Python, and slow; compiled by Numba it is fast, and the tests compare the two. Sequence s takes up the
positions from ``start[s]`` to before ``start[s + 1]``; ``tables[row[p]]`` scores the step from position p-1 to p.

Sums of chances are made of plain products, scaled at every position. That is safe as long as nothing that is possible
has a share below ``FAINT``: three such factors still multiply without underflow. A sequence that leaves those bounds
is done again in logarithms, which is slower and has no bounds.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

FAINT = 1e-100
NEVER = -math.inf

FILTERED, SMOOTHED, COUNTED = 0, 1, 2  # how far to go: the past alone, the future too, and the chances of steps


def add_rows(scores: Floats, table: Floats, key: Ints) -> None:
    """Add to each row of scores the row of a table that its key names; -1 names none."""
    for position in range(len(key)):
        row = key[position]
        if row >= 0:
            for value in range(scores.shape[1]):
                scores[position, value] += table[row, value]


def best_step(best: Floats, table: Floats, unary: Floats, after: Floats, back: Ints) -> None:
    """Find the best way to each next value; among equal ways, that from the lowest value."""
    size = len(best)
    for to in range(size):
        after[to] = best[0] + table[0, to]
        back[to] = 0
    for value in range(1, size):
        for to in range(size):
            score = best[value] + table[value, to]
            if score > after[to]:
                after[to] = score
                back[to] = value
    for to in range(size):
        after[to] += unary[to]


def best_paths(
    unary: Floats, row: Ints, tables: Floats, start: Ints, back: Ints, work: Floats, values: Ints, scores: Floats
) -> None:
    """Find each sequence's best values, and their score. ``back`` and ``work`` are room to work in."""
    for sequence in range(len(start) - 1):
        first, end = start[sequence], start[sequence + 1]
        work[0] = unary[first]
        for position in range(first + 1, end):
            best_step(work[0], tables[row[position]], unary[position], work[1], back[position])
            work[0] = work[1]
        value = 0
        for each in range(1, unary.shape[1]):
            if work[0, each] > work[0, value]:
                value = each
        scores[sequence] = work[0, value]
        for position in range(end - 1, first, -1):
            values[position] = value
            value = back[position, value]
        values[first] = value


def scale(shares: Floats) -> float:
    """Make shares sum to 1; return what they summed to, negative if one of them is too faint to go on."""
    total = 0.0
    for each in range(len(shares)):
        total += shares[each]
    is_faint = False
    if total > 0.0:
        for each in range(len(shares)):
            shares[each] /= total
            if 0.0 < shares[each] < FAINT:
                is_faint = True
    return -1.0 if is_faint else total


def forward(first: int, end: int, likely: Floats, row: Ints, steps: Floats, filtered: Floats, scales: Floats) -> float:
    """Filter one sequence; return the logarithm of its scales' product, NaN if a share is too faint."""
    size, total = likely.shape[1], 0.0
    for position in range(first, end):
        for to in range(size):
            chance = 1.0
            if position > first:
                chance = 0.0
                for value in range(size):
                    chance += filtered[position - 1, value] * steps[row[position], value, to]
            filtered[position, to] = chance * likely[position, to]
        scales[position] = scale(filtered[position])
        if scales[position] < 0.0:
            return math.nan
        if scales[position] == 0.0:
            return NEVER
        total += math.log(scales[position])
    return total


def backward(
    first: int, end: int, likely: Floats, row: Ints, steps: Floats, filtered: Floats, scales: Floats, future: Floats
) -> None:
    """Weigh each value by what follows it, so that its filtered chance becomes its smoothed one.

    A value that the past forbids has no future: otherwise its weight could grow beyond all bounds. A weight that falls
    to 0 does no harm, because the chance of everything that leads there is as small.
    """
    size = likely.shape[1]
    future[end - 1] = 1.0
    for position in range(end - 1, first, -1):
        for value in range(size):
            weight = 0.0
            if filtered[position - 1, value] > 0.0:
                for to in range(size):
                    weight += steps[row[position], value, to] * likely[position, to] * future[position, to]
                weight /= scales[position]
            future[position - 1, value] = weight


def count_steps(
    first: int,
    end: int,
    likely: Floats,
    row: Ints,
    steps: Floats,
    filtered: Floats,
    scales: Floats,
    future: Floats,
    mass: Floats,
) -> None:
    """Add to the mass of each table's cells the chance of each step that it scores."""
    size = likely.shape[1]
    for position in range(first + 1, end):
        for to in range(size):
            weight = likely[position, to] * future[position, to] / scales[position]
            if weight > 0.0:
                for value in range(size):
                    share = filtered[position - 1, value] * steps[row[position], value, to] * weight
                    mass[row[position], value, to] += share


def smooth_plainly(
    first: int,
    end: int,
    likely: Floats,
    row: Ints,
    steps: Floats,
    filtered: Floats,
    scales: Floats,
    future: Floats,
    chances: Floats,
    mass: Floats,
    depth: int,
) -> float:
    """Filter one sequence, and smooth it and count its steps as far as ``depth`` says; NaN if a share is too faint."""
    total = forward(first, end, likely, row, steps, filtered, scales)
    if depth == FILTERED or math.isnan(total) or total == NEVER:
        return total
    backward(first, end, likely, row, steps, filtered, scales, future)
    for position in range(first, end):
        for value in range(likely.shape[1]):
            chances[position, value] = filtered[position, value] * future[position, value]
        scale(chances[position])  # takes off the rounding; here a faint share does no harm
    if depth == COUNTED:
        count_steps(first, end, likely, row, steps, filtered, scales, future, mass)
    return total
