"""The shape of a grammar file: which keys stand where, and what kind of entry each is."""

from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, schema_text, text_leaf

_ONE, _LIST, _MAP = mark("one"), mark("list"), mark("map")


def _is_chance(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_rate(value: Any) -> bool:
    return _is_chance(value) and value < 1


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


TaskName: TypeAlias = Annotated[str, name_leaf("the name of a task")]
MethodName: TypeAlias = Annotated[str, name_leaf("the name of a method")]
ActionText: TypeAlias = Annotated[str, text_leaf("an action such as take or goto(forge)")]
Chance: TypeAlias = Annotated[
    float, Leaf("a number from 0 to 1", _is_chance, {"type": "number", "minimum": 0, "maximum": 1})
]
_Rate: TypeAlias = Annotated[
    float, Leaf("a number from 0 to below 1", _is_rate, {"type": "number", "minimum": 0, "exclusiveMaximum": 1})
]
_Count: TypeAlias = Annotated[int, Leaf("a whole number, at least 1", _is_count, {"type": "integer", "minimum": 1})]
_Step: TypeAlias = Annotated[str, text_leaf("a step such as take or goto(forge), or a list of them")]
_Steps: TypeAlias = Annotated[
    Annotated[_Step, Tag(_ONE)] | Annotated[list[_Step], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]
_Goals: TypeAlias = Annotated[
    Annotated[list[TaskName], Tag(_LIST)] | Annotated[dict[TaskName, Chance], Tag(_MAP)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _MAP),
]
_Word: TypeAlias = Annotated[str, Leaf("grammar", lambda value: value == "grammar", {"const": "grammar"})]


class MethodShape(FileShape):
    """One way to do a task."""

    steps: _Steps = Field(examples=["[take_gold, goto(forge)]"])
    """What is done, in order: tasks of this file, or actions."""
    chance: Chance | None = None
    """How often it is taken. Methods without one share what the others leave."""


class GrammarShape(FileShape):
    """How goals look when they are pursued: the plans for each, as a grammar."""

    recognizer: _Word = Field(examples=["grammar"])
    """What kind of recogniser it is: `grammar`."""
    goals: _Goals = Field(examples=["[open_door, sell_gold]"])
    """The tasks that a player may be after: a list, or the chance of each."""
    actions: list[ActionText] | None = None
    """All actions there are. If given, a step must be one of them or a task."""
    noise: _Rate = 0.02
    """The chance that an action serves no goal at all."""
    open_goals: _Count = 1
    """How many plans may be under way at once."""
    switch: _Rate = 0.1
    """The chance to start another plan while one is under way."""
    beam: _Count = 64
    """How many hypotheses are kept."""
    tasks: dict[TaskName, dict[MethodName, MethodShape]] = Field(examples=["{open_door: {with_key: {…}}}"])
    """The methods of each task, by name."""


def grammar_schema() -> str:
    """Return the JSON Schema of a grammar file."""
    return schema_text(GrammarShape, "Telos grammar file")
