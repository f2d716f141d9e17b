"""What a player remembers: places, people and things seen, and lessons learned; most of it fades."""

from collections.abc import Iterable, Mapping

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.worlds.island.story import Lesson
from telos.worlds.island.views import IslandView

PLACE = "place"


class Recollection:
    """A working memory with the words of the island.

    >>> mine = Recollection({"meal": 60.0})
    >>> mine.learn([Lesson("meal", "milk")], now=0.0)
    [Lesson(kind='meal', about='milk')]
    >>> mine.all_of("meal", now=30.0), mine.all_of("meal", now=58.0)
    (['milk'], [])
    """

    def __init__(self, fades: Mapping[str, float]) -> None:
        self.memory = WorkingMemory(fades)

    def notice(self, view: IslandView) -> list[str]:
        """Take in a place: that one was here, and who and what is here; return whom one sees for the first time."""
        self.did("visited", view.place, view.time)
        strangers = [name for name in view.people if not self.knows("person", name, view.time)]
        for kind, names in (
            ("person", view.people), ("thing", view.things), ("book", view.books), ("poster", view.posters),
        ):  # fmt: skip
            for name in names:
                self.memory.note(Fact(kind, name, view.time, attributes=_spot(view.place)))
        return strangers

    def did(self, kind: str, what: str, now: float) -> None:
        """Remember having done something."""
        self.memory.note(Fact(kind, what, now))

    def learn(self, lessons: Iterable[Lesson], now: float) -> list[Lesson]:
        """Remember what was told, read or found; return what was news."""
        return [lesson for lesson in lessons if self.memory.note(Fact(lesson.kind, lesson.about, now))]

    def knows(self, kind: str, what: str, now: float) -> bool:
        """Whether something is still remembered."""
        return self.memory.recall(kind, what, now) is not None

    def all_of(self, kind: str, now: float) -> list[str]:
        """Return what is still remembered of a kind."""
        return [fact.subject for fact in self.memory.all_of(kind, now)]

    def where(self, kind: str, name: str, now: float) -> str | None:
        """Return where somebody or something was last seen."""
        fact = self.memory.recall(kind, name, now)
        return None if fact is None else str(fact[PLACE])

    def spots(self, kind: str, now: float) -> dict[str, str]:
        """Return where everything of a kind was last seen."""
        return {fact.subject: str(fact[PLACE]) for fact in self.memory.all_of(kind, now)}


_SPOTS: dict[str, FrozenMap[str, str]] = {}  # there are 39 places, and they are noted all the time


def _spot(place: str) -> FrozenMap[str, str]:
    if place not in _SPOTS:
        _SPOTS[place] = FrozenMap({PLACE: place})
    return _SPOTS[place]
