"""Laws of reading by planning, over random small domains, against uniform-cost search over all of their states."""

import heapq
import json
import math
from collections.abc import Callable, Iterable, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from telos.core.state import State
from telos.recognition.by_planning.reader import PlanModel, PlanReader

seeds = st.integers(0, 10**6)
CONDITIONS = ("p", "not p", "q", "not q", "a == x", "a == y", "a != z", "n >= 1", "n == 2", "n < 2", "p or q", "n > m")
EFFECTS = {
    "p": ("p = true", "p = false", "p = not p"),
    "q": ("q = true", "q = false", "q = p"),
    "a": ("a = x", "a = y", "a = z"),
    "n": ("n = min(n + 1, 2)", "n = 0", "n = max(n - 1, 0)"),
    "m": ("m = min(m + 1, 1)", "m = 0"),
}
VALUES: dict[str, tuple[object, ...]] = {
    "p": (False, True),
    "q": (False, True),
    "a": ("x", "y", "z"),
    "n": (0, 1, 2),
    "m": (0, 1),
}


def random_domain(rng: Random) -> telos.Domain:
    """Draw a domain with few states, in which actions may cost nothing and goals may be equal or out of reach."""
    types: dict[str, object] = {"p": "bool", "q": "bool", "a": ["x", "y", "z"], "n": "int", "m": "int"}
    return telos.Domain(
        variables=[telos.Variable(name, of) for name, of in types.items()],  # type: ignore[arg-type]
        actions=[
            telos.Action(
                f"act-{number}",
                preconditions=rng.sample(CONDITIONS, rng.randint(0, 2)),
                effects=[rng.choice(EFFECTS[name]) for name in rng.sample(sorted(EFFECTS), rng.randint(1, 2))],
                cost=rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 3.5]) if rng.random() < 0.9 else "1 + n",
            )
            for number in range(rng.randint(2, 6))
        ],
        goals=[telos.Goal(f"goal-{k}", wants=rng.sample(CONDITIONS, rng.randint(1, 2))) for k in range(4)],
    )


def cheapest(domain: telos.Domain, start: State, holds: Callable[[State], bool]) -> float:
    """Return the least cost from ``start`` to a state where something holds, by uniform-cost search."""
    queue, costs, pushed = [(0.0, 0, start)], {start.array: 0.0}, 0
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > costs[state.array]:
            continue
        if holds(state):
            return cost
        for action in domain.possible(state):
            after, total = action.result(state), cost + price(action, state)
            if total < costs.get(after.array, math.inf):
                costs[after.array] = total
                pushed += 1
                heapq.heappush(queue, (total, pushed, after))
    return math.inf


def price(action: telos.Action, state: State) -> float:
    plain = {0.0, 0.5, 1.0, 2.0, 3.5}
    value = getattr(action.cost, "value", None)
    return float(value) if value in plain else 1.0 + state["n"]


def to_go(domain: telos.Domain, state: State) -> list[float]:
    def wants(goal: telos.Goal) -> Callable[[State], bool]:
        assert goal.wants is not None
        return goal.wants.holds

    return [cheapest(domain, state, wants(goal)) for goal in domain.goals]


def believed(wasted: Iterable[float], reachable: Iterable[bool], temperature: float) -> list[float]:
    weights = [math.exp(-lost / temperature) * can for lost, can in zip(wasted, reachable, strict=True)]
    if not any(weights):
        weights = [math.exp(-lost / temperature) for lost in wasted]
    return [weight / sum(weights) for weight in weights]


