"""Comparing models: what was played so far, under the old one and the new one."""

from collections.abc import Sequence

from nicegui import ui

from telos.studio.models.rerun import Comparison
from telos.studio.page.curves import overlaid_svg
from telos.studio.page.parts import box, empty, text_button

_NOTHING = "Nothing has been read yet. Play for a moment, then compare."


def show_comparison(found: Comparison, title: str, goals: Sequence[str]) -> None:
    """Open a dialog with the curves laid over each other, and the accuracy of both."""
    with ui.dialog() as dialog, box("ts-dialog ts-compare"):
        with box("ts-dialog-head"):
            ui.label(f"{title}: in force and edited")
            text_button("Close", "Close the comparison", dialog.close, key="Esc")
        if not found.times:
            empty(_NOTHING)
        else:
            _show(found, goals)
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _show(found: Comparison, goals: Sequence[str]) -> None:
    ui.label(found.summary()).classes("ts-strong")
    with box("ts-row ts-legend"):
        box("ts-legend-old")
        ui.label(f"in force {percent(found.old_accuracy)}")
        box("ts-legend-new")
        ui.label(f"edited {percent(found.new_accuracy)}")
        ui.label("shaded: it was the player's goal").classes("ts-faint")
    curves = {goal: (found.old[goal], found.new[goal]) for goal in found.old}
    with box("ts-scroll"):
        ui.html(overlaid_svg(found.times, found.truths, curves, goals), sanitize=False)  # our own, its texts escaped


def percent(share: float | None) -> str:
    """Return a share in per cent, or a dash where there was nothing to judge.

    >>> percent(0.8731), percent(None)
    ('87.3 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"
