"""Pydantic base model, field types, durations, JSON Schema, faults in our words."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from telos.core.errors import Fault, FaultCode, KeyPath, name_hint, nearest
from telos.core.goal import CURVES
from telos.core.values import KEYWORDS, NAME

# --- leaves -----------------------------------------------------------------------------------------------------------
# The smallest parts of a domain file: what each may be, in Python, in words and in JSON Schema.


@dataclass(frozen=True, eq=False)  # by identity, as type hints are hashed and a schema is not hashable
class FieldType:
    """One kind of entry. ``wanted`` completes the sentence "duration must be …"; ``remedy`` is what to do instead."""

    wanted: str
    accepts: Callable[[Any], bool]
    schema: Mapping[str, Any]
    remedy: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.schema)

    def _checked(self, value: Any) -> Any:
        if not self.accepts(value):
            raise PydanticCustomError("leaf", "{wanted}", {"wanted": self.wanted, "remedy": self.remedy})
        return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _name(wanted: str, pattern: str, remedy: str) -> FieldType:
    # Wrapped in allOf because pydantic would turn a bare pattern of a key into patternProperties, which lets every
    # other key through.
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    compiled = re.compile(rf"{pattern}\Z")
    return FieldType(wanted, lambda value: isinstance(value, str) and bool(compiled.match(value)), schema, remedy)


_WORD = f"(?!(?:{'|'.join(sorted(KEYWORDS))})$)[A-Za-z][A-Za-z0-9_]*"
_LONG_WORD = "[A-Za-z][A-Za-z0-9_.-]*"
_WORD_REMEDY = f"use letters, digits and _, and none of {', '.join(sorted(KEYWORDS))}"
_LONG_REMEDY = "use letters, digits, - and _, and start with a letter"

VariableName: TypeAlias = Annotated[str, _name("the name of a variable", _WORD, _WORD_REMEDY)]
ParameterName: TypeAlias = Annotated[str, _name("the name of a parameter", _WORD, _WORD_REMEDY)]
ObjectName: TypeAlias = Annotated[str, _name("the name of an object", _WORD, _WORD_REMEDY)]
HandleName: TypeAlias = Annotated[str, _name("the name of a handle", _WORD, _WORD_REMEDY)]
HandleKind: TypeAlias = Annotated[str, _name("a kind of handle, such as node", _WORD, _WORD_REMEDY)]
Label: TypeAlias = Annotated[str, _name("a label", _WORD, _WORD_REMEDY)]
ActionName: TypeAlias = Annotated[str, _name("the name of an action", _LONG_WORD, _LONG_REMEDY)]
GoalName: TypeAlias = Annotated[str, _name("the name of a goal", _LONG_WORD, _LONG_REMEDY)]
# Mentions of a name may be any text: whether there is such an action or goal is for the domain to say.
ActionMember: TypeAlias = Annotated[str, FieldType("the name of an action", _is_text, {"type": "string"})]
GoalMember: TypeAlias = Annotated[str, FieldType("the name of a goal", _is_text, {"type": "string"})]
SetName: TypeAlias = Annotated[str, _name("the name of a set", _LONG_WORD, _LONG_REMEDY)]
DomainName: TypeAlias = Annotated[str, _name("the name of the domain", _LONG_WORD, _LONG_REMEDY)]
TypeWord: TypeAlias = Annotated[
    str, _name("bool, int, number, a kind of handle or a list of labels", _WORD, "as in `ammo: int`")
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


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of shape; whether it is about the key, and which entry its author probably meant to write."""

    fault: Fault
    at_key: bool = False
    meant: KeyPath | None = None


# --- models -----------------------------------------------------------------------------------------------------------
# What authored files of every sort share: models of their shape, what breaks them in our words, and JSON Schema.


# Marks of the branches of unions, which pydantic puts into the way to an entry and no author wrote.
_MARK = "‹"


def branch_tag(word: str) -> str:
    """Return the mark of a union's branch, so that a mistake is told by one branch only."""
    return f"{_MARK}{word}›"


def name_type(wanted: str) -> FieldType:
    """Return the entry that names something: letters, digits, dots, hyphens and underscores."""
    # Wrapped in allOf because pydantic would turn a bare pattern of a key into patternProperties, which lets every
    # other key through.
    pattern = NAME.pattern.removesuffix(r"\Z")
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    remedy = "use letters, digits, - and _, and start with a letter"
    return FieldType(wanted, lambda value: isinstance(value, str) and bool(NAME.match(value)), schema, remedy)


def text_type(wanted: str, remedy: str = "") -> FieldType:
    """Return the entry that is any text with something in it."""
    schema = {"type": "string", "minLength": 1}
    return FieldType(wanted, lambda value: isinstance(value, str) and value != "", schema, remedy)


def _tidy(schema: dict[str, Any]) -> None:
    """Drop defaults that an editor would type in for the author and that say nothing, such as ``null``."""
    for entry in schema.get("properties", {}).values():
        if not entry.get("default"):
            entry.pop("default", None)


class FileModel(BaseModel):
    """A mapping in a file with known keys. A field that must be there has an example, which is its remedy."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra=_tidy,
        model_title_generator=lambda model: model.__name__.removesuffix("Shape"),
    )


def schema_text(model: type[FileModel], title: str) -> str:
    """Return the JSON Schema of a sort of file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    schema["title"] = title
    return json.dumps(schema, indent=2, ensure_ascii=False)


