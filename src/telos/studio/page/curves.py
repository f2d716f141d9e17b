"""Old and new curves of each goal above one another, as an SVG of our own; all texts in it are escaped."""

from collections.abc import Mapping, Sequence
from html import escape

from telos.studio.drawing.palette import GOALS

_WIDTH, _LEFT, _RIGHT = 860.0, 120.0, 12.0
_ROW, _GAP, _TOP = 72.0, 14.0, 8.0
_FOOT = 24.0
_MOST_POINTS = 600  # of a curve: there are not more pixels

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]  # of each goal: old, new


def overlaid_svg(times: Sequence[float], truths: Sequence[str | None], curves: Curves, goals: Sequence[str]) -> str:
    """Return a row for each goal: the old curve dashed, the new one solid, the time at which it was the truth shaded.

    ``goals`` are all goals of the game, in the order of their colours.
    """
    height = _TOP + len(curves) * (_ROW + _GAP) + _FOOT
    parts = [
        part
        for number, (goal, (old, new)) in enumerate(curves.items())
        for part in _row(_TOP + number * (_ROW + _GAP), goal, _colour(goal, goals), times, truths, old, new)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ts-overlaid" viewBox="0 0 {_WIDTH:g} {height:g}" '
        f'role="img" aria-label="Old and new beliefs">{"".join(parts)}{_axis(height - _FOOT, times)}</svg>'
    )


def _row(
    top: float, goal: str, colour: str, times: Sequence[float], truths: Sequence[str | None],
    old: Sequence[float], new: Sequence[float],
) -> list[str]:  # fmt: skip
    bottom = top + _ROW
    width = _WIDTH - _LEFT - _RIGHT
    return [
        f'<rect x="{_LEFT:g}" y="{top:g}" width="{width:g}" height="{_ROW:g}" rx="3" fill="var(--telos-ground)"/>',
        *(_shade(begin, end, top, colour, times) for begin, end in stretches(truths, goal)),
        _curve(times, old, bottom, 'stroke="var(--telos-faint)" stroke-dasharray="4 3" stroke-width="1.3"'),
        _curve(times, new, bottom, f'stroke="{colour}" stroke-width="1.8"'),
        f'<text x="{_LEFT - 10:g}" y="{top + _ROW / 2 + 4:g}" text-anchor="end" fill="var(--telos-ink)" '
        f'font-size="12">{escape(_clipped(goal))}</text>',
        *(_tick(_LEFT - 4, bottom - share * _ROW + 3, f"{share:g}") for share in (0, 1)),
    ]


def _curve(times: Sequence[float], values: Sequence[float], bottom: float, style: str) -> str:
    points = " ".join(
        f"{_x(times, at):.1f},{bottom - min(max(values[at], 0.0), 1.0) * _ROW:.1f}" for at in thinned(len(values))
    )
    return f'<polyline points="{points}" fill="none" {style}/>'


def _shade(begin: int, end: int, top: float, colour: str, times: Sequence[float]) -> str:
    left, right = _x(times, begin), _x(times, min(end, len(times) - 1))
    width = max(right - left, 1)
    return (
        f'<rect x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{_ROW:g}" fill="{colour}" fill-opacity="0.16"/>'
    )


def _axis(y: float, times: Sequence[float]) -> str:
    if not times:
        return ""
    marks = [(times[0], "start"), ((times[0] + times[-1]) / 2, "middle"), (times[-1], "end")]
    places = (_LEFT, (_LEFT + _WIDTH - _RIGHT) / 2, _WIDTH - _RIGHT)
    return "".join(_tick(x, y + 10, f"{time:.0f} s", anchor) for x, (time, anchor) in zip(places, marks, strict=True))


def _tick(x: float, y: float, words: str, anchor: str = "end") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="var(--telos-faint)" font-size="10">{words}</text>'


def _x(times: Sequence[float], at: int) -> float:
    spread = (times[-1] - times[0]) or 1.0
    return _LEFT + (times[at] - times[0]) / spread * (_WIDTH - _LEFT - _RIGHT)


def stretches(truths: Sequence[str | None], goal: str) -> list[tuple[int, int]]:
    """Return where a goal was the truth, as pairs of the first update and the one after the last.

    >>> stretches(["a", "b", "b", None, "b"], "b")
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


def thinned(count: int) -> list[int]:
    """Return which points of a curve are drawn: all, or an even choice with both ends.

    >>> thinned(3), len(thinned(10_000)) <= 602, thinned(10_000)[-1]
    ([0, 1, 2], True, 9999)
    """
    every = max(1, -(-count // _MOST_POINTS))
    chosen = list(range(0, count, every))
    return chosen if not count or chosen[-1] == count - 1 else [*chosen, count - 1]


def _colour(goal: str, goals: Sequence[str]) -> str:
    number = list(goals).index(goal) if goal in goals else len(goals)
    return f"var(--telos-goal{number % len(GOALS)})"


def _clipped(words: str, most: int = 16) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"
