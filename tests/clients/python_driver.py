"""Drives ``telos.service.Client`` or ``AsyncClient`` for the test vectors: one command a line, one answer a line."""

import asyncio
import inspect
import json
import sys
import time
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

from telos import TelosError
from telos.service import AsyncClient, Client
from telos.service.client import (
    ConnectionLost,
    ConnectionMade,
    EventRefused,
    EventsDropped,
    Notice,
    PlayerBelief,
    ServiceProblem,
    SubscriptionRefused,
)

KINDS = {EventRefused: "refused", EventsDropped: "dropped", SubscriptionRefused: "problem", ConnectionMade: "online",
         ConnectionLost: "offline"}  # fmt: skip


def describe(notice: Notice) -> dict[str, Any]:
    if isinstance(notice, PlayerBelief):
        return {"kind": "belief", "belief": asdict(notice)}
    return {"kind": KINDS[type(notice)], **asdict(notice)}


class Driver:
    """One client at a time, and what it has told."""

    def __init__(self, kind: type[Client] | type[AsyncClient]) -> None:
        self._kind = kind
        self._client: Any = None
        self._told: list[Notice] = []
        self._listener: asyncio.Task[None] | None = None

    async def answer(self, what: str, command: dict[str, Any]) -> dict[str, Any]:
        """Do what a command says."""
        if what == "open":
            await self._open(command.pop("address"), command)
            return {}
        client = self._client
        if what == "send":
            return {"taken": sum(self._send(**event) for event in command["events"])}
        if what in ("subscribe", "unsubscribe"):
            getattr(client, what)(*command["players"])
            return {}
        if what == "counts":
            return {**asdict(client.counts), "waiting": client.counts.waiting, "connected": client.connected}
        if what == "belief":
            belief = client.belief(command["player"])
            return {"belief": None if belief is None else asdict(belief)}
        if what == "notices":
            await asyncio.sleep(0.01)
            told = client.poll() if isinstance(client, Client) else self._told
            self._told = []
            return {"notices": [describe(notice) for notice in told]}
        if what == "time":
            return self._time(command["count"])
        if what == "pause":
            await asyncio.sleep(command["seconds"])
            return {}
        if what in ("settle", "close"):
            found = await self._result(getattr(client, what)(command.get("seconds", 30.0)))
            return {"settled" if what == "settle" else "waiting": found}
        options = {"name" if name == "player" else name: value for name, value in command.items()}
        try:
            return {"answer": await self._result(getattr(client, what)(**options))}
        except ServiceProblem as problem:
            return {"problem": problem.document}

    async def _open(self, address: str, options: dict[str, Any]) -> None:
        if self._listener is not None:
            self._listener.cancel()
        self._client, self._told = self._kind(address, **options), []
        if isinstance(self._client, AsyncClient):
            self._client.open()
            self._listener = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for notice in self._client.notices():
            self._told.append(notice)

    def _time(self, count: int) -> dict[str, float]:
        times = []
        for number in range(count):
            began = time.perf_counter()
            self._client.send("ann", "swing", {"monsters": number % 3, "in_town": False})
            times.append(1e6 * (time.perf_counter() - began))
        times.sort()
        return {"median": times[count // 2], "p99": times[count * 99 // 100], "longest": times[-1]}

    def _send(self, player: str, action: str, context: Any = None, **options: Any) -> bool:
        found: bool = self._client.send(player, action, context, **options)
        return found

    async def _result(self, found: Any) -> Any:
        if isinstance(found, Future):
            return found.result(30)
        return await found if inspect.isawaitable(found) else found


async def main() -> None:
    driver = Driver(AsyncClient if sys.argv[1:] == ["async"] else Client)
    while line := await asyncio.to_thread(sys.stdin.readline):
        command = json.loads(line)
        try:
            said = await driver.answer(command.pop("do"), command)
        except TelosError as error:
            said = {"error": str(error)}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
