"""Plans for a whole crowd in one call.

Start with ``plan_many``. Agents are grouped by task, and each distinct state of a group is searched once.
"""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from typing import Any, overload

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.plan import Answer
from telos.core.state import Layout, State
from telos.core.values import Value, ValueKind, Variable
from telos.planning import kernel, search
from telos.planning.encoding import HandleTable, StateEncoding, as_state, to_float
from telos.planning.explain import StartState
from telos.planning.game_functions import SearchCalls
from telos.planning.planner import DEFAULT_BUDGET, Planner, PreparedGoal, get_planner, make_limits
from telos.planning.search import SearchLimits, SearchResult

MAX_STEPS = 64  # of a plan that are kept for every agent; a longer plan is searched for again when it is read
MIN_STATES_PER_THREAD = 128  # fewer are not worth another thread


def plan_many(
    domain: Domain,
    states: Sequence[Mapping[str, Value]] | Mapping[str, Sequence[Value]],
    goals: str | Goal | Sequence[str | Goal],
    *,
    actions: str | Iterable[Action] | None = None,
    how: str = "optimal",
    budget: int = DEFAULT_BUDGET,
    threads: int | None = None,
) -> "Plans":
    """Plan for many agents at once, in parallel and without holding the GIL.

    ``states`` is one state per agent, or, much faster for thousands, one column per variable: a list or an array with a
    value for each agent. ``goals`` is one goal for all, or one per agent. Agents whose states agree in everything that
    is relevant for the goal share one search. If actions call functions of the game that are not constant
    (``telos.constant``, ``telos.table``), agents are planned for one by one.

    >>> from telos.core.values import Variable
    >>> lamp = Domain(variables=[Variable("lit", "bool")], actions=[Action("switch", effects="lit = not lit")],
    ...               goals=[Goal("light", wants="lit")])
    >>> [len(answer.steps) for answer in plan_many(lamp, {"lit": [True, False]}, "light")]
    [0, 1]
    """
    limits = make_limits(how, budget, None)
    planner = get_planner(domain, actions)
    rows = ColumnStates(domain.layout, states) if isinstance(states, Mapping) else _RowStates(states, domain)
    groups, places = list[_AgentGroup | _JoinedGroup](), [(0, 0)] * len(rows)
    for goal, members in _group_by_goal(goals, len(rows)).items():
        for group in _group_by_task(planner, goal, rows, members):
            if len(group.agents) == len(rows):  # all of them, in order
                places = list(zip(repeat(len(groups)), range(len(rows)), strict=False))
            else:
                for row, agent in enumerate(group.agents):
                    places[agent] = (len(groups), row)
            group.search(limits, threads or os.cpu_count() or 1)
            groups.append(group)
    return Plans(groups, places)


class Plans(Sequence[Answer]):
    """The answers for a crowd, in order. Each is a row of numbers until it is read."""

    def __init__(self, groups: "list[_AgentGroup | _JoinedGroup]", places: Sequence[tuple[int, int]]) -> None:
        self._groups, self._places = groups, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Answer: ...
    @overload
    def __getitem__(self, index: slice) -> list[Answer]: ...
    def __getitem__(self, index: int | slice) -> Answer | list[Answer]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        group, row = self._places[index]
        return self._groups[group].answer(row)

    def __iter__(self) -> Iterator[Answer]:
        answers = [group.answers() for group in self._groups]
        return (answers[group][row] for group, row in self._places)

    @property
    def costs(self) -> list[float]:
        """Return the cost of each agent's plan; infinity where there is none."""
        return [self._groups[group].cost(row) for group, row in self._places]


class _RowStates(Sequence[State]):
    """One state per agent, read when it is needed."""

    def __init__(self, states: Sequence[Mapping[str, Value]], domain: Domain) -> None:
        self._states, self._layout = states, domain.layout

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, agent: Any) -> Any:
        return as_state(self._states[agent], self._layout)


def _group_by_goal(goals: str | Goal | Sequence[str | Goal], count: int) -> dict[str | Goal, list[int]]:
    if isinstance(goals, str | Goal):
        return {goals: list(range(count))}
    if len(goals) != count:
        raise TelosError(f"{count} states and {len(goals)} goals", "give one goal for all, or one for each")
    found: dict[str | Goal, list[int]] = {}
    for agent, goal in enumerate(goals):
        found.setdefault(goal, []).append(agent)
    return found


