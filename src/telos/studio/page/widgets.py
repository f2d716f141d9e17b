"""Buttons, tables, canvas elements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.studio.worlds.shapes import GOALS, ROLES

# --- parts ------------------------------------------------------------------------------------------------------------
# Small parts that every panel is built of: buttons that say what they do, headings, empty states, refusals told.


Act = Callable[..., Any]
_TIPS = {
    "below": "",
    "above": 'anchor="top middle" self="bottom middle"',
    "left": 'anchor="center left" self="center right"',  # of a button that opens a menu
}


@contextmanager
def telling() -> Iterator[None]:
    """Show a refusal to whoever asked for it, where a traceback would help nobody."""
    try:
        yield
    except TelosError as refusal:
        tell(str(refusal), bad=True)


def tell(words: str, *, bad: bool = False) -> None:
    """Show a line for a few seconds; a bad one stays longer and can be put away."""
    ui.notify(
        words,
        position="bottom",
        timeout=8000 if bad else 3000,
        multi_line="\n" in words or len(words) > 90,
        close_button="Close" if bad else False,
        classes="ts-note ts-note-bad" if bad else "ts-note",
        textColor="ts",  # none of Quasar's: its white cannot be overruled
    )


def icon_button(icon: str, says: str, act: Act | None = None, *, key: str = "", tip: str = "below") -> ui.button:
    """Return a small button with an icon; what it does is said on hover and to screen readers, with its key."""
    button = ui.button(icon=icon, on_click=act, color=None).props("flat dense").classes("ts-icon")
    return named(button, says, key=key, tip=tip)


def text_button(
    text: str, says: str, act: Act | None = None, *, icon: str | None = None, key: str = "", tip: str = "below"
) -> ui.button:
    """Return a small button with a word on it."""
    button = ui.button(text, on_click=act, icon=icon, color=None).props("flat dense no-caps").classes("ts-button")
    return named(button, says, key=key, tip=tip)


def named(button: ui.button, says: str, *, key: str = "", tip: str = "below") -> ui.button:
    """Say on a button what it does, to screen readers and on hover: ``tip`` is where nothing is in its way."""
    text = str(button.props.get("label") or "")
    button.props["aria-label"] = ": ".join(filter(None, [text, with_key(says, key)]))
    tooltip(button, with_key(says, key), tip)
    return button


def tooltip(on: ui.element, words: str, where: str = "below") -> None:
    """Say something on hover, where nothing is in its way."""
    with on:
        ui.tooltip(words).props("delay=400").props(_TIPS[where]).classes("ts-tip")


def with_key(says: str, key: str) -> str:
    """Return what a control does, with the key that does the same.

    >>> with_key("Pause", "P"), with_key("Compare", "")
    ('Pause (P)', 'Compare')
    """
    return f"{says} ({key})" if key else says


def renamed(button: ui.button, icon: str, says: str, *, key: str = "") -> None:
    """Change what a button shows and says, only where it differs: nothing is sent for nothing."""
    if button.icon != icon:
        button.set_icon(icon)
        button.props["aria-label"] = with_key(says, key)
        for tip in button.descendants():
            if isinstance(tip, ui.tooltip):
                tip.set_text(with_key(says, key))


def mark(element: ui.element, name: str, on: bool, *, aria: str = "") -> None:
    """Let an element look marked or not, and say so to screen readers; nothing is sent if it was so before."""
    element.classes(add=name if on else "", remove="" if on else name)
    if aria and element.props.get(aria) != str(on).lower():
        element.props[aria] = str(on).lower()


def box(classes: str) -> ui.element:
    """Return a plain box to put things in."""
    return ui.element("div").classes(classes)


def heading(words: str, *, about: str = "") -> ui.label:
    """Return a small heading; what it is about is said on hover."""
    label = ui.label(words).classes("ts-heading")
    if about:
        tooltip(label, about)
    return label


def empty(words: str) -> ui.label:
    """Return the line of an empty panel: what will appear there, and how to make it."""
    return ui.label(words).classes("ts-empty")


def steady_table(
    columns: Sequence[tuple[str, str]], *, key: str, cells: Mapping[str, str] | None = None, narrow: str = ""
) -> ui.table:
    """Return a dense table of all its rows. A cell in ``cells`` is a template of our own; all data is shown as text.

    The columns in ``narrow`` (names with blanks between them) are as wide as what is in them.
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
    """Show other rows, if they are others: a table that is sent again only when it changed does not flicker."""
    if table.rows != rows:
        table.rows = rows


def show_text(label: ui.label, words: str) -> None:
    """Show other words, and hide the label while there are none."""
    if label.text != words:
        label.set_text(words)
    if label.visible != bool(words):
        label.set_visibility(bool(words))


# --- elements ---------------------------------------------------------------------------------------------------------
# Our own elements on the page: the stage, the bars and the timeline. The scripts under ``assets`` do the drawing.
#
# They share one link to the game, which the stage opens; the others find it by themselves.


_ASSETS = Path(__file__).with_name("assets")
_ESM = {"telos-studio": "assets"}  # how the scripts import each other: so each is loaded once, and the link is one
_LONGEST_NAME = 200


class StageCanvas(Element, component="assets/stage.js", esm=_ESM):
    """The picture of a game, with the lines around it, small belief bars in its corner, and the player's keys.

    It connects to ``link_url`` (``"/link/…"``). ``on_pick`` hears the name of a character that was clicked, and
    ``on_again`` that a game that is over shall be played again.
    """

    def __init__(
        self,
        link_url: str,
        *,
        corner: bool = True,
        on_pick: Callable[[str], None] | None = None,
        on_again: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self._props["link-url"] = link_url
        self._props["corner"] = corner
        if on_pick is not None:
            self.on("pick", lambda event: _with_name(event, on_pick))
        if on_again is not None:
            self.on("again", lambda _: on_again(), args=[])


class Timeline(Element, component="assets/timeline.js", esm=_ESM):
    """Beliefs, truth and happenings along the game. ``on_event`` hears the number of a happening that was clicked."""

    def __init__(self, *, on_event: Callable[[int], None] | None = None) -> None:
        super().__init__()
        if on_event is not None:
            self.on("event", lambda event: _with_number(event, on_event))

    def release(self) -> None:
        """Mark no happening as clicked any more."""
        self.run_method("release")


class Bars(Element, component="assets/bars.js", esm=_ESM):
    """What every recogniser believes now, side by side, with the truth marked where it is known."""


def _with_name(event: GenericEventArguments, hear: Callable[[str], None]) -> None:
    if isinstance(event.args, str) and len(event.args) <= _LONGEST_NAME:  # a page may send anything
        hear(event.args)


def _with_number(event: GenericEventArguments, hear: Callable[[int], None]) -> None:
    if type(event.args) is int and event.args >= 0:
        hear(event.args)


def theme_css() -> str:
    """Return the style of the elements: the palette as variables (``--telos-ink``, ``--telos-goal0``), and their looks.

    A page is light unless its body has the class ``body--dark``, as NiceGUI's dark mode sets it.
    """
    return "\n".join(
        [_variables(":root", 1), _variables("body.body--dark", 0), (_ASSETS / "studio.css").read_text("utf-8")]
    )


def _variables(selector: str, side: int) -> str:
    lines = [f"  --telos-{role}: {pair[side]};" for role, pair in ROLES.items()]
    lines += [f"  --telos-goal{at}: {pair[side]};" for at, pair in enumerate(GOALS)]
    return "\n".join([f"{selector} {{", *lines, "}"])
