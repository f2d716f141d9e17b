"""Laws of planning, over random small problems, against a slow and obvious oracle."""

import heapq
import itertools
import math
from random import Random

import pytest

import telos
from telos.planning import search
from telos.planning.planner import Planner, plan
from telos.planning.search import SearchLimits


def random_domain(rng: Random) -> telos.Domain:
    """Draw a domain with switches, labels and small counts; everything stays finite."""
    variables = [
        telos.Variable("p", "bool"),
        telos.Variable("q", "bool"),
        telos.Variable("r", "bool"),
        telos.Variable("a", ["x", "y", "z"]),
        telos.Variable("b", ["u", "v"]),
        telos.Variable("n", "int"),
        telos.Variable("m", "int"),
    ]
    actions = [
        telos.Action(
            f"act-{number}",
            preconditions=[condition(rng) for _ in range(rng.randint(0, 2))],
            effects=effects(rng),
            cost=rng.choice([0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 3.5]) if rng.random() < 0.9 else "1 + n",
        )
        for number in range(rng.randint(1, 7))
    ]
    wants = [condition(rng) for _ in range(rng.randint(1, 3))]
    return telos.Domain(variables=variables, actions=actions, goals=[telos.Goal("goal", wants=wants)])


def condition(rng: Random) -> str:
    simple = ["p", "not p", "q", "not q", "r", "not r", "a == x", "a == y", "a == z", "a != y", "b == u", "b != u"]
    counts = ["n >= 1", "n >= 2", "n > 1", "n == 2", "n <= 1", "m >= 1", "m < 1", "n != 1", "n > m", "n + m == 3"]
    mixed = ["p or q", "not (p and r)", "a == x or n >= 1", "p == q"]
    return rng.choice(rng.choice([simple, simple, simple, counts, mixed]))


def effects(rng: Random) -> list[str]:
    options = {
        "p": ["p = true", "p = false", "p = not p", "p = q"],
        "q": ["q = true", "q = false", "q = n >= 1"],
        "r": ["r = true", "r = not r"],
        "a": ["a = x", "a = y", "a = z"],
        "b": ["b = u", "b = v"],
        "n": ["n = min(n + 1, 3)", "n = max(n - 1, 0)", "n = 0", "n = 2", "n = min(n + m, 3)"],
        "m": ["m = min(m + 1, 2)", "m = 0"],
    }
    return [rng.choice(options[name]) for name in rng.sample(sorted(options), rng.randint(1, 3))]


def random_state(rng: Random, domain: telos.Domain) -> telos.State:
    values = {"p": rng.random() < 0.5, "q": rng.random() < 0.5, "r": rng.random() < 0.3}
    labels = {"a": rng.choice("xyz"), "b": rng.choice("uv"), "n": rng.randint(0, 3), "m": rng.randint(0, 2)}
    return domain.state({**values, **labels})


def cost_of(action: telos.Action, state: telos.State) -> float:
    from telos.core.expressions import bind
    from telos.core.values import NUMBER

    return float(bind(action.cost, state.layout, NUMBER)(state.array))


def cheapest(domain: telos.Domain, start: telos.State, wants: telos.Condition) -> float:
    """Return the cost of the cheapest plan, by Dijkstra's algorithm over whole states; infinity if there is none."""
    best, order = {start: 0.0}, itertools.count()
    queue = [(0.0, next(order), start)]
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > best[state]:
            continue
        if wants.holds(state):
            return cost
        for action in domain.actions:
            if action.is_possible(state):
                after, total = action.result(state), cost + cost_of(action, state)
                if total < best.get(after, math.inf):
                    best[after] = total
                    heapq.heappush(queue, (total, next(order), after))
    return math.inf


def replayed(answer: telos.Plan, start: telos.State) -> tuple[telos.State, float]:
    state, cost = start, 0.0
    for step in answer.steps:
        assert step.is_possible(state), f"{step} is not possible in {state}"
        cost += cost_of(step, state)
        state = step.result(state)
    return state, cost


def check_problem(seed: int) -> bool:
    rng = Random(seed)
    domain = random_domain(rng)
    start, goal = random_state(rng, domain), domain.goal("goal")
    assert goal.wants is not None
    expected = cheapest(domain, start, goal.wants)
    answer = plan(domain, start, "goal")
    assert math.isclose(answer.cost, expected, abs_tol=1e-9), f"seed {seed}: {answer.cost} instead of {expected}"
    if isinstance(answer, telos.Plan):
        after, cost = replayed(answer, start)
        assert goal.wants.holds(after), f"seed {seed}"
        assert math.isclose(cost, answer.cost, abs_tol=1e-9), f"seed {seed}"
        fast = plan(domain, start, "goal", how="fast")
        assert isinstance(fast, telos.Plan)
        assert fast.cost <= 5 * expected + 1e-9, f"seed {seed}"
        assert goal.wants.holds(replayed(fast, start)[0]), f"seed {seed}"
    else:
        assert answer.stop is telos.Stop.UNREACHABLE, f"seed {seed}"
    return answer.found


