"""The strip below the picture (`Controls`), the keys of the studio (`free_keys`, `studio_keys`), and papers to fill in.

A stage may have papers (`Form`): `FormButtons` puts a button for each into the strip, which opens a dialog.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial

from nicegui import ui

from telos.studio.page.widgets import (
    box,
    icon_button,
    set_label,
    show_errors,
    show_text,
    text_button,
    tooltip,
    update_button,
)
from telos.studio.session import SPEEDS, Session
from telos.studio.stage import Form, FormField, Poke

_MAX_SUGGESTIONS = 200  # of commands
_SHORT = {0.25: "¼", 0.5: "½"}


class Controls:
    """The strip below the picture: play, pause, step, speed, live, pokes and commands. It mirrors the session."""

    def __init__(self, session: Session, *, on_take_over: Callable[[], None] = lambda: None) -> None:
        self._session = session
        self._pokes: tuple[Poke, ...] = ()
        with box("ts-strip"):
            self._play = icon_button("pause", "Pause", self.toggle, key="P", tip="above")
            self._back = icon_button("skip_previous", "One frame back", self.step_back, key=",", tip="above")
            self._step = icon_button("skip_next", "One step", self.step, key=".", tip="above")
            self._speed = self._speeds()
            self._live = text_button("Live", "Back to the live game", self.live, icon="sensors", key="Esc", tip="above")
            self._live.classes("ts-live")
            self._end = text_button("End", "Go to the end of the recording", self.end, icon="last_page", tip="above")
            self._take = text_button("Play on from here", "Leave the recording", on_take_over, key="Enter", tip="above")
            self._take.classes("ts-main")
            self._moment = ui.label().classes("ts-moment")
            box("ts-gap")
            self._pokes_button = text_button("Poke", "Do something to the world", icon="touch_app", tip="left")
            with self._pokes_button, ui.menu().props("auto-close no-refocus") as self._menu:
                self._menu.classes("ts-menu")
            self._forms = FormButtons(session, self._send)
            self._command = self._command_box()
        self.refresh()

    def _speeds(self) -> ui.toggle:
        speeds = {speed: _SHORT.get(speed, f"{speed:g}") for speed in SPEEDS}
        toggle = ui.toggle(speeds, value=self._session.speed, on_change=lambda event: self._set_speed(event.value))
        toggle.props("dense flat no-caps").classes("ts-speeds")
        toggle.props["aria-label"] = "Speed"
        tooltip(toggle, "How fast the game runs", "above")
        return toggle

    def _command_box(self) -> ui.input:
        command = ui.input(placeholder="a command").props("dense outlined")
        command.props["aria-label"] = "A command for the player; Tab completes it, Enter sends it"
        command.on("keydown.enter", self._ask).classes("ts-command")
        with command.add_slot("append"):
            button = ui.button(icon="expand_more", color=None).props("flat dense").classes("ts-icon")
            with set_label(button, "All commands"), ui.menu().props("auto-close no-refocus") as self._commands:
                self._commands.classes("ts-menu")
        self._suggested: tuple[str, ...] = ()
        return command

    def toggle(self) -> None:
        """Pause or continue."""
        session = self._session
        session.pause(not (session.paused or session.waits))
        self.refresh()

    def step(self) -> None:
        """Pause, and go one frame on; at the newest frame this advances the game."""
        self._session.step()
        self.refresh()

    def step_back(self) -> None:
        """Pause, and go one frame back."""
        self._session.step_back()
        self.refresh()

    def live(self) -> None:
        """Show the newest frame."""
        self._session.scrub(None)
        self.refresh()

    def end(self) -> None:
        """Go to the end of the recording that is repeated."""
        replay = self._session.replay
        if replay:
            self._session.seek(int(replay["steps"]))

    def refresh(self) -> None:
        """Update the strip from the session, which a watchpoint or the timeline may have paused."""
        session = self._session
        icon, label = ("play_arrow", "Play on") if session.paused or session.waits else ("pause", "Pause")
        update_button(self._play, icon, label, key="P")
        if self._speed.value != session.speed:
            self._speed.set_value(session.speed)
        for button, is_wanted in ((self._end, True), (self._take, session.world.runs_here)):
            if button.visible != (bool(session.replay) and is_wanted):
                button.set_visibility(bool(session.replay) and is_wanted)
        if self._speed.visible == session.world.is_live:
            self._speed.set_visibility(not session.world.is_live)
        self._live.set_enabled(session.shown is not None)
        show_text(self._moment, session.stopped or (f"frame {session.shown}" if session.shown is not None else ""))
        self._offer_pokes(tuple(session.stage.pokes()))
        self._suggest(tuple(session.stage.commands()))
        self._forms.refresh()

    def _offer_pokes(self, pokes: tuple[Poke, ...]) -> None:
        if pokes == self._pokes and self._pokes_button.visible == bool(pokes):
            return
        self._pokes = pokes
        self._pokes_button.set_visibility(bool(pokes))
        _fill(self._menu, [(poke.title, f"poke {poke.name}") for poke in pokes], self._send)

    def _suggest(self, commands: tuple[str, ...]) -> None:
        if commands != self._suggested or self._command.visible != bool(commands):
            self._suggested = commands
            self._command.set_visibility(bool(commands))
            self._command.props["placeholder"] = f"such as: {commands[0]}" if commands else ""
            self._command.set_autocomplete(list(commands[:_MAX_SUGGESTIONS]))
            _fill(self._commands, [(each, each) for each in commands[:_MAX_SUGGESTIONS]], self._send)

    def _ask(self) -> None:
        words = (self._command.value or "").strip()
        if words:
            self._send(words)
            self._command.set_value("")

    def _send(self, words: str) -> None:
        with show_errors():
            self._session.ask(words)

    def _set_speed(self, speed: float) -> None:
        with show_errors():
            self._session.set_speed(speed)


def _fill(menu: ui.menu, items: Sequence[tuple[str, str]], send: Callable[[str], None]) -> None:
    menu.clear()
    with menu:
        for title, words in items:
            ui.menu_item(title, on_click=partial(send, words)).props("dense")


# --- keys -------------------------------------------------------------------------------------------------------------


_KEY_HELP: tuple[tuple[str, str, str], ...] = (  # key, its name in the help, description
    ("p", "P", "pause and go on"),
    (".", ".", "one step; hold to go on"),
    (",", ",", "one frame back; hold to go on"),
    ("1", "1 – 5", "beliefs, mind, model, score, log"),
    ("+", "+ −", "zoom the timeline"),
    ("n", "n N", "next and previous match in the log"),
    ("Escape", "Esc", "back to the live game"),
    ("m", "M", "sound on or off"),
    ("t", "T", "dark or light"),
    ("?", "?", "this help"),
)
_KEY_CODES = {"p": "KeyP", ".": "Period", ",": "Comma", "m": "KeyM", "t": "KeyT", "n": "KeyN"}
_KEY_CODES |= {digit: f"Digit{digit}" for digit in "12345"}


def free_keys(keys: Collection[str], taken: Collection[str]) -> list[str]:
    """Return the keys that the world does not use.

    >>> free_keys(["p", "1", "?"], taken=["Digit1", "ArrowUp"])
    ['p', '?']
    """
    return [key for key in keys if _KEY_CODES.get(key, key) not in taken]


def studio_keys(taken: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the help on the keys that the world does not use.

    >>> studio_keys(taken=["Digit1", "Period", "Comma", "KeyM", "KeyT", "KeyN", "Escape", "+"])
    (('P', 'pause and go on'), ('?', 'this help'))
    """
    return tuple((name, words) for key, name, words in _KEY_HELP if free_keys([key], taken))


