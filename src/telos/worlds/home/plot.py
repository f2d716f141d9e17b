"""Plot of a run: each person's motives over time and bands for what they did (matplotlib)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from telos.worlds.home.home import MOTIVE_NAMES
from telos.worlds.home.trace import Began, Finished, HomeStarted, Interrupted, Levels
from telos.worlds.home.views import MINUTES_A_DAY
from telos.worlds.plots import figure_class, save_figure

_LINES = dict(zip(MOTIVE_NAMES, ("#d1495b", "#3a86c8", "#4b3f8f", "#3f9b5b", "#d98324", "#8a8d91"), strict=True))
_BANDS = {
    "sleep": ("sleeps", "#4b3f8f"),
    "eat": ("eats", "#d1495b"),
    "wash": ("washes", "#56b4c9"),
    "toilet": ("toilet", "#3a86c8"),
    "fun": ("has fun", "#3f9b5b"),
    "company": ("talks", "#d98324"),
}


def save_plot(records: Iterable[object], path: Path) -> None:
    """Draw a trace into ``path``; the ending of its name says the format."""
    save_figure(draw_plot(list(records)), path, palette=True)


def draw_plot(records: list[object]) -> Any:
    """Return a matplotlib figure of a trace, one row for each person."""
    started = next(record for record in records if isinstance(record, HomeStarted))
    last = max(record.time for record in records if isinstance(record, Levels))
    figure = figure_class()(figsize=(10, 1.2 + 1.7 * len(started.people)), dpi=120, layout="constrained")
    rows = figure.subplots(len(started.people), 1, sharex=True, squeeze=False)[:, 0]
    for axes, person in zip(rows, started.people, strict=True):
        own = [record for record in records if getattr(record, "person", None) == person]
        _draw_nights(axes, started.time, last)
        _draw_motives(axes, own)
        _draw_bands(axes, own, last)
        _dress(axes, person, started.time, last)
    figure.suptitle(f"{started.world}, seed {started.seed}: motives (0 content, 10 desperate) and what was done")
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    return figure


def _draw_motives(axes: Any, own: list[object]) -> None:
    known = [record for record in own if isinstance(record, Began | Finished | Interrupted | Levels)]
    known.sort(key=lambda record: record.time)
    for motive, colour in _LINES.items():
        times = [record.time for record in known]
        thin = motive in ("fun", "company")  # they come and go all day, and would hide the others
        levels = [record.levels[motive] for record in known]
        axes.plot(times, levels, color=colour, linewidth=0.6 if thin else 1.1, alpha=0.6 if thin else 1, label=motive)


def _draw_bands(axes: Any, own: list[object], last: int) -> None:
    spans: dict[str, list[tuple[int, int]]] = {activity: [] for activity in _BANDS}
    begun: Began | None = None
    for record in own:
        if isinstance(record, Began):
            begun = record
        elif isinstance(record, Finished | Interrupted) and begun is not None:
            spans.setdefault(begun.activity, []).append((begun.time, record.time - begun.time))
            begun = None
    if begun is not None:
        spans.setdefault(begun.activity, []).append((begun.time, last - begun.time))
    for activity, (label, colour) in _BANDS.items():
        axes.broken_barh(spans[activity], (-1.9, 1.4), facecolors=colour, linewidth=0, label=label)


def _draw_nights(axes: Any, first: int, last: int) -> None:
    for day in range(first // MINUTES_A_DAY - 1, last // MINUTES_A_DAY + 1):
        axes.axvspan((day * 24 + 21) * 60, (day * 24 + 30) * 60, color="#eceef4", linewidth=0)


def _dress(axes: Any, person: str, first: int, last: int) -> None:
    axes.set_xlim(first, last)
    axes.set_ylim(-2.2, 10)
    axes.set_yticks([0, 5, 10])
    axes.set_ylabel(person, rotation=0, ha="right", va="center", fontweight="bold")
    midnights = range(0, last + 1, MINUTES_A_DAY)
    noons = [time + MINUTES_A_DAY // 2 for time in midnights if first <= time + MINUTES_A_DAY // 2 <= last]
    axes.set_xticks(noons, [f"day {time // MINUTES_A_DAY + 1}\nnoon" for time in noons])
    axes.axhline(0, color="#cccccc", linewidth=0.6)
    axes.tick_params(labelsize=8, length=2)
    axes.spines[["top", "right"]].set_visible(False)
