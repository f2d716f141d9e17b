"""Fighters walk, use things and look about as commanded; invalid commands change nothing."""

import json
import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

from telos.checks import check_world
from telos.core.errors import TelosError
from telos.worlds.arena.sim.animations import ANIMATIONS
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import TICK, WEAPONS
from telos.worlds.arena.sim.fighter import FighterPlacement, ThingPlacement
from telos.worlds.arena.sim.interactions import USES
from telos.worlds.arena.sim.map import ArenaMap, load_map
from telos.worlds.arena.sim.outcomes import ActOutcome, blocked_by_door, blocked_by_low, stuck
from telos.worlds.registry import World

FLAT = """
#############
#A         B#
#           #
#     C     #
#############
"""


def arena_of(drawing: str, *things: tuple[str, str], body: Mapping[str, Any] | None = None, seed: int = 0) -> Arena:
    """One fighter at every letter A to H, named by it, everyone on a side of their own; things at other letters."""
    drawn = ArenaMap(drawing)
    cast = [
        FighterPlacement(at, at, "soldier", x, y, body or {}) for at, (x, y) in sorted(drawn.places.items()) if at < "I"
    ]
    return Arena(
        drawn, cast, [ThingPlacement(f"the-{kind}", kind, *drawn.places[at]) for at, kind in things], seed=seed
    )


def told(arena: Arena, name: str, command: str, seconds: float = 60.0) -> tuple[str, str]:
    """Give a command, wait for its end, and return the status."""
    arena.step({name: command})
    for _ in range(round(seconds / TICK)):
        if arena.fighter(name).status != "running":
            break
        arena.step({})
    return arena.fighter(name).status, arena.fighter(name).reason


def ticks(arena: Arena, name: str, command: str) -> int:
    before = arena.time
    told(arena, name, command)
    return round((arena.time - before) / TICK)


def happened(arena: Arena, command: Mapping[str, str], steps: int = 1) -> list[str]:
    seen = []
    for step in range(steps):
        arena.step(command if step == 0 else {})
        seen += [event.action for event in arena.events]
    return seen


# Walking


@pytest.mark.parametrize(("pace", "speed"), [("walk", 2.0), ("run", 4.0), ("cloaked", 3.0)])
def test_fighters_walk_at_their_pace_and_arrive(pace: str, speed: float) -> None:
    arena = arena_of(FLAT)
    assert ticks(arena, "A", f"goto 9.5,1.5 {pace}") == math.ceil(8 / speed / TICK)
    assert arena.fighter("A").position == pytest.approx((9.5, 1.5))
    assert arena.fighter("A").status == "done"


def test_view_shows_the_state_of_a_fighter_during_a_command_only() -> None:
    arena = arena_of(FLAT)
    arena.step({"A": "goto 9.5,1.5"})
    seen = arena.view().fighters[0]
    assert (seen.state, seen.doing, seen.status) == ("goto", "goto 9.5,1.5", "running")
    arena.step({"A": "stop"})
    seen = arena.view().fighters[0]
    assert (seen.state, seen.doing, seen.status) == ("", "", "done")


IN_THE_WAY = [
    ("+", blocked_by_door("d1", locked=False)),
    ("%", blocked_by_door("d1", locked=True)),
    ("_", blocked_by_low("l1")),
]


@pytest.mark.parametrize(("mark", "outcome"), IN_THE_WAY)
def test_walk_stops_at_a_shut_door_or_low_obstacle(mark: str, outcome: ActOutcome) -> None:
    arena = arena_of(f"#######\n#A {mark}  #\n#######")
    assert told(arena, "A", "goto 5.5,1.5") == ("failed", outcome.text)
    assert arena.fighter("A").outcome == outcome
    assert arena.fighter("A").position == (2.5, 1.5)


@pytest.mark.parametrize(("mark", "outcome"), IN_THE_WAY)
def test_a_saved_outcome_is_restored_with_its_data(mark: str, outcome: ActOutcome) -> None:
    drawing = f"#######\n#A {mark}  #\n#######"
    arena, again = arena_of(drawing), arena_of(drawing)
    told(arena, "A", "goto 5.5,1.5")
    saved = arena.save()
    assert saved["fighters"]["A"]["reason"] == outcome.text
    again.restore(saved)
    assert again.fighter("A").outcome == outcome