# --- forms ------------------------------------------------------------------------------------------------------------


class FormButtons:
    """A button for each form of the stage. Its dialog sends the commands of all lines that were changed."""

    def __init__(self, session: Session, send: Callable[[str], None]) -> None:
        self._session, self._send = session, send
        self._titles: tuple[str, ...] = ()
        self._place = box("ts-forms")

    def refresh(self) -> None:
        """Show a button for each form that there is now."""
        titles = tuple(form.title for form in self._session.stage.forms())
        if titles == self._titles:
            return
        self._titles = titles
        self._place.clear()
        with self._place:
            for number, form in enumerate(self._session.stage.forms()):
                text_button(form.title, form.about, lambda at=number: self.open(at), icon="assignment", tip="above")

    def open(self, number: int) -> None:
        """Open the dialog of a form, with its present values."""
        forms = self._session.stage.forms()
        if number < len(forms):
            FormDialog(forms[number], self._send)


class FormDialog:
    """The dialog of one form; closing it writes nothing down."""

    def __init__(self, form: Form, send: Callable[[str], None]) -> None:
        self._form, self._send = form, send
        self._chosen: dict[int, str] = {}  # the commands of changed lines
        with ui.dialog(value=True) as self._dialog, box("ts-dialog ts-form"):
            self._dialog.on_value_change(lambda event: None if event.value else self._dialog.delete())
            with box("ts-dialog-head"):
                ui.label(form.title)
                text_button("Close", "Close without writing", self._dialog.close, key="Esc")
            ui.label(form.about).classes("ts-prose")
            with box("ts-form-fields"):
                for number, field in enumerate(form.fields):
                    self._field(number, field)
            with box("ts-form-end"):
                text_button("Write it down", "Write the chosen lines on the paper", self._write).classes("ts-main")
                if form.submit is not None:
                    text_button(form.submit.title, "Hand it in as it is now", self._submit)

    def _field(self, number: int, field: FormField) -> None:
        options = {choice.command: choice.title for choice in field.choices}
        value = next((choice.command for choice in field.choices if choice.title == field.value), None)
        ui.label(field.title)
        menu = ui.select(options, value=value).props("dense outlined options-dense")
        menu.props["aria-label"] = field.title
        menu.on_value_change(lambda event: self._choose(number, event.value, before=value))

    def _choose(self, number: int, command: str, *, before: str | None) -> None:
        self._chosen.pop(number, None)
        if command != before:
            self._chosen[number] = command

    def _write(self) -> None:
        self._dialog.close()
        for number in sorted(self._chosen):
            self._send(self._chosen[number])

    def _submit(self) -> None:
        assert self._form.submit is not None
        self._write()
        self._send(self._form.submit.command)
