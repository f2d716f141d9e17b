"""The schema of authored files: a pydantic base model, field types, faults in plain words, and JSON Schema.

A format declares one `FileModel` for each mapping in its files. `validate` turns data into such a model and a list of
faults; `schema_text` writes the JSON Schema that editors complete from. `telos.files.definition` joins both to the
positions in a file.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from telos.core.errors import Fault, FaultCode, KeyPath, Note, NoteCode, name_hint, nearest
from telos.core.goal import CURVES
from telos.core.template import MAX_SLOTS
from telos.core.values import KEYWORDS, NAME

# Starts the tags of union branches, which pydantic puts into the path to an entry.
_TAG = "‹"
_ACCEPT_ALL = {"accept": "all"}  # the context of a validation in which only bad names are left
UNIT_KEYS = ("seconds", "updates")  # keys that say the unit of their number
_MAX_SHOWN = 40  # characters of a text that a message quotes

# --- field types ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)  # by identity, as type hints are hashed and a schema is not hashable
class FieldType:
    """A scalar entry. ``wanted`` completes the sentence "duration must be …"; ``remedy`` is what to do instead."""

    wanted: str
    accepts: Callable[[Any], bool]
    schema: Mapping[str, Any]
    remedy: str = ""
    unit: str = ""  # of a number that is written without one

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.schema)

    def _check(self, value: Any, info: ValidationInfo) -> Any:
        if info.context is not _ACCEPT_ALL and not self.accepts(value):
            raise PydanticCustomError("field", "{wanted}", {"wanted": self.wanted, "remedy": self.remedy})
        return value


@dataclass(frozen=True, slots=True)
class Hint:
    """Words for the faults of a field or a list, as metadata of its type: ``Annotated[Label, Hint("as in ...")]``.

    ``remedy`` is told when the field is missing or the list has the wrong length, and ``wanted`` completes the sentence
    "labels must be …". ``example`` stands for a missing field while the rest of the file is checked.
    """

    remedy: str
    wanted: str = ""
    example: Any = None


def name_type(wanted: str) -> FieldType:
    """Return the type of a name: letters, digits, dots, hyphens and underscores."""
    return _pattern_type(wanted, _LONG_WORD, _LONG_REMEDY)


def text_type(wanted: str, remedy: str = "") -> FieldType:
    """Return the type of a text that is not empty."""
    schema = {"type": "string", "minLength": 1}
    return FieldType(wanted, lambda value: isinstance(value, str) and value != "", schema, remedy)


def branch_tag(word: str) -> str:
    """Return the tag of a union's branch; with tags, pydantic reports a mistake for one branch only."""
    return f"{_TAG}{word}›"


def _pattern_type(wanted: str, pattern: str, remedy: str) -> FieldType:
    # Wrapped in allOf because pydantic would turn a bare pattern of a key into patternProperties, which lets every
    # other key through.
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    compiled = re.compile(rf"{pattern}\Z")
    return FieldType(wanted, lambda value: isinstance(value, str) and bool(compiled.match(value)), schema, remedy)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_WORD = f"(?!(?:{'|'.join(sorted(KEYWORDS))})$)[A-Za-z][A-Za-z0-9_]*"
_LONG_WORD = NAME.pattern.removesuffix(r"\Z")
_WORD_REMEDY = f"use letters, digits and _, and none of {', '.join(sorted(KEYWORDS))}"
_LONG_REMEDY = "use letters, digits, - and _, and start with a letter"

VariableName: TypeAlias = Annotated[str, _pattern_type("the name of a variable", _WORD, _WORD_REMEDY)]
ParameterName: TypeAlias = Annotated[str, _pattern_type("the name of a parameter", _WORD, _WORD_REMEDY)]
ObjectName: TypeAlias = Annotated[str, _pattern_type("the name of an object", _WORD, _WORD_REMEDY)]
HandleName: TypeAlias = Annotated[str, _pattern_type("the name of a handle", _WORD, _WORD_REMEDY)]
HandleKind: TypeAlias = Annotated[str, _pattern_type("a kind of handle, such as node", _WORD, _WORD_REMEDY)]
Label: TypeAlias = Annotated[str, _pattern_type("a label", _WORD, _WORD_REMEDY)]
ActionName: TypeAlias = Annotated[str, name_type("the name of an action")]
GoalName: TypeAlias = Annotated[str, name_type("the name of a goal")]
# Mentions of a name may be any text: the domain reports unknown actions and goals.
ActionMember: TypeAlias = Annotated[str, FieldType("the name of an action", _is_text, {"type": "string"})]
GoalMember: TypeAlias = Annotated[str, FieldType("the name of a goal", _is_text, {"type": "string"})]
SetName: TypeAlias = Annotated[str, name_type("the name of a set")]
DomainName: TypeAlias = Annotated[str, name_type("the name of the domain")]
TypeWord: TypeAlias = Annotated[
    str, _pattern_type("bool, int, number, a kind of handle or a list of labels", _WORD, "as in `ammo: int`")
]

