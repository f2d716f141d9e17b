"""Event logs row by row, from JSON Lines or CSV (no polars): ``read_log`` and ``write_log``."""

import codecs
import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias

from telos.core.conditions import ALWAYS
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import MAX_FLOAT, Value
from telos.files.reading import format_size, open_input, parse_json
from telos.files.writing import open_output
from telos.recognition.files.schema import Kind
from telos.telemetry.columns import Columns

_KEYS = ("player", "session", "time", "action", "context", "goal", "truth", "human")
_TABLES = (".csv", ".csv.gz")
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")
CellReader: TypeAlias = Callable[[str], Value]
MAX_LINE = 10_000_000  # characters of one line; more is no line of a log
MAX_COLUMNS = 5_000
MAX_DEPTH = 16  # of lists in lists


@dataclass(frozen=True, slots=True)
class LogRow:
    """One line of a log: an event, the session that it belongs to, and the goal that was pursued, if that is known."""

    event: Event
    session: str = ""
    truth: str | None = None
    line: int = 0
    human: bool = False  # the log says that a person played

    @property
    def sequence(self) -> tuple[str, str]:
        """Return what keeps sequences of events apart: the player and the session."""
        return self.event.player, self.session


def read_log(
    path: str | os.PathLike[str],
    *,
    columns: Columns | None = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[LogRow]:
    """Yield the rows of the log at ``path``, one by one, so that no log is too long.

    A ``.csv`` file (or ``.csv.gz``) needs ``columns``; every other is JSON Lines. ``progress`` is told at times how
    many bytes of the file have been read. A line that cannot be read raises a ``TelosError`` that names it.
    """
    name = os.fspath(path)
    is_table = name.lower().endswith(_TABLES)
    if is_table and columns is None:
        raise TelosError(
            f"{name}: a table needs a file that says what its columns are", "write one, and give --columns"
        )
    if columns is not None and not is_table:
        raise TelosError(f"{name}: columns are for tables (.csv), and this is no table", "leave --columns out")
    if columns is not None and (not columns.time_column or columns.when != ALWAYS):
        missing = "no time" if not columns.time_column else "goals under a condition"
        raise TelosError(f"{name}: the columns have {missing}", "events need `time`, and a column for `goal`")
    with open_input(name) as file:
        lines = _lines(file, name)
        rows = _table(lines, name, columns) if columns is not None else _json_lines(lines, name)
        yield from _counted(rows, name, file, progress)


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a text file, each with its line end; a bad one raises a ``TelosError`` that names it."""
    with open_input(path) as file:
        yield from _lines(file, os.fspath(path))


def _lines(file: io.BufferedReader, name: str) -> Iterator[str]:
    if file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise TelosError(f"{name}: the file is UTF-16", "save it as UTF-8")
    # An error of the decoder would not tell the line, so bytes that are not UTF-8 are passed on and found here.
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    number = 0
    while line := text.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and line[-1] not in "\r\n":
            raise too_long(f"{name}:{number}", MAX_LINE)
        if not line.isascii() and _NOT_UTF_8.search(line):
            raise TelosError(f"{name}:{number}: the line is not UTF-8", "save the file as UTF-8")
        if "\0" in line:
            raise TelosError(f"{name}:{number}: the line has a zero byte", "is this a log? save it as UTF-8 text")
        yield line


def too_long(where: str, limit: int) -> TelosError:
    """Return the error about a line that is longer than any line of a log."""
    return TelosError(f"{where}: the line is longer than {format_size(limit)}", "is this a log?")


def _counted(
    rows: Iterator[LogRow], name: str, file: io.BufferedReader, progress: Callable[[int], object] | None
) -> Iterator[LogRow]:
    count = 0
    for row in rows:
        count += 1
        if progress is not None and count % 1000 == 0:
            progress(file.raw.position)  # type: ignore[attr-defined]
        yield row
    if not count:
        raise TelosError(f"{name}: the log is empty", "record one event a line")


def _json_lines(lines: Iterable[str], name: str) -> Iterator[LogRow]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _row(parse_object(line), number)
        except TelosError as error:
            raise error.at(f"{name}:{number}") from None
        yield row


def parse_object(line: str) -> dict[str, Any]:
    """Return the JSON object of a line, or raise a ``TelosError`` without the place."""
    said = parse_json(line)
    if not isinstance(said, dict):
        raise TelosError(
            f"a line is one JSON object, got {line[:40].strip()}",
            'as in {"player": "p1", "time": 0.5, "action": "swing"}',
        )
    return said


def _row(said: Mapping[str, Any], line: int) -> LogRow:
    for key in said:
        if key not in _KEYS:
            raise TelosError(f"unknown key {key!r}", name_hint(key, _KEYS))
    for key in ("time", "action"):
        if key not in said:
            raise TelosError(f"{key!r} is missing", 'as in {"time": 0.5, "action": "swing", "context": {}}')
    context = said.get("context") or {}
    if not isinstance(context, dict):
        raise TelosError(f"a context is a mapping of names to values, got {context!r}")
    event = Event(
        said["action"],
        {name: _value(name, value) for name, value in context.items()},
        player=_name("player", said.get("player"), "player"),
        time=said["time"],
        goal=_goal("goal", said.get("goal")),
    )
    human = said.get("human") or False
    if not isinstance(human, bool):
        raise TelosError(f"'human' must be true or false, got {human!r}")
    return LogRow(event, _name("session", said.get("session"), ""), _goal("truth", said.get("truth")), line, human)


def _value(name: str, value: Any, depth: int = 0) -> Value:
    if isinstance(value, list) and depth < MAX_DEPTH:
        return tuple(_value(name, each, depth + 1) for each in value)
    is_number = isinstance(value, int | float)
    if isinstance(value, dict | list) or (is_number and not -MAX_FLOAT <= value <= MAX_FLOAT):
        raise TelosError(f"{name!r} in the context must be a plain, finite value, got {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, int | float) else f"a {type(value).__name__}"


def _name(key: str, said: Any, default: str) -> str:
    if said is None:
        return default
    if isinstance(said, bool) or not isinstance(said, str | int):
        raise TelosError(f"{key!r} must be a name, got {said!r}")
    return str(said)


def _goal(key: str, said: Any) -> str | None:
    if said is not None and not (isinstance(said, str) and said):
        raise TelosError(f"{key!r} must be the name of a goal or null, got {said!r}")
    return said


def _table(lines: Iterable[str], name: str, columns: Columns) -> Iterator[LogRow]:
    table = csv.reader(lines, strict=True)
    header: list[str] = []
    for cells in _records(table, name):
        line = max(table.line_num, 1)
        try:
            if not header:
                header = cells
                _check_header(header, columns)
                continue
            if not cells:
                continue
            if len(cells) != len(header):
                raise TelosError(f"the line has not {len(header)} cells as the first line has", "mend it")
            row = _table_row(dict(zip(header, cells, strict=True)), columns, line)
        except TelosError as error:
            raise error.at(f"{name}:{line}") from None
        yield row


def _records(table: Any, name: str) -> Iterator[list[str]]:
    while True:
        try:
            cells = next(table, None)
        except csv.Error as error:
            raise TelosError(f"{name}:{max(table.line_num, 1)}: {error}", "mend the line") from None
        if cells is None:
            return
        yield cells


def _check_header(header: Sequence[str], columns: Columns) -> None:
    if not header:
        raise TelosError("the first line is empty", "it should name the columns")
    check_names(header)
    for column in columns.event_columns:
        if column not in header:
            raise TelosError(f"there is no column {column!r}", name_hint(column, header))


def check_names(header: Sequence[str]) -> None:
    """Refuse a header that names a column twice, or too many columns."""
    if len(header) > MAX_COLUMNS:
        raise TelosError(f"there are {len(header):,} columns", f"a table has at most {MAX_COLUMNS:,}")
    if len(set(header)) < len(header):
        twice = next(name for name, count in Counter(header).items() if count > 1)
        raise TelosError(f"two columns are called {twice!r}", "rename one of them")


def _table_row(cells: Mapping[str, str], columns: Columns, line: int) -> LogRow:
    def cell(column: str) -> str:
        return cells[column] if column else ""

    context = {}
    for entry, source in columns.context.items():
        try:
            context[entry] = _value(entry, _cell_reader(source.kind)(cells[source.column]))
        except TelosError as error:
            raise error.at(f"column {source.column!r}") from None
    action = columns.actions.get(cell(columns.action), cell(columns.action))
    event = Event(
        action,
        context,
        player=cell(columns.player) or "player",
        time=_time(cell(columns.time_column), columns),
        goal=cell(columns.achieved) or columns.goals.get(cell(columns.action)) or None,
    )
    return LogRow(event, cell(columns.session), cell(columns.truth) or None, line)


def _time(cell: str, columns: Columns) -> float:
    try:
        return float(cell) * columns.unit
    except ValueError:
        raise TelosError(f"column {columns.time_column!r}: {cell!r} is not a time", "give a number") from None


def write_log(rows: Iterable[LogRow], path: str | os.PathLike[str]) -> int:
    """Write rows as JSON Lines, and return how many."""
    count = 0
    with open_output(path) as file:
        for row in rows:
            count += 1
            file.write(to_json(to_object(row), f"{os.fspath(path)}:{count}"))
    return count


def to_json(said: Mapping[str, Any], where: str, **options: Any) -> str:
    """Return a line of JSON; what JSON cannot hold raises a ``TelosError`` with the place."""
    try:
        return json.dumps(said, allow_nan=False, **options) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise TelosError(f"{where}: cannot be written as JSON: {error}", "write plain, finite values") from None


def to_object(row: LogRow) -> dict[str, Any]:
    """Return a row as a line of a log has it; reading it again gives an equal row.

    >>> to_object(LogRow(Event("swing", {"monsters": 2}, player="p1", time=1.5), truth="level"))
    {'player': 'p1', 'time': 1.5, 'action': 'swing', 'context': {'monsters': 2}, 'truth': 'level'}
    """
    event = row.event
    optional = {"goal": event.goal, "truth": row.truth}
    return {
        "player": event.player,
        **({"session": row.session} if row.session else {}),
        "time": event.time,
        "action": event.action,
        "context": dict(event.context),
        **{key: value for key, value in optional.items() if value is not None},
        **({"human": True} if row.human else {}),
    }


# --- cells of context columns -----------------------------------------------------------------------------------------


@cache  # called for every cell
def _cell_reader(kind: Kind) -> CellReader:
    """Return the function that converts the text of a cell to its value."""
    if isinstance(kind, str):
        return _CELLS.get(kind, str)

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
        return float(cell)  # NaN and infinity are rejected later, with all other values
    except ValueError:
        raise TelosError(f"{cell!r} is not a number") from None


def _text(cell: str) -> str | None:
    return None if cell in ("", "none") else cell  # lets conditions test `held == none`


def _edges(cell: str) -> tuple[str, ...]:
    return tuple(cell.replace(",", " ").split())


_CELLS: dict[str, Callable[[str], Value]] = {
    "bool": _bool,
    "int": _int,
    "number": _number,
    "text": _text,
    "edges": _edges,
}


# --- rows of recorded games -------------------------------------------------------------------------------------------


class RecordedPlay(Protocol):
    """One player's game: who played, in which style, and what she did."""

    @property
    def player(self) -> str: ...
    @property
    def style(self) -> str: ...
    @property
    def events(self) -> Sequence[Event]: ...


def iter_play_rows(plays: Iterable[RecordedPlay]) -> Iterator[dict[str, Any]]:
    """Yield a row for each event of each play, as it can be seen from outside.

    ``step`` counts a player's events, from 0; ``achieved`` is the goal that an event achieved, and nothing in the rest.
    """
    for play in plays:
        for step, event in enumerate(play.events):
            own = {
                "player": play.player,
                "style": play.style,
                "step": step,
                "time": event.time,
                "action": event.action,
            }
            known = {key: _cell(value) for key, value in event.context.items() if key not in own}
            yield {**own, **known, "achieved": event.goal}


def _cell(value: Any) -> Any:
    return " ".join(str(each) for each in value) if isinstance(value, tuple) else value


def align_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, all with the same keys in the same order: what a game did not know is None."""
    listed = list(rows)
    keys = dict.fromkeys(key for row in listed for key in row if key != "achieved")
    return [{**{key: row.get(key) for key in keys}, "achieved": row.get("achieved")} for row in listed]
