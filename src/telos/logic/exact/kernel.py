"""Inner loops on sequences: Viterbi, the forward filter and forward-backward.

Plain Python, compiled by Numba through ``telos.core.kernels``; the tests compare both forms. Sequence s has the
positions ``start[s]`` to before ``start[s + 1]``; ``tables[row[p]]`` scores the step from position p-1 to p.

Probabilities are products scaled at every position. That is safe as long as no possible value has a share below
``FAINT``: three such factors still multiply without underflow. A sequence outside those bounds is computed again in
logarithms, which is slower and has no bounds. Entry points: ``best_paths`` and ``smooth_sequences``.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

FAINT = 1e-100
NEVER = -math.inf

FILTERED, SMOOTHED, COUNTED = 0, 1, 2  # depth: filtering, smoothing, smoothing with counts of steps


def add_rows(scores: Floats, table: Floats, key: Ints) -> None:
    """Add to each row of scores the row of a table that its key selects; -1 selects none."""
    for position in range(len(key)):
        row = key[position]
        if row >= 0:
            for value in range(scores.shape[1]):
                scores[position, value] += table[row, value]


def best_step(best: Floats, table: Floats, unary: Floats, after: Floats, back: Ints) -> None:
    """Find the best predecessor of each next value; of equals, the lowest."""
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
    """Find the best values of each sequence, and their score. ``back`` and ``work`` are buffers."""
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
    """Normalise shares to sum to 1; return their sum before, or a negative number if one is below ``FAINT``."""
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
    """Filter one sequence; return the logarithm of the product of its scales, NaN if a share is too faint."""
    size, total = likely.shape[1], 0.0
    for position in range(first, end):
        for to in range(size):
            probability = 1.0
            if position > first:
                probability = 0.0
                for value in range(size):
                    probability += filtered[position - 1, value] * steps[row[position], value, to]
            filtered[position, to] = probability * likely[position, to]
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
    """Compute the backward messages, which turn filtered probabilities into smoothed ones.

    A value that the past forbids gets 0: otherwise its message could overflow. A message that underflows to 0 does no
    harm, because the probability of everything that leads there is as small.
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
    """Add to each cell of the step tables the probability of the steps that it scores."""
    size = likely.shape[1]
    for position in range(first + 1, end):
        for to in range(size):
            weight = likely[position, to] * future[position, to] / scales[position]
            if weight > 0.0:
                for value in range(size):
                    share = filtered[position - 1, value] * steps[row[position], value, to] * weight
                    mass[row[position], value, to] += share


def smooth_scaled(
    first: int,
    end: int,
    likely: Floats,
    row: Ints,
    steps: Floats,
    filtered: Floats,
    scales: Floats,
    future: Floats,
    probabilities: Floats,
    mass: Floats,
    depth: int,
) -> float:
    """Filter one sequence, then smooth and count steps as ``depth`` demands; NaN if a share is too faint."""
    total = forward(first, end, likely, row, steps, filtered, scales)
    if depth == FILTERED or math.isnan(total) or total == NEVER:
        return total
    backward(first, end, likely, row, steps, filtered, scales, future)
    for position in range(first, end):
        for value in range(likely.shape[1]):
            probabilities[position, value] = filtered[position, value] * future[position, value]
        scale(probabilities[position])  # removes rounding errors; a faint share does no harm here
    if depth == COUNTED:
        count_steps(first, end, likely, row, steps, filtered, scales, future, mass)
    return total


# --- in logarithms ----------------------------------------------------------------------------------------------------


def subtract_peak(logs: Floats) -> float:
    """Subtract the largest of some logarithms from all of them, and return it; do nothing if it is -inf."""
    peak = NEVER
    for each in range(len(logs)):
        peak = max(peak, logs[each])
    if peak > NEVER:
        for each in range(len(logs)):
            logs[each] -= peak
    return peak


def normalize_exp(logs: Floats, shares: Floats) -> float:
    """Turn logarithms with maximum 0 into shares that sum to 1; return the logarithm of their sum before."""
    total = 0.0
    for each in range(len(logs)):
        shares[each] = math.exp(logs[each])
        total += shares[each]
    for each in range(len(logs)):
        shares[each] /= total
    return math.log(total)


def log_sum(logs: Floats) -> float:
    """Return the log-sum-exp. The input is overwritten."""
    peak = subtract_peak(logs)
    if peak == NEVER:
        return NEVER
    total = 0.0
    for each in range(len(logs)):
        total += math.exp(logs[each])
    return peak + math.log(total)


