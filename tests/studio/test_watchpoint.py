"""Watchpoints trigger when their condition becomes true."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.values import Value
from telos.studio.watchpoint import Watchpoint

NOW: Mapping[str, Value] = {
    "monsters": 3,
    "in_town": False,
    "Sam.goal": "cover",
    "ffbm.top": "explore",
    "ffbm.explore": 0.7,
    "ffbm.kill-enemy": 0.3,
    "explore": 12,
    "event": "dodge-roll",
    "event.who": "Sam",
    "truth": "explore",
    "time": 12.5,
    "over": None,
}


def is_true(text: str, values: Mapping[str, Value] = NOW) -> bool:
    return Watchpoint(text, NOW.keys()).is_true(values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("monsters > 2", True),
        ("monsters > 3", False),
        ("not in_town", True),
        ("in_town or monsters == 3", True),
        ("in_town == false", True),
        ("Sam.goal == cover", True),
        ("Sam.goal != cover", False),
        ("cover == Sam.goal", True),
        ("ffbm.explore > 0.5 and ffbm.top == truth", True),
        ("ffbm.top == explore", True),  # although a fact is called so, too
        ("event == dodge-roll and event.who == Sam", True),
        ("event == dodge-roll-2", False),
        ("ffbm.kill-enemy < 0.5", True),
        ("monsters - 1 == 2", True),
        ("time - monsters == 9.5", True),
        ("12 < time <= 13", True),
        ("monsters / 0 == 1", False),
        ("max(monsters, 5) == 5", True),
        ("abs(0 - monsters) == 3", True),
        ("Sam.goal > 3", False),
        ("Sam.goal + 1 == 2", False),
        ("Sam.goal", False),
        ("over == none", True),
        ("monsters", True),
    ],
)
def test_conditions_are_evaluated_over_plain_values(text: str, expected: bool) -> None:
    assert is_true(text) == expected


def test_watchpoint_triggers_when_condition_becomes_true() -> None:
    watch = Watchpoint("monsters >= 2", ["monsters"])
    assert [watch.holds({"monsters": count}) for count in (0, 2, 3, 2, 1, 2)] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


def test_condition_that_holds_at_start_must_become_false_first() -> None:
    watch = Watchpoint("monsters >= 2", {"monsters": 5})
    assert [watch.holds({"monsters": count}) for count in (5, 1, 5)] == [False, False, True]


def test_event_right_after_setting_counts() -> None:
    assert Watchpoint("event == swing", {"event": "nothing"}).holds({"event": "swing"})


def test_missing_value_makes_comparison_false() -> None:
    for text in (
        "Sam.goal == cover",
        "Sam.goal != cover",
        "monsters < 9",
        "in_town",
        "monsters + 1 > 0",
        "max(time, 1) > 0",
    ):
        assert not is_true(text, {})
    assert is_true("not in_town", {})


def test_each_of_several_events_in_one_step_counts() -> None:
    several = {"event": ("walk", "swing")}
    assert is_true("event == swing", several)
    assert not is_true("event == shout", several)
    assert is_true("event != shout", several)
    assert not is_true("event != swing", several)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("monster > 2", "did you mean 'monsters'?"),
        ("fbm.top == explore", "did you mean 'ffbm.top'?"),
        ("Sam.goal == Sam.gaol", "did you mean 'Sam.goal'?"),
        ("swing", "'swing'"),
        ("monsters > few", "'few'"),
        ("mx(monsters, 2) > 1", "did you mean 'max'?"),
        ("abs() > 1", "abs takes one value"),
        ("monsters = 2", "use '==' to compare"),
        ("monsters >", "expected a value but found nothing more"),
        ("", "expected a value"),
        ("Sam.goal == 'cover'", "labels and handles are written bare"),
    ],
)
def test_invalid_condition_is_refused_with_remedy(text: str, said: str) -> None:
    with pytest.raises(TelosError, match=re.escape(said)):
        Watchpoint(text, NOW)


WORDS = st.sampled_from([*NOW, "swing", "cover", "1", "0.5", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ","])
MORE = st.sampled_from(["and", "or", "not", "min", "abs", "true", "none", "dodge-roll", "a.b"])
VALUES = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.none(), st.tuples(st.text(max_size=2))
)


@given(
    st.one_of(st.lists(st.one_of(WORDS, MORE), max_size=14).map(" ".join), st.text(max_size=60)),
    st.lists(st.dictionaries(st.sampled_from(sorted(NOW)), VALUES), max_size=4),
)
def test_arbitrary_text_is_refused_or_can_be_evaluated(text: str, moments: list[dict[str, Value]]) -> None:
    try:
        watch = Watchpoint(text, NOW)
    except TelosError:
        return
    for values in moments:
        assert watch.holds(values) in (True, False)


@given(st.lists(st.booleans(), max_size=20))
def test_watchpoint_triggers_once_per_change_to_true(moments: list[bool]) -> None:
    watch = Watchpoint("on", ["on"])
    fired = [watch.holds({"on": on}) for on in moments]
    assert fired == [on and not before for before, on in zip([False, *moments], moments, strict=False)]


def test_condition_that_holds_already_waits_for_next_time() -> None:
    watch = Watchpoint("monsters > 2", NOW)
    assert watch.holds_already
    assert [watch.holds({**NOW, "monsters": count}) for count in (3, 1, 4)] == [False, False, True]
    assert not Watchpoint("monsters > 3", NOW).holds_already


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("truth == exploer", "explore"), ("not (levle == ffbm.top)", "level"), ("monster > 1", "monsters")],
)
def test_word_that_never_occurs_is_refused_with_nearest(text: str, nearest: str) -> None:
    words = {"truth": ("explore", "level", "unknown"), "ffbm.top": ("explore", "level")}
    with pytest.raises(TelosError, match=f"did you mean '{nearest}'"):
        Watchpoint(text, NOW, words)
