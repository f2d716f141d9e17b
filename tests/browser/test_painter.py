"""The canvas, the bars and the timeline in a real browser, with a simulated game at the other end of the link."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from telos.studio.worlds.shapes import GOALS, ROLES, circle, goal_place, line, path, place, rect, text

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

import nicegui

import telos.studio.page
from telos.studio.page.theme import theme_css

ASSETS = Path(telos.studio.page.__file__).with_name("assets")
VUE = Path(nicegui.__file__).parent / "static" / "vue.esm-browser.prod.js"
PAGE = """<!doctype html><html><head><style>%s
  body { margin: 0; } #stage { width: 640px; height: 480px; } #bars { width: 420px; }
  #line { width: 900px; height: 150px; }
  </style><script type="importmap">{"imports": {"vue": "/vue.js", "telos-studio/": "/"}}</script></head>
  <body class="body--dark"><div id="stage"></div><input id="typing"><div id="line"></div><div id="bars"></div>
  <script type="module">
    import { createApp, h } from "vue";
    import Stage from "/stage.js"; import Timeline from "/timeline.js"; import Bars from "/bars.js";
    window.heard = [];
    const mount = (part, place, more) => createApp({ render: () => h(part, more) }).mount(place);
    mount(Stage, "#stage", { linkUrl: "/link/x", onPick: (who) => window.heard.push(who),
      onAgain: () => window.heard.push("again") });
    mount(Timeline, "#line", { onEvent: (number) => window.heard.push(number) });
    mount(Bars, "#bars", {});
    window.ready = true;
  </script></body></html>"""
SYMBOLS = {"box": [("tint", "M-20-20H20V20H-20Z", "", 0)]}
HELLO: dict[str, Any] = {
    "is": "hello", "world": "made-up", "title": "Made up", "size": [640, 480], "rate": 30, "symbols": SYMBOLS,
    "keys": [["ArrowUp", "up", "walk"], ["KeyW", "up", "walk"], ["Space", "swing", "swing"]],
    "readers": [["ffbm", "FFBM"], ["fsm", "FSM"]], "goals": ["level", "town"], "roles": ROLES, "goal_colours": GOALS,
    "first": 0, "last": 0, "goal_places": {"level": 0, "town": 2},
    "headline": {"reader": "ffbm", "title": "The game thinks you want to…",
                 "wants": {"level": "fight", "town": "go home"},
                 "margin": 0.2, "doubt": 0.9, "first": "Play. The bars are a guess."},
    "about": {"readers": {"ffbm": "The designer's model."}, "goals": {"level": "Level: fight."}},
}  # fmt: skip
BACKDROP = {"is": "backdrop", "key": "a", "pic": [rect(0, 0, 640, 480, "grass"), circle(100, 400, 30, "water")]}


def frame(n: int, *shapes: Any, **more: Any) -> dict[str, Any]:
    return {
        "is": "frame", "n": n, "t": n / 30, "key": "a", "pic": list(shapes), "hud": {"task": "Find the chest"},
        "beliefs": {"ffbm": {"level": 0.25, "town": 0.75}, "fsm": {"level": 1.0, "town": 0.0}}, "truth": "level",
        "bands": {"Sam": "cover"}, "curves": {}, "happened": [], "live": True, **more,
    }  # fmt: skip


def status(**more: Any) -> dict[str, Any]:
    return {"is": "status", "paused": False, "speed": 1, "shown": None, "first": 0, "last": 0, "slow": "", **more}


class Table:
    """A page on one side, the messages of a made-up server on the other."""

    def __init__(self, page: Any) -> None:
        self.page, self.sockets, self.heard = page, [], []
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.route("http://telos.test/**", self._serve)
        page.route_web_socket("ws://telos.test/link/x", self._link)

    def _serve(self, route: Any) -> None:
        name = route.request.url.removeprefix("http://telos.test/")
        file = VUE if name == "vue.js" else ASSETS / name
        if not name:
            route.fulfill(content_type="text/html", body=PAGE % theme_css())
        elif file.is_file():
            route.fulfill(content_type="text/javascript", body=file.read_text())
        else:
            route.fulfill(status=404, body="")

    def _link(self, socket: Any) -> None:
        self.sockets.append(socket)
        socket.on_message(lambda message: self.heard.append(json.loads(message)))

    def say(self, *messages: Any) -> None:
        for message in messages:
            self.sockets[-1].send(message if isinstance(message, str) else json.dumps(message))
        self.settle()

    def settle(self) -> None:
        """Let the messages arrive, and the page draw twice."""
        self.page.wait_for_timeout(50)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(1500):  # 45 seconds, as long as any page has: machines may be busy
            if holds():
                return
            self.page.wait_for_timeout(30)
        raise AssertionError("it never came true")

    def colour(self, x: float, y: float) -> str:
        """The colour of the stage at a place, as #rrggbb."""
        return str(self.page.evaluate(_COLOUR, [x, y]))

    def value(self) -> str:
        return self.page.get_by_label("Timeline").get_attribute("aria-valuetext") or ""


