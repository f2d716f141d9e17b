"""Run the kernel: plain or compiled, resumable, memory growth, game callbacks."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from telos.core import kernels
from telos.core.kernels import is_installed as is_installed  # part of the front of this module
from telos.planning import kernel
from telos.planning.task import CompiledTask, Workspace, copy_heap, copy_nodes, create_workspace, flatten

# In the order of the file, a function is compiled before those that call it.
_MODULES = (kernel,)
ENTRY_POINTS = ("begin_search", "search", "search_many", "repair", "match_step", "insert_nodes")
# One signature for each function, read off its annotations: left to itself, Numba would compile several of each.
_NUMBA_TYPES: dict[Any, str] = {
    kernel.Ints: "int64[::1]",
    kernel.Floats: "float64[::1]",
    int: "int64",
    float: "float64",
    bool: "boolean",
    None: "void",
}

PLAIN_KERNEL = kernels.plain(*_MODULES)

_compiled: Any = None


def is_loaded() -> bool:
    """Whether the compiled kernel is ready."""
    return _compiled is not None


def load_compiled() -> Any:
    """Return the compiled kernel: from Numba's cache on disk if it was compiled before, else compiled now."""
    global _compiled
    if _compiled is None:
        inlined = set(kernels.functions_of(_MODULES)).difference(ENTRY_POINTS)
        _compiled = kernels.compile_functions(_MODULES, inlined=inlined, types_of=_NUMBA_TYPES)
    return _compiled


def to_array(values: list[Any]) -> Any:
    """Return a flat sequence as the compiled kernel takes it."""
    import numpy as np

    return np.array(values, dtype=np.int64 if values and isinstance(values[0], int) else np.float64)


def zeros(count: int, zero: int | float) -> Any:
    """Return an array of zeros, whole numbers or not."""
    import numpy as np

    return np.zeros(count, dtype=np.int64 if isinstance(zero, int) else np.float64)


def to_list(values: Any) -> list[Any]:
    """Return part of an array as a list of plain numbers."""
    return values.tolist()  # type: ignore[no-any-return]


# --- engine -----------------------------------------------------------------------------------------------------------
# Running the kernel: as Python at first, compiled once there is enough to do, and asking the game in between.


# Expansions that are done as Python before the compiled kernel is worth loading: within one search, and in all.
MAX_PLAIN_EXPANSIONS, MAX_PLAIN_EXPANSIONS_IN_ALL = 2_000, 10_000

MIN_NODES, MAX_NODES, GROWTH_FACTOR = 1 << 10, 1 << 22, 4  # nodes, and how much larger the next room is
EXPANSIONS_PER_SLICE = 64  # expansions between two looks at the clock
MAX_SPARE = 2  # large rooms of a size that are kept
COPIES_PER_EXPANSION = 4  # nodes that are moved into a larger room in about the time that it takes to expand one

EncodedState: TypeAlias = tuple[Sequence[int], Sequence[float]]  # a state's words and numbers
GameFunction: TypeAlias = Callable[[int], float]  # the game's answer to the question with that index


class SearchResult(NamedTuple):
    """How a search ended: what the kernel said, the operators on the way, their cost, and the work done."""

    status: int
    steps: tuple[int, ...]
    cost: float
    expanded: int
    faulty: int = -1


class SearchLimits(NamedTuple):
    """How a search goes about it: how much the estimate counts, and when to stop."""

    weight: float = 1.0
    budget: int = 200_000
    deadline: float | None = None  # by ``time.perf_counter``


class SearchEngine:
    """Searches one task, again and again, in rooms that it keeps."""

    spent = 0  # expansions done as Python, by all engines of this process

    def __init__(self, assembled: CompiledTask) -> None:
        self._assembled = assembled
        self.plain = KernelRunner(PLAIN_KERNEL, assembled, LISTS)
        self._compiled: KernelRunner | None = None

    @property
    def compiled(self) -> "KernelRunner":
        """Return the runner of the compiled kernel, which is loaded if it was not."""
        if self._compiled is None:
            self._compiled = KernelRunner(load_compiled(), self._assembled, SequenceFormat(to_array, to_list, zeros))
        return self._compiled

    @property
    def ready(self) -> "KernelRunner":
        """Return the compiled runner if it is loaded or worth loading, and the plain one until then."""
        if is_loaded() or (SearchEngine.spent >= MAX_PLAIN_EXPANSIONS_IN_ALL and is_installed()):
            return self.compiled
        return self.plain

    @staticmethod
    def count(ended: SearchResult) -> None:
        """Count the work of a search towards the patience with plain Python."""
        if not is_loaded():
            SearchEngine.spent += ended.expanded

    def search(
        self, words: Sequence[int], numbers: Sequence[float], limits: SearchLimits, answer: GameFunction
    ) -> SearchResult:
        """Search from a state until a plan is found, there is none, or the budget is spent."""
        if is_loaded() or not is_installed():
            return self.ready.run(words, numbers, limits, answer)
        if SearchEngine.spent < MAX_PLAIN_EXPANSIONS_IN_ALL:
            patience = min(limits.budget, MAX_PLAIN_EXPANSIONS)
            ended = self.plain.run(words, numbers, limits._replace(budget=patience), answer)
            self.count(ended)
            if ended.status != kernel.BUDGET_SPENT or patience == limits.budget:
                return ended
        return self.compiled.run(words, numbers, limits, answer)


