"""Scenes of single minds: characters with the same goals, layers of behaviour, ways past a door."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import yaml

from telos.agents.explain import why_not
from telos.agents.trace import Began, Chose, Noticed, Planned
from telos.squads.squad import LineSpoken
from telos.worlds.arena.ai.characters import DATA, load_arena_characters, load_arena_domain
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Scene, load_scene
from telos.worlds.arena.sim.map import ArenaMap
from worlds.arena.fights import SEEDS, Fight, body, changed, fought, in_order, member, script

over_seeds = pytest.mark.parametrize("seed", SEEDS)


# One goal set, three characters


def test_three_characters_share_goals_and_map() -> None:
    scenes = [load_scene(f"goals-{who}") for who in ("soldier", "assassin", "rat")]
    kinds = [load_arena_characters()[member(scene, "Sam").character] for scene in scenes]
    assert [goal.name for goal in kinds[0].goals] == ["patrol", "kill_enemy"]
    assert kinds[0].goals == kinds[1].goals == kinds[2].goals
    assert scenes[0].map.rows == scenes[1].map.rows == scenes[2].map.rows
    assert len({member(scene, "Eve") for scene in scenes}) == 1
    assert len({frozenset(action.name for action in kind.actions) for kind in kinds}) == 3


@over_seeds
def test_soldier_patrols_and_fires_at_the_enemy(seed: int) -> None:
    fight = fought("goals-soldier", seed)
    assert fight.steps("Sam")[:4] == ["goto", "look-round", "goto", "attack"]
    first = next(each for each in fight.of(Noticed, "Sam") if each.fact == "enemy" and each.attributes["seen"])
    assert all(shot.time >= first.time for shot in fight.events("shot", by="Sam"))
    assert fight.views[-1].winner == "red"
    assert not {"melee", "lunge", "cloak"} & set(fight.steps("Sam"))


@over_seeds
def test_assassin_runs_cloaked_hangs_on_the_wall_and_strikes(seed: int) -> None:
    fight = fought("goals-assassin", seed)
    order = ["cloak", "run-cloaked", "jump-to-wall", "watch-from-wall", "jump-down", "stalk", "lunge"]
    assert in_order(order, fight.steps("Sam")), fight.steps("Sam")
    assert not fight.events("shot")
    assert {each.context["weapon"] for each in fight.events("hit", by="Sam")} == {"lunge"}
    running = [each for view in fight.views for each in view.fighters if each.name == "Sam" and each.state == "goto"]
    assert running
    assert all(each.cloaked for each in running)
    assert fight.views[-1].winner == "red"


@over_seeds
def test_rat_patrols_and_has_no_plan_for_the_enemy(seed: int) -> None:
    fight = Fight(load_scene("goals-rat"), seed, 26)
    assert set(fight.steps("Sam")) == {"goto", "look-round"}
    assert set(fight.goals("Sam")) == {"patrol"}
    seen = [each for each in fight.of(Noticed, "Sam") if each.fact == "enemy" and each.attributes["seen"]]
    assert seen  # it sees the enemy
    passed = [each for each in fight.of(Chose, "Sam") if "kill_enemy" in each.passed_over]
    assert passed
    sam = fight.battle.minds["Sam"]
    assert sam.state["target"] == "alive"
    assert "nothing" in why_not(sam, "kill_enemy")


# Seven layers, each added by data alone

LAYERS = ("1-attack", "2-dodge", "3-melee", "4-cover", "5-blind-fire", "6-ambush", "7-talk")
ADDED = {
    2: {"dodge-roll", "dodge-shuffle"},
    3: {"melee"},
    4: {"attack-from-cover", "dodge-covered", "keep-head-down"},
    5: {"blind-fire"},
    6: {"wait-in-ambush"},
    7: {"warn-ally", "tell-ally-to-open", "open-as-told"},
}


def layer_file(number: int) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = yaml.safe_load((DATA / "characters" / f"layer-{LAYERS[number - 1]}.yaml").read_text())
    return loaded


@pytest.mark.parametrize("number", range(2, 8))
def test_layer_files_state_only_what_they_add(number: int) -> None:
    said = layer_file(number)
    assert set(said) == {"character", "about", "like", "add"}
    assert said["like"] == layer_file(number - 1)["character"]
    before, after = (load_arena_characters()[layer_file(each)["character"]] for each in (number - 1, number))
    assert {each.name for each in after.actions} - {each.name for each in before.actions} == ADDED[number]
    assert {each.name for each in before.actions} <= {each.name for each in after.actions}
    assert (before.memory, before.sensors, before.body) == (after.memory, after.sensors, after.body)


@pytest.mark.parametrize("number", range(2, 8))
@over_seeds
def test_layer_below_never_shows_the_added_behaviour(number: int, seed: int) -> None:
    scene = load_scene(f"layer-{LAYERS[number - 1]}")
    below = Fight(changed(scene, "Sam", character=layer_file(number - 1)["character"]), seed)
    assert not ADDED[number] & set(below.steps("Sam"))


@over_seeds
def test_layer_one_only_fires_at_what_it_sees(seed: int) -> None:
    fight = fought("layer-1-attack", seed)
    assert set(fight.steps("Sam")) <= {"attack", "reload"}
    assert fight.views[-1].winner == "red"


@over_seeds
def test_layer_two_dodges_when_a_gun_is_aimed_at_it(seed: int) -> None:
    fight = fought("layer-2-dodge", seed)
    dodges = [each for each in fight.of(Began, "Sam") if each.step.startswith("dodge")]
    assert dodges[0].step == "dodge-roll"  # the shuffle follows a recent roll
    for dodge in dodges:
        aimed = [each for each in fight.of(Noticed, "Sam") if each.fact == "aimed_at" and each.time <= dodge.time]
        assert aimed


def test_layer_two_has_two_ways_to_dodge() -> None:
    assert {"dodge-roll", "dodge-shuffle"} <= {
        step for seed in SEEDS for step in fought("layer-2-dodge", seed).steps("Sam")
    }


@over_seeds
def test_layer_three_strikes_once_the_enemy_is_close_and_fires_until_then(seed: int) -> None:
    armed = changed(load_scene("layer-3-melee"), "Sam", body=body(weapon="pistol"))  # so that Pat survives the approach
    fight = Fight(armed, seed)
    assert fight.steps("Sam")[0] == "attack"
    assert fight.steps("Sam")[-1] == "melee"
    struck = next(each for each in fight.of(Began, "Sam") if each.step == "melee")
    view = next(each for each in fight.views if each.time >= struck.time)
    sam, pat = view.fighters
    assert math.dist((sam.x, sam.y), (pat.x, pat.y)) <= 1.9


@over_seeds
def test_layer_four_fires_from_cover_and_ducks(seed: int) -> None:
    fight = fought("layer-4-cover", seed)
    assert in_order(["goto", "dodge-covered", "attack-from-cover"], fight.steps("Sam"))
    fired = {each.time for each in fight.events("shot", by="Sam")}
    assert fired
    for view in fight.views:
        sam = view.fighters[0]
        assert view.time not in fired or sam.at is not None


def test_layer_five_fires_blindly_only_after_a_hit_in_cover() -> None:
    blind = 0
    for seed in SEEDS:
        fight = fought("layer-5-blind-fire", seed)
        hits = [each.time for each in fight.events("hit", by="Pat") if each.context["in_cover"]]
        for began in (each for each in fight.of(Began, "Sam") if each.step == "blind-fire"):
            assert any(0 <= began.time - hit <= 2.5 for hit in hits)
            blind += 1
    assert blind >= 2


@over_seeds
def test_layer_six_ambushes_when_no_cover_protects(seed: int) -> None:
    fight = fought("layer-6-ambush", seed)
    lost = next(each.time for each in fight.of(Noticed, "Sam") if each.fact == "cover_lost")
    hidden = next(each for each in fight.of(Planned, "Sam") if each.goal == "ambush")
    assert hidden.time >= lost
    assert hidden.steps == ("goto(a1)",)
    assert in_order(["attack-from-cover", "goto", "wait-in-ambush"], fight.steps("Sam"))
    assert any(view.fighters[0].at == "a1" for view in fight.views)


@over_seeds
def test_layer_seven_warns_and_talks(seed: int) -> None:
    fight = fought("layer-7-talk", seed)
    assert "warn-ally" in fight.steps("Sam")
    assert {each.who for each in fight.of(LineSpoken)} >= {"Sam", "Tia"}
    mute = Fight(replace(load_scene("layer-7-talk"), talk=False), seed)
    assert not mute.of(LineSpoken)


# A door


@over_seeds
def test_guard_opens_the_door_and_fires(seed: int) -> None:
    fight = fought("door-open", seed)
    assert [each.action for each in fight.events("opened", "stuck", "kicked", "broke")] == ["opened"]
    assert in_order(["open-door", "attack"], fight.steps("Sam"))
    assert fight.views[-1].winner == "red"


@over_seeds
def test_guard_tries_kicks_and_dives_past_a_held_door(seed: int) -> None:
    fight = fought("door-held", seed)
    done = [each.action for each in fight.events(by="Sam") if each.action not in ("step", "dead")]
    assert done == ["stuck", "kicked", "stuck", "broke", "hit", "hit"]
    assert {each.context["weapon"] for each in fight.events("hit")} == {"melee"}
    assert in_order(["open-door", "kick-door", "dive-through-window", "melee"], fight.steps("Sam"))
    assert fight.views[-1].winner == "red"


def test_guard_retries_a_stuck_door_once_forgotten() -> None:
    walled_in = ArenaMap(
        "##################\n#       #        #\n# S 1   +   P    #\n#       #      2 #\n##################"
    )
    held = load_scene("door-held")
    scene = Scene("no-window", "", 60.0, walled_in, held.cast)
    fight = Fight(scene, 1)
    tried = [each.time for each in fight.events("stuck", by="Sam")]
    again = [time for time in tried if time > tried[1] + 1]
    assert len(again) >= 2  # opened and kicked again
    assert 25 <= again[0] - tried[1] <= 35  # doors are remembered for half a minute
    assert fight.steps("Sam").count("kick-door") >= 2


# Other bodies, other ways


@over_seeds
def test_drone_moves_like_the_ghost_and_fights_like_the_soldier(seed: int) -> None:
    drone, ghost, soldier = (load_arena_characters()[name] for name in ("drone", "ghost", "soldier"))
    assert set(drone.actions) <= set(ghost.actions) | set(soldier.actions)
    assert set(drone.goals) <= set(ghost.goals) | set(soldier.goals)
    fight = fought("drone", seed)
    assert in_order(["fly", "hover", "attack"], fight.steps("Dot"))
    assert "goto" not in fight.steps("Dot")
    assert fight.views[-1].winner == "red"


def test_policeman_has_one_action_of_his_own() -> None:
    kinds = load_arena_characters()
    extra = set(kinds["policeman"].actions) - set(kinds["soldier"].actions)
    assert {action.name for action in extra} == {"catch-breath"}
    assert [name for name, kind in kinds.items() if extra & set(kind.actions)] == ["policeman"]
    assert not any("catch-breath" in str(goal.wants) for goal in load_arena_domain().goals)


@over_seeds
def test_policeman_stops_to_breathe_and_continues(seed: int) -> None:
    fight = fought("policeman", seed)
    assert in_order(["goto", "catch-breath", "goto", "attack"], fight.steps("Pol"))
    fit = Fight(changed(load_scene("policeman"), "Pol", body=body(breath=0.0)), seed)
    assert "catch-breath" not in fit.steps("Pol")


@over_seeds
def test_fighters_turn_on_the_light_of_a_dark_room(seed: int) -> None:
    fight = fought("lights", seed)
    lit = fight.events("lit")
    assert len(lit) == 1
    inside = [
        view for view in fight.views if fight.battle.arena.room_at((view.fighters[0].x, view.fighters[0].y)) == "r2"
    ]
    before = [view for view in inside if view.time <= lit[0].time]
    switch = fight.battle.arena.map.switches["s1"].position
    far = [math.dist((view.fighters[0].x, view.fighters[0].y), switch) for view in before]
    assert far
    assert far == sorted(far, reverse=True)  # straight to the switch
    crossed = [view for view in fight.views if view.fighters[0].at == "p2"]
    assert crossed[0].time > lit[0].time


@over_seeds
def test_fighter_crawls_under_an_obstacle_on_its_path(seed: int) -> None:
    fight = fought("lights", seed)
    assert in_order(["turn-on-lights", "crawl-under", "look-round"], fight.steps("Sam"))
    crawl = next(each for each in fight.of(Planned, "Sam") if "crawl-under" in each.steps)
    assert crawl.steps == ("goto(l1)", "crawl-under", "goto(p2)", "look-round")
    flying = Fight(changed(load_scene("lights"), "Sam", character="ghost"), seed)
    assert "crawl-under" not in flying.steps("Sam")


def test_scripts_run_on_time() -> None:
    scene = changed(load_scene("layer-1-attack"), "Pat", script=script((0.3, "goto 23.5,5.5"), (0.7, "stop")))
    battle = Battle(scene, seed=4)
    doing = [view.fighters[1].state for view in battle.seconds(1.0)]
    assert doing == ["", "", "", "goto", "goto", "goto", "goto", "", "", ""]
