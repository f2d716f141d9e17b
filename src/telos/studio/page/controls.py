"""The strip below the picture: play, pause, step, speed, back to live, pokes, and the box for commands."""

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from telos.studio.page.parts import box, icon_button, named, renamed, show_text, telling, text_button, tooltip
from telos.studio.session import SPEEDS, Session
from telos.studio.stage import Poke

_MOST_SUGGESTED = 200  # commands that are offered while one types
_SHORT = {0.25: "¼", 0.5: "½"}


class Controls:
    """What one can do to the game as a whole. The session is the truth; the strip is brought in line with it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pokes: tuple[Poke, ...] = ()
        with box("ts-strip"):
            self._play = icon_button("pause", "Pause", self.toggle, key="P", tip="above")
            self._step = icon_button("skip_next", "One step", self.step, key=".", tip="above")
            self._speed = self._speeds()
            self._live = text_button("Live", "Back to the live game", self.live, icon="sensors", key="Esc", tip="above")
            self._live.classes("ts-live")
            self._moment = ui.label().classes("ts-moment")
            box("ts-gap")
            self._pokes_button = text_button("Poke", "Do something to the world", icon="touch_app", tip="left")
            with self._pokes_button, ui.menu().props("auto-close no-refocus") as self._menu:
                self._menu.classes("ts-menu")
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
            with named(button, "All commands"), ui.menu().props("auto-close no-refocus") as self._commands:
                self._commands.classes("ts-menu")
        self._suggested: tuple[str, ...] = ()
        return command

    def toggle(self) -> None:
        """Pause, or go on."""
        self._session.pause(not self._session.paused)
        self.refresh()

    def step(self) -> None:
        """Pause, and move on by one step from where the game stands."""
        if self._session.hurries:
            return  # it moves on by itself, and a step more would lead elsewhere
        self._session.scrub(None)
        self._session.pause(True)
        self._session.advance()
        self.refresh()

    def live(self) -> None:
        """Look at the present again."""
        self._session.scrub(None)
        self.refresh()

    def refresh(self) -> None:
        """Bring the strip in line with the session: it may have been paused by a condition, or from the timeline."""
        session = self._session
        icon, says = ("play_arrow", "Play on") if session.paused else ("pause", "Pause")
        renamed(self._play, icon, says, key="P")
        if self._speed.value != session.speed:
            self._speed.set_value(session.speed)
        self._live.set_enabled(session.shown is not None)
        show_text(self._moment, session.stopped or (f"frame {session.shown}" if session.shown is not None else ""))
        self._offer_pokes(tuple(session.stage.pokes()))
        self._suggest(tuple(session.stage.commands()))

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
            self._command.set_autocomplete(list(commands[:_MOST_SUGGESTED]))
            _fill(self._commands, [(each, each) for each in commands[:_MOST_SUGGESTED]], self._send)

    def _ask(self) -> None:
        words = (self._command.value or "").strip()
        if words:
            self._send(words)
            self._command.set_value("")

    def _send(self, words: str) -> None:
        with telling():
            self._session.ask(words)

    def _set_speed(self, speed: float) -> None:
        with telling():
            self._session.set_speed(speed)


def _fill(menu: ui.menu, items: Sequence[tuple[str, str]], send: Callable[[str], None]) -> None:
    menu.clear()
    with menu:
        for title, words in items:
            ui.menu_item(title, on_click=partial(send, words)).props("dense")
