"""The island's mystery as data: the map, the story, and the YAML file that defines both (``island.yaml``).

``load_story()`` returns the packaged island; ``parse_story`` reads any other. Nothing here changes during a game.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, KeyPath, TelosError, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FieldType, FileModel, NonNegativeNumber, name_type, text_type
from telos.worlds.routes import Routes

MOVE, OPEN, CLOSE, PICK_UP, DROP = "move", "open", "close", "pick-up", "drop"
EXAMINE, LOOK, TALK, ASK, ANSWER, PART = "examine", "look-around", "talk", "ask", "answer", "part"
READ_BOOK, READ_POSTER, TAKE_NOTE, READ_NOTES = "read-book", "read-poster", "take-note", "read-notes"
TEST, LABEL, FILL, SUBMIT = "test-object", "label-slide", "fill-worksheet", "submit-diagnosis"
ACTIONS = (
    MOVE, OPEN, CLOSE, PICK_UP, DROP, EXAMINE, LOOK, TALK, ASK, ANSWER, PART,
    READ_BOOK, READ_POSTER, TAKE_NOTE, READ_NOTES, TEST, LABEL, FILL, SUBMIT,
)  # fmt: skip
TEST_GOAL, SUBMIT_GOAL = "test-contaminated", "submit-diagnosis"
GOALS = (
    "talk-nurse", "talk-patient", "talk-cook", "talk-virus-expert", "talk-bacteria-expert", TEST_GOAL, SUBMIT_GOAL,
)  # fmt: skip
MILESTONES = ("discussed the illness", "tested what is contaminated", "submitted a diagnosis", "solved it")
AGENTS = ("bacteria", "viruses", "toxins")
FIELDS = ("disease", "source", "treatment")
DATA = Path(__file__).parent / "data"
_UnknownName: TypeAlias = tuple[str, str, KeyPath, list[str]]
_WAY = re.compile(r"(\S+) - (\S+?)(?: \((\S+)\))?")
LINE = 2  # the height of a line of text in columns
_LEFT_OUT: Any = None


# --- the map ---


@dataclass(frozen=True, slots=True)
class IslandPlace:
    """A place: its area and where it is drawn."""

    name: str
    area: str
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class IslandWay:
    """A link to a neighbouring place: length in metres and its door, if any."""

    to: str
    metres: float
    door: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class IslandMap:
    """Places by name and the links of each.

    >>> there, back = IslandPlace("there", "camp", 0, 0), IslandPlace("back", "camp", 3, 2)
    >>> tiny = IslandMap.from_links([there, back], [("there", "back", "gate")], metres=2.0)
    >>> tiny.route("there", "back"), tiny.distance("there", "back"), tiny.doors["gate"]
    (('back',), 10.0, ('there', 'back'))
    """

    places: Mapping[str, IslandPlace]
    ways: Mapping[str, tuple[IslandWay, ...]]
    doors: Mapping[str, tuple[str, str]]
    _routes: Routes = field(init=False)

    def __post_init__(self) -> None:
        metres = {name: {way.to: way.metres for way in ways} for name, ways in self.ways.items()}
        object.__setattr__(self, "_routes", Routes(metres))

    @classmethod
    def from_links(
        cls, places: Iterable[IslandPlace], links: Iterable[tuple[str, str, str | None]], *, metres: float
    ) -> "IslandMap":
        """Create a map from places and links; ``metres`` is the width of one column of the drawing."""
        named = {place.name: place for place in places}
        ways: dict[str, list[IslandWay]] = {name: [] for name in named}
        doors: dict[str, tuple[str, str]] = {}
        for one, other, door in links:
            far = drawn_distance(named[one], named[other]) * metres
            ways[one].append(IslandWay(other, far, door))
            ways[other].append(IslandWay(one, far, door))
            if door is not None:
                doors[door] = (one, other)
        return cls(named, {name: tuple(out) for name, out in ways.items()}, doors)

    def place(self, name: str) -> IslandPlace:
        if name not in self.places:
            raise TelosError(f"there is no place {name!r} on the island", name_hint(name, self.places))
        return self.places[name]

    def way(self, start: str, to: str) -> IslandWay | None:
        """Return the link to a neighbouring place, or None."""
        return next((way for way in self.ways[start] if way.to == to), None)

    def distance(self, start: str, to: str) -> float:
        """Return the length of the shortest route in metres; infinite if there is none."""
        return self._routes.distance(self.place(start).name, to)

    def route(self, start: str, to: str) -> tuple[str, ...]:
        """Return the places of the shortest route, the first one excluded."""
        found = self._routes.find(self.place(start).name, to)
        if found is None:
            raise TelosError(f"there is no way from {start!r} to {to!r}")
        return found


def drawn_distance(one: IslandPlace, other: IslandPlace) -> float:
    """Return the distance of two places on the drawing, in columns."""
    return math.hypot(one.column - other.column, (one.row - other.row) * LINE)


# --- the story ---


class Lesson(NamedTuple):
    """Something that can be learned: its kind (``symptom``, ``meal``, ``disease`` …) and its subject."""

    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of conversation: the number of lines and the lessons after the last one.

    A topic with ``after`` is open once that one was heard to its end; ``says`` holds the words of the lines, if any.
    """

    lines: int
    tells: tuple[Lesson, ...] = ()
    says: tuple[str, ...] = ()
    after: str | None = None


