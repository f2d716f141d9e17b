"""Task networks: all the ways to do a domain's tasks, checked against the domain."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from telos.core.action import Action
from telos.core.binding import Scope, check
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.frozen import FrozenMap
from telos.core.values import BOOL, KEYWORDS, NONE, VARIABLE_NAME, Kind, Type
from telos.planning.tasks import Method, Task


@dataclass(frozen=True, slots=True, init=False)
class TaskNetwork:
    """All methods that a domain's tasks can be done by, checked against the domain when made.

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
        faults = network_faults(domain, self.methods)
        if faults:
            raise DefinitionError(faults)
        put(self, "tasks", FrozenMap(_by_task(self.methods)))
        put(self, "least", FrozenMap(least_costs(_actions(domain), self.methods)))
        put(self, "bound", {})  # what searches have compiled, by the name of the action or method

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


def least_costs(
    actions: Mapping[str, Action], methods: Iterable[Method], known: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return what each task costs at least, whatever the state; infinity if no refinement of it ever ends.

    Tasks that have neither methods nor an action count as ``known`` says, or as free.
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


def network_faults(domain: Domain, methods: Iterable[Method], unread: Iterable[str] = ()) -> list[Fault]:
    """Return everything wrong with ``methods``; tasks called ``unread`` exist, but nothing is known about them."""
    return list(_Checker(domain, tuple(methods), frozenset(unread)).faults())


class _Checker:
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
        # What is unknown or could not be read counts as free, so that whatever hangs on it is not told again.
        least = least_costs(self.actions, self.methods, dict.fromkeys(self.unread, 0.0))
        for task in (task for task in self.by_task if math.isinf(least[task])):
            message = f"task {task!r} can never be finished: each of its methods goes round in a circle"
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
        for section, names in (("parameters", method.parameters), ("choose", method.choose)):
            for name, kind in names.items():
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
                if kind.kind is not Kind.HANDLE:
                    message = f"{name!r} is {kind}, and parameters are handles"
                    yield Fault(
                        message,
                        suggestion="name a kind of handle, such as node",
                        path=(section, name),
                        code=FaultCode.WRONG_TYPE,
                    )
        scope = Scope(self.domain.layout, method.scope)
        yield from (fault.at("condition") for fault in check(method.condition.expression, scope, BOOL))
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
            yield Fault(str(error), path=("order", i))
            continue
        after[first].add(second)
    while ends := [place for place, later in after.items() if not later]:
        after = {place: later.difference(ends) for place, later in after.items() if later}
    if after:
        circle = ", ".join(str(method.subtasks[place]) for place in after)
        yield Fault(
            f"the order goes round in a circle: {circle}",
            suggestion="drop one of the pairs",
            path=("order",),
            code=FaultCode.CIRCULAR,
        )
