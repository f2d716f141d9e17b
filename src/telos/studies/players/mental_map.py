"""The map in a player's head: screens that were seen, ways between them, and how they are forgotten."""

from collections.abc import Callable, Iterable
from random import Random

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap

_SHIFTS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
_CARELESS = 0.3  # how well the worst look is remembered; the best is 1


def beyond(area: str, edge: str) -> str:
    """Return the area behind an edge.

    >>> beyond("3,2", "north")
    '3,1'
    """
    column, row = map(int, area.split(","))
    across, down = _SHIFTS[edge]
    return f"{column + across},{row + down}"


class MentalMap:
    """Facts about screens, which fade; what is seen is remembered more or less well, by chance.

    >>> known = MentalMap(60.0, Random(1))
    >>> known.see("2,2", ("east",), 0.0)
    >>> known.see("3,2", ("west", "south"), 2.0)
    >>> known.way_to_unsearched("2,2", 3.0), known.way_to_unsearched("2,2", 99.0)
    (('east', 'south'), ())
    """

    def __init__(self, fades: float, rng: Random) -> None:
        self._memory = WorkingMemory({"way": fades, "searched": fades, "chest": fades})
        self._rng = rng
        self.town: str | None = None

    def see(self, area: str, exits: Iterable[str], now: float, *, chest: bool = False) -> None:
        """Take in a screen on entering it."""
        care = self._rng.uniform(_CARELESS, 1.0)
        self._memory.note(Fact("way", area, now, care, FrozenMap({"exits": tuple(exits)})))
        self._memory.note(Fact("searched", area, now, care))
        self._memory.forget("chest", area)
        if chest:
            self._memory.note(Fact("chest", area, now))

    def search_again(self, area: str, now: float) -> None:
        """Hold every screen but this one for unsearched; the ways between them stay known."""
        for kind in ("searched", "chest"):
            for fact in self._memory.all_of(kind, now):
                self._memory.forget(kind, fact.subject)
        self._memory.note(Fact("searched", area, now))

    def unsearched_exits(self, area: str, exits: Iterable[str], now: float) -> tuple[str, ...]:
        """Return the exits of this screen that lead where a chest was seen; if none was, where one may be."""
        behind = {edge: beyond(area, edge) for edge in exits}
        chests = {fact.subject for fact in self._memory.all_of("chest", now)} - {area}
        seen = tuple(edge for edge, each in behind.items() if each in chests)
        return seen or tuple(edge for edge, each in behind.items() if not self._is_searched(each, now))

    def way_to_unsearched(self, area: str, now: float) -> tuple[str, ...]:
        """Return the edges to cross to a chest that was seen, or to the nearest screen that was not searched."""
        chests = {fact.subject for fact in self._memory.all_of("chest", now)} - {area}
        to_chest = self._way(area, chests.__contains__, now) if chests else ()
        return to_chest or self._way(area, lambda behind: not self._is_searched(behind, now), now)

    def way_home(self, area: str, now: float) -> tuple[str, ...]:
        """Return the remembered way to town."""
        return self._way(area, lambda behind: behind == self.town, now)

    def felt_way_home(self, area: str, exits: Iterable[str]) -> tuple[str, ...]:
        """Return the exits that point to where the town must be, as the crow flies."""
        if self.town is None:
            return ()
        column, row = map(int, area.split(","))
        to_column, to_row = map(int, self.town.split(","))
        right = {"north": to_row < row, "south": to_row > row, "east": to_column > column, "west": to_column < column}
        return tuple(edge for edge in exits if right[edge])

    def _is_searched(self, area: str, now: float) -> bool:
        return self._memory.recall("searched", area, now) is not None

    def _way(self, start: str, is_end: Callable[[str], bool], now: float) -> tuple[str, ...]:
        """Return the way to the nearest area that is an end, breadth first over remembered screens; () for none."""
        ways: dict[str, tuple[str, ...]] = {start: ()}
        queue = [start]
        for area in queue:  # grows while it is walked
            fact = self._memory.recall("way", area, now)
            for edge in fact["exits"] if fact else ():
                behind = beyond(area, edge)
                if behind in ways:
                    continue
                ways[behind] = (*ways[area], edge)
                if is_end(behind):
                    return ways[behind]
                queue.append(behind)
        return ()