_COLOUR = """([x, y]) => {
  const canvas = document.querySelector("#stage canvas");
  const [ratio] = [canvas.width / canvas.clientWidth];
  const data = canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data;
  return "#" + [...data.slice(0, 3)].map((each) => each.toString(16).padStart(2, "0")).join("");
}"""


@pytest.fixture
def table(browser: Any) -> Iterator[Table]:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    laid = Table(page)
    page.goto("http://telos.test/")
    page.wait_for_function("window.ready")
    laid.until(lambda: bool(laid.sockets))
    laid.say(HELLO, BACKDROP)
    yield laid
    page.close()
    assert laid.faults == []


def test_shapes_have_colours_of_their_roles(table: Table) -> None:
    shapes = [
        rect(200, 200, 40, 40, "fire"), circle(300, 220, 20, "gold"), line(350, 220, 400, 220, "danger", width=20),
        path("M420 200H460V240H420Z", fill="gem"), place("you", "box", 500, 220, tint="player"),
    ]  # fmt: skip
    table.say(frame(1, *shapes))
    roles = {220: "fire", 300: "gold", 375: "danger", 440: "gem", 500: "player", 600: "grass"}
    assert {x: table.colour(x, 220) for x in roles} == {x: ROLES[role][0] for x, role in roles.items()}
    assert table.colour(100, 400) == ROLES["water"][0]  # what stands still behind them


def test_picture_follows_theme_of_page(table: Table) -> None:
    table.say(frame(1, place("you", "box", 320, 240, tint="foe")))
    table.page.evaluate("document.body.className = 'body--light'")
    table.settle()
    assert (table.colour(320, 240), table.colour(500, 240)) == (ROLES["foe"][1], ROLES["grass"][1])


def test_slow_game_is_interpolated_and_fast_one_is_not(table: Table) -> None:
    script = """async (rate) => {
      const { Painter } = await import("/painter.js");
      const painter = new Painter(document.createElement("canvas"));
      painter.begin({ size: [640, 480], symbols: {}, rate });
      painter.resize(640, 480);
      const at = (n, x) => ({ n, key: "a", live: true, pic: [["s", "you", "box", x, 0, 0, 1, {}]] });
      painter.setFrame(at(1, 100), 0);
      painter.setFrame(at(2, 120), 1000);
      return [1000, 1050, 1100, 1200].map((now) => painter.motion.at(painter.things[0], now).x);
    }"""
    assert table.page.evaluate(script, 10) == [100, 110, 120, 120]
    assert table.page.evaluate(script, 30) == [120, 120, 120, 120]


def test_jump_or_new_room_is_not_interpolated(table: Table) -> None:
    script = """async ([key, x]) => {
      const { Painter } = await import("/painter.js");
      const painter = new Painter(document.createElement("canvas"));
      painter.begin({ size: [640, 480], symbols: {}, rate: 2 });
      painter.resize(640, 480);
      painter.setFrame({ n: 1, key: "a", live: true, pic: [["s", "you", "box", 0, 0, 0, 1, {}]] }, 0);
      painter.setFrame({ n: 2, key, live: true, pic: [["s", "you", "box", x, 0, 0, 1, {}]] }, 1000);
      return painter.motion.at(painter.things[0], 1000).x;
    }"""
    assert table.page.evaluate(script, ["a", 30]) == 0
    assert table.page.evaluate(script, ["b", 30]) == 30
    assert table.page.evaluate(script, ["a", 600]) == 600


def test_click_picks_nearest_character(table: Table) -> None:
    sam, ann = place("sam", "box", 200, 240, pick="Sam"), place("ann", "box", 230, 240, pick="Ann")
    table.say(frame(1, sam, ann, place("tree", "box", 400, 240)))
    for x in (195, 235, 400, 600):
        table.page.mouse.click(x, 240)
    assert table.page.evaluate("window.heard") == ["Sam", "Ann"]


def test_held_keys_are_sent_together_and_blur_releases_all(table: Table) -> None:
    keyboard = table.page.keyboard
    keyboard.down("ArrowUp")
    keyboard.down("Space")
    table.until(lambda: len(table.heard) == 2)
    table.page.evaluate("window.dispatchEvent(new Event('blur'))")
    table.until(lambda: len(table.heard) == 3)
    assert [each["keys"] for each in table.heard] == ["up", "up+swing", ""]


def test_short_tap_is_held_long_enough(table: Table) -> None:
    table.page.keyboard.press("w")
    table.until(lambda: len(table.heard) == 2)
    assert [each["keys"] for each in table.heard] == ["up", ""]


