"""The scenes of the F.E.A.R. paper, through the front door: same goals, other actions, and what follows from that."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import telos

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"
METRES = {frozenset({"gate", "yard"}): 3.0, frozenset({"gate", "crates"}): 1.0, frozenset({"yard", "crates"}): 4.0}
QUIET: Mapping[str, Any] = {"me": "ann", "at": "gate", "post": "yard", "cover_node": "yard", "ammo": 3}


def distance(here: str, there: str) -> float:
    return METRES.get(frozenset({here, there}), 0.0)


def fear(path_to_safety: Callable[[str], bool] = lambda who: True) -> telos.Domain:
    return telos.load(DOMAINS / "fear.yaml", functions={"distance": distance, "path_to_safety": path_to_safety})


def planned(domain: telos.Domain, who: str, goal: str, **now: Any) -> telos.Plan | telos.NoPlan:
    return telos.plan(domain, {**QUIET, **now}, goal, actions=who)


def told(answer: telos.Plan | telos.NoPlan) -> tuple[str, list[str], float]:
    return answer.goal, [str(step) for step in answer.steps], answer.cost


class Paths:
    """The game's search for a path to safety, which is dear: every call is on record."""

    def __init__(self, **known: bool) -> None:
        self.known, self.calls = known, list[str]()

    def __call__(self, who: str) -> bool:
        self.calls.append(who)
        return self.known[who]


# --- Alma and Fettel: cost and preconditions --------------------------------------------------------------------------

ALMA = telos.load(DOMAINS / "alma.yaml")
READY: Mapping[str, Any] = {"knows_number": True, "has_recipe": True, "money": 20}


def fed(who: str, state: Mapping[str, Any]) -> telos.Plan | telos.NoPlan:
    return telos.plan(ALMA, state, "eat", actions=who)


def test_alma_orders_pizza_when_she_could_do_either() -> None:
    assert told(fed("alma", READY)) == ("eat", ["order-pizza"], 2.0)


def test_alma_bakes_a_pie_when_she_has_no_phone_number() -> None:
    assert told(fed("alma", {**READY, "knows_number": False})) == ("eat", ["bake-pie"], 8.0)


def test_alma_drives_to_the_bank_first_when_she_has_no_money() -> None:
    answer = fed("alma", {**READY, "money": 11})
    assert told(answer) == ("eat", ["drive-to-bank", "order-pizza"], 5.0)
    assert answer.why() == (
        "eat is reached in 2 steps at a cost of 5:\n"
        "  1. drive-to-bank (cost 3): money >= 12 for order-pizza\n"
        "  2. order-pizza (cost 2): not hungry for the goal"
    )


def test_alma_is_out_of_luck_without_number_and_recipe() -> None:
    answer = fed("alma", {"money": 20})
    assert isinstance(answer, telos.NoPlan)
    assert answer.stop is telos.Stop.UNREACHABLE
    assert [str(condition) for condition in answer.missing] in (["knows_number"], ["has_recipe"])


def test_missing_condition_is_found_with_unbounded_money() -> None:
    assert "needs has_recipe, and nothing provides it" in fed("alma", {}).why()


def test_alma_who_is_not_hungry_has_an_empty_plan() -> None:
    answer = fed("alma", {"hungry": False})
    assert answer.found
    assert told(answer) == ("eat", [], 0.0)


def test_fettel_needs_another_action_for_the_same_goal() -> None:
    assert told(fed("fettel", {**READY, "has_victim": True})) == ("eat", ["eat-human"], 1.0)
    hungry = fed("fettel", READY)
    assert not hungry.found
    assert hungry.why().endswith("eat-human needs has_victim, and nothing provides it.")


def test_alma_does_not_eat_people() -> None:
    assert told(fed("alma", {**READY, "has_victim": True})) == ("eat", ["order-pizza"], 2.0)


