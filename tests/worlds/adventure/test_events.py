"""Events for recognisers: when a frame is an event, and what its context holds."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from telos.core.event import Event
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.events import is_toward_monster
from telos.worlds.adventure.map import DIRECTIONS, Keys, format_keys, parse_keys
from telos.worlds.adventure.rules_file import load_rules
from telos.worlds.adventure.state import AdventureState
from worlds.adventure.walker import INPUTS, SIDES, centre, events_of, go, hold, played, put, way

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
SINCE = ("chest_taken", "killed", "attacked", "died", "new_area", "nearer_town")
runs = st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 40)), min_size=1, max_size=30)
rule_sets = st.sampled_from(["flairs", "aiide"])
pixels = st.integers(0, 600)


def moved(direction: str) -> tuple[int, int]:
    """Return the offset of one step in a direction, in whole pixels on each axis."""
    parts = [STEPS[part] for part in direction.split("_") if part in STEPS]
    return sum(x for x, _ in parts), sum(y for _, y in parts)


def noticed(game: Adventure, direction: str) -> Event:
    """Return the event of starting to move."""
    put(game, keys="")
    (event,) = hold(game, format_keys(Keys(direction)))
    return event


@settings(max_examples=60, deadline=None)
@given(rule_sets, runs, st.integers(0, 99))
def test_event_causes_are_input_area_and_half_second_tick(rules: str, held: list[tuple[str, int]], seed: int) -> None:
    game = Adventure(rules, seed=seed)
    before, last, quiet = "", game.view().area, 0
    for text, frames in held:
        for _ in range(frames):
            game.step({"player": text})
            area, quiet = game.view().area, quiet + 1
            cause = None
            if text != before:
                cause = "input"
            elif area != last:
                cause = "area"
            elif any(side in text for side in STEPS) and quiet == 15:
                cause = "tick"
            assert [event.context["cause"] for event in game.events] == ([cause] if cause else [])
            before, last, quiet = text, area, 0 if cause else quiet


@settings(max_examples=40, deadline=None)
@given(rule_sets, runs, st.integers(0, 99))
def test_event_action_is_the_new_input(rules: str, held: list[tuple[str, int]], seed: int) -> None:
    game = Adventure(rules, seed=seed)
    for text, frames in held:
        for event in hold(game, text, frames):
            assert event.player == "player"
            assert event.time * 30 == pytest.approx(round(event.time * 30))
            assert event.action in ("swing", event.context["moving"])
            assert event.context["moving"] == parse_keys(text).direction
            assert event.context["moved"] == (event.context["moving"] != "stop")
            assert event.action != "swing" or (event.context["cause"] == "input" and "swing" in text)


def test_swing_is_an_event_in_its_first_frame() -> None:
    game = Adventure(monsters=0)
    hold(game, "up", 5)
    (event,) = hold(game, "up+swing")
    assert (event.action, event.time, event.context["moving"]) == ("swing", 6 / 30, "up")
    assert [each.action for each in hold(game, "up")] == ["up"], "the key was let go"


def test_second_press_during_a_swing_starts_none() -> None:
    game = Adventure(monsters=0)
    actions = [event.action for text in ("swing", "", "swing") for event in hold(game, text)]
    assert actions == ["swing", "stop", "stop"]


def test_equivalent_keys_are_not_new_input() -> None:
    game = Adventure(monsters=0)
    assert not hold(game, "left+right")
    assert hold(game, "left+up")
    assert not hold(game, "up+left")


def test_standing_still_causes_no_events() -> None:
    assert not hold(Adventure(monsters=0), "", 100)


def test_tick_is_counted_from_the_last_event() -> None:
    game = Adventure(monsters=0)
    times = [round(event.time * 30) for event in hold(game, "left", 20) + hold(game, "left+up", 20)]
    assert times == [1, 16, 21, 36]


@settings(max_examples=40, deadline=None)
@given(rule_sets, runs, st.integers(0, 99))
def test_changes_since_last_event_are_reported_once(rules: str, held: list[tuple[str, int]], seed: int) -> None:
    game = Adventure(rules, seed=seed, directed=False)
    told = {"killed": False, "died": False, "new_area": False}
    for text, frames in held:
        for _ in range(frames):
            before = game.view()
            game.step({"player": text})
            after = game.view()
            told["killed"] |= after.kills > before.kills
            told["died"] |= after.deaths > before.deaths
            told["new_area"] |= len(after.visited) > len(before.visited)
            for event in game.events:
                assert {name: event.context[name] for name in told} == told
                told = dict.fromkeys(told, False)


def test_swing_counts_as_attack_if_monster_is_within_reach() -> None:
    for right, down, attacked in ((0, 40, True), (0, -40, True), (0, -90, False)):
        game = Adventure("aiide", monsters=0)
        put(game, xs=[game.view().x + right], ys=[game.view().y + down])
        (event,) = hold(game, "swing")
        assert event.context["attacked"] == attacked
        assert event.context["killed"] == (down == 40)


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_nearer_town_compares_path_lengths(rules: str) -> None:
    game = Adventure(rules, monsters=0, directed=False)
    area_map = game.rules.map
    town = area_map.name(area_map.town)
    far = {name: len(way(area_map, name, town)) for name in map(area_map.name, area_map.reachable)}
    seen: set[str] = {town}
    entered = 0
    for target in [*far, town]:
        before = game.view().area
        for event in go(game, target):
            area = event.context["area"]
            if area != before:
                entered += 1
                assert event.context["nearer_town"] == (far[area] < far[before])
                assert event.context["new_area"] == (area not in seen)
            else:
                assert not event.context["nearer_town"]
                assert not event.context["new_area"]
            before = area
            seen.add(area)
    assert entered > len(far)


@settings(max_examples=100, deadline=None)
@given(rule_sets, st.data())
def test_exits_are_listed_nearest_first_with_their_properties(rules: str, data: st.DataObject) -> None:
    game = Adventure(rules, monsters=0)
    area_map = game.rules.map
    area = data.draw(st.sampled_from(area_map.reachable))
    visited = sorted({area, *data.draw(st.sets(st.sampled_from(area_map.reachable)))})
    put(game, area=area, visited=visited, x=data.draw(pixels), y=data.draw(st.integers(0, 480)), chests=[])
    context = noticed(game, data.draw(st.sampled_from(DIRECTIONS))).context
    assume(context["area"] == area_map.name(area))
    wide, high = game.rules.width, game.rules.height
    away = {"north": context["y"], "east": wide - context["x"], "south": high - context["y"], "west": context["x"]}
    exits = area_map.exits[area]
    town = area_map.name(area_map.town)
    assert set(context["exits"]) == set(exits)
    assert all(away[one] <= away[other] for one, other in pairwise(context["exits"]))
    unvisited = [edge for edge in context["exits"] if exits[edge] not in visited]
    assert list(context["unvisited_exits"]) == unvisited
    here = len(way(area_map, context["area"], town))
    nearer = [edge for edge in context["exits"] if len(way(area_map, area_map.name(exits[edge]), town)) < here]
    assert list(context["exits_nearer_town"]) == nearer
    parts = context["moving"].split("_")
    assert context["toward_unexplored"] == any(SIDES[edge] in parts for edge in unvisited)


@settings(max_examples=100, deadline=None)
@given(rule_sets, st.data())
def test_toward_town_holds_if_a_component_shortens_the_distance(rules: str, data: st.DataObject) -> None:
    game = Adventure(rules, monsters=0)
    area_map, wide, high = game.rules.map, game.rules.width, game.rules.height
    area = data.draw(st.sampled_from(area_map.reachable))
    put(game, area=area, x=data.draw(st.integers(40, wide - 40)), y=data.draw(st.integers(40, high - 40)), chests=[])
    context = noticed(game, data.draw(st.sampled_from(DIRECTIONS))).context
    column, row = map(int, context["area"].split(","))
    town = tuple(map(int, area_map.name(area_map.town).split(",")))
    if (column, row) != town:
        here, there = (column, row), town
    elif context["in_town"]:
        assert not context["toward_town"]
        return
    else:  # the bank is in the centre of its screen
        here, there = (context["x"], context["y"]), (wide / 2, high / 2)
        assume(max(abs(here[0] - there[0]), abs(here[1] - there[1])) > 1)
        assume(all(one == other or abs(one - other) > 0.01 for one, other in zip(here, there, strict=True)))
    right, down = moved(context["moving"])
    small = 0.01  # less than the distance that is left
    shorter = [
        abs(there[0] - here[0] - right * small) < abs(there[0] - here[0]),
        abs(there[1] - here[1] - down * small) < abs(there[1] - here[1]),
    ]
    assert context["toward_town"] == any(shorter)


def meets(start: tuple[int, int], direction: str, monster: tuple[int, int], sight: int, body: int) -> bool:
    """Move pixel by pixel; return whether that leads to the monster or into its circle of sight."""
    right, down = moved(direction)
    inside = math.dist(start, monster) <= sight
    for far in range(1, 2000):
        x, y = start[0] + right * far, start[1] + down * far
        if not inside and math.dist((x, y), monster) <= sight:
            return True
        level = x == monster[0] if right else y == monster[1]
        if inside and level and abs(y - monster[1] if right else x - monster[0]) <= body:
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(rule_sets, st.sampled_from(DIRECTIONS), st.lists(st.tuples(pixels, pixels), min_size=1, max_size=3))
def test_toward_monster_holds_if_straight_path_meets_its_circle(
    rules: str, direction: str, monsters: list[tuple[int, int]]
) -> None:
    play = AdventureState(load_rules(rules), directed=True, number=0, seed=0)
    play.x, play.y, play.keys = 320.0, 240.0, Keys(direction)
    play.xs, play.ys = [float(x) for x, _ in monsters], [float(y) for _, y in monsters]
    sight = int(play.rules.monsters.sight or 10_000)  # without a limit the player is always inside the circle
    body = int(play.rules.player.size + play.rules.monsters.size) // 2
    met = any(meets((320, 240), direction, spot, sight, body) for spot in monsters)
    assert is_toward_monster(play) == (met and "_" not in direction)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(DIRECTIONS), st.lists(st.tuples(pixels, pixels), min_size=1, max_size=3))
def test_toward_gem_holds_within_45_degrees_of_the_nearest(direction: str, gems: list[tuple[int, int]]) -> None:
    game = Adventure("aiide", monsters=0)
    assume(all(max(abs(x - 320), abs(y - 240)) > 60 for x, y in gems))
    put(game, gem_xs=[float(x) for x, _ in gems], gem_ys=[float(y) for _, y in gems], x=320.0, y=240.0)
    context = noticed(game, direction).context
    here = (context["x"], context["y"])
    far, (x, y) = min((math.dist(here, gem), gem) for gem in gems)
    right, down = moved(direction)
    turn = math.degrees(math.atan2(y - here[1], x - here[0]) - math.atan2(down, right))
    turn = abs((turn + 180) % 360 - 180)
    assume(abs(turn - 45) > 1e-6)
    assume(all(math.dist(here, gem) > far + 1e-6 for gem in gems if gem != (x, y)))
    assert context["toward_gem"] == (turn < 45)


def test_diagonal_movement_is_never_toward_monster() -> None:
    game = Adventure("flairs", monsters=0)
    put(game, xs=[game.view().x + 200], ys=[game.view().y + 200])
    assert not noticed(game, "down_right").context["toward_monster"]


def test_standing_still_is_toward_nothing() -> None:
    game = Adventure("aiide", seed=1)
    hold(game, "down+right", 12)
    put(game, gem_xs=[0.0], gem_ys=[0.0])
    (event,) = hold(game, "")
    assert not any(event.context[name] for name in event.context if name.startswith("toward_"))


def test_in_town_means_area_or_bank_as_in_each_paper() -> None:
    for rules, everywhere in (("flairs", True), ("aiide", False)):
        game = Adventure(rules, monsters=0)
        (event,) = hold(game, "up+left")
        assert event.context["in_town"]
        hold(game, "up+left", 12)
        (event,) = hold(game, "")
        assert event.context["in_town"] == everywhere


def test_goals_are_reported_when_achieved() -> None:
    game = Adventure("flairs", monsters=0)
    events = go(game, "3,2") + go(game, "2,2")
    assert not [event.goal for event in events if event.goal], "nothing was brought"
    place = game.rules.map.name(game.save()["chests"][0])
    events = go(game, place) + centre(game) + go(game, "2,2") + centre(game)
    told = [event for event in events if event.goal]
    assert [event.goal for event in told] == ["explore", "town"]
    assert [event.context["chest_taken"] for event in told] == [True, False]
    assert told[1].context["in_town"]


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_event_context_is_complete_plain_and_without_truth(rules: str) -> None:
    names = {
        "cause", "area", "x", "y", "monsters", "gems", "in_town", *SINCE, "moved", "moving", "exits", "unvisited_exits",
        "exits_nearer_town", "toward_unexplored", "toward_town", "toward_monster", "toward_gem",
        "toward_nearest_monster", "monster_near", "onward", "homeward", "ways_part",
    }  # fmt: skip
    measured = {
        "speed", "heading", "exit_bearing", "unvisited_bearing", "home_bearing", "monster_bearing", "monster_distance"
    }  # fmt: skip
    events = events_of(played(Adventure(rules, seed=1)))
    assert len(events) > 50
    assert set().union(*(event.context for event in events)) == names | measured
    for event in events:
        assert event.context.keys() - measured == names, "what cannot be measured is left out"
        assert ("heading" in event.context) == event.context["moved"]
        assert ("monster_distance" in event.context) == (event.context["monsters"] > 0)
        assert ("home_bearing" in event.context) == bool(event.context["exits_nearer_town"])
        assert event.context.get("speed", 0) <= 1.5 * 30 * load_rules(rules).player.speed + 30
        json.dumps(dict(event.context), allow_nan=False)
