"""HTML page and charts."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.results import Chart, Line, Study
from telos.studies.scoring import Comparison, Condition, Score
from telos.studies.statistics import said_p
from telos.svg import (
    COLOURS,
    STYLE_SHEET,
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

# --- report page ------------------------------------------------------------------------------------------------------
# What every page of a study shares: its frame and looks, tables, lists, and how it is written to disk.


_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5f6773; --rule: #e3e6ea; --paper: #ffffff; --wash: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb8; --rule: #333a45; --paper: #171a20; --wash: #1e222a; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; }
h3 { margin: 1.6rem 0 .4rem; }
.soft { color: var(--soft); } .tag { border: 1px solid var(--soft); border-radius: 1rem; padding: 0 .6rem;
  font-size: .85rem; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; align-items: start; }
figure { margin: 0; } figcaption { color: var(--soft); font-size: .85rem; } svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--rule); } th { font-weight: 600; }
th { vertical-align: bottom; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
td:first-child { min-width: 13rem; } td:last-child { white-space: normal; }
li { margin: .35rem 0; } .findings { background: var(--wash); border-radius: .5rem; padding: .8rem 1.2rem; }
"""


def framed(title: str, body: Iterable[str]) -> str:
    """Return a whole page that needs no network."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}{STYLE_SHEET}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; all but its first column are numbers."""

    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(f'<{tag} class="{"n" if at else ""}">{escape(each)}</{tag}>' for at, each in enumerate(values))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def listed(said: Iterable[str]) -> str:
    """Return sentences as a list."""
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in said)}</ul>"


