"""Plan(), Planner, caches, warm_up()."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from telos.core.action import Action
from telos.core.binding import BUILT_IN
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Handle, names_in, walk
from telos.core.goal import Goal
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import Value, ValueKind, check_finite
from telos.planning import kernel, search
from telos.planning.encoding import HandleTable, StateReader, as_state, collect_handles
from telos.planning.explain import StartState, diagnose, explain_plan
from telos.planning.operators import AnalysedOperator, Operator, analyse_operator, decode_value, ground_actions
from telos.planning.search import ResumableSearch, SearchEngine, SearchLimits, SearchResult
from telos.planning.task import CompiledTask, GameCall, compile_task

# --- planner ----------------------------------------------------------------------------------------------------------
# A planner for one domain: it puts goals together into tasks when they are first asked for, and remembers answers.


WEIGHTS = {"optimal": 1.0, "fast": 5.0}  # how much the estimate counts; above 1 a plan may be dearer by that factor
DEFAULT_BUDGET = 200_000
MAX_REMEMBERED = 20_000

CallbackCache: TypeAlias = dict[
    tuple[str, tuple[Value, ...]], float
]  # what the game answered, by function and arguments


@dataclass(frozen=True, slots=True)
class PreparedGoal:
    """A goal, put together for a number of handles: everything that planning for it again can use again."""

    assembled: CompiledTask
    engine: SearchEngine
    reader: StateReader


Request: TypeAlias = tuple[str | Goal, str, int, tuple[Value, ...]]  # goal, how, budget, values of the state


class CachedAnswer(NamedTuple):
    """An answer, and what the game said when it was found."""

    answer: Answer
    said: tuple[tuple[str, tuple[Value, ...], float], ...]


@dataclass(frozen=True, slots=True)
class PendingPlan:
    """A search that is under way, and how to turn its end into an answer."""

    search: ResumableSearch
    answer: Callable[[SearchResult], Answer]

    def go_on(self, expansions: int) -> Answer | None:
        """Expand at most so many nodes more; return the answer, or None if the search goes on."""
        ended = self.search.go_on(expansions)
        if ended is None:
            return None
        SearchEngine.count(ended)
        return self.answer(ended)


class Planner:
    """Plans for the characters that share a domain and a set of actions."""

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
        self._order = tuple(domain.layout.slots)
        self._bound_actions: dict[tuple[str, tuple[Value, ...]], Action] = {}
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
        """Return the cheapest plan from ``state`` to ``goal``, or say why there is none; see ``telos.plan``."""
        now = as_state(state, self.domain.layout, self._order)
        if microseconds is not None or handles:
            return self._plan(now, goal, make_limits(how, budget, microseconds), handles or {}, {})
        answer, said = self.recall(now, goal, how, budget)
        if answer is None:
            answer = self._plan(now, goal, make_limits(how, budget, None), {}, said)
            self.remember(now, goal, how, budget, answer, said)
        return answer

    def recall(self, state: State, goal: str | Goal, how: str, budget: int) -> tuple[Answer | None, CallbackCache]:
        """Return the answer to the same request, if there was one and the game still says what it said then.

        If the game says something else now, there is no answer, but what it says comes along: nothing is asked twice.
        """
        try:
            known = self._remembered.get((goal, how, budget, state.array))
        except TypeError:
            return None, {}  # something in it cannot be hashed, and reading it will say what
        if known is None:
            return None, {}
        said = self._asked_again(known) if known.said else None
        return (known.answer, {}) if said is None else (None, said)

    def remember(
        self, state: State, goal: str | Goal, how: str, budget: int, answer: Answer, said: CallbackCache
    ) -> None:
        """Keep an answer for the next request like it; ``said`` is what the game was asked on the way, and answered."""
        if len(self._remembered) >= MAX_REMEMBERED:
            self._remembered.clear()
        asked = tuple((*each, value) for each, value in said.items()) if said else ()
        with suppress(TypeError):  # a request that cannot be hashed is not remembered
            self._remembered[goal, how, budget, state.array] = CachedAnswer(answer, asked)

    def memories(self) -> Iterator[tuple[Request, CachedAnswer]]:
        """Yield what is remembered: requests (goal, how, budget, values of the state), and what was answered."""
        yield from self._remembered.items()

    def forget(self) -> None:
        """Forget all answers; what was put together to find them is kept."""
        self._remembered.clear()

    def _plan(
        self,
        state: State,
        goal: str | Goal,
        limits: SearchLimits,
        handles: Mapping[str, Sequence[Value]],
        said: CallbackCache,
    ) -> Answer:
        in_play = self.handles(state, handles)
        known = self._same.get(goal) if in_play is self._named else None
        wanted, prepared = known or self._prepare(goal, state, in_play)
        words, numbers = prepared.reader.read(state.array, in_play)
        asks = prepared.assembled.questions
        answer = partial(self._answer, prepared.assembled, state, in_play, said) if asks else float  # never called
        ended = prepared.engine.search(words, numbers, limits, answer)
        return self.result(ended, prepared.assembled, state, wanted, in_play)

    def begin(self, state: State, goal: str | Goal, limits: SearchLimits, said: CallbackCache) -> "PendingPlan":
        """Begin a search that can be left and gone on with; what the game answers on the way is added to ``said``."""
        in_play = self.handles(state, {})
        wanted, prepared = self._prepare(goal, state, in_play)
        words, numbers = prepared.reader.read(state.array, in_play)
        answer = partial(self._answer, prepared.assembled, state, in_play, said)
        search = ResumableSearch(prepared.engine.ready, words, numbers, limits, answer)
        return PendingPlan(search, lambda ended: self.result(ended, prepared.assembled, state, wanted, in_play))

    def handles(self, state: State, more: Mapping[str, Sequence[Value]]) -> HandleTable:
        """Return the handles in play for a request."""
        if not self._has_handles and not more:
            return self._named
        named: dict[str, tuple[Value, ...]] = dict(self.domain.handles)
        for kind, each in more.items():
            named[kind] = tuple(dict.fromkeys((*named.get(kind, ()), *each)))
        return collect_handles(state, named) if self._has_handles else HandleTable(named)

    def _prepare(self, goal: str | Goal, state: State, handles: HandleTable) -> tuple[Goal, PreparedGoal]:
        wanted = self.domain.goal(goal) if isinstance(goal, str) else goal
        prepared = self.prepared(wanted, state, handles)
        if handles is self._named and not self.fixed_in(wanted):
            self._same[goal] = wanted, prepared
        return wanted, prepared

    def fixed_in(self, goal: Goal) -> frozenset[str]:
        """Return the variables of a goal that no action changes: where they differ, it is another task."""
        return names_in(goal.wants.expression) & self._fixed if goal.wants is not None else frozenset()

    def prepared(self, goal: Goal, state: State, handles: HandleTable) -> PreparedGoal:
        """Return what planning for a goal needs, put together once for each goal and number of handles."""
        if goal.wants is None:
            raise TelosError(f"goal {goal.name!r} does not say what it wants", "give it `wants`, a condition to be met")
        counts = tuple(sorted(handles.counts().items()))
        fixed = {name: self._code(name, state, handles) for name in self.fixed_in(goal)}
        spoken_of = (each.value for each in walk(goal.wants.expression) if isinstance(each, Handle))
        numbers = tuple(handles.codes_of(handle) for handle in spoken_of)
        key = (goal.name, goal.wants, counts, numbers, tuple(sorted(fixed.items())))
        found = self._prepared.get(key)
        if found is None:
            layout = self.domain.layout
            if counts not in self._steps:
                self._steps[counts] = [
                    analyse_operator(each, layout, handles) for each in ground_actions(self.actions, dict(counts))
                ]
            assembled = compile_task(goal.wants, self._steps[counts], layout, handles, fixed)
            found = PreparedGoal(assembled, SearchEngine(assembled), StateReader(layout, assembled.encoding))
            self._prepared[key] = found
        return found

    def _code(self, name: str, state: State, handles: HandleTable) -> int:
        variable = self.domain.layout.variable(name)
        value = variable.checked(state[name])
        if variable.type.kind is ValueKind.HANDLE:
            return handles.code(variable.type.handle, value)
        return int(value) if variable.type.kind is ValueKind.BOOL else variable.type.labels.index(value)

    def _answer(
        self,
        assembled: CompiledTask,
        state: State,
        handles: HandleTable,
        said: CallbackCache,
        index: int,
    ) -> float:
        """Ask the game, at most once a plan for the same arguments."""
        question, codes = _decode_call(assembled, index)
        arguments = []
        for asked in question.arguments:
            if asked.variable in codes:
                kind = self.domain.layout.variable(asked.variable).type
                arguments.append(decode_value(kind, codes[asked.variable], handles))
            elif asked.variable:
                arguments.append(state[asked.variable])
            else:
                arguments.append(handles.handle(asked.kind, asked.code) if asked.kind else asked.value)
        key = (question.function, tuple(arguments))
        if key not in said:
            said[key] = self._call(*key)
        return said[key]

    def _call(self, name: str, arguments: tuple[Value, ...]) -> float:
        functions = self.domain.layout.functions
        if name not in functions:
            known = name_hint(name, [*functions, *BUILT_IN])
            raise TelosError(f"function {name!r} is not registered", f"pass functions={{{name!r}: ...}} ({known})")
        try:
            value = functions[name](*arguments)
        except Exception as error:
            raise TelosError(f"{self._asking(name, arguments)} raised {type(error).__name__}: {error}") from error
        if isinstance(value, bool):
            return float(value)
        if value.__class__ is float and isfinite(value):
            return value  # the usual case, without the words for the other
        return check_finite(self._asking(name, arguments), value)

    def _asking(self, name: str, arguments: tuple[Value, ...]) -> str:
        users = ", ".join(repr(each) for each in self.domain.users_of(name))
        return f"{users}: {name}({', '.join(map(repr, arguments))})"

    def _asked_again(self, known: CachedAnswer) -> CallbackCache | None:
        """Ask the game again all that a remembered answer rests on; None if it says the same, else what it says now."""
        said = {(name, arguments): self._call(name, arguments) for name, arguments, _ in known.said}
        return None if all(said[name, arguments] == value for name, arguments, value in known.said) else said

    def result(
        self, ended: SearchResult, assembled: CompiledTask, start: StartState, goal: Goal, handles: HandleTable
    ) -> Answer:
        if assembled.actions is not None:
            steps = tuple(map(assembled.actions.__getitem__, ended.steps))
        else:
            steps = tuple(self._bound(assembled.operators[number], handles) for number in ended.steps)
        if ended.status == kernel.FOUND:
            return Plan(steps, ended.cost, goal.name, ended.expanded, partial(explain_plan, start, goal))
        if ended.status == kernel.UNDEFINED:
            where = "the goal" if ended.faulty < 0 else repr(assembled.operators[ended.faulty].action.name)
            raise TelosError(f"{where}: a cost is negative, a number is too large, or something is divided by zero")
        stop = Stop.UNREACHABLE if ended.status == kernel.UNREACHABLE else Stop.BUDGET_SPENT
        return NoPlan(goal.name, stop, ended.expanded, steps, partial(self._diagnose, start, goal, handles))

    def _bound(self, operator: Operator, handles: HandleTable) -> Action:
        """Return an action with its parameters bound; the same one each time, so that it is compiled only once."""
        if not operator.arguments:
            return operator.action
        arguments = {name: handles.handle(kind, code) for name, kind, code in operator.arguments}
        key = (operator.action.name, tuple(arguments.values()))
        bound = self._bound_actions.get(key)
        if bound is None:
            if len(self._bound_actions) >= MAX_REMEMBERED:
                self._bound_actions.clear()
            bound = self._bound_actions[key] = operator.action.bind(arguments)
        return bound

    def _diagnose(self, start: StartState, goal: Goal, handles: HandleTable, answer: NoPlan) -> Diagnosis:
        def solve(domain: Domain, start: Mapping[str, Value], name: str, budget: int) -> Answer:
            return Planner(domain).plan(start, name, budget=budget)

        actions = [self._bound(each, handles) for each in ground_actions(self.actions, handles.counts())]
        state = start if isinstance(start, State) else start()
        return diagnose(solve, self.domain, actions, state, goal, handles, answer)


def make_limits(how: str, budget: int, microseconds: float | None) -> SearchLimits:
    """Return a search's limits, checked; the microseconds count from now."""
    if how == "optimal" and budget == DEFAULT_BUDGET and microseconds is None:
        return _DEFAULT_LIMITS
    if how not in WEIGHTS:
        raise TelosError(f"cannot plan {how!r}", name_hint(how, WEIGHTS))
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise TelosError(f"budget must be a whole number of nodes, at least 1, got {budget!r}")
    if microseconds is None:
        return SearchLimits(WEIGHTS[how], budget)
    if not check_finite("microseconds", microseconds) > 0:
        raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
    return SearchLimits(WEIGHTS[how], budget, time.perf_counter() + microseconds / 1e6)


