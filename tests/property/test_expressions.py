"""Laws of the expression language, over random expressions."""

import contextlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import telos
from telos.core.expressions import (
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Not,
    Or,
    bind,
    parse_expression,
    to_text,
)
from telos.core.values import BOOL, NUMBER

LAYOUT = telos.State.of({"x": 0, "y": 0, "p": False, "q": False}).layout

numbers: st.SearchStrategy[Expression] = st.recursive(
    st.integers(0, 9).map(Literal) | st.sampled_from([Name("x"), Name("y")]),
    lambda inner: (
        st.builds(Arithmetic, st.sampled_from("+-*"), inner, inner)
        | st.builds(lambda value: Arithmetic("-", Literal(0), value), inner)
        | st.builds(lambda a, b: Call("min", (a, b)), inner, inner)
    ),
    max_leaves=8,
)
conditions: st.SearchStrategy[Expression] = st.recursive(
    st.booleans().map(Literal)
    | st.sampled_from([Name("p"), Name("q")])
    | st.builds(Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), numbers, numbers),
    lambda inner: (
        st.builds(Not, inner)
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts)))
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts)))
    ),
    max_leaves=8,
)
values = st.fixed_dictionaries(
    {"x": st.integers(-9, 9), "y": st.integers(-9, 9), "p": st.booleans(), "q": st.booleans()}
)


def obvious(expression: Expression, env: dict[str, Any]) -> Any:
    """Evaluate a tree the slow and obvious way."""
    match expression:
        case Literal(value):
            return value
        case Name(name):
            return env[name]
        case Not(operand):
            return not obvious(operand, env)
        case And(parts):
            return all(obvious(part, env) for part in parts)
        case Or(parts):
            return any(obvious(part, env) for part in parts)
        case Call(_, arguments):
            return min(obvious(each, env) for each in arguments)
        case Compare(operator, left, right) | Arithmetic(operator, left, right):
            a, b = obvious(left, env), obvious(right, env)
            table = {"+": a + b, "-": a - b, "*": a * b, "==": a == b, "!=": a != b}
            return (table | {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b})[operator]


@given(conditions | numbers)
def test_expression_text_parses_to_the_same_expression(expression: Expression) -> None:
    once = parse_expression(to_text(expression))
    assert parse_expression(to_text(once)) == once


@given(conditions, values)
def test_bound_condition_agrees_with_its_tree(condition: Expression, env: dict[str, Any]) -> None:
    array = LAYOUT.state(env).array
    for form in (condition, parse_expression(to_text(condition))):
        assert bool(bind(form, LAYOUT, BOOL)(array)) == obvious(condition, env)


@given(numbers, values)
def test_bound_number_agrees_with_its_tree(number: Expression, env: dict[str, Any]) -> None:
    array = LAYOUT.state(env).array
    for form in (number, parse_expression(to_text(number))):
        assert bind(form, LAYOUT, NUMBER)(array) == obvious(number, env)


@given(st.text(max_size=60))
def test_any_text_parses_or_raises_a_definition_error(said: str) -> None:
    with contextlib.suppress(telos.DefinitionError):  # any other exception fails the test
        parse_expression(said)


@given(values, st.dictionaries(st.sampled_from(["x", "y"]), st.integers(-9, 9)))
def test_replace_changes_only_the_given_values(env: dict[str, Any], changes: dict[str, int]) -> None:
    before = LAYOUT.state(env)
    after = before.replace(changes)
    assert dict(after) == {**env, **changes}
    assert dict(before) == env
