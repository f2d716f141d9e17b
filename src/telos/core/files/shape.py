"""The shape of a domain file: which keys stand where, and what kind of entry each is.

The models are both the check and the source of the JSON Schema that editors complete from. What an entry *means*
(whether a variable exists, whether types agree) is not their business.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from telos.core.errors import Fault, FaultCode, Path, name_hint, nearest
from telos.core.files import leaves

MOST_ITEMS = 100  # conditions or effects in one list

# The marks that tell a union's branches apart, so that a mistake is told by one branch only.
_ONE, _LIST, _MAPPING = "‹one›", "‹list›", "‹mapping›"


def _branch(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _one_or_list(value)


def _one_or_list(value: Any) -> str:
    return _LIST if isinstance(value, list) else _ONE


def _tidy(schema: dict[str, Any]) -> None:
    """Drop defaults that an editor would type in for the author and that say nothing, such as ``null``."""
    for entry in schema.get("properties", {}).values():
        if not isinstance(entry.get("default"), float):
            entry.pop("default", None)


class _Shape(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra=_tidy,
        model_title_generator=lambda model: model.__name__.removesuffix("Shape"),
    )


_Labels: TypeAlias = Annotated[list[leaves.Label], Field(min_length=1), Tag(_LIST)]
_Type: TypeAlias = Annotated[Annotated[leaves.TypeWord, Tag(_ONE)] | _Labels, Discriminator(_one_or_list)]


class VariableShape(_Shape):
    """A variable with the value it starts with."""

    type: _Type
    """bool, int, number, a kind of handle, or a list of labels."""
    start: leaves.StartValue = False
    """The value before anything has happened."""


_Variable: TypeAlias = Annotated[
    Annotated[leaves.TypeWord, Tag(_ONE)] | _Labels | Annotated[VariableShape, Tag(_MAPPING)], Discriminator(_branch)
]
_Conditions: TypeAlias = Annotated[
    Annotated[leaves.ConditionText, Tag(_ONE)]
    | Annotated[list[leaves.ConditionText], Field(max_length=MOST_ITEMS), Tag(_LIST)],
    Discriminator(_one_or_list),
]
_Effects: TypeAlias = Annotated[
    Annotated[leaves.EffectText, Tag(_ONE)]
    | Annotated[list[leaves.EffectText], Field(max_length=MOST_ITEMS), Tag(_LIST)],
    Discriminator(_one_or_list),
]


class ActionShape(_Shape):
    """One thing a character can do."""

    preconditions: _Conditions = True
    """What must hold before: `weapon_loaded and ammo >= 1`, or a list that must all hold."""
    effects: _Effects = ""
    """What it sets: `ammo -= 1`, or a list. All effects read the state before and happen at once."""
    cost: leaves.Cost = 1.0
    """How much a planner should avoid it: a number, or an expression such as `distance(at, place)`."""
    duration: leaves.PositiveNumber = 0.0
    """How long it takes, in the game's unit of time."""
    changes: dict[str, leaves.Number] | None = None
    """How much it raises or lowers each goal: `{eat: -2}`."""
    promises: dict[str, leaves.Number] | None = None
    """Changes that arrive only through later actions: raw food promises to still hunger."""
    parameters: dict[leaves.ParameterName, leaves.HandleKind] | None = None
    """Handles that the goal or the next action fills in: `{place: node}`."""


class GoalShape(_Shape):
    """Something a character wants."""

    insistence: leaves.PositiveNumber = 0.0
    """How badly it is wanted at the start."""
    drift: leaves.Number = 0.0
    """How much insistence grows in a unit of time."""
    curve: leaves.CurveName = "square"
    """How insistence turns into discontent."""
    weight: leaves.PositiveNumber = 1.0
    """How much the discontent counts."""
    wants: _Conditions = True
    """What should hold: `target == dead`."""
    priority: leaves.Number = 0.0
    """Which goal a planner serves first: the higher."""
    relevant: _Conditions = True
    """When the goal matters at all: `under_fire`."""


class ObjectShape(_Shape):
    """A thing in the world that posts actions while its own variables allow them."""

    variables: dict[leaves.VariableName, _Variable] | None = None
    """The object's own variables; outside of it they are called `oven.contents`."""
    actions: dict[leaves.ActionName, ActionShape | None] | None = None
    """What it offers; outside of it, `oven.cook`."""


