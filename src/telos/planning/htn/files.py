"""Task files: the methods of a network in YAML, read with every fault named by line."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import And, Expression, Literal
from telos.core.parser import parse_expression
from telos.core.values import Type
from telos.files.yaml import Document, read_text, read_yaml
from telos.planning.htn.network import Method, Task, TaskNetwork, network_faults, order_of

Made = TypeVar("Made")

# Entries whose value is an expression, a task or an order; a fault in any other is about the key.
_IN_VALUE = frozenset({"condition", "subtasks", "order"})


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
    document = read_yaml(text, name)
    if document.data is None:
        # The only remedy that speaks of domain files.
        empty = (
            replace(each, suggestion="start with `tasks:`") for each in document.faults if each.code is FaultCode.EMPTY
        )
        raise DefinitionError([*empty] or document.faults)
    draft = _Draft(document)
    meant = (draft.in_file(fault) for fault in network_faults(domain, draft.methods, draft.unread))
    faults = [*document.faults, *(_located(document, fault) for fault in (*draft.faults, *meant))]
    if faults:
        told = {(each.line, each.column, each.message): each for each in faults}
        raise DefinitionError(sorted(told.values(), key=lambda fault: (fault.line, fault.column)))
    return TaskNetwork(domain, draft.methods)


def _located(document: Document, fault: Fault) -> Fault:
    at_key = bool(fault.path) and isinstance(fault.path[-1], str) and fault.path[-1] not in _IN_VALUE
    return document.locate(fault, at_key=at_key)


class _Draft:
    """The methods of a file as far as they can be made, the faults met on the way, and where each part came from."""

    def __init__(self, document: Document) -> None:
        self.faults: list[Fault] = []
        self.methods: list[Method] = []
        self.unread: set[str] = set()  # tasks about which no more can be said than that they exist
        self._broken = {fault.path for fault in document.faults}
        self._origins: dict[KeyPath, list[tuple[int, KeyPath]]] = {}  # where the texts start that a part was made of
        top = self._mapping((), document.data, ("tasks",))
        if "tasks" not in top and not self.faults:
            self._fault("'tasks' is missing", (), "start with `tasks:`", code=FaultCode.MISSING_KEY)
        for task, body in self._mapping(("tasks",), top.get("tasks")).items():
            self._task(("tasks", task), task, body)

    def in_file(self, fault: Fault) -> Fault:
        """Return a fault that the network has with the path and offset that it has in the file."""
        for start, origin in reversed(self._origins.get(fault.path, [])):
            if start <= fault.offset:
                return replace(fault, path=origin, offset=fault.offset - start)
        return fault

    def _task(self, path: KeyPath, task: str, body: Any) -> None:
        before = len(self.faults)
        given = self._mapping(path, body, ("parameters", "methods"))
        parameters = self._kinds((*path, "parameters"), given.get("parameters"))
        methods = self._mapping((*path, "methods"), given.get("methods"))
        if len(self.faults) > before or any(each[: len(path)] == path for each in self._broken):
            self.unread.add(task)
            return
        if not methods:
            self.unread.add(task)
            self._fault(
                f"task {task!r} has no methods",
                path,
                "add `methods:` with at least one way to do it",
                code=FaultCode.EMPTY,
            )
        for name, method in methods.items():
            self._method((*path, "methods", name), task, parameters, method)

    def _method(self, path: KeyPath, task: str, parameters: dict[str, Type], body: Any) -> None:
        before = len(self.faults)
        given = self._mapping(path, body, ("choose", "condition", "subtasks", "order"))
        choose = self._kinds((*path, "choose"), given.get("choose"))
        can_judge_names = len(self.faults) == before
        subtasks = list(self._subtasks((*path, "subtasks"), given.get("subtasks", [])))
        can_judge_order = len(self.faults) == before
        condition = self._condition((*path, "condition"), given.get("condition", True))
        order = self._order((*path, "order"), given.get("order", "sequence"))
        made: dict[str, Any] = {
            "parameters": parameters,
            "choose": choose,
            "condition": condition,
            "subtasks": subtasks,
        }
        if len(self.faults) > before:
            self.unread.add(task)
        if can_judge_names:
            order = order if can_judge_order else "any"
            self.methods += self._made(path, partial(Method, task, order=order, **made), path[-1])

    def _kinds(self, path: KeyPath, said: Any) -> dict[str, Type]:
        entries = self._mapping(path, said).items()
        return {name: each for name, kind in entries for each in self._made((*path, name), Type.of, kind)}

    def _subtasks(self, path: KeyPath, said: Any) -> Iterator[Task]:
        read = ((where, task) for where, text in self._texts(path, said) for task in self._made(where, Task.of, text))
        for count, (where, task) in enumerate(read):
            self._origins[*path, count] = [(0, where)]
            yield task

    def _order(self, path: KeyPath, said: Any) -> Any:
        if not isinstance(said, list):
            return next(self._made(path, order_of, said), "any")
        pairs: list[Any] = []
        for where, text in self._texts(path, said):
            for order in self._made(where, order_of, [text]):
                self._origins[*path, len(pairs)] = [(0, where)]
                pairs += order
        return pairs

    def _condition(self, path: KeyPath, said: Any) -> Condition:
        """Read a condition; the items of a list as if they stood in one text, so that an offset tells which it is."""
        parts: list[Expression] = []
        start = 0
        for where, text in self._texts(path, said):
            self._origins.setdefault(path, []).append((start, where))
            parts += self._parsed(where, text, start)
            start += len(str(text)) + 1
        return Condition(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else Condition()

    def _parsed(self, path: KeyPath, text: Any, start: int) -> Iterator[Expression]:
        if isinstance(text, bool):
            yield Literal(text)
            return
        try:
            yield parse_expression(" " * start + str(text))
        except DefinitionError as error:
            found = (replace(fault, text=str(text), path=path, offset=fault.offset - start) for fault in error.faults)
            self.faults += found

    def _made(self, path: KeyPath, make: Callable[[Any], Made], said: Any) -> Iterator[Made]:
        """Yield what ``make`` reads, unless it is nothing of the kind."""
        try:
            yield make(said)
        except TelosError as error:
            if path not in self._broken:  # else the YAML itself has been told off already
                self.faults += (fault.at(*path) for fault in getattr(error, "faults", [Fault(str(error))]))

    def _texts(self, path: KeyPath, said: Any) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the texts of an entry that is one text or a list, each with its path.

        YAML cuts `[goto(who, place)]` at the comma; the pieces are put together again.
        """
        if not isinstance(said, list):
            yield from [] if said is None else [(path, said)]
            return
        start, whole = 0, ""
        for i, piece in enumerate(said):
            if not isinstance(piece, str):
                yield (*path, i), piece
                continue
            start, whole = (start, f"{whole}, {piece}") if whole else (i, piece)
            if whole.count("(") <= whole.count(")") or i == len(said) - 1:
                yield (*path, start), whole
                whole = ""

    def _mapping(self, path: KeyPath, said: Any, known: Sequence[str] = ()) -> dict[str, Any]:
        if said is None:
            return {}
        if not isinstance(said, dict):
            self._fault(
                f"{path[-1] if path else 'a task file'} must be a mapping",
                path,
                "write `name: value` lines",
                code=FaultCode.WRONG_TYPE,
            )
            return {}
        for key in (key for key in said if known and key not in known):
            self._fault(f"unknown key {key!r}", (*path, key), name_hint(key, known), code=FaultCode.UNKNOWN_KEY)
        return said

    def _fault(self, message: str, path: KeyPath, suggestion: str, *, code: FaultCode) -> None:
        if path not in self._broken:
            self.faults.append(Fault(message, suggestion=suggestion, path=path, code=code))
