"""The web server: `serve` runs it, `create_app` builds its routes, `Hub` holds the games, one `Game` per open page.

    request ──▶ AuthMiddleware (auth.py) ──▶ routes (app.py) ──▶ Hub (hub.py) ──▶ Game (game.py) ──▶ Session

Loaded lazily: app.py needs FastAPI, NiceGUI and uvicorn (`pip install "telos[studio]"`).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.server.app import create_app, serve
    from telos.studio.server.auth import AuthMiddleware
    from telos.studio.server.game import Game, handle_message
    from telos.studio.server.hub import GameRecorder, Hub

__all__ = ["AuthMiddleware", "Game", "GameRecorder", "Hub", "create_app", "handle_message", "serve"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "AuthMiddleware": "auth",
        "Game": "game",
        "GameRecorder": "hub",
        "Hub": "hub",
        "create_app": "app",
        "handle_message": "game",
        "serve": "app",
    },
)
