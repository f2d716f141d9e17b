"""An explanation names the formulas that speak for a value and against it, and adds up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.logic.exact import exact_map
from telos.logic.grounding import ground
from telos.logic.inference import explain
from telos.logic.network import Network, score
from telos.logic.syntax import parse_db, parse_mln

MODEL = parse_mln(
    """
    goal = {Eat, Talk, Test}
    action(time, action)
    goal(time, goal!)
    0.5 goal(t, Eat)
    1.2 action(t, Chat) => goal(t, Talk)
    0.7 action(t, Chew) => goal(t, Eat)
    0.9 goal(t-1, Talk) => goal(t, Talk)
    """
)
STORY = parse_db("action(0, Chat)\naction(1, Chew)\naction(2, Chew)", MODEL)


def best(network: Network) -> object:
    answer = exact_map(network)
    return answer.values  # type: ignore[union-attr]


def test_the_formulas_are_named_with_what_they_add() -> None:
    network = ground(MODEL, STORY, ["goal"])
    said = str(explain(MODEL, network, best(network), 0, against=1))  # type: ignore[arg-type]
    assert said.splitlines() == [
        "goal(0,Eat) rather than goal(0,Talk): +0.2",
        "  -1.200  action(t,Chat) => goal(t,Talk)",
        "  +0.900  goal(t-1,Talk) => goal(t,Talk)   with goal(1,Eat)",
        "  +0.500  goal(t,Eat)",
    ]


def test_what_must_hold_is_said() -> None:
    model = parse_mln("person = {Anna}\nsmokes(person)\nill(person)\nsmokes(x) => ill(x).\n-1 ill(x)")
    network = ground(model, parse_db("smokes(Anna)", model), ["ill"])
    told = explain(model, network, best(network), 0)  # type: ignore[arg-type]
    assert (told.chosen, told.against) == ("ill(Anna)", "!ill(Anna)")
    assert told.forbidden == ("smokes(x) => ill(x)",)
    assert told.total == -1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(0, 2), st.integers(0, 2))
def test_the_parts_add_up_to_what_the_change_would_cost(values: list[int], variable: int, against: int) -> None:
    network = ground(MODEL, STORY, ["goal"])
    world = network.given.copy()
    world[:] = values
    other = world.copy()
    other[variable] = against
    told = explain(MODEL, network, world, variable, against=against)
    assert told.total == pytest.approx(score(network, world) - score(network, other))
