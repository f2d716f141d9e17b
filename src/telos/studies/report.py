"""A study as one web page: findings, tables and figures in a single file that needs no network."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from telos.studies.figures import bars, lines
from telos.studies.report_page import framed, listed, table, write_page, write_pictures
from telos.studies.report_parts import Study
from telos.studies.scoring_contest import Comparison, Condition
from telos.studies.statistics import said_p

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
