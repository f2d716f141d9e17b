"""The log in a real browser, fed by a real event log of thousands of lines."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from telos.studio.event_log import EventLog, LogFilter, LogQuery

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

from browser.test_painter import HELLO, Table, frame, status

ODD = ['<b onclick="x">bold</b>', "50 % & more?#[a]", "“Größe” → İstanbul", "two\nlines", "x" * 3000, "a\tb \u202e end"]
MOUNT = """async () => {
  const { createApp, h } = await import("vue");
  const { default: Log } = await import("/log.js");
  const place = document.body.appendChild(document.createElement("div"));
  place.id = "log";
  place.style.cssText = "width: 460px; height: 400px; display: flex";
  document.querySelector("#bars").style.display = "none";
  createApp({ render: () => h(Log) }).mount(place);
}"""


def fight(lines: int) -> EventLog:
    """Return the log of a long fight."""
    rng, log = Random(7), EventLog()
    for at in range(lines):
        kind = rng.choice(["mind"] * 6 + ["event", "said", "game", "thrashing", "plan", "plan"])
        log.add(
            at // 3, at / 30, rng.choice(["Ann", "Bob", "Cal"]), kind, f"line {at}", why="seen" if at % 5 == 0 else ""
        )
    for text in ODD:
        log.add(lines // 3, lines / 30, "<i>Zoë</i>", "said", text)
    return log


class Log:
    """The panel, and the requests that it made."""

    def __init__(self, table: Table, log: EventLog) -> None:
        self.table, self.page, self.log = table, table.page, log
        self.asked: list[dict[str, str]] = []
        table.page.route("http://telos.test/log/**", self._answer)
        table.page.evaluate(MOUNT)

    def _answer(self, route: Any) -> None:
        query = dict(parse_qsl(urlsplit(route.request.url).query))
        self.asked.append(query)
        route.fulfill(content_type="application/json", body=json.dumps(self.log.answer(LogQuery.from_mapping(query))))

    def texts(self) -> list[str]:
        found: list[str] = self.page.locator(".telos-log-row span").all_inner_texts()
        return found

    def until_shows(self, text: str) -> None:
        self.table.until(lambda: text in self.texts())


@pytest.fixture
def log(browser: Any) -> Iterator[Log]:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    table = Table(page)
    page.goto("http://telos.test/")
    page.wait_for_function("window.ready")
    table.until(lambda: bool(table.sockets))
    table.say(HELLO, frame(1), status(last=1))
    yield Log(table, fight(12_000))
    page.close()
    assert table.faults == []


def test_log_of_long_fight_has_few_rows_in_page(log: Log) -> None:
    log.until_shows("“Größe” → İstanbul")
    assert log.page.locator(".telos-log-row").count() < 60
    assert not log.page.locator(".telos-log-row b i, .telos-log-row span b").count()  # texts are no markup
    assert ODD[0] in log.texts()
    rows = [each for each in log.log.lines if LogFilter().shows(each)]
    log.page.evaluate("document.querySelector('.telos-log-list').scrollTop = 20 * 5000")
    log.until_shows(rows[5000].text)
    assert log.page.locator(".telos-log-row").count() < 60
    seen = log.texts()
    shown = set(seen)
    assert seen == [each.text for each in rows if each.text in shown]


def test_log_filters_kinds_and_characters_and_clears_them(log: Log) -> None:
    log.until_shows(ODD[0])
    log.page.locator(".telos-log").get_by_role("button", name="Bob", exact=True).click()
    log.page.locator(".telos-log").get_by_role("button", name="→mind", exact=True).click()
    wanted = [each.text for each in log.log.lines if each.who == "Bob" and each.kind not in ("mind", "plan")]
    log.until_shows(wanted[-1])
    log.table.until(lambda: bool(seen := log.texts()) and seen == wanted[-len(seen) :])
    for kind in ("said", "event", "game", "thrashing"):
        log.page.locator(f".telos-log-chip[value={kind}]").click()
    log.table.until(lambda: log.page.locator(".telos-log-empty").count() == 1)
    log.page.locator(".telos-log-empty button").click()
    log.until_shows(ODD[0])
    log.page.evaluate("localStorage.clear(); sessionStorage.clear()")


def test_log_search_takes_any_characters_literally(log: Log) -> None:
    log.until_shows(ODD[0])
    find = log.page.get_by_label("Search the log")
    count = log.page.locator(".telos-log-count")
    for text, hits in (("50 % & more?#[a]", 1), ("größe", 1), (".*", 0), ("line 11", 1), ("</b>", 1)):
        find.fill(text)
        expected = hits if text != "line 11" else sum(
            "line 11" in each.text for each in log.log.lines if LogFilter().shows(each)
        )  # fmt: skip
        log.table.until(lambda expected=expected: count.inner_text() == str(expected))
    find.press("Enter")
    log.table.until(lambda: log.page.locator(".telos-log-row mark").count() == 1)
    assert log.page.locator(".telos-log-row mark").inner_text() == "</b>"


def test_log_asks_nothing_while_hidden_and_keeps_rows(log: Log) -> None:
    log.until_shows(ODD[0])
    log.page.evaluate("document.querySelector('.telos-log-row').dataset.mine = 'yes'")
    asked = len(log.asked)
    log.table.say(frame(2), status(last=2))
    log.table.until(lambda: len(log.asked) > asked)
    log.table.settle()
    assert log.page.locator("[data-mine=yes]").count() == 1  # unchanged rows are not made anew
    log.page.evaluate("document.querySelector('#log').style.display = 'none'")
    log.page.wait_for_timeout(300)
    asked = len(log.asked)
    log.table.say(*(frame(n) for n in range(3, 60)))
    log.page.wait_for_timeout(600)
    assert len(log.asked) == asked
