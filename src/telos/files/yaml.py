"""YAML text to data, with the position of every entry.

`read_yaml` returns a `Document`. It is built on the event stream of the YAML library: a hostile text is left at the
first event that exceeds a limit, and only lists, dictionaries and scalars are constructed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import yaml

from telos.core.errors import Fault, FaultCode, KeyPath
from telos.files.reading import normalize_line_ends

MAX_MESSAGE = 300  # characters of a message, which may quote a hostile name of megabytes
MAX_DEPTH = 32
MAX_NODES = 200_000  # counted after aliases are followed: nine short lines can mean a billion entries

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # 25 times as fast, if libyaml is installed
_ANCHOR = re.compile(r"&\S*\s*")  # an anchor, which stands before its scalar
# The last two are line ends to the YAML library and to nobody else, and would shift the lines of all faults below.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028\u2029]")


AnyFault = TypeVar("AnyFault", bound=Fault)


class Position(NamedTuple):
    """The position of a key or a value. Lines and columns count from 1; ``source`` is a one-line scalar as written."""

    line: int
    column: int
    text: str = ""
    source: str = ""


class EntryPosition(NamedTuple):
    """The positions of an entry's key (None in a list) and value."""

    key: Position | None
    value: Position


@dataclass(frozen=True, slots=True)
class Document:
    """The data of a YAML text, the position of every entry, and the faults of the YAML itself.

    ``data`` is right except at the paths of ``faults``; it is None if nothing could be read.
    """

    file: str
    data: Any
    positions: dict[KeyPath, EntryPosition]
    faults: tuple[Fault, ...] = ()

    def locate(self, fault: AnyFault, *, at_key: bool = False) -> AnyFault:
        """Return the fault with the file, line, column and text of its path and offset."""
        path, offset = fault.path, fault.offset
        while path and path not in self.positions:
            path, offset = path[:-1], 0  # a missing entry is located at the entry around it
        entry = self.positions.get(path)
        if entry is None:
            return replace(fault, file=self.file)
        place, inside = (
            (entry.key, 0) if at_key and entry.key else (entry.value, source_width(entry.value.source, offset))
        )
        text = fault.text or place.text
        text = text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 3]}..."
        message = fault.message if len(fault.message) <= MAX_MESSAGE else f"{fault.message[: MAX_MESSAGE - 3]}..."
        return replace(
            fault,
            message=message,
            file=self.file,
            line=place.line,
            column=place.column + inside,
            text=in_one_line(text),
        )


def in_one_line(text: str) -> str:
    r"""Return ``text`` for one line of a terminal, without line breaks and control characters.

    >>> in_one_line("ammo >= 1\n  and alive")
    'ammo >= 1 and alive'
    """
    if not text.isprintable():
        text = " ".join(text.split())
        text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return text


def read_yaml(text: str, file: str = "<text>") -> Document:
    """Read one YAML document. It never raises; ``faults`` has what is wrong."""
    text = normalize_line_ends(text)
    composer = _Composer(text)
    fatal: Fault | None = None
    control = _NOT_TEXT.search(text)
    try:
        if control:
            raise _Stop(f"{control[0]!r} is not a character of a text file", _mark(text, control.start()), "delete it")
        composer.compose()
    except _Stop as stop:
        fatal = stop.fault
    except yaml.YAMLError as error:
        fatal = syntax_fault(error, text)
    if fatal:
        return Document(file, None, {}, (_in_file(fatal, file),))
    if composer.root is None or (composer.root.kind is str and composer.root.value is None):
        fault = Fault("the file is empty", line=1, column=1, code=FaultCode.EMPTY)
        return Document(file, None, {}, (_in_file(fault, file),))
    reader = _Reader()
    data = reader.data(composer.root, (), None)
    faults = (_in_file(fault, file) for fault in [*composer.faults, *reader.faults])
    return Document(file, data, reader.positions, tuple(faults))


