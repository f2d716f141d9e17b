"""Smoothing in bulk: from filtered beliefs back to the first event, and the best path of goals.

Written, compiled and called as ``kernel`` is; see there.
"""

import math

from telos.recognition.kernel import GOALS, NEXT, SEATS, TINY, Floats, Ints, alight, board, predict, shortest


def look_back(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> float:
    """Judge the belief before an event again, from the smoothed belief after it.

    Of the chance that a goal now has, each goal before gets the share that it had in bringing it about. So neither
    likelihoods nor what was ignored are looked at again: they are in the filtered beliefs. Returns the least chance
    that was predicted for a goal; if that is not above TINY, nothing was done.
    """
    after, before = event * GOALS, event * GOALS - GOALS
    least, total = 1.0, 0.0
    for goal in range(GOALS):
        scratch[goal] = predict(beliefs, before, transitions, matrix, goal)
        least = min(least, scratch[goal])
    for goal in range(GOALS):
        scratch[goal] = beliefs[after + goal] / max(scratch[goal], TINY)
    for goal in range(GOALS):
        share = transitions[matrix + goal * GOALS] * scratch[0]
        for to in range(1, GOALS):
            share += transitions[matrix + goal * GOALS + to] * scratch[to]
        scratch[GOALS + goal] = beliefs[before + goal] * share
        total += scratch[GOALS + goal]
    if least > TINY:
        rest = 1.0 / total  # next to 1, so a product is as good as a quotient, and quicker
        for goal in range(GOALS):
            beliefs[before + goal] = scratch[GOALS + goal] * rest
    return least


def look_back_faintly(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> None:
    """Do the same where a goal was next to impossible: shares are divided first, so that nothing grows too large."""
    after, before = event * GOALS, event * GOALS - GOALS
    total = 0.0
    for goal in range(GOALS):
        scratch[GOALS + goal] = 0.0
        for to in range(GOALS):
            if beliefs[after + to] > 0.0:
                brought = beliefs[before + goal] * transitions[matrix + goal * GOALS + to]
                predicted = predict(beliefs, before, transitions, matrix, to)
                scratch[GOALS + goal] += brought / predicted * beliefs[after + to]
        total += scratch[GOALS + goal]
    for goal in range(GOALS):
        beliefs[before + goal] = scratch[GOALS + goal] / total


def smooth_players(
    transitions: Floats,
    inputs: Ints,
    stride: int,
    offsets: Ints,
    first: int,
    end: int,
    beliefs: Floats,
    seats: Ints,
    scratch: Floats,
) -> None:
    """Turn filtered beliefs into smoothed ones, in place, for the players from ``first`` to before ``end``."""
    seats[NEXT] = first
    taken = board(seats, 0, end, offsets)
    while taken > 0:
        run = shortest(seats, taken, offsets)
        for k in range(run):
            for seat in range(taken):
                start = offsets[seats[seat]]
                event = start + offsets[seats[seat] + 1] - 1 - seats[SEATS + seat] - k  # from the last to the first
                if event > start:
                    matrix = inputs[event * stride] * (GOALS * GOALS)
                    least = look_back(beliefs, event, transitions, matrix, scratch)
                    if least <= TINY:
                        look_back_faintly(beliefs, event, transitions, matrix, scratch)
        taken = board(seats, alight(seats, taken, run, offsets), end, offsets)


def extend(
    scores: Floats,
    mine: int,
    moves: Floats,
    matrix: int,
    sights: Floats,
    row: int,
    came_from: Ints,
    place: int,
    scratch: Floats,
) -> float:
    """Make the best paths to each goal one event longer; return the score of the best one.

    Scores are logarithms, and that of the best path is taken off all: after millions of events they would else have
    no digits left to tell paths apart.
    """
    top = -math.inf
    for goal in range(GOALS):
        best, by = scores[mine] + moves[matrix + goal], 0
        for before in range(1, GOALS):
            score = scores[mine + before] + moves[matrix + before * GOALS + goal]
            if score > best:
                best, by = score, before
        came_from[place + goal] = by
        scratch[goal] = best
        top = max(top, best + sights[row + goal])
    is_allowed = top > -math.inf
    if not is_allowed:  # no goal allows what was seen: it is ignored
        for goal in range(GOALS):
            top = max(top, scratch[goal])
    for goal in range(GOALS):
        scores[mine + goal] = scratch[goal] + (sights[row + goal] if is_allowed else 0.0) - top
    return top


def trace_back(scores: Floats, mine: int, came_from: Ints, start: int, end: int, skip: int, path: Ints) -> None:
    """Write down the best path from ``start`` to before ``end``; ``came_from`` begins with event ``skip``."""
    goal = 0
    for other in range(1, GOALS):
        if scores[mine + other] > scores[mine + goal]:
            goal = other
    for event in range(end - 1, start - 1, -1):
        path[event] = goal
        goal = came_from[(event - skip) * GOALS + goal]


def explain_players(
    moves: Floats,
    sights: Floats,
    symbols: Ints,
    inputs: Ints,
    stride: int,
    offsets: Ints,
    first: int,
    end: int,
    scores: Floats,
    totals: Floats,
    came_from: Ints,
    path: Ints,
    seats: Ints,
    scratch: Floats,
) -> None:
    """Find the best path of goals of the players from ``first`` to before ``end`` (Viterbi), and its log-likelihood.

    ``moves`` and ``sights`` are the logarithms of transitions and likelihoods, ``scores`` begins as that of the prior.
    """
    seats[NEXT] = first
    skip = offsets[first]
    taken = board(seats, 0, end, offsets)
    while taken > 0:
        run = shortest(seats, taken, offsets)
        for k in range(run):
            for seat in range(taken):
                player, event = seats[seat], seats[SEATS + seat] + k
                matrix, row = inputs[event * stride] * (GOALS * GOALS), symbols[event] * GOALS
                place = (event - skip) * GOALS
                top = extend(scores, player * GOALS, moves, matrix, sights, row, came_from, place, scratch)
                totals[player] += top
        taken = board(seats, alight(seats, taken, run, offsets), end, offsets)
    for player in range(first, end):
        trace_back(scores, player * GOALS, came_from, offsets[player], offsets[player + 1], skip, path)
