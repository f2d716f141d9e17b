"""Elements that the page and its panels share: buttons, tables, notes, and the canvas, bars and timeline.

`StageCanvas`, `BeliefBars` and `Timeline` are drawn by the scripts under assets/. They share one link to the game,
which the canvas opens.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError

Act = Callable[..., Any]
_NOTE = 'import("telos-studio/notice.js").then((module) => module.toast(%s, %s));'
_TIPS = {
    "below": "",
    "above": 'anchor="top middle" self="bottom middle"',
    "left": 'anchor="center left" self="center right"',  # for a button that opens a menu
}


@contextmanager
def show_errors() -> Iterator[None]:
    """Show a ``TelosError`` as a note."""
    try:
        yield
    except TelosError as error:
        show_note(str(error), bad=True)


def show_note(words: str, *, bad: bool = False) -> None:
    """Show a text for a few seconds; an error stays longer and can be closed."""
    ui.run_javascript(_NOTE % (json.dumps(words), json.dumps(bad)))


def icon_button(icon: str, says: str, act: Act | None = None, *, key: str = "", tip: str = "below") -> ui.button:
    """Return a small button with an icon, a tooltip, and a label for screen readers."""
    button = ui.button(icon=icon, on_click=act, color=None).props("flat dense").classes("ts-icon")
    return set_label(button, says, key=key, tip=tip)


def text_button(
    text: str, says: str, act: Act | None = None, *, icon: str | None = None, key: str = "", tip: str = "below"
) -> ui.button:
    """Return a small button with a text."""
    button = ui.button(text, on_click=act, icon=icon, color=None).props("flat dense no-caps").classes("ts-button")
    return set_label(button, says, key=key, tip=tip)


def set_label(button: ui.button, says: str, *, key: str = "", tip: str = "below") -> ui.button:
    """Set the tooltip of a button and its label for screen readers; ``tip`` is the side of the tooltip."""
    text = str(button.props.get("label") or "")
    button.props["aria-label"] = ": ".join(filter(None, [text, with_key(says, key)]))
    tooltip(button, with_key(says, key), tip)
    return button


def tooltip(on: ui.element, words: str, where: str = "below") -> None:
    """Add a tooltip on the given side."""
    with on:
        ui.tooltip(words).props("delay=400").props(_TIPS[where]).classes("ts-tip")


def with_key(says: str, key: str) -> str:
    """Return the label of a control with its key.

    >>> with_key("Pause", "P"), with_key("Compare", "")
    ('Pause (P)', 'Compare')
    """
    return f"{says} ({key})" if key else says


def update_button(button: ui.button, icon: str, says: str, *, key: str = "") -> None:
    """Change the icon and the label of a button, if they differ."""
    if button.icon != icon:
        button.set_icon(icon)
        button.props["aria-label"] = with_key(says, key)
        for tip in button.descendants():
            if isinstance(tip, ui.tooltip):
                tip.set_text(with_key(says, key))


def set_class(element: ui.element, name: str, on: bool, *, aria: str = "") -> None:
    """Set or remove a CSS class and an ARIA attribute, if they differ."""
    element.classes(add=name if on else "", remove="" if on else name)
    if aria and element.props.get(aria) != str(on).lower():
        element.props[aria] = str(on).lower()


def box(classes: str) -> ui.element:
    """Return an empty ``div`` with these classes."""
    return ui.element("div").classes(classes)


def heading(words: str, *, about: str = "") -> ui.label:
    """Return a small heading; ``about`` is its tooltip."""
    label = ui.label(words).classes("ts-heading")
    if about:
        tooltip(label, about)
    return label


def empty_label(words: str) -> ui.label:
    """Return the text of an empty panel: what will appear there, and how."""
    return ui.label(words).classes("ts-empty")


def make_table(
    columns: Sequence[tuple[str, str]], *, key: str, cells: Mapping[str, str] | None = None, narrow: str = ""
) -> ui.table:
    """Return a dense table without paging. ``cells`` are templates of columns; all data is shown as text.

    The columns in ``narrow`` (names separated by blanks) do not wrap.
    """
    shown: list[dict[str, Any]] = [{"name": name, "label": title, "field": name} for name, title in columns]
    for column in shown:
        column |= {"align": "left", "classes": "ts-nowrap" if column["name"] in narrow.split() else ""}
    table = ui.table(rows=[], columns=shown, row_key=key, pagination=0)
    table.props("dense flat hide-bottom wrap-cells separator=none").classes("ts-table")
    for name, template in (cells or {}).items():
        table.add_slot(f"body-cell-{name}", f'<q-td :props="props">{template}</q-td>')
    return table


def show_rows(table: ui.table, rows: list[dict[str, Any]]) -> None:
    """Replace the rows if they differ, so that an unchanged table does not flicker."""
    if table.rows != rows:
        table.rows = rows


def show_text(label: ui.label, words: str) -> None:
    """Set the text of a label, and hide the label if it is empty."""
    if label.text != words:
        label.set_text(words)
    if label.visible != bool(words):
        label.set_visibility(bool(words))


# --- elements with scripts --------------------------------------------------------------------------------------------


_ESM = {"telos-studio": "assets"}  # the import name of the scripts: each is loaded once, so all share one link
_MAX_NAME, _MAX_ADDRESS = 200, 4000


class Shell(Element, component="assets/shell.js", esm=_ESM):
    """The part of the page that stays while games come and go: its address, the theme, the keys, the width.

    ``on_go`` receives an address that was clicked or gone back to, and whether it is in the address bar already;
    ``on_key`` a key of `keys`, ``on_wide`` whether the window is at least ``wide`` pixels wide, ``on_dark`` whether the
    page is dark, and ``on_sound`` whether there are sounds.
    """

    def __init__(
        self,
        *,
        wide: int,
        on_go: Callable[[str, bool], Any],
        on_key: Callable[[str], None],
        on_wide: Callable[[bool], None],
        on_dark: Callable[[bool], None],
        on_sound: Callable[[bool], None],
    ) -> None:
        super().__init__()
        self._props["wide"] = wide
        self._props["keys"] = []
        self.on("go", lambda event: _pass_address(event, on_go))
        self.on("key", lambda event: _pass_name(event, on_key))
        self.on("wide", lambda event: on_wide(event.args is True))
        self.on("dark", lambda event: on_dark(event.args is True))
        self.on("sound", lambda event: on_sound(event.args is True))

    @property
    def keys(self) -> list[str]:
        """The keys that ``on_key`` receives."""
        return list(self._props["keys"])

    @keys.setter
    def keys(self, keys: Sequence[str]) -> None:
        self.props["keys"] = list(keys)

    def toggle_theme(self) -> None:
        """Change dark to light or back, and store it in a cookie."""
        self.run_method("toggleTheme")

    def toggle_sound(self) -> None:
        """Switch the sounds on or off, and store it in the browser."""
        self.run_method("toggleSound")

    def show_address(self, address: str, *, push: bool) -> None:
        """Put the address of the shown game into the address bar, as a new entry of the history or in place."""
        self.run_method("arrive", address, push)


def navigate(address: str) -> None:
    """Show the game of an address in this page, as if it was clicked."""
    ui.run_javascript(f"telosGo({json.dumps(address)})")


class StageCanvas(Element, component="assets/stage.js", esm=_ESM):
    """The picture of a game with its HUD, small belief bars in a corner, and the player's keys.

    It connects to ``link_url`` (``"/link/…"``). ``on_pick`` receives the name of a clicked character; ``on_again`` is
    called to restart a finished game, ``on_free`` to play on with free goals, and ``on_accept`` receives the number of
    an invitation of the stage.
    """

    def __init__(
        self,
        link_url: str,
        *,
        corner: bool = True,
        on_pick: Callable[[str], None] | None = None,
        on_again: Callable[[], None] | None = None,
        on_accept: Callable[[int], None] | None = None,
        on_free: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self._props["link-url"] = link_url
        self._props["corner"] = corner
        if on_pick is not None:
            self.on("pick", lambda event: _pass_name(event, on_pick))
        if on_again is not None:
            self.on("again", lambda _: on_again(), args=[])
        if on_free is not None:
            self.on("free", lambda _: on_free(), args=[])
        if on_accept is not None:
            self.on("accept", lambda event: _pass_number(event, on_accept))


class Timeline(Element, component="assets/timeline.js", esm=_ESM):
    """Beliefs, truth and happenings over time. ``on_event`` receives the number of a clicked happening."""

    def __init__(self, *, on_event: Callable[[int], None] | None = None) -> None:
        super().__init__()
        if on_event is not None:
            self.on("event", lambda event: _pass_number(event, on_event))

    def release(self) -> None:
        """Remove the mark of the clicked happening."""
        self.run_method("release")

    def zoom(self, *, closer: bool) -> None:
        """Show a shorter or a longer part of the game."""
        self.run_method("zoom", closer)


class LogView(Element, component="assets/log.js", esm=_ESM):
    """The text log of the game, which it reads from ``/log/…``; the timeline shares its filters."""

    def open(self, line: int) -> None:
        """Show the line of that number with its cause."""
        self.run_method("open", line)


class Divider(Element, component="assets/divider.js", esm=_ESM):
    """A line that is dragged, or moved by arrow keys, to resize the ``pane`` whose first edge it is."""

    def __init__(self, pane: str, label: str) -> None:
        """``pane`` is ``"panel"`` or ``"below"``."""
        super().__init__()
        self._props["pane"] = pane
        self._props["aria-label"] = label

    def reveal(self) -> None:
        """Open the sheet that holds the pane on a small screen."""
        self.run_method("reveal")


class BeliefBars(Element, component="assets/bars.js", esm=_ESM):
    """The beliefs of all recognisers side by side, with the true goal marked if it is known."""


def _pass_address(event: GenericEventArguments, handler: Callable[[str, bool], Any]) -> Any:
    args = event.args if isinstance(event.args, dict) else {}
    if isinstance(address := args.get("address"), str) and len(address) <= _MAX_ADDRESS:
        return handler(address, args.get("popped") is True)
    return None


def _pass_name(event: GenericEventArguments, handler: Callable[[str], None]) -> None:
    if isinstance(event.args, str) and len(event.args) <= _MAX_NAME:  # a browser may send anything
        handler(event.args)


def _pass_number(event: GenericEventArguments, handler: Callable[[int], None]) -> None:
    if type(event.args) is int and event.args >= 0:
        handler(event.args)
