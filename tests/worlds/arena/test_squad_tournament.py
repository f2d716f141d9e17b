"""The squad tournament: its schedule, its comparisons, and its sign test."""

from dataclasses import replace
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.worlds.arena import Battle, load_scene, run_squad_tournament
from telos.worlds.arena.squad_tournament import (
    OPPONENT_HEALTH,
    SQUAD_SCENES,
    SquadOutcome,
    SquadScore,
    TeamMeans,
    compare_hunts,
    pool_scores,
    schedule_squad_fights,
    sign_test,
    strong_opponent,
)

WON = SquadOutcome(survivors=2, opponents=0, seconds=30.0, health=0.4, opponent_health=0.0)


@given(st.integers(0, 40), st.integers(0, 40))
def test_sign_test_sums_all_outcomes_that_are_as_unlikely(wins: int, losses: int) -> None:
    trials = wins + losses
    likely = [comb(trials, each) for each in range(trials + 1)]
    extreme = sum(each for each in likely if each <= likely[wins])
    assert sign_test(wins, losses) == pytest.approx(extreme / 2**trials)


def test_sign_test_refuses_what_are_no_counts() -> None:
    with pytest.raises(TelosError, match="needs two counts, got -1 and 2"):
        sign_test(-1, 2)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (WON, replace(WON, opponents=1, survivors=4)),  # the opponent's death comes first
        (WON, replace(WON, survivors=1, seconds=5.0)),
        (WON, replace(WON, seconds=31.0)),
        (replace(WON, opponents=1, seconds=90.0), replace(WON, opponents=1, survivors=1)),
    ],
)
def test_hunts_are_compared_by_outcome_then_survivors_then_time(better: SquadOutcome, worse: SquadOutcome) -> None:
    assert (compare_hunts(better, worse), compare_hunts(worse, better)) == (1, -1)


def test_lost_hunts_with_equally_many_survivors_are_equal() -> None:
    lost = SquadOutcome(survivors=0, opponents=1, seconds=20.0, health=0.0, opponent_health=0.5)
    assert compare_hunts(lost, replace(lost, seconds=40.0)) == 0


def test_every_seed_is_fought_from_both_sides_and_hunted_led_and_unled() -> None:
    fights = schedule_squad_fights(["quarry"], ["mirror", "hunt"], fights=4, seed=3)
    assert [each.kind for each in fights] == ["mirror"] * 4 + ["hunt"] * 8
    assert [each.is_swapped for each in fights[:4]] == [False, True] * 2
    for led, unled in zip(fights[4::2], fights[5::2], strict=True):
        assert led == replace(unled, squads=led.squads)
        assert led.squads
        assert not unled.squads
    assert [each.seed for each in fights[:4]] == [each.seed for each in fights[4::2]]


@pytest.mark.parametrize("scene", SQUAD_SCENES)
def test_strong_opponent_is_the_leader_of_its_side_and_alone(scene: str) -> None:
    made = strong_opponent(load_scene(scene), "blue", OPPONENT_HEALTH[scene])
    assert [member.name for member in made.cast if member.side == "blue"] == ["Wes"]
    assert len(made.cast) == 5
    battle = Battle(made, seed=1)
    assert battle.arena.fighter("Wes").health == OPPONENT_HEALTH[scene]
    (wes,) = (each for each in battle.view.fighters if each.name == "Wes")
    assert wes.health_share == 1.0


@pytest.mark.parametrize("scene", ["quarry", "street"])
def test_symmetric_maps_are_the_same_after_half_a_turn(scene: str) -> None:
    drawn = load_scene(scene).map
    turned = {"<": ">", ">": "<", "^": "v", "v": "^"}
    rows = ["".join(turned.get(mark, mark) for mark in reversed(row)) for row in reversed(drawn.rows)]
    walls = [[mark if not mark.isalnum() or mark in "ov" else " " for mark in row] for row in drawn.rows]
    assert [[mark if not mark.isalnum() or mark in "ov" else " " for mark in row] for row in rows] == walls


def test_scores_depend_on_the_seed_and_not_on_the_jobs() -> None:
    alone = run_squad_tournament(["quarry"], fights=2, seed=5, seconds=6.0)
    assert alone == run_squad_tournament(["quarry"], fights=2, seed=5, seconds=6.0, jobs=2)
    mirror, hunt = alone
    assert (mirror.kind, mirror.pairs, hunt.kind, hunt.pairs) == ("mirror", 2, "hunt", 2)
    assert 0 <= hunt.led.survivors <= 4


def test_unled_soldiers_hunt_exactly_as_well_as_unled_soldiers() -> None:
    (hunt,) = run_squad_tournament(["street"], ["hunt"], fights=2, seed=5, seconds=8.0, squads=())
    assert (hunt.wins, hunt.draws, hunt.losses) == (0, 2, 0)
    assert hunt.led == hunt.unled


def test_scores_of_maps_are_pooled_by_contest() -> None:
    one, other = TeamMeans(0.5, 2.0, 0.4, 30.0), TeamMeans(1.0, 3.0, 0.8, 50.0)
    scores = [
        SquadScore("mirror", "quarry", 3, 1, 2, one, other),
        SquadScore("hunt", "quarry", 5, 0, 1, one, one),
        SquadScore("mirror", "street", 1, 0, 5, other, other),
    ]
    mirror, hunt = pool_scores(scores)
    assert (mirror.kind, mirror.scene, mirror.wins, mirror.draws, mirror.losses) == ("mirror", "all maps", 4, 1, 7)
    assert mirror.led == TeamMeans(0.75, 2.5, pytest.approx(0.6), 40.0)  # type: ignore[arg-type]
    assert (hunt.wins, hunt.losses, hunt.unled) == (5, 1, one)


@pytest.mark.parametrize(
    ("scene", "fights", "seed", "message"),
    [
        ("quary", 2, 1, "no squad tournament is fought in 'quary'; did you mean 'quarry'?"),
        ("quarry", 3, 1, "even and at least 2, got 3"),
        ("quarry", 2, -1, "zero or more, got -1"),
    ],
)
def test_bad_settings_are_refused(scene: str, fights: int, seed: int, message: str) -> None:
    with pytest.raises(TelosError) as caught:
        run_squad_tournament([scene], fights=fights, seed=seed)
    assert message in str(caught.value)
