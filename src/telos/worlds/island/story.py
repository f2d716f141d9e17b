"""The mystery as its designer wrote it: who and what is where, what can be learned, and what really happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from telos.worlds.island.map import IslandMap

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


class Lesson(NamedTuple):
    """Something that can be learned: its kind (``symptom``, ``meal``, ``disease`` …) and what it is about."""

    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Topic:
    """Something to ask a person about: so many lines, and what has been learned after the last."""

    lines: int
    tells: tuple[Lesson, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the camp, where they are, and what they talk about."""

    name: str
    at: str
    topics: Mapping[str, Topic]


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that fits into a hand; ``food`` names what it is a portion of, ``inside`` the container it is in."""

    name: str
    at: str
    food: str | None = None
    inside: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A book or a poster."""

    name: str
    at: str
    tells: tuple[Lesson, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One of the nurse's questions; knowing about ``about`` helps."""

    name: str
    about: str
    choices: tuple[str, ...]
    right: str


@dataclass(frozen=True, slots=True)
class Disease:
    """What a book says about a disease."""

    name: str
    agent: str
    treatment: str
    symptoms: frozenset[str]


@dataclass(frozen=True, slots=True)
class TalkGoal:
    """A goal that is achieved when one of some people has told a topic to its end, for the first time."""

    name: str
    people: tuple[str, ...]
    topic: str


class Here(NamedTuple):
    """What stands in one place from the start."""

    people: tuple[str, ...]
    things: tuple[str, ...]
    books: tuple[str, ...]
    posters: tuple[str, ...]
    openable: tuple[str, ...]  # doors first


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """Everything about the island that stays as it is while it is played."""

    name: str
    map: IslandMap
    drawing: tuple[str, ...]
    start: str
    hour: float
    pace: float
    tests: int
    things: Mapping[str, Thing]
    containers: Mapping[str, str]
    people: Mapping[str, Person]
    books: Mapping[str, Reading]
    posters: Mapping[str, Reading]
    questions: Mapping[str, Question]
    diseases: Mapping[str, Disease]
    truth: Mapping[str, str]
    tester: str
    slide_at: str
    slide_from: str
    slide_label: str
    desk: str
    goals: tuple[TalkGoal, ...]
    seconds: Mapping[str, float]
    _here: dict[str, Here] = field(default_factory=dict)

    def at(self, place: str) -> Here:
        """Return what stands in a place; it is gathered once."""
        if place not in self._here:
            doors = [way.door for way in self.map.ways[place] if way.door is not None]
            containers = [name for name, where in self.containers.items() if where == place]
            self._here[place] = Here(
                people=_standing(self.people, place),
                things=_standing(self.things, place),
                books=_standing(self.books, place),
                posters=_standing(self.posters, place),
                openable=(*doors, *containers),
            )
        return self._here[place]

    @property
    def nurse(self) -> str:
        """Return who takes the worksheet: whoever is at the desk where it is handed in."""
        return self.at(self.desk).people[0]

    @property
    def foods(self) -> tuple[str, ...]:
        """Return the foods there are, in the order of the file."""
        return tuple(dict.fromkeys(thing.food for thing in self.things.values() if thing.food))

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Return what may be written into each field of the worksheet."""
        treatments = tuple(dict.fromkeys(disease.treatment for disease in self.diseases.values()))
        return dict(zip(FIELDS, (tuple(self.diseases), self.foods, treatments), strict=True))


def _standing(named: Mapping[str, Person] | Mapping[str, Thing] | Mapping[str, Reading], place: str) -> tuple[str, ...]:
    return tuple(each.name for each in named.values() if each.at == place)
