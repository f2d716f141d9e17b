"""The model with several features: counts that add up, fall back, and never look ahead."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.checks import check_recognizer
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.feature_hmm import BackoffCounts, Feature, FeatureIOHMM, GoalChanges
from telos.recognition.filtering import Reader

GOALS = ("eat", "rest")
KEYS = Feature("action", ("left", "right"), given=(("room",), ()), ignores=("wait",))
lessons = st.lists(
    st.tuples(
        st.sampled_from(["left", "right", "wait"]), st.sampled_from("ab"), st.sampled_from([None, "bed"]),
        st.sampled_from(GOALS),
    ),
    max_size=30,
)  # fmt: skip


def event(action: str, room: str = "a", used: str | None = None, **more: object) -> Event:
    return Event(action, {"room": room, "used": used, **more})


def taught(told: list[tuple[str, str, str | None, str]]) -> FeatureIOHMM:
    model = FeatureIOHMM(GOALS, [KEYS], GoalChanges("used", given=(("used",), ())))
    before = None
    for action, room, used, goal in told:
        model.learn(event(action, room, used), goal, before)
        before = goal
    return model


@given(lessons)
def test_every_look_divides_one_among_the_outcomes(told: list[tuple[str, str, str | None, str]]) -> None:
    model = taught(told)
    for room in "abc":
        left, right = (model.evidence(event(key, room)).likelihood for key in ("left", "right"))
        assert all(math.isclose(a + b, 1.0) for a, b in zip(left, right, strict=True))
    for used in (None, "bed", "tub"):
        assert all(math.isclose(sum(row), 1.0) for row in model.evidence(event("left", "a", used)).transition)


@given(lessons, lessons)
def test_models_taught_apart_and_joined_are_as_one_taught_all(
    one: list[tuple[str, str, str | None, str]], two: list[tuple[str, str, str | None, str]]
) -> None:
    both = taught(one)
    before = None
    for action, room, used, goal in two:
        both.learn(event(action, room, used), goal, before)
        before = goal
    joined = taught([]).join([taught(one), taught(two)])
    assert joined.prior == pytest.approx(both.prior)
    for room in "ab":
        for used in (None, "bed"):
            mine, theirs = joined.evidence(event("left", room, used)), both.evidence(event("left", room, used))
            assert mine.likelihood == pytest.approx(theirs.likelihood)
            assert mine.transition == theirs.transition or all(
                row == pytest.approx(other) for row, other in zip(mine.transition, theirs.transition, strict=True)
            )


def test_goal_features_are_smoothed_with_all_goals_and_even_chances() -> None:
    model = FeatureIOHMM(GOALS, [Feature("action", ("left", "right"), strength=2.0)], GoalChanges("used"))
    for action, goal in [("left", "eat"), ("left", "eat"), ("right", "rest"), ("right", "eat"), ("left", "rest")]:
        model.learn(Event(action, {"used": None}), goal, goal)
    anyhow = (3 + 2 * 0.5) / (5 + 2)
    expected = [(2 + 2 * anyhow) / (3 + 2), (1 + 2 * anyhow) / (2 + 2)]
    assert model.evidence(Event("left", {"used": None})).likelihood == pytest.approx(expected)


def test_a_reader_of_it_is_a_recogniser_that_keeps_every_promise() -> None:
    model = taught([("left", "a", None, "eat"), ("right", "b", "bed", "rest"), ("left", "a", "bed", "eat")])
    seen = [("left", "a", None), ("right", "b", "bed"), ("wait", "b", None), ("left", "c", "tub")]
    events = [Event(key, {"room": room, "used": used}, time=i) for i, (key, room, used) in enumerate(seen)]
    check_recognizer(lambda: Reader(model), events)


def test_where_a_goal_was_never_seen_a_sighting_speaks_as_for_any_goal() -> None:
    table = BackoffCounts(rows=2, outcomes=2)
    for _ in range(8):
        table.add(0, 1, [()])
    assert table.chance(1, 1, [()], 2.0) == pytest.approx((8 + 1) / 10)


def test_what_is_ignored_says_nothing() -> None:
    model = taught([("left", "a", None, "eat"), ("right", "a", None, "rest")])
    assert model.evidence(event("wait")).likelihood == (1.0, 1.0)


def test_a_weight_of_nought_says_nothing_and_a_half_is_a_root() -> None:
    model = taught([("left", "a", None, "eat"), ("right", "a", None, "rest")])
    full = model.with_settings(weight=1, strength=5).evidence(event("left")).likelihood
    half = model.with_settings(weight=0.5, strength=5).evidence(event("left")).likelihood
    assert half == pytest.approx([math.sqrt(each) for each in full])
    assert model.with_settings(weight=0, strength=5).evidence(event("left")).likelihood == (1.0, 1.0)


def test_goals_change_only_when_something_was_done() -> None:
    model = taught([("left", "a", None, "eat"), ("right", "a", "bed", "rest"), ("right", "a", "bed", "eat")])
    stays, changes = model.evidence(event("left")).transition, model.evidence(event("left", "a", "bed")).transition
    assert stays[0][0] > 0.999999
    assert changes[0][1] > 0.5


def test_a_goal_that_is_done_is_no_goal_any_more() -> None:
    model = FeatureIOHMM(GOALS, [KEYS], GoalChanges("used", from_any=True), done="done")
    assert model.evidence(event("left", done=("eat",))).likelihood[0] == 0.0
    assert Reader(model).observe(event("left", done=("eat",))).top == "rest"


def test_sight_and_changes_can_come_from_different_models() -> None:
    one, two = taught([("left", "a", None, "eat")]), taught([("right", "a", None, "rest"), ("left", "a", "bed", "eat")])
    mixed = one.with_changes_of(two)
    assert mixed.evidence(event("left")).likelihood == one.evidence(event("left")).likelihood
    assert mixed.prior == two.prior
    assert mixed.evidence(event("left", "a", "bed")).transition == two.evidence(event("left", "a", "bed")).transition


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Feature("action", ()), "feature 'action' needs outcomes"),
        (lambda: Feature("action", ("a",), weight=-1), "the weight of feature 'action'"),
        (lambda: Feature("action", ("a",), strength=0), "must be above 0"),
        (lambda: GoalChanges("used", slip=1), "slip must be"),
        (lambda: taught([]).learn(event("left"), "ate"), "did you mean 'eat'"),
        (lambda: taught([]).evidence(event("lft")), "unknown action 'lft'; did you mean 'left'?"),
        (lambda: taught([]).evidence(Event("left", {"used": None})), "'room'"),
        (lambda: BackoffCounts(1, 2).join([BackoffCounts(2, 2)]), "same rows and outcomes"),
    ],
)  # fmt: skip
def test_misuse_is_answered_in_one_line(make: object, said: str) -> None:
    with pytest.raises(TelosError, match=said) as caught:
        make()  # type: ignore[operator]
    assert "\n" not in str(caught.value)
