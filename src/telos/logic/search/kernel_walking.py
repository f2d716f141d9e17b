"""MaxWalkSAT and hill climbing. Compiled together with ``kernel``."""

from typing import Any, TypeAlias

from telos.logic.search.kernel import best_move, change, draw, gain_of, mark_all, pick, place_all, random_move

Array: TypeAlias = Any


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
