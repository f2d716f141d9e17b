"""The shapes of recogniser files: which keys stand where, and what kind of entry each is."""

import json
import re
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag, TypeAdapter

from telos.core.errors import Fault, FaultCode, name_hint
from telos.core.files import leaves
from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, text_leaf
from telos.core.files.times import Period
from telos.recognition.files.chances import ChanceOrShared, Count, Factor, Updates
from telos.recognition.files.context import KindShape

FROM = "from "  # as in `from explore: {…}`; `from any` is all goals
TOWARDS = re.compile(r"towards ([A-Za-z][A-Za-z0-9_]*)\Z")

_ONE, _LIST, _MAPPING = mark("one"), mark("list"), mark("mapping")
_ELSE, _IF = mark("else"), mark("if")


def _branch(value: Any) -> str:
    return _LIST if isinstance(value, list) else _one_or_mapping(value)


def _one_or_mapping(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _ONE


def _kind(word: str) -> Leaf:
    return Leaf(word, lambda value: value == word, {"const": word})


GoalName: TypeAlias = Annotated[str, name_leaf("the name of a goal")]
GoalMember: TypeAlias = Annotated[str, text_leaf("the name of a goal")]
SeenName: TypeAlias = Annotated[str, name_leaf("the name of something seen")]
Row: TypeAlias = dict[GoalMember, ChanceOrShared]


def _from_rows(schema: dict[str, Any]) -> None:
    """Say in a schema that every key but the known ones is `from` and a goal."""
    rows = schema.pop("additionalProperties")
    schema["patternProperties"] = {f"^{FROM}.": rows}
    schema["additionalProperties"] = False
    for entry in schema.get("properties", {}).values():
        if not entry.get("default"):
            entry.pop("default", None)


class CaseShape(FileShape):
    """When goals change in another way, and how."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_from_rows)
    __pydantic_extra__: dict[str, Row]

    if_: leaves.ConditionText = Field(alias="if", examples=["chest_taken"])
    """When: `chest_taken`. The first case that holds is taken."""


class TransitionsShape(FileShape):
    """How goals follow one another."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_from_rows)
    __pydantic_extra__: dict[str, Row]

    lasts: Annotated[
        Annotated[Updates, Tag(_ONE)] | Annotated[dict[GoalMember, Updates], Tag(_MAPPING)],
        Discriminator(_one_or_mapping),
    ] = 100.0
    """How long a goal is pursued: `100 updates`, or `{level: 200 updates, …}`."""
    when: list[CaseShape] = Field(default_factory=list)
    """Cases in which goals change in another way; the first that holds is taken."""


class ClockShape(FileShape):
    """Which events count."""

    on: list[Annotated[str, text_leaf("a cause such as input or area")]] = Field(default_factory=list)
    """The causes of events that always count: `[input, area]`."""
    every: Period | None = None
    """How often at most a tick counts: `500 ms`; never if left out."""


_Look: TypeAlias = Annotated[
    Annotated[
        str,
        Leaf(
            "`towards` and some exits, or a mapping of what is seen to its chance",
            lambda value: isinstance(value, str) and bool(TOWARDS.match(value)),
            {"type": "string", "pattern": "^towards [A-Za-z][A-Za-z0-9_]*$", "examples": ["towards any_exit"]},
            "as in `towards any_exit`",
        ),
        Tag(_ONE),
    ]
    | Annotated[dict[SeenName, ChanceOrShared], Tag(_MAPPING)],
    Discriminator(_one_or_mapping),
]


class IfShape(FileShape):
    """What a goal looks like while something holds."""

    if_: leaves.ConditionText = Field(alias="if", examples=["monsters > 0"])
    """While this holds: `monsters > 0`. The first rule that holds is taken."""
    then: _Look = Field(examples=["towards any_exit"])
    """What it looks like: `{swing_still: 0.8, others: shared}` or `towards any_exit`."""


class ElseShape(FileShape):
    """What a goal looks like otherwise; the last rule."""

    else_: _Look = Field(alias="else")
    """What it looks like if no rule before holds."""


_Rule: TypeAlias = Annotated[
    Annotated[IfShape, Tag(_IF)] | Annotated[ElseShape, Tag(_ELSE)],
    Discriminator(lambda value: _ELSE if isinstance(value, dict) and "else" in value else _IF),
]
_Looks: TypeAlias = Annotated[
    Annotated[
        str,
        Leaf(
            "`towards` and some exits, a mapping, or a list of rules",
            lambda value: isinstance(value, str) and bool(TOWARDS.match(value)),
            {"type": "string", "pattern": "^towards [A-Za-z][A-Za-z0-9_]*$", "examples": ["towards any_exit"]},
            "as in `towards any_exit`",
        ),
        Tag(_ONE),
    ]
    | Annotated[list[_Rule], Tag(_LIST)]
    | Annotated[dict[SeenName, ChanceOrShared], Tag(_MAPPING)],
    Discriminator(_branch),
]
_Context: TypeAlias = Annotated[
    Annotated[
        str,
        Leaf(
            "adventure, or a mapping of names to kinds of values",
            lambda value: value == "adventure",
            {"const": "adventure"},
            "as in `{monsters: int, in_town: bool}`",
        ),
        Tag(_ONE),
    ]
    | Annotated[dict[leaves.VariableName, KindShape], Tag(_MAPPING)],
    Discriminator(_one_or_mapping),
]


class DirectorShape(FileShape):
    """One rule by which the game adapts to what it believes about its player."""

    if_: leaves.ConditionText = Field(alias="if", examples=["level > 0.9"])
    """When: how likely goals are, and what the game knows: `level > 0.9 and not in_town`."""
    until: leaves.ConditionText | None = None
    """When that is over, if it is not as soon as it no longer holds: `explore > 0.8 or new_area`. Beliefs waver."""
    for_: Period | None = Field(default=None, alias="for", examples=["20 s"])
    """How long that has to hold before anything follows: `20 s`; at once if left out."""
    pay: dict[Annotated[str, name_leaf("the name of what is earned")], Factor] = Field(default_factory=dict)
    """What is earned counts by these factors while the rule holds: `{kill: 0.5}`."""
    say: Annotated[str, text_leaf("a line to say", "as in `Nobody has been {unvisited_exits} of here.`")] = ""
    """What the game says then; `{unvisited_exits}` stands for what the game knows, and a line without any waits."""
    again_after: Period | None = Field(default=None, alias="again after", examples=["60 s"])
    """After how long it is said again, if the rule still holds: `60 s`; not before it has ended if left out."""


class RecognizerShape(FileShape):
    """What every recogniser file has."""

    recognizer: Annotated[str, text_leaf("the sort of recogniser")] = Field(examples=["ffbm"])
    """The sort of recogniser."""
    goals: list[GoalName] = Field(examples=["[level, explore, town]"])
    """What a player may be after."""
    name: Annotated[str, name_leaf("the name of a recogniser")] = ""
    """What this recogniser is called; the name of the file if left out."""
    about: Annotated[str, text_leaf("a line about it")] = ""
    """A line on what it is."""
    context: _Context = "adventure"
    """What the game tells: `adventure`, or each name with its kind: `{monsters: int, in_town: bool}`."""
    actions: list[Annotated[str, text_leaf("the name of an action")]] = Field(default_factory=list)
    """What a player can do; if left out, that of the adventure, or anything."""
    moments: list[Annotated[str, text_leaf("a name of the context")]] = Field(default_factory=list)
    """Which names of the context say what happened since the event before."""
    director: list[DirectorShape] = Field(default_factory=list)
    """How the game adapts: `[{if: level > 0.9, for: 20 s, pay: {kill: 0.5}}]`."""


class FfbmShape(RecognizerShape):
    """A model that a designer writes: how goals follow one another, and what each looks like."""

    recognizer: Annotated[str, _kind("ffbm")] = Field(examples=["ffbm"])
    """The sort of recogniser."""
    clock: ClockShape = Field(default_factory=ClockShape)
    """Which events count: `{on: [input, area], every: 500 ms}`."""
    prior: Row = Field(default_factory=dict)
    """How likely each goal is before anything was seen; evenly if left out."""
    transitions: TransitionsShape = Field(default_factory=lambda: TransitionsShape.model_validate({}))
    """How goals follow one another."""
    outcomes: dict[SeenName, leaves.ConditionText] = Field(default_factory=dict)
    """What can be seen, and when; the first that holds is what was seen. If left out, what the adventure has."""
    observations: dict[GoalMember, _Looks] = Field(examples=["{level: towards any_exit, …}"])
    """What each goal looks like."""


class ConstantShape(FfbmShape):
    """The same model with goals that always follow one another in the same way."""

    recognizer: Annotated[str, _kind("constant")] = Field(examples=["constant"])
    """The sort of recogniser."""


CountTable: TypeAlias = dict[GoalMember, dict[GoalMember, Count]]
_DISCOUNT = Leaf(
    "a number above 0, at most 1",
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1,
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
)


class LearnedShape(FileShape):
    """Which goal followed which, counted on top of the rows that were written."""

    strength: Count = 10.0
    """How many sightings the written rows are worth."""
    counts: CountTable = Field(default_factory=dict)
    """How often each goal followed: `{usual from level: {level: 90, town: 2}}`; `telos train` writes it."""


class IohmmShape(RecognizerShape):
    """A model that is trained: what each goal looks like is counted."""

    recognizer: Annotated[str, _kind("iohmm")] = Field(examples=["iohmm"])
    """The sort of recogniser."""
    clock: ClockShape = Field(default_factory=ClockShape)
    """Which events count: `{on: [input, area], every: 500 ms}`."""
    prior: Row = Field(default_factory=dict)
    """How likely each goal is before anything was seen; evenly if left out."""
    transitions: TransitionsShape = Field(default_factory=lambda: TransitionsShape.model_validate({}))
    """How goals follow one another."""
    observations: dict[SeenName, leaves.ConditionText] = Field(examples=["{swing: action == swing, other: true}"])
    """What can be seen, and when; the first that holds is what was seen."""
    pseudo_counts: Annotated[
        Annotated[Count, Tag(_ONE)] | Annotated[CountTable, Tag(_MAPPING)], Discriminator(_one_or_mapping)
    ] = 1.0
    """How often everything counts as seen before anything was: Laplace's law has 1. Or a table, as of other players."""
    counts: CountTable = Field(default_factory=dict)
    """How often each was seen under each goal; `telos train` writes it."""
    discount: Annotated[float, _DISCOUNT] = 1.0
    """What the counts of a goal are multiplied by at each of its lessons, so that early ones fade; 1 keeps them."""
    learned_transitions: LearnedShape | None = None
    """Present if it is learned which goal follows which, too."""


class RuleShape(FileShape):
    """One rule of a state machine."""

    if_: leaves.ConditionText = Field(alias="if", examples=["attacked"])
    """When: `attacked`. The first rule that holds is taken."""
    then: GoalMember = Field(examples=["level"])
    """The goal that is predicted from then on."""


class FsmShape(RecognizerShape):
    """A state machine: the last rule that held says what the player is after."""

    recognizer: Annotated[str, _kind("fsm")] = Field(examples=["fsm"])
    """The sort of recogniser."""
    start: GoalMember = "random"
    """The goal that is predicted at first, or `random`."""
    rules: list[RuleShape] = Field(examples=["[{if: attacked, then: level}]"])
    """When the prediction changes."""


SHAPES: dict[str, type[RecognizerShape]] = {
    "ffbm": FfbmShape,
    "constant": ConstantShape,
    "iohmm": IohmmShape,
    "fsm": FsmShape,
}
_ROWS: tuple[type[FileShape], ...] = (TransitionsShape, CaseShape)


def shape_for(data: Any) -> tuple[type[RecognizerShape], Fault | None]:
    """Return the shape that a file means to have, and what is wrong with the word that should say so."""
    said = data.get("recognizer") if isinstance(data, dict) else None
    if not isinstance(said, str) or said in SHAPES:
        return SHAPES.get(str(said), FfbmShape), None
    remedy = name_hint(said, SHAPES)
    meant = next((word for word in SHAPES if repr(word) in remedy), "ffbm")
    return SHAPES[meant], Fault(
        f"unknown sort of recogniser {said!r}", suggestion=remedy, path=("recognizer",), code=FaultCode.UNKNOWN_NAME
    )


def schema() -> str:
    """Return the JSON Schema of a recogniser file."""
    adapter: TypeAdapter[Any] = TypeAdapter(FfbmShape | ConstantShape | IohmmShape | FsmShape)
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **adapter.json_schema()}
    found["title"] = "Telos recogniser file"
    return json.dumps(found, indent=2, ensure_ascii=False)
