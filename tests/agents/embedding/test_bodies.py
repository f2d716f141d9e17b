"""Bodies of a game: their methods carry out plans, fail, wait, are given up, sense and remember."""

from collections.abc import Iterator
from typing import Any

import pytest

import telos
from agents.embedding.wood import WOOD, Cutter, SteadyCutter, Wood, live
from telos.agents import Attention, Began, Fact, StepFailed

DOMAIN = telos.loads(WOOD)


def crowd_with(body: telos.Body, *, character: str | None = "cutter", **more: Any) -> tuple[telos.Crowd, list[object]]:
    told: list[object] = []
    crowd = telos.Crowd(DOMAIN, trace=told.append, **more)
    crowd.add("ann", body, character=character)
    return crowd, told


def begun(told: list[object]) -> list[tuple[float, str]]:
    return [(record.time, record.step) for record in told if isinstance(record, Began)]


@pytest.mark.parametrize("kind", [Cutter, SteadyCutter])
def test_steps_take_as_long_as_their_methods_say(kind: type[Cutter]) -> None:
    ann = kind(Wood())
    crowd, told = crowd_with(ann)
    live(crowd, 30)
    assert begun(told) == [(0.0, "goto(oak)"), (2.0, "chop"), (5.0, "chop")]
    assert (ann.at, ann.wood) == ("oak", 2)
    assert crowd["ann"].goal is None
    assert "it holds already" in crowd["ann"].why()


def test_failures_with_a_thing_leave_other_things_alone() -> None:
    world = Wood()
    world.owner["oak"] = "bob"
    ann = Cutter(world)
    crowd, told = crowd_with(ann)
    live(crowd, 30)
    assert begun(told)[:4] == [(0.0, "goto(oak)"), (2.0, "chop"), (3.0, "goto(ash)"), (7.0, "chop")]
    assert [each.reason for each in told if isinstance(each, StepFailed)] == ["taken"]
    assert ann.failed_things == {"oak"}


class Stubborn(Cutter):
    """Always sees the oak."""

    tree = "oak"


def test_plans_go_round_a_step_that_has_failed() -> None:
    world = Wood()
    world.owner["oak"] = "bob"
    ann = Stubborn(world)
    crowd, told = crowd_with(ann)
    crowd.tick(0.0)
    assert crowd["ann"].plan == ("goto(oak)", "chop", "chop")
    ann.gold = 2
    live(crowd, 12, start=0.5)
    assert [step for _, step in begun(told)] == ["goto(oak)", "chop", "goto(market)", "buy", "buy"]
    assert ann.wood == 2


def test_a_failure_without_another_way_is_the_reason_of_why_not() -> None:
    world = Wood()
    world.owner["oak"] = "bob"
    ann = Stubborn(world)
    ann.gold = 0
    crowd, _ = crowd_with(ann)
    live(crowd, 6)
    assert crowd["ann"].goal is None
    assert "taken" in crowd["ann"].why_not("fire")
    live(crowd, 60, start=3.0)  # the failure fades after 20 s, and she tries again
    assert crowd["ann"].mind.memory.recall("failure", "chop with oak", 33.0)["reason"] == "taken"


def test_steps_that_are_given_up_are_closed_in_the_same_frame() -> None:
    ann = Cutter(Wood())
    ann.wood = 2
    crowd, _ = crowd_with(ann, character=None)
    live(crowd, 4)
    assert crowd["ann"].plan == ("rest",)
    ann.alarm = True
    crowd.tick(3.0)
    assert ann.wood_world.log == ["ann gets up"]
    live(crowd, 2, start=3.5)
    assert not ann.alarm


def test_generators_are_sent_the_time() -> None:
    times = []

    class Watcher(Cutter):
        def goto(self, place: str) -> Iterator[Any]:
            times.append((yield))
            times.append((yield from telos.wait(1.2)))
            self.at = place

    crowd, _ = crowd_with(Watcher(Wood()))
    live(crowd, 6)
    assert times == [0.5, 2.0]


