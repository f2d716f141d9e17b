"""Many minds: whoever has news thinks, the rest costs nothing, and budgets are kept. Counted, never timed."""

from typing import Any

import pytest

import telos
from agents.yard import PROCEDURES, SOLDIER, Camp, Does, Eyes, Yard, believe, camp_crowd, pass_frames
from telos.agents.body import RUNNING, Actor, Animate, BodyState, Procedure, Progress
from telos.agents.character import Character
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule
from telos.agents.sensors import SensorSchedule
from telos.agents.trace import Began, Chose, Planned, StepFailed
from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler

# --- somebody who stands about ----------------------------------------------------------------------------------------

POST = telos.Domain(
    "post",
    variables=[telos.Variable("bell", "bool"), telos.Variable("gone", "bool")],
    actions=[telos.Action("leave", effects="gone = true")],
    goals=[telos.Goal("safety", wants="gone", relevant="bell")],
)


class Still:
    """A body that does nothing for ever, and a sensor that always sees the same."""

    cost, progress = 1.0, RUNNING

    def __init__(self) -> None:
        self.readings, self.entered = 0, list[BodyState]()

    def enter(self, state: BodyState) -> None:
        self.entered.append(state)

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        self.readings += 1
        return [Fact("wall", "north", now)]


class Counting(Mind):
    """A mind that counts its thoughts."""

    thoughts = 0

    def think(self, now: float) -> None:
        self.thoughts += 1
        super().think(now)


def posted(count: int, still: Still, **more: Any) -> MindSchedule:
    kind = Character(
        "guard", POST.goals, POST.actions, sensors=FrozenMap({"eyes": 1.0}), memory=FrozenMap({"bell": 10.0})
    )
    crowd = MindSchedule(SensorSchedule({"eyes": still}), Scheduler(Planner(POST), clock=None))
    for number in range(count):
        mind = Counting(
            f"guard-{number}",
            kind,
            POST,
            body=still,
            believe=lambda memory, now: {"bell": bool(memory.all_of("bell", now))},
            procedures={"leave": Does(Animate("leave"))},
            scheduler=crowd.scheduler,
            number=number,
            **more,
        )
        crowd.join(mind, 0.0)
    return crowd


def thoughts(crowd: MindSchedule) -> int:
    return sum(mind.thoughts for mind in crowd.minds.values() if isinstance(mind, Counting))


def test_a_thousand_minds_with_nothing_new_think_once_and_then_no_more() -> None:
    still = Still()
    crowd = posted(1000, still)
    assert crowd.tick(0.0) == 1000
    assert [crowd.tick(frame / 10) for frame in range(1, 100)] == [0] * 99
    assert thoughts(crowd) == 1000
    assert still.readings <= 1000 * (10 + 2), "each looks once a second, and was not asked more often"
    assert crowd.scheduler.expanded == 0


def test_stimulus_wakes_only_the_mind_that_it_reaches() -> None:
    still = Still()
    crowd = posted(50, still)
    crowd.tick(0.0)
    crowd.stimulate("guard-7", Fact("bell", "tower", 0.1))
    assert crowd.tick(0.1) == 1
    assert [name for name, mind in crowd.minds.items() if mind.goal == "safety"] == ["guard-7"]
    crowd.stimulate("guard-7", Fact("bell", "tower", 0.2))
    assert crowd.tick(0.2) == 0, "it is no news"


def test_a_mind_is_woken_when_a_fact_has_faded_though_nothing_happens() -> None:
    still = Still()
    crowd = posted(3, still)
    crowd.stimulate("guard-1", Fact("bell", "tower", 0.0))
    thought = {frame: crowd.tick(frame / 10) for frame in range(120)}
    assert [frame for frame, count in thought.items() if count] == [0, 95]
    assert crowd.minds["guard-1"].goal is None, "there is no bell to flee from any more"


def test_mind_woken_by_name_thinks_in_the_next_frame() -> None:
    crowd = posted(3, Still())
    crowd.tick(0.0)
    crowd.wake("guard-2")
    assert [crowd.tick(0.1), crowd.tick(0.2)] == [1, 0]


def test_two_with_one_number_or_one_name_are_refused() -> None:
    crowd, still = posted(2, Still()), Still()
    guard = crowd.minds["guard-1"]
    for name, number in (("guard-9", 1), ("guard-1", 9)):
        twin = Mind(
            name,
            guard.character,
            POST,
            body=still,
            believe=lambda memory, now: {},
            procedures={"leave": Does(Animate("leave"))},
            number=number,
        )
        with pytest.raises(TelosError, match="give each mind of a crowd its own name and number"):
            crowd.join(twin, 0.0)
    assert crowd.minds["guard-1"] is guard


# --- a camp -----------------------------------------------------------------------------------------------------------


def test_a_camp_lives_and_most_of_it_does_not_think_in_most_frames() -> None:
    trace: list[Any] = []
    camp = Camp(20, seed=3)
    crowd = camp_crowd(camp, trace=trace.append)
    thought = pass_frames(camp, crowd, 300)
    assert {record.goal for record in trace if isinstance(record, Chose)} == {"shelter", "warmth", "sleep"}
    assert any(camper.lit for camper in camp.campers.values())
    assert sum(thought) < 20 * 300 / 4
    assert camp.readings <= 20 * 300 / 2.5 + 40


@pytest.mark.parametrize("expansions", [1, 5, 50])
def test_no_frame_expands_more_than_its_budget(expansions: int) -> None:
    camp = Camp(10, seed=1)
    crowd = camp_crowd(camp, expansions=expansions)
    for _ in range(100):
        before = crowd.scheduler.expanded
        pass_frames(camp, crowd, 1)
        assert crowd.scheduler.expanded - before <= expansions


