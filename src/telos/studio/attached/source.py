"""Where the studio's traces come from: `TraceSource` keeps them for all pages, `LiveSource` fetches them from a game.

A source only grows: every page reads it from its own place on, so that a page that is opened later has the whole
timeline. Of very long games, the oldest traces are added up (`base`) and dropped.
"""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from telos.core.errors import TelosError
from telos.studio.attached.outlet import DEFAULT_PORT, find_token
from telos.traces import MAX_TRACE_BYTES, GameList, GameTrace, TraceState, decode_traces, encode_trace

MAX_KEPT, MAX_KEPT_BYTES = 20_000, 128 * 2**20  # traces: half an hour at ten a second
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_WAIT = 2  # seconds that the game may wait for something to tell
_GATHER = 0.3  # seconds between two requests: traces come in small heaps
_TIMEOUT = 10.0
_RETRY = 1.0  # seconds until a game that does not answer is tried again
_MAX_ANSWER = 64 * MAX_TRACE_BYTES


@dataclass(frozen=True, slots=True)
class SourceNote:
    """Something about the source itself: the game is there, is gone, has started again, or the studio was too slow."""

    text: str
    kind: str = "game"


TraceEntry: TypeAlias = GameTrace | SourceNote
Answer = TypeVar("Answer")


class TraceSource:
    """Traces in the order of their arrival, for any number of readers in other threads."""

    is_live = False

    def __init__(self, title: str) -> None:
        self.title = title
        self.base = TraceState()  # of the traces that were dropped
        self.dropped = 0
        self.status = ""  # why nothing comes; empty if all is well
        self._entries: list[bytes | SourceNote] = []  # traces as JSON, a fifth of the room of objects
        self._size = 0  # bytes
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """The number of entries so far, with those that were dropped."""
        return self.dropped + len(self._entries)

    def entry(self, number: int) -> TraceEntry:
        """Return an entry; of those that were dropped, the oldest that is left."""
        with self._lock:
            found = self._entries[max(0, number - self.dropped)]
        return found if isinstance(found, SourceNote) else decode_traces(found)[0]

    def start(self) -> tuple[int, TraceState]:
        """Return the number of the oldest entry that is left, and the sum of all before it."""
        with self._lock:
            state = TraceState()
            if self.dropped:
                state.merge(self.base.snapshot())
            return self.dropped, state

    def traces(self) -> list[GameTrace]:
        """Return the traces that are left, with the sum of those before them as the first."""
        with self._lock:
            kept = [decode_traces(entry)[0] for entry in self._entries if isinstance(entry, bytes)]
            return [self.base.snapshot(), *kept] if self.dropped else kept

    def add(self, entry: TraceEntry) -> None:
        """Add an entry."""
        data = entry if isinstance(entry, SourceNote) else encode_trace(entry)
        with self._lock:
            self._entries.append(data)
            self._size += len(data) if isinstance(data, bytes) else 0
            if len(self._entries) > MAX_KEPT or self._size > MAX_KEPT_BYTES:
                self._drop(len(self._entries) // 2)

    def _drop(self, count: int) -> None:
        """Add up the oldest entries."""
        for old in self._entries[:count]:
            if isinstance(old, bytes):
                self.base.merge(decode_traces(old)[0])
                self._size -= len(old)
        del self._entries[:count]
        self.dropped += count

    def ask_pause(self, on: bool) -> None:
        """Ask the game to stand still, or to go on; a recording does neither."""

    def look_at(self, who: str) -> None:
        """Note which character is looked at: the game tells more of it."""

    def close(self) -> None:
        """Stop fetching."""


class FetchedBatch(msgspec.Struct):
    """A ``TraceBatch`` whose traces are still to be checked, so that a faulty one does not spoil the others."""

    game: str
    seq: int
    lost: int = 0
    ended: bool = False
    traces: list[msgspec.Raw] = []


@dataclass(frozen=True, slots=True)
class GameAddress:
    """Where a game, or a service that it sends its traces to, answers; without a name, its latest game."""

    host: str
    port: int
    is_secure: bool = False
    game: str = ""

    def __str__(self) -> str:
        """Return the address as it is shown."""
        return f"{self.host}:{self.port}{'/' + self.game if self.game else ''}"


def parse_address(text: str) -> GameAddress:
    """Return the address of a game: ``127.0.0.1:8710``, ``8710``, or ``http://HOST:PORT/GAME``.

    >>> str(parse_address("8710")), str(parse_address("http://localhost:8700/village"))
    ('127.0.0.1:8710', 'localhost:8700/village')
    """
    given = text.strip()
    given = f"127.0.0.1:{given}" if given.isdecimal() else given
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TelosError(f"{text!r} is not the address of a game", f"write 127.0.0.1:{DEFAULT_PORT}")
    if parts.query or parts.username or parts.password:
        raise TelosError("a token in an address can be read by all users of this machine", "use --attach-token")
    return GameAddress(parts.hostname, port or DEFAULT_PORT, parts.scheme == "https", parts.path.strip("/"))


class LiveSource(TraceSource):
    """Fetches the traces of a running game, in a thread of its own, until it is closed."""

    is_live = True

    def __init__(
        self,
        address: GameAddress,
        *,
        token: str | None = None,
        keep: Callable[[GameTrace], None] = lambda trace: None,
    ) -> None:
        super().__init__(address.game or str(address))
        self.address, self._given_token, self._keep = address, token, keep
        self.status = f"waiting for a game at {address}"
        self._game = address.game
        self._after: int | None = None
        self._looks_at, self._wanted_pause = "", False
        self._asked_pause: bool | None = None  # what is still to be asked
        self._closed = threading.Event()
        self._time, self._clock = 0.0, time.monotonic()
        self._was_there = False
        threading.Thread(target=self._run_thread, name="telos-attached", daemon=True).start()

    def ask_pause(self, on: bool) -> None:
        if on != self._wanted_pause:
            self._wanted_pause = self._asked_pause = on

    def look_at(self, who: str) -> None:
        self._looks_at = who

    def close(self) -> None:
        self._closed.set()

    def _run_thread(self) -> None:
        connection: http.client.HTTPConnection | None = None
        while not self._closed.is_set():
            try:
                if connection is None:
                    connection = self._connect()
                self._fetch(connection)
            except (OSError, http.client.HTTPException, TelosError, ValueError) as error:  # ValueError: an odd host
                self._lose(error)
                if connection is not None:
                    connection.close()
                connection = None
                self._closed.wait(_RETRY)
            else:
                self._closed.wait(_GATHER)
        if connection is not None:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        address = self.address
        if address.is_secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(address.host, address.port, timeout=_TIMEOUT, context=context)
        return http.client.HTTPConnection(address.host, address.port, timeout=_TIMEOUT)

    def _lose(self, error: Exception) -> None:
        """Note that the game does not answer."""
        words = str(error) if isinstance(error, TelosError) else f"no game answers at {self.address}"
        if self._was_there:
            self.add(SourceNote(f"{self.title} does not answer any more"))
            words = f"{self.title} does not answer any more; trying again"
        self._was_there, self._after, self.status = False, None, words
        self._game = self.address.game
        self._asked_pause, self._wanted_pause = None, False

    def _request(self, connection: http.client.HTTPConnection, path: str, body: bytes | None = None) -> bytes:
        is_here = self.address.host in LOOPBACK  # the token of a game of this machine is sent to no other
        token = self._given_token or (find_token(self.address.port) if is_here else None)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        data = answer.read(_MAX_ANSWER)
        if answer.status != 200:
            raise TelosError(_describe_refusal(answer.status, data))
        return data

    def _fetch(self, connection: http.client.HTTPConnection) -> None:
        if not self._game:
            games = _decode(self._request(connection, "/v1/traces"), GameList).games
            if not games:
                raise TelosError(f"{self.address} answers, but no game has sent anything yet")
            self._game = games[0].name
        if self._asked_pause is not None:
            asked, self._asked_pause = self._asked_pause, None
            self._request(connection, f"/v1/traces/{quote(self._game)}/pause", json.dumps({"paused": asked}).encode())
        query = {"wait": str(_WAIT if self._after is not None else 0), "looks": self._looks_at}
        query |= {} if self._after is None else {"after": str(self._after)}
        path = f"/v1/traces/{quote(self._game)}?{urlencode(query)}"
        self._take(_decode(self._request(connection, path), FetchedBatch))

    def _take(self, batch: FetchedBatch) -> None:
        if not self._was_there:
            self._was_there, self.title = True, batch.game
            self.add(SourceNote(f"{batch.game} is there"))
        if batch.lost and self._after is not None:
            self.add(SourceNote(f"{batch.lost} traces are missing: the studio was too slow"))
        self._after, self.status = batch.seq, ""
        for data in batch.traces:
            try:
                (trace,) = decode_traces(bytes(data))
            except TelosError as error:
                self.add(SourceNote(f"a trace is refused: {error}", "bad"))
            else:
                self._take_trace(self._stamp(trace))
        if batch.ended:
            self.status = f"{batch.game} has ended"
            self._asked_pause, self._wanted_pause = None, False

    def _take_trace(self, trace: GameTrace) -> None:
        self.add(trace)
        try:
            self._keep(trace)
        except (OSError, TelosError) as error:  # a full disk
            self._keep = lambda trace: None
            self.add(SourceNote(f"nothing more is recorded: {error}", "bad"))

    def _stamp(self, trace: GameTrace) -> GameTrace:
        """Return a trace with a time: that of its arrival, if the game has none."""
        now = time.monotonic()
        if trace.time is None:
            trace = msgspec.structs.replace(trace, time=round(self._time + now - self._clock, 3))
        assert trace.time is not None
        self._time, self._clock = trace.time, now
        return trace


def _decode(data: bytes, kind: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise TelosError(f"what answers is no attached game: {error}") from None


def _describe_refusal(status: int, data: bytes) -> str:
    if status in (401, 403):
        return "the game refuses the token; --attach-token names a file with the right one"
    try:
        return str(json.loads(data)["detail"])[:300]
    except (ValueError, KeyError, TypeError):
        return f"what answers is no attached game (HTTP {status})"
