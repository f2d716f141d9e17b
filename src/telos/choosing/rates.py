"""Rates of change that are learned from readings of a level."""

from collections.abc import Sequence
from dataclasses import replace

from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.values import check_finite


class LearnedRate:
    """A recency-weighted average of how fast a level changes, from readings at any times.

    Each reading moves the rate by ``weight`` towards the rate since the last one, and keeps the rest: new = (1 -
    weight) · old + weight · change / time.

    >>> hurt = LearnedRate(weight=0.05)
    >>> hurt.observe(10, now=0.0), hurt.observe(14, now=2.0)
    (0.0, 0.1)
    """

    def __init__(self, rate: float = 0.0, *, weight: float = 0.05) -> None:
        if not 0 < check_finite("weight", weight) <= 1:
            raise TelosError(f"weight must be above 0 and at most 1, got {weight!r}")
        self.rate = check_finite("rate", rate)
        self.weight = weight
        self._last: tuple[float, float] | None = None

    def observe(self, level: float, *, now: float) -> float:
        """Add a reading of the level and return the new rate.

        Of two readings at one time only the first counts; the change between them counts with the next one.
        """
        level, now = check_finite("level", level), check_finite("now", now)
        if self._last is None:
            self._last = (level, now)
            return self.rate
        before, then = self._last
        if now < then:
            raise TelosError(f"time runs backwards: a reading at {now:g} after one at {then:g}")
        if now > then:
            self.rate = (1 - self.weight) * self.rate + self.weight * (level - before) / (now - then)
            self._last = (level, now)
        return self.rate


class LearnedRates:
    """One learned rate for each goal of a character.

    >>> rates = LearnedRates(weight=0.5)
    >>> _ = rates.observe([Goal("hurt", insistence=1)], now=0)
    >>> [goal.drift for goal in rates.observe([Goal("hurt", insistence=5)], now=2)]
    [1.0]
    """

    def __init__(self, *, weight: float = 0.05) -> None:
        self.weight = weight
        self._rates: dict[str, LearnedRate] = {}

    def observe(self, goals: Sequence[Goal], *, now: float) -> tuple[Goal, ...]:
        """Add a reading of every goal's insistence, and return the goals with the drift learned so far.

        The learned drift of a new goal starts at its own drift.
        """
        learned = []
        for goal in goals:
            rate = self._rates.setdefault(goal.name, LearnedRate(goal.drift, weight=self.weight))
            learned.append(replace(goal, drift=rate.observe(goal.insistence, now=now)))
        return tuple(learned)
