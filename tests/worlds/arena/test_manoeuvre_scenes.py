"""Scenes of manoeuvres: one that a file describes, and an encirclement that no file describes."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError
from telos.squads import BehaviourEnded, OrdersGiven
from telos.worlds.arena import Battle, load_scene
from telos.worlds.arena.scene import SCENES

SEEDS = range(1, 6)


def play(battle: Battle, seconds: float) -> Iterator[float]:
    while not battle.arena.over and battle.arena.time < seconds:
        battle.step()
        yield battle.arena.time


# --- flank and hold ---


@pytest.mark.parametrize("seed", SEEDS)
def test_one_goes_round_unseen_while_two_hold(seed: int) -> None:
    told: list[OrdersGiven | BehaviourEnded] = []
    scene = load_scene("flank-and-hold")
    battle = Battle(
        scene,
        seed=seed,
        trace=lambda each: told.append(each) if isinstance(each, OrdersGiven | BehaviourEnded) else None,
    )
    seen: dict[float, bool] = {}
    for now in play(battle, 12.0):
        if told and told[-1].behaviour == "flank-and-hold" and isinstance(told[-1], OrdersGiven):
            seen[now] = battle.arena.sees("Pat", "Ann")
    begun = next(each for each in told if each.behaviour == "flank-and-hold")
    assert isinstance(begun, OrdersGiven)
    assert begun.orders == {"Ann": "advance to c1", "Bob": "suppress Pat", "Cal": "suppress Pat"}
    assert begun.why.startswith("go-round by one-aside with who = Ann, place = c1, foe = Pat; hold(Pat) by from-cover")
    ended = next(each for each in told if each.behaviour == "flank-and-hold" and isinstance(each, BehaviourEnded))
    assert (ended.fulfilled, ended.why) == (True, "go-round is done")
    assert sum(seen.values()) <= len(seen) / 2, "most of the way is out of Pat's sight"


def test_the_manoeuvre_ends_the_fight_sooner() -> None:
    scene = replace(load_scene("flank-and-hold"), talk=False)

    def mean_seconds(*squads: str) -> float:
        battles = [Battle(replace(scene, squads=squads), seed=seed) for seed in range(1, 9)]
        for battle in battles:
            for _ in play(battle, 60.0):
                pass
        return sum(battle.arena.time for battle in battles) / len(battles)

    assert mean_seconds(*scene.squads) < 0.85 * mean_seconds("get-to-cover")


def test_a_fight_is_restored_exactly_in_mid_manoeuvre() -> None:
    scene = load_scene("flank-and-hold")
    whole = Battle(scene, seed=2)
    for _ in play(whole, 3.0):
        pass
    assert {squad.behaviour for squad in whole.coordinators[0].squads} == {"flank-and-hold"}
    again = Battle(scene, seed=2)
    again.restore(json.loads(json.dumps(whole.save())))
    for _ in zip(play(whole, 12.0), play(again, 12.0), strict=True):
        assert again.view.fighters == whole.view.fighters
    assert again.save() == whole.save()


PIN = """manoeuvre: pin
stages: [{task: fire, lasts: 3 s}]
tasks:
  fire:
    methods:
      one: {choose: {who: member, foe: enemy}, condition: "sees(who, foe)", subtasks: "suppress(who, foe)"}
"""


def test_a_scene_finds_manoeuvres_beside_it(tmp_path: Path) -> None:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "manoeuvres").mkdir()
    scene, own = tmp_path / "scenes" / "mine.yaml", tmp_path / "manoeuvres" / "pin.yaml"
    scene.write_text((SCENES / "flank-and-hold.yaml").read_text().replace("get-to-cover, flank-and-hold", "pin"))
    with pytest.raises(DefinitionError, match="unknown squad behaviour or practice 'pin'"):
        load_scene(scene)
    own.write_text(PIN.replace("suppress(", "supress("))
    with pytest.raises(DefinitionError, match=r"pin.yaml:6:88: unknown task 'supress'"):
        load_scene(scene)
    own.write_text(PIN)
    loaded = load_scene(scene)
    assert [each.name for each in loaded.manoeuvres] == ["pin"]
    battle = Battle(loaded, seed=1)
    for _ in play(battle, 1.0):
        pass
    assert battle.coordinators[0].squads[0].behaviour == "pin"
    own.write_text(PIN.replace("manoeuvre: pin", "manoeuvre: pins"))
    with pytest.raises(DefinitionError, match=r"the manoeuvre is called 'pins', and its file pin.yaml; rename one"):
        load_scene(scene)


def test_a_manoeuvre_cannot_stand_in_for_a_behaviour(tmp_path: Path) -> None:
    """Without a fault, the behaviour would be used, and the file beside the scene never be read."""
    (tmp_path / "scenes").mkdir()
    (tmp_path / "manoeuvres").mkdir()
    scene = tmp_path / "scenes" / "mine.yaml"
    scene.write_text((SCENES / "flank-and-hold.yaml").read_text().replace("get-to-cover, flank-and-hold", "search"))
    assert load_scene(scene).squads == ("search",)
    (tmp_path / "manoeuvres" / "search.yaml").write_text(PIN.replace("manoeuvre: pin", "manoeuvre: search"))
    with pytest.raises(DefinitionError, match=r"search.yaml:1:12: 'search' is the name of a squad behaviour"):
        load_scene(scene)


# --- bounding ---


def test_they_change_places_from_stage_to_stage() -> None:
    told: list[OrdersGiven] = []

    def note(record: object) -> None:
        if isinstance(record, OrdersGiven) and record.behaviour == "bounding":
            told.append(record)

    for _ in play(Battle(load_scene("bounding"), seed=1, trace=note), 12.0):
        pass
    first, second = told
    assert (first.orders, second.orders) == (
        {"Bob": "suppress Pat", "Ann": "advance to c5"},
        {"Ann": "suppress Pat", "Bob": "advance to c2"},
    )
    assert second.why.startswith("bound is done; bound by one-fires; keep-down by in-front with who = Ann")


# --- encirclement ---


def widest_gap(battle: Battle) -> float:
    """Return the widest angle, in degrees, in which the enemy has no opponent."""
    enemy = battle.arena.fighter("Pat")
    others = [battle.arena.fighter(name) for name in battle.arena.living("red")]
    angles = sorted(math.degrees(math.atan2(each.y - enemy.y, each.x - enemy.x)) % 360 for each in others)
    return max((second - first) % 360 for first, second in zip(angles, [*angles[1:], angles[0]], strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_encirclement_comes_about_without_an_order_for_it(seed: int) -> None:
    scene = load_scene("encirclement")
    assert (scene.squads, scene.manoeuvres) == (("get-to-cover", "advance-cover"), ())
    battle = Battle(scene, seed=seed)
    gaps = [widest_gap(battle) for _ in play(battle, 30.0) if len(battle.arena.living("red")) > 1]
    assert gaps[0] > 270, "they come from one side"
    assert min(gaps) < 120, "and stand on all sides"
