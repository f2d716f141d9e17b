"""The resolved definition of a character: every goal, action and sensor with the file and line that it comes from.

`resolve_mind` reads it from the texts of a chain of files: the character's own, those that it is ``like``, and the
domain. `find_chain` follows ``like``. A file that cannot be read is left out, so that a broken draft still resolves.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from telos.core.errors import KeyPath
from telos.files.yaml import Document, read_yaml

GOAL, ACTION = "goal", "action"
SENSOR, MEMORY, BODY = "sensor", "memory", "body"
_OWN_VALUES = {GOAL: "priorities", ACTION: "costs"}  # the sections of a character file that replace the domain's
_VALUES = {GOAL: ("priority", "weight"), ACTION: ("cost", "duration")}  # keys of a definition; the first that is there
_DETAILS = {
    GOAL: ("wants", "relevant", "insistence", "drift", "hourly", "night", "comfort", "power", "curve"),
    ACTION: ("parameters", "preconditions", "effects", "changes", "promises"),
}
_DOMAIN_KEYS = frozenset({"domain", "motives"})  # with which files start that define goals and actions
_MAPPINGS = {SENSOR: "sensors", MEMORY: "memory", BODY: "body"}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A place in a model file; lines and columns count from 1."""

    model: str
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class EditPlace:
    """Where a number is written when it is changed in place: the model, and the path of the entry."""

    model: str
    path: KeyPath


@dataclass(frozen=True, slots=True)
class Trait:
    """A goal, action, sensor, memory or body entry of a character, with its value as written and its sources."""

    kind: str
    name: str
    value: str = ""  # the priority, cost, period …; empty if nothing is written
    details: tuple[tuple[str, str], ...] = ()  # ("relevant", "under_fire")
    defined: SourceLine | None = None  # in the domain
    listed: SourceLine | None = None  # in the character's file, or in one that it is like
    valued: SourceLine | None = None  # where the value is written
    edit: EditPlace | None = None

    @property
    def source(self) -> SourceLine | None:
        """The line to show: the definition, or else where it is listed."""
        return self.defined or self.listed or self.valued


@dataclass(frozen=True, slots=True)
class ResolvedMind:
    """The traits of one character, and the files that they come from: its own first, the domain last."""

    chain: tuple[str, ...]
    traits: tuple[Trait, ...]

    def find(self, kind: str, name: str) -> Trait | None:
        """Return a trait; None if the character has none of that name."""
        return next((each for each in self.traits if (each.kind, each.name) == (kind, name)), None)


def resolve_mind(
    texts: Mapping[str, str], chain: Sequence[str], goals: Iterable[str], actions: Iterable[str]
) -> ResolvedMind:
    r"""Resolve the goals and actions of a character, and all sensors, memory and body entries of its files.

    ``texts`` are the texts of the models by name, and ``chain`` the names that matter, the nearest first.

    >>> texts = {"rat": "like: base\npriorities: {flee: 9}", "base": "character: base\ngoals: [flee]",
    ...          "world": "domain: world\ngoals: {flee: {wants: safe, priority: 5}}"}
    >>> flee = resolve_mind(texts, ["rat", "base", "world"], ["flee"], []).find("goal", "flee")
    >>> [flee.value, *((each.model, each.line) for each in (flee.valued, flee.listed, flee.defined))]
    ['9', ('rat', 2), ('base', 2), ('world', 2)]
    """
    files = [_File(name, document) for name in chain if (document := _read(texts.get(name, ""))) is not None]
    reader = _Resolver(files)
    traits = [reader.trait(GOAL, name) for name in dict.fromkeys(goals)]
    traits += [reader.trait(ACTION, name) for name in dict.fromkeys(actions)]
    traits += [trait for kind in _MAPPINGS for trait in reader.mapping(kind)]
    return ResolvedMind(tuple(chain), tuple(traits))


def find_chain(texts: Mapping[str, str], name: str) -> tuple[str, ...]:
    r"""Return the names of a character and of all that it is ``like``, the nearest first; a circle ends it.

    ``like`` names another of the texts, or its path from the folder of the file.

    >>> texts = {"a": "like: deep/b.yaml", "deep/b": "like: ../c.yaml", "c": "character: c"}
    >>> find_chain(texts, "a")
    ('a', 'deep/b', 'c')
    """
    found = [name]
    while (document := _read(texts.get(found[-1], ""))) is not None:
        like = document.data.get("like") if isinstance(document.data, dict) else None
        parent = _find_parent(texts, found[-1], like) if isinstance(like, str) else None
        if parent is None or parent in found:
            break
        found.append(parent)
    return tuple(found)


