"""The text editor of the Model panel (`ModelEditor`), and the dialog that shows the difference before it saves."""

import difflib
import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import Fault, TelosError
from telos.studio.models.completion import Completion
from telos.studio.models.library import MAX_BYTES, MAX_COMPARED_LINES, Library
from telos.studio.page.widgets import Act, box, show_note, show_text, text_button

# --- editor -----------------------------------------------------------------------------------------------------------


THEMES: dict[bool, Literal["vscodeDark", "vscodeLight"]] = {True: "vscodeDark", False: "vscodeLight"}
_MAX_OFFERED = 60

Complete = Callable[[str, int, int], Sequence[Completion]]  # text, line, column (from 1) -> completions


class ModelEditor(ui.codemirror, esm={"telos-page": "../scripts"}):
    """CodeMirror with marked faults; ``complete`` returns the completions at the cursor.

    A text that is too large to be sent stays in the browser: ``on_large`` receives its size, and ``held_back`` is true
    until it has been shortened or replaced.
    """

    def __init__(
        self, complete: Complete, *, dark: bool, on_change: Act, on_large: Act, keymap: dict[str, Any]
    ) -> None:
        look: dict[str, Any] = {"theme": THEMES[dark], "indent": "  ", "line_wrapping": True}
        super().__init__("", language="YAML", on_change=on_change, keymap=keymap, **look)
        self._complete, self._on_large = complete, on_large
        self.held_back = False
        self._fault_lines: list[int] = []
        self._shown_line = 0
        self.on("complete", self._offer)
        self.on("large", self._hold_back)
        self.on("shortened", self._accept)
        self.classes("ts-editor")
        self._call(f"complete(getElement({self.id}), {MAX_BYTES})")

    def show_text(self, text: str) -> None:
        """Show a text in place of the one before."""
        self._shown_line = 0
        self.set_value(text)
        if self.held_back:  # the browser shows another text than the one that is known here
            self.held_back = False
            self._call(f"replace(getElement({self.id}), {json.dumps(text)})")

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """Mark the lines of faults, with the messages as tooltips."""
        lines = self.value.count("\n") + 1  # as the editor counts them
        messages: dict[int, str] = {}
        for fault in faults:
            line = min(max(fault.line, 1), lines)
            messages[line] = f"{messages[line]}\n{format_fault(fault)}" if line in messages else format_fault(fault)
        self._fault_lines = list(messages)
        self._mark_lines()
        self.line_tooltips = messages

    def show_line(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line, scroll to it, and mark it until another text is shown."""
        lines = self.value.split("\n")
        self._shown_line = min(max(line, 1), len(lines))
        self._mark_lines()
        expected = json.dumps(lines[self._shown_line - 1])
        self._call(f"jump(getElement({self.id}), {self._shown_line:d}, {column:d}, {expected})")

    def _mark_lines(self) -> None:
        marks = [{"kind": "line", "line": line, "class": "ts-fault-line"} for line in self._fault_lines]
        marks += [{"kind": "line", "line": self._shown_line, "class": "ts-shown-line"}] if self._shown_line else []
        self.decorations = marks

    def jump(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line and scroll to it."""
        self._call(f"jump(getElement({self.id}), {line:d}, {column:d})")

    def _hold_back(self, event: GenericEventArguments) -> None:
        if type(event.args) is int:
            self.held_back = True
            self._on_large(event.args)

    def _accept(self, event: GenericEventArguments) -> None:
        if self.held_back and isinstance(event.args, str) and len(event.args) <= MAX_BYTES:
            self.held_back = False
            self.set_value(event.args)
            self._on_large(0)

    def _offer(self, event: GenericEventArguments) -> None:
        asked = event.args if isinstance(event.args, dict) else {}
        number, line, column = (asked.get(key) for key in ("number", "line", "column"))
        if not (isinstance(number, int) and isinstance(line, int) and isinstance(column, int)):
            return  # a browser may send anything
        found = self._complete(self.value, line, column)[:_MAX_OFFERED]
        options = [{"label": each.label, "info": each.info} for each in found]
        ui.run_javascript(f"window.telosCompleted?.({number:d}, {json.dumps(options)})")

    def _call(self, call: str) -> None:
        ui.run_javascript(f'import("telos-page/completion.js").then((module) => module.{call})')


def format_fault(fault: Fault) -> str:
    """Return the message and the suggestion of a fault, without its position.

    >>> format_fault(Fault("there is no goal 'exlore'", suggestion="did you mean 'explore'?", line=3, column=7))
    "there is no goal 'exlore'; did you mean 'explore'?"
    """
    return f"{fault.message}; {fault.suggestion}" if fault.suggestion else fault.message


# --- saving -----------------------------------------------------------------------------------------------------------


_MAX_DIFF_LINES = 400  # of a difference that are shown
_SAME = "The file is identical already."
_NEW = "A new file. Differences from the model at the start of the game:"
_NEW_AS_BEGUN = "A new file, with the model as at the start of the game."
_REPLACES = "This replaces the file {name} in the models folder."


class SaveDialog:
    """Asks for a name, shows the difference to that file, and saves on request.

    For a new file it shows the difference to ``begun``, the model at the start of the game.
    """

    def __init__(self, library: Library, name: str, text: str, *, begun: str) -> None:
        self._library, self._text, self._begun = library, text, begun
        self._digest: str | None = None
        with ui.dialog().props('aria-label="Save the model"') as self._dialog, box("ts-dialog ts-save"):
            with box("ts-dialog-head"):
                ui.label("Save the model")
            ui.label("File in the models folder").classes("ts-hint")
            self._name = ui.input(value=name, on_change=self._look).on("keydown.enter", self._save)
            self._name.props("dense outlined autofocus").props["aria-label"] = "File in the models folder"
            self._note = ui.label().classes("ts-hint")
            self._lines = box("ts-diff")
            with box("ts-row ts-end"):
                text_button("Cancel", "Save nothing", self._dialog.close)
                self._button = text_button("Save", "Write the file", self._save).classes("ts-main")
        self._dialog.on("hide", self._dialog.delete, args=[])
        self._look()

    def open(self) -> None:
        """Show the dialog."""
        self._dialog.open()

    def _look(self) -> None:
        """Show what saving would change, and keep the digest of the file: only that version may be replaced."""
        name = (self._name.value or "").strip()
        self._lines.clear()
        self._lines.set_visibility(False)
        try:
            held = self._library.held(name)
            self._digest = None if held is None else held.digest
            lines = self._differences(name, is_new=held is None)
        except TelosError as error:
            self._say(str(error), can_save=False)
            return
        if self._digest is None:
            self._say(_NEW if lines else _NEW_AS_BEGUN, can_save=True)
        else:
            self._say(_REPLACES.format(name=name) if lines else _SAME, can_save=bool(lines))
            self._button.set_text("Replace")
        self._lines.set_visibility(bool(lines))
        with self._lines:
            for line in lines[:_MAX_DIFF_LINES]:
                ui.label(line or " ").classes(diff_class(line))

    def _differences(self, name: str, *, is_new: bool) -> list[str]:
        if not is_new:
            return self._library.diff(name, self._text).splitlines()
        before, after = self._begun.splitlines(), self._text.splitlines()
        if max(len(before), len(after)) > MAX_COMPARED_LINES:  # the time is quadratic
            return [f"+{line}" for line in after]
        return list(difflib.unified_diff(before, after, "start of the game", name, lineterm=""))

    def _say(self, words: str, *, can_save: bool) -> None:
        show_text(self._note, words)
        self._button.set_text("Save")
        self._button.set_enabled(can_save)

    def _save(self) -> None:
        name = (self._name.value or "").strip()
        try:
            self._library.save(name, self._text, replaces=self._digest)
        except TelosError as error:  # the file may have changed since the difference was shown
            self._look()
            show_note(str(error), bad=True)
            return
        self._dialog.close()
        show_note(f"Saved as {name}.")


def diff_class(line: str) -> str:
    """Return the CSS class of a line of a unified diff.

    >>> diff_class("+lasts: 50"), diff_class("+++ new"), diff_class(" same")
    ('ts-added', 'ts-faint', '')
    """
    if line.startswith(("+++", "---", "@@")):
        return "ts-faint"
    return {"+": "ts-added", "-": "ts-removed"}.get(line[:1], "")
