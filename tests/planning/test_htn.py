"""Planning with task networks."""

from pathlib import Path

import pytest

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, TelosError
from telos.core.plan import NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.trace import as_json
from telos.core.values import Variable
from telos.planning.htn.files import load_tasks, loads_tasks
from telos.planning.htn.network import Method, Task, TaskNetwork
from telos.planning.htn.planner import Considered, TaskPlan, plan_tasks


def names(answer: Plan | NoPlan) -> list[str]:
    return [step.name for step in answer.steps]


def replayed(domain: Domain, answer: Plan | NoPlan, **values: object) -> State:
    state = domain.state(values)
    for step in answer.steps:
        assert step.is_possible(state), step.name
        state = step.result(state)
    return state


# --- the soldier: attack, or reload and then attack -------------------------------------------------------------------

SOLDIER = Domain(
    "soldier",
    variables=[Variable("loaded", "bool"), Variable("ammo", "int"), Variable("target", ["alive", "dead"])],
    actions=[
        Action("attack", preconditions="loaded and target == alive", effects="target = dead", cost=2),
        Action("reload", preconditions="ammo >= 1", effects="loaded = true, ammo -= 1"),
        Action("melee", preconditions="target == alive", effects="target = dead", cost=9),
    ],
)
KILL = TaskNetwork(
    SOLDIER,
    [
        Method("kill-enemy", "at-once", condition="loaded", subtasks="attack"),
        Method("kill-enemy", "by-hand", condition="ammo < 5", subtasks="melee"),
        Method("kill-enemy", "reload-first", condition="not loaded and ammo >= 1", subtasks=["reload", "attack"]),
    ],
)


def test_soldier_reloads_before_attack_only_if_empty() -> None:
    assert names(plan_tasks(KILL, {"loaded": True}, "kill-enemy")) == ["attack"]
    answer = plan_tasks(KILL, {"ammo": 2}, "kill-enemy")
    assert (names(answer), answer.cost) == (["reload", "attack"], 3.0)
    assert replayed(SOLDIER, answer, ammo=2)["target"] == "dead"


def test_first_applicable_method_wins_without_optimal() -> None:
    answer = plan_tasks(KILL, {"ammo": 2}, "kill-enemy", optimal=False)
    assert (names(answer), answer.cost) == (["melee"], 9.0)


def test_method_with_failing_subtasks_yields_to_the_next() -> None:
    network = TaskNetwork(
        SOLDIER, [Method("kill", "rash", subtasks="attack"), Method("kill", "slow", subtasks=["reload", "attack"])]
    )
    for optimal in (True, False):
        assert names(plan_tasks(network, {"ammo": 1}, "kill", optimal=optimal)) == ["reload", "attack"]


def test_why_shows_task_and_method_of_each_step() -> None:
    network = TaskNetwork(SOLDIER, [*KILL.methods, Method("mission", "only", subtasks=["kill-enemy", "reload"])])
    answer = plan_tasks(network, {"ammo": 2}, ["mission"])
    assert answer.why().splitlines() == [
        "mission: reload, then attack, then reload (cost 4)",
        "mission by only",
        "  kill-enemy by reload-first",
        "    1. reload",
        "    2. attack",
        "  3. reload",
    ]
    assert isinstance(answer, TaskPlan)
    assert [str(branch.task) for branch in answer.serves(1)] == ["kill-enemy", "mission"]
    assert [str(branch.task) for branch in answer.serves(2)] == ["mission"]
    with pytest.raises(IndexError, match="no step 3"):
        answer.task(3)


def test_why_not_names_methods_and_unmet_conditions() -> None:
    answer = plan_tasks(KILL, {"ammo": 7, "target": "dead", "loaded": True}, "kill-enemy")
    assert isinstance(answer, NoPlan)
    assert answer.stop is Stop.UNREACHABLE
    assert answer.why().splitlines() == [
        "kill-enemy: no choice of methods can be carried out",
        "  attack, for kill-enemy by at-once: it needs `target == alive` (target is dead)",
        "  kill-enemy: not every method applies",
        "    by-hand: it needs `ammo < 5` (ammo is 7)",
        "    reload-first: it needs `not loaded`",
    ]
    assert [str(each) for each in answer.missing] == ["target == alive"]
    none = plan_tasks(
        TaskNetwork(SOLDIER, [Method("kill", "m", condition="loaded and ammo > 1", subtasks="attack")]), {}, "kill"
    )
    assert none.why().splitlines()[1:] == [
        "  kill: no method applies",
        "    m: it needs `loaded` and `ammo > 1` (ammo is 0)",
    ]


