"""One mind, from sensing to acting: failures are knowledge, effects are predictions, and no fault of a part ends it."""

from collections.abc import Callable
from typing import Any

import pytest

import telos
from agents.yard import DOMAIN, PROCEDURES, SOLDIER, Does, Eyes, Yard, believe, live, soldier
from telos.agents.body import (
    Actor,
    Animate,
    BodyState,
    Goto,
    Performance,
    Performed,
    Procedure,
    Progress,
    Status,
    UseSmartObject,
)
from telos.agents.character import Character
from telos.agents.memory import Attention, Fact, WorkingMemory
from telos.agents.mind import RETRY, Mind
from telos.agents.trace import Began, Chose, Dropped, Finished, Forgot, Idle, Noticed, Planned, StepFailed
from telos.core.errors import DefinitionError
from telos.core.trace import Trace, as_json, silent
from telos.core.values import FrozenMap


class Diary(list[Any]):
    """A trace, kept."""

    def of(self, kind: type) -> list[Any]:
        return [record for record in self if isinstance(record, kind)]


def plans(diary: Diary) -> list[tuple[str, ...]]:
    return [record.steps for record in diary.of(Planned)]


# --- the loop ---------------------------------------------------------------------------------------------------------


def test_mind_senses_chooses_plans_and_acts_only_through_its_body() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    mind.think(0.0)
    assert (mind.goal, mind.steps, mind.index) == ("kill_enemy", ("open-door", "walk-in", "shoot"), 0)
    assert yard.door == "closed", "a plan is not a deed"
    assert yard.entered == [UseSmartObject("door", "open")]
    live(mind, yard, 3.0)
    assert yard.target == "dead"
    assert [record.step for record in diary.of(Finished)] == ["open-door", "walk-in", "shoot"]
    assert [record.time for record in diary.of(Finished)] == [0.5, 1.5, 2.5], "deeds take time"


def test_the_body_has_exactly_three_states_and_the_trace_names_them() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("stage", "int")],
        actions=[
            telos.Action(f"do-{number}", preconditions=f"stage == {number}", effects="stage += 1")
            for number in range(3)
        ],
        goals=[telos.Goal("finish", wants="stage == 3")],
    )
    states: list[BodyState] = [Goto("gate"), Animate("wave", "bert"), UseSmartObject("lever", "pull")]
    body, diary, stage = Puppet(), Diary(), [0]
    mind = minded(domain, body, lambda memory, now: {"stage": stage[0]}, dict(enumerate(states)), diary.append)
    for time in range(4):
        mind.think(float(time))
        stage[0] += 1
        mind.note(Fact("news", "stage", float(time), attributes={"stage": stage[0]}))
    assert body.entered == [*states, Animate("idle")]
    told = [(record.state, record.target) for record in diary.of(Began)]
    assert told == [("goto", "gate"), ("animate", "wave bert"), ("use", "lever pull")]


def test_facts_in_memory_age_and_are_forgotten_and_the_trace_says_so() -> None:
    diary, yard = Diary(), Yard(held=True)
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 25.0)
    assert ("failure", "open-door") in [(record.fact, record.subject) for record in diary.of(Noticed)]
    forgot = {record.subject: record.time for record in diary.of(Forgot)}
    assert forgot["open-door"] == pytest.approx(0.5 + 20.0 * 0.95)


class Puppet:
    """A body that is done as soon as it begins, or never, or whatever it is told."""

    def __init__(self, progress: str = "done") -> None:
        self.entered: list[BodyState] = []
        self.status = progress

    @property
    def progress(self) -> Progress:
        return Progress(Status(self.status))

    def enter(self, state: BodyState) -> None:
        self.entered.append(state)


def minded(
    domain: telos.Domain,
    body: Any,
    believes: Callable[[WorkingMemory, float], dict[str, Any]],
    states: dict[int, BodyState],
    trace: Trace = silent,
    **more: Any,
) -> Mind:
    """A mind that does one thing for each action of a domain, in order."""
    kind = Character("toy", domain.goals, domain.actions, memory=FrozenMap({"failure": 5.0}))
    procedures = {action.name: Does(states[number]) for number, action in enumerate(domain.actions)}
    given = {"procedures": procedures, "trace": trace, **more}
    return Mind("ann", kind, domain, body=body, believe=believes, **given)


