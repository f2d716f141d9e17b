"""The page as the server builds it: its controls work on the game, and its panels show it."""

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, core, ui
from nicegui.events import GenericEventArguments, handle_event
from nicegui.page import page as page_settings
from starlette.requests import Request

from studio.tiny import ALWAYS_WEST, BY_LAST_STEP, LINE
from telos.studio.models.library import Library
from telos.studio.page.beliefs import BeliefsPanel
from telos.studio.page.controls import Controls
from telos.studio.page.explanation import Explanation
from telos.studio.page.mind import MindPanel
from telos.studio.page.model import ModelPanel
from telos.studio.page.newgame import NewGame
from telos.studio.page.panels import PANELS, Panels
from telos.studio.page.saving import SaveDialog
from telos.studio.page.score import ScorePanel
from telos.studio.page.shell import Shell
from telos.studio.page.theme import Theme
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.session import Session
from telos.studio.stage import Inputs
from telos.studio.worlds import NAMES, world


def in_page(act: Callable[[Client], Any], *, cookie: str = "") -> None:
    """Act inside of a page that is being built for somebody, whose browser brings a cookie along."""

    async def run() -> None:
        core.loop = asyncio.get_running_loop()
        headers = [(b"cookie", cookie.encode())] if cookie else []
        request = Request({"type": "http", "method": "GET", "path": "/", "headers": headers, "query_string": b""})
        client = Client(page_settings("/for-tests"), request=request)
        try:
            with client:
                answer = act(client)
                if inspect.isawaitable(answer):
                    await answer
        finally:
            client.delete()
            core.loop = None

    asyncio.run(run())


def found(client: Client, kind: type[Any], words: str) -> Any:
    """Return the element of a kind whose label, text or name for screen readers begins with some words."""
    for element in client.elements.values():
        said = [element.props.get("label"), element.props.get("aria-label"), getattr(element, "text", None)]
        if isinstance(element, kind) and any(str(each or "").startswith(words) for each in said):
            return element
    raise AssertionError(f"there is no {kind.__name__} with {words!r}")


def send(element: ui.element, event: str, args: Any = None) -> None:
    """Let the browser send an event of an element."""
    for listener in list(element._event_listeners.values()):
        if listener.type == event:
            handle_event(listener.handler, GenericEventArguments(sender=element, client=element.client, args=args))


def texts(client: Client) -> list[str]:
    """Return all lines that can be seen."""
    labels = [each for each in client.elements.values() if isinstance(each, ui.label)]
    return [each.text for each in labels if each.visible and all(above.visible for above in each.ancestors())]


def played(steps: int, held: str = "right") -> Session:
    session = Session(LINE)
    session.hold(held)
    for _ in range(steps):
        session.advance()
    return session


