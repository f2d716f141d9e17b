"""Prefixes, and Ramírez and Geffner's method: costs with and without the observations, against trying all sequences."""

import math
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recognition.strips.test_recognize import street
from telos.core.errors import TelosError
from telos.recognition.strips import StripsAction, StripsGoal, StripsProblem, recognize
from telos.recognition.strips.costs import GoalCosts, SearchBudget

FACTS, LONGEST = 4, 4
WORK = 10_000_000
INF = float("inf")
some_facts = st.frozensets(st.integers(0, FACTS - 1), max_size=2).map(lambda each: tuple(sorted(each)))


@st.composite
def problems(draw: st.DrawFn) -> StripsProblem:
    """Problems with costs of at least 1: a plan that costs up to ``LONGEST`` has at most as many steps."""
    actions = []
    for i in range(draw(st.integers(1, 4))):
        needs, adds, deletes = (draw(some_facts) for _ in range(3))
        deletes = tuple(fact for fact in deletes if fact not in adds)
        actions.append(StripsAction(f"(act {i})", needs, adds, deletes, float(draw(st.integers(1, 2)))))
    goals = tuple(StripsGoal(f"goal {i}", draw(some_facts)) for i in range(2))
    return StripsProblem(tuple(f"({i})" for i in range(FACTS)), draw(some_facts), tuple(actions), goals)


