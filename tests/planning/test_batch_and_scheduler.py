"""Crowds, frames and replanning: what they promise beyond the answers, and what they refuse."""

import itertools
from typing import Any

import numpy as np
import pytest

import telos
from telos.planning.planner import Planner
from telos.planning.search import SearchLimits

LAMP = telos.Domain(
    "lamp",
    variables=[telos.Variable("lit", "bool"), telos.Variable("oil", "int"), telos.Variable("mood", ["calm", "afraid"])],
    actions=[
        telos.Action("light", preconditions="oil >= 1", effects="lit = true, oil -= 1"),
        telos.Action("fetch-oil", effects="oil += 1", cost=3),
    ],
    goals=[telos.Goal("see", wants="lit"), telos.Goal("rest", wants="not lit")],
)


def test_plan_many_takes_an_array_per_variable() -> None:
    plans = telos.plan_many(LAMP, {"lit": np.array([True, False, False]), "oil": np.array([0, 0, 2])}, "see")
    assert [[step.name for step in answer.steps] for answer in plans] == [[], ["fetch-oil", "light"], ["light"]]
    assert (len(plans), plans.costs, len(plans[1:])) == (3, [0.0, 4.0, 1.0], 2)


def test_plan_many_takes_a_goal_per_agent() -> None:
    plans = telos.plan_many(LAMP, [{"oil": 1}, {"lit": True}, {"oil": 1}], ["see", "rest", "rest"])
    assert [answer.found for answer in plans] == [True, False, True]
    assert "nothing provides it" in plans[1].why()


def test_plan_many_plans_alone_for_game_calls_and_own_handles() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("at", "node"), telos.Variable("home", "node")],
        actions=[telos.Action("goto", parameters={"place": "node"}, effects="at = place", cost="far(at, place)")],
        goals=[telos.Goal("go", wants="at == home")],
        functions={"far": lambda here, there: float(there)},
    )
    plans = telos.plan_many(domain, [{"at": 1, "home": 2}, {"at": 3, "home": 3}, {"at": 5, "home": 4}], "go")
    assert [[str(step) for step in answer.steps] for answer in plans] == [["goto(2)"], [], ["goto(4)"]]
    assert plans.costs == [2.0, 0.0, 4.0]
    free = telos.Domain(
        variables=domain.variables,
        actions=[telos.Action("goto", parameters={"place": "node"}, effects="at = place")],
        goals=domain.goals,
    )
    plans = telos.plan_many(free, [{"at": "a", "home": "b"}, {"at": "c", "home": "d"}], "go")
    assert [str(answer.steps[0]) for answer in plans] == ["goto(b)", "goto(d)"]


def test_plan_many_finds_plans_longer_than_a_row() -> None:
    long = telos.Domain(
        variables=[telos.Variable("n", "int")],
        actions=[telos.Action("up", effects="n += 1")],
        goals=[telos.Goal("top", wants="n >= 100")],
    )
    (answer,) = telos.plan_many(long, {"n": [0]}, "top")
    assert len(answer.steps) == 100


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: telos.plan_many(LAMP, {"lit": [True], "oil": [1, 2]}, "see"), "same length"),
        (lambda: telos.plan_many(LAMP, {"lti": [True]}, "see"), "unknown variable 'lti'; did you mean 'lit'?"),
        (lambda: telos.plan_many(LAMP, {"oil": [1, "two"]}, "see"), "row 0: variable 'oil' holds int, not '1'"),
        (lambda: telos.plan_many(LAMP, {"lit": [False, None]}, "see"), "row 1: variable 'lit' holds bool, not None"),
        (
            lambda: telos.plan_many(LAMP, [{}, {}], ["see"]),
            "2 states and 1 goals; give one goal for all, or one for each",
        ),
        (lambda: telos.plan_many(LAMP, [{"oil": -0.5}], "see"), "variable 'oil' holds int, not -0.5"),
        (lambda: telos.Scheduler(Planner(LAMP)).run(0), "microseconds must be more than 0, got 0"),
        (lambda: telos.Scheduler(Planner(LAMP)).ask({"oill": 1}, "see"), "did you mean 'oil'?"),
        (lambda: telos.Replanner(LAMP, "sea"), "unknown goal 'sea'; did you mean 'see'?"),
        (lambda: telos.Replanner(LAMP, "see").update({"oil": "much"}), "variable 'oil' holds int, not 'much'"),
        (lambda: telos.Replanner(LAMP, "see").update({"oli": 1}), "unknown variable 'oli'; did you mean 'oil'?"),
    ],
)
def test_misuse_names_the_value_and_the_remedy(ask: Any, said: str) -> None:
    with pytest.raises(telos.TelosError) as caught:
        ask()
    assert said in str(caught.value)


