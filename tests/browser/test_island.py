"""The island in a real browser: bars that need not sum to one, and a tutor who speaks."""

from collections.abc import Callable
from typing import Any

from browser.conftest import Studio, until

Open = Callable[..., Any]


def test_each_goal_has_a_bar_by_itself_beside_the_bars_that_sum_to_one(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("island?seed=7&plays=simulated&tutor=yes&at=600"))
    until(page, "link.frame?.beliefs?.goals !== undefined && link.frame.n >= 590", seconds=90)
    titles = page.locator(".telos-card h3").all_inner_texts()
    assert titles == ["Markov logic", "Several goals"]
    total = "Object.values(link.frame.beliefs.{}).reduce((sum, each) => sum + each, 0)"
    assert abs(page.evaluate(total.format("mln")) - 1.0) < 0.02
    assert abs(page.evaluate(total.format("goals")) - 1.0) > 0.02
    bars = page.locator(".telos-card").nth(1).inner_text()
    assert "%" in bars


def test_a_person_asks_for_a_hint_and_is_answered(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("island?seed=7&plays=you&tutor=yes"))
    page.get_by_role("button", name="Ask for a hint").click()
    until(page, "(link.frame?.hud?.message ?? '').startsWith('lead scientist: ')", seconds=60)
    assert "Hear her out" in page.evaluate("link.frame.hud.message")
