"""The first minute of `wilds`: a safe town, hearts, protection, solid houses, and a treasure that newcomers find."""

import json
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.studies.players import NOVICE, Player
from telos.worlds.adventure.adventure import Adventure, replay_frames
from telos.worlds.adventure.map import DIRECTIONS, PARTS, House, town_houses, walk_around
from telos.worlds.adventure.rules_file import load_rules
from worlds.adventure.walker import INPUTS, afield, centre, go, hold, put

SEEDS = [0, 1, 2, 3, 4, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 20))]
WALKS = ["+".join(PARTS[direction]) for direction in DIRECTIONS]
ACTS = [*WALKS, "", *(f"{walk}+swing".removeprefix("+") for walk in ("", "right"))]


def touch(game: Adventure) -> None:
    """Put a monster onto the player, and let it touch."""
    saved = game.save()
    saved["company"]["beasts"][0].update(at=[saved["x"] + 10.0, saved["y"]], stunned=0)
    saved["company"]["companion"].update(x=600.0, y=20.0, stroke=0)  # it would keep the monster off
    game.restore({**saved, "shielded": 0})
    hold(game, "")


def lose_all_hearts(game: Adventure) -> None:
    for _ in range(3):
        while game.view().still:
            hold(game, "")
        touch(game)


# --- the town ---


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_who_walks_stands_or_swings_dies_within_five_seconds(seed: int) -> None:
    for walk in ACTS:
        game = Adventure("wilds", seed=seed)
        hold(game, walk, 150)
        assert game.view().deaths == 0, walk


@pytest.mark.parametrize("seed", SEEDS[:2] + SEEDS[5:])
@pytest.mark.parametrize("monsters", [None, 15])
def test_minute_of_standing_in_town_is_safe(seed: int, monsters: int | None) -> None:
    game = Adventure("wilds", seed=seed, monsters=monsters)
    for _ in range(60):
        hold(game, "", 30)
        view = game.view()
        assert (view.monsters, view.hearts, view.deaths, view.safe) == ((), 3, 0, True)


def test_paper_rules_have_monsters_in_town_and_one_touch_kills() -> None:
    for rules in ("flairs", "aiide"):
        view = Adventure(rules).view()
        assert len(view.monsters) == load_rules(rules).monsters.number
        assert (view.most_hearts, view.safe, view.trail) == (1, False, None)


def test_monsters_are_in_every_area_but_the_town() -> None:
    game = Adventure("wilds", seed=1)
    hold(game, "right", 41)
    assert len(game.view().monsters) == 5
    hold(game, "left", 3)
    assert (game.view().area, game.view().monsters, dict(game.minds).keys()) == ("2,2", (), {"companion"})


# --- hearts and deaths ---


def test_touch_costs_a_heart_and_throws_the_player_back() -> None:
    game = afield("wilds")
    x = game.view().x
    touch(game)
    assert (game.view().hearts, game.view().deaths, game.view().still) == (2, 0, True)
    hold(game, "left", 3)
    assert game.view().x == pytest.approx(x - 54), "thrown away from the monster; keys do nothing meanwhile"
    assert (game.view().still, game.view().shielded) == (False, True)
    hold(game, "", 44)
    assert game.view().hearts == 2, "protected for a second and a half"


def test_hit_without_a_stop_throws_back_at_once() -> None:
    rules = load_rules("wilds")
    assert rules.hearts is not None
    game = afield(replace(rules, hearts=replace(rules.hearts, stop=0)))
    x = game.view().x
    touch(game)
    assert (game.view().hearts, game.view().still, game.view().x) == (2, False, pytest.approx(x - 54))


def test_game_stands_still_after_a_hit() -> None:
    game = afield("wilds")
    touch(game)
    before = game.view()
    hold(game, "", 2)
    assert (game.view().monsters, game.view().companion) == (before.monsters, before.companion)
    hold(game, "", 9)
    assert game.view().monsters != before.monsters


def test_sword_key_pressed_during_a_hit_swings_afterwards() -> None:
    game = afield("wilds")
    touch(game)
    hold(game, "swing")
    assert not game.view().swinging
    events = hold(game, "", 3)
    assert game.view().swinging
    assert "swing" in [event.action for event in events], "recognisers are told"


def test_third_touch_is_a_fall_and_a_protected_restart_in_town() -> None:
    game = afield("wilds")
    lose_all_hearts(game)
    view = game.view()
    assert (view.hearts, view.deaths, view.fallen, view.area) == (0, 1, True, "3,2")
    events = hold(game, "", 30)
    view = game.view()
    assert (view.hearts, view.deaths, view.fallen, view.area, view.shielded) == (3, 1, False, "2,2", True)
    assert [event.context["died"] for event in events] == [True]
    hold(game, "", 60)
    assert not game.view().shielded


def test_monsters_cannot_hurt_for_two_seconds_after_a_restart() -> None:
    game = afield("wilds")
    put(game, carrying=True, restart=[game.save()["area"], 320.0, 240.0], phase=1)
    lose_all_hearts(game)
    hold(game, "", 30)
    assert game.view().area == "3,2"
    saved = game.save()
    saved["company"]["beasts"][0].update(at=[320.0, 240.0])
    game.restore(saved)
    hold(game, "", 59)
    assert game.view().hearts == 3


