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


def weigh(land: Any, world: Array, cell: Array, held: Array, variable: int, scratch: Array, heat: float) -> float:
    """Compute how likely each value of a variable is if all others stay, at a heat that is 1; return the sum.

    More heat makes all values alike, less makes the best one sure.
    """
    peak, total = 0.0, 0.0
    for value in range(land.sizes[variable]):
        scratch[value] = 0.0
        if value != world[variable]:
            scratch[value] = gain_of(land, world, cell, held, variable, value) / heat
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


def sweep(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    start: Array,
    sums: Array,
    scratch: Array,
    chance: Array,
    is_counted: bool,
) -> None:
    """Draw every variable once, given all others, and add up the chances met."""
    for variable in range(len(world)):
        total = weigh(land, world, cell, held, variable, scratch, 1.0)
        if is_counted:
            for value in range(land.sizes[variable]):
                sums[start[variable] + value] += scratch[value] / total
        new = spin(scratch, land.sizes[variable], total, chance)
        if new != world[variable]:
            change(land, world, cell, held, limit, need, broken, variable, new)


def gibbs(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    start: Array,
    sums: Array,
    scratch: Array,
    chance: Array,
    burn_in: int,
    samples: int,
) -> None:
    """Draw every variable given all others, sweep by sweep; ``sums`` adds up the chances met after ``burn_in``."""
    place_all(land, world, cell, held)
    mark_all(land, cell, held, limit, need, broken)
    for number in range(burn_in + samples):
        sweep(land, world, cell, held, limit, need, broken, start, sums, scratch, chance, number >= burn_in)


def cut(land: Any, cell: Array, held: Array, limit: Array, need: Array, chance: Array) -> None:
    """Draw a slice: what each table must reach and each clause must do, none of it more than it does now."""
    for table in range(len(land.table)):
        limit[table] = land.cells[land.table[table] + cell[table]] + math.log(draw(chance))
    for clause in range(len(land.gain)):
        need[clause] = 0
        gain = land.gain[clause]
        if (held[clause] > 0) == (gain > 0.0) and draw(chance) < 1.0 - math.exp(-abs(gain)):
            need[clause] = 1 if gain > 0.0 else -1


def sample_sat(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    chance: Array,
    move: Array,
    steps: int,
) -> bool:
    """Look from a random world for one that breaks nothing, all such worlds about equally likely; return success."""
    for variable in range(len(world)):
        world[variable] = pick(chance, land.sizes[variable])
    place_all(land, world, cell, held)
    mark_all(land, cell, held, limit, need, broken)
    count = len(land.table) + len(land.gain)
    for _ in range(steps):
        if broken[2 * count] == 0:
            return True
        if draw(chance) < RANDOM:
            variable = pick(chance, len(world))
            new = other_value(chance, land.sizes[variable], world[variable])
            worse = breaks(land, world, cell, held, limit, need, variable, new)
            if worse > 0 and draw(chance) > math.exp(-worse / HEAT):
                continue
            move[0], move[1] = variable, new
        else:
            constraint = broken[pick(chance, broken[2 * count])]
            if draw(chance) < NOISE:
                random_move(land, world, need, constraint, chance, move)
            else:
                best_move(land, world, cell, held, limit, need, constraint, chance, move, False)
        change(land, world, cell, held, limit, need, broken, move[0], move[1])
    return bool(broken[2 * count] == 0)


def stir(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    scratch: Array,
    chance: Array,
) -> None:
    """Draw every variable anew from the values that break nothing, all alike."""
    for variable in range(len(world)):
        allowed = 0
        for value in range(land.sizes[variable]):
            scratch[value] = 0.0
            if value == world[variable] or breaks(land, world, cell, held, limit, need, variable, value) == 0:
                scratch[value] = 1.0
                allowed += 1
        new = spin(scratch, land.sizes[variable], float(allowed), chance)
        if new != world[variable]:
            change(land, world, cell, held, limit, need, broken, variable, new)


def mcsat(
    land: Any,
    world: Array,
    kept: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    start: Array,
    sums: Array,
    scratch: Array,
    chance: Array,
    move: Array,
    burn_in: int,
    samples: int,
    steps: int,
) -> int:
    """Draw worlds slice by slice from ``world``, which keeps all hard formulas; return how often SampleSAT gave up.

    SampleSAT leaps where single changes cannot go, but not to all worlds alike; what it favours is smoothed out by
    what is done between leaps, which changes one variable at a time and favours nothing.
    """
    failures = 0
    for sample in range(burn_in + samples):
        place_all(land, world, cell, held)
        cut(land, cell, held, limit, need, chance)
        for variable in range(len(world)):
            kept[variable] = world[variable]
        is_leap = sample % BETWEEN == 0
        if is_leap and not sample_sat(land, world, cell, held, limit, need, broken, chance, move, steps):
            failures += 1
            for variable in range(len(world)):
                world[variable] = kept[variable]
            place_all(land, world, cell, held)
        mark_all(land, cell, held, limit, need, broken)
        for _ in range(STIRS):
            stir(land, world, cell, held, limit, need, broken, scratch, chance)
        sweep(land, world, cell, held, limit, need, broken, start, sums, scratch, chance, sample >= burn_in)
    return failures


def anneal(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    scratch: Array,
    chance: Array,
    hot: float,
    cold: float,
    sweeps: int,
) -> None:
    """Draw every variable given all others, with less and less heat, so that the world settles in a good one."""
    place_all(land, world, cell, held)
    mark_all(land, cell, held, limit, need, broken)
    heat = hot
    for _ in range(sweeps):
        for variable in range(len(world)):
            total = weigh(land, world, cell, held, variable, scratch, heat)
            new = spin(scratch, land.sizes[variable], total, chance)
            if new != world[variable]:
                change(land, world, cell, held, limit, need, broken, variable, new)
        heat *= (cold / hot) ** (1.0 / sweeps)
