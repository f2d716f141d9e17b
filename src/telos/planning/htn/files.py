"""Task files: YAML text to `TaskNetwork`, with every fault located. Start with `load_tasks`."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError
from telos.core.expressions import And, Expression, Literal, parse_expression
from telos.core.values import Type
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FieldType, FileModel, Hint
from telos.files.yaml import Document
from telos.planning.htn.network import Method, Task, TaskNetwork, check_network, parse_order

# Entries whose value is an expression, a task or an order; a fault in any other is about the key.
_IN_VALUE = frozenset({"condition", "prefer", "subtasks", "order"})

Part = TypeVar("Part")


# --- the shape of a task file -----------------------------------------------------------------------------------------


def _any_value(wanted: str, *kinds: str) -> FieldType:
    """Return a type that accepts any value, because parsing it gives the better fault; the JSON Schema is exact."""
    one: dict[str, Any] = {"type": list(kinds)}
    return FieldType(wanted, lambda value: True, {"anyOf": [one, {"type": "array", "items": one}]})


_Kind: TypeAlias = Annotated[Any, FieldType("a kind of handle", lambda value: True, {"type": "string"})]
_Condition: TypeAlias = Annotated[Any, _any_value("a condition, or a list of them", "string", "boolean")]
_Prefer: TypeAlias = Annotated[
    Any, FieldType("a number, or an expression", lambda value: True, {"type": ["string", "number"]})
]
_Subtasks: TypeAlias = Annotated[Any, _any_value("a task, or a list of them", "string")]
_Order: TypeAlias = Annotated[Any, _any_value("sequence, any, or a list of pairs", "string")]


class MethodShape(FileModel):
    """One way to do a task."""

    choose: dict[str, _Kind] | None = None
    """Handles that the method chooses itself, by name: `{cover: node}`."""
    condition: _Condition = True
    """When the method applies: a condition, or a list that must all hold."""
    prefer: _Prefer = None
    """A number for each choice; the choices with the lowest are tried first: `distance(at, spot)`."""
    subtasks: _Subtasks = None
    """The tasks and actions to do: `goto(place)`, or a list."""
    order: _Order = "sequence"
    """`sequence`, `any`, or a list of pairs such as `goto before attack`."""


class TaskShape(FileModel):
    """A compound task and the methods to do it."""

    parameters: dict[str, _Kind] | None = None
    """The kind of handle of each parameter: `{to: place}`."""
    methods: dict[str, MethodShape | None] | None = None
    """By name; the first one that applies is tried first."""


class TasksShape(FileModel):
    """The compound tasks of a network."""

    tasks: Annotated[dict[str, TaskShape | None] | None, Hint("start with `tasks:`", example={})]
    """By name; the primitive tasks are the actions of the domain."""


# --- loading ----------------------------------------------------------------------------------------------------------


def load_tasks(path: str | os.PathLike[str], domain: Domain) -> TaskNetwork:
    """Read the task file at ``path``, whose primitive tasks are the actions of ``domain``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_tasks(read_text(path), domain, name=os.fspath(path))


def loads_tasks(text: str, domain: Domain, *, name: str = "<text>") -> TaskNetwork:
    r"""Read a task network from the text of a task file; ``name`` stands for it in faults.

    >>> loads_tasks("tasks: {rest: {methods: {nap: {subtasks: slep}}}}", Domain())
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:42: unknown task 'slep'; known: rest
    """
    definition = Definition(text, name, TasksShape, "a task file")
    if definition.model is None:
        raise_faults(definition.faults)
    return read_network(definition, definition.model.tasks, domain)


def read_network(
    definition: Definition[Any],
    tasks: Mapping[str, "TaskShape | None"] | None,
    domain: Domain,
    *,
    check: Callable[[Method], Iterable[Fault]] = lambda method: (),
) -> TaskNetwork:
    """Return the network of the ``tasks`` of a file; its faults are raised together with those that are known.

    ``check`` yields more faults of a method, each with its path in the method.
    """
    builder = _NetworkBuilder(definition, tasks or {})
    found = check_network(domain, builder.methods, builder.unread)
    found += [fault.at("tasks", each.task, "methods", each.name) for each in builder.methods for fault in check(each)]
    located = [_locate(definition.document, fault) for fault in (*builder.faults, *map(builder.in_file, found))]
    if faults := [*definition.faults, *located]:
        raise_faults(faults)
    return TaskNetwork(domain, builder.methods)


def _locate(document: Document, fault: Fault) -> Fault:
    at_key = bool(fault.path) and isinstance(fault.path[-1], str) and fault.path[-1] not in _IN_VALUE
    return document.locate(fault, at_key=at_key)