def _find_parent(texts: Mapping[str, str], child: str, like: str) -> str | None:
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(child), like))
    candidates = (like, beside, beside.removesuffix(".yaml"), f"{beside}.yaml")
    return next((each for each in candidates if each in texts), None)


@lru_cache(maxsize=64)
def _read(text: str) -> Document | None:
    """Return a text as a document; None if it is no mapping or cannot be read."""
    document = read_yaml(text) if text.strip() else None
    return document if document is not None and isinstance(document.data, dict) else None


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    document: Document

    @property
    def is_character(self) -> bool:
        return not _DOMAIN_KEYS & self.document.data.keys()

    def get(self, *path: str | int) -> Any:
        found: Any = self.document.data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def line(self, *path: str | int, at_key: bool = True) -> SourceLine | None:
        entry = self.document.positions.get(path)
        if entry is None:
            return None
        place = entry.key if at_key and entry.key is not None else entry.value
        return SourceLine(self.name, place.line, place.column)


class _Resolver:
    """Finds the sources of traits in the files of a chain."""

    def __init__(self, files: Sequence[_File]) -> None:
        self._characters = [each for each in files if each.is_character]
        self._domains = [each for each in files if not each.is_character]

    def trait(self, kind: str, name: str) -> Trait:
        home, path = self._definition(kind, name)
        values = [key for key in _VALUES[kind] if home is not None and home.get(*path, key) is not None]
        value = "" if home is None or not values else _format(home.get(*path, values[0]))
        valued = None if home is None or not values else home.line(*path, values[0], at_key=False)
        key = values[0] if values else "weight" if path[:1] == ("motives",) else _VALUES[kind][0]
        value = value or ("1" if key == "weight" else "")
        edit = None if home is None else EditPlace(home.name, (*path, key))
        own = _OWN_VALUES[kind]
        for file in self._characters:
            if (replaced := file.get(own, name)) is not None:
                value, valued = _format(replaced), file.line(own, name, at_key=False)
                break
        if self._characters:
            edit = EditPlace(self._characters[0].name, (own, name))
        details = () if home is None else tuple(_details(home.get(*path), kind))
        defined = None if home is None else home.line(*path)
        return Trait(kind, name, value, details, defined, self._listed(kind, name), valued, edit)

    def mapping(self, kind: str) -> Iterator[Trait]:
        """Yield the entries of a section that are merged key by key; the nearest file wins."""
        section, seen = _MAPPINGS[kind], set[str]()
        for file in self._characters:
            for path in ((section,), ("add", section)):
                entries = file.get(*path)
                for name, value in entries.items() if isinstance(entries, dict) else ():
                    if name not in seen:
                        place = file.line(*path, name)
                        yield Trait(kind, str(name), _format(value), (), None, place, place)
                    seen.add(name)
            dropped = file.get("drop", section)
            seen.update(map(str, dropped if isinstance(dropped, list) else ()))

    def _definition(self, kind: str, name: str) -> tuple[_File | None, KeyPath]:
        section, thing, _, rest = f"{kind}s", *name.partition(".")
        for file in self._domains:
            objects = file.get("objects")
            alike = tuple(("objects", each, section, rest) for each in (objects if isinstance(objects, dict) else ()))
            own: tuple[KeyPath, ...] = ((section, name), ("motives", name), ("objects", thing, section, rest))
            for path in (*own, *alike) if rest else own:
                if path in file.document.positions:
                    return file, path
        return None, ()

    def _listed(self, kind: str, name: str) -> SourceLine | None:
        """Return the entry by which the character has a goal or an action: its name, or a set that contains it."""
        section = f"{kind}s"
        for file in self._characters:
            for path in (("add", section), (section,)):
                entries = file.get(*path)
                for number, entry in enumerate(entries if isinstance(entries, list) else ()):
                    if entry == name or name in self._members(kind, entry):
                        return file.line(*path, number)
            if file.get(section) is not None:
                return None  # the list takes the place of the parent's
        return None

    def _members(self, kind: str, name: object) -> Sequence[object]:
        if not isinstance(name, str):
            return ()
        found = (file.get(f"{kind}_sets", name) for file in self._domains)
        return next((each for each in found if isinstance(each, list)), ())


def _details(entry: object, kind: str) -> Iterator[tuple[str, str]]:
    if not isinstance(entry, dict):
        return
    for key in _DETAILS[kind]:
        if (value := entry.get(key)) is not None:
            yield key, _format(value)


def _format(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, list):
        return ", ".join(map(_format, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_format(each)}" for key, each in value.items())
    return "" if value is None else str(value)
