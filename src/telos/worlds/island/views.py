"""What can be seen of the island at one moment."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap
from telos.worlds.island.play import Play
from telos.worlds.island.story import Lesson, Question


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
