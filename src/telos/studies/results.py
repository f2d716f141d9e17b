"""What every study returns: a ``StudyResult``, plain data for the terminal, JSON and web pages.

A study computes its figures, puts everything that ``--json`` prints into ``data``, and describes tables and charts as
values of this module. ``telos.studies.report`` writes them; no study has a printer or a page of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Iterates over results as they arrive; ``total`` is their number. A progress bar is one."""

    def __call__(self, items: Iterable[Item], total: int, /) -> Iterable[Item]:
        """Yield the items unchanged."""


def no_progress(items: Iterable[Item], total: int, /) -> Iterable[Item]:
    """Iterate without showing anything."""
    return items


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve, with its interval if there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A named curve."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """Curves over one axis. ``marked`` is an x with a vertical line, such as the moment at which a goal changes."""

    key: str
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    marked: float | None = None
    log_x: bool = False
    percent: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with its interval; ``published`` is in per cent, as papers print it."""

    label: str
    value: float
    interval: tuple[float, float]
    published: float | None = None


@dataclass(frozen=True, slots=True)
class BarChart:
    """Groups of bars, each with a name and a note below. ``chance`` is a dashed line."""

    key: str
    title: str
    groups: tuple[tuple[str, str, tuple[Bar, ...]], ...]  # name, note, bars
    players: str = "simulated"
    chance: float = 1 / 3


@dataclass(frozen=True, slots=True)
class DotRow:
    """One row of a dot chart: a value for each fold, and the published value if there is one."""

    label: str
    values: tuple[float, ...]
    published: float | None = None


@dataclass(frozen=True, slots=True)
class DotChart:
    """A row of dots for each method, with their mean; a dot is a fold, or whatever ``dot`` says."""

    key: str
    title: str
    rows: tuple[DotRow, ...]
    players: str = "simulated"
    dot: str = "fold"


Chart = LineChart | BarChart | DotChart


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. ``text_columns`` are aligned to the left and may wrap; all others hold numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    text_columns: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page, with a tag and a line of text below it if they are given."""

    title: str
    text: str = ""
    tag: str = ""
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text; soft text is printed less prominently."""

    text: str
    soft: bool = False


@dataclass(frozen=True, slots=True)
class ChartRow:
    """Charts that belong beside each other."""

    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


Block = Table | Section | Paragraph | ChartRow | Bullets


@dataclass(frozen=True, slots=True)
class StudyResult:
    """The result of a study: ``data`` for JSON, ``summary`` for the terminal, ``details`` for the web page.

    ``heading`` is the first line in the terminal; ``title``, ``players`` ("simulated players") and ``setting`` open the
    page. ``notes`` say how the study was done.
    """

    name: str
    title: str
    heading: str
    seed: int
    data: Mapping[str, Any]
    summary: tuple[Block, ...]
    details: tuple[Block, ...] = ()
    source: str = ""  # the paper
    players: str = ""
    setting: str = ""
    findings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Return all charts of the page."""
        return tuple(chart for block in self.details if isinstance(block, ChartRow) for chart in block.charts)


def round_figure(value: float | None) -> float | None:
    """Round a number as JSON output shows it."""
    return None if value is None else round(value, 6)


def chart_data(chart: LineChart) -> dict[str, Any]:
    """Return a line chart as JSON output shows it."""
    curves = {
        curve.name: [
            [round_figure(each) for each in (point.x, point.y, point.low, point.high)] for point in curve.points
        ]
        for curve in chart.curves
    }
    return {"title": chart.title, "x": chart.x, "y": chart.y, "lines": curves, "note": chart.note}
