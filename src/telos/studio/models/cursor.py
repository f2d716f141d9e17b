"""Where a cursor stands in YAML that is still being written: under which keys, at a key or at a value.

Nothing is parsed as a whole, since what is being written is mostly broken: lines are taken by their indentation, and
brackets from where they open.
"""

import re
from dataclasses import dataclass, field
from typing import TypeAlias

Way: TypeAlias = tuple[str | int, ...]  # keys, and places in lists

LONGEST = 2_000  # characters of a line: nobody writes longer ones, and some patterns take the square of it
_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s\[\]{}#&*!|>%@,"'-][^#{}\[\],]*?)\s*:(?=\s|\Z)""")
_COMMENT = re.compile(r"""(?:^|\s)\#.*""")
_QUOTED = re.compile(r"""(?<!\w)("[^"]*"|'[^']*')""")


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a cursor: the way to the mapping or list it is in, or to the entry whose value it writes.

    ``is_key`` if a key of a mapping may stand here; ``typed`` is what stands already before the cursor of what is being
    written, and ``present`` the keys that the mapping is known to have from the same line.
    """

    way: Way
    is_key: bool
    typed: str
    present: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Entry:
    """A key, or an item of a list (with its number), that what follows further to the right belongs to."""

    indent: int
    part: str | int


def spot_at(text: str, line: int, column: int) -> Spot | None:
    r"""Return where the cursor stands; lines and columns count from 1. None if it is in a comment.

    >>> spot_at("clock:\n  on: [input, ", 2, 15)
    Spot(way=('clock', 'on', 1), is_key=False, typed='', present=frozenset())
    """
    lines = text.split("\n")
    if not 1 <= line <= len(lines) or column > LONGEST:
        return None
    entries: list[_Entry] = []
    opener, brackets = "", _Brackets()
    for each in map(_bare, lines[: line - 1]):
        if not _goes_on(opener, brackets, each):
            opener, brackets = each, _Brackets()
        brackets.read(each)
        if not brackets.frames:
            _enter(entries, opener)
    here = lines[line - 1][: max(0, column - 1)]
    if _bare(here) != here:
        return None
    if _goes_on(opener, brackets, here):
        way, _ = _entered(entries, opener)
        brackets.read(here)
        return _in_brackets(way, brackets.frames)
    return _spot(entries, here)


def _goes_on(opener: str, brackets: "_Brackets", line: str) -> bool:
    """Whether a line is inside of brackets: it is further to the right; if not, they were never closed."""
    return bool(brackets.frames) and (not line.strip() or _indent(line) > _indent(opener))


def _spot(entries: list[_Entry], here: str) -> Spot:
    way, value = _entered(entries, here)
    brackets = _Brackets()
    brackets.read(here)
    if brackets.frames:
        return _in_brackets(way, brackets.frames)
    return Spot(way, True, here.lstrip(" -")) if value is None else Spot(way, False, value.lstrip())


def _in_brackets(way: Way, frames: "list[_Frame]") -> Spot:
    for frame in frames:
        if not frame.is_list and frame.key is None:
            return Spot(way, True, frame.typed.lstrip(), frozenset(frame.present))
        way = (*way, frame.place if frame.is_list else str(frame.key))
    return Spot(way, False, frames[-1].typed.lstrip())


# --- lines ------------------------------------------------------------------------------------------------------------


def _enter(entries: list[_Entry], line: str) -> None:
    """Take in a line that is complete."""
    if line.strip():
        _entered(entries, line)


def _entered(entries: list[_Entry], line: str) -> tuple[Way, str | None]:
    """Take in a line; return the way to its entry and the value so far, or to the mapping it is in and None."""
    rest, indent = _enter_items(entries, line)
    key = _KEY.match(rest)
    if key is not None or rest[:1] not in ("[", "{"):
        _leave(entries, indent)
    if key is None:
        return _way(entries), None
    entries.append(_Entry(indent, _unquoted(key[1])))
    return _way(entries), rest[key.end() :]


def _enter_items(entries: list[_Entry], line: str) -> tuple[str, int]:
    """Take in the dashes that a line starts with; return what is left, and how far to the right that is."""
    indent, rest = _indent(line), line.lstrip(" ")
    while rest.startswith("- ") or rest == "-":
        number = 0
        while entries and (entries[-1].indent > indent or _is_item(entries[-1], indent)):
            last = entries.pop()
            number = int(last.part) + 1 if _is_item(last, indent) else number
        entries.append(_Entry(indent, number))
        inside = rest[1:].lstrip(" ")
        indent, rest = indent + len(rest) - len(inside), inside
    return rest, indent


def _is_item(entry: _Entry, indent: int) -> bool:
    return entry.indent == indent and isinstance(entry.part, int)


def _leave(entries: list[_Entry], indent: int) -> None:
    """Drop what a line that starts here does not belong to."""
    while entries and entries[-1].indent >= indent:
        entries.pop()


def _way(entries: list[_Entry]) -> Way:
    return tuple(entry.part for entry in entries)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bare(line: str) -> str:
    """Return a line without its comment; nothing of one that nobody has written by hand."""
    if len(line) > LONGEST:
        return ""
    comment = _COMMENT.search(_hidden(line))
    return line if comment is None else line[: comment.start()]


def _hidden(line: str) -> str:
    """Return a line in which texts in quotes mean nothing."""
    return _QUOTED.sub(lambda found: "x" * len(found[0]), line)


def _unquoted(key: str) -> str:
    return key[1:-1] if key[:1] in "\"'" else key


# --- brackets ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Frame:
    """A bracket that is open: in a list at which place, in a mapping at which key, and what stands there so far."""

    is_list: bool
    place: int = 0
    key: str | None = None
    typed: str = ""
    present: set[str] = field(default_factory=set)


class _Brackets:
    """Reads line after line, and knows which brackets are open, the outermost first."""

    def __init__(self) -> None:
        self.frames: list[_Frame] = []

    def read(self, line: str) -> None:
        """Take in a line."""
        hidden, last = _hidden(line), ""
        for at, character in enumerate(hidden):
            if character in "[{":
                if self.frames or last in ("", ":", "-"):  # elsewhere it is part of a text
                    self.frames.append(_Frame(character == "["))
            elif character in "]}" and self.frames:
                self.frames.pop()
            elif self.frames:
                _read(self.frames[-1], character, hidden[at + 1 : at + 2], line[at])
            last = last if character == " " else character


def _read(frame: _Frame, character: str, following: str, written: str) -> None:
    if character == ",":
        frame.place, frame.key, frame.typed = frame.place + 1, None, ""
    elif character == ":" and not frame.is_list and frame.key is None and following in ("", " "):
        frame.key = _unquoted(frame.typed.strip())
        frame.present.add(frame.key)
        frame.typed = ""
    else:
        frame.typed += written