@dataclass(frozen=True, slots=True)
class IslandPerson:
    """A person in the camp: their place and topics."""

    name: str
    at: str
    topics: Mapping[str, Topic]


@dataclass(frozen=True, slots=True)
class IslandThing:
    """Something that can be carried; ``food`` names the food it is a portion of, ``inside`` its container."""

    name: str
    at: str
    food: str | None = None
    inside: str | None = None


@dataclass(frozen=True, slots=True)
class IslandText:
    name: str
    at: str
    tells: tuple[Lesson, ...] = ()
    pages: int = 1


@dataclass(frozen=True, slots=True)
class NurseQuestion:
    """A question of the nurse; lessons about ``about`` help to answer it."""

    name: str
    about: str
    choices: tuple[str, ...]
    right: str


@dataclass(frozen=True, slots=True)
class Disease:
    """What the books say about a disease."""

    name: str
    agent: str
    treatment: str
    symptoms: frozenset[str]


@dataclass(frozen=True, slots=True)
class TalkGoal:
    """A goal achieved by hearing a topic to its end from one of some people, once."""

    name: str
    people: tuple[str, ...]
    topic: str


class PlaceContents(NamedTuple):
    """What a place contains at the start."""

    people: tuple[str, ...]
    things: tuple[str, ...]
    books: tuple[str, ...]
    posters: tuple[str, ...]
    openable: tuple[str, ...]  # doors first


@dataclass(frozen=True, slots=True, eq=False)
class IslandStory:
    """Everything about the island that is constant during a game."""

    name: str
    map: IslandMap
    drawing: tuple[str, ...]
    start: str
    hour: float
    pace: float
    tests: int
    things: Mapping[str, IslandThing]
    containers: Mapping[str, str]
    people: Mapping[str, IslandPerson]
    books: Mapping[str, IslandText]
    posters: Mapping[str, IslandText]
    questions: Mapping[str, NurseQuestion]
    diseases: Mapping[str, Disease]
    truth: Mapping[str, str]
    tester: str
    slide_at: str
    slide_from: str
    slide_label: str
    desk: str
    goals: tuple[TalkGoal, ...]
    seconds: Mapping[str, float]
    protocol: tuple[str, ...] = ()  # what is done at the tester before it is told what to look for
    replies: tuple[str, ...] = ()  # what can be replied to a line in words; without any, nobody waits for a reply
    _here: dict[str, PlaceContents] = field(default_factory=dict)

    def at(self, place: str) -> PlaceContents:
        """Return the initial contents of a place; cached."""
        if place not in self._here:
            doors = [way.door for way in self.map.ways[place] if way.door is not None]
            containers = [name for name, where in self.containers.items() if where == place]
            self._here[place] = PlaceContents(
                people=_standing(self.people, place),
                things=_standing(self.things, place),
                books=_standing(self.books, place),
                posters=_standing(self.posters, place),
                openable=(*doors, *containers),
            )
        return self._here[place]

    @property
    def nurse(self) -> str:
        """The person at the desk where the worksheet is submitted."""
        return self.at(self.desk).people[0]

    @property
    def foods(self) -> tuple[str, ...]:
        """The foods in the order of the file."""
        return tuple(dict.fromkeys(thing.food for thing in self.things.values() if thing.food))

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """The possible values of each field of the worksheet."""
        treatments = tuple(dict.fromkeys(disease.treatment for disease in self.diseases.values()))
        return dict(zip(FIELDS, (tuple(self.diseases), self.foods, treatments), strict=True))


