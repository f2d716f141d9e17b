"""Array loops of Markov logic in bulk: the belief after each row, from the scores of the rules. Compiled by Numba."""

import math
from typing import Any, TypeAlias

Ints: TypeAlias = Any
Floats: TypeAlias = Any

MIN_TOTAL = 1e-200  # as in ``telos.logic.online``: below this a step is computed again in logarithms
MIN_LOG = -1e300  # a logarithm below this stands for something forbidden


def add_tables(scores: Floats, tables: Floats, numbers: Ints) -> None:
    """Add to each row the table of its number."""
    for row in range(len(numbers)):
        for goal in range(scores.shape[1]):
            scores[row, goal] += tables[numbers[row], goal]


def predict(matrices: Floats, matrix: int, chances: Floats, player: int, past: Floats) -> None:
    """Write the belief after the matrix, up to a factor; without a matrix the past says nothing."""
    size = len(past)
    for to in range(size):
        past[to] = 1.0
    if matrix < 0:
        return
    for to in range(size):
        total = 0.0
        for goal in range(size):
            total += chances[player, goal] * matrices[matrix, goal, to]
        past[to] = total


def step_in_logs(
    logs: Floats, matrix: int, scores: Floats, row: int, chances: Floats, player: int, past: Floats
) -> bool:
    """Update a belief in logarithms; return whether the rules allow any value, or else change nothing."""
    size = len(past)
    top = -math.inf
    for to in range(size):
        total = 0.0
        if matrix >= 0:
            peak = -math.inf
            for goal in range(size):
                if chances[player, goal] > 0.0:
                    peak = max(peak, math.log(chances[player, goal]) + logs[matrix, goal, to])
            if peak > -math.inf:
                for goal in range(size):
                    if chances[player, goal] > 0.0:
                        total += math.exp(math.log(chances[player, goal]) + logs[matrix, goal, to] - peak)
                total = peak + math.log(total)
            else:
                total = peak
        past[to] = total + scores[row, to]
        top = max(top, past[to])
    if top < MIN_LOG:
        return False
    total = 0.0
    for to in range(size):
        past[to] = math.exp(past[to] - top)
        total += past[to]
    for to in range(size):
        chances[player, to] = past[to] / total
    return True


def filter_logic(
    matrices: Floats,
    logs: Floats,
    weights: Floats,
    scores: Floats,
    inputs: Ints,
    offsets: Ints,
    chances: Floats,
    history: Floats,
    passed: Ints,
) -> None:
    """Write the belief after each row; ``chances`` are those before the first row of each player, and are updated.

    ``matrices`` and ``weights`` are the scaled exponentials of ``logs`` and ``scores``. A row whose rules forbid every
    value is passed over, and marked in ``passed``.
    """
    size = chances.shape[1]
    past = chances[0:1, :].copy().reshape(-1) if len(chances) > 0 else chances.copy().reshape(-1)
    for player in range(len(chances)):
        for row in range(offsets[player], offsets[player + 1]):
            predict(matrices, inputs[row], chances, player, past)
            total = 0.0
            for goal in range(size):
                past[goal] *= weights[row, goal]
                total += past[goal]
            if total > MIN_TOTAL:
                for goal in range(size):
                    chances[player, goal] = past[goal] / total
            elif not step_in_logs(logs, inputs[row], scores, row, chances, player, past):
                passed[row] = 1
            for goal in range(size):
                history[row, goal] = chances[player, goal]


def log_predicted(logs: Floats, matrix: int, history: Floats, row: int, to: int) -> float:
    """Return the logarithm of the chance of a value after the matrix; the belief before it is that of ``row``."""
    peak, total = -math.inf, 0.0
    for goal in range(history.shape[1]):
        if history[row, goal] > 0.0:
            peak = max(peak, math.log(history[row, goal]) + logs[matrix, goal, to])
    if peak == -math.inf:
        return peak
    for goal in range(history.shape[1]):
        if history[row, goal] > 0.0:
            total += math.exp(math.log(history[row, goal]) + logs[matrix, goal, to] - peak)
    return peak + math.log(total)


def smooth_logic(logs: Floats, inputs: Ints, passed: Ints, offsets: Ints, history: Floats, shares: Floats) -> None:
    """Turn the beliefs after each row into those given all rows of the player, in place.

    The chance of each value is divided among the values before it by their share in its prediction. A row that was
    passed over changes nothing.
    """
    size = history.shape[1]
    for player in range(len(offsets) - 1):
        for row in range(offsets[player + 1] - 1, offsets[player], -1):
            if passed[row] != 0:
                for goal in range(size):
                    history[row - 1, goal] = history[row, goal]
                continue
            matrix = inputs[row]
            if matrix < 0:
                continue
            for goal in range(size):
                shares[goal] = 0.0
            for to in range(size):
                whole = log_predicted(logs, matrix, history, row - 1, to) if history[row, to] > 0.0 else -math.inf
                if whole > -math.inf:
                    for goal in range(size):
                        if history[row - 1, goal] > 0.0:
                            brought = math.log(history[row - 1, goal]) + logs[matrix, goal, to]
                            shares[goal] += history[row, to] * math.exp(brought - whole)
            total = 0.0
            for goal in range(size):
                total += shares[goal]
            for goal in range(size):
                history[row - 1, goal] = shares[goal] / total
