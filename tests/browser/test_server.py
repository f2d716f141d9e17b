"""The server behind the pages: the life cycle of games, restarts, ports and access."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from browser.conftest import Studio, frame, reach, until

Open = Callable[..., Any]


def test_closed_page_frees_its_game(opened: Open, studio: Studio) -> None:
    page = opened(f"{studio.site}/home?seed=11")
    assert [game["open"] for game in studio.games() if game["seed"] == 11] == [True]
    page.close()
    for _ in range(600):  # the grace for pages that are merely reloaded, and more on a slow machine
        if not [game for game in studio.games() if game["seed"] == 11]:
            break
        time.sleep(0.1)
    assert not [game for game in studio.games() if game["seed"] == 11]


def test_reloaded_page_continues_its_game(opened: Open, studio: Studio) -> None:
    page = opened(f"{studio.site}/home?seed=12")
    until(page, "link.frame.n > 20")
    before = frame(page)["n"]
    page.reload()
    reach(page)
    until(page, f"link.frame && link.frame.n >= {before}")
    assert len([game for game in studio.games() if game["seed"] == 12]) == 1


def test_same_address_in_second_page_takes_game_over(opened: Open, studio: Studio) -> None:
    page = opened(f"{studio.site}/home?seed=13")
    until(page, "link.frame.n > 20 && location.search.includes('game=')")
    other = opened(page.url)
    until(other, "link.frame.n > 20")
    page.get_by_text("This game is played in another page now.").wait_for()
    assert len([game for game in studio.games() if game["seed"] == 13]) == 1


def test_second_studio_finds_free_port(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first = Studio(tmp_path / "one")
    try:
        second = Studio(tmp_path / "two")
        try:
            assert first.site != second.site
            assert urlopen(second.address, timeout=10).status == 200
        finally:
            second.end()
    finally:
        first.end()


def test_page_reports_lost_game_after_server_was_killed(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0")
    port = studio.site.rsplit(":", 1)[1]
    page = browser.new_context().new_page()
    page.goto(f"{studio.site}/home?seed=5")
    reach(page)
    until(page, "link.frame && link.frame.n > 10")
    studio.end(signal.SIGKILL)
    page.get_by_text("The studio is gone").wait_for(timeout=10_000)
    again = Studio(tmp_path, "--port", port)
    try:
        page.get_by_text("is lost").first.wait_for(timeout=30_000)
        reach(page)
        until(page, "link.frame && link.frame.n > 3")
        assert "seed=5" in page.url
    finally:
        page.context.close()
        again.end()


def test_recorded_game_continues_after_server_was_killed(browser: Any, tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", "--record")
    port = studio.site.rsplit(":", 1)[1]
    page = browser.new_context().new_page()
    page.goto(f"{studio.site}/home?seed=5")
    reach(page)
    until(page, "link.frame && link.frame.n > 40")
    page.evaluate("window.isOld = true")
    studio.end(signal.SIGKILL)
    (file,) = (tmp_path / "recordings").glob("home-seed5-*.studio.jsonl")
    written = json.loads(file.read_text().splitlines()[0])["steps"]
    assert written > 0
    page.get_by_text("The studio is gone").wait_for(timeout=10_000)
    again = Studio(tmp_path, "--port", port, "--record")
    try:
        page.wait_for_function("() => !window.isOld", timeout=30_000)
        reach(page)
        until(page, f"link.frame && link.frame.n >= {written}")
        assert [game["steps"] >= written for game in again.games()] == [True]
    finally:
        page.context.close()
        again.end()


def test_remote_visitors_need_token(tmp_path: Path) -> None:
    studio = Studio(tmp_path, "--port", "0", "--host", "0.0.0.0", "--token", "open-sesame")
    try:
        assert studio.address.endswith("/adventure?token=open-sesame")
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{studio.site}/adventure", timeout=10)
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{studio.site}/games", timeout=10)
        assert urlopen(studio.address, timeout=10).status == 200
    finally:
        studio.end()


def test_foreign_host_name_is_refused(studio: Studio) -> None:
    with pytest.raises(HTTPError, match="403"):
        urlopen(Request(studio.address, headers={"Host": "evil.example"}), timeout=10)


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
            assert urlopen(f"{studio.site}/{world}{query}", timeout=20).status == 200
