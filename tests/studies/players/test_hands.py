"""Hands come late, slip and roll as often as their limits say."""

import math
from dataclasses import replace
from random import Random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.studies.players.motor import DelayedInput, Wish, frames
from telos.studies.players.presets import BEGINNER, MASTER, Limits
from telos.worlds.adventure.map import DIRECTIONS, STOP, VECTORS, parse_keys
from telos.worlds.adventure.rules import FRAMES_A_SECOND

SURE = replace(MASTER, reaction=0.1, reaction_spread=0.0, aim=0.0, rollover=0.0, tap=0.1)


def held(hands: DelayedInput, number: int) -> list[str]:
    return [hands.keys() for _ in range(number)]


def delays(limits: Limits, number: int) -> list[int]:
    """Return after how many frames the first key changes, each time with rested hands."""
    found = []
    rng = Random(1)
    for _ in range(number):
        hands = DelayedInput(rng)
        hands.want(Wish("up"), limits)
        found.append(next(frame for frame in range(1, 200) if hands.keys()))
    return found


@pytest.mark.parametrize("limits", [BEGINNER, MASTER])
def test_reaction_times_have_the_median_and_the_spread_that_were_set(limits: Limits) -> None:
    times = delays(limits, 3000)
    assert median(times) / FRAMES_A_SECOND == pytest.approx(limits.reaction, abs=0.6 / FRAMES_A_SECOND)
    logs = [math.log(time / FRAMES_A_SECOND) for time in times]
    spread = math.sqrt(fmean((each - fmean(logs)) ** 2 for each in logs))
    assert spread == pytest.approx(limits.reaction_spread, rel=0.1)


def test_reaction_times_lean_to_the_right() -> None:
    times = delays(BEGINNER, 3000)
    assert fmean(times) > median(times)


@pytest.mark.parametrize("aim", [6.0, 10.0, 20.0])
def test_input_errors_are_as_frequent_as_the_aim_says(aim: float) -> None:
    hands = DelayedInput(Random(2))
    for number in range(6000):
        hands.want(Wish(DIRECTIONS[number % 8]), replace(SURE, aim=aim))
        held(hands, 6)
    wrong = math.erfc(22.5 / aim / math.sqrt(2))  # farther off than half the way to the next direction
    assert hands.slips / hands.responses == pytest.approx(wrong, abs=3.5 * math.sqrt(wrong * (1 - wrong) / 6000))


def test_who_has_a_steady_aim_never_slips() -> None:
    hands = DelayedInput(Random(2))
    for direction in DIRECTIONS:
        hands.want(Wish(direction), SURE)
        assert parse_keys(held(hands, 9)[-1]).direction == direction
    assert hands.slips == 0


def test_the_two_keys_of_a_diagonal_do_not_go_down_together() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("up_left"), SURE)
    assert held(hands, 5) == ["", "", "up", "up+left", "up+left"]


def test_a_turn_from_one_key_of_a_diagonal_needs_only_the_other() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("left"), SURE)
    held(hands, 6)
    hands.want(Wish("up_left"), SURE)
    assert held(hands, 4) == ["left", "left", "up+left", "up+left"]


def test_a_tapped_key_is_let_go_again() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("right", tap=True), SURE)
    assert held(hands, 7) == ["", "", "right", "right", "right", "", ""]


def test_who_stands_to_strike_turns_lets_go_and_swings() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("right", swing=True, tap=True), SURE)
    assert held(hands, 8) == ["", "", "right", "right", "swing", "swing", "swing", ""]


def test_who_strikes_on_the_run_goes_on() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("right", swing=True), SURE)
    assert held(hands, 7)[2:] == ["right+swing"] * 3 + ["right"] * 2


def test_some_let_go_of_all_keys_before_they_turn() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("right"), SURE)
    held(hands, 5)
    hands.want(Wish("left"), SURE, halts=True)
    assert held(hands, 6) == ["right", "right", "", "", "", "left"]


def test_what_is_under_way_already_is_not_begun_again() -> None:
    hands = DelayedInput(Random(1))
    for _ in range(3):
        hands.want(Wish("right"), SURE)
    assert hands.responses == 1


def test_for_a_moment_after_a_response_hands_are_not_free() -> None:
    hands = DelayedInput(Random(1))
    hands.want(Wish("right"), SURE)
    free = [hands.are_free or bool(hands.keys()) for _ in range(2)]
    held(hands, frames(SURE.refractory))
    assert free == [False, False]
    assert hands.are_free


wishes = st.builds(Wish, st.sampled_from((*DIRECTIONS, STOP)), st.booleans(), st.booleans())


@given(st.lists(st.tuples(wishes, st.integers(0, 12), st.booleans()), max_size=8), st.integers(0, 30), st.integers())
def test_one_knows_where_the_hands_will_lead(asked: list[tuple[Wish, int, bool]], ahead: int, seed: int) -> None:
    """The oracle waits and sees."""
    hands = DelayedInput(Random(seed))
    for wish, wait, halts in asked:
        hands.want(wish, BEGINNER, halts=halts)
        held(hands, wait)
    foreseen = hands.path(ahead + 1)
    # The first frame is the one that goes on now: keys() tells what is held in the next.
    ways = [VECTORS[hands._held.direction], *(VECTORS[parse_keys(text).direction] for text in held(hands, ahead))]
    assert foreseen == pytest.approx((sum(way[0] for way in ways), sum(way[1] for way in ways)))
