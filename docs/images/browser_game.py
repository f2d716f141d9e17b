"""Takes the picture of the browser game in the documentation: plays it with keys while the service reads.

python docs/images/browser_game.py
"""

import json
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium"


class Silent(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, format: str, *args: Any) -> None: ...


def main() -> None:
    pages = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=ROOT))
    Thread(target=pages.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{pages.server_port}"
    command = [sys.executable, "-m", "telos", "serve", "--model", str(ROOT / "examples/browser-game/meadow.yaml")]
    command += ["--origin", site, "--port", "0", "--json"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    address = json.loads(service.stdout.readline())["address"]
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1280, "height": 640})
            page.goto(f"{site}/examples/browser-game/?service={address}&player=fox")
            page.wait_for_selector("#state.online")
            play(page)
            with Image.open(BytesIO(page.screenshot())) as picture:
                picture.convert("RGB").save(ROOT / "docs/images/browser-game.png", optimize=True)
            browser.close()
    finally:
        service.terminate()
        service.wait()
        pages.shutdown()


def play(page: Any) -> None:
    """Pick berries, fish, and go after the fireflies."""
    walk(page, 170, 462)
    for _ in range(3):
        act(page, 0.7)
    walk(page, 105, 360)
    act(page, 0.7)
    walk(page, 622, 350)
    for _ in range(3):
        act(page, 1.8)
    walk(page, 560, 250)
    walk(page, 480, 130)
    act(page, 0.2)


def act(page: Any, seconds: float) -> None:
    page.keyboard.press("Space")
    page.wait_for_timeout(1000 * seconds)


def walk(page: Any, x: float, y: float) -> None:
    """Hold the arrow keys until the fox is there, or ten seconds have passed."""
    held: set[str] = set()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        at = page.evaluate("[meadow.fox.x, meadow.fox.y]")
        wanted = {
            "ArrowRight": x - at[0] > 8,
            "ArrowLeft": at[0] - x > 8,
            "ArrowDown": y - at[1] > 8,
            "ArrowUp": at[1] - y > 8,
        }
        keys = {key for key, is_wanted in wanted.items() if is_wanted}
        for key in held - keys:
            page.keyboard.up(key)
        for key in keys - held:
            page.keyboard.down(key)
        held = keys
        if not keys:
            return
        page.wait_for_timeout(30)
    for key in held:
        page.keyboard.up(key)


if __name__ == "__main__":
    main()
