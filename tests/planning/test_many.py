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


def test_a_crowd_may_be_given_as_arrays_a_variable_each() -> None:
    plans = telos.plan_many(LAMP, {"lit": np.array([True, False, False]), "oil": np.array([0, 0, 2])}, "see")
    assert [[step.name for step in answer.steps] for answer in plans] == [[], ["fetch-oil", "light"], ["light"]]
    assert (len(plans), plans.costs, len(plans[1:])) == (3, [0.0, 4.0, 1.0], 2)


def test_everybody_in_a_crowd_may_want_something_else() -> None:
    plans = telos.plan_many(LAMP, [{"oil": 1}, {"lit": True}, {"oil": 1}], ["see", "rest", "rest"])
    assert [answer.found for answer in plans] == [True, False, True]
    assert "nothing provides it" in plans[1].why()


def test_members_of_a_crowd_that_ask_the_game_or_have_handles_of_their_own_get_their_own_plans() -> None:
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


def test_a_plan_longer_than_a_row_holds_is_found_all_the_same() -> None:
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
def test_misuse_is_answered_with_the_value_and_the_remedy(ask: Any, said: str) -> None:
    with pytest.raises(telos.TelosError) as caught:
        ask()
    assert said in str(caught.value)


def test_a_change_that_does_not_matter_for_the_goal_leaves_the_very_same_plan() -> None:
    mind = telos.Replanner(LAMP, "see", {"oil": 1})
    before = mind.answer
    assert mind.update({"mood": "afraid"}) is before
    assert mind.update({"oil": 2}) is before  # there was enough before
    assert mind.searches == 1


def test_a_situation_that_was_met_before_is_remembered() -> None:
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


def test_a_long_search_gives_way_and_goes_on_so_that_nobody_waits_for_it() -> None:
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


def test_a_search_that_outgrows_its_room_moves_into_larger_ones_and_goes_on() -> None:
    domain = hard(120)
    planner, start = Planner(domain), domain.state()
    prepared = planner.prepare(domain.goal("far"), start, planner.handles(start, {}))
    words, numbers = prepared.reader.read(start.array, planner.handles(start, {}))
    ended = [
        runner.run(words, numbers, SearchLimits(budget=100_000), float)
        for runner in (prepared.engine.plain, prepared.engine.compiled, prepared.engine.compiled)
    ]
    assert ended[0].expanded > 5_000  # far more than the first room holds
    assert ended[0].cost == 120
    assert ended[0] == ended[1] == ended[2]


def test_a_frame_ends_when_its_time_is_up() -> None:
    now = itertools.count()
    scheduler = telos.Scheduler(Planner(LAMP), clock=lambda: next(now) * 1e-3)  # a look at the clock is a millisecond
    for number in range(100):
        scheduler.ask({"oil": number}, "see")
    answered = scheduler.run(microseconds=10_000)
    assert 0 < answered < 11
    assert len(scheduler) == 100 - answered


def test_a_run_may_be_counted_and_then_it_ends_after_so_many_expansions() -> None:
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


def test_counted_runs_give_way_too_so_that_nobody_waits_for_a_long_search() -> None:
    scheduler = telos.Scheduler(Planner(hard(200)), clock=None)
    long = scheduler.ask({}, "far")
    short = [scheduler.ask({"m": -number}, "near") for number in range(5)]
    scheduler.run(expansions=1_000)
    assert all(ticket.done for ticket in short)
    assert not long.done
    assert scheduler.waiting == (long,)


def test_characters_with_actions_of_their_own_bring_their_own_planner() -> None:
    scheduler = telos.Scheduler(Planner(LAMP), clock=None)
    lamplighter = scheduler.ask({"oil": 0}, "see")
    idler = scheduler.ask({"oil": 0}, "see", Planner(LAMP, [LAMP.actions[0]]))
    assert scheduler.run(expansions=100) == 2
    assert lamplighter.answer is not None
    assert idler.answer is not None
    assert (lamplighter.answer.found, idler.answer.found) == (True, False)


def test_what_was_answered_is_recalled_at_once_and_what_was_not_is_not() -> None:
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


def test_an_answer_that_rests_on_what_the_game_said_is_recalled_only_while_it_says_so() -> None:
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


def test_who_withdraws_is_not_worked_for_and_may_do_so_twice() -> None:
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


def test_a_search_that_was_resumed_finds_the_same_plan_after_as_many_expansions_as_one_that_was_never_left() -> None:
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


def test_a_request_over_which_the_game_raises_has_a_fault_and_the_others_their_answers() -> None:
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
def test_a_counted_run_takes_a_whole_number_of_expansions(expansions: Any) -> None:
    with pytest.raises(telos.TelosError, match="expansions must be a whole number of nodes, at least 1, got"):
        telos.Scheduler(Planner(LAMP), clock=None).run(expansions=expansions)


def test_a_scheduler_without_a_clock_does_not_work_by_time() -> None:
    with pytest.raises(telos.TelosError, match="expansions"):
        telos.Scheduler(Planner(LAMP), clock=None).run(microseconds=100)
