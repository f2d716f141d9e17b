"""The service: live beliefs, choices and plans behind HTTP and WebSocket, for games in any engine.

    request ──▶ access ──▶ messages ──▶ commits ──▶ players ──▶ store      HTTP: app.py; WebSocket: stream.py
                tokens     typed        batches     readers     kept, then answered

Start with `create_app` and `Service` (app.py); `LivePlayers` (players.py) is the service without the web. A store of
one's own implements `Store` (store.py). `openapi.py` describes all requests and answers. Games in Python talk to a
service with `Client` or `AsyncClient` (client/); for other languages see `clients/` in the repository.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.service.access import Pages, RateLimit, Scope, Token, Tokens, load_tokens
    from telos.service.app import Limits, Service, create_app
    from telos.service.characters import CharacterRoom
    from telos.service.client import AsyncClient, Client
    from telos.service.jetstream import JetStreamBridge
    from telos.service.messages import BeliefMessage, EventMessage, PlayerAnswer, Problem, ProblemCode, ServiceError
    from telos.service.models import LiveModel, ModelShelf
    from telos.service.players import LivePlayers, Outcome, Submission
    from telos.service.postgres import PostgresStore
    from telos.service.store import (
        EventRow,
        Head,
        ModelRow,
        SnapshotRow,
        SqliteStore,
        Store,
        StoreConflict,
        StoredPlayer,
    )
    from telos.service.traces import TraceBoard

_HOMES = {
    **dict.fromkeys(("Pages", "RateLimit", "Scope", "Token", "Tokens", "load_tokens"), "access"),
    **dict.fromkeys(("Limits", "Service", "create_app"), "app"),
    "CharacterRoom": "characters",
    **dict.fromkeys(("AsyncClient", "Client"), "client"),
    "JetStreamBridge": "jetstream",
    **dict.fromkeys(
        ("BeliefMessage", "EventMessage", "PlayerAnswer", "Problem", "ProblemCode", "ServiceError"), "messages"
    ),
    **dict.fromkeys(("LiveModel", "ModelShelf"), "models"),
    **dict.fromkeys(("LivePlayers", "Outcome", "Submission"), "players"),
    "PostgresStore": "postgres",
    "TraceBoard": "traces",
    **dict.fromkeys(
        ("EventRow", "Head", "ModelRow", "SnapshotRow", "SqliteStore", "Store", "StoreConflict", "StoredPlayer"),
        "store",
    ),
}

__all__ = [
    "AsyncClient",
    "BeliefMessage",
    "CharacterRoom",
    "Client",
    "EventMessage",
    "EventRow",
    "Head",
    "JetStreamBridge",
    "Limits",
    "LiveModel",
    "LivePlayers",
    "ModelRow",
    "ModelShelf",
    "Outcome",
    "Pages",
    "PlayerAnswer",
    "PostgresStore",
    "Problem",
    "ProblemCode",
    "RateLimit",
    "Scope",
    "Service",
    "ServiceError",
    "SnapshotRow",
    "SqliteStore",
    "Store",
    "StoreConflict",
    "StoredPlayer",
    "Submission",
    "Token",
    "Tokens",
    "TraceBoard",
    "create_app",
    "load_tokens",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
