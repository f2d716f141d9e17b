"""Thrashing: a mind that goes back and forth between two goals several times a second (`find_thrashing`).

The rule, which the timeline, the log, the Mind panel and pause conditions share: at least `CHANGES` changes of goal
within the last `SECONDS` of play, the last `CHANGES` of them back and forth between the same two goals. Seconds are
those of play at speed 1, which a frame of a stage has 1 / rate of.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

CHANGES = 4
SECONDS = 2.0


class Thrashing(NamedTuple):
    """Two goals between which a mind goes back and forth, and how often it did so in the last `SECONDS`."""

    goals: tuple[str, str]
    changes: int

    @property
    def pair(self) -> str:
        """The two goals: ``cover ↔ attack``."""
        return " ↔ ".join(self.goals)

    def __str__(self) -> str:
        return f"thrashing: {self.pair}, {self.changes} changes in {SECONDS:g} s"


def find_thrashing(row: Sequence[tuple[int, str]], frame: int, rate: float) -> Thrashing | None:
    """Return whether a row thrashes at a frame, by the rule of this module.

    ``row`` has the label of each change with its frame, the first label first; ``rate`` is in frames per second.

    >>> row = [(0, "cover"), (5, "attack"), (8, "cover"), (12, "attack"), (20, "cover"), (90, "patrol")]
    >>> str(find_thrashing(row, 20, rate=10))
    'thrashing: attack ↔ cover, 4 changes in 2 s'
    >>> find_thrashing(row, 19, rate=10), find_thrashing(row, 25, rate=10)
    (None, None)
    """
    end = bisect_right(row, frame, key=lambda change: change[0])
    goals = {label for _, label in row[max(0, end - 2) : end]}
    if len(goals) != 2 or "" in goals:
        return None
    start = end  # of the changes in the window that are between these two goals
    while start > 1 and row[start - 1][0] > frame - SECONDS * rate and row[start - 2][1] in goals:
        start -= 1
    changes = end - start
    first, second = sorted(goals)
    return Thrashing((first, second), changes) if changes >= CHANGES else None
