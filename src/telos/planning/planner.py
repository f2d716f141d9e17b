"""``plan`` and ``Planner``: the cheapest way to a goal, or to the first of several that can be reached.

A ``Planner`` compiles a goal into a task when it is first used, and caches answers. ``plan`` keeps a planner for each
domain and set of actions.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Expression, Handle, names_in, walk
from telos.core.goal import Goal
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import Value, ValueKind, check_finite
from telos.planning import kernel, search
from telos.planning.encoding import HandleTable, StateReader, as_state, collect_handles
from telos.planning.explain import StartState, describe_dropped, diagnose, explain_plan
from telos.planning.game_functions import CallbackCache, DecodedCalls, FunctionAnswers, SearchCalls
from telos.planning.operators import AnalysedOperator, Operator, analyse_operator, ground_actions
from telos.planning.search import ResumableSearch, SearchEngine, SearchLimits, SearchResult
from telos.planning.task import CompiledTask, compile_task

WEIGHTS = {"optimal": 1.0, "fast": 5.0}  # of the estimate; above 1, a plan may cost up to that factor more
DEFAULT_BUDGET = 200_000
MAX_BUDGET = 10**15
MAX_REMEMBERED = 20_000


def plan(
    domain: Domain,
    state: Mapping[str, Value] | None = None,
    goal: str | Goal | Sequence[str | Goal] | None = None,
    *,
    actions: str | Iterable[Action] | None = None,
    how: str = "optimal",
    budget: int = DEFAULT_BUDGET,
    microseconds: float | None = None,
    handles: Mapping[str, Sequence[Value]] | None = None,
) -> Answer:
    """Return the cheapest sequence of actions that makes a goal true, or a ``NoPlan`` that explains why there is none.

    ``state`` gives values of variables; missing ones have their start values. ``goal`` is a goal or its name. Several
    goals, the name of a goal set, or nothing (all goals) are tried in order of priority, if they are relevant now,
    until one needs a plan and has one; a goal that holds already is passed over. ``actions`` names an action set, or
    lists actions; all of the domain's by default. ``handles`` adds things that the character knows of, by kind.

    ``how="fast"`` finds a plan sooner; it may cost up to five times the cheapest. A search expands at most ``budget``
    nodes, and stops soon after ``microseconds`` if given; the answer then holds the sequence that came closest.

    >>> from telos.core.values import Variable
    >>> soldier = Domain(
    ...     variables=[Variable("loaded", "bool"), Variable("ammo", "int"), Variable("target", ["alive", "dead"])],
    ...     actions=[Action("attack", preconditions="loaded", effects="target = dead, loaded = false"),
    ...              Action("reload", preconditions="ammo >= 1", effects="loaded = true, ammo -= 1")],
    ...     goals=[Goal("kill", wants="target == dead")],
    ... )
    >>> [step.name for step in plan(soldier, {"ammo": 3}, "kill").steps]
    ['reload', 'attack']
    >>> print(plan(soldier, {"ammo": 0}, "kill").why())
    kill: no sequence of actions reaches the goal.
      reload needs ammo >= 1, and nothing provides it.
    """
    planner = get_planner(domain, actions)
    if (isinstance(goal, str) and goal not in domain.goal_sets) or isinstance(goal, Goal):
        return planner.plan(state or {}, goal, how, budget, microseconds, handles)
    answers = []
    for each in order_goals(domain, state or {}, goal):
        answer = planner.plan(state or {}, each, how, budget, microseconds, handles)
        if answer.steps:
            return answer
        answers.append(answer)
    return next((answer for answer in answers if answer.found), None) or _combine_failures(answers)


def get_planner(domain: Domain, actions: str | Iterable[Action] | None) -> "Planner":
    """Return the planner of a domain and a set of actions; it is kept in the domain's cache."""
    if actions is not None and not isinstance(actions, str):
        actions = tuple(actions)
    key = ("planner", actions)
    planner: Planner | None = domain.cache.get(key)
    if planner is None:
        planner = Planner(domain, domain.actions_of(actions) if isinstance(actions, str) else actions)
        domain.cache[key] = planner
    return planner


def order_goals(domain: Domain, state: Mapping[str, Value], goals: str | Sequence[str | Goal] | None) -> list[Goal]:
    """Return the goals to try: those that have a condition and are relevant now, by priority, then as listed."""
    if goals is None:
        among: Sequence[Goal] = domain.goals
    elif isinstance(goals, str):
        among = domain.goals_of(goals)
    else:
        among = [domain.goal(each) if isinstance(each, str) else each for each in goals]
    now = as_state(state, domain.layout)
    if not any(goal.wants is not None for goal in among):
        raise TelosError("none of the goals has a condition", "give at least one `wants`, a condition to be met")
    relevant = [goal for goal in among if goal.wants is not None and goal.relevant.holds(now)]
    return sorted(relevant, key=lambda goal: -goal.priority_in(now))