def test_pad_of_many_deeds_names_them_by_words_not_by_keys(table: Table) -> None:
    deeds = {"F": "shoot", "R": "reload", "G": "throw", "C": "crouch", "E": "use"}
    table.say({**HELLO, "keys": [[f"Key{key}", deed, f"{deed} at once, if possible"] for key, deed in deeds.items()]})
    table.page.evaluate("document.querySelector('.telos-stage').classList.add('telos-touched')")
    buttons = table.page.locator(".telos-pad-acts button")
    assert buttons.all_inner_texts() == list(deeds.values())
    fits = "(all) => all.every((each) => each.scrollWidth <= each.clientWidth)"
    assert buttons.evaluate_all(fits)


def test_typing_does_not_move_player(table: Table) -> None:
    table.page.click("#typing")
    table.page.keyboard.type("w w")
    table.settle()
    assert table.heard == []


def test_clicked_button_returns_keys_and_tabbed_button_keeps_them(table: Table) -> None:
    table.page.evaluate("""() => {
      window.pressed = 0;
      const button = Object.assign(document.createElement("button"), { id: "pause", textContent: "pause" });
      button.addEventListener("click", () => window.pressed++);
      document.getElementById("typing").after(button);
    }""")
    table.page.click("#pause")
    table.page.keyboard.press("Space")
    table.until(lambda: len(table.heard) == 2)
    assert table.page.evaluate("window.pressed") == 1
    table.page.focus("#typing")
    table.page.keyboard.press("Tab")
    table.page.keyboard.press("Space")
    table.settle()
    assert (table.page.evaluate("window.pressed"), len(table.heard)) == (2, 2)


def test_touch_pad_holds_keys_like_keyboard(table: Table) -> None:
    table.page.evaluate("document.querySelector('.telos-stage').classList.add('telos-touched')")
    table.page.get_by_label("walk").hover()
    table.page.mouse.down()
    table.until(lambda: len(table.heard) == 1)
    table.page.mouse.up()
    table.until(lambda: len(table.heard) == 2)
    assert [each["keys"] for each in table.heard] == ["up", ""]


def test_names_at_edges_are_drawn_inside_picture(table: Table) -> None:
    rng = Random(2)
    for x in (0, 12, 320, 630, 640, *(rng.uniform(0, 640) for _ in range(40))):
        left, width, first, last = table.page.evaluate(_NAME, x)
        assert 0 <= left <= left + width <= 640
        assert (first, last) == pytest.approx((left, left + width), abs=4), "drawn where it says, with its rim"
        if width / 2 + 2 < x < 638 - width / 2:
            assert left + width / 2 == pytest.approx(x), "below its bearer, where there is room"


_NAME = """async (x) => {
  const { drawLabel } = await import("telos-studio/marks.js");
  const context = Object.assign(document.createElement("canvas"), { width: 660, height: 40 }).getContext("2d");
  const area = { x: 0, y: 0, width: 640, height: 40 };
  const box = drawLabel(context, { of: () => "#000" }, "caught you here", { x, y: 10 }, [], area);
  const { data } = context.getImageData(0, 0, 660, 40);
  const drawn = Array.from({ length: 660 * 40 }, (_, at) => at).filter((at) => data[4 * at + 3] > 60);
  const columns = drawn.map((at) => at % 660);
  return [box.x, box.width, Math.min(...columns), Math.max(...columns)];
}"""


def test_words_of_picture_are_legible_on_small_screen(table: Table) -> None:
    def extent(side: int) -> float:
        """Return how wide a word of 10 units is on a stage that is so wide, in pixels."""
        style = f"width: {side}px; height: {side * 3 // 4}px"
        table.page.evaluate("(style) => document.querySelector('#stage').setAttribute('style', style)", style)
        table.say(frame(side, rect(0, 0, 640, 480, "page"), text(320, 300, "MMMMMMMM", "ink", size=10)))
        columns = [x for x in range(side) if any(table.colour(x, y) != table.colour(1, y) for y in rows(side))]
        return columns[-1] - columns[0]

    def rows(side: int) -> tuple[int, ...]:
        return (round(300 / 640 * side), round(300 / 640 * side) + 1)

    assert extent(640) == pytest.approx(10 * extent(160) / 7, rel=0.15), "7 pixels, not a quarter of 10"


def test_hud_text_is_never_markup(table: Table) -> None:
    hud = {"task": "<img src=x onerror=alert(1)>", "counts": [["<b>score", "12"]], "message": "<script>", "over": ""}
    table.say(frame(1, hud=hud), {"is": "told", "text": "<u>no</u>", "bad": True})
    assert table.page.inner_text(".telos-hud-task") == "<img src=x onerror=alert(1)>"
    assert table.page.inner_text(".telos-toast span") == "<u>no</u>"
    assert table.page.locator(".telos-stage img, .telos-toast u").count() == 0


def test_hud_makes_way_for_bodies_beneath_it(table: Table) -> None:
    def is_aside(line: str) -> bool:
        return bool(table.page.evaluate(f"document.querySelector('.telos-{line}').classList.contains('telos-aside')"))

    hud = {"task": "Find the chest", "counts": [["score", "12"]]}
    numbers = itertools.count(1)

    def played(*places: Any, line: str) -> bool:
        table.say(frame(next(numbers), *places, hud=hud))  # more than one: the page looks only now and then
        return is_aside(line)

    table.until(lambda: played(place("hero", "box", 60, 30, tint="player"), line="hud-task"))
    assert not is_aside("hud-counts")
    others = place("imp", "box", 600, 30, pick="imp"), place("tree", "box", 60, 30)
    table.until(lambda: played(*others, line="hud-counts"))
    assert not is_aside("hud-task")  # a tree may stand there


