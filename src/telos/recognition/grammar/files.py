"""Plan grammars in YAML: the schema of the files and their loader."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.errors import Fault, FaultCode, KeyPath, name_hint
from telos.files.definition import Definition
from telos.files.reading import read_text
from telos.files.schema import FieldType, FileModel, branch_tag, name_type, schema_text, text_type
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


def load_grammar(path: str | os.PathLike[str]) -> PlanGrammar:
    """Read the grammar file at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_grammar(read_text(path), name=os.fspath(path))


def loads_grammar(text: str, *, name: str = "<text>") -> PlanGrammar:
    """Read a plan grammar from the text of a file; ``name`` stands for the file in faults.

    >>> loads_grammar("{recognizer: grammar, goals: [rst], tasks: {rest: {nap: {steps: lie}}}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:31: goal 'rst' is not a task; did you mean 'rest'?
    """
    definition = Definition(text, name, GrammarShape, "a grammar file")
    productions = [made for path, _ in definition.items("tasks") for made in _task(definition, path)]
    goals = _goals(definition)
    if not definition.is_touched("tasks"):
        _check_steps(definition, productions)
    if not definition.faults:
        for fault in grammar_faults(productions, goals):
            _add_fault(definition, fault)
    definition.raise_if_faulty()
    entries = definition.model
    assert entries is not None  # the file has no faults
    tolerance = Tolerance(entries.noise, entries.open_goals, entries.switch, entries.beam)
    return PlanGrammar(productions, goals, tolerance=tolerance)


def _goals(definition: Definition) -> dict[str, float]:
    written = definition.entry("goals", default={})
    if isinstance(written, dict):
        return dict(written)
    names: dict[str, None] = {}
    for place, goal in enumerate(written):
        if not isinstance(goal, str):
            continue  # a fault of the schema
        if goal in names:
            definition.fault(
                f"goal {goal!r} stands twice", ("goals", place), "name each once", code=FaultCode.DUPLICATE
            )
        names[goal] = None
    return even_chances(list(names))


def _task(definition: Definition, path: KeyPath) -> Iterator[Production]:
    task, methods = str(path[-1]), list(definition.items(*path))
    if not methods and not definition.is_touched(*path):
        definition.fault(
            f"task {task!r} has no methods",
            path,
            "add one, as in `by_hand: {steps: [take]}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    chances = {where: definition.entry(*where, "chance") for where, _ in methods}
    left = 1.0 - sum(chance for chance in chances.values() if chance is not None)
    sharing = sum(chance is None for chance in chances.values())
    for where, chance in chances.items():
        if chance is None and left <= 0.0 and not definition.is_touched(*path):
            remedy = "give it a chance, and less to the others"
            definition.fault(
                f"nothing is left for method {where[-1]!r}", where, remedy, at_key=True, code=FaultCode.UNREACHABLE
            )
        steps = tuple(text for _, text in _steps(definition, (*where, "steps")))
        if not steps and not definition.is_touched(*where):
            remedy = "write the methods that use this task twice, with it and without it"
            definition.fault("a method without steps", (*where, "steps"), remedy, code=FaultCode.EMPTY)
        yield Production(task, str(where[-1]), steps, max(0.0, left) / sharing if chance is None else chance)


def _steps(definition: Definition, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield the steps of an entry with their paths; steps that YAML split, `[give(gold, smith)]`, are joined."""
    written: Any = definition.entry(*path, default=[])
    if isinstance(written, str):
        yield path, normalize_step(written)
        return
    whole, start = "", 0
    for place, piece in enumerate(each if isinstance(each, str) else "" for each in written):
        whole, start = (f"{whole}, {piece}", start) if whole else (piece, place)
        if whole.count("(") <= whole.count(")") or place == len(written) - 1:
            if whole:
                yield (*path, start), normalize_step(whole)
            whole = ""


def _check_steps(definition: Definition, productions: list[Production]) -> None:
    """Add a fault for each step that is neither a task nor an action, if the file lists the actions."""
    if definition.entry("actions") is None:
        return
    tasks = {each.task for each in productions}
    known = tasks | {action for _, action in _steps(definition, ("actions",))}
    for path, _ in definition.items("tasks"):
        for where, _ in definition.items(*path):
            for at, step in _steps(definition, (*where, "steps")):
                if step not in known and step.partition("(")[0] not in known:
                    definition.fault(f"unknown step {step!r}", at, name_hint(step, known), code=FaultCode.UNKNOWN_NAME)


def _add_fault(definition: Definition, fault: Fault) -> None:
    """Add a fault of the grammar at its position in the file."""
    path = fault.path
    if path[:1] == ("goals",) and len(path) == 2 and isinstance(definition.entry("goals"), list):
        path = ("goals", list(definition.entry("goals")).index(path[1]))
    if path[:1] == ("tasks",) and len(path) == 5:  # the index of a joined step is that of its first part
        path = list(_steps(definition, path[:4]))[int(path[4])][0]
    at_key = (path[:1] == ("tasks",) and len(path) <= 3) or (
        path[:1] == ("goals",) and fault.code is FaultCode.UNKNOWN_NAME
    )
    definition.faults.append(definition.document.locate(replace(fault, path=path), at_key=at_key))