class SequenceFormat(NamedTuple):
    """How the kernel takes its sequences: as lists or as arrays."""

    of: Callable[[list[Any]], Any]
    to_list: Callable[[Any], list[Any]]
    zeros: Callable[[int, int | float], Any]


LISTS = SequenceFormat(lambda values: values, lambda values: values, lambda count, zero: [zero] * count)


class KernelRunner:
    """The kernel in one of its two forms, with the task and its rooms as it takes them."""

    def __init__(self, functions: Any, assembled: CompiledTask, form: SequenceFormat) -> None:
        self.functions, self._form = functions, form
        self._assembled = assembled
        ints, floats = flatten(assembled.task)
        self._task = (form.of(ints), form.of(floats))
        self.answers = ints[kernel.CALL_VALUES]  # where the game's answers begin among the task's floats
        # Rooms that are free, by size: fresh memory is slow to touch. Taking from lists and putting back is safe
        # between threads.
        self._spare: dict[int, list[Workspace]] = defaultdict(list)

    def run(
        self, words: Sequence[int], numbers: Sequence[float], limits: SearchLimits, answer: GameFunction
    ) -> SearchResult:
        """Search from a state until the search ends, or its budget or its time is spent."""
        if limits.deadline is None and not self._assembled.questions:
            space = self.room()
            write_state(space, words, numbers)
            status = self.functions.begin_search(*self._task, space.ints, space.floats, limits.weight, limits.budget)
            if status != kernel.WORKSPACE_FULL:  # the usual case, without ceremony
                done = self.ended(space, status)
                self.give_back(space)
                return done
            self.give_back(space)
        search = ResumableSearch(self, words, numbers, limits, answer)
        ended = search.go_on(limits.budget if limits.deadline is None else EXPANSIONS_PER_SLICE)
        while ended is None and limits.deadline is not None and time.perf_counter() < limits.deadline:
            ended = search.go_on(EXPANSIONS_PER_SLICE)
        return ended or search.give_up()

    def task(self) -> tuple[Any, Any]:
        """Return the task; one that asks the game has a copy for each search, since answers hold for one plan only."""
        return (self._task[0], self._task[1].copy()) if self._assembled.questions else self._task

    def room(self) -> Workspace:
        """Return a room that nobody else is using. All start equally small, so that every search goes the same way."""
        return self._free(MIN_NODES)

    def larger(self, room: Workspace) -> "Growth":
        """Begin to move a search from a room that has become too small into a larger one."""
        return Growth(self, room, self._free(room.nodes * GROWTH_FACTOR))

    def bring(self, old: Workspace, new: Workspace, first: int, end: int) -> None:
        """Bring some nodes of a search into its new room."""
        copy_nodes(self._assembled.task, old, new, first, end)
        self.functions.insert_nodes(self._task[0], new.ints, new.floats, first, end)

    def _free(self, nodes: int) -> Workspace:
        try:
            return self._spare[nodes].pop()
        except IndexError:
            return create_workspace(self._assembled.task, nodes, self._assembled.deepest, self._form.zeros)

    def give_back(self, space: Workspace) -> None:
        """Keep a room for the next search; of large ones, only so many."""
        spare = self._spare[space.nodes]
        if space.nodes == MIN_NODES or len(spare) < MAX_SPARE:
            spare.append(space)

    def ended(self, space: Workspace, status: int) -> SearchResult:
        """Return how the search in a room ended."""
        head = self._form.to_list(space.ints[: kernel.LENGTH + 1])  # one look at an array is cheaper than many
        if status in (kernel.UNREACHABLE, kernel.UNDEFINED):
            return SearchResult(status, (), 0.0, head[kernel.EXPANDED], head[kernel.FAULTY_OPERATOR])
        steps = tuple(self._form.to_list(space.ints[space.steps : space.steps + head[kernel.LENGTH]]))
        return SearchResult(status, steps, float(space.floats[space.g + head[kernel.GOAL_NODE]]), head[kernel.EXPANDED])

    def repair(self, words: Sequence[int], numbers: Sequence[float], steps: Sequence[int]) -> SearchResult | None:
        """Return what is left of an old plan in a new state, if it still works and no plan can be cheaper."""
        space = self.room()
        write_state(space, words, numbers)
        space.ints[space.steps : space.steps + len(steps)] = steps
        cost = float(self.functions.repair(*self._task, space.ints, space.floats, len(steps)))
        ended = None
        if cost >= 0.0:
            end = space.steps + int(space.ints[kernel.LENGTH])
            ended = SearchResult(kernel.FOUND, tuple(self._form.to_list(space.ints[space.steps : end])), cost, 0)
        self.give_back(space)
        return ended

    def advance(self, before: EncodedState, after: EncodedState, operator: int) -> float:
        """Return what an operator costs, if it leads from one situation to the other; else -1."""
        space = self.room()
        write_state(space, *after)
        write_state(space, *before, node=1)
        cost = float(self.functions.match_step(*self._task, space.ints, space.floats, operator))
        self.give_back(space)
        return cost


