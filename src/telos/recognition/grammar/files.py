"""Plan grammars in YAML: the schema of the files and their loader."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.errors import Fault, FaultCode, KeyPath, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FieldType, FileModel, branch_tag, name_type, schema_text, text_type
from telos.files.yaml import read_text, read_yaml
from telos.recognition.grammar.grammar import (
    PlanGrammar,
    Production,
    Tolerance,
    even_chances,
    grammar_faults,
    normalize_step,
)

# --- schema -----------------------------------------------------------------------------------------------------------

_ONE, _LIST, _MAP = branch_tag("one"), branch_tag("list"), branch_tag("map")


def _is_chance(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_rate(value: Any) -> bool:
    return _is_chance(value) and value < 1


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


TaskName: TypeAlias = Annotated[str, name_type("the name of a task")]
MethodName: TypeAlias = Annotated[str, name_type("the name of a method")]
ActionText: TypeAlias = Annotated[str, text_type("an action such as take or goto(forge)")]
Chance: TypeAlias = Annotated[
    float, FieldType("a number from 0 to 1", _is_chance, {"type": "number", "minimum": 0, "maximum": 1})
]
_Rate: TypeAlias = Annotated[
    float, FieldType("a number from 0 to below 1", _is_rate, {"type": "number", "minimum": 0, "exclusiveMaximum": 1})
]
_Count: TypeAlias = Annotated[
    int, FieldType("a whole number, at least 1", _is_count, {"type": "integer", "minimum": 1})
]
_Step: TypeAlias = Annotated[str, text_type("a step such as take or goto(forge), or a list of them")]
_Steps: TypeAlias = Annotated[
    Annotated[_Step, Tag(_ONE)] | Annotated[list[_Step], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]
_Goals: TypeAlias = Annotated[
    Annotated[list[TaskName], Tag(_LIST)] | Annotated[dict[TaskName, Chance], Tag(_MAP)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _MAP),
]
_Word: TypeAlias = Annotated[str, FieldType("grammar", lambda value: value == "grammar", {"const": "grammar"})]


class MethodShape(FileModel):
    """One way to do a task."""

    steps: _Steps = Field(examples=["[take_gold, goto(forge)]"])
    """What is done, in order: tasks of this file, or actions."""
    chance: Chance | None = None
    """How often it is taken. Methods without one share what the others leave."""


class GrammarShape(FileModel):
    """How goals look when they are pursued: the plans for each, as a grammar."""

    recognizer: _Word = Field(examples=["grammar"])
    """What kind of recogniser it is: `grammar`."""
    goals: _Goals = Field(examples=["[open_door, sell_gold]"])
    """The tasks that a player may be after: a list, or the chance of each."""
    actions: list[ActionText] | None = None
    """All actions there are. If given, a step must be one of them or a task."""
    noise: _Rate = 0.02
    """The chance that an action serves no goal at all."""
    open_goals: _Count = 1
    """How many plans may be under way at once."""
    switch: _Rate = 0.1
    """The chance to start another plan while one is under way."""
    beam: _Count = 64
    """How many hypotheses are kept."""
    tasks: dict[TaskName, dict[MethodName, MethodShape]] = Field(examples=["{open_door: {with_key: {…}}}"])
    """The methods of each task, by name."""


def grammar_schema() -> str:
    """Return the JSON Schema of a grammar file."""
    return schema_text(GrammarShape, "Telos grammar file")


# --- loading ----------------------------------------------------------------------------------------------------------

_TOLERANCE = ("noise", "open_goals", "switch", "beam")


def load_grammar(path: str | os.PathLike[str]) -> PlanGrammar:
    """Read the grammar file at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_grammar(read_text(path), name=os.fspath(path))


def loads_grammar(text: str, *, name: str = "<text>") -> PlanGrammar:
    """Read a plan grammar from the text of a file; ``name`` stands for it in faults.

    >>> loads_grammar("{recognizer: grammar, goals: [rst], tasks: {rest: {nap: {steps: lie}}}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:31: goal 'rst' is no task; did you mean 'rest'?
    """
    sheet = Definition(text, name, GrammarShape, "a grammar file")
    productions = [made for path, _ in sheet.items("tasks") for made in _task(sheet, path)]
    goals = _goals(sheet)
    if not sheet.is_touched("tasks"):
        _check_steps(sheet, productions)
    if not sheet.faults:
        for fault in grammar_faults(productions, goals):
            _tell(sheet, fault)
    if sheet.faults:
        raise_faults(sheet.faults)
    given = {key: value for key in _TOLERANCE if (value := sheet.entry(key)) is not None}
    return PlanGrammar(productions, goals, tolerance=Tolerance(**given))


