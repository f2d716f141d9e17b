"""The server behind the pages: the life cycle of games, restarts, ports and access."""

import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from browser.conftest import Studio, frame, reach, until
from telos.cli.worlds.play import write_redirect
from telos.studio.server.app import DEFAULT_PORT

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


def test_studio_finds_free_port_if_the_usual_one_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # somebody else has it: as good
            taken.bind(("127.0.0.1", DEFAULT_PORT))
            taken.listen()
        other = Studio(tmp_path)
        try:
            assert int(other.site.rsplit(":", 1)[1]) > DEFAULT_PORT
            assert other.fetch("games").status == 200
        finally:
            other.end()


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


@pytest.fixture(scope="module")
def open_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that admits other machines, with a token of its own."""
    started = Studio(tmp_path_factory.mktemp("open"), "--port", "0", "--host", "0.0.0.0", token="open-sesame")
    yield started
    started.end()


def test_visitors_need_token(open_studio: Studio) -> None:
    assert open_studio.address.endswith("/adventure?token=open-sesame")
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"{open_studio.site}/adventure", timeout=10)
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"{open_studio.site}/games", timeout=10)
    assert open_studio.fetch("adventure").status == 200


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


def test_two_studios_on_one_host_keep_their_cookies_apart(browser: Any, studio: Studio, open_studio: Studio) -> None:
    context = browser.new_context()
    sites = {f"http://127.0.0.1:{each.site.rsplit(':', 1)[1]}": each.token for each in (studio, open_studio)}
    try:
        page = context.new_page()
        for site, token in [*sites.items(), *sites.items()]:
            page.goto(f"{site}/games?token={token}")
        for site in sites:
            assert context.request.get(f"{site}/games").status == 200
    finally:
        context.close()


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
    for path in [f"adventure{query}" for query in strange] + ["arena?seed=-1", "nowhere", f"nowhere{strange[-3]}"]:
        assert studio.fetch(path).status == 200, path
