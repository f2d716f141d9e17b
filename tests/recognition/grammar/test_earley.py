"""The parser on grammars whose chances can be worked out by hand."""

import pytest

from telos.recognition.grammar.earley import advance_column, chain_closure, column_next_actions, start_column
from telos.recognition.grammar.grammar import PlanGrammar, Production, normalize_step, possible_steps


def chances_of(grammar: PlanGrammar, actions: str) -> list[float]:
    """Return the chance of each action, given those before."""
    column, found = start_column(grammar.tables), []
    for action in actions:
        chance, after = advance_column(grammar.tables, column, [grammar.tables.actions[action]])
        found.append(chance)
        if after is None:
            break
        column = after
    return found


def test_left_recursion_is_summed_over_all_its_turns() -> None:
    grammar = PlanGrammar([Production("s", "more", ("s", "a"), 0.4), Production("s", "one", ("a",), 0.6)], ["s"])
    assert chances_of(grammar, "aaaa") == pytest.approx([1.0, 0.4, 0.4, 0.4]), "each turn is one more with chance 0.4"


def test_two_tasks_that_begin_with_each_other_are_summed_too() -> None:
    made = [
        Production("s", "t", ("t", "x"), 0.5),
        Production("s", "a", ("a",), 0.5),
        Production("t", "s", ("s", "y"), 0.5),
        Production("t", "b", ("b",), 0.5),
    ]
    # s begins with a, if it is a itself, or after any number of turns s → t x → s y x.
    assert chances_of(PlanGrammar(made, ["s"]), "a") == pytest.approx([0.5 / (1 - 0.25)])
    assert chances_of(PlanGrammar(made, ["s"]), "b") == pytest.approx([0.25 / (1 - 0.25)])


def test_a_cycle_of_units_is_summed_over_all_its_turns() -> None:
    made = [
        Production("s", "t", ("t",), 0.5),
        Production("s", "a", ("a", "c"), 0.5),
        Production("t", "s", ("s",), 0.5),
        Production("t", "b", ("b",), 0.5),
    ]
    grammar = PlanGrammar(made, {"s": 0.5, "t": 0.5})
    column = start_column(grammar.tables)
    chance, after = advance_column(grammar.tables, column, [grammar.tables.actions["a"]])
    # From s it is a after any number of turns, 0.5 / (1 - 0.25); from t half of that.
    assert chance == pytest.approx(0.5 * (2 / 3) + 0.5 * (1 / 3))
    assert after is not None
    assert after.opened == pytest.approx([2 / 3, 1 / 3])
    chance, after = advance_column(grammar.tables, after, [grammar.tables.actions["c"]])
    assert chance == pytest.approx(1.0)
    assert after is not None
    assert after.closed == pytest.approx([2 / 3, 1 / 3])


def test_plan_that_may_end_may_also_continue() -> None:
    made = [Production("s", "short", ("a",), 0.25), Production("s", "long", ("a", "b"), 0.75)]
    grammar = PlanGrammar(made, ["s"])
    _, after = advance_column(grammar.tables, start_column(grammar.tables), [grammar.tables.actions["a"]])
    assert after is not None
    assert sum(after.closed) == pytest.approx(0.25)
    assert column_next_actions(grammar.tables, after) == pytest.approx({grammar.tables.actions["b"]: 0.75})


def test_an_action_that_no_plan_allows_has_no_chance_and_no_column() -> None:
    grammar = PlanGrammar([Production("s", "m", ("a", "b"), 1.0)], ["s"])
    assert chances_of(grammar, "b") == [0.0]
    assert advance_column(grammar.tables, start_column(grammar.tables), []) == (0.0, None)


def test_a_closure_is_the_sum_of_all_powers() -> None:
    steps = [{0: 0.2, 1: 0.3}, {0: 0.1, 2: 0.5}, {1: 0.4}]
    power = [{node: float(node == start) for node in range(3)} for start in range(3)]
    total = [dict(row) for row in power]
    for _ in range(200):
        power = [{to: sum(row[via] * steps[via].get(to, 0.0) for via in range(3)) for to in range(3)} for row in power]
        total = [{to: row[to] + power[place][to] for to in range(3)} for place, row in enumerate(total)]
    found = chain_closure(steps)
    assert found is not None
    for row, expected in zip(found, total, strict=True):
        assert row == pytest.approx(expected)


def test_steps_are_compared_without_regard_to_spaces() -> None:
    assert normalize_step(" give( gold ,smith ) ") == "give(gold, smith)"
    assert normalize_step("wait()") == "wait"
    assert possible_steps("give(gold,smith)") == ("give(gold, smith)", "give")
    assert possible_steps("wait") == ("wait",)