# --- events to nodes, nodes to data -----------------------------------------------------------------------------------


class _Node(NamedTuple):
    """A scalar (its value), a list (its items) or a mapping (its keys and values in turn), as written."""

    kind: type
    value: Any
    place: Position
    tag: str = ""
    size: int = 1
    height: int = 0


class _Stop(Exception):
    """A fault after which the text cannot be read further."""

    def __init__(self, message: str, mark: Any, suggestion: str = "", *, code: FaultCode = FaultCode.BAD_YAML) -> None:
        super().__init__(message)
        self.fault = Fault(message, suggestion=suggestion, line=mark.line + 1, column=mark.column + 1, code=code)


def _in_file(fault: Fault, file: str) -> Fault:
    return replace(fault, file=file)


def _mark(text: str, index: int) -> yaml.Mark:
    before = text[:index]
    return yaml.Mark("", index, before.count("\n"), index - before.rfind("\n") - 1, None, 0)


class _Composer:
    """Turns events into nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: _Node | None = None
        self.faults: list[Fault] = []
        self._open: list[tuple[Any, list[_Node]]] = []  # the lists and mappings around the current event
        self._anchors: dict[str, _Node] = {}
        self._count = 0

    def compose(self) -> None:
        documents = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                if len(self._open) == MAX_DEPTH:
                    raise _Stop(
                        "too deeply nested", event.start_mark, f"at most {MAX_DEPTH} levels", code=FaultCode.TOO_LARGE
                    )
                self._open.append((event, []))
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.faults.append(
                        _Stop(
                            "a second document",
                            event.start_mark,
                            "write one definition in a file",
                            code=FaultCode.DUPLICATE,
                        ).fault
                    )
                    return
            else:
                self._take(event)

    def _take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event), event, event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            start, inside = self._open.pop()
            kind = list if isinstance(event, yaml.SequenceEndEvent) else dict
            size = 1 + sum(child.size for child in inside)
            height = 1 + max((child.height for child in inside), default=0)
            node = _Node(kind, inside, _place(start), start.tag or "", size, height)
            self._add(node, start, start.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event), event, None)

    def _scalar(self, event: Any) -> _Node:
        mark, end = event.start_mark, event.end_mark
        column, source = mark.column + 1, ""
        if mark.line == end.line:
            source = self.text[mark.index : end.index]
            if event.anchor and not event.tag:
                bare = _ANCHOR.sub("", source, count=1)
                column, source = column + len(source) - len(bare), bare
        place = Position(mark.line + 1, column, event.value, source)
        value = parse_scalar(event.value) if event.implicit[0] else event.value
        return _Node(str, value, place, event.tag or "")

    def _aliased(self, event: Any) -> _Node:
        if event.anchor not in self._anchors:
            if any(start.anchor == event.anchor for start, _ in self._open):
                message = f"alias *{event.anchor} stands inside of itself"
                raise _Stop(message, event.start_mark, code=FaultCode.CIRCULAR)
            message, remedy = f"unknown alias *{event.anchor}", f"mark what it repeats with &{event.anchor}"
            raise _Stop(message, event.start_mark, remedy, code=FaultCode.UNKNOWN_NAME)
        node = self._anchors[event.anchor]
        if len(self._open) + node.height > MAX_DEPTH:
            raise _Stop("too deeply nested", event.start_mark, f"at most {MAX_DEPTH} levels", code=FaultCode.TOO_LARGE)
        return node

    def _add(self, node: _Node, event: Any, anchor: str | None) -> None:
        self._count += node.size if isinstance(event, yaml.AliasEvent) else 1
        if self._count > MAX_NODES:
            raise _Stop(
                f"more than {MAX_NODES:,} entries",
                event.start_mark,
                "split it into several files",
                code=FaultCode.TOO_LARGE,
            )
        if anchor:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node


def _place(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


class _Reader:
    """Turns nodes into data; aliases are followed, so that every entry has its own path."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.positions: dict[KeyPath, EntryPosition] = {}

    def data(self, node: _Node, path: KeyPath, key: Position | None) -> Any:
        self.positions[path] = EntryPosition(key, node.place)
        if node.tag and node.tag != "!":  # a lone ! marks a text
            shown = node.tag.replace("tag:yaml.org,2002:", "!!")
            remedy = "write `not`, or put the text in quotes" if shown[:2] != "!!" else "leave it out"
            self._fault(f"tag {shown!r} is not allowed", node.place, path, remedy, code=FaultCode.UNSUPPORTED)
            return None
        if node.kind is list:
            return [self.data(child, (*path, i), None) for i, child in enumerate(node.value)]
        if node.kind is dict:
            return dict(self._items(node, path))
        return node.value

    def _items(self, node: _Node, path: KeyPath) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key, value in zip(node.value[::2], node.value[1::2], strict=True):
            if key.kind is not str:
                remedy = "a { or [ at the start of a text needs quotes around it"
                self._fault("a key must be a word", key.place, path, remedy, code=FaultCode.WRONG_TYPE)
                continue
            name = key.place.text  # `1:` and `true:` are texts too
            if name in seen:
                remedy = f"the first is on line {seen[name]}"
                self._fault(f"{name!r} stands twice", key.place, (*path, name), remedy, code=FaultCode.DUPLICATE)
                continue
            seen[name] = key.place.line
            yield name, self.data(value, (*path, name), key.place)

    def _fault(self, message: str, place: Position, path: KeyPath, suggestion: str, *, code: FaultCode) -> None:
        text = in_one_line(place.text)
        self.faults.append(Fault(message, text, suggestion, path, line=place.line, column=place.column, code=code))


