"""The studio attached to a game that runs in a process of its own, and to recordings, in a real browser."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

from browser.conftest import Studio, frame, until

Open = Callable[..., Any]
GAME = """
import sys, time
sys.path.insert(0, sys.argv[1])
import telos
from studio.attached.games import reader, shop

crowd, player = shop(), reader()
with telos.studio.attach({"shop": crowd, "you": player}, name="shop", map=["..~~", ".#.~", "...."]) as attached:
    print(attached.address, flush=True)
    for number in range(100_000):
        attached.wait()
        crowd.tick(number / 10)
        if number % 20 == 0:
            hammered = number % 40 == 0
            context = {"hammered": hammered, "slept": not hammered}
            player.observe(telos.Event("work", context, player="you", time=number / 10))
            attached.log(f"wolf {number}", category="danger", why="it is hungry")
            attached.say("Ann", "Fresh bread!")
        if number % 100 == 50:
            crowd["Ann"].body.hungry = crowd["Ann"].body.bread > 0
        attached.draw("ways", [{"kind": "path", "points": [[0, 2], [3, 0]]}])
        attached.set_values(number=number)
        time.sleep(0.05)
"""


@pytest.fixture(scope="module")
def game() -> Iterator[str]:
    """Run a game; yield its address."""
    command = [sys.executable, "-c", GAME, str(Path(__file__).parents[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def attached(game: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("attached")
    started = Studio(folder, "--port", "0", "--attach", game, "--record-to", str(folder / "seen.jsonl"))
    yield started
    started.end()


def show(opened: Open, studio: Studio) -> Any:
    """Open the game, and wait until all that it tells is on the page."""
    page = opened(studio.url("attached"))
    until(page, "link.hello?.readers.length && link.frame?.bands.Ann && window.did_handshake")
    page.wait_for_selector('[role=tab]:has-text("Beliefs")')
    return page


def test_minds_beliefs_and_channels_of_game_are_shown(opened: Open, attached: Studio) -> None:
    page = opened(attached.url("attached"))
    until(page, "link.frame?.bands.Ann")
    page.wait_for_selector('[role=tab]:has-text("Beliefs")', timeout=45_000)
    page.wait_for_function("() => Boolean(document.querySelector('.telos-channels button'))", timeout=45_000)
    page.keyboard.press("2")
    page.locator(".ts-mind .ts-table >> text=stock").first.wait_for()
    page.locator('.ts-mind svg.telos-plan [data-what="bake"]').first.wait_for()
    page.keyboard.press("1")
    page.locator(".ts-beliefs >> text=hammered").or_(page.locator(".ts-beliefs .ts-said")).first.wait_for()
    button = page.locator(".telos-channels button")
    assert button.inner_text() == "ways"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    button.click()


def test_log_of_game_is_filtered_and_searched(opened: Open, attached: Studio) -> None:
    page = show(opened, attached)
    page.keyboard.press("5")
    page.locator(".telos-log-row >> text=wolf").first.wait_for()
    page.locator('.telos-log-chips button:has-text("danger")').first.wait_for()
    page.locator(".telos-log input[type=search]").fill("wolf")
    page.locator(".telos-log input[type=search]").press("Enter")
    page.locator(".telos-log-row mark").first.wait_for()
    page.keyboard.press("Escape")


def test_game_stands_still_at_condition_and_goes_on(opened: Open, attached: Studio) -> None:
    page = show(opened, attached)
    page.keyboard.press("4")
    page.get_by_label("Pause when this condition becomes true").fill(f"time >= {frame(page)['t'] + 15}")
    page.get_by_role("button", name="Set", exact=False).first.click()
    until(page, "link.status.paused && link.frame.hud.message === 'the game stands still'")
    before = frame(page)["t"]
    page.wait_for_timeout(500)
    assert frame(page)["t"] == before
    page.get_by_role("button", name="Play on").click()
    until(page, f"!link.status.paused && link.frame.t > {before + 1}")


def test_past_is_looked_at_while_game_goes_on(opened: Open, attached: Studio) -> None:
    page = show(opened, attached)
    until(page, "link.frame.n > 30")
    page.evaluate("link.send({do: 'scrub', to: 12})")
    until(page, "link.frame.live === false && link.frame.n === 12")
    last = page.evaluate("link.status.last")
    page.keyboard.press("Escape")
    until(page, f"link.frame.live && link.frame.n > {last}")
    assert page.evaluate("link.status.paused") is False


def test_end_of_game_is_shown_and_recordings_are_compared(opened: Open, tmp_path: Path) -> None:
    command = [sys.executable, "-c", GAME, str(Path(__file__).parents[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        seen = tmp_path / "seen.jsonl"
        studio = Studio(tmp_path, "--port", "0", "--attach", address, "--record-to", str(seen))
        page = opened(studio.url("attached"))
        until(page, "link.frame?.bands.Ann && link.frame.n > 20")
        process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        until(page, "/has ended|does not answer/.test(link.frame.hud.message)")
    page.close()
    studio.end()
    header, *_, end = seen.read_text(encoding="utf-8").splitlines()
    assert json.loads(header)["game"] == "shop"
    assert json.loads(end)["traces"] > 5
    again = Studio(tmp_path, "--port", "0", "--compare", str(seen), str(seen))
    page = opened(again.url("comparison"))
    until(page, "link.frame?.bands['A.Ann'] && link.frame.bands['B.Ann'] && link.status.replay?.steps > 5")
    page.close()
    again.end()
