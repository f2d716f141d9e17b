"""Closed pages and links leave nothing behind: objects are counted by type, after the games were freed."""

import asyncio
import gc
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

import httpx
import uvicorn
from nicegui import Client
from websockets.asyncio.client import connect

from telos.studio.server import app as apps
from telos.studio.server import hub as hubs
from telos.studio.server.app import create_app, open_socket

LINKS = 10
KINDS = (
    "Session",
    "Game",
    "StudioPage",
    "GamePage",
    "FrameBuffer",
    "History",
    "Client",
    "Outbox",
    "Upload",
    "Button",
    "WebSocket",
)


def counted() -> Counter[str]:
    gc.collect()
    return Counter(type(each).__name__ for each in gc.get_objects())


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.1)


@pytest.mark.slow
def test_closed_links_give_their_memory_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "_QUIET_INTERVAL", 0.5)

    async def visit(place: str, seed: int) -> None:
        async with httpx.AsyncClient() as client:
            page = await client.get(f"http://{place}/home?seed={seed}", timeout=60)
        link = re.search(r"/link/[\w-]+", page.text)
        assert link
        async with connect(f"ws://{place}{link[0]}") as socket:
            for _ in range(5):
                await socket.recv()

    async def run() -> tuple[Counter[str], Counter[str]]:
        app, listener = create_app(tmp_path), open_socket("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await until(lambda: server.started)
        place = f"127.0.0.1:{listener.getsockname()[1]}"

        async def visit_all(seeds: range) -> Counter[str]:
            monkeypatch.setattr(hubs, "GRACE", 60.0)  # a busy machine needs its time to open all links
            for seed in seeds[::10]:
                await asyncio.gather(*(visit(place, each) for each in range(seed, min(seed + 10, seeds.stop))))
            monkeypatch.setattr(hubs, "GRACE", 0.2)
            await until(lambda: not app.state.hub.games and not Client.instances)
            await asyncio.sleep(1.0)  # the next sweep collects
            return counted()

        before, after = await visit_all(range(2)), await visit_all(range(LINKS))
        server.should_exit = True
        await serving
        return before, after

    before, after = asyncio.run(run())
    assert {kind: after[kind] - before[kind] for kind in KINDS if after[kind] > before[kind]} == {}
    assert sum(after.values()) - sum(before.values()) < 100 * LINKS  # a page has thousands
