"""`PageLink`: the WebSocket of one page. It plays a game, or stands by while another page plays it."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import orjson
from fastapi import WebSocket, WebSocketDisconnect

from telos.studio.server.game import Game

_ABSENCE = 1.5  # seconds without a page until one that stands by gets the game: reloading a page takes less
_INTERVAL = 0.25  # seconds between two looks whether the game is free
_CLOSED = (WebSocketDisconnect, RuntimeError)  # what sending raises when the page is gone


class PageLink:
    """The connection of a page to a game.

    The page that connects last plays. The one that played before is told ``{"is": "elsewhere"}`` and stands by: it gets
    the game back when the other one is closed, or when it sends ``{"do": "take"}``.
    """

    def __init__(self, game: Game, socket: WebSocket, page: str = "") -> None:
        self._game, self._socket, self._page = game, socket, page
        self._plays = False
        self._wants = asyncio.Event()

    async def run(self) -> None:
        """Play and stand by in turn, until the page is closed."""
        receiving = asyncio.create_task(self._receive())
        try:
            while await self._play(receiving) and await self._stand_by(receiving):
                pass
        finally:
            receiving.cancel()
            problems = await asyncio.gather(receiving, return_exceptions=True)
        _raise_unexpected(problems)

    async def _play(self, receiving: asyncio.Task[None]) -> bool:
        """Play until the page is closed or another one takes the game over; return whether that has happened."""
        await self._game.release()
        playing = self._game.start(self._socket.send_text, self._page)
        self._plays = True
        try:
            await asyncio.wait((playing, receiving), return_when=asyncio.FIRST_COMPLETED)
            was_released = playing.cancelled()
        finally:
            self._plays = False
            playing.cancel()
            problems = await asyncio.gather(playing, return_exceptions=True)
        if was_released:
            return True
        self._game.left_at = asyncio.get_running_loop().time()
        _raise_unexpected(problems)
        return False

    async def _stand_by(self, receiving: asyncio.Task[None]) -> bool:
        """Wait until the game is free, or the page wants it; return whether the page is still there."""
        self._wants.clear()
        with suppress(*_CLOSED):
            await self._socket.send_text('{"is":"elsewhere"}')
        while not (receiving.done() or self._wants.is_set() or self._is_free()):
            await asyncio.wait((receiving,), timeout=_INTERVAL)
        return not receiving.done()

    def _is_free(self) -> bool:
        left_at = self._game.left_at
        is_left = left_at is not None and asyncio.get_running_loop().time() - left_at >= _ABSENCE
        return is_left and not self._game.is_linked

    async def _receive(self) -> None:
        """Handle the messages of the page until it is closed."""
        while (message := await self._socket.receive())["type"] != "websocket.disconnect":
            text = message.get("text") or message.get("bytes") or ""
            if self._plays:
                self._game.on_message(text)
            elif _is_take(text):
                self._wants.set()
            await asyncio.sleep(0)  # thousands may be queued: let other games run in between


def _is_take(message: str | bytes) -> bool:
    if len(message) > 40:
        return False
    try:
        data: Any = orjson.loads(message)
    except orjson.JSONDecodeError:
        return False
    return isinstance(data, dict) and data.get("do") == "take"


def _raise_unexpected(problems: Iterable[object]) -> None:
    """Raise the first error that is not that of a closed connection."""
    for problem in problems:
        if isinstance(problem, Exception) and not isinstance(problem, _CLOSED):
            raise problem
