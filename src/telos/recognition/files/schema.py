"""The schema of recogniser files: pydantic models of every mapping in them, and the scalars that authors write.

The docstrings of the models are the descriptions in `recognizer.schema.json`.
"""

import math
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag

from telos.core.errors import Fault, FaultCode, KeyPath, name_hint, nearest
from telos.files import schema
from telos.files.definition import Definition
from telos.files.formats import ALIKE
from telos.files.schema import FieldType, FileModel, Finding, PositiveDuration, branch_tag, name_type, text_type
from telos.recognition.director import MAX_FACTOR

Kind: TypeAlias = str | tuple[str, ...]  # one of KINDS, or the labels that a text may be

CONTEXT_TYPES = ("bool", "int", "number", "text", "edges")

_ONE_TAG, _LIST_TAG = branch_tag("one"), branch_tag("list")
_Word: TypeAlias = Annotated[
    str,
    # Any word is valid here: the loader reports unknown ones. Editors complete from the examples.
    FieldType(
        "bool, int, number, text, edges or a list of labels",
        lambda value: isinstance(value, str) and value != "",
        {"type": "string", "minLength": 1, "examples": list(CONTEXT_TYPES)},
        "as in `monsters: int`",
    ),
]
KindShape: TypeAlias = Annotated[
    Annotated[_Word, Tag(_ONE_TAG)] | Annotated[list[schema.Label], Tag(_LIST_TAG)],
    Discriminator(lambda value: _LIST_TAG if isinstance(value, list) else _ONE_TAG),
]


def read_kind(definition: Definition, path: KeyPath, written: Any) -> Kind:
    """Return the type that a context entry names; an unknown word is a fault."""
    if isinstance(written, list):
        if not written:
            definition.fault(
                "a list of no labels", path, "write one or more, as in `[input, area]`", code=FaultCode.EMPTY
            )
        return tuple(written)
    if written not in CONTEXT_TYPES:
        definition.fault(
            f"unknown kind of value {written!r}", path, name_hint(written, CONTEXT_TYPES), code=FaultCode.UNKNOWN_NAME
        )
    return str(written)


# --- chances and durations: `0.8`, `1/3`, `100 updates` -------------------------------------------------------------


# At most nine digits: longer numbers are mistakes, and slow to read exactly.
_FRACTION = "[0-9]{1,9} ?/ ?(?=[0-9]*[1-9])[0-9]{1,9}"
_UPDATES = r"(?:0*[1-9][0-9]{0,8}(?:\.[0-9]{1,9})?) updates?"
_IS_FRACTION = re.compile(rf"{_FRACTION}\Z")
_IS_UPDATES = re.compile(rf"{_UPDATES}\Z")


def parse_chance(written: Any) -> Fraction | None:
    """Return a written chance as an exact fraction; None if the entry is not a chance.

    >>> parse_chance("1/3"), parse_chance(0.1), parse_chance(1.5), parse_chance("much"), parse_chance("4/3")
    (Fraction(1, 3), Fraction(1, 10), Fraction(3, 2), None, Fraction(4, 3))
    """
    if isinstance(written, str) and _IS_FRACTION.match(written):
        return Fraction(written.replace(" ", ""))
    if isinstance(written, int | float) and not isinstance(written, bool) and math.isfinite(written):
        return Fraction(repr(written))
    return None


def _is_chance(value: Any) -> bool:
    chance = parse_chance(value)
    # The loader reports fractions above one: the pattern of a JSON Schema cannot compare.
    return chance is not None and (isinstance(value, str) or 0 <= chance <= 1)


def format_chance(chance: float) -> float | str:
    """Return a chance as an author would write it; reading it back gives the same number.

    >>> format_chance(1 / 3), format_chance(0.25), format_chance(0.005), format_chance(1.0)
    ('1/3', 0.25, 0.005, 1)
    """
    if chance == int(chance):
        return int(chance)
    near = Fraction(chance).limit_denominator(99)
    is_round = len(repr(chance)) <= 8
    return f"{near.numerator}/{near.denominator}" if not is_round and float(near) == chance else chance


def parse_updates(written: Any) -> float | None:
    """Return the written number of updates that a goal lasts; None if the entry is not one.

    >>> parse_updates("100 updates"), parse_updates(10), parse_updates("0 updates"), parse_updates("a while")
    (100.0, 10.0, None, None)
    """
    if isinstance(written, str) and _IS_UPDATES.match(written):
        return float(written.split()[0])
    if isinstance(written, int | float) and not isinstance(written, bool) and math.isfinite(written) and written >= 1:
        return float(written)
    return None


