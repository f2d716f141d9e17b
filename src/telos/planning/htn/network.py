"""Tasks, methods and task networks, checked against a domain.

A *task* is something to get done, with its arguments. A primitive task is an action of the domain. A compound task is
refined by *methods*, each of which says when it applies and which tasks, in which order, do it. Start with
``TaskNetwork``.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition, ConditionLike
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.expressions import (
    Bound,
    Expression,
    Literal,
    Name,
    Not,
    Scope,
    Slots,
    bind,
    check_expression,
    names_in,
    parse_expression,
    substitute,
    to_text,
)
from telos.core.state import Layout, State
from telos.core.values import (
    BOOL,
    KEYWORDS,
    MAX_FLOAT,
    NONE,
    NUMBER,
    VARIABLE_NAME,
    FrozenMap,
    Type,
    TypeLike,
    Value,
    ValueKind,
    Variable,
    check_name,
)

MAX_NUMBER = 2**53  # a branch that makes a number larger is dropped, as in the planner of actions

# --- tasks and methods ---

_TASK = re.compile(r"\s*([A-Za-z][\w.-]*)(?:\s*\(([^()]*)\))?\s*\Z", re.ASCII)
_CUT_TASK = re.compile(r"[^()]*\([^()]*\w\Z")
_ARGUMENT = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)*\Z", re.ASCII)  # a dot joins a smart object and its variable


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its arguments: names in a method, handles in a plan.

    >>> Task.of("throw(grenade, enemy)")
    Task(name='throw', arguments=('grenade', 'enemy'))
    >>> print(Task("throw", ("grenade", "enemy")))
    throw(grenade, enemy)
    """

    name: str
    arguments: tuple[Value, ...] = ()

    @classmethod
    def of(cls, written: "TaskLike") -> "Task":
        """Parse a task: ``reload`` or ``goto(place)``."""
        if isinstance(written, Task):
            return written
        found = _TASK.match(written) if isinstance(written, str) else None
        arguments = [each.strip() for each in (found[2] or "").split(",")] if found else []
        if not found or (arguments != [""] and not all(map(_ARGUMENT.match, arguments))):
            remedy = "write `reload` or `goto(place)`"
            if isinstance(written, str) and _CUT_TASK.match(written):  # YAML has cut it at a comma
                remedy = f"close the bracket; between {{ and }}, put quotes around it: '{written}, …)'"
            raise DefinitionError([Fault(f"{written!r} is not a task", suggestion=remedy, code=FaultCode.BAD_SYNTAX)])
        return cls(found[1], () if arguments == [""] else tuple(arguments))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})" if self.arguments else self.name


TaskLike: TypeAlias = Task | str
# A subtask: its index in the list, its name, or its full text if several have that name.
SubtaskRef: TypeAlias = int | str