# --- goals ------------------------------------------------------------------------------------------------------------

CAMP = telos.Domain(
    "watch",
    variables=[telos.Variable(name, "bool") for name in ("alarm", "safe", "fed", "washed", "dressed")],
    actions=[
        telos.Action("hide", effects="safe = true"),
        telos.Action("eat", effects="fed = true"),
        telos.Action("wash", effects="washed = true"),
        telos.Action("dress", effects="dressed = true"),
    ],
    goals=[
        telos.Goal("safety", wants="safe", relevant="alarm", priority=9),
        telos.Goal("food", wants="fed", priority=1),
        telos.Goal("looks", wants="washed and dressed", priority=1),
    ],
)
STATES: dict[int, BodyState] = {number: Animate(action.name) for number, action in enumerate(CAMP.actions)}


class Watch:
    """Somebody whose beliefs are set by hand."""

    def __init__(self, domain: telos.Domain = CAMP, status: str = "running", **more: Any) -> None:
        self.true: dict[str, Any] = {}
        self.diary, self.body, self.believed = Diary(), Puppet(status), 0
        self.mind = minded(domain, self.body, self.believe, STATES, self.diary.append, **more)

    def believe(self, memory: WorkingMemory, now: float) -> dict[str, Any]:
        self.believed += 1
        return self.true

    def learn(self, now: float, **values: Any) -> None:
        self.true = {**self.true, **values}
        self.mind.note(Fact("news", "world", now, attributes=FrozenMap(self.true)))


def test_higher_priority_goal_interrupts_and_the_old_goal_resumes() -> None:
    watch = Watch()
    watch.mind.think(0.0)
    watch.learn(1.0, alarm=True)
    watch.mind.think(1.0)
    watch.learn(2.0, safe=True)
    watch.body.status = "done"
    watch.mind.think(2.0)
    assert [(r.goal, r.instead_of) for r in watch.diary.of(Chose)] == [
        ("food", None),
        ("safety", "food"),
        ("food", None),
    ]
    (dropped,) = watch.diary.of(Dropped)
    assert (dropped.goal, dropped.steps, dropped.why) == ("food", ("eat",), "safety matters more now")


def test_a_goal_that_stops_mattering_is_dropped() -> None:
    watch = Watch()
    watch.learn(0.0, alarm=True)
    watch.mind.think(0.0)
    watch.learn(1.0, alarm=False, fed=True, washed=True, dressed=True)
    watch.mind.think(1.0)
    assert watch.diary.of(Dropped)[0].why == "safety does not matter any more"
    assert watch.diary.of(Idle)[-1].why == {"food": "it holds already", "looks": "it holds already"}
    assert watch.body.entered[-1] == Animate("idle")


def test_of_goals_that_matter_alike_the_current_one_is_kept() -> None:
    watch = Watch()
    watch.learn(0.0, fed=True)
    watch.mind.think(0.0)
    assert watch.mind.goal == "looks"
    watch.learn(1.0, fed=False)
    watch.mind.think(1.0)
    assert watch.mind.goal == "looks", "food is listed first, but it came second"


def test_goals_are_weighed_again_only_when_something_flags_it() -> None:
    watch = Watch()
    watch.mind.think(0.0)
    first = watch.mind.deliberation
    for now in range(1, 6):
        watch.mind.note(Fact("weather", "sky", now, attributes={"rain": now}))
        watch.mind.think(now)
    assert watch.mind.deliberation is first
    watch.learn(7.0, alarm=True)
    watch.mind.think(7.0)
    assert watch.mind.deliberation is not first


def test_mind_without_news_does_not_read_memory_again() -> None:
    watch = Watch()
    watch.mind.think(0.0)
    before = watch.believed
    for now in range(1, 20):
        watch.mind.think(now)
    assert watch.believed == before


def test_opportunity_interrupts_a_longer_plan() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 0.8)
    yard.near = True
    live(mind, yard, 0.1)
    assert plans(diary) == [("open-door", "walk-in", "shoot"), ("melee",)]
    assert diary.of(Dropped)[0].why == "melee is better now"


