"""Make the animated tour of the studio that the README shows.

    python docs/images/tour.py [FILE]        # needs pip install "telos[dev]" and Chromium

It is the same for every run: simulated players play from seeds, the games advance step by step between two pictures,
and the cursor moves along given paths. FILE is docs/images/tour.webp by default.
"""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

from studio import CHROMIUM, FLAGS, READY, studio  # the script beside this one

SIZE, SHOWN = (1280, 720), (960, 540)  # of the page, and of the pictures
RATE = 8  # pictures a second
QUALITY = 52  # of WebP, up to 100
MAX_BYTES = 3_000_000
ATTEMPTS = 6
STABLE = 2500  # ms, in which a page that opened on a busy machine may load itself anew
SETTLE = 90  # ms that the page gets before each picture
_FURNITURE = """() => {
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = ".telos-hud-badge:not(.telos-back) { display: none !important; }"; // it steps, which is no pause
  const make = (id, style) => {
    const made = document.createElement("div");
    made.id = id;
    made.style.cssText = style + "; position: fixed; pointer-events: none; z-index: 9999";
    return document.body.appendChild(made);
  };
  make("tour-words", `left: 50%; top: 5px; transform: translateX(-50%); padding: 5px 18px; border-radius: 17px;
    font: 600 17px sans-serif; white-space: nowrap; color: var(--telos-panel); background: var(--telos-accent)`);
  make("tour-cursor", `left: 0; top: 0; width: 20px; height: 20px; margin: -10px; border-radius: 50%; opacity: 0;
    border: 2.5px solid #fff; background: #a78bfa66; box-shadow: 0 0 5px #000`);
}"""
_CURSOR = """([x, y, on]) => {
  const { style } = document.getElementById("tour-cursor");
  Object.assign(style, { transform: `translate(${x}px, ${y}px)`, opacity: on ? 1 : 0 });
}"""