def _standing(
    named: Mapping[str, IslandPerson] | Mapping[str, IslandThing] | Mapping[str, IslandText], place: str
) -> tuple[str, ...]:
    return tuple(each.name for each in named.values() if each.at == place)


# --- the island file ---


_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]
LessonField: TypeAlias = Annotated[
    str,
    FieldType(
        "what is learned: a kind and what it is about",
        lambda value: isinstance(value, str) and len(value.split()) == 2,
        {"type": "string"},
        "as in `symptom fever`",
    ),
]
CountField: TypeAlias = Annotated[
    int,
    FieldType(
        "a whole number, 1 or more",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        {"type": "integer", "minimum": 1},
    ),
]


def _is_spot(value: Any) -> bool:
    numbers = isinstance(value, list) and len(value) == 2
    return numbers and all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in value)


_Spot: TypeAlias = Annotated[
    list[int], FieldType("a column and a row of the drawing", _is_spot, {"type": "array"}, "as in `[23, 14]`")
]


class ThingShape(FileModel):
    """Schema of something that can be carried."""

    at: _Name = Field(examples=["kitchen"])
    """The place where it is at the start."""
    food: _Name = Field(default=_LEFT_OUT)
    """The food that it is or holds, which may be the source of the illness."""
    inside: _Name = Field(default=_LEFT_OUT, alias="in")
    """The container in which it is: one of `containers`."""


class TopicShape(FileModel):
    """Schema of a topic of conversation."""

    lines: CountField = Field(examples=[3])
    """How many lines the conversation has."""
    tells: list[LessonField] = Field(default_factory=list)
    """What one learns at its end, such as `disease influenza`."""


class PersonShape(FileModel):
    """Schema of a person in the camp."""

    at: _Name = Field(examples=["kitchen"])
    """The place where the person stands."""
    topics: dict[_Name, TopicShape] = Field(examples=["{camp: {lines: 2}}"])
    """What one can talk about with the person, by name."""


class ReadingShape(FileModel):
    """Schema of a book or a poster."""

    at: _Name = Field(examples=["library"])
    """The place where it is."""
    tells: list[LessonField] = Field(default_factory=list)
    """What one learns by reading it, such as `disease influenza`."""


class QuestionShape(FileModel):
    """Schema of a question with choices."""

    about: _Name = Field(examples=["virus"])
    """The concept that one has to know to answer it."""
    choices: list[_Name] = Field(examples=["[virus, bacterium]"])
    """The answers to choose from."""
    right: _Name = Field(examples=["virus"])
    """The right one of the `choices`."""


class DiseaseShape(FileModel):
    """Schema of a disease."""

    agent: _Name = Field(examples=["bacteria"])
    """What causes it: `bacteria`, `viruses`."""
    treatment: _Name = Field(examples=["rest"])
    """What cures it."""
    symptoms: list[_Name] = Field(examples=["[fever]"])
    """What the ill complain about."""


class TruthShape(FileModel):
    """Schema of the solution."""

    disease: _Name = Field(examples=["salmonellosis"])
    """The disease that people have."""
    source: _Name = Field(examples=["milk"])
    """The food that it came with."""
    treatment: _Name = Field(examples=["antibiotics"])
    """What cures it."""


class SlideShape(FileModel):
    """Schema of the slide under the microscope."""

    at: _Name = Field(examples=["microscope-bench"])
    """The place where it is labelled."""
    giver: _Name = Field(examples=["technician"], alias="from")
    """The person who asks for it."""
    label: _Name = Field(examples=["bacteria"])
    """The right label."""


