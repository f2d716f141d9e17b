"""`ActionGraph`: all actions and goals of a character, and which action provides what another, or a goal, needs.

`build_graph` finds the links, `graph_svg` draws them in columns: goals on the right, and left of each what serves it.
Colours are the page's CSS variables, so one drawing serves both themes.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from telos.core.action import Action
from telos.core.conditions import Condition, Effect
from telos.core.expressions import Compare, Expression, Handle, Literal, Name, Not, names_in
from telos.core.goal import Goal
from telos.svg import clip_text, escape_text, label, mark, path, rounded_box

GOAL, ACTION = "goal", "action"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A goal or an action, with the conditions that it needs (a goal: that it wants), and its place in the drawing."""

    kind: str
    name: str
    needs: tuple[str, ...]
    value: str = ""  # priority or cost
    column: int = 0
    row: float = 0.0


@dataclass(frozen=True, slots=True)
class GraphLink:
    """An action provides a condition of another action or of a goal; all are numbers of the graph's nodes and needs."""

    provider: int
    consumer: int
    need: int


@dataclass(frozen=True, slots=True)
class ActionGraph:
    """The nodes, placed in columns and rows, and the links from providers to consumers."""

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]

    def find(self, kind: str, name: str) -> int:
        """Return the number of a node."""
        return next(i for i, each in enumerate(self.nodes) if (each.kind, each.name) == (kind, name))


def build_graph(goals: Sequence[Goal], actions: Sequence[Action], variables: Collection[str] = ()) -> ActionGraph:
    """Return the graph of a character; ``variables`` are those of its domain, which are no labels.

    >>> shoot = Action("shoot", preconditions="loaded", effects="target = dead")
    >>> load = Action("load", effects="loaded = true", cost=2)
    >>> graph = build_graph([Goal("kill", wants="target == dead", priority=4)], [shoot, load])
    >>> [(each.name, each.column) for each in graph.nodes], len(graph.links)
    ([('kill', 2), ('shoot', 1), ('load', 0)], 2)
    """
    wanted = [(GOAL, goal.name, _parts(goal.wants), _priority(goal)) for goal in goals]
    done = [(ACTION, each.name, _parts(each.preconditions), _cost(each)) for each in actions]
    entries = [*wanted, *done]
    links = list(_links(entries, goals, actions, frozenset(variables)))
    columns = _columns(len(entries), len(wanted), links)
    rows = _rows(columns, links)
    used = {(link.consumer, link.need) for link in links}
    nodes, numbers = [], dict[tuple[int, int], int]()
    for number, (kind, name, parts, value) in enumerate(entries):
        kept = [place for place in range(len(parts)) if kind == GOAL or (number, place) in used]
        numbers |= {(number, place): new for new, place in enumerate(kept)}
        needs = tuple(str(parts[place]) for place in kept)
        nodes.append(GraphNode(kind, name, needs, value, columns[number], rows[number]))
    kept_links = (
        GraphLink(each.provider, each.consumer, numbers.get((each.consumer, each.need), -1)) for each in links
    )
    return ActionGraph(tuple(nodes), tuple(kept_links))


def _parts(condition: Condition | None) -> tuple[Condition, ...]:
    return () if condition is None else condition.parts


def _priority(goal: Goal) -> str:
    return "varies" if goal.is_need or not isinstance(goal.priority, float) else f"{goal.priority:g}"


def _cost(action: Action) -> str:
    return f"{action.cost.value:g}" if isinstance(action.cost, Literal) else "varies"


# --- links ------------------------------------------------------------------------------------------------------------