def test_no_tasks_give_an_empty_plan() -> None:
    answer = plan_tasks(KILL, {}, [])
    assert answer.found
    assert (answer.steps, answer.cost) == ((), 0.0)
    assert answer.why() == "no tasks: nothing to do (cost 0)"


def test_action_can_be_requested_directly() -> None:
    assert names(plan_tasks(KILL, {"ammo": 1}, ["reload", "kill-enemy"])) == ["reload", "attack"]


# --- travel by taxi or on foot, with handles --------------------------------------------------------------------------

DISTANCES = {("home", "park"): 2, ("park", "home"): 2, ("home", "mall"): 8, ("mall", "home"): 8}


def city(**more: object) -> Domain:
    return Domain(
        "city",
        variables=[
            Variable("at", "place", "home"),
            Variable("taxi", "place"),
            Variable("cash", "number", 10),
            Variable("owes", "number"),
        ],
        actions=[
            Action("walk", parameters={"to": "place"}, effects="at = to", cost="2 * distance(at, to)"),
            Action("call-taxi", effects="taxi = at"),
            Action(
                "ride",
                parameters={"to": "place"},
                preconditions="taxi == at and at != to",
                effects="owes = 1 + distance(at, to) / 2, at = to, taxi = to",
                cost="distance(at, to)",
            ),
            Action("pay", preconditions="cash >= owes", effects="cash -= owes, owes = 0", cost=0),
        ],
        functions={"distance": lambda here, there: DISTANCES.get((here, there), 5)},
        **more,  # type: ignore[arg-type]
    )


def travel(domain: Domain) -> TaskNetwork:
    to = {"to": "place"}
    return TaskNetwork(
        domain,
        [
            Method("travel", "stay", parameters=to, condition="at == to"),
            Method("travel", "on-foot", parameters=to, condition="distance(at, to) <= 3", subtasks="walk(to)"),
            Method("travel", "by-taxi", parameters=to, subtasks=["call-taxi", "ride(to)", "pay"]),
        ],
    )


CITY = city(handles={"place": ["home", "park", "mall"]})


def test_traveller_walks_to_the_park_and_rides_to_the_mall() -> None:
    network = travel(CITY)
    answer = plan_tasks(network, {}, ["travel(park)", "travel(home)", "travel(mall)"])
    assert names(answer) == ["call-taxi", "ride", "pay", "call-taxi", "ride", "pay", "call-taxi", "ride", "pay"]
    first = plan_tasks(network, {}, ["travel(park)", "travel(home)", "travel(mall)"], optimal=False)
    assert isinstance(first, TaskPlan)
    assert [str(first.task(i)) for i in range(5)] == ["walk(park)", "walk(home)", "call-taxi", "ride(mall)", "pay"]
    assert [str(effect) for effect in first.steps[0].effects] == ["at = park"]
    after = replayed(CITY, first)
    assert (after["at"], after["cash"]) == ("mall", 5)


def test_travel_to_current_place_takes_no_steps() -> None:
    assert plan_tasks(travel(CITY), {}, "travel(home)").steps == ()
    assert plan_tasks(travel(CITY), {"at": "mall"}, "travel(at)").steps == ()  # a variable stands for its value


def test_traveller_without_cash_is_stuck_at_paying() -> None:
    answer = plan_tasks(travel(CITY), {"cash": 3}, "travel(mall)")
    assert answer.why().splitlines()[1] == (
        "  pay, for travel(mall) by by-taxi: it needs `cash >= owes` (cash is 3, owes is 5.0)"
    )


def test_handles_can_be_any_objects_in_the_state() -> None:
    domain, mall = city(), (3, 4)
    network = travel(domain)
    answer = plan_tasks(network, {"at": (0, 0), "taxi": mall}, Task("travel", (mall,)))
    assert isinstance(answer, TaskPlan)
    after = replayed(domain, answer, at=(0, 0), taxi=mall)
    assert after["at"] == mall
    assert not answer.steps[1].preconditions.unmet(domain.state({"at": (0, 0), "taxi": (0, 0)}))
    assert str(answer.task(1)) == "ride((3, 4))"
    assert answer.steps == plan_tasks(network, {"at": (0, 0), "taxi": mall}, "travel(taxi)").steps


