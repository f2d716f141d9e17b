"""MaxWalkSAT and hill climbing. Compiled together with ``kernel``."""

from typing import Any, TypeAlias

from telos.logic.search.kernel import best_move, change, draw, gain_of, mark_all, pick, place_all, random_move

Array: TypeAlias = Any


def walk(
    land: Any,
    world: Array,
    best: Array,
    cell: Array,
    held: Array,
    limit: Array,
    need: Array,
    broken: Array,
    trail: Array,
    chance: Array,
    move: Array,
    steps: int,
    noise: float,
) -> float:
    """Take MaxWalkSAT through so many changes from ``world``; ``best`` gets the best world met.

    Return by how much it is better than the one at the start. ``trail`` are the variables changed since the best, so
    that finding a better world costs no more than what changed.
    """
    place_all(land, world, cell, held)
    mark_all(land, cell, held, limit, need, broken)
    count = len(land.table) + len(land.gain)
    gained, most, length = 0.0, 0.0, 0
    for variable in range(len(world)):
        best[variable] = world[variable]
    for _ in range(steps):
        if broken[2 * count] == 0:
            break
        constraint = broken[pick(chance, broken[2 * count])]
        if draw(chance) < noise:
            random_move(land, world, need, constraint, chance, move)
        else:
            best_move(land, world, cell, held, limit, need, constraint, chance, move, True)
        gained += gain_of(land, world, cell, held, move[0], move[1])
        change(land, world, cell, held, limit, need, broken, move[0], move[1])
        if length < len(trail):
            trail[length] = move[0]
        length += 1
        if gained > most:
            most = gained
            keep_best(world, best, trail, length)
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


def climb(
    land: Any, world: Array, cell: Array, held: Array, limit: Array, need: Array, broken: Array, sweeps: int
) -> None:
    """Change one variable at a time to its best value until nothing is better, or ``sweeps`` are over."""
    place_all(land, world, cell, held)
    mark_all(land, cell, held, limit, need, broken)
    for _ in range(sweeps):
        changed = False
        for variable in range(len(world)):
            best, most = -1, 1e-9
            for new in range(land.sizes[variable]):
                worth = gain_of(land, world, cell, held, variable, new) if new != world[variable] else 0.0
                if worth > most:
                    best, most = new, worth
            if best >= 0:
                change(land, world, cell, held, limit, need, broken, variable, best)
                changed = True
        if not changed:
            return
