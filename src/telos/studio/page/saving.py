"""Saving a model: the difference is shown first, and nothing is overwritten without asking."""

import difflib

from nicegui import ui

from telos.core.errors import TelosError
from telos.studio.models.library import MOST_COMPARED, Library
from telos.studio.page.parts import box, show_text, tell, text_button

_MOST_LINES = 400  # of a difference: nobody reads on after that
_SAME = "The file says the same already."
_NEW = "A new file. What differs from the model that the game began with:"
_NEW_AS_BEGUN = "A new file, with the model as the game began with it."
_REPLACES = "This replaces the file {name} in the models folder."


class SaveDialog:
    """Asks for a name, shows what would change in that file, and saves when told to.

    Of a file that is not there yet, it shows what differs from ``begun``, which the game began with.
    """

    def __init__(self, library: Library, name: str, text: str, *, begun: str) -> None:
        self._library, self._text, self._begun = library, text, begun
        self._digest: str | None = None
        with ui.dialog() as self._dialog, box("ts-dialog ts-save"):
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
        """Show what saving would change; the digest of what is there now is what may be replaced, and nothing else."""
        name = (self._name.value or "").strip()
        self._lines.clear()
        self._lines.set_visibility(False)
        try:
            held = self._library.held(name)
            self._digest = None if held is None else held.digest
            lines = self._differences(name, is_new=held is None)
        except TelosError as refusal:
            self._say(str(refusal), can_save=False)
            return
        if self._digest is None:
            self._say(_NEW if lines else _NEW_AS_BEGUN, can_save=True)
        else:
            self._say(_REPLACES.format(name=name) if lines else _SAME, can_save=bool(lines))
            self._button.set_text("Replace")
        self._lines.set_visibility(bool(lines))
        with self._lines:
            for line in lines[:_MOST_LINES]:
                ui.label(line or " ").classes(diff_class(line))

    def _differences(self, name: str, *, is_new: bool) -> list[str]:
        if not is_new:
            return self._library.diff(name, self._text).splitlines()
        before, after = self._begun.splitlines(), self._text.splitlines()
        if max(len(before), len(after)) > MOST_COMPARED:  # comparing takes the square of it
            return [f"+{line}" for line in after]
        return list(difflib.unified_diff(before, after, "as the game began", name, lineterm=""))

    def _say(self, words: str, *, can_save: bool) -> None:
        show_text(self._note, words)
        self._button.set_text("Save")
        self._button.set_enabled(can_save)

    def _save(self) -> None:
        name = (self._name.value or "").strip()
        try:
            self._library.save(name, self._text, replaces=self._digest)
        except TelosError as refusal:  # it may have changed since the difference was shown
            self._look()
            tell(str(refusal), bad=True)
            return
        self._dialog.close()
        tell(f"Saved as {name}.")


def diff_class(line: str) -> str:
    """Return how a line of a unified difference is shown.

    >>> diff_class("+lasts: 50"), diff_class("+++ new"), diff_class(" same")
    ('ts-added', 'ts-faint', '')
    """
    if line.startswith(("+++", "---", "@@")):
        return "ts-faint"
    return {"+": "ts-added", "-": "ts-removed"}.get(line[:1], "")
