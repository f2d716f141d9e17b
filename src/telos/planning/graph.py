"""The graph of a search: the states it came across, and by which action each was reached most cheaply."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Stop
from telos.core.state import State
from telos.core.values import Kind, Value
from telos.planning import heads, native
from telos.planning.assembly import Assembled
from telos.planning.conditions import value_of
from telos.planning.encoding import Handles
from telos.planning.engine import PATIENCE_ONCE, Ended, Engine, Limits
from telos.planning.engine import Answer as Reply
from telos.planning.grounding import Operator
from telos.planning.planner import BUDGET, WEIGHTS, Planner, Prepared
from telos.planning.task import Workspace

MOST = 400  # states; a larger picture is no longer looked at, only scrolled through


@dataclass(frozen=True, slots=True)
class Node:
    """A state that the search came across, and the cheapest way there that it knows.

    ``g`` is what that way costs, ``h`` the least that the rest can cost, and ``f`` what the search went by.
    """

    parent: int | None  # its place in the graph; None for the start
    action: str
    cost: float
    changes: tuple[str, ...]  # against the parent
    state: tuple[str, ...]  # everything that matters for the goal
    g: float
    h: float
    f: float
    is_expanded: bool


@dataclass(frozen=True, slots=True)
class SearchGraph:
    """What a search looked at: the start comes first, and every state after the one it was reached from.

    ``way`` leads from the start to the goal or, if the budget ran out, to the state that came closest; it is empty if
    the goal cannot be reached. ``left_out`` counts the states for which there was no room.
    """

    domain: str
    answer: Answer
    nodes: tuple[Node, ...]
    way: tuple[int, ...]
    left_out: int


def searched(
    domain: Domain,
    state: Mapping[str, Value],
    goal: str | Goal,
    *,
    actions: Sequence[Action] | None = None,
    how: str = "optimal",
    budget: int = BUDGET,
    handles: Mapping[str, Sequence[Value]] | None = None,
    called: Mapping[str, str] | None = None,
    most: int = MOST,
) -> SearchGraph:
    """Search as ``telos.plan`` does for a single goal, and return what was looked at, at most about ``most`` states.

    The way to the goal is always in it, then states that were expanded come before those that were only generated.
    ``called`` gives other names to actions.
    """
    planner = _Watching(domain, actions)
    answer = planner.plan(state, goal, how=how, budget=budget, handles=handles)
    tree = _Tree(planner.engine.space, WEIGHTS[how], answer)
    reader = _Reader(tree, planner.assembled, planner.in_play, domain, called or {})
    chosen = _chosen(tree, most)
    places = {node: place for place, node in enumerate(chosen)}
    return SearchGraph(
        domain=domain.name,
        answer=answer,
        nodes=tuple(reader.node(node, places) for node in chosen),
        way=tuple(places[node] for node in tree.way),
        left_out=tree.count - len(chosen),
    )


class _WatchedEngine(Engine):
    """An engine that lets one look at the room of its last search."""

    space: Workspace

    def search(self, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Reply) -> Ended:
        runner = self.compiled if limits.budget > PATIENCE_ONCE and native.is_installed() else self.plain
        ended = runner.run(words, numbers, limits, answer)
        self.space = runner.room()  # the room that was used last is the first to be used again
        return ended


class _Watching(Planner):
    """A planner that keeps what its last search was about."""

    assembled: Assembled
    engine: _WatchedEngine
    in_play: Handles

    def prepared(self, goal: Goal, state: State, handles: Handles) -> Prepared:
        made = super().prepared(goal, state, handles)
        self.assembled, self.in_play = made.assembled, handles
        self.engine = _WatchedEngine(made.assembled)
        return Prepared(made.assembled, self.engine, made.reader)


class _Tree:
    """The kernel's nodes after a search, by number: the start is 0."""

    def __init__(self, space: Workspace, weight: float, answer: Answer) -> None:
        self.space, self._weight = space, weight
        self.count = int(space.ints[heads.NODES])
        self.way: list[int] = []
        if not (isinstance(answer, NoPlan) and answer.stop is Stop.UNREACHABLE):
            self.way = self.back(int(space.ints[heads.GOAL_NODE]))[::-1]
        self._open = {node for node, f in self._queue() if f == self.f(node) and not self._int(heads.NEXT, node)}
        if answer.found:
            self._open.add(self.way[-1])  # it was taken from the queue, and there was no need to expand it

    def _queue(self) -> Iterator[tuple[int, float]]:
        """Yield the nodes that wait to be expanded, or were waiting before a cheaper way to them was found."""
        for k in range(int(self.space.ints[heads.HEAP])):
            yield self._int(heads.HEAP_NODE, k), self._float(heads.HEAP_F, k)

    def _int(self, part: int, k: int) -> int:
        return int(self.space.ints[self.space.ints[part] + k])

    def _float(self, part: int, k: int) -> float:
        return float(self.space.floats[self.space.ints[part] + k])

    def parent(self, node: int) -> int:
        return self._int(heads.PARENT, node)

    def operator(self, node: int) -> int:
        return self._int(heads.BY, node)

    def g(self, node: int) -> float:
        return self._float(heads.G, node)

    def h(self, node: int) -> float:
        return self._float(heads.H, node)

    def f(self, node: int) -> float:
        return self.g(node) + self._weight * self.h(node)

    def is_expanded(self, node: int) -> bool:
        return node not in self._open and self.h(node) < math.inf

    def back(self, node: int) -> list[int]:
        """Return a node, its parent, and so on to the start."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.parent(node)
        return found

    def words(self, node: int, count: int) -> list[int]:
        return [self._int(heads.STATE_WORDS, node * count + k) for k in range(count)]

    def numbers(self, node: int, count: int) -> list[float]:
        return [self._float(heads.STATE_NUMBERS, node * count + k) for k in range(count)]


def _chosen(tree: _Tree, most: int) -> list[int]:
    """Choose nodes to show, each after its parent."""
    chosen = dict.fromkeys(tree.way)
    expanded = (node for node in range(tree.count) if tree.is_expanded(node))
    others = (node for node in range(tree.count) if not tree.is_expanded(node))
    for node in itertools.chain(expanded, others):
        if len(chosen) >= most:
            break
        chosen.update(dict.fromkeys(reversed(tree.back(node))))
    return list(chosen)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns numbers back into words."""

    tree: _Tree
    assembled: Assembled
    handles: Handles
    domain: Domain
    called: Mapping[str, str]

    def node(self, number: int, places: Mapping[int, int]) -> Node:
        tree, state, parent = self.tree, self.state(number), self.tree.parent(number)
        is_start = parent < 0
        before = {} if is_start else self.state(parent)
        return Node(
            parent=None if is_start else places[parent],
            action="" if is_start else self.name(self.assembled.operators[tree.operator(number)]),
            cost=0.0 if is_start else self.cost(number, parent),
            changes=tuple(_said(name, value) for name, value in state.items() if before.get(name, before) != value),
            state=tuple(_said(name, value) for name, value in state.items()),
            g=tree.g(number),
            h=tree.h(number),
            f=tree.f(number),
            is_expanded=tree.is_expanded(number),
        )

    def cost(self, number: int, parent: int) -> float:
        task, operator = self.assembled.task, self.tree.operator(number)
        if task.cost_program[operator] < 0:
            return task.cost[operator]
        # The game's answers are gone by now. What the step added is its cost, unless a hasty search (`fast`) later
        # found a cheaper way to the parent and ended before it came by here again.
        return self.tree.g(number) - self.tree.g(parent)

    def state(self, number: int) -> dict[str, Value]:
        """Return the values of the variables that matter."""
        encoding, layout = self.assembled.encoding, self.domain.layout
        words, numbers = self.tree.words(number, encoding.words), self.tree.numbers(number, len(encoding.numbers))
        values: dict[str, Value] = {}
        for name in encoding.fields:
            values[name] = value_of(layout.variable(name).type, encoding.code(name, words), self.handles)
        for name, slot in encoding.numbers.items():
            is_whole = layout.variable(name).type.kind is Kind.INT
            values[name] = int(numbers[slot]) if is_whole else numbers[slot]
        return values

    def name(self, operator: Operator) -> str:
        arguments = [str(self.handles.handle(kind, code)) for _, kind, code in operator.arguments]
        name = self.called.get(operator.action.name, operator.action.name)
        return f"{name}({', '.join(arguments)})" if arguments else name


def _said(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if value is None:
        return f"{name} = none"
    return f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
