"""The Model panel (`ModelPanel`): edit, check, apply, compare and save the file behind the game.

`ModelEditor` is the text editor, `SaveDialog` shows the difference before saving, `show_comparison` runs both models.
"""

import asyncio
import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from telos import svg
from telos.core.errors import Fault, TelosError
from telos.studio.models.compare import ModelComparison, compare, find_faults
from telos.studio.models.completion import Completion, completions
from telos.studio.models.library import MAX_COMPARED_LINES, Library
from telos.studio.page.theme import goal_colour
from telos.studio.page.widgets import Act, box, empty_label, set_class, show_errors, show_note, show_text, text_button
from telos.studio.session import Session
from telos.studio.stage import Model
from telos.svg import clip_text, element, escape_text, role_colour, tenths, to_points

# --- editor -----------------------------------------------------------------------------------------------------------


THEMES: dict[bool, Literal["vscodeDark", "vscodeLight"]] = {True: "vscodeDark", False: "vscodeLight"}
_MAX_OFFERED = 60

Complete = Callable[[str, int, int], Sequence[Completion]]  # text, line, column (from 1) -> completions


class ModelEditor(ui.codemirror, esm={"telos-page": "scripts"}):
    """CodeMirror with marked faults; ``complete`` returns the completions at the cursor."""

    def __init__(self, complete: Complete, *, dark: bool, on_change: Act, keymap: dict[str, Any]) -> None:
        super().__init__("", language="YAML", theme=THEMES[dark], indent="  ", on_change=on_change, keymap=keymap)
        self._complete = complete
        self.on("complete", self._offer)
        self.classes("ts-editor")
        self._call(f"complete(getElement({self.id}))")

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """Mark the lines of faults, with the messages as tooltips."""
        lines = self.value.count("\n") + 1  # as the editor counts them
        messages: dict[int, str] = {}
        for fault in faults:
            line = min(max(fault.line, 1), lines)
            messages[line] = f"{messages[line]}\n{format_fault(fault)}" if line in messages else format_fault(fault)
        self.decorations = [{"kind": "line", "line": line, "class": "ts-fault-line"} for line in messages]
        self.line_tooltips = messages

    def jump(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line and scroll to it."""
        self._call(f"jump(getElement({self.id}), {line:d}, {column:d})")

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


# --- curves of a comparison -------------------------------------------------------------------------------------------


_WIDTH, _LEFT, _RIGHT = 860.0, 120.0, 12.0
_ROW, _GAP, _TOP = 72.0, 14.0, 8.0
_FOOT = 24.0
_MAX_POINTS = 600  # of a curve: a screen shows no more

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]  # of each goal: old, new


def comparison_svg(times: Sequence[float], truths: Sequence[str | None], curves: Curves) -> str:
    """Return an SVG with a row per goal: old curve dashed, new curve solid, shaded where it was the true goal."""
    height = _TOP + len(curves) * (_ROW + _GAP) + _FOOT
    parts = [
        part
        for number, (goal, (old, new)) in enumerate(curves.items())
        for part in _row(_TOP + number * (_ROW + _GAP), goal, goal_colour(goal), times, truths, old, new)
    ]
    return svg.document(
        "".join(parts) + _axis(height - _FOOT, times),
        class_="ts-overlaid",
        viewBox=f"0 0 {_WIDTH:g} {height:g}",
        role="img",
        aria_label="Old and new beliefs",
    )


def _row(
    top: float, goal: str, colour: str, times: Sequence[float], truths: Sequence[str | None],
    old: Sequence[float], new: Sequence[float],
) -> list[str]:  # fmt: skip
    bottom = top + _ROW
    width = _WIDTH - _LEFT - _RIGHT
    return [
        element("rect", x=_LEFT, y=top, width=width, height=_ROW, rx=3, fill=role_colour("ground")),
        *(_shade(begin, end, top, colour, times) for begin, end in find_stretches(truths, goal)),
        _curve(times, old, bottom, stroke=role_colour("faint"), stroke_dasharray="4 3", stroke_width=1.3),
        _curve(times, new, bottom, stroke=colour, stroke_width=1.8),
        _text(_LEFT - 10, top + _ROW / 2 + 4, escape_text(clip_text(goal, 16)), "end", "ink", 12),
        *(_tick(_LEFT - 4, bottom - share * _ROW + 3, f"{share:g}") for share in (0, 1)),
    ]


def _curve(times: Sequence[float], values: Sequence[float], bottom: float, **style: str | float) -> str:
    """Return a curve in steps: a belief holds until the next event."""
    points: list[tuple[float, float]] = []
    for at in thin_points(len(values)):
        x, y = _x(times, at), bottom - min(max(values[at], 0.0), 1.0) * _ROW
        points += [(x, points[-1][1]), (x, y)] if points else [(x, y)]
    return element("polyline", points=to_points(points), fill="none", **style)


def _shade(begin: int, end: int, top: float, colour: str, times: Sequence[float]) -> str:
    left, right = _x(times, begin), _x(times, min(end, len(times) - 1))
    width = max(right - left, 1)
    return element("rect", x=tenths(left), y=top, width=tenths(width), height=_ROW, fill=colour, fill_opacity=0.16)


def _axis(y: float, times: Sequence[float]) -> str:
    if not times:
        return ""
    marks = [(times[0], "start"), ((times[0] + times[-1]) / 2, "middle"), (times[-1], "end")]
    places = (_LEFT, (_LEFT + _WIDTH - _RIGHT) / 2, _WIDTH - _RIGHT)
    return "".join(_tick(x, y + 10, f"{time:.0f} s", anchor) for x, (time, anchor) in zip(places, marks, strict=True))


def _tick(x: float, y: float, words: str, anchor: str = "end") -> str:
    return _text(x, y, words, anchor, "faint", 10)


def _text(x: float, y: float, words: str, anchor: str, role: str, size: float) -> str:
    return element("text", words, x=x, y=y, text_anchor=anchor, fill=role_colour(role), font_size=size)


def _x(times: Sequence[float], at: int) -> float:
    spread = (times[-1] - times[0]) or 1.0
    return _LEFT + (times[at] - times[0]) / spread * (_WIDTH - _LEFT - _RIGHT)


def find_stretches(truths: Sequence[str | None], goal: str) -> list[tuple[int, int]]:
    """Return the runs of updates with a true goal, as pairs (first, after the last).

    >>> find_stretches(["a", "b", "b", None, "b"], "b")
    [(1, 3), (4, 5)]
    """
    found: list[tuple[int, int]] = []
    for at, truth in enumerate(truths):
        if truth != goal:
            continue
        if found and found[-1][1] == at:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found


def thin_points(count: int) -> list[int]:
    """Return the indices of the points to draw: all, or an even selection with both ends.

    >>> thin_points(3), len(thin_points(10_000)) <= 602, thin_points(10_000)[-1]
    ([0, 1, 2], True, 9999)
    """
    every = max(1, -(-count // _MAX_POINTS))
    chosen = list(range(0, count, every))
    return chosen if not count or chosen[-1] == count - 1 else [*chosen, count - 1]


# --- comparison -------------------------------------------------------------------------------------------------------


_NOTHING = "No event has been observed yet. Play for a moment, then compare."


def show_comparison(found: ModelComparison, title: str) -> None:
    """Open a dialog with the overlaid curves and the accuracy of both models."""
    with ui.dialog() as dialog, box("ts-dialog ts-compare"):
        with box("ts-dialog-head"):
            ui.label(f"{title}: in force and edited")
            text_button("Close", "Close the comparison", dialog.close, key="Esc")
        if not found.times:
            empty_label(_NOTHING)
        else:
            _show(found)
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _show(found: ModelComparison) -> None:
    ui.label(found.summary()).classes("ts-strong")
    with box("ts-row ts-legend"):
        box("ts-legend-old")
        ui.label(f"in force {format_percent(found.old_accuracy)}")
        box("ts-legend-new")
        ui.label(f"edited {format_percent(found.new_accuracy)}")
        ui.label("shaded: it was the player's goal").classes("ts-faint")
    curves = {goal: (found.old[goal], found.new[goal]) for goal in found.old}
    with box("ts-scroll"):
        ui.html(comparison_svg(found.times, found.truths, curves), sanitize=False)  # our own SVG, with escaped texts


def format_percent(share: float | None) -> str:
    """Return a share in per cent; a dash for None.

    >>> format_percent(0.8731), format_percent(None)
    ('87.3 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"


# --- the panel --------------------------------------------------------------------------------------------------------


_CHECK_DELAY = 0.3  # seconds after the last key press until a text is checked
_NONE = (
    "This world has no file to edit. Change the world itself instead: use Poke, below the picture, and see in the "
    "Mind panel how the characters react."
)
_READ_ONLY = "Read-only: this file defines the world itself."
_CHARACTER_FILE = (
    "Characters in the picture use this file. Apply it to change them from now on; there are no beliefs to compare."
)
_KEYS = "Ctrl+Space completes. Esc, then Tab, leaves the editor."
_MAX_SHOWN = 100  # faults or files in a list


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
            self._apply = text_button("Apply", "Use it in the running game", self.apply, key="Ctrl+Enter", tip="above")
            self._apply.classes("ts-main")
            self._compare = text_button("Compare", "Run both models on the game so far", self.compare, tip="above")
            with text_button("Open…", "Open a file of the folder in the editor", tip="above"):
                self._files = ui.menu().props("auto-close no-refocus")
                self._files.on("before-show", self._offer_files, args=[])
            self._save = text_button("Save…", "Show the difference, then save", self.save, key="Ctrl+S", tip="above")
            self._revert = text_button("Revert", "Back to the current model", self.revert, tip="above")

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
            self._adopt({model.name: model.text for model in self._session.stage.models()})
            self._adopt(self._session.recognizers.texts)
        if self._models:
            self._show_state()

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
        self._name = name
        self._editor.set_language("YAML" if self.model.language == "YAML" else None)
        self._editor.set_value(self._drafts[name])
        self._editor.set_enabled(self.model.editable)
        self._buttons.set_visibility(self.model.editable)
        self._compare.set_visibility(self.model.make is not None)
        show_text(self._hint, format_hint(self.model))
        self._show_faults(())
        self._show_state()

    def _typed(self) -> None:
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
        self._show_state()
        if faults == self._faults:
            return  # a list that is rebuilt under the pointer cannot be clicked
        self._faults = faults
        self._editor.show_faults(faults)
        self._fault_box.clear()
        self._fault_box.set_visibility(bool(faults))
        self._hint.set_visibility(not faults)  # replaced by the faults, so that the editor keeps its height
        with self._fault_box:
            for fault in faults[:_MAX_SHOWN]:
                _fault_line(fault, partial(self._editor.jump, max(fault.line, 1), max(fault.column, 1)))
        self._show_state()

    def _show_state(self) -> None:
        changed = self._drafts[self._name] != self._current[self._name]
        words = "not applied" if changed else "in force" if self.model.editable else "read only"
        if self._faults:
            words = f"{len(self._faults)} fault{'s' if len(self._faults) != 1 else ''}"
        set_class(self._state, "ts-bad", bool(self._faults))
        set_class(self._state, "ts-warn", changed and not self._faults)
        show_text(self._state, words)
        self._apply.set_enabled(changed and not self._faults)
        self._compare.set_enabled(changed and not self._faults)
        self._revert.set_enabled(changed)
        self._save.set_enabled(self.model.editable)

    # --- buttons ------------------------------------------------------------------------------------------------------

    async def apply(self) -> None:
        """Apply the draft; if it has faults, show them and change nothing."""
        if await self._check():
            show_note("The game keeps the old model until the faults are fixed.", bad=True)
            return
        name, text = self._name, self._drafts[self._name]
        with show_errors():
            change = self._session.apply(name, text)
            self._current[name] = text
            show_note(change)
        self._show_state()

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
