"""The dialog that compares two models on the game so far (`show_comparison`): curves overlaid, and both accuracies."""

from collections.abc import Mapping, Sequence

from nicegui import ui

from telos import svg
from telos.studio.models.compare import ModelComparison
from telos.studio.page.theme import goal_colour
from telos.studio.page.widgets import box, empty_label, text_button
from telos.svg import clip_text, element, escape_text, role_colour, tenths, to_points

# --- curves of a comparison -------------------------------------------------------------------------------------------


_WIDTH, _LEFT, _RIGHT = 860.0, 120.0, 12.0
_ROW, _GAP, _TOP = 72.0, 14.0, 8.0
_FOOT = 24.0
_MAX_POINTS = 600  # of a curve: a screen shows no more

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]  # of each goal: old, new


def comparison_svg(times: Sequence[float], truths: Sequence[str | None], curves: Curves) -> str:
    """Return an SVG with a row per goal: old curve dashed, new curve solid, shaded where it was the true goal."""
    height = _TOP + len(curves) * (_ROW + _GAP) + _FOOT
    parts = [
        part
        for number, (goal, (old, new)) in enumerate(curves.items())
        for part in _row(_TOP + number * (_ROW + _GAP), goal, goal_colour(goal), times, truths, old, new)
    ]
    return svg.document(
        "".join(parts) + _axis(height - _FOOT, times),
        class_="ts-overlaid",
        viewBox=f"0 0 {_WIDTH:g} {height:g}",
        role="img",
        aria_label="Old and new beliefs",
    )


def _row(
    top: float, goal: str, colour: str, times: Sequence[float], truths: Sequence[str | None],
    old: Sequence[float], new: Sequence[float],
) -> list[str]:  # fmt: skip
    bottom = top + _ROW
    width = _WIDTH - _LEFT - _RIGHT
    return [
        element("rect", x=_LEFT, y=top, width=width, height=_ROW, rx=3, fill=role_colour("ground")),
        *(_shade(begin, end, top, colour, times) for begin, end in find_stretches(truths, goal)),
        _curve(times, old, bottom, stroke=role_colour("faint"), stroke_dasharray="4 3", stroke_width=1.3),
        _curve(times, new, bottom, stroke=colour, stroke_width=1.8),
        _text(_LEFT - 10, top + _ROW / 2 + 4, escape_text(clip_text(goal, 16)), "end", "ink", 12),
        *(_tick(_LEFT - 4, bottom - share * _ROW + 3, f"{share:g}") for share in (0, 1)),
    ]


def _curve(times: Sequence[float], values: Sequence[float], bottom: float, **style: str | float) -> str:
    """Return a curve in steps: a belief holds until the next event."""
    points: list[tuple[float, float]] = []
    for at in thin_points(len(values)):
        x, y = _x(times, at), bottom - min(max(values[at], 0.0), 1.0) * _ROW
        points += [(x, points[-1][1]), (x, y)] if points else [(x, y)]
    return element("polyline", points=to_points(points), fill="none", **style)


def _shade(begin: int, end: int, top: float, colour: str, times: Sequence[float]) -> str:
    left, right = _x(times, begin), _x(times, min(end, len(times) - 1))
    width = max(right - left, 1)
    return element("rect", x=tenths(left), y=top, width=tenths(width), height=_ROW, fill=colour, fill_opacity=0.16)


def _axis(y: float, times: Sequence[float]) -> str:
    if not times:
        return ""
    marks = [(times[0], "start"), ((times[0] + times[-1]) / 2, "middle"), (times[-1], "end")]
    places = (_LEFT, (_LEFT + _WIDTH - _RIGHT) / 2, _WIDTH - _RIGHT)
    return "".join(_tick(x, y + 10, f"{time:.0f} s", anchor) for x, (time, anchor) in zip(places, marks, strict=True))


def _tick(x: float, y: float, words: str, anchor: str = "end") -> str:
    return _text(x, y, words, anchor, "faint", 10)


def _text(x: float, y: float, words: str, anchor: str, role: str, size: float) -> str:
    return element("text", words, x=x, y=y, text_anchor=anchor, fill=role_colour(role), font_size=size)


def _x(times: Sequence[float], at: int) -> float:
    spread = (times[-1] - times[0]) or 1.0
    return _LEFT + (times[at] - times[0]) / spread * (_WIDTH - _LEFT - _RIGHT)


def find_stretches(truths: Sequence[str | None], goal: str) -> list[tuple[int, int]]:
    """Return the runs of updates with a true goal, as pairs (first, after the last).

    >>> find_stretches(["a", "b", "b", None, "b"], "b")
    [(1, 3), (4, 5)]
    """
    found: list[tuple[int, int]] = []
    for at, truth in enumerate(truths):
        if truth != goal:
            continue
        if found and found[-1][1] == at:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found


def thin_points(count: int) -> list[int]:
    """Return the indices of the points to draw: all, or an even selection with both ends.

    >>> thin_points(3), len(thin_points(10_000)) <= 602, thin_points(10_000)[-1]
    ([0, 1, 2], True, 9999)
    """
    every = max(1, -(-count // _MAX_POINTS))
    chosen = list(range(0, count, every))
    return chosen if not count or chosen[-1] == count - 1 else [*chosen, count - 1]


# --- comparison -------------------------------------------------------------------------------------------------------


_NOTHING = "No event has been observed yet. Play for a moment, then compare."


def show_comparison(found: ModelComparison, title: str) -> None:
    """Open a dialog with the overlaid curves and the accuracy of both models."""
    with ui.dialog().props('aria-label="In force and edited"') as dialog, box("ts-dialog ts-compare"):
        with box("ts-dialog-head"):
            ui.label(f"{title}: in force and edited")
            text_button("Close", "Close the comparison", dialog.close, key="Esc")
        if not found.times:
            empty_label(_NOTHING)
        else:
            _show(found)
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _show(found: ModelComparison) -> None:
    ui.label(found.summary()).classes("ts-strong")
    with box("ts-row ts-legend"):
        box("ts-legend-old")
        ui.label(f"in force {format_percent(found.old_accuracy)}")
        box("ts-legend-new")
        ui.label(f"edited {format_percent(found.new_accuracy)}")
        ui.label("shaded: it was the player's goal").classes("ts-faint")
    curves = {goal: (found.old[goal], found.new[goal]) for goal in found.old}
    with box("ts-scroll"):
        ui.html(comparison_svg(found.times, found.truths, curves), sanitize=False)  # our own SVG, with escaped texts


def format_percent(share: float | None) -> str:
    """Return a share in per cent; a dash for None.

    >>> format_percent(0.8731), format_percent(None)
    ('87.3 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"