def test_with_a_tiny_budget_everybody_gets_a_plan_in_the_end() -> None:
    trace: list[Any] = []
    camp = Camp(10, seed=1)
    pass_frames(camp, camp_crowd(camp, expansions=3, trace=trace.append), 200)
    assert {record.who for record in trace if isinstance(record, Planned)} == set(camp.campers)


def test_late_plan_is_not_executed_if_the_state_has_changed() -> None:
    trace: list[Any] = []
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp, expansions=2, trace=trace.append)
    crowd.tick(0.0)
    assert crowd.minds["camper-0"].is_waiting
    camp.clear = False  # the plan was to chop
    for frame in range(1, 100):
        crowd.tick(frame / 10)
        if camp.campers["camper-0"].doing:
            break
    assert [record.step for record in trace if isinstance(record, Began)] == ["gather"]


def test_mind_waiting_for_a_plan_does_not_delay_others() -> None:
    trace: list[Any] = []
    camp = Camp(2, seed=5)
    crowd = camp_crowd(camp, expansions=1, trace=trace.append)
    crowd.stimulate("camper-1", Fact("bell", "tower", 0.0))
    pass_frames(camp, crowd, 12)
    began = {record.who: (record.time, record.step) for record in reversed(trace) if isinstance(record, Began)}
    assert began["camper-1"][1] == "hide"
    assert "camper-0" not in began or began["camper-0"][0] > began["camper-1"][0]


def test_removed_mind_stops_and_its_plan_request_is_withdrawn() -> None:
    trace: list[Any] = []
    camp = Camp(2, seed=1)
    crowd = camp_crowd(camp, expansions=1, trace=trace.append)
    crowd.tick(0.0)
    assert len(crowd.scheduler) == 2
    gone = crowd.minds["camper-0"]
    crowd.leave(gone)
    assert len(crowd.scheduler) == 1
    trace.clear()
    pass_frames(camp, crowd, 100)
    assert {record.who for record in trace} == {"camper-1"}
    assert list(crowd.minds) == ["camper-1"]
    assert not gone.is_waiting


# --- faults -----------------------------------------------------------------------------------------------------------


class Stumbling(Procedure):
    def activate(self, doer: Actor, step: telos.Action) -> BodyState:
        raise RuntimeError("no such animation")


def test_in_a_crowd_too_a_step_that_fails_at_once_is_gone_round_at_once() -> None:
    trace: list[Any] = []
    yard = Yard()
    crowd = MindSchedule(SensorSchedule({}), Scheduler(Planner(telos.Domain(variables=[])), clock=None))
    procedures: dict[str, Procedure] = {**PROCEDURES, "open-door": Stumbling()}
    mind = Mind(
        "ann",
        SOLDIER,
        telos.load("examples/domains/held-door.yaml"),
        body=yard,
        believe=believe,
        procedures=procedures,
        reflexes={"eyes": Eyes(yard)},
        scheduler=crowd.scheduler,
        trace=trace.append,
    )
    crowd.join(mind, 0.0)
    for _ in range(40):
        crowd.tick(yard.time)
        yard.step()
    assert [(record.time, record.step) for record in trace if isinstance(record, StepFailed)] == [(0.0, "open-door")]
    assert next((record.time, record.step) for record in trace if isinstance(record, Began)) == (0.1, "kick-door")
    assert yard.target == "dead"


def test_game_function_that_raises_for_one_mind_leaves_others_unaffected() -> None:
    trace: list[Any] = []
    camp = Camp(4, seed=2)
    crowd = camp_crowd(camp, trace=trace.append)

    def broken() -> bool:
        raise LookupError("no map")

    next(iter(crowd.minds.values())).domain.layout.functions["path_is_clear"] = broken
    pass_frames(camp, crowd, 20)
    assert {record.step for record in trace if isinstance(record, StepFailed)} == {"planning for warmth"}
    assert {record.goal for record in trace if isinstance(record, Planned)} >= {"sleep"}


class Blind:
    cost = 1.0

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        raise OSError("no signal")


def test_a_sensor_that_raises_does_not_stop_the_rota() -> None:
    still, trace = Still(), list[Any]()
    crowd = posted(3, still, trace=trace.append)
    crowd.rota.sensors["eyes"] = Blind()
    for frame in range(50):
        crowd.tick(frame / 10)
    assert [record.step for record in trace if isinstance(record, StepFailed)] == ["sensor eyes"] * 3
    crowd.rota.sensors["eyes"] = still
    for frame in range(50, 70):
        crowd.tick(frame / 10)
    assert all(mind.memory.recall("wall", "north", 7.0) for mind in crowd.minds.values())


def test_endless_step_costs_nothing_and_fails_after_patience() -> None:
    trace: list[Any] = []
    crowd = posted(2, Still(), patience=5.0, trace=trace.append)
    crowd.stimulate("guard-0", Fact("bell", "tower", 0.0))
    thought = [crowd.tick(frame / 10) for frame in range(60)]
    assert sum(thought[1:50]) == 0
    assert thought[50] == 1
    (failed,) = (record for record in trace if isinstance(record, StepFailed))
    assert (failed.time, failed.reason) == (5.0, "it is not done after 5 s")


class Ghost(Still):
    """A body that says that it failed, for ever."""

    progress = Progress(RUNNING.status.FAILED, "it has no hands")  # type: ignore[assignment]


def test_failing_body_is_not_retried_every_frame() -> None:
    crowd = posted(1, Ghost())
    crowd.stimulate("guard-0", Fact("bell", "tower", 0.0))
    thought = [crowd.tick(frame / 10) for frame in range(90)]
    assert sum(thought) <= 8, "after one failure there is nothing to try but every two seconds"