def write_page(page: str, path: Path) -> None:
    """Write a page to a file."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise TelosError(f"cannot write the report to {str(path)!r}: {error.strerror}", "name another file") from error


def write_pictures(study: str, pictures: Mapping[str, str], folder: Path) -> list[Path]:
    """Write every picture as a file of its own, ``study-NAME-PICTURE.svg``, and return where."""
    written = []
    for key, picture in pictures.items():
        path = folder / f"study-{study}-{key.replace('_', '-')}.svg"
        try:
            path.write_text(standalone_figure(picture), encoding="utf-8")
        except OSError as error:
            raise TelosError(f"cannot write {str(path)!r}: {error.strerror}", "name another folder") from error
        written.append(path)
    return written


# --- figures ----------------------------------------------------------------------------------------------------------
# The figures of studies: bars beside published marks, and curves with their intervals.


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
    parts += [segment(_LEFT, up(chance), width - _RIGHT, up(chance), "dash")]
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
    return figure(width, up.start + 64, parts, label=said)


def _bar(score: Score, x: float, up: Scale, number: int, label: str) -> list[str]:
    value, (low, high), middle = score.accuracy, score.interval, x + _BAR / 2
    tip = f"{label}: {value:.1%} (95% interval {low:.1%} to {high:.1%})"
    parts = [
        box(x, up(value), _BAR, up.start - up(value), f"f{number % COLOURS}", tip),
        segment(middle, up(low), middle, up(high), "whisker"),
        segment(middle - 4, up(low), middle + 4, up(low), "whisker"),
        segment(middle - 4, up(high), middle + 4, up(high), "whisker"),
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
        parts += [segment(across(x), up.start, across(x), up.start + 4, "axis")]
        parts += [text(across(x), up.start + 18, f"{x:.3g}", anchor="middle", look="soft small")]
    if chart.marked is not None:
        parts.append(segment(across(chart.marked), up.start, across(chart.marked), up.end, "dash"))
    parts += [text((_LEFT + width - _RIGHT) / 2, up.start + 36, chart.x, anchor="middle", look="soft small")]
    for number, line in enumerate(chart.lines):
        parts += _curve(line, number % COLOURS, across, up)
    return figure(width, up.start + _BOTTOM, parts, label=f"{chart.title}: {chart.y} by {chart.x}")


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
        parts.append(segment(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 8, up(value) + 4, f"{value * 100:.0f}%", anchor="end", look="soft small"))
    return [*parts, segment(left, up.start, right, up.start, "axis")]


def _axis(up: Scale, left: float, right: float) -> list[str]:
    parts = []
    for value in ticks(up.low, up.high):
        parts.append(segment(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 8, up(value) + 4, f"{value:g}", anchor="end", look="soft small"))
    return [*parts, segment(left, up.start, right, up.start, "axis")]


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


# --- report -----------------------------------------------------------------------------------------------------------
# A study as one web page: findings, tables and figures in a single file that needs no network.


_BARS = "Right at so many updates"


def save_report(study: Study, path: Path) -> None:
    """Write the page of a study."""
    write_page(page(study), path)


def save_figures(study: Study, folder: Path) -> list[Path]:
    """Write every figure as a picture of its own, and return where."""
    pictures = {"accuracy": bars(study.conditions, study.labels, title=_BARS)}
    pictures.update({chart.key: lines(chart) for row in study.charts for chart in row})
    return write_pictures(study.name, pictures, folder)


def page(study: Study) -> str:
    """Return the page of a study, whole."""
    setting = ", ".join(f"{name} {value}" for name, value in {**study.setting, "seed": study.seed}.items())
    body = [
        f"<h1>{escape(study.title)}</h1>",
        f'<p class="soft">After {escape(study.source)}</p>',
        f'<p class="soft"><span class="tag">simulated players</span> {escape(setting)}</p>',
        "<h2>Findings</h2>",
        f'<div class="findings">{listed(study.findings)}</div>',
        "<h2>Accuracy</h2>",
        f"<figure>{bars(study.conditions, study.labels, title=_BARS)}</figure>",
        *(_condition_table(each, study) for each in study.conditions),
        "<h2>Tests</h2>",
        _test_table(study),
        *_charts(study),
        *_grids(study),
        "<h2>How it was done</h2>",
        listed(study.notes),
    ]
    return framed(study.title, body)


def _charts(study: Study) -> Iterable[str]:
    for row in study.charts:
        yield f"<h2>{escape(row[0].note or row[0].title)}</h2>"
        pictures = "".join(f"<figure>{lines(chart)}</figure>" for chart in row)
        yield f'<div class="row">{pictures}</div>'


def _grids(study: Study) -> Iterable[str]:
    for grid in study.grids:
        form = "{:.0%}" if grid.percent else "{:+.2f}"
        rows = [[name, *map(form.format, values)] for name, values in grid.rows]
        note = f'<p class="soft">{escape(grid.note)}</p>' if grid.note else ""
        yield f"<h2>{escape(grid.title)}</h2>{note}{table(['', *grid.headings], rows)}"


def _condition_table(condition: Condition, study: Study) -> str:
    goals = list(dict.fromkeys(goal for score in condition.scores.values() for goal in score.by_goal))
    head = ["", "simulated", "95% interval", "published", *goals, "just after a change", "updates until right"]
    rows = []
    for method, score in condition.scores.items():
        low, high = score.interval
        rows.append(
            [
                study.labels[method],
                f"{score.accuracy:.1%}",
                f"{low:.1%} to {high:.1%}",
                "" if score.published is None else f"{score.published:g}%",
                *(f"{score.by_goal[goal]:.0%}" if goal in score.by_goal else "" for goal in goals),
                "" if score.soon is None else f"{score.soon:.0%}",
                "" if score.delay is None else f"{score.delay:.1f}",
            ]
        )
    return f"<h3>{escape(condition.name)}</h3><p class='soft'>{escape(condition.says)}</p>{table(head, rows)}"


def _test_table(study: Study) -> str:
    goals = list(study.tests[0].by_goal)
    head = ["", "difference", "95% interval", "p", "effect", "published", *goals, "just after a change", "in kind"]
    rows = [_test_row(test, study) for test in study.tests]
    return table(head, rows) + (
        '<p class="soft">Two-tailed paired t-tests, as in the paper; not corrected for being several. The effect is '
        "Cohen's d of the differences. The columns of goals say how many points of the difference fall into the phases "
        "of each; they sum to it. Just after a change are the first ten updates after a goal has changed.</p>"
    )


def _test_row(test: Comparison, study: Study) -> list[str]:
    low, high = test.test.interval
    return [
        f"{test.condition}: {study.labels[test.first]} − {study.labels[test.second]}",
        f"{test.test.difference * 100:+.1f}",
        f"{low * 100:+.1f} to {high * 100:+.1f}",
        said_p(test.test.p).removeprefix("p = ").removeprefix("p "),
        "" if test.test.effect is None else f"{test.test.effect:.2f}",
        "" if test.published is None else test.published.says,
        *(f"{part * 100:+.1f}" for part in test.by_goal.values()),
        f"{test.soon * 100:+.1f}",
        test.verdict,
    ]
