"""Menus of the header (`GameMenus`): a new game (`NewGameMenu`) and recordings (`RecordingsMenu`)."""

import asyncio
from collections.abc import Mapping
from functools import partial
from random import Random, SystemRandom
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import UploadEventArguments

from telos.core.errors import TelosError
from telos.studio.page.widgets import (
    box,
    heading,
    icon_button,
    navigate,
    show_errors,
    show_note,
    show_text,
    text_button,
)
from telos.studio.recording import MAX_BYTES, parse_seed
from telos.studio.server.hub import Hub
from telos.studio.session import FREE_GOALS, Session
from telos.studio.stage import Setting

_SEEDS = 10_000  # short enough to pass on


class NewGameMenu:
    """The seed and the settings of the next game. Starting it opens its address."""

    def __init__(self, session: Session, *, rng: Random) -> None:
        self._session, self._rng = session, rng
        self._fields: dict[str, Any] = {}
        with ui.menu().props('no-focus role=dialog aria-label="New game"') as self._menu, box("ts-popup"):
            self._menu.classes("ts-menu")
            heading(f"New game: {session.world.title}")
            for start in session.world.starts:
                button = text_button(start.title, start.about, partial(self._begin, start.settings), tip="left")
                button.classes("ts-main ts-start")
            with box("ts-field"):
                ui.label("Seed")
                self._seed = ui.input(value=str(session.seed)).props("dense outlined inputmode=numeric")
                self._seed.on("keydown.enter", lambda: self._begin()).props["aria-label"] = "Seed"
                icon_button("casino", "Another random seed", self._roll)
            for setting in session.world.settings:
                self._fields[setting.name] = self._field(setting)
            self._fault = ui.label().classes("ts-hint ts-bad")
            self._fault.props["role"] = "alert"
            show_text(self._fault, "")
            with box("ts-row"):
                restart = partial(text_button, "Restart this game", "The same seed and settings as now, from the start")
                restart(self._again, icon="replay")
                box("ts-gap")
                begin = partial(text_button, "Begin", "A new game with the seed and the settings above")
                begin(lambda: self._begin(), icon="play_arrow").classes("ts-main")

    def _field(self, setting: Setting) -> Any:
        value = self._session.settings[setting.name]
        with box("ts-field"):
            ui.label(setting.title)
            field: Any
            if setting.options:
                titles = {option: setting.title_of(option) for option in setting.options}
                field = ui.select(titles, value=value).props("dense outlined options-dense")
            else:
                field = ui.input(value=value).props("dense outlined inputmode=numeric")
            field.props["aria-label"] = setting.title
        if setting.about:
            ui.label(setting.about).classes("ts-hint")
        return field

    def another(self) -> None:
        """Start a game with the same settings and a random seed."""
        navigate(game_address(self._session.world.name, self._rng.randrange(_SEEDS), self._session.settings))

    def play_freely(self) -> None:
        """Start a game with goals of the player's own and a random seed."""
        settings = {**self._session.settings, **FREE_GOALS}
        navigate(game_address(self._session.world.name, self._rng.randrange(_SEEDS), settings))

    def accept(self, number: int) -> None:
        """Start the game that the picture invites to, with the same seed."""
        invitations = self._session.stage.invitations()
        if number < len(invitations):
            settings = {**self._session.settings, **invitations[number].settings}
            navigate(game_address(self._session.world.name, self._session.seed, settings))

    def _roll(self) -> None:
        self._seed.set_value(str(self._rng.randrange(_SEEDS)))
        show_text(self._fault, "")

    def _again(self) -> None:
        navigate(game_address(self._session.world.name, self._session.seed, self._session.settings))

    def _begin(self, changes: Mapping[str, str] | None = None) -> None:
        world = self._session.world
        settings = {name: str(field.value or "").strip() for name, field in self._fields.items()} | dict(changes or {})
        try:
            seed = parse_seed(str(self._seed.value or ""))
            if faults := world.describe_faults(settings):
                raise TelosError(faults[0])
        except TelosError as error:
            show_text(self._fault, str(error))
            return
        show_text(self._fault, "")
        navigate(game_address(world.name, seed, settings))


