"""Worlds that are played by mouse and touch: targets in the picture, choices below it, and forms."""

from collections.abc import Callable
from typing import Any

from browser.conftest import Studio, until

Open = Callable[..., Any]


def spot(page: Any, name: str) -> tuple[float, float]:
    """Return where a target is on the page, by the picture's place and scale."""
    x, y = page.evaluate("name => link.frame.targets.find((each) => each[0] === name).slice(2, 4)", name)
    width, height = page.evaluate("link.hello.size")
    box = page.locator("canvas").first.bounding_box()
    scale = min(box["width"] / width, box["height"] / height)
    left, top = (box["width"] - width * scale) / 2, (box["height"] - height * scale) / 2
    return box["x"] + left + x * scale, box["y"] + top + y * scale


def test_island_is_played_by_mouse_alone(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("island?plays=you&seed=3"))
    page.mouse.move(*spot(page, "nurse"))
    page.get_by_text("Talk to the nurse, ", exact=False).last.wait_for()
    page.evaluate("link.send({do: 'speed', to: 8})")
    page.mouse.click(*spot(page, "nurse"))
    page.get_by_role("button", name="Ask about illness").wait_for(timeout=30_000)
    page.get_by_role("button", name="Ask about the worksheet").click()
    page.get_by_role("button", name="Say goodbye").click()
    page.get_by_role("button", name="Worksheet: ").click()
    page.get_by_role("combobox", name="Source").click()
    page.get_by_role("option", name="milk").click()
    page.get_by_role("button", name="Write it down").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    page.mouse.click(*spot(page, "medicine-cabinet"))
    until(page, "link.frame.targets.find((each) => each[0] === 'medicine-cabinet')[5].length > 1")
    page.get_by_role("button", name="Worksheet: ").click()
    page.get_by_role("combobox", name="Source").wait_for()
    assert "milk" in page.locator(".ts-form").inner_text()


def test_forge_is_played_by_keys_of_choices_and_menu(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("forge?companion=none"))
    page.evaluate("link.send({do: 'speed', to: 8})")
    page.get_by_role("button", name="More: everything that can be clicked in the picture").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Go to the woods").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Take wood from the woods").wait_for(timeout=30_000)
    page.keyboard.press("1")
    until(page, "link.frame.hud.counts.some((pair) => pair.join() === 'hands,wood')")


def test_tap_walks_on_small_touch_screen(browser: Any, studio: Studio) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 700}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(studio.url("forge?companion=none&seed=1"))
    page.wait_for_selector("canvas")
    page.evaluate("() => import('telos-studio/link.js').then((module) => { window.link = module.link; })")
    until(page, "link.frame?.targets?.length")
    x, y = spot(page, "square")
    page.touchscreen.tap(x + 12, y + 12)
    until(page, "link.frame.hud.message === 'Goes to the square'")
    context.close()
