"""The array loops."""

import math
from typing import TypeAlias

# --- kernel -----------------------------------------------------------------------------------------------------------
# The forward algorithm in bulk: many players' sequences through one model, on flat sequences of numbers.
#
# This is ordinary Python, and slow. ``native_kernel`` compiles the very same functions with Numba, one edition for
# each
# number of goals; the two agree to the last bit, and the tests compare them. Everything is flat, lists here and arrays
# there: the belief about player p is ``chances[p * GOALS : (p + 1) * GOALS]``, and the events of p are those from
# ``offsets[p]`` to before ``offsets[p + 1]``. An event is two numbers: which row of likelihoods it has (its symbol),
# and
# which matrix applies before it (its input).
#
# The arithmetic of a step is that of ``forward.step``, in the same order, so the beliefs are those of a live reader.
# Each
# step needs the result of the one before it, and a processor would mostly wait for that; so a few players are seated
# side
# by side, and while one's division is under way the next one's sums are made.


Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]

GOALS = 3  # the compiler is told the number anew for each edition
SLOTS = 8  # players in flight: with fewer the processor waits, with more they do not fit into its window
NEXT_PLAYER = 2 * SLOTS  # where the number of the player who is seated next is kept
SLOT_ARRAY_SIZE = (
    NEXT_PLAYER + 1
)  # how many numbers ``seats`` has: who sits there, their next events, and the next player

MIN_TOTAL = 1e-200  # as in ``forward``: below this a step is computed again with larger numbers
MIN_PRODUCT, MAX_PRODUCT = (
    1e-100,
    1e100,
)  # a product of likelihoods is turned into a logarithm before it leaves these bounds


def fill_slots(seats: Ints, taken: int, end: int, offsets: Ints) -> int:
    """Seat the next players, as far as there are seats and players before the ``end``; return how many are taken."""
    while taken < SLOTS and seats[NEXT_PLAYER] < end:
        player = seats[NEXT_PLAYER]
        seats[NEXT_PLAYER] = player + 1
        if offsets[player] < offsets[player + 1]:
            seats[taken] = player
            seats[SLOTS + taken] = offsets[player]
            taken += 1
    return taken


def shortest_remaining(seats: Ints, taken: int, offsets: Ints) -> int:
    """Return how many events everybody who is seated still has."""
    least = offsets[seats[0] + 1] - seats[SLOTS]
    for seat in range(1, taken):
        least = min(least, offsets[seats[seat] + 1] - seats[SLOTS + seat])
    return least


def advance_slots(seats: Ints, taken: int, run: int, offsets: Ints) -> int:
    """Move everybody on by ``run`` events, and let those leave who have no more; return how many seats are taken."""
    seat = 0
    while seat < taken:
        seats[SLOTS + seat] += run
        if seats[SLOTS + seat] < offsets[seats[seat] + 1]:
            seat += 1
            continue
        taken -= 1
        seats[seat] = seats[taken]
        seats[SLOTS + seat] = seats[SLOTS + taken]  # not moved on yet: this seat is looked at again
    return taken


def predict(chances: Floats, mine: int, transitions: Floats, matrix: int, to: int) -> float:
    """Return the chance of goal ``to`` after goals may have changed."""
    chance = chances[mine] * transitions[matrix + to]
    for goal in range(1, GOALS):
        chance += chances[mine + goal] * transitions[matrix + goal * GOALS + to]
    return chance


def step(
    chances: Floats, mine: int, transitions: Floats, matrix: int, likelihoods: Floats, row: int, scratch: Floats
) -> float:
    """Take a belief over one event; return how likely the event was. If that is not above TINY, nothing was done."""
    total = 0.0
    for goal in range(GOALS):
        weighed = predict(chances, mine, transitions, matrix, goal) * likelihoods[row + goal]
        scratch[goal] = weighed
        total += weighed
    if total > MIN_TOTAL:
        for goal in range(GOALS):
            chances[mine + goal] = scratch[goal] / total
    return total


def rescaled_step(
    chances: Floats, mine: int, transitions: Floats, matrix: int, likelihoods: Floats, row: int, scratch: Floats
) -> float:
    """Take a belief over an event that is next to impossible: made larger first, or ignored if no goal allows it.

    Return how likely it was, 0 if it was ignored.
    """
    peak, whole, total = 0.0, 0.0, 0.0
    for goal in range(GOALS):
        scratch[goal] = predict(chances, mine, transitions, matrix, goal)
        whole += scratch[goal]
        peak = max(peak, likelihoods[row + goal])
    if peak > 0.0:
        for goal in range(GOALS):
            total += scratch[goal] * (likelihoods[row + goal] / peak)
    for goal in range(GOALS):
        if total > 0.0:
            chances[mine + goal] = scratch[goal] * (likelihoods[row + goal] / peak) / total
        else:
            chances[mine + goal] = scratch[goal] / whole
    return max(total * peak, 5e-324) if total > 0.0 else 0.0


def flush_product(likelihood: float, player: int, products: Floats, logs: Floats, ignored: Ints) -> float:
    """Turn a player's product of likelihoods into a logarithm, and return what the product is from now on.

    Logarithms are slow, so likelihoods are multiplied for as long as that goes. What was ignored is only counted.
    """
    if likelihood == 0.0:
        ignored[player] += 1
        return products[player]
    logs[player] += math.log(products[player]) + math.log(likelihood)
    return 1.0


