"""One page for all games: worlds change without a reload, and the browser's history leads back."""

from collections.abc import Callable
from typing import Any

from browser.conftest import Studio, frame, until

Open = Callable[..., Any]
WORLDS = ("Arena", "Home", "Forge", "Island", "Adventure")


def show_world(page: Any, name: str) -> None:
    """Click the name of a world, and wait for its game."""
    page.get_by_role("link", name=name, exact=True).click()
    until(page, f"link.hello?.world === '{name.lower()}' && link.frame && location.pathname === '/{name.lower()}'")


def test_worlds_change_without_reload(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=4"))
    page.evaluate("window.isFirst = true")
    for name in WORLDS:
        show_world(page, name)
        assert page.locator('[aria-current="page"]').inner_text() == name
        assert page.locator(".telos-stage canvas").count() == 1
        assert "game=" in page.url
    assert page.evaluate("window.isFirst")


def test_history_leads_back_to_running_game(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=21"))
    page.evaluate("window.isFirst = true")
    until(page, "link.frame.n > 10 && location.search.includes('game=')")
    before, home = frame(page)["n"], page.url
    show_world(page, "Forge")
    page.go_back()
    until(page, f"link.hello?.world === 'home' && link.frame?.n >= {before}")
    assert page.url == home
    page.go_forward()
    until(page, "link.hello?.world === 'forge' && link.frame")
    assert page.evaluate("window.isFirst")


def test_new_game_begins_in_same_page(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=22"))
    page.evaluate("window.isFirst = true")
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Seed", exact=True).fill("23")
    page.get_by_role("button", name="Begin").click()
    until(page, "location.search.includes('seed=23') && link.frame")
    assert page.evaluate("window.isFirst")
    page.keyboard.press("5")
    page.locator('[role=tabpanel][aria-label="Log"]').wait_for()


def test_last_of_many_clicks_wins(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=24"))
    for name in ("Forge", "Home", "Adventure", "Forge", "Home", "Forge"):
        page.get_by_role("link", name=name, exact=True).click(no_wait_after=True)
    until(page, "link.hello?.world === 'forge' && link.frame && !document.querySelector('.telos-going')")
    page.wait_for_timeout(300)
    assert page.locator('[aria-current="page"]').inner_text() == "Forge"
    assert page.evaluate("link.hello.world") == "forge"


def test_unknown_world_is_reported_in_page(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=25"))
    until(page, "location.search.includes('game=')")
    before = page.url
    page.evaluate("telosGo('/nowhere?seed=1')")
    page.get_by_text("there is no world 'nowhere'").wait_for()
    assert page.url == before
    assert page.evaluate("link.hello.world") == "home"