def forward_logs(first: int, end: int, unary: Floats, row: Ints, tables: Floats, past: Floats, work: Floats) -> float:
    """Write the logarithms of filtered probabilities, with maximum 0, to ``past``; return log Z."""
    size, total = unary.shape[1], 0.0
    for position in range(first, end):
        for to in range(size):
            past[position, to] = unary[position, to]
            if position > first:
                for value in range(size):
                    work[value] = past[position - 1, value] + tables[row[position], value, to]
                past[position, to] += log_sum(work)
        peak = subtract_peak(past[position])
        if peak == NEVER:
            return NEVER
        total += peak
    for value in range(size):
        work[value] = past[end - 1, value]
    return total + log_sum(work)


def backward_logs(first: int, end: int, unary: Floats, row: Ints, tables: Floats, future: Floats, work: Floats) -> None:
    """Write the logarithms of the backward messages, with maximum 0, to ``future``."""
    size = unary.shape[1]
    future[end - 1] = 0.0
    for position in range(end - 1, first, -1):
        for value in range(size):
            for to in range(size):
                work[to] = tables[row[position], value, to] + unary[position, to] + future[position, to]
            future[position - 1, value] = log_sum(work)
        subtract_peak(future[position - 1])


def count_steps_logs(
    first: int, end: int, unary: Floats, row: Ints, tables: Floats, past: Floats, future: Floats, mass: Floats
) -> None:
    """Add to each cell of the step tables the probability of the steps that it scores."""
    size = unary.shape[1]
    for position in range(first + 1, end):
        table = tables[row[position]]
        peak, total = NEVER, 0.0
        for value in range(size):
            for to in range(size):
                log = past[position - 1, value] + table[value, to] + unary[position, to] + future[position, to]
                peak = max(peak, log)
        for value in range(size):
            for to in range(size):
                log = past[position - 1, value] + table[value, to] + unary[position, to] + future[position, to]
                total += math.exp(log - peak)
        for value in range(size):
            for to in range(size):
                log = past[position - 1, value] + table[value, to] + unary[position, to] + future[position, to]
                mass[row[position], value, to] += math.exp(log - peak) / total


def smooth_logs(
    first: int,
    end: int,
    unary: Floats,
    row: Ints,
    tables: Floats,
    filtered: Floats,
    future: Floats,
    probabilities: Floats,
    mass: Floats,
    work: Floats,
    depth: int,
) -> float:
    """Do the same as ``smooth_scaled``, for scores of any size."""
    total = forward_logs(first, end, unary, row, tables, filtered, work)
    if total > NEVER and depth > FILTERED:
        backward_logs(first, end, unary, row, tables, future, work)
        if depth == COUNTED:
            count_steps_logs(first, end, unary, row, tables, filtered, future, mass)
        for position in range(first, end):
            for value in range(unary.shape[1]):
                work[value] = filtered[position, value] + future[position, value]
            subtract_peak(work)
            normalize_exp(work, probabilities[position])
    if total > NEVER:
        for position in range(first, end):
            normalize_exp(filtered[position], filtered[position])
    return total


def smooth_sequences(
    unary: Floats,
    likely: Floats,
    peaks: Floats,
    row: Ints,
    tables: Floats,
    steps: Floats,
    step_peaks: Floats,
    is_faint: bool,
    start: Ints,
    filtered: Floats,
    scales: Floats,
    future: Floats,
    probabilities: Floats,
    mass: Floats,
    work: Floats,
    depth: int,
    logs: Floats,
) -> None:
    """Filter or smooth all sequences; write log Z of each to ``logs``.

    ``likely`` and ``steps`` are the exponentials of ``unary`` and ``tables``, divided by their ``peaks``.
    """
    for sequence in range(len(start) - 1):
        first, end = start[sequence], start[sequence + 1]
        total = math.nan
        if not is_faint:
            total = smooth_scaled(first, end, likely, row, steps, filtered, scales, future, probabilities, mass, depth)
            for position in range(first, end):
                total += peaks[position]
                if position > first:
                    total += step_peaks[row[position]]
        if math.isnan(total):
            total = smooth_logs(first, end, unary, row, tables, filtered, future, probabilities, mass, work, depth)
        logs[sequence] = total
