"""`telos.plan`: goals and sets, handles, functions of the game, budgets, memory, and what is refused."""

import math
from typing import Any

import pytest

import telos
from telos.core.conditions import Condition
from telos.core.expressions import Compare, Handle, Name
from telos.planning.planner import Planner, get_planner


def soldier(**functions: Any) -> telos.Domain:
    return telos.Domain(
        "soldier",
        variables=[
            telos.Variable("loaded", "bool"),
            telos.Variable("ammo", "int", 1),
            telos.Variable("target", ["alive", "dead"]),
            telos.Variable("at", "node"),
            telos.Variable("cover", "node"),
        ],
        actions=[
            telos.Action("attack", preconditions="loaded", effects="target = dead, loaded = false", cost=2),
            telos.Action("reload", preconditions="ammo >= 1", effects="loaded = true, ammo -= 1"),
            telos.Action("goto", parameters={"place": "node"}, effects="at = place", cost="distance(at, place)"),
        ],
        goals=[
            telos.Goal("kill", wants="target == dead", priority=10),
            telos.Goal("hide", wants="at == cover", priority=20, relevant="cover != none"),
        ],
        action_sets={"rat": ["goto"]},
        goal_sets={"gdc06": ["kill", "hide"]},
        functions=functions or {"distance": lambda here, there: 5.0},
    )


def names(answer: Any) -> list[str]:
    return [str(step) for step in answer.steps]


def test_parameter_is_bound_to_the_node_of_the_goal() -> None:
    answer = telos.plan(soldier(), {"at": "yard", "cover": "rock"}, "hide")
    assert (names(answer), answer.cost) == (["goto(rock)"], 5.0)
    (step,) = answer.steps
    assert (step.name, dict(step.arguments)) == ("goto", {"place": "rock"})


def test_handles_can_be_any_hashable_objects() -> None:
    yard, rock = object(), (3, 4)
    (step,) = telos.plan(soldier(), {"at": yard, "cover": rock}, "hide").steps
    assert step.arguments["place"] is rock


def test_requests_that_differ_in_handles_share_a_task() -> None:
    domain = soldier()
    for place in ("rock", "tree", "wall"):
        telos.plan(domain, {"at": "yard", "cover": place}, "hide")
    assert len(get_planner(domain, None)._prepared) == 1


def test_cost_can_depend_on_state_and_target() -> None:
    roads = {("yard", "hill"): 1.0, ("hill", "rock"): 1.0, ("yard", "rock"): 9.0}
    domain = soldier(distance=lambda here, there: roads.get((here, there), 50.0))
    answer = telos.plan(domain, {"at": "yard", "cover": "rock"}, "hide", handles={"node": ["hill"]})
    assert (names(answer), answer.cost) == (["goto(hill)", "goto(rock)"], 2.0)


def test_goals_are_tried_by_priority_until_one_needs_a_plan() -> None:
    domain = soldier()
    assert telos.plan(domain, {"at": "yard", "cover": "rock"}).goal == "hide"
    assert telos.plan(domain, {"at": "rock", "cover": "rock"}, "gdc06").goal == "kill"  # hidden already
    assert telos.plan(domain, {"at": "yard"}).goal == "kill"  # nowhere to hide, so hiding is not relevant
    assert telos.plan(domain, {"at": "yard", "cover": "rock"}, ["kill"], actions="rat").found is False
    assert telos.plan(domain, {"at": "yard", "cover": "rock"}, "gdc06", actions="rat").goal == "hide"
    nothing = telos.plan(domain, {"at": "yard"}, ["hide"])
    assert nothing.why() == "No goal is relevant now."


def test_no_plan_for_several_goals_explains_all() -> None:
    answer = telos.plan(soldier(), {"ammo": 0, "at": "yard"}, ["kill"])
    assert "reload needs ammo >= 1, and nothing provides it" in answer.why()


