"""Monsters and a companion with minds: sensing, goals, plans, actions, and the recognised goal of the player."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.agents.trace import Chose, Planned
from telos.checks import check_world
from telos.core.belief import Belief
from telos.core.trace import as_json, silent
from telos.studies.players.player import Player
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.companion import TAKEN, UNSURE, CompanionVoice, load_lines
from telos.worlds.adventure.events import Adapted, CompanionLine, PlayerBelief
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_file import (
    COMPANION,
    load_beast_domain,
    load_companion_character,
    load_companion_domain,
    load_rules,
)
from telos.worlds.adventure.schema import KINDS
from telos.worlds.adventure.views import AdventureView, BeastView, CompanionView
from worlds.adventure.walker import INPUTS, SIDES, Expert, afield, go, hold

runs = st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 60)), min_size=1, max_size=25)


def wilds(*kinds: str, companion: bool = False) -> Rules:
    """Return the rules with monsters of these kinds only."""
    rules = load_rules("wilds")
    monsters = replace(rules.monsters, kinds=kinds, number=len(kinds))
    return replace(rules, monsters=monsters, companion=rules.companion if companion else None)


def place(game: Adventure, *spots: tuple[float, float], **changes: object) -> None:
    """Place the monsters at these positions, their posts from now on, and change other attributes."""
    saved = game.save()
    for beast, (x, y) in zip(saved["company"]["beasts"], spots, strict=False):
        beast.update(at=[x, y], post=[x, y], spot=[x, y])
    game.restore({**saved, **changes})


def beast(game: Adventure, i: int = 0) -> BeastView:
    return game.view().beasts[i]


def distance(view: AdventureView, who: BeastView | CompanionView) -> float:
    return math.dist((view.x, view.y), (who.x, who.y))


def believing(goal: str, *kinds: str, chance: float = 0.9) -> tuple[Adventure, Callable[[], CompanionView]]:
    """Return a quiet game in which the companion has a belief, and a function to inspect it."""
    game = afield(wilds(*kinds, companion=True) if kinds else "wilds", monsters=len(kinds), directed=False)
    rest = (1 - chance) / 2
    assert game.companion is not None
    belief = Belief({each: chance if each == goal else rest for each in ("level", "explore", "town")})
    game.companion.read(belief, game.view().time)

    def seen() -> CompanionView:
        companion = game.view().companion
        assert companion is not None
        return companion

    return game, seen


# --- monsters ---


def test_hunter_chases_the_player_it_sees() -> None:
    game = afield(wilds("hunter"))
    place(game, (500.0, 240.0))
    hold(game, "", 20)
    assert (beast(game).goal, beast(game).doing) == ("catch", "chasing")
    assert distance(game.view(), beast(game)) < 180 - 4 * 10


def test_monster_without_player_in_sight_follows_its_routine() -> None:
    game = afield(wilds("hunter", "guard"))
    place(game, (610.0, 450.0), (30.0, 30.0))
    doings = set()
    for _ in range(60):
        hold(game, "")
        doings.add(tuple(each.doing for each in game.view().beasts))
    assert ("prowling", "resting") in doings
    assert all(each == "resting" for _, each in doings)
    assert (beast(game, 1).x, beast(game, 1).y) == (30.0, 30.0)


def test_monster_searches_last_seen_position_then_gives_up() -> None:
    game = afield(wilds("hunter"))
    place(game, (540.0, 240.0))
    hold(game, "", 16)
    place(game, (beast(game).x, 240.0), x=40.0, y=40.0)
    before = beast(game)
    hold(game, "", 20)
    assert beast(game).doing == "chasing"
    assert math.dist((beast(game).x, beast(game).y), (320, 240)) < math.dist((before.x, before.y), (320, 240))
    hold(game, "", 60)
    assert beast(game).goal != "catch"


def test_guard_defends_its_post_and_returns_to_it() -> None:
    game = afield(wilds("guard"))
    place(game, (320.0, 40.0))
    hold(game, "", 20)
    assert beast(game).doing == "resting", "the player is in sight, but not near"
    hold(game, "up", 8)
    hold(game, "", 8)
    assert (beast(game).goal, beast(game).doing) == ("defend", "chasing")
    place(game, x=320.0, y=440.0)
    saved = game.save()
    saved["company"]["beasts"][0].update(at=[320.0, 140.0], post=[320.0, 40.0])
    game.restore(saved)
    hold(game, "", 120)
    assert (beast(game).x, beast(game).y) == pytest.approx((320.0, 40.0), abs=12)


def test_stalker_keeps_away_while_watched_and_attacks_from_behind() -> None:
    game = afield(wilds("stalker"))
    place(game, (470.0, 240.0), facing="right", straight="right")
    doings = []
    for _ in range(150):
        hold(game, "")
        if game.view().hearts < 3:
            break
        doings.append(beast(game).doing)
        if doings[-1] == "lurking":
            assert distance(game.view(), beast(game)) > 48 + 12, "out of the sword's reach"
    assert game.view().hearts == 2
    assert doings.index("lurking") < doings.index("pouncing")


def test_stalker_avoids_the_sword_and_hunter_does_not() -> None:
    for kind, comes in (("stalker", False), ("hunter", True)):
        game = afield(wilds(kind))
        place(game, (420.0, 240.0), facing="left", straight="left")
        hold(game, "swing", 12)
        assert (distance(game.view(), beast(game)) < 100) == comes


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_player_is_not_hunted_on_arrival(seed: int) -> None:
    game = Adventure("wilds", seed=seed)
    sight = game.rules.monsters.sight
    assert sight is not None
    for _ in range(3):
        view = game.view()
        assert all(distance(view, each) > sight for each in view.beasts)
        area = view.area
        while game.view().area == area:
            place(game, *[(20.0, 20.0)] * 5)
            hold(game, "right")


def test_monster_kinds_alternate_and_names_are_unique() -> None:
    game = afield("wilds")
    assert [each.kind for each in game.view().beasts] == ["hunter", "guard", "stalker", "hunter", "guard"]
    assert list(game.minds) == [COMPANION, "hunter-1", "guard-2", "stalker-3", "hunter-4", "guard-5"]
    place(game, (320.0, 200.0), facing="up", straight="up")
    hold(game, "swing", 6)
    assert game.view().kills == 1
    assert "hunter-1" not in game.minds
    hold(game, "", 150)
    assert game.view().deaths or "stalker-6" in game.minds


def test_monster_positions_agree_with_the_game() -> None:
    game = Adventure("wilds", seed=3)
    expert = Expert(game)
    for _ in range(600):
        game.step({"player": expert.input()})
        view = game.view()
        assert view.monsters == tuple((each.x, each.y) for each in view.beasts)
        assert all(12 <= x <= 628 and 12 <= y <= 468 for x, y in view.monsters)
        assert set(game.minds) == {COMPANION, *(each.name for each in view.beasts)}


def test_minds_decide_in_turn_not_every_frame() -> None:
    times: dict[str, set[int]] = {}
    game = Adventure("wilds", seed=1)
    for who, mind in game.minds.items():

        def note(now: float, think: Callable[[float], None] = mind.think, who: str = who) -> None:
            times.setdefault(who, set()).add(round(now * 30))
            think(now)

        mind.think = note  # type: ignore[method-assign]
    hold(game, "", 24)
    assert all(2 <= len(each) <= 5 for each in times.values())
    assert len(set(map(frozenset, times.values()))) == len(times), "they do not all think in the same frames"


# --- the companion ---


def test_companion_believing_explore_waits_at_exit_to_unvisited_area() -> None:
    game, seen = believing("explore")
    hold(game, "", 120)
    assert (seen().reading, seen().doing) == ("explore", "waiting")
    edges = {"east": (614.0, 240.0), "north": (320.0, 26.0), "south": (320.0, 454.0)}  # the town is in the west
    assert min(math.dist((seen().x, seen().y), spot) for spot in edges.values()) < 20
    assert game.lines[-1].text.startswith("You want to see more.")


def test_companion_believing_explore_waits_where_the_footprints_lead() -> None:
    for seed in range(4):
        game = Adventure("wilds", seed=seed, monsters=0)
        trail = game.view().trail
        assert trail is not None
        hold(game, SIDES[trail[1]])
        while game.view().area == "2,2":
            hold(game, SIDES[trail[1]])
        hold(game, "")
        assert game.companion is not None
        game.companion.read(Belief({"level": 0.05, "explore": 0.9, "town": 0.05}), game.view().time)
        hold(game, "", 120)
        trail = game.view().trail
        assert trail is not None
        assert game.minds[COMPANION].memory.focus["onward"] == trail[1]


def test_companion_leads_to_unvisited_area_several_screens_away() -> None:
    game, seen = believing("explore")
    areas = game.rules.map
    place(game, visited=[area for area in areas.reachable if areas.name(area) != "1,4"])
    hold(game, "", 120)
    assert (seen().x, seen().y) == pytest.approx((26, 240), abs=20), "only the west leads there"


def test_companion_stays_with_player_when_all_is_visited() -> None:
    game, seen = believing("explore")
    place(game, visited=list(game.rules.map.reachable), x=600.0, y=400.0)
    hold(game, "", 120)
    assert distance(game.view(), seen()) < 110


def test_companion_believing_level_stuns_monster_near_player() -> None:
    game, seen = believing("level", "hunter")
    place(game, (440.0, 240.0))
    doings = set()
    for _ in range(40):
        hold(game, "")
        doings.add(seen().doing)
    assert {"closing in", "striking"} <= doings
    assert (beast(game).doing, game.view().kills, game.view().deaths) == ("stunned", 0, 0)
    at = beast(game)
    place(game, x=at.x - 20, y=at.y)
    hold(game, "", 3)
    assert game.view().deaths == 0, "its touch does nothing"


def test_companion_blows_take_no_kill_or_score() -> None:
    game, _ = believing("level", "hunter", "guard", "stalker")
    for _ in range(400):
        hold(game, "")
        if any(each.doing == "stunned" for each in game.view().beasts):
            break
    else:
        pytest.fail("nobody was struck")
    assert (game.view().kills, game.view().score, len(game.view().beasts)) == (0, 0.0, 3)


def test_companion_believing_town_leads_home() -> None:
    game, seen = believing("town")
    assert game.companion is not None
    go(game, "4,2")
    hold(game, "", 150)  # longer than the pause between two lines
    game.companion.read(Belief({"level": 0.05, "explore": 0.05, "town": 0.9}), game.view().time)
    hold(game, "", 120)
    assert (seen().goal, seen().doing) == ("show_home", "waiting")
    assert (seen().x, seen().y) == pytest.approx((26, 240), abs=20)
    assert "west" in game.lines[-1].text


def test_companion_believing_town_keeps_monster_off() -> None:
    game, seen = believing("town", "hunter")
    place(game, (440.0, 240.0))
    goals = set()
    for _ in range(40):
        hold(game, "")
        goals.add(seen().goal)
    assert "keep_off" in goals
    assert beast(game).doing == "stunned"


def test_companion_believing_explore_keeps_monster_off_first() -> None:
    game, seen = believing("explore", "hunter")
    place(game, (440.0, 240.0))
    goals = []
    for _ in range(60):
        hold(game, "")
        goals.append(seen().goal)
    assert "keep_off" in goals
    assert (beast(game).doing, game.view().deaths) == ("stunned", 0)
    assert goals[-1] == "scout_ahead", "then it goes on"


def test_companion_repeats_a_line_less_and_less_often() -> None:
    voice = CompanionVoice("Wren")
    said = [now for now in range(3600) if voice.announce("stay_near", "", float(now)) is not None]
    waits = [later - sooner for sooner, later in pairwise(said)]
    assert waits[:7] == [20, 40, 60, 80, 100, 120, 120]


def test_companion_stays_near_when_unsure() -> None:
    game, seen = believing("explore", chance=0.34)  # below what is kept
    place(game, x=580.0, y=420.0)
    hold(game, "", 100)
    assert seen().reading is None
    assert distance(game.view(), seen()) < 110


def test_companion_says_that_it_is_unsure_only_after_some_seconds() -> None:
    game, seen = believing("explore", chance=0.34)  # below what is kept
    hold(game, "", 120)
    assert seen().reading is None
    assert not any("cannot tell" in line.text for line in game.lines)
    hold(game, "", 120)
    assert [line.text for line in game.lines if "cannot tell" in line.text] == [game.lines[-1].text]


def test_companion_sure_of_the_player_never_says_it_cannot_tell() -> None:
    for goal in ("level", "explore", "town"):
        game, seen = believing(goal)
        hold(game, "", 300)
        assert seen().reading == goal
        assert not any("cannot tell" in line.text for line in game.lines)


def test_goal_needs_more_probability_to_be_adopted_than_kept() -> None:
    game, seen = believing("explore", chance=TAKEN + 0.01)
    assert game.companion is not None
    hold(game, "", 10)
    assert seen().reading == "explore"
    game.companion.read(Belief({"level": 0.3, "explore": 0.4, "town": 0.3}), game.view().time)
    hold(game, "", 10)
    assert seen().reading == "explore"
    game.companion.read(Belief({"level": 0.4, "explore": 0.3, "town": 0.3}), game.view().time)
    hold(game, "", 10)
    assert seen().reading is None


def test_companion_arrives_later_the_farther_behind_it_was() -> None:
    late = []
    for x in (600.0, 100.0):
        game = Adventure("wilds", monsters=0)
        saved = game.save()
        saved["company"]["companion"].update(x=x, y=240.0, next_thought=1000)
        game.restore({**saved, "x": 630.0})
        hold(game, "right", 3)
        assert game.view().area == "3,2"
        frames = 0
        while game.view().companion is None:
            hold(game, "")
            frames += 1
        late.append(frames)
    assert late[0] == 0
    assert 0 < late[1] <= 45


def test_renamed_goals_are_matched_by_their_condition() -> None:
    rules = load_rules("wilds")
    phases = tuple(replace(phase, goal=f"my_{phase.goal}") for phase in rules.phases)
    game = Adventure(replace(rules, phases=phases), monsters=0, directed=False)
    assert game.companion is not None
    game.companion.read(Belief({"my_level": 0.05, "my_explore": 0.9, "my_town": 0.05}), 0.0)
    hold(game, "", 8)
    assert game.minds[COMPANION].state["reading"] == "explore"


def test_mind_files_are_consistent() -> None:
    assert set(KINDS) == load_beast_domain().goal_sets.keys() == load_beast_domain().action_sets.keys()
    assert load_lines().keys() == {UNSURE, *(goal.name for goal in load_companion_character().goals)}
    assert load_companion_domain().state()["reading"] == "unsure"


# --- the world ---


@pytest.mark.parametrize("directed", [True, False])
def test_world_passes_the_contract_check(directed: bool) -> None:
    def make() -> Adventure:
        return Adventure("wilds", directed=directed)

    def input_of(game: Adventure) -> dict[str, str]:
        return {"player": Expert(game).input()}

    check_world(make, play=input_of, steps=300)
    check_world(make)


@settings(max_examples=20, deadline=None)
@given(runs, runs, st.integers(0, 2**40), st.booleans())
def test_saved_game_continues_exactly(
    before: list[tuple[str, int]], after: list[tuple[str, int]], seed: int, directed: bool
) -> None:
    one = Adventure("wilds", seed=seed, directed=directed)
    for text, frames in before:
        hold(one, text, frames)
    two = Adventure("wilds", seed=1, directed=directed)
    two.restore(json.loads(json.dumps(one.save())))
    assert (two.view(), two.events, two.lines) == (one.view(), one.events, one.lines)
    assert two.belief == one.belief
    for text, frames in after:
        assert hold(two, text, frames) == hold(one, text, frames)
        assert two.view() == one.view()
    assert two.save() == one.save()
    assert two.recording() == one.recording()


def test_trace_does_not_change_the_run() -> None:
    records: list[object] = []
    one, two = Adventure("wilds", seed=4), Adventure("wilds", seed=4, trace=records.append)
    for text in ("right", "swing", "left", "up") * 3:
        assert hold(one, text, 25) == hold(two, text, 25)
        assert one.view() == two.view()
    assert records


def test_simulated_players_finish_the_game() -> None:
    game, player = Adventure("wilds", seed=5), Player(5)
    for _ in range(12_000):
        if game.done:
            break
        game.step({"player": player.input(game.view())})
    assert game.done


def test_seed_seven_matches_the_golden_trace(golden: Callable[[str, str], None]) -> None:
    records: list[object] = []
    kept = (Chose, Planned, CompanionLine, Adapted)
    game, expert = Adventure("wilds", seed=7, trace=records.append), Player(7)
    for _ in range(900):
        game.step({"player": expert.input(game.view())})
    assert any(isinstance(each, PlayerBelief) for each in records)
    told = [each for each in records if isinstance(each, kept)]
    golden("wilds_seed7.jsonl", "".join(f"{as_json(each)}\n" for each in told))


def test_paper_rules_have_no_company() -> None:
    for rules in ("flairs", "aiide"):
        game = Adventure(rules, trace=silent)
        assert (dict(game.minds), game.lines, game.belief, game.reading) == ({}, (), None, None)
        assert (game.view().beasts, game.view().companion) == ((), None)
