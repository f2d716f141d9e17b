"""Where events and beliefs are kept: the ``Store`` protocol, and ``SqliteStore``, the default.

An event is a row of an append-only log, with the model that read it; a snapshot is the state of a reader after one of
them. The state of a player is the last snapshot and the events after it.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

from telos.core.errors import TelosError


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


class SnapshotRow(NamedTuple):
    """The state of a reader after the event ``seq``, under a version of its model."""

    model: str
    player: str
    seq: int
    version: int
    state: bytes


class ModelRow(NamedTuple):
    """A version of a model: the text of its file."""

    name: str
    version: int
    file: str  # its name, whose suffix says what kind it is
    text: str


class StoreConflict(TelosError):
    """Another process has added events of these players in the meantime."""

    def __init__(self, players: Iterable[tuple[str, str]]) -> None:
        self.players = frozenset(players)
        super().__init__("another process has added events of the same player", "read its state again")


class Store(Protocol):
    """Keeps events, snapshots and models. What ``append`` has returned from survives a kill of the process."""

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Add events and snapshots, all or nothing; ``StoreConflict`` if an event number is taken."""

    def load(self, model: str, player: str) -> tuple[SnapshotRow | None, list[EventRow]]:
        """Return the last snapshot of a player and the events after it."""

    def known_ids(self, model: str, player: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those events that were added before, by their ids."""

    def players(self, model: str) -> list[str]:
        """Return the players with a state, by name."""

    def forget(self, player: str) -> int:
        """Delete all about a player under every model; return the number of events."""

    def prune(self, received_before: float) -> int:
        """Delete events received before a time that a snapshot covers; return their number."""

    def add_model(self, row: ModelRow) -> None:
        """Add a version of a model."""

    def models(self) -> list[ModelRow]:
        """Return all versions of all models."""

    def close(self) -> None:
        """Close the store."""


_SCHEMA = """
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
_FORMAT = 1
_APPLICATION = 0x54454C4F  # "TELO", in the header of the file


class SqliteStore:
    """A store in one SQLite file, with a write-ahead log that is synced at every commit.

    >>> store = SqliteStore(None)
    >>> store.append([EventRow("farm", "ann", 1, None, 1, 0.0, 0.0, b"{}")])
    >>> len(store.load("farm", "ann")[1]), store.forget("ann"), store.players("farm")
    (1, 1, [])
    """

    def __init__(self, path: Path | None) -> None:
        self._name = "memory" if path is None else str(path)
        try:
            self._database = sqlite3.connect(
                ":memory:" if path is None else path, isolation_level=None, check_same_thread=False, timeout=10
            )
            self._prepare()
        except sqlite3.Error as error:
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
        """Add events and snapshots, all or nothing; ``StoreConflict`` if an event number is taken."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", events)
            database.executemany("REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", snapshots)
            database.execute("COMMIT")
        except sqlite3.IntegrityError:
            database.execute("ROLLBACK")
            raise StoreConflict((row.model, row.player) for row in events) from None
        except sqlite3.Error as error:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise TelosError(f"{self._name}: {error}", "the events were not kept; send them again") from None

    def load(self, model: str, player: str) -> tuple[SnapshotRow | None, list[EventRow]]:
        """Return the last snapshot of a player and the events after it."""
        found = self._database.execute("SELECT * FROM snapshots WHERE model = ? AND player = ?", (model, player))
        row = found.fetchone()
        snapshot = None if row is None else SnapshotRow(*row)
        after = 0 if snapshot is None else snapshot.seq
        events = self._database.execute(
            "SELECT * FROM events WHERE model = ? AND player = ? AND seq > ? ORDER BY seq", (model, player, after)
        )
        return snapshot, [EventRow(*each) for each in events]

    def known_ids(self, model: str, player: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those events that were added before, by their ids."""
        found = {}
        for each in ids:
            row = self._database.execute(
                "SELECT seq FROM events WHERE model = ? AND player = ? AND id = ?", (model, player, each)
            ).fetchone()
            if row is not None:
                found[each] = row[0]
        return found

    def players(self, model: str) -> list[str]:
        """Return the players with a state, by name."""
        query = (
            "SELECT player FROM events WHERE model = ? UNION SELECT player FROM snapshots WHERE model = ? ORDER BY 1"
        )
        return [player for (player,) in self._database.execute(query, (model, model))]

    def forget(self, player: str) -> int:
        """Delete all about a player under every model; return the number of events."""
        with closing(self._database.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            count = cursor.execute("DELETE FROM events WHERE player = ?", (player,)).rowcount
            cursor.execute("DELETE FROM snapshots WHERE player = ?", (player,))
            cursor.execute("COMMIT")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log has the old pages, too
        return count

    def prune(self, received_before: float) -> int:
        """Delete events received before a time that a snapshot covers; return their number."""
        return self._database.execute(
            "DELETE FROM events WHERE received < ? AND seq <= (SELECT seq FROM snapshots AS s"
            " WHERE s.model = events.model AND s.player = events.player)",
            (received_before,),
        ).rowcount

    def add_model(self, row: ModelRow) -> None:
        """Add a version of a model."""
        self._database.execute("INSERT INTO models VALUES (?, ?, ?, ?)", row)

    def models(self) -> list[ModelRow]:
        """Return all versions of all models."""
        return [ModelRow(*row) for row in self._database.execute("SELECT * FROM models ORDER BY name, version")]

    def close(self) -> None:
        """Close the store."""
        self._database.close()
