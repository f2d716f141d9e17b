"""Array loops over whole sessions: beliefs some updates late, and expected counts for expectation maximisation.

Plain Python that Numba compiles; both give the same numbers. The updates of session s are those from ``offsets[s]`` to
before ``offsets[s + 1]``; ``inputs`` and ``symbols`` are the rows of ``transitions`` and ``likelihoods`` of each. Of an
update that no goal allows (``ignored``) only the transition is used.
"""

import math
from typing import Any, TypeAlias

Ints: TypeAlias = Any
Floats: TypeAlias = Any


def smooth_lagged(
    transitions: Floats,
    likelihoods: Floats,
    inputs: Ints,
    symbols: Ints,
    ignored: Ints,
    offsets: Ints,
    lag: int,
    filtered: Floats,
    found: Floats,
) -> None:
    """Write for each update the belief about ``lag`` updates before, given all up to it; at first, about the first."""
    goals = filtered.shape[1]
    later = [0.0] * goals
    weighed = [0.0] * goals
    for session in range(len(offsets) - 1):
        for now in range(offsets[session], offsets[session + 1]):
            about = max(offsets[session], now - lag)
            for goal in range(goals):
                later[goal] = 1.0
            for update in range(now, about, -1):
                for goal in range(goals):
                    seen = 1.0 if ignored[update] != 0 else likelihoods[symbols[update], goal]
                    weighed[goal] = later[goal] * seen
                peak = 0.0
                for goal in range(goals):
                    total = 0.0
                    for after in range(goals):
                        total += transitions[inputs[update], goal, after] * weighed[after]
                    later[goal] = total
                    peak = max(peak, total)
                for goal in range(goals):
                    later[goal] = later[goal] / peak if peak > 0.0 else 1.0
            whole = 0.0
            for goal in range(goals):
                found[now, goal] = filtered[about, goal] * later[goal]
                whole += found[now, goal]
            for goal in range(goals):
                found[now, goal] = found[now, goal] / whole if whole > 0.0 else 1.0 / goals


def add_expected(
    transitions: Floats,
    likelihoods: Floats,
    prior: Floats,
    inputs: Ints,
    symbols: Ints,
    offsets: Ints,
    filtered: Floats,
    weights: Floats,
    likely: Floats,
    seen: Floats,
    followed: Floats,
) -> float:
    """Add the expected counts of what was seen under each goal, and of which goal followed which.

    ``filtered`` and ``weights`` are working space for the longest session, ``likely`` for its likelihoods. Return the
    log-likelihood of all sessions, without updates that no goal allows.
    """
    goals = len(prior)
    fit = 0.0
    for session in range(len(offsets) - 1):
        first, end = offsets[session], offsets[session + 1]
        for update in range(first, end):
            place = update - first
            total, whole = 0.0, 0.0
            for goal in range(goals):
                chance = 0.0
                for before in range(goals):
                    was = prior[before] if place == 0 else filtered[place - 1, before]
                    chance += was * transitions[inputs[update], before, goal]
                whole += chance
                weights[place, goal] = chance
                filtered[place, goal] = chance * likelihoods[symbols[update], goal]
                total += filtered[place, goal]
            likely[place] = total
            for goal in range(goals):
                filtered[place, goal] = filtered[place, goal] / total if total > 0.0 else weights[place, goal] / whole
            if total > 0.0:
                fit += math.log(total)
        for goal in range(goals):
            if end > first:
                weights[end - first - 1, goal] = 1.0
        for update in range(end - 1, first - 1, -1):
            place = update - first
            whole = 0.0
            for before in range(goals):
                was = prior[before] if place == 0 else filtered[place - 1, before]
                for goal in range(goals):
                    shown = likelihoods[symbols[update], goal] if likely[place] > 0.0 else 1.0
                    whole += was * transitions[inputs[update], before, goal] * shown * weights[place, goal]
            for before in range(goals):
                was = prior[before] if place == 0 else filtered[place - 1, before]
                for goal in range(goals):
                    shown = likelihoods[symbols[update], goal] if likely[place] > 0.0 else 1.0
                    joint = was * transitions[inputs[update], before, goal] * shown * weights[place, goal]
                    if whole > 0.0:
                        seen[goal, symbols[update]] += joint / whole
                        followed[inputs[update], before, goal] += joint / whole
            if place > 0:
                peak = 0.0
                for before in range(goals):
                    total = 0.0
                    for goal in range(goals):
                        shown = likelihoods[symbols[update], goal] if likely[place] > 0.0 else 1.0
                        total += transitions[inputs[update], before, goal] * shown * weights[place, goal]
                    weights[place - 1, before] = total
                    peak = max(peak, total)
                for before in range(goals):
                    weights[place - 1, before] = weights[place - 1, before] / peak if peak > 0.0 else 1.0
    return fit
