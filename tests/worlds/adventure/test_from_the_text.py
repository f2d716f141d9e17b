"""The rule sets that follow the texts of the papers: straight lines, chests and maps that stay, what is an event."""

from random import Random

import pytest

from telos.core.errors import DefinitionError
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.engine import approach_by_legs
from telos.worlds.adventure.rules_file import DATA, load_rules, parse_rules
from worlds.adventure.walker import centre, go, hold, put

FLAIRS, AIIDE = "flairs-text", "aiide-text"
KEYS = ("up", "down", "left", "right", "up+left", "down+right", "swing", "right+swing", "")


def random_play(rules: str, frames: int, seed: int) -> Adventure:
    game, rng, held = Adventure(rules, seed=seed), Random(seed), ""
    for _ in range(frames):
        held = rng.choice(KEYS) if rng.random() < 0.1 else held
        game.step({"player": held})
    return game


def test_a_monster_goes_along_one_axis_until_it_is_level_and_then_along_the_other() -> None:
    xs, ys, legs, path = [0.0], [0.0], [""], []
    while (xs[0], ys[0]) != (40.0, -22.0):
        before = xs[0], ys[0]
        approach_by_legs(xs, ys, legs, 40.0, -22.0, 4.0, None)
        path.append((xs[0] - before[0], ys[0] - before[1]))
    assert path == [(4.0, 0.0)] * 10 + [(0.0, -4.0)] * 5 + [(0.0, -2.0)]  # the longer leg first


def test_a_monster_keeps_its_leg_while_the_player_runs_and_turns_only_when_level() -> None:
    xs, ys, legs = [0.0], [0.0], [""]
    for frame in range(40):
        approach_by_legs(xs, ys, legs, 200.0, 60.0 + 8.0 * frame, 4.0, None)
        assert (xs[0], ys[0]) == (4.0 * (frame + 1), 0.0)  # the player is farther down than across by now
    assert legs == ["x"]


@pytest.mark.parametrize("seed", range(4))
def test_monsters_of_the_text_never_move_diagonally_and_at_half_the_speed_of_the_player(seed: int) -> None:
    game, rng, held = Adventure(FLAIRS, seed=seed), Random(seed), ""
    moved = turns = 0
    last: dict[int, str] = {}
    for _ in range(2_000):
        held = rng.choice(KEYS) if rng.random() < 0.1 else held
        before, area = game.view().monsters, (game.view().area, game.view().deaths, game.view().kills)
        game.step({"player": held})
        view = game.view()
        if area != (view.area, view.deaths, view.kills) or len(before) != len(view.monsters):
            last = {}
            continue
        for place, ((x, y), (u, v)) in enumerate(zip(before, view.monsters, strict=True)):
            assert u == x or v == y
            assert abs(u - x) + abs(v - y) <= game.rules.player.speed / 2 + 1e-9
            axis = "x" if u != x else "y" if v != y else ""
            turns += bool(axis and last.get(place, axis) != axis)
            moved += bool(axis)
            last[place] = axis or last.get(place, "")
    assert moved > 500
    assert turns < moved / 20  # lines, and no staircase: with `axes`, every second step is a turn


def test_saved_legs_go_on_as_they_were() -> None:
    game = random_play(FLAIRS, 700, seed=5)
    again = Adventure(FLAIRS)
    again.restore(game.save())
    for frame in range(200):
        held = KEYS[frame // 9 % len(KEYS)]
        game.step({"player": held})
        again.step({"player": held})
        assert game.view().monsters == again.view().monsters
    saved = game.save()
    saved["legs"].append("x")
    with pytest.raises(Exception, match="legs must have"):
        again.restore(saved)


def test_no_monster_is_in_the_town_of_the_text_and_five_are_in_every_other_area() -> None:
    game = Adventure(FLAIRS, seed=1)
    assert game.view().monsters == ()
    go(game, "3,2")
    assert len(game.view().monsters) == game.rules.monsters.number == 5


def test_letting_go_of_all_keys_is_no_event_and_one_of_two_keys_is_one() -> None:
    def actions(rules: str) -> list[str]:
        game = Adventure(rules, monsters=0)
        held = ("up+left", "up", "", "swing", "", "right", "right+swing", "right", "")
        return [event.action for text in held for event in hold(game, text, 8)]

    assert actions(FLAIRS) == ["up_left", "up", "swing", "right", "swing", "right"]
    assert actions("flairs") == ["up_left", "up", "stop", "swing", "stop", "right", "swing", "right", "stop"]


def test_what_happened_at_a_stop_is_told_with_the_next_event() -> None:
    game = Adventure(FLAIRS, monsters=1)
    go(game, "3,2")
    hold(game, "")
    put(game, xs=[game.view().x], ys=[game.view().y])
    assert hold(game, "") == []  # the touch brings the player to town while no key is held
    assert game.view().deaths == 1
    (event,) = hold(game, "up")
    assert event.context["died"]


def test_chests_are_drawn_once_and_the_map_stays_explored() -> None:
    chests = []
    for seed in range(40):
        game = Adventure(AIIDE, monsters=1, seed=seed)
        assert game.save()["chests"] == []
        kill(game, 20)
        found = set(game.save()["chests"])
        assert len(found) >= 2
        chests.append(found)
    assert len({frozenset(each) for each in chests}) > 5
    first = game.rules.map.name(min(found))
    go(game, first)
    centre(game)
    assert game.view().carrying
    left = found - {min(found)}
    assert set(game.save()["chests"]) == left
    seen = set(game.view().visited)
    go(game, game.rules.map.name(game.rules.map.town))
    centre(game)
    assert (game.view().round, game.truth) == ("test", "level")
    assert set(game.view().visited) >= seen  # the map of the usual rules is unvisited again here
    assert set(game.save()["chests"]) == left
    go(game, game.rules.map.name(min(left)))
    centre(game)
    assert not game.view().carrying  # nobody has asked for one yet
    kill(game, 19)
    assert set(game.save()["chests"]) == left
    kill(game, 1)
    assert game.view().carrying


def kill(game: Adventure, number: int) -> None:
    """Kill monsters that are put in front of the player."""
    for _ in range(number):
        put(game, xs=[game.view().x], ys=[game.view().y + 40], straight="down", facing="down", swinging=0, keys="")
        hold(game, "swing")
        hold(game, "", 7)
    put(game, xs=[], ys=[])


def test_chests_that_stay_must_be_enough_for_all_phases() -> None:
    text = (DATA / "aiide-text.yaml").read_text(encoding="utf-8").replace("chance: 0.33 ", "number: 1 ")
    with pytest.raises(DefinitionError, match="1 chests stay in the game, and 2 phases ask for one"):
        parse_rules(text)


def test_the_rules_from_the_text_are_others_and_those_before_are_as_they_were() -> None:
    # Recordings of people hold these fingerprints.
    expected = {"flairs": "646e91f3c3d3", "aiide": "0690d4dcb016", "wilds": "cc97460424bc"}
    assert {name: load_rules(name).fingerprint for name in expected} == expected
    assert len({load_rules(name).fingerprint for name in (*expected, FLAIRS, AIIDE)}) == 5
