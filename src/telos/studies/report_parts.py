"""What a study hands to tables, pages and scripts: conditions, tests, charts and findings, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from telos.studies.scoring_contest import Comparison, Condition, Score


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve, with its interval if there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A named curve."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over one axis. ``marked`` is an x with a vertical line, such as the moment at which a goal changes."""

    key: str
    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    marked: float | None = None
    log_x: bool = False
    percent: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: rows with a name, and for each heading a share, or a number if ``percent`` is false."""

    key: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    percent: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """A study that has been run."""

    name: str
    title: str
    source: str  # the paper
    seed: int
    setting: Mapping[str, int | bool]
    labels: Mapping[str, str]  # what each method is called in words
    conditions: tuple[Condition, ...]
    tests: tuple[Comparison, ...]
    charts: tuple[tuple[Chart, ...], ...]  # rows of charts that belong beside each other
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it; accuracies are shares, published figures percents as printed."""
        return {
            "study": self.name,
            "source": self.source,
            "simulated": True,
            "seed": self.seed,
            "setting": dict(self.setting),
            "methods": dict(self.labels),
            "conditions": {
                each.name: {method: _score(score) for method, score in each.scores.items()} for each in self.conditions
            },
            "about_conditions": {each.name: each.says for each in self.conditions},
            "tests": [_test(each) for each in self.tests],
            "charts": {chart.key: _chart(chart) for row in self.charts for chart in row},
            "tables": {grid.key: _grid(grid) for grid in self.grids},
            "findings": list(self.findings),
            "notes": list(self.notes),
        }


def _score(score: Score) -> dict[str, Any]:
    return {
        "accuracy": _rounded(score.accuracy),
        "ci": [_rounded(bound) for bound in score.interval],
        "published": score.published,
        "n": len(score.values),
        "by_goal": {goal: _rounded(share) for goal, share in score.by_goal.items()},
        "soon_after_a_change": _rounded(score.soon),
        "updates_until_right": _rounded(score.delay),
        "values": [_rounded(value) for value in score.values],
    }


def _test(test: Comparison) -> dict[str, Any]:
    published = test.published
    return {
        "condition": test.condition,
        "a": test.first,
        "b": test.second,
        "accuracy_a": _rounded(test.accuracies[0]),
        "accuracy_b": _rounded(test.accuracies[1]),
        "difference": _rounded(test.test.difference),
        "ci": [_rounded(bound) for bound in test.test.interval],
        "t": _rounded(test.test.t),
        "p": test.test.p,
        "effect_size": _rounded(test.test.effect),
        "n": test.test.n,
        "published_p": published.p if published else None,
        "published_says": published.says if published else None,
        "published_a": published.first if published else None,
        "published_b": published.second if published else None,
        "verdict": test.verdict,
        "difference_by_goal": {goal: _rounded(part) for goal, part in test.by_goal.items()},
        "difference_soon_after_a_change": _rounded(test.soon),
    }


def _chart(chart: Chart) -> dict[str, Any]:
    lines = {
        line.name: [[_rounded(each) for each in (point.x, point.y, point.low, point.high)] for point in line.points]
        for line in chart.lines
    }
    return {"title": chart.title, "x": chart.x, "y": chart.y, "lines": lines, "note": chart.note}


def _grid(grid: Grid) -> dict[str, Any]:
    rows = {name: dict(zip(grid.headings, map(_rounded, shares), strict=True)) for name, shares in grid.rows}
    return {"title": grid.title, "rows": rows, "note": grid.note}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
