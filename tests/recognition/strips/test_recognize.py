"""Recognition by planning: who does what a goal needs is after it, and what is odd about the input is said."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recognition.strips.test_costs import oracle, problems
from telos.core.errors import TelosError
from telos.planning.pddl.parser import read_domain, read_problem
from telos.planning.pddl.syntax import PddlSource
from telos.recognition.strips import StripsAction, StripsGoal, StripsProblem, costs, recognize, strips_problem
from telos.recognition.strips.costs import GoalCosts, SearchBudget
from telos.recognition.strips.problem import read_shared_problem
from telos.recognition.strips.recognize import TEMPERATURE, compile_kernels

DATA = Path(__file__).parent / "data"
FIVE = 5


def street(length: int = FIVE) -> StripsProblem:
    """A street with a shop at one end, a school at the other, and somebody in the middle."""
    places = range(2 * length + 1)
    steps = [(here, there) for here in places for there in (here - 1, here + 1) if there in places]
    actions = tuple(StripsAction(f"(go {here} {there})", (here,), (there,), (here,)) for here, there in steps)
    goals = (StripsGoal("shop", (0,)), StripsGoal("school", (2 * length,)))
    return StripsProblem(tuple(f"(at {place})" for place in places), (length,), actions, goals)


def test_a_step_towards_a_goal_speaks_for_it() -> None:
    reading = recognize(street(), ["(go 5 6)", "(go 6 7)"])
    assert reading.belief.top == "school"
    assert reading.chosen == (1,)
    assert reading.costs[1].extra == 0
    assert reading.costs[0].extra > 0


def test_no_observations_leave_the_prior() -> None:
    reading = recognize(street(), [], prior=[3, 1])
    assert reading.belief["shop"] == pytest.approx(0.75)
    assert recognize(street(), []).chosen == (0, 1)


def test_choice_is_proved_and_costs_that_are_called_exact_are() -> None:
    reading = recognize(street(), ["(go 5 6)", "(go 6 5)"], noise=None, within=0.6, work=6_000_000)
    assert reading.complete
    assert reading.chosen == (1,)
    assert [cost.best for cost in reading.costs] == [5, 5]
    assert all(cost.seen == 7 for cost in reading.costs if cost.is_exact)


def exact_scores(problem: StripsProblem, seen: list[int], noise: float | None) -> list[float]:
    """The likelihoods of the documented rule, at the costs that a slow search finds."""
    drop = None if noise is None else noise * problem.step
    plain, found = GoalCosts(problem), []
    detours = plain.detours(sorted(set(seen)), 10 * problem.step, plain.bounds, SearchBudget())
    rows = dict(zip(sorted(set(seen)), detours, strict=True))
    for goal in range(len(problem.goals)):
        best, explained = oracle(problem, goal), oracle(problem, goal, seen, drop)
        if explained == math.inf:
            found.append(0.0)
            continue
        steps = max(explained / problem.step, len(seen))
        ways = math.lgamma(steps + 1) - math.lgamma(len(seen) + 1) - math.lgamma(steps - len(seen) + 1)
        needed = math.fsum(math.log1p(math.exp(-rows[each][goal] / problem.step / 2)) for each in seen)
        wasted = (explained - best) / problem.step / TEMPERATURE
        found.append(math.exp(-wasted - ways - math.log(steps + 1) - 1.5 * needed))
    return found


@settings(max_examples=120, deadline=None)
@given(problems(), st.data(), st.sampled_from([0, 300, 3000, 10**7]), st.sampled_from([0.05, 0.4, 0.9]))
def test_choice_that_is_called_proved_is_that_of_exact_costs(
    problem: StripsProblem, data: st.DataObject, work: int, within: float
) -> None:
    seen = data.draw(st.lists(st.integers(0, len(problem.actions) - 1), max_size=3))
    noise = data.draw(st.sampled_from([None, 2.0]))
    names = [problem.actions[each].name for each in seen]
    reading = recognize(problem, names, noise=noise, within=within, work=work)
    scores = exact_scores(problem, seen, noise)
    if work == 10**7:
        assert reading.complete
    if reading.complete:
        sure = {goal for goal, each in enumerate(scores) if each > 0 and each >= max(scores) * within * 1.000001}
        possible = {goal for goal, each in enumerate(scores) if each > 0 and each >= max(scores) * within * 0.999999}
        assert sure <= set(reading.chosen) <= possible


def test_reading_without_budget_is_incomplete() -> None:
    reading = recognize(street(), ["(go 5 6)", "(go 6 5)"], budget=0)
    assert not reading.complete
    assert "so far" in reading.why()
    assert reading.spent == 0


def test_one_wrong_observation_does_not_hide_the_goal() -> None:
    seen = ["(go 5 6)", "(go 1 0)", "(go 6 7)", "(go 7 8)", "(go 8 9)"]
    assert recognize(street(), seen).belief.top == "school"


def test_a_hotter_temperature_makes_the_belief_more_even() -> None:
    seen = ["(go 5 6)"]
    cold, hot = (recognize(street(), seen, temperature=each).belief["school"] for each in (0.5, 5.0))
    assert 0.5 < hot < cold


def test_capitals_do_not_matter() -> None:
    assert recognize(street(), ["(GO 5 6)"]).belief == recognize(street(), ["go 5 6"]).belief


def test_unknown_observation_is_ignored_with_a_suggestion() -> None:
    reading = recognize(street(), ["(go 5 6)", "(goo 6 7)"])
    assert reading.belief == recognize(street(), ["(go 5 6)"]).belief
    [note] = reading.notes
    assert "observation 2, (goo 6 7)" in note
    assert "did you mean '(go 6 7)'?" in note


def with_goals(*goals: StripsGoal) -> StripsProblem:
    known = street()
    return StripsProblem(known.facts, known.start, known.actions, goals)


def test_a_goal_that_cannot_be_reached_has_no_belief_and_is_named() -> None:
    problem = with_goals(StripsGoal("shop", (0,)), StripsGoal("moon", None), StripsGoal("both", (0, 10)))
    reading = recognize(problem, ["(go 5 4)"], work=6_000_000)
    assert reading.belief["moon"] == 0
    assert any("moon, cannot be reached" in note for note in reading.notes)
    assert "moon: cannot be reached" in reading.why()
    assert 1 not in reading.chosen


def test_if_no_goal_can_be_reached_none_is_returned() -> None:
    reading = recognize(with_goals(StripsGoal("moon", None), StripsGoal("sun", None)), ["(go 5 4)"])
    assert reading.chosen == ()
    assert dict(reading.belief) == {"moon": 0.5, "sun": 0.5}
    assert "no goal fits" in reading.why()


def test_contradictory_observations_exclude_all_goals_without_noise() -> None:
    once = (StripsAction("(go)", (0,), (1,), (0,)),)
    one_way = StripsProblem(("a", "b"), (0,), once, (StripsGoal("b", (1,)), StripsGoal("b too", (1,))))
    strict = recognize(one_way, ["(go)", "(go)"], noise=None, work=6_000_000)
    assert strict.chosen == ()
    assert any("no goal fits" in note for note in strict.notes)
    assert "cannot be reached after what was seen" in strict.why()
    assert recognize(one_way, ["(go)", "(go)"]).chosen == (0, 1)


def test_equal_goals_are_both_returned_and_named() -> None:
    reading = recognize(with_goals(StripsGoal("shop", (0,)), StripsGoal("store", (0,))), ["(go 5 4)"])
    assert reading.chosen == (0, 1)
    assert reading.belief["shop"] == reading.belief["store"]
    assert any("equal goals" in note and "store" in note for note in reading.notes)


def test_a_goal_that_is_true_already_costs_nothing() -> None:
    reading = recognize(with_goals(StripsGoal("here", (5,)), StripsGoal("anything", ())), [], work=6_000_000)
    assert [cost.best for cost in reading.costs] == [0, 0]
    assert reading.chosen == (0, 1)


def test_zero_cost_loops_end() -> None:
    free = tuple(StripsAction(each.name, each.needs, each.adds, each.deletes, 0.0) for each in street().actions)
    problem = StripsProblem(street().facts, street().start, free, street().goals)
    reading = recognize(problem, ["(go 5 6)"], work=6_000_000)
    assert [cost.seen for cost in reading.costs] == [0, 0]
    assert math.isclose(sum(reading.belief.values()), 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"temperature": 0}, "temperature must be more than 0"),
        ({"noise": -1}, "noise must be zero or more"),
        ({"budget": -1}, "budget must be"),
        ({"within": 0}, "within must be"),
        ({"prior": [1]}, "2 goals and 1 priors"),
        ({"prior": [0, 0]}, "prior"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(TelosError, match=said):
        recognize(street(), [], **options)  # type: ignore[arg-type]


def test_a_text_is_no_list_of_observations() -> None:
    with pytest.raises(TelosError, match="put it in a list"):
        recognize(street(), "(go 5 6)")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([action.name for action in street(2).actions]), max_size=4), st.sampled_from([0, 10**6])
)
def test_a_belief_sums_to_one_and_the_likeliest_goal_is_returned(seen: list[str], work: int) -> None:
    reading = recognize(street(2), seen, work=work)
    assert math.isclose(sum(reading.belief.values()), 1)
    assert list(reading.belief).index(reading.belief.top) in reading.chosen
    assert reading == recognize(street(2), seen, work=work)


NEGATIVE = """(define (domain door) (:predicates (open) (locked) (inside))
  (:action unlock :parameters () :precondition (locked) :effect (not (locked)))
  (:action lock :parameters () :precondition (not (locked)) :effect (locked))
  (:action push :parameters () :precondition (and (not (locked)) (not (open))) :effect (open))
  (:action enter :parameters () :precondition (open) :effect (inside)))"""


def test_negative_goals_are_planned_for() -> None:
    domain = read_domain(PddlSource.of("<domain>", NEGATIVE))
    task = read_problem(PddlSource.of("<problem>", "(define (problem go) (:init (locked)) (:goal (and)))"), domain)
    problem = strips_problem(task, ["(inside)", "(not (locked))", "(and (inside) (locked))"])
    reading = recognize(problem, ["(unlock)"], work=6_000_000)
    assert [cost.best for cost in reading.costs][:2] == [3, 1]
    assert [GoalCosts(problem).search(goal, budget=SearchBudget()).least for goal in range(3)] == [3, 1, 4]
    assert reading.belief.top == "(not (locked))"


def test_on_a_public_problem_the_whole_plan_gives_the_goal_away() -> None:
    problem = read_shared_problem(DATA / "grid")
    assert len(problem.actions) == 71
    assert len(problem.goals) == FIVE
    real = {row["id"]: row["real"] for row in _rows(DATA / "labels.jsonl")}
    whole = [row for row in _rows(DATA / "grid" / "observations.jsonl") if row["observability"] == 100]
    assert whole
    for row in whole:
        assert recognize(problem, row["obs"]).chosen == (real[row["id"]],)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("noise", [1e9, 1e300])
def test_huge_noise_is_as_good_as_certainty(noise: float) -> None:
    seen = ["(go 5 6)", "(go 6 5)"]
    assert recognize(street(), seen, noise=noise, work=10**6).chosen == recognize(street(), seen, noise=None).chosen


@pytest.mark.parametrize("options", [{"temperature": 1e-300}, {"temperature": 1e300}, {"noise": 1e9}, {"noise": 0.0}])
def test_extreme_options_end(options: dict[str, float]) -> None:
    reading = recognize(street(), ["(go 5 6)", "(go 6 5)"], **options)  # type: ignore[arg-type]
    assert math.isclose(sum(reading.belief.values()), 1)


@pytest.mark.parametrize("value", [10**23, -1, math.nan, math.inf, 1.5, True, "many"])
@pytest.mark.parametrize("option", ["budget", "work"])
def test_absurd_budgets_are_refused(option: str, value: object) -> None:
    with pytest.raises(TelosError, match=option):
        recognize(street(), [], **{option: value})  # type: ignore[arg-type]


def test_budget_and_work_exclude_each_other() -> None:
    with pytest.raises(TelosError, match="both"):
        recognize(street(), [], budget=1, work=1)


def test_clock_ends_a_search_that_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_kernels()
    now = itertools.count()
    monkeypatch.setattr(costs.time, "perf_counter", lambda: float(next(now)))  # a second for every look
    budget = SearchBudget(seconds=10)
    found = GoalCosts(street()).search(0, budget=budget)
    assert budget.is_spent or found.is_exact
    reading = recognize(street(), ["(go 5 6)", "(go 6 5)"], budget=2_000_000)
    assert not reading.complete


def test_budget_that_ends_before_the_bounds_gives_the_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_kernels()
    monkeypatch.setattr(SearchBudget, "work_left", 0)
    reading = recognize(street(), ["(go 5 6)"], prior=[3, 1], budget=0)
    assert reading.belief["shop"] == 0.75
    assert not reading.complete
    assert "before the goals could be compared" in reading.notes[-1]