Number: TypeAlias = Annotated[float, FieldType("a number", _is_number, {"type": "number"})]
NonNegativeNumber: TypeAlias = Annotated[
    float,
    FieldType(
        "a number zero or more", lambda value: _is_number(value) and value >= 0, {"type": "number", "minimum": 0}
    ),
]
Cost: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a number zero or more, or an expression",
        lambda value: _is_text(value) or (_is_number(value) and value >= 0),
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]},
    ),
]
SlotCount: TypeAlias = Annotated[
    int,
    FieldType(
        f"a whole number up to {MAX_SLOTS}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_SLOTS,
        {"type": "integer", "minimum": 0, "maximum": MAX_SLOTS},
    ),
]
Priority: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a number, or an expression such as `hunger * 2`",
        lambda value: _is_text(value) or _is_number(value),
        {"type": ["number", "string"], "examples": ["hunger * 2"]},
    ),
]
ConditionText: TypeAlias = Annotated[
    str | bool,
    FieldType(
        "a condition such as `ammo >= 1`, or a list of them",
        lambda value: isinstance(value, str | bool),
        {"type": ["string", "boolean"], "examples": ["weapon_loaded and ammo >= 1"]},
    ),
]
EffectText: TypeAlias = Annotated[
    str,
    FieldType(
        "an effect such as `ammo -= 1`, or a list of them",
        _is_text,
        {"type": "string", "examples": ["ammo -= 1", "weapon_loaded = true"]},
        "write `variable = value`",
    ),
]
CurveName: TypeAlias = Annotated[
    str,
    FieldType(f"one of {', '.join(CURVES)}", lambda value: _is_text(value) and value in CURVES, {"enum": list(CURVES)}),
]
StartValue: TypeAlias = Annotated[
    bool | float | str,
    FieldType(
        "true, false, a number, a label or a handle",
        lambda value: isinstance(value, str | bool) or _is_number(value),
        {"type": ["boolean", "number", "string"]},
    ),
]

# --- durations: `0.2 s`, `200 ms`, or a bare number of seconds --------------------------------------------------------

# At most nine digits on each side: no written time is infinite, and a billion seconds are thirty years.
_DURATION = r"(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}) ?(?:s|ms)"
_DURATION_TEXT = re.compile(rf"({_DURATION})\Z")
_ABOVE_ZERO = "(?=[^1-9]*[1-9])"  # in a schema there is only the pattern to say so


def parse_duration(text: Any) -> float | None:
    """Return a written duration in seconds; None if it is not a duration.

    >>> [parse_duration(text) for text in ("200 ms", "12 s", 3, "3 days", "-1 s")]
    [0.2, 12.0, 3.0, None, None]
    """
    if isinstance(text, str) and _DURATION_TEXT.match(text):
        number = float(text.rstrip("ms "))
        return number / 1000 if text.endswith("ms") else number
    return float(text) if _is_number(text) and text >= 0 else None


Duration: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a time such as `3 s` or `500 ms`, zero or more",
        lambda value: parse_duration(value) is not None,
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": f"^{_DURATION}$"}]},
        unit="s",
    ),
]
PositiveDuration: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a time above zero, such as `3 s` or `500 ms`",
        lambda value: (parse_duration(value) or 0.0) > 0,
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": f"^{_ABOVE_ZERO}{_DURATION}$"},
            ]
        },
        unit="s",
    ),
]

# --- models -----------------------------------------------------------------------------------------------------------


def _drop_empty_defaults(schema: dict[str, Any]) -> None:
    """Drop defaults such as ``null`` or ``[]``, which an editor would type in for the author."""
    for entry in schema.get("properties", {}).values():
        if not entry.get("default"):
            entry.pop("default", None)


class FileModel(BaseModel):
    """A mapping in a file with known keys. A required field has an example or a `Hint`: the remedy if it is missing."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra=_drop_empty_defaults,
        model_title_generator=lambda model: model.__name__.removesuffix("Shape"),
    )


Model = TypeVar("Model", bound=FileModel)


def schema_text(model: type[FileModel], title: str) -> str:
    """Return the JSON Schema of a file format."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    schema["title"] = title
    return json.dumps(schema, indent=2, ensure_ascii=False)


