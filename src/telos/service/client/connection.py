"""``AsyncClient``: a client of a service for programs that run on asyncio."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from ssl import SSLContext
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from telos.core.errors import TelosError
from telos.service.client.outbox import (
    ConnectionLost,
    ConnectionMade,
    DeliveryCounts,
    Fact,
    Notice,
    Outbox,
    PlayerBelief,
)

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

FIRST_WAIT, MAX_WAIT = 0.25, 15.0  # seconds before a connection is tried again
REFUSED = (4401, 4403)  # the token or the origin is not admitted: asking at once again does not help
ASK_SECONDS = 30.0


class ServiceProblem(TelosError):
    """A problem document of a service: ``status``, and all of it in ``document``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(str(document.get("detail", document)), str(document.get("remedy", "")))
        self.document = dict(document)
        self.status = int(document.get("status", 0))


class AsyncClient:
    """A client of a service: ``send`` never waits, and a task in the background sends and hears.

    Events wait in a queue of ``capacity`` while there is no connection; a further event is not taken, and told as
    dropped. A broken connection is made again with growing, random pauses (``retry``: the first and the longest).

        async with AsyncClient("http://127.0.0.1:8700") as client:
            client.send("ann", "swing", {"monsters": 2})
            async for notice in client.notices(): ...
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        model: str | None = None,
        capacity: int = 10_000,
        window: int = 16,
        every_belief: bool = False,
        sender: str = "",
        retry: tuple[float, float] = (FIRST_WAIT, MAX_WAIT),
        ssl: SSLContext | None = None,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise TelosError(f"{address!r} is no address of a service", "write http://HOST:PORT")
        _check_websockets()
        self.address = address.rstrip("/")
        self.outbox = Outbox(capacity, window, model, every_belief, sender)
        self._token, self._retry, self._ssl = token, retry, ssl
        self._wake = asyncio.Event()
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self.connected = False
        self.on_notice: Callable[[], None] = lambda: None

    async def __aenter__(self) -> Self:
        self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(0.0 if error else 5.0)

    def open(self) -> None:
        """Begin to connect; needs a running event loop."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self, seconds: float = 5.0) -> int:
        """Send what waits for at most so many seconds, and end; return how many events are not acknowledged."""
        if self._task is not None:
            await self.settle(seconds)
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
            self.connected = False
        self.outbox.is_closed = True
        return self.counts.waiting

    # --- events and beliefs -------------------------------------------------------------------------------------------

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
        taken = self.outbox.add(player, action, context, time=time, goal=goal)
        self._wake.set()
        return taken

    def subscribe(self, *players: str) -> None:
        """Hear about players whoever sends their events; ``*`` is everybody."""
        self.outbox.subscribe(players)
        self._wake.set()

    def unsubscribe(self, *players: str) -> None:
        """Hear no longer about players."""
        self.outbox.unsubscribe(players)
        self._wake.set()

    def belief(self, player: str, model: str | None = None) -> PlayerBelief | None:
        """Return the last belief that was heard about a player."""
        return self.outbox.belief(player, model)

    @property
    def counts(self) -> DeliveryCounts:
        return self.outbox.counts

    async def notices(self) -> AsyncIterator[Notice]:
        """Yield beliefs, refusals and what happens to the connection, without end."""
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self.outbox.has_notices)
            for notice in self.outbox.take_notices():
                yield notice

    def wake(self) -> None:
        """Look at the outbox again; other threads call it by ``loop.call_soon_threadsafe``."""
        self._wake.set()

    async def settle(self, seconds: float) -> bool:
        """Wait until every event is answered; return whether that was so in time."""
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: not self.counts.waiting)
        except TimeoutError:
            pass
        return not self.counts.waiting

    # --- questions ----------------------------------------------------------------------------------------------------

    async def plan(
        self, state: Mapping[str, Any], goal: str | Sequence[str] | None = None, **options: Any
    ) -> dict[str, Any]:
        """Return a plan for a character; options are ``domain``, ``actions`` and ``microseconds``."""
        return await asyncio.to_thread(self.ask, "POST", "/v1/plan", {"state": state, "goal": goal, **options})

    async def choose(
        self, actions: Sequence[Mapping[str, Any]], goals: Sequence[Mapping[str, Any]], by: str = "discontentment"
    ) -> dict[str, Any]:
        """Return the action that a character should do now."""
        body = {"actions": actions, "goals": goals, "by": by}
        return await asyncio.to_thread(self.ask, "POST", "/v1/choose", body)

    async def player(self, name: str, model: str | None = None) -> dict[str, Any]:
        """Return what the service knows about a player, with ``why``."""
        return await asyncio.to_thread(self.ask, "GET", player_path(name, model))

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask over HTTP and wait for the answer; a problem is raised as ``ServiceProblem``."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        if self._token is not None:
            request.add_header("authorization", f"Bearer {self._token}")
        try:
            with urlopen(request, timeout=ASK_SECONDS, context=self._ssl) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except HTTPError as error:
            with error:
                raise ServiceProblem(_document(error.read(), error.code)) from None
        except (URLError, OSError) as error:
            reason = f"{self.address} does not answer: {getattr(error, 'reason', error)}"
            raise ServiceProblem({"status": 0, "detail": reason, "remedy": "ask again later"}) from None

    # --- the connection -----------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        wait = self._retry[0]
        while True:
            answered = self._answers
            reason, code = await self._connect()
            self.connected = False
            if self._answers > answered:
                wait = self._retry[0]
            pause = (self._retry[1] if code in REFUSED else wait) * random.uniform(0.5, 1.0)
            self.outbox.note(ConnectionLost(reason, pause))
            await self._announce()
            await asyncio.sleep(pause)
            wait = min(2 * wait, self._retry[1])

    _answers = 0

    async def _connect(self) -> tuple[str, int]:
        """Hold one connection; return why it ended."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, WebSocketException

        headers = {} if self._token is None else {"authorization": f"Bearer {self._token}"}
        stream = self.address.replace("http", "ws", 1) + "/v1/stream"
        try:
            async with connect(
                stream, additional_headers=headers, subprotocols=["telos.json"], ssl=self._ssl, max_size=None,  # type: ignore[list-item]
                close_timeout=1.0, compression=None,
            ) as socket:  # fmt: skip
                self.outbox.begin_connection()
                self.connected = True
                self.outbox.note(ConnectionMade())
                await self._announce()
                return await self._talk(socket)
        except ConnectionClosed as error:
            close = error.rcvd
            return (close.reason or "closed", close.code) if close else ("the connection broke", 1006)
        except (OSError, TimeoutError, WebSocketException, ValueError) as error:
            return f"{self.address} does not answer: {error}", 0

    async def _talk(self, socket: "ClientConnection") -> tuple[str, int]:
        writer = asyncio.create_task(self._write(socket))
        try:
            async for text in socket:
                self._answers += 1
                try:
                    is_kept = self.outbox.hear(text)
                except (ValueError, LookupError, TypeError, AttributeError):
                    return f"{self.address} answers what no service of Telos says", 1007
                if not is_kept:
                    return "the service cannot keep events now", 1013
                self._wake.set()
                await self._announce()
        finally:
            writer.cancel()
            await asyncio.wait([writer])
        close = socket.close_code or 1006
        return socket.close_reason or "closed", close

    async def _write(self, socket: "ClientConnection") -> None:
        while True:
            self._wake.clear()
            while (message := self.outbox.next_message()) is not None:
                await socket.send(message)
            await self._wake.wait()

    async def _announce(self) -> None:
        async with self._changed:
            self._changed.notify_all()
        self.on_notice()


def player_path(name: str, model: str | None = None) -> str:
    """Return the path of a player."""
    query = "" if model is None else f"?model={quote(model, safe='')}"
    return f"/v1/players/{quote(name, safe='')}{query}"


def _document(body: bytes, status: int) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(body)
        return found
    except ValueError:
        return {"status": status, "detail": f"an answer that is no JSON, with the status {status}"}


def _check_websockets() -> None:
    try:
        import websockets.asyncio.client  # noqa: F401
    except ModuleNotFoundError:
        raise TelosError("the client needs websockets", 'run: pip install "telos[service]"') from None