def test_missing_variables_have_their_start_values() -> None:
    assert names(telos.plan(soldier(), {}, "kill")) == ["reload", "attack"]


def test_plan_explains_each_step() -> None:
    said = telos.plan(soldier(), {}, "kill").why().splitlines()
    assert said == [
        "kill is reached in 2 steps at a cost of 3:",
        "  1. reload (cost 1): loaded for attack",
        "  2. attack (cost 2): target == dead for the goal",
    ]


def test_game_function_is_called_once_per_plan_and_arguments() -> None:
    asked: list[tuple[Any, ...]] = []

    def distance(here: Any, there: Any) -> float:
        asked.append((here, there))
        return 1.0

    domain = soldier(distance=distance)
    telos.plan(domain, {}, "kill")
    assert asked == []
    telos.plan(domain, {"at": "yard", "cover": "rock"}, "hide")
    assert len(asked) == len(set(asked)) > 0


def test_cached_plan_is_dropped_when_game_values_change() -> None:
    far = {"yard": 2.0}
    domain = soldier(distance=lambda here, there: far["yard"])
    first = telos.plan(domain, {"at": "yard", "cover": "rock"}, "hide")
    assert telos.plan(domain, {"at": "yard", "cover": "rock"}, "hide") is first
    far["yard"] = 7.0
    assert telos.plan(domain, {"at": "yard", "cover": "rock"}, "hide").cost == 7.0


def test_identical_request_is_cached_for_any_form_of_state() -> None:
    domain = soldier()
    first = telos.plan(domain, {"ammo": 2}, "kill")
    assert telos.plan(domain, {"ammo": 2}, "kill") is first
    assert telos.plan(domain, domain.state({"ammo": 2}), "kill") is first


def test_answer_does_not_depend_on_later_changes_of_the_state() -> None:
    domain, state = soldier(), {"ammo": 3, "loaded": False}
    answer = telos.plan(domain, state, "kill")
    state["loaded"] = True
    assert "loaded for attack" in answer.why()


def countdown() -> telos.Domain:
    """A goal that is a thousand steps away, with something else to do at every one."""
    actions = [telos.Action("walk", effects="way += 1"), telos.Action("idle", effects="rest += 1")]
    variables = [telos.Variable("way", "int"), telos.Variable("rest", "int")]
    wants = "way == 1000 and rest >= 0 and way * 1 == 1000"
    return telos.Domain(variables=variables, actions=actions, goals=[telos.Goal("there", wants=wants)])


def test_spent_budget_offers_the_closest_sequence() -> None:
    answer = telos.plan(countdown(), {}, "there", budget=50)
    assert isinstance(answer, telos.NoPlan)
    assert (answer.stop, answer.expanded) == (telos.Stop.BUDGET_SPENT, 50)
    assert {step.name for step in answer.partial} == {"walk"}
    assert "the search used up its budget, after 50 nodes; closest so far: walk, then walk" in answer.why()


def test_spent_time_is_reported() -> None:
    answer = telos.plan(countdown(), {}, "there", microseconds=1)
    assert isinstance(answer, telos.NoPlan)
    assert answer.stop is telos.Stop.BUDGET_SPENT


def test_action_without_change_is_never_in_a_plan() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("open", "bool")],
        actions=[telos.Action("wait", cost=0), telos.Action("push", effects="open = true")],
        goals=[telos.Goal("through", wants="open")],
    )
    assert names(telos.plan(domain, {}, "through")) == ["push"]


def test_circle_of_free_actions_does_not_trap_the_search() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("lit", "bool"), telos.Variable("open", "bool")],
        actions=[
            telos.Action("switch", effects="lit = not lit", cost=0),
            telos.Action("push", preconditions="lit", effects="open = true", cost=0),
        ],
        goals=[telos.Goal("through", wants="open")],
    )
    answer = telos.plan(domain, {}, "through")
    assert (names(answer), answer.cost) == (["switch", "push"], 0.0)