def test_walk_fails_without_a_path() -> None:
    arena = arena_of("#######\n#A + ^#\n#######")
    assert told(arena, "A", "goto c1 run avoiding d1") == ("failed", "no way to c1")
    assert told(arena, "A", "goto 0.5,0.5") == ("failed", "no way to 0.5,0.5")
    assert told(arena, "A", "goto -3,90") == ("failed", "no way to -3,90")


def test_walk_to_a_door_ends_on_the_near_side() -> None:
    drawing = "#######\n#A + B#\n#######"
    arena = arena_of(drawing)
    assert told(arena, "A", "goto d1") == told(arena, "B", "goto d1") == ("done", "")
    assert arena.fighter("A").position == (2.5, 1.5)
    assert arena.fighter("B").position == (4.5, 1.5)


def test_walk_accepts_names_of_fighters_nodes_switches_and_things() -> None:
    arena = arena_of("########\n#A ^ !B#\n#  M o #\n########", ("M", "medkit"))
    for place, (x, y) in {"c1": (3.5, 1.5), "s1": (5.5, 1.5), "the-medkit": (3.5, 2.5)}.items():
        assert told(arena, "A", f"goto {place}") == ("done", "")
        assert arena.fighter("A").position == (x, y)
    assert told(arena, "A", "goto B walk") == ("done", "")
    assert arena.fighter("A").distance_to(arena.fighter("B").position) <= 2.0


def test_walk_to_a_taken_cell_ends_at_the_nearest_free_one() -> None:
    arena = arena_of(FLAT)
    told(arena, "C", "goto 6.5,1.5")
    assert told(arena, "A", "goto 6.5,1.5") == ("done", "")
    assert arena.fighter("A").cell != arena.fighter("C").cell
    assert arena.fighter("A").distance_to((6.5, 1.5)) == 1.0


def test_small_and_flying_fighters_pass_low_obstacles() -> None:
    under, over = "#######\n#A _ .#\n#######", "#######\n#A o_.#\n#######"
    assert told(arena_of(under, body={"small": True}), "A", "goto 5.5,1.5") == ("done", "")
    assert told(arena_of(over, body={"flies": True}), "A", "goto 5.5,1.5") == ("done", "")
    assert told(arena_of(over), "A", "goto 5.5,1.5") == ("failed", "no way to 5.5,1.5")


def test_crowd_halves_the_speed() -> None:
    drawn = ArenaMap(FLAT)
    crowd = [FighterPlacement(f"x{number}", "one", "soldier", 5.5, 2.5) for number in range(3)]
    arena = Arena(drawn, [FighterPlacement("me", "one", "soldier", 5.1, 2.5), *crowd])
    arena.step({"me": "goto 11.5,2.5"})
    assert arena.fighter("me").x == pytest.approx(5.3)


def test_fighter_out_of_breath_walks_until_it_has_breathed() -> None:
    arena = arena_of(FLAT, body={"breath": 1.0})
    arena.step({"A": "goto B"})
    while not arena.fighter("A").out_of_breath:
        arena.step({})
    assert arena.time == pytest.approx(1.0, abs=0.11)
    before = arena.fighter("A").x
    arena.step({})
    assert arena.fighter("A").x - before == pytest.approx(0.2)
    assert not arena.fighter("A").is_running
    assert told(arena, "A", "animate breathe") == ("done", "")
    assert not arena.fighter("A").out_of_breath


def test_running_is_heard_once_a_second_and_walking_is_not() -> None:
    assert happened(arena_of(FLAT), {"A": "goto B"}, 21).count("step") == 3
    assert "step" not in happened(arena_of(FLAT), {"A": "goto B walk"}, 21)
    assert "step" not in happened(arena_of(FLAT), {"A": "goto B cloaked"}, 21)


# Doors, windows, lights and things

DOOR = "#######\n#A + B#\n#######"


def at_the_door(mark: str = "+") -> Arena:
    arena = arena_of(DOOR.replace("+", mark))
    told(arena, "A", "goto d1")
    told(arena, "B", "goto d1")
    return arena


