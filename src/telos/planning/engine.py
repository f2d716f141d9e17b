"""Running the kernel: as Python at first, compiled once there is enough to do, and asking the game in between."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from telos.planning import kernel, native
from telos.planning.assembly import Assembled
from telos.planning.task import Workspace, flat, workspace

# Expansions that are done as Python before the compiled kernel is worth loading: within one search, and in all.
PATIENCE_ONCE, PATIENCE_IN_ALL = 300, 3_000

SMALLEST, LARGEST = 1 << 10, 1 << 22  # nodes
SLICE = 64  # expansions between two looks at the clock

Situation: TypeAlias = tuple[Sequence[int], Sequence[float]]  # a state's words and numbers
Answer: TypeAlias = Callable[[int], float]  # the game's answer to the question with that index


class Ended(NamedTuple):
    """How a search ended: what the kernel said, the operators on the way, their cost, and the work done."""

    status: int
    steps: tuple[int, ...]
    cost: float
    expanded: int
    faulty: int = -1


class Limits(NamedTuple):
    """How a search goes about it: how much the estimate counts, and when to stop."""

    weight: float = 1.0
    budget: int = 200_000
    deadline: float | None = None  # by ``time.perf_counter``


class Engine:
    """Searches one task, again and again, in rooms that it keeps."""

    spent = 0  # expansions done as Python, by all engines of this process

    def __init__(self, assembled: Assembled) -> None:
        self._assembled = assembled
        self.plain = Runner(kernel, assembled, lambda values: values, lambda values: values)
        self._compiled: Runner | None = None

    @property
    def compiled(self) -> "Runner":
        """Return the runner of the compiled kernel, which is loaded if it was not."""
        if self._compiled is None:
            self._compiled = Runner(native.load(), self._assembled, native.as_array, native.as_list)
        return self._compiled

    @property
    def ready(self) -> "Runner":
        """Return the compiled runner if it is loaded, and the plain one until then."""
        return self.compiled if native.is_loaded() else self.plain

    def search(self, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Answer) -> Ended:
        """Search from a state until a plan is found, there is none, or the budget is spent."""
        if native.is_loaded() or not native.is_installed():
            return self.ready.run(words, numbers, limits, answer)
        if Engine.spent < PATIENCE_IN_ALL:
            patience = min(limits.budget, PATIENCE_ONCE)
            ended = self.plain.run(words, numbers, limits._replace(budget=patience), answer)
            Engine.spent += ended.expanded
            if ended.status != kernel.SPENT or patience == limits.budget:
                return ended
        return self.compiled.run(words, numbers, limits, answer)


class Runner:
    """The kernel in one of its two forms, with the task and its rooms as it takes them."""

    def __init__(
        self,
        functions: Any,
        assembled: Assembled,
        as_form: Callable[[list[Any]], Any],
        as_list: Callable[[Any], list[Any]],
    ) -> None:
        self.functions, self._as_form, self._as_list = functions, as_form, as_list
        self._assembled = assembled
        ints, floats = flat(assembled.task)
        self._task = (as_form(ints), as_form(floats))
        self.answers = ints[kernel.ANSWERS]  # where the game's answers begin among the task's floats
        self._spare: list[Workspace] = []  # a list, because taking from it and putting back is safe between threads
        self._nodes = SMALLEST

    def run(self, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Answer) -> Ended:
        """Search from a state until the search ends, or its budget or its time is spent."""
        search = Search(self, words, numbers, limits, answer)
        if limits.deadline is None:
            ended = search.go_on(limits.budget)
        else:
            ended = search.go_on(SLICE)
            while ended is None and time.perf_counter() < limits.deadline:
                ended = search.go_on(SLICE)
        return ended or search.give_up()

    def task(self) -> tuple[Any, Any]:
        """Return the task; one that asks the game has a copy for each search, since answers hold for one plan only."""
        return (self._task[0], self._task[1].copy()) if self._assembled.questions else self._task

    def room(self, *, larger: bool = False) -> Workspace:
        """Return a room that nobody else is using."""
        if larger:
            self._nodes *= 8
        while self._spare:
            space = self._spare.pop()
            if space.nodes >= self._nodes:
                return space
        made = workspace(self._assembled.task, self._nodes, self._assembled.deepest)
        return made._replace(ints=self._as_form(made.ints), floats=self._as_form(made.floats))

    def give_back(self, space: Workspace) -> None:
        """Keep a room for the next search."""
        self._spare.append(space)

    def ended(self, space: Workspace, status: int) -> Ended:
        """Return how the search in a room ended."""
        head = self._as_list(space.ints[: kernel.LENGTH + 1])  # one look at an array is cheaper than many
        if status in (kernel.UNREACHABLE, kernel.UNDEFINED):
            return Ended(status, (), 0.0, head[kernel.EXPANDED], head[kernel.FAULTY])
        steps = tuple(self._as_list(space.ints[space.steps : space.steps + head[kernel.LENGTH]]))
        return Ended(status, steps, float(space.floats[space.g + head[kernel.GOAL_NODE]]), head[kernel.EXPANDED])

    def repair(self, words: Sequence[int], numbers: Sequence[float], steps: Sequence[int]) -> Ended | None:
        """Return what is left of an old plan in a new state, if it still works and no plan can be cheaper."""
        space = self.room()
        put_state(space, words, numbers)
        space.ints[space.steps : space.steps + len(steps)] = steps
        cost = float(self.functions.repair(*self._task, space.ints, space.floats, len(steps)))
        ended = None
        if cost >= 0.0:
            end = space.steps + int(space.ints[kernel.LENGTH])
            ended = Ended(kernel.FOUND, tuple(self._as_list(space.ints[space.steps : end])), cost, 0)
        self._spare.append(space)
        return ended

    def advance(self, before: Situation, after: Situation, operator: int) -> float:
        """Return what an operator costs, if it leads from one situation to the other; else -1."""
        space = self.room()
        put_state(space, *after)
        put_state(space, *before, node=1)
        cost = float(self.functions.advance(*self._task, space.ints, space.floats, operator))
        self._spare.append(space)
        return cost


def put_state(space: Workspace, words: Sequence[int], numbers: Sequence[float], node: int = 0) -> None:
    """Write a state into a room: the one to start from, unless told otherwise."""
    for at, word in enumerate(words, space.words + node * len(words)):
        space.ints[at] = word
    for at, number in enumerate(numbers, space.numbers + node * len(numbers)):
        space.floats[at] = number


class Search:
    """A search that can be left and gone on with."""

    def __init__(
        self, runner: Runner, words: Sequence[int], numbers: Sequence[float], limits: Limits, answer: Answer
    ) -> None:
        self._runner, self._start, self._limits, self._answer = runner, (words, numbers), limits, answer
        self._task, self._space = runner.task(), runner.room()
        self._begun = False
        self.expanded = 0

    def go_on(self, expansions: int) -> Ended | None:
        """Expand at most so many nodes more; return how the search ended, or None if it goes on.

        When the game must be asked, or more room is needed, the search starts again, the wiser or the freer.
        """
        functions, (weight, budget, _) = self._runner.functions, self._limits
        goal = min(self.expanded + expansions, budget)
        while True:
            ints, floats = self._space.ints, self._space.floats
            if self._begun:
                status = functions.search(*self._task, ints, floats, weight, goal)
            else:
                put_state(self._space, *self._start)
                status = functions.begin_search(*self._task, ints, floats, weight, goal)
            self._begun = status == kernel.SPENT
            if status == kernel.ASKS:
                index = int(ints[kernel.ASKED])
                self._task[1][self._runner.answers + index] = self._answer(index)
            elif status == kernel.FULL and self._space.nodes < LARGEST:
                self._space = self._runner.room(larger=True)
            elif status == kernel.SPENT and goal < budget:
                self.expanded = int(ints[kernel.EXPANDED])
                return None
            else:
                return self._end(status)

    def give_up(self) -> Ended:
        """End the search here, with the best so far."""
        return self._end(kernel.SPENT)

    def _end(self, status: int) -> Ended:
        ended = self._runner.ended(self._space, status)
        self.expanded = ended.expanded
        self._runner.give_back(self._space)
        return ended