def _combine_failures(answers: Sequence[Answer]) -> NoPlan:
    """Return one answer for several goals if none can be reached."""
    failed = [answer for answer in answers if isinstance(answer, NoPlan)]
    if not failed:
        nothing = Diagnosis((), "No goal is relevant now.")
        return NoPlan("any goal", Stop.UNREACHABLE, 0, (), lambda _: nothing)

    def diagnose(_: NoPlan) -> Diagnosis:
        missing = tuple(condition for each in failed for condition in each.missing)
        return Diagnosis(missing, "\n".join(each.why() for each in failed))

    first = failed[0]
    return NoPlan(first.goal, first.stop, sum(each.expanded for each in failed), first.partial, diagnose)


def warm_up() -> bool:
    """Load the compiled planner before the game starts; return False if Numba is not installed.

    The first time on a machine this compiles the planner; after that it comes from a cache on disk.
    """
    if not search.is_installed():
        return False
    search.load_compiled()
    return True


@dataclass(frozen=True, slots=True)
class PreparedGoal:
    """A goal compiled for a number of handles: everything that planning for it again can reuse."""

    compiled_task: CompiledTask
    engine: SearchEngine
    reader: StateReader
    calls: DecodedCalls


Request: TypeAlias = tuple[str | Goal, str, int, tuple[Value, ...]]  # goal, how, budget, values of the state


class CachedAnswer(NamedTuple):
    """An answer, and the values of game functions that it depends on."""

    answer: Answer
    called: tuple[tuple[str, tuple[Value, ...], float], ...]


@dataclass(frozen=True, slots=True)
class PendingPlan:
    """A search in progress, and how to turn its result into an answer."""

    search: ResumableSearch
    to_answer: Callable[[SearchResult], Answer]

    def resume(self, expansions: int, deadline: float | None = None) -> Answer | None:
        """Expand at most so many more nodes; return the answer, or None if the search is not over.

        Past the deadline, no further function of the game is called.
        """
        result = self.search.resume(expansions, deadline)
        if result is None:
            return None
        return self.to_answer(result)


