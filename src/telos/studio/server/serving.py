"""Serving the studio: from a free port until it is told to end."""

import gc
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import uvicorn

from telos.core.errors import TelosError
from telos.studio.server.app import studio_app
from telos.studio.server.guard import LOOPBACK, Guard
from telos.studio.server.ports import listening
from telos.studio.worlds import world

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
