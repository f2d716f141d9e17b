"""Writers of study results: terminal (``print_result``), JSON (``result_json``), web page (``save_report``) and one SVG
file per chart (``save_figures``).
"""

import json
import platform
from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from telos import web_page
from telos.files import write_text
from telos.studies.results import (
    Bar,
    BarChart,
    Block,
    Bullets,
    Chart,
    ChartRow,
    Curve,
    DotChart,
    DotRow,
    LineChart,
    Paragraph,
    Section,
    StudyResult,
    Table,
)
from telos.svg import (
    COLOURS,
    Scale,
    band,
    box,
    curve,
    diamond,
    dot,
    figure,
    segment,
    standalone_figure,
    text,
    ticks,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 16.0, 40.0, 46.0  # margins of a chart, in pixels
_BAR, _GAP, _APART = 40.0, 8.0, 48.0  # widths of a bar, between bars, between groups
_DOTS_LEFT, _DOTS_ROW, _DOTS_WIDTH = 150.0, 26.0, 470.0
_MAX_LOOSE_COLUMNS = 9  # a table with more columns is set close, so that it fits into a terminal


# --- JSON and terminal ------------------------------------------------------------------------------------------------


def provenance(result: StudyResult) -> dict[str, str | int]:
    """Return what a result was made with: study, seed, versions and platform."""
    return {
        "study": result.name,
        "seed": result.seed,
        "telos": version("telos"),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "machine": platform.machine(),
    }


def result_json(result: StudyResult) -> str:
    """Return everything as one JSON object; ``made_with`` says by which versions, where, and with which seed."""
    return json.dumps({**result.data, "made_with": provenance(result)}, indent=2)


def print_result(result: StudyResult, console: "Console") -> None:
    """Print the summary and the findings."""
    _print_line(result.heading, console)
    if result.source:
        _print_line(f"after {result.source}", console)
    console.print()
    for block in result.summary:
        _print_block(block, console)
    for finding in result.findings:
        _print_line(f"- {finding}", console)


def _print_line(line: str, console: "Console", style: str | None = None) -> None:
    # Lines are not broken: a pager or a pipe shall find them whole.
    console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


def _print_block(block: Block, console: "Console") -> None:
    if isinstance(block, Table):
        console.print(_terminal_table(block))
        if block.note:
            console.print(block.note, style="dim", markup=False, highlight=False)
        console.print()
    elif isinstance(block, Bullets):
        for item in block.items:
            _print_line(f"- {item}", console)
    elif isinstance(block, Section):
        _print_line(block.title, console)
    elif isinstance(block, Paragraph):
        _print_line(block.text, console, "dim" if block.soft else None)


def _terminal_table(table: Table) -> "RichTable":
    from rich.table import Table as RichTable
    from rich.text import Text

    is_close = len(table.columns) > _MAX_LOOSE_COLUMNS
    drawn = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0) if is_close else (0, 1))
    for place, heading in enumerate(table.columns):
        is_text = place in table.text_columns
        drawn.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text)
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    return drawn


# --- web page ---------------------------------------------------------------------------------------------------------


def save_report(result: StudyResult, path: Path) -> None:
    """Write the result as a web page."""
    write_text(path, page(result))


def save_figures(result: StudyResult, folder: Path) -> list[Path]:
    """Write every chart as a file of its own, ``study-NAME-CHART.svg``, and return their paths."""
    written = []
    for chart in result.charts:
        path = folder / f"study-{result.name}-{chart.key.replace('_', '-')}.svg"
        write_text(path, standalone_figure(draw(chart)))
        written.append(path)
    return written


def page(result: StudyResult) -> str:
    """Return the web page: one file that needs no network."""
    body = [f"<h1>{escape(result.title)}</h1>"]
    if result.source:
        body.append(f'<p class="soft">After {escape(result.source)}</p>')
    if result.players or result.setting:
        body.append(web_page.paragraph(result.setting, tag=result.players))
    if result.warnings:
        body.append(f'<div class="findings">{web_page.bullets(result.warnings)}</div>')
    if result.findings:
        body.append(f'<h2>Findings</h2>\n<div class="findings">{web_page.bullets(result.findings)}</div>')
    body += [_block_html(block) for block in result.details or result.summary]
    if result.notes:
        body.append(f"<h2>How it was done</h2>\n{web_page.bullets(result.notes)}")
    made = provenance(result)
    where = f"Telos {made['telos']}, Python {made['python']}, {made['platform']} ({made['machine']})"
    body.append(f'<p class="soft">Made with {escape(where)}; study {escape(result.name)}, seed {result.seed}.</p>')
    return web_page.web_page(result.title, body)