def test_doors_are_opened_closed_locked_and_unlocked() -> None:
    arena = at_the_door()
    for use, state in [("open", "open"), ("close", "closed"), ("lock", "locked"), ("unlock", "closed")]:
        assert told(arena, "A", f"use d1 {use}") == ("done", "")
        assert arena.door("d1") == state
    assert told(arena, "A", "use d1 lock") == ("done", "")
    told(arena, "B", "use d1 open")
    assert arena.fighter("B").outcome == blocked_by_door("d1", locked=True)
    assert "kicked" in happened(arena, {"B": "use d1 kick"}, 8)
    assert arena.door("d1") == "open"
    assert told(arena, "B", "use d1 lock") == ("failed", "d1 is open")


def test_held_door_neither_opens_nor_breaks() -> None:
    arena = at_the_door()
    arena.step({"B": "use d1 hold"})
    assert arena.view().doors[0].held_by == "B"
    assert "stuck" in happened(arena, {"A": "use d1 open"}, 5)
    assert arena.fighter("A").outcome == stuck("d1", kicked=False)
    told(arena, "A", "use d1 kick")
    assert arena.fighter("A").outcome == stuck("d1", kicked=True)
    arena.step({"B": "stop"})
    assert arena.view().doors[0].held_by is None
    assert told(arena, "A", "use d1 kick") == ("done", "")


def test_door_does_not_close_on_a_body() -> None:
    arena = at_the_door("/")
    told(arena, "B", "goto 3.5,1.5")
    assert told(arena, "A", "use d1 close") == ("failed", "somebody stands in d1")


def test_things_are_used_within_reach_only() -> None:
    arena = arena_of("########\n#A   + #\n########")
    assert told(arena, "A", "use d1 open") == ("failed", "too far from d1")
    through_a_wall = arena_of("#####\n#A#!#\n#####")
    told(through_a_wall, "A", "goto 1.95,1.5")  # 1.55 metres from it
    assert told(through_a_wall, "A", "use s1 off") == ("failed", "too far from s1")


def test_dive_leads_through_the_window_and_breaks_it() -> None:
    arena = arena_of("#######\n#A=   #\n#######")
    seen = happened(arena, {"A": "use w1 dive"}, 8)
    assert arena.fighter("A").position == pytest.approx((4.5, 1.5))
    assert seen.count("broke") == 1
    assert arena.view().broken_windows == ("w1",)
    told(arena, "A", "goto w1")
    assert told(arena, "A", "use w1 dive") == ("done", "")
    assert arena.fighter("A").position == pytest.approx((1.5, 1.5))  # no floor two metres beyond


@pytest.mark.parametrize("steps", range(1, 9))
def test_interrupted_dive_ends_on_the_floor(steps: int) -> None:
    arena = arena_of("#######\n#A=   #\n#######")
    happened(arena, {"A": "use w1 dive"}, steps)
    arena.step({"A": "stop"})
    assert arena.fighter("A").cell in arena.map.floor


def test_low_obstacles_of_any_depth_are_crawled_under() -> None:
    arena = arena_of("########\n#A__  ^#\n########")
    assert ticks(arena, "A", "use l1 crawl") == 15
    assert arena.fighter("A").position == pytest.approx((4.5, 1.5))
    assert told(arena_of("#####\n#A_ #\n#####".replace("_ ", "_o")), "A", "use l1 crawl") == (
        "failed",
        "l1 leads nowhere",
    )


def test_switches_turn_the_light_of_their_room_on_and_off() -> None:
    arena = arena_of("#####\n#A !#\n#####")
    assert arena.is_dark("r1")
    told(arena, "A", "goto s1")
    assert "lit" in happened(arena, {"A": "use s1 on"}, 4)
    assert not arena.is_dark("r1")
    assert "dark" in happened(arena, {"A": "use s1 off"}, 4)
    assert arena.view().dark_rooms == ("r1",)


def test_medkits_and_ammunition_are_used_once() -> None:
    arena = arena_of("######\n#AMN #\n######", ("M", "medkit"), ("N", "ammo"))
    me = arena.fighter("A")
    me.health = 30.0
    assert told(arena, "A", "use the-medkit use") == ("done", "")
    assert me.health == 80.0
    assert told(arena, "A", "use the-medkit use") == ("failed", "the-medkit is used up")
    well = arena_of("######\n#AM  #\n######", ("M", "medkit"))
    well.fighter("A").health = 90.0
    told(well, "A", "use the-medkit use")
    assert well.fighter("A").health == 100.0
    told(arena, "A", "goto the-ammo")
    assert told(arena, "A", "use the-ammo take") == ("done", "")
    assert me.magazines == 5
    assert told(arena, "A", "use the-ammo take") == ("failed", "the-ammo is used up")