class TalkGoalShape(FileModel):
    """Schema of a goal that is achieved by a conversation."""

    of: list[_Name] = Field(examples=["[cook]"])
    """The people of whom any one will do."""
    topic: _Name = Field(examples=["meals"])
    """The topic that has to be heard to its end."""


class StoryShape(FileModel):
    """Schema of an island file."""

    island: _Name = Field(examples=["research-camp"])
    """The name of the island."""
    start: _Name = Field(examples=["dock"])
    """The place where players begin."""
    hour: NonNegativeNumber = Field(examples=[3600])
    """Seconds of play, after which the visit is over."""
    metres: NonNegativeNumber = Field(examples=[4])
    """The distance from one column of the drawing to the next; a line is worth two columns."""
    pace: NonNegativeNumber = Field(examples=[8])
    """How fast players walk, in metres a second."""
    tests: CountField = Field(examples=[5])
    """How many tests the laboratory grants at the start."""
    drawing: _Text = Field(examples=["|"])
    """The picture of the island, drawn below `drawing: |`."""
    areas: dict[_Name, dict[_Name, _Spot]] = Field(examples=["{camp: {gate: [3, 4]}}"])
    """The places of each area, each with its column and line in the drawing: `{camp: {gate: [3, 4]}}`."""
    ways: list[_Text] = Field(examples=["[gate - square]"])
    """Which places are beside one another: `gate - square`."""
    things: dict[_Name, ThingShape] = Field(examples=["{milk: {at: kitchen}}"])
    """What can be carried, by name."""
    containers: dict[_Name, _Name] = Field(examples=["{oven: kitchen}"])
    """What can be opened and closed, each with its place."""
    people: dict[_Name, PersonShape] = Field(examples=["{cook: {at: kitchen, …}}"])
    """Who is there, by name."""
    books: dict[_Name, ReadingShape] = Field(examples=["{on-cells: {at: library}}"])
    """The books, by name."""
    posters: dict[_Name, ReadingShape] = Field(examples=["{on-cells: {at: library}}"])
    """The posters, by name."""
    questions: dict[_Name, QuestionShape] = Field(examples=["{smallest: {about: virus, …}}"])
    """Questions with choices, by name."""
    diseases: dict[_Name, DiseaseShape] = Field(examples=["{influenza: {agent: viruses, …}}"])
    """The diseases that players may suspect, by name."""
    truth: TruthShape = Field(examples=["{disease: influenza, …}"])
    """The solution."""
    tester: _Name = Field(examples=["test-bench"])
    """The place where things are tested."""
    slide: SlideShape = Field(examples=["{at: test-bench, …}"])
    """The slide under the microscope."""
    worksheet: _Name = Field(examples=["nurses-desk"])
    """The place where the worksheet is handed in."""
    goals: dict[_Name, TalkGoalShape] = Field(examples=["{talk-cook: {of: [cook], topic: meals}}"])
    """Goals that are achieved by a conversation, by name."""
    seconds: dict[_Name, NonNegativeNumber] = Field(examples=["{open: 1}"])
    """How long each action takes, in seconds."""


@cache  # constant; every game needs it
def load_story() -> IslandStory:
    """Return the island that comes with the package.

    >>> len(load_story().map.places), len({place.area for place in load_story().map.places.values()})
    (39, 7)
    """
    return read_story(DATA / "island.yaml")


def read_story(path: str | os.PathLike[str]) -> IslandStory:
    """Read an island file."""
    return parse_story(read_text(path), file=os.fspath(path))


