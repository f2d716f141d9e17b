"""The course of mirror fights: stretches add up, means are right, and bad input is refused."""

import math
from dataclasses import replace

import pytest

from telos.core.errors import TelosError
from telos.worlds.arena import load_scene, measure_fight_course, summarize_fight_course
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.fight_course import Stretch, TeamStretch, is_spent


def stretch(start: float, dealt: float, taken: float, standing: float = 4.0) -> Stretch:
    return Stretch(start, TeamStretch(dealt, standing, 0.0), TeamStretch(taken, 4.0, 1.0))


def test_means_are_over_the_fights_that_came_to_a_stretch() -> None:
    long = (stretch(0.0, 30.0, 20.0), stretch(10.0, 8.0, 20.0, standing=2.0))
    short = (stretch(0.0, 50.0, 20.0, standing=3.0),)
    first, second = summarize_fight_course([long, short])
    assert (first.fights, first.net, first.led) == (2, 20.0, TeamStretch(40.0, 3.5, 0.0))
    assert first.margin == pytest.approx(1.96 * math.sqrt(200) / math.sqrt(2))
    assert (second.fights, second.net, second.margin) == (1, -12.0, math.inf)
    assert second.to_dict() == {
        "start": 10.0,
        "fights": 1,
        "net": -12.0,
        "margin": None,
        "led": {"dealt": 8.0, "standing": 2.0, "spent": 0.0},
        "unled": {"dealt": 20.0, "standing": 4.0, "spent": 1.0},
    }


def test_every_seed_is_fought_from_both_sides() -> None:
    led = [course[0].led.dealt for course in measure_fight_course(load_scene("street"), [3], seconds=6.0, squads=())]
    unled = [
        course[0].unled.dealt for course in measure_fight_course(load_scene("street"), [3], seconds=6.0, squads=())
    ]
    assert led == unled[::-1], "without any squads it is the same fight twice"
    assert sum(led) > 0


def test_stretches_add_up_to_the_fight() -> None:
    scene = load_scene("street")
    (whole,), (fine,) = ([*measure_fight_course(scene, [3], seconds=8.0, every=every)][:1] for every in (100.0, 2.5))
    assert [each.start for each in whole] == [0.0]
    assert [each.start for each in fine] == [0.0, 2.5, 5.0, 7.5]
    for role in ("led", "unled"):
        total = sum(getattr(each, role).dealt for each in fine)
        assert total == pytest.approx(getattr(whole[0], role).dealt)
        assert getattr(fine[-1], role).standing == getattr(whole[-1], role).standing


def test_who_has_a_round_for_any_weapon_is_not_spent() -> None:
    battle = Battle(replace(load_scene("weapons"), talk=False), seed=1)
    fighter = next(each for each in battle.arena.fighters.values() if each.holstered)
    for weapon, arm in fighter.holstered.items():
        fighter.holstered[weapon] = arm._replace(rounds=0, magazines=1)
    fighter.rounds = fighter.magazines = 0
    assert not is_spent(fighter)
    for weapon, arm in fighter.holstered.items():
        fighter.holstered[weapon] = arm._replace(rounds=0, magazines=0)
    assert is_spent(fighter)
    fighter.rounds = 1
    assert not is_spent(fighter)


def test_bad_input_is_refused() -> None:
    scene = load_scene("street")
    with pytest.raises(TelosError, match=r"more than 0 seconds, got 0\.0"):
        measure_fight_course(scene, [1], seconds=0.0)
    with pytest.raises(TelosError, match=r"too short with 0\.01 seconds; take at least 0\.1"):
        measure_fight_course(scene, [1], every=0.01)
    with pytest.raises(TelosError, match=r"too short with 0\.5 seconds; take at least 10"):
        measure_fight_course(scene, [1], seconds=10_000.0, every=0.5)
    with pytest.raises(TelosError, match="no fights"):
        summarize_fight_course([])