# --- scalars ----------------------------------------------------------------------------------------------------------

MAX_DIGITS = 18  # of a whole number: what fits 64 bits. Longer ones are read as floats, in linear time

_CONSTANTS: dict[str, Any] = {"": None, "~": None}
for _value, _word in ((None, "null"), (True, "true"), (False, "false")):
    _CONSTANTS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), _value)
for _word in ("inf", "Inf", "INF"):
    _CONSTANTS |= {f".{_word}": float("inf"), f"+.{_word}": float("inf"), f"-.{_word}": float("-inf")}
_CONSTANTS |= dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan"))

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OTHER_BASE = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_QUOTE_PAIR = re.compile(r"''|.", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)


def parse_scalar(word: str) -> Any:
    """Return the value of an unquoted word.

    >>> [parse_scalar(word) for word in ("true", "yes", "~", "0x1f", "1e3", "ammo >= 1")]
    [True, 'yes', None, 31, 1000.0, 'ammo >= 1']
    """
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if word[0] not in "+-.0123456789":
        return word  # most words: an expression, a name, a type
    if len(word) <= MAX_DIGITS:
        if _INTEGER.match(word):
            return int(word)
        if _OTHER_BASE.match(word):
            return int(word, base=0)
    return float(word) if _FLOAT.match(word) else word


def source_width(source: str, offset: int) -> int:
    r"""Return the number of characters of ``source``, a scalar as written, before character ``offset`` of its value.

    A scalar of several lines has no ``source``: the result is its start.

    >>> source_width("ammo >= 1", 5), source_width("'ammo >= 1'", 5), source_width(r'"a\tb"', 2)
    (5, 6, 4)
    """
    if source[:1] not in ("'", '"'):
        return offset if source else 0
    columns = _source_columns(source)
    return columns[min(offset, len(columns) - 1)]


@lru_cache(maxsize=8)  # one text may have thousands of faults
def _source_columns(source: str) -> list[int]:
    """Return where each character of a quoted scalar starts in its source, and where the last one ends."""
    characters = (_QUOTE_PAIR if source[0] == "'" else _ESCAPE).findall(source[1:-1])
    return list(accumulate(map(len, characters), initial=1))


