"""The help of the page: `help_dialog` explains the world, its keys, and the studio's."""

from nicegui import ui

from telos.studio.page.controls import studio_keys
from telos.studio.page.widgets import box, heading, text_button
from telos.studio.session import Session

PANEL_HELP: tuple[tuple[str, str], ...] = (
    ("Beliefs", "the goal that each recogniser infers, and why: now, or after an event that you click"),
    ("Mind", "goals, plan and memory of a character: click it in the picture, then a goal to ask why not"),
    ("Model", "the file behind the game: edit it, compare it with the old one, apply it while the game runs"),
    ("Score", "how often each recogniser was right, and a condition to pause the game on"),
    ("Log", "what happened and what each mind changed, line by line: filter, search, click a line to go there"),
)
TIMELINE = (
    "Drag to go back; the picture, the beliefs and the minds show that moment. Esc, Live, or a click right of the "
    "newest moment returns. The wheel zooms, and scrolls the rows over their names; Shift and drag, or the strip "
    "on top, moves along; a double click shows the whole game. ← and → go from event to event, Home and End to "
    "both ends. A click on a name shows only that character, the triangle filters characters and kinds, here and "
    "in the log. Marks with a number stand for several events: a click looks closer. Hatched with ↯: a mind that "
    "goes back and forth between two goals. The link button copies an address that opens the same game at the "
    "same moment."
)
_KEY_NAMES = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Space": "space"}


def help_dialog(session: Session) -> ui.dialog:
    """Return the help dialog, closed."""
    with ui.dialog().props('aria-label="Help"') as dialog, box("ts-dialog ts-help"):
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
