"""The shape of a scene file: which keys stand where, and what kind of entry each is."""

import re
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.agents.character_shape import BodyKey, BodyValue, Remark
from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, schema_text, text_leaf
from telos.core.files.times import Moment, Period

_LETTER = re.compile(r"[A-Z]\Z")
_ONE, _LIST, _CUE, _REPEAT = map(mark, ("one", "list", "cue", "repeat"))

_SceneName: TypeAlias = Annotated[str, name_leaf("the name of a scene")]
_Map: TypeAlias = Annotated[str, text_leaf("the name of a map, or a drawing", "write `map: |`, and draw below it")]
_Letter: TypeAlias = Annotated[
    str,
    Leaf(
        "a mark on the map",
        lambda value: isinstance(value, str) and bool(_LETTER.match(value)),
        {"type": "string", "allOf": [{"pattern": "^[A-Z]$"}]},
        "use one of the capital letters A to Z",
    ),
]
_Character: TypeAlias = Annotated[str, text_leaf("the name of a character")]
_PersonName: TypeAlias = Annotated[str, name_leaf("the name of somebody")]
_Side: TypeAlias = Annotated[str, name_leaf("the name of a side")]
_Kind: TypeAlias = Annotated[str, name_leaf("a kind of thing, such as medkit")]
_Order: TypeAlias = Annotated[str, name_leaf("a kind of order, such as advance")]
_Command: TypeAlias = Annotated[str, text_leaf("a command such as `goto p1`")]
_Behaviour: TypeAlias = Annotated[str, text_leaf("the name of a squad behaviour")]
_Squads: TypeAlias = Annotated[
    Annotated[
        str,
        Leaf(
            "`all`, or a list of squad behaviours",
            lambda value: value == "all",
            {"const": "all"},
            "as in `[get-to-cover, search]`",
        ),
        Tag(_ONE),
    ]
    | Annotated[list[_Behaviour], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]
_Rank: TypeAlias = Annotated[
    int,
    Leaf(
        "a whole number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0,
        {"type": "integer"},
    ),
]
_Bool: TypeAlias = Annotated[bool, Leaf("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})]


class CueShape(FileShape):
    """A command, and when it is given."""

    at: Moment = Field(examples=["3 s"])
    """The time since the start of the script: `3 s`."""
    do: _Command = Field(examples=["goto p1"])
    """The command, as it is written for a body."""


class RepeatShape(FileShape):
    """When the script starts over; the last entry."""

    repeat: Period = Field(examples=["10 s"])
    """The time since the start of the script: `10 s`."""


_Entry: TypeAlias = Annotated[
    Annotated[CueShape, Tag(_CUE)] | Annotated[RepeatShape, Tag(_REPEAT)],
    Discriminator(lambda value: _REPEAT if isinstance(value, dict) and "repeat" in value else _CUE),
]


class CastShape(FileShape):
    """Somebody in the scene."""

    character: _Character = Field(examples=["soldier"])
    """The kind of character: the name of its file."""
    side: _Side = "red"
    """Whom they fight for."""
    name: _PersonName = ""
    """What they are called; the character and the letter if nothing is said."""
    rank: _Rank = 0
    """The highest of a squad leads it."""
    body: dict[BodyKey, BodyValue] = Field(default_factory=dict)
    """What their body has other than the character's: `{grenades: 2}`."""
    script: list[_Entry] = Field(default_factory=list)
    """Commands by the clock, for somebody who has no mind."""


class SceneShape(FileShape):
    """A map, who and what is on it, and how they are led."""

    scene: _SceneName = Field(examples=["flank"])
    """The name of the scene."""
    about: Remark = ""
    """One line on what to look at."""
    map: _Map = Field(examples=["courtyard"])
    """The name of a map, or the drawing itself below `map: |`."""
    seconds: Period = Field(examples=[60])
    """How long it lasts."""
    cast: dict[_Letter, CastShape] = Field(examples=[{"A": {"character": "soldier"}}])
    """Who stands at which letter of the map."""
    things: dict[_Letter, _Kind] = Field(default_factory=dict)
    """What lies at which letter of the map: `{M: medkit}`."""
    squads: _Squads = Field(default_factory=list)
    """The squad behaviours that are on: `all`, or a list."""
    objectives: dict[_Side, dict[_Order, Any]] = Field(default_factory=dict)
    """What a side is told to achieve: `{red: {advance: [p1, p2]}}`."""
    talk: _Bool = False
    """Whether they speak."""


def scene_schema() -> str:
    """Return the JSON Schema of a scene file."""
    return schema_text(SceneShape, "Telos scene file")
