"""Clients of a service for games in Python: events are queued and sent in the background; beliefs come back.

    send ──▶ Outbox (bounded) ──▶ messages with numbers ──▶ service ──▶ answers ──▶ beliefs, refusals
             outbox.py            connection.py                         outbox.py

Start with `Client` (blocking.py), for a game with a loop of its own; `AsyncClient` (connection.py) is for asyncio. They
need nothing but the standard library and ``websockets``, and load nothing of the service itself.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.service.client.blocking import Client
    from telos.service.client.connection import AsyncClient, ServiceProblem
    from telos.service.client.outbox import (
        ConnectionLost,
        ConnectionMade,
        DeliveryCounts,
        EventRefused,
        EventsDropped,
        Notice,
        Outbox,
        PlayerBelief,
        SubscriptionRefused,
    )

_HOMES = {
    "Client": "blocking",
    **dict.fromkeys(("AsyncClient", "ServiceProblem"), "connection"),
    **dict.fromkeys(
        (
            "ConnectionLost",
            "ConnectionMade",
            "DeliveryCounts",
            "EventRefused",
            "EventsDropped",
            "Notice",
            "Outbox",
            "PlayerBelief",
            "SubscriptionRefused",
        ),
        "outbox",
    ),
}

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionLost",
    "ConnectionMade",
    "DeliveryCounts",
    "EventRefused",
    "EventsDropped",
    "Notice",
    "Outbox",
    "PlayerBelief",
    "ServiceProblem",
    "SubscriptionRefused",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
