"""The published rules of the two papers, one by one."""

import math
from collections import Counter

import pytest

from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules_file import load_rules
from worlds.adventure.walker import centre, go, hold, played, put, rules_with

FLAIRS, AIIDE = "flairs", "aiide"
RULES = (FLAIRS, AIIDE)


def lonely(rules: str = FLAIRS, *, directed: bool = True, seed: int = 0) -> Adventure:
    """Return a game without monsters."""
    return Adventure(rules, directed=directed, monsters=0, seed=seed)


def with_monster(rules: str, right: float, down: float, *, directed: bool = True) -> Adventure:
    """Return a game with one monster at that offset from the player."""
    game = Adventure(rules, directed=directed, monsters=1)
    put(game, xs=[game.view().x + right], ys=[game.view().y + down])
    return game


def chest_area(game: Adventure) -> str:
    return game.rules.map.name(game.save()["chests"][0])


def next_door(game: Adventure) -> str:
    """Return the name of a neighbouring area."""
    column, row = (int(part) for part in game.view().area.split(","))
    first = next(iter(game.rules.map.exits[column - 1 + (row - 1) * game.rules.map.columns].values()))
    return game.rules.map.name(first)


def fetch_chest(game: Adventure) -> None:
    go(game, chest_area(game))
    centre(game)


@pytest.mark.parametrize(("rules", "number"), [(FLAIRS, 5), (AIIDE, 15)])
def test_areas_have_the_published_number_of_monsters(rules: str, number: int) -> None:
    assert len(Adventure(rules).view().monsters) == number
    assert len(Adventure(rules, monsters=3).view().monsters) == 3


@pytest.mark.parametrize("rules", RULES)
def test_player_is_equally_fast_in_eight_directions(rules: str) -> None:
    speed = load_rules(rules).player.speed
    for text in ("up", "down", "left", "right", "up+left", "up+right", "down+left", "down+right"):
        game = lonely(rules)
        before = game.view()
        hold(game, text, 10)
        after = game.view()
        assert math.dist((before.x, before.y), (after.x, after.y)) == pytest.approx(10 * speed)


def test_wall_blocks_and_open_edge_leads_on() -> None:
    game = lonely()
    hold(game, "down", 200)
    assert game.view().area == "2,2"
    assert game.view().y == game.rules.height - game.rules.player.size / 2
    hold(game, "right", 200)
    assert game.view().area == "5,2"


def test_flairs_monsters_approach_along_axes_at_half_speed() -> None:
    game = Adventure(FLAIRS, seed=3)
    for _ in range(20):
        before = game.view().monsters
        game.step({})
        after = game.view().monsters
        if game.view().deaths:
            break
        for (x, y), (u, v) in zip(before, after, strict=True):
            assert sorted((abs(u - x), abs(v - y))) == pytest.approx([0, game.rules.player.speed / 2])
            assert u == x or v == y


@pytest.mark.parametrize(("away", "comes"), [(149, True), (150, True), (150.5, False), (300, False)])
def test_aiide_monsters_charge_within_150_pixels_only(away: float, comes: bool) -> None:
    side = away / math.sqrt(2) if away != 150 else 150.0
    game = with_monster(AIIDE, side, side if away != 150 else 0.0)
    ((x, y),) = game.view().monsters
    game.step({})
    ((u, v),) = game.view().monsters
    assert math.dist((x, y), (u, v)) == pytest.approx(4.0 if comes else 0.0)
    assert (u - x, v - y) == pytest.approx((-4 * side / away, (y > v) * -4 * side / away) if comes else (0, 0))


@pytest.mark.parametrize("rules", RULES)
def test_killed_monster_returns_after_exactly_150_frames(rules: str) -> None:
    game = with_monster(rules, 0, 30)
    hold(game, "swing")
    assert game.view().monsters == ()
    hold(game, "", 149)
    assert game.view().monsters == ()
    hold(game, "")
    ((x, y),) = game.view().monsters
    assert math.dist((x, y), (game.view().x, game.view().y)) >= game.rules.monsters.clear - game.rules.monsters.speed


@pytest.mark.parametrize("rules", RULES)
def test_entering_an_area_brings_back_all_monsters(rules: str) -> None:
    game = with_monster(rules, 0, 30)
    hold(game, "swing")
    assert game.view().monsters == ()
    while game.view().area == game.rules.map.name(game.rules.map.town):
        hold(game, "right")
    assert len(game.view().monsters) == 1


