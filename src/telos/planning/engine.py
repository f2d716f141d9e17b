"""Running the kernel: as Python at first, compiled once there is enough to do, and asking the game in between."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from telos.planning import kernel, native
from telos.planning.assembly import Assembled
from telos.planning.kernel import Task, Workspace
from telos.planning.workspace import arrays, as_arrays, lists, workspace

# Expansions that are done as Python before the compiled kernel is worth loading: within one search, and in all.
PATIENCE_ONCE, PATIENCE_IN_ALL = 300, 3_000

SMALLEST, LARGEST = 1 << 10, 1 << 22  # nodes
SLICE = 64  # expansions between two looks at the clock

Answer = Callable[[int], float]  # the game's answer to the question with that index


@dataclass(frozen=True, slots=True)
class Ended:
    """How a search ended: what the kernel said, the operators on the way, their cost, and the work done."""

    status: int
    steps: tuple[int, ...]
    cost: float
    expanded: int
    faulty: int = -1


class Engine:
    """Searches one task, again and again, in rooms that it keeps."""

    spent = 0  # expansions done as Python, by all engines of this process

    def __init__(self, assembled: Assembled) -> None:
        self._assembled = assembled
        self._lists = assembled.task
        self._arrays: Task | None = None
        self._rooms: dict[bool, list[Workspace]] = {False: [], True: []}  # spare ones, by whether they are arrays
        self._nodes = SMALLEST

    def search(
        self,
        words: Sequence[int],
        numbers: Sequence[float],
        *,
        weight: float,
        budget: int,
        microseconds: float | None,
        answer: Answer,
    ) -> Ended:
        """Search from a state until a plan is found, there is none, or the budget is spent."""
        if not native.is_loaded() and native.is_installed():
            if Engine.spent < PATIENCE_IN_ALL:
                patience = min(budget, PATIENCE_ONCE)
                ended = self._run(False, words, numbers, weight, patience, microseconds, answer)
                Engine.spent += ended.expanded
                if ended.status != kernel.SPENT or patience == budget:
                    return ended
            native.load()
        return self._run(native.is_loaded(), words, numbers, weight, budget, microseconds, answer)

    def _run(
        self,
        compiled: bool,
        words: Sequence[int],
        numbers: Sequence[float],
        weight: float,
        budget: int,
        microseconds: float | None,
        answer: Answer,
    ) -> Ended:
        functions: Any = native.load() if compiled else kernel
        deadline = None if microseconds is None else time.perf_counter() + microseconds / 1e6
        task = self._task(compiled)
        while True:
            space = self._room(compiled)
            space.words[: len(words)] = words
            space.numbers[: len(numbers)] = numbers
            functions.begin(task, space, weight)
            status = self._go_on(functions, task, space, weight, budget, deadline)
            if status == kernel.ASKS:
                task.answers[space.head[kernel.ASKED]] = answer(int(space.head[kernel.ASKED]))
            elif status == kernel.FULL and self._nodes < LARGEST:
                self._nodes *= 8
                continue  # the room is too small, so it is not kept
            else:
                ended = self._ended(functions, space, status)
                self._rooms[compiled].append(space)
                return ended
            self._rooms[compiled].append(space)

    @staticmethod
    def _go_on(functions: Any, task: Task, space: Workspace, weight: float, budget: int, deadline: float | None) -> int:
        if deadline is None:
            return int(functions.search(task, space, weight, budget))
        reached = SLICE
        while True:
            status = int(functions.search(task, space, weight, min(reached, budget)))
            if status != kernel.SPENT or reached >= budget or time.perf_counter() >= deadline:
                return status
            reached += SLICE

    def _task(self, compiled: bool) -> Task:
        if compiled and self._arrays is None:
            self._arrays = as_arrays(self._lists)
        task = self._arrays if compiled and self._arrays is not None else self._lists
        if self._assembled.questions:  # answers hold for one plan only
            unknown = [float("nan")] * len(task.answers)
            task.answers[:] = unknown
        return task

    def _room(self, compiled: bool) -> Workspace:
        rooms = self._rooms[compiled]
        while rooms:
            space = rooms.pop()
            if len(space.g) >= self._nodes:
                return space
        return workspace(self._lists, self._nodes, self._assembled.deepest, arrays if compiled else lists)

    def _ended(self, functions: Any, space: Workspace, status: int) -> Ended:
        expanded = int(space.head[kernel.EXPANDED])
        if status == kernel.UNREACHABLE:
            return Ended(status, (), 0.0, expanded)
        if status == kernel.UNDEFINED:
            return Ended(status, (), 0.0, expanded, int(space.head[kernel.FAULTY]))
        node = int(space.head[kernel.GOAL_NODE if status == kernel.FOUND else kernel.CLOSEST])
        steps: list[int] = []
        cost = float(space.g[node])
        parent, by = space.parent, space.by
        while parent[node] >= 0:
            steps.append(int(by[node]))
            node = parent[node]
        return Ended(status, tuple(steps[::-1]), cost, expanded)