# Poses


def test_climbers_beside_a_wall_hang_on_it_and_only_watch() -> None:
    arena = arena_of(FLAT, body={"climbs": True})
    assert told(arena, "A", "animate jump_down") == ("failed", "not on the wall")
    assert told(arena, "A", "animate jump_to_wall") == ("done", "")
    assert arena.view().fighters[0].on_wall
    assert told(arena, "A", "goto 2.5,1.5") == ("failed", "on the wall")
    assert told(arena, "A", "animate fire B") == ("failed", "on the wall")
    assert told(arena, "A", "animate watch B") == ("done", "")
    assert told(arena, "A", "animate jump_down") == ("done", "")
    told(arena, "A", "goto 4.5,2.5")
    assert told(arena, "A", "animate jump_to_wall") == ("failed", "no wall here")
    assert told(arena_of(FLAT), "A", "animate jump_to_wall") == ("failed", "cannot climb")


def test_look_animations_turn_the_fighter() -> None:
    arena = arena_of(FLAT)
    me = arena.fighter("A")
    me.facing = 0.0
    told(arena, "A", "animate look_back B")
    assert abs(me.facing) == pytest.approx(math.pi)
    told(arena, "A", "animate look")
    assert abs(me.facing) == pytest.approx(math.pi)
    told(arena, "A", "animate overwatch B")
    assert me.facing == pytest.approx(0.0)
    me.facing = 1.0
    told(arena, "A", "animate watch B")
    assert me.facing == pytest.approx(0.0)


def test_roll_leads_two_metres_to_a_free_side() -> None:
    arena = arena_of(FLAT)
    me = arena.fighter("A")
    me.facing = 0.0
    assert ticks(arena, "A", "animate roll") == 6
    assert me.position == pytest.approx((1.5, 3.5))  # to the north there is the wall
    assert told(arena_of("###\n#A#\n###"), "A", "animate roll") == ("failed", "no room to roll")


def test_repeated_command_continues() -> None:
    arena = arena_of(FLAT)
    for _ in range(8):
        arena.step({"A": "animate duck"})
    assert arena.fighter("A").status == "done"


def test_repeated_walk_to_a_fighter_follows_it() -> None:
    arena = arena_of(FLAT)
    arena.step({"C": "goto 11.5,3.5 walk"})
    for _ in range(10):
        before = arena.fighter("C").position
        arena.step({"A": "goto C walk"})
    act = arena.fighter("A").act
    assert act is not None
    assert (act.x, act.y) == before != (6.5, 3.5)


def test_cloak_lasts_until_the_fighter_runs() -> None:
    arena = arena_of(FLAT)
    told(arena, "A", "goto 3.5,1.5 cloaked")
    assert arena.fighter("A").cloaked
    told(arena, "A", "goto 4.5,1.5 walk")
    assert arena.fighter("A").cloaked
    told(arena, "A", "goto 5.5,1.5 run")
    assert not arena.fighter("A").cloaked


def test_order_of_commands_makes_no_difference() -> None:
    one, two = at_the_door(), at_the_door()
    one.step({"A": "use d1 hold", "B": "use d1 hold"})
    two.step({"B": "use d1 hold", "A": "use d1 hold"})
    assert one.view() == two.view()
    assert one.fighter("B").reason == "d1 is held by A"


def test_shouts_are_heard_within_their_loudness() -> None:
    arena = arena_of("#" * 40 + "\n#A" + " " * 20 + "B" + " " * 12 + "C  #\n" + "#" * 40)
    arena.step({"A": "animate shout"})
    (shout,) = arena.events
    assert shout.action == "shouted"
    assert (arena.hears("B", shout), arena.hears("C", shout)) == (True, False)