def parse_story(text: str, *, file: str = "<text>") -> IslandStory:
    """Parse the text of an island file; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, StoryShape, "an island file")
    entries = definition.model
    if entries is None or definition.faults:  # names are resolved only in a file of valid shape
        raise_faults(definition.faults)
    for what, name, path, known in _find_unknown_names(entries):
        message, remedy = f"there is no {what} {name!r}", name_hint(name, known)
        definition.fault(message, path, remedy, at_key=path[-1] == name, code=FaultCode.UNKNOWN_NAME)
    definition.raise_if_faulty()
    return _story(entries)


def _find_unknown_names(entries: StoryShape) -> Iterator[_UnknownName]:
    """Yield every unknown name: what it should name, the name, its path, and the known names."""
    places = [place for area in entries.areas.values() for place in area]
    for number, said in enumerate(entries.ways):
        found = _WAY.fullmatch(said)
        ends = found.groups()[:2] if found else (said,)
        yield from _unknown("place", [(("ways", number), end) for end in ends], places)
    spots: list[tuple[KeyPath, str]] = [
        (("start",), entries.start),
        (("tester",), entries.tester),
        (("worksheet",), entries.worksheet),
        *((("things", name, "at"), each.at) for name, each in entries.things.items()),
        *((("people", name, "at"), each.at) for name, each in entries.people.items()),
        *((("books", name, "at"), each.at) for name, each in entries.books.items()),
        *((("posters", name, "at"), each.at) for name, each in entries.posters.items()),
        *((("containers", name), place) for name, place in entries.containers.items()),
        (("slide", "at"), entries.slide.at),
    ]
    yield from _unknown("place", spots, places)
    inside = [(("things", name, "in"), each.inside) for name, each in entries.things.items() if each.inside is not None]
    yield from _unknown("container", inside, list(entries.containers))
    yield from _unknown("action", [(("seconds", name), name) for name in entries.seconds], [*ACTIONS])
    yield from _unknown("goal", [(("goals", name), name) for name in entries.goals], [*GOALS])
    people = [(("goals", name, "of", i), who) for name, goal in entries.goals.items() for i, who in enumerate(goal.of)]
    yield from _unknown("person", people, list(entries.people))
    yield from _unknown("disease", [(("truth", "disease"), entries.truth.disease)], list(entries.diseases))


def _unknown(what: str, named: Sequence[tuple[KeyPath, str]], known: list[str]) -> Iterator[_UnknownName]:
    return ((what, name, path, known) for path, name in named if name not in known)


def _story(entries: StoryShape) -> IslandStory:
    return IslandStory(
        name=entries.island,
        map=_map(entries),
        drawing=tuple(entries.drawing.rstrip("\n").split("\n")),
        start=entries.start,
        hour=float(entries.hour),
        pace=float(entries.pace),
        tests=entries.tests,
        things={name: IslandThing(name, each.at, each.food, each.inside) for name, each in entries.things.items()},
        containers=entries.containers,
        people={name: _person(name, each) for name, each in entries.people.items()},
        books=_readings(entries.books),
        posters=_readings(entries.posters),
        questions={
            name: NurseQuestion(name, each.about, tuple(each.choices), each.right)
            for name, each in entries.questions.items()
        },
        diseases={
            name: Disease(name, each.agent, each.treatment, frozenset(each.symptoms))
            for name, each in entries.diseases.items()
        },
        truth={field: getattr(entries.truth, field) for field in FIELDS},
        tester=entries.tester,
        slide_at=entries.slide.at,
        slide_from=entries.slide.giver,
        slide_label=entries.slide.label,
        desk=entries.worksheet,
        goals=tuple(TalkGoal(name, tuple(each.of), each.topic) for name, each in entries.goals.items()),
        seconds={action: float(entries.seconds.get(action, 0.0)) for action in ACTIONS if action != MOVE},
    )


def _map(entries: StoryShape) -> IslandMap:
    places = [IslandPlace(name, area, *spot) for area, inside in entries.areas.items() for name, spot in inside.items()]
    found = [_WAY.fullmatch(said) for said in entries.ways]
    links = [(each[1], each[2], each[3]) for each in found if each is not None]
    return IslandMap.from_links(places, links, metres=float(entries.metres))


def _person(name: str, entry: PersonShape) -> IslandPerson:
    topics = {topic: Topic(each.lines, _lessons(each.tells)) for topic, each in entry.topics.items()}
    return IslandPerson(name, entry.at, topics)


def _readings(entries: Mapping[str, ReadingShape]) -> dict[str, IslandText]:
    return {name: IslandText(name, each.at, _lessons(each.tells)) for name, each in entries.items()}


def _lessons(tells: list[str]) -> tuple[Lesson, ...]:
    return tuple(Lesson(*said.split()) for said in tells)
