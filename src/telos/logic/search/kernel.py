"""Inner loops of search and sampling."""

import math
from typing import Any, TypeAlias

# --- kernel -----------------------------------------------------------------------------------------------------------
# Changing one variable of a world: what that is worth, which constraints it breaks, and which change to make.
#
# This is ordinary Python, and slow; ``telos.core.kernels`` compiles the very same functions with Numba. ``arrays`` is a
# ``landscape.Landscape``, and ``state`` a ``landscape.State``, the place in it that a walk has come to.
#
# Chance is two multiplicative generators taken together (L'Ecuyer, 1988): numbers below 2**47 only, so that Python and
# compiled code draw the same.


Array: TypeAlias = Any  # lists in Python would do; NumPy arrays are what is passed

INLINED = (
    "score_change",
    "broken_change",
)  # handing over all the arrays of a landscape takes longer than what they do with them

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


def literal_holds(arrays: Any, literal: int, value: int) -> bool:
    """Whether a literal holds if its variable has a value."""
    return bool((arrays.value[literal] == value) != (arrays.negated[literal] == 1))


def compute_cells(arrays: Any, state: Any) -> None:
    """Compute for a world which cell each table is in, and how many literals of each clause hold."""
    for table in range(len(arrays.table)):
        state.cell[table] = 0
        for at in range(arrays.scope_start[table], arrays.scope_start[table + 1]):
            state.cell[table] += arrays.stride[at] * state.world[arrays.scope[at]]
    for clause in range(len(arrays.gain)):
        state.held[clause] = 0
        for literal in range(arrays.clause[clause], arrays.clause[clause + 1]):
            if literal_holds(arrays, literal, state.world[arrays.variable[literal]]):
                state.held[clause] += 1


def literal_change(arrays: Any, at: int, end: int, old: int, new: int) -> int:
    """Return by how many more literals of a clause hold; those on the variable are ``at`` to ``end``."""
    change = 0
    for each in range(at, end):
        literal = arrays.literal_of[each]
        change += int(literal_holds(arrays, literal, new)) - int(literal_holds(arrays, literal, old))
    return change


def end_of_clause(arrays: Any, at: int, end: int) -> int:
    """Return where the literals of the clause at ``at`` end."""
    past = at + 1
    while past < end and arrays.clause_of[past] == arrays.clause_of[at]:
        past += 1
    return past


def score_change(arrays: Any, state: Any, variable: int, new: int) -> float:
    """Return by how much the score changes if a variable takes a new value."""
    old = state.world[variable]
    total = 0.0
    for at in range(arrays.in_tables[variable], arrays.in_tables[variable + 1]):
        table = arrays.table_of[at]
        here = arrays.table[table] + state.cell[table]
        total += arrays.cells[here + (new - old) * arrays.stride_of[at]] - arrays.cells[here]
    at, end = arrays.in_clauses[variable], arrays.in_clauses[variable + 1]
    while at < end:
        past = end_of_clause(arrays, at, end)
        clause = arrays.clause_of[at]
        then = state.held[clause] + literal_change(arrays, at, past, old, new)
        if (then > 0) != (state.held[clause] > 0):
            total += arrays.gain[clause] if then > 0 else -arrays.gain[clause]
        at = past
    return total


def clause_is_broken(need: int, held: int) -> bool:
    """Whether a clause with so many holding literals is not as it must be."""
    return (need > 0 and held == 0) or (need < 0 and held > 0)


def broken_change(arrays: Any, state: Any, variable: int, new: int) -> int:
    """Return how many more constraints are broken if a variable takes a new value."""
    old = state.world[variable]
    total = 0
    for at in range(arrays.in_tables[variable], arrays.in_tables[variable + 1]):
        table = arrays.table_of[at]
        here = arrays.table[table] + state.cell[table]
        then = arrays.cells[here + (new - old) * arrays.stride_of[at]]
        total += int(then < state.limit[table]) - int(arrays.cells[here] < state.limit[table])
    at, end = arrays.in_clauses[variable], arrays.in_clauses[variable + 1]
    while at < end:
        past = end_of_clause(arrays, at, end)
        clause = arrays.clause_of[at]
        holding = state.held[clause] + literal_change(arrays, at, past, old, new)
        total += int(clause_is_broken(state.need[clause], holding))
        total -= int(clause_is_broken(state.need[clause], state.held[clause]))
        at = past
    return total