def _group_by_task(
    planner: Planner, goal: str | Goal, rows: Sequence[State], members: list[int]
) -> "Iterator[_AgentGroup | _JoinedGroup]":
    """Yield the groups of agents that share a task."""
    wanted = planner.domain.goal(goal) if isinstance(goal, str) else goal
    variables = planner.domain.layout.variables
    if isinstance(rows, ColumnStates) and not any(each.type.kind is ValueKind.HANDLE for each in variables):
        first = rows[members[0]]
        prepared = planner.prepare(wanted, first, planner.handles(first, {}, wanted))
        if search.is_installed() and not prepared.compiled_task.game_calls and not planner.fixed_in(wanted):
            parts = []
            handles = planner.handles(first, {}, wanted)
            for part in planner.split(wanted, first, handles):
                task = planner.prepare(part, first, handles)
                words, numbers = encode_columns(rows, task.compiled_task.encoding, members)
                parts.append(_AgentGroup(planner, part, task, rows, members, words, numbers))
            yield parts[0] if len(parts) == 1 else _JoinedGroup(planner, wanted, rows, parts)
            return
    tasks: dict[Hashable, tuple[PreparedGoal, SearchCalls | None, list[int], list[int], list[float]]] = {}
    for agent in members:
        now = rows[agent]
        handles = planner.handles(now, {}, wanted)
        prepared = planner.prepare(wanted, now, handles)
        calls = planner.calls(prepared, now, handles, {})
        key = (id(prepared), None if calls is None else calls.meaning)
        _, _, agents, words, numbers = tasks.setdefault(key, (prepared, calls, [], [], []))
        more_words, more_numbers = prepared.reader.read(now.array, handles)
        agents.append(agent)
        words += more_words
        numbers += more_numbers
    for prepared, calls, agents, words, numbers in tasks.values():
        yield _AgentGroup(planner, wanted, prepared, rows, agents, words, numbers, calls)


