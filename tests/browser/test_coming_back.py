"""Coming back in a real browser: after a restart of the studio the game waits, and says what its player was doing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browser.conftest import Studio, reach, until

Open = Callable[..., Any]
TOKEN = "the-same-after-a-break"


def walk(page: Any) -> None:
    page.evaluate("link.send({do: 'speed', to: 8})")
    page.locator("canvas").first.focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowUp"):
        page.keyboard.down(key)
        page.wait_for_timeout(400)
        page.keyboard.up(key)
        page.wait_for_timeout(100)


def test_who_comes_back_reads_what_they_were_doing(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", "--record", token=TOKEN)
    context = browser.new_context()
    page = context.new_page()
    page.goto(studio.url("adventure?seed=3&rules=wilds"))
    reach(page)
    until(page, "link.frame && location.search.includes('game=')")
    walk(page)
    until(page, "link.frame.n > 60")
    place = page.url
    page.close()
    studio.end()
    port = str(urlsplit(studio.site).port)
    again = Studio(tmp_path, "--port", port, "--record", token=TOKEN)
    try:
        page = context.new_page()
        page.goto(place)
        reach(page)
        until(page, "link.frame && link.frame.hud.message.startsWith('Last time you were ')")
        message = page.evaluate("link.frame.hud.message")
        assert message.endswith("Press a key to go on.")
        page.get_by_text("Last time you were").first.wait_for()
        number = page.evaluate("link.frame.n")
        page.wait_for_timeout(700)
        assert page.evaluate("link.frame.n") == number, "the game waits"
        page.locator("canvas").first.focus()
        page.keyboard.press("ArrowUp")
        until(page, f"link.frame.n > {number} && !link.frame.hud.message.startsWith('Last time')")
    finally:
        context.close()
        again.end()


def test_a_new_game_goes_on_with_what_the_tutorial_has_taught(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=3&rules=tutorial"))
    until(page, "link.frame && link.frame.hud.counts.some(([name]) => name === 'lessons')")
    walk(page)
    count = "Number(link.frame.hud.counts.find(([name]) => name === 'lessons')[1])"
    until(page, f"{count} > 3")
    page.keyboard.press("p")
    until(page, "link.status.paused")
    lessons = page.evaluate(count)
    page.evaluate("() => { window.old = link.url; telosGo('/adventure?rules=tutorial&goals=free&seed=4'); }")
    until(page, "link.url !== old && link.frame")
    until(page, f"{count} === {lessons}")