def test_method_chooses_among_known_handles() -> None:
    domain = Domain(
        variables=[Variable("at", "node"), Variable("near", "node"), Variable("far", "node")],
        actions=[
            Action("goto", parameters={"to": "node"}, effects="at = to", cost="length(to)"),
            Action("duck", preconditions="at != none"),
        ],
        functions={"length": lambda to: {"well": 7, "wall": 2, "hut": 4}[to]},
        handles={"node": ["well"]},
    )
    hide = Method("hide", "run", choose={"spot": "node"}, condition="spot != at", subtasks=["goto(spot)", "duck"])
    network = TaskNetwork(domain, [hide])
    state = {"at": "wall", "near": "wall", "far": "hut"}
    best, first = (plan_tasks(network, state, "hide", optimal=optimal) for optimal in (True, False))
    assert isinstance(best, TaskPlan)
    assert isinstance(first, TaskPlan)
    assert best.why().splitlines()[1] == "hide by run with spot = hut"
    assert dict(best.tree[0].bindings) == {"spot": "hut"}
    assert (best.cost, str(first.task(0))) == (5.0, "goto(well)")
    nowhere = TaskNetwork(Domain(variables=domain.variables, actions=domain.actions), [hide])
    assert plan_tasks(nowhere, {}, "hide").why().splitlines()[-1] == "    run: there is no node to choose"
    only = plan_tasks(nowhere, {"at": "wall"}, "hide").why().splitlines()[-1]
    assert only == "    run with spot = wall: it needs `spot != at` (at is wall, spot is wall)"


# --- the squad: one suppresses while the others get to cover ----------------------------------------------------------

SQUAD = Domain(
    "squad",
    variables=[
        Variable("suppressed", "bool"),
        Variable("ann_safe", "bool"),
        Variable("bob_safe", "bool"),
        Variable("rounds", "int", 2),
    ],
    actions=[
        Action("suppress", preconditions="rounds >= 1", effects="suppressed = true, rounds -= 1"),
        Action("ann-runs", preconditions="suppressed", effects="ann_safe = true, suppressed = false", cost=2),
        Action("bob-runs", preconditions="suppressed", effects="bob_safe = true", cost=2),
        Action("regroup", preconditions="ann_safe and bob_safe"),
    ],
)


def squad(order: object) -> TaskNetwork:
    parts = ["ann-runs", "bob-runs", "suppress", "regroup"]
    return TaskNetwork(SQUAD, [Method("get-to-cover", "covered", subtasks=parts, order=order)])  # type: ignore[arg-type]


def test_unordered_subtasks_are_done_in_a_working_order() -> None:
    for optimal in (True, False):
        answer = plan_tasks(squad("any"), {}, "get-to-cover", optimal=optimal)
        assert names(answer) == ["suppress", "bob-runs", "ann-runs", "regroup"]
    assert not plan_tasks(squad("sequence"), {}, "get-to-cover").found


def test_order_pairs_say_which_steps_may_run_in_parallel() -> None:
    order = ["suppress before regroup", "ann-runs before regroup", (1, 3), ("suppress", "ann-runs")]
    answer = plan_tasks(squad(order), {}, "get-to-cover")
    assert isinstance(answer, TaskPlan)
    assert names(answer) == ["suppress", "bob-runs", "ann-runs", "regroup"]
    assert [sorted(answer.before(step)) for step in range(4)] == [[], [], [0], [0, 1, 2]]
    assert not plan_tasks(squad(["ann-runs before bob-runs"]), {}, "get-to-cover").found


def test_same_subtasks_in_another_order_are_another_method() -> None:
    parts = ["bob-runs", "suppress"]
    orders = (("strict", "sequence"), ("loose", "any"))
    network = TaskNetwork(SQUAD, [Method("move-bob", name, subtasks=parts, order=order) for name, order in orders])
    for optimal in (True, False):
        answer = plan_tasks(network, {}, "move-bob", optimal=optimal)
        assert answer.why().splitlines()[1] == "move-bob by loose"


