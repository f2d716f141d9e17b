"""Inner loops of search and sampling."""

import math
from typing import Any, TypeAlias

# --- kernel -----------------------------------------------------------------------------------------------------------
# Changing one variable of a world: what that is worth, which constraints it breaks, and which change to make.
#
# This is ordinary Python, and slow; ``telos.core.kernels`` compiles the very same functions with Numba. ``land`` is a
# ``landscape.Landscape``, and ``state`` a ``landscape.State``, the place in it that a walk has come to.
#
# Chance is two multiplicative generators taken together (L'Ecuyer, 1988): numbers below 2**47 only, so that Python and
# compiled code draw the same.


Array: TypeAlias = Any  # lists in Python would do; NumPy arrays are what is passed

INLINED = ("gain_of", "breaks")  # handing over all the arrays of a landscape takes longer than what they do with them

FIRST, SECOND = 2147483563, 2147483399  # the moduli of the two generators


def draw(chance: Array) -> float:
    """Return the next number between 0 and 1, never either of them."""
    chance[0] = chance[0] * 40014 % FIRST
    chance[1] = chance[1] * 40692 % SECOND
    mixed = chance[0] - chance[1]
    if mixed < 1:
        mixed += FIRST - 1
    return float(mixed) / FIRST


def pick(chance: Array, count: int) -> int:
    """Return a whole number from 0 to before ``count``."""
    return int(draw(chance) * count)


def other_value(chance: Array, size: int, value: int) -> int:
    """Return another value of a variable, all alike."""
    drawn = pick(chance, size - 1)
    return drawn + 1 if drawn >= value else drawn


def literal_holds(land: Any, literal: int, value: int) -> bool:
    """Whether a literal holds if its variable has a value."""
    return bool((land.value[literal] == value) != (land.negated[literal] == 1))


def place_all(land: Any, state: Any) -> None:
    """Compute for a world which cell each table is in, and how many literals of each clause hold."""
    for table in range(len(land.table)):
        state.cell[table] = 0
        for at in range(land.scope_start[table], land.scope_start[table + 1]):
            state.cell[table] += land.stride[at] * state.world[land.scope[at]]
    for clause in range(len(land.gain)):
        state.held[clause] = 0
        for literal in range(land.clause[clause], land.clause[clause + 1]):
            if literal_holds(land, literal, state.world[land.variable[literal]]):
                state.held[clause] += 1


def shift_of(land: Any, at: int, end: int, old: int, new: int) -> int:
    """Return by how many more literals of a clause hold; those on the variable are ``at`` to ``end``."""
    change = 0
    for each in range(at, end):
        literal = land.literal_of[each]
        change += int(literal_holds(land, literal, new)) - int(literal_holds(land, literal, old))
    return change


def same_clause(land: Any, at: int, end: int) -> int:
    """Return where the literals of the clause at ``at`` end."""
    past = at + 1
    while past < end and land.clause_of[past] == land.clause_of[at]:
        past += 1
    return past


def gain_of(land: Any, state: Any, variable: int, new: int) -> float:
    """Return by how much the score changes if a variable takes a new value."""
    old = state.world[variable]
    total = 0.0
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        here = land.table[table] + state.cell[table]
        total += land.cells[here + (new - old) * land.stride_of[at]] - land.cells[here]
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        then = state.held[clause] + shift_of(land, at, past, old, new)
        if (then > 0) != (state.held[clause] > 0):
            total += land.gain[clause] if then > 0 else -land.gain[clause]
        at = past
    return total


def clause_is_broken(need: int, held: int) -> bool:
    """Whether a clause with so many holding literals is not as it must be."""
    return (need > 0 and held == 0) or (need < 0 and held > 0)


def breaks(land: Any, state: Any, variable: int, new: int) -> int:
    """Return how many more constraints are broken if a variable takes a new value."""
    old = state.world[variable]
    total = 0
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        here = land.table[table] + state.cell[table]
        then = land.cells[here + (new - old) * land.stride_of[at]]
        total += int(then < state.limit[table]) - int(land.cells[here] < state.limit[table])
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        holding = state.held[clause] + shift_of(land, at, past, old, new)
        total += int(clause_is_broken(state.need[clause], holding))
        total -= int(clause_is_broken(state.need[clause], state.held[clause]))
        at = past
    return total


def mark(broken: Array, count: int, constraint: int, is_broken: bool) -> None:
    """Put a constraint on the list of the broken ones, or take it off; ``count`` is that of all constraints."""
    where = broken[count + constraint]
    if is_broken and where < 0:
        broken[broken[2 * count]] = constraint
        broken[count + constraint] = broken[2 * count]
        broken[2 * count] += 1
    elif not is_broken and where >= 0:
        broken[2 * count] -= 1
        last = broken[broken[2 * count]]
        broken[where] = last
        broken[count + last] = where
        broken[count + constraint] = -1


def mark_all(land: Any, state: Any) -> None:
    """Find all broken constraints."""
    tables, clauses = len(land.table), len(land.gain)
    count = tables + clauses
    for at in range(count):
        state.broken[count + at] = -1
    state.broken[2 * count] = 0
    for table in range(tables):
        mark(state.broken, count, table, land.cells[land.table[table] + state.cell[table]] < state.limit[table])
    for clause in range(clauses):
        mark(state.broken, count, tables + clause, clause_is_broken(state.need[clause], state.held[clause]))


