"""Marginals by sampling: Gibbs sampling where nothing is forbidden, MC-SAT where hard formulas tie variables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.kernels import kernel
from telos.logic.network import NO_LIMIT, Deadline, Floats, Ints, Marginals, Network, Unsatisfiable
from telos.logic.search import integer_program
from telos.logic.search.conflicts import find_conflict
from telos.logic.search.potentials import KERNEL, Potentials, draw_seeds, start_state, to_potentials, to_search_arrays

MIN_VARIANCE = 1e-10  # smaller variances between chains are rounding errors
FORBIDDEN = 1e30  # cost of a broken hard formula; no soft formulas can compensate it
FLIPS_PER_VARIABLE = 10  # of SampleSAT before it gives up; successful runs need fewer
MIN_FLIPS = 10_000
BURN_IN_SHARE = 0.2  # of the time, at most


@dataclass(frozen=True, slots=True)
class SampledMarginals(Marginals):
    """Marginals estimated by several chains, each with its own start.

    ``error`` is the largest standard error of a probability over the chains. ``r_hat`` (Gelman and Rubin, 1992) is near
    1 if the chains agree; above about 1.1, more samples are needed.
    """

    samples: int = 0  # of each chain, of the shortest if the time was up
    chains: int = 1
    error: float = 0.0
    r_hat: float = 1.0
    stopped: bool = False  # the time was up before all samples were drawn


def gibbs(
    network: Network,
    seed: int = 0,
    *,
    weights: Floats | None = None,
    samples: int = 2000,
    burn_in: int = 200,
    chains: int = 4,
    deadline: Deadline = NO_LIMIT,
) -> SampledMarginals | Unsatisfiable:
    """Estimate all marginals by Gibbs sampling; a block is one variable.

    Where hard formulas tie variables, a chain of single changes may not reach all worlds: MC-SAT is used instead, and
    ``method`` of the result says so. When the time is up, the samples drawn by then count.
    """
    _check(samples, burn_in, chains)
    potentials = to_potentials(network, weights)
    if potentials.has_traps:
        return mcsat(network, seed, weights=weights, samples=samples, burn_in=burn_in, chains=chains, deadline=deadline)
    return _run_chains("gibbs", network, potentials, seed, samples, burn_in, chains, deadline)


def mcsat(
    network: Network,
    seed: int = 0,
    *,
    weights: Floats | None = None,
    samples: int = 2000,
    burn_in: int = 200,
    chains: int = 4,
    deadline: Deadline = NO_LIMIT,
) -> SampledMarginals | Unsatisfiable:
    """Estimate all marginals by MC-SAT: worlds drawn nearly uniformly from slices.

    When the time is up, the samples drawn by then count.
    """
    _check(samples, burn_in, chains)
    potentials = to_potentials(network, weights)
    return _run_chains("mcsat", network, potentials, seed, samples, burn_in, chains, deadline)


@dataclass(frozen=True, slots=True)
class SampledChain:
    """The share of each value of the open variables in one chain, and the number of its samples."""

    shares: Floats
    samples: int


class _Sampler:
    """The arrays that all chains share."""

    def __init__(self, potentials: Potentials, seed: int) -> None:
        self._potentials = potentials
        self._arrays = to_search_arrays(potentials, FORBIDDEN)
        self._kernels = kernel(*KERNEL)
        self._rng = Random(seed)
        self._state = start_state(self._arrays, potentials.greedy_world())
        self._start = potentials.start.astype(np.int32)
        self._scratch = np.zeros(int(potentials.sizes.max(initial=1)))
        self._move = np.zeros(2, np.int32)
        self._steps = max(MIN_FLIPS, FLIPS_PER_VARIABLE * len(potentials.sizes))

    def compile(self) -> None:
        """Run every kernel for no steps, which compiles it where that was never done."""
        world, sums = self._potentials.greedy_world(), np.zeros(len(self._potentials.single))
        state, seeds = self._state._replace(world=world), draw_seeds(Random(0))
        self._kernels.gibbs(self._arrays, state, self._start, sums, self._scratch, seeds, 0, False)
        self._kernels.mcsat(
            self._arrays, state, world.copy(), self._start, sums, self._scratch, seeds, self._move, 0, 0, False, 0
        )
        self._kernels.sample_sat(self._arrays, state, seeds, self._move, 0)

    def gibbs(self, samples: int, burn_in: int, deadline: Deadline) -> SampledChain:
        """Run one chain."""
        state = self._state._replace(world=self._allowed_values())
        seeds = draw_seeds(self._rng)

        def run(first: int, count: int, sums: Floats, is_counted: bool) -> None:
            self._kernels.gibbs(self._arrays, state, self._start, sums, self._scratch, seeds, count, is_counted)

        return self._sample(run, samples, burn_in, deadline)

    def mcsat(self, samples: int, burn_in: int, deadline: Deadline) -> SampledChain | None:
        """Run one chain; None if no world keeps all hard formulas."""
        world = self.find_allowed_world(deadline)
        if world is None:
            return None
        state, kept = self._state._replace(world=world), world.copy()
        seeds = draw_seeds(self._rng)

        def run(first: int, count: int, sums: Floats, is_counted: bool) -> None:
            self._kernels.mcsat(
                self._arrays, state, kept, self._start, sums, self._scratch, seeds, self._move, first, count,
                is_counted, self._steps,
            )  # fmt: skip

        return self._sample(run, samples, burn_in, deadline)

    def _sample(
        self, run: Callable[[int, int, Floats, bool], None], samples: int, burn_in: int, deadline: Deadline
    ) -> SampledChain:
        """Draw and drop the samples of the burn-in, then draw those that count; at least one, however late."""
        sums = np.zeros(len(self._potentials.single))
        drawn = counted = 0
        for count in deadline.share(BURN_IN_SHARE).chunks(burn_in if deadline.left else 0):
            run(drawn, count, sums, False)
            drawn += count
        for count in deadline.chunks(samples):
            run(drawn, count, sums, True)
            drawn, counted = drawn + count, counted + count
        return SampledChain(sums / counted, counted)

    def find_allowed_world(self, deadline: Deadline) -> Ints | None:
        """Return a random world that keeps all hard formulas, by SampleSAT, or by HiGHS if that fails."""
        state = self._state._replace(world=self._allowed_values())
        state.limit[:] = -FORBIDDEN / 2
        state.need[:] = self._arrays.gain >= FORBIDDEN
        if self._kernels.sample_sat(self._arrays, state, draw_seeds(self._rng), self._move, self._steps):
            return np.asarray(state.world)
        solved = integer_program.solve(self._potentials, deadline=deadline)
        return None if solved is None else solved.world

    def _allowed_values(self) -> Ints:
        """Return a random world in which every value is allowed by itself."""
        allowed, start = np.isfinite(self._potentials.single), self._potentials.start
        counts = np.diff(np.append(0, np.cumsum(allowed))[start]).tolist()
        choices = [
            range(b - a) if count == b - a else np.flatnonzero(allowed[a:b]).tolist()
            for a, b, count in zip(start[:-1].tolist(), start[1:].tolist(), counts, strict=True)
        ]
        return np.array([self._rng.choice(each) for each in choices], dtype=np.int32)


def _run_chains(
    method: Literal["gibbs", "mcsat"],
    network: Network,
    potentials: Potentials,
    seed: int,
    samples: int,
    burn_in: int,
    chains: int,
    deadline: Deadline,
) -> SampledMarginals | Unsatisfiable:
    """Draw chain after chain until the time is up, and sum them up; without an allowed world, say what conflicts."""
    if not potentials.is_possible:
        return find_conflict(network, deadline=deadline)
    sampler = _Sampler(potentials, seed)
    with deadline.paused():
        sampler.compile()
    draw = sampler.gibbs if method == "gibbs" else sampler.mcsat
    found: list[SampledChain] = []
    for number in range(chains):
        if found and deadline.is_over:
            break
        chain = draw(samples, burn_in, deadline.share(1 / (chains - number)))
        if chain is None:
            return find_conflict(network, deadline=deadline)
        found.append(chain)
    return summarize_chains(network, potentials, found, samples=samples, method=method)


def _check(samples: int, burn_in: int, chains: int) -> None:
    if samples < 1 or burn_in < 0 or chains < 1:
        raise TelosError(
            f"samples and chains must be at least 1 and burn_in at least 0, got {samples}, {chains} and {burn_in}"
        )


# --- several chains ---------------------------------------------------------------------------------------------------


def summarize_chains(
    network: Network, potentials: Potentials, found: Sequence[SampledChain], *, samples: int, method: str
) -> SampledMarginals:
    """Return the marginals from the shares of each chain for each value of the open variables.

    ``samples`` is the number that each chain should have drawn.
    """
    shares, drawn = np.array([chain.shares for chain in found]), min(chain.samples for chain in found)
    start = np.concatenate([[0], np.cumsum(network.sizes)]).astype(np.int64)
    probabilities = np.zeros(int(start[-1]))
    probabilities[start[:-1] + potentials.known] = 1.0
    probabilities[_positions(start, potentials)] = shares.mean(axis=0)
    chains = len(shares)
    error = float(shares.std(axis=0, ddof=1).max(initial=0.0) / np.sqrt(chains)) if chains > 1 else float("nan")
    r_hat = _r_hat(shares, drawn)
    return SampledMarginals(start, probabilities, None, False, method, drawn, chains, error, r_hat, drawn < samples)


def _positions(start: NDArray[np.int64], potentials: Potentials) -> NDArray[np.int64]:
    """Return the positions of the open variables' values among those of all variables."""
    within = np.arange(int(potentials.start[-1])) - np.repeat(potentials.start[:-1], potentials.sizes)
    return np.asarray(np.repeat(start[potentials.open], potentials.sizes) + within)


def _r_hat(shares: Floats, samples: int) -> float:
    """Return the largest ratio of the spread over all chains to that within each; 1 if they agree."""
    if len(shares) < 2:
        return float("nan")
    inside = (shares * (1.0 - shares)).mean(axis=0)
    between = shares.var(axis=0, ddof=1)
    moves = between > MIN_VARIANCE
    if not moves.any():
        return 1.0
    with np.errstate(divide="ignore"):
        ratio = (samples - 1) / samples + between[moves] / inside[moves]
    return float(np.sqrt(ratio.max()))
