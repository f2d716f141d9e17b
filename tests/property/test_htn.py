"""Laws of planning with tasks, over random networks, against an oracle that lists every decomposition."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.plan import NoPlan, Plan, Stop
from telos.core.values import Variable
from telos.planning.htn.network import Method, TaskNetwork
from telos.planning.htn.planner import TaskPlan, plan_tasks

World = dict[str, Any]
HANDLES = ("x", "y")

# Conditions and effects, each as a text and as the Python that it should mean.
CONDITIONS: list[tuple[str, Callable[[World], bool]]] = [
    ("true", lambda w: True),
    ("true", lambda w: True),
    ("lit", lambda w: w["lit"]),
    ("not lit", lambda w: not w["lit"]),
    ("fuel >= 1", lambda w: w["fuel"] >= 1),
    ("fuel < 2 or lit", lambda w: w["fuel"] < 2 or w["lit"]),
    ("at == x", lambda w: w["at"] == "x"),
]
ABOUT_P: list[tuple[str, Callable[[World], bool]]] = [*CONDITIONS, ("at != p", lambda w: w["at"] != w["p"])]
EFFECTS: list[tuple[str, Callable[[World], World]]] = [
    ("lit = not lit", lambda w: {"lit": not w["lit"]}),
    ("fuel -= 1", lambda w: {"fuel": w["fuel"] - 1}),
    ("fuel += 1, lit = true", lambda w: {"fuel": w["fuel"] + 1, "lit": True}),
    ("at = y", lambda w: {"at": "y"}),
]


@dataclass
class Act:
    condition: tuple[str, Callable[[World], bool]]
    effect: tuple[str, Callable[[World], World]]
    cost: float
    parameters: tuple[str, ...] = ()


@dataclass
class Way:
    name: str
    parameters: tuple[str, ...]
    choose: tuple[str, ...]
    condition: tuple[str, Callable[[World], bool]]
    subtasks: list[tuple[str, tuple[str, ...]]]
    order: str | list[tuple[int, int]]


@dataclass
class Model:
    """A network, in the plainest of terms."""

    acts: dict[str, Act]
    ways: dict[str, list[Way]]
    tasks: list[str]
    start: World
    domain: Domain = field(init=False)
    network: TaskNetwork = field(init=False)

    def __post_init__(self) -> None:
        variables = [Variable("lit", "bool"), Variable("fuel", "int"), Variable("at", "node", "x")]
        actions = [
            Action(
                name,
                preconditions=act.condition[0],
                effects=act.effect[0],
                cost=act.cost,
                parameters=dict.fromkeys(act.parameters, "node"),
            )
            for name, act in self.acts.items()
        ]
        self.domain = Domain(variables=variables, actions=actions, handles={"node": HANDLES})
        methods = [
            Method(
                task,
                way.name,
                parameters=dict.fromkeys(way.parameters, "node"),
                choose=dict.fromkeys(way.choose, "node"),
                condition=way.condition[0],
                subtasks=[f"{name}({', '.join(arguments)})" for name, arguments in way.subtasks],
                order=way.order,
            )
            for task, ways in self.ways.items()
            for way in ways
        ]
        self.network = TaskNetwork(self.domain, methods)


@st.composite
def models(draw: st.DrawFn, recursive: bool = False) -> Model:
    acts = {
        f"act-{i}": Act(draw(st.sampled_from(CONDITIONS)), draw(st.sampled_from(EFFECTS)), draw(st.integers(0, 4)))
        for i in range(3)
    }
    acts["goto"] = Act(draw(st.sampled_from(ABOUT_P)), ("at = p", lambda w: {"at": w["p"]}), 2, ("p",))
    compounds = {name: draw(st.sampled_from([(), ("p",)])) for name in ("low", "high")}
    ways: dict[str, list[Way]] = {}
    for name, parameters in compounds.items():
        reach = [*acts, *(compounds if recursive else list(ways))]
        ways[name] = []
        for number in range(draw(st.integers(1, 3))):
            choose = draw(st.sampled_from([(), (), ("q",)]))
            names = ["x", "y", "at", *parameters, *choose]
            # The first method always ends, so that every task can be finished.
            parts = draw(st.lists(st.sampled_from(reach if number else list(acts)), max_size=2 if ways else 3))
            subtasks = []
            for part in parts:
                arity = len(acts[part].parameters if part in acts else compounds[part])
                subtasks.append((part, tuple(draw(st.sampled_from(names)) for _ in range(arity))))
            condition = draw(st.sampled_from(ABOUT_P if parameters else CONDITIONS))
            ways[name].append(Way(f"way-{number}", parameters, choose, condition, subtasks, draw(orders(len(parts)))))
    tasks = [draw(st.sampled_from(["high", "high", "low"])), *draw(st.sampled_from([[], ["act-0"], ["goto"]]))]
    said = [f"{name}(y)" if (compounds.get(name) or name == "goto") else name for name in tasks]
    start = {"lit": draw(st.booleans()), "fuel": draw(st.integers(0, 2)), "at": draw(st.sampled_from(HANDLES))}
    return Model(acts, ways, said, start)


@st.composite
def orders(draw: st.DrawFn, count: int) -> str | list[tuple[int, int]]:
    kind = draw(st.sampled_from(["sequence", "any", "pairs"]))
    if kind != "pairs":
        return kind
    places = draw(st.permutations(range(count)))
    return [pair for pair in itertools.combinations(places, 2) if draw(st.booleans())]


@dataclass(frozen=True)
class Left:
    """A task left to do: a number of its own, its name and handles, and the numbers of those that come before it."""

    number: int
    name: str
    handles: tuple[str, ...]
    before: frozenset[int]


def decompositions(model: Model, world: World, left: list[Left], numbers: Iterator[int]) -> Iterator[tuple[float, Any]]:
    """Yield the cost and steps of everything that the network allows, in the order of tasks, methods and handles."""
    if not left:
        yield 0.0, ()
    ids = {each.number for each in left}
    for i, task in enumerate(left):
        if task.before & ids:
            continue
        rest = [*left[:i], *left[i + 1 :]]
        if task.name in model.acts:
            act = model.acts[task.name]
            seen = {**world, **dict(zip(act.parameters, task.handles, strict=True))}
            if act.condition[1](seen):
                after = {**world, **act.effect[1](seen)}
                for cost, steps in decompositions(model, after, rest, numbers):
                    yield act.cost + cost, ((task.name, task.handles), *steps)
            continue
        for way in model.ways[task.name]:
            for chosen in itertools.product(HANDLES, repeat=len(way.choose)):
                env = dict(zip((*way.parameters, *way.choose), (*task.handles, *chosen), strict=True))
                if way.condition[1]({**world, **env}):
                    parts = refined(way, {"x": "x", "y": "y", "at": world["at"], **env}, numbers)
                    new = frozenset(part.number for part in parts)
                    later = [
                        Left(each.number, each.name, each.handles, each.before | new)
                        if task.number in each.before
                        else each
                        for each in rest
                    ]
                    yield from decompositions(model, world, [*later[:i], *parts, *later[i:]], numbers)


def refined(way: Way, env: World, numbers: Iterator[int]) -> list[Left]:
    ids = [next(numbers) for _ in way.subtasks]
    pairs = way.order
    if isinstance(pairs, str):
        pairs = [] if pairs == "any" else list(itertools.combinations(range(len(ids)), 2))
    return [
        Left(ids[i], name, tuple(env[each] for each in arguments), frozenset(ids[a] for a, b in pairs if b == i))
        for i, (name, arguments) in enumerate(way.subtasks)
    ]


def oracle(model: Model) -> list[tuple[float, Any]]:
    numbers = itertools.count()
    left: list[Left] = []
    for said in model.tasks:
        name, _, arguments = said.partition("(")
        handles = ("y",) if arguments else ()
        left.append(Left(next(numbers), name, handles, frozenset(each.number for each in left)))
    return list(decompositions(model, model.start, left, numbers))


def told(answer: Plan | NoPlan) -> tuple[Any, ...]:
    assert isinstance(answer, TaskPlan)
    tasks = [answer.task(step) for step in range(len(answer.steps))]
    return tuple((task.name, task.arguments) for task in tasks)


def check_replay(model: Model, answer: TaskPlan) -> None:
    world, cost = model.start, 0.0
    state = model.domain.state(model.start)
    for name, handles in told(answer):
        seen = {**world, **dict(zip(model.acts[name].parameters, handles, strict=True))}
        assert model.acts[name].condition[1](seen)
        world, cost = {**world, **model.acts[name].effect[1](seen)}, cost + model.acts[name].cost
    for step in answer.steps:
        assert step.is_possible(state)
        state = step.result(state)
    assert dict(state) == world
    assert answer.cost == cost


def check_tree(answer: TaskPlan) -> None:
    """The parts of every task are those of its method, and their steps come in its order."""
    tree = answer.tree
    assert sorted(branch.step for branch in tree if branch.step is not None) == list(range(len(answer.steps)))
    inside: dict[int, list[int]] = {place: [] for place in range(len(tree))}
    for place, branch in enumerate(tree):
        above: int | None = place
        while branch.step is not None and above is not None:
            inside[above].append(branch.step)
            above = tree[above].parent
    for place, branch in enumerate(tree):
        parts = [i for i, each in enumerate(tree) if each.parent == place]
        if branch.method is None:
            assert not parts
            continue
        assert [tree[i].task.name for i in parts] == [subtask.name for subtask in branch.method.subtasks]
        assert [tree[i].part for i in parts] == list(range(len(parts)))
        for first, second in branch.method.pairs:
            for one, other in itertools.product(inside[parts[first]], inside[parts[second]]):
                assert one < other
                assert one in answer.before(other)


@given(models())
@settings(max_examples=300, deadline=None)
def test_cheapest_task_plan_equals_enumeration(model: Model) -> None:
    everything = oracle(model)
    answer = plan_tasks(model.network, model.start, model.tasks, budget=1_000_000)
    assert answer.cost == min((cost for cost, _ in everything), default=math.inf)
    if isinstance(answer, NoPlan):
        assert answer.stop is Stop.UNREACHABLE
        assert len(answer.why().splitlines()) > 1
        assert answer.missing
        return
    assert (answer.cost, told(answer)) in everything
    check_replay(model, answer)
    check_tree(answer)


@given(models())
@settings(max_examples=300, deadline=None)
def test_depth_first_gives_the_first_plan_in_method_order(model: Model) -> None:
    everything = oracle(model)
    answer = plan_tasks(model.network, model.start, model.tasks, optimal=False, budget=1_000_000)
    assert answer.found == bool(everything)
    if isinstance(answer, TaskPlan):
        assert (answer.cost, told(answer)) == everything[0]
        check_replay(model, answer)
        check_tree(answer)


@given(models(recursive=True), st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_recursive_networks_give_sound_plans(model: Model, budget: int) -> None:
    best, first = (
        plan_tasks(model.network, model.start, model.tasks, optimal=optimal, budget=budget) for optimal in (True, False)
    )
    for answer in (best, first):
        assert answer.expanded <= budget
        assert answer.why()
        if isinstance(answer, TaskPlan):
            check_replay(model, answer)
            check_tree(answer)
    if best.found and first.found:
        assert best.cost <= first.cost
    for one, other in ((best, first), (first, best)):
        if isinstance(one, NoPlan) and one.stop is Stop.UNREACHABLE:
            assert not other.found


@given(models(recursive=True))
@settings(max_examples=50, deadline=None)
def test_same_task_request_gets_the_same_answer(model: Model) -> None:
    runs: list[list[object]] = [[], []]
    answers = [plan_tasks(model.network, model.start, model.tasks, budget=200, trace=run.append) for run in runs]
    assert answers[0] == answers[1]
    assert answers[0].why() == answers[1].why()
    assert runs[0] == runs[1]
