"""Searches that wait for functions of the game: no budget, deadline, save or move to the kernel changes an answer."""

import heapq
import itertools
import math
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import telos
from telos.core.errors import TelosError
from telos.core.expressions import bind
from telos.core.values import NUMBER
from telos.planning import search
from telos.planning.planner import Planner
from telos.planning.search import SearchLimits

PLACES, PEOPLE = ["p0", "p1", "p2", "p3"], ["u", "v"]
COSTS = [
    *(
        "f(at, to)",
        "1 + f(to, at)",
        "max(f(at, to), g(at))",
        "min(f(at, to), 3)",
        "f(at, to) - f(to, to)",
        "10 - n(at, to)",
    ),
    *(
        "f(at, to) * f(to, at)",
        "f(at, to) / 2 + k",
        "f(at, home)",
        "5 + n(to, at) * 2",
        "max(0, f(at, to) + n(at, to))",
    ),
]
CONDITIONS = ["true", "ok(to)", "f(at, to) < 6", "ok(to) or ok(at)", "at != to and ok(home)", "f(to, at) + g(to) > 2"]
EFFECTS = ["at = to", "at = to, k += 1", "at = to, seen = ok(to)", "at = to, k = f(at, to)"]
GOALS = ["at == p3 and with == v", "seen and at == p2", "f(at, home) > 4 and at != other", "k >= 2 and at == p1"]


def random_domain(rng: Random) -> str:
    ways = [
        f'  go{number}: {{parameters: {{to: place}}, preconditions: "{rng.choice(CONDITIONS)}", '
        f'effects: "{rng.choice(EFFECTS)}", cost: "{rng.choice(COSTS)}"}}'
        for number in range(rng.randint(1, 3))
    ]
    return "\n".join(
        [
            "domain: random",
            "variables: {at: place, other: place, home: place, with: person, seen: bool, k: number}",
            "handles: {place: [p0, p1, p2, p3], person: [u, v]}",
            "actions:",
            *ways,
            '  join: {parameters: {who: person}, preconditions: "h(at, who) > 1", effects: with = who, '
            'cost: "h(at, who)"}',
            '  swap: {effects: "at = other, other = at", cost: "f(at, other)"}',
            f'goals: {{end: {{wants: "{rng.choice(GOALS)}"}}}}',
        ]
    )


def random_values(rng: Random) -> dict[str, dict[tuple[Any, ...], Any]]:
    pairs = list(itertools.product([None, *PLACES], repeat=2))
    return {
        "f": {pair: float(rng.choice([0, 1, 2, 3, 5, 8])) for pair in pairs},
        "n": {pair: float(rng.randint(-5, 5)) for pair in pairs},
        "g": {(place,): float(rng.randint(0, 4)) for place in (None, *PLACES)},
        "h": {pair: float(rng.randint(0, 5)) for pair in itertools.product([None, *PLACES], [None, *PEOPLE])},
        "ok": {(place,): rng.random() < 0.7 for place in (None, *PLACES)},
    }


def plain(values: dict[tuple[Any, ...], Any]) -> Callable[..., Any]:
    return lambda *arguments: values[arguments]


def vectorised(values: dict[tuple[Any, ...], Any]) -> Any:
    return telos.vectorised(lambda *lists: [values[each] for each in zip(*lists, strict=True)])


WAYS: list[list[Callable[..., Any]]] = [
    [plain],
    [telos.table],
    [lambda values: telos.constant(vectorised(values))],
    [plain, telos.table, vectorised, lambda values: telos.constant(plain(values))],
]


def cheapest(domain: telos.Domain, state: telos.State) -> float | None:
    """Return the cost of the cheapest plan by Dijkstra over the domain's own semantics; None if that is not known."""
    actions = [
        action.bind(dict(zip(action.parameters, chosen, strict=True))) if chosen else action
        for action in domain.actions
        for chosen in itertools.product(*(domain.handles[of.handle] for of in action.parameters.values()))
    ]
    costs = [bind(action.cost, domain.layout, NUMBER) for action in actions]
    waiting, done, counter = [(0.0, 0, state)], set[Any](), itertools.count(1)
    wants = domain.goal("end").wants
    assert wants is not None
    while waiting:
        total, _, now = heapq.heappop(waiting)
        if now.array in done:
            continue
        done.add(now.array)
        if len(done) > 600:
            return None  # numbers that grow for ever
        if wants.holds(now):
            return total
        for action, cost in zip(actions, costs, strict=True):
            if action.is_possible(now) and (after := action.result(now)).array != now.array:
                if cost(now.array) < 0:
                    return None  # an error when a search comes there
                heapq.heappush(waiting, (total + cost(now.array), next(counter), after))
    return math.inf


