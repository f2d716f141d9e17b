"""Take the pictures of the studio that the documentation shows, in both themes.

    python docs/images/studio.py [FOLDER]        # needs pip install "telos[dev]" and Chromium

Everything in them comes from seeds: simulated players play, and each picture is of a given frame.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
READY = """(at) => {
  if (window.link) return link.frame && link.frame.n >= at && link.status.paused && window.did_handshake;
  import("telos-studio/link.js").then((module) => { window.link = module.link; });
}"""
FAULTY = "goals: [level, explore, tonw]\n"


def beliefs(page: Page) -> None:
    """Show all recognisers, and why the first believes what it does."""
    page.keyboard.press("1")


def mind(page: Page) -> None:
    """Inspect a mind."""
    page.keyboard.press("2")


def model(page: Page) -> None:
    """Make a mistake in the model, and leave it marked."""
    page.keyboard.press("3")
    page.locator(".cm-line").nth(3).click()  # long lines wrap, so the arrow keys would not count lines
    page.keyboard.press("Home")
    page.keyboard.type(FAULTY)
    page.locator(".telos-fault").first.wait_for()


def score(page: Page) -> None:
    """Show who was right how often."""
    page.keyboard.press("4")


def as_it_is(page: Page) -> None:
    """Leave the page as it opens."""


PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "adventure": ("adventure?seed=7&plays=newcomer&at=810", beliefs),
    "companion": ("adventure?seed=7&plays=newcomer&at=810", mind),
    "arena": ("arena?seed=3&at=75", mind),
    "home": ("home?seed=7&at=260", mind),
    "forge": ("forge?seed=3&play=key&at=90", as_it_is),
    "island": ("island?seed=7&at=400", beliefs),
    "model": ("adventure?seed=7&rules=flairs&plays=newcomer&at=1500", model),
    "score": ("adventure?seed=7&rules=flairs&plays=newcomer&at=1500", score),
}


def take(page: Page, address: str, act: Callable[[Page], None], file: Path) -> None:
    """Open an address, wait for its moment, do what is to be shown, and take the picture."""
    at = address.rpartition("at=")[2]
    page.goto(address)
    page.wait_for_selector("canvas")
    page.wait_for_function(READY, arg=int(at), timeout=120_000)
    act(page)
    page.mouse.move(2, 2)
    page.wait_for_timeout(1_500)
    page.screenshot(path=file)
    print(file)


@contextmanager
def studio() -> Iterator[str]:
    """Run a studio of its own; yield its address, which contains its token."""
    with tempfile.TemporaryDirectory() as models:
        command = [sys.executable, "-m", "telos", "play", "--no-browser", "--port", "0", "--json", "--folder", models]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()
            process.wait(20)


def main(folder: Path) -> None:
    """Take all pictures."""
    themes: list[Any] = ["dark", "light"]
    with studio() as entry, sync_playwright() as playwright:
        site = entry.rsplit("/", 1)[0]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for theme in themes:
            context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme=theme)
            context.new_page().goto(entry)  # stores the token in a cookie
            for name, (address, act) in PICTURES.items():
                page = context.new_page()
                take(page, f"{site}/{address}", act, folder / f"studio-{name}-{theme}.png")
                page.close()
            context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