@dataclass(frozen=True, slots=True, init=False)
class Method:
    """One way to do a compound task.

    ``parameters`` belong to the task and get their handles from it. ``choose`` are the method's own: the planner tries
    all handles of these kinds that it knows, those with the lowest ``prefer`` (a number) first. ``order`` is
    ``"sequence"``, ``"any"`` (the steps of the subtasks may be interleaved), or a list of what comes before what:
    ``["suppress before attack"]``, or pairs of indices.

    >>> flank = Method("assault", "flank", parameters={"foe": "actor"}, choose={"path": "node"},
    ...                condition="not pinned", subtasks=["suppress(foe)", "goto(path)", "attack(foe)"],
    ...                order=["suppress before attack", "goto before attack"])
    >>> flank.pairs
    ((0, 2), (1, 2))
    """

    task: str
    name: str
    parameters: FrozenMap[str, Type]
    choose: FrozenMap[str, Type]
    condition: Condition
    subtasks: tuple[Task, ...]
    order: str | tuple[tuple[SubtaskRef, SubtaskRef], ...]
    prefer: Expression | None

    def __init__(
        self,
        task: str,
        name: str,
        *,
        condition: ConditionLike = None,
        subtasks: TaskLike | Iterable[TaskLike] = (),
        order: "OrderLike" = "sequence",
        parameters: Mapping[str, TypeLike] | None = None,
        choose: Mapping[str, TypeLike] | None = None,
        prefer: Expression | str | None = None,
    ) -> None:
        each = [subtasks] if isinstance(subtasks, Task | str) else subtasks
        put = object.__setattr__
        put(self, "task", check_name("task", task))
        put(self, "name", check_name("method", name))
        put(self, "parameters", FrozenMap({name: Type.of(of) for name, of in (parameters or {}).items()}))
        put(self, "choose", FrozenMap({name: Type.of(of) for name, of in (choose or {}).items()}))
        put(self, "condition", Condition.of(condition))
        put(self, "subtasks", tuple(Task.of(subtask) for subtask in each))
        put(self, "order", parse_order(order))
        put(self, "prefer", parse_expression(prefer) if isinstance(prefer, str) else prefer)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of indices of subtasks of which the first comes before the second."""
        if self.order == "any":
            return ()
        if isinstance(self.order, str):
            return tuple((place, place + 1) for place in range(len(self.subtasks) - 1))
        return tuple((self.place(before), self.place(after)) for before, after in self.order)

    def place(self, which: SubtaskRef) -> int:
        """Return the index of a subtask."""
        written = [str(subtask) for subtask in self.subtasks]
        if isinstance(which, int) and 0 <= which < len(written):
            return which
        found = [i for i, subtask in enumerate(self.subtasks) if which in (written[i], subtask.name)]
        found = [i for i in found if written[i] == which] or found
        if not found:
            raise TelosError(
                f"unknown subtask {which!r}", name_hint(str(which), [subtask.name for subtask in self.subtasks])
            )
        if len(found) > 1:
            raise TelosError(f"subtask {which!r} stands at places {found}", "name the places")
        return found[0]

    @property
    def scope(self) -> dict[str, Type]:
        """Return all parameters of the method with their types."""
        return {**self.parameters, **self.choose}


OrderLike: TypeAlias = str | Iterable[str | tuple[SubtaskRef, SubtaskRef]]


def parse_order(written: OrderLike) -> str | tuple[tuple[SubtaskRef, SubtaskRef], ...]:
    """Parse the order of subtasks: ``sequence``, ``any``, or pairs."""
    if isinstance(written, str):
        if written not in ("sequence", "any"):
            raise TelosError(
                f"unknown order {written!r}", "write sequence, any, or a list such as ['goto before attack']"
            )
        return written
    if not isinstance(written, Iterable):
        raise TelosError(
            f"{written!r} is not an order", "write sequence, any, or a list such as ['goto before attack']"
        )
    return tuple(_parse_pair(each) for each in written)


def _parse_pair(written: str | tuple[SubtaskRef, SubtaskRef]) -> tuple[SubtaskRef, SubtaskRef]:
    halves = [half.strip() for half in written.split(" before ")] if isinstance(written, str) else written
    if not isinstance(halves, Sequence) or len(halves) != 2 or not all(isinstance(half, int | str) for half in halves):
        raise TelosError(f"{written!r} is not an order", "write `goto before attack`")
    return halves[0], halves[1]


# --- networks ---


@dataclass(frozen=True, slots=True, init=False)
class TaskNetwork:
    """All methods of a domain's compound tasks, checked against the domain on creation.

    >>> from telos.core.values import Variable
    >>> soldier = Domain(variables=[Variable("ammo", "int")], actions=[Action("reload", preconditions="ammo >= 1")])
    >>> TaskNetwork(soldier, [Method("fight", "empty", condition="amo == 0", subtasks=["relaod", "reload"])])
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: tasks › fight › methods › empty › condition: unknown variable 'amo'; \
did you mean 'ammo'?
    tasks › fight › methods › empty › subtasks › 0: unknown task 'relaod'; did you mean 'reload'?
    """

    domain: Domain
    methods: tuple[Method, ...]
    tasks: FrozenMap[str, tuple[Method, ...]] = field(compare=False)
    least: FrozenMap[str, float] = field(compare=False, repr=False)
    bound: dict[str, Any] = field(compare=False, repr=False)

    def __init__(self, domain: Domain, methods: Iterable[Method]) -> None:
        put = object.__setattr__
        put(self, "domain", domain)
        put(self, "methods", tuple(methods))
        faults = check_network(domain, self.methods)
        if faults:
            raise DefinitionError(faults)
        put(self, "tasks", FrozenMap(_by_task(self.methods)))
        put(self, "least", FrozenMap(compute_least_costs(_actions(domain), self.methods)))
        put(self, "bound", {})  # lifted actions and methods that searches have compiled, by name

    def parameters(self, name: str) -> Mapping[str, Type]:
        """Return the parameters of a task, compound or primitive."""
        if name in self.tasks:
            return self.tasks[name][0].parameters
        actions = _actions(self.domain)
        if name not in actions:
            raise TelosError(f"unknown task {name!r}", name_hint(name, {*self.tasks, *actions}))
        return actions[name].parameters


def _actions(domain: Domain) -> dict[str, Action]:
    return {action.name: action for action in domain.all_actions}


def _by_task(methods: Iterable[Method]) -> dict[str, tuple[Method, ...]]:
    found: dict[str, tuple[Method, ...]] = {}
    for method in methods:
        found[method.task] = (*found.get(method.task, ()), method)
    return found


def compute_least_costs(
    actions: Mapping[str, Action], methods: Iterable[Method], known: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return a lower bound of the cost of each task in any state; infinity if no refinement of it ends.

    Tasks without methods and action have the cost in ``known``, or none.
    """
    least = {name: each.cost.value if isinstance(each.cost, Literal) else 0.0 for name, each in actions.items()}
    least = {**{method.task: math.inf for method in methods}, **least, **(known or {})}
    settled = False
    while not settled:
        settled = True
        for method in methods:
            cost = sum(least.get(subtask.name, 0.0) for subtask in method.subtasks)
            if cost < least[method.task]:
                least[method.task], settled = cost, False
    return least