@pytest.mark.parametrize("count", [500, pytest.param(5000, marks=pytest.mark.slow)])
def test_domain_of_5000_actions_is_planned_in(count: int) -> None:
    actions = [telos.Action(f"a{i}", preconditions=f"p{i}", effects=f"p{i + 1} = true") for i in range(count)]
    variables = [telos.Variable(f"p{i}", "bool") for i in range(count + 1)]
    domain = telos.Domain(variables=variables, actions=actions, goals=[telos.Goal("g", wants=f"p{count}")])
    answer = telos.plan(domain, {f"p{count - 100}": True}, "g")
    assert (len(answer.steps), answer.cost) == (100, 100.0)
    assert telos.plan(domain, {}, "g").found is False


def raising(here: Any, there: Any) -> float:
    raise RuntimeError("no navigation mesh")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: telos.plan(soldier(), {}, "kil"), "unknown goal 'kil'; did you mean 'kill'?"),
        (lambda: telos.plan(soldier(), {"amo": 1}, "kill"), "unknown variable 'amo'; did you mean 'ammo'?"),
        (lambda: telos.plan(soldier(), {"ammo": "many"}, "kill"), "variable 'ammo' holds int, not 'many'"),
        (lambda: telos.plan(soldier(), {"ammo": math.nan}, "kill"), "variable 'ammo' holds int, not nan"),
        (lambda: telos.plan(soldier(), {"ammo": 2**60}, "kill"), "2**53"),
        (lambda: telos.plan(soldier(), {"target": "asleep"}, "kill"), "holds [alive, dead], not 'asleep'"),
        (lambda: telos.plan(soldier(), {"loaded": "yes"}, "kill"), "variable 'loaded' holds bool, not 'yes'"),
        (lambda: telos.plan(soldier(), {"at": []}, "hide"), "variable 'at' holds node, not []"),
        (lambda: telos.plan(soldier(), "yard", "kill"), "a state is a dictionary of variables to values, got 'yard'"),
        (lambda: telos.plan(soldier(), {}, "kill", how="quick"), "cannot plan 'quick'; known: fast, optimal"),
        (
            lambda: telos.plan(soldier(), {}, "kill", budget=0),
            "budget must be a whole number of nodes, at least 1, got 0",
        ),
        (lambda: telos.plan(soldier(), {}, "kill", microseconds=-1), "microseconds must be more than 0, got -1"),
        (lambda: telos.plan(soldier(), {}, "kill", actions="mouse"), "unknown action set 'mouse'"),
        (lambda: telos.plan(soldier(), {}, telos.Goal("calm", 3)), "goal 'calm' has no condition"),
        (lambda: telos.plan(soldier(), {}, [telos.Goal("calm", 3)]), "none of the goals has a condition"),
        (lambda: telos.Action("fly", cost=math.nan), "action 'fly': cost must be a finite number, got nan"),
        (lambda: telos.Action("fly", cost=-1), "action 'fly': cost must be zero or more, got -1"),
        (
            lambda: telos.plan(soldier(distance=lambda a, b: -3.0), {"at": "a", "cover": "b"}, "hide"),
            "'goto': a cost is negative",
        ),
        (
            lambda: telos.plan(soldier(distance=lambda a, b: math.nan), {"at": "a", "cover": "b"}, "hide"),
            "'goto': distance('a', 'b') must be a finite number, got nan",
        ),
        (
            lambda: telos.plan(soldier(distance=raising), {"at": "a", "cover": "b"}, "hide"),
            "'goto': distance('a', 'b') raised RuntimeError: no navigation mesh",
        ),
        (
            lambda: telos.plan(soldier(other=raising), {"at": "a", "cover": "b"}, "hide"),
            "function 'distance' is not registered; pass functions={'distance': ...}",
        ),
        (
            lambda: telos.Domain(
                variables=[telos.Variable("p", "bool")], actions=[telos.Action("a", effects="p = true, p = false")]
            ),
            "'p' is set twice by one action",
        ),
    ],
)
def test_misuse_names_the_value_and_the_remedy(ask: Any, said: str) -> None:
    with pytest.raises(telos.TelosError) as caught:
        ask()
    assert said in str(caught.value)


