"""The figures of studies: bars beside published marks, and curves with their intervals."""

from collections.abc import Mapping, Sequence

from telos.studies.figures_svg import COLOURS, Scale, band, box, curve, diamond, dot, stroke, svg, text, ticks
from telos.studies.report_parts import Chart, Line
from telos.studies.scoring_contest import Condition, Score

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 16.0, 40.0, 46.0
_BAR, _GAP, _APART = 40.0, 8.0, 48.0


def bars(conditions: Sequence[Condition], labels: Mapping[str, str], *, title: str, chance: float = 1 / 3) -> str:
    """Draw the accuracy of every method in every condition, with intervals, and published figures as diamonds."""
    methods = list(dict.fromkeys(method for each in conditions for method in each.scores))
    widths = [max(130.0, len(each.scores) * (_BAR + _GAP) - _GAP) for each in conditions]
    width = max(_LEFT + sum(widths) + _APART * len(conditions) + _RIGHT, 480.0)
    legend, rows = _legend([(labels[each], number) for number, each in enumerate(methods)], width)
    top, height = _TOP + 20 * rows + 12, 300.0
    up = Scale(0, 1, top + height, top)
    parts = [text(_LEFT, 22, title, look="title"), *legend, *_percent_axis(up, _LEFT, width - _RIGHT)]
    parts += [stroke(_LEFT, up(chance), width - _RIGHT, up(chance), "dash")]
    left = _LEFT + _APART / 2
    for condition, wide in zip(conditions, widths, strict=True):
        x = left + (wide - len(condition.scores) * (_BAR + _GAP) + _GAP) / 2
        for score in condition.scores.values():
            parts += _bar(score, x, up, methods.index(score.method), labels[score.method])
            x += _BAR + _GAP
        parts.append(text(left + wide / 2, up.start + 18, condition.name, anchor="middle"))
        parts.append(
            text(left + wide / 2, up.start + 33, f"n = {_count(condition)}", anchor="middle", look="soft small")
        )
        left += wide + _APART
    said = f"{title}: bars are simulated players, diamonds the published figures, whiskers 95% intervals"
    foot = "bars: simulated, with 95% intervals · ◇ published · dashes: chance"
    parts.append(text(_LEFT, up.start + 54, foot, look="soft small"))
    return svg(width, up.start + 64, parts, says=said)


def _bar(score: Score, x: float, up: Scale, number: int, label: str) -> list[str]:
    value, (low, high), middle = score.accuracy, score.interval, x + _BAR / 2
    tip = f"{label}: {value:.1%} (95% interval {low:.1%} to {high:.1%})"
    parts = [
        box(x, up(value), _BAR, up.start - up(value), f"f{number % COLOURS}", tip),
        stroke(middle, up(low), middle, up(high), "whisker"),
        stroke(middle - 4, up(low), middle + 4, up(low), "whisker"),
        stroke(middle - 4, up(high), middle + 4, up(high), "whisker"),
    ]
    above = up(max(high, value))
    if score.published is not None:
        share = score.published / 100
        parts.append(diamond(middle, up(share), f"published: {score.published:g}%"))
        if above - 24 < up(share) < above + 8:  # the diamond stands where the number would
            above = up(share) - 6
    return [*parts, text(middle, above - 6, f"{value * 100:.0f}", anchor="middle")]