class _NetworkBuilder:
    """Makes the methods of a validated file; collects faults, and where in the file each part came from."""

    def __init__(self, definition: Definition[Any], tasks: Mapping[str, TaskShape | None]) -> None:
        self.faults: list[Fault] = []
        self.methods: list[Method] = []
        self._definition = definition
        # From a path in the network to the texts of that part: the offset of each text, and its path in the file.
        self._origins: dict[KeyPath, list[tuple[int, KeyPath]]] = {}
        # Tasks with faults: they exist, but nothing else is known about them.
        self.unread = {str(path[1]) for path in definition.broken if len(path) > 1}
        of_yaml = {fault.path for fault in definition.document.faults}
        skipped = {path[1] for path in definition.broken if len(path) in (2, 3) or (len(path) > 1 and path in of_yaml)}
        for task, body in tasks.items():
            if task not in skipped:
                self._task(("tasks", task), task, body or TaskShape())

    def in_file(self, fault: Fault) -> Fault:
        """Return a fault of the network with the path and offset that it has in the file."""
        for start, origin in reversed(self._origins.get(fault.path, [])):
            if start <= fault.offset:
                return replace(fault, path=origin, offset=fault.offset - start)
        return fault

    def _is_faulty(self, *path: str | int) -> bool:
        return any(each[: len(path)] == path for each in self._definition.broken)

    def _task(self, path: KeyPath, task: str, body: TaskShape) -> None:
        before = len(self.faults)
        parameters = self._kinds((*path, "parameters"), body.parameters)
        if len(self.faults) > before:
            self.unread.add(task)
            return
        if not body.methods and not self._is_faulty(*path, "methods"):
            self.unread.add(task)
            remedy = "add `methods:` with at least one way to do it"
            self.faults.append(
                Fault(f"task {task!r} has no methods", suggestion=remedy, path=path, code=FaultCode.EMPTY)
            )
        for name, method in (body.methods or {}).items():
            self._method((*path, "methods", name), task, parameters, method or MethodShape())

    def _method(self, path: KeyPath, task: str, parameters: dict[str, Type], body: MethodShape) -> None:
        before = len(self.faults)
        choose = self._kinds((*path, "choose"), body.choose)
        can_check_names = len(self.faults) == before and not self._is_faulty(*path)
        subtasks = list(self._subtasks((*path, "subtasks"), body.subtasks))
        can_check_order = can_check_names and len(self.faults) == before
        condition = self._condition((*path, "condition"), body.condition)
        prefer = self._prefer((*path, "prefer"), body.prefer)
        order = self._order((*path, "order"), body.order)
        make = partial(
            Method,
            task,
            order=order if can_check_order else "any",
            parameters=parameters,
            choose=choose,
            condition=condition,
            prefer=prefer,
            subtasks=subtasks,
        )
        if len(self.faults) > before:
            self.unread.add(task)
        if can_check_names:
            self.methods += self._build(path, make, path[-1])

    def _kinds(self, path: KeyPath, written: dict[str, Any] | None) -> dict[str, Type]:
        entries = (written or {}).items()
        return {name: each for name, kind in entries for each in self._build((*path, name), Type.of, kind)}

    def _subtasks(self, path: KeyPath, written: Any) -> Iterator[Task]:
        found = (
            (where, task) for where, text in self._texts(path, written) for task in self._build(where, Task.of, text)
        )
        for count, (where, task) in enumerate(found):
            self._origins[*path, count] = [(0, where)]
            yield task

    def _order(self, path: KeyPath, written: Any) -> Any:
        if not isinstance(written, list):
            return next(self._build(path, parse_order, written), "any")
        pairs: list[Any] = []
        for where, text in self._texts(path, written):
            for order in self._build(where, parse_order, [text]):
                self._origins[*path, len(pairs)] = [(0, where)]
                pairs += order
        return pairs

    def _condition(self, path: KeyPath, written: Any) -> Condition:
        """Parse a condition; the items of a list as one text, so that an offset identifies the item."""
        parts: list[Expression] = []
        start = 0
        for where, text in self._texts(path, written):
            self._origins.setdefault(path, []).append((start, where))
            parts += self._parse(where, text, start)
            start += len(str(text)) + 1
        return Condition(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else Condition()

    def _prefer(self, path: KeyPath, written: Any) -> Expression | None:
        if written is None:
            return None
        self._origins[path] = [(0, path)]
        if isinstance(written, int | float) and not isinstance(written, bool):
            return Literal(written)
        return next(self._parse(path, written, 0), None)

    def _parse(self, path: KeyPath, text: Any, start: int) -> Iterator[Expression]:
        if isinstance(text, bool):
            yield Literal(text)
            return
        try:
            yield parse_expression(" " * start + str(text))
        except DefinitionError as error:
            found = (replace(fault, text=str(text), path=path, offset=fault.offset - start) for fault in error.faults)
            self.faults += found

    def _build(self, path: KeyPath, make: Callable[[Any], Part], written: Any) -> Iterator[Part]:
        """Yield the part that ``make`` returns; its errors become faults at ``path``."""
        try:
            yield make(written)
        except TelosError as error:
            if not self._definition.is_broken(*path):  # else the YAML itself was reported already
                self.faults += (fault.at(*path) for fault in getattr(error, "faults", [Fault(str(error))]))

    def _texts(self, path: KeyPath, written: Any) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the texts of an entry that is one text or a list, each with its path.

        YAML cuts `[goto(who, place)]` at the comma; the pieces are joined again.
        """
        if not isinstance(written, list):
            yield from [] if written is None else [(path, written)]
            return
        start, whole = path, ""
        items = list(self._definition.items_at(path, written))
        for i, (where, piece) in enumerate(items):
            if not isinstance(piece, str):
                yield where, piece
                continue
            start, whole = (start, f"{whole}, {piece}") if whole else (where, piece)
            if whole.count("(") <= whole.count(")") or i == len(items) - 1:
                yield start, whole
                whole = ""
