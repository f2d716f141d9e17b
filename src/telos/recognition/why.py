"""Why a belief is what it is: which observations, and which changes of goal, spoke for one goal over another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from telos.core.errors import TelosError, name_hint

FLOOR = 1e-300  # what a chance of 0 counts as, since its logarithm has no end


class Moved(Protocol):
    """One step of the forward algorithm."""

    @property
    def time(self) -> float: ...
    @property
    def seen(self) -> str: ...
    @property
    def before(self) -> tuple[float, ...]: ...
    @property
    def predicted(self) -> tuple[float, ...]: ...
    @property
    def after(self) -> tuple[float, ...]: ...


@dataclass(frozen=True, slots=True)
class Reason:
    """What one update added to the log-odds: by what was seen, and before that by goals that may have changed."""

    time: float
    seen: str
    by_change: float
    by_sight: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """The log-odds of a goal over another, as a sum: what they were, and what each update since has added."""

    goal: str
    over: str
    start: float
    parts: tuple[Reason, ...]
    total: float

    def __str__(self) -> str:
        """Say it in words, the latest update last."""
        lines = [f"{self.goal} over {self.over}: {_odds(self.total)}", f"  before that: {_odds(self.start)}"]
        for part in self.parts:
            lines.append(f"  {part.time:.1f} s, {part.seen}: {_speaks(part.by_sight, self.goal, self.over)}")
            if abs(part.by_change) >= 0.05:
                lines[-1] += f"; the goal may have changed before ({part.by_change:+.2f})"
        return "\n".join(lines)


def reasons(
    goals: Sequence[str], chances: Sequence[float], moments: Sequence[Moved], goal: str | None, over: str | None
) -> Reasons:
    """Return what moved the belief in ``goal`` (the likeliest) over ``over`` (the next) through the given moments."""
    for name in (goal, over):
        if name is not None and name not in goals:
            raise TelosError(f"unknown goal {name!r}", name_hint(name, goals))
    ranked = sorted(range(len(goals)), key=lambda number: -chances[number])
    mine = ranked[0] if goal is None else goals.index(goal)
    rest = [number for number in ranked if number != mine] or [mine]
    other = rest[0] if over is None else goals.index(over)

    def odds(of: Sequence[float]) -> float:
        return math.log(max(of[mine], FLOOR)) - math.log(max(of[other], FLOOR))

    parts = tuple(
        Reason(m.time, m.seen, odds(m.predicted) - odds(m.before), odds(m.after) - odds(m.predicted)) for m in moments
    )
    start = odds(moments[0].before if moments else chances)
    return Reasons(goals[mine], goals[other], start, parts, odds(chances))


def _odds(log_odds: float) -> str:
    if abs(log_odds) < 0.005:
        return "as likely as not (+0.00)"
    factor = math.exp(min(700.0, abs(log_odds)))
    times = f"{factor:.3g} times" if factor < 1e6 else "more than a million times"
    return f"{times} as {'likely' if log_odds >= 0 else 'unlikely'} ({log_odds:+.2f})"


def _speaks(log_odds: float, goal: str, over: str) -> str:
    if abs(log_odds) < 0.005:
        return "says nothing either way"
    return f"speaks for {goal if log_odds > 0 else over} ({log_odds:+.2f})"