# --- one goal set, several action sets --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "seen", "expected"),
    [
        ("soldier", False, ("patrol", ["goto(yard)", "walk-round"], 6.0)),
        ("soldier", True, ("kill_enemy", ["reload", "attack"], 5.0)),
        ("assassin", False, ("patrol", ["cloak", "run-cloaked(yard)", "jump-to-wall", "watch-from-wall"], 6.0)),
        ("assassin", True, ("kill_enemy", ["lunge"], 2.0)),
        ("rat", False, ("patrol", ["goto(yard)", "walk-round"], 6.0)),
        ("rat", True, ("patrol", ["goto(yard)", "walk-round"], 6.0)),
    ],
)
def test_same_goals_give_each_character_its_own_plan(
    who: str, seen: bool, expected: tuple[str, list[str], float]
) -> None:
    assert told(planned(fear(), who, "gdc06", enemy_seen=seen)) == expected


def test_assassin_on_the_wall_comes_down_to_lunge() -> None:
    up = planned(fear(), "assassin", "gdc06", enemy_seen=True, on_wall=True, cloaked=True)
    assert told(up) == ("kill_enemy", ["jump-down", "lunge"], 3.0)
    assert "1. jump-down (cost 1): not on_wall for lunge" in up.why()


def test_rat_has_no_action_that_kills() -> None:
    answer = planned(fear(), "rat", "kill_enemy", enemy_seen=True)
    assert not answer.found
    assert isinstance(answer, telos.NoPlan)
    assert [str(condition) for condition in answer.missing] == ["target == dead"]
    assert answer.why() == (
        "kill_enemy: no sequence of actions reaches the goal.\n"
        "  the goal kill_enemy needs target == dead, and nothing provides it."
    )


def test_relevant_goals_are_tried_by_priority() -> None:
    domain, all_at_once = fear(), {"enemy_seen": True, "under_fire": True, "in_danger": True}
    order = [
        planned(domain, "soldier", "careful", **{**all_at_once, **calm}).goal
        for calm in ({}, {"in_danger": False}, {"in_danger": False, "under_fire": False})
    ]
    assert order == ["escape", "cover", "kill_enemy"]


def test_every_unreachable_goal_is_explained() -> None:
    answer = telos.plan(fear(), {**QUIET, "enemy_seen": True}, "gdc06", actions=[])
    assert not answer.found
    assert answer.why().splitlines() == [
        "kill_enemy: no sequence of actions reaches the goal.",
        "  the goal kill_enemy needs target == dead, and nothing provides it.",
        "patrol: no sequence of actions reaches the goal.",
        "  the goal patrol needs area_watched, and nothing provides it.",
    ]


# --- attack and reload ------------------------------------------------------------------------------------------------


def test_reload_provides_what_attack_needs() -> None:
    domain = fear()
    assert told(planned(domain, "soldier", "kill_enemy", weapon_loaded=True)) == ("kill_enemy", ["attack"], 4.0)
    chained = planned(domain, "soldier", "kill_enemy")
    assert told(chained) == ("kill_enemy", ["reload", "attack"], 5.0)
    assert "1. reload (cost 1): weapon_loaded for attack" in chained.why()


def test_soldier_without_ammunition_has_no_plan() -> None:
    answer = planned(fear(), "soldier", "kill_enemy", ammo=0)
    assert not answer.found
    assert answer.why().endswith("reload needs ammo >= 1, and nothing provides it.")


# --- whatever node the goal names, at a cost that depends on where one stands -----------------------------------------


@pytest.mark.parametrize(("node", "cost"), [("yard", 3.0), ("crates", 1.0)])
def test_goto_reaches_the_node_of_the_cover_goal(node: str, cost: float) -> None:
    answer = planned(fear(), "soldier", "careful", under_fire=True, cover_node=node)
    assert told(answer) == ("cover", [f"goto({node})"], cost)
    assert answer.steps[0].arguments == {"place": node}


def test_cost_of_the_way_depends_on_its_start() -> None:
    answer = planned(fear(), "soldier", "careful", under_fire=True, at="crates")
    assert told(answer) == ("cover", ["goto(yard)"], 4.0)


