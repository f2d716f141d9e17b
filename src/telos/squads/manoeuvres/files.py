"""Manoeuvre files: YAML text to `Manoeuvre`, with every fault located. Start with `load_manoeuvre`."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
from telos.core.expressions import (
    BUILT_IN,
    And,
    Call,
    Expression,
    Literal,
    Name,
    Scope,
    check_expression,
    parse_expression,
    to_text,
    walk,
)
from telos.core.values import BOOL, Type, ValueKind
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import (
    Duration,
    FieldType,
    FileModel,
    Hint,
    PositiveDuration,
    branch_tag,
    name_type,
    parse_duration,
    schema_text,
    text_type,
)
from telos.planning.htn.files import TaskShape, read_network
from telos.planning.htn.network import Method
from telos.squads.behaviours import ALL_BEHAVIOURS
from telos.squads.manoeuvres.domain import KINDS, make_squad_domain
from telos.squads.manoeuvres.facts import FUNCTIONS
from telos.squads.manoeuvres.manoeuvre import Manoeuvre, Stage
from telos.squads.practices import ALL_PRACTICES

FOLDER = Path(__file__).parent / "data"
DEFAULT_LIMIT, DEFAULT_COOLDOWN = 15.0, 6.0  # seconds
_PLAIN, _TIMED = map(branch_tag, ("task", "timed"))
MAX_CHOSEN = 4  # handles of one method: all combinations of them are tried, twice a second
_HIDDEN = ("given",)  # variables that no file may use
_TAKEN = (*(each.name for each in ALL_BEHAVIOURS), *(each.name for each in ALL_PRACTICES))


# --- the shape of a manoeuvre file ---


_Name: TypeAlias = Annotated[str, name_type("the name of a manoeuvre")]
_TaskName: TypeAlias = Annotated[str, text_type("the name of a task")]
_ConditionPart: TypeAlias = Annotated[str, text_type("a condition")]
_Conditions: TypeAlias = Annotated[
    Any,
    FieldType(
        "a condition, or a list of them",
        lambda value: isinstance(value, str) or (isinstance(value, list) and all(isinstance(x, str) for x in value)),
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    ),
]


class StageShape(FileModel):
    """A stage that ends by the clock."""

    task: _TaskName = Field(examples=["pin"])
    """The task that is planned when the stage begins."""
    lasts: PositiveDuration = Field(examples=["4 s"])
    """How long its orders stand: `4 s`."""


_Stage: TypeAlias = Annotated[
    Annotated[_TaskName, Tag(_PLAIN)] | Annotated[StageShape, Tag(_TIMED)],
    Discriminator(lambda value: _TIMED if isinstance(value, dict | StageShape) else _PLAIN),
]


class ManoeuvreShape(FileModel):
    """What a squad does together, as tasks with methods whose steps are orders."""

    manoeuvre: _Name = Field(examples=["flank-and-hold"])
    """Its name, as scenes use it."""
    about: Annotated[str, text_type("a line about it")] = ""
    """One line on what it is for."""
    begin: _Conditions = None
    """When it may begin: `members >= 3 and enemies == 1`."""
    while_: _Conditions = Field(default=None, alias="while")
    """What must hold as long as it goes on; it has failed when it does not."""
    until: _Conditions = None
    """When it has succeeded, whatever is left to do: `enemies == 0`."""
    limit: PositiveDuration = DEFAULT_LIMIT
    """After so long without the end of a stage it has failed; 15 s if left out."""
    cooldown: Duration = DEFAULT_COOLDOWN
    """How long it cannot begin again after its end; 6 s if left out."""
    stages: Annotated[
        list[_Stage],
        Field(min_length=1),
        Hint("name at least one task, as in `stages: [go-round]`", "a list of at least one task", example=["…"]),
    ]
    """The tasks to do, one after the other; each is planned when it begins."""
    tasks: Annotated[dict[str, TaskShape | None] | None, Hint("add `tasks:` with their methods", example={})]
    """By name; the steps are orders: suppress, cover, advance, lead, abreast, follow, guard_rear, search, watch."""


def manoeuvre_schema() -> str:
    """Return the JSON Schema of a manoeuvre file."""
    return schema_text(ManoeuvreShape, "Telos manoeuvre file")


# --- loading ---


def load_manoeuvre(path: str | os.PathLike[str], *, called: str | None = None) -> Manoeuvre:
    """Read the manoeuvre file at ``path``; ``called`` is the name that it must have, if any will not do.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_manoeuvre(read_text(path), name=os.fspath(path), called=called)


