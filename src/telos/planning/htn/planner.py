"""Planning with task networks: ``plan_tasks``, task plans, and why a task failed.

As in SHOP2, tasks are refined and carried out in the order in which they will be done, so the state is always known: a
task may go next when no task that must come before it is left; then either its action is applied, or a method whose
condition holds replaces it by its subtasks. Where the order leaves several tasks free, each is tried, so their steps
may be interleaved.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Slots
from telos.core.plan import Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value, ValueKind
from telos.planning.htn.network import HandleTuple, LiftedAction, LiftedMethod, Method, Task, TaskLike, TaskNetwork

# --- plans ---


@dataclass(frozen=True, slots=True)
class TaskDecision:
    """What a search did with one task: applied its action, or replaced it by ``parts`` with a method.

    Tasks are identified by numbers, ``task_id`` and ``parts``, because a plan may do the same task twice.
    """

    task_id: int
    task: Task
    method: Method | None = None
    handles: tuple[Value, ...] = ()
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskBranch:
    """One task of a plan's tree: a compound task with the method that refines it, or a step.

    ``parent`` is the index in the tree of the task that this one is a part of, and ``part`` its index among the parts.
    ``step`` is the index of a primitive task among the plan's steps.
    """

    task: Task
    parent: int | None
    part: int
    depth: int
    method: Method | None = None
    bindings: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    step: int | None = None

    def __str__(self) -> str:
        """Return the task with its method or the number of its step."""
        if self.method is None:
            return f"{(self.step or 0) + 1}. {self.task}"
        chosen = ", ".join(f"{name} = {self.bindings[name]}" for name in self.method.choose)
        return f"{self.task} by {self.method.name}{f' with {chosen}' if chosen else ''}"


@dataclass(frozen=True, slots=True)
class TaskPlan(Plan):
    """A plan with the tree of tasks that it was refined from.

    ``tree`` lists the tasks in preorder, the parts of a task in the order of its method. It is flat, with links to the
    parents, because a task that refines to itself may do so thousands of times.
    """

    tree: tuple[TaskBranch, ...] = field(default=(), compare=False, repr=False)

    def task(self, step: int) -> Task:
        """Return the task of a step: the name of its action and the handles of its parameters."""
        return self.tree[self._path(step)[0]].task

    def serves(self, step: int) -> tuple[TaskBranch, ...]:
        """Return the tasks that a step is part of, the nearest first."""
        return tuple(self.tree[place] for place in self._path(step)[1:])

    def before(self, step: int) -> frozenset[int]:
        """Return the steps that must end before this one by the order of tasks; the others may run in parallel.

        The order does not cover preconditions: check each step's own before you run it in parallel.
        """
        own = self._path(step)
        return frozenset(other for other in range(step) if self._is_before(self._path(other), own))

    def _is_before(self, one: list[int], other: list[int]) -> bool:
        """Whether the first of two paths up the tree is ordered before the second where they meet."""
        pairs = zip(reversed(one), reversed(other), strict=False)
        left, right = next((self.tree[i], self.tree[j]) for i, j in pairs if i != j)
        method = None if left.parent is None else self.tree[left.parent].method
        if method is None:
            return left.part < right.part  # the requested tasks are done one after the other
        reached = {left.part}
        for _ in method.subtasks:
            reached |= {after for before, after in method.pairs if before in reached}
        return right.part in reached

    def _path(self, step: int) -> list[int]:
        """Return the indices in the tree from a step up to the requested task."""
        place = next((i for i, branch in enumerate(self.tree) if branch.step == step), None)
        if place is None:
            raise IndexError(f"no step {step}: the plan has {len(self.steps)} steps, counted from 0")
        way: list[int] = []
        while place is not None:
            way.append(place)
            place = self.tree[place].parent
        return way


def build_tree(roots: Sequence[int], decisions: Sequence[TaskDecision]) -> tuple[TaskBranch, ...]:
    """Return the tree of tasks for the decisions that led to a plan."""
    by_task = {decision.task_id: decision for decision in decisions}
    steps = {decision.task_id: step for step, decision in enumerate(each for each in decisions if each.method is None)}
    tree: list[TaskBranch] = []
    waiting: list[tuple[int, int | None, int, int]] = []
    waiting += [(task_id, None, part, 0) for part, task_id in enumerate(roots)][::-1]
    while waiting:
        task_id, parent, part, depth = waiting.pop()
        decision, place = by_task[task_id], len(tree)
        bindings = FrozenMap(dict(zip(decision.method.scope, decision.handles, strict=True)) if decision.method else {})
        tree.append(TaskBranch(decision.task, parent, part, depth, decision.method, bindings, steps.get(task_id)))
        waiting += [(each, place, number, depth + 1) for number, each in enumerate(decision.parts)][::-1]
    return tuple(tree)


def explain_task_plan(plan: Plan, *, note: str = "") -> str:
    """Return a text with the steps of a plan and its tree of tasks."""
    tree = plan.tree if isinstance(plan, TaskPlan) else ()
    steps = sorted((branch for branch in tree if branch.step is not None), key=lambda branch: branch.step or 0)
    order = ", then ".join(str(branch.task) for branch in steps)
    lines = [f"{plan.goal}: {order or 'nothing to do'} (cost {plan.cost:g})"]
    lines += ("  " * branch.depth + str(branch) for branch in tree)
    lines += [note] if note else []
    return "\n".join(lines)


# --- why a task failed ---

MAX_CHOICES = 3  # shown: of handles for one method, and of tasks that contain another


@dataclass(frozen=True, slots=True)
class Refusal:
    """A task that could not be done in a state: the tasks it is part of, and every action or method tried."""

    task: Task
    array: Slots
    trail: tuple[str, ...]
    ways: tuple[tuple[LiftedAction | LiftedMethod, tuple[HandleTuple, ...]], ...]

    @property
    def not_applicable(self) -> list[tuple[LiftedAction | LiftedMethod, tuple[HandleTuple, ...]]]:
        """Return the ways that do not apply, with the handles that each was tried with."""
        return [(way, tried) for way, tried in self.ways if not any(way.applies(self.array, each) for each in tried)]

    @property
    def missing(self) -> tuple[Condition, ...]:
        """Return the unmet conditions of the first of these ways."""
        return next((way.unmet(self.array, tried[0]).missing for way, tried in self.not_applicable if tried), ())

    def lines(self) -> Iterator[str]:
        """Yield a line for the task, and below it the unmet conditions of each way."""
        stuck = f"{self.task}, for {', for '.join(self.trail)}" if self.trail else str(self.task)
        verdict = "no method applies" if len(self.not_applicable) == len(self.ways) else "not every method applies"
        for number, (way, tried) in enumerate(self.not_applicable):
            if isinstance(way, LiftedAction):
                yield f"{stuck}: it needs {way.unmet(self.array, tried[0]).text}"
                continue
            if number == 0:
                yield f"{stuck}: {verdict}"
            yield from (f"  {way.method.name}{line}" for line in self._unmet_lines(way, tried))

    def _unmet_lines(self, way: LiftedMethod, tried: tuple[HandleTuple, ...]) -> Iterator[str]:
        method = way.method
        if not tried:
            yield f": there is no {' or '.join(dict.fromkeys(map(str, method.choose.values())))} to choose"
        nearest = sorted(tried, key=lambda handles: len(way.unmet(self.array, handles).missing))  # fewest unmet first
        for handles in nearest[:MAX_CHOICES]:
            chosen = handles[len(method.parameters) :]
            given = ", ".join(f"{name} = {handle}" for name, handle in zip(method.choose, chosen, strict=True))
            yield f"{f' with {given}' if given else ''}: it needs {way.unmet(self.array, handles).text}"
        if len(tried) > MAX_CHOICES:
            yield f": nor with {len(tried) - MAX_CHOICES} other choices"


def find_trail(task_id: int, decisions: Sequence[TaskDecision]) -> tuple[str, ...]:
    """Return the tasks that a task is part of, the nearest first, each with its method."""
    whole = {part: decision for decision in decisions for part in decision.parts}
    trail: list[str] = []
    while task_id in whole and len(trail) < MAX_CHOICES:
        decision = whole[task_id]
        trail.append(f"{decision.task} by {decision.method.name}" if decision.method else str(decision.task))
        task_id = decision.task_id
    return tuple(trail)


def make_diagnosis(refusals: Sequence[Refusal], note: str = "") -> Callable[[NoPlan], Diagnosis]:
    """Return the function that explains why there is no plan, the deepest refusal first."""

    def diagnose(answer: NoPlan) -> Diagnosis:
        reason = "no choice of methods can be carried out" if answer.stop is Stop.UNREACHABLE else answer.stop.value
        lines = [f"{answer.goal}: {reason}"]
        lines += (f"  {line}" for refusal in refusals for line in refusal.lines())
        lines += [note] if note else []
        return Diagnosis(refusals[0].missing if refusals else (), "\n".join(lines))

    return diagnose


# --- search ---

MAX_REFUSALS = 5  # shown in the explanation of a missing plan


@dataclass(frozen=True, slots=True)
class Considered:
    """Trace record: the tasks left, the cost of the steps so far, and the lower bound of the total cost."""

    tasks: tuple[str, ...]
    cost: float
    bound: float


@dataclass(frozen=True, slots=True)
class _Node:
    """A state and the tasks left to do in it.

    ``after[i]`` is a bit set of the indices of the tasks that come before task ``i``. ``ids`` identify the tasks on the
    way here; they do not count when nodes are compared. ``decision`` is the last one on that way.
    """

    array: Slots
    tasks: tuple[Task, ...]
    after: tuple[int, ...]
    ids: tuple[int, ...]
    next_id: int
    cost: float
    left: float  # lower bound of the cost of the tasks left
    depth: int = 0
    steps: int = 0
    parent: "_Node | None" = None
    decision: TaskDecision | None = None

    @property
    def decisions(self) -> list[TaskDecision]:
        """Return the decisions on the way here, the first one first."""
        decisions, node = list[TaskDecision](), self
        while node.parent is not None and node.decision is not None:
            decisions.append(node.decision)
            node = node.parent
        return decisions[::-1]


def plan_tasks(
    network: TaskNetwork,
    state: Mapping[str, Value],
    tasks: TaskLike | Iterable[TaskLike],
    *,
    optimal: bool = True,
    budget: int = 10_000,
    handles: Mapping[str, Iterable[str]] | None = None,
    trace: Trace = silent,
) -> TaskPlan | NoPlan:
    """Find actions that carry out ``tasks``, one after the other, from ``state``.

    With ``optimal`` the plan is a cheapest one that the network allows: A* over decompositions. The estimate of a task
    is the cost of its cheapest refinement if every condition held (a cost that is an expression counts as zero).
    Without, it is the first plan in the order of methods, found depth first. A state with the same tasks left is
    expanded once, so circular refinement ends; at most ``budget`` of them are expanded. ``handles`` are to be chosen
    from, by kind, beside those that the domain names and that variables hold.

    >>> from telos.core.action import Action
    >>> from telos.core.domain import Domain
    >>> from telos.core.values import Variable
    >>> from telos.planning.htn.network import Method
    >>> city = Domain(variables=[Variable("cash", "int", 5)],
    ...               actions=[Action("walk", cost=9), Action("ride", preconditions="cash >= 3", cost=2)])
    >>> trip = TaskNetwork(city, [Method("travel", "on-foot", subtasks="walk"),
    ...                           Method("travel", "by-taxi", subtasks="ride")])
    >>> print(plan_tasks(trip, {}, "travel").why())
    travel: ride (cost 2)
    travel by by-taxi
      1. ride
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise TelosError(f"budget must be at least 1, got {budget!r}", "give a whole number of nodes")
    search = _TaskSearch(network, network.domain.state(dict(state)), optimal, handles or {})
    asked = [tasks] if isinstance(tasks, Task | str) else tasks
    return search.run(tuple(search.resolve(task) for task in asked), budget, trace)