def test_corner_bars_appear_only_for_few_goals(table: Table) -> None:
    few, many = ({"ffbm": {f"goal{at}": 1 / count for at in range(count)}} for count in (4, 5))
    table.say(frame(1, beliefs=few))
    assert table.page.locator(".telos-corner .telos-meter").count() == 4
    assert table.page.locator(".telos-corner").is_visible()
    table.say(frame(2, beliefs=many))
    assert not table.page.locator(".telos-corner").is_visible()


def test_corner_follows_belief_within_a_moment_and_names_it(table: Table) -> None:
    table.say(frame(1, beliefs={"ffbm": {"level": 0.0, "town": 1.0}}))
    assert table.page.inner_text(".telos-corner-headline") == "go home"
    table.page.evaluate("""() => {
      window.seen = [];
      const look = () => seen.push(parseInt(document.querySelector(".telos-corner .telos-meter-said").innerText));
      window.looking = setInterval(look, 16);
    }""")
    table.say(frame(2, beliefs={"ffbm": {"level": 1.0, "town": 0.0}}))
    table.until(lambda: table.page.inner_text(".telos-corner-headline") == "fight")
    table.until(lambda: "100 %" in table.page.locator(".telos-corner .telos-meter-said").all_inner_texts())
    shares = table.page.evaluate("clearInterval(looking), seen")
    assert shares == sorted(shares)
    assert any(10 < share < 90 for share in shares), "a change is seen to happen"


def test_corner_is_unsure_by_margin_and_by_entropy(table: Table) -> None:
    for n, belief in enumerate([{"level": 0.56, "town": 0.44}, {"level": 0.5, "town": 0.25, "key": 0.25}], 1):
        table.say(frame(n, beliefs={"ffbm": belief}, live=False))
        assert table.page.inner_text(".telos-corner-headline") == "unsure"
    table.say(frame(3, beliefs={"ffbm": {"level": 0.7, "town": 0.3}}, live=False))
    assert table.page.inner_text(".telos-corner-headline") == "fight"


def test_first_run_line_is_dismissed_for_good(table: Table) -> None:
    table.say(frame(1))
    line = table.page.locator(".telos-corner-first")
    assert "guess" in line.inner_text()
    line.get_by_role("button").click()
    assert not line.is_visible()
    table.say(HELLO, frame(1))
    assert not line.is_visible()
    table.page.evaluate("localStorage.clear()")


def test_names_are_explained_on_hover_and_focus(table: Table) -> None:
    table.say(frame(1))
    words = table.page.locator(".telos-words")
    table.page.locator("#bars h3").first.hover()
    table.until(lambda: words.count() == 1 and words.inner_text() == "The designer's model.")
    table.page.mouse.move(0, 0)
    table.until(lambda: not words.is_visible())
    table.page.locator("#bars h3").first.focus()
    table.page.keyboard.press("Shift+Tab")
    table.page.keyboard.press("Tab")
    table.until(words.is_visible)


def test_goal_has_its_colour_by_name_and_not_by_order(table: Table) -> None:
    table.say(frame(1))
    fills = "[...document.querySelectorAll('#bars .telos-card:first-child i')].map((fill) => fill.style.background)"
    assert table.page.evaluate(fills) == ["var(--telos-goal0)", "var(--telos-goal2)"]
    table.say({**HELLO, "goals": ["town", "level"]}, frame(1))
    assert table.page.evaluate(fills) == ["var(--telos-goal2)", "var(--telos-goal0)"]
    named = "import('telos-studio/colours.js').then((module) => ['eat', 'schlafen gehen', 'x€'].map(module.goalPlace))"
    assert table.page.evaluate(named) == [goal_place(goal) for goal in ("eat", "schlafen gehen", "x€")]


def test_finished_game_says_so_and_offers_another(table: Table) -> None:
    again = table.page.get_by_role("button", name="Play again")
    table.say(frame(1))
    assert not again.is_visible()
    table.say(frame(2, hud={"over": "red wins"}))
    assert table.page.inner_text(".telos-hud-over-words") == "red wins"
    again.click()
    assert table.page.evaluate("window.heard") == ["again"]
    table.say(frame(1, live=False))
    assert not again.is_visible()


