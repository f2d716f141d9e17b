"""The server behind the pages: the life cycle of games, restarts, ports and access."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from browser.conftest import Studio, frame, reach, until
from telos.cli.play import write_redirect

Open = Callable[..., Any]
TOKEN = "the-same-after-a-restart"


@pytest.mark.slow
def test_closed_page_frees_its_game(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=11"))
    assert [game["open"] for game in studio.games() if game["seed"] == 11] == [True]
    page.close()
    for _ in range(600):  # the grace for pages that are merely reloaded, and more on a slow machine
        if not [game for game in studio.games() if game["seed"] == 11]:
            break
        time.sleep(0.1)
    assert not [game for game in studio.games() if game["seed"] == 11]


def test_reloaded_page_continues_its_game(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=12"))
    until(page, "link.frame.n > 20")
    before = frame(page)["n"]
    page.reload()
    reach(page)
    until(page, f"link.frame && link.frame.n >= {before}")
    assert len([game for game in studio.games() if game["seed"] == 12]) == 1


def test_same_address_in_second_page_takes_game_over(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=13"))
    until(page, "link.frame.n > 20 && location.search.includes('game=')")
    other = opened(page.url)
    until(other, "link.frame.n > 20")
    page.get_by_text("This game is played in another tab now.").wait_for()
    assert len([game for game in studio.games() if game["seed"] == 13]) == 1


def test_second_studio_finds_free_port(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first = Studio(tmp_path / "one")
    try:
        second = Studio(tmp_path / "two")
        try:
            assert first.site != second.site
            assert second.fetch("home").status == 200
        finally:
            second.end()
    finally:
        first.end()


@pytest.mark.slow
def test_page_reports_lost_game_after_server_was_killed(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", token=TOKEN)
    port = studio.site.rsplit(":", 1)[1]
    page = browser.new_context().new_page()
    page.goto(studio.url("home?seed=5"))
    reach(page)
    until(page, "link.frame && link.frame.n > 10")
    studio.end(signal.SIGKILL)
    page.get_by_text("The studio is gone").wait_for(timeout=10_000)
    again = Studio(tmp_path, "--port", port, token=TOKEN)
    try:
        page.get_by_text("is lost").first.wait_for(timeout=30_000)
        reach(page)
        until(page, "link.frame && link.frame.n > 3")
        assert "seed=5" in page.url
    finally:
        page.context.close()
        again.end()


def test_recorded_game_continues_after_server_was_killed(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", "--record", token=TOKEN)
    port = studio.site.rsplit(":", 1)[1]
    page = browser.new_context().new_page()
    page.goto(studio.url("home?seed=5"))
    reach(page)
    until(page, "link.frame && link.frame.n > 40")
    page.evaluate("window.isOld = true")
    studio.end(signal.SIGKILL)
    (file,) = (tmp_path / "recordings").glob("home-seed5-*.studio.jsonl")
    written = json.loads(file.read_text().splitlines()[0])["steps"]
    assert written > 0
    page.get_by_text("The studio is gone").wait_for(timeout=10_000)
    again = Studio(tmp_path, "--port", port, "--record", token=TOKEN)
    try:
        page.wait_for_function("() => !window.isOld", timeout=30_000)
        reach(page)
        until(page, f"link.frame && link.frame.n >= {written}")
        assert [game["steps"] >= written for game in again.games()] == [True]
    finally:
        page.context.close()
        again.end()


def test_visitors_need_token(tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", "--host", "0.0.0.0", token="open-sesame")
    try:
        assert studio.address.endswith("/adventure?token=open-sesame")
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{studio.site}/adventure", timeout=10)
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{studio.site}/games", timeout=10)
        assert studio.fetch("adventure").status == 200
    finally:
        studio.end()


def test_first_opening_moves_token_from_address_into_cookie(browser: Any, studio: Studio, tmp_path: Path) -> None:
    redirect = write_redirect(studio.url(f"home?seed=6&token={studio.token}"))
    assert redirect is not None
    context = browser.new_context()
    try:
        for address in (redirect.as_uri(), studio.url("home?seed=6")):  # opened by us, and pasted
            page = context.new_page()
            page.goto(address)
            reach(page)
            until(page, "link.frame && link.frame.n > 3")
            assert "token" not in page.url
            assert "seed=6" in page.url
            assert page.evaluate("document.cookie").count(studio.token) == 0  # HttpOnly
            page.go_back()
            assert "token" not in page.url
            context.clear_cookies()
    finally:
        redirect.unlink()
        context.close()


def test_page_without_token_asks_for_it_and_opens_the_same_address(browser: Any, studio: Studio) -> None:
    context = browser.new_context()
    page = context.new_page()
    refused = page.goto(f"{studio.site}/home?seed=8&people=2")
    assert refused.status == 403
    assert page.locator("canvas").count() == 0
    page.get_by_label("Token").fill("a wrong one")
    page.get_by_role("button", name="Open").click()
    page.get_by_label("Token").fill(studio.token)
    page.get_by_role("button", name="Open").click()
    reach(page)
    until(page, "link.frame && link.frame.n > 3")
    assert "token" not in page.url
    assert "seed=8" in page.url
    assert "people=2" in page.url
    context.close()


def test_two_studios_on_one_host_keep_their_cookies_apart(browser: Any, studio: Studio, tmp_path: Path) -> None:
    other = Studio(tmp_path, "--port", "0")
    context = browser.new_context()
    try:
        for each in (studio, other, studio, other):
            page = context.new_page()
            page.goto(each.url("home"))
        for each in (studio, other):
            assert context.request.get(f"{each.site}/games").status == 200
    finally:
        context.close()
        other.end()


@pytest.mark.slow
def test_page_says_that_studio_has_another_token(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", token=TOKEN)
    port = studio.site.rsplit(":", 1)[1]
    page = browser.new_context().new_page()
    page.goto(studio.url("home?seed=5"))
    reach(page)
    until(page, "link.frame && link.frame.n > 3")
    studio.end(signal.SIGKILL)
    page.get_by_text("The studio is gone").wait_for(timeout=10_000)
    again = Studio(tmp_path, "--port", port, token="another-token")
    try:
        page.get_by_text("restarted with another token").wait_for(timeout=30_000)
    finally:
        page.context.close()
        again.end()


def test_foreign_host_name_is_refused(studio: Studio) -> None:
    with pytest.raises(HTTPError, match="403"):
        studio.fetch("adventure", Host="evil.example")


def test_invalid_addresses_get_page_without_crash(studio: Studio) -> None:
    strange = [
        "?seed=-1",
        "?seed=9999999999999",
        "?at=x",
        "?at=99999999999",
        "?game=../../etc",
        "?rules=%00",
        "?plays=",
    ]
    for world in ("adventure", "arena", "nowhere"):
        for query in strange:
            assert studio.fetch(f"{world}{query}").status == 200