_Entry: TypeAlias = tuple[float, float, int, _Node]


class _TaskSearch:
    def __init__(self, network: TaskNetwork, state: State, optimal: bool, handles: Mapping[str, Iterable[str]]) -> None:
        self.network, self.state, self.optimal = network, state, optimal
        self.handles = _collect_handles(network, state, handles)
        self.frontier: list[_Entry] = []
        self.ages = itertools.count()
        self.refusals: dict[Task, tuple[_Node, int]] = {}
        self.dropped: list[str] = []  # why each branch was dropped

    def resolve(self, requested: TaskLike) -> Task:
        """Return a requested task with handles as arguments; in a text, a variable is replaced by its value."""
        task = Task.of(requested)
        wanted = self.network.parameters(task.name)
        if len(wanted) != len(task.arguments):
            form = Task(task.name, tuple(wanted))
            raise TelosError(
                f"task {task} has {len(task.arguments)} arguments where {len(wanted)} go", f"write `{form}`"
            )
        if isinstance(requested, Task):
            return requested
        kinds = (of.handle for of in wanted.values())
        return Task(task.name, tuple(map(self._handle, task.arguments, kinds)))

    def _handle(self, name: str, kind: str) -> Value:
        layout = self.state.layout
        if name == "none":
            return None
        if name in layout.slots and layout.variable(name).type.handle == kind:
            return self.state[name]
        known = [handle for handle in self.handles.get(kind, ()) if isinstance(handle, str)]
        if name not in known:
            variables = [each.name for each in layout.variables if each.type.handle == kind]
            raise TelosError(f"unknown {kind} {name!r}", name_hint(name, [*variables, *known]))
        return name

    def run(self, tasks: tuple[Task, ...], budget: int, trace: Trace) -> TaskPlan | NoPlan:
        goal = ", then ".join(map(str, tasks)) or "no tasks"
        count = len(tasks)
        in_turn = tuple((1 << place) - 1 for place in range(count))
        start = _Node(self.state.array, tasks, in_turn, tuple(range(count)), count, 0.0, self._least(tasks))
        self._push([start])
        seen: set[tuple[Slots, tuple[Task, ...], tuple[int, ...]]] = set()
        closest = start
        while self.frontier:
            node = heapq.heappop(self.frontier)[-1] if self.optimal else self.frontier.pop()[-1]
            key = (node.array, node.tasks, node.after)
            if key in seen:
                continue  # expanded before, on a way that cost no more or came first
            if not node.tasks:
                tree = build_tree(start.ids, node.decisions)
                explain = partial(explain_task_plan, note=self._note)
                return TaskPlan(self._steps(node), node.cost, goal, len(seen), explain, tree)
            if (node.left, -node.steps) < (closest.left, -closest.steps):
                closest = node
            if len(seen) == budget:
                return self._no_plan(goal, Stop.BUDGET_SPENT, len(seen), closest)
            seen.add(key)
            if trace is not silent:
                trace(Considered(tuple(map(str, node.tasks)), node.cost, node.cost + node.left))
            self._push(list(self._successors(node)))
        return self._no_plan(goal, Stop.UNREACHABLE, len(seen), start)

    def _push(self, nodes: list[_Node]) -> None:
        # Depth first: last in, first out. Otherwise, of nodes with the same bound the one with less left goes first,
        # and of those the older, so that searches replay identically.
        for node in nodes if self.optimal else reversed(nodes):
            entry = (node.cost + node.left, node.left, next(self.ages), node)
            if self.optimal:
                heapq.heappush(self.frontier, entry)
            else:
                self.frontier.append(entry)

    def _successors(self, node: _Node) -> Iterator[_Node]:
        for place, task in enumerate(node.tasks):
            if node.after[place]:
                continue
            try:
                yield from self._do(node, place, task)
            except OverflowError:  # of a condition or a cost: an int beyond the largest float meets a float
                self._drop("a number overflowed", task)

    def _do(self, node: _Node, place: int, task: Task) -> Iterator[_Node]:
        """Yield the nodes after a task: refined by its methods, or carried out."""
        if task.name in self.network.tasks:
            yield from self._refine(node, place, task)
        else:
            action = self._action(task.name)
            if not action.applies(node.array, task.arguments):
                self._refuse(node, place)
                return
            after, cost = action.result(node.array, task.arguments), action.cost(node.array, task.arguments)
            overflow = action.overflowing(after) or ("the cost overflowed" if node.cost + cost == math.inf else None)
            if overflow is not None:
                self._drop(overflow, task)
                return
            done = self._replace_task(node, place, TaskDecision(node.ids[place], task))
            yield replace(done, array=after, cost=node.cost + cost, steps=node.steps + 1)

    def _refine(self, node: _Node, place: int, task: Task) -> Iterator[_Node]:
        refused = False
        for method in self.network.tasks[task.name]:
            opened = self._method(method)
            found = [each for each in self._choices(method, task) if opened.applies(node.array, each)]
            if method.prefer is not None:
                found.sort(key=lambda each: opened.rate(node.array, each))
            for handles in found:
                parts = opened.subtasks(node.array, handles)
                ids = tuple(range(node.next_id, node.next_id + len(parts)))
                decision = TaskDecision(node.ids[place], task, method, handles, ids)
                yield self._replace_task(node, place, decision, parts, opened.after)
            refused |= not found
        if refused:
            self._refuse(node, place)

    def _replace_task(
        self, node: _Node, place: int, decision: TaskDecision, parts: tuple[Task, ...] = (), order: tuple[int, ...] = ()
    ) -> _Node:
        """Return the node with a task replaced by ``parts``; what came after the task comes after all of them."""
        count = len(parts)
        below, block = (1 << place) - 1, ((1 << count) - 1) << place

        def moved(before: int) -> int:
            return before & below | (before >> place + 1) << place + count | (block if before >> place & 1 else 0)

        after = tuple(map(moved, node.after))
        tasks = (*node.tasks[:place], *parts, *node.tasks[place + 1 :])
        return _Node(
            array=node.array,
            tasks=tasks,
            after=(*after[:place], *(before << place for before in order), *after[place + 1 :]),
            ids=(*node.ids[:place], *decision.parts, *node.ids[place + 1 :]),
            next_id=node.next_id + count,
            cost=node.cost,
            left=self._least(tasks),
            depth=node.depth + 1,
            steps=node.steps,
            parent=node,
            decision=decision,
        )

    def _choices(self, method: Method, task: Task) -> Iterator[HandleTuple]:
        kinds = [self.handles.get(of.handle, ()) for of in method.choose.values()]
        for chosen in itertools.product(*kinds):
            yield (*task.arguments, *chosen)

    def _least(self, tasks: tuple[Task, ...]) -> float:
        return sum(self.network.least[task.name] for task in tasks)

    def _action(self, name: str) -> LiftedAction:
        found = self.network.bound.get(name)
        if found is None:
            found = LiftedAction(self.network.domain.action(name), self.network.domain.layout)
            self.network.bound[name] = found
        opened: LiftedAction = found
        return opened

    def _method(self, method: Method) -> LiftedMethod:
        name = f"{method.task} by {method.name}"
        found = self.network.bound.get(name)
        if found is None:
            kinds = {subtask.name: self.network.parameters(subtask.name) for subtask in method.subtasks}
            found = self.network.bound[name] = LiftedMethod(method, self.network.domain.layout, kinds)
        opened: LiftedMethod = found
        return opened

    def _steps(self, node: _Node) -> tuple[Action, ...]:
        done = (decision.task for decision in node.decisions if decision.method is None)
        return tuple(self._action(task.name).step(task.arguments) for task in done)

    def _drop(self, overflow: str, task: Task) -> None:
        """Count a branch that is dropped because a number overflows."""
        self.dropped.append(f"{overflow}; first by action {task.name!r}")

    @property
    def _note(self) -> str:
        if not self.dropped:
            return ""
        count = "one branch was" if len(self.dropped) == 1 else f"{len(self.dropped)} branches were"
        return f"{count} dropped because {self.dropped[0]}."

    def _refuse(self, node: _Node, place: int) -> None:
        """Keep the deepest node at which a task, or one of its methods, did not apply."""
        known = self.refusals.get(node.tasks[place])
        if known is None or known[0].depth < node.depth:
            self.refusals[node.tasks[place]] = node, place

    def _no_plan(self, goal: str, stop: Stop, expanded: int, closest: _Node) -> NoPlan:
        deepest = sorted(self.refusals.values(), key=lambda found: -found[0].depth)[:MAX_REFUSALS]
        diagnose = make_diagnosis([self._refusal(node, place) for node, place in deepest], self._note)
        return NoPlan(goal, stop, expanded, self._steps(closest), diagnose)

    def _refusal(self, node: _Node, place: int) -> Refusal:
        task = node.tasks[place]
        trail = find_trail(node.ids[place], node.decisions)
        if task.name not in self.network.tasks:
            return Refusal(task, node.array, trail, ((self._action(task.name), (task.arguments,)),))
        ways = [(self._method(each), tuple(self._choices(each, task))) for each in self.network.tasks[task.name]]
        return Refusal(task, node.array, trail, tuple(ways))


def _collect_handles(
    network: TaskNetwork, state: State, given: Mapping[str, Iterable[str]]
) -> dict[str, tuple[Value, ...]]:
    """Return the handles that the domain names, those given, then those that variables hold, by kind."""
    found: dict[str, dict[Value, None]] = {kind: dict.fromkeys(each) for kind, each in network.domain.handles.items()}
    for kind, names in given.items():
        found.setdefault(kind, {}).update(dict.fromkeys(names))
    for variable in state.layout.variables:
        if variable.type.kind is ValueKind.HANDLE and state[variable.name] is not None:
            found.setdefault(variable.type.handle, {})[state[variable.name]] = None
    return {kind: tuple(each) for kind, each in found.items()}