def test_linked_moment_is_in_view_on_timeline(table: Table) -> None:
    steps = list(range(1, 6001, 10))
    happened = [[7, 6000, 200.0, "goal", "you", "finds the chest"]]
    history = {"is": "history", "n": steps, "t": [n / 30 for n in steps], "beliefs": {}, "truth": [], "bands": {},
               "curves": {}, "happened": happened}  # fmt: skip
    table.say(status(last=6000, shown=6000, paused=True), history, frame(6000, live=False))
    table.settle()
    box = table.page.locator("#line canvas").bounding_box()
    right = box["x"] + box["width"] - 60  # the end of the axis, 60 seconds wide
    for x in range(int(right), int(right - box["width"] / 2) - 30, -4):
        table.page.mouse.click(x, box["y"] + 128)
    assert 7 in table.page.evaluate("window.heard")


def test_bars_show_each_reader_with_top_goal_and_truth(table: Table) -> None:
    table.say(frame(1))
    cards = table.page.locator("#bars .telos-card")
    assert [cards.nth(at).locator("h3").inner_text() for at in range(2)] == ["FFBM", "FSM"]
    assert cards.nth(0).locator(".telos-top .telos-meter-name").inner_text() == "town"
    assert cards.nth(0).locator(".telos-true .telos-meter-name").inner_text() == "level"
    assert cards.nth(0).locator(".telos-meter-said").all_inner_texts() == ["25 %", "75 %"]
    assert "want" in table.page.inner_text(".telos-corner-title")


def test_timeline_follows_live_end(table: Table) -> None:
    table.say(*(frame(n) for n in range(1, 61)), status(last=60))
    table.until(lambda: table.value() == "0:02, frame 60 of 60, live")


def test_drag_requests_frame_under_pointer_and_escape_live_end(table: Table) -> None:
    table.say(*(frame(n) for n in range(1, 901)), status(last=900))
    box = table.page.locator("#line canvas").bounding_box()
    left, width = box["x"] + 104, box["width"] - 104 - 60  # between the names of rows and the buttons
    mouse = table.page.mouse
    mouse.move(left + width / 4, box["y"] + 60)
    mouse.down()
    mouse.move(left + width / 6, box["y"] + 60, steps=4)
    table.until(lambda: bool(table.heard) and abs(table.heard[-1]["to"] - 300) <= 2)
    mouse.up()
    table.say(status(last=900, shown=300, paused=True), frame(300, live=False))
    assert table.page.inner_text(".telos-hud-badge") == "looking back: 0:10"
    table.page.keyboard.press("Escape")
    table.until(lambda: table.heard[-1] == {"do": "scrub", "to": None})
    table.say(status(last=900, shown=None), frame(901))
    table.until(lambda: table.page.evaluate("document.activeElement === document.body") is True)
    table.page.keyboard.press("ArrowUp")  # who is back in the game walks again
    table.until(lambda: {"do": "held", "keys": "up"} in table.heard)


def test_past_frame_is_shown_but_not_added_to_curves(table: Table) -> None:
    sure = {"ffbm": {"level": 1.0, "town": 0.0}}
    table.say(frame(50), frame(51, beliefs=sure), status(last=51, shown=50), frame(50, live=False))
    points = "async () => (await import('/link.js')).link.series.n"
    assert table.page.evaluate(points) == [50, 51]
    assert table.page.locator("#bars .telos-card").nth(0).locator(".telos-meter-said").first.inner_text() == "25 %"


def test_curves_keep_beliefs_of_every_frame(table: Table) -> None:
    rng = Random(4)
    believed, frames = 0.5, []
    for n in range(1, 301):
        believed = rng.choice((0.1, 0.6, 0.9)) if rng.random() < 0.1 else believed
        truth = "level" if believed > 0.5 else None
        frames.append(frame(n, beliefs={"ffbm": {"level": believed}}, truth=truth, bands={"Sam": str(believed)}))
    script = """async (frames) => {
      const { Series } = await import("/series.js");
      const series = new Series();
      frames.forEach((frame) => series.add(frame));
      const said = (row, n) => Series.said(row, n);
      const sam = series.bands.get("Sam");
      const now = ({ n }) => [series.valuesAt("ffbm", n)[0][1], said(series.truth, n), said(sam, n)];
      return [frames.map(now), series.n.length];
    }"""
    told, points = table.page.evaluate(script, frames)
    assert told == [[each["beliefs"]["ffbm"]["level"], each["truth"], each["bands"]["Sam"]] for each in frames]
    assert points < 60  # only where something changed


def test_long_game_stays_within_bounds(table: Table) -> None:
    script = """async () => {
      const { Series } = await import("/series.js");
      const series = new Series();
      for (let n = 1; n <= 20000; n++) {
        const happened = [[n, n, n / 30, "event", "You", "walks"]];
        series.add({ n, t: n / 30, curves: { Ada: { hunger: (n % 100) / 100 } }, happened });
      }
      const [, hunger] = series.valuesAt("Ada", 20000)[0];
      return [series.n.length, series.happened.length, series.last, hunger, series.timeOf(15000), series.frameOf(500)];
    }"""
    points, happened, last, hunger, time, at = table.page.evaluate(script)
    assert points <= 6000
    assert happened <= 6000
    assert (last, hunger) == (20000, 0.0)
    assert (round(time, 6), round(at, 6)) == (500, 15000)