def check_network(domain: Domain, methods: Iterable[Method], unread: Iterable[str] = ()) -> list[Fault]:
    """Return all faults of ``methods``; tasks in ``unread`` exist, but nothing else is known about them."""
    return list(_NetworkChecker(domain, tuple(methods), frozenset(unread)).faults())


class _NetworkChecker:
    def __init__(self, domain: Domain, methods: tuple[Method, ...], unread: frozenset[str]) -> None:
        self.domain, self.methods, self.unread = domain, methods, unread
        self.actions = _actions(domain)
        self.by_task = _by_task(methods)
        self.known: dict[str, Mapping[str, Type]] = {name: each.parameters for name, each in self.actions.items()}
        self.known |= {name: each[0].parameters for name, each in self.by_task.items() if name not in unread}

    def faults(self) -> Iterator[Fault]:
        for task, methods in self.by_task.items():
            yield from (fault.at("tasks", task) for fault in self._task_faults(task, methods))
            for method in methods:
                where = ("tasks", task, "methods", method.name)
                yield from (fault.at(*where) for fault in self._method_faults(method))
        # Unknown and unread tasks cost nothing here, so that tasks that depend on them are not reported again.
        least = compute_least_costs(self.actions, self.methods, dict.fromkeys(self.unread, 0.0))
        for task in (task for task in self.by_task if math.isinf(least[task])):
            message = f"task {task!r} can never be finished: each of its methods is circular"
            yield Fault(message, suggestion="give it a method that ends", path=("tasks", task), code=FaultCode.CIRCULAR)

    def _task_faults(self, task: str, methods: tuple[Method, ...]) -> Iterator[Fault]:
        if task in self.actions:
            yield Fault(
                f"{task!r} is an action, and actions have no methods",
                suggestion="rename one of them",
                code=FaultCode.DUPLICATE,
            )
        names = [method.name for method in methods]
        for i, method in enumerate(methods):
            if method.name in names[:i]:
                yield Fault(
                    f"{task!r} has two methods {method.name!r}",
                    suggestion="rename one of them",
                    code=FaultCode.DUPLICATE,
                )
            if list(method.parameters.items()) != list(methods[0].parameters.items()):
                message = f"methods {names[0]!r} and {method.name!r} of {task!r} have different parameters"
                yield Fault(
                    message,
                    suggestion="parameters belong to the task; use `choose` for a method's own",
                    code=FaultCode.WRONG_COUNT,
                )

    def _method_faults(self, method: Method) -> Iterator[Fault]:
        for section, declared in (("parameters", method.parameters), ("choose", method.choose)):
            for name, kind in declared.items():
                if not VARIABLE_NAME.match(name) or name in KEYWORDS:
                    yield Fault(
                        f"{name!r} cannot be a parameter; use letters, digits and _",
                        path=(section, name),
                        code=FaultCode.BAD_NAME,
                    )
                elif name in self.domain.layout.slots or (section == "choose" and name in method.parameters):
                    also = "variable" if name in self.domain.layout.slots else "parameter of the task"
                    yield Fault(
                        f"{name!r} is also a {also}",
                        suggestion="rename one of them",
                        path=(section, name),
                        code=FaultCode.DUPLICATE,
                    )
                if kind.kind is not ValueKind.HANDLE:
                    message = f"{name!r} is {kind}, and parameters are handles"
                    yield Fault(
                        message,
                        suggestion="name a kind of handle, such as node",
                        path=(section, name),
                        code=FaultCode.WRONG_TYPE,
                    )
        scope = Scope(self.domain.layout, method.scope)
        yield from (fault.at("condition") for fault in check_expression(method.condition.expression, scope, BOOL))
        if method.prefer is not None:
            yield from (fault.at("prefer") for fault in check_expression(method.prefer, scope, NUMBER))
            if not method.choose:
                message, remedy = "`prefer` orders the choices of a method, and there are none", "add `choose:`"
                yield Fault(message, suggestion=remedy, path=("prefer",), code=FaultCode.CONFLICT)
        for i, subtask in enumerate(method.subtasks):
            yield from (fault.at("subtasks", i) for fault in self._subtask_faults(subtask, scope))
        yield from _order_faults(method)

    def _subtask_faults(self, subtask: Task, scope: Scope) -> Iterator[Fault]:
        if subtask.name not in self.known:
            if subtask.name not in self.unread:
                yield Fault(
                    f"unknown task {subtask.name!r}",
                    suggestion=name_hint(subtask.name, self.known),
                    code=FaultCode.UNKNOWN_NAME,
                )
            return
        wanted = self.known[subtask.name]
        if len(wanted) != len(subtask.arguments):
            form = Task(subtask.name, tuple(wanted))
            count = f"{len(wanted)} argument{'s' * (len(wanted) != 1)}"
            yield Fault(
                f"{subtask.name!r} takes {count}, not {len(subtask.arguments)}",
                suggestion=f"write `{form}`",
                code=FaultCode.WRONG_COUNT,
            )
            return
        for argument, kind in zip(subtask.arguments, wanted.values(), strict=True):
            found = NONE if argument == "none" else scope.type_of(argument)
            if found is None:
                yield Fault(
                    f"unknown handle {argument!r}", suggestion=name_hint(argument, scope), code=FaultCode.UNKNOWN_NAME
                )
            elif not kind.takes(found):
                yield Fault(f"{argument!r} is {found}, where {subtask.name!r} wants {kind}", code=FaultCode.WRONG_TYPE)


