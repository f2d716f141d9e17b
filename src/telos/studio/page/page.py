"""The page of a game: `build_page` builds its header, canvas, controls, timeline and panels (`GamePage`)."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import SystemRandom

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.studio.models.library import Library
from telos.studio.page.beliefs_panel import BeliefsPanel
from telos.studio.page.game_menu import NewGameMenu, game_address, recordings_button
from telos.studio.page.mind_panel import MindPanel
from telos.studio.page.model_panel import ModelPanel
from telos.studio.page.score_panel import ScorePanel
from telos.studio.page.widgets import (
    Act,
    StageCanvas,
    Timeline,
    box,
    heading,
    icon_button,
    set_class,
    set_label,
    show_errors,
    show_text,
    text_button,
    theme_css,
    tooltip,
    update_button,
    with_key,
)
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.studio.session import SPEEDS, Session
from telos.studio.stage import Poke
from telos.worlds.registry import WORLDS

# --- panels -----------------------------------------------------------------------------------------------------------


PANELS = ("beliefs", "mind", "model", "score")
WIDE = 1700  # pixels; from this width on, two panels are shown side by side
_TELL_WIDTH = f"""
(() => {{
  const wide = matchMedia("(min-width: {WIDE}px)");
  const tell = () => emitEvent("telos-wide", wide.matches);
  wide.addEventListener("change", tell);
  tell();
}})();
"""


class Panels:
    """The tabs and their panels. Hidden panels stay in the page, so that they keep scroll position and cursor."""

    def __init__(
        self,
        builders: dict[str, Callable[[], None]],
        on_show: Callable[[str], None],
        *,
        keys: Collection[str],
        order: Sequence[str] = PANELS,
    ) -> None:
        self._on_show, self._keys = on_show, keys
        self._wide = False
        self._recent = list(order)  # the one shown last is first
        self._tabs: dict[str, ui.button] = {}
        self._boxes: dict[str, ui.element] = {}
        with box("ts-panels"):
            with box("ts-tabs") as tabs:
                tabs.props["role"] = "tablist"
                for number, name in enumerate(PANELS, 1):
                    self._tabs[name] = self._tab(name, number)
            with box("ts-panel-row"):
                for name in PANELS:
                    with box("ts-panel") as self._boxes[name]:
                        self._boxes[name].props["role"] = "tabpanel"
                        self._boxes[name].props["aria-label"] = name.capitalize()
                        builders[name]()
        ui.on("telos-wide", self._widen)
        ui.run_javascript(_TELL_WIDTH)
        self._arrange()

    @property
    def shown(self) -> tuple[str, ...]:
        """The visible panels."""
        return tuple(self._recent[: 2 if self._wide else 1])

    def show(self, name: str) -> None:
        """Show a panel."""
        was_shown = name in self.shown
        self._recent.remove(name)
        self._recent.insert(0, name)
        if not was_shown:
            self._arrange()
            self._on_show(name)

    def _tab(self, name: str, number: int) -> ui.button:
        tab = ui.button(name.capitalize(), on_click=lambda: self.show(name), color=None)
        tab.props("flat dense no-caps role=tab").classes("ts-tab")
        tooltip(tab, with_key(name.capitalize(), str(number) if str(number) in self._keys else ""))
        return tab

    def _widen(self, event: GenericEventArguments) -> None:
        self._wide = event.args is True
        self._arrange()
        for name in self.shown:
            self._on_show(name)

    def _arrange(self) -> None:
        for name, tab in self._tabs.items():
            on = name in self.shown
            set_class(tab, "ts-on", on, aria="aria-selected")
            self._boxes[name].set_visibility(on)


# --- controls ---------------------------------------------------------------------------------------------------------


_MAX_SUGGESTIONS = 200  # of commands
_SHORT = {0.25: "¼", 0.5: "½"}


class Controls:
    """The strip below the picture: play, pause, step, speed, live, pokes and commands. It mirrors the session."""

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
            with set_label(button, "All commands"), ui.menu().props("auto-close no-refocus") as self._commands:
                self._commands.classes("ts-menu")
        self._suggested: tuple[str, ...] = ()
        return command

    def toggle(self) -> None:
        """Pause or continue."""
        self._session.pause(not self._session.paused)
        self.refresh()

    def step(self) -> None:
        """Pause, and advance the game by one step."""
        if self._session.is_catching_up:
            return  # a step now would change the moment that it must reach
        self._session.scrub(None)
        self._session.pause(True)
        self._session.advance()
        self.refresh()

    def live(self) -> None:
        """Show the newest frame."""
        self._session.scrub(None)
        self.refresh()

    def refresh(self) -> None:
        """Update the strip from the session, which a watchpoint or the timeline may have paused."""
        session = self._session
        icon, label = ("play_arrow", "Play on") if session.paused else ("pause", "Pause")
        update_button(self._play, icon, label, key="P")
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
    (".", ".", "one step"),
    ("1", "1 – 4", "beliefs, mind, model, score"),
    ("Escape", "Esc", "back to the live game"),
    ("t", "T", "dark or light"),
    ("?", "?", "this help"),
)
_KEY_CODES = {"p": "KeyP", ".": "Period", "t": "KeyT", "1": "Digit1", "2": "Digit2", "3": "Digit3", "4": "Digit4"}

# Not ``ui.keyboard``: it would also send each arrow key of the game to the server, and it ignores whether an editor has
# the focus.
_LISTEN = """
(() => {
  if (window.telosKeys) document.removeEventListener("keydown", window.telosKeys);
  const wanted = %s;
  window.telosKeys = (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!wanted.includes(key) || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable=true], .q-dialog, .q-menu")) return;
    if (key === "Escape" && document.querySelector(".q-dialog, .q-menu")) return;
    event.preventDefault();
    emitEvent("telos-key", key);
  };
  document.addEventListener("keydown", window.telosKeys);
  document.addEventListener("click", (event) => {
    // after a click on Pause, Space must not press it again; after Tab, the focus stays
    if (event.detail && event.target.closest?.(".ts-strip .q-btn, .ts-tab")) {
      document.querySelector(".telos-stage canvas")?.focus({ preventScroll: true });
    }
  });
})();
"""


def listen_for_keys(acts: Mapping[str, Act], taken: Collection[str]) -> None:
    """Call an action for a key (``"p"``, ``"?"``, ``"Escape"``), except for keys that the world has ``taken``."""
    wanted = free_keys(acts, taken)

    def press(event: GenericEventArguments) -> None:
        if event.args in wanted:
            acts[str(event.args)]()

    ui.on("telos-key", press)
    ui.run_javascript(_LISTEN % json.dumps(wanted))


def free_keys(keys: Collection[str], taken: Collection[str]) -> list[str]:
    """Return the keys that the world does not use.

    >>> free_keys(["p", "1", "?"], taken=["Digit1", "ArrowUp"])
    ['p', '?']
    """
    return [key for key in keys if _KEY_CODES.get(key, key) not in taken]


def studio_keys(taken: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the help on the keys that the world does not use.

    >>> studio_keys(taken=["Digit1", "Period", "KeyT", "Escape"])
    (('P', 'pause and go on'), ('?', 'this help'))
    """
    return tuple((name, words) for key, name, words in _KEY_HELP if free_keys([key], taken))