def test_click_on_mark_requests_its_happening(table: Table) -> None:
    ticks = [[4, 450, 15.0, "goal", "You", "finds the chest"], [5, 900, 30.0, "event", "You", "swings"]]
    table.say(frame(1), frame(900, happened=ticks), status(last=900))
    table.until(lambda: "of 900" in table.value())
    box = table.page.locator("#line canvas").bounding_box()
    x, y = box["x"] + 104 + (box["width"] - 164) / 4, box["y"] + 127
    table.page.mouse.move(x, y)
    assert "finds the chest" in table.page.inner_text(".telos-tip")
    table.page.mouse.click(x, y)
    assert table.page.evaluate("window.heard") == [4]
    assert table.heard == []  # asking is not going back


NONSENSE: list[Any] = [
    "", "null", "[]", "7", "{", '{"is":"toString"}', {"is": "frame"}, {"is": "frame", "n": "x", "pic": 3},
    {"is": "frame", "n": 3, "pic": [None, 7, "r", ["z"], ["c", 1, 2, "big", "fire"]]},
    {"is": "frame", "n": 3, "pic": [["s"], ["s", 1, 2, 3, 4, 5, 6, 7], ["p", 3], ["t"], ["t", 1, 1, None, {}, {}]]},
    {"is": "frame", "n": 4, "pic": [], "hud": 3, "beliefs": [1], "bands": 5, "curves": "x", "happened": [[], 3, ["a"]]},
    {"is": "frame", "n": 5, "pic": [], "beliefs": {"ffbm": {"level": "much"}}, "truth": {"a": 1}},
    {"is": "backdrop", "key": 5, "pic": {}}, {"is": "history", "n": 3, "t": {}, "beliefs": 2, "happened": "x"},
    {"is": "history", "n": [1, 2], "t": [0], "beliefs": {"ffbm": {"level": 3}}, "truth": [3], "bands": {"Sam": 3}},
    {"is": "status", "paused": "perhaps", "shown": "x", "first": None, "last": "z"}, {"is": "told"},
]  # fmt: skip


def test_invalid_message_does_not_stop_page(table: Table) -> None:
    table.say(*NONSENSE)
    table.say({"is": "history", "n": [], "t": []}, status(last=9), frame(9, place("you", "box", 320, 240, tint="gold")))
    assert table.colour(320, 240) == ROLES["gold"][0]
    table.until(lambda: table.value() == "0:00, frame 9 of 9, live")


def test_invalid_hello_does_not_stop_page(table: Table) -> None:
    table.say({"is": "hello"}, {**HELLO, "size": "big", "symbols": {"box": 3}, "keys": 4, "readers": [5], "goals": "x"})
    table.say(frame(1, text(10, 10, "hm")), HELLO, BACKDROP, frame(2, place("you", "box", 320, 240, tint="gem")))
    assert table.colour(320, 240) == ROLES["gem"][0]


def test_lost_link_is_reported_and_reopened(table: Table) -> None:
    table.say(frame(30))
    table.sockets[-1].close(code=1011)
    table.until(lambda: table.page.locator(".telos-banner").is_visible())
    assert "gone" in table.page.inner_text(".telos-banner")
    table.until(lambda: len(table.sockets) == 2)
    table.say({**HELLO, "last": 30}, BACKDROP, frame(31))
    assert not table.page.locator(".telos-banner").is_visible()
    assert "goes on" in table.page.inner_text(".telos-toasts")


def test_only_new_frames_are_drawn(table: Table) -> None:
    count = """async () => {
      const { Painter } = await import("/painter.js");
      window.painted = 0;
      const paint = Painter.prototype.paint;
      Painter.prototype.paint = function (now) { window.painted++; return paint.call(this, now); };
    }"""
    table.page.evaluate(count)
    table.settle()
    assert table.page.evaluate("window.painted") == 0  # nothing new: nothing is drawn
    table.say(frame(1), frame(2), frame(3))
    assert 1 <= table.page.evaluate("window.painted") <= 3


# --- the timeline ---------------------------------------------------------------------------------------------------

LEFT, RIGHT = 104, 60  # of the timeline's canvas: the names of rows, the buttons
GATHER = """async ([happened, views]) => {
  const { gather } = await import("/ticks.js");
  const { Series } = await import("/series.js");
  const { View } = await import("/view.js");
  const series = new Series();
  const last = happened[happened.length - 1][1];
  series.load({ n: [0, last], t: [0, last / 30], happened });
  return views.map(([to, span]) => {
    const view = new View();
    Object.assign(view, { to, span });
    view.fit(0, 736);
    return gather(series, view).map((mark) => ({ ...mark, all: mark.all.map((each) => each[0]) }));
  });
}"""


def crowd(rng: Random, count: int, last: int) -> list[list[Any]]:
    at = sorted(rng.randrange(last) for _ in range(count))
    kinds = ["event"] * 12 + ["said"] * 4 + ["game"] * 3 + ["bad"]
    return [[number, n, n / 30, rng.choice(kinds), rng.choice("AB"), "x"] for number, n in enumerate(at)]