def _links(
    entries: Sequence[tuple[str, str, tuple[Condition, ...], str]],
    goals: Sequence[Goal],
    actions: Sequence[Action],
    variables: frozenset[str],
) -> Iterator[GraphLink]:
    first = len(goals)
    for number, action in enumerate(actions, first):
        varying = variables | action.parameters.keys()
        for consumer, (kind, name, parts, _) in enumerate(entries):
            if consumer == number:
                continue
            for place, part in enumerate(parts):
                if any(provides(effect, part.expression, varying) for effect in action.effects):
                    yield GraphLink(number, consumer, place)
            if kind == GOAL and not parts and _relieves(action, name):
                yield GraphLink(number, consumer, -1)


def _relieves(action: Action, motive: str) -> bool:
    return action.changes.get(motive, 0.0) < 0 or action.promises.get(motive, 0.0) < 0


def provides(effect: Effect, need: Expression, variables: Collection[str] = ()) -> bool:
    """Return whether an effect may make a condition true; true where it depends on the values.

    >>> from telos.core.expressions import parse_expression
    >>> effect, = Effect.all_of("door = open")
    >>> [provides(effect, parse_expression(text)) for text in ("door == open", "door != open", "door != shut", "lit")]
    [True, False, True, False]
    """
    if effect.variable not in names_in(need):
        return False
    match need:
        case Name():
            return effect.value != Literal(False)
        case Not(Name()):
            return effect.value != Literal(True)
        case Compare("==" | "!=" as sign, left, right) if Name(effect.variable) in (left, right):
            other = right if left == Name(effect.variable) else left
            if not (_is_constant(effect.value, variables) and _is_constant(other, variables)):
                return True  # a parameter, or the value of another variable
            return (effect.value == other) == (sign == "==")
    return True


def _is_constant(expression: Expression, variables: Collection[str]) -> bool:
    if isinstance(expression, Name):
        return expression.name not in variables  # then it is a label
    return isinstance(expression, Literal | Handle)


# --- layout -----------------------------------------------------------------------------------------------------------


def _columns(count: int, goals: int, links: Sequence[GraphLink]) -> list[int]:
    """Return the column of each node: goals last, and every action left of all that it serves, but for circles."""
    distance = _distances(count, goals, links)
    pairs = {(each.provider, each.consumer) for each in links}
    serves: list[set[int]] = [set() for _ in range(count)]
    # The links that lead towards a goal come first, so that a circle is cut where it leads away from the goals.
    for provider, consumer in sorted(pairs, key=lambda each: (distance[each[1]] - distance[each[0]], each)):
        if not _leads_to(serves, consumer, provider):
            serves[provider].add(consumer)
    depth = [-1] * count

    def find_depth(number: int) -> int:
        if depth[number] < 0:
            depth[number] = max((1 + find_depth(each) for each in serves[number]), default=0 if number < goals else 1)
        return depth[number]

    most = max((find_depth(number) for number in range(count)), default=0)
    return [most - each for each in depth]


def _distances(count: int, goals: int, links: Sequence[GraphLink]) -> list[int]:
    """Return the number of links from each node to the nearest goal; those that serve none are far away."""
    distance = [0] * goals + [count] * (count - goals)
    for _ in range(count):
        for link in links:
            distance[link.provider] = min(distance[link.provider], distance[link.consumer] + 1)
    return distance


def _leads_to(serves: Sequence[set[int]], start: int, end: int) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        number = waiting.pop()
        if number == end:
            return True
        waiting += serves[number] - seen
        seen |= serves[number]
    return False


def _rows(columns: Sequence[int], links: Sequence[GraphLink]) -> list[float]:
    """Return the order of the nodes in their columns: near what they are linked to, so that few links cross."""
    near: list[list[int]] = [[] for _ in columns]
    for link in links:
        near[link.provider].append(link.consumer)
        near[link.consumer].append(link.provider)
    order = {column: [n for n, each in enumerate(columns) if each == column] for column in sorted(set(columns))}
    place = [0.0] * len(columns)
    for inside in order.values():
        for row, number in enumerate(inside):
            place[number] = row / max(1, len(inside))
    for sweep in range(6):
        for column in sorted(order, reverse=sweep % 2 == 0):
            side = 1 if sweep % 2 == 0 else -1
            wanted = {
                number: _mean(
                    [place[each] for each in near[number] if (columns[each] - column) * side > 0], place[number]
                )
                for number in order[column]
            }
            order[column].sort(key=lambda number: (wanted[number], number))
            for row, number in enumerate(order[column]):
                place[number] = row / max(1, len(order[column]))
    rows = [0.0] * len(columns)
    for inside in order.values():
        for row, number in enumerate(inside):
            rows[number] = float(row)
    return rows


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


