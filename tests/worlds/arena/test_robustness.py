"""Faulty actions, vanished targets, hopeless maps and crowds: no fighter is stuck and nothing crashes."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telos.agents.body import Actor, BodyState, Performed
from telos.agents.trace import Began, StepFailed
from telos.core.action import Action
from telos.squads.squad import BehaviourEnded, LineSpoken, OrdersGiven
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import CastMember, Scene, load_scene, scene_names
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.map import ArenaMap
from telos.worlds.arena.sim.views import ArenaView, FighterView
from worlds.arena.fights import Fight, Stillness, body, changed, fought, script
from worlds.arena.random_scenes import scenes

# The longest that anybody may neither move nor act while a goal of theirs has a plan: what failed is remembered for
# three seconds, a goal without a plan is tried again after two, and everybody may take a second to look.
STUCK = 6.0


class Laws:
    """Invariants of every step of every fight."""

    def __init__(self) -> None:
        self._dead: set[str] = set()

    def check(self, view: ArenaView, records: list[object]) -> None:
        for each in view.fighters:
            assert 0.0 <= each.health <= each.healthy
            assert min(each.rounds, each.magazines, each.grenades) >= 0
            assert each.alive == (each.health > 0)
            assert not (each.alive and each.name in self._dead), f"{each.name} has risen"
        for record in records:
            self._check_record(record)
        self._dead |= {each.name for each in view.fighters if not each.alive}

    def _check_record(self, record: object) -> None:
        if isinstance(record, LineSpoken | Began):
            assert record.who not in self._dead
        if isinstance(record, StepFailed):
            assert not record.reason.startswith("raised"), record
        if isinstance(record, OrdersGiven):
            moves = [said for said in record.orders.values() if "cover at" in said or "advance to" in said]
            taken = [said.split()[-1] for said in moves if "abreast" not in said]
            assert len(taken) == len(set(taken)), record


def survived(scene: Scene, seed: int, seconds: float | None = None) -> Battle:
    """Play a scene while checking all invariants; return the last view."""
    records: list[object] = []
    battle = Battle(scene, seed=seed, trace=records.append)
    laws, still = Laws(), Stillness(battle)
    for view in battle.seconds(seconds):
        still.look(view)
        laws.check(view, records)
        records.clear()
    assert still.longest <= STUCK, still.who
    return battle


@pytest.mark.parametrize("name", [name for name in scene_names() if name != "skirmish"])
def test_invariants_hold_in_every_scene(name: str) -> None:
    for seed in (0, 1):
        survived(load_scene(name), seed)


@pytest.mark.parametrize(
    ("seed", "seconds"), [(3, 30.0), *(pytest.param(seed, None, marks=pytest.mark.slow) for seed in range(5))]
)
def test_invariants_hold_in_the_skirmish(seed: int, seconds: float | None) -> None:
    survived(load_scene("skirmish"), seed, seconds)


_as_it_comes = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=20, **_as_it_comes)
@given(scenes(), st.integers(0, 99))
def test_invariants_hold_on_random_maps_and_casts(scene: Scene, seed: int) -> None:
    survived(scene, seed)


@pytest.mark.slow
@settings(max_examples=300, **_as_it_comes)
@given(scenes(), st.integers(0, 99))
def test_invariants_hold_on_many_more_random_maps(scene: Scene, seed: int) -> None:
    survived(scene, seed)


# An action whose procedural part raises


class Broken(Performed):
    """A procedure that raises an error."""

    def activate(self, doer: Actor, step: Action) -> BodyState:
        raise RuntimeError("the animation is missing")


@pytest.mark.parametrize("broken", ["goto", "attack", "look-round", "open-door"])
def test_raising_action_becomes_a_remembered_failure(broken: str) -> None:
    records: list[object] = []
    battle = Battle(load_scene("door-open"), seed=1, trace=records.append)
    sam = battle.minds["Sam"]
    sam._procedures[broken] = Broken(battle._procedures[broken].performance)  # type: ignore[attr-defined]
    views = [battle.step() for _ in range(120)]
    failed = [each for each in records if isinstance(each, StepFailed)]
    assert {each.reason for each in failed if each.step.startswith(broken)} == {
        "raised RuntimeError: the animation is missing"
    }
    gaps = [two.time - one.time for one, two in pairwise(failed)]
    assert all(1.0 <= gap <= STUCK for gap in gaps)  # retried, but not in every step
    sam._procedures[broken] = battle._procedures[broken]
    views += list(battle.seconds(40.0))
    assert views[-1].winner == "red"  # after the repair, the fight continues


def test_raising_planning_function_stops_no_other_mind() -> None:
    records: list[object] = []
    battle = Battle(load_scene("get-to-cover"), seed=1, trace=records.append)
    is_connected = battle.arena.navigator.is_connected

    def connected(start: Any, end: Any, walker: Any) -> bool:
        if start == battle.arena.fighter("Tia").position:
            raise RuntimeError("the mesh has a hole")
        return is_connected(start, end, walker)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(battle.arena.navigator, "is_connected", connected)
        for _ in battle.seconds(10.0):
            pass
    raised = [each for each in records if isinstance(each, StepFailed) and "the mesh has a hole" in each.reason]
    assert {each.who for each in raised} == {"Tia"}
    assert {each.who for each in records if isinstance(each, Began)} >= {"Sam", "Ugo"}


# A target that vanishes


@pytest.mark.parametrize("seed", range(4))
def test_vanished_target_drops_the_plan(seed: int) -> None:
    scene = changed(load_scene("goals-soldier"), "Eve", character="assassin", script=script((10.5, "animate cloak")))
    battle = survived(scene, seed, 60.0)
    fight = Fight(scene, seed, 60.0)
    assert "patrol" in fight.goals("Sam")[1:] or battle.arena.winner == "red"


def test_enemy_killed_by_another_is_no_longer_a_target() -> None:
    fight = fought("get-to-cover", 1)
    assert fight.views[-1].winner == "red"
    battle = Battle(load_scene("skirmish"), seed=2)
    for _ in battle.seconds(25.0):
        living = {name for name, each in battle.arena.fighters.items() if each.alive}
        for mind in battle.minds.values():
            foe, since = mind.memory.focus.get("target"), battle.arena.time
            if foe is not None and foe not in living:
                known = mind.memory.recall("enemy", foe, since)
                assert known is None or since - known.time <= 16.0  # unseen deaths are forgotten


# Nowhere to go

CELL = "#####\n#A B#\n#####\n#1 2#\n#####"


@pytest.mark.parametrize("character", ["soldier", "assassin", "rat", "drone", "policeman"])
def test_fighters_without_a_way_out_idle_and_explain(character: str) -> None:
    map = ArenaMap(CELL)
    cast = tuple(
        CastMember("A", name, character, "red", *map.places[letter]) for name, letter in (("Ann", "A"), ("Bob", "B"))
    )
    battle = survived(Scene("cell", "", 20.0, map, cast), 1)
    for mind in battle.minds.values():
        assert mind.goal is None
        assert mind.deliberation is not None
        assert "patrol" in mind.deliberation.passed_over


def test_fighters_without_cover_fight_in_the_open_and_explain() -> None:
    map = ArenaMap("\n".join(["#" * 24, *["#" + " " * 22 + "#"] * 6, "#" * 24]))
    places = {
        "Ann": ("red", 2.5, 2.5),
        "Bob": ("red", 2.5, 5.5),
        "Una": ("blue", 21.5, 3.5),
        "Vic": ("blue", 21.5, 4.5),
    }
    said = set[str]()
    for seed in range(4):
        cast = [CastMember("A", name, "soldier", *place) for name, place in places.items()]
        squads = ("get-to-cover", "advance-cover", "orderly-advance", "search")
        scene = Scene("plain", "", 60.0, map, tuple(cast), squads=squads, talk=True)
        survived(scene, seed)
        fight = Fight(scene, seed)
        assert fight.views[-1].over
        assert {"cover", "ambush"}.isdisjoint(fight.goals("Ann"))
        said |= {each.exchange for each in fight.of(LineSpoken)}
    assert any("cover" in name or "nowhere" in name for name in said), said


# A squad that loses its leader


def test_squad_continues_an_order_under_the_next_leader() -> None:
    scene = load_scene("orderly-advance")
    frail = changed(scene, "Ann", body=body(health=1.0))
    killer = CastMember(
        "E", "Kit", "soldier", "neutral", 8.5, 7.5,
        script=script(*((4.0 + each, "animate fire Ann") for each in range(4))),
    )  # fmt: skip
    fight = Fight(replace(frail, cast=(*frail.cast, killer)), 1)
    died = next(each for each in fight.events("dead") if each.context["target"] == "Ann")
    ordered = [each for each in fight.of(OrdersGiven) if each.time >= died.time]
    assert "Ann is dead" in ordered[0].why
    assert 0 <= ordered[0].time - died.time <= 1.0
    leader = next(who for who, said in ordered[0].orders.items() if said.startswith("lead"))
    assert leader != "Ann"
    end = next(each for each in fight.of(BehaviourEnded) if each.time > died.time)
    assert end.fulfilled
    assert end.why == f"{leader} is at p7"


# Five hundred in one room


def room_of(number: int, *, is_fight: bool) -> Scene:
    """Return a crowded room of one side, optionally with an enemy."""
    width, height = 60, 40
    rows = ["#" * width, *["#" + " " * (width - 2) + "#"] * (height - 2), "#" * width]
    rows[2] = "#" + "1".ljust(width - 2) + "#"
    rows[-3] = "#" + "2".rjust(width - 2) + "#"
    places = [(x + 0.5, y + 0.5) for y in range(4, height - 4) for x in range(2, width - 2, 2)]
    cast = [CastMember("A", f"n{each}", "soldier", "red", *places[each]) for each in range(number - 1)]
    last = CastMember("Z", "Zed", "soldier", "blue" if is_fight else "red", width - 2.5, 1.5)
    return Scene("room", "", 10.0, ArenaMap("\n".join(rows)), (*cast, last))


@pytest.mark.parametrize("people", [120, pytest.param(500, marks=pytest.mark.slow)])
def test_five_hundred_minds_all_get_to_think(people: int) -> None:
    records: list[object] = []
    battle = Battle(room_of(people, is_fight=True), seed=1, trace=records.append)
    for _ in range(12):
        battle.step()
    assert {each.who for each in records if isinstance(each, Began)} >= set(battle.minds) - {"Zed"}
    assert not [each for each in records if isinstance(each, StepFailed) and each.reason.startswith("raised")]


@pytest.mark.slow
def test_five_hundred_fighters_are_never_stuck() -> None:
    assert survived(room_of(500, is_fight=False), 1, 8.0).arena.time == 8.0


def test_invariant_checks_detect_violations() -> None:
    arena = Arena(ArenaMap("####\n#  #\n####"), [])
    ann = FighterView(
        "Ann", "red", "soldier", 1.5, 1.5, 0.0, 100.0, True, "", "", "done", "", 5, 1, 0, None, False, False, False,
        False, 0.0,
    )  # fmt: skip
    view = replace(arena.view(), fighters=(ann,))
    for changes in ({"health": 101.0}, {"rounds": -1}, {"alive": False}):
        with pytest.raises(AssertionError):
            Laws().check(replace(view, fighters=(replace(ann, **changes),)), [])
    laws = Laws()
    laws.check(replace(view, fighters=(replace(ann, health=0.0, alive=False),)), [])
    with pytest.raises(AssertionError):
        laws.check(view, [])
    with pytest.raises(AssertionError):
        laws.check(replace(view, fighters=()), [LineSpoken(1.0, "Ann", None, "Hello", "x", "y")])
