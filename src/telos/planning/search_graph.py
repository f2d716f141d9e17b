"""The graph of a search: the states that it generated. ``record_search`` records it, ``save_graph`` draws it as SVG."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from telos import svg
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.plan import Answer, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import Value, ValueKind
from telos.files.writing import check_output, write_text
from telos.planning import kernel, search
from telos.planning.encoding import HandleTable
from telos.planning.operators import Operator, decode_value
from telos.planning.planner import DEFAULT_BUDGET, WEIGHTS, Planner, PreparedGoal
from telos.planning.search import MAX_PLAIN_EXPANSIONS, GameCalls, SearchEngine, SearchLimits, SearchResult
from telos.planning.task import CompiledTask, Workspace
from telos.svg import clip_text, element, escape_text, tenths

# --- recording ---

MAX_STATES = 400  # a larger picture is unreadable


@dataclass(frozen=True, slots=True)
class SearchNode:
    """A state that the search generated, and the cheapest known way there.

    ``g`` is the cost of that way, ``h`` the estimate of the rest, and ``f`` the priority in the search.
    """

    parent: int | None  # index in the graph; None for the start
    action: str
    cost: float
    changes: tuple[str, ...]  # compared with the parent
    state: tuple[str, ...]  # all variables that are relevant for the goal
    g: float
    h: float
    f: float
    is_expanded: bool


@dataclass(frozen=True, slots=True)
class SearchGraph:
    """The states of a search: the start first, and every state after its parent.

    ``way`` leads from the start to the goal or, if the budget was spent, to the state that came closest; it is empty if
    the goal cannot be reached. ``left_out`` counts the states beyond the limit.
    """

    domain: str
    answer: Answer
    nodes: tuple[SearchNode, ...]
    way: tuple[int, ...]
    left_out: int


def record_search(
    domain: Domain,
    state: Mapping[str, Value],
    goal: str | Goal,
    *,
    actions: Sequence[Action] | None = None,
    how: str = "optimal",
    budget: int = DEFAULT_BUDGET,
    handles: Mapping[str, Sequence[Value]] | None = None,
    called: Mapping[str, str] | None = None,
    most: int = MAX_STATES,
) -> SearchGraph:
    """Search like ``telos.plan`` for a single goal, and return its graph with at most about ``most`` states.

    The way to the goal is always included; then expanded states come before states that were only generated.
    ``called`` gives other names to actions.
    """
    planner = _RecordingPlanner(domain, actions)
    answer = planner.plan(state, goal, how=how, budget=budget, handles=handles)
    tree = _SearchTree(planner.engine.space, WEIGHTS[how], answer)
    reader = _NodeReader(tree, planner.compiled_task, planner.in_play, domain, called or {})
    chosen = _choose_nodes(tree, most)
    places = {node: place for place, node in enumerate(chosen)}
    return SearchGraph(
        domain=domain.name,
        answer=answer,
        nodes=tuple(reader.node(node, places) for node in chosen),
        way=tuple(places[node] for node in tree.way),
        left_out=tree.count - len(chosen),
    )


class _RecordingEngine(SearchEngine):
    """An engine that gives access to the workspace of its last search."""

    space: Workspace

    def search(
        self, words: Sequence[int], numbers: Sequence[float], limits: SearchLimits, calls: GameCalls | None = None
    ) -> SearchResult:
        runner = self.compiled if limits.budget > MAX_PLAIN_EXPANSIONS and search.is_installed() else self.plain
        result = runner.run(words, numbers, limits, calls)
        self.space = runner.acquire_workspace()  # the workspace that was released last is acquired first
        return result


class _RecordingPlanner(Planner):
    """A planner that keeps the compiled task, the engine and the handles of its last search."""

    compiled_task: CompiledTask
    engine: _RecordingEngine
    in_play: HandleTable

    def prepare(self, goal: Goal, state: State, handles: HandleTable) -> PreparedGoal:
        made = super().prepare(goal, state, handles)
        self.compiled_task, self.in_play = made.compiled_task, handles
        self.engine = _RecordingEngine(made.compiled_task)
        return PreparedGoal(made.compiled_task, self.engine, made.reader, made.calls)


class _SearchTree:
    """The kernel's nodes after a search, by number: the start is 0."""

    def __init__(self, space: Workspace, weight: float, answer: Answer) -> None:
        self.space, self._weight = space, weight
        self.count = int(space.ints[kernel.NODES])
        self.way: list[int] = []
        if not (isinstance(answer, NoPlan) and answer.stop is Stop.UNREACHABLE):
            self.way = self.back(int(space.ints[kernel.GOAL_NODE]))[::-1]
        self._open = {
            node for node, f in self._queue() if f == self.f(node) and not self._int(kernel.NEXT_OPERATOR, node)
        }
        self._open.add(int(space.ints[kernel.SUSPENDED]))  # popped when the budget was spent; -1 is no node
        if answer.found:
            self._open.add(self.way[-1])  # popped from the queue, but not expanded

    def _queue(self) -> Iterator[tuple[int, float]]:
        """Yield the queue: nodes to expand, and outdated entries of nodes with a cheaper way by now."""
        for k in range(int(self.space.ints[kernel.HEAP])):
            yield self._int(kernel.HEAP_NODE, k), self._float(kernel.HEAP_F, k)

    def _int(self, part: int, k: int) -> int:
        return int(self.space.ints[self.space.ints[part] + k])

    def _float(self, part: int, k: int) -> float:
        return float(self.space.floats[self.space.ints[part] + k])

    def parent(self, node: int) -> int:
        return self._int(kernel.PARENT, node)

    def operator(self, node: int) -> int:
        return self._int(kernel.REACHED_BY, node)

    def g(self, node: int) -> float:
        return self._float(kernel.G, node)

    def h(self, node: int) -> float:
        return self._float(kernel.H, node)

    def f(self, node: int) -> float:
        return self.g(node) + self._weight * self.h(node)

    def is_expanded(self, node: int) -> bool:
        return node not in self._open and self.h(node) < math.inf

    def back(self, node: int) -> list[int]:
        """Return a node and its ancestors up to the start."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.parent(node)
        return found

    def words(self, node: int, count: int) -> list[int]:
        return [self._int(kernel.STATE_WORDS, node * count + k) for k in range(count)]

    def numbers(self, node: int, count: int) -> list[float]:
        return [self._float(kernel.STATE_NUMBERS, node * count + k) for k in range(count)]


def _choose_nodes(tree: _SearchTree, most: int) -> list[int]:
    """Choose the nodes to show, each after its parent."""
    chosen = dict.fromkeys(tree.way)
    expanded = (node for node in range(tree.count) if tree.is_expanded(node))
    others = (node for node in range(tree.count) if not tree.is_expanded(node))
    for node in itertools.chain(expanded, others):
        if len(chosen) >= most:
            break
        chosen.update(dict.fromkeys(reversed(tree.back(node))))
    return list(chosen)


@dataclass(frozen=True, slots=True)
class _NodeReader:
    """Decodes nodes of the kernel."""

    tree: _SearchTree
    compiled_task: CompiledTask
    handles: HandleTable
    domain: Domain
    called: Mapping[str, str]

    def node(self, number: int, places: Mapping[int, int]) -> SearchNode:
        tree, state, parent = self.tree, self.state(number), self.tree.parent(number)
        is_start = parent < 0
        before = {} if is_start else self.state(parent)
        return SearchNode(
            parent=None if is_start else places[parent],
            action="" if is_start else self.name(self.compiled_task.operators[tree.operator(number)]),
            cost=0.0 if is_start else self.cost(number, parent),
            changes=tuple(
                _format_value(name, value) for name, value in state.items() if before.get(name, before) != value
            ),
            state=tuple(_format_value(name, value) for name, value in state.items()),
            g=tree.g(number),
            h=tree.h(number),
            f=tree.f(number),
            is_expanded=tree.is_expanded(number),
        )

    def cost(self, number: int, parent: int) -> float:
        task, operator = self.compiled_task.kernel_task, self.tree.operator(number)
        if task.cost_program[operator] < 0:
            return task.cost[operator]
        # Values of game functions are not kept. The difference of g is the cost, unless a `fast` search later found a
        # cheaper way to the parent and result before it reached this node again.
        return self.tree.g(number) - self.tree.g(parent)

    def state(self, number: int) -> dict[str, Value]:
        """Return the values of the relevant variables."""
        encoding, layout = self.compiled_task.encoding, self.domain.layout
        words, numbers = self.tree.words(number, encoding.words), self.tree.numbers(number, len(encoding.numbers))
        values: dict[str, Value] = {}
        for name in encoding.fields:
            values[name] = decode_value(layout.variable(name).type, encoding.read_code(name, words), self.handles)
        for name, slot in encoding.numbers.items():
            is_whole = layout.variable(name).type.kind is ValueKind.INT
            values[name] = int(numbers[slot]) if is_whole else numbers[slot]
        return values

    def name(self, operator: Operator) -> str:
        arguments = [str(self.handles.decode(kind, code)) for _, kind, code in operator.arguments]
        name = self.called.get(operator.action.name, operator.action.name)
        return f"{name}({', '.join(arguments)})" if arguments else name


def _format_value(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if value is None:
        return f"{name} = none"
    return f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"


# --- drawing: a tree from left to right, with the plan as the straight line on top ---

_STYLE = """
  text { font-family: system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; font-size: 12px; fill: #1c2733; }
  .head { font-size: 17px; font-weight: 600; }
  .small { font-size: 10px; fill: #55616e; }
  .edge { fill: none; stroke: #b3bdc7; stroke-width: 1.2; }
  .by { font-size: 11px; fill: #46525e; }
  .generated rect { fill: #ffffff; stroke: #a9b4bf; stroke-dasharray: 4 3; }
  .expanded rect { fill: #edf1f5; stroke: #8697a8; }
  .way rect { fill: #e2edf9; stroke: #2464ab; stroke-width: 1.8; stroke-dasharray: none; }
  .start rect { fill: #1c2733; stroke: #1c2733; stroke-dasharray: none; }
  .start text { fill: #ffffff; }
  .start .small { fill: #cfd8e0; }
  .goal rect { fill: #dcf1e1; stroke: #2a7d46; stroke-width: 2.4; stroke-dasharray: none; }
  .edge.way { stroke: #2464ab; stroke-width: 2.6; }
  .by.way { fill: #1b4f8a; font-weight: 600; }
"""
_MAX_LABEL = 34  # characters of a label; the tooltip has the whole text
_MAX_LINE = 110  # characters of the lines on top
_MAX_DETAILED = 80  # states; with more, details are only in the tooltips
_MARGIN, _TOP = 24, 122
_BEND = 30  # pixels from a box to where its edges are level again


def check_svg_path(path: Path, *, inputs: Iterable[Path] = ()) -> None:
    """Raise if ``path`` cannot be written or is one of the inputs, before a long search."""
    if path.suffix.lower() != ".svg":
        raise TelosError(f"cannot draw the graph into {str(path)!r}", "end the name with .svg")
    check_output(path, inputs=inputs)


def save_graph(graph: SearchGraph, path: Path, *, inputs: Iterable[Path] = ()) -> None:
    """Draw a graph into ``path``; an existing file is replaced as a whole or left unchanged."""
    check_svg_path(path)
    write_text(path, draw_graph(graph), inputs=inputs)


def draw_graph(graph: SearchGraph) -> str:
    """Return a graph as the text of an SVG file; the same graph gives the same text."""
    width, height, content = _draw(graph)
    background = element("rect", width=str(width), height=str(height), fill="#ffffff")
    size = {"width": str(width), "height": str(height), "viewBox": f"0 0 {width} {height}"}
    content = "\n".join(["", svg.title(_head(graph)[0][0]), element("style", _STYLE), background, content, ""])
    return f"{svg.document(content, **size, role='img')}\n"


def embed_graph(graph: SearchGraph) -> str:
    """Return a graph as an SVG without colours, for a page that has a style sheet for the class ``telos-search``."""
    width, height, content = _draw(graph)
    size = {"width": str(width), "height": str(height), "viewBox": f"0 0 {width} {height}"}
    return svg.document(svg.title(_head(graph)[0][0]) + content, **size, role="img", class_="telos-search")


def _draw(graph: SearchGraph) -> tuple[int, int, str]:
    """Return the width, the height and the elements of the drawing."""
    boxes = _layout(graph)
    head = _head(graph)
    width = max([box.x + box.width for box in boxes] + [_text_width(line, size) for line, size in head])
    width = math.ceil(max(width + _MARGIN, 560))
    height = math.ceil(max(box.y for box in boxes) + 20 + _MARGIN)
    lines = [
        element("text", escape_text(head[0][0]), class_="head", x=_MARGIN, y=34),
        *(element("text", escape_text(line), x=_MARGIN, y=54 + 17 * i) for i, (line, _) in enumerate(head[1:])),
        *_legend(),
    ]
    way = set(graph.way)
    # The plan is drawn last, so that it lies on top.
    for number in sorted(range(len(graph.nodes)), key=lambda each: each in way):
        lines += _edge(graph, boxes, number, number in way)
    for number in range(len(graph.nodes)):
        lines += _box(graph, boxes[number], number, number in way)
    return width, height, "\n".join(lines)


@dataclass(slots=True)
class _Box:
    """The box of a state: the left end, the middle, and the texts."""

    x: float
    y: float
    width: float
    height: float
    label: str
    by: str


def _layout(graph: SearchGraph) -> list[_Box]:
    """Place every state: columns are steps from the start, and no two edges cross.

    The first child is level with its parent, and the plan's own child is first, so the plan is a straight line.
    """
    depth = _depths(graph.nodes)
    row = _rows(graph, depth)
    is_detailed = len(graph.nodes) <= _MAX_DETAILED
    height, pitch = (36.0, 54.0) if is_detailed else (22.0, 36.0)
    labels = [
        "start" if node.parent is None else clip_text(", ".join(node.changes) or "…", _MAX_LABEL)
        for node in graph.nodes
    ]
    if isinstance(graph.answer, Plan) and not is_detailed:  # otherwise the details say so
        labels[graph.way[-1]] = f"goal: {labels[graph.way[-1]]}"
    bys = [
        "" if node.parent is None else f"{clip_text(node.action, _MAX_LABEL)}  {node.cost:g}" for node in graph.nodes
    ]
    small = max(_text_width(_numbers(node), 10) for node in graph.nodes) + 20 if is_detailed else 0.0
    lefts, widths, x = list[float](), list[float](), float(_MARGIN)
    for column in range(max(depth) + 1):
        inside = [number for number, each in enumerate(depth) if each == column]
        if column:
            x += _BEND + 14 + max(_text_width(bys[number], 11) for number in inside)
        lefts.append(x)
        widths.append(max([small, *(_text_width(labels[number], 12) + 20 for number in inside)]))
        x += widths[-1]
    return [
        _Box(lefts[at], _TOP + pitch / 2 + 18 + row[number] * pitch, widths[at], height, labels[number], bys[number])
        for number, at in enumerate(depth)
    ]


def _depths(nodes: Sequence[SearchNode]) -> list[int]:
    depth: list[int] = []
    for node in nodes:  # parents come first
        depth.append(0 if node.parent is None else depth[node.parent] + 1)
    return depth


def _rows(graph: SearchGraph, depth: Sequence[int]) -> list[int]:
    """Return the row of each state: first children level with their parents, other branches as high as possible."""
    children: list[list[int]] = [[] for _ in graph.nodes]
    for number, node in enumerate(graph.nodes):
        if node.parent is not None:
            children[node.parent].append(number)
    way = set(graph.way)
    for each in children:
        each.sort(key=lambda child: (child not in way, graph.nodes[child].f, child))
    reach = list(depth)  # the last column of the level line that starts with a state
    for number in reversed(range(len(graph.nodes))):
        if children[number]:
            reach[number] = reach[children[number][0]]
    rows, free = [0] * len(graph.nodes), [0] * (max(depth) + 1)
    waiting = [(0, False)]  # states to place, and whether each is level with its parent
    while waiting:
        number, is_level = waiting.pop()
        parent = graph.nodes[number].parent
        if is_level and parent is not None:
            rows[number] = rows[parent]
        else:
            rows[number] = max(free[depth[number] : reach[number] + 1])
        free[depth[number]] = rows[number] + 1
        waiting += reversed([(child, place == 0) for place, child in enumerate(children[number])])
    return rows


def _edge(graph: SearchGraph, boxes: Sequence[_Box], number: int, is_way: bool) -> Iterator[str]:
    node, to = graph.nodes[number], boxes[number]
    if node.parent is None:
        return
    start = boxes[node.parent]
    x = start.x + start.width
    way = " way" if is_way else ""
    bend = f"C{x + 16:.1f},{start.y:.1f} {x + 8:.1f},{to.y:.1f} {x + _BEND:.1f},{to.y:.1f}"
    yield element("path", class_=f"edge{way}", d=f"M{x:.1f},{start.y:.1f} {bend} H{to.x:.1f}")
    tip = f"{node.action}\ncost {node.cost:g}"
    words = escape_text(to.by) + svg.title(tip)
    place = {"x": tenths(x + _BEND + 2), "y": tenths(to.y - 5), "xml:space": "preserve"}
    yield element("text", words, class_=f"by{way}", **place)


def _box(graph: SearchGraph, box: _Box, number: int, is_way: bool) -> Iterator[str]:
    node = graph.nodes[number]
    kinds = ["expanded" if node.is_expanded else "generated"]
    kinds += ["way"] * is_way + ["start"] * (node.parent is None)
    is_goal = isinstance(graph.answer, Plan) and number == graph.way[-1]
    kinds += ["goal"] * is_goal
    middle, is_detailed = box.x + box.width / 2, box.height > 30
    top = box.y - box.height / 2
    size = {"width": tenths(box.width), "height": f"{box.height:.0f}"}
    base = box.y - 2 if is_detailed else box.y + 4
    parts = [
        svg.title(_tip(node, is_goal)),
        element("rect", x=tenths(box.x), y=tenths(top), **size, rx=6),
        element("text", escape_text(box.label), x=tenths(middle), y=tenths(base)),
    ]
    if is_detailed:
        small = f"goal · {_numbers(node)}" if is_goal else _numbers(node)
        parts.append(element("text", escape_text(small), class_="small", x=tenths(middle), y=tenths(box.y + 12)))
    yield element("g", "\n".join([*parts, ""]), class_=" ".join(kinds), text_anchor="middle")


def _head(graph: SearchGraph) -> list[tuple[str, int]]:
    """Return the lines on top, each with its font size."""
    answer = graph.answer
    if isinstance(answer, Plan):
        steps = "1 step" if len(answer.steps) == 1 else f"{len(answer.steps)} steps"
        found = f"{steps}, cost {answer.cost:g}"
    else:
        found = (
            "no plan" if answer.stop is Stop.UNREACHABLE else "no plan within the budget; in blue, what came closest"
        )
    expanded = sum(node.is_expanded for node in graph.nodes)
    counted = f"{len(graph.nodes)} {'state' if len(graph.nodes) == 1 else 'states'} drawn, {expanded} expanded"
    if graph.left_out:
        counted += f"; {graph.left_out:,} more left out of the picture"
    start = clip_text(f"start: {', '.join(graph.nodes[0].state) or 'nothing matters'}", _MAX_LINE)
    return [(clip_text(f"{graph.domain} › {answer.goal}: {found}", _MAX_LINE), 17), (start, 12), (counted, 12)]


def _legend() -> Iterator[str]:
    x = float(_MARGIN)
    for kind, label in (
        ("start expanded", "start"),
        ("expanded", "expanded"),
        ("generated", "only generated"),
        ("way expanded", "on the way"),
        ("goal", "goal"),
    ):
        yield element("g", element("rect", x=f"{x:.0f}", y=86, width=18, height=12, rx=3), class_=kind)
        yield element("text", label, class_="small", x=f"{x + 24:.0f}", y=96)
        x += 44 + _text_width(label, 10)
    label = "g: cost so far · h: at least still to come · f: what the search goes by"
    yield element("text", label, class_="small", x=_MARGIN, y=114)


def _numbers(node: SearchNode) -> str:
    if math.isinf(node.h):
        return f"dead end · g {round(node.g, 2):g}"
    return f"f {round(node.f, 2):g} · g {round(node.g, 2):g} · h {round(node.h, 2):g}"


def _tip(node: SearchNode, is_goal: bool) -> str:
    what = "the goal" if is_goal else "expanded" if node.is_expanded else "generated, not expanded"
    return "\n".join([what, _numbers(node), *node.state])


def _text_width(text: str, size: float) -> float:
    """Return an upper estimate of the width of a text in common fonts."""
    return 0.6 * size * len(text)