def test_steps_of_unordered_compound_tasks_are_interleaved() -> None:
    network = TaskNetwork(
        SQUAD,
        [
            Method("cover-both", "together", subtasks=["fire-twice", "move-both"], order="any"),
            Method("fire-twice", "only", subtasks=["suppress", "suppress"]),
            Method("move-both", "only", subtasks=["ann-runs", "bob-runs"]),
        ],
    )
    answer = plan_tasks(network, {}, "cover-both")
    assert names(answer) == ["suppress", "ann-runs", "suppress", "bob-runs"]
    assert isinstance(answer, TaskPlan)
    assert [answer.serves(i)[0].task.name for i in range(4)] == ["fire-twice", "move-both", "fire-twice", "move-both"]
    assert [sorted(answer.before(step)) for step in range(4)] == [[], [], [0], [1]]


# --- recursion --------------------------------------------------------------------------------------------------------

YARD = Domain(
    variables=[Variable("crates", "int"), Variable("carried", "int")],
    actions=[Action("carry-one", preconditions="crates > 0", effects="crates -= 1, carried += 1"), Action("wait")],
)
CARRY = [
    Method("carry-all", "done", condition="crates == 0"),
    Method("carry-all", "one-more", subtasks=["carry-one", "carry-all"]),
]


@pytest.mark.parametrize("optimal", [True, False])
@pytest.mark.parametrize("crates", [0, 1, 3, 2000])
def test_recursive_task_carries_all_crates(crates: int, optimal: bool) -> None:
    answer = plan_tasks(TaskNetwork(YARD, CARRY), {"crates": crates}, "carry-all", optimal=optimal)
    assert names(answer) == ["carry-one"] * crates
    assert replayed(YARD, answer, crates=crates)["carried"] == crates
    assert len(answer.why().splitlines()) == 2 * crates + 2
    assert hash(answer) is not None


@pytest.mark.parametrize("optimal", [True, False])
def test_circular_refinement_ends(optimal: bool) -> None:
    loops = [Method("carry-all", "again", subtasks="carry-all"), Method("carry-all", "dawdle", subtasks="dawdle")]
    loops += [Method("dawdle", "back", subtasks=["carry-all"]), Method("dawdle", "rest", subtasks=["wait", "dawdle"])]
    network = TaskNetwork(YARD, [*loops, *CARRY])
    answer = plan_tasks(network, {"crates": 1}, "carry-all", optimal=optimal)
    assert replayed(YARD, answer, crates=1)["carried"] == 1
    never = TaskNetwork(YARD, [*loops, Method("carry-all", "done", condition="crates < 0")])
    assert plan_tasks(never, {"crates": 1}, "carry-all", optimal=optimal).stop is Stop.UNREACHABLE  # type: ignore[union-attr]


def test_left_recursive_task_does_not_hide_a_costlier_plan() -> None:
    growing = Method("carry-all", "grow", subtasks=["carry-all", "wait"])
    network = TaskNetwork(YARD, [growing, Method("carry-all", "one", subtasks=["carry-one"] * 3)])
    answer = plan_tasks(network, {"crates": 3}, "carry-all", budget=50)
    assert names(answer) == ["carry-one"] * 3


def test_budget_bounds_an_endless_task_search() -> None:
    growing = Method("carry-all", "grow", condition="crates >= 0", subtasks=["carry-one", "carry-all", "wait"])
    network = TaskNetwork(YARD, [growing, Method("carry-all", "never", condition="crates < 0")])
    for optimal in (True, False):
        answer = plan_tasks(network, {"crates": 9000}, "carry-all", optimal=optimal, budget=100)
        assert isinstance(answer, NoPlan)
        assert (answer.stop, answer.expanded) == (Stop.BUDGET_SPENT, 100)
        assert answer.why().startswith("carry-all: the search used up its budget")
        assert "never: it needs `crates < 0`" in answer.why()
    with pytest.raises(TelosError, match="budget must be at least 1, got 0"):
        plan_tasks(network, {}, "carry-all", budget=0)


def test_spent_budget_gives_the_closest_steps() -> None:
    answer = plan_tasks(TaskNetwork(YARD, CARRY), {"crates": 5}, ["carry-all", "wait"], budget=9)
    assert isinstance(answer, NoPlan)
    assert [step.name for step in answer.partial] == ["carry-one"] * 4


# --- what may go wrong ------------------------------------------------------------------------------------------------


