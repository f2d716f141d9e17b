"""A study as one web page: findings, tables and figures in a single file that needs no network."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.figures import bars, lines
from telos.studies.figures_svg import STYLE_SHEET, alone
from telos.studies.report_parts import Study
from telos.studies.scoring_contest import Comparison, Condition
from telos.studies.statistics import said_p

_BARS = "Right at so many updates"
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5f6773; --rule: #e3e6ea; --paper: #ffffff; --wash: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb8; --rule: #333a45; --paper: #171a20; --wash: #1e222a; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; }
.soft { color: var(--soft); } .tag { border: 1px solid var(--soft); border-radius: 1rem; padding: 0 .6rem;
  font-size: .85rem; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { color: var(--soft); font-size: .85rem; } svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--rule); } th { font-weight: 600; }
th { vertical-align: bottom; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
td:first-child { min-width: 13rem; } td:last-child { white-space: normal; }
li { margin: .35rem 0; } .findings { background: var(--wash); border-radius: .5rem; padding: .8rem 1.2rem; }
"""


def save_report(study: Study, path: Path) -> None:
    """Write the page of a study."""
    try:
        path.write_text(page(study), encoding="utf-8")
    except OSError as error:
        raise TelosError(f"cannot write the report to {str(path)!r}: {error.strerror}; name another file") from error


def save_figures(study: Study, folder: Path) -> list[Path]:
    """Write every figure as a picture of its own, ``study-NAME-FIGURE.svg``, and return where."""
    pictures = {"accuracy": bars(study.conditions, study.labels, title=_BARS)}
    pictures.update({chart.key: lines(chart) for row in study.charts for chart in row})
    written = []
    for key, picture in pictures.items():
        path = folder / f"study-{study.name}-{key.replace('_', '-')}.svg"
        try:
            path.write_text(alone(picture), encoding="utf-8")
        except OSError as error:
            raise TelosError(f"cannot write {str(path)!r}: {error.strerror}; name another folder") from error
        written.append(path)
    return written


def page(study: Study) -> str:
    """Return the page of a study, whole."""
    setting = ", ".join(f"{name} {value}" for name, value in {**study.setting, "seed": study.seed}.items())
    body = [
        f"<h1>{escape(study.title)}</h1>",
        f'<p class="soft">After {escape(study.source)}</p>',
        f'<p class="soft"><span class="tag">simulated players</span> {escape(setting)}</p>',
        "<h2>Findings</h2>",
        f'<div class="findings">{_list(study.findings)}</div>',
        "<h2>Accuracy</h2>",
        f"<figure>{bars(study.conditions, study.labels, title=_BARS)}</figure>",
        *(_condition_table(each, study) for each in study.conditions),
        "<h2>Tests</h2>",
        _test_table(study),
        *_charts(study),
        *_grids(study),
        "<h2>How it was done</h2>",
        _list(study.notes),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(study.title)}</title><style>{_STYLE}{STYLE_SHEET}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


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
        yield f"<h2>{escape(grid.title)}</h2>{note}{_table(['', *grid.headings], rows)}"


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
    return f"<h3>{escape(condition.name)}</h3><p class='soft'>{escape(condition.says)}</p>{_table(head, rows)}"


def _test_table(study: Study) -> str:
    goals = list(study.tests[0].by_goal)
    head = ["", "difference", "95% interval", "p", "effect", "published", *goals, "just after a change", "in kind"]
    rows = [_test_row(test, study) for test in study.tests]
    return _table(head, rows) + (
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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(f'<{tag} class="{"n" if at else ""}">{escape(each)}</{tag}>' for at, each in enumerate(values))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(said: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in said)}</ul>"
