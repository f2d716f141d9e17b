"""Costs of goals: bounds never exceed them, searches find them, and kernels say the same compiled and not."""

import heapq
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core import kernels
from telos.recognition.strips import costs as costs_module
from telos.recognition.strips.costs import GoalCosts, SearchBudget
from telos.recognition.strips.problem import StripsAction, StripsGoal, StripsProblem

FACTS = 6
ENOUGH = 10_000_000
INF = float("inf")
some_facts = st.frozensets(st.integers(0, FACTS - 1), max_size=3).map(lambda each: tuple(sorted(each)))


@st.composite
def problems(draw: st.DrawFn) -> StripsProblem:
    actions = []
    for i in range(draw(st.integers(1, 6))):
        needs, adds, deletes = (draw(some_facts) for _ in range(3))
        deletes = tuple(fact for fact in deletes if fact not in adds)
        actions.append(StripsAction(f"(act {i})", needs, adds, deletes, float(draw(st.integers(0, 3)))))
    goals = tuple(StripsGoal(f"goal {i}", draw(some_facts)) for i in range(2))
    return StripsProblem(tuple(f"({i})" for i in range(FACTS)), draw(some_facts), tuple(actions), goals)


def oracle(problem: StripsProblem, goal: int, observed: Sequence[int] = (), drop: float | None = None) -> float:
    """Uniform-cost search over facts and how many observations were explained: slow and obvious."""
    wants = set(problem.goals[goal].wants or ())
    queue: list[tuple[float, tuple[int, ...], int]] = [(0.0, tuple(sorted(problem.start)), 0)]
    done = set()
    while queue:
        cost, facts, seen = heapq.heappop(queue)
        if (facts, seen) in done:
            continue
        done.add((facts, seen))
        if wants <= set(facts) and seen == len(observed):
            return cost
        if drop is not None and seen < len(observed):
            heapq.heappush(queue, (cost + drop, facts, seen + 1))
        for i, action in enumerate(problem.actions):
            if set(action.needs) <= set(facts):
                after = tuple(sorted((set(facts) - set(action.deletes)) | set(action.adds)))
                heapq.heappush(queue, (cost + action.cost, after, seen))
                if seen < len(observed) and observed[seen] == i:
                    heapq.heappush(queue, (cost + action.cost, after, seen + 1))
    return INF


@settings(max_examples=150, deadline=None)
@given(problems())
def test_a_search_finds_what_a_slow_one_finds_and_bounds_stay_below(problem: StripsProblem) -> None:
    costs = GoalCosts(problem)
    for goal in range(2):
        truth = oracle(problem, goal)
        found = costs.search(goal, budget=SearchBudget(work=ENOUGH))
        assert found.is_exact
        assert found.least == truth
        assert costs.bounds[goal] <= truth


@settings(max_examples=150, deadline=None)
@given(problems(), st.data())
def test_observed_actions_are_part_of_the_plan_in_their_order(problem: StripsProblem, data: st.DataObject) -> None:
    observed = data.draw(st.lists(st.integers(0, len(problem.actions) - 1), max_size=3))
    drop = data.draw(st.none() | st.sampled_from([0.5, 2.0]))
    costs = GoalCosts(problem, [(each,) for each in observed], drop)
    for goal in range(2):
        truth = oracle(problem, goal, observed, drop)
        assert costs.search(goal, budget=SearchBudget(work=ENOUGH)).least == truth
        assert costs.bounds[goal] <= truth


@settings(max_examples=100, deadline=None)
@given(problems())
def test_every_plan_found_replays_to_its_goal_at_its_cost(problem: StripsProblem) -> None:
    named = {action.name: action for action in problem.actions}
    for goal in range(2):
        found = GoalCosts(problem).search(goal, budget=SearchBudget(work=ENOUGH))
        facts, cost = set(problem.start), 0.0
        for name in found.steps:
            assert set(named[name].needs) <= facts
            facts = (facts - set(named[name].deletes)) | set(named[name].adds)
            cost += named[name].cost
        if found.least < INF:
            assert set(problem.goals[goal].wants or ()) <= facts
            assert cost == found.least


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from([0, 3, 30, 300]), st.sampled_from([1.0, 2.0, INF]))
def test_a_search_that_is_cut_short_still_tells_a_lower_bound(
    problem: StripsProblem, budget: int, limit: float
) -> None:
    for goal in range(2):
        truth = oracle(problem, goal)
        found = GoalCosts(problem).search(goal, budget=SearchBudget(work=budget), limit=limit)
        assert found.least <= truth
        if found.is_exact:
            assert found.least == truth


@pytest.mark.skipif(not kernels.is_installed(), reason="there is no compiler to compare with")
@settings(max_examples=40, deadline=None)
@given(problems())
def test_kernels_say_the_same_compiled_and_as_they_are_written(problem: StripsProblem) -> None:
    fast = GoalCosts(problem)
    compiled = [fast.search(goal, budget=SearchBudget(work=6000)) for goal in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs_module, "kernel", kernels.plain)
        written = GoalCosts(problem)
        assert [written.search(goal, budget=SearchBudget(work=6000)) for goal in range(2)] == compiled
        assert written.bounds == fast.bounds


def test_an_action_that_a_goal_needs_has_a_long_way_round() -> None:
    actions = (
        StripsAction("(walk)", (0,), (1,), (0,)),
        StripsAction("(ride)", (0,), (1,), (0,)),
        StripsAction("(open)", (1,), (2,), ()),
    )
    problem = StripsProblem(("home", "door", "open"), (0,), actions, (StripsGoal("in", (2,)),))
    costs = GoalCosts(problem)
    walk, opened = costs.detours([0, 2], 10.0, costs.bounds, SearchBudget())
    assert walk == (0.0,)
    assert opened == (10.0,)


def test_costs_that_are_no_whole_numbers_are_kept() -> None:
    actions = (StripsAction("(a)", (), (0,), (), 0.25), StripsAction("(b)", (0,), (1,), (), 1.5))
    problem = StripsProblem(("a", "b"), (), actions, (StripsGoal("b", (1,)),))
    assert GoalCosts(problem).search(0, budget=SearchBudget(work=ENOUGH)).least == 1.75