def test_network_reports_all_faults_at_once() -> None:
    methods = [
        Method("travel", "walk", parameters={"to": "place"}, condition="distance(at, too) < 2", subtasks="wlak(to)"),
        Method(
            "travel", "ride", parameters={"to": "place"}, subtasks=["ride", "walk(cash)", "walk(parc)", "travel(to)"]
        ),
        Method("travel", "ride", parameters={"from": "place"}, choose={"cash": "place", "n": "int"}, subtasks="pay"),
        Method("pay", "twice", subtasks=["pay", "pay"], order=["pay before pay"]),
        Method("roam", "round", subtasks=["walk(home)", "walk(park)", "pay"], order=[(0, 2), (2, 1), (1, 0)]),
        Method("roam", "odd", subtasks=["walk(home)", "pay"], order=["wlak before pay", (0, 7)]),
        Method("idle", "for-ever", subtasks=["call-taxi", "idle"]),
    ]
    with pytest.raises(DefinitionError) as caught:
        TaskNetwork(CITY, methods)
    assert [str(fault) for fault in caught.value.faults] == [
        "tasks › travel: 'travel' has two methods 'ride'; rename one of them",
        "tasks › travel: methods 'walk' and 'ride' of 'travel' have different parameters; "
        "parameters belong to the task; use `choose` for a method's own",
        "tasks › travel › methods › walk › condition: unknown variable 'too'; did you mean 'to'?",
        "tasks › travel › methods › walk › subtasks › 0: unknown task 'wlak'; did you mean 'walk'?",
        "tasks › travel › methods › ride › subtasks › 0: 'ride' takes 1 argument, not 0; write `ride(to)`",
        "tasks › travel › methods › ride › subtasks › 1: 'cash' is number, where 'walk' wants place",
        "tasks › travel › methods › ride › subtasks › 2: unknown handle 'parc'; did you mean 'park'?",
        "tasks › travel › methods › ride › choose › cash: 'cash' is also a variable; rename one of them",
        "tasks › travel › methods › ride › choose › n: 'n' is int, and parameters are handles; "
        "name a kind of handle, such as node",
        "tasks › pay: 'pay' is an action, and actions have no methods; rename one of them",
        "tasks › pay › methods › twice › order › 0: subtask 'pay' stands at places [0, 1]; name the places",
        "tasks › roam › methods › round › order: the order is circular: walk(home), walk(park), pay; "
        "drop one of the pairs",
        "tasks › roam › methods › odd › order › 0: unknown subtask 'wlak'; did you mean 'walk'?",
        "tasks › roam › methods › odd › order › 1: unknown subtask 7; known: pay, walk",
        "tasks › idle: task 'idle' can never be finished: each of its methods is circular; give it a method that ends",
    ]


def test_bad_tasks_and_orders_raise_on_creation() -> None:
    with pytest.raises(TelosError, match=r"'goto\(' is not a task; write `reload` or `goto\(place\)`"):
        Task.of("goto(")
    with pytest.raises(TelosError, match=r"'goto\(a,\)' is not a task"):
        Task.of("goto(a,)")
    with pytest.raises(TelosError, match="'kill it' cannot name a task"):
        Method("kill it", "m")
    with pytest.raises(TelosError, match="unknown order 'some'; write sequence, any, or a list"):
        Method("kill", "m", order="some")
    with pytest.raises(TelosError, match="'reload' is not an order; write `goto before attack`"):
        Method("kill", "m", order=["reload"])


def test_bad_task_requests_name_the_remedy() -> None:
    network = travel(CITY)
    with pytest.raises(TelosError, match="unknown task 'travle'; did you mean 'travel'"):
        plan_tasks(network, {}, "travle(park)")
    with pytest.raises(TelosError, match=r"task travel has 0 arguments where 1 go; write `travel\(to\)`"):
        plan_tasks(network, {}, "travel")
    with pytest.raises(TelosError, match="unknown place 'parc'; did you mean 'park'"):
        plan_tasks(network, {}, "travel(parc)")
    with pytest.raises(TelosError, match="unknown variable 'csah'; did you mean 'cash'"):
        plan_tasks(network, {"csah": 3}, "travel(park)")


def test_negative_cost_of_an_action_raises() -> None:
    domain = Domain(variables=[Variable("debt", "int", 3)], actions=[Action("beg", cost="1 - debt")])
    with pytest.raises(TelosError, match="action 'beg' costs -2; a cost is a finite number, zero or more"):
        plan_tasks(TaskNetwork(domain, []), {}, "beg")


