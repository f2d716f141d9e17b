"""Traces of games, for studios that look on: kept in memory, the last minutes of each game, and nothing after the end.

    POST /v1/traces ──▶ TraceBoard ──▶ GET /v1/traces/{game}?after=SEQ&wait=SECONDS ──▶ telos play --attach

A studio that comes late first gets all that the game has told so far as one trace. Games are told whether somebody
looks on, and whether a pause is asked for; a pause ends when no studio asks for traces any more.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from telos.service.messages import ProblemCode, ServiceError
from telos.traces import (
    LOOKING_SECONDS,
    GameLine,
    GameList,
    GameTrace,
    TraceAnswer,
    TraceBatch,
    TraceState,
)

MAX_GAMES = 64
MAX_KEPT = 600  # traces of each game, for studios that are late
MAX_WAIT = 10.0  # seconds that a studio may wait for the next trace
MAX_BATCH = 200  # traces in one answer


@dataclass(slots=True)
class BoardGame:
    """One game: the sum of its traces, the last of them, and what studios ask for."""

    name: str
    state: TraceState = field(default_factory=TraceState)
    traces: deque[tuple[int, GameTrace]] = field(default_factory=lambda: deque(maxlen=MAX_KEPT))
    seq: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    until: float = 0.0  # when studios are taken to be gone
    asked_pause: bool = False

    def add(self, trace: GameTrace) -> None:
        """Add a trace, and wake who waits for it."""
        self.state.merge(trace)
        self.seq += 1
        self.traces.append((self.seq, trace))
        self.news.set()
        self.news = asyncio.Event()

    def answer(self, now: float) -> TraceAnswer:
        """Return what the game is told."""
        is_watched = now < self.until
        return TraceAnswer(self.seq, paused=self.asked_pause and is_watched, watched=is_watched)

    def batch(self, after: int | None) -> TraceBatch:
        """Return the traces after a number; without one, or after one that is not known, the sum of all."""
        batch = TraceBatch(self.name, self.seq, self.state.run, 0, self.asked_pause, self.state.has_ended)
        if after is None or after > self.seq:
            batch.traces = [self.state.snapshot()] if self.seq else []
            return batch
        found = [(number, trace) for number, trace in self.traces if number > after][:MAX_BATCH]
        batch.lost = max(0, (found[0][0] if found else self.seq + 1) - after - 1)
        batch.seq = found[-1][0] if found else self.seq
        batch.traces = [trace for _, trace in found]
        return batch


class TraceBoard:
    """The games that send traces to a service; of too many, the one that was silent longest is dropped.

    >>> board = TraceBoard()
    >>> board.post([GameTrace("village", time=1.0)]).seq
    1
    >>> board.games().games[0].name
    'village'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._games: OrderedDict[str, BoardGame] = OrderedDict()

    def post(self, traces: list[GameTrace]) -> TraceAnswer:
        """Add traces of one game or of several; the answer is about the last one."""
        if not traces:
            raise ServiceError(ProblemCode.INVALID, "there is no trace in the list", "send one at least")
        for trace in traces:
            game = self._games.setdefault(trace.game, BoardGame(trace.game))
            game.add(trace)
            self._games.move_to_end(trace.game)
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)
        return game.answer(self._clock())

    def games(self) -> GameList:
        """Return all games, the one that was heard of last first."""
        return GameList([GameLine(each.name, each.state.run, each.seq, each.state.has_ended)
                         for each in reversed(self._games.values())])  # fmt: skip

    def find(self, name: str) -> BoardGame:
        """Return a game by its name."""
        if name not in self._games:
            raise ServiceError(
                ProblemCode.NOT_FOUND, f"no game {name[:80]!r} has sent traces", "POST some to /v1/traces"
            )
        return self._games[name]

    async def read(self, name: str, after: int | None, wait: float) -> TraceBatch:
        """Return what is new in a game, waiting for it at most so long."""
        game, wait = self.find(name), min(max(wait, 0.0), MAX_WAIT)
        if self._clock() >= game.until:
            game.asked_pause = False  # of a studio that is gone
        game.until = self._clock() + wait + LOOKING_SECONDS
        if after is not None and after == game.seq and wait and not game.state.has_ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(game.news.wait(), wait)
        return game.batch(after)

    def ask_pause(self, name: str, on: bool) -> TraceAnswer:
        """Ask a game to stand still, or to go on."""
        game = self.find(name)
        game.until, game.asked_pause = max(game.until, self._clock() + LOOKING_SECONDS), on
        return game.answer(self._clock())

    def answer(self, name: str) -> TraceAnswer:
        """Return what a game is told, for one that stands still and has nothing to send."""
        return self.find(name).answer(self._clock())