class _AgentGroup:
    """Agents that share a task: their states as flat arrays, and the results of their searches."""

    def __init__(
        self,
        planner: Planner,
        goal: Goal,
        prepared: PreparedGoal,
        rows: Sequence[State],
        agents: list[int],
        words: Any,
        numbers: Any,
        calls: SearchCalls | None = None,
    ) -> None:
        self.agents = agents
        self._calls = calls
        self._planner, self._goal, self._prepared, self._rows = planner, goal, prepared, rows
        self._words, self._numbers = words, numbers
        self._limits = SearchLimits()
        self._same: Any = None  # the index of each agent's distinct state
        self._answers: dict[int, Answer] = {}  # by distinct state, once read
        # Status, cost, expanded, length, dropped branches, steps; empty if agents are planned for one by one.
        self._columns: tuple[Any, ...] = ()

    def search(self, limits: SearchLimits, threads: int) -> None:
        self._limits = limits
        if not search.is_installed() or (self._calls is not None and not self._calls.are_constant):
            return
        import numpy as np

        shape, count = self._prepared.compiled_task.kernel_task, len(self.agents)
        words = np.asarray(self._words, dtype=np.int64).reshape(count, shape.words)
        numbers = np.asarray(self._numbers, dtype=np.float64).reshape(count, shape.numbers)
        first, self._same = _find_distinct(words, numbers)
        words, numbers, count = words[first].ravel(), numbers[first].ravel(), len(first)
        self._columns = (
            np.zeros(count, np.int64),
            np.full(count, np.inf),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count * MAX_STEPS, np.int64),
        )
        done = self._search_while_compiling(words.reshape(count, -1), numbers.reshape(count, -1))
        if done == count:
            return
        runner = self._prepared.engine.compiled
        task = runner.task(self._calls)

        def work(start: int, end: int) -> None:
            space = runner.acquire_workspace()
            part = (words, numbers, start, end, limits.weight, limits.budget, *self._columns, MAX_STEPS)
            runner.functions.search_many(*task, space.ints, space.floats, *part)
            runner.release_workspace(space)

        shares = max(1, min(threads, (count - done) // MIN_STATES_PER_THREAD))
        bounds = [done + (count - done) * share // shares for share in range(shares + 1)]
        if shares == 1:
            work(done, count)
        else:
            with ThreadPoolExecutor(shares) as pool:
                list(pool.map(work, bounds[:-1], bounds[1:]))
        statuses = self._columns[0]
        for at in np.isin(statuses, (kernel.WORKSPACE_FULL, kernel.NEEDS_CALL)).nonzero()[0].tolist():
            self._search_one(at, words.reshape(count, -1), numbers.reshape(count, -1))

    def _search_while_compiling(self, words: Any, numbers: Any) -> int:
        """Search one by one as plain Python until the compiled kernel is ready; return how many were searched."""
        search.load_in_background()
        for at in range(len(words)):
            if search.is_loaded():
                return at
            self._search_one(at, words, numbers)
        return len(words)

    def _search_one(self, at: int, words: Any, numbers: Any) -> None:
        """Search from one state, in workspaces that grow, with calls of game functions."""
        statuses, costs, expanded, lengths, dropped, steps = self._columns
        start = (words[at].tolist(), numbers[at].tolist())
        result = self._prepared.engine.search(*start, self._limits, self._calls)
        statuses[at], expanded[at], lengths[at] = result.status, result.expanded, len(result.steps)
        dropped[at] = result.dropped is not None
        if result.status == kernel.FOUND:
            costs[at] = result.cost
            steps[at * MAX_STEPS : at * MAX_STEPS + min(MAX_STEPS, len(result.steps))] = result.steps[:MAX_STEPS]

    def place(self, row: int) -> int:
        """Return the number of a row's distinct state."""
        return int(self._same[row])

    def places(self) -> list[int]:
        """Return the number of each row's distinct state."""
        return self._same.tolist()  # type: ignore[no-any-return]

    def has_dropped(self, row: int | None = None) -> bool:
        """Whether the search of a row, or of any, has dropped branches whose numbers overflow."""
        dropped = self._columns[4]
        return bool(dropped.any() if row is None else dropped[self._same[row]])

    def cost(self, row: int) -> float:
        if self._is_kept(row):
            return float(self._columns[1][self._same[row]])
        return self.answer(row).cost

    def _is_kept(self, row: int) -> bool:
        """Whether a row's answer is complete; if not, its plan is too long for a row or its budget was spent."""
        if not self._columns:
            return False
        at = self._same[row]
        statuses, _, _, lengths, _, _ = self._columns
        return statuses[at] in (kernel.FOUND, kernel.UNREACHABLE) and lengths[at] <= MAX_STEPS

    def answers(self) -> list[Answer]:
        """Return all agents' answers."""
        if not self._columns or self._prepared.compiled_task.actions is None:
            return [self.answer(row) for row in range(len(self.agents))]
        same = self._same.tolist()
        first = {at: row for row, at in zip(range(len(same) - 1, -1, -1), reversed(same), strict=True)}
        each = {at: self.answer(row) for at, row in first.items()}
        return [each[at] for at in same]

    def answer(self, row: int) -> Answer:
        agent = self.agents[row]
        if not self._is_kept(row) or self._columns[4][self._same[row]]:  # what was dropped is not kept
            how = "optimal" if self._limits.weight == 1.0 else "fast"
            return self._planner.plan(self._rows[agent], self._goal, how, self._limits.budget)
        at = int(self._same[row])
        if self._prepared.compiled_task.actions is None:  # the same encoded state, but other handles
            now = self._rows[agent]
            return self._to_answer(at, now, self._planner.handles(now, {}, self._goal))
        if at not in self._answers:
            self._answers[at] = self._to_answer(at, partial(self._rows.__getitem__, agent), HandleTable({}))
        return self._answers[at]

    def _to_answer(self, at: int, start: StartState, handles: HandleTable) -> Answer:
        statuses, costs, expanded, lengths, _, steps = self._columns
        found = tuple(steps[at * MAX_STEPS : at * MAX_STEPS + lengths[at]].tolist())
        result = SearchResult(int(statuses[at]), found, float(costs[at]), int(expanded[at]))
        return self._planner.to_answer(result, self._prepared.compiled_task, start, self._goal, handles)


class _JoinedGroup:
    """Agents with a goal whose parts have nothing to do with each other: each part is a group, searched on its own.

    So agents share searches though no two of them are in the same situation.
    """

    def __init__(self, planner: Planner, goal: Goal, rows: Sequence[State], parts: Sequence[_AgentGroup]) -> None:
        self._planner, self._goal, self._rows, self._parts = planner, goal, rows, parts
        self.agents, self._limits = parts[0].agents, SearchLimits()
        self._answers: dict[tuple[int, ...], Answer] = {}  # by distinct states of the parts

    def search(self, limits: SearchLimits, threads: int) -> None:
        self._limits = limits
        for part in self._parts:
            part.search(limits, threads)

    def cost(self, row: int) -> float:
        return sum(part.cost(row) for part in self._parts)

    def answers(self) -> list[Answer]:
        """Return all agents' answers."""
        if any(part.has_dropped() for part in self._parts):
            return [self.answer(row) for row in range(len(self.agents))]
        known, found = self._answers, list[Answer]()
        answers = [part.answers() for part in self._parts]
        for row, places in enumerate(zip(*(part.places() for part in self._parts), strict=True)):
            answer = known.get(places)
            if answer is None:
                start = partial(self._rows.__getitem__, self.agents[row])
                answer = known[places] = self._planner.join(self._goal, [each[row] for each in answers], start)
            found.append(answer)
        return found

    def answer(self, row: int) -> Answer:
        places = tuple([part.place(row) for part in self._parts])
        found = self._answers.get(places)
        if found is None:
            found = self._answers[places] = self._join(row)
        return found

    def _join(self, row: int) -> Answer:
        agent = self.agents[row]
        if any(part.has_dropped(row) for part in self._parts):  # the explanation speaks of one search
            how = "optimal" if self._limits.weight == 1.0 else "fast"
            return self._planner.plan(self._rows[agent], self._goal, how, self._limits.budget)
        answers = [part.answer(row) for part in self._parts]
        return self._planner.join(self._goal, answers, partial(self._rows.__getitem__, agent))


def _find_distinct(words: Any, numbers: Any) -> tuple[Any, Any]:
    """Return the first agent of each distinct state, and the index of each agent's distinct state."""
    import numpy as np

    if not words.shape[1] + numbers.shape[1]:  # nothing is relevant, so all are equal
        return np.zeros(1, np.int64), np.zeros(len(words), np.int64)
    if words.shape[1] == 1 and not numbers.shape[1]:
        _, first, same = np.unique(words[:, 0], return_index=True, return_inverse=True)
    else:
        both = np.hstack([words.view(np.float64), numbers + 0.0])  # bit patterns: only equality matters; -0.0 is 0.0
        packed = np.ascontiguousarray(both).view(np.dtype((np.void, both.dtype.itemsize * both.shape[1])))
        _, first, same = np.unique(packed[:, 0], return_index=True, return_inverse=True)
    return first, same


# --- columns ---


class ColumnStates(Sequence[State]):
    """A crowd's states as columns, a row for each agent; a variable without a column has its start value."""

    def __init__(self, layout: Layout, columns: Mapping[str, Sequence[Value]]) -> None:
        for name in columns:
            layout.slot(name)  # raises with a suggestion
        sizes = {name: len(column) for name, column in columns.items()}
        if len(set(sizes.values())) != 1:
            raise TelosError(f"the columns must have the same length, got {sizes}")
        self.layout, self.columns, self._size = layout, columns, next(iter(sizes.values()))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, agent: Any) -> Any:
        values = []
        for variable in self.layout.variables:
            column = self.columns.get(variable.name)
            value = variable.start if column is None else column[agent]
            values.append(value.item() if hasattr(value, "item") else value)  # plain values, not numpy's
        return State(self.layout, tuple(values))


def encode_columns(states: ColumnStates, encoding: StateEncoding, agents: Sequence[int]) -> tuple[Any, Any]:
    """Return the words and numbers of some agents' states, a row for each agent."""
    import numpy as np

    chosen = slice(None) if len(agents) == len(states) else np.asarray(agents)
    words = np.zeros((len(agents), encoding.words), np.int64)
    numbers = np.zeros((len(agents), len(encoding.numbers)))
    for variable in states.layout.variables:
        name = variable.name
        if name not in encoding.fields and name not in encoding.numbers:
            continue  # not relevant for the goal
        column = states.columns.get(name)
        codes = _codes(variable, [variable.start] * len(states) if column is None else column)[chosen]
        if name in encoding.fields:
            place = encoding.fields[name]
            words[:, place.word] |= codes << place.shift
        else:
            numbers[:, encoding.numbers[name]] = codes
    return words, numbers


def _codes(variable: Variable, column: Sequence[Value]) -> Any:
    """Return a column as the kernel's numbers; raises with the row of a value that does not fit its variable."""
    import numpy as np

    array = np.asarray(column)
    kind = variable.type.kind
    if kind is ValueKind.BOOL and array.dtype == np.bool_:
        return array.astype(np.int64)
    if array.dtype.kind in ("iu" if kind is ValueKind.INT else "iuf" if kind is ValueKind.NUMBER else ""):
        numbers = array.astype(np.float64)
        if (np.abs(numbers) <= kernel.MAX_NUMBER).all():
            return numbers
    plain = array.tolist()
    for row, value in enumerate(plain):
        if not variable.type.accepts(value):
            raise TelosError(f"row {row}: variable {variable.name!r} holds {variable.type}, not {value!r}")
    codes = {label: code for code, label in enumerate(variable.type.labels)}
    if kind is ValueKind.ENUM:
        return np.array([codes[value] for value in plain], np.int64)
    if kind is ValueKind.BOOL:
        return np.array(plain, np.int64)
    return np.array([to_float(variable, value) for value in plain], np.float64)