def test_shot_from_cover_is_worth_only_a_short_way() -> None:
    domain = fear()
    near = planned(domain, "soldier", "kill_enemy", weapon_loaded=True, cover_node="crates")
    assert told(near) == ("kill_enemy", ["goto(crates)", "attack-from-cover"], 2.0)
    assert "1. goto(crates): at == cover_node for attack-from-cover" in near.why()
    far = planned(domain, "soldier", "kill_enemy", weapon_loaded=True, at="crates")
    assert told(far) == ("kill_enemy", ["attack"], 4.0)


def test_soldier_in_cover_fights_from_there() -> None:
    now = {"under_fire": True, "enemy_seen": True, "weapon_loaded": True, "at": "yard"}
    assert told(planned(fear(), "soldier", "careful", **now)) == ("kill_enemy", ["attack-from-cover"], 1.0)


# --- data that is added late ------------------------------------------------------------------------------------------


def with_lights(domain: telos.Domain) -> telos.Domain:
    """Return the domain plus one variable, one action, and one precondition of ``goto``."""
    goto = domain.action("goto")
    lit = replace(goto, preconditions=telos.Condition.of([goto.preconditions, "lights_on"]))
    added = telos.Action("turn-on-lights", effects="lights_on = true")
    return telos.Domain(
        domain.name,
        variables=[*domain.variables, telos.Variable("lights_on", "bool")],
        actions=[lit if action is goto else action for action in domain.actions] + [added],
        goals=domain.goals,
        action_sets={who: [*names, added.name] for who, names in domain.action_sets.items()},
        goal_sets=domain.goal_sets,
        functions=domain.layout.functions,
    )


def test_lights_are_switched_on_for_every_goal_with_goto() -> None:
    dark = with_lights(fear())
    assert told(planned(dark, "soldier", "patrol"))[1] == ["turn-on-lights", "goto(yard)", "walk-round"]
    assert told(planned(dark, "rat", "patrol"))[1] == ["turn-on-lights", "goto(yard)", "walk-round"]
    assert told(planned(dark, "soldier", "cover")) == ("cover", ["turn-on-lights", "goto(yard)"], 4.0)


def test_lights_are_left_alone_when_not_needed() -> None:
    dark = with_lights(fear())
    assert told(planned(dark, "soldier", "patrol", lights_on=True))[1] == ["goto(yard)", "walk-round"]
    assert told(planned(dark, "soldier", "kill_enemy"))[1] == ["reload", "attack"]
    assert told(planned(dark, "drone", "patrol"))[1] == ["fly(yard)", "hover"]
    assert told(planned(dark, "assassin", "patrol")) == told(planned(fear(), "assassin", "patrol"))


def test_drone_reuses_actions_of_ghost_and_soldier() -> None:
    sets = {who: set(names) for who, names in fear().action_sets.items()}
    assert sets["drone"] <= sets["ghost"] | sets["soldier"]
    assert sets["drone"] & sets["ghost"] == {"fly", "hover"}
    assert sets["drone"] & sets["soldier"] == {"attack", "attack-from-cover", "reload"}


def test_drone_flies_like_a_ghost_and_shoots_like_a_soldier() -> None:
    domain = fear()
    assert told(planned(domain, "drone", "gdc06")) == ("patrol", ["fly(yard)", "hover"], 2.5)
    assert told(planned(domain, "ghost", "gdc06")) == ("patrol", ["fly(yard)", "hover"], 2.5)
    assert told(planned(domain, "drone", "cover")) == ("cover", ["fly(yard)"], 1.5)
    shot = planned(domain, "drone", "gdc06", enemy_seen=True, weapon_loaded=True)
    assert told(shot) == ("kill_enemy", ["fly(yard)", "attack-from-cover"], 2.5)
    assert "reload" in told(planned(domain, "drone", "gdc06", enemy_seen=True))[1]
    assert planned(domain, "ghost", "gdc06", enemy_seen=True).goal == "patrol"


# --- procedural preconditions -----------------------------------------------------------------------------------------