# The rules of commanding


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("walk c1", "'walk c1' is not a command"),
        ("gotto c1", "did you mean 'goto'"),
        ("", "'' is not a command"),
        ("goto", "'goto' is not a command; write"),
        ("goto c9", "place: 'c9'"),
        ("goto c1 hop", "pace: 'hop'"),
        ("goto c1 run avoiding", "write `goto c1 run avoiding d1,l2`"),
        ("goto c1 avoiding d9", "door or low obstacle: 'd9'.*known: d1"),
        ("goto nan,inf", "place: 'nan,inf'"),
        ("animate dance", "animation: 'dance'"),
        ("animate fier B", "did you mean 'fire'"),
        ("animate fire", "no target"),
        ("animate fire c1", "fighter: 'c1'"),
        ("animate fire B now", "is not a command; write"),
        ("use d1 burn", "use of a door: 'burn'"),
        ("use d2 open", "thing: 'd2'.*known: d1"),
    ],
)
def test_invalid_command_raises_an_error_and_changes_nothing(command: str, complaint: str) -> None:
    arena = arena_of("########\n#A + ^B#\n########")
    before = arena.view(), arena.save()
    with pytest.raises(TelosError, match=complaint):
        arena.step({"B": "goto c1", "A": command})
    assert (arena.view(), arena.save()) == before


def test_command_requires_text_and_a_known_fighter() -> None:
    arena = arena_of(FLAT)
    with pytest.raises(TelosError, match="must be a line of text"):
        arena.step({"A": 7})  # type: ignore[dict-item]
    with pytest.raises(TelosError, match="unknown fighter 'Z'"):
        arena.step({"Z": "stop"})


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"helth": 3}, "did you mean 'health'"),
        ({"weapon": "rifel"}, "did you mean 'rifle'"),
        ({"speed": 0}, "more than 0"),
        ({"speed": float("nan")}, "finite"),
        ({"magazines": 1.5}, "whole number"),
        ({"flies": 1}, "true or false"),
        ({"grenades": -1}, "zero or more"),
    ],
)
def test_invalid_bodies_raise_errors(body: Mapping[str, Any], complaint: str) -> None:
    with pytest.raises(TelosError, match=complaint):
        arena_of(FLAT, body=body)


def test_invalid_casts_raise_errors() -> None:
    drawn = ArenaMap(FLAT)
    with pytest.raises(TelosError, match="'Rex' cannot stand at"):
        Arena(drawn, [FighterPlacement("Rex", "one", "soldier", 0.5, 0.5)])
    with pytest.raises(TelosError, match="'Rex' is used twice"):
        Arena(drawn, [FighterPlacement("Rex", "one", "soldier", 1.5, 1.5)] * 2)
    with pytest.raises(TelosError, match="use no spaces"):
        Arena(drawn, [FighterPlacement("Rex the dog", "one", "soldier", 1.5, 1.5)])
    with pytest.raises(TelosError, match="did you mean 'medkit'"):
        Arena(drawn, [], [ThingPlacement("m", "medkitt", 1.5, 1.5)])


# The promises of a world


def squads(seed: int = 0) -> Arena:
    """Two squads of four, a rat and some things in the warehouse."""
    drawn = load_map("warehouse")
    sides = dict.fromkeys("ABCD", "west") | dict.fromkeys("WXYZ", "east")
    cast = [FighterPlacement(at, side, "soldier", *drawn.places[at], {"grenades": 2}) for at, side in sides.items()]
    rat = FighterPlacement("rat", "neutral", "rat", *drawn.places["S"], {"weapon": "none", "small": True, "speed": 3.0})
    things = [ThingPlacement("kit", "medkit", 5.5, 15.5), ThingPlacement("box", "ammo", 57.5, 15.5)]
    return Arena(drawn, [*cast, rat], things, seed=seed)


def brawl(seed: int = 0) -> Arena:
    """Six fighters crowded in a small room."""
    drawn = ArenaMap("###########\n#A >o  _ D#\n#B    ^_ !#\n#C o   _EF#\n###########")
    cast = [
        FighterPlacement(
            at, "west" if at < "D" else "east", "soldier", x, y, {"grenades": 1, "breath": 2.0, "climbs": at == "A"}
        )
        for at, (x, y) in drawn.places.items()
    ]
    return Arena(
        drawn, cast, [ThingPlacement("kit", "medkit", 1.5, 1.5), ThingPlacement("box", "ammo", 9.5, 1.5)], seed=seed
    )


