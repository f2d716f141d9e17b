"""The Model panel (`ModelPanel`): the files behind the game and its characters, to edit, check, apply and save.

Its parts are in `designer`: the editor, the comparison of two models, and the resolved view of a character.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from telos.core.errors import Fault, TelosError
from telos.studio.models.compare import TOO_LARGE, compare, find_faults
from telos.studio.models.completion import Completion, completions
from telos.studio.models.editing import MAX_VALUE, parse_number, write_value
from telos.studio.models.library import Library
from telos.studio.models.resolved import ACTION, ResolvedMind, SourceLine, Trait, resolve_mind
from telos.studio.page.designer.comparison import show_comparison
from telos.studio.page.designer.editor import THEMES, ModelEditor, SaveDialog, format_fault
from telos.studio.page.designer.resolved_view import ResolvedView, ask_value
from telos.studio.page.widgets import box, empty_label, set_class, show_errors, show_note, show_text, text_button
from telos.studio.session import Session
from telos.studio.stage import Model

_CHECK_DELAY = 0.3  # seconds after the last key press until a text is checked
_NONE = (
    "This world has no file to edit. Change the world itself instead: use Poke, below the picture, and see in the "
    "Mind panel how the characters react."
)
_READ_ONLY = "Read-only: this file defines the world itself."
_RESOLVED = "All that the files of {who} add up to. Click a number to change it, a name or a place to see its line."
_CHARACTER_FILE = (
    "Characters in the picture use this file. Apply it to change them from now on; there are no beliefs to compare."
)
_KEYS = "Ctrl+Space completes. Esc, then Tab, leaves the editor."
_MAX_SHOWN = 100  # faults or files in a list
_MAX_VALUE_TEXT = 12  # characters of a number; an expression is longer, and replaced as a whole


class ModelPanel:
    """The panel. It keeps a draft per model, so that switching files loses nothing."""

    def __init__(self, session: Session, library: Library, *, dark: bool) -> None:
        self._session, self._library = session, library
        self._models = {model.name: model for model in session.stage.models()}
        self._current = {name: session.recognizers.texts.get(name, model.text) for name, model in self._models.items()}
        self._drafts = dict(self._current)
        self._saved_as = {name: model.file or f"{name}.yaml" for name, model in self._models.items()}
        self._name = next(
            (name for name, model in self._models.items() if model.editable), next(iter(self._models), "")
        )
        self._faults: tuple[Fault, ...] = ()
        self._version = session.version
        self._edits = 0
        self._who = ""  # the character whose files are offered
        self._is_resolved = False  # whether the resolved view is shown in place of the text
        self._earlier: dict[str, list[str]] = {}  # the texts that were in force before, of each model
        with box("ts-panel-body ts-model"):
            if not self._models:
                empty_label(_NONE)
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
        self._chain = box("ts-chips ts-chain")
        self._chain.set_visibility(False)
        self._editor = ModelEditor(
            self._complete,
            dark=dark,
            on_change=self._typed,
            on_large=self._hold_back,
            keymap={"Mod-Enter": self.apply, "Mod-s": self.save},
        )
        with box("ts-scroll ts-grow") as self._resolved_box:
            self._resolved = ResolvedView(
                on_trait=lambda kind, name: self.open_trait(self._who, kind, name),
                on_edit=lambda kind, name: self.ask_value(self._who, kind, name),
                on_line=self.open_line,
            )
        self._resolved_box.set_visibility(False)
        self._hint = ui.label().classes("ts-hint")
        with box("ts-faults") as self._fault_box:
            self._fault_box.props["aria-live"] = "polite"
        self._fault_box.set_visibility(False)
        with box("ts-row") as self._buttons:
            self._apply = text_button("Apply", "Use it in the running game", self.apply, key="Ctrl+Enter", tip="above")
            self._apply.classes("ts-main")
            self._compare = text_button("Compare", "Run both models on the game so far", self.compare, tip="above")
            with text_button("Open…", "Open a file of the folder in the editor", tip="above"):
                self._files = ui.menu().props("auto-close no-refocus")
                self._files.on("before-show", self._offer_files, args=[])
            self._save = text_button("Save…", "Show the difference, then save", self.save, key="Ctrl+S", tip="above")
            self._revert = text_button("Revert", "Back to the current model", self.revert, tip="above")
            self._undo = text_button("Undo", "Back to the model before the last Apply", self.undo, tip="above")

    @property
    def model(self) -> Model:
        """The model in the editor."""
        return self._models[self._name]

    def set_dark(self, dark: bool) -> None:
        """Follow the theme of the page."""
        if self._models:
            self._editor.set_theme(THEMES[dark])

    def refresh(self) -> None:
        """Update from the session: a replayed recording applies models, too."""
        if self._version != self._session.version:
            self._version = self._session.version
            self._read_models()
        if self._models:
            self._show_state()
            if self._is_resolved:
                self._show_resolved()

    def _read_models(self) -> None:
        """Take over texts that were applied elsewhere, and files that have become a part of the game."""
        known = set(self._models)
        self._models |= {model.name: model for model in self._session.stage.models()}
        for name in self._models.keys() - known:
            model = self._models[name]
            self._current[name] = self._drafts[name] = model.text
            self._saved_as[name] = model.file or f"{name}.yaml"
        if self._models.keys() != known:
            self._which.set_options({name: model.title for name, model in self._models.items()}, value=self._name)
        self._adopt(self._session.texts())
        self._show_chain()

    def _adopt(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            if name not in self._current or self._current[name] == text:
                continue
            was_draft = self._drafts[name] != self._current[name]
            self._current[name] = text
            if not was_draft:
                self._drafts[name] = text
                if name == self._name:
                    self._open(name)

    # --- editing ------------------------------------------------------------------------------------------------------

    def _open(self, name: str) -> None:
        if name not in self._models:
            return
        self._name, self._is_resolved = name, False
        if self._which.value != name:
            self._which.set_value(name)  # opens it again, which does no harm
        self._editor.set_language("YAML" if self.model.language == "YAML" else None)
        self._editor.show_text(self._drafts[name])
        self._editor.set_enabled(self.model.editable)
        self._show_view()
        self._compare.set_visibility(self.model.make is not None)
        self._show_faults(())
        self._show_state()

    def _show_view(self) -> None:
        """Show the text or the resolved view, with what belongs to it."""
        self._editor.set_visibility(not self._is_resolved)
        self._resolved_box.set_visibility(self._is_resolved)
        self._state.set_visibility(not self._is_resolved)
        self._buttons.set_visibility(self.model.editable and not self._is_resolved)
        words = _RESOLVED.format(who=self._who) if self._is_resolved else format_hint(self.model)
        show_text(self._hint, words)
        self._fault_box.set_visibility(bool(self._faults) and not self._is_resolved)
        for chip in self._chain:
            is_on = (
                self._is_resolved
                if chip.props["model"] == ""
                else not self._is_resolved and chip.props["model"] == self._name
            )
            set_class(chip, "ts-on", is_on, aria="aria-pressed")

    def _hold_back(self, size: int) -> None:
        """Note that the editor holds a text that is too large to be sent; 0: not any more."""
        self._edits += 1  # a check that is under way is about another text
        self._show_faults((TOO_LARGE,) if size else ())

    def _typed(self) -> None:
        if self._editor.held_back:
            return
        self._drafts[self._name] = self._editor.value
        self._edits += 1
        self._show_state()
        background_tasks.create(self._check_later(self._edits))

    async def _check_later(self, edit: int) -> None:
        await asyncio.sleep(_CHECK_DELAY)
        if edit == self._edits and not self._editor.is_deleted:
            await self._check()

    async def _check(self) -> tuple[Fault, ...]:
        """Check the draft in a thread, so that the game goes on."""
        if self._editor.held_back:
            return (TOO_LARGE,)
        name, text = self._name, self._drafts[self._name]
        if text == self._current[name]:
            faults: tuple[Fault, ...] = ()
        else:
            faults = await asyncio.to_thread(find_faults, self.model, text)
        if (name, text) == (self._name, self._drafts[self._name]):  # it has not been edited meanwhile
            self._show_faults(faults)
        return faults

    def _complete(self, text: str, line: int, column: int) -> Sequence[Completion]:
        try:
            return completions(self.model.name, text, line, column, words=self._words())
        except TelosError:
            return ()

    def _words(self) -> set[str]:
        """Return names for completion in a character file: goals and actions of the current characters."""
        views = [view for who in self._session.minds() if (view := self._session.mind(who)) is not None]
        return {name for view in views for name in (*view.actions, *(goal.name for goal in view.goals))}

    def _show_faults(self, faults: tuple[Fault, ...]) -> None:
        if faults == self._faults:
            self._show_state()
            return  # a list that is rebuilt under the pointer cannot be clicked
        self._faults = faults
        if not self._editor.held_back:  # an update would put the known text in place of the one that was held back
            self._editor.show_faults(faults)
        self._fault_box.clear()
        self._fault_box.set_visibility(bool(faults))
        self._hint.set_visibility(not faults)  # replaced by the faults, so that the editor keeps its height
        with self._fault_box:
            for fault in faults[:_MAX_SHOWN]:
                _fault_line(fault, partial(self._editor.jump, max(fault.line, 1), max(fault.column, 1)))
        self._show_state()

    def _show_state(self) -> None:
        changed = self._drafts[self._name] != self._current[self._name] or self._editor.held_back
        words = "not applied" if changed else "in force" if self.model.editable else "read only"
        if self._faults:
            words = f"{len(self._faults)} fault{'s' if len(self._faults) != 1 else ''}"
        set_class(self._state, "ts-bad", bool(self._faults))
        set_class(self._state, "ts-warn", changed and not self._faults)
        show_text(self._state, words)
        self._apply.set_enabled(changed and not self._faults)
        self._compare.set_enabled(changed and not self._faults)
        self._revert.set_enabled(changed)
        self._save.set_enabled(self.model.editable and not self._editor.held_back)
        self._undo.set_visibility(bool(self._earlier.get(self._name)))

    # --- buttons ------------------------------------------------------------------------------------------------------

    async def apply(self) -> None:
        """Apply the draft; if it has faults, show them and change nothing."""
        if await self._check():
            show_note("The game keeps the old model until the faults are fixed.", bad=True)
            return
        name, text = self._name, self._drafts[self._name]
        with show_errors():
            show_note(self._use(name, text))
        self._show_state()

    def _use(self, name: str, text: str) -> str:
        """Use a text in the game, and keep the one before for `undo`; return what has changed."""
        before = self._current[name]
        change = self._session.apply(name, text)
        self._earlier.setdefault(name, []).append(before)
        self._set_current(name, text)
        return change

    def _set_current(self, name: str, text: str) -> None:
        self._current[name] = self._drafts[name] = text
        if name == self._name and self._editor.value != text:
            self._editor.show_text(text)
        self.refresh()

    def undo(self, name: str = "") -> str:
        """Go back to the text of a model before its last change in the game; return what has changed."""
        name = name or self._name
        change = ""
        with show_errors():
            if earlier := self._earlier.get(name):
                change = self._session.apply(name, earlier[-1])
                self._set_current(name, earlier.pop())
                show_note(f"Undone. {change}")
        self._show_state()
        return change

    # --- characters ---------------------------------------------------------------------------------------------------

    def choose(self, who: str) -> None:
        """Offer the files of a character: its own, those that it is like, and its domain."""
        if not self._models or who == self._who:
            return
        self._who = who
        self._show_chain()
        chain = self._session.stage.sources(who)
        is_draft = self._drafts[self._name] != self._current[self._name]
        if chain and not is_draft and chain[0] in self._models and self._models[chain[0]].editable:
            self._open(chain[0])

    def _show_chain(self) -> None:
        """Show a chip for the resolved view, and for each file of the chosen character."""
        chain = [name for name in self._session.stage.sources(self._who) if name in self._models]
        self._chain.set_visibility(bool(chain))
        if [chip.props["model"] for chip in self._chain] != ["", *chain]:
            self._chain.clear()
            with self._chain:
                _chip("", f"Resolved: {self._who}", "All that these files add up to", self.show_resolved)
                for place, name in enumerate(chain):
                    model = self._models[name]
                    is_parent = place > 0 and model.editable
                    says = (
                        "Its own file"
                        if not place
                        else f"{chain[place - 1]} is like this"
                        if is_parent
                        else model.title
                    )
                    _chip(name, f"‹ {name}" if is_parent else name, says, partial(self._open, name))
        self._chain.update()
        self._show_view()

    def show_resolved(self) -> None:
        """Show the resolved view of the chosen character."""
        self._is_resolved = True
        self._show_view()
        self._show_resolved()

    def _show_resolved(self) -> None:
        files = {name: model.file for name, model in self._models.items()}
        editable = frozenset(name for name, model in self._models.items() if model.editable)
        self._resolved.show(self._session.resolve(self._who), files, editable)

    def resolve(self, who: str) -> ResolvedMind | None:
        """Return the traits of a character with the lines that they have in the editor."""
        view, chain = self._session.mind(who), self._session.stage.sources(who)
        if view is None or not chain:
            return None
        drafts = {**self._session.texts(), **self._drafts}
        return resolve_mind(drafts, chain, (goal.name for goal in view.goals), view.actions)

    def can_edit(self, who: str) -> bool:
        """Whether priorities and costs of a character can be changed in place."""
        chain = self._session.stage.sources(who)
        return bool(chain) and chain[0] in self._models and self._models[chain[0]].editable

    def has_trait(self, who: str, kind: str, name: str) -> bool:
        """Whether a file defines a goal or an action of a character."""
        return self._find_source(who, kind, name) is not None

    def _find_source(self, who: str, kind: str, name: str) -> SourceLine | None:
        mind = self.resolve(who)
        trait = None if mind is None else mind.find(kind, name)
        source = None if trait is None else trait.source
        return source if source is not None and source.model in self._models else None

    def open_trait(self, who: str, kind: str, name: str) -> bool:
        """Show the line that defines a goal or an action; return whether there is one."""
        source = self._find_source(who, kind, name)
        if source is None:
            return False
        self.choose(who)
        self.open_line(source.model, source.line, source.column)
        return True

    def open_line(self, model: str, line: int, column: int = 1) -> None:
        """Show a line of a model, marked."""
        if model in self._models:
            self._open(model)
            self._editor.show_line(line, column)

    # --- changes in place ---------------------------------------------------------------------------------------------

    def ask_value(self, who: str, kind: str, name: str) -> None:
        """Ask for another priority of a goal or cost of an action, and apply it."""
        with show_errors():
            trait, model = self._find_editable(who, kind, name)
            assert trait.edit is not None  # it is editable
            word = str(trait.edit.path[-1])
            what = word.capitalize() if word in ("weight", "duration") else "Cost" if kind == ACTION else "Priority"
            written = f"Written as: {trait.value}. " if trait.value else ""
            about = f"{written}The change is made in {model.file}, and holds for all that use it."
            value = trait.value if len(trait.value) <= _MAX_VALUE_TEXT else ""
            ask_value(f"{what} of {name}", value, about, partial(self._apply_value, who, kind, name))

    async def _apply_value(self, who: str, kind: str, name: str, written: str) -> str:
        change = await self.change_value(who, kind, name, written)
        show_note(f"{name}: {written.strip()}. {change} Undo is in the Model panel.")
        return change

    async def change_value(self, who: str, kind: str, name: str, written: str) -> str:
        """Write a priority or a cost into the character's own file and apply it, or raise with what is wrong."""
        trait, model = self._find_editable(who, kind, name)
        value = parse_number(written, least=0.0 if kind == ACTION else -MAX_VALUE)
        if self._drafts[model.name] != self._current[model.name]:
            raise TelosError(f"{model.file} has changes that are not applied", "apply or revert them first")
        assert trait.edit is not None  # it is editable
        text = write_value(self._current[model.name], trait.edit.path, value)
        if faults := await asyncio.to_thread(find_faults, model, text):
            raise TelosError(format_fault(faults[0]))
        return self._use(model.name, text)

    def _find_editable(self, who: str, kind: str, name: str) -> tuple[Trait, Model]:
        mind = self._session.resolve(who)
        trait = None if mind is None else mind.find(kind, name)
        if trait is None or trait.edit is None:
            raise TelosError(f"no file defines {name!r}", "it cannot be changed in this world")
        model = self._models.get(trait.edit.model)
        if model is None or not model.editable:
            raise TelosError(
                f"{name!r} is defined in {trait.edit.model}, which is read-only", "look at it in the Model panel"
            )
        return trait, model

    async def compare(self) -> None:
        """Compare the current model and the draft on the game so far."""
        if await self._check():
            return
        with show_errors():
            found = await asyncio.to_thread(compare, self._session.recognizers, self._name, self._drafts[self._name])
            show_comparison(found, self.model.title)

    def load(self, file: str) -> None:
        """Open a file of the folder in the editor, without applying it."""
        with show_errors():
            self._drafts[self._name] = self._library.open(file)
            self._saved_as[self._name] = file
            self._open(self._name)
            self._typed()

    def _offer_files(self) -> None:
        files = self._library.names()
        self._files.clear()
        with self._files:
            for file in files[:_MAX_SHOWN]:
                ui.menu_item(file, on_click=partial(self.load, file)).props("dense")
            if not files:
                ui.menu_item("The folder has no model yet; Save… adds one").props("dense disable")

    def save(self) -> None:
        """Open the dialog that shows the difference and saves."""
        if self.model.editable:
            file = self._saved_as[self._name]
            SaveDialog(self._library, file, self._drafts[self._name], begun=self.model.text).open()

    def revert(self) -> None:
        """Discard the draft."""
        self._drafts[self._name] = self._current[self._name]
        self._open(self._name)


def format_hint(model: Model) -> str:
    """Return the hint below the editor for a model.

    >>> format_hint(Model("soldier", "soldier", "")).startswith("Characters in the picture use this file.")
    True
    """
    if not model.editable:
        return _READ_ONLY
    return _KEYS if model.make is not None else f"{_CHARACTER_FILE} {_KEYS}"


def _fault_line(fault: Fault, jump: Any) -> None:
    line = ui.button(on_click=jump, color=None).props("flat dense no-caps align=left").classes("telos-fault")
    line.props["aria-label"] = f"Line {fault.line}: {format_fault(fault)}"
    with line:
        ui.label(f"{max(fault.line, 1)}").classes("ts-fault-number")
        ui.label(format_fault(fault)).classes("ts-fault-words")


def _chip(model: str, words: str, says: str, act: Any) -> ui.button:
    chip = ui.button(words, on_click=lambda: act(), color=None).props("flat dense no-caps").classes("ts-chip")
    chip.props["model"] = model
    chip.props["title"] = says
    return chip