def mark_broken(broken: Array, count: int, constraint: int, is_broken: bool) -> None:
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


def mark_all_broken(arrays: Any, state: Any) -> None:
    """Find all broken constraints."""
    tables, clauses = len(arrays.table), len(arrays.gain)
    count = tables + clauses
    for at in range(count):
        state.broken[count + at] = -1
    state.broken[2 * count] = 0
    for table in range(tables):
        mark_broken(
            state.broken, count, table, arrays.cells[arrays.table[table] + state.cell[table]] < state.limit[table]
        )
    for clause in range(clauses):
        mark_broken(state.broken, count, tables + clause, clause_is_broken(state.need[clause], state.held[clause]))


def set_value(arrays: Any, state: Any, variable: int, new: int) -> None:
    """Give a variable a new value."""
    old = state.world[variable]
    tables = len(arrays.table)
    count = tables + len(arrays.gain)
    for at in range(arrays.in_tables[variable], arrays.in_tables[variable + 1]):
        table = arrays.table_of[at]
        state.cell[table] += (new - old) * arrays.stride_of[at]
        mark_broken(
            state.broken, count, table, arrays.cells[arrays.table[table] + state.cell[table]] < state.limit[table]
        )
    at, end = arrays.in_clauses[variable], arrays.in_clauses[variable + 1]
    while at < end:
        past = end_of_clause(arrays, at, end)
        clause = arrays.clause_of[at]
        state.held[clause] += literal_change(arrays, at, past, old, new)
        mark_broken(state.broken, count, tables + clause, clause_is_broken(state.need[clause], state.held[clause]))
        at = past
    state.world[variable] = new


def literal_move(arrays: Any, state: Any, clause: int, literal: int, chance: Array) -> int:
    """Return the value that turns a literal the way its clause needs it, or -1 if it is that way already."""
    variable = arrays.variable[literal]
    if literal_holds(arrays, literal, state.world[variable]) == (state.need[clause] > 0):
        return -1
    if (arrays.negated[literal] == 1) == (state.need[clause] > 0):
        return other_value(chance, arrays.sizes[variable], state.world[variable])
    return int(arrays.value[literal])


def random_move(arrays: Any, state: Any, constraint: int, chance: Array, move: Array) -> None:
    """Choose any change to a variable of a broken constraint."""
    tables = len(arrays.table)
    if constraint < tables:
        start, end = arrays.scope_start[constraint], arrays.scope_start[constraint + 1]
        move[0] = arrays.scope[start + pick(chance, end - start)]
        move[1] = other_value(chance, arrays.sizes[move[0]], state.world[move[0]])
        return
    clause = constraint - tables
    start, end = arrays.clause[clause], arrays.clause[clause + 1]
    literal = start + pick(chance, end - start)
    while literal_move(arrays, state, clause, literal, chance) < 0:
        literal = literal + 1 if literal + 1 < end else start
    move[0] = arrays.variable[literal]
    move[1] = literal_move(arrays, state, clause, literal, chance)


def best_move(arrays: Any, state: Any, constraint: int, chance: Array, move: Array, by_score: bool) -> None:
    """Choose the change to a variable of a broken constraint that is worth most, in score or in constraints mended."""
    tables = len(arrays.table)
    best, equals = -math.inf, 0
    is_table = constraint < tables
    clause = constraint - tables
    start = arrays.scope_start[constraint] if is_table else arrays.clause[clause]
    end = arrays.scope_start[constraint + 1] if is_table else arrays.clause[clause + 1]
    for at in range(start, end):
        variable = arrays.scope[at] if is_table else arrays.variable[at]
        first = 0 if is_table else literal_move(arrays, state, clause, at, chance)
        past = arrays.sizes[variable] if is_table else first + 1
        for new in range(first, past):
            if new < 0 or new == state.world[variable]:
                continue
            if by_score:
                worth = score_change(arrays, state, variable, new)
            else:
                worth = float(-broken_change(arrays, state, variable, new))
            equals = 1 if worth > best else equals + int(worth == best)
            if worth > best or (worth == best and pick(chance, equals) == 0):  # among equals, any
                best = worth
                move[0], move[1] = variable, new