def problems(config: pytest.Config) -> int:
    return 20_000 if config.getoption("--slow") else 600


def test_answers_are_as_cheap_as_the_oracle_and_replay(request: pytest.FixtureRequest) -> None:
    found = sum(check_problem(seed) for seed in range(problems(request.config)))
    assert 0.2 < found / problems(request.config) < 0.9  # both kinds of answer are well represented


@pytest.mark.skipif(not search.is_installed(), reason='needs Numba: pip install "telos[planning]"')
def test_compiled_kernel_equals_plain_kernel() -> None:
    for seed in range(300):
        rng = Random(seed)
        domain = random_domain(rng)
        start, goal = random_state(rng, domain), domain.goal("goal")
        planner = Planner(domain)
        prepared = planner.prepare(goal, start, planner.handles(start, {}))
        words, numbers = prepared.reader.read(start.array, planner.handles(start, {}))
        for weight in (1.0, 5.0):
            runners = (prepared.engine.plain, prepared.engine.compiled)
            ended = [each.run(words, numbers, SearchLimits(weight, 1_000)) for each in runners]
            assert ended[0] == ended[1], f"seed {seed}"


def test_granting_the_missing_conditions_gives_a_plan(request: pytest.FixtureRequest) -> None:
    explained = 0
    for seed in range(problems(request.config)):
        rng = Random(seed)
        domain = random_domain(rng)
        start = random_state(rng, domain)
        answer = plan(domain, start, "goal")
        if isinstance(answer, telos.Plan):
            continue
        if answer.missing:
            assert granted(domain, start, answer.missing), f"seed {seed}: {answer.why()}"
            explained += 1
        else:
            assert not can_hold(domain), f"seed {seed}: {answer.why()}"
            assert "contradicts itself" in answer.why(), f"seed {seed}: {answer.why()}"
    assert explained > 50


def can_hold(domain: telos.Domain) -> bool:
    """Whether there is any state at all in which the goal holds."""
    wants = domain.goal("goal").wants
    assert wants is not None
    ranges = {
        "p": (False, True),
        "q": (False, True),
        "r": (False, True),
        "a": "xyz",
        "b": "uv",
        "n": range(4),
        "m": range(4),
    }
    choices = itertools.product(*ranges.values())
    return any(wants.holds(domain.state(dict(zip(ranges, each, strict=True)))) for each in choices)


# An effect that brings about each condition that a single variable can meet; the others can only be waived.
PROVIDED_BY = {
    **{name: f"{name} = true" for name in "pqr"},
    **{f"not {name}": f"{name} = false" for name in "pqr"},
    **{f"a == {label}": f"a = {label}" for label in "xyz"},
    "b == u": "b = u",
    "b != u": "b = v",
    "n >= 1": "n = 1",
    "n >= 2": "n = 2",
    "n > 1": "n = 2",
    "n == 2": "n = 2",
    "n <= 1": "n = 1",
    "m >= 1": "m = 1",
    "m < 1": "m = 0",
}


def granted(domain: telos.Domain, start: telos.State, missing: tuple[telos.Condition, ...]) -> bool:
    """Whether a plan exists once something provides the missing conditions, or they are waived where nothing can."""
    waived = [condition for condition in missing if str(condition) not in PROVIDED_BY]
    wanted = [str(condition) for condition in missing if condition not in waived]
    helpers = [telos.Action(f"help-{i}", effects=PROVIDED_BY[each]) for i, each in enumerate(wanted)]
    goal = domain.goal("goal")
    assert goal.wants is not None
    wants = [part for part in goal.wants.parts if part not in waived]
    eased = telos.Domain(
        variables=domain.variables,
        actions=[*(without(action, waived) for action in domain.actions), *helpers],
        goals=[telos.Goal("goal", wants=wants or "true")],
    )
    return plan(eased, dict(start), "goal").found


def without(action: telos.Action, waived: list[telos.Condition]) -> telos.Action:
    kept = [part for part in action.preconditions.parts if part not in waived]
    return telos.Action(action.name, preconditions=kept, effects=action.effects, cost=action.cost)
