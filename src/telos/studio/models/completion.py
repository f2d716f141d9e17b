"""Completion in the editor: `completions` returns what may stand at the cursor of a YAML file.

It combines the position of the cursor (`find_cursor`), the JSON Schema of the file format (`find_schemas`) and the
names that the file declares (`DeclaredNames`). The text is usually incomplete, so it is not parsed as a whole: lines
are read by their indentation, and brackets from where they open.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from telos.core.errors import KeyPath, TelosError
from telos.core.values import Type, ValueKind
from telos.files.formats import find_kind, schema_text
from telos.files.yaml import read_yaml
from telos.recognition.director import ADVENTURE_EARNINGS, ALL_EARNINGS
from telos.recognition.distributions import OTHERS
from telos.recognition.files.schema import ADVENTURE_WORD
from telos.recognition.observations import FLAIRS_SYMBOLS
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

# --- cursor -----------------------------------------------------------------------------------------------------------


MAX_LINE = 2_000  # characters of a line: some patterns take quadratic time
_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s\[\]{}#&*!|>%@,"'-][^#{}\[\],]*?)\s*:(?=\s|\Z)""")
_COMMENT = re.compile(r"""(?:^|\s)\#.*""")
_QUOTED = re.compile(r"""(?<!\w)("[^"]*"|'[^']*')""")


@dataclass(frozen=True, slots=True)
class CursorContext:
    """The position of a cursor: the path of its mapping or list, or of the entry whose value is being written.

    ``is_key`` tells whether a key may stand here, ``typed`` is the part of the word before the cursor, and ``present``
    are the keys that the mapping has on the same line.
    """

    path: KeyPath
    is_key: bool
    typed: str
    present: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Entry:
    """A key or a list item (by number); lines with more indentation belong to it."""

    indent: int
    part: str | int


def find_cursor(text: str, line: int, column: int) -> CursorContext | None:
    r"""Return the context of a cursor (line and column from 1); None inside a comment.

    >>> find_cursor("clock:\n  on: [input, ", 2, 15)
    CursorContext(path=('clock', 'on', 1), is_key=False, typed='', present=frozenset())
    """
    lines = text.split("\n")
    if not 1 <= line <= len(lines) or column > MAX_LINE:
        return None
    entries: list[_Entry] = []
    opener, brackets = "", _Brackets()
    for each in map(_strip_comment, lines[: line - 1]):
        if not _is_continued(opener, brackets, each):
            opener, brackets = each, _Brackets()
        brackets.read(each)
        if not brackets.frames:
            _enter_complete(entries, opener)
    here = lines[line - 1][: max(0, column - 1)]
    if _strip_comment(here) != here:
        return None
    if _is_continued(opener, brackets, here):
        path, _ = _enter_line(entries, opener)
        brackets.read(here)
        return _in_brackets(path, brackets.frames)
    return _spot(entries, here)


def _is_continued(opener: str, brackets: "_Brackets", line: str) -> bool:
    """Return whether a line is inside brackets: it has more indentation, otherwise they were never closed."""
    return bool(brackets.frames) and (not line.strip() or _indent(line) > _indent(opener))


def _spot(entries: list[_Entry], here: str) -> CursorContext:
    path, value = _enter_line(entries, here)
    brackets = _Brackets()
    brackets.read(here)
    if brackets.frames:
        return _in_brackets(path, brackets.frames)
    return CursorContext(path, True, here.lstrip(" -")) if value is None else CursorContext(path, False, value.lstrip())


def _in_brackets(path: KeyPath, frames: "list[_Frame]") -> CursorContext:
    for frame in frames:
        if not frame.is_list and frame.key is None:
            return CursorContext(path, True, frame.typed.lstrip(), frozenset(frame.present))
        path = (*path, frame.place if frame.is_list else str(frame.key))
    return CursorContext(path, False, frames[-1].typed.lstrip())


# --- lines ------------------------------------------------------------------------------------------------------------


def _enter_complete(entries: list[_Entry], line: str) -> None:
    """Enter a complete line."""
    if line.strip():
        _enter_line(entries, line)


def _enter_line(entries: list[_Entry], line: str) -> tuple[KeyPath, str | None]:
    """Enter a line; return the path of its entry and the value so far, or the path of its mapping and None."""
    rest, indent = _enter_items(entries, line)
    key = _KEY.match(rest)
    if key is not None or rest[:1] not in ("[", "{"):
        _leave(entries, indent)
    if key is None:
        return _to_path(entries), None
    entries.append(_Entry(indent, _unquote(key[1])))
    return _to_path(entries), rest[key.end() :]


def _enter_items(entries: list[_Entry], line: str) -> tuple[str, int]:
    """Enter the dashes at the start of a line; return the rest and its indentation."""
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
    """Drop the entries that a line with this indentation does not belong to."""
    while entries and entries[-1].indent >= indent:
        entries.pop()