@pytest.mark.parametrize("rules", RULES)
def test_monsters_never_appear_near_the_player(rules: str) -> None:
    for seed in range(20):
        view = Adventure(rules, seed=seed).view()
        clear = load_rules(rules).monsters.clear
        assert all(math.dist(spot, (view.x, view.y)) >= clear for spot in view.monsters)


def test_swing_kills_ahead_and_nothing_behind() -> None:
    for down, killed in ((40, True), (-40, False)):
        game = with_monster(FLAIRS, 0, down)  # players face down at first
        hold(game, "swing")
        assert game.view().kills == killed


def test_held_sword_key_is_one_swing_that_ends() -> None:
    game = lonely()
    swings = [event for event in hold(game, "swing", 60) if event.action == "swing"]
    assert len(swings) == 1
    game = lonely()
    hold(game, "swing", 5)
    assert game.view().swinging
    hold(game, "swing")
    assert not game.view().swinging
    assert [event.action for event in [*hold(game, ""), *hold(game, "swing")]] == ["stop", "swing"]


def test_aiide_sword_strikes_in_the_last_straight_direction() -> None:
    game = lonely(AIIDE)
    hold(game, "left")
    hold(game, "up+left")
    assert (game.view().facing, game.view().sword) == ("up_left", "left")
    assert lonely(FLAIRS).rules.sword.ways == 8
    for right, down, killed in ((-40, 0, True), (0, -40, False), (-30, -30, False)):
        put(game, xs=[game.view().x + right], ys=[game.view().y + down], kills=0, swinging=0, keys="")
        hold(game, "swing")
        assert (game.view().kills == 1) == killed, (right, down)


def test_flairs_sword_strikes_along_diagonals() -> None:
    game = lonely(FLAIRS)
    hold(game, "up+left")
    put(game, xs=[game.view().x - 35], ys=[game.view().y - 35])
    hold(game, "swing")
    assert game.view().kills == 1


def test_killed_monster_leaves_a_gem_in_aiide_only() -> None:
    for rules, gems in ((FLAIRS, 0), (AIIDE, 1)):
        game = with_monster(rules, 0, 40)
        hold(game, "swing")
        assert len(game.view().gems) == gems


def test_gem_is_picked_up_and_earns_at_the_bank() -> None:
    game = with_monster(AIIDE, 0, 100, directed=False)
    for _ in range(20):
        hold(game, "down" if game.view().frame % 2 else "down+swing")
    assert (game.view().kills, game.view().gems_held, game.view().score) == (1, 1, 0)
    put(game, xs=[], ys=[], returning=[])
    events = centre(game)
    events += hold(game, "")
    assert (game.view().gems_held, game.view().score) == (0, 1)
    assert [event.goal for event in events if event.goal] == ["return"]


@pytest.mark.parametrize("rules", RULES)
def test_death_without_chest_restarts_in_town(rules: str) -> None:
    game = lonely(rules)
    go(game, "5,2")
    hold(game, "")
    put(game, xs=[game.view().x], ys=[game.view().y], gems_held=3)
    (event,) = hold(game, "")
    view = game.view()
    assert view.area == game.rules.map.name(game.rules.map.town)
    assert (view.x, view.y) == (view.width / 2, view.height / 2)
    assert (view.deaths, view.gems_held) == (1, 0)
    assert event.context["died"]
    assert event.context["cause"] == "area"
    assert not event.context["nearer_town"], "nobody walked"


@pytest.mark.parametrize("rules", RULES)
def test_death_with_chest_restarts_at_its_place_and_keeps_it(rules: str) -> None:
    game = lonely(rules, directed=False)
    place = chest_area(game)
    fetch_chest(game)
    hold(game, "")
    spot = game.view()
    go(game, next_door(game))
    hold(game, "")
    put(game, xs=[game.view().x], ys=[game.view().y])
    hold(game, "")
    after = game.view()
    assert after.area == place
    assert math.dist((after.x, after.y), (spot.x, spot.y)) <= 2 * game.rules.player.speed
    assert after.carrying


@pytest.mark.parametrize("rules", RULES)
def test_death_after_banking_restarts_in_town(rules: str) -> None:
    game = lonely(rules, directed=False)
    fetch_chest(game)
    go(game, game.rules.map.name(game.rules.map.town))
    centre(game)
    assert not game.view().carrying
    go(game, "5,2")
    put(game, xs=[game.view().x], ys=[game.view().y])
    hold(game, "")
    assert game.view().area == game.rules.map.name(game.rules.map.town)


