"""The guess and the result in a real browser: the corner's words while one explores, and the card at the end."""

from collections.abc import Callable
from typing import Any

from browser.conftest import Studio, until

Open = Callable[..., Any]


def test_corner_reads_walk_to_new_places_as_exploring(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=7&goals=free"))
    assert page.inner_text(".telos-corner-headline") == "unsure"
    page.keyboard.down("ArrowRight")
    until(page, "link.frame.beliefs.ffbm.explore > 0.7", seconds=60)
    page.wait_for_function("document.querySelector('.telos-corner-headline').dataset.goal === 'explore'")
    page.keyboard.up("ArrowRight")
    assert page.inner_text(".telos-corner-headline") == "explore"


def test_card_shows_who_read_right_and_looks_back(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=4&plays=newcomer&goals=directed&at=9000"))
    until(page, "link.frame.hud.over", seconds=90)
    card = page.locator(".telos-result-card")
    card.wait_for()
    shares = [int(each.split()[0]) for each in page.locator(".telos-result-share").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    assert page.locator(".telos-result-reader").first.inner_text().startswith("FFBM")
    assert "sure that you want to fight" in card.inner_text()
    page.get_by_role("button", name="Look back").click()
    until(page, "link.frame.live === false")
    assert card.is_hidden()
    page.evaluate("link.send({ do: 'scrub', to: null })")
    card.wait_for()
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    assert page.locator(".telos-hud-over").is_hidden()
