"""The model panel: faults at their lines, applied and reverted, compared, and saved after the difference was shown."""

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, ui

from studio.page_client import found, in_page, played, texts, until
from studio.tiny import ALWAYS_WEST, BY_LAST_STEP
from telos.studio.models.library import Library
from telos.studio.page.model_panel import ModelPanel, SaveDialog
from telos.studio.session import Session
from telos.studio.stage import world


@pytest.mark.parametrize(
    ("name", "said", "buttons"),
    [
        ("arena", "Those in the picture live by this file.", {"Apply", "Open…", "Save…", "Revert"}),
        ("island", "Ctrl+Space completes.", {"Apply", "Compare", "Open…", "Save…", "Revert"}),
        ("home", "This world has no file to edit", set()),
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
        assert any(line.startswith("Read-only") for line in texts(client))
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
        await until(lambda: model._faults)  # it is checked when nobody has typed for a moment
        assert "2" in texts(client)
        assert any("gaols" in line for line in texts(client))
        assert [each["line"] for each in model._editor.decorations] == [2]
        assert not found(client, ui.button, "Apply").enabled
        await model.apply()
        assert session.version == 0
        assert session.recognizers.texts["last"] == BY_LAST_STEP

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
        assert session.recognizers.texts["last"] == ALWAYS_WEST
        assert session.recognizers.beliefs["last"].top == "west"
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
        assert session.recognizers.texts["last"] == BY_LAST_STEP

    in_page(act)


def test_a_file_of_the_folder_is_opened_checked_and_not_yet_in_force(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(5)
        (tmp_path / "mine.yaml").write_text(ALWAYS_WEST)
        (tmp_path / "broken.yaml").write_text("recognizer: fsm\n")
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model._offer_files()
        assert model._files.default_slot.children[0].default_slot.children[0].text == "broken.yaml"
        model.load("mine.yaml")
        assert model._editor.value == ALWAYS_WEST
        assert "not applied" in texts(client)
        assert session.recognizers.texts["last"] == BY_LAST_STEP
        model.load("broken.yaml")
        await until(lambda: model._faults)
        model.load("../outside.yaml")  # refused, and told
        assert model._editor.value == "recognizer: fsm\n"

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
        assert "--- start of the game" in texts(client)

    in_page(act)


def test_a_new_file_without_a_change_can_be_saved_all_the_same(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        dialog = SaveDialog(Library(tmp_path), "last.yaml", BY_LAST_STEP, begun=BY_LAST_STEP)
        assert "A new file, with the model as at the start of the game." in texts(client)
        dialog._save()
        assert (tmp_path / "last.yaml").read_text() == BY_LAST_STEP

    in_page(act)


def test_a_name_outside_of_the_folder_is_refused_where_it_is_typed(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        SaveDialog(Library(tmp_path), "../last.yaml", ALWAYS_WEST, begun=BY_LAST_STEP)
        assert not found(client, ui.button, "Save").enabled
        assert any("../last.yaml" in line for line in texts(client))

    in_page(act)