def plans(problem: StripsProblem, goal: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield every sequence of up to ``LONGEST`` actions that ends with the goal, and its cost."""
    for length in range(LONGEST + 1):
        for plan in product(range(len(problem.actions)), repeat=length):
            facts = set(problem.start)
            for each in plan:
                action = problem.actions[each]
                if not set(action.needs) <= facts:
                    break
                facts = (facts - set(action.deletes)) | set(action.adds)
            else:
                if set(problem.goals[goal].wants or ()) <= facts:
                    yield plan, sum(problem.actions[each].cost for each in plan)


def contains(plan: Sequence[int], seen: Sequence[int], protocol: str) -> bool:
    if protocol == "prefix":
        return list(plan[: len(seen)]) == list(seen)
    rest = iter(plan)
    return all(each in rest for each in seen)


def cheapest(problem: StripsProblem, goal: int, seen: Sequence[int], protocol: str, is_avoided: bool) -> float:
    costs = [
        cost for plan, cost in plans(problem, goal) if contains(plan, seen, protocol) != is_avoided and cost <= LONGEST
    ]
    return min(costs, default=INF)


@pytest.mark.parametrize("protocol", ["sampled", "prefix"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(), data=st.data())
def test_costs_with_and_without_observations_are_those_of_all_sequences(
    protocol: str, problem: StripsProblem, data: st.DataObject
) -> None:
    seen = data.draw(st.lists(st.integers(0, len(problem.actions) - 1), min_size=1, max_size=3))
    observed = [(each,) for each in seen]
    for is_avoided in (False, True):
        costs = GoalCosts(problem, observed, is_prefix=protocol == "prefix", is_avoided=is_avoided)
        for goal in range(2):
            truth = cheapest(problem, goal, seen, protocol, is_avoided)
            found = costs.search(goal, budget=SearchBudget(work=WORK))
            assert found.is_exact
            assert found.least == truth or min(found.least, truth) > LONGEST
            assert costs.bounds[goal] <= found.least
            greedy = costs.search(goal, budget=SearchBudget(work=WORK), is_greedy=True)
            assert greedy.least <= found.least <= greedy.most


@pytest.mark.parametrize("protocol", ["sampled", "prefix"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(), data=st.data(), beta=st.sampled_from([0.3, 1.0, 4.0]))
def test_plain_reading_is_the_logistic_function_of_the_cost_difference(
    protocol: str, problem: StripsProblem, data: st.DataObject, beta: float
) -> None:
    seen = data.draw(st.lists(st.integers(0, len(problem.actions) - 1), min_size=1, max_size=2))
    names = [problem.actions[each].name for each in seen]
    prior = [3.0, 1.0]
    reading = recognize(problem, names, method="ramirez-geffner", protocol=protocol, beta=beta, prior=prior, work=WORK)
    assert reading.complete
    weights = []
    for goal in range(2):
        explained, avoided = (cheapest(problem, goal, seen, protocol, each) for each in (False, True))
        if explained == INF or avoided == INF:
            return  # dearer than what the slow way tries, or impossible
        weights.append(prior[goal] / (1 + math.exp(beta * (explained - avoided))))
    assert list(reading.belief.values()) == pytest.approx([each / sum(weights) for each in weights])
    assert reading.chosen == tuple(i for i, each in enumerate(weights) if math.isclose(each, max(weights)))


@settings(max_examples=40, deadline=None)
@given(problem=problems(), data=st.data(), temperature=st.sampled_from([0.5, 1.0, 3.0]))
def test_prefix_is_weighed_by_what_it_wastes(problem: StripsProblem, data: st.DataObject, temperature: float) -> None:
    seen = data.draw(st.lists(st.integers(0, len(problem.actions) - 1), max_size=2))
    names = [problem.actions[each].name for each in seen]
    reading = recognize(problem, names, protocol="prefix", noise=None, temperature=temperature, within=1e-6, work=WORK)
    wasted = []
    for goal in range(2):
        explained, best = (cheapest(problem, goal, each, "prefix", False) for each in (seen, []))
        if explained == INF:
            return
        wasted.append((explained - best) / problem.step)
    if all(cost.is_exact for cost in reading.costs):
        weights = [math.exp(-each / temperature) for each in wasted]
        assert list(reading.belief.values()) == pytest.approx([each / sum(weights) for each in weights])


def fork() -> StripsProblem:
    """Two steps that lead to both goals, one more for the near goal, and three for the far one."""
    steps = [(0, 1), (1, 2), (2, 3), (2, 4), (4, 5), (5, 6)]
    actions = tuple(StripsAction(f"(go {here} {there})", (here,), (there,), (here,)) for here, there in steps)
    goals = (StripsGoal("near", (3,)), StripsGoal("far", (6,)))
    return StripsProblem(tuple(f"(at {place})" for place in range(7)), (0,), actions, goals)


def test_first_steps_that_lead_to_both_goals_tell_nothing() -> None:
    seen = ["(go 0 1)", "(go 1 2)"]
    assert recognize(fork(), seen, protocol="prefix").belief["near"] == pytest.approx(0.5)
    assert recognize(fork(), seen, protocol="prefix").chosen == (0, 1)
    assert recognize(fork(), seen).belief["near"] > 0.7  # two steps of three, where any steps may be seen
    assert recognize(fork(), [*seen, "(go 2 4)"], protocol="prefix").belief.top == "far"


def test_prefix_does_not_skip_steps() -> None:
    seen = ["(go 6 7)"]  # not possible at first
    assert recognize(street(), seen, noise=None).belief.top == "school"
    reading = recognize(street(), seen, protocol="prefix", noise=None)
    assert reading.chosen == ()
    assert recognize(street(), seen, protocol="prefix").belief["school"] == pytest.approx(0.5)  # taken for wrong


def test_plain_reading_on_the_street_has_its_published_form() -> None:
    reading = recognize(street(), ["(go 5 6)"], method="ramirez-geffner", beta=0.5, work=WORK)
    school, shop = 1.0, 1 / (1 + math.exp(0.5 * (7 - 5)))  # there is no other way to school
    assert reading.belief["school"] == pytest.approx(school / (school + shop))
    assert [(cost.seen, cost.avoiding) for cost in reading.costs] == [(7, 5), (5, INF)]
    assert "shop: costs 5, with what was seen 7, in another way 5" in reading.why()
    assert "school: costs 5, with what was seen 5; impossible in another way" in reading.why()


@pytest.mark.parametrize("beta", [100.0, 1000.0, 1e6])
def test_goals_that_are_all_very_unlikely_are_still_compared(beta: float) -> None:
    """All wasted steps, some less: the chance of each underflows, and its ratio to the likeliest does not."""
    seen = ["(go 4 5)", "(go 5 4)", "(go 4 3)"]
    places = tuple(f"(at {place})" for place in range(9))
    steps = [(here, there) for here in range(9) for there in (here - 1, here + 1) if 0 <= there < 9]
    actions = tuple(StripsAction(f"(go {a} {b})", (a,), (b,), (a,)) for a, b in steps)
    goals = tuple(StripsGoal(f"place {place}", (place,)) for place in (0, 4, 8))
    found = recognize(StripsProblem(places, (4,), actions, goals), seen, method="ramirez-geffner", beta=beta, work=WORK)
    assert found.chosen == (0,)
    assert list(found.belief.values()) == pytest.approx([1.0, 0.0, 0.0])
    assert found.notes == ()


def test_huge_priors_are_ratios_like_others() -> None:
    problem = street()
    for method in ("telos", "ramirez-geffner"):
        found, same = (
            recognize(problem, [], method=method, prior=[size] * len(problem.goals), work=WORK) for size in (1e308, 1.0)
        )
        assert dict(found.belief) == dict(same.belief)


def test_plain_reading_of_nothing_is_the_prior() -> None:
    reading = recognize(street(), [], method="ramirez-geffner", prior=[3, 1])
    assert reading.belief["shop"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"protocol": "all"}, "there is no protocol 'all'.*sampled, prefix"),
        ({"method": "rg"}, "there is no method 'rg'.*ramirez-geffner"),
        ({"method": "ramirez-geffner", "beta": 0.0}, "beta must be more than 0"),
        ({"beta": math.nan}, "beta"),
    ],
)
def test_unknown_methods_are_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(TelosError, match=said):
        recognize(street(), [], **options)  # type: ignore[arg-type]