_DEFAULT_LIMITS = SearchLimits(WEIGHTS["optimal"], DEFAULT_BUDGET)


def _decode_call(assembled: CompiledTask, index: int) -> tuple[GameCall, dict[str, int]]:
    """Return the question that an answer's place belongs to, and the codes of the variables that it asks about."""
    table = max(t for t, start in enumerate(assembled.task.table_from) if start <= index)
    question = assembled.questions[table]
    rest, codes = index - assembled.task.table_from[table], dict[str, int]()
    for name in reversed(question.variables):
        rest, codes[name] = divmod(rest, assembled.encoding.sizes[name])
    return question, codes


# --- plan -------------------------------------------------------------------------------------------------------------
# Planning behind one function: the cheapest way to a goal, or to the first of several that can be reached.


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
    """Return the cheapest sequence of actions that makes a goal true, or say why there is none.

    ``state`` gives values of variables; those that it leaves out have their start values. ``goal`` is a goal or its
    name. Several goals, or the name of a goal set, or nothing (all goals), are tried in order of priority, those that
    are relevant now, until one needs and finds a plan; a goal that holds already leaves room for the next.
    ``actions`` names an action set, or lists actions; all of the domain's by default. ``handles`` adds things that the
    character knows of, by kind.

    ``how="fast"`` finds a plan sooner that may cost up to five times the cheapest. A search expands at most ``budget``
    nodes, and stops soon after ``microseconds`` if given; it then answers with the sequence that came closest.

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


def get_planner(domain: Domain, actions: str | Iterable[Action] | None) -> Planner:
    """Return the planner for a domain and a set of actions; it is kept, with all that it has worked out."""
    if actions is not None and not isinstance(actions, str):
        actions = tuple(actions)
    key = ("planner", actions)
    planner: Planner | None = domain.cache.get(key)
    if planner is None:
        planner = Planner(domain, domain.actions_of(actions) if isinstance(actions, str) else actions)
        domain.cache[key] = planner
    return planner


def order_goals(domain: Domain, state: Mapping[str, Value], goals: str | Sequence[str | Goal] | None) -> list[Goal]:
    """Return the goals to try: those that want something and are relevant now, by priority, equals as listed."""
    if goals is None:
        among: Sequence[Goal] = domain.goals
    elif isinstance(goals, str):
        among = domain.goals_of(goals)
    else:
        among = [domain.goal(each) if isinstance(each, str) else each for each in goals]
    now = as_state(state, domain.layout)
    if not any(goal.wants is not None for goal in among):
        raise TelosError("none of the goals says what it wants", "give at least one `wants`, a condition to be met")
    relevant = [goal for goal in among if goal.wants is not None and goal.relevant.holds(now)]
    return sorted(relevant, key=lambda goal: -goal.priority)


def _combine_failures(answers: Sequence[Answer]) -> NoPlan:
    """Return one answer for several goals of which none can be reached."""
    failed = [answer for answer in answers if isinstance(answer, NoPlan)]
    if not failed:
        nothing = Diagnosis((), "No goal is relevant now.")
        return NoPlan("any goal", Stop.UNREACHABLE, 0, (), lambda _: nothing)

    def diagnose(_: NoPlan) -> Diagnosis:
        missing = tuple(condition for each in failed for condition in each.missing)
        return Diagnosis(missing, "\n".join(each.why() for each in failed))

    first = failed[0]
    return NoPlan(first.goal, first.stop, sum(each.expanded for each in failed), first.partial, diagnose)


# --- warming ----------------------------------------------------------------------------------------------------------
# Getting ready before the game starts, so that no frame waits for a compiler.


def warm_up() -> bool:
    """Load the compiled planner now, and say whether there is one; without Numba, planning stays Python.

    The first time on a machine this takes a while; after that the compiled code comes from a cache on disk.
    """
    if not search.is_installed():
        return False
    search.load_compiled()
    return True
