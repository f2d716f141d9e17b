"""The page of a game: `build_page` builds its header, canvas, controls, timeline and panels (`GamePage`)."""

import json
from functools import partial
from pathlib import Path
from random import SystemRandom

from nicegui import ui

from telos.studio.models.library import Library
from telos.studio.page.beliefs_panel import BeliefsPanel
from telos.studio.page.controls import Controls, free_keys, listen_for_keys
from telos.studio.page.game_menu import NewGameMenu, game_address, recordings_button
from telos.studio.page.help import help_dialog
from telos.studio.page.mind_panel import MindPanel
from telos.studio.page.model_panel import ModelPanel
from telos.studio.page.panels import PANELS, Panels
from telos.studio.page.score_panel import ScorePanel
from telos.studio.page.theme import Theme, theme_css
from telos.studio.page.widgets import Act, StageCanvas, Timeline, box, icon_button, text_button
from telos.studio.server.game import Game
from telos.studio.server.hub import Hub
from telos.worlds.registry import WORLDS

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
            StageCanvas(
                f"/link/{self._game.name}",
                on_pick=self._pick,
                on_again=self._new_game.another,
                on_accept=self._new_game.accept,
            )

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
