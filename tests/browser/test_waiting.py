"""A game waits for its player: dialogs, menus, texts, a hidden tab, and another tab with the same game."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser.conftest import Studio, frame, until
from telos.studio.session import Session
from telos.studio.stage import world

Open = Callable[..., Any]
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def stands(page: Any, milliseconds: int = 700) -> bool:
    """Return whether no time passes in the game, and the picture says so."""
    page.locator(".telos-waits").wait_for()
    before = frame(page)["n"]
    page.wait_for_timeout(milliseconds)
    return bool(frame(page)["n"] == before)


def goes_on(page: Any) -> None:
    until(page, f"link.frame.n > {frame(page)['n'] + 3} && !link.status.waits")
    assert page.locator(".telos-waits").is_hidden()


def test_played_game_waits_while_its_player_looks_away(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=4"))
    page.keyboard.press("ArrowRight")
    goes_on(page)
    page.keyboard.press("?")
    page.locator(".ts-help").wait_for()
    assert stands(page, 2000)
    page.keyboard.press("Escape")
    goes_on(page)
    page.get_by_role("button", name="New game").click()
    assert stands(page)
    page.keyboard.press("Escape")
    goes_on(page)
    page.keyboard.press("3")
    page.locator(".ts-editor .cm-content").click()
    page.keyboard.type("# ")
    assert stands(page)
    page.locator(".telos-stage canvas").click(position={"x": 30, "y": 200})
    goes_on(page)
    page.evaluate(HIDE, True)
    page.wait_for_timeout(300)
    last = frame(page)["n"]
    page.evaluate(HIDE, False)
    assert stands(page)
    assert frame(page)["n"] == last
    page.keyboard.press("ArrowLeft")
    goes_on(page)


def test_watched_game_goes_on_under_dialog_and_unseen_in_hidden_tab(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=41"))
    page.keyboard.press("?")
    page.locator(".ts-help").wait_for()
    goes_on(page)
    page.keyboard.press("Escape")
    page.evaluate(HIDE, True)
    page.wait_for_timeout(300)
    page.evaluate("window.heard = 0; link.on('frame', () => window.heard++)")
    before = frame(page)["n"]
    page.wait_for_timeout(1500)
    assert page.evaluate("window.heard") == 0
    page.evaluate(HIDE, False)
    until(page, f"link.frame.n > {before + 3} && link.series.last >= link.frame.n")


def test_game_changes_between_two_tabs(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=6"))
    page.keyboard.press("ArrowRight")
    until(page, "link.frame.n > 5 && location.search.includes('game=')")
    other = opened(page.url)
    page.get_by_text("This game is played in another tab now.").wait_for()
    bar, header = page.locator(".telos-banner").bounding_box(), page.locator(".ts-header").bounding_box()
    assert bar["y"] + bar["height"] <= header["y"]  # it covers nothing
    page.wait_for_timeout(1000)  # the bars are damped
    texts, before = page.locator(".ts-panels").inner_text(), frame(page)["n"]
    other.keyboard.press("ArrowLeft")
    until(other, f"link.frame.n > {before + 60}")
    assert page.locator(".ts-panels").inner_text() == texts
    page.keyboard.press("p")  # keys of the game have no effect here
    other.wait_for_timeout(200)
    assert not other.evaluate("link.status.paused")
    page.get_by_role("button", name="Play here").click()
    until(page, f"link.frame.n > {before + 60}")
    assert page.locator(".telos-banner").is_hidden()
    other.get_by_role("button", name="Play here").click()
    page.locator(".telos-banner").wait_for()
    other.close()
    until(page, "!document.documentElement.classList.contains('telos-elsewhere')")
    assert page.locator(".telos-banner").is_hidden()
    page.locator(".telos-waits").wait_for()
    page.keyboard.press("ArrowRight")
    goes_on(page)


def test_replay_is_marked_and_can_be_taken_over(opened: Open, studio: Studio, tmp_path: Path) -> None:
    session = Session(world("adventure"), 8, {})
    for held in ("right", "up", "") * 20:
        session.hold(held)
        for _ in range(5):
            session.advance()
    file = tmp_path / "game.jsonl"
    file.write_bytes(session.recording()[1])
    page = opened(studio.url("adventure?seed=8"))
    page.get_by_role("button", name="Recordings").click()
    page.locator('input[type="file"]').set_input_files(str(file))
    until(page, "location.search.includes('replay=') && link.status.replay && link.frame?.n > 3")
    assert "plays=you" not in page.url
    assert " / 0:10" in page.locator(".telos-hud-badge").inner_text()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("this is a replay").first.wait_for()
    page.keyboard.press("Enter")
    until(page, "!link.status.replay && location.search.includes('game=')")
    assert frame(page)["n"] < 300
    page.keyboard.press("ArrowLeft")
    goes_on(page)
