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


def test_motive_mind_takes_least_discontentment_and_names_the_motive() -> None:
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


def test_short_useless_action_is_not_chosen_for_its_shortness() -> None:
    mind = MotiveMind([HUNGER, SLEEP, Goal("hygiene", curve=beyond_three)])
    decision = mind.decide([HANDS, WAIT], {"hunger": 2, "sleep": 5, "hygiene": 1})
    assert decision.action is WAIT
    assert decision.why == "nothing is pressing"


def test_motive_mind_chooses_even_if_no_action_helps() -> None:
    assert MotiveMind([HUNGER]).decide([HANDS], {"hunger": 5}).action is HANDS


def test_a_motive_below_comfort_is_no_reason_to_act() -> None:
    assert MotiveMind([HUNGER]).decide([WAIT, SNACK], {"hunger": 2.5}).action is WAIT


def test_something_urgent_makes_restless_unless_the_action_helps_it() -> None:
    mind = MotiveMind([HUNGER, SLEEP], urgent=8)
    assert mind.restless(BED, {"hunger": 8.2, "sleep": 5}) == "hunger 8.2 cannot wait"
    assert mind.restless(SNACK, {"hunger": 8.2, "sleep": 5}) is None
    assert mind.restless(BED, {"hunger": 7.9, "sleep": 5}) is None


def test_motive_mind_stops_when_satisfied() -> None:
    mind = MotiveMind([HUNGER, SLEEP])
    assert mind.restless(BED, {"hunger": 3, "sleep": 0}) == "had enough"
    assert mind.restless(WAIT, {"hunger": 0, "sleep": 0}) is None, "waiting lowers nothing, so it is never enough"


def test_action_is_interrupted_only_for_one_that_helps_the_urgent_motive() -> None:
    mind = MotiveMind([HUNGER, SLEEP], urgent=8)
    starving = {"hunger": 9.0, "sleep": 4.0}
    assert not mind.reconsider(BED, mind.decide([BED], starving))
    assert not mind.reconsider(BED, mind.decide([WAIT], starving))
    assert mind.reconsider(BED, mind.decide([WAIT, SNACK], starving))


def test_bad_goals_are_refused_when_the_mind_is_made() -> None:
    with pytest.raises(TelosError, match="no goals"):
        MotiveMind([])
    with pytest.raises(TelosError, match="'hunger' is given twice"):
        MotiveMind([HUNGER, HUNGER])
    with pytest.raises(TelosError, match="urgent must be zero or more, got -1"):
        MotiveMind([HUNGER], urgent=-1)
