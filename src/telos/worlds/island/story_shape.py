"""The shape of an island file: which keys stand where, and what kind of entry each is."""

from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.files.leaves import Leaf, PositiveNumber
from telos.core.files.models import FileShape, name_leaf, text_leaf

_LEFT_OUT: Any = None
_Name: TypeAlias = Annotated[str, name_leaf("a name")]
_Text: TypeAlias = Annotated[str, text_leaf("a line of text")]
_Lesson: TypeAlias = Annotated[
    str,
    Leaf(
        "what is learned: a kind and what it is about",
        lambda value: isinstance(value, str) and len(value.split()) == 2,
        {"type": "string"},
        "as in `symptom fever`",
    ),
]
_Count: TypeAlias = Annotated[
    int,
    Leaf(
        "a whole number, 1 or more",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        {"type": "integer", "minimum": 1},
    ),
]


def _is_spot(value: Any) -> bool:
    numbers = isinstance(value, list) and len(value) == 2
    return numbers and all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in value)


_Spot: TypeAlias = Annotated[
    list[int], Leaf("a column and a row of the drawing", _is_spot, {"type": "array"}, "as in `[23, 14]`")
]


class ThingShape(FileShape):
    """Something that fits into a hand."""

    at: _Name = Field(examples=["kitchen"])
    food: _Name = Field(default=_LEFT_OUT)
    inside: _Name = Field(default=_LEFT_OUT, alias="in")


class TopicShape(FileShape):
    """Something to ask about."""

    lines: _Count = Field(examples=[3])
    tells: list[_Lesson] = Field(default=_LEFT_OUT)


class PersonShape(FileShape):
    """Somebody in the camp."""

    at: _Name = Field(examples=["kitchen"])
    topics: dict[_Name, TopicShape] = Field(examples=["{camp: {lines: 2}}"])


class ReadingShape(FileShape):
    """A book or a poster."""

    at: _Name = Field(examples=["library"])
    tells: list[_Lesson] = Field(default=_LEFT_OUT)


class QuestionShape(FileShape):
    """A question with choices."""

    about: _Name = Field(examples=["virus"])
    choices: list[_Name] = Field(examples=["[virus, bacterium]"])
    right: _Name = Field(examples=["virus"])


class DiseaseShape(FileShape):
    """What is known of a disease."""

    agent: _Name = Field(examples=["bacteria"])
    treatment: _Name = Field(examples=["rest"])
    symptoms: list[_Name] = Field(examples=["[fever]"])


class TruthShape(FileShape):
    """What really happened."""

    disease: _Name = Field(examples=["salmonellosis"])
    source: _Name = Field(examples=["milk"])
    treatment: _Name = Field(examples=["antibiotics"])


class SlideShape(FileShape):
    """The slide under the microscope."""

    at: _Name = Field(examples=["microscope-bench"])
    giver: _Name = Field(examples=["technician"], alias="from")
    label: _Name = Field(examples=["bacteria"])


class TalkGoalShape(FileShape):
    """Whose words achieve a goal."""

    of: list[_Name] = Field(examples=["[cook]"])
    topic: _Name = Field(examples=["meals"])


class StoryShape(FileShape):
    """An island and its mystery."""

    island: _Name = Field(examples=["research-camp"])
    start: _Name = Field(examples=["dock"])
    hour: PositiveNumber = Field(examples=[3600])
    metres: PositiveNumber = Field(examples=[4])
    pace: PositiveNumber = Field(examples=[8])
    tests: _Count = Field(examples=[5])
    drawing: _Text = Field(examples=["|"])
    areas: dict[_Name, dict[_Name, _Spot]] = Field(examples=["{camp: {gate: [3, 4]}}"])
    ways: list[_Text] = Field(examples=["[gate - square]"])
    things: dict[_Name, ThingShape] = Field(examples=["{milk: {at: kitchen}}"])
    containers: dict[_Name, _Name] = Field(examples=["{oven: kitchen}"])
    people: dict[_Name, PersonShape] = Field(examples=["{cook: {at: kitchen, …}}"])
    books: dict[_Name, ReadingShape] = Field(examples=["{on-cells: {at: library}}"])
    posters: dict[_Name, ReadingShape] = Field(examples=["{on-cells: {at: library}}"])
    questions: dict[_Name, QuestionShape] = Field(examples=["{smallest: {about: virus, …}}"])
    diseases: dict[_Name, DiseaseShape] = Field(examples=["{influenza: {agent: viruses, …}}"])
    truth: TruthShape = Field(examples=["{disease: influenza, …}"])
    tester: _Name = Field(examples=["test-bench"])
    slide: SlideShape = Field(examples=["{at: test-bench, …}"])
    worksheet: _Name = Field(examples=["nurses-desk"])
    goals: dict[_Name, TalkGoalShape] = Field(examples=["{talk-cook: {of: [cook], topic: meals}}"])
    seconds: dict[_Name, PositiveNumber] = Field(examples=["{open: 1}"])