def test_replanner_keeps_plan_after_irrelevant_change() -> None:
    mind = telos.Replanner(LAMP, "see", {"oil": 1})
    before = mind.answer
    assert mind.update({"mood": "afraid"}) is before
    assert mind.update({"oil": 2}) is before  # there was enough before
    assert mind.searches == 1


def test_replanner_remembers_known_states() -> None:
    mind = telos.Replanner(LAMP, "see", {"oil": 0})
    for _ in range(5):
        mind.update({"oil": 1})
        mind.update({"oil": 0})
    assert mind.searches <= 2
    assert [step.name for step in mind.answer.steps] == ["fetch-oil", "light"]


def hard(steps: int) -> telos.Domain:
    """A search that is long because the estimate knows nothing of the goal."""
    return telos.Domain(
        variables=[telos.Variable("n", "int"), telos.Variable("m", "int")],
        actions=[telos.Action("up", effects="n += 1"), telos.Action("across", effects="m += 1")],
        goals=[telos.Goal("far", wants=f"n + m == {steps}"), telos.Goal("near", wants="n + m == 1")],
    )


def test_scheduler_interrupts_a_long_search_for_others() -> None:
    ticks = itertools.count()
    scheduler = telos.Scheduler(
        Planner(hard(700)), budget=10**6, clock=lambda: next(ticks) * 1e-5
    )  # a look at the clock is 10 µs
    long = scheduler.ask({}, "far")
    short = [scheduler.ask({"m": -number}, "near") for number in range(20)]
    frames = 0
    while not all(ticket.done for ticket in short):
        scheduler.run(microseconds=500)
        frames += 1
        assert frames < 50
    assert not long.done  # the long one was asked for first, and did not hold up the others
    while not long.done:
        scheduler.run(microseconds=4000)
        assert long.waited < 10_000
    assert long.answer is not None
    assert long.answer.cost == 700


def test_search_continues_in_larger_workspaces() -> None:
    domain = hard(120)
    planner, start = Planner(domain), domain.state()
    prepared = planner.prepare(domain.goal("far"), start, planner.handles(start, {}))
    words, numbers = prepared.reader.read(start.array, planner.handles(start, {}))
    ended = [
        runner.run(words, numbers, SearchLimits(budget=100_000))
        for runner in (prepared.engine.plain, prepared.engine.compiled, prepared.engine.compiled)
    ]
    assert ended[0].expanded > 5_000  # far more than the first room holds
    assert ended[0].cost == 120
    assert ended[0] == ended[1] == ended[2]


def test_scheduler_ends_a_frame_when_its_time_is_up() -> None:
    now = itertools.count()
    scheduler = telos.Scheduler(Planner(LAMP), clock=lambda: next(now) * 1e-3)  # a look at the clock is a millisecond
    for number in range(100):
        scheduler.ask({"oil": number}, "see")
    answered = scheduler.run(microseconds=10_000)
    assert 0 < answered < 11
    assert len(scheduler) == 100 - answered