# --- theme ------------------------------------------------------------------------------------------------------------


_COOKIE = "telos-theme"
# A cookie, so that the server builds the page in the right theme and nothing flashes.
_REMEMBER = 'document.cookie = "{cookie}={theme}; path=/; max-age=31536000; samesite=strict"'
_ASK = 'if (matchMedia("(prefers-color-scheme: light)").matches) emitEvent("telos-light")'


class Theme:
    """The theme of one page: from a cookie, otherwise as the system prefers; ``on_change`` receives a new one."""

    def __init__(self, on_change: Callable[[bool], None]) -> None:
        self._on_change = on_change
        request = ui.context.client.request
        known = request.cookies.get(_COOKIE)
        self.dark = known != "light"
        self._mode = ui.dark_mode(self.dark)
        if known is None:
            ui.on("telos-light", self._lighten)
            ui.run_javascript(_ASK)

    def toggle(self) -> None:
        """Change the theme and store it in the cookie."""
        self._set(not self.dark)
        ui.run_javascript(_REMEMBER.format(cookie=_COOKIE, theme="dark" if self.dark else "light"))

    def _lighten(self, _: GenericEventArguments) -> None:
        self._set(False)

    def _set(self, dark: bool) -> None:
        self.dark = dark
        self._mode.set_value(dark)
        self._on_change(dark)


