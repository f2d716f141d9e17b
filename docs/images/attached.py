"""Take the pictures of the studio attached to the village, in both themes and as on a phone.

    python docs/images/attached.py [FOLDER]      # needs pip install "telos[dev]" and Chromium

The village of the examples lives in a process of its own, so no two runs are quite the same; the pictures of a run
look back at one moment.
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
READY = """([seconds, frames]) => {
  if (window.link) return link.frame?.t >= seconds && link.frame.n >= frames && window.did_handshake;
  import("telos-studio/link.js").then((module) => { window.link = module.link; });
}"""
SECONDS = 37  # of the village's time: by then everybody is busy
WITH_PLAN = "Object.keys(link.frame.bands).find((who) => link.frame.bands[who] === 'thrifty') ?? 'Ann'"
DESK: Any = {"width": 1280, "height": 720}
PHONE: Any = {"width": 390, "height": 844}


def take(page: Page, address: str, file: Path, moment: tuple[int, str] | None) -> tuple[int, str]:
    """Look back at a moment and somebody's mind, and take the picture; without them, at what is shown now."""
    page.goto(address)
    page.wait_for_selector("canvas")
    page.wait_for_function(READY, arg=[SECONDS, 0 if moment is None else moment[0] + 10], timeout=300_000)
    frame, who = moment or (page.evaluate("link.frame.n"), page.evaluate(WITH_PLAN))
    page.wait_for_timeout(1_500)
    page.evaluate("(frame) => link.send({ do: 'scrub', to: frame })", frame)
    chip = page.locator(f'.ts-mind .ts-chip:has-text("{who}")').first
    if chip.is_visible():  # on a phone, panels are behind a sheet
        chip.click()
    page.mouse.move(2, 2)
    page.wait_for_timeout(2_500)
    page.screenshot(path=file)
    print(file)
    return frame, who


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
            moment: tuple[int, str] | None = None
            for theme, size in (("dark", DESK), ("light", DESK), ("dark", PHONE)):
                context = browser.new_context(viewport=size, color_scheme=theme)  # type: ignore[arg-type]
                name = "phone" if size is PHONE else theme
                moment = take(context.new_page(), entry, folder / f"studio-attached-{name}.png", moment)
                context.close()
            browser.close()
        finally:
            for process in (studio, game):
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
