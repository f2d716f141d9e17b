"""The page: `build_page` builds what stays (`StudioPage`) and the parts of the game that is shown (`GamePage`)."""

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from nicegui import ui

from telos.core.errors import TelosError
from telos.studio.models.library import Library
from telos.studio.page.beliefs_panel import BeliefsPanel
from telos.studio.page.controls import Controls, free_keys
from telos.studio.page.game_menu import GameMenus, game_address
from telos.studio.page.help import help_dialog
from telos.studio.page.mind_panel import MindPanel, ModelLinks
from telos.studio.page.model_panel import ModelPanel
from telos.studio.page.panels import PANELS, WIDE, Panels
from telos.studio.page.score_panel import ScorePanel, has_scores
from telos.studio.page.theme import Theme
from telos.studio.page.widgets import (
    Act,
    Divider,
    LogView,
    Shell,
    StageCanvas,
    Timeline,
    box,
    icon_button,
    set_class,
    show_note,
    update_button,
)
from telos.studio.server.game import Game, page_structure
from telos.studio.server.hub import Hub, prepare_world
from telos.studio.stage import known_name, world_names

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
_SCRUB_INTERVAL = 0.15  # seconds between two updates while the user drags along the timeline


_SOUND = {False: ("volume_off", "Sound is off: switch it on"), True: ("volume_up", "Sound is on: switch it off")}
OpenGame = Callable[[str, Mapping[str, str]], Game]


def build_page(world: str, query: Mapping[str, str], library: Library, hub: Hub, open_game: OpenGame) -> None:
    """Build the page inside a page function, and show the game of an address.

    All games of the page come from ``open_game``, which receives the name of a world and the parameters of an address
    (none: the game that this visitor plays in that world) and may raise a ``TelosError``.
    """
    StudioPage(library, hub, open_game).open(world, query)


class StudioPage:
    """The page of one tab: the header, the theme and the keys. All else belongs to the game that is shown.

    Another game, of the same or of another world, replaces the old one in the same page.
    """

    def __init__(self, library: Library, hub: Hub, open_game: OpenGame) -> None:
        self._library, self._hub, self._open_game = library, hub, open_game
        self._client = ui.context.client
        self._shown: GamePage | None = None
        self._wide = False
        self._requests = 0
        self._theme = Theme()
        ui.add_css(Path(__file__).with_name("layout.css").read_text(encoding="utf-8"))
        self._shell = Shell(
            wide=WIDE,
            on_go=self._go,
            on_key=self._press,
            on_wide=self._widen,
            on_dark=self._set_dark,
            on_sound=self._set_sound,
        )
        with box("ts-page"):
            self._header()
            self._place = box("ts-game")
        self._own_layers = set(self._client.layout.default_slot.children)

    def open(self, world: str, query: Mapping[str, str]) -> None:
        """Show the game of an address, or what is wrong with the address."""
        try:
            game = self._open_game(known_name(world), query)
        except TelosError as error:
            with self._place:
                ui.label(str(error)).classes("ts-failure").props["role"] = "alert"
        else:
            self.show(game, push=False)

    def show(self, game: Game, *, push: bool) -> None:
        """Show a game in place of the one before; ``push`` adds its address to the history."""
        self._clear()
        with self._menus:
            menus = GameMenus(game.session, self._hub)
        with self._place:
            self._shown = GamePage(
                game,
                self._library,
                menus,
                dark=self._theme.dark,
                wide=self._wide,
                on_address=self._show_address,
                on_rebuild=partial(self.show, game, push=False),
            )
        for name, link in self._links.items():
            is_shown = name == game.session.world.name
            set_class(link, "ts-on", is_shown)
            link.props["aria-current"] = "page" if is_shown else "false"
        self._shell.keys = free_keys([*self._shown.acts, "m", "t", "?"], self._shown.taken)
        self._shell.show_address(self._shown.address(), push=push)

    def _show_address(self) -> None:
        if self._shown is not None:
            self._shell.show_address(self._shown.address(), push=False)

    def _clear(self) -> None:
        """Remove the game that is shown; its dialogs lie in a layer of their own."""
        self._menus.clear()
        self._place.clear()
        for layer in list(self._client.layout.default_slot.children):
            if layer not in self._own_layers:
                layer.delete()
        self._shown = None

    def _header(self) -> None:
        with ui.element("header").classes("ts-header"):
            ui.label("telos").classes("ts-wordmark")
            with ui.element("nav").classes("ts-worlds") as nav:
                nav.props["aria-label"] = "Worlds"
                self._links = {
                    name: ui.link(name.capitalize(), f"/{name}").classes("ts-world") for name in world_names()
                }
            box("ts-gap")
            self._menus = box("ts-game")
            self._sound = icon_button(*_SOUND[False], self._shell.toggle_sound, key="M")
            icon_button("contrast", "Dark or light", self._shell.toggle_theme, key="T")
            icon_button("help_outline", "Help", self._help, key="?")

    # --- what the browser reports -------------------------------------------------------------------------------------

    async def _go(self, address: str, popped: bool) -> None:
        """Show the game of an address; of several that were asked for at once, the last."""
        self._requests = request = self._requests + 1
        parts = urlsplit(address)
        try:
            name = known_name(parts.path.strip("/"))
            await asyncio.to_thread(prepare_world, name)
            if request != self._requests or self._client.is_deleted:
                return
            game = self._open_game(name, dict(parse_qsl(parts.query, keep_blank_values=True)))
        except TelosError as error:
            show_note(str(error), bad=True)
            if self._shown is not None:
                self._shell.show_address(self._shown.address(), push=False)
        else:
            self.show(game, push=not popped)

    def _press(self, key: str) -> None:
        acts: dict[str, Act] = {"m": self._shell.toggle_sound, "t": self._shell.toggle_theme, "?": self._help}
        acts |= self._shown.acts if self._shown is not None else {}
        if key in self._shell.keys:
            acts[key]()

    def _help(self) -> None:
        if self._shown is not None:
            self._shown.help.open()

    def _widen(self, wide: bool) -> None:
        self._wide = wide
        if self._shown is not None:
            self._shown.panels.widen(wide)

    def _set_sound(self, on: bool) -> None:
        update_button(self._sound, *_SOUND[on], key="M")

    def _set_dark(self, dark: bool) -> None:
        self._theme.dark = dark
        if self._shown is not None:
            self._shown.set_dark(dark)