def _order_faults(method: Method) -> Iterator[Fault]:
    if isinstance(method.order, str):
        return
    after: dict[int, set[int]] = {place: set() for place in range(len(method.subtasks))}
    for i, pair in enumerate(method.order):
        try:
            first, second = (method.place(which) for which in pair)
        except TelosError as error:
            yield Fault(error.message, suggestion=error.remedy, path=("order", i))
            continue
        after[first].add(second)
    while ends := [place for place, later in after.items() if not later]:
        after = {place: later.difference(ends) for place, later in after.items() if later}
    if after:
        circle = ", ".join(str(method.subtasks[place]) for place in after)
        yield Fault(
            f"the order is circular: {circle}",
            suggestion="drop one of the pairs",
            path=("order",),
            code=FaultCode.CIRCULAR,
        )


# --- lifted actions and methods ---

HandleTuple: TypeAlias = tuple[Value, ...]


def extend_layout(layout: Layout, parameters: Mapping[str, Type]) -> Layout:
    """Return the layout with a slot for each parameter after those of the variables.

    An expression over parameters is compiled once for this layout; handles are then put into their slots.
    """
    own = [Variable(name, kind) for name, kind in parameters.items()]
    frame = Layout([*layout.variables, *own], handles=layout.handles)
    frame.functions = layout.functions  # shared, not copied: the game may register more
    return frame


@dataclass(frozen=True, slots=True)
class UnmetParts:
    """The parts of a condition that do not hold: as conditions, and as a text with the values of variables."""

    missing: tuple[Condition, ...]
    text: str

    @classmethod
    def of(cls, condition: Condition, state: State, parameters: Iterable[str]) -> "UnmetParts":
        """Return the parts that do not hold; in the conditions, ``parameters`` are replaced by their handles."""
        given = {name: state[name] for name in parameters}
        missing, written = list[Condition](), list[str]()
        for part in condition.unmet(state):
            missing.append(Condition(substitute(part.expression, given)))
            used = [] if isinstance(part.expression, Name | Not) else sorted(names_in(part.expression) & set(state))
            values = ", ".join(f"{name} is {_format_value(state[name])}" for name in used)
            written.append(f"`{part}`{f' ({values})' if values else ''}")
        return cls(tuple(missing), " and ".join(written))


def _format_value(value: Value) -> str:
    return to_text(Literal(value)) if value is None or isinstance(value, bool | int | float) else str(value)