def _block_html(block: Block) -> str:
    if isinstance(block, Table):
        note = f'<p class="soft">{escape(block.note)}</p>' if block.note else ""
        return web_page.table(block.columns, block.rows, text_columns=block.text_columns) + note
    if isinstance(block, Section):
        heading = f"<h{block.level}>{escape(block.title)}</h{block.level}>"
        return heading + (web_page.paragraph(block.text, tag=block.tag) if block.text or block.tag else "")
    if isinstance(block, ChartRow):
        pictures = "".join(f"<figure>{draw(chart)}</figure>" for chart in block.charts)
        return pictures if len(block.charts) == 1 else f'<div class="row">{pictures}</div>'
    if isinstance(block, Bullets):
        return web_page.bullets(block.items)
    return web_page.paragraph(block.text) if block.soft else f"<p>{escape(block.text)}</p>"


# --- charts -----------------------------------------------------------------------------------------------------------


def draw(chart: Chart) -> str:
    """Draw a chart as SVG."""
    if isinstance(chart, LineChart):
        return draw_lines(chart)
    return draw_bars(chart) if isinstance(chart, BarChart) else draw_dots(chart)


def draw_bars(chart: BarChart) -> str:
    """Draw bars with their intervals, and published figures as diamonds."""
    labels = list(dict.fromkeys(bar.label for _, _, bars in chart.groups for bar in bars))
    widths = [max(130.0, len(bars) * (_BAR + _GAP) - _GAP) for _, _, bars in chart.groups]
    width = max(_LEFT + sum(widths) + _APART * len(chart.groups) + _RIGHT, 480.0)
    legend, rows = _legend(labels, width)
    top, height = _TOP + 20 * rows + 12, 300.0
    up = Scale(0, 1, top + height, top)
    parts = [text(_LEFT, 22, chart.title, look="title"), *legend, *_axis(up, _LEFT, width - _RIGHT, percent=True)]
    parts += [segment(_LEFT, up(chart.chance), width - _RIGHT, up(chart.chance), "dash")]
    left = _LEFT + _APART / 2
    for (name, note, bars), wide in zip(chart.groups, widths, strict=True):
        x = left + (wide - len(bars) * (_BAR + _GAP) + _GAP) / 2
        for bar in bars:
            parts += _bar(bar, x, up, labels.index(bar.label))
            x += _BAR + _GAP
        parts.append(text(left + wide / 2, up.start + 18, name, anchor="middle"))
        parts.append(text(left + wide / 2, up.start + 33, note, anchor="middle", look="soft small"))
        left += wide + _APART
    who = chart.players
    description = f"{chart.title}: bars are {who} players, diamonds the published figures, whiskers 95% intervals"
    foot = f"bars: {who}, with 95% intervals · ◇ published · dashes: chance"
    parts.append(text(_LEFT, up.start + 54, foot, look="soft small"))
    return figure(width, up.start + 64, parts, label=description)


def _bar(bar: Bar, x: float, up: Scale, number: int) -> list[str]:
    value, (low, high), middle = bar.value, bar.interval, x + _BAR / 2
    tip = f"{bar.label}: {value:.1%} (95% interval {low:.1%} to {high:.1%})"
    parts = [
        box(x, up(value), _BAR, up.start - up(value), f"f{number % COLOURS}", tip),
        segment(middle, up(low), middle, up(high), "whisker"),
        segment(middle - 4, up(low), middle + 4, up(low), "whisker"),
        segment(middle - 4, up(high), middle + 4, up(high), "whisker"),
    ]
    above = up(max(high, value))
    if bar.published is not None:
        share = bar.published / 100
        parts.append(diamond(middle, up(share), f"published: {bar.published:g}%"))
        if above - 24 < up(share) < above + 8:  # the diamond stands where the number would
            above = up(share) - 6
    return [*parts, text(middle, above - 6, f"{value * 100:.0f}", anchor="middle")]


def draw_dots(chart: DotChart) -> str:
    """Draw a row for each method: a dot for each fold, a stroke for their mean, a diamond for the published value."""
    published = [row.published for row in chart.rows if row.published is not None]
    high = min(1.0, (int(10 * max([*(value for row in chart.rows for value in row.values), *published])) + 1) / 10)
    across, top = Scale(0.0, high, _DOTS_LEFT, _DOTS_WIDTH - 24), 44.0
    bottom = top + _DOTS_ROW * len(chart.rows)
    parts = [text(8, 22, chart.title, look="title")]
    for value in ticks(0.0, high):
        parts.append(segment(across(value), top - 6, across(value), bottom, "rule"))
        parts.append(text(across(value), bottom + 16, f"{value:.1f}", anchor="middle", look="soft small"))
    for number, row in enumerate(chart.rows):
        parts += _dots(row, number, top + _DOTS_ROW * (number + 0.5), across, chart.dot)
    foot = f"{chart.players} players · a dot is a {chart.dot} · the stroke is the mean" + (
        " · ◇ published" if published else ""
    )
    parts.append(text(8, bottom + 36, foot, look="soft small"))
    return figure(_DOTS_WIDTH, bottom + 46, parts, label=f"{chart.title}, {chart.players} players")


