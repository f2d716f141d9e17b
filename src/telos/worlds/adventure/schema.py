"""The shape of a rules file: its entries and what they may be.

Its docstrings are the descriptions of the JSON Schema.
"""

import math
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.files.schema import FieldType, FileModel, PositiveDuration, name_type, schema_text, text_type

KINDS = ("hunter", "guard", "stalker")
_LEFT_OUT: Any = None  # a missing entry
_MAX_PIXELS = 10_000
_MAX_COUNT = 1_000


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and value % 1 == 0


def _one_of(*words: str | int) -> FieldType:
    wanted = " or ".join(f"`{word}`" for word in words)
    return FieldType(wanted, lambda value: not isinstance(value, bool) and value in words, {"enum": list(words)})


_RulesName: TypeAlias = Annotated[str, name_type("the name of the rules")]
_Goal: TypeAlias = Annotated[str, name_type("the name of a goal")]
_Who: TypeAlias = Annotated[str, name_type("a name")]
_Reader: TypeAlias = Annotated[str, name_type("the name of a recogniser")]
_Kind: TypeAlias = Annotated[str, _one_of(*KINDS)]
_Round: TypeAlias = Annotated[str, name_type("the name of a round")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]
_Drawing: TypeAlias = Annotated[str, text_type("a drawing of the map", "write `map: |`, and draw below it")]
_Pixels: TypeAlias = Annotated[
    float,
    FieldType(
        "a number of pixels above zero",
        lambda value: _is_number(value) and 0 < value <= _MAX_PIXELS,
        {"type": "number", "exclusiveMinimum": 0, "maximum": _MAX_PIXELS},
    ),
]
_WholePixels: TypeAlias = Annotated[
    int,
    FieldType(
        "a whole number of pixels, 100 or more",
        lambda value: _is_whole(value) and 100 <= value <= _MAX_PIXELS,
        {"type": "integer", "minimum": 100, "maximum": _MAX_PIXELS},
    ),
]
_Distance: TypeAlias = Annotated[
    float,
    FieldType(
        "a number of pixels, zero or more",
        lambda value: _is_number(value) and 0 <= value <= _MAX_PIXELS,
        {"type": "number", "minimum": 0, "maximum": _MAX_PIXELS},
    ),
]
_Count: TypeAlias = Annotated[
    int,
    FieldType(
        "a whole number, 1 or more",
        lambda value: _is_whole(value) and 1 <= value <= _MAX_COUNT,
        {"type": "integer", "minimum": 1, "maximum": _MAX_COUNT},
    ),
]
_Chance: TypeAlias = Annotated[
    float,
    FieldType(
        "a probability from 0.01 to 1",  # a smaller one would make placing a chest slow
        lambda value: _is_number(value) and 0.01 <= value <= 1,
        {"type": "number", "minimum": 0.01, "maximum": 1},
        "as in `chance: 0.33`",
    ),
]
_Reach: TypeAlias = Annotated[
    float | str,
    FieldType(
        "`area`, or a number of pixels above zero",
        lambda value: value == "area" or (_is_number(value) and 0 < value <= _MAX_PIXELS),
        {"anyOf": [{"const": "area"}, {"type": "number", "exclusiveMinimum": 0, "maximum": _MAX_PIXELS}]},
    ),
]
_Amount: TypeAlias = Annotated[
    float,
    FieldType(
        "a number zero or more", lambda value: _is_number(value) and value >= 0, {"type": "number", "minimum": 0}
    ),
]
_Bool: TypeAlias = Annotated[
    bool, FieldType("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
]


class ScreenShape(FileModel):
    """How large an area is, in pixels."""

    width: _WholePixels = Field(examples=[640])
    """From its west edge to its east edge."""
    height: _WholePixels = Field(examples=[480])
    """From its north edge to its south edge."""


class PlayerShape(FileModel):
    """The player's body."""

    size: _Pixels = Field(examples=[24])
    """The side of the square that monsters can touch, in pixels."""
    speed: _Pixels = Field(examples=[8])
    """Pixels a frame, also along diagonals."""


class SwordShape(FileModel):
    """The sword."""

    reach: _Pixels = Field(examples=[48])
    """How far it goes from the player's middle, in pixels."""
    width: _Pixels = Field(examples=[32])
    """How wide it strikes, in pixels."""
    lasts: PositiveDuration = Field(examples=["200 ms"])
    """How long it is out: `200 ms`."""
    ways: Annotated[int, _one_of(4, 8)] = Field(examples=[8])
    """8, or 4 if it cannot be swung along diagonals."""


class MonstersShape(FileModel):
    """The monsters of an area."""

    number: _Count = Field(examples=[5])
    """How many there are in each area."""
    size: _Pixels = Field(examples=[24])
    """The side of the square that kills, in pixels."""
    speed: _Pixels = Field(examples=[4])
    """Pixels a frame."""
    move: Annotated[str, _one_of("axes", "legs", "charge", "minds")] = Field(examples=["axes"])
    """`axes`: along rows and columns only, in turn; `legs`: along one of them until level with the player, then along
    the other; `charge`: straight at the player; `minds`: each has a mind of its own."""
    kinds: list[_Kind] = Field(default=_LEFT_OUT)
    """Kinds of those with minds, in turn as they appear. `hunter` comes at once, `guard` stays where it belongs,
    `stalker` comes from behind."""
    sight: _Pixels = Field(default=_LEFT_OUT)
    """The aggro radius: they move only while the player is inside it. If left out, they always come."""
    respawn: PositiveDuration = Field(examples=["5 s"])
    """How long after its death a monster comes back: `5 s`. All come back when an area is entered."""
    clear: _Distance = Field(examples=[120])
    """No monster appears nearer to the player than this, in pixels."""


class ChestShape(FileModel):
    """Where chests are: `number` of the places marked `C`, or each of them with a `chance`."""

    size: _Pixels = Field(examples=[32])
    """The side of a chest, in pixels."""
    number: _Count = Field(default=_LEFT_OUT)
    """In how many of the places a chest is."""
    chance: _Chance = Field(default=_LEFT_OUT)
    """How likely a chest is in each place; if chance leaves all empty, it is drawn again."""
    away: _Count = 1
    """How many screens from town a place must be, at least."""
    stay: _Bool = False
    """Whether chests are drawn once for the whole game, enough for all phases; else anew in each phase that asks for
    one."""


class GemsShape(FileModel):
    """What a dead monster leaves behind."""

    size: _Pixels = Field(examples=[16])
    """The side of a gem, in pixels."""


class TownShape(FileModel):
    """The town, or the bank in it."""

    reach: _Reach = Field(examples=["area"])
    """Being there means being in its `area`, or within so many pixels of the middle of it."""
    safe: _Bool = False
    """Whether no monster is in its area."""
    houses: _Bool = False
    """Whether solid houses stand in it, which nobody can walk through."""


class DeathShape(FileModel):
    """What happens to a player whom a monster touches."""

    restart: Annotated[str, _one_of("last", "town")] = Field(examples=["last"])
    """`last`: at the town or where a chest was picked up, whichever was last; `town`: always there, and a chest
    that was carried is back in its place."""
    fall: PositiveDuration = Field(default=_LEFT_OUT)
    """How long the game stands still while the player falls: `400 ms`. If left out, the restart is at once."""
    shield: PositiveDuration = Field(default=_LEFT_OUT)
    """How long nothing can hurt the player after the restart: `2 s`."""


class HeartsShape(FileModel):
    """The hearts of the player. A touch costs one, the last one is a death; in town they come back."""

    number: _Count = Field(examples=[3])
    """How many there are."""
    stop: PositiveDuration = Field(default=_LEFT_OUT)
    """How long the game stands still after a hit: `100 ms`."""
    knock: _Distance = 0.0
    """How far a hit throws the player back, in pixels."""
    shield: PositiveDuration = Field(examples=["1500 ms"])
    """How long nothing can hurt the player after a hit: `1500 ms`."""


class WorthShape(FileModel):
    """What is earned."""

    kill: _Amount = 0.0
    """For a kill, at once."""
    gem: _Amount = 0.0
    """For a gem that is brought to town."""
    chest: _Amount = 0.0
    """For a chest that is brought to town."""


class PhaseShape(FileModel):
    """A goal that the player is given. It ends with `until`, or after so many `kills`."""

    goal: _Goal = Field(examples=["explore"])
    """What recognisers should find out."""
    say: _Text = Field(examples=["Find the treasure chest"])
    """What the player is told."""
    until: Annotated[str, _one_of("chest", "town")] = Field(default=_LEFT_OUT)
    """`chest`: until one is picked up; `town`: until it is brought there."""
    kills: _Count = Field(default=_LEFT_OUT)
    """Until so many monsters are killed."""
    round: _Round = ""
    """A name for the round that the phase belongs to, such as `training`."""
    tip: _Text = ""
    """A line at the bottom of the screen, shown when the phase begins."""
    death_tip: _Text = ""
    """A line at the bottom of the screen, shown at the first death in the phase."""
    fresh: _Bool = False
    """Whether the map counts as unvisited again."""
    within: _Count = Field(default=_LEFT_OUT)
    """How many screens from town its chest is, at most. If left out, it is in any of the places."""
    footprints: _Bool = False
    """Whether footprints lead from town to its chest, and back to them from the screens beside."""


class CompanionShape(FileModel):
    """Somebody who goes along, reads what the player is after, and helps with that."""

    name: _Who = Field(examples=["Wren"])
    """What it is called."""
    reads: _Reader = Field(examples=["wilds"])
    """The recogniser by which it reads the player: one that comes with the package. If that has a director, the game
    adapts."""
    size: _Pixels = Field(examples=[22])
    """The side of its body, in pixels. Nothing can harm it."""
    speed: _Pixels = Field(examples=[7])
    """Pixels a frame."""
    reach: _Pixels = Field(examples=[56])
    """How near a monster must be to be stunned by its staff, in pixels. It never kills."""
    learns: bool = False
    """Whether it learns how the player plays, while the game says what the goal is; `reads` is an `iohmm` then."""


class EventsShape(FileModel):
    """What recognisers are told."""

    stops: _Bool = True
    """Whether letting go of all keys is an event."""


class RulesShape(FileModel):
    """The rules of an adventure."""

    rules: _RulesName = Field(examples=["flairs"])
    """The name of the rules."""
    about: _Text = ""
    """A line about them."""
    map: _Drawing = Field(examples=["|"])
    """The areas and the walls between them, drawn below `map: |`."""
    screen: ScreenShape = Field(examples=[{"width": 640, "height": 480}])
    """How large an area is."""
    player: PlayerShape = Field(examples=[{"size": 24, "speed": 8}])
    """The player's body."""
    sword: SwordShape = Field(examples=[{"reach": 48, "width": 32, "lasts": "200 ms", "ways": 8}])
    """The sword."""
    monsters: MonstersShape = Field(examples=[{"number": 5, "…": "…"}])
    """The monsters of an area."""
    chest: ChestShape = Field(examples=[{"size": 32, "number": 1}])
    """Where chests are."""
    gems: GemsShape = Field(default=_LEFT_OUT)
    """What a dead monster leaves behind; nothing if left out."""
    town: TownShape = Field(examples=[{"reach": "area"}])
    """What counts as being in town."""
    death: DeathShape = Field(examples=[{"restart": "last"}])
    """What happens to a player whom a monster touches."""
    hearts: HeartsShape = Field(default=_LEFT_OUT)
    """The hearts of the player. If left out, one touch kills."""
    worth: WorthShape = Field(default_factory=WorthShape)
    """What is earned."""
    events: EventsShape = Field(default_factory=EventsShape)
    """What recognisers are told."""
    companion: CompanionShape = Field(default=_LEFT_OUT)
    """Somebody who goes along; nobody if left out. It takes monsters that `move: minds`."""
    phases: list[PhaseShape] = Field(examples=["[{goal: explore, say: Find the chest, until: chest}]"])
    """The goals that the player is given, one after the other."""


def rules_schema() -> str:
    """Return the JSON Schema of a rules file."""
    return schema_text(RulesShape, "Telos adventure rules")
