"""Routes, serving, ports."""

import asyncio
import gc
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from nicegui import ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from telos.core.errors import TelosError
from telos.studio.models.library import Library
from telos.studio.page.page import build_page
from telos.studio.server.auth import LOOPBACK, Guard
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.stage import NAMES, world

# --- app --------------------------------------------------------------------------------------------------------------
# The web app: a page for each world, and the link over which its game is played.


_SWEEP = 2.0  # seconds between two looks for games that nobody plays any more
_NO_SUCH_GAME, _PLAYED_ELSEWHERE = 4404, 4409  # why a link is closed; the page knows them
_OURS = ("game", "at", "seed", "token")  # of the address; all else are settings of the world


def studio_app(folder: Path, *, records: Path | None = None, seed: int = 0, first: str = "adventure") -> FastAPI:
    """Return the app. ``folder`` is where models are opened and saved; nothing outside it is read or written."""
    hub = Hub(records)
    app = FastAPI(lifespan=_sweeping(hub), openapi_url=None)
    app.state.hub = hub
    library = Library(folder)

    @app.websocket("/link/{name}")
    async def link(socket: WebSocket, name: str) -> None:
        game = hub.games.get(name)
        await socket.accept()
        if game is None:
            await socket.close(code=_NO_SUCH_GAME, reason="there is no such game here any more")
            return
        await game.hand_over()
        await _linked(game, socket)

    @app.get("/games")
    async def games() -> dict[str, list[dict[str, object]]]:
        """Tell which games are being played, for whoever looks after the server."""
        return {"games": [_told(game) for game in hub.games.values()]}

    @app.get("/")
    async def start(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{first}{query}")

    @ui.page("/{name}", title="Telos studio", response_timeout=20)
    def page(name: str, request: Request) -> None:
        if name not in NAMES:
            ui.label(f"There is no world {name[:40]!r}; there are {', '.join(NAMES)}.")
            return
        try:
            game = _opened(hub, name, dict(request.query_params), seed)
        except TelosError as error:
            ui.label(str(error))
            return
        build_page(game, library, hub)

    ui.run_with(app, title="Telos studio", favicon=None, show_welcome_message=False, tailwind=False)
    return app


def _told(game: Game) -> dict[str, object]:
    session = game.session
    return {"world": session.world.name, "seed": session.seed, "steps": session.log.steps, "open": game.is_linked}


def _opened(hub: Hub, name: str, query: Mapping[str, str], seed: int) -> Game:
    """Return the game that an address asks for; what makes no sense in it is as if it were not there."""
    settings = world(name).chosen({key: value for key, value in query.items() if key not in _OURS})
    chosen, at = _whole(query.get("seed")), _whole(query.get("at"))
    now = asyncio.get_running_loop().time()
    return hub.open(name, seed if chosen is None else chosen, settings, game=query.get("game", ""), at=at, now=now)


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) <= 15 else None


async def _linked(game: Game, socket: WebSocket) -> None:
    """Play a game until its page is gone, or another page has taken it over."""
    playing, hearing = game.begin(socket.send_text), asyncio.create_task(_hear(game, socket))
    try:
        await asyncio.wait((playing, hearing), return_when=asyncio.FIRST_COMPLETED)
        was_handed_over = playing.cancelled()
    finally:
        for task in (playing, hearing):
            task.cancel()
        problems = await asyncio.gather(playing, hearing, return_exceptions=True)
    if was_handed_over:
        with suppress(WebSocketDisconnect, RuntimeError):  # it may be gone by now
            await socket.close(code=_PLAYED_ELSEWHERE, reason="the game is played in another page now")
        return
    game.left_at = asyncio.get_running_loop().time()
    for problem in problems:
        if isinstance(problem, Exception) and not isinstance(problem, WebSocketDisconnect | RuntimeError):
            raise problem  # what a link that broke raises is no fault of anybody's; all else is


async def _hear(game: Game, socket: WebSocket) -> None:
    """Take in what the page says until it is gone."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        game.hear(message.get("text") or message.get("bytes") or "")
        await asyncio.sleep(0)  # there may be thousands in line, and other games are to have their turn between them


def _sweeping(hub: Hub):  # type: ignore[no-untyped-def]  # an async context manager, as FastAPI wants it
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(_SWEEP)
                hub.sweep(asyncio.get_running_loop().time())

        task = asyncio.create_task(sweep())
        try:
            yield
        finally:
            task.cancel()
            for name in list(hub.games):
                hub.free(name)

    return lifespan


# --- ports ------------------------------------------------------------------------------------------------------------
# Finding a port: the usual one, or the next that is free.


USUAL = 8484
_TRIES = 50


def listening(host: str, port: int | None = None) -> socket.socket:
    """Return a socket that listens: at ``port`` if one is asked for (0: any), else at the first free one of ours."""
    if port is not None and not 0 <= port <= 65_535:
        raise TelosError(f"a port is a number from 0 to 65535, got {port}", "leave --port out to take a free one")
    ports = range(USUAL, USUAL + _TRIES) if port is None else (port,)
    for each in ports:
        try:
            return _bound(host, each)
        except OSError as error:
            reason = error
    if port is None:
        try:
            return _bound(host, 0)
        except OSError as error:
            raise TelosError(f"cannot listen at {host}: {error.strerror or error}", "try --host 0.0.0.0") from None
    raise TelosError(
        f"cannot listen at {host} port {port}: {reason.strerror or reason}", "leave --port out to take a free one"
    )


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "this is no name of a host"
        raise TelosError(f"there is no host {host[:80]!r}: {why}", "try --host 0.0.0.0") from None
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two studios share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(256)
    except OSError:
        made.close()
        raise
    return made


# --- serving ----------------------------------------------------------------------------------------------------------
# Serving the studio: from a free port until it is told to end.


_MOST_BYTES = 2**20  # of one WebSocket message: a model is at most a quarter of that
_ANYWHERE = ("0.0.0.0", "::")  # listening everywhere: it is asked for, and needs a token


def serve(
    host: str, port: int | None, *, folder: Path, record: bool, seed: int, first: str, token: str,
    ready: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve until interrupted; ``ready`` is called with the address once pages are answered."""
    if not token and host not in LOOPBACK:
        raise TelosError(f"--host {host} lets others in, so a token is needed", "leave --token out to have one made")
    folder = folder.resolve()
    world(first)  # imported now, so that the first page need not wait for it
    gc.freeze()  # what is here to stay is not looked through again: a full collection would hold all games up
    app = studio_app(folder, records=folder / "recordings" if record else None, seed=seed, first=first)
    listens = listening(host, port)
    shown = "127.0.0.1" if host in _ANYWHERE else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listens.getsockname()[1]}/{first}{f'?token={quote(token)}' if token else ''}"
    config = uvicorn.Config(
        Guard(app, token), log_level="warning", ws_max_size=_MOST_BYTES, lifespan="on", timeout_graceful_shutdown=1
    )
    server = _Server(config, lambda: ready(address))
    server.run(sockets=[listens])


class _Server(uvicorn.Server):
    """Says when it is ready: a browser that is opened sooner would find nothing."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list | None = None) -> None:  # type: ignore[type-arg]  # as uvicorn declares it
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()
