"""What authored files of every sort share: models of their shape, what breaks them in our words, and JSON Schema."""

import json
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from telos.core.errors import Fault, FaultCode, Path, name_hint, nearest
from telos.core.files.leaves import Leaf
from telos.core.files.shape import Finding
from telos.core.values import NAME

# Marks of the branches of unions, which pydantic puts into the way to an entry and no author wrote.
_MARK = "‹"


def mark(word: str) -> str:
    """Return the mark of a union's branch, so that a mistake is told by one branch only."""
    return f"{_MARK}{word}›"


def name_leaf(wanted: str) -> Leaf:
    """Return the entry that names something: letters, digits, dots, hyphens and underscores."""
    # Wrapped in allOf because pydantic would turn a bare pattern of a key into patternProperties, which lets every
    # other key through.
    pattern = NAME.pattern.removesuffix(r"\Z")
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    remedy = "use letters, digits, - and _, and start with a letter"
    return Leaf(wanted, lambda value: isinstance(value, str) and bool(NAME.match(value)), schema, remedy)


def text_leaf(wanted: str, remedy: str = "") -> Leaf:
    """Return the entry that is any text with something in it."""
    schema = {"type": "string", "minLength": 1}
    return Leaf(wanted, lambda value: isinstance(value, str) and value != "", schema, remedy)


def _tidy(schema: dict[str, Any]) -> None:
    """Drop defaults that an editor would type in for the author and that say nothing, such as ``null``."""
    for entry in schema.get("properties", {}).values():
        if not entry.get("default"):
            entry.pop("default", None)


class FileShape(BaseModel):
    """A mapping in a file with known keys. A field that must be there has an example, which is its remedy."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra=_tidy,
        model_title_generator=lambda model: model.__name__.removesuffix("Shape"),
    )


def schema_text(model: type[FileShape], title: str) -> str:
    """Return the JSON Schema of a sort of file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    schema["title"] = title
    return json.dumps(schema, indent=2, ensure_ascii=False)


def check_model(model: type[FileShape], data: Any, what: str) -> list[Finding]:
    """Return everything about ``data`` that the shape does not allow; ``what`` is what such a file is called."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        return [_finding(model, each, what) for each in error.errors(include_url=False)]
    return []


def _finding(model: type[FileShape], error: Any, what: str) -> Finding:
    path: Path = tuple(part for part in error["loc"] if not str(part).startswith(_MARK))
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


def _unknown_key(path: Path, known: list[str]) -> Finding:
    meant = nearest(str(path[-1]), known)
    suggestion = name_hint(str(path[-1]), known)
    fault = Fault(f"unknown key {path[-1]!r}", suggestion=suggestion, path=path, code=FaultCode.UNKNOWN_KEY)
    return Finding(fault, at_key=True, meant=(*path[:-1], meant) if meant else None)


def _example(model: type[FileShape], path: Path) -> Any:
    shapes = (each for hint in _hints_at(model, path[:-1]) for each in _shapes(hint))
    found = (shape.model_fields[str(path[-1])].examples for shape in shapes if path[-1] in shape.model_fields)
    return next((examples[0] for examples in found if examples), "…")


def _written(example: Any) -> str:
    if isinstance(example, dict):
        return f"{{{', '.join(f'{key}: {_written(value)}' for key, value in example.items())}}}"
    return str(example)


def _keys_at(model: type[FileShape], path: Path) -> Iterator[str]:
    """Yield the keys that the mapping at ``path`` may have."""
    for hint in _hints_at(model, path):
        for shape in _shapes(hint):
            yield from (field.alias or name for name, field in shape.model_fields.items())


def _hints_at(hint: Any, path: Path) -> Iterator[Any]:
    """Yield the type hints that describe the entry at ``path`` of what ``hint`` describes."""
    if not path:
        yield hint
        return
    for inner in _inside(hint, path[0]):
        yield from _hints_at(inner, path[1:])


def _inside(hint: Any, part: str | int) -> Iterator[Any]:
    if isinstance(hint, type) and issubclass(hint, FileShape):
        if part in hint.model_fields:
            yield hint.model_fields[str(part)].annotation
    elif get_origin(hint) in (dict, list):
        yield get_args(hint)[-1]
    else:  # a union or an annotated hint
        for each in get_args(hint):
            yield from _inside(each, part)


def _shapes(hint: Any) -> Iterator[type[FileShape]]:
    if isinstance(hint, type) and issubclass(hint, FileShape):
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