class LiftedAction:
    """An action compiled for any handles of its parameters."""

    def __init__(self, action: Action, layout: Layout) -> None:
        self.action = action
        self._frame = extend_layout(layout, action.parameters)
        self._steps: dict[HandleTuple, Action] = {}

    @cached_property
    def _effects(self) -> tuple[tuple[int, Bound], ...]:
        """The slot and the new value of each effect; the search drops numbers that overflow."""
        frame = self._frame
        return tuple(
            (frame.slot(each.variable), bind(each.value, frame, frame.variable(each.variable).type))
            for each in self.action.effects
        )

    def applies(self, array: Slots, handles: HandleTuple) -> bool:
        """Whether the preconditions hold."""
        return bool(bind(self.action.preconditions.expression, self._frame, BOOL)(array + handles))

    def unmet(self, array: Slots, handles: HandleTuple) -> UnmetParts:
        """Return the parts of the preconditions that do not hold."""
        return UnmetParts.of(self.action.preconditions, State(self._frame, array + handles), self.action.parameters)

    def cost(self, array: Slots, handles: HandleTuple) -> float:
        """Return the cost of the action in a state; infinity if it overflows."""
        cost = bind(self.action.cost, self._frame, NUMBER)(array + handles)
        if not cost <= MAX_FLOAT:
            return math.inf
        if cost < 0:
            raise TelosError(f"action {self.action.name!r} costs {cost}", "a cost is a finite number, zero or more")
        return float(cost)

    def result(self, array: Slots, handles: HandleTuple) -> Slots:
        """Return the state after the action."""
        before, after = array + handles, list(array)
        for slot, value_of in self._effects:
            after[slot] = value_of(before)
        return tuple(after)

    def overflowing(self, after: Slots) -> str | None:
        """Return the number that the action has made too large to plan with, as text; None if there is none."""
        for slot, _ in self._effects:
            variable, value = self._frame.variables[slot], after[slot]
            if variable.type.is_numeric and not -MAX_NUMBER <= value <= MAX_NUMBER:
                is_shown = -MAX_FLOAT <= value <= MAX_FLOAT
                return (
                    f"{value:.6g} of {variable.name!r} exceeded 2**53" if is_shown else f"{variable.name!r} overflowed"
                )
        return None

    def step(self, handles: HandleTuple) -> Action:
        """Return the action with ``handles`` for its parameters: the same object every time."""
        if not handles:
            return self.action
        if handles not in self._steps:
            self._steps[handles] = self.action.bind(dict(zip(self.action.parameters, handles, strict=True)))
        return self._steps[handles]


class LiftedMethod:
    """A method compiled for any handles of its parameters and choices."""

    def __init__(self, method: Method, layout: Layout, kinds: Mapping[str, Mapping[str, Type]]) -> None:
        self.method = method
        self._frame = extend_layout(layout, method.scope)
        self._subtasks = [
            (subtask.name, [(_to_expression(each), kind) for each, kind in zip(subtask.arguments, wanted, strict=True)])
            for subtask, wanted in ((each, kinds[each.name].values()) for each in method.subtasks)
        ]
        self.after = _predecessors(method)

    def applies(self, array: Slots, handles: HandleTuple) -> bool:
        """Whether the condition holds."""
        return bool(bind(self.method.condition.expression, self._frame, BOOL)(array + handles))

    def rate(self, array: Slots, handles: HandleTuple) -> float:
        """Return how late these handles are tried: by the preference of the method; infinity if it overflows."""
        assert self.method.prefer is not None
        rating = bind(self.method.prefer, self._frame, NUMBER)(array + handles)
        return float(rating) if -MAX_FLOAT <= rating <= MAX_FLOAT else math.inf

    def unmet(self, array: Slots, handles: HandleTuple) -> UnmetParts:
        """Return the parts of the condition that do not hold."""
        return UnmetParts.of(self.method.condition, State(self._frame, array + handles), self.method.scope)

    def subtasks(self, array: Slots, handles: HandleTuple) -> tuple[Task, ...]:
        """Return the subtasks with handles as arguments: a variable is replaced by its value in the state."""
        given = array + handles
        return tuple(
            Task(name, tuple(bind(each, self._frame, kind)(given) for each, kind in arguments))
            for name, arguments in self._subtasks
        )


def _to_expression(argument: str) -> Expression:
    return Literal(None) if argument == "none" else Name(argument)


def _predecessors(method: Method) -> tuple[int, ...]:
    """Return for each subtask a bit set of the indices of those that come right before it."""
    before = [0] * len(method.subtasks)
    for first, second in method.pairs:
        before[second] |= 1 << first
    return tuple(before)
