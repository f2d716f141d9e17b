"""A new game: its seed and settings in a popup. Each game has an address of its own, so this only goes there."""

from collections.abc import Mapping
from random import Random
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from telos.studio.page.parts import box, heading, icon_button, text_button
from telos.studio.session import Session
from telos.studio.stage import Setting

_SEEDS = 10_000  # few enough digits to be told to somebody
_MOST_SEED = 2**31 - 1


class NewGame:
    """The popup: what the next game is begun with."""

    def __init__(self, session: Session, *, rng: Random) -> None:
        self._session, self._rng = session, rng
        self._fields: dict[str, Any] = {}
        with ui.menu().props("no-focus") as self._menu, box("ts-popup"):
            self._menu.classes("ts-menu")
            heading(f"New game: {session.world.title}")
            with box("ts-field"):
                ui.label("Seed")
                self._seed = ui.number(value=session.seed, min=0, max=_MOST_SEED, precision=0)
                self._seed.props("dense outlined").props["aria-label"] = "Seed"
                icon_button("casino", "Another seed, by chance", self._roll)
            for setting in session.world.settings:
                self._fields[setting.name] = self._field(setting)
            with box("ts-row ts-end"):
                text_button("Same again", "The same seed, from the start", self._again)
                text_button("Begin", "Begin a game with these settings", self._begin, icon="play_arrow").classes(
                    "ts-main"
                )

    def _field(self, setting: Setting) -> Any:
        value = self._session.settings[setting.name]
        with box("ts-field"):
            ui.label(setting.title)
            field: Any
            if setting.options:
                titles = {option: option or "default" for option in setting.options}
                field = ui.select(titles, value=value).props("dense outlined options-dense")
            else:
                field = ui.number(value=int(value), min=0, max=999_999, precision=0).props("dense outlined")
            field.props["aria-label"] = setting.title
        if setting.about:
            ui.label(setting.about).classes("ts-hint")
        return field

    def another(self) -> None:
        """Begin a game like this one, from another seed."""
        ui.navigate.to(address(self._session.world.name, self._rng.randrange(_SEEDS), self._session.settings))

    def _roll(self) -> None:
        self._seed.set_value(self._rng.randrange(_SEEDS))

    def _again(self) -> None:
        ui.navigate.to(address(self._session.world.name, self._session.seed, self._session.settings))

    def _begin(self) -> None:
        settings = {name: _said(field.value) for name, field in self._fields.items()}
        ui.navigate.to(address(self._session.world.name, int(self._seed.value or 0), settings))


def address(world: str, seed: int, settings: Mapping[str, str], *, at: int | None = None) -> str:
    """Return where a game is found, and a moment of it.

    >>> address("adventure", 7, {"rules": "test"}, at=412)
    '/adventure?seed=7&rules=test&at=412'
    """
    query = {"seed": str(seed), **settings, **({} if at is None else {"at": str(at)})}
    return f"/{world}?{urlencode(query)}"


def _said(value: Any) -> str:
    """Return a field as the text that settings are: a number without its point."""
    return str(int(value)) if isinstance(value, float | int) else str(value or "")
