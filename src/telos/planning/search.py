"""Run the kernel: as plain Python or compiled, resumable, in workspaces that grow, with calls of game functions.

Start with ``SearchEngine``, which searches one compiled task again and again. Nobody waits for the compiler: it works
in a thread while plain Python searches, and a search that is under way moves to the compiled kernel once that is ready.
"""

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from telos.core import kernels
from telos.core.kernels import is_installed as is_installed  # part of the front of this module
from telos.planning import kernel
from telos.planning.task import CompiledTask, Workspace, copy_heap, copy_nodes, create_workspace, flatten

# Expansions that run as plain Python before the compiled kernel is wanted: in one search, and in all of them.
MAX_PLAIN_EXPANSIONS, MAX_PLAIN_EXPANSIONS_IN_ALL = 2_000, 10_000

MIN_NODES, MAX_NODES, GROWTH_FACTOR = 1 << 10, 1 << 22, 4  # sizes of workspaces, and by how much the next is larger
EXPANSIONS_PER_SLICE = 64  # between two looks at the clock
MAX_SPARE = 2  # large workspaces of one size that are kept
COPIES_PER_EXPANSION = 4  # nodes that are copied into a larger workspace in about the time of one expansion
PLAIN_EXPANSIONS_PER_SLICE = 256  # between two looks whether the compiled kernel is ready
CALLS_PER_SLICE = 16  # of game functions, between two looks at the clock
MAX_MOVED_NODES = 1 << 14  # within a time, a larger search is repeated by the compiled kernel instead of moved
MAX_FILLED_TASKS = 8  # tasks with the values of constant functions filled in, for different handles

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

EncodedState: TypeAlias = tuple[Sequence[int], Sequence[float]]  # words and numbers


class GameCalls(Protocol):
    """The game's side of a search: the values of its functions, by the index of a call in the task's table."""

    @property
    def are_constant(self) -> bool:
        """Whether no value ever changes."""
        ...

    @property
    def meaning(self) -> Hashable:
        """What the indices stand for; constant values are kept for it."""
        ...

    def known(self) -> Iterable[tuple[int, float]]:
        """Yield the values that are known before anything is asked."""
        ...

    def is_constant(self, index: int) -> bool:
        """Whether a call's value never changes."""
        ...

    def answer(self, indices: Sequence[int], deadline: float | None = None) -> Mapping[int, float]:
        """Return the values of calls; past the deadline, of some of them."""
        ...


class DroppedBranches(NamedTuple):
    """The branches that a search dropped because a number overflowed: how many, and the first of them.

    ``operator`` is -1 for the goal, ``number`` -1 for a cost or a condition.
    """

    branches: int
    operator: int
    number: int
    value: float


class SearchResult(NamedTuple):
    """The kernel's status, the numbers of the operators on the way, their cost, and the nodes expanded."""

    status: int
    steps: tuple[int, ...]
    cost: float
    expanded: int
    faulty_operator: int = -1
    dropped: DroppedBranches | None = None


class SearchLimits(NamedTuple):
    """The weight of the estimate, and when a search stops."""

    weight: float = 1.0
    budget: int = 200_000
    deadline: float | None = None  # by ``time.perf_counter``


# --- the kernel as Python and compiled ---

PLAIN_KERNEL = kernels.plain(*_MODULES)

_compiled: Any = None
_loader: threading.Thread | None = None
_lock = threading.Lock()  # of the two above
_loading = threading.Lock()  # held while the kernel is compiled


def is_loaded() -> bool:
    """Whether the compiled kernel is ready."""
    return _compiled is not None


def load_compiled() -> Any:
    """Return the compiled kernel: from Numba's cache on disk if it was compiled before, else compiled now."""
    global _compiled
    with _loading:
        if _compiled is None:
            inlined = set(kernels.functions_of(_MODULES)).difference(ENTRY_POINTS)
            _compiled = kernels.compile_functions(_MODULES, inlined=inlined, types_of=_NUMBA_TYPES)
    return _compiled


def load_in_background() -> None:
    """Begin to load or compile the kernel in a thread, unless that has begun or Numba is not installed."""
    global _loader
    if _compiled is not None or _loader is not None or not is_installed():
        return
    with _lock:
        if _loader is None:
            _loader = threading.Thread(target=load_compiled, name="telos-compiler", daemon=True)
            _loader.start()


