"""The shape of a character file: which keys stand where, and what kind of entry each is."""

import math
from typing import Annotated, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.files import leaves
from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, schema_text, text_leaf
from telos.core.files.times import Moment, Period

CharacterName: TypeAlias = Annotated[str, name_leaf("the name of a character")]
GoalOrSet: TypeAlias = Annotated[str, text_leaf("the name of a goal or of a goal set")]
ActionOrSet: TypeAlias = Annotated[str, text_leaf("the name of an action or of an action set")]
SensorName: TypeAlias = Annotated[str, name_leaf("the name of a sensor")]
FactKind: TypeAlias = Annotated[str, name_leaf("a kind of fact")]
BodyKey: TypeAlias = Annotated[str, name_leaf("what a body has")]
Remark: TypeAlias = Annotated[str, text_leaf("a line about it")]
_Like: TypeAlias = Annotated[str, text_leaf("the name or the file of another character")]

_ONE, _LIST = mark("one"), mark("list")
_Scalar: TypeAlias = Annotated[
    bool | float | str,
    Leaf(
        "true, false, a number or a word, or a list of them",
        lambda value: isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)),
        {"type": ["boolean", "number", "string"]},
    ),
]
BodyValue: TypeAlias = Annotated[
    Annotated[_Scalar, Tag(_ONE)] | Annotated[list[_Scalar], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


class AddShape(FileShape):
    """What comes on top of what `like` gave."""

    goals: list[GoalOrSet] = Field(default_factory=list)
    """Goals or goal sets."""
    actions: list[ActionOrSet] = Field(default_factory=list)
    """Actions or action sets."""
    sensors: dict[SensorName, Moment] = Field(default_factory=dict)
    """Sensors, and how often each is polled."""


class DropShape(FileShape):
    """What is left out of what `like` gave."""

    goals: list[GoalOrSet] = Field(default_factory=list)
    """Goals or goal sets."""
    actions: list[ActionOrSet] = Field(default_factory=list)
    """Actions or action sets."""
    sensors: list[SensorName] = Field(default_factory=list)
    """Sensors."""


class CharacterShape(FileShape):
    """One kind of character."""

    character: CharacterName = Field(examples=["drone"])
    """The name of this kind of character."""
    about: Remark = ""
    """A line on what it is."""
    like: _Like = ""
    """Another character, whose file stands in the same folder (or a path); this one has all that it has."""
    goals: list[GoalOrSet] = Field(default_factory=list)
    """What it wants: goals and goal sets of the domain. They take the place of those of `like`."""
    actions: list[ActionOrSet] = Field(default_factory=list)
    """What it can do: actions and action sets of the domain. They take the place of those of `like`."""
    sensors: dict[SensorName, Moment] = Field(default_factory=dict)
    """How often each sensor is polled: `{sight: 0.2 s, hearing: 500 ms}`; 0: whenever it thinks."""
    memory: dict[FactKind, Period] = Field(default_factory=dict)
    """How long each kind of fact takes to fade: `{enemy: 12 s}`; others stay."""
    body: dict[BodyKey, BodyValue] = Field(default_factory=dict)
    """What the world wants to know of its body: `{speed: 5, weapon: rifle}`."""
    priorities: dict[leaves.GoalName, leaves.Number] = Field(default_factory=dict)
    """Its own priority of a goal, in place of the domain's: `{dodge: 25}`."""
    add: AddShape = Field(default_factory=AddShape)
    """What it has on top of what `like` gave."""
    drop: DropShape = Field(default_factory=DropShape)
    """What it does not have of what `like` gave."""


def character_schema() -> str:
    """Return the JSON Schema of a character file."""
    return schema_text(CharacterShape, "Telos character file")
