"""The browser game of the examples: it is played with keys, and the service reads what the player is after."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import urlopen

import pytest

import telos
from service.processes import RunningService, running

ROOT = Path(__file__).parents[2]
GAME = ROOT / "examples" / "browser-game"
CHROMIUM = Path("/usr/bin/chromium")
SECONDS = 60_000  # milliseconds that a page may take on a busy machine


class Silent(SimpleHTTPRequestHandler):
    """A server of the files of the repository, as the README starts one."""

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=ROOT))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(site: str) -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not there: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu", "--mute-audio"]
        )
        found = browser.new_page(viewport={"width": 1280, "height": 720})
        complaints: list[str] = []
        found.on("pageerror", lambda error: complaints.append(str(error)))
        yield found
        browser.close()
    assert complaints == []


def show(page: Any, goal: str) -> int:
    """Return the per cent that the page shows for a goal."""
    shown: str = page.inner_text(f"#goal-{goal} output")
    return int(shown.removesuffix(" %"))


def hold(page: Any, key: str, condition: str) -> None:
    page.keyboard.down(key)
    page.wait_for_function(condition, timeout=SECONDS)
    page.keyboard.up(key)


def likely(goal: str) -> str:
    return f"parseInt(document.querySelector('#goal-{goal} output').textContent) > 70"


def start(site: str, service: RunningService, page: Any) -> None:
    page.goto(f"{site}/examples/browser-game/?service={service.address}&player=tester")
    page.wait_for_selector("#state.online", timeout=SECONDS)


def test_the_game_is_read_while_it_is_played(site: str, page: Any, tmp_path: Path) -> None:
    options = ("--model", GAME / "meadow.yaml", "--origin", site)
    with running(*options, errors=tmp_path / "errors") as service:
        start(site, service, page)
        assert [show(page, goal) for goal in ("gather", "fish", "chase")] == [33, 33, 33]
        hold(page, "ArrowRight", likely("fish"))
        hold(page, "ArrowRight", "meadow.fox.x > 610")
        page.keyboard.press("Space")
        page.wait_for_function("meadow.basket.fish === 1", timeout=SECONDS)
        hold(page, "ArrowLeft", "meadow.fox.x < 115")  # to the bush at the other end of the meadow
        for picked in (1, 2):
            page.keyboard.press("Space")
            page.wait_for_function(f"meadow.basket.gather === {picked}", timeout=SECONDS)
        page.wait_for_function(likely("gather"), timeout=SECONDS)
        assert show(page, "fish") < 30
        page.wait_for_function("meadow.owl.at === 'gather'", timeout=SECONDS)  # the owl knows, too
        page.wait_for_function("document.getElementById('why').textContent.startsWith('gather over')", timeout=SECONDS)
        with urlopen(f"{service.address}/v1/players/tester", timeout=20) as answer:
            known = json.load(answer)
        assert (known["model"], known["top"]) == ("meadow", "gather")


def test_the_game_plays_on_without_the_service_and_is_read_later(site: str, page: Any, tmp_path: Path) -> None:
    options = ("--model", GAME / "meadow.yaml", "--origin", site, "--data", tmp_path / "data")
    with running(*options, errors=tmp_path / "errors") as service:
        start(site, service, page)
        page.wait_for_function("parseInt(document.getElementById('counts').textContent) > 2", timeout=SECONDS)
        before = events_of(service.address)
        service.kill()
        page.wait_for_selector("#state:not(.online)", timeout=SECONDS)
        hold(page, "ArrowLeft", "meadow.fox.x < 100")  # two seconds: four events and more, which wait
    with running(*options, "--port", service.address.rpartition(":")[2], errors=tmp_path / "errors") as again:
        page.wait_for_selector("#state.online", timeout=SECONDS)
        page.wait_for_function("/ 0 on their way/.test(document.getElementById('counts').textContent)", timeout=SECONDS)
        assert events_of(again.address) >= before + 4


def events_of(address: str) -> int:
    with urlopen(f"{address}/v1/players/tester", timeout=20) as answer:
        count: int = json.load(answer)["seq"]
    return count


def test_the_recogniser_of_the_game_tells_its_goals_apart() -> None:
    ways = {"gather": ("berries", "pick"), "fish": ("pond", "cast"), "chase": ("fireflies", "catch")}
    for goal, (place, action) in ways.items():
        reader = telos.recognizer(GAME / "meadow.yaml")
        for second in range(6):
            reader.observe(telos.Event("walk", {"toward": place, "cause": "tick"}, time=float(second)))
        belief = reader.observe(telos.Event(action, {"near": place, "cause": "input"}, time=6.0))
        assert belief.top == goal
        assert belief[goal] > 0.9
        done = reader.observe(telos.Event("stand", {"near": place, "cause": "input"}, time=6.5, goal=goal))
        assert done[goal] < 0.5