_CHANCE_SCHEMA = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": f"^{_FRACTION}$"}],
    "examples": [0.8, "1/3"],
}
ChanceOrShared: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a chance from 0 to 1, such as 0.8 or 1/3",
        lambda value: value == "shared" or _is_chance(value),
        {"anyOf": [*_CHANCE_SCHEMA["anyOf"], {"const": "shared"}], "examples": [0.8, "1/3"]},
        "`shared` stands after `others`",
    ),
]
Updates: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a number of updates, 1 or more, such as `100 updates`",
        lambda value: parse_updates(value) is not None,
        {"anyOf": [{"type": "number", "minimum": 1}, {"type": "string", "pattern": f"^{_UPDATES}$"}]},
        unit="updates",
    ),
]
Count: TypeAlias = Annotated[
    float,
    FieldType(
        "a count, zero or more",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf,
        {"type": "number", "minimum": 0},
    ),
]
MAX_PAY = MAX_FACTOR
Factor: TypeAlias = Annotated[
    float | str,
    FieldType(
        "a factor from 0 to 1000, such as 0.5, or a formula such as 1 - 0.8 * belief.level",
        lambda value: (
            (isinstance(value, str) and value.strip() != "")
            or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_PAY)
        ),
        {
            "anyOf": [{"type": "number", "minimum": 0, "maximum": MAX_PAY}, {"type": "string", "pattern": "\\S"}],
            "examples": [0.5, "1 - 0.8 * belief.level"],
        },
    ),
]


# --- models of the file -----------------------------------------------------------------------------------------------


FROM = "from "  # as in `from explore: {…}`; `from any` is all goals
ANY_EXIT, EXITS = "any_exit", "exits"  # the word in a file, and the context entry that it stands for
TOWARDS = re.compile(r"towards ([A-Za-z][A-Za-z0-9_]*)\Z")

_ONE, _LIST, _MAPPING = branch_tag("one"), branch_tag("list"), branch_tag("mapping")
_ELSE, _IF = branch_tag("else"), branch_tag("if")


def _branch(value: Any) -> str:
    return _LIST if isinstance(value, list) else _one_or_mapping(value)


