"""A choice of one action, and the table that it was made from."""

from collections.abc import Sequence
from dataclasses import dataclass

from telos.choosing.outcomes import levels_after
from telos.core.action import Action
from telos.core.frozen import FrozenMap
from telos.core.goal import Goal


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of the table: an action, its value, and each goal's level once it is done."""

    action: Action
    value: float
    levels: FrozenMap[str, float]
    travel: float = 0.0

    @property
    def time(self) -> float:
        """Return how long the way there and the action take together."""
        return self.travel + self.action.duration


@dataclass(frozen=True, slots=True)
class Choice:
    """The action chosen, its value, and everything it was weighed against.

    The value is the discontentment that is left (less is better), or, chosen by ``"simple"``, how much the most
    insistent goal is lowered (more is better).
    """

    action: Action
    value: float
    by: str
    goals: tuple[Goal, ...]
    rated: tuple[tuple[Action, float, float], ...]  # action, value, travel; the table is worked out when asked for

    @property
    def table(self) -> tuple[Rating, ...]:
        """Return every action with its value and each goal's new level, in the order given."""
        return tuple(
            Rating(action, value, FrozenMap(levels_after(action, self.goals, travel=travel)), travel)
            for action, value, travel in self.rated
        )

    def why(self) -> str:
        """Say what was chosen and why, with the whole table."""
        return "\n".join([self._reason(), *table_lines(self.table, self.goals, chosen=self.action)])

    def _reason(self) -> str:
        if self.by == "simple":
            goal = max(self.goals, key=lambda each: each.insistence)
            moved = f"lowers it most, by {self.value:g}" if self.value > 0 else "is no worse for it than any other"
            return f"{self.action.name}: {goal.name} is the most insistent goal ({goal.insistence:g}) and this {moved}."
        now = sum(goal.discontentment() for goal in self.goals)
        equals = sum(value == self.value for _, value, _ in self.rated) - 1
        tie = (
            f" (as do {equals} others listed later)" if equals > 1 else " (as does one listed later)" if equals else ""
        )
        return f"{self.action.name}: it leaves the least discontentment, {self.value:g}{tie}; it is {now:g} now."


def table_lines(rows: Sequence[Rating], goals: Sequence[Goal], *, chosen: Action | None = None) -> list[str]:
    """Write ratings as an aligned text table: a row an action, a column a goal, each level as before → after."""
    timed = any(row.time for row in rows)
    head = ["action", "value", *(["time"] if timed else []), *(goal.name for goal in goals)]
    body = [
        [
            f"{'→' if row.action is chosen else ' '} {row.action.name}",
            f"{row.value:g}",
            *([f"{row.time:g}"] if timed else []),
            *(_moved(goal.insistence, row.levels[goal.name]) for goal in goals),
        ]
        for row in rows
    ]
    lines = [["  " + head[0], *head[1:]], *body]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _moved(before: float, after: float) -> str:
    return f"{after:g}" if before == after else f"{before:g} → {after:g}"
