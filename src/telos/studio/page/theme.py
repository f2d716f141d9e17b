"""Dark and light: `Theme` of one page, and the palette as CSS (`theme_css`)."""

from collections.abc import Callable
from pathlib import Path

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.studio.worlds.shapes import GOALS, ROLES, goal_place

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


# --- palette ----------------------------------------------------------------------------------------------------------


def theme_css() -> str:
    """Return the CSS of the elements: the palette as variables (``--telos-ink``, ``--telos-goal0``), and studio.css.

    A page is light unless its body has the class ``body--dark``, which NiceGUI's dark mode sets.
    """
    return "\n".join(
        [
            _variables(":root", 1),
            _variables("body.body--dark", 0),
            Path(__file__).with_name("assets").joinpath("studio.css").read_text("utf-8"),
        ]
    )


def goal_colour(goal: str) -> str:
    """Return the CSS colour of a goal, which is the same in every chart.

    >>> goal_colour("explore")
    'var(--telos-goal1)'
    """
    return f"var(--telos-goal{goal_place(goal)})"


def _variables(selector: str, side: int) -> str:
    lines = [f"  --telos-{role}: {pair[side]};" for role, pair in ROLES.items()]
    lines += [f"  --telos-goal{at}: {pair[side]};" for at, pair in enumerate(GOALS)]
    return "\n".join([f"{selector} {{", *lines, "}"])
