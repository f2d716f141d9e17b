"""The figures that describe a corpus: how many of what, and how the goals are spread."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from telos.telemetry.frames import pl

Table: TypeAlias = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What Tables 3 and 4 of the chapter say of its corpus, and a little more.

    ``goals`` counts how often each goal was achieved, ``rows`` how many actions led to each; both most frequent first.
    """

    players: int
    sequences: int
    actions: int
    achieved: int
    goals: Mapping[str, int]
    rows: Mapping[str, int]
    types: Mapping[str, int]  # actions by what they are
    folds: tuple[int, ...]  # rows in each
    rows_read: int
    players_read: int

    @property
    def actions_per_goal(self) -> float:
        """Return how many actions it took to achieve a goal, on average."""
        return self.actions / self.achieved if self.achieved else 0.0

    def lines(self) -> Iterator[str]:
        """Yield the tables as plain lines."""
        for i, (_, heads, rows) in enumerate(self.tables()):
            shown = [row for row in (heads, *rows) if any(row)]
            widths = [max(len(row[place]) for row in shown) for place in range(len(heads))]
            yield from [""] * bool(i)
            for first, *rest in shown:
                cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
                yield "  ".join([f"{first:<{widths[0]}}", *cells])

    def tables(self) -> Iterator[Table]:
        """Yield what is to be printed, table by table: its title, the heads of its columns, and its rows."""
        read = f" of {self.players_read:,}" if self.players_read != self.players else ""
        totals = [
            ("Total number of players", f"{self.players:,}{read}"),
            ("Total number of observed player actions", f"{self.actions:,}"),
            ("Total number of goals achieved", f"{self.achieved:,}"),
            ("Average number of player actions per goal", f"{self.actions_per_goal:.1f}"),
        ]
        yield "Observed actions and goals", ("", ""), totals
        yield "Distribution of goals", ("goal", "achieved", "share", "actions", "share"), list(self._goal_rows())
        types = [(name, f"{rows:,}", _share(rows, self.actions)) for name, rows in self.types.items()]
        yield "Actions by type", ("action", "rows", "share"), types

    def _goal_rows(self) -> Iterator[tuple[str, ...]]:
        for goal in dict.fromkeys([*self.goals, *self.rows]):
            times, rows = self.goals.get(goal, 0), self.rows.get(goal, 0)
            yield goal, f"{times:,}", _share(times, self.achieved), f"{rows:,}", _share(rows, self.actions)

    def as_object(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        said = asdict(self)
        return {**said, "folds": list(self.folds), "actions_per_goal": self.actions_per_goal}


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.1%}"


def statistics_of(
    frame: pl.DataFrame, achieved: pl.DataFrame, *, rows_read: int, players_read: int
) -> CorpusStatistics:
    """Return the figures of labelled actions and of the goals achieved."""
    sequences = frame.select(pl.struct("player", "session").rle_id().max() + 1).item() if frame.height else 0
    return CorpusStatistics(
        players=frame["player"].n_unique(),
        sequences=sequences,
        actions=frame.height,
        achieved=achieved.height,
        goals=_counts(achieved, "goal"),
        rows=_counts(frame, "goal"),
        types=_counts(frame, "action"),
        folds=tuple(_counts(frame.sort("fold"), "fold", by="fold").values()),
        rows_read=rows_read,
        players_read=players_read,
    )


def _counts(frame: pl.DataFrame, column: str, by: str = "") -> dict[Any, int]:
    counted = frame.group_by(column).len()
    # The most frequent first, and those that are equally frequent by name, so that two runs print the same.
    ordered = counted.sort(by) if by else counted.sort(["len", column], descending=[True, False])
    return dict(zip(ordered[column].to_list(), ordered["len"].to_list(), strict=True))
