"""The Model panel: the file behind the game, edited while it runs. With faults, the game goes on with the old one."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from telos.core.errors import Fault, TelosError
from telos.studio.models.checking import faults_of
from telos.studio.models.completion import Completion, completions
from telos.studio.models.library import Library
from telos.studio.models.rerun import compare
from telos.studio.page.compare import show_comparison
from telos.studio.page.editor import THEMES, ModelEditor, sentence
from telos.studio.page.parts import box, empty, mark, show_text, tell, telling, text_button
from telos.studio.page.saving import SaveDialog
from telos.studio.session import Session
from telos.studio.stage import Model

_PAUSE = 0.3  # seconds without a key press until a text is checked
_NONE = (
    "No file stands behind this world, so there is nothing to edit. Interfere with the world itself instead: Poke, "
    "below the picture, does something to it, and the Mind panel shows what everybody makes of that."
)
_READ_ONLY = "The world itself is made of this file: it is here to be read, and changing it would be another world."
_NO_READER = (
    "Those in the picture live by this file. Apply it, and they do so from now on; there are no beliefs to compare."
)
_KEYS = "Ctrl+Space completes. Esc, then Tab, leaves the editor."
_MOST_SHOWN = 100  # faults or files in a list


class ModelPanel:
    """Drafts by the name of their model: changing from one file to another loses nothing."""

    def __init__(self, session: Session, library: Library, *, dark: bool) -> None:
        self._session, self._library = session, library
        self._models = {model.name: model for model in session.stage.models()}
        self._in_force = {name: session.panel.texts.get(name, model.text) for name, model in self._models.items()}
        self._drafts = dict(self._in_force)
        self._saved_as = {name: model.file or f"{name}.yaml" for name, model in self._models.items()}
        self._name = next(
            (name for name, model in self._models.items() if model.editable), next(iter(self._models), "")
        )
        self._faults: tuple[Fault, ...] = ()
        self._version = session.version
        self._edits = 0
        with box("ts-panel-body ts-model"):
            if not self._models:
                empty(_NONE)
                return
            self._build(dark)
        self._open(self._name)

    def _build(self, dark: bool) -> None:
        with box("ts-row"):
            titles = {name: model.title for name, model in self._models.items()}
            self._which = ui.select(titles, value=self._name, on_change=lambda event: self._open(event.value))
            self._which.props("dense borderless options-dense").classes("ts-select ts-grow")
            self._which.props["aria-label"] = "Which file"
            self._state = ui.label().classes("ts-state")
        self._editor = ModelEditor(
            self._complete,
            dark=dark,
            on_change=self._typed,
            keymap={"Mod-Enter": self.apply, "Mod-s": self.save},
        )
        self._hint = ui.label().classes("ts-hint")
        with box("ts-faults") as self._fault_box:
            self._fault_box.props["aria-live"] = "polite"
        self._fault_box.set_visibility(False)
        with box("ts-row") as self._buttons:
            self._apply = text_button(
                "Apply", "Put it into force in the running game", self.apply, key="Ctrl+Enter", tip="above"
            )
            self._apply.classes("ts-main")
            self._compare = text_button("Compare", "Old and new on what was played so far", self.compare, tip="above")
            with text_button("Open…", "A file of the folder, into the editor", tip="above"):
                self._files = ui.menu().props("auto-close no-refocus")
                self._files.on("before-show", self._offer_files, args=[])
            self._save = text_button("Save…", "Show the difference, then save", self.save, key="Ctrl+S", tip="above")
            self._revert = text_button("Revert", "Back to the model in force", self.revert, tip="above")

    @property
    def model(self) -> Model:
        """The model whose text is in the editor."""
        return self._models[self._name]

    def set_dark(self, dark: bool) -> None:
        """Follow the theme of the page."""
        if self._models:
            self._editor.set_theme(THEMES[dark])

    def refresh(self) -> None:
        """Take up what was put into force elsewhere: a recording that is played again applies models, too."""
        if self._version != self._session.version:
            self._version = self._session.version
            self._take_up({model.name: model.text for model in self._session.stage.models()})
            self._take_up(self._session.panel.texts)
        if self._models:
            self._show_state()

    def _take_up(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            if name not in self._in_force or self._in_force[name] == text:
                continue
            was_draft = self._drafts[name] != self._in_force[name]
            self._in_force[name] = text
            if not was_draft:
                self._drafts[name] = text
                if name == self._name:
                    self._open(name)

    # --- editing ------------------------------------------------------------------------------------------------------

    def _open(self, name: str) -> None:
        self._name = name
        self._editor.set_language("YAML" if self.model.language == "YAML" else None)
        self._editor.set_value(self._drafts[name])
        self._editor.set_enabled(self.model.editable)
        self._buttons.set_visibility(self.model.editable)
        self._compare.set_visibility(self.model.make is not None)
        show_text(self._hint, hint(self.model))
        self._show_faults(())
        self._show_state()

    def _typed(self) -> None:
        self._drafts[self._name] = self._editor.value
        self._edits += 1
        self._show_state()
        background_tasks.create(self._check_after_a_pause(self._edits))

    async def _check_after_a_pause(self, edit: int) -> None:
        await asyncio.sleep(_PAUSE)
        if edit == self._edits and not self._editor.is_deleted:
            await self._check()

    async def _check(self) -> tuple[Fault, ...]:
        """Check the draft beside the game, so that it does not stop for that."""
        name, text = self._name, self._drafts[self._name]
        if text == self._in_force[name]:
            faults: tuple[Fault, ...] = ()
        else:
            faults = await asyncio.to_thread(faults_of, self.model, text)
        if (name, text) == (self._name, self._drafts[self._name]):  # nobody typed meanwhile
            self._show_faults(faults)
        return faults

    def _complete(self, text: str, line: int, column: int) -> Sequence[Completion]:
        try:
            return completions(self.model.name, text, line, column, words=self._words())
        except TelosError:
            return ()

    def _words(self) -> set[str]:
        """Return names that a file of a character may use: the goals and actions of those who are there."""
        sheets = [sheet for who in self._session.minds() if (sheet := self._session.mind(who)) is not None]
        return {name for sheet in sheets for name in (*sheet.actions, *(goal.name for goal in sheet.goals))}

    def _show_faults(self, faults: tuple[Fault, ...]) -> None:
        self._show_state()
        if faults == self._faults:
            return  # a list that is built again under the pointer cannot be clicked
        self._faults = faults
        self._editor.show_faults(faults)
        self._fault_box.clear()
        self._fault_box.set_visibility(bool(faults))
        self._hint.set_visibility(not faults)  # the first fault takes its place, so that the editor keeps its height
        with self._fault_box:
            for fault in faults[:_MOST_SHOWN]:
                _fault_line(fault, partial(self._editor.jump, max(fault.line, 1), max(fault.column, 1)))
        self._show_state()

    def _show_state(self) -> None:
        changed = self._drafts[self._name] != self._in_force[self._name]
        words = "not applied" if changed else "in force" if self.model.editable else "read only"
        if self._faults:
            words = f"{len(self._faults)} fault{'s' if len(self._faults) != 1 else ''}"
        mark(self._state, "ts-bad", bool(self._faults))
        mark(self._state, "ts-warn", changed and not self._faults)
        show_text(self._state, words)
        self._apply.set_enabled(changed and not self._faults)
        self._compare.set_enabled(changed and not self._faults)
        self._revert.set_enabled(changed)
        self._save.set_enabled(self.model.editable)

    # --- buttons ------------------------------------------------------------------------------------------------------

    async def apply(self) -> None:
        """Put the draft into force; with faults, show them and change nothing."""
        if await self._check():
            tell("The game goes on with the old model until the faults are mended.", bad=True)
            return
        name, text = self._name, self._drafts[self._name]
        with telling():
            said = self._session.apply(name, text)
            self._in_force[name] = text
            tell(said)
        self._show_state()

    async def compare(self) -> None:
        """Show what was played so far under the model in force and under the draft."""
        if await self._check():
            return
        with telling():
            found = await asyncio.to_thread(compare, self._session.panel, self._name, self._drafts[self._name])
            show_comparison(found, self.model.title, self._session.panel.goals)

    def load(self, file: str) -> None:
        """Put a file of the folder into the editor; it is not in force before it is applied."""
        with telling():
            self._drafts[self._name] = self._library.open(file)
            self._saved_as[self._name] = file
            self._open(self._name)
            self._typed()

    def _offer_files(self) -> None:
        files = self._library.names()
        self._files.clear()
        with self._files:
            for file in files[:_MOST_SHOWN]:
                ui.menu_item(file, on_click=partial(self.load, file)).props("dense")
            if not files:
                ui.menu_item("No model is in the folder yet; Save… puts one there").props("dense disable")

    def save(self) -> None:
        """Show the difference to the file, and save it when asked to."""
        if self.model.editable:
            file = self._saved_as[self._name]
            SaveDialog(self._library, file, self._drafts[self._name], begun=self.model.text).open()

    def revert(self) -> None:
        """Go back to the model in force."""
        self._drafts[self._name] = self._in_force[self._name]
        self._open(self._name)


def hint(model: Model) -> str:
    """Return what one can do with a file, in a line or two.

    >>> hint(Model("soldier", "soldier", "")).startswith("Those in the picture live by this file.")
    True
    """
    if not model.editable:
        return _READ_ONLY
    return _KEYS if model.make is not None else f"{_NO_READER} {_KEYS}"


def _fault_line(fault: Fault, jump: Any) -> None:
    line = ui.button(on_click=jump, color=None).props("flat dense no-caps align=left").classes("telos-fault")
    line.props["aria-label"] = f"Line {fault.line}: {sentence(fault)}"
    with line:
        ui.label(f"{max(fault.line, 1)}").classes("ts-fault-number")
        ui.label(sentence(fault)).classes("ts-fault-words")
