"""The web app: a page for each world, and the link over which its game is played."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from nicegui import ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from telos.core.errors import TelosError
from telos.studio.models.library import Library
from telos.studio.page.shell import build_page
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.worlds import NAMES, world

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
