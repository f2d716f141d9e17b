"""Streams: events in, beliefs out, over one WebSocket, acknowledged by number and slowed down rather than dropped.

A client sends messages with numbers of its own (``seq``), and may send many before the first answer. Each is answered
with its number when its events are kept. After a broken connection the client sends again what was not answered, in
the same order; the ids of events make that harmless. If events cannot be kept now, none that the stream sent after them
are kept either, so that their order is never lost.

    message ──▶ stream_endpoint ──▶ commits ──▶ StreamAnswer
    beliefs of this and other processes ──▶ Subscriptions ──▶ StreamNews     the latest of each player, if it is slow
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
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

if TYPE_CHECKING:
    from telos.service.app import Service

EVERYBODY = "*"  # as a player: a subscription to all
PROTOCOLS = {"telos.json": JSON, "telos.msgpack": MSGPACK}
MAX_UNANSWERED = 1_000  # messages of one stream; beyond that the service reads no further
MAX_SUBSCRIBED = 10_000  # players of one stream
_CLOSES = {ProblemCode.UNAUTHORIZED: 4401, ProblemCode.FORBIDDEN: 4403, ProblemCode.TOO_MANY: 4429}


# --- messages ---


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


class _LooseEvents(msgspec.Struct, forbid_unknown_fields=True):
    player: str
    events: list[msgspec.Raw]


class _LooseMessage(StreamMessage, forbid_unknown_fields=True):
    """A message whose events are not read yet."""

    events: list[msgspec.Raw] = []  # type: ignore[assignment]
    batch: list[_LooseEvents] = []  # type: ignore[assignment]


class _Number(msgspec.Struct):
    seq: int = 0


class _Identity(msgspec.Struct):
    id: str | None = None


@dataclass(slots=True)
class _Sorted:
    """A message without its malformed events: these, and for each part the places of those that remain."""

    message: StreamMessage
    refused: list[RefusedEvent] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)


def _sort_events(data: bytes, media: str) -> _Sorted | None:
    """Return a message that could not be read without its malformed events, if these are all that is wrong."""
    try:
        loose = decode(data, _LooseMessage, media)
    except ServiceError:
        return None
    if not loose.skip:
        return None
    refused: list[RefusedEvent] = []
    kept: list[list[int]] = []

    def read(player: str, raws: list[msgspec.Raw]) -> list[EventMessage]:
        events, places = [], []
        for place, raw in enumerate(raws):
            try:
                events.append(decode(bytes(raw), EventMessage, media))
                places.append(place)
            except ServiceError as error:
                refused.append(RefusedEvent(player, place, error.problem(), _id_of(bytes(raw), media)))
        kept.append(places)
        return events

    batch = [PlayerEvents(each.player, read(each.player, each.events)) for each in loose.batch]
    events = read(loose.player or "", loose.events)
    message = StreamMessage(
        loose.seq, loose.player, events, batch, loose.model, loose.subscribe, loose.unsubscribe, loose.quiet, skip=True
    )
    return _Sorted(message, refused, kept)


def _id_of(raw: bytes, media: str) -> str | None:
    try:
        return decode(raw, _Identity, media).id
    except ServiceError:
        return None


def _number_of(data: bytes, media: str) -> int:
    """Return the number of a message that cannot be read, if that much can be read of it."""
    try:
        return decode(data, _Number, media).seq
    except ServiceError:
        return 0


# --- subscriptions ---


class Subscription:
    """The beliefs that one stream has not sent yet: at most one for each player and model."""

    def __init__(self, *, is_peer: bool = False) -> None:
        self.is_peer = is_peer  # another process, which tells its own streams
        self.players: set[str] = set()
        self._latest: dict[tuple[str, str], BeliefMessage] = {}
        self._news = asyncio.Event()

    def offer(self, belief: BeliefMessage) -> None:
        """Add a belief; an older one about the same player is dropped."""
        self._latest[belief.model, belief.player] = belief
        self._news.set()

    async def take(self) -> list[BeliefMessage]:
        """Return what is new, waiting for it."""
        await self._news.wait()
        found = list(self._latest.values())
        self._latest.clear()
        self._news.clear()
        return found


class Subscriptions:
    """All subscriptions, by player."""

    def __init__(self) -> None:
        self._by_player: dict[str, set[Subscription]] = {}
        self._streams: set[Subscription] = set()

    @property
    def has_streams(self) -> bool:
        """Whether a stream of this process wants to know about anybody."""
        return bool(self._streams)

    def add(self, subscription: Subscription, players: Iterable[str]) -> None:
        """Subscribe to players; ``*`` is everybody."""
        for player in players:
            subscription.players.add(player)
            self._by_player.setdefault(player, set()).add(subscription)
        if subscription.players and not subscription.is_peer:
            self._streams.add(subscription)

    def remove(self, subscription: Subscription, players: Iterable[str] | None = None) -> None:
        """End the subscription to players, or to all."""
        for player in list(subscription.players if players is None else players):
            subscription.players.discard(player)
            known = self._by_player.get(player, set())
            known.discard(subscription)
            if not known:
                self._by_player.pop(player, None)
        if not subscription.players:
            self._streams.discard(subscription)

    def publish(self, beliefs: Iterable[BeliefMessage]) -> None:
        """Hand beliefs of this process to all who want them."""
        self._publish(beliefs, to_peers=True)

    def publish_news(self, beliefs: Iterable[BeliefMessage]) -> None:
        """Hand beliefs of another process to the streams of this one."""
        self._publish(beliefs, to_peers=False)

    def _publish(self, beliefs: Iterable[BeliefMessage], *, to_peers: bool) -> None:
        if not self._by_player:
            return
        for belief in beliefs:
            for name in (belief.player, EVERYBODY):
                for subscription in self._by_player.get(name, ()):
                    if to_peers or not subscription.is_peer:
                        subscription.offer(belief)


# --- streams ---


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
            service.pages.check(socket.headers)
            client = service.admit(authorization, client, None)
        except ServiceError as error:
            await socket.close(_CLOSES.get(error.code, 4403), str(error)[:120])
            return
        with service.metrics.streams.track_inprogress():
            await _Stream(service, socket, PROTOCOLS.get(protocol or "", JSON), authorization, client).run()

    return endpoint


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
        try:
            found = self._decode(data)
            self._subscribe(found.message)
            return self._keep(found, *self._submissions(found.message))
        except ServiceError as error:
            self._service.metrics.refused.labels(error.code.value).inc()
            return _ready(StreamAnswer(_number_of(data, self._media), problems={"": error.problem()}))

    def _decode(self, data: bytes) -> _Sorted:
        try:
            return _Sorted(decode(data, StreamMessage, self._media))
        except ServiceError:
            found = _sort_events(data, self._media)
            if found is None:
                raise
            return found

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
        count = sum(max(1, len(part.events)) for part in parts)
        if count > MAX_EVENTS:
            raise ServiceError(ProblemCode.TOO_LARGE, f"{count:,} events at once; at most {MAX_EVENTS:,}", "split them")
        submissions = [Submission(model, part.player, part.events, message.quiet, message.skip) for part in parts]
        return submissions, service.enqueue(submissions, self._lane)

    async def _keep(
        self, found: _Sorted, submissions: list[Submission], kept: "asyncio.Future[list[Outcome]]"
    ) -> StreamAnswer:
        answer = StreamAnswer(found.message.seq, [], {}, found.refused)
        for number, (submission, outcome) in enumerate(zip(submissions, await kept, strict=True)):
            answer.beliefs += outcome.beliefs
            if found.places:
                for refused in outcome.refused:
                    refused.place = found.places[number][refused.place]
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