def check_model(model: type[FileModel], data: Any, what: str) -> list[Finding]:
    """Return everything about ``data`` that the shape does not allow; ``what`` is what such a file is called."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        return [_finding(model, each, what) for each in error.errors(include_url=False)]
    return []


def _finding(model: type[FileModel], error: Any, what: str) -> Finding:
    path: KeyPath = tuple(part for part in error["loc"] if not str(part).startswith(_MARK))
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, list(_keys_at(model, path[:-1])))
    if path and path[-1] == "[key]":
        message = f"{path[-2]!r} cannot be {error['ctx']['wanted']}"
        return Finding(
            Fault(message, suggestion=error["ctx"]["remedy"], path=path[:-1], code=FaultCode.BAD_NAME), at_key=True
        )
    entry = next((part for part in reversed(path) if isinstance(part, str)), what)
    if error["type"] == "missing":
        remedy = f"as in `{entry}: {_written(_example(model, path))}`"
        return Finding(Fault(f"{entry!r} is missing", suggestion=remedy, path=path, code=FaultCode.MISSING_KEY))
    wanted, remedy = _wanted(error)
    return Finding(
        Fault(
            f"{entry} must be {wanted}, got {_shown(error['input'])}",
            suggestion=remedy,
            path=path,
            code=FaultCode.WRONG_TYPE,
        )
    )


def _wanted(error: Any) -> tuple[str, str]:
    match error["type"]:
        case "leaf":
            return error["ctx"]["wanted"], error["ctx"]["remedy"]
        case "list_type":
            return "a list", "as in `[first, second]`"
        case _:
            return "a mapping", "as in `{name: value}`"


def _unknown_key(path: KeyPath, known: list[str]) -> Finding:
    meant = nearest(str(path[-1]), known)
    suggestion = name_hint(str(path[-1]), known)
    fault = Fault(f"unknown key {path[-1]!r}", suggestion=suggestion, path=path, code=FaultCode.UNKNOWN_KEY)
    return Finding(fault, at_key=True, meant=(*path[:-1], meant) if meant else None)


def _example(model: type[FileModel], path: KeyPath) -> Any:
    shapes = (each for hint in _hints_at(model, path[:-1]) for each in _shapes(hint))
    found = (shape.model_fields[str(path[-1])].examples for shape in shapes if path[-1] in shape.model_fields)
    return next((examples[0] for examples in found if examples), "…")


def _written(example: Any) -> str:
    if isinstance(example, dict):
        return f"{{{', '.join(f'{key}: {_written(value)}' for key, value in example.items())}}}"
    return str(example)


def _keys_at(model: type[FileModel], path: KeyPath) -> Iterator[str]:
    """Yield the keys that the mapping at ``path`` may have."""
    for hint in _hints_at(model, path):
        for shape in _shapes(hint):
            yield from (field.alias or name for name, field in shape.model_fields.items())


def _hints_at(hint: Any, path: KeyPath) -> Iterator[Any]:
    """Yield the type hints that describe the entry at ``path`` of what ``hint`` describes."""
    if not path:
        yield hint
        return
    for inner in _inside(hint, path[0]):
        yield from _hints_at(inner, path[1:])


def _inside(hint: Any, part: str | int) -> Iterator[Any]:
    if isinstance(hint, type) and issubclass(hint, FileModel):
        if part in hint.model_fields:
            yield hint.model_fields[str(part)].annotation
    elif get_origin(hint) in (dict, list):
        yield get_args(hint)[-1]
    else:  # a union or an annotated hint
        for each in get_args(hint):
            yield from _inside(each, part)


def _shapes(hint: Any) -> Iterator[type[FileModel]]:
    if isinstance(hint, type) and issubclass(hint, FileModel):
        yield hint
    elif get_origin(hint) not in (dict, list):
        for each in get_args(hint):
            yield from _shapes(each)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:37]}...")
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(value), repr(value))


# --- times ------------------------------------------------------------------------------------------------------------
# Times as people write them: `0.2 s`, `200 ms`, or a bare number of seconds.


# At most nine digits on each side: no written time is infinite, and a billion seconds are thirty years.
_PATTERN = r"(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}) ?(?:s|ms)"
_TIME = re.compile(rf"({_PATTERN})\Z")
_ABOVE_ZERO = "(?=[^1-9]*[1-9])"  # in a schema there is only the pattern to say so


def parse_duration(said: Any) -> float | None:
    """Return a written time in seconds; None if it is no time.

    >>> [parse_duration(text) for text in ("200 ms", "12 s", 3, "3 days", "-1 s")]
    [0.2, 12.0, 3.0, None, None]
    """
    if isinstance(said, str) and _TIME.match(said):
        number = float(said.rstrip("ms "))
        return number / 1000 if said.endswith("ms") else number
    if isinstance(said, int | float) and not isinstance(said, bool) and math.isfinite(said) and said >= 0:
        return float(said)
    return None


def _is_time(value: Any) -> bool:
    return parse_duration(value) is not None


def _is_period(value: Any) -> bool:
    return (parse_duration(value) or 0.0) > 0


Duration: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a time such as `3 s` or `500 ms`, zero or more",
        _is_time,
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": f"^{_PATTERN}$"}]},
    ),
]
PositiveDuration: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a time above zero, such as `3 s` or `500 ms`",
        _is_period,
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": f"^{_ABOVE_ZERO}{_PATTERN}$"},
            ]
        },
    ),
]
