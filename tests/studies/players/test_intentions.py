"""What players want comes from the instruction alone, and there is always a plan for it."""

from itertools import product

import pytest

import telos
from telos.studies.players.player import FILE, dislikes, goal_in, steps_to
from telos.studies.players.presets import Style
from telos.worlds.adventure.rules_file import load_rules, rules_names

GOING = {
    "level": {"strike"},
    "explore": {"step-onto-chest"},
    "town": {"step-into-town"},
}


@pytest.mark.parametrize("name", rules_names())
def test_every_instruction_is_understood(name: str) -> None:
    for phase in load_rules(name).phases:
        assert goal_in(phase.say) == {"return": "town"}.get(phase.goal, phase.goal)


def test_what_makes_no_sense_is_no_goal() -> None:
    assert goal_in("Dance!") is None


def test_there_is_a_plan_for_every_goal_in_every_situation() -> None:
    domain = telos.load(FILE)
    labels = {"prey": ("gone", "far", "near"), "threatened": (True, False), "chest": ("unknown", "in_sight")}
    labels |= {"home": ("away", "in_sight"), "unsearched": ("unknown", "remembered", "beside")}
    labels |= {"way_home": ("lost", "felt", "known")}
    assert labels.keys() <= domain.state().keys()
    for values in product(*labels.values()):
        believed = dict(zip(labels, values, strict=True)) | dislikes(Style())
        for goal, ends in GOING.items():
            assert steps_to(goal, believed)[-1] in ends


def test_the_bold_fight_what_is_in_the_way_and_the_careful_go_round_it() -> None:
    seen = {"threatened": True, "prey": "near", "way_home": "known"}
    assert steps_to("town", seen | dislikes(Style(boldness=1.0)))[0] == "fight-monster"
    assert steps_to("town", seen | dislikes(Style(boldness=0.2)))[0] == "dodge-monster"


def test_some_bait_monsters_and_some_go_for_them() -> None:
    assert steps_to("level", {"prey": "far"} | dislikes(Style(baiting=0.9)))[0] == "bait-monster"
    assert steps_to("level", {"prey": "far"} | dislikes(Style(baiting=0.1)))[0] == "approach-monster"


def test_who_has_no_monster_waits_or_moves_on() -> None:
    assert steps_to("level", {"prey": "gone"} | dislikes(Style(roaming=0.0)))[0] == "wait-for-monsters"
    assert steps_to("level", {"prey": "gone"} | dislikes(Style(roaming=1.0)))[0] == "look-for-monsters"


def test_nobody_stoops_for_a_gem_under_threat() -> None:
    gem = {"gem": "in_sight", "prey": "far", "threatened": False}
    assert steps_to("level", gem | dislikes(Style())) == ("pick-up-gem",)
    assert "pick-up-gem" not in steps_to("level", gem | {"prey": "near"} | dislikes(Style()))