# --- drawing ----------------------------------------------------------------------------------------------------------

_WIDTH, _GAP_X, _GAP_Y = 240.0, 66.0, 12.0
_HEAD, _ROW, _PAD = 26.0, 17.0, 7.0
_TOP, _SIDE = 34.0, 40.0
_MAX_NEED = 29  # characters; the tooltip has the whole condition


@dataclass(slots=True)
class _Box:
    x: float
    y: float
    height: float
    ports: list[float] = field(default_factory=list)  # the heights at which links enter

    @property
    def middle(self) -> float:
        return self.y + 14


def graph_svg(graph: ActionGraph, *, plan: Sequence[str] = (), goal: str | None = None, who: str = "") -> str:
    """Return the graph as an SVG; ``plan`` are the actions of the current plan and ``goal`` what it is for.

    Nodes have ``data-node`` and links ``data-from`` and ``data-to`` with the numbers of nodes, for highlighting.
    """
    boxes = _place(graph)
    width = max((box.x + _WIDTH for box in boxes), default=0.0) + _SIDE
    height = max((box.y + box.height for box in boxes), default=40.0) + _SIDE
    in_plan = {n for n, each in enumerate(graph.nodes) if each.name in (plan if each.kind == ACTION else (goal,))}
    chain = set(_plan_links(graph, plan, goal))
    parts = [*_headings(graph, boxes)]
    ordered = sorted(graph.links, key=lambda link: link in chain)
    parts += [part for link in ordered for part in _link(link, graph, boxes, link in chain)]
    parts += [part for number in range(len(graph.nodes)) for part in _node(graph, boxes, number, number in in_plan)]
    title = f"What {who or 'the character'} can do, and what for"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="telos-graph" width="{width:g}" height="{height:g}" '
    head += f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape_text(title)}">'
    return "".join([head, *parts, "</svg>"])


def _place(graph: ActionGraph) -> list[_Box]:
    boxes = [_Box(_SIDE + each.column * (_WIDTH + _GAP_X), 0.0, _height(each)) for each in graph.nodes]
    columns: dict[int, list[int]] = {}
    for number in sorted(range(len(graph.nodes)), key=lambda n: graph.nodes[n].row):
        columns.setdefault(graph.nodes[number].column, []).append(number)
    tallest = max((sum(boxes[n].height + _GAP_Y for n in inside) for inside in columns.values()), default=0.0)
    for inside in columns.values():
        free = tallest - sum(boxes[n].height for n in inside)
        gap = max(_GAP_Y, min(free / max(1, len(inside)), 60.0))
        y = _TOP + max(0.0, (tallest - sum(boxes[n].height + gap for n in inside)) / 2)
        for number in inside:
            boxes[number].y = y
            boxes[number].ports = [y + _HEAD + _ROW * (row + 0.5) for row in range(len(graph.nodes[number].needs))]
            y += boxes[number].height + gap
    return boxes


def _height(node: GraphNode) -> float:
    return _HEAD + _ROW * len(node.needs) + (_PAD if node.needs else 2.0)


def _plan_links(graph: ActionGraph, plan: Sequence[str], goal: str | None) -> Iterator[GraphLink]:
    """Yield the links between an action of the plan and a later one, or the goal."""
    place = {name: number for number, name in enumerate(plan)}
    for link in graph.links:
        provider, consumer = graph.nodes[link.provider], graph.nodes[link.consumer]
        if provider.name not in place:
            continue
        later = place.get(consumer.name, -1) > place[provider.name]
        if consumer.name == goal if consumer.kind == GOAL else later:
            yield link


