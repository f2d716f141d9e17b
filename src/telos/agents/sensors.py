"""``Sensor``, and ``SensorSchedule``: reads the sensors of many minds in turn within one budget per frame."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeAlias

from pydantic import Field

from telos.agents.memory import Fact, WorkingMemory
from telos.core.errors import TelosError, name_hint
from telos.files import Finite, Items, Row, SnapshotPart, read_snapshot
from telos.files.restoring import LENIENT, SnapshotCheck

# When a sensor is due, the mind's number, the sensor, its period, and whether it is the first reading.
DueRow: TypeAlias = Row[tuple[Finite, int, str, Annotated[float, Field(gt=0, allow_inf_nan=False)], bool]]

# Minds that join together would always be read together. Shifting each by this share of the period (the golden ratio)
# spreads any number of them evenly.
_SPREAD = 0.6180339887498949


class Sensor(Protocol):
    """Reads one part of the world. One sensor serves all minds; anything it keeps about one belongs into its memory."""

    @property
    def cost(self) -> float:
        """The share of the common budget that one reading takes."""

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the facts that ``who`` perceives now; the caller writes them into memory."""


def check_sensor(what: str, sensor: object) -> None:
    """Raise a ``TelosError`` if an object cannot be read as a sensor."""
    if not callable(getattr(sensor, "read", None)):
        raise TelosError(f"{what}: {sensor!r} is not a sensor", "give it `read(who, memory, now)`, which returns facts")


class SensingMind(Protocol):
    """What the schedule needs of a mind."""

    @property
    def number(self) -> int:
        """The mind's number in its crowd, which breaks ties."""

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        """Read a sensor into memory; return whether anything is new."""


class SensorSchedule:
    """Polls sensors when they are due, the most overdue first, until a frame's budget is spent.

    The rest comes first in the next frame, so that every mind is served in turn under any load.
    """

    def __init__(self, sensors: Mapping[str, Sensor], *, budget: float = 1_000.0) -> None:
        if not budget > 0:
            raise TelosError(f"the sensors' budget must be more than 0 a frame, got {budget!r}")
        for name, sensor in sensors.items():
            check_sensor(f"sensor {name}", sensor)
            if not isinstance(cost := getattr(sensor, "cost", None), int | float) or not cost >= 0.0:
                raise TelosError(
                    f"sensor {name}: cost is {cost!r}",
                    "give it the share of the budget that one reading takes, `cost = 1.0`",
                )
        self.sensors, self.budget = dict(sensors), budget
        self._due: list[tuple[float, int, str, float, bool]] = []  # time, mind, sensor, period, is first reading
        self._minds: dict[int, SensingMind] = {}

    def join(self, mind: SensingMind, every: Mapping[str, float], now: float) -> None:
        """Add a mind. All its sensors are read in the next frame, and spread over their periods from then on."""
        for name in every:
            if name not in self.sensors:
                raise TelosError(f"unknown sensor {name!r}", name_hint(name, self.sensors))
        self._minds[mind.number] = mind
        for name, seconds in every.items():
            heapq.heappush(self._due, (now, mind.number, name, seconds, True))

    def leave(self, mind: SensingMind) -> None:
        """Remove a mind and its scheduled readings."""
        self._minds.pop(mind.number, None)
        self._due = [each for each in self._due if each[1] != mind.number]
        heapq.heapify(self._due)

    def poll(self, now: float) -> list[SensingMind]:
        """Read the sensors that are due, within the budget; return the minds that learned something."""
        left, learned = self.budget, dict[int, SensingMind]()
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
        """Return the schedule as plain data."""
        return [list(each) for each in sorted(self._due)]

    def restore(self, saved: Iterable[Any]) -> None:
        """Restore a saved schedule; the minds must have joined. A faulty one changes nothing."""
        rows = read_snapshot(_ScheduleSnapshot, {"due": saved}, of="schedule").due
        self._due = self.read(
            SnapshotCheck("schedule", path=("due",)), rows, {number: number for number in self._minds}
        )

    def read(
        self, check: SnapshotCheck, saved: Sequence[DueRow], numbers: Mapping[int, int]
    ) -> list[tuple[float, int, str, float, bool]]:
        """Return a saved schedule as ``_due``; ``numbers`` maps the numbers of minds then to those of now.

        If the check is lenient, readings of minds or sensors that are gone are left out, and new ones stay as they are.
        """
        present = {(each[1], each[2]): each for each in self._due}
        due: dict[tuple[int, str], tuple[float, int, str, float, bool]] = {}
        for place, (when, then, name, every, first) in enumerate(saved):
            with check.part(f"mind {then}", f"the schedule of the sensor {name!r}"):
                check.require(then in numbers, (place, 1), f"is {then}, and no mind has that number")
                key = (numbers[then], name)
                check.known((place, 2), name, [sensor for mind, sensor in present if mind == key[0]], "sensor")
                check.require(key not in due, (place,), "is listed twice")
                due[key] = (when, key[0], name, present[key][3] if check.lenient else every, first)
        missing = [key for key in present if key not in due]
        if missing and not check.lenient:
            raise check.fault((), f"lacks the sensor {missing[0][1]!r} of the mind {missing[0][0]}", LENIENT)
        return sorted([*due.values(), *(present[key] for key in missing)])


class _ScheduleSnapshot(SnapshotPart):
    due: Items[DueRow]