def test_opportunity_does_not_interrupt_the_use_of_an_object() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 0.3)
    yard.near = True
    live(mind, yard, 0.2)
    assert not diary.of(Dropped)
    assert mind.steps == ("open-door", "walk-in", "shoot")


# --- attention --------------------------------------------------------------------------------------------------------


def test_plan_is_dropped_when_the_focus_of_attention_vanishes() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("armed", "bool"), telos.Variable("enemy_dead", "bool")],
        actions=[telos.Action("fire", preconditions="armed", effects="enemy_dead = true")],
        goals=[telos.Goal("kill", wants="enemy_dead", relevant="armed")],
    )
    body, diary = Puppet("running"), Diary()
    mind = minded(
        domain,
        body,
        lambda memory, now: {"armed": bool(memory.all_of("enemy", now))},
        {0: Animate("fire")},
        diary.append,
        procedures={"fire": Performed(Performance(Animate("fire", at="target")))},
        attention=[Attention("target", "enemy", lambda fact, memory, now: 1.0)],
    )
    for who in ("bert", "carl"):
        mind.note(Fact("enemy", who, 0.0))
    mind.think(0.0)
    assert body.entered == [Animate("fire", "bert")]
    mind.memory.forget("enemy", "bert")
    mind.think(1.0)
    assert diary.of(Dropped)[0].why == "fire is meant for something else now"
    assert body.entered[-1] == Animate("fire", "carl")
    mind.memory.forget("enemy", "carl")
    mind.think(2.0)
    assert diary.of(Dropped)[1].why == "fire needs armed"
    assert mind.goal is None
    assert not mind.memory.all_of("failure", 2.0), "nobody did anything wrong"


# --- failures are knowledge -------------------------------------------------------------------------------------------


def test_failed_door_is_remembered_and_avoided_by_later_plans() -> None:
    diary, yard = Diary(), Yard(held=True)
    live(soldier(yard, trace=diary.append), yard, 4.0)
    assert plans(diary) == [
        ("open-door", "walk-in", "shoot"),
        ("kick-door", "walk-in", "shoot"),
        ("dive-through-window", "melee"),
    ]
    assert [(record.step, record.reason) for record in diary.of(StepFailed)] == [
        ("open-door", "the door holds"),
        ("kick-door", "the door holds"),
    ]
    assert yard.target == "dead"


def test_once_the_failure_has_faded_the_door_is_tried_again() -> None:
    diary, yard = Diary(), Yard(held=True)
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 4.0)
    yard.place, yard.near, yard.target = "hall", False, "alive"
    live(mind, yard, 4.0)
    assert plans(diary)[-1] == ("dive-through-window", "melee")
    live(mind, yard, 12.0)
    yard.place, yard.near, yard.target = "hall", False, "alive"
    live(mind, yard, 1.0)
    assert plans(diary)[-2][0] == "open-door"


def test_a_prediction_that_fails_breaks_the_plan_in_the_middle_of_a_step() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 1.0)
    assert mind.index == 1
    yard.loaded = False
    live(mind, yard, 0.1)
    (dropped,) = diary.of(Dropped)
    assert (dropped.steps, dropped.why) == (("walk-in", "shoot"), "shoot needs weapon_loaded")
    assert plans(diary)[-1] == ("dive-through-window", "melee")


def test_a_step_that_ends_well_without_doing_what_it_promised_has_failed() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append, procedures={**PROCEDURES, "open-door": Does(Animate("idle"))})
    live(mind, yard, 0.3)
    (failed,) = diary.of(StepFailed)
    assert failed.step == "open-door"
    assert failed.reason == "it did not do what it promised: walk-in needs door == open"
    assert plans(diary)[-1][0] == "kick-door"


def test_step_with_unmet_preconditions_is_not_remembered_as_failure() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    live(mind, yard, 0.5)
    yard.door, yard.progress = "open", Progress(yard.progress.status.FAILED, "somebody else opened it")
    mind.think(yard.time)
    assert not diary.of(StepFailed)
    assert plans(diary)[-1] == ("walk-in", "shoot")


# --- faults -----------------------------------------------------------------------------------------------------------