def change(land: Any, state: Any, variable: int, new: int) -> None:
    """Give a variable a new value."""
    old = state.world[variable]
    tables = len(land.table)
    count = tables + len(land.gain)
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        state.cell[table] += (new - old) * land.stride_of[at]
        mark(state.broken, count, table, land.cells[land.table[table] + state.cell[table]] < state.limit[table])
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        state.held[clause] += shift_of(land, at, past, old, new)
        mark(state.broken, count, tables + clause, clause_is_broken(state.need[clause], state.held[clause]))
        at = past
    state.world[variable] = new


def literal_move(land: Any, state: Any, clause: int, literal: int, chance: Array) -> int:
    """Return the value that turns a literal the way its clause needs it, or -1 if it is that way already."""
    variable = land.variable[literal]
    if literal_holds(land, literal, state.world[variable]) == (state.need[clause] > 0):
        return -1
    if (land.negated[literal] == 1) == (state.need[clause] > 0):
        return other_value(chance, land.sizes[variable], state.world[variable])
    return int(land.value[literal])


def random_move(land: Any, state: Any, constraint: int, chance: Array, move: Array) -> None:
    """Choose any change to a variable of a broken constraint."""
    tables = len(land.table)
    if constraint < tables:
        start, end = land.scope_start[constraint], land.scope_start[constraint + 1]
        move[0] = land.scope[start + pick(chance, end - start)]
        move[1] = other_value(chance, land.sizes[move[0]], state.world[move[0]])
        return
    clause = constraint - tables
    start, end = land.clause[clause], land.clause[clause + 1]
    literal = start + pick(chance, end - start)
    while literal_move(land, state, clause, literal, chance) < 0:
        literal = literal + 1 if literal + 1 < end else start
    move[0] = land.variable[literal]
    move[1] = literal_move(land, state, clause, literal, chance)


def best_move(land: Any, state: Any, constraint: int, chance: Array, move: Array, by_score: bool) -> None:
    """Choose the change to a variable of a broken constraint that is worth most, in score or in constraints mended."""
    tables = len(land.table)
    best, equals = -math.inf, 0
    is_table = constraint < tables
    clause = constraint - tables
    start = land.scope_start[constraint] if is_table else land.clause[clause]
    end = land.scope_start[constraint + 1] if is_table else land.clause[clause + 1]
    for at in range(start, end):
        variable = land.scope[at] if is_table else land.variable[at]
        first = 0 if is_table else literal_move(land, state, clause, at, chance)
        past = land.sizes[variable] if is_table else first + 1
        for new in range(first, past):
            if new < 0 or new == state.world[variable]:
                continue
            if by_score:
                worth = gain_of(land, state, variable, new)
            else:
                worth = float(-breaks(land, state, variable, new))
            equals = 1 if worth > best else equals + int(worth == best)
            if worth > best or (worth == best and pick(chance, equals) == 0):  # among equals, any
                best = worth
                move[0], move[1] = variable, new


# --- kernel sampling --------------------------------------------------------------------------------------------------
# Drawing worlds: Gibbs sweeps, and MC-SAT's slices with SampleSAT inside. Compiled together with ``kernel``.


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


# --- kernel walking ---------------------------------------------------------------------------------------------------
# MaxWalkSAT and hill climbing. Compiled together with ``kernel``.


def walk(
    land: Any, state: Any, best: Array, trail: Array, chance: Array, move: Array, steps: int, noise: float
) -> float:
    """Take MaxWalkSAT through so many changes from the world of ``state``; ``best`` gets the best world met.

    Return by how much it is better than the one at the start. ``trail`` are the variables changed since the best, so
    that finding a better world costs no more than what changed.
    """
    place_all(land, state)
    mark_all(land, state)
    count = len(land.table) + len(land.gain)
    gained, most, length = 0.0, 0.0, 0
    for variable in range(len(state.world)):
        best[variable] = state.world[variable]
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            break
        constraint = state.broken[pick(chance, state.broken[2 * count])]
        if draw(chance) < noise:
            random_move(land, state, constraint, chance, move)
        else:
            best_move(land, state, constraint, chance, move, True)
        gained += gain_of(land, state, move[0], move[1])
        change(land, state, move[0], move[1])
        if length < len(trail):
            trail[length] = move[0]
        length += 1
        if gained > most:
            most = gained
            keep_best(state.world, best, trail, length)
            length = 0
    return most


def keep_best(world: Array, best: Array, trail: Array, length: int) -> None:
    """Bring ``best`` up to ``world``: along the trail, or altogether if that became too long."""
    if length <= len(trail):
        for at in range(length):
            best[trail[at]] = world[trail[at]]
    else:
        for variable in range(len(world)):
            best[variable] = world[variable]


def climb(land: Any, state: Any, sweeps: int) -> None:
    """Change one variable at a time to its best value until nothing is better, or ``sweeps`` are over."""
    place_all(land, state)
    mark_all(land, state)
    for _ in range(sweeps):
        changed = False
        for variable in range(len(state.world)):
            best, most = -1, 1e-9
            for new in range(land.sizes[variable]):
                worth = gain_of(land, state, variable, new) if new != state.world[variable] else 0.0
                if worth > most:
                    best, most = new, worth
            if best >= 0:
                change(land, state, variable, best)
                changed = True
        if not changed:
            return