# --- kernel sampling --------------------------------------------------------------------------------------------------
# Drawing worlds: Gibbs sweeps, and MC-SAT's slices with SampleSAT inside. Compiled together with ``kernel``.


TEMPERATURE = 0.3  # of SampleSAT: how gladly a random change that breaks a constraint is made
RANDOM_SHARE = 0.5  # the share of SampleSAT's changes that are random ones, without which some worlds are never met
LEAP_EVERY = 5  # samples from one leap of SampleSAT to the next
RESAMPLINGS = 3  # how often every variable is drawn anew inside of a slice
NOISE = 0.2  # the share of its other changes that do not look at what they break


def conditional_weights(arrays: Any, state: Any, variable: int, scratch: Array, heat: float) -> float:
    """Compute how likely each value of a variable is if all others stay, at a heat that is 1; return the sum.

    More heat makes all values alike, less makes the best one sure.
    """
    peak, total = 0.0, 0.0
    for value in range(arrays.sizes[variable]):
        scratch[value] = 0.0
        if value != state.world[variable]:
            scratch[value] = score_change(arrays, state, variable, value) / heat
        peak = max(peak, scratch[value])
    for value in range(arrays.sizes[variable]):
        scratch[value] = math.exp(scratch[value] - peak)
        total += scratch[value]
    return total


def draw_value(scratch: Array, size: int, total: float, chance: Array) -> int:
    """Draw a value by its share of the total."""
    left = draw(chance) * total
    for value in range(size - 1):
        left -= scratch[value]
        if left < 0.0:
            return value
    return size - 1


def sweep(arrays: Any, state: Any, start: Array, sums: Array, scratch: Array, chance: Array, is_counted: bool) -> None:
    """Draw every variable once, given all others, and add up the chances met."""
    for variable in range(len(state.world)):
        total = conditional_weights(arrays, state, variable, scratch, 1.0)
        if is_counted:
            for value in range(arrays.sizes[variable]):
                sums[start[variable] + value] += scratch[value] / total
        new = draw_value(scratch, arrays.sizes[variable], total, chance)
        if new != state.world[variable]:
            set_value(arrays, state, variable, new)


def gibbs(
    arrays: Any, state: Any, start: Array, sums: Array, scratch: Array, chance: Array, burn_in: int, samples: int
) -> None:
    """Draw every variable given all others, sweep by sweep; ``sums`` adds up the chances met after ``burn_in``."""
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    for number in range(burn_in + samples):
        sweep(arrays, state, start, sums, scratch, chance, number >= burn_in)


def draw_slice(arrays: Any, state: Any, chance: Array) -> None:
    """Draw a slice: what each table must reach and each clause must do, none of it more than it does now."""
    for table in range(len(arrays.table)):
        state.limit[table] = arrays.cells[arrays.table[table] + state.cell[table]] + math.log(draw(chance))
    for clause in range(len(arrays.gain)):
        state.need[clause] = 0
        gain = arrays.gain[clause]
        if (state.held[clause] > 0) == (gain > 0.0) and draw(chance) < 1.0 - math.exp(-abs(gain)):
            state.need[clause] = 1 if gain > 0.0 else -1