def line_box(table: Table) -> tuple[float, float, float, float]:
    box = table.page.locator("#line canvas").bounding_box()
    return box["x"], box["y"], box["width"], box["height"]


def test_crowded_marks_are_counted_and_none_is_lost(table: Table) -> None:
    happened = crowd(Random(3), 700, 9000)
    wide, near = table.page.evaluate(GATHER, [happened, [[9000, 9000], [4500, 300]]])
    assert sorted(number for mark in wide for number in mark["all"]) == list(range(700))
    assert len(wide) <= 736 / 16 + 1
    lefts = [mark["left"] for mark in wide]
    assert all(later - left >= 7 for left, later in itertools.pairwise(lefts))
    assert len(near) > sum(len(mark["all"]) for mark in near) / 2  # closer in, most stand alone
    for mark in wide:
        kinds = [happened[number][3] for number in mark["all"]]
        order = [kind for kind in ("bad", "game", "said", "event") if kind in kinds]
        assert (mark["kind"], mark["count"]) == (order[0], kinds.count(order[0]))


def test_marks_stay_together_while_view_moves(table: Table) -> None:
    happened = crowd(Random(5), 500, 9000)
    one, other = table.page.evaluate(GATHER, [happened, [[6000, 3000], [6211, 3000]]])
    inside = [[m["all"] for m in marks if m["from"] >= 3300 and m["to"] <= 5900] for marks in (one, other)]
    assert len(inside[0]) >= 15
    assert inside[0] == inside[1]


def test_filter_holds_for_timeline_and_is_remembered(table: Table) -> None:
    ticks = [[number, 300 * number, 10.0 * number, "said", "Cal" if number == 2 else "Dee", "!"] for number in (1, 2)]
    table.say(frame(1, bands={"Cal": "a", "Dee": "b"}), frame(900, bands={"Cal": "a", "Dee": "b"}, happened=ticks))
    table.page.get_by_label("Filter characters and events").click()
    table.page.locator(".telos-timeline-menu").get_by_role("button", name="Cal", exact=True).click()
    table.page.keyboard.press("Escape")
    assert not table.page.locator(".telos-timeline-menu").is_visible()
    line = table.page.get_by_label("Timeline")
    line.focus()
    table.page.keyboard.press("ArrowLeft")
    table.until(lambda: {"do": "scrub", "to": 600} in table.heard)
    table.page.keyboard.press("ArrowLeft")
    table.settle()
    assert {"do": "scrub", "to": 300} not in table.heard  # Dee's
    chosen = "async () => [...(await import('/filters.js')).filters.who]"
    table.say({**HELLO, "world": "another"})
    assert table.page.evaluate(chosen) == []
    table.say(HELLO)
    assert table.page.evaluate(chosen) == ["Cal"]
    table.page.evaluate("sessionStorage.clear()")


def test_click_on_row_name_shows_only_that_character(table: Table) -> None:
    bands = dict.fromkeys(("Ann", "Bob", "Cal"), "cover")
    table.say(frame(1, bands=bands), frame(900, bands=bands))
    table.until(lambda: "frame 900" in table.value())
    x, y, _, _ = line_box(table)
    table.page.mouse.move(x + 80, y + 42)
    assert table.page.locator(".telos-tip b").inner_text() == "Bob"
    table.page.mouse.click(x + 80, y + 42)
    chosen = "async () => [...(await import('/filters.js')).filters.who]"
    assert table.page.evaluate(chosen) == ["Bob"]
    table.settle()
    table.page.mouse.click(x + 80, y + 28)  # his is the only row now
    assert table.page.evaluate(chosen) == []


def test_many_rows_keep_height_of_line_and_scroll(table: Table) -> None:
    script = """async ([height, count, scroll]) => {
      const { layOut } = await import("/layout.js");
      const names = Array.from({ length: count }, (_, at) => `n${at}`);
      const rows = layOut(height, true, names, ["ffbm"], { scroll });
      return [rows.bands.map(([name, row]) => [name, row.y, row.height]), rows.hidden, rows.lanes[0][1].height];
    }"""
    for count in (1, 5, 8, 30):
        bands, hidden, lane = table.page.evaluate(script, [150, count, 0])
        assert all(height >= 11 for _, _, height in bands)
        assert lane >= 24
        assert (hidden > 0) == (count > 5)
        bands, _, _ = table.page.evaluate(script, [150, count, 10_000])
        assert bands[-1][0] == f"n{count - 1}"  # the last one can be scrolled to


def test_click_behind_live_end_does_not_pause(table: Table) -> None:
    table.say(*(frame(n) for n in range(1, 601)), status(last=600))
    x, y, width, _ = line_box(table)
    behind = x + LEFT + (width - LEFT - RIGHT) / 2  # of 60 seconds, 20 are over
    table.page.mouse.click(behind, y + 60)
    assert "newest" in table.page.inner_text(".telos-tip")
    assert table.heard == []
    table.say(status(last=600, shown=300, paused=True), frame(300, live=False))
    table.page.mouse.click(behind, y + 60)
    table.until(lambda: table.heard == [{"do": "scrub", "to": None}])