def test_bodies_without_work_idle() -> None:
    class Idler(Cutter):
        turns = 0

        def idle(self) -> Iterator[None]:
            while True:
                self.turns += 1
                yield

    ann = Idler(Wood())
    ann.wood = 2
    crowd, _ = crowd_with(ann)
    live(crowd, 4)
    assert ann.turns == 4
    ann.wood = 1
    live(crowd, 3, start=2.0)
    assert ann.turns == 5  # it goes on until the mind has noticed
    assert crowd["ann"].goal == "fire"


def test_an_impatient_body_fails_in_time() -> None:
    class Slow(Cutter):
        patience = 2.0

        def goto(self, place: str) -> Iterator[None]:
            while True:
                yield

    crowd, told = crowd_with(Slow(Wood()))
    live(crowd, 6)
    assert any("not done after 2 s" in each.reason for each in told if isinstance(each, StepFailed))


# --- names of methods -------------------------------------------------------------------------------------------------

KITCHEN = """
domain: kitchen
variables: {full: bool}
actions: {go-home: {effects: full = true, cost: 9}, save: {effects: full = true, cost: 8}}
objects:
  oven: {variables: {hot: bool}, actions: {light-up: {effects: hot = true}}}
  stove: {variables: {hot: bool}, actions: {light-up: {effects: hot = true}}}
goals: {warm: {wants: oven.hot and stove.hot}, fed: {wants: full}}
"""


class Cook(telos.Body):
    """Lights the oven in its own way, and any other thing in the common one."""

    def __init__(self) -> None:
        self.hot: dict[str, bool] = {}
        self.did: list[str] = []

    def sense(self, now: float) -> dict[str, Any]:
        return {"oven.hot": "oven" in self.hot, "stove.hot": "stove" in self.hot, "full": "save" in self.did}

    def go_home(self) -> None: ...

    def save_(self) -> None:
        self.did.append("save")

    def oven_light_up(self) -> None:
        self.hot["oven"] = True

    def light_up(self, thing: str) -> None:
        self.hot[thing] = True
        self.did.append(thing)


def test_methods_are_named_like_actions_and_things_are_arguments() -> None:
    crowd = telos.Crowd(telos.loads(KITCHEN))
    cook = crowd.add("cook", Cook()).body
    live(crowd, 6)
    assert isinstance(cook, Cook)
    assert cook.hot == {"oven": True, "stove": True}
    assert cook.did == ["stove", "save"]


# --- senses -----------------------------------------------------------------------------------------------------------

WATCH = """
domain: watch
variables: {wolf: bool, bell: bool, enemy: creature, patrolled: bool, hidden: bool}
actions: {hide: {effects: hidden = true}, patrol: {effects: patrolled = true}}
goals:
  survive: {wants: hidden, relevant: wolf or bell, priority: 5}
  guard: {wants: patrolled}
"""


class Guard(telos.Body):
    """Looks out for wolves every two seconds, and believes in them for five."""

    remembers = ("patrolled",)
    attention = (Attention("enemy", "creature", lambda fact, memory, now: -fact["distance"]),)

    def __init__(self) -> None:
        self.is_wolf_there, self.looks, self.hidden = False, list[float](), False

    def sense(self, now: float) -> dict[str, bool]:
        return {"hidden": self.hidden}

    @telos.sensor(every=2.0, fades=5.0)
    def look(self, now: float) -> dict[str, bool]:
        self.looks.append(now)
        return {"wolf": True} if self.is_wolf_there else {}

    @telos.sensor(every=1.0)
    def count(self, now: float) -> list[Fact]:
        return [
            Fact("creature", name, now, attributes={"distance": far}) for name, far in [("wolf", 9.0), ("bat", 4.0)]
        ]

    def hide(self) -> None:
        self.hidden = True

    def patrol(self) -> Iterator[Any]:
        yield from telos.wait(1)


def watch() -> tuple[telos.Crowd, Guard]:
    crowd, guard = telos.Crowd(telos.loads(WATCH)), Guard()
    crowd.add("guard", guard)
    return crowd, guard


def test_variables_that_nothing_senses_are_what_steps_made_them() -> None:
    crowd, _ = watch()
    live(crowd, 5)
    assert crowd["guard"].mind.state["patrolled"] is True
    assert "holds already" in crowd["guard"].why_not("guard")