def _to_path(entries: list[_Entry]) -> KeyPath:
    return tuple(entry.part for entry in entries)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _strip_comment(line: str) -> str:
    """Return a line without its comment; the empty text for a line that is too long."""
    if len(line) > MAX_LINE:
        return ""
    comment = _COMMENT.search(_mask_quotes(line))
    return line if comment is None else line[: comment.start()]


def _mask_quotes(line: str) -> str:
    """Return a line with quoted texts masked."""
    return _QUOTED.sub(lambda found: "x" * len(found[0]), line)


def _unquote(key: str) -> str:
    return key[1:-1] if key[:1] in "\"'" else key


# --- brackets ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Frame:
    """An open bracket: the position in a list or the key in a mapping, and the text so far."""

    is_list: bool
    place: int = 0
    key: str | None = None
    typed: str = ""
    present: set[str] = field(default_factory=set)


class _Brackets:
    """The open brackets after a sequence of lines, the outermost first."""

    def __init__(self) -> None:
        self.frames: list[_Frame] = []

    def read(self, line: str) -> None:
        """Read the next line."""
        hidden, last = _mask_quotes(line), ""
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
        frame.key = _unquote(frame.typed.strip())
        frame.present.add(frame.key)
        frame.typed = ""
    else:
        frame.typed += written


# --- declared names ---------------------------------------------------------------------------------------------------