def test_counted_run_ends_after_its_expansions() -> None:
    scheduler = telos.Scheduler(Planner(hard(40)), clock=None)
    ticket = scheduler.ask({}, "far")
    frames = 0
    while not ticket.done:
        before = scheduler.expanded
        scheduler.run(expansions=100)
        assert scheduler.expanded - before == 100 or ticket.done
        frames += 1
    assert ticket.answer is not None
    assert ticket.answer.cost == 40
    assert frames == ticket.waited == -(-ticket.expanded // 100)


def test_counted_run_interrupts_a_long_search_for_others() -> None:
    scheduler = telos.Scheduler(Planner(hard(200)), clock=None)
    long = scheduler.ask({}, "far")
    short = [scheduler.ask({"m": -number}, "near") for number in range(5)]
    scheduler.run(expansions=1_000)
    assert all(ticket.done for ticket in short)
    assert not long.done
    assert scheduler.waiting == (long,)


def test_scheduler_takes_a_planner_per_request() -> None:
    scheduler = telos.Scheduler(Planner(LAMP), clock=None)
    lamplighter = scheduler.ask({"oil": 0}, "see")
    idler = scheduler.ask({"oil": 0}, "see", Planner(LAMP, [LAMP.actions[0]]))
    assert scheduler.run(expansions=100) == 2
    assert lamplighter.answer is not None
    assert idler.answer is not None
    assert (lamplighter.answer.found, idler.answer.found) == (True, False)


def test_scheduler_recalls_only_cached_answers() -> None:
    scheduler = telos.Scheduler(Planner(LAMP), clock=None)
    state = LAMP.state({"oil": 1})
    assert scheduler.recall(state, "see") is None
    ticket = scheduler.ask(state, "see")
    assert scheduler.recall(state, "see") is None
    scheduler.run(expansions=100)
    assert scheduler.recall(state, "see") is ticket.answer
    assert scheduler.recall(LAMP.state({"oil": 2}), "see") is None
    again = scheduler.ask(state, "see")
    before = scheduler.expanded
    scheduler.run(expansions=100)
    assert again.answer is ticket.answer
    assert scheduler.expanded == before + 1


def test_recalled_answer_depends_on_current_game_values() -> None:
    said = [True]
    domain = telos.Domain(
        variables=[telos.Variable("in", "bool")],
        actions=[telos.Action("enter", preconditions="is_open()", effects="in = true")],
        goals=[telos.Goal("visit", wants="in")],
        functions={"is_open": lambda: said[0]},
    )
    scheduler = telos.Scheduler(Planner(domain), clock=None)
    ticket = scheduler.ask({}, "visit")
    scheduler.run(expansions=100)
    assert scheduler.recall(domain.state(), "visit") is ticket.answer
    said[0] = False
    assert scheduler.recall(domain.state(), "visit") is None
    said[0] = True
    assert scheduler.recall(domain.state(), "visit") is ticket.answer


def test_withdrawn_request_is_dropped_even_twice() -> None:
    scheduler = telos.Scheduler(Planner(hard(60)), clock=None)
    long, other = scheduler.ask({}, "far"), scheduler.ask({}, "near")
    scheduler.run(expansions=64)
    scheduler.withdraw(long)
    scheduler.withdraw(long)
    worked = long.expanded
    while not other.done:
        scheduler.run(expansions=64)
    scheduler.run(expansions=64)
    assert (len(scheduler), long.done, long.expanded) == (0, False, worked)


def test_resumed_search_equals_uninterrupted_search() -> None:
    steady = telos.Scheduler(Planner(hard(30)), clock=None)
    whole = steady.ask({}, "far")
    steady.run(expansions=150)
    other = telos.Scheduler(Planner(hard(30)), clock=None)
    resumed = other.resume({}, "far", other._planner, whole.expanded)
    assert resumed.expanded == whole.expanded == 150
    while not whole.done:
        assert not resumed.done
        steady.run(expansions=10)
        other.run(expansions=10)
    assert resumed.answer is not None
    assert whole.answer is not None
    assert resumed.answer == whole.answer
    assert resumed.expanded == whole.expanded


def test_request_has_a_fault_if_a_game_function_raises() -> None:
    def broken() -> bool:
        raise LookupError("no map")

    domain = telos.Domain(
        variables=[telos.Variable("in", "bool"), telos.Variable("fed", "bool")],
        actions=[
            telos.Action("enter", preconditions="is_open()", effects="in = true"),
            telos.Action("eat", effects="fed = true"),
        ],
        goals=[telos.Goal("visit", wants="in"), telos.Goal("food", wants="fed")],
        functions={"is_open": broken},
    )
    scheduler = telos.Scheduler(Planner(domain), clock=None)
    visit, food = scheduler.ask({}, "visit"), scheduler.ask({}, "food")
    scheduler.run(expansions=100)
    assert (visit.done, visit.answer) == (True, None)
    assert "'enter': is_open() raised LookupError: no map" in str(visit.fault)
    assert food.fault is None
    assert food.answer is not None
    assert len(scheduler) == 0


@pytest.mark.parametrize("expansions", [0, -3, 2.5, True])
def test_counted_run_takes_an_integer_number_of_expansions(expansions: Any) -> None:
    with pytest.raises(telos.TelosError, match="expansions must be a whole number of nodes, at least 1, got"):
        telos.Scheduler(Planner(LAMP), clock=None).run(expansions=expansions)


def test_scheduler_without_a_clock_rejects_a_time() -> None:
    with pytest.raises(telos.TelosError, match="expansions"):
        telos.Scheduler(Planner(LAMP), clock=None).run(microseconds=100)