class DomainShape(_Shape):
    """Everything a character can know, do and want."""

    domain: leaves.DomainName
    """The name of the domain."""
    variables: dict[leaves.VariableName, _Variable] | None = None
    """What a character keeps track of: `ammo: int`, `target: [alive, dead]`, `at: {type: node, start: gate}`."""
    handles: dict[leaves.HandleKind, list[leaves.HandleName]] | None = None
    """Names of the game's own things that expressions may use, by kind: `node: [gate, tower]`."""
    actions: dict[leaves.ActionName, ActionShape | None] | None = None
    """What a character can do."""
    goals: dict[leaves.GoalName, GoalShape | None] | None = None
    """What a character may want."""
    objects: dict[leaves.ObjectName, ObjectShape | None] | None = None
    """Smart objects, which bring variables and actions of their own."""
    action_sets: dict[leaves.SetName, list[leaves.ActionMember]] | None = None
    """Who can do what: `rat: [goto]`."""
    goal_sets: dict[leaves.SetName, list[leaves.GoalMember]] | None = None
    """Who wants what."""


def schema_text() -> str:
    """Return the JSON Schema of a domain file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **DomainShape.model_json_schema()}
    schema["title"] = "Telos domain file"
    return json.dumps(schema, indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of shape; whether it is about the key, and which entry its author probably meant to write."""

    fault: Fault
    at_key: bool = False
    meant: Path | None = None


def check_shape(data: Any) -> list[Finding]:
    """Return everything about ``data`` that a domain file cannot have."""
    try:
        DomainShape.model_validate(data)
    except ValidationError as error:
        return [_finding(each) for each in error.errors(include_url=False)]
    return []


def _finding(error: Any) -> Finding:
    path = tuple(part for part in error["loc"] if part not in (_ONE, _LIST, _MAPPING))
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if path and path[-1] == "[key]":
        message = f"{path[-2]!r} cannot be {error['ctx']['wanted']}"
        return Finding(
            Fault(message, suggestion=error["ctx"]["remedy"], path=path[:-1], code=FaultCode.BAD_NAME), at_key=True
        )
    entry = next((part for part in reversed(path) if isinstance(part, str)), "a domain file")
    if kind == "missing":
        remedy = "start with `domain: name`" if path == ("domain",) else "as in `{type: int, start: 3}`"
        return Finding(Fault(f"{entry!r} is missing", suggestion=remedy, path=path, code=FaultCode.MISSING_KEY))
    if kind == "too_long":
        message = f"{entry} holds more than {MOST_ITEMS} entries"
        return Finding(
            Fault(message, suggestion="join some with `and` or a comma", path=path, code=FaultCode.TOO_LARGE)
        )
    wanted, remedy = _wanted(error)
    return Finding(
        Fault(f"{entry} must be {wanted}, got {_shown(value)}", suggestion=remedy, path=path, code=FaultCode.WRONG_TYPE)
    )


def _wanted(error: Any) -> tuple[str, str]:
    match error["type"]:
        case "leaf":
            return error["ctx"]["wanted"], error["ctx"]["remedy"]
        case "list_type":
            return "a list", "as in `[first, second]`"
        case "too_short":
            return "a list of at least one label", "as in `[alive, dead]`"
        case _:
            return "a mapping", "write `name: value` lines below it"


def _unknown_key(path: Path) -> Finding:
    known = _fields(path[:-1])
    meant = nearest(str(path[-1]), known)
    suggestion = name_hint(str(path[-1]), known)
    fault = Fault(f"unknown key {path[-1]!r}", suggestion=suggestion, path=path, code=FaultCode.UNKNOWN_KEY)
    return Finding(fault, at_key=True, meant=(*path[:-1], meant) if meant else None)


def _fields(path: Path) -> list[str]:
    """Return the keys that the mapping at ``path`` may have."""
    section = path[-2] if len(path) > 1 else ""
    shapes: dict[str, type[BaseModel]] = {
        "variables": VariableShape,
        "actions": ActionShape,
        "goals": GoalShape,
        "objects": ObjectShape,
    }
    return list(shapes.get(str(section), DomainShape).model_fields)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:37]}...")
    if value == []:
        return "an empty list"
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(value), repr(value))
