"""Simulated players finish, repeat themselves to the last key, know only what they see, and have a style."""

import ast
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from statistics import fmean, pvariance

import pytest

import telos.studies.players as players
from telos.core.errors import TelosError
from telos.studies.players import EXPERIENCED, EXPERIMENTER, NOVICE, PRESETS, Player, Preset, Session, Style, play
from telos.studies.players.presets import BEGINNER, MASTER, limits_at
from telos.worlds.adventure.adventure import Adventure

MINUTES = 1800  # frames
# Within these times, the presets below finish; see the counts in the test.
LIMIT = {"flairs": 10 * MINUTES, "aiide": 20 * MINUTES}


def game(rules: str, preset: Preset, seed: int) -> Adventure:
    return Adventure(rules, seed=seed, monsters=3 if preset is NOVICE and rules == "flairs" else None)


def played(rules: str, preset: Preset, seed: int, most: int = 3000) -> Session:
    return play(game(rules, preset, seed), Player(seed, preset), max_frames=most)


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_the_same_seeds_give_the_same_game(rules: str, preset: Preset) -> None:
    one, two = played(rules, preset, 3), played(rules, preset, 3)
    assert one == two
    assert one.recording != played(rules, preset, 4).recording


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_players_of_every_kind_finish_both_games(rules: str, preset: Preset) -> None:
    for seed in range(3):
        assert played(rules, preset, seed, LIMIT[rules]).is_done, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_nearly_all_players_finish_and_hardly_anybody_needs_a_rescue(rules: str, preset: Preset) -> None:
    number, done, rescues = 40, 0, 0
    for seed in range(100, 100 + number):
        player = Player(seed, preset)
        done += play(game(rules, preset, seed), player, max_frames=LIMIT[rules]).is_done
        rescues += player.lapses.rescues
    assert done >= number - 2  # of the second paper's 21 players, 19 finished
    assert rescues <= number // 10


def test_nobody_looks_at_the_truth() -> None:
    """A player who is shown views without it plays the same game."""
    for rules in ("flairs", "aiide"):
        world, player, blind = Adventure(rules, seed=5), Player(5, EXPERIENCED), Player(5, EXPERIENCED)
        for _ in range(1500):
            view = world.view()
            keys = player.input(view)
            assert blind.input(replace(view, truth=None, round="", score=0.0, message="")) == keys
            world.step({"player": keys})


