"""The web app: a page for each world, the WebSocket of its game, and the server that runs it.

Start with `serve`; `create_app` builds the routes.
"""

import asyncio
import ctypes
import gc
import logging
import os
import re
import secrets
import socket
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import orjson
import uvicorn
from fastapi import FastAPI, WebSocket
from fastapi.dependencies import models as dependencies
from nicegui import Client, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from telos.core.errors import TelosError, printable
from telos.files import check_output
from telos.studio.event_log import LogQuery, to_json_lines, to_text
from telos.studio.models.library import Library
from telos.studio.page.page import build_page
from telos.studio.recording import MAX_SEED, parse_seed
from telos.studio.server.auth import LOOPBACK, AuthMiddleware
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.server.links import PageLink
from telos.studio.session import Session
from telos.studio.stage import world

DEFAULT_PORT = 8484
_MAX_PORTS = 50  # that are tried from the default one on
_MAX_MESSAGE_BYTES = 2**20  # of one WebSocket message: a model is at most a quarter of that
_RECONNECT_TIMEOUT = 15.0  # seconds until a page that has lost its socket is deleted, and then loads itself again
_ANY_HOST = ("0.0.0.0", "::")
_SWEEP_INTERVAL = 0.25  # seconds between two searches for games without a page, or to be written
_SWEEP_SECONDS = 0.02  # that writing may delay the games each time
_COLLECT_INTERVAL, _QUIET_INTERVAL = 30.0, 2.0  # seconds between garbage collections: during games, and without
_NO_SUCH_GAME = 4404  # close code of the WebSocket; link.js knows it
_MAX_PAGE = 64  # characters of the identifier of a page
_GAME = "telos-game"  # in the storage of a client
_VISITOR = "telos-visitor"  # the cookie by which a browser finds its games again
_VISITOR_NAME = re.compile(r"[A-Za-z0-9_-]{8,24}")
_MAX_FAULTS = 4  # of an address, that are told
_RESERVED = ("game", "replay", "at", "seed", "token")  # parameters of the address; all others are settings of the world


