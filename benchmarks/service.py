"""How many events does the service take, beside a plain echo of the same messages, and how long do answers take?

    python benchmarks/service.py                  # streams and single requests, at full speed and at half of the aim
    python benchmarks/service.py --seconds 30 --json
    python benchmarks/service.py --minutes 10     # memory while 10,000 players go on for ten minutes
    python benchmarks/service.py --model farm.yaml --no-data

Service and echo are processes of their own on loopback; a third process sends, and takes its share of the same cores.
The echo is what Starlette, uvicorn and msgspec leave room for: it decodes each message, and sends it back. Events have
ids, times and facts, as the clients send them, and are kept in SQLite before they are answered.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PLAYERS = 10_000
BATCH = 100  # events of a message of a stream, each of another player
STREAMS = 4
UNANSWERED = 8  # messages of a stream that wait for their answers, at full speed
CONNECTIONS = 64  # of single requests
AIM_STREAMED, AIM_SINGLE = 20_000, 3_000  # events a second, requests a second


# --- servers ----------------------------------------------------------------------------------------------------------


@contextmanager
def served(command: list[str]) -> Iterator[tuple[str, int]]:
    """Run a server that prints its address as JSON; yield the address and the number of the process."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def serve_echo() -> None:
    """Serve the plain echo: every message is decoded, encoded and sent back."""
    import socket

    import msgspec
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

    async def post(request: Request) -> Response:
        return Response(msgspec.json.encode(msgspec.json.decode(await request.body())), media_type="application/json")

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        try:
            while True:
                await websocket.send_text(
                    msgspec.json.encode(msgspec.json.decode(await websocket.receive_text())).decode()
                )
        except WebSocketDisconnect:
            return

    door = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"address": f"http://127.0.0.1:{door.getsockname()[1]}"}), flush=True)
    app = Starlette(routes=[
        Route("/v1/players/{player}/events", post, methods=["POST"]), WebSocketRoute("/v1/stream", stream),
    ])  # fmt: skip
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[door])


def memory_megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_seconds(process: int) -> float:
    """Return how much of a core a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- load -------------------------------------------------------------------------------------------------------------


def events() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield events of all players in turn, with ids and times of their own."""
    for number in count():
        context = {"monsters": number % 3, "in_town": number % 7 == 0, "cause": ("input", "area")[number % 2]}
        action = ("swing", "up", "left", "stop")[number % 4]
        yield f"player-{number % PLAYERS}", {
            "action": action, "context": context, "time": number // PLAYERS, "id": f"e{number}",
        }  # fmt: skip


def messages(source: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Yield messages of a stream."""
    for number in count():
        batch = [{"player": player, "events": [event]} for player, event in (next(source) for _ in range(BATCH))]
        yield json.dumps({"seq": number, "batch": batch})


class Latencies:
    """How long answers took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def percentile(self, share: float) -> float:
        """Return milliseconds."""
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(share * len(self.seconds)))] * 1e3


async def paced(rate: float | None, phase: float = 0.0) -> AsyncIterator[float]:
    """Yield the times at which something is due; without a rate, at once, as often as it is asked.

    ``phase`` (0 to 1) shifts them, so that senders of the same rate do not all send at once.
    """
    start = time.perf_counter() + (phase / rate if rate else 0.0)
    for number in count():
        due = time.perf_counter() if rate is None else start + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        yield due


async def stream_load(
    address: str, source: Iterator[str], seconds: float, rate: float | None, phase: float, taken: Latencies
) -> int:
    """Send messages over one stream for a while; return how many were answered."""
    from websockets.asyncio.client import connect

    unanswered: deque[float] = deque()
    done = 0
    room = asyncio.Semaphore(UNANSWERED if rate is None else 1_000)
    async with connect(
        address.replace("http", "ws", 1) + "/v1/stream", max_size=None, compression=None, ping_interval=None
    ) as socket:

        async def read() -> None:
            nonlocal done
            async for answer in socket:
                if '"problems":{"' in answer[-400:]:
                    raise SystemExit(f"the service has refused events: {answer[-400:]!r}")
                taken.seconds.append(time.perf_counter() - unanswered.popleft())
                done += 1
                room.release()

        reading = asyncio.create_task(read())
        end = time.perf_counter() + seconds
        async for due in paced(rate, phase):
            await room.acquire()
            if time.perf_counter() > end:
                break
            unanswered.append(due)
            await socket.send(next(source))
        counted = done  # those that are answered later do not count
        while unanswered and not reading.done():
            await asyncio.sleep(0.01)
        reading.cancel()
    return counted


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Callable[[str, bytes], Awaitable[None]]]:
    """Open a connection; yield a function that sends one event of a player and waits for the answer."""
    host = urlsplit(address).netloc
    reader, writer = await asyncio.open_connection(*host.split(":"))

    async def post(player: str, body: bytes) -> None:
        head = f"POST /v1/players/{player}/events HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"the service has answered {answer[:60]!r}")
        length = answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
        await reader.readexactly(int(length))

    try:
        yield post
    finally:
        writer.close()


async def single_load(
    address: str,
    source: Iterator[tuple[str, dict[str, Any]]],
    seconds: float,
    rate: float | None,
    phase: float,
    taken: Latencies,
) -> int:
    """Send single requests over one connection for a while; return how many were answered."""
    done = 0
    end = time.perf_counter() + seconds
    async with opened(address) as post:
        async for due in paced(rate, phase):
            if time.perf_counter() > end:
                break
            player, event = next(source)
            await post(player, json.dumps(event).encode())
            taken.seconds.append(time.perf_counter() - due)
            done += 1
    return done