# --- help -------------------------------------------------------------------------------------------------------------


PANEL_HELP: tuple[tuple[str, str], ...] = (
    ("Beliefs", "the goal that each recogniser infers, and why: now, or after an event that you click"),
    ("Mind", "goals, plan and memory of a character: click it in the picture, then a goal to ask why not"),
    ("Model", "the file behind the game: edit it, compare it with the old one, apply it while the game runs"),
    ("Score", "how often each recogniser was right, and a condition to pause the game on"),
)
TIMELINE = (
    "Drag along the timeline to go back; the picture, the beliefs and the minds show that moment. "
    "Esc or Live returns. The link button copies an address that opens the same game at the same moment."
)
_KEY_NAMES = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Space": "space"}


def help_dialog(session: Session) -> ui.dialog:
    """Return the help dialog, closed."""
    with ui.dialog() as dialog, box("ts-dialog ts-help"):
        with box("ts-dialog-head"):
            ui.label(session.world.title)
            text_button("Close", "Close the help", dialog.close, key="Esc")
        ui.label(session.world.about).classes("ts-prose")
        with box("ts-help-columns"):
            with box("ts-help-column"):
                if session.stage.keys:
                    heading("Play")
                    _pairs(format_keys(session.stage.keys), keys=True)
                heading("Studio")
                _pairs(studio_keys({code for code, _, _ in session.stage.keys}), keys=True)
            with box("ts-help-column"):
                heading("Panels")
                _pairs(PANEL_HELP)
                heading("Timeline")
                ui.label(TIMELINE).classes("ts-prose")
    return dialog


