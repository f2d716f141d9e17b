"""Reading players in bulk: filtering, smoothing and best paths over arrays of events, for any goal model.

The beliefs are those of a live ``Reader`` on the same events; millions of events a second instead of thousands.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from telos.recognition.bulk_arrays import Array, Encoded, ModelArrays, encode
from telos.recognition.bulk_players import PlayersInBulk
from telos.recognition.bulk_sequences import Runner, Sequences, beginnings, room_for, sequences

__all__ = ["Encoded", "Explained", "Filtered", "ModelArrays", "PlayersInBulk", "encode", "filter", "smooth", "viterbi"]


class Filtered(NamedTuple):
    """Beliefs, a row a player (or a row an event), and for each player the log-likelihood and what was ignored."""

    beliefs: Array
    log_likelihoods: Array  # without the events that were ignored
    ignored: NDArray[np.int64]  # how many events no goal allows


class Explained(NamedTuple):
    """The best path of each player: the number of the goal at each event, and the log-likelihood of the path."""

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
) -> Filtered:
    """Take every player through all events; return the last belief about each, or with ``beliefs`` that at each event.

    ``inputs`` says which transition matrix applies before each event (the first one if not given), and ``lengths`` or
    ``offsets`` where one player's events end and the next one's begin. ``prior`` is one belief for all players, or one
    row each, so a session can go on where the last one stopped. ``out`` is an array for the beliefs at each event: new
    memory is a good part of the time that they take. Without Numba (or with ``compiled=False``) the kernel runs as
    Python: the same numbers, slowly.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> filter(model, [0, 1, 0], lengths=[1, 2], compiled=False).beliefs.round(3).tolist()
    [[0.75, 0.25], [0.643, 0.357]]
    """
    events = sequences(model, symbols, inputs, lengths, offsets)
    runner = Runner(len(model.goals), threads=threads, compiled=compiled)
    history = room_for(len(events.symbols), len(model.goals), out) if beliefs else None
    return _filtered(model, events, runner, beginnings(model, prior, events.count), history)


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
) -> Filtered:
    """Return the belief at each event given all events of its player (forward-backward); arguments as for ``filter``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]])
    >>> smooth(model, [0, 1, 0], compiled=False).beliefs.round(3).tolist()
    [[0.692, 0.308], [0.481, 0.519], [0.692, 0.308]]
    """
    events = sequences(model, symbols, inputs, lengths, offsets)
    runner = Runner(len(model.goals), threads=threads, compiled=compiled)
    history = room_for(len(events.symbols), len(model.goals), out)
    return _filtered(model, events, runner, beginnings(model, prior, events.count), history, is_smoothed=True)


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
) -> Explained:
    """Return the likeliest sequence of goals of each player; arguments as for ``filter``.

    Of equally likely ones it is that with the earlier goals of the model, judged from its end.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> model = ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.125, 0.875]])
    >>> viterbi(model, [0, 1, 1], compiled=False).path.tolist()
    [0, 1, 1]
    """
    events = sequences(model, symbols, inputs, lengths, offsets)
    runner = Runner(len(model.goals), threads=threads, compiled=compiled)
    size, bounds = len(model.goals), events.offsets
    with np.errstate(divide="ignore"):  # what is impossible has the logarithm -inf, and loses against everything
        moves, sights = np.log(model.transitions).ravel(), np.log(model.likelihoods).ravel()
        scores = np.log(beginnings(model, prior, events.count)).ravel()
    path, totals = np.empty(len(events.symbols), np.uint8), np.zeros(events.count)

    def work(first: int, end: int) -> None:
        came_from = np.empty((bounds[end] - bounds[first]) * size, np.uint8)
        known = (moves, sights, events.symbols, events.inputs, events.stride, bounds, first, end)
        runner.call("explain_players", *known, scores, totals, came_from, path, *runner.room())

    runner.over(bounds, work)
    return Explained(path, totals)


def _filtered(
    model: ModelArrays,
    events: Sequences,
    runner: Runner,
    chances: Array,
    history: Array | None,
    *,
    is_smoothed: bool = False,
) -> Filtered:
    """Filter and, block by block while the beliefs are still in a cache, smooth; all beliefs go into the history."""
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
    return Filtered(chances if history is None else history, logs + np.log(products), ignored)
