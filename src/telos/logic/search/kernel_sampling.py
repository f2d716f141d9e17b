"""Drawing worlds: Gibbs sweeps, and MC-SAT's slices with SampleSAT inside. Compiled together with ``kernel``."""

import math
from typing import Any, TypeAlias

from telos.logic.search.kernel import (
    best_move,
    breaks,
    change,
    draw,
    gain_of,
    mark_all,
    other_value,
    pick,
    place_all,
    random_move,
)

Array: TypeAlias = Any

HEAT = 0.3  # of SampleSAT: how gladly a random change that breaks a constraint is made
RANDOM = 0.5  # the share of SampleSAT's changes that are random ones, without which some worlds are never met
BETWEEN = 5  # samples from one leap of SampleSAT to the next
STIRS = 3  # how often every variable is drawn anew inside of a slice
NOISE = 0.2  # the share of its other changes that do not look at what they break


def weigh(land: Any, state: Any, variable: int, scratch: Array, heat: float) -> float:
    """Compute how likely each value of a variable is if all others stay, at a heat that is 1; return the sum.

    More heat makes all values alike, less makes the best one sure.
    """
    peak, total = 0.0, 0.0
    for value in range(land.sizes[variable]):
        scratch[value] = 0.0
        if value != state.world[variable]:
            scratch[value] = gain_of(land, state, variable, value) / heat
        peak = max(peak, scratch[value])
    for value in range(land.sizes[variable]):
        scratch[value] = math.exp(scratch[value] - peak)
        total += scratch[value]
    return total


def spin(scratch: Array, size: int, total: float, chance: Array) -> int:
    """Draw a value by its share of the total."""
    left = draw(chance) * total
    for value in range(size - 1):
        left -= scratch[value]
        if left < 0.0:
            return value
    return size - 1


def sweep(land: Any, state: Any, start: Array, sums: Array, scratch: Array, chance: Array, is_counted: bool) -> None:
    """Draw every variable once, given all others, and add up the chances met."""
    for variable in range(len(state.world)):
        total = weigh(land, state, variable, scratch, 1.0)
        if is_counted:
            for value in range(land.sizes[variable]):
                sums[start[variable] + value] += scratch[value] / total
        new = spin(scratch, land.sizes[variable], total, chance)
        if new != state.world[variable]:
            change(land, state, variable, new)


def gibbs(
    land: Any, state: Any, start: Array, sums: Array, scratch: Array, chance: Array, burn_in: int, samples: int
) -> None:
    """Draw every variable given all others, sweep by sweep; ``sums`` adds up the chances met after ``burn_in``."""
    place_all(land, state)
    mark_all(land, state)
    for number in range(burn_in + samples):
        sweep(land, state, start, sums, scratch, chance, number >= burn_in)


def cut(land: Any, state: Any, chance: Array) -> None:
    """Draw a slice: what each table must reach and each clause must do, none of it more than it does now."""
    for table in range(len(land.table)):
        state.limit[table] = land.cells[land.table[table] + state.cell[table]] + math.log(draw(chance))
    for clause in range(len(land.gain)):
        state.need[clause] = 0
        gain = land.gain[clause]
        if (state.held[clause] > 0) == (gain > 0.0) and draw(chance) < 1.0 - math.exp(-abs(gain)):
            state.need[clause] = 1 if gain > 0.0 else -1


def sample_sat(land: Any, state: Any, chance: Array, move: Array, steps: int) -> bool:
    """Look from a random world for one that breaks nothing, all such worlds about equally likely; return success."""
    for variable in range(len(state.world)):
        state.world[variable] = pick(chance, land.sizes[variable])
    place_all(land, state)
    mark_all(land, state)
    count = len(land.table) + len(land.gain)
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            return True
        if draw(chance) < RANDOM:
            variable = pick(chance, len(state.world))
            new = other_value(chance, land.sizes[variable], state.world[variable])
            worse = breaks(land, state, variable, new)
            if worse > 0 and draw(chance) > math.exp(-worse / HEAT):
                continue
            move[0], move[1] = variable, new
        else:
            constraint = state.broken[pick(chance, state.broken[2 * count])]
            if draw(chance) < NOISE:
                random_move(land, state, constraint, chance, move)
            else:
                best_move(land, state, constraint, chance, move, False)
        change(land, state, move[0], move[1])
    return bool(state.broken[2 * count] == 0)


def stir(land: Any, state: Any, scratch: Array, chance: Array) -> None:
    """Draw every variable anew from the values that break nothing, all alike."""
    for variable in range(len(state.world)):
        allowed = 0
        for value in range(land.sizes[variable]):
            scratch[value] = 0.0
            if value == state.world[variable] or breaks(land, state, variable, value) == 0:
                scratch[value] = 1.0
                allowed += 1
        new = spin(scratch, land.sizes[variable], float(allowed), chance)
        if new != state.world[variable]:
            change(land, state, variable, new)


def mcsat(
    land: Any,
    state: Any,
    kept: Array,
    start: Array,
    sums: Array,
    scratch: Array,
    chance: Array,
    move: Array,
    burn_in: int,
    samples: int,
    steps: int,
) -> int:
    """Draw worlds slice by slice from a world that keeps all hard formulas; return how often SampleSAT gave up.

    SampleSAT leaps where single changes cannot go, but not to all worlds alike; what it favours is smoothed out by
    what is done between leaps, which changes one variable at a time and favours nothing.
    """
    failures = 0
    for sample in range(burn_in + samples):
        place_all(land, state)
        cut(land, state, chance)
        for variable in range(len(state.world)):
            kept[variable] = state.world[variable]
        is_leap = sample % BETWEEN == 0
        if is_leap and not sample_sat(land, state, chance, move, steps):
            failures += 1
            for variable in range(len(state.world)):
                state.world[variable] = kept[variable]
            place_all(land, state)
        mark_all(land, state)
        for _ in range(STIRS):
            stir(land, state, scratch, chance)
        sweep(land, state, start, sums, scratch, chance, sample >= burn_in)
    return failures


def anneal(land: Any, state: Any, scratch: Array, chance: Array, hot: float, cold: float, sweeps: int) -> None:
    """Draw every variable given all others, with less and less heat, so that the world settles in a good one."""
    place_all(land, state)
    mark_all(land, state)
    heat = hot
    for _ in range(sweeps):
        for variable in range(len(state.world)):
            total = weigh(land, state, variable, scratch, heat)
            new = spin(scratch, land.sizes[variable], total, chance)
            if new != state.world[variable]:
                change(land, state, variable, new)
        heat *= (cold / hot) ** (1.0 / sweeps)