def test_sensors_have_periods_and_what_they_said_fades() -> None:
    crowd, guard = watch()
    guard.is_wolf_there = True
    crowd.tick(0.0)
    assert crowd["guard"].mind.state["wolf"] is True
    guard.is_wolf_there = False
    guard.looks.clear()
    live(crowd, 20, start=0.5)
    assert not crowd["guard"].mind.state["wolf"]
    assert len(set(guard.looks)) >= 4  # besides its periods, it is read whenever the mind thinks


def test_a_sensor_needs_no_period() -> None:
    class Watchful(Guard):
        @telos.sensor
        def listen(self, now: float) -> dict[str, bool]:
            return {"bell": True}

    crowd = telos.Crowd(telos.loads(WATCH))
    crowd.add("guard", Watchful())
    crowd.tick(0.0)
    assert crowd["guard"].mind.state["bell"] is True


class Forgetful(Guard):
    @telos.sensor(every=1.0, fades=5.0)
    def look(self, now: float) -> dict[str, bool] | None:  # type: ignore[override]
        return {"wolf": True} if self.is_wolf_there else None

    def hide(self) -> Iterator[Any]:
        yield from telos.wait(60)


def test_no_news_leaves_what_a_sensor_said_until_it_fades() -> None:
    crowd, guard = telos.Crowd(telos.loads(WATCH)), Forgetful()
    crowd.add("guard", guard)
    guard.is_wolf_there = True
    crowd.tick(0.0)
    guard.is_wolf_there = False
    believed = {}
    for second in range(1, 8):
        crowd.tick(float(second))
        believed[second] = crowd["guard"].mind.state["wolf"]
    assert believed == {1: True, 2: True, 3: True, 4: True, 5: False, 6: False, 7: False}


def test_facts_make_bools_true_and_attention_fills_handles() -> None:
    crowd, guard = watch()
    crowd.tick(0.0)
    crowd.stimulate("guard", Fact("bell", "tower", 0.0))
    live(crowd, 3, start=0.5)
    assert guard.hidden
    assert crowd["guard"].mind.state["enemy"] == "bat"


ALERT = """
domain: alert
variables: {at: post, noise: bool, heard: post}
handles: {post: [gate, tower]}
actions:
  goto: {parameters: {place: post}, effects: at = place}
  look: {preconditions: at == heard, effects: noise = false}
goals: {calm: {wants: not noise, relevant: noise}}
"""


class Sentry(telos.Body):
    """Goes where a noise was; only its own look there ends that."""

    remembers = ("noise",)
    attention = (Attention("heard", "noise", lambda fact, memory, now: fact.time),)

    def __init__(self) -> None:
        self.at, self.looked = "gate", list[str]()

    def sense(self, now: float) -> dict[str, str]:
        return {"at": self.at}

    def goto(self, place: str) -> None:
        self.at = place

    def look(self) -> None:
        self.looked.append(self.at)


def test_a_step_ends_what_a_stimulus_began() -> None:
    crowd, sentry = telos.Crowd(telos.loads(ALERT)), Sentry()
    crowd.add("sentry", sentry)
    for second, noises in enumerate((["tower"], [], [], [], ["gate"], [], [], [])):
        for place in noises:
            crowd.stimulate("sentry", Fact("noise", place, float(second)))
        crowd.tick(float(second))
    assert sentry.looked == ["tower", "gate"]
    assert crowd["sentry"].mind.state["noise"] is False
    assert not crowd["sentry"].mind.problems
    assert crowd["sentry"].mind.memory.all_of("noise", 9.0) == []


def test_a_stimulus_about_oneself_is_a_stimulus() -> None:
    crowd, sentry = telos.Crowd(telos.loads(ALERT)), Sentry()
    crowd.add("sentry", sentry)
    crowd.stimulate("sentry", Fact("noise", "sentry", 0.0))
    crowd["sentry"].mind.think(0.0)
    assert crowd["sentry"].mind.state["noise"] is True


def test_a_class_of_numpy_numbers_is_sensed_as_numbers() -> None:
    numpy = pytest.importorskip("numpy")

    class Counting(Cutter):
        def sense(self, now: float) -> dict[str, Any]:
            return super().sense(now) | {"wood": numpy.int64(self.wood), "rested": numpy.bool_(False)}

    crowd, _ = crowd_with(Counting(Wood()))
    live(crowd, 30)
    assert crowd["ann"].mind.state["wood"] == 2
