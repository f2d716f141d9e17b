"""NATS JetStream in and out: events from a stream, beliefs to another; each event counts once, whatever fails.

    telos.events… ──▶ stream NAME_EVENTS ──▶ durable consumer ──▶ commits ──▶ stream NAME_BELIEFS ──▶ telos.beliefs
                                                                                                    telos.problems

A message is acknowledged after its events are kept and its beliefs are published, so that it comes again if the service
fails in between. Events without an id have that of their message, and beliefs are published under its number, so that
neither counts twice. Messages are handled in the order of the stream: each time the service begins to read, it makes a
new consumer that starts behind the last acknowledged message, and removes the old one; otherwise the server would hand
out later messages before those that it has handed out already. One process of a cluster reads at a time.
"""

import asyncio
import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, StreamConfig
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError

from telos.core.errors import TelosError
from telos.service.commits import Lane
from telos.service.messages import (
    JSON,
    MAX_EVENTS,
    MSGPACK,
    BeliefMessage,
    EventMessage,
    Problem,
    ProblemCode,
    ServiceError,
    decode,
    encode,
)
from telos.service.players import Outcome, Submission
from telos.service.stream import PlayerEvents

if TYPE_CHECKING:
    from telos.service.app import Service

MAX_MESSAGES = 256  # of one fetch
ACK_SECONDS = 600.0  # until the server takes a message to be lost; a restart does not wait for that
REMEMBERED_SECONDS = 600.0  # in which the server drops a belief that is published twice
_MAX_PAUSE = 10.0
_LOG = logging.getLogger("telos.service")


class NatsEvents(msgspec.Struct, forbid_unknown_fields=True):
    """A message with events: of one player, or of many in ``batch``."""

    player: str | None = None
    events: list[EventMessage] = []
    batch: list[PlayerEvents] = []
    model: str | None = None


class NatsBeliefs(msgspec.Struct):
    """What is published for a message: the belief about each of its players after all of its events."""

    message: int  # its number in the stream of events
    beliefs: list[BeliefMessage]


class NatsProblem(msgspec.Struct, omit_defaults=True):
    """What was wrong with a message, or with an event of it; the others are kept."""

    message: int
    problem: Problem
    player: str | None = None
    place: int | None = None
    id: str | None = None


