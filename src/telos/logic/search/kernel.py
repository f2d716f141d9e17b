"""Changing one variable of a world: what that is worth, which constraints it breaks, and which change to make.

This is ordinary Python, and slow; ``native`` compiles the very same functions with Numba. A constraint is broken if a
table is in a cell below its ``limit``, or a clause does not hold though ``need`` is 1, or holds though it is -1.
``broken`` lists them: their numbers first, then for each constraint its place in that list (-1: not broken), and last
how many there are.

Chance is two multiplicative generators taken together (L'Ecuyer, 1988): numbers below 2**47 only, so that Python and
compiled code draw the same.
"""

import math
from typing import Any, TypeAlias

Array: TypeAlias = Any  # lists in Python would do; NumPy arrays are what is passed

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


def place_all(land: Any, world: Array, cell: Array, held: Array) -> None:
    """Compute for a world which cell each table is in, and how many literals of each clause hold."""
    for table in range(len(land.table)):
        cell[table] = 0
        for at in range(land.scope_start[table], land.scope_start[table + 1]):
            cell[table] += land.stride[at] * world[land.scope[at]]
    for clause in range(len(land.gain)):
        held[clause] = 0
        for literal in range(land.clause[clause], land.clause[clause + 1]):
            if literal_holds(land, literal, world[land.variable[literal]]):
                held[clause] += 1


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


def gain_of(land: Any, world: Array, cell: Array, held: Array, variable: int, new: int) -> float:
    """Return by how much the score changes if a variable takes a new value."""
    old = world[variable]
    total = 0.0
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        here = land.table[table] + cell[table]
        total += land.cells[here + (new - old) * land.stride_of[at]] - land.cells[here]
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        then = held[clause] + shift_of(land, at, past, old, new)
        if (then > 0) != (held[clause] > 0):
            total += land.gain[clause] if then > 0 else -land.gain[clause]
        at = past
    return total


def clause_is_broken(need: int, held: int) -> bool:
    """Whether a clause with so many holding literals is not as it must be."""
    return (need > 0 and held == 0) or (need < 0 and held > 0)


def breaks(
    land: Any, world: Array, cell: Array, held: Array, limit: Array, need: Array, variable: int, new: int
) -> int:
    """Return how many more constraints are broken if a variable takes a new value."""
    old = world[variable]
    total = 0
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        here = land.table[table] + cell[table]
        then = land.cells[here + (new - old) * land.stride_of[at]]
        total += int(then < limit[table]) - int(land.cells[here] < limit[table])
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        holding = held[clause] + shift_of(land, at, past, old, new)
        total += int(clause_is_broken(need[clause], holding)) - int(clause_is_broken(need[clause], held[clause]))
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


def mark_all(land: Any, cell: Array, held: Array, limit: Array, need: Array, broken: Array) -> None:
    """Find all broken constraints."""
    tables, clauses = len(land.table), len(land.gain)
    count = tables + clauses
    for at in range(count):
        broken[count + at] = -1
    broken[2 * count] = 0
    for table in range(tables):
        mark(broken, count, table, land.cells[land.table[table] + cell[table]] < limit[table])
    for clause in range(clauses):
        mark(broken, count, tables + clause, clause_is_broken(need[clause], held[clause]))


def change(
    land: Any, world: Array, cell: Array, held: Array, limit: Array, need: Array, broken: Array, variable: int, new: int
) -> None:
    """Give a variable a new value."""
    old = world[variable]
    tables = len(land.table)
    count = tables + len(land.gain)
    for at in range(land.in_tables[variable], land.in_tables[variable + 1]):
        table = land.table_of[at]
        cell[table] += (new - old) * land.stride_of[at]
        mark(broken, count, table, land.cells[land.table[table] + cell[table]] < limit[table])
    at, end = land.in_clauses[variable], land.in_clauses[variable + 1]
    while at < end:
        past = same_clause(land, at, end)
        clause = land.clause_of[at]
        held[clause] += shift_of(land, at, past, old, new)
        mark(broken, count, tables + clause, clause_is_broken(need[clause], held[clause]))
        at = past
    world[variable] = new


def literal_move(land: Any, world: Array, need: Array, clause: int, literal: int, chance: Array) -> int:
    """Return the value that turns a literal the way its clause needs it, or -1 if it is that way already."""
    variable = land.variable[literal]
    if literal_holds(land, literal, world[variable]) == (need[clause] > 0):
        return -1
    if (land.negated[literal] == 1) == (need[clause] > 0):
        return other_value(chance, land.sizes[variable], world[variable])
    return int(land.value[literal])


def random_move(land: Any, world: Array, need: Array, constraint: int, chance: Array, move: Array) -> None:
    """Choose any change to a variable of a broken constraint."""
    tables = len(land.table)
    if constraint < tables:
        start, end = land.scope_start[constraint], land.scope_start[constraint + 1]
        move[0] = land.scope[start + pick(chance, end - start)]
        move[1] = other_value(chance, land.sizes[move[0]], world[move[0]])
        return
    clause = constraint - tables
    start, end = land.clause[clause], land.clause[clause + 1]
    literal = start + pick(chance, end - start)
    while literal_move(land, world, need, clause, literal, chance) < 0:
        literal = literal + 1 if literal + 1 < end else start
    move[0] = land.variable[literal]
    move[1] = literal_move(land, world, need, clause, literal, chance)


def best_move(
    land: Any,
    world: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    constraint: int,
    chance: Array,
    move: Array,
    by_score: bool,
) -> None:
    """Choose the change to a variable of a broken constraint that is worth most, in score or in constraints mended."""
    tables = len(land.table)
    best, equals = -math.inf, 0
    is_table = constraint < tables
    clause = constraint - tables
    start = land.scope_start[constraint] if is_table else land.clause[clause]
    end = land.scope_start[constraint + 1] if is_table else land.clause[clause + 1]
    for at in range(start, end):
        variable = land.scope[at] if is_table else land.variable[at]
        first = 0 if is_table else literal_move(land, world, need, clause, at, chance)
        past = land.sizes[variable] if is_table else first + 1
        for new in range(first, past):
            if new < 0 or new == world[variable]:
                continue
            if by_score:
                worth = gain_of(land, world, cell, held, variable, new)
            else:
                worth = float(-breaks(land, world, cell, held, limit, need, variable, new))
            equals = 1 if worth > best else equals + int(worth == best)
            if worth > best or (worth == best and pick(chance, equals) == 0):  # among equals, any
                best = worth
                move[0], move[1] = variable, new
