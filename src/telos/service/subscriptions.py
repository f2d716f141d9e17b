"""Who wants to know about which players: beliefs are handed to streams, the latest of each player if they are slow."""

import asyncio
from collections.abc import Iterable

from telos.service.messages import BeliefMessage

EVERYBODY = "*"


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