def lines(chart: Chart, *, width: float = 460.0) -> str:
    """Draw the curves of a chart, with their intervals as bands."""
    legend, rows = _legend([(line.name, number) for number, line in enumerate(chart.lines)], width)
    top, height = _TOP + 20 * rows + 8, 210.0
    xs = [point.x for line in chart.lines for point in line.points]
    across = Scale(min(xs), max(xs), _LEFT + 6, width - _RIGHT - 6, log=chart.log_x)
    low, high = _range(chart)
    up = Scale(low, high, top + height, top)
    parts = [text(_LEFT, 22, chart.title, look="title"), *legend]
    parts += _percent_axis(up, _LEFT, width - _RIGHT) if chart.percent else _axis(up, _LEFT, width - _RIGHT)
    places = sorted(set(xs)) if chart.log_x or len(set(xs)) <= 9 else ticks(min(xs), max(xs), 7)
    for x in _apart(places, across):
        parts += [stroke(across(x), up.start, across(x), up.start + 4, "axis")]
        parts += [text(across(x), up.start + 18, f"{x:.3g}", anchor="middle", look="soft small")]
    if chart.marked is not None:
        parts.append(stroke(across(chart.marked), up.start, across(chart.marked), up.end, "dash"))
    parts += [text((_LEFT + width - _RIGHT) / 2, up.start + 36, chart.x, anchor="middle", look="soft small")]
    for number, line in enumerate(chart.lines):
        parts += _curve(line, number % COLOURS, across, up)
    return svg(width, up.start + _BOTTOM, parts, says=f"{chart.title}: {chart.y} by {chart.x}")


def _curve(line: Line, number: int, across: Scale, up: Scale) -> list[str]:
    parts = []
    if all(point.low is not None and point.high is not None for point in line.points):
        lower = [(across(point.x), up(point.low or 0.0)) for point in line.points]
        upper = [(across(point.x), up(point.high or 0.0)) for point in line.points]
        parts.append(band([*upper, *reversed(lower)], f"band f{number}"))
    parts.append(curve([(across(point.x), up(point.y)) for point in line.points], f"curve s{number}"))
    return parts + [
        dot(across(point.x), up(point.y), f"f{number}", f"{line.name}, {point.x:.3g}: {point.y:.3g}", 2.2)
        for point in line.points
    ]


def _range(chart: Chart) -> tuple[float, float]:
    ys = [
        value
        for line in chart.lines
        for point in line.points
        for value in (point.y, point.low, point.high)
        if value is not None
    ]
    low, high = min(ys), max(ys)
    if not chart.percent:
        return min(0.0, low), high * 1.05 or 1.0
    # From the ten below to the ten above, and never so close that noise looks like news.
    low, high = int(low * 10) / 10, min(1.0, (int(high * 10 - 1e-9) + 1) / 10)
    return (max(0.0, high - 0.4), high) if high - low < 0.4 else (low, high)


def _percent_axis(up: Scale, left: float, right: float) -> list[str]:
    parts = []
    for value in ticks(up.low, up.high):
        parts.append(stroke(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 8, up(value) + 4, f"{value * 100:.0f}%", anchor="end", look="soft small"))
    return [*parts, stroke(left, up.start, right, up.start, "axis")]


def _axis(up: Scale, left: float, right: float) -> list[str]:
    parts = []
    for value in ticks(up.low, up.high):
        parts.append(stroke(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 8, up(value) + 4, f"{value:g}", anchor="end", look="soft small"))
    return [*parts, stroke(left, up.start, right, up.start, "axis")]


def _legend(entries: Sequence[tuple[str, int]], width: float) -> tuple[list[str], int]:
    """Return a legend that is broken into rows where it would be too wide, and how many rows it takes."""
    parts, x, row = [], _LEFT, 0
    for label, number in entries:
        wide = 20 + 6.6 * len(label) + 14
        if x > _LEFT and x + wide > width:
            x, row = _LEFT, row + 1
        y = _TOP + 20 * row
        parts += [box(x, y - 9, 11, 11, f"f{number % COLOURS}"), text(x + 17, y + 1, label, look="small")]
        x += wide
    return parts, row + 1


def _apart(places: Sequence[float], across: Scale) -> list[float]:
    """Return the places whose numbers do not run into each other."""
    kept: list[float] = []
    for place in places:
        if not kept or across(place) - across(kept[-1]) >= 24:
            kept.append(place)
    return kept


def _count(condition: Condition) -> int:
    return max(len(score.values) for score in condition.scores.values())
