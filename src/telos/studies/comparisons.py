"""Results of studies that compare methods: ``experiment_result`` for simulated players, with published figures beside
ours, and ``human_result`` for logs of human players. Both build a ``StudyResult``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

from telos.studies.results import (
    Bar,
    BarChart,
    Block,
    Bullets,
    ChartRow,
    LineChart,
    Section,
    StudyResult,
    Table,
    chart_data,
    round_figure,
)
from telos.studies.scoring import SOON, Comparison, Condition, GroupScore, Score
from telos.studies.statistics import Paired, format_p, paired

# --- experiments with simulated players -------------------------------------------------------------------------------

_BARS_TITLE = "Right at so many updates"
_TESTS_NOTE = (
    "Two-tailed paired t-tests, as in the paper; not corrected for being several. The effect is Cohen's d of the "
    "differences. The columns of goals say how many points of the difference fall into the phases of each; they sum to "
    "it. Just after a change are the first ten updates after a goal has changed."
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers: rows with a name, and for each heading a share, or a plain number if not ``percent``."""

    key: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    percent: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment with simulated players: several methods, scored under several conditions and tested in pairs."""

    name: str
    title: str
    source: str  # the paper
    seed: int
    setting: Mapping[str, int | bool]
    labels: Mapping[str, str]  # the displayed name of each method
    conditions: tuple[Condition, ...]
    tests: tuple[Comparison, ...]
    charts: tuple[tuple[LineChart, ...], ...]  # rows of charts that belong beside each other
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()


def experiment_result(experiment: Experiment) -> StudyResult:
    """Return the result of an experiment."""
    setting = ", ".join(f"{name} {value}" for name, value in {**experiment.setting, "seed": experiment.seed}.items())
    return StudyResult(
        experiment.name,
        experiment.title,
        f"{experiment.name}: simulated players ({setting})",
        experiment.seed,
        _experiment_data(experiment),
        tuple(_summary(experiment)),
        tuple(_details(experiment)),
        source=experiment.source,
        players="simulated players",
        setting=setting,
        findings=experiment.findings,
        notes=experiment.notes,
    )


def _experiment_data(experiment: Experiment) -> dict[str, Any]:
    """Return everything for JSON; accuracies are shares, published figures are in per cent as printed."""
    return {
        "study": experiment.name,
        "source": experiment.source,
        "simulated": True,
        "seed": experiment.seed,
        "setting": dict(experiment.setting),
        "methods": dict(experiment.labels),
        "conditions": {
            each.name: {method: _score_data(score) for method, score in each.scores.items()}
            for each in experiment.conditions
        },
        "about_conditions": {each.name: each.about for each in experiment.conditions},
        "tests": [_test_data(each) for each in experiment.tests],
        "charts": {chart.key: chart_data(chart) for row in experiment.charts for chart in row},
        "tables": {grid.key: _grid_data(grid) for grid in experiment.grids},
        "findings": list(experiment.findings),
        "notes": list(experiment.notes),
    }


def _score_data(score: Score) -> dict[str, Any]:
    return {
        "accuracy": round_figure(score.accuracy),
        "ci": [round_figure(bound) for bound in score.interval],
        "published": score.published,
        "n": len(score.values),
        "by_goal": {goal: round_figure(share) for goal, share in score.by_goal.items()},
        "soon_after_a_change": round_figure(score.soon),
        "updates_until_right": round_figure(score.delay),
        "values": [round_figure(value) for value in score.values],
    }


def _test_data(test: Comparison) -> dict[str, Any]:
    published = test.published
    return {
        "condition": test.condition,
        "a": test.first,
        "b": test.second,
        "accuracy_a": round_figure(test.accuracies[0]),
        "accuracy_b": round_figure(test.accuracies[1]),
        "difference": round_figure(test.test.difference),
        "ci": [round_figure(bound) for bound in test.test.interval],
        "t": round_figure(test.test.t),
        "p": test.test.p,
        "effect_size": round_figure(test.test.effect),
        "n": test.test.n,
        "published_p": published.p if published else None,
        "published_says": published.text if published else None,
        "published_a": published.first if published else None,
        "published_b": published.second if published else None,
        "verdict": test.verdict,
        "difference_by_goal": {goal: round_figure(part) for goal, part in test.by_goal.items()},
        "difference_soon_after_a_change": round_figure(test.soon),
    }


def _grid_data(grid: Grid) -> dict[str, Any]:
    rows = {name: dict(zip(grid.headings, map(round_figure, shares), strict=True)) for name, shares in grid.rows}
    return {"title": grid.title, "rows": rows, "note": grid.note}


def _summary(experiment: Experiment) -> Iterable[Block]:
    for condition in experiment.conditions:
        rows = [
            (
                experiment.labels[method],
                f"{score.accuracy:.1%}",
                f"{score.interval[0]:.1%}-{score.interval[1]:.1%}",
                _percent(score.published),
            )
            for method, score in condition.scores.items()
        ]
        columns = (condition.name, "simulated", "95% interval", "published")
        yield Table(columns, tuple(rows), note=condition.about)
    tests = [
        (
            f"{test.condition}: {experiment.labels[test.first]} - {experiment.labels[test.second]}",
            f"{test.test.difference * 100:+.1f}",
            format_p(test.test.p),
            *(("", "") if test.published is None else (test.published.text, test.verdict)),
        )
        for test in experiment.tests
    ]
    yield Table(("paired t-test", "points", "simulated", "published", "in kind"), tuple(tests), text_columns=(0, 4))


def _details(experiment: Experiment) -> Iterable[Block]:
    yield Section("Accuracy")
    yield ChartRow((_bars(experiment),))
    for condition in experiment.conditions:
        yield Section(condition.name, condition.about, level=3)
        yield _condition_table(condition, experiment)
    yield Section("Tests")
    yield _test_table(experiment)
    for row in experiment.charts:
        yield Section(row[0].note or row[0].title)
        yield ChartRow(row)
    for grid in experiment.grids:
        pattern = "{:.0%}" if grid.percent else "{:+.2f}"
        yield Section(grid.title, grid.note)
        rows = tuple((name, *map(pattern.format, values)) for name, values in grid.rows)
        yield Table(("", *grid.headings), rows)


def _bars(experiment: Experiment) -> BarChart:
    groups = []
    for condition in experiment.conditions:
        count = max(len(score.values) for score in condition.scores.values())
        bars = tuple(
            Bar(experiment.labels[score.method], score.accuracy, score.interval, score.published)
            for score in condition.scores.values()
        )
        groups.append((condition.name, f"n = {count}", bars))
    return BarChart("accuracy", _BARS_TITLE, tuple(groups))


def _condition_table(condition: Condition, experiment: Experiment) -> Table:
    goals = list(dict.fromkeys(goal for score in condition.scores.values() for goal in score.by_goal))
    columns = ("", "simulated", "95% interval", "published", *goals, "just after a change", "updates until right")
    rows = []
    for method, score in condition.scores.items():
        low, high = score.interval
        rows.append(
            (
                experiment.labels[method],
                f"{score.accuracy:.1%}",
                f"{low:.1%} to {high:.1%}",
                _percent(score.published),
                *(f"{score.by_goal[goal]:.0%}" if goal in score.by_goal else "" for goal in goals),
                "" if score.soon is None else f"{score.soon:.0%}",
                "" if score.delay is None else f"{score.delay:.1f}",
            )
        )
    return Table(columns, tuple(rows))


def _test_table(experiment: Experiment) -> Table:
    goals = list(experiment.tests[0].by_goal)
    columns = ("", "difference", "95% interval", "p", "effect", "published", *goals, "just after a change", "in kind")
    rows = tuple(_test_row(test, experiment.labels) for test in experiment.tests)
    return Table(columns, rows, note=_TESTS_NOTE, text_columns=(0, len(columns) - 1))


def _test_row(test: Comparison, labels: Mapping[str, str]) -> tuple[str, ...]:
    low, high = test.test.interval
    return (
        f"{test.condition}: {labels[test.first]} − {labels[test.second]}",
        f"{test.test.difference * 100:+.1f}",
        f"{low * 100:+.1f} to {high * 100:+.1f}",
        format_p(test.test.p).removeprefix("p = ").removeprefix("p "),
        "" if test.test.effect is None else f"{test.test.effect:.2f}",
        "" if test.published is None else test.published.text,
        *(f"{part * 100:+.1f}" for part in test.by_goal.values()),
        f"{test.soon * 100:+.1f}",
        test.verdict,
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:g}%"


# --- findings ---------------------------------------------------------------------------------------------------------


def find_agreements(tests: Sequence[Comparison], labels: Mapping[str, str]) -> list[str]:
    """Return a sentence or a few for each published comparison, after one that counts them."""
    published = [test for test in tests if test.published is not None]
    agreeing = sum(test.verdict == "agrees" for test in published)
    differing = sum(test.differs for test in published)
    weaker = len(published) - agreeing - differing
    text = f"Of {len(published)} published comparisons, {agreeing} agree in kind with ours"
    text += f"; pointing the same way without being significant: {weaker}" if weaker else ""
    text += f"; differing: {differing}." if differing else "."
    return [text, *(format_comparison(test, labels) for test in published)]


def format_comparison(test: Comparison, labels: Mapping[str, str]) -> str:
    """Describe a comparison; if it differs in kind from the published one, also where the difference lies.

    A difference in kind is one of direction or of significance, not of percents.
    """
    ours, theirs = test.accuracies
    first, second = labels[test.first], labels[test.second]
    text = f"{test.condition}: {first} {ours:.0%}, {second} {theirs:.0%} ({format_p(test.test.p)})"
    published = test.published
    if published is not None:
        percents = [_percent(value) or "not given" for value in (published.first, published.second)]
        text += f"; published {percents[0]} and {percents[1]} ({published.text})"
    text += f". {test.verdict[0].upper()}{test.verdict[1:]}."
    if published is not None and test.verdict != "agrees":
        text += " " + format_parts(test)
    return text


def format_parts(test: Comparison) -> str:
    """Describe which phases a difference comes from, in points of all updates, so that the parts sum to the whole."""
    parts = ", ".join(f"{goal} {part * 100:+.1f}" for goal, part in test.by_goal.items())
    return (
        f"Of the difference of {test.test.difference * 100:+.1f} points, by phase: {parts}; "
        f"{test.soon * 100:+.1f} fall into the first {SOON} updates after a goal changed."
    )


# --- logs of human players --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MethodAccuracy:
    """The accuracy of one method, its interval over groups, and the published figure if there is one."""

    method: str
    accuracy: float
    interval: tuple[float, float]
    rows: int
    by_group: Mapping[str, float]
    published: float | None = None

    @classmethod
    def from_score(
        cls, method: str, score: GroupScore, *, rng: Random, published: float | None = None
    ) -> "MethodAccuracy":
        """Return the accuracy of a score; the interval is a bootstrap over groups."""
        return cls(method, score.accuracy, score.interval(rng), score.rows.total(), score.by_group, published)

    def data(self) -> dict[str, Any]:
        """Return it for JSON: accuracies as shares, published figures in per cent as printed."""
        return {
            "accuracy": round_figure(self.accuracy),
            "ci": [round_figure(bound) for bound in self.interval],
            "rows": self.rows,
            "published": self.published,
            "by_group": {group: round_figure(share) for group, share in self.by_group.items()},
        }


@dataclass(frozen=True, slots=True)
class PlayerComparison:
    """Two ways of training, tested on the same players; accuracies are means over players."""

    a: str
    b: str
    accuracy_a: float
    accuracy_b: float
    test: Paired
    published: tuple[float, float] | None = None
    published_p: float | None = None

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "accuracy_a": round_figure(self.accuracy_a),
            "accuracy_b": round_figure(self.accuracy_b),
            "difference": round_figure(self.test.difference),
            "ci": [round_figure(bound) for bound in self.test.interval],
            "players": self.test.n,
            "p": self.test.p,
            "effect": self.test.effect,
            "published": None if self.published is None else list(self.published),
            "published_p": self.published_p,
        }

    def __str__(self) -> str:
        low, high = (100 * each for each in self.test.interval)
        line = (
            f"{self.a} {100 * self.accuracy_a:.1f}, {self.b} {100 * self.accuracy_b:.1f}: "
            f"{100 * self.test.difference:+.1f} [{low:+.1f}, {high:+.1f}] "
            f"over {self.test.n} players, {format_p(self.test.p)}"
        )
        if self.published is not None:
            line += f" (published {self.published[0]:g} and {self.published[1]:g}, p = {self.published_p:g})"
        return line


def compare_players(
    a: str,
    b: str,
    first: Sequence[float],
    second: Sequence[float],
    *,
    rng: Random,
    published: tuple[float, float] | None = None,
    published_p: float | None = None,
) -> PlayerComparison:
    """Return the paired comparison of two ways of training; the shares are by player, in the same order."""
    test = paired(first, second, rng=rng)
    return PlayerComparison(a, b, fmean(first), fmean(second), test, published, published_p)


def human_result(
    name: str,
    seed: int,
    quick: bool,
    accuracies: Sequence[MethodAccuracy],
    comparisons: Sequence[PlayerComparison] = (),
    findings: Sequence[str] = (),
    extra: Mapping[str, Any] | None = None,
) -> StudyResult:
    """Return the result of a study of human players; ``extra`` is appended to its JSON."""
    data = {
        "study": name,
        "seed": seed,
        "quick": quick,
        "simulated": False,
        "players": "human",
        "methods": {each.method: each.data() for each in accuracies},
        "tests": [each.data() for each in comparisons],
        "findings": list(findings),
        **(extra or {}),
    }
    rows: list[tuple[str, ...]] = []
    for each in accuracies:
        low, high = (100 * bound for bound in each.interval)
        published = "" if each.published is None else f"{each.published:.1f}"
        rows.append((each.method, f"{100 * each.accuracy:.1f}", f"[{low:.1f}, {high:.1f}]", published))
    columns: tuple[str, ...] = ("method", "accuracy", "95% interval", "published")
    if not any(each.published is not None for each in accuracies):
        columns, rows = columns[:3], [row[:3] for row in rows]
    summary: list[Block] = [Table(columns, tuple(rows))]
    if comparisons:
        summary.append(Bullets(tuple(map(str, comparisons))))
    heading = f"{name}: human players, share of rows at which the likeliest goal was right, in per cent"
    return StudyResult(
        name, name, heading, seed, data, tuple(summary), players="human players", findings=tuple(findings)
    )
