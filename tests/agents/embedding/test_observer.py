"""Who looks on at a crowd: an observer sees every frame, may hold the crowd, and changes nothing."""

from typing import Any

import telos
from telos.agents.trace import Began, Chose, Finished

SHOP = """
domain: shop
variables: {bread: int}
actions: {bake: {effects: bread += 1}}
goals: {stock: {wants: bread >= 2}}
"""


class Baker(telos.Body):
    def __init__(self) -> None:
        self.bread = 0

    def sense(self, now: float) -> dict[str, Any]:
        return {"bread": self.bread}

    def bake(self) -> Any:
        yield
        self.bread += 1


class Watcher:
    def __init__(self) -> None:
        self.frames: list[str] = []
        self.holds = False

    def begin_frame(self, now: float) -> bool:
        self.frames.append(f"begin {now:g}")
        return not self.holds

    def end_frame(self, now: float) -> None:
        self.frames.append(f"end {now:g}")


def shop() -> telos.Crowd:
    crowd = telos.Crowd(telos.loads(SHOP))
    crowd.add("Ann", Baker())
    return crowd


def test_observer_sees_frames_and_holds_crowd() -> None:
    crowd, watcher = shop(), Watcher()
    crowd.observer = watcher
    crowd.tick(1)
    watcher.holds = True
    assert crowd.tick(2) == 0
    assert watcher.frames == ["begin 1", "end 1", "begin 2"]
    assert crowd.schedule.now == 1  # nothing has happened


def test_observed_crowd_does_the_same() -> None:
    alone, watched, records = shop(), shop(), list[object]()
    watched.observer = Watcher()
    watched["Ann"].mind.observer = records.append
    for now in range(12):
        assert alone.tick(now) == watched.tick(now)
        assert alone.save() == watched.save()
    kinds = [type(record) for record in records]
    assert kinds.count(Finished) == 2
    assert {Chose, Began} <= set(kinds)
    assert alone["Ann"].body.bread == 2
