"""How the processes of a cluster talk: submissions and questions to the process that has a player, news back.

    PeerLink (one process) ──▶ WS /v1/peer ──▶ peer_endpoint (the process that has the player)

Messages of one link are handled in order. A link that breaks gives back what was not answered, so that it can be
handled where it is: the store takes every event once, whoever adds it.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from telos.core.errors import TelosError
from telos.service.commits import Lane, as_problem
from telos.service.messages import (
    MSGPACK,
    BeliefMessage,
    EventMessage,
    PlayerAnswer,
    ProblemCode,
    RefusedEvent,
    ServiceError,
    decode,
    encode,
)
from telos.service.players import Outcome, Submission
from telos.service.stream import EVERYBODY, Subscription

if TYPE_CHECKING:
    from telos.service.app import Service

MAX_BYTES = 64_000_000  # of a message between processes, which holds one of a client
MAX_UNANSWERED = 1_000
_CONNECT_SECONDS = 2.0


class PeerSubmission(msgspec.Struct):
    """A ``Submission`` on its way."""

    model: str
    player: str
    events: list[EventMessage]
    is_quiet: bool
    skips_faults: bool


class PeerMessage(msgspec.Struct, omit_defaults=True):
    """Submissions, or a question about a player, or a player who was forgotten, or whether news are wanted."""

    seq: int
    submissions: list[PeerSubmission] = []
    ask: tuple[str, str] | None = None  # model and player
    forgotten: str | None = None
    hear: bool | None = None


class PeerOutcome(msgspec.Struct, omit_defaults=True):
    """An ``Outcome`` on its way."""

    beliefs: list[BeliefMessage] = []
    accepted: int = 0
    added: int = 0
    refused: list[RefusedEvent] = []
    error: tuple[ProblemCode, str, str] | None = None


class PeerAnswer(msgspec.Struct, omit_defaults=True):
    """The answer to the message ``ack``, or news without one."""

    ack: int | None = None
    outcomes: list[PeerOutcome] = []
    answer: PlayerAnswer | None = None
    error: tuple[ProblemCode, str, str] | None = None
    news: list[BeliefMessage] = []


class LinkBroken(TelosError):
    """The connection to another process has ended before it answered."""


# --- the side that has the player -------------------------------------------------------------------------------------


def peer_endpoint(service: "Service") -> Callable[[WebSocket], Awaitable[None]]:
    """Return the endpoint for the other processes of a cluster."""

    async def endpoint(socket: WebSocket) -> None:
        cluster = service.cluster
        said = (socket.headers.get("authorization") or "").encode()
        if cluster is None or not hmac.compare_digest(said, f"Bearer {cluster.secret}".encode()):
            await socket.close()
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):  # the other process has ended
            await _PeerStream(service, socket).run()

    return endpoint


class _PeerStream:
    """One link of another process: handles its messages in order, and answers them in order."""

    def __init__(self, service: "Service", socket: WebSocket) -> None:
        self._service, self._socket, self._lane = service, socket, Lane()
        self._subscription = Subscription(is_peer=True)
        self._answers: asyncio.Queue[tuple[int, Awaitable[PeerAnswer]]] = asyncio.Queue(MAX_UNANSWERED)
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        tasks = [asyncio.create_task(each) for each in (self._answer(), self._tell())]
        try:
            while (data := await self._socket.receive())["type"] != "websocket.disconnect":
                message = decode(data["bytes"], PeerMessage, MSGPACK)
                await self._answers.put((message.seq, self._take(message)))
        finally:
            self._service.subscriptions.remove(self._subscription)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            while not self._answers.empty():
                answer = self._answers.get_nowait()[1]
                if asyncio.iscoroutine(answer):
                    answer.close()

    def _take(self, message: PeerMessage) -> Awaitable[PeerAnswer]:
        committer = self._service.committer
        if message.hear is not None:
            if message.hear:
                self._service.subscriptions.add(self._subscription, [EVERYBODY])
            else:
                self._service.subscriptions.remove(self._subscription)
        if message.submissions:
            submissions = [
                Submission(each.model, each.player, each.events, each.is_quiet, each.skips_faults)
                for each in message.submissions
            ]
            return self._outcomes(committer.enqueue(submissions, self._lane))
        if message.ask is not None:
            return self._player(*message.ask)
        return self._forget(message.forgotten)

    async def _outcomes(self, kept: "asyncio.Future[list[Outcome]]") -> PeerAnswer:
        return PeerAnswer(outcomes=[_peer_outcome(each) for each in await kept])

    async def _player(self, model: str, player: str) -> PeerAnswer:
        players = self._service.committer.players
        return PeerAnswer(answer=await self._service.committer.run(players.answer, model, player))

    async def _forget(self, player: str | None) -> PeerAnswer:
        if player is not None:
            await self._service.committer.run(self._service.committer.players.drop, player)
        return PeerAnswer()

    async def _answer(self) -> None:
        while True:
            seq, answer = await self._answers.get()
            try:
                found = await answer
            except Exception as error:
                found = PeerAnswer(error=_error(error if isinstance(error, ServiceError) else as_problem(error)))
            found.ack = seq
            await self._send(found)
            if self._lane.has_failed:
                await self._socket.close(1013)
                return

    async def _tell(self) -> None:
        while True:
            await self._send(PeerAnswer(news=await self._subscription.take()))

    async def _send(self, answer: PeerAnswer) -> None:
        async with self._sending:
            await self._socket.send_bytes(encode(answer, MSGPACK))


def _error(error: ServiceError) -> tuple[ProblemCode, str, str]:
    return error.code, error.message, error.remedy


def _peer_outcome(outcome: Outcome) -> PeerOutcome:
    error = None if outcome.error is None else _error(outcome.error)
    return PeerOutcome(outcome.beliefs, outcome.accepted, outcome.added, outcome.refused, error)


def outcomes_of(answer: PeerAnswer) -> list[Outcome]:
    """Return the outcomes in an answer of another process."""
    return [
        Outcome(said.beliefs, None if said.error is None else ServiceError(*said.error), said.accepted, said.added,
                said.refused)
        for said in answer.outcomes
    ]  # fmt: skip


# --- the side that asks -----------------------------------------------------------------------------------------------


class PeerLink:
    """The connection to another process, made when it is first needed. ``news`` is called with beliefs from there."""

    def __init__(self, address: str, secret: str, news: Callable[[list[BeliefMessage]], None]) -> None:
        self._address = address.replace("http", "ws", 1) + "/v1/peer"
        self._secret, self._news = secret, news
        self._outbox: asyncio.Queue[PeerMessage] = asyncio.Queue()
        self._waiting: dict[int, asyncio.Future[PeerAnswer]] = {}
        self._seq = 0
        self.is_broken = False
        self._task = asyncio.create_task(self._run())

    def submit(self, submissions: list[Submission]) -> "asyncio.Future[PeerAnswer]":
        """Let the other process keep events; ``LinkBroken`` if it is not known whether it did."""
        said = [
            PeerSubmission(each.model, each.player, list(each.events), each.is_quiet, each.skips_faults)
            for each in submissions
        ]
        return self.send(submissions=said)

    async def ask(self, model: str, player: str) -> PlayerAnswer:
        """Ask the other process about a player."""
        answer = (await self.send(ask=(model, player))).answer
        assert answer is not None  # without one there is an error
        return answer

    def send(self, **parts: Any) -> "asyncio.Future[PeerAnswer]":
        """Send a message; the answer comes in future."""
        answer: asyncio.Future[PeerAnswer] = asyncio.get_running_loop().create_future()
        if self.is_broken:
            answer.set_exception(LinkBroken("the other process cannot be reached"))
            return answer
        self._seq += 1
        self._waiting[self._seq] = answer
        self._outbox.put_nowait(PeerMessage(self._seq, **parts))
        return answer

    async def _run(self) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        headers = {"authorization": f"Bearer {self._secret}"}
        try:
            async with connect(
                self._address, additional_headers=headers, open_timeout=_CONNECT_SECONDS, max_size=MAX_BYTES,
                compression=None, proxy=None,
            ) as socket:  # fmt: skip
                sending = asyncio.create_task(self._write(socket))
                try:
                    async for data in socket:
                        self._hear(data)
                finally:
                    sending.cancel()
        except (OSError, TimeoutError, WebSocketException):
            pass  # what was not answered is handled by those who wait for it
        finally:
            self._break()

    async def _write(self, socket: Any) -> None:
        while True:
            await socket.send(encode(await self._outbox.get(), MSGPACK))

    def _hear(self, data: str | bytes) -> None:
        said = decode(data if isinstance(data, bytes) else data.encode(), PeerAnswer, MSGPACK)
        if said.ack is None:
            self._news(said.news)
            return
        answer = self._waiting.pop(said.ack)
        if answer.done():
            return
        if said.error is not None:
            answer.set_exception(ServiceError(*said.error))
        else:
            answer.set_result(said)

    def _break(self) -> None:
        self.is_broken = True
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(LinkBroken("the connection to the other process has ended"))
                answer.exception()  # those who do not wait for it need not hear of it

    async def close(self) -> None:
        """End the connection."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
