"""Array loops of bulk recognition: forward filter, smoothing and Viterbi over many players.

Plain Python, compiled by Numba with one variant per number of goals (runner.py); tests compare both, bit for bit.
Everything is flat: lists in plain Python, arrays when compiled. The belief about player p is ``chances[p * GOALS : (p +
1) * GOALS]``, and the events of p are those from ``offsets[p]`` to before ``offsets[p + 1]``. An event is two indices:
the row of likelihoods (its symbol) and the matrix that applies before it (its input).

The arithmetic of a step is that of ``filtering.step`` in the same order, so the beliefs equal those of a live reader.
Each step needs the result of the previous one; so that the processor does not wait, several players are processed side
by side in *slots*.
"""

import math
from typing import TypeAlias

Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]

GOALS = 3  # replaced by the actual number in each compiled variant
SLOTS = 8  # players processed side by side: fewer leave the processor waiting, more do not fit into its window
NEXT_PLAYER = 2 * SLOTS  # the index of the next player to process
SLOT_ARRAY_SIZE = NEXT_PLAYER + 1  # the length of ``slots``: players, their next events, and the next player

MIN_TOTAL = 1e-200  # as in ``filtering``: below this a step is rescaled and computed again
MIN_PRODUCT, MAX_PRODUCT = (
    1e-100,
    1e100,
)  # a product of likelihoods becomes a logarithm before it leaves these bounds


def fill_slots(slots: Ints, used: int, end: int, offsets: Ints) -> int:
    """Put the next players before ``end`` into free slots; return the number of slots in use."""
    while used < SLOTS and slots[NEXT_PLAYER] < end:
        player = slots[NEXT_PLAYER]
        slots[NEXT_PLAYER] = player + 1
        if offsets[player] < offsets[player + 1]:
            slots[used] = player
            slots[SLOTS + used] = offsets[player]
            used += 1
    return used


def shortest_remaining(slots: Ints, used: int, offsets: Ints) -> int:
    """Return the smallest number of events left over the players in slots."""
    least = offsets[slots[0] + 1] - slots[SLOTS]
    for slot in range(1, used):
        least = min(least, offsets[slots[slot] + 1] - slots[SLOTS + slot])
    return least


def advance_slots(slots: Ints, used: int, run: int, offsets: Ints) -> int:
    """Advance all slots by ``run`` events and free those of finished players; return the number of slots in use."""
    slot = 0
    while slot < used:
        slots[SLOTS + slot] += run
        if slots[SLOTS + slot] < offsets[slots[slot] + 1]:
            slot += 1
            continue
        used -= 1
        slots[slot] = slots[used]
        slots[SLOTS + slot] = slots[SLOTS + used]  # not advanced yet: this slot is visited again
    return used


def predict(chances: Floats, mine: int, transitions: Floats, matrix: int, to: int) -> float:
    """Return the chance of goal ``to`` after the transition."""
    chance = chances[mine] * transitions[matrix + to]
    for goal in range(1, GOALS):
        chance += chances[mine + goal] * transitions[matrix + goal * GOALS + to]
    return chance


def step(
    chances: Floats, mine: int, transitions: Floats, matrix: int, likelihoods: Floats, row: int, scratch: Floats
) -> float:
    """Update a belief with one event; return its likelihood. If that is not above MIN_TOTAL, nothing is changed."""
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
    """Update a belief with a very unlikely event: rescale first, or ignore the event if no goal allows it.

    Return the likelihood, 0 if the event is ignored.
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
    """Turn a player's product of likelihoods into a logarithm, and return the new product.

    Logarithms are slow, so likelihoods are multiplied while possible. Ignored events are only counted.
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
    slots: Ints,
    scratch: Floats,
) -> None:
    """Filter all events of the players from ``first`` to before ``end``.

    ``stride`` is 1, or 0 if there is one input for all events. If ``is_kept``, the belief after each event is written
    to ``history``.
    """
    slots[NEXT_PLAYER] = first
    used = fill_slots(slots, 0, end, offsets)
    while used > 0:
        run = shortest_remaining(slots, used, offsets)
        for k in range(run):
            for slot in range(used):
                player, event = slots[slot], slots[SLOTS + slot] + k
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
        used = fill_slots(slots, advance_slots(slots, used, run, offsets), end, offsets)


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
    """Update players with one event each: event k belongs to ``players[k]`` if ``are_named``, else to player k."""
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