def test_tooltip_covers_no_more_than_strip_of_controls(table: Table) -> None:
    table.say(*(frame(n) for n in (1, 900)), status(last=900))
    x, y, _, _ = line_box(table)
    for at in (x + 50, x + 200, x + 600):
        for height in (20, 60, 130):
            table.page.mouse.move(at, y + height)
            tip = table.page.locator(".telos-tip")
            if tip.is_visible():
                assert tip.bounding_box()["y"] >= y - 42


def test_thrashing_is_flagged_and_explained_on_row(table: Table) -> None:
    flip = {"Cal": "cover ↔ attack"}
    for n in (1, 300, 600, 900):
        thrashing = flip if n == 300 else {}
        table.say(frame(n, bands={"Cal": "cover"}, thrashing=thrashing))
    x, y, width, _ = line_box(table)
    pixel = (width - LEFT - RIGHT) / 1800  # 60 seconds
    told = {}
    for n in (150, 450, 750):
        table.page.mouse.move(x + LEFT + n * pixel, y + 30)
        told[n] = table.page.inner_text(".telos-tip")
    assert "thrashes: cover ↔ attack" in told[450]
    assert "Cal: cover" in told[150]
    assert "thrashes" not in told[150] + told[750]
    load = """async () => {
      const { Series } = await import("/series.js");
      const series = new Series();
      series.load({ n: [1], t: [0], thrashing: { Cal: [[0, ""], [300, "a ↔ b"], [600, ""]], Bad: 3 } });
      return [299, 300, 599, 600].map((n) => Series.said(series.thrashing.get("Cal"), n));
    }"""
    assert table.page.evaluate(load) == ["", "a ↔ b", "a ↔ b", ""]


def test_recording_is_shown_in_whole_length_with_its_end(table: Table) -> None:
    table.say({**HELLO, "replay": {"steps": 9000, "seconds": 301}}, frame(1), frame(90), status(last=90))
    table.until(lambda: table.value() == "0:03, frame 90 of 9000, live")
    x, y, width, _ = line_box(table)
    pixel = (width - LEFT - RIGHT) / (9000 * 1.02)
    table.page.mouse.move(x + LEFT + 4500 * pixel, y + 60)
    assert "ends at 5:01" in table.page.inner_text(".telos-tip")
    table.page.mouse.click(x + LEFT + 4500 * pixel, y + 60)
    table.until(lambda: len(table.heard) == 1)
    assert table.heard[0]["do"] == "seek"
    assert table.heard[0]["to"] == pytest.approx(4500, abs=15)


def test_shift_drag_moves_view_and_not_the_game(table: Table) -> None:
    table.say(*(frame(n) for n in range(1, 5401, 100)), frame(5400), status(last=5400))
    table.until(lambda: "of 5400" in table.value())
    x, y, _, _ = line_box(table)
    mouse, keyboard = table.page.mouse, table.page.keyboard
    seen = []
    for drags in (False, True):
        if drags:
            mouse.move(x + 300, y + 60)
            keyboard.down("Shift")
            mouse.down()
            mouse.move(x + 500, y + 60, steps=4)
            mouse.up()
            keyboard.up("Shift")
        mouse.move(x + 400, y + 61)
        seen.append(table.page.locator(".telos-tip b").inner_text())
    before, after = ((int(minutes) * 60 + int(seconds)) for minutes, seconds in (each.split(":") for each in seen))
    assert before - after == pytest.approx(200 * 60 / (900 - LEFT - RIGHT), abs=1.5)
    assert table.heard == []


def test_timeline_draws_only_what_changed_and_is_seen(table: Table) -> None:
    count = """async () => {
      window.drawn = 0;
      const { fillRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
        if (x === 0 && y === 0 && width === 900) window.drawn++; // the ground of the timeline
        return fillRect.call(this, x, y, width, height);
      };
    }"""
    table.say(frame(30), status(last=30))
    table.page.wait_for_timeout(400)
    table.page.evaluate(count)
    for _ in range(5):
        table.say(status(last=30))
    table.page.wait_for_timeout(700)
    assert table.page.evaluate("drawn") == 0
    table.say(*(frame(n) for n in range(31, 61)))
    table.page.wait_for_timeout(400)
    assert 1 <= table.page.evaluate("drawn") <= 8  # of thirty frames
    table.page.evaluate("document.querySelector('#line').style.display = 'none'")
    table.settle()
    drawn = table.page.evaluate("drawn")
    table.say(frame(61), status(last=61))
    table.page.wait_for_timeout(400)
    assert table.page.evaluate("drawn") == drawn
    table.page.evaluate("document.querySelector('#line').style.display = ''")
    table.until(lambda: "frame 61" in table.value())
