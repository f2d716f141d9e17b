"""MaxWalkSAT over variables with any number of values: change a variable of a broken formula, mostly for the better.

The first walk starts at the greedy world, the others in annealed worlds. The result is the best world met. Its bound is
the sum of all factors' maxima: usually far off but valid, so ``exact`` holds only where nothing is broken.
"""

from dataclasses import replace
from random import Random

import numpy as np

from telos.core.errors import TelosError
from telos.core.kernels import kernel
from telos.logic.network import NO_LIMIT, Deadline, Floats, Ints, MostProbable, Network, Unsatisfiable
from telos.logic.search.conflicts import find_conflict
from telos.logic.search.potentials import (
    KERNEL,
    ROUNDING,
    Potentials,
    SearchArrays,
    Solution,
    draw_seeds,
    start_state,
    to_potentials,
    to_search_arrays,
)

MAX_TRAIL = 4096  # changes since the best world that are recorded
HOT, COLD = 2.0, 0.05  # temperatures of annealing, in median weights
COOLING_SWEEPS = 200  # sweeps from hot to cold
MAX_CLIMB_SWEEPS = 1000  # of the final hill climbing
WALK_SHARE = 0.8  # of the time; the rest is to find out why no allowed world was met


def walksat(
    network: Network,
    seed: int = 0,
    *,
    weights: Floats | None = None,
    steps: int = 100_000,
    restarts: int = 5,
    noise: float = 0.1,
    deadline: Deadline = NO_LIMIT,
) -> MostProbable | Unsatisfiable:
    """Search for the most probable world by MaxWalkSAT: ``restarts`` walks of ``steps`` changes, ``noise`` random."""
    _check(steps, restarts, noise)
    potentials = to_potentials(network, weights)
    solved = search_world(
        potentials, seed, steps=steps, restarts=restarts, noise=noise, deadline=deadline.share(WALK_SHARE)
    )
    if solved is None:
        return find_conflict(network, deadline=deadline)
    if np.isneginf(solved.score):
        return explain_failure(network, potentials, deadline)
    values = potentials.complete(solved.world)
    return MostProbable(values, solved.score, solved.bound, "walksat", solved.walks, solved.walks < restarts)


def search_world(
    potentials: Potentials,
    seed: int,
    *,
    steps: int = 100_000,
    restarts: int = 5,
    noise: float = 0.1,
    deadline: Deadline = NO_LIMIT,
) -> Solution | None:
    """Return the best world of several walks; None if a variable has no allowed value."""
    if not potentials.is_possible:
        return None
    bound = potentials.upper_bound()
    arrays = to_search_arrays(potentials, hard_weight(potentials))
    with deadline.paused():
        _compile(arrays, potentials.greedy_world())
    rng, usual = Random(seed), _usual_weight(potentials)
    best: Solution | None = None
    for attempt in range(restarts):
        world = potentials.greedy_world() if attempt == 0 else _anneal_world(arrays, usual, rng, deadline)
        found = _walk_once(arrays, world, rng, steps, noise, deadline)
        score = potentials.score(found)
        if best is None or score > best.score:
            best = Solution(found, score, bound)
        if best.score >= bound - ROUNDING:
            return replace(best, walks=restarts)
        if deadline.is_over:
            return replace(best, walks=attempt)
    return None if best is None else replace(best, walks=restarts)


def _compile(arrays: SearchArrays, world: Ints) -> None:
    """Run every kernel for no steps, which compiles it where that was never done."""
    moves, state, none = kernel(*KERNEL), start_state(arrays, world), np.zeros(0, np.int32)
    seeds, scratch = draw_seeds(Random(0)), np.zeros(int(arrays.sizes.max(initial=1)))
    moves.start_walk(arrays, state)
    moves.walk(arrays, state, world.copy(), none, seeds, np.zeros(2, np.int32), 0, 0.0, np.zeros(3))
    moves.climb(arrays, state, 0)
    moves.anneal(arrays, state, scratch, seeds, 1.0, 1.0, 0)


def hard_weight(potentials: Potentials) -> float:
    """Return a weight larger than all soft formulas together."""
    spread = [np.where(np.isfinite(each.values), np.abs(each.values), 0.0).max(axis=1) for each in potentials.tables]
    soft = np.where(np.isfinite(potentials.clauses.gain), np.abs(potentials.clauses.gain), 0.0)
    single = np.where(np.isfinite(potentials.single), np.abs(potentials.single), 0.0)
    return 1.0 + 2.0 * float(sum(part.sum() for part in (*spread, soft, single)))


def explain_failure(network: Network, potentials: Potentials, deadline: Deadline) -> Unsatisfiable:
    """Return the conflict if no world keeps all hard formulas; otherwise raise an error with a remedy."""
    from telos.logic.search.integer_program import is_possible

    remedy = "give it more time" if deadline.is_over else "give it more time or steps, or use method='cpi'"
    if deadline.is_over or is_possible(potentials, deadline=deadline):
        raise TelosError("the search met no world that keeps all hard formulas", remedy)
    return find_conflict(network, deadline=deadline)


def _usual_weight(potentials: Potentials) -> float:
    """Return the median weight of a soft formula, the unit of temperature."""
    lows = [np.where(np.isfinite(each.values), each.values, np.inf).min(axis=1) for each in potentials.tables]
    spread = [each.values.max(axis=1) - low for each, low in zip(potentials.tables, lows, strict=True)]
    soft = np.concatenate([*spread, np.abs(potentials.clauses.gain[np.isfinite(potentials.clauses.gain)])])
    soft = soft[np.isfinite(soft) & (soft > 0)]
    return float(np.median(soft)) if len(soft) else 1.0


def _anneal_world(arrays: SearchArrays, usual: float, rng: Random, deadline: Deadline) -> Ints:
    """Return a world annealed from a random one, a better start where formulas conflict."""
    world = np.array([rng.randrange(size) for size in arrays.sizes.tolist()], dtype=np.int32)
    scratch = np.zeros(int(arrays.sizes.max(initial=1)))
    state, seeds, anneal = start_state(arrays, world), draw_seeds(rng), kernel(*KERNEL).anneal
    temperature, cooling = HOT * usual, (COLD * usual / (HOT * usual)) ** (1.0 / COOLING_SWEEPS)
    for sweeps in deadline.chunks(COOLING_SWEEPS):
        temperature = anneal(arrays, state, scratch, seeds, temperature, cooling, sweeps)
    return world


def _walk_once(arrays: SearchArrays, world: Ints, rng: Random, steps: int, noise: float, deadline: Deadline) -> Ints:
    moves, best, state = kernel(*KERNEL), world.copy(), start_state(arrays, world)
    trail, move, seeds = np.zeros(MAX_TRAIL, np.int32), np.zeros(2, np.int32), draw_seeds(rng)
    progress = np.zeros(3)
    moves.start_walk(arrays, state)
    for count in deadline.chunks(steps):
        moves.walk(arrays, state, best, trail, seeds, move, count, noise, progress)
    for sweeps in deadline.chunks(MAX_CLIMB_SWEEPS):
        if not moves.climb(arrays, state._replace(world=best), sweeps):
            break
    return best


def _check(steps: int, restarts: int, noise: float) -> None:
    if steps < 0 or restarts < 1:
        raise TelosError(f"a walk needs at least 0 steps and 1 restart, got {steps} and {restarts}")
    if not 0.0 <= noise <= 1.0:
        raise TelosError(f"noise must be from 0 to 1, got {noise}")
