"""``PostgresStore``: events and beliefs in PostgreSQL, shared by several processes on one or many machines.

It also lists the processes that share it, each with the address at which the others reach it, and keeps the secret by
which they know each other. Clocks of machines may differ: whether a process is alive goes by the server's clock.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import psycopg
from psycopg import errors

from telos.core.errors import TelosError
from telos.service.store import (
    EventRow,
    Head,
    ModelRow,
    Node,
    SnapshotRow,
    StoreConflict,
    StoredPlayer,
    spans,
)

LIVE_SECONDS = 4.0  # a process that has not been heard of for so long is taken to be gone
_LOCK = 0x54454C4F  # while tables are made
_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS telos_format (format INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS telos_heads (
    model TEXT, player TEXT, life BIGINT NOT NULL, seq BIGINT NOT NULL, PRIMARY KEY (player, model));
CREATE TABLE IF NOT EXISTS telos_events (
    model TEXT, player TEXT, seq BIGINT, id TEXT, version INTEGER NOT NULL, time DOUBLE PRECISION NOT NULL,
    received DOUBLE PRECISION NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (player, model, seq));
CREATE UNIQUE INDEX IF NOT EXISTS telos_event_ids ON telos_events (player, model, id) WHERE id IS NOT NULL;
CREATE INDEX IF NOT EXISTS telos_event_ages ON telos_events USING brin (received);
CREATE TABLE IF NOT EXISTS telos_snapshots (
    model TEXT, player TEXT, seq BIGINT NOT NULL, version INTEGER NOT NULL, state BYTEA NOT NULL,
    PRIMARY KEY (player, model));
CREATE TABLE IF NOT EXISTS telos_models (
    name TEXT, version INTEGER, file TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (name, version));
CREATE TABLE IF NOT EXISTS telos_nodes (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, seen TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp());
CREATE TABLE IF NOT EXISTS telos_secret (one BOOLEAN PRIMARY KEY DEFAULT true, secret TEXT NOT NULL);
"""
_MOVE = """
UPDATE telos_heads AS h SET seq = n.last
FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[]) AS n (model, player, life, seq, last)
WHERE h.model = n.model AND h.player = n.player AND h.life = n.life AND h.seq = n.seq
"""
_BEGIN = """
INSERT INTO telos_heads (model, player, life, seq)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[])
"""
_EVENTS = "COPY telos_events (model, player, seq, id, version, time, received, body) FROM STDIN"
_SAVE = """
INSERT INTO telos_snapshots AS s (model, player, seq, version, state)
SELECT model, player, %(seq)s, %(version)s, %(state)s FROM telos_heads
WHERE model = %(model)s AND player = %(player)s AND life = %(life)s AND seq >= %(seq)s
ON CONFLICT (player, model) DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state
WHERE excluded.seq > s.seq
"""
_STALE = """
SELECT DISTINCT e.model, e.player FROM telos_events AS e
LEFT JOIN telos_snapshots AS s ON s.model = e.model AND s.player = e.player
WHERE e.received < %s AND e.seq > coalesce(s.seq, 0) LIMIT %s
"""
_PRUNE = """
DELETE FROM telos_events AS e USING telos_snapshots AS s
WHERE s.model = e.model AND s.player = e.player AND e.received < %s AND e.seq <= s.seq
"""

_Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]


