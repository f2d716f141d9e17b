"""The designer's loop in a real browser: from a mind to its lines, changes in place, rejected plans, a huge text."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from browser.conftest import Studio, until
from telos.studio.stage import Inputs
from telos.studio.worlds.arena import ArenaStage

Open = Callable[..., Any]
_EDITOR = "getElement(Number(document.querySelector('.ts-editor').id.slice(1)))"
_PASTE = f"""(text) => {{
  const {{ editor }} = {_EDITOR};
  editor.dispatch({{ changes: {{ from: editor.state.doc.length, insert: text }}, userEvent: "input.paste" }});
}}"""


@cache
def find_approach(seed: int) -> tuple[str, int]:
    """Return who is about to approach an enemy while at ease, and at which frame, after half a minute."""
    stage = ArenaStage("skirmish", seed)
    for frame in range(1, 900):
        stage.step(Inputs(""))
        for name, mind in stage.battle.minds.items() if frame > 300 else ():
            if mind.goal == "kill_enemy" and mind.steps[mind.index] == "approach" and mind.state["at_ease"]:
                return name, frame
    pytest.fail("nobody approached an enemy in 90 seconds")


@pytest.fixture
def minds(opened: Open, studio: Studio) -> Any:
    """A fight at a moment at which somebody is about to approach an enemy, with this fighter's mind."""
    who, frame = find_approach(3)
    page = opened(studio.url(f"arena?seed=3&at={frame}"))
    until(page, f"link.status.paused && link.frame.n === {frame}")
    page.keyboard.press("2")
    page.get_by_role("button", name=who, exact=True).click()
    page.get_by_text("approach, for kill_enemy").wait_for()
    return page


def shown_line(page: Any) -> str:
    line = page.locator(".cm-line.ts-shown-line")
    line.wait_for()
    return str(line.inner_text()).strip()


def test_goal_and_step_lead_to_their_lines_in_right_file(minds: Any) -> None:
    minds.locator(".ts-ask", has_text=re.compile("^kill_enemy$")).first.click()
    assert shown_line(minds).startswith("kill_enemy:")
    assert minds.locator(".cm-activeLine").inner_text().strip() == shown_line(minds)
    minds.keyboard.press("Escape")
    minds.get_by_role("button", name="layer-4-cover").click()
    minds.locator(".cm-line", has_text="like: layer-3-melee").wait_for()
    minds.get_by_role("tab", name="Mind").click()
    minds.locator(".telos-plan-step[data-what=approach]").click()
    until_line = minds.locator(".cm-line.ts-shown-line", has_text="approach:")
    until_line.wait_for()
    assert minds.get_by_text("read only").is_visible()


def test_priority_is_changed_in_place_and_plan_follows(minds: Any) -> None:
    minds.locator("tr", has_text="patrol").locator(".ts-value").first.click()
    field = minds.get_by_label("Priority of patrol")
    field.fill("high")
    field.press("Enter")
    minds.get_by_text("'high' is not a number").wait_for()
    field.fill("99")
    field.press("Enter")
    field.wait_for(state="detached")
    for _ in range(3):  # the new mind has to look round first
        minds.keyboard.press(".")
    minds.get_by_text(re.compile("for patrol$")).wait_for()
    minds.get_by_role("tab", name="Model").click()
    minds.locator(".cm-line", has_text="priorities: {patrol: 99}").wait_for()
    minds.get_by_role("button", name=re.compile("^Undo")).click()
    minds.locator(".cm-line", has_text="priorities").wait_for(state="detached")


def test_huge_text_is_refused_in_one_sentence_and_reverted(minds: Any) -> None:
    minds.keyboard.press("3")
    minds.locator(".cm-line", has_text="character: soldier").wait_for()
    minds.wait_for_function(f"{_EDITOR}?.heldBack === false")
    minds.evaluate(_PASTE, ("# " + 98 * "x" + "\n") * 50_000)  # 5 MB
    minds.get_by_text("the text is larger than 256 KiB; split it into several files").wait_for()
    minds.get_by_text("1 fault", exact=True).wait_for()
    minds.get_by_role("button", name=re.compile("^Revert")).click()
    minds.get_by_text("in force").wait_for()
    minds.keyboard.press("Control+Home")
    assert "x" * 98 not in minds.locator(".cm-content").inner_text()
    minds.locator(".cm-content").click()
    minds.keyboard.press("Control+End")
    minds.keyboard.insert_text("# ours")
    minds.get_by_text("not applied").wait_for()  # changes are sent again
