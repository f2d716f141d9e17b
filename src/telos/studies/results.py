"""One StudyResult for all studies: figures, comparisons, findings, JSON, text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any, Protocol, TypeVar

from telos.studies.scoring import SOON, Comparison, Condition, HumanScore, Score
from telos.studies.statistics import Paired, paired, said_p

# --- report parts -----------------------------------------------------------------------------------------------------
# What a study hands to tables, pages and scripts: conditions, tests, charts and findings, as plain data.


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


# --- report findings --------------------------------------------------------------------------------------------------
# Findings in plain words, made from the numbers: what agrees in kind with the paper, what does not, and where.


def findings(tests: Sequence[Comparison], labels: Mapping[str, str]) -> list[str]:
    """Return a sentence or a few for each published comparison, after one that counts them."""
    published = [test for test in tests if test.published is not None]
    agreeing = sum(test.verdict == "agrees" for test in published)
    differing = sum(test.differs for test in published)
    weaker = len(published) - agreeing - differing
    said = f"Of {len(published)} published comparisons, {agreeing} agree in kind with ours"
    said += f"; pointing the same way without being significant: {weaker}" if weaker else ""
    said += f"; differing: {differing}." if differing else "."
    return [said, *(told(test, labels) for test in published)]


def told(test: Comparison, labels: Mapping[str, str]) -> str:
    """Say one comparison in words; if it differs from the published one, also where the difference lies.

    A difference in kind is one of direction or of significance, not of percents.
    """
    ours, theirs = test.accuracies
    first, second = labels[test.first], labels[test.second]
    said = f"{test.condition}: {first} {ours:.0%}, {second} {theirs:.0%} ({said_p(test.test.p)})"
    published = test.published
    if published is not None:
        said += f"; published {_percent(published.first)} and {_percent(published.second)} ({published.says})"
    said += f". {test.verdict[0].upper()}{test.verdict[1:]}."
    if published is not None and test.verdict != "agrees":
        said += " " + where(test)
    return said


def where(test: Comparison) -> str:
    """Say which phases a difference comes from.

    The parts are points of all updates, so that they sum to the whole difference.
    """
    parts = ", ".join(f"{goal} {part * 100:+.1f}" for goal, part in test.by_goal.items())
    return (
        f"Of the difference of {test.test.difference * 100:+.1f} points, by phase: {parts}; "
        f"{test.soon * 100:+.1f} fall into the first {SOON} updates after a goal changed."
    )


def _percent(value: float | None) -> str:
    return "not given" if value is None else f"{value:g}%"


# --- results ----------------------------------------------------------------------------------------------------------
# What comes out of a study of human players: figures, tests, and what they mean in plain words.


Done = TypeVar("Done")


class Watched(Protocol):
    """Is handed what is done as it comes, with its number, to pass it on: a place for a progress bar."""

    def __call__(self, done: Iterable[Done], total: int, /) -> Iterable[Done]:
        """Return the same, one by one."""


def unwatched(done: Iterable[Done], total: int, /) -> Iterable[Done]:
    """Pass on what is done, and tell nobody."""
    return done


@dataclass(frozen=True, slots=True)
class Figure:
    """The accuracy of one method, its interval over groups, and the published figure if there is one."""

    method: str
    accuracy: float
    interval: tuple[float, float]
    rows: int
    by_group: Mapping[str, float]
    published: float | None = None

    @classmethod
    def of(cls, method: str, score: HumanScore, *, rng: Random, published: float | None = None) -> "Figure":
        """Return the figure of a score."""
        low, high = score.interval(rng)
        return cls(method, score.accuracy, (low, high), score.rows.total(), score.by_group, published)

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it: accuracies as shares, published figures in per cent as printed."""
        return {
            "accuracy": _rounded_share(self.accuracy),
            "ci": [_rounded_share(bound) for bound in self.interval],
            "rows": self.rows,
            "published": self.published,
            "by_group": {group: _rounded_share(share) for group, share in self.by_group.items()},
        }


@dataclass(frozen=True, slots=True)
class HumanComparison:
    """Two ways of training, tested on the same players; accuracies are means over players."""

    a: str
    b: str
    accuracy_a: float
    accuracy_b: float
    test: Paired
    published: tuple[float, float] | None = None
    published_p: float | None = None

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "a": self.a,
            "b": self.b,
            "accuracy_a": _rounded_share(self.accuracy_a),
            "accuracy_b": _rounded_share(self.accuracy_b),
            "difference": _rounded_share(self.test.difference),
            "ci": [_rounded_share(bound) for bound in self.test.interval],
            "players": self.test.n,
            "p": self.test.p,
            "effect": self.test.effect,
            "published": None if self.published is None else list(self.published),
            "published_p": self.published_p,
        }

    def said(self) -> str:
        """Say it in one line."""
        low, high = (100 * each for each in self.test.interval)
        line = (
            f"{self.a} {100 * self.accuracy_a:.1f}, {self.b} {100 * self.accuracy_b:.1f}: "
            f"{100 * self.test.difference:+.1f} [{low:+.1f}, {high:+.1f}] "
            f"over {self.test.n} players, {said_p(self.test.p)}"
        )
        if self.published is not None:
            line += f" (published {self.published[0]:g} and {self.published[1]:g}, p = {self.published_p:g})"
        return line


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """The whole outcome; ``figures`` is what ``--json`` prints, ``lines`` what a terminal shows."""

    study: str
    seed: int
    quick: bool
    accuracies: tuple[Figure, ...]
    comparisons: tuple[HumanComparison, ...] = ()
    findings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "study": self.study,
            "seed": self.seed,
            "quick": self.quick,
            "simulated": False,
            "players": "human",
            "methods": {figure.method: figure.figures() for figure in self.accuracies},
            "tests": [each.figures() for each in self.comparisons],
            "findings": list(self.findings),
            **self.details,
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """Return a table of the figures, the tests and the findings."""
        width = max((len(each.method) for each in self.accuracies), default=0)
        shown = [f"{self.study}: human players, share of rows at which the likeliest goal was right, in per cent"]
        for each in self.accuracies:
            beside = "" if each.published is None else f"  published {each.published:.1f}"
            low, high = (100 * bound for bound in each.interval)
            shown.append(f"  {each.method:<{width}}  {100 * each.accuracy:5.1f}  [{low:.1f}, {high:.1f}]{beside}")
        return (*shown, *(f"  {each.said()}" for each in self.comparisons), *self.findings)


def compared(
    a: str,
    b: str,
    first: Sequence[float],
    second: Sequence[float],
    *,
    rng: Random,
    published: tuple[float, float] | None = None,
    published_p: float | None = None,
) -> HumanComparison:
    """Return the paired comparison of two ways of training; the shares are by player, in the same order."""
    return HumanComparison(a, b, fmean(first), fmean(second), paired(first, second, rng=rng), published, published_p)


def _rounded_share(share: float) -> float:
    return round(share, 6)
