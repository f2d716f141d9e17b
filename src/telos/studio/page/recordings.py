"""Recordings: the game as a download, and a game brought along to be played again."""

import asyncio
from functools import partial
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import UploadEventArguments

from telos.studio.log import MOST_BYTES
from telos.studio.page.parts import box, heading, icon_button, tell, telling, text_button
from telos.studio.server.hub import Hub
from telos.studio.session import Session


class Recordings:
    """The menu behind the record button."""

    def __init__(self, session: Session, hub: Hub) -> None:
        self._session, self._hub = session, hub
        with ui.menu() as self._menu, box("ts-popup"):
            self._menu.classes("ts-menu")
            heading("Recording")
            text_button(
                "Download this game", "The whole game, to be played again here", self._download, icon="download"
            )
            self._log = text_button(
                "Download its log", "The game as other commands of Telos read it", self._download_log, icon="list_alt"
            )
            self._upload_box()
        self._menu.on("before-show", self._offer, args=[])

    def _offer(self) -> None:
        """Offer the file of other commands only in worlds that write one."""
        self._log.set_visibility(self._session.stage.recording() is not None)

    def _upload_box(self) -> None:
        heading("Play a recording again")
        upload = ui.upload(
            max_file_size=MOST_BYTES,
            max_files=1,
            auto_upload=True,
            on_upload=partial(_take, self._hub),
            on_rejected=lambda: tell(f"A recording is a .jsonl file of at most {MOST_BYTES // 2**20} MB.", bad=True),
        )
        upload.props('accept=".jsonl,.json" aria-hidden=true').classes("ts-upload")
        text_button(
            "Open a recording…",
            f"A file that was downloaded here, of at most {MOST_BYTES // 2**20} MB",
            lambda: upload.run_method("pickFiles"),
            icon="upload_file",
        )

    def _download(self) -> None:
        name, data = self._session.recording()
        ui.download.content(data, name, "application/x-ndjson")

    def _download_log(self) -> None:
        with telling():
            found = self._session.stage.recording()
            if found is None:
                tell("There is nothing to download yet: play a little first.")
                return
            name, data = found
            ui.download.content(data, name, "application/octet-stream")


async def _take(hub: Hub, event: UploadEventArguments) -> None:
    """Play a recording that somebody brings along. No method: the route of an upload outlives its page, and would keep
    the session alive.
    """
    assert isinstance(event.sender, ui.upload)
    event.sender.reset()  # it takes one file: who brought the wrong one may bring another
    if event.file.size() > MOST_BYTES:  # the browser's own check is easily gone round
        tell(f"{event.file.name} has {event.file.size()} bytes; a recording has at most {MOST_BYTES}.", bad=True)
        return
    data = await event.file.read()
    with telling():
        game = hub.replayed(data, now=asyncio.get_running_loop().time(), file=event.file.name)
        ui.navigate.to(f"/{game.session.world.name}?{urlencode({'game': game.name})}")


def recordings_button(session: Session, hub: Hub) -> None:
    """Show the button with its menu."""
    with icon_button("save_alt", "Recordings", tip="left"):
        Recordings(session, hub)