class GamePage:
    """The canvas, controls, panels and timeline of one game."""

    def __init__(
        self,
        game: Game,
        library: Library,
        menus: GameMenus,
        *,
        dark: bool = True,
        wide: bool = False,
        on_address: Callable[[], None] = lambda: None,
        on_rebuild: Callable[[], None] = lambda: None,
    ) -> None:
        self._game, self._session, self._on_address = game, game.session, on_address
        self._on_rebuild = on_rebuild
        self._page = ui.context.client.id
        self._moment: int | None = None  # the frame that the panels show; None: the newest
        self._built_for = page_structure(game.session)
        self.taken = {code for code, _, _ in game.session.stage.keys}
        self.help = help_dialog(game.session)
        with box("ts-middle"):
            with box("ts-left"):
                with box("ts-stage-box"):
                    new_game = menus.new_game
                    StageCanvas(
                        f"/link/{game.name}?page={self._page}",
                        on_pick=self._pick,
                        on_again=None if new_game is None else new_game.another,
                        on_accept=None if new_game is None else new_game.accept,
                        on_free=None if new_game is None else new_game.play_freely,
                    )
                self.controls = Controls(game.session, on_take_over=self._take_over)
            self.panels = self._build_panels(library, dark=dark, wide=wide)
        with box("ts-below"):
            Divider("below", "Height of the timeline")
            self._line = Timeline(on_event=self._explain)
            icon_button("link", "Copy a link to this moment", self._copy_link).classes("ts-copy")
        self.acts = self._acts()
        timers = ((_CONTROLS_INTERVAL, self.controls.refresh), (_PANELS_INTERVAL, self.refresh))
        for interval, act in (*timers, (_SCRUB_INTERVAL, self._follow_scrub)):
            ui.timer(interval, partial(self._if_seen, act), immediate=False)

    def _build_panels(self, library: Library, *, dark: bool, wide: bool) -> Panels:
        self._parts: dict[str, BeliefsPanel | MindPanel | ModelPanel | ScorePanel] = {}

        def beliefs() -> None:
            self._parts["beliefs"] = self._beliefs = BeliefsPanel(
                self._session, on_release=lambda: self._line.release()
            )

        def mind() -> None:
            links = ModelLinks(self._open_trait, self._edit_trait, self._can_edit)
            self._parts["mind"] = self._mind = MindPanel(self._session, links)

        def model() -> None:
            self._parts["model"] = self._model = ModelPanel(self._session, library, dark=dark)

        def score() -> None:
            self._parts["score"] = ScorePanel(self._session)

        def log() -> None:
            with box("ts-panel-body"):
                self._log = LogView()

        builders = dict(zip(PANELS, (beliefs, mind, model, score, log), strict=True))
        unread = not self._session.recognizers.names
        is_empty = {"beliefs": unread, "model": not any(model.text for model in self._session.stage.models())}
        hidden = [name for name in PANELS if is_empty.get(name)]
        return Panels(
            builders,
            on_show=self._refresh_panel,
            keys=[key for key in free_keys("12345", self.taken) if PANELS[int(key) - 1] not in hidden],
            order=("mind", "model", "log", "score", "beliefs") if unread else PANELS,  # no empty panel beside another
            hidden=hidden,
            titles=self._titles(),
            wide=wide,
        )

    def _titles(self) -> dict[str, str]:
        """Return the titles of panels of which only a part is left, without recognisers or without a true goal."""
        titles = {} if has_scores(self._session) else {"score": "Pause"}
        return titles if self._session.recognizers.names else {**titles, "beliefs": "Why"}

    def _acts(self) -> dict[str, Act]:
        """Return the actions of the keys."""
        acts: dict[str, Act] = {
            str(number): partial(self.panels.show, name)
            for number, name in enumerate(PANELS, 1)
            if name not in self.panels.hidden
        }
        acts |= {"p": self.controls.toggle, ".": self.controls.step, ",": self.controls.step_back}
        acts |= {"+": lambda: self._line.zoom(closer=True), "-": lambda: self._line.zoom(closer=False)}
        if self._session.replay:
            acts["Enter"] = self._take_over
        return acts | {"Escape": self.controls.live}

    def _take_over(self) -> None:
        """Leave a replay, and play on: the game has another address then."""
        if self._session.replay:
            self._session.take_over()
            self.controls.refresh()
            self._on_address()

    def _if_seen(self, act: Act) -> None:
        """Update a part of the page, unless another page plays the game now, or this one is hidden."""
        is_ours = self._game.page in ("", self._page)
        if is_ours and not self._session.attention.is_hidden:
            act()

    def refresh(self) -> None:
        """Update the visible panels from the session."""
        if (
            page_structure(self._session) != self._built_for
        ):  # a game that runs elsewhere has more to tell than at first
            self._on_rebuild()
            return
        self._moment = self._session.shown
        for name in self.panels.shown:
            self._refresh_panel(name)

    def _refresh_panel(self, name: str) -> None:
        if name == "model":
            self._model.choose(self._mind.who)
        if name in self._parts:  # the log follows the game by itself
            self._parts[name].refresh()

    def _follow_scrub(self) -> None:
        """Show the moment that the user goes to while the mouse is still held."""
        if self._session.shown != self._moment:
            self.refresh()
            self.controls.refresh()

    def set_dark(self, dark: bool) -> None:
        """Change the theme of the editor; all else follows by itself."""
        self._model.set_dark(dark)

    # --- what was clicked ---------------------------------------------------------------------------------------------

    def _pick(self, who: str) -> None:
        if who in self._session.minds():
            self.panels.show("mind")
            self._mind.open(who)

    def _open_trait(self, who: str, kind: str, name: str) -> bool:
        """Show the line that defines a goal or an action; return whether there is one."""
        if not self._model.has_trait(who, kind, name):
            return False
        self.panels.show("model")
        return self._model.open_trait(who, kind, name)

    def _edit_trait(self, who: str, kind: str, name: str) -> None:
        self._model.ask_value(who, kind, name)

    def _can_edit(self, who: str) -> bool:
        return bool(self._parts.get("model")) and self._model.can_edit(who)

    def _explain(self, number: int) -> None:
        """Show the cause of a happening: as the recognisers read it, or in the log of a world without any."""
        if number >= len(self._session.happenings):
            return
        line = self._session.event_log.line_of(number)
        if self._session.recognizers.names or line is None:
            self.panels.show("beliefs")
            self._beliefs.explain(number)
        else:
            self.panels.show("log")
            self._log.open(line)

    # --- the address --------------------------------------------------------------------------------------------------

    def address(self, at: int | None = None) -> str:
        """Return the address of the game, by which a reloaded page finds it, or of a moment of it."""
        session, name = self._session, self._game.name
        if session.replay and at is None:  # whoever was "you" in it, is not now
            settings = {key: value for key, value in session.settings.items() if value != "you"} | {"replay": name}
        else:
            settings = {**session.settings, "game": name}
        return game_address(session.world.name, session.seed, settings, at=at)

    def _copy_link(self) -> None:
        at = self._session.last if self._session.shown is None else self._session.shown
        ui.run_javascript(_COPY % json.dumps(self.address(at)))
