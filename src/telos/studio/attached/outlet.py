"""`Outlet`: the small web server inside an attached game, from which studios get its traces.

It runs in threads of its own and answers on loopback only, to who has its token. The game's thread only appends to a
bounded queue: a studio that is slow, hangs or dies loses traces, and delays nothing. A pause that was asked for ends
when no studio asks for traces any more.
"""

import getpass
import hmac
import json
import math
import os
import secrets
import stat
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from telos.core.errors import TelosError
from telos.exits import temporary_files
from telos.files import write_text

DEFAULT_PORT = 8710
LOOKING_SECONDS = 8.0  # after which a studio that has asked for nothing is gone; as in telos.traces
_MAX_PORTS = 50  # that are tried from the default one on
_KEPT = 600  # traces for a studio that is late: a minute
_MAX_CONNECTIONS = 8
_MAX_WAIT = 5.0  # seconds that a request may wait for the next trace
_MAX_BODY = 1_000
_SOCKET_SECONDS = 10.0  # that a client may take to read or write
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Outlet:
    """The traces of one game that wait for studios, and what studios ask for."""

    def __init__(self, game: str, *, port: int | None = None, token: str | None = None) -> None:
        self.game, self.run, self.token = game, secrets.token_urlsafe(6), token or secrets.token_urlsafe(24)
        self.is_watched = False  # read by the game in each frame
        self.looks_at = ""  # the character that a studio shows
        self.wants_all = False  # a studio has come: send everything once
        self._traces: deque[tuple[int, dict[str, Any]]] = deque(maxlen=_KEPT)
        self._seq, self._told, self._ended = 0, 0, False
        self._asked_pause, self._until = False, 0.0
        self._news = threading.Condition()
        self._server = _Server(self, port)
        self.port: int = self._server.server_address[1]
        self._token_file = _write_token(self.port, self.token)
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="telos-attach", daemon=True).start()

    @property
    def address(self) -> str:
        """Where a studio finds it; the token is in a file that only this user can read."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_paused(self) -> bool:
        """Whether a studio that still looks on wants the game to stand still."""
        return self._asked_pause and time.monotonic() < self._until

    def check_watched(self) -> bool:
        """Return whether somebody still looks on; called by the game now and then."""
        if time.monotonic() >= self._until:
            self.is_watched = self._asked_pause = False
        return self.is_watched

    def put(self, trace: dict[str, Any]) -> None:
        """Queue a trace for the studios that look on; of too many, the oldest are dropped."""
        with self._news:
            self._seq += 1
            self._traces.append((self._seq, trace))
            self._news.notify_all()

    def close(self) -> None:
        """Tell the studios that look on that the game has ended, and stop."""
        if self._ended:
            return
        with self._news:
            self._ended = True
            self._seq += 1
            self._traces.append((self._seq, {"game": self.game, "run": self.run, "end": True}))
            self._news.notify_all()
            if self.check_watched():  # it must hear of the end before the process is gone
                self._news.wait_for(lambda: self._told >= self._seq, timeout=0.5)
        self._server.shutdown()
        self._server.server_close()
        with suppress(OSError):
            self._token_file.unlink(missing_ok=True)
        temporary_files.discard(str(self._token_file))

    # --- called by the threads of requests ----------------------------------------------------------------------------

    def answer(self, after: int | None, wait: float, looks_at: str) -> dict[str, Any]:
        """Return the traces after a number, waiting for the next one; without a number, everything is sent anew."""
        if time.monotonic() >= self._until:
            self._asked_pause = False  # of a studio that is gone
        self._until = time.monotonic() + wait + LOOKING_SECONDS
        self.looks_at = looks_at
        with self._news:
            if after is None or after > self._seq:
                after, self.wants_all = self._seq, True
            self.is_watched = True
            self._news.wait_for(lambda: self._seq > after or self._ended, timeout=wait)
            kept = [(number, trace) for number, trace in self._traces if number > after]
            seq, ended = self._seq, self._ended
        lost = max(0, (kept[0][0] if kept else seq + 1) - after - 1)
        batch = {"game": self.game, "seq": seq, "run": self.run, "lost": lost, "ended": ended}
        return {**batch, "paused": self._asked_pause, "traces": [trace for _, trace in kept]}

    def note_told(self, seq: int) -> None:
        """Note that a studio has got the traces up to a number."""
        with self._news:
            self._told = max(self._told, seq)
            self._news.notify_all()

    def ask_pause(self, on: bool) -> None:
        """Ask the game to stand still, or to go on."""
        self._until = time.monotonic() + LOOKING_SECONDS
        self._asked_pause = on

    def list_games(self) -> dict[str, Any]:
        """Return the only game that is here."""
        return {"games": [{"name": self.game, "run": self.run, "seq": self._seq, "ended": self._ended}]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = _MAX_CONNECTIONS
    allow_reuse_address = os.name == "posix"

    def __init__(self, outlet: Outlet, port: int | None) -> None:
        self.outlet = outlet
        self._free = threading.Semaphore(_MAX_CONNECTIONS)
        ports = range(DEFAULT_PORT, DEFAULT_PORT + _MAX_PORTS) if port is None else (port,)
        for number in ports:
            try:
                super().__init__(("127.0.0.1", number), _Request)
                return
            except OSError as error:
                why = error.strerror or str(error)
            except OverflowError:
                why = "a port is from 0 to 65535"
        raise TelosError(f"cannot listen at 127.0.0.1 port {port or DEFAULT_PORT}: {why}", "choose another port")

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is nothing that the game should print."""


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SOCKET_SECONDS
    server: _Server

    def do_GET(self) -> None:
        outlet, parts = self.server.outlet, self._admit()
        if parts is None:
            return
        path, query = parts
        if path == "/v1/traces":
            self._send(200, outlet.list_games())
        elif path == f"/v1/traces/{outlet.game}":
            after = query.get("after", "")
            found = outlet.answer(int(after) if after.isdecimal() else None, _seconds(query.get("wait", "")),
                                  query.get("looks", "")[:200])  # fmt: skip
            self._send(200, found)
            outlet.note_told(found["seq"])
        else:
            self._refuse(404, "not-found", f"there is nothing at {path[:200]}")

    def do_POST(self) -> None:
        outlet, parts = self.server.outlet, self._admit()
        if parts is None:
            return
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._refuse(413, "too-large", f"a body has at most {_MAX_BODY} bytes")
            return
        body = self.rfile.read(int(length))
        if parts[0] != f"/v1/traces/{outlet.game}/pause":
            self._refuse(404, "not-found", f"there is nothing at {parts[0][:200]}")
            return
        with suppress(ValueError, RecursionError):
            data = json.loads(body)
            if isinstance(data, dict) and type(data.get("paused")) is bool:
                outlet.ask_pause(data["paused"])
                self._send(200, {"paused": data["paused"]})
                return
        self._refuse(422, "invalid", 'the body must be {"paused": true} or {"paused": false}')

    def _admit(self) -> tuple[str, dict[str, str]] | None:
        """Return the path and the parameters of an allowed request; refuse others."""
        given = self.headers.get("authorization", "").partition(" ")[2].strip()
        host = self.headers.get("host", "").rsplit(":", 1)[0]
        if host not in _LOOPBACK or self.headers.get("origin") is not None:
            self.close_connection = True
            self._refuse(403, "forbidden", "an attached game answers studios of this machine only, and no pages")
            return None
        if not hmac.compare_digest(given.encode(), self.server.outlet.token.encode()):
            self.close_connection = True
            self._refuse(401, "unauthorized", "the token of the attached game is missing or wrong")
            return None
        parts = urlsplit(self.path)
        return unquote(parts.path), {key: values[0] for key, values in parse_qs(parts.query).items()}

    def _refuse(self, status: int, code: str, detail: str) -> None:
        self._send(status, {"type": f"telos:{code}", "title": code.replace("-", " "), "status": status,
                            "detail": detail})  # fmt: skip

    def _send(self, status: int, data: dict[str, Any]) -> None:
        body = _to_json(data)
        self.send_response(status)
        self.send_header("content-type", "application/json" if status == 200 else "application/problem+json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """A game's terminal is its own."""


def _to_json(data: dict[str, Any]) -> bytes:
    """Return JSON, with null for numbers that are not finite."""
    try:
        return json.dumps(data, separators=(",", ":"), default=str, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(data), separators=(",", ":"), default=str).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _seconds(text: str) -> float:
    return min(_MAX_WAIT, float(text)) if text.isdecimal() else 0.0


# --- tokens -----------------------------------------------------------------------------------------------------------


def token_folder() -> Path:
    """Return the folder with the tokens of this user's attached games."""
    return Path(tempfile.gettempdir()) / f"telos-attached-{getpass.getuser()}"


def _write_token(port: int, token: str) -> Path:
    """Keep a token where a studio of this user finds it, and nobody else does."""
    folder = token_folder()
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _check_private(folder)
    file = folder / str(port)
    temporary_files.add(str(file))
    write_text(file, token)
    file.chmod(0o600)
    return file


def find_token(port: int) -> str | None:
    """Return the token of a game that is attached at a port of this machine; None if there is none."""
    folder = token_folder()
    if not folder.is_dir():
        return None
    _check_private(folder)
    try:
        return (folder / str(port)).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _check_private(folder: Path) -> None:
    """Refuse a folder that somebody else has made: they could read the tokens."""
    if os.name != "posix":
        return
    found = folder.lstat()
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077 or not stat.S_ISDIR(found.st_mode):
        raise TelosError(f"{folder} is open to other users", "remove it; it is made anew")
