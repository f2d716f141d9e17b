"""The Model panel: faults, apply, revert, compare, open and save."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, ui

from studio.page_client import found, in_page, played, texts, until
from studio.tiny import ALWAYS_WEST, BY_LAST_STEP
from telos.core.errors import TelosError
from telos.studio.models.library import Library
from telos.studio.page.designer.editor import SaveDialog
from telos.studio.page.model_panel import ModelPanel
from telos.studio.session import Session
from telos.studio.stage import world


@pytest.mark.parametrize(
    ("name", "said", "buttons"),
    [
        ("arena", "Characters in the picture use this file.", {"Apply", "Open…", "Save…", "Revert"}),
        ("island", "Ctrl+Space completes.", {"Apply", "Compare", "Open…", "Save…", "Revert"}),
        ("home", "Characters in the picture use this file.", {"Apply", "Open…", "Save…", "Revert"}),
    ],
)
def test_model_panel_says_what_can_be_done_with_file(name: str, said: str, buttons: set[str], tmp_path: Path) -> None:
    def act(client: Client) -> None:
        ModelPanel(Session(world(name), 3), Library(tmp_path), dark=True)
        assert any(line.startswith(said) for line in texts(client))
        assert {each.text for each in seen_buttons(client)} == buttons

    in_page(act)


def test_read_only_file_has_no_buttons(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        model = ModelPanel(Session(world("forge"), 3), Library(tmp_path), dark=True)
        model._open("planning")
        assert "read only" in texts(client)
        assert any(line.startswith("Read-only") for line in texts(client))
        assert seen_buttons(client) == []

    in_page(act)


def seen_buttons(client: Client) -> list[ui.button]:
    """Return the visible buttons."""
    buttons = [each for each in client.elements.values() if isinstance(each, ui.button)]
    return [each for each in buttons if each.visible and all(above.visible for above in each.ancestors())]


def test_faulty_model_is_not_applied_and_faults_have_lines(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model._editor.value = BY_LAST_STEP.replace("goals:", "gaols:")
        await until(lambda: model._faults)  # it is checked shortly after the last key press
        assert "2" in texts(client)
        assert any("gaols" in line for line in texts(client))
        assert [each["line"] for each in model._editor.decorations] == [2]
        assert not found(client, ui.button, "Apply").enabled
        await model.apply()
        assert session.version == 0
        assert session.recognizers.texts["last"] == BY_LAST_STEP

    in_page(act)


def test_model_is_applied_and_reverted_and_draft_is_marked(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        assert "in force" in texts(client)
        model._editor.value = ALWAYS_WEST
        await until(lambda: "not applied" in texts(client))
        model.revert()
        assert model._editor.value == BY_LAST_STEP
        assert "in force" in texts(client)
        model._editor.value = ALWAYS_WEST
        await model.apply()
        assert session.recognizers.texts["last"] == ALWAYS_WEST
        assert session.recognizers.beliefs["last"].top == "west"
        assert "in force" in texts(client)

    in_page(act)


def test_comparison_shows_both_accuracies_and_changes_nothing(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = played(25)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model._editor.value = ALWAYS_WEST
        await model.compare()
        assert "in force 80.0 %" in texts(client)  # she wants to go east for 20 steps, and then west
        assert "edited 20.0 %" in texts(client)
        assert session.recognizers.texts["last"] == BY_LAST_STEP

    in_page(act)


def test_opened_file_is_checked_but_not_applied(tmp_path: Path) -> None:
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


def test_model_of_recording_appears_in_editor(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        session = played(5)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        session.apply("last", ALWAYS_WEST)
        model.refresh()
        assert model._editor.value == ALWAYS_WEST
        assert "in force" in texts(client)

    in_page(act)


def test_file_is_replaced_only_after_difference_was_shown(tmp_path: Path) -> None:
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


def test_new_file_is_compared_with_start_of_game(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        SaveDialog(Library(tmp_path), "last.yaml", BY_LAST_STEP.replace("x < 0", "x < 9"), begun=BY_LAST_STEP)
        changed = [line for line in texts(client) if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
        assert changed == ["-  - {if: moved and x < 0, then: west}", "+  - {if: moved and x < 9, then: west}"]
        assert "--- start of the game" in texts(client)

    in_page(act)


def test_new_file_without_change_can_be_saved(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        dialog = SaveDialog(Library(tmp_path), "last.yaml", BY_LAST_STEP, begun=BY_LAST_STEP)
        assert "A new file, with the model as at the start of the game." in texts(client)
        dialog._save()
        assert (tmp_path / "last.yaml").read_text() == BY_LAST_STEP

    in_page(act)


def test_name_outside_folder_is_refused_in_dialog(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        SaveDialog(Library(tmp_path), "../last.yaml", ALWAYS_WEST, begun=BY_LAST_STEP)
        assert not found(client, ui.button, "Save").enabled
        assert any("../last.yaml" in line for line in texts(client))

    in_page(act)


def test_cost_is_changed_in_own_file_and_undone(tmp_path: Path) -> None:
    async def act(client: Client) -> None:
        session = Session(world("arena"), 3)
        model = ModelPanel(session, Library(tmp_path), dark=True)
        model.choose("Ann")
        soldier = session.texts()["soldier"]
        await model.change_value("Ann", "action", "reload", "0.5")
        assert session.texts()["soldier"] == f"{soldier}costs: {{reload: 0.5}}\n"
        trait = session.resolve("Ann").find("action", "reload")  # type: ignore[union-attr]
        assert trait is not None
        assert (trait.value, trait.valued.model) == ("0.5", "soldier")  # type: ignore[union-attr]
        for wrong, said in (("-1", "out of range"), ("much", "is not a number")):
            with pytest.raises(TelosError, match=said):
                await model.change_value("Ann", "action", "reload", wrong)
        model.undo("soldier")
        assert session.texts()["soldier"] == soldier
        model._open("soldier")
        model._editor.value = f"{soldier}# a draft"
        with pytest.raises(TelosError, match="not applied"):
            await model.change_value("Ann", "goal", "cover", "5")

    in_page(act)


def test_trait_opens_file_that_defines_it_and_marks_line(tmp_path: Path) -> None:
    def act(client: Client) -> None:
        model = ModelPanel(Session(world("arena"), 3), Library(tmp_path), dark=True)
        assert model.open_trait("Ann", "goal", "cover")
        assert model.model.name == "arena"
        (mark,) = model._editor.decorations
        assert model.model.text.split("\n")[mark["line"] - 1].strip().startswith("cover:")
        assert not model.open_trait("Ann", "goal", "fame")
        model.open_line("layer-4-cover", 5)
        assert model.model.name == "layer-4-cover"
        assert [each["line"] for each in model._editor.decorations] == [5]

    in_page(act)