class SequenceFormat(NamedTuple):
    """How a form of the kernel holds its sequences: as lists or as arrays."""

    from_list: Callable[[list[Any]], Any]
    to_list: Callable[[Any], list[Any]]
    zeros: Callable[[int, int | float], Any]


LISTS = SequenceFormat(lambda values: values, lambda values: values, lambda count, zero: [zero] * count)


def to_array(values: list[Any]) -> Any:
    """Return a list as an array of integers or floats."""
    import numpy as np

    return np.array(values, dtype=np.int64 if values and isinstance(values[0], int) else np.float64)


def zeros(count: int, zero: int | float) -> Any:
    """Return an array of zeros, integers or floats as ``zero`` is."""
    import numpy as np

    return np.zeros(count, dtype=np.int64 if isinstance(zero, int) else np.float64)


def to_list(values: Any) -> list[Any]:
    """Return part of an array as a list of plain numbers."""
    return values.tolist()  # type: ignore[no-any-return]


# --- searches ---


class SearchEngine:
    """Searches one task: as plain Python at first, compiled once there is enough to do."""

    plain_expansions = 0  # by all engines of this process

    def __init__(self, compiled_task: CompiledTask) -> None:
        self._compiled_task = compiled_task
        self.plain = KernelRunner(PLAIN_KERNEL, compiled_task, LISTS)
        self._compiled: KernelRunner | None = None

    @property
    def compiled(self) -> "KernelRunner":
        """Return the runner of the compiled kernel; load the kernel if it is not loaded."""
        if self._compiled is None:
            arrays = SequenceFormat(to_array, to_list, zeros)
            self._compiled = KernelRunner(load_compiled(), self._compiled_task, arrays)
        return self._compiled

    @property
    def preferred(self) -> "KernelRunner":
        """Return the compiled runner if the kernel is loaded, else the plain one; load it if that is worth while."""
        if is_loaded():
            return self.compiled
        if SearchEngine.plain_expansions >= MAX_PLAIN_EXPANSIONS_IN_ALL:
            load_in_background()
        return self.plain

    @staticmethod
    def count_expansions(expanded: int) -> None:
        """Count the work of plain searches; past a limit, the compiled kernel is loaded."""
        if not is_loaded():
            SearchEngine.plain_expansions += expanded

    def search(
        self, words: Sequence[int], numbers: Sequence[float], limits: SearchLimits, calls: GameCalls | None = None
    ) -> SearchResult:
        """Search from a state until a plan is found, no plan exists, or the budget or the time is spent."""
        if _compiled is not None:
            return self.compiled.run(words, numbers, limits, calls)
        return ResumableSearch(self, words, numbers, limits, calls).run()


