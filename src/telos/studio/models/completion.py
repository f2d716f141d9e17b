"""Completion from JSON Schema."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from telos.core.errors import TelosError
from telos.core.values import Type, ValueKind
from telos.files.formats import find_kind, schema_text
from telos.files.yaml import read_yaml
from telos.recognition.director import ADVENTURE_EARNINGS
from telos.recognition.distributions import OTHERS
from telos.recognition.observations import FLAIRS_SYMBOLS
from telos.recognition.vocabulary import ADVENTURE

# --- cursor -----------------------------------------------------------------------------------------------------------
# Where a cursor stands in YAML that is still being written: under which keys, at a key or at a value.
#
# Nothing is parsed as a whole, since what is being written is mostly broken: lines are taken by their indentation, and
# brackets from where they open.


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


# --- words ------------------------------------------------------------------------------------------------------------
# The words of one model file: its goals, what its game tells, and where each may stand.


_GOALS = re.compile(r"^goals:\s*\[([^\]\n]*)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(frozen=True, slots=True)
class Words:
    """What a file declares, as far as it can be read, on top of what the adventure has."""

    given: Mapping[str, Any] = field(default_factory=dict)  # the file, without the line that is being written
    goals: tuple[str, ...] = ()
    context: Mapping[str, Type] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # names from outside of the file

    @property
    def exits(self) -> tuple[str, ...]:
        """Return what `towards` may be followed by."""
        edges = [name for name, kind in self.context.items() if kind.handle == "edges"]
        return tuple("any_exit" if name == "exits" else name for name in edges)

    def labels(self, variable: str) -> tuple[str, ...]:
        """Return what a variable may be compared with, if that is known."""
        if variable == "action":
            return self.actions
        if variable == "goal":
            return self.goals
        return self.context[variable].labels if variable in self.context else ()

    def variables(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield what a condition may speak of, and what kind of value that has."""
        if "director" in way:
            yield from ((goal, "how likely this goal is, 0 to 1") for goal in self.goals)
        else:
            yield "action", "what the player did"
            yield "goal", "the goal that was just achieved"
        for name, kind in self.context.items():
            yield name, kind.handle if kind.kind is ValueKind.HANDLE else str(kind)

    def keys_at(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield the names that are the keys of a mapping whose keys a schema does not know."""
        last = str(way[-1]) if way else ""
        sort = self.given.get("recognizer")
        if last in ("then", "else") or (len(way) == 2 and way[0] == "observations" and sort != "iohmm"):
            yield from ((name, "seen") for name in self.outcomes)
            yield OTHERS, "all the others"
        elif last in ("prior", "lasts") or last.startswith("from "):
            yield from ((goal, "a goal") for goal in self.goals)
            if last != "lasts":
                yield OTHERS, "all the others"
        elif last in ("counts", "pseudo_counts", "priorities") or (last == "observations" and sort != "iohmm"):
            yield from ((goal, "a goal") for goal in (*self.goals, *(self.others if last == "priorities" else ())))
        elif len(way) == 2 and way[0] in ("counts", "pseudo_counts"):
            yield from ((name, "seen") for name in _names(self.given.get("observations")))
        elif last == "pay":
            yield from ((name, "what is earned") for name in ADVENTURE_EARNINGS)

    def values_at(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield the names that may be the value of an entry that a schema takes for any text."""
        keys = tuple(part for part in way if isinstance(part, str))
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


def words_of(text: str, line: int, others: Iterable[str] = ()) -> Words:
    """Return the words of a file in which a line is being written."""
    given = _given(text, line)
    goals = _names(given.get("goals"))
    if not goals and (written := _GOALS.search(text)):
        goals = tuple(_NAME.findall(written[1]))
    context, actions = _context(given.get("context", "adventure")), _names(given.get("actions"))
    usual = ADVENTURE.actions if given.get("context", "adventure") == "adventure" else ()
    outcomes = _names(given.get("outcomes")) or FLAIRS_SYMBOLS.names
    return Words(given, goals, context, actions or usual, outcomes, tuple(others))


def _given(text: str, line: int) -> Mapping[str, Any]:
    """Return what can be read of a file: all of it, or all but the line that is being written."""
    lines = text.split("\n")
    for tried in (text, "\n".join([*lines[: line - 1], "", *lines[line:]]), "\n".join(lines[: line - 1])):
        data = read_yaml(tried).data
        if isinstance(data, Mapping):
            return data
    return {}


def _context(said: Any) -> dict[str, Type]:
    if not isinstance(said, Mapping):
        return dict(ADVENTURE.context)
    types = {}
    for name, kind in said.items():
        try:
            types[str(name)] = Type.of(kind)
        except (TelosError, TypeError):  # it is being written
            continue
    return types


def _names(said: Any) -> tuple[str, ...]:
    """Return the names in a list, or the keys of a mapping."""
    has_names = isinstance(said, list | tuple | Mapping)
    return tuple(each for each in said if isinstance(each, str)) if has_names else ()


# --- schemas ----------------------------------------------------------------------------------------------------------
# The JSON Schemas of the files that people write, and the ways into them.


Schema: TypeAlias = Mapping[str, Any]

_DEEPEST = 40


@lru_cache
def schema_named(name: str) -> Schema:
    """Return the schema of a sort of file: ``recognizer``, ``character``, ``domain``, …"""
    found: Schema = json.loads(schema_text(name))
    return found


def sort_of(text: str) -> str:
    """Return the sort of file that a text means to be: its first keys tell, and a recogniser is most likely.

    >>> sort_of("character: rat"), sort_of("recognizer: grammar"), sort_of("")
    ('character', 'grammar', 'recognizer')
    """
    return find_kind(text) or "recognizer"


def inside(schema: Schema, way: Way, given: Mapping[str, Any]) -> list[Schema]:
    """Return what may stand at the end of a way; ``given`` is the file so far, which tells sorts of file apart."""
    found = [each for each in _choices(schema, schema) if _fits(each, given)] or list(_choices(schema, schema))
    for part in way:
        found = [each for one in found for each in _step(one, part, schema)]
    return found


def _fits(schema: Schema, given: Mapping[str, Any]) -> bool:
    """Whether no word that a sort of file must have is another one in the file."""
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
    """Yield what a schema may be, with references followed; a choice keeps what is said and shown of the whole."""
    if depth > _DEEPEST:
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


# --- completion -------------------------------------------------------------------------------------------------------
# What may stand at the cursor of a model file: keys and values of its schema, and the words of its game.


_LARGEST = 50_000  # characters of a text that is completed: an answer must come while one types
_LONGEST = 110  # characters of what is said about a completion
_COMPARED = re.compile(r"([A-Za-z][\w.]*)\s*[=!]=\s*[\w.-]*\Z")  # `cause == ar`
_TOWARDS = re.compile(r"towards\s+\w*\Z")


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that may stand at the cursor in place of the word there, and what it is."""

    label: str
    info: str = ""


def completions(
    model: str | Schema, text: str, line: int, column: int, *, words: Iterable[str] = ()
) -> tuple[Completion, ...]:
    r"""Return what may stand at a cursor in YAML that need not be finished; lines and columns count from 1.

    ``model`` is a schema, or the name of a sort of file or of a model: then its first keys tell what it is. ``words``
    are names that may stand where names are wanted: a world's goals and actions, for a character. Those that begin as
    the word at the cursor does come first.

    >>> [each.label for each in completions("ffbm", "recognizer: ffbm\ngoals: [level]\nprior: {", 3, 9)]
    ['level', 'others']
    """
    if len(text) > _LARGEST or (spot := spot_at(text, line, column)) is None:
        return ()
    known = words_of(text, line, words)
    schema = _schema(model, text) if isinstance(model, str) else model
    found = dict[str, Completion]()
    for each in (*_keys(spot, schema, known), *_values(spot, schema, known)):
        found.setdefault(each.label, each)
    begun = re.search(r"[\w.-]*\Z", spot.typed)
    start = begun[0].lower() if begun else ""
    return tuple(sorted(found.values(), key=lambda each: not each.label.lower().startswith(start)))


def _schema(model: str, text: str) -> Schema:
    try:
        return schema_named(model)
    except TelosError:  # the name of a model, then
        return schema_named(sort_of(text))


# --- keys -------------------------------------------------------------------------------------------------------------


def _keys(spot: Spot, schema: Schema, known: Words) -> Iterator[Completion]:
    if not spot.is_key:
        return
    for each in inside(schema, spot.way, known.given):
        present = spot.present | _present(spot.way, known.given)
        for key, entry in each.get("properties", {}).items():
            if key not in present:
                yield Completion(key, _about(entry, schema))
        for pattern in each.get("patternProperties", {}):
            if pattern.startswith("^from"):
                rows = (f"from {goal}" for goal in (*known.goals, "any"))
                yield from (Completion(row, "how goals follow this one") for row in rows if row not in present)
        if isinstance(each.get("additionalProperties"), Mapping):
            yield from (Completion(name, info) for name, info in known.keys_at(spot.way) if name not in present)


def _present(way: Way, given: Any) -> frozenset[str]:
    """Return the keys that a mapping of the file has already."""
    for part in way:
        try:
            given = given[part]
        except (KeyError, IndexError, TypeError):
            return frozenset()
    return frozenset(given) if isinstance(given, Mapping) else frozenset()


def _about(entry: Schema, schema: Schema) -> str:
    said = str(entry.get("description") or "")
    if not said and "$ref" in entry:
        said = str(schema.get("$defs", {}).get(str(entry["$ref"]).rpartition("/")[2], {}).get("description", ""))
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


# --- values -----------------------------------------------------------------------------------------------------------


def _values(spot: Spot, schema: Schema, known: Words) -> Iterator[Completion]:
    if spot.is_key and not (spot.way and isinstance(spot.way[-1], int)):
        return  # a line without a dash or a colon is a key
    for each in inside(schema, spot.way, known.given):
        kind = each.get("type")
        if kind == ["string", "boolean"]:
            yield from _condition(spot, known)
            continue
        if "const" in each:
            yield Completion(str(each["const"]), _about(each, schema))
        yield from (Completion(str(value)) for value in each.get("enum", ()))
        if kind == "boolean":
            yield from (Completion("true"), Completion("false"))
        if str(each.get("pattern", "")).startswith("^towards"):
            yield from _towards(spot, known)
            continue
        if kind in ("string", None):
            yield from (Completion(name, info) for name, info in known.values_at(spot.way))
        if kind not in ("object", "array"):
            yield from (Completion(str(value), "for example") for value in each.get("examples", ()))


def _towards(spot: Spot, known: Words) -> Iterator[Completion]:
    lead = "" if _TOWARDS.search(spot.typed) else "towards "
    yield from (Completion(f"{lead}{exits}", "the edges of the area to head for") for exits in known.exits)


def _condition(spot: Spot, known: Words) -> Iterator[Completion]:
    """Yield the words that a condition may go on with: after ``cause ==`` what the cause may be, else all variables."""
    compared = _COMPARED.search(spot.typed)
    labels = known.labels(compared[1]) if compared else ()
    if labels:
        yield from (Completion(label, f"what {compared[1] if compared else ''} may be") for label in labels)
        return
    yield from (Completion(name, info) for name, info in known.variables(spot.way))
    yield from (Completion(word) for word in ("and", "or", "not", "true", "false"))
