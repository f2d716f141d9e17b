"""``Client``: a client of a service for games with a loop of their own; a thread sends and hears."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from telos.service.client.connection import AsyncClient, player_path
from telos.service.client.outbox import DeliveryCounts, Fact, Notice, PlayerBelief


class Client:
    """A client of a service whose methods return at once; options are those of ``AsyncClient``.

        client = telos.service.Client("http://127.0.0.1:8700")
        while playing:
            client.send("ann", "swing", {"monsters": 2})
            for notice in client.poll(): ...
        client.close()

    ``plan``, ``choose`` and ``player`` return futures: look at ``done()`` in later frames, or wait with ``result()``.
    """

    def __init__(self, address: str, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(address, **options)
        self._thread = threading.Thread(target=self._run, name="telos-client", daemon=True)
        self._askers = ThreadPoolExecutor(4, thread_name_prefix="telos-client-ask")
        self._thread.start()
        self._loop.call_soon_threadsafe(self._client.open)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(0.0 if error else 5.0)

    def close(self, seconds: float = 5.0) -> int:
        """Send what waits for at most so many seconds, and end; return how many events are not acknowledged."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._client.close(seconds), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._askers.shutdown(wait=False, cancel_futures=True)
        return self.counts.waiting

    def send(
        self,
        player: str,
        action: str,
        context: Mapping[str, Fact] | None = None,
        *,
        time: float | None = None,
        goal: str | None = None,
    ) -> bool:
        """Queue an event and return at once; False if the queue is full and the event is dropped."""
        taken = self._client.outbox.add(player, action, context, time=time, goal=goal)
        self._wake()
        return taken

    def subscribe(self, *players: str) -> None:
        """Hear about players whoever sends their events; ``*`` is everybody."""
        self._client.outbox.subscribe(players)
        self._wake()

    def unsubscribe(self, *players: str) -> None:
        """Hear no longer about players."""
        self._client.outbox.unsubscribe(players)
        self._wake()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._client.wake)

    def belief(self, player: str, model: str | None = None) -> PlayerBelief | None:
        """Return the last belief that was heard about a player."""
        return self._client.belief(player, model)

    def poll(self) -> list[Notice]:
        """Return what has happened since the last call: beliefs, refusals, and what happens to the connection."""
        return self._client.outbox.take_notices()

    @property
    def counts(self) -> DeliveryCounts:
        return self._client.counts

    @property
    def connected(self) -> bool:
        return self._client.connected

    def settle(self, seconds: float = 30.0) -> bool:
        """Wait until every event is answered; return whether that was so in time. For tests and for the end."""
        return asyncio.run_coroutine_threadsafe(self._client.settle(seconds), self._loop).result()

    def plan(
        self, state: Mapping[str, Any], goal: str | Sequence[str] | None = None, **options: Any
    ) -> "Future[dict[str, Any]]":
        """Ask for a plan; options are ``domain``, ``actions`` and ``microseconds``."""
        return self._ask("POST", "/v1/plan", {"state": state, "goal": goal, **options})

    def choose(
        self, actions: Sequence[Mapping[str, Any]], goals: Sequence[Mapping[str, Any]], by: str = "discontentment"
    ) -> "Future[dict[str, Any]]":
        """Ask for the action that a character should do now."""
        return self._ask("POST", "/v1/choose", {"actions": actions, "goals": goals, "by": by})

    def player(self, name: str, model: str | None = None) -> "Future[dict[str, Any]]":
        """Ask what the service knows about a player, with ``why``."""
        return self._ask("GET", player_path(name, model))

    def _ask(self, *question: Any) -> "Future[dict[str, Any]]":
        ask: Callable[..., dict[str, Any]] = self._client.ask
        return self._askers.submit(ask, *question)
