"""Inner loops of search and sampling: changes of one variable, Gibbs sampling, MC-SAT with SampleSAT, MaxWalkSAT.

Plain Python, compiled by Numba through ``telos.core.kernels``. ``arrays`` is a ``potentials.SearchArrays``, ``state`` a
``potentials.SearchState``: a world, and what is kept up to date as it changes.

Random numbers come from two combined multiplicative generators (L'Ecuyer, 1988), with numbers below 2**47 only, so that
Python and compiled code draw the same.

Entry points: ``gibbs``, ``mcsat``, ``sample_sat``, ``anneal``, ``start_walk``, ``walk`` and ``climb``.
"""

import math
from typing import Any, TypeAlias

Array: TypeAlias = Any  # a NumPy array

# passing all the arrays to these costs more than what they compute
INLINED = ("score_change", "broken_change")

FIRST, SECOND = 2147483563, 2147483399  # the moduli of the two generators
TEMPERATURE = 0.3  # of SampleSAT, for random changes that break a constraint
RANDOM_SHARE = 0.5  # share of random changes in SampleSAT; without them some worlds are never reached
LEAP_EVERY = 5  # samples between two calls of SampleSAT
RESAMPLINGS = 3  # of every variable inside a slice
NOISE = 0.2  # share of its other changes that ignore what they break


def draw(rng_state: Array) -> float:
    """Return the next random number between 0 and 1, both excluded."""
    rng_state[0] = rng_state[0] * 40014 % FIRST
    rng_state[1] = rng_state[1] * 40692 % SECOND
    mixed = rng_state[0] - rng_state[1]
    if mixed < 1:
        mixed += FIRST - 1
    return float(mixed) / FIRST


def pick(rng_state: Array, count: int) -> int:
    """Return a random whole number from 0 to before ``count``."""
    return int(draw(rng_state) * count)


def other_value(rng_state: Array, size: int, value: int) -> int:
    """Return a random other value of a variable."""
    drawn = pick(rng_state, size - 1)
    return drawn + 1 if drawn >= value else drawn


def literal_holds(arrays: Any, literal: int, value: int) -> bool:
    """Return whether a literal holds if its variable has a value."""
    return bool((arrays.value[literal] == value) != (arrays.negated[literal] == 1))


def compute_cells(arrays: Any, state: Any) -> None:
    """Compute the cell of each table, and the number of literals that hold in each clause, for a world."""
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
    """Return the change in the number of literals of a clause that hold; the variable's are ``at`` to ``end``."""
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
    """Return the change of the score if a variable takes a new value."""
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
    """Return whether a clause with so many literals that hold is not as needed."""
    return (need > 0 and held == 0) or (need < 0 and held > 0)


def broken_change(arrays: Any, state: Any, variable: int, new: int) -> int:
    """Return the change in the number of broken constraints if a variable takes a new value."""
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
    """Add a constraint to the list of broken ones, or remove it; ``count`` is the number of constraints."""
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
    """List all broken constraints."""
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


def literal_move(arrays: Any, state: Any, clause: int, literal: int, rng_state: Array) -> int:
    """Return the value that makes a literal as its clause needs it, or -1 if it already is."""
    variable = arrays.variable[literal]
    if literal_holds(arrays, literal, state.world[variable]) == (state.need[clause] > 0):
        return -1
    if (arrays.negated[literal] == 1) == (state.need[clause] > 0):
        return other_value(rng_state, arrays.sizes[variable], state.world[variable])
    return int(arrays.value[literal])


def random_move(arrays: Any, state: Any, constraint: int, rng_state: Array, move: Array) -> None:
    """Choose a random change to a variable of a broken constraint."""
    tables = len(arrays.table)
    if constraint < tables:
        start, end = arrays.scope_start[constraint], arrays.scope_start[constraint + 1]
        move[0] = arrays.scope[start + pick(rng_state, end - start)]
        move[1] = other_value(rng_state, arrays.sizes[move[0]], state.world[move[0]])
        return
    clause = constraint - tables
    start, end = arrays.clause[clause], arrays.clause[clause + 1]
    literal = start + pick(rng_state, end - start)
    while literal_move(arrays, state, clause, literal, rng_state) < 0:
        literal = literal + 1 if literal + 1 < end else start
    move[0] = arrays.variable[literal]
    move[1] = literal_move(arrays, state, clause, literal, rng_state)


