"""Games of many simulated players, as a corpus: what they did, and what they were after meanwhile."""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.island.visit import Visit

Progress = Callable[[int, int], None]  # games that are done, and games in all


@dataclass(frozen=True, slots=True)
class Recording:
    """One player's game. ``intentions`` holds, for each event, the goal that the player had in mind: nobody but a
    study may look at it.
    """

    player: str
    style: str
    events: tuple[Event, ...]
    intentions: tuple[str, ...]
    solved: bool


def record_player(number: int, seed: int, *, style: str | None = None) -> Recording:
    """Let one player play; the seed and their number fix everything.

    >>> game = record_player(3, seed=1)
    >>> game.player, len(game.events) == len(game.intentions), game.events == record_player(3, seed=1).events
    ('player-003', True, True)
    """
    visit = Visit(seed, number=number, style=style)
    events: list[Event] = []
    intentions: list[str] = []
    while not visit.island.is_over:
        event = visit.step()
        if event is not None:
            events.append(event)
            intentions.append(visit.islander.intention)
    return Recording(visit.player, visit.islander.temper.style, tuple(events), tuple(intentions), visit.view.is_solved)


def record_players(
    players: int, seed: int, jobs: int = 1, progress: Progress | None = None, *, style: str | None = None
) -> list[Recording]:
    """Let so many players play, each the same whatever the number of ``jobs`` that they are shared among."""
    if isinstance(players, bool) or not isinstance(players, int) or players < 1:
        raise TelosError(f"players is how many play, 1 or more, got {players!r}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise TelosError(f"jobs is how many processes share the work, 1 or more, got {jobs!r}")
    games: list[Recording] = []
    for game in _games(players, seed, jobs, style):
        games.append(game)
        if progress is not None:
            progress(len(games), players)
    return games


def _games(players: int, seed: int, jobs: int, style: str | None) -> Iterator[Recording]:
    one = partial(record_player, seed=seed, style=style)
    if jobs == 1 or players == 1:
        yield from map(one, range(players))
        return
    # Started afresh, not forked: a progress bar has threads, and a fork in the middle of one may hang.
    with ProcessPoolExecutor(min(jobs, players), mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            yield from pool.map(one, range(players))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # whoever stops early need not wait for the rest


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits
