"""A saved mind or crowd is data from outside: refused whole, or restored; leniently after the content has changed."""

import copy
import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

import telos
from agents import yard
from agents.yard import Camp, Yard, camp_crowd, live, pass_frames, soldier
from mutations import damage
from telos.agents import MindSchedule, Omission, SensorSchedule, WorkingMemory, restore_mind, save_mind
from telos.agents.memory import Fact
from telos.core.errors import TelosError
from telos.core.trace import as_json

FRAMES = 37


def make(*, size: int = 4, lines: list[str] | None = None) -> tuple[Camp, MindSchedule]:
    camp = Camp(size, 3, fog=0.05)
    trace = (lambda record: lines.append(as_json(record))) if lines is not None else (lambda record: None)
    return camp, camp_crowd(camp, expansions=3, budget=2.0, patience=2.0, trace=trace)


def saved_camp(frames: int = FRAMES, **options: Any) -> tuple[Any, Any]:
    """Return what a camp and its crowd save, through JSON."""
    camp, crowd = make(**options)
    pass_frames(camp, crowd, frames)
    bodies, minds = json.loads(json.dumps([camp.save(), crowd.save()], allow_nan=False))
    return bodies, minds


def text(saved: Any) -> str:
    return json.dumps(saved, allow_nan=False)


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("saved", [{}, None, [], 3, "x", {"minds": []}])
def test_what_is_no_snapshot_is_refused(saved: Any) -> None:
    _, crowd = make()
    before = text(crowd.save())
    with pytest.raises(TelosError):
        crowd.restore(saved)
    assert text(crowd.save()) == before
    mind, memory, rota = soldier(Yard()), WorkingMemory(), SensorSchedule({})
    for restore in (lambda: restore_mind(mind, saved), lambda: memory.restore(saved)):
        with pytest.raises(TelosError):
            restore()
    if saved != []:
        with pytest.raises(TelosError):
            rota.restore(saved)


def _execution(saved: Any) -> Any:
    return next(mind["execution"] for mind in saved["minds"] if mind["execution"] is not None)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda saved: saved["minds"][1].pop("retry_at"), r"minds\[1\]\.retry_at is missing"),
        (lambda saved: saved["minds"][2]["state"].pop(), r"minds\[2\]\.state must have 6 entries, got 5"),
        (lambda saved: saved["minds"][0]["state"].__setitem__(0, "many"), r"minds\[0\]\.state\[0\] must be a value of"),
        (
            lambda saved: saved["minds"][0]["memory"]["facts"][0].__setitem__(2, float("nan")),
            r"facts\[0\]\[2\] must be",
        ),
        (lambda saved: saved["minds"][0]["memory"]["kinds"].clear(), r"memory\.facts\[0\]\[0\] is 'self'"),
        (lambda saved: _execution(saved).update(index=99), r"execution\.index is 99"),
        (lambda saved: _execution(saved).update(goal="wamrth"), r"execution\.goal is 'wamrth'.*'warmth'"),
        (
            lambda saved: _execution(saved)["steps"][0].__setitem__(0, "chp"),
            r"execution\.steps\[0\] uses 'chp'.*'chop'",
        ),
        (lambda saved: saved["awake"].append(77), r"awake\[\d+\] is 77, the number of nobody"),
        (lambda saved: saved["alarms"].append([1.0, -1]), r"alarms\[\d+\]\[1\] is -1, the number of nobody"),
        (lambda saved: saved["rota"].pop(), r"rota lacks the sensor 'eyes'"),
        (lambda saved: saved["rota"][0].__setitem__(2, "nose"), r"rota\[0\]\[2\] is 'nose'"),
        (lambda saved: saved["plans"].update(nobody=[]), r"plans\.nobody is 'nobody'"),
        (lambda saved: saved.update(extra=1), r"extra is an unknown entry"),
        (lambda saved: saved.update(format=3), r"has the format 3.*newer"),
        (lambda saved: saved["contents"][0]["variables"].reverse(), None),  # the order does not matter to states
    ],
)
def test_a_fault_names_its_place_and_changes_nothing(change: Callable[[Any], object], place: str | None) -> None:
    _, saved = saved_camp()
    damaged = copy.deepcopy(saved)
    change(damaged)
    camp, crowd = make()
    pass_frames(camp, crowd, 9)
    before = text(crowd.save())
    if place is None:
        with pytest.raises(TelosError):  # the values are in the old order
            crowd.restore(damaged)
    else:
        with pytest.raises(TelosError, match=f"saved crowd: .*{place}"):
            crowd.restore(damaged)
    assert text(crowd.save()) == before


def test_after_a_refusal_the_run_goes_on_as_if_nothing_had_been_tried() -> None:
    _, saved = saved_camp()
    runs: list[list[str]] = [[], []]
    for lines, is_tried in zip(runs, (True, False), strict=True):
        camp, crowd = make(lines=lines)
        for frame in range(60):
            pass_frames(camp, crowd, 1)
            if is_tried and frame % 7 == 0:
                with pytest.raises(TelosError):
                    crowd.restore(damaged_at_the_end(saved))
    assert runs[0] == runs[1]
    assert len(runs[0]) > 50


def damaged_at_the_end(saved: Any) -> Any:
    """Return a snapshot whose fault shows only when its last search is taken up again, or in its last plan."""
    damaged = copy.deepcopy(saved)
    waiting = [mind for mind in damaged["minds"] if (mind["deliberation"] or {}).get("expanded")]
    if waiting:
        waiting[-1]["deliberation"]["expanded"] = 10**6
    else:
        damaged["alarms"].append([0.0, 99])
    return damaged


def test_a_good_snapshot_is_restored_after_a_refused_one() -> None:
    bodies, saved = saved_camp()
    camp, crowd = make()
    camp.restore(bodies)
    with pytest.raises(TelosError):
        crowd.restore({**saved, "awake": ["x"]})
    assert crowd.restore(saved) == ()
    assert text(crowd.save()) == text(saved)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_snapshots_are_refused_whole_or_live_on(seed: int) -> None:
    rng, refused = Random(seed), 0
    moments = [saved_camp(frames) for frames in (4, FRAMES, 80)]
    for _ in range(60):
        bodies, saved = rng.choice(moments)
        camp, crowd = make()
        camp.restore(bodies)
        before = text(crowd.save())
        try:
            crowd.restore(damage(saved, rng), lenient=rng.random() < 0.3)
        except TelosError:
            refused += 1
            assert text(crowd.save()) == before
        else:
            pass_frames(camp, crowd, 100)
    assert refused > 10


def test_a_fact_that_beliefs_cannot_read_is_refused() -> None:
    bodies, saved = saved_camp()
    saved["minds"][0]["memory"]["facts"][0][4]["twigs"] = "many"
    camp, crowd = make()
    camp.restore(bodies)
    with pytest.raises(TelosError, match=r"minds\[0\]\.memory cannot be read by the game: .*twigs"):
        crowd.restore(saved)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_memories_are_refused_whole_or_remembered(seed: int) -> None:
    rng, memory = Random(seed), WorkingMemory({"noise": 5.0})
    for number in range(6):
        memory.note(Fact("noise", f"n{number}", number / 2, 0.5, {"x": 1.0, "tags": ("a", "b")}))
    memory.focus["target"] = "n1"
    saved = json.loads(text(memory.save()))
    for _ in range(150):
        other = WorkingMemory({"noise": 5.0})
        try:
            other.restore(damage(saved, rng))
        except TelosError:
            assert other.save() == WorkingMemory({"noise": 5.0}).save()
        else:
            other.fade(4.0)
            assert other.all_of("noise", 4.0) is not None


# --- older formats, and saves without plans ---------------------------------------------------------------------------


def test_a_save_of_format_1_is_restored() -> None:
    bodies, saved = saved_camp()
    old = copy.deepcopy(saved)
    del old["format"], old["contents"]
    for mind in old["minds"]:
        del mind["format"], mind["number"], mind["content"]
    camp, crowd = make()
    camp.restore(bodies)
    assert crowd.restore(old) == ()
    assert text(crowd.save()) == text(saved)


def test_a_save_holds_the_names_of_variables_once() -> None:
    _, saved = saved_camp(size=6)
    assert text(saved).count('"twigs", "logs"') == 1
    assert [mind["content"] for mind in saved["minds"]] == [0] * 6


def test_remembered_plans_need_not_be_saved() -> None:
    camp, crowd = make()
    pass_frames(camp, crowd, 80)
    whole, small = crowd.save(), crowd.save(plans=False)
    assert whole["plans"]
    assert small["plans"] is None
    assert {**whole, "plans": None} == small
    lines: list[str] = []
    other_camp, other = make(lines=lines)
    pass_frames(other_camp, other, 5)  # what its planners remember is forgotten
    other_camp.restore(json.loads(text(camp.save())))
    assert other.restore(json.loads(text(small))) == ()
    assert other.save() == {**small, "plans": {"camper-0": []}}
    lines.clear()
    pass_frames(other_camp, other, 200)
    assert any('"kind": "planned"' in line for line in lines)


# --- lenient ----------------------------------------------------------------------------------------------------------


def change_content(
    monkeypatch: pytest.MonkeyPatch, *, without: str = "", rename: Mapping[str, str] | None = None, new: bool = False
) -> None:
    """Let new camps have another domain: without a variable, with renamed actions, or with a new variable."""
    old, believe, names = yard.camp_domain, yard.believe_camp, dict(rename or {})

    def domain(path_is_clear: Callable[[], bool] = lambda: True) -> telos.Domain:
        was = old(path_is_clear)
        kept = [each for each in was.variables if each.name != without]
        actions = [each for each in was.actions if all(effect.variable != without for effect in each.effects)]
        goals = [each for each in was.goals if without not in str(each.wants) or not without]
        return telos.Domain(
            "camp",
            variables=[*kept, *([telos.Variable("tent", "bool", True)] if new else [])],
            actions=[
                telos.Action(
                    names.get(each.name, each.name),
                    preconditions=each.preconditions,
                    effects=each.effects,
                    cost=each.cost,
                )
                for each in actions
            ],
            goals=goals,
            functions={"path_is_clear": path_is_clear},
        )

    monkeypatch.setattr(yard, "camp_domain", domain)
    monkeypatch.setattr(
        yard, "believe_camp", lambda memory, now: {k: v for k, v in believe(memory, now).items() if k != without}
    )
    for name, other in names.items():
        monkeypatch.setitem(yard.SECONDS, other, yard.SECONDS[name])


