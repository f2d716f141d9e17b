"""Sensors are read in turn: everybody's, within one budget, and what breaks is reported."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from telos.agents.memory import Fact, WorkingMemory
from telos.agents.sensors import Sensor, SensorSchedule
from telos.core.errors import TelosError


class Glance:
    """Tells each reading apart by its time, so that each is news."""

    def __init__(self, cost: float = 1.0) -> None:
        self.cost = cost

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        return [Fact("glance", who, now, attributes={"at": now})]


class Pupil:
    """A mind as far as the rota knows one; it writes down when it was asked to look."""

    def __init__(self, number: int) -> None:
        self.number, self.memory = number, WorkingMemory()
        self.read: list[tuple[float, str]] = []
        self.learns = True

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        self.read.append((now, name))
        return self.learns


def frames(rota: SensorSchedule, count: int) -> Iterator[tuple[float, list[int]]]:
    for frame in range(count):
        yield frame / 10, [mind.number for mind in rota.poll(frame / 10)]


def test_new_mind_reads_all_sensors_at_once_then_by_period() -> None:
    rota, ann = SensorSchedule({"sight": Glance(), "smell": Glance()}), Pupil(0)
    rota.join(ann, {"sight": 0.5, "smell": 2.0}, now=0.0)
    for _ in frames(rota, 101):
        pass
    assert [name for now, name in ann.read if now == 0.0] == ["sight", "smell"]
    sights = [now for now, name in ann.read if name == "sight"]
    assert {round(after - before, 1) for before, after in pairwise(sights[1:])} == {0.5}
    assert len([name for _, name in ann.read if name == "smell"]) in (5, 6)


def test_minds_that_join_together_are_spread_over_the_frames() -> None:
    rota, minds = SensorSchedule({"sight": Glance()}), [Pupil(number) for number in range(40)]
    for mind in minds:
        rota.join(mind, {"sight": 1.0}, now=0.0)
    read = [len(numbers) for _, numbers in frames(rota, 41)]
    assert read[0] == 40
    assert max(read[11:]) <= 8, "not all forty in one frame for ever"


def test_poll_returns_only_minds_with_news() -> None:
    rota, ann, bert = SensorSchedule({"sight": Glance()}), Pupil(0), Pupil(1)
    bert.learns = False
    for mind in (ann, bert):
        rota.join(mind, {"sight": 1.0}, now=0.0)
    assert rota.poll(0.0) == [ann]
    assert bert.read


def test_sensor_budget_defers_readings_to_the_next_frame() -> None:
    rota, minds = SensorSchedule({"sight": Glance(2.0)}, budget=5.0), [Pupil(number) for number in range(7)]
    for mind in minds:
        rota.join(mind, {"sight": 60.0}, now=0.0)
    read = [numbers for _, numbers in frames(rota, 4)]
    assert read == [[0, 1, 2], [3, 4, 5], [6], []]


def test_removed_mind_is_not_read_and_its_number_can_be_reused() -> None:
    rota, ann, bert = SensorSchedule({"sight": Glance()}), Pupil(0), Pupil(0)
    rota.join(ann, {"sight": 0.1}, now=0.0)
    rota.poll(0.0)
    rota.leave(ann)
    rota.join(bert, {"sight": 1.0}, now=0.1)
    for now in range(1, 50):
        rota.poll(now / 10)
    assert len(ann.read) == 1
    assert len(bert.read) <= 6


def test_a_saved_rota_goes_on_in_the_same_order() -> None:
    def made() -> tuple[SensorSchedule, list[Pupil]]:
        rota, minds = (
            SensorSchedule({"sight": Glance(), "smell": Glance()}, budget=2.0),
            [Pupil(number) for number in range(3)],
        )
        for mind in minds:
            rota.join(mind, {"sight": 0.3, "smell": 0.7}, now=0.0)
        return rota, minds

    (rota, minds), (other, others) = made(), made()
    for _ in frames(rota, 10):
        pass
    other.restore(rota.save())
    for mind in minds:
        mind.read.clear()
    for frame in range(10, 40):
        rota.poll(frame / 10)
        other.poll(frame / 10)
    assert [mind.read for mind in minds] == [mind.read for mind in others]


def test_misuse_is_answered_with_the_value_and_the_remedy() -> None:
    with pytest.raises(TelosError, match="the sensors' budget must be more than 0 a frame, got 0"):
        SensorSchedule({}, budget=0)
    with pytest.raises(TelosError, match="unknown sensor 'sihgt'; did you mean 'sight'"):
        SensorSchedule({"sight": Glance()}).join(Pupil(0), {"sihgt": 1.0}, now=0.0)