class Planner:
    """Plans for all characters that share a domain and a set of actions."""

    def __init__(self, domain: Domain, actions: Iterable[Action] | None = None) -> None:
        self.domain = domain
        self.actions = domain.all_actions if actions is None else tuple(actions)
        self._steps: dict[tuple[tuple[str, int], ...], list[AnalysedOperator]] = {}
        self._prepared: dict[Any, PreparedGoal] = {}
        self._remembered: dict[Request, CachedAnswer] = {}
        changed = {effect.variable for action in self.actions for effect in action.effects}
        self._fixed = {v.name for v in domain.layout.variables if v.name not in changed and not v.type.is_numeric}
        self._has_handles = any(v.type.kind is ValueKind.HANDLE for v in domain.layout.variables)
        self._named = HandleTable(domain.handles)
        types = [each.type for each in domain.layout.variables]
        types += [each for action in self.actions for each in action.parameters.values()]
        self._kinds = {each.handle for each in types if each.kind is ValueKind.HANDLE}
        self._handle_slots = [
            (slot, each.type.handle)
            for slot, each in enumerate(domain.layout.variables)
            if each.type.kind is ValueKind.HANDLE
        ]
        expressions = [each.wants.expression for each in domain.goals if each.wants is not None]
        for action in self.actions:
            expressions += (action.preconditions.expression, action.cost, *(effect.value for effect in action.effects))
        self._mentions_unnamed = any(map(self._has_unnamed, expressions))
        self._order = tuple(domain.layout.slots)
        self._bound_actions: dict[tuple[str, tuple[Value, ...]], Action] = {}
        self.functions = FunctionAnswers.of(domain)
        self._splits: dict[int, tuple[Goal, ...]] = {}  # by the identity of the goal as it was compiled
        self._same: dict[str | Goal, tuple[Goal, PreparedGoal]] = {}  # goals that are the same task in every state

    def plan(
        self,
        state: Mapping[str, Value],
        goal: str | Goal,
        how: str = "optimal",
        budget: int = DEFAULT_BUDGET,
        microseconds: float | None = None,
        handles: Mapping[str, Sequence[Value]] | None = None,
    ) -> Answer:
        """Return the cheapest plan from ``state`` to ``goal``, or a ``NoPlan``; see ``telos.plan``."""
        now = as_state(state, self.domain.layout, self._order)
        if microseconds is not None or handles:
            return self._plan(now, goal, make_limits(how, budget, microseconds), handles or {}, {})
        answer, called = self.recall(now, goal, how, budget)
        if answer is None:
            answer = self._plan(now, goal, make_limits(how, budget, None), {}, called)
            self.remember(now, goal, how, budget, answer, called)
        return answer

    def recall(
        self, state: State, goal: str | Goal, how: str, budget: int, *, most_calls: int | None = None
    ) -> tuple[Answer | None, CallbackCache]:
        """Return the cached answer to a request, if the game functions that it depends on still have the same values.

        If a value has changed, the answer is None, and the new values are returned so that nothing is called twice. If
        more than ``most_calls`` calls were needed to know, it is None, too.
        """
        try:
            known = self._remembered.get((goal, how, budget, state.array))
        except TypeError:
            return None, {}  # a value cannot be hashed; reading the state raises the right error
        if known is None or (most_calls is not None and len(known.called) > most_calls):
            return None, {}
        called = self._call_again(known) if known.called else None
        return (known.answer, {}) if called is None else (None, called)

    def remember(
        self, state: State, goal: str | Goal, how: str, budget: int, answer: Answer, called: CallbackCache
    ) -> None:
        """Cache an answer; ``called`` holds the values of the game functions that it depends on."""
        if len(self._remembered) >= MAX_REMEMBERED:
            self._remembered.clear()
        calls = tuple((*each, value) for each, value in called.items()) if called else ()
        with suppress(TypeError):  # a request that cannot be hashed is not cached
            self._remembered[goal, how, budget, state.array] = CachedAnswer(answer, calls)

    def cached_answers(self) -> Iterator[tuple[Request, CachedAnswer]]:
        """Yield the cached requests (goal, how, budget, values of the state) with their answers."""
        yield from self._remembered.items()

    def forget(self) -> None:
        """Drop all cached answers; compiled goals are kept."""
        self._remembered.clear()

    def _plan(
        self,
        state: State,
        goal: str | Goal,
        limits: SearchLimits,
        handles: Mapping[str, Sequence[Value]],
        called: CallbackCache,
    ) -> Answer:
        known_handles = self.handles(state, handles, goal)
        known = self._same.get(goal) if known_handles is self._named else None
        wanted, prepared = known or self._prepare_goal(goal, state, known_handles)
        words, numbers = prepared.reader.read(state.array, known_handles)
        task = prepared.compiled_task
        calls = self.calls(prepared, state, known_handles, called)
        result = prepared.engine.search(words, numbers, limits, calls)
        return self.to_answer(result, task, state, wanted, known_handles)

    def begin(self, state: State, goal: str | Goal, limits: SearchLimits, called: CallbackCache) -> "PendingPlan":
        """Begin a resumable search; values of game functions are added to ``called``."""
        known_handles = self.handles(state, {}, goal)
        wanted, prepared = self._prepare_goal(goal, state, known_handles)
        words, numbers = prepared.reader.read(state.array, known_handles)
        task = prepared.compiled_task
        calls = self.calls(prepared, state, known_handles, called)
        search = ResumableSearch(prepared.engine, words, numbers, limits, calls)
        return PendingPlan(search, lambda result: self.to_answer(result, task, state, wanted, known_handles))

    def calls(
        self, prepared: PreparedGoal, state: State, handles: HandleTable, called: CallbackCache
    ) -> SearchCalls | None:
        """Return the game's side of a search; None if the task calls no function of the game."""
        if not prepared.compiled_task.game_calls:
            return None
        return SearchCalls(self.functions, prepared.calls, state, handles, called)

    def handles(self, state: State, more: Mapping[str, Sequence[Value]], goal: str | Goal | None = None) -> HandleTable:
        """Return the numbered handles of a request: one table for all requests in which nothing is unnamed."""
        if not more and (not self._has_handles or self._names_all(state, goal)):
            return self._named
        named: dict[str, tuple[Value, ...]] = dict(self.domain.handles)
        for kind, each in more.items():
            named[kind] = tuple(dict.fromkeys((*named.get(kind, ()), *each)))
        return collect_handles(state, named) if self._has_handles else HandleTable(named)

    def _names_all(self, state: State, goal: str | Goal | None) -> bool:
        """Whether the domain names all handles that its actions, a state and a goal mention: no number is new."""
        if self._mentions_unnamed:
            return False
        wants = goal.wants if isinstance(goal, Goal) else None
        if not isinstance(goal, str) and (wants is None or self._has_unnamed(wants.expression)):
            return False  # of no goal, nothing is known
        for slot, kind in self._handle_slots:
            value = state.array[slot]
            if value is not None and not self._named.knows(kind, value):
                return False
        return True

    def _has_unnamed(self, expression: Expression) -> bool:
        """Whether an expression mentions a handle that could be of a kind in which the domain does not name it."""
        mentioned = [each.value for each in walk(expression) if isinstance(each, Handle)]
        return any(not self._named.knows(kind, handle) for handle in mentioned for kind in self._kinds)

    def _prepare_goal(self, goal: str | Goal, state: State, handles: HandleTable) -> tuple[Goal, PreparedGoal]:
        wanted = self.domain.goal(goal) if isinstance(goal, str) else goal
        prepared = self.prepare(wanted, state, handles)
        if handles is self._named and not self.fixed_in(wanted):
            self._same[goal] = wanted, prepared
        return wanted, prepared

    def fixed_in(self, goal: Goal) -> frozenset[str]:
        """Return the variables of a goal that no action changes; if their values differ, the task differs."""
        return names_in(goal.wants.expression) & self._fixed if goal.wants is not None else frozenset()

    def prepare(self, goal: Goal, state: State, handles: HandleTable) -> PreparedGoal:
        """Return a goal compiled for the handles of a request; each goal and number of handles is compiled once."""
        if goal.wants is None:
            raise TelosError(f"goal {goal.name!r} has no condition", "give it `wants`, a condition to be met")
        counts = tuple(sorted(handles.counts().items()))
        fixed = {name: self._code(name, state, handles) for name in self.fixed_in(goal)}
        spoken_of = (each.value for each in walk(goal.wants.expression) if isinstance(each, Handle))
        numbers = tuple(handles.known_codes(handle) for handle in spoken_of)
        key = (goal.name, goal.wants, counts, numbers, tuple(sorted(fixed.items())))
        found = self._prepared.get(key)
        if found is None:
            layout = self.domain.layout
            if counts not in self._steps:
                self._steps[counts] = [
                    analyse_operator(each, layout, handles) for each in ground_actions(self.actions, dict(counts))
                ]
            compiled = compile_task(goal.wants, self._steps[counts], layout, handles, fixed)
            reader = StateReader(layout, compiled.encoding)
            found = PreparedGoal(compiled, SearchEngine(compiled), reader, DecodedCalls(compiled))
            self._prepared[key] = found
        return found

    def split(self, goal: Goal, state: State, handles: HandleTable) -> tuple[Goal, ...]:
        """Return goals that together are this one and can be planned for one by one, in any order.

        They have nothing to do with each other: no action changes what one of them depends on and what another one
        does. So plans for them, one after the other, are a plan, and no plan costs less if none of theirs do.
        """
        prepared = self.prepare(goal, state, handles)
        found = self._splits.get(id(prepared))
        if found is None:
            found = self._splits[id(prepared)] = tuple(self._independent(goal, state, handles, prepared))
        return found

    def join(self, goal: Goal, answers: Sequence[Answer], start: StartState) -> Answer:
        """Return one answer to a goal that was split: all plans one after the other, or the first failure."""
        failed = next((each for each in answers if not each.found), None)
        if failed is not None:
            return failed
        steps = tuple(chain.from_iterable(each.steps for each in answers))
        cost, expanded = sum(each.cost for each in answers), sum(each.expanded for each in answers)
        return Plan(steps, cost, goal.name, expanded, partial(self._explain, start, goal, ""))

    def _independent(self, goal: Goal, state: State, handles: HandleTable, prepared: PreparedGoal) -> Iterator[Goal]:
        conditions = () if goal.wants is None else goal.wants.parts
        if len(conditions) < 2 or prepared.compiled_task.game_calls:
            yield goal
            return
        groups: list[tuple[list[int], set[str]]] = []  # numbers of conditions, and what they depend on
        for number, condition in enumerate(conditions):
            encoding = self.prepare(replace(goal, wants=condition), state, handles).compiled_task.encoding
            groups.append(([number], {*encoding.fields, *encoding.numbers}))
        for step in self._steps[tuple(sorted(handles.counts().items()))]:
            changed = {*step.effects.sets, *step.effects.adds, *step.effects.computed}
            together = [group for group in groups if not changed.isdisjoint(group[1])]
            if len(together) > 1:
                groups = [group for group in groups if group not in together]
                numbers = [number for members, _ in together for number in members]
                groups.append((numbers, set().union(*(names for _, names in together))))
        if len(groups) == 1:
            yield goal
            return
        for members in sorted(sorted(numbers) for numbers, _ in groups):
            yield replace(goal, wants=Condition.of([conditions[number] for number in members]))

    def _code(self, name: str, state: State, handles: HandleTable) -> int:
        variable = self.domain.layout.variable(name)
        value = variable.checked(state[name])
        if variable.type.kind is ValueKind.HANDLE:
            return handles.encode(variable.type.handle, value)
        return int(value) if variable.type.kind is ValueKind.BOOL else variable.type.labels.index(value)

    def _call_again(self, known: CachedAnswer) -> CallbackCache | None:
        """Call the game functions of a cached answer again; return the new values, or None if none has changed."""
        called: CallbackCache = {}
        self.functions.ask(((name, arguments) for name, arguments, _ in known.called), called)
        return None if all(called[name, arguments] == value for name, arguments, value in known.called) else called

    def to_answer(
        self, result: SearchResult, compiled: CompiledTask, start: StartState, goal: Goal, handles: HandleTable
    ) -> Answer:
        if compiled.actions is not None:
            steps = tuple(map(compiled.actions.__getitem__, result.steps))
        else:
            steps = tuple(self._bound(compiled.operators[number], handles) for number in result.steps)
        note = "" if result.dropped is None else describe_dropped(result.dropped, compiled)
        if result.status == kernel.FOUND:
            return Plan(steps, result.cost, goal.name, result.expanded, partial(self._explain, start, goal, note))
        if result.status == kernel.UNDEFINED:
            where = (
                "the goal"
                if result.faulty_operator < 0
                else repr(compiled.operators[result.faulty_operator].action.name)
            )
            raise TelosError(f"{where}: a cost is negative, or something is divided by zero")
        stop = _STOPS.get(result.status, Stop.BUDGET_SPENT)
        return NoPlan(goal.name, stop, result.expanded, steps, partial(self._diagnose, start, goal, handles, note))

    def _bound(self, operator: Operator, handles: HandleTable) -> Action:
        """Return an action with its parameters bound: the same object each time, so that it is compiled only once."""
        if not operator.arguments:
            return operator.action
        arguments = {name: handles.decode(kind, code) for name, kind, code in operator.arguments}
        key = (operator.action.name, tuple(arguments.values()))
        bound = self._bound_actions.get(key)
        if bound is None:
            if len(self._bound_actions) >= MAX_REMEMBERED:
                self._bound_actions.clear()
            bound = self._bound_actions[key] = operator.action.bind(arguments)
        return bound

    def _explain(self, start: StartState, goal: Goal, note: str, plan: Plan) -> str:
        return explain_plan(start, goal, plan, note=note, wording=self.domain.wording)

    def _diagnose(self, start: StartState, goal: Goal, handles: HandleTable, note: str, answer: NoPlan) -> Diagnosis:
        def solve(domain: Domain, start: Mapping[str, Value], name: str, budget: int) -> Answer:
            return Planner(domain).plan(start, name, budget=budget)

        actions = [self._bound(each, handles) for each in ground_actions(self.actions, handles.counts())]
        state = start if isinstance(start, State) else start()
        found = diagnose(solve, self.domain, actions, state, goal, handles, answer)
        return replace(found, said=f"{found.said}\n{note}") if note else found


def make_limits(how: str, budget: int, microseconds: float | None) -> SearchLimits:
    """Return the limits of a search, checked; the microseconds count from now."""
    if how == "optimal" and budget == DEFAULT_BUDGET and microseconds is None:
        return _DEFAULT_LIMITS
    if how not in WEIGHTS:
        raise TelosError(f"cannot plan {how!r}", name_hint(how, WEIGHTS))
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise TelosError(f"budget must be a whole number of nodes, at least 1, got {budget!r}")
    if budget > MAX_BUDGET:
        raise TelosError(f"budget must be at most {MAX_BUDGET} nodes, got {budget!r}")
    if microseconds is None:
        return SearchLimits(WEIGHTS[how], budget)
    if not check_finite("microseconds", microseconds) > 0:
        raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
    return SearchLimits(WEIGHTS[how], budget, time.perf_counter() + microseconds / 1e6)


_STOPS = {kernel.UNREACHABLE: Stop.UNREACHABLE, kernel.WORKSPACE_FULL: Stop.MEMORY_SPENT}
_DEFAULT_LIMITS = SearchLimits(WEIGHTS["optimal"], DEFAULT_BUDGET)
