"""What may stand at the cursor of a model file: keys and values of its schema, and the words of its game."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from telos.core.errors import TelosError
from telos.studio.models.cursor import Spot, Way, spot_at
from telos.studio.models.schemas import Schema, inside, schema_named, sort_of
from telos.studio.models.words import Words, words_of

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