def smooth_step(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> float:
    """Smooth the belief before an event from the smoothed belief after it.

    The chance of each goal after the event is divided among the goals before it by their share in its prediction, so
    likelihoods and ignored events are not needed again. Returns the smallest predicted chance; if that is not above
    MIN_TOTAL, nothing is changed.
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
        rest = 1.0 / total  # close to 1, so multiplying is as exact as dividing, and faster
        for goal in range(GOALS):
            beliefs[before + goal] = scratch[GOALS + goal] * rest
    return least


def rescaled_smooth_step(beliefs: Floats, event: int, transitions: Floats, matrix: int, scratch: Floats) -> None:
    """The same for very unlikely goals: shares are divided first, so that nothing overflows."""
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
    slots: Ints,
    scratch: Floats,
) -> None:
    """Smooth filtered beliefs in place, for the players from ``first`` to before ``end``."""
    slots[NEXT_PLAYER] = first
    used = fill_slots(slots, 0, end, offsets)
    while used > 0:
        run = shortest_remaining(slots, used, offsets)
        for k in range(run):
            for slot in range(used):
                start = offsets[slots[slot]]
                event = start + offsets[slots[slot] + 1] - 1 - slots[SLOTS + slot] - k  # from the last to the first
                if event > start:
                    matrix = inputs[event * stride] * (GOALS * GOALS)
                    least = smooth_step(beliefs, event, transitions, matrix, scratch)
                    if least <= MIN_TOTAL:
                        rescaled_smooth_step(beliefs, event, transitions, matrix, scratch)
        used = fill_slots(slots, advance_slots(slots, used, run, offsets), end, offsets)


def viterbi_step(
    scores: Floats,
    mine: int,
    log_transitions: Floats,
    matrix: int,
    log_likelihoods: Floats,
    row: int,
    came_from: Ints,
    place: int,
    scratch: Floats,
) -> float:
    """Extend the best paths to each goal by one event; return the score of the best one.

    Scores are logarithms relative to the best path: after millions of events, absolute ones would lose the precision to
    compare paths.
    """
    top = -math.inf
    for goal in range(GOALS):
        best, by = scores[mine] + log_transitions[matrix + goal], 0
        for before in range(1, GOALS):
            score = scores[mine + before] + log_transitions[matrix + before * GOALS + goal]
            if score > best:
                best, by = score, before
        came_from[place + goal] = by
        scratch[goal] = best
        top = max(top, best + log_likelihoods[row + goal])
    is_allowed = top > -math.inf
    if not is_allowed:  # no goal allows the observation: it is ignored
        for goal in range(GOALS):
            top = max(top, scratch[goal])
    for goal in range(GOALS):
        scores[mine + goal] = scratch[goal] + (log_likelihoods[row + goal] if is_allowed else 0.0) - top
    return top


def trace_back(scores: Floats, mine: int, came_from: Ints, start: int, end: int, skip: int, path: Ints) -> None:
    """Write the best path from ``start`` to before ``end``; ``came_from`` starts at event ``skip``."""
    goal = 0
    for other in range(1, GOALS):
        if scores[mine + other] > scores[mine + goal]:
            goal = other
    for event in range(end - 1, start - 1, -1):
        path[event] = goal
        goal = came_from[(event - skip) * GOALS + goal]


def viterbi_players(
    log_transitions: Floats,
    log_likelihoods: Floats,
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
    slots: Ints,
    scratch: Floats,
) -> None:
    """Find the Viterbi path of the players from ``first`` to before ``end``, and its log-likelihood.

    ``scores`` starts as the logarithm of the prior.
    """
    slots[NEXT_PLAYER] = first
    skip = offsets[first]
    used = fill_slots(slots, 0, end, offsets)
    while used > 0:
        run = shortest_remaining(slots, used, offsets)
        for k in range(run):
            for slot in range(used):
                player, event = slots[slot], slots[SLOTS + slot] + k
                matrix, row = inputs[event * stride] * (GOALS * GOALS), symbols[event] * GOALS
                place = (event - skip) * GOALS
                top = viterbi_step(
                    scores, player * GOALS, log_transitions, matrix, log_likelihoods, row, came_from, place, scratch
                )
                totals[player] += top
        used = fill_slots(slots, advance_slots(slots, used, run, offsets), end, offsets)
    for player in range(first, end):
        trace_back(scores, player * GOALS, came_from, offsets[player], offsets[player + 1], skip, path)