def _headings(graph: ActionGraph, boxes: Sequence[_Box]) -> Iterator[str]:
    last = max((each.column for each in graph.nodes), default=0)
    for column in sorted({each.column for each in graph.nodes}):
        words = {last: "goals", last - 1: "actions that serve a goal", last - 2: "actions that prepare them"}.get(
            column
        )
        if words is not None:
            yield label(_SIDE + column * (_WIDTH + _GAP_X), 20, words, "faint", size=12)


def _link(link: GraphLink, graph: ActionGraph, boxes: Sequence[_Box], is_plan: bool) -> Iterator[str]:
    start, end = boxes[link.provider], boxes[link.consumer]
    y1 = start.middle
    y2 = end.ports[link.need] if 0 <= link.need < len(end.ports) else end.middle
    x1, x2 = start.x + _WIDTH, end.x
    if x2 > x1:
        bend = max(36.0, (x2 - x1) / 2)
        way = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2 - 3:g} {y2:g}"
    else:  # to the same column, or back: around the right side of the provider, in from the left
        out, back = x1 + 30, x2 - 26
        low = max(start.y + start.height, 0) + 6
        way = f"M{x1:g} {y1:g}C{out:g} {y1:g} {out:g} {low:g} {x1 - 20:g} {low:g}"
        way += f"L{x2 + 20:g} {low:g}C{back:g} {low:g} {back:g} {y2:g} {x2 - 3:g} {y2:g}"
    names = f'data-from="{link.provider}" data-to="{link.consumer}"'
    yield f'<g class="telos-graph-link{" is-plan" if is_plan else ""}" {names}>'
    yield path(way, stroke="accent" if is_plan else "faint", width=2.2 if is_plan else 1.0)
    yield "</g>"


def _node(graph: ActionGraph, boxes: Sequence[_Box], number: int, is_plan: bool) -> Iterator[str]:
    node, box = graph.nodes[number], boxes[number]
    is_goal = node.kind == GOAL
    data = f'data-node="{number}" data-kind="{node.kind}" data-what="{escape_text(node.name)}"'
    yield f'<g class="telos-graph-node{" is-plan" if is_plan else ""}" {data} tabindex="0" role="button" '
    yield f'aria-label="{escape_text(f"{node.kind} {node.name}: open its definition")}">'
    says = [f"{node.name}, {'priority' if is_goal else 'cost'} {node.value}", *node.needs]
    yield f"<title>{escape_text(chr(10).join(says))}</title>"
    edge = "accent" if is_plan else "line"
    fill = "accent/14" if is_goal else "panel"
    yield rounded_box(box.x, box.y, _WIDTH, box.height, fill, edge, 12 if is_goal else 6, bold=is_plan)
    yield label(box.x + 10, box.y + 18, clip_text(node.name, 26), "ink", size=13, bold=True)
    yield label(box.x + _WIDTH - 10, box.y + 18, node.value, "faint", size=11, anchor="end")
    for need, y in zip(node.needs, box.ports, strict=True):
        yield mark("brings", box.x + 14, y, "faint")
        yield label(box.x + 24, y + 4, clip_text(need, _MAX_NEED), "ink", size=11, mono=True)
    yield "</g>"


def count_crossings(graph: ActionGraph) -> int:
    """Return how many pairs of links between the same two columns cross."""
    spans: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for link in graph.links:
        one, other = graph.nodes[link.provider], graph.nodes[link.consumer]
        spans.setdefault((one.column, other.column), []).append((one.row, other.row))
    return sum(
        (first[0] - second[0]) * (first[1] - second[1]) < -math.ulp(1.0)
        for pairs in spans.values()
        for place, first in enumerate(pairs)
        for second in pairs[place + 1 :]
    )
