"""Sensors, and the rota that reads those of many minds in turn within one budget."""

import heapq
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from telos.agents.memory import Fact, WorkingMemory
from telos.core.errors import TelosError, name_hint

# Minds that are made together would be read together for ever; this share of a period between one and the next spreads
# any number of them evenly.
_SPREAD = 0.6180339887498949


class Sensor(Protocol):
    """Reads one part of the world. One sensor serves all minds: what it knows of each is in that mind's memory."""

    @property
    def cost(self) -> float:
        """What a reading takes out of the budget that all share; looking costs more than feeling."""

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return what ``who`` perceives now. Nothing is written here: whoever polls notes the facts."""


class Senses(Protocol):
    """What the rota needs of a mind."""

    @property
    def number(self) -> int:
        """The mind's place in its crowd; it settles every order."""

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        """Read a sensor into memory; return whether anything is new."""


class Rota:
    """Polls sensors when they are due, those that are most overdue first, until a frame's budget is spent.

    What is left over is first in the next frame, so under any load everybody is served in turn.
    """

    def __init__(self, sensors: Mapping[str, Sensor], *, budget: float = 1_000.0) -> None:
        if not budget > 0:
            raise TelosError(f"the sensors' budget must be more than 0 a frame, got {budget!r}")
        self.sensors, self.budget = dict(sensors), budget
        self._due: list[tuple[float, int, str, float, bool]] = []  # when, whose, which, how often, the first time?
        self._minds: dict[int, Senses] = {}

    def join(self, mind: Senses, every: Mapping[str, float], now: float) -> None:
        """Take a mind in. All its sensors are read in the next frame, and spread out from there."""
        for name in every:
            if name not in self.sensors:
                raise TelosError(f"unknown sensor {name!r}", name_hint(name, self.sensors))
        self._minds[mind.number] = mind
        for name, seconds in every.items():
            heapq.heappush(self._due, (now, mind.number, name, seconds, True))

    def leave(self, mind: Senses) -> None:
        """Let a mind go, with all that it still had due."""
        self._minds.pop(mind.number, None)
        self._due = [each for each in self._due if each[1] != mind.number]
        heapq.heapify(self._due)

    def poll(self, now: float) -> list[Senses]:
        """Read what is due, within the budget; return the minds that learned something."""
        left, learned = self.budget, dict[int, Senses]()
        while self._due and self._due[0][0] <= now and left > 0:
            _, number, name, every, is_first = self._due[0]
            mind, sensor = self._minds[number], self.sensors[name]
            wait = every * ((number + 1) * _SPREAD % 1.0) if is_first else every
            heapq.heapreplace(self._due, (now + wait, number, name, every, False))
            left -= sensor.cost
            if mind.sense(name, sensor, now):
                learned[number] = mind
        return list(learned.values())

    def save(self) -> list[Any]:
        """Return what is due when, as plain data."""
        return [list(each) for each in sorted(self._due)]

    def restore(self, saved: Iterable[Any]) -> None:
        """Take up the rota that was saved; the minds must have joined."""
        self._due = [(when, number, name, every, first) for when, number, name, every, first in saved]
