"""A planner for one domain: it puts goals together into tasks when they are first asked for, and remembers answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from telos.core.action import Action
from telos.core.binding import BUILT_IN
from telos.core.domain import Domain
from telos.core.errors import TelosError, nearest
from telos.core.expressions import names
from telos.core.goal import Goal
from telos.core.numbers import finite
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import Kind, Value
from telos.planning import kernel
from telos.planning.assembly import Assembled, assemble
from telos.planning.conditions import Step, step_of, value_of
from telos.planning.diagnosis import diagnose
from telos.planning.encoding import Handles
from telos.planning.engine import Ended, Engine, Limits
from telos.planning.explaining import explain_plan
from telos.planning.grounding import Operator, ground
from telos.planning.programs import Question
from telos.planning.reading import StateReader, as_state, handles_of

WEIGHTS = {"optimal": 1.0, "fast": 5.0}  # how much the estimate counts; above 1 a plan may be dearer by that factor
BUDGET = 200_000
MOST_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """A goal, put together for a number of handles: everything that planning for it again can use again."""

    assembled: Assembled
    engine: Engine
    reader: StateReader


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer, and what the game said when it was found."""

    answer: Answer
    said: tuple[tuple[str, tuple[Value, ...], float], ...]


class Planner:
    """Plans for the characters that share a domain and a set of actions."""

    def __init__(self, domain: Domain, actions: Iterable[Action] | None = None) -> None:
        self.domain = domain
        self.actions = domain.all_actions if actions is None else tuple(actions)
        self._steps: dict[tuple[tuple[str, int], ...], list[Step]] = {}
        self._prepared: dict[Any, Prepared] = {}
        self._remembered: dict[Any, Remembered] = {}
        changed = {effect.variable for action in self.actions for effect in action.effects}
        self._fixed = {v.name for v in domain.layout.variables if v.name not in changed and not v.type.is_numeric}
        self._has_handles = any(v.type.kind is Kind.HANDLE for v in domain.layout.variables)

    def plan(
        self,
        state: Mapping[str, Value],
        goal: str | Goal,
        *,
        how: str = "optimal",
        budget: int = BUDGET,
        microseconds: float | None = None,
        handles: Mapping[str, Sequence[Value]] | None = None,
    ) -> Answer:
        """Return the cheapest plan from ``state`` to ``goal``, or say why there is none; see ``telos.plan``."""
        key = None
        if microseconds is None and not handles:
            try:
                values = state.array if isinstance(state, State) else (*state, *state.values())
                key = (goal, how, budget, values)
                known = self._remembered.get(key)
            except TypeError:
                known = None  # something in it cannot be hashed, which reading the state will complain about
            if known is not None and (not known.said or self._still_said(known)):
                return known.answer
        return self._plan(state, goal, how, budget, microseconds, handles or {}, key)

    def _plan(
        self,
        state: Mapping[str, Value],
        goal: str | Goal,
        how: str,
        budget: int,
        microseconds: float | None,
        handles: Mapping[str, Sequence[Value]],
        key: Any,
    ) -> Answer:
        wanted = self.domain.goal(goal) if isinstance(goal, str) else goal
        weight = _checked(how, budget, microseconds)
        in_play = self.handles(state, handles)
        prepared = self.prepared(wanted, state, in_play)
        words, numbers = prepared.reader.read(state, in_play)
        said: dict[tuple[str, tuple[Value, ...]], float] = {}
        answer = partial(self._answer, prepared.assembled, state, in_play, said)
        ended = prepared.engine.search(words, numbers, Limits(weight, budget, microseconds), answer)
        result = self._result(ended, prepared.assembled, state, wanted, in_play)
        if key is not None:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = Remembered(result, tuple((*asked, value) for asked, value in said.items()))
        return result

    def handles(self, state: Mapping[str, Value], more: Mapping[str, Sequence[Value]]) -> Handles:
        """Return the handles in play for a request."""
        named: dict[str, tuple[Value, ...]] = dict(self.domain.handles)
        for kind, each in more.items():
            named[kind] = tuple(dict.fromkeys((*named.get(kind, ()), *each)))
        return handles_of(state, self.domain.layout, named) if self._has_handles else Handles(named)

    def prepared(self, goal: Goal, state: Mapping[str, Value], handles: Handles) -> Prepared:
        """Return what planning for a goal needs, put together once for each goal and number of handles."""
        if goal.wants is None:
            raise TelosError(f"goal {goal.name!r} does not say what it wants; give it `wants`, a condition to be met")
        counts = tuple(sorted(handles.counts().items()))
        fixed = {name: self._code(name, state, handles) for name in names(goal.wants.expression) & self._fixed}
        key = (goal.name, goal.wants, counts, tuple(sorted(fixed.items())))
        found = self._prepared.get(key)
        if found is None:
            layout = self.domain.layout
            if counts not in self._steps:
                self._steps[counts] = [step_of(each, layout, handles) for each in ground(self.actions, dict(counts))]
            assembled = assemble(goal.wants, self._steps[counts], layout, handles, fixed)
            found = Prepared(assembled, Engine(assembled), StateReader(layout, assembled.encoding))
            self._prepared[key] = found
        return found

    def _code(self, name: str, state: Mapping[str, Value], handles: Handles) -> int:
        variable = self.domain.layout.variable(name)
        value = variable.checked(state.get(name, variable.start))
        if variable.type.kind is Kind.HANDLE:
            return handles.code(variable.type.handle, value)
        return int(value) if variable.type.kind is Kind.BOOL else variable.type.labels.index(value)

    def _answer(
        self,
        assembled: Assembled,
        state: Mapping[str, Value],
        handles: Handles,
        said: dict[tuple[str, tuple[Value, ...]], float],
        index: int,
    ) -> float:
        """Ask the game, at most once a plan for the same arguments."""
        question, codes = _question(assembled, index)
        arguments = []
        for asked in question.arguments:
            if asked.variable in codes:
                kind = self.domain.layout.variable(asked.variable).type
                arguments.append(value_of(kind, codes[asked.variable], handles))
            elif asked.variable:
                arguments.append(state.get(asked.variable, self.domain.layout.variable(asked.variable).start))
            else:
                arguments.append(handles.handle(asked.kind, asked.code) if asked.kind else asked.value)
        key = (question.function, tuple(arguments))
        if key not in said:
            said[key] = self._call(*key)
        return said[key]

    def _call(self, name: str, arguments: tuple[Value, ...]) -> float:
        functions = self.domain.layout.functions
        if name not in functions:
            known = nearest(name, [*functions, *BUILT_IN])
            raise TelosError(f"function {name!r} is not registered; pass functions={{{name!r}: ...}} ({known})")
        users = ", ".join(repr(each) for each in self.domain.users_of(name))
        said = f"{name}({', '.join(map(repr, arguments))})"
        try:
            value = functions[name](*arguments)
        except Exception as error:
            raise TelosError(f"{users}: {said} raised {type(error).__name__}: {error}") from error
        return float(value) if isinstance(value, bool) else finite(f"{users}: {said}", value)

    def _still_said(self, known: Remembered) -> bool:
        """Whether the game still gives the answers that a remembered plan rests on."""
        return all(self._call(name, arguments) == value for name, arguments, value in known.said)

    def _result(
        self, ended: Ended, assembled: Assembled, state: Mapping[str, Value], goal: Goal, handles: Handles
    ) -> Answer:
        steps = tuple([_bound(assembled.operators[number], handles) for number in ended.steps])
        if ended.status == kernel.FOUND:
            return Plan(steps, ended.cost, goal.name, ended.expanded, partial(explain_plan, self.domain, state, goal))
        if ended.status == kernel.UNDEFINED:
            where = "the goal" if ended.faulty < 0 else repr(assembled.operators[ended.faulty].action.name)
            raise TelosError(f"{where}: a cost is negative, a number is too large, or something is divided by zero")
        stop = Stop.UNREACHABLE if ended.status == kernel.UNREACHABLE else Stop.BUDGET_SPENT
        return NoPlan(goal.name, stop, ended.expanded, steps, partial(self._diagnose, dict(state), goal, handles))

    def _diagnose(self, state: dict[str, Value], goal: Goal, handles: Handles, answer: NoPlan) -> Diagnosis:
        def solve(domain: Domain, start: Mapping[str, Value], name: str, budget: int) -> Answer:
            return Planner(domain).plan(start, name, budget=budget)

        actions = [_bound(each, handles) for each in ground(self.actions, handles.counts())]
        now = as_state(state, self.domain.layout)
        return diagnose(solve, self.domain, actions, now, goal, handles, answer)


def _bound(operator: Operator, handles: Handles) -> Action:
    if not operator.arguments:
        return operator.action
    return operator.action.bind({name: handles.handle(kind, code) for name, kind, code in operator.arguments})


def _checked(how: str, budget: int, microseconds: float | None) -> float:
    if how not in WEIGHTS:
        raise TelosError(f"cannot plan {how!r}; {nearest(how, WEIGHTS)}")
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise TelosError(f"budget must be a whole number of nodes, at least 1, got {budget!r}")
    if microseconds is not None and not (finite("microseconds", microseconds) > 0):
        raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
    return WEIGHTS[how]


def _question(assembled: Assembled, index: int) -> tuple[Question, dict[str, int]]:
    """Return the question that an answer's place belongs to, and the codes of the variables that it asks about."""
    table = max(t for t, start in enumerate(assembled.task.table_from) if start <= index)
    question = assembled.questions[table]
    rest, codes = index - assembled.task.table_from[table], dict[str, int]()
    for name in reversed(question.variables):
        rest, codes[name] = divmod(rest, assembled.encoding.sizes[name])
    return question, codes
