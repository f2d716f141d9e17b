"""Event logs row by row, from JSON Lines or CSV (no polars): ``read_log`` and ``write_log``."""

import csv
import gzip
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from telos.core.conditions import ALWAYS
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.telemetry.columns import Columns

_KEYS = ("player", "session", "time", "action", "context", "goal", "truth", "human")
_TABLES = (".csv", ".csv.gz")
_LONGEST = 10_000_000  # characters of one line; more is no line of a log


@dataclass(frozen=True, slots=True)
class LogRow:
    """One line of a log: an event, the session that it belongs to, and the goal that was pursued, if that is known."""

    event: Event
    session: str = ""
    truth: str | None = None
    line: int = 0

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
    with _opened(name) as file:
        text = io.TextIOWrapper(_inflated(file, name), encoding="utf-8-sig", newline="")
        rows = _table(text, name, columns) if columns is not None else _json_lines(text, name)
        yield from _counted(rows, name, file, progress)


def _opened(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except FileNotFoundError:
        raise TelosError(f"{name}: no such file", "name a log, as in: play.jsonl") from None
    except IsADirectoryError:
        raise TelosError(f"{name}: this is a folder", "name a log in it") from None
    except OSError as error:
        raise TelosError(f"{name}: cannot be read: {error.strerror or error}") from None


def _inflated(file: BinaryIO, name: str) -> Any:
    return gzip.GzipFile(fileobj=file) if name.lower().endswith(".gz") else file


def _counted(
    rows: Iterator[LogRow], name: str, file: BinaryIO, progress: Callable[[int], object] | None
) -> Iterator[LogRow]:
    count = 0
    try:
        for row in rows:
            count += 1
            if progress is not None and count % 1000 == 0:
                progress(file.tell())
            yield row
    except UnicodeDecodeError:
        raise TelosError(f"{name}: the log is not UTF-8", "save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError):
        raise TelosError(f"{name}: not a whole gzip file", "compress it again") from None
    if not count:
        raise TelosError(f"{name}: the log is empty", "record one event a line")


def _json_lines(text: io.TextIOWrapper, name: str) -> Iterator[LogRow]:
    number = 0
    while line := text.readline(_LONGEST):
        number += 1
        if not line.strip():
            continue
        try:
            yield _row(_parsed(line), number)
        except TelosError as error:
            raise error.at(f"{name}:{number}") from None


def _parsed(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        remedy = "write one JSON object a line"
        raise TelosError(f"this is not JSON: {error.msg} at column {error.colno}", remedy) from None
    except RecursionError:
        raise TelosError("this is nested too deeply", "a context holds plain values") from None
    if not isinstance(said, dict):
        raise TelosError('a line of a log is one object, as in {"player": "p1", "time": 0.5, "action": "swing"}')
    return said


def _refuse_constant(word: str) -> Any:
    raise TelosError(f"{word} is not a value", "numbers stay finite")


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
    return LogRow(event, _name("session", said.get("session"), ""), _goal("truth", said.get("truth")), line)


def _value(name: str, value: Any) -> Value:
    if isinstance(value, list):
        return tuple(_value(name, each) for each in value)
    if isinstance(value, dict) or (isinstance(value, float) and not math.isfinite(value)):
        raise TelosError(f"{name!r} in the context must be a plain, finite value, got {value!r}")
    return value


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


def _table(text: io.TextIOWrapper, name: str, columns: Columns) -> Iterator[LogRow]:
    table = csv.DictReader(text, strict=True)
    try:
        header = list(table.fieldnames or ())
        for column in columns.event_columns if header else ():
            if column not in header:
                raise TelosError(f"there is no column {column!r}", name_hint(column, header))
        for cells in table:
            if None in cells or None in cells.values():
                raise TelosError(f"the line has not {len(header)} cells as the first line has", "mend it")
            yield _table_row(cells, columns, table.line_num)
    except (TelosError, csv.Error) as error:
        raise TelosError(f"{name}:{max(table.line_num, 1)}: {error}") from None


def _table_row(cells: Mapping[str, str], columns: Columns, line: int) -> LogRow:
    def cell(column: str) -> str:
        return cells[column] if column else ""

    context = {}
    for entry, (column, value_of) in columns.context.items():
        try:
            context[entry] = _value(entry, value_of(cells[column]))
        except TelosError as error:
            raise error.at(f"column {column!r}") from None
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


def write_log(rows: Iterator[LogRow], path: str | os.PathLike[str]) -> int:
    """Write rows as JSON Lines, and return how many."""
    count = 0
    with Path(path).open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(to_object(row), allow_nan=False) + "\n")
            count += 1
    return count


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