def test_hearts_come_back_in_town() -> None:
    game = afield("wilds")
    touch(game)
    assert game.view().hearts == 2
    saved = game.save()
    for beast in saved["company"]["beasts"]:
        beast.update(at=[600.0, 440.0], post=[600.0, 440.0])
    game.restore({**saved, "x": 20.0, "still": 0})
    hold(game, "left", 5)
    assert (game.view().area, game.view().hearts) == ("2,2", 3)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 40)), min_size=1, max_size=12), st.integers(0, 99))
def test_game_with_hits_and_falls_is_saved_and_replayed_exactly(runs: list[tuple[str, int]], seed: int) -> None:
    game = Adventure("wilds", seed=seed, monsters=15)
    hold(game, "right", 50)
    for text, frames in runs:
        hold(game, text, frames)
    two = Adventure("wilds", monsters=15)
    two.restore(json.loads(json.dumps(game.save())))
    assert hold(two, "up", 30) == hold(game, "up", 30)
    assert two.save() == game.save()
    *_, last = replay_frames(game.recording())
    assert last.view() == game.view()


# --- houses ---


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 60)), max_size=20))
def test_nobody_enters_a_house(runs: list[tuple[str, int]]) -> None:
    game = Adventure("wilds")
    houses = town_houses(640, 480, north=False, south=False)
    for text, frames in runs:
        for _ in range(frames):
            hold(game, text)
            view = game.view()
            if view.town is None:
                return
            bodies = [(view.x, view.y, 12.0)]
            bodies += [(view.companion.x, view.companion.y, 11.0)] if view.companion else []
            assert not any(house.covers(*body) for house in houses for body in bodies)


def test_houses_keep_edges_and_middle_free() -> None:
    for size in ((640, 480), (800, 600)):
        for house in town_houses(*size, north=True, south=True):
            assert not any(house.covers(x, y, 14) for x in (12, size[0] - 12) for y in range(size[1]))
            assert not any(house.covers(x, y, 14) for y in (12, size[1] - 12) for x in range(size[0]))
        for house in town_houses(*size, north=False, south=False):
            assert not any(house.covers(x, size[1] / 2, 40) for x in range(size[0]))


def test_player_walks_around_a_house_by_walking_on() -> None:
    game = Adventure("wilds")
    put(game, x=30.0, y=70.0)
    hold(game, "right", 40)
    assert game.view().x > 150


@given(st.floats(-60, 60), st.floats(-60, 60), st.floats(-8, 8), st.floats(-8, 8))
def test_step_from_outside_never_ends_in_a_house(x: float, y: float, across: float, down: float) -> None:
    houses = [House(0, 0), House(90, 0)]
    if not any(house.covers(x, y, 10) for house in houses):
        end = walk_around(houses, (x, y), (x + across, y + down), 10)
        assert not any(house.covers(*end, 10) for house in houses)


# --- the first goal ---


@pytest.mark.parametrize("seed", SEEDS)
def test_first_chest_is_near_and_footprints_lead_to_it(seed: int) -> None:
    game = Adventure("wilds", seed=seed, monsters=0)
    chest = game.save()["chests"][0]
    assert game.rules.map.distance[chest] == 2
    trail = game.view().trail
    assert trail is not None
    for _ in range(2):
        assert trail[1] in game.view().exits
        start = game.view().area
        go(game, next(name for name in beside(game) if name[0] == trail[1])[1])
        trail = game.view().trail
        assert trail is not None, f"lost after {start}"
    assert (trail[1], game.rules.map.name(chest)) == ("", game.view().area)


def beside(game: Adventure) -> list[tuple[str, str]]:
    """Return the edges of the player's area and the areas behind them."""
    area_map = game.rules.map
    exits = area_map.exits[game.save()["area"]]
    return [(edge, area_map.name(behind)) for edge, behind in exits.items()]


def test_footprints_end_with_the_phase() -> None:
    game = Adventure("wilds", monsters=0)
    go(game, game.rules.map.name(game.save()["chests"][0]))
    centre(game)
    assert game.view().carrying
    assert game.view().trail is None
    assert Adventure("wilds", directed=False).view().trail is None


def test_footprints_lead_back_to_the_trail_from_the_areas_beside_it() -> None:
    game = Adventure("wilds", seed=1, monsters=0)
    trail = game.view().trail
    assert trail is not None
    wrong = next(name for edge, name in beside(game) if edge != trail[1])
    go(game, wrong)
    back = game.view().trail
    assert back is not None
    assert (back[0], dict(beside(game))[back[1]]) == ("", "2,2")


def test_newcomers_reach_the_first_goal_within_a_minute() -> None:
    times = []
    for seed in range(20):
        game, player = Adventure("wilds", seed=seed), Player(seed, NOVICE)
        while not game.view().carrying and game.view().time < 120:
            game.step({"player": player.input(game.view())})
        times.append(game.view().time)
    assert median(times) <= 12  # 9.0
    assert max(times) <= 60  # 33.3