def best_move(arrays: Any, state: Any, constraint: int, rng_state: Array, move: Array, by_score: bool) -> None:
    """Choose the best change to a variable of a broken constraint, by score or by constraints repaired."""
    tables = len(arrays.table)
    best, equals = -math.inf, 0
    is_table = constraint < tables
    clause = constraint - tables
    start = arrays.scope_start[constraint] if is_table else arrays.clause[clause]
    end = arrays.scope_start[constraint + 1] if is_table else arrays.clause[clause + 1]
    for at in range(start, end):
        variable = arrays.scope[at] if is_table else arrays.variable[at]
        first = 0 if is_table else literal_move(arrays, state, clause, at, rng_state)
        past = arrays.sizes[variable] if is_table else first + 1
        for new in range(first, past):
            if new < 0 or new == state.world[variable]:
                continue
            if by_score:
                worth = score_change(arrays, state, variable, new)
            else:
                worth = float(-broken_change(arrays, state, variable, new))
            equals = 1 if worth > best else equals + int(worth == best)
            if worth > best or (worth == best and pick(rng_state, equals) == 0):  # any of equals
                best = worth
                move[0], move[1] = variable, new


# --- sampling ---------------------------------------------------------------------------------------------------------


def conditional_weights(arrays: Any, state: Any, variable: int, scratch: Array, temperature: float) -> float:
    """Compute the unnormalised probability of each value given all others, at a temperature; return the sum.

    A higher temperature makes the values more equal, a lower one favours the best.
    """
    peak, total = 0.0, 0.0
    for value in range(arrays.sizes[variable]):
        scratch[value] = 0.0
        if value != state.world[variable]:
            scratch[value] = score_change(arrays, state, variable, value) / temperature
        peak = max(peak, scratch[value])
    for value in range(arrays.sizes[variable]):
        scratch[value] = math.exp(scratch[value] - peak)
        total += scratch[value]
    return total


def draw_value(scratch: Array, size: int, total: float, rng_state: Array) -> int:
    """Draw a value in proportion to its weight."""
    left = draw(rng_state) * total
    for value in range(size - 1):
        left -= scratch[value]
        if left < 0.0:
            return value
    return size - 1


def sweep(
    arrays: Any, state: Any, start: Array, sums: Array, scratch: Array, rng_state: Array, is_counted: bool
) -> None:
    """Draw every variable once given all others, and add up the conditional probabilities."""
    for variable in range(len(state.world)):
        total = conditional_weights(arrays, state, variable, scratch, 1.0)
        if is_counted:
            for value in range(arrays.sizes[variable]):
                sums[start[variable] + value] += scratch[value] / total
        new = draw_value(scratch, arrays.sizes[variable], total, rng_state)
        if new != state.world[variable]:
            set_value(arrays, state, variable, new)


def gibbs(
    arrays: Any,
    state: Any,
    start: Array,
    sums: Array,
    scratch: Array,
    rng_state: Array,
    samples: int,
    is_counted: bool,
) -> None:
    """Run sweeps of Gibbs sampling; if they are counted, ``sums`` adds up the conditional probabilities."""
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    for _ in range(samples):
        sweep(arrays, state, start, sums, scratch, rng_state, is_counted)


def draw_slice(arrays: Any, state: Any, rng_state: Array) -> None:
    """Draw a slice: a limit for each table and a need for each clause, all met by the current world."""
    for table in range(len(arrays.table)):
        state.limit[table] = arrays.cells[arrays.table[table] + state.cell[table]] + math.log(draw(rng_state))
    for clause in range(len(arrays.gain)):
        state.need[clause] = 0
        gain = arrays.gain[clause]
        if (state.held[clause] > 0) == (gain > 0.0) and draw(rng_state) < 1.0 - math.exp(-abs(gain)):
            state.need[clause] = 1 if gain > 0.0 else -1


def sample_sat(arrays: Any, state: Any, rng_state: Array, move: Array, steps: int) -> bool:
    """Search from a random world for one that breaks nothing, nearly uniformly; return whether it succeeded."""
    for variable in range(len(state.world)):
        state.world[variable] = pick(rng_state, arrays.sizes[variable])
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    count = len(arrays.table) + len(arrays.gain)
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            return True
        if draw(rng_state) < RANDOM_SHARE:
            variable = pick(rng_state, len(state.world))
            new = other_value(rng_state, arrays.sizes[variable], state.world[variable])
            worse = broken_change(arrays, state, variable, new)
            if worse > 0 and draw(rng_state) > math.exp(-worse / TEMPERATURE):
                continue
            move[0], move[1] = variable, new
        else:
            constraint = state.broken[pick(rng_state, state.broken[2 * count])]
            if draw(rng_state) < NOISE:
                random_move(arrays, state, constraint, rng_state, move)
            else:
                best_move(arrays, state, constraint, rng_state, move, False)
        set_value(arrays, state, move[0], move[1])
    return bool(state.broken[2 * count] == 0)


