"""The mind chooses by what it feels, says why, and knows when to stop."""

import pytest

from telos.agents.motives import MotiveMind
from telos.core.action import Action
from telos.core.errors import TelosError
from telos.core.goal import Goal


def beyond_three(level: float) -> float:
    return max(0.0, level - 3) ** 2


HUNGER = Goal("hunger", drift=0.01, curve=beyond_three)
SLEEP = Goal("sleep", drift=0.01, curve=beyond_three)
SNACK = Action("snack", duration=10, changes={"hunger": -3})
BED = Action("bed", duration=480, changes={"sleep": -8, "hunger": +2})
HANDS = Action("wash-hands", duration=2, changes={"hygiene": -1})
WAIT = Action("wait", duration=15)


def test_the_mind_takes_what_leaves_it_least_discontent_and_says_which_motive_that_relieves() -> None:
    decision = MotiveMind([HUNGER, SLEEP]).decide([WAIT, SNACK, BED], {"hunger": 5, "sleep": 4})
    assert decision.action is SNACK
    assert decision.why == "hunger 5.0 → 2.0"
    assert decision.runner_up == "wait"


def test_the_way_there_counts() -> None:
    near, far = Action("near", changes={"hunger": -2}), Action("far", changes={"hunger": -2.5})
    away = {"near": 1.0, "far": 90.0}
    decision = MotiveMind([HUNGER]).decide([far, near], {"hunger": 6}, travel=lambda action: away[action.name])
    assert decision.action is near


def test_a_drift_that_is_told_replaces_the_one_the_mind_was_born_with() -> None:
    choice = MotiveMind([HUNGER]).decide([WAIT], {"hunger": 4}, drift={"hunger": 0.1}).choice
    assert choice.table[0].levels["hunger"] == pytest.approx(5.5)


def test_a_short_action_that_helps_nothing_is_not_taken_to_let_less_time_pass() -> None:
    mind = MotiveMind([HUNGER, SLEEP, Goal("hygiene", curve=beyond_three)])
    decision = mind.decide([HANDS, WAIT], {"hunger": 2, "sleep": 5, "hygiene": 1})
    assert decision.action is WAIT
    assert decision.why == "nothing is pressing"


def test_if_nothing_helps_and_waiting_is_not_possible_the_mind_still_chooses() -> None:
    assert MotiveMind([HUNGER]).decide([HANDS], {"hunger": 5}).action is HANDS


def test_a_motive_below_comfort_is_no_reason_to_act() -> None:
    assert MotiveMind([HUNGER]).decide([WAIT, SNACK], {"hunger": 2.5}).action is WAIT


def test_something_urgent_makes_restless_unless_the_action_helps_it() -> None:
    mind = MotiveMind([HUNGER, SLEEP], urgent=8)
    assert mind.restless(BED, {"hunger": 8.2, "sleep": 5}) == "hunger 8.2 cannot wait"
    assert mind.restless(SNACK, {"hunger": 8.2, "sleep": 5}) is None
    assert mind.restless(BED, {"hunger": 7.9, "sleep": 5}) is None


def test_who_has_had_enough_stops() -> None:
    mind = MotiveMind([HUNGER, SLEEP])
    assert mind.restless(BED, {"hunger": 3, "sleep": 0}) == "had enough"
    assert mind.restless(WAIT, {"hunger": 0, "sleep": 0}) is None, "waiting lowers nothing, so it is never enough"


def test_nothing_is_broken_off_for_more_of_the_same_or_for_what_does_not_help_the_urgent_motive() -> None:
    mind = MotiveMind([HUNGER, SLEEP], urgent=8)
    starving = {"hunger": 9.0, "sleep": 4.0}
    assert not mind.reconsider(BED, mind.decide([BED], starving))
    assert not mind.reconsider(BED, mind.decide([WAIT], starving))
    assert mind.reconsider(BED, mind.decide([WAIT, SNACK], starving))


def test_bad_goals_are_refused_when_the_mind_is_made() -> None:
    with pytest.raises(TelosError, match="there is no goal to choose by"):
        MotiveMind([])
    with pytest.raises(TelosError, match="'hunger' is given twice"):
        MotiveMind([HUNGER, HUNGER])
    with pytest.raises(TelosError, match="urgent must be zero or more, got -1"):
        MotiveMind([HUNGER], urgent=-1)