def sample_sat(arrays: Any, state: Any, chance: Array, move: Array, steps: int) -> bool:
    """Look from a random world for one that breaks nothing, all such worlds about equally likely; return success."""
    for variable in range(len(state.world)):
        state.world[variable] = pick(chance, arrays.sizes[variable])
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    count = len(arrays.table) + len(arrays.gain)
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            return True
        if draw(chance) < RANDOM_SHARE:
            variable = pick(chance, len(state.world))
            new = other_value(chance, arrays.sizes[variable], state.world[variable])
            worse = broken_change(arrays, state, variable, new)
            if worse > 0 and draw(chance) > math.exp(-worse / TEMPERATURE):
                continue
            move[0], move[1] = variable, new
        else:
            constraint = state.broken[pick(chance, state.broken[2 * count])]
            if draw(chance) < NOISE:
                random_move(arrays, state, constraint, chance, move)
            else:
                best_move(arrays, state, constraint, chance, move, False)
        set_value(arrays, state, move[0], move[1])
    return bool(state.broken[2 * count] == 0)


def resample_in_slice(arrays: Any, state: Any, scratch: Array, chance: Array) -> None:
    """Draw every variable anew from the values that break nothing, all alike."""
    for variable in range(len(state.world)):
        allowed = 0
        for value in range(arrays.sizes[variable]):
            scratch[value] = 0.0
            if value == state.world[variable] or broken_change(arrays, state, variable, value) == 0:
                scratch[value] = 1.0
                allowed += 1
        new = draw_value(scratch, arrays.sizes[variable], float(allowed), chance)
        if new != state.world[variable]:
            set_value(arrays, state, variable, new)


def mcsat(
    arrays: Any,
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
        compute_cells(arrays, state)
        draw_slice(arrays, state, chance)
        for variable in range(len(state.world)):
            kept[variable] = state.world[variable]
        is_leap = sample % LEAP_EVERY == 0
        if is_leap and not sample_sat(arrays, state, chance, move, steps):
            failures += 1
            for variable in range(len(state.world)):
                state.world[variable] = kept[variable]
            compute_cells(arrays, state)
        mark_all_broken(arrays, state)
        for _ in range(RESAMPLINGS):
            resample_in_slice(arrays, state, scratch, chance)
        sweep(arrays, state, start, sums, scratch, chance, sample >= burn_in)
    return failures


def anneal(arrays: Any, state: Any, scratch: Array, chance: Array, hot: float, cold: float, sweeps: int) -> None:
    """Draw every variable given all others, with less and less heat, so that the world settles in a good one."""
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    heat = hot
    for _ in range(sweeps):
        for variable in range(len(state.world)):
            total = conditional_weights(arrays, state, variable, scratch, heat)
            new = draw_value(scratch, arrays.sizes[variable], total, chance)
            if new != state.world[variable]:
                set_value(arrays, state, variable, new)
        heat *= (cold / hot) ** (1.0 / sweeps)


# --- kernel walking ---------------------------------------------------------------------------------------------------
# MaxWalkSAT and hill climbing. Compiled together with ``kernel``.


def walk(
    arrays: Any, state: Any, best: Array, trail: Array, chance: Array, move: Array, steps: int, noise: float
) -> float:
    """Take MaxWalkSAT through so many changes from the world of ``state``; ``best`` gets the best world met.

    Return by how much it is better than the one at the start. ``trail`` are the variables changed since the best, so
    that finding a better world costs no more than what changed.
    """
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    count = len(arrays.table) + len(arrays.gain)
    gained, most, length = 0.0, 0.0, 0
    for variable in range(len(state.world)):
        best[variable] = state.world[variable]
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            break
        constraint = state.broken[pick(chance, state.broken[2 * count])]
        if draw(chance) < noise:
            random_move(arrays, state, constraint, chance, move)
        else:
            best_move(arrays, state, constraint, chance, move, True)
        gained += score_change(arrays, state, move[0], move[1])
        set_value(arrays, state, move[0], move[1])
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


def climb(arrays: Any, state: Any, sweeps: int) -> None:
    """Change one variable at a time to its best value until nothing is better, or ``sweeps`` are over."""
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    for _ in range(sweeps):
        changed = False
        for variable in range(len(state.world)):
            best, most = -1, 1e-9
            for new in range(arrays.sizes[variable]):
                worth = score_change(arrays, state, variable, new) if new != state.world[variable] else 0.0
                if worth > most:
                    best, most = new, worth
            if best >= 0:
                set_value(arrays, state, variable, best)
                changed = True
        if not changed:
            return
