"""The model editor in a real browser: completion, fault marks, comparison, saving and focus."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from browser.conftest import Studio, until

Open = Callable[..., Any]
FOCUSED = "document.activeElement.closest('.ts-editor') !== null"


@pytest.fixture
def editing(opened: Open, studio: Studio) -> Any:
    """The adventure after a while, played by somebody else, with the cursor in its model."""
    page = opened(studio.url("adventure?rules=flairs&plays=newcomer&seed=7&at=300"))
    until(page, "link.status.paused && link.frame.n === 300")
    page.keyboard.press("3")
    page.locator(".cm-content").click()
    page.wait_for_function(FOCUSED)
    return page


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=re.compile(f"^{name}:"))


def in_picture(page: Any, element: Any) -> bool:
    """Whether an element is on top where it is: CodeMirror moves what it hides out of the window."""
    box = element.bounding_box()
    place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    top = "([x, y]) => document.elementFromPoint(x, y)?.closest('.cm-tooltip-autocomplete') != null"
    return bool(page.evaluate(top, place))


def soften(page: Any) -> None:
    """Let goals last shorter, in the line that says how long they do."""
    line = page.locator(".cm-line", has_text="lasts: 100")
    text = line.inner_text()
    line.click(click_count=3)  # all of it, also where it wraps
    page.keyboard.insert_text(f"{text[: text.index('lasts')]}lasts: 10 updates\n")
    page.get_by_text("not applied").wait_for()


def test_completion_offers_keys_of_schema(editing: Any) -> None:
    editing.keyboard.press("Control+End")
    editing.keyboard.press("Control+Space")
    offered = editing.locator(".cm-tooltip-autocomplete li")
    offered.first.wait_for()
    assert "context" in offered.all_inner_texts()
    assert "goals" not in offered.all_inner_texts()  # they are there already
    editing.keyboard.press("Escape")
    offered.first.wait_for(state="detached")
    editing.keyboard.type("cont")  # typing asks by itself
    offered.first.wait_for()
    assert offered.all_inner_texts() == ["context"]
    editing.locator(".telos-fault").wait_for()  # a word alone is a fault, and its line takes room from the editor
    editing.wait_for_timeout(300)
    assert in_picture(editing, offered.first)
    editing.keyboard.press("Enter")
    assert editing.locator(".cm-activeLine").inner_text() == "context"


def test_fault_is_marked_at_its_line_and_click_leads_there(editing: Any) -> None:
    editing.locator(".cm-line").nth(4).click()  # long lines wrap, so the arrow keys would not count lines
    editing.keyboard.press("Home")
    editing.keyboard.insert_text("gaols: 1\n")
    fault = editing.locator(".telos-fault")
    fault.wait_for()
    assert fault.locator(".ts-fault-number").inner_text() == "5"
    assert editing.locator(".ts-fault-line").all_inner_texts() == ["gaols: 1"]
    editing.keyboard.press("Control+End")
    fault.click()
    editing.wait_for_function(FOCUSED)
    assert editing.locator(".cm-activeLine").inner_text() == "gaols: 1"
    editing.keyboard.press("Control+Shift+k")  # deletes the line
    fault.wait_for(state="detached")


def test_comparison_shows_both_accuracies_and_escape_returns(editing: Any) -> None:
    soften(editing)
    button(editing, "Compare").click()
    editing.get_by_text(re.compile(r"^in force \d+\.\d %$")).wait_for()
    editing.get_by_text(re.compile(r"^edited \d+\.\d %$")).wait_for()
    assert editing.locator(".ts-compare polyline").count() == 6  # old and new of three goals
    editing.keyboard.press("Escape")
    editing.locator(".ts-compare").wait_for(state="detached")
    editing.get_by_text("not applied").wait_for()


def test_save_shows_difference_first_and_asks_again_if_file_changed(editing: Any, studio: Studio) -> None:
    file = studio.folder / "flairs.yaml"
    file.unlink(missing_ok=True)
    soften(editing)
    editing.keyboard.press("Control+s")
    dialog = editing.locator(".ts-save")
    dialog.get_by_text("A new file.").wait_for()
    assert [line[:14] for line in dialog.locator(".ts-added").all_inner_texts()] == ["+  lasts: 10 u"]
    editing.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert not file.exists()
    editing.wait_for_function(FOCUSED)  # who typed goes on typing
    editing.keyboard.press("Control+s")
    dialog.wait_for()
    file.write_text("somebody else's\n")
    dialog.get_by_role("button", name=re.compile("^Save")).click()
    dialog.get_by_text("-somebody else's").wait_for()
    assert file.read_text() == "somebody else's\n"
    dialog.get_by_text("Replace", exact=True).click()
    dialog.wait_for(state="detached")
    assert "lasts: 10 updates" in file.read_text()


def test_editor_is_left_by_escape_and_tab(editing: Any) -> None:
    editing.keyboard.press("Escape")
    editing.keyboard.press("Tab")
    editing.wait_for_function(f"!({FOCUSED})")
    assert editing.evaluate("document.activeElement.closest('.ts-model') !== null")