def restored(saved: tuple[Any, Any], **options: Any) -> tuple[Camp, MindSchedule, tuple[Omission, ...]]:
    """Return a new camp that was restored leniently."""
    camp, crowd = make(**options)
    camp.restore(saved[0])
    return camp, crowd, crowd.restore(saved[1], lenient=True)


def test_a_lenient_restore_of_unchanged_content_is_exact_and_omits_nothing() -> None:
    saved = saved_camp()
    _, crowd, omitted = restored(saved)
    assert omitted == ()
    assert text(crowd.save()) == text(saved[1])


def test_plans_with_a_renamed_action_are_left_out_and_the_rest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = saved_camp(80)
    names = {"gather": "collect", "chop": "fell", "light": "kindle", "hide": "duck", "rest": "nap"}
    doing = {each["name"]: each["execution"]["goal"] for each in saved[1]["minds"] if each["execution"]}
    assert doing
    change_content(monkeypatch, rename=names)
    _, strict = make()
    with pytest.raises(TelosError, match="not an action any more"):
        strict.restore(saved[1])
    camp, crowd, omitted = restored(saved)
    left_out = {(each.who, each.what) for each in omitted}
    assert {(who, f"the plan for {goal!r}") for who, goal in doing.items()} <= left_out
    assert any(what.endswith("remembered plans") for _, what in left_out)
    for each in saved[1]["minds"]:
        assert json.loads(text(crowd.minds[each["name"]].memory.save())) == each["memory"]
        assert list(crowd.minds[each["name"]].state.array) == each["state"]
    assert all(mind.execution is None for mind in crowd.minds.values() if mind.name in doing)
    pass_frames(camp, crowd, 100)
    assert any(mind.goal for mind in crowd.minds.values())
    assert str(omitted[0]).startswith(f"{omitted[0].who}: {omitted[0].what} is left out: ")


def test_a_variable_that_is_gone_is_left_out_with_its_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = saved_camp(80)
    change_content(monkeypatch, without="rested")
    _, strict = make()
    with pytest.raises(
        TelosError, match=r"variables do not fit the domain \(variables that are gone: rested\).*lenient"
    ):
        strict.restore(saved[1])
    camp, crowd, omitted = restored(saved)
    assert {each.who for each in omitted if each.what == "variable 'rested'"} == set(crowd.minds)
    for each in saved[1]["minds"]:
        names = saved[1]["contents"][0]["variables"]
        then = dict(zip(names, each["state"], strict=True))
        del then["rested"]
        assert dict(crowd.minds[each["name"]].state) == then
    pass_frames(camp, crowd, 100)


def test_a_new_variable_has_its_start_value(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = saved_camp(80)
    change_content(monkeypatch, new=True)
    camp, crowd, omitted = restored(saved)
    assert all(mind.state["tent"] is True for mind in crowd.minds.values())
    assert not any("variable" in each.what for each in omitted)
    kept = [each["name"] for each in saved[1]["minds"] if each["execution"]]
    assert [name for name in crowd.minds if crowd.minds[name].execution is not None] == sorted(kept)
    pass_frames(camp, crowd, 100)


def test_minds_that_are_gone_or_new_are_named() -> None:
    saved = saved_camp(80)
    campers = saved[0]["campers"]
    fewer = {**saved[0], "campers": {name: each for name, each in campers.items() if name != "camper-3"}}
    camp, crowd, omitted = restored((fewer, saved[1]), size=3)
    assert ("camper-3", "the mind") in {(each.who, each.what) for each in omitted}
    pass_frames(camp, crowd, 100)
    camp, crowd, omitted = restored((saved[0], saved[1]), size=6)
    assert {each.who for each in omitted} == {"camper-4", "camper-5"}
    pass_frames(camp, crowd, 100)


def test_plans_under_the_name_of_a_mind_that_was_not_saved_are_left_out() -> None:
    bodies, saved = saved_camp(80)
    saved["minds"] = [mind for mind in saved["minds"] if mind["name"] != "camper-0"]
    camp, crowd, omitted = restored((bodies, saved))
    assert {("camper-0", "the saved mind")} <= {(each.who, each.what) for each in omitted}
    pass_frames(camp, crowd, 100)


def test_a_single_mind_is_restored_leniently() -> None:
    place = Yard(held=True)
    mind = soldier(place)
    live(mind, place, 0.5)
    saved = json.loads(text(save_mind(mind)))
    saved["execution"]["steps"][0][0] = "open-dor"
    other = soldier(copy.deepcopy(place))
    omitted = restore_mind(other, saved, lenient=True)
    assert [(each.who, each.what) for each in omitted] == [("ann", f"the plan for {mind.goal!r}")]
    assert list(other.memory) == list(mind.memory)
    live(other, place, 5.0)