async def measure_streams(address: str, source: Iterator[str], seconds: float, rate: float | None) -> dict[str, float]:
    """Return events a second over all streams, and percentiles of the time that answers took."""
    taken = Latencies()
    each = None if rate is None else rate / STREAMS / BATCH
    began = time.perf_counter()
    done = await asyncio.gather(
        *(stream_load(address, source, seconds, each, n / STREAMS, taken) for n in range(STREAMS))
    )
    spent = min(seconds, time.perf_counter() - began)
    return {"a_second": sum(done) * BATCH / spent, "p50_ms": taken.percentile(0.5), "p99_ms": taken.percentile(0.99)}


async def measure_single(
    address: str, source: Iterator[tuple[str, dict[str, Any]]], seconds: float, rate: float | None
) -> dict[str, float]:
    """Return requests a second over all connections, and percentiles of the time that answers took."""
    taken = Latencies()
    each = None if rate is None else rate / CONNECTIONS
    done = await asyncio.gather(
        *(single_load(address, source, seconds, each, n / CONNECTIONS, taken) for n in range(CONNECTIONS))
    )
    return {"a_second": sum(done) / seconds, "p50_ms": taken.percentile(0.5), "p99_ms": taken.percentile(0.99)}


# --- figures ----------------------------------------------------------------------------------------------------------


async def measure(address: str, seconds: float) -> dict[str, dict[str, float]]:
    """Return the four figures of a server."""
    source = events()
    batches = messages(source)
    await open_players(address, batches)
    found = {
        "stream": await measure_streams(address, batches, seconds, None),
        "stream at half of the aim": await measure_streams(address, batches, seconds, AIM_STREAMED / 2),
    }
    await asyncio.sleep(1)
    found["single"] = await measure_single(address, source, seconds, None)
    found["single at half of the aim"] = await measure_single(address, source, seconds, AIM_SINGLE / 2)
    return found


async def open_players(address: str, source: Iterator[str]) -> None:
    """Send one event of every player, so that the figures are those of players who are known."""
    from websockets.asyncio.client import connect

    async with connect(
        address.replace("http", "ws", 1) + "/v1/stream", max_size=None, compression=None, ping_interval=None
    ) as socket:
        for _ in range(PLAYERS // BATCH):
            await socket.send(next(source))
            await socket.recv()


async def watch_memory(address: str, process: int, minutes: float) -> list[dict[str, float]]:
    """Send half of the aim over streams for some minutes; return memory and share of a core, a row for each tenth."""
    batches = messages(events())
    await open_players(address, batches)
    rows = []
    for tenth in range(1, 11):
        used, began = processor_seconds(process), time.perf_counter()
        figures = await measure_streams(address, batches, minutes * 6, AIM_STREAMED / 2)
        share = (processor_seconds(process) - used) / (time.perf_counter() - began)
        rows.append({"minutes": tenth * minutes / 10, "megabytes": memory_megabytes(process), "core": share, **figures})
        line = "{minutes:5.1f} min  {megabytes:6.0f} MB  {core:4.0%} of a core  p99 {p99_ms:.1f} ms"
        print(line.format(**rows[-1]), file=sys.stderr)
    return rows


def show(found: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print the figures, with the service's share of the echo."""
    print(f"{'':27}{'telos':>9}{'echo':>9}{'share':>7}{'p50 ms':>8}{'p99 ms':>8}{'echo p99':>10}")
    for name, figures in found["telos"].items():
        echo = found["echo"][name]
        share = figures["a_second"] / echo["a_second"]
        print(
            f"{name:27}{figures['a_second']:9,.0f}{echo['a_second']:9,.0f}{share:7.2f}{figures['p50_ms']:8.1f}"
            f"{figures['p99_ms']:8.1f}{echo['p99_ms']:10.1f}"
        )
    print(f"\nevents a second over streams ({STREAMS} streams, {BATCH} events a message), and requests a second"
          f" ({CONNECTIONS} connections); {PLAYERS:,} players")  # fmt: skip


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", default="adventure")
    options.add_argument("--seconds", type=float, default=10.0, help="for each figure")
    options.add_argument("--minutes", type=float, help="watch the memory of the service instead")
    options.add_argument("--no-data", action="store_true", help="keep nothing on disk")
    options.add_argument("--json", action="store_true")
    options.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.echo:
        serve_echo()
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "telos", "serve", "--model", chosen.model, "--port", "0", "--json"]
        command += [] if chosen.no_data else ["--data", folder]
        with served(command) as (address, process):
            if chosen.minutes is not None:
                rows = asyncio.run(watch_memory(address, process, chosen.minutes))
                print(json.dumps(rows) if chosen.json else f"{rows[0]['megabytes']:.0f} MB after the first tenth,"
                      f" {rows[-1]['megabytes']:.0f} MB at the end")  # fmt: skip
                return
            found = {"telos": asyncio.run(measure(address, chosen.seconds))}
    with served([sys.executable, __file__, "--echo"]) as (address, _):
        found["echo"] = asyncio.run(measure(address, chosen.seconds))
    if chosen.json:
        print(json.dumps(found))
    else:
        show(found)


if __name__ == "__main__":
    main()