class KernelRunner:
    """One form of the kernel, with the task and spare workspaces in that form."""

    def __init__(self, functions: Any, compiled_task: CompiledTask, sequences: SequenceFormat) -> None:
        self.functions, self._sequences = functions, sequences
        self._begin_search = functions.begin_search
        self._compiled_task = compiled_task
        ints, floats = flatten(compiled_task.kernel_task)
        self._task = (sequences.from_list(ints), sequences.from_list(floats))
        self.call_values = ints[kernel.CALL_VALUES]  # where the values of game functions begin in the task's floats
        # Free workspaces, by size: fresh memory is slow to touch. Lists are thread-safe for append and pop.
        self._spare: dict[int, list[Workspace]] = defaultdict(list)
        self._filled: OrderedDict[Hashable, Any] = OrderedDict()

    def run(
        self, words: Sequence[int], numbers: Sequence[float], limits: SearchLimits, calls: GameCalls | None = None
    ) -> SearchResult:
        """Search from a state until the search ends, or its budget or its time is spent."""
        weight, budget, deadline = limits
        if deadline is None and calls is None:  # the fast path: microseconds count here
            spare = self._spare[MIN_NODES]
            try:
                space = spare.pop()
            except IndexError:
                space = self.acquire_workspace()
            write_state(space, words, numbers)
            status = self._begin_search(*self._task, space.ints, space.floats, weight, budget)
            if status != kernel.WORKSPACE_FULL:
                result = self.read_result(space, status)
                spare.append(space)
                return result
            spare.append(space)
        return ResumableSearch(self, words, numbers, limits, calls).run()

    def task(self, calls: GameCalls | None = None) -> tuple[Any, Any]:
        """Return the task's sequences, with the constant values of game functions that are known.

        If other values of game functions are needed, which hold for one search only, it is a copy.
        """
        if calls is None:
            return self._task
        filled = self._filled_task(calls)
        return (self._task[0], filled if calls.are_constant else filled.copy())

    def keep_values(self, calls: GameCalls, values: Mapping[int, float]) -> None:
        """Keep those of some values that are constant for later searches."""
        constant = {index: value for index, value in values.items() if calls.is_constant(index)}
        if constant:
            filled = self._filled_task(calls)
            for index, value in constant.items():
                filled[self.call_values + index] = value

    def _filled_task(self, calls: GameCalls) -> Any:
        """Return the task's floats for what the calls mean, filled as far as constant values are known."""
        filled = self._filled.get(calls.meaning)
        if filled is None:
            filled = self._task[1].copy()
            for index, value in calls.known():
                filled[self.call_values + index] = value
            while len(self._filled) >= MAX_FILLED_TASKS:
                self._filled.popitem(last=False)
            self._filled[calls.meaning] = filled
        return filled

    def acquire_workspace(self) -> Workspace:
        """Return a free workspace of the smallest size. All searches start equally small, so that runs are equal."""
        return self._acquire(MIN_NODES)

    def grow(self, space: Workspace) -> "Growth":
        """Begin to copy a search from a full workspace into a larger one."""
        return Growth(self, space, self._acquire(space.nodes * GROWTH_FACTOR))

    def copy_nodes(self, old: Workspace, new: Workspace, first: int, end: int) -> None:
        """Copy some nodes of a search into its new workspace."""
        copy_nodes(self._compiled_task.kernel_task, old, new, first, end)
        self.functions.insert_nodes(self._task[0], new.ints, new.floats, first, end)

    def _acquire(self, nodes: int) -> Workspace:
        try:
            return self._spare[nodes].pop()
        except IndexError:
            task = self._compiled_task
            return create_workspace(task.kernel_task, nodes, task.stack_size, self._sequences.zeros)

    def adopt_workspace(self, space: Workspace) -> Workspace:
        """Return a copy of a workspace of the plain runner in the form of this one."""
        from_list = self._sequences.from_list
        return space._replace(ints=from_list(space.ints), floats=from_list(space.floats))

    def release_workspace(self, space: Workspace) -> None:
        """Keep a workspace for the next search; of large ones, at most ``MAX_SPARE`` of a size."""
        spare = self._spare[space.nodes]
        if space.nodes == MIN_NODES or len(spare) < MAX_SPARE:
            spare.append(space)

    def read_result(self, space: Workspace, status: int) -> SearchResult:
        """Read the result of the search in a workspace."""
        ints, to_list = space.ints, self._sequences.to_list
        head = to_list(ints[: kernel.NODE_CAPACITY])  # one slice is cheaper than items
        dropped = _read_dropped(head, space) if head[kernel.DROPPED] else None
        if status == kernel.UNREACHABLE or status == kernel.UNDEFINED:
            return SearchResult(status, (), 0.0, head[kernel.EXPANDED], head[kernel.FAULTY_OPERATOR], dropped)
        first = space.steps
        steps = tuple(to_list(ints[first : first + head[kernel.LENGTH]]))
        cost = float(space.floats[space.g + head[kernel.GOAL_NODE]])
        return SearchResult(status, steps, cost, head[kernel.EXPANDED], -1, dropped)

    def repair(
        self, words: Sequence[int], numbers: Sequence[float], steps: tuple[int, ...], calls: GameCalls | None = None
    ) -> SearchResult | None:
        """Return what is left of an old plan in a new state if it still works and no plan can be cheaper, or None."""
        space = self.acquire_workspace()
        write_state(space, words, numbers)
        ints, first, count = space.ints, space.steps, len(steps)
        ints[first : first + count] = steps
        cost = float(self.functions.repair(*self.task(calls), ints, space.floats, count))
        result = None
        if cost >= 0.0:
            left = int(ints[kernel.LENGTH])
            if left == count:  # nothing was left out, so they are the same
                result = SearchResult(kernel.FOUND, steps, cost, 0)
            else:
                kept = tuple(self._sequences.to_list(ints[first : first + left]))
                result = SearchResult(kernel.FOUND, kept, cost, 0)
        self.release_workspace(space)
        return result

    def match_step(
        self, before: EncodedState, after: EncodedState, operator: int, calls: GameCalls | None = None
    ) -> float:
        """Return the cost of an operator if it leads from one state to the other, else -1."""
        space = self.acquire_workspace()
        write_state(space, *after)
        write_state(space, *before, node=1)
        cost = float(self.functions.match_step(*self.task(calls), space.ints, space.floats, operator))
        self.release_workspace(space)
        return cost


