"""The page as the server builds it: controls and panels."""

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, ui

from studio.page_client import found, in_page, played, send, texts
from studio.tiny import LINE
from telos.studio.models.library import Library
from telos.studio.page.beliefs_panel import BeliefsPanel
from telos.studio.page.controls import Controls
from telos.studio.page.game_menu import GameMenus, NewGameMenu
from telos.studio.page.mind_panel import MindPanel
from telos.studio.page.page import GamePage
from telos.studio.page.panels import PANELS, Panels
from telos.studio.page.score_panel import ScorePanel
from telos.studio.page.theme import Theme
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.session import Session
from telos.studio.stage import Inputs, world
from telos.worlds.registry import WORLDS


@pytest.mark.parametrize("name", list(WORLDS))
def test_every_world_has_accessible_page(name: str, tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = Session(world(name), 3, id="a-game-for-tests")
        shell = GamePage(Game(session), Library(tmp_path), GameMenus(session, Hub()))
        for _ in range(40):
            session.advance()
        for panel in PANELS:
            shell.panels.show(panel)
            shell.refresh()
        nameless = [
            element.props.get("icon")
            for element in client.elements.values()
            if isinstance(element, ui.button | ui.input | ui.select | ui.number)
            and not (element.props.get("aria-label") or element.props.get("label"))
            and not element.default_slot.children
        ]
        assert nameless == []

    in_page(act)


def test_play_pause_and_step_buttons_work() -> None:
    def act(client: Client) -> None:
        session = played(5)
        controls = Controls(session)
        controls.toggle()
        assert session.paused
        assert found(client, ui.button, "Play on").icon == "play_arrow"
        session.scrub(2)
        controls.step()
        assert (session.shown, session.last, session.paused) == (3, 5, True)  # in the past, one frame on
        controls.step_back()
        assert session.shown == 2
        controls.live()
        controls.step()
        assert (session.shown, session.last, session.paused) == (None, 6, True)  # from where the game stands
        controls.toggle()
        assert not session.paused
        assert found(client, ui.button, "Pause").icon == "pause"

    in_page(act)


def test_controls_follow_changes_of_session() -> None:
    def act(client: Client) -> None:
        session = played(5)
        controls = Controls(session)
        live = found(client, ui.button, "Live")
        assert not live.enabled
        session.scrub(3)
        session.set_speed(4.0)
        controls.refresh()
        assert live.enabled
        assert found(client, ui.toggle, "Speed").value == 4.0
        assert "frame 3" in texts(client)
        controls.live()
        assert session.shown is None

    in_page(act)


def test_poke_is_sent_to_world() -> None:
    def act(client: Client) -> None:
        session = Session(world("home"), 3)
        Controls(session)
        first = session.stage.pokes()[0]
        items = [each for each in client.elements.values() if isinstance(each, ui.menu_item)]
        send(items[0], "click")
        session.advance()
        assert session.log.runs[-1][0] == Inputs(asked=(f"poke {first.name}",))

    in_page(act)


def test_command_is_sent_once_and_box_is_cleared() -> None:
    def act(client: Client) -> None:
        session = Session(world("forge"), 3)
        Controls(session)
        command = session.stage.commands()[0]
        box = found(client, ui.input, "A command")
        box.value = f" {command} "
        send(box, "keydown.enter")
        send(box, "keydown.enter")
        session.advance()
        assert session.log.runs[-1][0] == Inputs(asked=(command,))
        assert box.value == ""

    in_page(act)


def test_world_without_commands_has_no_command_box() -> None:
    def act(client: Client) -> None:
        Controls(Session(LINE))
        assert not found(client, ui.input, "A command").visible

    in_page(act)


def test_mind_panel_shows_past_mind_of_shown_moment() -> None:
    def act(client: Client) -> None:
        session = played(30)
        mind = MindPanel(session)
        assert "at 30" in texts(client)
        session.scrub(12)
        mind.refresh()
        assert "at 10" in texts(client)  # minds are kept once a second, and that is ten steps

    in_page(act)


@pytest.mark.parametrize("name", list(WORLDS))
def test_same_moment_sends_nothing_again(name: str, tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = Session(world(name), 3, id="a-game-for-tests")
        for _ in range(30):
            session.advance()
        shell = GamePage(Game(session), Library(tmp_path), GameMenus(session, Hub()))
        for panel in PANELS:
            shell.panels.show(panel)
            client.outbox.updates.clear()
            shell.refresh()
            shell.controls.refresh()
            assert not client.outbox.updates

    in_page(act)


def test_changed_mind_is_sent() -> None:
    def act(client: Client) -> None:
        session = Session(world("arena"), 3)
        mind = MindPanel(session)
        for _ in range(30):
            session.advance()
        client.outbox.updates.clear()
        mind.refresh()
        assert client.outbox.updates

    in_page(act)


def test_click_on_goal_explains_why_not() -> None:
    def act(client: Client) -> None:
        session = Session(world("arena"), 3)
        for _ in range(30):
            session.advance()
        mind = MindPanel(session)
        who = session.minds()[0]
        mind.open(who)
        send(found(client, ui.table, ""), "ask", "patrol")
        assert "Why not patrol?" in texts(client)
        assert session.why_not(who, "patrol") in texts(client)
        send(found(client, ui.table, ""), "ask", "no such goal")  # a refusal is an answer, too
        assert "Why not no such goal?" in texts(client)

    in_page(act)


def test_goals_that_do_not_matter_are_folded_below_plan() -> None:
    def goal_tables(client: Client) -> list[ui.table]:
        """Return the tables of the goals that matter, and of the others."""
        return [each for each in client.elements.values() if isinstance(each, ui.table)][:2]

    def act(client: Client) -> None:
        session = Session(world("arena"), 3)
        for _ in range(75):
            session.advance()
        mind = MindPanel(session)
        matter, idle = goal_tables(client)
        assert "Goals" in texts(client)
        assert {row["state"] for row in matter.rows} <= {"pursued", "relevant"}
        assert {row["state"] for row in idle.rows} == {"idle"}
        assert len(matter.rows) + len(idle.rows) == len(session.mind(mind.who).goals)  # type: ignore[union-attr]
        assert (matter.visible, idle.visible) == (True, False)
        send(found(client, ui.button, f"{len(idle.rows)} goals do not matter"), "click")
        assert idle.visible

    def act_at_home(client: Client) -> None:
        session = Session(world("home"), 7)
        for _ in range(100):
            session.advance()
        MindPanel(session)  # nothing matters to Ada, who potters about
        matter, idle = goal_tables(client)
        assert "Goals" not in texts(client)
        assert not matter.visible
        assert len(idle.rows) == 6

    in_page(act)
    in_page(act_at_home)


def test_finished_game_restarts_with_another_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(ui, "run_javascript", gone.append)

    def act(client: Client) -> None:
        NewGameMenu(Session(LINE, 3, {"wind": "on"}), rng=Random(1)).another()
        (there,) = gone
        assert there.startswith('telosGo("/line?')
        assert "wind=on" in there
        assert "seed=3&" not in there

    in_page(act)


@pytest.mark.parametrize("seed", ["-1", "1" + "0" * 20, "1.5", "", "one"])
def test_invalid_seed_is_reported_and_starts_nothing(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(ui, "run_javascript", gone.append)

    def act(client: Client) -> None:
        NewGameMenu(Session(LINE, 3), rng=Random(1))
        found(client, ui.input, "Seed").set_value(seed)
        send(found(client, ui.button, "Begin"), "click")
        assert gone == []
        assert any(said.startswith("a seed is a whole number from 0 to") for said in texts(client))
        found(client, ui.input, "Seed").set_value("12")
        send(found(client, ui.button, "Begin"), "click")
        assert "seed=12&" in gone[0]

    in_page(act)


def test_condition_that_is_true_already_is_told() -> None:
    def act(client: Client) -> None:
        ScorePanel(played(5))
        box = found(client, ui.input, "Pause when")
        box.set_value("x > 3")
        send(found(client, ui.button, "Set"), "click")
        assert "Pauses when x > 3; true already, so it waits for the next time" in texts(client)

    in_page(act)


def test_invalid_condition_is_reported_below_box() -> None:
    def act(client: Client) -> None:
        session = played(5)
        ScorePanel(session)
        box = found(client, ui.input, "Pause when")
        box.value = "xx >= 10"
        send(box, "keydown.enter")
        assert session.watchpoint is None
        assert any("xx" in line for line in texts(client))
        box.value = "x >= 10"
        send(box, "keydown.enter")
        assert session.watchpoint is not None
        assert "Pauses when x >= 10" in texts(client)

    in_page(act)


def test_score_panel_says_when_nothing_is_judged() -> None:
    def act(client: Client) -> None:
        session = Session(LINE)
        score = ScorePanel(session)
        assert any(line.startswith("Nothing to score yet") for line in texts(client))
        session.hold("right")
        session.advance()
        score.refresh()
        assert not any(line.startswith("Nothing to score yet") for line in texts(client))

    in_page(act)


@pytest.mark.parametrize(("cookie", "dark"), [("", True), ("telos-theme=dark", True), ("telos-theme=light", False)])
def test_page_is_built_in_theme_of_cookie(cookie: str, dark: bool) -> None:
    def act(client: Client) -> None:
        assert Theme().dark is dark

    in_page(act, cookie=cookie)


def test_wide_screen_shows_last_two_panels() -> None:
    def act(client: Client) -> None:
        shown: list[str] = []
        panels = Panels({name: lambda: None for name in PANELS}, shown.append, keys="12345")
        panels.show("score")
        assert panels.shown == ("score",)
        panels.widen(True)
        assert panels.shown == ("score", "beliefs")
        panels.show("model")
        assert panels.shown == ("model", "score")
        panels.show("score")  # it is there already, but now it is the one that stays
        panels.show("mind")
        assert panels.shown == ("mind", "score")
        assert shown[-1] == "mind"

    in_page(act)


def test_clicked_event_without_recognizers_is_explained_by_world() -> None:
    def act(client: Client) -> None:
        session = Session(world("home"), 3)
        for _ in range(30):
            session.advance()
        number = next(each.number for each in session.happenings if each.happening.why)
        BeliefsPanel(session).explain(number)
        said = " ".join(texts(client))
        assert all(word in said for word in session.happenings[number].happening.why.split()[:3])

    in_page(act)


@pytest.mark.parametrize("name", list(WORLDS))
def test_menus_of_new_game_have_words_not_values(name: str) -> None:
    for setting in world(name).settings:
        for option in setting.options:
            title = setting.title_of(option)
            assert title[:1].isupper() or title.isdecimal(), f"{setting.name}: {title!r}"
            assert not {"-", "_"} & set(title), f"{setting.name}: {title!r}"


@pytest.mark.parametrize("name", list(WORLDS))
def test_panels_that_a_world_cannot_fill_have_no_tab(name: str, tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = Session(world(name), 3, id="a-game-for-tests")
        GamePage(Game(session), Library(tmp_path), GameMenus(session, Hub()))
        tabs = [each for each in client.elements.values() if each.props.get("role") == "tab" and each.visible]
        shown = [each.text for each in tabs if isinstance(each, ui.button)]
        if name in ("arena", "home"):  # nobody reads a player there
            assert shown == ["Mind", "Model", "Pause", "Log"]
        else:
            assert shown == ["Beliefs", "Mind", "Model", "Score", "Log"]

    in_page(act)
