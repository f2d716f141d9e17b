"""Dark or light: as the browser remembers it, and else as the system likes it."""

from collections.abc import Callable

from nicegui import ui
from nicegui.events import GenericEventArguments

_COOKIE = "telos-theme"
# A cookie, because the server then builds the page in the right theme at once, and nothing flashes.
_REMEMBER = 'document.cookie = "{cookie}={theme}; path=/; max-age=31536000; samesite=strict"'
_ASK = 'if (matchMedia("(prefers-color-scheme: light)").matches) emitEvent("telos-light")'


class Theme:
    """The theme of one page; ``on_change`` hears of another one."""

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
        """Change the theme, and let the browser remember it."""
        self._set(not self.dark)
        ui.run_javascript(_REMEMBER.format(cookie=_COOKIE, theme="dark" if self.dark else "light"))

    def _lighten(self, _: GenericEventArguments) -> None:
        self._set(False)

    def _set(self, dark: bool) -> None:
        self.dark = dark
        self._mode.set_value(dark)
        self._on_change(dark)