# --- validation -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of shape; whether it is about the key, and which entry its author probably meant to write."""

    fault: Fault
    at_key: bool = False
    meant: KeyPath | None = None


def validate(model: type[Model], data: Any, what: str) -> tuple[Model | None, list[Finding]]:
    """Return the model of ``data``, or None and everything that it does not allow; ``what`` names such a file."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, [_to_finding(model, each, what) for each in error.errors(include_url=False)]


def check_model(model: type[FileModel], data: Any, what: str) -> list[Finding]:
    """Return everything about ``data`` that the model does not allow."""
    return validate(model, data, what)[1]


def empty_remedy(model: type[FileModel]) -> str:
    """Return what to do about an empty file: start with the first key of the model."""
    first = next(iter(model.model_fields))
    hint = next(_hints(model, (first,)), None)
    return hint.remedy if hint else f"start with `{first}:`"


def validate_parts(model: type[Model], data: Any, known: Iterable[KeyPath]) -> tuple[Model | None, set[KeyPath]]:
    """Return the model of ``data`` without its faulty entries, and the paths of everything that was left out.

    ``known`` are the paths of the entries whose faults are known, those with bad names excepted.

    An entry whose required field is faulty is left out whole; a required field at the top gets its example, and without
    one there is no model. An entry with a bad name stays, so that what is in it can be checked.
    """
    left_out = set(known)
    while () not in left_out:
        try:
            kept = _without(data, left_out, model)
            return model.model_validate(kept, context=_ACCEPT_ALL), left_out
        except ValidationError as error:
            faulty = {_faulty_entry(each) for each in error.errors(include_url=False, include_context=False)}
            if faulty <= left_out:  # an example that is not valid itself
                break
            left_out |= faulty
    return None, left_out


def _faulty_entry(error: Any) -> KeyPath:
    path = _path(error)
    return path[:-1] if error["type"] == "missing" else path


def _without(data: Any, left_out: set[KeyPath], model: type[FileModel]) -> Any:
    inside = {path[:length] for path in left_out for length in range(len(path))}
    kept = _copy_without(data, (), left_out, inside)
    if isinstance(kept, dict):
        for name, field in model.model_fields.items():
            key = field.alias or name
            if field.is_required() and key not in kept and (example := _example(model, (key,))) is not None:
                kept[key] = example
    return kept


def _copy_without(data: Any, path: KeyPath, left_out: set[KeyPath], inside: set[KeyPath]) -> Any:
    if path and path not in inside:
        return data
    if isinstance(data, dict):
        return {
            key: _copy_without(value, (*path, key), left_out, inside)
            for key, value in data.items()
            if (*path, key) not in left_out
        }
    if isinstance(data, list):
        return [
            _copy_without(value, (*path, index), left_out, inside)
            for index, value in enumerate(data)
            if (*path, index) not in left_out
        ]
    return data


def _path(error: Any) -> KeyPath:
    return tuple(part for part in error["loc"] if not str(part).startswith(_TAG))


def _to_finding(model: type[FileModel], error: Any, what: str) -> Finding:
    path = _path(error)
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, list(_keys_at(model, path[:-1])))
    if path and path[-1] == "[key]":
        message = f"{path[-2]!r} cannot be {error['ctx']['wanted']}"
        fault = Fault(message, suggestion=error["ctx"]["remedy"], path=path[:-1], code=FaultCode.BAD_NAME)
        return Finding(fault, at_key=True)
    entry = next((part for part in reversed(path) if isinstance(part, str)), what)
    hints = list(_hints(model, path))
    if error["type"] == "missing":
        remedy = hints[0].remedy if hints else f"as in `{entry}: {_to_text(_example(model, path))}`"
        return Finding(Fault(f"{entry!r} is missing", suggestion=remedy, path=path, code=FaultCode.MISSING_KEY))
    if error["type"] == "too_long":
        message, code = f"{entry} holds more than {error['ctx']['max_length']} entries", FaultCode.TOO_LARGE
        remedy = hints[0].remedy if hints else "leave some out"
    else:
        wanted, remedy = _wanted(error, hints)
        message, code = f"{entry} must be {wanted}, got {_show(error['input'])}", FaultCode.WRONG_TYPE
    return Finding(Fault(message, suggestion=remedy, path=path, code=code))


def _wanted(error: Any, hints: list[Hint]) -> tuple[str, str]:
    match error["type"]:
        case "field":
            return error["ctx"]["wanted"], error["ctx"]["remedy"]
        case "too_short":
            about_list = (hint for hint in hints if hint.wanted)
            hint = next(about_list, Hint("as in `[first, second]`", "a list of at least one entry"))
            return hint.wanted, hint.remedy
        case "list_type":
            hint = next((hint for hint in hints if hint.wanted), Hint("as in `[first, second]`", "a list"))
            return hint.wanted, hint.remedy
        case _:
            return "a mapping", "as in `{name: value}`"


def _unknown_key(path: KeyPath, known: list[str]) -> Finding:
    meant = nearest(str(path[-1]), known)
    suggestion = name_hint(str(path[-1]), known)
    fault = Fault(f"unknown key {path[-1]!r}", suggestion=suggestion, path=path, code=FaultCode.UNKNOWN_KEY)
    return Finding(fault, at_key=True, meant=(*path[:-1], meant) if meant else None)


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_SHOWN else f"{value[: _MAX_SHOWN - 3]}...")
    if value == []:
        return "an empty list"
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(value), repr(value))


def _to_text(example: Any) -> str:
    if isinstance(example, dict):
        return f"{{{', '.join(f'{key}: {_to_text(value)}' for key, value in example.items())}}}"
    if isinstance(example, list):
        return f"[{', '.join(map(_to_text, example))}]"
    return "…" if example is None else str(example)


# --- numbers without a unit ------------------------------------------------------------------------------------------


def unit_notes(model: type[FileModel], data: Any) -> Iterator[Note]:
    """Yield a note on every number that stands where a unit is meant, and say how it is read; zero needs none."""
    for path, value in _scalars(data, ()):
        if _is_number(value) and value != 0 and path[-1] not in UNIT_KEYS:
            types = (each for hint in _types_at(model, path) for each in _field_types(hint))
            unit = next((each.unit for each in types if each.unit), "")
            if unit:
                message, remedy = f"{value:g} is read as {value:g} {unit}", f"write `{value:g} {unit}`"
                yield Note(message, suggestion=remedy, path=path, code=NoteCode.ASSUMED_UNIT)


def _scalars(data: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _scalars(value, (*path, key))
    else:
        yield path, data


def _field_types(hint: Any) -> Iterator[FieldType]:
    for metadata in _metadata(hint):
        if isinstance(metadata, FieldType):
            yield metadata


# --- the type hints of a model, by path -------------------------------------------------------------------------------


def _example(model: type[FileModel], path: KeyPath) -> Any:
    hint = next(_hints(model, path), None)
    if hint is not None:
        return hint.example
    shapes = (each for inner in _types_at(model, path[:-1]) for each in _models(inner))
    fields = (_field(each, path[-1]) for each in shapes)
    return next((field.examples[0] for field in fields if field is not None and field.examples), None)


def _keys_at(model: type[FileModel], path: KeyPath) -> Iterator[str]:
    """Yield the keys that the mapping at ``path`` may have."""
    for inner in _types_at(model, path):
        for each in _models(inner):
            yield from (field.alias or name for name, field in each.model_fields.items())


def _hints(model: type[FileModel], path: KeyPath) -> Iterator[Hint]:
    """Yield the hints at the entry at ``path``."""
    for each in _types_at(model, path):
        for metadata in _metadata(each):
            if isinstance(metadata, Hint):
                yield metadata


def _metadata(hint: Any) -> Iterator[Any]:
    if get_origin(hint) not in (dict, list):
        yield from getattr(hint, "__metadata__", ())
        for each in get_args(hint):
            yield from _metadata(each)


def _types_at(hint: Any, path: KeyPath) -> Iterator[Any]:
    """Yield the type hints that describe the entry at ``path`` of what ``hint`` describes."""
    if not path:
        yield hint
        return
    for inner in _inside(hint, path[0]):
        yield from _types_at(inner, path[1:])


def _inside(hint: Any, part: str | int) -> Iterator[Any]:
    if isinstance(hint, type) and issubclass(hint, FileModel):
        field = _field(hint, part)
        if field is not None:
            yield Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    elif get_origin(hint) in (dict, list):
        yield get_args(hint)[-1]
    else:  # a union or an annotated hint
        for each in get_args(hint):
            yield from _inside(each, part)


def _field(model: type[FileModel], key: str | int) -> FieldInfo | None:
    """Return the field that an entry of a mapping is read as."""
    return next((field for name, field in model.model_fields.items() if key == (field.alias or name)), None)


def _models(hint: Any) -> Iterator[type[FileModel]]:
    if isinstance(hint, type) and issubclass(hint, FileModel):
        yield hint
    elif get_origin(hint) not in (dict, list):
        for each in get_args(hint):
            yield from _models(each)
