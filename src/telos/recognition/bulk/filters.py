"""The three algorithms over events of many players: ``filter``, ``smooth`` and ``viterbi``."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.recognition.bulk.arrays import Array, ModelArrays
from telos.recognition.bulk.runner import (
    EventSequences,
    KernelRunner,
    belief_buffer,
    check_sequences,
    initial_beliefs,
)


class FilterResult(NamedTuple):
    """Beliefs, one row per player or per event, and the log-likelihood and ignored events of each player."""

    beliefs: Array
    log_likelihoods: Array  # without the events that were ignored
    ignored: NDArray[np.int64]  # the number of events that no goal allows


class ViterbiResult(NamedTuple):
    """The Viterbi path of each player: the index of the goal at each event, and the log-likelihood of the path."""

    path: NDArray[np.uint8]
    log_likelihoods: Array


def filter(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    beliefs: bool = False,
    prior: ArrayLike | None = None,
    out: Array | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> FilterResult:
    """Filter all events; return the last belief about each player, or with ``beliefs`` that after each event.

    ``inputs`` are the indices of the transition matrices before each event (default: the first), ``lengths`` or
    ``offsets`` separate the events of players. ``prior`` is one belief for all players, or one row each, so that a
    session can continue. ``out`` is an array for the beliefs at each event; allocating a new one takes a good part of
    the time. Without Numba (or with ``compiled=False``) the kernel runs as plain Python: the same numbers, slowly.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> filter(model, [0, 1, 0], lengths=[1, 2], compiled=False).beliefs.round(3).tolist()
    [[0.75, 0.25], [0.643, 0.357]]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    history = belief_buffer(len(events.symbols), len(model.goals), out) if beliefs else None
    return _filtered(model, events, runner, initial_beliefs(model, prior, events.count), history)


def smooth(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    out: Array | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> FilterResult:
    """Return the belief at each event given all events of its player (forward-backward); arguments as for ``filter``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> smooth(model, [0, 1, 0], compiled=False).beliefs.round(3).tolist()
    [[0.692, 0.308], [0.481, 0.519], [0.692, 0.308]]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    history = belief_buffer(len(events.symbols), len(model.goals), out)
    return _filtered(model, events, runner, initial_beliefs(model, prior, events.count), history, is_smoothed=True)


def viterbi(
    model: ModelArrays,
    symbols: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    lengths: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> ViterbiResult:
    """Return the likeliest sequence of goals of each player; arguments as for ``filter``.

    Ties go to the goal that comes first in the model, judged from the end.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.125, 0.875]])
    >>> viterbi(model, [0, 1, 1], compiled=False).path.tolist()
    [0, 1, 1]
    """
    events = check_sequences(model, symbols, inputs, lengths, offsets)
    runner = KernelRunner(len(model.goals), threads=threads, compiled=compiled)
    size, bounds = len(model.goals), events.offsets
    log_transitions, log_likelihoods = _logs(model.transitions), _logs(model.likelihoods)
    scores = _logs(initial_beliefs(model, prior, events.count))
    path, totals = np.empty(len(events.symbols), np.uint8), np.zeros(events.count)

    def work(first: int, end: int) -> None:
        came_from = np.empty((bounds[end] - bounds[first]) * size, np.uint8)
        known = (log_transitions, log_likelihoods, events.symbols, events.inputs, events.stride, bounds, first, end)
        runner.call("viterbi_players", *known, scores, totals, came_from, path, *runner.room())

    runner.over(bounds, work)
    return ViterbiResult(path, totals)


def _logs(chances: Array) -> Array:
    """Return logarithms in a flat array, -inf for 0; those of ``math``, so that ties are broken as for one player."""
    values, places = np.unique(chances, return_inverse=True)
    found = np.array([math.log(value) if value > 0 else -math.inf for value in values.tolist()])
    return found[places.reshape(-1)]


def _filtered(
    model: ModelArrays,
    events: EventSequences,
    runner: KernelRunner,
    chances: Array,
    history: Array | None,
    *,
    is_smoothed: bool = False,
) -> FilterResult:
    """Filter and, block by block while the beliefs are in the cache, smooth; all beliefs are written to ``history``."""
    count, bounds = events.count, events.offsets
    transitions, likelihoods = model.transitions.ravel(), model.likelihoods.ravel()
    products, logs, ignored = np.ones(count), np.zeros(count), np.zeros(count, np.int64)
    kept = np.empty(0) if history is None else history.reshape(-1)

    def work(first: int, end: int) -> None:
        known = (transitions, likelihoods, events.symbols, events.inputs, events.stride, bounds, first, end)
        found = (chances.reshape(-1), products, logs, ignored, kept, history is not None)
        runner.call("filter_players", *known, *found, *runner.room())
        if is_smoothed:
            known_too = (transitions, events.inputs, events.stride, bounds, first, end)
            runner.call("smooth_players", *known_too, kept, *runner.room())

    runner.over(bounds, work)
    return FilterResult(chances if history is None else history, logs + np.log(products), ignored)
