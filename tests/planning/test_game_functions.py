"""Functions of the game while planning: constant, tabular, vectorised and plain ones, asked as rarely as promised."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

import telos
from telos.core.errors import TelosError
from telos.core.expressions import Compare, Handle, Name
from telos.planning import kernel, search
from telos.planning.planner import Planner, get_planner
from telos.planning.search import ResumableSearch, SearchEngine, SearchLimits

PLACES = [f"p{number}" for number in range(12)]
ERRAND = """
domain: errand
variables: {at: place, tool: bool, wood: int, fed: bool, rain: bool}
handles: {place: [PLACES]}
actions:
  goto: {parameters: {place: place}, preconditions: "open(place)", effects: at = place, cost: "1 + distance(at, place)"}
  take: {preconditions: at == p3, effects: tool = true}
  chop: {preconditions: at == p7 and tool, effects: wood += 1}
  sell: {preconditions: at == p11 and wood >= 1, effects: [wood -= 1, fed = true]}
  gaze: {effects: rain = not rain}
goals: {eat: {wants: fed}}
""".replace("PLACES", ", ".join(PLACES))


class Map:
    """Random distances that obey no triangle, closed places, and how often each question was asked."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.distances = {(a, b): float(rng.randint(1, 30)) for a in PLACES for b in PLACES}
        self.closed = set(rng.sample(PLACES, 2)) - {"p3", "p7", "p11"}
        self.asked = Counter[tuple[str, ...]]()
        self.calls = 0

    def distance(self, a: str, b: str) -> float:
        self.calls += 1
        self.asked[a, b] += 1
        return self.distances[a, b]

    def open(self, place: str) -> bool:
        self.asked[(place,)] += 1
        return place not in self.closed

    def many(self, sources: Sequence[str], targets: Sequence[str]) -> list[float]:
        self.calls += 1
        return [self.distances[pair] for pair in zip(sources, targets, strict=True)]


WAYS: dict[str, Callable[[Map], dict[str, Any]]] = {
    "plain": lambda town: {"distance": town.distance, "open": town.open},
    "constant": lambda town: {"distance": telos.constant(town.distance), "open": telos.constant(town.open)},
    "table": lambda town: {
        "distance": telos.table(town.distances),
        "open": telos.table({place: place not in town.closed for place in PLACES}),
    },
    "vectorised": lambda town: {"distance": telos.vectorised(town.many), "open": town.open},
    "constant and vectorised": lambda town: {
        "distance": telos.constant(telos.vectorised(town.many)),
        "open": telos.constant(town.open),
    },
}


def errand(town: Map, way: str) -> telos.Domain:
    return telos.loads(ERRAND, functions=WAYS[way](town))


def written_out(town: Map) -> telos.Domain:
    """The same errand without functions: an action for each pair of places."""
    actions = [
        telos.Action(f"{a}-{b}", preconditions=f"at == {a}", effects=f"at = {b}", cost=1 + town.distances[a, b])
        for a in PLACES
        for b in PLACES
        if a != b and b not in town.closed
    ]
    plain = errand(town, "plain")
    rest = [each for each in plain.actions if each.name != "goto"]
    return telos.Domain(variables=plain.variables, handles=plain.handles, actions=[*actions, *rest], goals=plain.goals)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("compiled", [False, True])