def loads_manoeuvre(text: str, *, name: str = "<text>", called: str | None = None) -> Manoeuvre:
    r"""Read a manoeuvre from the text of a manoeuvre file; ``name`` stands for it in faults.

    >>> loads_manoeuvre("manoeuvre: pin\nstages: [hold]\ntasks: {hod: {methods: {nothing: {}}}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:2:10: unknown task 'hold'; did you mean 'hod'?
    """
    definition = Definition(text, name, ManoeuvreShape, "a manoeuvre file")
    if definition.model is None:
        raise_faults(definition.faults)
    model, domain = definition.model, make_squad_domain()
    _check_name(definition, model.manoeuvre, called)
    scope = Scope(domain.layout)
    begin, goes_on, until = (
        _read_condition(definition, key, scope, of)
        for key, of in (("begin", model.begin), ("while", model.while_), ("until", model.until))
    )
    stages = tuple(_read_stages(definition, model.tasks or {}, parse_duration(model.limit) or DEFAULT_LIMIT))
    network = read_network(definition, model.tasks, domain, check=_method_faults)
    return Manoeuvre(
        model.manoeuvre,
        network,
        stages,
        about=model.about,
        begin=begin,
        goes_on=goes_on,
        until=until,
        limit=parse_duration(model.limit) or DEFAULT_LIMIT,
        cooldown=parse_duration(model.cooldown) or 0.0,
    )


def _check_name(definition: Definition[ManoeuvreShape], name: str, called: str | None) -> None:
    if name in _TAKEN:
        message = f"{name!r} is the name of a squad behaviour or practice"
        definition.fault(message, ("manoeuvre",), "give it another name", code=FaultCode.DUPLICATE)
    elif called is not None and name != called and not definition.is_broken("manoeuvre"):
        message = f"the manoeuvre is called {name!r}, and its file {called}.yaml"
        definition.fault(message, ("manoeuvre",), "rename one of them", code=FaultCode.CONFLICT)


def _read_stages(definition: Definition[ManoeuvreShape], tasks: Mapping[str, Any], limit: float) -> Iterator[Stage]:
    for where, each in list(definition.items("stages")):
        task, place, lasts = each, where, None
        if not isinstance(each, str):
            task, place = definition.entry(*where, "task"), (*where, "task")
            lasts = parse_duration(definition.entry(*where, "lasts"))
        if task is None:
            continue  # its fault is reported
        if lasts is not None and lasts > limit:
            message = f"this stage lasts {lasts:g} s, and after {limit:g} s the manoeuvre has failed"
            definition.fault(message, (*where, "lasts"), f"write `limit: {lasts + 5:g} s`", code=FaultCode.UNREACHABLE)
        found = tasks.get(task)
        if task not in tasks:
            if not definition.is_broken("tasks"):
                definition.fault(f"unknown task {task!r}", place, name_hint(task, tasks), code=FaultCode.UNKNOWN_NAME)
        elif found is not None and found.parameters:
            remedy = "let its methods choose what it needs"
            definition.fault(f"a stage cannot have parameters, and {task!r} has", place, remedy)
        yield Stage(task, lasts)


# --- conditions ---