def resample_in_slice(arrays: Any, state: Any, scratch: Array, rng_state: Array) -> None:
    """Draw every variable uniformly from the values that break nothing."""
    for variable in range(len(state.world)):
        allowed = 0
        for value in range(arrays.sizes[variable]):
            scratch[value] = 0.0
            if value == state.world[variable] or broken_change(arrays, state, variable, value) == 0:
                scratch[value] = 1.0
                allowed += 1
        new = draw_value(scratch, arrays.sizes[variable], float(allowed), rng_state)
        if new != state.world[variable]:
            set_value(arrays, state, variable, new)


def mcsat(
    arrays: Any,
    state: Any,
    kept: Array,
    start: Array,
    sums: Array,
    scratch: Array,
    rng_state: Array,
    move: Array,
    first: int,
    samples: int,
    is_counted: bool,
    steps: int,
) -> int:
    """Run MC-SAT from a world that keeps all hard formulas; return how often SampleSAT failed.

    ``first`` is the number of samples drawn before this call. SampleSAT reaches worlds that single changes cannot, but
    not uniformly. The uniform single changes between its leaps reduce that bias.
    """
    failures = 0
    for sample in range(first, first + samples):
        compute_cells(arrays, state)
        draw_slice(arrays, state, rng_state)
        for variable in range(len(state.world)):
            kept[variable] = state.world[variable]
        is_leap = sample % LEAP_EVERY == 0
        if is_leap and not sample_sat(arrays, state, rng_state, move, steps):
            failures += 1
            for variable in range(len(state.world)):
                state.world[variable] = kept[variable]
            compute_cells(arrays, state)
        mark_all_broken(arrays, state)
        for _ in range(RESAMPLINGS):
            resample_in_slice(arrays, state, scratch, rng_state)
        sweep(arrays, state, start, sums, scratch, rng_state, is_counted)
    return failures


def anneal(
    arrays: Any, state: Any, scratch: Array, rng_state: Array, temperature: float, cooling: float, sweeps: int
) -> float:
    """Draw every variable given all others at falling temperatures, so that the world becomes a good one.

    Return the temperature at which to continue.
    """
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    for _ in range(sweeps):
        for variable in range(len(state.world)):
            total = conditional_weights(arrays, state, variable, scratch, temperature)
            new = draw_value(scratch, arrays.sizes[variable], total, rng_state)
            if new != state.world[variable]:
                set_value(arrays, state, variable, new)
        temperature *= cooling
    return temperature


# --- MaxWalkSAT and hill climbing -------------------------------------------------------------------------------------


def start_walk(arrays: Any, state: Any) -> None:
    """Prepare the state for ``walk``."""
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)


def walk(
    arrays: Any,
    state: Any,
    best: Array,
    trail: Array,
    rng_state: Array,
    move: Array,
    steps: int,
    noise: float,
    progress: Array,
) -> None:
    """Run MaxWalkSAT for ``steps`` changes; write the best world met to ``best``, which starts as the first world.

    ``progress`` has the gain over the first world, that of the best world, and the changes since then: zeros at first,
    and as the last call left them to continue. ``trail`` has the variables changed since the best world, so that
    recording a better one costs no more than the changes.
    """
    count = len(arrays.table) + len(arrays.gain)
    gained, most, length = progress[0], progress[1], int(progress[2])
    for _ in range(steps):
        if state.broken[2 * count] == 0:
            break
        constraint = state.broken[pick(rng_state, state.broken[2 * count])]
        if draw(rng_state) < noise:
            random_move(arrays, state, constraint, rng_state, move)
        else:
            best_move(arrays, state, constraint, rng_state, move, True)
        gained += score_change(arrays, state, move[0], move[1])
        set_value(arrays, state, move[0], move[1])
        if length < len(trail):
            trail[length] = move[0]
        length += 1
        if gained > most:
            most = gained
            keep_best(state.world, best, trail, length)
            length = 0
    progress[0], progress[1], progress[2] = gained, most, length


def keep_best(world: Array, best: Array, trail: Array, length: int) -> None:
    """Copy ``world`` to ``best``: along the trail, or completely if the trail overflowed."""
    if length <= len(trail):
        for at in range(length):
            best[trail[at]] = world[trail[at]]
    else:
        for variable in range(len(world)):
            best[variable] = world[variable]


def climb(arrays: Any, state: Any, sweeps: int) -> bool:
    """Set one variable at a time to its best value until nothing improves, for at most ``sweeps`` sweeps.

    Return whether the last sweep improved something.
    """
    compute_cells(arrays, state)
    mark_all_broken(arrays, state)
    changed = False
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
            break
    return changed
