"""Choosing one action: ties, travel, curves, promises, and what is refused."""

import math
import re

import pytest

import telos

EAT = telos.Goal("eat", 4)


def test_choose_takes_the_first_of_equally_good_actions() -> None:
    one, two = telos.Action("one", changes={"eat": -1}), telos.Action("two", changes={"eat": -1})
    for by in ("simple", "discontentment"):
        assert telos.choose([one, two], [EAT], by=by).action is one
        assert telos.choose([two, one], [EAT], by=by).action is two


def test_simple_selection_serves_the_first_of_equal_goals() -> None:
    eat, sleep = telos.Action("eat", changes={"hunger": -1}), telos.Action("sleep", changes={"tired": -1})
    goals = [telos.Goal("tired", 2), telos.Goal("hunger", 2)]
    assert telos.choose([eat, sleep], goals, by="simple").action is sleep
    assert telos.choose([eat, sleep], goals[::-1], by="simple").action is eat


def test_every_goal_drifts_during_travel() -> None:
    goals = [telos.Goal("eat", 4, drift=1), telos.Goal("sleep", 1, drift=0.5)]
    eat = telos.Action("eat", changes={"eat": -2}, duration=1)
    (row,) = telos.choose([eat], goals, travel=lambda _: 2).table
    assert row.levels == {"eat": 4 + 2 - 2, "sleep": 1 + 0.5 * 3}
    assert (row.travel, row.time) == (2, 3)


def test_travel_time_can_change_the_choice() -> None:
    near = telos.SmartObject("fridge", actions=[telos.Action("snack", changes={"eat": -2})])
    far = telos.SmartObject("diner", actions=[telos.Action("dinner", changes={"eat": -4})])
    goals = [telos.Goal("eat", 4), telos.Goal("bathroom", 3, drift=1)]
    places = {"fridge": (0.0, 1.0), "diner": (30.0, 40.0)}
    actions = [*near.actions, *far.actions]
    assert telos.choose(actions, goals).action.name == "diner.dinner"
    travel = telos.straight_line((0, 0), places, speed=10)
    assert telos.choose(actions, goals, travel=travel).action.name == "fridge.snack"


def test_levels_never_fall_below_zero() -> None:
    rested = telos.Goal("sleep", 1, drift=-1)
    wait = telos.Action("wait", duration=5)
    assert telos.choose([wait], [rested]).table[0].levels["sleep"] == 0
    # On a way of two hours it falls to zero, not to minus one, before the action raises it.
    jog = telos.Action("jog", changes={"sleep": +3})
    assert telos.choose([jog], [rested], travel=lambda _: 2).table[0].levels["sleep"] == 3


def test_goal_with_a_change_of_zero_drifts() -> None:
    hungry = telos.Goal("eat", 1, drift=1)
    action = telos.Action("read", changes={"eat": 0}, duration=2)
    assert telos.choose([action], [hungry]).table[0].levels["eat"] == 3


def test_promises_count_in_ratings() -> None:
    raw = telos.Action("take-raw-food", promises={"eat": -4})
    snack = telos.Action("snack", changes={"eat": -2})
    assert telos.choose([snack, raw], [EAT]).action is raw


def test_changes_of_unknown_goals_are_ignored() -> None:
    tv = telos.Action("watch-tv", changes={"fun": -3})
    assert telos.choose([tv], [EAT]).value == 16


def test_curve_can_be_any_function() -> None:
    panic = telos.Goal("panic", 3, curve=lambda level: 100.0 if level > 2 else 0.0)
    calm, eat = telos.Action("calm-down", changes={"panic": -1}), telos.Action("eat", changes={"eat": -4})
    assert telos.choose([eat, calm], [EAT, panic]).action is calm


def test_why_mentions_ties() -> None:
    actions = [telos.Action(name, changes={"eat": -1}) for name in ("one", "two", "three")]
    assert "as do 2 others listed later" in telos.choose(actions, [EAT]).why()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1, "much", None, True])
def test_insistence_must_be_zero_or_more(bad: object) -> None:
    with pytest.raises(telos.TelosError, match=r"goal 'eat': insistence must be .*got " + re.escape(repr(bad))):
        telos.Goal("eat", bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: telos.Action("wait", duration=-1), "action 'wait': duration must be zero or more, got -1"),
        (lambda: telos.Action("wait", duration=math.nan), "duration must be a finite number, got nan"),
        (lambda: telos.Action("eat", changes={"eat": math.inf}), "change of 'eat' must be a finite number, got inf"),
        (lambda: telos.Action("eat", cost=-2), "cost must be zero or more, got -2"),
        (lambda: telos.Action(""), "'' cannot name an action"),
        (lambda: telos.Goal("eat", 1, curve="sqare"), "unknown curve 'sqare'; did you mean 'square'?"),
        (lambda: telos.choose([], [EAT]), "no actions"),
        (lambda: telos.choose([telos.Action("a")], []), "no goals"),
        (lambda: telos.choose([telos.Action("a")], [EAT, EAT]), "goal 'eat' is given twice"),
        (lambda: telos.choose([telos.Action("a")], [EAT], by="discontent"), "did you mean 'discontentment'?"),
        (lambda: telos.choose(["eat"], [EAT]), "'eat' is not an action"),  # type: ignore[list-item]
        (
            lambda: telos.choose([telos.Action("a")], [EAT], travel=lambda _: -1),
            "the travel time to 'a' must be zero or more, got -1",
        ),
        (
            lambda: telos.choose([telos.Action("a")], [telos.Goal("x", 1, curve=lambda _: math.nan)]),
            "a curve returned NaN",
        ),
        (lambda: telos.LearnedRate(weight=0), "weight must be above 0"),
        (lambda: telos.straight_line((0, 0), {}, speed=0), "speed must be above zero"),
    ],
)
def test_misuse_names_the_value_and_the_remedy(make: object, said: str) -> None:
    with pytest.raises(telos.TelosError) as caught:
        make()  # type: ignore[operator]
    assert said in str(caught.value)


def test_learned_rate_delays_changes_within_one_moment() -> None:
    rate = telos.LearnedRate(weight=0.5)
    rate.observe(0, now=1)
    assert rate.observe(4, now=1) == 0
    assert rate.observe(4, now=3) == 0.5 * 4 / 2
    with pytest.raises(telos.TelosError, match="time runs backwards: a reading at 2 after one at 3"):
        rate.observe(4, now=2)


def test_learned_rates_change_the_choice() -> None:
    rates = telos.LearnedRates(weight=0.5)
    fight = telos.Action("fight", changes={"kill": -3}, duration=2)
    hide = telos.Action("hide", changes={"hurt": -1}, duration=2)
    calm = rates.observe([telos.Goal("kill", 4), telos.Goal("hurt", 1)], now=0)
    assert telos.choose([fight, hide], calm).action is fight
    beaten = rates.observe([telos.Goal("kill", 4), telos.Goal("hurt", 3)], now=1)
    assert beaten[1].drift == 1.0
    assert telos.choose([fight, hide], beaten).action is hide