def test_soldier_flees_if_there_is_a_path_else_hunkers_down() -> None:
    paths = Paths(ann=True, bob=False)
    domain = fear(paths)
    assert told(planned(domain, "soldier", "careful", in_danger=True)) == ("escape", ["flee"], 2.0)
    assert told(planned(domain, "soldier", "careful", in_danger=True, me="bob")) == ("escape", ["hunker-down"], 8.0)
    assert paths.calls == ["ann", "bob"]


def test_path_is_not_requested_when_no_plan_needs_it() -> None:
    paths = Paths(ann=True)
    domain = fear(paths)
    assert planned(domain, "soldier", "careful", enemy_seen=True).goal == "kill_enemy"
    assert planned(domain, "soldier", "careful", under_fire=True).goal == "cover"
    assert told(planned(domain, "soldier", "escape")) == ("escape", [], 0.0)
    assert told(planned(domain, "ghost", "escape", in_danger=True)) == ("escape", ["vanish"], 1.0)
    assert paths.calls == []


def test_actions_with_the_same_game_call_share_its_value() -> None:
    paths = Paths(ann=False)
    flee = fear(paths).action("flee")
    domain = telos.Domain(
        variables=fear(paths).variables,
        actions=[flee, replace(flee, name="crawl-away"), fear(paths).action("hunker-down")],
        goals=fear(paths).goals,
        functions={"distance": distance, "path_to_safety": paths},
    )
    assert [step.name for step in telos.plan(domain, {**QUIET, "in_danger": True}, "escape").steps] == ["hunker-down"]
    assert paths.calls == ["ann"]


def test_new_plan_uses_a_path_that_opened_since() -> None:
    paths = Paths(ann=False)
    domain = fear(paths)
    plans = []
    for paths.known["ann"] in (False, False, True):
        plans.append(told(planned(domain, "soldier", "escape", in_danger=True))[1])
    assert plans == [["hunker-down"], ["hunker-down"], ["flee"]]


def test_refusal_by_the_game_is_named() -> None:
    answer = telos.plan(
        (domain := fear(Paths(ann=False))), {**QUIET, "in_danger": True}, "escape", actions=[domain.action("flee")]
    )
    assert not answer.found
    assert "flee asks path_to_safety(me), and the game says no" in answer.why()


# --- the door that is held shut ---------------------------------------------------------------------------------------

DOOR = telos.load(DOMAINS / "held-door.yaml")


@pytest.mark.parametrize(
    ("learned", "steps", "cost"),
    [
        ([], ["open-door", "walk-in", "shoot"], 4.0),
        (["door_blocked"], ["kick-door", "walk-in", "shoot"], 6.0),
        (["door_blocked", "kick_failed"], ["dive-through-window", "melee"], 7.0),
    ],
)
def test_failed_action_becomes_a_fact_that_plans_avoid(learned: list[str], steps: list[str], cost: float) -> None:
    answer = telos.plan(DOOR, dict.fromkeys(learned, True), "kill_enemy")
    assert told(answer) == ("kill_enemy", steps, cost)


def test_soldier_learns_from_failures_until_a_plan_works() -> None:
    lessons = {"open-door": "door_blocked", "kick-door": "kick_failed"}
    state, tried = DOOR.state(), list[str]()
    while (answer := telos.plan(DOOR, state, "kill_enemy")).steps:
        step = answer.steps[0]
        tried.append(step.name)
        state = state.replace({lessons[step.name]: True}) if step.name in lessons else step.result(state)
    assert tried == ["open-door", "kick-door", "dive-through-window", "melee"]
    assert state["target"] == "dead"


def test_no_plan_names_the_remembered_failures() -> None:
    answer = telos.plan(DOOR, dict.fromkeys(["door_blocked", "kick_failed", "window_barred"], True), "kill_enemy")
    assert isinstance(answer, telos.NoPlan)
    assert answer.why() == (
        "kill_enemy: no sequence of actions reaches the goal.\n"
        "  dive-through-window needs not window_barred, and nothing provides it."
    )
