"""A tournament in one picture: the win rate of each contest with its interval, beside the line of no difference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.worlds.arena.tournament_score import Score
from telos.worlds.plots import figure_class

_COLOURS = {"pays": "#3f9b5b", "costs": "#d1495b", "no clear difference": "#8a8d91"}


def save(scores: Sequence[Score], path: Path, *, about: str) -> None:
    """Draw scores into ``path``; the ending of its name says the format."""
    figure = draw(scores, about=about)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise TelosError(f"cannot write the plot to {str(path)!r}: {error}") from error


def draw(scores: Sequence[Score], *, about: str) -> Any:
    """Return a matplotlib figure with a row for each contest, the first on top."""
    figure = figure_class()(figsize=(9, 1.6 + 0.42 * len(scores)), dpi=120, layout="constrained")
    axes = figure.subplots()
    for row, each in enumerate(scores):
        colour, (low, high) = _COLOURS[each.verdict], each.interval
        axes.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([each.win_rate], [row], "o", color=colour, markersize=6, clip_on=False)
        record = f"{each.wins}-{each.draws}-{each.losses}"
        axes.annotate(record, (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    _dress(axes, scores)
    figure.suptitle(f"Simulated fights: what each layer is worth\n{about}", fontsize=11)
    return figure


def _dress(axes: Any, scores: Sequence[Score]) -> None:
    labels = [f"{each.contest.name}\n{each.contest.having.name} against {each.contest.lacking.name}" for each in scores]
    axes.set_yticks(range(len(scores)), labels)
    axes.set_ylim(len(scores) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.axvline(0.5, color="#555555", linewidth=0.8, linestyle="--", zorder=0)
    axes.set_xlabel("win rate of the team that has the layer, with 95% interval; right: won-drawn-lost", fontsize=9)
    axes.tick_params(labelsize=8, length=2)
    axes.spines[["top", "right"]].set_visible(False)
