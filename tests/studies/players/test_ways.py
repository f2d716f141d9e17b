"""Steering, fencing and the map in the head, each against an obvious way to the same answer."""

import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from telos.studies.players.motor import Stance, Wish, fence
from telos.studies.players.navigation import (
    Foe,
    MentalMap,
    Scene,
    Screen,
    around,
    beyond,
    crossing,
    eighth,
    quarter,
    toward,
)
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.map import DIRECTIONS, STRAIGHT, VECTORS
from telos.worlds.adventure.rules_file import load_rules

numbers = st.floats(-800, 800).filter(lambda value: abs(value) > 1e-3)
OPEN = Screen(800, 600, ("north", "east", "south", "west"))


def by_angle(across: float, down: float, ways: tuple[str, ...]) -> set[str]:
    """Return the directions that point best, by trying them all."""
    worth = {way: VECTORS[way][0] * across + VECTORS[way][1] * down for way in ways}
    return {way for way, each in worth.items() if each > max(worth.values()) - 1e-6}


@given(numbers, numbers)
def test_the_nearest_direction_is_the_one_that_points_best(across: float, down: float) -> None:
    assert eighth(across, down) in by_angle(across, down, DIRECTIONS)
    assert quarter(across, down) in by_angle(across, down, STRAIGHT)


@given(numbers, numbers, st.floats(0, 1), st.sampled_from(DIRECTIONS))
def test_whoever_goes_on_and_on_arrives(across: float, down: float, diagonals: float, now: str) -> None:
    for _ in range(500):
        now = toward(across, down, diagonals=diagonals, slack=10, now=now)
        if now == "stop":
            break
        across, down = across - 8 * VECTORS[now][0], down - 8 * VECTORS[now][1]
    assert max(abs(across), abs(down)) <= 10


def test_steering_follows_the_preference_for_diagonals() -> None:
    assert toward(100, 60, diagonals=1.0, slack=5) == "down_right"
    assert toward(100, 60, diagonals=0.0, slack=5) == "right"


def foe(across: float, down: float) -> Foe:
    return Foe(math.sqrt(across * across + down * down), across, down)


@given(st.floats(0, 2 * math.pi), st.floats(50, 90), st.floats(0, 2 * math.pi))
def test_nobody_walks_into_a_single_monster(angle: float, away: float, wanted: float) -> None:
    monster = foe(away * math.sin(angle), away * math.cos(angle))
    way = around(Scene(400, 300, (monster,)), (math.sin(wanted), math.cos(wanted)), 80, OPEN)
    right, down = VECTORS[way.direction]
    ahead = (right * monster.across + down * monster.down) / monster.away
    assert ahead < 0.71  # never within 45 degrees of it


def test_without_monsters_one_goes_straight_there() -> None:
    assert around(Scene(400, 300, ()), (50, 0), 80, OPEN).direction == "right"


def test_walls_are_not_walked_into() -> None:
    closed = Screen(800, 600, ("north",))
    assert around(Scene(790, 300, ()), (50, -10), 80, closed).direction not in ("right", "up_right", "down_right")


def test_a_monster_in_reach_is_struck_at_once() -> None:
    for four_ways in (True, False):
        for way in STRAIGHT:
            right, down = VECTORS[way]
            wish = fence(foe(55 * right, 55 * down), way, Stance(True, True, four_ways))
            assert wish == Wish("stop", swing=True, tap=True)


def test_who_fights_on_the_run_keeps_walking() -> None:
    assert fence(foe(90, 0), "right", Stance(False, False, True)) == Wish("right", swing=True)


def test_a_slanting_monster_is_no_match_for_a_straight_sword() -> None:
    near, far = foe(50, 50), foe(110, 100)
    assert fence(near, "right", Stance(True, True, four_ways=True)) is None
    lined_up = fence(far, "right", Stance(True, True, four_ways=True))
    assert lined_up == Wish("down")
    struck = fence(foe(40, 40), "down_right", Stance(True, True, four_ways=False))
    assert struck is not None
    assert struck.swing


# --- the map in the head ----------------------------------------------------------------------------------------------


def seen_all(name: str, fades: float = 1e9) -> tuple[MentalMap, dict[str, dict[str, str]]]:
    area_map = load_rules(name).map
    known = MentalMap(fades, Random(1))
    ways = {
        area_map.name(area): {edge: area_map.name(behind) for edge, behind in area_map.exits[area].items()}
        for area in area_map.reachable
    }
    for area, exits in ways.items():
        known.see(area, exits, 0.0)
    known.town = area_map.name(area_map.town)
    return known, ways


@pytest.mark.parametrize("name", ["flairs", "aiide"])
def test_who_knows_every_screen_knows_the_shortest_way_home(name: str) -> None:
    known, ways = seen_all(name)
    area_map = load_rules(name).map
    for number in area_map.reachable:
        area = area_map.name(number)
        way = known.way_home(area, 1.0)
        assert len(way) == area_map.distance[number]
        for edge in way:
            assert edge in ways[area]
            area = beyond(area, edge)
        assert area == known.town


def test_what_fades_is_forgotten_and_a_felt_way_stays() -> None:
    known, _ = seen_all("aiide", fades=60.0)
    assert known.way_home("1,1", 5.0)
    assert not known.way_home("1,1", 61.0)
    assert known.felt_way_home("1,1", ("south", "east")) == ("south", "east")
    assert known.felt_way_home("5,2", ("north", "west")) == ("west",)


def test_a_chest_that_was_seen_is_gone_back_to_first() -> None:
    known = MentalMap(900.0, Random(1))
    known.see("2,2", ("east", "west"), 0.0)
    known.see("3,2", ("west", "east"), 1.0)
    known.see("4,2", ("west",), 2.0, chest=True)
    assert known.way_to_unsearched("2,2", 3.0) == ("east", "east")
    known.see("4,2", ("west",), 4.0, chest=False)  # somebody has taken it
    assert known.way_to_unsearched("2,2", 5.0) == ("west",)


def test_a_new_search_forgets_what_was_searched_and_not_the_ways() -> None:
    known, _ = seen_all("flairs")
    assert not known.way_to_unsearched("2,2", 1.0)
    known.search_again("2,2", 1.0)
    assert len(known.way_to_unsearched("2,2", 2.0)) == 1
    assert known.way_home("3,2", 2.0) == ("west",)


@given(st.floats(0, 1), st.sampled_from(["north", "east", "south", "west"]), st.integers(0, 30))
def test_every_crossing_is_beyond_its_edge_and_between_the_others(edges: float, edge: str, frames: int) -> None:
    game = Adventure("aiide", seed=1)
    for _ in range(frames):
        game.step({"player": "up+left"})
    view = game.view()
    assume(view.area == "3,2")
    x, y = crossing(view, edge, edges)
    beyond_edge = {"north": y < 0, "south": y > view.height, "west": x < 0, "east": x > view.width}
    assert [name for name, is_beyond in beyond_edge.items() if is_beyond] == [edge]