# --- faults of the YAML itself, in plain words ------------------------------------------------------------------------

_MESSAGES = {
    "mapping values are not allowed in this context": (
        "a ':' where none can be",
        "check the indentation, or put the text in quotes",
    ),
    "did not find expected key": ("expected a key here", "check the indentation and the brackets above"),
    "could not find expected ':'": ("no ':' after a key", "write `name: value`, or check the indentation"),
    "did not find expected '-' indicator": ("expected another `- item`", "check the indentation"),
    "block sequence entries are not allowed in this context": (
        "a '-' where no list can start",
        "start it on a new line",
    ),
    "found unknown escape character": ("unknown escape after \\", "use single quotes"),
    "did not find expected alphabetic or numeric character": (
        "& and * mark and repeat an entry in YAML",
        "write `and`, or put the text in quotes",
    ),
}


def syntax_fault(error: Any, text: str) -> Fault:
    """Return the fault of a text that is not YAML."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Fault("this is not YAML", suggestion="is it a text file?", line=1, column=1, code=FaultCode.BAD_YAML)
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        return _fault("tab used for indentation", "use spaces", mark.line, indent.index("\t"))
    problem = str(error.problem)
    quotes = _fault_of_quotes(lines, mark)
    if quotes is not None:
        return quotes
    opening: Any = getattr(error, "context_mark", None)
    if problem in ("did not find expected ',' or ']'", "did not find expected ',' or '}'"):
        bracket = "[" if problem.endswith("']'") else "{"
        remedy = f"close it, or put a ',' before line {mark.line + 1}, column {mark.column + 1}"
        return _fault(f"'{bracket}' is never closed", remedy, opening.line, opening.column)
    if problem == "found unexpected end of stream" and opening is not None:
        return _fault("the quotes are never closed", "close them", opening.line, opening.column)
    if problem == "found character that cannot start any token":
        character = line[mark.column : mark.column + 1]
        return _fault(f"a text cannot start with {character!r}", "put it in quotes", mark.line, mark.column)
    message, remedy = _MESSAGES.get(problem, (problem, "put the text in quotes"))
    return _fault(message, remedy, mark.line, mark.column)


MAX_QUOTED = 500  # characters of a line in which faults of quotes are looked for

# What ends a text in quotes too early, and what makes a text with a brace at its start an entry of its own.
_APOSTROPHE = re.compile(r"(?<![\w'])'(?:[^']|'')*[^\W\d_](')(?=[^\W\d_])")
_BRACE = re.compile(r"(?:^\s*-|:|[\[,])\s+?(\{\s*\w+\s*\})[ \t]*(?=[^\s,\]}#:])|[\[](\{\w+\})[ \t]*(?=[^\s,\]}#:])")


def _fault_of_quotes(lines: list[str], mark: Any) -> Fault | None:
    """Return the fault of a text on the line of a fault, or on the line before, that needs other quotes."""
    for number in (mark.line, mark.line - 1):
        line = lines[number][:MAX_QUOTED] if 0 <= number < len(lines) else ""
        apostrophe, brace = _APOSTROPHE.search(line), _BRACE.search(line)
        if apostrophe and (number, apostrophe.start(1)) < (mark.line, mark.column + 1):
            remedy = "put the text in double quotes, or write the apostrophe twice"
            return _fault("the apostrophe ends the text in single quotes", remedy, number, apostrophe.start(1))
        if brace and (number, brace.end(1)) <= (mark.line, mark.column + 1):
            column = brace.start(1) if brace[1] else brace.start(2)
            return _fault("a { at the start of a text needs quotes", "put the whole text in quotes", number, column)
    return None


def _fault(message: str, suggestion: str, line: int, column: int) -> Fault:
    return Fault(message, suggestion=suggestion, line=line + 1, column=column + 1, code=FaultCode.BAD_YAML)
