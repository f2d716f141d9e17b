"""Several processes that share a store: each player is handled by one of them, whichever a request reaches.

    request ──▶ any process ── the ring says whose player it is ──▶ here: commits.py; elsewhere: peers.py

The ring (consistent hashing) spreads players over the processes that are alive, and moves few when one comes or goes.
It only saves work: if processes disagree about it for a moment, or a link breaks, a player is handled where the request
is. The store takes each event once and refuses what a process that is behind would add, see store.py.
"""

import asyncio
import logging
import secrets
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from telos.core.errors import TelosError
from telos.service.commits import Lane
from telos.service.messages import EventMessage, PlayerAnswer, ProblemCode, ServiceError
from telos.service.peers import LinkBroken, PeerAnswer, PeerLink, outcomes_of
from telos.service.players import Outcome, Submission
from telos.service.store import Node, SharedStore

if TYPE_CHECKING:
    from telos.service.app import Service

POINTS = 128  # of each process on the ring
HEARTBEAT_SECONDS = 1.0
_LOG = logging.getLogger("telos.service")


@lru_cache(100_000)
def _place(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


class Ring:
    """Consistent hashing: players and points of processes on a circle; a player belongs to the next point's process.

    >>> ring = Ring(["a", "b", "c"])
    >>> fewer = Ring(["a", "c"])
    >>> moved = [p for p in map(str, range(1000)) if ring.owner(p) != fewer.owner(p)]
    >>> {ring.owner(p) for p in moved}, 200 < len(moved) < 500
    ({'b'}, True)
    """

    def __init__(self, nodes: Iterable[str]) -> None:
        points = sorted((_place(f"{node}#{number}"), node) for node in nodes for number in range(POINTS))
        self._places, self._owners = [place for place, _ in points], [node for _, node in points]

    def owner(self, player: str) -> str | None:
        """Return the process that a player belongs to."""
        if not self._owners:
            return None
        return self._owners[bisect_right(self._places, _place(player)) % len(self._owners)]


class Cluster:
    """One process among those that share a store."""

    def __init__(self, service: "Service", store: SharedStore, address: str) -> None:
        self._service, self._store = service, store
        self.node = Node(secrets.token_hex(8), address)
        self.secret = store.secret()
        self.nodes: dict[str, Node] = {self.node.id: self.node}
        self._ring = Ring(self.nodes)
        self._links: dict[str, PeerLink] = {}
        self._busy: dict[str, tuple[str, int]] = {}  # players with events on the way: where to, and how many
        self._named = 0  # events without an id that were given one
        self._hears = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_leader(self) -> bool:
        """Whether this process does what one of them has to do."""
        return min(self.nodes) == self.node.id

    async def start(self) -> None:
        """Join the others."""
        await self._announce()
        self._task = asyncio.create_task(self._beat())

    async def stop(self) -> None:
        """Leave the others, who take over the players."""
        if self._task is not None:
            self._task.cancel()
        with suppress(TelosError):
            await self._service.committer.run(self._store.leave, self.node)
        for link in self._links.values():
            await link.close()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                await self._announce()
            except TelosError as error:
                _LOG.warning("the other processes are not known: %s", error)

    async def _announce(self) -> None:
        nodes = await self._service.committer.run(self._store.announce, self.node)
        found = {node.id: node for node in nodes} | {self.node.id: self.node}
        if found != self.nodes:
            self.nodes, self._ring = found, Ring(found)
        for name, link in list(self._links.items()):
            if link.is_broken or name not in found:
                del self._links[name]
                await link.close()
        self.listen()

    def _link(self, name: str) -> PeerLink:
        link = self._links.get(name)
        if link is None:
            link = PeerLink(self.nodes[name].address, self.secret, self._service.subscriptions.publish_news)
            self._links[name] = link
            if self._hears:
                link.send(hear=True)
        return link

    def listen(self) -> None:
        """Hear beliefs from the other processes if, and only if, a stream has subscribed to any."""
        wants = self._service.subscriptions.has_streams
        others = [name for name in self.nodes if name != self.node.id]
        if wants != self._hears:
            self._hears = wants
            for link in self._links.values():
                link.send(hear=wants)
        if wants:
            for name in others:
                self._link(name)

    # --- events and questions -----------------------------------------------------------------------------------------

    def enqueue(self, submissions: Sequence[Submission], lane: Lane) -> "asyncio.Future[list[Outcome]]":
        """Let submissions be kept, here or by the processes that have the players."""
        owners = [self._owner(each.player) for each in submissions]
        if len(self.nodes) == 1 and not self._busy:
            return self._service.committer.enqueue(submissions, lane)
        named = [each if owner == self.node.id else self._with_ids(each)
                 for each, owner in zip(submissions, owners, strict=True)]  # fmt: skip
        # Parts are handed on now, in the order of these calls; the task only waits for their outcomes.
        parts = []
        for owner in dict.fromkeys(owners):
            places = [place for place, each in enumerate(owners) if each == owner]
            mine = [named[place] for place in places]
            parts.append((places, self._hand_on(owner, mine, lane)))
        return asyncio.ensure_future(_gather(len(submissions), parts))

    def _owner(self, player: str) -> str:
        """Return the process for events of a player: while some are on their way, the same as theirs, for the order."""
        busy = self._busy.get(player)
        return busy[0] if busy is not None else self._ring.owner(player) or self.node.id

    def _with_ids(self, submission: Submission) -> Submission:
        """Give events ids, so that they can be sent again if a link breaks."""
        if all(each.id is not None for each in submission.events):
            return submission
        events: list[EventMessage] = []
        for event in submission.events:
            if event.id is None:
                self._named += 1
                event.id = f"~{self.node.id}-{self._named}"
            events.append(event)
        return replace(submission, events=events)

    def _hand_on(self, owner: str, submissions: list[Submission], lane: Lane) -> "asyncio.Future[list[Outcome]]":
        if owner == self.node.id or owner not in self.nodes:
            owner, kept = self.node.id, self._service.committer.enqueue(submissions, lane)
        else:
            self._service.metrics.forwarded.inc(sum(len(each.events) for each in submissions))
            sent = self._link(owner).submit(submissions)
            kept = asyncio.ensure_future(self._forwarded(sent, submissions, lane))
        players = [each.player for each in submissions]
        for player in players:
            self._busy[player] = owner, self._busy.get(player, (owner, 0))[1] + 1
        kept.add_done_callback(lambda _: self._release(players))
        return kept

    def _release(self, players: Iterable[str]) -> None:
        for player in players:
            owner, count = self._busy.pop(player)
            if count > 1:
                self._busy[player] = owner, count - 1

    async def _forwarded(
        self, sent: "asyncio.Future[PeerAnswer]", submissions: list[Submission], lane: Lane
    ) -> list[Outcome]:
        """Return the outcomes from another process; if its link breaks, keep the events here."""
        try:
            outcomes = outcomes_of(await sent)
        except LinkBroken:
            for each in submissions:  # later ones follow
                self._busy[each.player] = self.node.id, self._busy[each.player][1]
            return await self._service.committer.enqueue(submissions, lane)
        except ServiceError as error:
            outcomes = [Outcome(error=error) for _ in submissions]
        if any(each.error is not None and each.error.code is ProblemCode.UNAVAILABLE for each in outcomes):
            lane.has_failed = True
        return outcomes

    async def answer(self, model: str, player: str) -> PlayerAnswer:
        """Return what is known about a player, by the process that has it."""
        owner = self._owner(player)
        if owner != self.node.id and owner in self.nodes:
            with suppress(LinkBroken):
                return await self._link(owner).ask(model, player)
        return await self._service.committer.run(self._service.committer.players.answer, model, player)

    async def forgotten(self, player: str) -> None:
        """Tell the others that a player was forgotten, so that their memory forgets, too."""
        told = [self._link(name).send(forgotten=player) for name in self.nodes if name != self.node.id]
        await asyncio.gather(*told, return_exceptions=True)


async def _gather(count: int, parts: "list[tuple[list[int], asyncio.Future[list[Outcome]]]]") -> list[Outcome]:
    found: list[Outcome | None] = [None] * count
    for places, future in parts:
        for place, outcome in zip(places, await future, strict=True):
            found[place] = outcome
    return [each for each in found if each is not None]
