"""How does the studio hold up: many pages at thirty frames a second, and the first picture after the command?

    python benchmarks/studio.py                  # twenty games over twenty links, without a browser
    python benchmarks/studio.py --tabs 20        # twenty tabs of Chromium on this machine, one of them in front
    python benchmarks/studio.py --tabs 20 --seen # twenty windows side by side, which are all drawn
    python benchmarks/studio.py --paint          # from the command to the first picture, in Chromium
    python benchmarks/studio.py --memory         # what 64 games take, and what is given back after their pages close

There is no peer to compare with: what counts is the share of the frames that were meant.
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
FRAMES_A_SECOND = 30
_KEYS = ("up", "right", "down+swing", "left", "swing", "")


@contextmanager
def studio(folder: str, port: int = 0, *, bytecode: str = "") -> Iterator[tuple[str, int]]:
    """Run ``telos play`` in a process of its own; yield its address and its number.

    ``bytecode`` is a folder for compiled modules: an environment that forbids them would measure the compiler.
    """
    command = [
        sys.executable,
        "-m",
        "telos",
        "play",
        "--no-browser",
        "--port",
        str(port),
        "--json",
        "--folder",
        folder,
    ]
    environment = dict(os.environ)
    if bytecode:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = bytecode
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def processor_seconds(process: int) -> float:
    """Return how much of a core a process has used so far."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def admission(address: str) -> dict[str, str]:
    """Return the header that admits a program to the studio at an address."""
    return {"Authorization": f"Bearer {parse_qs(urlsplit(address).query)['token'][0]}"}


def opened(address: str, headers: dict[str, str]) -> str:
    """Open a page, and return the link of its game."""
    with urlopen(Request(address, headers=headers), timeout=60) as page:
        text: str = page.read().decode()
    return text[text.index("/link/") :].split('"')[0].split("\\")[0].split("&")[0]


async def watched(
    site: str, link: str, headers: dict[str, str], seconds: float, ready: asyncio.Barrier | None = None
) -> tuple[float, int, float]:
    """Play over one link for a while; return frames a second, how often it was slow, and the bytes for each frame.

    With ``ready``, play begins when all links are open.
    """
    from websockets.asyncio.client import connect

    frames, slow, number, size = 0, 0, 0, 0
    address = f"{site.replace('http', 'ws')}{link}"
    async with connect(address, max_size=None, additional_headers=headers) as socket:
        await socket.recv()
        if ready is not None:
            await ready.wait()
        start = time.perf_counter()
        while (now := time.perf_counter()) < start + seconds:
            text = await socket.recv()
            message, size = json.loads(text), size + len(text)
            frames += message["is"] == "frame"
            slow += message["is"] == "status" and bool(message["slow"])
            if now - start > number:
                number += 1
                await socket.send(json.dumps({"do": "held", "keys": _KEYS[number % len(_KEYS)]}))
    return frames / (time.perf_counter() - start), slow, size / max(1, frames)


def over_links(count: int, seconds: float) -> None:
    """Play many games at once, and say how many frames each page got."""
    with tempfile.TemporaryDirectory() as folder, studio(folder) as (address, process):
        site, headers = address.rsplit("/", 1)[0], admission(address)

        async def one(seed: int, ready: asyncio.Barrier) -> tuple[float, int, float]:
            link = await asyncio.to_thread(opened, f"{site}/adventure?seed={seed}", headers)
            return await watched(site, link, headers, seconds, ready)  # soon: a game without a page is not kept

        async def everybody() -> tuple[list[tuple[float, int, float]], float]:
            ready = asyncio.Barrier(count + 1)
            games = [asyncio.create_task(one(seed, ready)) for seed in range(count)]
            await ready.wait()
            before, start = processor_seconds(process), time.perf_counter()
            got = await asyncio.gather(*games)
            return got, (processor_seconds(process) - before) / (time.perf_counter() - start)

        got, used = asyncio.run(everybody())
    rates = sorted(rate for rate, _, _ in got)
    print(f"{count} games over {count} links, {seconds:g} s each, the adventure with all its recognisers")
    print(f"  frames a second: {rates[0]:.1f} at least, {median(rates):.1f} in the middle; {FRAMES_A_SECOND} are meant")
    print(
        f"  the server used {used:.0%} of a core; {sum(slow > 0 for _, slow, _ in got)} pages were told of a slow-down"
    )
    print(f"  {median(size for _, _, size in got):.0f} bytes for each frame, all messages counted")