class Faulty(Procedure):
    """Does its part, unless it is the part that raises."""

    def __init__(self, state: BodyState, where: str) -> None:
        self.state, self.where = state, where

    def _may_raise(self, where: str) -> None:
        if where == self.where:
            raise RuntimeError("the rig has no such bone")

    def activate(self, doer: Actor, step: telos.Action) -> BodyState:
        self._may_raise("activate")
        return self.state

    def is_valid(self, doer: Actor, step: telos.Action, entered: BodyState) -> bool:
        self._may_raise("is_valid")
        return True

    def progress(self, doer: Actor, step: telos.Action, body: Progress, now: float) -> Progress:
        self._may_raise("progress")
        return body


@pytest.mark.parametrize("where", ["activate", "is_valid", "progress"])
def test_action_that_raises_is_avoided_until_the_failure_fades(where: str) -> None:
    diary, yard = Diary(), Yard()
    faulty = Faulty(UseSmartObject("door", "open"), where)
    mind = soldier(yard, trace=diary.append, procedures={**PROCEDURES, "open-door": faulty})
    live(mind, yard, 0.3)
    (failed,) = diary.of(StepFailed)
    assert (failed.step, failed.reason) == ("open-door", "raised RuntimeError: the rig has no such bone")
    known = mind.memory.recall("failure", "open-door", yard.time)
    assert known is not None
    assert known["reason"] == failed.reason
    assert plans(diary)[-1] == ("kick-door", "walk-in", "shoot")
    assert not diary.of(Idle), "what has just failed counts at once"
    live(mind, yard, 5.0)
    assert yard.target == "dead"
    yard.place, yard.door, yard.target = "hall", "closed", "alive"
    live(mind, yard, 20.0)
    faulty.where = ""
    yard.place, yard.door, yard.target = "hall", "closed", "alive"
    live(mind, yard, 1.0)
    assert "open-door" in [record.step for record in diary.of(Finished)]


def asking(answer: Callable[[], bool]) -> telos.Domain:
    """Eating depends on what only the game can tell."""
    return telos.Domain(
        "asking",
        variables=CAMP.variables,
        actions=[
            CAMP.actions[0],
            telos.Action("eat", preconditions="is_ripe()", effects="fed = true"),
            *CAMP.actions[2:],
        ],
        goals=[telos.Goal("food", wants="fed", priority=3), telos.Goal("looks", wants="washed and dressed")],
        functions={"is_ripe": answer},
    )


@pytest.mark.parametrize("where", ["activate", "is_valid", "progress"])
def test_mind_turns_to_another_goal_if_a_failure_cannot_be_avoided(where: str) -> None:
    faulty = Faulty(Animate("eat"), where)
    others = {action.name: Does(Animate(action.name)) for action in CAMP.actions}
    watch = Watch(asking(lambda: True), procedures={**others, "eat": faulty})
    for tenths in range(3):
        watch.mind.think(tenths / 10)
    assert watch.mind.goal == "looks"
    assert "eat failed" in watch.diary.of(Chose)[-1].passed_over["food"]
    faulty.where = ""
    for tenths in range(3, 100):
        watch.mind.think(tenths / 10)
    assert watch.mind.goal == "food"
    assert 4.75 <= watch.diary.of(Began)[-1].time <= 5.0 + RETRY


def test_game_function_that_raises_makes_the_mind_pursue_another_goal() -> None:
    broken = [True]

    def is_ripe() -> bool:
        if broken[0]:
            raise LookupError("no such tree")
        return True

    watch = Watch(asking(is_ripe))
    watch.mind.think(0.0)
    (failed,) = watch.diary.of(StepFailed)
    assert failed.step == "planning for food"
    assert failed.reason == "'eat': is_ripe() raised LookupError: no such tree"
    assert watch.mind.memory.recall("failure", "planning for food", 0.0) is not None
    assert watch.mind.goal == "looks"
    broken[0] = False
    watch.mind.think(4.7)
    assert watch.mind.goal == "looks", "it is remembered for 5 s, and faint a little sooner"
    watch.mind.think(4.8 + RETRY)
    assert watch.mind.goal == "food"