@pytest.mark.parametrize("seed", range(16))
def test_random_domains_cost_what_an_oracle_says(seed: int) -> None:
    rng = Random(seed)
    text, values = random_domain(rng), random_values(rng)
    start = {"at": rng.choice(PLACES), "other": rng.choice(PLACES), "home": rng.choice(PLACES), "with": "u"}
    for way in WAYS:
        functions = {name: way[at % len(way)](each) for at, (name, each) in enumerate(values.items())}
        made = telos.loads(text, functions=functions)
        state = made.state(start)
        expected = cheapest(made, state)
        try:
            answer = Planner(made).plan(state, "end", budget=300)
        except TelosError:
            assert expected is None or "n(" in text  # negative costs off the cheapest way
            continue
        if expected is not None and answer.found:
            assert answer.cost == pytest.approx(expected)
        assert answer.found or expected in (None, math.inf) or answer.expanded == 300
        for budget in (1, 2, 5):
            spent = Planner(made).plan(state, "end", budget=budget)
            assert spent.expanded == min(budget, answer.expanded)
            assert spent.found == (answer.found and answer.expanded <= budget)
        for expansions, deadline in ((1, None), (3, 0.0)):
            pending, again = Planner(made).begin(state, "end", SearchLimits(1.0, 300), {}), None
            while again is None:
                before = pending.search.expanded
                again = pending.resume(expansions, deadline)
                assert pending.search.expanded <= before + expansions
            assert (again.steps, again.expanded) == (answer.steps, answer.expanded)


SAFE = """
domain: safe
variables: {at: place}
handles: {place: [PLACES]}
actions: {goto: {parameters: {place: place}, effects: at = place, cost: "1 + fear(place)"}}
goals: {hide: {wants: "is_safe(at)"}}
""".replace("PLACES", ", ".join(f"p{number}" for number in range(30)))


def safe(last: str = "p29") -> telos.Domain:
    return telos.loads(SAFE, functions={"is_safe": lambda place: place == last, "fear": lambda place: int(place[1:])})


def test_budget_holds_where_each_goal_test_asks_the_game() -> None:
    for budget in (1, 3, 10):
        answer = telos.plan(safe(), {"at": "p0"}, "hide", budget=budget)
        assert (answer.found, answer.expanded) == (False, budget)
    turns, scheduler = 0, telos.Scheduler(Planner(safe()), clock=None)
    ticket = scheduler.ask({"at": "p0"}, "hide")
    while not ticket.done:
        scheduler.run(expansions=1)
        turns += 1
        assert ticket.expanded <= turns
    assert ticket.answer == telos.plan(safe(), {"at": "p0"}, "hide")


def test_saved_search_goes_on_wherever_it_waited_for_the_game() -> None:
    """Past a deadline, a search waits between two questions; restored, it may be over, and is not asked twice."""
    expected = telos.plan(safe("p3"), {"at": "p0"}, "hide")
    for turns in itertools.count(1):
        made = safe("p3")
        planner, called = Planner(made), {}
        pending = planner.begin(made.state({"at": "p0"}), "hide", SearchLimits(), called)
        if any(pending.resume(1, 0.0) is not None for _ in range(turns)):
            break
        other = telos.Scheduler(Planner(safe("p3")), clock=None)
        ticket = other.resume({"at": "p0"}, "hide", other._planner, pending.search.expanded, called)
        assert ticket.called.items() >= called.items()
        assert ticket.expanded >= pending.search.expanded
        while not ticket.done:
            other.run(expansions=1)
        assert (ticket.answer, len(other)) == (expected, 0)
    assert turns > 5


def test_saved_search_whose_function_raises_has_a_fault() -> None:
    broken = telos.loads(SAFE, functions={"is_safe": lambda _: 1 / 0, "fear": lambda _: 1})
    scheduler = telos.Scheduler(Planner(broken), clock=None)
    ticket = scheduler.resume({"at": "p0"}, "hide", scheduler._planner, 3)
    assert "ZeroDivisionError" in str(ticket.fault)
    assert len(scheduler) == 0


def test_counted_turns_are_the_same_whenever_the_kernel_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    if not telos.warm_up():
        pytest.skip("needs Numba")
    ready = search.load_compiled()
    grid = telos.Domain(
        variables=[telos.Variable("x", "int"), telos.Variable("y", "int")],
        actions=[telos.Action(f"{name}{by}", effects=f"{name} += {by}") for name in "xy" for by in (1, -1)],
        goals=[telos.Goal("far", wants="x * y >= 400")],
    )
    monkeypatch.setattr(search, "load_in_background", lambda: None)
    monkeypatch.setattr(search, "MAX_MOVED_NODES", 1)
    turns = set[tuple[int, int]]()
    for ready_at in (0, 5, 21, 30, 10_000):  # within the first workspace, while it grows, after that, never
        scheduler = telos.Scheduler(Planner(grid), clock=None)
        ticket, frames = scheduler.ask({}, "far"), 0
        while not ticket.done:
            monkeypatch.setattr(search, "_compiled", ready if frames >= ready_at else None)
            scheduler.run(expansions=32)
            frames += 1
        turns.add((frames, ticket.expanded))
    assert len(turns) == 1
