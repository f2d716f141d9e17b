"""The shape of a corpus file: which keys stand where, and what kind of entry each is."""

from typing import Annotated, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.files import leaves
from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, schema_text, text_leaf

_ONE, _LIST, _MAPPING = mark("one"), mark("list"), mark("mapping")
_Column: TypeAlias = Annotated[str, text_leaf("the name of a column")]
_Goal: TypeAlias = Annotated[str, text_leaf("the name of a goal")]
_Flag: TypeAlias = Annotated[
    bool, Leaf("true or false", lambda value: isinstance(value, bool), {"type": "boolean"}, "as in `sort: true`")
]
_Cell: TypeAlias = Annotated[str, text_leaf("what a cell holds, as text", "put it in quotes")]
_Values: TypeAlias = Annotated[
    Annotated[_Cell, Tag(_ONE)] | Annotated[list[_Cell], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


def _branch(value: object) -> str:
    if isinstance(value, dict):
        return _MAPPING
    return _LIST if isinstance(value, list) else _ONE


class OrderShape(FileShape):
    """A column to sort by."""

    column: _Column = Field(examples=["time"])
    """The column: a number, a date or a time."""
    sort: _Flag = False
    """Whether the rows may come in any order; if not, a time that runs backwards is a fault of the log."""


class AchievedShape(FileShape):
    """Which rows achieve a goal, and which goal it is."""

    goal: _Column = ""
    """The column that names the goal."""
    when: leaves.ConditionText = True
    """Only rows for which this holds achieve it: `is_goal == 1`."""
    actions: dict[str, _Goal] = Field(default_factory=dict)
    """Or: the actions that achieve goals, and which: `{talk_to_nurse: nurse}`."""


class CorpusShape(FileShape):
    """Which column of an event table holds what."""

    corpus: Annotated[str, name_leaf("the name of the corpus")] = Field(examples=["crafter"])
    """The name of the corpus."""
    action: _Column = Field(examples=["action"])
    """The column with what the player did."""
    achieved: Annotated[
        Annotated[_Column, Tag(_ONE)] | Annotated[AchievedShape, Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = Field(examples=["milestone"])
    """The column that names the goal achieved by an action, empty in all other rows; or `{when: …, goal: …}`."""
    player: _Column = ""
    """The column that tells players apart; one player if left out."""
    session: _Column = ""
    """The column that tells the sessions of a player apart; one session if left out."""
    order: Annotated[
        Annotated[_Column, Tag(_ONE)] | Annotated[OrderShape, Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = ""
    """The column that never runs backwards within a session; the order of the rows if left out."""
    group: _Column = ""
    """The column of what belongs into one fold, such as a pair of players; the player if left out."""
    features: Annotated[
        Annotated[_Column, Tag(_ONE)]
        | Annotated[list[_Column], Tag(_LIST)]
        | Annotated[dict[leaves.VariableName, _Column], Tag(_MAPPING)],
        Discriminator(_branch),
    ] = Field(default_factory=list)
    """The columns to keep, as a list, or `{name: column}` to rename them."""
    bins: dict[str, list[leaves.Number]] = Field(default_factory=dict)
    """Features in bins, by their lower edges: `{distance: [0, 1, 3, 8]}` gives 0, 1-2, 3-7 and 8+."""
    drop: Annotated[
        Annotated[leaves.ConditionText, Tag(_ONE)] | Annotated[dict[str, _Values], Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = False
    """Rows to leave out: `action == noop`, or `{action: [noop, look-around]}`. Goals that they achieve count."""


def corpus_schema() -> str:
    """Return the JSON Schema of a corpus file."""
    return schema_text(CorpusShape, "Telos corpus file")