def _read_condition(definition: Definition[Any], key: str, scope: Scope, written: Any) -> Condition | None:
    """Return the condition of a key, None if there is none; its faults are added to the definition."""
    parts: list[Expression] = []
    items = list(definition.items_at((key,), written)) if isinstance(written, list) else [((key,), written)]
    for where, text in items:
        if text is None or definition.is_touched(*where):
            continue
        try:
            expression = parse_expression(text)
            faults = check_expression(expression, scope, BOOL) or list(_call_faults(expression, scope))
        except DefinitionError as error:
            faults = list(error.faults)
        else:
            parts.append(expression)
        for fault in faults:
            definition.faults.append(definition.document.locate(replace(fault, path=where)))
    return (Condition(parts[0] if len(parts) == 1 else And(tuple(parts)))) if parts else None


def _method_faults(method: Method) -> Iterator[Fault]:
    """Yield the faults of a method that only manoeuvres can have: kinds and functions that squads do not know."""
    for section, declared in (("parameters", method.parameters), ("choose", method.choose)):
        for name, kind in declared.items():
            if kind.kind is ValueKind.HANDLE and kind.handle not in KINDS:
                message = f"unknown kind {kind.handle!r}"
                hint = name_hint(kind.handle, KINDS)
                yield Fault(message, suggestion=hint, path=(section, name), code=FaultCode.UNKNOWN_NAME)
    if len(method.choose) > MAX_CHOSEN:
        message = f"a method chooses at most {MAX_CHOSEN} handles, and this one {len(method.choose)}"
        yield Fault(message, suggestion="choose the others in its subtasks", path=("choose",), code=FaultCode.TOO_LARGE)
    scope = Scope(_layout(), method.scope)
    for place, expression in (("condition", method.condition.expression), ("prefer", method.prefer)):
        if expression is not None:
            yield from (fault.at(place) for fault in _call_faults(expression, scope))


@cache
def _layout() -> Any:
    return make_squad_domain().layout


def _call_faults(expression: Expression, scope: Scope) -> Iterator[Fault]:
    for node in walk(expression):
        if isinstance(node, Name) and node.name in _HIDDEN:
            yield Fault(f"unknown variable {node.name!r}", offset=node.column, code=FaultCode.UNKNOWN_NAME)
        if not isinstance(node, Call) or node.function in BUILT_IN:
            continue
        known = FUNCTIONS.get(node.function)
        if known is None:
            hint = name_hint(node.function, FUNCTIONS)
            message = f"unknown function {node.function!r}"
            yield Fault(message, suggestion=hint, offset=node.column, code=FaultCode.UNKNOWN_NAME)
        elif len(known.kinds) != len(node.arguments):
            count = f"{len(known.kinds)} argument{'s' * (len(known.kinds) != 1)}"
            message = f"{node.function!r} takes {count}, not {len(node.arguments)}"
            remedy = f"write `{known.form}`"
            yield Fault(message, suggestion=remedy, offset=node.column, code=FaultCode.WRONG_COUNT)
        else:
            yield from _argument_faults(known.form, known.kinds, node, scope)


def _argument_faults(form: str, kinds: tuple[str, ...], call: Call, scope: Scope) -> Iterator[Fault]:
    for wanted, argument in zip(kinds, call.arguments, strict=True):
        found = scope.type_of(argument.name) if isinstance(argument, Name) else None
        if found is not None and found.kind is ValueKind.HANDLE and found.handle not in KINDS:
            continue  # its kind is reported where it is declared
        what = f"{to_text(argument)!r}" if found is None else f"{to_text(argument)!r} is {found}"
        if isinstance(argument, Literal) or (found is not None and found != Type.of(wanted)):
            message = f"{what}, where {'an' if wanted == 'enemy' else 'a'} {wanted} is wanted"
            yield Fault(message, suggestion=f"write `{form}`", offset=argument.column, code=FaultCode.WRONG_TYPE)


# --- the manoeuvres of the package ---


def manoeuvre_names() -> tuple[str, ...]:
    """Return the names of the manoeuvres in the package."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.yaml")))


@cache  # files of the package do not change
def load_built_in(name: str) -> Manoeuvre:
    """Return a manoeuvre of the package by its name."""
    return load_manoeuvre(FOLDER / f"{name}.yaml")
