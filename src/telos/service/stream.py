"""Streams: events in, beliefs out, over one WebSocket, acknowledged by number and slowed down rather than dropped.

A client sends messages with numbers of its own (``seq``), and may send many before the first answer. Each is answered
with its number when its events are kept. After a broken connection the client sends again what was not answered, in
the same order; the ids of events make that harmless. If events cannot be kept now, none that the stream sent after them
are kept either, so that their order is never lost.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from telos.service.access import Scope
from telos.service.commits import Lane
from telos.service.messages import (
    JSON,
    MAX_EVENTS,
    MSGPACK,
    BeliefMessage,
    EventMessage,
    Problem,
    ProblemCode,
    RefusedEvent,
    ServiceError,
    check_name,
    decode,
    encode,
)
from telos.service.players import Outcome, Submission
from telos.service.subscriptions import Subscription

if TYPE_CHECKING:
    from telos.service.app import Service

PROTOCOLS = {"telos.json": JSON, "telos.msgpack": MSGPACK}
MAX_UNANSWERED = 1_000  # messages of one stream; beyond that the service reads no further
MAX_SUBSCRIBED = 10_000  # players of one stream
_CLOSES = {ProblemCode.UNAUTHORIZED: 4401, ProblemCode.FORBIDDEN: 4403, ProblemCode.TOO_MANY: 4429}


class PlayerEvents(msgspec.Struct, forbid_unknown_fields=True):
    """Events of one player in a message."""

    player: str
    events: list[EventMessage]


class StreamMessage(msgspec.Struct, forbid_unknown_fields=True):
    """One message of a client: events of one or many players, or players to hear about (``*``: all)."""

    seq: int = 0
    player: str | None = None
    events: list[EventMessage] = []
    batch: list[PlayerEvents] = []
    model: str | None = None
    subscribe: list[str] = []
    unsubscribe: list[str] = []
    quiet: bool = False  # answer with the last belief of each player only
    skip: bool = False  # leave faulty events out, name them in ``refused``, and read those after them


class StreamAnswer(msgspec.Struct, omit_defaults=True):
    """The answer to the message ``ack``: beliefs, and a problem for each player whose events were not all kept."""

    ack: int
    beliefs: list[BeliefMessage] = []
    problems: dict[str, Problem] = {}
    refused: list[RefusedEvent] = []


class StreamNews(msgspec.Struct):
    """Beliefs about players that the stream has subscribed to."""

    news: list[BeliefMessage]


def stream_endpoint(service: "Service") -> Callable[[WebSocket], Awaitable[None]]:
    """Return the endpoint of streams."""

    async def endpoint(socket: WebSocket) -> None:
        client = socket.client.host if socket.client else ""
        authorization = socket.headers.get("authorization")
        offered = [each for each in socket.scope.get("subprotocols", ()) if each in PROTOCOLS]
        if authorization is None:  # browsers cannot set headers: the token is offered as a protocol
            tokens = (each[13:] for each in socket.scope.get("subprotocols", ()) if each.startswith("telos.bearer."))
            authorization = next((f"Bearer {token}" for token in tokens), None)
        protocol = offered[0] if offered else None
        await socket.accept(subprotocol=protocol)  # browsers tell pages nothing of refused handshakes
        try:
            client = service.admit(authorization, client, None)
        except ServiceError as error:
            await socket.close(_CLOSES.get(error.code, 4403), error.message[:120])
            return
        origin = socket.headers.get("origin")
        if origin is not None and origin not in service.origins and not _is_same(origin, socket):
            await socket.close(4403, "this origin is not allowed; name it with --origin")
            return
        with service.metrics.streams.track_inprogress():
            await _Stream(service, socket, PROTOCOLS.get(protocol or "", JSON), authorization, client).run()

    return endpoint


def _is_same(origin: str, socket: WebSocket) -> bool:
    return origin.partition("://")[2] == socket.headers.get("host")


class _Stream:
    """One open stream: reads messages in order, answers in order.

    A message is read when there is room for its events, and few bytes of this stream wait for their answers; until then
    nothing is taken from the connection, so that its sender is slowed down.
    """

    def __init__(
        self, service: "Service", socket: WebSocket, media: str, authorization: str | None, client: str
    ) -> None:
        self._service, self._socket, self._media = service, socket, media
        self._authorization, self._client = authorization, client
        self._lane = Lane()
        self._subscription = Subscription()
        self._answers: asyncio.Queue[tuple[Awaitable[StreamAnswer], int]] = asyncio.Queue(MAX_UNANSWERED)
        self._bytes = 0  # of messages that are not answered
        self._answered = asyncio.Event()
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Serve the stream until its client leaves; what was read until then is kept all the same."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._answer)
                group.start_soon(self._tell)
                await self._read()
                group.cancel_scope.cancel()
        except* (WebSocketDisconnect, RuntimeError):  # the client left while it was being told something
            pass
        finally:
            self._service.subscriptions.remove(self._subscription)
            while not self._answers.empty():
                _discard(self._answers.get_nowait()[0])

    async def _read(self) -> None:
        service = self._service
        while (data := await self._socket.receive())["type"] != "websocket.disconnect":
            raw = data.get("bytes") or (data.get("text") or "").encode()
            while wait := service.rate.wait(self._client):
                await asyncio.sleep(wait)
            await service.committer.wait_for_room()
            while self._bytes > service.limits.body_bytes:
                self._answered.clear()
                await self._answered.wait()
            self._bytes += len(raw)
            await self._answers.put((self._take(raw), len(raw)))

    def _take(self, data: bytes) -> Awaitable[StreamAnswer]:
        """Hand the events of a message on, at once, and return its answer in future."""
        message = StreamMessage()
        try:
            message = decode(data, StreamMessage, self._media)
            self._subscribe(message)
            return self._keep(message, *self._submissions(message))
        except ServiceError as error:
            self._service.metrics.refused.labels(error.code.value).inc()
            return _ready(StreamAnswer(message.seq, problems={"": error.problem()}))

    def _subscribe(self, message: StreamMessage) -> None:
        if not message.subscribe and not message.unsubscribe:
            return
        self._service.tokens.check(self._authorization, Scope.READ)
        if len(self._subscription.players) + len(message.subscribe) > MAX_SUBSCRIBED:
            raise ServiceError(ProblemCode.TOO_LARGE, f"a stream hears about at most {MAX_SUBSCRIBED:,} players")
        names = [check_name("player", name) for name in message.subscribe]
        self._service.subscriptions.remove(self._subscription, message.unsubscribe)
        self._service.subscriptions.add(self._subscription, names)
        if self._service.cluster is not None:
            self._service.cluster.listen()

    def _submissions(self, message: StreamMessage) -> "tuple[list[Submission], asyncio.Future[list[Outcome]]]":
        service = self._service
        parts = list(message.batch)
        if message.player is not None:
            parts.append(PlayerEvents(message.player, message.events))
        elif message.events:
            raise ServiceError(ProblemCode.INVALID, "events without a player", "add player, or use batch")
        if parts:
            service.tokens.check(self._authorization, Scope.WRITE)
        model = service.shelf.current(message.model or service.default_model).name
        count = sum(len(part.events) for part in parts)
        if count > MAX_EVENTS:
            raise ServiceError(ProblemCode.TOO_LARGE, f"{count:,} events at once; at most {MAX_EVENTS:,}", "split them")
        submissions = [Submission(model, part.player, part.events, message.quiet, message.skip) for part in parts]
        return submissions, service.enqueue(submissions, self._lane)

    async def _keep(
        self, message: StreamMessage, submissions: list[Submission], kept: "asyncio.Future[list[Outcome]]"
    ) -> StreamAnswer:
        answer = StreamAnswer(message.seq, [], {}, [])
        for submission, outcome in zip(submissions, await kept, strict=True):
            answer.beliefs += outcome.beliefs
            answer.refused += outcome.refused
            if outcome.error is not None:
                problem = outcome.error.problem()
                problem.accepted = outcome.accepted
                answer.problems[submission.player] = problem
        return answer

    async def _answer(self) -> None:
        while True:
            answer, size = await self._answers.get()
            found = await answer
            await self._send(found)
            self._bytes -= size
            self._answered.set()
            if self._lane.has_failed:
                await self._socket.close(1013, "the service cannot keep events now; send them again later")
                return

    async def _tell(self) -> None:
        while True:
            await self._send(StreamNews(await self._subscription.take()))

    async def _send(self, message: Any) -> None:
        data = encode(message, self._media)
        async with self._sending:
            if self._media == MSGPACK:
                await self._socket.send_bytes(data)
            else:
                await self._socket.send_text(data.decode())


async def _ready(answer: StreamAnswer) -> StreamAnswer:
    return answer


def _discard(answer: Awaitable[StreamAnswer]) -> None:
    if asyncio.iscoroutine(answer):
        answer.close()
