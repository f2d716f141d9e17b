"""Chances of methods, learned from trees and from plans alone, and grammars made of task networks."""

from random import Random

import pytest

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.planning.htn.files import loads_tasks
from telos.recognition.grammar.grammar import PlanGrammar, Production, grammar_from_tasks, remove_empty
from telos.recognition.grammar.learning import Derivation, inside_outside, learn_from_trees, log_likelihood

MADE = [
    Production("fetch", "walk", ("reach", "take"), 0.5),
    Production("fetch", "send", ("whistle",), 0.5),
    Production("reach", "road", ("walk", "walk"), 0.5),
    Production("reach", "field", ("walk", "climb"), 0.5),
]


def chances(grammar: PlanGrammar) -> dict[tuple[str, str], float]:
    return {(each.task, each.method): each.chance for each in grammar.productions}


def test_trees_are_counted() -> None:
    road, field = Derivation("reach", "road"), Derivation("reach", "field")
    trees = [Derivation("fetch", "walk", (road,))] * 2 + [
        Derivation("fetch", "walk", (field,)),
        Derivation("fetch", "send"),
    ]
    learned = chances(learn_from_trees(PlanGrammar(MADE, ["fetch"]), trees))
    assert learned["fetch", "walk"] == 0.75
    assert learned["reach", "road"] == pytest.approx(2 / 3)


def test_tasks_without_trees_keep_chances_and_prior_keeps_methods() -> None:
    learned = chances(learn_from_trees(PlanGrammar(MADE, ["fetch"]), [Derivation("fetch", "send")], prior=1.0))
    assert learned["fetch", "send"] == pytest.approx(2 / 3)
    assert learned["reach", "road"] == 0.5


def test_trees_that_the_grammar_does_not_have_are_refused() -> None:
    grammar = PlanGrammar(MADE, ["fetch"])
    with pytest.raises(TelosError, match="'send'"):
        learn_from_trees(grammar, [Derivation("fetch", "sned")])
    with pytest.raises(TelosError, match="has the tasks reach, the tree none"):
        learn_from_trees(grammar, [Derivation("fetch", "walk")])
    with pytest.raises(TelosError, match="not a goal"):
        learn_from_trees(grammar, [Derivation("reach", "road")])


def test_unambiguous_plans_teach_as_much_as_their_trees() -> None:
    plans = [["walk", "walk", "take"]] * 3 + [["walk", "climb", "take"]] + [["whistle"]] * 4
    learned = chances(inside_outside(PlanGrammar(MADE, ["fetch"]), plans)[-1].grammar)
    assert learned == pytest.approx(
        {("fetch", "walk"): 0.5, ("fetch", "send"): 0.5, ("reach", "road"): 0.75, ("reach", "field"): 0.25}
    )


def test_plans_drawn_from_a_grammar_teach_it_back() -> None:
    made = [
        Production("s", "more", ("s", "s"), 0.3),
        Production("s", "a", ("a",), 0.5),
        Production("s", "b", ("b",), 0.2),
    ]
    rng = Random(7)

    def draw(task: str) -> list[str]:
        ways = [each for each in made if each.task == task]
        if not ways:
            return [task]
        (way,) = rng.choices(ways, [each.chance for each in ways])
        return [action for step in way.steps for action in draw(step)]

    plans = [draw("s") for _ in range(300)]
    even = [Production(each.task, each.method, each.steps, 1 / 3) for each in made]
    steps = inside_outside(PlanGrammar(even, ["s"]), [plan for plan in plans if len(plan) <= 12], rounds=15)
    learned = chances(steps[-1].grammar)
    assert learned["s", "a"] / learned["s", "b"] == pytest.approx(2.5, rel=0.25)
    assert learned["s", "more"] == pytest.approx(0.3, abs=0.06)


def test_known_goals_are_learned_from() -> None:
    made = [Production("g", "x", ("x",), 1.0), Production("h", "x", ("x",), 0.5), Production("h", "y", ("y",), 0.5)]
    steps = inside_outside(PlanGrammar(made, ["g", "h"]), [(["x"], "h")] * 3 + [(["x"], "g")], rounds=2)
    assert dict(steps[-1].grammar.goals) == pytest.approx({"g": 0.25, "h": 0.75})
    assert log_likelihood(steps[-1].grammar, [["z"]]) == float("-inf")


def test_empty_or_impossible_traces_are_refused() -> None:
    grammar = PlanGrammar(MADE, ["fetch"])
    with pytest.raises(TelosError, match="no traces"):
        inside_outside(grammar, [])
    with pytest.raises(TelosError, match="no plan of the grammar has the actions walk, walk"):
        inside_outside(grammar, [["walk", "walk"]])
    with pytest.raises(TelosError, match="not a goal"):
        inside_outside(grammar, [(["whistle"], "sleep")])


NETWORK = """\
tasks:
  fetch:
    methods:
      go: {subtasks: [get_up, walk, take], order: [walk before take]}
      call: {subtasks: call}
  get_up: {methods: {stand: {}, rise: {subtasks: rise}}}
  unused: {methods: {nap: {subtasks: call}}}
"""


def test_methods_of_a_task_network_are_productions() -> None:
    domain = Domain(actions=[Action(name) for name in ("walk", "take", "call", "rise")])
    grammar = grammar_from_tasks(loads_tasks(NETWORK, domain), ["fetch"], chances={("fetch", "call"): 0.4})
    assert grammar.tasks == ("fetch", "get_up"), "what no goal leads to is left out"
    assert sum(each.chance for each in grammar.productions if "walk" in each.steps) == pytest.approx(0.6)
    steps = {each.steps for each in grammar.productions if each.task == "fetch"}
    assert steps == {
        ("get_up", "walk", "take"),
        ("walk", "get_up", "take"),
        ("walk", "take", "get_up"),
        ("walk", "take"),
        ("call",),
    }
    with pytest.raises(TelosError, match="'fetch'"):
        grammar_from_tasks(loads_tasks(NETWORK, domain), ["fetc"])
    with pytest.raises(TelosError, match="'cal'"):
        grammar_from_tasks(loads_tasks(NETWORK, domain), ["fetch"], chances={("fetch", "cal"): 0.4})


def test_a_method_in_too_many_orders_is_refused() -> None:
    domain = Domain(actions=[Action(name) for name in "abcdef"])
    text = "tasks: {go: {methods: {all: {subtasks: [a, b, c, d, e, f], order: any}}}}"
    with pytest.raises(TelosError, match="more than 120 orders; write `order: sequence`"):
        grammar_from_tasks(loads_tasks(text, domain), ["go"])


def test_steps_that_may_be_nothing_are_left_out_with_their_chance() -> None:
    made = remove_empty(
        [
            Production("a", "m", ("b", "b", "x"), 1.0),
            Production("b", "none", (), 0.5),
            Production("b", "y", ("y",), 0.5),
        ]
    )
    found = {(each.task, each.steps): each.chance for each in made}
    assert found == pytest.approx(
        {("a", ("b", "b", "x")): 0.25, ("a", ("b", "x")): 0.5, ("a", ("x",)): 0.25, ("b", ("y",)): 1.0}
    )
