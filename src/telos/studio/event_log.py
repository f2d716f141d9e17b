"""The text log of a game: what happened and what every mind changed, in lines that are filtered and searched.

Start with `EventLog`: `Session` adds the happenings and the changes of each frame, and the page asks for the part that
it shows (`LogQuery`), so that a long game costs no more than a short one. `to_text` and `to_json_lines` export it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from telos.core.errors import TelosError
from telos.studio.recording import BandChange, TimelineEntry
from telos.studio.stage import Happening

# Kinds of lines, and the detail from which on they are shown: 1 little, 2 normal, 3 all. Other kinds have 2.
DETAIL = {"bad": 1, "goal": 1, "game": 1, "thrashing": 1, "said": 2, "event": 2, "mind": 2, "plan": 3}
_NORMAL, _ALL = 2, 3
MAX_ROWS = 200  # of one answer
_MAX_TEXT = 200  # characters of a search


class EventLogLine(NamedTuple):
    """A line of the log. ``happening`` is the number of its happening, if it has one; ``why`` is the cause."""

    number: int
    frame: int
    time: float
    kind: str
    who: str
    text: str
    why: str = ""
    happening: int | None = None

    def to_row(self) -> list[Any]:
        """Return the data of its row in the page."""
        return [self.number, self.frame, round(self.time, 3), self.kind, self.who, self.text, bool(self.why)]


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which lines are shown: of these characters (empty: of all), of all kinds but some, up to a detail."""

    who: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    detail: int = _NORMAL

    def shows(self, line: EventLogLine) -> bool:
        """Return whether a line is shown."""
        return (
            line.kind not in self.hidden
            and DETAIL.get(line.kind, _NORMAL) <= self.detail
            and (not self.who or line.who in self.who)
        )


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What a page asks for: ``count`` rows of the filtered log from ``start`` on, or around the shown ``frame``.

    ``find`` is searched for; ``near`` is the row from which the next match (``way`` 1) or the previous one (-1) is
    looked up. ``line`` is the number of a line whose cause and row are asked for.
    """

    filter: LogFilter = LogFilter()
    start: int | None = None
    count: int = 50
    frame: int | None = None
    find: str = ""
    near: int | None = None
    way: int = 1
    line: int | None = None

    @classmethod
    def from_mapping(cls, data: Mapping[str, str]) -> "LogQuery":
        """Return a query from the parameters of an address; a list is one parameter, its parts a line each."""
        numbers = {key: _to_number(key, data[key]) for key in ("start", "frame", "near", "line") if data.get(key)}
        return cls(
            LogFilter(
                frozenset(filter(None, data.get("who", "").split("\n"))),
                frozenset(filter(None, data.get("hidden", "").split("\n"))),
                min(max(_to_number("detail", data.get("detail") or str(_NORMAL)), 1), _ALL),
            ),
            count=min(max(_to_number("count", data.get("count") or "50"), 0), MAX_ROWS),
            find=data.get("find", "").strip()[:_MAX_TEXT],
            way=-1 if data.get("way") == "-1" else 1,
            **numbers,
        )


def _to_number(key: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        raise TelosError(f'"{key}" must be a whole number, got {text[:40]!r}')
    return int(text)


class EventLog:
    """All lines of a game, with the rows of the filter and the matches of the search that were asked for last."""

    def __init__(self) -> None:
        self.lines: list[EventLogLine] = []
        self.who: dict[str, None] = {}  # in the order in which they appear
        self.kinds: dict[str, int] = {}  # with the number of lines of each
        self._rows = _Selection(LogFilter())
        self._found = _Matches("", self._rows)

    # --- writing ------------------------------------------------------------------------------------------------------

    def add(self, frame: int, time: float, who: str, kind: str, text: str, *, why: str = "") -> None:
        """Add a line."""
        self._add(EventLogLine(len(self.lines), frame, time, kind, who, text, why))

    def add_frame(
        self, frame: int, time: float, entries: Iterable[TimelineEntry], changes: Sequence[BandChange]
    ) -> None:
        """Add the happenings of a frame, and what minds changed.

        A happening of the kind ``mind`` is the cause of its mind's change and no line of its own.
        """
        causes = {change.row: list[Happening]() for change in changes}
        for number, _, happening in entries:
            if happening.kind == "mind" and happening.who in causes:
                causes[happening.who].append(happening)
            elif happening.label:
                self._add(
                    EventLogLine(
                        len(self.lines), frame, happening.time, happening.kind, happening.who, happening.label,
                        happening.why, number,
                    )
                )  # fmt: skip
        for row, before, after in changes:
            why = "\n".join(f"{each.label}: {each.why}".removesuffix(": ") for each in causes[row])
            reason = causes[row][-1].why.partition("\n")[0] if causes[row] else ""
            text = f"{before or 'nothing'} → {after or 'nothing'}" + (f" ({reason})" if reason else "")
            self.add(frame, time, row, "mind", text, why=why)

    def _add(self, line: EventLogLine) -> None:
        self.lines.append(line)
        self.who.setdefault(line.who)
        self.kinds[line.kind] = self.kinds.get(line.kind, 0) + 1

    # --- reading ------------------------------------------------------------------------------------------------------

    def answer(self, query: LogQuery) -> dict[str, Any]:
        """Return the part of the log that a page asks for.

        ``at`` is the row of the moment that is shown: the last one up to its frame.
        """
        rows = self._select(query.filter)
        at = self._row_at(rows, query.frame)
        start = query.start
        if start is None:  # the shown moment in the middle, or the end
            start = len(rows) if query.frame is None else at - query.count // 2
        start = min(max(0, start), max(0, len(rows) - query.count))
        answer: dict[str, Any] = {
            "total": len(rows), "start": start, "at": at, "who": list(self.who), "kinds": self.kinds,
            "rows": [self.lines[number].to_row() for number in rows[start : start + query.count]],
        }  # fmt: skip
        if query.find:
            answer |= self._find(rows, query)
        if query.line is not None and query.line < len(self.lines):
            line = self.lines[query.line]
            answer["line"] = {"line": line.to_row(), "why": line.why, "row": _place(rows, line)}
        return answer

    def line_of(self, happening: int) -> int | None:
        """Return the number of the line of a happening; None if it has none."""
        found = (line.number for line in reversed(self.lines) if line.happening == happening)
        return next(found, None)

    def selected(self, filter: LogFilter) -> Iterator[EventLogLine]:
        """Yield the lines that a filter shows."""
        return (self.lines[number] for number in self._select(filter))

    def _select(self, filter: LogFilter) -> list[int]:
        if self._rows.filter != filter:
            self._rows = _Selection(filter)
        return self._rows.extend(self.lines)

    def _row_at(self, rows: list[int], frame: int | None) -> int:
        if frame is None:
            return len(rows) - 1
        return bisect_right(rows, frame, key=lambda number: self.lines[number].frame) - 1

    def _find(self, rows: list[int], query: LogQuery) -> dict[str, Any]:
        """Return how many rows match the search, and the one to go to."""
        if self._found.text != query.find.casefold() or self._found.rows is not self._rows:
            self._found = _Matches(query.find.casefold(), self._rows)
        matches = self._found.extend(self.lines)
        answer: dict[str, Any] = {"matches": len(matches)}
        if query.near is not None and matches:
            after = bisect_right(matches, query.near)
            before = after - 1 - (after > 0 and matches[after - 1] == query.near)
            place = after if query.way > 0 else before
            place %= len(matches)  # past the last comes the first
            answer |= {"match": place, "row": matches[place], "found": self.lines[rows[matches[place]]].to_row()}
        return answer


def _place(rows: list[int], line: EventLogLine) -> int | None:
    """Return the row of a line; None if the filter hides it."""
    at = bisect_right(rows, line.number) - 1
    return at if at >= 0 and rows[at] == line.number else None


class _Selection:
    """The numbers of the lines that a filter shows, extended as the log grows."""

    def __init__(self, filter: LogFilter) -> None:
        self.filter = filter
        self.numbers: list[int] = []
        self._read = 0

    def extend(self, lines: Sequence[EventLogLine]) -> list[int]:
        shows = self.filter.shows
        self.numbers += [at for at in range(self._read, len(lines)) if shows(lines[at])]
        self._read = len(lines)
        return self.numbers


class _Matches:
    """The rows of a selection that contain a text, extended as it grows."""

    def __init__(self, text: str, rows: _Selection) -> None:
        self.text, self.rows = text, rows
        self._matches: list[int] = []
        self._read = 0

    def extend(self, lines: Sequence[EventLogLine]) -> list[int]:
        numbers, text = self.rows.numbers, self.text
        for row in range(self._read, len(numbers)):
            line = lines[numbers[row]]
            if text in line.text.casefold() or text in line.who.casefold():
                self._matches.append(row)
        self._read = len(numbers)
        return self._matches


# --- export -----------------------------------------------------------------------------------------------------------


def to_text(lines: Iterable[EventLogLine]) -> bytes:
    r"""Return lines as text, with the causes indented below; a line break in a text becomes a blank.

    >>> print(to_text([EventLogLine(0, 12, 1.2, "mind", "Cal", "cover → attack", "enemy seen")]).decode(), end="")
         1.20  Cal           mind       cover → attack
                                        enemy seen
    """
    written = []
    for line in lines:
        text = " ".join(line.text.splitlines())
        written.append(f"{line.time:9.2f}  {line.who:<12}  {line.kind:<9}  {text}\n")
        written += [f"{'':36}{part}\n" for part in line.why.split("\n") if part]
    return "".join(written).encode()


def to_json_lines(lines: Iterable[EventLogLine]) -> bytes:
    r"""Return lines as JSON Lines.

    >>> to_json_lines([EventLogLine(0, 12, 1.2, "said", "Cal", "Cover me!")])
    b'{"frame":12,"time":1.2,"kind":"said","who":"Cal","text":"Cover me!"}\n'
    """
    written = []
    for line in lines:
        data = {"frame": line.frame, "time": round(line.time, 3), "kind": line.kind, "who": line.who, "text": line.text}
        written.append(orjson.dumps({**data, **({"why": line.why} if line.why else {})}))
    return b"".join(each + b"\n" for each in written)
