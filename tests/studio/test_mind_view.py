"""Mind views and plan drawings; inspection changes nothing."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.yard import Camp, Yard, camp_crowd, live, pass_frames, soldier
from telos.agents.memory import Fact
from telos.core.trace import as_json
from telos.studio.mind_view import GoalLine, MindView, Need, StepLine, build_mind_view
from telos.studio.plan_drawing import plan_svg
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene


@pytest.mark.parametrize("scene", ["flank", "door-held"])
def test_fight_is_same_with_and_without_inspection(scene: str) -> None:
    seen: list[list[str]] = []
    for looks in (False, True):
        records: list[object] = []
        battle = Battle(load_scene(scene), seed=1, trace=records.append)
        for _ in battle.seconds(20):
            for mind in battle.minds.values() if looks else ():
                plan_svg(build_mind_view(mind, battle.arena.time))
        seen.append([str(as_json(record)) for record in records])
    assert seen[0] == seen[1]
    assert len(seen[0]) > 50


def test_inspection_leaves_saved_mind_alone() -> None:
    camp = Camp(3, seed=4, fog=0.1)
    crowd = camp_crowd(camp, expansions=20)
    for _ in range(60):
        pass_frames(camp, crowd, 1)
        before = crowd.save()
        for mind in crowd.minds.values():
            build_mind_view(mind, camp.time)
        assert crowd.save() == before


def test_plan_shows_done_steps_and_provided_preconditions() -> None:
    yard = Yard()
    mind = soldier(yard)
    live(mind, yard, 0.7)
    plan = build_mind_view(mind, yard.time).plan
    assert [(step.name, step.state) for step in plan] == [("open-door", "done"), ("walk-in", "now"), ("shoot", "next")]
    assert plan[1].needs == (Need("door == open", True),)
    assert {need.text: need.holds for need in plan[2].needs} == {"weapon_loaded": True, "place == room": None}
    assert plan[1].effects == ("place = room",)
    assert [step.cost for step in plan] == [None, 1.0, 2.0]


def test_precondition_without_provider_is_unmet() -> None:
    yard = Yard()
    mind = soldier(yard)
    live(mind, yard, 0.1)
    mind.state = mind.state.replace(weapon_loaded=False)  # as if it had just been noticed, and not been thought of yet
    shoot = build_mind_view(mind, yard.time).plan[-1]
    assert {need.text: need.holds for need in shoot.needs}["weapon_loaded"] is False


def test_goals_are_ranked_with_reasons_against() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    crowd.stimulate("camper-0", Fact("bell", "tower", 0.0))
    crowd.tick(0.0)
    mind_view = build_mind_view(
        crowd.minds["camper-0"], 0.0, about="at the camp", orders=["hold"], lines=[(0.0, "Hush!")]
    )
    assert [(goal.name, goal.weight, goal.pursued) for goal in mind_view.goals] == [
        ("shelter", 5, True),
        ("warmth", 2, False),
        ("sleep", 1, False),
    ]
    assert [goal.why for goal in mind_view.goals] == ["because bell", "shelter comes first", "shelter comes first"]
    assert (mind_view.about, mind_view.orders, mind_view.lines) == ("at the camp", ("hold",), ((0.0, "Hush!"),))
    assert mind_view.doing == "hide, for shelter"
    assert mind_view.actions == ("gather", "chop", "light", "hide", "rest")


def test_irrelevant_satisfied_and_pending_goals_have_reasons() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp, expansions=1)
    camp.campers["camper-0"].rested = True
    crowd.tick(0.0)
    mind_view = build_mind_view(crowd.minds["camper-0"], 0.0)
    assert {goal.name: goal.why for goal in mind_view.goals} == {
        "shelter": "matters only if bell",
        "warmth": "its plan is being made",
        "sleep": "it holds already",
    }
    assert {goal.name: goal.relevant for goal in mind_view.goals} == {"shelter": False, "warmth": True, "sleep": True}
    assert (mind_view.doing, mind_view.plan) == ("waits for a plan", ())


def test_facts_have_age_and_fade() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    mind = crowd.minds["camper-0"]
    mind.note(Fact("bell", "tower", 0.0, attributes={"loud": True, "far": 3.0}))
    bell = next(fact for fact in build_mind_view(mind, 1.0).facts if fact.kind == "bell")
    assert (bell.subject, bell.age, bell.confidence, bell.text) == ("tower", 1.0, 0.75, "loud, far 3.0")
    assert not [fact for fact in build_mind_view(mind, 4.0).facts if fact.kind == "bell"]


def test_failing_game_function_does_not_prevent_inspection() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    pass_frames(camp, crowd, 3)
    mind = crowd.minds["camper-0"]
    assert any(need.holds for step in build_mind_view(mind, camp.time).plan for need in step.needs)

    def broken() -> bool:
        raise RuntimeError("no path today")

    mind.domain.layout.functions["path_is_clear"] = broken
    mind.domain.layout.bound.clear()
    chops = [step for step in build_mind_view(mind, camp.time).plan if step.name == "chop" and step.state != "done"]
    assert chops
    assert all(step.needs == (Need("path_is_clear()", False),) for step in chops)


# --- the drawing ------------------------------------------------------------------------------------------------------


SHAPES = {"svg", "g", "title", "rect", "circle", "path", "text"}


def sheet_with(*steps: StepLine, who: str = "Ann", doing: str = "") -> MindView:
    return MindView(who, "", 0.0, doing, goals=(GoalLine("kill_enemy", 40, True, True, ""),), plan=steps)


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("}text")]


def test_empty_plan_is_one_line() -> None:
    assert texts(plan_svg(sheet_with(doing="has nothing to do"))) == ["No plan: Ann has nothing to do."]
    assert texts(plan_svg(sheet_with())) == ["Ann has no plan at the moment."]


def test_steps_are_in_order_with_goal_at_end() -> None:
    drawn = texts(plan_svg(sheet_with(StepLine("reload", "done"), StepLine("attack", "now", cost=6.0))))
    assert drawn == ["reload", "2", "attack", "cost 6", "kill_enemy", "40"]


def test_unmet_need_has_cross_and_provided_one_has_link() -> None:
    steps = (
        StepLine("goto(c1)", "now", (Need("can_reach(me, c1)", False),), ("at = c1",)),
        StepLine("open", "next", (), ("door = open",)),
        StepLine("attack", "next", (Need("loaded", True), Need("at == cover_node", None)), ("target = dead",)),
    )
    svg = plan_svg(sheet_with(*steps))
    assert "does not hold" in svg
    assert "M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5" in svg
    parts = list(ElementTree.fromstring(svg).iter())
    boxes = [each for each in parts if each.get("x") == "42" and each.get("rx") == "8"]
    links = [str(each.get("d")) for each in parts if each.get("stroke-dasharray") and each.get("d")]
    assert len(links) == 1
    start = float(links[0].removeprefix("M386 ").partition("H")[0])
    assert float(str(boxes[0].get("y"))) < start < float(str(boxes[1].get("y")))  # from the first box, not the second


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from([True, None, False]))
def test_drawing_is_valid_xml_for_any_names(name: str, need: str, holds: bool | None) -> None:
    steps = (StepLine(name, "now", (), (need,)), StepLine(need, "next", (Need(need, holds),), (name, need), 1.0))
    for mind_view in (sheet_with(*steps, who=name), sheet_with(who=name, doing=need)):
        root = ElementTree.fromstring(plan_svg(mind_view))
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {
            "svg",
            "g",
            "title",
            "rect",
            "circle",
            "path",
            "text",
        }