def _one_or_mapping(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _ONE


def _kind(word: str) -> FieldType:
    return FieldType(word, lambda value: value == word, {"const": word})


GoalName: TypeAlias = Annotated[str, name_type("the name of a goal")]
GoalMember: TypeAlias = Annotated[str, text_type("the name of a goal")]
SeenName: TypeAlias = Annotated[str, name_type("the name of something seen")]
Row: TypeAlias = dict[GoalMember, ChanceOrShared]


def _from_rows(schema: dict[str, Any]) -> None:
    """State in a JSON Schema that every other key is `from` and a goal."""
    rows = schema.pop("additionalProperties")
    schema["patternProperties"] = {f"^{FROM}.": rows}
    schema["additionalProperties"] = False
    for entry in schema.get("properties", {}).values():
        if not entry.get("default"):
            entry.pop("default", None)


class CaseShape(FileModel):
    """When goals change in another way, and how."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_from_rows)
    __pydantic_extra__: dict[str, Row]

    if_: schema.ConditionText = Field(alias="if", examples=["chest_taken"])
    """When: `chest_taken`. The first case that holds is taken."""


class TransitionsShape(FileModel):
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


class ClockShape(FileModel):
    """Which events count."""

    on: list[Annotated[str, text_type("a cause such as input or area")]] = Field(default_factory=list)
    """The causes of events that always count: `[input, area]`."""
    every: PositiveDuration | None = None
    """How often at most a tick counts: `500 ms`; never if left out."""


_Look: TypeAlias = Annotated[
    Annotated[
        str,
        FieldType(
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


class IfShape(FileModel):
    """What a goal looks like while something holds."""

    if_: schema.ConditionText = Field(alias="if", examples=["monsters > 0"])
    """While this holds: `monsters > 0`. The first rule that holds is taken."""
    then: _Look = Field(examples=["towards any_exit"])
    """What it looks like: `{swing_still: 0.8, others: shared}` or `towards any_exit`."""


class ElseShape(FileModel):
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
        FieldType(
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
ADVENTURE_WORD, OPEN_WORD = "adventure", "open"  # the vocabularies that a file may ask for


_Pay: TypeAlias = Annotated[
    Annotated[Factor, Tag(_ONE)]
    | Annotated[dict[Annotated[str, name_type("the name of what is earned")], Factor], Tag(_MAPPING)],
    Discriminator(_one_or_mapping),
]


class DirectorShape(FileModel):
    """One rule by which the game adapts to what it believes about its player."""

    if_: schema.ConditionText = Field(alias="if", examples=["level > 0.9"])
    """When: how likely goals are, and what the game knows: `level > 0.9 and not in_town`."""
    until: schema.ConditionText | None = None
    """When that is over, if it is not as soon as it no longer holds: `explore > 0.8 or new_area`. Beliefs waver."""
    for_: PositiveDuration | None = Field(default=None, alias="for", examples=["20 s"])
    """How long that has to hold before anything follows: `20 s`; at once if left out."""
    pay: _Pay = Field(default_factory=dict)
    """What is earned counts by these factors while the rule holds: `{kill: 0.5}`, `{kill: 1 - 0.8 * belief.level}`; a
    factor alone, as in `1 - 0.8 * belief.level`, is for all kinds of earnings."""
    say: Annotated[str, text_type("a line to say", "as in `Nobody has been {unvisited_exits} of here.`")] = ""
    """What the game says then; `{unvisited_exits}` stands for what the game knows, and a line without any waits."""
    again_after: PositiveDuration | None = Field(default=None, alias="again after", examples=["60 s"])
    """After how long it is said again, if the rule still holds: `60 s`; not before it has ended if left out."""


class DensityShape(FileModel):
    """How a measured value is distributed under a goal."""

    mean: schema.Number = Field(examples=[2.5])
    """The mean, in the unit of the measure."""
    deviation: schema.Number | None = None
    """The standard deviation, in the unit of the measure: for gaussian and gamma."""
    concentration: schema.NonNegativeNumber | None = None
    """How closely angles gather around the mean: 0 is any angle alike, 4 is within about 30 degrees. For von_mises."""
    around: schema.VariableName | None = None
    """The context entry that the angle is measured from: a bearing. While it is missing, any angle is as likely."""


class MeasureShape(FileModel):
    """A number in the context, and how it is distributed under each goal."""

    distribution: Annotated[
        str,
        FieldType(
            "gaussian, gamma or von_mises",
            lambda value: value in ("gaussian", "gamma", "von_mises"),
            {"enum": ["gaussian", "gamma", "von_mises"]},
            "gamma is for what cannot be below 0, such as speeds and distances; von_mises is for angles",
        ),
    ] = Field(examples=["gamma"])
    """The family: `gaussian`, `gamma` (values of 0 or more: speeds, distances) or `von_mises` (angles)."""
    unit: Annotated[str, text_type("a unit", "as in `cells/s`")] = ""
    """The unit of the values, as in `cells/s`; for angles `degrees`, `radians` or `turns`."""
    resolution: schema.Number = 0.01
    """The smallest difference that the game measures: no density is narrower."""
    if_: schema.ConditionText = Field(default="", alias="if", examples=["moved"])
    """The value counts while this holds: `moved`; always if left out."""
    usual: DensityShape | None = None
    """The density of goals that are not named under `goals`."""
    goals: dict[GoalMember, DensityShape] = Field(default_factory=dict)
    """The density of each goal: `{level: {mean: 2, deviation: 1}}`."""
    strength: Count = 10.0
    """In training, how many observations the written densities are worth."""
    seen: dict[GoalMember, dict[GoalMember, schema.Number]] = Field(default_factory=dict)
    """Sums of what was observed under each goal; `telos train` writes them."""


class RecognizerShape(FileModel):
    """What every recogniser file has."""

    recognizer: Annotated[str, text_type("the sort of recogniser")] = Field(examples=["ffbm"])
    """The sort of recogniser."""
    goals: list[GoalName] = Field(examples=["[level, explore, town]"])
    """What a player may be after."""
    name: Annotated[str, name_type("the name of a recogniser")] = ""
    """What this recogniser is called; the name of the file if left out."""
    about: Annotated[str, text_type("a line about it")] = ""
    """A line on what it is."""
    vocabulary: Annotated[
        str,
        FieldType(
            "adventure or open",
            lambda value: value in (ADVENTURE_WORD, OPEN_WORD),
            {"enum": [ADVENTURE_WORD, OPEN_WORD]},
            "list the words of your own game under `context` and `actions`",
        ),
    ] = ""
    """The words of `adventure`; or `open`: events may also say what is not listed here, as if `context` is left out."""
    context: dict[schema.VariableName, KindShape] = Field(default_factory=dict)
    """What the game tells, each with its kind: `{monsters: int}`; what the conditions read if left out."""
    actions: list[Annotated[str, text_type("the name of an action")]] = Field(default_factory=list)
    """What a player can do; anything if left out."""
    moments: list[Annotated[str, text_type("a name of the context")]] = Field(default_factory=list)
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
    outcomes: dict[SeenName, schema.ConditionText] = Field(default_factory=dict)
    """What can be seen, and when; the first that holds is what was seen. If left out, the actions of `observations`."""
    observations: dict[GoalMember, _Looks] = Field(examples=["{level: towards any_exit, …}"])
    """What each goal looks like."""
    measures: dict[schema.VariableName, MeasureShape] = Field(default_factory=dict)
    """Measured numbers of the context (speeds, distances, headings), and how each goal distributes them."""


class ConstantShape(FfbmShape):
    """The same model with goals that always follow one another in the same way."""

    recognizer: Annotated[str, _kind("constant")] = Field(examples=["constant"])
    """The sort of recogniser."""


CountTable: TypeAlias = dict[GoalMember, dict[GoalMember, Count]]
_DISCOUNT = FieldType(
    "a number above 0, at most 1",
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1,
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
)


class LearnedShape(FileModel):
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
    observations: dict[SeenName, schema.ConditionText] = Field(examples=["{swing: action == swing, other: true}"])
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
    measures: dict[schema.VariableName, MeasureShape] = Field(default_factory=dict)
    """Measured numbers of the context (speeds, distances, headings), and how each goal distributes them."""


class RuleShape(FileModel):
    """One rule of a state machine."""

    if_: schema.ConditionText = Field(alias="if", examples=["attacked"])
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


OTHER_KINDS = ("concurrent", "grammar")  # kinds of authored files with a format of their own


def find_shape(data: Any, shapes: Mapping[str, type[RecognizerShape]]) -> tuple[type[RecognizerShape], Fault | None]:
    """Return the schema of the kind that a file names, and the fault if there is no such kind.

    The schema of an unknown kind is that of the nearest name, so that the rest of the file can still be checked.
    """
    kind = _written_kind(data) if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind in shapes:
        return shapes.get(str(kind), FfbmShape), None
    near = nearest(kind, shapes)
    fault = Fault(
        f"unknown kind of recogniser {kind!r}",
        suggestion=name_hint(kind, [*shapes, *OTHER_KINDS]),
        path=("recognizer",),
        code=FaultCode.UNKNOWN_NAME,
    )
    return shapes.get(near or "", FfbmShape), fault


def _written_kind(data: dict[str, Any]) -> Any:
    """Return the word after ``recognizer:``, also if that is misspelt."""
    key = next(iter(get_close_matches("recognizer", data, n=1, cutoff=ALIKE)), "")
    return data.get("recognizer", data.get(key))


# --- keys that hold a name, as in `from explore` ----------------------------------------------------------------------


def key_findings(data: Any) -> list[Finding]:
    """Return the unknown keys of rules and transitions: neither known words nor `from` and a goal."""
    if not isinstance(data, dict):
        return []
    found: list[Finding] = []
    transitions = data.get("transitions")
    if isinstance(transitions, dict):
        found += _unknown(transitions, ("transitions",), ("lasts", "when"), rows=True)
        for path, case in _mappings(transitions.get("when"), ("transitions", "when")):
            found += _unknown(case, path, ("if",), rows=True)
    for path, rule in _mappings(data.get("rules"), ("rules",)):
        found += _unknown(rule, path, ("if", "then"))
    for path, rule in _mappings(data.get("director"), ("director",)):
        found += _unknown(rule, path, ("if", "until", "for", "pay", "say", "again after"))
    observations = data.get("observations")
    for goal, written in observations.items() if isinstance(observations, dict) else ():
        for path, rule in _mappings(written, ("observations", goal)):
            found += _unknown(rule, path, ("else",) if "else" in rule else ("if", "then", "else"))
    return found


def _mappings(written: Any, path: KeyPath) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    for i, each in enumerate(written if isinstance(written, list) else ()):
        if isinstance(each, dict):
            yield (*path, i), each


def _unknown(
    entries: dict[str, Any], path: KeyPath, known: tuple[str, ...], *, rows: bool = False
) -> Iterator[Finding]:
    for key in entries:
        if key in known or (rows and key.startswith(FROM) and len(key) > len(FROM)):
            continue
        row = f"{FROM}{key.partition(' ')[2] or 'any'}"
        possible = (*known, row) if rows else known
        near = nearest(key, possible)
        meant = near if near in known else None
        if rows and near is None:
            suggestion = f"write {', '.join(known)}, or `from` and a goal"
        else:
            suggestion = name_hint(key, possible)
        fault = Fault(f"unknown key {key!r}", suggestion=suggestion, path=(*path, key), code=FaultCode.UNKNOWN_KEY)
        yield Finding(fault, at_key=True, meant=(*path, meant) if meant else None)