class JetStreamBridge:
    """Reads events from NATS for a service, and writes beliefs."""

    def __init__(self, service: "Service", url: str, name: str = "telos") -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,40}", name):
            raise TelosError(f"--nats-name {name!r} cannot be part of a subject", "use letters, digits, - and _")
        self._service, self._url, self._name = service, url, name
        self._events, self._beliefs = f"{name.upper()}_EVENTS", f"{name.upper()}_BELIEFS"
        self._task: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise if the server cannot be used."""
        try:
            client = await self._connect()
            await self._prepare(client.jetstream())
            await client.close()
        except (TimeoutError, NatsError, OSError) as error:
            said = str(error) or type(error).__name__
            raise TelosError(f"--nats {self._shown}: {said}", "start nats-server with -js, and name it") from None

    @property
    def _shown(self) -> str:
        return re.sub(r"//[^@/]*@", "//", self._url)

    def start(self) -> None:
        """Begin to read."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Read no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        pause = 0.5
        while True:
            if self._leads():
                try:
                    await self._read_stream()
                    pause = 0.5
                except (TimeoutError, NatsError, OSError, _Gap) as error:
                    _LOG.warning("NATS %s: %s; it is tried again", self._shown, error or type(error).__name__)
                    pause = min(2 * pause, _MAX_PAUSE)
            await asyncio.sleep(pause)

    def _leads(self) -> bool:
        cluster = self._service.cluster
        return cluster is None or cluster.is_leader

    async def _connect(self) -> Client:
        # Reconnecting is done here, with a consumer that starts where the last one ended.
        async def ignore(error: Exception) -> None: ...

        # Without attempts at all, nats-py tries the first connection for ever.
        return await nats.connect(
            self._url, name="telos", allow_reconnect=False, max_reconnect_attempts=1, reconnect_time_wait=0.1,
            connect_timeout=5, error_cb=ignore,
        )  # fmt: skip

    async def _prepare(self, jetstream: JetStreamContext) -> str:
        """Make the streams that are not there; return when that of events was made, as part of ids."""
        subjects = {
            self._events: [f"{self._name}.events", f"{self._name}.events.>"],
            self._beliefs: [f"{self._name}.beliefs", f"{self._name}.problems"],
        }
        for stream, names in subjects.items():
            try:
                await jetstream.stream_info(stream)
            except NotFoundError:
                await jetstream.add_stream(
                    StreamConfig(name=stream, subjects=names, duplicate_window=REMEMBERED_SECONDS)
                )
        created = (await jetstream.stream_info(self._events)).created
        return f"{int(created.timestamp() * 1e6):x}" if created is not None else "0"

    async def _consumer(self, jetstream: JetStreamContext) -> str:
        """Make a durable consumer that starts behind what was acknowledged; remove those before it."""
        pattern = re.compile(re.escape(self._name) + r"-(\d+)")
        found = {}
        for info in await jetstream.consumers_info(self._events):
            match = pattern.fullmatch(info.name)
            if match is not None:
                found[int(match[1])] = info
        last = max(found, default=0)
        name = f"{self._name}-{last + 1}"
        floor = found[last].ack_floor if found else None
        after = floor.stream_seq if floor is not None else 0
        await jetstream.add_consumer(
            self._events,
            ConsumerConfig(
                durable_name=name, ack_policy=AckPolicy.ALL, ack_wait=ACK_SECONDS, max_ack_pending=4 * MAX_MESSAGES,
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1,
            ),
        )  # fmt: skip
        for number in found:
            with suppress(NotFoundError):
                await jetstream.delete_consumer(self._events, f"{self._name}-{number}")
        return name

    async def _read_stream(self) -> None:
        """Read until the connection ends, or another process leads."""
        client = await self._connect()
        try:
            jetstream = client.jetstream()
            created = await self._prepare(jetstream)
            name = await self._consumer(jetstream)
            subscription = await jetstream.pull_subscribe_bind(durable=name, stream=self._events)
            delivered = 0
            while self._leads():
                try:
                    messages = await subscription.fetch(MAX_MESSAGES, timeout=1.0)
                except nats.errors.TimeoutError:
                    await jetstream.consumer_info(self._events, name)  # raises if another process has replaced it
                    continue
                for message in messages:
                    delivered += 1
                    if message.metadata.sequence.consumer != delivered:
                        raise _Gap("a message was lost on the way")
                await self._handle(messages, created, jetstream)
                await messages[-1].ack()
        finally:
            await client.close()

    async def _handle(self, messages: list[Msg], created: str, jetstream: JetStreamContext) -> None:
        """Keep the events of messages, however often that has to be tried, and publish what came of it."""
        pause = 0.1
        while True:
            await self._service.committer.wait_for_room()
            lane = Lane()
            taken = [self._take(message, created, lane) for message in messages]
            answers = [found if isinstance(found, Problem) else await found for found in taken]
            if not any(_is_unavailable(answer) for answer in answers):
                break
            _LOG.warning("events from NATS cannot be kept now; they are tried again")
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE)
        said = [each for pair in zip(messages, answers, strict=True) for each in self._publications(*pair, created)]
        await asyncio.gather(
            *(
                jetstream.publish(subject, data, stream=self._beliefs, headers={"Nats-Msg-Id": name})
                for subject, data, name in said
            )
        )

    def _take(self, message: Msg, created: str, lane: Lane) -> "Problem | asyncio.Future[list[Outcome]]":
        """Hand the events of a message on; return the problem if it is none."""
        number = message.metadata.sequence.stream
        media = MSGPACK if (message.headers or {}).get("Content-Type") == MSGPACK else JSON
        try:
            found = decode(message.data, NatsEvents, media)
            parts = list(found.batch)
            if found.player is not None:
                parts.append(PlayerEvents(found.player, found.events))
            elif found.events:
                raise ServiceError(ProblemCode.INVALID, "events without a player", "add player, or use batch")
            if sum(len(part.events) for part in parts) > MAX_EVENTS:
                raise ServiceError(ProblemCode.TOO_LARGE, f"more than {MAX_EVENTS:,} events at once", "split them")
            model = self._service.shelf.current(found.model or self._service.default_model).name
        except ServiceError as error:
            return error.problem()
        count = 0
        for part in parts:
            for event in part.events:
                count += 1
                if event.id is None:
                    event.id = f"nats-{created}-{number}-{count}"
        submissions = [Submission(model, part.player, part.events, True, True) for part in parts]
        return self._service.enqueue(submissions, lane)

    def _publications(
        self, message: Msg, answer: "Problem | list[Outcome]", created: str
    ) -> list[tuple[str, bytes, str]]:
        """Return what is to be published for a message: subject, data, and the name by which it is published once."""
        number = message.metadata.sequence.stream
        name = f"{created}-{number}"
        problems: list[NatsProblem] = []
        beliefs: list[BeliefMessage] = []
        if isinstance(answer, Problem):
            problems.append(NatsProblem(number, answer))
        else:
            for outcome in answer:
                beliefs += outcome.beliefs
                problems += [NatsProblem(number, each.problem, each.player, each.place, each.id)
                             for each in outcome.refused]  # fmt: skip
                if outcome.error is not None:
                    problems.append(NatsProblem(number, outcome.error.problem()))
        said = [(f"{self._name}.problems", encode(each), f"{name}-problem-{place}")
                for place, each in enumerate(problems)]  # fmt: skip
        if beliefs:
            said.append((f"{self._name}.beliefs", encode(NatsBeliefs(number, beliefs)), name))
        return said


class _Gap(Exception):
    """Messages were handed out that have not arrived."""


def _is_unavailable(answer: "Problem | list[Outcome]") -> bool:
    if isinstance(answer, Problem):
        return False
    return any(each.error is not None and each.error.code is ProblemCode.UNAVAILABLE for each in answer)