def anything(arena: Arena) -> dict[str, str]:
    """Return random commands for idle fighters, determined by the time."""
    rng = Random(round(arena.time * 10))
    return {each.name: _some_command(arena, rng) for each in arena.view().fighters if not each.doing}


def _some_command(arena: Arena, rng: Random) -> str:
    fixtures = {**arena.map.fixtures}
    kind = rng.random()
    if kind < 0.5:
        place = rng.choice([*arena.map.nodes, *fixtures, *arena.view().players, "7.2,2.1", "kit", "box"])
        return f"goto {place} {rng.choice(['run', 'run', 'walk', 'cloaked'])}"
    if kind < 0.6:
        thing = rng.choice([*fixtures])
        return f"use {thing} {rng.choice([*USES[fixtures[thing].kind]])}"
    animation = rng.choice([*ANIMATIONS])
    at = WEAPONS if ANIMATIONS[animation].target == "weapon" else arena.view().players
    return f"animate {animation} {rng.choice([*at])}"


def test_arena_passes_the_world_contract_check() -> None:
    world: World = squads()
    assert world.view().players[-1] == "rat"
    check_world(squads)
    check_world(squads, play=anything, steps=400)


@pytest.mark.parametrize("make", [squads, brawl])
@pytest.mark.parametrize("steps", [1, 20, 100])
def test_restored_arena_continues_exactly(make: Callable[[int], Arena], steps: int) -> None:
    one, two = make(3), make(99)
    for _ in range(steps):
        one.step(anything(one))
    two.restore(json.loads(json.dumps(one.save())))
    assert (two.view(), two.events, two.save()) == (one.view(), one.events, one.save())
    for _ in range(100):
        one.step(anything(one))
        two.step(anything(two))
        assert (two.view(), two.events) == (one.view(), one.events)


def test_restore_requires_the_same_cast() -> None:
    with pytest.raises(TelosError, match="same map and cast"):
        arena_of(FLAT).restore(squads().save())


def test_random_commands_keep_bodies_on_the_map() -> None:
    arena = squads(seed=5)
    on_the_way = {node.cell for node in (*arena.map.windows.values(), *arena.map.lows.values())}
    allowed = arena.map.floor | {door.cell for door in arena.map.doors.values()} | on_the_way
    for _ in range(1500):
        arena.step(anything(arena))
        for event in arena.events:
            assert {"x", "y", "loud"} <= event.context.keys()
        for fighter in arena.view().fighters:
            assert (math.floor(fighter.x), math.floor(fighter.y)) in allowed
            assert 0 <= fighter.health <= 100
            assert 0 <= fighter.suppressed <= 1
            assert fighter.rounds >= 0 <= fighter.magazines


def test_five_hundred_fighters_reach_their_destinations() -> None:
    hall = ArenaMap("#" * 42 + "\n" + ("#" + " " * 40 + "#\n") * 30 + "#" * 42)
    rng = Random(1)
    cast = [
        FighterPlacement(f"f{n}", "one", "soldier", rng.uniform(1.1, 40.9), rng.uniform(1.1, 30.9)) for n in range(500)
    ]
    arena = Arena(hall, cast)
    arena.step({name: f"goto {rng.uniform(18, 24):.1f},{rng.uniform(12, 18):.1f}" for name in arena.living()})
    for _ in range(300):
        arena.step({})
    assert {fighter.status for fighter in arena.view().fighters} == {"done"}


def test_fight_is_over_when_one_side_is_left_without_neutral_ones() -> None:
    drawn = ArenaMap(FLAT)
    cast = [FighterPlacement("A", "one", "soldier", 1.5, 1.5), FighterPlacement("r", "neutral", "rat", 5.5, 2.5)]
    alone = Arena(drawn, cast)
    alone.step({})
    assert (alone.over, alone.winner) == (False, None)
    both = Arena(drawn, [*cast, FighterPlacement("B", "two", "soldier", 2.5, 1.5, {"health": 10})])
    assert not both.over
    assert (both.enemies_of("A"), both.enemies_of("r")) == (("B",), ())
    told(both, "A", "animate melee B")
    assert (both.over, both.winner, both.living("two")) == (True, "one", ())
    assert both.view().over
