"""Suppression in minds: a pinned fighter keeps its head down, lies flat or crawls, and aims no shot."""

import pytest

from telos.core.values import Value
from telos.planning.planner import Planner
from telos.worlds.arena.ai.beliefs import FighterBeliefs
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene
from telos.worlds.arena.sim.constants import PINNED, UNPINNED

IN_THE_OPEN: dict[str, Value] = {"loaded": True, "target": "alive", "target_seen": True, "foe": "Pat"}
IN_COVER: dict[str, Value] = {**IN_THE_OPEN, "at": "c1", "cover_node": "c1"}


def planned(battle: Battle, goal: str, known: dict[str, Value]) -> list[str]:
    """Return the steps that a soldier plans."""
    actions = load_arena_characters()["soldier"].actions
    plan = Planner(battle.domain, actions).plan({"me": "Ann", **known}, goal)
    return [step.name for step in plan.steps] if plan.found else []


@pytest.fixture(scope="module")
def battle() -> Battle:
    return Battle(load_scene("advance-cover"), seed=1)


def test_pinned_soldier_keeps_his_head_down_before_he_aims(battle: Battle) -> None:
    assert planned(battle, "kill_enemy", IN_COVER) == ["attack-from-cover"]
    assert planned(battle, "kill_enemy", {**IN_COVER, "pinned": True}) == ["keep-head-down", "attack-from-cover"]
    assert planned(battle, "kill_enemy", {**IN_THE_OPEN, "pinned": True}) == ["lie-flat", "attack"]


def test_pinned_soldier_still_fires_blindly(battle: Battle) -> None:
    assert planned(battle, "kill_enemy", {**IN_COVER, "pinned": True, "hit_in_cover": True}) == ["blind-fire"]


def test_who_is_told_to_keep_an_enemy_down_does_not_aim(battle: Battle) -> None:
    assert planned(battle, "kill_enemy", {**IN_COVER, "told_to_pin": True}) == ["pin-down"]


def test_pinned_is_felt_until_most_of_the_suppression_has_passed() -> None:
    battle = Battle(load_scene("advance-cover"), seed=1)
    battle.step()
    ann = battle.arena.fighter("Ann")
    believe, sensor = FighterBeliefs(battle.arena, ann), battle._sensors["touch"]
    memory = battle.minds["Ann"].memory

    def felt(suppressed: float) -> bool:
        ann.suppressed = suppressed
        for fact in sensor.read("Ann", memory, battle.arena.time):
            memory.note(fact)
        return bool(believe(memory, battle.arena.time)["pinned"])

    assert [felt(one) for one in (PINNED - 0.01, PINNED, UNPINNED + 0.01, UNPINNED, PINNED - 0.01)] == [
        False, True, True, False, False,
    ]  # fmt: skip


def test_held_cover_is_left_for_an_enemy_and_for_no_noise(battle: Battle) -> None:
    holding = {**IN_COVER, "foe": "Bob", "target_seen": False, "holding": True}  # whose place Ann knows
    assert planned(battle, "kill_enemy", holding)[:1] == ["approach"]
    assert planned(battle, "kill_enemy", {**holding, "under_fire": True}) == []
    check_noise = battle.domain.goal("check_noise").relevant
    heard: dict[str, Value] = {"target": "suspected", "holding": False}
    assert check_noise.holds(battle.domain.state(heard))
    assert not check_noise.holds(battle.domain.state({**heard, "holding": True}))


def test_cover_that_an_order_led_to_is_held() -> None:
    battle = Battle(load_scene("get-to-cover"), seed=1)
    for _ in range(26):
        battle.step()
    holding = [name for name, mind in battle.minds.items() if mind.memory.recall("hold", "current", battle.arena.time)]
    assert holding
    for name in holding:
        memory = battle.minds[name].memory
        assert FighterBeliefs(battle.arena, battle.arena.fighter(name))(memory, battle.arena.time)["holding"]
        assert not FighterBeliefs(battle.arena, battle.arena.fighter(name))(memory, battle.arena.time + 9)["holding"]
