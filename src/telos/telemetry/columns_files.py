"""Corpus files: which column of a table holds what, in YAML; read with every fault named by line."""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path as File
from typing import Any

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, FaultCode, Path, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.frozen import FrozenMap
from telos.core.parser import parse_expression
from telos.telemetry.columns import OWN, Columns
from telos.telemetry.columns_shape import CorpusShape

BUILT_IN = File(__file__).with_name("data")


def built_in_columns() -> tuple[str, ...]:
    """Return the names of the corpus files that come along.

    >>> built_in_columns()
    ('crafter', 'island', 'overcooked', 'starcraft')
    """
    return tuple(sorted(file.stem for file in BUILT_IN.glob("*.yaml")))


def named_columns(name: str | os.PathLike[str]) -> Columns:
    """Return the columns of a corpus file, or of one that comes along, by its name."""
    said = os.fspath(name)
    if said in built_in_columns():
        return load_columns(BUILT_IN / f"{said}.yaml")
    if not File(said).suffix and not File(said).exists():
        raise TelosError(f"no corpus file {said!r}", name_hint(said, built_in_columns()))
    return load_columns(said)


def load_columns(path: str | os.PathLike[str]) -> Columns:
    """Read the corpus file at ``path``; a bad one raises a ``DefinitionError`` that holds all its faults."""
    return loads_columns(read_text(path), name=os.fspath(path))


def loads_columns(text: str, *, name: str = "<text>") -> Columns:
    """Read columns from the text of a corpus file; ``name`` stands for it in faults.

    >>> loads_columns("{corpus: mine, action: key, achieved: won, features: [d, d]}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:58: feature 'd' is listed twice; leave one out
    """
    sheet = Sheet(text, name, CorpusShape, "a corpus file")
    parts = {"bins": _bins(sheet), "features": _features(sheet), **_achieved(sheet), **_order(sheet), **_drop(sheet)}
    if sheet.faults:
        refuse(sheet.faults)
    plain = {key: sheet.entry(key, default="") for key in ("action", "player", "session", "group")}
    return Columns(**plain, **parts, name=sheet.entry("corpus"))


def _drop(sheet: Sheet) -> dict[str, Any]:
    said = sheet.entry("drop", default=False)
    if isinstance(said, dict):
        values = {
            name: (each,) if isinstance(each, str) else tuple(each)
            for name, each in said.items()
            if isinstance(each, str | list)
        }
        return {"drop_values": FrozenMap(values)}
    condition = _condition(sheet, ("drop",), default=False)
    return {"drop": None if condition.expression == Literal(False) else condition}


def _order(sheet: Sheet) -> dict[str, Any]:
    said = sheet.entry("order", default="")
    if isinstance(said, dict):
        return {
            "order": sheet.entry("order", "column", default=""),
            "sort": sheet.entry("order", "sort", default=False),
        }
    return {"order": said}


def _achieved(sheet: Sheet) -> dict[str, Any]:
    said = sheet.entry("achieved", default="")
    if not isinstance(said, dict):
        return {"achieved": said}
    when = _condition(sheet, ("achieved", "when"), default=True)
    goal, actions = sheet.entry("achieved", "goal", default=""), sheet.entry("achieved", "actions", default={})
    if bool(goal) == bool(actions) and not any(sheet.is_touched("achieved", key) for key in ("goal", "actions")):
        message = "both a column and actions name the goal" if goal else "nothing names the goal"
        sheet.fault(
            message,
            ("achieved",),
            "as in `{when: is_goal == 1, goal: milestone}` or `{actions: {talk: nurse}}`",
            code=FaultCode.CONFLICT,
        )
    return {
        "achieved": goal,
        "when": when,
        "goals": FrozenMap({str(action): str(name) for action, name in actions.items()}),
    }


def _features(sheet: Sheet) -> FrozenMap[str, str]:
    found: dict[str, str] = {}
    for path, name, column in list(_listed(sheet)):
        if sheet.is_touched(*path):
            continue
        if name in OWN:
            sheet.fault(
                f"every corpus has a column {name!r} of its own",
                path,
                "rename it: `features: {name: column}`",
                code=FaultCode.DUPLICATE,
            )
        elif name in found:
            sheet.fault(f"feature {name!r} is listed twice", path, "leave one out", code=FaultCode.DUPLICATE)
        found[name] = column
    return FrozenMap(found)


def _listed(sheet: Sheet) -> Iterator[tuple[Path, str, str]]:
    """Yield the features that the file lists: where, under which name, and in which column."""
    said = sheet.entry("features", default=[])
    if isinstance(said, str):
        yield ("features",), said, said
    elif isinstance(said, dict):
        yield from ((("features", name), name, column) for name, column in said.items())
    else:
        yield from ((("features", i), column, column) for i, column in enumerate(said))


def _bins(sheet: Sheet) -> FrozenMap[str, tuple[float, ...]]:
    features = [name for _, name, _ in _listed(sheet)]
    found = {}
    for path, edges in list(sheet.items("bins")):
        name = str(path[-1])
        if sheet.is_touched(*path):
            continue
        if name not in features and not sheet.is_touched("features"):
            sheet.fault(
                f"bins for {name!r}, which is no feature",
                path,
                name_hint(name, features),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif not edges or any(low >= high for low, high in pairwise(edges)):
            sheet.fault(f"the edges of {name!r} must rise", path, "as in `[0, 1, 3, 8]`", code=FaultCode.OUT_OF_RANGE)
        found[name] = tuple(edges)
    return FrozenMap(found)


def _condition(sheet: Sheet, path: Path, *, default: bool) -> Condition:
    said = sheet.entry(*path, default=default)
    if isinstance(said, bool):
        return Condition(Literal(said))
    try:
        return Condition(parse_expression(said))
    except DefinitionError as error:
        sheet.faults += [sheet.document.located(replace(fault, path=path)) for fault in error.faults]
        return ALWAYS
