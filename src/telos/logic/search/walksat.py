"""MaxWalkSAT over variables of any number of values: change what a broken formula asks for, mostly for the better.

The first walk starts where every variable is best by itself, the others in worlds that were annealed.

The answer is the best world met. Its bound is that of every factor at its best, each by itself: far off as a rule, but
never wrong, so ``exact`` is said only where nothing is broken at all.
"""

from random import Random

import numpy as np

from telos.core.errors import TelosError
from telos.core.kernels import kernel
from telos.logic.network import Floats, Ints, MostProbable, Network, Unsatisfiable
from telos.logic.search.conflicts import conflict_of
from telos.logic.search.potentials import (
    KERNEL,
    ROUNDING,
    Landscape,
    Potentials,
    Solved,
    landscape_of,
    potentials_of,
    seeds,
    state_at,
)

TRAIL = 4096  # changes since the best world that are remembered one by one
HOT, COLD = 2.0, 0.05  # where annealing begins and ends, in usual weights
COOLING = 200  # sweeps from hot to cold
SWEEPS = 1000  # of the climb at the end, at most


def walksat(
    network: Network,
    seed: int = 0,
    *,
    weights: Floats | None = None,
    steps: int = 100_000,
    restarts: int = 5,
    noise: float = 0.1,
) -> MostProbable | Unsatisfiable:
    """Look for the most probable world by MaxWalkSAT: ``restarts`` walks of ``steps`` changes, a share at random."""
    _check(steps, restarts, noise)
    potentials = potentials_of(network, weights)
    solved = walk(potentials, seed, steps=steps, restarts=restarts, noise=noise)
    if solved is None:
        return conflict_of(network)
    if np.isneginf(solved.score):
        return no_world(network, potentials)
    return MostProbable(potentials.whole(solved.world), solved.score, solved.bound, "walksat", restarts)


def walk(
    potentials: Potentials, seed: int, *, steps: int = 100_000, restarts: int = 5, noise: float = 0.1
) -> Solved | None:
    """Return the best world of several walks; None if single variables have no allowed value."""
    if not potentials.is_possible:
        return None
    bound = potentials.ceiling()
    land = landscape_of(potentials, hard_weight(potentials))
    rng, usual = Random(seed), _usual_weight(potentials)
    best: Solved | None = None
    for attempt in range(restarts):
        world = potentials.greedy() if attempt == 0 else _annealed(land, usual, rng)
        found = _one_walk(land, world, rng, steps, noise)
        score = potentials.score(found)
        if best is None or score > best.score:
            best = Solved(found, score, bound)
        if best.score >= bound - ROUNDING:
            break
    return best


def hard_weight(potentials: Potentials) -> float:
    """Return a weight that outbids all soft formulas together."""
    spread = [np.where(np.isfinite(each.values), np.abs(each.values), 0.0).max(axis=1) for each in potentials.tables]
    soft = np.where(np.isfinite(potentials.clauses.gain), np.abs(potentials.clauses.gain), 0.0)
    single = np.where(np.isfinite(potentials.single), np.abs(potentials.single), 0.0)
    return 1.0 + 2.0 * float(sum(part.sum() for part in (*spread, soft, single)))


def no_world(network: Network, potentials: Potentials) -> Unsatisfiable:
    """Answer a walk that never kept all hard formulas: if nothing can, say why; otherwise say what finds one."""
    from telos.logic.search.integer_program import is_possible

    if is_possible(potentials):
        raise TelosError(
            "the walk met no world that keeps all hard formulas", "give it more steps, or use method='cpi'"
        )
    return conflict_of(network)


def _usual_weight(potentials: Potentials) -> float:
    """Return how much a formula that is neither light nor hard matters: the measure of heat."""
    lows = [np.where(np.isfinite(each.values), each.values, np.inf).min(axis=1) for each in potentials.tables]
    spread = [each.values.max(axis=1) - low for each, low in zip(potentials.tables, lows, strict=True)]
    soft = np.concatenate([*spread, np.abs(potentials.clauses.gain[np.isfinite(potentials.clauses.gain)])])
    soft = soft[np.isfinite(soft) & (soft > 0)]
    return float(np.median(soft)) if len(soft) else 1.0


def _annealed(land: Landscape, usual: float, rng: Random) -> Ints:
    """Return a world that cooled down from a random one: a better place to walk from, where formulas disagree."""
    world = np.array([rng.randrange(size) for size in land.sizes.tolist()], dtype=np.int32)
    scratch = np.zeros(int(land.sizes.max(initial=1)))
    state = state_at(land, world)
    kernel(*KERNEL).anneal(land, state, scratch, seeds(rng), HOT * usual, COLD * usual, COOLING)
    return world


def _one_walk(land: Landscape, world: Ints, rng: Random, steps: int, noise: float) -> Ints:
    moves, best, state = kernel(*KERNEL), world.copy(), state_at(land, world)
    trail, move = np.zeros(TRAIL, np.int32), np.zeros(2, np.int32)
    moves.walk(land, state, best, trail, seeds(rng), move, steps, noise)
    moves.climb(land, state._replace(world=best), SWEEPS)
    return best


def _check(steps: int, restarts: int, noise: float) -> None:
    if steps < 0 or restarts < 1:
        raise TelosError(f"a walk needs no fewer than 0 steps and 1 restart, got {steps} and {restarts}")
    if not 0.0 <= noise <= 1.0:
        raise TelosError(f"noise is a share from 0 to 1, got {noise}")
