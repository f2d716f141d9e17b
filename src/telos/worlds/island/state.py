"""Mutable game state and views."""

from collections import deque
from dataclasses import dataclass, field
from random import Random

from telos.core.values import FrozenMap
from telos.worlds.island.story import FIELDS, Lesson, Question, Story

# --- play -------------------------------------------------------------------------------------------------------------
# One game on the island, as it stands: everything that changes while it is played.


@dataclass(slots=True)
class Play:
    """Where the player is, what has been moved, said, tested and written, and what it has led to."""

    story: Story
    place: str
    tests: int
    time: float = 0.0
    hands: str | None = None
    opened: set[str] = field(default_factory=set)  # doors and containers
    lying: dict[str, str] = field(default_factory=dict)  # where things lie that were moved
    talking: str | None = None
    heard: dict[tuple[str, str], int] = field(default_factory=dict)  # lines, by person and topic
    questions: deque[str] = field(default_factory=deque)  # still to be answered rightly
    question: Question | None = None
    more: bool = False  # whether whoever was asked last has more to say about it
    told: tuple[Lesson, ...] = ()  # by the last action
    notes: list[Lesson] = field(default_factory=list)
    slide: str = ""  # "ready" after a test that found something, then "labelled"
    worksheet: dict[str, str] = field(default_factory=dict)
    milestones: list[bool] = field(default_factory=lambda: [False] * 4)
    achieved: set[str] = field(default_factory=set)  # goals of talk, each of which counts once

    @classmethod
    def begun(cls, story: Story, seed: int) -> "Play":
        """Return a game at its start; the seed fixes in which order the nurse asks."""
        questions = list(story.questions)
        Random(seed).shuffle(questions)
        return cls(story, story.start, story.tests, questions=deque(questions))

    @property
    def state(self) -> str:
        """Return the narrative state: a digit for each milestone, ``"0000"`` to ``"1111"``."""
        return "".join("1" if reached else "0" for reached in self.milestones)

    @property
    def is_over(self) -> bool:
        """Whether the mystery is solved or the hour is up."""
        return self.milestones[3] or self.time >= self.story.hour

    @property
    def is_complete(self) -> bool:
        """Whether every field of the worksheet says something."""
        return len(self.worksheet) == len(FIELDS)

    def things_here(self) -> list[str]:
        """Return the things that can be seen here: not in a hand, and not in anything closed."""
        things, lying, shut = self.story.things, self.lying, self.shut_here()
        here = self.story.at(self.place).things
        kept = [name for name in here if name not in lying and things[name].inside not in shut]
        return [*kept, *(name for name, place in lying.items() if place == self.place)] if lying else kept

    def shut_here(self) -> list[str]:
        """Return the doors beside this place and the containers in it that are closed."""
        return [each for each in self.story.at(self.place).openable if each not in self.opened]

    def open_here(self) -> list[str]:
        """Return the doors beside this place and the containers in it that are open."""
        return [each for each in self.story.at(self.place).openable if each in self.opened]


# --- views ------------------------------------------------------------------------------------------------------------
# What can be seen of the island at one moment.


@dataclass(frozen=True, slots=True)
class IslandView:
    """The island as its player sees it: the place, what is in it, and the papers in the bag."""

    time: float
    players: tuple[str, ...]
    place: str
    area: str
    state: str
    people: tuple[str, ...]
    things: tuple[str, ...]
    books: tuple[str, ...]
    posters: tuple[str, ...]
    closed: tuple[str, ...]  # doors and containers here
    open: tuple[str, ...]
    hands: str | None
    talking: str | None
    question: Question | None
    more: bool  # whether whoever was asked last has more to say about it
    told: tuple[Lesson, ...]
    tests: int
    notes: int
    slide: str
    worksheet: FrozenMap[str, str]
    is_over: bool

    @property
    def clock(self) -> str:
        """Return minutes and seconds of play, as in ``07:35``."""
        return clock_of(self.time)

    @property
    def is_solved(self) -> bool:
        """Whether the mystery is solved."""
        return self.state[3] == "1"


def clock_of(time: float) -> str:
    """Return a time in minutes and seconds.

    >>> clock_of(75.5)
    '01:15'
    """
    return f"{int(time) // 60:02d}:{int(time) % 60:02d}"


def seen(play: Play, player: str) -> IslandView:
    """Return what can be seen of a game now."""
    here = play.story.at(play.place)
    return IslandView(
        time=play.time,
        players=(player,),
        place=play.place,
        area=play.story.map.places[play.place].area,
        state=play.state,
        people=here.people,
        things=tuple(play.things_here()),
        books=here.books,
        posters=here.posters,
        closed=tuple(play.shut_here()),
        open=tuple(play.open_here()),
        hands=play.hands,
        talking=play.talking,
        question=play.question,
        more=play.more,
        told=play.told,
        tests=play.tests,
        notes=len(play.notes),
        slide=play.slide,
        worksheet=FrozenMap(play.worksheet),
        is_over=play.is_over,
    )