def write_state(space: Workspace, words: Sequence[int], numbers: Sequence[float], node: int = 0) -> None:
    """Write a state into a room: the one to start from, unless told otherwise."""
    for at, word in enumerate(words, space.words + node * len(words)):
        space.ints[at] = word
    for at, number in enumerate(numbers, space.numbers + node * len(numbers)):
        space.floats[at] = number


class Growth:
    """The move of a search into a larger room: it takes a while, so it too can be left and gone on with."""

    def __init__(self, runner: KernelRunner, old: Workspace, new: Workspace) -> None:
        self._runner, self._old, self.room = runner, old, new
        self._nodes, self._heap = int(old.ints[kernel.NODES]), int(old.ints[kernel.HEAP])
        self._moved = 0
        generation = new.ints[kernel.GENERATION] + 1  # what earlier searches left in the new room does not count
        new.ints[: kernel.NODE_CAPACITY] = old.ints[: kernel.NODE_CAPACITY]
        new.ints[kernel.GENERATION] = generation

    def go_on(self, nodes: int) -> bool:
        """Move at most so many nodes more, and say whether that was all."""
        first, end = self._moved, min(self._nodes, self._moved + nodes)
        self._runner.bring(self._old, self.room, first, end)
        copy_heap(self._old, self.room, self._heap * first // self._nodes, self._heap * end // self._nodes)
        self._moved = end
        if end < self._nodes:
            return False
        self._runner.give_back(self._old)
        return True


class ResumableSearch:
    """A search that can be left and gone on with."""

    def __init__(
        self,
        runner: KernelRunner,
        words: Sequence[int],
        numbers: Sequence[float],
        limits: SearchLimits,
        answer: GameFunction,
    ) -> None:
        self._runner, self._start, self._limits, self._answer = runner, (words, numbers), limits, answer
        self._task, self._space = runner.task(), runner.room()
        self._begun = False
        self._move: Growth | None = None
        self.expanded = 0

    def go_on(self, expansions: int) -> SearchResult | None:
        """Expand at most so many nodes more; return how the search ended, or None if it goes on.

        When the game must be asked, the search starts again, the wiser; when it needs more room, it moves.
        """
        functions, (weight, budget, _) = self._runner.functions, self._limits
        goal = min(self.expanded + expansions, budget)
        while True:
            if self._move is not None:
                if not self._move.go_on(COPIES_PER_EXPANSION * expansions):
                    return None
                self._space, self._move = self._move.room, None
            ints, floats = self._space.ints, self._space.floats
            if self._begun:
                status = functions.search(*self._task, ints, floats, weight, goal)
            else:
                write_state(self._space, *self._start)
                status = functions.begin_search(*self._task, ints, floats, weight, goal)
            self._begun = status in (kernel.BUDGET_SPENT, kernel.WORKSPACE_FULL)
            if status == kernel.NEEDS_CALL:
                index = int(ints[kernel.PENDING_CALL])
                self._task[1][self._runner.answers + index] = self._answer(index)
            elif status == kernel.WORKSPACE_FULL and self._space.nodes < MAX_NODES:
                self.expanded = int(ints[kernel.EXPANDED])
                self._move = self._runner.larger(self._space)
            elif status == kernel.BUDGET_SPENT and goal < budget:
                self.expanded = int(ints[kernel.EXPANDED])
                return None
            else:
                return self._end(status)

    def give_up(self) -> SearchResult:
        """End the search here, with the best so far."""
        return self._end(kernel.BUDGET_SPENT)

    def _end(self, status: int) -> SearchResult:
        ended = self._runner.ended(self._space, status)
        self.expanded = ended.expanded
        self._runner.give_back(self._space)
        return ended
