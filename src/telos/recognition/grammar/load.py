"""Grammar files: the plans for each goal in YAML, read with every fault named by line."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from telos.core.errors import Fault, FaultCode, Path, name_hint
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.files.yaml_text import read_yaml
from telos.recognition.grammar.faults import grammar_faults
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.productions import Production, even, tidy_step
from telos.recognition.grammar.shape import GrammarShape
from telos.recognition.grammar.tolerance import Tolerance

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
    sheet = Sheet(text, name, GrammarShape, "a grammar file")
    productions = [made for path, _ in sheet.items("tasks") for made in _task(sheet, path)]
    goals = _goals(sheet)
    if not sheet.is_touched("tasks"):
        _check_steps(sheet, productions)
    if not sheet.faults:
        for fault in grammar_faults(productions, goals):
            _tell(sheet, fault)
    if sheet.faults:
        refuse(sheet.faults)
    given = {key: value for key in _TOLERANCE if (value := sheet.entry(key)) is not None}
    return PlanGrammar(productions, goals, tolerance=Tolerance(**given))


def _goals(sheet: Sheet) -> dict[str, float]:
    said = sheet.entry("goals", default={})
    if isinstance(said, dict):
        return dict(said)
    for place, goal in enumerate(said):
        if goal in said[:place]:
            sheet.fault(f"goal {goal!r} stands twice", ("goals", place), "name each once", code=FaultCode.DUPLICATE)
    return even(said)


def _task(sheet: Sheet, path: Path) -> Iterator[Production]:
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


def _steps(sheet: Sheet, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the steps in an entry, each with its path. YAML cuts `[give(gold, smith)]` at the comma; it is mended."""
    said: Any = sheet.entry(*path, default=[])
    if isinstance(said, str):
        yield path, tidy_step(said)
        return
    whole, start = "", 0
    for place, piece in enumerate(each if isinstance(each, str) else "" for each in said):
        whole, start = (f"{whole}, {piece}", start) if whole else (piece, place)
        if whole.count("(") <= whole.count(")") or place == len(said) - 1:
            if whole:
                yield (*path, start), tidy_step(whole)
            whole = ""


def _check_steps(sheet: Sheet, productions: list[Production]) -> None:
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


def _tell(sheet: Sheet, fault: Fault) -> None:
    """Note a fault of the grammar where it stands in the file."""
    path = fault.path
    if path[:1] == ("goals",) and len(path) == 2 and isinstance(sheet.entry("goals"), list):
        path = ("goals", list(sheet.entry("goals")).index(path[1]))
    if path[:1] == ("tasks",) and len(path) == 5:  # steps that YAML cut are counted as they stand in the file
        path = list(_steps(sheet, path[:4]))[int(path[4])][0]
    at_key = (path[:1] == ("tasks",) and len(path) <= 3) or (
        path[:1] == ("goals",) and fault.code is FaultCode.UNKNOWN_NAME
    )
    sheet.faults.append(sheet.document.located(replace(fault, path=path), at_key=at_key))


def is_grammar(text: str) -> bool:
    """Whether the text of a recogniser file is that of a grammar.

    >>> is_grammar("recognizer: grammar"), is_grammar("recognizer: ffbm")
    (True, False)
    """
    data = read_yaml(text).data
    return isinstance(data, dict) and data.get("recognizer") == "grammar"
