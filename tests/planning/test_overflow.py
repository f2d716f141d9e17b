"""Branches whose numbers overflow are dropped and noted; the answer is that of the rest."""

import heapq
import math
from random import Random

import pytest

import telos
from telos.planning import Planner, Replanner, Scheduler, plan_many
from telos.planning.htn import Method, TaskNetwork, plan_tasks
from telos.planning.search import SearchLimits

LIMIT = 2**53


def squaring() -> telos.Domain:
    return telos.Domain(
        variables=[telos.Variable("x", "int", 3), telos.Variable("done", "bool")],
        actions=[
            telos.Action("square", effects="x = x * x", cost=0),
            telos.Action("end", preconditions="x >= 3", effects="done = true", cost=30),
        ],
        goals=[telos.Goal("finish", wants="done"), telos.Goal("five", wants="x == 5")],
    )


def test_squaring_action_does_not_spoil_the_plan() -> None:
    answer = telos.plan(squaring(), {}, "finish")
    assert (answer.steps[-1].name, answer.cost) == ("end", 30)
    assert "'x' exceeded 2**53; first by action 'square'." in answer.why().splitlines()[-1]


def test_answer_without_a_plan_names_what_was_dropped() -> None:
    answer = telos.plan(squaring(), {"x": 4}, "five")
    assert not answer.found
    assert "the goal five" in answer.why()
    assert "one branch was dropped because 1.84467e+19 of 'x' exceeded 2**53" in answer.why()


def test_crowds_schedulers_and_replanners_drop_the_same_branches() -> None:
    domain = squaring()
    told = telos.plan(domain, {}, "finish").why()
    assert plan_many(domain, [{"x": 3}, {"x": 3}], "finish")[1].why() == told
    assert plan_many(domain, {"x": [3, 3]}, "finish").costs == [30, 30]
    scheduler = Scheduler(Planner(domain), clock=None)
    ticket = scheduler.ask({"x": 3}, "finish")
    scheduler.run(expansions=1000)
    assert ticket.answer is not None
    assert ticket.answer.why() == told
    replanner = Replanner(domain, "finish", {"x": 1})
    assert not replanner.answer.found
    assert replanner.update({"x": 3}).why() == told


def test_refused_update_of_a_replanner_leaves_it_as_it_was() -> None:
    replanner = Replanner(squaring(), "finish", {"x": 3})
    with pytest.raises(telos.TelosError, match=r"2\*\*53"):
        replanner.update({"x": 2**60})
    assert replanner.state["x"] == 3


@pytest.mark.parametrize("column", [[2**60, 1], [2**70, 1], [10**400, 1]])
def test_columns_of_too_large_numbers_are_refused(column: list[int]) -> None:
    with pytest.raises(telos.TelosError, match="'x'"):
        plan_many(squaring(), {"x": column}, "finish")


def test_overflow_inside_an_expression_drops_the_branch() -> None:
    huge = " * ".join(["1e300"] * 3)
    domain = telos.Domain(
        variables=[telos.Variable("x", "number", 1.0), telos.Variable("done", "bool")],
        actions=[
            telos.Action("grow", effects=f"x = x * {huge}"),
            telos.Action("dear", effects="done = true", cost=f"x * {huge}"),
            telos.Action("vague", preconditions=f"x * {huge} - x * {huge} == 0", effects="done = true"),
            telos.Action("end", effects="done = true", cost=5),
        ],
        goals=[telos.Goal("finish", wants="done"), telos.Goal("vague", wants=f"x * {huge} < 1")],
    )
    answer = telos.plan(domain, {}, "finish")
    assert [step.name for step in answer.steps] == ["end"]
    assert "3 branches were dropped because" in answer.why()
    assert "first by the goal" in telos.plan(domain, {}, "vague").why()


def test_task_networks_drop_the_branch_too() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("x", "int", 3)],
        actions=[telos.Action("square", effects="x = x * x"), telos.Action("end", cost=30)],
    )
    grow = [Method("work", "more", subtasks=["square", "work"]), Method("work", "stop", subtasks="end")]
    first = plan_tasks(TaskNetwork(domain, grow), {}, "work", optimal=False)
    assert isinstance(first, telos.Plan)
    assert first.steps[-1].name == "end"
    assert "'x' exceeded 2**53; first by action 'square'." in first.why()
    stop = Method("work", "stop", condition="x < 0", subtasks="end")
    never = plan_tasks(TaskNetwork(domain, [grow[0], stop]), {}, "work")
    assert not never.found
    assert "dropped because" in never.why()


# --- against a slow search that drops ---

OPERATIONS = ["x = x * x", "x = x * y", "y = y + 1", "x = x - y", "y = x * x * x", "x = 2", "y = y * -3"]


def random_domain(rng: Random) -> telos.Domain:
    actions = [
        telos.Action(
            f"act{i}",
            preconditions=rng.choice(["true", "x > y", "y < 100", "x != 4"]),
            effects=effects,
            cost=rng.choice([1, 2, 3]),
        )
        for i, effects in enumerate(rng.sample(OPERATIONS, rng.randint(2, 4)))
    ]
    wants = rng.choice(
        [f"x == {rng.randint(-50, 50)}", f"x * y > {10 ** rng.randint(1, 15)}", f"y == {rng.randint(3, 9)}"]
    )
    return telos.Domain(
        variables=[telos.Variable("x", "int", rng.randint(-9, 9)), telos.Variable("y", "int", rng.randint(-9, 9))],
        actions=actions,
        goals=[telos.Goal("goal", wants=wants)],
    )


def cheapest(domain: telos.Domain, most: int) -> float | None:
    """Return the least cost within ``most`` states, without states whose numbers are too large; None if not known."""
    start, wants = domain.state(), domain.goals[0].wants
    assert wants is not None
    best, queue, age, done = {start.array: 0.0}, [(0.0, 0, start)], 0, 0
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > best[state.array]:
            continue
        if wants.holds(state):
            return cost
        done += 1
        if done > most:
            return None
        for action in domain.actions:
            if not action.preconditions.holds(state):
                continue
            after, total = action.result(state), cost + float(action.cost.value)  # type: ignore[union-attr]
            if all(abs(value) <= LIMIT for value in after.array) and total < best.get(after.array, math.inf):
                best[after.array], age = total, age + 1
                heapq.heappush(queue, (total, age, after))
    return math.inf


@pytest.mark.parametrize("seed", range(150))
def test_plans_cost_as_much_as_those_of_a_slow_search_that_drops(seed: int) -> None:
    domain = random_domain(Random(seed))
    known = cheapest(domain, 300)
    if known is None:
        return
    planner = Planner(domain)
    assert planner.plan({}, "goal", budget=20_000).cost == known
    state = domain.state()
    prepared = planner.prepare(domain.goals[0], state, planner.handles(state, {}))
    words, numbers = prepared.reader.read(state.array, planner.handles(state, {}))
    runners = [prepared.engine.plain]
    if telos.warm_up():
        runners.append(prepared.engine.compiled)
    results = [each.run(words, numbers, SearchLimits(budget=20_000)) for each in runners]
    assert len(set(results)) == 1
