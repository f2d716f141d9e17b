"""The smallest parts of a domain file: what each may be, in Python, in words and in JSON Schema."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from telos.core.curves import CURVES
from telos.core.values import KEYWORDS


@dataclass(frozen=True, eq=False)  # by identity, as type hints are hashed and a schema is not hashable
class Leaf:
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


def _name(wanted: str, pattern: str, remedy: str) -> Leaf:
    # Wrapped in allOf because pydantic would turn a bare pattern of a key into patternProperties, which lets every
    # other key through.
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    compiled = re.compile(rf"{pattern}\Z")
    return Leaf(wanted, lambda value: isinstance(value, str) and bool(compiled.match(value)), schema, remedy)


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
ActionMember: TypeAlias = Annotated[str, Leaf("the name of an action", _is_text, {"type": "string"})]
GoalMember: TypeAlias = Annotated[str, Leaf("the name of a goal", _is_text, {"type": "string"})]
SetName: TypeAlias = Annotated[str, _name("the name of a set", _LONG_WORD, _LONG_REMEDY)]
DomainName: TypeAlias = Annotated[str, _name("the name of the domain", _LONG_WORD, _LONG_REMEDY)]
TypeWord: TypeAlias = Annotated[
    str, _name("bool, int, number, a kind of handle or a list of labels", _WORD, "as in `ammo: int`")
]

Number: TypeAlias = Annotated[float, Leaf("a number", _is_number, {"type": "number"})]
PositiveNumber: TypeAlias = Annotated[
    float,
    Leaf("a number zero or more", lambda value: _is_number(value) and value >= 0, {"type": "number", "minimum": 0}),
]
Cost: TypeAlias = Annotated[
    float | str,
    Leaf(
        "a number zero or more, or an expression",
        lambda value: _is_text(value) or (_is_number(value) and value >= 0),
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]},
    ),
]
ConditionText: TypeAlias = Annotated[
    str | bool,
    Leaf(
        "a condition such as `ammo >= 1`, or a list of them",
        lambda value: isinstance(value, str | bool),
        {"type": ["string", "boolean"], "examples": ["weapon_loaded and ammo >= 1"]},
    ),
]
EffectText: TypeAlias = Annotated[
    str,
    Leaf(
        "an effect such as `ammo -= 1`, or a list of them",
        _is_text,
        {"type": "string", "examples": ["ammo -= 1", "weapon_loaded = true"]},
        "write `variable = value`",
    ),
]
CurveName: TypeAlias = Annotated[
    str,
    Leaf(f"one of {', '.join(CURVES)}", lambda value: _is_text(value) and value in CURVES, {"enum": list(CURVES)}),
]
StartValue: TypeAlias = Annotated[
    bool | float | str,
    Leaf(
        "true, false, a number, a label or a handle",
        lambda value: isinstance(value, str | bool) or _is_number(value),
        {"type": ["boolean", "number", "string"]},
    ),
]