def test_plans_cost_as_much_as_those_of_a_written_out_domain(
    way: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        telos.warm_up()
    else:
        monkeypatch.setattr(search, "_compiled", None)
        monkeypatch.setattr(search, "load_in_background", lambda: None)
    for seed in range(4):
        town = Map(seed)
        made, plain = errand(town, way), written_out(town)
        for start in ("p0", "p5"):
            answer, oracle = telos.plan(made, {"at": start}, "eat"), telos.plan(plain, {"at": start}, "eat")
            assert answer.found == oracle.found
            assert answer.cost == pytest.approx(oracle.cost)
            state = made.state({"at": start})
            for step in answer.steps:  # each step is possible, by the domain's own semantics
                assert step.is_possible(state)
                state = step.result(state)


@pytest.mark.parametrize("way", ["plain", "constant", "vectorised"])
def test_functions_are_asked_at_most_once_a_plan(way: str) -> None:
    town = Map(1)
    made = errand(town, way)
    telos.plan(made, {"at": "p0"}, "eat")
    assert set(town.asked.values()) <= {1}
    first = town.calls
    get_planner(made, None).forget()
    telos.plan(made, {"at": "p0"}, "eat")
    assert (town.calls == first) is (way == "constant")
    assert max(town.asked.values(), default=0) == (1 if way == "constant" else 2)


def test_tables_are_never_asked_and_guide_the_search() -> None:
    town = Map(2)
    with_table, with_function = errand(town, "table"), errand(town, "constant")
    answers = [telos.plan(each, {"at": "p0"}, "eat") for each in (with_table, with_function)]
    assert answers[0].cost == answers[1].cost
    assert answers[0].expanded <= answers[1].expanded
    assert get_planner(with_table, None).functions.calls == 0


def test_all_questions_of_a_node_are_asked_in_one_go() -> None:
    town = Map(3)
    made = errand(town, "vectorised")
    answer = telos.plan(made, {"at": "p0"}, "eat")
    assert town.calls <= answer.expanded  # not one for each of a node's eleven ways


def test_constant_values_are_not_mixed_up_between_handles() -> None:
    """Codes of unnamed handles stand for other things in each request; their kept values must not."""
    text = """
domain: walk
variables: {at: place, goal: place}
actions: {goto: {parameters: {place: place}, effects: at = place, cost: "distance(at, place)"}}
goals: {there: {wants: at == goal}}
"""
    far = {("a", "b"): 7.0, ("c", "d"): 2.0, ("b", "a"): 1.0, ("d", "c"): 5.0}
    made = telos.loads(text, functions={"distance": telos.constant(lambda *pair: far.get(pair, 0.0))})
    for pair, cost in [*far.items(), *far.items()]:
        assert telos.plan(made, dict(zip(("at", "goal"), pair, strict=True)), "there").cost == cost


def test_arguments_that_no_action_changes_are_part_of_what_is_kept() -> None:
    text = """
domain: load
variables: {strength: [weak, strong], done: bool}
actions: {lift: {effects: done = true, cost: "effort(strength)"}}
goals: {lifted: {wants: done}}
"""
    made = telos.loads(text, functions={"effort": telos.constant({"weak": 9, "strong": 2}.__getitem__)})
    assert [telos.plan(made, {"strength": each}, "lifted").cost for each in ("weak", "strong", "weak")] == [9, 2, 9]


def test_search_is_suspended_and_never_begins_again() -> None:
    town = Map(4)
    made = errand(town, "plain")
    planner = Planner(made)
    state = made.state({"at": "p0"})
    pending = planner.begin(state, "eat", SearchLimits(), called := {})
    answer, turns, expanded = None, 0, 0
    while answer is None:
        answer = pending.resume(1)
        assert pending.search.expanded >= expanded  # it only goes on
        expanded, turns = pending.search.expanded, turns + 1
    assert answer.cost == telos.plan(made, {"at": "p0"}, "eat").cost
    assert answer.expanded >= turns - 1
    assert called


def test_searches_with_known_and_asked_values_take_the_same_way() -> None:
    for seed in range(6):
        town = Map(seed)
        made = errand(town, "constant")
        first, again = (Planner(made).plan({"at": "p0"}, "eat") for _ in range(2))  # the second one asks nothing
        assert (first.steps, first.cost, first.expanded) == (again.steps, again.cost, again.expanded)


@pytest.mark.parametrize("moves_at", [1, 40])
def test_search_under_way_moves_to_the_compiled_kernel(moves_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if not telos.warm_up():
        pytest.skip("needs Numba")
    ready = search.load_compiled()
    made = errand(Map(5), "plain")
    planner, state = Planner(made), made.state({"at": "p0"})
    expected = planner.plan({"at": "p0"}, "eat")
    monkeypatch.setattr(search, "_compiled", None)
    monkeypatch.setattr(search, "load_in_background", lambda: None)
    pending = planner.begin(state, "eat", SearchLimits(), {})
    assert pending.resume(moves_at) is None
    monkeypatch.setattr(search, "_compiled", ready)
    answer = pending.resume(10_000)
    assert answer is not None
    assert (answer.steps, answer.cost, answer.expanded) == (expected.steps, expected.cost, expected.expanded)


def test_nobody_waits_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the kernel is compiled, plans come from plain Python."""
    released = threading.Event()
    monkeypatch.setattr(search, "_compiled", None)
    monkeypatch.setattr(search, "_loader", None)
    monkeypatch.setattr(search, "load_compiled", released.wait)
    monkeypatch.setattr(search, "is_installed", lambda: True)
    monkeypatch.setattr(SearchEngine, "plain_expansions", search.MAX_PLAIN_EXPANSIONS_IN_ALL)
    assert telos.plan(errand(Map(6), "plain"), {"at": "p0"}, "eat").found
    assert search._loader is not None
    assert search._loader.is_alive()
    released.set()
    search._loader.join()


def test_deadline_is_looked_at_between_calls() -> None:
    asked = []
    made = telos.loads(ERRAND, functions={"open": lambda _: True, "distance": lambda *pair: asked.append(pair) or 1.0})
    planner = Planner(made)
    state = made.state({"at": "p0"})
    prepared = planner.prepare(made.goal("eat"), state, planner.handles(state, {}))
    handles = planner.handles(state, {})
    calls = planner.calls(prepared, state, handles, {})
    searching = ResumableSearch(prepared.engine, *prepared.reader.read(state.array, handles), SearchLimits(), calls)
    assert searching.resume(100, deadline=0.0) is None  # the deadline is past: one question, and no more
    first = len(asked)
    assert searching.resume(100, deadline=0.0) is None
    assert 0 <= first <= len(asked) <= first + 1
    assert searching.resume(100_000) is not None


def test_replanner_asks_nothing_for_changes_that_do_not_matter() -> None:
    for way in ("plain", "constant"):
        town = Map(7)
        mind = telos.Replanner(errand(town, way), "eat", {"at": "p0"})
        calls, searches = town.calls, mind.searches
        assert mind.update({"rain": True}) is mind.answer
        assert (town.calls, mind.searches) == (calls, searches)
        for step in list(mind.answer.steps)[:2]:
            after = step.result(mind.state)
            answer = mind.update(dict(after))
            assert answer.cost == telos.plan(errand(Map(7), way), dict(after), "eat").cost


def test_replanner_that_raised_answers_for_its_state_later() -> None:
    for way in (telos.constant, lambda function: function):
        broken = set[str]()

        def distance(a: str, b: str, broken: set[str] = broken) -> float:
            return 1 / 0 if a in broken else Map(7).distances[a, b]

        town = telos.loads(ERRAND, functions={"distance": way(distance), "open": lambda _: True})
        mind = telos.Replanner(town, "eat", {"fed": True})
        broken.add("p5")
        with pytest.raises(TelosError, match="ZeroDivisionError"):
            mind.update({"at": "p5", "fed": False})
        with pytest.raises(TelosError, match="ZeroDivisionError"):
            mind.update({})
        broken.clear()
        assert mind.update({}).cost == telos.plan(town, {"at": "p5"}, "eat").cost
        with pytest.raises(TelosError, match="holds int"):
            mind.update({"at": "p9", "wood": "much"})
        assert mind.update({}).cost == telos.plan(town, dict(mind.state), "eat").cost


def test_functions_with_too_many_arguments_to_keep_are_refused() -> None:
    names = ", ".join(f"p{number}" for number in range(1_000))
    text = f"""
domain: wide
variables: {{a: place, b: place, c: place, done: bool}}
handles: {{place: [{names}]}}
actions:
  first: {{effects: "a = p1, b = p1, c = p1"}}
  last: {{effects: done = true, cost: "toll(a, b, c)"}}
goals: {{end: {{wants: done}}}}
"""
    with pytest.raises(TelosError, match="toll have more than 10,000,000 combinations"):
        telos.plan(telos.loads(text, functions={"toll": lambda *_: 1.0}), {}, "end")


def test_tables_of_bools_set_switches_to_bools() -> None:
    text = """
domain: look
variables: {at: place, seen: bool}
handles: {place: [a, b]}
actions: {look: {effects: seen = is_lit(at)}}
goals: {see: {wants: seen}}
"""
    made = telos.loads(text, functions={"is_lit": telos.table({"a": True, "b": False})})
    (step,) = telos.plan(made, {"at": "a"}, "see").steps
    assert step.result(made.state({"at": "a"}))["seen"] is True
    assert not telos.plan(made, {"at": "b"}, "see").found


def test_goals_call_functions_of_handles_that_no_action_changes() -> None:
    text = """
domain: home
variables: {at: place, home: place}
handles: {place: [a, b, c]}
actions: {goto: {parameters: {place: place}, effects: at = place}}
goals: {near: {wants: "distance(at, home) == 1"}}
"""
    made = telos.loads(text, functions={"distance": telos.constant(lambda a, b: abs(ord(a) - ord(b)))})
    for home, steps in (("c", ["goto(b)"]), ("b", []), ("c", ["goto(b)"])):
        assert [str(step) for step in telos.plan(made, {"at": "a", "home": home}, "near").steps][:1] == steps


def test_shared_numbers_of_handles_stay_those_of_the_domain() -> None:
    text = """
domain: meet
variables: {at: place, who: person}
handles: {place: [a, b], person: [x]}
actions:
  goto: {parameters: {place: place}, effects: at = place}
  meet: {parameters: {person: person}, effects: who = person}
goals: {end: {wants: at == b}}
"""
    made = telos.loads(text)
    planner, condition = get_planner(made, None), Compare("==", Name("who"), Handle("a"))  # a names a place
    before = planner.handles(made.state(), {}, "end").signature
    assert not planner.plan({}, telos.Goal("odd", wants=telos.Condition(condition))).found
    assert planner.handles(made.state(), {}, "end").signature == before


def test_crowds_with_constant_functions_are_planned_together() -> None:
    town = Map(8)
    starts = [{"at": place, "tool": tool} for place in PLACES for tool in (True, False)]
    alone = [telos.plan(errand(town, "plain"), each, "eat").cost for each in starts]
    for way in ("constant", "table"):
        plans = telos.plan_many(errand(town, way), starts, "eat")
        assert plans.costs == alone
        assert [each.cost for each in plans] == alone


def test_time_of_the_game_is_reported() -> None:
    scheduler = telos.Scheduler(Planner(errand(Map(9), "plain")))
    ticket = scheduler.ask({"at": "p0"}, "eat")
    while not ticket.done:
        scheduler.run(microseconds=500)
    assert ticket.fault is None
    assert scheduler.function_seconds > 0.0


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: telos.table([[0, 1], [1]], ["a", "b"]), "rows or columns"),
        (lambda: telos.table([[0, 1]], ["a", "b"]), "rows or columns"),
        (lambda: telos.table([[0.0, float("nan")], [1, 0]], ["a", "b"]), "finite"),
        (lambda: telos.table({("a", "b"): "far"}), "finite"),
        (lambda: telos.table([[0]]), "names of its rows"),
        (lambda: telos.table(lambda a, b: 1.0, ["a"]), "list for each argument"),
        (lambda: telos.table(5, ["a"]), "not a table"),
        (lambda: telos.table([[0]], 5), "not a table"),
        (lambda: telos.table([1, 2], ["a", "a"]), "'a' twice"),
        (lambda: telos.table({("a", "b"): 10**400}), "finite"),
        (lambda: telos.constant(3), "not a function"),
        (lambda: telos.vectorised(telos.table({("a",): 1.0})), "vectorised"),
        (lambda: telos.table({("a",): 1.0})("b"), "no value for"),
    ],
)
def test_misuse_is_refused(make: Callable[[], object], word: str) -> None:
    with pytest.raises(TelosError, match=word):
        make()


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (telos.vectorised(lambda a, b: [1.0]), "sets of arguments"),
        (telos.vectorised(lambda a, b: ["far" for _ in a]), "finite"),
        (telos.constant(lambda a, b: 1 / 0), "ZeroDivisionError"),
        (telos.table({("p0", "p1"): 1.0}), "no value for"),
        (telos.table({"p0": 1.0}), "no value for"),
    ],
)
def test_faults_of_functions_name_the_action_and_the_call(function: Any, word: str) -> None:
    made = telos.loads(ERRAND, functions={"distance": function, "open": lambda _: True})
    with pytest.raises(TelosError, match=word) as raised:
        telos.plan(made, {"at": "p0"}, "eat")
    assert "goto" in str(raised.value)


def test_kernel_lists_more_calls_than_operators_without_overrun() -> None:
    """Conditions, effects and costs that call several functions each, in plain and compiled form alike."""
    text = """
domain: many
variables: {at: place, done: bool}
handles: {place: [a, b, c, d]}
actions:
  go:
    parameters: {to: place}
    preconditions: f(at, to) < 5 and g(to) > 0 and f(to, at) >= 0
    effects: at = to
    cost: f(at, to) + g(to) + max(f(to, at), g(at))
  finish: {preconditions: "at == d and g(at) > f(at, a) - 100", effects: done = true}
goals: {end: {wants: done}}
"""
    functions = {"f": lambda a, b: abs(ord(a or "a") - ord(b or "a")) * 1.0, "g": lambda a: ord(a or "a") - 96.0}
    made = telos.loads(text, functions=functions)
    costs = set()
    for runner in ("plain", "compiled"):
        if runner == "compiled" and not telos.warm_up():
            continue
        planner, state = Planner(made), made.state({"at": "a"})
        handles = planner.handles(state, {}, "end")
        prepared = planner.prepare(made.goal("end"), state, handles)
        calls = planner.calls(prepared, state, handles, {})
        result = getattr(prepared.engine, runner).run(
            *prepared.reader.read(state.array, handles), SearchLimits(), calls
        )
        assert result.status == kernel.FOUND
        costs.add((result.cost, result.steps))
    assert len(costs) == 1