def format_keys(keys: tuple[tuple[str, str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the keys of a world, one line per action.

    >>> format_keys((("ArrowUp", "up", "walk"), ("KeyW", "up", "walk"), ("Space", "swing", "swing the sword")))
    (('↑ W', 'walk'), ('space', 'swing the sword'))
    """
    by_action: dict[str, list[str]] = {}
    for code, _, words in keys:
        by_action.setdefault(words, []).append(key_name(code))
    return tuple((" ".join(names), words) for words, names in by_action.items())


def key_name(code: str) -> str:
    """Return the label of a key.

    >>> key_name("KeyW"), key_name("ArrowLeft"), key_name("Digit3"), key_name("ShiftLeft")
    ('W', '←', '3', 'Shift')
    """
    if code in _KEY_NAMES:
        return _KEY_NAMES[code]
    return code.removeprefix("Key").removeprefix("Digit").removesuffix("Left").removesuffix("Right")


def _pairs(pairs: tuple[tuple[str, str], ...], *, keys: bool = False) -> None:
    with box("ts-pairs"):
        for name, words in pairs:
            ui.label(name).classes("ts-key" if keys else "ts-term")
            ui.label(words)


# --- the page ---------------------------------------------------------------------------------------------------------


# Browsers grant the clipboard to local and https pages only, and users may deny it: then the link is shown in a prompt.
_COPY = """
(async () => {
  const link = location.origin + %s;
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    return window.prompt("The link to this moment", link);
  }
  (await import("telos-studio/notice.js")).toast("The link to this moment is on the clipboard.");
})();
"""
_CONTROLS_INTERVAL, _PANELS_INTERVAL = 0.5, 1.0  # seconds between two updates from the session


def build_page(game: Game, library: Library, hub: Hub) -> None:
    """Build the page of a game, inside a page function."""
    GamePage(game, library, hub)


class GamePage:
    """One page: it builds the parts and connects them."""

    def __init__(self, game: Game, library: Library, hub: Hub) -> None:
        self._game, self._session, self._hub = game, game.session, hub
        self._taken = {code for code, _, _ in game.session.stage.keys}
        ui.add_css(theme_css())
        ui.add_css(Path(__file__).with_name("layout.css").read_text(encoding="utf-8"))
        self._theme = Theme(lambda dark: self._model.set_dark(dark))
        self._help = help_dialog(game.session)
        with box("ts-page"):
            self._header()
            with box("ts-middle"):
                with box("ts-left"):
                    self._canvas()
                    self._controls = Controls(game.session)
                self._panels = self._build_panels(library)
            with box("ts-below"):
                self._timeline()
        self._listen()
        ui.timer(_CONTROLS_INTERVAL, self._controls.refresh, immediate=False)
        ui.timer(_PANELS_INTERVAL, self._refresh, immediate=False)
        self._keep_address()

    # --- parts --------------------------------------------------------------------------------------------------------

    def _header(self) -> None:
        with ui.element("header").classes("ts-header"):
            ui.label("telos").classes("ts-wordmark")
            with ui.element("nav").classes("ts-worlds") as nav:
                nav.props["aria-label"] = "Worlds"
                for name in WORLDS:
                    link = ui.link(name.capitalize(), f"/{name}").classes("ts-world")
                    if name == self._session.world.name:
                        link.classes("ts-on").props["aria-current"] = "page"
            box("ts-gap")
            with text_button("New game", "Another seed, other settings", icon="add", tip="left"):
                self._new_game = NewGameMenu(self._session, rng=SystemRandom())
            recordings_button(self._session, self._hub)
            icon_button("contrast", "Dark or light", self._theme.toggle, key="T")
            icon_button("help_outline", "Help", self._help.open, key="?")

    def _canvas(self) -> None:
        with box("ts-stage-box"):
            StageCanvas(f"/link/{self._game.name}", on_pick=self._pick, on_again=self._new_game.another)

    def _timeline(self) -> None:
        self._line = Timeline(on_event=self._explain)
        icon_button("link", "Copy a link to this moment", self._copy_link).classes("ts-copy")

    def _build_panels(self, library: Library) -> Panels:
        self._parts: dict[str, BeliefsPanel | MindPanel | ModelPanel | ScorePanel] = {}

        def beliefs() -> None:
            self._parts["beliefs"] = self._beliefs = BeliefsPanel(
                self._session, on_release=lambda: self._line.release()
            )

        def mind() -> None:
            self._parts["mind"] = self._mind = MindPanel(self._session)

        def model() -> None:
            self._parts["model"] = self._model = ModelPanel(self._session, library, dark=self._theme.dark)

        def score() -> None:
            self._parts["score"] = ScorePanel(self._session)

        builders = dict(zip(PANELS, (beliefs, mind, model, score), strict=True))
        unused = {"beliefs": not self._session.recognizers.names, "model": not self._session.stage.models()}
        order = sorted(PANELS, key=lambda name: unused.get(name, False))  # empty panels come last
        keys = free_keys("1234", self._taken)
        return Panels(builders, on_show=lambda name: self._parts[name].refresh(), keys=keys, order=order)

    def _listen(self) -> None:
        acts: dict[str, Act] = {str(number): partial(self._panels.show, name) for number, name in enumerate(PANELS, 1)}
        acts |= {"p": self._controls.toggle, ".": self._controls.step, "Escape": self._controls.live}
        acts |= {"t": self._theme.toggle, "?": self._help.open}
        listen_for_keys(acts, self._taken)

    # --- what was clicked ---------------------------------------------------------------------------------------------

    def _pick(self, who: str) -> None:
        if who in self._session.minds():
            self._panels.show("mind")
            self._mind.open(who)

    def _explain(self, number: int) -> None:
        if number < len(self._session.happenings):
            self._panels.show("beliefs")
            self._beliefs.explain(number)

    def _refresh(self) -> None:
        for name in self._panels.shown:
            self._parts[name].refresh()

    # --- the address --------------------------------------------------------------------------------------------------

    def _address(self, at: int | None = None) -> str:
        session = self._session
        return game_address(session.world.name, session.seed, {**session.settings, "game": self._game.name}, at=at)

    def _keep_address(self) -> None:
        """Put the game's name into the address, so that a reloaded page finds its game."""
        ui.run_javascript(f"history.replaceState(null, '', {json.dumps(self._address())})")

    def _copy_link(self) -> None:
        at = self._session.last if self._session.shown is None else self._session.shown
        ui.run_javascript(_COPY % json.dumps(self._address(at)))