_GOALS = re.compile(r"^goals:\s*\[([^\]\n]*)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(frozen=True, slots=True)
class DeclaredNames:
    """The names that a file declares, as far as it can be read, and those of the adventure."""

    given: Mapping[str, Any] = field(default_factory=dict)  # the data of the file without the current line
    goals: tuple[str, ...] = ()
    context: Mapping[str, Type] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # names from outside the file

    @property
    def exits(self) -> tuple[str, ...]:
        """The names that may follow ``towards``."""
        edges = [name for name, kind in self.context.items() if kind.handle == "edges"]
        return tuple("any_exit" if name == "exits" else name for name in edges)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names that can be measured."""
        return tuple(name for name, kind in self.context.items() if kind.kind in (ValueKind.NUMBER, ValueKind.INT))

    def labels(self, variable: str) -> tuple[str, ...]:
        """Return the labels of a variable, if they are known."""
        if variable == "action":
            return self.actions
        if variable == "goal":
            return self.goals
        return self.context[variable].labels if variable in self.context else ()

    def variables(self, path: KeyPath) -> Iterator[tuple[str, str]]:
        """Yield the variables of a condition, with their types."""
        if "director" in path:
            yield from ((goal, "how likely this goal is, 0 to 1") for goal in self.goals)
        else:
            yield "action", "what the player did"
            yield "goal", "the goal that was just achieved"
        for name, kind in self.context.items():
            yield name, kind.handle if kind.kind is ValueKind.HANDLE else str(kind)

    def keys_at(self, path: KeyPath) -> Iterator[tuple[str, str]]:
        """Yield the names that may be keys of a mapping with free keys."""
        last = str(path[-1]) if path else ""
        sort = self.given.get("recognizer")
        if last in ("then", "else") or (len(path) == 2 and path[0] == "observations" and sort != "iohmm"):
            yield from ((name, "seen") for name in self.outcomes)
            yield OTHERS, "all the others"
        elif last in ("prior", "lasts") or last.startswith("from "):
            yield from ((goal, "a goal") for goal in self.goals)
            if last != "lasts":
                yield OTHERS, "all the others"
        elif last in ("counts", "pseudo_counts", "priorities") or (last == "observations" and sort != "iohmm"):
            yield from ((goal, "a goal") for goal in (*self.goals, *(self.others if last == "priorities" else ())))
        elif len(path) == 2 and path[0] in ("counts", "pseudo_counts"):
            yield from ((name, "seen") for name in _names(self.given.get("observations")))
        elif path[0] == "measures" and last in ("goals", "seen"):
            yield from ((goal, "a goal") for goal in self.goals)
        elif last == "measures":
            yield from ((name, "a number") for name in self.numbers)
        elif last == "pay":
            yield from ((name, "what is earned") for name in ADVENTURE_EARNINGS)
            yield ALL_EARNINGS, "whatever is earned"

    def values_at(self, path: KeyPath) -> Iterator[tuple[str, str]]:
        """Yield the names that may be the value of an entry of type text."""
        keys = tuple(part for part in path if isinstance(part, str))
        match keys:
            case ("clock", "on"):
                yield from ((label, "a cause") for label in self.labels("cause"))
            case ("moments",):
                yield from ((name, str(kind)) for name, kind in self.context.items() if kind.kind is ValueKind.BOOL)
            case ("start",):
                yield from ((goal, "a goal") for goal in (*self.goals, "random"))
            case ("rules", "then"):
                yield from ((goal, "a goal") for goal in self.goals)
            case ("goals" | "actions" | "sensors" | "like",) | ("add" | "drop", _):
                yield from ((name, "") for name in self.others)


def read_declared_names(text: str, line: int, others: Iterable[str] = ()) -> DeclaredNames:
    """Return the names that a file declares while a line is being edited."""
    given = _given(text, line)
    goals = _names(given.get("goals"))
    if not goals and (written := _GOALS.search(text)):
        goals = tuple(_NAME.findall(written[1]))
    base = ADVENTURE if given.get("vocabulary") == ADVENTURE_WORD else Vocabulary()
    context, actions = {**base.context, **_context(given.get("context"))}, _names(given.get("actions")) or base.actions
    outcomes = _names(given.get("outcomes")) or (FLAIRS_SYMBOLS.names if base.actions else ())
    return DeclaredNames(given, goals, context, actions, outcomes, tuple(others))


def _given(text: str, line: int) -> Mapping[str, Any]:
    """Return the readable part of a file: all of it, or all but the edited line."""
    lines = text.split("\n")
    for tried in (text, "\n".join([*lines[: line - 1], "", *lines[line:]]), "\n".join(lines[: line - 1])):
        data = read_yaml(tried).data
        if isinstance(data, Mapping):
            return data
    return {}


def _context(said: Any) -> dict[str, Type]:
    types = {}
    for name, kind in said.items() if isinstance(said, Mapping) else ():
        try:
            types[str(name)] = Type.of(kind)
        except (TelosError, TypeError):  # it is being edited
            continue
    return types


def _names(said: Any) -> tuple[str, ...]:
    """Return the names in a list or the keys of a mapping."""
    has_names = isinstance(said, list | tuple | Mapping)
    return tuple(each for each in said if isinstance(each, str)) if has_names else ()


# --- schemas ----------------------------------------------------------------------------------------------------------


Schema: TypeAlias = Mapping[str, Any]

_MAX_DEPTH = 40


@lru_cache
def load_schema(name: str) -> Schema:
    """Return the schema of a file format: ``recognizer``, ``character``, ``domain``, …"""
    found: Schema = json.loads(schema_text(name))
    return found


def find_format(text: str) -> str:
    """Return the sort of file that a text means to be: its first keys tell, and a recogniser is most likely.

    >>> find_format("character: rat"), find_format("recognizer: grammar"), find_format("")
    ('character', 'grammar', 'recognizer')
    """
    return find_kind(text) or "recognizer"


def find_schemas(schema: Schema, path: KeyPath, given: Mapping[str, Any]) -> list[Schema]:
    """Return the schemas at the end of a path; ``given`` is the file so far, which decides between variants."""
    found = [each for each in _choices(schema, schema) if _fits(each, given)] or list(_choices(schema, schema))
    for part in path:
        found = [each for one in found for each in _step(one, part, schema)]
    return found


def _fits(schema: Schema, given: Mapping[str, Any]) -> bool:
    """Return whether the constants of a schema agree with the file."""
    entries = schema.get("properties", {}).items()
    return all(given.get(key, entry["const"]) == entry["const"] for key, entry in entries if "const" in entry)


def _step(schema: Schema, part: str | int, root: Schema) -> Iterator[Schema]:
    if isinstance(part, int):
        if isinstance(schema.get("items"), Mapping):
            yield from _choices(schema["items"], root)
        return
    if part in schema.get("properties", {}):
        yield from _choices(schema["properties"][part], root)
        return
    for pattern, entry in schema.get("patternProperties", {}).items():
        if re.search(pattern, part):
            yield from _choices(entry, root)
            return
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from _choices(schema["additionalProperties"], root)


def _choices(schema: Schema, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """Yield the alternatives of a schema, with references resolved; each keeps the description of the whole."""
    if depth > _MAX_DEPTH:
        return
    if "$ref" in schema:
        meant: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            meant = meant[part]
        yield from _choices(
            {**meant, **{key: value for key, value in schema.items() if key != "$ref"}}, root, depth + 1
        )
        return
    choices: Iterable[Schema] = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if not choices:
        yield schema
    kept = {key: value for key, value in schema.items() if key in ("description", "examples")}
    for choice in choices:
        yield from _choices({**kept, **choice}, root, depth + 1)


# --- completions ------------------------------------------------------------------------------------------------------


_MAX_TEXT = 50_000  # characters; longer texts have no completion, as it must be fast
_MAX_INFO = 110  # characters of a description
_COMPARED = re.compile(r"([A-Za-z][\w.]*)\s*[=!]=\s*[\w.-]*\Z")  # `cause == ar`
_TOWARDS = re.compile(r"towards\s+\w*\Z")


@dataclass(frozen=True, slots=True)
class Completion:
    """A replacement for the word at the cursor, with a description."""

    label: str
    info: str = ""


def completions(
    model: str | Schema, text: str, line: int, column: int, *, words: Iterable[str] = ()
) -> tuple[Completion, ...]:
    r"""Return what may stand at a cursor (line and column from 1) in incomplete YAML.

    ``model`` is a schema, the name of a file format, or the name of a model (then the first keys tell the format).
    ``words`` are further names, such as the goals and actions of a world for a character file. Completions that start
    with the word at the cursor come first.

    >>> [each.label for each in completions("ffbm", "recognizer: ffbm\ngoals: [level]\nprior: {", 3, 9)]
    ['level', 'others']
    """
    if len(text) > _MAX_TEXT or (cursor := find_cursor(text, line, column)) is None:
        return ()
    known = read_declared_names(text, line, words)
    schema = _schema(model, text) if isinstance(model, str) else model
    found = dict[str, Completion]()
    for each in (*_keys(cursor, schema, known), *_values(cursor, schema, known)):
        found.setdefault(each.label, each)
    begun = re.search(r"[\w.-]*\Z", cursor.typed)
    start = begun[0].lower() if begun else ""
    return tuple(sorted(found.values(), key=lambda each: not each.label.lower().startswith(start)))


def _schema(model: str, text: str) -> Schema:
    try:
        return load_schema(model)
    except TelosError:  # it is the name of a model
        return load_schema(find_format(text))


# --- keys -------------------------------------------------------------------------------------------------------------


def _keys(cursor: CursorContext, schema: Schema, known: DeclaredNames) -> Iterator[Completion]:
    if not cursor.is_key:
        return
    for each in find_schemas(schema, cursor.path, known.given):
        present = cursor.present | _present(cursor.path, known.given)
        for key, entry in each.get("properties", {}).items():
            if key not in present:
                yield Completion(key, _about(entry, schema))
        for pattern in each.get("patternProperties", {}):
            if pattern.startswith("^from"):
                rows = (f"from {goal}" for goal in (*known.goals, "any"))
                yield from (Completion(row, "how goals follow this one") for row in rows if row not in present)
        if isinstance(each.get("additionalProperties"), Mapping):
            yield from (Completion(name, info) for name, info in known.keys_at(cursor.path) if name not in present)


def _present(path: KeyPath, given: Any) -> frozenset[str]:
    """Return the keys that the mapping already has."""
    for part in path:
        try:
            given = given[part]
        except (KeyError, IndexError, TypeError):
            return frozenset()
    return frozenset(given) if isinstance(given, Mapping) else frozenset()


def _about(entry: Schema, schema: Schema) -> str:
    said = str(entry.get("description") or "")
    if not said and "$ref" in entry:
        said = str(schema.get("$defs", {}).get(str(entry["$ref"]).rpartition("/")[2], {}).get("description", ""))
    return said if len(said) <= _MAX_INFO else f"{said[: _MAX_INFO - 1]}…"


# --- values -----------------------------------------------------------------------------------------------------------


def _values(cursor: CursorContext, schema: Schema, known: DeclaredNames) -> Iterator[Completion]:
    if cursor.is_key and not (cursor.path and isinstance(cursor.path[-1], int)):
        return  # a line without dash or colon is a key
    for each in find_schemas(schema, cursor.path, known.given):
        kind = each.get("type")
        if kind == ["string", "boolean"]:
            yield from _condition(cursor, known)
            continue
        if "const" in each:
            yield Completion(str(each["const"]), _about(each, schema))
        yield from (Completion(str(value)) for value in each.get("enum", ()))
        if kind == "boolean":
            yield from (Completion("true"), Completion("false"))
        if str(each.get("pattern", "")).startswith("^towards"):
            yield from _towards(cursor, known)
            continue
        if kind in ("string", None):
            yield from (Completion(name, info) for name, info in known.values_at(cursor.path))
        if kind not in ("object", "array"):
            yield from (Completion(str(value), "for example") for value in each.get("examples", ()))


def _towards(cursor: CursorContext, known: DeclaredNames) -> Iterator[Completion]:
    lead = "" if _TOWARDS.search(cursor.typed) else "towards "
    yield from (Completion(f"{lead}{exits}", "the edges of the area to head for") for exits in known.exits)


def _condition(cursor: CursorContext, known: DeclaredNames) -> Iterator[Completion]:
    """Yield the continuations of a condition: after ``cause ==`` the labels of the cause, otherwise all variables."""
    compared = _COMPARED.search(cursor.typed)
    labels = known.labels(compared[1]) if compared else ()
    if labels:
        yield from (Completion(label, f"what {compared[1] if compared else ''} may be") for label in labels)
        return
    yield from (Completion(name, info) for name, info in known.variables(cursor.path))
    yield from (Completion(word) for word in ("and", "or", "not", "true", "false"))