def game_address(world: str, seed: int, settings: Mapping[str, str], *, at: int | None = None) -> str:
    """Return the address of a game, or of a moment of it.

    >>> game_address("adventure", 7, {"rules": "test"}, at=412)
    '/adventure?seed=7&rules=test&at=412'
    """
    query = {"seed": str(seed), **settings, **({} if at is None else {"at": str(at)})}
    return f"/{world}?{urlencode(query)}"


# --- recordings -------------------------------------------------------------------------------------------------------


class RecordingsMenu:
    """Downloads of the game and its log, and the upload of a recording."""

    def __init__(self, session: Session, hub: Hub) -> None:
        self._session, self._hub = session, hub
        self._upload: ui.upload | None = None
        with ui.menu().props('role=dialog aria-label="Recordings"') as self._menu, box("ts-popup"):
            self._menu.classes("ts-menu")
            heading("Recording")
            text_button(
                "Download this game", "The whole game, for replay in the studio", self._download, icon="download"
            )
            self._log = text_button(
                "Download its log", "The game as other commands of Telos read it", self._download_log, icon="list_alt"
            )
            self._place = self._upload_box()
        self._menu.on("before-show", self._offer, args=[])

    def _offer(self) -> None:
        """Show the second download only in worlds that have a recording of their own, and accept uploads."""
        self._log.set_visibility(self._session.stage.recording() is not None)
        if self._upload is None:  # only now: it adds a route to the app, and most pages never open the menu
            with self._place:
                self._upload = self._upload_element()

    def _upload_box(self) -> ui.element:
        """Return the place of the upload element, above the button that opens it."""
        heading("Play a recording again")
        place = box("ts-upload")
        text_button(
            "Open a recording…",
            f"A file that was downloaded here, of at most {MAX_BYTES // 2**20} MB",
            self._pick_file,
            icon="upload_file",
        )
        return place

    def _upload_element(self) -> ui.upload:
        upload = ui.upload(
            max_file_size=MAX_BYTES,
            max_files=1,
            auto_upload=True,
            on_upload=partial(_open_upload, self._hub),
            on_rejected=lambda: show_note(
                f"A recording is a .jsonl file of at most {MAX_BYTES // 2**20} MB.", bad=True
            ),
        )
        upload.props('accept=".jsonl,.json" aria-hidden=true').classes("ts-upload")
        return upload

    def _pick_file(self) -> None:
        if self._upload is not None:
            self._upload.run_method("pickFiles")

    def _download(self) -> None:
        name, data = self._session.recording()
        ui.download.content(data, name, "application/x-ndjson")

    def _download_log(self) -> None:
        with show_errors():
            found = self._session.stage.recording()
            if found is None:
                show_note("There is nothing to download yet: play a little first.")
                return
            name, data = found
            ui.download.content(data, name, "application/octet-stream")


async def _open_upload(hub: Hub, event: UploadEventArguments) -> None:
    """Replay an uploaded recording.

    A function, not a method: the route of an upload outlives its page and would keep the session alive.
    """
    assert isinstance(event.sender, ui.upload)
    event.sender.reset()  # it takes one file: allow another attempt
    if event.file.size() > MAX_BYTES:  # the browser's own check can be bypassed
        show_note(f"{event.file.name} has {event.file.size()} bytes; a recording has at most {MAX_BYTES}.", bad=True)
        return
    data = await event.file.read()
    with show_errors():
        game = hub.replay_file(data, now=asyncio.get_running_loop().time(), file=event.file.name)
        navigate(f"/{game.session.world.name}?{urlencode({'replay': game.name})}")


def _download_seen(session: Session) -> None:
    """Save the traces of a game that runs elsewhere."""
    found = session.stage.recording()
    if found is None:
        show_note("Nothing has been seen yet.")
    else:
        ui.download.content(found[1], found[0], "application/x-ndjson")


class GameMenus:
    """The buttons of the header that belong to the game: a new game, and recordings."""

    def __init__(self, session: Session, hub: Hub) -> None:
        if not session.world.runs_here:
            self.new_game: NewGameMenu | None = None
            if session.world.is_live:
                icon_button("save_alt", "Save what was seen so far", partial(_download_seen, session))
            return
        with text_button("New game", "Another seed, other settings", icon="add", tip="left"):
            self.new_game = NewGameMenu(session, rng=SystemRandom())
        with icon_button("save_alt", "Recordings", tip="left"):
            RecordingsMenu(session, hub)
