"""Tasks and methods: what is to be done, and the ways to do it.

A *task* is the name of something to get done, with its arguments. A primitive task is an action of the domain. A
compound task is refined by *methods*, each of which says when it applies and which tasks, in which order, do the job.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.frozen import FrozenMap
from telos.core.values import Type, TypeLike, Value, checked_name

_TASK = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:\(([^()]*)\))?\s*\Z", re.ASCII)
_ARGUMENT = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)*\Z", re.ASCII)  # a dot joins a smart object and its variable


@dataclass(frozen=True, slots=True)
class Task:
    """Something to get done. In a method its arguments are names; in a plan they are the handles themselves.

    >>> Task.of("throw(grenade, enemy)")
    Task(name='throw', arguments=('grenade', 'enemy'))
    >>> print(Task("throw", ("grenade", "enemy")))
    throw(grenade, enemy)
    """

    name: str
    arguments: tuple[Value, ...] = ()

    @classmethod
    def of(cls, said: "TaskLike") -> "Task":
        """Read a task: ``reload`` or ``goto(place)``."""
        if isinstance(said, Task):
            return said
        found = _TASK.match(said) if isinstance(said, str) else None
        arguments = [each.strip() for each in (found[2] or "").split(",")] if found else []
        if not found or (arguments != [""] and not all(map(_ARGUMENT.match, arguments))):
            message = f"{said!r} is not a task"
            raise DefinitionError(
                [Fault(message, suggestion="write `reload` or `goto(place)`", code=FaultCode.BAD_SYNTAX)]
            )
        return cls(found[1], () if arguments == [""] else tuple(arguments))

    def __str__(self) -> str:
        """Write the task as a method would."""
        return f"{self.name}({', '.join(map(str, self.arguments))})" if self.arguments else self.name


TaskLike: TypeAlias = Task | str
# A subtask, by its place in the list (from 0), by its name, or as it is written if several have that name.
Which: TypeAlias = int | str


@dataclass(frozen=True, slots=True, init=False)
class Method:
    """One way to do a compound task.

    ``parameters`` are the task's, and get their handles from it. ``choose`` are the method's own: it may be carried out
    with any handles of these kinds that the planner knows. ``order`` is ``"sequence"``, ``"any"`` (the steps of the
    subtasks may be interleaved), or says which comes before which: ``["suppress before attack"]``, or pairs of places.

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
    order: str | tuple[tuple[Which, Which], ...]

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
    ) -> None:
        each = [subtasks] if isinstance(subtasks, Task | str) else subtasks
        put = object.__setattr__
        put(self, "task", checked_name("task", task))
        put(self, "name", checked_name("method", name))
        put(self, "parameters", FrozenMap({name: Type.of(of) for name, of in (parameters or {}).items()}))
        put(self, "choose", FrozenMap({name: Type.of(of) for name, of in (choose or {}).items()}))
        put(self, "condition", Condition.of(condition))
        put(self, "subtasks", tuple(Task.of(subtask) for subtask in each))
        put(self, "order", order_of(order))

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return which subtask comes before which, by their places."""
        if self.order == "any":
            return ()
        if isinstance(self.order, str):
            return tuple((place, place + 1) for place in range(len(self.subtasks) - 1))
        return tuple((self.place(before), self.place(after)) for before, after in self.order)

    def place(self, which: Which) -> int:
        """Return the place of a subtask among the subtasks."""
        said = [str(subtask) for subtask in self.subtasks]
        if isinstance(which, int) and 0 <= which < len(said):
            return which
        found = [i for i, subtask in enumerate(self.subtasks) if which in (said[i], subtask.name)]
        found = [i for i in found if said[i] == which] or found
        if not found:
            raise TelosError(
                f"unknown subtask {which!r}", name_hint(str(which), [subtask.name for subtask in self.subtasks])
            )
        if len(found) > 1:
            raise TelosError(f"subtask {which!r} stands at places {found}", "name the places")
        return found[0]

    @property
    def scope(self) -> dict[str, Type]:
        """Return all names that the method gives handles to."""
        return {**self.parameters, **self.choose}


OrderLike: TypeAlias = str | Iterable[str | tuple[Which, Which]]


def order_of(said: OrderLike) -> str | tuple[tuple[Which, Which], ...]:
    """Read the order of subtasks as people write it."""
    if isinstance(said, str):
        if said not in ("sequence", "any"):
            raise TelosError(f"unknown order {said!r}", "write sequence, any, or a list such as ['goto before attack']")
        return said
    if not isinstance(said, Iterable):
        raise TelosError(f"{said!r} is not an order", "write sequence, any, or a list such as ['goto before attack']")
    return tuple(_pair(each) for each in said)


def _pair(said: str | tuple[Which, Which]) -> tuple[Which, Which]:
    halves = [half.strip() for half in said.split(" before ")] if isinstance(said, str) else said
    if not isinstance(halves, Sequence) or len(halves) != 2 or not all(isinstance(half, int | str) for half in halves):
        raise TelosError(f"{said!r} is not an order", "write `goto before attack`")
    return halves[0], halves[1]
