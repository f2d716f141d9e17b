"""The page on screens of all sizes: nothing overlaps, dividers resize, toasts cover nothing, pads play."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import pytest

from browser.conftest import Studio, reach, until

Open = Callable[..., Any]
Box = dict[str, float]
SHARES = {(390, 844): 0.30, (844, 390): 0.50, (768, 1024): 0.25, (1280, 720): 0.35}  # of the window, for the picture
CONTROLS = """() => {
  const found = {};
  const all = document.querySelectorAll(`.ts-header button, .ts-world, .ts-strip button, .ts-strip input, .ts-tab,
    .ts-tools button, .ts-copy, .telos-pad button, .telos-choices button`);
  for (const each of all) {
    const box = each.getBoundingClientRect();
    if (!each.checkVisibility({ visibilityProperty: true }) || !box.width || !box.height) continue;
    if (each.closest(".q-field")?.contains(each) && each.tagName === "BUTTON") continue; // lies in its field
    const bar = each.closest(".telos-choices")?.getBoundingClientRect();
    if (bar && box.bottom > bar.bottom + 1) continue; // scrolled away
    const name = each.getAttribute("aria-label") || each.textContent.trim();
    found[name] = { x: box.x, y: box.y, width: box.width, height: box.height };
  }
  return found;
}"""
WIDTH = "document.querySelector('.ts-panels').getBoundingClientRect().width"
HEIGHT = "document.querySelector('.ts-below').getBoundingClientRect().height"


@contextmanager
def screen(browser: Any, studio: Studio, path: str, width: int, height: int) -> Iterator[Any]:
    """Open a page on a screen; one that is not a desktop's is touched."""
    touched = (width, height) != (1280, 720)
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=touched, is_mobile=touched)
    try:
        page = context.new_page()
        page.goto(studio.url(path))
        reach(page)
        until(page, "link.frame && window.did_handshake && document.documentElement.dataset.sheet")
        yield page
    finally:
        context.close()


def overlap(one: Box, two: Box) -> bool:
    across = min(one["x"] + one["width"], two["x"] + two["width"]) - max(one["x"], two["x"])
    down = min(one["y"] + one["height"], two["y"] + two["height"]) - max(one["y"], two["y"])
    return across > 1 and down > 1


def faults(page: Any, width: int, height: int) -> list[str]:
    """Return what is wrong with the controls: outside of the window, over one another, or too small for a finger."""
    boxes: dict[str, Box] = page.evaluate(CONTROLS)
    assert len(boxes) > 12
    outside = [
        f"{name} is outside"
        for name, box in boxes.items()
        if min(box["x"], box["y"]) < -1 or box["x"] + box["width"] > width + 1 or box["y"] + box["height"] > height + 1
    ]
    over = [f"{one} over {two}" for one, two in combinations(boxes, 2) if overlap(boxes[one], boxes[two])]
    touched = (width, height) != (1280, 720)
    small = [
        f"{name} is {box['width']:.0f} x {box['height']:.0f}"
        for name, box in boxes.items()
        if touched and min(box["width"], box["height"]) < 39
    ]
    wide = ["the page scrolls sideways"] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []
    return outside + over + small + wide


def menu_faults(page: Any, width: int) -> list[str]:
    """Open the two menus; return their parts that are outside of the window."""
    found = []
    for name in ("New game", "Recordings"):
        page.get_by_role("button", name=name).first.click()
        page.locator(".ts-popup").wait_for()
        for each in page.locator(".ts-popup, .ts-popup > *, .ts-popup button").all():
            if each.is_visible() and (box := each.bounding_box())["width"] > 1:
                is_inside = box["x"] >= 0 and box["x"] + box["width"] <= width
                found += [] if is_inside else [f"{name}: {each.inner_text()!r} at {box}"]
        page.keyboard.press("Escape")
        page.locator(".ts-popup").wait_for(state="hidden")
    return found


