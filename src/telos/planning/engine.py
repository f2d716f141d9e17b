"""Running the kernel: as Python at first, compiled once there is enough to do, and asking the game in between."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from telos.planning import kernel, native
from telos.planning.assembly import Assembled
from telos.planning.task import Workspace, flat, workspace

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


@dataclass(frozen=True, slots=True)
class Limits:
    """How a search goes about it: how much the estimate counts, and when to stop."""

    weight: float = 1.0
    budget: int = 200_000
    microseconds: float | None = None


class Engine:
    """Searches one task, again and again, in rooms that it keeps."""

    spent = 0  # expansions done as Python, by all engines of this process

    def __init__(self, assembled: Assembled) -> None:
        self._assembled = assembled
        self.plain = _Runner(kernel, assembled, lambda values: values)
        self._compiled: _Runner | None = None

    @property
    def compiled(self) -> "_Runner":
        """Return the runner of the compiled kernel, which is loaded if it was not."""
        if self._compiled is None:
            self._compiled = _Runner(native.load(), self._assembled, native.as_array)
        return self._compiled

    def search(self, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Answer) -> Ended:
        """Search from a state until a plan is found, there is none, or the budget is spent."""
        if native.is_loaded():
            return self.compiled.run(words, numbers, limits, answer)
        if not native.is_installed():
            return self.plain.run(words, numbers, limits, answer)
        if Engine.spent < PATIENCE_IN_ALL:
            patience = min(limits.budget, PATIENCE_ONCE)
            ended = self.plain.run(words, numbers, Limits(limits.weight, patience, limits.microseconds), answer)
            Engine.spent += ended.expanded
            if ended.status != kernel.SPENT or patience == limits.budget:
                return ended
        return self.compiled.run(words, numbers, limits, answer)


class _Runner:
    """The kernel in one of its two forms, with the task and its rooms as it takes them."""

    def __init__(self, functions: Any, assembled: Assembled, as_form: Callable[[list[Any]], Any]) -> None:
        self._functions, self._as_form = functions, as_form
        self._assembled = assembled
        ints, floats = flat(assembled.task)
        self.task = (as_form(ints), as_form(floats))
        self._answers = range(ints[kernel.ANSWERS], ints[kernel.ANSWERS] + len(assembled.task.answers))
        self._spare: list[Workspace] = []  # a list, because taking from it and putting back is safe between threads
        self._nodes = SMALLEST

    def run(self, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Answer) -> Ended:
        deadline = None if limits.microseconds is None else time.perf_counter() + limits.microseconds / 1e6
        for place in self._answers:
            self.task[1][place] = math.nan  # answers hold for one plan only
        while True:
            space = self.room()
            status = self._search(space, words, numbers, limits, deadline)
            if status == kernel.FULL and self._nodes < LARGEST:
                self._nodes *= 8  # and start again in a larger room; this one is not kept
                continue
            if status == kernel.ASKS:
                index = int(space.ints[kernel.ASKED])
                self.task[1][self._answers.start + index] = answer(index)
            else:
                ended = self._ended(space, status)
                self._spare.append(space)
                return ended
            self._spare.append(space)

    def room(self) -> Workspace:
        """Return a room that nobody else is using."""
        while self._spare:
            space = self._spare.pop()
            if space.nodes >= self._nodes:
                return space
        made = workspace(self._assembled.task, self._nodes, self._assembled.deepest)
        return Workspace(self._as_form(made.ints), self._as_form(made.floats))

    def _search(
        self,
        space: Workspace,
        words: Sequence[int],
        numbers: Sequence[float],
        limits: Limits,
        deadline: float | None,
    ) -> int:
        ints, floats = space
        at = ints[kernel.STATE_WORDS]
        for word in words:
            ints[at] = word
            at += 1
        at = ints[kernel.STATE_NUMBERS]
        for number in numbers:
            floats[at] = number
            at += 1
        functions, task, weight, budget = self._functions, self.task, limits.weight, limits.budget
        if deadline is None:
            return int(functions.begin_search(*task, ints, floats, weight, budget))
        status = int(functions.begin_search(*task, ints, floats, weight, min(SLICE, budget)))
        reached = SLICE
        while status == kernel.SPENT and reached < budget and time.perf_counter() < deadline:
            reached += SLICE
            status = int(functions.search(*task, ints, floats, weight, min(reached, budget)))
        return status

    @staticmethod
    def _ended(space: Workspace, status: int) -> Ended:
        ints, floats = space
        head = list(ints[: kernel.SPACE_HEAD])  # one look at an array is cheaper than many
        if status == kernel.UNREACHABLE:
            return Ended(status, (), 0.0, int(head[kernel.EXPANDED]))
        if status == kernel.UNDEFINED:
            return Ended(status, (), 0.0, int(head[kernel.EXPANDED]), int(head[kernel.FAULTY]))
        first = head[kernel.STEPS]
        steps = tuple(ints[first : first + head[kernel.LENGTH]])
        cost = float(floats[head[kernel.G] + head[kernel.GOAL_NODE]])
        return Ended(status, steps, cost, int(head[kernel.EXPANDED]))