def filter_players(
    transitions: Floats,
    likelihoods: Floats,
    symbols: Ints,
    inputs: Ints,
    stride: int,
    offsets: Ints,
    first: int,
    end: int,
    chances: Floats,
    products: Floats,
    logs: Floats,
    ignored: Ints,
    history: Floats,
    is_kept: bool,
    seats: Ints,
    scratch: Floats,
) -> None:
    """Take the players from ``first`` to before ``end`` through all of their events.

    ``stride`` is 1, or 0 if there is one input for all events. ``history`` gets the belief after each event if
    ``is_kept``.
    """
    seats[NEXT_PLAYER] = first
    taken = fill_slots(seats, 0, end, offsets)
    while taken > 0:
        run = shortest_remaining(seats, taken, offsets)
        for k in range(run):
            for seat in range(taken):
                player, event = seats[seat], seats[SLOTS + seat] + k
                mine = player * GOALS
                matrix, row = inputs[event * stride] * (GOALS * GOALS), symbols[event] * GOALS
                likelihood = step(chances, mine, transitions, matrix, likelihoods, row, scratch)
                if likelihood <= MIN_TOTAL:
                    likelihood = rescaled_step(chances, mine, transitions, matrix, likelihoods, row, scratch)
                product = products[player] * likelihood
                if not MIN_PRODUCT < product < MAX_PRODUCT:
                    product = flush_product(likelihood, player, products, logs, ignored)
                products[player] = product
                if is_kept:
                    for goal in range(GOALS):
                        history[event * GOALS + goal] = chances[mine + goal]
        taken = fill_slots(seats, advance_slots(seats, taken, run, offsets), end, offsets)


def update_players(
    transitions: Floats,
    likelihoods: Floats,
    symbols: Ints,
    inputs: Ints,
    stride: int,
    players: Ints,
    are_named: bool,
    first: int,
    end: int,
    chances: Floats,
    products: Floats,
    logs: Floats,
    ignored: Ints,
    scratch: Floats,
) -> None:
    """Take players over one event each: event number k is that of ``players[k]`` if they are named, else of k."""
    for event in range(first, end):
        player = players[event] if are_named else event
        matrix, row = inputs[event * stride] * (GOALS * GOALS), symbols[event] * GOALS
        likelihood = step(chances, player * GOALS, transitions, matrix, likelihoods, row, scratch)
        if likelihood <= MIN_TOTAL:
            likelihood = rescaled_step(chances, player * GOALS, transitions, matrix, likelihoods, row, scratch)
        product = products[player] * likelihood
        if not MIN_PRODUCT < product < MAX_PRODUCT:
            product = flush_product(likelihood, player, products, logs, ignored)
        products[player] = product


# --- kernel backward --------------------------------------------------------------------------------------------------
# Smoothing in bulk: from filtered beliefs back to the first event, and the best path of goals.
#
# Written, compiled and called as ``kernel`` is; see there.


def smooth_step(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> float:
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
        scratch[goal] = beliefs[after + goal] / max(scratch[goal], MIN_TOTAL)
    for goal in range(GOALS):
        share = transitions[matrix + goal * GOALS] * scratch[0]
        for to in range(1, GOALS):
            share += transitions[matrix + goal * GOALS + to] * scratch[to]
        scratch[GOALS + goal] = beliefs[before + goal] * share
        total += scratch[GOALS + goal]
    if least > MIN_TOTAL:
        rest = 1.0 / total  # next to 1, so a product is as good as a quotient, and quicker
        for goal in range(GOALS):
            beliefs[before + goal] = scratch[GOALS + goal] * rest
    return least


def rescaled_smooth_step(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> None:
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
    seats[NEXT_PLAYER] = first
    taken = fill_slots(seats, 0, end, offsets)
    while taken > 0:
        run = shortest_remaining(seats, taken, offsets)
        for k in range(run):
            for seat in range(taken):
                start = offsets[seats[seat]]
                event = start + offsets[seats[seat] + 1] - 1 - seats[SLOTS + seat] - k  # from the last to the first
                if event > start:
                    matrix = inputs[event * stride] * (GOALS * GOALS)
                    least = smooth_step(beliefs, event, transitions, matrix, scratch)
                    if least <= MIN_TOTAL:
                        rescaled_smooth_step(beliefs, event, transitions, matrix, scratch)
        taken = fill_slots(seats, advance_slots(seats, taken, run, offsets), end, offsets)


def viterbi_step(
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


def viterbi_players(
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
    seats[NEXT_PLAYER] = first
    skip = offsets[first]
    taken = fill_slots(seats, 0, end, offsets)
    while taken > 0:
        run = shortest_remaining(seats, taken, offsets)
        for k in range(run):
            for seat in range(taken):
                player, event = seats[seat], seats[SLOTS + seat] + k
                matrix, row = inputs[event * stride] * (GOALS * GOALS), symbols[event] * GOALS
                place = (event - skip) * GOALS
                top = viterbi_step(scores, player * GOALS, moves, matrix, sights, row, came_from, place, scratch)
                totals[player] += top
        taken = fill_slots(seats, advance_slots(seats, taken, run, offsets), end, offsets)
    for player in range(first, end):
        trace_back(scores, player * GOALS, came_from, offsets[player], offsets[player + 1], skip, path)
