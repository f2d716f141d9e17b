"""What conditions can be: narrowing is compared with states in which a condition really holds."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.conditions import Condition
from telos.core.expressions import parse_expression
from telos.core.expressions.ranges import (
    ANYTHING,
    Range,
    ValueSet,
    evaluate,
    is_certain,
    is_possible,
    narrow,
    ranges_of,
)
from telos.core.state import Layout
from telos.core.values import Value, Variable

LAYOUT = Layout(
    [
        Variable("n", "int"),
        Variable("m", "int"),
        Variable("x", "number"),
        Variable("flag", "bool"),
        Variable("door", ["open", "shut", "locked"]),
    ]
)
NUMBERS = st.integers(-4, 4).map(str) | st.sampled_from(["0.5", "1.5"])
TERMS = st.recursive(
    st.sampled_from(["n", "m", "x"]) | NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda each: f"({each[0]} {each[1]} {each[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda each: f"{each[0]}({each[1]}, {each[2]})"),
        inner.map(lambda each: f"abs({each})"),
    ),
    max_leaves=3,
)
CONDITIONS = st.recursive(
    st.one_of(
        st.tuples(TERMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), TERMS).map(" ".join),
        st.tuples(st.sampled_from(["==", "!="]), st.sampled_from(["open", "shut", "locked"])).map(
            lambda each: f"door {each[0]} {each[1]}"
        ),
        st.sampled_from(["flag", "true", "false"]),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda each: f"({each[0]} {each[1]} {each[2]})"),
        inner.map(lambda each: f"not ({each})"),
    ),
    max_leaves=5,
)
STATES = st.fixed_dictionaries(
    {
        "n": st.integers(-6, 6),
        "m": st.integers(-6, 6),
        "x": st.integers(-12, 12).map(lambda each: each / 2),
        "flag": st.booleans(),
        "door": st.sampled_from(["open", "shut", "locked"]),
    }
)


def contains(values: Range | ValueSet, value: Value) -> bool:
    if isinstance(values, Range):
        return values.lowest <= value <= values.highest
    return (value in values.values) != values.is_open


@settings(max_examples=300)
@given(CONDITIONS, STATES)
def test_state_in_which_a_condition_holds_is_among_the_narrowed(text: str, values: dict[str, Value]) -> None:
    condition = Condition.of(text)
    holds = condition.holds(LAYOUT.state(values))
    found = narrow(condition.expression, ranges_of(LAYOUT), holds)
    assert found is not None
    assert all(contains(found[name], value) for name, value in values.items())


@settings(max_examples=200)
@given(CONDITIONS)
def test_certain_conditions_hold_in_every_state_of_a_grid(text: str) -> None:
    condition = Condition.of(text)
    states = [
        LAYOUT.state({"n": n, "m": m, "x": x, "flag": flag, "door": door})
        for n in (-3, 0, 2)
        for m in (-1, 4)
        for x in (-0.5, 1.5)
        for flag in (False, True)
        for door in ("open", "locked")
    ]
    if is_certain(condition.expression, ranges_of(LAYOUT)):
        assert all(condition.holds(state) for state in states)
    if not is_possible(condition.expression, ranges_of(LAYOUT)):
        assert not any(condition.holds(state) for state in states)


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("n > 2 and n < 3", False),
        ("x > 2 and x < 3", True),
        ("door == open and door == shut", False),
        ("door != open and door != shut and door != locked", False),
        ("door == open or n > 2", True),
        ("n > 3 and m < 2 and n < m", False),
        ("flag and not flag", False),
        ("n + 1 > 4 and n < 2", False),
        ("n + 1 > m and m > n + 2", True),  # what one variable is to another is not known
        ("abs(n) < 0", False),
        ("min(n, 3) > 3", False),
        ("at == mill and at == inn", False),
        ("at == none", True),
        ("f(n) > 3", True),
    ],
)
def test_condition_is_found_to_be_possible_or_not(text: str, possible: bool) -> None:
    layout = Layout([*LAYOUT.variables, Variable("at", "node")])
    assert is_possible(parse_expression(text), ranges_of(layout)) is possible


def test_large_integers_are_not_taken_for_exact() -> None:
    large = parse_expression(f"n == {2**53 + 1} and n == {2**53 + 2}")
    assert is_possible(large, {"n": Range(is_whole=True)})
    assert evaluate(parse_expression(f"{10**17} * {10**17}"), {}) == Range(2.0**53, math.inf, is_whole=True)


def test_join_of_branches_keeps_what_both_have() -> None:
    found = narrow(parse_expression("n == 2 or n == 5"), {"n": Range(is_whole=True), "other": ANYTHING})
    assert found == {"n": Range(2, 5, is_whole=True), "other": ANYTHING}