def _goals(sheet: Definition) -> dict[str, float]:
    said = sheet.entry("goals", default={})
    if isinstance(said, dict):
        return dict(said)
    for place, goal in enumerate(said):
        if goal in said[:place]:
            sheet.fault(f"goal {goal!r} stands twice", ("goals", place), "name each once", code=FaultCode.DUPLICATE)
    return even_chances(said)


def _task(sheet: Definition, path: KeyPath) -> Iterator[Production]:
    task, methods = str(path[-1]), list(sheet.items(*path))
    if not methods and not sheet.is_touched(*path):
        sheet.fault(
            f"task {task!r} has no methods",
            path,
            "add one, as in `by_hand: {steps: [take]}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    chances = {where: sheet.entry(*where, "chance") for where, _ in methods}
    left = 1.0 - sum(chance for chance in chances.values() if chance is not None)
    sharing = sum(chance is None for chance in chances.values())
    for where, chance in chances.items():
        if chance is None and left <= 0.0 and not sheet.is_touched(*path):
            remedy = "give it a chance, and less to the others"
            sheet.fault(
                f"nothing is left for method {where[-1]!r}", where, remedy, at_key=True, code=FaultCode.UNREACHABLE
            )
        steps = tuple(text for _, text in _steps(sheet, (*where, "steps")))
        if not steps and not sheet.is_touched(*where):
            remedy = "write the methods that use this task twice, with it and without it"
            sheet.fault("a method without steps", (*where, "steps"), remedy, code=FaultCode.EMPTY)
        yield Production(task, str(where[-1]), steps, max(0.0, left) / sharing if chance is None else chance)


def _steps(sheet: Definition, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield the steps in an entry, each with its path. YAML cuts `[give(gold, smith)]` at the comma; it is mended."""
    said: Any = sheet.entry(*path, default=[])
    if isinstance(said, str):
        yield path, normalize_step(said)
        return
    whole, start = "", 0
    for place, piece in enumerate(each if isinstance(each, str) else "" for each in said):
        whole, start = (f"{whole}, {piece}", start) if whole else (piece, place)
        if whole.count("(") <= whole.count(")") or place == len(said) - 1:
            if whole:
                yield (*path, start), normalize_step(whole)
            whole = ""


def _check_steps(sheet: Definition, productions: list[Production]) -> None:
    """Note steps that are neither tasks nor actions, if the file says which actions there are."""
    if sheet.entry("actions") is None:
        return
    tasks = {each.task for each in productions}
    known = tasks | {action for _, action in _steps(sheet, ("actions",))}
    for path, _ in sheet.items("tasks"):
        for where, _ in sheet.items(*path):
            for at, step in _steps(sheet, (*where, "steps")):
                if step not in known and step.partition("(")[0] not in known:
                    sheet.fault(f"unknown step {step!r}", at, name_hint(step, known), code=FaultCode.UNKNOWN_NAME)


def _tell(sheet: Definition, fault: Fault) -> None:
    """Note a fault of the grammar where it stands in the file."""
    path = fault.path
    if path[:1] == ("goals",) and len(path) == 2 and isinstance(sheet.entry("goals"), list):
        path = ("goals", list(sheet.entry("goals")).index(path[1]))
    if path[:1] == ("tasks",) and len(path) == 5:  # steps that YAML cut are counted as they stand in the file
        path = list(_steps(sheet, path[:4]))[int(path[4])][0]
    at_key = (path[:1] == ("tasks",) and len(path) <= 3) or (
        path[:1] == ("goals",) and fault.code is FaultCode.UNKNOWN_NAME
    )
    sheet.faults.append(sheet.document.locate(replace(fault, path=path), at_key=at_key))


def is_grammar(text: str) -> bool:
    """Whether the text of a recogniser file is that of a grammar.

    >>> is_grammar("recognizer: grammar"), is_grammar("recognizer: ffbm")
    (True, False)
    """
    data = read_yaml(text).data
    return isinstance(data, dict) and data.get("recognizer") == "grammar"
