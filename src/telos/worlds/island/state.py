"""The state of one game on the island (``IslandState``) and what its player sees of it (``IslandView``)."""

from collections import deque
from dataclasses import dataclass, field
from random import Random

from telos.core.values import FrozenMap
from telos.worlds.island.story import FIELDS, IslandStory, Lesson, NurseQuestion


@dataclass(slots=True)
class IslandState:
    """Everything that changes during a game: position, moved things, conversations, tests, worksheet, milestones."""

    story: IslandStory
    place: str
    tests: int
    time: float = 0.0
    hands: str | None = None
    opened: set[str] = field(default_factory=set)  # doors and containers
    lying: dict[str, str] = field(default_factory=dict)  # places of things that were moved
    talking: str | None = None
    heard: dict[tuple[str, str], int] = field(default_factory=dict)  # lines heard, by person and topic
    questions: deque[str] = field(default_factory=deque)  # not yet answered correctly
    question: NurseQuestion | None = None
    more: bool = False  # whether the person asked last has more lines on the topic, or the book more pages
    told: tuple[Lesson, ...] = ()  # lessons of the last action
    said: str = ""  # the line of dialogue heard last, where the story has words
    awaits: bool = False  # whether the person waits for a reply before the next line
    pages: dict[str, int] = field(default_factory=dict)  # pages read, by book
    prepared: int = 0  # steps of the tester's protocol that are done
    notes: list[Lesson] = field(default_factory=list)
    slide: str = ""  # "ready" after a test that found something, then "labelled"
    worksheet: dict[str, str] = field(default_factory=dict)
    milestones: list[bool] = field(default_factory=lambda: [False] * 4)
    achieved: set[str] = field(default_factory=set)  # talk goals reached; each counts once

    @classmethod
    def create(cls, story: IslandStory, seed: int) -> "IslandState":
        """Return a new game; the seed determines the order of the nurse's questions."""
        questions = list(story.questions)
        Random(seed).shuffle(questions)
        return cls(story, story.start, story.tests, questions=deque(questions))

    @property
    def state(self) -> str:
        """The narrative state: a digit for each milestone, ``"0000"`` to ``"1111"``."""
        return "".join("1" if reached else "0" for reached in self.milestones)

    @property
    def is_over(self) -> bool:
        return self.milestones[3] or self.time >= self.story.hour

    @property
    def is_complete(self) -> bool:
        return len(self.worksheet) == len(FIELDS)

    def things_here(self) -> list[str]:
        """Return the visible things in this place: not carried and not in a closed container."""
        things, lying, shut = self.story.things, self.lying, self.shut_here()
        here = self.story.at(self.place).things
        kept = [name for name in here if name not in lying and things[name].inside not in shut]
        return [*kept, *(name for name, place in lying.items() if place == self.place)] if lying else kept

    def shut_here(self) -> list[str]:
        """Return the closed doors and containers in this place."""
        return [each for each in self.story.at(self.place).openable if each not in self.opened]

    def open_here(self) -> list[str]:
        """Return the open doors and containers in this place."""
        return [each for each in self.story.at(self.place).openable if each in self.opened]


@dataclass(frozen=True, slots=True)
class IslandView:
    """The island as the player sees it: the place and its contents, the conversation, the papers."""

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
    question: NurseQuestion | None
    more: bool  # whether the person asked last has more lines on the topic, or the book more pages
    told: tuple[Lesson, ...]
    tests: int
    notes: int
    slide: str
    worksheet: FrozenMap[str, str]
    is_over: bool
    said: str = ""  # the words of the person asked last
    replies: tuple[str, ...] = ()  # what can be replied to them, if the person waits for a reply
    prepared: int = 0  # steps of the tester's protocol that are done
    quiz: int = 0  # questions of the nurse that were not answered rightly yet

    @property
    def clock(self) -> str:
        return clock_of(self.time)

    @property
    def is_solved(self) -> bool:
        return self.state[3] == "1"


def clock_of(time: float) -> str:
    """Return a time as minutes and seconds.

    >>> clock_of(75.5)
    '01:15'
    """
    return f"{int(time) // 60:02d}:{int(time) % 60:02d}"


def to_island_view(game: IslandState, player: str) -> IslandView:
    """Return the player's view of a game."""
    here = game.story.at(game.place)
    return IslandView(
        time=game.time,
        players=(player,),
        place=game.place,
        area=game.story.map.places[game.place].area,
        state=game.state,
        people=here.people,
        things=tuple(game.things_here()),
        books=here.books,
        posters=here.posters,
        closed=tuple(game.shut_here()),
        open=tuple(game.open_here()),
        hands=game.hands,
        talking=game.talking,
        question=game.question,
        more=game.more,
        told=game.told,
        tests=game.tests,
        notes=len(game.notes),
        slide=game.slide,
        worksheet=FrozenMap(game.worksheet),
        is_over=game.is_over,
        said=game.said,
        replies=game.story.replies if game.awaits else (),
        prepared=game.prepared,
        quiz=len(game.questions),
    )
