"""Rejected plans: the cheapest plans that avoid a step, checked against all plans of small domains."""

import itertools
import math

import pytest

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.goal import Goal
from telos.core.values import Variable
from telos.planning import Planner, find_alternatives

ROUTES = Domain(
    variables=[Variable("at", ["home", "hill", "lake", "town"])],
    actions=[
        Action("climb", preconditions="at == home", effects="at = hill", cost=2),
        Action("descend", preconditions="at == hill", effects="at = town", cost=2),
        Action("row", preconditions="at == home", effects="at = lake", cost=3),
        Action("land", preconditions="at == lake", effects="at = town", cost=2),
        Action("drive", preconditions="at == home", effects="at = town", cost=9),
    ],
    goals=[Goal("visit", wants="at == town")],
)


def test_alternatives_are_next_cheapest_plans_in_order() -> None:
    state, goal = ROUTES.state({"at": "home"}), ROUTES.goal("visit")
    chosen = Planner(ROUTES).plan(state, goal).steps
    found = find_alternatives(ROUTES, state, goal, chosen)
    assert [(each.steps, each.cost, each.extra) for each in found] == [
        (("row", "land"), 5.0, 1.0),
        (("drive",), 9.0, 5.0),
    ]
    assert found[0].why == "it costs 1 more"


def test_steps_that_no_plan_can_do_without_are_named() -> None:
    state, goal = ROUTES.state({"at": "lake"}), ROUTES.goal("visit")
    (only,) = find_alternatives(ROUTES, state, goal, Planner(ROUTES).plan(state, goal).steps)
    assert (only.avoids, only.found, only.cost) == (("land",), False, math.inf)


def test_step_with_parameters_is_avoided_for_its_arguments_only() -> None:
    doors = Domain(
        variables=[Variable("at", "door"), Variable("out", "bool")],
        handles={"door": ["front", "back"]},
        actions=[
            Action("goto", parameters={"place": "door"}, effects="at = place"),
            Action("leave-front", preconditions="at == front", effects="out = true"),
            Action("leave-back", preconditions="at == back", effects="out = true", cost=4),
        ],
        goals=[Goal("go", wants="out")],
    )
    state, goal = doors.state(), doors.goal("go")
    chosen = Planner(doors).plan(state, goal).steps
    assert [str(step) for step in chosen] == ["goto(front)", "leave-front"]
    found = find_alternatives(doors, state, goal, chosen)
    assert [(each.steps, each.extra) for each in found] == [(("goto(back)", "leave-back"), 3.0)]


def test_step_with_any_handle_of_its_kind_is_avoided() -> None:
    """Also one that the domain does not name first."""
    places = [*"abcd"]
    web = Domain(
        variables=[Variable("at", "place")],
        handles={"place": places},
        actions=[
            Action("goto", parameters={"to": "place"}, effects="at = to"),
            Action("creep", parameters={"to": "place"}, preconditions="at == a", effects="at = to", cost=3),
        ],
        goals=[Goal(f"to-{place}", wants=f"at == {place}") for place in places[1:]],
    )
    for place in places[1:]:
        chosen = Planner(web).plan(web.state({"at": "a"}), f"to-{place}").steps
        found = find_alternatives(web, web.state({"at": "a"}), web.goal(f"to-{place}"), chosen)
        assert found[0].steps == (f"creep({place})",)


@pytest.mark.parametrize("seed", range(12))
def test_best_alternative_is_second_best_of_all_plans(seed: int) -> None:
    costs = [1 + (seed * 7 + number * 5) % 11 for number in range(6)]
    places = [(f"n == {number // 2}", f"n = {number // 2 + 1}", cost) for number, cost in enumerate(costs)]
    ways = [
        Action(f"a{number}", preconditions=needs, effects=effects, cost=cost)
        for number, (needs, effects, cost) in enumerate(places)
    ]
    chain = Domain(
        variables=[Variable("n", "int")],
        actions=ways,
        goals=[Goal("end", wants="n == 3")],
    )
    totals = sorted(sum(pair) for pair in itertools.product(*(costs[at : at + 2] for at in (0, 2, 4))))
    state, goal = chain.state({"n": 0}), chain.goal("end")
    chosen = Planner(chain).plan(state, goal)
    assert chosen.cost == totals[0]
    assert find_alternatives(chain, state, goal, chosen.steps)[0].cost == totals[1]