def create_app(folder: Path, *, records: Path | None = None, seed: int = 0, first: str = "adventure") -> FastAPI:
    """Return the app. Models are opened and saved in ``folder``; nothing outside it is read or written."""
    hub = Hub(records)
    app = FastAPI(lifespan=_lifespan(hub), openapi_url=None)
    app.state.hub = hub
    library = Library(folder)

    @app.websocket("/link/{name}")
    async def link(socket: WebSocket, name: str) -> None:
        game = hub.games.get(name)
        await socket.accept()
        if game is None:
            await socket.close(code=_NO_SUCH_GAME, reason="this game does not exist any more")
            return
        await PageLink(game, socket, socket.query_params.get("page", "")[:_MAX_PAGE]).run()

    @app.get("/games")
    async def games() -> dict[str, list[dict[str, object]]]:
        """List the open games, for administrators."""
        return {"games": [_summary(game) for game in hub.games.values()]}

    @app.get("/log/{name}")
    async def event_log(name: str, request: Request) -> Response:
        """Return a part of the log of a game, or with ``as=text`` or ``as=jsonl`` all its filtered lines as a file."""
        game = hub.games.get(name)
        if game is None:
            return Response("this game does not exist any more", status_code=404)
        try:
            return answer_log(game.session, dict(request.query_params))
        except TelosError as error:
            return Response(str(error), status_code=400)

    @app.get("/")
    async def start(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{first}{query}")

    @ui.page("/{name}", title="Telos studio", dark=None, language="en-US", response_timeout=20)
    def page(name: str, request: Request) -> None:
        client, visitor = ui.context.client, visitor_of(request)

        def open_game(name: str, query: Mapping[str, str]) -> Game:
            game = _open_game(hub, name, query, seed, visitor)
            if not client.has_socket_connection:
                _note_game(client, game)
            return game

        build_page(name, dict(request.query_params), library, hub, open_game)

    ui.run_with(
        app,
        title="Telos studio",
        favicon=None,
        show_welcome_message=False,
        tailwind=False,
        reconnect_timeout=_RECONNECT_TIMEOUT,
    )
    return app


def _note_game(client: Client, game: Game) -> None:
    """Store the name of the game in the client of a page until the page connects: from then on, NiceGUI deletes it."""
    client.storage[_GAME] = game.name
    client.on_connect(lambda: client.storage.pop(_GAME, None))


def _summary(game: Game) -> dict[str, object]:
    session = game.session
    return {"world": session.world.name, "seed": session.seed, "steps": session.log.steps, "open": game.is_linked}


def visitor_of(request: Request) -> str:
    """Return the name of the browser that opens a page: that of its cookie, or a new one, which the page stores."""
    cookie = f"{_VISITOR}-{request.url.port}"  # browsers share cookies between the ports of a host
    known = request.cookies.get(cookie, "")
    if _VISITOR_NAME.fullmatch(known):
        return known
    visitor = secrets.token_urlsafe(9)
    ui.add_head_html(f'<script>document.cookie = "{cookie}={visitor}; path=/; samesite=strict";</script>')
    return visitor


def _open_game(hub: Hub, name: str, query: Mapping[str, str], seed: int, visitor: str) -> Game:
    """Return the game that an address names, or the visitor's own; one note says which parameters are invalid."""
    now = asyncio.get_running_loop().time()
    if not query:
        return hub.enter(name, seed, visitor=visitor, now=now)
    given = {key: value for key, value in query.items() if key not in _RESERVED}
    settings, faults = world(name).complete_settings(given), world(name).describe_faults(given)
    chosen, at = (_parse_number(key, query.get(key), faults) for key in ("seed", "at"))
    chosen = seed if chosen is None else chosen
    game, replayed = query.get("game", ""), query.get("replay", "")
    opened = hub.open(name, chosen, settings, game=game or replayed, at=at, repeats=not game, visitor=visitor, now=now)
    if faults:
        opened.notify(f"The address has faults: {'. '.join(faults[:_MAX_FAULTS])}.")
    return opened


def _parse_number(key: str, text: str | None, faults: list[str]) -> int | None:
    """Return a number of the address; if it is none, add that to the faults."""
    if text is None:
        return None
    try:
        return parse_seed(text)
    except TelosError:
        faults.append(f"{key} must be a whole number from 0 to {MAX_SEED - 1}, not {text[:40]!r}")
        return None


def answer_log(session: Session, parameters: Mapping[str, str]) -> Response:
    """Return what a page asks for of the event log of a game."""
    query, log = LogQuery.from_mapping(parameters), session.event_log
    formats = {"text": (to_text, "text/plain", "txt"), "jsonl": (to_json_lines, "application/x-ndjson", "jsonl")}
    if parameters.get("as") not in formats:
        return Response(orjson.dumps(log.answer(query)), media_type="application/json")
    write, kind, ending = formats[parameters["as"]]
    file = f"{session.world.name}-seed{session.seed}-log.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(write(log.selected(query.filter)), media_type=f"{kind}; charset=utf-8", headers=headers)


def _lifespan(hub: Hub):  # type: ignore[no-untyped-def]  # the async context manager that FastAPI expects
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async def sweep() -> None:
            cleaner = MemoryCleaner(hub)
            while True:
                await asyncio.sleep(_SWEEP_INTERVAL)
                now = asyncio.get_running_loop().time()
                hub.sweep(now, seconds=_SWEEP_SECONDS)
                cleaner.clean(now)

        task = asyncio.create_task(sweep())
        try:
            yield
        finally:
            task.cancel()
            for name in list(hub.games):
                hub.free(name)

    return lifespan


class MemoryCleaner:
    """Gives the memory of freed games and closed pages back.

    They are parts of reference cycles, so they stay until a full garbage collection, which Python may not start for
    hours. It delays all games, so while some are played it is made only from time to time.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._freed, self._clients = hub.freed, 0
        self._is_due, self._collected_at = False, -_COLLECT_INTERVAL

    def clean(self, now: float) -> bool:
        """Delete pages without a game, and collect memory when it is time; return whether it was collected."""
        for client in list(Client.instances.values()):
            if client.storage.get(_GAME, "") not in (*self._hub.games, ""):
                client.delete()  # NiceGUI would do so only a minute after it was opened
        self._is_due |= self._freed != self._hub.freed or len(Client.instances) < self._clients
        self._freed, self._clients = self._hub.freed, len(Client.instances)
        is_played = any(game.is_linked for game in self._hub.games.values())
        if not self._is_due or now - self._collected_at < (_COLLECT_INTERVAL if is_played else _QUIET_INTERVAL):
            return False
        self._is_due, self._collected_at = False, now
        _forget_routes()
        gc.collect()
        _trim_heap()
        return True


def _forget_routes() -> None:
    """Clear FastAPI's caches of functions: they keep those of removed routes, and a page has a route for uploads."""
    for each in vars(dependencies).values():
        if callable(clear := getattr(each, "cache_clear", None)):
            clear()


def _trim_heap() -> None:
    """Return free memory to the operating system, where the C library keeps it otherwise."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


# --- serving ----------------------------------------------------------------------------------------------------------


def open_socket(host: str, port: int | None = None) -> socket.socket:
    """Return a listening socket at ``port`` (0: any free one); without a port, at the first free one of our range."""
    if port is not None and not 0 <= port <= 65_535:
        raise TelosError(f"the port must be from 0 to 65535, got {port}", "leave --port out to take a free one")
    ports = range(DEFAULT_PORT, DEFAULT_PORT + _MAX_PORTS) if port is None else (port,)
    for each in ports:
        try:
            return _bind(host, each)
        except OSError as error:
            reason = error
    if port is None:
        try:
            return _bind(host, 0)
        except OSError as error:
            raise TelosError(f"cannot listen at {host}: {error.strerror or error}", "try --host 0.0.0.0") from None
    raise TelosError(
        f"cannot listen at {host} port {port}: {reason.strerror or reason}", "leave --port out to take a free one"
    )


def _bind(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, ValueError) as error:  # also names that cannot be encoded, or contain a zero byte
        why = getattr(error, "strerror", None) or "not a valid host name"
        raise TelosError(f"there is no host {host!r}: {why}", "try --host 0.0.0.0") from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere this option would let two studios share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError:
        listener.close()
        raise
    return listener


def serve(
    host: str, port: int | None, *, folder: Path, record: bool, seed: int, first: str, token: str,
    ready: Callable[[str], None], end: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Run the studio until interrupted.

    ``ready`` is called with its address once it answers requests, and ``end`` when it stops: a signal may end the
    process before this function returns.
    """
    folder = folder.resolve()
    records = _prepare_records(folder / "recordings") if record else None
    listener = open_socket(host, port)
    log_to_terminal()
    world(first)  # import it now, so that the first page does not wait
    gc.freeze()  # exclude all imported modules from garbage collection: a full pass would delay all games
    app = create_app(folder, records=records, seed=seed, first=first)
    shown = "127.0.0.1" if host in _ANY_HOST else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/{first}?token={quote(token, safe='')}"
    config = uvicorn.Config(
        AuthMiddleware(app, token, is_local=host in LOOPBACK),
        log_config=None,  # log_to_terminal
        log_level="warning",
        access_log=False,
        ws_max_size=_MAX_MESSAGE_BYTES,
        lifespan="on",
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config, lambda: ready(address), end)
    server.run(sockets=[listener])


def _prepare_records(folder: Path) -> Path:
    """Make the folder of recordings, or raise if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TelosError(f"{folder}: cannot be made: {error.strerror or error}", "leave --record out") from None
    check_output(folder / "game.jsonl")
    return folder


def log_to_terminal() -> None:
    """Print the warnings of all libraries with control characters escaped: addresses come from anywhere."""
    handler = logging.StreamHandler()
    handler.setFormatter(TerminalFormatter("%(levelname)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):  # some libraries print by handlers of their own
            logger.handlers.clear()
            logger.propagate = True


class TerminalFormatter(logging.Formatter):
    """Formats a record in one escaped line; of an error, with the place in the code where it was raised."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(_with_message(record))
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
            line = f"{line}: {type(error).__name__}: {error}{place}"
        return printable(line.replace("\n", "\\n"))


def _with_message(record: logging.LogRecord) -> logging.LogRecord:
    record.message = record.getMessage()
    return record


class _Server(uvicorn.Server):
    """Reports when it is ready, as a browser that is opened earlier would get no answer, and when it ends."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], end: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._end = ready, end

    async def startup(self, sockets: list | None = None) -> None:  # type: ignore[type-arg]  # as uvicorn declares it
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()

    async def shutdown(self, sockets: list | None = None) -> None:  # type: ignore[type-arg]
        try:
            await super().shutdown(sockets)
        finally:
            self._end()