def _dots(row: DotRow, number: int, y: float, across: Scale, each: str) -> list[str]:
    mean = sum(row.values) / len(row.values)
    parts = [text(_DOTS_LEFT - 12, y + 4, row.label, anchor="end")]
    for fold, value in enumerate(row.values):
        parts.append(dot(across(value), y, f"f{number % COLOURS}", f"{row.label}, {each} {fold}: {value:.3f}", 3.6))
    parts.append(segment(across(mean), y - 9, across(mean), y + 9, "whisker"))
    if row.published is not None:
        parts.append(diamond(across(row.published), y, f"published: {row.published:.3f}"))
    return parts


def draw_lines(chart: LineChart, *, width: float = 460.0) -> str:
    """Draw the curves of a chart, with their intervals as bands."""
    legend, rows = _legend([line.name for line in chart.curves], width)
    top, height = _TOP + 20 * rows + 8, 210.0
    xs = [point.x for line in chart.curves for point in line.points]
    across = Scale(min(xs), max(xs), _LEFT + 6, width - _RIGHT - 6, log=chart.log_x)
    low, high = _range(chart)
    up = Scale(low, high, top + height, top)
    parts = [text(_LEFT, 22, chart.title, look="title"), *legend]
    parts += _axis(up, _LEFT, width - _RIGHT, percent=chart.percent)
    places = sorted(set(xs)) if chart.log_x or len(set(xs)) <= 9 else ticks(min(xs), max(xs), 7)
    for x in _apart(places, across):
        parts += [segment(across(x), up.start, across(x), up.start + 4, "axis")]
        parts += [text(across(x), up.start + 18, f"{x:.3g}", anchor="middle", look="soft small")]
    if chart.marked is not None:
        parts.append(segment(across(chart.marked), up.start, across(chart.marked), up.end, "dash"))
    parts += [text((_LEFT + width - _RIGHT) / 2, up.start + 36, chart.x, anchor="middle", look="soft small")]
    for number, line in enumerate(chart.curves):
        parts += _curve(line, number % COLOURS, across, up)
    return figure(width, up.start + _BOTTOM, parts, label=f"{chart.title}: {chart.y} by {chart.x}")


def _curve(line: Curve, number: int, across: Scale, up: Scale) -> list[str]:
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


def _range(chart: LineChart) -> tuple[float, float]:
    ys = [
        value
        for line in chart.curves
        for point in line.points
        for value in (point.y, point.low, point.high)
        if value is not None
    ]
    low, high = min(ys), max(ys)
    if not chart.percent:
        return min(0.0, low), high * 1.05 or 1.0
    # from the tenth below to the tenth above, and at least 40 points, so that noise does not look like an effect
    low, high = int(low * 10) / 10, min(1.0, (int(high * 10 - 1e-9) + 1) / 10)
    return (max(0.0, high - 0.4), high) if high - low < 0.4 else (low, high)


def _axis(up: Scale, left: float, right: float, *, percent: bool) -> list[str]:
    parts = []
    for value in ticks(up.low, up.high):
        label = f"{value * 100:.0f}%" if percent else f"{value:g}"
        parts.append(segment(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 8, up(value) + 4, label, anchor="end", look="soft small"))
    return [*parts, segment(left, up.start, right, up.start, "axis")]


def _legend(labels: Sequence[str], width: float) -> tuple[list[str], int]:
    """Return a legend, broken into rows where it would be too wide, and the number of rows."""
    parts, x, row = [], _LEFT, 0
    for number, label in enumerate(labels):
        wide = 20 + 6.6 * len(label) + 14
        if x > _LEFT and x + wide > width:
            x, row = _LEFT, row + 1
        y = _TOP + 20 * row
        parts += [box(x, y - 9, 11, 11, f"f{number % COLOURS}"), text(x + 17, y + 1, label, look="small")]
        x += wide
    return parts, row + 1


def _apart(places: Sequence[float], across: Scale) -> list[float]:
    """Return the places whose labels do not overlap."""
    kept: list[float] = []
    for place in places:
        if not kept or across(place) - across(kept[-1]) >= 24:
            kept.append(place)
    return kept
