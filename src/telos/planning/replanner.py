"""Incremental replanning for one character and one goal: what still holds of the plan is kept."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import is_
from typing import NamedTuple

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.goal import Goal
from telos.core.plan import Answer
from telos.core.state import State
from telos.core.values import Value, ValueKind
from telos.planning import kernel
from telos.planning.encoding import HandleTable, as_state, to_float
from telos.planning.game_functions import SearchCalls
from telos.planning.planner import DEFAULT_BUDGET, Planner, get_planner, make_limits
from telos.planning.search import EncodedState, SearchLimits, SearchResult

MAX_KNOWN_STATES = 1_000  # per character


class Replanner:
    """Keeps a plan up to date while facts change.

    A change of a variable that does not matter for the goal leaves the plan as it is. Otherwise, steps that the new
    state no longer needs are removed; if the rest still works, and no plan can be cheaper by the heuristic, it stays.
    Only otherwise does a search run. Answers are cached by state. Parts of the goal that have nothing to do with each
    other are planned for one by one, so that a change concerns only its part.

    Functions of the game are asked only if a change matters, and constant ones (``telos.constant``, ``telos.table``)
    only once. If the values of others have changed, and no variable with them, call ``refresh``.

    >>> from telos.core.values import Variable
    >>> soldier = Domain(
    ...     variables=[Variable("ammo", "int"), *(Variable(each, "bool") for each in ("loaded", "dead", "dark"))],
    ...     actions=[Action("attack", preconditions="loaded", effects="dead = true, loaded = false"),
    ...              Action("reload", preconditions="ammo >= 1", effects="loaded = true, ammo -= 1")],
    ...     goals=[Goal("kill", wants="dead")],
    ... )
    >>> mind = Replanner(soldier, "kill", {"ammo": 3})
    >>> [step.name for step in mind.answer.steps]
    ['reload', 'attack']
    >>> mind.update({"dark": True}) is mind.answer, mind.searches
    (True, 1)
    >>> [step.name for step in mind.update({"loaded": True, "ammo": 2}).steps], mind.searches
    (['attack'], 1)
    """

    def __init__(
        self,
        domain: Domain,
        goal: str | Goal,
        state: Mapping[str, Value] | None = None,
        *,
        actions: str | Iterable[Action] | None = None,
        how: str = "optimal",
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._planner = get_planner(domain, actions)
        self._goal = domain.goal(goal) if isinstance(goal, str) else goal
        self._how, self._budget = how, budget
        self._limits = make_limits(how, budget, None)
        self.answer: Answer
        self.searches = 0  # how often neither the plan nor the cache sufficed
        self._values = list(as_state(state or {}, domain.layout).array)
        self._is_whole = False  # if independent parts of the goal are not planned for one by one
        self._is_prepared = False  # for the handles and fixed variables of the state
        self._renew()

    @property
    def state(self) -> State:
        """Return the current state."""
        return State(self._planner.domain.layout, tuple(self._values))

    def update(self, changes: Mapping[str, Value]) -> Answer:
        """Apply changes of variables; return the answer for the new state: the same object if the plan stays."""
        layout, values = self._planner.domain.layout, self._values
        for name, value in changes.items():
            slot = layout.slot(name)
            if values[slot] == value:
                continue
            if value.__class__ is not bool or values[slot].__class__ is not bool:
                layout.variables[slot].checked(value)
                if name in self._numbers:
                    to_float(layout.variables[slot], value)
            values[slot] = value
            if name in self._task_variables:
                self._is_stale, self._is_prepared = True, False
            elif name in self._parts_of:
                self._is_stale = True
                for part in self._parts_of[name]:
                    part.update(name, value)
        if self._is_stale:
            self._renew()
        return self.answer

    def refresh(self) -> Answer:
        """Ask the functions of the game again, as far as the answer depends on them; return the answer."""
        if self._asks_anew or self._is_stale:
            self._renew()
        return self.answer

    def forget(self) -> None:
        """Drop the answers for earlier states; the present one stays."""
        for part in self._parts:
            part.known_answers.clear()

    def depends_on(self, name: str) -> bool:
        """Whether the answer may depend on a variable."""
        return name in self._task_variables or name in self._parts_of

    def _renew(self) -> None:
        """Find the answer for the state as it is; if that raises, the next update tries again."""
        self._is_stale = True
        if not self._is_prepared:
            self._prepare()
        if self._asks_anew:
            self.searches += 1
            self.answer = self._planner.plan(self.state, self._goal, self._how, self._budget)
        elif len(self._parts) == 1:
            self.answer = self._answer_of(self._parts[0]).answer
        else:
            self._join()
        self._is_stale = False

    def _prepare(self) -> None:
        """Compile the goal; again only when a handle or a fixed variable of the goal changes."""
        state, planner, goal = self.state, self._planner, self._goal
        handles = planner.handles(state, {}, goal)
        prepared = planner.prepare(goal, state, handles)
        named = {each.name for each in state.layout.variables if each.type.kind is ValueKind.HANDLE}
        self._task_variables = named | planner.fixed_in(goal) | {*prepared.calls.fixed_arguments}
        calls = planner.calls(prepared, state, handles, {})
        self._asks_anew = calls is not None and not calls.are_constant
        goals = (goal,) if self._is_whole else planner.split(goal, state, handles)
        self._parts = [_GoalPart(planner, each, state, handles, calls) for each in goals]
        self._parts_of: dict[str, list[_GoalPart]] = {}
        for part in self._parts:
            for name in (*part.encoding.fields, *part.encoding.numbers):
                self._parts_of.setdefault(name, []).append(part)
        self._numbers = {name for part in self._parts for name in part.encoding.numbers}
        self._joined: list[_KnownAnswer] = []
        self._is_prepared = True

    def _answer_of(self, part: "_GoalPart") -> "_KnownAnswer":
        known, has_searched = part.renew(self._values, self._limits)
        self.searches += has_searched
        return known

    def _join(self) -> None:
        """Join the plans for independent parts of the goal."""
        before, searches = self._joined, self.searches
        known = [each.present or self._answer_of(each) for each in self._parts]
        self.searches = min(self.searches, searches + 1)
        if any(each.dropped for each in known):
            self._is_whole, self._is_prepared = True, False  # the explanation speaks of one search
            self._renew()
            return
        if len(before) == len(known) and all(map(is_, before, known)):
            return
        self._joined = known
        start = partial(State, self._planner.domain.layout, tuple(self._values))
        self.answer = self._planner.join(self._goal, [each.answer for each in known], start)


class _KnownAnswer(NamedTuple):
    """An answer with the numbers of its operators, and whether its search has dropped branches."""

    answer: Answer
    steps: tuple[int, ...]
    dropped: bool


class _GoalPart:
    """A goal, or an independent part of one, with its present state, its answer and the answers for earlier states."""

    def __init__(
        self, planner: Planner, goal: Goal, state: State, handles: HandleTable, calls: SearchCalls | None
    ) -> None:
        self._planner, self._goal, self._handles, self._calls = planner, goal, handles, calls
        self._prepared = planner.prepare(goal, state, handles)
        self.encoding = self._prepared.compiled_task.encoding
        self.known_answers: dict[EncodedState, _KnownAnswer] = {}
        self.present: _KnownAnswer | None = None  # None: the state has changed
        self._runner = self._prepared.engine.preferred
        self._kept: _KnownAnswer | None = None
        self._last: EncodedState = ((), ())
        self._words, self._numbers = self._prepared.reader.read(state.array, handles)

    def update(self, name: str, value: Value) -> None:
        """Write another value of one variable, already checked."""
        self.present = None
        self._prepared.reader.update(name, value, self._words, self._numbers, self._handles)

    def renew(self, values: Sequence[Value], limits: SearchLimits) -> tuple[_KnownAnswer, bool]:
        """Return the answer for the present state, and whether it took a search."""
        self.present = None
        now, has_searched = (tuple(self._words), tuple(self._numbers)), False
        known = self.known_answers.get(now)
        if known is None:
            known = self._repair(now, values) or self._advance(now, values)
            if known is None:
                known, has_searched = self._search(now, values, limits), True
            if len(self.known_answers) >= MAX_KNOWN_STATES:
                self.known_answers.clear()
            self.known_answers[now] = known
        self._kept, self._last = (known if known.answer.found else None), now
        self.present = known
        return known, has_searched

    def _repair(self, now: EncodedState, values: Sequence[Value]) -> _KnownAnswer | None:
        """Return the plan, or what is left of it, if it is still optimal."""
        if self._kept is None:
            return None
        result = self._runner.repair(*now, self._kept.steps, self._calls)
        if result is None or len(result.steps) == len(self._kept.steps):
            return None if result is None else self._kept
        return self._to_known(result, values)

    def _advance(self, now: EncodedState, values: Sequence[Value]) -> _KnownAnswer | None:
        """Return the rest of the plan if the change is exactly the effect of its first step: it is still optimal."""
        if self._kept is None or not self._kept.steps:
            return None
        cost = self._runner.match_step(self._last, now, self._kept.steps[0], self._calls)
        if cost < 0.0:
            return None
        rest = SearchResult(kernel.FOUND, self._kept.steps[1:], self._kept.answer.cost - cost, 0)
        return self._to_known(rest, values)

    def _search(self, now: EncodedState, values: Sequence[Value], limits: SearchLimits) -> _KnownAnswer:
        result = self._prepared.engine.search(*now, limits, self._calls)
        self._runner = self._prepared.engine.preferred  # the search may have loaded the compiled kernel
        return self._to_known(result, values)

    def _to_known(self, result: SearchResult, values: Sequence[Value]) -> _KnownAnswer:
        start = partial(State, self._planner.domain.layout, tuple(values))
        answer = self._planner.to_answer(result, self._prepared.compiled_task, start, self._goal, self._handles)
        return _KnownAnswer(answer, result.steps, result.dropped is not None)
