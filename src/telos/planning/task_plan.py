"""A plan for tasks, with the tree of tasks that it came from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from telos.core.frozen import FrozenMap
from telos.core.plan import Plan
from telos.core.values import Value
from telos.planning.tasks import Method, Task


@dataclass(frozen=True, slots=True)
class Move:
    """What a search did to one task: carried out its action, or put ``parts`` in its place by a method.

    Tasks are told apart by numbers, ``who`` and ``parts``, because a plan may do the same task twice.
    """

    who: int
    task: Task
    method: Method | None = None
    handles: tuple[Value, ...] = ()
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """One task of a plan's tree: a compound task with the method that refines it, or a step.

    ``parent`` is the place in the tree of the task that this one is a part of, and ``part`` which of its parts it is.
    ``step`` is the place of a primitive task among the plan's steps.
    """

    task: Task
    parent: int | None
    part: int
    depth: int
    method: Method | None = None
    bindings: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    step: int | None = None

    def __str__(self) -> str:
        """Say the task, and by which method or as which step it is done."""
        if self.method is None:
            return f"{(self.step or 0) + 1}. {self.task}"
        chosen = ", ".join(f"{name} = {self.bindings[name]}" for name in self.method.choose)
        return f"{self.task} by {self.method.name}{f' with {chosen}' if chosen else ''}"


@dataclass(frozen=True, slots=True)
class TaskPlan(Plan):
    """A plan whose steps know which tasks they serve.

    ``tree`` lists the tasks from the outside in, the parts of a task right after it, in the order of its method. It is
    flat, with links to the parents, because a task that refines to itself may do so thousands of times.
    """

    tree: tuple[Branch, ...] = field(default=(), compare=False, repr=False)

    def task(self, step: int) -> Task:
        """Return the task of a step: the name of its action, and the handles that fill the parameters."""
        return self.tree[self._way(step)[0]].task

    def serves(self, step: int) -> tuple[Branch, ...]:
        """Return the tasks that a step serves, the nearest first."""
        return tuple(self.tree[place] for place in self._way(step)[1:])

    def before(self, step: int) -> frozenset[int]:
        """Return the steps that must be over before this one, by the order of tasks; the others may run beside it.

        The order says nothing of preconditions: whoever runs steps side by side still asks each whether it is possible.
        """
        own = self._way(step)
        return frozenset(other for other in range(step) if self._is_before(self._way(other), own))

    def _is_before(self, one: list[int], other: list[int]) -> bool:
        """Whether the first of two ways up the tree is ordered before the second where they meet."""
        pairs = zip(reversed(one), reversed(other), strict=False)
        left, right = next((self.tree[i], self.tree[j]) for i, j in pairs if i != j)
        method = None if left.parent is None else self.tree[left.parent].method
        if method is None:
            return left.part < right.part  # the tasks that were asked for are done one after the other
        reached = {left.part}
        for _ in method.subtasks:
            reached |= {after for before, after in method.pairs if before in reached}
        return right.part in reached

    def _way(self, step: int) -> list[int]:
        """Return the places in the tree from a step up to the task that was asked for."""
        place = next((i for i, branch in enumerate(self.tree) if branch.step == step), None)
        if place is None:
            raise IndexError(f"there is no step {step}: the plan has {len(self.steps)}, counted from 0")
        way: list[int] = []
        while place is not None:
            way.append(place)
            place = self.tree[place].parent
        return way


def grown(roots: Sequence[int], moves: Sequence[Move]) -> tuple[Branch, ...]:
    """Return the tree of the moves that led to a plan."""
    by_task = {move.who: move for move in moves}
    steps = {move.who: step for step, move in enumerate(each for each in moves if each.method is None)}
    tree: list[Branch] = []
    waiting: list[tuple[int, int | None, int, int]] = []
    waiting += [(who, None, part, 0) for part, who in enumerate(roots)][::-1]
    while waiting:
        who, parent, part, depth = waiting.pop()
        move, place = by_task[who], len(tree)
        bindings = FrozenMap(dict(zip(move.method.scope, move.handles, strict=True)) if move.method else {})
        tree.append(Branch(move.task, parent, part, depth, move.method, bindings, steps.get(who)))
        waiting += [(each, place, number, depth + 1) for number, each in enumerate(move.parts)][::-1]
    return tuple(tree)


def explain(plan: Plan) -> str:
    """Say which steps are taken, and show the tree of tasks that they serve."""
    tree = plan.tree if isinstance(plan, TaskPlan) else ()
    steps = sorted((branch for branch in tree if branch.step is not None), key=lambda branch: branch.step or 0)
    order = ", then ".join(str(branch.task) for branch in steps)
    lines = [f"{plan.goal}: {order or 'nothing to do'} (cost {plan.cost:g})"]
    lines += ("  " * branch.depth + str(branch) for branch in tree)
    return "\n".join(lines)
