"""What the texts say about players: who knows the maze, who finds out about edges, who stands to fight."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from telos.core.errors import TelosError
from telos.studies.players import EXPERIMENTER, NOVICE, Player, Preset, Traits
from telos.studies.players.motor import Wish, stand
from telos.studies.players.navigation import Foe, MentalMap
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules_file import load_rules

MAZE = load_rules("flairs").map
KNOWS = replace(EXPERIMENTER, traits=Traits(knows_maze=True))


def played(preset: Preset, seed: int, *, monsters: int = 0, frames: int = 20_000) -> Iterator[Adventure]:
    game = Adventure("flairs-text", monsters=monsters, seed=seed)
    player = Player(seed, preset, maze=MAZE)
    for _ in range(frames):
        if game.done:
            return
        game.step({game.player: player.input(game.view())})
        yield game


def areas_until_the_chest(preset: Preset, seed: int) -> list[str]:
    found = ["2,2"]
    for game in played(preset, seed):
        if game.view().area != found[-1]:
            found.append(game.view().area)
        if game.view().carrying:
            return found
    raise AssertionError("the chest was not found")


def test_who_knows_the_maze_searches_the_four_places_only_the_nearest_first() -> None:
    known = MentalMap(900.0, Random(1))
    known.learn_maze(MAZE)
    places = {MAZE.name(area) for area in MAZE.chest_places}
    area, now = "2,2", 0.0
    searched: list[str] = []
    while len(searched) < len(places):
        edges = known.way_to_unsearched(area, now)
        assert edges
        for edge in edges:
            assert area not in places - set(searched)
            area = MAZE.name(MAZE.exits[number_of(area)][edge])
        known.see(area, MAZE.exits[number_of(area)], now)
        searched.append(area)
        now += 1.0
    assert set(searched) == places
    far = {name: MAZE.distance[number_of(name)] or 0 for name in places}
    assert far[searched[0]] == min(far.values())
    assert known.way_to_unsearched(area, now) == ()


def number_of(name: str) -> int:
    return next(area for area in range(len(MAZE.exits)) if MAZE.name(area) == name)


def test_who_knows_the_maze_crosses_fewer_screens_until_the_chest() -> None:
    crossed = {
        name: sum(len(areas_until_the_chest(preset, seed)) - 1 for seed in range(12))
        for name, preset in (("knows", KNOWS), ("searches", EXPERIMENTER))
    }
    assert crossed["knows"] < crossed["searches"]


@pytest.mark.parametrize("seed", range(6))
def test_who_knows_the_maze_goes_home_by_a_shortest_way(seed: int) -> None:
    last, crossed = "", 0
    for game in played(KNOWS, seed):
        view = game.view()
        if view.phase == 2 and last != view.area:
            crossed, last = crossed + bool(last), view.area
        if view.phase == 3:
            break
    chest = next(g.view().area for g in played(KNOWS, seed) if g.view().carrying)
    assert crossed + 1 == MAZE.distance[number_of(chest)]


def test_the_maze_must_be_given_to_who_knows_it() -> None:
    with pytest.raises(TelosError, match=r"'experimenter' knows the maze.*maze=rules\.map"):
        Player(1, KNOWS)


def test_who_does_not_know_that_edges_lead_on_finds_it_out_by_crossing_one() -> None:
    stranger = replace(NOVICE, traits=Traits(knows_edges=False))
    times = {"stranger": 0.0, "novice": 0.0}
    for seed in range(12):
        for name, preset in (("stranger", stranger), ("novice", NOVICE)):
            first = next(game for game in played(preset, seed) if game.view().area != "2,2")
            times[name] += first.view().time
    assert times["stranger"] > 1.5 * times["novice"]


def test_who_has_no_bearings_goes_home_only_by_remembered_screens() -> None:
    known = MentalMap(60.0, Random(1))
    known.town = "2,2"
    assert known.felt_way_home("4,2", ("west", "east")) == ("west",)
    known.has_bearings = False
    assert known.felt_way_home("4,2", ("west", "east")) == ()


def test_a_chest_that_was_taken_is_not_gone_for_again() -> None:
    known = MentalMap(60.0, Random(1))
    known.see("2,2", ("east",), 0.0)
    known.see("3,2", ("west",), 1.0, chest=True)
    assert known.way_to_unsearched("2,2", 2.0) == ("east",)
    known.note_taken("3,2")
    assert known.way_to_unsearched("2,2", 2.0) == ()


def test_who_stands_turns_swings_and_makes_no_step() -> None:
    assert stand(Foe(60, 60, 5), "right", four_ways=False) == Wish("stop", swing=True, tap=True)
    assert stand(Foe(60, 60, 5), "left", four_ways=False) == Wish("right", swing=True, tap=True)
    assert stand(Foe(130, 130, 5), "left", four_ways=False) == Wish("right", tap=True)
    for foe in (Foe(60, 30, 52), Foe(100, 20, 98), Foe(140, 130, 52), Foe(45, 45, 30)):
        wish = stand(foe, "up", four_ways=True)
        assert wish == Wish() or wish.tap  # a tap is let go before the next frame but one


def test_who_stands_to_fight_hardly_moves_while_killing() -> None:
    def path(preset: Preset) -> float:
        spots = [(g.view().phase, g.view().area, g.view().x, g.view().y) for g in played(preset, 3, monsters=5)]
        return sum(
            abs(x - u) + abs(y - v)
            for (phase, area, x, y), (later, there, u, v) in pairwise(spots)
            if phase == later == 3 and area == there
        )

    standing = replace(
        EXPERIMENTER,
        style=replace(EXPERIMENTER.style, stillness=1.0, baiting=1.0),  # type: ignore[type-var]
        traits=Traits(stands_to_fight=True),
    )
    assert path(standing) < path(EXPERIMENTER)


def test_who_goes_straight_approaches_along_rows_and_columns() -> None:
    straight = replace(EXPERIMENTER, traits=Traits(goes_straight=True))

    def diagonals(preset: Preset) -> float:
        game, player = Adventure("aiide", seed=2), Player(1, preset)
        ways = []
        for _ in range(1_500):
            if game.truth != "level":
                break
            game.step({game.player: player.input(game.view())})
            step = player.steps[0] if player.steps else ""
            ways += [event.action for event in game.events if step in ("approach-monster", "bait-monster")]
        return sum("_" in way for way in ways) / len(ways)

    assert diagonals(straight) < diagonals(EXPERIMENTER)
