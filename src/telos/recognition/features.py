"""Features: what is looked at in an event, and tables that fall back on coarser circumstances where they are thin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.numbers import finite, not_negative
from telos.core.values import Value

Circumstance: TypeAlias = tuple[Value, ...]  # the values of the context entries that a level names
Given: TypeAlias = tuple[tuple[str, ...], ...]  # names of context entries, from the most detailed level to the coarsest
ANY_ROW = -1


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing that is looked at in an event: the action, or an entry of the context.

    How likely each outcome is depends on the goal and on the circumstances ``given``. ``weight`` is the power that its
    likelihood is raised to: less than 1 where sightings repeat one another. What it ``ignores`` says nothing.

    >>> Feature("action", ("left", "right"), given=(("x", "y"), ())).weight
    1.0
    """

    reads: str
    outcomes: tuple[Value, ...]
    given: Given = ((),)
    weight: float = 1.0
    strength: float = 10.0
    ignores: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if not self.outcomes or not self.given:
            raise TelosError(f"feature {self.reads!r} needs outcomes and at least one level of circumstances")
        not_negative(f"the weight of feature {self.reads!r}", self.weight)
        _positive(f"the strength of feature {self.reads!r}", self.strength)


@dataclass(frozen=True, slots=True)
class Changes:
    """When a goal may change, and on what it depends which one follows.

    A goal may change when the context entry ``when`` is not None: before that event, something was done that may have
    achieved it. ``from_any`` is for games that know that it did: then the goal before makes no difference. ``slip`` is
    the chance of a change at any other time; without it, one wrong turn of the belief could never be mended.
    """

    when: str
    given: Given = ((),)
    strength: float = 5.0
    from_any: bool = False
    slip: float = 1e-6

    def __post_init__(self) -> None:
        _positive("the strength of changes", self.strength)
        if not 0 <= finite("slip", self.slip) < 1:
            raise TelosError(f"slip must be at least 0 and below 1, got {self.slip!r}")


class BackedOff:
    """Counts of outcomes by row and circumstance, on several levels; each level is smoothed with the coarser one.

    The coarsest of all is what was seen in any row: where a goal was never seen, a sighting then speaks neither for it
    nor against it.

    >>> table = BackedOff(rows=2, outcomes=2)
    >>> table.add(0, 1, [("kitchen",), ()])
    >>> table.chance(0, 1, [("kitchen",), ()], strength=1), table.chance(1, 1, [("kitchen",), ()], strength=1)
    (0.96875, 0.875)
    """

    def __init__(self, rows: int, outcomes: int) -> None:
        self.rows, self.outcomes = rows, outcomes
        self._counts: dict[tuple[int, int, Circumstance], list[float]] = {}  # by level; the total is the last entry

    def add(self, row: int, outcome: int, levels: Sequence[Circumstance]) -> None:
        """Count an outcome on every level."""
        for level, circumstance in enumerate(levels):
            for each in (row, ANY_ROW):
                counts = self._counts.setdefault((level, each, circumstance), [0.0] * (self.outcomes + 1))
                counts[outcome] += 1.0
                counts[-1] += 1.0

    def chance(self, row: int, outcome: int, levels: Sequence[Circumstance], strength: float) -> float:
        """Return the chance of an outcome; ``strength`` is how many sightings the coarser level is worth."""
        chance = 1.0 / self.outcomes
        for each in (ANY_ROW, row):
            for level in range(len(levels) - 1, -1, -1):
                counts = self._counts.get((level, each, levels[level]))
                if counts is not None:
                    chance = (counts[outcome] + strength * chance) / (counts[-1] + strength)
        return chance

    def join(self, others: Iterable["BackedOff"]) -> None:
        """Add what others have counted."""
        for other in others:
            if (other.rows, other.outcomes) != (self.rows, self.outcomes):
                raise TelosError("only tables with the same rows and outcomes can be joined")
            for key, counts in other._counts.items():
                mine = self._counts.get(key)
                self._counts[key] = list(counts) if mine is None else [a + b for a, b in zip(mine, counts, strict=True)]


def _positive(what: str, value: float) -> None:
    if not finite(what, value) > 0:
        raise TelosError(f"{what} must be above 0, got {value!r}")