def megabytes(process: int) -> float:
    """Return how much memory a process holds."""
    with open(f"/proc/{process}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(count: int, rounds: int) -> None:
    """Open and close many games several times, and say how much memory the server holds."""
    with tempfile.TemporaryDirectory() as folder, studio(folder) as (address, process):
        site, headers = address.rsplit("/", 1)[0], admission(address)

        async def one(seed: int) -> None:
            link = await asyncio.to_thread(opened, f"{site}/adventure?seed={seed}", headers)
            await watched(site, link, headers, 3.0)

        async def everybody() -> None:
            await asyncio.gather(*(one(seed) for seed in range(count)))

        asyncio.run(one(0))
        time.sleep(20)  # a game is kept for ten seconds after its page was closed
        print(f"{count} games of the adventure over {count} links, opened and closed; memory of the server in MB")
        print(f"  after a first game: {megabytes(process):.0f}")
        for _ in range(rounds):
            asyncio.run(everybody())
            most = megabytes(process)
            time.sleep(20)
            print(f"  with {count} games: {most:.0f}; 20 s after they were closed: {megabytes(process):.0f}")


def browser_seconds() -> float:
    """Return how much of a core all processes of our browsers have used so far."""
    parents, commands = {}, {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(each.parent.name)] = int(each.read_text().rsplit(")", 1)[1].split()[1])
            commands[int(each.parent.name)] = (each.parent / "cmdline").read_text(errors="replace")
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    total = 0.0
    for process in ours:
        if "chromium" in commands.get(process, ""):
            with suppress(OSError):
                total += processor_seconds(process)
    return total


def steps_of(site: str, headers: dict[str, str]) -> int:
    """Return how many steps all games of a studio have made."""
    with urlopen(Request(f"{site}/games", headers=headers), timeout=60) as answer:
        return sum(game["steps"] for game in json.load(answer)["games"])


HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""  # a headless browser regards all its tabs as seen, and other browsers all but one as hidden


def in_tabs(count: int, seconds: float, *, are_seen: bool) -> None:
    """Open many tabs of one browser, and say how many frames each was sent; ``are_seen`` if all of them are drawn."""
    from playwright.sync_api import sync_playwright

    counting = (
        "import('telos-studio/link.js').then(({link}) => { window.got = 0; link.on('frame', () => window.got++); })"
    )
    with tempfile.TemporaryDirectory() as folder, studio(folder) as (address, process), sync_playwright() as playwright:
        site = address.rsplit("/", 1)[0]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        pages = [context.new_page() for _ in range(count)]
        pages[0].goto(address)  # stores the token in a cookie
        for seed, page in enumerate(pages):
            page.goto(f"{site}/adventure?seed={seed}&plays=newcomer")
        for page in pages:
            page.wait_for_selector(".telos-stage canvas", timeout=120_000)
            page.evaluate(counting)
        for page in [] if are_seen else pages[1:]:
            page.evaluate(HIDE)
        time.sleep(2)
        headers, shown = admission(address), pages if are_seen else pages[:1]
        before, start = [int(page.evaluate("window.got")) for page in shown], time.perf_counter()
        used, drawn, steps = processor_seconds(process), browser_seconds(), steps_of(site, headers)
        time.sleep(seconds)
        took = time.perf_counter() - start
        steps, used = steps_of(site, headers) - steps, processor_seconds(process) - used
        drawn = browser_seconds() - drawn
        rates = [
            (int(page.evaluate("window.got")) - had) / (time.perf_counter() - start)
            for page, had in zip(shown, before, strict=True)
        ]
        slow = "import('telos-studio/link.js').then(({link}) => link.status.slow)"
        told = sum(bool(page.evaluate(slow)) for page in shown)
        browser.close()
    print(f"{count} tabs of Chromium on this machine, {seconds:g} s, {'all drawn' if are_seen else 'one in front'}")
    print(
        f"  the games made {steps / count / took:.1f} steps a second by the server's clock; {FRAMES_A_SECOND} are meant"
    )
    print(
        f"  frames a second: {min(rates):.1f} at least, {median(rates):.1f} in the middle; {FRAMES_A_SECOND} are meant"
    )
    print(f"  the server used {used / took:.0%} of a core, the browser {drawn / took:.0%}")
    print(f"  {told} pages said that the game slows down")


def first_paint(times: int) -> None:
    """Time the way from the command to the first picture, with a browser that is running already."""
    from playwright.sync_api import sync_playwright

    drawn = "() => import('telos-studio/link.js').then(({link}) => Boolean(link.frame))"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder, "bytecode"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context: Any = browser.new_context(viewport={"width": 1280, "height": 720})
        port = 0
        for attempt in range(times + 1):
            start = time.perf_counter()
            with studio(folder, port, bytecode=cache) as (address, _):
                port = int(address.split(":")[2].split("/")[0])  # the same again: a browser keeps files by address
                served = time.perf_counter() - start
                page = context.new_page()
                page.goto(address, wait_until="commit")
                page.wait_for_selector("canvas")
                painted = time.perf_counter() - start
                page.wait_for_function(drawn)
                playing = time.perf_counter() - start
                page.close()
            if attempt:  # the first one warms the caches
                print(
                    f"  served after {served:.2f} s, first paint {painted:.2f} s, first frame {playing:.2f} s;", end=" "
                )
                print(f"the page alone: first paint {painted - served:.2f} s")
        browser.close()


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tabs", type=int, default=0, help="tabs of Chromium in place of bare links")
    parser.add_argument("--seen", action="store_true", help="draw all tabs, as if they were windows side by side")
    parser.add_argument("--paint", action="store_true", help="time the first paint")
    parser.add_argument("--memory", action="store_true", help="measure the memory of 64 games and of closed ones")
    asked = parser.parse_args()
    if asked.paint:
        print("from the command to the first picture, caches warm, the browser running already:")
        first_paint(3)
    elif asked.memory:
        memory(64, 3)
    elif asked.tabs:
        in_tabs(asked.tabs, asked.seconds, are_seen=asked.seen)
    else:
        over_links(asked.links, asked.seconds)


if __name__ == "__main__":
    main()
