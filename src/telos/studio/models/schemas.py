"""The JSON Schemas of the files that people write, and the ways into them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.studio.models.cursor import Way

Schema: TypeAlias = Mapping[str, Any]

_FILES = {  # the key that a sort of file starts with, and where its schema lies
    "recognizer": ("telos.recognition", "recognizer.schema.json"),
    "grammar": ("telos.recognition.grammar", "grammar.schema.json"),
    "character": ("telos.agents", "character.schema.json"),
    "domain": ("telos.core.files", "domain.schema.json"),
    "scene": ("telos.worlds.arena", "scene.schema.json"),
}
_DEEPEST = 40


@lru_cache
def schema_named(name: str) -> Schema:
    """Return the schema of a sort of file: ``recognizer``, ``character``, ``domain``, …"""
    if name not in _FILES:
        raise TelosError(f"there is no schema of {name!r} files", name_hint(name, _FILES))
    package, file = _FILES[name]
    found: Schema = json.loads(files(package).joinpath(file).read_text(encoding="utf-8"))
    return found


def sort_of(text: str) -> str:
    """Return the sort of file that a text means to be: its first keys tell, and a recogniser is most likely.

    >>> sort_of("character: rat"), sort_of("recognizer: grammar"), sort_of("")
    ('character', 'grammar', 'recognizer')
    """
    if re.search(r"^recognizer:\s*grammar\b", text, re.MULTILINE):
        return "grammar"
    first = re.search(rf"^({'|'.join(_FILES)}):", text, re.MULTILINE)
    return first[1] if first else "recognizer"


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
