"""The page without a mouse: all controls are reached by Tab, and the game gets its keys back."""

from collections.abc import Callable
from typing import Any

import pytest

from browser.conftest import Studio, until

Open = Callable[..., Any]

# What has the focus, and whether that can be seen: an outline, a shadow, or a field that is drawn as the focused one.
_FOCUSED = """() => {
  const it = document.activeElement;
  const field = it.closest(".q-field--focused, .ts-select");
  const styles = [it, ...(field ? [field] : [])].map((each) => getComputedStyle(each));
  const outlined = styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
  const shadowed = styles.some((style) => style.boxShadow !== "none");
  const shows = outlined || shadowed || it.closest(".q-field--outlined, .ts-editor:focus-within") !== null;
  return [it.tagName, it.getAttribute("aria-label") || it.textContent.trim().slice(0, 40), shows];
}"""


def tabbed(page: Any) -> list[tuple[str, str, bool]]:
    """Press Tab from the top of the page to its end; return what was reached."""
    page.locator(".ts-wordmark").click()
    reached: list[tuple[str, str, bool]] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        kind, name, shows = page.evaluate(_FOCUSED)
        if kind == "BODY":
            break
        if page.evaluate("document.activeElement.closest('.ts-editor') !== null"):
            page.keyboard.press("Escape")  # in there, Tab sets lines in
        reached.append((kind, name, shows))
    return reached


@pytest.mark.parametrize("panel", ["Beliefs", "Mind", "Model", "Score"])
def test_controls_are_reached_by_tab_and_show_focus(opened: Open, studio: Studio, panel: str) -> None:
    page = opened(studio.url("adventure?rules=flairs&plays=newcomer&seed=7&at=60"))
    until(page, "link.status.paused")
    page.get_by_role("tab", name=panel).click()
    page.locator(f'[role=tabpanel][aria-label="{panel}"]').wait_for()
    reached = tabbed(page)
    assert [name for _, name, shows in reached if not shows] == []
    names = " | ".join(name for _, name, _ in reached)
    for expected in ("Adventure", "New game", "Play on", "Beliefs", "Timeline", "Copy a link"):
        assert expected in names


def test_dialog_keeps_focus_and_returns_it_to_game(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?rules=flairs&seed=7"))
    page.locator("canvas").first.click()
    page.keyboard.press("?")
    page.wait_for_function("document.activeElement.closest('.q-dialog') !== null")
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('body, .q-dialog *')")  # and nothing behind it
    page.keyboard.press("Escape")
    page.locator(".ts-help").wait_for(state="hidden")
    page.keyboard.press("ArrowUp")
    until(page, "link.frame.n > 3")


def test_finished_game_offers_another_in_place(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("arena?seed=3&at=4000"))
    until(page, "link.frame.hud.over", seconds=60)
    before = page.url
    page.get_by_role("button", name="Play again").click()
    page.wait_for_function("before => location.href !== before", arg=before)
    assert "/arena?" in page.url
    assert "seed=3&" not in page.url


def test_idle_page_sends_nothing(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?plays=newcomer&seed=7&at=60"))
    until(page, "link.status.paused")
    page.wait_for_timeout(2_500)  # what was still under way arrives
    page.evaluate("""() => {
      window.sent = [];
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (data) { window.sent.push(String(data)); return send.call(this, data); };
    }""")
    page.wait_for_timeout(3_000)
    assert [each for each in page.evaluate("sent") if each != "3" and '"ack"' not in each] == []  # a pong is no news


def test_upload_accepts_another_file_after_wrong_one(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?rules=flairs&seed=7"))
    page.get_by_role("button", name="Recordings").click()
    for name in ("one.jsonl", "two.jsonl"):
        with page.expect_file_chooser() as chosen:
            page.get_by_role("button", name="Open a recording").click()
        with page.expect_response(lambda answer: "upload" in answer.url):
            chosen.value.set_files({"name": name, "mimeType": "application/json", "buffer": b"no recording"})
        page.locator(".telos-toast.telos-bad").last.wait_for()
    assert "/adventure?" in page.url


def tab_to(page: Any, name: str, *, back: bool = False) -> None:
    """Press Tab until a control has the focus."""
    for _ in range(60):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if str(page.evaluate(_FOCUSED)[1]).startswith(name):
            return
    raise AssertionError(f"Tab does not reach {name}")


def test_whole_loop_needs_no_mouse(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?rules=flairs&seed=7"))
    tab_to(page, "New game")
    page.keyboard.press("Enter")
    page.locator(".ts-popup").first.wait_for()
    tab_to(page, "Seed")
    page.keyboard.press("Control+a")
    page.keyboard.type("41")
    tab_to(page, "Begin")
    page.keyboard.press("Enter")
    until(page, "location.search.includes('seed=41') && link.frame?.n === 0")
    page.keyboard.press("ArrowLeft")
    until(page, "link.frame.n > 3")
    page.keyboard.press("p")
    until(page, "link.status.paused")
    for key, panel in (("2", "Mind"), ("5", "Log"), ("3", "Model")):
        page.keyboard.press(key)
        page.locator(f'[role=tabpanel][aria-label="{panel}"]').wait_for()
    tab_to(page, "Larger or smaller panel")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.ts-editor') !== null"):
            break
    page.keyboard.press("Control+Home")
    page.keyboard.type("# edited by keys\n")
    page.get_by_text("not applied").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".telos-toast").first.wait_for()
    page.keyboard.press("Escape")
    tab_to(page, "Save")  # out of the editor
    page.keyboard.press("?")
    page.wait_for_function("document.activeElement.closest('.q-dialog') !== null")
    page.keyboard.press("Escape")
    page.locator(".ts-help").wait_for(state="hidden")
    was_dark = page.evaluate("document.documentElement.classList.contains('telos-dark')")
    page.keyboard.press("t")
    page.wait_for_function(f"document.documentElement.classList.contains('telos-dark') !== {str(was_dark).lower()}")