def test_restart_rule_town_always_restarts_in_town() -> None:
    game = Adventure(rules_with(restart="town"), monsters=0)
    fetch_chest(game)
    place = game.view().area
    assert game.view().carrying
    put(game, xs=[game.view().x], ys=[game.view().y])
    hold(game, "")
    assert (game.view().area, game.view().carrying, game.truth) == ("2,2", False, "town")
    assert chest_area(game) == place, "or dying would be the quickest way to bring it to town"


def test_flairs_chest_is_uniform_over_four_places() -> None:
    places = Counter(chest_area(lonely(seed=seed)) for seed in range(400))
    assert places.keys() == {"1,4", "4,4", "4,1", "5,3"}
    assert min(places.values()) > 70
    assert all(len(lonely(seed=seed).save()["chests"]) == 1 for seed in range(20))


def test_aiide_places_hold_chests_by_a_third_and_never_none() -> None:
    counts = [len(lonely(AIIDE, directed=False, seed=seed).save()["chests"]) for seed in range(400)]
    expected = 6 * 0.33 / (1 - 0.67**6)  # draws without any chest are repeated
    assert min(counts) >= 1
    assert sum(counts) / len(counts) == pytest.approx(expected, abs=0.2)


def test_flairs_phases_follow_each_other() -> None:
    game = lonely()
    assert (game.truth, game.view().instruction) == ("explore", "Find the treasure chest")
    fetch_chest(game)
    assert (game.truth, game.view().instruction) == ("town", "Return to town")
    go(game, "2,2")
    assert (game.truth, game.view().instruction, game.view().kills_left) == ("level", "Kill 10 monsters", 10)
    for left in range(10, 0, -1):
        assert game.view().kills_left == left
        put(game, xs=[game.view().x], ys=[game.view().y + 40], facing="down", swinging=0, keys="")
        hold(game, "swing")
    assert game.done
    assert game.truth is None


def test_aiide_phases_come_twice() -> None:
    game = Adventure(AIIDE, seed=1)
    seen: dict[tuple[str, str, str], None] = {}
    for _ in played(game):
        seen[game.round, game.truth or "", game.view().instruction] = None
    said = {"level": "Kill 20 monsters", "explore": "Find a treasure chest", "return": "Return to the bank"}
    wanted = [(name, goal, text) for name in ("training", "test") for goal, text in said.items()]
    assert list(seen) == [*wanted, ("", "", "")]


def test_second_round_starts_with_an_unvisited_map() -> None:
    game = lonely(AIIDE)
    go(game, "2,2")
    put(game, phase=2, carrying=True, chests=[])
    assert game.view().visited == ("2,2", "3,2")
    go(game, "3,2")
    centre(game)
    assert (game.round, game.view().visited) == ("test", ("3,2",))


def test_second_chest_cannot_be_carried() -> None:
    game = lonely(AIIDE, directed=False)
    go(game, "5,2")
    put(game, chests=list(game.rules.map.chest_places), carrying=True)
    centre(game)
    assert game.view().chest is not None


def test_tips_appear_at_phase_start_and_first_death() -> None:
    game = lonely(AIIDE)
    assert "walk" in game.view().message
    put(game, phase=1, carrying=False)
    go(game, "5,2")
    put(game, chests=[9])
    centre(game)
    for said in ("You are back where you found the last treasure chest.", ""):
        put(game, xs=[game.view().x], ys=[game.view().y], message="")
        hold(game, "")
        assert game.view().message == said


def test_free_play_has_no_truth_and_no_end() -> None:
    game = lonely(AIIDE, directed=False)
    fetch_chest(game)
    go(game, "3,2")
    centre(game)
    view = game.view()
    assert (game.truth, game.done, view.instruction, view.score) == (None, False, "", 20)
    assert game.save()["chests"], "there is treasure to find again"


def test_free_play_achieves_level_after_each_number_of_kills() -> None:
    game = lonely(FLAIRS, directed=False)
    goals = []
    for _ in range(25):
        put(game, xs=[game.view().x], ys=[game.view().y + 40], facing="down", swinging=0, keys="")
        goals += [event.goal for event in hold(game, "swing")]
    assert [number for number, goal in enumerate(goals, 1) if goal == "level"] == [10, 20]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", [0, 2])
def test_both_paper_games_can_be_won(rules: str, seed: int) -> None:
    game = Adventure(rules, seed=seed)
    goals = [event.goal for game in played(game) for event in game.events if event.goal]
    assert game.done
    assert set(goals) <= set(game.rules.goals)
    assert set(goals) | {"level"} == set(game.rules.goals)  # the last kill may come after the last event