def test_planner_survives_a_function_that_raises() -> None:
    broken = {"yes": True}

    def distance(here: Any, there: Any) -> float:
        if broken["yes"]:
            raise RuntimeError("no navigation mesh")
        return 1.0

    domain = soldier(distance=distance)
    with pytest.raises(telos.TelosError, match="raised RuntimeError"):
        telos.plan(domain, {"at": "a", "cover": "b"}, "hide")
    broken["yes"] = False
    assert names(telos.plan(domain, {"at": "a", "cover": "b"}, "hide")) == ["goto(b)"]


def test_function_of_a_changing_number_raises() -> None:
    shoot = telos.Action("shoot", preconditions="enough(ammo)", effects="ammo -= 1, done = true")
    domain = telos.Domain(
        variables=[telos.Variable("ammo", "int"), telos.Variable("done", "bool")],
        actions=[shoot, telos.Action("find", effects="ammo += 1")],
        goals=[telos.Goal("g", wants="done")],
        functions={"enough": lambda ammo: ammo > 2},
    )
    with pytest.raises(telos.TelosError, match="numbers that change"):
        telos.plan(domain, {}, "g")


def test_division_by_zero_names_the_action() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("n", "number"), telos.Variable("done", "bool")],
        actions=[telos.Action("share", preconditions="1 / n > 0", effects="done = true")],
        goals=[telos.Goal("g", wants="done")],
    )
    with pytest.raises(telos.TelosError, match=r"'share': .* divided by zero"):
        telos.plan(domain, {}, "g")


def test_goal_with_a_handle_means_that_handle() -> None:
    domain = telos.Domain(
        "walk",
        variables=[telos.Variable("at", "node")],
        actions=[telos.Action("goto", parameters={"place": "node"}, effects=["at = place"])],
        goals=[],
    )
    goal = telos.Goal("there", wants=Condition(Compare("==", Name("at"), Handle("rock"))))
    planner = Planner(domain)
    steps = []
    for at, order in (("hut", ["hut", "rock"]), ("rock", ["rock", "hut"]), ("mill", ["mill", "rock"])):
        answer = planner.plan({"at": at}, goal, handles={"node": order})
        assert isinstance(answer, telos.Plan)
        steps.append([step.arguments["place"] for step in answer.steps])
    assert steps == [["rock"], [], ["rock"]]


def test_reasons_that_a_step_has_twice_are_told_once() -> None:
    text = """
    domain: axe
    variables: {uses: int, wood: int}
    actions:
      grind: {effects: uses += 3}
      chop: {preconditions: uses >= 1, effects: [uses -= 1, wood += 1]}
    goals: {fire: {wants: wood >= 3}}
    """
    first, *_ = telos.plan(telos.loads(text), {}, "fire").why().splitlines()[1:]
    assert first == "  1. grind (cost 1): uses >= 1 for chop (3 times)"


def test_search_that_fills_the_memory_says_so_and_not_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telos.planning.search.MAX_NODES", 1024)
    variables = [telos.core.values.Variable(f"n{i}", "int") for i in range(6)]
    actions = [telos.Action(f"add{i}", effects=f"n{i} += 1") for i in range(6)]
    domain = telos.Domain(variables=variables, actions=actions)
    goal = telos.Goal("far", wants=" + ".join(f"n{i} * n{i}" for i in range(6)) + " == 101")
    answer = telos.plan(domain, {}, goal, budget=1_000_000)
    assert isinstance(answer, telos.NoPlan)
    assert answer.stop is telos.Stop.MEMORY_SPENT
    assert "memory" in answer.why()
    assert "budget" not in answer.why()