class PostgresStore:
    """A store in a PostgreSQL database, whose tables it makes; ``url`` is ``postgresql://user@host/database``.

    A connection that breaks is made anew by the next call. One thread at a time works with a store.
    """

    is_shared = True

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise TelosError(f"--store: {error}", "write postgresql://USER@HOST/DATABASE") from None
        self._name = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"  # without the password
        self._url = url
        self._open: _Connection | None = None
        with self._transaction("check the address after --store, and that the database exists") as database:
            database.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            database.execute(_SCHEMA)
            found = database.execute("SELECT format FROM telos_format").fetchone()
            if found is None:
                database.execute("INSERT INTO telos_format VALUES (%s)", (_FORMAT,))
                database.execute("INSERT INTO telos_secret (secret) VALUES (%s)", (secrets.token_urlsafe(32),))
            elif found[0] != _FORMAT:
                raise TelosError(f"{self._name} is of another version of telos", "name another database with --store")

    @contextmanager
    def _transaction(self, remedy: str = "nothing was kept; send it again") -> Iterator[_Connection]:
        try:
            if self._open is None:
                self._open = psycopg.connect(self._url, connect_timeout=5, application_name="telos")
                self._open.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            with self._open.transaction():
                yield self._open
        except (errors.UniqueViolation, errors.DeadlockDetected, errors.SerializationFailure):
            raise StoreConflict from None
        except psycopg.Error as error:
            if self._open is not None and (self._open.closed or isinstance(error, psycopg.OperationalError)):
                self._disconnect()
            said = " ".join(str(error).split()) or type(error).__name__
            raise TelosError(f"{self._name}: {said}", remedy) from None

    def _disconnect(self) -> None:
        connection, self._open = self._open, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Add events, all or nothing, and snapshots; ``StoreConflict`` if a player's head is not where they begin."""
        heads = sorted((*key, *head, last) for key, (head, last) in spans(events).items())
        known = [each for each in heads if each[3]]
        fresh = [(model, player, life, last) for model, player, life, seq, last in heads if not seq]
        with self._transaction() as database, database.cursor() as cursor:
            if known and cursor.execute(_MOVE, _columns(known)).rowcount != len(known):
                raise StoreConflict
            if fresh:
                cursor.execute(_BEGIN, _columns(fresh))
            if events:
                with cursor.copy(_EVENTS) as copy:
                    for row in events:
                        copy.write_row(row[:8])
            if snapshots:
                cursor.executemany(_SAVE, [each._asdict() for each in snapshots])

    def load(self, model: str, player: str) -> StoredPlayer:
        """Return the last snapshot of a player and the events after it."""
        key = (model, player)
        with self._transaction() as database:
            database.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")  # all of one moment
            head = _head(database, model, player)
            query = "SELECT model, player, seq, version, state FROM telos_snapshots WHERE model = %s AND player = %s"
            row = database.execute(query, key).fetchone()
            snapshot = None if row is None else SnapshotRow(*row)
            query = (
                "SELECT model, player, seq, id, version, time, received, body FROM telos_events"
                " WHERE model = %s AND player = %s AND seq > %s ORDER BY seq"
            )
            events = database.execute(query, (*key, 0 if snapshot is None else snapshot.seq)).fetchall()
        return StoredPlayer(head, snapshot, [EventRow(*each) for each in events])

    def head(self, model: str, player: str) -> Head | None:
        """Return up to where a player was read, by whichever process."""
        with self._transaction() as database:
            return _head(database, model, player)

    def stale(self, received_before: float, limit: int) -> list[tuple[str, str]]:
        """Return models and players with events received before a time that no snapshot covers."""
        with self._transaction() as database:
            return [(model, player) for model, player in database.execute(_STALE, (received_before, limit))]

    def known_ids(self, model: str, player: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those events that were added before, by their ids."""
        query = "SELECT id, seq FROM telos_events WHERE model = %s AND player = %s AND id = ANY(%s)"
        with self._transaction() as database:
            return dict(database.execute(query, (model, player, list(ids))))

    def players(self, model: str) -> list[str]:
        """Return the players with a state, by name."""
        query = 'SELECT player FROM telos_heads WHERE model = %s ORDER BY player COLLATE "C"'
        with self._transaction() as database:
            return [player for (player,) in database.execute(query, (model,))]

    def forget(self, player: str) -> int:
        """Delete all about a player under every model; return the number of events."""
        with self._transaction() as database:
            database.execute("DELETE FROM telos_heads WHERE player = %s", (player,))
            count = database.execute("DELETE FROM telos_events WHERE player = %s", (player,)).rowcount
            database.execute("DELETE FROM telos_snapshots WHERE player = %s", (player,))
            return count

    def prune(self, received_before: float) -> int:
        """Delete events received before a time that a snapshot covers; return their number."""
        with self._transaction() as database:
            return database.execute(_PRUNE, (received_before,)).rowcount

    def add_model(self, row: ModelRow) -> None:
        """Add a version of a model; ``StoreConflict`` if there is one of that number."""
        with self._transaction() as database:
            database.execute("INSERT INTO telos_models (name, version, file, text) VALUES (%s, %s, %s, %s)", row)

    def models(self) -> list[ModelRow]:
        """Return all versions of all models."""
        query = "SELECT name, version, file, text FROM telos_models ORDER BY name, version"
        with self._transaction() as database:
            return [ModelRow(*row) for row in database.execute(query)]

    # --- the processes that share it ----------------------------------------------------------------------------------

    def announce(self, node: Node) -> list[Node]:
        """Say that a process is alive; return all that are."""
        with self._transaction() as database:
            database.execute(
                "INSERT INTO telos_nodes (id, address) VALUES (%s, %s)"
                " ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()",
                node,
            )
            database.execute("DELETE FROM telos_nodes WHERE seen < clock_timestamp() - interval '1 hour'")
            query = (
                "SELECT id, address FROM telos_nodes WHERE seen > clock_timestamp() - make_interval(secs => %s)"
                " ORDER BY id"
            )
            return [Node(*row) for row in database.execute(query, (LIVE_SECONDS,))]

    def leave(self, node: Node) -> None:
        """Say that a process ends."""
        with self._transaction() as database:
            database.execute("DELETE FROM telos_nodes WHERE id = %s", (node.id,))

    def secret(self) -> str:
        """Return the secret that the processes share, and nobody else knows."""
        with self._transaction() as database:
            row = database.execute("SELECT secret FROM telos_secret").fetchone()
            assert row is not None
            return str(row[0])

    def close(self) -> None:
        """Close the store."""
        self._disconnect()


def _head(database: _Connection, model: str, player: str) -> Head | None:
    query = "SELECT life, seq FROM telos_heads WHERE model = %s AND player = %s"
    row = database.execute(query, (model, player)).fetchone()
    return None if row is None else Head(*row)


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