def test_task_search_replays_identically_with_a_trace() -> None:
    network = squad("any")
    seen: list[list[object]] = [[], []]
    answers = [plan_tasks(network, {}, "get-to-cover", trace=each.append) for each in seen]
    plain = plan_tasks(network, {}, "get-to-cover")
    assert answers == [plain, plain]
    assert seen[0] == seen[1]
    assert seen[0][0] == Considered(("get-to-cover",), 0.0, 6.0)
    assert as_json(seen[0][0]) == '{"kind": "considered", "tasks": ["get-to-cover"], "cost": 0.0, "bound": 6.0}'
    assert len(seen[0]) == plain.expanded


# --- files ------------------------------------------------------------------------------------------------------------

FILE = """\
tasks:
  travel:
    parameters: {to: place}
    methods:
      stay: {condition: at == to}
      on-foot:
        condition: [distance(at, to) <= 3, at != to]
        subtasks: walk(to)
      by-taxi:
        subtasks: [call-taxi, ride(to), pay]
        order: [call-taxi before ride, ride before pay]
  tour:
    methods:
      anywhere:
        choose: {first: place, last: place}
        condition:
          - first != last
        subtasks: [travel(first), travel(last)]
"""


def test_task_file_equals_network_in_python(tmp_path: Path) -> None:
    path = tmp_path / "travel.yaml"
    path.write_text(FILE, encoding="utf-8")
    network = load_tasks(path, CITY)
    assert list(network.tasks) == ["travel", "tour"]
    assert network.tasks["travel"][0] == travel(CITY).methods[0]
    assert network.tasks["travel"][2].pairs == ((0, 1), (1, 2))
    answer = plan_tasks(network, {}, "tour")
    assert answer.why().splitlines()[1] == "tour by anywhere with first = home, last = park"


