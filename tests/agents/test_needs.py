"""Needs inside a planning mind: priorities that vary, levels that drift, and one character file for both."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from telos.agents import (
    DONE,
    RUNNING,
    Animate,
    BodyState,
    Character,
    Fact,
    Mind,
    MindSchedule,
    Performance,
    Performed,
    SensorSchedule,
    load_character,
    restore_mind,
    save_mind,
    why,
    why_not,
)
from telos.agents.needs import Needs
from telos.agents.trace import Chose
from telos.core.errors import FaultCode, TelosError
from telos.core.trace import Trace, silent
from telos.planning import Planner, Scheduler
from telos.studio.mind_view import build_mind_view

CAT = """
domain: cat
variables: {fed: bool, rested: bool, quiet: bool, noise: number, share: number, blocked: bool}
actions:
  eat: {effects: fed = true, changes: {hunger: -6}}
  nap: {effects: rested = true}
  hide: {effects: quiet = true, preconditions: not blocked}
  dig: {effects: quiet = true, cost: 3}
goals:
  hunger: {wants: fed, insistence: 4, drift: 0.5}
  sleep: {wants: rested, insistence: 1, drift: 0.5, curve: linear, weight: 3}
  calm: {wants: quiet, priority: noise * 2}
"""
DOMAIN = telos.loads(CAT)
FRAME = 0.125


class Cat:
    """A body whose actions take a second; what it knows is set by the test."""

    def __init__(self, *, lasts: float = 1.0) -> None:
        self.known: dict[str, object] = {}
        self.progress, self.doing, self.time, self.until, self.lasts = DONE, "", 0.0, 0.0, lasts

    def enter(self, state: BodyState) -> None:
        assert isinstance(state, Animate)
        self.doing, self.until, self.progress = state.animation, self.time + self.lasts, RUNNING

    def step(self) -> None:
        self.time += FRAME
        if self.progress is RUNNING and self.time >= self.until:
            self.progress = DONE
            self.known |= {"eat": {"fed": True}, "nap": {"rested": True}, "hide": {"quiet": True}}.get(self.doing, {})


def make_cat(
    body: Cat,
    goals: Sequence[telos.Goal] = DOMAIN.goals,
    *,
    domain: telos.Domain = DOMAIN,
    trace: Trace = silent,
    hysteresis: float = 0.1,
    scheduler: Scheduler | None = None,
) -> Mind:
    moves = {action.name: Performed(Performance(Animate(action.name))) for action in domain.actions}
    kind = Character("cat", tuple(goals), domain.actions, hysteresis=hysteresis)
    return Mind(
        "tom",
        kind,
        domain,
        body=body,
        believe=lambda memory, now: body.known,
        procedures=moves,
        trace=trace,
        scheduler=scheduler,
    )


def look(mind: Mind, now: float) -> None:
    """Let the mind notice what its body knows."""
    mind.note(Fact("glance", "around", now, attributes={"at": now}))


def live(mind: Mind, body: Cat, seconds: float) -> None:
    for _ in range(round(seconds / FRAME)):
        look(mind, body.time)
        mind.think(body.time)
        body.step()


# --- the numbers of the lecture ---------------------------------------------------------------------------------------


def test_need_competes_by_discontentment_and_grows() -> None:
    body = Cat(lasts=99)
    mind = make_cat(body)
    mind.think(0.0)
    assert mind.goal == "hunger"
    assert mind.arbiter.priority(DOMAIN.goal("hunger"), mind.state) == 16.0
    mind.think(2.0)
    assert (mind.needs["hunger"], mind.needs["sleep"]) == (5.0, 2.0)
    assert mind.arbiter.priority(DOMAIN.goal("hunger"), mind.state) == 25.0
    assert mind.arbiter.priority(DOMAIN.goal("sleep"), mind.state) == 6.0


def test_change_of_an_action_is_net_of_drift() -> None:
    needs = Needs([telos.Goal("eat", 4, drift=4, wants="true")], [telos.Action("snack", changes={"eat": -2})])
    state = telos.Domain().state()
    needs.advance(0.0, state)
    needs.finish(telos.Action("snack", changes={"eat": -2}), since=0.0, now=0.25)
    assert needs.level("eat", 0.25) == 2.0, "the lecture: 4 - 2 after a snack of a quarter of an hour"
    assert needs.level("eat", 1.25) == 6.0


def test_need_that_no_action_lowers_is_met_by_its_condition() -> None:
    body = Cat()
    mind = make_cat(body, [DOMAIN.goal("sleep")])
    live(mind, body, 1.0)
    assert mind.goal == "sleep"
    assert mind.needs["sleep"] > 1
    live(mind, body, 3.0)
    assert mind.state["rested"]
    assert mind.needs["sleep"] == 0.0
    body.known["rested"] = False
    live(mind, body, 0.5)
    assert 0.0 < mind.needs["sleep"] < 0.5, "it grows again from zero"


def test_need_without_drift_stays_as_insistent() -> None:
    body = Cat()
    mind = make_cat(body, [telos.Goal("sleep", 3, wants="rested")])
    live(mind, body, 2.0)
    assert mind.state["rested"]
    assert mind.needs["sleep"] == 3.0


def test_event_of_the_game_raises_a_need() -> None:
    body = Cat(lasts=99)
    mind = make_cat(body)
    mind.think(0.0)
    mind.needs.change("sleep", +9, now=0.0)
    mind.think(0.0)
    assert mind.goal == "sleep"
    assert mind.needs["sleep"] == 10.0
    with pytest.raises(TelosError, match="sleep"):
        mind.needs.change("slep", 1, now=0.0)


# --- arbitration ------------------------------------------------------------------------------------------------------


def test_priority_may_be_an_expression_over_variables() -> None:
    body = Cat(lasts=99)
    body.known["noise"] = 3.0
    mind = make_cat(body, [DOMAIN.goal("calm"), telos.Goal("sleep", wants="rested", priority=5)])
    mind.think(0.0)
    assert mind.goal == "calm"
    body.known["noise"] = 2.0
    look(mind, 1.0)
    mind.think(1.0)
    assert mind.goal == "sleep"


def test_goals_do_not_flicker_around_equal_priorities() -> None:
    for hysteresis, most in ((0.1, 1), (0.0, 20)):
        body, said = Cat(lasts=99), list[object]()
        mind = make_cat(
            body, [DOMAIN.goal("calm"), telos.Goal("sleep", wants="rested", priority=5)], hysteresis=hysteresis,
            trace=said.append,
        )  # fmt: skip
        for frame in range(20):
            body.known["noise"] = 2.6 if frame % 2 else 2.4
            look(mind, float(frame))
            mind.think(float(frame))
        assert sum(isinstance(each, Chose) for each in said) == most


def test_hysteresis_holds_after_the_plan_was_dropped() -> None:
    body = Cat(lasts=99)
    body.known["noise"] = 2.6
    mind = make_cat(body, [DOMAIN.goal("calm"), telos.Goal("sleep", wants="rested", priority=5)])
    mind.think(0.0)
    body.known["noise"] = 2.4
    body.known["blocked"] = True
    look(mind, 1.0)
    mind.think(1.0)
    assert (mind.goal, mind.steps) == ("calm", ("dig",)), "5 is less than 10 % above 4.8"


def test_fixed_priorities_interrupt_at_any_difference() -> None:
    body = Cat(lasts=99)
    goals = [telos.Goal("sleep", wants="rested", priority=40),
             telos.Goal("calm", wants="quiet", relevant="noise > 0", priority=41)]  # fmt: skip
    mind = make_cat(body, goals)
    mind.think(0.0)
    body.known["noise"] = 1.0
    look(mind, 1.0)
    mind.think(1.0)
    assert mind.goal == "calm"


CURVES = st.sampled_from(["linear", "square", "cube"])
EIGHTHS = st.integers(0, 60).map(lambda eighth: eighth / 8)


@st.composite
def need_goals(draw: st.DrawFn, curve: st.SearchStrategy[str] = CURVES) -> list[telos.Goal]:
    names = draw(st.permutations(["hunger", "sleep", "calm"]))
    return [
        telos.Goal(
            name, draw(EIGHTHS), drift=draw(st.integers(0, 8)) / 8, curve=draw(curve), weight=draw(st.integers(1, 3)),
            wants=DOMAIN.goal(name).wants, priority=draw(st.sampled_from([0, 3, "noise", "noise * noise / 4"])),
        )
        for name in names
    ]  # fmt: skip


def oracle(goals: Sequence[telos.Goal], noises: Sequence[float], hysteresis: float) -> Iterator[str]:
    """Compare all goals in every frame, from the definitions."""
    current = None
    for frame, noise in enumerate(noises):
        worth = {}
        for goal in goals:
            level = max(0.0, goal.insistence + goal.drift * frame * FRAME)
            own = {0: 0.0, 3: 3.0}.get(goal.priority) if isinstance(goal.priority, float) else None  # type: ignore[call-overload]
            if own is None:
                own = noise if str(goal.priority).startswith("Name") else noise * noise / 4
            power = {"linear": 1, "square": 2, "cube": 3}[str(goal.curve)]
            worth[goal.name] = own + goal.weight * level**power
        varying = {goal.name for goal in goals if goal.is_need or not isinstance(goal.priority, float)}
        best = max(goals, key=lambda goal: worth[goal.name]).name
        if current is None:
            current = best
        ahead = [
            name for name in worth
            if worth[name] > worth[current] * (1 + hysteresis)
            or (worth[name] > worth[current] and not {name, current} & varying)
        ]  # fmt: skip
        if ahead:
            current = max(ahead, key=worth.__getitem__)
        yield current


@settings(max_examples=40, deadline=None)
@given(need_goals(), st.lists(EIGHTHS, min_size=4, max_size=8), st.sampled_from([0.0, 0.1, 0.5]))
def test_mind_pursues_what_the_definition_says(goals: list[telos.Goal], noises: list[float], hysteresis: float) -> None:
    body, frames = Cat(lasts=999), [noise for noise in noises for _ in range(4)]
    mind = make_cat(body, goals, hysteresis=hysteresis)
    for frame, expected in enumerate(oracle(goals, frames, hysteresis)):
        body.known["noise"] = frames[frame]
        look(mind, frame * FRAME)
        mind.think(frame * FRAME)
        assert mind.goal == expected


def crowd_of(mind: Mind, scheduler: Scheduler) -> MindSchedule:
    crowd = MindSchedule(SensorSchedule({}), scheduler)
    crowd.join(mind, 0.0)
    return crowd


@settings(max_examples=15, deadline=None)
@given(need_goals(curve=st.just("linear")), st.integers(0, 3))
def test_crowd_wakes_a_mind_when_a_need_overtakes(goals: list[telos.Goal], noise: int) -> None:
    body, scheduler = Cat(lasts=999), Scheduler(Planner(DOMAIN), clock=None)
    body.known["noise"] = float(noise)
    crowd = crowd_of(make_cat(body, goals, scheduler=scheduler), scheduler)
    expected = list(oracle(goals, [float(noise)] * 160, 0.1))
    thoughts = 0
    for frame in range(160):
        thoughts += crowd.tick(frame * FRAME)
        assert crowd.minds["tom"].goal in (expected[frame], expected[max(0, frame - 1)])
    assert thoughts < 20, "nobody thinks while nothing changes"


# --- saving -----------------------------------------------------------------------------------------------------------


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 80))
def test_saved_crowd_goes_on_exactly(frames: int) -> None:
    def start(said: list[object]) -> tuple[Cat, MindSchedule]:
        body, scheduler = Cat(), Scheduler(Planner(DOMAIN), clock=None)
        return body, crowd_of(make_cat(body, scheduler=scheduler, trace=said.append), scheduler)

    def run(body: Cat, crowd: MindSchedule, first: int, last: int) -> None:
        for frame in range(first, last):
            if frame % 16 == 15:
                body.known = {"noise": float(frame % 7)}
                crowd.stimulate("tom", Fact("glance", "around", frame * FRAME, attributes={"at": frame}))
            crowd.tick(frame * FRAME)
            body.step()

    said, again = list[object](), list[object]()
    body, crowd = start(said)
    run(body, crowd, 0, frames)
    saved, count = json.loads(json.dumps(crowd.save())), len(said)
    other, copy = start(again)
    other.__dict__.update(body.__dict__)
    other.known = dict(body.known)
    copy.restore(saved)
    assert copy.save() == crowd.save()
    run(body, crowd, frames, frames + 60)
    run(other, copy, frames, frames + 60)
    assert again == said[count:]


def test_lenient_restore_leaves_out_levels_that_are_gone() -> None:
    mind = make_cat(Cat())
    mind.think(0.0)
    saved = save_mind(mind)
    saved["needs"]["levels"]["thirst"] = {"value": 2.0, "since": 0.0}
    with pytest.raises(TelosError, match=r"needs\.levels\.thirst"):
        restore_mind(make_cat(Cat()), saved)
    other = make_cat(Cat())
    assert [each.what for each in restore_mind(other, saved, lenient=True)] == ["the level of 'thirst'"]
    assert other.needs["hunger"] == 4.0


def test_save_from_before_needs_is_restored() -> None:
    saved = save_mind(make_cat(Cat()))
    for key in ("needs", "favoured", "overtaken_at"):
        del saved[key]
    mind = make_cat(Cat())
    restore_mind(mind, saved)
    assert mind.needs.level("hunger", 9.0) == 4.0


# --- explanations -----------------------------------------------------------------------------------------------------


def test_explanations_tell_the_numbers() -> None:
    body, said = Cat(lasts=99), list[object]()
    body.known["noise"] = 1.5
    mind = make_cat(body, trace=said.append)
    mind.think(0.0)
    assert "priority 16 = insistence 4 squared" in why(mind)
    assert "priority is 3 = 3 × insistence 1" in why_not(mind, "sleep")
    assert "more than 17.6" in why_not(mind, "sleep")
    assert "priority is 3 = noise * 2" in why_not(mind, "calm")
    chosen = next(each for each in said if isinstance(each, Chose))
    assert chosen.why == "priority 16 = insistence 4 squared, always wanted"
    lines = {line.name: line for line in build_mind_view(mind, 0.0).goals}
    assert list(lines) == ["hunger", "sleep", "calm"]
    assert lines["hunger"].weight == 16.0
    assert "insistence 4 squared" in lines["hunger"].why


def test_priority_that_cannot_be_computed_is_told() -> None:
    domain = telos.loads(CAT.replace("noise * 2", "noise / share"))
    mind = make_cat(Cat(), domain.goals, domain=domain)
    mind.think(0.0)
    assert mind.goal == "hunger"
    assert "division by zero" in why_not(mind, "calm")
    lines = build_mind_view(mind, 0.0).goals
    assert lines[-1].name == "calm"


def test_plan_orders_goals_by_their_present_priority() -> None:
    assert telos.plan(DOMAIN, {"noise": 9.0}).goal == "calm"
    assert telos.plan(DOMAIN, {"noise": 7.0}).goal == "hunger"


# --- files ------------------------------------------------------------------------------------------------------------


def test_faults_of_a_priority_name_their_line() -> None:
    faulty = CAT.replace("priority: noise * 2", "priority: nois * 2").replace("insistence: 1", "priority: loud()")
    with pytest.raises(telos.DefinitionError) as error:
        telos.loads(faulty)
    found = [(fault.line, fault.code) for fault in error.value.faults]
    assert found == [(11, FaultCode.INVALID), (12, FaultCode.UNKNOWN_NAME)]
    for wrong in ("noise *", "fed", "[1, 2]"):
        with pytest.raises(telos.DefinitionError, match="12:"):
            telos.loads(CAT.replace("noise * 2", wrong))


def test_character_file_overrides_needs_and_priorities(tmp_path: Path) -> None:
    (tmp_path / "cat.yaml").write_text(
        "character: cat\ngoals: [hunger, sleep, calm]\nactions: [eat, nap, hide, dig]\nhysteresis: 0.25\n"
        "priorities: {calm: noise * 3 + 1}\nneeds: {hunger: {drift: 2, curve: cube}}\n"
    )
    (tmp_path / "kitten.yaml").write_text("character: kitten\nlike: cat\nneeds: {sleep: {insistence: 9}}\n")
    cat, kitten = (load_character(tmp_path / f"{name}.yaml", DOMAIN) for name in ("cat", "kitten"))
    hunger, sleep, calm = kitten.goals
    assert (hunger.insistence, hunger.drift, hunger.curve) == (4.0, 2.0, "cube")
    assert (sleep.insistence, cat.goals[1].insistence, kitten.hysteresis) == (9.0, 1.0, 0.25)
    assert calm.priority_in(DOMAIN.state({"noise": 2.0})) == 7.0


def test_character_file_with_bad_needs_has_all_faults(tmp_path: Path) -> None:
    (tmp_path / "cat.yaml").write_text(
        "character: cat\ngoals: [hunger, calm]\nactions: [eat]\npriorities: {calm: nois, hunger: loud()}\n"
        "needs:\n  hungr: {drift: 1}\n  sleep: {drift: 1}\nhysteresis: 0\n"
    )
    with pytest.raises(telos.DefinitionError) as error:
        load_character(tmp_path / "cat.yaml", DOMAIN)
    assert [fault.line for fault in error.value.faults] == [4, 4, 6, 7]


def test_plain_goals_keep_plain_saves() -> None:
    plain = make_cat(Cat(), [telos.Goal("sleep", wants="rested", priority=1)])
    assert not plain.arbiter.varies
    assert not list(plain.needs)
    assert "needs" not in save_mind(plain)
