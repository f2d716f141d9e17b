"""Incremental replanning for one character and one goal: what still holds of the plan is kept."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.goal import Goal
from telos.core.plan import Answer
from telos.core.state import State
from telos.core.values import Value, ValueKind
from telos.planning import kernel
from telos.planning.encoding import as_state, to_float
from telos.planning.planner import DEFAULT_BUDGET, get_planner, make_limits
from telos.planning.search import EncodedState, SearchResult

MAX_KNOWN_STATES = 1_000  # per character


class Replanner:
    """Keeps a plan up to date while facts change.

    A change of a variable that does not matter for the goal leaves the plan as it is. Otherwise, steps that the new
    state no longer needs are removed; if the rest still works, and no plan can be cheaper by the heuristic, it stays.
    Only otherwise does a search run. Answers are cached by state.

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
        self.searches = 0  # how often neither the plan nor the cache sufficed
        self._values = list(as_state(state or {}, domain.layout).array)
        self._is_prepared = False  # for the handles and fixed variables of the state
        self._renew()

    @property
    def state(self) -> State:
        """Return the current state."""
        return State(self._planner.domain.layout, tuple(self._values))

    def update(self, changes: Mapping[str, Value]) -> Answer:
        """Apply changes of variables; return the answer for the new state: the same object if the plan stays."""
        layout = self._planner.domain.layout
        for name, value in changes.items():
            slot = layout.slot(name)
            if self._values[slot] == value:
                continue
            if value.__class__ is not bool or self._values[slot].__class__ is not bool:
                layout.variables[slot].checked(value)
                if name in self._prepared.compiled_task.encoding.numbers:
                    to_float(layout.variables[slot], value)
            self._values[slot] = value
            if name in self._relevant:
                self._is_stale = True
                if name in self._task_variables:
                    self._is_prepared = False
                elif self._is_prepared:
                    self._prepared.reader.update(name, value, self._words, self._numbers, self._handles)
        if self._is_stale:
            self._renew()
        return self.answer

    def refresh(self) -> Answer:
        """Ask the functions of the game again, as far as the answer depends on them; return the answer."""
        if self._asks_anew or self._is_stale:
            self._renew()
        return self.answer

    def _renew(self) -> None:
        """Find the answer for the state as it is; if that raises, the next update tries again."""
        self._is_stale = True
        if not self._is_prepared:
            self._prepare()
        self.answer = self._search()
        self._is_stale = False

    def _prepare(self) -> None:
        """Compile the goal; again only when a handle or a fixed variable of the goal changes."""
        state = self.state
        self._handles = self._planner.handles(state, {}, self._goal)
        self._prepared = self._planner.prepare(self._goal, state, self._handles)
        compiled = self._prepared.compiled_task
        handles = {each.name for each in state.layout.variables if each.type.kind is ValueKind.HANDLE}
        self._task_variables = handles | self._planner.fixed_in(self._goal) | {*self._prepared.calls.fixed_arguments}
        self._relevant = {*compiled.encoding.fields, *compiled.encoding.numbers} | self._task_variables
        self._calls = self._planner.calls(self._prepared, state, self._handles, {})
        self._asks_anew = self._calls is not None and not self._calls.are_constant
        self._runner = self._prepared.engine.preferred
        self._kept: _KnownAnswer | None = None
        self._last: EncodedState = ((), ())
        self._words, self._numbers = self._prepared.reader.read(self._values, self._handles)
        self._known_answers: dict[EncodedState, _KnownAnswer] = {}
        self._is_prepared = True

    def _search(self) -> Answer:
        if self._asks_anew:
            self.searches += 1
            return self._planner.plan(self.state, self._goal, self._how, self._budget)
        now = (tuple(self._words), tuple(self._numbers))
        known = self._known_answers.get(now)
        if known is None:
            known = self._repair(now) or self._advance(now) or self._run_search(now)
            if len(self._known_answers) >= MAX_KNOWN_STATES:
                self._known_answers.clear()
            self._known_answers[now] = known
        self._kept, self._last = (known if known.answer.found else None), now
        return known.answer

    def _repair(self, now: EncodedState) -> "_KnownAnswer | None":
        """Return the plan, or what is left of it, if it is still optimal."""
        if self._kept is None:
            return None
        result = self._runner.repair(*now, self._kept.steps, self._calls)
        if result is None or len(result.steps) == len(self._kept.steps):
            return None if result is None else self._kept
        return self._to_known(result)

    def _advance(self, now: EncodedState) -> "_KnownAnswer | None":
        """Return the rest of the plan if the change is exactly the effect of its first step: it is still optimal."""
        if self._kept is None or not self._kept.steps:
            return None
        cost = self._runner.match_step(self._last, now, self._kept.steps[0], self._calls)
        if cost < 0.0:
            return None
        return self._to_known(SearchResult(kernel.FOUND, self._kept.steps[1:], self._kept.answer.cost - cost, 0))

    def _run_search(self, now: EncodedState) -> "_KnownAnswer":
        self.searches += 1
        result = self._prepared.engine.search(*now, self._limits, self._calls)
        self._runner = self._prepared.engine.preferred  # the search may have loaded the compiled kernel
        return self._to_known(result)

    def _to_known(self, result: SearchResult) -> "_KnownAnswer":
        start = partial(State, self._planner.domain.layout, tuple(self._values))
        answer = self._planner.to_answer(result, self._prepared.compiled_task, start, self._goal, self._handles)
        return _KnownAnswer(answer, result.steps)


class _KnownAnswer(NamedTuple):
    """An answer with the numbers of its operators."""

    answer: Answer
    steps: tuple[int, ...]
