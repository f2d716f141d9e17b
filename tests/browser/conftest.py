"""The studio in a real browser: one server for all modules, and Debian's Chromium."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import Request, urlopen

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync", "--mute-audio"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = ""
    try:
        import nicegui  # noqa: F401
        import playwright  # noqa: F401
    except ModuleNotFoundError as error:
        reason = f'{error.name} is not installed: pip install "telos[dev]"'
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not there: apt-get install chromium"
    for item in items:
        if reason and "browser" in Path(item.path).parts:
            item.add_marker(pytest.mark.skip(reason=reason))


class Studio:
    """``telos play`` in a process of its own."""

    def __init__(self, folder: Path, *options: str, token: str = "") -> None:
        command = [sys.executable, "-m", "telos", "play", "--no-browser", "--json", "--folder", str(folder)]
        self.folder = folder
        environment = {**os.environ, **({"TELOS_TOKEN": token} if token else {})}
        with (folder / "studio.log").open("w") as log:  # not a pipe: nobody reads on, and a full one would block it
            self.process = subprocess.Popen(
                [*command, *options], stdout=log, stderr=log, start_new_session=True, env=environment
            )
        self.address = self._said()["address"]
        self.site = self.address.split("?")[0].rsplit("/", 1)[0]
        self.token = parse_qs(urlsplit(self.address).query)["token"][0]
        self.headers = {"Authorization": f"Bearer {self.token}"}  # admits a program

    def _said(self) -> dict[str, str]:
        """Wait for what it says when it is ready."""
        for _ in range(600):
            said = (self.folder / "studio.log").read_text()
            if said.endswith("\n") or self.process.poll() is not None:
                break
            time.sleep(0.1)
        try:
            address: dict[str, str] = json.loads(said.splitlines()[-1])
        except (ValueError, IndexError):
            raise AssertionError(f"the studio did not start: {said}") from None
        return address

    def url(self, path: str) -> str:
        """Return an address with the token, for a browser."""
        return f"{self.site}/{path}{'&' if '?' in path else '?'}token={quote(self.token, safe='')}"

    def fetch(self, path: str, **headers: str) -> Any:
        """Request a path with the token."""
        return urlopen(Request(f"{self.site}/{path}", headers={**self.headers, **headers}), timeout=30)

    def games(self) -> list[dict[str, Any]]:
        """Return the games that the server holds."""
        with self.fetch("games") as answer:
            found: list[dict[str, Any]] = json.load(answer)["games"]
        return found

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
        self.process.wait(20)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    started = Studio(tmp_path_factory.mktemp("models"), "--port", "0")
    yield started
    started.end()


@pytest.fixture(scope="module")  # not longer: while Playwright is at work, nobody else can run an event loop
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open addresses; whatever the page complains about, or asks for from elsewhere, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    complaints: list[str] = []

    def open_page(address: str) -> Any:
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        host = address.split("/")[2]
        page.on("request", lambda asked: asked.url.split("/")[2:3] != [host] and asked.url.startswith("http")
                and complaints.append(f"asked for {asked.url}"))  # fmt: skip
        page.goto(address)
        reach(page)
        until(page, "link.frame && window.did_handshake")  # keys of the studio have a socket of their own
        return page

    open_page.complaints = complaints  # type: ignore[attr-defined]
    yield open_page
    context.close()
    assert complaints == []


def reach(page: Any) -> None:
    """Give the tests what the page itself is fed by, under the name ``link``."""
    page.wait_for_selector("canvas")
    page.evaluate("() => import('telos-studio/link.js').then(module => { window.link = module.link; })")


def frame(page: Any) -> dict[str, Any]:
    """Return the frame that a page shows."""
    shown: dict[str, Any] = page.evaluate("link.frame")
    return shown


def until(page: Any, condition: str, *, seconds: float = 45) -> None:
    """Wait until a condition over ``link`` holds in the page."""
    page.wait_for_function(f"() => Boolean({condition})", timeout=seconds * 1000)
