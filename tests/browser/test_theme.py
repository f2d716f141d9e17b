"""The theme: no frame of a page is painted in the other one, while it loads or when the world changes."""

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from browser.conftest import Studio, reach, until

Image = pytest.importorskip("PIL.Image", reason="frames are decoded by Pillow: pip install pillow")

TILES = (16, 9)
DARK, LIGHT = 70, 150  # of 255: a tile of a dark page is at most that bright, one of a light page at least


@contextmanager
def filmed(page: Any) -> Iterator[list[list[int]]]:
    """Collect every frame that Chromium paints, as the brightness of its tiles."""
    frames: list[list[int]] = []
    session = page.context.new_cdp_session(page)

    def take(shot: dict[str, Any]) -> None:
        picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("L")
        frames.append(list(picture.resize(TILES, Image.Resampling.BOX).tobytes()))
        session.send("Page.screencastFrameAck", {"sessionId": shot["sessionId"]})

    session.on("Page.screencastFrame", take)
    session.send("Page.startScreencast", {"format": "jpeg", "quality": 60, "maxWidth": 640, "maxHeight": 360})
    yield frames
    session.send("Page.stopScreencast")


def wrong_share(tiles: list[int], theme: str) -> float:
    """Return the share of a frame that is as bright as the other theme."""
    wrong = [tile > LIGHT if theme == "dark" else tile < DARK for tile in tiles]
    return sum(wrong) / len(wrong)


@pytest.mark.parametrize("remembered", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_no_frame_shows_other_theme(browser: Any, studio: Studio, theme: str, remembered: bool) -> None:
    system = theme if not remembered else {"dark": "light", "light": "dark"}[theme]
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme=system)
    if remembered:
        context.add_cookies([{"name": "telos-theme", "value": theme, "url": studio.site}])
    page = context.new_page()
    page.goto("about:blank")
    page.evaluate("theme => { document.documentElement.style.background = theme === 'dark' ? '#000' : '#fff'; }", theme)
    with filmed(page) as frames:
        page.goto(studio.url("adventure?seed=3"))
        reach(page)
        until(page, "link.frame")
        for world in ("Home", "Forge", "Adventure"):
            page.get_by_role("link", name=world, exact=True).click()
            until(page, f"link.hello?.world === '{world.lower()}' && link.frame")
            page.wait_for_timeout(300)
        page.reload()
        reach(page)
        until(page, "link.frame")
        page.wait_for_timeout(300)
    context.close()
    assert len(frames) > 8
    assert max(wrong_share(tiles, theme) for tiles in frames) < 0.05


def test_toggled_theme_is_kept_by_reload(browser: Any, studio: Studio) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(studio.url("home?seed=3"))
    reach(page)
    assert page.evaluate("document.body.classList.contains('body--light')")
    page.get_by_role("button", name="Dark or light").click()
    page.wait_for_function("document.body.classList.contains('body--dark')")
    page.reload()
    reach(page)
    assert page.evaluate("document.documentElement.classList.contains('telos-dark')")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    context.close()