def test_task_file_faults_have_lines() -> None:
    text = """\
tasks:
  travel:
    parameters: {to: place}
    methods:
      on-foot: {condition: [at != to, at == too and cash > 1], subtasks: [wlak(to)]}
      by-taxi:
        subtasks: [call-taxi, ride(to, at), pay]
        order: [call-taxi befor ride, rid before pay]
      broken: {condition: at = to, subtask: pay}
  tour:
    methods:
  roam: {methods: {often: {subtasks: [travel(home), tour], order: upwards}}}
  gaze: {methods: {once: {choose: {what: [bool]}, subtasks: [3]}}}
methods: {}
"""
    with pytest.raises(DefinitionError) as caught:
        loads_tasks(text, CITY, name="travel.yaml")
    assert [str(fault) for fault in caught.value.faults] == [
        "travel.yaml:5:45: unknown variable 'too' in `at == too and cash > 1`; did you mean 'to'?",
        "travel.yaml:5:75: unknown task 'wlak' in `wlak(to)`; did you mean 'walk'?",
        "travel.yaml:7:31: 'ride' takes 1 argument, not 2 in `ride(to`; write `ride(to)`",
        "travel.yaml:8:17: 'call-taxi befor ride' is not an order; write `goto before attack`",
        "travel.yaml:8:39: unknown subtask 'rid' in `rid before pay`; did you mean 'ride'?",
        "travel.yaml:9:30: '=' sets a value in `at = to`; use '==' to compare",
        "travel.yaml:9:36: unknown key 'subtask'; did you mean 'subtasks'?",
        "travel.yaml:10:3: task 'tour' has no methods; add `methods:` with at least one way to do it",
        "travel.yaml:12:67: unknown order 'upwards'; write sequence, any, or a list such as ['goto before attack']",
        "travel.yaml:13:36: 'what' is [bool], and parameters are handles; name a kind of handle, such as node",
        "travel.yaml:13:62: 3 is not a task; write `reload` or `goto(place)`",
        "travel.yaml:14:1: unknown key 'methods'; known: tasks",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "<text>:1:1: the file is empty; start with `tasks:`"),
        ("[1]", "<text>:1:1: a task file must be a mapping"),
        ("{}", "<text>:1:1: 'tasks' is missing; start with `tasks:`"),
        ("tasks: [a", "<text>:1:8: '[' is never closed"),
        ("tasks: {a: {methods: {m: , m: }}}", "<text>:1:28: 'm' stands twice; the first is on line 1"),
        ("tasks: {a: {methods: {m: {order: 3}}}}", "<text>:1:34: 3 is not an order"),
        ("tasks: {a: {methods: {2 b: {}}}}", "'2 b' cannot name a method"),
        ("tasks: {a: {methods: {m: {condition: cash}}}}", "'cash' is a number, where a condition"),
    ],
)
def test_strange_task_file_raises_a_definition_error(text: str, fault: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_tasks(text, CITY)
    assert len(caught.value.faults) == 1
    assert fault in str(caught.value)


def test_unreadable_task_file_raises_a_definition_error(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"gone.yaml: no such file"):
        load_tasks(tmp_path / "gone.yaml", CITY)
    (tmp_path / "old.yaml").write_bytes(b"tasks: \xff")
    with pytest.raises(DefinitionError, match=r"old.yaml:1:8: the file is not UTF-8; save it as UTF-8"):
        load_tasks(tmp_path / "old.yaml", CITY)


def test_task_with_many_blanks_is_refused_in_linear_time() -> None:
    with pytest.raises(TelosError, match="is not a task"):
        Task.of(f"goto{' ' * 300_000}=")
    assert Task.of(f" goto{' ' * 300_000}(place)  ") == Task("goto", ("place",))


# --- choices by preference, and handles that are given ----------------------------------------------------------------

ERRANDS = Domain(
    variables=[Variable("at", "node")],
    handles={"node": ["gate", "tower", "well"]},
    functions={"steps": lambda here, there: {"tower": 5, "gate": 9, "camp": 1}.get(there, 7)},
    actions=[Action("goto", parameters={"to": "node"}, effects="at = to")],
)


def visit(prefer: str | None) -> TaskNetwork:
    return TaskNetwork(
        ERRANDS,
        [Method("go", "anywhere", choose={"to": "node"}, condition="to != at", subtasks="goto(to)", prefer=prefer)],
    )


@pytest.mark.parametrize(
    ("prefer", "expected"), [(None, "gate"), ("steps(at, to)", "tower"), ("0 - steps(at, to)", "gate"), ("1", "gate")]
)
def test_choices_with_the_lowest_preference_are_tried_first(prefer: str | None, expected: str) -> None:
    answer = plan_tasks(visit(prefer), {"at": "well"}, "go", optimal=False)
    assert isinstance(answer, TaskPlan)
    assert str(answer.task(0)) == f"goto({expected})"


def test_given_handles_are_chosen_from_as_well() -> None:
    answer = plan_tasks(visit("steps(at, to)"), {"at": "well"}, "go", optimal=False, handles={"node": ["camp"]})
    assert isinstance(answer, TaskPlan)
    assert str(answer.task(0)) == "goto(camp)"


def test_preference_is_checked() -> None:
    with pytest.raises(DefinitionError, match="anywhere › prefer: unknown variable 'tu'; known: at, gate, to"):
        visit("steps(at, tu)")
    with pytest.raises(DefinitionError, match="orders the choices of a method, and there are none; add `choose:`"):
        TaskNetwork(ERRANDS, [Method("stay", "here", prefer="1")])
    text = "tasks:\n  go:\n    methods:\n      far: {choose: {to: node}, subtasks: goto(to), prefer: to == at}\n"
    with pytest.raises(DefinitionError, match="<text>:4:64: 'to == at' is true or false, where number is wanted"):
        loads_tasks(text, ERRANDS)


def test_the_nearest_choices_are_shown_first() -> None:
    stuck = TaskNetwork(
        ERRANDS,
        [Method("go", "on", choose={"to": "node"}, condition="at == well and to == tower", subtasks="goto(to)")],
    )
    why = plan_tasks(stuck, {"at": "gate"}, "go").why()
    assert why.splitlines()[2].strip().startswith("on with to = tower: it needs `at == well` (at is gate)")


def test_a_task_that_yaml_has_cut_at_its_comma_says_so() -> None:
    text = "tasks: {go: {methods: {far: {choose: {to: node}, subtasks: goto(to, at)}}}}"
    with pytest.raises(DefinitionError) as caught:
        loads_tasks(text, ERRANDS)
    fault = caught.value.faults[0]
    assert (fault.column, fault.message) == (60, "'goto(to' is not a task")
    assert fault.suggestion == "close the bracket; between { and }, put quotes around it: 'goto(to, …)'"