def test_game_function_that_raises_during_execution_drops_only_the_plan() -> None:
    broken = [False]

    def is_ripe() -> bool:
        if broken[0]:
            raise LookupError("no such tree")
        return True

    watch = Watch(asking(is_ripe))
    watch.mind.think(0.0)
    assert watch.mind.goal == "food"
    broken[0] = True
    watch.learn(1.0, alarm=True)
    watch.mind.think(1.0)
    assert watch.mind.goal == "looks"
    assert ("eat", "raised LookupError: no such tree") in [(r.step, r.reason) for r in watch.diary.of(StepFailed)]
    assert watch.diary.of(Dropped)[0].why == "eat raised LookupError: no such tree"


class Flickering:
    """Sees two things, and breaks in between."""

    cost = 1.0

    def read(self, who: str, memory: WorkingMemory, now: float) -> Any:
        yield Fact("enemy", "bert", now)
        raise OSError("no signal")


def test_sensor_that_raises_keeps_its_facts_and_is_traced_once() -> None:
    diary, yard = Diary(), Yard()
    mind = soldier(yard, trace=diary.append)
    assert mind.sense("sight", Flickering(), 0.0)
    assert not mind.sense("sight", Flickering(), 0.1), "nothing is new about that"
    assert mind.memory.recall("enemy", "bert", 0.1) is not None
    known = mind.memory.recall("failure", "sensor sight", 0.1)
    assert known is not None
    assert known["reason"] == "raised OSError: no signal"
    assert [(record.step, record.reason) for record in diary.of(StepFailed)] == [("sensor sight", known["reason"])]
    live(mind, yard, 3.0)
    assert yard.target == "dead"


def test_a_body_that_never_finishes_has_failed_when_patience_ends() -> None:
    watch = Watch(patience=3.0)
    for tenths in range(40):
        watch.mind.think(tenths / 10)
    (failed,) = watch.diary.of(StepFailed)
    assert (failed.time, failed.step, failed.reason) == (3.0, "eat", "it is not done after 3 s")
    assert watch.mind.goal == "looks"


def test_mind_interrupts_endless_step_for_higher_priority_goal() -> None:
    watch = Watch()
    for now in range(1000):
        watch.mind.think(now)
    assert (watch.mind.goal, len(watch.body.entered)) == ("food", 1)
    watch.learn(1000.0, alarm=True)
    watch.mind.think(1000.0)
    assert watch.mind.goal == "safety"


# --- building and tracing ---------------------------------------------------------------------------------------------


def test_a_mind_whose_body_cannot_do_an_action_is_refused() -> None:
    lame = {name: each for name, each in PROCEDURES.items() if name not in ("melee", "shoot")}
    with pytest.raises(DefinitionError, match="add a performance") as raised:
        soldier(Yard(), procedures=lame)
    assert [fault.path for fault in raised.value.faults] == [("ann", "procedures", each) for each in ("shoot", "melee")]


def test_watching_changes_nothing() -> None:
    watched, alone = Yard(held=True), Yard(held=True)
    live(soldier(watched, trace=Diary().append), watched, 5.0)
    live(soldier(alone), alone, 5.0)
    assert watched.entered == alone.entered


def test_the_same_world_gives_the_same_trace_every_time() -> None:
    diaries = [Diary(), Diary()]
    for diary in diaries:
        yard = Yard(held=True)
        live(soldier(yard, trace=diary.append), yard, 30.0)
    lines = [[as_json(record) for record in diary] for diary in diaries]
    assert lines[0] == lines[1]
    assert len(lines[0]) > 20


def test_two_minds_of_one_kind_share_nothing_that_changes() -> None:
    ann_yard, bert_yard = Yard(held=True), Yard()
    ann = soldier(ann_yard)
    bert = Mind(
        "bert",
        SOLDIER,
        DOMAIN,
        body=bert_yard,
        believe=believe,
        procedures=PROCEDURES,
        reflexes={"eyes": Eyes(bert_yard)},
    )
    for _ in range(10):
        live(ann, ann_yard, 0.1)
        live(bert, bert_yard, 0.1)
    assert ann.memory.all_of("failure", 1.0)
    assert not bert.memory.all_of("failure", 1.0)
    assert (ann.steps[0], bert.steps[0]) == ("kick-door", "open-door")
