"""Take the pictures of the studio attached to the village, in both themes and as on a phone.

    python docs/images/attached.py [FOLDER]      # needs pip install "telos[dev]" and Chromium

The village of the examples lives in a process of its own, so no two pictures are quite the same.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
VILLAGE = HERE.parents[1] / "examples" / "attached" / "live.py"
READY = """(seconds) => {
  if (window.link) return link.frame?.t >= seconds && link.frame.pic.length > 20 && window.did_handshake;
  import("telos-studio/link.js").then((module) => { window.link = module.link; });
}"""
SECONDS = 75  # of the village's time: by then everybody is busy
WITH_PLAN = "link.frame.pic.map((each) => each[7]?.pick).find((who) => who && link.frame.bands[who] === 'thrifty')"
DESK: Any = {"width": 1280, "height": 720}
PHONE: Any = {"width": 390, "height": 844}


def take(page: Page, address: str, file: Path, *, is_phone: bool = False) -> None:
    """Open the studio, show somebody with a plan, and take the picture."""
    page.goto(address)
    page.wait_for_selector("canvas")
    page.wait_for_function(READY, arg=SECONDS, timeout=300_000)
    who = page.evaluate(WITH_PLAN) or "Ann"
    if not is_phone:
        page.locator(f'.ts-mind .ts-chip:has-text("{who}")').first.click()
        page.locator(".ts-plan .telos-plan-step").first.wait_for()
    page.mouse.move(2, 2)
    page.wait_for_timeout(1_500)
    page.screenshot(path=file)
    print(file)


def main(folder: Path) -> None:
    """Take all pictures of one village."""
    with tempfile.TemporaryDirectory() as models, sync_playwright() as playwright:
        game = subprocess.Popen([sys.executable, VILLAGE], stderr=subprocess.PIPE, text=True)
        assert game.stderr is not None
        address = game.stderr.readline().split()[-1]
        command = [sys.executable, "-m", "telos", "play", "--attach", address, "--no-browser", "--port", "0", "--json"]
        studio = subprocess.Popen([*command, "--folder", models], stdout=subprocess.PIPE, text=True)
        try:
            assert studio.stdout is not None
            entry = json.loads(studio.stdout.readline())["address"]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for theme, size in (("dark", DESK), ("light", DESK), ("dark", PHONE)):
                context = browser.new_context(viewport=size, color_scheme=theme)  # type: ignore[arg-type]
                name = "phone" if size is PHONE else theme
                take(context.new_page(), entry, folder / f"studio-attached-{name}.png", is_phone=size is PHONE)
                context.close()
            browser.close()
        finally:
            for process in (studio, game):
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