class Camera:
    """A page, and the pictures that were taken of it."""

    def __init__(self, browser: Browser, entry: str) -> None:
        self._site = entry.rsplit("/", 1)[0]
        self._context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="dark")
        self._context.set_default_timeout(120_000)
        self._context.new_page().goto(entry)  # stores the token in a cookie
        self.pictures: list[Image.Image] = []
        self.page: Page = self._context.pages[0]
        self._at = (0.0, 0.0)

    def open(self, address: str, words: str) -> None:
        """Open a game at the moment that its address names; ``words`` stand above it from then on."""
        at = int(address.rpartition("at=")[2])
        self.page.close()
        self.page = self._context.new_page()
        self.page.goto(f"{self._site}/{address}")
        self.page.wait_for_selector("canvas")
        self.page.wait_for_function(READY, arg=at)
        self.page.wait_for_timeout(STABLE)
        self.page.wait_for_function(READY, arg=at)
        self.page.evaluate("() => link.send({ do: 'scrub', to: null })")
        self.page.evaluate(_FURNITURE)
        self.say(words)
        for line in self.page.locator(".telos-corner-first button:visible").all() if self.pictures else ():
            line.click()  # it was read in the first scene
        self.page.wait_for_timeout(1200)  # the panels follow about once a second

    def say(self, words: str) -> None:
        """Change the words above the picture."""
        self.page.evaluate("(words) => { document.getElementById('tour-words').textContent = words; }", words)

    def take(self, count: int = 1) -> None:
        """Take pictures of the page as it is; all but the first only hold the view."""
        self.page.wait_for_timeout(SETTLE)
        self.page.evaluate(
            "() => document.getElementById('tour-words').isConnected"
        )  # fails in a page that was reloaded
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.pictures += [shot.resize(SHOWN, Image.Resampling.LANCZOS)] * count

    def play(self, pictures: int, steps: int) -> None:
        """Take pictures of the game, with some steps between two of them."""
        for _ in range(pictures):
            frame = self.page.evaluate("link.frame.n") + steps
            self.page.evaluate("(steps) => { for (; steps; steps--) link.send({ do: 'step' }); }", steps)
            self.page.wait_for_function(f"() => link.frame.n >= {frame} || link.frame.hud.over")
            self.take()

    def place(self, on: str | Locator, x: float = 0.5, y: float = 0.5) -> tuple[float, float]:
        """Return the place at these shares of an element's width and height."""
        element = self.page.locator(on).first if isinstance(on, str) else on.first
        box = element.bounding_box()
        assert box is not None, f"{on} is not in the picture"
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def point(self, to: tuple[float, float], pictures: int = 4) -> None:
        """Move the cursor to a place, with pictures on the way."""
        (x, y), (to_x, to_y) = self._at, to
        for share in _ease(pictures):
            self._at = x + share * (to_x - x), y + share * (to_y - y)
            self.page.mouse.move(*self._at)
            self.page.evaluate(_CURSOR, [*self._at, True])
            self.take()

    def click(self, to: tuple[float, float], pictures: int = 4) -> None:
        """Move the cursor to a place, and click there."""
        self.point(to, pictures)
        self.page.mouse.click(*to)
        self.page.wait_for_timeout(500)

    def save(self, file: Path) -> int:
        """Write the tour; return its size in bytes."""
        first, *others = self.pictures
        options: dict[str, Any] = {"quality": QUALITY, "method": 5, "minimize_size": True, "kmax": 40, "kmin": 9}
        first.save(file, save_all=True, append_images=others, duration=1000 // RATE, loop=0, **options)
        return file.stat().st_size


def _ease(count: int) -> Iterator[float]:
    """Yield shares up to 1 that begin and end slowly.

    >>> [round(share, 2) for share in _ease(4)]
    [0.16, 0.5, 0.84, 1.0]
    """
    for number in range(1, count + 1):
        share = number / count
        yield share * share * (3 - 2 * share)


def first_minute(camera: Camera) -> None:
    """Show the first minute of the adventure, with the guess in the corner."""
    camera.open("adventure?seed=7&plays=newcomer&at=60", "The game guesses what you want, as you play")
    camera.play(30, 12)


def companion_and_timeline(camera: Camera) -> None:
    """Show the companion's mind; then drag along the timeline: picture, beliefs and minds go back."""
    camera.open("adventure?seed=7&plays=newcomer&at=870", "A companion acts on that guess")
    camera.page.keyboard.press("2")
    camera.page.wait_for_timeout(1200)
    camera.play(16, 4)
    camera.page.keyboard.press("1")
    camera.page.wait_for_timeout(800)
    camera.say("Drag back to any moment, and ask why")
    line = camera.page.get_by_label("Timeline", exact=True)
    camera.point(camera.place(line, 0.42, 0.45), 4)
    camera.page.mouse.down()
    camera.point(camera.place(line, 0.16, 0.45), 10)
    camera.point(camera.place(line, 0.30, 0.45), 6)
    camera.page.mouse.up()
    camera.take(4)


def arena(camera: Camera) -> None:
    """Show a fight, a soldier's mind, and the goals of all on the timeline."""
    camera.open("arena?seed=3&at=60", "Soldiers plan, talk, and say why – or why not")
    camera.page.keyboard.press("2")
    camera.play(14, 2)
    camera.click(camera.place(".ts-mind .ts-chip >> nth=2"), 4)
    camera.play(10, 2)


def model(camera: Camera) -> None:
    """Make a mistake in the model, undo it, change a number, and apply the model to the game so far."""
    camera.open("adventure?seed=7&rules=flairs&plays=newcomer&at=900", "Edit the model while the game runs")
    keyboard = camera.page.keyboard
    keyboard.press("3")
    text = camera.page.locator(".cm-content")
    text.click()
    unchanged = text.inner_text()
    keyboard.press("Control+Home")
    for _ in range(3):
        keyboard.press("ArrowDown")
    keyboard.press("Home")
    for part in ("goals: ", "[level, ", "explore, ", "tonw]"):
        keyboard.type(part)
        camera.take(2)
    keyboard.press("Enter")
    camera.page.locator(".telos-fault").first.wait_for()
    camera.take(10)
    while text.inner_text() != unchanged:
        keyboard.press("Control+z")
    camera.page.locator(".telos-fault").first.wait_for(state="detached")
    camera.page.locator(".cm-line", has_text="lasts:").first.click()
    keyboard.press("Home")
    for _ in "lasts: ":
        keyboard.press("ArrowRight")
    for _ in "100":
        keyboard.press("Delete")
    keyboard.type("5")
    camera.page.wait_for_timeout(800)  # until it is checked
    camera.take(6)
    camera.click(camera.place(camera.page.get_by_role("button", name="Apply")), 5)
    camera.take(8)


def forge(camera: Camera) -> None:
    """Show the companion in the forge, who infers the plan and lights the fire."""
    camera.open("forge?seed=3&play=key&at=60", "It sees your plan, and helps")
    camera.play(22, 2)


SCENES: tuple[Callable[[Camera], None], ...] = (first_minute, companion_and_timeline, arena, model, forge)


def take_scene(camera: Camera, scene: Callable[[Camera], None]) -> None:
    """Take a scene; if its page lost its link on a busy machine, take it again."""
    start = len(camera.pictures)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return scene(camera)
        except Error as error:
            if attempt == ATTEMPTS:
                raise
            print(f"{scene.__name__} {len(camera.pictures) - start}, again: {error.message.splitlines()[0]}")
            del camera.pictures[start:]


def main(file: Path) -> None:
    """Take all scenes, and write the tour."""
    with studio() as entry, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        camera = Camera(browser, entry)
        for scene in SCENES:
            take_scene(camera, scene)
            print(f"{scene.__name__}: {len(camera.pictures) / RATE:.1f} s")
        browser.close()
    size = camera.save(file)
    print(f"{file}: {len(camera.pictures) / RATE:.1f} s, {size / 1e6:.2f} MB")
    if size > MAX_BYTES:
        sys.exit(f"{file} has more than {MAX_BYTES / 1e6:g} MB; lower QUALITY")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("tour.webp"))