@pytest.mark.parametrize("size", SHARES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_controls_fit_screen_and_do_not_overlap(browser: Any, studio: Studio, size: tuple[int, int]) -> None:
    width, height = size
    with screen(browser, studio, "adventure?seed=7", width, height) as page:
        assert faults(page, width, height) == []
        assert menu_faults(page, width) == []
        view = page.locator(".telos-view canvas").bounding_box()
        assert view["width"] * view["height"] > SHARES[size] * width * height
        if page.evaluate("document.documentElement.dataset.sheet") == "closed":
            page.get_by_role("tab", name="Mind").tap()
            page.locator('[role=tabpanel][aria-label="Mind"]').wait_for()
            assert [each for each in faults(page, width, height) if "over" not in each] == []  # pads lie on the picture
            page.get_by_role("button", name="Close the panel").tap()
            page.locator('[role=tabpanel][aria-label="Mind"]').wait_for(state="hidden")


@pytest.mark.slow
@pytest.mark.parametrize("world", ["arena?seed=3&at=75", "home?seed=7", "forge?seed=3", "island?seed=7"])
@pytest.mark.parametrize("size", SHARES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_controls_fit_screen_in_every_world(browser: Any, studio: Studio, size: tuple[int, int], world: str) -> None:
    width, height = size
    with screen(browser, studio, world, width, height) as page:
        page.wait_for_timeout(700)
        assert faults(page, width, height) == []


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("world", ["adventure?seed=7", "forge?seed=3"])
def test_first_words_cover_no_one_at_start(browser: Any, studio: Studio, size: tuple[int, int], world: str) -> None:
    with screen(browser, studio, world, *size) as page:
        page.locator(".telos-corner-first").wait_for()
        if world.startswith("forge"):
            until(page, "link.frame.n > 8")  # it does not wait, and lines may fade from now on
        page.wait_for_timeout(300)
        assert page.locator(".telos-corner.telos-aside").count() == 0


def test_lines_above_picture_fit_it_at_any_width(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=7&plays=newcomer&at=300"))
    until(page, "link.frame.n === 300")
    page.get_by_role("button", name="Larger or smaller panel").click()
    for width in (1150, 1440, 1600, 1920, 2400):  # pictures from 370 to 770 pixels wide
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(150)
        over = page.locator(".telos-over").first.bounding_box()
        boxes = [page.locator(f".telos-hud-{name}").bounding_box() for name in ("task", "counts", "badge")]
        ends = over["x"] + over["width"]
        assert all(box["x"] >= over["x"] and box["x"] + box["width"] <= ends for box in boxes), width
        assert not any(overlap(one, two) for one, two in combinations(boxes, 2)), width
        assert boxes[0]["height"] < 50, "the task is at most two lines"


def test_touch_screen_speaks_of_taps_and_pads_play(browser: Any, studio: Studio) -> None:
    with screen(browser, studio, "adventure?seed=8", 390, 844) as page:
        said = page.locator(".telos-hud-message").inner_text()
        assert said.startswith("Tap a button to begin")
        assert "WASD" not in said
        before = page.evaluate("link.frame.n")
        page.locator(".telos-pad-left").tap()
        until(page, f"link.frame.n > {before}")


def test_help_is_one_column_on_phone(browser: Any, studio: Studio) -> None:
    for (width, height), columns in (((390, 844), 1), ((1280, 720), 2)):
        with screen(browser, studio, "adventure?seed=8", width, height) as page:
            page.get_by_role("button", name="Help").first.click()
            page.locator(".ts-help").wait_for()
            lefts = page.locator(".ts-help-column").evaluate_all("all => all.map(each => each.offsetLeft)")
            assert len(set(lefts)) == columns


def test_dividers_are_dragged_moved_by_keys_and_remembered(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=31"))
    usual = page.evaluate(WIDTH)
    line = page.get_by_role("separator", name="Width of the panels")
    box = line.bounding_box()
    page.mouse.move(box["x"] + 4, 300)
    page.mouse.down()
    page.mouse.move(640, 300, steps=3)
    page.mouse.up()
    assert page.evaluate(WIDTH) == pytest.approx(640, abs=3)
    below = page.get_by_role("separator", name="Height of the timeline")
    before = page.evaluate(HEIGHT)
    below.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # reached by Tab, it keeps the arrow keys
    page.keyboard.press("ArrowUp")
    assert page.evaluate(HEIGHT) == pytest.approx(before + 0.02 * 720, abs=2)
    page.reload()
    reach(page)
    until(page, "document.documentElement.dataset.sheet")
    assert page.evaluate(WIDTH) == pytest.approx(640, abs=3)
    line.dblclick()
    assert page.evaluate(WIDTH) == pytest.approx(usual, abs=1)
    page.get_by_role("button", name="Larger or smaller panel").click()
    page.wait_for_function(f"{WIDTH} > 800")
    page.get_by_role("button", name="Larger or smaller panel").click()
    page.wait_for_function(f"Math.abs({WIDTH} - {usual}) < 1")


def test_toasts_are_in_header_and_cover_nothing(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?rules=flairs&plays=newcomer&seed=7&at=60"))
    page.keyboard.press("3")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("golas: [level]\n")
    page.keyboard.press("Control+Enter")
    note = page.locator(".telos-toast.telos-bad")
    note.wait_for()
    box = note.bounding_box()
    boxes = page.evaluate(CONTROLS)
    for selector in (".telos-fault", ".ts-model .ts-button", ".ts-select", ".ts-editor"):
        for number, each in enumerate(page.locator(selector).all()):
            boxes[f"{selector} {number}"] = each.bounding_box()
    assert len(boxes) > 20
    assert [name for name, each in boxes.items() if each and overlap(box, each)] == []
    note.get_by_role("button", name="Close the message").click()
    note.wait_for(state="detached")


def test_gamepad_walks_and_is_found_again_in_next_game(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=9"))
    page.evaluate("""() => {
      window.pad = { buttons: Array.from({ length: 17 }, () => ({ pressed: false })), axes: [0, 0, 0, 0] };
      navigator.getGamepads = () => [null, window.pad];
      window.dispatchEvent(new Event("gamepadconnected"));
    }""")
    assert page.evaluate("link.frame.n") == 0  # it waits for its player
    page.evaluate("window.pad.axes[0] = -1")
    until(page, "link.frame.n > 5")
    page.evaluate("window.pad.axes[0] = 0")
    page.evaluate("telosGo('/adventure?seed=10')")
    until(page, "location.search.includes('seed=10') && link.frame?.n === 0")
    page.evaluate("window.pad.buttons[0].pressed = true")
    until(page, "link.frame.n > 5")