def _read_dropped(head: Sequence[int], space: Workspace) -> DroppedBranches:
    value = float(space.floats[int(space.ints[kernel.DROPPED_VALUE])])
    return DroppedBranches(head[kernel.DROPPED], head[kernel.DROPPED_OPERATOR], head[kernel.DROPPED_NUMBER], value)


def write_state(space: Workspace, words: Sequence[int], numbers: Sequence[float], node: int = 0) -> None:
    """Write a state into a node of a workspace; node 0 is the start."""
    for at, word in enumerate(words, space.words + node * len(words)):
        space.ints[at] = word
    for at, number in enumerate(numbers, space.numbers + node * len(numbers)):
        space.floats[at] = number


class Growth:
    """The copying of a search into a larger workspace, resumable like the search itself."""

    def __init__(self, runner: KernelRunner, old: Workspace, new: Workspace) -> None:
        self._runner, self._old, self.workspace = runner, old, new
        self._nodes, self._heap = int(old.ints[kernel.NODES]), int(old.ints[kernel.HEAP])
        self._copied = 0
        generation = new.ints[kernel.GENERATION] + 1  # invalidates what earlier searches left in the new workspace
        new.ints[: kernel.NODE_CAPACITY] = old.ints[: kernel.NODE_CAPACITY]
        new.ints[kernel.GENERATION] = generation
        new.floats[int(new.ints[kernel.DROPPED_VALUE])] = old.floats[int(old.ints[kernel.DROPPED_VALUE])]

    def move(self, runner: KernelRunner, old: Workspace) -> None:
        """Go on with another runner, in whose form ``old`` is already."""
        self._runner, self._old = runner, old
        self.workspace = runner.adopt_workspace(self.workspace)

    def resume(self, nodes: int) -> bool:
        """Copy at most ``nodes`` more nodes; return whether all are copied."""
        first, end = self._copied, min(self._nodes, self._copied + nodes)
        self._runner.copy_nodes(self._old, self.workspace, first, end)
        copy_heap(self._old, self.workspace, self._heap * first // self._nodes, self._heap * end // self._nodes)
        self._copied = end
        if end < self._nodes:
            return False
        self._runner.release_workspace(self._old)
        return True


class ResumableSearch:
    """A search that can be interrupted and resumed, for a ``SearchEngine`` or one of its runners.

    For an engine, it begins as plain Python if the compiled kernel is not ready, and moves to that as soon as it is.
    """

    def __init__(
        self,
        engine: "SearchEngine | KernelRunner",
        words: Sequence[int],
        numbers: Sequence[float],
        limits: SearchLimits,
        calls: GameCalls | None = None,
    ) -> None:
        self._engine = engine if isinstance(engine, SearchEngine) else None
        self._runner = engine.preferred if isinstance(engine, SearchEngine) else engine
        self._start, self._limits, self._calls = (words, numbers), limits, calls
        self._task, self._space = self._runner.task(calls), self._runner.acquire_workspace()
        self._values: dict[int, float] = {}  # of game calls, as asked in this search
        self._begun = False
        self._growth: Growth | None = None
        self.expanded = 0

    def run(self) -> SearchResult:
        """Search until the search ends, or its budget or its time is spent."""
        deadline, budget = self._limits.deadline, self._limits.budget
        while True:
            if deadline is not None:
                steps = EXPANSIONS_PER_SLICE
            else:
                steps = PLAIN_EXPANSIONS_PER_SLICE if self._is_plain and is_installed() else budget
            result = self.resume(steps, deadline)
            if result is not None:
                return result
            if deadline is not None and time.perf_counter() >= deadline:
                return self.stop()

    def resume(self, expansions: int, deadline: float | None = None) -> SearchResult | None:
        """Expand at most so many more nodes; return the result, or None if the search is not over.

        If values of game functions are needed, all that the node needs are asked and the search goes on; past the
        deadline, the rest waits for the next call. If the workspace is full, it goes on in a larger one.
        """
        if self._is_plain and is_loaded():
            self._move(is_timed=deadline is not None)
        functions, (weight, budget, _) = self._runner.functions, self._limits
        limit = min(self.expanded + expansions, budget)
        while True:
            if self._growth is not None:
                if not self._growth.resume(COPIES_PER_EXPANSION * expansions):
                    return None
                self._space, self._growth = self._growth.workspace, None
            ints, floats = self._space.ints, self._space.floats
            if self._begun:
                status = functions.search(*self._task, ints, floats, weight, limit)
            else:
                write_state(self._space, *self._start)
                status = functions.begin_search(*self._task, ints, floats, weight, limit)
                self._begun = True
            self._count(int(ints[kernel.EXPANDED]))
            if status == kernel.NEEDS_CALL:
                if not self._answer(deadline):
                    return None
            elif status == kernel.WORKSPACE_FULL and self._space.nodes < MAX_NODES:
                self._growth = self._runner.grow(self._space)
            elif status == kernel.BUDGET_SPENT and limit < budget:
                return None
            else:
                return self._end(status)

    def stop(self) -> SearchResult:
        """End the search here, with the best so far."""
        return self._end(kernel.BUDGET_SPENT)

    @property
    def _is_plain(self) -> bool:
        """Whether it runs as plain Python and may move."""
        return self._engine is not None and self._runner is self._engine.plain

    def _count(self, expanded: int) -> None:
        if self._is_plain:
            SearchEngine.count_expansions(expanded - self.expanded)
            if expanded >= MAX_PLAIN_EXPANSIONS or SearchEngine.plain_expansions >= MAX_PLAIN_EXPANSIONS_IN_ALL:
                load_in_background()
        self.expanded = expanded

    def _answer(self, deadline: float | None) -> bool:
        """Ask the game what the node needs; return whether all of it is known now."""
        ints, calls = self._space.ints, self._calls
        assert calls is not None, "a task without game calls needs none"
        first = int(ints[kernel.ASKED])
        asked = list(dict.fromkeys(map(int, ints[first : first + int(ints[kernel.QUESTIONS])])))
        size = len(asked) if deadline is None else CALLS_PER_SLICE
        answered = 0
        for begin in range(0, len(asked), size):
            if deadline is not None and begin and time.perf_counter() >= deadline:
                break
            values = calls.answer(asked[begin : begin + size], deadline)
            answered += len(values)
            self._values.update(values)
            self._write(values)
            self._runner.keep_values(calls, values)
        return answered == len(asked) and (deadline is None or time.perf_counter() < deadline)

    def _write(self, values: Mapping[int, float]) -> None:
        for index, value in values.items():
            self._task[1][self._runner.call_values + index] = value

    def _move(self, *, is_timed: bool) -> None:
        """Go on with the compiled kernel.

        Within a time, a large search begins again, with the values that are known: that can be interrupted. One whose
        expansions are counted must not, because it would take other turns than where the kernel was ready before.
        """
        assert self._engine is not None
        plain, self._runner = self._runner, self._engine.compiled
        self._task = self._runner.task(self._calls)
        self._write(self._values)
        if not is_timed or (self._growth is None and self._space.nodes <= MAX_MOVED_NODES):
            self._space = self._runner.adopt_workspace(self._space)
            if self._growth is not None:
                self._growth.move(self._runner, self._space)
            return
        if self._growth is None:
            plain.release_workspace(self._space)
        self._space, self._growth = self._runner.acquire_workspace(), None
        self._begun, self.expanded = False, 0

    def _end(self, status: int) -> SearchResult:
        result = self._runner.read_result(self._space, status)
        self._runner.release_workspace(self._space)
        return result