@pytest.mark.parametrize("name", NAMES)
def test_every_world_has_a_page_that_can_be_used_without_seeing_it(name: str, tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = Session(world(name), 3, id="a-game-for-tests")
        shell = Shell(Game(session), Library(tmp_path), Hub())
        for _ in range(40):
            session.advance()
        for panel in PANELS:
            shell._panels.show(panel)
            shell._refresh()
        nameless = [
            element.props.get("icon")
            for element in client.elements.values()
            if isinstance(element, ui.button | ui.input | ui.select | ui.number)
            and not (element.props.get("aria-label") or element.props.get("label"))
            and not element.default_slot.children
        ]
        assert nameless == []

    in_page(act)


def test_playing_on_pausing_and_stepping() -> None:
    def act(client: Client) -> None:
        session = played(5)
        controls = Controls(session)
        controls.toggle()
        assert session.paused
        assert found(client, ui.button, "Play on").icon == "play_arrow"
        session.scrub(2)
        controls.step()
        assert (session.shown, session.last, session.paused) == (None, 6, True)  # from where the game stands
        controls.toggle()
        assert not session.paused
        assert found(client, ui.button, "Pause").icon == "pause"

    in_page(act)


def test_the_strip_follows_what_was_done_elsewhere() -> None:
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


def test_a_poke_is_asked_of_the_world() -> None:
    def act(client: Client) -> None:
        session = Session(world("home"), 3)
        Controls(session)
        first = session.stage.pokes()[0]
        items = [each for each in client.elements.values() if isinstance(each, ui.menu_item)]
        send(items[0], "click")
        session.advance()
        assert session.log.runs[-1][0] == Inputs(asked=(f"poke {first.name}",))

    in_page(act)


def test_a_command_is_sent_once_and_its_box_emptied() -> None:
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


def test_a_world_without_commands_has_no_box_for_them() -> None:
    def act(client: Client) -> None:
        Controls(Session(LINE))
        assert not found(client, ui.input, "A command").visible

    in_page(act)


def test_a_mind_is_shown_as_it_was_at_the_moment_that_is_looked_at() -> None:
    def act(client: Client) -> None:
        session = played(30)
        mind = MindPanel(session)
        assert "at 30" in texts(client)
        session.scrub(12)
        mind.refresh()
        assert "at 10" in texts(client)  # minds are kept once a second, and that is ten steps

    in_page(act)


@pytest.mark.parametrize("name", NAMES)
def test_looking_again_at_the_same_moment_sends_nothing(name: str, tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = Session(world(name), 3, id="a-game-for-tests")
        for _ in range(30):
            session.advance()
        shell = Shell(Game(session), Library(tmp_path), Hub())
        for panel in PANELS:
            shell._panels.show(panel)
            client.outbox.updates.clear()
            shell._refresh()
            shell._controls.refresh()
            assert not client.outbox.updates

    in_page(act)


def test_a_mind_that_has_changed_is_sent() -> None:
    def act(client: Client) -> None:
        session = Session(world("arena"), 3)
        mind = MindPanel(session)
        for _ in range(30):
            session.advance()
        client.outbox.updates.clear()
        mind.refresh()
        assert client.outbox.updates

    in_page(act)


def test_clicking_a_goal_says_why_it_is_not_pursued() -> None:
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


def explained(client: Client) -> str:
    """Return what the Beliefs panel gives as the reason, without its layout."""
    lines = [each for each in client.elements.values() if isinstance(each, ui.label) and "ts-said" in each.classes]
    return "\n".join(each.text for each in lines if each.visible and all(above.visible for above in each.ancestors()))


def reason(session: Session, number: int) -> str:
    """Return the same from the session: what happened, and what the recogniser made of it, one below the other."""
    return "\n".join(line.strip().removeprefix("Last step: ") for line in session.why(number, "last").splitlines())


async def looked_back() -> None:
    """Wait for what is worked out beside the game."""
    await asyncio.sleep(0.2)


def test_while_nothing_is_clicked_the_present_is_explained() -> None:
    def act(client: Client) -> None:
        session = Session(LINE)
        beliefs = BeliefsPanel(session)
        assert any(line.startswith("Nothing has been read yet") for line in texts(client))
        session.hold("right")
        session.advance()
        beliefs.refresh()
        assert explained(client).startswith("east: east 100%")
        assert "now" in texts(client)
        assert not any(line.startswith("Nothing has been read yet") for line in texts(client))
        session.hold("left")
        for _ in range(3):
            session.advance()
        beliefs.refresh()
        assert explained(client).startswith("west: west 100%")

    in_page(act)


def test_a_moment_of_the_past_is_explained_by_what_happened_last_before_it() -> None:
    async def act(client: Client) -> None:
        session = played(5)
        beliefs = BeliefsPanel(session)
        session.hold("")
        for _ in range(5):
            session.advance()
        session.scrub(8)
        beliefs.refresh()
        await looked_back()
        assert explained(client) == reason(session, 4)
        assert "0.5 s  walker goes right" in texts(client)
        session.scrub(0)  # before anything happened
        beliefs.refresh()
        assert explained(client) == ""

    in_page(act)


def test_a_clicked_event_stays_explained_until_it_is_let_go() -> None:
    async def act(client: Client) -> None:
        session, released = played(5), []
        beliefs = BeliefsPanel(session, on_release=lambda: released.append(True))
        release = found(client, ui.button, "Explain the present again")
        assert not release.visible
        beliefs.explain(2)
        await looked_back()
        assert explained(client) == reason(session, 2)
        assert "0.3 s  walker goes right" in texts(client)
        session.advance()
        session.scrub(2)
        beliefs.refresh()
        await looked_back()
        assert "0.3 s  walker goes right" in texts(client)
        assert release.visible
        session.scrub(None)
        beliefs.release()
        assert "now" in texts(client)
        assert (release.visible, released) == (False, [True])

    in_page(act)


def test_an_explanation_is_given_anew_when_another_model_is_in_force() -> None:
    async def act(client: Client) -> None:
        session = played(5)
        beliefs = BeliefsPanel(session)
        beliefs.explain(2)
        await looked_back()
        before = explained(client)
        session.apply("last", ALWAYS_WEST)
        beliefs.refresh()
        await looked_back()
        assert explained(client) == reason(session, 2) != before

    in_page(act)


def test_only_lines_of_an_explanation_that_changed_are_sent() -> None:
    def act(client: Client) -> None:
        explanation = Explanation()
        explanation.show("a over b (+1.10)\n  2 s, up: speaks for a (+2.00)\n  3 s, up: speaks for a (+1.00)")
        client.outbox.updates.clear()
        explanation.show("a over b (+1.10)\n  2 s, up: speaks for a (+2.50)")
        sent = [client.elements[id] for id in client.outbox.updates]
        assert sorted(type(each).__name__ for each in sent) == ["Element", "Label"]  # a row that is hidden, a figure
        client.outbox.updates.clear()
        explanation.show("a over b (+1.10)\n  2 s, up: speaks for a (+2.50)")
        assert not client.outbox.updates

    in_page(act)


def test_a_game_that_is_over_is_played_again_from_another_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(ui.navigate, "to", gone.append)

    def act(client: Client) -> None:
        NewGame(Session(LINE, 3, {"wind": "on"}), rng=Random(1)).another()
        (there,) = gone
        assert there.startswith("/line?")
        assert "wind=on" in there
        assert "seed=3&" not in there

    in_page(act)


@pytest.mark.parametrize(
    ("name", "said", "buttons"),
    [
        ("arena", "Those in the picture live by this file.", {"Apply", "Save…", "Revert"}),
        ("island", "Ctrl+Space completes.", {"Apply", "Compare", "Save…", "Revert"}),
        ("home", "No file stands behind this world", set()),
    ],
)
def test_the_model_panel_says_what_can_be_done_with_a_file(
    name: str, said: str, buttons: set[str], tmp_path: Path
) -> None:
    def act(client: Client) -> None:
        ModelPanel(Session(world(name), 3), Library(tmp_path), dark=True)
        assert any(line.startswith(said) for line in texts(client))
        assert {each.text for each in seen_buttons(client)} == buttons

    in_page(act)


def test_a_file_that_cannot_be_changed_offers_nothing_to_press(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        model = ModelPanel(Session(world("forge"), 3), Library(tmp_path), dark=True)
        model._open("planning")
        assert "read only" in texts(client)
        assert any(line.startswith("The world itself is made of this file") for line in texts(client))
        assert seen_buttons(client) == []

    in_page(act)


def seen_buttons(client: Client) -> list[ui.button]:
    """Return the buttons that can be seen."""
    buttons = [each for each in client.elements.values() if isinstance(each, ui.button)]
    return [each for each in buttons if each.visible and all(above.visible for above in each.ancestors())]


def test_a_model_with_faults_is_not_applied_and_each_fault_is_said_at_its_line(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model._editor.value = BY_LAST_STEP.replace("goals:", "gaols:")
        await asyncio.sleep(0.5)  # it is checked when nobody has typed for a moment
        assert "2" in texts(client)
        assert any("gaols" in line for line in texts(client))
        assert [each["line"] for each in model._editor.decorations] == [2]
        assert not found(client, ui.button, "Apply").enabled
        await model.apply()
        assert session.version == 0
        assert session.panel.texts["last"] == BY_LAST_STEP

    in_page(act)


def test_a_model_is_applied_reverted_and_marked_while_it_is_not(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        assert "in force" in texts(client)
        model._editor.value = ALWAYS_WEST
        await asyncio.sleep(0.5)
        assert "not applied" in texts(client)
        model.revert()
        assert model._editor.value == BY_LAST_STEP
        assert "in force" in texts(client)
        model._editor.value = ALWAYS_WEST
        await model.apply()
        assert session.panel.texts["last"] == ALWAYS_WEST
        assert session.panel.beliefs["last"].top == "west"
        assert "in force" in texts(client)

    in_page(act)


def test_comparing_shows_the_accuracy_of_both_and_changes_nothing(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(25)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model._editor.value = ALWAYS_WEST
        await model.compare()
        assert "in force 80.0 %" in texts(client)  # she wants to go east for 20 steps, and then west
        assert "edited 20.0 %" in texts(client)
        assert session.panel.texts["last"] == BY_LAST_STEP

    in_page(act)


def test_a_model_that_a_recording_applies_appears_in_the_editor(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        session.apply("last", ALWAYS_WEST)
        model.refresh()
        assert model._editor.value == ALWAYS_WEST
        assert "in force" in texts(client)

    in_page(act)


def test_a_file_is_replaced_only_after_its_difference_was_shown(tmp_path: Path) -> None:
    file = tmp_path / "last.yaml"

    def act(client: Client) -> None:
        dialog = SaveDialog(Library(tmp_path), "last.yaml", ALWAYS_WEST, begun=BY_LAST_STEP)
        assert any(line.startswith("A new file.") for line in texts(client))
        file.write_text("somebody else's\n")  # meanwhile
        dialog._save()
        assert file.read_text() == "somebody else's\n"
        assert "-somebody else's" in texts(client)
        dialog._save()  # now that it was seen
        assert file.read_text() == ALWAYS_WEST

    in_page(act)


def test_a_new_file_is_compared_with_what_the_game_began_with(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        SaveDialog(Library(tmp_path), "last.yaml", BY_LAST_STEP.replace("x < 0", "x < 9"), begun=BY_LAST_STEP)
        changed = [line for line in texts(client) if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
        assert changed == ["-  - {if: moved and x < 0, then: west}", "+  - {if: moved and x < 9, then: west}"]
        assert "--- as the game began" in texts(client)

    in_page(act)


def test_a_new_file_without_a_change_can_be_saved_all_the_same(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        dialog = SaveDialog(Library(tmp_path), "last.yaml", BY_LAST_STEP, begun=BY_LAST_STEP)
        assert "A new file, with the model as the game began with it." in texts(client)
        dialog._save()
        assert (tmp_path / "last.yaml").read_text() == BY_LAST_STEP

    in_page(act)


def test_a_name_outside_of_the_folder_is_refused_where_it_is_typed(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        SaveDialog(Library(tmp_path), "../last.yaml", ALWAYS_WEST, begun=BY_LAST_STEP)
        assert not found(client, ui.button, "Save").enabled
        assert any("../last.yaml" in line for line in texts(client))

    in_page(act)


def test_a_condition_that_makes_no_sense_is_answered_below_its_box() -> None:
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


def test_the_scoreboard_says_when_there_is_nothing_to_judge() -> None:
    def act(client: Client) -> None:
        session = Session(LINE)
        score = ScorePanel(session)
        assert any(line.startswith("Nothing was judged") for line in texts(client))
        session.hold("right")
        session.advance()
        score.refresh()
        assert not any(line.startswith("Nothing was judged") for line in texts(client))

    in_page(act)


@pytest.mark.parametrize(("cookie", "dark"), [("", True), ("telos-theme=dark", True), ("telos-theme=light", False)])
def test_the_page_is_built_in_the_theme_that_the_browser_remembers(cookie: str, dark: bool) -> None:
    def act(client: Client) -> None:
        heard: list[bool] = []
        theme = Theme(heard.append)
        assert theme.dark is dark
        theme.toggle()
        assert heard == [not dark]

    in_page(act, cookie=cookie)


def test_a_wide_screen_shows_the_two_panels_that_were_looked_at_last() -> None:
    def act(client: Client) -> None:
        shown: list[str] = []
        panels = Panels({name: lambda: None for name in PANELS}, shown.append, keys="1234")
        panels.show("score")
        assert panels.shown == ("score",)
        send(client.layout, "telosWide", True)
        assert panels.shown == ("score", "beliefs")
        panels.show("model")
        assert panels.shown == ("model", "score")
        panels.show("score")  # it is there already, but now it is the one that stays
        panels.show("mind")
        assert panels.shown == ("mind", "score")
        assert shown[-1] == "mind"

    in_page(act)