def random_state(domain: telos.Domain, rng: Random) -> State:
    return domain.state({name: rng.choice(values) for name, values in VALUES.items()})


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_the_belief_is_that_of_the_formula_with_costs_by_brute_force(seed: int) -> None:
    rng = Random(seed)
    domain, temperature = random_domain(rng), rng.choice([0.5, 1.0, 3.0])
    state = random_state(domain, rng)
    reader = PlanReader(PlanModel(domain, start=state, temperature=temperature, tolerance=0.0))
    before, spent = to_go(domain, state), 0.0
    assert list(reader.belief.values()) == pytest.approx(believed([0.0] * 4, map(math.isfinite, before), temperature))
    lost = [math.inf] * 4
    for time in range(8):
        possible = domain.possible(state)
        if not possible:
            break
        action = rng.choice(possible)
        spent += price(action, state)
        state = action.result(state)
        belief = reader.observe(telos.Event(action.name, time=time))
        now = to_go(domain, state)
        finite = [k for k in range(4) if math.isfinite(now[k])]
        assert reader.state == state
        assert reader.spent == pytest.approx(spent)
        for k in finite:
            lost[k] = spent + now[k] - before[k]
            assert reader.wasted[f"goal-{k}"] == pytest.approx(lost[k], abs=1e-9)
        if finite:
            expected = believed(lost, map(math.isfinite, now), temperature)
            assert list(belief.values()) == pytest.approx(expected, abs=1e-9)


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_goals_that_are_not_planned_for_hold_no_more_than_is_tolerated(seed: int) -> None:
    rng = Random(seed)
    domain = random_domain(rng)
    state = random_state(domain, rng)
    exact = PlanReader(PlanModel(domain, start=state, temperature=0.3, tolerance=0.0))
    quick = PlanReader(PlanModel(domain, start=state, temperature=0.3, tolerance=0.05))
    for _ in range(10):
        possible = domain.possible(exact.state)
        if not possible:
            break
        event = telos.Event(rng.choice(possible).name)
        one, two = exact.observe(event), quick.observe(event)
        if any(each.to_go != math.inf for each in exact.why().accounts):
            assert list(two.values()) == pytest.approx(list(one.values()), abs=0.05 + 1e-9)
    assert quick.searches <= exact.searches


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_unseen_actions_are_inferred_at_least_cost_or_event_is_noise(seed: int) -> None:
    rng = Random(seed)
    domain = random_domain(rng)
    reader = PlanReader(PlanModel(domain, start=random_state(domain, rng), tolerance=0.0))
    for time in range(6):
        state, spent, belief = reader.state, reader.spent, reader.belief
        action = rng.choice(domain.actions)
        reader.observe(telos.Event(action.name, time=time))
        missing = cheapest(domain, state, action.is_possible)
        if math.isinf(missing):
            assert (reader.state, reader.spent, reader.belief) == (state, spent, belief)
            assert "nothing explains" in reader.belief.why()
        else:
            paid = reader.spent - spent - missing
            assert paid in (pytest.approx(price(action, state.replace(n=n))) for n in (0, 1, 2))


def told_by(rng: Random) -> Mapping[str, object]:
    return {name: rng.choice(VALUES[name]) for name in rng.sample(sorted(VALUES), rng.randint(0, 2))}


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_changes_by_the_game_are_no_evidence(seed: int) -> None:
    rng = Random(seed)
    domain = random_domain(rng)
    state = random_state(domain, rng)
    reader = PlanReader(PlanModel(domain, start=state, tolerance=0.0))
    lost = [0.0] * 4
    for time in range(6):
        told = told_by(rng)
        state = state.replace(told)
        possible = domain.possible(state)
        if not possible:
            break
        action = rng.choice(possible)
        before, cost = to_go(domain, state), price(action, state)
        state = action.result(state)
        now = to_go(domain, state)
        belief = reader.observe(telos.Event(action.name, told, time=time))
        for k in range(4):
            if math.isfinite(now[k]):
                lost[k] += cost + now[k] - before[k]
                assert reader.wasted[f"goal-{k}"] == pytest.approx(lost[k], abs=1e-9)
        if any(map(math.isfinite, now)):
            assert list(belief.values()) == pytest.approx(believed(lost, map(math.isfinite, now), 1.0), abs=1e-9)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_reader_that_was_saved_goes_on_exactly(seed: int) -> None:
    rng = Random(seed)
    domain = random_domain(rng)
    model = PlanModel(domain, start=random_state(domain, rng))
    reader = PlanReader(model)
    for _ in range(4):
        reader.observe(telos.Event(rng.choice(domain.actions).name, told_by(rng)))
    other = PlanReader.resume(model, json.loads(json.dumps(reader.save(), allow_nan=False)))
    assert other.belief == reader.belief
    assert other.belief.why() == reader.belief.why()
    for _ in range(4):
        event = telos.Event(rng.choice(domain.actions).name, told_by(rng))
        assert other.observe(event) == reader.observe(event)
        assert other.save() == reader.save()
