"""The online belief equals exact inference over all steps so far."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic.naive import naive_network, naive_worlds
from telos.logic.database import database_from_rows
from telos.logic.model import MarkovLogic, Rule
from telos.logic.online import OnlineFilter
from telos.logic.syntax import parse_mln

DECLARED = """
goal = {Eat, Talk, Test}
action(time, action)
loc(time, place)
dark(time)
goal(time, goal!)
"""
FORMULAS = (
    "goal(t, +g)",
    "action(t, +a) => goal(t, +g)",
    "action(t-1, +a) => goal(t, +g)",
    "loc(t-2, +l) ^ action(t, +a) => goal(t, +g)",
    "dark(t) => goal(t, +g)",
    "!dark(t-1) v goal(t, Eat)",
    "action(t, +a) ^ goal(t, +g)",
    "goal(t-1, +g1) => goal(t, +g2)",
    "goal(t, +g) => goal(t+1, +g)",
    "action(t-1, +a1) ^ goal(t-1, +g1) ^ action(t, +a2) => goal(t, +g2)",
    "loc(t, +l) => (goal(t-1, +g) <=> goal(t, +g))",
    "action(t, Walk) ^ loc(t, x) => goal(t, Talk)",
    "action(t+1, +a) => goal(t, +g)",
    "action(t, Read) => !goal(t, Eat).",
    "goal(t-1, Test) => !goal(t, Eat).",
)
CONSTANTS = {
    "a": ("Walk", "Read"),
    "a1": ("Walk", "Read"),
    "a2": ("Walk", "Read"),
    "l": ("Dock", "Hall"),
    "g": ("Eat", "Talk", "Test"),
    "g1": ("Eat", "Talk", "Test"),
    "g2": ("Eat", "Talk", "Test"),
}
WEIGHTS = st.floats(-3, 3).map(lambda weight: round(weight, 2))


@st.composite
def models(draw: st.DrawFn) -> MarkovLogic:
    chosen = draw(st.lists(st.sampled_from(FORMULAS), min_size=1, max_size=4, unique=True))
    model = parse_mln(DECLARED + "\n".join(chosen))
    rules = []
    for rule in model.rules:
        if rule.hard:
            rules.append(rule)
            continue
        keys = itertools.product(*(CONSTANTS[name] for name in rule.plus))
        rules.append(Rule(rule.formula, rule.plus, {key: draw(WEIGHTS) for key in keys}, text=rule.text))
    return MarkovLogic(model.predicates, tuple(rules), model.functions, model.constants)


STEPS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "action": st.sampled_from(["Walk", "Read", "Swim"]),
            "loc": st.sampled_from(["Dock", ["Dock", "Hall"], []]),
            "dark": st.just("true"),
        },
    ),
    min_size=1,
    max_size=4,
)


def exactly(model: MarkovLogic, steps: list[dict[str, Any]]) -> tuple[float, ...]:
    """Return the belief about the last step by enumeration of all worlds so far."""
    tables: dict[str, list[tuple[object, ...]]] = {"action": [], "loc": [], "dark": []}
    for time, facts in enumerate(steps):
        for name, said in facts.items():
            for each in [said] if isinstance(said, str) else said:
                tables[name].append((time,) if name == "dark" else (time, each))
    types = {name: each.types for name, each in model.predicates.items()}
    database = database_from_rows(tables, types=types, constants={"time": [str(time) for time in range(len(steps))]})
    network = naive_network(model, database, ["goal"], closed=("action", "loc", "dark"))
    marginals = naive_worlds(network).marginals
    return tuple(marginals[0, "goal", (str(len(steps) - 1), goal)] for goal in model.constants["goal"])


@settings(max_examples=150, deadline=None)
@given(models(), STEPS)
def test_online_belief_is_exact_inference_so_far(model: MarkovLogic, steps: list[dict[str, Any]]) -> None:
    online = OnlineFilter(model)
    for count, facts in enumerate(steps, 1):
        belief = online.step(facts)
        assert belief == pytest.approx(exactly(model, steps[:count]), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(models(), STEPS, st.integers(0, 3))
def test_restored_filter_continues_exactly(model: MarkovLogic, steps: list[dict[str, Any]], cut: int) -> None:
    whole, halves = OnlineFilter(model), OnlineFilter(model)
    for facts in steps:
        whole.step(facts)
    for facts in steps[:cut]:
        halves.step(facts)
    saved = json.loads(json.dumps(halves.save()))
    resumed = OnlineFilter(model)
    resumed.restore(saved)
    for facts in steps[cut:]:
        resumed.step(facts)
    assert resumed.belief == whole.belief


def test_contradicting_facts_are_ignored_and_flagged() -> None:
    model = "goal = {Eat, Talk}\naction(time, act)\ngoal(time, goal!)\n1 goal(t, Eat)\naction(t, Die) => !goal(t, g)."
    online = OnlineFilter(parse_mln(model))
    before = online.step({"action": "Walk"})
    assert not online.contradicted
    assert online.step({"action": "Die"}) == before
    assert online.contradicted
