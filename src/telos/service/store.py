"""Where events and beliefs are kept: the ``Store`` protocol, and ``SqliteStore``, the default.

An event is a row of an append-only log, with the model that read it; a snapshot is the state of a reader after one of
them. The state of a player is the last snapshot and the events after it.

Several processes may share a store. Each player under a model has a *head*: the number of its last event, and its
*life*, a number drawn when it is first heard of. Events are added only to the head that their process has read, so that
a process whose memory is behind (or that has not heard that the player was forgotten) adds nothing and reads again.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from telos.core.errors import TelosError
from telos.service.messages import damaged


class EventRow(NamedTuple):
    """One event of the log; ``seq`` counts the events of a player under a model from 1."""

    model: str
    player: str
    seq: int
    id: str | None
    version: int  # of the model
    time: float
    received: float  # seconds since 1970, by the clock of the service; retention goes by it
    body: bytes  # the event as JSON
    life: int = 0  # of the player, see Head


class SnapshotRow(NamedTuple):
    """The state of a reader after the event ``seq``, under a version of its model."""

    model: str
    player: str
    seq: int
    version: int
    state: bytes
    life: int = 0  # of the player, see Head


class Head(NamedTuple):
    """Up to where a player was read: the number of the last event. ``life`` differs after the player was forgotten."""

    life: int
    seq: int


class StoredPlayer(NamedTuple):
    """A player as a store has it; without a head, the store knows nothing of the player."""

    head: Head | None
    snapshot: SnapshotRow | None
    events: list[EventRow]  # after the snapshot


class ModelRow(NamedTuple):
    """A version of a model: the text of its file."""

    name: str
    version: int
    file: str  # its name, whose suffix says what kind it is
    text: str


class StoreConflict(TelosError):
    """Another process has added events or a model in the meantime."""

    def __init__(self) -> None:
        super().__init__("another process has written to the store in the meantime", "read it again")


Row = TypeVar("Row", bound=tuple[Any, ...])


def to_row(kind: type[Row], values: Sequence[Any]) -> Row:
    """Return a row of a database with checked types, which SQLite does not enforce."""
    try:
        row: Row = msgspec.convert(list(values), kind, builtin_types=(bytes,))
        return row
    except msgspec.ValidationError as error:
        raise damaged(f"{kind.__name__}: {error}") from None


class Store(Protocol):
    """Keeps events, snapshots and models. What ``append`` has returned from survives a kill of the process."""

    is_shared: bool  # whether other processes write to it, so that what is in memory may be behind

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Add events, all or nothing, and snapshots; ``StoreConflict`` if a player's head is not where they begin.

        A snapshot of a player who was forgotten, or older than the one that is there, is left out.
        """

    def load(self, model: str, player: str) -> StoredPlayer:
        """Return the last snapshot of a player and the events after it."""

    def head(self, model: str, player: str) -> Head | None:
        """Return up to where a player was read, by whichever process."""

    def stale(self, received_before: float, limit: int) -> list[tuple[str, str]]:
        """Return models and players with events received before a time that no snapshot covers."""

    def known_ids(self, model: str, player: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those events that were added before, by their ids."""

    def players(self, model: str) -> list[str]:
        """Return the players with a state, by name."""

    def forget(self, player: str) -> int:
        """Delete all about a player under every model; return the number of events."""

    def prune(self, received_before: float) -> int:
        """Delete events received before a time that a snapshot covers; return their number."""

    def add_model(self, row: ModelRow) -> None:
        """Add a version of a model; ``StoreConflict`` if there is one of that number."""

    def models(self) -> list[ModelRow]:
        """Return all versions of all models."""

    def close(self) -> None:
        """Close the store."""


class Node(NamedTuple):
    """A process that shares a store, and the address at which the others reach it."""

    id: str
    address: str


@runtime_checkable
class SharedStore(Store, Protocol):
    """A store for several processes, which it also lists."""

    def announce(self, node: Node) -> list[Node]:
        """Say that a process is alive; return all that are."""

    def leave(self, node: Node) -> None:
        """Say that a process ends."""

    def secret(self) -> str:
        """Return the secret that the processes share, and nobody else knows."""


_SCHEMA = """
CREATE TABLE IF NOT EXISTS heads (
    model TEXT NOT NULL, player TEXT NOT NULL, life INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (model, player)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    model TEXT NOT NULL, player TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT, version INTEGER NOT NULL,
    time REAL NOT NULL, received REAL NOT NULL, body BLOB NOT NULL, PRIMARY KEY (model, player, seq)) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS event_ids ON events (model, player, id) WHERE id IS NOT NULL;
CREATE TABLE IF NOT EXISTS snapshots (
    model TEXT NOT NULL, player TEXT NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL, state BLOB NOT NULL,
    PRIMARY KEY (model, player)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS models (
    name TEXT NOT NULL, version INTEGER NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (name, version));
"""
_FORMAT = 2
_APPLICATION = 0x54454C4F  # "TELO", in the header of the file
_SAVE = """
INSERT INTO snapshots SELECT model, player, ?3, ?4, ?5 FROM heads
    WHERE model = ?1 AND player = ?2 AND life = ?6 AND seq >= ?3
    ON CONFLICT DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state
    WHERE excluded.seq > snapshots.seq
"""


def spans(events: Iterable[EventRow]) -> dict[tuple[str, str], tuple[Head, int]]:
    """Return, for each model and player, the head that the events were read after, and their last number.

    >>> row = EventRow("farm", "ann", 8, None, 1, 0.0, 0.0, b"{}", life=5)
    >>> spans([row, row._replace(seq=9)])
    {('farm', 'ann'): (Head(life=5, seq=7), 9)}
    """
    found: dict[tuple[str, str], tuple[Head, int]] = {}
    for row in events:
        key = (row.model, row.player)
        known = found.get(key)
        found[key] = (Head(row.life, row.seq - 1) if known is None else known[0], row.seq)
    return found


class SqliteStore:
    """A store in one SQLite file, with a write-ahead log that is synced at every commit.

    >>> store = SqliteStore(None)
    >>> store.append([EventRow("farm", "ann", 1, None, 1, 0.0, 0.0, b"{}")])
    >>> len(store.load("farm", "ann").events), store.forget("ann"), store.players("farm")
    (1, 1, [])
    """

    is_shared = False

    def __init__(self, path: Path | None) -> None:
        self._name = "memory" if path is None else str(path)
        try:
            self._database = sqlite3.connect(
                ":memory:" if path is None else path, isolation_level=None, check_same_thread=False, timeout=10
            )
            self._prepare()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise TelosError(f"{self._name}: {error}", "give the service a folder of its own with --data") from None

    def _prepare(self) -> None:
        database = self._database
        application, version = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in
                                ("application_id", "user_version"))  # fmt: skip
        if (application, version) not in ((0, 0), (_APPLICATION, _FORMAT)):
            raise TelosError(f"{self._name} is no store of this version of telos", "name another folder with --data")
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "busy_timeout = 10000"):
            database.execute(f"PRAGMA {pragma}")
        database.executescript(_SCHEMA)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_FORMAT}")

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Add events, all or nothing, and snapshots; ``StoreConflict`` if a player's head is not where they begin."""
        with self._transaction() as database:
            fresh, moves = [], []
            for (model, player), (head, last) in spans(events).items():
                if head.seq:
                    moves.append((last, model, player, head.life, head.seq))
                else:
                    fresh.append((model, player, head.life, last))
            change = "UPDATE heads SET seq = ? WHERE model = ? AND player = ? AND life = ? AND seq = ?"
            if moves and database.executemany(change, moves).rowcount != len(moves):
                raise StoreConflict
            database.executemany("INSERT INTO heads VALUES (?, ?, ?, ?)", fresh)
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (row[:8] for row in events))
            database.executemany(_SAVE, snapshots)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = self._database
        try:
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        except BaseException as error:
            if database.in_transaction:
                database.execute("ROLLBACK")
            if isinstance(error, sqlite3.IntegrityError):
                raise StoreConflict from None
            if isinstance(error, sqlite3.Error | UnicodeDecodeError):
                raise TelosError(f"{self._name}: {error}", "nothing was kept; send it again") from None
            raise

    def _select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        try:
            return self._database.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise TelosError(f"{self._name}: {error}", "restore it from a backup") from None

    def load(self, model: str, player: str) -> StoredPlayer:
        """Return the last snapshot of a player and the events after it."""
        with self._transaction():  # all of one moment
            head = self.head(model, player)
            found = self._select("SELECT * FROM snapshots WHERE model = ? AND player = ?", model, player)
            snapshot = to_row(SnapshotRow, found[0]) if found else None
            after = 0 if snapshot is None else snapshot.seq
            query = "SELECT * FROM events WHERE model = ? AND player = ? AND seq > ? ORDER BY seq"
            events = [to_row(EventRow, each) for each in self._select(query, model, player, after)]
        return StoredPlayer(head, snapshot, events)

    def head(self, model: str, player: str) -> Head | None:
        """Return up to where a player was read."""
        query = "SELECT life, seq FROM heads WHERE model = ? AND player = ?"
        found = self._select(query, model, player)
        return to_row(Head, found[0]) if found else None

    def stale(self, received_before: float, limit: int) -> list[tuple[str, str]]:
        """Return models and players with events received before a time that no snapshot covers."""
        query = (
            "SELECT DISTINCT model, player FROM events WHERE received < ? AND seq > coalesce((SELECT seq FROM snapshots"
            " AS s WHERE s.model = events.model AND s.player = events.player), 0) LIMIT ?"
        )
        return [(model, player) for model, player in self._select(query, received_before, limit)]

    def known_ids(self, model: str, player: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those events that were added before, by their ids."""
        found = {}
        for each in ids:
            query = "SELECT seq FROM events WHERE model = ? AND player = ? AND id = ?"
            for (seq,) in self._select(query, model, player, each):
                found[each] = seq
        return found

    def players(self, model: str) -> list[str]:
        """Return the players with a state, by name."""
        query = "SELECT player FROM heads WHERE model = ? ORDER BY player"
        return [player for (player,) in self._select(query, model)]

    def forget(self, player: str) -> int:
        """Delete all about a player under every model; return the number of events."""
        with self._transaction() as database:
            database.execute("DELETE FROM heads WHERE player = ?", (player,))
            count = database.execute("DELETE FROM events WHERE player = ?", (player,)).rowcount
            database.execute("DELETE FROM snapshots WHERE player = ?", (player,))
        self._select("PRAGMA wal_checkpoint(TRUNCATE)")  # the log has the old pages, too
        return count

    def prune(self, received_before: float) -> int:
        """Delete events received before a time that a snapshot covers; return their number."""
        with self._transaction() as database:
            return database.execute(
                "DELETE FROM events WHERE received < ? AND seq <= (SELECT seq FROM snapshots AS s"
                " WHERE s.model = events.model AND s.player = events.player)",
                (received_before,),
            ).rowcount

    def add_model(self, row: ModelRow) -> None:
        """Add a version of a model."""
        with self._transaction() as database:
            database.execute("INSERT INTO models VALUES (?, ?, ?, ?)", row)

    def models(self) -> list[ModelRow]:
        """Return all versions of all models."""
        return [to_row(ModelRow, row) for row in self._select("SELECT * FROM models ORDER BY name, version")]

    def close(self) -> None:
        """Close the store."""
        self._database.close()