def test_players_know_nothing_of_recognisers_nor_of_what_the_game_hides() -> None:
    hidden = {"play", "quests", "frame", "monsters", "rules_files", "noticing"}
    for file in Path(players.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert not name.startswith("telos.recognition"), file.name
                assert not (name.startswith("telos.worlds.adventure") and name.split(".")[-1] in hidden), file.name


def test_who_is_told_otherwise_does_otherwise() -> None:
    """The goal comes from the line that the game shows."""
    view = Adventure("aiide", seed=1).view()
    for say, goal in (("Kill 20 monsters", "level"), ("Find a treasure chest", "explore"), ("Return!", "town")):
        player = Player(1, EXPERIMENTER)
        player.input(replace(view, instruction=say))
        assert player.goal == goal


def test_in_free_play_players_choose_for_themselves() -> None:
    world, player, goals = Adventure("flairs", directed=False, seed=2), Player(3, EXPERIENCED), set()
    for _ in range(6000):
        world.step({"player": player.input(world.view())})
        goals.add(player.goal)
    assert goals - {None} >= {"level", "explore"}
    assert world.view().score > 0


# --- experience -------------------------------------------------------------------------------------------------------


def test_experience_grows_with_every_run_and_never_beyond_one() -> None:
    player = Player(1, NOVICE)
    grown = [player.experience]
    for _ in range(12):
        player.after_run()
        grown.append(player.experience)
    assert grown == sorted(set(grown))
    assert grown[-1] <= 1
    assert player.skill(1e9) <= 1


def test_what_a_run_teaches_is_learned_during_it() -> None:
    player = Player(1, NOVICE)
    before, half, end = (player.skill(seconds) for seconds in (0, 150, 300))
    player.after_run()
    assert before < half < end == player.experience


def test_a_run_does_not_depend_on_how_the_one_before_went() -> None:
    idle, busy = Player(7, NOVICE), Player(7, NOVICE)
    play(Adventure("flairs", seed=1), busy, max_frames=500)
    idle.after_run()
    busy.after_run()
    assert play(Adventure("flairs", seed=2), idle, max_frames=500) == play(
        Adventure("flairs", seed=2), busy, max_frames=500
    )


def test_with_experience_every_weakness_shrinks() -> None:
    strengths = {"foresight", "map_memory"}
    for limit in fields(BEGINNER):
        beginner, master = getattr(BEGINNER, limit.name), getattr(MASTER, limit.name)
        assert (beginner < master) is (limit.name in strengths), limit.name
    assert limits_at(0) == BEGINNER
    with pytest.raises(TelosError, match=r"0 to 1, got 1\.5"):
        limits_at(1.5)


@pytest.mark.parametrize("people", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_practice_makes_games_shorter(people: int) -> None:
    def frames(runs: int) -> float:
        lengths = []
        for seed in range(people):
            player = Player(seed, NOVICE)
            for _ in range(runs):
                player.after_run()
            lengths.append(play(Adventure("aiide", seed=seed), player, max_frames=LIMIT["aiide"]).events[-1].time)
        return fmean(lengths)

    assert frames(5) < frames(0)


# --- style ------------------------------------------------------------------------------------------------------------


def test_habits_are_between_zero_and_one_and_the_same_for_one_person() -> None:
    for seed in range(20):
        drawn = Player(seed).style
        assert drawn == Player(seed, EXPERIENCED).style
        shown = drawn.shown(0.5, 0.5, Random(seed))
        assert all(0 <= getattr(style, habit.name) <= 1 for style in (drawn, shown) for habit in fields(Style))
    assert Player(1, EXPERIMENTER).style == Player(2, EXPERIMENTER).style


def test_without_experience_there_is_no_style() -> None:
    assert Style.drawn(Random(3)).shown(0.0, 0.0, Random(1)) == Style()


def manner(session: Session) -> tuple[float, float, float]:
    """Return the share of stops, of swings, and of swings that were made standing."""
    events = session.events
    swings = [event for event in events if event.action == "swing"]
    still = sum(not event.context["moved"] for event in swings) / max(1, len(swings))
    return sum(event.action == "stop" for event in events) / len(events), len(swings) / len(events), still


def distinctness(preset: Preset, seeds: Sequence[int]) -> float:
    """Return how much players differ from one another, against how much each differs from game to game."""
    games = [
        [manner(play(game("flairs", preset, 10 * seed + each), Player(seed, preset))) for each in range(4)]
        for seed in seeds
    ]
    ratios = []
    for feature in range(3):
        within = fmean(pvariance([each[feature] for each in mine]) for mine in games)
        between = pvariance([fmean(each[feature] for each in mine) for mine in games])
        ratios.append(between / within)
    return fmean(ratios)


@pytest.mark.parametrize("people", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_experienced_players_are_told_apart_better_than_novices(people: int) -> None:
    assert distinctness(EXPERIENCED, range(people)) > 2 * distinctness(NOVICE, range(people))


def stillness(habit: float, experience: float) -> float:
    """Return the share of swings made standing, by somebody who has this habit."""
    preset = Preset("made up", experience=experience, spread=0.0, learning=0.0, style=Style(stillness=habit))
    return fmean(
        manner(play(Adventure("flairs", seed=seed), Player(seed, preset), max_frames=3000))[2] for seed in range(4)
    )


def test_a_habit_shows_in_the_keys_and_more_so_with_experience() -> None:
    novice = stillness(1.0, 0.1) - stillness(0.0, 0.1)
    master = stillness(1.0, 0.95) - stillness(0.0, 0.95)
    assert master > 0.5 > novice
