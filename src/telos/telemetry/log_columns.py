"""Column files: which column of a table holds what, so that anybody's log can be read."""

import os
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.errors import KeyPath, TelosError
from telos.core.values import FrozenMap, Value
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FileModel, PositiveDuration, branch_tag, name_type, parse_duration, text_type
from telos.files.yaml import read_text
from telos.recognition.files.schema import KindShape, read_kind
from telos.telemetry.logs import Columns

_ONE, _MAPPING = branch_tag("one"), branch_tag("mapping")
_Column: TypeAlias = Annotated[str, text_type("the name of a column")]


class TimeShape(FileModel):
    """A column that counts something else than seconds."""

    column: _Column = Field(examples=["step"])
    """The column."""
    unit: PositiveDuration = 1.0
    """How long one of what it counts is: `150 ms`."""


_Time: TypeAlias = Annotated[
    Annotated[_Column, Tag(_ONE)] | Annotated[TimeShape, Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]


class EntryShape(FileModel):
    """A fact of the game that stands in a column of another name."""

    column: _Column = Field(examples=["n_mobs"])
    """The column."""
    type: KindShape = Field(examples=["int"])
    """bool, int, number, text, or a list of labels."""


_Entry: TypeAlias = Annotated[
    Annotated[KindShape, Tag(_ONE)] | Annotated[EntryShape, Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]


class ColumnsShape(FileModel):
    """Which column of a log holds what."""

    columns: Annotated[str, name_type("the name of the log")] = Field(examples=["overcooked"])
    """The name of the log."""
    time: _Time = Field(examples=["time"])
    """The column with the time in seconds, or `{column: step, unit: 150 ms}`."""
    action: _Column = Field(examples=["action"])
    """The column with what the player did."""
    player: _Column = ""
    """The column that tells players apart; one player if left out."""
    session: _Column = ""
    """The column that tells the sessions of a player apart; one session if left out."""
    goal: _Column = ""
    """The column with the goal that was achieved, if any."""
    truth: _Column = ""
    """The column with the goal that the player pursued, where it is known."""
    context: dict[schema.VariableName, _Entry] = Field(default_factory=dict)
    """What the game knew, each with its type: `{d_pot: int}`, or `{near: {column: d_pot, type: int}}`."""
    actions: dict[str, _Column] = Field(default_factory=dict)
    """What the recogniser calls an action of the log: `{interact: swing}`; others keep their names."""


def load_columns(path: str | os.PathLike[str]) -> Columns:
    """Read the column file at ``path``; a bad one raises a ``DefinitionError`` that holds all its faults."""
    return loads_columns(read_text(path), name=os.fspath(path))


def loads_columns(text: str, *, name: str = "<text>") -> Columns:
    """Read columns from the text of a column file; ``name`` stands for it in faults.

    >>> loads_columns("{columns: kitchen, time: {column: step, unit: 150 ms}, action: key}").unit
    0.15
    """
    sheet = Definition(text, name, ColumnsShape, "a column file")
    context = {str(path[-1]): _entry(sheet, path) for path in _good(sheet)}
    if sheet.faults:
        raise_faults(sheet.faults)
    time = sheet.entry("time")
    time = time if isinstance(time, dict) else {"column": time}
    return Columns(
        time=time["column"],
        unit=parse_duration(time.get("unit", 1.0)) or 1.0,
        context=FrozenMap(context),
        actions=FrozenMap(sheet.entry("actions", default={})),
        **{key: sheet.entry(key, default="") for key in ("action", "player", "session", "goal", "truth")},
    )


def _good(sheet: Definition) -> list[KeyPath]:
    return [path for path, _ in sheet.items("context") if not sheet.is_touched(*path)]


def _entry(sheet: Definition, path: KeyPath) -> tuple[str, Callable[[str], Value]]:
    said: Any = sheet.entry(*path)
    column, kind = (said["column"], said["type"]) if isinstance(said, dict) else (str(path[-1]), said)
    where = (*path, "type") if isinstance(said, dict) else path
    return column, _reader(read_kind(sheet, where, kind))


def _reader(kind: str | tuple[str, ...]) -> Callable[[str], Value]:
    """Return the function from the text of a cell to its value."""
    if isinstance(kind, str):
        return _CELLS.get(kind, str)  # what is no kind has been told off

    def label(cell: str) -> str:
        if cell not in kind:
            raise TelosError(f"{cell!r} is not one of {', '.join(kind)}")
        return cell

    return label


def _bool(cell: str) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if cell.lower() not in known:
        raise TelosError(f"{cell!r} is not true or false")
    return known[cell.lower()]


def _int(cell: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise TelosError(f"{cell!r} is not a whole number") from None


def _number(cell: str) -> float:
    try:
        return float(cell)  # a NaN or an infinity is refused where all values are
    except ValueError:
        raise TelosError(f"{cell!r} is not a number") from None


def _text(cell: str) -> str | None:
    return None if cell in ("", "none") else cell  # so that a condition can ask whether `held == none`


def _edges(cell: str) -> tuple[str, ...]:
    return tuple(cell.replace(",", " ").split())


_CELLS: dict[str, Callable[[str], Value]] = {
    "bool": _bool,
    "int": _int,
    "number": _number,
    "text": _text,
    "edges": _edges,
}
