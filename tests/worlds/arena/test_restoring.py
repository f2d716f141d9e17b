"""A saved battle is data from outside: refused whole and with its place, or restored; leniently after changes."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from mutations import damage
from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene
from worlds.arena.fights import changed


@cache
def saved_text(scene: str, steps: int) -> str:
    battle = Battle(load_scene(scene), seed=2)
    for _ in range(steps):
        battle.step()
    return json.dumps(battle.save(), allow_nan=False)


def saved_battle(scene: str = "flank", steps: int = 60) -> Any:
    return json.loads(saved_text(scene, steps))


def fight_on(battle: Battle, steps: int = 30) -> None:
    for _ in range(steps):
        if not battle.arena.over:
            battle.step()


def first_act(saved: Any) -> Any:
    return next(each["act"] for each in saved["arena"]["fighters"].values() if each["act"] is not None)


def first_fighter(saved: Any) -> Any:
    return next(iter(saved["arena"]["fighters"].values()))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda saved: saved["crowd"]["minds"][0].pop("retry_at"), r"crowd\.minds\[0\]\.retry_at is missing"),
        (lambda saved: first_fighter(saved).update(health=float("inf")), r"arena\.fighters\.\w+\.health must be"),
        (lambda saved: first_fighter(saved).update(x=1e6), r"arena\.fighters\.\w+\.x leads to 1e\+06"),
        (lambda saved: first_fighter(saved).update(status="dancing"), r"status must be one of"),
        (lambda saved: first_act(saved).update(text="animate dance"), r"act\.text is not a command"),
        (lambda saved: first_act(saved).update(target="nowhere"), r"act\.target must be"),
        (lambda saved: saved["arena"]["rng"][1].pop(), r"arena\.rng is not the state of a random number generator"),
        (lambda saved: saved["arena"].update(tick=-1), r"arena\.tick must be at least 0"),
        (lambda saved: next(iter(saved["limbs"].values())).update(command="jump"), r"limbs\.\w+\.command is not a"),
        (lambda saved: saved["limbs"].clear(), r"limbs\.\w+ is missing"),
        (lambda saved: next(iter(saved["limbs"].values())).update(place="1,1"), r"limbs\.\w+\.place is '1,1', and"),
        (lambda saved: saved["dialogue"].update(now=1e9), r"dialogue\.now must be at most"),
        (lambda saved: saved["dialogue"]["rng"].__setitem__(0, 2), r"dialogue\.rng is not the state"),
        (lambda saved: saved["coordinators"]["red"]["cooling"].clear(), r"cooling.* is missing"),
        (lambda saved: saved["coordinators"]["red"]["squads"][0].update(members=["Zed"]), r"members\[0\] is 'Zed'"),
        (lambda saved: saved["crowd"]["minds"][0]["memory"]["focus"].clear(), r"memory\.focus\.\w+ is missing"),
        (lambda saved: saved["crowd"]["minds"].pop(), "saved from a crowd of"),
        (lambda saved: saved.update(format=9), "has the format 9"),
    ],
)
def test_a_fault_names_its_place_and_leaves_the_battle_as_it_was(change: Callable[[Any], object], place: str) -> None:
    saved = saved_battle()
    damaged = copy.deepcopy(saved)
    change(damaged)
    lines: tuple[list[str], list[str]] = ([], [])
    tried, untouched = (
        Battle(load_scene("flank"), seed=2, trace=lambda record, to=each: to.append(as_json(record)))  # type: ignore[misc]
        for each in lines
    )
    with pytest.raises(TelosError, match=place):
        tried.restore(damaged)
    assert tried.arena.time == 0.0
    assert json.dumps(tried.save()) == json.dumps(untouched.save())
    fight_on(tried)
    fight_on(untouched)
    assert lines[0] == lines[1]


def test_a_good_snapshot_is_restored_after_a_refused_one() -> None:
    saved = saved_battle("skirmish", 150)
    damaged = copy.deepcopy(saved)
    del damaged["crowd"]["minds"][-1]["retry_at"]
    battle = Battle(load_scene("skirmish"), seed=2)
    with pytest.raises(TelosError, match="retry_at"):
        battle.restore(damaged)
    assert battle.restore(saved) == ()
    assert json.dumps(battle.save()) == json.dumps(saved)


@pytest.mark.parametrize("saved", [{}, None, [], 3, {"scene": "flank"}])
def test_what_is_no_snapshot_is_refused(saved: Any) -> None:
    battle = Battle(load_scene("flank"), seed=2)
    for restore in (battle.restore, battle.arena.restore):
        with pytest.raises(TelosError):
            restore(saved)
    fight_on(battle, 2)


@pytest.mark.parametrize(
    ("scene", "steps"), [("layer-7-talk", 90), ("flank", 60), ("grenade", 55), ("search", 60), ("skirmish", 150)]
)
def test_damaged_snapshots_are_refused_whole_or_fought_on(scene: str, steps: int) -> None:
    rng, saved, refused = Random(scene), saved_battle(scene, steps), 0
    rooms: list[Any] = [key for key, part in saved.items() if isinstance(part, dict) and part and key != "crowd"]
    for _ in range(15):
        battle = Battle(load_scene(scene), seed=2)
        before = json.dumps(battle.save())
        room = rng.choice([*rooms, "minds", "minds"])
        if room == "minds":  # what planners remember would take most of the damage
            minds = list(saved["crowd"]["minds"])
            place = rng.randrange(len(minds))
            minds[place] = damage(minds[place], rng)
            damaged: Any = {**saved, "crowd": {**saved["crowd"], "minds": minds}}
        else:
            damaged = {**saved, room: damage(saved[room], rng)}
        try:
            battle.restore(damaged, lenient=rng.random() < 0.3)
        except TelosError:
            refused += 1
            assert json.dumps(battle.save()) == before
        else:
            fight_on(battle)
    assert refused > 2


def test_remembered_plans_need_not_be_saved() -> None:
    battle = Battle(load_scene("flank"), seed=2)
    fight_on(battle, 60)
    whole, small = json.dumps(battle.save()), json.dumps(battle.save(plans=False))
    assert len(small) < 0.85 * len(whole)
    other = Battle(load_scene("flank"), seed=2)
    assert other.restore(json.loads(small)) == ()
    fight_on(other, 100)
    assert other.arena.time > 6.0


def test_a_save_of_format_1_is_restored() -> None:
    saved = saved_battle()
    old = copy.deepcopy(saved)
    del old["format"], old["crowd"]["format"], old["crowd"]["contents"]
    for mind in old["crowd"]["minds"]:
        del mind["format"], mind["number"], mind["content"]
    battle = Battle(load_scene("flank"), seed=2)
    assert battle.restore(old) == ()
    assert json.dumps(battle.save()) == json.dumps(saved)


def test_a_battle_goes_on_leniently_after_a_character_has_lost_an_action() -> None:
    saved = saved_battle("flank", 60)
    used = {step[0] for mind in saved["crowd"]["minds"] if mind["execution"] for step in mind["execution"]["steps"]}
    assert used
    gone = sorted(used)[0]
    fewer = {
        name: replace(each, actions=tuple(action for action in each.actions if action.name != gone))
        for name, each in load_arena_characters().items()
    }
    strict = Battle(load_scene("flank"), seed=2, characters=fewer)
    with pytest.raises(TelosError, match=rf"uses '{gone}', which is not an action any more"):
        strict.restore(saved)
    battle = Battle(load_scene("flank"), seed=2, characters=fewer)
    omitted = battle.restore(saved, lenient=True)
    assert any("the plan for" in each.what for each in omitted)
    for mind in saved["crowd"]["minds"]:
        assert json.loads(json.dumps(battle.minds[mind["name"]].memory.save())) == mind["memory"]
    assert {name: fighter.x for name, fighter in battle.arena.fighters.items()} == {
        name: each["x"] for name, each in saved["arena"]["fighters"].items()
    }
    fight_on(battle, 100)


def test_a_battle_goes_on_leniently_with_another_cast_and_without_squads() -> None:
    saved = saved_battle("flank", 60)
    scene = changed(load_scene("flank"), "Bob", name="Rob")
    battle = Battle(scene, seed=2)
    omitted = {(each.who, each.what) for each in battle.restore(saved, lenient=True)}
    assert {("Bob", "the saved body"), ("Rob", "the saved body"), ("Bob", "the mind")} <= omitted
    fight_on(battle, 100)
    plain = Battle(replace(load_scene("flank"), talk=False), seed=2, squads={})
    plain.restore(saved, lenient=True)
    assert plain.arena.time == 6.0
    fight_on(plain, 100)
