"""Forward-backward in logarithms, for sequences with shares too faint for plain products, and the entry to both."""

import math

from telos.logic.exact.kernel import COUNTED, FILTERED, NEVER, Floats, Ints, smooth_plainly


def settle(logs: Floats) -> float:
    """Subtract the largest of some logarithms from all of them, and return it; if it is -inf, nothing is done."""
    peak = NEVER
    for each in range(len(logs)):
        peak = max(peak, logs[each])
    if peak > NEVER:
        for each in range(len(logs)):
            logs[each] -= peak
    return peak


def shares_of(logs: Floats, shares: Floats) -> float:
    """Turn logarithms whose largest is 0 into shares that sum to 1; return the logarithm of their sum before."""
    total = 0.0
    for each in range(len(logs)):
        shares[each] = math.exp(logs[each])
        total += shares[each]
    for each in range(len(logs)):
        shares[each] /= total
    return math.log(total)


def log_sum(logs: Floats) -> float:
    """Return the logarithm of the sum of what logarithms stand for. They are changed."""
    peak = settle(logs)
    if peak == NEVER:
        return NEVER
    total = 0.0
    for each in range(len(logs)):
        total += math.exp(logs[each])
    return peak + math.log(total)


def forward_logs(first: int, end: int, unary: Floats, row: Ints, tables: Floats, past: Floats, work: Floats) -> float:
    """Put the logarithms of the filtered chances, the largest 0, into ``past``; return the logarithm of the sum."""
    size, total = unary.shape[1], 0.0
    for position in range(first, end):
        for to in range(size):
            past[position, to] = unary[position, to]
            if position > first:
                for value in range(size):
                    work[value] = past[position - 1, value] + tables[row[position], value, to]
                past[position, to] += log_sum(work)
        peak = settle(past[position])
        if peak == NEVER:
            return NEVER
        total += peak
    for value in range(size):
        work[value] = past[end - 1, value]
    return total + log_sum(work)


def backward_logs(first: int, end: int, unary: Floats, row: Ints, tables: Floats, future: Floats, work: Floats) -> None:
    """Put the logarithms of what follows each value, the largest 0, into ``future``."""
    size = unary.shape[1]
    future[end - 1] = 0.0
    for position in range(end - 1, first, -1):
        for value in range(size):
            for to in range(size):
                work[to] = tables[row[position], value, to] + unary[position, to] + future[position, to]
            future[position - 1, value] = log_sum(work)
        settle(future[position - 1])


def count_steps_logs(
    first: int, end: int, unary: Floats, row: Ints, tables: Floats, past: Floats, future: Floats, mass: Floats
) -> None:
    """Add to the mass of each table's cells the chance of each step that it scores."""
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


def smooth_in_logs(
    first: int,
    end: int,
    unary: Floats,
    row: Ints,
    tables: Floats,
    filtered: Floats,
    future: Floats,
    chances: Floats,
    mass: Floats,
    work: Floats,
    depth: int,
) -> float:
    """Do what ``smooth_plainly`` does, for scores of any size."""
    total = forward_logs(first, end, unary, row, tables, filtered, work)
    if total > NEVER and depth > FILTERED:
        backward_logs(first, end, unary, row, tables, future, work)
        if depth == COUNTED:
            count_steps_logs(first, end, unary, row, tables, filtered, future, mass)
        for position in range(first, end):
            for value in range(unary.shape[1]):
                work[value] = filtered[position, value] + future[position, value]
            settle(work)
            shares_of(work, chances[position])
    if total > NEVER:
        for position in range(first, end):
            shares_of(filtered[position], filtered[position])
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
    chances: Floats,
    mass: Floats,
    work: Floats,
    depth: int,
    logs: Floats,
) -> None:
    """Filter or smooth all sequences; ``logs`` gets the logarithm of the sum over the worlds of each.

    ``likely`` and ``steps`` are ``unary`` and ``tables`` out of logarithms, divided by their ``peaks``.
    """
    for sequence in range(len(start) - 1):
        first, end = start[sequence], start[sequence + 1]
        total = math.nan
        if not is_faint:
            total = smooth_plainly(first, end, likely, row, steps, filtered, scales, future, chances, mass, depth)
            for position in range(first, end):
                total += peaks[position]
                if position > first:
                    total += step_peaks[row[position]]
        if math.isnan(total):
            total = smooth_in_logs(first, end, unary, row, tables, filtered, future, chances, mass, work, depth)
        logs[sequence] = total
